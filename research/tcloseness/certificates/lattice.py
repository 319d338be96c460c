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

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from tcloseness.certificates.conditions import Conditions
from tcloseness.certificates.envelope import Task
from tcloseness.certificates.losses import loss_named
from tcloseness.certificates.nodes import NodeLevels, Nodes
from tcloseness.displayed import counted
from tcloseness.errors import CertificateError
from tcloseness.strict_records import fields, shown, text

__all__ = ["MINIMAL", "OPTIMUM", "TASKS", "at_or_above", "at_or_below", "check_minimal", "check_optimum", "nodes_text"]

MINIMAL, OPTIMUM = "tcloseness-minimal-certificate-1", "tcloseness-optimum-certificate-1"

_SHOWN = 12


def at_or_below(node: NodeLevels) -> tuple[slice, ...]:
    """Return where the nodes that a node generalizes lie in an array over the lattice; it is one of them."""
    return tuple(slice(None, level + 1) for level in node)


def at_or_above(node: NodeLevels) -> tuple[slice, ...]:
    """Return likewise where the nodes lie that generalize a node."""
    return tuple(slice(level, None) for level in node)


def _marked(nodes: Nodes, given: object, conditions: Conditions) -> npt.NDArray[np.bool_]:
    """Check the classes that violate, and return which nodes lie below one of them."""
    marked = np.zeros(nodes.shape, dtype=np.bool_)
    for node, _ in nodes.violating(given, conditions):
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
        known[at_or_above(node)] = True
    if not known.all():
        raise CertificateError(f"the node {np.argwhere(~known)[0].tolist()} is neither shown to satisfy nor to violate")
    for node in minimal:
        for i, level in enumerate(node):
            child = (*node[:i], level - 1, *node[i + 1 :])
            if level and not below[child]:
                raise CertificateError(f"the node {list(node)} is not minimal: {list(child)} is not shown to violate")
    return f"{nodes_text(minimal)}, minimal of {counted(below.size, 'node')}; {int((~below).sum()):,} satisfy"


def check_optimum(nodes: Nodes, conditions: Conditions, proof: Mapping[str, Any]) -> str:
    """Check that `optima` are all nodes of least loss that satisfy; return what was found, in words.

    Raises
    ------
    CertificateError, InputError
        If the proof does not show it, or is not of this form.
    """
    record = fields(proof, ("values", "loss", "value", "optima", "violating"), "proof")
    loss = loss_named(nodes, text(record["loss"], "loss"))
    losses = loss.table
    if losses is None:
        raise CertificateError(f"{record['loss']} is not a loss of cells")
    optima = nodes.nodes(record["optima"], "optima", least=1)
    best = {int(losses[node]) for node in optima}
    if len(best) > 1:
        raise CertificateError("the optima have different losses")
    value = loss.value(best.pop())
    if str(value) != record["value"]:
        raise CertificateError(f"the least loss is {value}, not {shown(record['value'])}")
    _require_satisfying(nodes, optima, conditions)
    open_nodes = (losses <= losses[optima[0]]) & ~_marked(nodes, record["violating"], conditions)
    for node in optima:
        open_nodes[node] = False
    if open_nodes.any():
        raise CertificateError(f"the node {np.argwhere(open_nodes)[0].tolist()} may be as good or better")
    return f"{nodes_text(optima)}, of {counted(losses.size, 'node')}; {record['loss']} = {value}"


def nodes_text(nodes: Sequence[NodeLevels]) -> str:
    """Return nodes as people read them."""
    shown = ", ".join(".".join(map(str, node)) for node in nodes[:_SHOWN])
    return f"{counted(len(nodes), 'node')}: {shown}{', …' if len(nodes) > _SHOWN else ''}" if nodes else "no node"


TASKS = (
    Task(
        MINIMAL,
        "no record is suppressed; the nodes that satisfy the model are those above one of `minimal`, and no node of "
        "`minimal` lies above another",
        check_minimal,
        trusts=True,
    ),
    Task(
        OPTIMUM,
        "no record is suppressed; `optima` are all nodes of least loss among those that satisfy the model",
        check_optimum,
        trusts=True,
    ),
)
