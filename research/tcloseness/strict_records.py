"""Reading data that somebody else wrote, once it is JSON: exact types, one form for each number, and bounded work.

Nothing is converted: a value of another type is refused by name, and so is a number in any other form than the one in
which it is written. What reading and checking will cost is added up before it is done.
"""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Sequence
from fractions import Fraction
from typing import Any

from tcloseness.errors import InputError
from tcloseness.exact import LARGEST_EXPONENT
from tcloseness.printable import printable

__all__ = [
    "LONGEST_TEXT",
    "Work",
    "canonical_fraction",
    "canonical_fractions",
    "cells",
    "common_bits",
    "fields",
    "listed",
    "shown",
    "sums",
    "text",
    "whole",
]

LONGEST_TEXT = 10_000
"""Characters of one text, such as the name of a value."""

_CANONICAL = re.compile(r"(0|-?[1-9][0-9]*)(?:/([1-9][0-9]*))?")
_SHOWN = 60


class Work:
    """How much work may still be done; a unit is about two nanoseconds of one processor.

    Parameters
    ----------
    units
        The limit; None for no limit.
    """

    def __init__(self, units: float | None) -> None:
        self.left = math.inf if units is None else units

    def spend(self, units: float, what: str) -> None:
        """Take account of work before it is done; beyond the limit `InputError` is raised."""
        self.left -= units
        if self.left < 0:
            raise InputError(f"{what} would take too long to check; it is larger than what is read")


def shown(value: object) -> str:
    """Return the beginning of a value as it would be written in Python, whatever it is."""
    if isinstance(value, str):
        return f"'{printable(value[:_SHOWN])}{'…' if len(value) > _SHOWN else ''}'"
    if value is None or isinstance(value, bool | float) or (isinstance(value, int) and value.bit_length() < 200):
        return repr(value)
    return f"of type {type(value).__name__}"


def fields(record: object, keys: Collection[str], what: str) -> dict[str, Any]:
    """Return a record that has exactly these keys."""
    if type(record) is not dict:
        raise InputError(f"{what} is {shown(record)}; it must be an object with the keys {', '.join(keys)}")
    odd = next((key for key in record if key not in keys), None)
    if odd is not None:
        raise InputError(f"{what} has the key {shown(odd)}, which it must not have")
    absent = next((key for key in keys if key not in record), None)
    if absent is not None:
        raise InputError(f"{what} lacks the key {absent!r}")
    return record


def listed(value: object, what: str, *, least: int = 0, length: int | None = None) -> list[Any]:
    """Return a list of at least so many entries, or of exactly so many."""
    if type(value) is not list:
        raise InputError(f"{what} is {shown(value)}; it must be a list")
    if length is not None and len(value) != length:
        raise InputError(f"{what} has {len(value)} entries; it must have {length}")
    if len(value) < least:
        raise InputError(f"{what} has {len(value)} entries; it must have at least {least}")
    return value


def text(value: object, what: str, *, longest: int = LONGEST_TEXT) -> str:
    """Return a text that a file can take."""
    if type(value) is not str:
        raise InputError(f"{what} is {shown(value)}; it must be a text")
    if len(value) > longest:
        raise InputError(f"{what} has {len(value):,} characters; at most {longest:,} are read")
    if any("\ud800" <= c <= "\udfff" for c in value):
        raise InputError(f"{what} is {shown(value)}, which holds half of a surrogate pair")
    return value


def whole(value: object, what: str, *, least: int = 0, most: int = 2**31 - 1) -> int:
    """Return a whole number that is written as a number: 2, and not "2", 2.0 or true."""
    if type(value) is not int or not least <= value <= most:
        raise InputError(f"{what} is {shown(value)}; it must be a whole number from {least} to {most}")
    return value


def canonical_fraction(value: object, what: str) -> Fraction:
    """Read a number in the one form in which `number_text` writes it.

    Raises
    ------
    InputError
        For anything but a text of ASCII digits such as ``"0"``, ``"-3"`` or ``"3/8"``, in lowest terms, with at most
        4,000 digits above and below the line.

    Examples
    --------
    >>> canonical_fraction("-3/8", "x")
    Fraction(-3, 8)
    >>> canonical_fraction("2/4", "x")
    Traceback (most recent call last):
    ...
    tcloseness.errors.InputError: x is '2/4'; it must be a text in lowest terms such as '0', '-3' or '3/8'
    """
    number = _canonical(value)
    if number is None:
        raise InputError(f"{what} is {shown(value)}; it must be a text in lowest terms such as '0', '-3' or '3/8'")
    return number


def _canonical(value: object) -> Fraction | None:
    if type(value) is not str or len(value) > 2 * LARGEST_EXPONENT + 2:
        return None
    found = _CANONICAL.fullmatch(value)
    if found is None or max(map(len, found.groups(""))) > LARGEST_EXPONENT:
        return None
    numerator, denominator = int(found[1]), int(found[2] or 1)
    lowest = (found[2] is None or denominator > 1) and math.gcd(numerator, denominator) == 1
    return Fraction(numerator, denominator) if lowest else None


def canonical_fractions(values: object, what: str, *, least: int = 0, length: int | None = None) -> list[Fraction]:
    """Read a list of numbers, see `canonical_fraction`."""
    entries = listed(values, what, least=least, length=length)
    numbers = [number for value in entries if (number := _canonical(value)) is not None]
    if len(numbers) < len(entries):
        i = next(i for i, value in enumerate(entries) if _canonical(value) is None)
        canonical_fraction(entries[i], f"{what}[{i}]")
    return numbers


def common_bits(numbers: Iterable[Fraction], what: str) -> int:
    """Return how many binary digits these numbers need once they have one denominator, whose digits are bounded too.

    A handful of denominators without a common factor would make every sum as long as all of them together.
    """
    seen: set[int] = set()
    largest, common = 0, 1
    for number in numbers:
        largest = max(largest, number.numerator.bit_length())
        if number.denominator not in seen:
            seen.add(number.denominator)
            common = math.lcm(common, number.denominator)
            if common.bit_length() > 4 * LARGEST_EXPONENT:
                raise InputError(f"{what} has no common denominator of fewer than {LARGEST_EXPONENT} digits")
    return largest + common.bit_length()


def cells(bits: int) -> float:
    """Return the work of one step with whole numbers of so many binary digits: machine words, or Python's integers."""
    return 2 if bits < 62 else 100 + bits / 50


def sums(numbers: Sequence[object], bits: int) -> float:
    """Return the work of adding up exact fractions."""
    return len(numbers) * (500 + (bits / 64) ** 2 / 4)
