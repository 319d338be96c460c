"""Exact values as text: written and read back, compared without rounding."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from tcloseness.conformance.exact_text import (
    INFINITE,
    Logarithm,
    Product,
    agrees,
    answer_decimal,
    decimal,
    in_primes,
    logarithm,
    order,
    read,
    text,
)
from tcloseness.errors import VectorError

fractions = st.fractions(min_value=0, max_value=10**6, max_denominator=10**4)
powers = st.dictionaries(
    st.integers(2, 50), st.fractions(min_value=-3, max_value=3, max_denominator=12), min_size=1, max_size=4
)


@given(
    st.one_of(
        fractions, st.just(INFINITE), fractions.filter(bool).map(lambda x: logarithm(x, "e")), powers.map(Product.of)
    )
)
def test_a_written_value_is_read_back(value: object) -> None:
    assert read(text(value)) == value  # type: ignore[arg-type]


@given(fractions, fractions)
def test_fractions_are_ordered_as_fractions(a: Fraction, b: Fraction) -> None:
    assert order(a, b) == (a > b) - (a < b)


@given(powers, st.fractions(min_value=Fraction(1, 50), max_value=100, max_denominator=50))
def test_a_product_is_ordered_as_its_whole_power(given_powers: dict[int, Fraction], number: Fraction) -> None:
    """x ≥ y iff x^L ≥ y^L, and with L a common denominator of the exponents both sides are fractions."""
    value = Product.of(in_primes(given_powers))
    common = math.lcm(*(e.denominator for e in given_powers.values()))
    left = math.prod((Fraction(b) ** int(e * common) for b, e in given_powers.items()), start=Fraction(1))
    right = number**common
    assert order(value, number) == (left > right) - (left < right)


def test_equal_products_are_equal_however_they_are_written() -> None:
    assert Product.of(in_primes({4: Fraction(1, 2), 9: Fraction(1, 2)})) == Fraction(6)
    assert order(Product.of({8: Fraction(1, 3)}), Fraction(2)) == 0


@pytest.mark.parametrize(
    ("ratio", "base", "expected"), [(Fraction(8), "2", Fraction(3)), (Fraction(1), "e", Fraction(0))]
)
def test_logarithms_that_are_whole_are_written_so(ratio: Fraction, base: str, expected: Fraction) -> None:
    assert logarithm(ratio, base) == expected


def test_a_logarithm_has_the_value_that_math_gives_it() -> None:
    for ratio in (Fraction(3, 2), Fraction(7), Fraction(10, 9)):
        assert math.isclose(decimal(Logarithm(ratio, "e")), math.log(ratio))
        assert math.isclose(decimal(Logarithm(ratio, "2")), math.log2(ratio))


@pytest.mark.parametrize("wrong", ["", "x", "1/0", "2^", "ln()", "ln(0/0)", "3*x^(1/2)"])
def test_what_is_no_value_is_refused(wrong: str) -> None:
    with pytest.raises(VectorError, match="is not an exact value"):
        read(wrong)


@pytest.mark.parametrize(
    ("written", "number"),
    [
        ("3/8", "0.375"),
        ("0.375", "0.375"),
        (0.375, "0.375"),
        (2, "2"),
        ("1e-3", "0.001"),
        ("inf", "Infinity"),
        (math.inf, "Infinity"),
        ("infinite", "Infinity"),
    ],
)
def test_answers_are_read_as_implementations_write_them(written: object, number: str) -> None:
    assert answer_decimal(written) == Decimal(number)


@pytest.mark.parametrize("written", [None, "nan", math.nan, True, "three", [], {}])
def test_no_number_is_none(written: object) -> None:
    assert answer_decimal(written) is None


def test_a_double_agrees_and_a_different_number_does_not() -> None:
    assert agrees(Decimal("0.37500000000000006"), Fraction(3, 8))
    assert not agrees(Decimal("0.3750001"), Fraction(3, 8))
    assert agrees(Decimal("Infinity"), INFINITE)
    assert not agrees(Decimal("1e300"), INFINITE)


@given(fractions.filter(bool), st.fractions(-3, 3, max_denominator=12))
def test_a_logarithm_to_the_base_two_is_ordered_as_what_it_is_of(of: Fraction, number: Fraction) -> None:
    """log2(r) ≥ p/q iff r^q ≥ 2^p, and both sides are fractions."""
    left, right = of**number.denominator, Fraction(2) ** number.numerator
    assert order(logarithm(of, "2"), number) == (left > right) - (left < right)


@given(fractions.filter(bool), fractions.filter(bool), st.sampled_from(["2", "e"]))
def test_logarithms_are_ordered_as_what_they_are_of(one: Fraction, other: Fraction, base: str) -> None:
    assert order(logarithm(one, base), logarithm(other, base)) == (one > other) - (one < other)
