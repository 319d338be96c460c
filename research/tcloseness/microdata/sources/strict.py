"""Reading tables, one contract for every source: an option is obeyed, or refused by name where it cannot apply.

A source is a file (CSV, TSV, Parquet; also compressed by gzip, bzip2 or xz), standard input, an open file (bytes or
text), or a frame. What it is, is seen from its content. The cells of a text file stay text: a cell is what is in
the file, and nothing is guessed from it.
"""

from __future__ import annotations

import io
import re
from collections.abc import Hashable, Sequence
from os import PathLike
from pathlib import Path
from typing import Any

import pandas as pd

from tcloseness.errors import TableError, warn
from tcloseness.microdata.combinations import meaning_missing, missing_texts_of
from tcloseness.microdata.sources.duckdb_files import parquet_rows
from tcloseness.microdata.sources.files import is_parquet
from tcloseness.microdata.text_files import (
    PARQUET,
    Readable,
    cells_of,
    content_of,
    require_quotes,
    separator_of,
    text_of,
    trimmed,
)
from tcloseness.own_process import own_folder

__all__ = ["read_table"]


def read_table(
    source: Readable | pd.DataFrame,
    *,
    separator: str | None = None,
    encoding: str | None = None,
    missing_texts: Sequence[str] = ("",),
) -> pd.DataFrame:
    """Read a table with a header into a frame; the cells of a text file stay text.

    Parameters
    ----------
    source
        A file's path, ``"-"`` for standard input, a file that is open for reading bytes or text, or a frame. Files are
        CSV or Parquet, and may be compressed by gzip, bzip2 or xz.
    separator
        The character between the cells of a text file; by default a tab in a file named ``.tsv`` or ``.tab``, else a
        comma. Refused for Parquet and frames, whose cells nothing separates.
    encoding
        The encoding of a text file; by default UTF-8. A byte order mark is skipped. Refused where there is nothing to
        decode: for Parquet, frames, and files that are open as text.
    missing_texts
        The cell texts that mean a missing value, whatever blanks are around them; by default only the empty cell.
        ``"NA"`` or ``"?"`` are values unless they are named here. In Parquet and frames a number is missing that such
        a text reads as, and empty cells are missing anyhow.

    Raises
    ------
    TableError
        If the source cannot be read, is not a table, is not in that encoding, has no rows or only one column where
        another separator would give several, a row has more or fewer cells than the header, or an option cannot apply.

    Warns
    -----
    TableWarning
        If cells of a text file differ only by the blanks around them, which are not part of a cell.

    Examples
    --------
    >>> file = io.StringIO("zip;salary\\n476**;3\\n476**;?\\n")
    >>> read_table(file, separator=";", missing_texts=["?"])["salary"].tolist()
    ['3', nan]
    """
    texts = missing_texts_of(missing_texts)
    if isinstance(source, pd.DataFrame):
        _refuse(separator=separator, encoding=encoding, where="the table is a frame")
        return _without_missing(source, texts)
    if not isinstance(source, (str, PathLike)) and not hasattr(source, "read"):
        raise TableError(
            f"the table is a {type(source).__name__}; give the path of a file, '-' for standard input, an open file, "
            "or a pandas DataFrame"
        )
    if isinstance(source, (str, PathLike)) and source != "-" and _begins_as_parquet(source):
        where = f"file {source}"
        _refuse(separator=separator, encoding=encoding, where=f"{where} is Parquet")
        return _without_missing(parquet_rows(str(source), where), texts)
    content, name = content_of(source, "file", TableError)
    where = f"file {name}"
    if isinstance(content, bytes) and is_parquet(content, name):
        _refuse(separator=separator, encoding=encoding, where=f"{where} is Parquet")
        return _without_missing(_parquet(content, where), texts)
    separator = separator_of(separator, name, "", TableError)
    return _csv(text_of(content, name, encoding, "file", TableError), separator, texts, where)


def _is_whole(text: str) -> bool:
    """Say whether a text has no half of a character, which no decoded file has either."""
    return not any("\ud800" <= character <= "\udfff" for character in text)


def _refuse(*, where: str, **given: str | None) -> None:
    for option, value in given.items():
        if value is not None:
            raise TableError(f"{option}={value!r} cannot apply: {where}, not a text file; leave {option} out")


def _begins_as_parquet(path: str | PathLike[str]) -> bool:
    try:
        if not Path(path).is_file():
            return False
        with open(path, "rb") as file:
            return is_parquet(file.read(len(PARQUET)), str(path))
    except (OSError, ValueError):
        return False


def _parquet(content: bytes, where: str) -> pd.DataFrame:
    with own_folder() as folder:
        file = Path(folder, "table.parquet")
        file.write_bytes(content)
        return parquet_rows(str(file), where)


def _without_missing(frame: pd.DataFrame, texts: frozenset[str]) -> pd.DataFrame:
    """Return a frame with a missing value in place of each cell whose text means one."""
    changed: dict[int, pd.Series[Any]] = {}
    for place in range(frame.shape[1]):
        column = frame.iloc[:, place]
        try:
            distinct: list[Hashable] = list(column.drop_duplicates())
        except TypeError:  # cells that cannot be values; an error only where they are used
            continue
        means = [v for v, empty in zip(distinct, meaning_missing(distinct, texts), strict=True) if empty]
        if means:
            cells = column.astype(object)
            changed[place] = cells.where(~column.isin(means).to_numpy(), None)
    if not changed:
        return frame
    columns = [changed.get(place, frame.iloc[:, place]) for place in range(frame.shape[1])]
    result = pd.concat(columns, axis=1)
    result.columns = frame.columns
    return result


# ---------------------------------------------------------------------- text


def _csv(text: str, separator: str, texts: frozenset[str], where: str) -> pd.DataFrame:
    bare = trimmed(text, separator)
    # in a file of one column a blank line is a record with an empty cell; elsewhere it is not a record
    one_column = separator not in next((line for line in bare.splitlines() if line), separator)
    table = _parsed(bare, separator, one_column, where)
    require_quotes(bare, separator, where, TableError)  # the parser reads "a"b as ab
    names = list(table.iloc[0])
    other = _other_separator(names)
    if other is not None:
        raise TableError(
            f"{where} has one column, {names[0]!r}, when split at {separator!r}; split it by separator={other!r}"
        )
    if len(table) < 2:
        raise TableError(f"{where} has a header and no records")
    if len(names) > 1 and (table.iloc[1:, -1] == "").any():
        _require_full_rows(text, separator, len(names), where)
    if bare != text:
        _tell_of_blanks(text, separator, one_column, table, where)
    frame = table.iloc[1:].reset_index(drop=True)
    texts = frozenset(each for each in texts if each.isascii() or _is_whole(each))
    for place in range(len(names)):
        column = frame.iloc[:, place]
        empty = column.isin(list(texts)).to_numpy()
        if '"' in text:  # a quoted cell may hold blanks around a missing text
            empty = empty | column.str.strip().isin(list(texts)).to_numpy()
        if empty.any():
            frame.isetitem(place, column.mask(empty).array)
    frame.columns = pd.Index(names)
    return frame


def _other_separator(header: Sequence[str]) -> str | None:
    """Return the character at which a header of one cell seems to be meant to be split."""
    return next((each for each in ";\t,|" if each in header[0]), None) if len(header) == 1 else None


def _parsed(text: str, separator: str, one_column: bool, where: str) -> pd.DataFrame:
    """Return all lines of a text as rows of texts, the header among them; a short row is filled with empty cells."""
    if "\r" in text.replace("\r\n", "\n"):  # behind a blank line of these the parser drops an empty first cell
        quoted = rf'(?:\A|(?<=[\r\n{re.escape(separator)}]))"(?:[^"]|"")*+"'
        text = re.sub(rf"{quoted}|\r(?!\n)", lambda found: "\n" if found[0] == "\r" else found[0], text)
    try:
        return pd.read_csv(
            io.StringIO(text.strip("\r\n") if one_column else text),
            sep=separator,
            dtype=str,
            header=None,
            na_filter=False,
            skip_blank_lines=not one_column,
            engine="c",
        )
    except pd.errors.EmptyDataError:
        raise TableError(f"{where} is empty; it needs a header line and records") from None
    except (ValueError, OverflowError, MemoryError) as error:
        rows = cells_of(text, separator, where, TableError)
        _refuse_ragged(rows, len(rows[0][1]) if rows else 0, where)
        raise TableError(f"{where} cannot be read as a table: {str(error).strip()}; a quote may be open") from None


def _require_full_rows(text: str, separator: str, width: int, where: str) -> None:
    """Raise `TableError` if a row is short; asked only where a last cell is empty, since it reads the text again."""
    lines = (line for line in io.StringIO(text, newline="") if line.strip(f"\r\n{separator}") or separator in line)
    if '"' not in text and all(line.count(separator) == width - 1 for line in lines):
        return
    _refuse_ragged(cells_of(text, separator, where, TableError), width, where)


def _refuse_ragged(rows: list[tuple[int, list[str]]], width: int, where: str) -> None:
    odd = [(line, len(cells)) for line, cells in rows[1:] if len(cells) != width]
    if odd:
        line, found = odd[0]
        compared = "more" if found > width else "fewer"
        also = f" ({len(odd) - 1} further row(s) differ from it too)" if len(odd) > 1 else ""
        other = _other_separator(rows[0][1])
        if other is not None:
            raise TableError(
                f"{where}, line {line} has {found} cells and the header one, which holds {other!r} "
                f"{rows[0][1][0].count(other)} time(s); split it by separator={other!r}"
            )
        raise TableError(
            f"{where}, line {line} has {found} cells and the header {width}: a row has {compared} cells than the "
            f"header{also}; give it {width} cells, put a cell that holds the separator in quotes, or name another "
            "separator"
        )


def _tell_of_blanks(text: str, separator: str, one_column: bool, table: pd.DataFrame, where: str) -> None:
    """Warn where cells became one that differ by the blanks around them."""
    try:
        raw = _parsed(trimmed(text, separator, around="quoted"), separator, one_column, where)
    except TableError:
        return
    if raw.shape != table.shape:  # a line of blanks
        raw = raw[[any(cell.strip() for cell in row) for row in raw.to_numpy().tolist()]]
        if raw.shape != table.shape:
            return
    for place, name in enumerate(table.iloc[0]):
        written = raw.iloc[1:, place].value_counts()
        spellings: dict[str, list[str]] = {}
        for cell in written.index:
            if cell.strip():
                spellings.setdefault(cell.strip(), []).append(cell)
        mixed = {cell: sorted(ways) for cell, ways in spellings.items() if len(ways) > 1}
        if mixed:
            rows = sum(int(written[way]) for cell, ways in mixed.items() for way in ways if way != cell)
            cell, ways = min(mixed.items())
            counts = ", ".join(f"{way!r} ({int(written[way])} row(s))" for way in ways[:4])
            warn(
                f"{where}, column {name!r}: {rows} cell(s) of {len(mixed)} value(s) have blanks around them and others "
                f"have none, such as {counts}; blanks around a cell are not part of it, so they are read as one value, "
                f"{cell!r}. Put a cell in quotes to keep its blanks"
            )
