"""The most records of one class that can stay under a model, in whole numbers and without a solver.

Let x_v of n_v records of each value stay, and fix their number X. Then what a class is asked for is easy to decide:

- n ≥ k, and bounds on shares: x_v lies between ⌈λ_v·X⌉ and ⌊κ_v·X⌋.
- Least numbers of values, recursive (c,ℓ): the most even x, all as near to one level as their bounds allow. No x has a
  lesser r_1, a lesser sum of its greatest counts, or more values (it is majorized by every other). Without bounds on
  shares the greatest whole level at which it holds is the answer: r_1 / (r_ℓ + … + r_m) never falls with the level.
- t-closeness by cuts: the x of least work (`tcloseness.optimal.tree_flow`).

Only X is searched, from above. Over the reals the X that are possible go from 0 up to one number, which potentials find
in a few steps: each excludes all X above some X'. Whole X below it are tried one by one, and each that fails has prices
that prove it. Where the x of least work fails by another distance, recursive (c,ℓ) or distinct ℓ, and the most even x
by the distance, the x of that size are split between the two: x_v ≤ κ or x_v > κ, and so on.

Not decided here: bounds that are asked only of values that are there, and a ground distance without cuts.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import TypeAlias

from tcloseness.errors import TimeLimitReached
from tcloseness.ground import ground_distance
from tcloseness.limits import Clock
from tcloseness.models import PrivacyModel
from tcloseness.models.conditions import (
    LeastRecords,
    LeastValues,
    MostDistance,
    ShareBounds,
    TailBound,
    conditions_of,
)
from tcloseness.models.declared_values import codes_of
from tcloseness.optimal.linear_constraints import Setting, greatest_share, least_share
from tcloseness.optimal.tree_flow import TreeFlow
from tcloseness.printable import Brief

__all__ = ["Keeper", "Kept", "Split", "TreeNode"]

_MOST_NODES = 2000
"""Of the trees of one class, before it is left to a solver."""


@dataclass(frozen=True)
class Split:
    """The x with x_v ≤ most for one value v, and those with more."""

    value: int
    most: int


TreeNode: TypeAlias = Split | tuple[int, tuple[int, ...]] | None
"""Of a tree that excludes a size, each before what is within its first part, and that before its second: a split; which
distance's prices exclude all; or nothing, where there are none or the most even are not even enough."""


@dataclass(frozen=True)
class Kept(Brief):
    """The most records of one class that can stay.

    Attributes
    ----------
    counts
        Value code → how many are kept, > 0; empty if the class goes.
    bound
        No way to keep more than this many is left.
    by
        Who says so: ``exact`` or an engine's name; empty where the class is left to an engine, with what is known.
    potential
        Where t-closeness by cuts was decided in whole numbers: for each cut, in the order of the ground distance's
        `Cuts`, the price β_S that excludes all sizes above some size (`tcloseness.optimal.tree_flow`); None where none
        is needed.
    prices
        For each size above `bound` that is left by that: the prices of the first distance that exclude it. Sizes that
        bounds on shares or a least number of records exclude have none.
    excluded, distance
        The least size that the potential excludes, and by which of `Keeper.distances`.
    trees
        For sizes that take more than prices of the first distance: what excludes them.
    known
        Where an engine's bound is less than what is known without it: that, and potential and prices are of it.
    """

    counts: Mapping[int, int]
    bound: int
    by: str
    potential: tuple[int, ...] | None = None
    prices: Mapping[int, tuple[int, ...]] = field(default_factory=dict)
    excluded: int = 0
    distance: int = 0
    trees: Mapping[int, tuple[TreeNode, ...]] = field(default_factory=dict)
    known: int | None = None


class Keeper:
    """What some parts of a model ask of each class of one table.

    Parameters
    ----------
    parts
        The models asked for together, each linear (`tcloseness.optimal.linear_constraints.linear_parts`).
    setting
        The reference, and the order of the values: where several x are equally even, or of equally little work, those
        that stand first in it are kept.
    greatest
        The greatest size of a class.
    clock
        Asked at each size that is tried, and within. If its time is over before the model is read, each class is told
        that it is.

    Attributes
    ----------
    decides
        Whether classes can be decided here, unless `most` says otherwise of one.
    contradicts
        Whether the bounds on shares leave no class at all.
    distances
        The distances asked for, of several by one ground distance that with the least t.
    """

    def __init__(self, parts: Sequence[PrivacyModel], setting: Setting, greatest: int, clock: Clock) -> None:
        self._setting, self._clock, self.decides = setting, clock, True
        asked = [each for part in parts for each in conditions_of(part) or ()]
        self._records = max((each.records for each in asked if isinstance(each, LeastRecords)), default=1)
        self._values = max((each.values for each in asked if isinstance(each, LeastValues)), default=1)
        self._tails = [each for each in asked if isinstance(each, TailBound) and each.l > 1]
        self._most: dict[int, Fraction] = {}
        self._least: dict[int, Fraction] = {}
        with suppress(TimeLimitReached):  # each bound holds without the others
            for each in asked:
                if isinstance(each, ShareBounds):
                    self._bound(each, max(greatest, 1))
        self.contradicts = sum(self._least.values()) > 1 or any(
            share > self._most.get(v, 1) for v, share in self._least.items()
        )
        self.distances: list[MostDistance] = []
        self._trees: list[TreeFlow] = []
        for each in asked if self.decides else ():
            if not isinstance(each, MostDistance):
                continue
            cuts = ground_distance(each.ground, setting.domain).cuts
            same = next((i for i, other in enumerate(self.distances) if other.ground == each.ground), None)
            if cuts is None:
                self.decides = False
            elif same is None:
                self.distances.append(each)
                self._trees.append(TreeFlow(cuts, setting, clock))
            elif each.t < self.distances[same].t:
                self.distances[same] = each

    def _bound(self, asked: ShareBounds, n: int) -> None:
        """Note the bounds on the shares of values, exact for classes of up to n records."""
        setting = self._setting
        values = range(len(setting.domain))
        if asked.values is not None:
            values = codes_of(setting.domain, asked.values).tolist()
        most, least = asked.most, asked.least
        shares: dict[int, tuple[Fraction, Fraction]] = {}  # of each count of the reference
        for v in values:
            count = setting.reference[v]
            if least is not None and count and not asked.of_absent:
                self.decides = False
                return
            if count not in shares:
                self._clock.check("bounds on shares are read")
                q = Fraction(count, setting.total)
                exact = asked.share if asked.gain is None else (1 + asked.gain) * q  # as a checker bounds it
                shares[count] = (
                    Fraction(0) if least is None or not count else least_share(lambda p, q=q: least(p, q), n),  # type: ignore[misc]
                    Fraction(1)
                    if most is None
                    else min(Fraction(1), exact)
                    if exact is not None
                    else greatest_share(lambda p, q=q: most(p, q), n),  # type: ignore[misc]
                )
            lowest, greatest = shares[count]
            if lowest:
                self._least[v] = max(lowest, self._least.get(v, lowest))
            if most is not None:
                self._most[v] = min(greatest, self._most.get(v, greatest))

    def most(self, row: Mapping[int, int]) -> Kept:
        """Return the most records that can stay of a class that violates.

        At the limit of time it is what is known: nothing to keep, and a bound.
        """
        search = _Search(self, row)
        try:
            self._clock.check("the most records that can stay are searched")
            return search.by_work() if self._trees else search.by_level()
        except TimeLimitReached:
            return search.kept({}, min(search.size, sum(row.values()) - 1))


class _Search:
    """The search for one class: `size` is the greatest that is not excluded yet."""

    def __init__(self, keeper: Keeper, row: Mapping[int, int]) -> None:
        self.keeper, self.row, self.size = keeper, row, sum(row.values())
        self.potential: tuple[int, ...] | None = None
        self.prices: dict[int, tuple[int, ...]] = {}
        self.excluded = self.distance = self.nodes = 0
        self.trees: dict[int, tuple[TreeNode, ...]] = {}
        for v, share in keeper._least.items():  # λ_v·X ≤ x_v ≤ n_v
            if share:
                self.size = min(self.size, int(row.get(v, 0) / share))
        if keeper.contradicts:
            self.size = 0

    # ------------------------------------------------------------------ what holds at one size

    def _box(self, size: int, unit: int = 1) -> tuple[list[int], list[int]]:
        """Return the least and most records of each value of the domain; in parts of a record, never too narrow."""
        m, most, least = len(self.keeper._setting.domain), self.keeper._most, self.keeper._least
        low, high = [0] * m, [0] * m
        for v, count in self.row.items():
            high[v] = count * unit
            if v in most:
                share = most[v]
                up = share.denominator - 1 if unit > 1 else 0
                high[v] = min(high[v], (share.numerator * size * unit + up) // share.denominator)
        for v, share in least.items():
            up = 0 if unit > 1 else share.denominator - 1
            low[v] = (share.numerator * size * unit + up) // share.denominator
        return low, high

    def _fits(self, unit: int = 1) -> tuple[list[int], list[int]] | None:
        """Lower `size` to where the bounds on shares leave room for it, and return them; None if there is none."""
        while self.size >= self.keeper._records:
            self.keeper._clock.check("the most records that can stay are searched")
            low, high = self._box(self.size, unit)
            room = sum(high)
            if room < self.size * unit:  # no more at lesser sizes
                self.size = room // unit
            elif sum(low) > self.size * unit or any(a > b for a, b in zip(low, high, strict=True)):
                self.size -= 1
            else:
                return low, high
        self.size = 0
        return None

    def _good(self, counts: Sequence[int]) -> bool:
        """Whether counts have enough values, and a large enough tail."""
        held = sorted((count for count in counts if count), reverse=True)
        return len(held) >= self.keeper._values and all(
            held[0] < e.c * sum(held[e.l - 1 :]) for e in self.keeper._tails
        )

    def kept(self, counts: Mapping[int, int], bound: int) -> Kept:
        """Return what is kept, with what excludes more than a bound."""
        return Kept(counts, bound, "exact", self.potential, self.prices, self.excluded, self.distance, self.trees)

    def _kept(self, counts: Sequence[int]) -> Kept:
        return self.kept({v: counts[v] for v in self.row if counts[v]}, self.size)

    # ------------------------------------------------------------------ without a distance

    def by_level(self) -> Kept:
        """Search with the most even counts."""
        if not (self.keeper._most or self.keeper._least):
            low, high = self._box(self.size)
            level = _last(max(high), lambda level: self._good([min(count, level) for count in high]))
            self.size = sum(min(count, level) for count in high)
            if level < 1 or self.size < self.keeper._records:
                self.size = 0
            return self._kept(self._even(low, high))
        while (box := self._fits()) is not None:
            counts = self._even(*box)
            if self._good(counts):
                return self._kept(counts)
            self.size -= 1
        return self._kept([0] * len(self.keeper._setting.domain))

    def _even(self, low: Sequence[int], high: Sequence[int]) -> list[int]:
        """Return the most even counts of `size` records within bounds, those over going by the order of the values."""

        def at(level: int) -> list[int]:
            return [min(max(level, a), b) for a, b in zip(low, high, strict=True)]

        level = _last(max(high), lambda level: sum(at(level)) <= self.size)
        counts = at(level)
        over = self.size - sum(counts)
        for v in self.keeper._setting.order:
            if over and low[v] <= level < high[v]:
                counts[v] += 1
                over -= 1
        return counts

    # ------------------------------------------------------------------ t-closeness by cuts

    def by_work(self) -> Kept:
        """Search with the counts of least work."""
        trees, total = self.keeper._trees, self.keeper._trees[0].total
        for place, tree in enumerate(trees):
            while (box := self._fits(total)) is not None:
                flow = tree.least(self.size * total, *box)
                if self._within(place, flow.work, self.size * total):
                    break
                size = self._left_by(place, flow.potential)
                self.potential, self.size, self.excluded, self.distance = flow.prices, size, size + 1, place
        free = (0,) * len(trees[0].cuts)
        while (box := self._fits()) is not None:
            if not all(self._within(place, tree.nearest(self.size), self.size) for place, tree in enumerate(trees)):
                self.prices[self.size] = free
            else:
                found = self._at(*box)
                if found is not None:
                    return self._kept(found) if found else replace(self._kept([0] * len(box[0])), by="")
            self.size -= 1
        return self._kept([0] * len(self.keeper._setting.domain))

    def _at(self, low: list[int], high: list[int]) -> list[int] | None:
        """Return counts of `size` within bounds that satisfy; None if there are none, and then why is noted; an empty
        list where that is not decided within a number of steps."""
        boxes, nodes = [(low, high)], list[TreeNode]()
        while boxes:
            low, high = boxes.pop()
            self.nodes += 1
            if self.nodes > _MOST_NODES:
                return []
            if not sum(low) <= self.size <= sum(high):  # split bounds never cross
                nodes.append(None)
                continue
            found = self._candidates(low, high)
            if found is None or isinstance(found, tuple):
                nodes.append(found)
                continue
            if len(found) == 1:
                return found[0]
            one, other = (
                found[0],
                max(found[1:], key=lambda x: sum(abs(a - b) for a, b in zip(x, found[0], strict=True))),
            )
            v = max(range(len(one)), key=lambda v: abs(one[v] - other[v]))
            most = (one[v] + other[v]) // 2
            nodes.append(Split(v, most))
            boxes.append(([most + 1 if j == v else a for j, a in enumerate(low)], high))
            boxes.append((low, [most if j == v else b for j, b in enumerate(high)]))
        if len(nodes) == 1 and isinstance(nodes[0], tuple) and nodes[0][0] == 0:
            self.prices[self.size] = nodes[0][1]
        elif nodes != [None]:
            self.trees[self.size] = tuple(nodes)
        return None

    def _candidates(self, low: list[int], high: list[int]) -> list[list[int]] | tuple[int, tuple[int, ...]] | None:
        """Return counts of `size` within bounds that satisfy, as the only ones; or several of which each satisfies
        something; or what says that none does."""
        even = self._even(low, high)
        if not self._good(even):
            return None
        found = []
        for place, tree in enumerate(self.keeper._trees):
            flow = tree.least(self.size, low, high)
            if not self._within(place, flow.work, self.size):
                return place, flow.prices
            found.append(flow.counts)
        found.append(even)
        for counts in found:
            works = (tree.work(counts) for tree in self.keeper._trees)
            if self._good(counts) and all(self._within(i, work, self.size) for i, work in enumerate(works)):
                return [counts]
        return found

    def _within(self, place: int, work: int, size: int) -> bool:
        """Whether a class of a size that has so much work is within t of a distance."""
        tree, t = self.keeper._trees[place], self.keeper.distances[place].t
        return t.denominator * work <= t.numerator * tree.cuts.denominator * tree.total * size

    def _left_by(self, place: int, potential: Sequence[int]) -> int:
        """Return the greatest size that Σ_v x_v·d_v ≤ 0 leaves, with the bounds on shares."""
        keeper, tree = self.keeper, self.keeper._trees[place]
        total, t = tree.total, keeper.distances[place].t
        mean = sum(n * u for n, u in zip(keeper._setting.reference, potential, strict=True))
        allowed = t.numerator * tree.cuts.denominator * total * total
        slopes = sorted((t.denominator * (total * potential[v] - mean) - allowed, v) for v in self.row)
        if keeper._most or keeper._least:
            return _last(self.size, lambda size: self._cheapest(slopes, size) <= 0)
        budget = found = 0
        for slope, v in slopes:
            more = self.row[v] if slope <= 0 else min(self.row[v], budget // slope)
            budget -= more * slope
            found += more
        return found

    def _cheapest(self, slopes: Sequence[tuple[int, int]], size: int) -> Fraction:
        """Return the least Σ_v x_v·d_v over real x of a size within the bounds; 1 if there are none."""
        most, least = self.keeper._most, self.keeper._least
        low = {v: least.get(v, Fraction(0)) * size for _, v in slopes}
        left = size - sum(low.values())
        found = sum((slope * low[v] for slope, v in slopes), Fraction(0))
        for slope, v in slopes:
            more = min(left, min(Fraction(self.row[v]), most.get(v, Fraction(1)) * size) - low[v])
            found += slope * more
            left -= more
        return Fraction(1) if left else found


def _last(most: int, holds: Callable[[int], bool]) -> int:
    """Return the greatest number in 0 … most for which something holds that holds for 0 and then up to some number."""
    low, high = 0, most + 1
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (middle, high) if holds(middle) else (low, middle)
    return low
