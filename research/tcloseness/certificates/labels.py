"""Checker of what tight labels say of a published table: which values some records of a class have.

A label is *tight* if no label that stands for less would do. So in a class of n records that shows

* an interval ``a-b`` or ``[a, b]`` with a ≠ b, and a < b if both are numbers, one record has a and another b;
* a set ``{v_1, …, v_m}``, each v_i is had by a record of its own;
* an ancestor with exactly two children, one record has a value below each; a child of one value is that value;
* an interval of cells of a grid, the first and the last cell have values, and their one cell has two; a cell with no
  other value of the domain leaves no choice.

That the labels of the named attributes are tight, and what the domain of one on a grid is, is what the proof rests on.
The classes and their labels are read anew from the published table, and the hierarchies from their files.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tcloseness.certificates.envelope import (
    LONGEST,
    certificate_text,
    digest_of,
    seal,
)
from tcloseness.certificates.reading import (
    MOST_RECORDS,
    PublishedCounts,
    levels_digest,
    published,
    read_table,
    require_nested,
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
_MEMBER = re.compile(r"""\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,'"{}]+?)\s*(?:,|$)""")


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
        record = fields(read_json(content, longest=LONGEST, deepest=8), _KEYS, "the certificate")
        if record["format"] != LABELS or record["statement"] != STATEMENT:
            raise InputError(f"its format is {shown(record['format'])}, or its statement is not that of the format")
        given = fields(record["release"], _RELEASE, "release")
        release = PublishedCounts(**published(given, "release"))
        if type(record["tight"]) is not dict:
            raise InputError(f"tight is {shown(record['tight'])}; it must be an object")
        tight = {name: _tight(each, name, release.quasi_identifiers) for name, each in record["tight"].items()}
        facts = listed(record["facts"], "facts", least=1)
        if record["sha256"] != seal(record):
            raise InputError("its sha256 is not that of the rest; it was changed since it was written")
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
    hierarchy = None if record["hierarchy"] is None else digest_of(record["hierarchy"], f"tight[{shown(name)}]")
    return Tight(hierarchy, grid, domain)


def verify_labels(
    content: str | bytes, table: bytes, hierarchies: Callable[[str], Sequence[Sequence[str]]] | None = None
) -> str:
    """Check a certificate against the published table; return what was found, in words.

    Parameters
    ----------
    content
        The certificate, as JSON.
    table
        The published table's file: a CSV file, or the canonical text of its counts.
    hierarchies
        Returns the rows of an attribute's hierarchy: a value, its label at level 1, …, the root.

    Raises
    ------
    CertificateFormatError
        If the certificate cannot be read, is about another table or another hierarchy.
    CertificateError
        If a fact does not follow.
    """
    release, tight, facts = read_labels_certificate(content)
    counts = read_table(table, release)
    records = sum(counts.counts.values())
    if counts.digest != release.digest or records != release.records:
        raise CertificateFormatError(
            f"the certificate is about another table: the digest of these {records:,} records is {counts.digest}, and "
            f"not {release.digest}"
        )
    sizes: dict[tuple[str, ...], int] = {}
    for labels, count in counts.counts.items():
        sizes[labels[:-1]] = sizes.get(labels[:-1], 0) + count
    rows = {}
    for name, each in tight.items():
        if each.hierarchy is not None:
            if hierarchies is None:
                raise CertificateFormatError(f"the certificate needs the hierarchy of {name!r}")
            rows[name] = [tuple(row) for row in hierarchies(name)]
            require_nested(rows[name], f"the hierarchy of {name!r}")
            if levels_digest(rows[name]) != each.hierarchy:
                raise CertificateFormatError(f"the certificate is about another hierarchy of {name!r}")
    try:
        return _check(release, tight, rows, sizes, facts)
    except InputError as error:
        raise CertificateFormatError(f"the certificate cannot be read: {error}") from error


def _check(
    release: PublishedCounts,
    tight: Mapping[str, Tight],
    rows: Mapping[str, Sequence[tuple[str, ...]]],
    sizes: Mapping[tuple[str, ...], int],
    facts: Sequence[Any],
) -> str:
    implied: dict[tuple[str, str], tuple[str, ...]] = {}
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
        if (name, label) not in implied:
            implied[name, label] = _implied(label, tight[name], rows.get(name))
        told = [text(each, f"{what}.values[]") for each in listed(record["values"], f"{what}.values", least=1)]
        numbers = set(map(_number_or_text, told))
        if len(numbers) < len(told) or not numbers <= set(map(_number_or_text, implied[name, label])):
            raise CertificateError(f"{what}: that the label {label!r} is tight does not imply all of its values")
        if len(told) > sizes[labels]:
            raise CertificateError(f"{what}: a class of {counted(sizes[labels], 'record')} has no {len(told)} values")
        values += len(told)
    return (
        f"{counted(values, 'value')} of quasi-identifiers in {counted(len(seen), 'fact')} about a class and an "
        f"attribute; labels are taken to be tight of {', '.join(tight)}"
    )


def _implied(label: str, tight: Tight, rows: Sequence[tuple[str, ...]] | None) -> tuple[str, ...]:
    """Return the values that some records of a class have that shows a tight label."""
    if rows is not None:
        return _of_two_children(label, rows)
    ends = _ends(label)
    if tight.grid is not None:
        return () if ends is None else _of_cells(ends, *tight.grid, tight.domain)
    if ends is not None:
        return ends
    return _members(label)


def _ends(label: str) -> tuple[str, ...] | None:
    """Return the ends of an interval's text; None if it is none."""
    bracketed = _BRACKETS.fullmatch(label)
    found = bracketed or _DASH.fullmatch(label)
    if found is None:
        return None
    low, high = found[1].strip(), found[2].strip()
    a, b = _number_or_text(low), _number_or_text(high)
    if not bracketed and (isinstance(a, str) or isinstance(b, str)):
        return None
    in_order = isinstance(a, str) or isinstance(b, str) or a < b
    return (low, high) if a != b and in_order else None


def _number_or_text(part: str) -> Fraction | str:
    try:
        return as_fraction(part)
    except InputError:
        return part


def _members(label: str) -> tuple[str, ...]:
    """Return the members of a set's text; none if it is not one."""
    if not (label.startswith("{") and label.endswith("}")):
        return ()
    inner, found, at = label[1:-1], list[str](), 0
    while at < len(inner):
        item = _MEMBER.match(inner, at)
        if item is None:
            return ()
        word = item[1]
        try:
            found.append(str(ast.literal_eval(word)) if word[:1] in "'\"" else word)
        except (SyntaxError, ValueError):
            return ()
        at = item.end()
    return tuple(found) if len(set(found)) == len(found) > 1 else ()


def _of_cells(ends: tuple[str, ...], width: int, origin: int, domain: Sequence[str]) -> tuple[str, ...]:
    """Return the values that are alone in an end cell, or both of a single cell that has two."""
    first, last = ((as_fraction(end) - origin) // width for end in ends)
    cells = {cell: dict[Any, str]() for cell in (first, last)}
    for value in domain:
        place = as_fraction(value)
        if (place - origin) // width in cells:
            cells[(place - origin) // width].setdefault(place, value)
    most = 2 if first == last else 1
    return tuple(value for inside in cells.values() if len(inside) == most for value in inside.values())


def _of_two_children(label: str, rows: Sequence[tuple[str, ...]]) -> tuple[str, ...]:
    """Return the values that are alone below one of the two children of a node."""
    nodes = {frozenset(row[0] for row in rows if row[level] == label) for level in range(len(rows[0]))} - {frozenset()}
    if len(nodes) != 1:
        return ()
    (leaves,) = nodes
    level = max(level for level in range(len(rows[0])) if all(row[level] == label for row in rows if row[0] in leaves))
    for below in range(level - 1, -1, -1):
        children: dict[str, list[str]] = {}
        for row in rows:
            if row[0] in leaves:
                children.setdefault(row[below], []).append(row[0])
        if len(children) > 1:
            alone = tuple(each[0] for each in children.values() if len(each) == 1)
            return alone if len(children) == 2 else ()
    return ()
