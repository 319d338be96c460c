"""What classes cost in a program: whole numbers that order partitions as the exact loss does."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tcloseness.anonymize import Attribute, Categorical, Hierarchical, Numeric, Partition, PartitionCost
from tcloseness.anonymize.costs import AverageSize, Cells, Discerned
from tcloseness.errors import InputError
from tcloseness.exact import IntArray
from tcloseness.optimal.kinds import Kinds

__all__ = [
    "CellPenalties",
    "exact_loss",
    "loss_of_total",
    "penalties_of",
    "require_splittable",
    "scaled_classes",
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
    """Return the penalties behind a loss of cells, over one denominator."""
    penalty = "ncp" if cost.penalty == "gcp" else cost.penalty
    draft = CellPenalties(cost.attributes, penalty, 1)
    return CellPenalties(cost.attributes, penalty, math.lcm(*(draft.own_unit(a) for a in cost.attributes)))


def loss_of_total(cost: PartitionCost, total: Fraction, records: int, *, at: tuple[Fraction, Fraction]) -> Fraction:
    """Return the loss of a partition whose total is given, from the (total, loss) of another; no record is suppressed.

    C_AVG is records/classes/k with total −classes; every other loss is proportional to its total.
    """
    if isinstance(cost, AverageSize):
        return Fraction(records) / -total / (cost.k or 1)
    known_total, known_loss = at
    return total * known_loss / known_total if known_total else Fraction(0)


def exact_loss(cost: PartitionCost, partition: Partition) -> Fraction:
    """Return the loss of a partition.

    Raises
    ------
    InputError
        If it is no rational number.
    """
    value = cost.of(partition).value
    if not isinstance(value, Fraction):
        raise InputError(f"the loss {cost.name} is no rational number here, so no program minimizes it")
    return value


def scaled_classes(kinds: Kinds, cost: PartitionCost, groups: Sequence[Sequence[int]], sizes: IntArray) -> list[int]:
    """Return the whole cost of many classes: per class its kinds, and its size."""
    if isinstance(cost, Discerned):
        return [int(s) ** 2 for s in sizes]
    if isinstance(cost, AverageSize):
        return [-1] * len(groups)
    assert isinstance(cost, Cells)
    penalties = penalties_of(cost)
    lengths = np.array([len(group) for group in groups])
    starts = np.cumsum(lengths) - lengths
    members = np.array([kind for group in groups for kind in group], dtype=np.int64)
    each = sum(penalties.of(a, kinds.codes[members, a], starts) for a in range(len(cost.attributes)))
    return [int(p) * int(s) for p, s in zip(np.asarray(each).tolist(), sizes, strict=True)]


def unit_of(cost: PartitionCost) -> int:
    """Return the denominator of whole costs."""
    return penalties_of(cost).denominator if isinstance(cost, Cells) else 1
