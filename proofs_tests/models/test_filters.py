"""The doubles of the entropy: within their bound, of use away from the threshold; and one value for equal shares."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from proofs_tests.filters import assert_spares_exact_values, assert_within
from proofs_tests.strategies import class_counts
from tcloseness.microdata import ClassCounts
from tcloseness.models.l_diversity import entropies

F = Fraction


@given(row=st.lists(st.integers(1, 10**15), min_size=1, max_size=6))
@example(row=[10**15, 1])
@example(row=[1])
def test_the_bound_holds_for_counts_of_every_size(row):
    assert_within(entropies(ClassCounts.from_matrix(np.array([row]).T)))


@pytest.mark.parametrize("count", [1, 3, 7])
def test_the_bound_grows_with_the_number_of_values(count):
    """200,000 equal terms round all the same way as they are added."""
    assert_within(entropies(ClassCounts.from_matrix(np.full((200_000, 1), count))))


@given(classes=class_counts(max_values=6, max_classes=5), above=st.booleans())
def test_a_millionth_from_the_threshold_no_class_is_computed_exactly(classes, above):
    assert_spares_exact_values(entropies(classes), above=above)


@given(
    row=st.lists(st.integers(1, 9), min_size=2, max_size=5),
    order=st.randoms(use_true_random=False),
    times=st.integers(1, 10**6),
)
def test_the_same_shares_in_any_order_are_one_entropy(row, order, times):
    """And classes whose shares differ are not taken for the same."""
    other = order.sample(row, len(row))
    found = entropies(ClassCounts.from_matrix(np.array([row, [times * c for c in other], [*row[:-1], row[-1] + 1]]).T))
    assert found.key(0) == found.key(1)
    assert found.exact(0) == found.exact(1)
    assert (found.key(0) == found.key(2)) == (shares_of(row) == shares_of([*row[:-1], row[-1] + 1]))


def shares_of(row):
    return sorted(F(c, sum(row)) for c in row)
