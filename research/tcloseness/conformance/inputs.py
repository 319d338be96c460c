"""The inputs of test vectors: a table with everything that decides its answer, or two distributions.

Every number is text, so that no reader's doubles touch it. A cell is text or null; the column's type says how the text
is read: ``text`` as it is, ``integer`` and ``decimal`` as numbers (``1`` and ``1.0`` are one number).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from tcloseness.errors import VectorError

__all__ = ["Cell", "Distributions", "Released", "Table", "input_from_dict"]

Cell = str | int | Fraction | None
"""A cell as its column's type reads it; None is a missing value."""

TYPES = ("text", "integer", "decimal")


@dataclass(frozen=True)
class Released:
    """What a method made of a table, and what is known of the table.

    Attributes
    ----------
    method, parameters
        The method's name, and its parameters.
    classes
        By row, the number of its class in the release, from 1 on in the order of the rows.
    known
        ``"quasi-identifiers"``: those of everybody, and who is in which class; or ``"release"``: that alone, and the
        values that there are, which are those of the hierarchy.
    """

    method: str
    parameters: Mapping[str, str]
    classes: tuple[int, ...]
    known: str

    def to_dict(self) -> dict[str, Any]:
        """Return the release as a harness is sent it."""
        classes = [str(number) for number in self.classes]
        return {"method": self.method, "parameters": dict(self.parameters), "classes": classes, "known": self.known}

    @classmethod
    def from_dict(cls, record: Mapping[str, Any]) -> Released:
        """Read what `to_dict` wrote."""
        classes = tuple(int(number) for number in record["classes"])
        return cls(record["method"], dict(record["parameters"]), classes, record["known"])


@dataclass(frozen=True)
class Table:
    """A table of records, the roles of its columns, and what the question needs beside them.

    Attributes
    ----------
    columns, types, rows
        The names, the types (one of ``text``, ``integer``, ``decimal``) and the cells as text, None where missing.
    quasi_identifiers, sensitive
        The names of the columns of each role.
    times
        How many records each row stands for; None: one each.
    index
        Labels of the rows, as a data frame may carry them after filtering or concatenating; they mean nothing.
    categories
        Per column the values that it was declared to have; they mean nothing either.
    order
        The values of the sensitive attribute from lowest to highest, where its type has no order of its own.
    hierarchies
        Per column one row a value: the value, its generalization at level 1, …, the root.
    levels
        Per quasi-identifier the level to which it has been generalized, for losses.
    distance
        The ground distance as ``(values, matrix)``, entries as text.
    release
        What a method made of it, for what a release discloses.
    """

    columns: tuple[str, ...]
    types: tuple[str, ...]
    rows: tuple[tuple[str | None, ...], ...]
    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    times: tuple[int, ...] | None = None
    index: tuple[int, ...] | None = None
    categories: Mapping[str, tuple[str, ...]] = field(default_factory=dict)
    order: tuple[str, ...] | None = None
    hierarchies: Mapping[str, tuple[tuple[str, ...], ...]] = field(default_factory=dict)
    levels: Mapping[str, int] = field(default_factory=dict)
    distance: tuple[tuple[str, ...], tuple[tuple[str, ...], ...]] | None = None
    release: Released | None = None

    def column(self, name: str) -> list[Cell]:
        """Return the cells of a column as its type reads them."""
        place = self.columns.index(name)
        return [read_cell(row[place], self.types[place]) for row in self.rows]

    def type_of(self, name: str) -> str:
        """Return the type of a column."""
        return self.types[self.columns.index(name)]

    @property
    def counts(self) -> tuple[int, ...]:
        """How many records each row stands for."""
        return self.times if self.times is not None else (1,) * len(self.rows)

    def to_dict(self) -> dict[str, Any]:
        """Return the table as a harness is sent it; what is not there is left out."""
        record: dict[str, Any] = {
            "columns": list(self.columns),
            "types": list(self.types),
            "rows": [list(row) for row in self.rows],
            "quasi_identifiers": list(self.quasi_identifiers),
            "sensitive": list(self.sensitive),
        }
        if self.times is not None:
            record["times"] = [str(n) for n in self.times]
        if self.index is not None:
            record["index"] = [str(label) for label in self.index]
        if self.categories:
            record["categories"] = {name: list(values) for name, values in self.categories.items()}
        if self.order is not None:
            record["order"] = list(self.order)
        if self.hierarchies:
            record["hierarchies"] = {name: [list(path) for path in paths] for name, paths in self.hierarchies.items()}
        if self.levels:
            record["levels"] = {name: str(level) for name, level in self.levels.items()}
        if self.distance is not None:
            values, matrix = self.distance
            record["distance"] = {"values": list(values), "matrix": [list(row) for row in matrix]}
        if self.release is not None:
            record["release"] = self.release.to_dict()
        return record


@dataclass(frozen=True)
class Distributions:
    """Two distributions over m values and the m × m ground distance, all entries as text."""

    p: tuple[str, ...]
    q: tuple[str, ...]
    matrix: tuple[tuple[str, ...], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return the input as a harness is sent it."""
        return {"p": list(self.p), "q": list(self.q), "matrix": [list(row) for row in self.matrix]}


def read_cell(text: str | None, kind: str) -> Cell:
    """Read a cell of a column of a type; `VectorError` for an unknown type, or a text that is not a number of it."""
    if text is None or kind == "text":
        return text
    try:
        if kind == "integer":
            return int(text)
        if kind == "decimal":
            return Fraction(text)
    except ValueError as error:
        raise VectorError(f"cell {text!r} is not of type {kind}; a vector's numbers are written in digits") from error
    raise VectorError(f"column type {kind!r} is unknown; it is one of {', '.join(TYPES)}")


def input_from_dict(record: Mapping[str, Any]) -> Table | Distributions:
    """Read an input as `Table.to_dict` or `Distributions.to_dict` wrote it.

    `VectorError` for a record that is neither.
    """
    try:
        if "p" in record:
            return Distributions(tuple(record["p"]), tuple(record["q"]), _table_of_text(record["matrix"]))
        distance = record.get("distance")
        return Table(
            columns=tuple(record["columns"]),
            types=tuple(record["types"]),
            rows=_table_of_text(record["rows"]),
            quasi_identifiers=tuple(record["quasi_identifiers"]),
            sensitive=tuple(record["sensitive"]),
            times=tuple(int(n) for n in record["times"]) if "times" in record else None,
            index=tuple(int(n) for n in record["index"]) if "index" in record else None,
            categories={name: tuple(values) for name, values in record.get("categories", {}).items()},
            order=tuple(record["order"]) if "order" in record else None,
            hierarchies={name: _table_of_text(paths) for name, paths in record.get("hierarchies", {}).items()},
            levels={name: int(level) for name, level in record.get("levels", {}).items()},
            distance=(tuple(distance["values"]), _table_of_text(distance["matrix"])) if distance else None,
            release=Released.from_dict(record["release"]) if "release" in record else None,
        )
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        raise VectorError(f"an input cannot be read: {error!r}; see the schema of the vectors") from error


def _table_of_text(rows: Sequence[Sequence[Any]]) -> tuple[tuple[Any, ...], ...]:
    return tuple(tuple(row) for row in rows)
