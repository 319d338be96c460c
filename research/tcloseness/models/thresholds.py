"""Reading a model's thresholds: exactly, and refused by the name by which they were given where they make no sense."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, TypeVar

from tcloseness.errors import InputError
from tcloseness.exact import Number, as_fraction, decimal_text_of, number_text

__all__ = [
    "COUNTED",
    "Exact",
    "Option",
    "at_least",
    "at_most",
    "below",
    "between",
    "called",
    "name_of",
    "texts",
    "whole",
]

T = TypeVar("T")

_LONGEST = 40
"""A number with more characters is shown as a decimal."""

_LONGEST_PERCENT = 5

_CALLED: ContextVar[Callable[[str], str]] = ContextVar("called", default=str)


@contextmanager
def called(names: Callable[[str], str]) -> Iterator[None]:
    """Within this, messages call a threshold what `names` makes of its name.

    A model knows its parameter as ``l``; who asked for it by the keyword ``entropy_l`` or the option ``--entropy-l``
    reads that.
    """
    token = _CALLED.set(names)
    try:
        yield
    finally:
        _CALLED.reset(token)


def name_of(name: str) -> str:
    """Return what a threshold is called at the moment, see `called`."""
    return _CALLED.get()(name)


class Exact(Generic[T]):
    """A field of a frozen dataclass that is read by one rule when an object is made, and holds what was read.

    Parameters
    ----------
    read
        Reads a value; it is given the field's name too, and `limits`.
    default
        The field's default; where that is None, None is not read. Without one the field is required.

    Examples
    --------
    >>> from dataclasses import dataclass
    >>> @dataclass(frozen=True)
    ... class Closer:
    ...     t: Exact[Fraction | None] = Exact(at_least, 0, default=None)
    >>> Closer("0.2"), Closer()
    (Closer(t=Fraction(1, 5)), Closer(t=None))
    """

    def __init__(self, read: Callable[..., T], *limits: Any, default: Any = ..., **rules: Any) -> None:
        self._read, self._limits, self._default, self._rules = read, limits, default, rules

    def __set_name__(self, owner: type, name: str) -> None:
        self._name = name

    def __get__(self, model: object, owner: type | None = None) -> T:
        if model is not None:
            return model.__dict__[self._name]  # type: ignore[no-any-return]
        if self._default is ...:
            raise AttributeError(self._name)  # so the dataclass knows that the field is required
        return self._default  # type: ignore[no-any-return]

    def __set__(self, model: object, value: Number | Collection[Hashable] | None) -> None:
        absent = value is None and self._default is None
        model.__dict__[self._name] = None if absent else self._read(value, self._name, *self._limits, **self._rules)


COUNTED = "no table has more than 2⁶² records (counts are kept in 64 bits)"
"""Why what counts records or values ends there."""


@dataclass(frozen=True)
class Option:
    """How people give a model's threshold by name: a keyword of `tcloseness.check`, and an option of the command line.

    Attributes
    ----------
    keyword
        The keyword; the option is it with hyphens.
    symbol
        As people write it.
    metavar, help
        What the option's help says.
    most
        The end of the range; None where it is that of the ground distance.
    why
        Why the range ends there.
    pair
        The names of both numbers where two are given, as messages call them; else None.
    headline
        Whether what is measured is reported in the first line where nothing was asked.
    """

    keyword: str
    symbol: str
    metavar: str
    help: str
    most: int | None = 2**62
    why: str = COUNTED
    pair: tuple[str, str] | None = None
    headline: bool = False

    @property
    def needs_ground(self) -> bool:
        """Whether the model is one of a ground distance."""
        return self.most is None


def texts(**numbers: Fraction | int | None) -> dict[str, str]:
    """Return the numbers that are given as exact texts, for a result's parameters.

    Examples
    --------
    >>> texts(l=Fraction(3, 2), c=None)
    {'l': '3/2'}
    """
    return {name: number_text(number) for name, number in numbers.items() if number is not None}


def whole(value: object, name: str, *, least: int = 1) -> int:
    """Read a whole number ≥ `least`.

    Raises
    ------
    InputError
        Naming the threshold and the rule.
    """
    number = as_fraction(value, name_of(name))
    if number.denominator != 1 or number < least:
        raise InputError(f"{name_of(name)} = {_said(number)}; it must be a whole number ≥ {least}")
    return int(number)


def at_least(value: object, name: str, least: int, *, above: bool = False) -> Fraction:
    """Read a number ≥ `least`, or > `least` if `above`.

    Raises
    ------
    InputError
        Naming the threshold and the rule.
    """
    number = as_fraction(value, name_of(name))
    if number < least or (above and number == least):
        raise InputError(f"{name_of(name)} = {_said(number)}; it must be {'>' if above else '≥'} {least}")
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
        raise InputError(f"{name_of(name)} = {_said(number)}; it must be ≤ {most}{_percent(number, Fraction(most))}")
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
        raise InputError(f"{name_of(name)} = {_said(number)}; it must be < {end}{_percent(number, Fraction(end))}")
    return number


def at_most(value: object, name: str, most: Fraction, why: str) -> Fraction:
    """Read a number ≤ `most`, the end of its range, and say why the range ends there.

    Raises
    ------
    InputError
        Naming the threshold, the range, and what was probably meant.
    """
    number = as_fraction(value, name_of(name))
    if number > most:
        raise InputError(
            f"{name_of(name)} = {_said(number)}; {why}, so it must be ≤ {_end(most)}{_percent(number, most)}"
        )
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
