"""β-likeness: how much more likely a class makes a value, relative to what the table says already.

Cao, Karras, "Publishing Microdata with a Robust Privacy Guarantee", PVLDB 5(11), 2012.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np

from tcloseness.exact import LOG_FILTER, Rationals, log_of
from tcloseness.measures.ratio import cell_ratios, greatest_ratios
from tcloseness.microdata import ClassCounts, Domain
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.models.combination import Combinable
from tcloseness.models.conditions import ClassCondition, ShareBounds
from tcloseness.models.protocol import ModelResult, Monotone, result
from tcloseness.models.thresholds import Exact, Option, at_least, texts

__all__ = ["BasicBetaLikeness", "EnhancedBetaLikeness"]

_CONVENTIONS = {"absent values": "a value that a class has less often than the table, or not at all, is not a gain"}


@dataclass(frozen=True)
class BasicBetaLikeness(Combinable):
    """Basic β-likeness: (p_s − q_s)/q_s ≤ β for every class and every value with p_s > q_s.

    p is the distribution in the class and q the table's (Cao and Karras 2012 writes them the other way round).

    Parameters
    ----------
    beta
        A number ≥ 0, or None to measure only.

    Notes
    -----
    The value is the smallest β that holds: the greatest relative gain, in [0, ∞), infinite only where the reference
    lacks a value of the class. ≤ is exact. Monotone under generalization (the gain is linear in p); not under
    suppression, which changes q.

    References
    ----------
    Cao and Karras 2012, basic β-likeness.

    Examples
    --------
    >>> classes = ClassCounts.from_mapping({"a": {"A": 99, "B": 1}, "b": {"A": 1, "B": 24}})
    >>> BasicBetaLikeness().evaluate(classes).value
    Fraction(19, 5)
    """

    beta: Exact[Fraction | None] = Exact(at_least, 0, default=None)
    name = "basic beta-likeness"
    of_shares = True
    monotone = Monotone(generalization=True, suppression=False)
    option = Option("beta", "β", "B", "No value's probability rises by more than B times itself.")

    @property
    def class_conditions(self) -> tuple[ClassCondition, ...]:
        """p ≤ (1 + β)·q."""
        if (beta := self.beta) is None:
            return ()
        return (ShareBounds(most=lambda p, q: p <= (1 + beta) * q, gain=beta),)

    def measure_record(self, domain: Domain) -> dict[str, Any]:
        """See `tcloseness.models.protocol.PrivacyModel`."""
        return {"measure": "gain"}

    def evaluate(self, classes: ClassCounts | FullTable) -> ModelResult:
        """Measure the greatest relative gain of a class."""
        classes = in_shape(classes, ClassCounts)
        return result(
            self,
            classes,
            _gains(classes),
            citation="Cao and Karras 2012, basic β-likeness",
            parameters=texts(beta=self.beta),
            threshold=self.beta,
            worst_is="largest",
            threshold_name="beta",
            bounds=(0, None),
            reading="a class raises a value's probability by at most this share of it",
            why_infinite="a class has a value that the reference lacks",
            conventions=_CONVENTIONS,
        )


@dataclass(frozen=True)
class EnhancedBetaLikeness(Combinable):
    """Enhanced β-likeness: (p_s − q_s)/q_s ≤ min(β, −ln q_s) for every class and every value with p_s > q_s.

    Parameters
    ----------
    beta
        A number ≥ 0, or None to measure only.

    Notes
    -----
    The cap −ln q_s is each value's own, whatever β is. So a class's value is the smallest β that holds, which is its
    greatest relative gain, or infinity if a gain exceeds its value's cap: then no β holds. A gain is a rational number
    and a cap a logarithm; they are compared exactly, and are never equal. Monotone under generalization (each bound on
    p_s is linear), not under suppression.

    References
    ----------
    Cao and Karras 2012, enhanced β-likeness.

    Examples
    --------
    >>> classes = ClassCounts.from_mapping({"a": {"A": 99, "B": 1}, "b": {"A": 1, "B": 24}})
    >>> found = EnhancedBetaLikeness().evaluate(classes)
    >>> found.value, found.notes
    (inf, ('no beta satisfies enhanced beta-likeness: in 2 of 2 classes a gain exceeds −ln q of its value',))
    """

    beta: Exact[Fraction | None] = Exact(at_least, 0, default=None)
    name = "enhanced beta-likeness"
    of_shares = True
    monotone = Monotone(generalization=True, suppression=False)
    option = Option("enhanced_beta", "enhanced β", "B", "The same with the cap -ln p for common values.")

    @property
    def class_conditions(self) -> tuple[ClassCondition, ...]:
        """p ≤ q, or p/q − 1 ≤ β and below −ln q, which it never equals."""
        if (beta := self.beta) is None:
            return ()

        def most(p: Fraction, q: Fraction) -> bool:
            return p <= q or (q > 0 and p / q - 1 <= beta and not log_of(1 / q) < p / q - 1)

        return (ShareBounds(most=most),)

    def evaluate(self, classes: ClassCounts | FullTable) -> ModelResult:
        """Measure the smallest β of each class, infinite where none holds."""
        classes = in_shape(classes, ClassCounts)
        gains, above_cap = _gains(classes), np.concatenate([*map(_above_cap, classes.in_parts())])
        hopeless = np.count_nonzero(above_cap)
        note = (
            f"no beta satisfies enhanced beta-likeness: in {hopeless} of {len(classes)} classes "
            "a gain exceeds −ln q of its value"
        )
        values = Rationals(np.where(above_cap, 1, gains.numerators), np.where(above_cap, 0, gains.denominators))
        return result(
            self,
            classes,
            values,
            citation="Cao and Karras 2012, enhanced β-likeness",
            parameters=texts(beta=self.beta),
            threshold=self.beta,
            worst_is="largest",
            threshold_name="beta",
            bounds=(0, None),
            reading="the same, and rare values may gain more than common ones",
            why_infinite="a value gains more than its cap allows, whatever beta is",
            conventions={**_CONVENTIONS, "unit": "the caps −ln q in nats"},
            notes=(note,) if hopeless else (),
        )


def _gains(classes: ClassCounts) -> Rationals:
    """Return the greatest p/q − 1 of each class. It is ≥ 0: both sum to 1, so some value has p ≥ q."""
    greatest = greatest_ratios(classes, either_way=False)
    infinite = greatest.denominators == 0
    return Rationals(np.where(infinite, 1, greatest.numerators - greatest.denominators), greatest.denominators)


def _above_cap(classes: ClassCounts) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Say for each class whether some value has p > q and p/q − 1 > −ln q."""
    ours, theirs = cell_ratios(classes)
    counts, total = classes.reference[classes.values], int(classes.reference.sum())
    gain = Rationals(ours, theirs).floats() - 1
    cap = math.log(total) - np.log(np.maximum(counts, 1).astype(float))
    difference = np.where(np.isfinite(gain), gain, 0.0) - cap
    unsure = np.abs(difference) <= LOG_FILTER * (np.abs(gain) + 2 * math.log(total) + 2)
    exceeds = difference > 0
    for i in np.flatnonzero(unsure & np.isfinite(gain)).tolist():
        exact = Fraction(int(ours[i]), int(theirs[i])) - 1
        exceeds[i] = log_of(Fraction(total, int(counts[i]))) < exact
    exceeds |= ~np.isfinite(gain)
    return np.asarray(np.logical_or.reduceat(exceeds & (ours > theirs).astype(bool), classes.starts[:-1]))
