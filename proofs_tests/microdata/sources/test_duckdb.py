"""DuckDB counts Parquet, its own relations, and frames of Arrow and Polars as rows of Python's values are counted."""

from __future__ import annotations

import datetime as dt
import gzip
import io
import uuid
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import duckdb
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.dataset as ds
import pyarrow.parquet as pq
import pytest

from tcloseness import FrequencySet, read_table
from tcloseness.errors import TableError
from tcloseness.microdata.combinations import Options
from tcloseness.microdata.sources import combinations
from tcloseness.microdata.sources.duckdb import rows, takes
from tcloseness.microdata.sources.pandas import factorize

COLUMNS: dict[str, pa.Array] = {
    "text of digits": pa.array(["01234", "1234", "01234", None, "1234"]),
    "1, 1.0 and blanks": pa.array(["1", "1.0", " 1", "1 ", ""]),
    "case, Unicode forms, NUL": pa.array(["a", "A", "é", "e\u0301", "a\x00"]),
    "int64 and null": pa.array([2**53, 2**53 + 1, None, 2**53, 5], pa.int64()),
    "uint64": pa.array([2**64 - 1, 2**64 - 2, 0, 0, 2**63], pa.uint64()),
    "int8": pa.array([-128, 127, 0, None, 0], pa.int8()),
    "doubles": pa.array([float("nan"), None, -0.0, 0.0, 1.5], pa.float64()),
    "infinities": pa.array([1.0, 2.0, float("inf"), -float("inf"), 1e300], pa.float64()),
    "float32": pa.array([0.1, 0.1, 0.2, None, 1.0], pa.float32()),
    "bool": pa.array([True, False, None, True, True]),
    "dates": pa.array([dt.date(2020, 1, 1), dt.date(1, 1, 1), None, dt.date(2020, 1, 1), dt.date(9999, 12, 31)]),
    "µs": pa.array([1, 2, None, -(10**15), 1], pa.timestamp("us")),
    "ns": pa.array([1, 2, None, 3, 1], pa.timestamp("ns")),
    "ms": pa.array([1, 2, None, 3, 1], pa.timestamp("ms")),
    "with a zone": pa.array([1, 2, None, 3, 1], pa.timestamp("us", "UTC")),
    "times": pa.array([1, 2, None, 3, 1], pa.time64("us")),
    "decimals": pa.array(
        [Decimal("1.00"), Decimal("2.50"), None, Decimal("1.00"), Decimal("0.10")], pa.decimal128(10, 2)
    ),
    "long decimals": pa.array(
        [Decimal(10**37), Decimal(10**37 + 1), None, Decimal(1), Decimal(1)], pa.decimal128(38, 0)
    ),
    "dictionary": pa.array(["lo", "hi", None, "lo", "mid"]).dictionary_encode(),
    "bytes": pa.array([b"a", b"\xff", None, b"a", b""]),
    "all missing": pa.nulls(5, pa.int32()),
}
"""Five cells of each type that DuckDB is given."""

ROLES: dict[str, Any] = {"quasi_identifiers": "q", "sensitive": "s", "missing": "category"}


OPEN: list[duckdb.DuckDBPyConnection] = []
"""A relation lives as long as its connection."""


def connected(*file: str) -> duckdb.DuckDBPyConnection:
    OPEN.append(duckdb.connect(*file))
    return OPEN[-1]


def by_relation(table: pa.Table, folder: Path) -> Any:
    return connected().from_arrow(table)


def by_parquet(table: pa.Table, folder: Path) -> Any:
    pq.write_table(table, folder / "t.parquet")
    return folder / "t.parquet"


def by_table(table: pa.Table, folder: Path) -> Any:
    connection = connected(str(folder / "t.duckdb"))
    connection.register("given", table)
    connection.execute("create or replace table kept as from given")
    return connection.sql("from kept")


ROUTES: dict[str, Callable[[pa.Table, Path], Any]] = {
    "Parquet": by_parquet,
    "Arrow": lambda table, _: table,
    "dataset": lambda table, folder: ds.dataset(by_parquet(table, folder)),
    "Polars": lambda table, _: pl.from_arrow(table),
    "relation": by_relation,
    "database": by_table,
}


def shown(found: FrequencySet) -> list[tuple[str, str, str, int]]:
    q, s = found.domains["q"].values, found.domains["s"].values
    lines = zip(found.codes["q"], found.codes["s"], found.counts, strict=True)
    return [(type(q[a]).__name__, str(q[a]), str(s[b]), int(n)) for a, b, n in lines]


def reference(column: pa.Array) -> FrequencySet:
    cells = column.to_pandas() if pa.types.is_timestamp(column.type) else pd.Series(column.to_pylist(), dtype=object)
    return FrequencySet.from_frame(pd.DataFrame({"q": cells, "s": list("xxyyx")}), **ROLES)


@pytest.fixture(autouse=True)
def quiet() -> Iterator[None]:
    import warnings

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        yield
    while OPEN:
        OPEN.pop().close()


@pytest.mark.parametrize("name", COLUMNS)
@pytest.mark.slow
def test_every_type_is_counted_as_its_values_are_in_python(name: str, tmp_path: Path) -> None:
    column = COLUMNS[name]
    table, want = pa.table({"q": column, "s": list("xxyyx")}), reference(column)
    for route, made in ROUTES.items():
        found = FrequencySet.read(made(table, tmp_path), **ROLES, missing_texts=[])
        assert shown(found) == shown(want), route
        assert found.domains["q"] == want.domains["q"], route
        assert found.domains["q"].order == want.domains["q"].order, route
        assert found.conventions == want.conventions, route
        assert found.origin.engine.startswith("DuckDB"), route


def test_values_of_databases_alone_are_values_too() -> None:
    one = uuid.UUID(int=1)
    connection = connected()
    rows = {
        "uuid '00000000-0000-0000-0000-000000000001'": one,
        "170141183460469231731687303715884105727::hugeint": 2**127 - 1,
        "340282366920938463463374607431768211455::uhugeint": 2**128 - 1,
        "'a'::enum('b', 'a')": "a",
        "bitstring '101'": "101",
        "TIME_NS '01:02:03.000004'": dt.time(1, 2, 3, 4),
        "'{\"a\": 1}'::json": '{"a": 1}',
        "null": None,
    }
    for text, value in rows.items():
        relation = connection.sql(f"select {text} as q, 'x' as s from range(3)")
        found = FrequencySet.read(relation, **ROLES)
        assert found.counts.tolist() == [3]
        assert found.domains["q"].cells(found.codes["q"]) == [value], text


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("[1]", "type INTEGER.*cannot be values: cells must be"),
        ("{'a': 1}", "type STRUCT.*cannot be values"),
        ("MAP {'a': 1}", "type MAP.*cannot be values"),
        ("INTERVAL 1 month", "type INTERVAL.*a month and 30 days"),
        ("TIMETZ '01:02:03+02'", "equal times of two zones"),
        ("DATE 'infinity'", "a date outside the years"),
        ("DATE '0044-03-15 (BC)'", "a date outside the years"),
        ("TIMESTAMP 'infinity'", "an infinite time"),
        ("TIMESTAMPTZ '-infinity'", "an infinite time"),
        ("TIME_NS '01:02:03.000000004'", "finer than microseconds"),
    ],
)
def test_what_cannot_be_a_value_is_refused_with_its_column(text: str, told: str) -> None:
    relation = connected().sql(f"select {text} as q, 'x' as s from range(3)")
    with pytest.raises(TableError, match=f"column 'q'.*{told}"):
        FrequencySet.read(relation, **ROLES)


def test_no_collation_makes_two_texts_one() -> None:
    connection = connected()
    connection.execute("create table t(q varchar collate nocase, s varchar)")
    connection.execute("insert into t values ('a', 'x'), ('A', 'x'), ('b', 'x')")
    assert FrequencySet.read(connection.table("t"), **ROLES).domains["q"].values == ("A", "a", "b")
    connection.execute("set default_collation = 'NOCASE'")
    relation = connection.sql("select q::varchar as q, 'x' as s from (values ('a'), ('A')) t(q)")
    assert FrequencySet.read(relation, **ROLES).domains["q"].values == ("A", "a")


def test_columns_that_differ_by_case_are_two(tmp_path: Path) -> None:
    file = tmp_path / "t.parquet"
    pq.write_table(pa.table({"a": [1, 1], "A": [2, 3], "s": ["x", "y"]}), file)
    for name, values in (("a", (1,)), ("A", (2, 3))):
        found = FrequencySet.read(file, quasi_identifiers=name, sensitive="s")
        assert found.domains[name].values == values
    pq.write_table(pa.table([[1, 1], [2, 3], ["x", "y"]], names=["a", "a", "s"]), file)
    with pytest.raises(TableError, match="2 columns named 'a'"):
        FrequencySet.read(file, quasi_identifiers="a", sensitive="s")


def test_whole_numbers_with_a_missing_one_stay_whole(tmp_path: Path) -> None:
    file = tmp_path / "t.parquet"
    pq.write_table(pa.table({"q": pa.array([2**53, 2**53 + 1, None], pa.int64()), "s": ["x", "y", "z"]}), file)
    found = FrequencySet.read(file, quasi_identifiers="q", sensitive="s", missing="drop")
    assert found.domains["q"].values == (2**53, 2**53 + 1)
    assert found.dropped == 1


def test_the_users_database_stays_as_it_was() -> None:
    connection = connected()
    connection.execute("set TimeZone = 'Asia/Tokyo'")
    connection.execute("create table t as select i % 3 as q, 'x' as s from range(10) r(i)")
    FrequencySet.read(connection.table("t"), **ROLES)
    with pytest.raises(TableError):
        FrequencySet.read(connection.sql("select q, 'x'::int as s from t"), **ROLES)
    assert connection.execute("select current_setting('TimeZone')").fetchall() == [("Asia/Tokyo",)]
    assert connection.execute("select table_name from duckdb_tables()").fetchall() == [("t",)]
    assert connection.execute("select count(*) from duckdb_views() where not internal").fetchall() == [(0,)]


def test_a_fault_of_the_users_query_is_said_without_the_engines_words() -> None:
    relation = connected().sql("select i as q, ('x' || i)::int as s from range(3) r(i)")
    with pytest.raises(TableError, match="the relation cannot be counted; run its query by itself to see why") as told:
        FrequencySet.read(relation, **ROLES)
    assert isinstance(told.value.__cause__, duckdb.Error)


def test_a_damaged_parquet_file_is_refused_in_words(tmp_path: Path) -> None:
    file = tmp_path / "t.parquet"
    pq.write_table(pa.table({"q": [1] * 1000, "s": ["x"] * 1000}), file)
    whole = file.read_bytes()
    for content in (whole[:-9], whole[:40], b"PAR1", whole[:20] + b"\xff" * 200 + whole[220:]):
        file.write_bytes(content)
        with pytest.raises(TableError, match=r"t.parquet is not a whole Parquet file; write it again, or give CSV"):
            FrequencySet.read(file, **ROLES)


def test_parquet_files_of_one_table_have_the_same_columns_and_types(tmp_path: Path) -> None:
    one, two = tmp_path / "1.parquet", tmp_path / "2.parquet"
    pq.write_table(pa.table({"q": [1, 2], "s": ["x", "y"]}), one)
    pq.write_table(pa.table({"q": [1, 3], "s": ["x", "y"]}), two)
    found = FrequencySet.read(str(tmp_path / "*.parquet"), **ROLES)
    assert shown(found) == [("int", "1", "x", 2), ("int", "2", "y", 1), ("int", "3", "y", 1)]
    pq.write_table(pa.table({"q": [1.5, 3.0], "s": ["x", "y"]}), two)
    with pytest.raises(TableError, match=r"the same types of columns: column 1 is"):
        FrequencySet.read([one, two], **ROLES)
    pq.write_table(pa.table({"s": ["x", "y"], "q": [1, 3]}), two)
    with pytest.raises(TableError, match=r"the same columns: column 1 is 'q'"):
        FrequencySet.read([one, two], **ROLES)


def test_an_option_that_cannot_apply_is_refused_by_name(tmp_path: Path) -> None:
    table = pa.table({"q": [1, 2], "s": ["x", "y"]})
    file = by_parquet(table, tmp_path)
    for source, options in (
        (file, {"separator": ";"}),
        (file, {"encoding": "utf-8"}),
        (table, {"separator": ";"}),
        (by_relation(table, tmp_path), {"memory": "1GB"}),
        (by_relation(table, tmp_path), {"threads": 1}),
        (table.to_pandas(), {"memory": "1GB"}),
    ):
        (name,) = options
        with pytest.raises(ValueError, match=f"{name}=.* cannot apply"):
            FrequencySet.read(source, **ROLES, **options)


def test_columns_that_the_table_lacks_are_named_before_anything_is_counted(tmp_path: Path) -> None:
    table = pa.table({"zip": [1, 2], "s": ["x", "y"]})
    for route, made in ROUTES.items():
        with pytest.raises(TableError, match=r"no column 'zap' \(quasi-identifier\); did you mean 'zip'\?"):
            FrequencySet.read(made(table, tmp_path), quasi_identifiers="zap", sensitive="s")
        empty = made(table.slice(0, 0), tmp_path)
        with pytest.raises(TableError, match="no records"):
            FrequencySet.read(empty, quasi_identifiers="zip", sensitive="s")
        assert takes(empty), route


@pytest.mark.parametrize("source", [None, 3, {"q": [1]}, [], [1], object(), b"t.csv", pl.LazyFrame])
def test_what_is_not_a_table_is_refused_by_name(source: object) -> None:
    assert not takes(source)
    with pytest.raises(TableError, match=r"the table is a \w+; give the path of a file"):
        combinations(source, {"q": "sensitive"})


@pytest.mark.slow
def test_the_rows_of_a_source_are_in_their_order_and_hold_the_values_that_are_counted(
    tmp_path: Path,
) -> None:
    for name, column in COLUMNS.items():
        table = pa.table({"q": column, "s": ["c", "b", "a", "b", "x"]})
        want = reference(column)
        for route, made in ROUTES.items():
            frame = rows(made(table, tmp_path), Options(missing_texts=[]))
            assert frame["s"].tolist() == ["c", "b", "a", "b", "x"], (name, route)
            domain = factorize(frame["q"], "q")[1]
            assert domain == want.domains["q"], (name, route)
            assert [type(value) for value in domain.values] == [type(value) for value in want.domains["q"].values]
            again = FrequencySet.from_frame(frame.assign(s=list("xxyyx")), **ROLES)
            assert shown(again) == shown(want), (name, route)


@pytest.mark.long
def test_parquet_that_is_open_or_compressed_is_read_too(tmp_path: Path) -> None:
    table = pa.table({"q": pa.array([2**53 + 1, None], pa.int64()), "s": ["x", "y"]})
    content = by_parquet(table, tmp_path).read_bytes()
    (tmp_path / "t.parquet.gz").write_bytes(gzip.compress(content))
    paths = tmp_path / "t.parquet", tmp_path / "t.parquet.gz"
    for source in (*(lambda path=path: path for path in paths), lambda: io.BytesIO(content)):
        assert read_table(source())["q"].tolist()[0] == 2**53 + 1
        assert rows(source(), Options())["q"].tolist()[0] == 2**53 + 1
        found = FrequencySet.read(source(), quasi_identifiers="q", sensitive="s", missing="drop")
        assert found.domains["q"].values == (2**53 + 1,)
