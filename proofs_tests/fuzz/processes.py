"""What holds of commands that are ended, of two at a time, and of a disk that is full: nothing lost, nothing half."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import tempfile
import time
from collections import Counter
from collections.abc import Callable, Iterator
from functools import cache, partial
from pathlib import Path
from random import Random

from rich.console import Console

from proofs_tests.cli.commands import run
from proofs_tests.cli.interrupts import OLD, SIGNALS, trial
from proofs_tests.cli.processes import Ended, forked
from proofs_tests.cli.scenarios import EVERY, SCENARIOS, Scenario, make_inputs
from tcloseness.cli.exit_codes import DONE, USAGE

__all__ = ["ENDED", "PROCESSES", "SIGNALLED"]

ENDED: dict[str, Counter[str]] = {}
"""By command, how often it was ended by which signal, and how often it had ended before it came."""

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


def _count(name: str, how: str) -> None:
    ENDED.setdefault(name, Counter())[how] += 1


@cache
def _whole(name: str) -> tuple[float, dict[str, bytes]]:
    """Return how long a scenario takes, its modules loaded, and what it writes."""
    scenario = EVERY[name]
    with _inputs() as folder:
        assert run(*scenario.line()).code == DONE, name
        for file in scenario.files:
            (folder / file).unlink()
        ended = forked(scenario.line())
        assert ended.code == DONE, (name, ended)
        return ended.seconds, {file: (folder / file).read_bytes() for file in scenario.files}


def a_signal_at_any_moment(name: str, random: Random) -> None:
    """A command that is interrupted, terminated or killed leaves files whole, and claims nothing that is not so."""
    longest = _whole(name)[0]
    with _inputs() as folder:
        found = trial(name, folder, random, longest=longest)
    _count(name, "ended before" if found.finished else found.number.name)


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
        _count("a full disk", "no small disk can be mounted")
        yield None
        return
    try:
        yield place
    finally:
        subprocess.run(["umount", str(place)], check=True)


def a_study_that_is_ended(random: Random) -> None:
    """A smoke run of studies that is ended at any moment, and run again, ends with the claims of a run at once."""
    longest, right = _claims_of_studies()
    with tempfile.TemporaryDirectory() as folder:
        for number in random.choices(list(SIGNALS), k=random.randrange(1, 3)):
            ended = _studies(folder, send=(random.random() * longest, number))
            assert ended.code in (DONE, SIGNALS[number], -number), (number, ended)
            assert number == signal.SIGKILL or b"Traceback" not in ended.err, (number, ended)
            _count("experiments run", "ended before" if ended.code == DONE else number.name)
            for name, text in _found(folder).items():
                assert text == right[name], (number, name)
        ended = _studies(folder)
        assert ended.code == DONE, ended
        assert _found(folder) == right


_STUDIES = ("worked_examples", "data_facts")


def _studies(folder: str, *, send: tuple[float, int] | None = None) -> Ended:
    def program() -> None:
        from experiments.__main__ import _run
        from tcloseness.cli import main

        main(_run, command="experiments")

    words = ["run", "--smoke", "--results", folder, *_STUDIES]
    return forked(words, send=send, main=program, timeout=300)


def _found(folder: str) -> dict[str, str]:
    """Return the claims of the studies that pass as complete."""
    from experiments.kept import why_not

    return {
        name: (Path(folder) / name / "claims.json").read_text("utf-8")
        for name in _STUDIES
        if not why_not(Path(folder) / name)
    }


@cache
def _claims_of_studies() -> tuple[float, dict[str, str]]:
    """Return how long the studies take, their modules loaded, and their claims."""
    from experiments import commands, report, runner

    assert commands
    assert report
    with tempfile.TemporaryDirectory() as folder:
        runner.run_studies(_STUDIES, results=Path(folder), smoke=True, console=Console(quiet=True))
    with tempfile.TemporaryDirectory() as folder:
        ended = _studies(folder)
        assert ended.code == DONE, ended
        return ended.seconds, _found(folder)


SIGNALLED: dict[str, Callable[[Random], None]] = {
    f"a signal at any moment: {name}": partial(a_signal_at_any_moment, name) for name in EVERY
}

PROCESSES: dict[str, Callable[[Random], None]] = {
    **SIGNALLED,
    "two at a time": two_at_a_time,
    "a full disk": a_full_disk,
    "a study that is ended": a_study_that_is_ended,
}
