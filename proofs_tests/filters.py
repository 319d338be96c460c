"""What a filter owes: a double that is known to be near enough, and that spares exact arithmetic where it can."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np

__all__ = ["assert_spares_exact_values", "assert_within"]


def assert_within(found: Any, g: int = 0) -> None:
    """The exact value lies within the double's bound, compared exactly."""
    double, error = Fraction(float(found.approximate[g])), Fraction(float(found.error[g]))
    assert double - error <= found.exact(g) <= double + error


def assert_spares_exact_values(found: Any, *, above: bool) -> None:
    """A class a millionth off a threshold, above or below it, is decided by its double."""
    for value in found.floats()[np.isfinite(found.floats())].tolist():
        distance = (1 + value) / 10**6
        threshold = Fraction(value + distance if above else value - distance)

        def exact(g: int, threshold: Fraction = threshold, distance: float = distance) -> Any:
            assert abs(found.floats()[g] - float(threshold)) < distance / 2
            return found.exact(g)

        replace(found, exact=exact).compare(threshold)
