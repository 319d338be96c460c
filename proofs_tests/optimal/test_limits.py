"""Limits and interrupts of every program: kept from the call on, wherever it is, and nothing is left behind."""

from __future__ import annotations

import gc
import math
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from proofs_tests.optimal.hard import HARD, children, classes_of, table_of
from tcloseness.errors import LimitReached, MemoryLimitReached, SolverError, TimeLimitReached
from tcloseness.limits import Clock
from tcloseness.models import FrequencyLDiversity, KAnonymity, TCloseness
from tcloseness.optimal import (
    Feasible,
    Infeasible,
    Optimal,
    cbc,
    highs,
    optimal_partition,
    optimal_suppression,
)
from tcloseness.optimal.program import Program
from tcloseness.optimal.solver import NoSolution, OutOfTime, Proposal, propose
from tcloseness.transport.solvers import highs_client, highs_process

pytestmark = [pytest.mark.solver, pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")]


@pytest.fixture(autouse=True)
def nothing_is_left_behind() -> Iterator[None]:
    """Of the solvers' processes only those wait on that are known to; what other tests started is not asked for."""
    before = set(children()) - {process._process.pid for process in highs_client._IDLE}
    yield
    assert set(children()) - before <= {process._process.pid for process in highs_client._IDLE}


NOTHING_KNOWN = ("suppression", "hiding", "suppression by HiGHS", "hiding by HiGHS", "microaggregation")
"""Where there may be no solution at the limit, and no answer; the others begin with one."""


def cpu_seconds() -> float:
    """The CPU seconds of this process and of the solvers that it runs: those of HiGHS, and of processes that ended."""
    ended = os.times()
    return time.process_time() + max(highs_client.cpu_seconds(), ended.children_user + ended.children_system)


@pytest.mark.parametrize("name", HARD)
def test_a_limit_of_time_is_kept_from_the_call_on(name: str) -> None:
    """A second more at most, of CPU time: a machine that is busy with something else adds none, and work does.

    Waiting adds none either; so on the clock it takes less than a solver would take that is not stopped.
    """
    begun, spent = time.monotonic(), cpu_seconds()
    try:
        found = HARD[name](time_limit=0.3)
    except TimeLimitReached:
        assert name in NOTHING_KNOWN
    else:
        assert isinstance(found, Feasible), f"{name} is not hard"
        assert found.bound < found.objective
    assert cpu_seconds() - spent <= 1.3
    assert time.monotonic() - begun <= 20


@pytest.mark.parametrize(("seconds", "step"), [(0.15, 25), pytest.param(0.4, 8, marks=pytest.mark.slow)])
@pytest.mark.parametrize("name", HARD)
def test_an_interrupt_is_raised_wherever_it_comes(
    name: str, seconds: float, step: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As if it came while a clock is asked, for the first time, and later and later: building and solving."""
    real, asked = Clock.check, 0

    def check(self: Clock, what: str) -> None:
        nonlocal asked
        asked += 1
        if asked == at:
            raise KeyboardInterrupt
        real(self, what)

    monkeypatch.setattr(Clock, "check", check)
    at = 1
    while True:
        asked = 0
        try:
            HARD[name](time_limit=seconds)
        except KeyboardInterrupt:
            assert asked == at
            at *= step
            continue
        except TimeLimitReached:
            pass
        assert asked < at
        break
    assert at > 1


#: an interrupt may come when a file was opened and has no name yet, or where Python runs what must not raise
wherever_it_comes = pytest.mark.filterwarnings("ignore::pytest.PytestUnraisableExceptionWarning")


@pytest.mark.long
@wherever_it_comes
@pytest.mark.parametrize("name", HARD)
def test_a_real_interrupt_is_heard_within_a_second(name: str) -> None:
    """A signal whose handler raises what Ctrl-C does, while HiGHS or CBC runs."""

    def interrupt(*_: Any) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGALRM, interrupt)
    gc.disable()  # Hypothesis looks on while garbage is collected, and what is raised there Python ignores
    begun = time.monotonic()
    signal.setitimer(signal.ITIMER_REAL, 0.3)
    try:
        with pytest.raises(KeyboardInterrupt):
            HARD[name](time_limit=20)
        assert time.monotonic() - begun < 2.3
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        gc.enable()
        signal.signal(signal.SIGALRM, before)


def test_what_takes_too_much_memory_is_refused_by_name_before_it_is_built() -> None:
    with pytest.raises(MemoryLimitReached, match=r"classes of 400 records, .* would take about .* MB of memory"):
        optimal_partition(table_of(400), KAnonymity(3), memory_limit=10**6)
    with pytest.raises(MemoryLimitReached, match=r"first .* classes of 400 different records would take about"):
        optimal_partition(table_of(400), KAnonymity(3) & FrequencyLDiversity(2), memory_limit=3 * 10**7)


def market_split() -> Program:
    """A market split (Cornuéjols, Dawande 1998) of 40 columns and 4 rows: no solver ends it within minutes."""
    program = Program()
    for _ in range(40):
        program.add(0, 1)
    for i in range(1, 5):
        row = [(i * i * 7919 + j * 104729 + i * j * 1299709) % 100 for j in range(40)]
        off, size = program.add(-2000, 2000), program.add(0, 2000, cost=1)
        program.equal({**dict(enumerate(row)), off: 1}, sum(row) // 2)
        program.at_most({off: 1, size: -1})
        program.at_most({off: -1, size: -1})
    return program


@pytest.mark.long
@pytest.mark.parametrize("engine", ["HiGHS", "CBC"])
def test_a_solver_that_takes_too_much_memory_is_ended(engine: Any) -> None:
    propose(small(), engine=engine)  # what it loads at first is loaded
    with pytest.raises(MemoryLimitReached, match=f"while {engine} searches: .* are taken for it"):
        propose(market_split(), engine=engine, clock=Clock(20, memory_limit=1000))


@pytest.mark.long
@pytest.mark.parametrize("engine", ["HiGHS", "CBC"])
def test_a_solver_that_does_not_keep_its_limit_is_ended(engine: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is told that there is no end; what HiGHS reported until then remains."""
    clock = Clock(0.8)
    monkeypatch.setattr(Clock, "left", property(lambda self: 1000.0 if not self.over else 0.0))
    monkeypatch.setattr(Clock, "over", property(lambda self: self.seconds >= 0.8))
    found = propose(market_split(), engine=engine, clock=clock)
    assert isinstance(found, (Proposal, OutOfTime))
    assert isinstance(found, OutOfTime) or engine == "HiGHS"
    assert clock.seconds < 2.5


def test_a_solver_that_ends_by_itself_is_named() -> None:
    propose(market_split(), clock=Clock(0.2))
    process = highs_client._taken()
    process._process.kill()
    process._process.wait()
    with pytest.raises(SolverError, match=r"HiGHS ended without an answer \(exit code -9\)"):
        process.run(highs._task(market_split(), False), {}, Clock(10), None)
    process.end()


@pytest.mark.slow
def test_highs_ends_with_who_started_it() -> None:
    """Also where that is killed and can say nothing."""
    code = (
        "from proofs_tests.optimal.hard import HARD, children\n"
        "import threading, time\n"
        "def tell():\n"
        "    while not children(): time.sleep(0.02)\n"
        "    print(children()[0], flush=True)\n"
        "threading.Thread(target=tell, daemon=True).start()\n"
        "HARD['assignment']()"
    )
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout is not None
        solver = int(process.stdout.readline())
        process.kill()
    for _ in range(100):
        if not Path(f"/proc/{solver}").exists():
            return
        time.sleep(0.05)
    os.kill(solver, signal.SIGKILL)
    raise AssertionError("HiGHS goes on")


# ---------------------------------------------------------------------- CBC and its folder


def small() -> Program:
    program = Program()
    program.at_most({program.add(0, 9, cost=-1): 2}, 7)
    return program


@pytest.mark.parametrize("name", ["with a blank", "quote'd", "ünïcode", "-minus", "a;b"])
def test_cbc_works_in_any_temporary_folder_and_leaves_it_empty(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    folder = tmp_path / name
    folder.mkdir()
    monkeypatch.setattr(tempfile, "tempdir", str(folder))
    assert propose(small(), engine="CBC") == Proposal({0: 3}, -math.inf)
    propose(market_split(), engine="CBC", clock=Clock(0.3))
    assert list(folder.iterdir()) == []


ANSWERS = {
    "best": "Optimal - objective value 1\n0 x0 1 0\n1 x1 0 0\n",
    "a point": "Stopped on time - objective value 2\n0 x0 1 0\n1 x1 1 0\n",
    "no point": "Stopped on time (no integer solution - continuous used) - objective value 1\n0 x0 0.5 0\n1 x1 0.5 0\n",
    "no relaxation": "Stopped on time (LP relaxation not completed - no integer solution) - objective value 0\n"
    "0 x0 1 0\n1 x1 0 0\n",
    "no point of it": "Optimal - objective value 0\n0 x0 0 0\n1 x1 0 0\n",
    "no point of it yet": "Stopped on time - objective value 0\n0 x0 0 0\n1 x1 0 0\n",
    "infeasible": "Integer infeasible - objective value 1\n0 x0 0.5 0\n1 x1 0.5 0\n",
    "of no sense": "Infeasible - objective value 1\n",
    "unbounded": "Unbounded - objective value 1\n",
    "fractions at the end of time": "Stopped on time - objective value 1\n0 x0 0.4 0\n1 x1 0.6 0\n",
    "fractions": "Optimal - objective value 1\n0 x0 0.4 0\n1 x1 0.6 0\n",
    "a part": "Optimal - objective value 1\n0 x0 1 0\n",
    "nothing": "",
    "a crash": None,
    "no end": None,
}
"""What CBC may write into its file; by name."""

BEST, POINT, NONE, LATE = Proposal({0: 1, 1: 0}, -math.inf), Proposal({0: 1, 1: 1}, -math.inf), NoSolution, OutOfTime

DOUBTFUL = ("infeasible", "of no sense", "unbounded", "fractions at the end of time", "fractions", "a crash")
DOUBTFUL += ("no point of it", "no point of it yet")

TRUSTED = [
    *((limit, "best", "a crash", BEST) for limit in (None, 5)),
    (5, "a point", "a crash", POINT),
    *((5, none, "a crash", LATE) for none in ("no point", "no relaxation")),
    *(
        (5, doubtful, then, meant)
        for doubtful in DOUBTFUL
        for then, meant in (("best", BEST), ("infeasible", NONE), ("fractions", SolverError), ("a crash", SolverError))
    ),
    *((0.3, doubtful, "no end", LATE) for doubtful in ("infeasible", "fractions at the end of time", "a crash")),
    *((5, cut, "infeasible", NONE) for cut in ("a part",)),
    *((None, "a crash", told, SolverError) for told in ("best",)),
]
"""A limit in seconds, what CBC answers that was told of it, what it answers that was not, and what that means."""


@pytest.mark.parametrize(("limit", "told", "untold", "meant"), TRUSTED)
def test_what_cbc_says_at_its_limit_is_never_more_than_a_point(
    limit: float | None, told: str, untold: str, meant: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A CBC made for the test answers as the true one has been seen to, and worse."""
    if limit is None:
        told, untold = untold, told
    lines = {"a crash": "exit 3", "no end": "exec sleep 20"}
    for name, answer in (("told", told), ("untold", untold)):
        (tmp_path / name).write_text(ANSWERS[answer] or "")
    fake = tmp_path / "cbc"
    fake.write_text(
        f"""#!/bin/sh
case "$*" in
    *-sec*) cp "{tmp_path}/told" found.sol; {lines.get(told, "exit 0")};;
    *) cp "{tmp_path}/untold" found.sol; {lines.get(untold, "exit 0")};;
esac
"""
    )
    fake.chmod(0o755)
    monkeypatch.setattr(cbc, "_binary", lambda: str(fake))
    program = Program()
    for _ in range(2):
        program.add(0, 1, cost=1)
    program.at_most({0: -1, 1: -1}, -1)
    begun = time.monotonic()
    if meant is SolverError:
        with pytest.raises(SolverError):
            propose(program, engine="CBC", clock=Clock(limit))
    else:
        found = propose(program, engine="CBC", clock=Clock(limit))
        assert isinstance(found, meant) if isinstance(meant, type) else found == meant
    assert time.monotonic() - begun < 3


def test_without_a_temporary_folder_or_cbc_the_cause_and_a_way_out_are_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    way_out = r"take HiGHS \(engine='HiGHS', --solver highs\)"
    with monkeypatch.context() as patch:
        patch.setattr(tempfile, "tempdir", str(tmp_path / "nowhere"))
        with pytest.raises(
            SolverError, match=f"temporary folder: .*nowhere.*; make room there, set TMPDIR, or {way_out}"
        ):
            propose(small(), engine="CBC")
    for binary, cause in ((str(tmp_path / "cbc"), "No such file"), (str(tmp_path), "Permission denied")):
        monkeypatch.setattr(cbc, "_binary", lambda binary=binary: binary)
        with pytest.raises(SolverError, match=f"CBC cannot be started: .*{cause}.*; install it, or {way_out}"):
            propose(small(), engine="CBC")
    silent = tmp_path / "silent"
    silent.write_text("#!/bin/sh\nexit 3\n", encoding="ascii")
    silent.chmod(0o755)
    monkeypatch.setattr(cbc, "_binary", lambda: str(silent))
    with pytest.raises(SolverError, match=f"CBC ended with exit code 3 and without an answer; {way_out}"):
        propose(small(), engine="CBC")
    silent.write_text("#!/bin/sh\nexit 0\n", encoding="ascii")
    with pytest.raises(SolverError, match="CBC ended without an answer"):
        propose(small(), engine="CBC")


def test_a_running_clock_goes_on() -> None:
    """What was spent before the call counts."""
    clock = Clock(0.3)
    time.sleep(0.35)
    found = optimal_partition(table_of(9), KAnonymity(2), time_limit=clock)
    assert isinstance(found, Feasible)
    with pytest.raises(LimitReached):
        optimal_suppression(classes_of(3, 4, 9), TCloseness("1/90", ground="equal"), time_limit=clock)
    assert isinstance(optimal_partition(table_of(9), KAnonymity(2), time_limit=600), (Optimal, Infeasible))


LINE = {
    **{"cost": [1.0], "low": [0.0], "high": [9.0], "least": [2.0], "most": [3.0]},
    **{"start": [0, 1], "index": [0], "value": [1.0]},
}
"""Minimize x with 2 ≤ x ≤ 3."""


def test_what_may_still_answer_is_ended_and_does_not_wait_for_another_program(monkeypatch: pytest.MonkeyPatch) -> None:
    """Its answer would be taken for that of the next program."""
    with highs_client.Kept(LINE) as kept:
        assert kept.solve(Clock()).values == [2.0]
        process = kept._process
        assert process is not None
        monkeypatch.setattr(process, "run", lambda *_: highs.Run("ended", None, 0.0, []))
        with pytest.raises(TimeLimitReached):
            kept.solve(Clock())
    assert process not in highs_client._IDLE
    assert not process.alive


def test_the_time_that_highs_has_run_before_is_not_counted_again() -> None:
    """HiGHS counts from when it was made, and a limit is from now on."""
    given: dict[str, Any] = {}

    class Solver:
        def getRunTime(self) -> float:  # noqa: N802
            return 5.0

        def setOptionValue(self, name: str, value: Any) -> None:  # noqa: N802
            given[name] = value

        def run(self) -> None:
            raise InterruptedError

    with pytest.raises(InterruptedError):
        highs_process._solved(None, Solver(), {"time_limit": 2.0, "simplex_strategy": 4})
    assert given == {"time_limit": 7.0, "simplex_strategy": 4}
