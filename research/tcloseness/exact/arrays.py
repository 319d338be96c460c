"""Arrays of exact rational numbers, and the integers and doubles beneath them."""

from __future__ import annotations

import math
import sys
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from tcloseness.errors import InputError
from tcloseness.printable import Brief

__all__ = ["INT64_MAX", "RATIO_FILTER", "IntArray", "Rationals", "fits_int64", "nearest_double"]

IntArray = npt.NDArray[Any]
"""An array of integers: int64 where the bounds allow it, Python ints (dtype object) elsewhere."""

INT64_MAX = 2**63 - 1

RATIO_FILTER = 2.0**-50
"""Relative error bound of ``float(a) / float(b)`` for integers a, b.

Each conversion to double and the division are off by at most a factor 1 ± 2⁻⁵³ (IEEE 754, round to nearest), together
less than 4·2⁻⁵³ = 2⁻⁵¹; the bound doubles that.
"""


def fits_int64(*factors: int) -> bool:
    """Say whether the product of the absolute factors stays within int64, so that no intermediate can overflow.

    A factor 0 does not make another one fit.
    """
    return math.prod(max(abs(int(f)), 1) for f in factors) <= INT64_MAX


def _double(numerator: int, denominator: int) -> float:
    """Return the nearest finite double of a ratio, or infinity for the denominator 0."""
    try:
        return numerator / denominator if denominator else math.inf  # correctly rounded for integers of any size
    except OverflowError:
        return sys.float_info.max if numerator > 0 else -sys.float_info.max


def nearest_double(number: Fraction) -> float:
    """Return the nearest finite double of a fraction; the greatest one stands for everything above it."""
    return _double(number.numerator, number.denominator)


@dataclass(frozen=True, eq=False)
class Rationals(Brief):
    """Exact rational numbers, one an equivalence class: ``numerators[i] / denominators[i]``.

    Numerators are ≥ 0 and denominators > 0; both have shape (classes,), dtype int64 or object (Python ints). A
    denominator 0 with a positive numerator stands for infinity.
    """

    numerators: IntArray
    denominators: IntArray

    def __post_init__(self) -> None:
        for name in ("numerators", "denominators"):
            if getattr(self, name).dtype.kind not in "iO":
                raise InputError(
                    f"the {name} of Rationals are of dtype {getattr(self, name).dtype}; they must be int64, or object "
                    "(Python ints) where a product of counts may exceed 64 bits"
                )

    def __len__(self) -> int:
        return len(self.numerators)

    def __getitem__(self, index: int) -> Fraction | float:
        """Return one value: a `Fraction`, or ``math.inf``."""
        numerator, denominator = int(self.numerators[index]), int(self.denominators[index])
        return Fraction(numerator, denominator) if denominator else math.inf

    def floats(self) -> npt.NDArray[np.float64]:
        """Return the values as doubles, each within `RATIO_FILTER` of the exact one, for filters and figures.

        Rounding keeps the order, also where a double has fewer digits (below 10⁻³⁰⁸) or none (the greatest double
        stands for everything above it).
        """
        if self.numerators.dtype == object or self.denominators.dtype == object:
            pairs = zip(self.numerators.tolist(), self.denominators.tolist(), strict=True)
            return np.array([_double(a, b) for a, b in pairs], dtype=np.float64)
        with np.errstate(divide="ignore"):
            return np.asarray(self.numerators.astype(np.float64) / self.denominators.astype(np.float64))

    def compare(self, threshold: Fraction) -> npt.NDArray[np.int8]:
        """Return the exact sign of ``value − threshold`` for each value."""
        values, bound = self.floats(), _double(threshold.numerator, threshold.denominator)
        with np.errstate(over="ignore"):
            sign = np.sign(values - bound).astype(np.int8)
            unsure = np.abs(values - bound) <= RATIO_FILTER * (values + abs(bound))
        open_ = np.flatnonzero(unsure & np.isfinite(values))
        if len(open_):
            sign[open_] = self._exact_signs(open_, threshold)
        return sign

    def _exact_signs(self, indices: npt.NDArray[np.intp], threshold: Fraction) -> npt.NDArray[np.int8]:
        """Return the signs of numerator·b − a·denominator for a threshold a/b, in int64 where the products fit."""
        numerators, denominators = self.numerators[indices], self.denominators[indices]
        a, b = threshold.numerator, threshold.denominator
        if not (fits_int64(int(numerators.max()), b) and fits_int64(int(denominators.max()), a)):
            numerators, denominators = numerators.astype(object), denominators.astype(object)
        left, right = numerators * b, denominators * a
        return (left > right).astype(np.int8) - (left < right).astype(np.int8)

    def largest(self) -> tuple[Fraction | float, npt.NDArray[np.intp]]:
        """Return the greatest value and the indices of all entries that reach it."""
        return self._extreme(+1)

    def smallest(self) -> tuple[Fraction | float, npt.NDArray[np.intp]]:
        """Return the least value and the indices of all entries that reach it."""
        return self._extreme(-1)

    def _extreme(self, sign: int) -> tuple[Fraction | float, npt.NDArray[np.intp]]:
        if not len(self):
            raise InputError("there is no equivalence class, so there is no extreme value; check for an empty table")
        values = sign * self.floats()
        best = float(values.max())
        if math.isinf(best):
            return math.inf, np.flatnonzero(values == best)
        near = np.flatnonzero((values >= best - 2 * RATIO_FILTER * abs(best)) & np.isfinite(values))
        first = self[int(near[0])]
        if self._all_equal(near):  # ties are common: one-record classes
            return first, near
        exact: dict[tuple[int, int], list[int]] = {}
        for i in near.tolist():
            exact.setdefault((int(self.numerators[i]), int(self.denominators[i])), []).append(i)
        reduced = {pair: Fraction(*pair) for pair in exact}
        extreme = (max if sign > 0 else min)(reduced.values())
        indices = [i for pair, value in reduced.items() if value == extreme for i in exact[pair]]
        return extreme, np.array(sorted(indices), dtype=np.intp)

    def _all_equal(self, indices: npt.NDArray[np.intp]) -> bool:
        numerators, denominators = self.numerators[indices], self.denominators[indices]
        if (numerators == numerators[0]).all() and (denominators == denominators[0]).all():
            return True  # no common divisors of millions are needed
        divisors = np.gcd(numerators, denominators)
        numerators, denominators = numerators // divisors, denominators // divisors
        return bool((numerators == numerators[0]).all() and (denominators == denominators[0]).all())
