"""Certificates of searches: what a checker needs to see that no other node satisfies, or is better.

A class that violates at a maximal violating node is the evidence for every node below it, so a handful of classes and
the minimal nodes are the whole proof. It is checked by `tcloseness.certificates` before it is handed out.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from tcloseness import certificates
from tcloseness.certificates import MINIMAL, OPTIMUM, STATEMENTS, Counts, Envelope, HierarchyRows, Reading
from tcloseness.certificates.reading import value_part
from tcloseness.errors import CertificateError, NotCertified
from tcloseness.exact import number_text
from tcloseness.lattice.lattice import Node
from tcloseness.lattice.results import Optimum, SearchResult
from tcloseness.lattice.roll_up import RollUp
from tcloseness.lattice.tags import VIOLATING
from tcloseness.loss import Loss
from tcloseness.microdata import Domain
from tcloseness.microdata.digest import canonical_counts, canonical_value
from tcloseness.microdata.domain import value_text
from tcloseness.models import PrivacyModel
from tcloseness.models.conditions import conditions_of, parts_of

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
    return _checked(MINIMAL, rolled, model, proof, reading, file_sha256)


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
    counts, levels = _inputs(rolled)
    try:
        nodes = certificates.Nodes(counts, levels, _values(rolled.domain))
        better, _ = certificates.whole_losses(nodes, name)
    except CertificateError as error:
        raise NotCertified(f"not certified: the checker refuses it: {error}") from error
    optima = [each.node for each in found.nodes]
    left = (better <= better[optima[0]]) & (border.tags.array == VIOLATING)
    chosen = []
    witnesses = _maximal(border.tags.array == VIOLATING)
    while left.any():
        covered = [int(left[certificates.at_or_below(node)].sum()) for node in witnesses]
        node = witnesses[int(np.argmax(covered))]
        if not max(covered):
            break
        chosen.append(_witness(rolled, model, node))
        left[certificates.at_or_below(node)] = False
    proof = {
        "loss": name,
        "value": number_text(found.value),
        "optima": [list(node) for node in optima],
        "violating": chosen,
    }
    return _checked(OPTIMUM, rolled, model, proof, reading, file_sha256)


def _require_plain(rolled: RollUp, limit: int) -> None:
    if limit:
        raise NotCertified("not certified: no checker for a search that may suppress records; leave suppression out")
    if rolled.frequencies.persons is not None:
        raise NotCertified("not certified: no checker for a table whose rows are counted by person")


def _conditions(model: PrivacyModel, domain: Domain) -> list[dict[str, Any]]:
    found = []
    for part in parts_of(model):
        conditions = conditions_of(part)
        records = None if conditions is None else [each.record(domain) for each in conditions]
        if records is None or None in records or not part.monotone.generalization:
            raise NotCertified(f"not certified: no checker for {part.name} as it is asked for here")
        found += [record for record in records if record is not None]
    if not found:
        raise NotCertified("not certified: nothing is asked for")
    return found


def _values(domain: Domain) -> list[str]:
    return [canonical_value(value) for value in domain.values]


def _inputs(rolled: RollUp) -> tuple[Counts, HierarchyRows]:
    """Return the counts and the levels of each hierarchy; None for one that keeps values as they are or drops them."""
    if "certificates" not in rolled.remembered:
        columns, given = canonical_counts(rolled.frequencies, rolled.sensitive)
        levels: dict[str, list[tuple[str, ...]] | None] = {}
        for name, hierarchy in rolled.lattice.hierarchies.items():
            rows = [tuple(value_text(cell) for cell in path) for path in hierarchy.paths]
            place = columns.index(name)
            plain = {(value_part(values[place]), "*") for values in given}
            levels[name] = None if set(rows) == plain else rows
        rolled.remembered["certificates"] = Counts.of(columns, given), levels
    return rolled.remembered["certificates"]  # type: ignore[no-any-return]


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


def _checked(
    task: str,
    rolled: RollUp,
    model: PrivacyModel,
    proof: dict[str, Any],
    reading: Reading | None,
    file_sha256: str,
) -> Envelope:
    """Put a certificate together, and check it as anybody would."""
    counts, levels = _inputs(rolled)
    envelope = Envelope(
        task,
        STATEMENTS[task],
        counts.digest,
        file_sha256 or None,
        rolled.lattice.quasi_identifiers,
        rolled.sensitive,
        rolled.records,
        reading or Reading(),
        {name: None if rows is None else certificates.levels_digest(rows) for name, rows in levels.items()},
        tuple(_conditions(model, rolled.domain)),
        {"values": _values(rolled.domain), **proof},
    )
    try:
        certificates.check(certificates.read_certificate(envelope.to_json()), counts, levels)
    except CertificateError as error:
        raise NotCertified(f"not certified: the checker refuses it: {error}") from error
    return envelope
