"""The smoothed distance of the 2010 journal paper: kernel smoothing over the ground distance, then Jensen–Shannon.

Li et al. 2010 = N. Li, T. Li, S. Venkatasubramanian, "Closeness: A New Privacy Measure for Data Publishing", IEEE
Trans. Knowl. Data Eng. 22(7), 2010.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np
import numpy.typing as npt

from tcloseness.errors import InputError
from tcloseness.exact import LOG_FILTER, Bits, LogSum, LogSums, Number, as_fraction, number_text
from tcloseness.ground import GroundDistance, GroundSpec, ground_distance, ground_name
from tcloseness.measures.distributions import blocks, of_class, of_reference, pair, shares
from tcloseness.measures.jensen_shannon import Base, check_base, divergence, divergence_terms, in_base
from tcloseness.microdata import ClassCounts, Domain

__all__ = ["BoundSmoothed", "SmoothedJensenShannon"]


@dataclass(frozen=True)
class BoundSmoothed:
    """The smoothed Jensen–Shannon divergence over one ground distance."""

    ground: GroundDistance
    bandwidth: Fraction
    renormalise: bool
    base: Base

    @cached_property
    def _kernel(self) -> list[list[int]]:
        """K(d_ij) in whole numbers, scaled: B²·D² − d² with d the whole distances over D, 0 from the bandwidth on."""
        b, c = self.bandwidth.numerator, self.bandwidth.denominator
        edge = b * self.ground.denominator
        rows = []
        for i in range(self.ground.m):
            places = [c * d for d in self.ground.row(i).tolist()]
            rows.append([edge * edge - x * x if x < edge else 0 for x in places])
        return rows

    @cached_property
    def _weights(self) -> npt.NDArray[np.float64]:
        """K(d_ij) / Σ_j K(d_ij), each the nearest double."""
        return np.array([[k / total for k in row] for row, total in ((row, sum(row)) for row in self._kernel)])

    def smooth(self, p: Sequence[Fraction]) -> list[Fraction]:
        """Return p̂_i = Σ_j p_j·K(d_ij) / Σ_j K(d_ij), renormalised if that was chosen, exact."""
        smoothed = []
        for row in self._kernel:
            mass = sum((k * x for k, x in zip(row, p, strict=True) if k and x), Fraction(0))
            smoothed.append(mass / sum(row))
        total = sum(smoothed) if self.renormalise else 1
        return [x / total for x in smoothed]

    def distance(self, p: Sequence[object], q: Sequence[object]) -> LogSum:
        """Return the divergence of the smoothed distributions, exact."""
        left, right = pair(p, q, self.ground.m)
        nats = divergence((a, b, 1) for a, b in zip(self.smooth(left), self.smooth(right), strict=True))
        return nats if self.base == "e" else Bits(nats.terms)

    def per_class(self, classes: ClassCounts) -> LogSums:
        """Return the divergence of each class from the reference.

        Smoothing adds m terms of one sign, so each p̂_i is within 2·(m + 4)·2⁻⁵³ of itself, relative; the divergence
        then as in `divergence_terms`.
        """
        q = self._smooth_doubles((classes.reference / int(classes.reference.sum()))[:, None])
        approximate, mass = np.empty(len(classes)), np.empty(len(classes))
        for part, matrix in blocks(classes):
            p = self._smooth_doubles(matrix / classes.class_sizes[part])
            approximate[part] = divergence_terms(p, q).sum(axis=0) / 2
            mass[part] = p.sum(axis=0) + q.sum()
        smoothed_q = self.smooth(of_reference(classes))
        error = (len(classes.domain) + 8) * (2 * LOG_FILTER) * mass
        exact = partial(self._of_class, classes, smoothed_q)
        return in_base(LogSums(approximate, error, exact, partial(shares, classes)), self.base)

    def _of_class(self, classes: ClassCounts, smoothed_q: Sequence[Fraction], index: int) -> LogSum:
        smoothed_p = self.smooth(of_class(classes, index))
        return divergence((a, b, 1) for a, b in zip(smoothed_p, smoothed_q, strict=True))

    def _smooth_doubles(self, p: npt.NDArray[np.float64]) -> npt.NDArray[np.float64]:
        smoothed = self._weights @ p
        return smoothed / smoothed.sum(axis=0) if self.renormalise else smoothed


@dataclass(frozen=True)
class SmoothedJensenShannon:
    """JS(p̂, q̂) of smoothed distributions p̂_i = Σ_j p_j·K(d_ij) / Σ_j K(d_ij), K(x) = 3/(4B)·(1 − (x/B)²) for x < B.

    Range [0, ln 2] in nats and [0, 1] in bits if renormalised; raw, at most ½·ln 2·Σ_i (p̂_i + q̂_i).

    Parameters
    ----------
    ground
        The ground distance, as `EMD` takes it; one without cuts is as good.
    bandwidth
        B > 0, exact, in the unit of the ground distance. Up to the least distance of two values nothing is smoothed.
    renormalise
        Whether p̂ and q̂ are scaled to sum to 1. The weights of a row sum to 1 and those of a column do not, so that p̂
        need not; the paper leaves it open, and it must be said.
    base
        ``"e"`` (nats, the default) or 2 (bits).

    Notes
    -----
    Symmetric in P and Q, never infinite. **Not** 0 for P = Q only: smoothing may forget. On four ordered values with
    B > 1 the kernel is a polynomial of degree 2 in the place, so P and Q with the same mean and variance of the place
    have the same p̂ and q̂; (1/4, 0, 3/4, 0) and (0, 3/4, 0, 1/4) have distance 0. A value that never occurs changes it,
    since smoothing puts mass there: the domain matters.

    Raw, it is convex in P (smoothing is linear); renormalised it is only quasi-convex, since mixtures are scaled by
    different sums. That is all that merging classes asks for.

    Cost: O(m²) a class, with dense products.

    References
    ----------
    Li et al. 2010, its distance measure: Nadaraya–Watson weights with the Epanechnikov kernel, then Jensen–Shannon.

    Examples
    --------
    >>> measure = SmoothedJensenShannon("ordered", bandwidth="1/4", renormalise=False, base=2)
    >>> value = measure.over(Domain.declare(range(9))).distance(["1/3"] * 3 + [0] * 6, ["1/9"] * 9)
    >>> f"{float(value):.10f}"
    '0.3778533025'
    """

    ground: GroundSpec
    bandwidth: Number = field(kw_only=True)
    renormalise: bool = field(kw_only=True)
    base: Base = field(default="e", kw_only=True)
    quasi_convex = True

    def __post_init__(self) -> None:
        bandwidth = as_fraction(self.bandwidth, "bandwidth")
        if bandwidth <= 0:
            raise InputError(f"bandwidth = {number_text(bandwidth)}; it must be > 0, in the ground distance's unit")
        object.__setattr__(self, "bandwidth", bandwidth)
        if not isinstance(self.renormalise, bool):
            raise InputError(f"renormalise is {self.renormalise!r}; it must be True or False")
        check_base(self.base)

    @property
    def name(self) -> str:
        """Everything that was chosen, as text."""
        scaled = "renormalised" if self.renormalise else "raw"
        bandwidth = number_text(as_fraction(self.bandwidth))
        return f"smoothed Jensen-Shannon, {ground_name(self.ground)}, bandwidth {bandwidth}, {scaled}, base {self.base}"

    @property
    def convex(self) -> bool:
        """Raw it is convex in P, renormalised only quasi-convex."""
        return not self.renormalise

    def over(self, domain: Domain) -> BoundSmoothed:
        """Return the measure over a domain."""
        return BoundSmoothed(
            ground_distance(self.ground, domain), as_fraction(self.bandwidth), self.renormalise, self.base
        )

    def to_dict(self) -> dict[str, Any]:
        """Return the measure's name and what was chosen."""
        return {
            "name": "smoothed Jensen-Shannon",
            "ground": ground_name(self.ground),
            "kernel": "Epanechnikov",
            "bandwidth": number_text(as_fraction(self.bandwidth)),
            "renormalise": self.renormalise,
            "base": self.base,
        }
