"""``python -m tcloseness``: the command line."""

from tcloseness.cli import main

if __name__ == "__main__":
    main()
