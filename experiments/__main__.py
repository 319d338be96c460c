"""``python -m experiments``: see `experiments.commands`."""

from tcloseness.cli import run_and_exit


def _run() -> None:
    from experiments.commands import app  # loads pandas; an interrupt meanwhile ends like any other

    app(prog_name="python -m experiments")


if __name__ == "__main__":
    run_and_exit(_run, command="experiments")
