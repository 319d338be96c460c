"""Speed of the exact programs: how the time of each grows with its table, and the sizes that have a goal."""

from __future__ import annotations

import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from rich.console import Console

from experiments import adult
from experiments.adult_hierarchies import occupation_groups, preset
from experiments.bench.timing import Curve, Row
from experiments.studies.suppress_or_hide import tables
from tcloseness.certificates import check
from tcloseness.errors import StudyError
from tcloseness.microdata import ClassCounts, Microdata
from tcloseness.models import KAnonymity, PrivacyModel, TCloseness
from tcloseness.optimal import (
    Optimal,
    optimal_cut,
    optimal_hiding,
    optimal_microaggregation,
    optimal_partition,
    optimal_sensitive_generalization,
    optimal_suppression,
)
from tcloseness.optimal.certify import table_of
from tcloseness.release import Release
from tcloseness.release.counting import Counting
from tcloseness.transport.solvers.highs_client import cpu_seconds

__all__ = ["CLOSE", "HALF", "PROGRAMS", "THREE", "Program", "grown", "measure", "sample"]

THREE = ("age", "education", "hours-per-week")
CLASSES = ("marital-status", "race", "sex", "education")
CLOSE = TCloseness("1/5", ground="equal")
_THREE_ANONYMITY = KAnonymity(3)


@dataclass(frozen=True)
class Program:
    """A program and the sizes that it is asked for.

    Attributes
    ----------
    name, question
        What is solved, and for what.
    sizes
        Numbers of records, ascending.
    work
        Takes a number of records, prepares, and returns the work that is timed.
    """

    name: str
    question: str
    sizes: tuple[int, ...]
    work: Callable[[int], Callable[[], Any]]


def sample(records: int, quasi_identifiers: tuple[str, ...]) -> Microdata:
    """Return a sample of the complete records, always the same."""
    frame = adult.load().sample(records, random_state=0)
    return Microdata.from_frame(frame, quasi_identifiers=list(quasi_identifiers), sensitive="occupation")


def classes(records: int) -> ClassCounts:
    """Return the classes of a sample by four quasi-identifiers as they are, and their occupations."""
    table = sample(records, CLASSES)
    columns = np.column_stack([column.codes for column in table.quasi_identifiers])
    _, class_of = np.unique(columns, axis=0, return_inverse=True)
    return Counting(table).of(class_of.reshape(-1))


def _partition(
    formulation: Any, model: PrivacyModel = _THREE_ANONYMITY, seconds: float | None = None
) -> Callable[[int], Callable[[], Any]]:
    def work(records: int) -> Callable[[], Any]:
        table = sample(records, THREE)
        return lambda: optimal_partition(table, model, formulation=formulation, seed=0, time_limit=seconds)

    return work


def _of_classes(solve: Callable[[ClassCounts], Any]) -> Callable[[int], Callable[[], Any]]:
    def work(records: int) -> Callable[[], Any]:
        counted = classes(records)
        return lambda: solve(counted)

    return work


def _cut(records: int) -> Callable[[], Any]:
    hierarchies = {name: tree for name, tree in preset("L1").items() if name in ("age", "marital-status", "race")}
    table = sample(records, tuple(hierarchies))
    return lambda: optimal_cut(table, KAnonymity(5), hierarchies=hierarchies)


def _microaggregation(records: int) -> Callable[[], Any]:
    column = sample(records, ("fnlwgt",)).quasi_identifiers[0]
    values = [int(str(column.domain.values[code])) for code in column.codes]
    return lambda: optimal_microaggregation(values, 3, seed=0)


PROGRAMS = (
    Program("partition, assignment", "3-anonymity, NCP", (6, 8, 10, 12), _partition("assignment")),
    Program("partition, set partitioning", "3-anonymity, NCP", (6, 8, 12, 16), _partition("set-partitioning")),
    Program("partition, column generation", "3-anonymity, NCP", (10, 20, 30, 60, 100), _partition("column-generation")),
    Program(
        "suppression",
        "0.2-closeness, equal distance",
        (1_500, 3_000, 6_000, 12_000),
        _of_classes(lambda counted: optimal_suppression(counted, CLOSE, seed=0)),
    ),
    Program(
        "hiding",
        "0.2-closeness, equal distance",
        (1_500, 3_000, 6_000, 12_000),
        _of_classes(lambda counted: optimal_hiding(counted, CLOSE, seed=0)),
    ),
    Program(
        "generalization of sensitive values",
        "0.2-closeness, equal distance",
        (250, 500, 1_000, 2_000),
        _of_classes(lambda counted: optimal_sensitive_generalization(counted, CLOSE, occupation_groups("S1"), seed=0)),
    ),
    Program("cut", "5-anonymity, NCP", (1_000, 4_000, 8_000, 16_000), _cut),
    Program("microaggregation", "k = 3, SSE", (1_000, 4_000, 8_000, 16_000), _microaggregation),
)


def grown(programs: Sequence[Program] = PROGRAMS) -> list[Curve]:
    """Solve every program at each of its sizes, once, after a first one that is not counted.

    Raises
    ------
    StudyError
        If an answer is not `Optimal`.
    """
    console = Console(stderr=True)
    found = []
    for program in programs:
        program.work(program.sizes[0])()
        seconds = []
        for size in program.sizes:
            console.print(f"[dim]  {program.name}, {size:,} records …[/dim]")
            spent, answer = _timed(program.work(size))
            seconds.append(spent)
            if not isinstance(answer, Optimal):
                raise StudyError(f"{program.name} of {size} records ended without a proven optimum: {answer.to_dict()}")
        panel = "Exact programs, samples of Adult of n records"
        found.append(Curve(panel, f"{program.name}, {program.question}", program.sizes, tuple(seconds)))
    return found


def _timed(work: Callable[[], Any]) -> tuple[float, Any]:
    """Return the CPU seconds of this process and of HiGHS, which has one of its own; and the answer."""
    begun = time.process_time() + cpu_seconds()
    answer = work()
    return time.process_time() + cpu_seconds() - begun, answer


_SECONDS = 120.0
"""A program without a proof after so many seconds is ended; all goals are below it."""

HALF = KAnonymity(3) & TCloseness("1/2", ground="equal")

_GOALS: tuple[tuple[str, PrivacyModel, int, float, float | None], ...] = (
    ("k = 3", KAnonymity(3), 100, 2, 16),
    ("k = 3", KAnonymity(3), 200, 60, None),
    ("k = 5", KAnonymity(5), 40, 10, 72),
    ("k = 5", KAnonymity(5), 60, 60, None),
    ("k = 3 and t = 0.5", HALF, 40, 10, None),
    ("k = 3 and t = 0.5", HALF, 60, 60, None),
)
"""Of partitions: the model, the records, the seconds to be reached, and those of version 0.1.0 where it had a proof."""


def _check(release: Release) -> Callable[[], str]:
    """Return the check of a certificate, once it and the counts are read."""
    envelope = optimal_suppression(release, CLOSE, seed=0).certificate()
    assert envelope.sensitive is not None
    table, _ = table_of(release, envelope.sensitive)
    return partial(check, envelope, table.counts, table.levels)


def measure(peers: bool) -> tuple[list[Row], list[Curve]]:
    """CPU seconds until an optimum is proved; no other package solves these programs exactly."""
    release = tables(5, 50)["Mondrian, k = 50"][1]
    counted = release.classes
    of = f"{len(counted)} classes, t = 0.2, equal distance"
    works: list[tuple[str, Callable[[], Any], float, float | None]] = [
        (f"optimal suppression, {of}", partial(optimal_suppression, counted, CLOSE, seed=0), 0.5, 4.1),
        (f"optimal hiding, {of}", partial(optimal_hiding, counted, CLOSE, seed=0), 0.5, 4.1),
        (f"check of the certificate of optimal suppression, {of}", _check(release), 0.1, None),
        ("optimal cut, 16,000 records, k = 5", _cut(16_000), 0.1, 0.5),
    ]
    for _, work, *_ in works:
        work()
    for name, model, records, goal, before in _GOALS:
        work = _partition("column-generation", model, _SECONDS)(records)
        works.append((f"optimal partition, {name}, {records} records", work, goal, before))
    rows = []
    for what, work, goal, before in works:
        seconds, answer = _timed(work)
        proved = "proved optimal" if isinstance(answer, Optimal | str) else f"no proof within {_SECONDS:g} s"
        rows.append(Row(what, seconds, proved, None, goal, before))
    return rows, grown()
