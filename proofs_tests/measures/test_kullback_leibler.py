"""The Kullback–Leibler divergence, exact: its laws, its values in closed form, and its decisions."""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from proofs_tests.filters import assert_within
from proofs_tests.strategies import class_counts, distribution_pairs, distributions, partitions
from tcloseness.exact import LogSum
from tcloseness.measures import KullbackLeibler
from tcloseness.microdata import ClassCounts, Domain
from tcloseness.models import TCloseness

F = Fraction
kl = KullbackLeibler().distance
LN2_40 = F(
    Context(prec=60).ln(Decimal(2)).quantize(Decimal(1).scaleb(-40), rounding="ROUND_FLOOR", context=Context(prec=60))
)
"""ln 2 cut to forty digits: ln 2 is irrational, so LN2_40 < ln 2 < LN2_40 + 10⁻⁴⁰."""


def by_formula(p, q):
    """Σ p·ln(p/q) in doubles; the terms with p = 0 are 0."""
    return math.fsum(float(a) * (math.log(a) - math.log(b)) for a, b in zip(p, q, strict=True) if a)


# ---------------------------------------------------------------------- one pair


@given(distribution_pairs(supported=True))
def test_the_exact_value_is_what_the_formula_gives_in_doubles(pair):
    """Masses are above 2⁻⁶³, so a logarithm is below 44 and a few ulp of it stay below 10⁻¹³."""
    p, q = pair
    assert math.isclose(float(kl(p, q)), by_formula(p, q), rel_tol=1e-9, abs_tol=1e-13)


@given(distribution_pairs(supported=True))
def test_it_is_never_negative_and_zero_for_equal_distributions_only(pair):
    """Gibbs' inequality, decided exactly."""
    p, q = pair
    assert kl(p, q) >= 0
    assert (kl(p, q) == 0) == (p == q)
    assert kl(p, p) == 0


@given(distribution_pairs())
def test_it_is_infinite_exactly_where_q_is_zero_and_p_is_not(pair):
    p, q = pair
    outside = any(a and not b for a, b in zip(p, q, strict=True))
    assert (kl(p, q) == math.inf) == outside


@given(
    st.integers(1, 5).flatmap(lambda m: st.tuples(*[distributions(m, huge=False)] * 3)),
    st.fractions(0, 1, max_denominator=9),
)
def test_convexity_is_a_claim_that_holds(triple, share):
    """KL(λP₁ + (1 − λ)P₂ ‖ Q) ≤ λ·KL(P₁‖Q) + (1 − λ)·KL(P₂‖Q), with Q where both are."""
    p1, p2, q = triple
    q = [(a + b + c) / 3 for a, b, c in zip(p1, p2, q, strict=True)]
    mixed = [share * a + (1 - share) * b for a, b in zip(p1, p2, strict=True)]
    terms = {}
    for weight, value in ((share, kl(p1, q)), (1 - share, kl(p2, q))):
        for base, e in value.terms.items():
            terms[base] = terms.get(base, F(0)) + weight * e
    assert KullbackLeibler().convex
    assert kl(mixed, q) <= LogSum(terms)


@pytest.mark.parametrize(
    ("p", "q", "expected"),
    [
        # one value against m equal ones: ln m
        ([1, 0, 0], ["1/3"] * 3, {3: 1}),
        # 2/3·ln 2 + 1/3·ln(1/2) = 1/3·ln 2
        (["2/3", "1/3"], ["1/3", "2/3"], {2: F(1, 3)}),
        # 1/2·ln 2 + 1/2·ln(2/3) = ln 2 − 1/2·ln 3
        (["1/2", "1/2"], ["1/4", "3/4"], {2: 1, 3: F(-1, 2)}),
        # the other way round 1/4·ln(1/2) + 3/4·ln(3/2) = 3/4·ln 3 − ln 2: it is not symmetric
        (["1/4", "3/4"], ["1/2", "1/2"], {3: F(3, 4), 2: -1}),
        # 8 = 2³ and 4 = 2² are one base: 1·ln 8 = 3·ln 2
        ([1] + [0] * 7, ["1/8"] * 8, {2: 3}),
    ],
)
def test_values_in_closed_form(p, q, expected):
    assert kl(p, q) == LogSum({base: F(e) for base, e in expected.items()})


def test_it_cannot_tell_the_two_salary_classes_apart():
    """Li et al. 2007, §4: {3k, 4k, 5k} and {6k, 8k, 11k} are both ln 3 from the table; the EMD says 3/8 and 1/6."""
    q = ["1/9"] * 9
    low, spread = [F(0)] * 9, [F(0)] * 9
    for i, j in zip((0, 1, 2), (3, 5, 8), strict=True):
        low[i] = spread[j] = F(1, 3)
    assert kl(low, q) == kl(spread, q) == LogSum({3: F(1)})


@pytest.mark.parametrize(("bound", "above"), [(LN2_40, True), (LN2_40 + F(1, 10**40), False)])
def test_a_rational_threshold_is_decided_forty_digits_deep(bound, above):
    """KL((1, 0), (1/2, 1/2)) = ln 2, against ln 2 cut and rounded up at the fortieth digit."""
    value = kl([1, 0], ["1/2", "1/2"])
    assert (value > bound) is above
    assert (value <= bound) is not above
    assert float(bound) == math.log(2)  # a double sees no difference


# ---------------------------------------------------------------------- all classes


@pytest.mark.long
@given(class_counts(full=True))
def test_per_class_is_the_distance_of_each_class(classes):
    found = KullbackLeibler().over(classes.domain).per_class(classes)
    q = [F(int(c), int(classes.reference.sum())) for c in classes.reference]
    for g in range(len(classes)):
        v = classes.vector(g)
        exact = kl([F(c, sum(v)) for c in v], q)
        assert found[g] == exact
        assert_within(found, g)


@given(class_counts(full=True), st.data())
def test_merging_classes_never_increases_it(classes, data):
    merged = classes.merge(data.draw(partitions(len(classes))))
    measure = KullbackLeibler()
    before, _ = measure.per_class(classes).largest()
    after, _ = measure.per_class(merged).largest()
    assert after <= before


def test_a_value_outside_the_reference_makes_a_class_infinite():
    """Only the classes that carry the value; the other one is a number: ln 2."""
    classes = ClassCounts.from_mapping({"a": {"x": 1, "y": 1}, "b": {"x": 3}, "c": {"z": 2}})
    found = KullbackLeibler().per_class(classes.with_reference([1, 1, 0]))
    assert found[2] == math.inf
    assert found[1] == LogSum({2: F(1)})
    assert found[0] == 0
    value, worst = found.largest()
    assert value == math.inf
    assert worst.tolist() == [2]


@pytest.mark.parametrize("size", [1, 50_000, 2**40])
def test_two_pure_classes_are_ln_2_apart_at_any_size(size):
    classes = ClassCounts.from_mapping({"a": {"x": size}, "b": {"y": size}})
    value, worst = KullbackLeibler().per_class(classes).largest()
    assert value == LogSum({2: F(1)})
    assert worst.tolist() == [0, 1]


@pytest.mark.parametrize(("t", "status"), [(LN2_40, "violated"), (LN2_40 + F(1, 10**40), "satisfied")])
def test_t_closeness_by_this_measure_is_decided_exactly(t, status):
    classes = ClassCounts.from_mapping({"a": {"x": 5}, "b": {"y": 5}})
    result = TCloseness(t, measure=KullbackLeibler()).evaluate(classes)
    assert result.status == status
    assert (result.margin < 0) == (status == "violated")
    assert abs(float(result.margin)) < 1e-39


def test_the_domain_does_not_matter_only_the_masses_do():
    measure = KullbackLeibler()
    assert measure.over(Domain.of("ab")).distance([1, 0], ["1/2", "1/2"]) == measure.distance([0, 1], ["1/2", "1/2"])


def test_the_input_is_not_changed():
    classes = ClassCounts.from_mapping({"a": {"x": 5, "y": 1}, "b": {"y": 5}})
    before = classes.counts.copy()
    KullbackLeibler().per_class(classes)
    assert np.array_equal(classes.counts, before)
