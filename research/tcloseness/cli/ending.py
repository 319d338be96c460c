"""How a run of the command line ends, whatever happens in it: with the right exit code, and with what is to be said.

Nothing heavy is imported here, so that an interrupt or a fault while the commands are loaded ends in the same way.
"""

from __future__ import annotations

import _thread
import errno
import io
import os
import platform
import signal
import sys
import threading
import time
import traceback
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from contextvars import ContextVar
from dataclasses import dataclass, field
from types import FrameType
from typing import Any

from tcloseness.cli.exit_codes import (
    CLOSED_PIPE,
    DONE,
    FAULT,
    INTERRUPTED,
    LIMIT,
    ROWS,
    TERMINATED,
    USAGE,
    VIOLATED,
    row_for,
)
from tcloseness.errors import InfeasibleError, LimitReached, SolverError, TClosenessError
from tcloseness.limits import as_raised

__all__ = ["Terminated", "begun", "ended", "hear_signals", "note_places", "standard_streams"]


@dataclass
class _Signals:
    """What came, as exit codes; and whether one that comes is raised: only within `ended`, where it is caught."""

    heard: list[int] = field(default_factory=list)
    raised: bool = False


_signals = _Signals()

_begun: ContextVar[float | None] = ContextVar("_begun", default=None)


def begun() -> float | None:
    """Return when the command line that runs now was called, by `time.monotonic`; None outside of one."""
    return _begun.get()


class Terminated(BaseException):
    """SIGTERM came: what runs cleans up behind itself as after an interrupt."""


def ended(
    run: Callable[[], int], arguments: Sequence[str], *, words: Callable[[str], str] = str, command: str | None = None
) -> int:
    """Run a command and return the exit code; no exception leaves.

    Parameters
    ----------
    run
        The command; it returns an exit code.
    arguments
        The command line, of which a fault's report shows the options' names.
    words
        From an error's message to the words of the command line.
    command
        The command's name, where it is not the first of the arguments.
    """
    called = _begun.set(_begun.get() or time.monotonic())  # the first of those that run within each other
    try:
        return _ended(run, arguments, words, command)
    finally:
        _begun.reset(called)


def _ended(run: Callable[[], int], arguments: Sequence[str], words: Callable[[str], str], command: str | None) -> int:
    row, before = row_for(command, next(iter(arguments), None)), _signals.raised
    verdicts = row is not None and VIOLATED in row.own
    try:
        _signals.raised = True
        if _signals.heard:  # before there was anything to end
            raise KeyboardInterrupt
        code = run()
        sys.stdout.flush()
        if code not in (row.meanings if row is not None else (DONE, USAGE)):
            raise RuntimeError(f"exit code {code}")
        _signals.raised = before
    except BaseException as error:  # noqa: BLE001 (the last handler: nothing is above it)
        _signals.raised = before
        code = _code_after(as_raised(error), arguments, words, verdicts=verdicts)
    failed = _failure_of_stdout()
    if failed is not None and code in (DONE, VIOLATED, LIMIT):  # somebody swallowed it
        return _unwritten(failed)
    return _signals.heard[0] if _signals.heard and code != CLOSED_PIPE else code


def _code_after(error: BaseException, arguments: Sequence[str], words: Callable[[str], str], *, verdicts: bool) -> int:
    """Say on standard error what ended a command, and return its exit code."""
    failed = _failure_of_stdout()
    if failed is not None or isinstance(error, BrokenPipeError):
        return _unwritten(failed or error)  # type: ignore[arg-type]
    if _signals.heard:  # an interrupt may have become another exception on its way
        _silence_stdout()
        return _signals.heard[0]
    if isinstance(error, TClosenessError):
        _tell(f"error: {words(str(error))}")
        if isinstance(error, InfeasibleError) and verdicts:
            return VIOLATED
        return LIMIT if isinstance(error, SolverError) else USAGE
    _silence_stdout()  # what is still to be printed could pass for an answer
    if isinstance(error, KeyboardInterrupt):
        return INTERRUPTED
    if isinstance(error, Terminated):
        return TERMINATED
    if isinstance(error, MemoryError) or (isinstance(error, OSError | ImportError) and _no_memory(error)):
        detail = f" ({error})" if str(error) and "--redact" not in arguments else ""
        _tell(f"error: the memory is exhausted{detail}; take a smaller table or fewer values. This is not a verdict")
        return LIMIT
    _tell(_fault(error, arguments))
    return FAULT


def _no_memory(error: OSError | ImportError) -> bool:
    """Whether the system had no memory, for a mapping or for a library that was to be loaded."""
    words = ("cannot allocate memory", "failed to map segment")
    return getattr(error, "errno", None) == errno.ENOMEM or any(each in str(error).lower() for each in words)


def _failure_of_stdout() -> OSError | None:
    raw = getattr(getattr(sys.stdout, "buffer", None), "raw", None)
    return raw.failed if isinstance(raw, _Output) else None


def _unwritten(error: OSError) -> int:
    """Say that output cannot be written; to a reader who is gone, nothing is said."""
    _silence_stdout()
    if isinstance(error, BrokenPipeError):
        return CLOSED_PIPE
    _tell(f"error: standard output cannot be written: {error.strerror or error}")
    return USAGE


_ELSEWHERE = "in another process:"


def note_places(error: BaseException) -> None:
    """Note at an exception where it was raised, before it is given to another process: a traceback is not given."""
    error.add_note("\n".join((_ELSEWHERE, *_places(error))))


def _places(error: BaseException) -> list[str]:
    """Return where an exception was raised, from the outermost call on."""
    here = [
        f"{os.path.basename(os.path.dirname(frame.filename))}/{os.path.basename(frame.filename)}:{frame.lineno} in "
        f"{frame.name}"
        for frame in traceback.extract_tb(error.__traceback__)
    ]
    notes = [note.splitlines() for note in getattr(error, "__notes__", ()) if str(note).startswith(_ELSEWHERE)]
    return [*here, *(place for lines in notes for place in lines)]


def _fault(error: BaseException, arguments: Sequence[str]) -> str:
    """Return what to report of a fault; only the exception's own message may hold a value of a table or an option."""
    from tcloseness import __version__

    options = [each.partition("=")[0] for each in arguments if each.startswith("-") and each.strip("-")]
    command = next(iter(arguments), "") if next(iter(arguments), "") in ROWS else ""
    message = "" if "--redact" in arguments else f": {str(error)[:2000]}"
    places = [f"  {place}" for place in _places(error)]
    shown = places if len(places) <= 30 else [*places[:15], f"  … {len(places) - 30} more …", *places[-15:]]
    return "\n".join(
        (
            "error: this is a fault of tcloseness, and no verdict. Please report these lines, after a look whether the "
            "last may be public:",
            f"  tcloseness {__version__}, Python {platform.python_version()}, {platform.platform()}",
            f"  command: {' '.join(('tcloseness', command, *options))}",
            *shown,
            f"  {type(error).__name__}{message}",
        )
    )


def _tell(text: str) -> None:
    """Print on standard error; where that is impossible the exit code alone must do."""
    with suppress(Exception):
        print(text, file=sys.stderr, flush=True)


def _silence_stdout() -> None:
    """Let nothing be written any more to what cannot be written, not even by the interpreter when it ends."""
    with suppress(OSError, ValueError, AttributeError):
        nowhere = os.open(os.devnull, os.O_WRONLY)
        os.dup2(nowhere, sys.stdout.fileno())
        os.close(nowhere)


# ---------------------------------------------------------------------- the process


class _Output(io.RawIOBase):
    """A standard stream that remembers that it could not be written, or does not mind."""

    def __init__(self, descriptor: int, *, must: bool) -> None:
        self.descriptor, self.must = descriptor, must
        self.failed: OSError | None = None

    def write(self, content: Any) -> int:
        """Write bytes."""
        try:
            return os.write(self.descriptor, content)
        except OSError as error:
            if self.must:
                self.failed = error
                raise
            return len(content)

    def writable(self) -> bool:
        """Say so."""
        return True

    def fileno(self) -> int:
        """Return the descriptor."""
        return self.descriptor

    def isatty(self) -> bool:
        """Whether it is a terminal."""
        return os.isatty(self.descriptor)


@contextmanager
def standard_streams() -> Iterator[None]:
    """Let nothing of a result be lost unseen, and no warning that cannot be written end a command.

    A stream that is closed is one that cannot be read or written; else the next file that is opened would take its
    place. A character that the terminal does not know shows its number.
    """
    for descriptor, mode in ((0, os.O_WRONLY), (1, os.O_RDONLY), (2, os.O_WRONLY)):
        try:
            os.fstat(descriptor)
        except OSError:
            os.open(os.devnull, mode)  # takes the lowest number that is free
    before = sys.stdin, sys.stdout, sys.stderr
    if sys.stdin is None:
        sys.stdin = open(0, closefd=False)  # noqa: SIM115 (as long as the process)
    for name, descriptor in (("stdout", 1), ("stderr", 2)):
        if os.name == "nt" and os.isatty(descriptor):  # a console of Windows is written in its own way
            getattr(sys, name).reconfigure(errors="backslashreplace")
            continue
        raw = _Output(descriptor, must=name == "stdout")
        stream = io.TextIOWrapper(
            io.BufferedWriter(raw),
            encoding=getattr(getattr(sys, name), "encoding", None) or "utf-8",
            errors="backslashreplace",
            line_buffering=name == "stderr" or raw.isatty(),
        )
        setattr(sys, name, stream)
    try:
        yield
    except BaseException:  # nothing should leave; half an answer must not
        _silence_stdout()
        raise
    finally:
        sys.stdin, sys.stdout, sys.stderr = before


def hear_signals() -> None:
    """Let SIGTERM end what runs as an interrupt does, so that nothing of it is left; and remember that either came.

    An interrupt that somebody swallows on the way is one all the same; where Python itself must ignore it, in what runs
    when an object is deleted, it comes once more, and again as long as that is looked at. A signal that is ignored
    stays so.
    From here on nothing is raised outside of what `ended` runs, where nobody would catch it.
    """
    _signals.heard.clear()
    _signals.raised = False
    ignore = sys.unraisablehook

    def ignored(what: sys.UnraisableHookArgs) -> None:
        number = {KeyboardInterrupt: signal.SIGINT, Terminated: signal.SIGTERM}.get(what.exc_type)
        if isinstance(what.exc_value, LimitReached):
            return  # the alarm rings again, see `tcloseness.cli.limits`
        if number is None or not _signals.heard:
            ignore(what)
        else:
            _thread.start_new_thread(_send_soon, (number,))

    sys.unraisablehook = ignored

    def hear(number: int, frame: FrameType | None, code: int, raised: type[BaseException]) -> None:
        _signals.heard.append(code)
        while frame is not None and frame.f_code is not ignored.__code__:
            frame = frame.f_back
        if frame is not None:  # raised there, it would be lost
            _thread.start_new_thread(_send_soon, (number,))
        elif _signals.raised:
            raise raised

    def interrupt(number: int, frame: FrameType | None) -> None:
        hear(number, frame, INTERRUPTED, KeyboardInterrupt)

    def end(number: int, frame: FrameType | None) -> None:
        hear(number, frame, TERMINATED, Terminated)

    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)
    number = getattr(signal, "SIGTERM", None)
    if number is not None and signal.getsignal(number) is signal.SIG_DFL:
        signal.signal(number, end)


def _send_soon(number: int) -> None:
    """Send the main thread a signal in a moment, which wakes it where the system can."""
    time.sleep(0.001)
    if hasattr(signal, "pthread_kill"):
        signal.pthread_kill(threading.main_thread().ident or 0, number)
    else:
        signal.raise_signal(number)
