"""Tasks in processes of their own: each is done once, and a process that dies takes its own task with it, no other.

Workers are fresh interpreters; they run the program that started them anew only where they are given something that is
defined in it. An interrupt is not for them: whoever started them gets it, and ends them. A worker ends too when the
process that started it is gone, however that ended. Programs that a worker has started end with it, and its folders are
removed (`tcloseness.own_process`).
"""

from __future__ import annotations

import multiprocessing
import os
import pickle
import signal
import sys
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from functools import partial
from multiprocessing import resource_tracker
from multiprocessing.connection import Connection, wait
from types import ModuleType
from typing import Any

from tcloseness.errors import InputError
from tcloseness.own_process import whole

__all__ = ["Died", "how_many", "in_processes", "processors"]

_LAST_WAIT = 5.0
"""Seconds for the system to take a killed process away."""

_CLEANED_UP = 2.0
"""Seconds for a process that is ended to end what it started and to remove its folders: few have any."""


class Died:
    """What is had of a task whose process ended before it answered.

    Attributes
    ----------
    why
        How it ended, in words.
    """

    def __init__(self, code: int | None) -> None:
        killed = code is not None and code < 0
        self.why = f"its process was ended by signal {-code}" if killed else f"its process ended with code {code}"  # type: ignore[operator]


def processors() -> int:
    """Return how many processors this process may use."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def how_many(processes: int | None) -> int:
    """Return how many processes are to work at a time: as many as are asked for, by default one a processor.

    In a worker it is 1: workers start none of their own.

    Raises
    ------
    InputError
        If it is not a whole number of at least 1, or is more in a process that may not start others.

    Examples
    --------
    >>> how_many(3)
    3
    """
    alone = multiprocessing.current_process().daemon
    if processes is None:
        return 1 if alone else processors()
    if type(processes) is not int or processes < 1:
        raise InputError(f"processes is {processes!r}; give a whole number ≥ 1, or None for one a processor")
    if alone and processes > 1:
        raise InputError(
            f"processes is {processes}, and this process may not start others, as a worker of multiprocessing.Pool; "
            "give 1, or None"
        )
    return processes


class _Worker:
    def __init__(self, function: Callable[[Any, Any], Any], shared: bytes, *, main: bool) -> None:
        context = multiprocessing.get_context("spawn")
        self.connection, theirs = context.Pipe()
        self.process = context.Process(target=_serve, args=(theirs, function, shared), daemon=True)
        with _program(main):
            self.process.start()
        theirs.close()
        self.number = -1

    def end(self) -> None:
        """Wait until it is gone, once it has been told to end; kill it where it takes too long."""
        self.connection.close()
        self.process.join(_CLEANED_UP)
        self.process.kill()
        self.process.join(_LAST_WAIT)

    def died(self) -> Died:
        self.process.join(_LAST_WAIT)
        return Died(self.process.exitcode)


@contextmanager
def _program(needed: bool) -> Iterator[None]:
    """Hide the program that runs from a process that is started, unless it is needed there."""
    own = sys.modules["__main__"]
    if not needed:
        sys.modules["__main__"] = ModuleType("__main__")
    try:
        yield
    finally:
        sys.modules["__main__"] = own


@contextmanager
def _interrupts_held_back() -> Iterator[None]:
    """Hold Ctrl-C back: also a process that is started here gets none until it ignores them."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    resource_tracker.ensure_running()  # whose start would let them through
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)


def in_processes(
    function: Callable[[Any, Any], Any], shared: Any, tasks: Sequence[Any], processes: int
) -> Iterator[tuple[int, Any]]:
    """Go through the answers of ``function(shared, task)``, with the places of their tasks, as they come.

    Parameters
    ----------
    function
        It is found by its name in a module, and never raises.
    shared
        What every task needs: given to each process once, pickled.
    tasks
        The tasks, each pickled when it is given to a process.
    processes
        How many processes work at a time.

    Yields
    ------
    tuple
        The place of a task, and its answer; `Died` where its process ended before.
    """
    payload, given = pickle.dumps(shared), [pickle.dumps(task) for task in tasks]
    main = any(b"__main__" in each for each in (payload, *given))
    left = deque(range(len(tasks)))
    workers: list[_Worker] = []
    try:
        while left or any(worker.number >= 0 for worker in workers):
            while left and len(workers) < min(processes, len(tasks)):
                with _interrupts_held_back():  # so that none is started and lost sight of
                    workers.append(_Worker(function, payload, main=main))
            for worker in workers:
                if worker.number < 0 and left:
                    worker.number = left.popleft()
                    _send(worker.connection, given[worker.number])
            busy = {worker.connection: worker for worker in workers if worker.number >= 0}
            for ready in wait(list(busy)):
                worker = busy[ready]  # type: ignore[index]
                number, worker.number = worker.number, -1
                try:
                    answer = worker.connection.recv()
                except (EOFError, OSError):
                    answer = worker.died()
                    workers.remove(worker)
                    worker.end()
                yield number, answer
    finally:
        whole(partial(_end_all, workers))


def _end_all(workers: Sequence[_Worker]) -> None:
    for worker in workers:
        worker.process.terminate()
    for worker in workers:
        worker.end()


def _send(connection: Connection, task: bytes) -> None:
    with suppress(BrokenPipeError, ConnectionResetError):  # that it died is seen where its answer is read
        connection.send_bytes(task)


def _serve(connection: Connection, function: Callable[[Any, Any], Any], payload: bytes) -> None:
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):  # what is started from here is ended otherwise
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})
    threading.Thread(target=_end_with_parent, daemon=True).start()
    shared = pickle.loads(payload)
    while True:
        try:
            task = connection.recv()
        except (EOFError, OSError):
            return
        answer = function(shared, task)
        try:
            connection.send(answer)
        except OSError:
            return


def _end_with_parent() -> None:
    parent = multiprocessing.parent_process()
    if parent is not None:
        wait([parent.sentinel])
        os.kill(os.getpid(), signal.SIGTERM)  # what it started is ended, and its folders are removed
        time.sleep(_CLEANED_UP)
        os._exit(1)
