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

from tcloseness.exact import ExactReal, LogSum, nearest_double, number_text

__all__ = ["DOUBLE_TOLERANCE", "Amount", "amount", "difference_sign", "is_exact", "text", "weighted"]

DOUBLE_TOLERANCE = 2.0**-24
"""How far two values may differ, relative to the greater of them and 1, before doubles are believed to differ.

A square root turns an error of 2⁻⁵³ near 0 into 2⁻²⁶·⁵; two bits more leave room for a sum of a few values.
"""

_CLEAR = 2.0**-36
"""Doubles of exact values that differ by more than this, relative, are in the order of the values."""


@dataclass(frozen=True)
class Amount:
    """A real number (or infinity) with its double. `value` is exact, or the double itself."""

    value: Fraction | ExactReal | float
    double: float
    epsilon: float = 0.0
    """The rounding unit of the type that was returned; 0 for exact types."""


def amount(value: Any) -> Amount | None:
    """Read what a measure returned; None if it is no real number."""
    if isinstance(value, np.ndarray) and value.ndim == 0:
        value = value[()]
    if isinstance(value, (bool, np.bool_)):
        return None
    if isinstance(value, ExactReal):
        return Amount(value, float(value))
    if isinstance(value, numbers.Rational):
        fraction = Fraction(int(value.numerator), int(value.denominator))
        return Amount(fraction, nearest_double(fraction))
    if isinstance(value, Decimal) and value.is_finite():
        return amount(Fraction(value))
    if isinstance(value, (float, np.floating)):
        double = float(value)
        kind = np.finfo(type(value)) if isinstance(value, np.floating) else np.finfo(float)
        return None if math.isnan(double) else Amount(double, double, 0.0 if math.isinf(double) else float(kind.eps))
    return None


def is_exact(found: Amount) -> bool:
    """Say whether the value is exact; infinity is."""
    return not isinstance(found.value, float) or math.isinf(found.value)


def weighted(parts: Iterable[tuple[Fraction, Amount]]) -> Amount:
    """Return Σ share·value with shares ≥ 0 and 0·∞ = 0."""
    used = [(share, part) for share, part in parts if share]
    if len(used) == 1 and used[0][0] == 1:
        return used[0][1]
    double = math.fsum(nearest_double(share) * part.double for share, part in used)
    epsilon = max((part.epsilon for _, part in used), default=0.0)
    if math.isinf(double):
        return Amount(double, double, epsilon)
    rational = [(share, part.value) for share, part in used if isinstance(part.value, Fraction)]
    logarithms = [(share, part.value) for share, part in used if isinstance(part.value, LogSum)]
    if len(rational) + len(logarithms) < len(used):
        return Amount(double, double, max(epsilon, float(np.finfo(float).eps)))
    exact = sum((share * value for share, value in rational), Fraction(0))
    if not logarithms:
        return Amount(exact, nearest_double(exact))
    total = type(logarithms[0][1])({}).minus(-exact)
    for share, value in logarithms:
        total = total.minus(type(value)({b: -share * e for b, e in value.terms.items()}, -share * value.constant))
    return Amount(total, double)


def difference_sign(a: Amount, b: Amount) -> int:
    """Return the sign of a − b; 0 also where rounding may be all of the difference."""
    if math.isinf(a.double) or math.isinf(b.double):
        return (a.double > b.double) - (a.double < b.double)
    gap = a.double - b.double
    size = max(abs(a.double), abs(b.double), 1.0)
    exact = is_exact(a) and is_exact(b)
    margin = _CLEAR * size if exact else max(DOUBLE_TOLERANCE, 16 * max(a.epsilon, b.epsilon)) * size
    if abs(gap) > margin:
        return 1 if gap > 0 else -1
    if not exact:
        return 0
    try:
        return int(a.value > b.value) - int(a.value < b.value)
    except (TypeError, ValueError):  # two kinds that have no exact order
        return 0


def text(found: Amount) -> str:
    """Write a value: exactly where that is short, else by its double."""
    value = found.value
    if isinstance(value, Fraction):
        written = number_text(value)
        return written if len(written) <= 24 else f"{found.double:.6g}"
    if isinstance(value, float):
        return repr(value)
    return f"{found.double:.10g}"
