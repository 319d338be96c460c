"""How the time of each exact program grows with its table: samples of Adult, for `experiments.bench`."""

from __future__ import annotations

import time
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import matplotlib as mpl
import numpy as np
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter
from rich.console import Console

from experiments import adult
from experiments.adult_hierarchies import occupation_groups, preset
from tcloseness.errors import StudyError
from tcloseness.microdata import ClassCounts, Microdata
from tcloseness.models import KAnonymity, TCloseness
from tcloseness.optimal import (
    Optimal,
    optimal_cut,
    optimal_hiding,
    optimal_microaggregation,
    optimal_partition,
    optimal_sensitive_generalization,
    optimal_suppression,
)
from tcloseness.optimal.highs import cpu_seconds
from tcloseness.release.counting import Counting
from tcloseness.report.figures import INK, STYLE, save

__all__ = ["PROGRAMS", "Program", "Timed", "draw", "measure"]

THREE = ("age", "education", "hours-per-week")
CLASSES = ("marital-status", "race", "sex", "education")
CLOSE = TCloseness("1/5", ground="equal")


@dataclass(frozen=True)
class Program:
    """A program and the sizes that it is asked for.

    Attributes
    ----------
    name, question
        What is solved, and for what.
    sizes
        Numbers of records, ascending; the last one is twice another one.
    work
        Takes a number of records, prepares, and returns the work that is timed.
    """

    name: str
    question: str
    sizes: tuple[int, ...]
    work: Callable[[int], Callable[[], Any]]


@dataclass(frozen=True)
class Timed:
    """The CPU seconds of a program at each of its sizes; every answer was `Optimal`."""

    program: Program
    seconds: tuple[float, ...]

    @property
    def half(self) -> float:
        """Seconds at half the greatest size."""
        sizes = self.program.sizes
        return self.seconds[sizes.index(sizes[-1] // 2)]


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


def _partition(formulation: Any) -> Callable[[int], Callable[[], Any]]:
    def work(records: int) -> Callable[[], Any]:
        table = sample(records, THREE)
        return lambda: optimal_partition(table, KAnonymity(3), formulation=formulation, seed=0)

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
    Program("partition, column generation", "3-anonymity, NCP", (10, 20, 30, 60), _partition("column-generation")),
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


def measure(programs: tuple[Program, ...] = PROGRAMS) -> list[Timed]:
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
            work = program.work(size)
            begun = _cpu_seconds()
            answer = work()
            seconds.append(_cpu_seconds() - begun)
            if not isinstance(answer, Optimal):
                raise StudyError(f"{program.name} of {size} records ended without a proven optimum: {answer.to_dict()}")
        found.append(Timed(program, tuple(seconds)))
    return found


def _cpu_seconds() -> float:
    """CPU time of this process and of HiGHS, which has one of its own."""
    return time.process_time() + cpu_seconds()


def draw(timed: list[Timed], path: Path) -> Path:
    """Draw CPU seconds against records, both logarithmic, one line a program."""
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(8, 5.2))
        axes = figure.subplots()
        colours = mpl.colormaps["tab10"].colors  # type: ignore[attr-defined]
        for colour, one in zip(colours, timed, strict=False):
            name = f"{one.program.name}\n({one.program.question})"
            axes.loglog(one.program.sizes, one.seconds, marker="o", color=colour, linewidth=1.8, label=name)
        axes.legend(loc="center left", bbox_to_anchor=(1.01, 0.5), frameon=False, fontsize=9, labelspacing=0.9)
        axes.axhline(60, color=INK, linewidth=0.8, linestyle=":")
        axes.text(0.99, 60, "a minute ", transform=axes.get_yaxis_transform(), ha="right", va="bottom")
        for axis in (axes.xaxis, axes.yaxis):
            axis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,g}"))
        axes.set_xlabel("records")
        axes.set_ylabel("CPU seconds until the optimum is proven")
        axes.set_title("Samples of Adult: how the time of each exact program grows", loc="left")
    return save(figure, path)
