"""What classes of one table cost by a loss: whole numbers that order partitions as the exact loss does."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np

from tcloseness.errors import InputError, ProtocolError
from tcloseness.exact import INT64_MAX, IntArray, number_text
from tcloseness.loss import Loss
from tcloseness.loss.names import LOSSES, loss_named
from tcloseness.loss.per_class import CellCost, SizeCost, class_cost_of, require_loss
from tcloseness.microdata import Microdata
from tcloseness.models import PrivacyModel
from tcloseness.models.conditions import least_records
from tcloseness.optimal.kinds import KindCounts
from tcloseness.optimal.program import require_exact
from tcloseness.release import Attribute, Categorical, Hierarchical, Numeric, Partition, Release

__all__ = ["ClassCosts", "minimized_loss", "taken_at_its_word"]


def minimized_loss(loss: str | Loss, model: PrivacyModel) -> Loss:
    """Return what a program minimizes: a loss by its short name, C_AVG for the model's k, or the loss itself."""
    return loss_named(loss, k=least_records(model), classes=True) if isinstance(loss, str) else require_loss(loss)


def taken_at_its_word(loss: Loss) -> str:
    """Return what a proof rests on besides, see `tcloseness.models.catalogue.taken_at_their_word`."""
    if any(type(loss) is each.made_by for each in LOSSES.values()):
        return ""
    return f"; not certified: no checker for {loss.name}, whose class_cost is taken as given"


class ClassCosts:
    """A loss of the partitions of a table, class by class.

    Parameters
    ----------
    loss, table, attributes
        The loss, and the table with how its quasi-identifiers are generalized.

    Raises
    ------
    InputError
        If the loss has no `class_cost`, or is one of cells and there is no attribute.
    ProtocolError
        If the cost of a class that it gives may grow when the class is split.

    Attributes
    ----------
    form
        The loss's `class_cost`.
    sizes
        What a class of each size up to one more than there are records costs by a `SizeCost`, its `each` apart; empty
        for a `CellCost`.
    """

    def __init__(self, loss: Loss, table: Microdata, attributes: tuple[Attribute, ...]) -> None:
        self.loss, self.table, self.attributes = loss, table, attributes
        self.form, self.name, self.records = class_cost_of(loss), loss.name, len(table)
        if isinstance(self.form, CellCost) and not attributes:
            raise InputError(f"{self.name} is a mean over quasi-identifiers, and this table has none")
        found = [self.form.of_size(n) for n in range(self.records + 2)] if isinstance(self.form, SizeCost) else []
        if isinstance(self.form, SizeCost):
            _require_convex(found, self.form.each, self.name)
        fits = max(map(abs, found), default=0) <= INT64_MAX
        self.sizes: IntArray = np.array(found, dtype=np.int64 if fits else object)

    @cached_property
    def unit(self) -> int:
        """The denominator of whole costs.

        Raises
        ------
        LimitReached
            If doubles do not carry the penalties of a record.
        """
        if isinstance(self.form, SizeCost):
            return 1
        denominator = math.lcm(*map(self.form.unit, self.attributes))
        require_exact([denominator] * len(self.attributes))
        return denominator

    @property
    def suppressed(self) -> int:
        """The whole cost of a suppressed record."""
        if isinstance(self.form, SizeCost):
            return self.form.suppressed(self.records) if self.form.suppressed else 0
        return self.unit * self._suppressed_cells

    @property
    def _suppressed_cells(self) -> int:
        assert isinstance(self.form, CellCost)
        return sum(self.form.suppressed(self.form.whole(a)) for a in self.attributes)

    def least(self, classes: int) -> int:
        """Return a whole cost that no partition into at most so many classes is below."""
        if isinstance(self.form, CellCost):
            return 0
        return self.form.each * classes + min(0, self.records * int(self.sizes[1]))

    def greatest(self, suppressed: int) -> int:
        """Return a whole cost that no partition with at most so many suppressed records is above."""
        if isinstance(self.form, CellCost):
            return self.records * self.suppressed
        lost = range(min(suppressed, self.records - 1) + 1)
        return self.form.each + max(int(self.sizes[self.records - s]) + s * self.suppressed for s in lost)

    def loss_of(self, cost: int) -> Fraction:
        """Return the loss that a whole cost stands for."""
        return self.loss_of_total(Fraction(cost, self.unit))

    def loss_of_total(self, total: Fraction) -> Fraction:
        """Return the loss that a sum of costs stands for, in units of 1."""
        return self.form.loss_of(total, self.records, len(self.attributes))

    def of_sizes(self, sizes: IntArray) -> IntArray:
        """Return the cost of classes of some sizes, for a `SizeCost`."""
        assert isinstance(self.form, SizeCost)
        return np.asarray(self.form.each + self.sizes[sizes])

    def of_groups(self, kinds: KindCounts, groups: IntArray) -> IntArray:
        """Return the whole cost of many classes, shape (groups, kinds): how many records of each kind each has."""
        sizes = groups.sum(axis=1)
        if isinstance(self.form, SizeCost):
            return self.of_sizes(sizes)
        owner, members = np.nonzero(groups)
        starts = np.searchsorted(owner, np.arange(len(groups)))
        each = [self.penalties(a, kinds.codes[members, a], starts) for a in range(len(self.attributes))]
        return np.asarray(sizes * np.sum(each, axis=0))

    def total(self, partition: Partition) -> Fraction:
        """Return the sum of a partition's costs, in units of 1."""
        lost = partition.suppressed
        if isinstance(self.form, SizeCost):
            return Fraction(sum(self.of_sizes(partition.sizes).tolist()) + lost * self.suppressed)
        total = Fraction(lost * self._suppressed_cells)
        for a in self.attributes if len(partition) else ():
            penalties = self.form.of_labels(a, partition.codes(a.name), partition.starts)
            total += Fraction(sum(n * p for n, p in _pairs(partition.sizes, penalties)), self.form.unit(a))
        return total

    def of(self, partition: Partition) -> Fraction:
        """Return the loss of a partition, its classes as they are, also where two have equal labels."""
        return self.loss_of_total(self.total(partition))

    def published(self, partition: Partition) -> Fraction:
        """Return the loss of a partition no two of whose classes have equal labels.

        Raises
        ------
        InputError
            If it is not a rational number.
        ProtocolError
            If `evaluate` of the loss measures another one than its `class_cost` gives.
        """
        value, measured = self.of(partition), self.loss.evaluate(Release.of_partition(partition, self.attributes)).value
        if not isinstance(measured, Fraction):
            raise InputError(f"the loss {self.name} is not a rational number here, so no program minimizes it")
        if value != measured:
            raise ProtocolError(
                f"the loss {self.name} is {number_text(measured)} by its evaluate, and {number_text(value)} by its "
                "class_cost; they must agree"
            )
        return value

    # ------------------------------------------------------------------ penalties of cells

    def penalties(self, place: int, codes: IntArray, starts: IntArray) -> IntArray:
        """Return the whole penalty of one attribute for many classes: codes sorted by class, where each starts."""
        assert isinstance(self.form, CellCost)
        attribute = self.attributes[place]
        return np.asarray(self.form.of_labels(attribute, codes, starts) * (self.unit // self.form.unit(attribute)))

    def penalty(self, place: int, codes: Sequence[int]) -> int:
        """Return the whole penalty of one attribute for one class."""
        return int(self.penalties(place, np.array(codes, dtype=np.int64), np.zeros(1, dtype=np.int64))[0])

    def by_values(self, place: int) -> tuple[int, int] | None:
        """Return what each value more than one costs, and what any does besides, where values are counted.

        None where the penalty of a class is that of some pair of its values: of intervals and ancestors.

        Raises
        ------
        InputError
            For an attribute of an unknown kind, or a penalty that is not a straight line from two values on.
        """
        assert isinstance(self.form, CellCost)
        attribute = self.attributes[place]
        if not isinstance(attribute, (Numeric, Hierarchical, Categorical)):
            raise InputError(
                f"the attribute {attribute.name!r} of kind {attribute.kind} has no linear form; "
                "take formulation='set-partitioning'"
            )
        if not isinstance(attribute, Categorical) or self.form.of_heights:
            return None
        counts = np.arange(1, max(3, attribute.whole) + 1)
        found, unit = self.form.penalties(counts, attribute.whole, True)
        steps = np.diff(found).tolist()
        if len(set(steps[1:])) > 1:
            raise InputError(
                f"the loss {self.name} of {attribute.name!r} is not a straight line in how many values a set has; "
                "take formulation='set-partitioning'"
            )
        scale = self.unit // unit
        return scale * int(steps[1]), scale * int(steps[0] - steps[1])


def _pairs(sizes: IntArray, penalties: IntArray) -> zip[tuple[int, int]]:
    return zip(sizes.tolist(), map(int, penalties.tolist()), strict=True)


def _require_convex(sizes: Sequence[int], each: int, name: str) -> None:
    if not all(isinstance(x, int | np.integer) for x in (*sizes, each)) or sizes[0] or each > 0:
        raise ProtocolError(
            f"class_cost of the loss {name} must be whole numbers, of_size(0) = 0 and each ≤ 0; it has each = {each!r} "
            f"and of_size(0) = {sizes[0]!r}"
        )
    for n in range(1, len(sizes) - 1):
        if sizes[n + 1] - sizes[n] < sizes[n] - sizes[n - 1]:
            raise ProtocolError(
                f"class_cost of the loss {name} must be convex in the size of a class; of_size({n - 1}), "
                f"of_size({n}), of_size({n + 1}) are {sizes[n - 1]}, {sizes[n]}, {sizes[n + 1]}"
            )
