"""The roles of a table's columns: each has at most one, and those that have none are named."""

from __future__ import annotations

import difflib
import re
import warnings
from collections.abc import Collection, Hashable, Iterable, Mapping
from typing import Any

import pandas as pd

from tcloseness.errors import TableError, TableWarning

__all__ = ["names_of", "require_roles", "warn_of_identifiers", "without_role"]

_TOO_FEW = 3
"""Two different values say nothing of a column."""

_FIRST, _FEW = 40, 1_000
"""Whether a column repeats a value is seen in so many rows first, and then in so many."""


_IDENTIFIER = re.compile(
    r"(?i:(^|[\W_])(id|identifier|ssn|patient|person|subject|member|customer)([\W_]?(id|no|nr|number))?)$|[a-z]ID$"
)
"""A column of such a name says whose row it is."""


def names_of(names: str | Iterable[str]) -> tuple[str, ...]:
    """Return one name or several as a tuple; columns may be labelled by numbers."""
    single = isinstance(names, str) or not isinstance(names, Iterable)
    return (names,) if single else tuple(names)  # type: ignore[return-value]


def require_roles(frame: pd.DataFrame, roles: Mapping[str, tuple[str, ...]]) -> dict[str, str]:
    """Return the role of each column that has one.

    Parameters
    ----------
    frame
        The table.
    roles
        By role, the names of its columns.

    Raises
    ------
    TableError
        For a column that the table lacks or has twice, a column of two roles, or a table without records.
    """
    role: dict[str, str] = {}
    for label, names in roles.items():
        for name in names:
            if not isinstance(name, Hashable):
                raise TableError(f"{name!r} is named as {label} and cannot be the name of a column; give names")
            if name in role:
                raise TableError(f"column {name!r} is named as {role[name]} and as {label}; a column has one role")
            role[name] = label
    columns = list(frame.columns)
    for name, label in role.items():
        if columns.count(name) > 1:
            places = ", ".join(str(place) for place, column in enumerate(columns, 1) if column == name)
            raise TableError(
                f"the table has {columns.count(name)} columns named {name!r}; rename them, names must differ (they are "
                f"its columns {places})"
            )
        if name not in columns:
            close = difflib.get_close_matches(str(name), [str(c) for c in columns], 1)
            hint = f"did you mean {close[0]!r}?" if close else f"it has {', '.join(map(repr, columns))}"
            raise TableError(f"the table has no column {name!r} ({label}); {hint}")
    if not len(frame):
        raise TableError("the table has no records; an empty table has no classes to measure")
    return role


def without_role(frame: pd.DataFrame, role: Mapping[str, str]) -> list[str]:
    """Return the names of the columns that have no role."""
    return [str(name) for name in frame.columns if name not in role]


def warn_of_identifiers(frame: pd.DataFrame, role: Mapping[str, str], repeating: Collection[str] = ()) -> None:
    """Warn of each column that could identify persons: no role or a quasi-identifier, and no value occurs twice.

    Of some quasi-identifiers it may be known that they repeat a value (`repeating`); they are not looked at.
    """
    rows = len(frame)
    for place, name in enumerate(frame.columns):
        what = role.get(name, "no role")
        if rows < _TOO_FEW or what not in ("no role", "quasi-identifier") or name in repeating:
            continue
        column = frame.iloc[:, place]
        try:
            first = column.array[:_FIRST].tolist()
            unique = len(set(first)) == len(first) and column.iloc[:_FEW].is_unique and column.is_unique
        except TypeError:  # cells that cannot be values
            continue
        if not unique and "person" not in role.values() and what == "no role" and _IDENTIFIER.search(str(name)):
            _warn_of_persons(name, column)
        if unique:
            told = (
                "each record is a class of its own until it is generalized"
                if what == "quasi-identifier"
                else "nothing was asked of it; if outsiders may know it, it is a quasi-identifier"
            )
            warnings.warn(
                f"column {name!r} ({what}) has a different value in each of the {rows:,} rows, as an identifier has: "
                f"{told}; a column that identifies persons must not be published",
                TableWarning,
                stacklevel=4,
            )


def _warn_of_persons(name: Hashable, column: pd.Series[Any]) -> None:
    """Warn of a column that looks like the name of a person and repeats: then rows are not persons."""
    warnings.warn(
        f"column {name!r} (no role) looks as if it names persons, and {len(column):,} rows have {column.nunique():,} "
        f"values of it: k and all sizes count rows, and a person of several rows is counted as several; "
        f"person={name!r} counts persons",
        TableWarning,
        stacklevel=5,
    )
