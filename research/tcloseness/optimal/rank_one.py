"""`Cuts`: rank-1 Chvátal–Gomory cuts of the set-partitioning program, and a search for those that are violated.

A partition takes each of the n_i records of kind i once, Σ_C c_i·z_C ≤ n_i. With whole weights w_i ≥ 0 and a divisor d
therefore Σ_C ⌊Σ_i w_i·c_i/d⌋·z_C ≤ ⌊Σ_i w_i·n_i/d⌋, for z is whole: a partition shares a cut at most so often. What a
class shares of it never falls when a record joins.

M. Jepsen, B. Petersen, S. Spoorendonk, D. Pisinger, "Subset-Row Inequalities Applied to the Vehicle-Routing Problem
with Time Windows", Operations Research 56(2), 2008. D. Pecin, A. Pessoa, M. Poggi, E. Uchoa, H. Santos, "Limited Memory
Rank-1 Cuts for Vehicle Routing Problems", Operations Research Letters 45(3), 2017: the weights that suffice.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numba
import numpy as np
import numpy.typing as npt

from tcloseness.exact import IntArray
from tcloseness.limits import Clock

__all__ = ["ALL", "TRIPLES", "Cuts", "violated"]

TRIPLES = (((1, 1, 1), 2),)
"""The weights of three records two of which are in a class: pricing with them takes hardly longer."""

ALL = (
    *TRIPLES,
    ((2, 1, 1, 1), 3),
    ((1, 1, 1, 1, 1), 2),
    ((1, 1, 1, 1, 1), 3),
    ((2, 2, 1, 1, 1), 4),
    ((3, 1, 1, 1, 1), 4),
)
"""More weights, and their divisors."""

_VIOLATED = 0.01
"""By how much a cut is shared too often at least, to be one that is looked for."""

_MOST, _OFTEN = 40, 5
"""How many cuts are taken at a time, and how many of them have a weight for one kind."""

_WORK = 2**23
"""How many groups are looked at between two looks at the clock, in one round of changes: a fraction of a second."""

_TRIES = 3
"""From how many places a cut is looked for, for each kind."""


@dataclass(frozen=True)
class Cuts:
    """Some cuts.

    Attributes
    ----------
    weights
        Shape (cuts, kinds).
    divisors
        Shape (cuts,).
    """

    weights: IntArray
    divisors: IntArray

    @classmethod
    def none(cls, kinds: int) -> Cuts:
        """Return no cuts."""
        return cls(np.zeros((0, kinds), dtype=np.int64), np.zeros(0, dtype=np.int64))

    def __len__(self) -> int:
        return len(self.divisors)

    def __getitem__(self, which: npt.NDArray[np.bool_]) -> Cuts:
        return Cuts(self.weights[which], self.divisors[which])

    def and_(self, others: Cuts) -> Cuts:
        """Return these and others."""
        return Cuts(np.concatenate([self.weights, others.weights]), np.concatenate([self.divisors, others.divisors]))

    def shared(self, groups: IntArray) -> IntArray:
        """Return how often groups, shape (groups, kinds), share the cuts: shape (groups, cuts)."""
        found = np.zeros((len(groups), len(self)), dtype=np.int64)
        for cut, row in enumerate(self.weights):  # few of the weights are not 0
            some = np.flatnonzero(row)
            found[:, cut] = groups[:, some] @ row[some] // self.divisors[cut]
        return found

    def most(self, counts: IntArray) -> IntArray:
        """Return how often a partition of so many records of each kind shares the cuts at most."""
        return np.asarray((self.weights @ counts) // self.divisors)


def violated(
    groups: IntArray,
    taken: npt.NDArray[np.float64],
    counts: IntArray,
    known: Cuts,
    tried: Sequence[tuple[tuple[int, ...], int]],
    clock: Clock,
) -> Cuts:
    """Return cuts that classes, each taken so often, share more often than a partition can, the worst first.

    Parameters
    ----------
    groups, taken
        Shapes (groups, kinds) and (groups,).
    counts
        How many records of each kind there are.
    known
        Cuts that are not looked for.
    tried
        `TRIPLES` or `ALL`.
    clock
        The search ends when a limit is reached.

    Raises
    ------
    LimitReached
        If a limit is reached.
    """
    split = np.abs(taken - np.rint(taken)) > _VIOLATED
    kinds = np.flatnonzero((groups[split] > 0).any(axis=0))
    some = (taken > _VIOLATED) & groups[:, kinds].any(axis=1)
    inside, taken = np.ascontiguousarray(groups[np.ix_(some, kinds)].T), taken[some]
    found: dict[tuple[bytes, int], tuple[float, IntArray, int]] = {}
    old = {(row.tobytes(), int(d)) for row, d in zip(known.weights, known.divisors, strict=True)}
    for weights, divisor in tried:
        if len(kinds) < len(weights):
            continue
        members = np.zeros((_TRIES * len(kinds), len(weights)), dtype=np.int64)
        over = np.zeros(len(members))
        each, draw = max(1, _WORK // (len(weights) * max(1, inside.size))), 1
        for at in range(0, len(members), each):
            clock.check("cuts are looked for")
            part = slice(at, at + each)
            draw = _climb(inside, taken, counts[kinds], np.array(weights), divisor, at, draw, members[part], over[part])
        for place in np.flatnonzero(over > _VIOLATED).tolist():
            row = np.zeros(len(counts), dtype=np.int64)
            row[kinds[members[place]]] = weights
            if (row.tobytes(), divisor) not in old:
                found[row.tobytes(), divisor] = (float(over[place]), row, divisor)
    used, rows, divisors = np.zeros(len(counts), dtype=np.int64), list[IntArray](), list[int]()
    for _, row, divisor in sorted(found.values(), key=lambda each: -each[0]):
        if len(rows) < _MOST and used[row > 0].max() < _OFTEN:
            used[row > 0] += 1
            rows.append(row)
            divisors.append(divisor)
    if not rows:
        return Cuts.none(len(counts))
    return Cuts(np.array(rows), np.array(divisors, dtype=np.int64))


@numba.njit(cache=True, error_model="numpy")  # type: ignore[untyped-decorator]
def _climb(
    groups: IntArray,
    taken: npt.NDArray[np.float64],
    counts: IntArray,
    weights: IntArray,
    divisor: int,
    first: int,
    draw: int,
    members: IntArray,
    over: npt.NDArray[np.float64],
) -> int:
    """From members at random, change one at a time for that by which the cut is shared most too often.

    Groups are of shape (kinds, groups); the places are those from the first on. Returns the last draw.
    """
    kinds, size = len(groups), len(weights)
    sums = np.zeros(groups.shape[1], np.int64)
    for t in range(len(members)):
        mine = members[t]
        for place in range(size):
            new = False
            while not new:
                draw = (draw * 1103515245 + 12345) % 2147483648
                kind = (first + t) % kinds if place == 0 else (draw >> 8) % kinds
                new = True
                for before in range(place):
                    new = new and mine[before] != kind
            mine[place] = kind
        sums[:] = 0
        held = 0
        for place in range(size):
            held += weights[place] * counts[mine[place]]
            for g in range(groups.shape[1]):
                sums[g] += weights[place] * groups[mine[place], g]
        best = -float(held // divisor)
        for g in range(groups.shape[1]):
            best += taken[g] * (sums[g] // divisor)
        better = True
        while better:
            better = False
            for place in range(size):
                w, old, chosen = weights[place], mine[place], mine[place]
                for kind in range(kinds):
                    there = False
                    for other in range(size):
                        there = there or mine[other] == kind
                    if there:
                        continue
                    value = -float((held + w * (counts[kind] - counts[old])) // divisor)
                    for g in range(groups.shape[1]):
                        value += taken[g] * ((sums[g] + w * (groups[kind, g] - groups[old, g])) // divisor)
                    if value > best + 1e-9:
                        best, chosen, better = value, kind, True
                if chosen != old:
                    mine[place] = chosen
                    held += w * (counts[chosen] - counts[old])
                    for g in range(groups.shape[1]):
                        sums[g] += w * (groups[chosen, g] - groups[old, g])
        over[t] = best
    return draw
