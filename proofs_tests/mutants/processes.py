"""Runs jobs in processes of their own, some at a time, each with a copy of the package that it may change."""

from __future__ import annotations

import compileall
import contextlib
import os
import py_compile
import resource
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NoReturn, TypeVar

__all__ = ["HANGS", "OPTIONS", "PACKAGE", "ROOT", "alone", "run"]

ROOT = Path(__file__).resolve().parents[2]
PACKAGE = ROOT / "research" / "tcloseness"

OPTIONS = ["-q", "-p", "no:cacheprovider", "-p", "no:xdist", "--assert=plain"]
"""How pytest is called."""

HANGS = -signal.SIGPROF
"""The exit code of a job that took longer than it allowed itself."""

_MEMORY = 12 << 30

J = TypeVar("J")


def run(
    jobs: Sequence[J], prepare: Callable[[J, Path], None], work: Callable[[J, Path], int], workers: int
) -> Iterator[tuple[J, int, str]]:
    """Run every job; yield each as it ends, with its exit code and what it wrote into ``word`` in its slot.

    Parameters
    ----------
    prepare
        Called here, before a job starts, with the job and its slot: a folder with a copy of the package.
    work
        Called in the new process; it may end it by a timer, and then the exit code is `HANGS`.
    """
    _preload()
    with tempfile.TemporaryDirectory() as scratch:
        free = [Path(scratch) / str(i) for i in range(workers)]
        for slot in free:
            shutil.copytree(PACKAGE, slot / "tcloseness", ignore=shutil.ignore_patterns("__pycache__"))
            compileall.compile_dir(slot, quiet=1, invalidation_mode=py_compile.PycInvalidationMode.CHECKED_HASH)
        running: dict[int, tuple[J, Path]] = {}
        queue = list(reversed(jobs))
        while queue or running:
            while queue and free:
                job, slot = queue.pop(), free.pop()
                (slot / "word").unlink(missing_ok=True)
                prepare(job, slot)
                child = os.fork()
                if child == 0:
                    alone(job, slot, work)
                running[child] = job, slot
            child, status = os.wait()
            job, slot = running.pop(child)
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)  # what the tests have started
            free.append(slot)
            word = slot / "word"
            yield job, os.waitstatus_to_exitcode(status), word.read_text(encoding="utf-8") if word.exists() else ""


def alone(job: J, slot: Path, work: Callable[[J, Path], int]) -> NoReturn:
    """Do a job in a process of its own, which ends here."""
    code = os.EX_SOFTWARE
    try:
        os.setpgid(0, 0)
        resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))
        quiet = os.open(os.devnull, os.O_RDWR)
        for stream in (0, 1, 2):
            os.dup2(quiet, stream)
        sys.dont_write_bytecode = True
        sys.path.insert(0, str(slot))
        os.environ["HYPOTHESIS_PROFILE"] = "mutants"
        os.environ["PYTHONPATH"] = str(slot)
        import numba

        numba.config.CACHE_DIR = str(slot / ".kernels")  # type: ignore[attr-defined]
        os.chdir(ROOT)
        code = work(job, slot)
    finally:
        os._exit(code)


def _preload() -> None:
    """Import what every run of the tests needs, once, before the processes part."""
    import coverage
    import cvc5
    import highspy
    import hypothesis
    import jsonschema
    import matplotlib.figure
    import networkx
    import numba
    import pandas
    import pulp
    import pytest
    import z3

    del coverage, cvc5, highspy, hypothesis, jsonschema, matplotlib, networkx, numba, pandas, pulp, pytest, z3
