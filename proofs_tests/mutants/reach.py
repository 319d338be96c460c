"""Which tests run which lines of the package: only they can notice a fault there.

A test that is given a result which a test before it computed, and which was kept (`functools.cache`), does not run its
lines; then the test before it has to notice.
"""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

__all__ = ["Reach", "record", "recorded"]


@dataclass(frozen=True)
class Reach:
    """What each test of some files runs.

    Attributes
    ----------
    seconds
        The processor time of each test, by its id, while its lines were recorded (with kernels not compiled).
    lines
        By file of the package and test id: the lines that the test ran. Those run by an import are under ``""``.
    """

    seconds: dict[str, float]
    lines: dict[str, dict[str, frozenset[int]]]

    @staticmethod
    def read(paths: Iterable[Path]) -> Reach:
        """Read what `record` wrote for some files of tests."""
        seconds: dict[str, float] = {}
        lines: dict[str, dict[str, frozenset[int]]] = {}
        for path in paths:
            record = json.loads(path.read_text(encoding="utf-8"))
            seconds |= record["seconds"]
            for file, by_test in record["lines"].items():
                known = lines.setdefault(file, {})
                for test, numbers in by_test.items():
                    known[test] = known.get(test, frozenset()) | frozenset(numbers)
        return Reach(seconds, lines)

    def running(self, file: str, lines: range) -> set[str]:
        """Return the ids of the tests that run one of the lines; an empty one, if an import does."""
        return {test for test, numbers in self.lines.get(file, {}).items() if not numbers.isdisjoint(lines)}

    def tests(self, file: str, lines: range, kills: Mapping[str, int] | None = None) -> list[str]:
        """Return the ids of the tests that run one of the lines; all, if an import runs them.

        First come those that notice most in the least time, as far as it is known what they noticed before.
        """
        found = self.running(file, lines)
        known = kills or {}
        return sorted(
            self.seconds if "" in found else found,
            key=lambda test: (-(1 + known.get(test, 0)) / (0.1 + self.seconds[test]), test),
        )


class _Contexts:
    """Tells the recorder which test runs, and takes its time."""

    def __init__(self, recorder: Any) -> None:
        self.recorder = recorder
        self.seconds: dict[str, float] = {}

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[None]:
        self.recorder.switch_context(item.nodeid)
        started = time.process_time()
        result = yield
        self.seconds[item.nodeid] = time.process_time() - started
        self.recorder.switch_context("")
        return result


def record(package: Path, test_file: str, options: list[str], target: Path) -> int:
    """Run a file of tests, write what each of them runs, and return pytest's exit code.

    The process must not have imported the package, and ends after this: kernels run as Python, so that their lines
    count as well.
    """
    import numba

    numba.config.DISABLE_JIT = True  # type: ignore[attr-defined]
    plugins: list[object] = []
    return recorded(package, lambda: int(pytest.main([*options, test_file], plugins=plugins)), target, plugins.append)


def recorded(package: Path, run: Callable[[], int], target: Path, register: Callable[[object], object]) -> int:
    """Run tests, write what each of them runs, and return the exit code.

    Parameters
    ----------
    run
        Runs the tests, and returns the exit code.
    register
        Is given the plugin of pytest that tells which test runs, before the tests do.
    """
    import coverage

    recorder = coverage.Coverage(data_file=None, config_file=False, include=[f"{package}/*"])
    contexts = _Contexts(recorder)
    register(contexts)
    recorder.start()
    code = run()
    recorder.stop()
    lines: dict[str, dict[str, list[int]]] = {}
    data = recorder.get_data()
    for path in data.measured_files():
        by_test = lines.setdefault(Path(path).relative_to(package).as_posix(), {})
        for number, tests in data.contexts_by_lineno(path).items():
            for test in tests:
                by_test.setdefault(test, []).append(number)
    target.write_text(json.dumps({"seconds": contexts.seconds, "lines": lines}), encoding="utf-8")
    return code
