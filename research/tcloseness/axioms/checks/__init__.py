"""All checks, in the order in which they are made and printed."""

from __future__ import annotations

from tcloseness.axioms.checks import algorithms, calling, desiderata, invariance, numbers, values
from tcloseness.axioms.verdict import Check

__all__ = ["CHECKS"]

CHECKS: tuple[Check, ...] = (
    *values.VALUES,
    *calling.CHECKS,
    *invariance.CHECKS,
    *values.METRIC,
    *algorithms.CHECKS,
    *desiderata.CHECKS,
    *numbers.CHECKS,
)
