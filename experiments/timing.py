"""How speed is measured: candidates in turn, medians, and programs of other packages in an environment of their own."""

from __future__ import annotations

import os
import statistics
import subprocess
import time
import venv
from collections.abc import Callable, Mapping

from experiments.provenance import ROOT

__all__ = ["POT", "PYCANON", "Row", "medians", "peer", "shown_seconds"]

PEERS = ROOT / ".bench-peers"
PYCANON, POT = "1.3.6", "0.9.7.post1"

Row = tuple[str, str, str, str]
"""What is measured, ours, the yardstick, the ratio."""


def medians(
    candidates: Mapping[str, Callable[[], object]], repeats: int, clock: Callable[[], float] = time.perf_counter
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


def peer(program: str) -> str:
    """Run a program in the environment of the peers, on one thread; return the last word that it prints."""
    python = PEERS / ("Scripts" if os.name == "nt" else "bin") / "python"
    if not python.exists():
        venv.create(PEERS, with_pip=True)
    needed = [f"pycanon=={PYCANON}", f"POT=={POT}"]
    subprocess.run([python, "-m", "pip", "install", "--quiet", *needed], check=True)
    one_thread = {**os.environ, "OMP_NUM_THREADS": "1", "OPENBLAS_NUM_THREADS": "1"}
    answer = subprocess.run([python, "-c", program], check=True, capture_output=True, text=True, env=one_thread)
    return answer.stdout.split()[-1]


def shown_seconds(seconds: float) -> str:
    """Return seconds as text, in milliseconds below one."""
    return f"{seconds * 1e3:,.1f} ms" if seconds < 1 else f"{seconds:,.2f} s"
