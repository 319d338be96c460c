"""Exact sums of products of whole numbers, fast where 64 bits are enough."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction

import numpy as np

from tcloseness.exact import IntArray, LogSum, fits_int64

__all__ = ["log_sum", "sum_of_products"]

_SAFE = 2.0**62
"""Below it a sum fits 64 bits: the double that estimates it is off by far less than a factor 2."""


def sum_of_products(*factors: IntArray) -> int:
    """Return Σ_i Π_j factors[j][i] exactly, for whole numbers ≥ 0.

    Notes
    -----
    64-bit unsigned arithmetic is exact modulo 2⁶⁴, so only the *sum* has to fit, which a double decides beforehand;
    otherwise Python integers do the work.

    Examples
    --------
    >>> sum_of_products(np.array([2, 3]), np.array([5, 7]))
    31
    """
    if not len(factors[0]):
        return 0
    if len(factors) == 2 and all(f.dtype == np.int64 for f in factors):
        most, other = (int(f.max()) for f in factors)
        if fits_int64(most, other, len(factors[0])):
            return int(factors[0] @ factors[1])
    size = np.ones(len(factors[0]), dtype=np.float64)
    for factor in factors:
        size *= factor.astype(np.float64)
    if np.isfinite(size).all() and size.sum() < _SAFE and all(f.dtype != object for f in factors):
        product = np.ones(len(factors[0]), dtype=np.uint64)
        for factor in factors:
            product *= factor.astype(np.uint64)
        return int(product.sum(dtype=np.uint64))
    exact = np.ones(len(factors[0]), dtype=object)
    for factor in factors:
        exact = exact * factor.astype(object)
    return int(exact.sum())


def log_sum(terms: Iterable[tuple[int, Fraction | int]]) -> LogSum:
    """Return Σ e·ln b over pairs (b, e); a base may come more than once.

    >>> log_sum([(2, 1), (2, 2)]) == LogSum({8: Fraction(1)})
    True
    """
    summed: dict[int, Fraction] = {}
    for base, exponent in terms:
        summed[base] = summed.get(base, Fraction(0)) + exponent
    return LogSum({base: exponent for base, exponent in summed.items() if base != 1 and exponent})
