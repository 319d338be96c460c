"""Codes as rows of values, as the frames of tables, frequency sets and class counts have them."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from typing import Any

from tcloseness.displayed import Displayed, counted
from tcloseness.exact import IntArray
from tcloseness.microdata.domain import Domain, value_text

__all__ = ["CountedRows", "cell_of", "free_name", "rows_of"]


def cell_of(value: Hashable) -> Any:
    """Return a value as a cell of a frame: numbers as they are, anything else as its text."""
    return value if type(value) in (bool, int, float) else value_text(value)


def free_name(name: str, taken: Collection[str]) -> str:
    """Return the name of an added column, which no column of the table has.

    >>> free_name("records", ["zip"]), free_name("records", ["zip", "records"])
    ('records', 'records_')
    """
    while name in taken:
        name += "_"
    return name


def rows_of(
    columns: Mapping[str, tuple[Domain, IntArray]], added: Mapping[str, Iterable[Any]]
) -> Iterator[dict[str, Any]]:
    """Go through rows of codes as rows of cells.

    Parameters
    ----------
    columns
        By name the domain and the codes of the rows.
    added
        Further columns of cells, under a name that is free.
    """
    found: dict[str, Iterable[Any]] = {}
    for name, (domain, codes) in columns.items():
        cells = list(map(cell_of, domain.values))
        found[name] = map(cells.__getitem__, codes.tolist())
    for name, each in added.items():
        found[free_name(name, columns)] = each
    for row in zip(*found.values(), strict=True):
        yield dict(zip(found, row, strict=True))


class CountedRows(Displayed):
    """What a frequency set shows of itself."""

    quasi_identifiers: Any
    sensitive: Any
    domains: Any
    codes: Any
    counts: Any
    suppressed: Any
    dropped: Any
    conventions: Any
    digest: Any

    def _said(self) -> str:
        columns = f"{counted(len(self.quasi_identifiers), 'quasi-identifier')}, {len(self.sensitive)} sensitive"
        return f"{counted(len(self.counts), 'combination')} of {counted(int(self.counts.sum()), 'record')}, {columns}"

    def to_dict(self) -> dict[str, Any]:
        """Return what was counted as JSON-ready data, without the combinations."""
        names = (*self.quasi_identifiers, *self.sensitive)
        return {
            "quasi_identifiers": list(self.quasi_identifiers),
            "sensitive": list(self.sensitive),
            "values": {name: len(self.domains[name]) for name in names},
            "combinations": len(self.counts),
            "records": int(self.counts.sum()),
            "suppressed_records": int(self.counts[self.suppressed].sum()),
            "dropped": self.dropped,
            "digest": self.digest,
            "conventions": dict(self.conventions),
        }

    @property
    def _withheld(self) -> Collection[str]:
        return (*self.quasi_identifiers, *self.sensitive)

    def _frame_rows(self) -> Iterator[dict[str, Any]]:
        columns = {name: (self.domains[name], self.codes[name]) for name in self._withheld}
        return rows_of(columns, {"suppressed": self.suppressed.tolist(), "records": self.counts.tolist()})
