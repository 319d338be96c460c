"""`optimal_sensitive_generalization`: sensitive values shown as nodes of their hierarchy, as few as t-closeness needs.

The gentler variant of hiding (`tcloseness.optimal.hiding`): a record stays, and its sensitive value v is shown as a
node N above v. What does "a value below N" say? A reader knows Q, the distribution of `reference`, so it says v with
probability Q(v)/Q(N) for each v below N, and

    P(v) = (x_v + Σ_{N above v} y_N·Q(v)/Q(N)) / n

with x_v values of a class shown as they are, y_N shown as N, and n the size of the class. t-closeness is about what a
reader learns from a class who knew Q before (Li et al. 2007, §3.3: from B₁ to B₂), and under this reading a class all
of whose values are shown as the root has P = Q: it says nothing, and is 0-close. Hidden values, on the other hand, are
left out of P, and a class that shows one value out of a hundred has P = 1 there. So the two optima do not compare.

k-anonymity counts records, and is not helped. Distinct, frequency and recursive ℓ-diversity, β-likeness and
δ-disclosure ask for counts of values, which a node has none of: they are refused.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from tcloseness.errors import InputError, LimitReached, SolverError, TableError, TimeLimitReached
from tcloseness.exact import IntArray
from tcloseness.ground import ground_distance
from tcloseness.limits import TimeLimit
from tcloseness.loss import CellCost, Loss
from tcloseness.loss.per_class import class_cost_of
from tcloseness.microdata import ClassCounts, Hierarchy
from tcloseness.microdata.ancestors import Ancestors
from tcloseness.microdata.border import FullTable, place_in
from tcloseness.microdata.domain import value_text
from tcloseness.models import ModelResult, PrivacyModel
from tcloseness.models.catalogue import taken_at_their_word
from tcloseness.models.conditions import LeastRecords, MostDistance, asks_of_values, conditions_of
from tcloseness.optimal.answers import (
    Answer,
    OfClasses,
    Report,
    SolverClock,
    answer,
    counts_and_release,
    whole_bound,
)
from tcloseness.optimal.class_costs import minimized_loss, taken_at_its_word
from tcloseness.optimal.linear_constraints import ClassVariables, Setting, linear_parts, require
from tcloseness.optimal.program import Program
from tcloseness.optimal.solver import Engine, NoSolution, Proposal, propose, whose_bound
from tcloseness.optimal.suppression import of_records
from tcloseness.optimal.tree import Bounded, Leaf, search_tree
from tcloseness.release import Release
from tcloseness.release.drawn import showing
from tcloseness.release.draws import Draws

__all__ = ["MOST_RECORDS", "SensitiveGeneralization", "optimal_sensitive_generalization"]

MOST_RECORDS = 2**62
"""Up to here counts are exact in `ClassCounts`."""

Shown = Mapping[tuple[int, int], int]
"""How a class shows its values: (value code, node) → records."""


@dataclass(frozen=True, eq=False)
class SensitiveGeneralization(OfClasses):
    """Sensitive values shown as nodes of their hierarchy.

    Attributes
    ----------
    classes
        The classes; their records stay.
    labels
        The label of each node.
    shown
        For each class, how many of its records of each value are shown at which node.
    generalized
        How many values are not shown as they are.
    read
        P of each class, as counts: multiplied, class by class, by what makes them whole.
    verdicts
        What the models say: k-anonymity of the records, t-closeness of P. All are ``satisfied``.
    leaves
        The node of each value itself.
    proofs
        For each class what proves that it cannot be shown at less: the leaves of a search tree, with prices of the rows
        of its program; nothing for a class that stays, or of which a solver's bound is all that there is.
    """

    classes: ClassCounts
    labels: tuple[Any, ...]
    shown: tuple[Shown, ...]
    generalized: int
    read: ClassCounts
    verdicts: tuple[ModelResult, ...]
    leaves: tuple[int, ...]
    proofs: tuple[tuple[Leaf, ...], ...] = ()

    @property
    def shown_as(self) -> dict[str, int]:
        """How many values are shown as each label that is not their own, the most frequent first."""
        found: Counter[str] = Counter()
        for one in self.shown:
            for (value, node), records in one.items():
                if node != self.leaves[value]:
                    found[value_text(self.labels[node])] += records
        return dict(found.most_common())

    @property
    def touched(self) -> int:
        """How many classes show a value as another label than its own."""
        return sum(any(node != self.leaves[value] for value, node in one) for one in self.shown)

    def node_counts(self, index: int) -> dict[str, int]:
        """Return how often a class shows each label."""
        counts: dict[str, int] = {}
        place = place_in(index, len(self.shown), "the number of a class", TableError)
        for (_, node), records in self.shown[place].items():
            label = value_text(self.labels[node])
            counts[label] = counts.get(label, 0) + records
        return counts

    def to_dict(self) -> dict[str, Any]:
        """Return the solution as JSON-ready data."""
        return {
            "generalized_values": self.generalized,
            "records": self.classes.records,
            "reference": dict(
                zip(map(value_text, self.classes.domain.values), self.classes.reference.tolist(), strict=True)
            ),
            "classes": [{"class": g, "shows": self.node_counts(g)} for g in range(len(self.classes))],
            "verdicts": [verdict.to_dict() for verdict in self.verdicts],
        }


def optimal_sensitive_generalization(
    classes: ClassCounts | Release | FullTable,
    model: PrivacyModel,
    hierarchy: Hierarchy,
    *,
    weight: str | Loss = "ncp",
    engine: Engine = "HiGHS",
    seed: int | None = None,
    time_limit: TimeLimit = None,
    memory_limit: int | None = None,
    progress: Report | None = None,
) -> Answer[SensitiveGeneralization]:
    """Generalize sensitive values as little as possible so that the classes satisfy t-closeness.

    minimize Σ_g Σ_N w(N)·y_gN, where y_gN values of class g are shown as node N, such that each P_g is t-close to Q.

    Parameters
    ----------
    classes
        As for `tcloseness.optimal.optimal_suppression`.
    model
        t-closeness by an EMD, or k-anonymity with it.
    hierarchy
        The hierarchy of the sensitive values, with one root.
    weight
        ``"ncp"``: w(N) = leaves below N / all leaves, 0 for a leaf; ``"height"``: height of N / height of the root; or
        another loss of cells: its penalty of N / that of a suppressed value.
    engine, seed, time_limit, memory_limit, progress
        As for `tcloseness.optimal.optimal_suppression`; a class that is not reached counts as shown at the root.

    Returns
    -------
    Optimal, Feasible or Infeasible
        Infeasible only if a class is smaller than k.

    Raises
    ------
    InputError
        For another model or weight, a seed that cannot be given, or a class that has a value of a root of which Q has
        none.
    HierarchyError
        If the hierarchy misses a value.
    LimitReached
        If counts and threshold are too large for exact coefficients in doubles.
    SolverError
        If what the solver proposes is not t-close by the model's own exact decision.

    References
    ----------
    Li et al. 2007, §8, Other Anonymization Techniques: "to generalize a sensitive attribute value, rather than hiding
    it".

    Examples
    --------
    >>> from tcloseness.models import TCloseness
    >>> ills = Hierarchy.from_groups([{"lung": ["flu", "cough"], "stomach": ["ulcer", "reflux"]}])
    >>> classes = ClassCounts.from_mapping({"a": {"flu": 2}, "b": {"cough": 2}})
    >>> found = optimal_sensitive_generalization(classes, TCloseness("1/4", ground="equal"), ills)
    >>> found.objective, found.solution.generalized
    (Fraction(1, 1), 2)
    >>> found.solution.node_counts(0)
    {'flu': 1, 'lung': 1}
    """
    clock, draws = SolverClock(time_limit, memory_limit, progress=progress), Draws(seed)
    classes, source = counts_and_release(classes)
    loss = minimized_loss(weight, model)
    form = class_cost_of(loss)
    if not isinstance(form, CellCost):
        raise InputError(
            f"the loss {loss.name} is of classes' sizes, and not of the labels of values; take ncp or height"
        )
    parts = linear_parts(model)
    for part in parts:
        if not all(isinstance(each, LeastRecords | MostDistance) for each in conditions_of(part) or ()):
            raise InputError(f"{part.name} counts values, and a generalized value has no count; ask for t-closeness")
    verdicts, refused = of_records(parts, classes, "generalization")
    if refused:
        return refused
    close = tuple(part for part in parts if asks_of_values(part))
    reading = _Reading(classes, hierarchy, form, draws)
    violating = {int(g) for part in close for g in part.evaluate(classes).violating}
    shown: list[Shown] = []
    cost, bound, proofs = 0, 0, dict[str, None]()
    least, most = len(violating) * reading.least, sum(reading.most(classes.row(g)) for g in violating)
    solved: dict[tuple[tuple[int, int], ...], _Solved] = {}
    for g in range(len(classes)):
        row = classes.row(g)
        if g not in violating:
            shown.append({(v, reading.leaf(v)): count for v, count in row.items()})
            continue
        key = tuple(row.items())
        if key not in solved:
            solved[key] = reading.solve(row, close, engine, clock)
        one = solved[key]
        whole = max(reading.least, one.bound)
        proofs[one.proof] = None
        shown.append(one.shown)
        cost, bound = cost + one.cost, bound + whole
        least, most = least - reading.least + whole, most - reading.most(row) + one.cost
        clock.report(Fraction(most, reading.unit), Fraction(least, reading.unit))
    read = reading.beliefs(shown)
    verdicts += [part.evaluate(read) for part in close]
    if any(verdict.status != "satisfied" for verdict in verdicts):
        raise SolverError(f"{engine} proposes a generalization of sensitive values that is not t-close; refused")
    return answer(
        SensitiveGeneralization(
            classes,
            tuple(reading.tree.labels),
            tuple(shown),
            sum(count for one in shown for (v, node), count in one.items() if node != reading.leaf(v)),
            read,
            tuple(verdicts),
            tuple(reading.leaf(v) for v in range(len(classes.domain))),
            tuple(solved[tuple(classes.row(g).items())].leaves if g in violating else () for g in range(len(classes))),
            published=None if source is None else showing(source, shown, reading.tree, draws),
        ),
        objective=Fraction(cost, reading.unit),
        bound=Fraction(bound, reading.unit),
        minimized=f"sum of the generalized values' {form.share or loss.name}",
        proof=(next(iter(sorted(proofs, key=_EXACT.__eq__)), "exact argument"))
        + taken_at_their_word(model)
        + taken_at_its_word(loss),
    )


_EXACT = "exact argument: linear programming duality in whole numbers"


@dataclass(frozen=True)
class _Solved:
    """How one class is shown, its whole cost, a bound on that, and whose bound it is."""

    shown: Shown
    cost: int
    bound: int
    proof: str
    leaves: tuple[Leaf, ...] = ()


class _Reading:
    """What nodes cost, and what a reader takes them for."""

    def __init__(self, classes: ClassCounts, hierarchy: Hierarchy, form: CellCost, draws: Draws) -> None:
        self.classes = classes
        self.reference = [int(c) for c in classes.reference]
        self.setting = Setting.drawn(classes.domain, self.reference, draws)
        self.draws = draws
        tree = self.tree = Ancestors(hierarchy)
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
    ) -> _Solved:
        """Return how a class that violates is shown."""
        root = _Solved({(v, 0): count for v, count in row.items()}, self.most(row), 0, whose_bound(engine, -math.inf))
        try:
            program, y, totals = self._program(row, close, clock)
        except TimeLimitReached:
            return root
        if engine == "HiGHS":
            found = self._searched(program, y, totals, root, close, clock)
            if found.bound == found.cost or clock.over:
                return found
        proposal = propose(program, engine=engine, clock=clock)
        if isinstance(proposal, NoSolution):
            raise SolverError(f"{engine} calls a program infeasible that the root solves; the answer is refused")
        bound = whole_bound(proposal.bound) if math.isfinite(proposal.bound) else 0
        best = replace(root, bound=bound, proof=whose_bound(engine, proposal.bound))
        if not isinstance(proposal, Proposal):
            return best
        shown = {cell: proposal.values[records] for cell, records in y.items() if proposal.values[records]}
        return replace(best, shown=shown, cost=self._cost(shown))

    def _cost(self, shown: Shown) -> int:
        return sum(int(self.weights[n]) * count for (_, n), count in shown.items())

    def _searched(
        self,
        program: Program,
        y: Mapping[tuple[int, int], int],
        totals: list[int],
        root: _Solved,
        close: tuple[PrivacyModel, ...],
        clock: SolverClock,
    ) -> _Solved:
        """Return what a tree of whole prices finds and proves."""

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

        told = search_tree(Bounded.of(program), upper=root.cost, clock=clock, accepts=accepts, near=near, first=totals)
        assert told.upper is not None
        bound = (told.bound or 0) if told.open else told.upper
        best = root if told.values is None else replace(root, shown=shown(told.values), cost=told.upper)
        return replace(best, bound=bound, proof=_EXACT, leaves=tuple(told.leaves))

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
    ) -> tuple[Program, dict[tuple[int, int], int], list[int]]:
        """Return the program of one class, the variable of each value at each node, and that of each node's total."""
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
        totals = []
        for records_of in above.values():
            totals.append(program.add(0, size))
            program.equal({totals[-1]: 1, **records_of}, 0)
        counts: dict[int, dict[int, int | Fraction]] = {}
        for (v, n), records in y.items():
            for u, share in self.shares(v, n).items():
                counts.setdefault(u, {})[records] = share
        variables = ClassVariables(counts, dict.fromkeys(counts, size), {opened: 1})
        for part in close:
            require(program, part, variables, self.setting)
        return program, y, totals

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
