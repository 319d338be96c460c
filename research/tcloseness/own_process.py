"""A program's process and its folder: ended and removed by whoever made them, whenever an interrupt comes."""

from __future__ import annotations

import errno
import os
import signal
import subprocess
import sys
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

__all__ = ["GRACE", "LOOK", "OwnProcess", "own_folder", "whole"]

GRACE = 0.3
"""Seconds past its time limit after which a solver, which keeps it as a rule, is ended."""

LOOK = 0.05
"""Seconds between two looks at the clock and at the memory that a solver takes."""

_LAST_WAIT = 5.0
"""Seconds for the system to take a killed program away."""


def whole(action: Callable[[], object]) -> None:
    """Do it in another thread, where no signal is raised: an interrupt ends the waiting for it, not the action.

    One that comes while Python waits for a lock of the thread can leave the lock to an error of its own; it is raised.
    """
    thread, outer = threading.Thread(target=action, daemon=True), sys.exception()
    try:
        thread.start()
        thread.join()
    except RuntimeError as error:
        came = error.__context__
        if came is None or came is outer:  # no thread could be started
            raise
        raise came from None


class _Ended(KeyboardInterrupt):
    """SIGTERM came where nobody handles it: what runs cleans up behind itself as after an interrupt."""


@contextmanager
def _ended_behind_a_clean_up() -> Iterator[None]:
    """Let SIGTERM, where it would end this process at once, end it after the block has cleaned up behind itself."""
    number = getattr(signal, "SIGTERM", None)
    ours = threading.current_thread() is threading.main_thread()
    if number is None or not ours or signal.getsignal(number) is not signal.SIG_DFL:
        yield
        return
    came = False

    def end(*_: object) -> None:
        nonlocal came
        came = True
        raise _Ended

    signal.signal(number, end)
    try:
        yield
    finally:
        if signal.getsignal(number) is end:
            signal.signal(number, signal.SIG_DFL)
        if came:
            os.kill(os.getpid(), number)


@contextmanager
def own_folder(place: str | None = None) -> Iterator[str]:
    """Make a temporary folder, and remove it with all that is in it: also if SIGTERM ends this process meanwhile.

    Parameters
    ----------
    place
        The folder in which it is made; by default one that the system names.

    Raises
    ------
    OSError, ValueError
        If it cannot be made; the second for a name that no folder can have.
    """
    with _ended_behind_a_clean_up():
        folder = tempfile.TemporaryDirectory(prefix="tcloseness-", dir=place, ignore_cleanup_errors=True)
        try:
            yield folder.name
        finally:
            whole(folder.cleanup)


class OwnProcess:
    """A program in a process of its own, and in a session of its own: an interrupt by the keyboard is not for it.

    Whoever makes one calls `end`, whatever happens from `start` on: an interrupt in the midst of either leaves no
    process that nobody knows.
    """

    def __init__(self, words: Sequence[str], **streams: Any) -> None:
        self._words, self._streams = words, streams
        self._process: subprocess.Popen[bytes] | None = None
        self._error: Exception | None = None
        self._starting, self._ended, self._killed = threading.Lock(), False, False

    def _open(self) -> None:
        with self._starting:
            if self._ended:  # before the thread came so far
                return
            try:
                self._process = subprocess.Popen(self._words, start_new_session=True, **self._streams)
            except Exception as error:  # noqa: BLE001 (raised by `start`)
                self._error = error

    def start(self) -> subprocess.Popen[bytes]:
        """Start it.

        Raises
        ------
        OSError, ValueError
            If it cannot be started; the second for a NUL in a word.
        """
        try:
            whole(self._open)
        except RuntimeError as error:  # no thread
            raise OSError(errno.EAGAIN, str(error)) from error
        if self._process is None:
            raise self._error or OSError("no process was started")
        return self._process

    def end(self) -> None:
        """Kill it, started or about to be, with all that it started in its session; wait for it; close its streams."""
        try:
            self._end()
        finally:  # where an interrupt came in the midst of that
            self._end()

    def _end(self) -> None:
        with self._starting:
            self._ended = True
        if self._process is None:
            return
        if not self._killed and hasattr(os, "killpg"):
            with suppress(ProcessLookupError, PermissionError):  # nobody is left, or all are ending
                os.killpg(self._process.pid, signal.SIGKILL)
            self._killed = True
        self._process.kill()
        with suppress(subprocess.TimeoutExpired):
            self._process.wait(_LAST_WAIT)
        for stream in (self._process.stdin, self._process.stdout, self._process.stderr):
            with suppress(OSError, ValueError):
                if stream is not None:
                    stream.close()
