"""The Kullback–Leibler divergence (Li et al. 2007, §4)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from tcloseness.exact import LOG_FILTER, LogSum, LogSums
from tcloseness.measures.distributions import Pair, Profiles, pair
from tcloseness.measures.protocol import OfMasses
from tcloseness.microdata import ClassCounts

__all__ = ["KullbackLeibler"]


@dataclass(frozen=True)
class KullbackLeibler(OfMasses):
    """KL(P‖Q) = Σ p_i·ln(p_i / q_i) in nats. Range [0, ∞].

    Terms with p_i = 0 are 0; it is infinite where q_i = 0 < p_i.

    Not symmetric. Exact: a value is a `LogSum`, and comparing it with a threshold never rounds.

    References
    ----------
    Li et al. 2007, §4, which prints it as H(P) − H(P, Q) with both sums without the minus sign.

    Examples
    --------
    >>> float(KullbackLeibler().distance([1, 0, 0], ["1/3"] * 3)) == math.log(3)
    True
    """

    name = "Kullback-Leibler"
    convex = True

    def to_dict(self) -> dict[str, Any]:
        """Return the measure's name and unit."""
        return {"name": self.name, "unit": "nats"}

    def distance(self, p: Sequence[object], q: Sequence[object]) -> LogSum | float:
        """Return KL(P‖Q), exact, or ``math.inf``."""
        return _divergence((a, b, 1) for a, b in zip(*pair(p, q), strict=True))

    def per_class(self, classes: ClassCounts) -> LogSums:
        """Return KL(class‖reference) for each class: Σ (c/n)·ln(c·N / (C·n))."""
        c, n, reference = classes.counts, classes.class_sizes, classes.reference
        n_reference = int(reference.sum())
        of_cell = reference[classes.values]
        with np.errstate(divide="ignore"):
            logs = (
                np.log(c.astype(float))
                + math.log(n_reference)
                - np.log(of_cell.astype(float))
                - np.log(n[classes.class_of_cell].astype(float))
            )
        weighted = c * logs
        starts = classes.starts[:-1]
        approximate = np.add.reduceat(weighted, starts) / n
        # a term's four logarithms are at most 4·ln(the larger total) in all
        error = (np.diff(classes.starts) + 8) * LOG_FILTER * (4 * math.log(max(n_reference, int(n.max()))))
        profiles = Profiles(classes)
        return LogSums(approximate, error, partial(profiles.applied, _divergence), profiles.key, profiles.alike)


def _divergence(pairs: Iterable[Pair]) -> LogSum | float:
    terms: dict[int, Fraction] = {}
    for a, b, times in pairs:
        if not a:
            continue
        if not b:
            return math.inf
        ratio = a / b
        terms[ratio.numerator] = terms.get(ratio.numerator, Fraction(0)) + times * a
        terms[ratio.denominator] = terms.get(ratio.denominator, Fraction(0)) - times * a
    return LogSum(terms)
