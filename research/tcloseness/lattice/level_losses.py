"""Losses that follow from the levels alone: tabulated for every node before a search.

Without suppression, the terms of the certainty penalties, of Prec and of the height belong to one attribute each and
depend on that attribute's level only, so a few measurements give the loss of every node. Where suppression never
improves a term, that bounds what a node costs after it.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterator, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import numpy.typing as npt

from tcloseness.errors import InputError
from tcloseness.exact import INT64_MAX, as_fraction, scaled_integers
from tcloseness.lattice.roll_up import RollUp
from tcloseness.limits import Clock
from tcloseness.loss import Loss, LossResult

__all__ = ["LevelLosses", "tabulated"]


@dataclass(frozen=True, eq=False)
class LevelLosses:
    """The losses of all nodes of a lattice without suppression, in order.

    Attributes
    ----------
    ranks
        The lattice's shape: the place of each node's loss among all nodes' losses, best first, equal for equal losses.
    """

    ranks: npt.NDArray[np.int64]
    _keys: Sequence[int]
    _key: Callable[[LossResult], Fraction]

    def no_worse(self, found: LossResult) -> int:
        """Return how many ranks, from the best on, have a loss that is no worse than a measured one."""
        return bisect_right(self._keys, math.floor(self._key(found)))  # they are whole


def tabulated(rolled: RollUp, loss: Loss, clock: Clock | None = None) -> LevelLosses | None:
    """Tabulate a loss.

    Parameters
    ----------
    rolled, loss
        The table under its lattice, and the loss.
    clock
        Its limits hold; a new one, without a time limit, if left out.

    Returns
    -------
    LevelLosses or None
        None for a loss that does not follow from the levels.

    Raises
    ------
    TimeLimitReached, MemoryLimitReached
        When a limit is reached, or more memory than there is would be taken.
    """
    how = getattr(loss, "terms_are", None)
    if how is None:
        return None
    if how not in ("summed", "multiplied"):
        raise InputError(f"terms_are of the loss {loss.name} is {how!r}; it is 'summed', 'multiplied' or None")
    try:
        remembered: Hashable = ("level losses", loss)
        if remembered in rolled.remembered:
            return rolled.remembered[remembered]  # type: ignore[no-any-return]
    except TypeError:  # weights in a dict
        remembered = None
    found = _tabulate(rolled, loss, how, Clock() if clock is None else clock)
    if remembered is not None:
        rolled.remembered[remembered] = found
    return found


def _tabulate(rolled: RollUp, loss: Loss, how: str, clock: Clock) -> LevelLosses:
    """Rank the nodes by doubles, and by exact numbers where these are too near each other."""
    terms, size = _terms(rolled, loss), math.prod(rolled.lattice.shape)
    sign = -1 if getattr(loss, "better", "lower") == "higher" else 1
    clock.require_memory(_BYTES * size, f"the losses of {size:,} nodes")
    nodes = _Nodes.summed(terms, sign) if how == "summed" else _Nodes.multiplied(terms, sign)
    places, fresh = nodes.in_order(clock)
    ranks = np.empty(size, dtype=np.int64)
    for part in _parts(size, clock):
        ranks[places[part]] = np.cumsum(fresh[part]) + (ranks[places[part.start - 1]] if part.start else -1)
    nodes.first = places[fresh]
    weights = _weights(rolled, loss)

    def key(found: LossResult) -> Fraction:
        terms = [weight * found.terms[name] for name, weight in weights.items()]  # type: ignore[operator]
        if how == "summed":
            return nodes.scale * sum(terms, Fraction(0))
        return nodes.scale * math.prod((1 + term for term in terms), start=Fraction(1))

    return LevelLosses(ranks.reshape(rolled.lattice.shape), nodes, key)


_BLOCK = 2**18
"""So many nodes are gone through at a time."""

_RANKING = "ranking the losses of the nodes"

_BYTES = 64
"""So many bytes a node ranking takes at most."""

_MODULI = (2**31 - 1, 2**31 - 19, 2**31 - 61, 2**31 - 69, 2**31 - 85, 2**31 - 99)
"""Primes; products of two fit 64 bits."""


def _parts(size: int, clock: Clock) -> Iterator[slice]:
    for start in range(0, size, _BLOCK):
        clock.check(_RANKING)
        yield slice(start, min(start + _BLOCK, size))


@dataclass(eq=False)
class _Nodes(Sequence[int]):
    """Whole numbers that order the nodes as their losses do; as a sequence, the different ones in ascending order.

    Attributes
    ----------
    columns
        For each attribute a number for each of its levels; a node's is their sum or product.
    combine
        Which of both: ``np.add`` or ``np.multiply``.
    scale
        By what sums or products are multiplied to make them whole, negative where higher is better.
    first
        A node of each different number, by its place.
    """

    columns: list[list[int]]
    combine: Any
    scale: int
    first: npt.NDArray[np.int64] = field(default_factory=lambda: np.zeros(0, dtype=np.int64))

    @classmethod
    def summed(cls, terms: list[list[Fraction]], sign: int) -> _Nodes:
        """Scale terms to whole numbers of one unit."""
        integers, denominator = scaled_integers([sign * term for column in terms for term in column])
        each = iter(integers)
        return cls([[next(each) for _ in column] for column in terms], np.add, sign * denominator)

    @classmethod
    def multiplied(cls, terms: list[list[Fraction]], sign: int) -> _Nodes:
        """Scale each attribute's factors 1 + term to whole numbers; the unit may differ."""
        scaled = [scaled_integers([1 + term for term in column]) for column in terms]
        columns = [list(integers) for integers, _ in scaled]
        columns[0] = [sign * x for x in columns[0]]
        return cls(columns, np.multiply, sign * math.prod(denominator for _, denominator in scaled))

    def __len__(self) -> int:
        return len(self.first)

    def __getitem__(self, rank: Any) -> Any:
        return self.exact(int(self.first[rank]))

    def exact(self, place: int) -> int:
        """Return the number of a node."""
        levels = np.unravel_index(place, [len(column) for column in self.columns])
        numbers = [column[level] for column, level in zip(self.columns, levels, strict=True)]
        return sum(numbers) if self.combine is np.add else math.prod(numbers)

    def in_order(self, clock: Clock) -> tuple[npt.NDArray[np.int64], npt.NDArray[np.bool_]]:
        """Return the nodes by ascending number, and which of them have another one than the node before."""
        greatest = [max(map(abs, column)) for column in self.columns]
        bound = sum(greatest) if self.combine is np.add else math.prod(max(each, 1) for each in greatest)
        if bound <= INT64_MAX:
            numbers = self._all(self.columns, np.int64)
            places = _ascending(numbers, clock)
            rising = numbers[places]
            return places, np.append(True, rising[1:] != rising[:-1])
        # doubles of numbers over the bound, in [−1, 1]: each is correctly rounded, and so is each of fewer than d sums
        # or products of them, so that a double is off by less than 2d·2⁻⁵³; those farther apart than `band` differ
        units = [bound if self.combine is np.add else max(each, 1) for each in greatest]
        shares = self._all([[x / u for x in c] for c, u in zip(self.columns, units, strict=True)], np.float64)
        band = len(greatest) * 2.0**-50
        places = _ascending(shares, clock)
        near = np.append(False, np.diff(shares[places]) <= band)
        equal = near & self._equal(places, math.ceil(band * 2**60) * bound >> 59)
        doubtful = np.flatnonzero(near & ~equal)
        for at in doubtful.tolist():  # rare: sorted by exact numbers, with all that are near
            clock.check(_RANKING)
            if near[at]:
                start, stop = at, at + 1
                while near[start]:
                    start -= 1
                while stop < len(near) and near[stop]:
                    stop += 1
                by_number = sorted((self.exact(place), place) for place in places[start:stop].tolist())
                places[start:stop] = [place for _, place in by_number]
                equal[start + 1 : stop] = [a == b for (a, _), (b, _) in pairwise(by_number)]
                near[start + 1 : stop] = False
        return places, ~equal

    def _all(self, columns: list[list[Any]], dtype: Any, modulus: int = 0) -> Any:
        """Combine one number of each column in every way, the last column's fastest."""
        found = np.array([0 if self.combine is np.add else 1], dtype=dtype)
        for column in columns:
            found = self.combine(found[:, None], np.array(column, dtype=dtype)[None, :]).ravel()
            found = found % modulus if modulus else found
        return found

    def _equal(self, places: npt.NDArray[np.int64], reach: int) -> npt.NDArray[np.bool_]:
        """Say which nodes have the number of the node before, if these differ by no more than `reach`.

        Whole numbers that agree modulo more than they differ by are equal; where there are not moduli enough, none is
        said to be.
        """
        equal, product = np.append(False, np.ones(len(places) - 1, dtype=bool)), 2**64
        for modulus in (0, *_MODULI):
            rests = self._all([[x % (modulus or 2**64) for x in c] for c in self.columns], np.uint64, modulus)[places]
            equal[1:] &= rests[1:] == rests[:-1]
            product *= modulus or 1
            if product > reach:
                return equal
        return np.zeros_like(equal)


def _ascending(numbers: Any, clock: Clock) -> npt.NDArray[np.int64]:
    """Return the places of numbers in ascending order; many are sorted range by range, so that limits are looked at."""
    if len(numbers) <= _SORTED:
        return np.argsort(numbers)
    sample = np.sort(numbers[:: max(1, len(numbers) // _SAMPLE)])
    found = []
    ends = np.unique(sample[:: max(1, len(sample) * _SORTED // (2 * len(numbers)))])[1:]
    for low, high in zip((None, *ends), (*ends, None), strict=True):
        clock.check(_RANKING)
        inside = np.ones(len(numbers), dtype=bool) if low is None else numbers >= low
        places = np.flatnonzero(inside if high is None else inside & (numbers < high))
        found.append(places[np.argsort(numbers[places])])
    return np.concatenate(found)


_SORTED = 2**21
"""So many numbers are sorted at a time."""

_SAMPLE = 10_000
"""So many of them say where the ranges end."""


def _terms(rolled: RollUp, loss: Loss) -> list[list[Fraction]]:
    """Measure the terms of every attribute's every level: one measurement shows a level of each attribute."""
    lattice = rolled.lattice
    columns: list[list[Fraction]] = [[] for _ in lattice.shape]
    weights = _weights(rolled, loss)
    for step in range(max(lattice.shape)):
        node = tuple(min(step, height) for height in lattice.heights)
        found = loss.evaluate(rolled.release(node)).terms
        for column, name, height in zip(columns, lattice.quasi_identifiers, lattice.heights, strict=True):
            if step <= height:
                column.append(weights[name] * found[name])  # type: ignore[operator]
    return columns


def _weights(rolled: RollUp, loss: Loss) -> dict[str, Fraction]:
    """Return, by attribute, what its terms are multiplied by."""
    given = getattr(loss, "level_weights", {})
    return {name: as_fraction(given.get(name, 1)) for name in rolled.lattice.quasi_identifiers}
