"""The commands of ``python -m experiments``: the studies and their report, the data, speed, other implementations."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Annotated

import typer
from rich.console import Console
from rich.table import Table

from experiments import adult, archive, datasets, proofs, report
from experiments.kept import differing
from experiments.runner import RESULTS, chosen, discover, run_studies
from tcloseness.cli.command import Command, application
from tcloseness.cli.exit_codes import FAULT, VIOLATED

__all__ = ["app"]

app = application(
    name="experiments",
    no_args_is_help=True,
    help="The studies of tcloseness: the papers' numbers recomputed, with verdicts.",
)

Results = Annotated[Path, typer.Option("--results", help="Where results are written and read.")]


@app.command("list", cls=Command)
def list_() -> None:
    """List the studies and the questions they answer."""
    table = Table("study", "question")
    for study in discover().values():
        table.add_row(study.name, f"{study.question} {study.needs}".rstrip())
    Console().print(table)


@app.command(cls=Command)
def run(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME…]", help="The studies to run; else the standard ones.")
    ] = None,
    every: Annotated[
        bool, typer.Option("--all", help="Also those that need more than the standard ones: other data, or long.")
    ] = False,
    smoke: Annotated[bool, typer.Option(help="A small part of the data only, to see that everything works.")] = False,
    again: Annotated[bool, typer.Option("--again", help="Also those whose results are there and up to date.")] = False,
    processes: Annotated[
        int | None, typer.Option(help="How many studies run at a time; by default one a processor.")
    ] = None,
    results: Results = RESULTS,
) -> None:
    """Run studies, write their results, and report all claims that have results.

    A study is not run again if its result is whole, and code, data, grid, versions and machine are the same. After
    Ctrl-C the studies that ended are kept, those that did not are marked, and the same command goes on from there.
    """
    if names and every:
        raise typer.BadParameter("name studies or give --all, not both")
    try:
        run_studies(names or chosen(every), results=results, smoke=smoke, again=again, processes=processes)
    except KeyboardInterrupt:
        print("interrupted: finished studies are kept, and the same command goes on from there", file=sys.stderr)
        raise
    report.write_and_print(results)


@app.command("report", cls=Command)
def report_(results: Results = RESULTS) -> None:
    """Print every claim with its stated number, ours and the verdict, and write all results as page and article."""
    report.write_and_print(results)


@app.command("archive", cls=Command)
def archive_(results: Results = RESULTS) -> None:
    """Make the folder of results one to deposit: PDF, licence, citation, where the data are, provenance, checksums."""
    for line in archive.archive(results):
        typer.echo(line)


@app.command(cls=Command)
def verify(results: Results = RESULTS) -> None:
    """Check every certificate among the results, by the checkers of tcloseness alone."""
    for line in proofs.verified(results):
        typer.echo(line)


@app.command(cls=Command)
def compare(
    one: Annotated[Path, typer.Argument(metavar="FOLDER", help="The results of one run.")],
    other: Annotated[Path, typer.Argument(metavar="FOLDER", help="Those of another.")],
) -> None:
    """Compare two folders of results byte by byte, but for timings, provenance, the PDF and the list of hashes."""
    number, differ = differing(one, other)
    for name, how in differ.items():
        typer.echo(f"{name}: {how}")
    typer.echo(f"{number - len(differ):,} of {number:,} files are the same")
    if differ:
        raise typer.Exit(VIOLATED)


@app.command(cls=Command)
def data(
    every: Annotated[
        bool, typer.Option("--all", help="Also the data of the studies that read more than Adult.")
    ] = False,
) -> None:
    """Fetch the Adult data, verify it, and write its complete records as a CSV file for the command line."""
    adult.fetch()
    typer.echo(adult.write_csv())
    for name in datasets.DATASETS if every else ():
        typer.echo(datasets.fetch(name))


@app.command("bench", cls=Command)
def bench_(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME…]", help="Only these parts, such as distances or lattices.")
    ] = None,
    write: Annotated[bool, typer.Option(help="Write table and figure into docs/benchmarks.md as well.")] = False,
    peers: Annotated[bool, typer.Option(help="Measure other packages too, in an environment of their own.")] = True,
    target: Annotated[
        Path | None, typer.Option("--json", metavar="FILE", help="Write the record here, not to results/bench.json.")
    ] = None,
    against: Annotated[
        Path | None, typer.Option(metavar="FILE", help="The record of another run, to compare the ratios with.")
    ] = None,
) -> None:
    """Measure speed as ratios inside one run; print a table, and write results/bench.json."""
    from experiments import bench  # loads numba

    bench.run(names or (), write=write, peers=peers, target=target, against=against)


@app.command("peers", cls=Command)
def peers_() -> None:
    """Make the environments of other implementations, as far as they can be installed here."""
    from experiments import peers

    peers.install_all()


@app.command("conform", cls=Command)
def conform_(
    names: Annotated[
        list[str] | None, typer.Argument(metavar="[NAME…]", help="Only these; nothing is recorded.")
    ] = None,
    workers: Annotated[int, typer.Option(min=1, help="How many copies of an adapter run at a time.")] = 2,
    seconds: Annotated[float, typer.Option(help="The time limit of one vector.")] = 10.0,
) -> None:
    """Ask all implementations all test vectors, and write the record of their answers."""
    from experiments import conform

    if not conform.ask_all(names or (), workers=workers, seconds=seconds):
        print("error: an answer of tcloseness itself is not right: please report the first table", file=sys.stderr)
        raise typer.Exit(FAULT)
