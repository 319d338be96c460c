"""Dense and sparse counts are the same counts; merging is addition."""

from __future__ import annotations

from typing import Any

import numpy as np
from hypothesis import given, strategies as st

from proofs_tests.strategies import class_counts, class_mappings, counts_matrix, partitions
from tcloseness.microdata import ClassCounts, Domain

Matrix = np.ndarray[Any, np.dtype[np.int64]]


@given(counts_matrix())
def test_a_matrix_is_read_back_from_either_form(matrix: Matrix) -> None:
    """Sums are compared as Python ints, which can't overflow."""
    dense = ClassCounts.from_matrix(matrix)
    sparse = ClassCounts.from_cells(dense.domain, dense.starts, dense.values, dense.counts)
    whole = matrix.astype(object)
    for counts in (dense, sparse):
        assert counts.matrix.tolist() == matrix.tolist()
        assert counts.class_sizes.tolist() == whole.sum(axis=0).tolist()
        assert counts.reference.tolist() == whole.sum(axis=1).tolist()
        assert counts.records == whole.sum()
        assert [counts.vector(g) for g in range(len(counts))] == matrix.T.tolist()
        assert (counts.counts > 0).all()
    assert (dense.has_matrix, sparse.has_matrix) == (True, False)


@given(class_mappings())
def test_a_mapping_is_read_back_as_it_was(classes: dict[str, dict[str, int]]) -> None:
    counts = ClassCounts.from_mapping(classes)
    back = {
        counts.label(g)[0]: {counts.domain.values[v]: n for v, n in counts.row(g).items()} for g in range(len(counts))
    }
    assert back == {c: {v: n for v, n in row.items() if n} for c, row in classes.items()}
    assert counts.records == sum(n for row in classes.values() for n in row.values())


@given(class_mappings(), st.data())
def test_the_order_of_a_mapping_orders_the_classes_and_nothing_else(
    classes: dict[str, dict[str, int]], data: st.DataObject
) -> None:
    shuffled = {c: dict(data.draw(st.permutations(list(row.items())))) for c, row in classes.items()}
    one, other = ClassCounts.from_mapping(classes), ClassCounts.from_mapping(shuffled)
    assert one.domain == other.domain
    assert one.matrix.tolist() == other.matrix.tolist()
    assert [one.label(g) for g in range(len(one))] == [(c,) for c in classes]


@given(st.data())
def test_merged_classes_have_the_sum_of_their_counts(data: st.DataObject) -> None:
    counts = data.draw(class_counts())
    groups = data.draw(partitions(len(counts)))
    merged = counts.merge(groups)
    vectors = [[counts.vector(g) for g in group] for group in groups]
    assert [merged.vector(i) for i in range(len(groups))] == [
        [sum(column) for column in zip(*rows, strict=True)] for rows in vectors
    ]
    assert merged.reference.tolist() == counts.reference.tolist()
    assert merged.records == counts.records


@given(st.data())
def test_merging_in_two_steps_is_merging_once(data: st.DataObject) -> None:
    counts = data.draw(class_counts())
    first = data.draw(partitions(len(counts)))
    second = data.draw(partitions(len(first)))
    at_once = counts.merge([[g for i in group for g in first[i]] for group in second])
    assert counts.merge(first).merge(second).matrix.tolist() == at_once.matrix.tolist()


@given(class_counts(), st.data())
def test_a_reference_changes_no_class(counts: ClassCounts, data: st.DataObject) -> None:
    m = len(counts.domain)
    given_counts = data.draw(st.lists(st.integers(0, 2**55), min_size=m, max_size=m).filter(any))
    changed = counts.with_reference(given_counts)
    assert changed.reference.tolist() == given_counts
    assert changed.matrix.tolist() == counts.matrix.tolist()


@given(class_counts(full=False))
def test_a_description_counts_every_record(counts: ClassCounts) -> None:
    for g in range(len(counts)):
        record = counts.describe(g)
        assert record["records"] == sum(record["counts"].values()) == int(counts.class_sizes[g])


@given(st.sets(st.integers(0, 40), min_size=1, max_size=8))
def test_a_declared_domain_keeps_values_that_no_class_has(used: set[int]) -> None:
    counts = ClassCounts.from_mapping({"all": dict.fromkeys(used, 1)}, domain=Domain.declare(range(41)))
    assert counts.vector(0) == [int(v in used) for v in range(41)]
