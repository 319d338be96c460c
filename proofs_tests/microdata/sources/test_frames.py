"""Frames and files that are hard on DuckDB: what it does not have is refused by its name, or is read all the same."""

from __future__ import annotations

import datetime as dt
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import duckdb
import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from proofs_tests.microdata.sources.routes import described
from tcloseness import FrequencySet
from tcloseness.errors import TableError

pytestmark = pytest.mark.filterwarnings("ignore::tcloseness.errors.TableWarning")


def read_frame(source: Any) -> FrequencySet:
    return FrequencySet.read(source, quasi_identifiers="q", sensitive="s")


def test_types_that_duckdb_or_arrow_lack_are_refused_by_the_column() -> None:
    half = pa.array(np.array([1, 2], dtype=np.float16))
    for frame, says in [
        (pa.table({"q": half, "s": [1, 2]}), "column 'q' .* halffloat"),
        (pa.table({"q": [1, 2], "s": [1, 2], "z": half}), "column 'z' .* halffloat"),
        (pl.DataFrame({"q": pl.Series([object(), 1], dtype=pl.Object), "s": [1, 2]}), "column 'q' .* Object"),
        (pl.DataFrame({"q": pl.Series([1, 2], dtype=pl.Int128), "s": [1, 2]}), "column 'q' .* Int128"),
    ]:
        with pytest.raises(TableError, match=says):
            read_frame(frame)


def test_columns_of_polars_alone_are_left_where_they_have_no_role() -> None:
    """As an object's address in Arrow, each would be a value."""
    frame = pl.DataFrame({"z": pl.Series([object(), 1], dtype=pl.Object), "q": [1, 1], "s": [1, 1]})
    assert read_frame(frame).counts.tolist() == [2]


def test_a_stream_of_arrow_is_read_once_and_counted_as_its_table() -> None:
    table = pa.table({"q": [1, 2, 1], "s": ["a", "b", "a"], "z": [1, 1, 2]})
    assert described(read_frame(table.to_reader())) == described(read_frame(table))

    def broken() -> Iterator[Any]:
        yield table.to_batches()[0]
        raise ValueError("torn")

    with pytest.raises(TableError, match="the stream of Arrow ends with ValueError"):
        read_frame(pa.RecordBatchReader.from_batches(table.schema, broken()))


def test_a_closed_connection_is_said_in_words() -> None:
    connection = duckdb.connect()
    relation = connection.sql("select 1 as q, 2 as s")
    connection.close()
    with pytest.raises(TableError, match="the relation cannot be counted; run its query by itself"):
        read_frame(relation)


def test_times_of_nanoseconds_with_a_zone_are_instants() -> None:
    table = pa.table({"q": pa.array([1, 2, 1], pa.timestamp("ns", "Europe/Paris")), "s": [1, 1, 1]})
    assert read_frame(table).domains["q"].values == (pd.Timestamp(1, tz="UTC"), pd.Timestamp(2, tz="UTC"))


@pytest.mark.parametrize("name", ["~x.parquet", "s3:x.parquet", "[x]*?.parquet"])
def test_a_file_is_the_one_that_is_named(name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """DuckDB takes ~ for a folder, and what is before a colon for a protocol."""
    monkeypatch.chdir(tmp_path)
    pq.write_table(pa.table({"q": [1], "s": [1]}), tmp_path / name)
    assert read_frame(name).records == 1


def test_times_of_the_day_that_a_file_says_to_be_in_utc_are_times_of_the_day(tmp_path: Path) -> None:
    """Files of older versions of pyarrow do: DuckDB then has times with a zone, and two that differ may be one."""
    file = tmp_path / "times.parquet"
    with duckdb.connect() as connection:
        times = "'01:02:03+00'::timetz as q, 1 as s, '04:05:06+00'::timetz as r"
        connection.execute(f"copy (select {times}) to '{file}'")
        assert str(connection.sql(f"from '{file}'").types[0]) == "TIME WITH TIME ZONE"
    found = FrequencySet.read(file, quasi_identifiers=["q", "r"], sensitive="s")
    assert [domain.values for domain in found.domains.values()] == [(dt.time(1, 2, 3),), (dt.time(4, 5, 6),), (1,)]
