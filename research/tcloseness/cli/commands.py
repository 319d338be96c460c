"""The commands of ``tcloseness``, collected. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

from typing import Annotated

import typer

from tcloseness import __version__
from tcloseness.cli import anonymize, attack, check, columns, compare, conform, emd, optimal, search, validate, verify
from tcloseness.cli.command import Command, application, require_command

__all__ = ["app"]

app = application(name="tcloseness", completion=True)


def _print_version(wanted: bool) -> None:
    if wanted:
        print(f"tcloseness {__version__}")
        raise typer.Exit


@app.callback(
    invoke_without_command=True,
    epilog="""
The result goes to standard output, warnings and errors to standard error.

Example:

\b
  tcloseness check release.csv --quasi-identifiers ZIP,Age --sensitive Salary \\
      --ground Salary=ordered --t 0.2
""",
)
def _group(
    context: typer.Context,
    version: Annotated[
        bool, typer.Option("--version", callback=_print_version, is_eager=True, help="Print the version and exit.")
    ] = False,
) -> None:
    """Measure what a published table gives away: exactly, and with proofs."""
    require_command(context)


for _module, _short in {
    check: "What a table gives away.",
    columns: "Which columns make people identifiable.",
    attack: "What a release gives away to whoever knows how it was made.",
    compare: "Which release gives away less, and which costs less.",
    search: "Which generalizations are enough.",
    anonymize: "A table made anonymous, by a heuristic.",
    optimal: "The anonymization that costs least, proved.",
    emd: "A distance of distributions, with its proof.",
    validate: "What a new distance satisfies.",
    verify: "Whether such a proof holds.",
}.items():
    _name = _module.__name__.rpartition(".")[2]
    app.command(name=_name, short_help=_short, cls=Command, epilog=_module.EPILOG)(getattr(_module, _name))
app.add_typer(conform.app, name="conform")
