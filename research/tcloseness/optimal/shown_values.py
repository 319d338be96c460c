"""How the sensitive values of one class are shown as nodes of their hierarchy: what that costs, the program, its proof.

What a reader takes a node for is said in `tcloseness.optimal.sensitive_generalization`.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from tcloseness.certificates.generalization import Showing
from tcloseness.errors import InputError, LimitReached, SolverError, TimeLimitReached
from tcloseness.exact import IntArray
from tcloseness.ground import ground_distance
from tcloseness.loss import CellCost
from tcloseness.microdata import ClassCounts, Hierarchy
from tcloseness.microdata.ancestors import Ancestors
from tcloseness.microdata.domain import value_text
from tcloseness.models import PrivacyModel
from tcloseness.models.conditions import MostDistance, conditions_of
from tcloseness.optimal.answers import SolverClock, whole_bound
from tcloseness.optimal.linear_constraints import ClassVariables, Setting, require, sides
from tcloseness.optimal.program import Program
from tcloseness.optimal.solver import Engine, NoSolution, Proposal, propose, whose_bound
from tcloseness.optimal.tree import Bounded, Leaf, Searched, cases, search_tree
from tcloseness.release.draws import Draws

__all__ = ["EXACT", "MOST_RECORDS", "Reader", "Shown", "Solved"]

MOST_RECORDS = 2**62
"""Up to here counts are exact in `ClassCounts`."""

Shown = Mapping[tuple[int, int], int]
"""How a class shows its values: (value code, node) → records."""

SCALE = 2**40
"""Potentials and prices of a certificate are whole multiples of one over this."""

EXACT = "exact argument: linear programming duality in whole numbers"


@dataclass(frozen=True)
class Solved:
    """How one class is shown, its whole cost, a bound on that, whose bound it is, and what a checker reads of that."""

    shown: Shown
    cost: int
    bound: int
    proof: str
    tree: tuple[Mapping[str, Any], ...] = ()


@dataclass(frozen=True)
class Side:
    """Two rows that bound how far a part of the values is from the reference, above and below.

    Attributes
    ----------
    row
        The first of them.
    above, below
        How many records of the part they count as.
    inside
        The part.
    """

    row: int
    above: int
    below: int
    inside: Sequence[int]


@dataclass(frozen=True)
class Written:
    """What the variables and rows of the program of one class are about.

    Attributes
    ----------
    cells, totals
        The variable of each value at each node, and that of each node's total.
    rows
        The first of the two rows of each total.
    distances
        Of each distance its rows, two for each part of the values.
    """

    cells: Mapping[tuple[int, int], int]
    totals: Mapping[int, int]
    rows: Mapping[int, int]
    distances: Sequence[Sequence[Side]]


def _nearest(above: int, below: int) -> int:
    return (2 * above + below) // (2 * below)


class Reader:
    """What nodes cost, and what a reader takes them for.

    Attributes
    ----------
    showing
        The same as a checker sees it; None where none knows it.
    """

    def __init__(self, classes: ClassCounts, hierarchy: Hierarchy, form: CellCost, draws: Draws) -> None:
        self.showing: Showing | None = None
        self.classes = classes
        self.reference = [int(c) for c in classes.reference]
        self.setting = Setting.drawn(classes.domain, self.reference, draws)
        self.draws = draws
        tree = self.tree = Ancestors(hierarchy)
        tree.require_labels_apart(classes.sensitive)
        places = tree.places(classes.domain)
        self._leaves = tree.leaf_nodes[places].tolist()
        self._widths = (tree.high - tree.low).tolist()
        penalties, _, whole = form.of_nodes(tree)
        self.weights, self.unit = list(map(int, penalties.tolist())), max(1, whole)
        below = [
            np.flatnonzero((places >= low) & (places < high)) for low, high in zip(tree.low, tree.high, strict=True)
        ]
        self._below = [self.setting.in_order(values.tolist()) for values in below]
        self._totals = [sum(self.reference[v] for v in values) for values in self._below]
        if not self._totals[0]:
            raise InputError("the reference distribution is empty on the hierarchy, so a node cannot be read by it")
        self.least = min((w for w in self.weights if w), default=0)
        self.most_of_all = classes.records * self.weights[0]

    def leaf(self, value: int) -> int:
        """Return the node of a value itself."""
        return int(self._leaves[value])

    def nodes(self, value: int) -> list[int]:
        """Return the nodes that a value can be shown as: itself, and those above it that Q has records of.

        One with a single leaf says what the leaf says, and is left out.
        """
        node = self.leaf(value)
        found = [node]
        while node:
            node = int(self.tree.parent[node])
            if self._totals[node] and self._widths[node] > 1:
                found.append(node)
        return found

    def most(self, row: Mapping[int, int]) -> int:
        """Return the cost of a class that shows the root only."""
        return sum(row.values()) * int(self.weights[0])

    def shares(self, value: int, node: int) -> dict[int, Fraction]:
        """Return what a reader takes a node for that a value is shown as: value → probability."""
        if node == self.leaf(value):
            return {value: Fraction(1)}
        total = self._totals[node]
        return {v: Fraction(self.reference[v], total) for v in self._below[node] if self.reference[v]}

    def solve(
        self, row: Mapping[int, int], close: tuple[PrivacyModel, ...], engine: Engine, clock: SolverClock
    ) -> Solved:
        """Return how a class that violates is shown."""
        root = Solved({(v, 0): count for v, count in row.items()}, self.most(row), 0, whose_bound(engine, -math.inf))
        try:
            program, written = self._program(row, close, clock)
        except TimeLimitReached:
            return root
        if engine == "HiGHS":
            found = self._searched(program, written, root, close, clock)
            if found.bound == found.cost or clock.over:
                return found
            root = replace(root, tree=found.tree)
        proposal = propose(program, engine=engine, clock=clock)
        if isinstance(proposal, NoSolution):
            raise SolverError(f"{engine} calls a program infeasible that the root solves; the answer is refused")
        bound = whole_bound(proposal.bound) if math.isfinite(proposal.bound) else 0
        best = replace(root, bound=bound, proof=whose_bound(engine, proposal.bound))
        if not isinstance(proposal, Proposal):
            return best
        shown = {cell: proposal.values[x] for cell, x in written.cells.items() if proposal.values[x]}
        return replace(best, shown=shown, cost=self._cost(shown))

    def _cost(self, shown: Shown) -> int:
        return sum(int(self.weights[n]) * count for (_, n), count in shown.items())

    def _searched(
        self,
        program: Program,
        written: Written,
        root: Solved,
        close: tuple[PrivacyModel, ...],
        clock: SolverClock,
    ) -> Solved:
        """Return what a tree of whole prices finds and proves."""
        y = written.cells

        def shown(x: IntArray) -> Shown:
            return {cell: int(x[records]) for cell, records in y.items() if x[records]}

        def accepts(x: IntArray) -> bool:
            held: dict[int, int] = {}
            for (v, _), records in y.items():
                held[v] = held.get(v, 0) + int(x[records])
            if held != kept or min(int(x[records]) for records in y.values()) < 0:
                return False
            read = self.beliefs([shown(x)])
            return all(part.evaluate(read).status == "satisfied" for part in close)

        kept: dict[int, int] = {}
        cells: dict[int, list[int]] = {}
        for (v, _), records in y.items():
            kept[v] = program.variables[records].high
            cells.setdefault(v, []).append(records)

        hope = self._hope(y, close)

        def near(x: npt.NDArray[np.float64]) -> Iterator[IntArray]:
            """Round down, and what is left of a value up where most is missing, or where it is shown highest."""
            down = np.floor(x + 1e-6).astype(np.int64)
            for highest in (False, True):
                found = down.copy()
                for v, own in cells.items():
                    left = kept[v] - int(down[own].sum())
                    part = [own.index(r) if highest and x[r] - down[r] > 1e-6 else x[r] - down[r] for r in own]
                    for place in np.argsort(-np.array(part), kind="stable")[: max(0, left)].tolist():
                        found[own[place]] += 1
                if hope(found):
                    yield found

        bounded = Bounded.of(program)
        told = search_tree(
            bounded, upper=root.cost, clock=clock, accepts=accepts, near=near, first=list(written.totals.values())
        )
        assert told.upper is not None
        bound = (told.bound or 0) if told.open else told.upper
        best = root if told.values is None else replace(root, shown=shown(told.values), cost=told.upper)
        return replace(best, bound=bound, proof=EXACT, tree=self._tree(told, bounded, written))

    def _hope(self, y: Mapping[tuple[int, int], int], close: tuple[PrivacyModel, ...]) -> Callable[[IntArray], bool]:
        """Return what says in doubles, where distances have cuts, whether values may be close: a hint only."""
        shares = np.zeros((len(y), len(self.reference)))
        for place, (v, n) in enumerate(y):
            for u, share in self.shares(v, n).items():
                shares[place, u] = float(share)
        q = np.array(self.reference, dtype=float) / sum(self.reference)
        cells, tests = list(y.values()), []
        for condition in (each for part in close for each in conditions_of(part) or ()):
            assert isinstance(condition, MostDistance)
            cuts = ground_distance(condition.ground, self.classes.domain).cuts
            if cuts is not None:
                inside = np.zeros((len(cuts.low), len(q)))
                for k, (low, high) in enumerate(zip(cuts.low.tolist(), cuts.high.tolist(), strict=True)):
                    inside[k, cuts.order[low:high]] = 1
                weights = np.array([w / cuts.denominator for w in cuts.weights.tolist()])
                tests.append((inside, weights, float(condition.t)))

        def hope(x: IntArray) -> bool:
            counts = x[cells] @ shares
            away = counts / max(1.0, counts.sum()) - q
            return all(weights @ np.abs(inside @ away) <= t + 1e-9 for inside, weights, t in tests)

        return hope

    def _program(
        self, row: Mapping[int, int], close: tuple[PrivacyModel, ...], clock: SolverClock
    ) -> tuple[Program, Written]:
        """Return the program of one class."""
        size = sum(row.values())
        program = Program(clock)
        opened = program.add(1, 1)
        values = self.setting.in_order(row)
        y = {(v, n): program.add(0, row[v], cost=self.weights[n]) for v in values for n in self.nodes(v)}
        for v in values:
            program.equal({y[v, n]: 1 for n in self.nodes(v)}, row[v])
        above: dict[int, dict[int, int]] = {}
        for (v, n), records in y.items():
            if n != self.leaf(v):
                above.setdefault(n, {})[records] = -1
        totals, rows = dict[int, int](), dict[int, int]()
        for n, records_of in above.items():
            totals[n], rows[n] = program.add(0, size), len(program.rows)
            program.equal({totals[n]: 1, **records_of}, 0)
        counts: dict[int, dict[int, int | Fraction]] = {}
        for (v, n), records in y.items():
            for u, share in self.shares(v, n).items():
                counts.setdefault(u, {})[records] = share
        variables = ClassVariables(counts, dict.fromkeys(counts, size), {opened: 1})
        distances = []
        for part in close:
            first = len(program.rows)
            require(program, part, variables, self.setting)
            for each in conditions_of(part) or ():
                if isinstance(each, MostDistance):
                    distances.append(self._sides(program, each, first))
                    first += 2 * len(distances[-1])
                first += 1
        return program, Written(y, totals, rows, distances)

    def _sides(self, program: Program, condition: MostDistance, row: int) -> list[Side]:
        """Return what is known of the rows of a distance that has cuts, from its first row on."""
        cuts, total = ground_distance(condition.ground, self.classes.domain).cuts, sum(self.reference)
        found = []
        for inside, weight in sides(cuts, self.setting) if cuts is not None else ():
            shared = math.gcd(total, sum(self.reference[v] for v in inside))
            # each says f·(± difference − z) ≤ 0, where z is its last variable
            factors = [-terms[max(terms)] * total // shared for terms in (program.rows[row + i].terms for i in (0, 1))]
            found.append(Side(row, factors[0] if weight else 0, factors[1] if weight else 0, inside))
            row += 2
        return found

    def _tree(self, told: Searched, bounded: Bounded, written: Written) -> tuple[Mapping[str, Any], ...]:
        """Return what a search proves as `tcloseness.certificates.generalization` reads it, in units of 1/`SCALE`."""
        if self.showing is None:
            return ()
        cell_of: dict[int, tuple[int | None, int | None]] = {}
        for n, x in written.totals.items():
            cell_of[x] = None, self.number(n)
        for (v, n), x in written.cells.items():
            cell_of[x] = v, None if n == self.leaf(v) else self.number(n)
        tree: list[Mapping[str, Any]] = []
        for each in cases(told.leaves):
            if isinstance(each, Leaf):
                tree.append(self._prices(each, bounded, written))
            else:
                value, node = cell_of[each[1]]
                tree.append({"value": value, "node": node, "most": each[2]})
        return tuple(tree)

    def _prices(self, leaf: Leaf, bounded: Bounded, written: Written) -> Mapping[str, Any]:
        """Return the potentials and the prices of the nodes' totals that a leaf's prices of rows say."""
        # what proves that a case is empty proves at many times these prices that it costs more than is known
        assert self.showing is not None
        unit, many = bounded.unit * self.unit, bounded.unit * (1 + self.most_of_all) if leaf.empty else 1
        q = [int(price) * many * SCALE for price in leaf.prices]
        potentials = []
        for found in written.distances:
            u = [0] * len(self.reference)
            for side in found:
                price = side.below * q[side.row + 1] - side.above * q[side.row]
                for v in side.inside:
                    u[v] += price
            potentials.append([_nearest(price, unit) for price in u])
        prices = [0] * len(self.showing.costs)
        for n, row in written.rows.items():
            prices[self.number(n)] = _nearest(q[row + 1] - q[row], unit)
        return {"potentials": potentials, "prices": prices}

    @property
    def unpriced(self) -> dict[str, Any]:
        """What settles a case by nothing but that no cost is below 0."""
        assert self.showing is not None
        distances, zeros = len(self.showing.distances), [0] * len(self.reference)
        return {"potentials": [zeros] * distances, "prices": [0] * len(self.showing.costs)}

    def number(self, node: int) -> int:
        """Return the number that a checker gives a node of several leaves."""
        assert self.showing is not None
        above, depth = node, 0
        while above:
            above, depth = int(self.tree.parent[above]), depth + 1
        return self.showing.numbers[depth, value_text(self.tree.labels[node])]

    def beliefs(self, shown: list[Shown]) -> ClassCounts:
        """Return P of each class as whole counts, multiplied class by class by what makes them whole."""
        starts, values, counts = [0], list[int](), list[int]()
        for one in shown:
            held: dict[int, int] = {}
            above: dict[int, int] = {}  # how many records are shown at each node that is not the value's own
            for (v, node), records in one.items():
                if node == self.leaf(v):
                    held[v] = held.get(v, 0) + records
                else:
                    above[node] = above.get(node, 0) + records
            scale = math.lcm(*(self._totals[node] for node in above))
            held = {v: records * scale for v, records in held.items()}
            for node, records in above.items():
                each = records * (scale // self._totals[node])
                for v in self._below[node]:
                    if self.reference[v]:
                        held[v] = held.get(v, 0) + each * self.reference[v]
            shared = math.gcd(*held.values())
            values += sorted(held)
            counts += [held[v] // shared for v in sorted(held)]
            starts.append(len(values))
        if sum(counts) > MOST_RECORDS:
            raise LimitReached(
                f"what a reader takes the shown values for is exact in counts that sum to {sum(counts)}, and exact "
                f"counts are kept in 64 bits, up to {MOST_RECORDS}; give fewer classes, or a hierarchy of fewer nodes"
            )
        return ClassCounts.from_cells(
            self.classes.domain,
            starts,
            values,
            counts,
            reference=self.classes.reference,
            sensitive=self.classes.sensitive,
            conventions=self.classes.conventions.but({"draws": self.draws.text}),
        )
