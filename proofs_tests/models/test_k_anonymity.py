"""k-anonymity: the smallest class."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from proofs_tests.strategies import class_counts
from tcloseness.microdata import ClassCounts
from tcloseness.models import KAnonymity

CLASSES = ClassCounts.from_mapping({"a": {"x": 2, "y": 1}, "b": {"x": 2}, "c": {"y": 4}, "d": {"x": 1, "y": 1}})


@given(class_counts())
def test_the_value_is_the_size_of_the_smallest_class(classes):
    sizes = [sum(classes.vector(g)) for g in range(len(classes))]
    result = KAnonymity().evaluate(classes)
    assert result.value == min(sizes)
    assert result.worst.tolist() == [g for g, n in enumerate(sizes) if n == min(sizes)]
    assert [result.values[g] for g in range(len(classes))] == sizes
    assert result.status == "measured"
    assert result.margin is None


@given(class_counts(), st.integers(1, 10))
def test_a_class_breaks_it_if_it_has_fewer_than_k_records(classes, k):
    sizes = [sum(classes.vector(g)) for g in range(len(classes))]
    result = KAnonymity(k).evaluate(classes)
    assert result.violating.tolist() == [g for g, n in enumerate(sizes) if n < k]
    assert result.records_at_risk == sum(n for n in sizes if n < k)
    assert result.satisfied == (min(sizes) >= k)
    assert result.margin == min(sizes) - k


@pytest.mark.parametrize(
    ("k", "status", "violating", "at_risk", "margin"),
    [
        (1, "satisfied", [], 0, 1),
        (2, "satisfied", [], 0, 0),
        (3, "violated", [1, 3], 4, -1),
        (4, "violated", [0, 1, 3], 7, -2),
    ],
)
def test_an_example_with_classes_of_3_2_4_and_2_records(k, status, violating, at_risk, margin):
    """A class of exactly k records is k-anonymous."""
    result = KAnonymity(k).evaluate(CLASSES)
    assert (result.status, result.violating.tolist(), result.records_at_risk) == (status, violating, at_risk)
    assert result.margin == margin
    assert result.worst.tolist() == [1, 3]


@pytest.mark.parametrize("k", [2, 2.0, "2", Fraction(2), "4/2"])
def test_k_is_read_exactly_however_it_is_written(k):
    assert KAnonymity(k).k == 2
    assert KAnonymity(k) == KAnonymity(2)


@pytest.mark.parametrize("k", [2**53 + 1, 2**63, 10**400])
def test_a_k_beyond_doubles_is_decided_exactly(k):
    """2⁵³ records against 2⁵³ + 1: equal as doubles."""
    classes = ClassCounts.from_mapping({"a": {"x": 2**53}})
    result = KAnonymity(k).evaluate(classes)
    assert result.status == "violated"
    assert result.margin == 2**53 - k
