"""The values of a measure: their range, where there are any, and when they are 0."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

from tcloseness.axioms import symbolic
from tcloseness.axioms.amounts import Amount
from tcloseness.axioms.check import Check
from tcloseness.axioms.examination import Examination, Vectors
from tcloseness.axioms.laws import ONE, ZERO, Call, Claim, Law, Named, found_wrong, side
from tcloseness.axioms.subject import Scene, Vector, shown
from tcloseness.axioms.verdict import Counterexample, Verdict

__all__ = ["CHECKS"]

_PAIR = ("P", "Q")

_CLEARLY_APART = Fraction(1, 2**11)
"""Σ|p − q| of distributions that doubles can tell apart by a distance that grows with the square of it."""


def _non_negative(scene: Scene, case: Any, p: Named, q: Named) -> Claim:
    return Claim(side(ZERO), "≤", side(Call(scene, p, q)))


def _zero_on_equal(scene: Scene, case: Any, p: Named) -> Claim:
    return Claim(side(Call(scene, p, p)), "=", side(ZERO))


def _positive(scene: Scene, case: Any, p: Named, q: Named) -> Claim:
    return Claim(side(ZERO), "<", side(Call(scene, p, q)))


def _apart(p: Vector, q: Vector) -> bool:
    return sum(abs(a - b) for a, b in zip(p, q, strict=True)) >= _CLEARLY_APART


def _differ(p: list[Any], q: list[Any]) -> list[Any]:
    return [symbolic.either(*(a != b for a, b in zip(p, q, strict=True)))]


def _bounded(scene: Scene, case: Any, p: Named, q: Named) -> Claim:
    m = scene.m
    greatest = max((scene.ground.distance(i, j) for i in range(m) for j in range(m)), default=ZERO)
    return Claim(side(Call(scene, p, q)), "≤", side(max(greatest, ONE)))


def _finite(examination: Examination, zeros: str) -> Verdict:
    """Ask for a finite number where there are no zeros, zeros in P only, or zeros anywhere."""

    def trial(vectors: Vectors) -> tuple[int, Counterexample | None]:
        p, q = vectors
        wanted = {
            "none": all(p) and all(q),
            "class": all(b for a, b in zip(p, q, strict=True) if a) and not all(p),
            "any": not (all(p) and all(q)),
        }[zeros]
        if not wanted:
            return 0, None
        scene = examination.scene(len(p))
        outcome = scene.outcome(p, q)
        if isinstance(outcome, Amount) and math.isfinite(outcome.double):
            return 1, None
        says = f"= {shown(outcome)}" if isinstance(outcome, Amount) else outcome.what
        return 1, found_wrong(scene, Named("P", p), Named("Q", q), says, "math.isfinite(float({call}))")

    return examination.tried(trial, 2, examination.sizes)


CHECKS = (
    Check(
        "non-negative",
        "D(P, Q) ≥ 0",
        "TC Fact 1; TKDE, wish 2 (non-negativity)",
        "a class could look better than one that equals the table; a threshold t ≥ 0 loses its meaning",
        "values",
        lambda e: e.settle(Law(_PAIR, _non_negative, most=6)),
    ),
    Check(
        "zero-on-equal",
        "D(P, P) = 0",
        "TKDE, wish 1 (identity of indiscernibles)",
        "a class that tells nothing more than the table counts as a disclosure",
        "values",
        lambda e: e.settle(Law(("P",), _zero_on_equal, most=6)),
    ),
    Check(
        "zero-only-on-equal",
        "D(P, Q) > 0 for P ≠ Q",
        "TKDE, wish 1 (identity of indiscernibles)",
        "a class may differ from the table and still pass every threshold, even t = 0",
        "values",
        lambda e: e.settle(Law(_PAIR, _positive, needs=_apart, given=_differ, most=5)),
    ),
    Check(
        "bounded-by-1",
        "D(P, Q) ≤ 1 if all ground distances are (else: at most the greatest of them)",
        "TC Fact 1",
        "thresholds have no common range, and values of different attributes do not compare",
        "values",
        lambda e: e.settle(Law(_PAIR, _bounded, most=6)),
    ),
    Check(
        "finite",
        "D(P, Q) is a finite number where all masses are positive",
        "TC §4 (a distance of any two distributions)",
        "an audit stops, or reports a class without a value",
        "values",
        lambda e: _finite(e, "none"),
    ),
    Check(
        "finite-on-tables",
        "D(P, Q) is a finite number where a class lacks values of the table",
        "TC Definition 2 (P of a class, Q of the whole table)",
        "every class without all values is infinitely far: small classes can never be released",
        "values",
        lambda e: _finite(e, "class"),
    ),
    Check(
        "defined-at-zero",
        "D(P, Q) is a finite number wherever masses of P or of Q are 0",
        "TKDE, wish 4 (zero-probability definability)",
        "the measure has no value against a reference that lacks a value: another table, a sample, (n,t)-closeness",
        "values",
        lambda e: _finite(e, "any"),
    ),
)
