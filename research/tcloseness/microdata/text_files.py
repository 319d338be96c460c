"""How every text file is read: its bytes, its encoding, its cells. Tables, hierarchies and matrices share these rules.

A cell is what the file has. Blanks around a cell are not part of it, unless the cell is quoted: then it is what
is between the quotes. `quoted` writes a cell so that it is read as it is. No text holds the character NUL: it is a
trace of damage or of another encoding, and of the parsers below some end a cell at it, some drop it, some keep it.
"""

from __future__ import annotations

import bz2
import csv
import gzip
import io
import lzma
import re
import sys
import zlib
from collections import deque
from collections.abc import Iterator
from os import PathLike
from pathlib import Path, PurePath
from typing import IO, Any, TypeAlias

from tcloseness.errors import InputError

__all__ = [
    "ENCODING",
    "PARQUET",
    "Readable",
    "cells_of",
    "content_of",
    "kind_by_name",
    "plain_rows",
    "quoted",
    "require_quotes",
    "separator_of",
    "text_of",
    "trimmed",
]

ENCODING = "utf-8-sig"
"""The encoding that is read unless another is named: UTF-8; a byte order mark is not part of the text."""

PARQUET = b"PAR1"

NUL = "\0"

Readable: TypeAlias = "str | PathLike[str] | IO[bytes] | IO[str]"

_COMPRESSED = {b"\x1f\x8b": gzip.decompress, b"BZh": bz2.decompress, b"\xfd7zXZ\x00": lzma.decompress}

_BINARY = {
    **{".gz": "gzip", ".tgz": "gzip", ".bz2": "bzip2", ".xz": "xz", ".zst": "Zstandard", ".7z": "7-Zip", ".rar": "RAR"},
    **{".zip": "a ZIP archive", ".xlsx": "an Excel workbook", ".xls": "an Excel workbook", ".pdf": "PDF"},
}
"""What a file is by its name, where that is not text."""


def kind_by_name(name: str) -> str | None:
    """Return what a file is by its name, where that is not text; else None."""
    return _BINARY.get(PurePath(name).suffix.lower())


_REFUSED = (
    (b"PK\x03\x04", "a ZIP archive or an Excel workbook", "unpack it, or save the sheet as CSV"),
    (b"PK\x05\x06", "an empty ZIP archive", "give the file that should be in it"),
    (b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", "an Excel workbook", "save the sheet as CSV"),
    (b"\x28\xb5\x2f\xfd", "compressed by Zstandard", "decompress it first (unzstd)"),
    (b"7z\xbc\xaf\x27\x1c", "a 7-Zip archive", "unpack it first"),
    (b"Rar!", "a RAR archive", "unpack it first"),
    (b"ARROW1", "an Arrow (Feather) file", "save it as CSV or Parquet"),
    (b"ORC", "an ORC file", "save it as CSV or Parquet"),
    (b"\x89HDF", "an HDF5 file", "save the table as CSV or Parquet"),
    (b"SQLite format 3\x00", "an SQLite database", "export the table as CSV"),
    (b"<stata_dta>", "a Stata file", "export it as CSV"),
    (b"$FL2", "an SPSS file", "export it as CSV"),
    (b"%PDF", "a PDF document", "give the table as CSV"),
)
"""How a file begins that is not text, what it is, and the way out."""

_BYTE_ORDER = ((b"\xff\xfe\x00\x00", "utf-32"), (b"\x00\x00\xfe\xff", "utf-32"), (b"\xff\xfe", "utf-16"))
_BYTE_ORDERS = (*_BYTE_ORDER, (b"\xfe\xff", "utf-16"))


class _Unpacked(bytes):
    """What was compressed, as the name of its file may say."""


def content_of(source: Readable, what: str, error: type[InputError]) -> tuple[bytes | str, str]:
    """Return what a source holds, decompressed, and its name: a path, ``"-"`` for standard input, or an open file.

    Raises
    ------
    InputError
        Of the given class, if it cannot be read.
    """
    if source == "-":
        source = getattr(sys.stdin, "buffer", sys.stdin)
        name = "standard input"
    else:
        held = source if isinstance(source, (str, PathLike)) else getattr(source, "name", None)
        name = str(held) if isinstance(held, (str, PathLike)) else "that is open"
    where = f"{what} {name}"
    try:
        content: Any = Path(source).read_bytes() if isinstance(source, (str, PathLike)) else source.read()
    except UnicodeError as fault:
        raise error(f"{where} cannot be decoded: {fault}; open it in its encoding, or in binary mode") from fault
    except (OSError, ValueError, AttributeError, TypeError) as fault:
        raise error(f"{where} cannot be read: {getattr(fault, 'strerror', None) or fault}") from fault
    if isinstance(content, (bytearray, memoryview)):
        content = bytes(content)
    if not isinstance(content, (bytes, str)):
        raise error(f"{where} cannot be read: it holds {type(content).__name__}; it must hold bytes or text")
    if isinstance(content, bytes):
        for head, decompress in _COMPRESSED.items():
            if content.startswith(head):
                try:
                    return _Unpacked(decompress(content)), name
                except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError) as fault:
                    raise error(f"{where} is compressed and damaged: {fault}; compress it again") from fault
    return content, name


def text_of(content: bytes | str, name: str, encoding: str | None, what: str, error: type[InputError]) -> str:
    """Return the text of a file's content.

    Raises
    ------
    InputError
        Of the given class, if the content is not text in that encoding, or holds a NUL; with the way out.
    """
    where = f"{what} {name}"
    text = _decoded(content, name, encoding, where, error)
    if NUL in text:
        line = 1 + len(re.findall(r"\r\n|\r|\n", text[: text.index(NUL)]))
        way_out = "open it in its encoding" if isinstance(content, str) else "give encoding= (such as 'utf-16')"
        if encoding is None and isinstance(content, bytes):
            _refuse_binary(content, name, where, error)
        raise error(
            f"{where}, line {line} holds the character NUL ({NUL!r}), which a text file never does: it is damaged, or "
            f"in another encoding; write it again without it, or {way_out}"
        )
    return text


def _decoded(content: bytes | str, name: str, encoding: str | None, where: str, error: type[InputError]) -> str:
    if isinstance(content, str):
        if encoding is not None:
            raise error(
                f"{where} is open as text, so encoding={encoding!r} cannot apply; leave encoding out, or open the "
                "file in binary mode"
            )
        return content.removeprefix("\ufeff")
    for head, format_, way_out in (*_REFUSED, (PARQUET, "a Parquet file", "give it as CSV")):
        if content.startswith(head):
            raise error(f"{where} is {format_}, not text; {way_out}")
    given, encoding = encoding, ENCODING if encoding is None else encoding
    try:
        return content.decode(encoding).removeprefix("\ufeff")
    except (LookupError, TypeError) as fault:
        raise error(f"{where}: {fault}; give an encoding such as 'utf-8'") from fault
    except ValueError as fault:  # UnicodeError among them
        if given is None:
            _refuse_binary(content, name, where, error)
        reason = f"{getattr(fault, 'reason', fault)} at byte {getattr(fault, 'start', 0)}"
        likely = next((f"; it begins like {name}" for head, name in _BYTE_ORDERS if content.startswith(head)), "")
        such_as = ", such as 'cp1252' for what Windows writes in Western Europe" if given is None and not likely else ""
        named = "UTF-8" if given is None else encoding
        raise error(f"{where} is not {named} ({reason}){likely}; give encoding={such_as}") from fault


def _refuse_binary(content: bytes, name: str, where: str, error: type[InputError]) -> None:
    """Raise for a file that is neither text nor what its name says."""
    ending = PurePath(name).suffix.lower()
    if ending in _BINARY and not isinstance(content, _Unpacked):
        raise error(
            f"{where} is named {ending} and is not {_BINARY[ending]} (it begins with {content[:6]!r}), nor is it text; "
            "it is damaged or another file: write it again, or name it as what it is"
        )


def separator_of(separator: object, name: str, where: str, error: type[InputError]) -> str:
    """Return the separator that is given; or else the one of a file of that name: a tab for ``.tsv``, else a comma.

    Raises
    ------
    InputError
        Of the given class, for what cannot separate cells.
    """
    if separator is None:
        return "\t" if {".tsv", ".tab"}.intersection(map(str.lower, PurePath(name).suffixes[-2:])) else ","
    if not isinstance(separator, str) or len(separator) != 1 or not separator.isascii():
        raise error(f"separator {separator!r}{where} must be one character, of ASCII")
    if separator in '"\r\n\0':
        raise error(f"separator {separator!r}{where} cannot be a quote, a line break or NUL")
    return separator


def trimmed(text: str, separator: str, *, around: str = "all") -> str:
    """Return the text without the blanks around its cells; with ``around="quoted"`` around quoted cells only."""
    blanks = [c for c in _blanks(text) if c != separator]
    if not blanks:
        return text
    blank, mark = f"[{''.join(map(re.escape, blanks))}]", re.escape(separator)
    start, end = rf"(\A|[\r\n]|{mark})", rf"(?=\Z|[\r\n]|{mark})"
    patterns = [rf'{start}{blank}*("(?:[^"]|"")*+"){blank}*{end}']
    if around == "all":
        patterns += [rf"{start}{blank}+", rf"{blank}+{end}"]
    else:
        patterns += ["(?!)()"]

    def without(found: re.Match[str]) -> str:
        return (found[1] or found[3] or "") + (found[2] or "")

    return re.sub("|".join(patterns), without, text)


def _blanks(text: str) -> list[str]:
    """Return the blanks that occur in a text, without line breaks."""
    known = " \t\x0b\x0c\x1c\x1d\x1e\x1f"
    if not text.isascii():
        known += "\x85\xa0\u1680\u2028\u2029\u202f\u205f\u3000" + "".join(map(chr, range(0x2000, 0x200B)))
    return [c for c in known if c in text]


def cells_of(text: str, separator: str, where: str, error: type[InputError]) -> list[tuple[int, list[str]]]:
    """Return the rows of a text file: the line that each begins on (from 1), and its cells. Blank lines are not rows.

    Raises
    ------
    InputError
        Of the given class, for a quote that is never closed or a cell that is too long.
    """
    return list(_rows(trimmed(text, separator), separator, where, error))


def plain_rows(text: str, separator: str) -> list[tuple[str, ...]] | None:
    """Return the cells of each row where it is seen at once that none is quoted, empty, too long, or has blanks around
    it; else None, and `cells_of` reads them."""
    marks = '"', "\r", separator * 2, f"{separator}\n", f"\n{separator}"
    if (
        any(c != separator for c in _blanks(text))
        or any(mark in text for mark in marks)
        or separator in (text[:1], text[-1:])
    ):
        return None
    lines = [line for line in text.split("\n") if line]
    if not lines or max(map(len, lines)) > csv.field_size_limit():
        return None
    return [tuple(line.split(separator)) for line in lines]


def require_quotes(bare: str, separator: str, where: str, error: type[InputError]) -> None:
    """Raise an error for a quoted cell that goes on after its last quote, or has none.

    Parameters
    ----------
    bare
        The text without the blanks around its cells, see `trimmed`.
    separator, where, error
        What separates the cells, the file in words, and the error's class.

    Raises
    ------
    InputError
        Of the given class, with the line.
    """
    if '"' in bare:
        deque(_rows(bare, separator, where, error), maxlen=0)


def _rows(bare: str, separator: str, where: str, error: type[InputError]) -> Iterator[tuple[int, list[str]]]:
    reader = csv.reader(io.StringIO(bare, newline=""), delimiter=separator, strict=True)  # cells may hold line breaks
    line = 1
    try:
        for cells in reader:
            if cells:
                yield line, cells
            line = reader.line_num + 1
    except csv.Error as fault:
        raise error(
            f"{where}, line {line}: {fault}; a quote is open, or a cell goes on after its last quote (write a quote in "
            "a quoted cell twice), or a cell is too long"
        ) from fault


def quoted(cell: str, separator: str, *, alone: bool = False) -> str:
    """Return a cell as it must be written in a file to be read as it is; `alone` says that a row has no other cell.

    Raises
    ------
    InputError
        If it holds a NUL, for then it cannot be read as it is.
    """
    if NUL in cell:
        raise InputError(f"{cell!r} holds the character NUL, which no text file can; write that value without it")
    marked = cell.startswith("\ufeff")  # at the beginning of a file it would be a byte order mark
    if {separator, '"', "\r", "\n"}.intersection(cell) or cell != cell.strip() or (alone and not cell) or marked:
        return '"' + cell.replace('"', '""') + '"'
    return cell
