"""Numbers and cells as short texts for people; JSON has them in full."""

from __future__ import annotations

from fractions import Fraction

from tcloseness.exact import number_text
from tcloseness.printable import printable
from tcloseness.reals import ExactReal

__all__ = ["decimal_text", "digits_text", "percent_of", "printable", "shortened"]

_LONGEST_FRACTION, _LONGEST_SHORT_FRACTION = 13, 11
"""A fraction with more characters is shown as a decimal."""

_LONGEST_TEXT = 80
"""A value or a name with more characters is cut for people."""


def decimal_text(
    value: Fraction | ExactReal | float, *, short: bool = False, apart_from: Fraction | None = None
) -> str:
    """Write a value for a person: exactly, with four digits of its decimal beside it.

    Parameters
    ----------
    value
        The value.
    short
        The exact text only, or the decimal where that is too long.
    apart_from
        Another number; the decimal gets as many digits as it takes to differ from it.

    Examples
    --------
    >>> decimal_text(Fraction(3, 8)), decimal_text(Fraction(4, 9)), decimal_text(float("inf"))
    ('3/8 = 0.375', '4/9 ≈ 0.4444', '∞')
    """
    if isinstance(value, ExactReal):
        return "0" if value.sign == 0 else f"{float(value):.4g}"
    if isinstance(value, float):
        return "∞" if value > 0 else "-∞"
    exact, shown = number_text(value), digits_text(value, None if value == apart_from else apart_from)
    if value.denominator == 1:
        return exact
    sign = "=" if Fraction(shown) == value else "≈"
    if len(exact) > (_LONGEST_SHORT_FRACTION if short else _LONGEST_FRACTION):
        return f"{sign} {shown}"
    return exact if short else f"{exact} {sign} {shown}"


def digits_text(value: Fraction | float, apart_from: Fraction | None) -> str:
    """Write a value with four digits, or as many as it takes to differ from another number."""
    for digits in range(4, 17):
        shown = f"{float(value):.{digits}g}"
        if apart_from is None or Fraction(shown) != apart_from:
            break
    return shown


def percent_of(share: Fraction) -> str:
    """Write a share as a percentage of three digits; never 0 % or 100 % for what is neither.

    Examples
    --------
    >>> percent_of(Fraction(1, 3)), percent_of(Fraction(29999, 30000)), percent_of(Fraction(1))
    ('33.3 %', '> 99.9 %', '100 %')
    """
    if 0 < share < Fraction(1, 1000):
        return "< 0.1 %"
    if Fraction(999, 1000) < share < 1:
        return "> 99.9 %"
    return f"{float(100 * share):.3g} %"


def shortened(text: str, longest: int = _LONGEST_TEXT) -> str:
    """Return a printable text of at most so many characters.

    Examples
    --------
    >>> shortened("a very long answer", 9)
    'a very l…'
    """
    return printable(text if len(text) <= longest else f"{text[: longest - 1]}…")
