"""Models of relative change: δ-disclosure privacy, β-likeness and exp(ε)-closeness, decided exactly at the boundary."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import chain, combinations

import pandas as pd
import pytest
from hypothesis import given, strategies as st

from proofs_tests.strategies import class_counts, sparse_class_counts
from tcloseness.exact import Bits, LogSum, log_of
from tcloseness.microdata import ClassCounts, FrequencySet
from tcloseness.models import (
    BasicBetaLikeness,
    DeltaDisclosure,
    EnhancedBetaLikeness,
    ExpEpsilonCloseness,
    TCloseness,
)

F = Fraction


def distributions(classes):
    """The classes' distributions and the reference's, as fractions."""
    q = [F(int(c), int(classes.reference.sum())) for c in classes.reference]
    rows = [classes.vector(g) for g in range(len(classes))]
    return [[F(c, sum(row)) for c in row] for row in rows], q


def ratio(p, q, *, skip=False):
    """max over the values of max(p/q, q/p), by the definition; ∞ where one of them only is 0."""
    found = [F(1)]
    for a, b in zip(p, q, strict=True):
        if a and b:
            found.append(max(a / b, b / a))
        elif (a or b) and not (skip and not a):
            return math.inf
    return max(found)


def value_of(result_values, g):
    return result_values[g]


def same_logarithm(value, exact_ratio, kind=LogSum):
    if math.inf in (value, exact_ratio):
        return value == exact_ratio
    return value == kind(log_of(exact_ratio).terms)


# M01: counts a 99/1, b 1/24; the table 100/25
SKEWED = ClassCounts.from_mapping({"a": {"A": 99, "B": 1}, "b": {"A": 1, "B": 24}})

# M02: class b lacks y
LACKING = FrequencySet.from_frame(
    pd.DataFrame({"q": list("aabb"), "s": list("xyxx")}), quasi_identifiers="q", sensitive="s"
).class_counts()


# ---------------------------------------------------------------------- δ-disclosure


@given(st.one_of(class_counts(), sparse_class_counts()), st.sampled_from([2, "e"]), st.booleans())
def test_delta_disclosure_by_definition(classes, base, skip):
    p, q = distributions(classes)
    found = [ratio(row, q, skip=skip) for row in p]
    result = DeltaDisclosure(base=base, absent="skipped" if skip else "infinite").evaluate(classes)
    kind = Bits if base == 2 else LogSum
    assert all(same_logarithm(result.values[g], r, kind) for g, r in enumerate(found))
    assert same_logarithm(result.value, max(found), kind)
    assert result.worst.tolist() == [g for g, r in enumerate(found) if r == max(found)]


@given(class_counts(huge=False, max_values=3), st.integers(0, 5), st.integers(1, 3))
def test_delta_in_bits_is_decided_as_whole_numbers_decide_it(classes, numerator, denominator):
    """log₂ r < a/b if and only if r^b < 2^a; strict, and equality happens."""
    delta = F(numerator + 1, denominator)
    p, q = distributions(classes)
    found = [ratio(row, q, skip=True) for row in p]
    result = DeltaDisclosure(delta, absent="skipped").evaluate(classes)
    holds = [r != math.inf and r**delta.denominator < 2**delta.numerator for r in found]
    assert result.violating.tolist() == [g for g, held in enumerate(holds) if not held]


def test_a_class_that_lacks_a_value_by_each_convention():
    """Case M02: the definition knows no δ; tools that skip it say 1 bit, or ln 2 nats, where δ = 1 fails strictly."""
    assert DeltaDisclosure(10**9).evaluate(LACKING).value == math.inf
    assert DeltaDisclosure(10**9).evaluate(LACKING).status == "violated"
    bits = DeltaDisclosure(absent="skipped").evaluate(LACKING)
    assert bits.value == 1
    assert bits.to_dict()["value"] == "1"
    assert bits.conventions["unit"] == "bits"
    nats = DeltaDisclosure(absent="skipped", base="e").evaluate(LACKING)
    assert nats.value == LogSum({2: F(1)})
    assert math.isclose(float(nats.value), 0.6931471805599453)
    for delta, holds in ((1, False), ("1.01", True), (1 + F(1, 10**30), True)):
        result = DeltaDisclosure(delta, absent="skipped").evaluate(LACKING)
        assert result.satisfied is holds
    assert DeltaDisclosure(1, absent="skipped").evaluate(LACKING).margin == 0


@given(class_counts(), st.fractions("1/4", 3, max_denominator=4))
def test_delta_bounds_t_under_the_equal_distance(classes, delta):
    """q·e^−δ < p < q·e^δ gives ½Σ|p − q| ≤ (e^δ − 1)/(e^δ + 1)."""
    result = DeltaDisclosure(delta, base="e").evaluate(classes)
    if result.satisfied:
        t = float(TCloseness(ground="equal").evaluate(classes).value)
        assert t <= math.tanh(float(delta) / 2) + 1e-12


# ---------------------------------------------------------------------- β-likeness


@given(st.one_of(class_counts(), sparse_class_counts()), st.fractions(0, 4, max_denominator=6))
def test_basic_beta_by_definition(classes, beta):
    p, q = distributions(classes)
    gains = [max([(a - b) / b for a, b in zip(row, q, strict=True) if a > b], default=F(0)) for row in p]
    result = BasicBetaLikeness(beta).evaluate(classes)
    assert [result.values[g] for g in range(len(classes))] == gains
    assert result.violating.tolist() == [g for g, gain in enumerate(gains) if gain > beta]
    assert result.margin == beta - max(gains)


@given(class_counts(), st.fractions(0, 4, max_denominator=6))
def test_enhanced_beta_by_definition(classes, beta):
    """Each value's gain against its own cap, one exact comparison after the other."""
    p, q = distributions(classes)
    result = EnhancedBetaLikeness(beta).evaluate(classes)
    for g, row in enumerate(p):
        gains = [((a - b) / b, b) for a, b in zip(row, q, strict=True) if a > b]
        within = all(not log_of(1 / b).minus(gain).sign < 0 for gain, b in gains)
        expected = max((gain for gain, _ in gains), default=F(0)) if within else math.inf
        assert result.values[g] == expected
        assert (g in result.violating) == (expected > beta)


def test_no_beta_is_enhanced_where_a_gain_exceeds_its_cap():
    """Case M01: gains 19/80 of A in a (cap ln 5/4 = 0.2231) and 19/5 of B in b (cap ln 5 = 1.6094).

    Another tool takes the largest of the caps and reads 1.6094 as a β that holds.
    """
    basic = BasicBetaLikeness().evaluate(SKEWED)
    assert [basic.values[g] for g in range(2)] == [F(19, 80), F(19, 5)]
    assert basic.value == F(19, 5)
    for beta in (None, "1.6095", 4, 10**9):
        enhanced = EnhancedBetaLikeness(beta).evaluate(SKEWED)
        assert enhanced.value == math.inf
        assert enhanced.status == ("measured" if beta is None else "violated")
        assert "no beta" in enhanced.notes[0]


def test_half_and_half_separated_is_beyond_every_enhanced_beta():
    """z = aabb, s = xxyy: gain 1 above −ln ½ = 0.6931; a mild skew is within: gain 1/3 against 0.6931."""
    apart = ClassCounts.from_mapping({"a": {"x": 2}, "b": {"y": 2}})
    assert BasicBetaLikeness(1).evaluate(apart).margin == 0
    assert EnhancedBetaLikeness(1).evaluate(apart).status == "violated"
    mild = ClassCounts.from_mapping({"a": {"x": 2, "y": 1}, "b": {"x": 1, "y": 2}})
    assert EnhancedBetaLikeness("1/3").evaluate(mild).margin == 0
    assert EnhancedBetaLikeness("0.3333").evaluate(mild).status == "violated"


@pytest.mark.parametrize(("share", "cap"), [(F(1, 5), 0.52188758), (F(1, 2), 0.84657359)])
def test_the_caps_of_the_facts(share, cap):
    """f(q) = q·(1 − ln q): 0.52188758 for 1/5 and 0.84657359 for 1/2; a class just below holds, just above does not."""
    assert math.isclose(share * (1 - math.log(share)), cap, abs_tol=1e-8)
    n = 10**6
    for p, holds in ((F(int(cap * n) - 1, n), True), (F(int(cap * n) + 2, n), False)):
        one = {"x": int(p * n), "y": n - int(p * n)}
        classes = ClassCounts.from_mapping({"a": one}).with_reference(
            [share.numerator, share.denominator - share.numerator]
        )
        assert (EnhancedBetaLikeness().evaluate(classes).value < math.inf) is holds


@given(class_counts(), st.fractions(0, 4, max_denominator=6))
def test_enhanced_is_stricter_than_basic(classes, beta):
    if EnhancedBetaLikeness(beta).evaluate(classes).satisfied:
        assert BasicBetaLikeness(beta).evaluate(classes).satisfied


# ---------------------------------------------------------------------- exp(ε)-closeness


def events(m):
    return chain.from_iterable(combinations(range(m), size) for size in range(1, m + 1))


@given(class_counts(max_values=5))
def test_epsilon_by_trying_every_event(classes):
    """Soria-Comas and Domingo-Ferrer 2013, Definition 5 over all sets S, with 0/0 = 0 and x/0 = ∞."""
    p, q = distributions(classes)
    worst = F(1)
    for row in p:
        for event in events(len(q)):
            a, b = sum(row[s] for s in event), sum(q[s] for s in event)
            if a or b:
                worst = max(worst, max(a / b, b / a) if a and b else math.inf)
    result = ExpEpsilonCloseness().evaluate(classes)
    assert same_logarithm(result.value, worst)
    assert result.subject["ratio"] == str(worst)


@given(class_counts(), st.fractions(1, 6, max_denominator=6))
def test_a_threshold_as_a_ratio_is_decided_exactly(classes, bound):
    p, q = distributions(classes)
    result = ExpEpsilonCloseness(ratio=bound).evaluate(classes)
    assert result.violating.tolist() == [g for g, row in enumerate(p) if ratio(row, q) > bound]


def test_the_threshold_as_epsilon_and_as_a_ratio():
    """a = (1/2, 1/2), b = (5/6, 1/6) against (3/4, 1/4): the ratio is 2 exactly, ε = ln 2 = 0.693147180559945309417…"""
    classes = ClassCounts.from_mapping({"a": {"x": 1, "y": 1}, "b": {"x": 5, "y": 1}})
    at = ExpEpsilonCloseness(ratio=2).evaluate(classes)
    assert (at.status, at.margin) == ("satisfied", 0)
    assert at.value == 2
    assert at.further["epsilon"] == LogSum({2: F(1)})
    assert not ExpEpsilonCloseness(ratio="1.9999999999999999999").evaluate(classes).satisfied
    assert ExpEpsilonCloseness("0.693147180559945309418").evaluate(classes).satisfied
    assert not ExpEpsilonCloseness("0.693147180559945309417").evaluate(classes).satisfied
    assert ExpEpsilonCloseness(0).evaluate(classes.merge([[0, 1]])).margin == 0


def test_the_reading_and_its_two_assumptions_stand_in_the_result():
    record = ExpEpsilonCloseness(1).evaluate(LACKING).to_dict()
    assert record["value"] == "inf"
    assert record["status"] == "violated"
    assert "differential privacy" in record["notes"][0]
    assert [note.split(":")[0] for note in record["notes"][1:]] == ["assumption 1", "assumption 2"]


@pytest.mark.parametrize("size", [50_000, 5_000_000, 2**53 + 1])
def test_large_counts_are_compared_exactly(size):
    """Classes (n, n) and (n, n + 1) in n: gains and ratios that doubles confuse with 1."""
    classes = ClassCounts.from_mapping({"a": {"x": size, "y": size}, "b": {"x": size, "y": size + 1}})
    p, q = distributions(classes)
    exact = max(ratio(row, q) for row in p)
    assert ExpEpsilonCloseness(ratio=exact).evaluate(classes).margin == 0
    assert not ExpEpsilonCloseness(ratio=exact - F(1, 10**60)).evaluate(classes).satisfied
    gain = max((a - b) / b for row in p for a, b in zip(row, q, strict=True))
    assert BasicBetaLikeness(gain).evaluate(classes).margin == 0
    assert EnhancedBetaLikeness(gain).evaluate(classes).satisfied
