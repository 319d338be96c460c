"""Sums of square roots of whole numbers, and a square root of an exact number, compared exactly.

Floating point filters; what it cannot decide is decided here. The square roots of whole numbers with different
squarefree parts are linearly independent over the rationals (Besicovitch 1940), so a sum is 0 exactly if its
coefficients cancel within each squarefree part, which two numbers share exactly if their product is a square; any
other sum is away from 0, and a finite precision shows on which side.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, partial

import numpy as np

from tcloseness.exact.arrays import RATIO_FILTER
from tcloseness.exact.rationals import common_denominator
from tcloseness.exact.reals import ExactReal, Filtered, Image

__all__ = ["RootSum", "SquareRoot", "root_of", "square_roots"]


@dataclass(frozen=True, eq=False)
class RootSum(ExactReal):
    """The number constant + Σ e·√b over ``terms[b] = e``.

    Attributes
    ----------
    terms
        {whole number b ≥ 0: rational coefficient e}.
    constant
        A rational number to add.

    Examples
    --------
    >>> RootSum({8: Fraction(1)}) == RootSum({2: Fraction(2)}), RootSum({9: Fraction(1)}) == 3
    (True, True)
    >>> RootSum({2: Fraction(1), 3: Fraction(1)}) > RootSum({10: Fraction(1)})  # 3.146 against 3.162
    False
    """

    terms: Mapping[int, Fraction]
    constant: Fraction = Fraction(0)

    def __float__(self) -> float:
        """Return the value to about 50 bits."""
        if not self.sign:
            return 0.0
        bits = 64
        while True:
            low, high, scale = self._enclosure(bits)
            if high - low <= abs(low + high) >> 52:
                return float(Fraction(low + high, 2 * scale))
            bits *= 2

    @cached_property
    def sign(self) -> int:
        """The exact sign: −1, 0 or 1."""
        bits = 64
        while True:
            low, high, _ = self._enclosure(bits)
            if low > 0 or high < 0:
                return 1 if low > 0 else -1
            if bits == 64 and not self._by_squarefree_part():
                return 0
            bits *= 2

    def _enclosure(self, bits: int) -> tuple[int, int, int]:
        """Return whole low, high and scale with low ≤ value·scale ≤ high; the gap is less than 2·(number of terms).

        |e|·√b·2^bits = √(e²·b·4^bits) lies between its integer square root and the next integer.
        """
        denominator = math.lcm(common_denominator(self.terms.values()), self.constant.denominator)
        low = high = int(self.constant * denominator) << bits
        for b, e in self.terms.items():
            whole = int(e * denominator)
            square = whole * whole * b << 2 * bits
            root = math.isqrt(square)
            above = root + (root * root != square)
            low += root if whole > 0 else -above
            high += above if whole > 0 else -root
        return low, high, denominator << bits

    def _by_squarefree_part(self) -> dict[int, Fraction]:
        """The same sum with one term for each squarefree part, coefficients 0 left out; empty exactly for 0."""
        total: dict[int, Fraction] = {1: self.constant}
        for b, e in self.terms.items():
            for other in total:
                root = math.isqrt(b * other)
                if root * root == b * other:  # √b = √(b·other)/other·√other
                    total[other] += e * Fraction(root, other)
                    break
            else:
                total[b] = e
        return {b: e for b, e in total.items() if e}

    def minus(self, other: RootSum | Fraction | int) -> RootSum:
        """Return the difference."""
        if not isinstance(other, RootSum):
            return RootSum(self.terms, self.constant - other)
        terms = dict(self.terms)
        for b, e in other.terms.items():
            terms[b] = terms.get(b, Fraction(0)) - e
        return RootSum(terms, self.constant - other.constant)

    def negated(self) -> RootSum:
        """Return the same number with the other sign."""
        return RootSum({b: -e for b, e in self.terms.items()}, -self.constant)


def root_of(number: Fraction) -> RootSum:
    """Return the square root of a rational number ≥ 0: √(a/b) = √(a·b)/b."""
    return RootSum({number.numerator * number.denominator: Fraction(1, number.denominator)})


class SquareRoot(Image):
    """The number shift ± √argument of an exact number ≥ 0.

    Examples
    --------
    >>> SquareRoot(RootSum({2: Fraction(1)})) < Fraction(6, 5)  # the fourth root of 2 is 1.189…
    True
    """

    def __float__(self) -> float:
        """Return the value as a double, within a few roundings of it: √x − s = (x − s²)/(√x + s) cancels nothing."""
        if not self.sign:
            return 0.0
        root, size = math.sqrt(max(float(self.argument), 0.0)), abs(self.shift)
        if self.factor * self.shift >= 0:
            return float(self.shift) + self.factor * root
        return self.factor * float(self.argument.minus(size**2)) / (root + float(size))

    def _beyond(self, size: Fraction) -> int:
        return int(self.argument.order(size**2))


def square_roots(values: Filtered[ExactReal]) -> Filtered[SquareRoot]:
    """Return the square roots of exact numbers ≥ 0.

    |√x − √y| = |x − y|/(√x + √y) is at most |x − y|/√x, and at most √|x − y|.
    """
    root = np.sqrt(np.maximum(values.approximate, 0.0))
    with np.errstate(divide="ignore", invalid="ignore"):
        relative = np.where(root > 0, values.error / root, np.inf)
    error = np.minimum(relative, np.sqrt(values.error)) + RATIO_FILTER * np.where(np.isfinite(root), root, 0)
    return Filtered(root, error, partial(_root, values), values.key, values.alike)


def _root(values: Filtered[ExactReal], index: int) -> SquareRoot:
    return SquareRoot(values.exact(index))
