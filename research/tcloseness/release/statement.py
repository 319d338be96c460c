"""A release for those who stay in their own engine: one statement of SQL, or narwhals expressions for their frame.

Both make rows where the table is, in the engine's own types; nothing of the table comes here.
"""

from __future__ import annotations

import datetime
import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from typing import TYPE_CHECKING, Any

import pandas as pd

from tcloseness.errors import TableError
from tcloseness.microdata.domain import MISSING, Domain
from tcloseness.release.lines import literal, name_in_sql
from tcloseness.release.maps import Maps
from tcloseness.release.release import Release

if TYPE_CHECKING:
    import narwhals as nw

__all__ = ["expressions", "statement"]

_OF_FILES = ("CSV", "Parquet", "text file", "text files")
"""What is counted with the empty text as a missing value, which engines may read as a text."""

_NOWHERE, _SUPPRESSED = "none", "suppressed"
"""What stands for a number where there is none."""


def statement(release: Release, table: str, keep: Sequence[str] = ()) -> str:
    """Return the statement that shows a table as a release does; see `Published.sql`."""
    maps, original = Maps(release), release.original
    names = list(release.recodings)
    for name in keep:
        if name in (*names, *original.sensitive):
            raise TableError(f"{name!r} is an attribute of the release, which is shown anyway; leave it out of keep")
    folded = [each.casefold() for each in (*names, *original.sensitive, *keep)]
    for name, fold in zip((*names, *original.sensitive, *keep), folded, strict=True):
        if folded.count(fold) > 1:
            raise TableError(f"the statement has several columns {name!r} but for case, which engines take for one")
    words, at = set(re.findall(r"\w+", table.lower())), ""  # what the statement calls tables is none of them
    while any(re.fullmatch(rf"{at}([as]|[mx][0-9]*)", word) for word in words):
        at += "t"
    own = {name: f"r.{name_in_sql(name)}" for name in (*names, *original.sensitive)}
    empty_is_missing = original.origin.kind in _OF_FILES
    texts_alone = [name for name in own if {*map(type, original.domains[name].values)} - {type(MISSING)} == {str}]
    keys = dict(own)
    for name in own:
        values, missing = original.domains[name].values, original.dropped or MISSING in original.domains[name]
        if name in texts_alone:
            keys[name] = f"cast({own[name]} as varchar)"
            if missing and empty_is_missing and "" not in values:
                keys[name] = f"nullif({keys[name]}, '')"
        elif missing and _are_numbers(values):
            empty = "in ('nan', '')" if empty_is_missing and {*values} <= {MISSING} else "= 'nan'"
            keys[name] = f"case when lower(cast({own[name]} as varchar)) {empty} then null else {own[name]} end"
    tables: list[str] = []
    joins: list[str] = []

    def joined(
        alias: str, columns: Sequence[str], values: Sequence[Sequence[str]], texts: Sequence[Sequence[str]]
    ) -> None:
        alias = at + alias
        heads = [f"v{i}" for i in range(len(columns))] + [f"l{i}" for i in range(len(texts))]
        rows = ", ".join(f"({', '.join(row)})" for row in zip(*values, *texts, strict=True))
        tables.append(f"{alias}({', '.join(heads)}) as (values {rows})")
        on = " and ".join(f"{keys[column]} is not distinct from {alias}.v{i}" for i, column in enumerate(columns))
        joins.append(f"left join {alias} on {on}")

    shown = dict(own)
    one, suppressed = maps.by_value, ""
    if one is not None:
        for number, name in enumerate((*names, *release.shown)):
            cells = [*_written(original.domains[name], one.of[name].tolist(), name)]
            texts = [literal(maps.texts[name][code]) for _, code in cells]
            joined(f"m{number}", [name], [[cell for cell, _ in cells]], [texts])
            shown[name] = _or_fail(f"{at}m{number}.l0", name, [name])
        if len(one.suppressed):
            rows = ", ".join(
                "(" + ", ".join(literal(maps.texts[name][code]) for name, code in zip(names, row, strict=True)) + ", 1)"
                for row in one.suppressed.tolist()
            )
            tables.append(f"{at}s({', '.join(f'l{i}' for i in range(len(names)))}, hit) as (values {rows})")
            on = " and ".join(f"{at}a.{name_in_sql(name)} = {at}s.l{i}" for i, name in enumerate(names))
            suppressed = f" left join {at}s on {on}"
    else:
        by = maps.by_combination
        deciding = list(by.values)
        written = {name: dict[int, list[str]]() for name in deciding}
        for name in deciding:
            for cell, code in _written(original.domains[name], range(len(original.domains[name])), name):
                written[name].setdefault(code, []).append(cell)
        lines = [
            (cells, [literal(maps.texts[name][codes[i].item()]) for name, codes in by.shown.items()])
            for i, values in enumerate(zip(*(by.values[name].tolist() for name in deciding), strict=True))
            for cells in _each([written[name][code] for name, code in zip(deciding, values, strict=True)])
        ]
        columns = [list(each) for each in zip(*((*cells, *texts) for cells, texts in lines), strict=True)]
        joined("m", deciding, columns[: len(deciding)], columns[len(deciding) :])
        for i, name in enumerate(by.shown):
            if name in names or name in release.shown:
                shown[name] = _or_fail(f"{at}m.l{i}", name, deciding)
    left_out = [f"{keys[name]} is null" for name in own if original.dropped and MISSING not in original.domains[name]]
    arms = [f"when {' or '.join(left_out)} then false"] if left_out else []
    for number, name in enumerate(original.sensitive):
        if shown[name] == own[name]:  # shown as it is, so that nothing else says whether the release covers it
            cells = [*_written(original.domains[name], range(len(original.domains[name])), name)]
            joined(f"x{number}", [name], [[cell for cell, _ in cells]], [["1"] * len(cells)])
            arms.append(f"when coalesce({at}x{number}.l0, {_failure(name, [name])}) = 0 then false")
    where = f"case {' '.join(arms)} else true end" if arms else "true"
    first = ", ".join(f"{expression} as {name_in_sql(name)}" for name, expression in shown.items())
    kept = "".join(f", r.{name_in_sql(name)} as {name_in_sql(name)}" for name in keep)
    tables.append(f"{at}a as (select {first}{kept} from {table} as r {' '.join(joins)} where {where})")
    last = []
    for name in (*shown, *keep):
        cell = f"{at}a.{name_in_sql(name)}"
        if name in names or name in release.shown:
            if suppressed and name in names:
                cell = f"case when {at}s.hit = 1 then {literal(str(maps.marker))} else {cell} end"
            cell = f"nullif({cell}, '')"
        last.append(f"{cell} as {name_in_sql(name)}")
    order = ", ".join(str(place + 1) for place in range(len(last)))
    made = f"with {', '.join(tables)} select {', '.join(last)} from {at}a{suppressed} order by {order}"
    if "\0" in made or any("\ud800" <= character <= "\udfff" for character in made):
        raise TableError(
            "a name or a value holds NUL or half of a character, which no SQL of every engine has; take rows().to_csv()"
        )
    return made


def _are_numbers(values: Sequence[object]) -> bool:
    """Say whether values are numbers that a column of floats may hold, in which NaN is a missing value."""
    return all(type(value) in (int, float) for value in values if value is not MISSING)


def _or_fail(label: str, name: str, names: Sequence[str]) -> str:
    """Return a label, or an expression that no engine can evaluate."""
    return f"coalesce({label}, cast({_failure(name, names)} as varchar))"


def _failure(name: str, names: Sequence[str]) -> str:
    """Return a number that no engine can evaluate: its text names the cells for which there is no label.

    It is another one for each attribute: an engine evaluates what occurs twice beforehand, for all rows.
    """
    cells = " || ', ' || ".join(f"coalesce(cast(r.{name_in_sql(name)} as varchar), 'null')" for name in names)
    told = literal(f"the release has no label of {name} for {', '.join(names)} = ")
    return f"cast({told} || {cells} as integer)"


def _each(cells: Sequence[Sequence[str]]) -> Iterator[list[str]]:
    """Return every way to take one text of each."""
    if not cells:
        yield []
        return
    for rest in _each(cells[1:]):
        yield from ([first, *rest] for first in cells[0])


def _written(domain: Domain, codes: Sequence[int], name: str) -> Iterator[tuple[str, int]]:
    """Return each value as SQL has it, with its code; a missing one is null."""
    for value, code in zip(domain.values, codes, strict=True):
        if code < 0:  # a value that no record has
            continue
        if value is MISSING:
            yield "null", code
        else:
            yield _in_sql(value, name), code


def _in_sql(value: object, name: str) -> str:
    if isinstance(value, str):
        return literal(value)
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, int):
        return str(value)
    if isinstance(value, float):
        return f"cast('{value!r}' as double)"
    if isinstance(value, Decimal) and value.is_finite():
        return f"{value:f}"
    if isinstance(value, pd.Timestamp) and not value.nanosecond:
        return f"cast('{value}' as timestamp{' with time zone' if value.tzinfo else ''})"
    if isinstance(value, (datetime.date, datetime.time)) and type(value) in (datetime.date, datetime.time):
        return f"cast('{value}' as {type(value).__name__})"
    raise TableError(f"column {name!r} has the value {value!r}, which no SQL of every engine has; write the release")


def expressions(release: Release, uncovered: str | None = None) -> list[nw.Expr]:
    """Return what shows each quasi-identifier of a frame as a release does; see `Published.expressions`."""
    import narwhals as nw

    maps, original = Maps(release), release.original
    names = list(release.recodings)
    for texts in maps.texts.values():
        if uncovered is not None and uncovered in texts:
            raise TableError(f"uncovered={uncovered!r} is what the release shows for some values; give another text")
    default: dict[str, Any] = {} if uncovered is None else {"default": uncovered}

    def place(name: str, codes: Sequence[int]) -> nw.Expr:
        """Return the text of a number for each cell of a column, by its value; an unknown one has another text."""
        pairs = list(zip(original.domains[name].values, map(str, codes), strict=True))
        empty = next((text for value, text in pairs if value is MISSING), _NOWHERE)
        known = [(value, text) for value, text in pairs if value is not MISSING]
        old, new = [value for value, _ in known], [text for _, text in known]
        column = nw.col(name)
        missing = column.is_null()
        if any(isinstance(value, float) for value in old):  # the others of a column of floats came as whole numbers
            missing, old = missing | column.is_nan(), [*map(float, old)]  # type: ignore[arg-type]
        elif not old:  # of whatever type the column is
            missing |= column.cast(nw.String).str.to_lowercase() == nw.lit("nan")
        elif MISSING in original.domains[name] and _are_numbers(old):  # or all of them
            missing |= column.is_nan()
        found = nw.lit(_NOWHERE)
        if old:  # PySpark has no map of nothing
            found = column.replace_strict(old, new, default=_NOWHERE, return_dtype=nw.String)
        return nw.when(missing).then(nw.lit(empty)).otherwise(found)

    def label(key: nw.Expr, keys: Sequence[str], texts: Sequence[str | None]) -> nw.Expr:
        """Return a text for each number: the outermost step, since engines may evaluate the branches of a condition
        where it does not hold."""
        shown = [text or None for text in texts]
        return key.replace_strict(list(keys), shown, return_dtype=nw.String, **default)

    one = maps.by_value
    if one is not None:
        changed = [*names, *release.shown]
        keys = {name: place(name, one.of[name].tolist()) for name in changed}
        if len(one.suppressed):
            hit = _joined([keys[name] for name in names]).is_in(
                [".".join(map(str, row)) for row in one.suppressed.tolist()]
            )
            keys |= {name: nw.when(hit).then(nw.lit(_SUPPRESSED)).otherwise(keys[name]) for name in names}
        found = []
        for name in changed:
            codes = sorted(set(one.of[name].tolist()) - {-1})
            texts = [maps.texts[name][code] for code in codes]
            found.append(label(keys[name], [*map(str, codes), _SUPPRESSED], [*texts, maps.marker]).alias(name))
        return found
    by = maps.by_combination
    key = _joined([place(name, range(len(original.domains[name]))) for name in by.values])
    rows = [".".join(map(str, row)) for row in zip(*(codes.tolist() for codes in by.values.values()), strict=True)]
    return [
        label(key, rows, [maps.texts[name][code] for code in codes.tolist()]).alias(name)
        for name, codes in by.shown.items()
        if name in names or name in release.shown
    ]


def _joined(keys: Sequence[nw.Expr]) -> nw.Expr:
    import narwhals as nw

    return keys[0] if len(keys) == 1 else nw.concat_str(list(keys), separator=".")
