"""The doubles that decide for exact numbers: within their error bound where that is hardest, and of use elsewhere."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, strategies as st

from proofs_tests.filters import assert_spares_exact_values, assert_within
from proofs_tests.measures.every_measure import CLAIMS, few, names
from proofs_tests.strategies import class_counts
from tcloseness.measures import distributions
from tcloseness.measures.distributions import alike, blocks
from tcloseness.microdata import ClassCounts

F = Fraction


def per_class(claims, classes):
    return claims.measure.over(classes.domain).per_class(classes)


FILTERED = [c for c in CLAIMS if hasattr(per_class(c, ClassCounts.from_matrix([[1, 2], [2, 1]])), "error")]
every = pytest.mark.parametrize("claims", FILTERED, ids=names)


@every
@few
@given(classes=class_counts(max_values=5, max_classes=5), above=st.booleans())
def test_a_millionth_from_the_threshold_no_class_is_computed_exactly(claims, classes, above):
    assert_spares_exact_values(per_class(claims, classes), above=above)


@every
@few
@given(
    base=st.lists(st.integers(1, 9), min_size=2, max_size=5),
    change=st.lists(st.integers(-3, 3), min_size=5, max_size=5),
)
@example(base=[1, 2], change=[1, 0, 0, 0, 0])
def test_the_bound_holds_where_a_class_is_nearly_the_reference(claims, base, change):
    """Differences of shares are then as small as the rounding of the shares."""
    reference = [count * 10**13 for count in base]
    near = [count + step for count, step in zip(reference, change, strict=False)]
    classes = ClassCounts.from_matrix(np.array([near]).T).with_reference(reference)
    assert_within(per_class(claims, classes), 0)


@every
@few
@given(row=st.lists(st.integers(1, 10**9), min_size=2, max_size=5), rare=st.integers(1, 9))
@example(row=[1, 10**9 - 7], rare=1)
@example(row=[3, 7], rare=3)
def test_the_bound_holds_where_a_value_is_rare_in_the_reference(claims, row, rare):
    """The rare value's share grows by a factor of up to 10¹⁵."""
    reference = [rare, *(10**15 // 3 + i for i in range(len(row) - 1))]
    classes = ClassCounts.from_matrix(np.array([row]).T).with_reference(reference)
    assert_within(per_class(claims, classes), 0)


@pytest.mark.long
@pytest.mark.parametrize("claims", [c for c in FILTERED if c.ground is None], ids=names)
def test_the_bound_grows_with_the_number_of_terms(claims):
    """m doubles added in any order are within m·2⁻⁵³·Σ|term| of their sum, and the root of a sum within half of that.

    (N. J. Higham, The accuracy of floating point summation, 1993, eq. 2.6.) How numpy adds is not for us to know.
    """
    m = 100_000
    reference = np.full(m, 3)
    reference[0] = 4 * m
    classes = ClassCounts.from_matrix(np.full((m, 1), 7)).with_reference(reference)
    found = per_class(claims, classes)
    assert found.error[0] >= m * 2.0**-54 * found.approximate[0] > 0


@every
def test_equal_distributions_are_compared_once(claims):
    """The counts of the classes are in proportion, so that one of them decides for all."""
    classes = ClassCounts.from_matrix(np.outer([1, 2, 4], [1, 3, 5, 2])).with_reference([1, 1, 1])
    found, asked = per_class(claims, classes), []

    def exact(g):
        asked.append(g)
        return found.exact(g)

    replace(found, exact=exact).compare(F(float(found.floats()[0])))
    assert len(asked) == 1


@pytest.mark.long
@given(m=st.integers(1, 3000), g=st.integers(1, 3000))
@example(m=1, g=3000)
@example(m=3000, g=100)
@example(m=14, g=3000)
def test_a_block_fits_a_cache_or_has_few_classes(m, g):
    """Blocks follow each other without a gap; but for the last, none could be larger."""
    classes = ClassCounts.from_cells(
        ClassCounts.from_matrix(np.eye(m, dtype=int)).domain, list(range(g + 1)), [i % m for i in range(g)], [1] * g
    )
    parts = [(part, matrix) for part, matrix in blocks(classes)]
    assert not classes.has_matrix
    assert [part.start for part, _ in parts] == [0, *(part.stop for part, _ in parts[:-1])]
    assert parts[-1][0].stop == g
    most = max(distributions._BLOCK_CELLS // m, distributions._LEAST_CLASSES)
    for part, matrix in parts:
        assert matrix.shape == (m, part.stop - part.start)
        assert part.stop - part.start == min(most, g - part.start)
        assert matrix.sum() == part.stop - part.start


def test_of_no_class_nothing_is_alike():
    classes = ClassCounts.from_mapping({"a": {0: 1}, "b": {1: 2}})
    assert alike(classes, np.zeros(0, dtype=np.int64), lambda cells: (cells,)).shape == (0,)
