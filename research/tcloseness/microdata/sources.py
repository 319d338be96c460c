"""Reading tables from files, as text: a cell is what stands in the file, and nothing is guessed from it."""

from __future__ import annotations

import codecs
import io
import sys
from collections.abc import Sequence
from os import PathLike
from pathlib import Path
from typing import BinaryIO

import pandas as pd

from tcloseness.errors import TableError

__all__ = ["read_table"]


def read_table(
    path: str | PathLike[str] | BinaryIO,
    *,
    separator: str = ",",
    encoding: str = "utf-8-sig",
    missing_texts: Sequence[str] = ("",),
) -> pd.DataFrame:
    """Read a CSV file (or Parquet, by its suffix) with a header into a frame of text.

    Parameters
    ----------
    path
        The file; ``"-"`` reads standard input. Also a CSV file that is open for reading bytes.
    separator, encoding
        How the file is written. A byte order mark is skipped.
    missing_texts
        The cell texts that mean a missing value; by default only the empty cell. ``"NA"`` or ``"?"`` are values
        unless they are named here.

    Raises
    ------
    TableError
        If the file cannot be read, is not in that encoding, has no rows or only one column where another separator
        would give several, or a row has more cells than the header.
    """
    source = sys.stdin.buffer if path == "-" else path
    if not isinstance(source, (str, PathLike)):
        path = getattr(source, "name", "of bytes")
    elif Path(source).suffix in {".parquet", ".pq"}:
        try:
            return pd.read_parquet(source)
        except ImportError as error:
            raise TableError("reading Parquet needs pyarrow: python -m pip install 'tcloseness[parquet]'") from error
        except OSError as error:
            raise TableError(f"file {path} cannot be read: {error}") from error
    if len(separator) != 1:
        raise TableError(f"separator {separator!r} must be one character")
    try:
        codecs.lookup(encoding)
    except LookupError as error:
        raise TableError(f"file {path}: {error}; give an encoding such as 'utf-8'") from error
    try:
        content = Path(source).read_bytes() if isinstance(source, (str, PathLike)) else source.read()
        text = content.decode(encoding)
    except OSError as error:
        raise TableError(f"file {path} cannot be read: {error.strerror or error}") from error
    except UnicodeDecodeError as error:
        raise TableError(
            f"file {path} is not {encoding} ({error.reason} at byte {error.start}); give encoding="
        ) from error
    # in a file of one column a blank line is a record with an empty cell; elsewhere it is no record
    one_column = separator not in next((line for line in text.splitlines() if line), separator)
    try:
        header = pd.read_csv(
            io.StringIO(text.strip("\r\n") if one_column else text),
            sep=separator,
            dtype=str,
            header=None,
            keep_default_na=False,
            na_values=list(missing_texts),
            skipinitialspace=True,
            skip_blank_lines=not one_column,
        )
    except pd.errors.EmptyDataError:
        raise TableError(f"file {path} is empty; it needs a header line and records") from None
    except pd.errors.ParserError as error:
        raise TableError(
            f"file {path}: {str(error).strip()}; a row has more cells than the header, or a quote is open"
        ) from None
    names = ["" if name != name else str(name) for name in header.iloc[0]]
    if len(names) == 1:
        other = next((s for s in (";", "\t", ",", "|") if s in names[0]), None)
        if other:
            raise TableError(
                f"file {path} has one column, {names[0]!r}, when split at {separator!r}; is the separator {other!r}?"
            )
    frame = header.iloc[1:].reset_index(drop=True)
    frame.columns = pd.Index(names)
    if not len(frame):
        raise TableError(f"file {path} has a header and no records")
    return frame
