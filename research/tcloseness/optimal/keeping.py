"""The most records of one class that can stay under a model, in whole numbers and without a solver.

Let x_v of n_v records of each value stay, and fix their number X. Then what a class is asked for is easy to decide:

- n ≥ k, and bounds on shares: x_v lies between ⌈λ_v·X⌉ and ⌊κ_v·X⌋.
- Least numbers of values, recursive (c,ℓ): the most even x, all as near to one level as their bounds allow. No x has a
  lesser r_1, a lesser sum of its greatest counts, or more values (it is majorized by every other). Without bounds on
  shares the greatest whole level at which it holds is the answer: r_1 / (r_ℓ + … + r_m) never falls with the level.
- t-closeness by cuts: the x of least work (`tcloseness.optimal.tree_flow`).

Only X is searched, from above. Over the reals the X that are possible go from 0 up to one number, which potentials find
in a few steps: each excludes all X above some X'. Whole X below it are tried one by one, and each that fails has prices
that prove it.

Not decided here: bounds that are asked only of values that are there, a ground distance without cuts, and t-closeness
together with another distance, recursive (c,ℓ) or distinct ℓ where the x of least work does not satisfy that as well.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from fractions import Fraction

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

__all__ = ["Keeper", "Kept"]


@dataclass(frozen=True)
class Kept:
    """The most records of one class that can stay.

    Attributes
    ----------
    counts
        Value code → how many are kept, > 0; empty if the class goes.
    bound
        No way to keep more than this many is left.
    by
        Who says so: ``exact`` or an engine's name.
    potential
        Where t-closeness by cuts was decided in whole numbers: for each cut, in the order of the ground distance's
        `Cuts`, the price β_S that excludes all sizes above some size (`tcloseness.optimal.tree_flow`); None where none
        is needed.
    prices
        For each size above `bound` that is left by that: the prices that exclude it. Sizes that bounds on shares or a
        least number of records exclude have none.
    """

    counts: Mapping[int, int]
    bound: int
    by: str
    potential: tuple[int, ...] | None = None
    prices: Mapping[int, tuple[int, ...]] = field(default_factory=dict)


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
        distances = [each for each in asked if isinstance(each, MostDistance)]
        self._tree: TreeFlow | None = None
        if distances:
            self._t = min(each.t for each in distances)
            cuts = ground_distance(distances[0].ground, setting.domain).cuts
            if cuts is None or any(each.ground != distances[0].ground for each in distances):
                self.decides = False
            else:
                self._tree = TreeFlow(cuts, setting, clock)

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
                shares[count] = (
                    Fraction(0) if least is None or not count else least_share(lambda p, q=q: least(p, q), n),  # type: ignore[misc]
                    Fraction(1) if most is None else greatest_share(lambda p, q=q: most(p, q), n),  # type: ignore[misc]
                )
            lowest, greatest = shares[count]
            if lowest:
                self._least[v] = max(lowest, self._least.get(v, lowest))
            if most is not None:
                self._most[v] = min(greatest, self._most.get(v, greatest))

    def most(self, row: Mapping[int, int]) -> Kept | int:
        """Return the most records that can stay of a class that violates, or, where that is not decided here, a number
        that no more can stay than.

        At the limit of time it is what is known: nothing to keep, and a bound.
        """
        search = _Search(self, row)
        try:
            self._clock.check("the most records that can stay are searched")
            return search.by_work() if self._tree is not None else search.by_level()
        except TimeLimitReached:
            return Kept({}, min(search.size, sum(row.values()) - 1), "exact", search.potential, search.prices)


class _Search:
    """The search for one class: `size` is the greatest that is not excluded yet."""

    def __init__(self, keeper: Keeper, row: Mapping[int, int]) -> None:
        self.keeper, self.row, self.size = keeper, row, sum(row.values())
        self.potential: tuple[int, ...] | None = None
        self.prices: dict[int, tuple[int, ...]] = {}
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

    def _kept(self, counts: Sequence[int]) -> Kept:
        kept = {v: counts[v] for v in self.row if counts[v]}
        return Kept(kept, self.size, "exact", self.potential, self.prices)

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

    def by_work(self) -> Kept | int:
        """Search with the counts of least work."""
        tree = self.keeper._tree
        assert tree is not None
        total = tree.total
        while (box := self._fits(total)) is not None:
            flow = tree.least(self.size * total, *box)
            if self._within(flow.work, self.size * total):
                break
            self.potential = flow.prices
            self.size = self._left_by(flow.potential)
        free = (0,) * len(tree.cuts)
        while (box := self._fits()) is not None:
            if not self._within(tree.nearest(self.size), self.size):
                self.prices[self.size] = free
                self.size -= 1
                continue
            flow = tree.least(self.size, *box)
            if self._within(flow.work, self.size):
                return self._kept(flow.counts) if self._good(flow.counts) else self.size
            self.prices[self.size] = flow.prices
            self.size -= 1
        return self._kept([0] * len(self.keeper._setting.domain))

    def _within(self, work: int, size: int) -> bool:
        """Whether a class of a size that has so much work is within t."""
        tree, t = self.keeper._tree, self.keeper._t
        assert tree is not None
        return t.denominator * work <= t.numerator * tree.cuts.denominator * tree.total * size

    def _left_by(self, potential: Sequence[int]) -> int:
        """Return the greatest size that Σ_v x_v·d_v ≤ 0 leaves, with the bounds on shares."""
        keeper, tree = self.keeper, self.keeper._tree
        assert tree is not None
        total, t = tree.total, keeper._t
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
