"""``python -m experiments``: see `experiments.commands`."""

from tcloseness.cli import main_of_module


def _run() -> None:
    from experiments.commands import app  # loads pandas; an interrupt meanwhile ends like any other

    app(prog_name="python -m experiments")


if __name__ == "__main__":
    main_of_module(_run, command="experiments")
