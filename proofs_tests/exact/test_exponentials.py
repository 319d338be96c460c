"""exp of sums of logarithms: order, rationality and doubles are those of powers of whole numbers.

The oracle shares nothing with the package: (Π b^(e/d))^d is a rational number for whole e and d, and s < Π b^(e/d)
exactly where s^d is less than it.
"""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from proofs_tests.effort import thorough
from proofs_tests.strategies import positive_fractions
from tcloseness.exact import Exponential, Filtered, LogSum, LogSums, exponentials, log_of

F = Fraction
POWERS = st.dictionaries(st.integers(1, 30), st.integers(-6, 6), max_size=3)
LONG = Context(prec=120)


def product(powers: dict[int, int]) -> Fraction:
    return math.prod((F(b) ** e for b, e in powers.items()), start=F(1))


def root_of(powers: dict[int, int], degree: int) -> Exponential:
    """Π b^(e/degree)."""
    return Exponential(LogSum({b: F(e, degree) for b, e in powers.items()}))


def sign(x: Fraction) -> int:
    return (x > 0) - (x < 0)


def long(x: Fraction) -> Decimal:
    return LONG.divide(Decimal(x.numerator), Decimal(x.denominator))


@given(POWERS, st.integers(1, 4), st.fractions(-3, 9, max_denominator=20))
def test_a_root_of_a_product_beside_a_rational_number_is_compared_by_powers(powers, degree, t):
    value = root_of(powers, degree)
    order = 1 if t <= 0 else sign(product(powers) - t**degree)
    assert value.order(t) == value.minus(t).sign == -value.minus(t).negated().sign == order
    assert ((value > t) - (value < t), value == t) == (order, order == 0)
    expected = LONG.subtract(LONG.power(long(product(powers)), long(F(1, degree))), long(t))
    if order:
        assert float(value.minus(t)) == pytest.approx(float(expected), rel=1e-9)
    else:
        assert float(value.minus(t)) == 0.0


@given(POWERS, st.integers(1, 4))
def test_it_is_rational_exactly_where_numerator_and_denominator_are_powers(powers, degree):
    inside = product(powers)
    roots = [next((r for r in range(1, 2000) if r**degree >= side), 0) for side in inside.as_integer_ratio()]
    found = root_of(powers, degree).rational
    if max(inside.as_integer_ratio()) < 1000**degree:
        exact = F(*roots) if [r**degree for r in roots] == list(inside.as_integer_ratio()) else None
        assert found == exact
    assert found is None or found**degree == inside


@thorough()
@given(st.integers(2, 10**6), st.integers(1, 40))
def test_a_whole_power_has_its_root(base, degree):
    assert Exponential(LogSum({base**degree: F(1, degree)})).rational == base
    assert degree == 1 or Exponential(LogSum({base**degree + 1: F(1, degree)})).rational is None


@given(
    POWERS, POWERS, st.integers(1, 3), st.fractions(-2, 2, max_denominator=6), st.fractions(-2, 2, max_denominator=6)
)
def test_two_are_ordered_as_their_long_decimals_also_where_they_are_shifted_apart(one, other, degree, a, b):
    first, second = root_of(one, degree).minus(a), root_of(other, degree).minus(b).negated()
    second = second.negated()
    decimals = [
        LONG.subtract(LONG.power(long(product(powers)), long(F(1, degree))), long(shift))
        for powers, shift in ((one, a), (other, b))
    ]
    difference = LONG.subtract(*decimals)
    order = 0 if abs(difference) < Decimal(10) ** -60 * (1 + abs(decimals[0])) else int(difference.compare(Decimal(0)))
    assert (first.order(second), first == second) == (order, order == 0)


def test_what_is_rational_may_be_equal_though_shifted_apart_and_mirrored():
    """√9 − 1 = √4 = 4 − √4; √8 − 1 is near 1.828427, and equal to no other."""
    three, two, irrational = (Exponential(log_of(F(x))) for x in (3, 2, 8))
    irrational = Exponential(LogSum({8: F(1, 2)}))
    assert three.minus(1) == two == two.minus(4).negated()
    assert hash(three.minus(1)) == hash(two)
    assert irrational.minus(1) < irrational.minus(F(1, 10**50))
    assert irrational.minus(1) != irrational
    assert irrational.minus(6).negated() > 3


@given(st.lists(positive_fractions(), min_size=1, max_size=6), st.data())
def test_the_exponentials_of_filtered_values_keep_a_true_error_bound(numbers, data):
    noise = data.draw(st.lists(st.integers(-1, 1), min_size=len(numbers), max_size=len(numbers)))
    logs = [log_of(x) for x in numbers]
    doubles = np.array([float(x) for x in logs]) + 1e-12 * np.array(noise)
    values = LogSums(doubles, np.full(len(numbers), 2e-12), lambda g: logs[g], lambda g: numbers[g])
    found = exponentials(values)
    for g, x in enumerate(numbers):
        assert abs(F(float(found.floats()[g])) - x) <= F(float(found.error[g]))
        assert found[g] == x
    value, where = found.smallest()
    assert value == min(numbers)
    assert where.tolist() == [g for g, x in enumerate(numbers) if x == min(numbers)]
    t = data.draw(st.sampled_from([F(1), *numbers]))
    assert found.compare(t).tolist() == [sign(x - t) for x in numbers]


def test_it_reads_as_the_number_that_it_is():
    assert str(Exponential(LogSum({9: F(1, 2)}))) == "3"
    assert str(Exponential(LogSum({2: F(1, 2)}))) == "≈ 1.414213562"
    assert str(Exponential(log_of(F(3, 2))).minus(1)) == "1/2"


SIZES = st.tuples(st.integers(2, 99), st.integers(-300, 300)).filter(
    lambda each: abs(each[1] * math.log(each[0])) < 700
)


@given(SIZES, st.integers(1, 3))
def test_a_double_is_as_near_to_its_power_whatever_the_size(power, degree):
    """Of the exponential of a rounded logarithm L, the rounding of L makes L·2⁻⁵³."""
    base, e = power
    value = root_of({base: e}, degree)
    exact = LONG.power(Decimal(base), long(F(e, degree)))
    assert abs(LONG.divide(Decimal(float(value)), exact) - 1) <= Decimal(2) ** -52


@given(SIZES, st.integers(-(2**10), 2**10))
def test_a_double_beside_a_great_or_small_power_is_compared_exactly(power, steps):
    """The power is a few roundings from the double: fewer than the rounding of its logarithm would move it."""
    base, e = power
    double = float(F(base) ** e)
    threshold = log_of(F(double) * (1 + F(steps, 2**53)))
    values = Filtered(np.array([double]), np.zeros(1), [F(double)].__getitem__, int)
    assert values.compare(Exponential(threshold)).tolist() == [sign(F(-steps))]
