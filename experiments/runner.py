"""The runner: studies in, CSV tables, figures, claims and their provenance out.

A study is a module of `experiments.studies` with an object ``STUDY``. What it returns is written to
``results/<study>/``: each table as CSV, the figures it drew, ``claims.json`` and ``provenance.json``. What a study runs
over stands in a file beside it, see `experiments.grids`.
"""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import time
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any, TypeVar

import pandas as pd
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn, TimeRemainingColumn

from experiments import studies
from experiments.claims import Claim, Outcome, load_ledger, verdict
from experiments.grids import load_grid
from experiments.provenance import provenance
from tcloseness.errors import StudyError

__all__ = ["RESULTS", "Figure", "Study", "StudyResult", "StudyRun", "discover", "run_studies"]

RESULTS = Path(__file__).resolve().parent.parent / "results"

T = TypeVar("T")


@dataclass(frozen=True)
class StudyRun:
    """What a study is given.

    Attributes
    ----------
    name
        The study's name.
    folder
        Where it may write files of its own (it exists).
    smoke
        Whether to run on a small part of the data only, to see that everything works.
    seed
        The seed of whatever is drawn at random.
    """

    name: str
    folder: Path
    smoke: bool = False
    seed: int = 20070415
    console: Console = field(default_factory=lambda: Console(stderr=True))
    used: dict[str, Any] = field(default_factory=dict)

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
        """Go through items with a progress bar on standard error; none is drawn where that is no terminal."""
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
        By file name (without ``.csv``).
    figures
        What it drew.
    outcomes
        By claim id, for the claims that it checks.
    summary
        The answer to the study's question, in a few sentences made from the numbers.
    """

    tables: Mapping[str, pd.DataFrame]
    figures: Sequence[Figure]
    outcomes: Mapping[str, Outcome]
    summary: str


@dataclass(frozen=True)
class Study:
    """A study: its name, the question it answers, and the function that answers it."""

    name: str
    question: str
    run: Callable[[StudyRun], StudyResult]


def discover() -> dict[str, Study]:
    """Return all studies by name."""
    found: dict[str, Study] = {}
    for module in sorted(pkgutil.iter_modules(studies.__path__), key=lambda m: m.name):
        study = getattr(importlib.import_module(f"{studies.__name__}.{module.name}"), "STUDY", None)
        if isinstance(study, Study):
            found[study.name] = study
    return found


def run_studies(
    names: Sequence[str], *, results: Path = RESULTS, smoke: bool = False, console: Console | None = None
) -> dict[str, StudyResult]:
    """Run studies one after another and write what they return; an interrupted run keeps the studies that ended.

    Raises
    ------
    StudyError
        For an unknown study, before anything runs.
    """
    known = discover()
    for name in names:
        if name not in known:
            raise StudyError(f"there is no study {name!r}; there are {', '.join(known)}")
    console = console or Console(stderr=True)
    done: dict[str, StudyResult] = {}
    ledger = load_ledger()
    for name in names:
        study = known[name]
        console.print(f"[bold]{name}[/bold]: {study.question}")
        folder = results / name
        folder.mkdir(parents=True, exist_ok=True)
        begun = time.perf_counter()
        run = StudyRun(name, folder, smoke=smoke, console=console)
        result = study.run(run)
        _write(study, run, result, ledger, time.perf_counter() - begun)
        console.print(
            f"  {result.summary}\n  [dim]{time.perf_counter() - begun:.1f} s, written to {_shown(folder)}[/dim]"
        )
        done[name] = result
    return done


def _write(study: Study, run: StudyRun, result: StudyResult, ledger: Mapping[str, Claim], seconds: float) -> None:
    for name, table in result.tables.items():
        _replace(run.folder / f"{name}.csv", table.to_csv(index=False))
    claims = [
        {
            "id": key,
            "stated": ledger[key].stated,
            "verdict": str(verdict(ledger[key], outcome)),
            "kind": verdict(ledger[key], outcome).kind,
            **outcome.to_dict(),
        }
        for key, outcome in result.outcomes.items()
    ]
    _replace(run.folder / "claims.json", json.dumps(claims, indent=1, ensure_ascii=False) + "\n")
    record = {
        "study": study.name,
        "question": study.question,
        "summary": result.summary,
        "smoke": run.smoke,
        "seed": run.seed,
        "seconds": round(seconds, 2),
        "tables": sorted(f"{name}.csv" for name in result.tables),
        "figures": [{"file": figure.path.name, "caption": figure.caption} for figure in result.figures],
        "grid": run.used,
        **provenance(),
    }
    _replace(run.folder / "provenance.json", json.dumps(record, indent=1, ensure_ascii=False) + "\n")


def _replace(path: Path, text: str) -> None:
    """Write a result whole or not at all."""
    scratch = path.with_name(path.name + ".part")
    scratch.write_text(text, encoding="utf-8")
    os.replace(scratch, path)


def _shown(path: Path) -> str:
    return str(path.relative_to(Path.cwd())) if path.is_relative_to(Path.cwd()) else str(path)
