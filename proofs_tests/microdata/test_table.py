"""Reading a frame: roles, missing cells, look-alikes, suppressed records, weights; nothing is guessed or dropped."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import Any

import numpy as np
import pandas as pd
import pytest

from tcloseness.errors import DomainError, TableError, TableWarning, TClosenessError
from tcloseness.microdata import MISSING, FrequencySet, Microdata
from tcloseness.microdata.sources.pandas import factorize


def frame(columns: str, *rows: tuple[Any, ...]) -> pd.DataFrame:
    return pd.DataFrame(list(rows), columns=columns.split(), dtype=object)


def read(table: pd.DataFrame, **options: Any) -> Microdata:
    return Microdata.from_frame(table, **{"quasi_identifiers": "q", "sensitive": "s", **options})


def sizes(table: pd.DataFrame, **options: Any) -> list[int]:
    counts = FrequencySet.of(read(table, **options)).class_counts()
    return sorted(counts.class_sizes.tolist(), reverse=True)


ONE_GAP = frame("q s", ("a", "x"), ("a", "y"), ("a", "z"), (None, "w"))


# ---------------------------------------------------------------------- missing cells


def test_a_missing_cell_is_an_error_that_names_column_and_rows() -> None:
    """pycanon answers k = 3: the row with the empty cell vanishes and the table looks safer than it is."""
    with pytest.raises(TableError, match=r"column 'q' has 1 row\(s\) with a missing value"):
        read(ONE_GAP)


def test_a_missing_cell_may_be_a_category() -> None:
    assert sizes(ONE_GAP, missing="category") == [3, 1]
    table = read(ONE_GAP, missing="category")
    assert MISSING in table.quasi_identifiers[0].domain
    assert table.conventions["missing values"] == "category"


def test_a_dropped_row_is_counted_and_reported() -> None:
    table = read(ONE_GAP, missing="drop")
    assert (sizes(ONE_GAP, missing="drop"), table.dropped, len(table)) == ([3], 1, 3)
    assert table.conventions["missing values"] == "drop"
    assert "w" not in table.sensitive[0].domain  # a value that only dropped rows carry doesn't occur


def test_a_blank_is_one_more_value_of_the_key() -> None:
    """Five rows of three quasi-identifiers, one cell blank, own category: classes of 2, 2 and 1."""
    rows = [("N", "s", "30"), ("N", "m", "30"), ("N", "m", "30"), ("N", "s", "30"), ("N", None, "30")]
    table = frame("city status band s", *((*row, "x") for row in rows))
    names = ["city", "status", "band"]
    assert sizes(table, quasi_identifiers=names, missing="category") == [2, 2, 1]


@pytest.mark.parametrize("empty", [None, math.nan, pd.NA, pd.NaT, np.float64("nan"), Decimal("NaN")])
@pytest.mark.parametrize("column", ["q", "s"])
def test_every_kind_of_empty_cell_is_missing(empty: Any, column: str) -> None:
    table = frame("q s", ("a", "x"), ("a", "x"), ("b", "y"))
    table.loc[1, column] = empty
    table.loc[2, column] = None
    with pytest.raises(TableError, match=rf"column '{column}' has 2 row\(s\)"):
        read(table)
    assert read(table, missing="drop").dropped == 2


@pytest.mark.parametrize(
    "column",
    [
        pd.Series([1.0, None, 2.0, None]),
        pd.Series([1, None, 2, None], dtype="Int64"),
        pd.Series([True, None, False, None], dtype="boolean"),
        pd.Series(["a", None, "b", None], dtype="string"),
        pd.Series(["a", None, "b", None], dtype="category"),
        pd.Series(pd.to_datetime(["2020-01-01", None, "2020-01-02", None])),
        pd.Series(pd.to_datetime(["2020-01-01", None, "2020-01-02", None], utc=True)),
        pd.Series([pd.Timedelta(1), None, pd.Timedelta(2), None]),
    ],
    ids=lambda c: str(c.dtype),
)
def test_a_missing_cell_is_found_in_every_dtype(column: pd.Series[Any]) -> None:
    table = pd.DataFrame({"q": column, "s": ["x", "y", "x", "z"]})
    assert sizes(table, missing="category") == [2, 1, 1]
    assert sizes(table, missing="drop") == [1, 1]


def test_an_unused_column_may_have_missing_cells() -> None:
    assert sizes(ONE_GAP.assign(other=None), missing="category") == [3, 1]


def test_all_missing_is_one_category_or_nothing_left() -> None:
    table = frame("q s", (None, "x"), (None, "y"))
    assert sizes(table, missing="category") == [2]
    with pytest.raises(TableError, match="no records left: all 2 have a missing value"):
        read(table, missing="drop")


# ---------------------------------------------------------------------- one value or two


def test_a_number_its_text_and_a_truth_value_stay_apart_with_a_warning() -> None:
    """pycanon is right here; QIDLearningLib casts to text and merges 1 with "1"."""
    table = frame("q s", (1, "x"), ("1", "x"), (1, "y"), ("1", "y"), (True, "x"), (True, "x"), (True, "z"))
    with pytest.warns(TableWarning, match=r"column 'q' has 1 group.*: 1 \(2 row\(s\)\) and '1' \(2 row\(s\)\)"):
        assert sizes(table) == [3, 2, 2]


def test_one_number_in_two_types_is_one_value() -> None:
    """QIDLearningLib splits 1 from 1.0 (k = 1)."""
    assert sizes(frame("q s", (1, "x"), (1.0, "x"), (np.int64(1), "y"), (2, "x"), (2.0, "y"))) == [3, 2]


def test_blanks_and_case_make_another_value_with_a_warning() -> None:
    table = frame("q s", ("a", "x"), ("a ", "x"), ("A", "x"), ("a", "y"))
    with pytest.warns(TableWarning) as caught:
        assert sizes(table) == [2, 1, 1]
    (told,) = [str(warned.message) for warned in caught]
    assert "'A' (1 row(s)) and 'a' (2 row(s)) and 'a ' (1 row(s))" in told
    assert "count as different values" in told


@pytest.mark.parametrize("column", ["q", "s"])
def test_look_alikes_are_warned_of_in_every_column_with_a_role(column: str) -> None:
    table = frame("q s", ("a", "x"), ("b", "y"))
    table.loc[2] = {"q": "b", "s": "y"} | {column: {"q": "b ", "s": "Y"}[column]}
    with pytest.warns(TableWarning, match=f"column '{column}'"):
        read(table)


def test_the_code_of_a_value_comes_from_its_order_and_not_from_its_row() -> None:
    table = read(frame("q s", ("b", 10), ("a", 9), ("b", 11)))
    assert table.quasi_identifiers[0].codes.tolist() == [1, 0, 1]
    assert table.sensitive[0].domain.values == (9, 10, 11)
    assert table.sensitive[0].codes.tolist() == [1, 0, 2]


# ---------------------------------------------------------------------- declared orders and domains


def test_a_declared_order_ranks_the_values_that_occur() -> None:
    table = read(frame("q s", ("a", "high"), ("a", "low")), orders={"s": ["low", "mid", "high"]})
    assert table.sensitive[0].domain.values == ("low", "high")
    assert table.sensitive[0].codes.tolist() == [1, 0]


def test_a_declared_domain_counts_values_that_never_occur() -> None:
    table = frame("q s", ("a", "high"), ("a", "low"))
    counts = FrequencySet.of(read(table, domains={"s": ["low", "mid", "high"]})).class_counts()
    assert counts.domain.values == ("low", "mid", "high")
    assert counts.reference.tolist() == [1, 0, 1]
    assert counts.conventions["domain"] == "declared"


# ---------------------------------------------------------------------- suppressed records

REREAD = frame(
    "age sex zip s",
    ("<50", "f", "81*", "x"),
    ("<50", "m", "81*", "x"),
    (">=50", "m", "81*", "x"),
    ("*", "*", "*", "y"),
    ("<50", "f", "81*", "x"),
    (">=50", "m", "81*", "x"),
    ("<50", "m", "81*", "x"),
)
KEYS = ["age", "sex", "zip"]


def test_a_declared_marker_takes_suppressed_records_out_of_the_classes() -> None:
    """The saved table of arx#259 read again: 3 classes of 2 and one suppressed record."""
    counts = FrequencySet.of(read(REREAD, quasi_identifiers=KEYS, suppressed="*")).class_counts()
    assert counts.class_sizes.tolist() == [2, 2, 2]
    assert (counts.suppressed, counts.records) == (1, 6)
    assert counts.conventions["suppressed records"] == "marked '*'"


def test_an_undeclared_marker_is_a_class_with_a_warning() -> None:
    with pytest.warns(TableWarning, match=r"1 record\(s\) have '\*' in every quasi-identifier"):
        assert sizes(REREAD, quasi_identifiers=KEYS) == [2, 2, 2, 1]


def test_a_marker_in_some_quasi_identifiers_is_a_generalization() -> None:
    table = read(REREAD.assign(sex="*"), quasi_identifiers=KEYS, suppressed="*")
    assert table.suppressed.tolist() == [False, False, False, True, False, False, False]
    half = REREAD.copy()
    half.loc[3, "sex"] = "f"
    assert not read(half, quasi_identifiers=KEYS, suppressed="*").suppressed.any()


def test_a_fully_generalized_table_is_one_class_or_nothing() -> None:
    """Every cell is `*`: without a marker one class, with it nothing is released, which is an error and not k = n."""
    table = frame("q s", ("*", "x"), ("*", "y"))
    assert sizes(table) == [2]
    with pytest.raises(TableError, match="every record carries the marker"):
        read(table, suppressed="*")


def test_a_marker_that_never_occurs_marks_nothing() -> None:
    assert not read(frame("q s", ("a", "x")), suppressed="*").suppressed.any()


def test_a_marker_is_of_one_type() -> None:
    table = frame("q s", (0, "x"), ("zero", "y"))
    assert read(table, suppressed=0).suppressed.tolist() == [True, False]
    assert not read(table, suppressed="0").suppressed.any()


# ---------------------------------------------------------------------- weights and no quasi-identifiers


@pytest.mark.parametrize(
    "weights",
    [
        [2, 3],
        [2.0, 3.0],
        ["2", "3"],
        [np.int64(2), np.int64(3)],
        [Decimal(2), Decimal(3)],
        pd.array([2, 3], dtype="Int64"),
        np.array([2, 3], dtype=np.uint8),
    ],
)
def test_a_weight_is_a_whole_number_however_it_is_held(weights: Any) -> None:
    table = frame("q s", ("a", "x"), ("a", "y")).assign(w=weights)
    assert FrequencySet.of(read(table, weight="w")).class_counts().reference.tolist() == [2, 3]


def test_without_quasi_identifiers_the_table_is_one_class() -> None:
    assert sizes(ONE_GAP.dropna(), quasi_identifiers=[]) == [3]


def test_columns_may_be_labelled_by_numbers() -> None:
    table = pd.DataFrame([["a", "x"], ["a", "y"]])
    assert sizes(table, quasi_identifiers=[0], sensitive=1) == [2]


# ---------------------------------------------------------------------- bad input

PLAIN = frame("q s", ("a", "x"), ("b", "y"))
TWICE = pd.DataFrame([["a", "b", "x"]], columns=["q", "q", "s"])


def with_weights(*weights: Any) -> Callable[[], object]:
    return lambda: read(PLAIN.assign(w=pd.Series(weights, dtype=object)), weight="w")


BAD: list[tuple[Callable[[], object], type[TClosenessError], str]] = [
    (lambda: read({"q": ["a"], "s": ["x"]}), TableError, "the table is a dict; give a pandas DataFrame"),  # type: ignore[arg-type]
    (lambda: read(PLAIN["q"]), TableError, "the table is a Series"),  # type: ignore[arg-type]
    (lambda: read(PLAIN.iloc[:0]), TableError, "the table has no records"),
    (lambda: read(PLAIN, sensitive=[]), TableError, "sensitive is an empty list"),
    (lambda: read(PLAIN, quasi_identifiers="Q"), TableError, "no column 'Q' \\(quasi-identifier\\)"),
    (
        lambda: read(PLAIN.rename(columns={"q": "zip code"}), quasi_identifiers="zipcode"),
        TableError,
        "did you mean 'zip code'",
    ),
    (lambda: read(PLAIN, sensitive="illness"), TableError, "no column 'illness' \\(sensitive\\); it has 'q', 's'"),
    (lambda: read(PLAIN, weight="w"), TableError, "no column 'w' \\(weight\\)"),
    (lambda: read(PLAIN, identifying="name"), TableError, "no column 'name' \\(identifying\\)"),
    (lambda: read(PLAIN, quasi_identifiers=3), TableError, "no column 3"),
    (lambda: read(PLAIN, quasi_identifiers=[["q"]]), TableError, "\\['q'\\]"),
    (lambda: read(TWICE), TableError, "2 columns named 'q'; rename them"),
    (
        lambda: read(PLAIN, quasi_identifiers=["q", "q"]),
        TableError,
        "'q' is named twice as quasi-identifier",
    ),
    (
        lambda: read(PLAIN, quasi_identifiers=["q", "s"]),
        TableError,
        "'s' is named as quasi-identifier and as sensitive",
    ),
    (lambda: read(PLAIN, identifying="q"), TableError, "'q' is named as quasi-identifier and as identifying"),
    (lambda: read(PLAIN, weight="s"), TableError, "'s' is named as sensitive and as weight"),
    (lambda: read(PLAIN, missing="ignore"), TableError, "missing='ignore' is unknown"),
    (lambda: read(PLAIN, orders={"z": ["a"]}), TableError, "declared for 'z', which has no role"),
    (lambda: read(PLAIN, domains={"z": ["a"]}), TableError, "declared for 'z', which has no role"),
    (lambda: read(PLAIN, orders={"s": ["x"]}), DomainError, "misses 1 of 2 values, first 'y'"),
    (lambda: read(PLAIN, orders={"s": ["x", "y", "x"]}), DomainError, "'x' occurs twice"),
    (
        lambda: read(PLAIN, domains={"s": ["x"]}),
        DomainError,
        "column 's': the declared domain misses 1 of 2 values, first 'y'",
    ),
    (lambda: read(PLAIN, domains={"s": []}), DomainError, "declared domain is empty"),
    (lambda: read(PLAIN, suppressed=["*"]), TableError, "marker .*\\['\\*'\\]"),
    (lambda: read(PLAIN.assign(q=[["a"], ["b"]])), TableError, "column 'q' holds a cell that cannot be a value"),
    (lambda: read(PLAIN.assign(s=[{"a"}, "b"])), TableError, "column 's' holds a cell that cannot be a value"),
    (with_weights(1, 0), TableError, "'w', row 2 holds 0; .* positive whole number"),
    (with_weights(-1, 1), TableError, "'w', row 1 holds -1"),
    (with_weights(1.5, 2.5), TableError, "'w', row 1 holds 1.5; .*survey weights have no exact counts"),
    (with_weights("1", "two"), TableError, "'w', row 2 holds 'two'"),
    (with_weights(1, None), TableError, "'w', row 2 holds a missing value"),
    (with_weights(1, math.nan), TableError, "'w', row 2 holds a missing value"),
    (with_weights(1, math.inf), TableError, "'w', row 2 holds inf"),
    (with_weights(True, 1), TableError, "'w', row 1 holds True"),
    (with_weights(1, [1]), TableError, "'w' holds a cell that cannot be a value"),
    (with_weights(2**62, 2**62), TableError, "'w' sums to more than 2⁶³ − 1 records"),
    (with_weights(1, 2**70), TableError, "'w' sums to more than 2⁶³ − 1 records"),
]


@pytest.mark.parametrize(("call", "error", "fragment"), BAD)
def test_bad_input_is_refused_by_name(call: Callable[[], object], error: type[TClosenessError], fragment: str) -> None:
    with pytest.raises(error, match=fragment):
        call()


def test_a_bad_weight_is_named_by_its_row_in_the_table() -> None:
    table = frame("q s w", (None, "x", 1), ("a", "y", 0))
    with pytest.raises(TableError, match="row 2 holds 0"):
        read(table, weight="w", missing="drop")


def test_reading_a_table_changes_nothing_in_it() -> None:
    table = pd.DataFrame(
        {
            "q": pd.Categorical(["b", "a", "b"], categories=["z", "b", "a"]),
            "n": pd.array([1, None, 2], dtype="Int64"),
            "o": np.array([1.0, 2.0, "x"], dtype=object),
            "s": [0.5, 2.0, math.nan],
            "w": [1, 2, 3],
        },
        index=[7, 7, 0],
    )
    before = table.copy(deep=True)
    for missing in ("category", "drop"):
        read(table, quasi_identifiers=["q", "n", "o"], missing=missing, weight="w", suppressed="*")
    pd.testing.assert_frame_equal(table, before)


TEXTS = ["a", "b", "a\0b", "a\0c", "\0", "", "\ud800", "\\ud800", "'\\ud800'", "é", "e\u0301", "1", "01", "a"]


@pytest.mark.parametrize("dtype", [object, pd.StringDtype("python")])
@pytest.mark.parametrize("texts", [TEXTS, TEXTS[:2] + TEXTS[9:], TEXTS[:6] + TEXTS[9:], TEXTS[6:]])
def test_texts_are_one_value_exactly_if_they_are_equal(texts: list[str], dtype: Any) -> None:
    """Also where they have a NUL or half of a character, which other tables of texts do not distinguish."""
    codes, domain = factorize(pd.Series(texts * 3, dtype=dtype), "s")
    assert [domain.values[code] for code in codes] == texts * 3
    assert sorted(domain.values) == sorted(set(texts))


def test_a_text_of_a_class_of_its_own_is_another_value() -> None:
    class Name(str):
        __slots__ = ()

    codes, domain = factorize(pd.Series(["a", Name("a"), "a"], dtype=object), "s")
    assert codes.tolist() == [codes[0], codes[1], codes[0]]
    assert codes[0] != codes[1]
    assert len(domain) == 2
