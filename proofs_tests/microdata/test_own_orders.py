"""The order that a source declares is that of `orders=`, whatever the source; one declared by hand goes before it."""

from __future__ import annotations

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest
from hypothesis import given, strategies as st

import tcloseness as tc
from tcloseness.errors import DomainError, InputError

LEVELS = ["10th", "9th", "12th", "Masters"]
NONE = "Doctorate"
"""A category that does not occur."""
CELLS = [0, 1, 2, 3, 3, 1, 0, 2]


def frame(levels: list[str], cells: list[int] = CELLS, *, ordered: bool = True) -> pd.DataFrame:
    grades = pd.Categorical([levels[each] for each in cells], categories=[NONE, *levels], ordered=ordered)
    return pd.DataFrame({"zip": ["a", "b"] * (len(cells) // 2), "grade": grades})


def polars_frame() -> pl.DataFrame:
    plain = pl.DataFrame({"zip": ["a", "b"] * 4, "grade": [LEVELS[each] for each in CELLS]})
    return plain.with_columns(pl.col("grade").cast(pl.Enum([NONE, *LEVELS])))


def relation() -> duckdb.DuckDBPyRelation:
    connection = duckdb.connect()
    connection.sql(f"create type grades as enum {(NONE, *LEVELS)}")
    rows = ", ".join(f"('{zips}', '{LEVELS[each]}'::grades)" for zips, each in zip("abababab", CELLS, strict=True))
    connection.sql(f"create table t as select * from (values {rows}) as v(zip, grade)")
    return connection.table("t")


SOURCES = {
    "pandas": lambda: frame(LEVELS),
    "Polars": polars_frame,
    "lazy Polars": lambda: polars_frame().lazy(),
    "Arrow": lambda: pa.Table.from_pandas(frame(LEVELS), preserve_index=False),
    "DuckDB": relation,
}
ROLES = {"quasi_identifiers": "zip", "sensitive": "grade", "ground": "ordered"}


def t(table: tc.Table) -> object:
    (found,) = [each for each in table.check(t=1).attributes[0].results if each.model == "t-closeness"]
    return found.value


@pytest.mark.parametrize("source", SOURCES.values(), ids=SOURCES)
def test_the_order_of_a_source_is_what_orders_declares(source):
    plain = frame(LEVELS).astype({"grade": str})
    by_hand = tc.Table(plain, orders={"grade": LEVELS}, **ROLES)
    own = tc.Table(source(), **ROLES)
    assert list(own.frequencies.domains["grade"].values) == LEVELS
    assert own.frequencies.domains["grade"].order == "declared"
    assert t(own) == t(by_hand)
    if not isinstance(source(), pl.LazyFrame):  # whose rows are not read
        assert own.microdata.sensitive[0].domain == by_hand.microdata.sensitive[0].domain
        assert own.emd(by="zip").value == by_hand.emd(by="zip").value == t_of_groups(plain)
        assert own.emd(by="zip", order=None).value == by_hand.emd(by="zip", order=None).value == t_of_groups(plain)


def t_of_groups(plain: pd.DataFrame) -> object:
    sides = [plain["grade"][plain["zip"] == name] for name in ("a", "b")]
    return tc.emd_of(*sides, ground="ordered", order=LEVELS).value


@given(st.permutations(LEVELS), st.permutations(LEVELS))
def test_what_is_declared_by_hand_goes_before_the_order_of_the_source(own, by_hand):
    source = frame(own)
    assert list(tc.Table(source, **ROLES).frequencies.domains["grade"].values) == own
    declared = tc.Table(source, orders={"grade": by_hand}, **ROLES)
    assert list(declared.frequencies.domains["grade"].values) == by_hand


def test_columns_of_categories_are_compared_in_their_order():
    source = frame(LEVELS)
    by = {"column": "grade", "by": "zip", "ground": "ordered"}
    assert tc.emd_of(source, **by).value == tc.emd_of(source.astype(str), order=LEVELS, **by).value
    sides = [source["grade"][source["zip"] == name] for name in ("a", "b")]
    assert tc.emd_of(*sides, ground="ordered").value == tc.emd_of(source, **by).value
    turned = sides[1].cat.reorder_categories([*LEVELS[::-1], NONE])
    with pytest.raises(DomainError, match="declare the order"):
        tc.emd_of(sides[0], turned, ground="ordered")


def test_categories_without_an_order_and_a_missing_value_that_is_kept_have_none():
    with pytest.raises(DomainError, match=r"declare the order, lowest value first, such as orders=\{"):
        tc.Table(frame(LEVELS, ordered=False), **ROLES).check(t=1)
    holed = frame(LEVELS)
    holed.loc[0, "grade"] = None
    with pytest.raises(DomainError, match="declare the order"):
        tc.Table(holed, missing="category", **ROLES).check(t=1)
    assert list(tc.Table(holed, missing="drop", **ROLES).frequencies.domains["grade"].values) == LEVELS


def test_a_misspelt_argument_and_an_order_as_a_ground_distance_lead_to_orders():
    with pytest.raises(InputError, match="no argument 'order'; did you mean 'orders'"):
        tc.Table(frame(LEVELS), order={"grade": LEVELS}, **ROLES)
    with pytest.raises(DomainError, match=r"orders=\{column: values\}"):
        tc.Ordered(LEVELS)
