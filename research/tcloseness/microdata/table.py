"""`Microdata`: a table whose columns have roles, each factorised into codes over a `Domain`.

No index, label, dtype or row order of the source decides anything: rows are positions, columns are codes, and domains
are sorted by value. What was assumed on the way is kept, to be printed with every result.
"""

from __future__ import annotations

import warnings
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, Literal

import numpy as np
import pandas as pd

from tcloseness.conventions import Conventions
from tcloseness.errors import DomainError, InputError, TableError, TableWarning
from tcloseness.exact import INT64_MAX, IntArray, as_fraction, shown_value
from tcloseness.microdata.domain import MISSING, Domain
from tcloseness.microdata.naming import declared_domain, declared_order, meant
from tcloseness.microdata.roles import names_of, require_roles, warn_of_identifiers, without_role
from tcloseness.microdata.spellings import look_alikes_text, merged_spellings

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
        sensitive: str | Iterable[str],
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
            Column names of the sensitive attributes, at least one.
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
            missing value.
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
            For an empty table, unknown or repeated columns, clashing roles, missing cells under ``"error"``, or
            weights that are not positive whole numbers.
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
        if not isinstance(frame, pd.DataFrame):
            raise TableError(f"the table is a {type(frame).__name__}; give a pandas DataFrame, or use read_table")
        qi, sa, merging = names_of(quasi_identifiers), names_of(sensitive), names_of(merge_spellings)
        if not sa:
            raise TableError("no sensitive attribute is named; name at least one column")
        if weight is not None and person is not None:
            raise TableError(
                f"column {weight!r} says how many records a row stands for, and column {person!r} whose row it is; a "
                "person is one, so name one of the two"
            )
        weight_column = () if weight is None else (weight,)
        person_column = () if person is None else (person,)
        role = require_roles(
            frame,
            {
                "quasi-identifier": qi,
                "sensitive": sa,
                "identifying": names_of(identifying),
                "weight": weight_column,
                "person": person_column,
            },
        )
        if missing not in ("error", "category", "drop"):
            raise TableError(f"missing={missing!r} is unknown; it is 'error', 'category' or 'drop'")
        for name in {**(orders or {}), **(domains or {})}:
            if name not in (*qi, *sa):
                raise TableError(f"an order or a domain is declared for {name!r}, which has no role in this table")
            for declared in (given[name] for given in (orders or {}, domains or {}) if name in given):
                if not isinstance(declared, Iterable) or getattr(declared, "ndim", 1) == 0:
                    raise TableError(
                        f"the values declared for {name!r} are {shown_value(declared)}; give a list of them"
                    )
        for name in merging:
            if name not in (*qi, *sa):
                raise TableError(
                    f"merge_spellings names {name!r}, which is neither a quasi-identifier nor sensitive; they are "
                    f"{', '.join(map(repr, (*qi, *sa)))}"
                )

        coded = {name: factorize(frame[name], name) for name in (*qi, *sa, *person_column)}
        present, dropped = _present_rows(coded, missing)
        if not present.any():
            raise TableError(
                f"the table has no records left: all {dropped} have a missing value and were to be dropped"
            )
        weights = None if weight is None else _weights(frame[weight], present)
        persons: IntArray | None = None
        columns, merged = {}, []
        for name, (codes, observed) in coded.items():
            domain, kept = _kept(codes, observed, present)
            if name == person:
                if MISSING in domain:
                    raise TableError(
                        f"column {name!r} says whose row it is, and has {int((kept == domain.code(MISSING)).sum())} "
                        "row(s) with a missing value, which is nobody; missing='drop' leaves the rows out"
                    )
                persons = None if len(domain) == len(kept) else kept  # of one row each, a record is a person
                if told := look_alikes_text(name, domain, kept):
                    warnings.warn(told, TableWarning, stacklevel=2)
                continue
            if name in merging:
                named = [*(orders or {}).get(name, ()), *(domains or {}).get(name, ())]
                domain, kept, spellings, rows = merged_spellings(domain, kept, named)
                merged.append(f"{spellings:,} spelling(s) of {rows:,} row(s) merged in {name!r}")
            elif told := look_alikes_text(name, domain, kept):
                warnings.warn(told, TableWarning, stacklevel=2)
            columns[name] = _column(name, kept, domain, orders or {}, domains or {})
        marked = _marked(columns, qi, suppressed)
        whole = () if dropped else coded  # equal values are equal cells, but for missing ones
        repeating = [n for n in whole if len(coded[n][1]) < len(frame) and MISSING not in coded[n][1]]
        warn_of_identifiers(frame, role, repeating)
        others = without_role(frame, role)
        conventions = Conventions(
            {
                "missing values": missing,
                "suppressed records": "no marker declared" if suppressed is None else f"marked {suppressed!r}",
                **({} if person is None else {"persons": f"column {person!r}; {_COUNTED[persons is not None]}"}),
                **({"columns without a role": ", ".join(others)} if others else {}),
                **({"spellings": "; ".join(merged)} if merged else {}),
            }
        )
        if suppressed is None:
            _warn_if_it_looks_suppressed(columns, qi)
        return cls(
            tuple(columns[name] for name in qi),
            tuple(columns[name] for name in sa),
            weights,
            marked,
            dropped,
            conventions,
            persons,
            frame.index[present],
        )


_COUNTED = {
    False: "each has one row",
    True: "sizes and values count persons, one who is in several classes in each of them; distributions (of entropy, "
    "recursive, t, beta, delta and epsilon) are of the pairs of a person and a value in a class",
}
"""What a column of persons changes, by whether one of them has several rows."""


def _present_rows(
    coded: Mapping[str, tuple[IntArray, Domain]], missing: MissingRule
) -> tuple[np.ndarray[Any, np.dtype[np.bool_]], int]:
    rows = len(next(iter(coded.values()))[0])
    keep = np.ones(rows, dtype=bool)
    for name, (codes, domain) in coded.items():
        if missing == "category" or MISSING not in domain:
            continue
        empty = codes == domain.code(MISSING)
        if missing == "error":
            raise TableError(
                f"column {name!r} has {int(empty.sum())} row(s) with a missing value, first row "
                f"{int(np.flatnonzero(empty)[0]) + 1}; say what they mean: "
                "missing='category' keeps them as a value of their own, missing='drop' leaves the rows out"
            )
        keep &= ~empty
    return keep, int((~keep).sum())


def _weights(column: pd.Series[Any], present: np.ndarray[Any, np.dtype[np.bool_]]) -> IntArray:
    cells, rows = column[present].tolist(), np.flatnonzero(present)
    plain = isinstance(column.dtype, np.dtype) and column.dtype.kind in "iu"
    weights = cells if plain else [_whole(cell) for cell in cells]
    for row, cell, weight in zip(rows, cells, weights, strict=True):
        if weight <= 0:
            raise TableError(
                f"weight column {column.name!r}, row {row + 1} holds {cell!r}; a weight says how many records a row "
                "stands for and must be a positive whole number (survey weights have no exact counts)"
            )
    if sum(weights) > INT64_MAX:
        raise TableError(f"weight column {column.name!r} sums to more than 2⁶³ − 1 records")
    return np.array(weights, dtype=np.int64)


def _whole(cell: object) -> int:
    """Return a whole number, also one that a file holds as text; 0 for anything else."""
    try:
        number = as_fraction(cell)
    except InputError:
        return 0
    return int(number) if number.denominator == 1 else 0


def _kept(codes: IntArray, domain: Domain, present: np.ndarray[Any, np.dtype[np.bool_]]) -> tuple[Domain, IntArray]:
    """Return the values of the rows that stay, and their codes."""
    if present.all():
        return domain, codes
    used = np.flatnonzero(np.bincount(codes[present], minlength=len(domain)))
    return Domain.of(domain.values[i] for i in used), np.searchsorted(used, codes[present])


def _column(
    name: str,
    codes: IntArray,
    domain: Domain,
    orders: Mapping[str, Sequence[object]],
    domains: Mapping[str, Sequence[object]],
) -> Column:
    try:
        if name in domains:
            target, places = declared_domain(domain, domains[name])
        elif name in orders:
            target, places = declared_order(domain, orders[name])
        else:
            return Column(name, domain, codes)
    except DomainError as error:
        raise DomainError(f"column {name!r}: {error}") from error
    return Column(name, target, places[codes])


def factorize(series: pd.Series[Any], name: str) -> tuple[IntArray, Domain]:
    """Return the codes of a column's cells and the domain of the values that occur.

    Numbers, dates and texts are factorised by pandas; texts with a NUL and mixed objects by a dictionary, since 1,
    ``"1"`` and ``True`` are three values. Unused categories of a categorical column do not count.
    """
    if isinstance(series.dtype, pd.CategoricalDtype):
        numbered, uniques = series.cat.codes.to_numpy().astype(np.int64), series.cat.categories
        used = np.flatnonzero(np.bincount(numbered + 1, minlength=len(uniques) + 1)[1:])
        if len(used) < len(uniques):
            numbered, uniques = np.where(numbered < 0, -1, np.searchsorted(used, numbered)), uniques[used]
    elif (found := _arrow_codes(series)) is not None:
        return found
    elif _one_type(series.dtype):
        numbered, uniques = pd.factorize(series)
    else:
        return _factorize_objects(series, name)
    if numbered.min(initial=0) < 0:
        numbered = np.where(numbered < 0, len(uniques), numbered)
        domain, codes = Domain.numbered([*uniques.tolist(), MISSING], apart=True)
    else:
        domain, codes = Domain.of_index(uniques)
    return codes[numbered], domain


def _arrow_codes(series: pd.Series[Any]) -> tuple[IntArray, Domain] | None:
    """Return what `factorize` does for Arrow's texts, by its own dictionary; None for others, or if one is missing."""
    if not isinstance(series.dtype, pd.StringDtype) or series.dtype.storage != "pyarrow":
        return None
    array: Any = series.array.__arrow_array__()
    if array.null_count:
        return None
    found = (array.combine_chunks() if hasattr(array, "combine_chunks") else array).dictionary_encode()
    domain, codes = Domain.numbered(found.dictionary.to_pylist(), apart=True)
    return codes[found.indices.to_numpy()], domain


def _one_type(dtype: Any) -> bool:
    """Say whether equal cells of a column are one value, and pandas distinguishes different ones."""
    if isinstance(dtype, pd.StringDtype):
        return dtype.storage == "pyarrow"  # pandas' own table of texts ends each at its first NUL
    return isinstance(dtype, np.dtype) and dtype.kind in "iufbmM"


def _whole_texts(cells: list[str]) -> bool:
    """Say whether pandas' own table distinguishes texts: it ends each at its first NUL, and reads them as UTF-8."""
    together = "".join(cells)
    try:
        together.encode()
    except UnicodeEncodeError:  # half of a character
        return False
    return "\0" not in together


def _factorize_objects(series: pd.Series[Any], name: str) -> tuple[IntArray, Domain]:
    cells = series.tolist()
    try:
        types = set(map(type, cells))
        if types in ({str}, {int}):
            if types == {str} and _whole_texts(cells):
                numbered, uniques = pd.factorize(series.to_numpy(dtype=object))
                domain, codes = Domain.numbered(uniques.tolist(), apart=True)
                return codes[numbered], domain
            domain, codes = Domain.numbered(cells)
            return codes, domain
        typed: dict[Any, int] = {}
        numbered = np.array([typed.setdefault((type(cell), cell), len(typed)) for cell in cells], dtype=np.int64)
    except TypeError as error:
        raise TableError(
            f"column {name!r} holds a cell that cannot be a value ({error}); cells must be numbers, texts, dates or "
            "other hashable objects"
        ) from error
    values = [cell for _, cell in typed]
    domain, codes = Domain.numbered(values)
    return codes[numbered], domain


def _marked(
    columns: Mapping[str, Column], qi: tuple[str, ...], marker: object | None
) -> np.ndarray[Any, np.dtype[np.bool_]]:
    rows = len(next(iter(columns.values())).codes)
    marked = np.zeros(rows, dtype=bool)
    if not isinstance(marker, Hashable) or marker is pd.NA:
        raise TableError(f"the marker of suppressed records is {marker!r}; it must be one value, such as '*'")
    if marker is None or not qi:
        return marked
    for name in qi:
        named = meant(marker, columns[name].domain)  # refuses what could mean two values
    marker = named
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
            f"{int(starred.sum())} record(s) have '*' in every quasi-identifier and are counted as a class; declare "
            "the marker of suppressed records ('*') if they are suppressed",
            TableWarning,
            stacklevel=3,
        )
