"""``tcloseness validate``: what a distance between distributions satisfies."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Annotated, Any

import typer

from tcloseness.cli.arguments import Format, Ragged, items
from tcloseness.cli.command import rerun
from tcloseness.cli.exit_codes import ROWS
from tcloseness.cli.grounds import GROUND_HELP, grounds_of
from tcloseness.cli.options import RESULT, OutputFormat, Page, expanded, flag, option
from tcloseness.cli.output import print_json
from tcloseness.cli.user_objects import loaded, printed_aside
from tcloseness.errors import InputError

if TYPE_CHECKING:
    from tcloseness.axioms import ReportCard

__all__ = ["EPILOG", "validate"]

EPILOG = """
Examples: a distance of your own in my_module.py; and one of this package, of which a failure is expected.

\b
  tcloseness validate my_module.py:my_distance --ground equal
  tcloseness validate tcloseness.measures:KullbackLeibler --expected-failure symmetric="a divergence"
"""

_WHAT, _HOW = "The measure", "What it is asked"


@expanded
def validate(
    *,
    context: typer.Context,
    measure: Annotated[
        str,
        typer.Argument(
            metavar="MODULE:NAME",
            help="A function of two distributions P and Q (and a ground distance, if it takes ground), or a measure "
            "object or class; MODULE is a module's name or a .py file. It is imported, that is, run.",
        ),
    ],
    ground: Annotated[
        str | None,
        option(
            _WHAT,
            "DISTANCE",
            f"By which ground distance it is judged: {GROUND_HELP} By default its own, else ordered.",
        ),
    ] = None,
    values: Annotated[str | None, option(_WHAT, "VALUE,…", "The values, where the ground distance needs them.")] = None,
    claims_emd: Annotated[bool, flag(_WHAT, "--emd", "It claims to be an Earth Mover's Distance: compare.")] = False,
    ground_separator: Annotated[
        str | None, option(_WHAT, "CHAR", "Between the cells of the hierarchy or matrix.")
    ] = None,
    encoding: Annotated[str | None, option(_WHAT, "NAME", "Of the hierarchy or matrix.")] = None,
    ragged: Annotated[
        Ragged, option(_WHAT, None, "What rows of different length in the hierarchy mean.")
    ] = Ragged.ERROR,
    m: Annotated[str, option(_HOW, "LEAST-MOST", "How many values it is asked about.")] = "2-6",
    expected_failure: Annotated[
        list[str] | None, option(_HOW, "CHECK=REASON", "What it does not claim. Repeatable.")
    ] = None,
    only: Annotated[str | None, option(_HOW, "CHECK,…", "Make these checks only.")] = None,
    proofs: Annotated[bool, flag(_HOW, "--proofs/--no-proofs", "Try proofs by z3, if it is installed.")] = True,
    budget: Annotated[
        str, option(_HOW, "SECONDS", "For each check; looked at between two calls of the measure.")
    ] = "20",
    tests: Annotated[bool, flag(RESULT, "--tests", "Show each counterexample as a test to paste.")] = False,
    output: OutputFormat = Format.TEXT,
    html: Page,
) -> None:
    """Say which laws a distance between distributions satisfies, with a counterexample or a proof for each.

    The first lines answer what it can be used for: which searches may prune, the desiderata of the literature, and the
    open question of the t-closeness paper.
    """
    html.refuse()
    expected = dict(_expected(text) for text in expected_failure or [])
    chosen = None if only is None else items(only, "--only")
    sizes, seconds = _sizes(m), _seconds(budget)
    domain, distance = _ground(ground, values, ground_separator, encoding, ragged)
    function = loaded(measure, "measure", "my_module:my_distance or my_file.py:my_distance")
    html.refuse()

    from tcloseness.axioms import check_distance

    with _hypothesis_without_files(), printed_aside():
        card = check_distance(
            function,
            domain=domain,
            ground=distance,
            expected_failures=expected,
            m=sizes,
            only=chosen,
            claims_emd=True if claims_emd else None,
            proofs=proofs,
            budget=seconds,
            progress=_progress if sys.stderr.isatty() else None,
        )
    if sys.stderr.isatty():
        print("\r\x1b[K", end="", file=sys.stderr)

    def made() -> str:
        from tcloseness.report.card_page import card_page

        return card_page(card, command=rerun(context))

    html.write(made)
    _print(card, output, tests)
    raise typer.Exit(ROWS["validate"].statuses[card.status])


@contextmanager
def _hypothesis_without_files() -> Iterator[None]:
    """Let Hypothesis, which draws examples, leave no folder ``.hypothesis`` where the command runs."""
    name = "HYPOTHESIS_STORAGE_DIRECTORY"
    before = os.environ.get(name)
    os.environ.setdefault(name, os.devnull)  # no folder can be made in it, which Hypothesis bears
    try:
        yield
    finally:
        if before is None:
            del os.environ[name]


def _print(card: ReportCard, output: Format, tests: bool) -> None:
    if output is Format.JSON:
        from tcloseness import __version__

        record = card.to_dict()
        print_json({"format": record.pop("format"), "version": __version__, **record})
        return
    import shutil

    print(card.text(min(shutil.get_terminal_size().columns, 120), tests=tests), end="")


def _progress(name: str) -> None:
    print(f"\r\x1b[K{name} …", end="", file=sys.stderr, flush=True)


def _expected(text: str) -> tuple[str, str]:
    name, equals, reason = text.partition("=")
    if not equals or not reason.strip():
        raise InputError(
            f"--expected-failure {text!r} gives no reason; write CHECK=REASON, such as symmetric='a divergence'"
        )
    return name.strip(), reason.strip()


def _sizes(text: str) -> tuple[int, int]:
    found = re.fullmatch(r"([0-9]+)(?:-([0-9]+))?", text.strip())
    if found is None:
        raise InputError(f"--m {text!r} must be a number of values or two, such as 2-6")
    least, most = int(found[1]), int(found[2] or found[1])
    if not 2 <= least <= most:
        raise InputError(f"--m {text!r} must be the least and the greatest number of values, 2 or more, such as 2-6")
    return least, most


def _seconds(text: str) -> float:
    from tcloseness.exact import as_fraction, nearest_double

    seconds = as_fraction(text, "--budget")
    if seconds <= 0:
        raise InputError(f"--budget {text!r} must be a positive number of seconds")
    return nearest_double(seconds)


def _ground(
    ground: str | None, values: str | None, separator: str | None, encoding: str | None, ragged: Ragged
) -> tuple[Any, Any]:
    """Return the domain and what `check_distance` is given as its ground distance."""
    from tcloseness.microdata import Domain

    domain = None if values is None else Domain.declare(items(values, "--values"))
    named = [] if ground is None else [ground]
    for chosen in grounds_of(named, separator=separator, ragged=ragged, encoding=encoding):
        if domain is None and chosen.needs_values and chosen.file is None:
            raise InputError(f"the ground distance {chosen.name!r} depends on the values; give --values, lowest first")
        return domain, chosen.spec
    return domain, None
