"""How exact numbers are read and written: a float is read by its shortest text, so ``0.2`` means 1/5."""

from __future__ import annotations

import math
import numbers
import re
from collections.abc import Iterable, Mapping, Sequence, Set
from decimal import MAX_EMAX, MIN_EMIN, ROUND_HALF_EVEN, Context, Decimal
from fractions import Fraction
from typing import Any

import numpy as np

from tcloseness.errors import InputError, MassError
from tcloseness.exact.arrays import INT64_MAX, IntArray

__all__ = [
    "LARGEST_EXPONENT",
    "SNAP_TOLERANCE",
    "Number",
    "as_fraction",
    "common_denominator",
    "decimal_text_of",
    "exact_sum",
    "is_exact",
    "masses",
    "number_text",
    "over_common_denominator",
    "percent_of",
    "scaled_integers",
    "shares",
    "short_text",
    "shown_value",
    "whole_counts",
]

Number = int | float | str | Fraction | Decimal
"""What `as_fraction` reads; a parameter of this type is read exactly."""

SNAP_TOLERANCE = 1e-6
"""How far, relative to the total mass, a solver's flow may lie from the integer that it is snapped to.

It is the feasibility tolerance that HiGHS and CBC promise by default. What is snapped is verified exactly afterwards,
so the tolerance decides which answers get a chance, never which are accepted.
"""

LARGEST_EXPONENT = 4_000
"""The most digits that a number written as text may have above or below its line, and its greatest power of ten.

An exact 1e999999999 would fill the memory with its digits, and Python turns whole numbers of more than 4,300 digits
neither into text nor back. Numbers that are whole or fractions already have no limit, and are written whatever their
size (`number_text`).
"""

_DECIMAL = re.compile(r"[+-]?(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?")
_RATIO = re.compile(r"([+-]?[0-9]+)/([0-9]+)")
_BLANKS = " \t\n\r\f\v"
_LONGEST_SHOWN = 60


def as_fraction(number: object, what: str = "number") -> Fraction:
    """Read a number exactly.

    Parameters
    ----------
    number
        An int, `Fraction` or other rational number, `Decimal`, a text such as ``"3/8"``, ``"0.2"`` or ``"2e-3"``, or a
        float, which is read by its shortest text (``0.2`` is 1/5, not 0.200000000000000011…). NumPy scalars count as
        what they hold; a float of any width is read by its own shortest text. Texts are read in the digits 0 to 9,
        blanks around them are left out, and nothing else may be in them: no digits of another script, no
        separators, no percent sign.
    what
        What the number is, for the error message.

    Raises
    ------
    InputError
        For a bool, NaN, an infinity, a text that is not a number, or one with more than `LARGEST_EXPONENT` digits.

    Examples
    --------
    >>> as_fraction("3/8"), as_fraction(0.1), as_fraction("0.375")
    (Fraction(3, 8), Fraction(1, 10), Fraction(3, 8))
    """
    if type(number) is int:  # most numbers are
        return Fraction(number)
    if type(number) is Fraction and is_exact(number):
        return number
    if isinstance(number, np.floating):
        number = float(number) if isinstance(number, np.float64) else _shortest(number)
    elif isinstance(number, np.generic):
        number = number.item()
    if isinstance(number, bool):
        raise InputError(f"{what} is {number!r}, a truth value; give an int, a fraction such as '3/8', or a decimal")
    if isinstance(number, numbers.Integral):
        return Fraction(int(number))
    if isinstance(number, numbers.Rational):
        return Fraction(int(number.numerator), int(number.denominator))
    if isinstance(number, (float, Decimal)):
        decimal = number if isinstance(number, Decimal) else Decimal(repr(float(number)))
        if not decimal.is_finite():
            raise InputError(f"{what} is {number!r}; it must be finite")
        return _of_decimal(decimal, what)
    if isinstance(number, str):
        return _of_text(number, what)
    raise InputError(f"{what} is {shown_value(number)}, which is not a number; {_FORMS}")


def is_exact(number: object) -> bool:
    """Say whether a number is an int, or a Fraction of ints: one of NumPy's integers overflows.

    >>> is_exact(Fraction(1, 3)), is_exact(Fraction(np.int64(1), np.int64(3))), is_exact(True), is_exact(0.5)
    (True, False, False, False)
    """
    if type(number) is int:
        return True
    if not isinstance(number, Fraction) and (not isinstance(number, int) or isinstance(number, bool)):
        return False
    return type(number.numerator) is type(number.denominator) is int


_FORMS = "give an int, a fraction such as '3/8', or a decimal such as '0.2'"


def _shortest(number: Any) -> Decimal:
    """Read a NumPy float of another width than a double by its own shortest text: ``np.float32(0.2)`` is 1/5."""
    return Decimal(np.format_float_scientific(number))  # str() rounds under `np.set_printoptions(legacy="1.13")`


def _of_text(given: str, what: str) -> Fraction:
    text = given.strip(_BLANKS).replace("−", "-")
    longest = max(map(len, re.findall("[0-9.]+", text)), default=0)
    if longest > LARGEST_EXPONENT:
        raise InputError(
            f"{what} is {shown_value(given)}, of {len(text)} characters; "
            f"exact numbers are read with at most {LARGEST_EXPONENT} digits"
        )
    if ratio := _RATIO.fullmatch(text):
        numerator, denominator = map(int, ratio.groups())
        if denominator:
            return Fraction(numerator, denominator)
    elif _DECIMAL.fullmatch(text):
        # an exponent that no decimal holds is as large as any that is refused
        exponent = int(text.lower().partition("e")[2] or 0)
        if abs(exponent) > LARGEST_EXPONENT:
            raise _too_large(shown_value(given), what)
        return _of_decimal(Decimal(text), what)
    raise InputError(f"{what} is {shown_value(given)}, which is not a number; {_meant(text)}")


def _meant(text: str) -> str:
    """Return the way out of a text that is not a number: the number that was probably meant, where one can be
    guessed."""
    share = text.removesuffix("%").rstrip(_BLANKS)
    if share != text and _DECIMAL.fullmatch(share) and len(share) < _LONGEST_SHOWN and "e" not in share.lower():
        part = Fraction(share) / 100
        return f"{share} percent is {decimal_text_of(part, len(share))}; give that, or the fraction {number_text(part)}"
    for separator, how in ((",", "decimals are written with a point"), ("_", "digits are written without separators")):
        instead = text.replace(separator, "." if separator == "," else "")
        if text.count(separator) == 1 and _DECIMAL.fullmatch(instead) and len(instead) < _LONGEST_SHOWN:
            return f"{how}: {instead}"
    if not text.isascii():
        return f"numbers are read in the digits 0 to 9; {_FORMS}"
    return _FORMS


def shown_value(value: object, longest: int = _LONGEST_SHOWN) -> str:
    """Return a value for a message, cut where it is long."""
    try:
        text = repr(value)
    except Exception:  # noqa: BLE001 (a number of more digits than Python writes; an object that cannot write itself)
        text = f"<{type(value).__name__}>"
    return text if len(text) <= longest else f"{text[: longest - 1]}…"


def _of_decimal(decimal: Decimal, what: str) -> Fraction:
    _, digits, exponent = decimal.as_tuple()
    power = int(exponent)
    if max(abs(power), len(digits), len(digits) + power - 1) > LARGEST_EXPONENT:
        raise _too_large(shown_value(str(decimal)), what)
    return Fraction(decimal)


def _too_large(shown: str, what: str) -> InputError:
    return InputError(f"{what} is {shown}; exact numbers are read with exponents up to ±{LARGEST_EXPONENT}")


def number_text(number: Fraction | int | float) -> str:
    """Write a number so that `as_fraction` reads the same number back: ``"3/8"``, ``"2"``, ``"inf"`` for infinity.

    Numbers of any size are written; those of more than `LARGEST_EXPONENT` digits are not read back.

    >>> number_text(Fraction(3, 8)), number_text(Fraction(4, 2)), number_text(math.inf)
    ('3/8', '2', 'inf')
    """
    if isinstance(number, float):
        return repr(number)
    numerator, denominator = number.numerator, number.denominator
    return _digits(numerator) if denominator == 1 else f"{_digits(numerator)}/{_digits(denominator)}"


def _digits(number: int) -> str:
    """Write a whole number of any size: Python's own way ends at some thousand digits."""
    try:
        return str(number)
    except ValueError:
        return str(Decimal(number))


def decimal_text_of(number: Fraction, digits: int = 10) -> str:
    """Write a number as a decimal of so many significant digits, correctly rounded, whatever its size.

    Examples
    --------
    >>> decimal_text_of(Fraction(1, 3), 4), decimal_text_of(Fraction(10**400), 4), decimal_text_of(Fraction(20))
    ('0.3333', '1e+400', '20')
    """
    rounded = _rounding(digits).divide(Decimal(number.numerator), Decimal(number.denominator))
    double = float(rounded)
    if digits <= 15 and (double == 0 == rounded or 1e-300 < abs(double) < 1e300):
        return f"{double:.{digits}g}"
    return f"{rounded.normalize(_rounding(digits)):g}"


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
    return f"{decimal_text_of(100 * share, 3)} %"


def short_text(number: Fraction | int, longest: int = 60, digits: int = 17) -> str:
    """Write a number for a message: exactly where that is short, else as a decimal.

    >>> short_text(Fraction(1, 3)), short_text(Fraction(10**5000, 3))
    ('1/3', '3.3333333333333333e+4999')
    """
    exact = number_text(number)
    return exact if len(exact) <= longest else decimal_text_of(Fraction(number), digits)


def _rounding(digits: int) -> Context:
    return Context(prec=digits, rounding=ROUND_HALF_EVEN, Emin=MIN_EMIN, Emax=MAX_EMAX)


def masses(values: Iterable[object], what: str = "p", *, hint: str = "") -> tuple[Fraction, ...]:
    """Read a vector of masses exactly: non-negative, at least one entry, summing to 1.

    Nothing is renormalised: a vector that does not sum to 1 exactly is refused, with a `hint` of another way to give
    it where there is one.

    Raises
    ------
    MassError
        For anything but a list of numbers, an empty vector, a negative entry or another sum.
    """
    vector = _non_negative(values, what, "masses", hint)
    found = exact_sum(vector)
    if found != 1:
        raise MassError(
            f"{what} sums to {number_text(found)}, which must be exactly 1; give fractions such as '1/3' "
            f"(0.333 is not a third){hint}"
        )
    return vector


def shares(counts: Iterable[object], what: str = "p") -> tuple[Fraction, ...]:
    """Return the distribution of counts of records: each whole number ≥ 0 over their sum, which must be positive.

    Raises
    ------
    MassError
        For anything but a list of numbers, an empty vector, a negative or fractional entry, or no record at all.

    Examples
    --------
    >>> shares([1, 3])
    (Fraction(1, 4), Fraction(3, 4))
    """
    whole = whole_counts(counts, what).tolist()
    total = sum(whole)
    return tuple(Fraction(count, total) for count in whole)


def whole_counts(counts: Iterable[object], what: str = "p") -> IntArray:
    """Read counts of records: whole numbers ≥ 0 with a positive sum; int64 where sums and differences fit, else ints.

    Raises
    ------
    MassError
        As for `shares`.
    """
    if type(counts) is np.ndarray and counts.ndim == 1 and counts.size and counts.dtype.kind == "i":
        vector = counts.tolist()  # as most counts are given
    elif type(counts) is list and counts and all(type(count) is int for count in counts):
        vector = counts
    else:
        read = _non_negative(counts, what, "counts")
        odd = next((i for i, count in enumerate(read) if count.denominator != 1), None)
        if odd is not None:
            raise MassError(f"{what}[{odd}] = {number_text(read[odd])} is not a whole number; records are counted")
        vector = [count.numerator for count in read]
    if min(vector) < 0:
        _non_negative(vector, what, "counts")
    total = sum(vector)
    if not total:
        raise MassError(f"{what} sums to 0: it counts no record; the sum must be positive")
    return np.array(vector, dtype=np.int64 if 2 * total <= INT64_MAX else object)


def _non_negative(values: Iterable[object], what: str, kind: str, hint: str = "") -> tuple[Fraction, ...]:
    unordered = isinstance(values, str | bytes | Mapping | Set)  # their order, if any, is not that of the values
    if unordered or not isinstance(values, Iterable) or getattr(values, "ndim", 1) != 1:
        raise MassError(f"{what} is {shown_value(values)}; give a list of {kind}, one for each value in its order")
    try:
        vector = tuple(as_fraction(v, f"{what}[{i}]") for i, v in enumerate(values))
    except InputError as error:
        raise MassError(f"{error}{hint}") from error
    if not vector:
        raise MassError(f"{what} is empty; a distribution needs at least one value")
    for i, mass in enumerate(vector):
        if mass < 0:
            raise MassError(f"{what}[{i}] = {number_text(mass)} is negative; {kind} must be ≥ 0")
    return vector


def exact_sum(values: Iterable[Fraction]) -> Fraction:
    """Return the sum of fractions: on whole numbers, those of one denominator together.

    >>> exact_sum([Fraction(1, 2), Fraction(1, 3), Fraction(1, 2)])
    Fraction(4, 3)
    """
    numerators: dict[int, int] = {}
    for value in values:
        denominator = value.denominator
        numerators[denominator] = numerators.get(denominator, 0) + value.numerator
    return sum((Fraction(n, d) for d, n in numerators.items()), Fraction(0))


def common_denominator(values: Iterable[Fraction]) -> int:
    """Return the least common multiple of the denominators."""
    return math.lcm(*{v.denominator for v in values})


def scaled_integers(values: Sequence[Fraction]) -> tuple[list[int], int]:
    """Return integers a_i and one denominator D with values_i = a_i / D, D least.

    >>> scaled_integers([Fraction(1, 2), Fraction(1, 3)])
    ([3, 2], 6)
    """
    return over_common_denominator([v.as_integer_ratio() for v in values])


def over_common_denominator(ratios: Sequence[tuple[int, int]]) -> tuple[list[int], int]:
    """Return the numerators over the least common denominator of numerators and denominators, and that denominator.

    >>> over_common_denominator([(1, 2), (1, 3)])
    ([3, 2], 6)
    """
    denominators = {below for _, below in ratios}
    common = math.lcm(*denominators)
    factors = {below: common // below for below in denominators}
    return [above * factors[below] for above, below in ratios], common
