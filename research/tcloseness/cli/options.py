"""The options that several commands have in common, declared once.

A type for a command's signature says what an option is called, what its help says, and under which heading; its default
is in the signature. Those that several commands take together are fields of a dataclass, see
`tcloseness.cli.bundles`. Nothing is read here; see `tcloseness.cli.arguments`.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import StrEnum
from typing import Annotated, TypeAlias

import typer

from tcloseness.cli.arguments import Format, Ragged
from tcloseness.cli.grounds import GROUND_HELP
from tcloseness.errors import InputError

__all__ = [
    "COLUMNS",
    "FILES",
    "HIERARCHIES",
    "MEANING",
    "RESULT",
    "THRESHOLDS",
    "AllFiles",
    "Categorical",
    "Files",
    "Force",
    "GeneralizedColumns",
    "Hierarchies",
    "Keep",
    "Meaning",
    "Missing",
    "Numeric",
    "Output",
    "OutputFormat",
    "QuasiIdentifiers",
    "RaggedLevels",
    "Sensitive",
    "Table",
    "Weight",
]

COLUMNS, HIERARCHIES, THRESHOLDS, MEANING, FILES, RESULT = (
    "Columns",
    "Hierarchies",
    "Thresholds (read exactly: 3/8 and 0.375 are the same)",
    "What the values mean",
    "How the files are written",
    "Result",
)
"""The headings."""


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

Table: TypeAlias = Annotated[
    str,
    typer.Argument(
        metavar="TABLE",
        help="A CSV, TSV or Parquet file with a header, also compressed by gzip; - reads standard input.",
    ),
]
QuasiIdentifiers: TypeAlias = Annotated[
    list[str],
    typer.Option(
        "--quasi-identifiers",
        "-q",
        metavar="COLUMN,…",
        help="Columns that an outsider may know. Repeatable; a value that is a column's whole name is not split. "
        "An empty text names none: the whole table is one class.",
        rich_help_panel=COLUMNS,
    ),
]
GeneralizedColumns: TypeAlias = Annotated[
    list[str],
    typer.Option(
        "--quasi-identifiers",
        "-q",
        metavar="COLUMN,…",
        help="Columns that an outsider may know. Repeatable; a value that is a column's whole name is not split.",
        rich_help_panel=COLUMNS,
    ),
]
Sensitive: TypeAlias = Annotated[
    list[str],
    typer.Option(
        "--sensitive",
        "-s",
        metavar="COLUMN",
        help="The column that must not be learned about a person.",
        rich_help_panel=COLUMNS,
    ),
]
Weight: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="How many records a row stands for (whole numbers).", rich_help_panel=COLUMNS),
]
Person: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="COLUMN",
        help="The column that says whose row it is, where a person has several: then persons are counted.",
        rich_help_panel=COLUMNS,
    ),
]


def _refuse_person(column: str | None) -> None:
    if column is not None:
        raise InputError(
            f"--person {column!r} is an option of check alone: what makes a release adds up records, and those of a "
            "person of several rows do not add up to persons; give one row a person"
        )


NoPerson: TypeAlias = Annotated[str | None, typer.Option("--person", hidden=True, callback=_refuse_person)]
Keep: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN,…",
        help="Further columns to write as they are. Others are left out of the anonymized table.",
        rich_help_panel=COLUMNS,
    ),
]
Numeric: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN,…",
        help="Quasi-identifiers to generalize to intervals of their numbers, even where there is a file.",
        rich_help_panel=HIERARCHIES,
    ),
]
Categorical: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN,…",
        help="Quasi-identifiers to generalize to sets of their values, even where there is a file.",
        rich_help_panel=HIERARCHIES,
    ),
]

# ---------------------------------------------------------------------- bundles


@dataclass(frozen=True)
class Hierarchies:
    """Where the quasi-identifiers' hierarchies come from."""

    hierarchies: Annotated[
        str | None,
        typer.Option(
            metavar="DIR",
            help="A folder with a file <column>.csv for each quasi-identifier.",
            rich_help_panel=HIERARCHIES,
        ),
    ] = None
    hierarchy: Annotated[
        list[str] | None,
        typer.Option(metavar="COLUMN=FILE", help="A file for one of them. Repeatable.", rich_help_panel=HIERARCHIES),
    ] = None
    suppress_only: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN,…",
            help="Quasi-identifiers without a file: their values stay as they are, or all become *.",
            rich_help_panel=HIERARCHIES,
        ),
    ] = None


@dataclass(frozen=True)
class Meaning:
    """What the values mean."""

    ground: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=DISTANCE",
            help=f"How far apart two values are: {GROUND_HELP} One for each sensitive column.",
            rich_help_panel=MEANING,
        ),
    ] = None
    order: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=LOW,…,HIGH",
            help="A column's values from lowest to highest; (missing) is the empty cell. Numbers have their own order.",
            rich_help_panel=MEANING,
        ),
    ] = None
    domain: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN=VALUE,…",
            help="A column's whole domain, in order: values that never occur count too.",
            rich_help_panel=MEANING,
        ),
    ] = None
    missing: Annotated[
        Missing,
        typer.Option(help="What an empty cell means: refuse, a value, or leave the row out.", rich_help_panel=MEANING),
    ] = Missing.ERROR
    missing_text: Annotated[
        list[str] | None,
        typer.Option(
            metavar="TEXT", help="A cell text that means missing, such as ?. Repeatable.", rich_help_panel=MEANING
        ),
    ] = None
    merge_spellings: Annotated[
        list[str] | None,
        typer.Option(
            metavar="COLUMN,…",
            help="Make values one that look the same (case, blanks, a dot at the end, equal numbers or dates).",
            rich_help_panel=MEANING,
        ),
    ] = None


@dataclass(frozen=True)
class Files:
    """How the files are written."""

    separator: Annotated[
        str | None,
        typer.Option(
            metavar="CHAR",
            help="Between the cells of TABLE; tab is one.  [default: a comma, or a tab for .tsv]",
            rich_help_panel=FILES,
        ),
    ] = None
    encoding: Annotated[
        str | None, typer.Option(metavar="NAME", help="Of all text files.  [default: utf-8]", rich_help_panel=FILES)
    ] = None
    ground_separator: Annotated[
        str | None,
        typer.Option(
            metavar="CHAR",
            help="Between the cells of a ground distance's file.  [default: a comma, or a tab for .tsv]",
            rich_help_panel=FILES,
        ),
    ] = None
    ragged: Annotated[
        Ragged,
        typer.Option(
            help="What rows of different length in a ground distance's hierarchy mean.", rich_help_panel=FILES
        ),
    ] = Ragged.ERROR


@dataclass(frozen=True)
class AllFiles(Files):
    """How the files are written, hierarchies among them."""

    hierarchy_separator: Annotated[
        str | None,
        typer.Option(
            metavar="CHAR",
            help="Between the cells of the hierarchies.  [default: a comma, or a tab for .tsv]",
            rich_help_panel=FILES,
        ),
    ] = None
    hierarchy_ragged: Annotated[
        RaggedLevels,
        typer.Option(help="What rows of different length in a hierarchy mean.", rich_help_panel=FILES),
    ] = RaggedLevels.ERROR


# ---------------------------------------------------------------------- the result

Output: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="FILE",
        help="Write the anonymized table, and beside it (.json) what was done.",
        rich_help_panel=RESULT,
    ),
]
Force: TypeAlias = Annotated[
    bool, typer.Option("--force", help="Overwrite these files if they exist.", rich_help_panel=RESULT)
]
OutputFormat: TypeAlias = Annotated[Format, typer.Option("--format", help="How to print it.", rich_help_panel=RESULT)]
