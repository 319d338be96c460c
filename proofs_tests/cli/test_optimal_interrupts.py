"""Ctrl-C, SIGTERM and limits of time while ``tcloseness optimal`` works, by real signals: nothing is left behind."""

from __future__ import annotations

import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pandas as pd
import pytest

from proofs_tests.optimal.hard import children

pytestmark = [pytest.mark.solver, pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks into /proc")]

TASKS = {
    "partition": ("partition", "-q", "x,y,z", "--k", "3", "--t", "0.2", "--ground", "s=equal"),
    "partition by CBC": ("partition", "-q", "x,y,z", "--k", "3", "--distinct-l", "2", "--solver", "cbc"),
    "cut": ("cut", "-q", "x,y,z", "--k", "3", "--hierarchies", "hierarchies", "--loss", "dm"),
    "suppression": ("suppression", "-q", "g", "--t", "0.02", "--ground", "s=ordered", "--solver", "highs"),
    "suppression by CBC": ("suppression", "-q", "g", "--t", "0.02", "--ground", "s=ordered", "--solver", "cbc"),
    "hiding": ("hiding", "-q", "g", "--t", "0.02", "--ground", "s=ordered", "--solver", "highs"),
    "sensitive-generalization": (
        "sensitive-generalization", "-q", "g", "--t", "0.02", "--ground", "s=equal", "--sensitive-hierarchy", "s.csv",
    ),
    "microaggregation": ("microaggregation", "-q", "x", "--k", "900"),
}  # fmt: skip

QUICK = ("partition", "suppression by CBC")


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A table for each task, too hard for it, and a folder for what it writes."""
    draw = random.Random(1)
    (tmp_path / "hierarchies").mkdir()
    (tmp_path / "out").mkdir()
    (tmp_path / "with a blank").mkdir()
    for name in "xyz":
        lines = [",".join([str(v), *(f"{v >> level}/{level}" for level in range(1, 8)), "*"]) for v in range(256)]
        (tmp_path / "hierarchies" / f"{name}.csv").write_text("\n".join(lines) + "\n", encoding="utf-8")
    (tmp_path / "s.csv").write_text("".join(f"{v},{v // 2}a,{v // 4}b,*\n" for v in range(12)), encoding="utf-8")
    few = [((i * 37) % 256, (i * 101) % 256, (i * 151) % 256, i % 3) for i in range(250)]
    pd.DataFrame(few, columns=list("xyzs")).to_csv(tmp_path / "few.csv", index=False)
    counts = [[draw.randint(0, 9) for _ in range(12)] for _ in range(25)]  # turned round: all values are as frequent
    many = [(g, v) for g in range(300) for v in range(12) for _ in range(counts[g // 12][(g + v) % 12])]
    pd.DataFrame(many, columns=["g", "s"]).to_csv(tmp_path / "many.csv", index=False)
    numbers = [((i * i * 7919) % 1_000_003, 1) for i in range(30_000)]
    pd.DataFrame(numbers, columns=["x", "s"]).to_csv(tmp_path / "numbers.csv", index=False)
    return tmp_path


def started(task: str, folder: Path, *more: str) -> subprocess.Popen[str]:
    words = TASKS[task]
    table = {"partition": "few.csv", "cut": "few.csv", "microaggregation": "numbers.csv"}.get(words[0], "many.csv")
    return subprocess.Popen(
        [sys.executable, "-m", "tcloseness", "optimal", words[0], table, *words[1:], "-s", "s",
         "--output", "out/o.csv", *more],
        cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        env={**os.environ, "TMPDIR": str(folder / "with a blank")},
    )  # fmt: skip


def solving(process: subprocess.Popen[str], task: str) -> list[int]:
    """Wait until its solver runs, or, where there is none, until it has read the table; return its processes."""
    begun = time.monotonic()
    while time.monotonic() - begun < 60:
        solvers = children(process.pid)
        if solvers or (task == "microaggregation" and time.monotonic() - begun > 4):
            time.sleep(0.3)
            return solvers or [process.pid]
        assert process.poll() is None, process.communicate()
        time.sleep(0.02)
    raise AssertionError("no solver runs")


def assert_nothing_is_left(folder: Path, solvers: list[int]) -> None:
    assert list((folder / "out").iterdir()) == []
    assert list((folder / "with a blank").iterdir()) == []
    time.sleep(0.1)
    assert [solver for solver in solvers if Path(f"/proc/{solver}").exists()] == []


@pytest.mark.long
@pytest.mark.parametrize(
    "task", [task if task in QUICK else pytest.param(task, marks=pytest.mark.slow) for task in TASKS]
)
@pytest.mark.parametrize(("sent", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 143)])
def test_a_signal_ends_it_within_a_second_and_nothing_is_left(
    task: str, sent: signal.Signals, code: int, folder: Path
) -> None:
    if sent is signal.SIGTERM and task not in QUICK:
        pytest.skip("as SIGINT")
    process = started(task, folder)
    solvers = solving(process, task)
    process.send_signal(sent)
    begun = time.monotonic()
    out, err = process.communicate(timeout=30)
    assert time.monotonic() - begun < 2, err  # a second, and what a busy machine adds
    assert (process.returncode, out) == (code, ""), err
    assert "Traceback" not in err
    assert_nothing_is_left(folder, solvers)


@pytest.mark.slow
@pytest.mark.parametrize("task", TASKS)
def test_a_limit_of_time_counts_from_the_start_of_the_command(task: str, folder: Path) -> None:
    """It ends within a second after it, with what there is; exit code 3."""
    begun = time.monotonic()
    process = started(task, folder, "--time-limit", "6")
    out, err = process.communicate(timeout=60)
    assert time.monotonic() - begun < 6 + 1 + 2, err  # a second, and what a busy machine adds
    assert process.returncode == 3, err
    if out:
        assert out.startswith("Feasible:")
        assert (folder / "out" / "o.csv").exists()
    else:
        assert "time limit" in err or "seconds" in err
        assert list((folder / "out").iterdir()) == []
    assert list((folder / "with a blank").iterdir()) == []
