"""The coupling that is found without a solver: feasible, optimal, and no more crosses a cut than must."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from proofs_tests.strategies import distributions, grounds, metrics, non_metrics
from tcloseness.errors import SolverError
from tcloseness.ground import Equal, Matrix, Ordered
from tcloseness.transport import TransportProblem, emd
from tcloseness.transport.solve import laminar_coupling, potentials
from tcloseness.transport.solvers.networkx_flow import solve_flow

F = Fraction


@st.composite
def problems(draw, max_m=8):
    m = draw(st.integers(1, max_m))
    return draw(grounds(m)), draw(distributions(m)), draw(distributions(m))


@given(problems())
def test_it_is_a_coupling(problem):
    """Masses are positive, rows sum to P, columns to Q, and no pair stands twice."""
    ground, p, q = problem
    coupling = laminar_coupling(p, q, ground.cuts)
    assert all(mass > 0 for _, _, mass in coupling)
    assert len({(i, j) for i, j, _ in coupling}) == len(coupling)
    for code in range(ground.m):
        assert sum(mass for i, _, mass in coupling if i == code) == p[code]
        assert sum(mass for _, j, mass in coupling if j == code) == q[code]


@given(problems())
def test_it_costs_the_closed_form(problem):
    ground, p, q = problem
    coupling = laminar_coupling(p, q, ground.cuts)
    assert sum((mass * ground.distance(i, j) for i, j, mass in coupling), F(0)) == emd(p, q, ground)


@given(problems())
def test_exactly_the_imbalance_crosses_each_cut(problem):
    """|P(S) − Q(S)| must cross the border of S; no more does, and only in one direction."""
    ground, p, q = problem
    coupling = laminar_coupling(p, q, ground.cuts)
    order = ground.cuts.order.tolist()
    for low, high in zip(ground.cuts.low.tolist(), ground.cuts.high.tolist(), strict=True):
        inside = set(order[low:high])
        out = sum((x for i, j, x in coupling if i in inside and j not in inside), F(0))
        into = sum((x for i, j, x in coupling if i not in inside and j in inside), F(0))
        surplus = sum((p[i] - q[i] for i in inside), F(0))
        assert (out, into) == (max(surplus, F(0)), max(-surplus, F(0)))


@given(problems())
def test_shared_mass_stays(problem):
    ground, p, q = problem
    staying = {i: mass for i, j, mass in laminar_coupling(p, q, ground.cuts) if i == j}
    for code in range(ground.m):
        assert staying.get(code, 0) == min(p[code], q[code])


@given(problems())
def test_it_has_no_more_moves_than_a_basic_solution(problem):
    """Sources plus sinks minus one at most; so a certificate stays small."""
    ground, p, q = problem
    moving = [c for c in laminar_coupling(p, q, ground.cuts) if c[0] != c[1]]
    ends = sum(a != b for a, b in zip(p, q, strict=True))
    assert len(moving) <= max(ends - 1, 0)


def test_the_move_of_the_tutorial():
    """Dosselmann et al. 2019, §2: {14, 88} in {14, 27, 88, 101}: 14 gives 1/4 to 27, and 88 gives 1/4 to 101."""
    p, q = (F(1, 2), F(0), F(1, 2), F(0)), (F(1, 4),) * 4
    quarter = F(1, 4)
    assert laminar_coupling(p, q, Ordered(4).cuts) == (
        (0, 0, quarter),
        (0, 1, quarter),
        (2, 2, quarter),
        (2, 3, quarter),
    )


@pytest.mark.parametrize("ground", [Ordered(20_001), Equal(20_001)], ids=["ordered", "equal"])
def test_a_long_way_is_walked_without_recursion(ground):
    """All mass at one end, all needed at the other: one move over the whole domain."""
    m = ground.m
    p, q = [F(0)] * m, [F(0)] * m
    p[0] = q[-1] = F(1)
    assert laminar_coupling(p, q, ground.cuts) == ((0, m - 1, F(1)),)


# Potentials from an optimal flow: they prove it, and a flow that is not optimal has none.

pytestmark = pytest.mark.solver


@st.composite
def transport_problems(draw, *, metric=True):
    m = draw(st.integers(2, 6))
    if metric:
        ground = draw(st.one_of(grounds(m), metrics(m).map(Matrix)))
    else:
        ground = Matrix(draw(non_metrics(m)), allow_non_metric=True)
    return TransportProblem.of(draw(distributions(m)), draw(distributions(m)), ground)


@given(st.booleans().flatmap(lambda metric: transport_problems(metric=metric)))
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


@given(transport_problems())
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


@given(transport_problems(metric=False))
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
