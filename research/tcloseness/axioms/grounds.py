"""The ground distances that a card looks at: one for each number of values, and what is made of them.

A law about relabelling, adding a value or moving values apart carries the ground distance along; `Carried` is a ground
distance made from another, with its cuts where that had some, so that measures that need cuts can follow.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from tcloseness.errors import DomainError
from tcloseness.exact import IntArray, number_text
from tcloseness.ground import Cuts, Equal, GroundDistance, LabelledMatrix, Ordered, ground_distance
from tcloseness.ground.protocol import whole_distances
from tcloseness.microdata import Domain

__all__ = ["Carried", "Family", "apart", "carried", "extended", "ground_code", "isometries", "permuted", "scaled"]

WeightedSets = tuple[tuple[frozenset[int], Fraction], ...]


@dataclass(frozen=True, eq=False)
class Carried:
    """A ground distance by its entries, with laminar sets where it is a sum of cuts.

    Attributes
    ----------
    entries
        Shape (m, m).
    sets
        Sets of codes with their weights, any two nested or disjoint; None where the distance has no cuts.
    """

    entries: tuple[tuple[Fraction, ...], ...]
    sets: WeightedSets | None
    name: str = "carried"
    metric: bool = True

    @property
    def m(self) -> int:
        """The number of values."""
        return len(self.entries)

    def distance(self, i: int, j: int) -> Fraction:
        """Return the entry [i][j]."""
        return self.entries[i][j]

    @cached_property
    def _scaled(self) -> tuple[IntArray, int]:
        flat, denominator = whole_distances([d for row in self.entries for d in row])
        return flat.reshape(self.m, self.m), denominator

    @property
    def denominator(self) -> int:
        """The common denominator of the entries."""
        return self._scaled[1]

    def row(self, i: int) -> IntArray:
        """Return the i-th row times the denominator."""
        return np.asarray(self._scaled[0][i])

    @cached_property
    def cuts(self) -> Cuts | None:
        """The sets laid out as intervals of a permuted domain."""
        if self.sets is None:
            return None
        # by the sets that hold it, the largest first: so the members of each set stand side by side
        falling = sorted((s for s, _ in self.sets), key=lambda s: (-len(s), min(s)))
        ranks = {s: rank for rank, s in enumerate(dict.fromkeys(falling))}
        order = sorted(range(self.m), key=lambda code: [*(ranks[s] for s in ranks if code in s), self.m**2 + code])
        place = {code: at for at, code in enumerate(order)}
        intervals = [(min(place[c] for c in s), max(place[c] for c in s) + 1) for s, _ in self.sets]
        return Cuts.of(order, intervals, [w for _, w in self.sets])

    def to_dict(self) -> dict[str, Any]:
        """Return the entries, as those of a matrix."""
        rows = [[number_text(d) for d in row] for row in self.entries]
        return {"name": "matrix", "entries": rows, "allow_non_metric": not self.metric}


def _entries(ground: GroundDistance) -> tuple[tuple[Fraction, ...], ...]:
    return tuple(tuple(ground.distance(i, j) for j in range(ground.m)) for i in range(ground.m))


def _sets(ground: GroundDistance) -> WeightedSets | None:
    if isinstance(ground, Carried):
        return ground.sets
    if ground.cuts is None:
        return None
    cuts = ground.cuts
    order = cuts.order.tolist()
    columns = zip(cuts.low.tolist(), cuts.high.tolist(), cuts.weights.tolist(), strict=True)
    return tuple((frozenset(order[low:high]), Fraction(weight, cuts.denominator)) for low, high, weight in columns)


def carried(ground: GroundDistance, codes: Sequence[int]) -> Carried:
    """Return the ground distance over the values with these codes, in this order: value k of it was value codes[k]."""
    now = {code: k for k, code in enumerate(codes)}
    entries = tuple(tuple(ground.distance(i, j) for j in codes) for i in codes)
    sets = _sets(ground)
    if sets is not None:
        kept = ((frozenset(now[c] for c in s if c in now), w) for s, w in sets)
        sets = tuple((s, w) for s, w in kept if 0 < len(s) < len(codes))
    return Carried(entries, sets, ground.name, ground.metric)


def permuted(ground: GroundDistance, order: Sequence[int]) -> GroundDistance:
    """Return the ground distance after relabelling, the ground distance itself where that changes nothing."""
    return ground if order in isometries(ground, [order]) else carried(ground, order)


def isometries(ground: GroundDistance, orders: Sequence[Sequence[int]]) -> list[Sequence[int]]:
    """Return those relabellings that keep all distances."""
    m = ground.m
    d = [[ground.distance(i, j) for j in range(m)] for i in range(m)]
    return [o for o in orders if all(d[o[i]][o[j]] == d[i][j] for i in range(m) for j in range(m))]


def extended(ground: GroundDistance, beside: int, by: Fraction) -> Carried:
    """Return the ground distance with one more value, the last, at a distance `by` from one value and past it."""
    m = ground.m
    row = tuple(ground.distance(beside, j) + by for j in range(m))
    entries = (*((*old, row[i]) for i, old in enumerate(_entries(ground))), (*row, Fraction(0)))
    sets = _sets(ground)
    if sets is not None:
        sets = (*((s | {m} if beside in s else s, w) for s, w in sets), (frozenset({m}), by))
    return Carried(entries, sets, f"{ground.name} with one more value", ground.metric)


def scaled(ground: GroundDistance, factor: Fraction) -> Carried:
    """Return the ground distance with all distances times a factor."""
    entries = tuple(tuple(d * factor for d in row) for row in _entries(ground))
    sets = _sets(ground)
    times = f"{ground.name}, times {number_text(factor)}"
    return Carried(entries, None if sets is None else tuple((s, w * factor) for s, w in sets), times, ground.metric)


def apart(ground: GroundDistance) -> list[Carried]:
    """Return ground distances that are nowhere smaller: all distances doubled, and each cut's weight doubled."""
    found = [scaled(ground, Fraction(2))]
    sets = _sets(ground) or ()
    for k in range(len(sets)):
        wider = tuple((s, 2 * w if n == k else w) for n, (s, w) in enumerate(sets))
        inside, weight = sets[k]
        entries = tuple(
            tuple(d + weight * ((i in inside) != (j in inside)) for j, d in enumerate(row))
            for i, row in enumerate(_entries(ground))
        )
        found.append(Carried(entries, wider, f"{ground.name}, one cut twice as wide", ground.metric))
    return found


def ground_code(ground: GroundDistance) -> str:
    """Return an expression that makes the ground distance, for a test to paste."""
    if isinstance(ground, (Ordered, Equal)):
        return f"tc.{type(ground).__name__}({ground.m})"
    rows = ", ".join("[" + ", ".join(repr(number_text(d)) for d in row) + "]" for row in _entries(ground))
    return f"tc.Matrix([{rows}])"


@dataclass(frozen=True)
class Family:
    """The ground distance for each number of values.

    Attributes
    ----------
    name
        As it is printed.
    fixed
        The ground distance over the caller's domain; fewer values are its first ones. None for a family that has one
        of any size.
    """

    name: str
    fixed: GroundDistance | None = None

    @classmethod
    def of(cls, spec: Any, domain: Domain | None) -> Family:
        """Read what the caller named.

        Raises
        ------
        DomainError
            For a ground distance that needs a domain and has none, or does not fit it, or has less than two values.
        """
        if domain is None and spec in ("ordered", "equal"):
            return cls(spec)
        if domain is not None:
            ground = ground_distance(spec, domain)
        elif isinstance(spec, str):
            raise DomainError(
                f"the ground distance {spec!r} depends on the values; give them as domain, or take 'ordered' or 'equal'"
            )
        else:
            ground = spec if isinstance(spec, GroundDistance) else _over_own_values(spec)
        if ground.m < 2:
            raise DomainError(f"the ground distance has {ground.m} value; a card needs two or more")
        if not isinstance(ground, (Ordered, Equal)):  # a hierarchy would look for its values by name
            ground = carried(ground, range(ground.m))
        return cls(ground.name, ground)

    def over(self, m: int) -> GroundDistance | None:
        """Return the ground distance over m values; None if there is none."""
        if self.fixed is None:
            return Ordered(m) if self.name == "ordered" else Equal(m)
        if m == self.fixed.m:
            return self.fixed
        return carried(self.fixed, range(m)) if m < self.fixed.m else None

    @property
    def largest(self) -> int | None:
        """The greatest number of values, None if there is no greatest."""
        return None if self.fixed is None else self.fixed.m


def _over_own_values(spec: Any) -> GroundDistance:
    from tcloseness.microdata import Hierarchy

    if isinstance(spec, Hierarchy):
        return ground_distance(spec, Domain.declare(spec.values))
    named = spec.table if isinstance(spec, LabelledMatrix) else spec
    if hasattr(named, "keys") and hasattr(named, "__getitem__"):
        return ground_distance(spec, Domain.declare(list(named.keys())))
    return ground_distance(spec, Domain.declare(range(len(spec))))
