"""No answer depends on the engine: the same typed values are the same frequency set, whatever counted them.

Every type of cells goes every way, and what engines are known to make one without a word is a test of its own.
"""

from __future__ import annotations

import datetime as dt
from decimal import Decimal
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from proofs_tests.microdata.sources.routes import ROUTES, TEXT_ROUTES, described, objects
from tcloseness import FrequencySet
from tcloseness.errors import TableError

BIG = 2**53
TYPES: dict[str, pa.Array] = {
    "text with leading zeros": pa.array(["01234", "1234", "01234", None, "1234"]),
    "text that looks like a number, with blanks": pa.array(["1", "1.0", " 1", "1 ", ""]),
    "text of other case, form and with NUL": pa.array(["a", "A", "\u00e9", "e\u0301", "a\x00"]),
    "large text": pa.array(["a", "b", None, "a", "b"], pa.large_string()),
    "int64 beyond doubles": pa.array([BIG, BIG + 1, None, BIG, 5], pa.int64()),
    "uint64": pa.array([2**64 - 1, 2**64 - 2, 0, 0, 2**63], pa.uint64()),
    "int8": pa.array([-128, 127, None, 0, 0], pa.int8()),
    "float with NaN, null and -0.0": pa.array([float("nan"), None, -0.0, 0.0, 1.5], pa.float64()),
    "float, infinite": pa.array([1.0, 2.0, float("inf"), -float("inf"), 1e300], pa.float64()),
    "float32": pa.array([0.1, 0.1, 0.2, None, 1.0], pa.float32()),
    "bool": pa.array([True, False, None, True, True]),
    "date": pa.array([dt.date(2020, 1, 1), dt.date(1500, 1, 1), None, dt.date(2020, 1, 1), dt.date(9999, 12, 31)]),
    "timestamp of microseconds": pa.array(
        [dt.datetime(2020, 1, 1), dt.datetime(2020, 1, 1, 0, 0, 0, 1), None, dt.datetime(1600, 1, 1)] * 1
        + [dt.datetime(2020, 1, 1)],
        pa.timestamp("us"),
    ),
    "timestamp of nanoseconds": pa.array([1, 2, None, 3, 1], pa.timestamp("ns")),
    "timestamp of seconds": pa.array([1, 2, None, 3, 1], pa.timestamp("s")),
    "timestamp with a zone": pa.array([1, 2, None, 3, 1], pa.timestamp("us", "Europe/Paris")),
    "time": pa.array([1, 2, None, 3, 1], pa.time64("us")),
    "decimal": pa.array(
        [Decimal("1.00"), Decimal("2.50"), None, Decimal("1.00"), Decimal("0.10")], pa.decimal128(10, 2)
    ),
    "decimal of 38 digits": pa.array(
        [Decimal(10**37), Decimal(10**37 + 1), None, Decimal(1), Decimal(1)], pa.decimal128(38, 0)
    ),
    "categories": pa.array(["lo", "hi", None, "lo", "mid"]).dictionary_encode(),
    "bytes": pa.array([b"a", b"\xff", None, b"a", b""]),
    "nothing": pa.nulls(5),
}


def table_of(array: pa.Array) -> pa.Table:
    return pa.table({"q": array, "s": list("xxyyx")})


def read(source: Any, **roles: Any) -> FrequencySet:
    chosen = {"quasi_identifiers": "q", "sensitive": "s", "missing": "category", "missing_texts": (), **roles}
    return FrequencySet.read(source, **chosen)


def expected(table: pa.Table, quasi_identifiers: Any = "q") -> FrequencySet:
    return FrequencySet.from_frame(
        objects(table), quasi_identifiers=quasi_identifiers, sensitive="s", missing="category"
    )


SLOWLY = ("Ibis", "Dask")
"""It takes them longer to be loaded than all others together."""

ROUTES_HERE = [pytest.param(route, marks=[pytest.mark.slow] * (route in SLOWLY)) for route in ROUTES]


@pytest.mark.filterwarnings("ignore::tcloseness.errors.TableWarning")
@pytest.mark.parametrize("route", ROUTES_HERE)
def test_all_types_together_are_the_same_by_every_way(route: str, tmp_path: Path) -> None:
    table = pa.table({**TYPES, "s": list("xxyyx")})
    table = pa.concat_tables([table, table.slice(1, 2)])
    found = read(ROUTES[route](table, tmp_path), quasi_identifiers=list(TYPES))
    assert described(found) == described(expected(table, list(TYPES)))
    assert sorted(found.counts.tolist()) == [1, 1, 1, 2, 2]


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore::tcloseness.errors.TableWarning")
@pytest.mark.parametrize("route", ROUTES)
@pytest.mark.parametrize("kind", TYPES)
def test_every_type_is_the_same_by_every_way(kind: str, route: str, tmp_path: Path) -> None:
    """Each alone: cells that an engine takes for equal are one combination then."""
    table = table_of(TYPES[kind])
    assert described(read(ROUTES[route](table, tmp_path))) == described(expected(table))


@pytest.mark.filterwarnings("ignore::tcloseness.errors.TableWarning")
@pytest.mark.parametrize("route", TEXT_ROUTES)
@pytest.mark.parametrize("texts", [["01234", "1234", None, "1", "1.0"], ["a", "A", "\u00e9", "e\u0301", 'a"b,c\nd']])
def test_texts_are_the_same_from_text_files(texts: list[str | None], route: str, tmp_path: Path) -> None:
    table = table_of(pa.array(texts))
    found = read(TEXT_ROUTES[route](table, tmp_path), missing_texts=None)
    assert described(found) == described(expected(table))


NOT_VALUES: dict[str, pa.Array] = {
    "list": pa.array([[1], [2], None, [1], []]),
    "structure": pa.array([{"a": 1}] * 5),
    "map": pa.array([[("a", 1)]] * 5, pa.map_(pa.string(), pa.int64())),
    "duration": pa.array([1, 2, None, 3, 1], pa.duration("us")),
}
"""Cells that cannot be values, and spans of time: a month and 30 days are one or two to the engines."""

COUNTED_ELSEWHERE = ("DuckDB relation", "Arrow table", "Polars", "Polars lazy", "Ibis")


@pytest.mark.parametrize("route", [each for each in ROUTES_HERE if each.values[0] in COUNTED_ELSEWHERE])
@pytest.mark.parametrize("kind", NOT_VALUES)
def test_a_column_that_cannot_be_counted_is_refused_by_its_name(kind: str, route: str, tmp_path: Path) -> None:
    if kind == "map" and route.startswith("Polars"):
        pytest.skip("Polars has no maps")
    with pytest.raises(TableError, match=r"column 'q'.*(text|days)"):
        read(ROUTES[route](table_of(NOT_VALUES[kind]), tmp_path))


# ---------------------------------------------------------------------- what engines make one without a word


def values(found: FrequencySet) -> dict[object, int]:
    return dict(zip(found.domains["q"].values, found.records_of("q"), strict=True))


def typed(found: FrequencySet) -> list[tuple[str, object]]:
    return [(type(value).__name__, value) for value in found.domains["q"].values]


@pytest.mark.filterwarnings("ignore::tcloseness.errors.TableWarning")
def test_objects_of_pandas_reach_no_engine() -> None:
    """DuckDB reads 1, "1" and True as one text."""
    frame = pd.DataFrame({"q": pd.Series([1, "1", True, 1.0, 1], dtype=object), "s": "x"})
    assert sorted(map(str, typed(read(frame)))) == ["('bool', True)", "('int', 1)", "('str', '1')"]
    many = pd.DataFrame({"q": pd.Series([1] * 3000 + ["1"], dtype=object), "s": "x"})
    assert sorted(read(many).counts.tolist()) == [1, 3000]


@pytest.mark.parametrize("where", ["column", "session", "expression"])
@pytest.mark.parametrize("through", ["duckdb", pytest.param("ibis", marks=pytest.mark.slow)])
@pytest.mark.filterwarnings("ignore:fetch_arrow_table:DeprecationWarning")  # Ibis calls what DuckDB will not have
@pytest.mark.filterwarnings("ignore::tcloseness.errors.TableWarning")
def test_a_collation_without_case_makes_no_texts_equal(where: str, through: str) -> None:
    duckdb = pytest.importorskip("duckdb")
    connection = duckdb.connect()
    collation = "collate nocase" if where == "column" else ""
    connection.execute(f"create table given(q varchar {collation}, s varchar)")
    connection.execute("insert into given values ('a', 'x'), ('A', 'x'), ('b', 'x')")
    if where == "session":
        connection.execute("set default_collation = 'nocase'")
    text = "select q collate nocase as q, s from given" if where == "expression" else "select q, s from given"
    grouped = connection.sql(f"select q, count(*) from ({text}) group by q").fetchall()
    assert len(grouped) == 2, "the engine itself makes them one"
    if through == "ibis":
        pytest.importorskip("pyarrow_hotfix")
        ibis = pytest.importorskip("ibis")
        connection.execute(f"create view shown as {text}")
        source = ibis.duckdb.from_connection(connection).table("shown")
    else:
        source = connection.sql(text)
    assert values(read(source)) == {"a": 1, "A": 1, "b": 1}


@pytest.mark.parametrize("route", ROUTES_HERE)
def test_columns_whose_names_differ_by_case_are_two(route: str, tmp_path: Path) -> None:
    """To DuckDB, asked for it by its name, column A is column a."""
    table = pa.table({"q": ["1", "2", "3"], "Q": ["7", "7", "8"], "s": ["x", "x", "y"]})
    if route == "DuckDB table":
        pytest.skip("DuckDB makes no such table")
    source = ROUTES[route](table, tmp_path)
    if route == "DuckDB relation":
        assert source.columns == ["q", "Q_1", "s"]
        return
    if route == "Ibis":
        with pytest.raises(TableError, match=r"'q', 'Q'.* by case"):
            read(source)
        return
    assert list(values(read(source, quasi_identifiers="q"))) == ["1", "2", "3"]
    found = FrequencySet.read(source, quasi_identifiers="Q", sensitive="s")
    assert found.domains["Q"].values == ("7", "8")


def test_whole_numbers_beyond_doubles_stay_apart_where_one_is_missing(tmp_path: Path) -> None:
    """pandas reads the column of a Parquet file as doubles then."""
    pyarrow.parquet.write_table(pa.table({"q": [BIG, BIG + 1, None], "s": ["x"] * 3}), tmp_path / "table.parquet")
    assert pd.read_parquet(tmp_path / "table.parquet")["q"].nunique() == 1
    assert list(values(read(tmp_path / "table.parquet")))[:2] == [BIG, BIG + 1]
