"""Which columns make people identifiable: who is alone in a class, under every set of columns.

*Minimal sample uniques* and the score by them are those of SUDA (Elliot, Manning, Ford 2002; Manning, Haglin, Keane
2008); *distinction* and *separation* are those of Motwani, Xu 2007.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from functools import cached_property
from math import factorial
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from tcloseness.attacks.column_sets import (
    MOST_SETS,
    ClassCounter,
    Column,
    ColumnSet,
    KeySet,
    minimal_uniques,
    sets_of_columns,
)
from tcloseness.conventions import Conventions
from tcloseness.displayed import Displayed, counted
from tcloseness.errors import InputError, TableError, require_arguments
from tcloseness.exact import IntArray, number_text, shown_value
from tcloseness.limits import Clock, TimeLimit
from tcloseness.microdata import FrequencySet, Microdata
from tcloseness.microdata.border import in_shape
from tcloseness.microdata.combinations import Options
from tcloseness.microdata.roles import Roles, names_of
from tcloseness.microdata.sources import combinations, names
from tcloseness.release.published import Published

__all__ = ["SCORE", "Columns", "columns", "counted_columns"]

SCORE = "Σ over minimal sample uniques S of Π from |S| to M of (ATT − i), M = min(largest size counted, ATT − 1)"


@dataclass(frozen=True, eq=False)
class Columns(Displayed):
    """Which columns make people identifiable, see `columns`.

    Attributes
    ----------
    sets
        Every set of columns that was counted, small ones first.
    key_sets
        What each intruder knows, with what every column contributes.
    up_to
        The largest size of the sets.
    records, suppressed
        How many records were counted, and how many marked as suppressed were not.
    unique_rows, unique_sets
        The minimal sample uniques, as pairs of a row (its place in the table; of a table that was given as counts, of
        the combination) and the place of its set in `sets`; shape (minimal sample uniques,).
    labels
        Those of the table's rows in its index, where it has rows.
    conventions
        What was chosen on the way.
    over_rows
        Where rows have weights, the same with each row as one record; else None.
    """

    sets: tuple[ColumnSet, ...]
    key_sets: tuple[KeySet, ...]
    up_to: int
    records: int
    suppressed: int
    unique_rows: IntArray
    unique_sets: IntArray
    labels: npt.NDArray[Any] | None = None
    conventions: Conventions = field(default_factory=Conventions)
    over_rows: Columns | None = None

    def _said(self) -> str:
        wholes = "; ".join(f"{each.whole.uniques:,} alone by {each.name}" for each in self.key_sets)
        sets = f"{len(self.sets):,} sets of up to {counted(self.up_to, 'column')}"
        return f"{sets}, {counted(self.records, 'record')}; {wholes}"

    def of(self, *names: str) -> ColumnSet:
        """Return what is known of one set of columns.

        Raises
        ------
        InputError
            If it was not counted.
        """
        wanted = frozenset(names)
        if wanted not in self._place:
            raise InputError(
                f"the columns {', '.join(map(repr, names))} are not a set that was counted; counted were sets of up to "
                f"{self.up_to} of {', '.join(map(repr, self._all))}"
            )
        return self.sets[self._place[wanted]]

    @cached_property
    def _place(self) -> dict[frozenset[str], int]:
        return {frozenset(each.columns): place for place, each in enumerate(self.sets)}

    @cached_property
    def _all(self) -> tuple[str, ...]:
        return tuple(dict.fromkeys(name for each in self.key_sets for name in each.whole.columns))

    @cached_property
    def sizes(self) -> dict[int, int]:
        """How many records have a smallest minimal sample unique of each size."""
        if not len(self.unique_rows):
            return {}
        size = np.array([len(each.columns) for each in self.sets])[self.unique_sets]
        order = np.lexsort((size, self.unique_rows))
        first = np.flatnonzero(np.diff(self.unique_rows[order], prepend=-1))
        found, numbers = np.unique(size[order][first], return_counts=True)
        return dict(zip(found.tolist(), numbers.tolist(), strict=True))

    @property
    def unique_records(self) -> int:
        """How many records are alone under some of the sets."""
        return sum(self.sizes.values())

    def scores(self, key_set: str | None = None) -> dict[int, int]:
        """Return the SUDA score of each row that is alone under some set, by its place; all others have 0.

        Parameters
        ----------
        key_set
            Whose; may be left out where there is one.

        Notes
        -----
        A minimal sample unique S adds Π_{i=|S|}^{M} (ATT − i), with ATT the number of the key set's columns and M the
        largest size of S that is looked for, at most ATT − 1 (Elliot, Manning, Ford 2002). For M = ATT − 1 that is
        (ATT − |S|)!, the number of ways to add the other columns one after another.
        """
        chosen = self._key_set(key_set)
        points = np.array(_points(self.sets, chosen.whole.columns, self.up_to), dtype=object)[self.unique_sets]
        found: dict[int, int] = {}
        for row, each in zip(self.unique_rows.tolist(), points.tolist(), strict=True):
            if each:
                found[row] = found.get(row, 0) + each
        return dict(sorted(found.items()))

    def _key_set(self, name: str | None) -> KeySet:
        if name is None and len(self.key_sets) == 1:
            return self.key_sets[0]
        for each in self.key_sets:
            if each.name == name:
                return each
        known = ", ".join(repr(each.name) for each in self.key_sets)
        raise InputError(f"key set {name!r} is unknown; name one of {known}")

    def records_frame(self, key_set: str | None = None) -> pd.DataFrame:
        """Return the rows that are alone under some set of a key set, those of the greatest score first.

        Returns
        -------
        pandas.DataFrame
            By the label of each row, how many minimal sample uniques it has, the size of its smallest, and its score;
            no value of the table.
        """
        chosen = self._key_set(key_set)
        inside = np.array([set(each.columns) <= set(chosen.whole.columns) for each in self.sets], dtype=bool)
        kept = inside[self.unique_sets]
        rows, sets = self.unique_rows[kept], self.unique_sets[kept]
        scores = self.scores(key_set)
        size = np.array([len(each.columns) for each in self.sets], dtype=np.int64)[sets]
        found = pd.DataFrame({"row": rows, "size": size}).groupby("row")["size"].agg(["size", "min"])
        found.columns = pd.Index(["minimal sample uniques", "smallest"])
        found["score"] = [scores[row] for row in found.index]
        if self.labels is not None:
            found.index = pd.Index(self.labels[found.index])
        return found.sort_values("score", ascending=False, kind="stable")

    def _frame_rows(self) -> list[dict[str, Any]]:
        return [
            {
                "columns": ", ".join(map(str, each.columns)),
                "size": len(each.columns),
                "classes": each.classes,
                "uniques": each.uniques,
                "share": float(each.share),
                "k": each.k,
                "minimal uniques": each.minimal_uniques,
                "distinction": float(each.distinction),
                "separation": float(each.separation),
                "distinction exact": number_text(each.distinction),
                "separation exact": number_text(each.separation),
            }
            for each in self.sets
        ]

    def columns_frame(self) -> pd.DataFrame:
        """Return what each column contributes to each key set, the greatest contribution first."""
        rows = [row for each in self.key_sets for row in each._frame_rows()]
        found = pd.DataFrame(rows, columns=["key set", "column", "alone", "needed", "contribution"])
        exact = found.pop("contribution").map(Fraction)
        found["contribution"], found["contribution exact"] = exact.astype(float), exact.map(number_text)
        return found.sort_values(["key set", "contribution"], ascending=[True, False], kind="stable", ignore_index=True)

    def explain(self) -> str:
        """Return what the columns give away, in sentences without a value of the table."""
        said = []
        for each in self.key_sets:
            whole = each.whole
            who = "" if len(self.key_sets) == 1 else f" ({each.name})"
            said.append(
                f"Whoever knows {_listed(whole.columns)}{who} finds {whole.uniques:,} of "
                f"{counted(whole.records, 'record')} ({float(whole.share):.1%}) alone; the smallest class has "
                f"{counted(whole.k, 'record')}."
            )
            if whole.uniques:
                most = max(each.columns, key=lambda column: (column.needed, column.contribution))
                said.append(
                    f"Without {most.name}, {most.needed:,} of these records would not be alone; it is the "
                    "column on which most depend."
                )
        if self.sizes:
            least = min(self.sizes)
            said.append(
                f"{counted(self.sizes[least], 'record')} {'is' if self.sizes[least] == 1 else 'are'} alone by "
                f"{counted(least, 'column')} already."
            )
        return " ".join(said)

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data, without the rows."""
        return {
            "format": "tcloseness-columns-1",
            "records": self.records,
            "suppressed": self.suppressed,
            "up_to": self.up_to,
            "unique_records": self.unique_records,
            "sizes": {str(size): number for size, number in self.sizes.items()},
            "sets": [each.to_dict() for each in self.sets],
            "key_sets": [each.to_dict() for each in self.key_sets],
            "score": SCORE,
            "conventions": dict(self.conventions),
            **({} if self.over_rows is None else {"over_rows": self.over_rows.to_dict()}),
        }


def columns(
    table: Any,
    *,
    up_to: int | None = None,
    quasi_identifiers: str | Sequence[str] | Mapping[str, Sequence[str]] | None = None,
    most_sets: int = MOST_SETS,
    time_limit: TimeLimit = None,
    memory_limit: int | None = None,
    **roles: Any,
) -> Columns:
    """Say which columns make people identifiable: uniques and k for every set of columns, and what each contributes.

    Parameters
    ----------
    table
        A `Table`, `FrequencySet` or `Microdata`; a release, as it is published; or what `FrequencySet.read` takes: a
        frame, a file, ….
    up_to
        The largest size of the sets; all sizes by default.
    quasi_identifiers
        The columns. By default the quasi-identifiers of the table, or all columns of a frame or file. Where several
        intruders know different columns, a mapping from a name to each one's columns: sets that nobody knows whole are
        not counted.
    most_sets
        How many sets are counted at most.
    time_limit, memory_limit
        Seconds and bytes.
    **roles
        For a frame or file, ``missing``, ``weight``, ``suppressed``, … as for `Microdata.from_frame`, and how it is
        read, as for `FrequencySet.read`.

    Returns
    -------
    Columns
        Everything is counted exactly. Suppressed records are in no class.

    Raises
    ------
    InputError
        For too many sets; the message says up to which size they could be counted.
    TableError
        For unknown columns, a table in which a person has several rows, or one without a released record.
    LimitReached
        If the time or the memory does not suffice.

    Notes
    -----
    A *minimal sample unique* of a record is a set of columns under which it is alone, while it is alone under no
    smaller part of it. Sets are visited so that each comes after all its parts; a class is split by one column at a
    time, and a record that is alone stays so and is not looked at again. More columns never make fewer uniques, nor a
    greater k.

    References
    ----------
    M. J. Elliot, A. M. Manning, R. W. Ford, "A Computational Algorithm for Handling the Special Uniques Problem",
    IJUFKS 10(5), 2002. A. M. Manning, D. J. Haglin, J. A. Keane, "A Recursive Search Algorithm for Statistical
    Disclosure Assessment", DMKD 16, 2008. R. Motwani, Y. Xu, "Efficient Algorithms for Masking and Finding
    Quasi-Identifiers", VLDB 2007 workshop on secure data management.

    Examples
    --------
    >>> frame = pd.DataFrame({"age": [30, 30, 40, 40], "sex": ["f", "f", "f", "m"], "zip": [1, 2, 1, 1]})
    >>> found = columns(frame)
    >>> found.of("age", "sex").uniques, found.of("age", "sex").k, found.of("sex").separation
    (2, 1, Fraction(1, 2))
    >>> [(each.name, each.needed, str(each.contribution)) for each in found.key_sets[0].columns]
    [('age', 2, '1/3'), ('sex', 2, '1/2'), ('zip', 2, '1/2')]
    """
    clock = Clock.of(time_limit, memory_limit)
    if isinstance(table, Published):
        table = table.release.released
    shaped = in_shape(table, FrequencySet)
    reading = {name: roles.pop(name) for name in [*roles] if name in inspect.signature(Options).parameters}
    known = set(inspect.signature(Roles.of).parameters) - {"quasi_identifiers", "sensitive"}
    require_arguments("columns()", roles, sorted(known), inspect.signature(columns).parameters)
    key_sets = _named(quasi_identifiers, shaped, Options(**reading), roles)
    family = sets_of_columns(key_sets, up_to, most_sets)
    every = tuple(dict.fromkeys(name for each in key_sets.values() for name in each))
    counts = counted_columns(shaped, every, reading, roles)
    counts.require_rows_of_different_persons("the question who is alone")
    if counts.suppressed.all():
        raise TableError("every record of the table is suppressed, so none is in a class")
    made = _found(counts, key_sets, family, clock)
    if counts.rows is not None:
        made = replace(made, over_rows=_found(replace(counts, counts=counts.rows, rows=None), key_sets, family, clock))
    return made


def _listed(names: Sequence[str]) -> str:
    return str(names[0]) if len(names) == 1 else f"all {len(names)} columns"


def _named(given: Any, table: Any, options: Options, roles: Mapping[str, Any]) -> dict[str, tuple[str, ...]]:
    """Return the columns of each key set."""
    if given is None and isinstance(table, FrequencySet | Microdata):
        given = [getattr(column, "name", column) for column in table.quasi_identifiers]
    elif given is None:
        others = {roles.get("weight"), roles.get("person"), *names_of(roles.get("identifying", ()))}
        given = [name for name in names(table, options) if name not in others]
    if not isinstance(given, Mapping):
        given = {"all columns": names_of(given)}
    found: dict[str, tuple[str, ...]] = {}
    for name, each in given.items():
        chosen = names_of(each)
        if not isinstance(name, str) or not chosen:
            raise InputError(
                f"the key set {name!r} has the columns {each!r}; give a mapping from names to at least one column, "
                "such as {'neighbour': ['age', 'sex']}"
            )
        for column in chosen:
            if isinstance(column, list | tuple | set) or chosen.count(column) > 1:
                raise InputError(
                    f"the key set {name!r} names {column!r} more than once or not as a column; several key sets are a "
                    "mapping, such as {'neighbour': ['age', 'sex'], 'employer': ['age', 'job']}"
                )
        found[name] = chosen
    if not found:
        raise InputError("no key set is given; leave quasi_identifiers out, or name at least one column")
    return found


def counted_columns(
    table: Any, wanted: tuple[str, ...], reading: Mapping[str, Any], roles: Mapping[str, Any]
) -> FrequencySet:
    """Return the table's rows, or its combinations where it has none, of the columns alone."""
    for name in ("quasi_identifiers", "sensitive"):
        if name in roles:
            raise InputError(
                f"{name}={shown_value(roles[name])} is given, and of this table only {', '.join(map(repr, wanted))} "
                f"are read, as quasi-identifiers; leave {name}= out"
            )
    if isinstance(table, FrequencySet | Microdata):
        if given := [*reading, *roles]:
            raise InputError(f"the table is read already, so {', '.join(given)} cannot be given; leave them out")
        rows = table if isinstance(table, Microdata) else table.table
        found: FrequencySet = table if rows is None else FrequencySet.of_rows(rows)  # type: ignore[assignment]
        for name in wanted:
            if name not in found.codes:
                known = ", ".join(map(repr, found.codes))
                raise TableError(f"{name!r} is not an attribute of this table; it has {known}")
        return replace(found, quasi_identifiers=wanted, sensitive=())
    asked = Roles.of(quasi_identifiers=wanted, sensitive=None, **roles)
    if isinstance(table, pd.DataFrame) and not reading:
        return FrequencySet.of_rows(Microdata.in_roles(table, asked))
    return FrequencySet.of_combinations(combinations(table, asked.by_column, options=Options(**reading)), asked)


def _found(
    counts: FrequencySet, key_sets: Mapping[str, tuple[str, ...]], family: Sequence[int], clock: Clock
) -> Columns:
    every = counts.quasi_identifiers
    counter = ClassCounter(counts, every)
    sets, rows_of = minimal_uniques(counter, every, family, clock)
    order = sorted(family, key=lambda chosen: (chosen.bit_count(), [-(chosen >> i & 1) for i in range(len(every))]))
    numbers = [len(rows_of[chosen]) for chosen in order]
    listed = tuple(sets[chosen] for chosen in order)
    rows = np.concatenate([rows_of[chosen] for chosen in order])
    unique_sets = np.repeat(np.arange(len(order)), numbers)
    by_row = np.lexsort((unique_sets, rows))

    def told_apart(names: Sequence[str]) -> ColumnSet:
        clock.check("counting the classes of the key sets")
        places = [every.index(name) for name in names]
        known = sets.get(sum(1 << place for place in places))
        return replace(known, columns=tuple(names)) if known else counter.told_apart(tuple(names), places)

    size = max(len(each.columns) for each in listed)
    return Columns(
        listed,
        tuple(_key_set(name, each, told_apart, listed, size) for name, each in key_sets.items()),
        size,
        counter.records,
        int(counts.counts[counts.suppressed].sum()),
        rows[by_row],
        unique_sets[by_row],
        None if counts.table is None or counts.table.index is None else counts.table.index.to_numpy(),
        counts.conventions,
    )


def _key_set(
    name: str,
    names: tuple[str, ...],
    told_apart: Callable[[Sequence[str]], ColumnSet],
    sets: Sequence[ColumnSet],
    size: int,
) -> KeySet:
    whole = told_apart(names)
    points = _points(sets, names, size)
    scores = [each * (chosen.minimal_uniques or 0) for each, chosen in zip(points, sets, strict=True)]
    total = sum(scores)
    found = []
    for each in names:
        without = told_apart([other for other in names if other != each])
        mine = sum(score for score, chosen in zip(scores, sets, strict=True) if score and each in chosen.columns)
        share = Fraction(mine, total) if total else Fraction(0)
        found.append(Column(each, told_apart([each]).uniques, whole.uniques - without.uniques, share))
    return KeySet(name, whole, tuple(found))


def _points(sets: Sequence[ColumnSet], names: Sequence[str], up_to: int) -> list[int]:
    """Return what a minimal sample unique adds to the score under a key set, by its set; 0 outside of the key set."""
    att, inside = len(names), set(names)
    last = factorial(att - min(up_to, att - 1) - 1)
    return [factorial(att - len(each.columns)) // last if inside.issuperset(each.columns) else 0 for each in sets]
