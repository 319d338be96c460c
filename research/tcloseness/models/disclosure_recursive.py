"""ℓ-diversity where some values may be disclosed and some must not be ruled out (LD §4.2, Definitions 4.3 and 4.4).

LD = Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam, "ℓ-Diversity: Privacy Beyond k-Anonymity", ICDE 2006.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable
from dataclasses import dataclass
from typing import Literal

import numpy as np

from tcloseness.errors import InputError
from tcloseness.exact import INT64_MAX, Number, Rationals, as_fraction, fits_int64, number_text
from tcloseness.microdata import ClassCounts
from tcloseness.models.combination import Combinable
from tcloseness.models.declared_values import as_values, codes_of, listed
from tcloseness.models.protocol import ModelResult, Monotone, result, united
from tcloseness.models.thresholds import at_least, below, whole

__all__ = ["NegativeDisclosure", "NegativePositiveRecursive", "PositiveDisclosureRecursive"]

NoValueAtRisk = Literal["satisfied", "literal"]
Unit = Literal["percent", "fraction"]


@dataclass(frozen=True)
class PositiveDisclosureRecursive(Combinable):
    """Positive-disclosure recursive (c,ℓ)-diversity: some values may be disclosed, no other is too frequent.

    With r₁ ≥ r₂ ≥ … the counts of a class and s_y its most frequent value outside Y, at rank y:

        y ≤ ℓ − 1 and r_y < c·(r_ℓ + … + r_m),  or  y > ℓ − 1 and r_y < c·(r_{ℓ−1} + … + r_m − r_y).

    Parameters
    ----------
    l
        A whole number ≥ 1. 1-diversity is always satisfied (LD Definition 4.2).
    c
        A number > 0, or None to measure only.
    allowed
        Y, the sensitive values whose disclosure is allowed.
    no_value_at_risk
        What a class holding values of Y only counts: ``"satisfied"`` (LD's remark after the definition), or
        ``"literal"``, the definition with r_y = 0, where 0 < c·0 fails if the class has fewer than ℓ − 1 values.

    Notes
    -----
    The value of a class is r_y over the sum (∞ over an empty sum), and c must be greater. Ties of rank do not matter.
    With Y empty it is recursive (c,ℓ)-diversity. Equivalently, n_s < c·(what is left of the class beside s) for every
    s outside Y and every choice of ℓ − 2 other values that are eliminated first: linear in the counts, so monotone
    under generalization, and under suppression, since a class is judged alone.

    References
    ----------
    LD Definition 4.3.

    Examples
    --------
    >>> classes = ClassCounts.from_mapping({"a": {"healthy": 6, "flu": 1, "cold": 1}})
    >>> PositiveDisclosureRecursive(2, c=2, allowed=["healthy"]).evaluate(classes).value
    Fraction(1, 7)
    """

    l: int = 2  # noqa: E741 (the papers' letter)
    c: Number | None = None
    allowed: Collection[Hashable] = ()
    no_value_at_risk: NoValueAtRisk = "satisfied"
    name = "pd-recursive (c,l)-diversity"
    monotone = Monotone(generalization=True, suppression=True)

    def __post_init__(self) -> None:
        object.__setattr__(self, "l", whole(self.l, "l"))
        if self.c is not None:
            object.__setattr__(self, "c", at_least(self.c, "c", 0, above=True))
        object.__setattr__(self, "allowed", as_values(self.allowed, "allowed"))
        if self.no_value_at_risk not in ("satisfied", "literal"):
            raise InputError(f"no_value_at_risk={self.no_value_at_risk!r} is unknown; it is 'satisfied' or 'literal'")

    def evaluate(self, classes: ClassCounts) -> ModelResult:
        """Measure the greatest bound of a class."""
        c = None if self.c is None else as_fraction(self.c)
        return result(
            self,
            classes,
            self._bounds(classes),
            citation="Machanavajjhala et al. 2006, Definition 4.3",
            parameters={
                "l": str(self.l),
                **({} if c is None else {"c": number_text(c)}),
                "allowed": listed(self.allowed),
            },
            threshold=c,
            worst_is="largest",
            strict=True,
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
        y = np.where(at_risk, first - starts, np.diff(classes.starts)) + 1  # a value without records stands last
        from_l = np.add.reduceat(np.where(rank >= self.l, r, 0), starts)
        from_before = np.add.reduceat(np.where(rank >= self.l - 1, r, 0), starts) - r_y
        tail = np.where(y <= self.l - 1, from_l, from_before)
        if self.l == 1:
            return Rationals(np.zeros_like(tail), np.ones_like(tail))
        fails = ~at_risk & (tail == 0) & (self.no_value_at_risk == "literal")
        return Rationals(np.where(fails, 1, r_y), np.where(at_risk | fails, tail, 1))


@dataclass(frozen=True)
class NegativeDisclosure(Combinable):
    """No protected value is ruled out: every s in W fills at least c₂ percent of every class.

    Parameters
    ----------
    c2
        A share ≥ 0 and below the whole (100 percent), or None to measure only.
    protected
        W, at least one sensitive value. One that does not occur fills 0 percent.
    unit
        ``"percent"`` (LD) or ``"fraction"``; the value is in the same unit.

    References
    ----------
    LD Definition 4.4, its second condition. Monotone under generalization (the share in a union is a mean) and under
    suppression.

    Examples
    --------
    >>> classes = ClassCounts.from_mapping({"a": {"hiv": 1, "flu": 4}, "b": {"hiv": 2, "flu": 2}})
    >>> NegativeDisclosure(20, protected=["hiv"]).evaluate(classes).status
    'satisfied'
    """

    c2: Number | None = None
    protected: Collection[Hashable] = ()
    unit: Unit = "percent"
    name = "negative disclosure"
    monotone = Monotone(generalization=True, suppression=True)

    def __post_init__(self) -> None:
        if self.unit not in ("percent", "fraction"):
            raise InputError(f"unit={self.unit!r} is unknown; it is 'percent' or 'fraction'")
        if self.c2 is not None:
            object.__setattr__(self, "c2", below(self.c2, "c2", 0, self._whole))
        object.__setattr__(self, "protected", as_values(self.protected, "protected"))
        if not self.protected:
            raise InputError("protected is empty; name at least one sensitive value that must not be ruled out")

    @property
    def _whole(self) -> int:
        return 100 if self.unit == "percent" else 1

    def evaluate(self, classes: ClassCounts) -> ModelResult:
        """Measure the least share of a protected value in a class; the margin is it minus c₂."""
        c2 = None if self.c2 is None else as_fraction(self.c2)
        codes = codes_of(classes.domain, self.protected)
        theirs, starts = np.isin(classes.values, codes), classes.starts[:-1]
        least = np.minimum.reduceat(np.where(theirs, classes.counts, INT64_MAX), starts)
        least[np.add.reduceat(theirs, starts, dtype=np.int64) < len(self.protected)] = 0
        dtype = np.int64 if fits_int64(self._whole, int(least.max())) else object
        return result(
            self,
            classes,
            Rationals(least.astype(dtype) * self._whole, classes.class_sizes),
            citation="Machanavajjhala et al. 2006, Definition 4.4",
            parameters={**({} if c2 is None else {"c2": number_text(c2)}), "protected": listed(self.protected)},
            threshold=c2,
            worst_is="smallest",
            conventions={"unit": self.unit, "values bounded": f"declared: {listed(self.protected)}"},
        )


@dataclass(frozen=True)
class NegativePositiveRecursive(Combinable):
    """Negative/positive-disclosure recursive (c₁,c₂,ℓ)-diversity: neither disclosed nor ruled out.

    Pd-recursive (c₁,ℓ)-diversity, and every s in W fills at least c₂ percent of every class.

    Parameters
    ----------
    l, c1, allowed, no_value_at_risk
        As `l`, `c`, `allowed` and `no_value_at_risk` of `PositiveDisclosureRecursive`.
    c2, protected, unit
        As for `NegativeDisclosure`.

    Notes
    -----
    Value and margin are those of the pd-recursive part; both parts are in the result's `parts`. Monotone under
    generalization and under suppression, as both parts are.

    References
    ----------
    LD Definition 4.4.

    Examples
    --------
    >>> classes = ClassCounts.from_mapping({"a": {"hiv": 1, "flu": 2, "cold": 2}})
    >>> NegativePositiveRecursive(2, c1=1, c2=25, protected=["hiv"]).evaluate(classes).status
    'violated'
    """

    l: int = 2  # noqa: E741
    c1: Number | None = None
    c2: Number | None = None
    allowed: Collection[Hashable] = ()
    protected: Collection[Hashable] = ()
    unit: Unit = "percent"
    no_value_at_risk: NoValueAtRisk = "satisfied"
    name = "npd-recursive (c1,c2,l)-diversity"
    monotone = Monotone(generalization=True, suppression=True)

    def __post_init__(self) -> None:
        for name in ("l", "allowed"):
            object.__setattr__(self, name, getattr(self._positive, name))
        for name in ("c2", "protected"):
            object.__setattr__(self, name, getattr(self._negative, name))
        if self.c1 is not None:
            object.__setattr__(self, "c1", at_least(self.c1, "c1", 0, above=True))

    @property
    def _positive(self) -> PositiveDisclosureRecursive:
        return PositiveDisclosureRecursive(self.l, None, self.allowed, self.no_value_at_risk)

    @property
    def _negative(self) -> NegativeDisclosure:
        return NegativeDisclosure(self.c2, self.protected, self.unit)

    def evaluate(self, classes: ClassCounts) -> ModelResult:
        """Measure the greatest bound of a class and the least share of a protected value."""
        positive = PositiveDisclosureRecursive(self.l, self.c1, self.allowed, self.no_value_at_risk).evaluate(classes)
        negative = self._negative.evaluate(classes)
        renamed = {"c1" if name == "c" else name: text for name, text in positive.parameters.items()}
        return united(
            self,
            classes,
            positive,
            [negative],
            citation="Machanavajjhala et al. 2006, Definition 4.4",
            parameters={**renamed, **negative.parameters},
        )
