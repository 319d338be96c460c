"""`Combinations`: the distinct combinations of a table's cells, as an engine counted them, and where that was.

An engine groups raw cells and nothing else. What a cell means is decided here, on the combinations alone, by the same
code for rows and for combinations: see `tcloseness.microdata.roles`.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass, field, fields, replace
from fractions import Fraction
from os import PathLike
from typing import Any, TypeAlias

import numpy as np

from tcloseness.errors import InputError, TableError
from tcloseness.exact import IntArray, as_fraction
from tcloseness.microdata.domain import MISSING, Domain
from tcloseness.microdata.normal_form import NUMERIC_TEXT
from tcloseness.microdata.values import identity, value_text

__all__ = [
    "IN_MEMORY",
    "LIMITS",
    "Coded",
    "Combinations",
    "Counting",
    "Options",
    "Origin",
    "meaning_missing",
    "memory_size",
    "missing_texts_of",
    "rows_of",
]

Coded: TypeAlias = tuple[IntArray, Domain]
"""A column: the code of each line's value, and the domain of these; an empty cell has the value `MISSING`."""


@dataclass(frozen=True)
class Origin:
    """Where a table was counted; never compared, and never a part of an answer.

    Attributes
    ----------
    kind
        What the table was: ``"CSV"``, ``"Parquet"``, ``"Polars"``, ….
    engine
        What counted it, with its version.
    time_zone
        The zone in which the engine gives times with a zone; empty where it has no say.
    collation
        By what texts are equal: ``"binary"`` for their characters.
    files
        The name and the sha256 of each file.
    rows
        How many rows were counted.
    """

    kind: str
    engine: str
    time_zone: str = ""
    collation: str = "binary"
    files: tuple[tuple[str, str], ...] = ()
    rows: int = 0

    def to_dict(self) -> dict[str, Any]:
        """Return what is known as JSON-ready data."""
        return {
            "kind": self.kind,
            "engine": self.engine,
            "time_zone": self.time_zone or None,
            "collation": self.collation,
            "files": [{"file": name, "sha256": digest} for name, digest in self.files],
            "rows": self.rows,
        }


IN_MEMORY = Origin("rows in memory", "tcloseness")
"""Where a table was counted whose rows were given one by one."""


@dataclass(frozen=True, eq=False)
class Combinations:
    """Lines of coded cells, and how many rows each line stands for.

    Attributes
    ----------
    columns
        Of each column that was asked for, its codes (of int32 or int64) and its domain.
    counts
        How many rows each line stands for, all > 0; None where each line is a row, in the order of the source.
    names
        The names of all columns of the source, in its order.
    origin
        Where it was counted.
    distinct
        Of columns without a role: how many different values they have, and how many rows with a missing one. Only of
        those whose first rows all differ, or whose name says that they name persons.
    orders
        Of columns whose type declares an order, their values from lowest to highest.
    """

    columns: Mapping[str, Coded]
    counts: IntArray | None
    names: tuple[str, ...]
    origin: Origin
    distinct: Mapping[str, tuple[int, int]] = field(default_factory=dict)
    orders: Mapping[str, Sequence[object]] = field(default_factory=dict)

    def __len__(self) -> int:
        return len(next(iter(self.columns.values()))[0])

    @property
    def rows(self) -> int:
        """How many rows the source has."""
        return len(self) if self.counts is None else int(self.counts.sum())

    def without(self, texts: frozenset[str]) -> Combinations:
        """Return the same with a missing value in place of each whose text, without the blanks around it, is given."""
        columns = {name: _without(coded, texts) for name, coded in self.columns.items()} if texts else self.columns
        return replace(self, columns=columns)


def _without(coded: Coded, texts: frozenset[str]) -> Coded:
    codes, domain = coded
    meant = meaning_missing(domain.values, texts)
    if not any(meant):
        return coded
    pairs = zip(domain.values, meant, strict=True)
    target, places = Domain.numbered([MISSING if empty else value for value, empty in pairs])
    return places.astype(codes.dtype)[codes], target


def meaning_missing(values: Sequence[object], texts: frozenset[str]) -> list[bool]:
    """Say of each value whether one of some texts means it: a text without the blanks around it, a number that the
    text reads as, anything else that is written so.

    >>> meaning_missing(["? ", 99, 98.5, "99"], frozenset(["?", "99.0"]))
    [True, True, False, False]
    """
    if set(map(type, values)) == {str}:
        if texts == {""}:
            return [not value or value.isspace() for value in values]  # type: ignore[attr-defined]
        return [value.strip() in texts for value in values]  # type: ignore[attr-defined]
    numbers: set[Fraction] = set()
    for text in filter(NUMERIC_TEXT.fullmatch, texts):
        try:
            numbers.add(as_fraction(text))
        except InputError:  # an exponent beyond all use
            continue
    found = []
    for value in values:
        kind, plain = identity(value)
        found.append(kind != "missing" and (_among(plain, numbers) or value_text(value).strip() in texts))
    return found


def _among(value: object, numbers: set[Fraction]) -> bool:
    try:
        return not isinstance(value, bool) and value in numbers
    except (ArithmeticError, TypeError):  # a signalling NaN
        return False


def rows_of(codes: IntArray, size: int, counts: IntArray | None) -> IntArray:
    """Return how many rows have each code from 0 to `size` − 1."""
    if counts is None:
        return np.bincount(codes, minlength=size)
    found = np.zeros(size, dtype=np.int64)
    np.add.at(found, codes, counts)
    return found


# ---------------------------------------------------------------------- what an engine is told


@dataclass(frozen=True)
class Counting:
    """How far an engine is.

    Attributes
    ----------
    share
        How much of a pass over the source is done, from 0 to 1, as the engine tells.
    total
        How many rows it has, of text the number of its lines; None where that is not known yet.
    again
        Whether it is a further pass, over columns without a role.
    """

    share: float
    total: int | None
    again: bool

    @property
    def rows(self) -> int | None:
        """About how many rows were read."""
        return None if self.total is None else round(self.share * self.total)


LIMITS = ("memory", "threads", "temporary")
"""The options within which an engine counts."""


@dataclass(frozen=True)
class Options:
    """How a source is read and counted.

    Attributes
    ----------
    separator, encoding
        Of text files, see `tcloseness.read_table`.
    missing_texts
        The texts of cells that mean a missing value; None (default) is the empty text in files, and none elsewhere.
    memory
        How much memory the engine may take: bytes, or a text such as ``"1GB"``.
    threads
        How many threads the engine may use.
    temporary
        A folder for what does not fit the memory; by default one that the system names.
    progress
        What is called now and then while an engine counts, with how far it is, and at the end of each pass. (In a
        Jupyter kernel without ipywidgets DuckDB cannot say how far it is: there it is called at the ends only.)
    """

    separator: str | None = None
    encoding: str | None = None
    missing_texts: Sequence[str] | None = None
    memory: int | str | None = None
    threads: int | None = None
    temporary: str | PathLike[str] | None = None
    progress: Callable[[Counting], None] | None = None

    def __post_init__(self) -> None:
        memory_size(self.memory)
        missing_texts_of(self.missing_texts or ())
        threads = self.threads
        if threads is not None and (isinstance(threads, bool) or not isinstance(threads, int) or threads < 1):
            raise InputError(f"threads={threads!r} must be a whole number ≥ 1; leave it out for one a processor")

    def refuse(self, where: str, *names: str) -> None:
        """Raise `InputError` for an option that was given and cannot apply."""
        for name in names:
            if getattr(self, name) is not None:
                raise InputError(f"{name}={getattr(self, name)!r} cannot apply: {where}; leave {name} out")


READING = tuple(each.name for each in fields(Options) if each.name != "progress")
"""The keywords that say how a source is read."""


def options_among(given: MutableMapping[str, Any]) -> Options | None:
    """Take from keywords those that say how a source is read; None where there are none."""
    found = {name: given.pop(name) for name in [*given] if name in READING}
    return Options(**found) if found else None


_UNITS = {"": 1, "B": 1} | {
    f"{letter}{kind}": base**power
    for power, letter in enumerate("KMGT", 1)
    for kind, base in (("", 1000), ("B", 1000), ("iB", 1024))
}


def memory_size(given: object) -> int | None:
    """Return an amount of memory in bytes: a whole number, or a text such as ``"1GB"`` or ``"512 MiB"``.

    Raises
    ------
    InputError
        For anything else.

    Examples
    --------
    >>> memory_size("1.5GB"), memory_size(4096), memory_size("1 KiB")
    (1500000000, 4096, 1024)
    """
    if given is None:
        return None
    size: float = -1
    if isinstance(given, int) and not isinstance(given, bool):
        size = given
    elif isinstance(given, str) and (found := re.fullmatch(r"\s*(\d{1,18}(?:\.\d{1,9})?)\s*([A-Za-z]*)\s*", given)):
        units = {unit.upper(): factor for unit, factor in _UNITS.items()}
        size = float(found[1]) * units.get(found[2].upper(), -1)
    if not 1 <= size < 2**63:
        raise InputError(
            f"memory={given!r} is not an amount of memory; give a whole number of bytes, or a text such as '1GB'"
        )
    return int(size)


def missing_texts_of(texts: object) -> frozenset[str]:
    """Return the texts that mean a missing value, without the blanks around them.

    Raises
    ------
    TableError
        For anything but texts.
    """
    if isinstance(texts, str) or not isinstance(texts, Sequence | frozenset | set):
        raise TableError(f"missing_texts is {texts!r}; give a list of texts, such as ['', '?']")
    for text in texts:
        if not isinstance(text, str):
            raise TableError(f"missing_texts holds {text!r}; a cell is compared by its text, so give texts")
    return frozenset(text.strip() for text in texts)
