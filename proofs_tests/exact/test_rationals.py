"""Exact numbers: reading, writing and comparing them never rounds."""

from __future__ import annotations

import math
import random
import re
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from proofs_tests.case_names import shown
from proofs_tests.effort import thorough
from proofs_tests.strategies import distributions, fractions
from tcloseness.errors import InputError, MassError, TClosenessError
from tcloseness.exact import (
    INT64_MAX,
    RATIO_FILTER,
    Rationals,
    as_fraction,
    common_denominator,
    fits_int64,
    is_exact,
    masses,
    number_text,
    scaled_integers,
    shares,
)

# ---------------------------------------------------------------------- reading and writing


@thorough()
@given(st.integers())
def test_an_integer_is_read_exactly_whatever_holds_it(n: int) -> None:
    assert as_fraction(n) == n
    assert as_fraction(Decimal(n)) == n
    assert as_fraction(Fraction(n)) == n
    assert as_fraction(str(n)) == n
    assert as_fraction(f"  {n}\n") == n


@given(fractions(), st.integers(0, 2**40))
def test_a_fraction_of_numpy_integers_is_read_as_one_that_cannot_overflow(x: Fraction, by: int) -> None:
    """Fraction keeps NumPy's integers as its parts, and computes with them in 64 bits."""
    given_ = Fraction(np.int64(x.numerator), np.int64(x.denominator))
    read = as_fraction(given_)
    assert not is_exact(given_)
    assert is_exact(read)
    assert read == x
    assert read * by == x * by


@thorough()
@given(st.integers(-(2**63), 2**63 - 1), st.integers(0, 2**64 - 1))
def test_a_numpy_integer_counts_as_what_it_holds(signed: int, unsigned: int) -> None:
    assert as_fraction(np.int64(signed)) == signed
    assert as_fraction(np.uint64(unsigned)) == unsigned


@given(st.fractions())
def test_a_fraction_survives_being_written_and_read(x: Fraction) -> None:
    assert as_fraction(number_text(x)) == x
    assert as_fraction(x) is x


@thorough()
@given(st.floats(allow_nan=False, allow_infinity=False))
def test_a_float_is_read_by_its_shortest_text(x: float) -> None:
    """The shortest text names the float among all doubles, so the exact value read rounds back to it."""
    assert as_fraction(x) == Fraction(Decimal(repr(x))) == as_fraction(np.float64(x)) == as_fraction(repr(x))
    assert float(as_fraction(x)) == x
    assert as_fraction(number_text(x)) == as_fraction(x)


@pytest.mark.parametrize(("kind", "digits"), [(np.float16, 3), (np.float32, 6), (np.longdouble, 15)])
@pytest.mark.parametrize("legacy", [False, "1.13"])
def test_a_float_of_another_width_is_read_as_it_was_written(kind: Any, digits: int, legacy: Any) -> None:
    """Texts of so many digits are the shortest of their floats, also where NumPy is told to print fewer digits."""
    draw = random.Random(f"{kind} {legacy}")
    with np.printoptions(legacy=legacy):
        for _ in range(200):
            text = f"{draw.choice('-+')}{draw.randrange(10**digits)}e{draw.randint(-digits, 0)}"
            assert as_fraction(kind(text)) == Fraction(text)
        for text in ("inf", "-inf", "nan"):
            with pytest.raises(InputError, match="must be finite"):
                as_fraction(kind(text))


@thorough()
@given(st.integers(-(10**30), 10**30), st.integers(0, 30))
def test_a_decimal_text_is_digits_over_a_power_of_ten(digits: int, places: int) -> None:
    text = f"{digits}e-{places}"
    assert as_fraction(text) == as_fraction(Decimal(text)) == Fraction(digits, 10**places)


@pytest.mark.parametrize(
    ("number", "exact"),
    [
        (0.2, Fraction(1, 5)),  # the double lies above 1/5; its shortest text is 0.2
        (0.3, Fraction(3, 10)),  # the double lies below 3/10
        ("0.375", Fraction(3, 8)),
        ("3/8", Fraction(3, 8)),
        ("−3/8", Fraction(-3, 8)),  # a typographic minus sign, as copied from a paper
        ("2e-3", Fraction(1, 500)),
        (Decimal("1e400"), Fraction(10**400)),  # finite, though no double
        (10**400, Fraction(10**400)),
        (np.float32(0.5), Fraction(1, 2)),
    ],
)
def test_a_number_is_read_as_it_is_meant(number: object, exact: Fraction) -> None:
    assert as_fraction(number) == exact


@pytest.mark.parametrize(
    ("number", "fragment"),
    [
        (True, "truth value"),
        (np.True_, "truth value"),
        (math.nan, "must be finite"),
        (math.inf, "must be finite"),
        (-np.inf, "must be finite"),
        (np.float32("nan"), "must be finite"),
        (Decimal("NaN"), "must be finite"),
        (Decimal("sNaN"), "must be finite"),
        (Decimal("-Infinity"), "must be finite"),
        ("nan", "not a number"),
        ("inf", "not a number"),
        ("", "not a number"),
        ("three", "not a number"),
        ("3/0", "not a number"),
        ("1.5/2", "not a number"),
        ("1,5", "not a number"),
        ("1e999999999", "exponents up to"),  # a billion digits: a slip, and no machine holds it
        (Decimal("1e-999999"), "exponents up to"),
        (None, "not a number"),
        (1j, "not a number"),
        ([1], "not a number"),
        (np.array([1, 2]), "not a number"),
    ],
)
def test_what_is_no_number_is_refused_by_name(number: object, fragment: str) -> None:
    with pytest.raises(InputError, match=f"^threshold is .*{fragment}"):
        as_fraction(number, "threshold")


@pytest.mark.parametrize(
    ("text", "way"),
    [
        ("20%", "20 percent is 0.2; give that, or the fraction 1/5"),
        ("12.5 %", "12.5 percent is 0.125; give that, or the fraction 1/8"),
        ("-3%", "-3 percent is -0.03; give that, or the fraction -3/100"),
        ("33.333333333333%", "33.333333333333 percent is 0.33333333333333; give that"),
        (f"{'3' * 59}%", f"{'3' * 59} percent is "),
        ("0,2", "decimals are written with a point: 0.2"),
        ("1_000", "digits are written without separators: 1000"),
        *((text, "give an int, a fraction") for text in ("%", "x%", "2e3%", "1,2,3", "1_000_000", "x", "1,x")),
        (f"{'3' * 57},5", f"decimals are written with a point: {'3' * 57}.5"),
        (f"{'3' * 58}_5", f"digits are written without separators: {'3' * 58}5"),
        *((text, "give an int, a fraction") for text in ("3" * 60 + "%", "3" * 58 + ",5", "3" * 59 + "_5")),
        ("٣", "numbers are read in the digits 0 to 9"),
    ],
)
def test_the_number_that_was_probably_meant_is_the_way_out_and_is_read(text: str, way: str) -> None:
    """Where one number is meant; of anything else, the forms that are read."""
    with pytest.raises(InputError, match="which is not a number; ") as caught:
        as_fraction(text, "threshold")
    said = str(caught.value).partition("which is not a number; ")[2]
    assert said.startswith(way)
    if " percent is " in way:
        share, fraction = re.findall(r"[-+.\d/eE]*\d(?=;|$)", said)
        assert as_fraction(share) == as_fraction(fraction) == Fraction(text.rstrip("% ")) / 100
    elif said == way:
        assert as_fraction(way.rpartition(" ")[2])


def test_infinity_is_written_as_inf() -> None:
    assert number_text(math.inf) == "inf"


@pytest.mark.parametrize("wrong", [[2.0**63], [2**63, -1], np.array([True])], ids=repr)
def test_rationals_of_anything_but_integers_are_refused(wrong: Any) -> None:
    """NumPy makes doubles of integers beyond 64 bits beside smaller ones, and says nothing."""
    whole = np.ones(len(wrong), dtype=np.int64)
    for pair in ((np.array(wrong), whole), (whole, np.array(wrong))):
        with pytest.raises(InputError, match="they must be int64, or object"):
            Rationals(*pair)


# ---------------------------------------------------------------------- masses


@given(st.integers(1, 6).flatmap(distributions))
def test_a_distribution_is_read_unchanged_from_any_writing(p: tuple[Fraction, ...]) -> None:
    assert masses(p) == p
    assert masses([number_text(x) for x in p]) == p
    assert masses(iter(p)) == p


@given(st.lists(st.integers(0, 2**60), min_size=1).filter(any))
def test_counts_are_shares_of_their_total(counts: list[int]) -> None:
    assert [share * sum(counts) for share in shares(counts)] == counts
    assert sum(shares(counts)) == 1


NO_VECTORS = [None, 3, "12", b"12", {0: 1}, {1, 2}, np.array(1), np.array([[1, 0]]), [], iter(())]


@pytest.mark.parametrize("read", [masses, shares])
@pytest.mark.parametrize("values", NO_VECTORS, ids=shown)
def test_what_is_not_a_list_of_numbers_is_refused_by_name(read, values) -> None:
    with pytest.raises(MassError, match=r"^p is"):
        read(values)


@pytest.mark.parametrize(
    ("counts", "fragment"),
    [
        ([0, 0], "p sums to 0: it counts no record"),
        ([1, -1], r"p\[1\] = -1 is negative; counts must be ≥ 0"),
        ([1, 0.5], r"p\[1\] = 1/2 is not a whole number"),
        ([1, "1/3"], r"p\[1\] = 1/3 is not a whole number"),
        ([True, 1], r"p\[0\] is True"),
        ([1, math.nan], r"p\[1\] is nan"),
        ([1, None], r"p\[1\] is None"),
    ],
)
def test_what_is_not_a_count_is_refused_by_name(counts, fragment) -> None:
    with pytest.raises(InputError, match=fragment):
        shares(counts)


@pytest.mark.parametrize(
    ("values", "error", "fragment"),
    [
        ([], MassError, "p is empty"),
        (["1/2", "2/3", "-1/6"], MassError, r"p\[2\] = -1/6 is negative"),
        ([0.333, 0.333, 0.333], MassError, "p sums to 999/1000, which must be exactly 1"),
        ([0, 0], MassError, "p sums to 0"),
        ([1, "x"], InputError, r"p\[1\] is 'x'"),
        ([1, math.nan], InputError, r"p\[1\] is nan"),
        ([True], InputError, r"p\[0\] is True"),
    ],
)
def test_what_is_no_distribution_is_refused(values: list[object], error: type[TClosenessError], fragment: str) -> None:
    with pytest.raises(error, match=fragment):
        masses(values)


def test_ten_tenths_are_one() -> None:
    """As doubles they sum to 0.9999999999999999."""
    assert sum(masses([0.1] * 10)) == 1


@given(st.lists(fractions(), max_size=6))
def test_the_common_denominator_is_the_least_that_clears_all(values: list[Fraction]) -> None:
    whole, denominator = scaled_integers(values)
    assert [Fraction(a, denominator) for a in whole] == values
    assert denominator == common_denominator(values)
    assert math.gcd(denominator, *whole) == 1 or denominator == 1  # a common factor would give a smaller one


@thorough()
@given(st.lists(st.integers(-(2**40), 2**40), max_size=4))
def test_factors_fit_int64_exactly_if_their_product_does(factors: list[int]) -> None:
    """Of a product that is 0 every factor must fit by itself."""
    assert fits_int64(*factors) == (abs(math.prod(filter(None, factors))) <= INT64_MAX)


def test_the_int64_bound_is_sharp() -> None:
    assert fits_int64(2**31, 2**32 - 1)
    assert fits_int64(INT64_MAX, -1)
    assert not fits_int64(2**31, 2**32)
    assert not fits_int64(0, 2**63)


# ---------------------------------------------------------------------- comparing many at once

INT64 = st.one_of(st.integers(0, 12), st.integers(2**53 - 3, 2**53 + 3), st.integers(INT64_MAX - 3, INT64_MAX))
ANY_SIZE = st.one_of(INT64, st.integers(0, 10**40), st.integers(10**400, 10**400 + 3))


@st.composite
def rationals(draw: st.DrawFn) -> tuple[Rationals, list[Fraction | float]]:
    """Values as the package keeps them, and as Fractions; a denominator 0 is infinity."""
    python_ints = draw(st.booleans())
    whole = ANY_SIZE if python_ints else INT64
    pair = st.tuples(whole, whole).filter(any)
    pairs = draw(st.lists(pair, min_size=1, max_size=6))
    factor = draw(st.integers(1, 3)) if python_ints else 1
    pairs += [(a * factor, b * factor) for a, b in draw(st.lists(st.sampled_from(pairs), max_size=3))]  # ties
    dtype = object if python_ints else np.int64
    columns = [np.array(column, dtype=dtype) for column in zip(*pairs, strict=True)]
    return Rationals(*columns), [Fraction(a, b) if b else math.inf for a, b in pairs]


@given(rationals(), st.data())
def test_comparison_of_ratios_is_the_comparison_of_fractions(
    drawn: tuple[Rationals, list[Fraction | float]], data: Any
) -> None:
    """The threshold is one of the values, a hair beside one, or anything."""
    values, exact = drawn
    finite = [x for x in exact if x != math.inf] or [Fraction(1)]
    hair = Fraction(data.draw(st.integers(-1, 1)), 10 ** data.draw(st.sampled_from([60, 400, 4000])))
    threshold = data.draw(st.one_of(st.sampled_from(finite).map(lambda x: x + hair), fractions(0, 5)))
    assert values.compare(threshold).tolist() == [(x > threshold) - (x < threshold) for x in exact]


@given(rationals())
def test_extremes_are_those_of_the_fractions_with_every_tie(
    drawn: tuple[Rationals, list[Fraction | float]],
) -> None:
    values, exact = drawn
    for found, expected in ((values.largest(), max(exact)), (values.smallest(), min(exact))):
        assert found[0] == expected
        assert found[1].tolist() == [i for i, x in enumerate(exact) if x == expected]


@given(rationals())
@example((Rationals(np.array([1]), np.array([3])), [Fraction(1, 3)]))
def test_one_value_is_exact_and_its_double_within_the_filter(
    drawn: tuple[Rationals, list[Fraction | float]],
) -> None:
    values, exact = drawn
    assert len(values) == len(exact)
    assert [values[i] for i in range(len(values))] == exact
    for x, approximate in zip(exact, values.floats(), strict=True):
        if x == math.inf:
            assert approximate == math.inf
        elif x == 0 or Fraction(1, 10**300) < x < 10**300:  # elsewhere a double has fewer digits, or none
            assert abs(Fraction(float(approximate)) - x) <= Fraction(RATIO_FILTER) * x


def test_the_double_of_three_eighths_that_others_report_is_not_three_eighths() -> None:
    """pycanon computes 0.37500000000000006 for the salaries of Li et al. 2007, ARX rejects t = 0.375; it is 3/8."""
    worst = Rationals(np.array([27]), np.array([72]))
    assert worst.compare(Fraction(3, 8)).tolist() == [0]
    assert worst.compare(as_fraction("0.374")).tolist() == [1]


@thorough()
@given(st.integers(1, 10**9))
def test_neighbours_that_no_double_separates_are_separated(n: int) -> None:
    """n/(n+1) for n near 2⁶¹: neighbours differ by 2⁻¹²², far below a double's 2⁻⁵³."""
    low = 2**61 + n
    numerators = np.array([low, low + 1, low + 2], dtype=np.int64)
    values = Rationals(numerators, numerators + 1)
    exact = [Fraction(int(a), int(a) + 1) for a in numerators]
    assert all(x < y for x, y in pairwise(exact))
    assert values.largest() == (exact[2], np.array([2]))
    assert values.smallest() == (exact[0], np.array([0]))
    assert values.compare(exact[1]).tolist() == [-1, 0, 1]


def test_one_ratio_that_two_doubles_stand_for_is_one_extreme() -> None:
    """(2⁵³ + 1)/2⁵³ becomes 1.0 as a double, and the same ratio times 3/3 becomes 1 + 2⁻⁵²."""
    numerators = np.array([2**53 + 1, 3 * (2**53 + 1)])
    values = Rationals(numerators, np.array([2**53, 3 * 2**53]))
    assert len(set(values.floats().tolist())) == 2
    for value, where in (values.largest(), values.smallest()):
        assert value == Fraction(2**53 + 1, 2**53)
        assert where.tolist() == [0, 1]
    assert values.compare(Fraction(2**53 + 1, 2**53)).tolist() == [0, 0]


def test_a_value_beyond_doubles_is_below_infinity() -> None:
    values = Rationals(np.array([5, 10**400], dtype=object), np.array([0, 1], dtype=object))
    assert values.smallest() == (10**400, np.array([1]))
    assert values.largest() == (math.inf, np.array([0]))


def test_no_classes_have_no_extreme() -> None:
    empty = Rationals(np.array([], dtype=np.int64), np.array([], dtype=np.int64))
    with pytest.raises(InputError, match="no equivalence class"):
        empty.largest()
