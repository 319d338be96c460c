"""DuckDB within its limits: memory, an interrupt, its temporary folder; and what it leaves behind, which is nothing."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import duckdb
import pytest

from tcloseness import FrequencySet
from tcloseness.errors import InputError, TableError
from tcloseness.microdata.combinations import Counting, Options
from tcloseness.microdata.sources import combinations, duckdb_engine
from tcloseness.microdata.sources.duckdb_engine import session
from tcloseness.microdata.sources.duckdb_files import parquet_rows, rows_in
from tcloseness.microdata.sources.files import scanned

ROLES = {"quasi_identifiers": ["a", "b"], "sensitive": "s"}

READ = """
import sys, warnings
warnings.simplefilter("ignore")
from tcloseness import FrequencySet
print("begun", flush=True)
found = FrequencySet.read(sys.argv[1], quasi_identifiers=["a", "b"], sensitive="s", threads=1, temporary=sys.argv[2],
    memory=sys.argv[3])
import resource
print(found.records, len(found), resource.getrusage(resource.RUSAGE_SELF).ru_maxrss // 1024)
"""


def written(folder: Path, rows: int, kinds: int, ending: str) -> Path:
    file = folder / f"table.{ending}"
    values = f"i % {kinds} as a, 'text ' || i % 9 as b, i % 5 as s"
    duckdb.sql(f"copy (select {values} from range({rows}) t(i)) to '{file}'")
    return file


def reading(file: Path, folder: Path, memory: str = "1GB") -> list[str]:
    return [sys.executable, "-c", READ, str(file), str(folder), memory]


def test_too_little_memory_names_the_option_and_leaves_nothing(tmp_path: Path) -> None:
    file, folder = written(tmp_path, 400_000, 300_000, "parquet"), tmp_path / "temporary"
    folder.mkdir()
    with pytest.raises(TableError, match=r"more memory than DuckDB may take \(memory='1MB'\); give more by memory="):
        FrequencySet.read(file, **ROLES, memory="1MB", threads=1, temporary=folder)
    assert not list(folder.iterdir())


def test_a_temporary_folder_that_is_not_one_is_named(tmp_path: Path) -> None:
    file = written(tmp_path, 10, 3, "parquet")
    for place in (tmp_path / "nowhere", "a\ud800b", "a\0b"):
        with pytest.raises(InputError, match=r"temporary=.* is not a folder that can be written to"):
            FrequencySet.read(file, **ROLES, temporary=place)
        with pytest.raises(InputError, match=r"temporary=.* is not a folder that can be written to"):
            parquet_rows(str(file), "a file", Options(temporary=str(place)))
    assert len(parquet_rows(str(file), "a file", Options(temporary=str(tmp_path)))) == 10


@pytest.mark.slow
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_an_interrupt_ends_it_within_a_second_and_leaves_nothing(
    ending: str, number: signal.Signals, tmp_path: Path
) -> None:
    file, folder = written(tmp_path, 6_000_000, 3_000_000, ending), tmp_path / "temporary"
    folder.mkdir()
    for wait in (0.2, 0.6, 1.0):
        with subprocess.Popen(reading(file, folder), stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True) as run:
            assert run.stdout is not None
            assert run.stdout.readline() == "begun\n"
            time.sleep(wait)
            if run.poll() is not None:
                break
            before = time.monotonic()
            run.send_signal(number)
            _, err = run.communicate(timeout=30)
            assert time.monotonic() - before < 1.5
        said = err.splitlines()[-1] if number == signal.SIGINT and err else ""
        assert run.returncode == -number or "KeyboardInterrupt" in said, err
        assert not list(folder.iterdir())


@pytest.mark.slow
@pytest.mark.skipif(not hasattr(os, "wait4"), reason="the memory of a child is not known here")
def test_memory_grows_with_combinations_and_not_with_rows(tmp_path: Path) -> None:
    """Ten times the rows of the same combinations: the process takes the memory that it may, and hardly more."""
    peaks = []
    for rows in (300_000, 3_000_000):
        file = written(tmp_path, rows, 1_000, "csv")
        done = subprocess.run(reading(file, tmp_path, "200MB"), capture_output=True, text=True, check=True)
        records, combinations, peak = map(int, done.stdout.split()[1:])
        assert (records, combinations) == (rows, 9_000)
        peaks.append(peak)
    assert peaks[1] < peaks[0] + 150, peaks


@pytest.mark.parametrize("ending", ["csv", "parquet", "csv.gz"])
def test_how_many_rows_a_file_has_is_known_beforehand_unless_it_is_compressed(ending: str, tmp_path: Path) -> None:
    files = []
    for part in range(2):
        (tmp_path / str(part)).mkdir()
        files.append(scanned(str(written(tmp_path / str(part), 1000 + part, 3, ending))))
    with session(Options()) as connection:
        assert rows_in(connection, files) == (None if ending.endswith("gz") else 2001)
    bare = tmp_path / "bare.csv"
    for content in ("a,b\n1,2\n3,4", "a,b\r1,2\r3,4\r", "a,b\r1,2\r3,4", "a,b\r\n1,2\r\n3,4\r\n"):
        bare.write_bytes(content.encode())
        with session(Options()) as connection:
            assert rows_in(connection, [scanned(str(bare))]) == 2


@pytest.mark.slow
@pytest.mark.parametrize("ending", ["csv", "parquet"])
def test_who_is_told_how_far_an_engine_is_hears_of_shares_and_rows(ending: str, tmp_path: Path) -> None:
    file, heard = written(tmp_path, 6_000_000, 3_000_000, ending), list[Counting]()
    options = Options(threads=1, progress=heard.append)
    found = combinations(file, {"a": "quasi-identifier", "s": "sensitive"}, options=options)
    assert found.rows == 6_000_000
    assert heard
    for each in heard:
        assert each.total == 6_000_000
        assert each.rows == round(each.share * each.total)
        assert 0 < each.share <= 1
    assert [each.again for each in heard] == sorted(each.again for each in heard)


@pytest.mark.parametrize("error", [ValueError("mine"), KeyboardInterrupt(), SystemExit(3)])
def test_what_somebody_who_is_told_raises_ends_the_pass_and_is_raised(
    error: BaseException, monkeypatch: pytest.MonkeyPatch
) -> None:
    def told(_: Counting) -> None:
        raise error

    monkeypatch.setattr(duckdb_engine, "_LOOK", 0.001)
    with session(Options(threads=1)) as connection:
        connection.execute("create table t as select i from range(2000000) s(i)")
        watched = duckdb_engine.watching(connection, told, lambda: None)
        with pytest.raises(type(error)) as raised, watched(False):
            connection.execute("select sum(hash(i + j)) from t, range(1000000) u(j)").fetchone()
        assert raised.value is error
        assert connection.execute("select 1").fetchone() == (1,)


PLAIN = ""

KERNEL = """
from IPython.core.interactiveshell import InteractiveShell
from traitlets.config import Config
config = Config()
config.IPKernelApp.pylab = "inline"
InteractiveShell.instance(config=config)
"""

LONG = """
from tcloseness.microdata.combinations import Options
from tcloseness.microdata.sources.duckdb_engine import session, watching

heard = []
for told in (None, heard.append):
    with session(Options(threads=1)) as connection:
        try:
            connection.execute("set progress_bar_time = 0")
        except Exception as error:
            assert "Jupyter" in str(error), error
        connection.execute("create table t as select i from range(2000000) s(i)")
        for again in (False, True):
            with watching(connection, told, lambda: 7)(again):
                connection.execute("select sum(hash(i + j)) from t, range(30) u(j)").fetchone()
ends = [each for each in heard if each.share == 1]
assert [(each.again, each.rows) for each in ends][-1] == (True, 7), heard
assert {each.again for each in ends} == {False, True}, heard
"""


@pytest.mark.long
@pytest.mark.parametrize("shell", [PLAIN, KERNEL], ids=["Python", "a Jupyter kernel without ipywidgets"])
def test_however_long_the_engine_takes_it_prints_nothing_of_its_own(shell: str) -> None:
    """By itself it writes a bar to standard output, where answers stand; a kernel refuses to be told not to."""
    done = subprocess.run([sys.executable, "-c", shell + LONG], capture_output=True, check=True, text=True)
    assert (done.stdout, done.stderr) == ("", "")


USED = """
import sys
import tcloseness as tc
from tcloseness.microdata.combinations import Options
from tcloseness.microdata.sources import combinations
heard = []
roles = {"a": "quasi-identifier", "s": "sensitive"}
assert combinations(sys.argv[1], roles, options=Options(progress=heard.append)).rows == 2_000
assert heard[-1].share == 1 if heard else sys.argv[1].endswith("csv")  # small ones are read without DuckDB
table = tc.Table(sys.argv[1], quasi_identifiers=["a"], sensitive="s")
release = table.anonymize("mondrian", k=3)
release.write(sys.argv[2])
assert tc.Table(sys.argv[2], quasi_identifiers=["a"], sensitive="s").check(k=3).status == "satisfied"
"""


@pytest.mark.long
@pytest.mark.parametrize("ending", ["csv", "parquet"])
@pytest.mark.parametrize("shell", [PLAIN, KERNEL], ids=["Python", "a Jupyter kernel without ipywidgets"])
def test_files_are_read_counted_and_written_where_people_work(shell: str, ending: str, tmp_path: Path) -> None:
    run = [sys.executable, "-c", shell + USED, str(written(tmp_path, 2_000, 6, ending)), str(tmp_path / "out.csv")]
    done = subprocess.run(run, check=False, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
