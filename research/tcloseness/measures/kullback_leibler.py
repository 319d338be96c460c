"""The Kullback–Leibler divergence (TC §4)."""

from __future__ import annotations

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from tcloseness.errors import MassError
from tcloseness.exact import masses
from tcloseness.logarithms import LOG_FILTER, LogSum, LogSums, log_of
from tcloseness.microdata import ClassCounts, Domain

__all__ = ["KullbackLeibler"]


@dataclass(frozen=True)
class KullbackLeibler:
    """KL(P‖Q) = Σ p_i·ln(p_i / q_i) in nats. Range [0, ∞].

    Terms with p_i = 0 are 0; it is infinite where q_i = 0 < p_i.

    Not symmetric. Exact: a value is a `LogSum`, and comparing it with a threshold never rounds.

    References
    ----------
    TC §4, which prints it as H(P) − H(P, Q) with both sums without the minus sign.

    Examples
    --------
    >>> float(KullbackLeibler().distance([1, 0, 0], ["1/3"] * 3)) == math.log(3)
    True
    """

    name = "Kullback-Leibler"
    convex = True

    def over(self, domain: Domain) -> KullbackLeibler:
        """Return the measure itself: it looks at no value, only at masses."""
        return self

    def to_dict(self) -> dict[str, Any]:
        """Return the measure's name and unit."""
        return {"name": self.name, "unit": "nats"}

    def distance(self, p: Sequence[object], q: Sequence[object]) -> LogSum | float:
        """Return KL(P‖Q), exact, or ``math.inf``."""
        left, right = masses(p, "p"), masses(q, "q")
        if len(left) != len(right):
            raise MassError(f"p has {len(left)} values and q {len(right)}; they must agree")
        total = LogSum({})
        for a, b in zip(left, right, strict=True):
            if a and not b:
                return math.inf
            if a:
                for base, e in log_of(a / b).terms.items():
                    total = total.minus(LogSum({base: -a * e}))
        return total

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
        cells = np.diff(classes.starts)
        scale = 4 * max(1.0, math.log(n_reference + int(n.max()) + 1))

        def exact(g: int) -> LogSum:
            size = int(n[g])
            p = [Fraction(count, size) for count in classes.vector(g)]
            q = [Fraction(count, n_reference) for count in reference.tolist()]
            value = self.distance(p, q)
            assert isinstance(value, LogSum)
            return value

        def key(g: int) -> Hashable:
            row = classes.row(g)
            divisor = math.gcd(*row.values())
            return tuple((v, count // divisor) for v, count in row.items())

        return LogSums(approximate, (cells + 8) * LOG_FILTER * scale, exact, key)
