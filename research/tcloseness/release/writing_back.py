"""A release as a file, written by DuckDB: of its counts, or joined to the rows of the files that were counted.

What is published is sorted by what it shows, so that a release's counts say all of it that its attributes show; the
rows are read once more only for further columns.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import prod
from os import PathLike, fspath
from pathlib import Path
from typing import Any, NoReturn

import numpy as np

from tcloseness.errors import InputError, TableError
from tcloseness.exact import IntArray
from tcloseness.microdata.combinations import IN_MEMORY, Combinations, Options
from tcloseness.microdata.domain import MISSING
from tcloseness.microdata.sources.duckdb import is_odd, reopened
from tcloseness.microdata.sources.duckdb_cells import cells_of
from tcloseness.microdata.sources.duckdb_engine import LeftError, session
from tcloseness.microdata.sources.files import is_paths, paths_of, same_files
from tcloseness.microdata.text_files import separator_of
from tcloseness.microdata.values import plain_value
from tcloseness.release.lines import Form, LineWriter, ShownColumn, form_of, literal, said
from tcloseness.release.maps import Maps
from tcloseness.release.release import Release
from tcloseness.release.rows import AnonymizedTable, cell_text
from tcloseness.writing import draft, write_files

__all__ = ["Written", "write_lines", "write_release", "write_rows"]


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
    name, inputs = fspath(file), paths_of(source) if is_paths(source) and source != "-" else []
    if not name.isascii() and name != name.encode(errors="replace").decode():  # DuckDB writes it, and speaks UTF-8
        raise InputError(f"file {name!a} cannot be written: its name holds half of a character; give another")
    form = form_of(name)
    if form == "Parquet" and separator is not None:
        raise InputError(f"separator={separator!r} cannot apply: file {name} is Parquet; leave separator out")
    if source is None:
        options.refuse("no source is given, so that none is read", "encoding", "missing_texts")
        if options.separator is not None:
            raise InputError(
                f"source_separator={options.separator!r} cannot apply: no source is given; leave source_separator out"
            )
    with draft(name, force=force, inputs=inputs) as made:
        try:
            write_lines(release, made.path, name, form, separator, options, keep=keep, source=source)
        except LeftError:
            raise TableError(
                "DuckDB does not read the source as it is meant (blanks around cells, another encoding than UTF-8, or "
                "lines of other lengths); write rows().to_csv() of a Microdata of it"
            ) from None
        write_files({name: made}, force=force, inputs=inputs)


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
    files: Sequence[tuple[str, str]] = (),
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
    files
        The name and the sha256 of each, where the release does not know them.

    Raises
    ------
    TableError, InputError, LimitReached, LeftError
        As `Published.write`; the last for files that only the strict reader reads as they are meant.
    """
    maps, original = Maps(release), release.original
    separator = separator_of(separator, name, "", InputError)
    rows = original.counts if original.rows is None else original.rows
    if (source is None and keep) or (original.rows is not None and not (source is not None and keep)):
        what = f"the column(s) {', '.join(map(repr, keep))}" if keep else "the weights"
        raise TableError(f"{what} stand in the source alone; give it by source=, and keep= with that column")
    for each in keep:
        if each in maps.texts:
            raise TableError(f"{each!r} is an attribute of the release, which is written anyway; leave it out of keep")
        if keep.count(each) > 1:
            raise TableError(f"keep names column {each!r} more than once; name it once")
    if source is not None and not keep:  # nothing is read of it
        same_files(source, original.origin.files or files)
    found = Written(int(rows.sum()), maps.marker, frozenset(each for each in maps.texts if _shows(maps, each, "")))
    known = [*maps.texts, *keep]
    names = [*(each for each in order if each in known), *(each for each in known if each not in order)]
    with said(name), session(options) as connection:
        writer = LineWriter(connection, names, form, separator)
        for each in maps.texts:
            writer.add(_column(release, maps, each))
        if keep:
            lines, counted = _Rows(release, maps, writer, source, files, options).lines(keep, found.rows), False
        else:
            lines, counted = writer.of_codes([maps.codes[each] for each in names], rows), True
        writer.write(lines, place, counted=counted)
    return found


def write_rows(
    rows: AnonymizedTable,
    place: Path,
    name: str,
    typed: Mapping[str, Sequence[object]] | None = None,
    options: Options | None = None,
) -> None:
    """Write rows of texts as Parquet.

    Parameters
    ----------
    rows
        The rows.
    place, name
        Where they are written, and what that is called in messages.
    typed
        By column the values of the cells, where these are to be written in place of texts, in any order.
    options
        The limits of the engine.

    Raises
    ------
    InputError, LimitReached
        As `Published.write`.
    """
    with said(name), session(options or Options()) as connection:
        writer = LineWriter(connection, list(rows.columns), "Parquet", ",")
        codes = []
        for each, cells in rows.columns.items():
            places = {text: at for at, text in enumerate(dict.fromkeys(cells))}
            values: dict[str, object] = {}
            for value in (typed or {}).get(each, ()):
                plain = value if isinstance(value, float) else plain_value(value)  # 1.0 is a float still
                values |= {cell_text(plain): plain, cell_text(value): plain}
            known = [*map(values.get, places)] if values.keys() >= places.keys() else None
            writer.add(ShownColumn(each, list(places), known))
            codes.append(np.fromiter(map(places.__getitem__, cells), dtype=np.int64, count=len(cells)))
        writer.write(writer.of_codes(codes, np.ones(len(rows), dtype=np.int64)), place, counted=True)


def _shows(maps: Maps, name: str, text: str) -> bool:
    return text in maps.texts[name] and bool((maps.codes[name] == maps.texts[name].index(text)).any())


def _column(release: Release, maps: Maps, name: str) -> ShownColumn:
    texts = maps.texts[name]
    values = release.original.domains[name].values
    own = name not in release.recodings and len(texts) == len(values)
    return ShownColumn(name, texts, values if own else None)


class _Rows:
    """The rows of files, with what a release shows of them.

    Raises
    ------
    TableError, LeftError
        As `tcloseness.microdata.sources.duckdb.reopened`.
    """

    def __init__(
        self,
        release: Release,
        maps: Maps,
        writer: LineWriter,
        source: Any,
        files: Sequence[tuple[str, str]],
        options: Options,
    ) -> None:
        self.release, self.maps, self.writer, self.connection = release, maps, writer, writer.connection
        known = release.original.origin.files or files
        self.opened, self.missing_texts = reopened(source, options, self.connection, known)

    def lines(self, keep: Sequence[str], rows: int) -> str:
        """Return the query of the lines: the rows are read once, into a table of labels and of what is kept.

        Raises
        ------
        TableError
            If there are not so many rows that the release covers.
        """
        held = {name: self._cells(name, "") for name in keep}  # says first what the source does not have
        shown, joins = self._labels()
        raw = [f"{cells.column} as k{i}" for i, cells in enumerate(held.values())]
        self.connection.execute(
            f"create temp table held as select {', '.join([*shown, *raw])} from {self.opened.columns} {' '.join(joins)}"
        )
        found = self.connection.execute("select count(*) from held").fetchall()[0][0]
        if found != rows:
            self._refuse(found, rows)
        cells = [f"held.l{self._number(name)}" for name in self.maps.texts]
        joins = []
        for i, name in enumerate(keep):
            of, number = self._cells(name, f"held.k{i}"), self._number(name)
            self._keep(of, f"d{number}", f"m{number}")
            cells.append(f"m{number}.l as l{number}")
            joins.append(f"join m{number} on {of.key} is not distinct from m{number}.v")
        return f"select {', '.join(cells)} from held {' '.join(joins)}"

    def _number(self, name: str) -> int:
        return self.writer.names.index(name)

    def _cells(self, name: str, column: str) -> _Key:
        names = self.opened.names
        if names.count(name) != 1:
            raise TableError(
                f"the source has {names.count(name)} columns {name!r}; its columns are {', '.join(map(repr, names))}"
            )
        place = names.index(name)
        return _Key(name, column or f"c{place}", self.opened.types[place])

    def _different(self, cells: _Key, table: str, source: str) -> tuple[list[Any], list[Any]]:
        """Number the different cells of a column in a table of the database; return them raw and as values."""
        self.connection.execute(
            f"create temp table {table} as select v, (row_number() over () - 1)::integer as place "
            f"from (select distinct {cells.key} as v from {source})"
        )
        raw = [value for (value,) in self.connection.execute(f"select v from {table} order by place").fetchall()]
        if cells.of.by_number:
            found = self.connection.execute(f"select v from {table} order by place").fetchnumpy()["v"]
            codes, domain = cells.of.of_numbers(found)
        else:
            codes, domain = cells.of.of_values(raw, np.arange(len(raw)))
        one = Combinations({cells.of.name: (codes, domain)}, None, (cells.of.name,), IN_MEMORY)
        codes, domain = one.without(self.missing_texts).columns[cells.of.name]
        return raw, [domain.values[code] for code in codes.tolist()]

    def _keep(self, cells: _Key, raw: str, table: str) -> None:
        """Add a column that is shown as it is, and make the map of its cells to their texts."""
        found, values = self._different(cells, raw, "held")
        if self.opened.kind == "CSV":
            for value in found:
                if value is not None and is_odd(value):
                    raise LeftError
        shown = [cell if isinstance(cell, float) else value for cell, value in zip(found, values, strict=True)]
        texts = [*map(cell_text, shown)]  # 1.0 is shown so, though it is the value 1
        places: dict[str, int] = {}
        for text in texts:
            places.setdefault(text, len(places))
        at = np.array([places[text] for text in texts], dtype=np.int64)
        first = np.unique(at, return_index=True)[1].tolist()
        self.writer.add(ShownColumn(cells.of.name, list(places), [shown[i] for i in first]))
        self._map(table, raw, self._number(cells.of.name), {"text": at.tolist()}, np.arange(len(at)))

    def _labels(self) -> tuple[list[str], list[str]]:
        """Return what is shown of each attribute, and the joins that it takes."""
        maps, original = self.maps, self.release.original
        quasi, one = list(self.release.recodings), maps.by_value
        by = None if one is not None else maps.by_combination
        deciding = quasi if by is None else list(by.values)
        sizes = [(len(maps.texts[name]) if by is None else len(original.domains[name])) + 1 for name in deciding]
        if prod(sizes) >= 2**126:
            raise TableError(
                "the combinations of the quasi-identifiers' values cannot be numbered, since there could be more than "
                "2¹²⁶; take rows().to_csv()"
            )
        whole = "bigint" if prod(sizes) < 2**63 else "hugeint"  # holds the sums of the parts
        shown: dict[str, str] = {}
        joins: list[str] = []
        for name in maps.texts:
            number, cells = self._number(name), self._cells(name, "")
            codes = self._values(cells, f"d{number}")
            texts = one.of[name] if one is not None else np.arange(len(original.domains[name]))
            given: dict[str, list[int]] = {}
            if by is None or name not in by.shown:
                given["text"] = texts[codes].tolist()
                shown[name] = f"m{number}.l"
            if name in deciding:
                factor = prod(sizes[deciding.index(name) + 1 :])
                given["p"] = [code * factor for code in (codes if one is None else texts[codes]).tolist()]
            self._map(f"m{number}", f"d{number}", number, given, np.flatnonzero(codes >= 0), whole)
            joins.append(f"join m{number} on {cells.key} is not distinct from m{number}.v")
        key = " + ".join(f"m{self._number(name)}.p" for name in deciding)
        if by is not None:
            keys = [_numbered(row, sizes) for row in zip(*(each.tolist() for each in by.values.values()), strict=True)]
            self._combined(keys, {self._number(name): by.shown[name].tolist() for name in by.shown})
            joins.append(f"join combined on combined.k = {key}")
            shown |= {name: f"combined.l{self._number(name)}" for name in by.shown}
        elif one is not None and len(one.suppressed):
            keys = [_numbered(row, sizes) for row in one.suppressed.tolist()]
            self.connection.execute("create temp table hit as select unnest(?) as k", [keys])
            joins.append(f"left join hit on hit.k = {key}")
            for name in quasi:
                marker = f"{literal(self.writer.cell(str(maps.marker)))}::e{self._number(name)}"
                shown[name] = f"case when hit.k is null then {shown[name]} else {marker} end"
        return [f"{shown[name]} as l{self._number(name)}" for name in maps.texts], joins

    def _values(self, cells: _Key, table: str) -> IntArray:
        """Number the cells of an attribute that may be in the source; return the codes of their values, or −1.

        Raises
        ------
        LeftError
            For values with blanks around them.
        """
        domain = self.release.original.domains[cells.of.name]
        if self.opened.kind != "CSV":
            values = self._different(cells, table, self.opened.columns)[1]
            return np.array([domain.code(value) if value in domain else -1 for value in values], dtype=np.int64)
        pairs: list[tuple[str | None, int]] = []
        for code, value in enumerate(domain.values):
            if is_odd(str(value)):  # in a cell it may be the value without blanks
                raise LeftError
            if value is not MISSING:
                pairs.append((str(value) or None, code))
            else:
                pairs += [(text or None, code) for text in self.missing_texts]
        self.connection.execute(
            f"create temp table {table} as select v, place::integer as place "
            "from (select unnest(?::varchar[]) as v, unnest(?) as place)",
            [[text for text, _ in pairs], [*range(len(pairs))]],
        )
        return np.array([code for _, code in pairs], dtype=np.int64)

    def _map(
        self, table: str, raw: str, number: int, given: dict[str, list[int]], chosen: IntArray, whole: str = "bigint"
    ) -> None:
        """Make the map of cells to places of texts (`text`), and to their part of a combination's number (`p`)."""
        columns = "".join(f", unnest(?) as {name}" for name in given)
        label = f", t{number}.l" if "text" in given else ""
        part = f", given.p::{whole} as p" if "p" in given else ""
        texts = f" join t{number} on t{number}.code = given.text" if label else ""
        self.connection.execute(
            f"create temp table {table} as select raw.v{label}{part} from {raw} raw "
            f"join (select unnest(?) as place{columns}) given on raw.place = given.place{texts}",
            [chosen.tolist(), *([each[i] for i in chosen.tolist()] for each in given.values())],
        )

    def _combined(self, keys: Sequence[int], shown: dict[int, list[int]]) -> None:
        columns = ", ".join(f"unnest(?) as c{number}" for number in shown)
        labels = ", ".join(f"t{number}.l as l{number}" for number in shown)
        joins = " ".join(f"join t{number} on t{number}.code = given.c{number}" for number in shown)
        self.connection.execute(
            f"create temp table combined as select k, {labels} from (select unnest(?) as k, {columns}) given {joins}",
            [list(keys), *shown.values()],
        )

    def _refuse(self, found: int, expected: int) -> NoReturn:
        """Raise `TableError` for rows that the release does not cover, or that it was not made from.

        `LeftError` where that may be for blanks around cells.
        """
        for number, name in enumerate(self.maps.texts):
            domain = self.release.original.domains[name]
            raw, values = self._different(self._cells(name, ""), f"different{number}", self.opened.columns)
            if self.opened.kind == "CSV" and any(is_odd(cell) for cell in raw if cell is not None):
                raise LeftError
            for value in values:
                if value not in domain and not (value is MISSING and self.release.original.dropped):
                    raise TableError(
                        f"column {name!r} of {self.opened.where} has the value {value!r}, for which the release has no "
                        "label; give the table that it was made from"
                    )
        raise TableError(
            f"the release covers {found:,} rows of {self.opened.where}, and was made from {expected:,}; give the table "
            "that it was made from"
        )


class _Key:
    """By what the cells of a column are joined; texts as they are, since no file has a collation."""

    def __init__(self, name: str, column: str, type_: Any) -> None:
        self.of = cells_of(name, column, type_, collated=False)
        self.column = column
        self.key = f"{column}::varchar" if self.of.kind in ("varchar", "enum") else self.of.key


def _numbered(row: Sequence[int], sizes: Sequence[int]) -> int:
    """Return the number of a combination."""
    key = 0
    for code, size in zip(row, sizes, strict=True):
        key = key * size + int(code)
    return key
