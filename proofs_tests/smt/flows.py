"""Transport of unknown masses: couplings, their cost, and a flow that the closed forms say is cheapest."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import accumulate
from typing import Any

from proofs_tests.smt.symbolic import Symbol, lesser, reals
from tcloseness.ground import Cuts, GroundDistance, Hierarchical
from tcloseness.microdata import TreeNode
from tcloseness.transport.closed_forms import cut_work

__all__ = [
    "closed_form",
    "cost",
    "distributions",
    "filled_flow",
    "flows",
    "is_coupling",
    "over_all_leaves",
    "sets_of",
    "weighted_sets",
]

Flow = Sequence[Sequence[Any]]


def distributions(*names: str, m: int, total: Any = 1) -> tuple[list[list[Symbol]], list[Any]]:
    """Unknown distributions over m values, and the statements that they are."""
    drawn = [reals(name, m) for name in names]
    return drawn, [x >= 0 for p in drawn for x in p] + [sum(p) == total for p in drawn]


def is_coupling(flow: Flow, p: Sequence[Any], q: Sequence[Any]) -> list[Any]:
    """Li et al. 2007, §4, (c1)–(c3): masses ≥ 0, p leaves, q arrives."""
    rows = [sum(row) == a for row, a in zip(flow, p, strict=True)]
    columns = [sum(column) == b for column, b in zip(zip(*flow, strict=True), q, strict=True)]
    return [x >= 0 for row in flow for x in row] + rows + columns


def flows(p: Sequence[Any], q: Sequence[Any], name: str = "f") -> tuple[list[list[Symbol]], list[Any]]:
    """An unknown coupling of p and q, and the statements that it is one."""
    flow = [reals(f"{name}{i}_", len(q)) for i in range(len(p))]
    return flow, is_coupling(flow, p, q)


def cost(flow: Flow, ground: GroundDistance) -> Any:
    """Σ f_ij·d(i, j)."""
    m = ground.m
    return sum(flow[i][j] * ground.distance(i, j) for i in range(m) for j in range(m) if i != j)


def closed_form(p: Sequence[Any], q: Sequence[Any], ground: GroundDistance, **options: Any) -> Any:
    """The EMD as the package computes it: the shipped `cut_work` over the shipped cuts."""
    cuts = ground.cuts
    assert cuts is not None
    return cut_work([a - b for a, b in zip(p, q, strict=True)], cuts, **options) / cuts.denominator


def weighted_sets(cuts: Cuts) -> list[tuple[int, list[int]]]:
    """The whole weight and the codes of each set of a laminar family."""
    order = cuts.order.tolist()
    columns = zip(cuts.weights.tolist(), cuts.low.tolist(), cuts.high.tolist(), strict=True)
    return [(weight, order[low:high]) for weight, low, high in columns]


def sets_of(cuts: Cuts) -> list[list[int]]:
    """Every value alone, then the larger sets of a laminar family, the smallest first, and last the whole domain."""
    larger = sorted((inside for _, inside in weighted_sets(cuts) if len(inside) > 1), key=len)
    order = cuts.order.tolist()
    return [[code] for code in order] + larger + [order]


def filled_flow(p: Sequence[Any], q: Sequence[Any], sets: Sequence[Sequence[int]]) -> list[list[Any]]:
    """A coupling that serves each set from inside before mass leaves it, one set after the other.

    Inside a set, what is left is matched from the left: the first differences of min(A_i, B_j), where A and B are the
    prefix sums of what is left. Only +, − and min, so that it is linear between its kinks.
    """
    m = len(p)
    flow: list[list[Any]] = [[0] * m for _ in range(m)]
    supply, demand = list(p), list(q)
    for inside in sets:
        above = [0, *accumulate(supply[i] for i in inside)]
        left = [0, *accumulate(demand[j] for j in inside)]
        met = [[0 if not (x and y) else lesser(above[x], left[y]) for y in range(len(left))] for x in range(len(above))]
        for x, i in enumerate(inside):
            for y, j in enumerate(inside):
                mass = met[x + 1][y + 1] - met[x][y + 1] - met[x + 1][y] + met[x][y]
                flow[i][j] = flow[i][j] + mass
                supply[i] = supply[i] - mass
                demand[j] = demand[j] - mass
    return flow


def over_all_leaves(p: Sequence[Any], q: Sequence[Any], ground: Hierarchical) -> Any:
    """A wrong reading of Li et al. 2007, §5.2: pos_extra and neg_extra over all leaves below a node, not over its
    children."""

    code_of = {value: code for code, value in enumerate(ground.domain.values)}

    def leaves(node: TreeNode) -> list[int]:
        if not node.children:
            return [code_of[node.label]] if node.label in code_of else []
        return [code for child in node.children for code in leaves(child)]

    def visit(node: TreeNode) -> Any:
        below = [p[code] - q[code] for code in leaves(node)]
        gains = sum(((abs(e) + e) / 2 for e in below), 0 * p[0])
        losses = sum(((abs(e) - e) / 2 for e in below), 0 * p[0])
        least = (gains + losses - abs(gains - losses)) / 2
        return sum((visit(child) for child in node.children), node.height * least)

    return visit(ground.root) / ground.height
