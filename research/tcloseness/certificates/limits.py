"""Checkers of searches that may suppress records, and of losses of classes.

At a node the records of all classes that violate are suppressed; the node satisfies if they are at most `limit` and not
all. Then a node may satisfy though one above it does not. Still, if more than `limit` records, or all, must leave the
classes of a node so that what stays satisfies, no node below satisfies: what that keeps of a class above is a union of
classes that satisfy (`tcloseness.certificates.leaving`). And where no class of a node violates, none does above it.

``limited-minimal``
    Nodes of `violating` rule out what lies below them, nodes of `satisfying` settle what lies above, and every other
    node is counted again; `minimal` are the satisfying nodes of whose direct specializations none satisfies.
``limited-optimum``
    Every node that is neither below one of `violating`, nor of a greater loss, is counted again; none that satisfies
    loses less than `value`, and those that lose as much are `optima`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

from tcloseness.certificates.conditions import Conditions
from tcloseness.certificates.envelope import Task
from tcloseness.certificates.lattice import at_or_above, at_or_below, nodes_text
from tcloseness.certificates.leaving import fewest_leaving
from tcloseness.certificates.losses import CellLoss, ClassLoss, Suppressed, loss_named
from tcloseness.certificates.nodes import NodeLevels, Nodes
from tcloseness.displayed import counted
from tcloseness.errors import CertificateError
from tcloseness.strict_records import fields, shown, text, whole

__all__ = [
    "LIMITED_MINIMAL",
    "LIMITED_OPTIMUM",
    "TASKS",
    "check_minimal",
    "check_optimum",
    "direct_minimal",
    "ruled_out",
    "stays_satisfied",
    "suppressed",
]

LIMITED_MINIMAL, LIMITED_OPTIMUM = (f"tcloseness-limited-{task}-certificate-1" for task in ("minimal", "optimum"))


def suppressed(nodes: Nodes, node: NodeLevels, conditions: Conditions) -> Suppressed:
    """Return the classes of a node, and which violate."""
    bad, sizes = [], []
    for block in nodes.classes(node):
        bad.append(conditions.violating(block))
        sizes.append(block.sum(axis=1))
    return Suppressed(nodes.class_of(node), np.concatenate(sizes), np.concatenate(bad))


def ruled_out(nodes: Nodes, node: NodeLevels, conditions: Conditions, limit: int) -> bool:
    """Say whether more than a limit of records, or all, must leave the classes of a node."""
    enough = min(limit + 1, nodes.records)
    return fewest_leaving(nodes.classes(node), conditions, enough) >= enough


def stays_satisfied(conditions: Conditions) -> bool:
    """Say whether a node above one that satisfies does too, whatever is suppressed: classes merge, none gets worse."""
    return all(record["condition"] in ("records", "values") for record, _ in conditions.each)


def direct_minimal(satisfies: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return which of the satisfying nodes have no direct specialization among them."""
    above = np.zeros_like(satisfies)
    for axis in range(satisfies.ndim):
        low, high = ([slice(None)] * satisfies.ndim for _ in range(2))
        low[axis], high[axis] = slice(None, -1), slice(1, None)
        above[tuple(high)] |= satisfies[tuple(low)]
    return satisfies & ~above


def check_minimal(nodes: Nodes, conditions: Conditions, proof: Mapping[str, Any]) -> str:
    """Check which nodes satisfy under a limit of suppression; return what was found, in words.

    Raises
    ------
    CertificateError, InputError
        If the proof does not show it, or is not of this form.
    """
    record = fields(proof, ("values", "limit", "minimal", "satisfying", "violating"), "proof")
    limit = whole(record["limit"], "limit", most=nodes.records)
    satisfies = np.zeros(nodes.shape, dtype=np.bool_)
    for node in nodes.nodes(record["satisfying"], "satisfying"):
        lost = suppressed(nodes, node, conditions).records
        if lost > (limit if stays_satisfied(conditions) else 0) or lost == nodes.records:
            raise CertificateError(f"the node {list(node)} does not show that those above it satisfy")
        satisfies[at_or_above(node)] = True
    open_nodes = _left(nodes, conditions, record["violating"], limit) & ~satisfies
    for node in _each(nodes, open_nodes, closing=False):
        lost = suppressed(nodes, node, conditions).records
        satisfies[node] = lost <= limit and lost < nodes.records
    minimal = nodes.nodes(record["minimal"], "minimal")
    wrong = direct_minimal(satisfies)
    for node in minimal:
        wrong[node] ^= True
    if wrong.any():
        node = tuple(np.argwhere(wrong)[0].tolist())
        raise CertificateError(f"the node {list(node)} is{' not' if node in minimal else ''} a minimal one")
    of = counted(wrong.size, "node")
    return f"{_under(limit, nodes)}: {nodes_text(minimal)}, minimal of {of}; {satisfies.sum():,} satisfy"


def check_optimum(nodes: Nodes, conditions: Conditions, proof: Mapping[str, Any]) -> str:
    """Check that `optima` are all nodes of least loss under a limit of suppression; return what was found, in words.

    Raises
    ------
    CertificateError, InputError
        If the proof does not show it, or is not of this form.
    """
    record = fields(proof, ("values", "limit", "loss", "value", "optima", "violating"), "proof")
    limit = whole(record["limit"], "limit", most=nodes.records)
    loss = loss_named(nodes, text(record["loss"], "loss"))
    optima = nodes.nodes(record["optima"], "optima", least=1)
    best = loss.of(optima[0], _satisfying(nodes, optima[0], conditions, limit))
    if str(loss.value(best)) != record["value"]:
        raise CertificateError(f"the loss of {list(optima[0])} is {loss.value(best)}, not {shown(record['value'])}")
    open_nodes = _left(nodes, conditions, record["violating"], limit)
    if loss.table is not None:
        open_nodes &= loss.table <= min(best, int(loss.table.max()))
    left = set(optima)
    for node in _each(nodes, open_nodes, closing=loss.table is None):
        found = suppressed(nodes, node, conditions)
        if found.records <= limit and found.records < nodes.records:
            order = loss.of(node, found) - best
            if order < 0 or (order == 0 and node not in left):
                raise CertificateError(f"the node {list(node)} is {'better' if order < 0 else 'as good'}")
            if order == 0:
                left.remove(node)
        if _above_are_worse(loss, node, found, best, limit):
            open_nodes[at_or_above(node)] = False
    if left:
        raise CertificateError(f"the node {list(min(left))} is not optimal, or does not satisfy")
    listed = f"{nodes_text(optima)}, of {counted(open_nodes.size, 'node')}"
    return f"{_under(limit, nodes)}: {listed}; {record['loss']} = {loss.value(best)}"


def _above_are_worse(loss: CellLoss | ClassLoss, node: NodeLevels, found: Suppressed, best: Any, limit: int) -> bool:
    """Say whether a node loses more than the best, before suppression, and with it every node above."""
    if loss.table is not None or (limit and not loss.bounded):
        return False
    before = Suppressed(found.class_of, found.sizes, np.zeros_like(found.withheld))
    return bool(loss.of(node, before) > best)


def _satisfying(nodes: Nodes, node: NodeLevels, conditions: Conditions, limit: int) -> Suppressed:
    found = suppressed(nodes, node, conditions)
    if found.records > limit or found.records == nodes.records:
        raise CertificateError(f"the node {list(node)} does not satisfy")
    return found


def _left(nodes: Nodes, conditions: Conditions, given: object, limit: int) -> npt.NDArray[np.bool_]:
    """Check the nodes that rule out those below them, and return which are left."""
    left = np.ones(nodes.shape, dtype=np.bool_)
    for node in nodes.nodes(given, "violating"):
        if not ruled_out(nodes, node, conditions, limit):
            raise CertificateError(f"the node {list(node)} does not show that no node below it satisfies")
        left[at_or_below(node)] = False
    return left


def _each(nodes: Nodes, open_nodes: npt.NDArray[np.bool_], *, closing: bool) -> Iterator[NodeLevels]:
    """Yield each open node once, none before one below it; with `closing`, some may be closed on the way."""
    flat, place, done = open_nodes.reshape(-1), 0, 0 if closing else int(open_nodes.sum())
    while place < flat.size:
        place += int(np.argmax(flat[place:]))
        if not flat[place]:
            return
        done += closing
        nodes.require_time(done, "nodes that are left")
        yield tuple(int(level) for level in np.unravel_index(place, open_nodes.shape))
        place += 1


def _under(limit: int, nodes: Nodes) -> str:
    return f"at most {limit:,} of {counted(nodes.records, 'record')} suppressed" if limit else "no record suppressed"


_RULE = (
    "at a node the records of the classes that violate the model, measured against all records, are suppressed, which "
    "may be up to `limit` and not all; "
)

TASKS = (
    Task(
        LIMITED_MINIMAL,
        _RULE + "`minimal` are the nodes that satisfy so and have no direct specialization that does",
        check_minimal,
    ),
    Task(
        LIMITED_OPTIMUM,
        _RULE + "`optima` are all nodes of least loss, measured after that, among those that satisfy so",
        check_optimum,
    ),
)
