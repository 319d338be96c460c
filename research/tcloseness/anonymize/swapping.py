"""k-anonymity-first microaggregation that swaps records until a class is t-close.

J. Soria-Comas, J. Domingo-Ferrer, D. Sánchez, S. Martínez, "t-Closeness Through Microaggregation: Strict Privacy with
Enhanced Utility Preservation", TKDE 27(11), 2015, Algorithm 2.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from fractions import Fraction

import numpy as np

from tcloseness.anonymize.merging import Records, asked_distance
from tcloseness.exact import IntArray
from tcloseness.ground import GroundSpec
from tcloseness.limits import TimeLimit
from tcloseness.measures import EMD
from tcloseness.microdata import ClassCounts, Hierarchy, Microdata
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.models import PrivacyModel
from tcloseness.release.anonymized import Anonymized
from tcloseness.release.counting import classes_of

__all__ = ["swapping"]

_CELLS = 2**20
"""How many counts are compared at once."""


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
    two sensitive values alone, so it is worked out once for each pair of values after each swap. Cost O(n²/k) look-ups
    for each attribute, and m·k EMDs for each class and each swap.

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
    swaps = _Swaps(records, aim.ground, aim.t)
    classes = swaps.classes(size)
    return records.merged_release(
        classes,
        method="microaggregation with swaps",
        done={"k": size, "swaps": swaps.made, "classes before mergers": int(classes.max()) + 1},
        last_records="fewer than 2k are one class, without swaps",
    )


class _Swaps:
    """Records 0, 1, … with their sensitive codes, grouped one class after the other."""

    def __init__(self, records: Records, ground: GroundSpec, t: Fraction) -> None:
        self.clock, self.left = records.clock, len(records)
        self.distances, self.counting, self.codes, self.t = records.distances, records.counting, records.codes, t
        self.emd = EMD(ground).over(self.counting.domain)
        self.made = 0

    def classes(self, k: int) -> IntArray:
        """Return the class of each record."""
        class_of = np.empty(len(self.codes), dtype=np.int64)
        rows = np.arange(len(class_of))
        counts = self.distances.counts(rows)
        before: int | None = None
        number = 0
        while len(rows) >= 2 * k:
            self.left = len(rows)
            self._check()
            if before is None:
                away = self.distances.sums_from_counts(counts, rows)
            else:
                away = self.distances.between(before, rows)
            seed = int(rows[np.argmax(away)])
            before = seed if before is None else None
            near = rows[np.argsort(self.distances.between(seed, rows), kind="stable")]
            members = self._swapped(near[:k].tolist(), near[k:].tolist())
            class_of[members] = number
            for total, removed in zip(counts, self.distances.counts(np.array(members)), strict=True):
                total -= removed
            rows = np.setdiff1d(rows, members, assume_unique=True)
            number += 1
        class_of[rows] = number
        return class_of

    def _swapped(self, members: list[int], others: list[int]) -> list[int]:
        """Return a class after its swaps; members and others from the nearest to the seed on."""
        held = np.bincount(self.codes[members], minlength=len(self.counting.domain))
        (away,) = self._distances(held[None, :])
        best: dict[int, tuple[Fraction, set[int]]] | None = None
        for other in others:
            if away <= self.t:
                break
            if best is None:
                best = self._best(held)
            value = int(self.codes[other])
            nearer, may_leave = best[value]
            if nearer < away:
                place = max(i for i, member in enumerate(members) if int(self.codes[member]) in may_leave)
                held[value] += 1
                held[self.codes[members[place]]] -= 1
                members = [*members[:place], *members[place + 1 :], other]  # it is no nearer to the seed than they are
                away, best = nearer, None
                self.made += 1
        return members

    def _best(self, held: IntArray) -> dict[int, tuple[Fraction, set[int]]]:
        """Return by joining value the least EMD of a class after a swap, and the values that may leave for that."""
        may_leave = np.flatnonzero(held).tolist()
        at_once = max(1, _CELLS // (len(may_leave) * len(held)))
        found: dict[int, tuple[Fraction, set[int]]] = {}
        for start in range(0, len(held), at_once):
            self._check()
            swaps = [(x, y) for x in range(start, min(start + at_once, len(held))) for y in may_leave]
            counts = np.tile(held, (len(swaps), 1))
            for swap, (joins, leaves) in enumerate(swaps):
                counts[swap, joins] += 1
                counts[swap, leaves] -= 1
            for (joins, leaves), emd in zip(swaps, self._distances(counts), strict=True):
                if joins not in found or emd < found[joins][0]:
                    found[joins] = emd, {leaves}
                elif emd == found[joins][0]:
                    found[joins][1].add(leaves)
        return found

    def _check(self) -> None:
        records = len(self.codes)
        self.clock.check(f"{classes_of(records - self.left, records)}, by {self.made:,} swaps")

    def _distances(self, counts: IntArray) -> list[Fraction]:
        """Return the EMD of classes with these counts from Q, shape (classes, values)."""
        classes = ClassCounts.from_matrix(counts.T, domain=self.counting.domain)
        found = self.emd.per_class(classes.with_reference(self.counting.reference))
        return [Fraction(found[i]) for i in range(len(found))]
