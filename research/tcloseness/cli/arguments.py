"""How the texts of the command line become arguments: lists of columns, orders, ground distances, files.

Only the standard library is imported at the top, so that ``--help`` stays quick.
"""

from __future__ import annotations

import codecs
import difflib
import hashlib
import io
import sys
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Any, BinaryIO

from tcloseness.cli.output import file_name
from tcloseness.cli.withholding import saw
from tcloseness.errors import DomainError, HierarchyError, InputError, TableError
from tcloseness.writing import protect

if TYPE_CHECKING:
    import pandas as pd

    from tcloseness.ground import GroundDistance
    from tcloseness.microdata import Domain

__all__ = [
    "GROUND_HELP",
    "GROUND_NAMES",
    "Format",
    "Ground",
    "Ragged",
    "Source",
    "column_names",
    "digest",
    "encoding_name",
    "ground_of",
    "items",
    "open_source",
    "pair",
    "per_column",
    "read_frame",
    "refuse_unused",
    "refuse_unused_ground",
    "separator_text",
]

GROUND_NAMES = (
    "ordered",
    "ordered-by-value",
    "equal",
    "hierarchical:FILE",
    "matrix:FILE",
    "matrix/N:FILE",
    "nearest-metric:FILE",
)
"""How a ground distance is written; of a matrix, the entries rounded up to multiples of 1/N, or the nearest metric."""


GROUND_HELP = (
    "ordered, ordered-by-value, equal, hierarchical:FILE, or matrix:FILE (values in the first row and column); of a "
    "matrix whose entries were rounded, matrix/N:FILE (up to multiples of 1/N) or nearest-metric:FILE."
)


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
    """A table to read: its name, the sha256 of its bytes, what `read_table` is given, and how its bytes begin."""

    name: str
    sha256: str
    handle: str | BinaryIO
    head: bytes = b""


@dataclass(frozen=True)
class Ground:
    """A ground distance as it was written: its name, the file it comes from, and what `ground_distance` is given.

    `kind` is what was written before the file: the name, or how the entries of a matrix are mended.
    """

    name: str
    spec: Any
    file: str | None = None
    sha256: str | None = None
    kind: str = ""

    def require(self, domain: Domain, *, column: str, records: Sequence[int]) -> None:
        """Raise `HierarchyError` if its hierarchy misses a value; the message counts the records of each."""
        from tcloseness.microdata import Hierarchy

        if isinstance(self.spec, Hierarchy):
            try:
                self.spec.rows(domain, records)
            except HierarchyError as error:
                raise HierarchyError(f"--ground of column {column!r}, file {self.file}: {error}") from error

    def over(self, domain: Domain, *, column: str = "", records: Sequence[int] | None = None) -> GroundDistance:
        """Return the ground distance over a domain; column and records are those of `require`."""
        from tcloseness.ground import ground_distance

        if records is not None:
            self.require(domain, column=column, records=records)
        return ground_distance(self.spec, domain)

    def text(self, distance: GroundDistance | None) -> str:
        """Return the name, with what was done to the entries of a matrix over the domain, and the file."""
        name = self.name if distance is None else distance.name
        return name if self.file is None else f"{name}, {file_name(self.file)}"

    def to_dict(self, distance: GroundDistance | None = None) -> dict[str, str]:
        """Return the name and, where there are any, the file with its sha256, and what was done to its entries."""
        file = {} if self.file is None else {"file": file_name(self.file), "sha256": str(self.sha256)}
        mended = getattr(distance, "mended", "")
        return {"name": self.name, **file, **({"mended": mended} if mended else {})}

    def __str__(self) -> str:
        return self.text(None)


def items(text: str, option: str) -> list[str]:
    """Split a list at its commas; an item with a comma stands in double quotes.

    Raises
    ------
    InputError
        For an empty item.

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
    """Return the columns that are named: a text that is a column as it stands, or else a list with commas.

    Examples
    --------
    >>> column_names(["Age,ZIP", "Salary, USD"], ["Age", "ZIP", "Salary, USD"], "--quasi-identifiers")
    ['Age', 'ZIP', 'Salary, USD']
    """
    return [name for text in given for name in ([text] if text in columns else items(text, option))]


def per_column(given: Sequence[str], columns: Sequence[str], option: str, what: str) -> dict[str, str]:
    """Read ``COLUMN=TEXT`` options; of several columns that the text could mean, the longest is meant.

    Raises
    ------
    InputError
        For a text without ``=``, a column that is none of `columns`, or one that is named twice.

    Examples
    --------
    >>> per_column(["a=b=ordered"], ["a", "a=b"], "--ground", "DISTANCE")
    {'a=b': 'ordered'}
    """
    found: dict[str, str] = {}
    for text in given:
        name = max((c for c in columns if text.startswith(f"{c}=")), key=len, default=None)
        if name is None:
            before, equals, _ = text.partition("=")
            if not equals:
                example = f"{columns[0]}={text}"
                raise InputError(f"{option} {text!r} names no column; write COLUMN={what}, such as {example!r}")
            close = difflib.get_close_matches(before, columns, 1)
            hint = f"did you mean {close[0]!r}?" if close else f"they are {', '.join(map(repr, columns))}"
            raise InputError(f"{option} {text!r}: {before!r} is none of the columns it can be given for; {hint}")
        if name in found:
            raise InputError(f"{option} is given twice for column {name!r}; give it once")
        found[name] = text[len(name) + 1 :]
    return found


def pair(text: str, option: str) -> tuple[str, str]:
    """Read two numbers with a comma between them.

    Raises
    ------
    InputError
        Unless there are two.

    Examples
    --------
    >>> pair("3,2", "--recursive")
    ('3', '2')
    """
    parts = items(text, option)
    if len(parts) != 2:
        raise InputError(f"{option} {text!r} must be two numbers C,L, such as 3,2")
    return parts[0], parts[1]


def ground_of(
    text: str,
    *,
    separator: str | None = None,
    encoding: str | None = None,
    ragged: str = "error",
    allow_non_metric: bool = False,
) -> Ground:
    """Read a ground distance as it is written on the command line, see `GROUND_NAMES`.

    Raises
    ------
    DomainError
        For an unknown name, a file that is missing from it, or a matrix file that cannot be read.
    HierarchyError
        For a hierarchy file that cannot be read.
    """
    kind, colon, file = text.partition(":")
    if text in ("ordered", "ordered-by-value", "equal"):
        return Ground(text, text)
    if kind not in ("hierarchical", "matrix", "nearest-metric") and not kind.startswith("matrix/"):
        close = difflib.get_close_matches(kind, [name.partition(":")[0] for name in GROUND_NAMES], 1)
        hint = f"did you mean {close[0]!r}?" if close else "its name is misspelt"
        raise DomainError(f"ground distance {text!r} is unknown; it is one of {', '.join(GROUND_NAMES)} ({hint})")
    if not colon or not file:
        raise DomainError(f"ground distance {text!r} needs its file: write {kind}:FILE")
    if kind == "hierarchical":
        from tcloseness.microdata import Hierarchy

        hierarchy = Hierarchy.from_csv(file, separator=separator, encoding=encoding, ragged=ragged)  # type: ignore[arg-type]
        return Ground(kind, hierarchy, file, digest(file))
    from tcloseness.ground import LabelledMatrix

    denominator = kind.removeprefix("matrix/") if kind.startswith("matrix/") else None
    if denominator is not None and not (denominator.isascii() and denominator.isdigit() and len(denominator) < 100):
        raise DomainError(
            f"ground distance {text!r}: write matrix/N:FILE with a whole number N, as in matrix/1000:FILE"
        )
    spec = LabelledMatrix(
        _matrix(file, separator, encoding),
        allow_non_metric,
        None if denominator is None else int(denominator),
        kind == "nearest-metric",
    )
    return Ground("matrix", spec, file, digest(file), kind)


def _matrix(file: str, separator: str | None, encoding: str | None) -> dict[str, dict[str, str]]:
    """Read a matrix with the values in its first row and column."""
    from tcloseness.microdata.text_files import cells_of, content_of, separator_of, text_of

    separator = separator_of(separator, file, f" of matrix file {file}", DomainError)
    text = text_of(content_of(file, "matrix file", DomainError)[0], file, encoding, "matrix file", DomainError)
    lines = [line for line in cells_of(text, separator, f"matrix file {file}", DomainError) if any(line[1])]
    rows = [cells for _, cells in lines]
    if len(rows) < 2 or len(rows[0]) < 2:
        raise DomainError(
            f"matrix file {file} has no entries when split at {separator!r}; it needs the values in its first row and "
            "its first column"
        )
    labels = rows[0][1:]
    table: dict[str, dict[str, str]] = {}
    for line, row in lines[1:]:
        if len(row) != len(labels) + 1:
            raise DomainError(f"matrix file {file}, line {line} has {len(row)} cells and line 1 has {len(rows[0])}")
        if row[0] in table:
            raise DomainError(f"matrix file {file}: value {row[0]!r} has two rows; each value has one")
        table[row[0]] = dict(zip(labels, row[1:], strict=True))
    if sorted(labels) != sorted(table):
        odd = sorted(set(labels) ^ set(table)) or sorted({x for x in labels if labels.count(x) > 1})
        raise DomainError(
            f"matrix file {file}: value {odd[0]!r} does not stand once in the first row and once in the first column"
        )
    return {label: table[label] for label in labels}


def separator_text(text: str | None) -> str | None:
    r"""Return the separator that is meant; ``\t`` and ``tab`` are the tabulator. None if none was given.

    Raises
    ------
    InputError
        Unless it is one character.
    """
    if text is None:
        return None
    character = "\t" if text in ("\\t", "tab") else text
    if len(character) != 1 or character in '"\r\n':
        raise InputError(f"the separator {text!r} must be one character, such as ',' or ';', or 'tab'")
    return character


def encoding_name(text: str | None) -> str | None:
    """Return an encoding's name if Python knows it; None if none was given.

    Raises
    ------
    InputError
        If it does not.
    """
    if text is None:
        return None
    try:
        codecs.lookup(text)
    except (LookupError, ValueError) as error:
        raise InputError(f"encoding {text!r} is unknown; it is a name such as 'utf-8' or 'latin-1'") from error
    return text


def open_source(table: str) -> Source:
    """Open a table to read: a file, ``-`` for standard input, or a pipe; with the sha256 of what will be read.

    Raises
    ------
    TableError
        If the file cannot be read.
    """
    if table != "-" and not Path(table).is_fifo():
        hashed = digest(table)
        with open(table, "rb") as file:
            return Source(table, hashed, table, file.read(8))
    try:  # a pipe can be read only once
        content = sys.stdin.buffer.read() if table == "-" else Path(table).read_bytes()
    except OSError as error:
        raise TableError(f"file {table} cannot be read: {error.strerror or error}") from error
    name = "standard input" if table == "-" else table
    handle = io.BytesIO(content)
    handle.name = name
    return Source(name, hashlib.sha256(content).hexdigest(), handle, content[:8])


def read_frame(
    source: Source,
    *,
    separator: str | None,
    encoding: str | None,
    missing_text: Sequence[str] | None,
    other_files: bool,
) -> pd.DataFrame:
    """Return the rows of a table, see `tcloseness.read_table`.

    Parameters
    ----------
    source
        The table.
    separator, encoding, missing_text
        The options as they were given, None where not.
    other_files
        Whether text files are read beside the table, so that an encoding is of use also where the table has none.

    Raises
    ------
    TableError
        If the table cannot be read as asked.
    """
    from tcloseness.microdata.sources import is_parquet, read_table

    if encoding is not None and other_files and is_parquet(source.head, source.name):
        encoding = None
    frame = read_table(source.handle, separator=separator, encoding=encoding, missing_texts=("", *(missing_text or ())))
    saw(frame)
    return frame


def refuse_unused(given: Mapping[str, object], why: str) -> None:
    """Raise `InputError` for an option that was given and that nothing here would obey.

    Parameters
    ----------
    given
        By option, its value; None where it was not given.
    why
        What is missing for them to be of use.
    """
    for option, value in given.items():
        if value is not None:
            raise InputError(f"{option} {value} was given, and {why}; leave it out")


def refuse_unused_ground(
    grounds: Sequence[str], *, separator: str | None, ragged: Ragged, encoding: str | None = None
) -> None:
    """Raise `InputError` for an option about a ground distance's file that none of the ground distances obeys.

    Parameters
    ----------
    grounds
        The ground distances as they were written.
    separator, ragged, encoding
        The options; an encoding only where no other file is read.
    """
    files = [text for text in grounds if ":" in text]
    if not files:
        refuse_unused(
            {"--ground-separator": separator, "--encoding": encoding}, "no ground distance is read from a file"
        )
    if not any("hierarchical:" in text for text in files):
        refuse_unused(
            {"--ragged": None if ragged is Ragged.ERROR else ragged.value}, "no ground distance is a hierarchy's"
        )


def digest(file: str) -> str:
    """Return the sha256 of a file that is read; one that cannot be raises `TableError`."""
    protect(file)
    try:
        with open(file, "rb") as content:
            return hashlib.file_digest(content, "sha256").hexdigest()
    except (OSError, ValueError) as error:
        raise TableError(f"file {file} cannot be read: {getattr(error, 'strerror', None) or error}") from error
