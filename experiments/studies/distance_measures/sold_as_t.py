"""Functions that are computed under the name t, or are one slip away from the Earth Mover's Distance.

Each is written from its formula; where a library is named, that version was run and gave these numbers. A function that
is not one of two distributions (a sum over all rows, a threshold that is ignored) has no card and is not here.
"""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate

__all__ = [
    "by_frequency",
    "greatest_among_present",
    "half_among_present",
    "in_order_of_appearance",
    "one_sided_among_present",
    "over_m",
    "without_the_half",
]

Masses = Sequence[Fraction]

_ZERO = Fraction(0)


def greatest_among_present(p: Masses, q: Masses) -> Fraction:
    """Return max |p − q| over the values that the class has."""
    return max((abs(a - b) for a, b in zip(p, q, strict=True) if a), default=_ZERO)


def half_among_present(p: Masses, q: Masses) -> Fraction:
    """Return ½Σ|p − q| over the values that the class has: half the distance where they all are over-represented."""
    return sum((abs(a - b) for a, b in zip(p, q, strict=True) if a), _ZERO) / 2


def one_sided_among_present(p: Masses, q: Masses) -> Fraction:
    """Return the greatest shortfall q − p over the values that the class has, 0 if there is none."""
    return max((b - a for a, b in zip(p, q, strict=True) if a and b > a), default=_ZERO)


def without_the_half(p: Masses, q: Masses) -> Fraction:
    """Return Σ|p − q|."""
    return sum((abs(a - b) for a, b in zip(p, q, strict=True)), _ZERO)


def over_m(p: Masses, q: Masses) -> Fraction:
    """Return Σ|prefix sums of p − q| / m, where m − 1 is meant."""
    return _work(p, q) / len(p)


def in_order_of_appearance(p: Masses, q: Masses) -> Fraction:
    """Return the ordered distance with the class's values first, as rows of it may come first in a table."""
    order = sorted(range(len(p)), key=lambda i: (not p[i], i))
    return _work([p[i] for i in order], [q[i] for i in order]) / max(len(p) - 1, 1)


def by_frequency(p: Masses, q: Masses) -> Fraction:
    """Return Σ|prefix sums of p − q| over the values by falling frequency in the table, not normalised."""
    order = sorted(range(len(p)), key=lambda i: (-q[i], i))
    return _work([p[i] for i in order], [q[i] for i in order])


def _work(p: Masses, q: Masses) -> Fraction:
    return sum((abs(x) for x in accumulate(a - b for a, b in zip(p, q, strict=True))), _ZERO)
