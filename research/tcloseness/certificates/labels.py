"""Checker of what tight labels say of a published table: which values some records of a class have.

A label is *tight* if no label that stands for less would do. So in a class of n records that shows

* an interval ``a-b`` or ``[a, b]`` with a ≠ b, and a < b if both are numbers, one record has a and another b;
* a set ``{v_1, …, v_m}``, each v_i is had by a record of its own;
* an ancestor with exactly two children, one record has a value below each; a child of one value is that value;
* an interval of cells of a grid of whole numbers, the first and the last cell have values, and their one cell has two;
  a cell with no other value of the domain leaves no choice.

That the labels of the named attributes are tight, and what the domain of one on a grid is, is what the proof rests on.
The classes and their labels are read anew from the published table, and the hierarchies from their files.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from types import MappingProxyType
from typing import Any

from tcloseness.certificates.envelope import LONGEST, certificate_text, digest_of, seal, sealed_record
from tcloseness.certificates.reading import (
    MOST_RECORDS,
    PublishedCounts,
    published,
    require_hierarchy,
    value_part,
)
from tcloseness.displayed import counted
from tcloseness.errors import CertificateError, CertificateFormatError, InputError
from tcloseness.exact import as_fraction
from tcloseness.strict_json import read_json
from tcloseness.strict_records import fields, listed, shown, text, whole

__all__ = [
    "LABELS",
    "STATEMENT",
    "ClassFact",
    "Tight",
    "labels_text",
    "read_labels_certificate",
    "verify_labels",
]

LABELS = "tcloseness-labels-certificate-1"

STATEMENT = (
    "if the labels of the attributes in `tight` are tight, and the values of those on a grid are of `domain`, then in "
    "each class of the published table that `facts` names, as many different records as a fact has values have these"
)

_KEYS = ("format", "statement", "release", "tight", "facts", "sha256")
_RELEASE = ("digest", "quasi_identifiers", "sensitive", "records", "reading")
_TIGHT = ("hierarchy", "grid", "domain")
_FACT = ("class", "attribute", "records", "values")

_DASH = re.compile(r"([^-–]+)[-–]([^-–]+)")
_BRACKETS = re.compile(r"\[([^,;]+)[,;]([^,;]+)\]")
_MEMBER = re.compile(r"""\s*+('(?:[^'\\]|\\.)*+'|"(?:[^"\\]|\\.)*+"|[^\s,'"{}](?:[^,'"{}]*[^\s,'"{}])?)\s*+(?:,|\Z)""")


@dataclass(frozen=True)
class Tight:
    """What is known of an attribute whose labels are tight.

    Attributes
    ----------
    hierarchy
        The digest of its hierarchy; None where it has none.
    grid
        The width of the cells of its grid, and where one begins; None where it has none.
    domain
        The values that it can have, where it is on a grid; else none.
    """

    hierarchy: str | None = None
    grid: tuple[int, int] | None = None
    domain: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data."""
        grid = None if self.grid is None else list(self.grid)
        return {"hierarchy": self.hierarchy, "grid": grid, "domain": list(self.domain)}


@dataclass(frozen=True)
class ClassFact:
    """Some values of a class: as many different records as there are values have these."""

    labels: tuple[str, ...]
    attribute: str
    records: int
    values: tuple[str, ...]

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data."""
        values, labels = list(self.values), list(self.labels)
        return {"class": labels, "attribute": self.attribute, "records": self.records, "values": values}


def labels_text(release: PublishedCounts, tight: Mapping[str, Tight], facts: Sequence[ClassFact]) -> str:
    """Return a certificate as JSON text, sealed."""
    record: dict[str, Any] = {
        "format": LABELS,
        "statement": STATEMENT,
        "release": release.to_dict(),
        "tight": {name: each.to_dict() for name, each in tight.items()},
        "facts": [fact.to_dict() for fact in facts],
    }
    return certificate_text({**record, "sha256": seal(record)})


def read_labels_certificate(content: str | bytes) -> tuple[PublishedCounts, dict[str, Tight], list[Any]]:
    """Read a certificate strictly; its seal is checked, its facts are not.

    Raises
    ------
    CertificateFormatError
        If it is not such a certificate, or was changed since it was written; nothing else, whatever it is.
    """
    try:
        record = sealed_record(read_json(content, longest=LONGEST, deepest=8), _KEYS, {LABELS: STATEMENT})
        given = fields(record["release"], _RELEASE, "release")
        release = PublishedCounts(**published(given, "release"))
        if type(record["tight"]) is not dict:
            raise InputError(f"tight is {shown(record['tight'])}; it must be an object")
        tight = {name: _tight(each, name, release.quasi_identifiers) for name, each in record["tight"].items()}
        facts = listed(record["facts"], "facts", least=1)
    except InputError as error:
        raise CertificateFormatError(f"the certificate cannot be read: {error}") from error
    return release, tight, facts


def _tight(given: object, name: str, known: Sequence[str]) -> Tight:
    record = fields(given, _TIGHT, f"tight[{shown(name)}]")
    if name not in known:
        raise InputError(f"tight names {shown(name)}, which is not a quasi-identifier")
    if record["hierarchy"] is not None and record["grid"] is not None:
        raise InputError(f"tight[{shown(name)}] has a hierarchy and a grid; it must have one of them")
    grid = None
    if record["grid"] is not None:
        width, origin = listed(record["grid"], f"tight[{shown(name)}].grid", length=2)
        grid = (
            whole(width, "the width of a grid", least=2, most=MOST_RECORDS),
            whole(origin, "an origin", least=-MOST_RECORDS),
        )
    domain = tuple(text(each, f"tight[{shown(name)}].domain[]") for each in listed(record["domain"], "domain"))
    if domain and grid is None:
        raise InputError(f"tight[{shown(name)}] has a domain and no grid, so that nothing follows from it")
    hierarchy = None if record["hierarchy"] is None else digest_of(record["hierarchy"], f"tight[{shown(name)}]")
    return Tight(hierarchy, grid, domain)


def verify_labels(
    content: str | bytes, table: bytes, hierarchies: Mapping[str, Sequence[Sequence[str]]] = MappingProxyType({})
) -> str:
    """Check a certificate against the published table; return what was found, in words.

    Parameters
    ----------
    content
        The certificate, as JSON.
    table
        The published table's file: a CSV file, or the canonical text of its counts.
    hierarchies
        By attribute the rows of its hierarchy: a value, its label at level 1, …, the root.

    Raises
    ------
    CertificateFormatError
        If the certificate cannot be read, is about another table or another hierarchy.
    CertificateError
        If a fact does not follow.
    """
    release, tight, facts = read_labels_certificate(content)
    sizes: dict[tuple[str, ...], int] = {}
    for values, count in release.counts_in(table, "table").counts.items():
        labels = values[: len(release.quasi_identifiers)]
        sizes[labels] = sizes.get(labels, 0) + count
    for name, each in tight.items():
        require_hierarchy(hierarchies.get(name), each.hierarchy, name)
    try:
        return _check(release, tight, hierarchies, sizes, facts)
    except InputError as error:
        raise CertificateFormatError(f"the certificate cannot be read: {error}") from error


def _check(
    release: PublishedCounts,
    tight: Mapping[str, Tight],
    hierarchies: Mapping[str, Sequence[Sequence[str]]],
    sizes: Mapping[tuple[str, ...], int],
    facts: Sequence[Any],
) -> str:
    rules = {name: _Implied(each, hierarchies.get(name)) for name, each in tight.items()}
    seen: set[tuple[tuple[str, ...], str]] = set()
    values = 0
    for i, given in enumerate(facts):
        record, what = fields(given, _FACT, f"facts[{i}]"), f"facts[{i}]"
        labels = tuple(
            text(each, f"{what}.class[]")
            for each in listed(record["class"], f"{what}.class", length=len(release.quasi_identifiers))
        )
        name = text(record["attribute"], f"{what}.attribute")
        if (labels, name) in seen or labels not in sizes or name not in tight:
            raise CertificateError(f"{what} is of no class of the table, of no tight attribute, or was there before")
        seen.add((labels, name))
        if whole(record["records"], f"{what}.records", most=MOST_RECORDS) != sizes[labels]:
            raise CertificateError(f"{what}: the class has {counted(sizes[labels], 'record')}")
        label = value_part(labels[release.quasi_identifiers.index(name)])
        implied = rules[name][label]
        told = [text(each, f"{what}.values[]") for each in listed(record["values"], f"{what}.values", least=1)]
        had = set(map(rules[name].same, told))
        if len(had) < len(told) or not implied >= had:
            raise CertificateError(f"{what}: that the label {label!r} is tight does not imply all of its values")
        if len(implied) > sizes[labels]:
            raise CertificateError(
                f"{what}: a class of {counted(sizes[labels], 'record')} has not the {counted(len(implied), 'value')} "
                f"that the label {label!r} implies, so it is not tight"
            )
        values += len(told)
    return (
        f"{counted(values, 'value')} of quasi-identifiers in {counted(len(seen), 'fact')} about a class and an "
        f"attribute; labels are taken to be tight of {', '.join(tight)}"
    )


class _Implied(dict[str, frozenset[Fraction | str]]):
    """The values that some records of a class have that shows a tight label, by label; each is found once.

    Values are the same if they are one text, or without a hierarchy one number.
    """

    def __init__(self, tight: Tight, rows: Sequence[Sequence[str]] | None) -> None:
        super().__init__()
        self._hierarchy = None if rows is None else _Hierarchy(rows)
        self._grid = None if tight.grid is None else _Grid(*tight.grid, tight.domain)
        self.same: Callable[[str], Fraction | str] = _number_or_text if rows is None else str

    def __missing__(self, label: str) -> frozenset[Fraction | str]:
        if self._hierarchy is not None:
            found: Sequence[str] = self._hierarchy.of_two_children(label)
        elif self._grid is not None:
            found = self._grid.of_end_cells(label)
        else:
            found = _ends(label) or _members(label)
        self[label] = frozenset(map(self.same, found))
        return self[label]


def _ends(label: str) -> tuple[str, ...]:
    """Return the ends of an interval's text; none if it is not one."""
    bracketed = _BRACKETS.fullmatch(label)
    found = bracketed or _DASH.fullmatch(label)
    if found is None:
        return ()
    low, high = found[1].strip(), found[2].strip()
    a, b = _number_or_text(low), _number_or_text(high)
    if isinstance(a, Fraction) and isinstance(b, Fraction):
        return (low, high) if a < b else ()
    return (low, high) if bracketed and low != high else ()


def _number_or_text(part: str) -> Fraction | str:
    try:
        return part if part != part.strip() else as_fraction(part)
    except InputError:
        return part


def _members(label: str) -> tuple[str, ...]:
    """Return the members of a set's text; none if it is not one, or two of them are one number."""
    if not (label.startswith("{") and label.endswith("}")):
        return ()
    inner, found, at = label[1:-1], list[str](), 0
    while at < len(inner):
        item = _MEMBER.match(inner, at)
        if item is None:
            return ()
        word = item[1]
        try:
            found.append(str(ast.literal_eval(word)) if word[0] in "'\"" else word)
        except (SyntaxError, ValueError):
            return ()
        at = item.end()
    return tuple(found) if len(set(map(_number_or_text, found))) == len(found) > 1 else ()


class _Grid:
    """The values of a domain by the cell of a grid of whole numbers that they are in."""

    def __init__(self, width: int, origin: int, domain: Sequence[str]) -> None:
        self._width, self._origin = width, origin
        self._cells: dict[int, dict[Fraction, str]] = {}
        for value in domain:
            place = as_fraction(value, "a value of domain")
            if place.denominator != 1:
                raise InputError(f"domain has {shown(value)}; the values of a grid are whole numbers")
            self._cells.setdefault((int(place) - origin) // width, {}).setdefault(place, value)

    def of_end_cells(self, label: str) -> Sequence[str]:
        """Return the values that are alone in an end cell of an interval, or both of a single cell that has two."""
        ends = [_number_or_text(end) for end in _ends(label)]
        if not ends or isinstance(ends[0], str) or isinstance(ends[1], str):
            return ()
        first, low = divmod(ends[0] - self._origin, self._width)
        last, high = divmod(ends[1] - self._origin + 1, self._width)
        if low or high:  # it is not made of cells
            return ()
        inside = [list(self._cells.get(cell, {}).values()) for cell in sorted({first, last - 1})]
        most = 3 - len(inside)
        return [value for each in inside if len(each) == most for value in each]


class _Hierarchy:
    """The nodes of a hierarchy by their labels."""

    def __init__(self, rows: Sequence[Sequence[str]]) -> None:
        self._rows = rows
        self._nodes: dict[str, dict[int, list[int]]] = {}
        for i, row in enumerate(rows):
            for level, label in enumerate(row):
                self._nodes.setdefault(label, {}).setdefault(level, []).append(i)

    def of_two_children(self, label: str) -> Sequence[str]:
        """Return the values that are alone below one of the two children of the node that alone has a label."""
        levels = self._nodes.get(label, {})
        nodes = set(map(tuple, levels.values()))
        if len(nodes) != 1:
            return ()
        leaves = nodes.pop()
        for below in reversed(range(min(levels))):
            children: dict[str, list[str]] = {}
            for i in leaves:
                children.setdefault(self._rows[i][below], []).append(self._rows[i][0])
            if len(children) > 1:
                return [each[0] for each in children.values() if len(each) == 1] if len(children) == 2 else ()
        return ()
