"""Commands in a process of their own, quickly: a fork of this one, whose modules are loaded already.

What a child gets as its standard streams, and which signal it is sent when, is said by the caller. A child is not a
background job of a shell, so it hears SIGINT.
"""

from __future__ import annotations

import os
import signal
import sys
import tempfile
import time
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

CLOSED = -1
"""A stream that is closed."""


@dataclass(frozen=True)
class Ended:
    """How a child ended: its exit code, or minus the signal that killed it; and what it printed."""

    code: int
    out: bytes
    err: bytes
    seconds: float


def _command() -> None:
    from tcloseness.cli import main

    main()


def forked(
    arguments: Sequence[str],
    *,
    stdin: int | bytes = b"",
    stdout: int | None = None,
    stderr: int | None = None,
    send: tuple[float, int] | None = None,
    prepare: Callable[[], Any] = lambda: None,
    main: Callable[[], Any] = _command,
    environment: Mapping[str, str] | None = None,
    timeout: float = 60,
) -> Ended:
    """Run ``tcloseness``, or another program, with arguments in a child.

    Parameters
    ----------
    arguments
        The command line.
    stdin, stdout, stderr
        Descriptors, or `CLOSED`; bytes to read from a file; None to catch what is printed.
    send
        After how many seconds which signal is sent.
    prepare
        What the child does first.
    main
        The program, if it is not the command ``tcloseness``.
    environment
        What is added to the environment.
    timeout
        Seconds after which the child is killed, and the test fails.
    """
    with tempfile.TemporaryFile() as given, tempfile.TemporaryFile() as out, tempfile.TemporaryFile() as err:
        if isinstance(stdin, bytes):
            given.write(stdin)
            given.seek(0)
        streams = (
            given.fileno() if isinstance(stdin, bytes) else stdin,
            out.fileno() if stdout is None else stdout,
            err.fileno() if stderr is None else stderr,
        )
        begun = time.monotonic()
        # a signal that comes before the child is the command would be this process's own, twice
        heard = signal.pthread_sigmask(signal.SIG_BLOCK, (signal.SIGINT, signal.SIGTERM))
        child = os.fork()
        if child == 0:
            _be_the_command(arguments, streams, prepare, main, environment or {}, heard)
        signal.pthread_sigmask(signal.SIG_SETMASK, heard)
        code = None
        sent = send is None
        while code is None:
            done, status = os.waitpid(child, os.WNOHANG)
            now = time.monotonic() - begun
            if done:
                code = os.waitstatus_to_exitcode(status)
            elif not sent and send is not None and now >= send[0]:
                os.kill(child, send[1])
                sent = True
            elif now > timeout:
                os.kill(child, signal.SIGKILL)
                os.waitpid(child, 0)
                raise AssertionError(f"{arguments} has not ended after {timeout} s")
            else:  # no longer than until the signal, which comes at its moment
                time.sleep(0.002 if sent or send is None else min(0.002, send[0] - now))
        seconds = time.monotonic() - begun
        out.seek(0)
        err.seek(0)
        return Ended(code, out.read(), err.read(), seconds)


def _be_the_command(
    arguments: Sequence[str],
    streams: tuple[int, int, int],
    prepare: Callable[[], Any],
    main: Callable[[], Any],
    environment: Mapping[str, str],
    heard: Iterable[int],
) -> None:
    """Become the command, hear signals again, and never return."""
    code: Any = 99
    try:
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        held = [number if number == CLOSED else os.dup(number) for number in streams]
        for number, descriptor in enumerate(held):
            if descriptor == CLOSED:
                os.close(number)
            else:
                os.dup2(descriptor, number)
        sys.stdin = None if held[0] == CLOSED else os.fdopen(0, closefd=False)  # type: ignore[assignment]
        for number, name in ((1, "stdout"), (2, "stderr")):
            setattr(sys, name, None if held[number] == CLOSED else os.fdopen(number, "w", closefd=False))
        for descriptor in held:
            if descriptor > 2:
                os.close(descriptor)
        os.environ.update(environment)
        sys.argv = ["tcloseness", *arguments]
        prepare()
        try:
            signal.pthread_sigmask(signal.SIG_SETMASK, heard)
            main()
        except SystemExit as end:
            code = end.code
        except KeyboardInterrupt:  # before the command hears signals: as Python itself ends
            signal.signal(signal.SIGINT, signal.SIG_DFL)
            signal.raise_signal(signal.SIGINT)
    finally:
        os._exit(code if isinstance(code, int) else 98)
