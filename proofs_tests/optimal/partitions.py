"""All partitions of a small set: the oracle of this room."""

from __future__ import annotations

from collections.abc import Iterator

__all__ = ["set_partitions"]


def set_partitions(n: int) -> Iterator[list[list[int]]]:
    """Every partition of 0 … n − 1 once (877 for n = 7)."""
    if n == 0:
        yield []
        return
    for partition in set_partitions(n - 1):
        for i in range(len(partition)):
            yield [*partition[:i], [*partition[i], n - 1], *partition[i + 1 :]]
        yield [*partition, [n - 1]]
