"""The study of growing tables and its bench: they measure what they say, and what they find is right."""

from __future__ import annotations

import itertools
from pathlib import Path
from unittest import mock

import pytest

from experiments import lands_end
from experiments.bench import engines
from experiments.bench.engines import Spent, audit, grouped, read
from experiments.grids import load_grid
from experiments.kept import varies
from experiments.lands_end import ATTRIBUTES, SENSITIVE
from experiments.runner import StudyRun, refuse_timings
from experiments.studies import scale
from experiments.studies.scale import NAME, STUDY, Grid
from experiments.studies.scale.work import CRITERIA, FIVE_MEASURES, audited, searched
from tcloseness import FrequencySet, check, read_table
from tcloseness.lattice import RollUp, exhaustive
from tcloseness.models import EntropyLDiversity, KAnonymity, TCloseness

COLUMNS = (*ATTRIBUTES, SENSITIVE)


def test_each_table_is_searched_as_the_papers_searched():
    grid = load_grid(Grid, NAME)
    steps = list(scale._steps(grid))
    assert len({(form, rows) for form, rows, _ in steps}) == len(steps)
    for form in grid.forms:
        of = {rows: searches for table, rows, searches in steps if table == form}
        assert [size for size, _ in of[lands_end.ROWS]] == [3, 4, 5, 6, 7]
        assert [size for size, _ in of[30_162]] == [2, 3, 4, 5, 6, 7]
        assert {criteria == FIVE_MEASURES for _, criteria in of.pop(30_162)} == {True}
        del of[lands_end.ROWS]
        assert of
        assert all(searches == ((7, CRITERIA),) for searches in of.values())


def spent(rows: float) -> Spent:
    return Spent(1.0, rows / 1e4 + 1, 1e8 + rows, (rows, rows, 1, 0.5))


@pytest.mark.slow
def test_what_is_measured_on_a_clock_is_in_tables_and_figures_of_its_own(tmp_path: Path):
    """A run without its measurements: the tables, that no others have seconds, and the figures."""

    drawn, written = itertools.cycle((0.5, 3.0, 20.0, 100.0)), []

    def write(path, form, rows):
        written.append(rows)
        return path

    def audited_so(files, columns):
        rows = 100 * len(files) if len(columns) == 5 else written[-1]
        facts = {"rows": rows, "combinations": 7, "classes": 5, "smallest class": 1, "t (ordered)": 0.5}
        ways = enumerate(("group-by by DuckDB", "audit"), 1)
        return facts, [{"work": way, "seconds": next(drawn) * n, "peak MB": next(drawn)} for n, way in ways]

    def searched_so(file, few, quasi_identifiers, criteria):
        found = [{"criterion": each, "nodes": 9, "checked": len(quasi_identifiers), "minimal": 1} for each in criteria]
        return found, [{"work": f"search: {each}", "seconds": next(drawn), "peak MB": 99.0} for each in criteria]

    with (
        mock.patch.multiple(scale, audited=audited_so, searched=searched_so),
        mock.patch.object(lands_end, "write", write),
        mock.patch.object(scale, "_copies", lambda place, copies: [place] * copies),
    ):
        result = STUDY.run(StudyRun(NAME, tmp_path, smoke=True))
    refuse_timings(NAME, result)
    assert set(result.tables) == {"tables", "searches", "work_times"}
    assert len(result.tables["tables"]) == 2 * 2 + 1
    assert len(result.tables["searches"]) == 2 * (2 * 3 + 3 + 5)
    for figure in result.figures:
        assert varies(figure.path.name)
        assert varies(f"{figure.path.stem}_narrow.png")
        assert figure.path.read_bytes().startswith(b"\x89PNG")
    assert "not how private the database was" in result.summary
    assert "6-anonymous 7, 6-diverse (entropy) 7" in result.summary


@pytest.mark.slow
@pytest.mark.parametrize("kind", ["csv", "parquet"])
def test_each_way_counts_the_same_table(kind: str, tmp_path: Path):
    """What is timed beside each other works on the same rows, and finds what the table in memory says."""
    file = lands_end.write(tmp_path / f"table.{kind}", "repeated", 4_000)
    other = lands_end.write(tmp_path / "table_in_memory.csv", "repeated", 4_000)
    table = FrequencySet.from_frame(read_table(other), quasi_identifiers=ATTRIBUTES, sensitive=SENSITIVE)
    found = check(table, ground={SENSITIVE: "ordered"})
    value = {each.model: float(each.value) for each in found.attributes[0].results}
    assert grouped([file], COLUMNS).facts == read([file], COLUMNS).facts == (len(table),)
    assert audit([file], COLUMNS).facts == (found.classes, 4_000, value["k-anonymity"], value["t-closeness"])
    facts, times = audited([file], COLUMNS)
    assert facts["rows"] == 4_000
    assert facts["combinations"] == len(table)
    assert [each["work"] for each in times] == ["group-by by DuckDB", "audit"]
    assert all(0 < each["seconds"] < 60 and 2e1 < each["peak MB"] < 2e3 for each in times)


@pytest.mark.slow
def test_searches_find_what_deciding_every_node_finds(tmp_path: Path):
    file = lands_end.write(tmp_path / "table.parquet", "repeated", 4_000)
    other = lands_end.write(tmp_path / "table.csv", "repeated", 4_000)
    quasi_identifiers = ATTRIBUTES[:3]
    found, times = searched(file, file, quasi_identifiers, CRITERIA)
    table = FrequencySet.from_frame(read_table(other), quasi_identifiers=quasi_identifiers, sensitive=SENSITIVE)
    trees = {name: tree for name, tree in lands_end.hierarchies().items() if name in quasi_identifiers}
    close = KAnonymity(6) & TCloseness("0.2", ground="ordered")
    for each, model in zip(found, (KAnonymity(6), EntropyLDiversity(6), close), strict=True):
        rolled = RollUp(table, trees)
        assert each["nodes"] == len(rolled.lattice) == 48
        assert each["minimal"] == len(exhaustive(rolled, model).minimal)
    assert [each["criterion"] for each in found] == list(CRITERIA)
    assert len(times) == 3


def test_rows_of_the_bench_stand_beside_their_yardsticks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    """Goals and yardsticks without a measurement: 0.3 µs a combination, and 1.2 s, are in the yardstick."""
    monkeypatch.setattr(
        engines, "_least", lambda file: tuple(Spent(w, w + 1, 5e8, (1e6, 1e6, 1, 0.5)) for w in (2, 3, 4))
    )
    csv = {row.what.split(",")[-1].strip(): row for row in engines._of_csv(tmp_path)}
    assert csv["without imports"].ratio == 3 / 2
    assert csv["whole process"].ratio == 5 / 3
    reading, auditing = engines._of_parquet(tmp_path)
    assert reading.theirs == pytest.approx(2 + 0.3)
    assert auditing.theirs == pytest.approx(1.5 * 3 + 1.2)


def test_an_audit_of_copies_that_is_another_one_is_no_measurement(tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    file = tmp_path / "a.csv"
    file.write_text("x\n")
    monkeypatch.setattr(engines, "grouped", lambda files: spent(len(files)))
    monkeypatch.setattr(engines, "audit", lambda files: Spent(1, 1, 1, (7, 100 * len(files), 2 * len(files), 0.5)))
    assert len(engines._many(file)) == 2
    assert list(tmp_path.iterdir()) == [file]
    monkeypatch.setattr(engines, "audit", lambda files: Spent(1, 1, 1, (7, 100 * len(files), 2, 0.5)))
    with pytest.raises(Exception, match="copies"):
        engines._many(file)


def test_the_study_says_that_its_table_is_random():
    assert "no stand-in can check them" in " ".join(str(scale.__doc__).split())
    assert "synthetic" in STUDY.basis
    assert STUDY.needs
