"""The rows of frames: every cell of a table, and columns that are added under names of their own."""

from __future__ import annotations

from collections import Counter

import pandas as pd
from hypothesis import given, strategies as st

import tcloseness as tc
from proofs_tests.strategies import tables
from tcloseness.microdata.domain import value_text
from tcloseness.microdata.tidy import cell_of, free_name, rows_of


@given(tables())
def test_a_frame_of_counts_has_every_record(table: pd.DataFrame) -> None:
    counted = tc.FrequencySet.from_frame(table, quasi_identifiers=["q1", "q2"], sensitive="s")
    shown = counted.to_frame()
    assert int(shown["records"].sum()) == counted.records
    classes = counted.class_counts()
    cells = classes.to_frame()
    found, expected = Counter[str](), Counter[str]()
    for value, records in zip(cells["s"], cells["records"], strict=True):
        found[str(value)] += int(records)
    for value, records in zip(classes.domain.values, classes.matrix.sum(axis=1).tolist(), strict=True):
        expected[str(pd.Series([cell_of(value)], dtype=cells["s"].dtype)[0])] += records
    assert found == +expected


@given(st.lists(st.sampled_from(["records", "records_", "zip"]), unique=True))
def test_an_added_column_replaces_none_of_the_tables(taken: list[str]) -> None:
    assert free_name("records", taken) not in taken


def test_a_column_that_is_called_records_stays() -> None:
    frame = pd.DataFrame({"records": ["a", "a"], "suppressed": ["u", "v"]})
    shown = tc.FrequencySet.from_frame(frame, quasi_identifiers="records", sensitive="suppressed").to_frame()
    assert list(shown.columns) == ["records", "suppressed", "suppressed_", "records_"]
    assert shown["records"].tolist() == ["a", "a"]
    assert shown["records_"].tolist() == [1, 1]


def test_rows_hold_the_values_of_their_codes() -> None:
    domain, codes = tc.Domain.numbered(["b", "a", "b"])
    assert [row["x"] for row in rows_of({"x": (domain, codes)}, {})] == ["b", "a", "b"]
    assert cell_of(3) == 3
    assert cell_of(("a", 1)) == value_text(("a", 1))
