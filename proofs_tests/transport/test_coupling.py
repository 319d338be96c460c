"""The coupling that is found without a solver: feasible, optimal, and no more crosses a cut than must."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from proofs_tests.strategies import distributions, grounds
from tcloseness.ground import Equal, Ordered
from tcloseness.transport import emd
from tcloseness.transport.coupling import laminar_coupling

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
