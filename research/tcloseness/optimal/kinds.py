"""`Kinds`: the records of a table with equal ones merged into counts, which is what a program cannot tell apart."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import cached_property

import numpy as np

from tcloseness.anonymize import Attribute, Partition
from tcloseness.anonymize.counting import Counting
from tcloseness.errors import SolverError
from tcloseness.exact import IntArray
from tcloseness.microdata import ClassCounts, Microdata
from tcloseness.optimal.requirements import Setting

__all__ = ["Group", "Kinds"]

Group = Mapping[int, int]
"""A class: kind → number of its records, > 0."""


class Kinds:
    """The different combinations of quasi-identifiers and sensitive value, ascending by code.

    Where a model asks nothing of the sensitive values they are left out: then nothing that is made of the kinds depends
    on them.

    Parameters
    ----------
    table
        A table without weights and without suppressed records.
    attributes
        How its quasi-identifiers are generalized.
    sensitive
        The sensitive attribute, if there are several.
    by_value
        Whether records of different sensitive values are of different kinds.
    order
        The records in the order in which those of one kind go into classes; by default that of the table.

    Attributes
    ----------
    codes
        Shape (kinds, attributes): quasi-identifier codes.
    values
        Shape (kinds,): sensitive codes, in `counting`'s domain; all 0 where they are left out.
    counts
        Shape (kinds,): how many records each kind has, > 0.
    """

    def __init__(
        self,
        table: Microdata,
        attributes: tuple[Attribute, ...],
        sensitive: str | None = None,
        *,
        by_value: bool = True,
        order: IntArray | None = None,
    ) -> None:
        self.table, self.attributes = table, attributes
        self._order = np.arange(len(table)) if order is None else order
        self.counting = Counting(table, sensitive)
        columns = [column.codes for column in table.quasi_identifiers]
        rows = np.column_stack([*columns, self.counting.codes if by_value else np.zeros_like(self.counting.codes)])
        kinds, kind_of, counts = np.unique(rows, axis=0, return_inverse=True, return_counts=True)
        self._kind_of: IntArray = kind_of.reshape(-1)
        self.codes: IntArray = kinds[:, :-1]
        self.values: list[int] = kinds[:, -1].tolist()
        self.counts: list[int] = counts.tolist()

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def records(self) -> int:
        """The number of records."""
        return sum(self.counts)

    @cached_property
    def setting(self) -> Setting:
        """The sensitive domain and Q, that of all records."""
        return Setting(self.counting.domain, self.counting.reference.tolist())

    def class_counts(self, groups: IntArray) -> ClassCounts:
        """Return the class counts of groups, shape (groups, kinds): how many records of each kind each has, not none.

        The groups need not be a partition; Q is that of all records.
        """
        cells = np.zeros((len(groups), len(self.setting.domain)), dtype=np.int64)
        for kind, value in enumerate(self.values):
            cells[:, value] += groups[:, kind]
        owner, values = np.nonzero(cells)
        return ClassCounts.from_cells(
            self.setting.domain,
            np.searchsorted(owner, np.arange(len(groups) + 1)),
            values,
            cells[owner, values],
            reference=self.counting.reference,
        )

    def partition(self, groups: Iterable[Group], *, suppressed: int = 0) -> Partition:
        """Return the partition with these classes; of the records of one kind the first in order go to the first.

        Raises
        ------
        SolverError
            If the groups use a record twice, or leave more than `suppressed` records over.
        """
        rows = self._order[np.argsort(self._kind_of[self._order], kind="stable")]
        begin = np.cumsum([0, *self.counts]).tolist()
        ends, at = begin[1:], begin[:-1]  # the records of each kind, and how far they are used
        classes, left = [], self.records
        for group in groups:
            members: list[int] = []
            for kind, count in group.items():
                if not 0 < count <= ends[kind] - at[kind]:
                    raise SolverError(f"a proposal uses records of kind {kind} more often than there are; refused")
                members += rows[at[kind] : at[kind] + count].tolist()
                at[kind] += count
                left -= count
            classes.append(sorted(members))
        if left > suppressed:
            raise SolverError(f"a proposal leaves {left} records in no class, more than {suppressed}; refused")
        return Partition.of(self.table, sorted(classes))
