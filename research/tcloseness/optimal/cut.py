"""`optimal_cut`: one cut through each hierarchy, for the whole table, that satisfies a model at the least loss.

Global recoding: every record of one value shows the same node. With ``recoding="subtree"`` the cuts may be uneven; with
``"full-domain"`` all nodes of a cut have one height, and the answer is that of the generalization lattice.

minimize the loss over binaries c_AN (node N is in the cut of attribute A), Σ_{N above a leaf} c_AN = 1 for every leaf.
A class is a tuple of nodes with records; each tuple whose records violate the model, as the model itself decides, is
forbidden: Σ_A c_{A,N_A} ≤ (attributes) − 1. A cell loss is linear in c; DM and C_AVG count the tuples that are open.

Subtree recoding: R. Bayardo, R. Agrawal, ICDE 2005; V. Iyengar, KDD 2002. Full-domain: Samarati, Sweeney 1998.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Hashable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Literal

import numpy as np

from tcloseness.errors import HierarchyError, InputError, LimitReached, SolverError, TableError, TimeLimitReached
from tcloseness.exact import IntArray
from tcloseness.limits import Clock, TimeLimit
from tcloseness.loss import CellCost, Loss
from tcloseness.microdata import ClassCounts, Hierarchy, Microdata
from tcloseness.microdata.ancestors import Ancestors
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.models import PrivacyModel
from tcloseness.models.catalogue import taken_at_their_word
from tcloseness.optimal.answers import Answer, Report, SolverClock, answer, watch_by, whole_bound
from tcloseness.optimal.class_costs import ClassCosts, minimized_loss, taken_at_its_word
from tcloseness.optimal.kinds import KindCounts, one_class, require_judging_classes
from tcloseness.optimal.program import Program
from tcloseness.optimal.solver import Engine, NoSolution, Proposal, propose, whose_bound
from tcloseness.release import Anonymized, Partition, Release, attributes_of, verified
from tcloseness.release.full_domain import AtCut

__all__ = ["MOST_TUPLES", "Cut", "optimal_cut"]

MOST_TUPLES = 100_000
"""How many tuples of nodes are tried as classes before a table counts as too large."""


@dataclass(frozen=True, eq=False)
class Cut:
    """A cut through each hierarchy, and the table that shows it.

    Attributes
    ----------
    nodes
        The labels of each attribute's cut, from left to right in its hierarchy.
    anonymized
        The table, verified.
    """

    nodes: Mapping[str, tuple[Hashable, ...]]
    anonymized: Anonymized

    @property
    def release(self) -> Release:
        """The table beside the original."""
        return self.anonymized.release

    def to_dict(self) -> dict[str, Any]:
        """Return the solution as JSON-ready data."""
        return {
            "nodes": {name: [str(label) for label in labels] for name, labels in self.nodes.items()},
            "release": self.anonymized.to_dict(),
        }


def optimal_cut(
    table: Microdata | FullTable,
    model: PrivacyModel,
    loss: str | Loss = "ncp",
    *,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    recoding: Literal["subtree", "full-domain"] = "subtree",
    sensitive: str | None = None,
    engine: Engine = "HiGHS",
    start: Mapping[str, int] | None = None,
    time_limit: TimeLimit = None,
    memory_limit: int | None = None,
    progress: Report | None = None,
) -> Answer[Cut]:
    """Return the cuts through the hierarchies of least loss such that the table shown satisfies a model.

    Parameters
    ----------
    table, model, loss, sensitive, engine, time_limit, memory_limit, progress
        As for `tcloseness.optimal.optimal_partition`. No record is suppressed.
    hierarchies
        One for each quasi-identifier; a `tcloseness.Table` has its own.
    recoding
        ``"subtree"``: any cut; ``"full-domain"``: a level of each hierarchy, which then may not be ragged.
    start
        A level of each quasi-identifier's hierarchy at which the table satisfies the model, such as those of a search
        or of Datafly: then no answer is worse.

    Returns
    -------
    Optimal, Feasible or Infeasible
        As for `tcloseness.optimal.optimal_partition`; at the time limit `start` or the roots stand in for better cuts.

    Raises
    ------
    InputError
        For a model that is not monotone or has no threshold, an unknown loss or recoding; for a `start` that is not a
        level of each hierarchy, or violates the model.
    TableError
        For a quasi-identifier without hierarchy.
    HierarchyError
        For a ragged hierarchy under ``"full-domain"`` or with `start`, or one that misses a value.
    LimitReached
        If there are more than `MOST_TUPLES` tuples of nodes with records, or the program takes too much memory.
    SolverError
        If the solver's proposal is not a cut, or violates the model.

    Notes
    -----
    A value that does not occur still lies below a node of the cut, which one is then arbitrary. C_AVG, DM: the number
    and sizes of the tuples with records.

    Examples
    --------
    >>> import pandas as pd
    >>> from tcloseness.models import KAnonymity
    >>> towns = Hierarchy.from_groups([{"north": ["a", "b"], "south": ["c", "d"]}])
    >>> frame = pd.DataFrame({"town": list("abccdd"), "s": list("xyxyxy")})
    >>> table = Microdata.from_frame(frame, quasi_identifiers="town", sensitive="s")
    >>> found = optimal_cut(table, KAnonymity(2), hierarchies={"town": towns})
    >>> found.objective, found.solution.nodes["town"]
    (Fraction(1, 1), ('north', 'c', 'd'))
    """
    table = in_shape(table, Microdata)
    clock = SolverClock(time_limit, memory_limit, progress=progress)
    if recoding not in ("subtree", "full-domain"):
        raise InputError(f"recoding={recoding!r} is unknown; it is 'subtree' or 'full-domain'")
    hierarchies = hierarchies or {}
    for column in table.quasi_identifiers:
        if column.name not in hierarchies:
            raise TableError(f"{column.name!r} has no hierarchy, and a cut goes through one; give it in hierarchies=")
    require_judging_classes(model)
    kinds = KindCounts(table, attributes_of(table, hierarchies), sensitive)
    _, refused = one_class(kinds, model)
    if refused:
        return refused
    trees = tuple(Ancestors(hierarchies[column.name]) for column in table.quasi_identifiers)
    if recoding == "full-domain" or start is not None:
        for column in table.quasi_identifiers:
            if not hierarchies[column.name].uniform:
                raise HierarchyError(
                    f"the hierarchy of {column.name!r} is ragged, so it has no levels; take 'subtree', without start="
                )
    costs = ClassCosts(minimized_loss(loss, model), table, kinds.attributes)
    known = [_Shown.at(kinds, hierarchies, costs.loss, [[0] for _ in trees])]
    if start is not None:
        known.append(_started(start, kinds, trees, hierarchies, costs.loss, model))
    clock.report(min(each.value for each in known), None)
    told, told_by = None, -math.inf
    with suppress(TimeLimitReached):
        written = _Written(kinds, trees, model, costs, recoding == "full-domain", clock)
        watch = watch_by(clock, lambda cost: costs.loss_of_total(written.total(cost)))
        proposal = propose(written.program, engine=engine, clock=clock, watch=watch)
        if isinstance(proposal, NoSolution):
            raise SolverError(f"{engine} calls a program infeasible that the roots solve; the answer is refused")
        if isinstance(proposal, Proposal):
            known.insert(0, _Shown.at(kinds, hierarchies, costs.loss, written.read(proposal.values)))
        told_by = proposal.bound
        if math.isfinite(told_by):
            told = written.total(whole_bound(told_by))
    best = min(known, key=lambda each: each.value)
    release = verified(
        best.partition,
        model,
        method=f"optimal cut, {recoding}",
        attributes=best.attributes,
        sensitive=kinds.counting.sensitive,
        done={} if start is None else {"started from levels": ", ".join(map(str, start.values()))},
        conventions={"recoding": "global: every record of one value shows the same label"},
    )
    trivial = Fraction(costs.least(kinds.records))
    bound = costs.loss_of_total(trivial if told is None else max(told, trivial))
    best.costs.published(release.partition)
    clock.report(best.value, bound)
    return answer(
        Cut(best.labels(), release),
        objective=best.value,
        bound=bound,
        minimized=costs.name,
        proof=whose_bound(engine, told_by) + taken_at_their_word(model) + taken_at_its_word(costs.loss),
    )


@dataclass(frozen=True)
class _Shown:
    """A table at one cut through each hierarchy: its classes, and what they cost."""

    cuts: Sequence[Sequence[int]]
    attributes: tuple[AtCut, ...]
    partition: Partition
    costs: ClassCosts
    value: Fraction

    @classmethod
    def at(
        cls, kinds: KindCounts, hierarchies: Mapping[str, Hierarchy], loss: Loss, cuts: Sequence[Sequence[int]]
    ) -> _Shown:
        attributes = tuple(
            AtCut(column.name, column.domain, hierarchies[column.name], nodes)
            for column, nodes in zip(kinds.table.quasi_identifiers, cuts, strict=True)
        )
        shown = np.column_stack([a.node_of[kinds.codes[:, place]] for place, a in enumerate(attributes)])
        _, group_of = np.unique(shown, axis=0, return_inverse=True)
        groups: list[dict[int, int]] = [{} for _ in range(int(group_of.max()) + 1)]
        for kind, group in enumerate(group_of.reshape(-1).tolist()):
            groups[group][kind] = kinds.counts[kind]
        partition = kinds.partition(groups)
        costs = ClassCosts(loss, kinds.table, attributes)
        return cls(cuts, attributes, partition, costs, costs.of(partition))

    def labels(self) -> dict[str, tuple[Hashable, ...]]:
        """Return the labels of each cut, from left to right."""
        return {
            a.name: tuple(a.ancestors.labels[node] for node in sorted(cut, key=a.ancestors.low.__getitem__))
            for a, cut in zip(self.attributes, self.cuts, strict=True)
        }


def _started(
    start: Mapping[str, int],
    kinds: KindCounts,
    trees: tuple[Ancestors, ...],
    hierarchies: Mapping[str, Hierarchy],
    loss: Loss,
    model: PrivacyModel,
) -> _Shown:
    """Return the table at the levels that a search starts from.

    Raises
    ------
    InputError
        If they are not a level of each hierarchy, or violate the model there.
    """
    names = [column.name for column in kinds.table.quasi_identifiers]
    if sorted(start) != sorted(names):
        raise InputError(f"start= names {', '.join(map(str, start))}; give a level for each of {', '.join(names)}")
    cuts = []
    for name, tree in zip(names, trees, strict=True):
        level, top = start[name], hierarchies[name].height
        if isinstance(level, bool) or not isinstance(level, int) or not 0 <= level <= top:
            raise InputError(f"start= has level {level!r} for {name!r}; its hierarchy has the levels 0 to {top}")
        cuts.append(np.flatnonzero(tree.height == level).tolist())
    shown = _Shown.at(kinds, hierarchies, loss, cuts)
    verdict = model.evaluate(shown.partition.class_counts(kinds.counting.sensitive))
    if verdict.status != "satisfied":
        raise InputError(
            f"start= does not satisfy {model.name}: {len(verdict.violating)} of {len(shown.partition)} classes at "
            "these levels violate it; give levels that do, or leave it out"
        )
    return shown


class _Written:
    """The program, and what its variables mean."""

    def __init__(
        self,
        kinds: KindCounts,
        trees: tuple[Ancestors, ...],
        model: PrivacyModel,
        costs: ClassCosts,
        levels: bool,
        clock: Clock,
    ) -> None:
        self.program = Program(clock)
        self.places = [
            tree.places(column.domain)[kinds.codes[:, a]]
            for a, (tree, column) in enumerate(zip(trees, kinds.table.quasi_identifiers, strict=True))
        ]
        self._penalties, self._unit = [np.zeros(len(tree.low), np.int64) for tree in trees], 1
        if isinstance(costs.form, CellCost):
            of_nodes = [costs.form.of_nodes(tree) for tree in trees]
            reduced = [Fraction(int(p), unit).denominator for found, unit, _ in of_nodes for p in found]
            self._unit = math.lcm(*reduced)
            self._penalties = [np.array([int(p) * self._unit // unit for p in found]) for found, unit, _ in of_nodes]
        self.chosen = [self._cut(kinds, a, tree, levels) for a, tree in enumerate(trees)]
        for nodes, size, good in self._tuples(kinds, trees, model, clock):
            opened = {self.chosen[a][node]: 1 for a, node in enumerate(nodes)}
            price = 0 if isinstance(costs.form, CellCost) else int(costs.of_sizes(np.array([size]))[0])
            if not good:
                self.program.at_most(opened, len(nodes) - 1)
            elif price > 0:
                y = self.program.add(0, 1, cost=price, whole=False)
                self.program.at_most({**opened, y: -1}, len(nodes) - 1)
            elif price < 0:
                y = self.program.add(0, 1, cost=price, whole=False)
                for c in opened:
                    self.program.at_most({y: 1, c: -1})

    def total(self, cost: int) -> Fraction:
        """Return a whole cost of the program in units of 1."""
        return Fraction(cost, self._unit)

    def read(self, values: Mapping[int, int]) -> list[list[int]]:
        """Return the nodes of each cut."""
        return [[node for node, c in enumerate(cut) if values[c]] for cut in self.chosen]

    def _cut(self, kinds: KindCounts, a: int, tree: Ancestors, levels: bool) -> list[int]:
        """Add one binary a node, and one row a leaf."""
        records = np.zeros(tree.leaves, dtype=np.int64)
        np.add.at(records, self.places[a], kinds.counts)
        cut = []
        for node in range(len(tree.low)):
            count = int(records[tree.low[node] : tree.high[node]].sum())
            cut.append(self.program.add(0, 1, cost=count * int(self._penalties[a][node])))
        for leaf in tree.leaf_nodes.tolist():
            self.program.equal({cut[node]: 1 for node in _above(tree, leaf)}, 1)
        if levels:
            level = [self.program.add(0, 1) for _ in range(int(tree.height[0]) + 1)]
            for node, c in enumerate(cut):
                self.program.equal({c: 1, level[int(tree.height[node])]: -1}, 0)
        return cut

    def _tuples(
        self, kinds: KindCounts, trees: tuple[Ancestors, ...], model: PrivacyModel, clock: Clock
    ) -> list[tuple[tuple[int, ...], int, bool]]:
        """Return every tuple of nodes with records: its nodes, its records, and whether they satisfy the model."""
        rows: dict[tuple[int, ...], dict[int, int]] = {}
        for kind, count in enumerate(kinds.counts):
            paths = [_above(tree, int(tree.leaf_nodes[self.places[a][kind]])) for a, tree in enumerate(trees)]
            clock.check("tuples of nodes are counted")
            for nodes in itertools.product(*paths):
                row = rows.setdefault(nodes, {})
                row[kinds.values[kind]] = row.get(kinds.values[kind], 0) + count
            if len(rows) > MOST_TUPLES:
                raise LimitReached(
                    f"more than {MOST_TUPLES} tuples of nodes have records; give fewer quasi-identifiers or lower "
                    "hierarchies, or search the lattice"
                )
        starts: IntArray = np.cumsum([0, *(len(row) for row in rows.values())])
        classes = ClassCounts.from_cells(
            kinds.setting.domain,
            starts,
            [v for row in rows.values() for v in sorted(row)],
            [row[v] for row in rows.values() for v in sorted(row)],
            reference=np.array(kinds.setting.reference, dtype=np.int64),
        )
        violating = set(model.evaluate(classes).violating.tolist())
        return [(nodes, sum(row.values()), g not in violating) for g, (nodes, row) in enumerate(rows.items())]


def _above(tree: Ancestors, node: int) -> list[int]:
    """Return a node and all above it."""
    path = [node]
    while path[-1]:
        path.append(int(tree.parent[path[-1]]))
    return path
