"""ℓ-diversity where some values may be disclosed (Machanavajjhala et al. 2006, §4.2, Definition 4.3).

Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam, "ℓ-Diversity: Privacy Beyond k-Anonymity", ICDE 2006.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Literal

import numpy as np

from tcloseness.errors import InputError
from tcloseness.exact import Rationals
from tcloseness.microdata import ClassCounts
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.models.combination import Combinable
from tcloseness.models.declared_values import as_values, codes_of, listed
from tcloseness.models.protocol import ModelResult, Monotone, result
from tcloseness.models.thresholds import Exact, at_least, texts, whole

__all__ = ["NoValueAtRisk", "PositiveDisclosureRecursive"]

NoValueAtRisk = Literal["satisfied", "literal"]


@dataclass(frozen=True)
class PositiveDisclosureRecursive(Combinable):
    """Positive-disclosure recursive (c,ℓ)-diversity: some values may be disclosed, no other is too frequent.

    With r₁ ≥ r₂ ≥ … the counts of a class and s_y its most frequent value outside Y, at rank y:

        y ≤ ℓ − 1 and r_y < c·(r_ℓ + … + r_m),  or  y > ℓ − 1 and r_y < c·(r_{ℓ−1} + … + r_m − r_y).

    Parameters
    ----------
    l
        A whole number ≥ 1. 1-diversity is always satisfied (Machanavajjhala et al. 2006, Definition 4.2).
    c
        A number > 0, or None to measure only.
    allowed
        Y, the sensitive values whose disclosure is allowed.
    no_value_at_risk
        What a class holding values of Y only counts: ``"satisfied"`` (the remark of Machanavajjhala et al. 2006 after
        the definition), or ``"literal"``, the definition with r_y = 0, where 0 < c·0 fails if the class has fewer than
        ℓ − 1 values.

    Notes
    -----
    The value of a class is r_y over the sum (∞ over an empty sum), and c must be greater. Ties of rank do not matter.
    With Y empty it is recursive (c,ℓ)-diversity. Equivalently, n_s < c·(what is left of the class beside s) for every
    s outside Y and every choice of ℓ − 2 other values that are eliminated first: linear in the counts, so monotone
    under generalization, and under suppression, since a class is judged alone.

    References
    ----------
    Machanavajjhala et al. 2006, Definition 4.3.

    Examples
    --------
    >>> classes = ClassCounts.from_mapping({"a": {"healthy": 6, "flu": 1, "cold": 1}})
    >>> PositiveDisclosureRecursive(2, c=2, allowed=["healthy"]).evaluate(classes).value
    Fraction(1, 7)
    """

    l: Exact[int] = Exact(whole, default=2)  # noqa: E741 (the papers' letter)
    c: Exact[Fraction | None] = Exact(at_least, 0, default=None, above=True)
    allowed: Exact[tuple[Hashable, ...]] = Exact(as_values, default=())
    no_value_at_risk: NoValueAtRisk = "satisfied"
    name = "pd-recursive (c,l)-diversity"
    of_shares = True
    monotone = Monotone(generalization=True, suppression=True)

    def __post_init__(self) -> None:
        if self.no_value_at_risk not in ("satisfied", "literal"):
            raise InputError(f"no_value_at_risk={self.no_value_at_risk!r} is unknown; it is 'satisfied' or 'literal'")

    def evaluate(self, classes: ClassCounts | FullTable) -> ModelResult:
        """Measure the greatest bound of a class."""
        classes = in_shape(classes, ClassCounts)
        return result(
            self,
            classes,
            self._bounds(classes),
            citation="Machanavajjhala et al. 2006, Definition 4.3",
            parameters={**texts(l=self.l, c=self.c), "allowed": listed(self.allowed)},
            threshold=self.c,
            worst_is="largest",
            strict=True,
            threshold_name="c",
            bounds=(0, 0 if self.l == 1 else None),
            title=f"pd-recursive (c,{self.l})-diversity",
            reading="the commonest value of a class that may not be disclosed against its rarer ones",
            why_infinite="in a class nothing is left beside the commonest value that may not be disclosed, "
            "so its bound is infinite: no c is greater",
            conventions={
                "comparison": "strict: c must be greater than the value",
                "no value at risk": self.no_value_at_risk,
            },
        )

    def _bounds(self, classes: ClassCounts) -> Rationals:
        starts = classes.starts[:-1]
        order = np.lexsort((-classes.counts, classes.class_of_cell))
        r = classes.counts[order]
        place = np.arange(len(r))
        rank = place - classes.starts[classes.class_of_cell] + 1
        outside = ~np.isin(classes.values[order], codes_of(classes.domain, self.allowed))
        first = np.minimum.reduceat(np.where(outside, place, len(r)), starts)
        at_risk = first < len(r)
        r_y = np.where(at_risk, r[np.minimum(first, len(r) - 1)], 0)
        y = np.where(at_risk, first - starts, np.diff(classes.starts)) + 1  # a value without records comes last
        from_l = np.add.reduceat(np.where(rank >= self.l, r, 0), starts)
        from_before = np.add.reduceat(np.where(rank >= self.l - 1, r, 0), starts) - r_y
        tail = np.where(y <= self.l - 1, from_l, from_before)
        if self.l == 1:
            return Rationals(np.zeros_like(tail), np.ones_like(tail))
        fails = ~at_risk & (tail == 0) & (self.no_value_at_risk == "literal")
        return Rationals(np.where(fails, 1, r_y), np.where(at_risk | fails, tail, 1))
