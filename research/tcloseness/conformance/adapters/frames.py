"""A question's table as a data frame, as somebody would have it who loaded the data by the usual means."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Any

import pandas as pd

from tcloseness.conformance.adapters.serving import Parameters, Skip, Table

__all__ = ["classes", "for_numbers", "for_text", "frame", "one_sensitive", "only_text"]

Answer = Callable[[Table, Parameters], Mapping[str, Any]]

MOST_RECORDS = 100_000
"""Larger tables are skipped: they are there for arithmetic, not for patience."""


def frame(table: Table, *, categories: bool = False, most: int = MOST_RECORDS) -> pd.DataFrame:
    """Return the data frame of a table; `Skip` for a table with more records, or numbers beyond 64 bits.

    Parameters
    ----------
    table
        The input of a question.
    categories
        Whether columns of text are categorical; else they hold objects, unless the table declares their categories.
    most
        The largest number of records.

    Notes
    -----
    Whole numbers are int64, and float64 where one is missing; decimals are float64; missing text is None.
    """
    times = [int(n) for n in table.get("times", [])]
    if sum(times) > most or len(table["rows"]) > most:
        raise Skip(f"a data frame of more than {most:,} records")
    columns: dict[str, pd.Series[Any]] = {}
    for place, (name, kind) in enumerate(zip(table["columns"], table["types"], strict=True)):
        cells = [row[place] for row in table["rows"]]
        if times:
            cells = [cell for cell, n in zip(cells, times, strict=True) for _ in range(n)]
        columns[name] = _column(cells, kind, table.get("categories", {}).get(name), categories)
    made = pd.DataFrame(columns)
    if "index" in table and not times:
        made.index = pd.Index([int(label) for label in table["index"]])
    return made


def _column(cells: Sequence[str | None], kind: str, declared: Sequence[str] | None, categories: bool) -> pd.Series[Any]:
    missing = any(cell is None for cell in cells)
    if kind == "text":
        if declared is not None:
            return pd.Series(pd.Categorical(list(cells), categories=list(declared)))
        made = pd.Series(list(cells), dtype="object")
        return made.astype("category") if categories else made
    if kind == "integer" and not missing:
        numbers = [int(str(cell)) for cell in cells]
        if any(abs(n) >= 2**63 for n in numbers):
            raise Skip("a number beyond 64 bits")
        return pd.Series(numbers, dtype="int64")
    if kind == "integer" and any(cell is not None and abs(int(cell)) > 2**53 for cell in cells):
        raise Skip("a missing whole number beside one beyond 2^53, which the column's doubles cannot hold")
    return pd.Series([None if cell is None else float(Fraction(cell)) for cell in cells], dtype="float64")


def classes(table: Table) -> list[list[int]]:
    """Return the positions of each class's rows, for tests of one class; a missing value is a value."""
    places = [table["columns"].index(name) for name in table["quasi_identifiers"]]
    found: dict[tuple[object, ...], list[int]] = {}
    position = 0
    for number, row in enumerate(table["rows"]):
        key = tuple(_cell(row[place], table["types"][place]) for place in places)
        times = int(table["times"][number]) if "times" in table else 1
        found.setdefault(key, []).extend(range(position, position + times))
        position += times
    return [rows for rows in found.values() if rows]


def _cell(text: str | None, kind: str) -> str | Fraction | None:
    return text if text is None or kind == "text" else Fraction(text)


def one_sensitive(table: Table) -> str:
    """Return the name of the sensitive attribute; `Skip` if there are several."""
    if len(table["sensitive"]) != 1:
        raise Skip("it takes one sensitive attribute")
    return str(table["sensitive"][0])


def only_text(table: Table) -> None:
    """See that the sensitive attributes are text; `Skip` if one is not."""
    if any(kind != "text" for kind in _kinds(table)):
        raise Skip("it takes the equal distance for text only; numbers get the ordered one")


def for_text(answer: Answer) -> Answer:
    """Return what answers for sensitive attributes that are text, and skips others."""

    def asked(table: Table, parameters: Parameters) -> Mapping[str, Any]:
        only_text(table)
        return answer(table, parameters)

    return asked


def for_numbers(answer: Answer) -> Answer:
    """Return what answers for sensitive attributes that are numbers, and skips others."""

    def asked(table: Table, parameters: Parameters) -> Mapping[str, Any]:
        if any(kind == "text" for kind in _kinds(table)):
            raise Skip("it takes the ordered distance for numbers only; text gets the equal one")
        return answer(table, parameters)

    return asked


def _kinds(table: Table) -> list[str]:
    return [table["types"][table["columns"].index(name)] for name in table["sensitive"]]
