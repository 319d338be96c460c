"""A release that DuckDB writes is the one that its rows in memory write, byte for byte; else it is an error."""

from __future__ import annotations

import dataclasses
import datetime as dt
import os
import stat
import subprocess
import sys
from decimal import Decimal
from pathlib import Path
from random import Random

import duckdb
import numpy as np
import pandas as pd
import pytest

from proofs_tests.release.awkward import Written, drawn
from tcloseness import FrequencySet, Hierarchy, Release
from tcloseness.errors import InputError, LimitReached, TableError
from tcloseness.release import AnonymizedTable
from tcloseness.release.lines import LineWriter, ShownColumn

pytestmark = pytest.mark.filterwarnings("ignore::tcloseness.errors.TableWarning")

REFUSED = "different ways", "blanks around cells"
"""What a map cannot say, and what DuckDB does not read as it is meant."""


def written(case: Written, place: Path, separator: str = ",") -> bool:
    """Write a case; say whether that was possible."""
    try:
        form = {} if place.suffix == ".parquet" else {"separator": separator}
        case.release.write(place, **form, force=True, threads=1, **case.source)
    except TableError as error:
        if not case.keep or not any(each in str(error) for each in REFUSED):
            raise
        return False
    return True


def every_drawn(tmp_path: Path, seed: int, number: int) -> None:
    random, done = Random(seed), 0
    for _ in range(number):
        case = drawn(random, tmp_path)
        separator = random.choice(",;")
        try:
            rows = case.rows
        except TableError:  # values that are written alike
            continue
        if not written(case, tmp_path / "out.csv", separator):
            continue
        done += 1
        assert (tmp_path / "out.csv").read_bytes().decode() == rows.to_csv(separator=separator)
        assert written(case, tmp_path / "out.parquet")
        found = duckdb.sql(f"from '{tmp_path / 'out.parquet'}'")
        published = rows.published().columns
        assert found.columns == list(published)
        shown = [tuple("" if cell is None else cell for cell in row) for row in found.fetchall()]
        assert shown == list(zip(*published.values(), strict=True))
    assert done >= number // 2
    assert {each.name for each in tmp_path.iterdir()} == {"in.csv", "out.csv", "out.parquet"}


@pytest.mark.long
def test_what_is_written_is_what_the_rows_write(tmp_path):
    every_drawn(tmp_path, 1, 5)


@pytest.mark.slow
def test_what_is_written_is_what_the_rows_write_in_many_draws(tmp_path):
    every_drawn(tmp_path, 2, 150)


def test_lines_are_written_as_texts_in_memory_are(tmp_path):
    """Any texts, any separator, with more threads than one."""
    texts = ["", "a", '"', "a,b", "x\ny", "\r", " lead", "trail ", "\ufeffb", "9", "10", "010", "\u2003", "z\tq", "'"]
    random = Random(3)
    for number in range(6):
        width, height = random.randint(1, 4), random.randint(1, 20)
        columns = [ShownColumn(f"n{random.choice(texts)}{i}", random.sample(texts, 5)) for i in range(width)]
        codes = [np.array([random.randrange(5) for _ in range(height)]) for _ in columns]
        counts, separator = np.array([random.randint(1, 4) for _ in range(height)]), random.choice(",;\t| '")
        place = tmp_path / f"{number}.csv"
        with duckdb.connect(config={"threads": 2}) as connection:
            writer = LineWriter(connection, [column.name for column in columns], "CSV", separator)
            for column in columns:
                writer.add(column)
            assert writer.write(writer.of_codes(codes, counts), place, counted=True) == counts.sum()
        rows = np.repeat(np.arange(height), counts)
        cells = {c.name: [c.texts[i] for i in of[rows]] for c, of in zip(columns, codes, strict=True)}
        expected = AnonymizedTable(cells, np.zeros(len(rows), dtype=bool), None).to_csv(separator=separator)
        assert place.read_bytes().decode() == expected


def people(tmp_path: Path, **more: list[object]) -> tuple[Path, Release]:
    """A file, and its release with one class of two suppressed."""
    frame = pd.DataFrame(
        {"zip": ["1", "1", "2", "2"], "ill": ["a", "b", "a", "a"], "note": ["x", "y", "z", "z"], **more}
    )
    file = tmp_path / "people.csv"
    frame.to_csv(file, index=False)
    return file, Release.full_domain(FrequencySet.read(file, quasi_identifiers="zip", sensitive="ill")).suppress([1])


def test_what_is_kept_stands_beside_suppressed_records_too(tmp_path):
    file, release = people(tmp_path)
    release.write(tmp_path / "out.tsv", file, keep=["note"])
    assert (tmp_path / "out.tsv").read_text() == "zip\till\tnote\n1\ta\tx\n1\tb\ty\n*\ta\tz\n*\ta\tz\n"


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        ({"withheld": np.array([False, True, False])}, ["1,a,x", "2,a,z", "2,a,z", "*,b,y"]),
        ({"withheld": np.array([True, True, False])}, ["2,a,z", "2,a,z", "*,a,x", "*,b,y"]),
        ({"shown": {"ill": np.array([None, "?", None], dtype=object)}}, ["1,?,y", "1,a,x", "2,a,z", "2,a,z"]),
        ({"shown": {"ill": np.array([None, None, "b"], dtype=object)}}, ["1,a,x", "1,b,y", "2,b,z", "2,b,z"]),
    ],
)
def test_a_class_may_be_suppressed_in_part_and_values_be_hidden(tmp_path, change, expected):
    """The combinations are (1, a), (1, b), (2, a); where quasi-identifiers do not decide, all attributes do."""
    file, _ = people(tmp_path)
    release = Release.full_domain(FrequencySet.read(file, quasi_identifiers="zip", sensitive="ill"))
    release = dataclasses.replace(release, **change)
    release.write(tmp_path / "out.csv", file, keep=["note"])
    assert (tmp_path / "out.csv").read_text().splitlines() == ["zip,ill,note", *expected]
    statement = release.sql(f"read_csv('{file}', all_varchar=true)", keep=["note"])
    assert sorted(",".join(row) for row in duckdb.sql(statement).fetchall()) == sorted(expected)
    release.write(tmp_path / "counts.csv")
    assert (tmp_path / "counts.csv").read_text().splitlines()[1:] == [line.rpartition(",")[0] for line in expected]


def test_many_lines_are_in_published_order_with_more_threads_than_one(tmp_path):
    """More than DuckDB holds in one group of rows."""
    rows = 300_000
    column = ShownColumn("n", [str(i) for i in range(1000)])
    random = np.random.default_rng(4)
    with duckdb.connect(config={"threads": 2, "preserve_insertion_order": "false"}) as connection:
        writer = LineWriter(connection, ["n"], "CSV", ",")
        writer.add(column)
        lines = writer.of_codes([random.integers(1000, size=rows)], np.ones(rows, dtype=np.int64))
        assert writer.write(lines, tmp_path / "out.csv", counted=True) == rows
    header, *written = (tmp_path / "out.csv").read_text().splitlines()
    assert header == "n"
    assert written == sorted(written, key=int)


def test_in_parquet_values_have_their_types_and_labels_are_texts(tmp_path):
    values = {
        "int": [1, 2], "float": [0.5, None], "date": [dt.date(2020, 2, 29), None], "time": [dt.time(1, 2, 3), None],
        "decimal": [Decimal("1.50"), Decimal("-12")], "bool": [True, False], "text": ["a", None],
        "ns": [pd.Timestamp("2020-01-01 00:00:00.000000001"), pd.NaT], "large": [2**63, 1], "mixed": [1, "1"],
    }  # fmt: skip
    counts = {("7", *row): 1 for row in zip(*values.values(), strict=True)}
    roles = {"quasi_identifiers": "q", "sensitive": [*values]}
    original = FrequencySet.from_counts(counts, missing="category", **roles)
    with pytest.raises(TableError, match="two values that are both written '1'"):
        Release.full_domain(original).write(tmp_path / "out.parquet")
    del values["mixed"]
    counts = {("7", *row): 1 for row in zip(*values.values(), strict=True)}
    original = FrequencySet.from_counts(counts, quasi_identifiers="q", sensitive=[*values], missing="category")
    Release.full_domain(original).write(tmp_path / "out.parquet")
    found = duckdb.sql(f"from '{tmp_path / 'out.parquet'}'")
    assert [str(each) for each in found.types] == [
        "VARCHAR", "BIGINT", "DOUBLE", "DATE", "TIME", "DECIMAL(4,2)", "BOOLEAN", "VARCHAR", "TIMESTAMP_NS", "VARCHAR",
    ]  # fmt: skip
    again = FrequencySet.read(tmp_path / "out.parquet", missing="category", **{**roles, "sensitive": [*values]})
    for name in values:
        if name != "large":
            assert again.domains[name].values == original.domains[name].values


@pytest.mark.parametrize(
    ("change", "told"),
    [
        (lambda text: text.replace("2,a,z", "3,a,z", 1), "has changed since it was counted"),
        (lambda text: text + "1,a,x\n", "has changed since it was counted"),
    ],
)
def test_a_file_that_has_changed_is_refused(tmp_path, change, told):
    file, release = people(tmp_path)
    file.write_text(change(file.read_text()))
    for keep in (["note"], []):
        with pytest.raises(TableError, match=told):
            release.write(tmp_path / "out.csv", file, keep=keep)
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.parametrize(
    ("cells", "told"),
    [
        ("1,a,x\n1,b,y\n2,a,z\n3,a,z\n", r"column 'zip' of file .* has the value '3', for which the release has no"),
        ("1,a,x\n1,b,y\n2,a,z\n,a,z\n", "column 'zip' of file .* has the value .missing., for which"),
        ("1,a,x\n1,b,y\n2,c,z\n2,a,z\n", "column 'ill' of file .* has the value 'c', for which"),
        ("1,a,x\n1,b,y\n2,a,z\n", "the release covers 3 rows of file .*, and was made from 4"),
        ("1,a,x\n1,b,y\n2,a,z\n2,a,z\n1,a,x\n", "the release covers 5 rows of file .*, and was made from 4"),
    ],
)
def test_rows_that_the_release_does_not_cover_are_an_error_by_name(tmp_path, cells, told):
    """The release of rows in memory, whose file is not known, so that its rows alone tell."""
    frame = pd.DataFrame({"zip": ["1", "1", "2", "2"], "ill": ["a", "b", "a", "a"]})
    release = Release.full_domain(FrequencySet.from_frame(frame, quasi_identifiers="zip", sensitive="ill"))
    (tmp_path / "people.csv").write_text("zip,ill,note\n" + cells)
    with pytest.raises(TableError, match=told):
        release.write(tmp_path / "out.csv", tmp_path / "people.csv", keep=["note"])
    assert {each.name for each in tmp_path.iterdir()} == {"people.csv"}


@pytest.mark.parametrize(
    ("keep", "told"),
    [
        (["zip"], "'zip' is an attribute of the release, which is written anyway"),
        (["note", "note"], "keep names column 'note' more than once"),
        (["nothing"], "the source has 0 columns 'nothing'; its columns are 'zip', 'ill', 'note'"),
    ],
)
def test_what_cannot_be_kept_is_refused(tmp_path, keep, told):
    file, release = people(tmp_path)
    with pytest.raises(TableError, match=told):
        release.write(tmp_path / "out.csv", file, keep=keep)


def test_what_stands_in_the_source_alone_needs_it(tmp_path):
    file, release = people(tmp_path, w=[1, 2, 1, 1])
    with pytest.raises(TableError, match=r"column\(s\) 'note' stand in the source alone"):
        release.write(tmp_path / "out.csv", keep=["note"])
    weighted = FrequencySet.read(file, quasi_identifiers="zip", sensitive="ill", weight="w")
    with pytest.raises(TableError, match="the weights stand in the source alone"):
        Release.full_domain(weighted).write(tmp_path / "out.csv")
    with pytest.raises(TableError, match="the weights stand in the source alone"):
        Release.full_domain(weighted).write(tmp_path / "out.csv", file)
    with pytest.raises(TableError, match="rows are written from files"):
        release.write(tmp_path / "out.csv", duckdb.sql("select 1"), keep=["note"])


def test_what_duckdb_does_not_read_as_it_is_meant_is_refused(tmp_path):
    file, release = people(tmp_path)
    file.write_text(file.read_text().replace(",y", ", y"))
    release = Release.full_domain(FrequencySet.read(file, quasi_identifiers="zip", sensitive="ill"))
    with pytest.raises(TableError, match="blanks around cells"):
        release.write(tmp_path / "out.csv", file, keep=["note"])


def test_a_cell_with_blanks_around_it_is_not_taken_for_a_value_that_has_them(tmp_path):
    """Unquoted it is 1, quoted it is another value."""
    file = tmp_path / "people.csv"
    for cells in ('1,a,x\n 1,a,y\n" 1",b,z\n', "1,a,x\n 1,a,y\n2,b,z\n", "1,a,x\n NA,a,y\n2,b,z\n"):
        file.write_text("zip,ill,note\n" + cells)
        reading = {"missing_texts": ("NA",)}
        counted = FrequencySet.read(file, quasi_identifiers="zip", sensitive="ill", missing="category", **reading)
        with pytest.raises(TableError, match="blanks around cells"):
            Release.full_domain(counted).write(tmp_path / "out.csv", file, keep=["note"], **reading)


def test_the_source_is_never_overwritten_by_any_name(tmp_path):
    file, release = people(tmp_path)
    before = file.read_bytes()
    (tmp_path / "link.csv").symlink_to(file)
    os.link(file, tmp_path / "hard.csv")
    for name in ("people.csv", "link.csv", "hard.csv"):
        for source in (file, [file], str(tmp_path / "peopl?.csv")):
            with pytest.raises(InputError, match="is never overwritten"):
                release.write(tmp_path / name, source, keep=["note"], force=True)
    assert file.read_bytes() == before


def test_the_marker_is_written_as_a_cell(tmp_path):
    file, release = people(tmp_path)
    release.write(tmp_path / "out.csv", file, keep=["note"], separator="*")
    assert (tmp_path / "out.csv").read_text().splitlines()[-1] == '"*"*a*z'


@pytest.mark.parametrize("sizes", [[2, 1100, 1000, 1200], [1000] * 7])
def test_numbers_of_combinations_do_not_overflow(tmp_path, sizes):
    """The largest number lies beyond the type that holds each of its parts."""
    names = [f"q{i}" for i in range(len(sizes))]
    rows = [[str(min(row, size - 1)) for size in sizes] + ["a", f"n{row}"] for row in range(max(sizes))]
    file = tmp_path / "in.csv"
    file.write_text("".join(",".join(row) + "\n" for row in [[*names, "ill", "note"], *rows]))
    release = Release.full_domain(FrequencySet.read(file, quasi_identifiers=names, sensitive="ill"))
    of = release.original
    highest = np.stack([of.codes[name] == of.domains[name].code(rows[-1][i]) for i, name in enumerate(names)])
    where = int(np.flatnonzero(highest.all(axis=0))[0])
    release.suppress([where]).write(tmp_path / "out.csv", file, keep=["note"])
    found = [line for line in (tmp_path / "out.csv").read_text().splitlines() if line.startswith("*")]
    assert found == [",".join(["*"] * len(names) + ["a", rows[-1][-1]])]


@pytest.mark.parametrize(
    ("values", "type_"),
    [
        ([pd.Timestamp(f"2020-01-01 00:00:00.00000000{i}", tz="UTC") for i in (1, 2)], "VARCHAR"),
        ([pd.Timestamp("2020-01-01", tz="UTC")], "TIMESTAMP WITH TIME ZONE"),
        ([dt.datetime(3000, 1, 1), dt.datetime(1, 1, 1)], "TIMESTAMP"),
        ([dt.time(1, tzinfo=dt.UTC), dt.time(1)], "VARCHAR"),
        ([10**400, 0.5], "VARCHAR"),
        ([2**60, 0.5, float("inf")], "DOUBLE"),
    ],
)
def test_no_type_of_parquet_makes_another_value_of_one(tmp_path, values, type_):
    counts = {("7", value): 1 for value in values}
    release = Release.full_domain(FrequencySet.from_counts(counts, quasi_identifiers="q", sensitive="s"))
    release.write(tmp_path / "out.parquet")
    found = duckdb.sql(f"select s, s::varchar from '{tmp_path / 'out.parquet'}'")
    assert str(found.types[0]) == type_
    assert len({text for _, text in found.fetchall()}) == len(values)


@pytest.mark.parametrize(("names", "form"), [(["a", "A"], "parquet"), (["a", ""], "parquet")])
def test_names_that_no_engine_tells_apart_are_refused_in_parquet(tmp_path, names, form):
    original = FrequencySet.from_counts({("x", "y"): 2}, quasi_identifiers=names)
    with pytest.raises(InputError, match="cannot be written to Parquet"):
        Release.full_domain(original).write(tmp_path / f"out.{form}")
    Release.full_domain(original).write(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == ",".join(names) + "\nx,y\nx,y\n"


@pytest.mark.parametrize(
    ("text", "told"), [("a\0", "holds the character NUL"), ("\ud800", "cannot be written in utf-8")]
)
def test_a_text_that_no_file_holds_is_refused(tmp_path, text, told):
    original = FrequencySet.from_counts({(text, "y"): 2}, quasi_identifiers="a", sensitive="s")
    with pytest.raises(InputError, match=told):
        Release.full_domain(original).write(tmp_path / "out.csv")
    assert not list(tmp_path.iterdir())


def test_a_file_is_overwritten_by_force_alone_and_has_the_usual_permissions(tmp_path):
    _, release = people(tmp_path)
    (tmp_path / "plain").write_text("")
    release.write(tmp_path / "out.csv")
    assert stat.S_IMODE(os.stat(tmp_path / "out.csv").st_mode) == stat.S_IMODE(os.stat(tmp_path / "plain").st_mode)
    with pytest.raises(InputError, match="exists and is not overwritten"):
        release.write(tmp_path / "out.csv")
    release.write(tmp_path / "out.csv", force=True)


def test_memory_that_does_not_suffice_is_a_limit_by_name(tmp_path):
    _, release = people(tmp_path)
    with pytest.raises(LimitReached, match="takes more memory than DuckDB may take"):
        release.write(tmp_path / "out.csv", memory=1000)
    assert not (tmp_path / "out.csv").exists()


@pytest.mark.slow
def test_a_disk_that_is_full_leaves_nothing(tmp_path):
    """A process may write files of so many bytes: the table is larger."""
    program = """if True:
        import resource, signal, sys
        from tcloseness import FrequencySet, Release
        from tcloseness.errors import InputError
        counts = {(str(i), i % 7): 1 for i in range(30_000)}
        release = Release.full_domain(FrequencySet.from_counts(counts, quasi_identifiers="q", sensitive="s"))
        signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
        resource.setrlimit(resource.RLIMIT_FSIZE, (100_000, 100_000))
        try:
            release.write(sys.argv[1], threads=1)
        except InputError as error:
            print(error)
    """
    done = subprocess.run(
        [sys.executable, "-W", "ignore", "-c", program, str(tmp_path / "out.csv")],
        capture_output=True,
        text=True,
        check=True,
    )
    assert "out.csv' cannot be written" in done.stdout, done
    assert not list(tmp_path.iterdir())


def test_levels_of_a_hierarchy_are_shown_by_their_labels(tmp_path):
    """The example of the documentation, by hand."""
    counts = {("21", "flu"): 2, ("25", "cold"): 1, ("41", "flu"): 1}
    original = FrequencySet.from_counts(counts, quasi_identifiers="age", sensitive="ill")
    ages = Hierarchy.intervals(["21", "25", "41"], [10], origin=1, name="age")
    release = Release.full_domain(original, {"age": ages}, {"age": 1})
    release.suppress([1]).write(tmp_path / "out.csv")
    assert (tmp_path / "out.csv").read_text() == "age,ill\n21-30,cold\n21-30,flu\n21-30,flu\n*,flu\n"


OPTIONS = {"separator": ";", "source_separator": ",", "encoding": "utf-8", "missing_texts": ["-"], "memory": "1GB"}
OPTIONS |= {"threads": 1, "keep": ["note"]}


@pytest.mark.long
@pytest.mark.parametrize("output", ["out.csv", "out.tsv", "out.parquet"])
@pytest.mark.parametrize("source", [None, "in.csv", "in.parquet"])
@pytest.mark.parametrize("option", OPTIONS)
def test_an_option_is_obeyed_or_refused_by_name(tmp_path, output, source, option):
    """What does nothing for an output or a source is said."""
    frame = pd.DataFrame({"a": ["1", "1", "2"], "s": ["u", "v", "?"], "note": ["x", "y", "z"]})
    frame.to_csv(tmp_path / "in.csv", index=False)
    duckdb.sql(f"copy (from frame) to '{tmp_path}/in.parquet'")
    counted = FrequencySet.read(tmp_path / (source or "in.csv"), quasi_identifiers="a", sensitive="s")
    release = Release.full_domain(counted)
    given = {option: OPTIONS[option]} | ({"keep": ["note"]} if source else {})
    where = {"source": tmp_path / source} if source else {}
    cannot = (
        (option == "separator" and output == "out.parquet")
        or (source is None and option in ("source_separator", "encoding", "missing_texts", "keep"))
        or (source == "in.parquet" and option in ("source_separator", "encoding"))
    )
    if not cannot:
        release.write(tmp_path / output, **where, **given)
        assert (tmp_path / output).exists()
        return
    with pytest.raises(InputError) as refused:
        release.write(tmp_path / output, **where, **given)
    name = {"source_separator": "separator", "keep": "note"}.get(option, option)
    assert name in str(refused.value)
    assert not (tmp_path / output).exists()


@pytest.mark.parametrize("name", ["out.csv.gz", "out.zst", "out.xlsx", "out.ZIP"])
def test_a_name_that_says_something_else_than_what_is_written_is_refused(tmp_path, name):
    _, release = people(tmp_path)
    with pytest.raises(InputError, match=r"is called like .*, and what is written is CSV or Parquet"):
        release.write(tmp_path / name)
