"""The files of a table: which they are, what they hold by their first bytes, and the sha256 of each."""

from __future__ import annotations

import bz2
import codecs
import glob
import gzip
import hashlib
import lzma
import zlib
from collections.abc import Sequence
from dataclasses import dataclass
from os import PathLike, fspath
from pathlib import Path
from typing import Any

import numpy as np

from tcloseness.errors import TableError
from tcloseness.microdata.combinations import memory_size
from tcloseness.microdata.text_files import PARQUET

__all__ = [
    "TableFile",
    "begins_as",
    "is_parquet",
    "is_paths",
    "named",
    "paths_of",
    "require_room",
    "same_columns",
    "same_files",
    "scanned",
]

_BLOCK = 2**20

_LF, _CR = b"\n\r"

_PARQUETS = (".parquet", ".pq")

_COMPRESSED = ((b"\x1f\x8b", "gzip"), (b"\x28\xb5\x2f\xfd", "zstd"))
"""How a file begins that DuckDB decompresses."""

_OTHERS = (b"BZh", b"\xfd7zXZ\x00")
"""How a file begins that the strict reader decompresses, and DuckDB does not."""

_OPENED = ((b"\x1f\x8b", gzip.open), (b"BZh", bz2.open), (b"\xfd7zXZ\x00", lzma.open))

HELD = 24
"""Bytes of memory that the strict reader may take for each byte of text: 20 were measured, of the shortest cells."""


@dataclass(frozen=True)
class TableFile:
    """One file of a table.

    Attributes
    ----------
    path
        Where it is.
    sha256
        Of its bytes.
    kind
        ``"Parquet"`` or ``"CSV"``; None for a file that the strict reader alone reads, or refuses with the reason.
    compression
        What it is compressed by: ``"gzip"``, ``"zstd"`` or ``"none"``.
    ends
        The bytes by which a line of it ends; None where that was not looked at.
    lines
        How many lines it has; None where that was not looked at.
    """

    path: str
    sha256: str
    kind: str | None
    compression: str
    ends: frozenset[bytes] | None = None
    lines: int | None = None


def is_parquet(head: bytes, name: str) -> bool:
    """Say whether a file is Parquet: it begins so, or is called so; a damaged one is not read as text."""
    return head.startswith(PARQUET) or Path(name).suffix.lower() in _PARQUETS


def is_paths(source: object) -> bool:
    """Say whether a source is the path of a file, or several of them."""
    if isinstance(source, (list, tuple)):
        return bool(source) and all(isinstance(each, (str, PathLike)) for each in source)
    return isinstance(source, (str, PathLike))


def paths_of(source: Any) -> list[str]:
    """Return the paths that are meant: one, several, or a pattern such as ``part-*.parquet``; a file's own name first.

    Raises
    ------
    TableError
        For a pattern that no file has, or a path that is not one.
    """
    found: list[str] = []
    for each in source if isinstance(source, (list, tuple)) else [source]:
        path = fspath(each)
        if not isinstance(path, str):
            raise TableError(f"the path {path!r} is not a text; give a text, or a pathlib.Path")
        if "\0" in path or Path(path).exists() or not glob.has_magic(path):
            found.append(path)
            continue
        matching = sorted(name for name in glob.glob(path, recursive=True) if Path(name).is_file())
        if not matching:
            raise TableError(f"no file is named like {path}; give the path of a file, or a pattern that files have")
        found += matching
    if len(set(found)) < len(found):
        twice = next(path for path in found if found.count(path) > 1)
        raise TableError(f"file {twice} is given twice, and its rows would count twice; give it once")
    return found


def scanned(path: str) -> TableFile:
    """Read a file once, in blocks: its sha256, what it is, and whether it is text in UTF-8 without a NUL.

    Raises
    ------
    TableError
        If it cannot be read.
    """
    digest, head, last = hashlib.sha256(), b"", b""
    decoder, pending, ends = codecs.getincrementaldecoder("utf-8")(), False, set[bytes]()
    breaks = {_LF: 0, _CR: 0}
    kind: str | None = None
    compression = "none"
    try:
        with open(path, "rb") as content:
            while block := content.read(_BLOCK):
                digest.update(block)
                if not head:
                    head = block[:8]
                    kind, compression = _kind_of(head, path)
                if kind != "CSV" or compression != "none":
                    continue
                if b"\0" in block:
                    kind = None
                elif pending or not block.isascii():
                    decoder.decode(block)
                    pending = decoder.getstate()[0] != b""
                cells = np.frombuffer(block, dtype=np.uint8)
                for code in filter(block.__contains__, breaks):
                    ending, before = _ends(cells, code, last)
                    breaks[code] += ending
                    ends |= before
                last = block[-1:]
        ends.add(last)
        decoder.decode(b"", final=True)
    except UnicodeDecodeError:
        return TableFile(path, _sha256(path), None, compression)
    except (OSError, ValueError) as error:
        raise TableError(f"file {path} cannot be read: {getattr(error, 'strerror', None) or error}") from error
    looked = kind == "CSV" and compression == "none"
    if not looked:
        return TableFile(path, digest.hexdigest(), kind, compression)
    lines = (breaks[_LF] or breaks[_CR]) + (last not in (b"", b"\n", b"\r"))
    return TableFile(path, digest.hexdigest(), kind, compression, frozenset(ends), lines)


def _ends(cells: np.ndarray[Any, np.dtype[np.uint8]], code: int, last: bytes) -> tuple[int, set[bytes]]:
    """Return how many line breaks of a code a block has, and what stands before them; `last` is what is before it.

    To look for a separator and a break takes ten times as long.
    """
    places = np.flatnonzero(cells == code)
    inside = places[int(places[0] == 0) :] - 1
    before = np.flatnonzero(np.bincount(cells[inside])).tolist()
    return len(places), {bytes([each]) for each in before} | ({last} - {b""} if places[0] == 0 else set())


def begins_as(path: str) -> tuple[str | None, str]:
    """Return what a file is by its first bytes, and how it is compressed, see `TableFile`.

    Raises
    ------
    TableError
        If it cannot be read.
    """
    try:
        with open(path, "rb") as content:
            return _kind_of(content.read(8), path)
    except (OSError, ValueError) as error:
        raise TableError(f"file {path} cannot be read: {getattr(error, 'strerror', None) or error}") from error


def require_room(paths: Sequence[str], memory: object, why: str) -> None:
    """Raise `TableError` for text files that take more memory than may be taken, where they are read whole.

    Parameters
    ----------
    paths
        The files.
    memory
        As `tcloseness.microdata.combinations.memory_size` takes it; None for no limit.
    why
        Why they are read so, and the way out.
    """
    allowed = memory_size(memory)
    if allowed is None:
        return
    size = 0
    for path in paths:
        try:
            size += _unpacked_size(path, allowed // HELD - size)
        except (OSError, EOFError, ValueError, zlib.error, lzma.LZMAError):  # said when it is read
            continue
        if size * HELD > allowed:
            raise TableError(
                f"file {path} is read into memory whole, which may take {HELD} times the size of its text: more than "
                f"memory={memory!r}. {why}, or leave memory out"
            )


def _unpacked_size(path: str, enough: int) -> int:
    """Return how many bytes a file holds, unpacked; of compressed ones it is read until there are more than enough."""
    with open(path, "rb") as content:
        head = content.read(8)
    opened: Any = next((how for start, how in _OPENED if head.startswith(start)), None)
    if opened is None:
        return Path(path).stat().st_size
    size = 0
    with opened(path, "rb") as content:
        while size <= enough and (block := content.read(_BLOCK)):
            size += len(block)
    return size


def _sha256(path: str) -> str:
    with open(path, "rb") as content:
        return hashlib.file_digest(content, "sha256").hexdigest()


def _kind_of(head: bytes, path: str) -> tuple[str | None, str]:
    if is_parquet(head, path):
        return "Parquet", "none"
    for start, name in _COMPRESSED:
        if head.startswith(start):
            return "CSV", name
    return (None if head.startswith(_OTHERS) else "CSV"), "none"


def same_columns(files: Sequence[object], columns: Sequence[Sequence[object]], what: str = "columns") -> None:
    """Raise `TableError` unless all files have the same columns, in one order.

    Parameters
    ----------
    files, columns
        The files and, in their order, what each has.
    what
        What is compared.
    """
    for file, other in zip(files, columns, strict=True):
        if list(other) == list(columns[0]):
            continue
        place = next(
            (place for place, (a, b) in enumerate(zip(columns[0], other, strict=False)) if a != b),
            min(len(other), len(columns[0])),
        )
        first, second = (repr(each[place]) if place < len(each) else "none" for each in (columns[0], other))
        raise TableError(
            f"the files of a table must have the same {what}: column {place + 1} is {first} in {files[0]} and "
            f"{second} in {file}; give files of one table"
        )


def named(files: Sequence[TableFile]) -> str:
    """Return what files are called in messages."""
    more = f" and {len(files) - 1} more" if len(files) > 1 else ""
    return f"file {files[0].path}{more}"


def same_files(source: Any, files: Sequence[tuple[str, str]]) -> list[TableFile]:
    """Return the files of a source; `TableError` for another source, or files that are not those of these sha256."""
    if not is_paths(source) or source == "-":
        raise TableError("rows are written from files; give their paths, or the statement of sql() to your engine")
    found = [scanned(path) for path in paths_of(source)]
    if files and [digest for _, digest in files] != [file.sha256 for file in found]:
        raise TableError(f"{named(found)} has changed since it was counted, or is another; count it again")
    return found
