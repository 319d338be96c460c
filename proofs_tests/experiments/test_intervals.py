"""Intervals and tests say what their definitions say: each is compared with counting, or with its own equation."""

from __future__ import annotations

import doctest
import math
import random
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from experiments import intervals
from tcloseness.errors import StudyError


def test_the_documented_examples_run() -> None:
    assert doctest.testmod(intervals).failed == 0


@given(st.integers(1, 2000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_the_interval_of_a_share_holds_it_and_is_what_wilsons_equation_gives(pair: tuple[int, int]) -> None:
    """Its ends e solve |p − e| = z·√(e(1 − e)/n)."""
    hits, drawn = pair
    low, high = intervals.wilson(hits, drawn)
    assert 0 <= low <= hits / drawn <= high <= 1
    for end in (low, high):
        if 0 < end < 1:
            z = abs(hits / drawn - end) / math.sqrt(end * (1 - end) / drawn)
            assert z == pytest.approx(1.959963984540054)


def test_the_sign_test_counts_the_coin_tosses_that_are_no_more_even() -> None:
    """Its p-value is the share of all 2ⁿ sequences of wins and losses that are at least as uneven."""
    for n in range(11):
        uneven = [abs(2 * bin(tosses).count("1") - n) for tosses in range(2**n)]
        for wins in range(n + 1):
            mine = intervals.Paired(wins, 7, n - wins)
            assert mine.p == Fraction(sum(u >= abs(2 * wins - n) for u in uneven), 2**n)
            assert mine.p == intervals.Paired(n - wins, 0, wins).p


def test_a_paired_comparison_counts_each_unit_once_and_refuses_unequal_lengths() -> None:
    ours, others = [Fraction(1, 3), 2, 5, math.inf, math.inf], [Fraction(1, 3), 3, 4, 1, math.inf]
    assert intervals.Paired.least(ours, others) == intervals.Paired(wins=1, ties=2, losses=2)
    with pytest.raises(ValueError, match="shorter"):
        intervals.Paired.least(ours, others[:4])


def test_adjusted_p_values_are_never_less_and_keep_their_order() -> None:
    rng = random.Random(5)
    for _ in range(200):
        ps = {i: Fraction(rng.randrange(1, 101), 100) for i in range(rng.randrange(1, 8))}
        adjusted = intervals.holm(ps)
        assert list(adjusted) == list(ps)
        for i, p in ps.items():
            assert p <= adjusted[i] <= min(1, len(ps) * p)
            # by definition: the largest of the scaled p-values up to this one
            below = sorted(q for q in ps.values())
            assert adjusted[i] == max(min(Fraction(1), (len(ps) - j) * q) for j, q in enumerate(below) if q <= p)


def test_bootstrap_intervals_have_the_quantiles_of_the_exact_distribution() -> None:
    """Of three values the median of a resample is the middle one in 13/27 and each other in 7/27 of all resamples."""
    assert intervals.bootstrap([0, 1, 2], seed=1) == (0, 2)
    # the mean of n tosses of a fair coin: binomial, quantiles by counting
    n = 20
    below = [Fraction(sum(math.comb(n, j) for j in range(k + 1)), 2**n) for k in range(n + 1)]
    low, high = (next(k for k, share in enumerate(below) if share >= end) / n for end in (0.025, 0.975))
    found = intervals.bootstrap([0, 1] * (n // 2), np.mean, seed=1)
    assert found == pytest.approx((low, high), abs=1e-12)
    assert found == intervals.bootstrap([0, 1] * (n // 2), np.mean, seed=1)


def test_bootstrap_intervals_do_not_depend_on_how_many_resamples_are_drawn_at_a_time(monkeypatch) -> None:
    values = [1.5, 2.25, 9, 4, 4.5]
    whole = [intervals.bootstrap(values, np.mean, seed=3, resamples=n) for n in (7, 10, 100)]
    monkeypatch.setattr(intervals, "_CELLS", 35)
    assert [intervals.bootstrap(values, np.mean, seed=3, resamples=n) for n in (7, 10, 100)] == whole


@pytest.mark.parametrize("values", [[], [1.0, math.nan], [math.inf]])
def test_an_interval_of_nothing_is_refused(values: list[float]) -> None:
    with pytest.raises(StudyError, match="one finite number or more"):
        intervals.bootstrap(values, seed=0)
