"""What holds of commands that are ended, of two at a time, and of a disk that is full: nothing lost, nothing half."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from random import Random

from proofs_tests.cli.interrupts import OLD, trial
from proofs_tests.cli.processes import forked
from proofs_tests.cli.scenarios import SCENARIOS, Scenario, make_inputs
from tcloseness.cli.exit_codes import DONE, USAGE

__all__ = ["ENDED", "PROCESSES"]

ENDED: Counter[str] = Counter()
"""How many commands were ended by which signal, and how many had ended before it came."""

_PLACED = [name for name in SCENARIOS if name not in ("conform generate", "conform run", "validate")]


@contextlib.contextmanager
def _inputs() -> Iterator[Path]:
    before = os.getcwd()
    with tempfile.TemporaryDirectory() as folder:
        make_inputs(Path(folder))
        os.chdir(folder)
        try:
            yield Path(folder)
        finally:
            os.chdir(before)


@cache
def _whole(name: str) -> tuple[float, dict[str, bytes]]:
    """Return how long a scenario takes, its modules loaded, and what it writes."""
    with _inputs() as folder:
        for _ in range(2):
            ended = forked(SCENARIOS[name].line())
            assert ended.code == DONE, (name, ended)
            written = {file: (folder / file).read_bytes() for file in SCENARIOS[name].files}
            for file in written:
                (folder / file).unlink()
        return ended.seconds, written


def a_signal_at_any_moment(random: Random) -> None:
    """A command that is interrupted, terminated or killed leaves files whole, and claims nothing that is not so."""
    name = random.choice(list(SCENARIOS))
    longest = _whole(name)[0]
    with _inputs() as folder:
        found = trial(name, folder, random, longest=1.1 * longest)
    ENDED["ended before" if found.finished else found.number.name] += 1


def two_at_a_time(random: Random) -> None:
    """Of two commands that write the same files, each ends well or is refused; the files are those of one of them."""
    name = random.choice(_PLACED)
    _, right = _whole(name)
    forced = random.random() < 0.5
    with _inputs() as folder:
        for file in right if forced else ():
            (folder / file).write_bytes(OLD)
        words = [*SCENARIOS[name].line(), *(["--force"] if forced else [])]
        pause, children = random.random() * 0.05, []
        for number in range(2):
            child = os.fork()
            if child == 0:
                time.sleep(number * pause)
                os._exit(forked(words).code)
            children.append(child)
        codes = [os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) for child in children]
        assert set(codes) <= {DONE, USAGE}, (name, forced, codes)
        assert DONE in codes, (name, forced, codes)
        assert {file: (folder / file).read_bytes() for file in right} == right, (name, forced, codes)
        left = [path.name for path in folder.iterdir() if ".part" in path.name or ".kept" in path.name]
        assert not left, (name, forced, codes, left)


def a_full_disk(random: Random) -> None:
    """Where not everything fits, nothing is written, and what was there stays."""
    name = random.choice(_PLACED)
    scenario = SCENARIOS[name]
    with _inputs(), tempfile.TemporaryDirectory() as place, _small_disk(Path(place)) as disk:
        if disk is not None:
            _fill_and_write(random, name, scenario, disk)


def _fill_and_write(random: Random, name: str, scenario: Scenario, disk: Path) -> None:
    forced = random.random() < 0.5
    for file in scenario.files if forced else ():
        (disk / file).write_bytes(OLD)
    with open(disk / "filler", "wb", buffering=0) as filler:
        try:
            while True:
                filler.write(b"x" * 1024)
        except OSError:
            filler.truncate(max(0, os.fstat(filler.fileno()).st_size - 1024 * random.randrange(24)))
    before = {path.name: path.read_bytes() for path in disk.iterdir()}
    places = {option: str(disk / file) for option, file in scenario.outputs.items()}
    ended = forked([*scenario.line(**places), *(["--force"] if forced else [])])
    after = {path.name: path.read_bytes() for path in disk.iterdir()}
    if ended.code == DONE:
        assert {file: after[file] for file in scenario.files}.keys() == set(scenario.files), (name, forced, ended)
        assert set(after) == {"filler", *scenario.files}, (name, forced, ended)
    else:
        assert (ended.code, ended.out) == (USAGE, b""), (name, forced, ended)
        assert after == before, (name, forced, ended, sorted(after))


@contextlib.contextmanager
def _small_disk(place: Path) -> Iterator[Path | None]:
    """Mount a disk of 64 KiB, where that is allowed."""
    mount = ["mount", "-t", "tmpfs", "-o", "size=64k", "tmpfs", str(place)]
    try:
        allowed = subprocess.run(mount, capture_output=True, check=False).returncode == 0
    except OSError:
        allowed = False
    if not allowed:
        ENDED["no small disk can be mounted"] += 1
        yield None
        return
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


def a_study_that_is_ended(random: Random) -> None:
    """A smoke run of two studies that is ended at any moment, and run again, ends with the claims of a run at once."""
    right = _claims_of_studies()
    with tempfile.TemporaryDirectory() as folder:
        for number in random.choices([signal.SIGINT, signal.SIGKILL, signal.SIGTERM], k=random.randrange(1, 3)):
            process = _studies(folder)
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(timeout=random.random() * 12)
            if process.poll() is None:
                process.send_signal(number)
            process.communicate(timeout=300)
            ENDED[f"study: {number.name}"] += 1
            for name, text in _found(folder).items():
                assert text == right[name], (number, name)
        process = _studies(folder)
        out, err = process.communicate(timeout=600)
        assert process.returncode == DONE, (process.returncode, out, err)
        assert _found(folder) == right


_STUDIES = ("worked_examples", "data_facts")


def _studies(folder: str) -> subprocess.Popen[str]:
    heard = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler)"
    code = f"{heard}; import runpy; runpy.run_module('experiments', run_name='__main__', alter_sys=True)"
    words = [sys.executable, "-c", code, "run", "--smoke", "--results", folder, *_STUDIES]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


def _found(folder: str) -> dict[str, str]:
    """Return the claims of the studies that pass as complete: whose provenance, written last, is there."""
    return {
        path.parent.name: (path.parent / "claims.json").read_text("utf-8")
        for path in Path(folder).glob("*/provenance.json")
    }


@cache
def _claims_of_studies() -> dict[str, str]:
    with tempfile.TemporaryDirectory() as folder:
        process = _studies(folder)
        _, err = process.communicate(timeout=600)
        assert process.returncode == DONE, err
        return _found(folder)


PROCESSES: dict[str, Callable[[Random], None]] = {
    "a signal at any moment": a_signal_at_any_moment,
    "two at a time": two_at_a_time,
    "a full disk": a_full_disk,
    "a study that is ended": a_study_that_is_ended,
}
