"""The transportation problem as a linear program, by PuLP: HiGHS (in process) or CBC.

A linear program is solved in doubles. What comes back is only a proposal: it is turned into whole masses here, and its
optimality is proved exactly elsewhere or the answer is refused.
"""

from __future__ import annotations

import tempfile
import warnings
from collections.abc import Mapping
from typing import Any, Literal

from tcloseness.errors import InfeasibleError, SolverError
from tcloseness.exact import SNAP_TOLERANCE
from tcloseness.transport.problem import TransportProblem
from tcloseness.transport.solvers.highs import require_highs

__all__ = ["solve_flow"]

Engine = Literal["HiGHS", "CBC"]

_EXACT_DOUBLE = 2**50
"""Masses and costs are handed over unscaled up to here: doubles hold whole numbers exactly up to 2⁵³."""


def solve_flow(problem: TransportProblem, engine: Engine = "HiGHS") -> dict[tuple[int, int], int]:
    """Return a flow of whole masses that the linear program proposes as optimal.

    Raises
    ------
    SolverError
        If the engine fails, or its answer cannot be turned into a feasible flow of whole masses.
    """
    shrink_mass = max(1, sum(problem.supply) // _EXACT_DOUBLE)
    shrink_cost = max(1, int(problem.costs.max(initial=0)) // _EXACT_DOUBLE)
    proposal = _propose(
        [mass / shrink_mass for mass in problem.supply],
        [mass / shrink_mass for mass in problem.demand],
        [[int(c) / shrink_cost for c in row] for row in problem.costs],
        engine,
    )
    total = sum(problem.supply) / shrink_mass
    flow = {arc: round(mass * shrink_mass) for arc, mass in proposal.items() if mass > SNAP_TOLERANCE}
    if _balances(flow, problem):
        return {arc: mass for arc, mass in flow.items() if mass}
    support = [arc for arc, mass in proposal.items() if mass > SNAP_TOLERANCE * total]
    completed = _forest_flow(support, problem) or _forest_flow(list(flow), problem)
    if completed is None:
        raise SolverError(
            f"{engine} returned a flow that is feasible in doubles only (its masses do not sum to the exact ones); "
            "the answer is refused. Use solver='network-simplex', which is exact"
        )
    return completed


def _propose(
    supply: list[float], demand: list[float], costs: list[list[float]], engine: Engine
) -> dict[tuple[int, int], float]:
    import pulp

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # announces the interface of pulp 4
        program = pulp.LpProblem("transport", pulp.LpMinimize)
        f = {
            (i, j): program.add_variable(f"f_{i}_{j}", lowBound=0)
            for i in range(len(supply))
            for j in range(len(demand))
        }
        program += pulp.lpSum(costs[i][j] * x for (i, j), x in f.items())
        for i, mass in enumerate(supply):
            program += pulp.lpSum(f[i, j] for j in range(len(demand))) == mass
        for j, mass in enumerate(demand):
            program += pulp.lpSum(f[i, j] for i in range(len(supply))) == mass
        try:
            answer = program.solve(_solver(pulp, engine))
        except pulp.PulpError as error:
            raise SolverError(f"{engine} failed on the transportation problem: {error}{_cause(engine)}") from error
    status = _status(pulp, answer)
    if status == "Infeasible":
        raise InfeasibleError(
            f"{engine} calls a transportation problem infeasible, which none with equal masses is; refused"
        )
    if status != "Optimal":
        raise SolverError(f"{engine} stopped with status {status!r}")
    return {arc: float(x.varValue or 0.0) for arc, x in f.items()}


def _solver(pulp: Any, engine: Engine) -> Any:
    """Return an engine as PuLP starts it: PuLP 3 brings CBC along, from PuLP 4 on it is an extra.

    Raises
    ------
    SolverError
        If the engine is not there, or is known to be wrong.
    """
    if engine == "HiGHS":
        require_highs()
        return pulp.HiGHS(msg=False)
    solver = getattr(pulp, "PULP_CBC_CMD", pulp.COIN_CMD)(msg=False)
    if not solver.available():
        raise SolverError(
            "PuLP finds no CBC; install it (python -m pip install 'pulp[cbc]'), or take solver='pulp' (HiGHS) or "
            "solver='network-simplex'"
        )
    return solver


def _status(pulp: Any, answer: Any) -> str:
    """Return the name of a status: PuLP 3 answers a number, PuLP 4 an object that has one."""
    return str(answer.status.name) if hasattr(answer, "status") else str(pulp.LpStatus[answer])


def _cause(engine: Engine) -> str:
    """Return what often is the cause of a failure."""
    place = tempfile.gettempdir()
    if engine == "CBC" and any(map(str.isspace, place)):
        return f"; CBC cannot read files in {place!r}, which has a blank in it: set TMPDIR, or take solver='pulp'"
    return "; take another solver, such as solver='network-simplex'"


def _balances(flow: Mapping[tuple[int, int], int], problem: TransportProblem) -> bool:
    out, into = [0] * len(problem.supply), [0] * len(problem.demand)
    for (i, j), mass in flow.items():
        out[i] += mass
        into[j] += mass
    return out == problem.supply and into == problem.demand and min(flow.values(), default=0) >= 0


def _forest_flow(support: list[tuple[int, int]], problem: TransportProblem) -> dict[tuple[int, int], int] | None:
    """Return the exact flow on a support without cycles, or None.

    The support of a basic solution is a forest, on which the masses determine the flow: a node with one arc left puts
    all that it still has on it. So the basis that a solver found survives even where its doubles do not.
    """
    left = {**{(0, i): a for i, a in enumerate(problem.supply)}, **{(1, j): b for j, b in enumerate(problem.demand)}}
    arcs: dict[tuple[int, int], set[tuple[int, int]]] = {node: set() for node in left}
    for i, j in support:
        arcs[0, i].add((1, j))
        arcs[1, j].add((0, i))
    flow: dict[tuple[int, int], int] = {}
    ready = [node for node, others in arcs.items() if len(others) == 1]
    while ready:
        node = ready.pop()
        if not arcs[node]:
            continue
        (other,) = arcs[node]
        mass = left[node]
        if mass < 0 or mass > left[other]:
            return None
        (i, j) = (node[1], other[1]) if node[0] == 0 else (other[1], node[1])
        if mass:
            flow[i, j] = mass
        left[node] -= mass
        left[other] -= mass
        arcs[node].clear()
        arcs[other].discard(node)
        if len(arcs[other]) == 1:
            ready.append(other)
    return None if any(left.values()) or any(arcs.values()) else flow
