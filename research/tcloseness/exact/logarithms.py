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
from functools import cached_property

from tcloseness.exact.rationals import common_denominator
from tcloseness.exact.reals import ExactReal, Filtered

__all__ = ["LOG_FILTER", "Bits", "LogSum", "LogSums", "log_of"]

LOG_FILTER = 2.0**-48
"""Relative error bound of a float sum of count·ln(count) terms, per term.

NumPy's and libm's logarithms are within 1 ulp (2⁻⁵²), a product adds half an ulp and each addition half an ulp of the
partial sum; a sum of r such terms of one sign is within (r + 3)·2⁻⁵² of its exact value, relative. The bound is 16
times that, and sums of both signs are bounded by the sum of the absolute terms.
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
    def logarithm_of(self) -> Fraction | None:
        """The rational number whose logarithm this is written as; None where an exponent is not a whole number.

        Examples
        --------
        >>> log_of(Fraction(3, 2)).logarithm_of, LogSum({3: Fraction(1, 2)}).logarithm_of
        (Fraction(3, 2), None)
        """
        if self.constant or any(e.denominator != 1 or abs(e) > 1 for e in self.terms.values()):
            return None
        inside = Fraction(1)
        for b, e in self.terms.items():
            inside *= Fraction(b) ** int(e)
        return inside

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


class LogSums(Filtered[LogSum]):
    """One sum of logarithms an equivalence class."""
