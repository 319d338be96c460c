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
from collections.abc import Callable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

import numpy as np

from tcloseness.errors import SolverError, TimeLimitReached
from tcloseness.exact import IntArray
from tcloseness.limits import Clock
from tcloseness.models import PrivacyModel
from tcloseness.models.conditions import least_records
from tcloseness.optimal.answers import SolverClock
from tcloseness.optimal.class_costs import ClassCosts
from tcloseness.optimal.kinds import Group, KindCounts
from tcloseness.optimal.pricing import SCALE, Found, Prices, Pricing
from tcloseness.optimal.rank_one import ALL, TRIPLES, Cuts, violated
from tcloseness.optimal.set_partitioning import satisfying, trivial_bound
from tcloseness.optimal.tree import Bounded, Leaf, search_tree
from tcloseness.transport.solvers.highs_client import Kept

__all__ = ["Generated", "generate"]

_EACH = 10
"""How many classes that begin with one record are looked for at a time."""

_JOINING = 4
"""How many classes join the relaxation at a time for each kind, those of the least reduced costs."""

_BLOCK = 4096
"""How many classes are worked on at a time."""

_CELLS = 2**24
"""The first classes are of the smallest sizes only, where more would take more whole numbers than this."""

_PRICING = 0.5
"""The share of the time in which classes are looked for; then half of the rest is for a bound, if there is none."""

_WORTH = 0.01
"""How often a class is taken at least, so that a partition is made of it."""

_FEW_NODES = 60
"""How far the program over the classes that were generated is searched, for a first partition."""

_FIRST = 4
"""The first limit L is such that so many of these classes for each kind are below it; then it doubles."""

_MOST_CLASSES = 60_000
"""With how many classes a set-partitioning program is still solved."""


@dataclass(frozen=True)
class Generated:
    """What was found.

    Attributes
    ----------
    groups
        The classes of the best partition, or None.
    bound
        No partition has less whole cost.
    base
        The bound by the linear relaxation alone, in units of 1/S.
    priced
        Whether there was time for any bound; without, it is what any partition costs.
    classes
        Those of the last program, shape (classes, kinds).
    infeasible
        Whether the bound is above what any partition can cost.
    prices
        That of each kind, by which the relaxed bound is one, in units of 1/S.
    cuts, leaves
        What proves that the last program has no better solution: its rows are those of kinds, of what is suppressed,
        if anything may be, and of these cuts.
    """

    groups: list[Group] | None
    bound: int
    base: int
    priced: bool
    classes: IntArray
    infeasible: bool
    prices: Prices
    cuts: Cuts
    leaves: list[Leaf]

    @property
    def relaxed(self) -> int:
        """The whole cost that the bound by the linear relaxation alone stands for."""
        return -(-self.base // SCALE)


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
        search.base,
        search.priced,
        search.classes,
        infeasible=search.bound > search.greatest,
        prices=search.prices,
        cuts=search.tight,
        leaves=search.leaves,
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
        self.priced = False
        self.leaves: list[Leaf] = []
        self.classes = np.zeros((0, len(kinds)), dtype=np.int64)
        self.prices = Prices.of_records(np.zeros(len(kinds), dtype=np.int64))
        self.cuts = self.tight = self.prices.cuts
        self._tried = self.prices
        self.base = SCALE * self.bound
        self._aim = -1
        self._taken = np.zeros(0)

    def begin(self) -> None:
        """Begin with the groups of the records nearest to each kind, as far as they satisfy the model."""
        self.pricing = Pricing(self.kinds, self.model, self.costs, self.clock)
        pairs, sizes = self.pricing.pairs, _first_sizes(self.pricing.least, self.pricing.most)
        sizes = sizes[: max(1, _CELLS // len(pairs) ** 2)]
        self.clock.require_memory(
            4 * 8 * len(pairs) ** 2 * len(sizes),
            f"the first {len(pairs) * len(sizes)} classes of {len(pairs)} different records",
            instead="a smaller table",
        )
        members: dict[bytes, IntArray] = {}
        for kind, away in enumerate(pairs):
            self.clock.check("the first classes are made")
            order = np.argsort(np.where(np.arange(len(pairs)) == kind, -1, away), kind="stable")
            near = np.repeat(order, self.counts[order])
            for size in sizes:
                key = np.sort(near[:size]).tobytes()
                members.pop(key, None)  # each stands where it comes last
                members[key] = near[:size]
        found = np.zeros((len(members), len(pairs)), dtype=np.int64)
        for place, group in enumerate(members.values()):
            self.clock.check("the first classes are made")
            np.add.at(found[place], group, 1)
        self.classes = np.asarray(found[satisfying(self.kinds, self.model, found, self.clock)])

    def price(self) -> None:
        """Let classes join until none has a negative reduced cost, then cuts that are violated, in turn."""
        clock = self.clock.part(_PRICING)
        with suppress(TimeLimitReached), self._relaxation() as relaxation:
            relaxation.change(self._columns(self.classes, self.cuts))
            while not clock.over:
                self._joined(relaxation, clock)
                if self.upper is not None and self.bound >= self.upper:
                    return
                new = violated(self.classes, self._taken, self.counts, self.cuts, TRIPLES, clock)
                if not len(new):
                    break
                relaxation.change(self._rows(new, self.classes, len(self.kinds) * (2 if self.suppressed else 1)))
                self.cuts = self.cuts.and_(new)
        if not self.priced:
            clock = self.clock.part(0.5)
            self._bounded(self._tried, self.pricing.search(self._tried, -1, clock=clock))

    def _joined(self, relaxation: Kept, clock: Clock) -> None:
        """Let classes join until none has a negative reduced cost."""
        options: dict[str, Any] = {}
        while True:
            told = relaxation.solve(clock, **options)
            if told.status != "kOptimal" or told.values is None:
                raise SolverError(f"HiGHS stopped with status {told.status} on a linear relaxation")
            self._taken = np.array(told.values[len(told.values) - len(self.classes) :])
            lost = 1 if self.suppressed else 0
            duals = np.delete(np.array(told.prices), [len(self.kinds)] * lost)
            found = self._searched(self.pricing.prices(duals, self.cuts), clock)
            self._report(self.upper, self.bound)
            if not len(found):
                return
            self.classes = np.concatenate([self.classes, found])
            relaxation.change(self._columns(found, self.cuts))
            options = {"simplex_strategy": 4}  # primal: what was best stays a solution when columns join

    def _relaxation(self) -> Kept:
        """Return the relaxation without classes: a row for each kind, where records may be missing at a cost."""
        rows, missing = len(self.kinds), 2 * max(self.greatest, self.kinds.records)
        lost = rows if self.suppressed else 0
        kind = np.arange(rows)
        index = [kind, *([np.stack([kind, np.full(rows, rows)], axis=1).reshape(-1)] if lost else [])]
        return Kept(
            {
                "cost": [missing] * rows + [self.costs.suppressed] * lost,
                "low": np.zeros(rows + lost),
                "high": np.full(rows + lost, math.inf),
                "start": np.cumsum([0, *[1] * rows, *[2] * lost]),
                "index": np.concatenate(index),
                "value": np.ones(rows + 2 * lost),
                "least": [*self.counts, *([-math.inf] if lost else [])],
                "most": [*self.counts, *([self.suppressed] if lost else [])],
            },
            presolve="off",
        )

    def _columns(self, classes: IntArray, cuts: Cuts) -> dict[str, IntArray]:
        """Return the columns of classes, over the rows of kinds, of what is suppressed, and of cuts."""
        lost = np.zeros((1, 1 if self.suppressed else 0), dtype=np.int64)
        parts = []
        for at in range(0, max(1, len(classes)), _BLOCK):
            self.clock.check("a program over classes is written")
            here = classes[at : at + _BLOCK]
            entries = np.hstack([here, lost.repeat(len(here), axis=0), cuts.shared(here)])
            owner, row = np.nonzero(entries)
            parts.append((owner + at, row, entries[owner, row]))
        owner, row, value = map(np.concatenate, zip(*parts, strict=True))
        size = len(classes)
        return {
            "cost": self.costs.of_groups(self.kinds, classes),
            "low": np.zeros(size, dtype=np.int64),
            "high": np.full(size, self.kinds.records),
            "start": np.searchsorted(owner, np.arange(size)),
            "index": row,
            "value": value,
        }

    def _rows(self, cuts: Cuts, classes: IntArray, before: int) -> dict[str, IntArray]:
        """Return the rows of cuts over the columns of classes, before which there are others."""
        value = cuts.shared(classes).T
        row, column = np.nonzero(value)
        return {
            "row_least": np.full(len(cuts), -math.inf),
            "row_most": cuts.most(self.counts),
            "row_start": np.searchsorted(row, np.arange(len(cuts))),
            "row_index": before + column,
            "row_value": value[row, column],
        }

    def _searched(self, p: Prices, clock: Clock) -> IntArray:
        """Return new classes of negative reduced cost, least first, and update the bound."""
        self._tried = p
        each: int | None = _EACH
        while True:
            found = self.pricing.search(p, self._aim, each=each, clock=clock)
            new = self._new(found.groups[np.argsort(found.reduced, kind="stable")])
            self._bounded(p, found)
            if len(new) or clock.over or found.left_out == -1:
                break
            if found.left_out < self._aim:  # what was found is known
                each = None
            else:
                each, self._aim = _EACH, min(-1, -(-self._aim // 64))
        self._aim = min(-1, int(found.reduced.min(initial=0)) // 4)
        return new[: _JOINING * len(self.kinds)]

    def _bounded(self, p: Prices, found: Found) -> None:
        """Take over the bound, if it is greater, by of which all classes of negative reduced cost were sought."""
        least = min(0, found.left_out + 1, int(found.reduced.min(initial=0)))
        gone = np.sort(np.repeat(SCALE * self.costs.suppressed - p.records, self.counts))[: self.suppressed]
        base = p.of_all(self.counts) + self.most_classes * least + int(np.minimum(gone, 0).sum())
        if base >= self.base:
            self.base, self.prices, self.priced = base, p, True
            self.bound = max(self.bound, -(-base // SCALE))

    def _new(self, groups: IntArray) -> IntArray:
        """Leave out known classes; one of them may have a reduced cost just below 0, since prices are rounded."""
        known = set(map(bytes, self.classes))
        return np.asarray(groups[[bytes(group) not in known for group in groups]]) if len(groups) else groups

    def deepen(self) -> None:
        """Solve the program over the classes up to growing limits, until no other class can make a partition better."""
        self._round()
        self._solve(self.classes, self.bound, nodes=_FEW_NODES)
        reduced = np.sort(self.pricing.reduced(self.classes, self.prices))
        limit = int(reduced[: _FIRST * len(self.kinds)].max(initial=0))
        while (needed := self._needed()) >= 0 and not self.clock.over:
            limit = min(limit, needed)
            found = self.pricing.search(self.prices, limit, clock=self.clock)
            if len(found.groups) > _MOST_CLASSES:
                break
            self.classes = found.groups
            self._solve(found.groups, -(-(self.base + found.left_out + 1) // SCALE))
            if limit >= self._needed():
                break
            limit = max(2 * limit, SCALE)

    def _round(self) -> None:
        """Make a partition of the classes that the relaxation takes most: each record left joins one, the cheapest."""
        left, chosen = self.counts.copy(), list[IntArray]()
        for z in np.argsort(-self._taken, kind="stable")[: np.count_nonzero(self._taken > _WORTH)].tolist():
            while (self.classes[z] <= left).all():
                chosen.append(self.classes[z])
                left = left - self.classes[z]
        if not chosen:
            return
        groups = np.array(chosen)
        for kind in np.repeat(np.arange(len(left)), left).tolist():
            grown = groups.copy()
            grown[:, kind] += 1
            added = self.costs.of_groups(self.kinds, grown) - self.costs.of_groups(self.kinds, groups)
            good = np.flatnonzero(satisfying(self.kinds, self.model, grown, self.clock))
            if not len(good):
                return
            place = good[np.argmin(added[good])]
            groups[place] = grown[place]
        cost = int(self.costs.of_groups(self.kinds, groups).sum())
        if self.upper is None or cost < self.upper:
            self._take(groups, cost)

    def _take(self, groups: IntArray, cost: int) -> None:
        """Take over a better partition."""
        self.upper = cost
        self.groups = [{int(kind): int(group[kind]) for kind in np.flatnonzero(group)} for group in groups]

    def _needed(self) -> int:
        """Return the greatest reduced cost of a class in a partition better than the best one."""
        return SCALE * (self.greatest if self.upper is None else self.upper - 1) - self.base

    def _solve(self, classes: IntArray, beyond: int, nodes: int | None = None) -> None:
        """Solve the program over some classes, where every partition with another one costs at least `beyond`."""
        if self.upper is not None and self.bound >= self.upper:
            return
        cuts = self._tightened(classes)
        program = self._program(classes, cuts)
        found = search_tree(
            program,
            upper=self.upper,
            clock=self.clock,
            accepts=program.holds,
            report=lambda upper: self._report(upper, self.bound),
            nodes=nodes,
        )
        if found.values is not None and found.upper is not None:
            self._take(np.repeat(classes, found.values[: len(classes)], axis=0), found.upper)
        here = found.bound if found.open else beyond if self.upper is None else self.upper
        if here is not None:
            self.bound = max(self.bound, min(here, beyond))
            self.tight, self.leaves = cuts, found.leaves
        self._report(self.upper, self.bound)

    def _tightened(self, classes: IntArray) -> Cuts:
        """Return the cuts by which the relaxation over some classes, and no others, is as tight as it gets."""
        cuts = self.cuts
        with Kept(self._program(classes, cuts).in_doubles(), presolve="off") as relaxation:
            while True:
                told = relaxation.solve(self.clock)
                if told.status != "kOptimal" or told.values is None:
                    return cuts
                taken = np.array(told.values)[: len(classes)]
                new = violated(classes, taken, self.counts, cuts, ALL, self.clock)
                if not len(new):
                    return cuts
                relaxation.change(self._rows(new, classes, 0))
                cuts = cuts.and_(new)

    def _program(self, classes: IntArray, cuts: Cuts) -> Bounded:
        """Return the set-partitioning program over some classes: how often each is taken, and who is suppressed."""
        columns, rows = self._columns(classes, cuts), len(self.kinds)
        owner, held = np.nonzero(classes)
        starts = np.searchsorted(owner, np.arange(len(classes)))
        often = np.minimum.reduceat(self.counts[held] // classes[owner, held], starts)
        lost = rows if self.suppressed else 0
        kind = np.arange(lost)
        holds = np.concatenate([classes, np.eye(rows, dtype=np.int64)[:lost]])[:, self.counts == 1] > 0
        return Bounded(
            cost=np.concatenate([columns["cost"], np.full(lost, self.costs.suppressed)]),
            low=np.zeros(len(classes) + lost, dtype=np.int64),
            high=np.concatenate([often, np.minimum(self.counts[:lost], self.suppressed)]),
            whole=np.ones(len(classes) + lost, dtype=bool),
            start=np.concatenate([columns["start"], len(columns["index"]) + 2 * np.arange(lost + 1)]),
            index=np.concatenate([columns["index"], np.stack([kind, np.full(lost, rows)], axis=1).reshape(-1)]),
            value=np.concatenate([columns["value"], np.ones(2 * lost, dtype=np.int64)]),
            least=[*self.kinds.counts, *([None] if lost else []), *[None] * len(cuts)],
            most=[*self.kinds.counts, *([self.suppressed] if lost else []), *cuts.most(self.counts).tolist()],
            held=holds,
        )


def _first_sizes(least: int, most: int) -> list[int]:
    """Return the sizes of the first classes: the small ones, and of the greater ones each an eighth above the other."""
    sizes, size = [], least
    while size <= most:
        sizes.append(size)
        size += max(1, (size - 2 * least) // 8)
    return sizes
