"""Whatever a harness does, it costs its own tests only: the run ends in time, in little memory, and nothing is left."""

from __future__ import annotations

import json
import os
import resource
import secrets
import select
import signal
import subprocess
import sys
import threading
import time
import xml.etree.ElementTree as ElementTree
from collections.abc import Iterator
from pathlib import Path

import jsonschema
import pytest

from proofs_tests.conformance.faulty_harness import ANSI
from proofs_tests.conformance.test_runner import some
from tcloseness.conformance import process
from tcloseness.conformance.process import Child, NotAnAnswer
from tcloseness.conformance.protocol import schema
from tcloseness.conformance.reports import badge_svg, junit_xml, matrix_page, report_text
from tcloseness.conformance.runner import PartialReport, Report, run
from tcloseness.conformance.vectors import Vector
from tcloseness.errors import HarnessError

FAULTY = [sys.executable, str(Path(__file__).with_name("faulty_harness.py"))]
ROOT = Path(__file__).parents[2]
SECONDS = 2.0

FAULTS = {
    "deep-lists": "error",
    "deep-objects": "error",
    "deep-value": "error",
    "beyond-the-doubles": "error",
    "excluded-beyond-the-doubles": "error",
    "many-digits": "error",
    "duplicate-keys": "error",
    "not-utf-8": "error",
    "nul-bytes": "error",
    "half-a-surrogate-pair": "error",
    "empty-line": "error",
    "no-line-end": "error",
    "endless-output": "error",
    "ends-quietly": "error",
    "ends-in-a-line": "error",
    "killed": "error",
    "twice": "error",
    "other-question": "error",
    "seq-true": "error",
    "no-object": "error",
    "child-holds-the-pipes": "error",
    "child-in-its-own-session-holds-the-pipes": "error",
    "child-writes-errors-for-ever": "error",
    "closes-its-output": "error",
    "controls-in-an-error": "error",
    "controls-in-its-last-words": "error",
    "controls-in-a-value": "undefined",
    "a-slow-number": "undefined",
    "a-slow-power": "undefined",
    "endless-errors": "timeout",
    "endless-line-of-errors": "timeout",
    "stopped": "timeout",
    "drip": "timeout",
    "ignores-signals": "timeout",
    "closes-its-input": "timeout",
}
BRIEF = [name for name, verdict in FAULTS.items() if verdict != "timeout"]
LONG = [name for name, verdict in FAULTS.items() if verdict == "timeout"]


@pytest.fixture
def mark(monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Every process started meanwhile carries this mark, and none with it is left at the end."""
    token = f"FAULTY_{secrets.token_hex(8)}"
    monkeypatch.setenv(token, "1")
    monkeypatch.setattr(process, "_START_SECONDS", 3.0)
    yield token
    threads = [thread for thread in threading.enumerate() if thread is not threading.main_thread()]
    assert not [thread for thread in threads if not thread.daemon]
    deadline = time.monotonic() + 5.0  # a killed process takes a moment
    while left(token) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not left(token)


def left(token: str) -> list[str]:
    """The command lines of the processes that carry a mark and live in no session of their own choice."""
    found = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            if token.encode() in (folder / "environ").read_bytes() and int(folder.name) != os.getpid():
                found.append((folder / "cmdline").read_bytes().replace(b"\x00", b" ").decode())
        except OSError:
            continue
    return [line for line in found if "time.sleep(8)" not in line]


def sample(number: int) -> list[Vector]:
    """Smoke tests first, then others, as many as are asked for."""
    return (some() * 4)[:2] + [v for v in some() * 4 if v.reason != "smoke"][: number - 2]


def checked(report: Report | PartialReport) -> dict[str, object]:
    """Return a report after seeing that each of its forms is whole and shows no control character."""
    record = json.loads(json.dumps(report.to_dict(), ensure_ascii=False).encode())
    jsonschema.Draft202012Validator(schema("report")).validate(record)
    assert list(record)[-1] == "complete"
    assert all(map(str.isprintable, report_text(record).splitlines()))
    for xml in (junit_xml(record), badge_svg(record)):
        ElementTree.fromstring(xml.encode())
    for text in (matrix_page([record]), junit_xml(record), badge_svg(record), json.dumps(record, ensure_ascii=False)):
        assert all(map(str.isprintable, text.replace("\u00a0", " ").split("\n")))
    return record  # type: ignore[no-any-return]


@pytest.mark.long
@pytest.mark.parametrize(
    "faults", [pytest.param(BRIEF, id="brief"), pytest.param(LONG, id="long", marks=pytest.mark.slow)]
)
def test_each_fault_costs_its_own_test_only(faults: list[str], mark: str) -> None:
    """Between two faults stands a question that is answered rightly."""
    tests = sample(2 * len(faults) + 3)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    begun = time.monotonic()
    report = run([*FAULTY, *faults], tests, seconds=SECONDS if faults == LONG else 30.0, workers=4)
    assert time.monotonic() - begun < SECONDS * len(LONG) + 60
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss - before < 300_000  # kB
    record = checked(report)
    assert record["complete"] is True
    assert len(report.records) == len(tests)
    verdicts = {place: r.assessment.verdict for place, r in enumerate(report.records)}
    wanted = {2 * (place + 1): FAULTS[name] for place, name in enumerate(faults)}
    assert verdicts == {place: wanted.get(place, "right") for place in range(len(tests))}
    assert report.exit_code == 1


@pytest.mark.slow
@pytest.mark.parametrize("phase", ["start", "always", "stop"])
@pytest.mark.parametrize("name", FAULTS)
def test_a_fault_at_any_phase_ends_in_time_with_a_report_or_a_named_error(name: str, phase: str, mark: str) -> None:
    begun = time.monotonic()
    try:
        report = run([*FAULTY, "--at", phase, name], sample(6), seconds=SECONDS, workers=2)
    except HarnessError as error:
        refused = str(error)
    else:
        refused = ""
        record = checked(report)
        assert report.exit_code == (0 if phase == "stop" else 1)
        assert record["complete"] is (phase == "stop")
    assert bool(refused) == (phase == "start")
    assert refused.isprintable()
    assert time.monotonic() - begun < 5 * SECONDS + 10


@pytest.mark.parametrize("name", ["deep-lists", "child-holds-the-pipes", "endless-output", "ends-quietly"])
def test_a_harness_that_does_not_start_is_named(name: str, mark: str) -> None:
    with pytest.raises(HarnessError) as caught:
        run([*FAULTY, "--at", "start", name], sample(3), seconds=SECONDS)
    assert str(caught.value).isprintable()


def test_what_is_written_without_being_asked_is_no_answer_to_the_next_question(mark: str) -> None:
    """Even if it would be the right one."""
    child = Child([sys.executable, "-c", "print('answer', flush=True); input(); print('another'); input()"])
    child.start()
    assert select.select([child.process.stdout], [], [], 30.0)[0]
    with pytest.raises(NotAnAnswer, match=r"'answer.*' without being asked"):
        child.ask(b"question\n", 30.0)
    child.end()


def test_what_was_not_started_can_be_ended(mark: str) -> None:
    """As where an interrupt comes just before the start."""
    for patience in (0.0, 5.0):
        child = Child(["sleep", "9"])
        assert child.end(farewell=b"stop", patience=patience) is None
        assert child.end(patience=patience) is None
        with pytest.raises(HarnessError, match="no process was started"):
            child.start()


def test_a_child_that_a_good_harness_leaves_ends_with_it(mark: str) -> None:
    report = run([*FAULTY, "--at", "stop", "child-holds-the-pipes"], sample(4), seconds=SECONDS, workers=2)
    assert report.exit_code == 0


def test_control_characters_are_shown_and_never_sent_on(mark: str) -> None:
    record = checked(run([*FAULTY, "controls-in-an-error", "controls-in-a-value"], sample(7), seconds=30.0))
    assert "\\x1b[31mred\\x07\\x9b\\u202e\\ufffe\\x00" in report_text(record)
    assert not set(ANSI) & set(report_text(record)) - set("[2J31mred")


def test_a_harness_that_cannot_be_started_again_answers_every_other_test_with_that(
    mark: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """It removes itself at the fifth question; three starts are tried then, and no more."""
    starts: list[Child] = []

    class Counted(Child):
        def __init__(self, *words: object, **options: object) -> None:
            starts.append(self)
            super().__init__(*words, **options)  # type: ignore[arg-type]

    monkeypatch.setattr(process, "Child", Counted)
    script = tmp_path / "harness.py"
    source = (
        Path(FAULTY[1])
        .read_text("utf-8")
        .replace('case "killed":', 'case "killed":\n            os.unlink(sys.argv[0])')
    )
    script.write_text(source.replace("Path(__file__).resolve().parents[2]", repr(str(ROOT))), "utf-8")
    report = run([sys.executable, str(script), "other-question", "killed"], sample(9), seconds=30.0)
    checked(report)
    assert [r.assessment.verdict for r in report.records] == ["right"] * 2 + ["error", "right"] + ["error"] * 5
    assert "cannot be started again" in report.records[-1].assessment.got
    assert len(starts) == 1 + 1 + 3
    assert report.exit_code == 1


@pytest.mark.parametrize("workers", [1, 3])
def test_an_interrupt_propagates_and_ends_all_copies(mark: str, workers: int) -> None:
    def interrupt(done: int, total: int) -> None:
        if done == 5 and threading.current_thread() is threading.main_thread():
            raise KeyboardInterrupt
        if done == total:  # whichever thread asks the fifth question: it is interrupted at last
            raise KeyboardInterrupt

    with pytest.raises(KeyboardInterrupt):
        run([*FAULTY, "none"], sample(12), seconds=30.0, workers=workers, progress=interrupt)


def test_a_partial_report_is_asked_for_and_is_no_report(mark: str) -> None:
    def interrupt(done: int, _total: int) -> None:
        if done == 5:
            raise KeyboardInterrupt

    found = run([*FAULTY, "twice"], sample(12), seconds=30.0, progress=interrupt, partial=True)
    assert isinstance(found, PartialReport)
    assert not isinstance(found, Report)
    for name in ("records", "totals", "exit_code", "failures", "assessed"):
        assert not hasattr(found, name)
    record = checked(found)
    assert (len(record["tests"]), record["complete"]) == (5, False)  # type: ignore[arg-type]
    for text in (report_text(record), matrix_page([record]), junit_xml(record)):
        assert "interrupted; 5 of 12 tests had been answered" in text
    assert "incomplete" in badge_svg(record)


@pytest.mark.long
@pytest.mark.parametrize("workers", [pytest.param("1", marks=pytest.mark.slow), "3"])
def test_ctrl_c_prints_what_was_answered(mark: str, workers: str, tmp_path: Path) -> None:
    """The second fault keeps the harness busy until the signal comes."""
    file = tmp_path / "report.json"
    program = [sys.executable, "-c", "from tcloseness.cli import main; main()", "conform", "run"]
    options = ["--algorithm", "k-anonymity", "--seconds", "60", "--workers", workers, "--format", "json"]
    harness = ["--", *FAULTY, *["twice", "ignores-signals"] * 20]
    running = subprocess.Popen([*program, *options, "--report", str(file), *harness], stdout=subprocess.PIPE, text=True)
    deadline = time.monotonic() + 60
    while time.monotonic() < deadline and all("tcloseness.cli" in line for line in left(mark)):
        time.sleep(0.1)
    time.sleep(2.0)
    running.send_signal(signal.SIGINT)
    out, _ = running.communicate(timeout=20)
    assert running.returncode == 130
    record = json.loads(out)
    assert record == json.loads(file.read_text("utf-8"))
    assert record["complete"] is False
    assert "interrupted" in record["stopped"]
    assert 0 < len(record["tests"]) < 60
