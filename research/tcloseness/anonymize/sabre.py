"""SABRE: buckets of sensitive values such that proportional classes are t-close, then classes that are proportional.

J. Cao, P. Karras, P. Kalnis, K.-L. Tan, "SABRE: a Sensitive Attribute Bucketization and REdistribution Framework for
t-Closeness", VLDB Journal 20(1), 2011. Q counts the values along a line, in which buckets are intervals.
"""

from __future__ import annotations

import heapq
import math
from collections.abc import Collection, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import islice

import numpy as np

from tcloseness.anonymize.buckets import filled_classes, laid_out
from tcloseness.anonymize.merging import Records, asked_distance, asked_k
from tcloseness.exact import IntArray, fits_int64, number_text
from tcloseness.ground import GroundDistance
from tcloseness.limits import Clock, TimeLimit
from tcloseness.microdata import Hierarchy, Microdata
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.models import PrivacyModel
from tcloseness.release.anonymized import Anonymized

__all__ = ["Buckets", "bucketings", "class_quotas", "sabre"]


_TRIED = 64
"""How many bucketings whose bound is at most t are tried, coarsest first."""


def sabre(
    table: Microdata | FullTable,
    model: PrivacyModel,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    *,
    k: int | None = None,
    sensitive: str | None = None,
    categorical: Collection[str] = (),
    seed: int | None = None,
    time_limit: TimeLimit = None,
    memory_limit: int | None = None,
) -> Anonymized:
    """Anonymize by SABRE.

    *Buckets*: the sensitive values are laid out in a line and split greedily into intervals until Σ U(B) ≤ t, see
    `Buckets`. *Classes*: starting from the whole table, numbers of records per bucket are halved as long as both halves
    keep k records and Σ U(B) + Σ_B (P(B) − Q(B))⁺·d_max ≤ t. That bounds their EMD, since moving the surplus of each
    bucket costs at most its mass times the greatest distance. *Records*: each class takes its numbers, nearest to a
    seed on the quasi-identifiers.

    Parameters
    ----------
    table, hierarchies, sensitive, categorical, seed, time_limit, memory_limit
        As for `tcloseness.anonymize.mdav`.
    model
        One t-closeness with a threshold and a ground distance, alone or combined with other models; classes that
        violate the others are merged with their nearest at the end.
    k
        The least size of a class; by default what the model asks for.

    Raises
    ------
    InfeasibleError, NotReached, LimitReached
        As `tcloseness.anonymize.mdav`.
    InputError
        If the model has no such t-closeness, or more than one.

    Notes
    -----
    The paper splits buckets along a hierarchy and stops at the first bucketing with Σ U(B) ≤ t. Here buckets are
    intervals of the line of values (for a hierarchical distance that of the leaves), and finer bucketings, up to 64,
    are tried too, since a smaller Σ U(B) leaves more of t for rounding: the first one that allows the most classes is
    taken. The bound needs a ground distance that is a metric; the exact check at the end needs nothing. Which
    class a record is in depends on its bucket, so a reader who knows the code and all quasi-identifiers may conclude
    something of the sensitive values; equally near records and equally far seeds are ordered by quasi-identifiers,
    then drawn. With a given seed the order of the rows changes nothing, up to records that are equal in everything.
    Cost O(m²) for the buckets and O(classes · n) for each attribute.

    References
    ----------
    Cao et al. 2011: bucketization (§4), redistribution by a tree of equivalence classes (§5).

    Examples
    --------
    >>> import pandas as pd
    >>> from tcloseness.models import TCloseness
    >>> frame = pd.DataFrame({"x": range(8), "s": list("abababab")})
    >>> table = Microdata.from_frame(frame, quasi_identifiers="x", sensitive="s")
    >>> sabre(table, TCloseness(0, ground="equal")).frame()["x"].tolist()
    ['0-1', '0-1', '2-3', '2-3', '4-5', '4-5', '6-7', '6-7']
    """
    table = in_shape(table, Microdata)
    aim = asked_distance(model, "SABRE")
    records = Records(table, model, hierarchies, sensitive, categorical, seed, time_limit, memory_limit)
    t, least = aim.t, asked_k(model, k)
    ground, line = laid_out(records.counting, aim.ground)
    allowed = (b for b in bucketings(ground, line, records.counting.reference, records.clock) if b.bound <= t)
    farthest = _farthest(ground, records.clock)
    best: tuple[Buckets, IntArray] | None = None
    for buckets in islice(allowed, _TRIED):
        starts = np.array([0, *buckets.ends[:-1]])
        sizes = [int(size) for size in np.add.reduceat(records.counting.reference[line], starts)]
        quotas = class_quotas(sizes, slack=t - buckets.bound, farthest=farthest, least=least, clock=records.clock)
        if best is None or len(quotas) > len(best[1]):
            best = buckets, quotas
    assert best is not None  # one bucket a value has the bound 0
    buckets, quotas = best
    bucket_of = np.searchsorted(np.array(buckets.ends), np.argsort(line), side="right")
    return records.merged_release(
        filled_classes(records.distances, bucket_of[records.codes], quotas, records.clock),
        method="SABRE",
        done={
            "buckets": len(buckets.ends),
            "bound of the buckets": number_text(buckets.bound),
            "classes before mergers": len(quotas),
        },
        last_records="none: numbers of records are halved, odd ones to the left and the right half in turn",
    )


def _farthest(ground: GroundDistance, clock: Clock) -> Fraction:
    most = 0
    for i in range(ground.m):
        clock.check("looking for the greatest distance of sensitive values")
        most = max(most, int(ground.row(i).max()))
    return Fraction(most, ground.denominator)


def class_quotas(
    sizes: list[int], *, slack: Fraction, farthest: Fraction, least: int, clock: Clock | None = None
) -> IntArray:
    """Return how many records each class takes from each bucket, shape (classes, buckets).

    Parameters
    ----------
    sizes
        The number of records of each bucket.
    slack
        What is left of t: a class may have Σ_B (P(B) − Q(B))⁺·`farthest` up to it.
    farthest
        The greatest ground distance.
    least
        The least size of a class.
    clock
        What limits it.
    """
    n = sum(sizes)
    dtype = np.int64 if fits_int64(n, n) else object
    whole = np.array(sizes, dtype=dtype)

    def fits(counts: IntArray) -> IntArray:
        """Say of each row whether it may be a class."""
        of_row = counts.sum(axis=1)
        different, row = np.unique(of_row, return_inverse=True)
        most = [
            _most_surplus(n * size, slack, farthest) if size >= max(least, 1) else -1 for size in different.tolist()
        ]
        surplus = np.maximum(counts * n - whole * of_row[:, None], 0).sum(axis=1)
        return np.asarray(surplus <= np.array(most, dtype=dtype)[row.reshape(-1)])

    found, open_ = whole[None, :], np.zeros(1, dtype=np.int64)
    while len(open_):  # in the order of the classes, all that may be halved at once
        if clock is not None:
            clock.check(f"halving numbers of records: {len(found) - len(open_):,} classes had theirs")
        left, right = _halves(found[open_])
        halved = fits(left) & fits(right)
        times = np.ones(len(found), dtype=np.int64)
        times[open_[halved]] = 2
        first = (np.cumsum(times) - times)[open_[halved]]
        found = np.repeat(found, times, axis=0)
        found[first], found[first + 1] = left[halved], right[halved]
        open_ = np.sort(np.concatenate([first, first + 1]))
    return found.astype(np.int64)


def _most_surplus(whole: int, slack: Fraction, farthest: Fraction) -> int:
    """Return the greatest surplus of `whole` that may be moved by the greatest distance; −1 if not even none may."""
    if slack < 0:
        return -1
    return whole if farthest <= slack else math.floor(slack / farthest * whole)


def _halves(counts: IntArray) -> tuple[IntArray, IntArray]:
    """Halve each count of each row; odd records go to the left and the right half in turn."""
    odd = counts % 2
    left = counts // 2 + odd * (np.cumsum(odd, axis=1) % 2)
    return left, counts - left


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
