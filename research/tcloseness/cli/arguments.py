"""How the texts of the command line become arguments: lists of columns, orders, files.

Only the standard library is imported at the top, so that ``--help`` stays quick.
"""

from __future__ import annotations

import codecs
import hashlib
import io
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO, cast

from tcloseness.cli.withholding import saw_frame
from tcloseness.errors import InputError, TableError, did_you_mean
from tcloseness.writing import protect

if TYPE_CHECKING:
    import pandas as pd

    from tcloseness.microdata.combinations import Options as ReadingOptions


__all__ = [
    "Format",
    "Ragged",
    "Source",
    "column_names",
    "digest",
    "encoding_name",
    "items",
    "open_source",
    "pair",
    "per_column",
    "read_frame",
    "reading_of",
    "refuse_unused",
    "separator_text",
]


class Format(StrEnum):
    """How a result is written."""

    TEXT = "text"
    JSON = "json"


class Ragged(StrEnum):
    """What rows of different length in a hierarchy file mean, see `tcloseness.microdata.Hierarchy`."""

    ERROR = "error"
    KEEP = "keep"
    REPEAT_LEAF = "repeat-leaf"
    REPEAT_PARENT = "repeat-parent"


@dataclass(frozen=True)
class Source:
    """A table to read: its name, what reads it is given, how its bytes begin, its files, and its sha256 if known."""

    name: str
    handle: str | BinaryIO
    head: bytes = b""
    paths: tuple[str, ...] = ()
    known: str = ""

    @cached_property
    def sha256(self) -> str:
        """The sha256 of its bytes; empty where it is several files."""
        if self.known or len(self.paths) > 1:
            return self.known
        return digest(self.paths[0]) if self.paths else _digest_of(self.handle)

    @property
    def one(self) -> str:
        """The one file that it is, by whose name it is judged; else its name."""
        return self.paths[0] if self.paths else self.name

    @property
    def content(self) -> bytes:
        """The bytes of one file or of a pipe; `TableError` for a file that has others than were `known`."""
        found = Path(self.paths[0]).read_bytes() if self.paths else cast("io.BytesIO", self.handle).getvalue()
        if self.known and hashlib.sha256(found).hexdigest() != self.known:
            raise TableError(f"file {self.name} has changed since it was read; run the command again")
        return found


def _digest_of(handle: Any) -> str:
    return hashlib.sha256(handle.getbuffer()).hexdigest()


def items(text: str, option: str) -> list[str]:
    """Split a list at its commas; an item with a comma is written in double quotes.

    `InputError` for an empty item.

    Examples
    --------
    >>> items('low, mid,"very, very high"', "--values")
    ['low', 'mid', 'very, very high']
    """
    from tcloseness.microdata.text_files import cells_of

    try:
        rows = [cells for _, cells in cells_of(text, ",", option, InputError)] or [[""]]
    except InputError as error:
        raise InputError(
            f"{option} {text!r} cannot be split at its commas ({error.__cause__}); quote an item that has one"
        ) from error
    if len(rows) > 1:
        raise InputError(f"{option} {text!r} has a line break between its items; quote an item that has one")
    (found,) = rows
    if not all(found):
        raise InputError(f"{option} {text!r} has an empty item; write the items with a comma between them")
    return found


def column_names(given: Sequence[str], columns: Sequence[str], option: str) -> list[str]:
    """Return the columns that are named: a text that is a column as it is, or else a list with commas.

    Examples
    --------
    >>> column_names(["Age,ZIP", "Salary, USD"], ["Age", "ZIP", "Salary, USD"], "--quasi-identifiers")
    ['Age', 'ZIP', 'Salary, USD']
    """
    return [name for text in given for name in ([text] if text in columns else items(text, option))]


def per_column(
    given: Sequence[str], columns: Sequence[str], option: str, what: str, *, alone: bool = False
) -> dict[str, str]:
    """Read ``COLUMN=TEXT`` options; of several columns that the text could mean, the longest is meant.

    With `alone` a text without ``=`` is that of the only column.

    `InputError` for a text without ``=``, a column that is none of `columns`, or one that is named twice.

    Examples
    --------
    >>> per_column(["a=b=ordered"], ["a", "a=b"], "--ground", "DISTANCE")
    {'a=b': 'ordered'}
    """
    found: dict[str, str] = {}
    if given and not columns:
        raise InputError(
            f"{option} {given[0]!r} is given, and no column that it could be for is named; name the column in its role "
            f"(--sensitive), or leave {option} out"
        )
    for text in given:
        name = max((c for c in columns if text.startswith(f"{c}=")), key=len, default=None)
        if name is None:
            before, equals, _ = text.partition("=")
            if not equals and len(columns) == 1 and len(given) == 1 and alone:
                return {columns[0]: text}
            if not equals:
                example = f"{columns[0]}={text}"
                raise InputError(f"{option} {text!r} names no column; write COLUMN={what}, such as {example!r}")
            hint = did_you_mean(before, columns)
            raise InputError(f"{option} {text!r}: {before!r} is none of the columns it can be given for; {hint}")
        if name in found:
            raise InputError(f"{option} is given twice for column {name!r}; give it once")
        found[name] = text[len(name) + 1 :]
    return found


def pair(text: str, option: str, metavar: str) -> tuple[str, str]:
    """Read two numbers with a comma between them; `InputError` unless there are two.

    Examples
    --------
    >>> pair("3,2", "--recursive", "C,L")
    ('3', '2')
    """
    parts = items(text, option)
    if len(parts) != 2:
        raise InputError(f"{option} {text!r} must be two numbers {metavar}, such as 3,2")
    return parts[0], parts[1]


def separator_text(text: str | None, option: str = "the separator") -> str | None:
    r"""Return the separator that is meant; ``\t`` and ``tab`` are the tabulator. None if none was given.

    `InputError` unless it is one character.
    """
    if text is None:
        return None
    character = "\t" if text in ("\\t", "tab") else text
    if len(character) != 1 or character in '"\r\n':
        raise InputError(f"{option} {text!r} must be one character, such as ',' or ';', or 'tab'")
    return character


def encoding_name(text: str | None) -> str | None:
    """Return an encoding's name if Python knows it; None if none was given.

    `InputError` if it does not.
    """
    if text is None:
        return None
    try:
        codecs.lookup(text)
    except (LookupError, ValueError) as error:
        raise InputError(f"encoding {text!r} is unknown; it is a name such as 'utf-8' or 'latin-1'") from error
    return text


def open_source(table: str) -> Source:
    """Open a table to read: a file, a pattern that files have, ``-`` for standard input, or a pipe.

    `TableError` if a file cannot be read, or standard input is empty.
    """
    if table != "-" and not Path(table).is_fifo():
        from tcloseness.microdata.sources.files import paths_of

        paths, heads = paths_of(table), []
        for path in paths:
            protect(path)
            try:
                with open(path, "rb") as file:
                    heads.append(file.read(8))
            except (OSError, ValueError) as error:
                raise TableError(f"file {path} cannot be read: {getattr(error, 'strerror', None) or error}") from error
        return Source(table, table, heads[0], tuple(paths))
    try:  # a pipe can be read only once
        content = sys.stdin.buffer.read() if table == "-" else Path(table).read_bytes()
    except OSError as error:
        raise TableError(f"file {table} cannot be read: {error.strerror or error}") from error
    name = "standard input" if table == "-" else table
    if table == "-" and not content:
        raise TableError(
            "standard input is empty; it needs a header line and records, and can be read once: give '-' for one table"
        )
    handle = io.BytesIO(content)
    handle.name = name
    return Source(name, handle, content[:8])


def read_frame(source: Source, options: ReadingOptions) -> pd.DataFrame:
    """Return the rows of a table, see `tcloseness.read_table`; `TableError` if the table cannot be read as asked."""
    from tcloseness.microdata.sources import rows

    frame = rows(source.handle, options)
    saw_frame(frame)
    return frame


def reading_of(
    source: Source,
    separator: str | None,
    encoding: str | None,
    missing_text: Sequence[str] | None,
    *,
    other_files: bool,
    beside: Sequence[str] = (),
    memory: str | None = None,
    threads: int | None = None,
) -> ReadingOptions:
    """Return how a table is read, and within what an engine counts it.

    Options are as they were given, None where not. With `other_files`, text files are read beside the table, so that an
    encoding is of use also where the table has none. So are it and the separator if one of the other tables `beside`,
    for which both are too, is a text file.
    """
    from tcloseness.microdata.combinations import Options
    from tcloseness.microdata.sources.files import is_parquet

    if (separator, encoding) != (None, None) and is_parquet(source.head, source.one):
        if any(map(_is_text, beside)):
            separator = encoding = None
        elif other_files:
            encoding = None
    return Options(separator, encoding, ("", *(missing_text or ())), memory, threads)


def _is_text(table: str) -> bool:
    """Say whether a table is a text file; of a pipe, that is taken to be so."""
    from tcloseness.microdata.sources.files import is_parquet

    if table == "-" or Path(table).is_fifo():
        return True
    source = open_source(table)
    return not is_parquet(source.head, source.one)


def refuse_unused(given: Mapping[str, object], why: str) -> None:
    """Raise `InputError` for an option that was given and that nothing here would obey.

    `given` is None for an option that was not given; `why` says what is missing for the others to be of use.
    """
    for option, value in given.items():
        if value is not None:
            said = ", ".join(map(str, value)) if isinstance(value, list) else value
            raise InputError(f"{option}{'' if value is True else f' {said}'} was given, and {why}; leave it out")


def digest(file: str) -> str:
    """Return the sha256 of a file that is read; one that cannot be raises `TableError`."""
    protect(file)
    try:
        with open(file, "rb") as content:
            return hashlib.file_digest(content, "sha256").hexdigest()
    except (OSError, ValueError) as error:
        raise TableError(f"file {file} cannot be read: {getattr(error, 'strerror', None) or error}") from error
