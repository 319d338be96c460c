"""Numbers and cells as short texts for people; JSON has them in full.

A decimal beside another number has as many digits as it takes to be read on the right side of it: what a
sentence says of two numbers holds for the numbers as they are printed.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import chain, count

from tcloseness.exact import ExactReal, decimal_text_of, number_text
from tcloseness.models import ModelResult
from tcloseness.printable import printable

__all__ = ["compared", "decimal_text", "digits_text", "printable", "shortened", "value_text_of"]

_LONGEST_FRACTION, _LONGEST_SHORT_FRACTION = 13, 11
"""A fraction with more characters is shown as a decimal."""

_LONGEST_THRESHOLD = 40
"""A threshold with more characters is shown as a decimal."""

_LONGEST_TEXT = 80
"""A value or a name with more characters is cut for people."""

_DOUBLE_DIGITS = 15
"""So many digits of a double are those of the number that it stands for."""


def decimal_text(
    value: Fraction | ExactReal | float, *, short: bool = False, apart_from: Fraction | None = None
) -> str:
    """Write a value as people read it: exactly, with four digits of its decimal beside it.

    Parameters
    ----------
    value
        The value.
    short
        The exact text only, or the decimal where that is too long.
    apart_from
        Another number; the decimal gets as many digits as it takes to be on the value's own side of it.

    Examples
    --------
    >>> decimal_text(Fraction(3, 8)), decimal_text(Fraction(4, 9)), decimal_text(float("inf"))
    ('3/8 = 0.375', '4/9 ≈ 0.4444', '∞')
    >>> decimal_text(Fraction(1, 2), apart_from=Fraction(1, 2))
    '1/2 = 0.5'
    """
    if isinstance(value, ExactReal):
        if value.rational is None:
            return digits_text(value, apart_from)
        value = value.rational
    if isinstance(value, float) and math.isinf(value):
        return "∞" if value > 0 else "-∞"
    value = Fraction(value)
    exact, shown = number_text(value), digits_text(value, None if apart_from == value else apart_from)
    if value.denominator == 1 and len(exact) <= _LONGEST_THRESHOLD:
        return exact
    sign = "=" if Fraction(shown) == value else "≈"
    if len(exact) > (_LONGEST_SHORT_FRACTION if short else _LONGEST_FRACTION):
        return f"{sign} {shown}"
    return exact if short else f"{exact} {sign} {shown}"


def digits_text(value: Fraction | ExactReal, apart_from: Fraction | None = None) -> str:
    """Write a value with four digits, or as many as it takes to be on its own side of another number.

    Examples
    --------
    >>> digits_text(Fraction(1, 3)), digits_text(Fraction(200001, 10**6), Fraction(1, 5))
    ('0.3333', '0.200001')
    """
    number = _Number(value)
    return number.decimal() if apart_from is None else number.beside(apart_from, number_text(apart_from))


class _Number:
    """A finite value as people read it: its decimals, and how it compares to a fraction."""

    def __init__(self, value: Fraction | ExactReal) -> None:
        exact = value.rational if isinstance(value, ExactReal) else value
        self.value = value if exact is None else exact

    def order(self, other: Fraction) -> int:
        """Return the exact sign of this number minus a fraction."""
        if isinstance(self.value, Fraction):
            return (self.value > other) - (self.value < other)
        return self.value.order(other)

    def decimals(self) -> Iterator[str]:
        """Yield decimals of more and more digits."""
        if isinstance(self.value, Fraction):
            exact = self.value
            yield from (decimal_text_of(exact, digits) for digits in chain(range(4, 17), _doubled(32)))
            return
        double = float(self.value)
        yield from (f"{double:.{digits}g}" for digits in range(4, _DOUBLE_DIGITS + 1))
        low, high = _enclosed(self.order, Fraction(double))
        for digits in _doubled(20):
            while high - low > abs(low + high) / 10**digits:
                middle = (low + high) / 2
                low, high = (middle, high) if self.order(middle) >= 0 else (low, middle)
            yield decimal_text_of((low + high) / 2, digits)

    def decimal(self) -> str:
        """Return the decimal of four digits."""
        return next(self.decimals())

    def beside(self, other: Fraction, text: str) -> str:
        """Return a decimal on the right side of another number, or that number's own text for an equal one."""
        side = self.order(other)
        if not side:
            return text
        return next(shown for shown in self.decimals() if _side(Fraction(shown), other) == side)


def _doubled(digits: int) -> Iterator[int]:
    return (digits << more for more in count())


def _side(a: Fraction, b: Fraction) -> int:
    return (a > b) - (a < b)


def _enclosed(order: Callable[[Fraction], int], near: Fraction) -> tuple[Fraction, Fraction]:
    """Return two fractions between which a number lies that is near a third."""
    gap = abs(near) / 2**50 or Fraction(1, 2**60)
    while order(near - gap) < 0 or order(near + gap) > 0:
        gap *= 2
    return near - gap, near + gap


# ---------------------------------------------------------------------- a value and its threshold


def compared(result: ModelResult, *, short: bool = True) -> tuple[str, str]:
    """Return a result's value and its threshold for people, such that the texts compare as the numbers do.

    The threshold is empty where there is none.

    Examples
    --------
    >>> from tcloseness.microdata import ClassCounts
    >>> from tcloseness.models import EntropyLDiversity, TCloseness
    >>> classes = ClassCounts.from_matrix([[3, 1], [1, 1]])
    >>> compared(EntropyLDiversity(2).evaluate(classes)), compared(TCloseness("0.2", ground="equal").evaluate(classes))
    (('1.755', '2'), ('1/6', '1/5'))
    """
    if result.threshold is None:
        return value_text_of(result, short=short), ""
    if isinstance(result.value, float):
        return decimal_text(result.value), _threshold(_Number(result.threshold), None)
    value, bound = _Number(result.value), _Number(result.threshold)
    side = _signed(result.value, result.threshold)
    threshold = _threshold(bound, lambda shown: value.order(shown) == side)
    exact = value.value if isinstance(value.value, Fraction) else None
    fits = exact is not None and _fits(number_text(exact), short)
    if not side:
        return decimal_text(result.value, short=short) if fits else threshold, threshold
    number = Fraction(threshold.removeprefix("≈ "))
    if fits:
        return decimal_text(result.value, short=short, apart_from=number), threshold
    shown = value.beside(number, threshold)
    return (shown if exact is None else f"{'=' if Fraction(shown) == exact else '≈'} {shown}"), threshold


def _fits(exact: str, short: bool) -> bool:
    return len(exact) <= (_LONGEST_SHORT_FRACTION if short else _LONGEST_FRACTION)


def value_text_of(result: ModelResult, *, short: bool = False) -> str:
    """Return a result's value where there is no threshold beside it."""
    return decimal_text(result.value, short=short)


def _threshold(number: _Number, accept: Callable[[Fraction], bool] | None) -> str:
    """Return a threshold's text: exact where that is short, by its decimal if that is exact and shorter."""
    if isinstance(number.value, Fraction):
        exact, decimal = number_text(number.value), decimal_text_of(number.value, _DOUBLE_DIGITS)
        if len(decimal) < len(exact) and "e" not in decimal and Fraction(decimal) == number.value:
            return decimal
        if len(exact) <= _LONGEST_THRESHOLD:
            return exact
    found = next(shown for shown in number.decimals() if accept is None or accept(Fraction(shown)))
    return found if number.order(Fraction(found)) == 0 else f"≈ {found}"


def _signed(value: Fraction | ExactReal, threshold: Fraction | ExactReal) -> int:
    """Return the exact sign of a value minus its threshold."""
    return int(value > threshold) - int(value < threshold)


# ---------------------------------------------------------------------- names


def shortened(text: str, longest: int = _LONGEST_TEXT) -> str:
    """Return a printable text of at most so many characters.

    Examples
    --------
    >>> shortened("a very long answer", 9)
    'a very l…'
    """
    return printable(text if len(text) <= longest else f"{text[: longest - 1]}…")
