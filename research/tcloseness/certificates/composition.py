"""Checker of what several releases of one table say together: weights of published counts prove each fact.

Persons who are in the same class of every release are alike, and form a *cell*. Let x_(c,v) be how many of the persons
of cell c have the sensitive value v. Public are the numbers of persons of the cells, and in each release r the count of
each value in each class: two kinds of sums b_k = Σ_i A_ki·x_i,

    Σ_v x_(c,v) = the persons of c,        Σ_(c in class g of release r) x_(c,v) = the count of v in g.

Also 0 ≤ l_i ≤ x_i ≤ u_i, where u_(c,v) is the least of the persons of c and of the counts of v in its classes, l_i is
0, and facts that are proved before may be closer. For any weights y, and any coefficients a,

    Σ_i a_i·x_i = Σ_k y_k·b_k + Σ_i r_i·x_i ≤ Σ_k y_k·b_k + Σ_i max(0, r_i)·u_i − Σ_i max(0, −r_i)·l_i,   r = a − yA.

This is weak duality of linear programs. So x_j ≤ n is proved by weights with a right side below n + 1 for a = e_j,
since x_j is whole, and x_j ≥ n by some with one below 1 − n for a = −e_j. How the weights were found does not matter.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from statistics import median
from typing import Any, Literal

from tcloseness.certificates.envelope import LONGEST, certificate_text, seal, sealed_record
from tcloseness.certificates.reading import MOST_RECORDS, Counts, PublishedCounts, published
from tcloseness.displayed import Compared, Displayed, counted
from tcloseness.errors import CertificateError, CertificateFormatError, InputError
from tcloseness.exact import number_text
from tcloseness.strict_json import read_json
from tcloseness.strict_records import (
    Work,
    canonical_fraction,
    common_bits,
    fields,
    listed,
    shown,
    text,
    whole,
)

__all__ = [
    "COMPOSITION",
    "STATEMENT",
    "Bounds",
    "Cell",
    "Fact",
    "PublishedTable",
    "Sum",
    "composition_text",
    "published_sums",
    "read_composition",
    "verify_composition",
]

COMPOSITION = "tcloseness-composition-certificate-1"

STATEMENT = (
    "if as many persons are in the classes of the releases as `cells` says, then `facts` are true in every table of "
    "which these are releases; the published counts prove each of them"
)

_KEYS = ("format", "statement", "releases", "values", "cells", "facts", "sha256")
_RELEASE = ("digest", "quasi_identifiers", "sensitive", "records", "reading", "classes")
_FACT = ("cell", "value", "bound", "persons", "sums")
_WORK = 5e10
"""Units of work, some minutes."""
_NUMBER = 5000
"""Units of work for one x_(c,v): less time, but some 200 bytes, so that the limit is two gigabytes."""
Cell = tuple[int | None, ...]
"""The class in each release, by its place; None where no record of the persons is known, if there is one."""

Sum = tuple[int, int, int] | tuple[int]
"""A published sum: the release, the class and the value of a count; or the cell of a number of persons."""


@dataclass(frozen=True)
class PublishedTable(PublishedCounts):
    """What a certificate says of one release; a class is known by its place.

    Attributes
    ----------
    classes
        The classes by their labels, each in the order of the quasi-identifiers.
    """

    classes: tuple[tuple[str, ...], ...]

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data."""
        return {**super().to_dict(), "classes": [list(labels) for labels in self.classes]}


@dataclass(frozen=True, eq=False)
class Fact(Displayed):
    """How many persons of a cell have a value, at most or at least, and the weights of sums that prove it."""

    cell: int
    value: int
    bound: Literal["most", "least"]
    persons: int
    weights: Mapping[Sum, Fraction]

    def _said(self) -> str:
        return f"at {self.bound} {counted(self.persons, 'person')} of cell {self.cell} with value {self.value}"

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data."""
        return {
            "cell": self.cell,
            "value": self.value,
            "bound": self.bound,
            "persons": self.persons,
            "sums": [[*at, number_text(weight)] for at, weight in self.weights.items()],
        }


class Bounds(Compared):
    """The published sums of several releases, and what is known of each x_(c,v).

    Parameters
    ----------
    cells
        By cell, its class in each release; and how many persons it has.
    counts
        By release, class and value a positive count.
    work
        What may still be done: each x_(c,v) is looked at, and kept with its sums. None for no limit.
    """

    def __init__(
        self, cells: Mapping[Cell, int], counts: Mapping[tuple[int, int, int], int], work: Work | None = None
    ) -> None:
        self.cells, self.persons = list(cells), list(cells.values())
        self.totals: dict[Sum, int] = {(c,): size for c, size in enumerate(self.persons)}
        for at, count in counts.items():
            self.totals[at] = count
        values: dict[tuple[int, int], list[int]] = {}
        for r, g, v in counts:
            values.setdefault((r, g), []).append(v)
        self._inside: dict[tuple[int, int], list[int]] = {}
        self._terms: dict[Sum, list[tuple[int, int]]] = {}
        self.high: dict[tuple[int, int], int] = {}
        self.low: dict[tuple[int, int], int] = {}
        for c, (cell, size) in enumerate(cells.items()):
            classes = [(r, g) for r, g in enumerate(cell) if g is not None]
            for place in classes:
                self._inside.setdefault(place, []).append(c)
            few = min((values[place] for place in classes), key=len)  # no more than its class has records
            if work is not None:
                work.spend(len(few) * _NUMBER, "so many cells and values")
            for v in few:
                most = min(size, *(counts.get((r, g, v), 0) for r, g in classes))
                if most:
                    pair = c, v
                    self.high[pair] = most
                    sums: list[Sum] = [(c,), *((r, g, v) for r, g in classes)]
                    for each in sums:
                        self._terms.setdefault(each, []).append(pair)

    def terms(self, at: Sum) -> Sequence[tuple[int, int]]:
        """Return which x_(c,v) a sum adds up, but for those that are 0 by a single count."""
        return self._terms.get(at, ())

    def inside(self, release: int, at: int) -> list[int]:
        """Return the cells of a class of a release."""
        return self._inside.get((release, at), [])

    def at_most(self, cell: int, value: int, sign: int, weights: Mapping[Sum, Fraction], work: Work) -> Fraction:
        """Return what sign·x_(c,v) cannot be above, by the weights of some sums."""
        bits = common_bits(weights.values(), "the weights") + MOST_RECORDS.bit_length()
        scale = math.lcm(*(weight.denominator for weight in weights.values()))
        rest = {(cell, value): sign * scale}
        total = 0
        for at, weight in weights.items():
            terms = self.terms(at)
            work.spend((len(terms) + 1) * (100 + bits), "so many sums")
            times = int(weight * scale)
            total += times * self.totals[at]
            for i in terms:
                rest[i] = rest.get(i, 0) - times
        for i, left in rest.items():
            total += left * (self.high.get(i, 0) if left > 0 else self.low.get(i, 0))
        return Fraction(total, scale)


def published_sums(tables: Sequence[Counts]) -> tuple[list[list[tuple[str, ...]]], list[str], dict[Any, int]]:
    """Return the classes of each release and the values, both sorted, and each count by release, class and value."""
    values = sorted({labels[-1] for counts in tables for labels in counts.counts})
    of_value = {value: v for v, value in enumerate(values)}
    classes = [sorted({labels[:-1] for labels in counts.counts}) for counts in tables]
    found = {}
    for r, counts in enumerate(tables):
        of_class = {labels: g for g, labels in enumerate(classes[r])}
        for labels, count in counts.counts.items():
            found[r, of_class[labels[:-1]], of_value[labels[-1]]] = count
    return classes, values, found


def composition_text(
    tables: Sequence[PublishedTable],
    values: Sequence[str],
    cells: Mapping[Cell, int],
    facts: Sequence[Fact],
) -> str:
    """Return a certificate as JSON text, sealed."""
    record: dict[str, Any] = {
        "format": COMPOSITION,
        "statement": STATEMENT,
        "releases": [table.to_dict() for table in tables],
        "values": list(values),
        "cells": [[*cell, size] for cell, size in cells.items()],
        "facts": [fact.to_dict() for fact in facts],
    }
    return certificate_text({**record, "sha256": seal(record)})


def read_composition(content: str | bytes) -> tuple[list[PublishedTable], dict[str, Any]]:
    """Read a certificate strictly; its seal is checked, its proof is not.

    Returns
    -------
    tuple
        What it says of each release, and all that it holds.

    Raises
    ------
    CertificateFormatError
        If it is not such a certificate, or was changed since it was written; nothing else, whatever it is.
    """
    try:
        record = sealed_record(read_json(content, longest=LONGEST, deepest=8), _KEYS, {COMPOSITION: STATEMENT})
        tables = [
            _table(each, f"releases[{r}]") for r, each in enumerate(listed(record["releases"], "releases", least=2))
        ]
        if len({table.sensitive for table in tables}) > 1:
            raise InputError("its releases are of different sensitive attributes; they must be of one")
        if tables[0].sensitive is None:
            raise InputError("its releases have no sensitive attribute; the facts are about the values of one")
    except InputError as error:
        raise CertificateFormatError(f"the certificate cannot be read: {error}") from error
    return tables, record


def _table(given: object, what: str) -> PublishedTable:
    record = fields(given, _RELEASE, what)
    found = published(record, what)
    width = len(found["quasi_identifiers"])
    classes = (
        tuple(text(each, f"{what}.classes[][]") for each in listed(labels, f"{what}.classes[]", length=width))
        for labels in listed(record["classes"], f"{what}.classes", least=1)
    )
    return PublishedTable(**found, classes=tuple(classes))


def verify_composition(
    content: str | bytes,
    tables: Sequence[bytes],
    *,
    checker: Callable[[Mapping[str, Any], Sequence[Counts]], str] | None = None,
) -> str:
    """Check a certificate against the published tables; return what was found, in words.

    Parameters
    ----------
    content
        The certificate, as JSON.
    tables
        The file of each release, in the certificate's order: the CSV file, or the canonical text of its counts.
    checker
        What checks in place of the code below: `tcloseness.certificates.extracted.check_sums_extracted`.

    Raises
    ------
    CertificateFormatError
        If the certificate cannot be read, or is about other tables.
    CertificateError
        If its proof does not hold.
    """
    named, record = read_composition(content)
    if len(named) != len(tables):
        raise CertificateFormatError(
            f"the certificate is about {counted(len(named), 'release')}, and {len(tables)} are given"
        )
    given = enumerate(zip(named, tables, strict=True), 1)
    read = [each.counts_in(table, f"release {r}") for r, (each, table) in given]
    if checker is not None:
        return checker(record, read)
    try:
        return _check(named, read, record)
    except InputError as error:
        raise CertificateFormatError(f"the certificate cannot be read: {error}") from error


def _check(named: Sequence[PublishedTable], read: Sequence[Counts], record: Mapping[str, Any]) -> str:
    classes, values, counts = published_sums(read)
    if [list(each.classes) for each in named] != classes:
        raise CertificateError("the classes of a release are not those of its table, sorted by their labels")
    if record["values"] != values:
        raise CertificateError("values are not those of the tables, sorted")
    cells = _cells(record["cells"], [len(each) for each in classes])
    _require_sizes(cells, counts)
    work = Work(_WORK)
    known = Bounds(cells, counts, work)
    settled: set[int] = set()
    used: dict[tuple[int, int, str, int], int] = {}  # by what is stated; who states it again states nothing more
    facts = listed(record["facts"], "facts", least=1)
    for i, given in enumerate(facts):
        fact = _fact(given, known, len(values), work, f"facts[{i}]")
        used.setdefault((fact.cell, fact.value, fact.bound, fact.persons), len(fact.weights))
        if fact.bound == "least" and fact.persons == known.persons[fact.cell]:
            settled.add(fact.cell)
    linked = {c for c, cell in enumerate(cells) if len(cell) - cell.count(None) > 1}
    certain = [sum(known.persons[c] for c in settled & part) for part in (linked, {*range(len(cells))} - linked)]
    persons = sum(known.persons[c] for c in linked)
    alone = sum(known.persons) - persons
    return (
        f"{counted(len(used), 'fact')}; the value of {counted(certain[0], 'person')} of {persons:,}, in "
        f"{len(settled & linked):,} of {counted(len(linked), 'combination')} of classes, is certain"
        + (f", and that of {certain[1]:,} of {counted(alone, 'record')} linked to no other release" if alone else "")
        + f"; published counts that prove a fact: {median(used.values()):g} (median), {max(used.values()):,} at most"
    )


def _cells(given: object, sizes: Sequence[int]) -> dict[Cell, int]:
    cells: dict[Cell, int] = {}
    for i, entry in enumerate(listed(given, "cells", least=1)):
        *places, size = listed(entry, f"cells[{i}]", length=len(sizes) + 1)
        cell = tuple(
            None if place is None else whole(place, f"cells[{i}]", most=many - 1)
            for place, many in zip(places, sizes, strict=True)
        )
        if cell in cells or not any(place is not None for place in cell):
            raise CertificateError(f"cells[{i}] is in no release, or was named before")
        cells[cell] = whole(size, f"cells[{i}]", least=1, most=MOST_RECORDS)
    return cells


def _require_sizes(cells: Mapping[Cell, int], counts: Mapping[tuple[int, int, int], int]) -> None:
    """Raise `CertificateError` unless each class has as many records as persons in its cells."""
    records: dict[tuple[int, int], int] = {}
    for (r, g, _), count in counts.items():
        records[r, g] = records.get((r, g), 0) + count
    for cell, size in cells.items():
        for r, place in enumerate(cell):
            if place is not None:
                records[r, place] -= size
    odd = next((place for place, left in records.items() if left), None)
    if odd is not None:
        raise CertificateError(f"the cells of class {odd[1]} of release {odd[0]} have not as many persons as records")


def _fact(given: object, known: Bounds, values: int, work: Work, what: str) -> Fact:
    """Check one fact, and keep it for those behind it."""
    record = fields(given, _FACT, what)
    cell = whole(record["cell"], f"{what}.cell", most=len(known.cells) - 1)
    value = whole(record["value"], f"{what}.value", most=values - 1)
    number = whole(record["persons"], f"{what}.persons", most=known.persons[cell])
    weights: dict[Sum, Fraction] = {}
    for entry in listed(record["sums"], f"{what}.sums"):
        *places, weight = listed(entry, f"{what}.sums[]", least=2)
        at: Any = tuple([whole(place, f"{what}.sums[]") for place in places])
        if at not in known.totals or at in weights:
            raise CertificateError(f"{what} names a sum that is not published, or one twice")
        weights[at] = canonical_fraction(weight, f"{what}.sums[]")
    if record["bound"] == "most":
        if known.at_most(cell, value, 1, weights, work) >= number + 1:
            raise CertificateError(f"{what} is not proved: more persons of the cell may have the value")
        known.high[cell, value] = min(number, known.high.get((cell, value), 0))
    elif record["bound"] == "least":
        if known.at_most(cell, value, -1, weights, work) >= 1 - number:
            raise CertificateError(f"{what} is not proved: fewer persons of the cell may have the value")
        known.low[cell, value] = max(number, known.low.get((cell, value), 0))
    else:
        raise InputError(f"{what}.bound is {shown(record['bound'])}; it must be 'least' or 'most'")
    return Fact(cell, value, record["bound"], number, weights)
