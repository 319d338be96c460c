"""The cells of DuckDB's types as values: by which expression they are grouped, and what each becomes in Python.

Numbers and times come as machine numbers. Texts are grouped by their bytes, so that no collation makes two of them one;
they and all other values come once for each distinct one, since what a row holds is only its number. What Python's
fetching would change (times of nanoseconds, whole numbers of 128 bits, decimals) is fetched in another form.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np
import pandas as pd

from tcloseness.errors import TableError
from tcloseness.exact import INT64_MAX
from tcloseness.microdata.combinations import Coded
from tcloseness.microdata.domain import Domain
from tcloseness.microdata.sources.pandas import coded

__all__ = ["Cells", "cells_of", "missing_where"]

_NUMBERS = {"boolean", "tinyint", "smallint", "integer", "bigint", "utinyint", "usmallint", "uinteger", "ubigint"}
_FLOATS = {"float", "double"}
_TIMES = {"timestamp", "timestamp_s", "timestamp_ms", "timestamp_ns", "timestamp with time zone", "timestamptz_ns"}
_ZONED = {"timestamp with time zone", "timestamptz_ns"}
_TEXTS = {"varchar", "enum"}
_FETCHED = {"decimal", "uuid", "blob", "hugeint", "uhugeint", "time", "bit"}
"""Types whose values Python fetches as they are."""

_DAY_ONE = datetime.date(1970, 1, 1).toordinal()


class Cells:
    """A column of a table in DuckDB.

    Parameters
    ----------
    name
        The column's name, for messages.
    column
        The expression that is the column.
    kind
        The name of DuckDB's type, without its parameters.
    collated
        Whether a collation may make two texts one; then they are grouped by their bytes.
    """

    def __init__(self, name: str, column: str, kind: str, *, collated: bool) -> None:
        self.name, self.kind, self.collated = name, kind, collated
        self.by_number = kind in _NUMBERS | _FLOATS | _TIMES | {"date"}
        if kind == "date":
            self.key = f"({column} - DATE '1970-01-01')"
        elif kind in _TEXTS:
            self.key = f"encode({column}::VARCHAR)" if collated else f"{column}::VARCHAR"
        elif kind == "time_ns":
            self.key = f"{column}::VARCHAR"
        else:
            self.key = column

    def fetched(self, key: str) -> str:
        """Return the expression by which a key that is grouped is fetched."""
        return f"decode({key})" if self.kind in _TEXTS and self.collated else key

    def of_numbers(self, numbers: Any) -> Coded:
        """Return the column of machine numbers as `fetchnumpy` gives them."""
        array = np.asarray(np.ma.getdata(numbers))
        mask = np.ma.getmaskarray(numbers)
        if mask.all():
            return np.zeros(len(array), dtype=np.int32), Domain.of([None])
        if mask.any():
            array = np.where(mask, array[~mask][0], array)
        numbered, uniques = pd.factorize(array)
        numbered = np.asarray(numbered)
        if mask.any():
            numbered = np.where(mask, -1, numbered)
        return coded(numbered, self._index(uniques))

    def array(self, numbers: Any) -> pd.Series[Any]:
        """Return a column of machine numbers as `fetchnumpy` gives them, in their order."""
        array, mask = np.asarray(np.ma.getdata(numbers)), np.ma.getmaskarray(numbers)
        found: Any
        if self.kind in _NUMBERS and mask.any():  # as floats they would lose digits
            bits = 8 * array.itemsize
            dtype: Any = {"b": "boolean", "i": f"Int{bits}", "u": f"UInt{bits}"}[array.dtype.kind]
            found = pd.Series(np.where(mask, 0, array).astype(array.dtype)).astype(dtype).mask(mask)
        elif self.kind == "date":
            days = zip(array.tolist(), mask.tolist(), strict=True)
            found = pd.Series([None if empty else self._date(day) for day, empty in days], dtype=object)
        elif self.kind in _TIMES:
            found = pd.Series(self._index(np.where(mask, np.zeros((), array.dtype), array))).mask(mask)
        else:
            found = pd.Series(np.where(mask, np.nan, array) if mask.any() else array)
        column: pd.Series[Any] = found
        return column

    def series(self, cells: Iterable[Any]) -> pd.Series[Any]:
        """Return a column of other cells, in their order."""
        values = [self._value(cell) for cell in cells]
        return pd.Series(values, dtype=None if self.kind in _TEXTS and any(values) else object)

    def _index(self, uniques: Any) -> pd.Index[Any]:
        if self.kind == "date":
            return pd.Index([self._date(days) for days in uniques.tolist()], dtype=object)
        if self.kind in _TIMES:
            ticks = uniques.view(np.int64)
            if len(ticks) and max(int(ticks.max()), -int(ticks.min())) >= INT64_MAX:
                raise TableError(
                    f"column {self.name!r} holds an infinite time, which has no place among the others; give it a "
                    "value of its own, or make it missing"
                )
            index = pd.DatetimeIndex(uniques)
            zoned: pd.Index[Any] = index.tz_localize("UTC") if self.kind in _ZONED else index
            return zoned
        found: pd.Index[Any] = pd.Index(uniques)
        return found

    def _date(self, days: int) -> datetime.date:
        try:
            return datetime.date.fromordinal(_DAY_ONE + days)
        except (ValueError, OverflowError):
            raise TableError(
                f"column {self.name!r} holds a date outside the years 1 to 9999 ({days:+,} days from 1970); give such "
                "dates as texts"
            ) from None

    def of_values(self, values: Sequence[Any], codes: Any) -> Coded:
        """Return the column of different values, and the place of each line's value among them."""
        domain, places = Domain.numbered([self._value(value) for value in values])
        return places.astype(np.int32)[codes], domain

    def _value(self, value: Any) -> Any:
        if value is None:
            return None
        if self.kind == "time_ns":
            found = re.fullmatch(r"(\d\d:\d\d:\d\d(?:\.\d{1,6})?)0*", value)
            if found is None:
                raise TableError(
                    f"column {self.name!r} holds the time {value}, which is finer than microseconds; round it"
                )
            return datetime.time.fromisoformat(found[1])
        if self.kind == "time" and not isinstance(value, datetime.time):
            raise TableError(f"column {self.name!r} holds the time {value!s}, which no clock shows; correct it")
        if self.kind == "blob":
            return bytes(value)
        return value


def cells_of(name: str, column: str, type_: Any, *, collated: bool) -> Cells:
    """Return a column of a type, see `Cells`.

    Raises
    ------
    TableError
        For a type whose cells cannot be values, or cannot be told apart: lists, intervals, ….
    """
    kind = str(type_.id)
    known = _NUMBERS | _FLOATS | _TIMES | _TEXTS | _FETCHED | {"date", "time_ns", "null"}
    if kind not in known:
        why = {
            "interval": "a month and 30 days are one interval there and another here; give days, or texts",
            "time with time zone": "equal times of two zones are one there; give times without a zone, or texts",
        }.get(kind, "cells must be numbers, texts, dates or times; take it apart into columns, or give texts")
        raise TableError(f"column {name!r} is of type {type_}, which cannot be values: {why}")
    return Cells(name, column, kind, collated=collated)


def missing_where(kind: str, column: str, texts: Sequence[str]) -> str | None:
    """Return the condition under which a cell is missing; None for a type that is not looked at."""
    if kind in _FLOATS:
        return f"({column} is null or isnan({column}))"
    if kind in _TEXTS and texts:
        listed = ", ".join("'" + text.replace("'", "''") + "'" for text in texts)
        return f"({column} is null or trim({column}::VARCHAR) in ({listed}))"
    if kind in _NUMBERS | _TIMES | _TEXTS | _FETCHED | {"date"}:
        return f"({column} is null)"
    return None
