"""A table under its hierarchies, as checkers see it: the classes of every node, as counts.

A node is a level for each quasi-identifier; its classes are the records with equal labels at these levels.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from operator import itemgetter

import numpy as np

from tcloseness.certificates.conditions import Conditions
from tcloseness.certificates.reading import MISSING, Counts, value_part
from tcloseness.displayed import counted
from tcloseness.errors import CertificateError, CertificateFormatError
from tcloseness.exact import INT64_MAX, IntArray
from tcloseness.strict_records import fields, listed, shown, text, whole

__all__ = ["NodeLevels", "Nodes", "added", "numbered"]

_MOST_NODES, _MOST_ATTRIBUTES = 2**26, 32
_MOST_WORK = 10**11
"""Of passes over the table's combinations and the lattice, one a node; some minutes."""
_CELLS = 2**22
"""So many counts are looked at together."""
_FEW = 2**16
"""So many numbers are marked, however few rows there are."""

NodeLevels = tuple[int, ...]


class Nodes:
    """A table under its hierarchies: the classes of any node.

    Parameters
    ----------
    counts
        The table; without a sensitive attribute, the value of all its records is the missing one.
    levels
        By quasi-identifier, in the order of a node's levels: the rows of its hierarchy; None where a value stays as it
        is or becomes ``*``.
    values
        The values of the sensitive attribute, in the order in which the model speaks of them; others may not occur.

    Attributes
    ----------
    table, levels, values
        As they were given.

    Raises
    ------
    CertificateError
        If a value has no row, or a value of the sensitive attribute is not listed.
    CertificateFormatError
        If the table has no record, two values of one name, or is too large, or the lattice is.
    """

    def __init__(
        self, counts: Counts, levels: Mapping[str, Sequence[Sequence[str]] | None], values: Sequence[str]
    ) -> None:
        combinations = list(counts.counts)
        self.records = sum(counts.counts.values())
        if not 0 < self.records <= 2**53:
            raise CertificateFormatError(f"the table has {shown(self.records)} records; from 1 to 2^53 are checked")
        self.counts = np.array(list(counts.counts.values()), dtype=np.int64)
        self.names = counts.columns[: len(levels)]
        each = [list(map(itemgetter(i), combinations)) for i in range(len(counts.columns))]
        of_sensitive = each[len(levels)] if len(each) > len(levels) else [MISSING] * len(combinations)
        self.table, self.levels, self.values = counts, levels, tuple(values)
        place = {value: i for i, value in enumerate(self.values)}
        odd = next((value for value in of_sensitive if value not in place), None)
        if odd is not None or len(place) < len(values):
            raise CertificateError(f"the proof's values lack {odd!r}, or name one twice")
        self.sensitive = np.array(list(map(place.__getitem__, of_sensitive)), dtype=np.int64)
        self.reference = added(self.sensitive, self.counts, len(self.values))
        self.labels: list[list[dict[str, int]]] = []
        self.codes: list[list[IntArray]] = []
        self.rows: list[list[tuple[str, ...]]] = []
        for name, column in zip(self.names, each, strict=False):
            values_here = {value: value_part(value) for value in dict.fromkeys(column)}
            if len(set(values_here.values())) < len(values_here):  # such as text:1 and number:1
                raise CertificateFormatError(f"two values of {name!r} have one name, by which a hierarchy knows them")
            given = levels[name]
            whole_rows = [(value, "*") for value in sorted(values_here.values())] if given is None else given
            rows = [tuple(row) for row in whole_rows]
            found = {row[0]: number for number, row in enumerate(rows)}
            odd = next((value for value in values_here.values() if value not in found), None)
            if odd is not None:
                raise CertificateError(f"the hierarchy of {name!r} has no row for the value {odd!r}")
            row_of = {value: found[values_here[value]] for value in values_here}
            leaf = np.fromiter(map(row_of.__getitem__, column), dtype=np.int64, count=len(column))
            self.rows.append(rows)
            self.labels.append([])
            self.codes.append([])
            for level in range(len(rows[0])):
                numbers: dict[str, int] = {}
                of_row = np.array([numbers.setdefault(row[level], len(numbers)) for row in rows], dtype=np.int64)
                self.labels[-1].append(numbers)
                self.codes[-1].append(of_row[leaf])
        self.shape = tuple(len(each) for each in self.labels)
        if len(self.shape) > _MOST_ATTRIBUTES:  # some may have no level but that of their one value
            raise CertificateFormatError(
                f"the table has {counted(len(self.shape), 'quasi-identifier')}; at most {_MOST_ATTRIBUTES} are checked"
            )
        if math.prod(self.shape) > _MOST_NODES:
            raise CertificateFormatError(
                f"the lattice has {counted(math.prod(self.shape), 'node')}; at most 2^26 are checked"
            )

    def class_of(self, node: NodeLevels) -> IntArray:
        """Return for each combination of the table the number of its class at a node: 0, 1, … without gaps."""
        columns = zip(node, self.labels, self.codes, strict=True)
        return numbered([(codes[level], len(labels[level])) for level, labels, codes in columns], len(self.counts))

    def classes(self, node: NodeLevels) -> Iterator[IntArray]:
        """Yield the counts of all classes of a node, in blocks: shape (classes, m) each, none of them empty."""
        return self.blocks(self.class_of(node))

    def blocks(self, class_of: IntArray) -> Iterator[IntArray]:
        """Yield the counts of classes likewise, from the number of each combination's."""
        m, classes = len(self.values), int(class_of.max()) + 1
        step = max(_CELLS // m, 1)
        if classes <= step:
            yield added(class_of * m + self.sensitive, self.counts, classes * m).reshape(classes, m)
            return
        order = np.argsort(class_of, kind="stable")
        sorted_classes = class_of[order]
        for first in range(0, classes, step):
            part = order[slice(*np.searchsorted(sorted_classes, [first, first + step]))]
            many = min(step, classes - first)
            cells = (class_of[part] - first) * m + self.sensitive[part]
            yield added(cells, self.counts[part], many * m).reshape(many, m)

    def violates(self, node: NodeLevels, conditions: Conditions) -> bool:
        """Say whether a class of a node violates."""
        return any(conditions.violating(block).any() for block in self.classes(node))

    def one(self, node: NodeLevels, labels: Sequence[str]) -> IntArray:
        """Return the counts of the class with these labels at a node."""
        here = np.ones(len(self.counts), dtype=np.bool_)
        for level, label, known, codes in zip(node, labels, self.labels, self.codes, strict=True):
            here &= codes[level] == known[level].get(label, -1)
        return added(self.sensitive[here], self.counts[here], len(self.values))

    def violating(self, given: object, conditions: Conditions) -> list[tuple[NodeLevels, list[str]]]:
        """Read a list of classes, each with its node and labels; each has a record and breaks a condition."""
        entries = listed(given, "violating")
        self.require_time(len(entries), "violating classes")
        found = []
        for i, entry in enumerate(entries):
            record = fields(entry, ("node", "class"), f"violating[{i}]")
            node = self.node(record["node"], f"violating[{i}]")
            labels = [text(each, f"violating[{i}]") for each in listed(record["class"], "class", length=len(node))]
            counts = self.one(node, labels)
            if not counts.any():
                raise CertificateError(f"the class {labels} of the node {list(node)} has no record")
            if not conditions.violating(counts[None])[0]:
                raise CertificateError(f"the class {labels} of the node {list(node)} does not violate the model")
            found.append((node, labels))
        return found

    def require_time(self, passes: int, what: str) -> None:
        """Refuse what would take too long."""
        if passes * (len(self.counts) * (len(self.shape) + 1) + math.prod(self.shape) / 16) > _MOST_WORK:
            raise CertificateFormatError(f"{passes:,} {what} of such a table would take too long to check")

    def node(self, given: object, what: str) -> NodeLevels:
        """Read a node."""
        levels = listed(given, what, length=len(self.shape))
        return tuple(whole(level, f"{what}[]", most=size - 1) for level, size in zip(levels, self.shape, strict=True))

    def nodes(self, given: object, what: str, *, least: int = 0) -> list[NodeLevels]:
        """Read a list of different nodes."""
        entries = listed(given, what, least=least)
        self.require_time(len(entries), what)
        found = [self.node(each, f"{what}[{i}]") for i, each in enumerate(entries)]
        if len(set(found)) < len(found):
            raise CertificateError(f"{what} names a node twice")
        return found


def numbered(columns: Iterable[tuple[IntArray, int]], rows: int) -> IntArray:
    """Return a number for each row, equal for equal rows of some columns: 0, 1, … without gaps.

    Parameters
    ----------
    columns
        Numbers of a value in each row, and what all of them are below; that, times the rows, fits into 64 bits.
    rows
        How many rows there are.
    """
    key = np.zeros(rows, dtype=np.int64)
    size = 1
    for codes, below in columns:
        if size * below > INT64_MAX:
            key, size = _without_gaps(key, size), rows
        key = key * below + codes
        size *= below
    return _without_gaps(key, size)


def _without_gaps(key: IntArray, size: int) -> IntArray:
    """Return numbers 0, 1, … in the order of some that are below a size."""
    if size > 4 * len(key) + _FEW:
        return np.unique(key, return_inverse=True)[1]
    there = np.zeros(size, dtype=np.bool_)
    there[key] = True
    return (np.cumsum(there) - 1)[key]


def added(places: IntArray, counts: IntArray, size: int) -> IntArray:
    """Return the sum of the counts at each place."""
    total = np.zeros(size, dtype=np.int64)
    np.add.at(total, places, counts)
    return total
