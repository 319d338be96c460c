"""How much time and memory a command may take: two options of every command that searches, as one bundle."""

from __future__ import annotations

import mmap
import os
import re
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from fractions import Fraction
from typing import Annotated

from tcloseness.cli.ending import begun
from tcloseness.cli.options import option
from tcloseness.errors import InputError
from tcloseness.limits import Clock, size_text

__all__ = ["LIMITS", "Limits", "alarm", "memory_size", "require_room_for_libraries", "seconds"]

LIMITS = "Limits"
"""The heading."""

_LIBRARIES, _THREAD = 2**27, 2**23
"""Bytes of address space that loading NumPy takes, measured; and the stack of each of its threads."""

_SECONDS = re.compile(r"([0-9]+\.?[0-9]*|\.[0-9]+)(e[+-]?[0-9]{1,3})?", re.IGNORECASE)
_SIZE = re.compile(r"([0-9]{1,30}(?:\.[0-9]{1,30})?) ?([KMGT]i?)?B?", re.IGNORECASE)

_LONGEST = 1e8
"""Seconds, three years, after which an alarm looks at the time anew: systems refuse to set one for much later."""

_LOOK = 0.2
"""Seconds between two looks at the memory that is taken."""

_AGAIN = 1.0
"""Seconds after an alarm that it rings again in, for what may be making a partial answer meanwhile."""


@dataclass(frozen=True)
class Limits:
    """How much time and memory a command may take."""

    time_limit: Annotated[
        str | None,
        option(
            LIMITS,
            "SECONDS",
            "End so many seconds after the start, reading included, with what was found until then.",
        ),
    ] = None
    memory_limit: Annotated[
        str | None,
        option(
            LIMITS,
            "SIZE",
            "How much memory may be taken, such as 800M or 2G (M is 10⁶ bytes, Mi is 2²⁰).  [default: half of what is "
            "free]",
        ),
    ] = None

    def clock(self) -> Clock:
        """Return a clock that started when the command line was called: loading the command took some of the time.

        `InputError` for a text that is not a number of seconds, or not a size.
        """
        return Clock(
            None if self.time_limit is None else seconds(self.time_limit),
            None if self.memory_limit is None else memory_size(self.memory_limit),
            begun=begun(),
        )


def require_room_for_libraries() -> None:
    """Raise unless the libraries of numbers can be loaded: without memory, OpenBLAS ends the process with code 1.

    Raises
    ------
    MemoryError
    """
    if "numpy" in sys.modules:
        return
    size = _LIBRARIES + _THREAD * (os.cpu_count() or 1)
    private = {"flags": mmap.MAP_PRIVATE | mmap.MAP_ANONYMOUS} if hasattr(mmap, "MAP_PRIVATE") else {}
    try:
        mmap.mmap(-1, size, **private).close()  # nothing is put there
    except OSError as error:
        raise MemoryError(f"{size_text(size)} to load libraries") from error


@contextmanager
def alarm(clock: Clock, what: str, *, grace: float = 0.0, looks: bool = False) -> Iterator[None]:
    """Let a clock's limits end also what does not look at it, such as the reading of files, by a signal.

    Where there is no such signal (Windows), and outside the main thread, the limits are looked at when it is done.

    Parameters
    ----------
    clock
        The command's clock.
    what
        What is being done, for the message.
    grace
        Seconds past the time limit that it has to end by itself.
    looks
        Whether it looks at the clock itself, and so at the memory: it may make a partial answer of what is there.

    Raises
    ------
    TimeLimitReached, MemoryLimitReached
    """
    if not grace:
        clock.check(what)
    if not hasattr(signal, "setitimer") or threading.current_thread() is not threading.main_thread():
        yield
        if not grace:
            clock.check(what)
        return

    def late() -> float:
        return -_LONGEST if clock.time_limit is None else clock.seconds - clock.time_limit - grace

    def ring_again() -> None:
        left, again = -late(), _AGAIN if looks else _LOOK
        _ring_in(again if left <= 0 else left if looks else min(left, again))

    def ring(*_: object) -> None:
        ring_again()  # first, since Python ignores what is raised here while an object is deleted
        if late() > 0:
            clock.check(what)
        elif not looks:
            clock.check_memory(what)

    before = signal.signal(signal.SIGALRM, ring)
    if late() > 0:
        _ring_in(0.0)
    else:
        ring_again()
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    if not grace:
        clock.check(what)


def _ring_in(left: float) -> None:
    """Set the alarm for a little after some seconds."""
    signal.setitimer(signal.ITIMER_REAL, min(left, _LONGEST) + 0.01)


def seconds(text: str) -> float:
    """Read a number of seconds; `InputError` for anything but a decimal number.

    Examples
    --------
    >>> seconds("90"), seconds("0.5")
    (90.0, 0.5)
    """
    if not _SECONDS.fullmatch(text):
        raise InputError(f"--time-limit {text!r} is not a number of seconds; write it like 90 or 0.5")
    return float(text)


def memory_size(text: str) -> int:
    """Read a number of bytes.

    `InputError` for anything but a decimal number, of at most 30 digits on either side of its point, with a unit K, M,
    G, T (powers of 1,000) or Ki, Mi, Gi, Ti (of 1,024), or with none (bytes).

    Examples
    --------
    >>> memory_size("2G"), memory_size("1.5 MiB"), memory_size("800000000")
    (2000000000, 1572864, 800000000)
    """
    found = _SIZE.fullmatch(text)
    size = None if found is None else Fraction(found[1]) * _factor(found[2] or "")
    if size is None or size < 1:
        raise InputError(f"--memory-limit {text!r} is not a size; write it like 800M or 2G (at least one byte)")
    return int(size)


def _factor(unit: str) -> int:
    base = 1024 if unit.lower().endswith("i") else 1000
    return base ** ("KMGT".index(unit[0].upper()) + 1) if unit else 1
