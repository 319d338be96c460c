"""The two options of limits are read strictly."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from proofs_tests.cli.commands import run
from tcloseness.cli.ending import begun, ended
from tcloseness.cli.limits import Limits, alarm, memory_size, seconds
from tcloseness.cli.table_inputs import TableInputs
from tcloseness.errors import InputError, MemoryLimitReached, TimeLimitReached
from tcloseness.limits import Clock


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1", 1),
        ("2G", 2 * 10**9),
        ("2g", 2 * 10**9),
        ("2GB", 2 * 10**9),
        ("2 GiB", 2 * 2**30),
        ("0.5K", 500),
        ("0.5Ki", 512),
        ("1.5T", 15 * 10**11),
        ("3Mi", 3 * 2**20),
        ("10B", 10),
    ],
)
def test_sizes(text: str, size: int) -> None:
    assert memory_size(text) == size


@pytest.mark.parametrize(
    "text",
    [
        *["", "G", "0", "0G", "0.5", "-1G", "+1G", "1e9", "1_000", "٣G", "2X", "2 G B", "2G ", "1/2G", "inf", "nan"],
        "9" * 5000,
        f"0.{0:05000}1T",
    ],
    ids=lambda text: text[:8],
)
def test_what_is_not_a_size_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is not a size; write it like 800M or 2G"):
        memory_size(text)


COMMANDS = {
    "search": ("search", "in.csv", "-q", "q", "-s", "s", "--suppress-only", "q"),
    "anonymize": ("anonymize", "in.csv", "-q", "q", "-s", "s", "--method", "mondrian"),
    "optimal": ("optimal", "partition", "in.csv", "-q", "q", "-s", "s"),
}
"""Every command that takes a limit of time."""


@pytest.fixture
def four(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("in.csv").write_text("q,s\n1,a\n2,b\n8,a\n9,b\n", encoding="utf-8")


@pytest.mark.solver
@pytest.mark.parametrize("limit", ["1e7", "1e10", "1e19", "1e300", "9" * 300])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_limit_of_ages_is_one_that_is_not_reached(four, command: str, limit: str) -> None:
    """No system sets an alarm for the year 10²⁹²."""
    answer = run(*COMMANDS[command], "--k", "2", "--time-limit", limit)
    assert answer.code == 0
    assert "satisf" in answer.out or "Optimal" in answer.out
    assert "limit" not in answer.err


@pytest.mark.parametrize("command", COMMANDS)
def test_a_limit_of_time_ends_what_does_not_look_at_it(four, command: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A table that takes half a minute to read, and a limit of a tenth of a second: with slack for a loaded machine."""
    monkeypatch.setattr(TableInputs, "read", lambda *_, **__: time.sleep(30))
    now = time.monotonic()
    answer = run(*COMMANDS[command], "--k", "2", "--time-limit", "0.1")
    assert (answer.code, answer.out) == (3, "")
    assert "the time limit of 0.1 seconds was reached while reading the table" in answer.err
    assert time.monotonic() - now < 20


@pytest.mark.long
@pytest.mark.parametrize("limit", [(), ("--time-limit", "600"), ("--time-limit", "1e300")])
@pytest.mark.parametrize("command", COMMANDS)
def test_a_limit_of_memory_ends_what_does_not_look_at_it(four, command: str, limit, monkeypatch) -> None:
    """Reading takes memory for half a minute, and is ended when it has taken more than there may be."""
    taken = []

    def read(*_: object, **__: object) -> None:
        for _ in range(3000):
            taken.append(b"x" * 2**20)
            time.sleep(0.01)

    monkeypatch.setattr(TableInputs, "read", read)
    answer = run(*COMMANDS[command], "--k", "2", "--memory-limit", "64M", *limit)
    assert (answer.code, answer.out) == (3, "")
    assert "the memory limit was reached while reading the table: the process has grown by" in answer.err
    assert len(taken) < 2000
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


def test_what_looks_at_the_clock_itself_is_not_ended_for_its_memory() -> None:
    """It ends by itself, and makes a partial answer of what is there."""
    with alarm(Clock(memory_limit=1), "searching", grace=0.1, looks=True):
        kept = b"x" * 2**24
        time.sleep(0.3)
    clock = Clock(memory_limit=1)
    kept += b"x" * 2**24
    with pytest.raises(MemoryLimitReached), alarm(clock, "reading", grace=0.1):
        time.sleep(30)


@pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")
def test_an_alarm_that_python_ignores_rings_again() -> None:
    """What is raised while an object is deleted is ignored, so the alarm may not be the last."""

    class Slow:
        def __del__(self) -> None:
            time.sleep(0.1)

    def read() -> None:
        Slow()
        time.sleep(30)

    begun_at = time.monotonic()
    with pytest.raises(TimeLimitReached), alarm(Clock(0.05), "reading"):
        read()
    assert time.monotonic() - begun_at < 20


def test_an_alarm_leaves_time_to_end_by_itself_and_none_is_left_behind() -> None:
    with alarm(Clock(0.05), "waiting", grace=1000):
        time.sleep(0.1)
    assert signal.getitimer(signal.ITIMER_REAL) == (0.0, 0.0)


@pytest.mark.parametrize("text", ["", "x", "-1", "nan", "inf", "1_0", "٣", "1/2", "5s", " 5", "1e9999"])
def test_what_is_not_a_number_of_seconds_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=f"--time-limit '{text}' is not a number of seconds"):
        seconds(text)


@pytest.mark.parametrize("text", ["0", "0.0", "1e999"])
def test_no_time_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="must be a finite number > 0"):
        Limits(time_limit=text).clock()


def test_a_bundle_starts_a_clock() -> None:
    clock = Limits("2.5", "1M").clock()
    assert (clock.time_limit, clock.memory_limit) == (2.5, 10**6)
    assert Limits().clock().time_limit is None
    assert Limits(".5").clock().time_limit == 0.5


def test_the_limit_counts_from_the_call_also_while_the_command_is_loaded() -> None:
    """The process calls `ended` before it loads the commands, and the group of commands calls it again."""
    clocks = []

    def loaded() -> int:
        time.sleep(0.05)
        clocks.append(Limits("5").clock())
        return 0

    def process() -> int:
        time.sleep(0.05)
        return ended(loaded, ["search"])

    for run_it, least in ((loaded, 0.05), (process, 0.1)):
        now = time.monotonic()
        assert ended(run_it, ["search"]) == 0
        assert clocks[-1].seconds >= least
        assert clocks[-1].left <= 5 - least
        assert now <= time.monotonic() - clocks[-1].seconds + 1e-6  # not before the call
    assert begun() is None


RINGING = """
import signal, sys, time
from tcloseness.cli import ending, limits
from tcloseness.errors import LimitReached
from tcloseness.limits import Clock

before = set()

def rings(clock, **how):
    try:
        with limits.alarm(clock, "reading", **how):
            before.update(sys.modules)
            time.sleep(0.001)
            grown = b"x" * 10**7
            signal.raise_signal(signal.SIGALRM)
    except LimitReached as error:
        print(type(error).__name__)
    print(sorted(set(sys.modules) - before))

rings(Clock())
rings(Clock(memory_limit=1))
rings(Clock(time_limit=1e-9), grace=0.0001)
"""


@pytest.mark.skipif(not hasattr(signal, "setitimer"), reason="there is no alarm here")
def test_an_alarm_imports_nothing():
    """It may ring in the midst of an import, and Python 3.11 ends with a KeyError if another begins there."""
    ran = subprocess.run([sys.executable, "-c", RINGING], capture_output=True, text=True, check=True)
    assert ran.stdout.split("\n") == ["[]", "MemoryLimitReached", "[]", "TimeLimitReached", "[]", ""]
