"""How speed is measured: candidates in turn, medians, and programs of other packages in an environment of their own."""

from __future__ import annotations

import os
import statistics
import subprocess
import sys
import time
import venv
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from experiments import adult
from experiments.provenance import ROOT

__all__ = ["PEERS", "Curve", "Row", "as_installed", "groupby", "medians", "peer", "program", "shown"]

FOLDER = ROOT / ".bench-peers"
PEERS = {
    "pycanon": "1.3.6",
    "POT": "0.9.7.post1",
    "ortools": "9.15.6755",
    "pyemd": "1.1.0",
    "duckdb": "2.0.1",
    "anonypyx": "0.2.11",
}
"""The packages that speed is compared with, and their versions."""


@dataclass(frozen=True)
class Row:
    """One thing that was measured, beside a yardstick of the same run.

    Attributes
    ----------
    what
        What is done; it names the row in every run.
    ours
        Seconds, or bytes of memory.
    yardstick
        What it is compared with.
    theirs
        Its seconds or bytes; None where seconds or bytes themselves are to be reached.
    goal
        The ratio to be reached, or the seconds or bytes, if there is such a goal.
    before
        The same of version 0.1.0, measured when it was that version.
    unit
        ``"CPU s"``, ``"s"`` of the clock, or ``"bytes"``.
    """

    what: str
    ours: float
    yardstick: str
    theirs: float | None
    goal: float | None = None
    before: float | None = None
    unit: str = "CPU s"

    @property
    def ratio(self) -> float:
        """Ours in yardsticks, or as it is where there is none."""
        return self.ours if self.theirs is None else self.ours / self.theirs


@dataclass(frozen=True)
class Curve:
    """How work grows with size.

    Attributes
    ----------
    panel, name
        Of which picture and which line it is.
    sizes, seconds
        The points.
    """

    panel: str
    name: str
    sizes: tuple[int, ...]
    seconds: tuple[float, ...]


def medians(
    candidates: Mapping[str, Callable[[], object]], repeats: int, clock: Callable[[], float] = time.process_time
) -> dict[str, float]:
    """Return the median seconds of each candidate; they take turns, after one turn that is not counted."""
    times: dict[str, list[float]] = {name: [] for name in candidates}
    for turn in range(repeats + 1):
        for name, candidate in candidates.items():
            begun = clock()
            candidate()
            if turn:
                times[name].append(clock() - begun)
    return {name: statistics.median(found) for name, found in times.items()}


def groupby() -> tuple[str, Callable[[], object]]:
    """Return the yardstick of searches, in words and as work: one group-by of all of Adult's columns, read as text."""
    frame = adult.load("train-complete").astype(str)
    columns = list(frame.columns)
    return f"one pandas groupby(…).size() of all {len(columns)} columns", lambda: frame.groupby(columns).size()


def peer(work: str, **environment: str) -> list[float]:
    """Run a program in the environment of the other packages, on one thread; return the numbers of its last line."""
    python = FOLDER / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not python.exists():
        venv.create(FOLDER, with_pip=True)
    needed = [f"{name}=={version}" for name, version in PEERS.items()]
    subprocess.run([python, "-m", "pip", "install", "-qq", *needed], check=True)
    return _numbers([str(python), "-c", work], OMP_NUM_THREADS="1", OPENBLAS_NUM_THREADS="1", **environment)


def program(work: str, **environment: str) -> list[float]:
    """Run a program in a process of its own, in this environment; return the numbers of its last line."""
    return _numbers([sys.executable, "-c", work], **environment)


def as_installed() -> dict[str, str]:
    """Return the environment of a process that keeps compiled modules: an installed package has them, as its peers."""
    return {**os.environ, "PYTHONDONTWRITEBYTECODE": ""}


def _numbers(command: list[str], **environment: str) -> list[float]:
    done = subprocess.run(command, check=True, capture_output=True, text=True, env={**as_installed(), **environment})
    return [float(word) for word in done.stdout.splitlines()[-1].split()]


def shown(amount: float, unit: str) -> str:
    """Return an amount as text: bytes in MB or GB, seconds in milliseconds below one.

    >>> shown(0.0012, "CPU s"), shown(3.5, "s"), shown(2.5e9, "bytes")
    ('1.20 ms', '3.50 s', '2.50 GB')
    """
    if unit == "bytes":
        return f"{amount / 1e9:,.2f} GB" if amount >= 1e9 else f"{amount / 1e6:,.0f} MB"
    if amount >= 1:
        return f"{amount:,.2f} s"
    return f"{amount * 1e3:,.3g} ms" if amount * 1e3 >= 100 else f"{amount * 1e3:.2f} ms"
