"""A cut through each hierarchy as the nodes that it goes below: the program of `optimal_cut`, and what bounds it.

d_a = 1 if the cut goes below node a, so d_child ≤ d_parent; a node is in the cut if the one above it has d = 1 (or it
is the root) and d = 0 (or it is a leaf). Under full-domain recoding all nodes of one depth have one d.

A class is a tuple of nodes, one an attribute, with records. If it violates a model that is monotone under
generalization, so does some class of every cut at or below it. So only *maximal* violating tuples are written, those
with no violating tuple above them: of the nodes above theirs, not all may have d = 1,

    Σ_{A: N_A is not a root} d_{parent(N_A)} ≤ (how many) − 1.

A cell loss is linear in d, cost(roots) − Σ_a d_a·saved(a). DM and C_AVG count the satisfying tuples that are open.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from tcloseness.errors import LimitReached
from tcloseness.exact import IntArray
from tcloseness.limits import Clock
from tcloseness.loss import CellCost
from tcloseness.microdata import ClassCounts
from tcloseness.microdata.ancestors import Ancestors
from tcloseness.microdata.domain import value_text
from tcloseness.models import PrivacyModel
from tcloseness.optimal.class_costs import ClassCosts
from tcloseness.optimal.kinds import KindCounts, combined
from tcloseness.optimal.program import Program
from tcloseness.optimal.tree import Bounded, Leaf, Searched, cases, search_tree

__all__ = ["MOST_TUPLES", "SplitProgram", "maximal_violating"]

MOST_TUPLES = 100_000
"""How many tuples of nodes are tried as classes before a table counts as too large."""

WORK = 30_000
"""How many rows all relaxations together may have, about, before the search is left to a solver."""

UNIT = 2**20
"""Prices are multiples of one over this."""

Nodes = tuple[int, ...]


def maximal_violating(
    kinds: KindCounts, trees: Sequence[Ancestors], model: PrivacyModel, clock: Clock
) -> tuple[list[Nodes], list[tuple[Nodes, int]]]:
    """Return the maximal violating tuples of nodes, and every satisfying one that has no violating one above it.

    The latter with their numbers of records. Both go by depth, from the roots, then by their nodes.

    Raises
    ------
    LimitReached
        If more than `MOST_TUPLES` tuples are tried.
    """
    at = [_by_depth(kinds, a, tree) for a, tree in enumerate(trees)]
    depths = [len(of_attribute) for of_attribute in at]
    counts, values = np.array(kinds.counts, dtype=np.int64), np.array(kinds.values, dtype=np.int64)
    violating: list[Nodes] = []
    satisfying: list[tuple[Nodes, int]] = []
    tried, above = 0, dict[Nodes, IntArray]()
    for rank in range(sum(depths) - len(depths) + 1):
        tainted: dict[Nodes, IntArray] = {}
        found: list[_Grouped] = []
        for depth in _of_rank(depths, rank):
            clock.check("tuples of nodes are counted")
            bad = np.zeros(len(counts), dtype=bool)
            for a, d in enumerate(depth):
                if d:
                    bad |= above[(*depth[:a], d - 1, *depth[a + 1 :])]
            tainted[depth] = bad
            nodes = np.empty((len(at), len(counts)), dtype=np.int64)
            for a, d in enumerate(depth):
                nodes[a] = at[a][d]
            rows = np.flatnonzero(~bad & (nodes >= 0).all(axis=0))
            if len(rows):
                found.append(_Grouped.of(rows, nodes[:, rows], values[rows], counts[rows], bad))
        tried += sum(len(each.sizes) for each in found)
        if tried > MOST_TUPLES:
            raise LimitReached(
                f"more than {MOST_TUPLES} tuples of nodes have records; give fewer quasi-identifiers or lower "
                "hierarchies, or search the lattice"
            )
        if found:
            fails = _violating(found, kinds, model)
            for each in found:
                mine, fails = fails[: len(each.sizes)], fails[len(each.sizes) :]
                each.tainted[each.rows] |= mine[each.group]
                tuples = list(map(tuple, each.nodes.T.tolist()))
                violating += itertools.compress(tuples, mine.tolist())
                satisfying += itertools.compress(
                    zip(tuples, each.sizes.tolist(), strict=True), np.logical_not(mine).tolist()
                )
        above = tainted
    return violating, satisfying


@dataclass(frozen=True)
class _Grouped:
    """The tuples of one depth an attribute.

    Attributes
    ----------
    rows, group
        Shape (rows,): the kinds that are in one, and in which.
    nodes, sizes
        Shapes (attributes, tuples) and (tuples,): the nodes of each, and its records.
    starts, values, counts
        Its cells, as in `ClassCounts`; starts without the end.
    tainted
        Shape (kinds,): which kinds are in a violating tuple above.
    """

    rows: IntArray
    group: IntArray
    nodes: IntArray
    sizes: IntArray
    starts: IntArray
    values: IntArray
    counts: IntArray
    tainted: IntArray

    @classmethod
    def of(cls, rows: IntArray, nodes: IntArray, values: IntArray, counts: IntArray, tainted: IntArray) -> _Grouped:
        keys, first, group = np.unique(combined(nodes), return_index=True, return_inverse=True)
        cells, of_cell = np.unique(combined(np.array([group, values])), return_inverse=True)
        held = np.zeros(len(cells), dtype=np.int64)
        np.add.at(held, of_cell, counts)
        owner, value = np.empty((2, len(cells)), dtype=np.int64)
        owner[of_cell], value[of_cell] = group, values
        starts = np.searchsorted(owner, np.arange(len(keys)))
        return cls(rows, group, nodes[:, first], np.add.reduceat(held, starts), starts, value, held, tainted)


def _violating(found: Sequence[_Grouped], kinds: KindCounts, model: PrivacyModel) -> IntArray:
    """Say of each tuple, one group after another, whether it violates the model."""
    ends = np.cumsum([0, *(len(each.counts) for each in found)])
    starts = np.concatenate([each.starts + end for each, end in zip(found, ends[:-1], strict=True)])
    classes = ClassCounts.from_cells(
        kinds.setting.domain,
        np.append(starts, ends[-1]),
        np.concatenate([each.values for each in found]),
        np.concatenate([each.counts for each in found]),
        reference=np.array(kinds.setting.reference, dtype=np.int64),
    )
    fails = np.zeros(len(classes), dtype=bool)
    fails[model.evaluate(classes).violating] = True
    return fails


def _by_depth(kinds: KindCounts, a: int, tree: Ancestors) -> IntArray:
    """Return the node of each kind at each depth of a hierarchy, shape (depths, kinds); −1 below a leaf."""
    depth = _depths(tree)
    nodes = tree.leaf_nodes[tree.places(kinds.table.quasi_identifiers[a].domain)[kinds.codes[:, a]]]
    found = np.full((int(depth.max()) + 1, len(nodes)), -1, dtype=np.int64)
    for level in range(len(found) - 1, -1, -1):
        here = depth[nodes] == level
        found[level, here] = nodes[here]
        nodes = np.where(here, tree.parent[nodes], nodes)
    return found


def _depths(tree: Ancestors) -> IntArray:
    """Return the depth of each node, shape (nodes,); 0 for the root."""
    depth = [0] * len(tree.parent)
    for node, above in enumerate(tree.parent[1:].tolist(), start=1):  # a node comes after the one above it
        depth[node] = depth[above] + 1
    return np.array(depth, dtype=np.int64)


def _of_rank(depths: Sequence[int], rank: int) -> Iterator[Nodes]:
    """Give every tuple of depths with a sum, in their order."""
    if not depths:
        if not rank:
            yield ()
        return
    for first in range(min(depths[0] - 1, rank) + 1):
        for rest in _of_rank(depths[1:], rank - first):
            yield first, *rest


class SplitProgram:
    """The program, and what its variables mean.

    Parameters
    ----------
    kinds, trees, model, costs
        The table, its hierarchies, what must be satisfied, and the loss.
    levels
        Whether all nodes of one depth have one d.
    clock
        Asked while the tuples are counted and the program is written.

    Attributes
    ----------
    program
        Its cost is what a cut costs, less `constant`.
    cells
        Whether the loss is one of cells.
    constant
        What the roots cost by a cell loss; 0 for a loss of class sizes.
    """

    def __init__(
        self,
        kinds: KindCounts,
        trees: Sequence[Ancestors],
        model: PrivacyModel,
        costs: ClassCosts,
        levels: bool,
        clock: Clock,
    ) -> None:
        self.program, self.constant, self._unit = Program(clock), 0, 1
        self._trees, self._levels, self.cells = trees, levels, isinstance(costs.form, CellCost)
        penalties = [np.zeros(len(tree.low), dtype=np.int64) for tree in trees]
        if isinstance(costs.form, CellCost):
            of_nodes = [costs.form.of_nodes(tree) for tree in trees]
            self._unit = math.lcm(*{Fraction(int(p), unit).denominator for found, unit, _ in of_nodes for p in found})
            penalties = [np.array([int(p) * self._unit // unit for p in found]) for found, unit, _ in of_nodes]
        self._split = [self._splits(kinds, a, tree, penalties[a]) for a, tree in enumerate(trees)]
        violating, satisfying = maximal_violating(kinds, trees, model, clock)
        self._rows: dict[Nodes, tuple[int, Nodes]] = {}  # the variables of a row → its place, and one of its tuples
        for nodes in violating:
            variables = sorted(self._above(a, node) for a, node in enumerate(nodes) if node)
            if tuple(variables) not in self._rows:
                self._rows[tuple(variables)] = len(self.program.rows), nodes
                self.program.at_most(dict.fromkeys(variables, 1), len(variables) - 1)
        if not self.cells:
            prices = costs.of_sizes(np.array([size for _, size in satisfying])).tolist()
            for (nodes, _), price in zip(satisfying, prices, strict=True):
                self._count(nodes, int(price))

    def _above(self, a: int, node: int) -> int:
        """Return the variable of the node above one."""
        return self._split[a][int(self._trees[a].parent[node])]

    def _splits(self, kinds: KindCounts, a: int, tree: Ancestors, penalties: IntArray) -> dict[int, int]:
        """Add the variables of one hierarchy, and return that of each node that is not a leaf."""
        records = np.zeros(tree.leaves + 1, dtype=np.int64)
        places = tree.places(kinds.table.quasi_identifiers[a].domain)[kinds.codes[:, a]]
        np.add.at(records, places + 1, np.array(kinds.counts, dtype=np.int64))
        records = np.cumsum(records)
        parent, height, depth = tree.parent.tolist(), tree.height.tolist(), _depths(tree).tolist()
        below = (records[tree.high] - records[tree.low]).tolist()
        pays = [count * int(penalty) for count, penalty in zip(below, penalties, strict=True)]
        saved = list(pays)
        for node in range(1, len(parent)):
            saved[parent[node]] -= pays[node]
        self.constant += pays[0]
        found: dict[int, int] = {}
        of_depth: dict[int, int] = {}
        for node in range(len(parent)):
            if not height[node]:
                continue
            known = of_depth.get(depth[node]) if self._levels else None
            if known is not None:
                self.program.price(known, -saved[node])
            else:
                known = self.program.add(0, 1, cost=-saved[node])
                upper = {found[parent[node]]: -1} if node else {}
                self.program.at_most({known: 1, **upper}, int(not node))
            found[node] = of_depth[depth[node]] = known
        return found

    def _count(self, nodes: Nodes, price: int) -> None:
        """Add what a tuple costs if it is open: y ≥ Σ opened − (attributes − 1), or y ≤ each opened."""
        opened, sure = [], 0
        for a, node in enumerate(nodes):
            one: dict[int, int] = {self._above(a, node): 1} if node else {}
            sure += not node
            if node in self._split[a]:
                one[self._split[a][node]] = -1
            opened.append((one, int(not node)))
        if price > 0:
            y = self.program.add(0, 1, cost=price, whole=False)
            terms = {variable: c for one, _ in opened for variable, c in one.items()}
            self.program.at_most({**terms, y: -1}, len(nodes) - 1 - sure)
        elif price < 0:
            y = self.program.add(0, 1, cost=price, whole=False)
            for one, given in opened:
                self.program.at_most({y: 1, **{variable: -c for variable, c in one.items()}}, given)

    def total(self, cost: int) -> Fraction:
        """Return a whole cost of the program in units of 1."""
        return Fraction(cost + self.constant, self._unit)

    def read(self, values: Mapping[int, int]) -> list[list[int]]:
        """Return the nodes of each cut."""
        cuts = []
        for a, tree in enumerate(self._trees):
            split = [bool(node in self._split[a] and values[self._split[a][node]]) for node in range(len(tree.parent))]
            parent = tree.parent.tolist()
            cuts.append([node for node in range(len(parent)) if not split[node] and (not node or split[parent[node]])])
        return cuts

    def search(self, clock: Clock, known: Mapping[int, int] | None = None) -> Searched:
        """Search for less than a known solution costs, and prove by prices that there is nothing.

        Nothing is found out for a loss of class sizes.
        """
        if not self.cells:
            return Searched(None, open=True)
        rows, size = self.program.rows, len(self.program.variables)
        if not size:
            return Searched(0, np.zeros(0, dtype=np.int64), leaves=[Leaf((), np.zeros(0, dtype=np.int64), False)])
        entries = sorted((v, i, c) for i, row in enumerate(rows) for v, c in row.terms.items())
        variables, index, value = np.array(entries, dtype=np.int64).T
        bounded = Bounded(
            cost=np.array([self.program.costs.get(v, 0) for v in range(size)], dtype=np.int64),
            low=np.zeros(size, dtype=np.int64),
            high=np.ones(size, dtype=np.int64),
            whole=np.ones(size, dtype=bool),
            start=np.searchsorted(variables, np.arange(size + 1)),
            index=index,
            value=value,
            least=[None] * len(rows),
            most=[row.most for row in rows],
            unit=UNIT,
        )
        upper = None if known is None else sum(cost * known[v] for v, cost in self.program.costs.items())
        return search_tree(bounded, upper=upper, clock=clock, accepts=bounded.holds, nodes=WORK // len(rows) + 1)

    def proof(self, leaves: Sequence[Leaf]) -> dict[str, Any]:
        """Return what leaves of a search prove, as `tcloseness.certificates.cut` reads it; without any, nothing."""
        splits = {variable: (a, node) for a, split in enumerate(self._split) for node, variable in split.items()}
        of_row = dict(self._rows.values())
        # what proves that a case is empty proves at many times these prices that it costs more than the roots
        many = [1 + UNIT * self.constant if leaf.empty else 1 for leaf in leaves]
        prices = {
            id(leaf): {of_row[i]: -q * times for i, q in enumerate(leaf.prices.tolist()) if q and i in of_row}
            for leaf, times in zip(leaves, many, strict=True)
        }
        place = {nodes: number for number, nodes in enumerate(dict.fromkeys(itertools.chain(*prices.values())))}
        tree: list[dict[str, Any]] = []
        for each in cases(leaves):
            if isinstance(each, Leaf):
                tree.append({"prices": [[place[nodes], price] for nodes, price in prices[id(each)].items()]})
            else:
                a, node = splits[each[1]]
                tree.append({"attribute": a, "node": list(self.named(a, node))})
        named = [[self.named(a, node) for a, node in enumerate(nodes)] for nodes in place]
        return {
            "violating": [
                {"node": [level for level, _ in nodes], "class": [label for _, label in nodes]} for nodes in named
            ],
            "scale": UNIT * self._unit,
            "tree": tree or [{"prices": []}],
        }

    def named(self, a: int, node: int) -> tuple[int, str]:
        """Return the level and label of a node, in a hierarchy all of whose leaves have one depth."""
        return int(self._trees[a].height[node]), value_text(self._trees[a].labels[node])
