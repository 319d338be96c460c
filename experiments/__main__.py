"""``python -m experiments``: list, run and report the studies; fetch the data; measure speed."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from experiments import adult, report
from experiments.runner import RESULTS, discover, run_studies
from tcloseness.errors import TClosenessError

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    pretty_exceptions_enable=False,
    help="The studies of tcloseness: the papers' numbers recomputed, with verdicts.",
)

Results = Annotated[Path, typer.Option("--results", help="Where results are written and read.")]


@app.command("list")
def list_() -> None:
    """List the studies and the questions they answer."""
    table = Table("study", "question")
    for study in discover().values():
        table.add_row(study.name, study.question)
    Console().print(table)


@app.command()
def run(
    names: Annotated[list[str] | None, typer.Argument(help="The studies to run; all if none is named.")] = None,
    smoke: Annotated[bool, typer.Option(help="A small part of the data only, to see that everything works.")] = False,
    results: Results = RESULTS,
) -> None:
    """Run studies, write their results, and report all claims that have results."""
    run_studies(names or list(discover()), results=results, smoke=smoke)
    report.write_and_print(results)


@app.command("report")
def report_(results: Results = RESULTS) -> None:
    """Print every claim with its stated number, ours and the verdict, and write all results as one HTML page."""
    report.write_and_print(results)


@app.command()
def data() -> None:
    """Fetch the Adult data, verify it, and write its complete records as a CSV file for the command line."""
    adult.fetch()
    typer.echo(adult.write_csv())


@app.command("bench")
def bench_(
    readme: Annotated[bool, typer.Option(help="Write the table into README.md as well.")] = False,
    peers: Annotated[bool, typer.Option(help="Measure pycanon too, in an environment of its own (a minute).")] = True,
) -> None:
    """Measure speed as ratios inside one run, and print a table."""
    from experiments import bench  # loads numba

    bench.run(readme=readme, peers=peers)


def main() -> None:
    """Run the app; an error of the project is one line, and Ctrl-C leaves what was done."""
    try:
        app()
    except TClosenessError as error:
        print(f"error: {error}", file=sys.stderr)
        sys.exit(2)
    except KeyboardInterrupt:
        print("interrupted; finished studies are kept", file=sys.stderr)
        sys.exit(130)


if __name__ == "__main__":
    main()
