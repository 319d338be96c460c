"""The checkers' own reading of a table and its hierarchies into counts.

Nothing here is shared with what answers questions. The *canonical text* of a table's counts is one line of JSON that
names the columns, then a line for each combination of values that occurs: its values, each as a text with its kind
before it, and its count; sorted, in ASCII. The sha256 of that text is the table's digest. A cell of a CSV file is a
text: ``text:Sales``. What another source holds is written with its own kind: ``number:3/8``, ``missing:``.
"""

from __future__ import annotations

import bz2
import gzip
import hashlib
import io
import json
import lzma
import re
import zlib
from collections import Counter
from collections.abc import Callable, Container, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from operator import itemgetter
from pathlib import PurePath
from typing import IO, Any, Protocol

from tcloseness.certificates.envelope import Reading, digest_of, names_of, reading_of
from tcloseness.displayed import counted
from tcloseness.errors import CertificateFormatError, InputError
from tcloseness.exact import as_fraction
from tcloseness.printable import Brief
from tcloseness.strict_records import text, whole

__all__ = [
    "HEADER",
    "MISSING",
    "MOST_RECORDS",
    "Counts",
    "NamedTable",
    "PublishedCounts",
    "canonical_text",
    "columns_of",
    "levels_digest",
    "levels_of",
    "levels_text",
    "published",
    "read_counts",
    "read_rows",
    "read_table",
    "require_hierarchy",
    "require_nested",
    "rows_digest",
    "value_part",
]

HEADER = "tcloseness-counts-1"
MISSING = "missing:"
MOST_RECORDS = 2**53

_PACKED: Mapping[bytes, Callable[[IO[bytes]], Any]] = {
    b"\x1f\x8b": lambda packed: gzip.GzipFile(fileobj=packed),
    b"BZh": bz2.BZ2File,
    b"\xfd7zXZ\x00": lzma.LZMAFile,
}

_OF_TABS = frozenset({".tsv", ".tab"})

LARGEST = 2**31
"""Bytes that are unpacked from a compressed file."""


@dataclass(frozen=True)
class Counts(Brief):
    """How many records have each combination of values.

    Attributes
    ----------
    columns
        The quasi-identifiers, then the sensitive attribute, if there is one.
    counts
        By combination, its values as canonical texts.
    """

    columns: tuple[str, ...]
    counts: Mapping[tuple[str, ...], int] = field(repr=False)

    @classmethod
    def of(cls, columns: Sequence[str], counts: Mapping[tuple[str, ...], int]) -> Counts:
        """Return counts."""
        return cls(tuple(columns), counts)

    @cached_property
    def digest(self) -> str:
        """The sha256 of the canonical text."""
        return hashlib.sha256(canonical_text(self.columns, self.counts).encode()).hexdigest()


def canonical_text(columns: Sequence[str], counts: Mapping[tuple[str, ...], int]) -> str:
    """Return the canonical text of counts.

    >>> canonical_text(["zip", "disease"], {("text:476", "text:flu"): 2}).splitlines()
    ['["tcloseness-counts-1","zip","disease"]', '["text:476","text:flu",2]']
    """
    quoted = _Quoted()
    cells = [map(quoted.__getitem__, map(itemgetter(place), counts)) for place in range(len(columns))]
    lines = sorted(map("[{},{}]".format, map(",".join, zip(*cells, strict=True)), counts.values()))
    return "\n".join([json.dumps([HEADER, *columns], separators=(",", ":")), *lines]) + "\n"


class _Quoted(dict[str, str]):
    """Texts as JSON; each is written once."""

    def __missing__(self, text: str) -> str:
        self[text] = json.dumps(text)
        return self[text]


def value_part(canonical: str) -> str:
    """Return a value without its kind, as hierarchies name it; the missing one is ``(missing)``."""
    return "(missing)" if canonical == MISSING else canonical.partition(":")[2]


def read_counts(content: bytes) -> Counts:
    """Read the canonical text of counts.

    Raises
    ------
    CertificateFormatError
        If it is not exactly that.
    """
    try:
        head, *rows = json.loads(f"[{','.join(content.decode('ascii').splitlines())}]")
        columns = tuple(head[1:])
        counts = {tuple(row[:-1]): row[-1] for row in rows}
        right = head[0] == HEADER and len(counts) == len(rows)
        right = right and all(type(name) is str for name in columns)
        for values, count in counts.items():
            right = right and len(values) == len(columns) and all(type(value) is str for value in values)
            right = right and type(count) is int and count > 0
        right = right and canonical_text(columns, counts).encode() == content
    except (ValueError, TypeError, IndexError, KeyError, RecursionError) as error:
        raise CertificateFormatError(f"the counts cannot be read: {error}") from error
    if not right:
        raise CertificateFormatError("the counts are not a canonical text; write them again with --counts")
    return Counts.of(columns, counts)


class NamedTable(Protocol):
    """What a certificate says of a table: its columns, and how its file is read."""

    @property
    def quasi_identifiers(self) -> tuple[str, ...]:
        """Their names."""

    @property
    def sensitive(self) -> str | None:
        """Its name; None where there is none."""

    @property
    def reading(self) -> Reading:
        """How the file is read."""


def columns_of(envelope: NamedTable) -> tuple[str, ...]:
    """Return the columns that are counted: the quasi-identifiers, then the sensitive attribute, if there is one."""
    return (*envelope.quasi_identifiers, *(() if envelope.sensitive is None else (envelope.sensitive,)))


def read_table(content: bytes, envelope: NamedTable) -> Counts:
    """Read a table's file as a certificate says: a CSV file, or the canonical text of counts.

    Raises
    ------
    CertificateFormatError
        If it is not such a file, lacks a column, or has a missing value where there should be none.
    """
    columns = columns_of(envelope)
    if content.startswith(f'["{HEADER}",'.encode()):
        found = read_counts(content)
        if found.columns != columns:
            raise CertificateFormatError(f"the counts are of the columns {found.columns}, and not {columns}")
        return found
    reading = envelope.reading
    missing = {cell.strip() for cell in reading.missing_texts}
    wanted = [*columns, *([] if reading.weight is None else [reading.weight])]
    counts = Counter(_cells_of(content, wanted, reading))
    found_counts: dict[tuple[str, ...], int] = {}
    for cells, number in counts.items():
        values = _canonical(cells[: len(columns)], columns, reading.missing, missing)
        if MISSING in values and reading.missing == "drop":
            continue
        records = number if reading.weight is None else number * _whole(cells[-1], reading.weight)
        if records:
            found_counts[tuple(values)] = found_counts.get(tuple(values), 0) + records
    return Counts.of(columns, found_counts)


def read_rows(content: bytes, columns: Sequence[str], reading: Reading, where: str) -> list[tuple[str, ...]]:
    """Return some columns of a CSV file row by row, in its order; values are canonical texts.

    Raises
    ------
    CertificateFormatError
        As `read_table`; also if rows are weighted or left out, since each is counted by its place.
    """
    if reading.weight is not None or reading.missing == "drop":
        raise CertificateFormatError(f"{where} is read row by row, and its reading has a weight or leaves rows out")
    missing = {cell.strip() for cell in reading.missing_texts}
    return [
        _canonical(cells, columns, reading.missing, missing, where)
        for cells in _cells_of(content, columns, reading, where)
    ]


def rows_digest(columns: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return the sha256 of rows in their order: a line of JSON for the columns, then one for each row."""
    lines = (json.dumps(list(each), separators=(",", ":")) for each in (columns, *rows))
    return hashlib.sha256("\n".join(lines).encode()).hexdigest()


def _cells_of(
    content: bytes, wanted: Sequence[str], reading: Reading, where: str = "the table"
) -> Iterator[tuple[str, ...]]:
    """Yield the cells of some columns, row after row."""
    rows = _rows(_text(content, reading.encoding, where), reading.separator, where)
    _, header = next(rows, (0, []))
    for name in wanted:
        if header.count(name) != 1:
            raise CertificateFormatError(
                f"{where} has {counted(header.count(name), 'column')} named {name!r}; it must have one"
            )
    places = [header.index(name) for name in wanted]
    for line, row in rows:
        if len(row) != len(header):
            raise CertificateFormatError(
                f"line {line} of {where} has {counted(len(row), 'cell')} and the header {len(header)}"
            )
        yield tuple([row[place] for place in places])


def _canonical(
    cells: Sequence[str], columns: Sequence[str], way: str, missing: Container[str], where: str = "the table"
) -> tuple[str, ...]:
    values = tuple([MISSING if cell.strip() in missing else f"text:{cell}" for cell in cells])
    if MISSING in values and way == "error":
        raise CertificateFormatError(f"{where} has a missing value in {columns[values.index(MISSING)]!r}")
    return values


def _whole(cell: str, column: str) -> int:
    try:
        number = as_fraction(cell, column)
    except InputError as error:
        raise CertificateFormatError(str(error)) from error
    if number.denominator != 1 or number < 0:
        raise CertificateFormatError(f"the weight {cell!r} in {column!r} is not a whole number ≥ 0")
    return number.numerator


def levels_of(content: bytes, name: str, reading: Reading, *, file: str = "") -> list[tuple[str, ...]]:
    """Read a hierarchy's file: a row is a value, its label at level 1, …, the root.

    Parameters
    ----------
    content, name
        The file, and the attribute's name for messages.
    reading
        How it is read.
    file
        The file's name: where the reading names no separator, it is a tab in ``.tsv`` and ``.tab``, also in
        ``.tsv.gz``; else a comma.

    Raises
    ------
    CertificateFormatError
        If it is not a hierarchy: rows of different length, a value twice, levels that do not nest, or no common root.
    """
    tabs = _OF_TABS.intersection(map(str.lower, PurePath(file).suffixes[-2:]))
    separator = reading.hierarchy_separator or ("\t" if tabs else ",")
    where = f"the hierarchy of {name!r}"
    rows = []
    for line, cells in _rows(_text(content, reading.encoding, where), separator, where):
        while cells and not cells[-1]:
            cells.pop()
        if "" in cells:
            raise CertificateFormatError(f"line {line} of {where} has an empty cell")
        if cells:
            rows.append(cells)
    longest = max(map(len, rows), default=0)
    if reading.ragged == "repeat-leaf":
        rows = [row[:1] * (longest - len(row)) + row for row in rows]
    elif reading.ragged == "repeat-parent":
        rows = [row[:1] + row[1:2] * (longest - len(row)) + row[1:] for row in rows]
    require_nested(rows, where)
    return [tuple(row) for row in rows]


def levels_text(rows: Sequence[Sequence[str]]) -> str:
    """Return the canonical text of a hierarchy: a line of JSON for each of its rows, sorted."""
    return "\n".join(sorted(json.dumps(list(row), separators=(",", ":")) for row in rows)) + "\n"


def levels_digest(rows: Sequence[Sequence[str]]) -> str:
    """Return the sha256 of a hierarchy's canonical text."""
    return hashlib.sha256(levels_text(rows).encode()).hexdigest()


def require_nested(rows: Sequence[Sequence[str]], where: str) -> None:
    """Raise `CertificateFormatError` unless each value has one row, each label one label above it, and all one root."""
    if not rows or not rows[0] or any(len(row) != len(rows[0]) for row in rows):
        raise CertificateFormatError(f"{where} has rows of different length, or none")
    if len({row[0] for row in rows}) < len(rows):
        raise CertificateFormatError(f"{where} has a value twice")
    for level in range(len(rows[0]) - 1):
        above: dict[str, str] = {}
        for row in rows:
            if above.setdefault(row[level], row[level + 1]) != row[level + 1]:
                raise CertificateFormatError(f"{where} has two labels above {row[level]!r} of level {level}")
    if len({row[-1] for row in rows}) != 1:
        raise CertificateFormatError(f"{where} has no common root")


def require_hierarchy(rows: Sequence[Sequence[str]] | None, digest: str | None, name: str) -> None:
    """Raise `CertificateFormatError` unless a hierarchy is the one that a certificate names, or is None as in it."""
    if rows is not None:
        require_nested(rows, f"the hierarchy of {name!r}")
    elif digest is not None:
        raise CertificateFormatError(f"the certificate needs the hierarchy of {name!r}; give its file")
    if digest != (None if rows is None else levels_digest(rows)):
        raise CertificateFormatError(f"the certificate is about another hierarchy of {name!r}")


# ---------------------------------------------------------------------- files


def _text(content: bytes, encoding: str, where: str) -> str:
    try:
        for head, unpack in _PACKED.items():
            if content.startswith(head):
                with unpack(io.BytesIO(content)) as unpacked:
                    content = unpacked.read(LARGEST + 1)
                if len(content) > LARGEST:
                    raise CertificateFormatError(f"{where} holds more than {LARGEST:,} bytes once it is unpacked")
                break
        return content.decode(encoding).removeprefix("\ufeff")
    except (ValueError, LookupError, OSError, EOFError, zlib.error, lzma.LZMAError) as error:
        raise CertificateFormatError(f"{where} cannot be read: {error}") from error


def _rows(text: str, separator: str, where: str) -> Iterator[tuple[int, list[str]]]:
    """Yield the line that each row begins on, and its cells without the blanks around them; not blank lines."""
    if "\0" in text:
        raise CertificateFormatError(f"{where} holds the character NUL")
    if '"' in text:
        yield from _quoted_rows(text, separator, where)
        return
    for line, row in enumerate(re.split(r"\r\n|\r|\n", text), 1):
        if separator in row or row.strip():
            yield line, [cell.strip() for cell in row.split(separator)]


def _quoted_rows(text: str, separator: str, where: str) -> Iterator[tuple[int, list[str]]]:
    """Read cells that may be quoted: what is between the quotes is the cell, blanks and line breaks included."""
    mark = re.escape(separator)
    blank = rf"(?:(?!{mark})[^\S\r\n])*"
    cell = re.compile(rf'{blank}"((?:[^"]|"")*+)"{blank}(?={mark}|[\r\n]|\Z)|((?:(?!{mark})[^\r\n])*)')
    place, line, row = 0, 1, list[str]()
    begun = 1
    while place <= len(text):
        found = cell.match(text, place)
        assert found is not None  # the second form is also empty
        if found[1] is None and found[2].lstrip().startswith('"'):
            raise CertificateFormatError(f"line {line} of {where} has a quote that is not closed, or goes on after it")
        row.append(found[2].strip() if found[1] is None else found[1].replace('""', '"'))
        line += len(re.findall(r"\r\n|\r|\n", found[0]))
        place = found.end()
        if text.startswith(separator, place):
            place += 1
            continue
        if row != [""] or found[1] is not None:
            yield begun, row
        if place == len(text):
            return
        place += 2 if text.startswith("\r\n", place) else 1
        line, row = line + 1, []
        begun = line


@dataclass(frozen=True)
class PublishedCounts:
    """What a certificate says of a published table.

    Attributes
    ----------
    digest
        Of its counts, see the module.
    quasi_identifiers, sensitive, records
        The columns, and how many records there are; no sensitive attribute is None.
    reading
        How its file is read.
    """

    digest: str
    quasi_identifiers: tuple[str, ...]
    sensitive: str | None
    records: int
    reading: Reading

    @classmethod
    def of(cls, counts: Counts, reading: Reading, *, has_sensitive: bool = True) -> PublishedCounts:
        """Return what is said of counts, the last of whose columns is the sensitive attribute, where there is one."""
        names, sensitive = (counts.columns[:-1], counts.columns[-1]) if has_sensitive else (counts.columns, None)
        return cls(counts.digest, names, sensitive, sum(counts.counts.values()), reading)

    def counts_in(self, table: bytes, what: str) -> Counts:
        """Return the counts of a file, which must be those that it names.

        Raises
        ------
        CertificateFormatError
            If the file cannot be read so, or has other counts.
        """
        counts = read_table(table, self)
        if counts.digest != self.digest:
            raise CertificateFormatError(
                f"the certificate is about another {what}: the digest of these counts is {counts.digest}, and not "
                f"{self.digest}"
            )
        records = sum(counts.counts.values())
        if records != self.records:
            raise CertificateFormatError(f"{what} has {counted(records, 'record')}, and not {self.records:,}")
        return counts

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data."""
        return {
            "digest": self.digest,
            "quasi_identifiers": list(self.quasi_identifiers),
            "sensitive": self.sensitive,
            "records": self.records,
            "reading": self.reading.to_dict(),
        }


def published(record: Mapping[str, Any], what: str) -> dict[str, Any]:
    """Read strictly what a certificate says of a published table: the attributes of `PublishedCounts`."""
    return {
        "digest": digest_of(record["digest"], f"{what}.digest"),
        "quasi_identifiers": names_of(record["quasi_identifiers"], f"{what}.quasi_identifiers"),
        "sensitive": None if record["sensitive"] is None else text(record["sensitive"], f"{what}.sensitive"),
        "records": whole(record["records"], f"{what}.records", least=1, most=MOST_RECORDS),
        "reading": reading_of(record["reading"]),
    }
