"""Ending a command that writes at any moment: what may be there afterwards, and how it may have ended.

`trial` is one attempt; the tests make a few with a fixed seed, and a longer search can make as many as it likes.
"""

from __future__ import annotations

import signal
from dataclasses import dataclass
from pathlib import Path
from random import Random

from proofs_tests.cli.processes import Ended, forked
from proofs_tests.cli.scenarios import EVERY, Scenario
from tcloseness.cli.exit_codes import INTERRUPTED, TERMINATED

__all__ = ["ENDS", "SIGNALS", "Trial", "trial"]

SIGNALS = {signal.SIGINT: INTERRUPTED, signal.SIGTERM: TERMINATED, signal.SIGKILL: -signal.SIGKILL}
"""By signal, how a command ends with it."""

OLD = b"what was there before"


@dataclass(frozen=True)
class Trial:
    """One attempt.

    Attributes
    ----------
    name, number, moment, forced
        The scenario, the signal, after how many seconds it was sent, and whether files were there to be overwritten.
    ended
        How the command ended.
    finished
        Whether it had ended before the signal came.
    """

    name: str
    number: signal.Signals
    moment: float
    forced: bool
    ended: Ended
    finished: bool


def trial(name: str, folder: Path, random: Random, *, longest: float, number: signal.Signals | None = None) -> Trial:
    """Run a scenario in a folder that holds its inputs, send it a signal, and require that nothing is lost or half.

    Parameters
    ----------
    name, folder
        The scenario, and where it runs: the current folder.
    random
        Draws the signal and the moment.
    longest
        The last moment, in seconds.
    number
        The signal, if it is not to be drawn.

    Raises
    ------
    AssertionError
        If a file that is read has changed, a file that is written is neither what was there nor whole, another file is
        left (a killed process alone may leave one that it was writing), or the exit code claims what is not so.
    """
    scenario, forced = EVERY[name], random.random() < 0.5
    number = number or random.choice(list(SIGNALS))
    moment = random.random() * longest
    for file in scenario.files:
        (folder / file).unlink(missing_ok=True)
        if forced:
            (folder / file).parent.mkdir(exist_ok=True)
            (folder / file).write_bytes(OLD)
    before = _contents(folder)
    ended = forked(_line(scenario, forced), send=(moment, number))
    after = _contents(folder)
    told = f"{name}, {number.name} after {moment:.4f} s, {'over' if forced else 'into nothing'}: {ended}"

    assert ended.code in (0, SIGNALS[number], -number), told  # the last: before the command hears signals
    assert ended.code != -number or number == signal.SIGKILL or after == before, told
    assert {file: after.get(file) for file in before if file not in scenario.files} == {
        file: content for file, content in before.items() if file not in scenario.files
    }, told
    written = [file for file in scenario.files if after.get(file) != before.get(file)]
    for file in written:
        assert after[file].endswith(b"\n") or Path(file).suffix != ".csv", f"{file} is cut; {told}"
        assert after[file].rstrip().endswith(ENDS[Path(file).suffix]), f"{file} is cut; {told}"
    left = set(after) - set(before) - set(scenario.files)
    if number != signal.SIGKILL:
        assert not left, f"{left} are left; {told}"
        assert len(written) in (0, len(scenario.files)), f"only {written} are written; {told}"
    assert all(".part" in file or ".kept" in file for file in left), told
    if ended.code == 0:
        assert len(written) == len(scenario.files), told
    elif number != signal.SIGKILL:
        assert b"Traceback" not in ended.err, told
        assert b"fault" not in ended.err, told
    for file in left:
        (folder / file).unlink()
    return Trial(name, number, moment, forced, ended, ended.code == 0)


ENDS = {
    ".csv": b"",
    ".json": b"}",
    ".parquet": b"PAR1",
    ".html": b"</html>",
    ".salt": b"}",
    ".svg": b"</svg>",
    ".txt": b"]",
    ".xml": (b"</testsuites>", b"</testsuite>"),
}
"""By suffix, how a whole file ends."""


def _line(scenario: Scenario, forced: bool) -> list[str]:
    words = scenario.line()
    place = words.index("--") if "--" in words else len(words)
    return [*words[:place], *(["--force"] if forced else []), *words[place:]]


def _contents(folder: Path) -> dict[str, bytes]:
    found = {}
    for path in folder.rglob("*"):
        if path.is_file() and "__pycache__" not in path.parts:
            found[str(path.relative_to(folder))] = path.read_bytes()
    return found
