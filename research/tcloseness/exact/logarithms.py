"""Sums of logarithms of whole numbers, compared exactly.

Entropies and Kullback–Leibler divergences of counts are sums Σ e_i·ln b_i with rational e_i and whole b_i. Floating
point filters; what it cannot decide is decided here: such a sum is 0 exactly if the product Π b_i^e_i is 1, which is
checked on a coprime base, and is never a rational number other than 0 (Lindemann), so any other comparison ends at a
finite precision.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from functools import cached_property, partial
from typing import Any

import numpy as np

from tcloseness.exact.rationals import common_denominator
from tcloseness.exact.reals import ExactReal, Filtered, Image

__all__ = ["LOG_FILTER", "Bits", "Exponential", "LogSum", "LogSums", "exponentials", "log_of"]

LOG_FILTER = 2.0**-48
"""Relative error bound of a float sum of count·ln(count) terms, per term.

Where the library's logarithm is within 2⁻⁵⁰ of ln, relatively (four units in the last place), a rounded product
count·ln(count) is within thirteen factors 1 ± 2⁻⁵³ of its exact value, and each addition adds one. So a sum of r such
terms of one sign is within (r + 12)·2⁻⁵² of its exact value, relatively, for r ≤ 2⁴⁰. The bound is 16 times 2⁻⁵² a
term, and sums of both signs are bounded by the sum of the absolute terms.
"""


@dataclass(frozen=True, eq=False)
class LogSum(ExactReal):
    """The number constant + Σ e·ln b over ``terms[b] = e``.

    Attributes
    ----------
    terms
        {whole number b ≥ 1: rational exponent e}.
    constant
        A rational number to add.

    Examples
    --------
    >>> LogSum({8: Fraction(1)}) == LogSum({2: Fraction(3)})
    True
    >>> LogSum({3: Fraction(1)}) > Fraction(11, 10)
    False
    """

    terms: Mapping[int, Fraction]
    constant: Fraction = Fraction(0)

    def __float__(self) -> float:
        """Return the value as a double, with its own sign and digits however near 0 it is."""
        return float(self._value())

    @cached_property
    def sign(self) -> int:
        """The exact sign: −1, 0 or 1."""
        digits = 30
        while True:
            if digits == 60 and not self._coprime:  # only now: on large sums it costs more than the digits
                return (self.constant > 0) - (self.constant < 0)
            value = self._decimal(digits)
            if abs(value) > self._error(digits):
                return 1 if value > 0 else -1
            digits *= 2

    def _value(self) -> Decimal:
        """Return the value in nats, relatively within 10⁻¹⁷ of it."""
        digits, value = 30, self._decimal(30)
        while abs(value) <= self._error(digits).scaleb(17):
            if not self.sign:
                return Decimal(0)
            digits *= 2
            value = self._decimal(digits)
        return value

    def _error(self, digits: int) -> Decimal:
        """Return a bound of the error of so many digits."""
        size = math.ceil(sum((abs(e) * b.bit_length() for b, e in self.terms.items()), abs(self.constant) + 1))
        return Decimal(size * (len(self.terms) + 2)).scaleb(2 - digits)

    @property
    def exponential(self) -> Fraction | None:
        """The rational number whose logarithm it is; None where there is none.

        Examples
        --------
        >>> log_of(Fraction(3, 2)).exponential, LogSum({3: Fraction(1, 2)}).exponential
        (Fraction(3, 2), None)
        >>> LogSum({8: Fraction(1, 3)}).exponential, LogSum({6: Fraction(1, 2), 2: Fraction(1, 2)}).exponential
        (Fraction(2, 1), None)
        """
        if self.constant:
            return None
        product = Fraction(1)
        for b, e in self._coprime.items():  # no two have a prime in common, so each power is rational, or none is
            root = _whole_root(b, e.denominator)
            if root is None:
                return None
            product *= Fraction(root) ** e.numerator
        return product

    @cached_property
    def _coprime(self) -> dict[int, Fraction]:
        """The same product over pairwise coprime bases, exponents 0 left out; empty exactly if the product is 1."""
        base: dict[int, Fraction] = {}
        todo = [(b, e) for b, e in self.terms.items() if b != 1 and e]
        while todo:
            b, e = todo.pop()
            for other in base:
                shared = math.gcd(b, other)
                if shared > 1:
                    f = base.pop(other)
                    todo += [(x, y) for x, y in ((b // shared, e), (other // shared, f), (shared, e + f)) if x != 1]
                    break
            else:
                base[b] = e
        return {b: e for b, e in base.items() if e}

    def _decimal(self, digits: int) -> Decimal:
        context = Context(prec=digits)
        total = context.divide(Decimal(self.constant.numerator), Decimal(self.constant.denominator))
        denominator = common_denominator(self.terms.values()) if self.terms else 1
        logs = Decimal(0)
        for b, e in self.terms.items():
            logs = context.add(logs, context.multiply(Decimal(int(e * denominator)), context.ln(Decimal(b))))
        return context.add(total, context.divide(logs, Decimal(denominator)))

    def minus(self, other: LogSum | Fraction | int) -> LogSum:
        """Return the difference."""
        if not isinstance(other, LogSum):
            return LogSum(self.terms, self.constant - other)
        terms = dict(self.terms)
        for b, e in other.terms.items():
            terms[b] = terms.get(b, Fraction(0)) - e
        return LogSum(terms, self.constant - other.constant)

    def negated(self) -> LogSum:
        """Return the same number with the other sign."""
        return type(self)({b: -e for b, e in self.terms.items()}, -self.constant)


class Bits(LogSum):
    """A sum of logarithms counted in bits: (constant + Σ e·ln b) / ln 2. A rational number beside it is in bits too.

    Examples
    --------
    >>> Bits({8: Fraction(1)}) == 3, float(Bits({8: Fraction(1)}))
    (True, 3.0)
    """

    def __float__(self) -> float:
        context = Context(prec=30)
        return float(context.divide(self._value(), context.ln(Decimal(2))))

    def minus(self, other: LogSum | Fraction | int) -> Bits:
        """Return the difference, in bits."""
        difference = super().minus(other if isinstance(other, LogSum) else LogSum({2: Fraction(other)}))
        return Bits(difference.terms, difference.constant)


def log_of(number: Fraction) -> LogSum:
    """Return ln of a positive rational number."""
    return LogSum({number.numerator: Fraction(1)}).minus(LogSum({number.denominator: Fraction(1)}))


def _whole_root(number: int, degree: int) -> int | None:
    """Return the whole root of a number ≥ 2; None where it is not whole."""
    low, high = 1, 1 << -(-number.bit_length() // degree)
    while degree < number.bit_length() and low <= high:
        middle = (low + high) // 2
        power = middle**degree
        if power == number:
            return middle
        low, high = (middle + 1, high) if power < number else (low, middle - 1)
    return None


@dataclass(frozen=True, eq=False)
class Exponential(Image):
    """The number shift ± exp(argument) of a sum of logarithms without a constant, a product of powers.

    Examples
    --------
    >>> Exponential(LogSum({2: Fraction(3, 2)})) < Fraction("2.8284272")  # √8 is 2.828427124…
    True
    >>> str(Exponential(LogSum({3: Fraction(1)}))), str(Exponential(LogSum({2: Fraction(3, 2)})))
    ('3', '≈ 2.828427125')
    """

    argument: LogSum

    def __float__(self) -> float:
        """Return the value as a double, relatively within 10⁻¹⁷ of it before it is rounded."""
        digits = 30
        while self.sign:
            value, error = self._decimal(digits)
            if abs(value) > error.scaleb(17):
                return float(value)
            digits *= 2
        return 0.0

    def _beyond(self, size: Fraction) -> int:
        return self.argument.order(log_of(size)) if size else 1

    def order(self, other: Any) -> int:
        """Return the exact sign of this number minus another.

        Products of rational powers that are irrational and have an irrational quotient are independent over the
        rational numbers (Mordell 1953), so two that are shifted apart are equal only if both are rational.
        """
        if not isinstance(other, Exponential) or (self.shift, self.factor) == (other.shift, other.factor):
            return super().order(other)
        if self.rational is not None and other.rational is not None:
            return (self.rational > other.rational) - (self.rational < other.rational)
        digits = 30
        while True:
            (mine, error), (theirs, other_error) = self._decimal(digits), other._decimal(digits)
            difference = Context(prec=digits).subtract(mine, theirs)
            if abs(difference) > error + other_error:
                return 1 if difference > 0 else -1
            digits *= 2

    def _decimal(self, digits: int) -> tuple[Decimal, Decimal]:
        """Return the value to so many digits, and a bound of its error."""
        context = Context(prec=digits)
        power = context.exp(self.argument._decimal(digits))
        shift = context.divide(Decimal(self.shift.numerator), Decimal(self.shift.denominator))
        size = context.add(power, abs(shift)) + 1
        error = 4 * size * (self.argument._error(digits) + Decimal(1).scaleb(1 - digits))
        return context.add(shift, power.copy_sign(Decimal(self.factor))), error

    @cached_property
    def rational(self) -> Fraction | None:
        """The rational number that it is; None where it is irrational."""
        product = self.argument.exponential
        return None if product is None else self.shift + self.factor * product


def exponentials(values: LogSums) -> Filtered[Exponential]:
    """Return exp of sums of logarithms: |exp(x) − exp(y)| is at most exp(y)·(exp(|x − y|) − 1)."""
    with np.errstate(over="ignore"):
        power = np.exp(values.approximate)
        error = power * (np.expm1(values.error) * (1 + LOG_FILTER) + LOG_FILTER)
    error[(values.error == 0) & (values.approximate == 0)] = 0.0  # exp(0) is 1, also as a double
    return Filtered(power, error, partial(_exponential, values), values.key, values.alike)


def _exponential(values: LogSums, index: int) -> Exponential:
    return Exponential(values.exact(index))


class LogSums(Filtered[LogSum]):
    """One sum of logarithms an equivalence class."""
