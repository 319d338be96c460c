"""Programs handed to HiGHS, which solves them in a process of its own (`tcloseness.transport.solvers.highs_client`)."""

from __future__ import annotations

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from tcloseness.limits import Clock
from tcloseness.optimal.program import Program
from tcloseness.transport.solvers.highs_client import Run, Watch, asked

__all__ = ["Run", "run"]


def run(
    program: Program,
    *,
    clock: Clock,
    watch: Watch | None = None,
    relaxed: bool = False,
    options: Mapping[str, Any] | None = None,
) -> Run:
    """Hand a program to HiGHS.

    Parameters
    ----------
    program
        The program.
    clock
        HiGHS ends when no time is left, or is ended.
    watch
        Called with what HiGHS reports while it searches. What it raises ends HiGHS, and is raised.
    relaxed
        Whether to solve the linear relaxation, with the upper bounds of the variables left out.
    options
        HiGHS's options, by name.

    Raises
    ------
    SolverError
        If HiGHS cannot be started, ends by itself, or is a version that answers wrongly.
    MemoryLimitReached
        If it takes more memory than is left.
    """
    return asked(_task(program, relaxed), options or {}, clock, watch)


def _task(program: Program, relaxed: bool) -> dict[str, Any]:
    """Return a program as arrays."""
    size, rows = len(program.variables), program.rows
    cost = np.zeros(size)
    for variable, price in program.costs.items():
        cost[variable] = price
    lengths = [len(row.terms) for row in rows]
    entries = sum(lengths)
    return {
        "cost": cost,
        "low": np.array([v.low for v in program.variables], dtype=float),
        "high": np.array([math.inf if relaxed else v.high for v in program.variables], dtype=float),
        "whole": None if relaxed else [v.whole for v in program.variables],
        "least": np.full(len(rows), -math.inf),
        "most": np.array([row.most for row in rows], dtype=float),
        "format": "kRowwise",
        "start": np.cumsum([0, *lengths]).astype(np.int32),
        "index": np.fromiter((v for row in rows for v in row.terms), dtype=np.int32, count=entries),
        "value": np.fromiter((c for row in rows for c in row.terms.values()), dtype=float, count=entries),
    }
