"""Reading a model's thresholds: exactly, and refused by name where they make no sense."""

from __future__ import annotations

from fractions import Fraction

from tcloseness.errors import InputError
from tcloseness.exact import as_fraction, decimal_text_of, number_text

__all__ = ["at_least", "at_most", "below", "between", "whole"]

_LONGEST = 40
"""A number with more characters is shown as a decimal."""

_LONGEST_PERCENT = 5


def whole(value: object, name: str, *, least: int = 1) -> int:
    """Read a whole number ≥ `least`.

    Raises
    ------
    InputError
        Naming the threshold and the rule.
    """
    number = as_fraction(value, name)
    if number.denominator != 1 or number < least:
        raise InputError(f"{name} = {_said(number)}; it must be a whole number ≥ {least}")
    return int(number)


def at_least(value: object, name: str, least: int, *, above: bool = False) -> Fraction:
    """Read a number ≥ `least`, or > `least` if `above`.

    Raises
    ------
    InputError
        Naming the threshold and the rule.
    """
    number = as_fraction(value, name)
    if number < least or (above and number == least):
        raise InputError(f"{name} = {_said(number)}; it must be {'>' if above else '≥'} {least}")
    return number


def between(value: object, name: str, least: int, most: int, *, above: bool = False) -> Fraction:
    """Read a number ≥ `least` (> `least` if `above`) and ≤ `most`.

    Raises
    ------
    InputError
        Naming the threshold and the rule.
    """
    number = at_least(value, name, least, above=above)
    if number > most:
        raise InputError(f"{name} = {_said(number)}; it must be ≤ {most}{_percent(number, Fraction(most))}")
    return number


def below(value: object, name: str, least: int, end: int) -> Fraction:
    """Read a number ≥ `least` and < `end`.

    Raises
    ------
    InputError
        Naming the threshold and the rule.
    """
    number = at_least(value, name, least)
    if number >= end:
        raise InputError(f"{name} = {_said(number)}; it must be < {end}{_percent(number, Fraction(end))}")
    return number


def at_most(value: object, name: str, most: Fraction, why: str) -> Fraction:
    """Read a number ≤ `most`, the end of its range, and say why the range ends there.

    Raises
    ------
    InputError
        Naming the threshold, the range, and what was probably meant.
    """
    number = as_fraction(value, name)
    if number > most:
        raise InputError(f"{name} = {_said(number)}; {why}, so it must be ≤ {_end(most)}{_percent(number, most)}")
    return number


def _said(number: Fraction) -> str:
    text = number_text(number)
    return text if len(text) <= _LONGEST else decimal_text_of(number, 4)


def _end(most: Fraction) -> str:
    return "2⁶²" if most == 2**62 else number_text(most)


def _percent(number: Fraction, most: Fraction) -> str:
    """Return what was meant where a share was given in percent."""
    percent, decimal = decimal_text_of(number), decimal_text_of(number / 100)
    # nobody gives a percentage of many digits
    if most != 1 or not 1 < number <= 100 or len(percent) > _LONGEST_PERCENT or Fraction(percent) != number:
        return ""
    exact = number_text(number / 100)
    return f"; {percent} percent is {exact}" + (f" = {decimal}" if exact != decimal else "")
