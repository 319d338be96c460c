"""`Pricing`: every class whose reduced cost is at most a limit, by branch and bound in whole numbers.

Given a price p_i for each record, the reduced cost of a class C is r(C) = S·cost(C) − Σ_{i in C} p_i, in units 1/S of
whole cost. Classes are built record by record in one order. From a group G of s records on, whatever is added,

    r ≥ r(G) + Σ (the least gains g_j of later records j: as many as the class still needs, and further ones below 0),

where a record j that joins costs at least g_j = S·max(E(G), c_ij for i in G) − p_j in a loss of cells: the penalty E of
a class is at least that of each pair c_ij in it. In a loss of sizes g_j =
S·(c(s + 1) − c(s)) − p_j, for c is convex: S·(2s + 1) − p_j for DM, and −p_j for C_AVG. Groups whose
bound is above the limit are dropped. No solver is asked and nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from tcloseness.errors import TimeLimitReached
from tcloseness.exact import IntArray
from tcloseness.limits import Clock
from tcloseness.loss import CellCost
from tcloseness.models import PrivacyModel
from tcloseness.models.conditions import least_records
from tcloseness.optimal.class_costs import ClassCosts
from tcloseness.optimal.kinds import KindCounts
from tcloseness.optimal.program import require_exact
from tcloseness.optimal.set_partitioning import greatest_needed, satisfying

__all__ = ["SCALE", "Found", "Pricing"]

SCALE = 2**16
"""S: prices are whole multiples of 1/S of whole cost."""

_NEVER = 2**60
"""The gain of a record that may not join; no sum of others comes near it."""

_MOST_FOUND = 300_000
"""After so many classes the rest of a search in depth counts as left out; or fewer, see `_CELLS`."""

_CELLS = 2**21
"""How many whole numbers a step of a search holds in one array, so that memory stays small and a limit is noticed."""

_PAIRS = 2**17
"""How many pairs of values are compared at a time."""

_JUDGED = 5_000
"""How many classes are judged at a time, so that those that are can be used when the time is over."""

_MOST_WAITING = 2**28
"""With so many bytes of groups that wait to be followed, the rest of a search in depth counts as left out."""


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
    """Groups of one size: items ascending, E, r, and the bound on r."""

    items: IntArray
    penalty: IntArray
    reduced: IntArray
    bound: IntArray

    def __getitem__(self, which: IntArray | slice) -> _Groups:
        return _Groups(*(part[which] for part in self._parts))

    @property
    def _parts(self) -> tuple[IntArray, ...]:
        return self.items, self.penalty, self.reduced, self.bound

    @property
    def bytes(self) -> int:
        return sum(part.nbytes for part in self._parts)

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
    kinds, model, costs
        The records, what a class must satisfy, and what it costs.

    clock
        Building ends when a limit is reached.

    Raises
    ------
    LimitReached
        If costs are too large, the penalties of all pairs take too much memory, or a limit is reached.
    """

    def __init__(self, kinds: KindCounts, model: PrivacyModel, costs: ClassCosts, clock: Clock) -> None:
        self.kinds, self.model, self.costs = kinds, model, costs
        self.least, self.most = least_records(model), greatest_needed(model, kinds.records)
        clock.require_memory(
            8 * (6 * kinds.records**2 + 2 * len(kinds) ** 2),
            f"the search for classes of {kinds.records} records, which compares them pair by pair,",
            instead="a smaller table",
        )
        self._kind_of = np.repeat(np.arange(len(kinds)), kinds.counts)  # items: records, equal ones side by side
        self._fresh = np.diff(self._kind_of, prepend=-1) > 0
        self.pairs = self._pair_penalties(clock)
        greatest = max(map(abs, map(int, costs.sizes)), default=0)
        require_exact([SCALE * max(greatest, kinds.records**2 * max(1, int(self.pairs.max(initial=0))))])
        self._pairs = self.pairs[np.ix_(self._kind_of, self._kind_of)]
        self._chunk = max(1, _CELLS // kinds.records**2)  # groups that grow at a time
        self._most_found = min(_MOST_FOUND, 8 * _CELLS // len(kinds))

    def _pair_penalties(self, clock: Clock) -> IntArray:
        """Return what a record of each class of two kinds costs by a loss of cells, shape (kinds, kinds); else 0."""
        size = len(self.kinds)
        found = np.zeros((size, size), dtype=np.int64)
        if not isinstance(self.costs.form, CellCost):
            return found
        for a in range(len(self.costs.attributes)):
            values, value_of = np.unique(self.kinds.codes[:, a], return_inverse=True)
            rows = max(1, _PAIRS // len(values))
            for at in range(0, len(values), rows):
                clock.check("the records are compared pair by pair")
                here = values[at : at + rows]
                both = np.stack(np.broadcast_arrays(here[:, None], values), axis=-1).reshape(-1)
                table = self.costs.penalties(a, both, np.arange(0, len(both), 2)).reshape(len(here), len(values))
                mine = np.flatnonzero((value_of >= at) & (value_of < at + rows))
                found[mine] += table[value_of[mine] - at][:, value_of]
        return found

    def reduced(self, groups: IntArray, prices: IntArray) -> IntArray:
        """Return S·cost(C) − Σ p of groups, shape (groups, kinds)."""
        return np.asarray(SCALE * self.costs.of_groups(self.kinds, groups) - groups @ prices)

    def near(self, groups: IntArray, prices: IntArray, *, most: int, clock: Clock) -> IntArray:
        """Return some classes of negative reduced cost that differ from given groups by one record more, less or other.

        Of each group at most so many are worked out as can be of use by the pair penalties, and of all of these at most
        so many are tried on the model, those of the least reduced costs. It ends early when no time is left.
        """
        found, reduced = groups[:0], np.zeros(0, dtype=np.int64)
        for group in groups:
            if clock.over:
                break
            new = self._beside(group, prices, most)
            found = np.concatenate([found, new])
            reduced = np.concatenate([reduced, self.reduced(new, prices)])
            if len(found) > 4 * most:
                found, reduced = _least(found, reduced, most)
        found, _ = _least(found, reduced, most)
        return np.asarray(found[satisfying(self.kinds, self.model, found, clock)])

    def _beside(self, group: IntArray, prices: IntArray, most: int) -> IntArray:
        """Return groups that differ by a record more, less or other: those of the least bounds on r below 0."""
        held = np.flatnonzero(group)
        bases = np.repeat(group[None], len(held) + 1, axis=0)
        bases[np.arange(1, len(bases)), held] -= 1
        bases = bases[bases.any(axis=1)]
        sizes = bases.sum(axis=1)
        if isinstance(self.costs.form, CellCost):
            own = self.costs.of_groups(self.kinds, bases) // sizes
            floors = np.stack([self.pairs[np.flatnonzero(base)].max(axis=0) for base in bases])
            cost = SCALE * (sizes + 1)[:, None] * np.maximum(own[:, None], floors)
        else:
            cost = self._cost_of_sizes(sizes + 1)[:, None]
        bound = cost - (bases @ prices)[:, None] - prices
        fits = (bases < self.kinds.counts) & (bound < 0)
        fits[(sizes + 1 < self.least) | (sizes + 1 > self.most)] = False
        base, kind = np.nonzero(fits)
        few = min(most, max(1, _CELLS // len(group)))
        if len(base) > few:
            best = np.argsort(bound[base, kind], kind="stable")[:few]
            base, kind = base[best], kind[best]
        grown = bases[base]
        grown[np.arange(len(grown)), kind] += 1
        return np.concatenate([grown, bases[(sizes >= self.least) & (sizes <= self.most)]])

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
        found, left_out = follow(p, limit, width or self._chunk, clock)
        groups = np.concatenate([np.zeros((0, len(self.kinds)), dtype=np.int64), *found])
        reduced = self.reduced(groups, prices)
        order = np.argsort(reduced, kind="stable")
        good: list[IntArray] = []
        for at in range(0, len(order), _JUDGED):
            here = order[at : at + _JUDGED]
            try:
                good.append(here[satisfying(self.kinds, self.model, groups[here], clock)])
            except TimeLimitReached:  # the rest, from this one on, is not judged
                left_out = min(left_out, int(reduced[here[0]]) - 1)
                break
        kept = np.sort(np.concatenate([order[:0], *good]))
        return Found(groups[kept], reduced[kept], left_out)

    def _by_size(self, p: IntArray, limit: int, width: int, clock: Clock) -> tuple[list[IntArray], int]:
        """Follow the best groups of each size, all sizes in turn."""
        left_out, found, classes = limit, list[IntArray](), 0
        groups = self._singles(p, limit)
        while len(groups.bound):
            if classes > self._most_found:
                return found, min(left_out, int(groups.bound.min()) - 1)
            found.append(self._classes(groups, limit))
            classes += len(found[-1])
            parts: list[_Groups] = []
            for at in range(0, len(groups.bound), self._chunk):
                if clock.over:
                    return found, min(left_out, int(groups.bound.min()) - 1)
                parts.append(self._grown(groups[at : at + self._chunk], p, limit))
                if at + self._chunk >= len(groups.bound) or sum(len(part.bound) for part in parts) > 2 * width:
                    best, next_best = _Groups.joined(parts).best(width)
                    parts, left_out = [best], min(left_out, next_best - 1)
            groups = parts[0]
        return found, left_out

    def _in_depth(self, p: IntArray, limit: int, chunk: int, clock: Clock) -> tuple[list[IntArray], int]:
        """Follow all groups, some of them to the end before the others, so that few are held at a time."""
        left_out, found, classes = limit, list[IntArray](), 0
        waiting = [self._singles(p, limit)]
        held = waiting[0].bytes
        while waiting:
            groups = waiting.pop()
            held -= groups.bytes
            if not len(groups.bound):
                continue
            if clock.over or classes > self._most_found or held > _MOST_WAITING:
                left_out = min(left_out, int(groups.bound.min()) - 1)
                continue
            found.append(self._classes(groups[:chunk], limit))
            classes += len(found[-1])
            waiting += [groups[chunk:], self._grown(groups[:chunk], p, limit)]
            held += sum(each.bytes for each in waiting[-2:])
        return found, left_out

    def _classes(self, groups: _Groups, limit: int) -> IntArray:
        """Return those of some groups that are large enough, and of reduced cost ≤ limit."""
        enough = groups.items.shape[1] >= self.least
        return self._counted(groups.items[groups.reduced <= limit if enough else slice(0)])

    def _singles(self, p: IntArray, limit: int) -> _Groups:
        items = np.flatnonzero(self._fresh)
        penalty = np.zeros(len(items), dtype=np.int64)
        reduced = self._cost(1, penalty) - p[items]
        rows = max(1, _CELLS // len(p))
        bound = np.concatenate(
            [
                self._bound(1, reduced[here], penalty[here], self._pairs[items[here]], items[here], p)
                for here in (slice(at, at + rows) for at in range(0, len(items), rows))
            ]
        )
        return _Groups(items[:, None], penalty, reduced, bound)[bound <= limit]

    def _grown(self, groups: _Groups, p: IntArray, limit: int) -> _Groups:
        """Return the groups of one record more, the added one last; of equal records the first that is not in yet."""
        size = groups.items.shape[1] + 1
        if size > self.most:
            return groups[:0]
        floors = self._pairs[groups.items[:, 0]]
        for item in groups.items.T[1:]:
            np.maximum(floors, self._pairs[item], out=floors)
        last = groups.items[:, -1:]
        places = np.arange(len(p))
        parent, item = np.nonzero((places > last) & (self._fresh | (places == last + 1)))
        paid = groups.reduced - self._cost(size - 1, groups.penalty)
        penalty = np.maximum(groups.penalty[parent], floors[parent, item])
        floors = np.maximum(floors[parent], self._pairs[item])
        reduced = paid[parent] - p[item] + self._cost(size, penalty)
        bound = self._bound(size, reduced, penalty, floors, item, p)
        good = bound <= limit  # by the pairs; the exact penalty is worked out for the others only
        parent, item, floors = parent[good], item[good], floors[good]
        items = np.concatenate([groups.items[parent], item[:, None]], axis=1)
        penalty = self._penalty(items)
        reduced = paid[parent] - p[item] + self._cost(size, penalty)
        bound = self._bound(size, reduced, penalty, floors, item, p)
        return _Groups(items, penalty, reduced, bound)[bound <= limit]

    def _bound(
        self, size: int, reduced: IntArray, penalty: IntArray, floors: IntArray, last: IntArray, p: IntArray
    ) -> IntArray:
        """Return a bound on r of groups and of all that they grow to."""
        if isinstance(self.costs.form, CellCost):
            gains = SCALE * np.maximum(penalty[:, None], floors) - p
        else:
            more = SCALE * int(self.costs.sizes[size + 1] - self.costs.sizes[size])
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
        if not isinstance(self.costs.form, CellCost):
            return np.zeros(len(items), dtype=np.int64)
        return np.asarray(self.costs.of_groups(self.kinds, self._counted(items)) // items.shape[1])

    def _cost(self, size: int, penalty: IntArray) -> IntArray:
        """Return S·cost of groups of one size."""
        if isinstance(self.costs.form, CellCost):
            return np.asarray(SCALE * size * penalty)
        return self._cost_of_sizes(np.full(len(penalty), size))

    def _cost_of_sizes(self, sizes: IntArray) -> IntArray:
        """Return S·cost of groups by a loss that sizes alone decide."""
        return np.asarray(SCALE * self.costs.of_sizes(sizes))

    def _counted(self, items: IntArray) -> IntArray:
        """Return how many records of each kind groups have, shape (groups, kinds)."""
        groups = np.zeros((len(items), len(self.kinds)), dtype=np.int64)
        np.add.at(groups, (np.arange(len(items))[:, None], self._kind_of[items]), 1)
        return groups


def _least(groups: IntArray, reduced: IntArray, most: int) -> tuple[IntArray, IntArray]:
    """Return so many groups of the least reduced costs below 0, each once, and these costs."""
    order = np.argsort(reduced, kind="stable")
    first: dict[bytes, int] = {}
    for place in order[: np.count_nonzero(reduced < 0)].tolist():
        first.setdefault(groups[place].tobytes(), place)
        if len(first) == most:
            break
    kept = np.array([*first.values()], dtype=np.int64)
    return groups[kept], reduced[kept]
