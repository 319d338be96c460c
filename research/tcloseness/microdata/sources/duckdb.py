"""DuckDB: files of CSV, TSV and Parquet, relations of a database, and frames of Arrow and Polars.

Text files are read strictly: nothing is detected, columns are taken by their places, and cells stay text. What DuckDB
refuses, or would read otherwise than the strict reader, is left to that reader, which reads it or says why.
"""

from __future__ import annotations

import csv
import gzip
import os
import re
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pandas as pd

from tcloseness.errors import TableError
from tcloseness.microdata.combinations import Coded, Combinations, Options, Origin, missing_texts_of
from tcloseness.microdata.domain import MISSING, Domain
from tcloseness.microdata.roles import require_columns
from tcloseness.microdata.sources.duckdb_engine import (
    LeftError,
    Opened,
    counted,
    refused_by_engine,
    rows_of,
    said,
    session,
)
from tcloseness.microdata.sources.files import (
    TableFile,
    begins_as,
    is_paths,
    named,
    paths_of,
    same_columns,
    same_files,
    scanned,
)
from tcloseness.microdata.sources.pandas import combine as combine_rows
from tcloseness.microdata.text_files import separator_of

if TYPE_CHECKING:
    import duckdb

__all__ = ["combine", "is_odd", "names", "parquet_rows", "reopened", "rows", "takes"]

_POLARS_ALONE = ("Object", "Int128", "UInt128")
"""Types of Polars that Arrow does not have."""

SMALL = 2**18
"""Text files of at most so many bytes are read by the strict reader, which has them before an engine is ready."""

_ROWS = "tcloseness_rows"


def takes(source: object) -> bool:
    """Say whether a source is a file, several, a relation of DuckDB, or a frame of Arrow or Polars in memory."""
    return is_paths(source) or hasattr(source, "read") or _is_relation(source) or _frame_of(source) is not None


def _is_relation(source: object) -> bool:
    return type(source).__name__ == "DuckDBPyRelation"


def _frame_of(source: object) -> str | None:
    """Return what kind of frame a source is that DuckDB scans in memory; None for others."""
    for each in type(source).__mro__:
        room, name = each.__module__.partition(".")[0], each.__name__
        if room == "pyarrow" and name in ("Table", "RecordBatch", "Dataset", "RecordBatchReader"):
            return "Arrow"
        if room == "polars" and name == "DataFrame":
            return "Polars"
    return None


def combine(source: Any, columns: Mapping[str, str], options: Options) -> Combinations:
    """Return the distinct combinations of some columns' cells, counted by DuckDB; `columns` are the columns' roles.

    Raises
    ------
    TableError
        For a source that cannot be read, or columns that it lacks or whose cells cannot be values.
    """
    if hasattr(source, "read") or (isinstance(source, str) and source == "-"):
        return _by_rows([source], (), columns, options)
    if is_paths(source):
        return _of_files(paths_of(source), columns, options)
    texts = missing_texts_of(options.missing_texts or ())
    with _opened(source, options, columns) as opened:
        return counted(opened, columns, texts).without(texts)


def rows(source: Any, options: Options) -> pd.DataFrame:
    """Return the rows of a table in their order.

    Raises
    ------
    TableError
        As `combine`.
    """
    from tcloseness.microdata.sources.strict import read_table

    texts = options.missing_texts
    if hasattr(source, "read") or is_paths(source):
        given: list[Any] = [source] if hasattr(source, "read") or source == "-" else paths_of(source)
        named = {"separator": options.separator, "encoding": options.encoding}
        absent = ("",) if texts is None else texts
        frames = [
            _unpacked_rows(each, options) if _is_zstd(each) else read_table(each, missing_texts=absent, **named)
            for each in given
        ]
        if len(frames) > 1:
            same_columns(given, [list(frame.columns) for frame in frames])
        return frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)
    with _opened(source, options, {}) as opened:
        frame = rows_of(opened)
    return frame if not texts else read_table(frame, missing_texts=texts)


def _is_zstd(path: object) -> bool:
    return isinstance(path, (str, os.PathLike)) and path != "-" and begins_as(str(path))[1] == "zstd"


def _unpacked_rows(path: Any, options: Options) -> pd.DataFrame:
    """Return the rows of a text file that DuckDB alone unpacks; what it refuses, the strict reader refuses by name."""
    from tcloseness.microdata.sources.strict import read_table

    texts = ("",) if options.missing_texts is None else options.missing_texts
    try:
        with session(options) as connection, refused_by_engine(options):
            file = scanned(str(path))
            opened, separator = _open_text(connection, [file], options)
            frame = rows_of(opened)
            cells = [cell for name in range(frame.shape[1]) for cell in frame.iloc[:, name].dropna().unique()]
            if not cells or _has_long_rows(connection, [file], separator, frame.shape[1]) or any(map(is_odd, cells)):
                raise LeftError
    except LeftError:
        return read_table(path, separator=options.separator, encoding=options.encoding, missing_texts=texts)
    return read_table(frame if "" in texts else frame.fillna(""), missing_texts=texts)


def names(source: Any, options: Options) -> tuple[str, ...]:
    """Return the names of the columns of files; a text file whose header is not plain is read for them.

    Raises
    ------
    TableError
        As `combine`.
    """
    given = options if options.missing_texts is not None else replace(options, missing_texts=("",))
    path = paths_of(source)[0] if is_paths(source) else ""
    kind, compression = begins_as(path) if path else (None, "none")
    file = TableFile(path, "", kind, compression)
    if kind == "Parquet":
        with session(options) as connection, said(f"file {path}", options, "is not a whole Parquet file"):
            return _parquet(connection, [file]).names
    if kind == "CSV" and _is_utf8(options.encoding):
        separator = separator_of(options.separator, path, "", TableError)
        try:
            if compression != "zstd":
                return tuple(_header(None, file, separator))
            with session(options) as connection:
                return tuple(_header(connection, file, separator))
        except LeftError:
            pass
    return tuple(map(str, rows(path or source, given).columns))


def parquet_rows(path: str, where: str) -> pd.DataFrame:
    """Return the rows of a Parquet file, which messages call `where`."""
    options = Options()
    file = TableFile(path, "", "Parquet", "none")
    with session(options) as connection, said(where, options, "is not a whole Parquet file"):
        return rows_of(_parquet(connection, [file]))


@contextmanager
def _opened(source: Any, options: Options, columns: Mapping[str, str]) -> Iterator[Opened]:
    """Open a relation, or a frame in memory, some columns of which are to be read."""
    where = "the table is a relation" if _is_relation(source) else f"the table is a frame of {_frame_of(source)}"
    options.refuse(f"{where}, not a text file", "separator", "encoding")
    if _is_relation(source):
        options.refuse(f"{where}, whose connection has its own", "memory", "threads", "temporary")
        view = f"{_ROWS}_{secrets.token_hex(6)}"

        def run(statement: str) -> Any:
            return source.query(view, statement)

        with said("the relation", options):
            names, types = tuple(source.columns), tuple(source.types)
            try:
                yield Opened("relation of DuckDB", "the relation", view, names, types, run, collated=True)
            finally:
                run(f"drop view if exists {view}")  # DuckDB 1.4 leaves it there
        return
    names = tuple(source.columns if _frame_of(source) == "Polars" else source.schema.names)  # DuckDB's may be others
    read = require_columns(names, columns)
    try:
        table = _arrow_of(source, read)
    except ImportError as error:
        raise TableError(f"{where}, which needs pyarrow: python -m pip install pyarrow") from error
    with session(options) as connection, said("the frame", options):
        yield Opened(str(_frame_of(source)), "the frame", _ROWS, names, _types(connection, table), connection.sql)


def _types(connection: duckdb.DuckDBPyConnection, table: Any) -> tuple[Any, ...]:
    """Register a frame of Arrow and return DuckDB's types of its columns.

    Raises
    ------
    TableError
        For a column whose type DuckDB does not have: it scans none of the frame's then.
    """
    import duckdb
    import pyarrow as pa

    try:
        connection.register(_ROWS, table)
        return tuple(connection.table(_ROWS).types)
    except (duckdb.Error, pa.ArrowException):
        for field in table.schema:
            try:
                connection.register(_ROWS, pa.schema([field]).empty_table())
                connection.table(_ROWS)
            except (duckdb.Error, pa.ArrowException) as error:
                raise TableError(
                    f"column {field.name!r} of the frame is of type {field.type}, which DuckDB does not have; make it "
                    "a text or a number in the frame, or give the frame without it"
                ) from error
        raise


def _arrow_of(source: Any, read: Sequence[str]) -> Any:
    """Return a frame as one of Arrow that DuckDB can scan more than once.

    Raises
    ------
    TableError
        For a column that is to be read and has no type of Arrow, or a stream that does not end well.
    """
    if _frame_of(source) != "Polars":
        try:
            return source.read_all() if hasattr(source, "read_all") else source
        except Exception as error:  # whatever the stream raises
            raise TableError(f"the stream of Arrow ends with {type(error).__name__}; read it by itself") from error
    foreign = {name: dtype for name, dtype in source.schema.items() if str(dtype) in _POLARS_ALONE}
    for name in read:
        if name in foreign:
            raise TableError(
                f"column {name!r} is of type {foreign[name]}, which cannot be values elsewhere: make it a text or a "
                "number in the frame, or leave the column out"
            )
    return source.with_columns(**dict.fromkeys(foreign)).to_arrow()


# ---------------------------------------------------------------------- files


def _of_files(paths: list[str], columns: Mapping[str, str], options: Options) -> Combinations:
    texts = missing_texts_of(("",) if options.missing_texts is None else options.missing_texts)
    files = [scanned(path) for path in paths]
    kinds = {file.kind for file in files}
    if kinds == {"Parquet"}:
        options.refuse(f"file {paths[0]} is Parquet, not a text file", "separator", "encoding")
        with session(options) as connection, said(named(files), options, "is not a whole Parquet file"):
            return _with_files(counted(_parquet(connection, files), columns, texts), files).without(texts)
    large = sum(os.path.getsize(path) for path in paths) > SMALL or any(file.compression == "zstd" for file in files)
    large = large or options.memory is not None or options.threads is not None  # which only an engine obeys
    if kinds == {"CSV"} and _is_utf8(options.encoding) and large:
        try:
            with session(options) as connection, refused_by_engine(options):
                return _with_files(_text(connection, files, columns, options, texts), files)
        except LeftError:
            pass
    return _by_rows(paths, files, columns, options)


def _with_files(found: Combinations, files: Sequence[TableFile]) -> Combinations:
    return replace(found, origin=replace(found.origin, files=tuple((file.path, file.sha256) for file in files)))


def _is_utf8(encoding: str | None) -> bool:
    return encoding is None or encoding.lower().replace("_", "-") in ("utf-8", "utf8", "utf-8-sig")


def _by_rows(
    sources: Sequence[Any], files: Sequence[TableFile], columns: Mapping[str, str], options: Options
) -> Combinations:
    """Read text files by the strict reader, and return their rows."""
    from tcloseness.microdata.sources.strict import read_table

    texts = ("",) if options.missing_texts is None else options.missing_texts
    frames = [
        read_table(source, separator=options.separator, encoding=options.encoding, missing_texts=texts)
        for source in sources
    ]
    if files:
        same_columns([file.path for file in files], [list(frame.columns) for frame in frames])
    frame = frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)
    origin = Origin(
        "text file" if len(frames) == 1 else "text files",
        f"strict reader, pandas {pd.__version__}",
        files=tuple((file.path, file.sha256) for file in files),
        rows=len(frame),
    )
    return combine_rows(frame, columns, origin=origin)


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _list_of(files: Sequence[TableFile]) -> str:
    """Return the paths as DuckDB reads them: it takes some characters for a pattern, and ``~`` for a folder."""
    paths = [re.sub(r"[*?\[]", lambda found: f"[{found[0]}]", os.path.join(os.getcwd(), file.path)) for file in files]
    return f"[{', '.join(map(_literal, paths))}]"


def _parquet(connection: duckdb.DuckDBPyConnection, files: Sequence[TableFile]) -> Opened:
    """Open Parquet files, whose columns are taken by their places and called as the files call them."""
    listed = _list_of(files)
    asked = "name, num_children, type, type_length, converted_type, logical_type, scale, precision"
    heads = [
        _top_level(connection.execute(f"select {asked} from parquet_schema({_list_of([file])})").fetchall())
        for file in files
    ]
    paths = [file.path for file in files]
    same_columns(paths, [[name for name, *_ in each] for each in heads])
    same_columns(paths, [[(name, *rest) for name, *rest in each] for each in heads], "types of columns")
    text = f"read_parquet({listed}, hive_partitioning=false)"
    types = tuple(connection.sql(f"from {text}").types)
    zoned = [str(each.id) == "time with time zone" for each in types]
    if any(zoned):  # times of the day that a file says to be in UTC, all of them
        shown = ", ".join(f"c{place}{'::TIME' * zone} as c{place}" for place, zone in enumerate(zoned))
        text = f"(select {shown} from {text} as t({', '.join(f'c{place}' for place in range(len(zoned)))}))"
        types = tuple(connection.sql(f"from {text}").types)
    names = tuple(str(name) for name, *_ in heads[0])
    return Opened("Parquet", named(files), text, names, types, connection.sql)


def _top_level(schema: Sequence[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    """Return the columns of a Parquet schema, which lists a tree from its root on, each before what is in it."""
    found, place = [], 1

    def after(place: int) -> int:
        inside, place = schema[place][1] or 0, place + 1
        for _ in range(inside):
            place = after(place)
        return place

    for _ in range(schema[0][1] or 0):
        found.append(schema[place])
        place = after(place)
    return found


def _open_text(
    connection: duckdb.DuckDBPyConnection, files: Sequence[TableFile], options: Options
) -> tuple[Opened, str]:
    """Open text files, and return what separates their cells."""
    separators = [separator_of(options.separator, file.path, "", TableError) for file in files]
    if len(set(separators)) > 1:
        raise LeftError
    heads = [_header(connection, file, separators[0]) for file in files]
    same_columns([file.path for file in files], heads)
    names = heads[0]
    compressions = {file.compression for file in files}
    if len(names) < 2 or len(compressions) > 1:
        raise LeftError
    listed = ", ".join(f"'c{place}': 'VARCHAR'" for place in range(len(names)))
    text = (
        f"read_csv({_list_of(files)}, auto_detect=false, header=true, delim={_literal(separators[0])}, quote='\"', "
        f"escape='\"', columns={{{listed}}}, nullstr='', strict_mode=true, compression={_literal(*compressions)}, "
        "hive_partitioning=false)"
    )
    kind = connection.sql("select ''").types[0]
    return Opened("CSV", named(files), text, tuple(names), (kind,) * len(names), connection.sql), separators[0]


def _text(
    connection: duckdb.DuckDBPyConnection,
    files: Sequence[TableFile],
    columns: Mapping[str, str],
    options: Options,
    texts: frozenset[str],
) -> Combinations:
    opened, separator = _open_text(connection, files, options)
    found = counted(opened, columns, texts, whole=files[0].compression != "none")
    if not found.rows or _has_long_rows(connection, files, separator, len(opened.names)):
        raise LeftError
    for _, domain in found.columns.values():
        for value in domain.values:
            if isinstance(value, str) and is_odd(value):
                raise LeftError  # blanks around a cell are not part of it, unless it is quoted
    if "" not in texts:  # an empty cell is a value
        empty = {name: _filled(each) for name, each in found.columns.items()}
        found = replace(found, columns=empty)
    return found.without(texts - {""})


def is_odd(cell: str) -> bool:
    """Say whether a cell has blanks around it, which are not part of it unless it is quoted, or a NUL."""
    return cell != cell.strip() or "\0" in cell


def _filled(coded: Coded) -> Coded:
    codes, domain = coded
    if MISSING not in domain:
        return coded
    target, places = Domain.numbered(["" if value is MISSING else value for value in domain.values])
    return places.astype(codes.dtype)[codes], target


def _lines(file: TableFile) -> str:
    """Return the table of a text file's lines, which are not taken apart."""
    return (
        f"read_csv({_list_of([file])}, auto_detect=false, header=false, columns={{'line': 'VARCHAR'}}, delim='\x01', "
        f"quote='', escape='', compression={_literal(file.compression)}, hive_partitioning=false)"
    )


def _has_long_rows(
    connection: duckdb.DuckDBPyConnection, files: Sequence[TableFile], separator: str, width: int
) -> bool:
    """Say whether a row may have one cell more than the header, an empty one: DuckDB takes it for a full row.

    A line that ends with the separator is a whole row, or the end of one that has a quote in it.
    """
    mark = _literal(separator)
    for file in files:
        if file.ends is not None and separator.encode() not in file.ends:
            continue
        odd = f"contains(line, '\"') or len(line) - len(replace(line, {mark}, '')) <> {width - 1}"
        found = connection.sql(f"select count(*) from {_lines(file)} where ends_with(line, {mark}) and ({odd})")
        if found.fetchall()[0][0]:
            return True
    return False


def _header(connection: duckdb.DuckDBPyConnection | None, file: TableFile, separator: str) -> list[str]:
    try:
        if connection is not None and file.compression == "zstd":  # DuckDB alone reads it
            lines = connection.sql(f"select line from {_lines(file)} limit 1").fetchall()
            head = next(csv.reader([line for (line,) in lines if line], delimiter=separator, strict=True))
        else:
            opened: Any = gzip.open if file.compression == "gzip" else open
            with opened(file.path, "rt", encoding="utf-8-sig", newline="") as content:
                head = next(csv.reader(content, delimiter=separator, strict=True))
    except (OSError, EOFError, ValueError, csv.Error, StopIteration):
        raise LeftError from None
    if any(cell != cell.strip() for cell in head) or not any(head):
        raise LeftError
    return head


def reopened(
    source: Any, options: Options, connection: duckdb.DuckDBPyConnection, files: Sequence[tuple[str, str]]
) -> tuple[Opened, frozenset[str]]:
    """Open files in a database once more, to join something to their rows, and say which texts mean a missing value.

    Parameters
    ----------
    source
        Paths of files, as in `combine`.
    options
        How they are read.
    connection
        The database.
    files
        The names and the sha256 of the files that were counted; none where that is not known.

    Raises
    ------
    TableError
        For another source, or files that have changed.
    LeftError
        For files that only the strict reader reads as they are meant.
    """
    texts = missing_texts_of(("",) if options.missing_texts is None else options.missing_texts)
    found = same_files(source, files)
    kinds = {file.kind for file in found}
    if kinds == {"Parquet"}:
        with said(named(found), options, "is not a whole Parquet file"):
            opened = _parquet(connection, found)
    elif kinds == {"CSV"} and _is_utf8(options.encoding):
        with refused_by_engine(options):
            opened, separator = _open_text(connection, found, options)
            if _has_long_rows(connection, found, separator, len(opened.names)):
                raise LeftError
    else:
        raise LeftError
    return opened, texts
