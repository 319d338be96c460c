"""The ground distances that a card looks at: one for each number of values, and what is made of them.

A law about relabelling, adding a value or moving values apart carries the ground distance along: what is made from a
sum of cuts is one again, so that measures that need cuts can follow; anything else becomes a matrix.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

from tcloseness.errors import DomainError, TClosenessError
from tcloseness.exact import number_text
from tcloseness.ground import BY_SIZE, Cuts, GroundDistance, Laminar, Matrix, ground_distance, ground_name, maker_of
from tcloseness.microdata import Domain, Hierarchy

__all__ = ["Carried", "Family", "apart", "carried", "extended", "ground_code", "isometries", "permuted", "scaled"]

WeightedSets = Sequence[tuple[frozenset[int], Fraction]]


@dataclass(frozen=True, eq=False)
class Carried(Laminar):
    """A sum of cuts by the name of the ground distance that it is made from, with its sets as they were given."""

    name: str = "carried"
    sets: WeightedSets = ()


def _sets(ground: GroundDistance) -> WeightedSets | None:
    """Return the sets of codes with their weights; None where the distance has no cuts."""
    if isinstance(ground, Carried):
        return ground.sets
    if (cuts := ground.cuts) is None:
        return None
    order = cuts.order.tolist()
    columns = zip(cuts.low.tolist(), cuts.high.tolist(), cuts.weights.tolist(), strict=True)
    return [(frozenset(order[low:high]), Fraction(weight, cuts.denominator)) for low, high, weight in columns]


def _of_sets(m: int, sets: WeightedSets, name: str) -> Carried:
    """Return the distance of sets, any two nested or disjoint: laid out as intervals of a permuted domain."""
    # by the sets that hold it, the largest first: so the members of each set are neighbours
    falling = sorted((s for s, _ in sets), key=lambda s: (-len(s), min(s)))
    ranks = {s: rank for rank, s in enumerate(dict.fromkeys(falling))}
    order = sorted(range(m), key=lambda code: [*(ranks[s] for s in ranks if code in s), m**2 + code])
    place = {code: at for at, code in enumerate(order)}
    intervals = [(min(place[c] for c in s), max(place[c] for c in s) + 1) for s, _ in sets]
    return Carried(Cuts.of(order, intervals, [w for _, w in sets]), name, sets)


def _of_entries(entries: Iterable[Sequence[Fraction]], metric: bool, name: str) -> Matrix:
    made = Matrix(list(entries), allow_non_metric=not metric)
    made.name = name
    return made


def carried(ground: GroundDistance, codes: Sequence[int]) -> GroundDistance:
    """Return the ground distance over the values with these codes, in this order: value k of it was value codes[k]."""
    sets = _sets(ground)
    if sets is None:
        return _of_entries(([ground.distance(i, j) for j in codes] for i in codes), ground.metric, ground.name)
    now = {code: k for k, code in enumerate(codes)}
    kept = [(frozenset(now[c] for c in s if c in now), w) for s, w in sets]
    return _of_sets(len(codes), [(s, w) for s, w in kept if 0 < len(s) < len(codes)], ground.name)


def permuted(ground: GroundDistance, order: Sequence[int]) -> GroundDistance:
    """Return the ground distance after relabelling, the ground distance itself where that changes nothing."""
    return ground if order in isometries(ground, [order]) else carried(ground, order)


def isometries(ground: GroundDistance, orders: Sequence[Sequence[int]]) -> list[Sequence[int]]:
    """Return those relabellings that keep all distances."""
    m = ground.m
    d = [[ground.distance(i, j) for j in range(m)] for i in range(m)]
    return [o for o in orders if all(d[o[i]][o[j]] == d[i][j] for i in range(m) for j in range(m))]


def extended(ground: GroundDistance, beside: int, by: Fraction) -> GroundDistance:
    """Return the ground distance with one more value, the last, at a distance `by` from one value and past it."""
    m, name = ground.m, f"{ground.name} with one more value"
    sets = _sets(ground)
    if sets is not None:
        wider = [(s | {m} if beside in s else s, w) for s, w in sets]
        return _of_sets(m + 1, [*wider, (frozenset({m}), by)], name)
    row = [ground.distance(beside, j) + by for j in range(m)]
    old = ([*(ground.distance(i, j) for j in range(m)), row[i]] for i in range(m))
    return _of_entries([*old, [*row, Fraction(0)]], ground.metric, name)


def scaled(ground: GroundDistance, factor: Fraction) -> GroundDistance:
    """Return the ground distance with all distances times a factor."""
    name = f"{ground.name}, times {number_text(factor)}"
    sets = _sets(ground)
    if sets is not None:
        return _of_sets(ground.m, [(s, w * factor) for s, w in sets], name)
    values = range(ground.m)
    return _of_entries(([ground.distance(i, j) * factor for j in values] for i in values), ground.metric, name)


def apart(ground: GroundDistance) -> list[GroundDistance]:
    """Return ground distances that are nowhere smaller: all distances doubled, and each cut's weight doubled."""
    sets, name = _sets(ground) or (), f"{ground.name}, one cut twice as wide"
    wider = [[(s, 2 * w if n == k else w) for n, (s, w) in enumerate(sets)] for k in range(len(sets))]
    return [scaled(ground, Fraction(2)), *(_of_sets(ground.m, each, name) for each in wider)]


def ground_code(ground: GroundDistance) -> str:
    """Return an expression that makes the ground distance, for a test to paste."""
    if type(ground) in BY_SIZE.values():
        return f"tc.{type(ground).__name__}({ground.m})"
    values = range(ground.m)
    rows = ", ".join(str([number_text(ground.distance(i, j)) for j in values]) for i in values)
    return f"tc.Matrix([{rows}]{'' if ground.metric else ', allow_non_metric=True'})"


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
    of_size
        What makes that.
    """

    name: str
    fixed: GroundDistance | None = None
    of_size: Callable[[int], GroundDistance] | None = None

    @classmethod
    def of(cls, spec: Any, domain: Domain | None) -> Family:
        """Read what the caller named.

        Raises
        ------
        DomainError
            For a ground distance that needs a domain and has none, or does not fit it, or has less than two values.
        """
        if domain is not None:
            ground = ground_distance(spec, domain)
        elif isinstance(spec, str):
            if spec not in BY_SIZE:
                known = " or ".join(map(repr, BY_SIZE))
                raise DomainError(
                    f"the ground distance {spec!r} depends on the values; give them as domain, or take {known}"
                )
            return cls(spec, of_size=BY_SIZE[spec])
        elif maker_of(spec) is not None:
            return cls(ground_name(spec), of_size=partial(_made, spec))
        else:
            ground = spec if isinstance(spec, GroundDistance) else _over_own_values(spec)
        if ground.m < 2:
            raise DomainError(f"the ground distance has {ground.m} value; a card needs two or more")
        if type(ground) not in BY_SIZE.values():  # a hierarchy would look for its values by name
            ground = carried(ground, range(ground.m))
        return cls(ground.name, ground)

    def over(self, m: int) -> GroundDistance | None:
        """Return the ground distance over m values; None if there is none."""
        if self.fixed is None:
            return None if self.of_size is None else self.of_size(m)
        if m == self.fixed.m:
            return self.fixed
        return carried(self.fixed, range(m)) if m < self.fixed.m else None

    @property
    def largest(self) -> int | None:
        """The greatest number of values, None if there is no greatest."""
        return None if self.fixed is None else self.fixed.m


def _made(spec: Any, m: int) -> GroundDistance:
    """Return what the user's own makes over m values; whatever else goes wrong in it is said to be its fault."""
    try:
        return ground_distance(spec, Domain.declare(range(m)))
    except TClosenessError:
        raise
    except Exception as error:
        why = f"{type(error).__name__}: {error}"
        raise DomainError(
            f"the ground distance {ground_name(spec)!r} over {m} values fails by itself ({why})"
        ) from error


def _over_own_values(spec: Any) -> GroundDistance:
    if isinstance(spec, Hierarchy):
        return ground_distance(spec, Domain.declare(spec.values))
    named = getattr(spec, "table", spec)  # of a labelled matrix
    if hasattr(named, "keys") and hasattr(named, "__getitem__"):
        return ground_distance(spec, Domain.declare(list(named.keys())))
    size = len(spec) if hasattr(spec, "__len__") else 0
    return ground_distance(spec, Domain.declare(range(size or 2)))
