"""`Domain`: the distinct values of an attribute, in an order that never depends on the rows.

Two values are the same only if they are equal *and* of one kind: the number 1, the text ``"1"`` and the truth value
``True`` are three values. Integers, floats, fractions and decimals are one kind (1 equals 1.0).
"""

from __future__ import annotations

import numbers
import re
from collections.abc import Hashable, Iterable, Sequence, Set
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from operator import ne
from typing import Any, Literal

import numpy as np
import pandas as pd

from tcloseness.errors import DomainError, InputError
from tcloseness.exact import IntArray, as_fraction, scaled_integers
from tcloseness.microdata.normal_form import NUMERIC_TEXT, normal_form

__all__ = [
    "MISSING",
    "Domain",
    "Missing",
    "identity",
    "is_missing",
    "natural_position",
    "value_text",
]

_NANOSECONDS = {"ns": 1, "us": 10**3, "ms": 10**6, "s": 10**9}

Order = Literal["natural", "declared"]


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
    except (ArithmeticError, TypeError, ValueError):  # arrays in an array; a signalling NaN, which is no value either
        return False
    return isinstance(unequal, (bool, np.bool_)) and bool(unequal)  # an array is compared cell by cell


def value_text(value: object) -> str:
    """Write a value for a person: text as it is, everything else by ``str``."""
    return value if isinstance(value, str) else str(value)


def _plain(value: Any) -> Hashable:
    """Return the value as a plain Python object: NumPy scalars unpacked, integral floats as ints, NaN as `MISSING`."""
    if type(value) in _USUAL:
        return value  # type: ignore[no-any-return]
    if isinstance(value, np.datetime64):
        value = pd.Timestamp(value)
    elif isinstance(value, np.timedelta64):
        value = pd.Timedelta(value)
    elif isinstance(value, np.generic):
        value = value.item()
    if is_missing(value):
        return MISSING
    if isinstance(value, float) and value.is_integer():
        return int(value)
    return value  # type: ignore[no-any-return]


_USUAL: dict[type, str] = {int: "number", str: "str", pd.Timestamp: "Timestamp"}
"""The types of most values and their kinds: columns of a million distinct values are read value by value."""


def _usual_type(values: Iterable[object]) -> type | None:
    """Return the usual type that all values have: equal ones are one value then, and need no kind beside them."""
    types = set(map(type, values))
    return types.pop() if len(types) == 1 and types <= _USUAL.keys() else None


def _kind(value: object) -> str:
    usual = _USUAL.get(type(value))
    if usual is not None:
        return usual
    if isinstance(value, bool):
        return "truth value"
    if isinstance(value, (numbers.Rational, float, Decimal)):
        return "number"
    return "missing" if value is MISSING else type(value).__name__


def _identity(value: Hashable) -> tuple[str, Hashable]:
    return _USUAL.get(type(value)) or _kind(value), value


def identity(value: object) -> tuple[str, Hashable]:
    """Return the kind of a value and the value as a plain object: two values are one exactly if these are equal."""
    usual = _USUAL.get(type(value))
    return (usual, value) if usual else _identity(_plain(value))


def natural_position(value: Any) -> Fraction | None:
    """Return where a value lies on its natural scale: numbers, numeric text and dates; None for anything else."""
    place = _place(value)
    return Fraction(place) if isinstance(place, int) else place


def _place(value: Any) -> Fraction | int | None:
    """Return the natural position, most whole ones as ints: those are compared many times faster."""
    if type(value) is int:
        return value
    if type(value) is pd.Timestamp:  # .value overflows outside the years 1677 to 2262
        return int(value.asm8.view("i8")) * _NANOSECONDS[value.unit]
    kind = _kind(value)
    if kind == "number" or (kind == "str" and NUMERIC_TEXT.fullmatch(value.strip())):
        try:
            return as_fraction(value)
        except InputError:  # infinite, or an exponent beyond all use
            return None
    if kind in ("Timestamp", "Timedelta"):
        return int(value.asm8.view("i8")) * _NANOSECONDS[value.unit]
    return int(value.toordinal()) if kind == "date" else None


_SHORT = 18
"""Whole numbers of at most so many digits fit int64."""

_LONG = 300
"""Decimals of at most so many characters are finite doubles, and within the limits of exact numbers."""

_FINITE = 10**_LONG

_DECIMALS = re.compile(r"(?:[+-]?[0-9]+(?:\.[0-9]+)?\n)+")
"""Lines that are numbers without an exponent."""


def _decimals(values: Sequence[Any]) -> bool:
    """Say whether all of many texts are numbers without an exponent and without blanks."""
    lines = "\n".join((*values, ""))
    return lines.count("\n") == len(values) and bool(_DECIMALS.fullmatch(lines)) and max(map(len, values)) <= _LONG


def _digits(values: Sequence[Any]) -> bool:
    """Say whether all of many texts are whole numbers that fit int64, written in digits alone."""
    text = "".join(values)
    return text.isascii() and text.isdigit() and all(values) and max(map(len, values)) <= _SHORT


def _places(values: Sequence[Any]) -> list[Fraction | int] | None:
    """Return the natural positions of different values of one kind, or None if one of them has none."""
    types = set(map(type, values))
    if types == {str} and _digits(values):
        return list(map(int, values))
    if types == {str} and _decimals(values):
        return list(map(_decimal, values))
    if types == {float} and _decimals(texts := list(map(repr, values))):
        return list(map(_decimal, texts))
    places = []
    for value in values:
        place = _place(value)
        if place is None:
            return None
        places.append(place)
    return places


def _decimal(text: str) -> Fraction | int:
    """Read a number without an exponent."""
    whole, point, digits = text.partition(".")
    return Fraction(int(whole + digits), 10 ** len(digits)) if point else int(whole)


def _shifted(text: str, places: int) -> int:
    """Read a number without an exponent times 10^places, with no more digits than that after its point."""
    whole, _, digits = text.partition(".")
    return int(whole + digits.ljust(places, "0"))


def _whole(values: Sequence[Any]) -> IntArray | None:
    """Return the natural positions of ints, or of texts of digits alone, where all of them fit int64; else None."""
    types = set(map(type, values))
    try:
        if types == {int} or (types == {str} and _digits(values)):
            return np.fromiter(map(int, values), np.int64, len(values))
    except OverflowError:
        pass
    return None


def _rising(values: Sequence[Any]) -> np.ndarray[Any, Any] | None:
    """Return machine numbers that rise with the natural positions of values of one kind, though not always strictly.

    Where they differ, the positions differ in the same direction: whole numbers are exact, and the nearest double of a
    number (Python's ``float`` of an int, a fraction or a text is correctly rounded) never falls where the number rises.
    A double and its shortest text both round to that double. None where no such numbers are at hand.
    """
    whole = _whole(values)
    if whole is not None:
        return whole
    types = set(map(type, values))
    try:
        if types <= {int, float} or (types == {str} and _decimals(values)):
            doubles = np.fromiter(map(float, values), np.float64, len(values))
        elif (places := _places(values)) is not None:
            doubles = np.fromiter(map(float, places), np.float64, len(values))
        else:
            return None
    except OverflowError:
        return None
    return doubles if np.isfinite(doubles).all() else None


def _natural_order(values: Sequence[Any], whole: IntArray | None = None) -> IntArray | None:
    """Return the order in which values of one kind ascend; None if one has no position, or two have the same."""
    rising = _rising(values) if whole is None else whole
    if rising is None:
        places = _places(values)
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
        by_place = {_place(values[i]): i for i in members}
        if len(by_place) < len(members):
            return None
        order[start:end] = [by_place[place] for place in sorted(by_place)]  # type: ignore[type-var]
    return order


def _order(values: Sequence[Any], kinds: Set[str], whole: IntArray | None) -> tuple[IntArray, bool]:
    """Return the order of different values of these kinds, and whether it is their natural one; see `_whole`."""
    if kinds == {"str", "missing"} or len(kinds - {"missing"}) > 1 or not kinds:
        natural = None
    elif "missing" in kinds:
        rest = [place for place, value in enumerate(values) if value is not MISSING]
        natural = _natural_order([values[place] for place in rest]) if rest else None
        if natural is not None:
            empty = next(place for place, value in enumerate(values) if value is MISSING)
            return np.append(np.array(rest)[natural], [empty]), False
    else:
        natural = _natural_order(values, whole)
    if natural is not None:
        return natural, True
    key = values.__getitem__ if kinds == {"str"} else lambda place: _sort_key(values[place])
    return np.array(sorted(range(len(values)), key=key), dtype=np.int64), False


def _sort_key(value: Any) -> tuple[Any, ...]:
    if type(value) is str:
        return (1, "str", 0, value)
    kind = _kind(value)
    if kind == "missing":
        return (2, "", 0, "")
    position = natural_position(value)
    if position is not None and kind != "str":
        return (0, kind, position, type(value).__name__)  # the float 0.1 and the Decimal 0.1 differ
    return (1, kind, 0, value_text(value))


def _distinct(given: Sequence[Any], apart: bool) -> tuple[list[Any], IntArray, Set[str]]:
    """Return the different values as plain objects, the number of each given one among them, and their kinds."""
    types = set(map(type, given))
    if len(types) == 1 and types <= _USUAL.keys():
        return *_numbered(given, apart), {_USUAL[types.pop()]}
    if types and types <= {int, float} and not any(map(ne, given, given)):
        return *_numbered([int(v) if type(v) is float and v.is_integer() else v for v in given], apart), {"number"}
    number: dict[tuple[str, Hashable], int] = {}
    different: list[Any] = []
    numbers = np.empty(len(given), dtype=np.int64)
    for place, raw in enumerate(given):
        value = _plain(raw)
        at = numbers[place] = number.setdefault(_identity(value), len(different))
        if at == len(different):
            different.append(value)
        elif isinstance(value, int):
            different[at] = value  # 1 and 1.0 are one value, written 1
    return different, numbers, {kind for kind, _ in number}


def _numbered(given: Sequence[Any], apart: bool) -> tuple[list[Any], IntArray]:
    """Return the different ones of values that are one where they are equal, and the number of each among them."""
    different = list(given if apart else dict.fromkeys(given))
    if len(different) == len(given):
        return different, np.arange(len(given))
    number = dict(zip(different, range(len(different)), strict=True))
    return different, np.fromiter(map(number.__getitem__, given), np.int64, len(given))


@dataclass(frozen=True)
class Domain:
    """The values of an attribute, each once; a value's *code* is its place in `values`.

    Attributes
    ----------
    values
        The values in order.
    order
        ``"declared"`` where the caller gave the order, ``"natural"`` where every value is a number, a numeric text or a
        date (then `values` ascend), None where the values have no order (then `values` are sorted only so that
        results do not depend on the rows). Ordered ground distances ask for one of the first two.
    declared
        Whether the caller gave the whole domain; if so, values that never occur count (they are part of m).

    Raises
    ------
    DomainError
        If a value occurs twice.

    Examples
    --------
    >>> Domain.of(["10", "2", "11"])
    Domain(values=('2', '10', '11'), order='natural', declared=False)
    >>> Domain.of(["b", "a"]).order is None
    True
    """

    values: tuple[Hashable, ...]
    order: Order | None = None
    declared: bool = False

    def __post_init__(self) -> None:
        if len(self._codes) != len(self.values):
            seen: set[tuple[str, Hashable]] = set()
            for value in self.values:
                if _identity(value) in seen:
                    raise DomainError(f"value {value!r} stands twice in the domain; each value must be given once")
                seen.add(_identity(value))

    @classmethod
    def of(cls, values: Iterable[object]) -> Domain:
        """Build the domain of the values that occur, in an order that does not depend on theirs."""
        return cls.numbered(values)[0]

    @classmethod
    def numbered(cls, values: Iterable[object], *, apart: bool = False) -> tuple[Domain, IntArray]:
        """Build the domain of the values that occur, and return it with the code of each given value.

        The caller may know that no two of the values are equal (`apart`); then they are not compared.

        >>> Domain.numbered(["b", "a", "b"])
        (Domain(values=('a', 'b'), order=None, declared=False), array([1, 0, 1]))
        """
        different, numbers, kinds = _distinct(values if isinstance(values, Sequence) else list(values), apart)
        whole = _whole(different) if len(kinds) == 1 else None
        order, natural = _order(different, kinds, whole)
        codes = np.empty_like(order)
        codes[order] = np.arange(len(order))
        ordered = tuple(map(different.__getitem__, order.tolist()))
        domain = cls._of_different(ordered, "natural" if natural else None)
        domain.__dict__["_type"] = _usual_type(different)  # known here; later the values lie scattered in memory
        if natural and whole is not None:
            domain.__dict__["_whole_places"] = whole[order]
        return domain, codes[numbers]

    @classmethod
    def _of_different(cls, values: tuple[Hashable, ...], order: Order | None, *, declared: bool = False) -> Domain:
        """Build from values that are known to differ: to look for equal ones takes as long as all else together."""
        domain = object.__new__(cls)
        for name, value in (("values", values), ("order", order), ("declared", declared)):
            object.__setattr__(domain, name, value)
        return domain

    @classmethod
    def declare(cls, values: Iterable[object]) -> Domain:
        """Build a domain from the caller's list: all of its values belong to the domain, in that order."""
        domain = cls(tuple(_plain(v) for v in values), "declared", declared=True)
        if not domain.values:
            raise DomainError("the declared domain is empty; it must list every value of the attribute")
        return domain

    def __len__(self) -> int:
        return len(self.values)

    @cached_property
    def _type(self) -> type | None:
        return _usual_type(self.values)

    @cached_property
    def _whole_places(self) -> IntArray | None:
        return _whole(self.values)

    @cached_property
    def _codes(self) -> dict[Hashable, int]:
        keys = self.values if self._type else map(_identity, self.values)
        return dict(zip(keys, range(len(self.values)), strict=True))

    def _code(self, value: object) -> int | None:
        kind, plain = key = identity(value)
        if plain is MISSING:  # asked of every column; the codes of all values take long to list
            held = () if self._type else self.values
            return next((code for code, value in enumerate(held) if value is MISSING), None)
        if self._type is None:
            return self._codes.get(key)
        return self._codes.get(plain) if kind == _USUAL[self._type] else None

    def __contains__(self, value: object) -> bool:
        return self._code(value) is not None

    def code(self, value: object) -> int:
        """Return the code of a value.

        Raises
        ------
        DomainError
            If the value is not in the domain; a value that looks the same is pointed out.
        """
        code = self._code(value)
        if code is not None:
            return code
        raise DomainError(f"value {value!r} is not in the domain of {len(self)} values{self.twin_of(value)}")

    def twin_of(self, value: object) -> str:
        """Return for a message which value of the domain looks the same as one that it lacks; nothing if none does."""
        form = normal_form(value)
        alike = next((v for v in self.values if normal_form(v) == form), None)
        return "" if alike is None else f"; there is {alike!r}, which looks the same and is another value"

    def codes(self, values: Iterable[object]) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Return the codes of many values."""
        given = values if isinstance(values, Sequence) else list(values)
        same = self._type is not None and _usual_type(given) is self._type
        found = list(map(self._codes.get if same else self._code, given))
        if None in found:
            self.code(given[found.index(None)])
        return np.array(found, dtype=np.int64)

    def subset(self, keep: Sequence[int] | np.ndarray[Any, Any]) -> Domain:
        """Return the domain of the given codes, which must ascend; the order stays what it was."""
        if len(keep) == len(self):
            return self
        kept = tuple(map(self.values.__getitem__, np.asarray(keep).tolist()))
        return self._of_different(kept, self.order, declared=self.declared)

    def require_order(self, purpose: str) -> None:
        """Raise `DomainError` unless the values have a natural or declared order without a missing value."""
        if self.order is None and self.values:
            unplaced = [v for v in self.values if natural_position(v) is None]
            reason = f"{unplaced[0]!r} is not a number" if unplaced else self._why_unordered()
            raise DomainError(
                f"{purpose} needs an order of the values, and {reason}; declare the order, lowest value first"
            )
        if self.order == "natural" and MISSING in self:
            raise DomainError(f"{purpose} needs an order, and the missing value has no place in it; declare the order")

    def _why_unordered(self) -> str:
        placed: dict[object, Hashable] = {}
        for value in self.values:
            other = placed.setdefault((_kind(value), natural_position(value)), value)
            if other is not value:
                return (
                    f"{other!r} and {value!r} are equal as numbers (if they are one value, merge them with "
                    "merge_spellings=)"
                )
        return f"some values are of mixed kinds (first {self.values[0]!r})"

    def positions(self, purpose: str) -> tuple[Fraction, ...]:
        """Return the numeric position of every value, exactly (dates as nanoseconds or days).

        Raises
        ------
        DomainError
            If a value is no number and no date.
        """
        return tuple([p if type(p) is Fraction else Fraction(p) for p in self._require_places(purpose)])

    def scaled_positions(self, purpose: str) -> tuple[list[int], int]:
        """Return whole numbers and a denominator: what they make is `positions`, at a fraction of its cost.

        >>> Domain.of(["1.5", "2"]).scaled_positions("an example")
        ([15, 20], 10)
        """
        if self._whole_places is not None:
            return self._whole_places.tolist(), 1
        types = set(map(type, self.values))
        texts: Sequence[Any] = self.values if types == {str} else ()
        if float in types and types <= {int, float} and max(map(abs, self.values)) < _FINITE:  # type: ignore[arg-type]
            texts = list(map(repr, self.values))
        if texts and not _digits(texts) and _decimals(texts):
            after = max(len(text.partition(".")[2]) for text in texts)
            return [_shifted(text, after) for text in texts], 10**after
        places = self._require_places(purpose)
        if set(map(type, places)) == {int}:
            return places, 1  # type: ignore[return-value]
        return scaled_integers([Fraction(place) for place in places])

    def _require_places(self, purpose: str) -> list[Fraction | int]:
        places = _places(self.values)
        if places is None:
            value = next(v for v in self.values if _place(v) is None)
            raise DomainError(f"{purpose} needs numbers, and {value!r} is not one; use the ordered distance")
        return places
