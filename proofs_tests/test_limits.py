"""Limits of time and memory: what is accepted, when a clock raises, and what the system says of its memory."""

from __future__ import annotations

import math
import subprocess
import sys
from collections.abc import Callable
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from tcloseness import limits
from tcloseness.errors import InputError, LimitReached, MemoryLimitReached, TimeLimitReached
from tcloseness.limits import ASSUMED_FREE, Clock, free_memory, resident_memory, size_text

NO_LIMITS: tuple[Any, ...] = (
    0,
    -1,
    0.0,
    -0.5,
    math.nan,
    math.inf,
    -math.inf,
    True,
    False,
    "5",
    "",
    [5],
    10**400,
    -(10**5000),
    1j,
)


@pytest.mark.parametrize("limit", NO_LIMITS, ids=range(len(NO_LIMITS)))
def test_what_is_no_limit_is_refused_by_name_with_a_way_out(limit: Any) -> None:
    with pytest.raises(InputError, match=r"^time_limit = .* seconds; it must be a finite number > 0, or None for no"):
        Clock(time_limit=limit)
    if limit != 10**400:
        with pytest.raises(InputError, match=r"^memory_limit = .* bytes; it must be a whole number > 0, or None for h"):
            Clock(memory_limit=limit)


def test_limits_are_any_real_numbers_and_bytes_are_whole() -> None:
    for limit in (3, 0.25, Fraction(1, 3), np.float64(2), np.int32(7)):
        assert Clock(time_limit=limit).time_limit == float(limit)
    for size in (2**40, 2e9, np.int64(5)):
        assert Clock(memory_limit=size).memory_limit == size  # type: ignore[arg-type]
    for size in (0.5, Decimal(3), Fraction(3, 2)):
        with pytest.raises(InputError, match="memory_limit"):
            Clock(memory_limit=size)  # type: ignore[arg-type]


class Fake:
    """Time and memory that the test sets."""

    def __init__(self, monkeypatch: pytest.MonkeyPatch) -> None:
        self.now, self.resident = 100.0, 10**6
        monkeypatch.setattr(limits.time, "monotonic", lambda: self.now)
        monkeypatch.setattr(limits, "resident_memory", lambda: self.resident)


def test_time_is_over_from_the_limit_on_and_not_before(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = Fake(monkeypatch)
    clock = Clock(5)
    fake.now += 4.999
    clock.check("counting")
    assert not clock.over
    assert clock.left == pytest.approx(0.001)
    fake.now += 0.001
    assert clock.over
    with pytest.raises(TimeLimitReached, match=r"time limit of 5 seconds was reached while counting; .*time_limit="):
        clock.check("counting")
    Clock().check("counting without limit")
    assert Clock().left is None
    assert not Clock().over


def test_a_part_of_a_clock_ends_earlier_and_allows_no_more_memory(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = Fake(monkeypatch)
    clock = Clock(8, 1000)
    fake.now += 4
    fake.resident += 600
    part = clock.part(0.5)
    assert (part.left, clock.left) == (2, 4)
    assert part.memory_left == clock.memory_left == 400
    fake.now += 2
    assert part.over
    assert not clock.over
    assert Clock(memory_limit=5).part(0.5).left is None


def test_memory_that_the_process_grew_by_is_seen_within_a_tenth_of_a_second(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = Fake(monkeypatch)
    clock = Clock(memory_limit=1000)
    fake.now, fake.resident = fake.now + 0.1, fake.resident + 1000
    clock.check("counting")  # exactly the limit is allowed
    fake.now, fake.resident = fake.now + 0.1, fake.resident + 1
    with pytest.raises(MemoryLimitReached, match=r"reached while counting: .*grown by 1 kB, and 1 kB may .*memory_lim"):
        clock.check("counting")


def test_what_would_not_fit_is_refused_before_it_is_built(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = Fake(monkeypatch)
    clock = Clock(memory_limit=10**9)
    clock.require_memory(10**9, "a matrix")
    with pytest.raises(
        MemoryLimitReached, match=r"^a matrix would take about 1.5 GB of memory, and 1 GB may be taken;"
    ):
        clock.require_memory(1.5e9, "a matrix")
    fake.resident += 4 * 10**8
    clock.require_memory(6 * 10**8, "a matrix")
    with pytest.raises(
        MemoryLimitReached, match=r"700 MB of memory, and 1 GB may be taken, 400 MB of it taken already"
    ):
        clock.require_memory(7 * 10**8, "a matrix")
    with pytest.raises(MemoryLimitReached, match=r"give fewer columns or a greater memory_limit=$"):
        clock.require_memory(10**30, "all", instead="fewer columns")
    fake.resident = 0  # memory given back is not counted as less than nothing
    with pytest.raises(MemoryLimitReached):
        clock.require_memory(10**9 + 1, "a matrix")


def test_what_another_process_takes_for_us_counts_with_what_we_took(monkeypatch: pytest.MonkeyPatch) -> None:
    fake = Fake(monkeypatch)
    clock = Clock(memory_limit=1000)
    fake.resident += 600
    clock.refuse_growth(400, "a solver searches")
    with pytest.raises(MemoryLimitReached, match=r"while a solver searches: 401 bytes are taken for it, and 1 kB may"):
        clock.refuse_growth(401, "a solver searches")


def test_a_running_clock_stands_for_its_limits() -> None:
    clock = Clock(5, 1000)
    assert Clock.of(clock) is clock
    made = Clock.of(3, 2000)
    assert (made.time_limit, made.memory_limit) == (3, 2000)
    with pytest.raises(InputError, match="leave it out"):
        Clock.of(clock, 1000)


def test_reached_limits_are_limits() -> None:
    assert issubclass(TimeLimitReached, LimitReached)
    assert issubclass(MemoryLimitReached, LimitReached)


def test_the_default_is_half_of_what_is_free(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(limits, "free_memory", lambda: 2_000_001)
    assert Clock().memory_limit == 1_000_000
    with pytest.raises(MemoryLimitReached, match="1 MB may be taken, half of what was free"):
        Clock().require_memory(10**7, "a matrix")


# ---------------------------------------------------------------------- what the system says


def system(monkeypatch: pytest.MonkeyPatch, files: dict[str, str], address_space: int | None = None) -> None:
    monkeypatch.setattr(limits, "_text", lambda file: files.get(str(file), ""))
    monkeypatch.setattr(limits, "_address_space", lambda: address_space)


MEMINFO = {"/proc/meminfo": "MemTotal: 900 kB\nMemFree: 1 kB\nMemAvailable:   500 kB\n"}
V2 = {
    "/proc/self/cgroup": "0::/a/b\n",
    "/sys/fs/cgroup/a/b/memory.max": "max\n",
    "/sys/fs/cgroup/a/b/memory.current": "5000\n",
    "/sys/fs/cgroup/a/memory.max": "9000\n",
    "/sys/fs/cgroup/a/memory.current": "6000\n",
    "/sys/fs/cgroup/a/memory.stat": "anon 5\ninactive_file 1500\n",
}
V1 = {
    "/proc/self/cgroup": "12:cpu:/x\n5:memory,rdma:/j\n",
    "/sys/fs/cgroup/memory/j/memory.limit_in_bytes": "8000\n",
    "/sys/fs/cgroup/memory/j/memory.usage_in_bytes": "7000\n",
    "/sys/fs/cgroup/memory/j/memory.stat": "cache 9\ntotal_inactive_file 300\n",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes": "9223372036854771712\n",
    "/sys/fs/cgroup/memory/memory.usage_in_bytes": "7000\n",
}


@pytest.mark.parametrize(
    ("files", "address_space", "free"),
    [
        (MEMINFO, None, 512_000),
        (MEMINFO, 400, 400),
        (MEMINFO, -5, 0),
        (MEMINFO | V2, None, 9000 - (6000 - 1500)),
        (MEMINFO | V1, None, 8000 - (7000 - 300)),
        (MEMINFO | {"/proc/self/cgroup": "0::/\n"}, None, 512_000),
        (MEMINFO | {"/proc/self/cgroup": "nonsense\n:::\n"}, None, 512_000),
    ],
)
def test_what_is_free_is_the_least_of_what_is_known(
    files: dict[str, str], address_space: int | None, free: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    system(monkeypatch, files, address_space)
    assert free_memory() == free


def test_a_system_that_says_nothing_is_taken_to_have_some(monkeypatch: pytest.MonkeyPatch) -> None:
    def unknown(*_: Any) -> Any:
        raise ValueError

    system(monkeypatch, {})
    monkeypatch.setattr(limits.os, "sysconf", lambda name: {"SC_PAGE_SIZE": 4, "SC_PHYS_PAGES": 100}[name])
    assert free_memory() == 200  # half of its size
    monkeypatch.setattr(limits.os, "sysconf", unknown)
    assert free_memory() == ASSUMED_FREE
    monkeypatch.delattr(limits.os, "sysconf")  # as on Windows
    assert free_memory() == ASSUMED_FREE
    monkeypatch.setattr(limits, "resident_memory", lambda: None)
    clock = Clock(memory_limit=1000)
    clock.check("counting")
    assert clock.memory_left == 1000


def test_a_real_process_has_memory_and_grows() -> None:
    """In a new process: one that has run many tests may have the memory already."""
    assert 0 < free_memory() < 2**60
    code = """
import numpy as np
from tcloseness.limits import Clock, resident_memory
before, clock = resident_memory(), Clock(memory_limit=2**40)
held = np.ones(4 * 10**7, dtype=np.int8)
print(resident_memory() - before, 2**40 - clock.memory_left)
"""
    if resident_memory() is not None and Path("/proc/self/statm").exists():
        done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
        assert all(int(grown) > 3 * 10**7 for grown in done.stdout.split())


def test_the_address_space_has_a_limit_or_none(monkeypatch: pytest.MonkeyPatch) -> None:
    resource = pytest.importorskip("resource")
    page, pages = limits._page(), int(Path("/proc/self/statm").read_text().split()[0])
    asked: Callable[[int], tuple[int, int]] = lambda which: (2**50, 2**50)  # noqa: E731
    monkeypatch.setattr(resource, "getrlimit", asked)
    assert limits._address_space() == pytest.approx(2**50 - pages * page, abs=2**30)
    monkeypatch.setattr(resource, "getrlimit", lambda which: (resource.RLIM_INFINITY,) * 2)
    assert limits._address_space() is None


def test_sizes_are_said_in_three_digits() -> None:
    sizes = (0, 999, 1000, 1234567, 10**9, 123_456 * 10**7, 10**15, 2 * 10**20, 4**40, 10**5000)
    assert [size_text(size) for size in sizes] == [
        *("0 bytes", "999 bytes", "1 kB", "1.23 MB", "1 GB", "1.23 TB", "1 PB", "200 EB"),
        *("1.21e+24 bytes", "1e+300 bytes"),
    ]
    with pytest.raises(MemoryLimitReached, match="1e\\+300 bytes"):
        Clock().require_memory(10**5000, "all")
