"""`Pricing`: every class whose reduced cost is at most a limit, by branch and bound in whole numbers.

Given a price p_i for each record, the reduced cost of a class C is r(C) = S·cost(C) − Σ_{i in C} p_i, in units 1/S of
whole cost. Classes are built record by record in one order. From a group G of s records on, whatever is added,

    r ≥ r(G) + Σ (the least gains g_j of later records j: as many as the class still needs, and further ones below 0),

where a record j that joins costs at least g_j = S·max(E(G), c_ij for i in G) − p_j in a loss of cells: the penalty E of
a class is at least that of each pair c_ij in it. For DM g_j = S·(2s + 1) − p_j, and for C_AVG g_j = −p_j. Groups whose
bound is above the limit are dropped. No solver is asked and nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tcloseness.anonymize import PartitionCost
from tcloseness.anonymize.costs import Cells, Discerned
from tcloseness.exact import IntArray
from tcloseness.limits import Clock
from tcloseness.models import PrivacyModel
from tcloseness.optimal.class_costs import scaled_classes
from tcloseness.optimal.kinds import Kinds
from tcloseness.optimal.program import require_exact
from tcloseness.optimal.set_partitioning import greatest_needed, least_needed, satisfying

__all__ = ["SCALE", "Found", "Pricing"]

SCALE = 2**16
"""S: prices are whole multiples of 1/S of whole cost."""

_NEVER = 2**60
"""The gain of a record that may not join; no sum of others comes near it."""

_MOST_FOUND = 300_000
"""After so many classes the rest of a search in depth counts as left out."""

_CHUNK = 500
"""How many groups grow at a time, so that memory stays small."""


@dataclass(frozen=True)
class Found:
    """Classes of small reduced cost.

    Attributes
    ----------
    groups
        Shape (groups, kinds); each satisfies the model and has a reduced cost of at most the limit.
    reduced
        Their reduced costs, shape (groups,).
    left_out
        Every other class has a greater reduced cost than this: the limit, or less where groups were left out.
    """

    groups: IntArray
    reduced: IntArray
    left_out: int


@dataclass(frozen=True)
class _Groups:
    """Groups of one size: items ascending, E, the greatest pair penalty with each item, r, and the bound on r."""

    items: IntArray
    penalty: IntArray
    floors: IntArray
    reduced: IntArray
    bound: IntArray

    def __getitem__(self, which: IntArray | slice) -> _Groups:
        return _Groups(*(part[which] for part in self._parts))

    @property
    def _parts(self) -> tuple[IntArray, ...]:
        return self.items, self.penalty, self.floors, self.reduced, self.bound

    @staticmethod
    def joined(parts: Sequence[_Groups]) -> _Groups:
        return _Groups(*(np.concatenate(arrays) for arrays in zip(*(part._parts for part in parts), strict=True)))

    def best(self, width: int) -> tuple[_Groups, int]:
        """Return the groups of the least bounds, and the least bound of the others."""
        if len(self.bound) <= width:
            return self, _NEVER
        order = np.argsort(self.bound, kind="stable")
        return self[order[:width]], int(self.bound[order[width]])


class Pricing:
    """The search for classes of small reduced cost.

    Parameters
    ----------
    kinds, model, cost
        The records, what a class must satisfy, and what it costs.

    Raises
    ------
    LimitReached
        If costs are too large.
    """

    def __init__(self, kinds: Kinds, model: PrivacyModel, cost: PartitionCost) -> None:
        self.kinds, self.model, self.cost = kinds, model, cost
        self.least, self.most = least_needed(model), greatest_needed(model, kinds.records)
        self._kind_of = np.repeat(np.arange(len(kinds)), kinds.counts)  # items: records, equal ones side by side
        self._fresh = np.diff(self._kind_of, prepend=-1) > 0
        pairs = self.pair_penalties()
        require_exact([SCALE * kinds.records**2 * max(1, int(pairs.max(initial=0)))])
        self._pairs = pairs[np.ix_(self._kind_of, self._kind_of)]

    def pair_penalties(self) -> IntArray:
        """Return what a record of each class of two kinds costs by a loss of cells, shape (kinds, kinds); else 0."""
        size = len(self.kinds)
        if not isinstance(self.cost, Cells):
            return np.zeros((size, size), dtype=np.int64)
        one = np.eye(size, dtype=np.int64)
        groups = (one[:, None, :] + one[None, :, :]).reshape(-1, size)
        return (scaled_classes(self.kinds, self.cost, groups) // 2).reshape(size, size)

    def reduced(self, groups: IntArray, prices: IntArray) -> IntArray:
        """Return S·cost(C) − Σ p of groups, shape (groups, kinds)."""
        return np.asarray(SCALE * scaled_classes(self.kinds, self.cost, groups) - groups @ prices)

    def near(self, groups: IntArray, prices: IntArray, *, most: int) -> IntArray:
        """Return some classes of negative reduced cost that differ from given groups by one record more, less or other.

        At most so many are tried on the model, those of the least reduced costs.
        """
        one = np.eye(len(self.kinds), dtype=np.int64)
        tried = [groups[:0]]
        for group in groups:
            more, less = one[group < self.kinds.counts], one[group > 0]
            tried += [group + more, group - less, (group + more[:, None] - less).reshape(-1, len(one))]
        found = np.unique(np.concatenate(tried), axis=0)
        sizes = found.sum(axis=1)
        found = found[(sizes >= self.least) & (sizes <= self.most)]
        reduced = self.reduced(found, prices)
        order = np.argsort(reduced, kind="stable")[:most]
        found = found[order[reduced[order] < 0]]
        return np.asarray(found[satisfying(self.kinds, self.model, found)])

    def search(self, prices: IntArray, limit: int, *, width: int | None, clock: Clock) -> Found:
        """Return the classes of reduced cost ≤ limit.

        Parameters
        ----------
        prices
            Shape (kinds,): p of a record of each kind.
        limit
            The greatest reduced cost, ≥ −2⁵³.
        width
            How many groups of each size are followed, those of the least bounds; the bound of the best of the others
            goes into `Found.left_out`. None for all.
        clock
            The search ends when no time is left; what is then still to be followed counts as left out.
        """
        p = prices[self._kind_of]
        follow = self._by_size if width is not None else self._in_depth
        found, left_out = follow(p, limit, width or _CHUNK, clock)
        classes = np.concatenate([np.zeros((0, len(self.kinds)), dtype=np.int64), *found])
        classes = classes[satisfying(self.kinds, self.model, classes)]
        return Found(classes, self.reduced(classes, prices), left_out)

    def _by_size(self, p: IntArray, limit: int, width: int, clock: Clock) -> tuple[list[IntArray], int]:
        """Follow the best groups of each size, all sizes in turn."""
        left_out, found = limit, []
        groups = self._singles(p, limit)
        while len(groups.bound):
            found.append(self._classes(groups, limit))
            parts: list[_Groups] = []
            for at in range(0, len(groups.bound), _CHUNK):
                if clock.over:
                    return found, min(left_out, int(groups.bound.min()) - 1)
                parts.append(self._grown(groups[at : at + _CHUNK], p, limit))
                if at + _CHUNK >= len(groups.bound) or sum(len(part.bound) for part in parts) > 2 * width:
                    best, next_best = _Groups.joined(parts).best(width)
                    parts, left_out = [best], min(left_out, next_best - 1)
            groups = parts[0]
        return found, left_out

    def _in_depth(self, p: IntArray, limit: int, chunk: int, clock: Clock) -> tuple[list[IntArray], int]:
        """Follow all groups, some of them to the end before the others, so that few are held at a time."""
        left_out, found, classes = limit, list[IntArray](), 0
        waiting = [self._singles(p, limit)]
        while waiting:
            groups = waiting.pop()
            if not len(groups.bound):
                continue
            if clock.over or classes > _MOST_FOUND:
                left_out = min(left_out, int(groups.bound.min()) - 1)
                continue
            waiting.append(groups[chunk:])
            found.append(self._classes(groups[:chunk], limit))
            classes += len(found[-1])
            waiting.append(self._grown(groups[:chunk], p, limit))
        return found, left_out

    def _classes(self, groups: _Groups, limit: int) -> IntArray:
        """Return those of some groups that are large enough, and of reduced cost ≤ limit."""
        enough = groups.items.shape[1] >= self.least
        return self._counted(groups.items[groups.reduced <= limit if enough else slice(0)])

    def _singles(self, p: IntArray, limit: int) -> _Groups:
        items = np.flatnonzero(self._fresh)
        penalty = np.zeros(len(items), dtype=np.int64)
        floors = self._pairs[items]
        reduced = self._cost(1, penalty) - p[items]
        bound = self._bound(1, reduced, penalty, floors, items, p)
        return _Groups(items[:, None], penalty, floors, reduced, bound)[bound <= limit]

    def _grown(self, groups: _Groups, p: IntArray, limit: int) -> _Groups:
        """Return the groups of one record more, the added one last; of equal records the first that is not in yet."""
        size = groups.items.shape[1] + 1
        if size > self.most:
            return groups[:0]
        last = groups.items[:, -1:]
        places = np.arange(len(p))
        parent, item = np.nonzero((places > last) & (self._fresh | (places == last + 1)))
        paid = groups.reduced - self._cost(size - 1, groups.penalty)
        penalty = np.maximum(groups.penalty[parent], groups.floors[parent, item])
        floors = np.maximum(groups.floors[parent], self._pairs[item])
        reduced = paid[parent] - p[item] + self._cost(size, penalty)
        bound = self._bound(size, reduced, penalty, floors, item, p)
        good = bound <= limit  # by the pairs; the exact penalty is worked out for the others only
        parent, item, floors = parent[good], item[good], floors[good]
        items = np.concatenate([groups.items[parent], item[:, None]], axis=1)
        penalty = self._penalty(items)
        reduced = paid[parent] - p[item] + self._cost(size, penalty)
        bound = self._bound(size, reduced, penalty, floors, item, p)
        return _Groups(items, penalty, floors, reduced, bound)[bound <= limit]

    def _bound(
        self, size: int, reduced: IntArray, penalty: IntArray, floors: IntArray, last: IntArray, p: IntArray
    ) -> IntArray:
        """Return a bound on r of groups and of all that they grow to."""
        if isinstance(self.cost, Cells):
            gains = SCALE * np.maximum(penalty[:, None], floors) - p
        else:
            more = SCALE * (2 * size + 1) if isinstance(self.cost, Discerned) else 0
            gains = np.broadcast_to(more - p, floors.shape)
        gains = np.asarray(np.where(np.arange(len(p)) > last[:, None], gains, _NEVER))
        needed, room = max(0, self.least - size), self.most - size
        if needed or room < len(p):
            gains = np.sort(gains, axis=1)[:, :room]
        impossible = (gains[:, :needed] == _NEVER).any(axis=1)
        gains[:, needed:] = np.minimum(gains[:, needed:], 0)
        return np.asarray(np.where(impossible, _NEVER, reduced + np.where(gains == _NEVER, 0, gains).sum(axis=1)))

    def _penalty(self, items: IntArray) -> IntArray:
        """Return what each record of groups costs by a loss of cells; else 0."""
        if not isinstance(self.cost, Cells):
            return np.zeros(len(items), dtype=np.int64)
        return np.asarray(scaled_classes(self.kinds, self.cost, self._counted(items)) // items.shape[1])

    def _cost(self, size: int, penalty: IntArray) -> IntArray:
        """Return S·cost of groups of one size."""
        if isinstance(self.cost, Cells):
            return np.asarray(SCALE * size * penalty)
        return np.full(len(penalty), SCALE * (size**2 if isinstance(self.cost, Discerned) else -1))

    def _counted(self, items: IntArray) -> IntArray:
        """Return how many records of each kind groups have, shape (groups, kinds)."""
        groups = np.zeros((len(items), len(self.kinds)), dtype=np.int64)
        np.add.at(groups, (np.arange(len(items))[:, None], self._kind_of[items]), 1)
        return groups
