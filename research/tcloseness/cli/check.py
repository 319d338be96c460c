"""``tcloseness check``: what a table gives away."""

from __future__ import annotations

import warnings
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, nullcontext
from enum import StrEnum
from pathlib import PurePath
from typing import Annotated

import typer

from tcloseness.cli.arguments import (
    Format,
    Ground,
    Ragged,
    column_names,
    encoding_name,
    ground_of,
    items,
    open_source,
    per_column,
    separator_text,
)
from tcloseness.cli.command import rerun
from tcloseness.cli.output import EXIT_CODES, print_json, refuse_to_overwrite, result_console, write_file
from tcloseness.errors import InputError, TableWarning

__all__ = ["EPILOG", "check"]

FORMAT = "tcloseness-check-1"

EPILOG = """
Example: is the table 3-anonymous, and is each class within 0.2 of the whole table?

\b
  tcloseness check release.csv --quasi-identifiers "ZIP Code,Age" --sensitive Salary,Disease \\
      --ground Salary=ordered --ground Disease=hierarchical:diseases.csv --k 3 --t 0.2
"""


class Missing(StrEnum):
    """What an empty cell means, see `tcloseness.Microdata.from_frame`."""

    ERROR = "error"
    CATEGORY = "category"
    DROP = "drop"


class Reference(StrEnum):
    """Whose distribution Q is, see `tcloseness.FrequencySet.class_counts`."""

    RELEASED = "released"
    ALL = "all"


_COLUMNS, _THRESHOLDS, _MEANING, _FILE, _RESULT = (
    "Columns",
    "Thresholds (read exactly: 3/8 and 0.375 are the same)",
    "What the values mean",
    "How the files are written",
    "Result",
)


_VALUE_OPTIONS = ("order", "domain", "missing_text", "suppressed")
"""The options that name values."""


def check(
    context: typer.Context,
    table: Annotated[str, typer.Argument(metavar="TABLE", help="A CSV file with a header; - reads standard input.")],
    quasi_identifiers: Annotated[
        list[str],
        typer.Option(
            "--quasi-identifiers",
            "-q",
            metavar="COLUMN,…",
            help="Columns that an outsider may know. Repeatable; a value that is a column's whole name is not split. "
            "An empty text names none: the whole table is one class.",
            rich_help_panel=_COLUMNS,
        ),
    ],
    sensitive: Annotated[
        list[str],
        typer.Option(
            "--sensitive",
            "-s",
            metavar="COLUMN,…",
            help="Columns that must not be learned about a person. Repeatable, as above.",
            rich_help_panel=_COLUMNS,
        ),
    ],
    weight: Annotated[
        str | None,
        typer.Option(
            metavar="COLUMN", help="How many records a row stands for (whole numbers).", rich_help_panel=_COLUMNS
        ),
    ] = None,
    k: Annotated[
        str | None,
        typer.Option("--k", metavar="K", help="Each class has at least K records.", rich_help_panel=_THRESHOLDS),
    ] = None,
    alpha: Annotated[
        str | None,
        typer.Option(
            "--alpha", metavar="A", help="No value fills more than the share A of a class.", rich_help_panel=_THRESHOLDS
        ),
    ] = None,
    distinct_l: Annotated[
        str | None,
        typer.Option(metavar="L", help="Each class has at least L different values.", rich_help_panel=_THRESHOLDS),
    ] = None,
    entropy_l: Annotated[
        str | None,
        typer.Option(metavar="L", help="Each class has entropy at least ln L.", rich_help_panel=_THRESHOLDS),
    ] = None,
    frequency_l: Annotated[
        str | None,
        typer.Option(
            "--frequency-l", metavar="L", help="No value fills more than 1/L of a class.", rich_help_panel=_THRESHOLDS
        ),
    ] = None,
    recursive: Annotated[
        str | None,
        typer.Option(
            metavar="C,L",
            help="In each class the commonest value is rarer than C times all values from the L-th commonest on.",
            rich_help_panel=_THRESHOLDS,
        ),
    ] = None,
    t: Annotated[
        str | None,
        typer.Option(
            "--t",
            metavar="T",
            help="Each class is at most T away from the reference distribution. Needs --ground.",
            rich_help_panel=_THRESHOLDS,
        ),
    ] = None,
    epsilon: Annotated[
        str | None,
        typer.Option(
            "--epsilon",
            metavar="E",
            help="No value's probability changes by more than exp(E) in a class.",
            rich_help_panel=_THRESHOLDS,
        ),
    ] = None,
    delta: Annotated[
        str | None,
        typer.Option(
            "--delta",
            metavar="D",
            help="No value's probability changes by D doublings or more in a class.",
            rich_help_panel=_THRESHOLDS,
        ),
    ] = None,
    beta: Annotated[
        str | None,
        typer.Option(
            "--beta",
            metavar="B",
            help="No value's probability rises by more than B times itself.",
            rich_help_panel=_THRESHOLDS,
        ),
    ] = None,
    enhanced_beta: Annotated[
        str | None,
        typer.Option(
            "--enhanced-beta",
            metavar="B",
            help="The same with the cap -ln p for common values.",
            rich_help_panel=_THRESHOLDS,
        ),
    ] = None,
    ground: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=DISTANCE",
            help="How far apart two values are: ordered, ordered-by-value, equal, hierarchical:FILE, or matrix:FILE "
            "(values in the first row and column). One for each sensitive column.",
            rich_help_panel=_MEANING,
        ),
    ] = None,
    order: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=LOW,…,HIGH",
            help="A column's values from lowest to highest. Numbers have their own order.",
            rich_help_panel=_MEANING,
        ),
    ] = None,
    domain: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=VALUE,…",
            help="A column's whole domain, in order: values that never occur count too.",
            rich_help_panel=_MEANING,
        ),
    ] = None,
    missing: Annotated[
        Missing,
        typer.Option(help="What an empty cell means: refuse, a value, or leave the row out.", rich_help_panel=_MEANING),
    ] = Missing.ERROR,
    missing_text: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT", help="A cell text that means missing, such as ?. Repeatable.", rich_help_panel=_MEANING
        ),
    ] = None,
    suppressed: Annotated[
        str | None,
        typer.Option(
            metavar="MARKER",
            help="A row with this text, such as *, in all quasi-identifiers is a suppressed record.",
            rich_help_panel=_MEANING,
        ),
    ] = None,
    reference: Annotated[
        Reference,
        typer.Option(
            help="Whose distribution t-closeness compares with: that of the released or of all records.",
            rich_help_panel=_MEANING,
        ),
    ] = Reference.RELEASED,
    separator: Annotated[
        str, typer.Option(metavar="CHAR", help="Between the cells of TABLE; tab is one.", rich_help_panel=_FILE)
    ] = ",",
    encoding: Annotated[str, typer.Option(metavar="NAME", help="Of all files.", rich_help_panel=_FILE)] = "utf-8-sig",
    ground_separator: Annotated[
        str,
        typer.Option(metavar="CHAR", help="Between the cells of hierarchies and matrices.", rich_help_panel=_FILE),
    ] = ",",
    ragged: Annotated[
        Ragged,
        typer.Option(help="What rows of different length in a hierarchy mean.", rich_help_panel=_FILE),
    ] = Ragged.ERROR,
    output: Annotated[Format, typer.Option("--format", help="How to print it.", rich_help_panel=_RESULT)] = Format.TEXT,
    html: Annotated[
        str | None,
        typer.Option("--html", metavar="FILE", help="Write a page with pictures too.", rich_help_panel=_RESULT),
    ] = None,
    force: Annotated[
        bool, typer.Option("--force", help="Overwrite the page if it exists.", rich_help_panel=_RESULT)
    ] = False,
    redact: Annotated[
        bool,
        typer.Option(
            "--redact",
            help="Withhold all values: neutral names stand for them. Column names and counts stay.",
            rich_help_panel=_RESULT,
        ),
    ] = False,
) -> None:
    """Measure k-anonymity, l-diversity and t-closeness of a table, and decide the thresholds that are given.

    Exits with 0 if every given threshold is satisfied, 1 if one is violated. Without thresholds it only measures.
    """
    separator, ground_separator = separator_text(separator), separator_text(ground_separator)
    encoding = encoding_name(encoding)
    if html is not None:
        refuse_to_overwrite(html, force)
    source = open_source(table)

    from tcloseness import FrequencySet, __version__, read_table
    from tcloseness import check as audit_of

    frame = read_table(source.handle, separator=separator, encoding=encoding, missing_texts=("", *(missing_text or ())))
    columns = [str(name) for name in frame.columns]
    qi = [] if list(quasi_identifiers) == [""] else column_names(quasi_identifiers, columns, "--quasi-identifiers")
    sa = column_names(sensitive, columns, "--sensitive")
    grounds = {
        name: ground_of(text, separator=ground_separator, encoding=encoding, ragged=ragged)
        for name, text in per_column(ground or (), sa, "--ground", "DISTANCE").items()
    }
    orders, domains = (
        {name: items(text, option) for name, text in per_column(given or (), [*sa, *qi], option, "VALUE,…").items()}
        for given, option in ((order, "--order"), (domain, "--domain"))
    )
    with _warnings_withheld() if redact else nullcontext():
        counted = FrequencySet.from_frame(
            frame,
            quasi_identifiers=qi,
            sensitive=sa,
            weight=weight,
            missing=missing.value,
            orders=orders,
            domains=domains,
            suppressed=suppressed,
        )
    audit = audit_of(
        counted,
        ground={name: chosen.spec for name, chosen in grounds.items()},
        k=k,
        distinct_l=distinct_l,
        entropy_l=entropy_l,
        recursive=None if recursive is None else _pair(recursive),
        alpha=alpha,
        frequency_l=frequency_l,
        epsilon=epsilon,
        delta=delta,
        beta=beta,
        enhanced_beta=enhanced_beta,
        t=t,
        reference=reference.value,
    )
    file, digest = source.name, source.sha256
    named = {name: _ground_record(grounds.get(name), redact) for name in sa}
    told = {name: _ground_text(record) for name, record in named.items()}
    instead: dict[str, list[str]] = {}
    if redact:
        from tcloseness.report.redaction import WITHHELD, redacted

        audit = redacted(audit)
        # no folder; and no hash, by which a guess of the whole file could be confirmed
        file, digest = PurePath(file).name, ""
        written = {name: ":".join(_name_and_file(named[name])) for name in grounds}
        instead = {option: [WITHHELD] for option in _VALUE_OPTIONS}
        instead |= {"table": [file], "ground": [f"{name}={text}" for name, text in written.items()]}
    if html is not None:
        from tcloseness.report.html import page

        made = page(audit, table=file, grounds=told, command=rerun(context, instead=instead), digest=digest)
        write_file(html, made, force, "page")
    if output is Format.JSON:
        result = audit.to_dict()
        print_json(
            {
                "format": FORMAT,
                "version": __version__,
                "status": result.pop("status"),
                "summary": result.pop("summary"),
                "table": {"file": file, "sha256": digest or None},
                "ground_distances": named,
                **result,
            }
        )
    else:
        from tcloseness.report.text import print_audit

        print_audit(audit, result_console(), table=file, grounds=told)
    raise typer.Exit(EXIT_CODES[audit.status])


@contextmanager
def _warnings_withheld() -> Iterator[None]:
    """Say how many warnings there are, and not what they say: they name values of the table."""
    with warnings.catch_warnings(record=True) as found:
        warnings.simplefilter("always")
        yield
    if found:
        warnings.warn(
            f"{len(found)} warning(s) name values of the table and are withheld; they are shown without --redact",
            TableWarning,
            stacklevel=3,
        )


def _ground_record(ground: Ground | None, redact: bool) -> dict[str, str]:
    if ground is None:
        return {"name": "equal", "chosen": "by default"}
    record = ground.to_dict()
    if redact and "file" in record:
        return {"name": record["name"], "file": PurePath(record["file"]).name}
    return record


def _ground_text(record: Mapping[str, str]) -> str:
    return "equal (none was named)" if "chosen" in record else ", ".join(_name_and_file(record))


def _name_and_file(record: Mapping[str, str]) -> list[str]:
    return [record[key] for key in ("name", "file") if key in record]


def _pair(text: str) -> tuple[str, str]:
    parts = items(text, "--recursive")
    if len(parts) != 2:
        raise InputError(f"--recursive {text!r} must be two numbers C,L, such as 3,2")
    return parts[0], parts[1]
