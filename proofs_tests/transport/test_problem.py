"""The transportation problem in whole numbers, and what is refused as a problem."""

from __future__ import annotations

import operator
from decimal import Decimal
from fractions import Fraction
from functools import reduce

import pytest
from hypothesis import given, strategies as st

from proofs_tests.strategies import distributions, grounds, metrics, non_metrics
from tcloseness.errors import InputError, MassError, TClosenessError
from tcloseness.ground import Equal, Matrix, Ordered
from tcloseness.transport import TransportProblem, certify, crossings, emd, moves

F = Fraction


@st.composite
def problems(draw):
    m = draw(st.integers(2, 6))
    matrices = st.one_of(metrics(m).map(Matrix), non_metrics(m).map(lambda d: Matrix(d, allow_non_metric=True)))
    ground = draw(st.one_of(grounds(m), matrices))
    return TransportProblem.of(draw(distributions(m)), draw(distributions(m)), ground)


@pytest.mark.long
@given(problems())
def test_supply_and_demand_are_positive_whole_numbers_of_one_sum(problem):
    assert sum(problem.supply) == sum(problem.demand)
    assert all(isinstance(x, int) and x > 0 for x in (*problem.supply, *problem.demand))


@pytest.mark.long
@given(problems())
def test_what_stays_and_what_moves_make_up_the_masses(problem):
    """staying + supply = p·scale and staying + demand = q·scale, value by value."""
    leaving = dict(zip(problem.sources, problem.supply, strict=True))
    coming = dict(zip(problem.sinks, problem.demand, strict=True))
    for i, stays in enumerate(problem.staying):
        assert stays + leaving.get(i, 0) == problem.p[i] * problem.scale
        assert stays + coming.get(i, 0) == problem.q[i] * problem.scale


@pytest.mark.long
@given(problems())
def test_mass_may_stay_beforehand_under_a_metric_only(problem):
    shared = [min(a, b) * problem.scale for a, b in zip(problem.p, problem.q, strict=True)]
    assert problem.staying == (shared if problem.ground.metric else [0] * problem.ground.m)


@pytest.mark.long
@given(problems())
def test_costs_are_the_distances_times_their_denominator(problem):
    assert problem.costs.shape == (len(problem.sources), len(problem.sinks))
    for a, i in enumerate(problem.sources):
        for b, j in enumerate(problem.sinks):
            assert F(int(problem.costs[a, b]), problem.ground.denominator) == problem.ground.distance(i, j)


@pytest.mark.parametrize(
    ("p", "q"),
    [
        (["1/2", "1/2"], ["1/4", "3/4"]),
        ([0.5, 0.5], [0.25, 0.75]),
        ([Decimal("0.5"), "0.5"], [Decimal("0.25"), "0.75"]),
        ([F(1, 2), F(1, 2)], [F(1, 4), F(3, 4)]),
    ],
)
def test_masses_are_read_exactly_however_they_are_written(p, q):
    problem = TransportProblem.of(p, q, Equal(2))
    assert problem.p == (F(1, 2), F(1, 2))
    assert problem.q == (F(1, 4), F(3, 4))


def test_tenths_as_floats_sum_to_one_exactly():
    """Ten times 0.1 is 1 by the shortest texts, although the doubles do not sum to 1.0."""
    assert reduce(operator.add, [0.1] * 10) != 1.0
    assert emd([0.1] * 10, [0.1] * 10, Ordered(10)) == 0


# ---------------------------------------------------------------------- bad input

HALF = ["1/2", "1/2"]
TRIANGLE = Matrix([[0, 1], [1, 0]])
BAD = [
    ("empty", lambda: emd([], [], Equal(2)), MassError, "p is empty"),
    ("negative", lambda: emd([-1, 2], HALF, Equal(2)), MassError, r"p\[0\] = -1 is negative"),
    (
        "counts for masses",
        lambda: emd([1, 1], HALF, Equal(2)),
        MassError,
        "p sums to 2, which must be exactly 1",
    ),
    ("no mass", lambda: emd(HALF, [0, 0], Equal(2)), MassError, "q sums to 0"),
    (
        "a third in decimals",
        lambda: emd([0.333] * 3, ["1/3"] * 3, Equal(3)),
        MassError,
        "0.333 is not a third",
    ),
    (
        "q is longer",
        lambda: emd(HALF, ["1/3"] * 3, Equal(2)),
        MassError,
        "p has 2 values, q 3 and the ground",
    ),
    (
        "another domain",
        lambda: emd(HALF, HALF, Ordered(3)),
        MassError,
        "the ground distance 3; they must agree",
    ),
    ("no number", lambda: emd(["half", "half"], HALF, Equal(2)), InputError, r"p\[0\] is 'half'"),
    ("a truth value", lambda: emd([True, False], HALF, Equal(2)), InputError, "a truth value"),
    ("not a number", lambda: emd([float("nan"), 1], HALF, Equal(2)), InputError, "must be finite"),
    (
        "unknown solver",
        lambda: certify(HALF, HALF, Equal(2), solver="glpk"),
        InputError,
        "solver 'glpk' is unknown; it is one of closed-form, network-simplex, networkx, pulp, pulp-cbc",
    ),
    ("no closed form", lambda: certify(HALF, HALF, TRIANGLE, solver="closed-form"), InputError, "has no closed form"),
    (
        "no crossings",
        lambda: crossings(HALF, HALF, TRIANGLE),
        InputError,
        "is not a sum of cuts; ask for its moves",
    ),
    ("moves of nothing", lambda: moves([1], HALF, Equal(2)), MassError, "p has 1 values"),
    ("moves, unknown solver", lambda: moves(HALF, HALF, TRIANGLE, solver="x"), InputError, "'x' is unknown"),
]


@pytest.mark.parametrize(("call", "error", "message"), [b[1:] for b in BAD], ids=[b[0] for b in BAD])
def test_bad_input_is_refused_with_a_named_error(call, error, message):
    with pytest.raises(error, match=message) as caught:
        call()
    assert isinstance(caught.value, TClosenessError)
