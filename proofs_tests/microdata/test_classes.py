"""Class counts: each way to build them, each change of the question, and what they refuse."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from tcloseness.errors import DomainError, InputError, MassError, TableError, TClosenessError
from tcloseness.microdata import MISSING, ClassCounts, Domain

TWO = ClassCounts.from_mapping({"a": {"x": 2, "y": 1}, "b": {"x": 1}})


def test_a_mapping_lists_the_records_of_each_class() -> None:
    assert (len(TWO), TWO.records, TWO.class_sizes.tolist(), TWO.reference.tolist()) == (2, 4, [3, 1], [3, 1])
    assert TWO.matrix.tolist() == [[2, 1], [1, 0]]  # a row a value, a column a class
    assert [TWO.vector(g) for g in range(2)] == [[2, 1], [1, 0]]
    assert [TWO.row(g) for g in range(2)] == [{0: 2, 1: 1}, {0: 1}]
    assert [TWO.label(g) for g in range(2)] == [("a",), ("b",)]
    assert TWO.class_of_cell.tolist() == [0, 0, 1]


def test_a_count_of_zero_is_as_if_it_were_not_there() -> None:
    counts = ClassCounts.from_mapping({"a": {"x": 2, "z": 0}})
    assert counts.domain.values == ("x",)
    assert counts.row(0) == {0: 2}


def test_every_empty_value_is_counted_as_the_one_missing_value() -> None:
    counts = ClassCounts.from_mapping({"a": {None: 1, math.nan: 2, "x": 1}})
    assert counts.vector(0)[counts.domain.code(MISSING)] == 3
    assert counts.records == sum(counts.vector(0)) == 4


def test_a_matrix_has_a_row_for_each_value() -> None:
    counts = ClassCounts.from_matrix([[2, 1, 0], [1, 0, 3]], domain=Domain.declare(["x", "y"]))
    assert counts.class_sizes.tolist() == [3, 1, 3]
    assert counts.reference.tolist() == [3, 4]
    assert counts.has_matrix
    assert counts.label(1) == (1,)


def test_a_matrix_that_the_caller_changes_later_changes_no_counts() -> None:
    matrix = np.array([[2, 1], [1, 1]])
    counts = ClassCounts.from_matrix(matrix)
    matrix[:] = 7
    assert counts.matrix.tolist() == [[2, 1], [1, 1]]


def test_small_dtypes_do_not_overflow() -> None:
    """200 + 100 = 300 does not fit a byte; sums are taken in 64 bits."""
    counts = ClassCounts.from_matrix(np.array([[200], [100]], dtype=np.uint8))
    assert counts.class_sizes.tolist() == [300]


def test_a_hundred_thousand_classes_over_a_hundred_thousand_values_stay_sparse() -> None:
    """One record a class: 10⁵ cells, where a dense matrix would have 10¹⁰."""
    n = 100_000
    counts = ClassCounts.from_cells(
        Domain.declare(range(n)), np.arange(n + 1), np.arange(n)[::-1], np.ones(n, dtype=np.int64)
    )
    assert (len(counts.values), counts.records, counts.has_matrix) == (n, n, False)
    assert counts.row(0) == {n - 1: 1}


# ---------------------------------------------------------------------- another question


def test_another_reference_replaces_q_and_says_why() -> None:
    changed = TWO.with_reference([1, 3], "the census")
    assert changed.reference.tolist() == [1, 3]
    assert changed.conventions["reference distribution"] == "the census"
    assert TWO.reference.tolist() == [3, 1]
    assert changed.matrix.tolist() == TWO.matrix.tolist()


def test_the_uniform_reference_covers_the_values_that_occur() -> None:
    declared = ClassCounts.from_mapping({"a": {"x": 2, "z": 1}}, domain=Domain.declare(["x", "y", "z"]))
    assert declared.with_uniform_reference().reference.tolist() == [1, 0, 1]


def test_merging_adds_the_counts_and_keeps_q() -> None:
    merged = TWO.with_reference([1, 3]).merge([[1, 0]])
    assert merged.vector(0) == [3, 1]
    assert merged.reference.tolist() == [1, 3]


def test_a_class_is_described_without_losing_a_count() -> None:
    """1 and "1" are two values with one text; both stay in the description."""
    counts = ClassCounts.from_mapping({"a": {1: 2, "1": 3}}, domain=Domain.declare([1, "1"]))
    record = counts.describe(0)
    assert record["class"] == {"class": "a"}
    assert record["records"] == sum(record["counts"].values()) == 5
    assert TWO.describe(0) == {"class": {"class": "a"}, "records": 3, "counts": {"x": 2, "y": 1}}


# ---------------------------------------------------------------------- bad input


def matrix(*rows: Any, **options: Any) -> Callable[[], ClassCounts]:
    return lambda: ClassCounts.from_matrix(list(rows), **options)


def mapping(classes: Any, **options: Any) -> Callable[[], ClassCounts]:
    return lambda: ClassCounts.from_mapping(classes, **options)


def cells(starts: list[int], values: list[int], counts: list[int]) -> Callable[[], ClassCounts]:
    return lambda: ClassCounts.from_cells(Domain.declare("xyz"), *map(np.array, (starts, values, counts)))


BAD: list[tuple[Callable[[], object], type[TClosenessError], str]] = [
    (matrix(), MassError, "not empty"),
    (matrix([]), MassError, "not empty"),
    (lambda: ClassCounts.from_matrix(3), MassError, "counts have shape \\(\\)"),
    (lambda: ClassCounts.from_matrix([1, 2]), MassError, "counts have shape \\(2,\\)"),
    (matrix([1, 2], [3]), MassError, "rows of one length"),
    (matrix([1, -2]), MassError, "a count is -2"),
    (matrix([1.0, 2.0]), MassError, "of type float64; counts of records must be whole"),
    (matrix([True, False]), MassError, "of type bool"),
    (matrix(["1", "2"]), MassError, "must be whole numbers"),
    (matrix([1, None]), MassError, "of type object"),
    (matrix([1, 0], [2, 0]), MassError, "a class \\(column\\) has no records"),
    (lambda: ClassCounts.from_matrix(np.array([[2**63 + 1]], dtype=np.uint64)), MassError, "64 bits"),
    (matrix([2**62, 2**62]), MassError, "64 bits"),
    (matrix([1], [2], domain=Domain.declare(["x"])), MassError, "domain has 1 values and the counts have 2 rows"),
    (mapping({}), MassError, "there is no class"),
    (mapping({"a": {}}), MassError, "a class without records"),
    (mapping({"a": {"x": 0}}), MassError, "a class without records"),
    (mapping({"a": {"x": -1}}), MassError, "class 'a' counts -1 records of 'x'"),
    (mapping({"a": {"x": 1.0}}), MassError, "class 'a' counts 1.0 records"),
    (mapping({"a": {"x": True}}), MassError, "class 'a' counts True records"),
    (mapping({"a": {"x": "1"}}), MassError, "class 'a' counts '1' records"),
    (mapping({"a": {"x": 2**70}}), MassError, "64 bits"),
    (mapping({"a": {"x": 2**62}, "b": {"x": 2**62}}), MassError, "64 bits"),
    (mapping({"a": {"x": 1}}, domain=Domain.declare(["y"])), DomainError, "value 'x' is not in the domain"),
    (cells([0, 0], [], []), MassError, "a class without records"),
    (cells([0], [], []), MassError, "there is no class"),
    (cells([0, 2], [0, 1], [1, 0]), MassError, "a count is 0"),
    (lambda: TWO.with_reference([1]), MassError, "1 counts was given for a domain of 2 values"),
    (lambda: TWO.with_reference([1, -1]), MassError, "count ≥ 0"),
    (lambda: TWO.with_reference([0, 0]), MassError, "not all 0"),
    (lambda: TWO.with_reference([0.5, 1.5]), MassError, "whole"),  # type: ignore[list-item]
    (lambda: TWO.with_reference([1, 2**70]), MassError, "64 bits"),
    (lambda: TWO.with_reference([1, None]), InputError, "None"),  # type: ignore[list-item]
    (lambda: TWO.merge([[0]]), TableError, "class 1 is in no group"),
    (lambda: TWO.merge([]), TableError, "class 0 is in no group"),
    (lambda: TWO.merge([[0, 1], [1]]), TableError, "class 1 is unknown or in two groups"),
    (lambda: TWO.merge([[0, 1, 2]]), TableError, "class 2 is unknown"),
    (lambda: TWO.merge([[0, -1]]), TableError, "class -1 is unknown"),
    (lambda: TWO.merge([[0, 0.5]]), TableError, "class 0.5 is unknown"),  # type: ignore[list-item]
    (lambda: TWO.merge([[0, 1], []]), TClosenessError, "without records"),
]


@pytest.mark.parametrize(("call", "error", "fragment"), BAD)
def test_bad_input_is_refused_by_name(call: Callable[[], object], error: type[TClosenessError], fragment: str) -> None:
    with pytest.raises(error, match=fragment):
        call()
