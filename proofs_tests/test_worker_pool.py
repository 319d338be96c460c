"""Tasks in processes of their own: each is answered once, and one that dies is named without another's loss."""

from __future__ import annotations

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tcloseness.errors import InputError
from tcloseness.own_process import OwnProcess, own_folder
from tcloseness.worker_pool import Died, how_many, in_processes


def answer(shared: int, task: int) -> int:
    """Answer, or die of signal 9 or with code 3."""
    if task == 9:
        os.kill(os.getpid(), signal.SIGKILL)
    if task == 3:
        os._exit(3)
    return shared * task


@pytest.mark.slow
def test_each_task_is_answered_once_and_a_death_is_its_own() -> None:
    tasks = [1, 9, 2, 3, 4]
    found = dict(in_processes(answer, 10, tasks, 2))
    assert sorted(found) == [0, 1, 2, 3, 4]
    died = {place: each.why for place, each in found.items() if isinstance(each, Died)}
    assert died == {1: "its process was ended by signal 9", 3: "its process ended with code 3"}
    assert {place: each for place, each in found.items() if place not in died} == {0: 10, 2: 20, 4: 40}
    assert list(in_processes(answer, 10, [], 2)) == []


def asked(shared: object, processes: int | None) -> int | str:
    """How many processes a worker may start."""
    try:
        return how_many(processes)
    except InputError as error:
        return str(error)


@pytest.mark.slow
def test_a_worker_starts_no_workers_and_says_so() -> None:
    found = dict(in_processes(asked, None, [None, 1, 2], 1))
    assert (found[0], found[1]) == (1, 1)
    assert found[2] == (
        "processes is 2, and this process may not start others, as a worker of multiprocessing.Pool; give 1, or None"
    )


PROGRAM = """
from proofs_tests.test_worker_pool import slow
from tcloseness.worker_pool import in_processes

try:
    print("started", flush=True)
    list(in_processes(slow, 0, list(range(6)), 2))
except KeyboardInterrupt:
    print("interrupted", flush=True)
"""


def slow(shared: int, task: int) -> int:
    """Take longer than the test."""
    time.sleep(60)
    return shared + task


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX")
@pytest.mark.parametrize("seconds", [0.0, 0.02, 0.1, 0.3, 0.6, 1.0, 2.0])
def test_control_c_in_a_terminal_is_for_the_program_and_not_for_its_workers(seconds: float) -> None:
    root = Path(__file__).resolve().parent.parent
    paths = os.pathsep.join([str(root / "research"), str(root)])
    done = subprocess.Popen(
        [sys.executable, "-c", PROGRAM],
        env={**os.environ, "PYTHONPATH": paths},
        start_new_session=True,  # a group of its own, all of which a terminal's Ctrl-C is sent to
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )
    assert done.stdout is not None
    assert done.stdout.readline() == "started\n"
    time.sleep(seconds)
    os.killpg(done.pid, signal.SIGINT)
    said, complained = done.communicate(timeout=60)
    assert (said, complained) == ("interrupted\n", "")


def with_a_program(place: str, _: int) -> int:
    """Wait for a program that is started from a folder of our own, as CBC is."""
    with own_folder(place):
        own = OwnProcess(["sleep", "60"])
        try:
            started = own.start()
            print(started.pid, flush=True)
            return started.wait()
        finally:
            own.end()


WITH_A_PROGRAM = """
import sys
from proofs_tests.test_worker_pool import with_a_program
from tcloseness.worker_pool import in_processes

list(in_processes(with_a_program, sys.argv[1], [0], 1))
"""


@pytest.mark.slow
@pytest.mark.skipif(os.name != "posix", reason="signals as on POSIX")
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGKILL])
def test_however_it_ends_no_program_and_no_folder_of_a_worker_is_left(number: signal.Signals, tmp_path: Path) -> None:
    root = Path(__file__).resolve().parent.parent
    paths = os.pathsep.join([str(root / "research"), str(root)])
    with subprocess.Popen(
        [sys.executable, "-c", WITH_A_PROGRAM, str(tmp_path)],
        env={**os.environ, "PYTHONPATH": paths},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    ) as done:
        assert done.stdout is not None
        program = int(done.stdout.readline())
        assert len([*tmp_path.iterdir()]) == 1
        os.kill(done.pid, number)
        assert done.wait(timeout=60)
        assert done.stdout.read() == ""  # which ends when the worker has
    assert not [*tmp_path.iterdir()]
    with pytest.raises(ProcessLookupError):
        os.kill(program, 0)
