"""A ground distance given as a matrix (Li et al. 2007, §4: any ground distance), and what rounding did to it.

Entries are read exactly, a float as its shortest text. Distances that were computed in floating point or written with
few digits then break the triangle inequality by what was rounded away: on a line, fl(x − z) may exceed
fl(x − y) + fl(y − z). `Matrix` recognises that, says so, and mends it where it is asked to.

Li, Li, Venkatasubramanian, ICDE 2007.
"""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from numbers import Integral
from typing import Any, ClassVar

import numpy as np
import pandas as pd

from tcloseness.displayed import Displayed, counted
from tcloseness.errors import DomainError, InputError
from tcloseness.exact import IntArray, as_fraction, number_text, short_text, shown_value
from tcloseness.ground.base import PackageGround, Read
from tcloseness.ground.protocol import GroundDistance, domain_size, whole_distances
from tcloseness.ground.rounding import Entries, Rounding, shortest
from tcloseness.microdata.domain import Domain
from tcloseness.microdata.naming import meant, named_by, uncovered
from tcloseness.microdata.text_files import cells_of, content_of, separator_of, text_of
from tcloseness.strict_records import Work, canonical_fractions, cells, common_bits, listed, shown

__all__ = ["LabelledMatrix", "Matrix", "matrix_record", "metric_fault"]

_INTERPRETED_VALUES = 128
"""Up to so many values NumPy checks the triangle inequality, in some milliseconds; more are checked by machine code."""

_MOST_TRIED = 256
"""Up to so many values a message tries which denominator it can propose."""


class Matrix(PackageGround):
    """A ground distance given as a matrix, checked to be a metric.

    Parameters
    ----------
    entries
        Shape (m, m): numbers that `as_fraction` reads; a float is read exactly, as its shortest text. Or a DataFrame
        or a dict of dicts whose rows and columns have the same names, which is then taken in the order of its rows.
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
        What was done to the entries, as text; the name says it as well. Empty if nothing was asked for.

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
    forms: ClassVar = {
        "matrix:FILE": "values in the first row and column",
        "matrix/N:FILE": "its entries rounded up to multiples of 1/N",
        "nearest-metric:FILE": "its nearest metric",
    }
    keys = ("entries", "allow_non_metric")

    def __init__(
        self,
        entries: Sequence[Sequence[object]]
        | np.ndarray[Any, Any]
        | Mapping[Hashable, Mapping[Hashable, object]]
        | pd.DataFrame,
        *,
        allow_non_metric: bool = False,
        denominator: int | None = None,
        nearest_metric: bool = False,
    ) -> None:
        rows = _square(entries)
        read = tuple(tuple(_read(cell, i, j) for j, cell in enumerate(row)) for i, row in enumerate(rows))
        self.entries = read
        self.allow_non_metric = allow_non_metric
        done: list[str] = []
        if denominator is not None:
            self.entries = _rounded_up(self.entries, denominator, self._rounding(rows, read).floating)
            done.append(f"rounded up to multiples of 1/{number_text(int(denominator))}")
        if nearest_metric:
            self.entries = _closed(self.entries, self._rounding(rows, read).off)
            done.append("nearest metric")
        changes = (
            abs(a - b) for new, old in zip(self.entries, read, strict=True) for a, b in zip(new, old, strict=True)
        )
        self.change = max(changes) if done else Fraction(0)
        self.mended = f"{', '.join(done)}, changed by at most {short_text(self.change, 20, 3)}" if done else ""
        if done:
            self.name = f"matrix ({self.mended})"
        self._check_entries(rows)
        fault = metric_fault(self._scaled[0])
        self.metric = fault is None
        if fault is not None and not allow_non_metric:
            raise DomainError(
                f"ground distance is not a metric: {self._in_words(fault)}{self._hint(rows)}; correct it, or pass "
                "allow_non_metric=True"
            )

    @classmethod
    def reads(cls, spec: Any) -> bool:
        """A matrix in the domain's order, or labelled with its values."""
        matrix = isinstance(spec, LabelledMatrix | pd.DataFrame | Mapping | np.ndarray | Sequence)
        return matrix and not isinstance(spec, str | PackageGround)

    @classmethod
    def of(cls, spec: Any, domain: Domain) -> Matrix:
        """Return it over a domain."""
        if isinstance(spec, LabelledMatrix):
            return spec.over(domain)
        if isinstance(spec, pd.DataFrame | Mapping):
            return cls.labelled(spec, domain)
        return cls(spec)

    @classmethod
    def from_file(
        cls, kind: str, file: str, *, ragged: str = "error", allow_non_metric: bool = False, **options: Any
    ) -> LabelledMatrix:
        """Return the matrix of a file, and how it is mended."""
        rounded = kind.removeprefix("matrix/") if "/" in kind else None
        if rounded is not None and not (rounded.isascii() and rounded.isdigit() and len(rounded) < 100):
            raise DomainError(
                f"ground distance '{kind}:{file}': write matrix/N:FILE with a whole number N, as in matrix/1000:FILE"
            )
        denominator = None if rounded is None else int(rounded)
        return LabelledMatrix(
            _table_of(file, **options), allow_non_metric, denominator, nearest_metric=kind == "nearest-metric"
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
        named = _by_row(table)
        entries = []
        for a in _entries_of(domain, list(named)):
            row = named[a]
            entries.append([row[b] for b in _entries_of(domain, list(row))])
        return cls(entries, **options)

    @staticmethod
    def _rounding(rows: list[list[object]], entries: Entries) -> Rounding:
        return Rounding((cell for row in rows for cell in row), entries)

    def _hint(self, rows: list[list[object]]) -> str:
        rounding = self._rounding(rows, self.entries)

        def denominator() -> int | None:
            if self.m > _MOST_TRIED:
                return None
            return next((n for n in rounding.denominators if _mends(self.entries, n, rounding.floating)), None)

        return rounding.hint(denominator)

    def _check_entries(self, rows: list[list[object]]) -> None:
        whole = self._scaled[0]
        wrong = whole < 0
        np.fill_diagonal(wrong, whole.diagonal() != 0)
        for i, j in np.argwhere(wrong)[:1].tolist():
            rule = "a value is at distance 0 from itself" if i == j else "distances must be ≥ 0"
            d = self.entries[i][j]
            negative = " is negative" if d < 0 else ""
            raise DomainError(
                f"ground distance d({i},{j}) = {short_text(d, 20, 3)}{negative}; {rule}{self._hint(rows)}"
            )

    def _in_words(self, fault: tuple[int, int, int | None]) -> str:
        (i, j, k), d = fault, self.entries
        here, there = (short_text(x) for x in (d[i][j], d[j][i] if k is None else d[i][k] + d[k][j]))
        if k is None:
            return f"d({i},{j}) = {here} and d({j},{i}) = {there} differ"
        return f"triangle violated: d({i},{j}) = {here} > d({i},{k}) + d({k},{j}) = {there}"

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

    @property
    def rows(self) -> IntArray:
        """The entries times the denominator."""
        return self._scaled[0]

    def row(self, i: int) -> IntArray:
        """Return the i-th row times the denominator."""
        return np.asarray(self._scaled[0][i])

    def to_dict(self) -> dict[str, Any]:
        """Return the name and the entries."""
        return {**matrix_record(self), "allow_non_metric": self.allow_non_metric}

    @classmethod
    def from_dict(cls, record: dict[str, Any], work: Work, read: Read) -> Matrix:
        """Rebuild it from its entries."""
        allowed = record["allow_non_metric"]
        if type(allowed) is not bool:
            raise InputError(f"allow_non_metric is {shown(allowed)}; it must be true or false")
        rows = listed(record["entries"], "entries", least=1)
        m = len(rows)
        work.spend(m**3 * cells(0), f"the triangle inequality of {m} values")
        entries = [canonical_fractions(row, f"entries[{i}]", length=m) for i, row in enumerate(rows)]
        bits = common_bits((x for row in entries for x in row), "entries")
        work.spend(m**3 * (cells(bits) - cells(0)), f"the triangle inequality of {m} values")
        return cls(entries, allow_non_metric=allowed)

    @property
    def definition(self) -> str:
        """The rows."""
        allowed = "; it may break the rules of a metric" if self.allow_non_metric else ""
        return f"rows {'; '.join(', '.join(map(number_text, row)) for row in self.entries)}{allowed}"


@dataclass(frozen=True, eq=False)
class LabelledMatrix(Displayed):
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

    def to_dict(self) -> dict[str, Any]:
        """Return the entries by their labels, as JSON-ready data."""
        rows = {str(a): {str(b): str(row[b]) for b in row} for a, row in _by_row(self.table).items()}
        asked = {"allow_non_metric": self.allow_non_metric, "nearest_metric": self.nearest_metric}
        return {"entries": rows, "denominator": self.denominator, **asked}

    _withheld = ("from", "to")

    def _frame_rows(self) -> list[dict[str, Any]]:
        entries = self.to_dict()["entries"].items()
        return [{"from": a, "to": b, "distance": entry} for a, row in entries for b, entry in row.items()]

    def _said(self) -> str:
        return f"{counted(len(self.table), 'row')} named by values"

    def over(self, domain: Domain) -> Matrix:
        """Return the ground distance over a domain; a value without a row or column raises `DomainError`."""
        return Matrix.labelled(self.table, domain, **self._options())

    def in_order_of_rows(self) -> Matrix:
        """Return the ground distance over the values that the rows name, in their order."""
        return Matrix(self.table, **self._options())

    def _options(self) -> dict[str, Any]:
        return {
            "allow_non_metric": self.allow_non_metric,
            "denominator": self.denominator,
            "nearest_metric": self.nearest_metric,
        }


def matrix_record(ground: GroundDistance) -> dict[str, Any]:
    """Return any ground distance as the record of a matrix."""
    codes = range(ground.m)
    return {
        "name": Matrix.name,
        "entries": [[number_text(ground.distance(i, j)) for j in codes] for i in codes],
        "allow_non_metric": not ground.metric,
    }


def _table_of(file: str, *, separator: str | None = None, encoding: str | None = None) -> dict[str, dict[str, str]]:
    """Read a matrix with the values in its first row and column."""
    separator = separator_of(separator, file, f" of matrix file {file}", DomainError)
    text = text_of(content_of(file, "matrix file", DomainError)[0], file, encoding, "matrix file", DomainError)
    lines = [line for line in cells_of(text, separator, f"matrix file {file}", DomainError) if any(line[1])]
    rows = [cells for _, cells in lines]
    if len(rows) < 2 or len(rows[0]) < 2:
        raise DomainError(
            f"matrix file {file} has no entries when split at {separator!r}; it needs the values in its first row and "
            "its first column"
        )
    labels = rows[0][1:]
    table: dict[str, dict[str, str]] = {}
    for line, row in lines[1:]:
        if len(row) != len(labels) + 1:
            raise DomainError(f"matrix file {file}, line {line} has {len(row)} cells and line 1 has {len(rows[0])}")
        if row[0] in table:
            raise DomainError(f"matrix file {file}: value {row[0]!r} has two rows; each value has one")
        table[row[0]] = dict(zip(labels, row[1:], strict=True))
    if sorted(labels) != sorted(table):
        odd = sorted(set(labels) ^ set(table)) or sorted({x for x in labels if labels.count(x) > 1})
        raise DomainError(
            f"matrix file {file}: value {odd[0]!r} does not stand once in the first row and once in the first column"
        )
    return {label: table[label] for label in labels}


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


def metric_fault(d: IntArray) -> tuple[int, int, int | None] | None:
    """Return why whole distances d ≥ 0, shape (m, m), with a zero diagonal are not a pseudometric; None if they are.

    It is the first pair (i, j, None) that is not symmetric, or a pair with d(i,j) > d(i,k) + d(k,j).
    """
    differ = d != d.T
    if differ.any():
        i, j = map(int, np.argwhere(differ)[0])
        return i, j, None
    if len(d) > _INTERPRETED_VALUES and d.dtype != object:
        from tcloseness.ground.compiled import broken_triangle

        i, j, k = broken_triangle(d)
        return None if k < 0 else (i, j, k)
    for k in range(len(d)):
        beyond = d > d[:, k, None] + d[None, k, :]
        if beyond.any():
            i, j = map(int, np.argwhere(beyond)[0])
            return i, j, k
    return None


def _read(cell: object, i: int, j: int) -> Fraction:
    return Fraction(cell) if type(cell) is int else as_fraction(cell, f"ground distance [{i}][{j}]")


def _square(entries: Any) -> list[list[object]]:
    if isinstance(entries, Mapping | pd.DataFrame):
        entries = _in_order_of_rows(_by_row(entries))
    if isinstance(entries, str) or not isinstance(entries, Iterable):
        raise DomainError(
            f"ground distance: the matrix is given as {shown_value(entries, 80)}; give a list of rows, a DataFrame, or "
            "a dict of dicts"
        )
    rows = list(_rows(entries))
    domain_size(len(rows))
    for i, row in enumerate(rows):
        if len(row) != len(rows):
            raise DomainError(
                f"ground distance: row {i} has {len(row)} entries and there are {len(rows)} rows; it must be square"
            )
    return rows


def _by_row(
    frame: Mapping[Hashable, Mapping[Hashable, object]] | pd.DataFrame,
) -> dict[Hashable, dict[Hashable, object]]:
    """Return the rows of a dict of dicts, or of a frame whose index and columns are values."""
    if not isinstance(frame, pd.DataFrame):
        for a, row in frame.items():
            if not hasattr(row, "keys"):
                raise DomainError(
                    f"ground distance: the row of value {a!r} is {shown_value(row)}; it must be a dict of its "
                    "distances by value"
                )
        return {a: dict(row) for a, row in frame.items()}
    for axis in (frame.index, frame.columns):
        if not axis.is_unique:
            twice = axis[axis.duplicated()][0]
            raise DomainError(
                f"ground distance: value {twice!r} has two rows or columns of the matrix; give one of each"
            )
    cells = zip(frame.index, frame.to_numpy(dtype=object), strict=True)
    return {value: dict(zip(frame.columns, row, strict=True)) for value, row in cells}


def _in_order_of_rows(named: Mapping[Hashable, Mapping[Hashable, object]]) -> list[list[object]]:
    for row in named.values():
        if row.keys() != named.keys():
            odd = next(name for name in [*named, *row] if (name in named) != (name in row))
            raise DomainError(
                f"ground distance: {odd!r} names {'a row' if odd in named else 'a column'} and not "
                f"{'a column' if odd in named else 'a row'} of the matrix; name both by the values, or give the "
                "entries alone (frame.to_numpy())"
            )
    return [[row[b] for b in named] for row in named.values()]


def _rows(entries: Iterable[Any]) -> Iterator[list[object]]:
    for i, row in enumerate(entries):
        if isinstance(row, str | Mapping | set) or not isinstance(row, Iterable) or getattr(row, "ndim", 1) == 0:
            raise DomainError(
                f"ground distance: row {i} is {shown_value(row, 80)}; a row is a list of the distances from value {i}"
            )
        yield row.tolist() if isinstance(row, np.ndarray) and row.dtype.kind in "iu" else list(row)


def _rounded_up(entries: Entries, denominator: object, beside: Fraction) -> Entries:
    if not isinstance(denominator, Integral) or isinstance(denominator, bool) or denominator < 1:
        raise DomainError(
            f"ground distance: denominator={shown_value(denominator)} must be a whole number > 0, such as 1000000"
        )
    n = int(denominator)

    def up(d: Fraction) -> Fraction:
        near = round(d * n)
        return Fraction(near if abs(d * n - near) <= beside * n else math.ceil(d * n), n)

    return tuple(tuple(map(up, row)) for row in entries)


def _mends(entries: Entries, denominator: int, beside: Fraction) -> bool:
    """Say whether entries that are rounded up to multiples of 1/denominator are a metric."""
    up = _rounded_up(entries, denominator, beside)
    if any(d < 0 or (i == j and d) for i, row in enumerate(up) for j, d in enumerate(row)):
        return False
    return metric_fault(whole_distances([d for row in up for d in row])[0].reshape(len(up), -1)) is None


def _closed(entries: Entries, off: Entries) -> Entries:
    """Return the closure under shortest paths, after asymmetries and what is below 0 were mended within `off`."""
    m = len(entries)
    mended = [list(row) for row in entries]
    for i in range(m):
        for j in range(i + 1):
            a, b = entries[i][j], entries[j][i]
            lesser, most = min(a, b), max(off[i][j], off[j][i])
            if abs(a - b) <= off[i][j] + off[j][i]:
                mended[i][j] = mended[j][i] = Fraction(0) if (lesser < 0 or i == j) and abs(lesser) <= most else lesser
    flat, denominator = whole_distances([d for row in mended for d in row])
    d = flat.reshape(m, m)
    if (d < 0).any() or (d != d.T).any() or d.diagonal().any():  # not by rounding: the checks of the entries say where
        return tuple(map(tuple, mended))
    return tuple(tuple(Fraction(int(x), denominator) for x in row) for row in shortest(d))
