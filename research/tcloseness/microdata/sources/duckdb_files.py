"""Files as DuckDB opens them: Parquet, and text of which nothing is detected; columns are taken by their places.

What DuckDB refuses, or would read otherwise than the strict reader, raises `LeftError`.
"""

from __future__ import annotations

import csv
import gzip
import os
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import pandas as pd

from tcloseness.errors import TableError
from tcloseness.microdata.combinations import Options
from tcloseness.microdata.sources.duckdb_engine import LeftError, Opened, rows_of, said, session
from tcloseness.microdata.sources.files import TableFile, named, same_columns
from tcloseness.microdata.text_files import separator_of

if TYPE_CHECKING:
    import duckdb

__all__ = ["has_long_rows", "header_of", "open_parquet", "open_text", "parquet_rows", "rows_in"]


def parquet_rows(path: str, where: str, options: Options | None = None) -> pd.DataFrame:
    """Return the rows of a Parquet file, which messages call `where`."""
    options = options or Options()
    file = TableFile(path, "", "Parquet", "none")
    with session(options) as connection, said(where, options, "is not a whole Parquet file"):
        return rows_of(open_parquet(connection, [file]))


def _literal(text: str) -> str:
    return "'" + text.replace("'", "''") + "'"


def _list_of(files: Sequence[TableFile]) -> str:
    """Return the paths as DuckDB reads them: it takes some characters for a pattern, and ``~`` for a folder."""
    paths = [re.sub(r"[*?\[]", lambda found: f"[{found[0]}]", os.path.join(os.getcwd(), file.path)) for file in files]
    return f"[{', '.join(map(_literal, paths))}]"


def open_parquet(connection: duckdb.DuckDBPyConnection, files: Sequence[TableFile]) -> Opened:
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


def open_text(
    connection: duckdb.DuckDBPyConnection, files: Sequence[TableFile], options: Options
) -> tuple[Opened, str]:
    """Open text files, and return what separates their cells."""
    separators = [separator_of(options.separator, file.path, "", TableError) for file in files]
    if len(set(separators)) > 1:
        raise LeftError
    heads = [header_of(connection, file, separators[0]) for file in files]
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


def _lines(file: TableFile) -> str:
    """Return the table of a text file's lines, which are not taken apart."""
    return (
        f"read_csv({_list_of([file])}, auto_detect=false, header=false, columns={{'line': 'VARCHAR'}}, delim='\x01', "
        f"quote='', escape='', compression={_literal(file.compression)}, hive_partitioning=false)"
    )


def has_long_rows(
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


def header_of(connection: duckdb.DuckDBPyConnection | None, file: TableFile, separator: str) -> list[str]:
    """Return the names of a text file's columns; `LeftError` unless its header is plain."""
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


def rows_in(connection: duckdb.DuckDBPyConnection, files: Sequence[TableFile]) -> int | None:
    """Return how many rows files have, of text how many lines but for the headers; None where that is not known yet."""
    if files[0].kind == "Parquet":
        found = connection.execute(f"select sum(num_rows)::bigint from parquet_file_metadata({_list_of(files)})")
        return int(found.fetchall()[0][0])
    lines = [file.lines for file in files]
    return sum(each - 1 for each in lines if each) if all(lines) else None
