"""The batched closed form: one exact EMD a class, whichever kernel runs and however large the counts are."""

from __future__ import annotations

from fractions import Fraction
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, strategies as st

from proofs_tests.effort import effort
from proofs_tests.strategies import class_counts, grounds, partitions, sparse_class_counts
from tcloseness.exact import INT64_MAX, Rationals, fits_int64
from tcloseness.ground import Cuts, Equal, Hierarchical, Ordered
from tcloseness.microdata import ClassCounts, Domain, Hierarchy
from tcloseness.transport import batched, compiled, emd
from tcloseness.transport.batched import class_emds

F = Fraction
classes_of_any_kind = st.one_of(class_counts(full=False), sparse_class_counts())


def one_by_one(classes, ground):
    """The oracle: each class by itself, on fractions."""
    total = int(sum(map(int, classes.reference)))
    q = [F(int(c), total) for c in classes.reference]
    vectors = [classes.vector(g) for g in range(len(classes))]
    return [emd([F(c, sum(v)) for c in v], q, ground) for v in vectors]


def values(rationals: Rationals):
    return [rationals[g] for g in range(len(rationals))]


def int64_is_enough(classes, cuts):
    total = int(sum(map(int, classes.reference)))
    return fits_int64(2, max(cuts.total_weight, 1), total, int(classes.class_sizes.max()))


# ---------------------------------------------------------------------- all kernels, one answer


@pytest.mark.long
@given(classes_of_any_kind, st.data())
def test_every_class_gets_the_emd_that_it_has_by_itself(classes, data):
    ground = data.draw(grounds(len(classes.domain)))
    assert values(class_emds(classes, ground.cuts)) == one_by_one(classes, ground)


@pytest.mark.long
@given(classes_of_any_kind, st.data())
def test_all_kernels_give_the_same_whole_numbers(classes, data):
    """Dense and sparse, NumPy or Python ints and machine code: the numerators n·N·D·EMD are equal, not near."""
    ground = data.draw(grounds(len(classes.domain)))
    cuts, n = ground.cuts, int(sum(map(int, classes.reference)))
    scale = n * cuts.denominator
    wanted = [x * int(size) * scale for x, size in zip(one_by_one(classes, ground), classes.class_sizes, strict=True)]
    assert batched._dense(classes, cuts, n, False).tolist() == wanted
    assert batched._sparse(classes, cuts, n, False).tolist() == wanted
    assert not cuts.layers or batched._layered(classes, [cuts], n, False)[0].tolist() == wanted
    if int64_is_enough(classes, cuts):
        dense = (classes.matrix, classes.class_sizes, classes.reference, cuts)
        assert batched._dense(classes, cuts, n, True).tolist() == wanted
        assert batched._sparse(classes, cuts, n, True).tolist() == wanted
        assert not cuts.layers or batched._layered(classes, [cuts], n, True)[0].tolist() == wanted
        assert compiled.dense_work(*dense).tolist() == wanted


@pytest.mark.long
@effort(2 / 3)
@given(sparse_class_counts(max_values=50), st.data())
def test_the_sparse_kernel_walks_any_forest(classes, data):
    """Larger domains, deeper families, few cells: the ways up the forest are long and cross each other."""
    ground = data.draw(grounds(len(classes.domain)))
    layers = mock.patch("tcloseness.ground.cuts._MOST_LAYERS", data.draw(st.sampled_from([0, 0, 16])))
    with mock.patch.object(batched, "_DENSE_VALUES", 0), layers:
        ground.cuts.__dict__.pop("layers", None)
        found = class_emds(classes, ground.cuts)
    assert values(found) == one_by_one(classes, ground)


@pytest.mark.long
@pytest.mark.parametrize("compile_from", [0, 2**60])
@pytest.mark.parametrize("ground", [Ordered(5), Equal(5)], ids=["ordered", "equal"])
def test_more_classes_than_a_tile_are_worked_through_to_the_last(ground, compile_from):
    """1,300 classes are two full tiles of 512 and a part of one; each cell is a different small number."""
    matrix = (np.arange(5 * 1300).reshape(5, 1300) * 7919) % 23
    matrix[0] += 1
    classes = ClassCounts.from_matrix(matrix)
    with mock.patch.object(batched, "_NUMPY_CELLS", compile_from):
        assert values(class_emds(classes, ground.cuts)) == one_by_one(classes, ground)


@effort(1 / 4)
@given(classes_of_any_kind, st.data())
def test_the_input_is_not_changed(classes, data):
    ground = data.draw(grounds(len(classes.domain)))
    before = classes.matrix.copy(), classes.reference.copy()
    class_emds(classes, ground.cuts)
    assert (classes.matrix == before[0]).all()
    assert (classes.reference == before[1]).all()


# ---------------------------------------------------------------------- overflow


@pytest.mark.parametrize(("reference", "dtype"), [(2**62 - 1, np.int64), (2**62, object)])
@pytest.mark.parametrize("sparse", [False, True])
def test_the_overflow_bound_switches_exactly(reference, dtype, sparse):
    """One record of value 0 against N records of value 1, m = 2: EMD 1, and 2·Σw·N·n = 2N.

    2·(2⁶² − 1) = 2⁶³ − 2 fits int64, 2·2⁶² = 2⁶³ does not.
    """
    classes = ClassCounts.from_mapping({"a": {0: 1}}, domain=Domain.declare(range(2)))
    classes = classes.with_reference([0, reference])
    with mock.patch.object(batched, "_DENSE_VALUES", 0 if sparse else 256):
        found = class_emds(classes, Ordered(2).cuts)
    assert found.numerators.dtype == dtype
    assert values(found) == [1]
    assert (2 * reference <= INT64_MAX) == (dtype is np.int64)


@pytest.mark.parametrize(("n", "dtype"), [(2**31 - 1, np.int64), (2**31, object)])
@pytest.mark.parametrize("sparse", [False, True])
def test_products_of_counts_around_2_to_the_31(n, dtype, sparse):
    """n records of value 0 and one of value 1: EMDs 1/(n + 1) and n/(n + 1).

    2·n·(n + 1) is 2⁶³ − 2³² for n = 2³¹ − 1, and more than 2⁶³ for n = 2³¹.
    """
    classes = ClassCounts.from_mapping({"a": {0: n}, "b": {1: 1}}, domain=Domain.declare(range(2)))
    with mock.patch.object(batched, "_DENSE_VALUES", 0 if sparse else 256):
        found = class_emds(classes, Ordered(2).cuts)
    assert found.numerators.dtype == dtype
    assert values(found) == [F(1, n + 1), F(n, n + 1)]


@pytest.mark.parametrize("size", [500, 46_340, 46_341, 50_000, 65_536, 5_000_000, 2**40, 2**60])
def test_two_pure_classes_lie_one_half_from_the_whole_at_any_size(size):
    """Case T15: x below A, z below B. Q = (1/2, 1/2), and half of each class's mass crosses the root: 1/2 · 2/2.

    Squares of counts leave 32 bits at 46,341 and 64 bits at 2³²; 2⁶⁰ is past what doubles hold exactly.
    """
    hierarchy = Hierarchy([("x", "A", "*"), ("z", "B", "*")])
    classes = ClassCounts.from_mapping({"a": {"x": size}, "b": {"z": size}})
    ground = Hierarchical(hierarchy, classes.domain)
    assert values(class_emds(classes, ground.cuts)) == [F(1, 2), F(1, 2)]


@pytest.mark.parametrize("weight", [10**25, F(1, 10**25)])
def test_weights_that_do_not_fit_64_bits_are_exact(weight):
    """Two pure classes of one record each, at distance `weight`: half of the mass moves."""
    from tcloseness.ground import Cuts

    classes = ClassCounts.from_mapping({"a": {0: 1}, "b": {1: 1}}, domain=Domain.declare(range(2)))
    cuts = Cuts.of(range(2), [(0, 1)], [F(weight)])
    assert values(class_emds(classes, cuts)) == [F(weight) / 2] * 2


# ---------------------------------------------------------------------- laws


@given(class_counts(), st.data())
def test_merging_classes_never_increases_t(classes, data):
    """Li et al. 2007, Fact 2 on counts: the worst class of a coarser partition is no farther away."""
    ground = data.draw(grounds(len(classes.domain)))
    merged = classes.merge(data.draw(partitions(len(classes))))
    assert max(values(class_emds(merged, ground.cuts))) <= max(values(class_emds(classes, ground.cuts)))


@pytest.mark.long
@given(class_counts(), st.data())
def test_one_class_alone_is_at_distance_zero(classes, data):
    ground = data.draw(grounds(len(classes.domain)))
    whole = classes.merge([list(range(len(classes)))])
    assert values(class_emds(whole, ground.cuts)) == [0]


@given(class_counts(), st.integers(2, 1000), st.data())
def test_repeating_every_record_changes_nothing(classes, times, data):
    """Only shares count; so the numerators may leave 64 bits and the values stay."""
    ground = data.draw(grounds(len(classes.domain)))
    times = min(times, 2**61 // classes.records) or 1
    repeated = ClassCounts.from_matrix(classes.matrix * times, domain=classes.domain)
    assert values(class_emds(repeated, ground.cuts)) == values(class_emds(classes, ground.cuts))


@pytest.mark.long
@given(class_counts(max_values=5), st.data())
def test_the_order_of_the_classes_changes_nothing(classes, data):
    ground = data.draw(grounds(len(classes.domain)))
    way = data.draw(st.permutations(range(len(classes))))
    permuted = ClassCounts.from_matrix(classes.matrix[:, way], domain=classes.domain)
    found = values(class_emds(classes, ground.cuts))
    assert values(class_emds(permuted, ground.cuts)) == [found[g] for g in way]


@given(class_counts(max_values=5), st.data())
def test_renaming_the_values_changes_nothing_where_they_have_no_order(classes, data):
    way = data.draw(st.permutations(range(len(classes.domain))))
    renamed = ClassCounts.from_matrix(classes.matrix[way])
    cuts = Equal(len(classes.domain)).cuts
    assert values(class_emds(renamed, cuts)) == values(class_emds(classes, cuts))


@given(class_counts(max_values=5), st.integers(0, 5))
def test_a_declared_value_that_never_occurs(classes, place):
    """Equal: nothing changes. Ordered, at the end: the sum stays and m − 1 becomes m."""
    m = len(classes.domain)
    place = min(place, m)
    wider = ClassCounts.from_matrix(np.insert(classes.matrix, place, 0, axis=0))
    assert values(class_emds(wider, Equal(m + 1).cuts)) == values(class_emds(classes, Equal(m).cuts))
    if place == m:
        scaled = [x * Ordered(m).denominator / m for x in values(class_emds(classes, Ordered(m).cuts))]
        assert values(class_emds(wider, Ordered(m + 1).cuts)) == scaled


@pytest.mark.long
def test_single_values_are_summed_as_the_sparse_kernel_sums_them():
    """Cuts of one value each, some values without one, weights that differ, in 64 bits and beyond."""
    draw = np.random.default_rng(5)
    for _ in range(200):
        m, g = int(draw.integers(2, 9)), int(draw.integers(1, 5))
        matrix = draw.integers(0, 3, (m, g)) * draw.choice([1, 10**6])
        matrix[draw.integers(0, m, g), np.arange(g)] += 1
        counts = ClassCounts.from_matrix(matrix)
        classes = ClassCounts.from_cells(counts.domain, counts.starts, counts.values, counts.counts)
        chosen = np.sort(draw.choice(m, int(draw.integers(1, m + 1)), replace=False))
        weights = [int(w) for w in draw.integers(1, 9, len(chosen))]
        cuts = Cuts.of(draw.permutation(m), [(int(v), int(v) + 1) for v in chosen], weights)
        assert cuts.single
        for fits in (True, False):
            total = int(classes.reference.sum())
            mine, theirs = (
                kernel(classes, cuts, total, fits).tolist() for kernel in (batched._singles, batched._sparse)
            )
            assert mine == theirs == batched._dense(classes, cuts, total, fits).tolist()


def test_nested_cuts_are_summed_as_the_sparse_kernel_sums_them():
    """Prefixes of any order of the values, not all of them, weights that differ, and a reference of more records."""
    draw = np.random.default_rng(6)
    for turn in range(300):
        m, g = int(draw.integers(2, 12)), int(draw.integers(1, 5))
        matrix = draw.integers(0, 3, (m, g)) * draw.choice([1, 10**6])
        matrix[draw.integers(0, m, g), np.arange(g)] += 1
        counts = ClassCounts.from_matrix(matrix)
        reference = matrix.sum(axis=1) + draw.integers(0, 4, m) * (turn % 2)
        classes = ClassCounts.from_cells(
            counts.domain, counts.starts, counts.values, counts.counts, reference=reference
        )
        ends = np.sort(draw.choice(np.arange(1, m), int(draw.integers(1, m)), replace=False)).tolist()
        weights = [int(w) for w in draw.integers(1, 9, len(ends))]
        cuts = Cuts.of(draw.permutation(m), [(0, end) for end in ends], weights)
        total = int(reference.sum())
        wanted = batched._dense(classes, cuts, total, False).tolist()
        assert batched._sparse(classes, cuts, total, False).tolist() == wanted
        assert batched._sparse(classes, cuts, total, True).tolist() == wanted
        assert batched._prefixes(classes, [cuts], total)[0].tolist() == wanted


def _cut_families(draw: np.random.Generator, m: int) -> list[list[tuple[int, int]]]:
    ends = np.sort(draw.choice(np.arange(1, m), int(draw.integers(1, m)), replace=False)).tolist()
    middle = int(draw.integers(1, m))
    tree = [(0, middle), (middle, m), *((i, i + 1) for i in range(m))]
    return [[(0, end) for end in ends], [(i, i + 1) for i in range(m)], tree]


@pytest.mark.long
def test_weights_of_any_size_are_summed_exactly_whichever_kernel_sums_their_digits() -> None:
    """The oracle is one family on Python ints; the weights have 1 to 200 bits, those of a family of unlike sizes."""
    draw = np.random.default_rng(17)
    lengths = set()
    for turn in range(240):
        m, g = int(draw.integers(2, 9)), int(draw.integers(1, 5))
        matrix = draw.integers(0, 3, (m, g)) * draw.choice([1, 10**6, 2**35])
        matrix[draw.integers(0, m, g), np.arange(g)] += 1
        dense = ClassCounts.from_matrix(matrix)
        classes = ClassCounts.from_cells(dense.domain, dense.starts, dense.values, dense.counts)
        total = int(dense.reference.sum())
        bits = int(draw.integers(1, 200))
        for sets in _cut_families(draw, m):
            weights = [int(draw.integers(1, 2**62)) << bits >> int(draw.integers(20, 62)) | 1 for _ in sets]
            cuts = Cuts.of(draw.permutation(m), sets, weights)
            oracle = cuts.weighing(cuts.weights.astype(object))
            wanted = batched._dense(dense, oracle, total, False).tolist()
            lengths.add(len(batched._digits(cuts, INT64_MAX // (2 * total * int(dense.class_sizes.max())))))
            with mock.patch.multiple(batched, _DENSE_VALUES=0, _NUMPY_CELLS=turn % 2 * 99):
                for each in (classes, dense):
                    found = class_emds(each, cuts)
                    assert [int(n) for n in found.numerators] == wanted, (sets, weights)
    assert {1, 2, 3, 4} < lengths  # several digits, and as many as there may be, occurred
