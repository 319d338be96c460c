"""The set-partitioning program over classes that are generated as they are needed: price, then deepen.

*Price.* The linear relaxation over some classes gives a price to each record. By LP duality, whatever the prices p are,

    S·cost ≥ Σ p_i + (least that suppression can gain) + (most classes)·min(0, least reduced cost of a class),

and `tcloseness.optimal.pricing` finds the classes of negative reduced cost, which join, until there are none. Prices
are rounded to whole multiples of 1/S first, so this bound is exact: the linear program is believed in nothing.

*Deepen.* Call that bound B. A partition with a class of reduced cost above L costs at least (B + L)/S. So the
set-partitioning program over the classes up to L is solved, L growing, until no class above L can be part of a
partition better than the best one.

C. Barnhart et al., "Branch-and-Price: Column Generation for Solving Huge Integer Programs", Operations Research 46(3),
1998. R. Baldacci, N. Christofides, A. Mingozzi, Mathematical Programming 115(2), 2008: all columns within the gap.
D. Aloise, P. Hansen, C. Rocha, É. Santi, "Column Generation Bounds for Numerical Microaggregation", Journal of Global
Optimization 60(2), 2014.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass

import numpy as np

from tcloseness.errors import TimeLimitReached
from tcloseness.exact import IntArray
from tcloseness.limits import Clock
from tcloseness.models import PrivacyModel
from tcloseness.models.conditions import least_records
from tcloseness.optimal.answers import SolverClock, whole_bound
from tcloseness.optimal.class_costs import ClassCosts
from tcloseness.optimal.kinds import Group, KindCounts
from tcloseness.optimal.pricing import SCALE, Pricing
from tcloseness.optimal.set_partitioning import SetPartitioning, satisfying, trivial_bound
from tcloseness.optimal.solver import NoSolution, Proposal, prices, propose

__all__ = ["Generated", "generate"]

_WIDTHS = (300, 5_000, None)
"""How many groups of each size the search for classes follows, one after the other while it finds none."""

_WIDE = 20_000
"""How many it follows for a bound when the time for classes is over."""

_JOINING = 400
"""How many classes join the relaxation at a time, those of the least reduced costs."""

_PRICING = 0.5
"""The share of the time in which classes are looked for; then half of the rest is for a bound, if there is none."""

_THIRDS = (1, 2, 3)
"""The limits L: thirds of the reduced cost that a class of a better partition can have."""

_MOST_CLASSES = 60_000
"""With how many classes a set-partitioning program is still handed to the solver."""


@dataclass(frozen=True)
class Generated:
    """What was found.

    Attributes
    ----------
    groups
        The classes of the best partition, or None.
    bound
        No partition has less whole cost.
    relaxed
        The bound by the linear relaxation alone.
    priced
        Whether there was time for any bound; without, it is what any partition costs.
    exact
        Whether the bound is one in whole numbers; else it is HiGHS's, for a program over some classes.
    classes
        How many classes there were in the last program.
    infeasible
        Whether the bound is above what any partition can cost.
    """

    groups: list[Group] | None
    bound: int
    relaxed: int
    priced: bool
    exact: bool
    classes: int
    infeasible: bool


def generate(
    kinds: KindCounts,
    model: PrivacyModel,
    costs: ClassCosts,
    *,
    suppressed: int = 0,
    upper: int | None = None,
    clock: SolverClock,
    report: Callable[[int | None, int], None],
) -> Generated:
    """Look for the partition of least whole cost.

    Parameters
    ----------
    kinds, model, costs
        The records, what a class must satisfy, and what it costs.
    suppressed
        At most so many records may be suppressed.
    upper
        The whole cost of a partition that is known; a better one is looked for.
    clock
        The search ends when no time is left.
    report
        Called with the least whole cost and the greatest bound so far.

    Raises
    ------
    LimitReached
        If costs are too large for doubles, or too much memory is taken; not for time.
    SolverError
        If the solver fails.
    """
    search = _Search(kinds, model, costs, suppressed, upper, clock, report)
    with suppress(TimeLimitReached):  # what was found until then remains
        search.begin()
        search.price()
        search.deepen()
    return Generated(
        search.groups,
        search.bound,
        -(-search.base // SCALE),
        search.priced,
        search.exact,
        len(search.classes),
        infeasible=search.bound > search.greatest,
    )


class _Search:
    def __init__(
        self,
        kinds: KindCounts,
        model: PrivacyModel,
        costs: ClassCosts,
        suppressed: int,
        upper: int | None,
        clock: SolverClock,
        report: Callable[[int | None, int], None],
    ) -> None:
        self.kinds, self.costs, self.suppressed, self.clock, self._report = kinds, costs, suppressed, clock, report
        self.model = model
        self.counts = np.array(kinds.counts)
        self.most_classes = kinds.records // least_records(model)
        self.groups: list[Group] | None = None
        self.upper = upper
        self.greatest = costs.greatest(suppressed)
        self.bound = trivial_bound(kinds, model, costs)
        self.priced, self.exact = False, True
        self.classes = np.zeros((0, len(kinds)), dtype=np.int64)
        self.prices = np.zeros(len(kinds), dtype=np.int64)
        self.base = SCALE * self.bound

    def begin(self) -> None:
        """Begin with the groups of the records nearest to each kind, as far as they satisfy the model."""
        self.pricing = Pricing(self.kinds, self.model, self.costs, self.clock)
        pairs, sizes = self.pricing.pairs, _first_sizes(self.pricing.least, self.pricing.most)
        self.clock.require_memory(
            4 * 8 * len(pairs) ** 2 * len(sizes),
            f"the first {len(pairs) * len(sizes)} classes of {len(pairs)} different records",
            instead="a smaller table",
        )
        groups = np.zeros((len(pairs), len(sizes), len(pairs)), dtype=np.int64)
        for kind, away in enumerate(pairs):
            self.clock.check("the first classes are made")
            order = np.argsort(np.where(np.arange(len(pairs)) == kind, -1, away), kind="stable")
            near = np.repeat(order, self.counts[order])
            for place, size in enumerate(sizes):
                np.add.at(groups[kind, place], near[:size], 1)
        all_groups = groups.reshape(-1, len(pairs))
        found = all_groups[sorted({group.tobytes(): place for place, group in enumerate(all_groups)}.values())]
        self.classes = np.asarray(found[satisfying(self.kinds, self.model, found, self.clock)])

    def price(self) -> None:
        """Let classes join until none has a negative reduced cost, or the time for that is over."""
        clock = self.clock.part(_PRICING)
        with suppress(TimeLimitReached):
            while not clock.over:
                p = self._relaxed(clock)
                found = self._near(p, clock)
                if not len(found):
                    found = self._searched(p, _WIDTHS, clock)
                self._report(self.upper, self.bound)
                if not len(found):
                    return
                self.classes = np.concatenate([self.classes, found[:_JOINING]])
        clock = self.clock.part(0.5)
        with suppress(TimeLimitReached):
            self._searched(self._relaxed(clock), (_WIDE,), clock)

    def _relaxed(self, clock: Clock) -> IntArray:
        """Return the prices of the linear relaxation over the classes so far, in units 1/S, rounded down."""
        missing = 2 * max(self.greatest, self.kinds.records)
        written = self._written(self.classes, clock, missing)
        duals = np.array(prices(written.program, clock)[: 2 * len(self.kinds)]).reshape(-1, 2)
        return np.asarray(np.floor((duals[:, 0] - duals[:, 1]) * SCALE), dtype=np.int64)

    def _written(self, classes: IntArray, clock: Clock, missing: int | None = None) -> SetPartitioning:
        return SetPartitioning.over(classes, self.kinds, self.costs, self.suppressed, clock=clock, missing=missing)

    def _near(self, p: IntArray, clock: Clock) -> IntArray:
        """Return new classes of negative reduced cost near those of the least; there may be others."""
        order = np.argsort(self.pricing.reduced(self.classes, p), kind="stable")
        best = self.classes[order[: 2 * len(self.kinds)]]
        return self._new(self.pricing.near(best, p, most=10 * _JOINING, clock=clock))

    def _searched(self, p: IntArray, widths: Sequence[int | None], clock: Clock) -> IntArray:
        """Return new classes of negative reduced cost, least first, and update the bound."""
        for width in widths:
            found = self.pricing.search(p, -1, width=width, clock=clock)
            new = self._new(found.groups[np.argsort(found.reduced, kind="stable")])
            if len(new) or found.left_out == -1 or clock.over:
                break
        least = min(0, found.left_out + 1, int(found.reduced.min(initial=0)))
        gone = np.sort(np.repeat(SCALE * self.costs.suppressed - p, self.counts))[: self.suppressed]
        base = int(p @ self.counts) + self.most_classes * least + int(np.minimum(gone, 0).sum())
        if base >= self.base:
            self.base, self.prices, self.priced = base, p, True
            self.bound = max(self.bound, -(-base // SCALE))
        return new

    def _new(self, groups: IntArray) -> IntArray:
        """Leave out known classes; one of them may have a reduced cost just below 0, since prices are rounded."""
        known = set(map(bytes, self.classes))
        return np.asarray(groups[[bytes(group) not in known for group in groups]]) if len(groups) else groups

    def deepen(self) -> None:
        """Solve the program over the classes up to growing limits, until no other class can make a partition better."""
        self._solve(self.classes, self.bound)
        for thirds in _THIRDS:
            limit = SCALE * (self.greatest if self.upper is None else self.upper - 1) - self.base
            if limit < 0 or self.clock.over:
                break
            found = self.pricing.search(self.prices, limit * thirds // 3, width=None, clock=self.clock)
            if len(found.groups) > _MOST_CLASSES:
                break
            self.classes = found.groups
            self._solve(found.groups, -(-(self.base + found.left_out + 1) // SCALE))

    def _solve(self, classes: IntArray, beyond: int) -> None:
        """Solve the program over some classes, where every partition with another one costs at least `beyond`."""
        if self.upper is not None and self.bound >= self.upper:
            return
        written = self._written(classes, self.clock)
        watch = self._watch if self.clock.watched else None
        proposal = propose(written.program, clock=self.clock, watch=watch)
        if isinstance(proposal, Proposal):
            cost = sum(price * proposal.values[z] for z, price in written.program.costs.items())
            if self.upper is None or cost < self.upper:
                self.groups, self.upper = written.read(proposal.values), cost
        told = math.inf if isinstance(proposal, NoSolution) else proposal.bound
        here = whole_bound(told) if math.isfinite(told) else beyond if told == math.inf else self.bound
        if min(here, beyond) > self.bound:
            self.bound, self.exact = min(here, beyond), False
        self._report(self.upper, self.bound)

    def _watch(self, cost: float, _: float) -> None:
        self._report(round(cost) if math.isfinite(cost) else None, self.bound)


def _first_sizes(least: int, most: int) -> list[int]:
    """Return the sizes of the first classes: the small ones, and of the greater ones each an eighth above the other."""
    sizes, size = [], least
    while size <= most:
        sizes.append(size)
        size += max(1, (size - 2 * least) // 8)
    return sizes
