"""A harness as a process that may crash, hang or babble: asked one question at a time, and replaced when it fails."""

from __future__ import annotations

import os
import re
import selectors
import subprocess
import threading
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

from tcloseness.conformance.protocol import (
    LONGEST,
    VERSION,
    Failed,
    Implementation,
    Reply,
    TimedOut,
    line,
    read_message,
    read_reply,
)
from tcloseness.errors import HarnessError, ProtocolError
from tcloseness.own_process import OwnProcess
from tcloseness.printable import printable

__all__ = ["Child", "Ended", "Harness", "NotAnAnswer", "RunEnded", "TimeOver"]

_START_SECONDS = 60.0
_STOP_SECONDS = 2.0
"""Seconds that a harness has for ending by itself when it is asked to."""

_EXIT_SECONDS = 1.0
"""Seconds between the end of a harness's output and its exit code."""

_STARTS = 3
"""How often in a row a harness may fail to start again before it is given up."""

_HEAD, _TAIL = 6, 4
"""How many lines of the standard error of a crashed harness are kept: where it begins, and where it ends."""

_LONGEST_WORDS = 160
_TELLING = re.compile(r"(?!.*\b(throw|raise)\b).*\b\w*(Error|Exception|panic(ked)?|fatal|fault)\b")
"""A line that says what happened; some languages write a trace after it, and some before."""


class Harness:
    """A running harness.

    Parameters
    ----------
    command
        The program and its arguments.
    seconds
        The time limit of one question.
    ended
        Set from another thread, it ends the question at hand, and the harness is started no more.

    Notes
    -----
    It is started by `start`, and whoever calls that calls `close`, whatever happens meanwhile. The harness runs in a
    session of its own. Whenever it is given up, whatever it has started ends with it.
    """

    def __init__(self, command: Sequence[str], *, seconds: float = 10.0, ended: threading.Event | None = None) -> None:
        self.command = list(command)
        self.seconds = seconds
        self._ended = ended
        self._child: Child | None = None
        self._failed_starts = 0
        self._why = ""

    def start(self) -> Implementation:
        """Start it, and return who answers; also `implementation` from then on.

        Raises
        ------
        HarnessError
            If it cannot be started, or does not answer ``start`` as it should.
        """
        limit = max(self.seconds, _START_SECONDS)
        self._child = child = Child(self.command, ended=self._ended)
        try:
            child.start()
            try:
                answer = child.ask(line({"cmd": "start", "version": VERSION}).encode(), limit)
                self.implementation = Implementation.from_start(read_message(answer))
            except TimeOver:
                raise HarnessError(f"harness {self.command[0]!r} did not answer start within {limit:g} s") from None
            except Ended:
                words = _final_lines_text(child)
                raise HarnessError(f"harness {' '.join(self.command)!r} gave no answer to start{words}") from None
            except NotAnAnswer as error:
                raise HarnessError(f"{error}, where start was to be answered") from None
            except RunEnded:
                raise HarnessError("the run was ended") from None
            except HarnessError:
                raise
            except ProtocolError as error:
                raise HarnessError(f"start was not answered: {error}") from error
        except BaseException:
            self.close(kill=True)
            raise
        return self.implementation

    def ask(self, seq: int, question: dict[str, Any]) -> Reply:
        """Ask one question; `HarnessError` if the run was ended meanwhile.

        After a crash, a timeout or a broken answer the harness is ended, and started anew for the next question. If it
        cannot be started three times in a row it is given up, and every answer is that.
        """
        if self._child is None and (why := self._restart()):
            return Failed(f"the harness cannot be started again: {why}", crashed=True)
        child = self._child
        assert child is not None
        try:
            return read_reply(child.ask(line({"cmd": "run", "seq": seq, **question}).encode(), self.seconds), seq)
        except TimeOver:
            begun = child.begun()
            self.close(kill=True)
            return TimedOut(self.seconds, f"a line '{begun}' without an end" if begun else "")
        except Ended:
            words = _final_lines_text(child)
            self.close(kill=True)
            return Failed(f"the harness crashed{words}", crashed=True)
        except (NotAnAnswer, ProtocolError) as error:  # what else it wrote would be taken for the next answer
            self.close(kill=True)
            return Failed(str(error), crashed=True)
        except RunEnded:
            self.close(kill=True)
            raise HarnessError("the run was ended") from None

    def _restart(self) -> str:
        """Start the harness anew; return why that is impossible, if it is."""
        if self._failed_starts < _STARTS:
            try:
                self.start()
            except HarnessError as error:
                if self._ended is not None and self._ended.is_set():
                    raise
                self._failed_starts += 1
                self._why = str(error)
            else:
                self._failed_starts = 0
                return ""
        return self._why

    def close(self, *, kill: bool = False) -> None:
        """End the harness and all that it started: ask it to stop, and kill what does not."""
        if self._child is not None:
            farewell = b"" if kill else line({"cmd": "stop"}).encode()
            self._child.end(farewell=farewell, patience=0.0 if kill else _STOP_SECONDS)
            self._child = None


def _final_lines_text(child: Child) -> str:
    """Return how a program ended that closed its output, and what it wrote to standard error before."""
    code = child.end(patience=_EXIT_SECONDS)
    shown = [text for line in child.standard_error() if (text := printable(line.strip())).strip("^~ ")]
    words = " | ".join(final_lines([s if len(s) <= _LONGEST_WORDS else s[: _LONGEST_WORDS - 1] + "…" for s in shown]))
    return (f" (exit {code})" if code is not None else "") + (f": {words}" if words else "")


def final_lines(said: Sequence[str]) -> list[str]:
    """Return what a harness wrote before it ended: the line that says why, the first lines, and the last."""
    if len(said) <= _HEAD:
        return list(said)
    found = [line for line in said if _TELLING.match(line)]
    telling = list(dict.fromkeys(found[:1] + found[-1:]))
    rest = [line for line in said if line not in telling]
    return [*telling, *rest[: _HEAD // 2], "…", *rest[-_TAIL // 2 :]]


# ---------------------------------------------------------------------- three pipes

_CHUNK = 1 << 16
_KEPT = 1 << 13
"""Bytes of standard error that are kept from its beginning, and as many from its end."""

_LOOK = 0.1
"""Seconds between two looks at whether the program has ended while another one holds its pipes."""

_MOST_CHUNKS = 64
"""How much is still read of a program that has ended: what the pipes held, and not what others go on writing."""


class Ended(Exception):  # noqa: N818 (an event)
    """The program has ended, or closed its output."""


class TimeOver(Exception):  # noqa: N818 (an event)
    """Nothing came in time."""


class NotAnAnswer(Exception):  # noqa: N818 (an event)
    """The program wrote what cannot be an answer: too much, or without being asked."""


class RunEnded(Exception):  # noqa: N818 (an event)
    """The run was ended by others."""


class Child:
    """A program in a session of its own, and its three pipes.

    Parameters
    ----------
    command
        The program and its arguments.
    ended
        Set from another thread, it ends all waiting by `RunEnded`.

    Notes
    -----
    The caller's thread writes and reads, and no pipe ever blocks it. Memory is bounded: one line, and the beginning
    and the end of standard error. `end` kills the whole process group. What leaves the group on purpose (``setsid``) is
    not followed, but nothing waits for it.
    """

    def __init__(self, command: Sequence[str], *, ended: threading.Event | None = None) -> None:
        if os.name != "posix":
            raise HarnessError("a harness can be run on POSIX systems only; on Windows, run this in WSL")
        pipe = subprocess.PIPE
        self._own = OwnProcess(command, stdin=pipe, stdout=pipe, stderr=pipe, bufsize=0)
        self._name, self._in = command[0], -1
        self._ended = ended or threading.Event()
        self._line = bytearray()
        self._err_first, self._err_last, self._err_total = bytearray(), bytearray(), 0
        self._selector = selectors.DefaultSelector()

    def start(self) -> None:
        """Start the program.

        Raises
        ------
        HarnessError
            If it cannot be started.
        """
        try:
            self.process = self._own.start()
        except (OSError, ValueError) as error:
            reason = getattr(error, "strerror", None) or error
            raise HarnessError(f"harness {self._name!r} cannot be started: {reason}") from error
        streams = (self.process.stdin, self.process.stdout, self.process.stderr)
        self._in, self._out, self._err = (stream.fileno() for stream in streams if stream is not None)
        for pipe in (self._in, self._out, self._err):
            os.set_blocking(pipe, False)
        for pipe in (self._out, self._err):
            self._selector.register(pipe, selectors.EVENT_READ)

    # ------------------------------------------------------------------ talking

    def ask(self, message: bytes, seconds: float) -> bytes:
        """Write a line and return the one that comes back.

        Raises
        ------
        Ended, TimeOver, NotAnAnswer, RunEnded
            See there.
        """
        deadline = time.monotonic() + seconds
        self._read(self._out)
        if self._line:
            raise NotAnAnswer(f"the harness wrote '{self.begun()}' without being asked")
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
            raise NotAnAnswer(f"the harness wrote '{_shown(answer)}' before it had read the question")
        if more:
            raise NotAnAnswer(f"the harness wrote more than one line to one question, '{_shown(answer)}' first")
        self._line.clear()
        return answer

    def begun(self) -> str:
        """Return the beginning of a line that has not ended, for a message."""
        return _shown(bytes(self._line[:200]))

    def _wait(self, deadline: float) -> set[int]:
        """Wait for the pipes a moment, read what came, and return those that are ready."""
        if self._ended.is_set():
            raise RunEnded
        left = deadline - time.monotonic()
        if left <= 0:
            raise TimeOver
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
                raise NotAnAnswer(f"the harness wrote a line of more than {LONGEST:,} bytes, '{self.begun()}'")

    def _last_line(self) -> None:
        """Take what was written last for a line, though none ended it."""
        if not self._line:
            raise Ended
        self._line += b"\n"

    def _read_errors(self) -> None:
        try:
            content = os.read(self._err, _CHUNK)
        except BlockingIOError:
            return
        if not content:
            self._selector.unregister(self._err)
            return
        self._err_total += len(content)
        head = max(0, _KEPT - len(self._err_first))
        self._err_first += content[:head]
        self._err_last += content[head:]
        del self._err_last[:-_KEPT]

    def _write(self, content: memoryview) -> int:
        try:
            return os.write(self._in, content[:_CHUNK])
        except BlockingIOError:
            return 0
        except OSError:  # a broken pipe
            raise Ended from None

    # ------------------------------------------------------------------ the end

    def standard_error(self) -> list[str]:
        """Return what was written to standard error, line by line; where much was, its beginning and its end."""
        cut = self._err_total - len(self._err_first) - len(self._err_last)
        parts = [self._err_first, self._err_last] if cut else [self._err_first + self._err_last]
        first, *last = (part.decode("utf-8", "replace").splitlines() for part in parts)
        return [*first, f"… {cut:,} bytes left out …", *last[0]] if last else first

    def end(self, *, farewell: bytes = b"", patience: float = 0.0) -> int | None:
        """End the program and all that it started, and return its exit code; None if it was killed, or ended before.

        `farewell` is a line that asks it to end by itself, for which it has `patience` seconds.
        """
        code = None
        if self._selector.get_map() is None:  # ended before
            return code
        try:
            if patience and self._in >= 0:  # it was started
                deadline = time.monotonic() + patience
                assert self.process.stdin is not None
                with suppress(OSError):
                    if farewell:
                        os.write(self._in, farewell)
                with suppress(OSError):
                    self.process.stdin.close()
                code = self._code(deadline)
        finally:
            self._own.end()
            self._selector.close()
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
