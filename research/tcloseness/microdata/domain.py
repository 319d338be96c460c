"""`Domain`: the distinct values of an attribute, in an order that never depends on the rows.

Two values are the same only if they are equal *and* of one kind: the number 1, the text ``"1"`` and the truth value
``True`` are three values. Integers, floats, fractions and decimals are one kind (1 equals 1.0).
"""

from __future__ import annotations

import numbers
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd

from tcloseness.errors import DomainError, InputError
from tcloseness.exact import as_fraction
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
    return value is None or value is MISSING or value is pd.NaT or value is pd.NA or value != value


def value_text(value: object) -> str:
    """Write a value for a person: text as it is, everything else by ``str``."""
    return value if isinstance(value, str) else str(value)


def _plain(value: Any) -> Hashable:
    """Return the value as a plain Python object: NumPy scalars unpacked, integral floats as ints, NaN as `MISSING`."""
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


def _kind(value: object) -> str:
    if isinstance(value, bool):
        return "truth value"
    if isinstance(value, (numbers.Rational, float, Decimal)):
        return "number"
    return "missing" if value is MISSING else type(value).__name__


def _identity(value: Hashable) -> tuple[str, Hashable]:
    return _kind(value), value


def identity(value: object) -> tuple[str, Hashable]:
    """Return the kind of a value and the value as a plain object: two values are one exactly if these are equal."""
    return _identity(_plain(value))


def natural_position(value: Any) -> Fraction | None:
    """Return where a value lies on its natural scale: numbers, numeric text and dates; None for anything else."""
    kind = _kind(value)
    if kind == "number" or (kind == "str" and NUMERIC_TEXT.fullmatch(value.strip())):
        try:
            return as_fraction(value)
        except InputError:  # infinite, or an exponent beyond all use
            return None
    if kind in ("Timestamp", "Timedelta"):  # .value overflows outside the years 1677 to 2262
        return Fraction(int(value.asm8.view("i8")) * _NANOSECONDS[value.unit])
    return Fraction(value.toordinal()) if kind == "date" else None


def _sort_key(value: Any) -> tuple[Any, ...]:
    kind = _kind(value)
    if kind == "missing":
        return (2, "", 0, "")
    position = natural_position(value)
    if position is not None and kind != "str":
        return (0, kind, position, type(value).__name__)  # the float 0.1 and the Decimal 0.1 differ
    return (1, kind, 0, value_text(value))


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
        distinct: dict[tuple[str, Hashable], Hashable] = {}
        for raw in values:
            value = _plain(raw)
            kept = distinct.setdefault(_identity(value), value)
            if kept is not value and isinstance(value, int):
                distinct[_identity(value)] = value  # 1 and 1.0 are one value, written 1
        positions = {key: natural_position(value) for key, value in distinct.items()}
        kinds = {kind for kind, _ in distinct}
        if None not in positions.values() and len(set(positions.values())) == len(positions) and len(kinds) == 1:
            return cls(tuple(distinct[key] for key in sorted(distinct, key=lambda key: positions[key] or 0)), "natural")
        return cls(tuple(sorted(distinct.values(), key=_sort_key)))

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
    def _codes(self) -> dict[tuple[str, Hashable], int]:
        return {_identity(v): code for code, v in enumerate(self.values)}

    def __contains__(self, value: object) -> bool:
        return identity(value) in self._codes

    def code(self, value: object) -> int:
        """Return the code of a value.

        Raises
        ------
        DomainError
            If the value is not in the domain; a value that looks the same is pointed out.
        """
        code = self._codes.get(identity(value))
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
        return np.array([self.code(v) for v in values], dtype=np.int64)

    def subset(self, keep: Sequence[int] | np.ndarray[Any, Any]) -> Domain:
        """Return the domain of the given codes, which must ascend; the order stays what it was."""
        return Domain(tuple(self.values[int(code)] for code in keep), self.order, self.declared)

    def require_order(self, purpose: str) -> None:
        """Raise `DomainError` unless the values have a natural or declared order without a missing value."""
        if self.order is None and self.values:
            unplaced = [v for v in self.values if natural_position(v) is None]
            reason = f"{unplaced[0]!r} is not a number" if unplaced else self._why_unordered()
            raise DomainError(
                f"{purpose} needs an order of the values, and {reason}; declare the order, lowest value first"
            )
        if self.order == "natural" and MISSING in self.values:
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
        found = [natural_position(v) for v in self.values]
        for value, position in zip(self.values, found, strict=True):
            if position is None:
                raise DomainError(f"{purpose} needs numbers, and {value!r} is not one; use the ordered distance")
        return tuple(p for p in found if p is not None)
