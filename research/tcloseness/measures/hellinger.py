"""The Hellinger distance."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial

import numpy as np

from tcloseness.exact import RATIO_FILTER, Filtered, RootSum, SquareRoot
from tcloseness.measures.distributions import Pair, Profiles, pair
from tcloseness.measures.protocol import OfMasses
from tcloseness.microdata import ClassCounts

__all__ = ["Hellinger"]


@dataclass(frozen=True)
class Hellinger(OfMasses):
    """H(P, Q) = √(1 − Σ √(p_i·q_i)) = √(½·Σ (√p_i − √q_i)²). Range [0, 1].

    Notes
    -----
    A metric; 0 exactly for P = Q, 1 exactly where P and Q share no value. It knows nothing of a ground distance. Exact:
    H is compared with a threshold t as a sum of square roots with 1 − t².

    H² is convex in P, H is not: from Q = (1, 0) towards (0, 1) it grows as a square root does. H is quasi-convex, which
    is all that merging classes asks for. H² ≤ variational distance ≤ √2·H.

    References
    ----------
    E. Hellinger, J. reine angew. Math. 136, 1909; scaled to [0, 1] as in L. Le Cam, G. Yang, "Asymptotics in
    Statistics", 2000, §3.

    Examples
    --------
    >>> Hellinger().distance([1, 0], ["9/16", "7/16"]) == Fraction(1, 2)
    True
    """

    name = "Hellinger"
    convex = False
    quasi_convex = True
    greatest = Fraction(1)

    def distance(self, p: Sequence[object], q: Sequence[object]) -> SquareRoot:
        """Return H(P, Q), exact."""
        return SquareRoot(_square((a, b, 1) for a, b in zip(*pair(p, q), strict=True)))

    def per_class(self, classes: ClassCounts) -> Filtered[SquareRoot]:
        """Return H(class, reference) for each class.

        As √(½·Σ (√p − √q)²): the doubles √p and √q are within a few 2⁻⁵³ of themselves, so by Minkowski's inequality
        their rounding moves the root of the sum of squares by no more than that, also near 0.
        """
        reference, starts = classes.reference, classes.starts[:-1]
        total = int(reference.sum())
        of_cell = reference[classes.values]
        p, q = classes.counts / classes.class_sizes[classes.class_of_cell], of_cell / total
        lacking = (total - np.add.reduceat(of_cell, starts)) / total
        squares = np.add.reduceat((np.sqrt(p) - np.sqrt(q)) ** 2, starts) + lacking
        error = (np.diff(classes.starts) + 8) * RATIO_FILTER
        profiles = Profiles(classes)
        exact = partial(profiles.applied, _hellinger)
        return Filtered(np.sqrt(squares / 2), error, exact, profiles.key, profiles.alike)


def _hellinger(pairs: Iterable[Pair]) -> SquareRoot:
    return SquareRoot(_square(pairs))


def _square(pairs: Iterable[Pair]) -> RootSum:
    """Return H² = 1 − Σ √(p·q), with √(a/b) = √(a·b)/b."""
    terms: dict[int, Fraction] = {}
    for a, b, times in pairs:
        if product := a * b:
            radicand = product.numerator * product.denominator
            terms[radicand] = terms.get(radicand, Fraction(0)) - Fraction(times, product.denominator)
    return RootSum(terms, Fraction(1))
