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
from tcloseness.certificates.envelope import Task
from tcloseness.certificates.nodes import NodeLevels, Nodes, added
from tcloseness.errors import CertificateError, CertificateFormatError
from tcloseness.exact import INT64_MAX, IntArray
from tcloseness.strict_records import fields, listed, shown, text

__all__ = ["LOSSES", "MINIMAL", "OPTIMUM", "TASKS", "at_or_below", "check_minimal", "check_optimum", "whole_losses"]

MINIMAL, OPTIMUM = "tcloseness-minimal-certificate-1", "tcloseness-optimum-certificate-1"

_MOST_LONG = 2**22
"""Losses beyond 64 bits."""
_SHOWN = 12


def at_or_below(node: NodeLevels) -> tuple[slice, ...]:
    """Return where the nodes that a node generalizes lie in an array over the lattice; it is one of them."""
    return tuple(slice(None, level + 1) for level in node)


def _above(node: NodeLevels) -> tuple[slice, ...]:
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


def _require_satisfying(nodes: Nodes, found: Sequence[NodeLevels], conditions: Conditions) -> None:
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


def _nodes_text(nodes: Sequence[NodeLevels]) -> str:
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
    return list(zip(width, added(nodes.codes[i][level], nodes.counts, len(labels)).tolist(), strict=True))


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

TASKS = (
    Task(
        MINIMAL,
        "no record is suppressed; the nodes that satisfy the model are those above one of `minimal`, and no node of "
        "`minimal` lies above another",
        check_minimal,
    ),
    Task(
        OPTIMUM,
        "no record is suppressed; `optima` are all nodes of least loss among those that satisfy the model",
        check_optimum,
    ),
)
