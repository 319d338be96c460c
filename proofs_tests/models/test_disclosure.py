"""Positive- and negative-disclosure recursive ℓ-diversity, against a definition that tries every elimination."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import combinations

import pytest
from hypothesis import given, strategies as st

from proofs_tests.strategies import class_counts
from tcloseness.microdata import MISSING, ClassCounts
from tcloseness.models import (
    NegativeDisclosure,
    NegativePositiveRecursive,
    PositiveDisclosureRecursive,
    RecursiveCLDiversity,
)

F = Fraction


def one_class(**counts):
    return ClassCounts.from_mapping({"a": counts})


def by_elimination(counts, allowed, l):  # noqa: E741
    """The infimum of c: for every value s not allowed, whichever l − 2 other values are eliminated first,
    n_s < c·(what is left beside s). No ranks, no cases (the text of Machanavajjhala et al. 2006 above Definition
    4.3)."""
    if l == 1:
        return F(0)
    bounds = [F(0)]
    for s, n in enumerate(counts):
        others = [c for i, c in enumerate(counts) if i != s]
        if s in allowed or n == 0:
            continue
        for gone in combinations(range(len(others)), min(l - 2, len(others))):
            rest = sum(c for i, c in enumerate(others) if i not in gone)
            bounds.append(F(n, rest) if rest else math.inf)
    return max(bounds)


def by_the_two_cases(counts, allowed, l, c):  # noqa: E741
    """Machanavajjhala et al. 2006, Definition 4.3 as it is printed, for a class with a value at risk; ties broken by
    the value's number."""
    ranked = sorted(((n, s) for s, n in enumerate(counts) if n), key=lambda pair: (-pair[0], pair[1]))
    r = [n for n, _ in ranked]
    y = next(rank for rank, (_, s) in enumerate(ranked, 1) if s not in allowed)
    if y <= l - 1:
        return r[y - 1] < c * sum(r[l - 1 :])
    return r[y - 1] < c * sum(r[l - 2 : y - 1]) + c * sum(r[y:])


@given(class_counts(max_values=6), st.integers(1, 5), st.data())
def test_pd_recursive_by_trying_every_elimination(classes, l, data):  # noqa: E741
    allowed = data.draw(st.sets(st.integers(0, len(classes.domain) - 1)))
    found = [by_elimination(classes.vector(g), allowed, l) for g in range(len(classes))]
    result = PositiveDisclosureRecursive(l, allowed=allowed).evaluate(classes)
    assert [result.values[g] for g in range(len(classes))] == found
    assert result.value == max(found)


@pytest.mark.long
@given(class_counts(), st.integers(2, 5), st.fractions(0, 5, max_denominator=6).filter(bool), st.data())
def test_pd_recursive_by_the_printed_cases(classes, l, c, data):  # noqa: E741
    allowed = data.draw(st.sets(st.integers(0, len(classes.domain) - 1)))
    result = PositiveDisclosureRecursive(l, c, allowed).evaluate(classes)
    for g in range(len(classes)):
        counts = classes.vector(g)
        at_risk = any(n and s not in allowed for s, n in enumerate(counts))
        holds = by_the_two_cases(counts, allowed, l, c) if at_risk else True
        assert (g in result.violating) is not holds


@pytest.mark.long
@given(class_counts(), st.integers(1, 5), st.fractions(0, 5, max_denominator=6).filter(bool))
def test_with_nothing_allowed_it_is_recursive_c_l(classes, l, c):  # noqa: E741
    plain, pd = RecursiveCLDiversity(l, c=c), PositiveDisclosureRecursive(l, c)
    mine, theirs = pd.evaluate(classes), plain.evaluate(classes)
    assert [mine.values[g] for g in range(len(classes))] == [theirs.values[g] for g in range(len(classes))]
    assert (mine.status, mine.margin) == (theirs.status, theirs.margin)
    assert mine.violating.tolist() == theirs.violating.tolist()


@given(class_counts(), st.integers(1, 5), st.data())
def test_allowing_more_values_never_raises_the_bound(classes, l, data):  # noqa: E741
    codes = st.sets(st.integers(0, len(classes.domain) - 1))
    few = data.draw(codes)
    many = few | data.draw(codes)
    bounds = [PositiveDisclosureRecursive(l, allowed=y).evaluate(classes).value for y in (few, many)]
    assert bounds[1] <= bounds[0]


@pytest.mark.parametrize(
    ("counts", "allowed", "l", "bound"),
    [
        # y = 1 ≤ l − 1: r₁ over r_l + …
        ({"x": 6, "y": 3, "z": 1}, [], 3, F(6)),  # case L01
        ({"x": 6, "y": 3, "z": 1}, [], 2, F(3, 2)),
        # x may be disclosed: y = 2
        ({"x": 6, "y": 3, "z": 1}, ["x"], 3, F(3)),  # 2 ≤ 2: r₂ over r₃
        ({"x": 6, "y": 3, "z": 1}, ["x"], 2, F(3, 7)),  # 2 > 1: r₂ over r₁ + r₃
        # x and y may be disclosed: y = 3
        ({"x": 6, "y": 3, "z": 1}, ["x", "y"], 3, F(1, 3)),  # 3 > 2: r₃ over r₂
        ({"x": 6, "y": 3, "z": 1}, ["x", "y"], 2, F(1, 9)),
        ({"x": 6, "y": 3, "z": 1}, ["x", "y"], 4, math.inf),  # 3 ≤ 3: r₃ over nothing
        # everything may be disclosed
        ({"x": 6, "y": 3, "z": 1}, ["x", "y", "z"], 3, F(0)),
        ({"x": 5}, [], 2, math.inf),
    ],
)
def test_pd_recursive_by_hand(counts, allowed, l, bound):  # noqa: E741
    result = PositiveDisclosureRecursive(l, allowed=allowed).evaluate(one_class(**counts))
    assert result.value == bound


def test_the_inequality_is_strict():
    classes = one_class(x=6, y=3, z=1)
    at = PositiveDisclosureRecursive(3, 3, ["x"]).evaluate(classes)
    assert (at.status, at.margin) == ("violated", 0)
    assert PositiveDisclosureRecursive(3, "3.0000001", ["x"]).evaluate(classes).satisfied


def test_above_c_1_a_harmless_majority_is_enough():
    """The remark of Machanavajjhala et al. 2006: for c > 1 the second case says y > l − 1 and nothing else."""
    classes = one_class(x=6, y=3, z=3)
    assert PositiveDisclosureRecursive(2, "1.0001", ["x"]).evaluate(classes).satisfied
    assert not PositiveDisclosureRecursive(2, "1/3", ["x"]).evaluate(classes).satisfied  # 3 < 1/3·(6 + 3) is false
    assert PositiveDisclosureRecursive(2, "0.3334", ["x"]).evaluate(classes).satisfied


@pytest.mark.parametrize(
    ("counts", "l", "literal"),
    [
        ({"x": 1}, 3, math.inf),  # y = 2 ≤ 2: 0 < c·0 is false
        ({"x": 1}, 2, F(0)),  # y = 2 > 1: 0 < c·r₁
        ({"x": 2, "y": 1}, 3, F(0)),
        ({"x": 2, "y": 1}, 4, math.inf),
    ],
)
def test_a_class_without_any_value_at_risk(counts, l, literal):  # noqa: E741
    """The remark of Machanavajjhala et al. 2006 says satisfied; the definition with r_y = 0 fails where the class has
    fewer than l − 1 values."""
    classes = one_class(**counts)
    for convention, expected in (("satisfied", F(0)), ("literal", literal)):
        model = PositiveDisclosureRecursive(l, 2, ["x", "y"], convention)
        result = model.evaluate(classes)
        assert result.value == expected
        assert result.satisfied is (expected == 0)
        assert result.conventions["no value at risk"] == convention


# ---------------------------------------------------------------------- negative disclosure


@pytest.mark.long
@given(class_counts(), st.fractions(0, 99, max_denominator=4), st.data())
def test_negative_disclosure_by_definition(classes, c2, data):
    protected = data.draw(st.sets(st.integers(0, len(classes.domain) - 1), min_size=1))
    least = [min(F(100 * classes.vector(g)[s], sum(classes.vector(g))) for s in protected) for g in range(len(classes))]
    result = NegativeDisclosure(c2, protected).evaluate(classes)
    assert [result.values[g] for g in range(len(classes))] == least
    assert result.violating.tolist() == [g for g, share in enumerate(least) if share < c2]
    assert result.margin == min(least) - c2
    fraction = NegativeDisclosure(c2 / 100, protected, "fraction").evaluate(classes)
    assert fraction.value == min(least) / 100
    assert fraction.violating.tolist() == result.violating.tolist()


@pytest.mark.long
@given(class_counts(), st.integers(1, 4), st.data())
def test_npd_recursive_is_both_conditions(classes, l, data):  # noqa: E741
    code = st.integers(0, len(classes.domain) - 1)
    allowed, protected = data.draw(st.sets(code)), data.draw(st.sets(code, min_size=1))
    c1, c2 = data.draw(st.fractions("1/4", 4, max_denominator=4)), data.draw(st.integers(0, 40))
    both = NegativePositiveRecursive(l, c1, c2, allowed, protected).evaluate(classes)
    positive = PositiveDisclosureRecursive(l, c1, allowed).evaluate(classes)
    negative = NegativeDisclosure(c2, protected).evaluate(classes)
    assert both.satisfied == (positive.satisfied and negative.satisfied)
    assert both.violating.tolist() == sorted({*positive.violating.tolist(), *negative.violating.tolist()})
    assert (both.value, both.margin) == (positive.value, positive.margin)
    assert [part.value for part in both.parts] == [positive.value, negative.value]


def test_c2_is_in_percent_unless_said_otherwise():
    """hiv fills 1 of 5: 20 percent exactly, and a fifth."""
    classes = one_class(hiv=1, flu=2, cold=2)
    percent = NegativePositiveRecursive(2, 2, 20, protected=["hiv"]).evaluate(classes)
    assert percent.satisfied
    assert percent.parts[1].margin == 0
    assert percent.parameters == {"l": "2", "c1": "2", "allowed": "none", "c2": "20", "protected": "hiv"}
    assert percent.conventions["unit"] == "percent"
    assert not NegativePositiveRecursive(2, 2, "20.01", protected=["hiv"]).evaluate(classes).satisfied
    fraction = NegativePositiveRecursive(2, 2, "1/5", protected=["hiv"], unit="fraction").evaluate(classes)
    assert fraction.satisfied
    assert fraction.conventions["unit"] == "fraction"


def test_a_protected_value_that_does_not_occur_is_ruled_out():
    result = NegativeDisclosure(1, ["hiv", "flu"]).evaluate(one_class(flu=3))
    assert (result.status, result.value) == ("violated", 0)


def test_a_protected_value_named_in_two_ways_is_one_value():
    classes = ClassCounts.from_mapping({"a": {"flu": 1, MISSING: 1}})
    assert NegativeDisclosure(1, ["(missing)", MISSING]).evaluate(classes).value == 50
