"""Certificates of searches: what a checker needs to see that no other node satisfies, or is better.

A class that violates at a maximal violating node is the evidence for every node below it, so a handful of classes and
the minimal nodes are the whole proof. It is checked by `tcloseness.certificates` before it is handed out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tcloseness.certificates import Envelope, Reading
from tcloseness.certificates.lattice import MINIMAL, OPTIMUM, at_or_below, whole_losses
from tcloseness.errors import CertificateError, NotCertified
from tcloseness.exact import number_text
from tcloseness.lattice.lattice import Node
from tcloseness.lattice.results import Optimum, SearchResult
from tcloseness.lattice.roll_up import RollUp
from tcloseness.lattice.tags import VIOLATING
from tcloseness.loss import Loss
from tcloseness.microdata.domain import value_text
from tcloseness.models import PrivacyModel
from tcloseness.models.certified import CertifiedTable

__all__ = ["minimal_certificate", "optimum_certificate"]


def minimal_certificate(
    rolled: RollUp, model: PrivacyModel, found: SearchResult, *, reading: Reading | None = None, file_sha256: str = ""
) -> Envelope:
    """Return the certificate that the satisfying nodes are those above the minimal ones.

    Parameters
    ----------
    rolled, model, found
        What was searched, for what, and the answer.
    reading, file_sha256
        How the table's CSV file is read, and the sha256 of its bytes, where it was one.

    Raises
    ------
    NotCertified
        If no checker knows a condition of the model, or records may be suppressed.
    """
    _require_plain(rolled, found.limit)
    violating = [_witness(rolled, model, node) for node in _maximal(found.tags.array == VIOLATING)]
    proof = {"minimal": [list(node) for node in found.minimal], "violating": violating}
    return _table(rolled).sealed(MINIMAL, model, proof, reading=reading, file_sha256=file_sha256)


def optimum_certificate(
    rolled: RollUp,
    model: PrivacyModel,
    found: Optimum,
    loss: Loss,
    border: SearchResult,
    *,
    reading: Reading | None = None,
    file_sha256: str = "",
) -> Envelope:
    """Return the certificate that the optima are all nodes of least loss.

    Parameters
    ----------
    rolled, model, found, loss
        What was searched, for what, the answer, and what was minimized.
    border
        Which nodes satisfy.
    reading, file_sha256
        As for `minimal_certificate`.

    Raises
    ------
    NotCertified
        As `minimal_certificate`; also for a loss that no checker knows, or where no node satisfies: then
        `minimal_certificate` says so.
    """
    _require_plain(rolled, found.limit)
    name = getattr(loss, "checked_as", None)
    if name is None:
        raise NotCertified(f"not certified: no checker for the loss {loss.name!r} with these choices")
    if not found.nodes:
        raise NotCertified("no node satisfies, so there is no optimum; certify the search for minimal nodes")
    try:
        better, _ = whole_losses(_table(rolled).nodes, name)
    except CertificateError as error:
        raise NotCertified(f"not certified: the checker refuses it: {error}") from error
    optima = [each.node for each in found.nodes]
    left = (better <= better[optima[0]]) & (border.tags.array == VIOLATING)
    chosen = []
    witnesses = _maximal(border.tags.array == VIOLATING)
    while left.any():
        covered = [int(left[at_or_below(node)].sum()) for node in witnesses]
        node = witnesses[int(np.argmax(covered))]
        if not max(covered):
            break
        chosen.append(_witness(rolled, model, node))
        left[at_or_below(node)] = False
    proof = {
        "loss": name,
        "value": number_text(found.value),
        "optima": [list(node) for node in optima],
        "violating": chosen,
    }
    return _table(rolled).sealed(OPTIMUM, model, proof, reading=reading, file_sha256=file_sha256)


def _require_plain(rolled: RollUp, limit: int) -> None:
    if limit:
        raise NotCertified("not certified: no checker for a search that may suppress records; leave suppression out")
    _table(rolled)


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
