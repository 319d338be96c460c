"""Running a harness over vectors: smoke tests first, then everything, in parallel, whatever the harness does."""

from __future__ import annotations

import difflib
import queue
import threading
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any, Literal, overload

from tcloseness import __version__
from tcloseness.conformance.algorithms import ALGORITHMS
from tcloseness.conformance.assessment import FAILURES, VERDICTS, Assessment, assess, settled
from tcloseness.conformance.process import Harness
from tcloseness.conformance.protocol import NOT_LISTED, RESULT_FIELDS, Given, Implementation, Skipped
from tcloseness.conformance.readings import READINGS
from tcloseness.conformance.vectors import Vector
from tcloseness.displayed import Displayed, Explained, counted
from tcloseness.errors import HarnessError, InputError
from tcloseness.limits import Partial, Reason

__all__ = ["PartialReport", "Record", "Report", "result_warnings", "run", "start_warnings"]

FORMAT = "tcloseness-conformance-1"
_MOST_WARNINGS = 50

Progress = Callable[[int, int], None]


@dataclass(frozen=True, eq=False)
class Record(Displayed):
    """One test and what became of it."""

    vector: Vector
    assessment: Assessment

    def _said(self) -> str:
        return f"{self.vector.id:.80}, {self.assessment.verdict}"

    def to_dict(self) -> dict[str, Any]:
        """Return the record of a report; the right answer is given where it was missed."""
        record: dict[str, Any] = {"id": self.vector.id, "verdict": self.assessment.verdict}
        if self.assessment.verdict != "right":
            record["got"] = self.assessment.got
        if self.assessment.because:
            record["because"] = self.assessment.because
        if self.assessment.failed or self.assessment.verdict == "other convention":
            record["looks_like"] = list(self.assessment.looks_like)
            record["comment"] = self.vector.comment
            record["question"] = self.vector.question()
            record["expected"] = self.vector.expected.to_dict()
        return record


@dataclass(frozen=True, eq=False)
class Report(Explained):
    """All tests of one implementation.

    Attributes
    ----------
    implementation
        Who answered.
    records
        The tests in their order.
    smoke_failed
        Algorithms whose simplest questions were answered wrong: what is said of them may be about the harness.
    stopped
        Why the run ended early, if it did.
    warnings
        What in the harness's messages is probably a slip.
    """

    implementation: Implementation
    records: tuple[Record, ...]
    smoke_failed: tuple[str, ...] = ()
    stopped: str = ""
    warnings: tuple[str, ...] = ()

    def _frame_rows(self) -> Iterator[Mapping[str, Any]]:
        return (row for each in self.records for row in each._frame_rows())

    def _said(self) -> str:
        found = ", ".join(f"{number} {verdict}" for verdict, number in self.totals.items() if number)
        return f"{self.implementation.name:.60}, {counted(len(self.records), 'test')}: {found}"

    @cached_property
    def totals(self) -> dict[str, int]:
        """How many tests have each verdict."""
        found = dict.fromkeys(VERDICTS, 0)
        for record in self.records:
            found[record.assessment.verdict] += 1
        return found

    @property
    def failures(self) -> list[Record]:
        """The tests that speak against the implementation."""
        return [record for record in self.records if record.assessment.failed]

    @property
    def assessed(self) -> int:
        """How many tests were not skipped."""
        return len(self.records) - self.totals["skipped"]

    @property
    def exit_code(self) -> int:
        """0: nothing is wrong; 1: something is; 3: nothing was asked."""
        if self.failures:
            return 1
        return 0 if self.assessed else 3

    def by(self, key: Callable[[Vector], str]) -> dict[str, dict[str, int]]:
        """Return the totals by a key of the vectors, such as the algorithm."""
        return _totals_by(self.records, key)

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON-ready data; `complete` is its last key, so that a cut file shows."""
        return _report(self.implementation, self.records, self.warnings, self.smoke_failed, self.stopped)


@dataclass(frozen=True, eq=False)
class PartialReport(Explained, Partial):
    """What was answered before a run was interrupted; it says nothing of the tests that were not asked.

    Attributes
    ----------
    implementation
        Who answered.
    answered
        The tests that were.
    total
        How many there are.
    warnings
        What in the harness's messages is probably a slip.
    """

    implementation: Implementation
    answered: tuple[Record, ...]
    total: int
    warnings: tuple[str, ...] = ()
    reason: Reason = "interrupted"

    def _frame_rows(self) -> Iterator[Mapping[str, Any]]:
        return (row for each in self.answered for row in each._frame_rows())

    def _said(self) -> str:
        return f"{self.implementation.name:.60}, {len(self.answered)} of {counted(self.total, 'test')} answered"

    def to_dict(self) -> dict[str, Any]:
        """Return what there is in the form of a report, which says that it is not complete."""
        why = f"it was interrupted; {len(self.answered):,} of {self.total:,} tests had been answered"
        return _report(self.implementation, self.answered, self.warnings, (), why)


def _totals_by(records: Iterable[Record], key: Callable[[Vector], str]) -> dict[str, dict[str, int]]:
    found: dict[str, dict[str, int]] = {}
    for record in records:
        totals = found.setdefault(key(record.vector), dict.fromkeys(VERDICTS, 0))
        totals[record.assessment.verdict] += 1
    return found


def _report(
    implementation: Implementation,
    records: Sequence[Record],
    warnings: Sequence[str],
    smoke_failed: Sequence[str],
    stopped: str,
) -> dict[str, Any]:
    reasons: dict[str, dict[str, dict[str, int]]] = {}
    for key, totals in _totals_by(records, lambda v: f"{v.algorithm}\t{v.reason}").items():
        algorithm, reason = key.split("\t")
        reasons.setdefault(algorithm, {})[reason] = totals
    return {
        "format": FORMAT,
        "version": __version__,
        "implementation": implementation.to_dict(),
        "totals": _totals_by(records, lambda _: "").get("", dict.fromkeys(VERDICTS, 0)),
        "warnings": list(warnings),
        "smoke_failed": list(smoke_failed),
        "algorithms": _totals_by(records, lambda vector: vector.algorithm),
        "reasons": reasons,
        "tests": [record.to_dict() for record in records],
        "stopped": stopped,
        "complete": not stopped,
    }


@overload
def run(
    command: Sequence[str],
    vectors: Sequence[Vector],
    *,
    seconds: float = ...,
    workers: int = ...,
    progress: Progress | None = ...,
    flagged: Callable[[Vector], Vector] | None = ...,
    partial: Literal[False] = ...,
) -> Report: ...
@overload
def run(
    command: Sequence[str],
    vectors: Sequence[Vector],
    *,
    seconds: float = ...,
    workers: int = ...,
    progress: Progress | None = ...,
    flagged: Callable[[Vector], Vector] | None = ...,
    partial: bool,
) -> Report | PartialReport: ...
def run(
    command: Sequence[str],
    vectors: Sequence[Vector],
    *,
    seconds: float = 10.0,
    workers: int = 1,
    progress: Progress | None = None,
    flagged: Callable[[Vector], Vector] | None = None,
    partial: bool = False,
) -> Report | PartialReport:
    """Ask a harness every vector, and assess its answers.

    Parameters
    ----------
    command
        The harness's program and arguments.
    vectors
        The tests; those of the reason ``smoke`` are asked first.
    seconds
        The time limit of a test. A harness that exceeds it is ended and started anew.
    workers
        How many copies of the harness run at the same time.
    progress
        Called with how many tests are done, and how many there are.
    flagged
        For vectors made without flags: sets them, where an answer is not right.
    partial
        Whether an interrupt returns what was answered before it, as a `PartialReport`.

    Raises
    ------
    HarnessError
        If the harness does not start.
    InputError
        For a time limit or a number of workers that is not positive.

    Notes
    -----
    Whatever a harness does costs its own test only: a crash, a hang, a line that is not an answer. If no smoke test is
    right, the harness itself is probably broken: the others are not asked, and the report says so. Where a harness
    cannot be started again, that is the answer to every other test. When the run ends, however it ends, so do all
    copies of the harness with whatever they started.
    """
    if not 0 < seconds < float("inf") or workers < 1:
        raise InputError(f"a time limit of {seconds} s and {workers} workers; both must be positive")
    ended = threading.Event()
    assessments: dict[int, Assessment] = {}
    smoke = [i for i, vector in enumerate(vectors) if vector.reason == "smoke"]
    rest = [i for i, vector in enumerate(vectors) if vector.reason != "smoke"]
    tally = _Tally(progress, len(vectors), flagged)
    failed: list[str] = []
    stopped = ""
    interrupted = False
    implementation: Implementation | None = None
    first = Harness(command, seconds=seconds, ended=ended)
    try:
        implementation = first.start()
        tally.warn(start_warnings(implementation))
        for i in smoke:
            _ask_one(first, vectors[i], i, assessments, tally)
        failed = _smoke_failed(vectors, smoke, assessments)
        asked = {vectors[i].algorithm for i in smoke if assessments[i].verdict != "skipped"}
        if asked and set(failed) >= asked:
            stopped = (
                f"no smoke test is right, so the harness itself is probably broken; {len(rest):,} tests were not asked"
            )
        else:
            _share(first, vectors, rest, assessments, tally, workers, ended)
    except KeyboardInterrupt:
        if not partial or implementation is None:
            raise
        interrupted = True
    finally:
        first.close(kill=interrupted or len(assessments) < len(vectors))
    done = sorted(assessments)
    asked_vectors = [tally.changed.get(i, vectors[i]) for i in done]
    final = settled(asked_vectors, [assessments[i] for i in done])
    records = tuple(Record(v, j) for v, j in zip(asked_vectors, final, strict=True))
    if interrupted:
        return PartialReport(implementation, records, len(vectors), tuple(tally.warnings))
    return Report(implementation, records, tuple(failed), stopped, tuple(tally.warnings))


class _Tally:
    """Counts what is done, for all workers, and keeps the vectors that were given flags."""

    def __init__(self, progress: Progress | None, total: int, flagged: Callable[[Vector], Vector] | None) -> None:
        self.flagged = flagged
        self.changed: dict[int, Vector] = {}
        self.warnings: list[str] = []
        self.progress, self.total, self.done, self.lock = progress, total, 0, threading.Lock()

    def warn(self, words: Iterable[str]) -> None:
        """Keep what was not said before, up to a number."""
        with self.lock:
            for text in words:
                if text not in self.warnings and len(self.warnings) <= _MOST_WARNINGS:
                    full = len(self.warnings) == _MOST_WARNINGS
                    self.warnings.append("there are more such notes, which are not shown" if full else text)

    def one(self) -> None:
        with self.lock:
            self.done += 1
            if self.progress is not None:
                self.progress(self.done, self.total)


def _ask_one(harness: Harness, vector: Vector, seq: int, assessments: dict[int, Assessment], tally: _Tally) -> None:
    implementation = harness.implementation
    if vector.algorithm not in implementation.algorithms:
        assessment = assess(vector, Skipped(NOT_LISTED))
    else:
        reply = harness.ask(seq, vector.question())
        if isinstance(reply, Given):
            tally.warn(result_warnings(reply.fields))
        assessment = assess(vector, reply, conventions=implementation.conventions)
        if assessment.failed and tally.flagged is not None:
            tally.changed[seq] = tally.flagged(vector)
            assessment = assess(tally.changed[seq], reply, conventions=implementation.conventions)
    assessments[seq] = assessment
    tally.one()


def _smoke_failed(vectors: Sequence[Vector], smoke: Sequence[int], assessments: dict[int, Assessment]) -> list[str]:
    """Return the algorithms of which no smoke test is right."""
    assessed = [i for i in smoke if i in assessments and assessments[i].verdict != "skipped"]
    fine = {vectors[i].algorithm for i in assessed if assessments[i].verdict not in FAILURES}
    return [name for name in dict.fromkeys(vectors[i].algorithm for i in assessed) if name not in fine]


def _share(
    first: Harness,
    vectors: Sequence[Vector],
    order: Sequence[int],
    assessments: dict[int, Assessment],
    tally: _Tally,
    workers: int,
    ended: threading.Event,
) -> None:
    """Ask the rest, several harnesses at a time."""
    todo: queue.SimpleQueue[int] = queue.SimpleQueue()
    for i in order:
        todo.put(i)
    broken: list[BaseException] = []

    def work(harness: Harness) -> None:
        while not ended.is_set():
            try:
                i = todo.get_nowait()
            except queue.Empty:
                return
            _ask_one(harness, vectors[i], i, assessments, tally)

    def work_beside() -> None:
        harness = Harness(first.command, seconds=first.seconds, ended=ended)
        try:
            harness.start()
        except HarnessError as error:
            tally.warn([f"a further copy of the harness did not start: {error}"])
            return
        try:
            work(harness)
        except BaseException as error:  # noqa: BLE001 (handed to the caller's thread)
            if not ended.is_set():
                broken.append(error)
                ended.set()
        finally:
            harness.close(kill=ended.is_set())

    threads = [threading.Thread(target=work_beside) for _ in range(min(workers, len(order)) - 1)]
    for thread in threads:
        thread.start()
    try:
        work(first)
        for thread in threads:
            thread.join()
    except BaseException as error:
        ended.set()
        for thread in threads:
            thread.join()
        if broken and isinstance(error, HarnessError):  # the run was ended by that
            raise broken[0] from error
        raise
    if broken:
        raise broken[0]


# ---------------------------------------------------------------------- probable slips in a harness

_MOST, _LONGEST = 20, 60
"""How many fields of a result are looked at, and how much of a name: there are four, with short names."""

_FIELDS_MEANT = {"result": "value", "k": "value", "l": "value", "t": "value", "holds": "satisfied", "ok": "satisfied"}


def start_warnings(said: Implementation) -> list[str]:
    """Return what is odd in the answer to ``start``: algorithms and conventions that do not exist."""
    found = [
        f"algorithm {name!r} is unknown, so it is never asked{_meant(name, ALGORITHMS, 'the names are in protocol.md')}"
        for name in said.algorithms
        if name not in ALGORITHMS
    ]
    conventions = [name for name, reading in READINGS.items() if reading.kind == "convention"]
    for name in said.conventions:
        if name in READINGS and name not in conventions:
            found.append(f"{name!r} is a mistake and no convention, so declaring it changes nothing")
        elif name not in READINGS:
            listed = "tcloseness conform show lists all"
            found.append(f"convention {name!r} is unknown, so it changes nothing{_meant(name, conventions, listed)}")
    return found


def result_warnings(fields: Mapping[str, Any]) -> list[str]:
    """Return what is odd in a result: fields that are not the protocol's."""
    found = []
    for name in (name[:_LONGEST] for name in islice(fields, _MOST)):
        if name not in RESULT_FIELDS:
            meant = _FIELDS_MEANT.get(name.casefold())
            hint = _meant(name, RESULT_FIELDS, f"the fields are {', '.join(RESULT_FIELDS)}", meant)
            found.append(f"a result has the field {name!r}, which is not read{hint}")
    return found


def _meant(name: str, known: Collection[str], otherwise: str, meant: str | None = None) -> str:
    near = [meant] if meant else difflib.get_close_matches(name.casefold().replace("_", "-"), known, 1)
    return f"; did you mean {near[0]!r}?" if near else f"; {otherwise}"
