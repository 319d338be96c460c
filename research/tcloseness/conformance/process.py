"""A harness as a process that may crash, hang or babble: asked one question at a time, and replaced when it fails."""

from __future__ import annotations

import json
import queue
import re
import subprocess
import threading
from collections.abc import Sequence
from typing import Any

from tcloseness.conformance.protocol import VERSION, Failed, Implementation, Reply, TimedOut, line, read_reply
from tcloseness.errors import HarnessError, ProtocolError

__all__ = ["Harness"]

_START_SECONDS = 60.0
_LONGEST_LINE = 10_000_000
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

    Raises
    ------
    HarnessError
        If it cannot be started, or does not answer ``start`` as it should.
    """

    def __init__(self, command: Sequence[str], *, seconds: float = 10.0) -> None:
        self.command = list(command)
        self.seconds = seconds
        self.implementation = self._start()

    def _start(self) -> Implementation:
        try:
            self._process = subprocess.Popen(
                self.command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                text=True,
                encoding="utf-8",
                errors="replace",
            )
        except OSError as error:
            raise HarnessError(f"harness {self.command[0]!r} cannot be started: {error.strerror or error}") from error
        self._lines: queue.Queue[str | None] = queue.Queue()
        self._said: list[str] = []
        threading.Thread(target=self._read_output, args=(self._process, self._lines), daemon=True).start()
        self._listener = threading.Thread(target=self._read_errors, args=(self._process, self._said), daemon=True)
        self._listener.start()
        try:
            text = self._exchange({"cmd": "start", "version": VERSION}, max(self.seconds, _START_SECONDS))
        except HarnessError:
            self.close()
            raise
        if text is None:
            words = self._last_words()
            self.close()
            raise HarnessError(f"harness {' '.join(self.command)!r} gave no answer to start{words}")
        try:
            return Implementation.from_start(json.loads(text))
        except ValueError as error:
            self.close()
            raise HarnessError(f"the harness answered {text[:80]!r} to start, which is no JSON") from error
        except HarnessError:
            self.close()
            raise

    @staticmethod
    def _read_output(process: subprocess.Popen[str], lines: queue.Queue[str | None]) -> None:
        assert process.stdout is not None
        while text := process.stdout.readline(_LONGEST_LINE):
            lines.put(text)
        lines.put(None)

    @staticmethod
    def _read_errors(process: subprocess.Popen[str], said: list[str]) -> None:
        assert process.stderr is not None
        for text in process.stderr:
            line = text.strip()
            if line.strip("^~ "):
                said.append(line if len(line) <= _LONGEST_WORDS else line[: _LONGEST_WORDS - 1] + "…")
                del said[2 * _HEAD : -2 * _TAIL]

    def _exchange(self, message: dict[str, Any], seconds: float) -> str | None:
        """Send a message and return the line that comes back; None if the harness is gone.

        Raises
        ------
        queue.Empty
            If nothing comes back in time.
        """
        assert self._process.stdin is not None
        try:
            self._process.stdin.write(line(message))
            self._process.stdin.flush()
        except (BrokenPipeError, OSError, ValueError):
            return None
        try:
            return self._lines.get(timeout=seconds)
        except queue.Empty:
            if message["cmd"] == "start":
                raise HarnessError(f"harness {self.command[0]!r} did not answer start within {seconds:g} s") from None
            raise

    def ask(self, seq: int, question: dict[str, Any]) -> Reply:
        """Ask one question. After a crash, a timeout or a broken answer the harness is started anew.

        Raises
        ------
        HarnessError
            If it cannot be started again.
        """
        try:
            text = self._exchange({"cmd": "run", "seq": seq, **question}, self.seconds)
        except queue.Empty:
            self._restart()
            return TimedOut(self.seconds)
        if text is None:
            words = self._last_words()
            self._restart()
            return Failed(f"the harness crashed{words}", crashed=True)
        try:
            return read_reply(text, seq)
        except ProtocolError as error:
            self._restart()  # what else it wrote would be taken for the next answer
            return Failed(str(error), crashed=True)

    def _last_words(self) -> str:
        self._listener.join(timeout=1.0)
        words = " | ".join(last_words(self._said))
        try:
            code = self._process.wait(timeout=1.0)
        except subprocess.TimeoutExpired:  # it closed its output and lives on
            code = None
        return (f" (exit {code})" if code is not None else "") + (f": {words}" if words else "")

    def _restart(self) -> None:
        self.close(kill=True)
        self.implementation = self._start()

    def close(self, *, kill: bool = False) -> None:
        """End the harness: ask it to stop, and kill it if it doesn't."""
        process = self._process
        if process.poll() is None:
            try:
                if not kill and process.stdin is not None:
                    process.stdin.write(line({"cmd": "stop"}))
                    process.stdin.close()
                    process.wait(timeout=2.0)
            except (OSError, ValueError, subprocess.TimeoutExpired):
                pass
            if process.poll() is None:
                process.kill()
        process.wait()
        for stream in (process.stdin, process.stdout, process.stderr):
            try:
                if stream is not None:
                    stream.close()
            except (OSError, ValueError):
                pass


def last_words(said: Sequence[str]) -> list[str]:
    """Return what a harness wrote before it ended: the line that tells, the first lines, and the last."""
    if len(said) <= _HEAD:
        return list(said)
    found = [line for line in said if _TELLING.match(line)]
    telling = list(dict.fromkeys(found[:1] + found[-1:]))
    rest = [line for line in said if line not in telling]
    return [*telling, *rest[: _HEAD // 2], "…", *rest[-_TAIL // 2 :]]
