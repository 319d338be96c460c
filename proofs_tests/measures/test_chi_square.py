"""The χ² divergence: the formula, its relatives, its bound, and what it is not."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import given

from proofs_tests.measures.every_measure import some
from proofs_tests.strategies import class_counts, distribution_pairs
from tcloseness.exact import log_of
from tcloseness.measures import ChiSquare, KullbackLeibler, Variational
from tcloseness.microdata import ClassCounts, Domain
from tcloseness.models import TCloseness

F = Fraction
chi = ChiSquare().distance


@some
@given(distribution_pairs(supported=True))
def test_it_is_the_second_moment_of_the_ratio_less_one(pair):
    """Σ p²/q − 1, the other form."""
    p, q = pair
    assert chi(p, q) == sum((a * a / b for a, b in zip(p, q, strict=True) if b), F(0)) - 1


@some
@given(distribution_pairs())
def test_it_is_infinite_exactly_where_q_is_zero_and_p_is_not(pair):
    p, q = pair
    assert (chi(p, q) == math.inf) == any(a and not b for a, b in zip(p, q, strict=True))


@some
@given(distribution_pairs(supported=True))
def test_it_bounds_the_divergence_and_the_variational_distance(pair):
    """KL ≤ ln(1 + χ²) (Jensen) and 4·V² ≤ χ² (Cauchy–Schwarz), both decided exactly."""
    p, q = pair
    assert KullbackLeibler().distance(p, q) <= log_of(1 + chi(p, q))
    assert 4 * Variational().over(Domain.declare(range(len(p)))).distance(p, q) ** 2 <= chi(p, q)


@some
@given(distribution_pairs(supported=True))
def test_it_is_bounded_by_the_rarest_value(pair):
    p, q = pair
    assert chi(p, q) <= 1 / min(x for x in q if x) - 1


@some
@given(class_counts())
def test_times_the_class_size_it_is_pearsons_statistic(classes):
    """Σ (observed − expected)² / expected with the expected counts n·q."""
    found = ChiSquare().per_class(classes)
    total = sum(map(int, classes.reference))
    for g in range(len(classes)):
        observed, n = classes.vector(g), int(classes.class_sizes[g])
        expected = [F(n * int(c), total) for c in classes.reference]
        assert n * found[g] == sum(((o - e) ** 2 / e for o, e in zip(observed, expected, strict=True) if e), F(0))


@pytest.mark.parametrize(
    ("p", "q", "expected"),
    [
        (["1/2", "1/2"], ["1/4", "3/4"], "1/3"),  # (1/16)/(1/4) + (1/16)/(3/4)
        (["1/4", "3/4"], ["1/2", "1/2"], "1/4"),  # the other way round: it is not symmetric
        ([1, 0, 0], ["1/3"] * 3, 2),  # 1/(1/3) − 1
        (["1/2", "1/2"], ["1/2", "1/2"], 0),
        ([0, 1], [0, 1], 0),  # 0/0 counts 0
    ],
)
def test_values_by_hand(p, q, expected):
    assert chi(p, q) == F(expected)


def test_it_is_neither_symmetric_nor_a_metric():
    """Not even its root: P = (1, 0), R = (1/10, 9/10) has χ² = 9; over (1/2, 1/2), √1 + √(16/9) = 7/3 < 3."""
    assert chi(["1/2", "1/2"], [1, 0]) == math.inf
    assert chi([1, 0], ["1/2", "1/2"]) == 1
    assert chi([1, 0], ["1/10", "9/10"]) == 9
    assert chi(["1/2", "1/2"], ["1/10", "9/10"]) == F(16, 9)


@pytest.mark.parametrize("size", [1, 50_000, 2**55])
def test_the_decision_at_equality_is_exact_at_any_size(size):
    """Classes (3s, s) and (s, 3s) against one half each: 2·(1/4)²/(1/2) = 1/4."""
    classes = ClassCounts.from_mapping({"a": {"x": 3 * size, "y": size}, "b": {"x": size, "y": 3 * size}})
    result = TCloseness("0.25", measure=ChiSquare()).evaluate(classes)
    assert result.satisfied
    assert result.margin == 0
    assert result.worst.tolist() == [0, 1]
    assert not TCloseness(F(1, 4) - F(1, 10**40), measure=ChiSquare()).evaluate(classes).satisfied


def test_a_value_outside_the_reference_makes_a_class_infinite():
    classes = ClassCounts.from_mapping({"a": {"x": 1, "y": 1}, "b": {"x": 3}, "c": {"z": 2}})
    found = ChiSquare().per_class(classes.with_reference([1, 1, 0]))
    assert [found[g] for g in range(3)] == [0, 1, math.inf]
    value, worst = found.largest()
    assert value == math.inf
    assert worst.tolist() == [2]
    assert found.smallest()[1].tolist() == [0]
