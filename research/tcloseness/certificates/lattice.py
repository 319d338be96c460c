"""Checkers of searches: which nodes of a generalization lattice satisfy a model, and which of them loses least.

A node of the lattice is a level for each quasi-identifier. Where all conditions are monotone, a class that violates at
a node is evidence for every node below it, since its union with others is a class above; and a node that satisfies is
evidence for every node above it.

``minimal``
    Each node of `minimal` satisfies (all its classes are counted again); each of `violating` has a class, named by its
    labels, that violates; each node of the lattice lies above one of the former or below one of the latter; and each
    direct specialization of a minimal node lies below one of the latter.
``optimum``
    Each node of `optima` satisfies, and all have one loss; each other node of no greater loss lies below one of
    `violating`. The loss is a sum of a term for each attribute's level, computed here from the counts.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from tcloseness.certificates.conditions import Conditions
from tcloseness.certificates.reading import Counts, value_part
from tcloseness.errors import CertificateError, CertificateFormatError
from tcloseness.exact import INT64_MAX, IntArray
from tcloseness.strict_records import fields, listed, shown, text, whole

__all__ = ["LOSSES", "STATEMENTS", "Nodes", "at_or_below", "check_minimal", "check_optimum", "whole_losses"]

MINIMAL, OPTIMUM = "tcloseness-minimal-certificate-1", "tcloseness-optimum-certificate-1"

STATEMENTS = {
    MINIMAL: "no record is suppressed; the nodes that satisfy the model are those above one of `minimal`, and no node "
    "of `minimal` lies above another",
    OPTIMUM: "no record is suppressed; `optima` are all nodes of least loss among those that satisfy the model",
}

_MOST_NODES = 2**26
_MOST_WORK = 10**11
"""Of passes over the table's combinations and the lattice, one a node; some minutes."""
_MOST_LONG = 2**22
"""Losses beyond 64 bits."""
_CELLS = 2**22
"""So many counts are looked at together."""

_SHOWN = 12

_Node = tuple[int, ...]


class Nodes:
    """A table under its hierarchies: the classes of any node.

    Parameters
    ----------
    counts
        The table.
    levels
        By quasi-identifier, in the order of a node's levels: the rows of its hierarchy; None where a value stays as it
        is or becomes ``*``.
    values
        The values of the sensitive attribute, in the order in which the model speaks of them; others may not occur.

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
        self.names = counts.columns[:-1]
        self.values = tuple(values)
        place = {value: i for i, value in enumerate(self.values)}
        odd = next((combination[-1] for combination in combinations if combination[-1] not in place), None)
        if odd is not None or len(place) < len(values):
            raise CertificateError(f"the proof's values lack {odd!r}, or name one twice")
        self.sensitive = np.array([place[combination[-1]] for combination in combinations], dtype=np.int64)
        self.reference = _added(self.sensitive, self.counts, len(self.values))
        self.labels: list[list[dict[str, int]]] = []
        self.codes: list[list[IntArray]] = []
        self.rows: list[list[tuple[str, ...]]] = []
        for i, name in enumerate(self.names):
            values_here = {combination[i]: value_part(combination[i]) for combination in combinations}
            if len(set(values_here.values())) < len(values_here):  # such as text:1 and number:1
                raise CertificateFormatError(f"two values of {name!r} have one name, by which a hierarchy knows them")
            column = [values_here[combination[i]] for combination in combinations]
            given = levels[name]
            whole_rows = [(value, "*") for value in sorted(set(column))] if given is None else given
            rows = [tuple(row) for row in whole_rows]
            found = {row[0]: number for number, row in enumerate(rows)}
            odd = next((value for value in column if value not in found), None)
            if odd is not None:
                raise CertificateError(f"the hierarchy of {name!r} has no row for the value {odd!r}")
            leaf = np.array([found[value] for value in column], dtype=np.int64)
            self.rows.append(rows)
            self.labels.append([])
            self.codes.append([])
            for level in range(len(rows[0])):
                numbers: dict[str, int] = {}
                of_row = np.array([numbers.setdefault(row[level], len(numbers)) for row in rows], dtype=np.int64)
                self.labels[-1].append(numbers)
                self.codes[-1].append(of_row[leaf])
        self.shape = tuple(len(each) for each in self.labels)
        if math.prod(self.shape) > _MOST_NODES:
            raise CertificateFormatError(f"the lattice has {math.prod(self.shape):,} nodes; at most 2^26 are checked")

    def violates(self, node: _Node, conditions: Conditions) -> bool:
        """Say whether a class of a node violates."""
        key = np.zeros(len(self.counts), dtype=np.int64)
        size = 1
        for level, labels, codes in zip(node, self.labels, self.codes, strict=True):
            if size * len(labels[level]) > INT64_MAX:
                key = np.unique(key, return_inverse=True)[1]
                size = len(self.counts)
            key = key * len(labels[level]) + codes[level]
            size *= len(labels[level])
        class_of = np.unique(key, return_inverse=True)[1]
        m, classes = len(self.values), int(class_of.max()) + 1
        order = np.argsort(class_of, kind="stable")
        sorted_classes, step = class_of[order], max(_CELLS // m, 1)
        for first in range(0, classes, step):
            part = order[slice(*np.searchsorted(sorted_classes, [first, first + step]))]
            many = min(step, classes - first)
            cells = (class_of[part] - first) * m + self.sensitive[part]
            if conditions.violating(_added(cells, self.counts[part], many * m).reshape(many, m)).any():
                return True
        return False

    def one(self, node: _Node, labels: Sequence[str]) -> IntArray:
        """Return the counts of the class with these labels at a node."""
        here = np.ones(len(self.counts), dtype=np.bool_)
        for level, label, known, codes in zip(node, labels, self.labels, self.codes, strict=True):
            here &= codes[level] == known[level].get(label, -1)
        return _added(self.sensitive[here], self.counts[here], len(self.values))

    def require_time(self, passes: int, what: str) -> None:
        """Refuse what would take too long."""
        if passes * (len(self.counts) * (len(self.shape) + 1) + math.prod(self.shape) / 16) > _MOST_WORK:
            raise CertificateFormatError(f"{passes:,} {what} of such a table would take too long to check")

    def node(self, given: object, what: str) -> _Node:
        """Read a node."""
        levels = listed(given, what, length=len(self.shape))
        return tuple(whole(level, f"{what}[]", most=size - 1) for level, size in zip(levels, self.shape, strict=True))

    def nodes(self, given: object, what: str, *, least: int = 0) -> list[_Node]:
        """Read a list of different nodes."""
        entries = listed(given, what, least=least)
        self.require_time(len(entries), what)
        found = [self.node(each, f"{what}[{i}]") for i, each in enumerate(entries)]
        if len(set(found)) < len(found):
            raise CertificateError(f"{what} names a node twice")
        return found


def _added(places: IntArray, counts: IntArray, size: int) -> IntArray:
    total = np.zeros(size, dtype=np.int64)
    np.add.at(total, places, counts)
    return total


def at_or_below(node: _Node) -> tuple[slice, ...]:
    """Return where the nodes that a node generalizes lie in an array over the lattice; it is one of them."""
    return tuple(slice(None, level + 1) for level in node)


def _above(node: _Node) -> tuple[slice, ...]:
    return tuple(slice(level, None) for level in node)


def _marked(nodes: Nodes, given: object, conditions: Conditions) -> npt.NDArray[np.bool_]:
    """Check the classes that violate, and return which nodes lie below one of them."""
    marked = np.zeros(nodes.shape, dtype=np.bool_)
    entries = listed(given, "violating")
    nodes.require_time(len(entries), "violating classes")
    for i, entry in enumerate(entries):
        record = fields(entry, ("node", "class"), f"violating[{i}]")
        node = nodes.node(record["node"], f"violating[{i}]")
        labels = [text(each, f"violating[{i}]") for each in listed(record["class"], "class", length=len(node))]
        counts = nodes.one(node, labels)
        if not counts.any():
            raise CertificateError(f"the class {labels} of the node {list(node)} has no record")
        if not conditions.violating(counts[None]).any():
            raise CertificateError(f"the class {labels} of the node {list(node)} does not violate the model")
        marked[at_or_below(node)] = True
    return marked


def _require_satisfying(nodes: Nodes, found: Sequence[_Node], conditions: Conditions) -> None:
    for node in found:
        if nodes.violates(node, conditions):
            raise CertificateError(f"the node {list(node)} violates the model")


def check_minimal(nodes: Nodes, conditions: Conditions, proof: Mapping[str, Any]) -> str:
    """Check that the satisfying nodes are those above `minimal`; return what was found, in words.

    Raises
    ------
    CertificateError, InputError
        If the proof does not show it, or is not of this form.
    """
    record = fields(proof, ("values", "minimal", "violating"), "proof")
    minimal = nodes.nodes(record["minimal"], "minimal")
    _require_satisfying(nodes, minimal, conditions)
    below = _marked(nodes, record["violating"], conditions)
    known = below.copy()
    for node in minimal:
        known[_above(node)] = True
    if not known.all():
        raise CertificateError(f"the node {np.argwhere(~known)[0].tolist()} is neither shown to satisfy nor to violate")
    for node in minimal:
        for i, level in enumerate(node):
            child = (*node[:i], level - 1, *node[i + 1 :])
            if level and not below[child]:
                raise CertificateError(f"the node {list(node)} is not minimal: {list(child)} is not shown to violate")
    return f"{_nodes_text(minimal)}, minimal of {below.size:,} nodes; {int((~below).sum()):,} satisfy"


def check_optimum(nodes: Nodes, conditions: Conditions, proof: Mapping[str, Any]) -> str:
    """Check that `optima` are all nodes of least loss that satisfy; return what was found, in words.

    Raises
    ------
    CertificateError, InputError
        If the proof does not show it, or is not of this form.
    """
    record = fields(proof, ("values", "loss", "value", "optima", "violating"), "proof")
    losses, value_of = whole_losses(nodes, text(record["loss"], "loss"))
    optima = nodes.nodes(record["optima"], "optima", least=1)
    best = {int(losses[node]) for node in optima}
    if len(best) > 1:
        raise CertificateError("the optima have different losses")
    value = value_of(best.pop())
    if str(value) != record["value"]:
        raise CertificateError(f"the least loss is {value}, not {shown(record['value'])}")
    _require_satisfying(nodes, optima, conditions)
    open_nodes = (losses <= losses[optima[0]]) & ~_marked(nodes, record["violating"], conditions)
    for node in optima:
        open_nodes[node] = False
    if open_nodes.any():
        raise CertificateError(f"the node {np.argwhere(open_nodes)[0].tolist()} may be as good or better")
    return f"{_nodes_text(optima)}, of {losses.size:,} nodes; {record['loss']} = {value}"


def _nodes_text(nodes: Sequence[_Node]) -> str:
    shown = ", ".join(".".join(map(str, node)) for node in nodes[:_SHOWN])
    many = f"{len(nodes)} node{'' if len(nodes) == 1 else 's'}"
    return f"{many}: {shown}{', …' if len(nodes) > _SHOWN else ''}" if nodes else "no node"


# ---------------------------------------------------------------------- losses


def whole_losses(nodes: Nodes, loss: str) -> tuple[IntArray, Any]:
    """Return a whole number for each node, less for a better loss, and what turns it into the loss.

    Raises
    ------
    CertificateError
        For a loss that is not among `LOSSES`.
    """
    if loss not in LOSSES:
        raise CertificateError(f"the loss is {shown(loss)}; a checker knows {', '.join(LOSSES)}")
    terms = [LOSSES[loss][0](nodes, i) for i in range(len(nodes.shape))]
    unit = math.lcm(*(term.denominator for column in terms for term in column))
    columns = [[int(term * unit) for term in column] for column in terms]
    if math.prod(nodes.shape) > _MOST_LONG and sum(map(max, columns)) > INT64_MAX:
        raise CertificateFormatError(f"the losses of {math.prod(nodes.shape):,} nodes are too long to be added up")
    total = np.zeros(nodes.shape, dtype=np.int64 if sum(map(max, columns)) <= INT64_MAX else object)
    for i, column in enumerate(columns):
        total = total + np.array(column, dtype=total.dtype).reshape([-1 if i == j else 1 for j in range(len(columns))])
    return total, lambda number: LOSSES[loss][1](nodes, Fraction(number, unit))


def _height(nodes: Nodes, i: int) -> list[Fraction]:
    return [Fraction(level) for level in range(nodes.shape[i])]


def _share_of_height(nodes: Nodes, i: int) -> list[Fraction]:
    return [Fraction(level, max(nodes.shape[i] - 1, 1)) for level in range(nodes.shape[i])]


def _widths(nodes: Nodes, i: int, level: int) -> list[tuple[int, int]]:
    """Return for each label of a level how many values of the hierarchy it stands for, and of how many records."""
    labels = nodes.labels[i][level]
    width = [0] * len(labels)
    for row in nodes.rows[i]:
        width[labels[row[level]]] += 1
    return list(zip(width, _added(nodes.codes[i][level], nodes.counts, len(labels)).tolist(), strict=True))


def _ncp(nodes: Nodes, i: int) -> list[Fraction]:
    size = len(nodes.rows[i])
    return [
        Fraction(sum(records * width for width, records in _widths(nodes, i, level) if width > 1), size)
        for level in range(nodes.shape[i])
    ]


def _lm(nodes: Nodes, i: int) -> list[Fraction]:
    size = max(len(nodes.rows[i]) - 1, 1)
    return [
        Fraction(sum(records * (width - 1) for width, records in _widths(nodes, i, level)), size)
        for level in range(nodes.shape[i])
    ]


def _as_it_is(nodes: Nodes, total: Fraction) -> Fraction:
    return total


def _mean(nodes: Nodes, total: Fraction) -> Fraction:
    return total / (nodes.records * len(nodes.shape))


def _precision(nodes: Nodes, total: Fraction) -> Fraction:
    return 1 - total / len(nodes.shape)


LOSSES: dict[str, tuple[Any, Any]] = {
    "height": (_height, _as_it_is),
    "precision": (_share_of_height, _precision),
    "ncp": (_ncp, _as_it_is),
    "gcp": (_ncp, _mean),
    "lm": (_lm, _mean),
}
"""By name: the terms of an attribute's levels, the least of whose sum is the best; and the loss from the sum.

``height``: Σ level; ``precision``: 1 − mean of level/height; ``ncp``: Σ over records and attributes of values below the
label over values of the hierarchy, 0 for one value; ``gcp``: its mean; ``lm``: the mean of (values − 1)/(all − 1).
"""
