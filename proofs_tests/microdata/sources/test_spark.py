"""Spark: the same audit, search and frequency set as DuckDB of the same data, though only counts leave its machines.

Started on two cores of this machine by ``make test-spark``, in an environment of its own; skipped where PySpark or Java
is not installed, unless TCLOSENESS_REQUIRE_SPARK=1 says that it must be.
"""

from __future__ import annotations

import datetime as dt
import json
import os
import re
import shutil
import sys
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from random import Random
from typing import Any

import narwhals
import numpy as np
import pandas as pd
import pyarrow as pa
import pyarrow.parquet
import pytest

from experiments import adult, adult_hierarchies
from proofs_tests.microdata.sources.routes import described
from proofs_tests.microdata.sources.test_routes import TYPES, expected, read, table_of
from proofs_tests.release.awkward import drawn
from proofs_tests.test_pages import ROOT, SOURCES, printed
from tcloseness import EntropyLDiversity, FrequencySet, Release, RollUp, check
from tcloseness.errors import InputError, TableError
from tcloseness.lattice import minimal_generalizations

pytestmark = [
    pytest.mark.spark,
    pytest.mark.slow,
    pytest.mark.filterwarnings("ignore:PySpark does not yet fully support pandas:FutureWarning"),
    pytest.mark.filterwarnings("ignore::tcloseness.errors.TableWarning"),
]


@pytest.fixture(scope="module")
def spark(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Any]:
    if find_spec("pyspark") is None or shutil.which("java") is None:
        if os.environ.get("TCLOSENESS_REQUIRE_SPARK") == "1":
            pytest.fail("PySpark or Java is not installed, and TCLOSENESS_REQUIRE_SPARK=1")
        pytest.skip("needs PySpark and Java: make test-spark")
    os.environ["PYSPARK_PYTHON"] = sys.executable
    os.environ["SPARK_LOCAL_IP"] = "127.0.0.1"
    from pyspark.sql import SparkSession

    place = str(tmp_path_factory.mktemp("spark"))
    options = {
        "spark.ui.enabled": "false",
        "spark.ui.showConsoleProgress": "false",
        "spark.driver.memory": "1g",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.driver.host": "127.0.0.1",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.session.timeZone": "Europe/Paris",
        "spark.sql.warehouse.dir": place,
        "spark.local.dir": place,
        "spark.log.level": "OFF",
    }
    builder = SparkSession.builder.master("local[2]").appName("tcloseness")
    for name, value in options.items():
        builder = builder.config(name, value)
    session = builder.getOrCreate()
    yield session
    session.stop()


def frame_of(spark: Any, table: pa.Table, folder: Path) -> Any:
    """The same table as a frame of Spark, which reads it from a file."""
    pyarrow.parquet.write_table(table, folder / "table.parquet")
    return spark.read.parquet(str(folder / "table.parquet"))


def same_answers(found: FrequencySet, other: FrequencySet, **thresholds: Any) -> None:
    assert described(found) == described(other)
    audits = [check(each, **thresholds).to_dict() for each in (found, other)]
    assert json.dumps(audits[0]["answer"]) == json.dumps(audits[1]["answer"])
    assert audits[0]["source"]["engine"].startswith("pyspark ")
    assert audits[0]["source"]["rows"] == other.records


def test_adult_is_audited_and_searched_as_by_duckdb(spark: Any, tmp_path: Path) -> None:
    hierarchies = adult_hierarchies.preset("T1")
    rows = pa.Table.from_pandas(adult.load("train-complete"), preserve_index=False)
    roles: dict[str, Any] = {"quasi_identifiers": list(hierarchies), "sensitive": "occupation"}
    found = FrequencySet.read(frame_of(spark, rows, tmp_path), **roles)
    by_duckdb = FrequencySet.read(tmp_path / "table.parquet", **roles)
    same_answers(found, by_duckdb, k=2, entropy_l=2)
    assert found.records == 30162
    searched = [
        minimal_generalizations(RollUp(each, hierarchies), EntropyLDiversity(2)).minimal for each in (found, by_duckdb)
    ]
    assert searched[0] == searched[1] != []


def test_a_file_of_texts_is_read_as_by_duckdb(spark: Any, tmp_path: Path) -> None:
    """With weights, missing cells, a marker and a declared domain."""
    random = Random(20)
    lines = ["zip,age,cost,times"]
    for _ in range(50_000):
        zip_code, age = random.choice([("*", "*"), (f"{random.randrange(300):05d}", str(random.randrange(90)))])
        lines.append(f"{zip_code},{age},{random.choice(['', 'low', 'mid', 'high'])},{random.randrange(1, 4)}")
    (tmp_path / "table.csv").write_text("\n".join(lines) + "\n")
    roles: dict[str, Any] = {
        "quasi_identifiers": ["zip", "age"],
        "sensitive": "cost",
        "weight": "times",
        "missing": "drop",
        "suppressed": "*",
        "domains": {"cost": ["low", "mid", "high", "huge"]},
    }
    found = FrequencySet.read(spark.read.csv(str(tmp_path / "table.csv"), header=True), **roles)
    by_duckdb = FrequencySet.read(tmp_path / "table.csv", **roles)
    assert found.dropped > 0
    assert found.suppressed.any()
    assert described(found) == described(by_duckdb)
    ground = {"cost": "ordered"}
    answers = [check(each, ground=ground, k=5, t="0.2").to_dict()["answer"] for each in (found, by_duckdb)]
    assert answers[0] == answers[1]


def test_the_example_of_the_page_prints_what_it_says(spark: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)
    code = SOURCES["Spark"]
    assert printed(code) == re.findall(r"print\(.*\)  # (.+)", code) != []


LACKING = ("uint64", "timestamp of nanoseconds", "timestamp of seconds", "time", "nothing")
"""Types of Arrow that Spark does not have, or has as another one."""

HELD = [kind for kind in TYPES if kind not in LACKING]


def test_all_types_together_are_the_same(spark: Any, tmp_path: Path) -> None:
    table = pa.table({**{kind: TYPES[kind] for kind in HELD}, "s": list("xxyyx")})
    found = read(frame_of(spark, table, tmp_path), quasi_identifiers=HELD)
    assert described(found) == described(expected(table, HELD))


@pytest.mark.parametrize("kind", HELD)
def test_every_type_is_the_same(kind: str, spark: Any, tmp_path: Path) -> None:
    table = table_of(TYPES[kind])
    assert described(read(frame_of(spark, table, tmp_path))) == described(expected(table))


@pytest.mark.parametrize("collation", ["UTF8_LCASE", "UTF8_BINARY_RTRIM", "UNICODE_CI"])
def test_a_collation_makes_no_texts_equal(collation: str, spark: Any) -> None:
    texts = [("a", "x"), ("A", "x"), ("a ", "x"), (None, "x")]
    frame = spark.createDataFrame(texts, schema=f"q string collate {collation}, s string")
    assert frame.groupBy("q").count().count() < 4, "Spark itself makes them one"
    assert sorted(map(str, read(frame).domains["q"].values)) == ["(missing)", "A", "a", "a "]


def test_names_are_taken_as_they_are(spark: Any) -> None:
    """Spark reads "a.b" as field b of a, and makes no difference between a and A."""
    frame = spark.createDataFrame([("1", "5", "7", "x"), ("2", "5", "7", "x")], ["a", "A", "a.b", "`s`"])
    found = FrequencySet.read(frame, quasi_identifiers=["a.b", "A"], sensitive="`s`")
    assert (found.domains["a.b"].values, found.domains["A"].values) == (("7",), ("5",))
    twice = spark.createDataFrame([("1", "2", "x")], ["a", "b", "s"]).toDF("a", "a", "s")
    with pytest.raises(TableError, match="2 columns named 'a'"):
        FrequencySet.read(twice, quasi_identifiers="a", sensitive="s")
    assert FrequencySet.read(twice, quasi_identifiers=[], sensitive="s").records == 1


@pytest.mark.parametrize(
    ("kind", "cell"),
    [
        ("map<string, int>", {"a": 1}),
        ("array<int>", [1]),
        ("struct<a: int>", (1,)),
        ("interval day to second", dt.timedelta(1)),
    ],
)
def test_a_column_that_cannot_be_counted_is_refused_by_its_name(kind: str, cell: Any, spark: Any) -> None:
    frame = spark.createDataFrame([(cell, "x")], schema=f"q {kind}, s string")
    with pytest.raises(TableError, match=f"column 'q'.*{kind.partition('<')[0]}"):
        read(frame)


def test_what_spark_cannot_count_is_said_in_words_with_the_column(spark: Any) -> None:
    frame = spark.createDataFrame([("1", "x"), ("no number", "x")], ["q", "s"])
    with pytest.raises(TableError, match=r"the frame of Spark cannot be counted.*column 'q'") as caught:
        read(frame.selectExpr("cast(q as int) as q", "s"))
    assert "CAST" not in str(caught.value), "its own words are the cause of the error, and not in it"
    assert caught.value.__cause__ is not None


def test_options_of_files_are_refused(spark: Any) -> None:
    frame = spark.createDataFrame([("1", "x")], ["q", "s"])
    with pytest.raises(InputError, match="memory='1GB' cannot apply"):
        read(frame, memory="1GB")


# ---------------------------------------------------------------------- the written release


def test_rows_are_published_where_they_are(spark: Any, tmp_path: Path) -> None:
    """Adult's rows, generalized and with small classes suppressed, as DuckDB writes them."""
    hierarchies = adult_hierarchies.preset("T1")
    rows = pa.Table.from_pandas(adult.load("train-complete"), preserve_index=False)
    frame = frame_of(spark, rows, tmp_path)
    table = FrequencySet.read(frame, quasi_identifiers=list(hierarchies), sensitive="occupation")
    release = Release.full_domain(table, hierarchies, dict.fromkeys(hierarchies, 1))
    small = np.flatnonzero(release.classes.class_sizes < 5)
    release = release.suppress(small.tolist())
    assert len(small) > 0
    names = [*hierarchies, "occupation"]
    release.write(tmp_path / "released.parquet")
    shown = narwhals.from_native(frame).with_columns(*release.expressions(uncovered="?")).select(*names).to_native()
    expected = pd.read_parquet(tmp_path / "released.parquet")[names]
    counted = {tuple(row[:-1]): row[-1] for row in shown.groupBy(*names).count().collect()}
    assert counted == expected.value_counts().to_dict()
    shown.write.mode("overwrite").parquet(str(tmp_path / "by_spark"))
    roles: dict[str, Any] = {"quasi_identifiers": list(hierarchies), "sensitive": "occupation", "suppressed": "*"}
    again = FrequencySet.read(str(tmp_path / "by_spark" / "*.parquet"), **roles)
    assert check(again, k=5).status == "satisfied"


def test_drawn_releases_are_published_as_in_memory(spark: Any, tmp_path: Path) -> None:
    random, published = Random(3), 0
    while published < 4:
        case = drawn(random, tmp_path)
        try:
            rows, expressions = case.release.rows(case.table), case.release.expressions(uncovered="no label")
        except TableError:  # equal records that are shown in different ways
            continue
        cells = case.frame.astype(object).where(case.frame.notna(), None)
        schema = ", ".join(f"c{place} string" for place in range(cells.shape[1]))
        frame = spark.createDataFrame(list(map(tuple, cells.to_numpy())), schema)
        shown = narwhals.from_native(frame.toDF(*cells)).with_columns(*expressions).select(*rows.columns)
        found = sorted(tuple(cell or "" for cell in row) for row in shown.to_native().collect())
        assert found == sorted(tuple(cell or "" for cell in row) for row in zip(*rows.columns.values(), strict=True))
        published += 1
