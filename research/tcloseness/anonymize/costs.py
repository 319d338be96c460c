"""What a partition costs, class by class: exact numbers that sum over the classes.

A cost is a `Fraction` for each class and one for each suppressed record; their sum orders partitions as the loss of
the same name does. The losses themselves, with their citations, are those of `tcloseness.loss`.
"""

from __future__ import annotations

import difflib
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Literal, Protocol, runtime_checkable

import numpy as np

from tcloseness.conventions import Conventions
from tcloseness.errors import InputError
from tcloseness.exact import IntArray
from tcloseness.loss import AverageClassSize, Discernibility, LossResult
from tcloseness.loss.protocol import SUPPRESSED
from tcloseness.microdata import ClassCounts, Microdata
from tcloseness.release.attributes import Attribute, kinds_text
from tcloseness.release.partition import Partition

__all__ = ["COSTS", "AverageSize", "Cells", "Discerned", "PartitionCost", "cost_named"]


@runtime_checkable
class PartitionCost(Protocol):
    """A loss that is a sum over classes. Any object with these members is one."""

    @property
    def name(self) -> str:
        """The loss's name."""

    @property
    def suppressed_cost(self) -> Fraction:
        """What each suppressed record costs."""

    def class_cost(self, codes: Sequence[IntArray], size: int) -> Fraction:
        """Return the cost of one class: per attribute its members' codes, and its number of records."""

    def total(self, partition: Partition) -> Fraction:
        """Return the sum over the classes and the suppressed records of a partition."""

    def of(self, partition: Partition) -> LossResult:
        """Return the loss of a partition."""


Penalty = Literal["ncp", "gcp", "lm", "height"]

_CELLS: Mapping[Penalty, tuple[str, str, str]] = {
    "ncp": ("NCP", "Σ_records Σ_A NCP_A", "Xu et al. 2006"),
    "gcp": ("GCP", "Σ_records Σ_A NCP_A / (records · attributes)", "Ghinita et al. 2007; Xu et al. 2006"),
    "lm": ("LM", "mean over A of the mean over records of (leaves − 1)/(all − 1) or (max − min)/range", "Iyengar 2002"),
    "height": ("mean height", "Σ_A of the mean over records of the label's height", "Samarati 2001, record by record"),
}


@dataclass(frozen=True)
class Cells:
    """A loss of generalized cells: NCP, GCP, LM, or the mean height of the labels.

    Parameters
    ----------
    penalty
        ``"ncp"``, ``"gcp"``, ``"lm"`` or ``"height"``.
    attributes
        How the quasi-identifiers are generalized, at least one.

    Notes
    -----
    A suppressed record costs 1 per attribute, or for ``"height"`` each attribute's greatest height: as if it were fully
    generalized. On a full-domain generalization without suppression (`AtLevel` attributes) the mean height is the
    height of its node, and NCP, GCP and LM are those of `tcloseness.loss`.

    Raises
    ------
    InputError
        For another penalty, or no attribute.
    """

    penalty: Penalty
    attributes: tuple[Attribute, ...]

    def __post_init__(self) -> None:
        if self.penalty not in _CELLS:
            raise InputError(f"the penalty {self.penalty!r} is unknown; it is one of {', '.join(_CELLS)}")
        if not self.attributes:
            raise InputError(f"{self.name} is a mean over quasi-identifiers, and this table has none")

    @property
    def name(self) -> str:
        """NCP, GCP, LM or mean height."""
        return _CELLS[self.penalty][0]

    @property
    def suppressed_cost(self) -> Fraction:
        """What each suppressed record costs."""
        return Fraction(sum(self._tops))

    def class_cost(self, codes: Sequence[IntArray], size: int) -> Fraction:
        """Return size · Σ_A penalty_A of one class."""
        one = {"ncp": "ncp", "gcp": "ncp", "lm": "lm", "height": "height"}[self.penalty]
        pairs = zip(self.attributes, codes, strict=True)
        return size * sum((Fraction(getattr(a, one)(members)) for a, members in pairs), Fraction(0))

    def total(self, partition: Partition) -> Fraction:
        """Return Σ_records Σ_A penalty_A."""
        return sum(self._terms(partition).values(), Fraction(0))

    def of(self, partition: Partition) -> LossResult:
        """Return the loss; its terms are the attributes' parts."""
        name, formula, citation = _CELLS[self.penalty]
        n = len(partition.table)
        share = {
            "ncp": Fraction(1),
            "gcp": Fraction(1, n * len(self.attributes)),
            "lm": Fraction(1, n * len(self.attributes)),
            "height": Fraction(1, n),
        }[self.penalty]
        part = share * (len(self.attributes) if self.penalty in ("gcp", "lm") else 1)
        terms = self._terms(partition)
        return LossResult(
            loss=name,
            formula=formula,
            citation=citation,
            value=share * sum(terms.values(), Fraction(0)),
            bounds=(Fraction(0), share * n * sum(self._tops)),
            terms={attribute: part * term for attribute, term in terms.items()},
            suppressed=partition.suppressed,
            conventions=Conventions(
                {
                    "suppressed records in the loss": SUPPRESSED["whole"],
                    "quasi-identifiers": kinds_text(self.attributes),
                }
            ),
        )

    @property
    def _tops(self) -> list[int]:
        return [a.top if self.penalty == "height" else 1 for a in self.attributes]

    def _terms(self, partition: Partition) -> dict[str, Fraction]:
        """Return each attribute's penalty, summed over all records."""
        found = {}
        for attribute, top in zip(self.attributes, self._tops, strict=True):
            numerators, denominator = self._penalties(attribute, partition.codes(attribute.name), partition.starts)
            summed = sum(int(a) * int(b) for a, b in zip(partition.sizes, numerators, strict=True))
            found[attribute.name] = Fraction(summed, denominator) + partition.suppressed * top
        return found

    def _penalties(self, attribute: Attribute, codes: IntArray, starts: IntArray) -> tuple[IntArray, int]:
        if not len(starts):
            return np.zeros(0, dtype=np.int64), 1
        if self.penalty == "height":
            return attribute.heights(codes, starts), 1
        if self.penalty == "lm":
            return attribute.lms(codes, starts), attribute.lm_denominator
        return attribute.ncps(codes, starts), attribute.ncp_denominator


@dataclass(frozen=True)
class Discerned:
    """Discernibility, DM = Σ_g n_g² + n·suppressed.

    Parameters
    ----------
    records
        The number n of all records.
    """

    records: int
    name = "discernibility"

    @property
    def suppressed_cost(self) -> Fraction:
        """Each suppressed record costs n."""
        return Fraction(self.records)

    def class_cost(self, codes: Sequence[IntArray], size: int) -> Fraction:
        """Return size²."""
        return Fraction(size * size)

    def total(self, partition: Partition) -> Fraction:
        """Return DM."""
        return Fraction(sum(int(s) ** 2 for s in partition.sizes) + self.records * partition.suppressed)

    def of(self, partition: Partition) -> LossResult:
        """Return `tcloseness.loss.Discernibility` of the classes."""
        return Discernibility().evaluate(_counts(partition))


@dataclass(frozen=True)
class AverageSize:
    """C_AVG = (released records / classes) / k, through the number of classes: each costs −1.

    Parameters
    ----------
    k
        The k that was aimed at, or None for the plain average class size.

    Notes
    -----
    Among partitions that suppress the same number of records, the one of least total has the least C_AVG. C_AVG counts
    released records only, so suppression lowers it; the total does not see that.
    """

    k: int | None = None

    @property
    def name(self) -> str:
        """C_AVG, or average class size."""
        return AverageClassSize(k=self.k).name

    @property
    def suppressed_cost(self) -> Fraction:
        """Nothing."""
        return Fraction(0)

    def class_cost(self, codes: Sequence[IntArray], size: int) -> Fraction:
        """Return −1."""
        return Fraction(-1)

    def total(self, partition: Partition) -> Fraction:
        """Return minus the number of classes."""
        return Fraction(-len(partition))

    def of(self, partition: Partition) -> LossResult:
        """Return `tcloseness.loss.AverageClassSize` of the classes."""
        return AverageClassSize(k=self.k).evaluate(_counts(partition))


def _counts(partition: Partition) -> ClassCounts:
    return partition.class_counts(partition.table.sensitive[0].name)  # sizes are alike for each sensitive attribute


Maker = Callable[[Microdata, tuple[Attribute, ...], int | None], PartitionCost]

COSTS: Mapping[str, Maker] = MappingProxyType(
    {
        "ncp": lambda _, attributes, __: Cells("ncp", attributes),
        "gcp": lambda _, attributes, __: Cells("gcp", attributes),
        "lm": lambda _, attributes, __: Cells("lm", attributes),
        "height": lambda _, attributes, __: Cells("height", attributes),
        "dm": lambda table, _, __: Discerned(len(table)),
        "c-avg": lambda _, __, k: AverageSize(k),
    }
)
"""By name, how a cost is made; the names are those of `tcloseness.loss.names`."""


def cost_named(
    name: str, table: Microdata, attributes: Collection[Attribute], *, k: int | None = None
) -> PartitionCost:
    """Return the cost of a short name, one of `COSTS`.

    Parameters
    ----------
    name
        The name.
    table
        The table that is partitioned.
    attributes
        How its quasi-identifiers are generalized.
    k
        The k that was aimed at, for ``"c-avg"``; others ignore it.

    Raises
    ------
    InputError
        For an unknown name, or a loss of cells of a table without quasi-identifiers.
    """
    if name not in COSTS:
        close = difflib.get_close_matches(name, COSTS, 1)
        hint = f"did you mean {close[0]!r}?" if close else "other losses are not sums over classes"
        raise InputError(f"cost {name!r} is unknown; it is one of {', '.join(COSTS)} ({hint})")
    return COSTS[name](table, tuple(attributes), k)
