"""All checks, in the order in which they are made and printed."""

from __future__ import annotations

from tcloseness.axioms.check import Check
from tcloseness.axioms.checks import algorithms, bounds, calling, invariance, metric, numbers, values, wishes

__all__ = ["CHECKS"]

CHECKS: tuple[Check, ...] = (
    *values.CHECKS,
    *calling.CHECKS,
    *invariance.CHECKS,
    *metric.CHECKS,
    *algorithms.CHECKS,
    *wishes.CHECKS,
    *bounds.CHECKS,
    *numbers.CHECKS,
)
