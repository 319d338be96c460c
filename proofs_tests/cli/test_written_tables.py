"""The tables that commands write: in CSV the same bytes whoever writes them, in Parquet the same rows with types."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from random import Random

import duckdb
import pytest

from proofs_tests.cli.commands import recheck, run
from proofs_tests.cli.interrupts import trial
from proofs_tests.cli.scenarios import make_inputs
from tcloseness.cli import released

TABLE = 'q,"n, m",s,note,w\na,1,flu,x,1\na,2,"co,ld",,2\nb,3,flu,y,1\nb,4,"a ""b""",y,1\na,5,"co,ld",z,3\n,6,flu,x,1\n'

LEVELS = {
    "q": "a,known,*\nb,known,*\n(missing),unknown,*\n",
    "n, m": "".join(f"{i},t{i // 3},*\n" for i in range(1, 7)),
}

ASKED = ("in.csv", "-q", "q", "-q", "n, m", "-s", "s", "--hierarchies", "levels", "--missing", "category")

COMMANDS = {
    "search": ("search", *ASKED, "--k", "2", "--optimum", "dm", "--suppression", "0.2"),
    "search, dropped": ("search", *ASKED[:-1], "drop", "--k", "2", "--optimum", "height"),
    "search, nothing generalized": ("search", *ASKED, "--k", "1", "--optimum", "height"),
    "search, of one column": ("search", "in.csv", "-q", "q", "-s", "s", *ASKED[-4:], "--k", "1", "--minimal"),
    "search, weights": ("search", *ASKED, "--k", "3", "--weight", "w", "--optimum", "dm", "--suppression", "0.4"),
    "search, kept": ("search", *ASKED, "--k", "2", "--keep", "note", "--optimum", "dm", "--suppression", "0.2"),
    "mondrian": ("anonymize", *ASKED, "--k", "2", "--method", "mondrian", "--seed", "1"),
    "datafly": ("anonymize", *ASKED, "--k", "2", "--method", "datafly", "--seed", "1"),
    "swapping": ("anonymize", *ASKED, "--t", "0.9", "--ground", "s=equal", "--k", "2", "--method", "swapping"),
    "anatomy": ("anonymize", *ASKED[:-4], *ASKED[-2:], "--distinct-l", "2", "--method", "anatomy"),
    "cut": ("optimal", "cut", *ASKED, "--k", "2", "--seed", "1"),
    "suppression": ("optimal", "suppression", *ASKED, "--node", "11", "--distinct-l", "2", "--seed", "1"),
    "hiding": ("optimal", "hiding", *ASKED, "--node", "11", "--distinct-l", "2", "--seed", "1"),
}  # fmt: skip

FEW = [
    pytest.param(name, marks=[] if name in ("search", "search, weights", "datafly", "hiding") else pytest.mark.slow)
    for name in COMMANDS
]
"""Each way in which a release becomes a file at once; all of them take longer."""

DRAWN = dict.fromkeys(["swapping", "anatomy"], ("--seed", "1"))


@pytest.fixture(autouse=True)
def _here(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text(TABLE, encoding="utf-8")
    Path("levels").mkdir()
    for name, text in LEVELS.items():
        Path("levels", f"{name}.csv").write_text(text, encoding="utf-8")


def written(*line: str, output: str = "out.csv") -> tuple[bytes, dict]:
    answer = run(*line, "--output", output, "--force")
    assert answer.code == 0, answer.err
    done = json.loads(Path(output).with_suffix(".json").read_text(encoding="utf-8"))
    assert not [path for path in Path().iterdir() if path.name.startswith(".")]
    return Path(output).read_bytes(), done


@pytest.mark.parametrize("name", FEW)
@pytest.mark.parametrize("separator", [",", pytest.param(";", marks=pytest.mark.slow)])
def test_many_rows_are_written_as_few_are(name, separator, monkeypatch):
    line = (*COMMANDS[name], *DRAWN.get(name, ()))
    if separator == ";":
        Path("in.csv").write_text(
            TABLE.replace(",", "@").replace("co@ld", "co,ld").replace("n@ m", "n, m").replace("@", ";")
        )
        line = (*line, "--separator", ";")
    few = written(*line)
    monkeypatch.setattr(released, "_MANY", 0)
    if name != "anatomy":  # two tables of rows
        monkeypatch.setattr(released.ReleaseFile, "of", None)
    assert written(*line) == few


@pytest.mark.parametrize("many", [pytest.param(0, marks=pytest.mark.slow), 100])
@pytest.mark.parametrize("name", FEW)
def test_parquet_has_the_rows_of_csv(name, many, monkeypatch):
    monkeypatch.setattr(released, "_MANY", many)
    line = (*COMMANDS[name], *DRAWN.get(name, ()))
    _, csv = written(*line)
    content, parquet = written(*line, output="out.parquet")
    found = duckdb.sql("from 'out.parquet'")
    assert {str(each) for each in found.types} == {"VARCHAR"}
    shown = duckdb.read_csv("out.csv", header=True, all_varchar=True, quotechar='"', escapechar='"', delimiter=",")
    assert found.columns == shown.columns
    assert found.fetchall() == shown.fetchall()
    first = parquet["anonymized"] if isinstance(parquet["anonymized"], dict) else parquet["anonymized"][0]
    assert first == {"file": "out.parquet", "sha256": hashlib.sha256(content).hexdigest()}
    for each in (csv, parquet):
        each.pop("anonymized")
        each["check"] = each["check"] and each["check"].replace("out.parquet", "out.csv").replace(".parquet", ".csv")
    assert parquet == csv


@pytest.mark.parametrize("name", ["search, weights", "mondrian"])
def test_parquet_passes_its_re_check(name):
    Path("in.csv").write_text(TABLE.replace(",", ";").replace("n; m", "n, m"))
    _, done = written(*COMMANDS[name], "--separator", ";", output="out.parquet")
    checked = recheck(done)
    assert (checked.code, checked.record["suppressed"]) == (0, done["suppressed_records"])


@pytest.mark.long
@pytest.mark.parametrize("many", [0, 100])
def test_values_of_parquet_keep_their_types(many, monkeypatch):
    monkeypatch.setattr(released, "_MANY", many)
    duckdb.sql(
        "copy (select * from (values (1, 2.5, date '2020-02-29', 7), (1, 0.5, null, 8), (2, 2.5, null, 9)) "
        "t(q, s, d, w)) to 'in.parquet' (format parquet)"
    )
    line = ("search", "in.parquet", "-q", "q", "-s", "s", "--suppress-only", "q", "--k", "1", "--optimum", "height")
    assert run(*line, "--output", "out.parquet").code == 0
    found = duckdb.sql("from 'out.parquet'")
    assert str(found.types[0]) == "VARCHAR"
    assert duckdb.sql("select q, s::double from 'out.parquet'").fetchall() == [("1", 0.5), ("1", 2.5), ("2", 2.5)]
    assert str(found.types[1]) != "VARCHAR"
    assert run(*line, "--keep", "d,w", "--output", "kept.parquet").code == 0
    kept = duckdb.sql("select q, d::date, w from 'kept.parquet'")
    assert kept.fetchall()[1][1].isoformat() == "2020-02-29"
    assert str(duckdb.sql("from 'kept.parquet'").types[3]) == "BIGINT"


ALL_KEPT = ("-q", "q", "-s", "s", "--suppress-only", "q", "--k", "1", "--keep", "w", "--minimal")


@pytest.mark.long
def test_a_number_that_is_kept_is_written_as_it_is(monkeypatch):
    duckdb.sql("copy (select 1 as q, 'x' as s, unnest([1.0, 2.5, null]::double[]) as w) to 'in.parquet'")
    line = ("search", "in.parquet", *ALL_KEPT)
    few = written(*line)
    assert few[0] == b"q,s,w\n1,x,\n1,x,1.0\n1,x,2.5\n"
    monkeypatch.setattr(released, "_MANY", 0)
    monkeypatch.setattr(released.ReleaseFile, "of", None)
    assert written(*line) == few
    duckdb.sql("copy (select 1 as q, 'x' as s, unnest([1.0, 2.0, null]::double[]) as w) to 'in.parquet'")
    written(*line, output="out.parquet")
    found = duckdb.sql("from 'out.parquet'")
    assert str(found.types[2]) == "DOUBLE"
    assert found.fetchall() == [("1", "x", None), ("1", "x", 1.0), ("1", "x", 2.0)]


def test_the_files_of_a_pattern_are_read_again_for_what_is_kept(monkeypatch):
    Path("part-1.csv").write_text("q,s,w\na,x,1\nb,x,2\n", encoding="utf-8")
    Path("part-2.csv").write_text("q,s,w\na,y,3\n", encoding="utf-8")
    line = ("search", "part-*.csv", *ALL_KEPT)
    few = written(*line)
    assert few[0] == b"q,s,w\na,x,1\na,y,3\nb,x,2\n"
    monkeypatch.setattr(released, "_MANY", 0)
    monkeypatch.setattr(released.ReleaseFile, "of", None)
    assert written(*line) == few


def test_spellings_that_are_merged_are_written_as_they_are_read(monkeypatch):
    Path("in.csv").write_text("q,s,w\na,x,1\nA,x,2\na,y,3\n", encoding="utf-8")
    line = ("search", "in.csv", "-q", "q", "-s", "s", "--suppress-only", "q", "--k", "1", "--keep", "w", "--minimal")
    few = written(*line, "--merge-spellings", "q")
    monkeypatch.setattr(released, "_MANY", 0)
    assert written(*line, "--merge-spellings", "q") == few


def test_the_certificate_of_a_table_in_parquet_is_of_its_counts():
    line = (*COMMANDS["mondrian"], "--output", "out.parquet", "--certificate", "proof.json", "--counts", "counts.txt")
    assert run(*line).code == 0
    assert run("verify", "proof.json", "--table", "counts.txt").code == 0


@pytest.mark.slow
def test_a_signal_at_any_moment_leaves_all_or_nothing(tmp_path):
    make_inputs(tmp_path)
    random = Random(5)
    for _ in range(30):
        trial("search, to Parquet", tmp_path, random, longest=2.5)


def test_names_that_parquet_cannot_have_are_refused_and_nothing_is_written():
    Path("in.csv").write_text("q,Q,s\na,b,x\na,b,y\n", encoding="utf-8")
    answer = run("search", "in.csv", "-q", "q", "-s", "s", "--suppress-only", "q", "--k", "1", "--optimum", "height",
                 "--keep", "Q", "--output", "out.parquet")  # fmt: skip
    assert answer.code == 2
    assert "column 'q' cannot be written to Parquet" in answer.err
    assert {path.name for path in Path().iterdir()} == {"in.csv", "levels"}


KEPT = (*COMMANDS["search, kept"], "--output", "out.csv")


@pytest.mark.parametrize("many", [0, 100])
@pytest.mark.parametrize("table", ["in.csv", "i?.csv"])
def test_a_table_that_changes_while_it_is_searched_is_an_error(many, table, monkeypatch):
    """What is kept was not counted, so that nothing else would tell."""
    write = released.ReleaseFile.of_release

    def changed(*given):
        Path("in.csv").write_text(TABLE.replace(",z,", ",Z,"), encoding="utf-8")
        return write(*given)

    monkeypatch.setattr(released, "_MANY", many)
    monkeypatch.setattr(released.ReleaseFile, "of_release", changed)
    if table != "in.csv":
        Path("ix.csv").write_text(TABLE, encoding="utf-8")
    answer = run(KEPT[0], table, *KEPT[2:])
    assert (answer.code, "has changed since it was counted" in answer.err) == (2, True)
    assert not Path("out.csv").exists()


@pytest.mark.parametrize("name", ["search", "mondrian", "hiding"])
@pytest.mark.parametrize("table", ["in.csv", "in.parquet", "*.zst"])
def test_every_engine_of_a_command_has_the_limits_that_were_given(name, table, monkeypatch):
    """Whoever counts, reads or writes a table: the limits are those of the command, and the bytes are the same."""
    from tcloseness.microdata.sources import duckdb_engine

    duckdb.sql("copy (from read_csv('in.csv', all_varchar=true)) to 'in.parquet'")
    duckdb.sql("copy (from read_csv('in.csv', all_varchar=true)) to 'in.csv.zst' (header)")
    plain = written(*COMMANDS[name], *DRAWN.get(name, ()))[0]
    given = []
    session = duckdb_engine.session
    for module in ("duckdb", "duckdb_files"):
        monkeypatch.setattr(
            f"tcloseness.microdata.sources.{module}.session",
            lambda options: (given.append(options), session(options))[1],
        )
    monkeypatch.setattr(
        "tcloseness.release.writing_back.session", lambda options: (given.append(options), session(options))[1]
    )
    monkeypatch.setattr(released, "_MANY", 0)
    verb, *more = COMMANDS[name]
    line = [verb, *(table if each == "in.csv" else each for each in more), *DRAWN.get(name, ())]
    found = written(*line, "--memory", "1GB", "--threads", "1")[0]
    assert found == plain
    assert given
    assert {(each.memory, each.threads) for each in given} == {("1GB", 1)}


@pytest.mark.parametrize("name", ["search", "mondrian", "hiding"])
def test_what_is_held_in_memory_whole_has_no_engine_to_limit(name):
    """Standard input is read once, so that no engine counts it; where an option does nothing, its name is said."""
    verb, *more = COMMANDS[name]
    line = [verb, *("-" if each == "in.csv" else each for each in more)]
    assert run(*line, stdin=TABLE).code == 0
    for option, value in (("--memory", "1GB"), ("--threads", "1")):
        answer = run(*line, option, value, stdin=TABLE)
        assert (answer.code, f"{option} " in answer.err) == (2, True), answer.err
        assert "standard input are held in memory whole; leave " in answer.err


@pytest.mark.long
def test_a_float_that_is_whole_has_one_type_in_parquet_whoever_writes_it(monkeypatch):
    """A column that is kept as it is stays one of floats; a sensitive value was counted, and is a whole number."""
    from tcloseness import FrequencySet, Release

    values = "'a' || i % 2 as q, (i % 3)::double as s, (i % 4)::double as note, 2::double as w"
    duckdb.sql(f"copy (select {values} from range(24) t(i)) to 'in.parquet'")
    ask = ("search", "in.parquet", "-q", "q", "-s", "s", "--suppress-only", "q", "--minimal", "--k", "1")
    types = {}
    for many in (0, 10**6):
        monkeypatch.setattr(released, "_MANY", many)
        written(*ask, "--keep", "note", "--weight", "w", output="out.parquet")
        types[many] = [str(each) for each in duckdb.read_parquet("out.parquet").types]
    counted = FrequencySet.read("in.parquet", quasi_identifiers="q", sensitive="s", weight="w")
    Release.full_domain(counted).write("own.parquet", "in.parquet", keep=["note", "w"])
    found = [str(each) for each in duckdb.read_parquet("own.parquet").types]
    assert list(types.values()) == [found, found]
    assert found == ["VARCHAR", "BIGINT", "DOUBLE", "DOUBLE"]
