"""`ClassCounts`: how many records of each equivalence class carry each sensitive value. The waist of the hourglass.

Models, measures, losses and attacks read this and nothing else; a source or an algorithm only has to produce it.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from tcloseness.conventions import Conventions
from tcloseness.displayed import Displayed, Pictured, counted
from tcloseness.errors import MassError, TableError
from tcloseness.exact import INT64_MAX, IntArray, as_fraction
from tcloseness.microdata.border import place_in
from tcloseness.microdata.domain import NO_SENSITIVE, Domain, attribute_names, value_text
from tcloseness.microdata.tidy import rows_of

__all__ = ["ClassCounts", "ClassKeys"]

_CELLS_AT_ONCE = 2**19
"""So many cells are worked on at a time where a result of each class is all that is kept: 4 MB an array."""

_TOO_MANY = "the counts sum to more than 2⁶² records; exact counts are kept in 64 bits"


@dataclass(frozen=True, eq=False)
class ClassKeys(Displayed):
    """The quasi-identifier values of each class: names, domains, and by name the classes' codes."""

    names: tuple[str, ...]
    domains: tuple[Domain, ...]
    codes: Mapping[str, IntArray]

    def to_dict(self) -> dict[str, Any]:
        """Return how many classes there are and their columns, as JSON-ready data."""
        return {"quasi_identifiers": list(self.names), "classes": len(next(iter(self.codes.values()), ()))}

    @property
    def _withheld(self) -> Collection[str]:
        return self.names

    def _frame_rows(self) -> Iterator[dict[str, Any]]:
        return rows_of({name: (d, self.codes[name]) for name, d in zip(self.names, self.domains, strict=True)}, {})

    def _said(self) -> str:
        return f"{counted(len(self.names), 'quasi-identifier')} of each class"

    def label(self, index: int) -> tuple[Hashable, ...]:
        """Return the quasi-identifier values of one class, in the order of `names`."""
        pairs = zip(self.names, self.domains, strict=True)
        return tuple(domain.value(self.codes[name][index]) for name, domain in pairs)


def require_values(what: str, sensitive: str) -> None:
    """Raise `TableError` for what asks about values of a sensitive attribute, where its name says that there is none.

    >>> require_values("t-closeness", "disease")
    """
    if sensitive == NO_SENSITIVE:
        raise TableError(
            f"{what} asks about the values of a sensitive attribute, and the table has none; name its column as "
            "sensitive, or ask about the sizes of the classes alone (k-anonymity, k-map)"
        )


@dataclass(frozen=True, eq=False)
class ClassCounts(Pictured):
    """Exact counts, equivalence classes × sensitive values.

    Stored sparse, as cells sorted by class and value (compressed rows), so that size grows with the data and not with
    the domain; a dense matrix is kept only where the caller gave one or where it is no larger than the cells.
    Build it with `from_cells`, `from_matrix` or `from_mapping`.

    Attributes
    ----------
    domain
        The sensitive attribute's domain of m values.
    starts
        Shape (classes + 1,): the cells of class g are ``starts[g]:starts[g + 1]``.
    values, counts
        Shape (cells,): each cell's value code (ascending within a class) and count (positive).
    reference
        Shape (m,): the counts whose distribution is Q. Usually the column sums.
    sensitive
        The attribute's name; empty where the table has none, and then all records have one value, shown nowhere.
    keys
        The classes' quasi-identifier values, where they are known.
    suppressed
        How many records are suppressed (members of no class).
    conventions
        What was chosen on the way, by name, as text.
    persons
        Shape (classes,): how many persons each class has, where a person may have several values; else None, and each
        record is a person.
    """

    domain: Domain
    starts: IntArray
    values: IntArray
    counts: IntArray
    reference: IntArray
    sensitive: str = "sensitive"
    keys: ClassKeys | None = None
    suppressed: int = 0
    conventions: Conventions = field(default_factory=Conventions)
    persons: IntArray | None = None
    _dense: IntArray | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return what was counted as JSON-ready data; the counts themselves are in `to_frame`."""
        return {
            "sensitive": self.sensitive or None,
            "quasi_identifiers": [] if self.keys is None else list(self.keys.names),
            "values": [value_text(value) for value in self.domain.values] * self.has_values,
            "reference": [str(count) for count in self.reference.tolist()] * self.has_values,
            "classes": len(self),
            "smallest_class": int(self.people.min()),
            "largest_class": int(self.people.max()),
            "records": self.records,
            "suppressed": self.suppressed,
            "conventions": dict(self.conventions),
        }

    @property
    def _withheld(self) -> Collection[str]:
        return attribute_names(() if self.keys is None else self.keys.names, self.sensitive)

    def _frame_rows(self) -> Iterator[dict[str, Any]]:
        of_cell, keys = self.class_of_cell, self.keys
        columns = {} if keys is None else dict(zip(keys.names, keys.domains, strict=True))
        shown = {name: (domain, keys.codes[name][of_cell]) for name, domain in columns.items() if keys is not None}
        return rows_of(
            {**shown, **({self.sensitive: (self.domain, self.values)} if self.has_values else {})},
            {"class": of_cell.tolist(), "records": self.counts.tolist()},
        )

    def _said(self) -> str:
        found = f"{counted(self.records, self.unit)} in {counted(len(self), 'class')}"
        return f"{found}, {counted(len(self.domain) if self.has_values else 0, 'sensitive value')}"

    # ------------------------------------------------------------------ building

    @classmethod
    def from_cells(
        cls,
        domain: Domain,
        starts: IntArray | Sequence[int],
        values: IntArray | Sequence[int],
        counts: IntArray | Sequence[int],
        *,
        reference: IntArray | None = None,
        sensitive: str = "sensitive",
        keys: ClassKeys | None = None,
        suppressed: int = 0,
        conventions: Conventions | None = None,
    ) -> ClassCounts:
        """Build from compressed rows; the reference defaults to the column sums.

        Raises
        ------
        MassError
            If a class is empty, a count is not positive, or the total exceeds 2⁶³ − 1.
        """
        try:
            starts, values, counts = (np.asarray(a, dtype=np.int64) for a in (starts, values, counts))
        except OverflowError:
            raise MassError(_TOO_MANY) from None
        if len(starts) < 2 or (np.diff(starts) <= 0).any():
            raise MassError("there is no class, or a class without records; every equivalence class needs a record")
        if (counts <= 0).any():
            raise MassError(f"a count is {int(counts.min())}; counts of records must be positive")
        if counts.astype(np.float64).sum() > INT64_MAX / 2:
            raise MassError(_TOO_MANY)
        if reference is None:
            reference = np.zeros(len(domain), dtype=np.int64)
            np.add.at(reference, values, counts)
        return cls(domain, starts, values, counts, reference, sensitive, keys, suppressed, conventions or Conventions())

    @classmethod
    def from_matrix(cls, by_value: Any, *, domain: Domain | None = None, sensitive: str = "sensitive") -> ClassCounts:
        """Build from a dense matrix of counts, shape (m, classes): one row a sensitive value, one column a class.

        Raises
        ------
        MassError
            For negative or fractional counts, or a class without records.
        """
        try:
            matrix = np.array(by_value)  # a copy: the caller may use the array again
        except ValueError as error:
            raise MassError("counts are not a table; give m rows of one length, one count a class") from error
        if matrix.ndim != 2 or not matrix.size:
            raise MassError(f"counts have shape {matrix.shape}; they must be a table of m values × classes, not empty")
        if matrix.dtype.kind not in "iu":
            raise MassError(f"counts are of type {matrix.dtype}; counts of records must be whole numbers")
        if (matrix < 0).any():
            raise MassError(f"a count is {int(matrix.min())}; counts of records must be ≥ 0")
        if matrix.dtype.kind == "u" and matrix.max() > INT64_MAX:
            raise MassError(_TOO_MANY)
        matrix = np.ascontiguousarray(matrix, dtype=np.int64)
        if not matrix.any(axis=0).all():
            raise MassError("a class (column) has no records; every equivalence class needs at least one")
        domain = domain or Domain.declare(range(len(matrix)))
        if len(domain) != len(matrix):
            raise MassError(
                f"the domain has {len(domain)} values and the counts have {len(matrix)} rows; they must agree"
            )
        classes, values = np.nonzero(matrix.T)
        starts = np.searchsorted(classes, np.arange(matrix.shape[1] + 1))
        built = cls.from_cells(domain, starts, values, matrix[values, classes], sensitive=sensitive)
        return replace(built, _dense=matrix)

    @classmethod
    def from_mapping(
        cls,
        classes: Mapping[Hashable, Mapping[Hashable, int]],
        *,
        domain: Domain | None = None,
        sensitive: str = "sensitive",
    ) -> ClassCounts:
        """Build from ``{class: {value: count}}``; a count of 0 is as if it were not there.

        Examples
        --------
        >>> c = ClassCounts.from_mapping({"a": {"x": 2, "y": 1}, "b": {"x": 1}})
        >>> c.class_sizes.tolist(), c.reference.tolist()
        ([3, 1], [3, 1])
        """
        for label, row in classes.items():
            for value, count in row.items():
                if isinstance(count, bool) or not isinstance(count, (int, np.integer)) or count < 0:
                    raise MassError(f"class {label!r} counts {count!r} records of {value!r}; counts are whole and ≥ 0")
        present = [v for row in classes.values() for v, n in row.items() if n]
        domain = domain or Domain.of(present)
        starts, values, counts = [0], [], []
        for row in classes.values():
            cells: dict[int, int] = {}
            for value, count in row.items():
                if count:
                    code = domain.code(value)
                    cells[code] = cells.get(code, 0) + int(count)  # None and NaN are one value
            values += sorted(cells)
            counts += [cells[code] for code in sorted(cells)]
            starts.append(len(values))
        labels = Domain.declare(classes) if classes else Domain(())
        keys = ClassKeys(("class",), (labels,), {"class": np.arange(len(classes))})
        return cls.from_cells(domain, starts, values, counts, sensitive=sensitive, keys=keys)

    # ------------------------------------------------------------------ reading

    def __len__(self) -> int:
        return len(self.starts) - 1

    @cached_property
    def class_sizes(self) -> IntArray:
        """The number of records of each class, shape (classes,)."""
        return np.asarray(np.add.reduceat(self.counts, self.starts[:-1]))

    @property
    def people(self) -> IntArray:
        """The number of persons of each class, shape (classes,): the class sizes, unless `persons` says otherwise."""
        return self.class_sizes if self.persons is None else self.persons

    @property
    def records(self) -> int:
        """The number of released records, or of persons in classes where those are counted."""
        return int(self.people.sum())

    @property
    def unit(self) -> str:
        """What sizes and values count: ``"record"``, or ``"person"``."""
        return "record" if self.persons is None else "person"

    def require_records(self, what: str) -> None:
        """Raise `TableError` for what adds up records, where persons of several values or classes are counted."""
        if self.persons is not None:
            raise TableError(
                f"{what} adds up records, and here persons are counted, who may have several values and be in several "
                "classes, so that their numbers do not add up; give one row a person (in pandas, frame.groupby of the "
                "column that names them)"
            )

    @property
    def has_values(self) -> bool:
        """Whether they are of a sensitive attribute, and not of the sizes of the classes alone."""
        return self.sensitive != NO_SENSITIVE

    def require_values(self, what: str) -> None:
        """Raise `TableError` for what asks about values of a sensitive attribute, where the table has none."""
        require_values(what, self.sensitive)

    @cached_property
    def class_of_cell(self) -> IntArray:
        """The class index of each cell, shape (cells,)."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    @cached_property
    def matrix(self) -> IntArray:
        """The counts as a dense matrix, shape (m, classes): one row a value, one column a class."""
        if self._dense is not None:
            return self._dense
        matrix = np.zeros((len(self.domain), len(self)), dtype=np.int64)
        matrix[self.values, self.class_of_cell] = self.counts
        return matrix

    @property
    def has_matrix(self) -> bool:
        """Whether the dense matrix is there already."""
        return self._dense is not None

    def _at(self, index: int) -> int:
        return place_in(index, len(self), "the number of a class", TableError)

    def row(self, index: int) -> dict[int, int]:
        """Return one class as {value code: count}."""
        index = self._at(index)
        cells = slice(int(self.starts[index]), int(self.starts[index + 1]))
        return dict(zip(self.values[cells].tolist(), self.counts[cells].tolist(), strict=True))

    def vector(self, index: int) -> list[int]:
        """Return one class as m counts."""
        row = self.row(index)
        return [row.get(code, 0) for code in range(len(self.domain))]

    def label(self, index: int) -> tuple[Hashable, ...]:
        """Return the quasi-identifier values of one class, or its number where they are not known."""
        index = self._at(index)
        return (index,) if self.keys is None else self.keys.label(index)

    def describe(self, index: int) -> dict[str, Any]:
        """Return one class for a report: its quasi-identifier values by name, its size and its counts by value."""
        names = ("class",) if self.keys is None else self.keys.names
        label = self.label(index)
        counts: dict[str, int] = {}
        for code, n in self.row(index).items() if self.has_values else ():
            value = self.domain.value(code)
            text = value_text(value)
            counts[repr(value) if text in counts else text] = n  # 1 and "1" are two values with one text
        return {
            "class": {name: value_text(v) for name, v in zip(names, label, strict=True)},
            "records": int(self.people[index]),
            "counts": counts,
        }

    def in_parts(self, least: int = 0) -> Iterator[ClassCounts]:
        """Go through the classes in parts of about half a million cells, or of `least` where that is more.

        Each part has the same domain and reference, and no keys.
        """
        starts, most = self.starts, max(_CELLS_AT_ONCE, least)
        if len(self.counts) <= most:
            yield self
            return
        ends = np.searchsorted(starts, np.arange(most, starts[-1], most))
        for first, last in pairwise(np.unique([0, *ends.tolist(), len(self)]).tolist()):
            cells = slice(int(starts[first]), int(starts[last]))
            part = replace(self, keys=None, persons=None if self.persons is None else self.persons[first:last])
            own = starts[first : last + 1] - starts[first]
            dense = None if self._dense is None else self._dense[:, first:last]
            yield replace(part, starts=own, values=self.values[cells], counts=self.counts[cells], _dense=dense)

    # ------------------------------------------------------------------ changing the question

    def with_reference(self, counts: Sequence[int] | IntArray, why: str = "given") -> ClassCounts:
        """Return the same classes with another reference distribution Q ∝ counts.

        Raises
        ------
        MassError
            If the counts do not match the domain, are negative or fractional, or are all zero.
        """
        given = [as_fraction(c, f"reference[{i}]") for i, c in enumerate(counts)]
        whole = all(c.denominator == 1 and c >= 0 for c in given)
        if len(given) != len(self.domain) or not whole or not any(given):
            raise MassError(
                f"a reference of {len(given)} counts was given for a domain of {len(self.domain)} values; "
                "it needs one whole count ≥ 0 for each value, and not all 0"
            )
        if sum(given) > INT64_MAX / 2:
            raise MassError(_TOO_MANY)
        reference = np.array([c.numerator for c in given], dtype=np.int64)
        return replace(self, reference=reference, conventions=self.conventions.but({"reference distribution": why}))

    def with_uniform_reference(self) -> ClassCounts:
        """Return the same classes with Q uniform over the values that occur."""
        return self.with_reference((self.reference > 0).astype(np.int64), "uniform over the values that occur")

    def merge(self, groups: Sequence[Sequence[int]]) -> ClassCounts:
        """Return the classes merged: class i of the result is the union of the classes in ``groups[i]``.

        Raises
        ------
        TableError
            Unless every class is in exactly one group.
        """
        self.require_records("a union of classes")
        target = np.full(len(self), -1, dtype=np.int64)
        for number, group in enumerate(groups):
            for index in group:
                known = isinstance(index, (int, np.integer)) and not isinstance(index, bool) and 0 <= index < len(self)
                if not known or target[index] != -1:
                    raise TableError(f"class {index!r} is unknown or in two groups; every class belongs to one group")
                target[index] = number
        if (target < 0).any():
            raise TableError(
                f"class {int(np.flatnonzero(target < 0)[0])} is in no group; every class belongs to one group"
            )
        m = len(self.domain)
        cells, group_of = np.unique(target[self.class_of_cell] * m + self.values, return_inverse=True)
        counts = np.zeros(len(cells), dtype=np.int64)
        np.add.at(counts, group_of, self.counts)
        starts = np.searchsorted(cells // m, np.arange(len(groups) + 1))
        merged = ClassCounts.from_cells(self.domain, starts, cells % m, counts, reference=self.reference)
        return replace(merged, sensitive=self.sensitive, suppressed=self.suppressed, conventions=self.conventions)
