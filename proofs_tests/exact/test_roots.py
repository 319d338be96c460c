"""Sums of square roots: signs, equalities and order, against whole numbers and long decimals.

The oracles share nothing with the package: a sum built from p·√a with p whole and a squarefree is 0 exactly if every
coefficient is; and sixty decimal digits decide every other sum that is drawn.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from tcloseness.errors import InputError
from tcloseness.exact import Filtered, LogSum, RootSum, SquareRoot, root_of, square_roots

F = Fraction
LONG = Context(prec=80)
SQUAREFREE = (1, 2, 3, 5, 6, 7, 10, 30)
PARTS = st.lists(st.tuples(st.sampled_from(SQUAREFREE), st.integers(1, 9), st.integers(-4, 4)), max_size=7)
"""(a, s, e) stands for e·√(s²·a) = e·s·√a."""


def root_sum(parts, constant=0):
    terms = {}
    for a, s, e in parts:
        terms[a * s * s] = terms.get(a * s * s, F(0)) + e
    return RootSum(terms, F(constant))


def decimal(value):
    total = LONG.divide(Decimal(value.constant.numerator), Decimal(value.constant.denominator))
    for b, e in value.terms.items():
        share = LONG.divide(Decimal(e.numerator), Decimal(e.denominator))
        total = LONG.add(total, LONG.multiply(share, LONG.sqrt(Decimal(b))))
    return total


def sign(x):
    return (x > 0) - (x < 0)


@given(PARTS, st.integers(-20, 20))
def test_a_sum_is_zero_exactly_if_its_squarefree_parts_cancel(parts, constant):
    by_part = {a: sum(s * e for b, s, e in parts if b == a) for a in SQUAREFREE}
    by_part[1] += constant
    value = root_sum(parts, constant)
    assert (value.sign == 0) == (not any(by_part.values()))
    assert value.sign == (sign(decimal(value)) if any(by_part.values()) else 0)
    assert float(value) == pytest.approx(float(decimal(value)), rel=1e-12, abs=1e-60)


@given(PARTS, PARTS)
def test_the_order_is_that_of_the_decimals(one, other):
    a, b = root_sum(one), root_sum(other)
    difference = decimal(a) - decimal(b)
    order = 0 if abs(difference) < Decimal("1e-50") else sign(difference)
    assert ((a > b) - (a < b), a == b, a >= b, a <= b) == (order, order == 0, order >= 0, order <= 0)
    assert a.negated().order(b.negated()) == -order
    if a == b:
        assert hash(a) == hash(b)


@given(st.fractions(0, 50), st.fractions(0, 50))
def test_the_root_of_a_fraction_is_ordered_as_the_fraction(x, y):
    assert root_of(x).order(root_of(y)) == sign(x - y)
    assert root_of(x * x) == x


def test_a_difference_that_doubles_do_not_see():
    """√(10⁴⁰ + 1) − 10²⁰ = 1/(√(10⁴⁰ + 1) + 10²⁰), just below 5·10⁻²¹; and √(10⁴⁰) − 10²⁰ = 0."""
    big = RootSum({10**40 + 1: F(1)}, F(-(10**20)))
    assert big.sign == 1
    assert float(big) == pytest.approx(5e-21, rel=1e-12)
    assert RootSum({10**40: F(1)}, F(-(10**20))).sign == 0
    assert float(RootSum({10**40: F(1)}, F(-(10**20)))) == 0.0


# ---------------------------------------------------------------------- one square root of an exact number


@given(st.fractions(0, 9), st.fractions(-4, 4))
def test_a_square_root_beside_a_rational_number_is_compared_by_squares(square, t):
    """√x against t < 0 is greater; against t ≥ 0 as x against t²; and t − √x has the other sign."""
    root = SquareRoot(RootSum({}, square))
    order = 1 if t < 0 else sign(square - t * t)
    assert root.order(t) == order
    assert root.minus(t).sign == order
    assert root.minus(t).negated().sign == -order
    assert ((root > t) - (root < t), root == t) == (order, order == 0)
    expected = LONG.sqrt(LONG.divide(Decimal(square.numerator), Decimal(square.denominator))) - LONG.divide(
        Decimal(t.numerator), Decimal(t.denominator)
    )
    assert float(root.minus(t)) == pytest.approx(float(expected), rel=1e-9, abs=1e-60)


def test_a_margin_far_below_the_last_bit_of_a_double_is_told():
    """√2 against √2 cut at forty digits: the difference is below 10⁻⁴⁰ and positive."""
    cut = F(math.isqrt(2 * 10**80), 10**40)
    margin = SquareRoot(RootSum({}, F(2))).minus(cut)
    assert margin.sign == 1
    assert 0 < float(margin) < 1e-40
    assert float(margin.negated()) == -float(margin)


def test_square_roots_are_ordered_by_what_is_under_them():
    """Also roots of roots and roots of logarithms; two that are shifted apart are refused."""
    two, three = SquareRoot(LogSum({2: F(1)})), SquareRoot(LogSum({3: F(1)}))
    assert two < three
    assert two.negated() > three.negated()
    assert SquareRoot(LogSum({4: F(1, 2)})) == two
    with pytest.raises(InputError, match="shifted apart"):
        two.order(three.minus(1))
    with pytest.raises(InputError, match="compare the two instead"):
        two.minus(three)


@given(st.lists(st.fractions(0, 2), min_size=1, max_size=6), st.data())
def test_the_roots_of_filtered_values_keep_a_true_error_bound(squares, data):
    noise = data.draw(st.lists(st.integers(-1, 1), min_size=len(squares), max_size=len(squares)))
    doubles = np.array([float(x) for x in squares]) + 1e-12 * np.array(noise)
    exact = [RootSum({}, x) for x in squares]
    roots = square_roots(Filtered(doubles, np.full(len(squares), 2e-12), lambda g: exact[g], lambda g: squares[g]))
    for g, x in enumerate(squares):
        assert abs(roots.floats()[g] - math.sqrt(x)) <= roots.error[g]
    value, where = roots.largest()
    assert value == SquareRoot(RootSum({}, max(squares)))
    assert where.tolist() == [g for g, x in enumerate(squares) if x == max(squares)]
    t = data.draw(st.sampled_from([F(0), F(1), F(1, 2), F(-1)]))
    assert roots.compare(t).tolist() == [1 if t < 0 else sign(x - t * t) for x in squares]
