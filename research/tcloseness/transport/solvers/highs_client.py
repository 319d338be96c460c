"""HiGHS, asked in a process of its own (`tcloseness.transport.solvers.highs_process`).

In this process HiGHS could be neither interrupted nor stopped while it presolves, which takes it past any limit, and
its memory could not be bounded. A process is killed when it is over the time or the memory that it was given, and by
whatever is raised here while it works, an interrupt by the keyboard first of all. Otherwise it waits for the next
program, since starting one takes longer than most programs do; it ends with this process.
"""

from __future__ import annotations

import atexit
import math
import os
import pickle
import queue
import subprocess
import sys
import threading
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from tcloseness.errors import SolverError, TimeLimitReached
from tcloseness.limits import Clock, resident_memory
from tcloseness.own_process import GRACE, LOOK, OwnProcess
from tcloseness.transport.solvers.highs import require_highs

__all__ = ["Kept", "Run", "Watch", "asked", "cpu_seconds"]

Watch: TypeAlias = Callable[[float, float], None]
"""What HiGHS calls while it searches: with the incumbent's cost, ∞ at first, and the bound, −∞ at first, in doubles."""


@dataclass(frozen=True)
class Run:
    """What HiGHS came to.

    Attributes
    ----------
    status
        HiGHS's name for it, such as ``kOptimal``; ``ended`` if it was ended at the time limit.
    values
        The variables of the best point that it calls feasible, in doubles; None if there is none.
    bound
        No solution costs less; −∞ if HiGHS did not get as far, or was not asked for whole variables.
    prices
        The dual prices of the rows.
    ray
        Of an infeasible relaxation the prices by which it is one, if there are any.
    """

    status: str
    values: list[float] | None
    bound: float
    prices: list[float]
    ray: Sequence[float] = ()


def asked(
    task: Mapping[str, Any],
    options: Mapping[str, Any],
    clock: Clock,
    watch: Watch | None = None,
) -> Run:
    """Hand a program to HiGHS, as arrays; see `tcloseness.transport.solvers.highs_process`.

    Parameters
    ----------
    task
        The program.
    options
        HiGHS's options, by name.
    clock
        HiGHS ends when no time is left, or is ended.
    watch
        Called with what HiGHS reports while it searches, the least cost found and the bound. What it raises ends HiGHS,
        and is raised.

    Raises
    ------
    SolverError
        If HiGHS cannot be started, ends by itself, or is a version that answers wrongly.
    MemoryLimitReached
        If it takes more memory than is left.
    """
    require_highs()
    _CURRENT.process = None
    try:
        process = _taken()
        found = process.run(dict(task), dict(options), clock, watch)
    except BaseException:  # also an interrupt before the process had a name here
        if _CURRENT.process is not None:
            _CURRENT.process.end()
        raise
    if found.status == "ended":
        process.end()
    else:
        _IDLE.append(process)
    return found


Arrays: TypeAlias = Mapping[str, Any]
"""Columns by ``cost``, ``low``, ``high``, ``start``, ``index``, ``value``; with ``least`` and ``most`` of rows."""


class Kept:
    """A linear program in doubles that HiGHS keeps between changes, each of which it solves anew from where it was.

    To be ended, whatever happens: a context manager.

    Parameters
    ----------
    program
        Its columns and rows.
    options
        HiGHS's options, by name.
    """

    def __init__(self, program: Arrays, **options: Any) -> None:
        require_highs()
        self._task: dict[str, Any] = {**_typed(program), "whole": None, "format": "kColwise"}
        self._options = options
        self._process: _Process | None = None
        self._works = False

    def __enter__(self) -> Kept:
        return self

    def __exit__(self, *_: object) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        if self._works:
            process.end()
        else:
            _IDLE.append(process)

    def change(self, change: Arrays) -> None:
        """Before it is solved next, add rows, then columns, then change the bounds or the costs of ``columns``.

        Rows are ``row_least``, ``row_most``, ``row_start``, ``row_index``, ``row_value``; bounds ``lows``, ``highs``;
        costs ``costs``.
        """
        self._task["change"] = {**self._task.get("change", {}), **_typed(change)}

    def solve(self, clock: Clock, **options: Any) -> Run:
        """Solve it as it is now, with further options.

        Raises
        ------
        TimeLimitReached
            If no time is left.
        SolverError, MemoryLimitReached
            As `run`.
        """
        clock.check("HiGHS solves a linear relaxation")
        if self._process is None:
            _CURRENT.process = None
            try:
                self._process = _taken()
            except BaseException:  # also an interrupt before the process had a name here
                if _CURRENT.process is not None:
                    _CURRENT.process.end()
                raise
        self._works = True
        found = self._process.run(self._task, {**self._options, **options}, clock, None)
        if found.status in ("kUnknown", "kSolveError"):  # where it was solved to before has been seen to lead astray
            found = self._process.run({"change": {"afresh": []}}, {**self._options, **options}, clock, None)
        self._task, self._works = {}, found.status == "ended"
        if found.status in ("ended", "kTimeLimit"):
            raise TimeLimitReached("the time limit was reached while HiGHS solved a linear relaxation; give more time")
        return found


def _typed(arrays: Arrays) -> dict[str, Any]:
    whole = ("start", "index", "columns", "row_start", "row_index")
    return {
        name: np.ascontiguousarray(array, dtype=np.int32 if name in whole else float) for name, array in arrays.items()
    }


class _Process:
    """One process."""

    def __init__(self) -> None:
        self._messages: queue.SimpleQueue[tuple[Any, ...]] = queue.SimpleQueue()
        self._ready = False
        self._base = 0
        self._own = OwnProcess(
            [sys.executable, "-P", str(Path(__file__).with_name("highs_process.py"))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
        )
        _CURRENT.process = self
        try:
            self._process = self._own.start()
        except OSError as error:
            raise SolverError(
                f"HiGHS needs a process of its own, and {sys.executable!r} cannot be started: {error.strerror}"
            ) from error
        threading.Thread(target=self._read, daemon=True).start()
        self._send(sys.path)

    def _read(self) -> None:
        stream = self._process.stdout
        with suppress(Exception):  # the end, of the stream or of a message cut short
            while stream is not None:
                self._messages.put(pickle.load(stream))
        self._messages.put(("gone",))

    def _send(self, message: Any) -> None:
        stream = self._process.stdin
        with suppress(BrokenPipeError):  # what is read says so
            if stream is not None:
                pickle.dump(message, stream, protocol=pickle.HIGHEST_PROTOCOL)
                stream.flush()

    def run(self, task: dict[str, Any], options: dict[str, Any], clock: Clock, watch: Watch | None) -> Run:
        """Solve one program."""
        best, bound = None, -math.inf
        if not self._ready:
            if self._next(clock, 0.0) is None:
                return Run("ended", best, bound, [])
            self._ready, self._base = True, self._resident()
        if clock.left is not None:
            options["time_limit"] = max(clock.left, 1e-3)
        self._send({**task, "options": options})
        while message := self._next(clock, GRACE):
            match message:
                case ("found", found):
                    _CPU.append(found["seconds"])
                    values = found["values"] if found["feasible"] else None
                    told = found["bound"] if task.get("whole") is not None else -math.inf
                    return Run(found["status"], values, told, found["prices"], found["ray"])
                case ("better", cost, bound, best):
                    pass
                case (_, cost, bound):
                    pass
            if watch is not None:
                watch(cost, bound)
        return Run("ended", best, bound, [])

    def _next(self, clock: Clock, grace: float) -> tuple[Any, ...] | None:
        """Return what the process sends next; None if it sends nothing before the time is over."""
        while True:
            try:
                message = self._messages.get(timeout=LOOK)
            except queue.Empty:
                clock.refuse_growth(self._resident() - self._base, "HiGHS searches")
                if clock.time_limit is not None and clock.seconds >= clock.time_limit + grace:
                    return None
                continue
            if message[0] == "gone":
                raise SolverError(
                    f"HiGHS ended without an answer (exit code {self._process.wait()}): it may have run out of memory; "
                    "give a smaller problem, or try another engine"
                )
            if message[0] == "failed":
                raise SolverError(f"HiGHS failed: {message[1]}; try another engine")
            return message

    def _resident(self) -> int:
        return resident_memory(self._process.pid) or 0

    def end(self) -> None:
        """Kill the process, and wait until it is gone."""
        self._own.end()

    def forget(self) -> None:
        """Take the process for ended, without ending it."""
        self._process.returncode = 0

    @property
    def alive(self) -> bool:
        return self._process.poll() is None


_CPU: list[float] = []
"""CPU seconds of each program that was solved."""


def cpu_seconds() -> float:
    """Return the CPU seconds that HiGHS has taken for this process, which are not counted among its own."""
    return sum(_CPU)


_IDLE: list[_Process] = []
"""Processes that wait for a program."""

_CURRENT = threading.local()
"""In ``process``, the process that this thread has started or taken last."""


def _taken() -> _Process:
    """Return a process that waits, or a new one."""
    with suppress(IndexError):  # none waits; several threads may ask
        while True:
            _CURRENT.process = process = _IDLE.pop()
            if process.alive:
                return process
            process.end()
    return _Process()


@atexit.register
def _end_all() -> None:
    while _IDLE:
        _IDLE.pop().end()


def _forget_all() -> None:
    """In a fork of this process: what waits belongs to the original."""
    for process in _IDLE:
        process.forget()
    _IDLE.clear()


if hasattr(os, "register_at_fork"):
    os.register_at_fork(after_in_child=_forget_all)
