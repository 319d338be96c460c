"""The two options of limits are read strictly."""

from __future__ import annotations

import pytest

from tcloseness.cli.limits import Limits, memory_size, seconds
from tcloseness.errors import InputError


@pytest.mark.parametrize(
    ("text", "size"),
    [
        ("1", 1),
        ("2G", 2 * 10**9),
        ("2g", 2 * 10**9),
        ("2GB", 2 * 10**9),
        ("2 GiB", 2 * 2**30),
        ("0.5K", 500),
        ("0.5Ki", 512),
        ("1.5T", 15 * 10**11),
        ("3Mi", 3 * 2**20),
        ("10B", 10),
    ],
)
def test_sizes(text: str, size: int) -> None:
    assert memory_size(text) == size


@pytest.mark.parametrize(
    "text", ["", "G", "0", "0G", "0.5", "-1G", "+1G", "1e9", "1_000", "٣G", "2X", "2 G B", "2G ", "1/2G", "inf", "nan"]
)
def test_what_is_not_a_size_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="is not a size; write it like 800M or 2G"):
        memory_size(text)


@pytest.mark.parametrize("text", ["", "x", "-1", "nan", "inf", "1_0", "٣", "1/2", "5s", " 5", "1e9999"])
def test_what_is_not_a_number_of_seconds_is_refused(text: str) -> None:
    with pytest.raises(InputError, match=f"--time-limit '{text}' is not a number of seconds"):
        seconds(text)


@pytest.mark.parametrize("text", ["0", "0.0", "1e999"])
def test_no_time_is_refused(text: str) -> None:
    with pytest.raises(InputError, match="must be a finite number > 0"):
        Limits(time_limit=text).clock()


def test_a_bundle_starts_a_clock() -> None:
    clock = Limits("2.5", "1M").clock()
    assert (clock.time_limit, clock.memory_limit) == (2.5, 10**6)
    assert Limits().clock().time_limit is None
    assert Limits(".5").clock().time_limit == 0.5
