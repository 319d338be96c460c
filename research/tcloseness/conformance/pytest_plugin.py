"""A pytest plugin: one test a vector, asked of a harness.

::

    pytest -p tcloseness.conformance.pytest_plugin --conform my_harness.py
    pytest -p tcloseness.conformance.pytest_plugin --conform "node my_harness.js"

Options: ``--conform-algorithm NAME`` (may be repeated) and ``--conform-seconds N``.
"""

from __future__ import annotations

import shlex
import sys
import warnings
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from tcloseness.conformance.process import Harness
    from tcloseness.conformance.vectors import Vector

__all__ = ["pytest_addoption", "pytest_collection_modifyitems"]

_HARNESS = pytest.StashKey[Any]()


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the options."""
    group = parser.getgroup("conform", "conformance of privacy models")
    group.addoption("--conform", metavar="HARNESS", help="ask this harness all conformance vectors")
    group.addoption("--conform-algorithm", action="append", default=[], metavar="NAME", help="only this algorithm")
    group.addoption("--conform-seconds", type=float, default=10.0, metavar="N", help="the time limit of a vector")


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(session: pytest.Session, items: list[pytest.Item]) -> None:
    """Add the vectors to whatever else was collected."""
    if not session.config.getoption("--conform"):
        return
    from tcloseness.conformance.vectors import load

    for vector in load(algorithms=session.config.getoption("--conform-algorithm")):
        items.append(_Item.from_parent(session, name=f"conform[{vector.id}]", vector=vector))


class _Item(pytest.Item):
    """One vector."""

    def __init__(self, *, vector: Vector, **rest: Any) -> None:
        super().__init__(**rest)
        self.vector = vector

    def runtest(self) -> None:
        """Ask it."""
        from tcloseness.conformance.assessment import assess
        from tcloseness.conformance.protocol import NOT_LISTED, Skipped

        harness = _harness(self.config)
        said = harness.implementation
        if self.vector.algorithm not in said.algorithms:
            pytest.skip(NOT_LISTED)
        reply = harness.ask(0, self.vector.question())
        if isinstance(reply, Skipped):
            pytest.skip(reply.why)
        assessment = assess(self.vector, reply, conventions=said.conventions)
        if assessment.failed:
            alike = f"; looks like {', '.join(assessment.looks_like)}" if assessment.looks_like else ""
            because = f" ({assessment.because})" if assessment.because else ""
            raise _Wrong(
                f"{assessment.verdict}: got {assessment.got}{because}; "
                f"right is {self.vector.expected.to_dict()}{alike}\n"
                f"{self.vector.comment}\n{self.vector.question()}"
            )

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """Show what was wrong and no traceback of ours."""
        return str(excinfo.value) if isinstance(excinfo.value, _Wrong) else super().repr_failure(excinfo, style)

    def reportinfo(self) -> tuple[Path, None, str]:
        """Say where the test is: in no file."""
        return self.config.rootpath, None, self.name


class _Wrong(Exception):  # noqa: N818 (a verdict)
    """An answer that speaks against the implementation."""


def _harness(config: pytest.Config) -> Harness:
    """Return the harness, started when it is first needed and ended with the session."""
    from tcloseness.conformance.process import Harness
    from tcloseness.conformance.runner import start_warnings

    found: Harness | None = config.stash.get(_HARNESS, None)
    if found is None:
        command = shlex.split(config.getoption("--conform"))
        if len(command) == 1 and command[0].endswith(".py"):
            command.insert(0, sys.executable)
        found = Harness(command, seconds=config.getoption("--conform-seconds"))
        config.add_cleanup(found.close)
        for text in start_warnings(found.start()):
            warnings.warn(pytest.PytestWarning(text), stacklevel=2)
        config.stash[_HARNESS] = found
    return found
