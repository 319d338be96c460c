"""The ratio distance (Soria-Comas and Domingo-Ferrer 2013): by what factor the probability of an event may change."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from tcloseness.exact import RATIO_FILTER, IntArray, Rationals, fits_int64
from tcloseness.measures.distributions import pair
from tcloseness.measures.protocol import OfMasses
from tcloseness.microdata import ClassCounts

__all__ = ["Ratio", "cell_ratios", "greatest_of_cells", "greatest_ratios"]


@dataclass(frozen=True)
class Ratio(OfMasses):
    """d(P, Q) = max over sets S of max(P(S)/Q(S), Q(S)/P(S)), with 0/0 = 0 and x/0 = ∞. Range [1, ∞].

    It is attained on a single value, max_i max(p_i/q_i, q_i/p_i): P(S)/Q(S) is a mean of the p_i/q_i in S, weighted by
    q_i, so none of them can all lie below it. It has no unit; t ≥ 1 means that no event becomes more than t times as
    likely or as unlikely, and a table that is exp(ε)-close under it is read as ε-differentially private.

    Notes
    -----
    Symmetric; 1, not 0, exactly for P = Q. It is infinite as soon as a class lacks a value that the reference has (or
    has one that the reference lacks), so in practice for every small class. ln d is a metric:
    d(P, R) ≤ d(P, Q)·d(Q, R). It knows nothing of a ground distance.

    Convex in P: for a fixed Q each p_i/q_i is linear in p_i and each q_i/p_i is convex in p_i (∞ at 0; where q_i = 0
    the term is 0 at p_i = 0 and ∞ elsewhere, which is convex too), and the maximum of convex functions is convex.

    References
    ----------
    J. Soria-Comas, J. Domingo-Ferrer, "Connecting privacy models: synergies between k-anonymity, t-closeness and
    differential privacy", UNECE/Eurostat work session on statistical data confidentiality, 2013, Definition 5.

    Examples
    --------
    >>> Ratio().distance(["1/2", "1/2"], ["3/4", "1/4"]), Ratio().distance([1, 0], ["1/2", "1/2"])
    (Fraction(2, 1), inf)
    """

    name = "ratio"
    convex = True

    def distance(self, p: Sequence[object], q: Sequence[object]) -> Fraction | float:
        """Return d(P, Q), exact, or ``math.inf``."""
        greatest = Fraction(1)
        for a, b in zip(*pair(p, q), strict=True):
            if bool(a) != bool(b):
                return math.inf
            if a:
                greatest = max(greatest, a / b, b / a)
        return greatest

    def per_class(self, classes: ClassCounts) -> Rationals:
        """Return d(class, reference) for each class: the greatest max(c·N, C·n) / min(c·N, C·n) of its cells."""
        greatest = greatest_ratios(classes, either_way=True)
        # a class that lacks a value of the reference: the value's C·n / 0
        shared = np.add.reduceat(classes.reference[classes.values] > 0, classes.starts[:-1], dtype=np.int64)
        lacking = shared < np.count_nonzero(classes.reference)
        return Rationals(greatest.numerators, np.where(lacking, 0, greatest.denominators))


def cell_ratios(classes: ClassCounts) -> tuple[IntArray, IntArray]:
    """Return c·N and C·n of each cell, shape (cells,).

    p/q is the first over the second, infinite where that is 0: c of n records of the class, C of N of the reference.
    """
    reference, sizes = classes.reference, classes.class_sizes
    total = int(reference.sum())
    fits = fits_int64(int(classes.counts.max()), total) and fits_int64(int(reference.max()), int(sizes.max()))
    dtype = np.int64 if fits else object
    ours = classes.counts.astype(dtype) * total
    return ours, reference[classes.values].astype(dtype) * sizes.astype(dtype)[classes.class_of_cell]


def greatest_ratios(classes: ClassCounts, *, either_way: bool) -> Rationals:
    """Return for each class the greatest p/q of its cells, or q/p where that is greater and counts too."""
    found = []
    for part in classes.in_parts():
        ours, theirs = cell_ratios(part)
        if either_way:
            ours, theirs = np.maximum(ours, theirs), np.minimum(ours, theirs)
        found.append(greatest_of_cells(ours, theirs, part))
    if len(found) == 1:
        return found[0]
    return Rationals(
        np.concatenate([part.numerators for part in found]), np.concatenate([part.denominators for part in found])
    )


def greatest_of_cells(numerators: IntArray, denominators: IntArray, classes: ClassCounts) -> Rationals:
    """Return for each class the greatest fraction of its cells; a denominator 0 means infinity."""
    values, starts = Rationals(numerators, denominators).floats(), classes.starts[:-1]
    best = np.maximum.reduceat(values, starts)[classes.class_of_cell]
    near = np.flatnonzero(values >= best * (1 - 4 * RATIO_FILTER))
    owner = classes.class_of_cell[near]
    where = np.empty(len(classes), dtype=np.int64)
    where[owner] = near  # any of the near ones
    chosen = where[owner]
    other = (numerators[near] != numerators[chosen]) | (denominators[near] != denominators[chosen])
    for cell, g in zip(near[other].tolist(), owner[other].tolist(), strict=True):  # two fractions that doubles confuse
        held = where[g]
        if int(numerators[cell]) * int(denominators[held]) > int(numerators[held]) * int(denominators[cell]):
            where[g] = cell
    return Rationals(numerators[where], denominators[where])
