"""A study's table as a person reads it in a report: small ones whole, of larger ones the first rows."""

from __future__ import annotations

import csv
import re
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from tcloseness.report.short_text import shortened

__all__ = ["MOST_ROWS", "Column", "Preview", "preview"]

MOST_ROWS = 25
"""A table with more rows is not shown whole."""

_FIRST_ROWS = 8
_LONG_DECIMAL = re.compile(r"-?\d+\.\d{5,}(e-?\d+)?|-?\d+(\.\d+)?e-?\d+", re.IGNORECASE)
_NUMBER = re.compile(r"-?\d[\d,]*(\.\d+)?(e-?\d+)?(/\d+)?|-?inf|≈ .*", re.IGNORECASE)


@dataclass(frozen=True)
class Column:
    """A column's name, and whether it holds numbers."""

    name: str
    number: bool

    @property
    def kind(self) -> str:
        """How a page shows it: as numbers, and apart if they are a paper's own."""
        printed = self.name.startswith(("printed", "stated"))
        return " ".join(word for word, is_so in (("number", self.number), ("printed", printed)) if is_so)


@dataclass(frozen=True)
class Preview:
    """A table for a report: its columns, the rows that are shown, how many it has, whether digits are left out."""

    name: str
    columns: tuple[Column, ...]
    rows: tuple[tuple[str, ...], ...]
    total: int
    rounded: bool

    @property
    def whole(self) -> bool:
        """Whether all rows are shown."""
        return len(self.rows) == self.total


def preview(path: Path) -> Preview:
    """Read a CSV table for a report."""
    kept: list[list[str]] = []
    total = 0
    with path.open(encoding="utf-8", newline="") as lines:
        reader = csv.reader(lines)
        header = next(reader, [])
        for row in reader:
            total += 1
            if len(kept) < MOST_ROWS:
                kept.append(row)
    if total > MOST_ROWS:
        kept = kept[:_FIRST_ROWS]
    rows = tuple(tuple(_cell(text) for text in row) for row in kept)
    columns = tuple(Column(name, _are_numbers([row[place] for row in kept])) for place, name in enumerate(header))
    return Preview(path.name, columns, rows, total, any(map(_LONG_DECIMAL.fullmatch, (c for row in kept for c in row))))


def _are_numbers(cells: list[str]) -> bool:
    given = [cell for cell in cells if cell]
    return bool(given) and all(map(_NUMBER.fullmatch, given))


def _cell(text: str) -> str:
    """Return a cell for a person: a long decimal by four digits after its point, or by four in all if it is tiny."""
    if not _LONG_DECIMAL.fullmatch(text):
        return shortened(text)
    value = Decimal(text)
    return f"{value:.4f}" if not value or abs(value) >= Decimal("0.001") else f"{value:.3e}"
