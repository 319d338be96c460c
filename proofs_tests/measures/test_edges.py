"""The batched measures where 64 bits end, where doubles confuse two ratios, and where a sum has many large terms."""

from __future__ import annotations

import math
from fractions import Fraction
from types import SimpleNamespace

import numpy as np
import pytest

from proofs_tests.filters import assert_within
from proofs_tests.measures.every_measure import CLAIMS, names
from tcloseness.measures import KullbackLeibler, ScaledEMD, SmoothedJensenShannon
from tcloseness.measures.distributions import blocks, of_class, of_reference
from tcloseness.measures.protocol import merging_never_increases
from tcloseness.measures.ratio import cell_ratios, greatest_of_cells
from tcloseness.microdata import ClassCounts, Hierarchy

F = Fraction

SIZES = {
    "class counts · reference": ([[2**20]], [2**40] * 16),
    "class counts · reference, of the more frequent value": ([[2**20, 1]], [2**40] * 16),
    "class sizes · reference counts": ([[2**20] * 32], [2**39, *[1] * 31]),
    "only the larger class": ([[1] * 4, [2**40] * 4], [2**21, 3, 5, 7]),
    "only the larger class, by its size": ([[1] * 32, [2**20] * 32], [2**39, *[1] * 31]),
    "only the more frequent value": ([[2**40, 1]], [1, 2**24]),
    "as many records as there can be": ([[2**61, 2**61]], [2**61 - 5, 2**60 + 5]),
}


@pytest.fixture(params=SIZES.values(), ids=SIZES)
def large(request):
    rows, reference = request.param
    matrix = np.zeros((len(reference), len(rows)), dtype=np.int64)
    matrix[: len(rows[0]), :] = np.array(rows).T
    return ClassCounts.from_matrix(matrix).with_reference(reference)


def test_ratios_of_counts_of_any_size_are_exact(large):
    ours, theirs = cell_ratios(large)
    expected = [
        (c * int(large.reference.sum()), int(large.reference[v]) * size)
        for g, size in enumerate(large.class_sizes.tolist())
        for v, c in large.row(g).items()
    ]
    assert list(zip(ours.tolist(), theirs.tolist(), strict=True)) == expected


@pytest.mark.parametrize("claims", CLAIMS, ids=names)
def test_distances_of_counts_of_any_size_are_exact(claims, large):
    found, q = claims.measure.over(large.domain).per_class(large), of_reference(large)
    for g in range(len(large)):
        assert found[g] == claims.measure.over(large.domain).distance(of_class(large, g), q)
        if hasattr(found, "error") and np.isfinite(found.floats()[g]):
            assert_within(found, g)


ALIKE = {
    "one numerator": [(10**17 + 1, 10**17), (10**17 + 2, 10**17)],
    "one denominator": [(10**17, 10**17 - 1), (10**17, 10**17 - 2)],
    "neither": [(10**17 + 1, 10**17), (10**17 + 2, 10**17 + 1)],
    # the first is 1 − 2⁻⁵⁹ and as doubles 2⁶⁰/(2⁶⁰ + 256) = 1 − 2⁻⁵²; the second is 1 − 2⁻⁵³
    "doubles in the wrong order": [(2**60 + 127, 2**60 + 129), (2**53 - 1, 2**53)],
}


@pytest.mark.parametrize("ratios", ALIKE.values(), ids=ALIKE)
@pytest.mark.parametrize("order", [1, -1])
def test_of_ratios_that_doubles_confuse_the_greatest_is_found(ratios, order):
    numerators, denominators = (np.array(part) for part in zip(*ratios[::order], strict=True))
    found = greatest_of_cells(numerators, denominators, ClassCounts.from_matrix([[1], [1]]))
    assert found[0] == max(F(*ratio) for ratio in ratios)


def test_the_bound_of_a_divergence_grows_with_the_size_of_its_terms():
    """m doubles added in any order are within m·2⁻⁵³·Σ|term|, and here nearly all terms are ln 2⁶¹ − ln m.

    (N. J. Higham, The accuracy of floating point summation, 1993, eq. 2.6.)
    """
    m = 300
    classes = ClassCounts.from_matrix(np.full((m, 1), 7)).with_reference([2**61, *[1] * (m - 1)])
    found = KullbackLeibler().per_class(classes)
    assert found.approximate[0] > 0.8 * math.log(2**61)
    assert found.error[0] >= m * 2.0**-53 * found.approximate[0]


def test_blocks_need_no_whole_matrix():
    classes = ClassCounts.from_matrix([[1, 2], [3, 4]])
    sparse = ClassCounts.from_cells(classes.domain, classes.starts, classes.values, classes.counts)
    assert [matrix.tolist() for _, matrix in blocks(sparse)] == [[[1, 2], [3, 4]]]
    assert "matrix" not in vars(sparse)


@pytest.mark.parametrize("convex", [False, True])
def test_merging_is_safe_only_where_the_measure_says_so(convex):
    assert merging_never_increases(SimpleNamespace(convex=convex)) is convex
    assert merging_never_increases(SimpleNamespace(convex=convex, quasi_convex=False)) is convex
    assert merging_never_increases(SimpleNamespace(convex=convex, quasi_convex=True))


def test_the_bound_of_a_scaled_emd_grows_with_the_number_of_cuts():
    """K doubles added in any order are within K·2⁻⁵³ of their sum, relative."""
    classes = ClassCounts.from_matrix(np.array([[9, *[1] * 299]]).T).with_reference([1] * 300)
    found = ScaledEMD("ordered").over(classes.domain).per_class(classes)
    assert found.error[0] >= 299 * 2.0**-53 * found.approximate[0] > 0


@pytest.mark.long
def test_the_bound_of_a_smoothed_divergence_grows_with_the_number_of_values():
    """Smoothed masses are each within 2·(m + 4)·2⁻⁵³ of themselves; there is 2 of them in all."""
    m = 300
    classes = ClassCounts.from_matrix(np.array([[9, *[1] * (m - 1)]]).T).with_reference([1] * m)
    measure = SmoothedJensenShannon("ordered", bandwidth="1/2", renormalise=True)
    assert measure.over(classes.domain).per_class(classes).error[0] >= 2 * (m + 4) * 2.0**-53 * 2


def test_a_value_before_the_set_that_holds_the_whole_reference_is_infinitely_far():
    """In the family {1, 2}: from 0, all mass has to cross a cut with nothing of the reference on its near side."""
    tree = Hierarchy.from_groups([{"a": [0], "b": [1, 2], "c": [3]}])
    classes = ClassCounts.from_matrix([[1, 0, 0], [0, 1, 0], [0, 1, 0], [0, 0, 1]]).with_reference([0, 1, 1, 0])
    found = ScaledEMD(tree).over(classes.domain).per_class(classes)
    assert [found[g] for g in range(3)] == [math.inf, 0, math.inf]
