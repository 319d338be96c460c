"""`Pricing`: every class whose reduced cost is at most a limit, by branch and bound in whole numbers.

Given a price p_i for each record, the reduced cost of a class C is r(C) = S·cost(C) − Σ_{i in C} p_i, in units 1/S of
whole cost; a due σ ≥ 0 of a cut makes it greater by σ for each time that C shares it (`tcloseness.optimal.rank_one`).
`tcloseness.optimal.enumeration` finds the groups of records of small reduced cost, and of these the classes by least
numbers of records and of values, and by a distance that has cuts; the model itself decides what else is asked. No
solver is asked and nothing is rounded.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any, TypeVar

import numpy as np
import numpy.typing as npt

from tcloseness.errors import InputError, TimeLimitReached
from tcloseness.exact import IntArray
from tcloseness.ground import ground_distance
from tcloseness.limits import Clock
from tcloseness.loss import CellCost
from tcloseness.models import PrivacyModel
from tcloseness.models.conditions import (
    LeastRecords,
    LeastValues,
    MostDistance,
    conditions_of,
    least_records,
    parts_of,
)
from tcloseness.optimal.class_costs import ClassCosts
from tcloseness.optimal.enumeration import NEVER, Asked, Costs, Priced, State, advance, begin, least_left
from tcloseness.optimal.kinds import KindCounts
from tcloseness.optimal.program import require_exact
from tcloseness.optimal.rank_one import Cuts
from tcloseness.optimal.set_partitioning import greatest_needed, satisfying
from tcloseness.release import Categorical, Hierarchical, Numeric

__all__ = ["SCALE", "Found", "Prices", "Pricing"]

SCALE = 2**16
"""S: prices are whole multiples of 1/S of whole cost."""

_MOST_FOUND = 300_000
"""After so many classes the rest of a search counts as left out; or fewer, see `_CELLS`."""

_CELLS = 2**24
"""How many whole numbers the classes that are found take at most."""

_PAIRS = 2**17
"""How many pairs of values are compared at a time."""

_WORK = 2**25
"""About how many steps machine code takes between two looks at the clock: a fraction of a second."""

_JUDGED = 5_000
"""How many classes are judged at a time, so that those that are can be used when the time is over."""

_GREATEST = 2**60
"""No sum of prices, costs or distances passes this; with a cost less or more they all stay below `NEVER`."""


_T = TypeVar("_T", Costs, Asked, Priced)


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
class Prices:
    """What is paid for records.

    Attributes
    ----------
    records
        Shape (kinds,): p of a record of each kind.
    cuts, dues
        Some cuts and σ of each.
    """

    records: IntArray
    cuts: Cuts
    dues: IntArray

    @classmethod
    def of_records(cls, records: IntArray) -> Prices:
        """Return prices without cuts."""
        return cls(records, Cuts.none(len(records)), np.zeros(0, dtype=np.int64))

    def of(self, groups: IntArray) -> IntArray:
        """Return Σ p − Σ σ·(how often the cut is shared) of groups, shape (groups, kinds)."""
        return np.asarray(groups @ self.records - self.cuts.shared(groups) @ self.dues)

    def of_all(self, counts: IntArray) -> int:
        """Return a sum that those over the classes of any partition of all records are not below."""
        return int(self.records @ counts) - int(self.dues @ self.cuts.most(counts))


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
    InputError
        For an attribute of an unknown kind.
    LimitReached
        If costs are too large, the penalties of all pairs take too much memory, or a limit is reached.
    """

    def __init__(self, kinds: KindCounts, model: PrivacyModel, costs: ClassCosts, clock: Clock) -> None:
        self.kinds, self.model, self.costs = kinds, model, costs
        self.least, self.most = least_records(model), greatest_needed(model, kinds.records)
        cells = isinstance(costs.form, CellCost)
        clock.require_memory(
            8 * ((3 + len(costs.attributes) * cells) * len(kinds) ** 2 + 3 * kinds.records * (self.most + 1)),
            f"the search for classes of {kinds.records} records, which compares them pair by pair,",
            instead="a smaller table",
        )
        self._kind_of = np.repeat(np.arange(len(kinds)), kinds.counts)  # items: records, equal ones side by side
        self._costs = _plain(self._tables(clock))
        greatest = int(self._costs.by_count.max(axis=1, initial=0).sum()) + sum(
            int(self._costs.table[at:].max(initial=0)) for at in self._costs.offset.tolist()
        )
        require_exact([SCALE * max(kinds.records * max(1, greatest), *map(abs, map(int, costs.sizes)), 1)])
        self._asked, self._judging = self._conditions()
        self._shift = max(1, kinds.records.bit_length())
        if greatest << self._shift >= NEVER:
            require_exact([greatest << self._shift])
        self._most_found = min(_MOST_FOUND, _CELLS // len(kinds))
        self._steps = max(1, _WORK // (kinds.records * (8 + self.most)))

    # ------------------------------------------------------------------ tables

    def _tables(self, clock: Clock) -> Costs:
        """Return what groups cost, attribute by attribute."""
        places: list[IntArray] = []
        widths: list[int] = []
        tables: list[IntArray] = [np.zeros(0, dtype=np.int64)]
        values: list[IntArray] = []
        by_counts: list[IntArray] = []
        for a, attribute in enumerate(self.costs.attributes if isinstance(self.costs.form, CellCost) else ()):
            codes = self.kinds.codes[:, a]
            if isinstance(attribute, Categorical):
                present, value = np.unique(codes, return_inverse=True)
                values.append(value.reshape(-1))
                by_counts.append(self._by_count(a, present, clock))
            elif isinstance(attribute, Numeric | Hierarchical):
                _, first, place = np.unique(attribute.places[codes], return_index=True, return_inverse=True)
                places.append(place.reshape(-1))
                widths.append(len(first))
                tables.append(self._by_ends(a, codes[first], clock))
            else:
                raise InputError(
                    f"the attribute {attribute.name!r} of kind {attribute.kind} is not known to cost what its least "
                    "and greatest value or their number say; take formulation='set-partitioning'"
                )
        by_count = np.zeros((len(values), max(map(len, by_counts), default=0)), dtype=np.int64)
        for b, row in enumerate(by_counts):
            by_count[b, : len(row)] = row
        return Costs(
            kind_of=self._kind_of,
            place=self._columns(places),
            offset=np.cumsum([0, *map(len, tables[1:])])[: len(places)],
            width=np.array(widths, dtype=np.int64),
            table=np.concatenate(tables),
            value=self._columns(values),
            by_count=by_count,
            sizes=np.asarray(self.costs.of_sizes(np.arange(self.most + 2)), dtype=np.int64)
            if not isinstance(self.costs.form, CellCost)
            else np.zeros(self.most + 2, dtype=np.int64),
            scale=SCALE,
        )

    def _columns(self, of_kinds: list[IntArray]) -> IntArray:
        found = np.zeros((len(self._kind_of), len(of_kinds)), dtype=np.int64)
        for place, column in enumerate(of_kinds):
            found[:, place] = column[self._kind_of]
        return found

    def _by_count(self, a: int, present: IntArray, clock: Clock) -> IntArray:
        """Return the penalty of 0, 1, … values of a set."""
        clock.check("sets of values are compared")
        sizes = np.arange(1, len(present) + 1)
        codes = np.concatenate([present[:size] for size in sizes])
        return np.array([0, *self.costs.penalties(a, codes, np.cumsum([0, *sizes[:-1]]))], dtype=np.int64)

    def _by_ends(self, a: int, ends: IntArray, clock: Clock) -> IntArray:
        """Return the penalties of all pairs of values, flat."""
        found, rows = [np.zeros(0, dtype=np.int64)], max(1, _PAIRS // len(ends))
        for at in range(0, len(ends), rows):
            clock.check("the records are compared pair by pair")
            both = np.stack(np.broadcast_arrays(ends[at : at + rows, None], ends), axis=-1).reshape(-1)
            found.append(self.costs.penalties(a, both, np.arange(0, len(both), 2)))
        return np.concatenate(found)

    @cached_property
    def pairs(self) -> IntArray:
        """What a record of each class of two kinds costs by a loss of cells, shape (kinds, kinds); else 0."""
        c = self._costs
        first = np.cumsum([0, *self.kinds.counts[:-1]])
        found = np.zeros((len(self.kinds), len(self.kinds)), dtype=np.int64)
        for a, (offset, width) in enumerate(zip(c.offset.tolist(), c.width.tolist(), strict=True)):
            place = c.place[first, a]
            found += c.table[offset + place[:, None] * width + place]
        for b in range(c.value.shape[1]):
            value = c.value[first, b]
            found += c.by_count[b, 1 + (value[:, None] != value)]
        return found

    def _conditions(self) -> tuple[Asked, bool]:
        """Return what the enumeration decides, and whether the model must be asked besides."""
        setting, judging = self.kinds.setting, False
        values, close = 1, None
        for condition in (each for part in parts_of(self.model) for each in conditions_of(part) or (None,)):
            if isinstance(condition, LeastValues):
                values = max(values, condition.values)
            elif isinstance(condition, MostDistance) and close is None:
                close = self._close(condition)
                judging |= close is None
            elif not isinstance(condition, LeastRecords):
                judging = True
        none = np.zeros(0, dtype=np.int64)
        order, low, high, weights, over, under, apart = close or (none, none, none, none, 0, 1, 0)
        asked = Asked(
            least=self.least,
            most=self.most,
            values=values,
            value_of=np.array(self.kinds.values, dtype=np.int64)[self._kind_of],
            reference=np.array(setting.reference, dtype=np.int64),
            total=setting.total,
            order=order,
            low=low,
            high=high,
            weights=weights,
            over=over,
            under=under,
            apart=apart,
        )
        return _plain(asked), judging

    def _close(self, condition: MostDistance) -> tuple[IntArray, IntArray, IntArray, IntArray, int, int, int] | None:
        """Return a distance by cuts as `Asked` has it; None without cuts, or where its sums pass 64 bits.

        EMD ≥ (the least distance of two values)·Σ_v max(0, p_v − q_v): so much mass goes from a value to another.
        """
        setting = self.kinds.setting
        ground = ground_distance(condition.ground, setting.domain)
        cuts, m = ground.cuts, len(setting.domain)
        if cuts is None:
            return None
        rows = [ground.row(i).tolist() for i in range(m)] if m <= _MOST_VALUES else []
        nearest = min((int(d) for i, row in enumerate(rows) for j, d in enumerate(row) if i != j), default=0)
        # both sides times the denominators of t, of the cuts and of the distances
        over = condition.t.numerator * cuts.denominator * ground.denominator
        under = condition.t.denominator * ground.denominator
        apart = nearest * cuts.denominator * condition.t.denominator
        n, total = self.kinds.records, setting.total
        if max(over, under * sum(map(int, cuts.weights)), apart) * total * (n + 1) * 2 >= _GREATEST:
            return None
        return cuts.order, cuts.low, cuts.high, cuts.weights, over, under, apart

    # ------------------------------------------------------------------ searches

    def reduced(self, groups: IntArray, prices: Prices) -> IntArray:
        """Return r(C) of groups, shape (groups, kinds)."""
        return np.asarray(SCALE * self.costs.of_groups(self.kinds, groups) - prices.of(groups))

    def prices(self, duals: npt.NDArray[np.float64], cuts: Cuts) -> Prices:
        """Return prices in units of 1/S, rounded down, from the dual prices of kinds and of cuts.

        Any whole prices will do, and dues ≥ 0: so those that would pass 64 bits are cut off.
        """
        most = float(_GREATEST // (8 * (1 + len(cuts)) * self.kinds.records))
        whole = np.clip(np.floor(duals * SCALE), -most, most).astype(np.int64)
        dues = -np.minimum(whole[len(self.kinds) :], 0)
        some = dues > 0
        return Prices(whole[: len(self.kinds)], cuts[some], dues[some])

    def search(self, prices: Prices, limit: int, *, each: int | None = None, clock: Clock) -> Found:
        """Return the classes of reduced cost ≤ limit.

        Parameters
        ----------
        prices
            p and σ.
        limit
            The greatest reduced cost.
        each
            After so many classes that begin with one record, the rest of these is left out; None for all.
        clock
            The search ends when no time is left; what is then still to be followed counts as left out.
        """
        p = self._priced(prices)
        limit = min(max(limit, -_GREATEST), _GREATEST)
        state = begin(self._costs, self._asked, p, self._shift)
        none = np.zeros((0, len(self.kinds)), dtype=np.int64)
        parts = list(self._followed(state, p, limit, each or NEVER, clock))
        groups = np.concatenate([none, *(part for part, _ in parts)])
        reduced = np.concatenate([np.zeros(0, dtype=np.int64), *(costs for _, costs in parts)])
        left_out = min(limit, int(state.at[2]) - 1, int(least_left(state, 0)) - 1)
        if not self._judging:
            return Found(groups, reduced, left_out)
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

    def _priced(self, prices: Prices) -> Priced:
        kind, cut = np.nonzero(prices.cuts.weights.T)
        return _plain(
            Priced(
                price=np.asarray(prices.records, dtype=np.int64)[self._kind_of],
                start=np.searchsorted(kind, np.arange(len(self.kinds) + 1)),
                cut=cut,
                weight=prices.cuts.weights[cut, kind],
                divisor=prices.cuts.divisors,
                due=np.asarray(prices.dues, dtype=np.int64),
            )
        )

    def _followed(
        self, state: State, p: Priced, limit: int, each: int, clock: Clock
    ) -> Iterator[tuple[IntArray, IntArray]]:
        """Give the classes and their reduced costs in parts, until there are no more or a limit is reached."""
        room = max(1, min(_ROOM, self._most_found))
        kinds = np.zeros(4 * room + self.most, dtype=np.int64)
        starts, reduced = np.zeros(room + 1, dtype=np.int64), np.zeros(room, dtype=np.int64)
        total, done = 0, False
        while not done and total <= self._most_found and not clock.over:
            found, done = advance(self._costs, self._asked, state, p, limit, each, self._steps, kinds, starts, reduced)
            total += found
            if found:
                groups = np.zeros((found, len(self.kinds)), dtype=np.int64)
                owner = np.repeat(np.arange(found), np.diff(starts[: found + 1]))
                np.add.at(groups, (owner, kinds[: starts[found]]), 1)
                yield groups, reduced[:found].copy()


def _plain(given: _T) -> _T:
    """Return the same with arrays of one type and order that can be written to: else numba compiles anew."""
    make: Callable[..., _T] = type(given)
    parts: tuple[Any, ...] = tuple(given)
    return make(*(np.array(x, np.int64, order="C") if isinstance(x, np.ndarray) else int(x) for x in parts))


_ROOM = 20_000
"""So many classes are written at a time."""

_MOST_VALUES = 300
"""Up to so many sensitive values the least distance between two is looked for."""
