"""A release as a file, written by DuckDB: of its counts, or joined to the rows of the files that were counted.

What is published is sorted by what it shows, so that a release's counts say all of it that its attributes show; the
rows are read once more only for further columns.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import prod
from os import PathLike, fspath
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from tcloseness.errors import InputError, TableError
from tcloseness.exact import INT64_MAX, IntArray
from tcloseness.microdata.combinations import IN_MEMORY, Combinations, Options
from tcloseness.microdata.domain import MISSING
from tcloseness.microdata.sources.duckdb import reopened
from tcloseness.microdata.sources.duckdb_cells import Cells, cells_of
from tcloseness.microdata.sources.duckdb_engine import LeftError, Opened, session
from tcloseness.microdata.text_files import separator_of
from tcloseness.release.lines import Form, LineWriter, ShownColumn, form_of, said
from tcloseness.release.maps import Maps
from tcloseness.release.release import Release
from tcloseness.release.rows import cell_text
from tcloseness.writing import draft, write_files

if TYPE_CHECKING:
    import duckdb

__all__ = ["Written", "write_lines", "write_release"]


@dataclass(frozen=True)
class Written:
    """What is in a file that was written.

    Attributes
    ----------
    rows
        How many rows it has.
    marker
        What suppressed records show in all quasi-identifiers; None if there are none.
    empty
        The attributes of which a cell is empty.
    """

    rows: int
    marker: str | None
    empty: frozenset[str]


def write_release(
    release: Release,
    file: str | PathLike[str],
    source: Any,
    *,
    keep: Sequence[str] = (),
    separator: str | None = None,
    force: bool = False,
    options: Options,
) -> None:
    """Write a release; see `Published.write`."""
    name = fspath(file)
    with draft(name, force=force) as made:
        try:
            write_lines(release, made.path, name, form_of(name), separator, options, keep=keep, source=source)
        except LeftError:
            raise TableError(
                "DuckDB does not read the source as it is meant (blanks around cells, another encoding than UTF-8, or "
                "lines of other lengths); write rows().to_csv() of a Microdata of it"
            ) from None
        write_files({name: made}, force=force)


def write_lines(
    release: Release,
    place: Path,
    name: str,
    form: Form,
    separator: str | None,
    options: Options,
    *,
    order: Sequence[str] = (),
    keep: Sequence[str] = (),
    source: Any = None,
) -> Written:
    """Write the rows of a release.

    Parameters
    ----------
    release
        The release.
    place, name
        Where they are written, and what that is called in messages.
    form, separator
        How.
    options
        How the source is read, and the limits of the engine.
    order
        The order of the columns; those that are not named come last.
    keep
        Further columns of the source.
    source
        The files that were counted, where there are such columns.

    Raises
    ------
    TableError, InputError, LimitReached, LeftError
        As `Published.write`; the last for files that only the strict reader reads as they are meant.
    """
    maps, original = Maps(release), release.original
    separator = separator_of(separator, name, "", InputError)
    rows = original.counts if original.rows is None else original.rows
    if source is None and (keep or original.rows is not None):
        what = f"the column(s) {', '.join(map(repr, keep))}" if keep else "the weights"
        raise TableError(f"{what} stand in the source alone; give it by source=, and keep= with that column")
    for each in keep:
        if each in maps.texts:
            raise TableError(f"{each!r} is an attribute of the release, which is written anyway; leave it out of keep")
    found = Written(
        int(rows.sum()), maps.marker, frozenset(each for each in maps.texts if _shows(maps, each, ""))
    )
    columns = {each: _column(release, maps, each) for each in maps.texts}
    with said(name), session(options) as connection:
        if keep:
            rows_of = _Rows(release, maps, connection, source, options)
            columns |= {each: rows_of.kept(each) for each in keep}
        names = [*(each for each in order if each in columns), *(each for each in columns if each not in order)]
        writer = LineWriter(connection, [columns[each] for each in names], form, separator)
        if not keep:
            writer.write(writer.of_codes([maps.codes[each] for each in names], rows), place, counted=True)
            return found
        number = writer.write(rows_of.joined(names), place, counted=False)
        if number != found.rows:
            rows_of.refuse(number, found.rows)
    return found


def _shows(maps: Maps, name: str, text: str) -> bool:
    return text in maps.texts[name] and bool((maps.codes[name] == maps.texts[name].index(text)).any())


def _column(release: Release, maps: Maps, name: str) -> ShownColumn:
    texts = maps.texts[name]
    values = release.original.domains[name].values
    own = name not in release.recodings and len(texts) == len(values)
    return ShownColumn(name, texts, values if own else None)


class _Rows:
    """The rows of files, with what a release shows of them."""

    def __init__(
        self, release: Release, maps: Maps, connection: duckdb.DuckDBPyConnection, source: Any, options: Options
    ) -> None:
        self.release, self.maps, self.connection = release, maps, connection
        self.opened, self.missing_texts = reopened(source, options, connection, release.original.origin.files)
        self.kept_places: dict[str, IntArray] = {}

    def _cells(self, name: str) -> Cells:
        opened: Opened = self.opened
        if opened.names.count(name) != 1:
            raise TableError(
                f"the source has {opened.names.count(name)} columns {name!r}; it has {', '.join(map(repr, opened.names))}"
            )
        place = opened.names.index(name)
        return cells_of(name, f"c{place}", opened.types[place])

    def _different(self, name: str, table: str) -> tuple[list[Any], list[Any]]:
        """Number the different cells of a column in a table of the database; return them raw and as values."""
        cells = self._cells(name)
        self.connection.execute(
            f"create temp table {table} as select v, (row_number() over () - 1)::integer as place "
            f"from (select distinct {cells.key} as v from {self.opened.columns})"
        )
        found = self.connection.execute(f"select {cells.fetched('v')} as v from {table} order by place")
        if cells.by_number:
            codes, domain = cells.of_numbers(found.fetchnumpy()["v"])
            raw = [value for (value,) in self.connection.execute(f"select v from {table} order by place").fetchall()]
        else:
            raw = [value for (value,) in found.fetchall()]
            codes, domain = cells.of_values(raw, np.arange(len(raw)))
        one = Combinations({name: (codes, domain)}, None, (name,), IN_MEMORY).without(self.missing_texts)
        codes, domain = one.columns[name]
        return raw, [domain.values[code] for code in codes.tolist()]

    def kept(self, name: str) -> ShownColumn:
        """Return a column that is shown as it is."""
        raw, values = self._different(name, f"d{len(self.kept_places)}")
        if self.opened.kind == "CSV":
            for value in raw:
                if value is not None and (value != value.strip() or "\0" in value):
                    raise LeftError
        texts = [  # 1.0 is shown so, though it is the value 1
            cell_text(cell if isinstance(cell, float) else value) for cell, value in zip(raw, values, strict=True)
        ]
        places: dict[str, int] = {}
        for text in texts:
            places.setdefault(text, len(places))
        at = np.array([places[text] for text in texts], dtype=np.int64)
        self.kept_places[name] = at
        first = np.unique(at, return_index=True)[1]
        return ShownColumn(name, list(places), [values[i] for i in first.tolist()])

    def joined(self, names: Sequence[str]) -> str:
        """Return the query of the rows' lines, the columns in this order."""
        maps, original = self.maps, self.release.original
        number = {name: i for i, name in enumerate(names)}
        quasi = list(self.release.recodings)
        shown: dict[str, str] = {}
        joins: list[str] = []
        for i, name in enumerate(self.kept_places):
            self._map(f"m{number[name]}", f"d{i}", number[name], self.kept_places[name], None)
        one = maps.by_value
        deciding = quasi if one is not None else list(maps.by_combination.values)
        sizes = [(len(maps.texts[name]) if one is not None else len(original.domains[name])) + 1 for name in deciding]
        self._require_key(sizes)
        for name in maps.texts:
            raw = f"v{number[name]}"
            codes = self._values(name, raw)
            places = None if one is None and name in maps.by_combination.shown else (
                np.arange(len(original.domains[name])) if one is None else one.of[name]
            )
            factor = prod(sizes[deciding.index(name) + 1 :]) if name in deciding else None
            known = codes >= 0
            of_row = None if places is None else np.where(known, places[codes], -1)
            parts = None
            if factor is not None:
                base = codes if one is None else of_row
                parts = [int(code) * factor for code in base.tolist()]  # type: ignore[union-attr]
            self._map(f"m{number[name]}", raw, number[name], of_row, parts, known)
        key = " + ".join(f"m{number[name]}.p" for name in deciding)
        for name in names:
            joins.append(f"join m{number[name]} on {self._cells(name).key} is not distinct from m{number[name]}.v")
            shown[name] = f"m{number[name]}.l"
        if one is not None:
            if len(one.suppressed):
                keys = [self._key(row, sizes) for row in one.suppressed.tolist()]
                self.connection.execute("create temp table hit as select unnest(?) as k", [keys])
                joins.append(f"left join hit on hit.k = {key}")
                mark = str(maps.marker).replace("'", "''")
                for name in quasi:
                    shown[name] = f"case when hit.k is null then {shown[name]} else '{mark}'::e{number[name]} end"
        else:
            by = maps.by_combination
            rows = zip(*(by.values[name].tolist() for name in deciding), strict=True)
            self._combined([self._key(row, sizes) for row in rows], {number[n]: by.shown[n] for n in by.shown})
            joins.append(f"join combined on combined.k = {key}")
            shown |= {name: f"combined.l{number[name]}" for name in by.shown}
        cells = ", ".join(f"{shown[name]} as l{number[name]}" for name in names)
        return f"select {cells} from {self.opened.columns} {' '.join(joins)}"

    def _require_key(self, sizes: Sequence[int]) -> None:
        if prod(sizes) >= 2**126:
            raise TableError(
                "the combinations of the quasi-identifiers' values cannot be numbered, as there are more than 2¹²⁶; "
                "take rows().to_csv()"
            )

    @staticmethod
    def _key(row: Sequence[int], sizes: Sequence[int]) -> int:
        key = 0
        for code, size in zip(row, sizes, strict=True):
            key = key * size + int(code)
        return key

    def _values(self, name: str, table: str) -> IntArray:
        """Number the cells of an attribute that may be in the source; return the codes of their values, or −1."""
        domain = self.release.original.domains[name]
        if self.opened.kind == "CSV":
            pairs: list[tuple[str | None, int]] = []
            empty = None if "" in self.missing_texts else ""
            for code, value in enumerate(domain.values):
                if value is MISSING:
                    pairs += [(text or None, code) for text in {"", *self.missing_texts} if text or empty is None]
                else:
                    pairs.append((None if value == empty else str(value), code))
            self.connection.execute(
                f"create temp table {table} as select encode(v) as v, place::integer as place "
                "from (select unnest(?::varchar[]) as v, unnest(?) as place)",
                [[text for text, _ in pairs], [*range(len(pairs))]],
            )
            return np.array([code for _, code in pairs], dtype=np.int64)
        _, values = self._different(name, table)
        return np.array([domain.code(value) if value in domain else -1 for value in values], dtype=np.int64)

    def _map(
        self,
        table: str,
        raw: str,
        number: int,
        places: IntArray | None,
        parts: Sequence[int] | None,
        known: np.ndarray[Any, np.dtype[np.bool_]] | None = None,
    ) -> None:
        """Make the map of a column's cells to texts, and to their part of the key of a combination."""
        size = len(places) if places is not None else len(parts or ())
        chosen = np.arange(size) if known is None else np.flatnonzero(known)
        lists: list[list[int]] = [chosen.tolist()]
        columns = ["unnest(?) as place"]
        if places is not None:
            lists.append(places[chosen].tolist())
            columns.append("unnest(?) as text")
        if parts is not None:
            lists.append([parts[i] for i in chosen.tolist()])
            columns.append("unnest(?) as p")
        label = "" if places is None else f", t{number}.l"
        part = "" if parts is None else ", given.p"
        to_text = "" if places is None else f" join t{number} on t{number}.code = given.text"
        self.connection.execute(
            f"create temp table {table} as select raw.v{label}{part} from {raw} raw "
            f"join (select {', '.join(columns)}) given on raw.place = given.place{to_text}",
            lists,
        )

    def _combined(self, keys: Sequence[int], shown: dict[int, IntArray]) -> None:
        columns = ", ".join(f"unnest(?) as c{number}" for number in shown)
        labels = ", ".join(f"t{number}.l as l{number}" for number in shown)
        joins = " ".join(f"join t{number} on t{number}.code = given.c{number}" for number in shown)
        self.connection.execute(
            f"create temp table combined as select k, {labels} from (select unnest(?) as k, {columns}) given {joins}",
            [list(keys), *(codes.tolist() for codes in shown.values())],
        )

    def refuse(self, found: int, expected: int) -> None:
        """Raise `TableError` for rows that the release does not cover, or that it was not made from."""
        for place, name in enumerate(self.maps.texts):
            domain = self.release.original.domains[name]
            _, values = self._different(name, f"different{place}")
            for value in values:
                if value not in domain and not (value is MISSING and self.release.original.dropped):
                    raise TableError(
                        f"column {name!r} of {self.opened.where} has the value {value!r}, for which the release has no "
                        "label; give the table that it was made from"
                    )
        raise TableError(
            f"{self.opened.where} has {found:,} rows that the release covers, and that was made from {expected:,}; "
            "give the table that it was made from"
        )
