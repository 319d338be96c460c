"""What an engine is told, and what is missing among the values that it counted."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pytest

from tcloseness.errors import InputError, TableError
from tcloseness.microdata import MISSING, Domain
from tcloseness.microdata.combinations import (
    Combinations,
    Options,
    Origin,
    meaning_missing,
    memory_size,
    missing_texts_of,
    rows_of,
)


@pytest.mark.parametrize(
    ("given", "size"),
    [("1GB", 10**9), ("1 GiB", 2**30), ("1.5kb", 1500), ("7", 7), (7, 7), ("2T", 2 * 10**12), ("1b", 1), (None, None)],
)
def test_an_amount_of_memory_is_bytes_or_a_text_with_a_unit(given: object, size: int | None) -> None:
    assert memory_size(given) == size


@pytest.mark.parametrize("given", ["", "GB", "1 G B", "-1GB", "1e9", "1XB", 0, -1, True, 1.5, 2**63, "9" * 40, "0.1"])
def test_anything_else_is_refused_by_name(given: object) -> None:
    with pytest.raises(InputError, match="memory="):
        memory_size(given)


@pytest.mark.parametrize("threads", [0, -1, True, "2", 1.0])
def test_threads_are_a_whole_number(threads: object) -> None:
    with pytest.raises(InputError, match="threads="):
        Options(threads=threads)  # type: ignore[arg-type]


@pytest.mark.parametrize("texts", ["?", 3, ["?", None]])
def test_the_texts_that_mean_missing_are_a_list_of_texts(texts: object) -> None:
    with pytest.raises(TableError, match="missing_texts"):
        missing_texts_of(texts)


def test_a_number_is_missing_that_a_text_reads_as_whatever_its_type() -> None:
    texts = missing_texts_of(["99", " ? ", "1e1"])
    values = [99, 99.0, Decimal("99.00"), "99", "99.0", 10, True, "?", " ?", MISSING, None, Decimal("sNaN"), 9.9]
    found = [True, True, True, True, False, True, False, True, True, False, False, False, False]
    assert meaning_missing(values, texts) == found


def test_values_that_mean_missing_become_the_missing_value_and_the_others_keep_their_lines() -> None:
    codes, domain = np.array([2, 0, 1, 2, 0]), Domain.of(["?", "a", "b"])
    lines = Combinations({"x": (codes, domain)}, np.array([1, 2, 3, 4, 5]), ("x",), Origin("test", "test"))
    found, target = lines.without(frozenset(["?"])).columns["x"]
    before = [domain.values[code] for code in codes]
    assert [target.values[code] for code in found] == [MISSING if value == "?" else value for value in before]
    assert lines.without(frozenset(["!"])).columns["x"] is lines.columns["x"]


def test_rows_are_counted_by_what_each_line_stands_for() -> None:
    codes = np.array([0, 2, 2])
    assert rows_of(codes, 4, None).tolist() == [1, 0, 2, 0]
    assert rows_of(codes, 4, np.array([2**62, 3, 4])).tolist() == [2**62, 0, 7, 0]
