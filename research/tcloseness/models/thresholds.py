"""Reading a model's thresholds: exactly, and refused by name where they make no sense."""

from __future__ import annotations

from fractions import Fraction

from tcloseness.errors import InputError
from tcloseness.exact import as_fraction, number_text

__all__ = ["at_least", "below", "between", "whole"]


def whole(value: object, name: str, *, least: int = 1) -> int:
    """Read a whole number ≥ `least`.

    Raises
    ------
    InputError
        Naming the threshold and the rule.
    """
    number = as_fraction(value, name)
    if number.denominator != 1 or number < least:
        raise InputError(f"{name} = {number_text(number)}; it must be a whole number ≥ {least}")
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
        raise InputError(f"{name} = {number_text(number)}; it must be {'>' if above else '≥'} {least}")
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
        raise InputError(f"{name} = {number_text(number)}; it must be ≤ {most}")
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
        raise InputError(f"{name} = {number_text(number)}; it must be < {end}")
    return number
