"""`RecordsLeft`: the records that have no class yet, as microaggregation asks for them: the farthest, and the nearest.

Squared distances are computed in doubles, by machine code. Where they are whole numbers below 2⁵³ in units of 1/`unit`,
doubles hold them exactly. Else each attribute's term is a double of [0, 1], and records between which rounding may have
decided are compared exactly, by `SquaredDistances`. Ties go to the record with the lower number.

The record farthest from the centre of a set is the one whose mean squared distance to the records of the set is
greatest; for numbers that is the one farthest from their mean, since Σ_y |x − y|² = n·|x − mean|² + Σ_y |y − mean|².
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib import import_module

import numpy as np
import numpy.typing as npt

from tcloseness.anonymize.distances import SquaredDistances
from tcloseness.exact import IntArray

__all__ = ["RecordsLeft", "farthest", "following", "measure", "nearest", "remove", "slack"]

Doubles = npt.NDArray[np.float64]

_INTERPRETED_TERMS = 100_000
"""Up to so many terms of the distances of all pairs of records are computed in Python: machine code must be loaded."""

_EXACT_DOUBLES = 2**53
"""Whole numbers and sums up to this are doubles."""


def slack(terms: int) -> float:
    """Return what the rounded sums of so many terms of [0, 1] may differ by while the exact ones are in another order.

    Of a term (w·(x − c))·(x − c) or h/n, the values, their difference and the products are each rounded by at most
    2⁻⁵³, together by less than 8·2⁻⁵³, and adding it by at most terms·2⁻⁵³. So two sums are off by at most
    2·terms·(terms + 8)·2⁻⁵³ together; this is more than twice that.
    """
    return terms * (terms + 16) * 2.0**-51


class RecordsLeft:
    """The records that are left, bucket by bucket, at positions; these change when records are taken.

    Parameters
    ----------
    distances
        Between the records 0, 1, …
    records
        How many there are.
    bucket_of
        The bucket 0, 1, … of each record; one for all by default.
    labels
        A number ≥ 0 of each record, for `following`.

    Attributes
    ----------
    rows, labels
        Shape (records,): the record at each position, and its label. The positions from ``low[b]`` on, as many as
        ``left[b]``, are those of bucket b.
    """

    def __init__(
        self,
        distances: SquaredDistances,
        records: int,
        bucket_of: IntArray | None = None,
        labels: IntArray | None = None,
    ) -> None:
        self.distances, terms = distances, len(distances.terms)
        self.rows = np.arange(records) if bucket_of is None else np.argsort(bucket_of, kind="stable")
        self._count = records
        self.left = np.array([records]) if bucket_of is None else np.bincount(bucket_of)
        self.low = np.cumsum(self.left) - self.left
        self.labels = np.zeros(records, dtype=np.int64) if labels is None else labels[self.rows]
        self._exact = max(terms, 1) * distances.unit <= _EXACT_DOUBLES
        self._scales = [distances.unit // part.denominator if self._exact else 1 for part, _ in distances.terms]
        numbers, tables = distances.numbers, distances.tables
        self._columns = np.empty((len(numbers), records))
        for column, (number, codes) in zip(self._columns, numbers, strict=True):
            whole = 1 if self._exact else number.whole
            column[:] = np.array([place / whole for place in number.places.tolist()])[codes[self.rows]]
        self._weights = np.array(self._scales[: len(numbers)], dtype=np.float64)
        self._centre_weights = np.array([1 / part.denominator if self._exact else 1.0 for part, _ in numbers])
        starts = np.cumsum([0, *(names.values for names, _ in tables)])
        self._cells = np.empty((len(tables), records), dtype=np.int64)
        for cells, start, (_, codes) in zip(self._cells, starts, tables, strict=False):
            cells[:] = codes[self.rows] + start
        self._tally = distances.tally(np.arange(records))
        self._origin: int | None = None
        self._slack = 0.0
        self._away, self._heap = np.zeros(records), np.empty(records)
        self._found, self._open = np.empty((2, records + 1), dtype=np.int64)
        self._opened = np.empty_like(self.left)
        large = records**2 * terms > _INTERPRETED_TERMS
        self._run = import_module("tcloseness.anonymize.compiled" if large else __name__)

    def __len__(self) -> int:
        return self._count

    def records(self) -> IntArray:
        """Return the records that are left."""
        spans = zip(self.low.tolist(), self.left.tolist(), strict=True)
        return np.concatenate([self.rows[low : low + left] for low, left in spans])

    def measure(self, position: int | None = None) -> None:
        """Measure the distances of all that is left from the record at a position; by default from the centre."""
        numbers, tables = self.distances.numbers, self.distances.tables
        if position is None:
            self._origin, self._slack, n = None, slack(len(self.distances.terms)), len(self)
            sums, counts = self._tally[: len(numbers)], self._tally[len(numbers) :]
            at = [of[1] / (n if self._exact else n * part.whole) for of, (part, _) in zip(sums, numbers, strict=True)]
            table = [
                names.sum_table(of) / (n * names.denominator) for of, (names, _) in zip(counts, tables, strict=True)
            ]
            weights = self._centre_weights
        else:
            self._origin = int(self.rows[position])
            self._slack = 0.0 if self._exact else slack(len(self.distances.terms))
            at, weights = self._columns[:, position].tolist(), self._weights
            table = [
                names.table(int(codes[self._origin])) * (scale if self._exact else 1 / names.denominator)
                for scale, (names, codes) in zip(self._scales[len(numbers) :], tables, strict=True)
            ]
        place, cells = np.array(at, dtype=np.float64), np.concatenate([np.zeros(0), *table])
        self._run.measure(self._columns, weights, place, self._cells, cells, self.low, self.left, self._away)

    def farthest(self) -> int:
        """Return the position of the record that is farthest by the last measure."""
        count = self._run.farthest(self._away, self.low, self.left, self._slack, self._found)
        found = self._found[:count]
        return int(found[0] if count == 1 else found[np.lexsort((self.rows[found], -self._comparable(found)))[0]])

    def nearest(self, quota: Sequence[int] | IntArray) -> IntArray:
        """Return the positions of the records that are nearest by the last measure, so many of each bucket."""
        short = np.array(quota, dtype=np.int64)
        sure = self._run.nearest(
            self._away, self.low, self.left, short, self._slack, self._heap, self._found, self._open, self._opened
        )
        found, begin = [self._found[:sure]], 0
        for bucket in np.flatnonzero(short).tolist():
            end = begin + int(self._opened[bucket])
            found.append(self.ordered(self._open[begin:end])[: short[bucket]])
            begin = end
        return np.concatenate(found)

    def ordered(self, positions: IntArray) -> IntArray:
        """Return some positions in the order of the last measure, the nearest record first."""
        return positions[np.lexsort((self.rows[positions], self._comparable(positions)))]

    def following(self, position: int, wanted: IntArray) -> int | None:
        """Return the position of the next record with a wanted label in the order of the last measure; None for none.

        Parameters
        ----------
        position
            Behind which record it is, in the one bucket.
        wanted
            By label whether it is wanted.
        """
        size, found = int(self.left[0]), self._found
        count = self._run.following(self._away, self.labels, wanted, size, position, self._slack, found)
        if count == 1 and self._away[found[0]] > self._away[position] + self._slack:
            return int(found[0])
        found[count] = position  # which may have been found too
        line = self.ordered(found[: count + 1]).tolist()
        behind = len(line) - line[::-1].index(position)
        return line[behind] if behind < len(line) else None

    def take(self, positions: IntArray) -> IntArray:
        """Take the records at some positions away, and return them."""
        taken = self.rows[positions]
        self._count -= len(taken)
        for total, (part, codes) in zip(self._tally, self.distances.terms, strict=True):
            part.leave(total, codes[taken])
        falling = np.sort(positions)[::-1]
        self._run.remove(falling, self._columns, self._cells, self.rows, self.labels, self._away, self.low, self.left)
        return taken

    def _comparable(self, positions: IntArray) -> IntArray | Doubles:
        """Return numbers in the exact order of the last measure: the doubles, unless rounding may have decided."""
        away = self._away[positions]
        if not self._slack or (np.diff(np.sort(away)) > self._slack).all():
            return away
        rows = self.rows[positions]
        if all((codes[rows] == codes[rows[0]]).all() for _, codes in self.distances.terms):
            return np.zeros(len(rows))
        if self._origin is None:
            exact = self.distances.sums_from(self._tally, rows)
        else:
            exact = self.distances.between(self._origin, rows)
        return np.unique(exact, return_inverse=True)[1]


# ---------------------------------------------------------------------- in Python, or as machine code by `compiled`


def measure(
    columns: Doubles,
    weights: Doubles,
    at: Doubles,
    cells: IntArray,
    table: Doubles,
    low: IntArray,
    left: IntArray,
    away: Doubles,
) -> None:
    """Write Σ_a w_a·(x_a − c_a)² and what the table says of the cells to `away`, for what is left."""
    for bucket in range(len(low)):
        begin, end = low[bucket], low[bucket] + left[bucket]
        for i in range(begin, end):
            away[i] = 0.0
        for a in range(len(columns)):
            column, weight, centre = columns[a], weights[a], at[a]
            for i in range(begin, end):
                apart = column[i] - centre
                away[i] += weight * apart * apart
        for a in range(len(cells)):
            of_records = cells[a]
            for i in range(begin, end):
                away[i] += table[of_records[i]]


def farthest(away: Doubles, low: IntArray, left: IntArray, slack: float, found: IntArray) -> int:
    """Write the positions that may be the farthest to `found`; return how many."""
    most, count = -1.0, 0
    for bucket in range(len(low)):
        for i in range(low[bucket], low[bucket] + left[bucket]):
            if away[i] >= most - slack:
                most = max(most, away[i])
                found[count] = i
                count += 1
    kept = 0
    for place in range(count):
        if away[found[place]] >= most - slack:
            found[kept] = found[place]
            kept += 1
    return kept


def nearest(
    away: Doubles,
    low: IntArray,
    left: IntArray,
    short: IntArray,
    slack: float,
    heap: Doubles,
    found: IntArray,
    open_: IntArray,
    opened: IntArray,
) -> int:
    """Write the positions of the nearest to `found`, as many of each bucket as are short; return how many are sure.

    Where rounding or a tie decides, positions are in `open_`, so many a bucket as `opened` says, and `short` says how
    many of them are still to be taken. Else they are 0. The heap has the least distances so far, the greatest first.
    """
    sure, pending = 0, 0
    for bucket in range(len(low)):
        opened[bucket] = 0
        size, begin, end = short[bucket], low[bucket], low[bucket] + left[bucket]
        if size == 0:
            continue
        for place in range(size):
            value, child = away[begin + place], place
            while child > 0 and heap[(child - 1) // 2] < value:
                heap[child] = heap[(child - 1) // 2]
                child = (child - 1) // 2
            heap[child] = value
        for i in range(begin + size, end):
            value = away[i]
            if value < heap[0]:
                parent, child = 0, 1
                while child < size:
                    if child + 1 < size and heap[child + 1] > heap[child]:
                        child += 1
                    if heap[child] <= value:
                        break
                    heap[parent] = heap[child]
                    parent, child = child, 2 * child + 1
                heap[parent] = value
        bound, before = heap[0], pending
        for i in range(begin, end):
            if away[i] <= bound + slack:
                if away[i] < bound - slack:
                    found[sure] = i
                    sure += 1
                    size -= 1
                else:
                    open_[pending] = i
                    pending += 1
        if pending - before == size:
            for place in range(before, pending):
                found[sure] = open_[place]
                sure += 1
            size, pending = 0, before
        short[bucket], opened[bucket] = size, pending - before
    return sure


def following(
    away: Doubles, labels: IntArray, wanted: IntArray, size: int, position: int, slack: float, found: IntArray
) -> int:
    """Write the positions with a wanted label that may be the next behind a position to `found`; return how many."""
    here, bound, count, kept = away[position], np.inf, 0, 0
    for i in range(size):
        if away[i] <= bound and away[i] >= here - slack and wanted[labels[i]]:
            found[count] = i
            count += 1
            if away[i] > here + slack:
                bound = min(bound, away[i] + slack)
    for place in range(count):
        if away[found[place]] <= bound:
            found[kept] = found[place]
            kept += 1
    return kept


def remove(
    falling: IntArray,
    columns: Doubles,
    cells: IntArray,
    rows: IntArray,
    labels: IntArray,
    away: Doubles,
    low: IntArray,
    left: IntArray,
) -> None:
    """Fill falling positions with what is last in their buckets."""
    bucket = len(low) - 1
    for position in falling:
        while position < low[bucket]:
            bucket -= 1
        left[bucket] -= 1
        last = low[bucket] + left[bucket]
        rows[position], labels[position], away[position] = rows[last], labels[last], away[last]
        for a in range(len(columns)):
            columns[a, position] = columns[a, last]
        for a in range(len(cells)):
            cells[a, position] = cells[a, last]
