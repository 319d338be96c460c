"""The Hellinger distance: the formula, the metric, its bounds, and exact decisions about sums of square roots."""

from __future__ import annotations

import math
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from proofs_tests.measures.every_measure import some
from proofs_tests.strategies import distribution_pairs, distribution_triples
from tcloseness.measures import Hellinger, Variational
from tcloseness.microdata import ClassCounts, Domain
from tcloseness.models import TCloseness

F = Fraction
LONG = Context(prec=60)
hellinger = Hellinger().distance


def root(x):
    return LONG.sqrt(LONG.divide(Decimal(x.numerator), Decimal(x.denominator)))


def square_by_formula(p, q):
    """½·Σ (√p − √q)² in sixty digits: the other form of 1 − Σ√(p·q)."""
    with localcontext(LONG):
        return sum(((root(a) - root(b)) ** 2 for a, b in zip(p, q, strict=True)), Decimal(0)) / 2


@some
@given(distribution_pairs())
def test_the_exact_value_is_what_the_other_formula_gives_in_long_decimals(pair):
    p, q = pair
    expected = LONG.sqrt(square_by_formula(p, q))
    assert float(hellinger(p, q)) == pytest.approx(float(expected), rel=1e-9, abs=1e-12)


@some
@given(distribution_pairs())
def test_it_is_at_most_1_and_that_only_without_a_shared_value(pair):
    p, q = pair
    assert hellinger(p, q) <= 1
    assert (hellinger(p, q) == 1) == (not any(a and b for a, b in zip(p, q, strict=True)))


@pytest.mark.long
@some
@given(distribution_pairs())
def test_it_encloses_the_variational_distance(pair):
    """H² ≤ V ≤ √2·H: exact in the second form V² ≤ 2·H²; H ≤ √V as H against a bound just above."""
    p, q = pair
    v = Variational().over(Domain.declare(range(len(p)))).distance(p, q)
    square = hellinger(p, q).argument
    assert square <= v
    assert square >= v * v / 2


@some
@given(distribution_triples(max_m=4))
def test_it_satisfies_the_triangle_inequality(triple):
    """It is the Euclidean distance of the vectors of roots, over √2."""
    p, q, r = triple
    pq, qr, pr = (LONG.sqrt(square_by_formula(a, b)) for a, b in ((p, q), (q, r), (p, r)))
    assert pr <= pq + qr + Decimal("1e-25")


@pytest.mark.parametrize(
    ("p", "q", "square"),
    [
        ([1, 0], [0, 1], 1),
        ([1, 0], ["9/16", "7/16"], F(1, 4)),  # 1 − 3/4
        (["1/5", "4/5"], ["4/5", "1/5"], F(1, 5)),  # 1 − 2·2/5
        (["9/25", "16/25"], ["16/25", "9/25"], F(1, 25)),  # 1 − 2·12/25
        # √(1/8) + √(1/2 · 1/4) + … : √2/4 each of two, that is √2/2
        (["1/2", "1/2", 0], ["1/4", "1/4", "1/2"], None),
    ],
)
def test_values_in_closed_form(p, q, square):
    value = hellinger(p, q)
    if square is None:
        assert math.isclose(float(value) ** 2, 1 - math.sqrt(2) / 2)
        assert value.argument.minus(1).sign == -1
    else:
        assert value.argument == square


@some
@given(st.integers(1, 30), st.integers(1, 30))
def test_a_rational_value_satisfies_its_own_threshold(a, b):
    """P = (1, 0), Q = (s², 1 − s²): H² = 1 − s, and with s = 1 − (a/b)² it is H = a/b."""
    if a < b:
        t = F(a, b)
        s = 1 - t * t
        value = hellinger([1, 0], [s * s, 1 - s * s])
        assert value == t
        assert value > t - F(1, 10**40)
        assert value < t + F(1, 10**40)


@pytest.mark.parametrize(("t", "status"), [("1/2", "satisfied"), (F(1, 2) - F(1, 10**40), "violated")])
def test_t_closeness_by_this_measure_is_decided_at_equality(t, status):
    """A pure class against (9/16, 7/16) is exactly 1/2 away; the other, 4 of 5, is nearer."""
    classes = ClassCounts.from_mapping({"a": {"x": 3}, "b": {"x": 4, "y": 1}}).with_reference([9, 7])
    result = TCloseness(t, measure=Hellinger()).evaluate(classes)
    assert result.status == status
    assert result.worst.tolist() == [0]
    assert result.value == F(1, 2)
    assert (result.margin < 0) == (status == "violated")


def test_it_is_not_convex_but_its_square_is():
    """From Q = (1, 0) halfway to (0, 1): H² = 1 − √½ = 0.293… < 1/2, and H = 0.541… > 1/2."""
    halfway = hellinger(["1/2", "1/2"], [1, 0])
    assert halfway > F(1, 2)
    assert halfway.argument < F(1, 2)
    assert hellinger([0, 1], [1, 0]) == 1
    assert not Hellinger().convex


def test_two_classes_that_are_equally_far_in_different_ways_are_both_the_worst():
    """Against (1/2, 1/2), (1, 3) and (3, 1) mirror each other: their sums of roots are equal term by term swapped."""
    classes = ClassCounts.from_mapping({"a": {"x": 1, "y": 3}, "b": {"x": 3, "y": 1}, "c": {"x": 1, "y": 1}})
    value, worst = Hellinger().per_class(classes).largest()
    assert worst.tolist() == [0, 1]
    assert value.argument == hellinger(["1/4", "3/4"], ["1/2", "1/2"]).argument
