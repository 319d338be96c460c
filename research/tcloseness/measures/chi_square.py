"""The χ² divergence."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np

from tcloseness.exact import RATIO_FILTER, Filtered
from tcloseness.measures.distributions import Pair, Profiles, pair
from tcloseness.measures.protocol import OfMasses
from tcloseness.microdata import ClassCounts

__all__ = ["ChiSquare"]


@dataclass(frozen=True)
class ChiSquare(OfMasses):
    """χ²(P‖Q) = Σ (p_i − q_i)² / q_i = Σ p_i²/q_i − 1, with 0/0 = 0 and x/0 = ∞. Range [0, ∞].

    Notes
    -----
    Pearson's form: the reference is the divisor, so it is neither symmetric nor a metric. n·χ² is Pearson's statistic
    of a class of n records against the reference. For a fixed Q it is at most 1/min q − 1, so it is finite wherever Q
    is the distribution of the table itself. It knows nothing of a ground distance. Convex in P: each term is a square
    of a linear function, or ∞ outside p_i = 0.

    ln(1 + χ²) ≥ KL, and √χ² ≥ 2·(variational distance).

    References
    ----------
    K. Pearson, Philosophical Magazine 50, 1900.

    Examples
    --------
    >>> ChiSquare().distance(["1/2", "1/2"], ["1/4", "3/4"]), ChiSquare().distance(["1/2", "1/2"], [1, 0])
    (Fraction(1, 3), inf)
    """

    name = "chi-square"
    convex = True

    def distance(self, p: Sequence[object], q: Sequence[object]) -> Fraction | float:
        """Return χ²(P‖Q), exact, or ``math.inf``."""
        return _divergence((a, b, 1) for a, b in zip(*pair(p, q), strict=True))

    def per_class(self, classes: ClassCounts) -> Filtered[Fraction]:
        """Return χ²(class‖reference) for each class; the values that the class lacks add q each.

        p − q is within a few 2⁻⁵³·max(p, q) of itself, which moves (p − q)²/q by a few 2⁻⁵²·(p²/q + q): the bound is
        relative to Σ p²/q + 1 = χ² + 2.
        """
        reference, starts = classes.reference, classes.starts[:-1]
        total = int(reference.sum())
        of_cell = reference[classes.values]
        p, q = classes.counts / classes.class_sizes[classes.class_of_cell], of_cell / total
        with np.errstate(divide="ignore"):
            terms = (p - q) ** 2 / q
        lacking = (total - np.add.reduceat(of_cell, starts)) / total
        approximate = np.add.reduceat(terms, starts) + lacking
        size = np.where(np.isfinite(approximate), approximate, 0) + 2
        error = (np.diff(classes.starts) + 8) * (2 * RATIO_FILTER) * size
        profiles = Profiles(classes)
        return Filtered(approximate, error, partial(profiles.applied, _divergence), profiles.key, profiles.alike)


def _divergence(pairs: Iterable[Pair]) -> Fraction | float:
    total = Fraction(0)
    for a, b, times in pairs:
        if a and not b:
            return math.inf
        if b:
            total += times * (a - b) ** 2 / b
    return total
