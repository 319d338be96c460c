"""A program at the other end of three pipes, which may do whatever it likes: nothing is waited for without a limit."""

from __future__ import annotations

import os
import selectors
import signal
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress

from tcloseness.conformance.protocol import LONGEST
from tcloseness.errors import HarnessError
from tcloseness.printable import printable

__all__ = ["Abandoned", "Babble", "Child", "Gone", "TooLate"]

_CHUNK = 1 << 16
_KEPT = 1 << 13
"""Bytes of standard error that are kept from its beginning, and as many from its end."""

_LOOK = 0.1
"""Seconds between two looks at whether the program has ended while another one holds its pipes."""

_LAST_WAIT = 5.0
"""Seconds for the system to take a killed program away."""

_MOST_CHUNKS = 64
"""How much is still read of a program that has ended: what the pipes held, and not what others go on writing."""


class Gone(Exception):  # noqa: N818 (an event)
    """The program has ended, or closed its output."""


class TooLate(Exception):  # noqa: N818 (an event)
    """Nothing came in time."""


class Babble(Exception):  # noqa: N818 (an event)
    """The program wrote what cannot be an answer: too much, or without being asked."""


class Abandoned(Exception):  # noqa: N818 (an event)
    """The run was ended by others."""


class Child:
    """A program in a session of its own, and its three pipes.

    Parameters
    ----------
    command
        The program and its arguments.
    ended
        Set from another thread, it ends all waiting by `Abandoned`.

    Raises
    ------
    HarnessError
        If it cannot be started.

    Notes
    -----
    The caller's thread writes and reads, and no pipe ever blocks it. Memory is bounded: one line, and the beginning
    and the end of standard error. `end` kills the whole process group. What leaves the group on purpose (``setsid``) is
    not followed, but nothing waits for it.
    """

    def __init__(self, command: Sequence[str], *, ended: threading.Event | None = None) -> None:
        if os.name != "posix":
            raise HarnessError("a harness can be run on POSIX systems only; on Windows, run this in WSL")
        try:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                bufsize=0,
                start_new_session=True,
            )
        except (OSError, ValueError) as error:  # a NUL in a word is a ValueError
            reason = getattr(error, "strerror", None) or error
            raise HarnessError(f"harness {command[0]!r} cannot be started: {reason}") from error
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        assert self.process.stderr is not None
        self._in, self._out, self._err = (
            stream.fileno() for stream in (self.process.stdin, self.process.stdout, self.process.stderr)
        )
        self._ended = ended or threading.Event()
        self._line = bytearray()
        self._said_first, self._said_last, self._said = bytearray(), bytearray(), 0
        self._selector = selectors.DefaultSelector()
        for pipe in (self._in, self._out, self._err):
            os.set_blocking(pipe, False)
        for pipe in (self._out, self._err):
            self._selector.register(pipe, selectors.EVENT_READ)

    # ------------------------------------------------------------------ talking

    def ask(self, message: bytes, seconds: float) -> bytes:
        """Write a line and return the one that comes back.

        Raises
        ------
        Gone, TooLate, Babble, Abandoned
            See there.
        """
        deadline = time.monotonic() + seconds
        self._read(self._out)
        if self._line:
            raise Babble(f"the harness wrote '{self.begun()}' without being asked")
        left = memoryview(message)
        self._selector.register(self._in, selectors.EVENT_WRITE)
        try:
            while left and b"\n" not in self._line:
                if self._in in self._wait(deadline):
                    left = left[self._write(left) :]
        finally:
            self._selector.unregister(self._in)
        while b"\n" not in self._line:
            self._wait(deadline)
        answer, _, more = bytes(self._line).partition(b"\n")
        if left:
            raise Babble(f"the harness wrote '{_shown(answer)}' before it had read the question")
        if more:
            raise Babble(f"the harness wrote more than one line to one question, '{_shown(answer)}' first")
        self._line.clear()
        return answer

    def begun(self) -> str:
        """Return the beginning of a line that has not ended, for a message."""
        return _shown(bytes(self._line[:200]))

    def _wait(self, deadline: float) -> set[int]:
        """Wait for the pipes a moment, read what came, and return those that are ready."""
        if self._ended.is_set():
            raise Abandoned
        left = deadline - time.monotonic()
        if left <= 0:
            raise TooLate
        ready = {key.fd for key, _ in self._selector.select(min(left, _LOOK))}
        if self._err in ready:
            self._read_errors()
        if self._out in ready:
            self._read(self._out)
        elif self.process.poll() is not None:  # what it left behind may hold its pipes
            self._read(self._out)
            if b"\n" not in self._line:
                self._last_line()
        return ready

    def _read(self, pipe: int) -> None:
        """Read what there is of the output, to the end of a line."""
        while b"\n" not in self._line:
            try:
                content = os.read(pipe, _CHUNK)
            except BlockingIOError:
                return
            if not content:
                self._last_line()
                return
            self._line += content
            if len(self._line) > LONGEST and self._line.find(b"\n", 0, LONGEST) < 0:
                raise Babble(f"the harness wrote a line of more than {LONGEST:,} bytes, '{self.begun()}'")

    def _last_line(self) -> None:
        """Take what was written last for a line, though none ended it."""
        if not self._line:
            raise Gone
        self._line += b"\n"

    def _read_errors(self) -> None:
        try:
            content = os.read(self._err, _CHUNK)
        except BlockingIOError:
            return
        if not content:
            self._selector.unregister(self._err)
            return
        self._said += len(content)
        head = max(0, _KEPT - len(self._said_first))
        self._said_first += content[:head]
        self._said_last += content[head:]
        del self._said_last[:-_KEPT]

    def _write(self, content: memoryview) -> int:
        try:
            return os.write(self._in, content[:_CHUNK])
        except BlockingIOError:
            return 0
        except OSError:  # a broken pipe
            raise Gone from None

    # ------------------------------------------------------------------ the end

    def said(self) -> list[str]:
        """Return what was written to standard error, line by line; where much was, its beginning and its end."""
        cut = self._said - len(self._said_first) - len(self._said_last)
        parts = [self._said_first, self._said_last] if cut else [self._said_first + self._said_last]
        first, *last = (part.decode("utf-8", "replace").splitlines() for part in parts)
        return [*first, f"… {cut:,} bytes left out …", *last[0]] if last else first

    def end(self, *, farewell: bytes = b"", patience: float = 0.0) -> int | None:
        """End the program and all that it started, and return its exit code; None if it had to be killed.

        Parameters
        ----------
        farewell
            A line that asks it to end by itself.
        patience
            Seconds that it has for that.
        """
        if self._selector.get_map() is None:  # ended before
            return self.process.returncode
        deadline = time.monotonic() + patience
        assert self.process.stdin is not None
        with suppress(OSError):
            if farewell:
                os.write(self._in, farewell)
        with suppress(OSError):
            self.process.stdin.close()
        code = self._code(deadline)
        with suppress(ProcessLookupError, PermissionError):  # nobody is left, or all are ending
            os.killpg(self.process.pid, signal.SIGKILL)
        self.process.kill()
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(_LAST_WAIT)
        self._selector.close()
        for stream in (self.process.stdout, self.process.stderr):
            assert stream is not None
            stream.close()
        return code

    def _code(self, deadline: float) -> int | None:
        """Wait for the program to end; what it writes meanwhile is read, so that no full pipe holds it up."""
        while True:
            code = self.process.poll()
            left = deadline - time.monotonic()
            if code is not None or left <= 0 or self._ended.is_set():
                self._drain(0.0, _MOST_CHUNKS)
                return code
            self._drain(min(left, _LOOK / 5), 1)

    def _drain(self, seconds: float, most: int) -> None:
        for _ in range(most):
            ready = [key.fd for key, _ in self._selector.select(seconds)]
            if not ready:
                return
            if self._err in ready:
                self._read_errors()
            if self._out in ready:
                with suppress(BlockingIOError):
                    if not os.read(self._out, _CHUNK):
                        self._selector.unregister(self._out)


def _shown(content: bytes) -> str:
    return printable(content[:80].decode("utf-8", "replace")) + ("…" if len(content) > 80 else "")
