"""Puts faults into a module that is loaded already: the functions get the code of the changed file.

The tests are collected once, and each mutant is a process that parts from there. What runs when the module is loaded is
not run anew, so that a fault in such a line is not put in this way.
"""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

from proofs_tests.mutants.operators import Mutant
from proofs_tests.mutants.processes import OPTIONS, PACKAGE, alone

__all__ = ["decide_in_place", "put"]

_AS_PYTHON = ("certificates/compiled.py",)
"""Files whose kernels run as Python: machine code is kept by the file that it was made of."""

_PATIENCE = 5
"""How many times the processor time that a test takes without a fault it may take, and so many seconds at first."""


def put(module: Any, source: str) -> None:
    """Give the functions and classes of a module the code, defaults and constants of another version of its file."""
    new: dict[str, Any] = {"__name__": module.__name__, "__file__": module.__file__, "__package__": module.__package__}
    exec(compile(source, module.__file__, "exec"), new)
    _take(vars(module), new, module.__name__, vars(module).__setitem__)


def _take(old: Mapping[str, Any], new: Mapping[str, Any], module: str, write: Callable[[str, Any], None]) -> None:
    for name, changed in new.items():
        kept = old.get(name)
        if isinstance(changed, type) and isinstance(kept, type) and changed.__module__ == module:
            _take(vars(kept), vars(changed), module, lambda name, value, kept=kept: setattr(kept, name, value))  # type: ignore[misc]
        elif (was := _function(kept)) and (now := _function(changed)) and was.__module__ == module:
            was.__code__, was.__defaults__, was.__kwdefaults__ = now.__code__, now.__defaults__, now.__kwdefaults__
        elif type(changed) in (bool, int, float, str) and changed != kept and not name.startswith("__"):
            write(name, changed)


def _function(value: Any) -> FunctionType | None:
    """Return the function that a method, a property, a kernel or what is wrapped around one stands for."""
    while value is not None and not isinstance(value, FunctionType):
        inner = (getattr(value, name, None) for name in ("__func__", "fget", "py_func", "__wrapped__", "func"))
        value = next((each for each in inner if each is not None), None)
    while value is not None and hasattr(value, "__wrapped__"):
        value = value.__wrapped__
    return value


class _Host:
    """Collects the tests, and runs those of each mutant in a process that parts from there.

    The likeliest to notice come first; how long each takes is found before, without a fault.
    """

    def __init__(self, todo: Sequence[tuple[Mutant, Collection[str]]], slot: Path, tell: int) -> None:
        self.todo, self.slot, self.tell = todo, slot, tell
        self.seconds: dict[str, float] = {}
        self.kills: Counter[str] = Counter()

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        status, _ = self._part(session, None, session.items)
        if status:
            return True  # a test fails without a fault put in
        times = (self.slot / "seconds").read_text(encoding="utf-8").splitlines()
        self.seconds = {item.nodeid: float(took) for item, took in zip(session.items, times, strict=True)}
        for number, (mutant, passed) in enumerate(self.todo):
            items = [item for item in session.items if item.nodeid.split("::")[0] not in passed]
            items.sort(key=lambda item: -(1 + self.kills[item.nodeid]) / (0.02 + self.seconds[item.nodeid]))
            status, last = self._part(session, mutant, items)
            self.kills[last if status else ""] += 1
            os.write(self.tell, f"{number}\t{status}\t{last}\n".encode())
        return True

    def _part(self, session: pytest.Session, mutant: Mutant | None, items: Sequence[pytest.Item]) -> tuple[int, str]:
        """Run tests in a process of its own; return how it ended, and its last test."""
        last = self.slot / "last"
        last.unlink(missing_ok=True)
        child = os.fork()
        if child == 0:
            self._alone(session, mutant, items)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return status, last.read_text(encoding="utf-8") if last.exists() else ""

    def _alone(self, session: pytest.Session, mutant: Mutant | None, items: Sequence[pytest.Item]) -> None:
        code = os.EX_SOFTWARE
        try:
            if mutant is not None:
                signal.setitimer(signal.ITIMER_PROF, _PATIENCE)
                name = "tcloseness." + mutant.file.removesuffix(".py").replace("/", ".")
                put(sys.modules[name], mutant.source)
            for item, following in zip(items, [*items[1:], None], strict=True):
                (self.slot / "last").write_text(item.nodeid, encoding="utf-8")
                if mutant is not None:
                    signal.setitimer(signal.ITIMER_PROF, _PATIENCE * (0.3 + self.seconds[item.nodeid]))
                begun = time.process_time()
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                with (self.slot / "seconds").open("a", encoding="utf-8") as file:
                    print(time.process_time() - begun, file=file)
                if session.testsfailed:
                    break
            code = 1 if session.testsfailed else 0
        finally:
            os._exit(code)


def decide_in_place(
    todo: Sequence[tuple[Mutant, Collection[str]]], files: Sequence[str]
) -> Iterator[tuple[int, int, str]]:
    """Yield of each mutant of a file its place in the list, the exit code of its tests, and the last test that ran.

    Parameters
    ----------
    todo
        The mutants, each with the files of tests that it is known to pass.
    files
        The files of tests; of these the slow ones are not asked.
    """

    def work(tell: int, slot: Path) -> int:
        import numba

        sys.path.insert(0, str(PACKAGE.parent))
        os.environ["PYTHONPATH"] = str(PACKAGE.parent)
        numba.config.DISABLE_JIT = todo[0][0].file in _AS_PYTHON  # type: ignore[attr-defined]
        host = _Host(todo, slot, tell)
        return int(pytest.main([*OPTIONS, "-m", "not slow and not coq", *files], plugins=[host]))

    hear, tell = os.pipe()
    many = 0
    with tempfile.TemporaryDirectory() as scratch, os.fdopen(hear, encoding="utf-8") as lines:
        child = os.fork()
        if child == 0:
            alone(tell, Path(scratch), work)
        os.close(tell)
        try:
            for line in lines:
                many += 1
                number, status, by = line.rstrip("\n").split("\t")
                yield int(number), int(status), by
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
    if many < len(todo):
        raise SystemExit(f"{todo[0][0].file}: a test fails without a fault put in")
