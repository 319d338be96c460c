"""Values that a measure returns, compared: exactly where they are exact, else beyond a named rounding error.

A value is a rational number, an `ExactReal`, infinity or a double. A claim compares two weighted sums of values. Sums
of rational numbers and of logarithms are exact; sums of square roots, and everything with a double in it, are compared
as doubles, and only a difference past the tolerance counts.
"""

from __future__ import annotations

import math
import numbers
from collections.abc import Iterable
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from tcloseness.exact import ExactReal, LogSum, exact_sum, nearest_double, number_text

__all__ = ["DOUBLE_TOLERANCE", "NoNumber", "Value", "as_value", "difference_sign", "weighted_sum"]

DOUBLE_TOLERANCE = 2.0**-24
"""How far two values may differ, relative to the greater of them and 1, before doubles are believed to differ.

A square root turns an error of 2⁻⁵³ near 0 into 2⁻²⁶·⁵; two bits more leave room for a sum of a few values.
"""

_CLEAR = 2.0**-36
"""Doubles of exact values that differ by more than this, relative, are in the order of the values."""


@dataclass(frozen=True)
class Value:
    """A real number (or infinity) with its double. `number` is exact, or the double itself."""

    number: Fraction | ExactReal | float
    double: float
    epsilon: float = 0.0
    """The rounding unit of the type that was returned; 0 for exact types."""

    @property
    def exact(self) -> bool:
        """Whether the number is exact; infinity is."""
        return not isinstance(self.number, float) or math.isinf(self.number)

    @property
    def finite(self) -> bool:
        """Whether it is a finite number."""
        return math.isfinite(self.double)

    def __str__(self) -> str:
        """Write the number: exactly where that is short, else its double."""
        if isinstance(self.number, Fraction):
            written = number_text(self.number)
            return written if len(written) <= 24 else f"{self.double:.6g}"
        return repr(self.number) if isinstance(self.number, float) else f"{self.double:.10g}"


@dataclass(frozen=True)
class NoNumber:
    """The function raised, or returned something that is not a real number."""

    what: str

    def __str__(self) -> str:
        return self.what


def as_value(value: Any) -> Value | None:
    """Read what a function returned; None if it is not a real number."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, (bool, np.bool_)):
        return None
    if isinstance(value, ExactReal):
        return Value(value, float(value))
    if isinstance(value, Decimal):
        value = Fraction(value) if value.is_finite() else math.nan if value.is_nan() else float(value)
    if isinstance(value, numbers.Rational):
        fraction = Fraction(int(value.numerator), int(value.denominator))
        return Value(fraction, nearest_double(fraction))
    if isinstance(value, numbers.Real):
        double = float(value)
        kind = np.finfo(type(value)) if isinstance(value, np.floating) else np.finfo(float)
        return None if math.isnan(double) else Value(double, double, 0.0 if math.isinf(double) else float(kind.eps))
    return None


def weighted_sum(parts: Iterable[tuple[Fraction, Value]]) -> Value | None:
    """Return Σ share·value with shares ≥ 0 and 0·∞ = 0; None for ∞ − ∞."""
    used = [(share, part) for share, part in parts if share]
    if len(used) == 1 and used[0][0] == 1:
        return used[0][1]
    epsilon = max((part.epsilon for _, part in used), default=0.0)
    infinite = {part.double for _, part in used if math.isinf(part.double)}
    if infinite:
        one = infinite.pop()
        return None if infinite else Value(one, one, epsilon)
    try:
        double = math.fsum(nearest_double(share) * part.double for share, part in used)
    except OverflowError:
        double = math.inf
    if math.isinf(double):  # finite, and past every double
        double = nearest_double(exact_sum(share * Fraction(part.double) for share, part in used))
    rational = [(share, part.number) for share, part in used if isinstance(part.number, Fraction)]
    logarithms = [(share, part.number) for share, part in used if isinstance(part.number, LogSum)]
    if len(rational) + len(logarithms) < len(used):
        return Value(double, double, max(epsilon, float(np.finfo(float).eps)))
    exact = sum((share * value for share, value in rational), Fraction(0))
    if not logarithms:
        return Value(exact, nearest_double(exact))
    total = type(logarithms[0][1])({}).minus(-exact)
    for share, value in logarithms:
        total = total.minus(type(value)({b: -share * e for b, e in value.terms.items()}, -share * value.constant))
    return Value(total, double)


def difference_sign(a: Value, b: Value) -> int:
    """Return the sign of a − b; 0 also where rounding may be all of the difference."""
    if math.isinf(a.double) or math.isinf(b.double):
        return (a.double > b.double) - (a.double < b.double)
    gap = a.double - b.double
    size = max(abs(a.double), abs(b.double), 1.0)
    exact = a.exact and b.exact
    margin = _CLEAR * size if exact else max(DOUBLE_TOLERANCE, 16 * max(a.epsilon, b.epsilon)) * size
    if abs(gap) > margin:
        return 1 if gap > 0 else -1
    if not exact:
        return 0
    try:
        return int(a.number > b.number) - int(a.number < b.number)
    except (TypeError, ValueError):  # two kinds that have no exact order
        return 0
