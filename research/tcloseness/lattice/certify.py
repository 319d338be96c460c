"""Certificates of searches: what a checker needs to see that no other node satisfies, or is better.

A class that violates at a maximal violating node is the evidence for every node below it, so a handful of classes and
the minimal nodes are the whole proof. Where records may be suppressed, nodes that more than the limit must leave are
evidence for those below. It is checked by `tcloseness.certificates` before it is handed out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tcloseness.certificates import Envelope, Reading
from tcloseness.certificates.conditions import Conditions
from tcloseness.certificates.lattice import MINIMAL, OPTIMUM, at_or_below
from tcloseness.certificates.limits import LIMITED_MINIMAL, LIMITED_OPTIMUM, ruled_out, stays_satisfied, suppressed
from tcloseness.certificates.losses import CELLS, loss_named
from tcloseness.errors import NotCertified
from tcloseness.exact import number_text
from tcloseness.lattice.lattice import Node
from tcloseness.lattice.results import Optimum, SearchResult
from tcloseness.lattice.roll_up import RollUp
from tcloseness.lattice.searches import minimal_generalizations
from tcloseness.lattice.tags import VIOLATING
from tcloseness.loss import Loss
from tcloseness.microdata.domain import value_text
from tcloseness.models import PrivacyModel
from tcloseness.models.certified import CertifiedTable, conditions_over, refused_by_checker

__all__ = ["minimal_certificate", "optimum_certificate"]


def minimal_certificate(
    rolled: RollUp, model: PrivacyModel, found: SearchResult, *, reading: Reading | None = None, file_sha256: str = ""
) -> Envelope:
    """Return the certificate of which nodes satisfy, and that the minimal ones are these.

    Parameters
    ----------
    rolled, model, found
        What was searched, for what, and the answer.
    reading, file_sha256
        How the table's CSV file is read, and the sha256 of its bytes, where it was one.

    Raises
    ------
    NotCertified
        If no checker knows a condition of the model.
    """
    minimal: dict[str, Any] = {"minimal": [list(node) for node in found.minimal]}
    if not found.limit:
        violating = [_witness(rolled, model, node) for node in _maximal(found.tags.array == VIOLATING)]
        proof, task = {**minimal, "violating": violating}, MINIMAL
    else:
        with refused_by_checker():
            conditions = _conditions(rolled, model)
            plain = found if stays_satisfied(conditions) else minimal_generalizations(rolled, model)
            proof = {
                "limit": found.limit,
                **minimal,
                "satisfying": [list(node) for node in plain.minimal],
                "violating": _ruling_out(rolled, conditions, found.limit, found.tags.array == VIOLATING),
            }
        task = LIMITED_MINIMAL
    return _table(rolled).sealed(task, model, proof, reading=reading, file_sha256=file_sha256)


def optimum_certificate(
    rolled: RollUp,
    model: PrivacyModel,
    found: Optimum,
    loss: Loss,
    *,
    reading: Reading | None = None,
    file_sha256: str = "",
) -> Envelope:
    """Return the certificate that the optima are all nodes of least loss.

    Parameters
    ----------
    rolled, model, found, loss
        What was searched, for what, the answer, and what was minimized.
    reading, file_sha256
        As for `minimal_certificate`.

    Raises
    ------
    NotCertified
        As `minimal_certificate`; also for a loss that no checker knows, or where no node satisfies: then
        `minimal_certificate` says so.
    """
    name = getattr(loss, "checked_as", None)
    if name is None or (found.limit and name in CELLS and getattr(loss, "suppressing", None) is None):
        raise NotCertified(f"not certified: no checker for the loss {loss.name!r} with these choices")
    if not found.nodes:
        raise NotCertified("no node satisfies, so there is no optimum; certify the search for minimal nodes")
    optima = [each.node for each in found.nodes]
    proof: dict[str, Any] = {"loss": name, "value": number_text(found.value), "optima": [list(node) for node in optima]}
    known = found.tags.array == VIOLATING
    left = known.copy()
    with refused_by_checker():
        nodes, conditions = _table(rolled).nodes, _conditions(rolled, model)
        measured = loss_named(nodes, name)
        if measured.table is not None:
            best = measured.of(optima[0], suppressed(nodes, optima[0], conditions))
            left &= measured.table <= min(best, int(measured.table.max()))
        if measured.table is None or found.limit:
            violating = _ruling_out(rolled, conditions, found.limit, left)
            proof, task = {**proof, "limit": found.limit, "violating": violating}, LIMITED_OPTIMUM
        else:
            proof, task = {**proof, "violating": _violating(rolled, model, known, left)}, OPTIMUM
    return _table(rolled).sealed(task, model, proof, reading=reading, file_sha256=file_sha256)


def _violating(
    rolled: RollUp, model: PrivacyModel, violating: npt.NDArray[np.bool_], left: npt.NDArray[np.bool_]
) -> list[dict[str, Any]]:
    """Return classes that violate at nodes above all that are left, few of them."""
    chosen = []
    witnesses = _maximal(violating)
    while left.any():
        covered = [int(left[at_or_below(node)].sum()) for node in witnesses]
        node = witnesses[int(np.argmax(covered))]
        if not max(covered):
            break
        chosen.append(_witness(rolled, model, node))
        left[at_or_below(node)] = False
    return chosen


def _ruling_out(
    rolled: RollUp, conditions: Conditions, limit: int, violating: npt.NDArray[np.bool_]
) -> list[list[int]]:
    """Return nodes whose classes more than the limit must leave, such that they rule out what such nodes can."""
    nodes, left, chosen = _table(rolled).nodes, violating.copy(), []
    for place in np.flatnonzero(left)[::-1].tolist():  # none before one that generalizes it
        node = tuple(int(level) for level in np.unravel_index(place, left.shape))
        if left[node] and ruled_out(nodes, node, conditions, limit):
            chosen.append(list(node))
            left[at_or_below(node)] = False
    return chosen


def _conditions(rolled: RollUp, model: PrivacyModel) -> Conditions:
    table = _table(rolled)
    return conditions_over(model, rolled.domain, table.values, table.nodes.reference.tolist())


def _table(rolled: RollUp) -> CertifiedTable:
    if "certified" not in rolled.remembered:
        rolled.remembered["certified"] = CertifiedTable.of(
            rolled.frequencies, rolled.sensitive, rolled.lattice.hierarchies
        )
    return rolled.remembered["certified"]  # type: ignore[no-any-return]


def _maximal(nodes: npt.NDArray[np.bool_]) -> list[Node]:
    """Return the nodes of a set that have no direct generalization in it."""
    covered = np.zeros_like(nodes)
    for axis in range(nodes.ndim):
        low, high = ([slice(None)] * nodes.ndim for _ in range(2))
        low[axis], high[axis] = slice(None, -1), slice(1, None)
        covered[tuple(low)] |= nodes[tuple(high)]
    return [tuple(node) for node in np.argwhere(nodes & ~covered).tolist()]


def _witness(rolled: RollUp, model: PrivacyModel, node: Node) -> dict[str, Any]:
    """Return the largest class of a node that violates."""
    classes = rolled.classes(node)
    violating = model.evaluate(classes).violating
    largest = int(violating[np.argmax(classes.class_sizes[violating])])
    return {"node": list(node), "class": [value_text(label) for label in classes.label(largest)]}
