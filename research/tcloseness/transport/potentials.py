"""Potentials from an optimal flow, exactly: what a solver that returns none leaves out."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

import numpy as np

from tcloseness.errors import SolverError
from tcloseness.exact import IntArray, fits_int64
from tcloseness.transport.problem import TransportProblem

__all__ = ["potentials"]

Flow = Mapping[tuple[int, int], int]


def potentials(problem: TransportProblem, flow: Flow) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
    """Return u, v over all m values with u_i + v_j ≤ d(i, j) everywhere and equality where the flow runs.

    They are shortest distances in the residual graph of the flow (Bellman–Ford), completed on the values without mass:
    under a metric to one potential, u = φ and v = −φ with φ(x) = min_j d(x, j) − v_j.

    Parameters
    ----------
    problem
        The transportation problem.
    flow
        ``{(source number, sink number): whole mass}``, a feasible flow.

    Raises
    ------
    SolverError
        If the residual graph has a negative cycle: the flow is not optimal.
    """
    u, v = _shortest(problem.costs, flow)
    whole_u, whole_v = _complete(problem, u, v)
    d = problem.ground.denominator
    return tuple(Fraction(x, d) for x in whole_u), tuple(Fraction(x, d) for x in whole_v)


def _shortest(costs: IntArray, flow: Flow) -> tuple[list[int], list[int]]:
    n, k = costs.shape
    if not costs.size:
        return [], []
    if costs.dtype != object and not fits_int64(2 * (n + k), int(costs.max(initial=0)) + 1):
        costs = costs.astype(object)
    support = np.array(sorted(flow), dtype=np.int64).reshape(-1, 2)
    back = costs[support[:, 0], support[:, 1]]
    to_source = np.zeros(n, dtype=costs.dtype)
    for _ in range(n + k + 1):
        to_sink = (to_source[:, None] + costs).min(axis=0)
        nearer = to_source.copy()
        np.minimum.at(nearer, support[:, 0], to_sink[support[:, 1]] - back)
        if (nearer == to_source).all():
            return [-int(x) for x in to_source], [int(x) for x in to_sink]
        to_source = nearer
    raise SolverError(
        "the solver's flow is not optimal (its residual graph has a negative cycle); the answer is refused"
    )


def _complete(problem: TransportProblem, u: list[int], v: list[int]) -> tuple[list[int], list[int]]:
    m, sources, sinks = problem.ground.m, problem.sources, problem.sinks
    if not sources:
        return [0] * m, [0] * m
    rows = [[int(d) for d in problem.ground.row(i)] for i in range(m)]
    if problem.ground.metric:
        phi = [min(row[j] - y for j, y in zip(sinks, v, strict=True)) for row in rows]
        return phi, [-x for x in phi]
    all_v = [min(rows[i][j] - x for i, x in zip(sources, u, strict=True)) for j in range(m)]
    for j, y in zip(sinks, v, strict=True):
        all_v[j] = y
    all_u = [min(rows[i][j] - all_v[j] for j in range(m)) for i in range(m)]
    for i, x in zip(sources, u, strict=True):
        all_u[i] = x
    return all_u, all_v
