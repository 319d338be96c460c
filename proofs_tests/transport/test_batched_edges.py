"""The closed forms and kernels on families of cuts that no ground distance of the papers has, and at every size."""

from __future__ import annotations

from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, strategies as st

from proofs_tests.effort import effort
from proofs_tests.strategies import laminar_cuts
from tcloseness.exact import fits_int64
from tcloseness.ground import Cuts, Ordered
from tcloseness.microdata import ClassCounts
from tcloseness.transport import batched, compiled
from tcloseness.transport.closed_forms import cut_work

F = Fraction


@st.composite
def cut_families(draw):
    """Any laminar family, or some prefixes with gaps between them."""
    m = draw(st.integers(2, 9))
    if draw(st.booleans()):
        return draw(laminar_cuts(m))
    ends = sorted(draw(st.sets(st.integers(1, m - 1), min_size=1)))
    weights = draw(st.lists(st.fractions(1, 5, max_denominator=3), min_size=len(ends), max_size=len(ends)))
    return Cuts.of(draw(st.permutations(range(m))), [(0, end) for end in ends], weights)


def works(classes, cuts):
    """The numerators, by the sum over the sets as it is defined."""
    reference = [int(c) for c in classes.reference]
    found = []
    for g in range(len(classes)):
        vector = classes.vector(g)
        work = 0
        for low, high, weight in zip(cuts.low.tolist(), cuts.high.tolist(), cuts.weights.tolist(), strict=True):
            inside = cuts.order[low:high].tolist()
            ours, theirs = sum(vector[v] for v in inside), sum(reference[v] for v in inside)
            work += weight * abs(ours * sum(reference) - theirs * sum(vector))
        found.append(work)
    return found


def counts(m, g, most=9, seed=5):
    matrix = np.random.default_rng(seed).integers(0, most, size=(m, g))
    matrix[0] += 1
    return ClassCounts.from_matrix(matrix)


@effort(1 / 2)
@given(cuts=cut_families(), g=st.sampled_from([1, 2, 511, 512, 513, 1030]))
def test_the_compiled_sum_is_that_of_the_definition_for_any_family(cuts, g):
    """Tiles hold 512 classes: below, at and past one and two of them."""
    classes = counts(len(cuts.order), g)
    found = compiled.dense_work(classes.matrix, classes.class_sizes, classes.reference, cuts)
    assert found.tolist() == works(classes, cuts)


@pytest.mark.parametrize(
    "sets",
    [[(0, 2), (0, 5)], [(0, 3)], [(0, 1), (0, 4), (0, 6)], [(1, 2), (3, 5)], [(1, 2), (1, 5)], [(0, 1), (2, 4)]],
    ids=str,
)
@pytest.mark.parametrize("weight", [F(1), F(3)])
def test_prefixes_with_gaps_and_sets_that_begin_anywhere(sets, weight):
    """With gaps, places are passed that no set ends at; without a first prefix, nothing is a running sum."""
    cuts = Cuts.of(range(7), sets, [weight, *[F(1)] * (len(sets) - 1)])
    classes = counts(7, 1100)
    found = compiled.dense_work(classes.matrix, classes.class_sizes, classes.reference, cuts)
    assert found.tolist() == works(classes, cuts)


@effort(1 / 2)
@given(
    cuts=cut_families(),
    dense_values=st.sampled_from([0, 10**9]),
    numpy_cells=st.sampled_from([0, 10**9]),
    factor=st.sampled_from([1, 10**9, 10**15]),
)
def test_whichever_way_is_taken_nothing_overflows(cuts, dense_values, numpy_cells, factor):
    """Every way, with counts for which 64 bits are enough and are not."""
    base = counts(len(cuts.order), 5)
    classes = ClassCounts.from_matrix(np.asarray(base.matrix) * factor)
    with (
        mock.patch.object(batched, "_DENSE_VALUES", dense_values),
        mock.patch.object(batched, "_NUMPY_CELLS", numpy_cells),
    ):
        found = batched.class_emds(classes, cuts)
    total = int(classes.reference.sum())
    for g, work in enumerate(works(classes, cuts)):
        assert found[g] == F(work, total * int(classes.class_sizes[g]) * cuts.denominator)
    if factor == 10**15 and len(cuts):
        assert not fits_int64(2, cuts.total_weight, total, int(classes.class_sizes.max()))


def test_what_is_as_wide_as_the_domain_is_not_made_where_most_of_it_is_empty():
    """Past the values for which the dense form is meant, a sparse table gets no matrix; one that has it keeps it."""
    m = batched._DENSE_VALUES + 1
    for values, made in ((m - 1, True), (m, False)):
        cells = ClassCounts.from_cells(
            counts(values, 1).domain, [0, 1, 2], [0, values - 1], [2, 3], reference=np.ones(values, dtype=np.int64)
        )
        with mock.patch.object(batched, "_dense", wraps=batched._dense) as dense:
            batched.class_emds(cells, Ordered(values).cuts)
        assert dense.called == made
    matrix = counts(m, 2)
    assert matrix.has_matrix
    with mock.patch.object(batched, "_dense", wraps=batched._dense) as dense:
        batched.class_emds(matrix, Ordered(m).cuts)
    assert dense.called


@pytest.mark.parametrize("compiles", [True, False])
def test_code_is_loaded_only_for_what_is_large(compiles):
    """At the bound NumPy still does it; one class more, and it is compiled."""
    classes = counts(4, 6)
    with (
        mock.patch.object(batched, "_NUMPY_CELLS", 4 * 6 - compiles),
        mock.patch.object(compiled, "dense_work", wraps=compiled.dense_work) as work,
    ):
        batched.class_emds(classes, Ordered(4).cuts)
    assert work.called == compiles


def test_without_cuts_every_class_has_the_sum_zero():
    nothing = cut_work([np.arange(3), np.arange(3)], Cuts.of(range(2), [], []))
    assert nothing.tolist() == [0, 0, 0]
