"""The greatest and the least share of a class of at most n records that pass a threshold, against all fractions."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from tcloseness.errors import InputError
from tcloseness.optimal.requirements import greatest_share, least_share

thresholds = st.one_of(st.fractions(0, 1, max_denominator=60), st.fractions(0, 1))


def shares(n: int) -> set[Fraction]:
    return {Fraction(a, b) for b in range(1, n + 1) for a in range(b + 1)}


@given(thresholds, st.integers(1, 40), st.booleans())
def test_no_share_of_a_class_lies_between_the_threshold_and_its_fraction(k: Fraction, n: int, strict: bool) -> None:
    below = [p for p in shares(n) if (p < k if strict and k else p <= k)]
    assert greatest_share(lambda p: p < k if strict and k else p <= k, n) == max(below)
    above = [p for p in shares(n) if p >= k]
    assert least_share(lambda p: p >= k, n) == min(above)


def test_an_irrational_threshold_is_exact() -> None:
    """80782/114243 is a convergent of 1/√2 from below, so no fraction with a lesser denominator lies between."""
    assert greatest_share(lambda p: 2 * p * p < 1, 114243) == Fraction(80782, 114243)
    assert 2 * 80782**2 - 114243**2 == -1  # what makes it a convergent (Pell)


def test_few_questions_are_asked() -> None:
    asked = []
    greatest_share(lambda p: asked.append(p) is None and p < Fraction(1, 10**9), 10**12)
    assert len(asked) < 500


def test_a_threshold_that_nothing_passes_is_refused() -> None:
    with pytest.raises(InputError, match="no share does"):
        greatest_share(lambda p: False, 3)
