"""Frames whose engine is elsewhere: names, types and errors of Polars (lazy) and Ibis; Spark has tests of its own."""

from __future__ import annotations

import datetime as dt
import sys
from typing import Any

import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

from proofs_tests.microdata.sources.test_routes import BIG, read
from tcloseness import FrequencySet
from tcloseness.errors import InputError, MissingPackageError, TableError, TableWarning
from tcloseness.microdata.sources.narwhals import takes


def lazy(**columns: Any) -> pl.LazyFrame:
    return pl.DataFrame({"q": ["1", "2", "2"], "s": ["x", "y", "x"], **columns}).lazy()


def test_lazy_frames_are_taken_and_others_are_not() -> None:
    assert takes(lazy())
    assert not any(map(takes, [lazy().collect(), pd.DataFrame(), pa.table({"q": [1]}), "q.csv", None]))


def test_a_name_is_no_pattern() -> None:
    """Polars takes "*" for all columns and "^q.*$" for those whose names begin so."""
    frame = lazy(**{"*": [1, 1, 2], "^q.*$": [5, 5, 6], "rows": [7, 8, 8]})
    found = FrequencySet.read(frame, quasi_identifiers=["*", "rows"], sensitive="^q.*$")
    assert {name: domain.values for name, domain in found.domains.items()} == {
        "*": (1, 2),
        "rows": (7, 8),
        "^q.*$": (5, 6),
    }


def test_what_an_engine_raises_is_said_in_words_with_the_column() -> None:
    for frame, says in [
        (pl.scan_csv("there is no such.csv"), r"cannot be read: its engine stopped with FileNotFoundError"),
        (lazy().with_columns(q=pl.col("s").cast(pl.Int64)), r"cannot be counted: .* at column 'q'; make it a text"),
        (lazy().with_columns(pl.col("s").cast(pl.Int64)), r"cannot be counted: .* at column 's'"),
        (lazy().filter(pl.col("q").cast(pl.Date) > dt.date(2020, 1, 1)), r"cannot be counted: .*, whatever is counted"),
        (lazy(t=pl.Series([1, 2, 3]).cast(pl.Time)).select(pl.col("t").alias("q"), "s"), r"column 'q'.*nanoseconds"),
        (lazy(o=pl.Series([object()] * 3, dtype=pl.Object)).select(q="o", s="s"), r"column 'q'.* is of type Object"),
        (lazy(), "no column 'z'"),
        (lazy().filter(pl.lit(False)), "no records"),
    ]:
        with pytest.raises(TableError, match=says) as caught:
            read(frame, **({"sensitive": "z"} if says == "no column 'z'" else {}))
        assert "cast" not in str(caught.value), "the engine's own words are the cause of the error, and not in it"


@pytest.mark.parametrize("option", [{"memory": "1GB"}, {"threads": 1}, {"temporary": "."}, {"separator": ";"}])
def test_options_that_cannot_apply_are_refused(option: dict[str, Any]) -> None:
    with pytest.raises(InputError, match=f"{next(iter(option))}=.* cannot apply: the frame of Polars"):
        read(lazy(), **option)


def test_a_panic_of_the_engine_and_an_interrupt_end_as_they_should(monkeypatch: pytest.MonkeyPatch) -> None:
    for raised, ends in [
        (type("PanicException", (BaseException,), {}), TableError),
        (KeyboardInterrupt, KeyboardInterrupt),
    ]:
        monkeypatch.setattr(pl.LazyFrame, "group_by", lambda *_, raised=raised, **__: (_ for _ in ()).throw(raised))
        with pytest.raises(ends):
            read(lazy())


def test_what_is_not_installed_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    with pytest.raises(MissingPackageError, match="counting the frame of Polars needs pyarrow"):
        read(lazy())


def test_a_frame_of_narwhals_is_what_is_in_it() -> None:
    import narwhals as nw

    assert read(nw.from_native(lazy())).origin.kind == "Polars"
    assert read(nw.from_native(pd.DataFrame({"q": [1], "s": [1]}))).origin.kind == "pandas"


def test_columns_without_a_role_are_counted_where_they_look_like_identifiers() -> None:
    for column in [[1, 2, 3], [1, 2, None], ["a", "b", "c"]]:
        with pytest.warns(TableWarning, match="column 'z' .no role. has a different value in each of the 3 rows"):
            read(lazy(z=column))
    with pytest.warns(TableWarning, match="'patient' .*3 rows have 2 values"):
        read(lazy(patient=["a", "b", "a"]))
    for column in [[1, 2, 2], [1, None, None], [[1], [2], [3]]]:
        read(lazy(z=column))


def test_texts_that_mean_missing_are_missing() -> None:
    assert read(lazy(), missing_texts=["2"], missing="drop").dropped == 2


def test_where_a_table_was_counted_is_known() -> None:
    assert read(lazy()).origin.to_dict() == {
        "kind": "Polars",
        "engine": f"polars {pl.__version__}",
        "time_zone": "UTC",
        "collation": "binary",
        "files": [],
        "rows": 3,
    }


@pytest.mark.slow
@pytest.mark.filterwarnings("ignore:.*infer_string:Warning")  # Ibis sets an option that pandas 3 has no more use for
@pytest.mark.filterwarnings("ignore::tcloseness.errors.TableWarning")
def test_texts_and_whole_numbers_of_sqlite_stay_apart() -> None:
    """Its collation NOCASE makes "a" and "A" one, and whole numbers come as doubles from where one is null."""
    pytest.importorskip("pyarrow_hotfix")
    ibis = pytest.importorskip("ibis")
    database = ibis.sqlite.connect()
    database.raw_sql("create table given(t text collate nocase, q integer, s text)")
    database.raw_sql(f"insert into given values ('a', {BIG}, 'x'), ('A', {BIG + 1}, 'x'), ('é', null, 'x')")
    found = read(database.table("given"), quasi_identifiers=["q", "t"])
    assert found.domains["t"].values == ("A", "a", "é")
    assert found.domains["q"].values[:2] == (BIG, BIG + 1)
    assert found.counts.tolist() == [1, 1, 1]
    database.raw_sql("create table priced(q numeric, s text)")
    database.raw_sql("insert into priced values (0.12345678901, 'x'), (0.12345678902, 'x')")
    with pytest.raises(TableError, match=r"column 'q' .* is of type decimal"):  # which is rounded on its way
        read(database.table("priced"))
    database.raw_sql("insert into given values ('b', 'no number', 'x')")
    with pytest.raises(TableError, match="column 'q'"):
        read(database.table("given"))
