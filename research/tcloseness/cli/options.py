"""The options that several commands have in common, declared once.

Each is a type for a command's signature: what it is called, what its help says, and under which heading. The default
stands in the signature. Nothing is read here; see `tcloseness.cli.arguments`.
"""

from __future__ import annotations

from enum import StrEnum
from typing import Annotated, TypeAlias

import typer

from tcloseness.cli.arguments import Format, Ragged

__all__ = [
    "COLUMNS",
    "FILES",
    "MEANING",
    "RESULT",
    "THRESHOLDS",
    "Alpha",
    "Beta",
    "Delta",
    "DistinctL",
    "Domains",
    "Encoding",
    "EnhancedBeta",
    "EntropyL",
    "Epsilon",
    "FrequencyL",
    "GroundSeparator",
    "Grounds",
    "K",
    "Missing",
    "MissingRule",
    "MissingTexts",
    "Orders",
    "OutputFormat",
    "QuasiIdentifiers",
    "RaggedRule",
    "Recursive",
    "Separator",
    "T",
    "Table",
    "Weight",
]

COLUMNS, THRESHOLDS, MEANING, FILES, RESULT = (
    "Columns",
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


# ---------------------------------------------------------------------- the table and its columns

Table: TypeAlias = Annotated[
    str, typer.Argument(metavar="TABLE", help="A CSV file with a header; - reads standard input.")
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
Weight: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="COLUMN", help="How many records a row stands for (whole numbers).", rich_help_panel=COLUMNS),
]

# ---------------------------------------------------------------------- thresholds

K: TypeAlias = Annotated[
    str | None,
    typer.Option("--k", metavar="K", help="Each class has at least K records.", rich_help_panel=THRESHOLDS),
]
Alpha: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--alpha", metavar="A", help="No value fills more than the share A of a class.", rich_help_panel=THRESHOLDS
    ),
]
DistinctL: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="L", help="Each class has at least L different values.", rich_help_panel=THRESHOLDS),
]
EntropyL: TypeAlias = Annotated[
    str | None,
    typer.Option(metavar="L", help="Each class has entropy at least ln L.", rich_help_panel=THRESHOLDS),
]
FrequencyL: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--frequency-l", metavar="L", help="No value fills more than 1/L of a class.", rich_help_panel=THRESHOLDS
    ),
]
Recursive: TypeAlias = Annotated[
    str | None,
    typer.Option(
        metavar="C,L",
        help="In each class the commonest value is rarer than C times all values from the L-th commonest on.",
        rich_help_panel=THRESHOLDS,
    ),
]
T: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--t",
        metavar="T",
        help="Each class is at most T away from the reference distribution. Needs --ground.",
        rich_help_panel=THRESHOLDS,
    ),
]
Epsilon: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--epsilon",
        metavar="E",
        help="No value's probability changes by more than exp(E) in a class.",
        rich_help_panel=THRESHOLDS,
    ),
]
Delta: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--delta",
        metavar="D",
        help="No value's probability changes by D doublings or more in a class.",
        rich_help_panel=THRESHOLDS,
    ),
]
Beta: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--beta",
        metavar="B",
        help="No value's probability rises by more than B times itself.",
        rich_help_panel=THRESHOLDS,
    ),
]
EnhancedBeta: TypeAlias = Annotated[
    str | None,
    typer.Option(
        "--enhanced-beta",
        metavar="B",
        help="The same with the cap -ln p for common values.",
        rich_help_panel=THRESHOLDS,
    ),
]

# ---------------------------------------------------------------------- what the values mean

Grounds: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN=DISTANCE",
        help="How far apart two values are: ordered, ordered-by-value, equal, hierarchical:FILE, or matrix:FILE "
        "(values in the first row and column). One for each sensitive column.",
        rich_help_panel=MEANING,
    ),
]
Orders: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN=LOW,…,HIGH",
        help="A column's values from lowest to highest. Numbers have their own order.",
        rich_help_panel=MEANING,
    ),
]
Domains: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        metavar="COLUMN=VALUE,…",
        help="A column's whole domain, in order: values that never occur count too.",
        rich_help_panel=MEANING,
    ),
]
MissingRule: TypeAlias = Annotated[
    Missing,
    typer.Option(help="What an empty cell means: refuse, a value, or leave the row out.", rich_help_panel=MEANING),
]
MissingTexts: TypeAlias = Annotated[
    list[str] | None,
    typer.Option(
        metavar="TEXT", help="A cell text that means missing, such as ?. Repeatable.", rich_help_panel=MEANING
    ),
]

# ---------------------------------------------------------------------- how the files are written

Separator: TypeAlias = Annotated[
    str, typer.Option(metavar="CHAR", help="Between the cells of TABLE; tab is one.", rich_help_panel=FILES)
]
Encoding: TypeAlias = Annotated[str, typer.Option(metavar="NAME", help="Of all files.", rich_help_panel=FILES)]
GroundSeparator: TypeAlias = Annotated[
    str,
    typer.Option(metavar="CHAR", help="Between the cells of a ground distance's file.", rich_help_panel=FILES),
]
RaggedRule: TypeAlias = Annotated[
    Ragged,
    typer.Option(help="What rows of different length in a ground distance's hierarchy mean.", rich_help_panel=FILES),
]

# ---------------------------------------------------------------------- the result

OutputFormat: TypeAlias = Annotated[Format, typer.Option("--format", help="How to print it.", rich_help_panel=RESULT)]
