"""``python -m tcloseness``: the command line."""

from tcloseness.cli import main_of_module

if __name__ == "__main__":
    main_of_module()
