"""`Counting`: the class counts of any grouping of a table's records, with the whole table as the reference."""

from __future__ import annotations

import numpy as np

from tcloseness.errors import InputError, TableError
from tcloseness.exact import IntArray, Number, as_fraction, number_text
from tcloseness.microdata import ClassCounts, Microdata
from tcloseness.microdata.domain import NO_SENSITIVE, NO_VALUES

__all__ = ["Counting", "classes_of", "require_plain", "suppression_rows", "totals"]


def require_plain(table: Microdata) -> None:
    """Raise `TableError` unless each row is one record, and none is marked as suppressed."""
    if table.weights is not None:
        raise TableError("the table has a weight column, and classes are made of single records; give one row a record")
    if table.persons is not None:
        raise TableError(
            f"the {len(table.persons)} rows are of {len(np.unique(table.persons))} persons, and classes are made of "
            "single records; give one row a person"
        )
    if table.suppressed.any():
        raise TableError(
            f"{int(table.suppressed.sum())} record(s) of the table are marked as suppressed, so their values are "
            "unknown; give the table before suppression"
        )


def classes_of(done: int, records: int) -> str:
    """Say for a limit that is reached how far a method has come."""
    return f"making classes: {done:,} of {records:,} records had one"


def totals(groups: IntArray, counts: IntArray, size: int) -> IntArray:
    """Return the sum of the counts of each group 0 … size − 1, shape (size,)."""
    summed = np.zeros(size, dtype=np.int64)
    np.add.at(summed, groups, counts)
    return summed


def suppression_rows(suppression: Number, records: int) -> int:
    """Return how many records may be suppressed: an int is that number, anything else a share, rounded down.

    Examples
    --------
    >>> suppression_rows("0.05", 30), suppression_rows(5, 30), suppression_rows("1", 30)
    (1, 5, 30)
    """
    number = as_fraction(suppression, "suppression")
    if isinstance(suppression, (int, np.integer)):
        if not 0 <= number <= records:
            raise InputError(f"suppression = {suppression} records; it must lie between 0 and the {records} there are")
        return int(number)
    if not 0 <= number <= 1:
        raise InputError(
            f"suppression = {number_text(number)}; a share lies between 0 and 1 (an int is a number of records)"
        )
    return int(number * records)


class Counting:
    """Counts the values of one sensitive attribute in classes of records.

    Parameters
    ----------
    table
        A table without weights and without suppressed records.
    sensitive
        The sensitive attribute; may be left out if there is one, or none.

    Notes
    -----
    Q is the distribution of all records of the table, whatever is suppressed later, so that a class is judged alike
    before and after. Values that never occur are left out of the domain unless it was declared.
    """

    def __init__(self, table: Microdata, sensitive: str | None = None) -> None:
        require_plain(table)
        names = tuple(column.name for column in table.sensitive) or (NO_SENSITIVE,)
        if sensitive is None and len(names) != 1:
            raise TableError(f"the table has {len(names)} sensitive attributes, {names!r}; name one")
        if sensitive is not None and sensitive not in names:
            raise TableError(f"{sensitive!r} is not a sensitive attribute of this table; it has {names!r}")
        name = names[0] if sensitive is None else sensitive
        domain, codes = NO_VALUES, np.zeros(len(table), dtype=np.int64)
        if table.sensitive:
            column = table.sensitive[names.index(name)]
            domain, codes = column.domain, column.codes
        totals = np.bincount(codes, minlength=len(domain))
        if not domain.declared:
            used = np.flatnonzero(totals)
            domain, codes, totals = domain.subset(used), np.searchsorted(used, codes), totals[used]
        self.sensitive, self.domain, self.codes, self.reference = name, domain, codes, totals
        self.conventions = table.conventions.but(
            {
                "reference distribution": "all records",
                "domain": "declared" if domain.declared else "values that occur",
            }
            if name
            else {}
        )

    def __len__(self) -> int:
        return len(self.codes)

    def of(self, class_of: IntArray, rows: IntArray | None = None) -> ClassCounts:
        """Return the counts of classes 0, 1, …

        Parameters
        ----------
        class_of
            The class of each record; −1 for a suppressed one. No number up to the greatest may be missing.
        rows
            Which records these are; all of the table by default.

        Raises
        ------
        TableError
            If no record is in a class.
        """
        codes = self.codes if rows is None else self.codes[rows]
        kept = class_of >= 0
        if not kept.any():
            raise TableError("every record is suppressed, so there is no class")
        m = len(self.domain)
        cells, counts = np.unique(class_of[kept] * m + codes[kept], return_counts=True)
        classes = int(cells[-1]) // m + 1
        return ClassCounts.from_cells(
            self.domain,
            np.searchsorted(cells // m, np.arange(classes + 1)),
            cells % m,
            counts,
            reference=self.reference,
            sensitive=self.sensitive,
            suppressed=int((~kept).sum()),
            conventions=self.conventions,
        )
