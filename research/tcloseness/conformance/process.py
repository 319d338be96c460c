"""A harness as a process that may crash, hang or babble: asked one question at a time, and replaced when it fails."""

from __future__ import annotations

import re
import threading
from collections.abc import Sequence
from typing import Any

from tcloseness.conformance.pipes import Abandoned, Babble, Child, Gone, TooLate
from tcloseness.conformance.protocol import (
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
from tcloseness.printable import printable

__all__ = ["Harness"]

_START_SECONDS = 60.0
_PATIENCE = 2.0
"""Seconds that a harness has for ending by itself when it is asked to."""

_DYING = 1.0
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

    Raises
    ------
    HarnessError
        If it cannot be started, or does not answer ``start`` as it should.

    Notes
    -----
    The harness runs in a session of its own. Whenever it is given up, whatever it has started ends with it.
    """

    def __init__(self, command: Sequence[str], *, seconds: float = 10.0, ended: threading.Event | None = None) -> None:
        self.command = list(command)
        self.seconds = seconds
        self._ended = ended
        self._child: Child | None = None
        self._failed_starts = 0
        self._why = ""
        self.implementation = self._start()

    def _start(self) -> Implementation:
        child = Child(self.command, ended=self._ended)
        limit = max(self.seconds, _START_SECONDS)
        try:
            try:
                answer = child.ask(line({"cmd": "start", "version": VERSION}).encode(), limit)
                said = Implementation.from_start(read_message(answer))
            except TooLate:
                raise HarnessError(f"harness {self.command[0]!r} did not answer start within {limit:g} s") from None
            except Gone:
                words = _last_words(child)
                raise HarnessError(f"harness {' '.join(self.command)!r} gave no answer to start{words}") from None
            except Babble as error:
                raise HarnessError(f"{error}, where start was to be answered") from None
            except Abandoned:
                raise HarnessError("the run was ended") from None
            except HarnessError:
                raise
            except ProtocolError as error:
                raise HarnessError(f"start was not answered: {error}") from error
        except BaseException:
            child.end()
            raise
        self._child = child
        return said

    def ask(self, seq: int, question: dict[str, Any]) -> Reply:
        """Ask one question.

        After a crash, a timeout or a broken answer the harness is ended, and started anew for the next question. If it
        cannot be started three times in a row it is given up, and every answer is that.

        Raises
        ------
        HarnessError
            If the run was ended meanwhile.
        """
        if self._child is None and (why := self._restart()):
            return Failed(f"the harness cannot be started again: {why}", crashed=True)
        child = self._child
        assert child is not None
        try:
            return read_reply(child.ask(line({"cmd": "run", "seq": seq, **question}).encode(), self.seconds), seq)
        except TooLate:
            begun = child.begun()
            self.close(kill=True)
            return TimedOut(self.seconds, f"a line '{begun}' without an end" if begun else "")
        except Gone:
            words = _last_words(child)
            self.close(kill=True)
            return Failed(f"the harness crashed{words}", crashed=True)
        except (Babble, ProtocolError) as error:  # what else it wrote would be taken for the next answer
            self.close(kill=True)
            return Failed(str(error), crashed=True)
        except Abandoned:
            self.close(kill=True)
            raise HarnessError("the run was ended") from None

    def _restart(self) -> str:
        """Start the harness anew; return why that is impossible, if it is."""
        if self._failed_starts < _STARTS:
            try:
                self.implementation = self._start()
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
        child, self._child = self._child, None
        if child is not None:
            child.end(farewell=b"" if kill else line({"cmd": "stop"}).encode(), patience=0.0 if kill else _PATIENCE)


def _last_words(child: Child) -> str:
    """Return how a program ended that closed its output, and what it wrote to standard error before."""
    code = child.end(patience=_DYING)
    shown = [text for line in child.said() if (text := printable(line.strip())).strip("^~ ")]
    words = " | ".join(last_words([s if len(s) <= _LONGEST_WORDS else s[: _LONGEST_WORDS - 1] + "…" for s in shown]))
    return (f" (exit {code})" if code is not None else "") + (f": {words}" if words else "")


def last_words(said: Sequence[str]) -> list[str]:
    """Return what a harness wrote before it ended: the line that tells, the first lines, and the last."""
    if len(said) <= _HEAD:
        return list(said)
    found = [line for line in said if _TELLING.match(line)]
    telling = list(dict.fromkeys(found[:1] + found[-1:]))
    rest = [line for line in said if line not in telling]
    return [*telling, *rest[: _HEAD // 2], "…", *rest[-_TAIL // 2 :]]
