"""DuckDB: files of CSV, TSV and Parquet, relations of a database, and frames of Arrow and Polars.

Text files are read strictly: nothing is detected, columns are taken by their places, and cells stay text. What DuckDB
refuses, or would read otherwise than the strict reader, is left to that reader, which reads it or says why.
"""

from __future__ import annotations

import os
import secrets
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any

import pandas as pd

from tcloseness.errors import TableError
from tcloseness.extras import needing
from tcloseness.microdata.combinations import LIMITS, Coded, Combinations, Options, Origin, missing_texts_of
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
    watching,
)
from tcloseness.microdata.sources.duckdb_files import (
    has_long_rows,
    header_of,
    open_parquet,
    open_text,
    parquet_rows,
    rows_in,
)
from tcloseness.microdata.sources.files import (
    TableFile,
    begins_as,
    is_paths,
    named,
    paths_of,
    require_room,
    same_columns,
    same_files,
    scanned,
)
from tcloseness.microdata.sources.pandas import combine as combine_rows
from tcloseness.microdata.text_files import separator_of

if TYPE_CHECKING:
    import duckdb

__all__ = ["combine", "is_odd", "names", "reopened", "rows", "takes"]

_POLARS_ALONE = ("Object", "Int128", "UInt128")
"""Types of Polars that Arrow does not have."""

SMALL = 2**18
"""Text files of at most so many bytes are read by the strict reader, which has them before an engine is ready."""

_ROWS = "tcloseness_rows"

ALONE = (
    "The strict reader alone reads it as it is meant (another encoding than UTF-8, blanks around cells, bzip2 or xz); "
    "write it again as Parquet or as plain CSV in UTF-8"
)
"""Why a text file is read by that reader, and the way out."""

HELD_WHOLE = "an open file and standard input are held in memory whole"
"""Why no limit of an engine applies to them."""


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
        options.refuse(HELD_WHOLE, *LIMITS)
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
        if hasattr(source, "read") or source == "-":
            options.refuse(HELD_WHOLE, *LIMITS)

        def of_file(each: Any) -> pd.DataFrame:
            is_file = not hasattr(each, "read") and each != "-"
            kind, compression = begins_as(os.fspath(each)) if is_file else (None, "none")
            if compression == "zstd":
                return _unpacked_rows(each, options)
            if kind == "Parquet" and not any(named.values()):
                each = parquet_rows(os.fspath(each), f"file {each}", options)
                return read_table(each, missing_texts=absent)
            return read_table(each, missing_texts=absent, **named)

        frames = [of_file(each) for each in given]
        if len(frames) > 1:
            same_columns(given, [list(frame.columns) for frame in frames])
        return frames[0] if len(frames) == 1 else pd.concat(frames, ignore_index=True)
    with _opened(source, options, {}) as opened:
        frame = rows_of(opened)
    return frame if not texts else read_table(frame, missing_texts=texts)


def _unpacked_rows(path: Any, options: Options) -> pd.DataFrame:
    """Return the rows of a text file that DuckDB alone unpacks; what it refuses, the strict reader refuses by name."""
    from tcloseness.microdata.sources.strict import read_table

    texts = ("",) if options.missing_texts is None else options.missing_texts
    try:
        with session(options) as connection, refused_by_engine(options):
            file = scanned(str(path))
            opened, separator = open_text(connection, [file], options)
            frame = rows_of(opened)
            cells = [cell for name in range(frame.shape[1]) for cell in frame.iloc[:, name].dropna().unique()]
            if not cells or has_long_rows(connection, [file], separator, frame.shape[1]) or any(map(is_odd, cells)):
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
            return open_parquet(connection, [file]).names
    if kind == "CSV" and _is_utf8(options.encoding):
        separator = separator_of(options.separator, path, "", TableError)
        try:
            if compression != "zstd":
                return tuple(header_of(None, file, separator))
            with session(options) as connection:
                return tuple(header_of(connection, file, separator))
        except LeftError:
            pass
    return tuple(map(str, rows(path or source, given).columns))


@contextmanager
def _opened(source: Any, options: Options, columns: Mapping[str, str]) -> Iterator[Opened]:
    """Open a relation, or a frame in memory, some columns of which are to be read."""
    where = "the table is a relation" if _is_relation(source) else f"the table is a frame of {_frame_of(source)}"
    options.refuse(f"{where}, not a text file", "separator", "encoding")
    if _is_relation(source):
        options.refuse(f"{where}, whose connection has its own", *LIMITS)
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
    with needing(f"counting a frame of {_frame_of(source)} needs", "pyarrow"):
        table = _arrow_of(source, read)
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
            watched = watching(connection, options.progress, partial(rows_in, connection, files))
            return _with_files(counted(open_parquet(connection, files), columns, texts, watched), files).without(texts)
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
    require_room([file.path for file in files], options.memory, ALONE)
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


def _text(
    connection: duckdb.DuckDBPyConnection,
    files: Sequence[TableFile],
    columns: Mapping[str, str],
    options: Options,
    texts: frozenset[str],
) -> Combinations:
    opened, separator = open_text(connection, files, options)
    watched = watching(connection, options.progress, partial(rows_in, connection, files))
    found = counted(opened, columns, texts, watched, whole=files[0].compression != "none")
    if not found.rows or has_long_rows(connection, files, separator, len(opened.names)):
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
        options.refuse(f"{named(found)} is Parquet, not a text file", "separator", "encoding")
        with said(named(found), options, "is not a whole Parquet file"):
            opened = open_parquet(connection, found)
    elif kinds == {"CSV"} and _is_utf8(options.encoding):
        with refused_by_engine(options):
            opened, separator = open_text(connection, found, options)
            if has_long_rows(connection, found, separator, len(opened.names)):
                raise LeftError
    else:
        raise LeftError
    return opened, texts
