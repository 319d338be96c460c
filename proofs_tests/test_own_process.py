"""Whatever starts a program in a process of its own leaves none behind, whenever an interrupt comes."""

from __future__ import annotations

import os
import subprocess
import sys
from types import FrameType
from typing import Any

import pytest

from tcloseness.own_process import whole

INTERRUPTED = """
import contextlib, signal, sys

from proofs_tests.optimal.hard import children
from tcloseness.conformance.process import Harness
from tcloseness.errors import HarnessError
from tcloseness.limits import Clock
from tcloseness.optimal import cbc, highs
from tcloseness.transport.solvers import highs_client
from tcloseness.optimal.program import Program

def interrupt(*_):
    raise KeyboardInterrupt

def harness():
    asked = Harness(["sleep", "2"])
    try:
        asked.start()
    except HarnessError:
        pass  # an interrupt was ignored, and it ended without an answer
    finally:
        asked.close()

program = Program()
program.add(0, 1, cost=1)
starts = {
    "HiGHS": lambda: highs.run(program, clock=Clock()),
    "CBC": lambda: cbc.run(program, clock=Clock()),
    "harness": harness,
}
start = starts[sys.argv[1]]
if start is not harness:
    start()  # loads what is loaded once
signal.signal(signal.SIGALRM, interrupt)
for moment in range(1, 40):
    highs_client._end_all()
    with contextlib.suppress(KeyboardInterrupt):
        signal.setitimer(signal.ITIMER_REAL, moment / 2000)
        start()
        signal.setitimer(signal.ITIMER_REAL, 0)
    if not set(children()) <= {process._process.pid for process in highs_client._IDLE}:
        sys.exit(f"a process was left at moment {moment}")
print(moment)
"""


def test_an_interrupt_at_any_line_of_the_wait_for_a_threads_start_is_an_interrupt() -> None:
    """Python's own locks can answer one by another error, which says nothing of it."""
    moment, came = 0, True
    while came:
        moment, came, lines = moment + 1, False, 0

        def interrupt(frame: FrameType, event: str, arg: object) -> Any:
            nonlocal lines
            lines += frame.f_code.co_qualname.startswith(("Condition.", "Event."))
            if lines == moment:  # noqa: B023
                sys.settrace(None)
                raise KeyboardInterrupt
            return interrupt

        before = sys.gettrace()
        sys.settrace(interrupt)
        try:
            whole(lambda: None)
        except KeyboardInterrupt:
            came = True
        finally:
            sys.settrace(before)
    assert moment > 20


@pytest.mark.long
@pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX")
@pytest.mark.parametrize(
    "program", ["harness", *(pytest.param(name, marks=pytest.mark.solver) for name in ("HiGHS", "CBC"))]
)
def test_an_interrupt_while_a_process_is_started_leaves_none_behind(program: str) -> None:
    """At many moments from the start on: also while the system makes the process, and before it is asked anything.

    It is tried in a process of its own: some interrupts come where Python can only say that it ignores them.
    """
    words = [sys.executable, "-W", "ignore", "-c", INTERRUPTED, program]
    ended = subprocess.run(words, capture_output=True, text=True, check=False)
    assert (ended.returncode, ended.stdout) == (0, "39\n"), ended.stderr
