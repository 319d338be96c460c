"""The options that several commands have in common, declared once, and how several of them become one parameter.

A type for a command's signature says what an option is called, what its help says, and under which heading; its default
is in the signature. Those that several commands take together are fields of a dataclass, see `expanded`. Nothing is
read here; see `tcloseness.cli.arguments`.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from dataclasses import MISSING, dataclass, fields, is_dataclass
from enum import StrEnum
from typing import Annotated, Any, TypeAlias, get_type_hints

import typer

from tcloseness.cli.arguments import Format, Ragged
from tcloseness.cli.completion import column, columns, one_of
from tcloseness.cli.grounds import GROUND_HELP
from tcloseness.errors import InputError
from tcloseness.page_templates import require_report
from tcloseness.writing import refuse_files, write_files

COLUMNS, HIERARCHIES, THRESHOLDS, MEANING, FILES, RESULT = (
    "Columns",
    "Hierarchies",
    "Thresholds (read exactly: 3/8 and 0.375 are the same)",
    "What the values mean",
    "How the files are written",
    "Result",
)
"""The headings."""


def option(heading: str, metavar: str | None, help: str, *names: str, among: Sequence[str] = ()) -> Any:
    """Return an option that takes a text, under a heading; without names it is called like its parameter.

    A shell completes columns of the table, and some names that the text may be.
    """
    of_table = {"COLUMN": column, "COLUMN,…": columns}.get(str(metavar))
    completes = of_table or (one_of(among) if among else None)
    return typer.Option(*names, metavar=metavar, help=help, rich_help_panel=heading, autocompletion=completes)


def flag(heading: str, name: str, help: str) -> Any:
    """Return an option that takes no text, under a heading."""
    return typer.Option(name, help=help, rich_help_panel=heading)


def expanded(command: Callable[..., None]) -> Callable[..., None]:
    """Let a command take bundles: a parameter whose type is a dataclass stands for its fields, each an option.

    A bundle whose options are not its fields gives them as `parameters()`, and is made of what is given by `of(…)`.

    The result takes the options; typer reads them from its signature. The command gets each bundle as one object.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass
    ... class Size:
    ...     width: int = 3
    ...     height: int = 4
    >>> def area(*, name: str, size: Size):
    ...     print(name, size.width * size.height)
    >>> inspect.signature(expanded(area))
    <Signature (*, name: str, width: int = 3, height: int = 4)>
    >>> expanded(area)(name="area", width=5, height=4)
    area 20
    """
    signature = inspect.signature(command, eval_str=True)
    bundles: dict[str, Any] = {
        name: each.annotation for name, each in signature.parameters.items() if is_dataclass(each.annotation)
    }
    options: list[inspect.Parameter] = []
    for name, parameter in signature.parameters.items():
        if name not in bundles:
            options.append(parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY))
            continue
        options += _options(bundles[name])

    @functools.wraps(command)
    def run(**given: Any) -> None:
        for name, bundle in bundles.items():
            of_bundle = {each.name: given.pop(each.name) for each in _options(bundle)}
            given[name] = bundle.of(**of_bundle) if hasattr(bundle, "parameters") else bundle(**of_bundle)
        command(**given)

    run.__signature__ = signature.replace(parameters=options)  # type: ignore[attr-defined]
    run.__annotations__ = {option.name: option.annotation for option in options}
    return run


def _options(bundle: Any) -> list[inspect.Parameter]:
    if hasattr(bundle, "parameters"):
        return list(bundle.parameters())
    hints = get_type_hints(bundle, include_extras=True)
    defaults = {
        each.name: inspect.Parameter.empty if each.default is MISSING else each.default for each in fields(bundle)
    }
    return [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=hints[name])
        for name, default in defaults.items()
    ]


class Missing(StrEnum):
    """What an empty cell means, see `tcloseness.Microdata.from_frame`."""

    ERROR = "error"
    CATEGORY = "category"
    DROP = "drop"


class RaggedLevels(StrEnum):
    """What rows of different length in a hierarchy that has levels mean."""

    ERROR = "error"
    REPEAT_LEAF = "repeat-leaf"
    REPEAT_PARENT = "repeat-parent"


# ---------------------------------------------------------------------- the table and its columns

_QI, _QI_NAMES = (
    "Columns that an outsider may know. Repeatable; a value that is a column's whole name is not split.",
    (
        "--quasi-identifiers",
        "-q",
    ),
)

Table: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="A CSV, TSV or Parquet file with a header, also compressed, or a pattern that several files of one table "
        "have, such as 'part-*.parquet'; - reads standard input.",
    ),
]
QuasiIdentifiers: TypeAlias = Annotated[
    list[str],
    option(COLUMNS, "COLUMN,…", f"{_QI} An empty text names none: the whole table is one class.", *_QI_NAMES),
]
Weight: TypeAlias = Annotated[
    str | None, option(COLUMNS, "COLUMN", "How many records a row stands for (whole numbers).")
]
Person: TypeAlias = Annotated[
    str | None,
    option(
        COLUMNS,
        "COLUMN",
        "The column that says whose row it is, where a person has several: then persons are counted.",
    ),
]


Suppressed: TypeAlias = Annotated[
    str | None,
    option(MEANING, "MARKER", "A row with this text, such as *, in all quasi-identifiers is a suppressed record."),
]


def _refuse_person(column: str | None) -> None:
    if column is not None:
        raise InputError(
            f"--person {column!r} is an option of check alone: what makes a release adds up records, and those of a "
            "person of several rows do not add up to persons; give one row a person"
        )


NoPerson: TypeAlias = Annotated[str | None, typer.Option("--person", hidden=True, callback=_refuse_person)]
Identifying: TypeAlias = Annotated[
    list[str] | None,
    option(COLUMNS, "COLUMN,…", "Columns that name persons: they are not read, and never published."),
]
Keep: TypeAlias = Annotated[
    list[str] | None,
    option(COLUMNS, "COLUMN,…", "Further columns to write as they are. Others are left out of the anonymized table."),
]
Numeric: TypeAlias = Annotated[
    list[str] | None,
    option(
        HIERARCHIES,
        "COLUMN,…",
        "Quasi-identifiers to generalize to intervals of their numbers, even where there is a file.",
    ),
]
Categorical: TypeAlias = Annotated[
    list[str] | None,
    option(
        HIERARCHIES, "COLUMN,…", "Quasi-identifiers to generalize to sets of their values, even where there is a file."
    ),
]

Sensitive = Annotated[
    list[str] | None,
    option(
        COLUMNS,
        "COLUMN",
        "The column that must not be learned about a person; for --k alone none is needed.",
        "--sensitive",
        "-s",
    ),
]

# ---------------------------------------------------------------------- bundles


@dataclass(frozen=True)
class Columns:
    """The columns of a table that is generalized."""

    quasi_identifiers: Annotated[list[str], option(COLUMNS, "COLUMN,…", _QI, *_QI_NAMES)]
    sensitive: Sensitive = None
    identifying: Identifying = None
    person: NoPerson = None
    keep: Keep = None


@dataclass(frozen=True)
class Hierarchies:
    """Where the quasi-identifiers' hierarchies come from."""

    hierarchies: Annotated[
        str | None, option(HIERARCHIES, "DIR", "A folder with a file <column>.csv for each quasi-identifier.")
    ] = None
    hierarchy: Annotated[
        list[str] | None, option(HIERARCHIES, "COLUMN=FILE", "A file for one of them. Repeatable.")
    ] = None
    suppress_only: Annotated[
        list[str] | None,
        option(
            HIERARCHIES,
            "COLUMN,…",
            "Quasi-identifiers without a file: their values stay as they are, or all become *.",
        ),
    ] = None


@dataclass(frozen=True)
class Cells:
    """What the cells of a table mean."""

    missing: Annotated[
        Missing, option(MEANING, None, "What an empty cell means: refuse, a value, or leave the row out.")
    ] = Missing.ERROR
    missing_text: Annotated[
        list[str] | None, option(MEANING, "TEXT", "A cell text that means missing, such as ?. Repeatable.")
    ] = None
    merge_spellings: Annotated[
        list[str] | None,
        option(
            MEANING,
            "COLUMN,…",
            "Make values one that look the same (case, blanks, a dot at the end, equal numbers or dates).",
        ),
    ] = None


@dataclass(frozen=True)
class Meaning(Cells):
    """What the values mean."""

    ground: Annotated[
        list[str] | None,
        option(
            MEANING,
            "COLUMN=DISTANCE",
            f"How far apart two values are: {GROUND_HELP} One for each sensitive column.",
        ),
    ] = None
    order: Annotated[
        list[str] | None,
        option(
            MEANING,
            "COLUMN=LOW,…,HIGH",
            "A column's values from lowest to highest; (missing) is the empty cell. Numbers have their own order.",
        ),
    ] = None
    domain: Annotated[
        list[str] | None,
        option(MEANING, "COLUMN=VALUE,…", "A column's whole domain, in order: values that never occur count too."),
    ] = None


_BY_SUFFIX = "[default: a comma, or a tab for .tsv]"


@dataclass(frozen=True)
class TableFile:
    """How the table's file is written."""

    separator: Annotated[
        str | None, option(FILES, "CHAR", f"Between the cells of TABLE; tab is one.  {_BY_SUFFIX}")
    ] = None
    encoding: Annotated[str | None, option(FILES, "NAME", "Of all text files.  [default: utf-8]")] = None


@dataclass(frozen=True)
class Files(TableFile):
    """How the files are written, those of ground distances among them."""

    ground_separator: Annotated[
        str | None, option(FILES, "CHAR", f"Between the cells of a ground distance's file.  {_BY_SUFFIX}")
    ] = None
    ragged: Annotated[
        Ragged, option(FILES, None, "What rows of different length in a ground distance's hierarchy mean.")
    ] = Ragged.ERROR


@dataclass(frozen=True)
class AllFiles(Files):
    """How the files are written, hierarchies among them."""

    hierarchy_separator: Annotated[
        str | None, option(FILES, "CHAR", f"Between the cells of the hierarchies.  {_BY_SUFFIX}")
    ] = None
    hierarchy_ragged: Annotated[
        RaggedLevels, option(FILES, None, "What rows of different length in a hierarchy mean.")
    ] = RaggedLevels.ERROR


@dataclass(frozen=True)
class Engine:
    """Within what the table is counted."""

    memory: Annotated[
        str | None,
        option(
            FILES,
            "SIZE",
            "How much memory the engine may take that counts TABLE, such as 1GB; what does not fit goes to temporary "
            "files.  [default: half of what is free]",
        ),
    ] = None
    threads: Annotated[int | None, option(FILES, "N", "How many threads it may use.  [default: one a processor]")] = (
        None
    )


@dataclass(frozen=True)
class EngineBesideRows(Engine):
    """Within what the tables are read and written of which the rows are in memory besides."""

    memory: Annotated[
        str | None,
        option(
            FILES,
            "SIZE",
            "How much memory the engine may take that reads TABLE, unless that is plain text, and writes the output, "
            "such as 1GB. The rows, which a method needs, are in memory besides; --memory-limit bounds all.  [default: "
            "half of what is free]",
        ),
    ] = None


# ---------------------------------------------------------------------- the result

Output: TypeAlias = Annotated[
    str | None,
    option(RESULT, "FILE", "Write the anonymized table (.csv, .tsv or .parquet), and beside it (.json) what was done."),
]
Force: TypeAlias = Annotated[bool, flag(RESULT, "--force", "Overwrite these files if they exist.")]
OutputFormat: TypeAlias = Annotated[Format, option(RESULT, None, "How to print it.", "--format")]


@dataclass(frozen=True)
class Page:
    """A page of what is printed."""

    html: Annotated[str | None, option(RESULT, "FILE", "Write a page with figures too.")] = None
    force: Annotated[bool, flag(RESULT, "--force", "Overwrite files that exist.")] = False

    def refuse(self) -> None:
        """Raise `InputError` if the page must not be written there, or cannot be made."""
        if self.html is not None:
            require_report()
        refuse_files([] if self.html is None else [self.html], force=self.force)

    def write(self, made: Callable[[], str]) -> None:
        """Make and write the page, if it was asked for."""
        if self.html is not None:
            write_files({self.html: made().encode()}, force=self.force)
