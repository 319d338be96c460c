"""Libraries that compute transport costs, each called as its first example has it: ``emd <library>``.

| library | the call |
|---|---|
| ``pot`` | `ot.emd2(p, q, matrix)` |
| ``scipy-linprog`` | the transport problem as a linear program for `scipy.optimize.linprog` |
| ``scipy-wasserstein`` | `scipy.stats.wasserstein_distance(p, q)`, with the masses where it takes values |
| ``pyemd`` | `pyemd.emd(p, q, matrix)`, which calls POT |
| ``ortools`` | `SimpleMinCostFlow`, which takes whole numbers: masses and costs in millionths, rounded |
| ``networkx`` | `networkx.network_simplex` with the numbers as they are, in floats |
"""

from __future__ import annotations

import sys
from fractions import Fraction
from typing import Any

from tcloseness.conformance.adapters.serving import Parameters, Table, serve

__all__ = ["main"]

PARTS = 10**6


def main() -> None:
    """Serve standard input."""
    which = sys.argv[1]
    name, distribution, ask = LIBRARIES[which]

    def answer(given: Table, parameters: Parameters) -> dict[str, Any]:
        return {"value": ask(*numbers(given))}

    __import__(IMPORTS[which])
    serve(name, distribution, {"emd": answer})


Vector = list[float]
Matrix = list[list[float]]


def numbers(given: Table) -> tuple[Vector, Vector, Matrix]:
    """Return p, q and the matrix as floats."""
    p, q = ([float(Fraction(x)) for x in given[name]] for name in ("p", "q"))
    return p, q, [[float(Fraction(x)) for x in row] for row in given["matrix"]]


def pot(p: Vector, q: Vector, matrix: Matrix) -> object:
    """Return the cost by POT."""
    import numpy as np
    import ot

    return ot.emd2(np.array(p), np.array(q), np.array(matrix))


def scipy_linprog(p: Vector, q: Vector, matrix: Matrix) -> object:
    """Return the cost by SciPy's linear programming.

    `RuntimeError` with the solver's message, if it finds no optimum.
    """
    import numpy as np
    from scipy.optimize import linprog

    n, m = len(p), len(q)
    rows = np.vstack([np.kron(np.eye(n), np.ones(m)), np.kron(np.ones(n), np.eye(m))])
    found = linprog(np.array(matrix).ravel(), A_eq=rows, b_eq=np.array([*p, *q]))
    if not found.success:
        raise RuntimeError(found.message)
    return found.fun


def scipy_wasserstein(p: Vector, q: Vector, matrix: Matrix) -> object:
    """Return what SciPy's one-dimensional distance says of the two vectors."""
    from scipy.stats import wasserstein_distance

    return wasserstein_distance(p, q)


def pyemd(p: Vector, q: Vector, matrix: Matrix) -> object:
    """Return the cost by pyemd."""
    import numpy as np
    from pyemd import emd

    return emd(np.array(p), np.array(q), np.array(matrix))


def ortools(p: Vector, q: Vector, matrix: Matrix) -> object:
    """Return the cost by OR-Tools' flow over whole numbers.

    `RuntimeError` with the solver's status, if it finds no optimum.
    """
    from ortools.graph.python.min_cost_flow import SimpleMinCostFlow

    flow = SimpleMinCostFlow()
    n = len(p)
    for i, row in enumerate(matrix):
        for j, cost in enumerate(row):
            flow.add_arc_with_capacity_and_unit_cost(i, n + j, PARTS, round(cost * PARTS))
    for i, mass in enumerate(p):
        flow.set_node_supply(i, round(mass * PARTS))
    for j, mass in enumerate(q):
        flow.set_node_supply(n + j, -round(mass * PARTS))
    status = flow.solve()
    if status != flow.OPTIMAL:
        raise RuntimeError(f"solver status {status}")
    return flow.optimal_cost() / PARTS**2


def networkx(p: Vector, q: Vector, matrix: Matrix) -> object:
    """Return the cost by networkx' network simplex."""
    import networkx as nx

    graph = nx.DiGraph()
    for i, mass in enumerate(p):
        graph.add_node(("p", i), demand=-mass)
    for j, mass in enumerate(q):
        graph.add_node(("q", j), demand=mass)
    for i, row in enumerate(matrix):
        for j, cost in enumerate(row):
            graph.add_edge(("p", i), ("q", j), weight=cost)
    return nx.network_simplex(graph)[0]


LIBRARIES = {
    "pot": ("POT", "POT", pot),
    "scipy-linprog": ("SciPy linprog", "scipy", scipy_linprog),
    "scipy-wasserstein": ("SciPy wasserstein_distance", "scipy", scipy_wasserstein),
    "pyemd": ("pyemd", "pyemd", pyemd),
    "ortools": ("OR-Tools", "ortools", ortools),
    "networkx": ("networkx", "networkx", networkx),
}
"""By name: what it is called, what it was installed as, and the call."""

IMPORTS = {
    "pot": "ot",
    "scipy-linprog": "scipy.optimize",
    "scipy-wasserstein": "scipy.stats",
    "pyemd": "pyemd",
    "ortools": "ortools.graph.python.min_cost_flow",
    "networkx": "networkx",
}


if __name__ == "__main__":
    main()
