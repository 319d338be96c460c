"""Whether a measure is a metric."""

from __future__ import annotations

from typing import Any

from tcloseness.axioms.check import Check
from tcloseness.axioms.laws import Call, Claim, Law, Named, side
from tcloseness.axioms.subject import Scene

__all__ = ["CHECKS"]


def _symmetric(scene: Scene, case: Any, p: Named, q: Named) -> Claim:
    return Claim(side(Call(scene, p, q)), "=", side(Call(scene, q, p)))


def _triangle(scene: Scene, case: Any, p: Named, q: Named, r: Named) -> Claim:
    return Claim(side(Call(scene, p, r)), "≤", side(Call(scene, p, q), Call(scene, q, r)))


CHECKS = (
    Check(
        "symmetric",
        "D(P, Q) = D(Q, P)",
        "TC §4 (the EMD is a metric where the ground distance is)",
        "it matters which of class and table comes first; results of others may have it the other way round",
        "metric",
        lambda e: e.settle(Law(("P", "Q"), _symmetric, most=6)),
    ),
    Check(
        "triangle",
        "D(P, R) ≤ D(P, Q) + D(Q, R)",
        "TC §4 (the EMD is a metric where the ground distance is)",
        "closeness does not carry over: classes close to the table may be arbitrarily far from each other",
        "metric",
        lambda e: e.settle(Law(("P", "Q", "R"), _triangle, most=4)),
    ),
)
