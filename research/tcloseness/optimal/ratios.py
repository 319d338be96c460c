"""Thresholds on a share a/b of a class, as fractions no larger than the class: exact also where they are irrational.

A class has at most n records, so its shares are fractions with denominators up to n. Between a threshold κ, whatever
its kind, and the greatest such fraction that passes it lies no other share: the fraction stands for the threshold, and
its numerator and denominator are small whole coefficients.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from tcloseness.errors import InputError

__all__ = ["greatest_share", "least_share"]


def greatest_share(passes: Callable[[Fraction], bool], n: int) -> Fraction:
    """Return the greatest fraction in [0, 1] with a denominator ≤ n that passes.

    Parameters
    ----------
    passes
        Whether a share passes; with one share every smaller one passes, and 0 does.
    n
        The greatest denominator, ≥ 1.

    Raises
    ------
    InputError
        If 0 does not pass.

    Notes
    -----
    A walk down the Stern–Brocot tree with steps that double: O(log² n) questions.

    Examples
    --------
    >>> greatest_share(lambda p: p * p < Fraction(1, 2), 10)
    Fraction(7, 10)
    """
    if not passes(Fraction(0)):
        raise InputError("the share 0 does not pass, so no share does")
    if passes(Fraction(1)):
        return Fraction(1)
    low, high = (0, 1), (1, 1)  # low passes, high does not, and no fraction between them has a lesser denominator
    while low[1] + high[1] <= n:
        low = _nearest(low, high, lambda p: p.denominator <= n and passes(p))
        high = _nearest(high, low, lambda p: p.denominator <= n and not passes(p))
    return Fraction(*low)


def least_share(passes: Callable[[Fraction], bool], n: int) -> Fraction:
    """Return the least fraction in [0, 1] with a denominator ≤ n that passes; with one share every greater one passes.

    Examples
    --------
    >>> least_share(lambda p: p > Fraction(1, 3), 10)
    Fraction(3, 8)
    """
    return 1 - greatest_share(lambda p: passes(1 - p), n)


def _nearest(of: tuple[int, int], towards: tuple[int, int], same: Callable[[Fraction], bool]) -> tuple[int, int]:
    """Return the last of the mediants from one fraction towards the other that is on the first one's side."""

    def step(s: int) -> tuple[int, int]:
        return of[0] + s * towards[0], of[1] + s * towards[1]

    beyond = 1
    while same(Fraction(*step(beyond))):
        beyond *= 2
    within = beyond // 2
    while beyond - within > 1:
        middle = (within + beyond) // 2
        within, beyond = (middle, beyond) if same(Fraction(*step(middle))) else (within, middle)
    return step(within)
