"""The roles of a table's columns, and what they make of its lines: which are kept, what they count, what is missing.

Here is decided what a cell means, once for the rows of a frame and for the combinations that an engine counted: a line
stands for one row or for many, and errors and warnings count rows.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd

from tcloseness.conventions import Conventions
from tcloseness.errors import DomainError, InputError, TableError, did_you_mean, warn
from tcloseness.exact import INT64_MAX, IntArray, as_fraction, shown_value
from tcloseness.microdata.combinations import Coded, Combinations, rows_of
from tcloseness.microdata.domain import MISSING, NO_SENSITIVE, Domain
from tcloseness.microdata.naming import declared_domain, declared_order, meant
from tcloseness.microdata.spellings import look_alikes_text, merged_spellings
from tcloseness.microdata.values import plain_value

__all__ = ["Assigned", "MissingRule", "Roles", "assigned", "names_of", "require_columns", "suspects"]

MissingRule = Literal["error", "category", "drop"]

BoolArray = np.ndarray[Any, np.dtype[np.bool_]]

_TOO_FEW = 3
"""Two different values say nothing of a column."""

_IDENTIFIER = re.compile(
    r"(?i:(^|[\W_])(id|identifier|ssn|patient|person|subject|member|customer)([\W_]?(id|no|nr|number))?)$|[a-z]ID$"
)
"""A column of such a name says whose row it is."""


def names_of(names: str | Iterable[str]) -> tuple[str, ...]:
    """Return one name or several as a tuple; columns may be labelled by numbers."""
    single = isinstance(names, str) or not isinstance(names, Iterable)
    return (names,) if single else tuple(names)  # type: ignore[return-value]


@dataclass(frozen=True, eq=False)
class Roles:
    """What is said of a table's columns; `Microdata.from_frame` documents each."""

    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    identifying: tuple[str, ...] = ()
    weight: str | None = None
    person: str | None = None
    missing: MissingRule = "error"
    orders: Mapping[str, Sequence[object]] = field(default_factory=dict)
    domains: Mapping[str, Sequence[object]] = field(default_factory=dict)
    suppressed: object | None = None
    merging: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
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
    ) -> Roles:
        """Check what is said of the columns, as far as that needs no table; None for a table without a sensitive one.

        Raises
        ------
        TableError
            For a column of two roles, no column at all, a sensitive one without a name, or what is declared for a
            column that has no role.
        """
        qi, merging = names_of(quasi_identifiers), names_of(merge_spellings)
        sa = () if sensitive is None else names_of(sensitive)
        if not sa and sensitive is not None:
            raise TableError(
                "sensitive is an empty list; name at least one column, or leave sensitive out where only the sizes of "
                "classes are asked for (k-anonymity, k-map)"
            )
        if NO_SENSITIVE in sa:
            raise TableError("a sensitive attribute has the empty name, which stands for none; rename the column")
        if not qi and not sa:
            raise TableError("neither a quasi-identifier nor a sensitive attribute is named; name at least one column")
        if weight is not None and person is not None:
            raise TableError(
                f"column {weight!r} says how many records a row stands for, and column {person!r} whose row it is; a "
                "person is one, so name one of the two"
            )
        made = cls(
            qi, sa, names_of(identifying), weight, person, missing, orders or {}, domains or {}, suppressed, merging
        )
        made.by_column  # noqa: B018 (it refuses clashing roles)
        if missing not in ("error", "category", "drop"):
            raise TableError(f"missing={missing!r} is unknown; it is 'error', 'category' or 'drop'")
        for name in {**made.orders, **made.domains}:
            if name not in (*qi, *sa):
                raise TableError(f"an order or a domain is declared for {name!r}, which has no role in this table")
            for declared in (given[name] for given in (made.orders, made.domains) if name in given):
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
        return made

    @cached_property
    def by_column(self) -> dict[str, str]:
        """The role of each column that has one."""
        role: dict[str, str] = {}
        for label, names in (
            ("quasi-identifier", self.quasi_identifiers),
            ("sensitive", self.sensitive),
            ("identifying", self.identifying),
            ("weight", () if self.weight is None else (self.weight,)),
            ("person", () if self.person is None else (self.person,)),
        ):
            for name in names:
                if not isinstance(name, Hashable):
                    raise TableError(f"{name!r} is named as {label} and cannot be the name of a column; give names")
                if name in role:
                    twice = f"twice as {label}" if role[name] == label else f"as {role[name]} and as {label}"
                    raise TableError(f"column {name!r} is named {twice}; a column has one role: name it once")
                role[name] = label
        return role


def require_columns(names: Sequence[str], role: Mapping[str, str]) -> list[str]:
    """Return the columns that are to be read: those that have a role, but for identifying ones.

    Parameters
    ----------
    names
        The table's columns.
    role
        The role of each column that has one.

    Raises
    ------
    TableError
        For a column that the table lacks or has twice.
    """
    for name, label in role.items():
        times = sum(1 for column in names if column == name)
        if times > 1:
            places = ", ".join(str(place) for place, column in enumerate(names, 1) if column == name)
            raise TableError(
                f"the table has {times} columns named {name!r}; rename them, names must differ (they are its columns "
                f"{places})"
            )
        if not times:
            hint = did_you_mean(name, names, f"it has {', '.join(map(repr, names))}")
            several = [part.strip() for part in str(name).split(",")]
            if len(several) > 1 and all(part in names for part in several):
                hint = f"give several columns as a list, {several!r}"
            raise TableError(f"the table has no column {name!r} ({label}); {hint}")
    return [name for name, label in role.items() if label != "identifying"]


def suspects(names: Sequence[str], role: Mapping[str, str]) -> dict[int, bool]:
    """Return the places of the columns without a role, and whether their name says that they name persons."""
    asked = "person" not in role.values()
    places = [place for place, name in enumerate(names) if name not in role]
    return {place: asked and bool(_IDENTIFIER.search(str(names[place]))) for place in places}


# ---------------------------------------------------------------------- what the roles make of the lines


@dataclass(frozen=True, eq=False)
class Assigned:
    """The lines of a table that are kept, and what they are.

    Attributes
    ----------
    columns
        The codes and the domain of each quasi-identifier and sensitive attribute.
    present
        Which lines are kept.
    weights
        How many records a row of each kept line stands for; None if every row is one record.
    counts
        How many rows each kept line stands for; None if each is one.
    marked
        Which kept lines are suppressed records.
    dropped
        How many rows were dropped for missing values.
    persons
        The number of each kept line's person, where a person has several rows; else None.
    """

    columns: Mapping[str, Coded]
    present: BoolArray
    weights: IntArray | None
    counts: IntArray | None
    marked: BoolArray
    dropped: int
    conventions: Conventions
    persons: IntArray | None


def assigned(found: Combinations, roles: Roles) -> Assigned:
    """Give the lines of a table their roles.

    Raises
    ------
    TableError, DomainError
        As `Microdata.from_frame`.
    """
    if not found.rows:
        raise TableError("the table has no records; an empty table has no classes to measure")
    rows = found.counts
    coded = {name: each for name, each in found.columns.items() if name != roles.weight}
    present, dropped = _present(coded, rows, roles.missing)
    if not present.any():
        raise TableError(f"the table has no records left: all {dropped} have a missing value and were to be dropped")
    kept_rows = rows if rows is None or present.all() else rows[present]
    weights = None if roles.weight is None else _weights(found, roles.weight, present, kept_rows)
    persons: IntArray | None = None
    columns: dict[str, Coded] = {}
    merged = []
    for name, each in coded.items():
        codes, domain = _kept(each, present)
        if name == roles.person:
            persons = _persons(name, codes, domain, kept_rows)
            _warn_of_look_alikes(name, domain, codes, kept_rows)
            continue
        if name in roles.merging:
            named = [*roles.orders.get(name, ()), *roles.domains.get(name, ())]
            domain, codes, spellings, changed = merged_spellings(domain, codes, named, kept_rows)
            merged.append(f"{spellings:,} spelling(s) of {changed:,} row(s) merged in {name!r}")
        else:
            _warn_of_look_alikes(name, domain, codes, kept_rows)
        columns[name] = _declared(name, codes, domain, roles, found.orders.get(name, ()))
    marked = _marked(columns, roles.quasi_identifiers, roles.suppressed, int(present.sum()))
    _warn_of_identifiers(found, roles)
    others = [str(name) for name in found.names if name not in roles.by_column]
    marker, counted = roles.suppressed, _COUNTED[persons is not None]
    conventions = Conventions(
        {
            "missing values": roles.missing,
            "suppressed records": "no marker declared" if marker is None else f"marked {marker!r}",
            **({} if roles.person is None else {"persons": f"column {roles.person!r}; {counted}"}),
            **({"columns without a role": ", ".join(others)} if others else {}),
            **({"spellings": "; ".join(merged)} if merged else {}),
        }
    )
    if marker is None:
        _warn_if_it_looks_suppressed(columns, roles.quasi_identifiers, kept_rows)
    return Assigned(columns, present, weights, kept_rows, marked, dropped, conventions, persons)


_COUNTED = {
    False: "each has one row",
    True: "sizes and values count persons, one who is in several classes in each of them; distributions (of entropy, "
    "recursive, t, beta, delta and epsilon) are of the pairs of a person and a value in a class",
}
"""What a column of persons changes, by whether one of them has several rows."""


def _warn_of_look_alikes(name: str, domain: Domain, codes: IntArray, rows: IntArray | None) -> None:
    told = look_alikes_text(name, domain, codes, rows)
    if told:
        warn(told)


def _total(chosen: BoolArray, rows: IntArray | None) -> int:
    return int(chosen.sum()) if rows is None else int(rows[chosen].sum())


def _first(chosen: BoolArray, rows: IntArray | None) -> str:
    """Return for a message where the first of some rows is, where that is known."""
    return "" if rows is not None else f", first row {int(np.flatnonzero(chosen)[0]) + 1}"


def _present(coded: Mapping[str, Coded], rows: IntArray | None, missing: MissingRule) -> tuple[BoolArray, int]:
    keep = np.ones(len(next(iter(coded.values()))[0]), dtype=bool)
    for name, (codes, domain) in coded.items():
        if missing == "category" or MISSING not in domain:
            continue
        empty = codes == domain.code(MISSING)
        if missing == "error":
            raise TableError(
                f"column {name!r} has {_total(empty, rows)} row(s) with a missing value{_first(empty, rows)}; say what "
                "they mean: missing='category' keeps them as a value of their own, missing='drop' leaves the rows out"
            )
        keep &= ~empty
    return keep, _total(~keep, rows)


def _weights(found: Combinations, name: str, present: BoolArray, rows: IntArray | None) -> IntArray:
    codes, domain = found.columns[name]
    kept = codes[present]
    each = [_whole(value) for value in domain.values]
    of_value = rows_of(kept, len(domain), rows).tolist()
    bad = np.array([weight <= 0 for weight in each])[kept]
    if bad.any():
        line = int(np.flatnonzero(bad)[0])
        code = int(kept[line] if rows is None else kept[bad].min())  # lines that an engine counted have no order
        value = domain.value(code)
        shown = "a missing value" if value is MISSING else repr(value)
        held = (
            f", row {int(np.flatnonzero(present)[line]) + 1} holds {shown}"
            if rows is None
            else f" holds {shown} in {of_value[code]:,} row(s)"
        )
        raise TableError(
            f"weight column {name!r}{held}; a weight says how many records a row stands for and must be a positive "
            "whole number (survey weights have no exact counts: ask tcloseness.models.survey_results what they say)"
        )
    if sum(weight * number for weight, number in zip(each, of_value, strict=True)) > INT64_MAX:
        raise TableError(f"weight column {name!r} sums to more than 2⁶³ − 1 records")
    return np.array([min(max(weight, 0), INT64_MAX) for weight in each], dtype=np.int64)[kept]


def _whole(cell: object) -> int:
    """Return a whole number, also one that a file holds as text; 0 for anything else."""
    try:
        number = as_fraction(cell)
    except InputError:
        return 0
    return int(number) if number.denominator == 1 else 0


def _persons(name: str, codes: IntArray, domain: Domain, rows: IntArray | None) -> IntArray | None:
    if MISSING in domain:
        empty = codes == domain.code(MISSING)
        raise TableError(
            f"column {name!r} says whose row it is, and has {_total(empty, rows)} row(s) with a missing value, which "
            "is nobody; missing='drop' leaves the rows out"
        )
    number = len(codes) if rows is None else int(rows.sum())
    return None if len(domain) == number else codes  # of one row each, a record is a person


def _kept(coded: Coded, present: BoolArray) -> Coded:
    """Return the codes of the lines that stay, and their values."""
    codes, domain = coded
    if present.all():
        return coded
    used = np.flatnonzero(np.bincount(codes[present], minlength=len(domain)))
    return np.searchsorted(used, codes[present]), Domain.of(domain.values[i] for i in used)


def _declared(name: str, codes: IntArray, domain: Domain, roles: Roles, own: Sequence[object]) -> Coded:
    """Return a column in the order that is declared for it, else in its own, which its source declares."""
    try:
        if name in roles.domains:
            target, places = declared_domain(domain, roles.domains[name])
        elif name in roles.orders:
            target, places = declared_order(domain, roles.orders[name])
        elif (found := _in_own_order(domain, own)) is not None:
            target, places = found
        else:
            return codes, domain
    except DomainError as error:
        raise DomainError(f"column {name!r}: {error}") from error
    return places[codes], target


def _in_own_order(domain: Domain, own: Sequence[object]) -> tuple[Domain, IntArray] | None:
    """Return the values in the order of their source, and the new code of each; None for an order that lacks one."""
    codes = np.array([domain.code(value) for value in map(plain_value, own) if value in domain], dtype=np.int64)
    if not len(codes) or len(codes) < len(domain):
        return None
    places = np.empty_like(codes)
    places[codes] = np.arange(len(codes))
    return domain.in_order(codes), places


def _marked(columns: Mapping[str, Coded], qi: tuple[str, ...], marker: object | None, lines: int) -> BoolArray:
    marked = np.zeros(lines, dtype=bool)
    if not isinstance(marker, Hashable) or marker is pd.NA:
        raise TableError(f"the marker of suppressed records is {marker!r}; it must be one value, such as '*'")
    if marker is None or not qi:
        return marked
    for name in qi:
        named = meant(marker, columns[name][1])  # refuses what could mean two values
    marker = named
    if not all(marker in columns[name][1] for name in qi):
        return marked
    marked[:] = True
    for name in qi:
        codes, domain = columns[name]
        marked &= codes == domain.code(marker)
    if marked.all():
        raise TableError(
            f"every record carries the marker {marker!r} in all quasi-identifiers, so nothing is released; "
            "if the table is fully generalized, not suppressed, declare no marker"
        )
    return marked


def _warn_if_it_looks_suppressed(columns: Mapping[str, Coded], qi: tuple[str, ...], rows: IntArray | None) -> None:
    if not qi or not all("*" in columns[name][1] and len(columns[name][1]) > 1 for name in qi):
        return
    starred = np.logical_and.reduce([columns[n][0] == columns[n][1].code("*") for n in qi])
    if starred.any():
        warn(
            f"{_total(starred, rows)} record(s) have '*' in every quasi-identifier and are counted as a class; declare "
            "the marker of suppressed records ('*') if they are suppressed"
        )


def _warn_of_identifiers(found: Combinations, roles: Roles) -> None:
    """Warn of each column that could identify persons: no role or a quasi-identifier, and no value occurs twice."""
    rows = found.rows
    if rows < _TOO_FEW:
        return
    persons = suspects(found.names, roles.by_column)
    for place, name in enumerate(found.names):
        role = roles.by_column.get(name, "no role")
        if role == "quasi-identifier":
            unique = len(found.columns[name][1]) == rows
            told = "each record is a class of its own until it is generalized"
        elif role == "no role" and name in found.distinct:
            values, missing = found.distinct[name]
            unique = values + missing == rows and missing <= 1
            told = "nothing was asked of it; if outsiders may know it, it is a quasi-identifier"
        else:
            continue
        if unique:
            warn(
                f"column {name!r} ({role}) has a different value in each of the {rows:,} rows, as an identifier has: "
                f"{told}; a column that identifies persons must not be published (identifying={name!r} says it does)"
            )
        elif persons.get(place):
            warn(
                f"column {name!r} (no role) looks as if it names persons, and {rows:,} rows have {values:,} values of "
                "it: k and all sizes count rows, and a person of several rows is counted as several; "
                f"person={name!r} counts persons"
            )
