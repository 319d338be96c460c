"""Least variability of the sensitive values: the optimal partition of numbers, and the classes made of it."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given, strategies as st

from proofs_tests.anonymize.cases import Case, cases
from tcloseness.anonymize import confidential_microaggregation, two_tables
from tcloseness.errors import InfeasibleError, InputError
from tcloseness.microdata import Hierarchy, Microdata
from tcloseness.models import DistinctLDiversity, KAnonymity
from tcloseness.release import optimal_groups, within_groups

VALUES = (1, 2, 3, 4, 20, 21, 22)


def all_partitions(items: list[int]):
    if not items:
        yield []
        return
    first, rest = items[0], items[1:]
    for partition in all_partitions(rest):
        for i in range(len(partition)):
            yield [*partition[:i], [first, *partition[i]], *partition[i + 1 :]]
        yield [[first], *partition]


@given(
    st.lists(st.one_of(st.integers(-5, 5), st.fractions(-3, 3, max_denominator=4)), min_size=1, max_size=7),
    st.integers(1, 4),
)
def test_no_partition_into_groups_of_k_varies_less(values, k):
    """Against all partitions of up to seven numbers, of any shape."""
    if len(values) < k:
        with pytest.raises(InputError, match="lower k"):
            optimal_groups(values, k)
        return
    groups = optimal_groups(values, k)
    assert sorted(i for group in groups for i in group) == list(range(len(values)))
    assert all(k <= len(group) < 2 * k for group in groups)
    least = min(
        within_groups(values, partition)
        for partition in all_partitions(list(range(len(values))))
        if min(map(len, partition)) >= k
    )
    assert within_groups(values, groups) == least


@given(st.lists(st.integers(0, 2), min_size=1, max_size=8), st.integers(1, 3))
def test_among_equally_good_groups_the_last_ones_are_smallest(values, k):
    """Also the order of equal values, which stay as they are given."""
    order = sorted(range(len(values)), key=values.__getitem__)
    found = []
    for cuts in range(2 ** (len(values) - 1)):
        ends = [place for place in range(1, len(values)) if cuts >> place - 1 & 1] + [len(values)]
        groups = [order[low:high] for low, high in zip([0, *ends], ends, strict=False)]
        if all(k <= len(group) < 2 * k for group in groups):
            found.append((within_groups(values, groups), [len(group) for group in reversed(groups)], groups))
    if found:
        assert optimal_groups(values, k) == min(found)[2]


def test_at_least_three_is_not_exactly_three():
    """Case M10: {1,2,3,4}, {20,21,22} have SSE 5 + 2 = 7; three and the rest 2 + 218.75 = 220.75."""
    assert optimal_groups(VALUES, 3) == [[0, 1, 2, 3], [4, 5, 6]]
    assert within_groups(VALUES, optimal_groups(VALUES, 3)) == 7
    assert within_groups(VALUES, [[0, 1, 2], [3, 4, 5, 6]]) == Fraction(883, 4)


@given(cases(), st.integers(1, 4))
def test_with_k_alone_the_classes_vary_as_little_as_any(case, k):
    if len(case.rows) < k:
        return
    found = confidential_microaggregation(case.table, KAnonymity(k), case.hierarchies)
    values = [row[-1] for row in case.rows]
    least = within_groups(values, optimal_groups(values, k))
    assert within_groups(values, [g.tolist() for g in found.grouped.groups]) == least
    assert Fraction(found.done["variability within classes"]) == least
    assert found.done["mergers"] == 0
    assert two_tables(found.grouped, KAnonymity(k)).verdict.satisfied


def test_diversity_is_bought_with_variability():
    """Pairs of equal salaries vary not at all and disclose; merged for two values, neighbours come together."""
    frame = pd.DataFrame({"x": [1, 2, 3, 4, 5, 6], "salary": [1, 1, 2, 2, 9, 10]})
    table = Microdata.from_frame(frame, quasi_identifiers="x", sensitive="salary")
    alone = confidential_microaggregation(table, KAnonymity(2))
    assert alone.done["variability within classes"] == "1/2"
    diverse = confidential_microaggregation(table, KAnonymity(2) & DistinctLDiversity(2))
    assert [g.tolist() for g in diverse.grouped.groups] == [[0, 1, 2, 3], [4, 5]]
    assert diverse.done["variability within classes before mergers"] == "1/2"
    assert diverse.done["variability within classes"] == "3/2"


def test_values_with_a_hierarchy_or_without_order_go_by_their_distance():
    """By the tree flu is nearer to asthma than to ulcer; without it all are alike, and equal ones come together."""
    tree = Hierarchy.from_groups([{"lung": ["flu", "asthma"], "stomach": ["ulcer", "colic"]}])
    frame = pd.DataFrame({"x": [1, 2, 3, 4], "s": ["flu", "ulcer", "asthma", "colic"]})
    table = Microdata.from_frame(frame, quasi_identifiers="x", sensitive="s")
    found = confidential_microaggregation(table, KAnonymity(2), {"s": tree})
    assert [g.tolist() for g in found.grouped.groups] == [[0, 2], [1, 3]]
    twice = pd.DataFrame({"x": [1, 2, 3, 4], "s": ["flu", "ulcer", "flu", "ulcer"]})
    plain = Microdata.from_frame(twice, quasi_identifiers="x", sensitive="s")
    again = confidential_microaggregation(plain, KAnonymity(2))
    assert [g.tolist() for g in again.grouped.groups] == [[0, 2], [1, 3]]


def test_a_declared_order_counts_as_ranks():
    frame = pd.DataFrame({"x": [1, 2, 3, 4], "s": ["low", "top", "middle", "high"]})
    order = {"s": ["low", "middle", "high", "top"]}
    table = Microdata.from_frame(frame, quasi_identifiers="x", sensitive="s", orders=order)
    found = confidential_microaggregation(table, KAnonymity(2))
    assert [g.tolist() for g in found.grouped.groups] == [[0, 2], [1, 3]]
    assert found.done["variability within classes"] == "1"


def test_more_records_than_there_are_cannot_be_in_a_class():
    case = Case(("n0",), [(1, 0), (2, 1)], {})
    with pytest.raises(InfeasibleError, match="k = 3"):
        confidential_microaggregation(case.table, DistinctLDiversity(1), k=3)
