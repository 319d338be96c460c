"""`Domain`: the distinct values of an attribute, in an order that never depends on the rows.

Two values are the same only if they are equal *and* of one kind: the number 1, the text ``"1"`` and the truth value
``True`` are three values. Integers, floats, fractions and decimals are one kind (1 equals 1.0).
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TYPE_CHECKING, Any, Literal

import numpy as np
import pandas as pd

from tcloseness.displayed import Displayed, counted
from tcloseness.errors import DomainError
from tcloseness.exact import IntArray, scaled_integers, shown_value
from tcloseness.microdata.border import place_in
from tcloseness.microdata.misread import AS_NUMBERS, written_otherwise_text
from tcloseness.microdata.normal_form import normal_form
from tcloseness.microdata.values import (
    MISSING,
    USUAL,
    Missing,
    Places,
    ascending,
    distinct_values,
    identity,
    is_missing,
    kind_and_value,
    kind_of,
    natural_position,
    order_of,
    place_of,
    places_of,
    plain_value,
    scaled_places,
    short_places,
    usual_type,
    value_text,
)

__all__ = [
    "MISSING",
    "NO_SENSITIVE",
    "NO_VALUES",
    "Domain",
    "Missing",
    "attribute_names",
    "identity",
    "is_missing",
    "natural_position",
    "value_text",
]

Order = Literal["natural", "declared"]


class _Held:
    """Different values as they were found, and their order: of a million, the objects in order are seldom needed.

    Parameters
    ----------
    found
        Plain objects, or machine numbers or times that `values.ascending` orders.
    order
        The places of the values in `found`, in the domain's order.
    """

    def __init__(self, found: list[Any] | pd.Index[Any], order: IntArray) -> None:
        self.found, self.order = found, order

    def __len__(self) -> int:
        return len(self.order)

    @property
    def whole(self) -> bool:
        """Whether all that was found is held."""
        return len(self.order) == len(self.found)

    @property
    def numbers(self) -> bool:
        """Whether machine numbers are held."""
        return isinstance(self.found, pd.Index) and self.found.dtype.kind in "iuf"

    def part(self, codes: IntArray) -> _Held:
        """Return the values of some codes."""
        return _Held(self.found, self.order[codes])

    def value(self, code: int) -> Hashable:
        """Return the value of a code as a plain object."""
        return plain_value(self.found[int(self.order[code])])

    def values(self) -> tuple[Hashable, ...]:
        """Return the values in their order as plain objects."""
        if isinstance(self.found, list):
            return tuple(map(self.found.__getitem__, self.order.tolist()))
        found = self.found[self.order]
        array = found.to_numpy()
        if array.dtype.kind == "f" and (np.floor(array) == array).any():
            return tuple([int(v) if v.is_integer() else v for v in array.astype(np.float64).tolist()])
        return tuple(array.astype(np.float64).tolist() if array.dtype.kind == "f" else found.tolist())


@dataclass(frozen=True)
class Domain(Displayed):
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
    <Domain: 3 values, natural order>
    >>> Domain.of(["10", "2", "11"]).values
    ('2', '10', '11')
    >>> Domain.of(["b", "a"]).order is None
    True
    """

    values: tuple[Hashable, ...]
    order: Order | None = None
    declared: bool = False

    def to_dict(self) -> dict[str, Any]:
        """Return the values as texts, and their order."""
        return {"values": [value_text(value) for value in self.values], "order": self.order, "declared": self.declared}

    _withheld = ("value",)

    def _frame_rows(self) -> list[dict[str, Any]]:
        return [{"code": code, "value": value_text(value)} for code, value in enumerate(self.values)]

    _consists_of = ("values", "order", "declared")
    __eq__ = Displayed.__eq__  # a not-a-number is equal to another

    def __hash__(self) -> int:
        return hash((len(self), self.order, self.declared))

    def _said(self) -> str:
        order = "no order" if self.order is None else f"{self.order} order"
        return f"{counted(len(self), 'value')}, {order}{', declared whole' if self.declared else ''}"

    def __post_init__(self) -> None:
        if len(self._codes) != len(self.values):
            seen: set[tuple[str, Hashable]] = set()
            for value in self.values:
                if kind_and_value(value) in seen:
                    raise DomainError(f"value {value!r} occurs twice in the domain; each value must be given once")
                seen.add(kind_and_value(value))

    @classmethod
    def of(cls, values: Iterable[object]) -> Domain:
        """Build the domain of the values that occur, in an order that does not depend on theirs."""
        return cls.numbered(values)[0]

    @classmethod
    def numbered(cls, values: Iterable[object], *, apart: bool = False) -> tuple[Domain, IntArray]:
        """Build the domain of the values that occur, and return it with the code of each given value.

        The caller may know that no two of the values are equal (`apart`); then they are not compared.

        >>> Domain.numbered(["b", "a", "b"])
        (<Domain: 2 values, no order>, array([1, 0, 1]))
        """
        different, numbers, kinds = distinct_values(values if isinstance(values, Sequence) else list(values), apart)
        short = short_places(different) if len(kinds) == 1 else None
        order, natural = order_of(different, kinds, short)
        domain, codes = cls._held_in_order(_Held(different, order), natural)
        domain.__dict__["usual"] = usual_type(different)  # known here; later the values lie scattered in memory
        if natural and short is not None:
            domain.__dict__["_short_places"] = short[0][order], short[1]
        return domain, codes[numbers]

    @classmethod
    def of_index(cls, values: pd.Index[Any]) -> tuple[Domain, IntArray]:
        """Build the domain of values that pandas found to differ, and return it with the code of each of them."""
        found = ascending(values)
        if found is None:
            return cls.numbered(values.tolist(), apart=True)
        order, usual, short = found
        domain, codes = cls._held_in_order(_Held(values.copy(deep=True), order), True)
        domain.__dict__["usual"] = usual
        if short is not None:
            domain.__dict__["_short_places"] = short
        return domain, codes

    @classmethod
    def _held_in_order(cls, held: _Held, natural: bool) -> tuple[Domain, IntArray]:
        """Build the domain of different values in their order, and return it with their codes as they were found."""
        codes = np.empty_like(held.order)
        codes[held.order] = np.arange(len(held))
        return cls._of_different(held, "natural" if natural else None), codes

    @classmethod
    def _of_different(
        cls, values: tuple[Hashable, ...] | _Held, order: Order | None, *, declared: bool = False
    ) -> Domain:
        """Build from values that are known to differ: to look for equal ones takes as long as all else together."""
        domain = object.__new__(cls)
        name = "_held" if isinstance(values, _Held) else "values"
        domain.__dict__.update({name: values, "order": order, "declared": declared})
        return domain

    if not TYPE_CHECKING:

        def __getattr__(self, name: str) -> Any:
            """Return the values, which are made when they are first asked for: a million of them take long."""
            if name != "values" or "_held" not in self.__dict__:
                raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
            self.__dict__["values"] = self._held.values()
            self.__dict__.pop("_held", None)
            return self.values

    @classmethod
    def declare(cls, values: Iterable[object]) -> Domain:
        """Build a domain from the caller's list: all of its values belong to the domain, in that order."""
        given = values if isinstance(values, tuple | list) else list(values)
        plain = given if usual_type(given) else map(plain_value, given)
        domain = cls(tuple(plain), "declared", declared=True)
        if not domain.values:
            raise DomainError("the declared domain is empty; it must list every value of the attribute")
        return domain

    @classmethod
    def of_distinct(cls, values: tuple[Hashable, ...], place: dict[Hashable, int]) -> Domain:
        """Declare the domain of different plain values, of which the place of each is known."""
        domain = cls._of_different(values, "declared", declared=True)
        if domain.usual:
            domain.__dict__["_codes"] = place
        return domain

    def __len__(self) -> int:
        return len(self.__dict__.get("_held") or self.values)

    def value(self, code: int | np.integer[Any]) -> Hashable:
        """Return the value of a code from 0 to m − 1, without making those of all others: ``values[code]``."""
        held, place = self.__dict__.get("_held"), place_in(code, len(self), "a code", DomainError)
        return self.values[place] if held is None else held.value(place)

    @property
    def found(self) -> Sequence[Hashable]:
        """The values in the order in which they were found, where this is still known; else in theirs."""
        held = self.__dict__.get("_held")
        return held.found if held is not None and isinstance(held.found, list) and held.whole else self.values

    @cached_property
    def usual(self) -> type | None:
        """The type that all values have, where that is a usual one."""
        return usual_type(self.values)

    @cached_property
    def _short_places(self) -> Places | None:
        return short_places(self.values)

    @cached_property
    def _codes(self) -> dict[Hashable, int]:
        keys = self.values if self.usual else map(kind_and_value, self.values)
        return dict(zip(keys, range(len(self.values)), strict=True))

    def _code(self, value: object) -> int | None:
        kind, plain = key = identity(value)
        held = self.__dict__.get("_held")
        if self.usual or (held is not None and held.numbers):
            if kind != (USUAL[self.usual] if self.usual else "number"):
                return None  # asked of every column; the codes of all values take long to list
            return self._codes.get(plain if self.usual else key)
        if plain is MISSING:
            return next((code for code, value in enumerate(self.values) if value is MISSING), None)
        return self._codes.get(key)

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

    def cells(self, codes: IntArray) -> list[object]:
        """Return the values of codes as a frame has them: None for the missing one."""
        values = [None if value is MISSING else value for value in self.values]
        return [values[place_in(code, len(self), "a code", DomainError)] for code in codes.tolist()]

    def codes(self, values: Iterable[object]) -> np.ndarray[Any, np.dtype[np.int64]]:
        """Return the codes of many values."""
        given = values if isinstance(values, Sequence) else list(values)
        same = self.usual is not None and usual_type(given) is self.usual
        found = list(map(self._codes.get if same else self._code, given))
        if None in found:
            self.code(given[found.index(None)])
        return np.array(found, dtype=np.int64)

    def places(self, values: Iterable[Hashable]) -> list[int | None]:
        """Return the codes of values that are of the one usual type of this domain's; None for one that it lacks."""
        return list(map(self._codes.get, values))

    def in_order(self, codes: IntArray) -> Domain:
        """Return the domain in the order of its codes that is declared."""
        return self._of_different(tuple(map(self.values.__getitem__, codes.tolist())), "declared")

    def subset(self, keep: Sequence[int] | np.ndarray[Any, Any]) -> Domain:
        """Return the domain of the given codes, which must ascend; the order stays what it was."""
        codes = np.asarray(keep)
        ends = codes.tolist() if codes.dtype == object else codes[[0, -1]].tolist() if len(codes) else []
        places = [place_in(code, len(self), "a code", DomainError) for code in ends]
        if places and (codes[1:] <= codes[:-1]).any():  # a difference of unsigned codes is never negative
            raise DomainError(f"the codes {shown_value(codes.tolist())} of a part of a domain must ascend")
        if len(codes) == len(self):
            return self
        codes, held = codes.astype(np.intp), self.__dict__.get("_held")
        kept = tuple(map(self.values.__getitem__, codes.tolist())) if held is None else held.part(codes)
        part = self._of_different(kept, self.order, declared=self.declared)
        if self.usual:
            part.__dict__["usual"] = self.usual
        if (short := self.__dict__.get("_short_places")) is not None:
            part.__dict__["_short_places"] = short[0][codes], short[1]
        return part

    def require_order(self, purpose: str) -> None:
        """Raise `DomainError` unless the values have a natural or declared order without a missing value."""
        if self.order is None and self.values:
            unplaced = [v for v in self.values if natural_position(v) is None]
            misread = written_otherwise_text(self.values)
            reason = misread or (f"{unplaced[0]!r} is not a number" if unplaced else self._why_unordered())
            numbers = f"{AS_NUMBERS}, or " if misread else ""
            raise DomainError(
                f"{purpose} needs an order of the values, and {reason}; {numbers}declare the order, lowest value "
                "first, such as orders={'grade': ['low', 'mid', 'high']}"
            )
        if self.order == "natural" and MISSING in self:
            raise DomainError(f"{purpose} needs an order, and the missing value has no place in it; declare the order")

    def _why_unordered(self) -> str:
        placed: dict[object, Hashable] = {}
        for value in self.values:
            other = placed.setdefault((kind_of(value), natural_position(value)), value)
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
            If a value is neither a number nor a date.
        """
        return tuple([p if type(p) is Fraction else Fraction(p) for p in self._require_places(purpose)])

    def scaled_positions(self, purpose: str) -> tuple[Sequence[int] | IntArray, int]:
        """Return whole numbers and a denominator: what they make is `positions`, at a fraction of its cost.

        >>> Domain.of(["1.5", "2"]).scaled_positions("an example")
        (array([15, 20]), 10)
        """
        found = self._short_places or scaled_places(self.values)
        if found is not None:
            return found
        places = self._require_places(purpose)
        if set(map(type, places)) == {int}:
            return places, 1  # type: ignore[return-value]
        return scaled_integers([Fraction(place) for place in places])

    def _require_places(self, purpose: str) -> list[Fraction | int]:
        places = places_of(self.values)
        if places is None:
            value = next(v for v in self.values if place_of(v) is None)
            raise DomainError(f"{purpose} needs numbers, and {value!r} is not one; use the ordered distance")
        return places


# ---------------------------------------------------------------------- no sensitive attribute

NO_SENSITIVE = ""
"""The name in place of that of the sensitive attribute, where a table has none; no column may be named so."""

NO_VALUES = Domain((MISSING,))
"""The domain in place of the sensitive attribute's: all records have its one value, which is shown nowhere."""


def attribute_names(quasi_identifiers: Iterable[str], sensitive: str) -> tuple[str, ...]:
    """Return the names of the columns that are counted: the sensitive attribute is the last, where there is one.

    >>> attribute_names(["zip"], "disease"), attribute_names(["zip"], NO_SENSITIVE)
    (('zip', 'disease'), ('zip',))
    """
    return tuple(quasi_identifiers) if sensitive == NO_SENSITIVE else (*quasi_identifiers, sensitive)
