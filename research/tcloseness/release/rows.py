"""`AnonymizedTable`: the rows of a table as a release has them, ready to be written.

Each row's quasi-identifiers become the labels of its generalization; a suppressed record's become a marker that no
released record carries in all of them. Sensitive values stay, also those of suppressed records: Q is the distribution
of all records, and whoever re-checks the table needs it. What is written is sorted by what it shows: the order of a
table's rows, by name or by date of entry, would link each row to a person.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from tcloseness.displayed import Displayed, counted
from tcloseness.errors import TableError
from tcloseness.exact import IntArray
from tcloseness.microdata import Domain, Microdata
from tcloseness.microdata.domain import is_missing, value_text
from tcloseness.microdata.text_files import quoted, separator_of

__all__ = [
    "AnonymizedTable",
    "cell_text",
    "frame_of",
    "free_marker",
    "natural_order",
    "published_order",
    "ranked",
    "texts_of",
    "written_table",
]

_MARKER = "*"

_DIGITS = re.compile("([0-9]+)")


def frame_of(columns: Mapping[str, Any], index: pd.Index[Any] | None = None) -> pd.DataFrame:
    """Return columns as a frame, whatever their names and cells are: where pandas' own texts hold them, as these."""
    try:
        return pd.DataFrame(dict(columns), index=index)
    except UnicodeEncodeError:  # half of a character, which only objects hold
        cells = {place: pd.Series(list(each), index=index, dtype=object) for place, each in enumerate(columns.values())}
        return pd.DataFrame(cells, index=index).set_axis(pd.Index(list(columns), dtype=object), axis=1)


def published_order(columns: Sequence[Sequence[str]]) -> list[int]:
    """Return rows of texts sorted by their cells, first column first; numbers inside texts by their size.

    Rows that look alike in all columns cannot be distinguished afterwards, so that nothing of the order before is left.

    Examples
    --------
    >>> published_order([["10-19", "9", "9"], ["x", "y", "x"]])
    [2, 1, 0]
    """
    ranks = [ranked(cells) for cells in columns]
    return np.lexsort(ranks[::-1]).tolist() if ranks else []


def ranked(texts: Sequence[str]) -> IntArray:
    """Return the place of each text among the different ones in natural order."""
    rank = {text: place for place, text in enumerate(sorted(set(texts), key=natural_order))}
    return np.fromiter(map(rank.__getitem__, texts), dtype=np.int64, count=len(texts))


def cell_text(value: object) -> str:
    """Return the text of a cell, an empty one for a missing value."""
    return "" if is_missing(value) else value_text(value)


def natural_order(text: str) -> tuple[list[tuple[int, str]], str]:
    """Return a key that sorts runs of digits by size, and texts that are alike but for leading zeros by themselves."""
    pieces = [piece.lstrip("0") if place % 2 else piece for place, piece in enumerate(_DIGITS.split(text))]
    return [(len(piece) if place % 2 else 0, piece) for place, piece in enumerate(pieces)], text


@dataclass(frozen=True, eq=False)
class AnonymizedTable(Displayed):
    """The rows of a release as text.

    In memory they have the order of the table that they come from, so that further columns of it can be added. That
    order is not published: `to_csv` writes them in the order of `published`.

    Attributes
    ----------
    columns
        By name, the cells; an empty text is a missing value.
    suppressed
        Which rows are suppressed records, shape (rows,).
    marker
        What a suppressed record has in all quasi-identifiers, and no released record has; None if there is none.
    """

    columns: Mapping[str, Sequence[str]]
    suppressed: npt.NDArray[np.bool_]
    marker: str | None

    def to_dict(self) -> dict[str, Any]:
        """Return what the table is as JSON-ready data, without its rows."""
        return {
            "columns": list(self.columns),
            "rows": len(self),
            "suppressed": int(self.suppressed.sum()),
            "marker": self.marker,
        }

    @property
    def _withheld(self) -> Collection[str]:
        return tuple(self.columns)

    def _frame_rows(self) -> Iterator[dict[str, Any]]:
        for cells in zip(*self.columns.values(), strict=True):
            yield dict(zip(self.columns, cells, strict=True))

    def _said(self) -> str:
        return f"{counted(len(self), 'row')}, {int(self.suppressed.sum())} suppressed"

    @classmethod
    def of_frame(cls, frame: pd.DataFrame) -> AnonymizedTable:
        """Return a table of values as one of texts; no row is suppressed."""
        columns = {str(name): list(map(cell_text, frame[name])) for name in frame}
        return cls(columns, np.zeros(len(frame), dtype=bool), None)

    def __len__(self) -> int:
        return len(self.suppressed)

    def has_empty(self, names: Sequence[str]) -> bool:
        """Say whether a cell of one of the columns is empty."""
        return any("" in self.columns[name] for name in names)

    def with_columns(self, more: Mapping[str, Sequence[str]]) -> AnonymizedTable:
        """Return the table with further columns, as they are.

        Raises
        ------
        TableError
            For a column that is there already, or one of another length.
        """
        for name, cells in more.items():
            if name in self.columns:
                raise TableError(f"column {name!r} is in the anonymized table already; it cannot be added as it is")
            if len(cells) != len(self):
                raise TableError(f"column {name!r} has {len(cells)} cells, and the anonymized table {len(self)} rows")
        return AnonymizedTable({**self.columns, **more}, self.suppressed, self.marker)

    def in_order(self, names: Sequence[str]) -> AnonymizedTable:
        """Return the table with its columns in another order; `names` holds each once."""
        return AnonymizedTable({name: self.columns[name] for name in names}, self.suppressed, self.marker)

    def published(self) -> AnonymizedTable:
        """Return the table with its rows sorted by all their cells, see `published_order`."""
        order = published_order(list(self.columns.values()))
        columns = {name: [cells[row] for row in order] for name, cells in self.columns.items()}
        return AnonymizedTable(columns, self.suppressed[order] if columns else self.suppressed, self.marker)

    def to_csv(self, *, separator: str = ",") -> str:
        r"""Return the `published` table as CSV with a header, as `read_table` reads it; lines end with ``\n``.

        Examples
        --------
        >>> table = AnonymizedTable({"zip": ["47*", "*"], "text": [' "a", b', ""]}, np.array([False, True]), "*")
        >>> print(table.to_csv())
        zip,text
        47*," ""a"", b"
        *,
        <BLANKLINE>
        """
        separator = separator_of(separator, "", "", TableError)
        alone = len(self.columns) == 1
        columns = []
        for name, cells in self.published().columns.items():
            written = {text: quoted(text, separator, alone=alone) for text in {name, *cells}}
            columns.append([written[name], *(written[text] for text in cells)])
        return "".join(separator.join(row) + "\n" for row in zip(*columns, strict=True))


def written_table(
    table: Microdata,
    labels: Mapping[str, npt.NDArray[Any]],
    suppressed: npt.NDArray[np.bool_],
    shown: Mapping[str, npt.NDArray[Any]] | None = None,
) -> AnonymizedTable:
    """Return the rows of a table with other quasi-identifiers: the one way in which this package writes a release.

    Parameters
    ----------
    table
        The rows; their sensitive attributes are written as they are.
    labels
        By quasi-identifier the text of each row's label, shape (rows,); what a suppressed row has does not count.
    suppressed
        Which rows are suppressed records; their marker is ``*``, or if a released record has that in all
        quasi-identifiers, ``**``, and so on.

    shown
        By sensitive attribute what a row shows in place of its value; None where it shows the value.

    Raises
    ------
    TableError
        If two values of a sensitive attribute have the same text, or records are suppressed and there is no
        quasi-identifier to mark them in.
    """
    texts = {name: cells.copy() for name, cells in labels.items()}
    if suppressed.any() and not texts:
        raise TableError("records are suppressed in a table without quasi-identifiers, so no cell can mark them")
    every = dict.fromkeys(texts, np.arange(len(suppressed)))
    marker = free_marker(texts, every, ~suppressed) if suppressed.any() else None
    for cells in texts.values():
        cells[suppressed] = marker
    sensitive = {column.name: texts_of(column.domain, column.name)[column.codes] for column in table.sensitive}
    for name, cells in (shown or {}).items():
        chosen = np.array([cell is not None for cell in cells], dtype=bool)
        sensitive[name][chosen] = cells[chosen]
    columns = {name: cells.tolist() for name, cells in {**texts, **sensitive}.items()}
    return AnonymizedTable(columns, suppressed, marker)


def texts_of(domain: Domain, name: str) -> npt.NDArray[Any]:
    """Return the text of each value of a domain; a missing one's is empty."""
    texts = [*map(cell_text, domain.values)]
    if len(set(texts)) < len(texts):
        twice = next(text for text in texts if texts.count(text) > 1)
        raise TableError(
            f"column {name!r} has two values that are both written {twice!r}; a file would make them one, so rename one"
        )
    return np.array([*texts, None], dtype=object)[:-1]


def free_marker(
    texts: Mapping[str, npt.NDArray[Any]], codes: Mapping[str, IntArray], released: npt.NDArray[np.bool_]
) -> str:
    """Return stars that no released row has in all columns, given by the texts that there are and their places."""
    marker = _MARKER
    while (
        texts and np.logical_and.reduce([(each == marker)[codes[name][released]] for name, each in texts.items()]).any()
    ):
        marker += _MARKER
    return marker
