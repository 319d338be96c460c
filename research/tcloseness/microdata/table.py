"""`Microdata`: a table whose columns have roles, each factorised into codes over a `Domain`.

No index, label, dtype or row order of the source decides anything: rows are positions, columns are codes, and domains
are sorted by value. What was assumed on the way is kept, to be printed with every result.
"""

from __future__ import annotations

import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

import numpy as np
import pandas as pd

from tcloseness.conventions import Conventions
from tcloseness.displayed import Displayed, counted
from tcloseness.errors import TableError, TableWarning
from tcloseness.exact import IntArray
from tcloseness.microdata.combinations import Options
from tcloseness.microdata.domain import Domain
from tcloseness.microdata.roles import MissingRule, Roles, assigned
from tcloseness.microdata.sources import own_orders, rows
from tcloseness.microdata.sources.pandas import combine
from tcloseness.microdata.tidy import rows_of

__all__ = ["Column", "Microdata", "read_rows"]


@dataclass(frozen=True, eq=False)
class Column(Displayed):
    """One attribute: its name, its domain, and the code of every row's value (shape (rows,), int64)."""

    name: str
    domain: Domain
    codes: IntArray

    def to_dict(self) -> dict[str, Any]:
        """Return what the column is as JSON-ready data, without its cells."""
        return {"name": self.name, "rows": len(self.codes), "domain": self.domain.to_dict()}

    @property
    def _withheld(self) -> Collection[str]:
        return (self.name,)

    def _frame_rows(self) -> Iterator[dict[str, Any]]:
        return rows_of({self.name: (self.domain, self.codes)}, {})

    def _said(self) -> str:
        return f"{counted(len(self.codes), 'row')}, {counted(len(self.domain), 'value')}"


@dataclass(frozen=True, eq=False)
class Microdata(Displayed):
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
    conventions
        What was chosen on the way, by name, as text.
    persons
        The number of each row's person, shape (rows,), where a column names them; else every row is a person.
    index
        The labels of the frame's rows, for the frames that are made of it; they decide nothing.
    """

    quasi_identifiers: tuple[Column, ...]
    sensitive: tuple[Column, ...]
    weights: IntArray | None
    suppressed: np.ndarray[Any, np.dtype[np.bool_]]
    dropped: int = 0
    conventions: Conventions = field(default_factory=Conventions)
    persons: IntArray | None = None
    index: pd.Index[Any] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return what the table is as JSON-ready data, without its rows."""
        return {
            "rows": len(self),
            "quasi_identifiers": [column.name for column in self.quasi_identifiers],
            "sensitive": [column.name for column in self.sensitive],
            "values": {c.name: len(c.domain) for c in (*self.quasi_identifiers, *self.sensitive)},
            "suppressed": int(self.suppressed.sum()),
            "dropped": self.dropped,
            "conventions": dict(self.conventions),
        }

    @property
    def _withheld(self) -> Collection[str]:
        return [column.name for column in (*self.quasi_identifiers, *self.sensitive)]

    def _frame_rows(self) -> Iterator[dict[str, Any]]:
        weights = {} if self.weights is None else {"weight": self.weights.tolist()}
        columns = {c.name: (c.domain, c.codes) for c in (*self.quasi_identifiers, *self.sensitive)}
        return rows_of(columns, {"suppressed": self.suppressed.tolist(), **weights})

    def _said(self) -> str:
        columns = f"{counted(len(self.quasi_identifiers), 'quasi-identifier')}, {len(self.sensitive)} sensitive"
        return f"{counted(len(self), 'row')}, {columns}"

    def __len__(self) -> int:
        return len(self.suppressed)

    def in_order(self, rows: IntArray) -> Microdata:
        """Return the table with its rows in another order."""
        return replace(
            self,
            quasi_identifiers=tuple(replace(c, codes=c.codes[rows]) for c in self.quasi_identifiers),
            sensitive=tuple(replace(c, codes=c.codes[rows]) for c in self.sensitive),
            weights=None if self.weights is None else self.weights[rows],
            suppressed=self.suppressed[rows],
            persons=None if self.persons is None else self.persons[rows],
            index=None if self.index is None else self.index[rows],
        )

    @classmethod
    def from_frame(
        cls,
        frame: pd.DataFrame,
        *,
        quasi_identifiers: str | Iterable[str],
        sensitive: str | Iterable[str] | None = None,
        identifying: str | Iterable[str] = (),
        weight: str | None = None,
        person: str | None = None,
        missing: MissingRule = "error",
        orders: Mapping[str, Sequence[object]] | None = None,
        domains: Mapping[str, Sequence[object]] | None = None,
        suppressed: object | None = None,
        merge_spellings: str | Iterable[str] = (),
    ) -> Microdata:
        """Read a data frame.

        Parameters
        ----------
        frame
            The table; it is never changed.
        quasi_identifiers
            Column names; none at all makes the whole table one equivalence class.
        sensitive
            Column names of the sensitive attributes, at least one; None (default) where only the sizes of classes are
            asked for (k-anonymity, k-map), which depend on none: what asks about values refuses such a table.
        identifying
            Columns that identify a person; they may not have another role, and are not read.
        weight
            A column that says how many records each row stands for: positive whole numbers.
        person
            A column that says whose row it is, where a person may have several (panel and medical data): then sizes
            and k count persons, and each sensitive value the persons of the class who have it.
        missing
            What an empty cell in a used column means: ``"error"`` (default: the error names the column and counts the
            rows), ``"category"`` (a value of its own), ``"drop"`` (the row is left out, and counted in `dropped`).
        orders
            Per attribute its values from lowest to highest, for ordered ground distances. ``"(missing)"`` names the
            missing value. An ordered categorical column (an enum of Polars or DuckDB, an ordered dictionary of Arrow)
            has its order already, unless it has a missing value that is kept.
        domains
            Per attribute its whole domain, in order; values that never occur then count too. ``"(missing)"`` names the
            missing value.
        suppressed
            The marker of suppressed records, such as ``"*"``: a row whose quasi-identifiers all carry it is a
            suppressed record, not a member of a class. None (default): no row is.
        merge_spellings
            Columns in which values that look the same become one, see `tcloseness.microdata.spellings`; elsewhere they
            stay apart, with a warning.

        Raises
        ------
        TableError
            For an empty table, no named column, unknown or repeated columns, clashing roles, missing cells under
            ``"error"``, or weights that are not positive whole numbers.
        DomainError
            For a declared order or domain that misses a value which occurs, or that names ``(missing)`` where a column
            has that text.

        Warns
        -----
        TableWarning
            If values look the same (they differ by type, Unicode form, case, blanks, invisible characters or a dot at
            the end, or are equal as numbers or dates); if a quasi-identifier or a column without a role has a different
            value in each row; or if records look suppressed but no marker is declared.
        """
        roles = Roles.of(
            quasi_identifiers=quasi_identifiers,
            sensitive=sensitive,
            identifying=identifying,
            weight=weight,
            person=person,
            missing=missing,
            orders=orders,
            domains=domains,
            suppressed=suppressed,
            merge_spellings=merge_spellings,
        )
        return cls.in_roles(frame, roles)

    @classmethod
    def in_roles(
        cls, frame: pd.DataFrame, roles: Roles, *, own: Mapping[str, Sequence[object]] | None = None
    ) -> Microdata:
        """Read a data frame whose columns have the given roles, as `from_frame`; and their own orders, where it is the
        rows of a source that declares them."""
        if not isinstance(frame, pd.DataFrame):
            raise TableError(f"the table is a {type(frame).__name__}; give a pandas DataFrame, or use read_table")
        combined = combine(frame, roles.by_column)
        found = assigned(combined if own is None else replace(combined, orders=own), roles)
        columns = {name: Column(name, domain, codes) for name, (codes, domain) in found.columns.items()}
        return cls(
            tuple(columns[name] for name in roles.quasi_identifiers),
            tuple(columns[name] for name in roles.sensitive),
            found.weights,
            found.marked,
            found.dropped,
            found.conventions,
            found.persons,
            frame.index[found.present],
        )


def read_rows(source: Any, options: Options, roles: Mapping[str, Any]) -> Microdata:
    """Return the rows of a source; of what looks wrong in it was told when it was counted."""
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TableWarning)
        asked = Roles.of(**roles)
        return Microdata.in_roles(rows(source, options), asked, own=own_orders(source, asked.by_column))
