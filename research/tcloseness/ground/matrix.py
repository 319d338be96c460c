"""A ground distance given as a matrix (TC §4: any ground distance), and what rounding did to it.

Entries are read exactly, a float as its shortest text. Distances that were computed in floating point or written with
few digits then break the triangle inequality by what was rounded away: on a line, fl(x − z) may exceed
fl(x − y) + fl(y − z). `Matrix` recognises that, says so, and mends it where it is asked to.

TC = Li, Li, Venkatasubramanian, ICDE 2007.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from numbers import Integral
from typing import Any

import numpy as np
import pandas as pd

from tcloseness.errors import DomainError
from tcloseness.exact import IntArray, as_fraction, nearest_double, number_text
from tcloseness.ground.protocol import domain_size, whole_distances
from tcloseness.microdata.domain import Domain
from tcloseness.microdata.naming import meant, named_by, uncovered

__all__ = ["LabelledMatrix", "Matrix", "metric_fault"]

Entries = tuple[tuple[Fraction, ...], ...]

_FLOAT_ROUNDING = {"float16": Fraction(1, 2**7), "float32": Fraction(1, 2**18), "float64": Fraction(1, 2**44)}
"""By type, how far distances of size 1 that were computed in it may be off: some operations, each rounded to 11, 24 or
53 binary digits (2⁹ units of the last digit for doubles, fewer for the types in which less is computed)."""

_FINE = 6
"""The denominator that a message proposes keeps so many digits of the largest entry."""

_FEWEST_DIGITS = 3
"""So many significant digits an entry must have, before a fault of their size is put down to rounding."""


@dataclass(frozen=True)
class _Rounding:
    """How far rounding may have moved the entries of a matrix, and how they were rounded, in words."""

    bound: Fraction
    floating: Fraction
    words: str
    denominator: int = 1

    @classmethod
    def of(cls, cells: Iterable[object], entries: Entries) -> _Rounding:
        """Return the greatest fault that rounding explains: none for whole numbers."""
        flat = [x for row in entries for x in row]
        largest = max(map(abs, flat))
        if all(x.denominator == 1 for x in flat):
            return cls(Fraction(0), Fraction(0), "")
        narrow = {type(cell).__name__ for cell in cells} & {"float16", "float32"}
        kind = min(narrow, default="float64")  # the names of the narrower types stand first
        floating = largest * _FLOAT_ROUNDING[kind]
        digits = max(map(_significant_digits, flat))
        denominator = 10 ** max(0, _FINE - _power_of_ten(largest))
        # three entries stand in a triangle, each off by half a unit of its last digit
        last = Fraction(10) ** (_leading_place(largest) - digits + 1)
        written = last * Fraction(3, 2) if _FEWEST_DIGITS <= digits < 15 else Fraction(0)
        if written > floating:
            return cls(written, floating, f"rounding to {digits} digits", denominator)
        return cls(floating, floating, f"rounding to {'doubles' if kind == 'float64' else kind}", denominator)

    def hint(self, fault: Fraction) -> str:
        """Return what to do about a fault of this size, with the cause where it is this rounding."""
        if not 0 < fault <= self.bound:
            return ""
        return (
            f"; no fault exceeds {nearest_double(fault):.2g}, as {self.words} leaves, since entries are read exactly: "
            f"round them up to multiples of 1/N (denominator=N, N such as {self.denominator}), or take the nearest "
            "metric (nearest_metric=True)"
        )


def _power_of_ten(number: Fraction) -> int:
    """Return the power of ten near a positive number of any size."""
    return math.floor((number.numerator.bit_length() - number.denominator.bit_length()) * math.log10(2))


def _leading_place(number: Fraction) -> int:
    """Return the power of ten of the first digit of a positive number."""
    place = _power_of_ten(number)
    while Fraction(10) ** place > number:
        place -= 1
    while Fraction(10) ** (place + 1) <= number:
        place += 1
    return place


def _significant_digits(number: Fraction) -> int:
    """Return how many digits a decimal has from its first to its last that is not 0; many for what is not a decimal."""
    rest, places = number.denominator, 0
    for prime in (2, 5):
        power = 0
        while rest % prime == 0:
            rest, power = rest // prime, power + 1
        places = max(places, power)
    if rest != 1:
        return 99
    whole = abs(number.numerator) * 10**places // number.denominator
    while whole and whole % 10 == 0:
        whole //= 10
    return math.ceil(math.log10(whole + 1)) if whole else 0


class Matrix:
    """A ground distance given as a matrix, checked to be a metric.

    Parameters
    ----------
    entries
        Shape (m, m): numbers that `as_fraction` reads; a float is read exactly, as its shortest text.
    allow_non_metric
        Accept a matrix that is not symmetric or breaks the triangle inequality. The EMD is then the optimum of the
        whole transportation problem; shared mass is not assumed to stay.
    denominator
        Round every entry up to a multiple of 1/denominator; one that lies beside a multiple by no more than floating
        point explains becomes that multiple. What is rounded up from a metric is a metric, since
        ⌈x + y⌉ ≤ ⌈x⌉ + ⌈y⌉; it is checked all the same.
    nearest_metric
        Take the closure under shortest paths, the greatest metric that exceeds no entry, after asymmetries, negative
        entries and entries of the diagonal that rounding explains are set to the lesser entry or to 0.

    Attributes
    ----------
    change
        By how much an entry was changed at most, 0 if nothing was asked for.
    mended
        What was done to the entries, in words; the name says it as well. Empty if nothing was asked for.

    Raises
    ------
    DomainError
        For a matrix that is not square, has a negative entry or a non-zero diagonal, or (unless allowed) is not a
        metric; the message gives the offending entries, and says where they are as rounding leaves them. Two different
        values at distance 0 are allowed (a pseudometric).

    Notes
    -----
    Nothing is normalised: with entries above 1 the EMD can exceed 1. Checking the triangle inequality costs O(m³), as
    does the closure.

    Examples
    --------
    >>> thirds = [[abs(x - y) / 3 for y in range(4)] for x in range(4)]  # 1/3 + 2/3 < 1 in these texts
    >>> Matrix(thirds, denominator=3).distance(0, 1)
    Fraction(1, 3)
    >>> Matrix([[0, 1, 5], [1, 0, 1], [5, 1, 0]], nearest_metric=True).name
    'matrix (nearest metric, changed by at most 3)'
    """

    name = "matrix"
    cuts = None

    def __init__(
        self,
        entries: Sequence[Sequence[object]] | np.ndarray[Any, Any],
        *,
        allow_non_metric: bool = False,
        denominator: int | None = None,
        nearest_metric: bool = False,
    ) -> None:
        rows = _square(entries)
        read = tuple(
            tuple(as_fraction(cell, f"ground distance [{i}][{j}]") for j, cell in enumerate(row))
            for i, row in enumerate(rows)
        )
        self.entries = read
        self.allow_non_metric = allow_non_metric
        done: list[str] = []
        if denominator is not None:
            self.entries = _rounded_up(self.entries, denominator, self._rounding(rows, read).floating)
            done.append(f"rounded up to multiples of 1/{denominator}")
        if nearest_metric:
            self.entries = _closed(self.entries, self._rounding(rows, read).bound)
            done.append("nearest metric")
        self.change = max(
            abs(a - b) for new, old in zip(self.entries, read, strict=True) for a, b in zip(new, old, strict=True)
        )
        self.mended = f"{', '.join(done)}, changed by at most {_short(self.change)}" if done else ""
        if done:
            self.name = f"matrix ({self.mended})"
        self._check_entries(rows)
        fault = metric_fault(self._scaled[0])
        self.metric = fault is None
        if fault is not None and not allow_non_metric:
            words, by = self._in_words(fault)
            hint = self._rounding(rows, self.entries).hint(by)
            raise DomainError(
                f"ground distance is not a metric: {words}{hint}; correct it, or pass allow_non_metric=True"
            )

    @classmethod
    def labelled(
        cls, table: Mapping[Hashable, Mapping[Hashable, object]] | pd.DataFrame, domain: Domain, **options: Any
    ) -> Matrix:
        """Build from ``table[value][value]`` (a dict of dicts, or a DataFrame) over the values of a domain.

        `options` are those of the class; `LabelledMatrix` is the same before the domain is known.

        Raises
        ------
        DomainError
            If a value of the domain has no row or column; or a name could mean two values.
        """
        named = _by_row(table) if isinstance(table, pd.DataFrame) else {a: dict(row) for a, row in table.items()}
        entries = []
        for a in _entries_of(domain, list(named)):
            row = named[a]
            entries.append([row[b] for b in _entries_of(domain, list(row))])
        return cls(entries, **options)

    @staticmethod
    def _rounding(rows: list[list[object]], entries: Entries) -> _Rounding:
        return _Rounding.of((cell for row in rows for cell in row), entries)

    def _check_entries(self, rows: list[list[object]]) -> None:
        for i, row in enumerate(self.entries):
            for j, d in enumerate(row):
                if d < 0 or (i == j and d):
                    hint = self._rounding(rows, self.entries).hint(abs(d))
                    rule = "a value is at distance 0 from itself" if i == j else "distances must be ≥ 0"
                    negative = " is negative" if d < 0 else ""
                    raise DomainError(f"ground distance d({i},{j}) = {_short(d)}{negative}; {rule}{hint}")

    def _in_words(self, fault: _Fault) -> tuple[str, Fraction]:
        (i, j, k), d = fault.at, self.entries
        by = Fraction(fault.by, self.denominator)
        if k is None:
            return f"d({i},{j}) = {d[i][j]} and d({j},{i}) = {d[j][i]} differ", by
        detour = d[i][k] + d[k][j]
        return f"triangle violated: d({i},{j}) = {d[i][j]} > d({i},{k}) + d({k},{j}) = {detour}", by

    @property
    def m(self) -> int:
        """The number of values."""
        return len(self.entries)

    def distance(self, i: int, j: int) -> Fraction:
        """Return the entry [i][j]."""
        return self.entries[i][j]

    @cached_property
    def _scaled(self) -> tuple[IntArray, int]:
        flat, denominator = whole_distances([d for row in self.entries for d in row])
        return flat.reshape(self.m, self.m), denominator

    @property
    def denominator(self) -> int:
        """The common denominator of the entries."""
        return self._scaled[1]

    def row(self, i: int) -> IntArray:
        """Return the i-th row times the denominator."""
        return np.asarray(self._scaled[0][i])

    def to_dict(self) -> dict[str, Any]:
        """Return the name and the entries."""
        return {
            "name": "matrix",
            "entries": [[number_text(d) for d in row] for row in self.entries],
            "allow_non_metric": self.allow_non_metric,
        }

    def __repr__(self) -> str:
        return f"<Matrix: {self.m} values{'' if self.metric else ', not a metric'}>"


@dataclass(frozen=True, eq=False)
class LabelledMatrix:
    """A matrix whose rows and columns are named by values, and how `Matrix` reads it; the domain puts it in order.

    Parameters
    ----------
    table
        ``table[value][value]``: a dict of dicts or a DataFrame. A value that the domain lacks is not looked at.
    allow_non_metric, denominator, nearest_metric
        As for `Matrix`.

    Examples
    --------
    >>> tenths = {"a": {"a": 0, "b": 0.1}, "b": {"a": 0.1, "b": 0}}
    >>> LabelledMatrix(tenths, denominator=4).over(Domain.of("ab")).distance(0, 1)
    Fraction(1, 4)
    """

    table: Any
    allow_non_metric: bool = False
    denominator: int | None = None
    nearest_metric: bool = False

    def over(self, domain: Domain) -> Matrix:
        """Return the ground distance over a domain; a value without a row or column raises `DomainError`."""
        return Matrix.labelled(
            self.table,
            domain,
            allow_non_metric=self.allow_non_metric,
            denominator=self.denominator,
            nearest_metric=self.nearest_metric,
        )


def _entries_of(domain: Domain, names: list[Hashable]) -> list[Hashable]:
    """Return the name of each value of a domain among those of the rows or columns."""
    for name in names:
        meant(name, domain)  # refuses what could mean two values
    places = named_by(domain, names)
    if None in places:
        value = domain.values[places.index(None)]
        raise DomainError(
            f"the ground distance has no entry for value {value!r}: it misses {uncovered(domain, places, names)}"
        )
    return [names[place] for place in places if place is not None]


@dataclass(frozen=True)
class _Fault:
    """The first pair (i, j, None) that is not symmetric, or (i, j, k) with d(i,j) > d(i,k) + d(k,j); `by` is by how
    much one of that kind is wrong at most, in whole distances."""

    at: tuple[int, int, int | None]
    by: int


def metric_fault(d: IntArray) -> _Fault | None:
    """Return why whole distances d ≥ 0, shape (m, m), with a zero diagonal are not a pseudometric; None if they are."""
    differ = abs(d - d.T)
    if differ.any():
        i, j = map(int, np.argwhere(differ)[0])
        return _Fault((i, j, None), int(differ.max()))
    first, by = None, 0
    for k in range(len(d)):
        beyond = d - (d[:, k, None] + d[None, k, :])
        if (beyond > 0).any():
            i, j = map(int, np.argwhere(beyond > 0)[0])
            first, by = first or (i, j, k), max(by, int(beyond.max()))
    return None if first is None else _Fault(first, by)


def _square(entries: Any) -> list[list[object]]:
    if isinstance(entries, str | Mapping) or not isinstance(entries, Iterable):
        raise DomainError(f"ground distance: the matrix is given as {entries!r:.80}; give a list of rows")
    rows = list(_rows(entries))
    domain_size(len(rows))
    for i, row in enumerate(rows):
        if len(row) != len(rows):
            raise DomainError(
                f"ground distance: row {i} has {len(row)} entries and there are {len(rows)} rows; it must be square"
            )
    return rows


def _by_row(frame: pd.DataFrame) -> dict[Hashable, dict[Hashable, object]]:
    """Return the rows of a frame whose index and columns are values."""
    for axis in (frame.index, frame.columns):
        if not axis.is_unique:
            twice = axis[axis.duplicated()][0]
            raise DomainError(
                f"ground distance: value {twice!r} has two rows or columns of the matrix; give one of each"
            )
    cells = zip(frame.index, frame.to_numpy(dtype=object), strict=True)
    return {value: dict(zip(frame.columns, row, strict=True)) for value, row in cells}


def _rows(entries: Iterable[Any]) -> Iterator[list[object]]:
    for i, row in enumerate(entries):
        if isinstance(row, str | Mapping | set) or not isinstance(row, Iterable) or getattr(row, "ndim", 1) == 0:
            raise DomainError(
                f"ground distance: row {i} is {row!r:.80}; a row is a list of the distances from value {i}"
            )
        yield list(row)


def _rounded_up(entries: Entries, denominator: object, beside: Fraction) -> Entries:
    if not isinstance(denominator, Integral) or isinstance(denominator, bool) or denominator < 1:
        raise DomainError(f"ground distance: denominator={denominator!r} must be a whole number > 0, such as 1000000")
    n = int(denominator)

    def up(d: Fraction) -> Fraction:
        near = round(d * n)
        return Fraction(near if abs(d * n - near) <= beside * n else math.ceil(d * n), n)

    return tuple(tuple(map(up, row)) for row in entries)


def _closed(entries: Entries, bound: Fraction) -> Entries:
    """Return the closure under shortest paths of what rounding up to `bound` made asymmetric or negative."""
    m = len(entries)
    mended = [list(row) for row in entries]
    for i in range(m):
        for j in range(i + 1):
            a, b = entries[i][j], entries[j][i]
            lesser = min(a, b)
            if abs(a - b) <= bound:
                mended[i][j] = mended[j][i] = Fraction(0) if (lesser < 0 or i == j) and abs(lesser) <= bound else lesser
    flat, denominator = whole_distances([d for row in mended for d in row])
    d = flat.reshape(m, m)
    if (d < 0).any() or (d != d.T).any() or d.diagonal().any():  # not by rounding: the checks of the entries say where
        return tuple(map(tuple, mended))
    for k in range(m):
        d = np.minimum(d, d[:, k, None] + d[None, k, :])
    return tuple(tuple(Fraction(int(x), denominator) for x in row) for row in d)


def _short(number: Fraction) -> str:
    exact = number_text(number)
    return exact if len(exact) <= 20 else f"{nearest_double(number):.3g}"
