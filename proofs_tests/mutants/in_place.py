"""Puts faults into a module that is loaded already: the functions get the code of the changed file.

The tests are collected once, and each mutant is a process that parts from there. What runs when the module is loaded is
not run anew, so that a fault in such a line is not put in this way.
"""

from __future__ import annotations

import os
import signal
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from types import FunctionType
from typing import Any

import pytest

from proofs_tests.mutants.operators import Mutant
from proofs_tests.mutants.processes import OPTIONS, PACKAGE, run

__all__ = ["decide_in_place", "put"]

_AS_PYTHON = ("certificates/compiled.py",)
"""Files whose kernels run as Python: machine code is kept by the file that it was made of."""

_PATIENCE = 5
"""How many times the recorded processor time a test may take, and so many seconds."""


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
    """Collects the tests, and runs those of each mutant in a process that parts from there."""

    def __init__(self, todo: Sequence[tuple[Mutant, Sequence[str]]], seconds: Mapping[str, float], word: Path) -> None:
        self.todo, self.seconds, self.word = todo, seconds, word

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        items = {item.nodeid: item for item in session.items}
        for number, (mutant, tests) in enumerate(self.todo):
            child = os.fork()
            if child == 0:
                self._alone(session, mutant, [items[test] for test in tests if test in items])
            status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
            last = self.word.with_name("last")
            by = last.read_text(encoding="utf-8") if last.exists() else ""
            last.unlink(missing_ok=True)
            with self.word.open("a", encoding="utf-8") as file:
                print(number, status, by, sep="\t", file=file)
        return True

    def _alone(self, session: pytest.Session, mutant: Mutant, items: Sequence[pytest.Item]) -> None:
        code = os.EX_SOFTWARE
        try:
            signal.setitimer(signal.ITIMER_PROF, _PATIENCE)
            name = "tcloseness." + mutant.file.removesuffix(".py").replace("/", ".")
            put(sys.modules[name], mutant.source)
            for item, following in zip(items, [*items[1:], None], strict=True):
                self.word.with_name("last").write_text(item.nodeid, encoding="utf-8")
                signal.setitimer(signal.ITIMER_PROF, _PATIENCE * (1 + self.seconds[item.nodeid]))
                item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)
                if session.testsfailed:
                    break
            code = 1 if session.testsfailed else 0
        finally:
            os._exit(code)


def decide_in_place(
    todo: Sequence[tuple[Mutant, Sequence[str]]], seconds: Mapping[str, float]
) -> Iterator[tuple[int, int, str]]:
    """Yield of each mutant of a file its place in the list, the exit code of its tests, and the last test that ran."""
    files = sorted({test.split("::")[0] for _, tests in todo for test in tests})

    def work(_: str, slot: Path) -> int:
        import numba

        sys.path.insert(0, str(PACKAGE.parent))
        os.environ["PYTHONPATH"] = str(PACKAGE.parent)
        numba.config.DISABLE_JIT = todo[0][0].file in _AS_PYTHON  # type: ignore[attr-defined]
        host = _Host(todo, seconds, slot / "word")
        return int(pytest.main([*OPTIONS, "-m", "not slow and not coq", "-x", *files], plugins=[host]))

    for _, code, word in run([todo[0][0].file], lambda _file, _slot: None, work, 1):
        lines = [line.split("\t") for line in word.splitlines()]
        if code not in (0, 1, 5) or len(lines) < len(todo):
            raise SystemExit(f"{todo[0][0].file}: its tests do not run ({code})")
        for number, status, by in lines:
            yield int(number), int(status), by
