"""`Microdata`: a table whose columns have roles, each factorised into codes over a `Domain`.

No index, label, dtype or row order of the source decides anything: rows are positions, columns are codes, and domains
are sorted by value. What was assumed on the way is kept, to be printed with every result.
"""

from __future__ import annotations

import difflib
import warnings
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal

import numpy as np
import pandas as pd

from tcloseness.errors import TableError, TableWarning
from tcloseness.exact import INT64_MAX, IntArray
from tcloseness.microdata.domain import MISSING, Domain, near_duplicates, value_text

__all__ = ["Column", "Microdata", "MissingRule"]

MissingRule = Literal["error", "category", "drop"]


@dataclass(frozen=True, eq=False)
class Column:
    """One attribute: its name, its domain, and the code of every row's value (shape (rows,), int64)."""

    name: str
    domain: Domain
    codes: IntArray


@dataclass(frozen=True, eq=False)
class Microdata:
    """A table of records with the roles of its columns.

    Build it with `from_frame`; the constructor trusts its arguments.

    Attributes
    ----------
    quasi_identifiers, sensitive
        The columns of each role, in the caller's order.
    weights
        How many records each row stands for, shape (rows,), or None if every row is one record.
    suppressed
        Which rows are suppressed records, shape (rows,).
    dropped
        How many rows were dropped for missing values (``missing="drop"`` only).
    assumptions
        What was chosen on the way, by name, as text.
    """

    quasi_identifiers: tuple[Column, ...]
    sensitive: tuple[Column, ...]
    weights: IntArray | None
    suppressed: np.ndarray[Any, np.dtype[np.bool_]]
    dropped: int = 0
    assumptions: Mapping[str, str] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(self.suppressed)

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        *,
        quasi_identifiers: str | Iterable[str],
        sensitive: str | Iterable[str],
        identifying: str | Iterable[str] = (),
        weight: str | None = None,
        missing: MissingRule = "error",
        orders: Mapping[str, Sequence[object]] | None = None,
        domains: Mapping[str, Sequence[object]] | None = None,
        suppressed: object | None = None,
    ) -> Microdata:
        """Read a data frame.

        Parameters
        ----------
        frame
            The table; it is never changed.
        quasi_identifiers
            Column names; none at all makes the whole table one equivalence class.
        sensitive
            Column names of the sensitive attributes, at least one.
        identifying
            Columns that identify a person; they may not have another role, and are not read.
        weight
            A column that says how many records each row stands for: positive whole numbers.
        missing
            What an empty cell in a used column means: ``"error"`` (default: the error names the column and counts the
            rows), ``"category"`` (a value of its own), ``"drop"`` (the row is left out, and counted in `dropped`).
        orders
            Per attribute its values from lowest to highest, for ordered ground distances.
        domains
            Per attribute its whole domain, in order; values that never occur then count too.
        suppressed
            The marker of suppressed records, such as ``"*"``: a row whose quasi-identifiers all carry it is a
            suppressed record, not a member of a class. None (default): no row is.

        Raises
        ------
        TableError
            For an empty table, unknown or repeated columns, clashing roles, missing cells under ``"error"``, or
            weights that are no positive whole numbers.
        DomainError
            For a declared order or domain that misses a value which occurs.

        Warns
        -----
        TableWarning
            If values differ only by type, blanks or case, or if records look suppressed but no marker is declared.
        """
        if not isinstance(frame, pd.DataFrame):
            raise TableError(f"the table is a {type(frame).__name__}; give a pandas DataFrame, or use read_table")
        qi, sa = _names(quasi_identifiers), _names(sensitive)
        _check_roles(frame, qi, sa, _names(identifying), weight)
        if missing not in ("error", "category", "drop"):
            raise TableError(f"missing={missing!r} is unknown; it is 'error', 'category' or 'drop'")
        for name in {**(orders or {}), **(domains or {})}:
            if name not in (*qi, *sa):
                raise TableError(f"an order or a domain is declared for {name!r}, which has no role in this table")

        rows, dropped = _present_rows(frame, [*qi, *sa], missing)
        if not rows.any():
            raise TableError("the table has no records" + (" left after dropping missing values" if dropped else ""))
        chosen = frame if rows.all() else frame.loc[rows]
        weights = None if weight is None else _weights(chosen[weight])

        columns = {name: _column(chosen[name], name, orders or {}, domains or {}) for name in (*qi, *sa)}
        marked = _marked(columns, qi, suppressed)
        assumptions = {
            "missing values": f"{missing}" + (f": {dropped} row(s) dropped" if missing == "drop" else ""),
            "suppressed records": "no marker declared" if suppressed is None else f"marked {suppressed!r}: {marked.sum()}",
        }
        if suppressed is None:
            _warn_if_it_looks_suppressed(columns, qi)
        for name in (*qi, *sa):
            for one, other in near_duplicates(columns[name].domain)[:3]:
                warnings.warn(
                    f"column {name!r} has {one!r} and {other!r}, which differ only by type, blanks or case; they stay "
                    "two values. Clean the column if they are one",
                    TableWarning,
                    stacklevel=2,
                )
        return cls(
            tuple(columns[name] for name in qi),
            tuple(columns[name] for name in sa),
            weights,
            marked,
            dropped,
            assumptions,
        )


def _names(names: str | Iterable[str]) -> tuple[str, ...]:
    return (names,) if isinstance(names, str) else tuple(names)


def _check_roles(
    frame: pd.DataFrame, qi: tuple[str, ...], sa: tuple[str, ...], identifying: tuple[str, ...], weight: str | None
) -> None:
    if not sa:
        raise TableError("no sensitive attribute is named; name at least one column")
    role: dict[str, str] = {}
    weight_column = () if weight is None else (weight,)
    for label, names in (
        ("quasi-identifier", qi),
        ("sensitive", sa),
        ("identifying", identifying),
        ("weight", weight_column),
    ):
        for name in names:
            if name in role:
                raise TableError(f"column {name!r} is named as {role[name]} and as {label}; a column has one role")
            role[name] = label
    columns = list(frame.columns)
    for name, label in role.items():
        if columns.count(name) > 1:
            raise TableError(f"the table has {columns.count(name)} columns named {name!r}; rename them, names must differ")
        if name not in columns:
            close = difflib.get_close_matches(str(name), [str(c) for c in columns], 1)
            hint = f"did you mean {close[0]!r}?" if close else f"it has {', '.join(map(repr, columns))}"
            raise TableError(f"the table has no column {name!r} ({label}); {hint}")
    if not len(frame):
        raise TableError("the table has no records; an empty table has no classes to measure")


def _present_rows(
    frame: pd.DataFrame, names: Sequence[str], missing: MissingRule
) -> tuple[np.ndarray[Any, np.dtype[np.bool_]], int]:
    keep = np.ones(len(frame), dtype=bool)
    if missing == "category":
        return keep, 0
    for name in names:
        empty = frame[name].isna().to_numpy()
        if empty.any():
            if missing == "error":
                raise TableError(
                    f"column {name!r} has {int(empty.sum())} row(s) with a missing value; say what they mean: "
                    "missing='category' keeps them as a value of their own, missing='drop' leaves the rows out"
                )
            keep &= ~empty
    return keep, int((~keep).sum())


def _weights(column: pd.Series[Any]) -> IntArray:
    values = column.tolist()
    for row, value in enumerate(values):
        whole = isinstance(value, (int, float)) and not isinstance(value, bool) and value == value and value % 1 == 0
        if not whole or value <= 0:
            raise TableError(
                f"weight column {column.name!r}, row {row + 1} holds {value!r}; a weight says how many records a row "
                "stands for and must be a positive whole number (survey weights have no exact counts)"
            )
    if sum(map(int, values)) > INT64_MAX:
        raise TableError(f"weight column {column.name!r} sums to more than 2⁶³ − 1 records")
    return np.array(values, dtype=np.int64)


def _column(
    series: pd.Series[Any],
    name: str,
    orders: Mapping[str, Sequence[object]],
    domains: Mapping[str, Sequence[object]],
) -> Column:
    codes, observed = factorize(series)
    if name in domains:
        domain = Domain.declare(domains[name])
    elif name in orders:
        domain = observed.ordered_by(orders[name])
    else:
        return Column(name, observed, codes)
    return Column(name, domain, domain.codes(observed.values)[codes])


def factorize(series: pd.Series[Any]) -> tuple[IntArray, Domain]:
    """Return the codes of a column's cells and the domain of the values that occur.

    Columns of one plain kind are factorised by pandas; a column of mixed objects cell by cell, since 1, ``"1"`` and
    ``True`` are three values there. Unused categories of a categorical column do not count.
    """
    if isinstance(series.dtype, pd.CategoricalDtype):
        positions = series.cat.codes.to_numpy().astype(np.int64)
        raw: list[object] = list(series.cat.categories)
        if (positions < 0).any():
            positions[positions < 0] = len(raw)
            raw.append(MISSING)
        used = np.flatnonzero(np.bincount(positions, minlength=len(raw)))
        values = [raw[i] for i in used]
        numbered = np.searchsorted(used, positions)
    elif series.dtype == object and pd.api.types.infer_dtype(series, skipna=True) not in ("string", "empty"):
        seen: dict[tuple[type, object], int] = {}
        numbered = np.array([seen.setdefault((type(cell), cell), len(seen)) for cell in series], dtype=np.int64)
        values = [cell for _, cell in seen]
    else:
        numbered, uniques = pd.factorize(series, use_na_sentinel=True)
        values = list(uniques)
        if (numbered < 0).any():
            numbered = np.where(numbered < 0, len(values), numbered)
            values.append(MISSING)
    domain = Domain.of(values)
    return domain.codes(values)[numbered], domain


def _marked(
    columns: Mapping[str, Column], qi: tuple[str, ...], marker: object | None
) -> np.ndarray[Any, np.dtype[np.bool_]]:
    rows = len(next(iter(columns.values())).codes)
    marked = np.zeros(rows, dtype=bool)
    if marker is None or not qi:
        return marked
    if not all(marker in columns[name].domain for name in qi):
        return marked
    marked[:] = True
    for name in qi:
        marked &= columns[name].codes == columns[name].domain.code(marker)
    if marked.all():
        raise TableError(
            f"every record carries the marker {marker!r} in all quasi-identifiers, so nothing is released; "
            "if the table is fully generalized, not suppressed, declare no marker"
        )
    return marked


def _warn_if_it_looks_suppressed(columns: Mapping[str, Column], qi: tuple[str, ...]) -> None:
    if not qi or not all("*" in columns[name].domain and len(columns[name].domain) > 1 for name in qi):
        return
    starred = np.logical_and.reduce([columns[n].codes == columns[n].domain.code("*") for n in qi])
    if starred.any():
        warnings.warn(
            f"{int(starred.sum())} record(s) have '*' in every quasi-identifier and are counted as a class; declare the "
            "marker of suppressed records ('*') if they are suppressed",
            TableWarning,
            stacklevel=3,
        )


def cell_text(values: Iterable[object]) -> str:
    """Write a tuple of values for a person."""
    return ", ".join(value_text(v) for v in values)
