"""The partition of numbers into groups of k or more with the least variability within groups, exactly.

S. Hansen, S. Mukherjee, "A Polynomial Algorithm for Optimal Univariate Microaggregation", TKDE 15(4), 2003.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction

from tcloseness.errors import InputError
from tcloseness.exact import Number, as_fraction, scaled_integers
from tcloseness.limits import Clock
from tcloseness.models.thresholds import whole

__all__ = ["optimal_groups", "shortest_path", "within_groups"]


def within_groups(values: Sequence[Number], groups: Sequence[Sequence[int]]) -> Fraction:
    """Return SSE = Σ over groups of Σ (value − mean of the group)².

    Examples
    --------
    >>> within_groups([1, 2, 3, 4, 20, 21, 22], [[0, 1, 2], [3, 4, 5, 6]])
    Fraction(883, 4)
    """
    scaled, unit = scaled_integers([as_fraction(v, f"values[{i}]") for i, v in enumerate(values)])
    by_size: dict[int, int] = {}  # sums of size times SSE
    for group in groups:
        members, size = [scaled[i] for i in group], len(group)
        by_size[size] = by_size.get(size, 0) + size * sum(x * x for x in members) - sum(members) ** 2
    return sum((Fraction(total, size * unit**2) for size, total in by_size.items()), Fraction(0))


def optimal_groups(values: Sequence[Number], k: int, *, clock: Clock | None = None) -> list[list[int]]:
    """Return groups of at least k numbers with the least SSE: the places of each group's members, ascending by value.

    See `shortest_path`.

    Examples
    --------
    >>> optimal_groups([1, 2, 3, 4, 20, 21, 22], 3)
    [[0, 1, 2, 3], [4, 5, 6]]
    """
    return shortest_path(values, k, clock=clock)[0]


def shortest_path(
    values: Sequence[Number], k: int, *, clock: Clock | None = None
) -> tuple[list[list[int]], list[Fraction]]:
    """Return groups of at least k numbers with the least SSE, and the least of the first k, k + 1, … values, ascending.

    Groups of an optimum are intervals of the sorted values with k to 2k − 1 members, so a shortest path finds one.

    Parameters
    ----------
    values
        At least k numbers, read exactly; equal ones go in the order in which they are given.
    k
        The least size.
    clock
        The time and memory that it may take; by default there is no limit.

    Raises
    ------
    InputError
        For fewer than k numbers.
    LimitReached
        If a limit is reached.

    Notes
    -----
    Among equally good partitions the one whose last group is smallest, then the one before, and so on. Cost O(n·k)
    exact operations.

    Examples
    --------
    >>> optimal_groups([1, 2, 3, 4, 20, 21, 22], 3)
    [[0, 1, 2, 3], [4, 5, 6]]
    """
    k = whole(k, "k")
    n = len(values)
    if n < k:
        raise InputError(f"{n} values cannot make a group of k = {k}; lower k")
    exact = [as_fraction(v, f"values[{i}]") for i, v in enumerate(values)]
    order = sorted(range(n), key=lambda i: exact[i])
    scaled, denominator = scaled_integers([exact[i] for i in order])
    unit = math.lcm(*range(k, 2 * k))  # makes the costs of all sizes whole numbers
    sums, squares = [0], [0]
    for x in scaled:
        sums.append(sums[-1] + x)
        squares.append(squares[-1] + x * x)
    cost: list[int | None] = [0] + [None] * n
    size_of = [0] * (n + 1)
    for end in range(k, n + 1):
        if clock is not None:
            clock.check("the groups of least variability are looked for")
        for size in range(k, min(2 * k - 1, end) + 1):
            before = cost[end - size]
            if before is None:
                continue
            total = sums[end] - sums[end - size]
            here = before + unit * (squares[end] - squares[end - size]) - unit // size * total * total
            known = cost[end]
            if known is None or here < known:
                cost[end], size_of[end] = here, size
    groups, end = [], n
    while end:
        groups.append(order[end - size_of[end] : end])
        end -= size_of[end]
    return groups[::-1], [Fraction(known or 0, unit * denominator**2) for known in cost[k:]]
