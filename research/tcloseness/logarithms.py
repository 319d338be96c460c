"""Sums of logarithms of whole numbers, compared exactly.

Entropies and Kullback–Leibler divergences of counts are sums Σ e_i·ln b_i with rational e_i and whole b_i. Floating
point filters; what it cannot decide is decided here: such a sum is 0 exactly if the product Π b_i^e_i is 1, which is
checked on a coprime base, and is never a rational number other than 0 (Lindemann), so any other comparison ends at a
finite precision.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Mapping
from dataclasses import dataclass
from decimal import Context, Decimal
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from tcloseness.exact import common_denominator

__all__ = ["LOG_FILTER", "LogSum", "LogSums"]

LOG_FILTER = 2.0**-48
"""Relative error bound of a float sum of count·ln(count) terms, per term.

NumPy's and libm's logarithms are within 1 ulp (2⁻⁵²), a product adds half an ulp and each addition half an ulp of the
partial sum; a sum of r such terms of one sign is within (r + 3)·2⁻⁵² of its exact value, relative. The bound is 16
times that, and sums of both signs are bounded by the sum of the absolute terms.
"""


@dataclass(frozen=True)
class LogSum:
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
        return float(self._decimal(30))

    @cached_property
    def sign(self) -> int:
        """The exact sign: −1, 0 or 1."""
        exponents = self._coprime
        if not exponents:
            return (self.constant > 0) - (self.constant < 0)
        digits = 30
        while True:
            value = self._decimal(digits)
            size = sum((abs(e) * len(str(b)) * 3 for b, e in self.terms.items()), abs(self.constant) + 1)
            bound = Decimal(math.ceil(size) * (len(self.terms) + 2)).scaleb(2 - digits)
            if abs(value) > bound:
                return 1 if value > 0 else -1
            digits *= 2

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

    def __eq__(self, other: object) -> bool:
        return isinstance(other, (LogSum, Fraction, int)) and self.minus(other).sign == 0

    def __lt__(self, other: LogSum | Fraction | int) -> bool:
        return self.minus(other).sign < 0

    def __gt__(self, other: LogSum | Fraction | int) -> bool:
        return self.minus(other).sign > 0

    def __le__(self, other: LogSum | Fraction | int) -> bool:
        return self.minus(other).sign <= 0

    def __ge__(self, other: LogSum | Fraction | int) -> bool:
        return self.minus(other).sign >= 0

    def __hash__(self) -> int:
        return hash(round(float(self), 9))


def log_of(number: Fraction) -> LogSum:
    """Return ln of a positive rational number."""
    return LogSum({number.numerator: Fraction(1)}).minus(LogSum({number.denominator: Fraction(1)}))


@dataclass(frozen=True, eq=False)
class LogSums:
    """One sum of logarithms an equivalence class.

    Attributes
    ----------
    approximate
        Shape (classes,): the values as doubles; infinity where the value is infinite.
    error
        Shape (classes,): a bound of their absolute error; 0 where the double is the exact value.
    exact
        The exact value of one class.
    key
        Something equal for classes that have equal values (their reduced counts, say), so that each is compared once.
    """

    approximate: npt.NDArray[np.float64]
    error: npt.NDArray[np.float64]
    exact: Callable[[int], LogSum]
    key: Callable[[int], Hashable]

    def __len__(self) -> int:
        return len(self.approximate)

    def __getitem__(self, index: int) -> LogSum | float:
        """Return one value, exact, or ``math.inf``."""
        return math.inf if math.isinf(self.approximate[index]) else self.exact(int(index))

    def floats(self) -> npt.NDArray[np.float64]:
        """Return the values as doubles, each within `error` of the exact one."""
        return self.approximate

    def compare(self, threshold: LogSum | Fraction) -> npt.NDArray[np.int8]:
        """Return the exact sign of ``value − threshold`` for each value."""
        bound = float(threshold)
        difference = self.approximate - bound
        sign = np.sign(difference).astype(np.int8)
        decided: dict[Hashable, int] = {}
        for i in np.flatnonzero(np.abs(difference) <= self.error + LOG_FILTER * abs(bound)).tolist():
            key = self.key(i)
            if key not in decided:
                decided[key] = self.exact(i).minus(threshold).sign
            sign[i] = decided[key]
        return sign

    def largest(self) -> tuple[LogSum | float, npt.NDArray[np.intp]]:
        """Return the greatest value and the indices of all entries that reach it."""
        return self._extreme(+1)

    def smallest(self) -> tuple[LogSum | float, npt.NDArray[np.intp]]:
        """Return the least value and the indices of all entries that reach it."""
        return self._extreme(-1)

    def _extreme(self, sign: int) -> tuple[LogSum | float, npt.NDArray[np.intp]]:
        values = sign * self.approximate
        best = int(values.argmax())
        if math.isinf(values[best]):
            return math.inf, np.flatnonzero(values == values[best])
        near = np.flatnonzero(values + self.error >= values[best] - self.error[best])
        groups: dict[Hashable, list[int]] = {}
        sure = near[self.error[near] == 0]
        for value in np.unique(self.approximate[sure]).tolist():
            groups["exactly", value] = sure[self.approximate[sure] == value].tolist()
        for i in near[self.error[near] > 0].tolist():
            groups.setdefault(self.key(i), []).append(i)
        extreme: LogSum | None = None
        found: list[int] = []
        for members in groups.values():
            candidate = self.exact(members[0])
            order = 1 if extreme is None else sign * candidate.minus(extreme).sign
            if order > 0:
                extreme, found = candidate, list(members)
            elif order == 0:
                found += members
        assert extreme is not None
        return extreme, np.array(sorted(found), dtype=np.intp)
