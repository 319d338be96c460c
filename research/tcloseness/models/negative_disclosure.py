"""ℓ-diversity where some values must not be ruled out (Machanavajjhala et al. 2006, §4.2, Definition 4.4).

Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam, "ℓ-Diversity: Privacy Beyond k-Anonymity", ICDE 2006.
"""

from __future__ import annotations

from collections.abc import Hashable
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Literal

import numpy as np

from tcloseness.errors import InputError
from tcloseness.exact import INT64_MAX, Rationals, fits_int64
from tcloseness.microdata import ClassCounts
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.microdata.naming import meant
from tcloseness.models.combination import Combinable, united
from tcloseness.models.declared_values import as_values, codes_of, listed
from tcloseness.models.positive_disclosure import NoValueAtRisk, PositiveDisclosureRecursive
from tcloseness.models.protocol import ModelResult, Monotone, result
from tcloseness.models.thresholds import Exact, at_least, below, texts, whole

__all__ = ["NegativeDisclosure", "NegativePositiveRecursive"]

Unit = Literal["percent", "fraction"]


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
        ``"percent"`` (Machanavajjhala et al. 2006) or ``"fraction"``; the value is in the same unit.

    Notes
    -----
    Monotone under generalization (the share in a union is a mean) and under suppression.

    References
    ----------
    Machanavajjhala et al. 2006, Definition 4.4, its second condition.

    Examples
    --------
    >>> classes = ClassCounts.from_mapping({"a": {"hiv": 1, "flu": 4}, "b": {"hiv": 2, "flu": 2}})
    >>> NegativeDisclosure(20, protected=["hiv"]).evaluate(classes).status
    'satisfied'
    """

    c2: Exact[Fraction | None] = Exact(at_least, 0, default=None)
    protected: Exact[tuple[Hashable, ...]] = Exact(as_values, default=())
    unit: Unit = "percent"
    name = "negative disclosure"
    monotone = Monotone(generalization=True, suppression=True)

    def __post_init__(self) -> None:
        if self.unit not in ("percent", "fraction"):
            raise InputError(f"unit={self.unit!r} is unknown; it is 'percent' or 'fraction'")
        if self.c2 is not None:
            below(self.c2, "c2", 0, self._whole)
        if not self.protected:
            raise InputError("protected is empty; name at least one sensitive value that must not be ruled out")

    @property
    def _whole(self) -> int:
        return 100 if self.unit == "percent" else 1

    def evaluate(self, classes: ClassCounts | FullTable) -> ModelResult:
        """Measure the least share of a protected value in a class; the margin is it minus c₂."""
        classes = in_shape(classes, ClassCounts)
        codes = codes_of(classes.domain, self.protected)
        theirs, starts = np.isin(classes.values, codes), classes.starts[:-1]
        least = np.minimum.reduceat(np.where(theirs, classes.counts, INT64_MAX), starts)
        different = {meant(value, classes.domain) for value in self.protected}
        least[np.add.reduceat(theirs, starts, dtype=np.int64) < len(different)] = 0
        dtype = np.int64 if fits_int64(self._whole, int(least.max())) else object
        return result(
            self,
            classes,
            Rationals(least.astype(dtype) * self._whole, classes.people),
            citation="Machanavajjhala et al. 2006, Definition 4.4",
            parameters={**texts(c2=self.c2), "protected": listed(self.protected)},
            threshold=self.c2,
            worst_is="smallest",
            threshold_name="c2",
            bounds=(0, self._whole),
            reading="the least share of a protected value in a class, "
            + ("in percent" if self.unit == "percent" else "as a fraction"),
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
    Machanavajjhala et al. 2006, Definition 4.4.

    Examples
    --------
    >>> classes = ClassCounts.from_mapping({"a": {"hiv": 1, "flu": 2, "cold": 2}})
    >>> NegativePositiveRecursive(2, c1=1, c2=25, protected=["hiv"]).evaluate(classes).status
    'violated'
    """

    l: Exact[int] = Exact(whole, default=2)  # noqa: E741
    c1: Exact[Fraction | None] = Exact(at_least, 0, default=None, above=True)
    c2: Exact[Fraction | None] = Exact(at_least, 0, default=None)
    allowed: Exact[tuple[Hashable, ...]] = Exact(as_values, default=())
    protected: Exact[tuple[Hashable, ...]] = Exact(as_values, default=())
    unit: Unit = "percent"
    no_value_at_risk: NoValueAtRisk = "satisfied"
    name = "npd-recursive (c1,c2,l)-diversity"
    monotone = Monotone(generalization=True, suppression=True)

    def __post_init__(self) -> None:
        _ = self._positive, self._negative  # which refuse what they cannot be made of

    @property
    def _positive(self) -> PositiveDisclosureRecursive:
        return PositiveDisclosureRecursive(self.l, None, self.allowed, self.no_value_at_risk)

    @property
    def _negative(self) -> NegativeDisclosure:
        return NegativeDisclosure(self.c2, self.protected, self.unit)

    def evaluate(self, classes: ClassCounts | FullTable) -> ModelResult:
        """Measure the greatest bound of a class and the least share of a protected value."""
        classes = in_shape(classes, ClassCounts)
        positive = PositiveDisclosureRecursive(self.l, self.c1, self.allowed, self.no_value_at_risk).evaluate(classes)
        negative = self._negative.evaluate(classes)
        renamed = {"c1" if name == "c" else name: text for name, text in positive.parameters.items()}
        return united(
            self,
            classes,
            replace(positive, threshold_name="c1"),
            [negative],
            citation="Machanavajjhala et al. 2006, Definition 4.4",
            parameters={**renamed, **negative.parameters},
            title=f"npd-recursive (c1,c2,{self.l})-diversity",
        )
