"""A release in the user's own engine, by its statement or its expressions, has the rows that it has in memory."""

from __future__ import annotations

import datetime as dt
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from random import Random
from uuid import UUID

import duckdb
import narwhals as nw
import numpy as np
import pandas as pd
import polars as pl
import pytest

from proofs_tests.release.awkward import drawn
from tcloseness import FrequencySet, Hierarchy, Release, Table
from tcloseness.errors import TableError
from tcloseness.microdata import MISSING
from tcloseness.release.maps import Maps

pytestmark = pytest.mark.filterwarnings("ignore::tcloseness.errors.TableWarning")

Q = {"quasi_identifiers": ["a", "b"], "sensitive": "s"}


def cells(rows):
    return sorted(tuple("" if cell is None else cell for cell in row) for row in rows)


def every_drawn(folder: Path, seed: int, number: int) -> None:
    random, kinds = Random(seed), set()
    for _ in range(number):
        case = drawn(random, folder)
        frame = case.frame.astype(object).where(case.frame.notna(), None)
        try:
            statement, expressions = case.release.sql("given"), case.release.expressions()
            rows = case.release.rows(case.table)
        except TableError as error:
            if not any(each in str(error) for each in ("different ways", "both written")):
                raise
            continue
        expected = cells(zip(*rows.columns.values(), strict=True))
        with duckdb.connect() as connection:
            connection.register("given", pl.DataFrame(frame.to_dict("list"), schema=dict.fromkeys(frame, pl.String)))
            found = connection.execute(statement).fetchall()
            assert cells(found) == expected
            own = nw.from_native(connection.table("given")).with_columns(*case.release.expressions(uncovered="none"))
            assert cells(own.select(*rows.columns).to_native().fetchall()) == expected
        one = nw.from_native(pl.DataFrame(frame.to_dict("list"), schema=dict.fromkeys(frame, pl.String)))
        for each in (one, one.lazy()):
            shown = each.with_columns(*expressions).select(*rows.columns)
            shown = shown.collect("polars") if isinstance(shown, nw.LazyFrame) else shown
            assert cells(shown.rows()) == expected
        kinds.add((Maps(case.release).by_value is None, bool(case.release.suppressed)))
    assert len(kinds) == 4 or number < 20


@pytest.mark.long
def test_rows_are_the_same_in_the_engines_of_others(tmp_path):
    every_drawn(tmp_path, 1, 5)


@pytest.mark.slow
def test_rows_are_the_same_in_the_engines_of_others_in_many_draws(tmp_path):
    every_drawn(tmp_path, 2, 200)


VALUES = {
    "whole numbers": [2**53, 2**53 + 1, -1, None],
    "floats": [0.1, -2.5, 1.0, None],
    "decimals": [Decimal("0.10"), Decimal("12"), None, Decimal("-3.5")],
    "truth values": [True, False, None, True],
    "dates": [dt.date(1500, 1, 1), dt.date(2020, 2, 29), None, dt.date(9999, 12, 31)],
    "times of day": [dt.time(0, 0, 1), dt.time(23, 59, 59, 999_999), None, dt.time(0)],
    "times": [pd.Timestamp("2020-01-01 00:00:00.000001"), None, pd.Timestamp(0), pd.Timestamp("1999-12-31")],
}


@pytest.mark.parametrize("name", VALUES)
def test_values_of_every_type_are_found_by_the_statement(name):
    values = VALUES[name]
    frame = pd.DataFrame({"q": pd.Series(values, dtype=object), "s": ["x", "y", "z", "w"]})
    original = FrequencySet.from_frame(frame, quasi_identifiers="q", sensitive="s", missing="category")
    release = Release.full_domain(original)
    texts = {value if value is not None else None: "" if value is None else str(value) for value in values}
    with duckdb.connect() as connection:
        given = [value.to_pydatetime() if isinstance(value, pd.Timestamp) else value for value in values]
        connection.execute("create table given as select unnest(?) as q, unnest(?) as s", [given, ["x", "y", "z", "w"]])
        found = connection.execute(release.sql("given")).fetchall()
    whole = name == "floats"
    expected = zip((str(int(v)) if whole and v == 1 else texts[v] for v in values), "xyzw", strict=True)
    assert cells(found) == cells(expected)


def test_a_float_that_is_no_number_is_a_missing_cell():
    frame = pd.DataFrame({"a": [0.5, float("nan")], "b": ["x", "x"], "s": ["u", "v"]})
    release = Release.full_domain(FrequencySet.from_frame(frame, missing="category", **Q))
    own = pl.DataFrame({"a": [0.5, float("nan"), None], "b": ["x"] * 3, "s": ["u", "v", "v"]})
    assert nw.from_native(own).with_columns(*release.expressions()).rows()[1:] == [(None, "x", "v")] * 2
    with duckdb.connect() as connection:
        connection.register("own", own)
        assert cells(connection.execute(release.sql("own")).fetchall())[0] == ("", "x", "v")


@pytest.mark.parametrize("cell", ["7", None])
def test_a_row_without_a_label_is_an_error_of_the_engine_or_shows_what_is_given_for_it(cell):
    """Of an attribute that has no label, or of a combination that has none."""
    frame = pd.DataFrame({"a": ["1", "2"], "b": ["x", "y"], "s": ["u", "v"]})
    release = Release.full_domain(FrequencySet.from_frame(frame, **Q))
    own = pl.DataFrame({"a": ["1", cell], "b": ["x", "y"], "s": ["u", "v"]})
    with duckdb.connect() as connection:
        connection.register("own", own)
        with pytest.raises(duckdb.Error, match=f"no label of a for a = {cell or 'null'}"):
            connection.execute(release.sql("own"))
    with pytest.raises(nw.exceptions.InvalidOperationError, match="incomplete mapping"):
        nw.from_native(own).with_columns(*release.expressions())
    assert nw.from_native(own).with_columns(*release.expressions(uncovered="?"))["a"].to_list() == ["1", "?"]
    with pytest.raises(TableError, match="'1' is what the release shows for some values"):
        release.expressions(uncovered="1")


def test_the_statement_sorts_the_rows_and_keeps_what_it_is_told():
    frame = pd.DataFrame({"a": ["2", "1", "1"], "b": ["x"] * 3, "s": ["u", "v", "u"], "note": [1, 2, 3]})
    release = Release.full_domain(FrequencySet.from_frame(frame, **Q)).suppress([1])
    with duckdb.connect() as connection:
        connection.register("own", pl.from_pandas(frame))
        found = connection.execute(release.sql("own", keep=["note"])).fetchall()
    assert found == [("*", "*", "u", 1), ("1", "x", "u", 3), ("1", "x", "v", 2)]
    with pytest.raises(TableError, match="'a' is an attribute of the release"):
        release.sql("own", keep=["a"])


def test_no_row_shows_that_it_is_suppressed_where_there_is_no_quasi_identifier():
    released = Release.full_domain(
        FrequencySet.from_counts({("u",): 2, ("v",): 1}, quasi_identifiers=[], sensitive="s")
    )
    assert Maps(released).texts == {"s": ["u", "v"]}
    for write in (Release.rows, Release.expressions, lambda release: release.sql("own")):
        with pytest.raises(TableError, match="without quasi-identifiers, so no cell can mark them"):
            write(released.suppress([0]))


def test_a_value_that_is_hidden_for_some_alone_is_hidden_for_them():
    """Which label a sensitive value has follows from the quasi-identifiers then, and not from itself."""
    frame = pd.DataFrame({"a": ["1", "2", "1"], "b": ["x", "x", "y"], "s": ["u", "u", "v"]})
    original = FrequencySet.from_frame(frame, **Q)
    first = [code == 0 for code in original.codes["a"].tolist()]
    texts = ["hidden" if here and code == 0 else None for here, code in zip(first, original.codes["s"], strict=True)]
    release = replace(Release.full_domain(original), shown={"s": np.array(texts, dtype=object)})
    expected = [("1", "x", "hidden"), ("1", "y", "v"), ("2", "x", "u")]
    assert Maps(release).by_value is None
    assert cells(zip(*release.rows().columns.values(), strict=True)) == expected
    own = pl.from_pandas(frame)
    with duckdb.connect() as connection:
        connection.register("own", own)
        assert cells(connection.execute(release.sql("own")).fetchall()) == expected
    assert cells(nw.from_native(own).with_columns(*release.expressions()).rows()) == expected


def test_a_value_that_sql_cannot_have_is_refused_by_name():
    for value in (pd.Timestamp("2020-01-01 00:00:00.000000001"), b"x", float("inf")):
        frame = pd.DataFrame({"a": pd.Series([value], dtype=object), "b": ["x"], "s": ["u"]})
        release = Release.full_domain(FrequencySet.from_frame(frame, **Q))
        if value == float("inf"):
            assert "cast('inf' as double)" in release.sql("own")
        else:
            with pytest.raises(TableError, match=r"column 'a' has the value .*, which no SQL"):
                release.sql("own")


def people(zips):
    frame = pd.DataFrame({"a": zips, "b": ["x"] * len(zips), "s": ["u"] * len(zips)})
    return frame, Release.full_domain(FrequencySet.from_frame(frame, **Q))


@pytest.mark.parametrize("name", ["a", "s", "m", "m0", "m1", "r", "ta", "tm0"])
def test_a_table_may_be_called_as_the_statement_calls_its_own(name):
    frame, release = people(["1", "2"])
    with duckdb.connect() as connection:
        connection.register(name, pl.from_pandas(frame))
        assert connection.execute(release.suppress([1]).sql(name)).fetchall() == [("*", "*", "u"), ("1", "x", "u")]


def test_a_number_is_not_every_text_that_reads_as_it():
    """One row stays one, where a table has numbers in place of the texts that were counted."""
    _, release = people(["1", "01", "1.4"])
    found = duckdb.sql(release.sql("(select 1 as a, 'x' as b, 'u' as s)"))
    assert found.fetchall() == [("1", "x", "u")]


def test_columns_that_differ_in_case_alone_are_refused():
    _, release = people(["1", "2"])
    for keep in (["A"], ["note", "Note"], ["note", "note"]):
        with pytest.raises(TableError, match="which engines take for one"):
            release.sql("own", keep=keep)


@pytest.mark.parametrize("suppressed", [[], [0]])
def test_rows_that_were_left_out_of_the_count_are_left_out(suppressed):
    frame = pd.DataFrame({"a": ["1", "1", None, "2"], "b": ["x"] * 4, "s": ["u", None, "u", "u"]})
    release = Release.full_domain(FrequencySet.from_frame(frame, missing="drop", **Q)).suppress(suppressed)
    with duckdb.connect() as connection:
        connection.register("own", pl.from_pandas(frame))
        found = connection.execute(release.sql("own")).fetchall()
    assert found == [("*" if suppressed else "1", "*" if suppressed else "x", "u"), ("2", "x", "u")]


@pytest.mark.parametrize("cell", ["w", None])
def test_a_sensitive_value_that_was_not_counted_is_an_error_of_the_engine(cell):
    frame = pd.DataFrame({"a": ["1", "2"], "b": ["x", "y"], "s": ["u", "v"]})
    release = Release.full_domain(FrequencySet.from_frame(frame, **Q))
    with duckdb.connect() as connection:
        connection.register("own", pl.DataFrame({"a": ["1", "2"], "b": ["x", "y"], "s": ["u", cell]}))
        with pytest.raises(duckdb.Error, match=f"no label of s for s = {cell or 'null'}"):
            connection.execute(release.sql("own"))


MISSED = {
    "floats that are whole": ([1.0, float("nan"), 2.0, None], pl.Float64),
    "floats": ([0.5, float("nan"), 2.0, None], pl.Float64),
    "whole numbers": ([2**53, 2**53 + 1, None, None], pl.Int64),
    "no value at all": ([None, float("nan"), None, None], pl.Float64),
}


@pytest.mark.parametrize("rule", ["category", "drop"])
@pytest.mark.parametrize("name", MISSED)
def test_not_a_number_is_missing_in_every_engine_as_it_was_when_it_was_counted(name, rule):
    """Also where no value is left by which a column can be seen to be one of floats."""
    values, kind = MISSED[name]
    if rule == "drop" and name == "no value at all":
        return
    frame = pl.DataFrame({"a": values, "b": ["x"] * 4, "s": values}, schema={"a": kind, "b": pl.String, "s": kind})
    counted = FrequencySet.read(frame, missing=rule, **Q)
    release = Release.full_domain(counted)
    expected = cells(zip(*release.rows().columns.values(), strict=True))
    with duckdb.connect() as connection:
        connection.register("own", frame)
        found = connection.execute(release.sql("own")).fetchall()
    shown = [
        (a or "", b, "" if s is None or s != s else f"{s:g}" if kind == pl.Float64 else str(s)) for a, b, s in found
    ]
    assert sorted(shown) == expected
    if rule == "category":
        for each in (frame, frame.lazy(), frame.to_arrow(), *([frame.to_pandas()] if kind == pl.Float64 else [])):
            made = nw.from_native(each).lazy().with_columns(*release.expressions()).collect("pyarrow")["a"].to_list()
            assert sorted("" if cell is None else cell for cell in made) == sorted(row[0] for row in expected)


@pytest.mark.parametrize("kind", [pl.Int8, pl.UInt64, pl.Float32, pl.Decimal(9, 2), pl.Object], ids=str)
def test_whole_numbers_are_found_in_a_column_of_any_type_that_holds_them(kind):
    """Also where a type has no value that is not a number, so that an engine cannot ask for it."""
    frame = pd.DataFrame({"a": [1, 2, 3], "b": ["x"] * 3, "s": ["u", "v", "u"]})
    release = Release.full_domain(FrequencySet.from_frame(frame, **Q))
    given = frame.astype({"a": object}) if kind == pl.Object else pl.from_pandas(frame).cast({"a": kind})
    made = nw.from_native(given).with_columns(*release.expressions())["a"].to_list()
    assert made == ["1", "2", "3"]


@pytest.mark.parametrize("rule", ["category", "drop"])
def test_an_empty_cell_is_missing_where_it_was_counted_so(tmp_path, rule):
    """DuckDB reads a quoted empty cell as a text, and an empty one as null; of a file both are missing."""
    file = tmp_path / "in.csv"
    file.write_text('a,b,s\n1,x,u\n"",x,u\n,x,""\n2,x,\n')
    release = Release.full_domain(FrequencySet.read(file, missing=rule, **Q))
    expected = cells(zip(*release.rows().columns.values(), strict=True))
    assert cells(duckdb.sql(release.sql(f"read_csv('{file}', all_varchar=true)")).fetchall()) == expected


@pytest.mark.parametrize(
    "value",
    [pd.Timestamp("2020-01-01 00:00:00.000000001"), b"bytes", UUID(int=7), pd.Timedelta(1)],
    ids=str,
)
@pytest.mark.parametrize("column", ["a", "s"])
def test_what_no_sql_of_every_engine_has_is_refused_by_its_column(value, column):
    frame = pd.DataFrame({"a": ["1", "2"], "b": ["x", "y"], "s": ["u", "v"]}, dtype=object)
    frame.at[0, column] = value
    with pytest.raises(TableError, match=f"column '{column}' has the value .*, which no SQL of every engine has"):
        Release.full_domain(FrequencySet.from_frame(frame, **Q)).sql("own")


@pytest.mark.parametrize("odd", ["a\ud800b", "a\0b"])
@pytest.mark.parametrize("place", ["a", "s", "value", "table", "keep"])
def test_texts_that_engines_do_not_have_are_refused(odd, place):
    names = {"quasi_identifiers": odd if place == "a" else "a", "sensitive": odd if place == "s" else "s"}
    release = Release.full_domain(FrequencySet.from_counts({(odd if place == "value" else "1", "u"): 2}, **names))
    with pytest.raises(TableError, match="NUL or half of a character"):
        release.sql(odd if place == "table" else "own", keep=[odd] if place == "keep" else [])


@pytest.mark.parametrize(
    "column",
    [
        pl.Series([None] * 4, dtype=pl.String),
        pl.Series([None] * 4, dtype=pl.Date),
        pl.Series([None] * 4, dtype=pl.Int64),
        pl.Series([None] * 4),
        pl.Series([float("nan")] * 4),
    ],
    ids=["text", "date", "number", "null", "NaN"],
)
def test_a_column_of_missing_values_alone_is_shown_whatever_its_type(column: pl.Series) -> None:
    frame = pl.DataFrame({"a": [1, 2, 3, 4], "b": column, "s": ["x", "y", "x", "y"]})
    up = {"b": Hierarchy([[MISSING, "none"]], name="b")}
    given = pd.DataFrame({"a": [1, 2, 3, 4], "b": [None] * 4, "s": ["x", "y", "x", "y"]})
    shown = Table(given, **Q, missing="category", ground="equal", hierarchies=up).anonymize("mondrian", k=2)
    expected = cells(zip(*shown.rows.columns.values(), strict=True))
    for each in (frame, frame.lazy(), frame.to_arrow(), frame.to_pandas()):
        own = nw.from_native(each).with_columns(*shown.expressions()).select("a", "b", "s")
        own = own.collect() if isinstance(own, nw.LazyFrame) else own
        assert cells(own.rows()) == expected
    with duckdb.connect() as connection:
        connection.register("given", frame)
        assert cells(connection.execute(shown.sql("given")).fetchall()) == expected


def test_an_empty_text_of_a_file_is_missing_also_where_a_column_has_nothing_else(tmp_path: Path) -> None:
    file = tmp_path / "table.csv"
    file.write_text("a,b,s\n1,,x\n2,,y\n3,,x\n4,,y\n")
    shown = Release.full_domain(FrequencySet.read(file, **Q, missing="category"))
    for empty in ("", "nothing"):  # read as null, and as a text
        with duckdb.connect() as connection:
            connection.execute(f"create view given as from read_csv('{file}', all_varchar=true, nullstr='{empty}')")
            found = connection.execute(shown.sql("given")).fetchall()
        assert sorted(found) == [("1", None, "x"), ("2", None, "y"), ("3", None, "x"), ("4", None, "y")]
