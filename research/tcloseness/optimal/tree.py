"""`search_tree`: the optimum of a bounded mixed-integer program, proved in whole numbers; HiGHS says where to look.

minimize Σ c_j·x_j subject to least_i ≤ Σ_j a_ij·x_j ≤ most_i, low_j ≤ x_j ≤ high_j, all numbers and some x_j whole. For
any prices q of the rows whatever,

    cost ≥ Σ_i (q_i·least_i if q_i > 0, else q_i·most_i) + Σ_j min {(c_j − Σ_i a_ij·q_i)·x_j : low_j ≤ x_j ≤ high_j}.

HiGHS's dual prices, rounded to whole multiples of 1/T, make this nearly as great as the linear relaxation. Since costs
are whole, a node of the tree in which the bound is above the least cost so far minus 1 holds nothing better. With c = 0
a bound above 0 says that a node is empty. Other nodes are split: at a whole variable, x_j ≤ k or x_j ≥ k + 1; or, where
variables stand for classes of records, at a pair of records: those that hold one of them without the other are 0, or
those that hold both are (D. Ryan, B. Foster, "An Integer Programming Approach to Scheduling", 1981).
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tcloseness.errors import TimeLimitReached
from tcloseness.exact import IntArray
from tcloseness.limits import Clock
from tcloseness.optimal.program import Program
from tcloseness.transport.solvers.highs_client import Kept

__all__ = ["Bounded", "Leaf", "Searched", "Split", "cases", "leaf_bound", "search_tree"]

Split: TypeAlias = tuple[str, int, int, bool]
"""``"x"``, j, k, and x_j ≥ k (True) or x_j ≤ k; or ``"pair"``, two records, and whether they are together."""

_FITS = 2**61
"""Sums below this are worked out in 64 bits; then so is the sum of two of them."""

_WHOLE = 1e-6
"""What lies nearer to a whole number is tried as one."""


@dataclass(frozen=True)
class Bounded:
    """A program by columns.

    Attributes
    ----------
    cost, low, high, whole
        Shape (variables,).
    start, index, value
        The entries of column j are those from ``start[j]`` to ``start[j + 1]``: rows, and whole numbers.
    least, most
        Of each row; None for none.
    unit
        T.
    held
        Shape (variables, records): whether a variable stands for a class with a record, where it may be split by pairs.
        Of the variables that hold a record exactly one is 1 in a solution, and the others are 0.
    columns, rows
        What HiGHS sees is x_j / ``columns[j]``, and rows times ``rows[i]``: so that what it takes for nothing is
        nothing. Powers of two; by default 1.
    """

    cost: IntArray
    low: IntArray
    high: IntArray
    whole: npt.NDArray[np.bool_]
    start: IntArray
    index: IntArray
    value: IntArray
    least: Sequence[int | None]
    most: Sequence[int | None]
    unit: int = 2**20
    held: npt.NDArray[np.bool_] | None = None
    columns: Any = None
    rows: Any = None

    @classmethod
    def of(cls, program: Program) -> Bounded:
        """Return a program by columns; rows and variables that are not whole are scaled to the whole variables'."""
        entries = [(v, i, c) for i, row in enumerate(program.rows) for v, c in row.terms.items()]
        entries.sort(key=lambda each: each[0])
        owner = np.array([v for v, _, _ in entries], dtype=np.int64)
        low, high = (np.array([getattr(v, end) for v in program.variables]) for end in ("low", "high"))
        whole = np.array([v.whole for v in program.variables], dtype=bool)
        most = max([1, *map(abs, high[whole].tolist())])
        columns = np.array([1.0 if w else _power(h / most) for w, h in zip(whole, high.tolist(), strict=True)])
        rows = np.array(
            [1 / _power(max((abs(c) * columns[v] for v, c in row.terms.items()), default=1)) for row in program.rows]
        )
        return cls(
            cost=np.array([program.costs.get(v, 0) for v in range(len(low))], dtype=np.int64),
            low=low,
            high=high,
            whole=whole,
            start=np.searchsorted(owner, np.arange(len(low) + 1)),
            index=np.array([i for _, i, _ in entries], dtype=np.int64),
            value=np.array([c for _, _, c in entries], dtype=np.int64),
            least=[None] * len(program.rows),
            most=[row.most for row in program.rows],
            unit=int(2**40 / min(rows.tolist(), default=1)),
            columns=columns,
            rows=rows,
        )

    def in_doubles(self) -> dict[str, Any]:
        """Return the program as `tcloseness.transport.solvers.highs_client.Kept` takes it."""
        columns, rows = self.scales()
        lengths = np.diff(self.start)
        return {
            "cost": self.cost.astype(float) * columns,
            "low": self.low.astype(float) / columns,
            "high": self.high.astype(float) / columns,
            "start": self.start,
            "index": self.index,
            "value": self.value.astype(float) * rows[self.index] * np.repeat(columns, lengths),
            "least": np.array([-math.inf if b is None else float(b) for b in self.least]) * rows,
            "most": np.array([math.inf if b is None else float(b) for b in self.most]) * rows,
        }

    def scales(self) -> tuple[Any, Any]:
        """Return the scales of columns and rows."""
        return (
            np.ones(len(self.cost)) if self.columns is None else self.columns,
            np.ones(len(self.least)) if self.rows is None else self.rows,
        )

    def sums(self, weights: IntArray) -> IntArray:
        """Return Σ_i a_ij·w_i of each column, exactly."""
        size = max(map(abs, weights.tolist()), default=0) * self._greatest
        fits = size * max(1, len(self.least)) < _FITS
        value = self.value if fits else self._value_objects
        terms = value * weights.astype(np.int64 if fits else object)[self.index]
        found = np.append([0], np.cumsum(terms))
        return np.asarray(found[self.start[1:]] - found[self.start[:-1]])

    @cached_property
    def _greatest(self) -> int:
        return max(map(abs, self.value.tolist()), default=1)

    @cached_property
    def _value_objects(self) -> IntArray:
        return self.value.astype(object)

    @cached_property
    def costs(self) -> IntArray:
        """T·c, exactly."""
        fits = max(map(abs, self.cost.tolist()), default=0) * self.unit < _FITS
        return np.asarray(self.cost.astype(np.int64 if fits else object) * self.unit)

    def holds(self, x: IntArray) -> bool:
        """Say whether whole values satisfy all rows and bounds, exactly."""
        if (x < self.low).any() or (x > self.high).any():
            return False
        totals = [0] * len(self.least)
        for j in np.flatnonzero(x).tolist():
            for entry in range(self.start[j], self.start[j + 1]):
                totals[self.index[entry]] += int(self.value[entry]) * int(x[j])
        return all(
            (a is None or a <= t) and (b is None or t <= b)
            for a, t, b in zip(self.least, totals, self.most, strict=True)
        )


def _power(x: float) -> float:
    """Return the power of two next to a number > 0; 1 for 0."""
    return float(2.0 ** round(math.log2(x))) if x > 0 else 1.0


@dataclass(frozen=True)
class Leaf:
    """A node of which is proved that it holds nothing better.

    Attributes
    ----------
    path
        The splits that lead to it.
    prices
        Of the rows, in units of 1/T.
    empty
        Whether they prove that it holds nothing.
    """

    path: tuple[Split, ...]
    prices: IntArray
    empty: bool


def cases(leaves: Sequence[Leaf]) -> Iterator[Split | Leaf]:
    """Yield the tree whose leaves these are in pre-order: splits, each as its case of x_j ≤ k, and leaves."""
    before: tuple[Split, ...] = ()
    for leaf in sorted(leaves, key=lambda leaf: [more for *_, more in leaf.path]):
        shared = next((i for i, (a, b) in enumerate(zip(before, leaf.path, strict=False)) if a != b), -1)
        yield from leaf.path[shared + 1 :]  # the step that differs is the other case of a split that was given
        yield leaf
        before = leaf.path


@dataclass
class Searched:
    """What was found.

    Attributes
    ----------
    upper
        The least cost that is known.
    values
        The variables of a solution of that cost; None where it was known before.
    open
        Whether a node was left open; else no solution costs less than `upper`, or there is none.
    bound
        Where one was, no solution costs less than this or `upper`; None where nothing is known.
    leaves
        What proves it, where all is done, or the bound.
    nodes
        How many nodes were looked at.
    """

    upper: int | None
    values: IntArray | None = None
    open: bool = False
    bound: int | None = None
    leaves: list[Leaf] = field(default_factory=list)
    nodes: int = 0


def leaf_bound(program: Bounded, prices: IntArray, low: IntArray, high: IntArray, *, empty: bool) -> int:
    """Return the bound of the module, times T, in a node; with `empty` for c = 0."""
    total = 0
    for q, least, most in zip(prices.tolist(), program.least, program.most, strict=True):
        if q:
            side = least if q > 0 else most
            if side is None:
                raise ValueError("a price of a side that a row does not have")
            total += q * side
    left = -program.sums(prices)
    if not empty:
        left = left + program.costs
    ends = np.where(left > 0, low, high)
    some = np.flatnonzero((ends != 0) & (left != 0))
    return total + sum(int(r) * int(x) for r, x in zip(left[some].tolist(), ends[some].tolist(), strict=True))


def search_tree(
    program: Bounded,
    *,
    upper: int | None,
    clock: Clock,
    accepts: Callable[[IntArray], bool],
    near: Callable[[npt.NDArray[np.float64]], Iterable[IntArray]] = lambda _: (),
    first: Sequence[int] = (),
    report: Callable[[int | None], None] = lambda _: None,
    nodes: int | None = None,
) -> Searched:
    """Search for a solution that costs less than is known, depth first.

    Parameters
    ----------
    program
        The program.
    upper
        A cost that is known.
    clock
        The search ends when no time is left, and says what is left open.
    accepts
        Whether whole values of the whole variables are a solution, exactly.
    near
        Makes whole values of the values that HiGHS found for a node; they need not be accepted.
    first
        Variables that are split before others.
    report
        Called with the least cost at each node.
    nodes
        The search ends after so many nodes; or, while it has found nothing, ten times as many.
    """
    search = _Tree(program, upper, accepts, near, first)
    with suppress(TimeLimitReached), Kept(program.in_doubles(), presolve="off") as relaxation:
        while search.waiting and (
            nodes is None or search.found.nodes < (10 * nodes if search.found.values is None else nodes)
        ):
            search.look(relaxation, clock)
            report(search.found.upper)
    return search.result()


@dataclass(frozen=True)
class _Node:
    """A node that waits, with the greatest bound of the nodes above it and the prices that say so."""

    path: tuple[Split, ...]
    known: int | None
    prices: IntArray | None


class _Tree:
    def __init__(
        self,
        program: Bounded,
        upper: int | None,
        accepts: Callable[[IntArray], bool],
        near: Callable[[npt.NDArray[np.float64]], Iterable[IntArray]],
        first: Sequence[int],
    ) -> None:
        self.program, self.accepts, self.near, self.first = program, accepts, near, list(first)
        self.found = Searched(upper)
        self.waiting: list[_Node] = [_Node((), None, None)]
        self.stuck: list[_Node] = []
        self._columns, self._rows = program.scales()
        self._low, self._high = program.low, program.high

    def result(self) -> Searched:
        """Return what was found, with what is left open."""
        left = [node for node in (*self.waiting, *self.stuck) if not self._settled(node)]
        self.found.open, known = bool(left), [node.known for node in left if node.known is not None]
        if known and len(known) == len(left):
            self.found.bound = min(known)
            self.found.leaves += [Leaf(node.path, node.prices, False) for node in left if node.prices is not None]
        return self.found

    def _settled(self, node: _Node) -> bool:
        """Say whether the prices of the node above prove by now that a node holds nothing better."""
        if node.prices is None or node.known is None or self.found.upper is None or node.known < self.found.upper:
            return False
        self.found.leaves.append(Leaf(node.path, node.prices, False))
        return True

    def look(self, relaxation: Kept, clock: Clock) -> None:
        """Prove of the next node that it holds nothing better, or split it."""
        node, found = self.waiting[-1], self.found
        if self._settled(node):
            self.waiting.pop()
            return
        path = node.path
        low, high = self._box(path)
        self._move(relaxation, low, high)
        told = relaxation.solve(clock)
        self.waiting.pop()
        found.nodes += 1
        if told.status != "kOptimal" or told.values is None:
            if not self._empty(path, told.ray, low, high):
                self._split_anywhere(node, low, high)
            return
        unit = self.program.unit
        prices = self._priced(np.array(told.prices) * self._rows * unit)
        bound = leaf_bound(self.program, prices, low, high, empty=False)
        x = np.array(told.values) * self._columns
        whole = np.rint(x).astype(np.int64)
        apart = np.where(self.program.whole, np.abs(x - whole), 0)
        if apart.max(initial=0) < _WHOLE:
            self._offer(whole)
        else:
            for rounded in self.near(x):
                self._offer(rounded)
        if found.upper is not None and bound > unit * (found.upper - 1):
            found.leaves.append(Leaf(path, prices, False))
            return
        known = -(-bound // unit)
        node = node if node.known is not None and node.known >= known else _Node(path, known, prices)
        if apart.max(initial=0) < _WHOLE:
            self._split_anywhere(node, low, high)
            return
        pair = self._pair(x)
        if pair is not None:
            self._split(node, ("pair", *pair, False), ("pair", *pair, True))
            return
        urgent = [j for j in self.first if apart[j] >= _WHOLE]
        j = max(urgent, key=lambda j: apart[j]) if urgent else int(np.argmax(apart))
        self._split_at(node, j, math.floor(x[j]), up=x[j] - math.floor(x[j]) > 0.5)

    def _pair(self, x: npt.NDArray[np.float64]) -> tuple[int, int] | None:
        """Return the records that are together most nearly in every other solution."""
        if self.program.held is None:
            return None
        some = np.flatnonzero(x > _WHOLE)
        held = self.program.held[some].astype(float)
        together = np.triu((held.T * x[some]) @ held, 1)
        apart = np.abs(together - np.rint(together))
        if apart.max(initial=0) < _WHOLE:
            return None
        i, j = np.unravel_index(int(np.argmax(apart)), apart.shape)
        return int(i), int(j)

    def _box(self, path: tuple[Split, ...]) -> tuple[IntArray, IntArray]:
        low, high = self.program.low.copy(), self.program.high.copy()
        for kind, a, b, more in path:
            if kind == "pair":
                assert self.program.held is not None
                one, other = self.program.held[:, a], self.program.held[:, b]
                high[one != other if more else one & other] = 0
            elif more:
                low[a] = max(low[a], b)
            else:
                high[a] = min(high[a], b)
        return low, high

    def _move(self, relaxation: Kept, low: IntArray, high: IntArray) -> None:
        """Tell HiGHS the bounds that differ from those that it has."""
        at = np.flatnonzero((low != self._low) | (high != self._high))
        if len(at):
            scale = self._columns[at]
            relaxation.change({"columns": at, "lows": low[at] / scale, "highs": high[at] / scale})
        self._low, self._high = low, high

    def _priced(self, prices: Any) -> IntArray:
        """Return whole prices, none of a side that a row does not have."""
        found = [math.floor(q) for q in prices.tolist()]
        sides = zip(found, self.program.least, self.program.most, strict=True)
        kept = [0 if q and (least if q > 0 else most) is None else q for q, least, most in sides]
        return np.array(kept, dtype=np.int64 if max(map(abs, kept), default=0) < _FITS else object)

    def _empty(self, path: tuple[Split, ...], ray: Sequence[float], low: IntArray, high: IntArray) -> bool:
        """Prove that a node holds nothing: by its bounds, by HiGHS's ray, by a single row; or say that none does."""
        size = len(self.program.least)
        if (low > high).any():
            self.found.leaves.append(Leaf(path, np.zeros(size, dtype=np.int64), True))
            return True
        tried = [np.array(ray) / np.abs(ray).max() * self._rows * self.program.unit] if np.any(ray) else []
        for found in itertools.chain(tried, np.eye(size)):
            prices = self._priced(found)
            if leaf_bound(self.program, prices, low, high, empty=True) <= 0:
                prices = self._priced(-found)
            if leaf_bound(self.program, prices, low, high, empty=True) > 0:
                self.found.leaves.append(Leaf(path, prices, True))
                return True
        return False

    def _offer(self, x: IntArray) -> None:
        cost = sum(c * v for c, v in zip(self.program.cost.tolist(), x.tolist(), strict=True))
        if (self.found.upper is None or cost < self.found.upper) and self.accepts(x):
            self.found.upper, self.found.values = cost, x

    def _split_anywhere(self, node: _Node, low: IntArray, high: IntArray) -> None:
        """Split a node that could not be judged, or leave it open where nothing is left to split."""
        free = np.flatnonzero(self.program.whole & (low < high))
        if not len(free):
            self.stuck.append(node)
            return
        j = int(free[0])
        self._split_at(node, j, (int(low[j]) + int(high[j])) // 2, up=True)

    def _split_at(self, node: _Node, j: int, k: int, *, up: bool) -> None:
        below, above = ("x", j, k, False), ("x", j, k + 1, True)
        self._split(node, *((below, above) if up else (above, below)))

    def _split(self, node: _Node, later: Split, now: Split) -> None:
        self.waiting += [_Node((*node.path, split), node.known, node.prices) for split in (later, now)]
