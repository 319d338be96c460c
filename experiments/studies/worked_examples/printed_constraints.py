"""Check of Li et al. 2007, §4: do the printed constraints (c1)–(c3) pose the transportation problem between P and Q?

They fix the *net* flow at each value, p_i − Σ_j f_ij + Σ_j f_ji = q_i, and a total flow of 1. So mass may pass through
a value on its way, which pays where the ground distance breaks the triangle inequality.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from experiments.claims import Outcome, check
from experiments.studies.worked_examples.distances import cases, solve
from tcloseness.errors import StudyError
from tcloseness.exact import scaled_integers
from tcloseness.ground import GroundDistance, Matrix
from tcloseness.transport import emd

__all__ = ["net_flow_optimum"]


def net_flow_optimum(p: Sequence[Fraction], q: Sequence[Fraction], ground: GroundDistance) -> Fraction:
    """Return the least Σ d_ij·f_ij over f ≥ 0 with the net flow p − q at each value and total flow 1.

    A min-cost flow on the complete digraph, in whole numbers; of the flows of least cost one that moves least. Flow
    from a value to itself costs nothing and fills the total up, so (c3) asks only that no more than 1 moves.

    Raises
    ------
    StudyError
        If even that flow moves more than 1: then (c3) binds, and this is not the optimum.
    """
    import networkx as nx

    whole, scale = scaled_integers([b - a for a, b in zip(p, q, strict=True)])
    steps = ground.m * scale + 1  # more than any flow without cycles moves, so cost comes first
    graph = nx.DiGraph()
    for i, demand in enumerate(whole):
        graph.add_node(i, demand=demand)
        row = ground.row(i)
        graph.add_edges_from((i, j, {"weight": steps * int(row[j]) + 1}) for j in range(ground.m) if j != i)
    cost, flow = nx.network_simplex(graph)
    moved = sum(sum(out.values()) for out in flow.values())
    if moved > scale:
        raise StudyError(
            f"the min-cost flow moves {Fraction(moved, scale)}, more than the total flow 1 of (c3); it proves nothing"
        )
    return Fraction((cost - moved) // steps, scale * ground.denominator)


@check("TC-43")
def _constraints() -> Outcome:
    quarter = Fraction(1, 4)
    p, q = [quarter, Fraction(0), 3 * quarter], [Fraction(0), Fraction(0), Fraction(1)]
    detour = Matrix([[0, 1, 4], [1, 0, 1], [4, 1, 0]], allow_non_metric=True)
    printed, least = net_flow_optimum(p, q, detour), emd(p, q, detour)
    metric = [
        solve(case).certificates[0]
        for table, attribute, ground in (
            ("li_table4", "Salary", "ordered"),
            ("li_table5", "Salary", "ordered"),
            ("li_table4", "Disease", "hierarchical"),
            ("li_table5", "Disease", "hierarchical"),
        )
        for case in cases(table, attribute, ground)
    ]
    agree = all(net_flow_optimum(c.p, c.q, c.ground) == c.value for c in metric)
    return Outcome(
        agree,
        {"the ground distance need not be a metric": printed == least and agree},
        f"over {len(metric)} pairs of the example tables the optimum is the EMD; the metric is needed: with "
        f"d(1,2) = d(2,3) = 1, d(1,3) = 4, P = (1/4, 0, 3/4), Q = (0, 0, 1): the printed constraints allow {printed}, "
        f"a coupling of P and Q costs at least {least}",
    )
