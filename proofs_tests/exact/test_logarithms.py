"""Sums of logarithms: signs, equalities and extremes are those of integer products.

The oracle shares nothing with the package: Σ e·ln b has the sign of Π b^e − 1, so for whole exponents it is a
comparison of two integers.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from proofs_tests.strategies import positive_fractions
from tcloseness.exact import LOG_FILTER, LogSum, LogSums, log_of

TERMS = st.dictionaries(st.integers(1, 60), st.integers(-12, 12), max_size=5)


def sign_of_product(terms: dict[int, int]) -> int:
    """The sign of Σ e·ln b for whole e, by two integers."""
    above = math.prod(b**e for b, e in terms.items() if e > 0)
    below = math.prod(b**-e for b, e in terms.items() if e < 0)
    return (above > below) - (above < below)


def of_whole(terms: dict[int, int], divisor: int = 1) -> LogSum:
    return LogSum({b: Fraction(e, divisor) for b, e in terms.items()})


@given(TERMS, st.integers(1, 50))
def test_the_sign_is_that_of_the_integer_product(terms: dict[int, int], divisor: int) -> None:
    assert of_whole(terms, divisor).sign == sign_of_product(terms)


@given(TERMS, TERMS)
def test_the_order_is_that_of_the_integer_products(one: dict[int, int], other: dict[int, int]) -> None:
    difference = {b: one.get(b, 0) - other.get(b, 0) for b in one.keys() | other.keys()}
    order = sign_of_product(difference)
    a, b = of_whole(one), of_whole(other)
    assert ((a > b) - (a < b), a == b, a >= b, a <= b) == (order, order == 0, order >= 0, order <= 0)
    if a == b:
        assert hash(a) == hash(b)


@given(TERMS, st.integers(2, 40), st.integers(-5, 5))
def test_writing_a_base_as_a_product_changes_nothing(terms: dict[int, int], factor: int, e: int) -> None:
    """ln(b·f) = ln b + ln f for every base, and f^e·f^(−e) = 1."""
    split = of_whole(terms)
    joined = LogSum({})
    for b, exponent in terms.items():
        joined = joined.minus(LogSum({b * factor: Fraction(-exponent)})).minus(LogSum({factor: Fraction(exponent)}))
    assert joined == split
    assert split.minus(LogSum({factor**2: Fraction(e)})).minus(LogSum({factor: Fraction(-2 * e)})) == split


@given(TERMS, st.fractions(-3, 3, max_denominator=1000))
def test_a_sum_is_near_the_sum_of_doubles(terms: dict[int, int], constant: Fraction) -> None:
    value = LogSum({b: Fraction(e) for b, e in terms.items()}, constant)
    doubles = [e * math.log(b) for b, e in terms.items()] + [float(constant)]
    assert float(value) == pytest.approx(math.fsum(doubles), abs=1e-12 * (1 + sum(map(abs, doubles))))


@given(TERMS.filter(lambda t: sign_of_product(t) != 0), st.integers(1, 40))
def test_a_logarithm_is_never_a_rational_and_the_nearest_decimals_enclose_it(
    terms: dict[int, int], digits: int
) -> None:
    """Cut the value at `digits` digits: it lies strictly between the cut and the next decimal (Lindemann)."""
    value = of_whole(terms)
    below = Fraction(math.floor(Fraction(value._decimal(80)) * 10**digits), 10**digits)
    assert value > below
    assert value < below + Fraction(1, 10**digits)
    assert not value == below  # noqa: SIM201


@given(st.fractions(-5, 5))
def test_without_logarithms_it_is_the_rational_number(x: Fraction) -> None:
    value = LogSum({1: Fraction(7), 6: Fraction(1), 2: Fraction(-1), 3: Fraction(-1)}, x)
    assert value == x
    assert value.sign == (x > 0) - (x < 0)


@given(positive_fractions(), positive_fractions())
def test_logarithms_of_fractions_keep_their_order(x: Fraction, y: Fraction) -> None:
    assert (log_of(x) < log_of(y)) == (x < y)
    assert (log_of(x) == log_of(y)) == (x == y)
    assert log_of(x).sign == (x > 1) - (x < 1)


def entropy(counts: list[int]) -> LogSum:
    """H = ln n − (1/n)·Σ c·ln c of a class with these counts (Shannon, natural logarithm)."""
    n = sum(counts)
    terms = {n: Fraction(1)}
    for c in counts:
        terms[c] = terms.get(c, Fraction(0)) - Fraction(c, n)
    return LogSum(terms)


@pytest.mark.long
def test_uniform_classes_have_entropy_exactly_log_l() -> None:
    """ℓ values with n records each: H = ln ℓ. In doubles others reject 1,240 of these 3,800 cases."""
    for l in range(2, 21):  # noqa: E741 (the field's letter)
        for n in range(1, 201):
            assert entropy([n] * l) == LogSum({l: Fraction(1)}), (l, n)


@given(st.lists(st.integers(1, 40), min_size=1, max_size=6), st.integers(1, 7))
def test_entropy_against_log_l_is_an_integer_comparison(counts: list[int], l: int) -> None:  # noqa: E741
    """H ≥ ln ℓ ⇔ Π c^c · ℓ^n ≤ n^n (multiply by n and take exponentials)."""
    n = sum(counts)
    holds = math.prod(c**c for c in counts) * l**n <= n**n
    assert (entropy(counts) >= LogSum({l: Fraction(1)})) == holds


def test_one_record_off_uniform_is_below_log_l_however_many_records() -> None:
    """(n, n + 1): H < ln 2 by about 1/(8n²), which doubles lose from n = 10⁸ on."""
    for n in (1, 10**8, 10**12, 10**18):
        assert entropy([n, n + 1]) < LogSum({2: Fraction(1)})
        assert entropy([n, n]) == LogSum({2: Fraction(1)})


# ---------------------------------------------------------------------- many at once


def sums(exact: list[LogSum | float], noise: list[int] | None = None) -> LogSums:
    """Approximations that are off by up to the error that they declare."""
    noise = noise or [0] * len(exact)
    doubles = np.array([float(x) for x in exact])
    size = np.where(np.isinf(doubles), 0.0, 1 + np.abs(doubles)) * LOG_FILTER
    return LogSums(doubles + size * np.array(noise), 2 * size, lambda i: exact[i], lambda i: i)  # type: ignore[arg-type,return-value]


VALUES = st.lists(
    st.one_of(
        TERMS.map(of_whole),
        st.sampled_from([of_whole({8: 1}), of_whole({2: 3}), of_whole({4: 1, 2: 1}), of_whole({})]),  # ties
        st.just(math.inf),
    ),
    min_size=1,
    max_size=7,
)


@given(VALUES, st.data())
def test_extremes_come_with_every_tie(exact: list[LogSum | float], data: st.DataObject) -> None:
    noise = data.draw(st.lists(st.integers(-1, 1), min_size=len(exact), max_size=len(exact)))
    values = sums(exact, noise)
    for (found, where), sign in ((values.largest(), 1), (values.smallest(), -1)):
        best = exact[0]
        for x in exact[1:]:
            order = _order(x, best)
            best = x if sign * order > 0 else best
        assert _order(found, best) == 0
        assert where.tolist() == [i for i, x in enumerate(exact) if _order(x, best) == 0]


def _order(x: LogSum | float, y: LogSum | float) -> int:
    if isinstance(x, float) or isinstance(y, float):
        return isinstance(x, float) - isinstance(y, float)
    return x.minus(y).sign


@given(VALUES, TERMS.map(of_whole), st.data())
def test_comparison_with_a_threshold_is_exact(
    exact: list[LogSum | float], threshold: LogSum, data: st.DataObject
) -> None:
    noise = data.draw(st.lists(st.integers(-1, 1), min_size=len(exact), max_size=len(exact)))
    near = [x for x in exact if isinstance(x, LogSum)]
    bound = data.draw(st.sampled_from([threshold, *near]))
    assert sums(exact, noise).compare(bound).tolist() == [_order(x, bound) for x in exact]


def test_comparison_with_a_rational_threshold_is_exact() -> None:
    """ln 2 = 0.69314718055994530941723212145818 (OEIS A002162), enclosed by its 30-digit cuts."""
    values = sums([of_whole({2: 1})])
    below, above = Fraction("0.693147180559945309417232121458"), Fraction("0.693147180559945309417232121459")
    assert values.compare(below).tolist() == [1]
    assert values.compare(above).tolist() == [-1]
    assert values[0] == LogSum({4: Fraction(1, 2)})
    assert len(values) == 1


def test_an_infinite_value_is_reported_as_infinity() -> None:
    values = sums([math.inf, of_whole({2: 1})])
    assert values[0] == math.inf
    assert values.largest()[0] == math.inf
    assert values.smallest()[1].tolist() == [1]


@given(st.dictionaries(st.integers(2, 30), st.fractions(-3, 3), max_size=3), st.fractions(-3, 3))
def test_a_number_is_printed_as_a_number(terms, constant):
    number = LogSum(terms, constant)
    assert str(number) == f"{number}" == (f"≈ {float(number):.10g}" if number.sign else "0")
