"""What classes cost in a program: whole numbers that order partitions as the exact loss does."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tcloseness.anonymize import PartitionCost
from tcloseness.anonymize.costs import AverageSize, Cells, Discerned
from tcloseness.errors import InputError
from tcloseness.exact import IntArray
from tcloseness.microdata import Microdata
from tcloseness.optimal.kinds import Kinds
from tcloseness.optimal.program import require_exact
from tcloseness.release import Attribute, Categorical, Hierarchical, Numeric, Partition

__all__ = [
    "CellPenalties",
    "exact_loss",
    "loss_of_totals",
    "penalties_of",
    "require_splittable",
    "scaled_classes",
    "scaled_suppression",
    "unit_of",
]


def require_splittable(cost: PartitionCost) -> None:
    """Raise `InputError` unless a loss never grows when a class is split, and a program can express it."""
    if not isinstance(cost, (Cells, Discerned, AverageSize)):
        raise InputError(f"the loss {cost.name} has no linear form here; take one of ncp, gcp, lm, height, dm, c-avg")


@dataclass(frozen=True)
class CellPenalties:
    """The penalty of each attribute of a class, in whole units 1/denominator.

    Attributes
    ----------
    attributes
        The attributes.
    penalty
        ``"ncp"``, ``"lm"`` or ``"height"``.
    denominator
        The unit.
    """

    attributes: tuple[Attribute, ...]
    penalty: str
    denominator: int

    def of(self, place: int, codes: IntArray, starts: IntArray) -> IntArray:
        """Return the penalty of one attribute for many classes: codes sorted by class, and where each starts."""
        attribute = self.attributes[place]
        if self.penalty == "height":
            return attribute.heights(codes, starts) * self.denominator
        found = attribute.lms(codes, starts) if self.penalty == "lm" else attribute.ncps(codes, starts)
        return found * (self.denominator // self.own_unit(attribute))

    def one(self, place: int, codes: Sequence[int]) -> int:
        """Return the penalty of one attribute for one class."""
        return int(self.of(place, np.array(codes, dtype=np.int64), np.zeros(1, dtype=np.int64))[0])

    def unit(self, place: int) -> int:
        """Return what one value more of a `Categorical` attribute costs."""
        return self.denominator // self.own_unit(self.attributes[place])

    def counts_values(self, place: int) -> bool:
        """Say whether the penalty of an attribute counts its different values; else it is that of some pair of them.

        Raises
        ------
        InputError
            For an attribute of an unknown kind.
        """
        attribute = self.attributes[place]
        if not isinstance(attribute, (Numeric, Hierarchical, Categorical)):
            raise InputError(
                f"the attribute {attribute.name!r} of kind {attribute.kind} has no linear form; "
                "take formulation='set-partitioning'"
            )
        return isinstance(attribute, Categorical) and self.penalty != "height"

    def own_unit(self, attribute: Attribute) -> int:
        """Return the denominator of one attribute's penalty."""
        if self.penalty == "height":
            return 1
        return attribute.lm_denominator if self.penalty == "lm" else attribute.ncp_denominator


def penalties_of(cost: Cells) -> CellPenalties:
    """Return the penalties behind a loss of cells, over one denominator.

    Raises
    ------
    LimitReached
        If doubles do not carry the penalties of a record.
    """
    penalty = "ncp" if cost.penalty == "gcp" else cost.penalty
    draft = CellPenalties(cost.attributes, penalty, 1)
    denominator = math.lcm(*(draft.own_unit(a) for a in cost.attributes))
    require_exact([denominator] * len(cost.attributes))
    return CellPenalties(cost.attributes, penalty, denominator)


def loss_of_totals(cost: PartitionCost, table: Microdata) -> Callable[[Fraction], Fraction]:
    """Return the loss of a partition of a table as a function of its total.

    C_AVG is records/classes/k with total −classes, DM is its total, and a loss of cells is proportional to it.
    """
    if isinstance(cost, AverageSize):
        return lambda total: Fraction(len(table)) / -total / (cost.k or 1)
    share = Fraction(1)
    if isinstance(cost, Cells):
        nothing = Partition(table, np.full(len(table), -1))
        known = cost.total(nothing)
        share = exact_loss(cost, nothing) / known if known else Fraction(0)
    return lambda total: share * total


def exact_loss(cost: PartitionCost, partition: Partition) -> Fraction:
    """Return the loss of a partition.

    Raises
    ------
    InputError
        If it is no rational number.
    """
    value = cost.of(partition).value
    if not isinstance(value, Fraction):
        raise InputError(f"the loss {cost.name} is not a rational number here, so no program minimizes it")
    return value


def scaled_classes(kinds: Kinds, cost: PartitionCost, groups: IntArray) -> IntArray:
    """Return the whole cost of many classes, shape (groups, kinds): how many records of each kind each has."""
    sizes = groups.sum(axis=1)
    if isinstance(cost, Discerned):
        return np.asarray(sizes**2)
    if not isinstance(cost, Cells):
        return np.full(len(groups), -1)
    penalties = penalties_of(cost)
    owner, members = np.nonzero(groups)
    starts = np.searchsorted(owner, np.arange(len(groups)))
    each = [penalties.of(a, kinds.codes[members, a], starts) for a in range(len(cost.attributes))]
    return np.asarray(sizes * np.sum(each, axis=0))


def unit_of(cost: PartitionCost) -> int:
    """Return the denominator of whole costs."""
    return penalties_of(cost).denominator if isinstance(cost, Cells) else 1


def scaled_suppression(cost: PartitionCost) -> int:
    """Return the whole cost of a suppressed record."""
    return int(cost.suppressed_cost * unit_of(cost))
