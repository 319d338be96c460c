"""The runner: studies in, CSV tables, figures, claims and their provenance out.

A study is a module of `experiments.studies` with an object ``STUDY``. What it returns is written to
``results/<study>/``: each table as CSV, the figures it drew, ``claims.json`` and ``provenance.json``; see
`experiments.kept` for how. What a study runs over is in a file beside it, see `experiments.grids`.
"""

from __future__ import annotations

import importlib
import io
import pickle
import pkgutil
import re
import signal
import threading
import time
import warnings
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, fields, is_dataclass, replace
from fractions import Fraction
from pathlib import Path
from types import FrameType
from typing import Any, TypeVar

import numpy as np
import pandas as pd
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from experiments import datasets, studies
from experiments.claims import COMPARED, Outcome, load_ledger, verdict
from experiments.grids import load_grid
from experiments.kept import REPORTS, begin, changed, end, json_text, note_run, read, varies, why_not
from experiments.provenance import inputs, made, provenance
from tcloseness.cli.ending import note_places
from tcloseness.errors import StudyError, TableWarning, TClosenessError
from tcloseness.limits import Partial
from tcloseness.worker_pool import Died, how_many, in_processes, processors
from tcloseness.writing import lock, make_folder

__all__ = [
    "RESULTS",
    "SEED",
    "Figure",
    "Study",
    "StudyResult",
    "StudyRun",
    "chosen",
    "discover",
    "refuse_partial",
    "refuse_timings",
    "run_studies",
]

RESULTS = Path(__file__).resolve().parent.parent / "results"
SEED = 20070415

T = TypeVar("T")


@dataclass(frozen=True)
class StudyRun:
    """What a study is given.

    Attributes
    ----------
    name
        The study's name.
    folder
        Where it may write files of its own (it exists). They become part of its result; folders in it do not.
    smoke
        Whether to run on a small part of the data only, to see that everything works.
    seeds
        With which seeds the study has drawn, in words; the run's provenance names them.
    """

    name: str
    folder: Path
    smoke: bool = False
    console: Console = field(default_factory=lambda: Console(stderr=True))
    used: dict[str, Any] = field(default_factory=dict)
    seeds: list[str] = field(default_factory=list)

    @property
    def seed(self) -> int:
        """The seed of whatever is drawn at random; noted as used."""
        self.draws_with(str(SEED))
        return SEED

    def draws_with(self, seeds: str) -> None:
        """Note seeds that are used beside `seed`, such as ``0 to 99``."""
        if seeds not in self.seeds:
            self.seeds.append(seeds)

    def grid(self, kind: type[T]) -> T:
        """Return what the study runs over, from its file; the run's provenance names it.

        Raises
        ------
        StudyError
            As `experiments.grids.load_grid`.
        """
        grid = load_grid(kind, self.name, smoke=self.smoke)
        self.used.update(asdict(grid))  # type: ignore[call-overload]
        return grid

    def progress(self, items: Iterable[T], label: str, total: int | None = None) -> Iterator[T]:
        """Go through items with a progress bar on standard error; none is drawn where that is not a terminal."""
        if total is None and isinstance(items, Sequence):
            total = len(items)
        if not self.console.is_terminal:
            yield from items
            return
        columns = (
            TextColumn("  {task.description}"),
            BarColumn(),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
            TextColumn("left"),
            TimeRemainingColumn(),
        )
        with Progress(*columns, console=self.console, transient=True) as bars:
            yield from bars.track(items, description=label, total=total)


@dataclass(frozen=True)
class Figure:
    """A figure that a study drew.

    Attributes
    ----------
    path
        The file.
    caption
        What it shows and what to see in it, in a sentence or two.
    """

    path: Path
    caption: str


@dataclass(frozen=True)
class StudyResult:
    """What a study found.

    Attributes
    ----------
    tables
        By file name (without ``.csv``). What was measured on a clock is in tables whose names end with ``_times``, in
        columns that say ``seconds``, and in no other: all else is the same in every run.
    figures
        What it drew.
    outcomes
        By claim id, for the claims that it checks.
    summary
        The answer to the study's question, in a few sentences made from the numbers.
    proofs
        By file name, certificates of what it found and the counts that they are about; see `experiments.proofs`.
    """

    tables: Mapping[str, pd.DataFrame]
    figures: Sequence[Figure]
    outcomes: Mapping[str, Outcome]
    summary: str
    proofs: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class Study:
    """A study: its name, the question it answers, and the function that answers it.

    Attributes
    ----------
    inputs
        What its result depends on beside code, data, grid and versions, as JSON-ready data.
    basis
        In a sentence, which of its numbers are of a sample, and so have an interval, and what was enumerated whole.
    data
        The data sets that it reads, ``adult`` or of `experiments.datasets.DATASETS`, beside what the papers print.
    needs
        In a sentence, what it needs more than the standard studies do, such as data to fetch or time. It then runs
        only where it is asked for by name, or where all are.
    timed
        Whether its seconds are what it reports, and so it runs alone. Processor seconds that a study only keeps in a
        table of times are measured beside others.
    """

    name: str
    question: str
    run: Callable[[StudyRun], StudyResult]
    inputs: Callable[[], Mapping[str, Any]] = dict
    basis: str = ""
    data: tuple[str, ...] = ("adult",)
    needs: str = ""
    timed: bool = False

    @property
    def fetched(self) -> tuple[str, ...]:
        """The data sets that it reads beside Adult."""
        return tuple(name for name in self.data if name != "adult")


def discover() -> dict[str, Study]:
    """Return all studies by name."""
    found: dict[str, Study] = {}
    for module in sorted(pkgutil.iter_modules(studies.__path__), key=lambda m: m.name):
        study = getattr(importlib.import_module(f"{studies.__name__}.{module.name}"), "STUDY", None)
        if isinstance(study, Study):
            found[study.name] = study
    return found


def chosen(every: bool = False) -> list[str]:
    """Return the names of the standard studies, or of all, those that need more than these last."""
    found = sorted(discover().values(), key=lambda study: bool(study.needs))
    return [study.name for study in found if every or not study.needs]


@dataclass(frozen=True)
class _Due:
    """A study that is to run: what its result depends on, and what the terminal says before its result."""

    name: str
    heading: str
    depends: Mapping[str, Any]


def run_studies(
    names: Sequence[str],
    *,
    results: Path = RESULTS,
    smoke: bool = False,
    again: bool = False,
    processes: int | None = 1,
    console: Console | None = None,
) -> dict[str, StudyResult]:
    """Run studies, write what they return, and return it.

    A study whose result is there, whole and made from what is here now, is not run again. An interrupted run keeps the
    studies that ended, and marks those that did not: the next run goes on from there.

    Parameters
    ----------
    names
        The studies; one that is named twice runs once.
    results
        Where results are written; one run at a time.
    smoke
        Whether to run on a small part of the data only.
    again
        Whether to run also those whose results are there.
    processes
        How many studies run at a time, each in a process of its own; None for one a processor that may be used. 1 works
        in this process. Those that measure time on a clock run here after all others, one at a time. What is found is
        the same for every number.

    Raises
    ------
    InputError
        If the folder cannot be made, or `processes` is not a whole number of at least 1.
    DataMissing, DataAltered
        If data that a study reads are not there and cannot be fetched, or are other ones.
    StudyError
        For an unknown study, before anything runs; if another process uses the folder; if a study returns what rests
        on a search that ended early; or if the system ended a study's process.
    """
    processes = how_many(processes)
    begun = time.monotonic()
    known = discover()
    names = list(dict.fromkeys(names))  # two processes in one folder would be in each other's way
    for name in names:
        if name not in known:
            raise StudyError(f"there is no study {name!r}; there are {', '.join(known)}")
    console = console or Console(stderr=True)
    make_folder(results)
    done: dict[str, StudyResult] = {}
    reused: list[str] = []

    def due() -> Iterator[_Due]:
        for number, name in enumerate(names, 1):
            study = known[name]
            for each in study.fetched:
                datasets.fetch(each)
            one = _Due(
                name,
                f"[bold]{name}[/bold] ({number} of {len(names)}): {study.question}",
                {**inputs(name, smoke=smoke, seed=SEED, data=study.data), "also": dict(study.inputs())},
            )
            summary = None if again else _unchanged(results / name, one, console)
            if summary is None:
                for report in REPORTS:
                    (results / report).unlink(missing_ok=True)  # it shows what is going to be replaced
                yield one
            else:
                console.print(f"{one.heading}\n  {summary}\n  [dim]reused: nothing it depends on has changed[/dim]")
                reused.append(name)
                note_run(results, list(done), reused)

    def said(one: _Due, result: StudyResult, seconds: float) -> None:
        done[one.name] = result
        console.print(f"  {result.summary}\n  [dim]{seconds:.1f} s, written to {_shown(results / one.name)}[/dim]")
        note_run(results, list(done), reused)

    with lock(results), _interrupts() as raise_interrupt:
        left: Iterable[_Due] = due()
        if processes > 1:
            all_due = list(left)
            beside = [one for one in all_due if not known[one.name].timed]
            left = [one for one in all_due if known[one.name].timed]
            if len(beside) > 1:
                console.print(f"[dim]{len(beside)} studies, {min(processes, len(beside))} at a time[/dim]")
            for number, answer in in_processes(_ended, (results, smoke), beside, processes):
                one = beside[number]
                if isinstance(answer, Died):
                    raise StudyError(
                        f"the study {one.name} did not end: {answer.why}; what ended is kept, and the same command "
                        "goes on from there: with --processes 1, if memory was short"
                    )
                if isinstance(answer, BaseException):
                    raise answer
                raise_interrupt()
                console.print(one.heading)
                said(one, *answer)
        for one in left:
            console.print(one.heading)
            result, seconds = _run(known[one.name], one, results, smoke, console, raise_interrupt)
            said(one, result, seconds)
    if done:
        studies = f"{len(done)} {'study' if len(done) == 1 else 'studies'}"
        at_a_time = f"{processes} {'process' if processes == 1 else 'processes'} on {processors()} processors"
        console.print(f"[dim]{studies} in {time.monotonic() - begun:.0f} s: {at_a_time}[/dim]")
    return done


def _run(
    study: Study, one: _Due, results: Path, smoke: bool, console: Console, raise_interrupt: Callable[[], None]
) -> tuple[StudyResult, float]:
    """Run a study and write what it returns; return that, and the seconds that it took."""
    begun = time.perf_counter()
    run = StudyRun(study.name, begin(results / study.name, one.depends), smoke=smoke, console=console)
    with warnings.catch_warnings():
        # published tables are small, and often have such a column
        warnings.filterwarnings("ignore", "column .* has a different value in each of the", TableWarning)
        result = study.run(run)
    raise_interrupt()
    return _write(study, run, result, one.depends, time.perf_counter() - begun), time.perf_counter() - begun


def _ended(where: tuple[Path, bool], one: _Due) -> tuple[StudyResult, float] | BaseException:
    """Run a study in a process of its own; return what ended it, if it did not end, with where that was."""
    try:
        return _run(discover()[one.name], one, *where, Console(file=io.StringIO()), lambda: None)
    except BaseException as error:  # noqa: BLE001
        note_places(error)
        try:
            pickle.loads(pickle.dumps(error))
        except Exception:  # noqa: BLE001
            kind = StudyError if isinstance(error, TClosenessError) else RuntimeError  # the second is a fault
            told = kind(f"the study {one.name} did not end: {type(error).__name__}: {error}")
            told.__notes__ = error.__notes__
            return told
        return error


def _unchanged(folder: Path, one: _Due, console: Console) -> str | None:
    """Return the summary of a result that is whole and was made from what is here now; None if there is none."""
    if why_not(folder):
        return None
    record, _ = read(folder)
    if differs := changed(record, one.depends):
        console.print(f"[dim]{one.name} changed since its last result: {', '.join(differs)}[/dim]")
        return None
    return str(record["summary"])


@contextmanager
def _interrupts() -> Iterator[Callable[[], None]]:
    """Notice an interrupt also where somebody swallows it: what is yielded raises it once more."""
    before = signal.getsignal(signal.SIGINT)
    if threading.current_thread() is not threading.main_thread() or not callable(before):
        yield lambda: None
        return
    came: list[int] = []

    def note(number: int, frame: FrameType | None) -> None:
        came.append(number)
        before(number, frame)

    def again() -> None:
        if came:
            raise KeyboardInterrupt

    signal.signal(signal.SIGINT, note)
    try:
        yield again
    finally:
        signal.signal(signal.SIGINT, before)


def refuse_partial(name: str, result: StudyResult) -> None:
    """Refuse a result in which anything rests on a search that ended early.

    Raises
    ------
    StudyError
        Where it does, with the place.
    """
    left: list[tuple[str, Any]] = [(f"table {key!r}", table) for key, table in result.tables.items()]
    left += [(f"claim {key}", outcome) for key, outcome in result.outcomes.items()]
    seen: set[int] = set()
    while left:
        where, found = left.pop()
        if isinstance(found, Partial):
            kind = f"{type(found).__name__} ({found.reason})"
            raise StudyError(
                f"the study {name} returned {where} with a {kind}: what a search found that ended early is not a "
                "result, and nothing is written"
            )
        if isinstance(found, str | bytes | int | float | Fraction | np.generic | None) or id(found) in seen:
            continue
        seen.add(id(found))
        if isinstance(found, pd.DataFrame):
            left += [(f"{where}, column {column!r}", found[column]) for column in found]
            left.append((where, found.attrs))
        elif isinstance(found, pd.Series):
            if found.dtype == object:
                left += [(where, cell) for cell in found]
        elif is_dataclass(found):
            left += [(where, getattr(found, part.name)) for part in fields(found)]
        elif isinstance(found, Mapping):
            left += [(where, part) for part in (*found, *found.values())]
        elif isinstance(found, Iterable) and not isinstance(found, Iterator):
            left += [(where, part) for part in found]


def refuse_timings(name: str, result: StudyResult) -> None:
    """Refuse seconds in a table that is to be the same in every run.

    Raises
    ------
    StudyError
        Where there are some, with the column.
    """
    for key, table in result.tables.items():
        for column in () if varies(f"{key}.csv") else table.columns:
            if re.search(r"\bseconds?\b", str(column)):
                raise StudyError(
                    f"the study {name} returned the table {key!r} with the column {column!r}; what is measured on a "
                    "clock belongs into a table whose name ends with '_times'"
                )


def _write(study: Study, run: StudyRun, result: StudyResult, depends: Mapping[str, Any], seconds: float) -> StudyResult:
    """Write a study's result, and return it with its figures where they are then."""
    refuse_partial(study.name, result)
    refuse_timings(study.name, result)
    ledger = load_ledger()
    claims = []
    for key, outcome in result.outcomes.items():
        compared = verdict(ledger[key], outcome)
        claims.append(
            {
                "id": key,
                **{name: getattr(ledger[key], name) for name in COMPARED},
                "verdict": str(compared),
                "kind": compared.kind.one,
                "why": compared.why or "",
                **outcome.to_dict(),
            }
        )
    tables = {f"{name}.csv": table.to_csv(index=False).encode() for name, table in result.tables.items()}
    record = {
        "study": study.name,
        "question": study.question,
        "basis": study.basis,
        "data": list(study.data),
        "needs": study.needs,
        "summary": result.summary,
        "seconds": round(seconds, 2),
        "tables": sorted(tables),
        "figures": [{"file": figure.path.name, "caption": figure.caption} for figure in result.figures],
        "grid": run.used,
        "seeds": run.seeds,
        **depends,
        "revision": provenance()["revision"],
        **made(),
    }
    folder = run.folder.parent
    end(folder, {**tables, **result.proofs, "claims.json": json_text(claims)}, record)
    moved = [Figure(folder / figure.path.name, figure.caption) for figure in result.figures]
    return replace(result, figures=moved)


def _shown(path: Path) -> str:
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
