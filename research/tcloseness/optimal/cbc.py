"""CBC, the program that PuLP brings along: run on a file in a folder of its own, and ended at any limit or interrupt.

PuLP's own way to run it writes its files into the temporary folder by whole paths, which CBC cannot read if they have a
blank, with coefficients of twelve digits; leaves them there when it is interrupted, and CBC running.
"""

from __future__ import annotations

import math
import os
import subprocess
import warnings
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from tcloseness.errors import SolverError
from tcloseness.limits import Clock, resident_memory
from tcloseness.optimal.program import Program
from tcloseness.own_process import GRACE, LOOK, OwnProcess, own_folder

__all__ = ["Run", "run"]

_WAY_OUT = "take HiGHS (engine='HiGHS', --solver highs)"


@dataclass(frozen=True)
class Run:
    """What CBC came to.

    Attributes
    ----------
    status
        The first word of its answer: ``Optimal``, ``Infeasible``, ``Stopped``, …; ``Stopped`` too if it was ended.
    values
        The variables of its best point, in doubles; None if there is none.
    """

    status: str
    values: list[float] | None


def run(program: Program, *, clock: Clock, told: bool = True) -> Run:
    """Hand a program to CBC.

    Parameters
    ----------
    program
        The program.
    clock
        CBC ends when no time is left, or is ended.
    told
        Whether CBC is given how much time is left, to give the best point that it has then. What else it says at that
        moment has been seen to be wrong: that there is no solution, and points that are none. Else it is ended.

    Raises
    ------
    SolverError
        If there is no CBC, it has nowhere to write, or it ends without an answer.
    MemoryLimitReached
        If it takes more memory than is left.
    """
    binary = _binary()
    with ExitStack() as held:
        try:
            place = held.enter_context(own_folder())
            _write(program, Path(place) / "program.mps", clock)
        except OSError as error:
            raise SolverError(
                f"CBC reads a file, and none can be written to a temporary folder: {error}; make room there, set "
                f"TMPDIR, or {_WAY_OUT}"
            ) from error
        words = [binary, "program.mps"]
        if told and clock.left is not None:
            words += ["-sec", f"{max(clock.left, 0.01):.3f}"]
        words += ["-ratio", "0", "-allow", "0", "-timeMode", "elapsed", "-solve", "-printingOptions", "all"]
        _ended([*words, "-solution", "found.sol"], place, clock, GRACE if told else 0.0)
        return _read(Path(place) / "found.sol", len(program.variables), clock)


def _binary() -> str:
    """Return the CBC that PuLP knows of."""
    import pulp

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # announces that PuLP 4 brings CBC as an extra
        solvers = [getattr(pulp, name, None) for name in ("PULP_CBC_CMD", "COIN_CMD")]
        for solver in solvers:
            path = None if solver is None else str(solver(msg=False).path)
            if path is not None and (os.path.isfile(path) or os.sep not in path):
                return path
    raise SolverError(f"PuLP finds no CBC; install it (python -m pip install 'pulp[cbc]'), or {_WAY_OUT}")


def _write(program: Program, file: Path, clock: Clock) -> None:
    """Write a program as free MPS, its whole numbers digit by digit."""
    columns: list[list[str]] = [[] for _ in program.variables]
    for variable, cost in program.costs.items():
        columns[variable].append(f"C {cost}")
    for number, row in enumerate(program.rows):
        for variable, coefficient in row.terms.items():
            columns[variable].append(f"R{number} {coefficient}")
    with file.open("w", encoding="ascii") as out:
        out.write("NAME program FREE\nROWS\n N C\n")
        out.writelines(f" L R{number}\n" for number in range(len(program.rows)))
        out.write("COLUMNS\n")
        for whole in (False, True):
            out.write(f" M{whole:d} 'MARKER' 'INTORG'\n" if whole else "")
            for number, entries in enumerate(columns):
                if program.variables[number].whole == whole:
                    clock.check("a program is written for CBC")
                    out.writelines(f" x{number} {entry}\n" for entry in entries or ["C 0"])
            out.write(f" M{whole:d} 'MARKER' 'INTEND'\n" if whole else "")
        out.write("RHS\n")
        out.writelines(f" B R{number} {row.most}\n" for number, row in enumerate(program.rows) if row.most)
        out.write("BOUNDS\n")
        for number, each in enumerate(program.variables):
            out.write(f" LO D x{number} {each.low}\n UP D x{number} {each.high}\n")
        out.write("ENDATA\n")


def _ended(words: list[str], place: str, clock: Clock, grace: float) -> None:
    """Run CBC until it ends, or is ended so many seconds after the limit."""
    own = OwnProcess(words, cwd=place, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        try:
            process = own.start()
        except OSError as error:
            raise SolverError(
                f"CBC cannot be started: {words[0]!r}: {error.strerror}; install it, or {_WAY_OUT}"
            ) from error
        while True:
            try:
                code = process.wait(timeout=LOOK)
                break
            except subprocess.TimeoutExpired:
                clock.refuse_growth(resident_memory(process.pid) or 0, "CBC searches")
                if clock.time_limit is not None and clock.seconds >= clock.time_limit + grace:
                    return
    finally:
        own.end()
    if code and not clock.over:
        raise SolverError(f"CBC ended with exit code {code} and without an answer; {_WAY_OUT}")


def _read(file: Path, size: int, clock: Clock) -> Run:
    """Read what CBC found: a line of status, then a line a variable."""
    try:
        lines = file.read_text(encoding="ascii", errors="replace").splitlines()
    except OSError as error:
        if clock.over:
            return Run("Stopped", None)
        raise SolverError(f"CBC ended without an answer ({error.strerror}); {_WAY_OUT}") from error
    first = lines[0] if lines else "Stopped"
    status = first.split()[0]
    if status == "Integer":  # "Integer infeasible"
        return Run("Infeasible", None)
    if status not in ("Optimal", "Stopped") or "no integer solution" in first:
        return Run(status, None)
    values = [math.nan] * size  # what is not there was not written any more
    for line in lines[1:]:
        words: list[Any] = line.replace("**", " ").split()
        if len(words) > 2 and words[1].startswith("x"):
            values[int(words[1][1:])] = float(words[2])
    return Run(status, values if all(map(math.isfinite, values)) else None)
