"""ℓ-diversity: every equivalence class has ℓ "well-represented" sensitive values, in three readings.

Machanavajjhala, Gehrke, Kifer, Venkitasubramaniam, "ℓ-Diversity: Privacy Beyond k-Anonymity", ICDE 2006.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from typing import Any

import numpy as np

from tcloseness.errors import InputError
from tcloseness.exact import LOG_FILTER, Exponential, IntArray, LogSum, LogSums, Rationals, exponentials, shown_value
from tcloseness.ground import GroundDistance
from tcloseness.measures.distributions import alike
from tcloseness.microdata import ClassCounts, Domain
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.models.combination import Combinable
from tcloseness.models.conditions import ClassCondition, LeastEntropy, LeastValues, TailBound
from tcloseness.models.protocol import ModelResult, Monotone, result
from tcloseness.models.thresholds import Exact, Option, at_least, texts, whole

__all__ = ["DistinctLDiversity", "EntropyLDiversity", "RecursiveCLDiversity"]


@dataclass(frozen=True)
class DistinctLDiversity(Combinable):
    """Distinct ℓ-diversity: every class has at least ℓ different sensitive values.

    Parameters
    ----------
    l
        A whole number ≥ 1, or None to measure only.

    References
    ----------
    Li et al. 2007, §2; the plainest reading of Machanavajjhala et al. 2006, Principle 2.

    Examples
    --------
    >>> classes = ClassCounts.from_mapping({"a": {"x": 2, "y": 1}, "b": {"x": 2}})
    >>> DistinctLDiversity().evaluate(classes).value
    Fraction(1, 1)
    """

    l: Exact[int | None] = Exact(whole, default=None)  # noqa: E741 (the papers' letter)
    name = "distinct l-diversity"
    of_shares = True
    monotone = Monotone(generalization=True, suppression=True)
    option = Option("distinct_l", "distinct ℓ", "L", "Each class has at least L different values.")

    @property
    def class_conditions(self) -> tuple[ClassCondition, ...]:
        """At least ℓ values."""
        return () if self.l is None else (LeastValues(self.l),)

    def measure_record(self, domain: Domain) -> dict[str, Any]:
        """See `tcloseness.models.protocol.PrivacyModel`."""
        return {"measure": "values"}

    def evaluate(self, classes: ClassCounts | FullTable) -> ModelResult:
        """Measure the least number of different values of a class; the margin is in values."""
        classes = in_shape(classes, ClassCounts)
        distinct = np.diff(classes.starts)
        return result(
            self,
            classes,
            Rationals(distinct, np.ones_like(distinct)),
            citation="Li et al. 2007, §2",
            parameters=texts(l=self.l),
            threshold=None if self.l is None else Fraction(self.l),
            worst_is="smallest",
            threshold_name="l",
            bounds=(1, None),
            reading="different values in the poorest class",
        )


@dataclass(frozen=True)
class EntropyLDiversity(Combinable):
    """Entropy ℓ-diversity: every class has exp(H) ≥ ℓ, with its entropy H = −Σ p·ln p.

    Parameters
    ----------
    l
        A number ≥ 1 (it need not be whole), or None to measure only.

    Notes
    -----
    Each class's value is exp(H), the effective ℓ: as many equally frequent values have the same entropy. It lies
    between 1 and the number of values; H itself, in nats, is in the result's `further`, as ``"entropy"``. The decision
    is exact: exp(H) ≥ ℓ if and only if Π c^c·ℓⁿ ≤ nⁿ, so three values once each are entropy 3-diverse, which rounding
    denies.

    References
    ----------
    Machanavajjhala et al. 2006, Definition 4.1; monotone by Machanavajjhala et al. 2006, Theorem 5.2.

    Examples
    --------
    >>> classes = ClassCounts.from_mapping({"a": {"x": 1, "y": 1, "z": 1}})
    >>> found = EntropyLDiversity(3).evaluate(classes)
    >>> found.status, str(found.value), str(found.further["entropy"])
    ('satisfied', '3', '≈ 1.098612289')
    """

    l: Exact[Fraction | None] = Exact(at_least, 1, default=None)  # noqa: E741
    name = "entropy l-diversity"
    of_shares = True
    monotone = Monotone(generalization=True, suppression=True)
    option = Option("entropy_l", "entropy ℓ", "L", "Each class has entropy at least ln L.")

    @property
    def class_conditions(self) -> tuple[ClassCondition, ...]:
        """H ≥ ln ℓ."""
        return () if self.l is None else (LeastEntropy(self.l),)

    def measure_record(self, domain: Domain) -> dict[str, Any]:
        """See `tcloseness.models.protocol.PrivacyModel`."""
        return {"measure": "entropy"}

    def evaluate(self, classes: ClassCounts | FullTable) -> ModelResult:
        """Measure the least exp(H) of a class; the margin is exp(H) − ℓ."""
        classes = in_shape(classes, ClassCounts)
        found = result(
            self,
            classes,
            exponentials(entropies(classes)),
            citation="Machanavajjhala et al. 2006, Definition 4.1",
            parameters=texts(l=self.l),
            threshold=self.l,
            worst_is="smallest",
            threshold_name="l",
            bounds=(1, None),
            reading="as many equally frequent values have the entropy of the worst class",
            conventions={"entropy": "Shannon; the value is exp(H), the effective l"},
        )
        assert isinstance(found.value, Exponential)
        return replace(found, further={"entropy": found.value.argument})


def entropies(classes: ClassCounts) -> LogSums:
    """Return each class's entropy ln n − Σ (c/n)·ln c in nats, exact on demand."""
    c, n, starts = classes.counts, classes.class_sizes, classes.starts
    log_n = np.log(n.astype(float))
    approximate = c.astype(float)  # one array for all of it: a table may have millions of cells
    np.log(approximate, out=approximate)
    approximate *= c
    approximate = np.add.reduceat(approximate, starts[:-1])
    approximate /= n
    np.subtract(log_n, approximate, out=approximate)
    one_value = np.diff(starts) == 1
    approximate[one_value] = 0.0
    error = np.where(one_value, 0.0, (np.diff(starts) + 8) * LOG_FILTER * (2 * log_n))
    exact, key, same = partial(_entropy, classes), partial(_profile, classes), partial(_alike, classes)
    return LogSums(approximate, error, exact, key, same)


def _profile(classes: ClassCounts, index: int) -> tuple[tuple[int, int], ...]:
    """Return the counts of a class without their common divisor, each with how often it occurs."""
    counts, times = np.unique(classes.counts[slice(*classes.starts[index : index + 2])], return_counts=True)
    divisor = math.gcd(*counts.tolist())
    return tuple(zip((counts // divisor).tolist(), times.tolist(), strict=True))


def _alike(classes: ClassCounts, indices: IntArray) -> IntArray:
    return alike(classes, indices, lambda cells: (classes.counts[cells],))


def _entropy(classes: ClassCounts, index: int) -> LogSum:
    counts = _profile(classes, index)
    size = sum(count * times for count, times in counts)
    terms: dict[int, Fraction] = {size: Fraction(1)}
    for count, times in counts:
        terms[count] = terms.get(count, Fraction(0)) - Fraction(count * times, size)
    return LogSum(terms)


@dataclass(frozen=True)
class RecursiveCLDiversity(Combinable):
    """Recursive (c,ℓ)-diversity: in every class r₁ < c·(r_ℓ + … + r_m), with counts r₁ ≥ r₂ ≥ … ≥ r_m.

    Parameters
    ----------
    l
        A whole number ≥ 1. With l = 1 it always holds (Machanavajjhala et al. 2006, Definition 4.2).
    c
        A number > 0, or None to measure only.

    Notes
    -----
    Each class's value is the bound r₁ / (r_ℓ + … + r_m), infinite with fewer than ℓ values; the property holds if and
    only if c is strictly greater, so a margin of 0 violates it.

    References
    ----------
    Machanavajjhala et al. 2006, Definition 4.2; Li et al. 2007, §2.

    Examples
    --------
    >>> classes = ClassCounts.from_mapping({"a": {"x": 2, "y": 1, "z": 1}})
    >>> RecursiveCLDiversity(3, c=2).evaluate(classes).status
    'violated'
    """

    l: Exact[int] = Exact(whole, default=2)  # noqa: E741
    c: Exact[Fraction | None] = Exact(at_least, 0, default=None, above=True)
    name = "recursive (c,l)-diversity"
    of_shares = True
    monotone = Monotone(generalization=True, suppression=True)
    option = Option(
        "recursive",
        "recursive (c,ℓ)",
        "C,L",
        "In each class the commonest value is rarer than C times all values from the L-th commonest on.",
        pair=("c", "l"),
    )

    @classmethod
    def asked(cls, threshold: Any, ground: GroundDistance) -> RecursiveCLDiversity:
        """Return the model of a pair (c, ℓ); ℓ = 2 where it only measures."""
        if threshold is None:
            return cls(2)
        if not (isinstance(threshold, tuple | list) and len(threshold) == 2):
            raise InputError(f"recursive is {shown_value(threshold)}; it must be a pair (c, l), such as (3, 2)")
        c, l = threshold  # noqa: E741
        return cls(l, c=c)

    @property
    def class_conditions(self) -> tuple[ClassCondition, ...]:
        """r₁ < c·(r_ℓ + … + r_m)."""
        return () if self.c is None else (TailBound(self.l, self.c),)

    def measure_record(self, domain: Domain) -> dict[str, Any]:
        """See `tcloseness.models.protocol.PrivacyModel`."""
        return {"measure": "tail", "l": self.l}

    def evaluate(self, classes: ClassCounts | FullTable) -> ModelResult:
        """Measure the greatest bound r₁ / (r_ℓ + … + r_m) of a class."""
        classes = in_shape(classes, ClassCounts)
        first = np.maximum.reduceat(classes.counts, classes.starts[:-1])
        if self.l <= 2:  # all but the commonest; no order is needed
            tail = classes.class_sizes - first
        else:
            r = classes.counts[np.lexsort((-classes.counts, classes.class_of_cell))]
            rank = np.arange(len(r)) - classes.starts[classes.class_of_cell]
            tail = np.add.reduceat(np.where(rank >= self.l - 1, r, 0), classes.starts[:-1])
        values = Rationals(np.zeros_like(first), np.ones_like(first)) if self.l == 1 else Rationals(first, tail)
        return result(
            self,
            classes,
            values,
            citation="Machanavajjhala et al. 2006, Definition 4.2",
            parameters=texts(l=self.l, c=self.c),
            threshold=self.c,
            worst_is="largest",
            strict=True,
            threshold_name="c",
            bounds=(0, 0 if self.l == 1 else None),
            title=f"recursive (c,{self.l})-diversity",
            reading="the commonest value of a class against its rarer ones",
            why_infinite=f"a class has fewer than {self.l} different values, so its bound is infinite: no c is greater",
            conventions={"comparison": "strict: c must be greater than the value"},
        )
