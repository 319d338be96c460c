"""The two views of one transformation: what crosses each cut, and what goes from where to where (Dosselmann et al.
2019, §3)."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from proofs_tests.strategies import distributions, grounds, metrics, non_metrics
from tcloseness.ground import Equal, Matrix, Ordered
from tcloseness.transport import certify, crossings, emd, moves, moves_of

F = Fraction


@st.composite
def problems(draw, *, cuts=True):
    m = draw(st.integers(1, 6))
    if cuts or m < 2:
        ground = draw(grounds(m))
    else:
        matrices = [metrics(m).map(Matrix), non_metrics(m).map(lambda d: Matrix(d, allow_non_metric=True))]
        ground = draw(st.one_of(matrices))
    return draw(distributions(m)), draw(distributions(m)), ground


@given(problems())
def test_moves_and_crossings_cost_the_emd(problem):
    """Dosselmann et al. 2019, §3.1 (actions A) and §3.2 (actions B): "the same transformation", so one number."""
    found = emd(*problem)
    assert sum((move.cost for move in moves(*problem)), F(0)) == found
    assert sum((crossing.cost for crossing in crossings(*problem)), F(0)) == found


@pytest.mark.solver
@given(problems(cuts=False))
def test_moves_of_any_ground_distance_cost_the_emd(problem):
    assert sum((move.cost for move in moves(*problem)), F(0)) == emd(*problem)


@pytest.mark.solver
@given(st.booleans().flatmap(lambda cuts: problems(cuts=cuts)))
def test_the_moves_turn_p_into_q(problem):
    p, q, _ = problem
    mass = list(p)
    for move in moves(*problem):
        assert move.mass > 0
        assert move.source != move.target
        mass[move.source] -= move.mass
        mass[move.target] += move.mass
    assert tuple(mass) == q


@given(problems())
def test_no_value_both_gives_and_takes_under_a_metric(problem):
    found = moves(*problem)
    assert not {m.source for m in found} & {m.target for m in found}


@given(problems())
def test_what_crosses_a_cut_is_what_the_moves_carry_over_it(problem):
    found = moves(*problem)
    for crossing in crossings(*problem):
        inside = set(crossing.inside)
        out = sum((m.mass for m in found if m.source in inside and m.target not in inside), F(0))
        into = sum((m.mass for m in found if m.source not in inside and m.target in inside), F(0))
        assert crossing.mass == out - into
        assert not (out and into)


SALARY = (["1/3"] * 3 + [0] * 6, ["1/9"] * 9, Ordered(9))


def test_the_actions_a_of_the_first_salary_class():
    """Dosselmann et al. 2019, §3.1: 2/9, 4/9, 6/9, 5/9, 4/9, 3/9, 2/9, 1/9 cross the eight gaps, at 1/8 each: 27/9/8 =
    3/8."""
    found = crossings(*SALARY)
    assert [c.inside for c in found] == [tuple(range(k)) for k in range(1, 9)]
    assert [c.mass for c in found] == [F(x, 9) for x in (2, 4, 6, 5, 4, 3, 2, 1)]
    assert {c.weight for c in found} == {F(1, 8)}
    assert sum(c.cost for c in found) == F(3, 8)


def test_the_actions_b_of_the_first_salary_class():
    """Dosselmann et al. 2019, §3.2: each of 3k, 4k, 5k keeps 1/9 and gives 1/9 to two of the six other salaries; 27
    steps in all."""
    found = moves(*SALARY)
    assert [m.mass for m in found] == [F(1, 9)] * 6
    assert [m.source for m in found] == [0, 0, 1, 1, 2, 2]
    assert sorted(m.target for m in found) == [3, 4, 5, 6, 7, 8]
    assert sum(m.target - m.source for m in found) == 27
    assert sum(m.cost for m in found) == F(3, 8)


def test_the_moves_c_of_the_merit_points():
    """Dosselmann et al. 2019, §4.2 (19): from 4, 1, 2 to 3: 1/30, 4/30, 7/30 over 1/3, 2/3, 3/3."""
    found = moves([0, "1/3", "1/3", "1/3"], ["4/10", "3/10", "2/10", "1/10"], Ordered(4))
    assert [(m.source, m.target, m.mass, m.distance) for m in found] == [
        (1, 0, F(1, 30), F(1, 3)),
        (2, 0, F(4, 30), F(2, 3)),
        (3, 0, F(7, 30), F(1)),
    ]
    assert sum(m.cost for m in found) == F(1, 3)


def test_mass_that_enters_a_set_is_negative_and_costs_as_much():
    leaving, entering = crossings([1, 0], [0, 1], Equal(2))
    assert (leaving.mass, entering.mass) == (1, -1)
    assert leaving.cost == entering.cost == F(1, 2)


def test_equal_distributions_need_no_move():
    assert moves(["1/2", "1/2"], ["1/2", "1/2"], Ordered(2)) == []


def test_moves_of_a_certificate_are_its_entries_between_different_values():
    certificate = certify(*SALARY)
    assert moves_of(certificate) == moves(*SALARY)


def test_a_move_is_written_as_text():
    (move,) = moves([1, 0], ["2/3", "1/3"], Ordered(2))
    assert json.loads(json.dumps(move.to_dict())) == {
        "from": 0,
        "to": 1,
        "mass": "1/3",
        "distance": "1",
        "cost": "1/3",
    }
