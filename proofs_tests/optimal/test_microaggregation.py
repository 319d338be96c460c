"""Optimal univariate microaggregation: the number of Hansen and Mukherjee's problem, and a second formulation."""

from __future__ import annotations

import json
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from proofs_tests.effort import effort
from proofs_tests.optimal.partitions import set_partitions
from tcloseness.errors import InputError
from tcloseness.optimal.answers import Infeasible, Optimal
from tcloseness.optimal.microaggregation import optimal_microaggregation

numbers = st.one_of(st.integers(-9, 9), st.fractions(-3, 3, max_denominator=7))


def errors(values: list[Fraction], groups: list[list[int]]) -> Fraction:
    total = Fraction(0)
    for group in groups:
        mean = sum((Fraction(values[i]) for i in group), Fraction(0)) / len(group)
        total += sum((Fraction(values[i]) - mean) ** 2 for i in group)
    return total


@effort(1 / 2)
@given(st.lists(numbers, min_size=1, max_size=7), st.integers(1, 3))
def test_no_partition_has_less_error(values: list[Fraction], k: int) -> None:
    found = optimal_microaggregation(values, k)
    ways = [p for p in set_partitions(len(values)) if min(map(len, p)) >= k]
    if not ways:
        assert isinstance(found, Infeasible)
        return
    assert isinstance(found, Optimal)
    groups = [list(g) for g in found.solution.groups]
    assert sorted(i for g in groups for i in g) == list(range(len(values)))
    assert found.objective == errors(values, groups) == min(errors(values, p) for p in ways)


def test_groups_are_not_all_of_one_size() -> None:
    """{1, 2, 3, 4} and {20, 21, 22}: SSE 5 + 2 = 7; with groups of three first, 3 and 4 would split."""
    found = optimal_microaggregation([1, 2, 3, 4, 20, 21, 22], 3)
    assert isinstance(found, Optimal)
    assert found.objective == 7
    assert found.solution.means == (Fraction(5, 2), 21)
    json.dumps(found.to_dict())


def test_k_of_all_is_one_group() -> None:
    found = optimal_microaggregation([1, 3], 2)
    assert isinstance(found, Optimal)
    assert found.objective == 2


def test_k_must_be_a_whole_number() -> None:
    with pytest.raises(InputError, match="k = 0"):
        optimal_microaggregation([1], 0)
