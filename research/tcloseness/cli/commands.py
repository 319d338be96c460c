"""The commands of ``tcloseness``, collected. Nothing heavy is imported before a command needs it."""

from __future__ import annotations

import sys
from typing import Annotated

import typer

from tcloseness import __version__
from tcloseness.cli import anonymize, check, conform, emd, optimal, search, validate, verify
from tcloseness.cli.command import Command, Commands
from tcloseness.cli.exit_codes import USAGE

__all__ = ["app"]

app = typer.Typer(
    name="tcloseness",
    cls=Commands,
    add_completion=False,
    pretty_exceptions_enable=False,
    rich_markup_mode=None,
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
)


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
    if context.invoked_subcommand is None:
        print(context.get_help(), file=sys.stderr)
        raise typer.Exit(USAGE)


for _module, _short in {
    check: "What a table gives away.",
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
