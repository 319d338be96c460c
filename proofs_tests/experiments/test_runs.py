"""A run of studies: nothing half passes for whole, nothing stale for fresh, nothing partial for an answer."""

from __future__ import annotations

import getpass
import inspect
import io
import json
import os
import pickle
import platform
import random
import re
import shutil
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import pytest
from matplotlib.image import imsave
from rich.console import Console

from experiments import conform, kept, provenance, runner
from experiments.claims import Outcome
from experiments.datasets import dataset
from experiments.kept import differing, last_run, read, why_not
from experiments.report import write_and_print
from experiments.report.found import read_results
from experiments.runner import (
    SEED,
    Figure,
    Study,
    StudyResult,
    StudyRun,
    chosen,
    discover,
    refuse_partial,
    refuse_timings,
    run_studies,
)
from experiments.verdicts import Kind
from proofs_tests.experiments.results import LEDGER, QUIET, outcomes_for
from tcloseness.cli import ending
from tcloseness.cli.exit_codes import DONE, FAULT, ROWS, USAGE, VIOLATED
from tcloseness.errors import InputError, StudyError
from tcloseness.limits import Partial
from tcloseness.worker_pool import Died
from tcloseness.writing import lock

ROOT = Path(__file__).parents[2]
NAME = "worked_examples"


@dataclass
class Made:
    """A made-up study that counts its runs, and does what a test puts into it on its way."""

    runs: int = 0
    number: int = 1
    meanwhile: Callable[[StudyRun], object] = lambda _: None
    also: Mapping[str, Any] | None = None

    def study(self, name: str = NAME) -> Study:
        def run(study: StudyRun) -> StudyResult:
            self.runs += 1
            path = study.folder / "figure.png"
            imsave(path, np.full((4, 4, 3), 0.5))
            (study.folder / "proof.json").write_text(str(self.number), "utf-8")
            self.meanwhile(study)
            study.used["n"] = self.number
            table = pd.DataFrame({"n": [self.number], "of": [study.seed]})
            return StudyResult({"t": table}, [Figure(path, "c")], outcomes_for(name), f"It is {self.number}.")

        return Study(name, "Is it so?", run, lambda: dict(self.also or {}))


@pytest.fixture
def made(monkeypatch: pytest.MonkeyPatch) -> Made:
    found = Made()
    monkeypatch.setattr(runner, "discover", lambda: {NAME: found.study(), "other": Made().study("other")})
    return found


def run(results: Path, **options: Any) -> dict[str, StudyResult]:
    return run_studies([NAME], results=results, console=QUIET, **options)


def content(folder: Path) -> dict[str, bytes]:
    return {str(p.relative_to(folder)): p.read_bytes() for p in sorted(folder.rglob("*")) if p.is_file()}


# ---------------------------------------------------------------------- whole results


def test_a_result_is_whole_and_its_provenance_describes_every_file(made: Made, tmp_path: Path) -> None:
    result = run(tmp_path)[NAME]
    folder = tmp_path / NAME
    record, claims = read(folder)
    names = {path.name for path in folder.iterdir()}
    assert names == {"provenance.json", *record["files"]} == {*names}
    assert {"t.csv", "figure.png", "proof.json", "claims.json"} == set(record["files"])
    for name, digest in record["files"].items():
        assert provenance.digest((folder / name).read_bytes()) == digest
    assert {claim["id"] for claim in claims} == set(outcomes_for(NAME))
    assert [figure.path for figure in result.figures] == [folder / "figure.png"]
    assert not list(tmp_path.glob("**/.*"))


def test_the_provenance_is_written_last(made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever ends a write on its way, no provenance describes files that are not there yet."""
    written: list[list[str]] = []

    def noted(files: Mapping[Path, bytes], **options: Any) -> None:
        written.append([path.name for path in files])
        write(files, **options)

    monkeypatch.setattr(kept, "write_files", noted)
    run(tmp_path)
    (together,) = (names for names in written if "provenance.json" in names)
    assert together[-1] == "provenance.json"
    assert {*together[:-1]} == {"t.csv", "figure.png", "proof.json", "claims.json"}


@pytest.mark.long
def test_what_is_unchanged_is_not_run_again_and_the_terminal_says_so(made: Made, tmp_path: Path, capsys: Any) -> None:
    assert set(run(tmp_path)) == {NAME}
    before = content(tmp_path / NAME)
    assert run(tmp_path) == {}
    assert made.runs == 1
    assert content(tmp_path / NAME) == before
    assert last_run(tmp_path) == {"ran": [], "reused": [NAME]}
    write_and_print(tmp_path)
    assert f"Reused, as nothing that they depend on has changed: {NAME}." in capsys.readouterr().out
    assert "Reused" not in (tmp_path / "report.html").read_text("utf-8")  # it does not depend on earlier runs
    run(tmp_path, again=True)
    assert made.runs == 2
    write_and_print(tmp_path)
    assert "Reused" not in capsys.readouterr().out


CHANGES: dict[str, Callable[[pytest.MonkeyPatch, Made], object]] = {
    "the code": lambda patch, _: patch.setattr(provenance, "code_sha256", lambda: "other"),
    "the data": lambda patch, _: altered(patch, data_sha256={"data/papers/new.csv": "1"}),
    "a package": lambda patch, _: altered(patch, packages={"numpy": "0.0"}),
    "Python": lambda patch, _: altered(patch, python="2.7"),
    "the system": lambda patch, _: altered(patch, platform="Plan 9"),
    "the processor": lambda patch, _: altered(patch, processor="abacus"),
    "the seed": lambda patch, _: patch.setattr(runner, "SEED", 5),
    "also": lambda _, made: setattr(made, "also", {"tools": ["one"]}),
}


def altered(patch: pytest.MonkeyPatch, **facts: Any) -> None:
    known = provenance.provenance()
    patch.setattr(provenance, "provenance", lambda: known | facts)


@pytest.mark.parametrize("what", CHANGES)
def test_whatever_changes_the_study_runs_again(
    what: str, made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(tmp_path)
    CHANGES[what](monkeypatch, made)
    if what not in ("the seed", "also"):  # those are the runner's and the study's own
        found = read_results(tmp_path, LEDGER)
        assert found.outdated == {NAME: [what]}
    run(tmp_path)
    assert made.runs == 2
    assert not read_results(tmp_path, LEDGER).outdated


def test_a_smoke_run_is_no_result_of_a_whole_one(made: Made, tmp_path: Path) -> None:
    for number, smoke in enumerate((True, False, True), 1):
        run(tmp_path, smoke=smoke)
        assert made.runs == number
        assert read(tmp_path / NAME)[0]["smoke"] is smoke


def test_the_grid_of_a_study_is_an_input_of_that_study_alone() -> None:
    grids = {name: provenance.inputs(name, smoke=False, seed=1)["grid_sha256"] for name in discover()}
    own = {name for name in grids if (provenance.GRIDS / f"{name}.toml").exists()}
    assert {name for name, found in grids.items() if found} == own
    assert len({grids[name] for name in own}) == len(own) > 5


@pytest.mark.long
def test_every_file_of_code_is_an_input(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """One changed byte of any kind of file of the package or the experiments gives another hash."""
    shutil.copytree(ROOT / "experiments", tmp_path / "experiments", ignore=shutil.ignore_patterns("__pycache__"))
    monkeypatch.setattr(provenance, "ROOT", tmp_path)
    monkeypatch.setattr(provenance, "GRIDS", tmp_path / "experiments" / "studies")
    code = provenance.code_sha256.__wrapped__
    first = code()
    for file in ("runner.py", "claims.toml", "studies/monotonicity/__init__.py", "report/templates/report.css"):
        path = tmp_path / "experiments" / file
        before = path.read_bytes()
        path.write_bytes(before + b"\n")
        assert code() != first, file
        path.write_bytes(before)
    (tmp_path / "experiments" / "studies" / "monotonicity.toml").write_text("")
    assert code() == first


def test_a_record_that_lacks_something_or_cannot_be_read_is_no_result(made: Made, tmp_path: Path) -> None:
    """Whichever key is missing, and whatever the claims are, with the right hash: the study runs again."""
    run(tmp_path)
    path, claims = (tmp_path / NAME / name for name in ("provenance.json", "claims.json"))
    record = json.loads(path.read_text("utf-8"))
    for key in {*record} - {*kept.WORDS, "also"}:
        path.write_text(json.dumps({name: value for name, value in record.items() if name != key}), "utf-8")
        assert why_not(tmp_path / NAME), key
        assert not read_results(tmp_path, LEDGER).studies
    deep = b"[" * 100_000
    claims.write_bytes(deep)
    path.write_text(json.dumps({**record, "files": {**record["files"], "claims.json": provenance.digest(deep)}}))
    assert "cannot be read" in why_not(tmp_path / NAME)
    run(tmp_path)
    assert made.runs == 2
    assert not why_not(tmp_path / NAME)


@pytest.mark.parametrize("file", ["t.csv", "figure.png", "proof.json", "claims.json", "provenance.json"])
@pytest.mark.parametrize("how", ["changed", "cut", "gone", "a folder"])
def test_files_that_are_not_what_was_written_are_no_result(file: str, how: str, made: Made, tmp_path: Path) -> None:
    run(tmp_path)
    path = tmp_path / NAME / file
    before = path.read_bytes()
    path.unlink()
    if how == "changed":
        path.write_bytes(before.replace(b"holds", b"hold!") + b" " if file != "provenance.json" else b"{}")
    elif how == "cut":
        path.write_bytes(before[: len(before) // 2])
    elif how == "a folder":
        path.mkdir()
    assert why_not(tmp_path / NAME)
    found = read_results(tmp_path, LEDGER)
    assert not found.studies
    assert all(answer.kind is Kind.WAITS for answer in found.answers if answer.claim.study == NAME)
    if how == "a folder":
        path.rmdir()
    run(tmp_path)
    assert made.runs == 2
    assert not why_not(tmp_path / NAME)


def test_what_a_study_does_not_write_any_more_is_removed(made: Made, tmp_path: Path) -> None:
    made.meanwhile = lambda study: (study.folder / "old.json").write_text("1", "utf-8")
    run(tmp_path)
    assert (tmp_path / NAME / "old.json").exists()
    made.meanwhile = lambda _: None
    run(tmp_path, again=True)
    assert not (tmp_path / NAME / "old.json").exists()
    assert not why_not(tmp_path / NAME)


# ---------------------------------------------------------------------- interrupted, failed, killed


def raiser(error: BaseException) -> Callable[[StudyRun], object]:
    def meanwhile(_: StudyRun) -> None:
        raise error

    return meanwhile


@pytest.mark.long
@pytest.mark.parametrize(
    "error", [KeyboardInterrupt(), MemoryError(), StudyError("no"), ZeroDivisionError(), SystemExit(3)]
)
@pytest.mark.parametrize("before", ["nothing", "a result", "an older result"])
def test_a_study_that_does_not_end_has_no_result_not_even_its_last_one(
    before: str, error: BaseException, made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_studies(["other"], results=tmp_path, console=QUIET)
    if before != "nothing":
        run(tmp_path)
        write_and_print(tmp_path)
    if before == "an older result":
        monkeypatch.setattr(provenance, "code_sha256", lambda: "other")
    beside = content(tmp_path / "other")
    made.meanwhile, made.number = raiser(error), 2
    with pytest.raises(type(error)):
        run(tmp_path, again=True)
    assert why_not(tmp_path / NAME) == "it was begun and did not end"
    with pytest.raises(StudyError, match="no whole result"):
        read(tmp_path / NAME)
    assert not (tmp_path / "report.html").exists()
    assert content(tmp_path / "other") == beside
    found = read_results(tmp_path, LEDGER)
    assert [study.name for study in found.studies] == ["other"]
    waiting = [answer for answer in found.answers if answer.claim.study == NAME]
    assert {(a.kind, a.ours) for a in waiting} == {(Kind.WAITS, "")}
    assert all(answer.why.endswith("; it was begun and did not end") for answer in waiting)
    made.meanwhile = lambda _: None
    run(tmp_path)
    assert (tmp_path / NAME / "t.csv").read_text("utf-8").startswith("n,of\n2,")
    assert not why_not(tmp_path / NAME)


def test_an_interrupted_run_keeps_the_studies_that_ended_and_goes_on(made: Made, tmp_path: Path) -> None:
    names = ["other", NAME]
    made.meanwhile = raiser(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        run_studies(names, results=tmp_path, console=QUIET)
    before = content(tmp_path / "other")
    made.meanwhile = lambda _: None
    assert set(run_studies(names, results=tmp_path, console=QUIET)) == {NAME}
    assert content(tmp_path / "other") == before
    assert last_run(tmp_path) == {"ran": [NAME], "reused": ["other"]}


def test_an_interrupt_that_somebody_swallows_is_noticed(made: Made, tmp_path: Path) -> None:
    def swallow(_: StudyRun) -> None:
        with suppress(KeyboardInterrupt):
            signal.raise_signal(signal.SIGINT)

    made.meanwhile = swallow
    before = signal.getsignal(signal.SIGINT)
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path)
    assert signal.getsignal(signal.SIGINT) is before
    assert why_not(tmp_path / NAME)


def test_what_a_study_keeps_while_it_works_serves_the_same_inputs_only(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def part(study: StudyRun) -> None:
        (study.folder / "parts").mkdir(exist_ok=True)
        seen.append((study.folder / "parts" / "1").exists())
        (study.folder / "parts" / "1").write_text("1", "utf-8")
        if len(seen) < 4:
            raise KeyboardInterrupt

    seen: list[bool] = []
    made.meanwhile = part
    for _ in range(2):
        with pytest.raises(KeyboardInterrupt):
            run(tmp_path)
    monkeypatch.setattr(provenance, "code_sha256", lambda: "other")
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path)
    run(tmp_path)
    assert seen == [False, True, False, True]
    assert not (tmp_path / NAME / "parts").exists()


def test_a_write_that_fails_leaves_the_mark(made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    run(tmp_path)
    before = content(tmp_path / NAME)

    def full(files: Mapping[Path, bytes], **options: Any) -> None:
        if len(files) > 1:
            raise OSError(28, "No space left on device")
        write(files, **options)

    with monkeypatch.context() as patch:
        made.number = 2
        patch.setattr(kept, "write_files", full)
        with pytest.raises(OSError, match="No space"):
            run(tmp_path, again=True)
    assert why_not(tmp_path / NAME)
    after = content(tmp_path / NAME)
    assert {name: after[name] for name in before} == before


write = kept.write_files


# ---------------------------------------------------------------------- several at a time


@pytest.mark.long
def test_studies_find_the_same_in_processes_of_their_own(tmp_path: Path) -> None:
    """Byte for byte, whichever ends first; `efficiency` measures time, and ends last."""
    names = ["efficiency", "similarity_attack", "homogeneity_attack"]
    ones, twos = (tmp_path / str(processes) for processes in (1, 2))
    for processes, folder in ((1, ones), (2, twos)):
        found = run_studies(names, results=folder, smoke=True, processes=processes, console=QUIET)
        assert set(found) == {*names}
        assert all(figure.path.exists() for result in found.values() for figure in result.figures)
    number, differ = differing(ones, twos)
    assert number > 10
    assert not differ
    assert last_run(ones)["ran"] == names
    assert last_run(twos)["ran"][-1] == "efficiency"
    assert run_studies(names, results=twos, smoke=True, processes=2, console=QUIET) == {}


@pytest.mark.parametrize("error", [MemoryError(), StudyError("no"), ZeroDivisionError("of it"), SystemExit(3)])
def test_what_ends_a_study_in_a_process_of_its_own_ends_the_run(
    error: BaseException, made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What ended before it is kept, and what it raised says where; nothing else is begun."""
    made.meanwhile = raiser(error)
    monkeypatch.setattr(runner, "in_processes", in_this_process)
    with pytest.raises(type(error)) as caught:
        run_studies(["other", NAME], results=tmp_path, processes=2, console=QUIET)
    assert "in meanwhile" in "".join(caught.value.__notes__)
    assert why_not(tmp_path / NAME) == "it was begun and did not end"
    assert last_run(tmp_path) == {"ran": ["other"], "reused": []}
    made.meanwhile = lambda _: None
    assert set(run_studies(["other", NAME], results=tmp_path, processes=2, console=QUIET)) == {NAME}


def test_an_error_that_cannot_be_given_to_another_process_is_told(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    """It stays a fault, or an error of the user's; and where it was raised is told at the end of a command."""
    for own, told, code in ((Exception, RuntimeError, FAULT), (StudyError, StudyError, USAGE)):
        error = type("OwnError", (own,), {"__module__": "nowhere"})("what happened")
        made.meanwhile = raiser(error)
        monkeypatch.setattr(runner, "in_processes", in_this_process)
        with pytest.raises(told, match=f"{NAME} did not end: OwnError: what happened") as caught:
            run_studies([NAME], results=tmp_path, processes=2, console=QUIET)
        assert "in meanwhile" in "".join(caught.value.__notes__)
        again = caught.value
        assert ending.ended(partial(raiser(again), None), []) == code  # type: ignore
        assert ("in meanwhile" in capsys.readouterr().err) == (code == FAULT)


def test_a_study_whose_process_the_system_ends_is_named(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(runner, "in_processes", lambda *_: iter([(0, Died(-9))]))
    with pytest.raises(StudyError, match=f"{NAME} did not end: its process was ended by signal 9"):
        run_studies([NAME], results=tmp_path, processes=2, console=QUIET)


@pytest.mark.parametrize("processes", [1, 2])
@pytest.mark.parametrize("again", [False, True])
def test_a_study_that_is_named_twice_runs_once(
    again: bool, processes: int, made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Two processes would work in one folder."""
    monkeypatch.setattr(runner, "in_processes", in_this_process)
    found = run_studies([NAME, "other", NAME], results=tmp_path, again=again, processes=processes, console=QUIET)
    assert [*found] == last_run(tmp_path)["ran"] == [NAME, "other"]
    assert made.runs == 1


def test_what_a_run_took_in_all_is_told_with_the_processes_and_processors(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What is reused is not counted, and where nothing runs nothing is said of it."""
    monkeypatch.setattr(runner, "in_processes", in_this_process)
    monkeypatch.setattr(runner, "processors", lambda: 4)
    told = []
    for names, processes in (([NAME], 1), ([NAME, "other"], 3), ([NAME, "other"], 3)):
        out = io.StringIO()
        run_studies(names, results=tmp_path, processes=processes, console=Console(file=out, width=200))
        told.append(out.getvalue())
    assert re.search(r"^1 study in \d s: 1 process on 4 processors$", told[0], re.MULTILINE)
    assert re.search(r"^1 study in \d s: 3 processes on 4 processors$", told[1], re.MULTILINE)
    assert "processors" not in told[2]
    assert not any("at a time" in each for each in told)


def test_an_interrupt_that_somebody_swallows_while_studies_run_elsewhere_ends_the_run(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*given: Any) -> Iterator[tuple[int, Any]]:
        for answer in in_this_process(*given):
            with suppress(KeyboardInterrupt):
                signal.raise_signal(signal.SIGINT)
            yield answer

    monkeypatch.setattr(runner, "in_processes", interrupted)
    with pytest.raises(KeyboardInterrupt):
        run_studies([NAME, "other"], results=tmp_path, processes=2, console=QUIET)
    assert not why_not(tmp_path / NAME)
    assert why_not(tmp_path / "other")


@pytest.mark.parametrize("processes", [0, -1, True, 1.5, "2"])
def test_a_number_of_processes_that_is_not_one_is_refused_before_anything_runs(
    processes: Any, made: Made, tmp_path: Path
) -> None:
    with pytest.raises(InputError, match="give a whole number ≥ 1"):
        run(tmp_path / "results", processes=processes)
    assert not made.runs
    assert not (tmp_path / "results").exists()


def in_this_process(
    function: Callable[[Any, Any], Any], shared: Any, tasks: Sequence[Any], _: int
) -> Iterator[tuple[int, Any]]:
    """Answer tasks as another process would, which does not know the studies that a test makes up."""
    for number, task in enumerate(tasks):
        yield number, function(shared, pickle.loads(pickle.dumps(task)))


# ---------------------------------------------------------------------- partial results


class PartialThing(Partial):
    """A partial answer."""

    reason = "interrupted"


@dataclass(frozen=True)
class Holds:
    """Something that holds something."""

    what: Any


PLACES: dict[str, Callable[[Any], StudyResult]] = {
    "a cell": lambda x: StudyResult({"t": pd.DataFrame({"a": [1, x]})}, [], {}, ""),
    "a list in a cell": lambda x: StudyResult({"t": pd.DataFrame({"a": [[1], [[x]]]})}, [], {}, ""),
    "a dict in a cell": lambda x: StudyResult({"t": pd.DataFrame({"a": [{"k": (x,)}]})}, [], {}, ""),
    "attributes": lambda x: StudyResult({"t": with_attributes(x)}, [], {}, ""),
    "a claim": lambda x: StudyResult({}, [], {"TC-1": Outcome(x)}, ""),
    "an alternative": lambda x: StudyResult({}, [], {"TC-1": Outcome(1, {"a": x})}, ""),
    "a dataclass": lambda x: StudyResult({}, [], {"TC-1": Outcome(1, {"a": Holds({"k": [x]})})}, ""),  # type: ignore[dict-item]
    "no table": lambda x: StudyResult({"t": x}, [], {}, ""),
}


def with_attributes(found: Any) -> pd.DataFrame:
    frame = pd.DataFrame({"a": [1]})
    frame.attrs["search"] = found
    return frame


@pytest.mark.parametrize("place", PLACES)
def test_a_partial_answer_is_refused_wherever_it_is(place: str) -> None:
    with pytest.raises(StudyError, match=r"PartialThing \(interrupted\)"):
        refuse_partial("it", PLACES[place](PartialThing()))
    if place != "no table":
        refuse_partial("it", PLACES[place](7))


def test_a_study_with_a_partial_answer_writes_nothing(made: Made, tmp_path: Path) -> None:
    study = Study(NAME, "?", lambda _: PLACES["a cell"](PartialThing()))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "discover", lambda: {NAME: study})
        with pytest.raises(StudyError, match="ended early is not a result"):
            run(tmp_path)
    assert [path.name for path in (tmp_path / NAME).iterdir()] == ["unfinished"]


# ---------------------------------------------------------------------- seeds


def test_the_seeds_that_are_recorded_are_those_that_were_used(made: Made, tmp_path: Path) -> None:
    run_studies(["other", NAME], results=tmp_path, console=QUIET)
    assert read(tmp_path / NAME)[0]["seeds"] == [str(SEED)]
    for draws, words in {
        lambda _: None: "nothing is drawn at random",
        lambda study: study.seed: f"seed {SEED}",
        lambda study: [study.draws_with("0 to 99") for _ in range(2)]: "seeds 0 to 99",
        lambda study: (study.draws_with("0 to 99"), study.seed): f"seeds 0 to 99 and {SEED}",
    }.items():
        drawing = Study(NAME, "?", lambda study, draws=draws: (draws(study), StudyResult({}, [], {}, ""))[1])  # type: ignore[misc]
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(runner, "discover", lambda drawing=drawing: {NAME: drawing})
            run(tmp_path / "r", again=True)
        (found,) = read_results(tmp_path / "r", LEDGER).studies
        assert found.seeds == words


@pytest.mark.parametrize("name", sorted(discover()))
def test_every_study_says_what_of_it_is_a_sample_and_what_is_whole(name: str) -> None:
    basis = discover()[name].basis
    assert basis.endswith(".")
    assert re.search("sample|draw", basis), "say of what it is a sample, or that nothing is"
    assert re.search("interval|nothing is a sample|no sample|no share|none is drawn|[A-Z]ilson", basis)


# ---------------------------------------------------------------------- the same bytes


@pytest.mark.parametrize("column", ["seconds", "median seconds", "seconds, from"])
def test_what_is_measured_on_a_clock_is_refused_but_in_a_table_of_timings(column: str) -> None:
    timed = pd.DataFrame({"n": [1], column: [0.5]})
    refuse_timings("it", StudyResult({"searches_times": timed, "t": timed[["n"]]}, [], {}, ""))
    with pytest.raises(StudyError, match=f"table 'a_times_b' with the column '{column}'"):
        refuse_timings("it", StudyResult({"a_times_b": timed}, [], {}, ""))


def test_a_study_that_returns_seconds_among_its_counts_writes_nothing(tmp_path: Path) -> None:
    study = Study(NAME, "?", lambda _: StudyResult({"t": pd.DataFrame({"seconds": [1.5]})}, [], {}, ""))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "discover", lambda: {NAME: study})
        with pytest.raises(StudyError, match="belongs into a table whose name ends with '_times'"):
            run(tmp_path)
    assert why_not(tmp_path / NAME)


@pytest.mark.long
def test_two_runs_are_compared_byte_by_byte_except_for_timings_and_provenance(made: Made, tmp_path: Path) -> None:
    def compared(folder: str) -> tuple[int, dict[str, str]]:
        return differing(tmp_path / "r", tmp_path / folder)

    made.meanwhile = lambda study: (study.folder / "a_times.csv").write_text(str(made.runs), "utf-8")
    for folder in "rst":
        run(tmp_path / folder)
        write_and_print(tmp_path / folder)
    assert {read(tmp_path / folder / NAME)[0]["files"]["a_times.csv"] for folder in "rst"} == {
        provenance.digest(str(n).encode()) for n in (1, 2, 3)
    }
    files = [f"{NAME}/{name}" for name in ("claims.json", "figure.png", "proof.json", "t.csv")]
    assert compared("s") == (len(files) + 3, {})  # and claims.csv, page and article
    table = tmp_path / "s" / NAME / "t.csv"
    table.write_bytes(table.read_bytes()[:-2] + b"9\n")  # of the same length
    (tmp_path / "s" / NAME / "figure.png").unlink()
    (tmp_path / "s" / "new.csv").touch()
    assert compared("s")[1] == {
        f"{NAME}/t.csv": "differs",
        f"{NAME}/figure.png": "only in the first folder",
        "new.csv": "only in the second folder",
    }
    made.meanwhile = raiser(KeyboardInterrupt())
    with pytest.raises(KeyboardInterrupt):
        run(tmp_path / "t", again=True)
    found = compared("t")[1]
    for report in ("report.html", "article.md"):  # they showed what is not a result any more
        assert found.pop(report) == "only in the first folder"
    assert found == {
        f"{NAME}/unfinished/{name}": "of a study that did not end"
        for name in ("inputs.json", "figure.png", "proof.json")
    }
    with pytest.raises(StudyError, match="there is no folder 'u'"):
        compared("u")


@pytest.mark.slow
def test_runs_that_differ_are_a_verdict_and_what_cannot_be_compared_is_not(made: Made, tmp_path: Path) -> None:
    """Code 1 is that of the command's row, which its help prints; a folder that is not there is wrong input."""
    run(tmp_path / "r")
    shutil.copytree(tmp_path / "r", tmp_path / "s")
    (tmp_path / "s" / NAME / "proof.json").write_text("another", "utf-8")
    asked = {("r", "r"): DONE, ("r", "s"): VIOLATED, ("r", "t"): USAGE, ("--help",): DONE}
    for words, code in asked.items():
        ended = subprocess.run(
            [*COMMAND, "compare", *words], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=False
        )
        assert (ended.returncode, "fault" in ended.stderr) == (code, False), ended.stderr
    assert " ".join(ROWS["experiments compare"].own[VIOLATED].split()) in " ".join(ended.stdout.split())


def take_over(name: str, results: Path) -> None:
    """Copy what `make check` has found of a study, if it is whole and of this revision.

    A run in these results takes it for its own, if it would find the same.
    """
    found = ROOT / ".smoke" / name
    if not why_not(found) and read(found)[0]["revision"] == provenance.provenance()["revision"]:
        shutil.copytree(found, results / name)


@pytest.mark.slow
def test_two_runs_of_every_study_leave_the_same_bytes(tmp_path: Path) -> None:
    """In two processes whose sets have other orders; only timings, provenance and the PDF differ.

    One takes over what `make check` has found, as far as it would find the same now.
    """
    for name in chosen():
        take_over(name, tmp_path / "r")
    for folder, seed in (("r", "1"), ("s", "2")):
        ended = started(tmp_path / folder, hash_seed=seed)
        _, err = ended.communicate(timeout=900)
        assert ended.returncode == 0, err
    number, differ = differing(tmp_path / "r", tmp_path / "s")
    assert not differ
    for name in chosen():
        record = read(tmp_path / "r" / name)[0]
        assert record["seeds"] or not re.search("random|drawn", record["basis"].replace("none is drawn", "")), name
        for figure in record["figures"]:
            assert figure["caption"], name
            assert (tmp_path / "r" / name / figure["file"]).stat().st_size > 5_000, name
    assert number > 4 * len(chosen())
    ended = subprocess.run(
        [*COMMAND, "compare", "r", "s"], cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True, check=True
    )
    assert ended.stdout == f"{number} of {number} files are the same\n"


# ---------------------------------------------------------------------- processes

COMMAND = [sys.executable, "-m", "experiments"]
ENVIRONMENT = {**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(ROOT / "research")])}
FAST = "worked_examples"


def started(results: Path, *words: str, hash_seed: str = "random") -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*COMMAND, "run", *words, "--smoke", "--results", str(results)],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        cwd=results.parent,
        env={**ENVIRONMENT, "PYTHONHASHSEED": hash_seed},
    )


@pytest.mark.slow
def test_a_folder_that_another_process_uses_is_refused(
    made: Made, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """By each of the three that write there: the studies, the report, the record of other implementations."""
    (tmp_path / "r").mkdir()
    with lock(tmp_path / "r"):
        with pytest.raises(StudyError, match=r"is in use by process \d+ since"):
            run(tmp_path / "r")
        with pytest.raises(StudyError, match=r"is in use by process \d+ since"):
            write_and_print(tmp_path / "r")
        monkeypatch.setattr(conform, "OUTPUT", tmp_path / "r")
        monkeypatch.setattr(conform, "_ask_all", lambda *_: True)
        with pytest.raises(StudyError, match=r"is in use by process \d+ since"):
            conform.ask_all()
        ended = started(tmp_path / "r", FAST)
        _, err = ended.communicate(timeout=120)
    assert ended.returncode == 2
    assert f"is in use by process {os.getpid()} since" in err
    assert not list((tmp_path / "r").iterdir())


@pytest.mark.slow
def test_of_two_processes_one_writes(tmp_path: Path) -> None:
    first = started(tmp_path / "r", FAST)
    deadline = time.monotonic() + 60
    while not (tmp_path / "r" / ".lock").exists() and time.monotonic() < deadline and first.poll() is None:
        time.sleep(0.01)
    second = started(tmp_path / "r", FAST)
    outcomes = sorted([(p.communicate(timeout=120)[1], p.returncode) for p in (first, second)], key=lambda o: o[1])
    assert [code for _, code in outcomes] == [0, 2]
    assert re.search(r"is in use by process \d+ since", outcomes[1][0])
    assert not why_not(tmp_path / "r" / FAST)


@pytest.mark.parametrize("place", ["file", "file/in/it", "/proc/nothing/in/it", "a\0b"])
def test_a_folder_that_cannot_be_made_is_wrong_input(place: str, made: Made, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"folder .* cannot be made"):
        run(tmp_path / place)
    assert made.runs == 0


def test_a_file_where_a_study_s_folder_should_be_is_wrong_input(made: Made, tmp_path: Path) -> None:
    (tmp_path / NAME).touch()
    with pytest.raises(InputError, match=f"folder .*{NAME}.* cannot be made"):
        run(tmp_path)


@pytest.mark.long
def test_a_wrong_name_is_wrong_usage_and_nothing_is_written(tmp_path: Path) -> None:
    ended = started(tmp_path / "r", "no_such_study")
    _, err = ended.communicate(timeout=60)
    assert ended.returncode == 2
    assert "there is no study 'no_such_study'" in err
    assert not (tmp_path / "r").exists()


def claims_in(results: Path) -> Any:
    return json.loads((results / FAST / "claims.json").read_text("utf-8"))


def interrupted(results: Path, seconds: float, number: int) -> int:
    """Send a signal some time after the study has begun, and see that nothing passes for whole that is not."""
    running = started(results, FAST)
    deadline = time.monotonic() + 60
    while not (results / FAST / "unfinished").exists() and running.poll() is None and time.monotonic() < deadline:
        time.sleep(0.005)
    time.sleep(seconds)
    running.send_signal(number)
    out, err = running.communicate(timeout=60)
    if running.returncode in (130, 143, -signal.SIGKILL):
        assert "Traceback" not in err
        assert "claims recomputed" not in out or not why_not(results / FAST)
    else:
        assert running.returncode == 0
        assert not why_not(results / FAST)
    return running.returncode


@pytest.mark.slow
def test_signals_at_random_times_and_then_the_next_run_ends_with_the_same_claims(tmp_path: Path) -> None:
    draw = random.Random(1)
    codes = [
        interrupted(tmp_path / "r", draw.random() * 1.5, number)
        for number in (signal.SIGINT, signal.SIGTERM, signal.SIGKILL)
    ]
    assert set(codes) <= {0, 130, 143, -signal.SIGKILL}
    last = started(tmp_path / "r", FAST)
    assert last.communicate(timeout=120)[1]
    assert last.returncode == 0
    assert not why_not(tmp_path / "r" / FAST)
    run_studies([FAST], results=tmp_path / "s", smoke=True, console=QUIET)
    assert claims_in(tmp_path / "r") == claims_in(tmp_path / "s")


# ---------------------------------------------------------------------- real studies


class Stop(KeyboardInterrupt):
    """An interrupt of ours."""


class Calls:
    """A tracer that counts calls of functions of the package, and raises in the n-th.

    Not in generators: that one is closed is a call to a tracer too, and what is raised there reaches nobody. No
    signal is handled at that point.
    """

    inside = str(ROOT / "research")

    def __init__(self, stop: int | None = None) -> None:
        self.stop, self.made = stop, 0

    def __call__(self, frame: Any, event: str, _: Any) -> None:
        code = frame.f_code
        if code.co_filename.startswith(self.inside) and not code.co_flags & inspect.CO_GENERATOR:
            self.made += 1
            if self.made == self.stop:
                sys.settrace(None)
                raise Stop


def traced(name: str, results: Path, calls: Calls) -> bool:
    """Run a study with an interrupt in a call between its begin and its end; whether it came."""

    def begun(*given: Any) -> Path:
        folder = kept.begin(*given)
        sys.settrace(calls)
        return folder

    def ended(*given: Any) -> None:
        kept.end(*given)
        sys.settrace(None)

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(runner, "begin", begun)
        patch.setattr(runner, "end", ended)
        try:
            run_studies([name], results=results, smoke=True, again=True, console=QUIET)
        except Stop:
            return True
        finally:
            sys.settrace(None)
    return False


def moment(draw: random.Random, calls: int) -> Calls:
    """One of so many calls; early and late ones are as probable, by their number of digits."""
    return Calls(int(calls ** draw.random()))


@pytest.mark.long
@pytest.mark.parametrize("name", ["similarity_attack", "homogeneity_attack"])
def test_an_interrupt_anywhere_in_a_study_leaves_no_claim(name: str, tmp_path: Path) -> None:
    came, draw = 0, random.Random(f"{name} 20070415")
    for _ in range(4):
        if traced(name, tmp_path, moment(draw, 10**4)):
            came += 1
            assert why_not(tmp_path / name) == "it was begun and did not end"
            assert not read_results(tmp_path, LEDGER).studies
        else:
            assert not why_not(tmp_path / name)
    assert came > 1


def with_their_data() -> list[Any]:
    """All studies, those whose data are not here to be skipped, by the names of the data."""
    lacking = {
        name: [each for each in study.fetched if not (dataset(each).folder / dataset(each).file).exists()]
        for name, study in sorted(discover().items())
    }
    return [
        pytest.param(name, marks=pytest.mark.skipif(bool(of), reason=f"not fetched: {', '.join(of)}"))
        for name, of in lacking.items()
    ]


@pytest.mark.slow
@pytest.mark.parametrize("name", with_their_data())
def test_interrupts_in_any_study_leave_no_claim_and_the_next_run_makes_the_same(
    name: str, tmp_path: Path, undrawn: None
) -> None:
    """The run that nothing interrupts is that of `make check`, as far as it would find the same now."""
    came, draw, most = 0, random.Random(f"{name} 20070415"), 10**7
    while came < 4:  # so the next run comes after one that was interrupted
        calls = moment(draw, most)
        if traced(name, tmp_path / "r", calls):
            came += 1
            assert why_not(tmp_path / "r" / name)
        else:  # it makes fewer calls
            most = calls.made
            assert most > 100
            shutil.rmtree(tmp_path / "r")
    run_studies([name], results=tmp_path / "r", smoke=True, again=True, console=QUIET)
    take_over(name, tmp_path / "s")
    run_studies([name], results=tmp_path / "s", smoke=True, console=QUIET)
    assert read(tmp_path / "r" / name)[1] == read(tmp_path / "s" / name)[1]


@pytest.mark.slow
def test_no_record_names_a_person_a_machine_or_a_folder(tmp_path: Path) -> None:
    """A run in a folder of a telling name: nothing that it writes holds that name, the user's, or the machine's."""
    mark = "zzqx_marker_folder"
    results = tmp_path / mark / "r"
    results.parent.mkdir()
    run_studies([FAST], results=results, smoke=True, console=QUIET)
    write_and_print(results)
    private = {mark, str(Path.home()), str(ROOT), str(tmp_path), socket.gethostname(), platform.node()}
    user = getpass.getuser()
    files = content(results)
    assert len(files) >= 10
    for name, found in files.items():
        for word in private:
            assert len(word) < 4 or word.encode() not in found, (name, word)
        if not name.endswith(".png"):
            text = re.sub(rb"data:image/png;base64,[^\"]*", b"", found)
            assert not re.search(rb"/(home|Users|root|tmp)/", text), name
            assert len(user) < 5 or user.encode() not in found, name
