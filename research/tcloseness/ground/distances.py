"""Ground distances: how far apart two values of the sensitive attribute are.

| name | d(i, j) | source |
|---|---|---|
| ordered | abs(i − j)/(m − 1) | Li et al. 2007, §5.1 |
| ordered-by-value | abs(v_i − v_j)/(v_max − v_min) | ordered, with the values' own spacing |
| equal | 1 for i ≠ j | Li et al. 2007, §5.2 |
| hierarchical | height of the lowest common ancestor / H | Li et al. 2007, §5.2, see `tcloseness.ground.hierarchical` |
| laminar | weight of the sets that part i from j | any weighted sum of laminar cuts |

Li, Li, Venkatasubramanian, "t-Closeness: Privacy Beyond k-Anonymity and ℓ-Diversity", ICDE 2007.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Self

import numpy as np

from tcloseness.errors import DomainError, InputError
from tcloseness.exact import IntArray, as_fraction, number_text, scaled_integers, short_text, shown_value
from tcloseness.ground.base import PackageGround, Read, WithCuts
from tcloseness.ground.cuts import Cuts
from tcloseness.ground.protocol import common_divisor, domain_size, whole_array
from tcloseness.microdata.domain import Domain
from tcloseness.strict_records import (
    Work,
    canonical_fraction,
    canonical_fractions,
    common_bits,
    listed,
    sums,
    whole,
)

__all__ = ["Equal", "Laminar", "Ordered", "OrderedByValue"]


@dataclass(frozen=True)
class _BySize(PackageGround):
    """A distance that a number of values makes, whatever they are."""

    m: int

    greatest: ClassVar[Any] = Fraction(1)
    by_size: ClassVar[bool] = True
    keys: ClassVar[tuple[str, ...]] = ("m",)

    def __post_init__(self) -> None:
        object.__setattr__(self, "m", domain_size(self.m))

    @classmethod
    def of(cls, spec: Any, domain: Domain) -> Self:
        """Return it over as many values."""
        return cls(len(domain))

    @classmethod
    def from_dict(cls, record: dict[str, Any], work: Work, read: Read) -> Self:
        """Rebuild it from its number of values."""
        return cls(whole(record["m"], "m", least=1))

    def to_dict(self) -> dict[str, Any]:
        """Return the name and m."""
        return {"name": self.name, "m": self.m}


class _OnLine(WithCuts):
    """The values are points of a line: d(i, j) = |place i − place j| / range. Its cuts are the prefixes."""

    greatest: ClassVar[Any] = Fraction(1)

    _scaled: tuple[IntArray, int]
    """The places as ascending whole numbers, and their range, or 1 for a single value."""

    @property
    def denominator(self) -> int:
        """The range of the places."""
        return self._scaled[1]

    def distance(self, i: int, j: int) -> Fraction:
        """Return |place i − place j| / range."""
        places, denominator = self._scaled
        return Fraction(abs(int(places[i]) - int(places[j])), denominator)

    def row(self, i: int) -> IntArray:
        """Return |place i − place j| for all j."""
        places = self._scaled[0]
        return np.asarray(np.abs(places - places[i]))

    @cached_property
    def cuts(self) -> Cuts:
        """The m − 1 prefixes, weighted by the gap after them over the range."""
        places, denominator = self._scaled
        m = len(places)
        low, high = np.zeros(m - 1, dtype=np.int64), np.arange(1, m)
        return Cuts.from_integers(np.arange(m), low, high, np.diff(places), denominator)


class Ordered(_BySize, _OnLine):
    """Ordered distance d(i, j) = |i − j| / (m − 1) (Li et al. 2007, §5.1); 0 everywhere for m = 1.

    The codes are the ranks: the domain must be in order. Its cuts are the prefixes, each of weight 1/(m − 1).

    Examples
    --------
    >>> Ordered(9).distance(0, 2)
    Fraction(1, 4)
    """

    name = "ordered"
    forms: ClassVar = {"ordered": ""}
    value_order = "as given, lowest first"

    @classmethod
    def of(cls, spec: Any, domain: Domain) -> Self:
        """Return it over a domain that is in order."""
        domain.require_order("the ordered distance")
        return cls(len(domain))

    @property
    def denominator(self) -> int:
        """Return m − 1, or 1 for a single value."""
        return max(self.m - 1, 1)

    @cached_property
    def _scaled(self) -> tuple[IntArray, int]:  # type: ignore[override]
        return np.arange(self.m), self.denominator

    def distance(self, i: int, j: int) -> Fraction:
        """Return |i − j| / (m − 1)."""
        return Fraction(abs(i - j), self.denominator)

    def unchanged_by(self, order: IntArray) -> bool:
        """Say whether the order is kept."""
        return bool((np.diff(order) == 1).all())

    @property
    def definition(self) -> str:
        """The formula."""
        return f"d(i, j) = |i − j|/{self.denominator}"


@dataclass(frozen=True)
class OrderedByValue(_OnLine):
    """Ordered distance with the values' own spacing: d(i, j) = |v_i − v_j| / (v_max − v_min).

    Parameters
    ----------
    positions
        The values, ascending, each once. Its cuts are the prefixes, weighted by the gap after them over the range.

    Examples
    --------
    >>> OrderedByValue((14, 27, 88, 101)).distance(0, 1)
    Fraction(13, 87)
    """

    positions: tuple[Fraction, ...]
    name = "ordered-by-value"
    forms: ClassVar = {"ordered-by-value": ""}
    needs_values = True
    value_order = "by value, lowest first"
    keys = ("values",)
    _consists_of = ("positions",)

    @classmethod
    def of(cls, spec: Any, domain: Domain) -> Self:
        """Return it over a domain of numbers or dates in order."""
        domain.require_order("the distance by value")
        return cls.of_whole(*domain.scaled_positions("the distance by value"))

    def __post_init__(self) -> None:
        if isinstance(self.positions, str) or not isinstance(self.positions, Iterable):
            raise DomainError(
                f"the values {shown_value(self.positions)} of the distance by value must be a list of numbers"
            )
        object.__setattr__(self, "positions", tuple(as_fraction(v, "value") for v in self.positions))
        self._check()

    @classmethod
    def of_whole(cls, numbers: Sequence[int] | IntArray, denominator: int) -> Self:
        """Build from the numerators of the values over one denominator > 0; fractions are made when asked for.

        >>> OrderedByValue.of_whole([3, 4], 2) == OrderedByValue(("3/2", 2))
        True
        """
        ground = object.__new__(cls)
        object.__setattr__(ground, "_whole", (whole_array(numbers), denominator))
        ground._check()
        return ground

    def __getattr__(self, name: str) -> Any:
        if name != "positions" or "_whole" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        numbers, denominator = self._whole
        object.__setattr__(self, name, tuple([Fraction(number, denominator) for number in numbers.tolist()]))
        return self.positions

    def _check(self) -> None:
        numbers, denominator = self._whole
        domain_size(len(numbers))
        for place in np.flatnonzero(np.diff(numbers) <= 0)[:1].tolist():
            low, high = (short_text(Fraction(number, denominator)) for number in numbers[place : place + 2].tolist())
            raise DomainError(
                f"values {low}, {high} do not ascend; the distance by value needs each value once, lowest first"
            )

    @property
    def m(self) -> int:
        """The number of values."""
        return len(self._whole[0])

    @cached_property
    def _whole(self) -> tuple[IntArray, int]:
        """The values over one denominator: whole numbers compare and subtract many times faster than fractions."""
        numbers, denominator = scaled_integers(self.positions)
        return whole_array(numbers), denominator

    @cached_property
    def _scaled(self) -> tuple[IntArray, int]:  # type: ignore[override]
        above = self._whole[0] - self._whole[0][0]
        unit = common_divisor(above) or 1  # the greatest whole number of which the range and all gaps are multiples
        places = whole_array(above // unit if unit > 1 else above)
        return places, int(places[-1]) or 1

    def to_dict(self) -> dict[str, Any]:
        """Return the name and the values."""
        return {"name": self.name, "values": [number_text(v) for v in self.positions]}

    @classmethod
    def from_dict(cls, record: dict[str, Any], work: Work, read: Read) -> Self:
        """Rebuild it from its values."""
        values = canonical_fractions(record["values"], "values", least=1)
        work.spend(sums(values, 2 * common_bits(values, "values")), "the distance by value")
        return cls(tuple(values))

    @property
    def definition(self) -> str:
        """The values."""
        return f"over the range of the values {', '.join(map(number_text, self.positions))}"


class Equal(_BySize, WithCuts):
    """Equal distance d(i, j) = 1 for i ≠ j (Li et al. 2007, §5.2); the EMD is the variational distance.

    Its cuts are the singletons, each of weight 1/2.
    """

    name = "equal"
    forms: ClassVar = {"equal": ""}
    definition = "d(i, j) = 1 for i ≠ j"
    denominator = 1

    def distance(self, i: int, j: int) -> Fraction:
        """Return 1, or 0 for i = j."""
        return Fraction(int(i != j))

    def row(self, i: int) -> IntArray:
        """Return 1 for all j ≠ i."""
        return np.asarray(np.arange(self.m) != i, dtype=np.int64)

    @cached_property
    def cuts(self) -> Cuts:
        """The m singletons (none for m = 1, where a singleton is everything)."""
        places = np.arange(self.m if self.m > 1 else 0)
        return Cuts.from_integers(np.arange(self.m), places, places + 1, np.ones(len(places), dtype=np.int64), 2)

    def unchanged_by(self, order: IntArray) -> bool:
        """Any order will do."""
        return True


@dataclass(frozen=True, eq=False)
class Laminar(WithCuts):
    """The ground distance d(i, j) = Σ_k w_k·[exactly one of i, j lies in S_k] of a laminar family.

    It is its cuts, so that nothing can contradict them, however many values there are: a tree with lengths on its
    edges, a line with gaps, or singletons with weights.

    Parameters
    ----------
    cuts
        The family, see `Cuts`.

    Examples
    --------
    >>> Laminar(Cuts.of(range(3), [(0, 1), (0, 2)], ["1/4", "1/2"])).distance(0, 2)
    Fraction(3, 4)
    """

    cuts: Cuts
    name = "laminar"
    keys = ("order", "low", "high", "weights", "denominator")

    def __post_init__(self) -> None:
        if not isinstance(self.cuts, Cuts):
            raise DomainError(f"a laminar distance is made of its Cuts, not of {shown_value(self.cuts, 80)}")

    @property
    def m(self) -> int:
        """The number of values."""
        return len(self.cuts.order)

    def to_dict(self) -> dict[str, Any]:
        """Return the name and the family."""
        return {"name": self.name, **self.cuts.to_dict()}

    @classmethod
    def from_dict(cls, record: dict[str, Any], work: Work, read: Read) -> Laminar:
        """Rebuild it from its family."""
        order, low, high = (
            np.array([whole(x, f"{name}[{i}]") for i, x in enumerate(listed(record[name], name))], dtype=object)
            for name in cls.keys[:3]
        )
        weights = canonical_fractions(record["weights"], "weights", length=len(low))
        denominator = canonical_fraction(record["denominator"], "denominator")
        if any(x.denominator != 1 for x in (*weights, denominator)):
            raise InputError("weights and denominator must be whole numbers")
        work.spend(sums(weights, common_bits([*weights, denominator], "weights")), "the family of cuts")
        return cls(Cuts.from_integers(order, low, high, [x.numerator for x in weights], denominator.numerator))

    @property
    def definition(self) -> str:
        """The sets with their weights."""
        cuts = self.cuts
        order = cuts.order.tolist()
        ends = zip(cuts.low.tolist(), cuts.high.tolist(), map(number_text, cuts.weights.tolist()), strict=True)
        below = number_text(cuts.denominator)
        sets = [f"{{{', '.join(map(str, order[low:high]))}}} {weight}/{below}" for low, high, weight in ends]
        return f"sets of values with their weights {'; '.join(sets)}"

    @property
    def entry_work(self) -> float:
        """As many as there are sets."""
        return 10_000.0 + (50.0 if self.cuts.weights.dtype == object else 10.0) * len(self.cuts)
