"""Tasks in processes of their own: each is answered once, and one that dies is named without another's loss."""

from __future__ import annotations

import os
import signal

import pytest

from tcloseness.worker_pool import Died, in_processes


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
