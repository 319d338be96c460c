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


app.command(name="check", short_help="What a table gives away.", cls=Command, epilog=check.EPILOG)(check.check)
app.command(name="search", short_help="Which generalizations are enough.", cls=Command, epilog=search.EPILOG)(
    search.search
)
app.command(
    name="anonymize", short_help="A table made anonymous, by a heuristic.", cls=Command, epilog=anonymize.EPILOG
)(anonymize.anonymize)
app.command(
    name="optimal", short_help="The anonymization that costs least, proved.", cls=Command, epilog=optimal.EPILOG
)(optimal.optimal)
app.command(name="emd", short_help="A distance of distributions, with its proof.", cls=Command, epilog=emd.EPILOG)(
    emd.emd
)
app.command(name="validate", short_help="What a new distance satisfies.", cls=Command, epilog=validate.EPILOG)(
    validate.validate
)
app.command(name="verify", short_help="Whether such a proof holds.", cls=Command, epilog=verify.EPILOG)(verify.verify)
app.add_typer(conform.app, name="conform")
