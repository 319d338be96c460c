"""SABRE's buckets of sensitive values, and how far from Q a class can be that has each bucket as often as Q has.

J. Cao, P. Karras, P. Kalnis, K.-L. Tan, "SABRE: a Sensitive Attribute Bucketization and REdistribution Framework for
t-Closeness", VLDB Journal 20(1), 2011. Q counts the values along a line, in which buckets are intervals.
"""

from __future__ import annotations

import heapq
from collections.abc import Iterator
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tcloseness.exact import IntArray, fits_int64
from tcloseness.ground import GroundDistance
from tcloseness.limits import Clock

__all__ = ["Buckets", "bucketings"]

_TABLES = 5
"""How many tables of m² numbers there are at once: the distances, weighted, summed, and two on the way."""


@dataclass(frozen=True, eq=False)
class Buckets:
    """A bucketing of the values, and its bound.

    Attributes
    ----------
    ends
        Where each bucket ends in the line; the first starts at 0.
    bound
        Σ_B U(B) with U(B) = max_{v in B} Σ_{u in B} Q(u)·d(u, v): a distribution P with P(B) = Q(B) for every bucket B
        has EMD(P, Q) ≤ this. The EMD is convex in P, and the extreme points put each bucket's mass on one value.
    """

    ends: tuple[int, ...]
    bound: Fraction


def bucketings(
    ground: GroundDistance, line: IntArray, counts: IntArray, clock: Clock | None = None
) -> Iterator[Buckets]:
    """Return bucketings from one bucket to one a value, each splits one bucket of the one before.

    The bucket is split whose best split lowers Σ U most, at the place where that is; ties go to the first bucket and
    the first place.

    Parameters
    ----------
    ground
        The ground distance of m values.
    line
        The codes in the order in which buckets are intervals, shape (m,).
    counts
        Q as counts by code, shape (m,).
    clock
        What limits it; a table of distances that is too large is refused at once.

    Raises
    ------
    LimitReached
        If a limit is reached.

    Notes
    -----
    Cost O(m²) memory and about O(m²) for each split.

    Examples
    --------
    >>> from tcloseness.ground import Ordered
    >>> found = list(bucketings(Ordered(3), np.arange(3), np.array([1, 1, 1])))
    >>> [(b.ends, str(b.bound)) for b in found]
    [((3,), '1/2'), ((1, 3), '1/6'), ((1, 2, 3), '0')]
    """
    clock = Clock() if clock is None else clock
    clock.require_memory(_TABLES * 8 * len(line) ** 2, f"the distances of {len(line):,} sensitive values")
    return _split(_Bounds(ground, line, counts, clock))


def _split(work: _Bounds) -> Iterator[Buckets]:
    ends, total = [len(work)], work.bound(0, len(work))
    heap: list[tuple[int, int, int, int]] = []
    _push(heap, work, 0, len(work))
    while True:
        yield Buckets(tuple(sorted(ends)), Fraction(total, work.denominator))
        if not heap:
            return
        gain, low, middle, high = heapq.heappop(heap)
        ends.append(middle)
        total += gain
        _push(heap, work, low, middle)
        _push(heap, work, middle, high)


def _push(heap: list[tuple[int, int, int, int]], work: _Bounds, low: int, high: int) -> None:
    """Add the best split of the bucket [low, high) of the line, if it has two values."""
    if high - low > 1:
        change, middle = min(_splits(work, low, high))
        heapq.heappush(heap, (change - work.bound(low, high), low, middle, high))


def _splits(work: _Bounds, low: int, high: int) -> Iterator[tuple[int, int]]:
    for x in range(low + 1, high):
        work.clock.check(f"dividing {high - low:,} of {len(work):,} sensitive values into buckets")
        yield work.bound(low, x) + work.bound(x, high), x


class _Bounds:
    """U of every interval of the line, as whole numbers over one denominator."""

    def __init__(self, ground: GroundDistance, line: IntArray, counts: IntArray, clock: Clock) -> None:
        self.clock = clock
        n = int(counts.sum())
        self.denominator = n * ground.denominator
        rows = np.stack([np.asarray(ground.row(int(code)))[line] for code in line])
        largest = int(rows.max(initial=0))
        dtype = np.int64 if fits_int64(n, max(largest, 1)) else object
        weighted = rows.astype(dtype) * counts[line].astype(dtype)
        self._sums = np.concatenate([np.zeros((len(line), 1), dtype=dtype), np.cumsum(weighted, axis=1)], axis=1)

    def __len__(self) -> int:
        return len(self._sums)

    def bound(self, low: int, high: int) -> int:
        """Return max over v in [low, high) of Σ_{u in [low, high)} count(u)·d(u, v)."""
        return int((self._sums[low:high, high] - self._sums[low:high, low]).max())
