"""`Clock`: how much time and memory a call may take, and has taken; `Ending` and `Partial`: what ends it early.

A time limit counts from the call on, whatever the call has to build before it searches. A memory limit bounds what the
process grows by from the call on: what is going to be built is estimated before (`Clock.require_memory`), and the
resident set is looked at while the call runs (`Clock.check`).

Without a memory limit, half of the memory that is free at the start is the limit: the least of what the system has
available, of what the process's control groups (containers) leave, and of what its address space may still grow by.
Where a system says nothing of what is free, half of its memory is taken to be, and where it says not even that,
`ASSUMED_FREE`. Where the resident set cannot be read, estimates alone are checked.
"""

from __future__ import annotations

import math
import os
import sys
import time
from collections.abc import Iterable, Iterator
from numbers import Real
from pathlib import Path
from typing import Any, Literal, TypeAlias, TypeVar

from tcloseness.errors import InputError, MemoryLimitReached, TimeLimitReached

try:  # here, since an alarm may ask for the memory in the midst of an import, where Python takes no other
    import resource
except ImportError:  # Windows
    resource = None  # type: ignore[assignment]

__all__ = [
    "ASSUMED_FREE",
    "Clock",
    "Ending",
    "Partial",
    "Reason",
    "TimeLimit",
    "free_memory",
    "resident_memory",
    "size_text",
]

_T = TypeVar("_T")

ASSUMED_FREE = 2**32
"""Bytes that are taken to be free where the system says nothing."""

_LOOK = 0.05
"""Seconds between two looks at the resident set."""

_SMALL = 2**20
"""Bytes that are taken without asking the system how much is free; a limit that was given holds for them too."""


class Clock:
    """The time and memory that a call has taken and has left.

    Parameters
    ----------
    time_limit
        Seconds from now, > 0; None for no limit.
    memory_limit
        Bytes that the process may grow by from now on; None for half of what is free now.
    begun
        When the call began, by `time.monotonic`, where that was before now.

    Raises
    ------
    InputError
        For a limit that is not a finite number > 0, or a number of bytes that is not whole.

    Examples
    --------
    >>> clock = Clock(time_limit=60, memory_limit=2**30)
    >>> clock.over, clock.memory_limit
    (False, 1073741824)
    >>> clock.require_memory(2**40, "the tags of 4^20 nodes")
    Traceback (most recent call last):
    tcloseness.errors.MemoryLimitReached: the tags of 4^20 nodes would take about 1.1 TB of memory, and 1.07 GB may be \
taken; give a smaller problem or a greater memory_limit=
    """

    def __init__(
        self, time_limit: float | None = None, memory_limit: int | None = None, *, begun: float | None = None
    ) -> None:
        self._begun = time.monotonic() if begun is None else begun
        self._limit = None if time_limit is None else _seconds(time_limit)
        self._resident = resident_memory()
        self._default = memory_limit is None
        self._memory = None if memory_limit is None else _bytes(memory_limit)
        self._looked = self._begun

    @classmethod
    def of(cls, time_limit: TimeLimit, memory_limit: int | None = None) -> Clock:
        """Return the clock of a call: a new one, or the one that runs already if it was handed in for the time limit.

        Raises
        ------
        InputError
            As the class; also for a running clock, which has its memory limit, together with another one.
        """
        if not isinstance(time_limit, Clock):
            return cls(time_limit, memory_limit)
        if memory_limit is not None:
            raise InputError(f"memory_limit = {memory_limit!r} beside a running clock, which has a limit; leave it out")
        return time_limit

    @property
    def time_limit(self) -> float | None:
        """How many seconds there were at the start; None without limit."""
        return self._limit

    @property
    def memory_limit(self) -> int:
        """How many bytes the process may grow by from the start on."""
        if self._memory is None:  # found when first needed, since most calls are too short for it
            self._memory = (free_memory() + self._grown()) // 2
        return self._memory

    @property
    def seconds(self) -> float:
        """How long the clock has run."""
        return time.monotonic() - self._begun

    @property
    def left(self) -> float | None:
        """How many seconds are left, ≥ 0; None without limit."""
        return None if self._limit is None else max(0.0, self._limit - self.seconds)

    @property
    def over(self) -> bool:
        """Whether no time is left."""
        return self.left == 0.0

    @property
    def memory_left(self) -> int:
        """How many bytes the process may still grow by, ≥ 0."""
        return max(0, self.memory_limit - self._grown())

    def part(self, share: float) -> Clock:
        """Return a clock that ends when so much of the time that is left now is over; the memory limit is the same."""
        found = Clock.__new__(Clock)
        left = self.left
        found._begun = time.monotonic()
        found._limit = None if left is None else max(left * share, 1e-9)
        found._resident, found._default, found._memory = self._resident, self._default, self.memory_limit
        found._looked = self._looked
        return found

    def check(self, what: str) -> None:
        """Raise if a limit is reached; cheap enough for an inner loop of microseconds a step.

        Parameters
        ----------
        what
            What is being done, after "while": ``"searching the lattice"``.

        Raises
        ------
        TimeLimitReached, MemoryLimitReached
        """
        now = time.monotonic()
        if self._limit is not None and now - self._begun >= self._limit:
            raise TimeLimitReached(
                f"the time limit of {self._limit:g} seconds was reached while {what}; give a smaller problem or a "
                "greater time_limit="
            )
        if now - self._looked >= _LOOK:
            self._looked = now
            self.check_memory(what)

    def check_memory(self, what: str) -> None:
        """Raise if the memory limit is reached; it asks the system each time.

        Parameters
        ----------
        what
            As for `check`.

        Raises
        ------
        MemoryLimitReached
        """
        grown = self._grown()
        if grown > self.memory_limit:
            raise MemoryLimitReached(
                f"the memory limit was reached while {what}: the process has grown by {size_text(grown)}, and "
                f"{self._allowed()}; give a smaller problem or a greater memory_limit="
            )

    def through(self, items: Iterable[_T], what: str) -> Iterator[_T]:
        """Iterate over something, and raise if a limit is reached: looked at before every 256th item.

        Raises
        ------
        TimeLimitReached, MemoryLimitReached
        """
        for number, item in enumerate(items):
            if not number % 256:
                self.check(what)
            yield item

    def require_memory(self, size: float, what: str, *, instead: str = "a smaller problem") -> None:
        """Raise if something would take more memory than is left, before it is built.

        Parameters
        ----------
        size
            An estimate, in bytes.
        what
            What takes them.
        instead
            What to give in its place.

        Raises
        ------
        MemoryLimitReached
        """
        if size > (_SMALL if self._memory is None else 0) and size > self.memory_left:
            grown = self._grown()
            taken = f", {size_text(grown)} of it taken already" if grown * 20 > self.memory_limit else ""
            raise MemoryLimitReached(
                f"{what} would take about {size_text(size)} of memory, and {self._allowed()}{taken}; give {instead} or "
                "a greater memory_limit="
            )

    def refuse_growth(self, grown: int, what: str) -> None:
        """Raise if a process that works for the call has grown by more than is left.

        Parameters
        ----------
        grown
            How many bytes it has grown by.
        what
            What it does, as for `check`.

        Raises
        ------
        MemoryLimitReached
        """
        if grown > self.memory_left:
            raise MemoryLimitReached(
                f"the memory limit was reached while {what}: {size_text(grown)} are taken for it, and "
                f"{self._allowed()}; give a smaller problem or a greater memory_limit="
            )

    def _grown(self) -> int:
        now = resident_memory()
        return 0 if now is None or self._resident is None else max(0, now - self._resident)

    def _allowed(self) -> str:
        why = ", half of what was free" if self._default else ""
        return f"{size_text(self.memory_limit)} may be taken{why}"


TimeLimit: TypeAlias = float | Clock | None
"""Seconds from the call on; or a clock that runs already, with its memory limit; or None for no limit."""

Reason: TypeAlias = Literal["interrupted", "time limit", "memory limit"]
"""Why a call ended before its answer was known."""


def as_raised(error: BaseException) -> BaseException:
    """Return what a signal has raised: where it comes in machine code, that ends with a `SystemError` because of it.

    >>> found = SystemError("returned a result with an exception set")
    >>> found.__cause__ = KeyboardInterrupt()
    >>> as_raised(found), as_raised(ValueError("no"))
    (KeyboardInterrupt(), ValueError('no'))
    """
    while isinstance(error, SystemError) and error.__cause__ is not None:
        error = error.__cause__
    return error


class Ending:
    """Whether a call ended early, and why: a context around its work.

    An interrupt or a reached limit passes through, unless a partial answer is asked for: then `reason` says which it
    was, and the caller makes an answer of another type of what is known. With ``begun=False`` nothing is known yet, and
    a memory limit passes through all the same: what refuses to begin says what to give instead.

    Attributes
    ----------
    reason
        Why the work ended early; None while it has not.

    Examples
    --------
    >>> with Ending(partial=True) as ending:
    ...     raise KeyboardInterrupt
    >>> ending.reason
    'interrupted'
    """

    def __init__(self, partial: bool, *, begun: bool = True) -> None:
        self._partial = partial
        self._begun = begun
        self.reason: Reason | None = None

    def __enter__(self) -> Ending:
        return self

    def __exit__(self, kind: object, error: BaseException | None, traceback: object) -> bool:
        found = error and as_raised(error)
        if found is not None and found is not error:
            if not self._ends(found):
                raise found from None
            return True
        return self._ends(error)

    def _ends(self, error: BaseException | None) -> bool:
        if isinstance(error, MemoryError):
            error = MemoryLimitReached(
                "the system has no more memory, whatever the limit; give a smaller problem, or end other programs"
            )
            if not (self._partial and self._begun):
                raise error from None
        if not self._partial:
            return False
        if isinstance(error, KeyboardInterrupt):
            self.reason = "interrupted"
        elif isinstance(error, TimeLimitReached):
            self.reason = "time limit"
        elif isinstance(error, MemoryLimitReached) and self._begun:
            self.reason = "memory limit"
        else:
            return False
        return True


class Partial:
    """The base of partial answers: none of them is true or false, or has a length, so that none is taken for an answer.

    Attributes
    ----------
    reason
        Why the call ended before its answer was known.
    """

    reason: Reason

    def __bool__(self) -> bool:
        raise InputError(
            f"{type(self).__name__} is not an answer: the call ended early ({self.reason}), and what it holds may not "
            "be all; read its attributes, or ask again with more time or memory"
        )


def size_text(size: float) -> str:
    """Return a number of bytes in three digits.

    Examples
    --------
    >>> size_text(999), size_text(16_777_216), size_text(2.5e12)
    ('999 bytes', '16.8 MB', '2.5 TB')
    """
    size = min(size, 1e300)  # a whole number may be greater than any double
    for unit, bytes_ in (("EB", 1e18), ("PB", 1e15), ("TB", 1e12), ("GB", 1e9), ("MB", 1e6), ("kB", 1e3)):
        if bytes_ <= size < 1e21:
            return f"{float(f'{size / bytes_:.3g}'):,.10g} {unit}"
    return f"{size:.3g} bytes"


def _shown(limit: Any) -> str:
    try:
        return repr(limit)
    except ValueError:  # an int of more digits than Python writes
        return "a number too large to write"


def _number(limit: Any) -> bool:
    if isinstance(limit, bool) or not isinstance(limit, Real):
        return False
    try:
        return float(limit) > 0 and math.isfinite(limit)
    except OverflowError:  # a number beyond the doubles
        return False


def _seconds(limit: Any) -> float:
    if not _number(limit):
        raise InputError(f"time_limit = {_shown(limit)} seconds; it must be a finite number > 0, or None for no limit")
    return float(limit)


def _bytes(limit: Any) -> int:
    if not _number(limit) or int(limit) != limit:
        raise InputError(
            f"memory_limit = {_shown(limit)} bytes; it must be a whole number > 0, or None for half of what is free"
        )
    return int(limit)


# ---------------------------------------------------------------------- what the system says


def resident_memory(process: int | None = None) -> int | None:
    """Return how many bytes of memory a process takes now, or None where that is not known.

    Parameters
    ----------
    process
        Its number; None for this one, of which at least the greatest size so far is known on more systems.
    """
    try:
        with open(f"/proc/{'self' if process is None else process}/statm", "rb") as file:
            return int(file.read().split()[1]) * _page()
    except (OSError, ValueError, IndexError):
        pass
    if process is not None:
        return None
    if resource is None:
        return None
    used = int(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss)
    return used if sys.platform == "darwin" else used * 1024


def free_memory() -> int:
    """Return how many bytes of memory the process may still take; never fails, see the module for what is assumed."""
    known = [size for size in (_available(), *_control_groups(), _address_space()) if size is not None]
    return max(0, min(known, default=ASSUMED_FREE))


def _page() -> int:
    return os.sysconf("SC_PAGE_SIZE")


def _available() -> int | None:
    """What the system could give without swapping; where only its size is known, half of that."""
    for line in _text("/proc/meminfo").splitlines():
        if line.startswith("MemAvailable:"):
            return int(line.split()[1]) * 1024
    try:
        return _page() * os.sysconf("SC_PHYS_PAGES") // 2
    except (AttributeError, OSError, ValueError):  # Windows
        return None


def _address_space() -> int | None:
    """What the address space may still grow by; None without limit."""
    try:
        limit = resource.getrlimit(resource.RLIMIT_AS)[0]
    except (AttributeError, OSError, ValueError):
        return None
    if limit == resource.RLIM_INFINITY:
        return None
    taken = _text("/proc/self/statm").split()
    return limit - (int(taken[0]) * _page() if taken else 0)


def _control_groups() -> Iterator[int]:
    """What each control group that the process is in leaves: version 2's unified tree, version 1's of memory."""
    for line in _text("/proc/self/cgroup").splitlines():
        _, controllers, group = ([*line.split(":", 2), "", ""])[:3]
        if not controllers:
            root, names = Path("/sys/fs/cgroup"), ("memory.max", "memory.current", "inactive_file")
        elif "memory" in controllers.split(","):
            root = Path("/sys/fs/cgroup/memory")
            names = ("memory.limit_in_bytes", "memory.usage_in_bytes", "total_inactive_file")
        else:
            continue
        folder = root / group.lstrip("/")
        for each in (folder, *folder.parents):
            if root not in (each, *each.parents):
                break
            limit, taken = _text(each / names[0]).strip(), _text(each / names[1]).strip()
            if limit.isdigit() and taken.isdigit():  # "max" is not a limit
                yield int(limit) - max(0, int(taken) - _cached(each / "memory.stat", names[2]))


def _cached(file: Path, name: str) -> int:
    """What a group holds of files and can drop."""
    for line in _text(file).splitlines():
        key, _, number = line.partition(" ")
        if key == name and number.strip().isdigit():
            return int(number)
    return 0


def _text(file: str | Path) -> str:
    try:
        return Path(file).read_bytes().decode("ascii", errors="replace")  # which imports no codec, see above
    except OSError:
        return ""
