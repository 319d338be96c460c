"""Values: what is one value, what it is called, and where it lies on its natural scale.

Two values are the same only if they are equal *and* of one kind: the number 1, the text ``"1"`` and the truth value
``True`` are three values. Integers, floats, fractions and decimals are one kind (1 equals 1.0).

Many values are sorted by machine numbers, and by their exact positions where two machine numbers are equal.
"""

from __future__ import annotations

import numbers
import re
from collections.abc import Hashable, Iterable, Sequence, Set
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from operator import ne
from typing import Any

import numpy as np
import pandas as pd

from tcloseness.errors import InputError
from tcloseness.exact import INT64_MAX, IntArray, as_fraction, fits_int64
from tcloseness.microdata.normal_form import NUMERIC_TEXT

__all__ = [
    "MISSING",
    "USUAL",
    "Missing",
    "Places",
    "ascending",
    "distinct_values",
    "identity",
    "is_missing",
    "kind_and_value",
    "kind_of",
    "natural_position",
    "order_of",
    "place_of",
    "places_of",
    "plain_value",
    "scaled_places",
    "short_places",
    "sort_key",
    "usual_type",
    "value_text",
]

_NANOSECONDS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}


class Missing:
    """The value of an empty cell, where the caller asked to keep it as a category. There is one: `MISSING`."""

    def __repr__(self) -> str:
        return "(missing)"

    def __reduce__(self) -> str:
        return "MISSING"


MISSING = Missing()


def is_missing(value: object) -> bool:
    """Say whether a cell is empty: None, NaN, NaT, NA or `MISSING`."""
    if value is None or value is MISSING or value is pd.NaT or value is pd.NA:
        return True
    try:
        unequal = value != value
    except (ArithmeticError, TypeError, ValueError):  # arrays in an array; a signalling NaN, not a value either
        return False
    return isinstance(unequal, (bool, np.bool_)) and bool(unequal)  # an array is compared cell by cell


def value_text(value: object) -> str:
    """Write a value as people read it: text as it is, everything else by ``str``."""
    return value if isinstance(value, str) else str(value)


def plain_value(value: Any) -> Hashable:
    """Return the value as a plain object: NumPy's unpacked, times as pandas', whole floats as ints, NaN `MISSING`."""
    if type(value) in USUAL:
        return value  # type: ignore[no-any-return]
    if isinstance(value, (np.datetime64, datetime)):
        value = _of_pandas(pd.Timestamp, value)
    elif isinstance(value, (np.timedelta64, timedelta)):
        value = _of_pandas(pd.Timedelta, value)
    elif isinstance(value, np.generic):
        value = value.item()
    if is_missing(value):
        return MISSING
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value  # type: ignore[no-any-return]


def _of_pandas(kind: Any, time: Any) -> Any:
    try:
        return kind(time)
    except (ValueError, OverflowError, NotImplementedError):  # a span of 300,000 years, a zone that pandas lacks
        return time


USUAL: dict[type, str] = {int: "number", str: "str", pd.Timestamp: "Timestamp"}
"""The types of most values and their kinds: columns of a million distinct values are read value by value."""


def usual_type(values: Iterable[object]) -> type | None:
    """Return the usual type that all values have: equal ones are one value then, and need no kind beside them."""
    types = set(map(type, values))
    return types.pop() if len(types) == 1 and types <= USUAL.keys() else None


def kind_of(value: object) -> str:
    """Return what kind of value it is: values of two kinds are never one."""
    usual = USUAL.get(type(value))
    if usual is not None:
        return usual
    if isinstance(value, bool):
        return "truth value"
    if isinstance(value, (numbers.Rational, float, Decimal)):
        return "number"
    return "missing" if value is MISSING else type(value).__name__


def kind_and_value(value: Hashable) -> tuple[str, Hashable]:
    """Return the `identity` of a value that is a plain object already.

    Decimals are compared as fractions: Python's decimal 0.5 and fraction 1/2 both equal the float 0.5, but not each
    other.
    """
    if isinstance(value, Decimal) and value.is_finite():
        try:
            return "number", as_fraction(value)
        except InputError:  # an exponent beyond all use
            pass
    return USUAL.get(type(value)) or kind_of(value), value


def identity(value: object) -> tuple[str, Hashable]:
    """Return the kind of a value and the value as a plain object: two values are one exactly if these are equal."""
    usual = USUAL.get(type(value))
    return (usual, value) if usual else kind_and_value(plain_value(value))


def natural_position(value: Any) -> Fraction | None:
    """Return where a value lies on its natural scale: numbers, numeric text and dates; None for anything else."""
    place = place_of(value)
    return Fraction(place) if isinstance(place, int) else place


def place_of(value: Any) -> Fraction | int | None:
    """Return the natural position, most whole ones as ints: those are compared many times faster."""
    if type(value) is int:
        return value
    if type(value) is pd.Timestamp:
        try:
            return value.value
        except OverflowError:  # outside the years 1677 to 2262
            return int(value.asm8.view("i8")) * _NANOSECONDS[value.unit]
    kind = kind_of(value)
    if kind == "number" or (kind == "str" and NUMERIC_TEXT.fullmatch(value.strip())):
        try:
            return as_fraction(value)
        except InputError:  # infinite, or an exponent beyond all use
            return None
    if kind in ("Timestamp", "Timedelta"):
        return int(value.asm8.view("i8")) * _NANOSECONDS[value.unit]
    return int(value.toordinal()) if kind == "date" else None


Places = tuple[IntArray, int]
"""Natural positions as whole numbers of int64 over one denominator."""


def ascending(values: pd.Index[Any]) -> tuple[IntArray, type | None, Places | None] | None:
    """Return the order in which different machine numbers or times ascend, their usual type, and their positions.

    What `distinct_values`, `order_of` and `short_places` find value by value, at a fraction of the cost; None if the
    values are of another kind, or have no natural order.

    >>> ascending(pd.Index([2.0, 0.5]))
    (array([1, 0]), None, (array([ 5, 20]), 10))
    """
    array = values.to_numpy()
    kind = array.dtype.kind
    if kind == "M":
        numbers, scale = array.view(np.int64), _NANOSECONDS.get(np.datetime_data(array.dtype)[0])
    elif kind in "iu" or (kind == "f" and array.itemsize <= np.dtype(np.float64).itemsize):
        numbers, scale = array.astype(np.float64) if kind == "f" else array, 1
    else:
        return None
    order = np.argsort(numbers)
    rising = numbers[order]
    if scale is None or not len(rising) or not np.isfinite(rising[[0, -1]]).all():
        return None
    ends = int(rising[0]) * scale, int(rising[-1]) * scale
    fits = max(map(abs, ends)) <= INT64_MAX
    if kind == "M":
        return order, pd.Timestamp, (rising * scale, 1) if fits else None
    if kind == "f" and not (np.floor(rising) == rising).all():
        return order, None, _short_decimals(rising)
    return order, int, (rising.astype(np.int64), 1) if fits else None


_SHORT = 18
"""Whole numbers of at most so many digits fit int64."""

_LONG = 300
"""Decimals of at most so many characters are finite doubles, and within the limits of exact numbers."""

_FINITE = 10**_LONG

_DECIMALS = re.compile(r"(?:[+-]?[0-9]++(?:\.[0-9]++)?(?:[eE][+-]?[0-9]{1,2}+)?\n)++")
"""Lines that are numbers, with exponents of at most two digits."""


def _decimals(values: Sequence[Any]) -> bool:
    """Say whether all of many texts are numbers without a large exponent and without blanks."""
    lines = "\n".join((*values, ""))
    return lines.count("\n") == len(values) and bool(_DECIMALS.fullmatch(lines)) and max(map(len, values)) <= _LONG


def _digits(values: Sequence[Any]) -> bool:
    """Say whether all of many texts are whole numbers that fit int64, written in digits alone."""
    text = "".join(values)
    return text.isascii() and text.isdigit() and all(values) and max(map(len, values)) <= _SHORT


def places_of(values: Sequence[Any]) -> list[Fraction | int] | None:
    """Return the natural positions of different values of one kind, or None if one of them has none."""
    types = set(map(type, values))
    if types == {str} and _digits(values):
        return list(map(int, values))
    texts = values if types == {str} else list(map(repr, values)) if types == {float} else ()
    if texts and _decimals(texts):
        digits, after = _read(texts)
        pairs = zip(digits, after.tolist(), strict=True)
        return [Fraction(number, 10**power) if power > 0 else number * 10**-power for number, power in pairs]
    places = []
    for value in values:
        place = place_of(value)
        if place is None:
            return None
        places.append(place)
    return places


def _read(texts: Sequence[str]) -> tuple[list[int], IntArray]:
    """Read `_decimals`: the digits of each as a whole number, and by which power of ten it is to be divided."""
    given = list(texts)
    after = np.zeros(len(given), dtype=np.int64)
    lines = "\n".join((*given, "")).encode()
    if b"e" in lines or b"E" in lines:
        for i, text in enumerate(texts):
            if "e" in text or "E" in text:
                given[i], _, power = text.lower().partition("e")
                after[i] = -int(power)
        lines = "\n".join((*given, "")).encode()
    characters = np.frombuffer(lines, np.uint8)
    ends, points = np.flatnonzero(characters == ord("\n")), np.flatnonzero(characters == ord("."))
    with_point = np.searchsorted(ends, points)
    after[with_point] += ends[with_point] - points - 1
    return list(map(int, lines.translate(None, b".").split())), after


_EXACT_DIGITS = 10.0**15
"""Decimals of at most 15 digits are different doubles, so one that reads as a double is its shortest text."""


_LONGEST_OF_DOUBLES = 16
"""A decimal of at most so many characters, one of which is its point, has at most 15 digits."""


def _short_decimals(doubles: np.ndarray[Any, Any]) -> Places | None:
    """Return the natural positions of doubles over one power of ten, where they have at most 15 digits; else None.

    The quotient of two whole numbers below 2⁵³ is correctly rounded, so it is the double that the decimal reads as.
    """
    some = doubles[:: len(doubles) // 1000 + 1]
    if not np.isfinite(doubles).all():
        return None
    for power in (10.0**places for places in range(16)):
        if np.abs(some).max() * power >= _EXACT_DIGITS:
            break
        if (np.rint(some * power) / power == some).all():
            numbers = np.rint(doubles * power)
            if np.abs(numbers).max() < _EXACT_DIGITS and (numbers / power == doubles).all():
                return numbers.astype(np.int64), int(power)
    return None


def short_places(values: Sequence[Any]) -> Places | None:
    """Return the natural positions of whole numbers that fit int64, or of decimals of few digits; None of others.

    >>> short_places(["1.5", "2"]), short_places([3, 1])
    ((array([15, 20]), 10), (array([3, 1]), 1))
    """
    types = set(map(type, values))
    if types == {str} and place_of(values[0]) is None:
        return None
    try:
        if types == {int} or (types == {str} and _digits(values)):
            return np.fromiter(map(int, values), np.int64, len(values)), 1
        if types == {str}:
            decimal = max(map(len, values)) <= _LONGEST_OF_DOUBLES and _decimals(values)
        else:
            decimal = float in types and types <= {int, float}
        return _short_decimals(np.fromiter(map(float, values), np.float64, len(values))) if decimal else None
    except OverflowError:
        return None


def scaled_places(values: Sequence[Any]) -> tuple[IntArray, int] | None:
    """Return the natural positions of decimals of any length over one power of ten; None if a value is not one."""
    types = set(map(type, values))
    texts: Sequence[Any] = values if types == {str} else ()
    if float in types and types <= {int, float} and max(map(abs, values)) < _FINITE:
        texts = list(map(repr, values))
    if not texts or not _decimals(texts):
        return None
    digits, after = _read(texts)
    most = max(int(after.max()), 0)
    powers = [10**power for power in range(most - int(after.min()) + 1)]
    fits = fits_int64(max(map(abs, digits)), powers[-1])
    dtype = np.int64 if fits else object
    return np.array(digits, dtype=dtype) * np.array(powers, dtype=dtype)[most - after], 10**most


def _rising(values: Sequence[Any]) -> np.ndarray[Any, Any] | None:
    """Return machine numbers that rise with the natural positions of values of one kind, though not always strictly.

    Where they differ, the positions differ in the same direction: whole numbers are exact, and the nearest double of a
    number (Python's ``float`` of an int, a fraction or a text is correctly rounded) never falls where the number rises.
    A double and its shortest text both round to that double. None where no such numbers are at hand.
    """
    types = set(map(type, values))
    try:
        if types <= {int, float} or (types == {str} and _decimals(values)):
            doubles = np.fromiter(map(float, values), np.float64, len(values))
        elif (exact := places_of(values)) is not None:
            doubles = np.fromiter(map(float, exact), np.float64, len(values))
        else:
            return None
    except OverflowError:
        return None
    return doubles if np.isfinite(doubles).all() else None


def _natural_order(values: Sequence[Any], short: Places | None) -> IntArray | None:
    """Return the order in which values of one kind ascend; None if one has no position, or two have the same."""
    if short is None and place_of(values[0]) is None:
        return None
    rising = _rising(values) if short is None else short[0]
    if rising is None:
        places = places_of(values)
        if places is None:
            return None
        order = np.array(sorted(range(len(places)), key=places.__getitem__), dtype=np.int64)
        same = any(places[i] == places[j] for i, j in pairwise(order.tolist()))
        return None if same else order
    order = np.argsort(rising, kind="stable")
    level = np.append(rising[order[1:]] != rising[order[:-1]], [True])
    ends = np.flatnonzero(level) + 1
    starts = np.append([0], ends[:-1])
    several = ends - starts > 1
    for start, end in zip(starts[several].tolist(), ends[several].tolist(), strict=True):
        members = order[start:end].tolist()  # one machine number: their exact positions decide
        by_place = {place_of(values[i]): i for i in members}
        if len(by_place) < len(members):
            return None
        order[start:end] = [by_place[place] for place in sorted(by_place)]  # type: ignore[type-var]
    return order


def order_of(values: Sequence[Any], kinds: Set[str], short: Places | None) -> tuple[IntArray, bool]:
    """Return the order of different values of these kinds, and whether it is natural; see `short_places`."""
    if kinds == {"str", "missing"} or len(kinds - {"missing"}) > 1 or not kinds:
        natural = None
    elif "missing" in kinds:
        rest = [place for place, value in enumerate(values) if value is not MISSING]
        present = [values[place] for place in rest]
        natural = _natural_order(present, short_places(present)) if rest else None
        if natural is not None:
            empty = next(place for place, value in enumerate(values) if value is MISSING)
            return np.append(np.array(rest)[natural], [empty]), False
    else:
        natural = _natural_order(values, short)
    if natural is not None:
        return natural, True
    if kinds == {"str"}:
        return _text_order(values), False
    return np.array(sorted(range(len(values)), key=lambda place: sort_key(values[place])), dtype=np.int64), False


_FEW_TEXTS = 128
"""Up to so many texts are sorted one by one."""

_SHORT_TEXT = 64
"""Texts of at most so many bytes are sorted as a table of them."""


def _text_order(texts: Sequence[str]) -> IntArray:
    """Return the order of different texts by their characters, which is that of their bytes in UTF-8."""
    if len(texts) <= _FEW_TEXTS:
        return np.array(sorted(range(len(texts)), key=texts.__getitem__), dtype=np.int64)
    try:
        lines = "\n".join((*texts, "")).encode()
    except UnicodeEncodeError:  # half of a character
        lines = b"\0"
    if b"\0" not in lines and lines.count(b"\n") == len(texts):  # a text is filled up with NULs
        characters = np.frombuffer(lines, np.uint8)
        ends = np.flatnonzero(characters == ord("\n"))
        lengths = np.diff(ends, prepend=-1) - 1
        longest = int(lengths.max())
        if longest <= _SHORT_TEXT:
            if (lengths == longest).all():
                table = characters.reshape(len(texts), longest + 1)[:, :-1]
            else:
                table = np.zeros((len(texts), longest), np.uint8)
                table[np.arange(longest) < lengths[:, None]] = characters[characters != ord("\n")]
            return _row_order(table)
    return np.array(sorted(range(len(texts)), key=texts.__getitem__), dtype=np.int64)


def _row_order(table: np.ndarray[Any, np.dtype[np.uint8]]) -> IntArray:
    """Return the order of different rows of bytes, eight of which are compared at once."""
    differing = np.flatnonzero((table != table[0]).any(axis=0))
    words = max(-(-len(differing) // 8), 1)
    packed = np.zeros((len(table), 8 * words), np.uint8)
    packed[:, : len(differing)] = table[:, differing]
    keys = packed.view(">u8").astype(np.uint64)
    order = np.argsort(keys[:, 0])
    same = np.diff(keys[order, 0]) == 0
    if same.any():
        places = np.flatnonzero(np.append(same, [False]) | np.append([False], same))
        rows = order[places]
        order[places] = rows[np.lexsort(keys[rows].T[::-1])]
    return order


def sort_key(value: Any) -> tuple[Any, ...]:
    """Return by what values are sorted that have no natural order together."""
    if type(value) is str:
        return (1, "str", 0, value)
    kind = kind_of(value)
    if kind == "missing":
        return (2, "", 0, "")
    position = natural_position(value)
    if position is not None and kind != "str":
        # the float 0.1 and the Decimal 0.1 differ, and so do one time with a zone and without
        return (0, kind, position, type(value).__name__ if kind == "number" else value_text(value))
    return (1, kind, 0, value_text(value))


def distinct_values(given: Sequence[Any], apart: bool) -> tuple[list[Any], IntArray, Set[str]]:
    """Return the different values as plain objects, the number of each given one among them, and their kinds."""
    types = set(map(type, given))
    if len(types) == 1 and types <= USUAL.keys() and (types != {pd.Timestamp} or _in_one_zone(given)):
        return *_numbered(given, apart), {USUAL[types.pop()]}
    if types and types <= {int, float} and not any(map(ne, given, given)):
        return *_numbered([int(v) if type(v) is float and v.is_integer() else v for v in given], apart), {"number"}
    number: dict[tuple[str, Hashable], int] = {}
    different: list[Any] = []
    numbers = np.empty(len(given), dtype=np.int64)
    for place, raw in enumerate(given):
        value = plain_value(raw)
        at = numbers[place] = number.setdefault(kind_and_value(value), len(different))
        if at == len(different):
            different.append(value)
        elif type(value) is not str and value is not different[at]:
            different[at] = min(different[at], value, key=_writing)
    return different, numbers, {kind for kind, _ in number}


def _in_one_zone(times: Sequence[Any]) -> bool:
    """Say whether equal times are written alike; a column of pandas has one zone, a list of objects may have many."""
    zone = times[0].tzinfo
    return all(time.tzinfo is zone for time in times)


def _writing(value: Any) -> tuple[Any, ...]:
    """Return by what one of several equal values is chosen, in any order: 1 and 1.0 are one value, written 1."""
    number = isinstance(value, (numbers.Rational, float))  # equal ones of one type are written alike
    text = "" if number else value_text(value)
    return not isinstance(value, int), not isinstance(value, float), type(value).__name__, text


def _numbered(given: Sequence[Any], apart: bool) -> tuple[list[Any], IntArray]:
    """Return the different ones of values that are one where they are equal, and the number of each among them."""
    different = list(given if apart else dict.fromkeys(given))
    if len(different) == len(given):
        return different, np.arange(len(given))
    number = dict(zip(different, range(len(different)), strict=True))
    return different, np.fromiter(map(number.__getitem__, given), np.int64, len(given))
