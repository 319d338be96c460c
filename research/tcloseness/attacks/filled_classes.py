"""An attack on classes that were filled one after the other from buckets of sensitive values.

J. Soria-Comas, J. Domingo-Ferrer, D. Sánchez, S. Martínez, "t-Closeness Through Microaggregation: Strict Privacy with
Enhanced Utility Preservation", TKDE 27(11), 2015, Algorithm 3. A class takes from each bucket the records nearest to
its seed, and seeds depend on quasi-identifiers alone. So whoever knows these and who is in which class replays the
seeds, and knows of each class C with seed z:

    if p in C is from bucket b, no record that is left for later classes and nearer to z than p is from b.

Buckets are narrowed by this and by how many records a class takes from each, until nothing changes. Every original is
among what is left. The names of the buckets stay open where they are alike, until somebody's value is known.
"""

from __future__ import annotations

from collections.abc import Hashable, Mapping, Sequence
from typing import Any, Protocol

import numpy as np

from tcloseness.attacks.candidates import Candidates, candidates_left
from tcloseness.errors import InputError
from tcloseness.exact import IntArray

__all__ = ["Distances", "filled_classes_attack"]


class Distances(Protocol):
    """Distances between records by their quasi-identifiers, as `tcloseness.anonymize.distances.SquaredDistances`."""

    def between(self, record: int, rows: IntArray) -> IntArray:
        """Return those of one record from some records."""

    def sums(self, members: IntArray, rows: IntArray) -> IntArray:
        """Return for each of some records the sum of its distances from the members of a set."""


def filled_classes_attack(
    class_of: IntArray,
    values: Sequence[Sequence[Hashable]],
    quotas: IntArray,
    distances: Distances,
    places: IntArray,
    *,
    known: Mapping[int, Hashable] | None = None,
    sensitive: str = "sensitive",
) -> Candidates:
    """Return the sensitive values that are left for each person of a release by `closeness_first`.

    Parameters
    ----------
    class_of
        The class 0, 1, … of each record.
    values
        By class its sensitive values, one a record, in the line that is cut into buckets.
    quotas
        How many records each class takes from each bucket, in the order in which the classes are made, shape (classes,
        buckets).
    distances
        Those that the method uses.
    places
        The place of each record by its quasi-identifiers, equal ones alike; of equally far records the first is taken.
    known
        Values that the attacker knows, by record; each is one of its class.
    sensitive
        The sensitive attribute's name.

    Returns
    -------
    Candidates
        By record. With a contradiction where some record is left without a bucket.

    Raises
    ------
    InputError
        For shapes or numbers of records that do not match, a known record that there is not, or a known value that the
        class does not have.

    Notes
    -----
    Seeds are replayed up to the first that is drawn among equal records of several classes. Sound, and not complete.
    `tcloseness.anonymize.closeness_first` draws ties only, so this attack works on it; nothing cheap prevents it.

    Examples
    --------
    >>> import pandas as pd
    >>> class Line:
    ...     def between(self, record, rows):
    ...         return (rows - record) ** 2
    ...     def sums(self, members, rows):
    ...         return ((rows[:, None] - members[None, :]) ** 2).sum(axis=1)
    >>> release = np.array([0, 0]), [["low", "high"]], np.array([[1, 1]])
    >>> found = filled_classes_attack(*release, Line(), np.arange(2), known={0: "low"})
    >>> [sorted(each) for each in found.left]
    [['low'], ['high']]
    """
    class_of, quotas = np.asarray(class_of, dtype=np.int64), np.asarray(quotas, dtype=np.int64)
    places = np.asarray(places)
    sizes = np.bincount(class_of) if class_of.ndim == 1 and (class_of >= 0).all() else np.zeros(0, dtype=np.int64)
    if not len(sizes) or len(sizes) != len(quotas) or [len(each) for each in values] != sizes.tolist():
        raise InputError(
            f"there are {len(sizes)} classes, quotas of {len(quotas)} and values of {len(values)}; give a row of "
            "quotas for each class, and a value for each of its records"
        )
    if quotas.ndim != 2 or places.shape != class_of.shape:
        raise InputError(
            f"quotas has shape {quotas.shape}, and places {places.shape}; give quotas as classes by buckets, and the "
            f"places of all {len(class_of)} records"
        )
    if quotas.size == 0 or quotas.min() < 1:
        raise InputError("a class takes no record from some bucket; the attack is on classes with a record from each")
    for record in known or {}:
        if not 0 <= record < len(class_of):
            raise InputError(f"known= names record {record!r}, and they are 0 to {len(class_of) - 1}; correct it")
    order = _replayed(distances, class_of, places)
    if [sizes[group] for group, _ in order] != quotas[: len(order)].sum(axis=1).tolist() or sorted(
        np.delete(sizes, [group for group, _ in order]).tolist()
    ) != sorted(quotas[len(order) :].sum(axis=1).tolist()):
        raise InputError("classes have other numbers of records than quotas says; give those of the release")
    search = _Buckets(class_of, quotas, order)
    slices = search.values_by_bucket(values)
    for record, value in (known or {}).items():
        search.know(record, [b for b, mine in enumerate(slices[class_of[record]]) if value in mine], value)
    search.run(distances)
    left, before = [], []
    for record, group in enumerate(class_of.tolist()):
        mine = [each for b, each in enumerate(slices[group]) if search.left[record] >> b & 1]
        left.append(frozenset(value for each in mine for value in each))
        before.append(frozenset(values[group]))
        if known and record in known:
            left[-1] = frozenset([known[record]])
    return candidates_left(
        left,
        before,
        sensitive,
        {
            "quasi-identifiers": "those of everybody, and the class of each",
            "persons": f"the values of {len(known or {})}",
            "the method": "with all its parameters; its draws are of ties only",
        },
        "Soria-Comas et al. 2015, Algorithm 3 (the classes); Xiao, Tao and Koudas 2010 (who knows the method)",
        {"rule": "of no other bucket can it be", "classes replayed": len(order), "classes": len(sizes)},
        None if search.left.all() else "a record is from no bucket",
    )


def _replayed(distances: Distances, class_of: IntArray, places: IntArray) -> list[tuple[int, int]]:
    """Return class and seed of each class in the order in which they are made, as far as these are known."""
    rows = np.arange(len(class_of))
    before: int | None = None
    found: list[tuple[int, int]] = []
    while len(rows):
        away = distances.sums(rows, rows) if before is None else distances.between(before, rows)
        best = rows[away == away.max()]
        best = best[places[best] == places[best].min()]
        if len(set(class_of[best].tolist())) > 1:
            break
        seed = int(best[0])
        before = seed if before is None else None
        group = int(class_of[seed])
        found.append((group, seed))
        rows = rows[class_of[rows] != group]
    return found


class _Buckets:
    """The buckets that are left for each record, as bits."""

    def __init__(self, class_of: IntArray, quotas: IntArray, order: Sequence[tuple[int, int]]) -> None:
        self.class_of, self.quotas, self.order = class_of, quotas, order
        self.buckets = quotas.shape[1]
        bits = np.int64 if self.buckets < 63 else object  # whole numbers of any length
        self.left: Any = np.full(len(class_of), (1 << self.buckets) - 1, dtype=bits)
        self.members = [np.flatnonzero(class_of == group) for group in range(len(quotas))]
        self.made = np.full(len(quotas), len(order))
        for number, (group, _) in enumerate(order):
            self.made[group] = number

    def values_by_bucket(self, values: Sequence[Sequence[Hashable]]) -> list[list[Sequence[Hashable]]]:
        """Return by class and bucket the values that it has from there; all of them where quotas are not known."""
        found = []
        for group, mine in enumerate(values):
            quota = self.quota(group)
            if quota is None:
                found.append([mine] * self.buckets)
                continue
            ends = np.cumsum(quota).tolist()
            found.append([mine[a:b] for a, b in zip([0, *ends[:-1]], ends, strict=True)])
        return found

    def quota(self, group: int) -> IntArray | None:
        """Return how many records a class has from each bucket; None where its place among the classes decides that."""
        number = int(self.made[group])
        rest = self.quotas[number:] if number == len(self.order) else self.quotas[number : number + 1]
        return rest[0] if (rest == rest[0]).all() else None

    def know(self, record: int, buckets: Sequence[int], value: Hashable) -> None:
        if not buckets:
            raise InputError(
                f"record {record} is said to have {value!r}, and its class does not have it; correct known="
            )
        self.left[record] = sum(1 << b for b in buckets)

    def run(self, distances: Distances) -> None:
        views = [self._view(number, seed, distances) for number, (_, seed) in enumerate(self.order)]
        while True:
            before = self.left.copy()
            for group, mine in enumerate(self.members):
                self._count(mine, self.quota(group))
            for view in views:
                self._compare(*view)
            if (self.left == before).all():
                return

    def _view(self, number: int, seed: int, distances: Distances) -> tuple[Any, ...]:
        """Return a class by distance from its seed, and the later records that lie nearer than its farthest."""
        mine = np.flatnonzero(self.made[self.class_of] == number)
        later = np.flatnonzero(self.made[self.class_of] > number)
        mine = mine[np.argsort(distances.between(seed, mine), kind="stable")]
        of_mine, of_later = distances.between(seed, mine), distances.between(seed, later)
        near = of_later < of_mine[-1]
        later, of_later = later[near], of_later[near]
        by = np.argsort(of_later, kind="stable")
        place = np.searchsorted(of_mine, of_later, side="right")
        reach = np.searchsorted(of_later[by], of_mine, side="left")
        return mine, later, place, reach, by

    def _count(self, mine: IntArray, quota: IntArray | None) -> None:
        """Use how many records of a class are from each bucket."""
        left = self.left
        for bucket, most in enumerate([] if quota is None else quota.tolist()):
            bit = 1 << bucket
            able = mine[(left[mine] & bit) > 0]
            alone = int((left[able] == bit).sum())
            if len(able) < most or alone > most:
                left[mine] = 0  # no way is left
            elif len(able) == most:
                left[able] = bit
            elif alone == most:
                left[able[left[able] != bit]] &= ~bit

    def _compare(self, mine: IntArray, later: IntArray, place: IntArray, reach: IntArray, by: IntArray) -> None:
        """Use that no later record of a bucket is nearer to the seed than one of the class is."""
        if not len(later):
            return
        left = self.left
        ahead = np.concatenate([[0], np.bitwise_or.accumulate(left[mine])])
        left[later] &= ahead[place]
        alone = left[later[by]]
        alone = np.where((alone & (alone - 1)) == 0, alone, 0)
        gone = np.concatenate([[0], np.bitwise_or.accumulate(alone)])
        left[mine] &= ~gone[reach]
