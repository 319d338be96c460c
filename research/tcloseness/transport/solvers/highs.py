"""HiGHS before its first program: its banner silenced, and a version that is known to answer wrongly refused."""

from __future__ import annotations

import ctypes
import functools
import os
from typing import Any

from tcloseness.errors import SolverError

__all__ = ["require_highs", "silence_banner"]

_RIGHT = 9.0
"""The least of 2x + 3z over x + z ≥ 4.5, 0 ≤ x, z ≤ 10, z whole: at x = 4.5, z = 0."""


@functools.cache
def require_highs() -> None:
    """Silence HiGHS's banner, and see once a process that it finds the optimum of a program of two variables.

    highspy 1.14.0 calls 15 the least of min 2x + 3z, x + z ≥ 4.5, 0 ≤ x, z ≤ 10, z whole, where 9 is right; so may
    another version that nobody has met yet.

    Raises
    ------
    SolverError
        If it does not.
    """
    import highspy

    silence_banner()
    found = _probe(highspy)
    if found is None or not abs(found - _RIGHT) <= 1e-6:
        version = f"{highspy.HIGHS_VERSION_MAJOR}.{highspy.HIGHS_VERSION_MINOR}.{highspy.HIGHS_VERSION_PATCH}"
        raise SolverError(
            f"HiGHS {version} is refused: the optimum of min 2x + 3z, x + z >= 4.5, 0 <= x, z <= 10, z whole, is 9; "
            f"it answers {found!r} (highspy 1.14.0 is known for it); install another version: "
            "python -m pip install --upgrade highspy"
        )


def _probe(highspy: Any) -> float | None:
    """Return what HiGHS finds, with its presolve, which is what went wrong; None if it finds no optimum."""
    solver = highspy.Highs()
    solver.setOptionValue("output_flag", False)
    for cost in (2.0, 3.0):
        solver.addCol(cost, 0.0, 10.0, 0, [], [])
    solver.changeColIntegrality(1, highspy.HighsVarType.kInteger)
    solver.addRow(4.5, highspy.kHighsInf, 2, [0, 1], [1.0, 1.0])
    solver.run()
    optimal = solver.getModelStatus() == highspy.HighsModelStatus.kOptimal
    return float(solver.getInfo().objective_function_value) if optimal else None


@functools.cache
def silence_banner() -> None:
    """Let HiGHS print its banner into nothing: it does so once a process, before any option can silence it.

    The banner comes from C, so the file descriptor is turned away, and C's buffer is emptied while it is.
    """
    import highspy

    flush = ctypes.CDLL(None).fflush if os.name == "posix" else ctypes.cdll.msvcrt.fflush
    flush(None)
    kept, nowhere = os.dup(1), os.open(os.devnull, os.O_WRONLY)
    try:
        os.dup2(nowhere, 1)
        highspy.Highs()
        flush(None)
    finally:
        os.dup2(kept, 1)
        os.close(kept)
        os.close(nowhere)
