"""A solver's process and its folder: ended and removed by whoever made them, whenever an interrupt comes."""

from __future__ import annotations

import subprocess
import tempfile
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Any

__all__ = ["OwnProcess", "own_folder"]


def _whole(action: Callable[[], object]) -> None:
    """Do it in another thread, where no signal is raised: an interrupt ends the waiting for it, not the action."""
    thread = threading.Thread(target=action, daemon=True)
    thread.start()
    thread.join()


@contextmanager
def own_folder() -> Iterator[str]:
    """Make a temporary folder, and remove it with all that is in it.

    Raises
    ------
    OSError
        If it cannot be made.
    """
    folder = tempfile.TemporaryDirectory(prefix="tcloseness-", ignore_cleanup_errors=True)
    try:
        yield folder.name
    finally:
        _whole(folder.cleanup)


class OwnProcess:
    """A program in a process of its own, and in a session of its own: an interrupt by the keyboard is not for it.

    An interrupt in the midst of starting leaves no process that nobody knows.
    """

    def __init__(self, words: Sequence[str], **streams: Any) -> None:
        self._words, self._streams = words, streams
        self._process: subprocess.Popen[bytes] | None = None
        self._error: OSError | None = None
        self._starting, self._ended = threading.Lock(), False

    def _open(self) -> None:
        with self._starting:
            if self._ended:  # before the thread came so far
                return
            try:
                self._process = subprocess.Popen(self._words, start_new_session=True, **self._streams)
            except OSError as error:
                self._error = error

    def start(self) -> subprocess.Popen[bytes]:
        """Start it.

        Raises
        ------
        OSError
            If it cannot be started.
        """
        _whole(self._open)
        if self._process is None:
            raise self._error or OSError("no process was started")
        return self._process

    def end(self) -> None:
        """Kill it, started or about to be, wait until it is gone, and close its streams."""
        with self._starting:
            self._ended = True
        if self._process is None:
            return
        self._process.kill()
        self._process.wait()
        for stream in (self._process.stdin, self._process.stdout):
            with suppress(OSError, ValueError):
                if stream is not None:
                    stream.close()
