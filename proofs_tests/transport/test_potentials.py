"""Potentials from an optimal flow: they prove it, and a flow that is not optimal has none."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from proofs_tests.strategies import distributions, grounds, metrics, non_metrics
from tcloseness.errors import SolverError
from tcloseness.ground import Matrix, Ordered
from tcloseness.transport import TransportProblem
from tcloseness.transport.potentials import potentials
from tcloseness.transport.solvers.network_simplex import solve_flow

F = Fraction
pytestmark = pytest.mark.solver


@st.composite
def problems(draw, *, metric=True):
    m = draw(st.integers(2, 6))
    if metric:
        ground = draw(st.one_of(grounds(m), metrics(m).map(Matrix)))
    else:
        ground = Matrix(draw(non_metrics(m)), allow_non_metric=True)
    return TransportProblem.of(draw(distributions(m)), draw(distributions(m)), ground)


@given(st.booleans().flatmap(lambda metric: problems(metric=metric)))
def test_potentials_keep_below_the_distance_and_meet_it_where_mass_flows(problem):
    """u_i + v_j ≤ d(i, j) for all values, with equality on the flow: complementary slackness."""
    flow = solve_flow(problem) if problem.sources else {}
    u, v = potentials(problem, flow)
    m, d = problem.ground.m, problem.ground.distance
    assert len(u) == len(v) == m
    assert all(u[i] + v[j] <= d(i, j) for i in range(m) for j in range(m))
    for a, b in flow:
        i, j = problem.sources[a], problem.sinks[b]
        assert u[i] + v[j] == d(i, j)


@given(problems())
def test_under_a_metric_one_potential_serves_both_sides_and_is_lipschitz(problem):
    u, v = potentials(problem, solve_flow(problem) if problem.sources else {})
    assert v == tuple(-x for x in u)
    m = problem.ground.m
    assert all(abs(u[i] - u[j]) <= problem.ground.distance(i, j) for i in range(m) for j in range(m))


def test_a_feasible_flow_that_is_not_optimal_is_refused():
    """Dosselmann et al. 2019, §2.1.2: from {14, 88}, 1/4 from 14 to 101 and 1/4 from 88 to 27 is feasible and costs 1/3
    instead of 1/6."""
    problem = TransportProblem.of(["1/2", 0, "1/2", 0], ["1/4"] * 4, Ordered(4))
    assert (problem.sources, problem.sinks) == ([0, 2], [1, 3])
    crossed = {(0, 1): 1, (1, 0): 1}  # source and sink numbers
    with pytest.raises(SolverError, match="not optimal"):
        potentials(problem, crossed)
    potentials(problem, {(0, 0): 1, (1, 1): 1})


@given(problems(metric=False))
def test_rerouting_an_optimal_flow_at_a_loss_is_noticed(problem):
    """Exchange the sinks of two arcs: still feasible. If that costs more, there are no potentials."""
    flow = solve_flow(problem) if problem.sources else {}
    arcs = sorted(flow)
    for (a, b), (c, e) in zip(arcs, arcs[1:], strict=False):
        if a == c or b == e:
            continue
        loss = problem.costs[a, e] + problem.costs[c, b] - problem.costs[a, b] - problem.costs[c, e]
        unit = min(flow[a, b], flow[c, e])
        worse = dict(flow)
        for arc, change in (((a, b), -unit), ((c, e), -unit), ((a, e), unit), ((c, b), unit)):
            worse[arc] = worse.get(arc, 0) + change
        worse = {arc: mass for arc, mass in worse.items() if mass}
        if loss > 0:
            with pytest.raises(SolverError, match="not optimal"):
                potentials(problem, worse)
        else:
            potentials(problem, worse)


@pytest.mark.parametrize("big", [2**61, 10**40])
def test_distances_that_sum_past_64_bits_are_exact(big):
    """d(0,1) = big, d(1,2) = big + 1: one unit must not get lost."""
    ground = Matrix([[0, big, 2 * big + 1], [big, 0, big + 1], [2 * big + 1, big + 1, 0]])
    problem = TransportProblem.of([1, 0, 0], [0, "1/2", "1/2"], ground)
    u, v = potentials(problem, solve_flow(problem))
    assert u[0] + v[1] == big
    assert u[0] + v[2] == 2 * big + 1


def test_nothing_to_move_needs_no_potential():
    problem = TransportProblem.of(["1/2", "1/2"], ["1/2", "1/2"], Ordered(2))
    assert potentials(problem, {}) == ((0, 0), (0, 0))
