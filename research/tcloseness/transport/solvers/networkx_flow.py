"""The transportation problem as a min-cost flow: networkx's network simplex on Python integers, exact at any size."""

from __future__ import annotations

from tcloseness.errors import SolverError
from tcloseness.transport.problem import TransportProblem

__all__ = ["solve_flow"]


def solve_flow(problem: TransportProblem) -> dict[tuple[int, int], int]:
    """Return an optimal flow, {(source number, sink number): whole mass}.

    Notes
    -----
    Every attribute is cast to a Python int: networkx hangs on float weights and overflows silently on NumPy integers.
    """
    import networkx as nx

    graph = nx.DiGraph()
    for number, mass in enumerate(problem.supply):
        graph.add_node((0, number), demand=-int(mass))
    for number, mass in enumerate(problem.demand):
        graph.add_node((1, number), demand=int(mass))
    costs = problem.costs.tolist()
    graph.add_edges_from(
        ((0, i), (1, j), {"weight": int(cost)}) for i, row in enumerate(costs) for j, cost in enumerate(row)
    )
    try:
        _, flow = nx.network_simplex(graph)
    except (nx.NetworkXUnfeasible, nx.NetworkXUnbounded) as error:
        raise SolverError(f"networkx refused the transportation problem: {error}") from error
    return {(i, j): mass for (_, i), targets in flow.items() for (_, j), mass in targets.items() if mass}
