"""Puts faults into a module that is loaded already: the functions get the code of the changed file.

The tests are collected once, and each mutant is a process that parts from there. What runs when the module is loaded is
not run anew, so that a fault in such a line is not put in this way; that none was put in is said.
"""

from __future__ import annotations

import ast
import contextlib
import importlib
import os
import signal
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any

import pytest

from proofs_tests.mutants.journal import FOLDER, fingerprint
from proofs_tests.mutants.operators import Mutant
from proofs_tests.mutants.processes import OPTIONS, PACKAGE, alone
from proofs_tests.mutants.reach import Reach, recorded

__all__ = ["NOT_PUT", "TOO_LONG", "Question", "decide_in_place", "put"]

NOT_PUT, TOO_LONG = 101, 102
"""Exit codes: no function has changed, or the time was over before all tests were asked."""

_MARKS = "not slow and not coq and not site and not spark"

_PATIENCE = 5
"""How many times the processor time that a test takes without a fault it may take, and so many seconds at first."""


@dataclass(frozen=True)
class Question:
    """A mutant, and the files of tests that have to notice it, but for those that it is known to pass."""

    mutant: Mutant
    files: tuple[str, ...]


def put(module: Any, source: str) -> bool:
    """Give the functions and classes of a module the code, defaults and constants of another version of its file.

    Returns whether anything is another than before.
    """
    new: dict[str, Any] = {"__name__": module.__name__, "__file__": module.__file__, "__package__": module.__package__}
    exec(compile(source, module.__file__, "exec"), new)
    return _take(vars(module), new, module.__name__, vars(module).__setitem__)


def _take(old: Mapping[str, Any], new: Mapping[str, Any], module: str, write: Callable[[str, Any], None]) -> bool:
    different = False
    for name, changed in new.items():
        kept = old.get(name)
        if isinstance(changed, type) and isinstance(kept, type) and changed.__module__ == module:
            inside = lambda name, value, kept=kept: setattr(kept, name, value)  # noqa: E731
            different |= _take(vars(kept), vars(changed), module, inside)
        elif (was := _function(kept)) and (now := _function(changed)) and was.__module__ == module:
            different |= _told(was) != _told(now)
            was.__code__, was.__defaults__, was.__kwdefaults__ = now.__code__, now.__defaults__, now.__kwdefaults__
        elif type(changed) in (bool, int, float, str) and changed != kept and not name.startswith("__"):
            different = True
            write(name, changed)
    return different


def _told(function: FunctionType) -> str:
    """Return what a function does, as text; what its code object keeps of earlier runs is left out."""

    def of(code: CodeType) -> tuple[object, ...]:
        inner = [of(each) if isinstance(each, CodeType) else each for each in code.co_consts]
        return code.co_code, inner, code.co_names, code.co_varnames, code.co_freevars

    return repr((of(function.__code__), function.__defaults__, function.__kwdefaults__))


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

    Where it is found before what each test runs without a fault, and how long it takes, the likeliest to notice come
    first: those that run the changed lines, then the others beside them, to which one of those may have handed what it
    computed. Else the files of tests are asked in the order in which they are given, those marked as long behind the
    others, and a test that notices is run without the fault as well.
    """

    def __init__(self, todo: Sequence[Question], slot: Path, tell: int, seconds: float | None) -> None:
        self.todo, self.slot, self.tell, self.seconds = todo, slot, tell, seconds
        self.kills: Counter[str] = Counter()
        self.reaches: dict[str, Reach] = {}
        self.items: dict[str, list[pytest.Item]] = {}
        self.sound: dict[str, bool] = {}

    def pytest_runtestloop(self, session: pytest.Session) -> bool:
        for item in session.items:
            self.items.setdefault(item.nodeid.split("::")[0], []).append(item)
        for number, question in enumerate(self.todo):
            files = [file for file in question.files if file in self.items]
            if self.seconds is None and not all(self._known(session, file) for file in files):
                return True  # a test fails without a fault put in
            items = self._chosen(question.mutant, files)
            while True:
                status, last = self._part(lambda: self._ask(session, question.mutant, items))  # noqa: B023
                if status in (0, NOT_PUT, TOO_LONG) or not last or self._is_sound(session, items, last):
                    break
                items = [item for item in items if item.nodeid != last]
            self.kills[last if status else ""] += 1
            os.write(self.tell, f"{number}\t{status}\t{last}\n".encode())
        return True

    def _is_sound(self, session: pytest.Session, items: Sequence[pytest.Item], test: str) -> bool:
        """Say whether a test passes without a fault."""
        if self.seconds is None:
            return True
        if test not in self.sound:
            item = [item for item in items if item.nodeid == test]
            status, _ = self._part(lambda: self._ask(session, None, item))
            self.sound[test] = status == 0
            if status:
                os.write(self.tell, f"-1\t{status}\t{test}\n".encode())
        return self.sound[test]

    def _known(self, session: pytest.Session, file: str) -> bool:
        """Find what each test of a file runs, unless it is known; say whether all pass."""
        if file not in self.reaches:
            path = FOLDER / "reach" / f"{fingerprint('', file, as_code=False, shared=True)}-{Path(file).stem}.txt"
            if not path.exists():
                path.parent.mkdir(exist_ok=True)
                status, last = self._part(lambda: self._record(session, file, path.with_suffix(".new")))
                if status:
                    os.write(self.tell, f"-1\t{status}\t{last}\n".encode())
                    return False
                path.with_suffix(".new").rename(path)
            self.reaches[file] = Reach.read([path])
        return True

    def _record(self, session: pytest.Session, file: str, target: Path) -> int:
        def run() -> int:
            for item, following in _pairs(self.items[file]):
                self._test(item, following)
            return int(bool(session.testsfailed))

        return recorded(PACKAGE, run, target, session.config.pluginmanager.register)

    def _chosen(self, mutant: Mutant, files: Sequence[str]) -> list[pytest.Item]:
        if self.seconds is not None:
            items = [item for file in files for item in self.items[file] if self.sound.get(item.nodeid, True)]
            return sorted(
                items, key=lambda item: (item.get_closest_marker("long") is not None, -self.kills[item.nodeid])
            )

        def worth(item: pytest.Item, reach: Reach, running: set[str]) -> tuple[bool, float]:
            return item.nodeid not in running, -(1 + self.kills[item.nodeid]) / (0.02 + reach.seconds[item.nodeid])

        found: list[tuple[tuple[bool, float], pytest.Item]] = []
        for file in files:
            reach = self.reaches[file]
            running = reach.running(mutant.file, mutant.lines)
            found += [(worth(item, reach, running), item) for item in self.items[file]]
        return [item for _, item in sorted(found, key=lambda each: each[0])]

    def _part(self, work: Callable[[], int]) -> tuple[int, str]:
        """Do something in a process of its own; return how it ended, and its last test."""
        last = self.slot / "last"
        last.unlink(missing_ok=True)
        child = os.fork()
        if child == 0:
            code = os.EX_SOFTWARE
            try:
                code = work()
            finally:
                os._exit(code)
        status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
        return status, last.read_text(encoding="utf-8") if last.exists() else ""

    def _test(self, item: pytest.Item, following: pytest.Item | None) -> None:
        (self.slot / "last").write_text(item.nodeid, encoding="utf-8")
        item.config.hook.pytest_runtest_protocol(item=item, nextitem=following)

    def _ask(self, session: pytest.Session, mutant: Mutant | None, items: Sequence[pytest.Item]) -> int:
        if mutant is not None and not _put_into_package(mutant):
            return NOT_PUT
        begun = time.process_time()
        for item, following in _pairs(items):
            if self.seconds is not None and time.process_time() - begun > self.seconds:
                return TOO_LONG
            signal.setitimer(signal.ITIMER_PROF, self._patience(item))
            self._test(item, following)
            if session.testsfailed:
                return 1
        return 0

    def _patience(self, item: pytest.Item) -> float:
        """Return how many seconds of processor time a test may take with a fault."""
        if self.seconds is not None:
            return self.seconds
        return _PATIENCE * (0.3 + self.reaches[item.nodeid.split("::")[0]].seconds[item.nodeid])


def _put_into_package(mutant: Mutant) -> bool:
    """Put a fault into the module of its file; say whether a function has another code then."""
    signal.setitimer(signal.ITIMER_PROF, _PATIENCE)
    module = importlib.import_module("tcloseness." + mutant.file.removesuffix(".py").replace("/", "."))
    try:
        put(module, ast.unparse(ast.parse((PACKAGE / mutant.file).read_text(encoding="utf-8"))))
    except Exception:  # noqa: BLE001 - whatever a module raises that cannot be run twice in a process
        return False
    return put(module, mutant.source)


def _pairs(items: Sequence[pytest.Item]) -> Iterator[tuple[pytest.Item, pytest.Item | None]]:
    return zip(items, [*items[1:], None], strict=True)


def decide_in_place(todo: Sequence[Question], *, seconds: float | None = None) -> Iterator[tuple[int, int, str]]:
    """Yield of each mutant its place in the list, the exit code of its tests, and the last test that ran.

    Kernels of a file that is mutated run as Python: machine code is kept by the file that it was made of.

    Parameters
    ----------
    todo
        The mutants; of the files of tests the slow ones are not asked.
    seconds
        The processor time for the tests of one mutant. If it is given, few mutants of many files are meant: it is not
        found before what each test runs.
    """
    for python in (False, True):
        part = [place for place, question in enumerate(todo) if python == _has_kernels(question.mutant.file)]
        for number, status, last in _decided([todo[place] for place in part], python, seconds) if part else ():
            yield part[number], status, last


def _has_kernels(file: str) -> bool:
    return "njit" in (PACKAGE / file).read_text(encoding="utf-8")


def _decided(todo: Sequence[Question], python: bool, seconds: float | None) -> Iterator[tuple[int, int, str]]:
    files = dict.fromkeys(file for question in todo for file in question.files)

    def work(tell: int, slot: Path) -> int:
        import numba

        sys.path.insert(0, str(PACKAGE.parent))
        os.environ["PYTHONPATH"] = str(PACKAGE.parent)
        numba.config.DISABLE_JIT = python  # type: ignore[attr-defined]
        numba.config.CACHE_DIR = str(FOLDER / "kernels")  # type: ignore[attr-defined]
        host = _Host(todo, slot, tell, seconds)
        return int(pytest.main([*OPTIONS, "-m", _MARKS, *files], plugins=[host]))

    hear, tell = os.pipe()
    many, last = 0, "the files of tests cannot be read"
    with tempfile.TemporaryDirectory() as scratch, os.fdopen(hear, encoding="utf-8") as lines:
        child = os.fork()
        if child == 0:
            alone(tell, Path(scratch), work)
        os.close(tell)
        try:
            for line in lines:
                number, status, last = line.rstrip("\n").split("\t")
                if int(number) < 0:
                    print(f"fails without a fault put in: {last}", file=sys.stderr, flush=True)
                    continue
                many += 1
                yield int(number), int(status), last
        finally:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)
            os.waitpid(child, 0)
    if many < len(todo):
        raise SystemExit(f"{todo[0].mutant.file}: a test fails without a fault put in: {last}")
