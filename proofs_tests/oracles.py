"""Independent oracles: each computes the same number as the package by a way that shares nothing with it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from fractions import Fraction
from itertools import permutations
from math import prod

__all__ = ["cheapest_assignment", "is_entropy_diverse", "shares"]


def cheapest_assignment(
    sources: Sequence[int], targets: Sequence[int], distance: Callable[[int, int], Fraction]
) -> Fraction:
    """Return the EMD of two samples of equal size n, by trying all n! ways to pair them.

    A transportation problem with whole masses has an optimal coupling in whole masses, and such a coupling of n
    units is a pairing; so nothing is left out.
    """

    def cost(pairing: Sequence[int]) -> Fraction:
        return sum((distance(i, j) for i, j in zip(sources, pairing, strict=True)), Fraction(0))

    return min(map(cost, permutations(targets))) / len(sources)


def shares(sample: Sequence[int], m: int) -> tuple[Fraction, ...]:
    """Return the distribution of a sample of codes over m values."""
    return tuple(Fraction(list(sample).count(i), len(sample)) for i in range(m))


def is_entropy_diverse(counts: Sequence[int], l: Fraction) -> bool:  # noqa: E741
    """Say whether H ≥ ln l, on whole numbers: H = ln n − Σ (c/n)·ln c, so H ≥ ln l iff Π c^c·lⁿ ≤ nⁿ."""
    n = sum(counts)
    return prod(c**c for c in counts) * l.numerator**n <= n**n * l.denominator**n
