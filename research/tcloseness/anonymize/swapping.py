"""k-anonymity-first microaggregation that swaps records until a class is t-close.

J. Soria-Comas, J. Domingo-Ferrer, D. Sánchez, S. Martínez, "t-Closeness Through Microaggregation: Strict Privacy with
Enhanced Utility Preservation", TKDE 27(11), 2015, Algorithm 2.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Collection, Mapping, Sequence
from fractions import Fraction

import numpy as np

from tcloseness.anonymize.merging import Records, asked_distance
from tcloseness.anonymize.records_left import RecordsLeft
from tcloseness.exact import IntArray, fits_int64
from tcloseness.ground import Cuts, GroundSpec
from tcloseness.limits import TimeLimit
from tcloseness.measures import EMD
from tcloseness.measures.emd import BoundEMD
from tcloseness.microdata import ClassCounts, Hierarchy, Microdata
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.models import PrivacyModel
from tcloseness.release.anonymized import Anonymized
from tcloseness.release.counting import classes_of

__all__ = ["swapping"]

_CELLS = 2**20
"""How many counts are compared at once."""

_INTERPRETED_VALUES = 10_000
"""Up to so many records times values swaps are compared in Python: machine code must be loaded."""


def swapping(
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
    """Anonymize by classes of k near records, each made t-close by swaps as far as that goes, then by mergers.

    As in MDAV, a class is made of the k records nearest to a seed, by turns the record farthest from the centre of what
    is left and the one farthest from the seed before. While its EMD from Q is above t, the other records that are left
    are tried in turn, nearest to the seed first: one takes the place of the record whose leaving makes the EMD least,
    if it falls by that. Fewer than 2k records are one class. What then still violates the model is merged with the
    class nearest to it.

    Parameters
    ----------
    table, hierarchies, k, sensitive, categorical, seed, time_limit, memory_limit
        As for `tcloseness.anonymize.mdav`.
    model
        One t-closeness with a threshold and a ground distance, alone or combined with other models.

    Raises
    ------
    InfeasibleError, NotReached, LimitReached
        As `tcloseness.anonymize.mdav`.
    InputError
        If the model has no such t-closeness, or more than one.

    Notes
    -----
    Swaps keep the size of a class, so a t below what k records can reach (`least_distance`) is left to the mergers.
    Among records that may leave alike, the one farthest from the seed does. Which swaps are made depends on the
    sensitive values, as t-closeness does: a reader who knows the code and the quasi-identifiers may conclude something
    from the classes. Ties do not depend on them: they are broken by quasi-identifiers, then drawn. With a given seed
    the order of the rows changes nothing, up to records that are equal in everything. What a swap brings depends on the
    two sensitive values alone, so it is worked out once for each pair of values after each swap. Cost O(n²/k) for each
    attribute, O(n) for each swap, and m·k EMDs for each class and each swap; with a ground distance that has cuts these
    are m·k differences of sums.

    References
    ----------
    Soria-Comas et al. 2015, Algorithm 2; its seeds are chosen as in MDAV.

    Examples
    --------
    >>> import pandas as pd
    >>> from tcloseness.models import KAnonymity, TCloseness
    >>> frame = pd.DataFrame({"x": [1, 2, 3, 4], "salary": [1, 1, 2, 2]})
    >>> table = Microdata.from_frame(frame, quasi_identifiers="x", sensitive="salary")
    >>> found = swapping(table, KAnonymity(2) & TCloseness(0, ground="ordered"))
    >>> found.done["swaps"], found.done["mergers"], [group.tolist() for group in found.grouped.groups]
    (1, 0, [[0, 2], [1, 3]])
    """
    table = in_shape(table, Microdata)
    aim = asked_distance(model, "microaggregation with swaps")
    records = Records(table, model, hierarchies, sensitive, categorical, seed, time_limit, memory_limit)
    size = records.size(k)
    swaps = _Swaps(records, _emd(records, aim.ground, aim.t, size), size)
    classes = swaps.classes()
    return records.merged_release(
        classes,
        method="microaggregation with swaps",
        done={"k": size, "swaps": swaps.made, "classes before mergers": int(classes.max()) + 1},
        last_records="fewer than 2k are one class, without swaps",
    )


class _Swaps:
    """Records 0, 1, … with their sensitive codes, grouped one class after the other."""

    def __init__(self, records: Records, emd: _ByCuts | _BySolver, k: int) -> None:
        self.clock, self.emd, self.k, self.made = records.clock, emd, k, 0
        self.left = RecordsLeft(records.distances, len(records.codes), labels=self.emd.place[records.codes])
        self.records = len(records.codes)

    def classes(self) -> IntArray:
        """Return the class of each record."""
        class_of = np.empty(self.records, dtype=np.int64)
        number = 0
        while len(self.left) >= 2 * self.k:
            if number % 2 == 0:
                self.left.measure()
            self.left.measure(self.left.farthest())
            class_of[self.left.take(self._swapped())] = number
            number += 1
        class_of[self.left.records()] = number
        return class_of

    def _swapped(self) -> IntArray:
        """Return the positions of the records nearest to the seed, after their swaps."""
        members = self.left.ordered(self.left.nearest([self.k])).tolist()
        values = self.left.labels[members].tolist()
        held = np.bincount(values, minlength=len(self.emd.place))
        last = members[-1]
        while True:
            self._check()
            leaving = list(dict.fromkeys(reversed(values)))  # the value whose record is farthest from the seed first
            away, after, which = self.emd.by_swap(held, leaving, self._check)
            if away <= self.emd.limit:
                break
            last = self.left.following(last, after < away)
            if last is None:
                break
            joins = int(self.left.labels[last])
            leaves = leaving[which[joins]]
            place = self.k - 1 - values[::-1].index(leaves)
            for line, new in ((members, last), (values, joins)):  # it is no nearer to the seed than the others are
                del line[place]
                line.append(new)
            held[joins] += 1
            held[leaves] -= 1
            self.made += 1
        return np.array(members)

    def _check(self) -> None:
        done = classes_of(self.records - len(self.left), self.records)
        self.clock.check(f"{done}, by {self.made:,} swaps")


def _emd(records: Records, ground: GroundSpec, t: Fraction, k: int) -> _ByCuts | _BySolver:
    bound = EMD(ground).over(records.counting.domain)
    cuts = bound.ground.cuts
    return _BySolver(records, bound, t, k) if cuts is None else _ByCuts(records, cuts, t, k)


class _BySolver:
    """EMDs of classes of k records, in units of 1/(k·N·denominator), by any ground distance."""

    def __init__(self, records: Records, bound: BoundEMD, t: Fraction, k: int) -> None:
        self.counting, self.bound = records.counting, bound
        self.unit = k * len(records.codes) * bound.ground.denominator
        self.limit, self.place = math.floor(t * self.unit), np.arange(len(self.counting.domain))

    def by_swap(self, held: IntArray, leaving: list[int], check: Callable[[], None]) -> tuple[int, IntArray, IntArray]:
        """Return the EMD of a class; by joining value the least after a swap, and which leaving value is the first."""
        after, which = np.empty(len(held), dtype=object), np.empty(len(held), dtype=np.int64)
        at_once = max(1, _CELLS // (len(leaving) * len(held)))
        for start in range(0, len(held), at_once):
            check()
            joining = np.arange(start, min(start + at_once, len(held)))
            counts = np.tile(held, (len(joining), len(leaving), 1))
            counts[np.arange(len(joining)), :, joining] += 1
            counts[:, np.arange(len(leaving)), leaving] -= 1
            away, *found = self._each([held, *counts.reshape(-1, len(held))])
            by_joining = np.array(found, dtype=object).reshape(counts.shape[:2])
            which[joining] = by_joining.argmin(axis=1)
            after[joining] = by_joining.min(axis=1)
        return away, after, which

    def _each(self, counts: Sequence[IntArray]) -> list[int]:
        """Return the EMD of classes with these counts from Q."""
        matrix = np.array(counts)
        classes, values = np.nonzero(matrix)
        cells = np.searchsorted(classes, np.arange(len(matrix) + 1)), values, matrix[classes, values]
        reference = self.counting.reference
        found = self.bound.per_class(ClassCounts.from_cells(self.counting.domain, *cells, reference=reference))
        ratios = zip(found.numerators.tolist(), found.denominators.tolist(), strict=True)
        return [above * (self.unit // below) for above, below in ratios]


class _ByCuts:
    """EMDs of classes of k records, in the same units, by the closed form Σ_S w_S·|c(S)·N − C(S)·k|.

    Values go by their places in the order of the cuts.
    """

    def __init__(self, records: Records, cuts: Cuts, t: Fraction, k: int) -> None:
        n, m = len(records.codes), len(cuts.order)
        self.limit, self.place, self._records = math.floor(t * k * n * cuts.denominator), cuts.place, n
        # a sum is at most k·N, and changes by N at a swap
        fits = fits_int64(cuts.total_weight, n, 4 * (k + 2))
        dtype = np.dtype(np.int64 if fits else object)
        self._low, self._high, self._weights = cuts.low, cuts.high, cuts.weights.astype(dtype)
        shares = np.append([0], np.cumsum(records.counting.reference[cuts.order])).astype(dtype)
        self._share = (shares[self._high] - shares[self._low]) * k
        self._sets = self._low, self._high, self._weights, self._share
        self._run = work_after_swaps
        if fits and n * m > _INTERPRETED_VALUES:
            from tcloseness.anonymize import compiled

            self._run = compiled.work_after_swaps
        self._changes, self._steps = np.empty((2, len(cuts)), dtype=dtype), np.empty(m + 1, dtype=dtype)

    def by_swap(self, held: IntArray, leaving: list[int], check: Callable[[], None]) -> tuple[int, IntArray, IntArray]:
        """Return the EMD of a class; by joining value the least after a swap, and which leaving value is the first."""
        held = held.astype(self._steps.dtype)
        after, which = np.empty_like(held), np.empty(len(held), dtype=np.int64)
        away = self._run(held, np.array(leaving), self._records, *self._sets, self._changes, self._steps, after, which)
        return int(away), after, which


def work_after_swaps(
    held: IntArray,
    leaving: IntArray,
    records: int,
    low: IntArray,
    high: IntArray,
    weights: IntArray,
    share: IntArray,
    changes: IntArray,
    steps: IntArray,
    after: IntArray,
    which: IntArray,
) -> int:
    """Return Σ_S w_S·|c(S)·N − share_S|; write by joining place the least after a swap, and who leaves for it.

    Parameters
    ----------
    held
        The counts c by place, before the swap.
    leaving
        Places of values that may leave; the first of equals is taken.
    records, low, high, weights, share
        N, and the sets.
    changes, steps
        Shapes (2, sets) and (places + 1,), whatever is in them: what one record more and one less changes in a set; and
        where the change of a joining place changes. A set that holds both places stays as it is.
    after, which
        Where they are written.
    """
    steps[0] = 0
    for place in range(len(held)):
        steps[place + 1] = steps[place] + held[place]
    work = steps[0]
    for s in range(len(low)):
        off = (steps[high[s]] - steps[low[s]]) * records - share[s]
        work += weights[s] * abs(off)
        changes[0, s] = weights[s] * (abs(off + records) - abs(off))
        changes[1, s] = weights[s] * (abs(off - records) - abs(off))
    for number in range(len(leaving)):
        leaves, so_far = leaving[number], work
        for place in range(len(steps)):
            steps[place] = 0
        for s in range(len(low)):
            change = changes[0, s]
            if low[s] <= leaves < high[s]:
                so_far += changes[1, s]
                change = -changes[1, s]
            steps[low[s]] += change
            steps[high[s]] -= change
        for place in range(len(held)):
            so_far += steps[place]
            if number == 0 or so_far < after[place]:
                after[place] = so_far
                which[place] = number
    return work  # type: ignore[no-any-return]
