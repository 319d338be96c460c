"""The values of a distance: their range, where there are any, when they are 0, and whether it is a metric."""

from __future__ import annotations

from fractions import Fraction
from functools import partial
from typing import Any, Literal

from tcloseness.axioms import symbolic
from tcloseness.axioms.checker import Checker, Vectors
from tcloseness.axioms.function import BoundFunction
from tcloseness.axioms.laws import ONE, ZERO, Claim, Law, Named, Vector, wrong_value
from tcloseness.axioms.values import NoNumber
from tcloseness.axioms.verdict import Check, CheckVerdict, Counterexample

__all__ = ["METRIC", "VALUES"]

_PAIR = ("P", "Q")

_CLEARLY_APART = Fraction(1, 2**11)
"""Σ|p − q| of distributions that doubles can tell apart by a distance that grows with the square of it."""


def _apart(p: Vector, q: Vector) -> bool:
    return sum(abs(a - b) for a, b in zip(p, q, strict=True)) >= _CLEARLY_APART


def _differ(p: list[Any], q: list[Any]) -> list[Any]:
    return [symbolic.either(*(a != b for a, b in zip(p, q, strict=True)))]


def _bounded(d: BoundFunction, case: Any, p: Named, q: Named) -> Claim:
    greatest = max((d.ground.distance(i, j) for i in range(d.m) for j in range(d.m)), default=ZERO)
    return d(p, q) <= max(greatest, ONE)


def _finite(checker: Checker, zeros: Literal["none", "class", "any"]) -> CheckVerdict:
    """Ask for a finite number where there are no zeros, zeros in P only, or zeros anywhere."""

    def trial(vectors: Vectors) -> Counterexample | None:
        p, q = vectors
        wanted = {
            "none": all(p) and all(q),
            "class": all(b for a, b in zip(p, q, strict=True) if a) and not all(p),
            "any": not (all(p) and all(q)),
        }[zeros]
        if not wanted:
            return None
        checker.tried += 1
        d = checker.over(len(p))
        value = d.value(p, q)
        if not isinstance(value, NoNumber) and value.finite:
            return None
        says = value.what if isinstance(value, NoNumber) else f"= {value}"
        return wrong_value(d, p, q, says, "math.isfinite(float({call}))")

    return checker.search(trial, 2, checker.sizes)


_values = partial(Check, group="values")
_metric = partial(Check, group="metric")

VALUES = (
    _values(
        "non-negative",
        "D(P, Q) ≥ 0",
        "Li et al. 2007, Fact 1; Li et al. 2010, desideratum 2 (non-negativity)",
        "a class could look better than one that equals the table; a threshold t ≥ 0 loses its meaning",
        Law(_PAIR, lambda d, _, p, q: d(p, q) >= ZERO, most=6),
    ),
    _values(
        "zero-on-equal",
        "D(P, P) = 0",
        "Li et al. 2010, desideratum 1 (identity of indiscernibles)",
        "a class that tells nothing more than the table counts as a disclosure",
        Law(("P",), lambda d, _, p: d(p, p).equals(ZERO), most=6),
    ),
    _values(
        "zero-only-on-equal",
        "D(P, Q) > 0 for P ≠ Q",
        "Li et al. 2010, desideratum 1 (identity of indiscernibles)",
        "a class may differ from the table and still pass every threshold, even t = 0",
        Law(_PAIR, lambda d, _, p, q: d(p, q) > ZERO, needs=_apart, given=_differ, most=5),
    ),
    _values(
        "bounded-by-1",
        "D(P, Q) ≤ 1 if all ground distances are (else: at most the greatest of them)",
        "Li et al. 2007, Fact 1",
        "thresholds have no common range, and values of different attributes do not compare",
        Law(_PAIR, _bounded, most=6),
    ),
    _values(
        "finite",
        "D(P, Q) is a finite number where all masses are positive",
        "Li et al. 2007, §4 (a distance of any two distributions)",
        "an audit stops, or reports a class without a value",
        lambda checker: _finite(checker, "none"),
    ),
    _values(
        "finite-on-tables",
        "D(P, Q) is a finite number where a class lacks values of the table",
        "Li et al. 2007, Definition 2 (P of a class, Q of the whole table)",
        "every class without all values is infinitely far: small classes can never be released",
        lambda checker: _finite(checker, "class"),
    ),
    _values(
        "defined-at-zero",
        "D(P, Q) is a finite number wherever masses of P or of Q are 0",
        "Li et al. 2010, desideratum 4 (zero-probability definability)",
        "the measure has no value against a reference that lacks a value: another table, a sample, (n,t)-closeness",
        lambda checker: _finite(checker, "any"),
    ),
)

METRIC = (
    _metric(
        "symmetric",
        "D(P, Q) = D(Q, P)",
        "Li et al. 2007, §4 (the EMD is a metric where the ground distance is)",
        "it matters which of class and table comes first; results of others may have it the other way round",
        Law(_PAIR, lambda d, _, p, q: d(p, q).equals(d(q, p)), most=6),
    ),
    _metric(
        "triangle",
        "D(P, R) ≤ D(P, Q) + D(Q, R)",
        "Li et al. 2007, §4 (the EMD is a metric where the ground distance is)",
        "closeness does not carry over: classes close to the table may be arbitrarily far from each other",
        Law(("P", "Q", "R"), lambda d, _, p, q, r: d(p, r) <= d(p, q) + d(q, r), most=4),
    ),
)
