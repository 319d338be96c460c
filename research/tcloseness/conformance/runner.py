"""Running a harness over vectors: smoke tests first, then everything, in parallel, whatever the harness does."""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from tcloseness import __version__
from tcloseness.conformance.judge import FAILURES, VERDICTS, Judgement, answer_text, judge, settled
from tcloseness.conformance.process import Harness
from tcloseness.conformance.protocol import NOT_LISTED, Given, Implementation, Skipped
from tcloseness.conformance.vectors import Vector
from tcloseness.conformance.warned import result_warnings, start_warnings
from tcloseness.errors import HarnessError, InputError

__all__ = ["Record", "Report", "run"]

FORMAT = "tcloseness-conformance-1"

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Record:
    """One test and what became of it."""

    vector: Vector
    judgement: Judgement

    def to_dict(self) -> dict[str, Any]:
        """Return the record of a report; the right answer is given where it was missed."""
        record: dict[str, Any] = {"id": self.vector.id, "verdict": self.judgement.verdict}
        if self.judgement.verdict != "right":
            record["got"] = self.judgement.got
        if self.judgement.because:
            record["because"] = self.judgement.because
        if self.judgement.failed or self.judgement.verdict == "other convention":
            record["looks_like"] = list(self.judgement.looks_like)
            record["comment"] = self.vector.comment
            record["question"] = self.vector.question()
            record["expected"] = self.vector.expected.to_dict()
        return record


@dataclass(frozen=True)
class Report:
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

    @cached_property
    def totals(self) -> dict[str, int]:
        """How many tests have each verdict."""
        found = dict.fromkeys(VERDICTS, 0)
        for record in self.records:
            found[record.judgement.verdict] += 1
        return found

    @property
    def failures(self) -> list[Record]:
        """The tests that speak against the implementation."""
        return [record for record in self.records if record.judgement.failed]

    @property
    def judged(self) -> int:
        """How many tests were not skipped."""
        return len(self.records) - self.totals["skipped"]

    @property
    def exit_code(self) -> int:
        """0: nothing is wrong; 1: something is; 2: the harness could not go on; 3: nothing was asked."""
        if self.failures:
            return 1
        if self.stopped:
            return 2
        return 0 if self.judged else 3

    def by(self, key: Callable[[Vector], str]) -> dict[str, dict[str, int]]:
        """Return the totals by a key of the vectors, such as the algorithm."""
        found: dict[str, dict[str, int]] = {}
        for record in self.records:
            totals = found.setdefault(key(record.vector), dict.fromkeys(VERDICTS, 0))
            totals[record.judgement.verdict] += 1
        return found

    def to_dict(self) -> dict[str, Any]:
        """Return the report as JSON-ready data; `complete` is its last key, so that a cut file shows."""
        return {
            "format": FORMAT,
            "version": __version__,
            "implementation": self.implementation.to_dict(),
            "totals": self.totals,
            "warnings": list(self.warnings),
            "smoke_failed": list(self.smoke_failed),
            "algorithms": self.by(lambda vector: vector.algorithm),
            "reasons": {
                algorithm: {
                    name.split("\t")[1]: totals
                    for name, totals in self.by(lambda v: f"{v.algorithm}\t{v.reason}").items()
                    if name.startswith(f"{algorithm}\t")
                }
                for algorithm in dict.fromkeys(record.vector.algorithm for record in self.records)
            },
            "tests": [record.to_dict() for record in self.records],
            "stopped": self.stopped,
            "complete": not self.stopped,
        }


def run(
    command: Sequence[str],
    vectors: Sequence[Vector],
    *,
    seconds: float = 10.0,
    workers: int = 1,
    progress: Progress | None = None,
    flagged: Callable[[Vector], Vector] | None = None,
) -> Report:
    """Ask a harness every vector, and judge its answers.

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
        Told how many tests are done, and how many there are.
    flagged
        For vectors made without flags: sets them, where an answer is not right.

    Raises
    ------
    HarnessError
        If the harness does not start, or answers no smoke test right.
    InputError
        For a time limit or a number of workers that is not positive.

    Notes
    -----
    A crash, a hang or a broken line costs its own test only. Where a harness cannot be started again, the run ends
    early and the report says so.
    """
    if seconds <= 0 or workers < 1:
        raise InputError(f"a time limit of {seconds} s and {workers} workers; both must be positive")
    first = Harness(command, seconds=seconds)
    judgements: dict[int, Judgement] = {}
    smoke = [i for i, vector in enumerate(vectors) if vector.reason == "smoke"]
    rest = [i for i in range(len(vectors)) if i not in set(smoke)]
    told = _Told(progress, len(vectors), flagged)
    implementation = first.implementation
    told.warn(start_warnings(implementation))
    try:
        stopped = _ask_all(first, vectors, smoke, judgements, told)
        failed = _smoke_failed(vectors, smoke, judgements)
        asked = {vectors[i].algorithm for i in smoke if judgements[i].verdict != "skipped"} if not stopped else set()
        if asked and set(failed) >= asked:
            reasons = "; ".join(
                f"{vectors[i].id}: got {judgements[i].got}, right is {answer_text(vectors[i].expected.to_dict())}"
                + (f" ({judgements[i].because})" if judgements[i].because else "")
                for i in smoke
                if judgements[i].failed
            )
            raise HarnessError(
                f"the harness of {implementation.name} answers no smoke test right, so it is probably broken itself; "
                f"{'; '.join([*told.warnings, reasons])[:1200]}"
            )
        stopped = stopped or _share(first, vectors, rest, judgements, told, workers)
    finally:
        first.close()
    asked_vectors = [told.changed.get(i, vectors[i]) for i in sorted(judgements)]
    final = settled(asked_vectors, [judgements[i] for i in sorted(judgements)])
    records = tuple(Record(v, j) for v, j in zip(asked_vectors, final, strict=True))
    return Report(implementation, records, tuple(failed), stopped, tuple(told.warnings))


class _Told:
    """Counts what is done, for all workers, and keeps the vectors that were given flags."""

    def __init__(self, progress: Progress | None, total: int, flagged: Callable[[Vector], Vector] | None) -> None:
        self.flagged = flagged
        self.changed: dict[int, Vector] = {}
        self.warnings: list[str] = []
        self.progress, self.total, self.done, self.lock = progress, total, 0, threading.Lock()

    def warn(self, words: Iterable[str]) -> None:
        """Keep what was not said before."""
        with self.lock:
            self.warnings += [text for text in words if text not in self.warnings]

    def one(self) -> None:
        with self.lock:
            self.done += 1
            if self.progress is not None:
                self.progress(self.done, self.total)


def _ask_one(harness: Harness, vector: Vector, seq: int, told: _Told) -> Judgement:
    implementation = harness.implementation
    if vector.algorithm not in implementation.algorithms:
        return judge(vector, Skipped(NOT_LISTED))
    reply = harness.ask(seq, vector.question())
    if isinstance(reply, Given):
        told.warn(result_warnings(reply.fields))
    judgement = judge(vector, reply, conventions=implementation.conventions)
    if judgement.failed and told.flagged is not None:
        told.changed[seq] = told.flagged(vector)
        judgement = judge(told.changed[seq], reply, conventions=implementation.conventions)
    return judgement


def _ask_all(
    harness: Harness, vectors: Sequence[Vector], order: Sequence[int], judgements: dict[int, Judgement], told: _Told
) -> str:
    """Ask in order; return why it ended early, if it did."""
    for i in order:
        try:
            judgements[i] = _ask_one(harness, vectors[i], i, told)
        except HarnessError as error:
            judgements[i] = Judgement("error", (), str(error))
            return str(error)
        told.one()
    return ""


def _smoke_failed(vectors: Sequence[Vector], smoke: Sequence[int], judgements: dict[int, Judgement]) -> list[str]:
    """Return the algorithms of which no smoke test is right."""
    judged = [i for i in smoke if i in judgements and judgements[i].verdict != "skipped"]
    fine = {vectors[i].algorithm for i in judged if judgements[i].verdict not in FAILURES}
    return [name for name in dict.fromkeys(vectors[i].algorithm for i in judged) if name not in fine]


def _share(
    first: Harness,
    vectors: Sequence[Vector],
    order: Sequence[int],
    judgements: dict[int, Judgement],
    told: _Told,
    workers: int,
) -> str:
    """Ask the rest, several harnesses at a time; return why it ended early, if it did."""
    todo: queue.SimpleQueue[int] = queue.SimpleQueue()
    for i in order:
        todo.put(i)
    ended: list[str] = []
    broken: list[BaseException] = []

    def work(harness: Harness | None) -> None:
        own = harness is None
        try:
            if harness is None:
                harness = Harness(first.command, seconds=first.seconds)
            while not ended:
                try:
                    i = todo.get_nowait()
                except queue.Empty:
                    return
                reason = _ask_all(harness, vectors, [i], judgements, told)
                if reason:
                    ended.append(reason)
        except HarnessError as error:
            ended.append(str(error))
        except BaseException as error:  # noqa: BLE001 (handed to the caller's thread)
            broken.append(error)
            ended.append(repr(error))
        finally:
            if own and harness is not None:
                harness.close()

    threads = [threading.Thread(target=work, args=(None,)) for _ in range(min(workers, len(order)) - 1)]
    for thread in threads:
        thread.start()
    work(first)
    for thread in threads:
        thread.join()
    if broken:
        raise broken[0]
    return ended[0] if ended else ""
