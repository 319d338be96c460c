"""`KindCounts`: the frequency set that a program takes, over quasi-identifiers and sensitive value.

With it which models a partition of them can be built for, and what all of them as one class say at first.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial

import numpy as np

from tcloseness.certificates import Envelope, Reading
from tcloseness.certificates.cut import INFEASIBLE
from tcloseness.errors import InputError, SolverError
from tcloseness.exact import INT64_MAX, IntArray
from tcloseness.microdata import ClassCounts, FrequencySet, Hierarchy, Microdata
from tcloseness.models import PrivacyModel
from tcloseness.models.catalogue import taken_at_their_word
from tcloseness.models.certified import CertifiedTable
from tcloseness.models.conditions import conditions_of, parts_of, short_of_records
from tcloseness.models.protocol import value_texts
from tcloseness.optimal.answers import Infeasible
from tcloseness.optimal.linear_constraints import Setting
from tcloseness.release import Attribute, Hierarchical, Partition
from tcloseness.release.counting import Counting
from tcloseness.release.draws import Draws, numbered_by_first_record

__all__ = ["Group", "KindCounts", "combined", "one_class", "require_judging_classes"]


Group = Mapping[int, int]
"""A class: kind → number of its records, > 0."""


class KindCounts:
    """The frequency set over quasi-identifiers and sensitive value, sorted by quasi-identifiers, then as drawn.

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
    draws
        For the order of kinds with equal quasi-identifiers, and that in which records of one kind go into classes. By
        default the domain's and the table's, for what is not published.

    Attributes
    ----------
    codes
        Shape (kinds, attributes): quasi-identifier codes.
    values
        Shape (kinds,): sensitive codes, in `counting`'s domain; all 0 where they are left out.
    counts
        Shape (kinds,): how many records each kind has, > 0.
    kind_of
        Shape (records,): the kind of each record.
    setting
        The sensitive domain, Q, that of all records, and the order of the values.
    """

    def __init__(
        self,
        table: Microdata,
        attributes: tuple[Attribute, ...],
        sensitive: str | None = None,
        *,
        by_value: bool = True,
        draws: Draws | None = None,
    ) -> None:
        self.table, self.attributes = table, attributes
        self.counting = Counting(table, sensitive)
        domain, reference = self.counting.domain, self.counting.reference.tolist()
        self.setting = Setting(domain, reference) if draws is None else Setting.drawn(domain, reference, draws)
        self._order = np.arange(len(table)) if draws is None else draws.order(table)
        columns = [column.codes for column in table.quasi_identifiers]
        places = np.array(self.setting.place, dtype=np.int64)[self.counting.codes]
        rows = np.column_stack([*columns, places if by_value else np.zeros_like(places)])
        _, first, kind_of, counts = np.unique(
            combined(rows.T), return_index=True, return_inverse=True, return_counts=True
        )
        kinds = rows[first]
        self.kind_of: IntArray = kind_of.reshape(-1)
        self.codes: IntArray = kinds[:, :-1]
        self.values: list[int] = [self.setting.order[place] if by_value else 0 for place in kinds[:, -1].tolist()]
        self.counts: list[int] = counts.tolist()

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def records(self) -> int:
        """The number of records."""
        return sum(self.counts)

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

    def grouped(self, shown: Sequence[IntArray]) -> Partition:
        """Return the partition of all records by what each attribute shows, shape (domain,) a quasi-identifier.

        Classes go by their first records.
        """
        rows = np.empty((len(shown), len(self)), dtype=np.int64)
        for a, of_code in enumerate(shown):
            rows[a] = of_code[self.codes[:, a]]
        _, group = np.unique(combined(rows), return_inverse=True)
        return Partition(self.table, numbered_by_first_record(group[self.kind_of], np.arange(len(self.table))))

    def partition(self, groups: Iterable[Group], *, suppressed: int = 0) -> Partition:
        """Return the partition with these classes; of the records of one kind the first in order go to the first.

        Raises
        ------
        SolverError
            If the groups use a record twice, or leave more than `suppressed` records over.
        """
        rows = self._order[np.argsort(self.kind_of[self._order], kind="stable")]
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


def combined(columns: IntArray) -> IntArray:
    """Return one number for each column of whole numbers ≥ 0, shape (things,), in the order of the columns.

    Examples
    --------
    >>> combined(np.array([[0, 1, 1], [5, 0, 2]])).tolist()
    [5, 6, 8]
    """
    found = np.zeros(columns.shape[1], dtype=np.int64)
    span = 1
    for column in columns:
        width = int(column.max()) + 1
        if span * width > INT64_MAX:  # then by their ranks, both at most as many as there are things
            numbers, found = np.unique(found, return_inverse=True)
            others, column = np.unique(column, return_inverse=True)
            span, width = len(numbers), len(others)
        found, span = found * width + column, span * width
    return found


def require_judging_classes(model: PrivacyModel) -> None:
    """Raise `InputError` unless a model judges each class by itself, and stays satisfied when classes are merged.

    Classes with equal labels are one class to a reader; only such a model survives that.
    """
    for part in parts_of(model):
        if conditions_of(part) is None:
            raise InputError(f"{part.name} is not known to judge each class by itself, so no partition is built for it")
    if not model.monotone.generalization:
        raise InputError(
            f"{model.name} is not monotone under generalization as asked for: classes with equal labels, which are one "
            "class to a reader, may violate it together"
        )


def one_class(kinds: KindCounts, model: PrivacyModel) -> tuple[Partition, Infeasible | None]:
    """Return all records as one class, and, if that violates a model monotone under generalization, that none is left.

    Raises
    ------
    InputError
        For a model without a threshold.
    """
    whole = Partition(kinds.table, np.zeros(len(kinds.table), dtype=np.int64))
    verdict = model.evaluate(whole.class_counts(kinds.counting.sensitive))
    if verdict.status == "measured":
        raise InputError(f"{model.name} has no threshold, so there is nothing to reach; give one")
    if verdict.status == "satisfied":
        return whole, None
    levels = {a.name: a.hierarchy for a in kinds.attributes if isinstance(a, Hierarchical) and a.hierarchy.uniform}
    return whole, Infeasible(
        f"all {kinds.records} records as one class violate {model.name} (value {value_texts(verdict.value)['value']}"
        f"{short_of_records(model, kinds.records)}), "
        "which is monotone under generalization, so no classes of all records satisfy it (exact argument"
        f"{taken_at_their_word(model)})",
        prover=partial(_refutation, kinds, model, levels),
    )


def _refutation(
    kinds: KindCounts,
    model: PrivacyModel,
    levels: Mapping[str, Hierarchy],
    reading: Reading | None,
    file_sha256: str,
) -> Envelope:
    table = CertifiedTable.of(FrequencySet.of(kinds.table), kinds.counting.sensitive, levels)
    return table.sealed(INFEASIBLE, model, {}, reading=reading, file_sha256=file_sha256)
