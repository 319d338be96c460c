"""`Partition`: which records of a table make an equivalence class together, and which are suppressed."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tcloseness.displayed import Displayed, counted
from tcloseness.errors import TableError
from tcloseness.exact import IntArray
from tcloseness.microdata import ClassCounts, Microdata
from tcloseness.release.attributes import Attribute
from tcloseness.release.counting import Counting, require_plain

__all__ = ["Partition"]


@dataclass(frozen=True, eq=False)
class Partition(Displayed):
    """A partition of a table's records into classes 0, 1, …, and suppressed records.

    Parameters
    ----------
    table
        A table without weights and without suppressed records.
    class_of
        Shape (records,): the class of each record, −1 for a suppressed one. Every number up to the greatest occurs.

    Raises
    ------
    TableError
        For weights, records that are marked as suppressed, an array of another shape, numbers below −1, or a number
        that no record has.

    Notes
    -----
    It says nothing of labels: two classes of a partition are two classes here, even where their labels are equal and
    the published table makes one of them. `tcloseness.release.Anonymized` judges the table as published.

    Examples
    --------
    >>> import pandas as pd
    >>> frame = pd.DataFrame({"age": [21, 22, 25, 41], "disease": ["flu", "flu", "cold", "flu"]})
    >>> table = Microdata.from_frame(frame, quasi_identifiers="age", sensitive="disease")
    >>> partition = Partition.of(table, [[2, 0], [1]])
    >>> partition.class_of.tolist(), partition.suppressed
    ([0, 1, 0, -1], 1)
    """

    table: Microdata
    class_of: IntArray

    def to_dict(self) -> dict[str, Any]:
        """Return the sizes as JSON-ready data."""
        return {"records": len(self.class_of), "classes": len(self), "suppressed": self.suppressed}

    def _frame_rows(self) -> list[dict[str, Any]]:
        return [{"record": record, "class": number} for record, number in enumerate(self.class_of.tolist())]

    def _said(self) -> str:
        return f"{counted(len(self.class_of), 'record')}, {self.suppressed} suppressed"

    def __post_init__(self) -> None:
        require_plain(self.table)
        given = np.asarray(self.class_of)
        if given.shape != (len(self.table),) or given.dtype.kind not in "iu":
            raise TableError(
                f"class numbers have shape {given.shape} and type {given.dtype}; give a whole number for each of the "
                f"{len(self.table)} records"
            )
        numbers = given.astype(np.int64)  # a copy: the caller may use the array again
        if (numbers < -1).any():
            raise TableError(f"a record has class {int(numbers.min())}; classes are 0, 1, …, and −1 is suppressed")
        sizes = np.bincount(numbers[numbers >= 0])
        if not sizes.all():
            raise TableError(f"class {int(np.flatnonzero(sizes == 0)[0])} has no records; number classes without gaps")
        numbers.setflags(write=False)
        object.__setattr__(self, "class_of", numbers)

    @classmethod
    def of(cls, table: Microdata, groups: Iterable[Sequence[int] | IntArray]) -> Partition:
        """Build from the record numbers of each class; records in no group are suppressed.

        Raises
        ------
        TableError
            For a group without records, an unknown record, or one in two groups.
        """
        class_of = np.full(len(table), -1, dtype=np.int64)
        for number, group in enumerate(groups):
            rows = np.asarray(group)
            if not rows.size:
                raise TableError(f"group {number} has no records; every class needs one")
            if rows.ndim != 1 or rows.dtype.kind not in "iu":
                raise TableError(f"group {number} is {group!r}; give the numbers of its records")
            if rows.min() < 0 or rows.max() >= len(table):
                raise TableError(f"group {number} has a record that is not among the table's {len(table)}")
            if (class_of[rows] != -1).any() or len(np.unique(rows)) < len(rows):
                raise TableError(f"group {number} has a record that is in a group already; a record is in one class")
            class_of[rows] = number
        return cls(table, class_of)

    def __len__(self) -> int:
        """The number of classes."""
        return len(self.sizes)

    @cached_property
    def sizes(self) -> IntArray:
        """The number of records of each class, shape (classes,)."""
        return np.bincount(self.class_of[self.class_of >= 0])

    @property
    def suppressed(self) -> int:
        """The number of suppressed records."""
        return int((self.class_of < 0).sum())

    @cached_property
    def rows(self) -> IntArray:
        """The records of the classes, sorted by class and then by number; suppressed ones left out."""
        return np.argsort(self.class_of, kind="stable")[self.suppressed :]

    @cached_property
    def starts(self) -> IntArray:
        """Where each class starts in `rows`, shape (classes,)."""
        return np.cumsum(self.sizes) - self.sizes

    @property
    def groups(self) -> tuple[IntArray, ...]:
        """The record numbers of each class, ascending."""
        return tuple(np.split(self.rows, self.starts[1:])) if len(self) else ()

    def codes(self, name: str) -> IntArray:
        """Return the codes of a quasi-identifier in the order of `rows`.

        Raises
        ------
        TableError
            If it is not a quasi-identifier.
        """
        for column in self.table.quasi_identifiers:
            if column.name == name:
                return column.codes[self.rows]
        raise TableError(f"{name!r} is not a quasi-identifier of this table")

    def class_counts(self, sensitive: str | None = None) -> ClassCounts:
        """Return how many records of each class carry each value of a sensitive attribute; Q is that of all records.

        Raises
        ------
        TableError
            If every record is suppressed, or the attribute is unknown or not named where there are several.
        """
        return Counting(self.table, sensitive).of(self.class_of)

    def labels(self, attributes: Sequence[Attribute]) -> list[tuple[Hashable, ...]]:
        """Return each class's generalized values, one an attribute; equal labels are possible."""
        columns = [attribute.labels(self.codes(attribute.name), self.starts) for attribute in attributes]
        return list(zip(*columns, strict=True)) if columns else [()] * len(self)

    def merged(self, target: Sequence[int] | IntArray) -> Partition:
        """Return the partition with class g renamed to ``target[g]``: classes of one target become one."""
        if len(target) != len(self):
            raise TableError(f"{len(target)} new numbers are given for {len(self)} classes; give one for each")
        numbers = np.append(np.asarray(target, dtype=np.int64), -1)
        return Partition(self.table, numbers[self.class_of])
