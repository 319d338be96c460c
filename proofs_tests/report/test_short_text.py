"""Numbers as people read them: exact beside their decimals, and on their own side of what they are compared with."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from tcloseness.exact.logarithms import log_of
from tcloseness.microdata import ClassCounts
from tcloseness.report.short_text import decimal_text, digits_text, shortened
from tcloseness.report.wording import class_counts_text

fractions = st.fractions(-50, 50, max_denominator=60)


@given(fractions)
def test_a_value_is_said_exactly_and_its_decimals_are_its_own_or_said_to_be_near(value: Fraction) -> None:
    text = decimal_text(value)
    if value.denominator == 1:
        assert text == str(value)
        return
    exact, sign, shown = text.split()
    assert Fraction(exact) == value
    assert (sign == "=") == (Fraction(shown) == value)
    assert abs(Fraction(shown) - value) <= abs(value) / 1000
    assert decimal_text(value, short=True) == exact


@pytest.mark.parametrize(("value", "text"), [(math.inf, "∞"), (-math.inf, "-∞"), (0.375, "3/8 = 0.375"), (-2.0, "-2")])
def test_doubles_are_said_like_fractions_unless_they_are_infinite(value: float, text: str) -> None:
    assert decimal_text(value) == text


@given(fractions, st.integers(1, 10**30), st.sampled_from([-1, 1]))
def test_a_fraction_is_shown_on_its_side_of_another(value: Fraction, parts: int, side: int) -> None:
    other = value + Fraction(side, parts)
    assert side * (other - Fraction(digits_text(value, other))) > 0


@pytest.mark.parametrize("digits", [3, 12, 17, 25, 60])
@pytest.mark.parametrize("of", [Fraction(1, 7), Fraction(3), Fraction(10**6)])
def test_a_logarithm_is_shown_on_its_side_of_a_fraction_however_near(of: Fraction, digits: int) -> None:
    """The fraction is the logarithm to so many digits, rounded down or up, also where doubles say nothing any more."""
    value, low, high = log_of(of), Fraction(-100), Fraction(100)
    while high - low > Fraction(1, 10**digits):
        middle = (low + high) / 2
        low, high = (middle, high) if value.order(middle) >= 0 else (low, middle)
    assert Fraction(digits_text(value, low)) > low
    assert Fraction(digits_text(value, high)) < high
    assert abs(Fraction(digits_text(value, low)) - low) <= high - low + abs(low) / 1000


@pytest.mark.parametrize(
    ("counts", "text"),
    [
        ({"flu": 2}, "flu: 2"),
        ({"flu": 1, "hiv": 3}, "hiv: 3, flu: 1"),
        ({"a": 1, "b": 1, "c": 5, "d": 1, "e": 1}, "c: 5, a: 1, b: 1, d: 1 and 1 more value"),
        (dict.fromkeys("abcdef", 1), "a: 1, b: 1, c: 1, d: 1 and 2 more values"),
    ],
)
def test_the_commonest_values_of_a_class_are_listed_and_the_others_counted(counts: dict[str, int], text: str) -> None:
    assert class_counts_text(ClassCounts.from_mapping({"one": counts}), 0) == text


@given(st.text("ab…é", max_size=12), st.integers(1, 12))
def test_a_long_text_ends_with_an_ellipsis_and_a_short_one_is_whole(text: str, longest: int) -> None:
    found = shortened(text, longest)
    assert len(found) <= longest
    assert found == text if len(text) <= longest else found == text[: longest - 1] + "…"
