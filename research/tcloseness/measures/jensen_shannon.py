"""The Jensen–Shannon divergence, and its square root."""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tcloseness.errors import InputError
from tcloseness.exact import LOG_FILTER, Bits, Filtered, LogSum, LogSums, SquareRoot, square_roots
from tcloseness.measures.distributions import Pair, Profiles, pair
from tcloseness.measures.protocol import OfMasses
from tcloseness.microdata import ClassCounts

__all__ = ["Base", "JensenShannon", "check_base", "divergence", "divergence_terms", "in_base"]

Base = Literal["e", 2]
"""The base of the logarithms: ``"e"`` counts in nats, 2 in bits."""

Doubles = npt.NDArray[np.float64]


_ABOVE_LN_2, _ABOVE_ROOT_OF_LN_2 = Fraction(6931472, 10**7), Fraction(8325547, 10**7)
"""ln 2 = 0.69314718…, √ln 2 = 0.83255461…"""


def check_base(base: object) -> None:
    """Refuse a base that is neither ``"e"`` nor 2."""
    if base not in ("e", 2):
        raise InputError(f"base is {base!r}; it must be 'e' (nats) or 2 (bits)")


def divergence(pairs: Iterable[Pair]) -> LogSum:
    """Return ½·Σ a·ln(2a/(a + b)) + b·ln(2b/(a + b)) over pairs of masses ≥ 0, in nats; terms of mass 0 are 0."""
    terms: dict[int, Fraction] = {}
    for a, b, times in pairs:
        for mass in (a, b):
            if mass:
                share, half = 2 * mass / (a + b), times * mass / 2
                terms[share.numerator] = terms.get(share.numerator, Fraction(0)) + half
                terms[share.denominator] = terms.get(share.denominator, Fraction(0)) - half
    return LogSum(terms)


def divergence_terms(a: Doubles, b: Doubles) -> Doubles:
    """Return a·ln(2a/(a + b)) + b·ln(2b/(a + b)) for arrays of masses ≥ 0, in nats.

    Without a mass of 0 on the other side, |a·ln(2a/(a + b))| ≤ max(a·ln 2, b); so the sum of all absolute terms is at
    most the sum of all masses, which bounds the rounding error.
    """
    whole = a + b
    with np.errstate(divide="ignore", invalid="ignore"):
        left, right = np.log(2 * a / whole), np.log(2 * b / whole)
    return np.asarray(a * np.where(a > 0, left, 0) + b * np.where(b > 0, right, 0))


def in_base(values: LogSums, base: Base) -> LogSums:
    """Return values in nats as they are, or in bits."""
    if base == "e":
        return values
    exact = partial(_bits, values)
    return LogSums(values.approximate / math.log(2), 2 * values.error, exact, values.key, values.alike)


def _bits(values: LogSums, index: int) -> LogSum:
    return Bits(values.exact(index).terms)


@dataclass(frozen=True)
class JensenShannon(OfMasses):
    """JS(P, Q) = ½·KL(P‖M) + ½·KL(Q‖M) with M = (P + Q)/2. Range [0, ln 2] in nats, [0, 1] in bits.

    Parameters
    ----------
    base
        ``"e"`` (nats, the default, as `KullbackLeibler`) or 2 (bits).
    root
        Whether to take the square root, which is a metric; range [0, √(ln 2)] or [0, 1].

    Notes
    -----
    Symmetric, 0 exactly for P = Q, never infinite, and greatest exactly where P and Q share no value. It knows nothing
    of a ground distance. Exact: a comparison with a threshold t is one of a sum of logarithms with t, t·ln 2 or their
    squares, and never rounds.

    The divergence is convex in P, its square root is not: from Q = (1, 0) towards (0, 1) it grows as a square root
    does. The square root is quasi-convex, which is all that merging classes asks for.

    References
    ----------
    J. Lin, "Divergence measures based on the Shannon entropy", IEEE Trans. Inf. Theory 37(1), 1991, §IV; the metric:
    D. Endres, J. Schindelin, "A new metric for probability distributions", IEEE Trans. Inf. Theory 49(7), 2003.

    Examples
    --------
    >>> JensenShannon(base=2).distance([1, 0], [0, 1]) == 1
    True
    >>> float(JensenShannon().distance([1, 0], [0, 1])) == math.log(2)
    True
    """

    base: Base = field(default="e", kw_only=True)
    root: bool = field(default=False, kw_only=True)
    quasi_convex = True

    def __post_init__(self) -> None:
        check_base(self.base)
        if not isinstance(self.root, bool):
            raise InputError(f"root is {self.root!r}; it must be True (the metric) or False (the divergence)")

    @property
    def name(self) -> str:
        """``Jensen-Shannon`` with the base, and whether it is the root."""
        return f"{'root of ' if self.root else ''}Jensen-Shannon, base {self.base}"

    @property
    def convex(self) -> bool:
        """The divergence is convex in P, its root only quasi-convex."""
        return not self.root

    @property
    def greatest(self) -> Fraction:
        """A number just above ln 2 or its root, or 1 in bits: no distance exceeds it."""
        if self.base == 2:
            return Fraction(1)
        return _ABOVE_ROOT_OF_LN_2 if self.root else _ABOVE_LN_2

    def to_dict(self) -> dict[str, Any]:
        """Return the measure's name and what was chosen."""
        return {"name": "Jensen-Shannon", "base": self.base, "root": self.root}

    def distance(self, p: Sequence[object], q: Sequence[object]) -> LogSum | SquareRoot:
        """Return JS(P, Q) or its root, exact."""
        nats = divergence((a, b, 1) for a, b in zip(*pair(p, q), strict=True))
        value = nats if self.base == "e" else Bits(nats.terms)
        return SquareRoot(value) if self.root else value

    def per_class(self, classes: ClassCounts) -> LogSums | Filtered[SquareRoot]:
        """Return JS(class, reference) for each class; values that the class lacks add ½·q·ln 2 each."""
        reference, starts = classes.reference, classes.starts[:-1]
        total = int(reference.sum())
        of_cell = reference[classes.values]
        terms = divergence_terms(classes.counts / classes.class_sizes[classes.class_of_cell], of_cell / total)
        lacking = (total - np.add.reduceat(of_cell, starts)) / total
        approximate = (np.add.reduceat(terms, starts) + math.log(2) * lacking) / 2
        error = (np.diff(classes.starts) + 8) * (2 * LOG_FILTER)
        profiles = Profiles(classes)
        exact = partial(profiles.applied, divergence)
        values = in_base(LogSums(approximate, error, exact, profiles.key, profiles.alike), self.base)
        return square_roots(values) if self.root else values  # type: ignore[arg-type]
