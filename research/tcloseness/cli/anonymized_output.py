"""The anonymized table of a search, and beside it what was done: enough to re-check the table, and to do it again."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tcloseness.cli.output import file_name
from tcloseness.cli.released import ReleaseFile, check_command, recorded, sidecar_name, sidecar_text
from tcloseness.errors import InputError
from tcloseness.writing import Draft

if TYPE_CHECKING:
    from tcloseness.cli.table_inputs import TableInputs
    from tcloseness.lattice import Lattice, Node, RollUp
    from tcloseness.lattice.search_answer import SearchAnswer
    from tcloseness.models import PrivacyModel

__all__ = ["Anonymization", "chosen_node", "node_named", "satisfying_node"]

FORMAT = "tcloseness-anonymization-1"


def node_named(lattice: Lattice, text: str) -> Node:
    """Read a node: one digit each as in ``4222020``, or levels with dots between.

    `InputError` if it is none, or the lattice does not have it.
    """
    parts = text.split(".") if "." in text else list(text)
    if not all(part.isascii() and part.isdigit() for part in parts) or len(parts) != len(lattice.shape):
        raise InputError(
            f"--node {text!r} is not a node of this lattice; it has {len(lattice.shape)} level(s), one for each of "
            f"{', '.join(lattice.quasi_identifiers)}, such as {lattice.text(lattice.top)} for the top"
        )
    return lattice.node([int(part) for part in parts])


def satisfying_node(rolled: RollUp, text: str, model: PrivacyModel, limit: int) -> Node:
    """Read a node that satisfies a model; `InputError` if it is none, the lattice does not have it, or it violates."""
    from tcloseness.lattice.measured import release_at

    node = node_named(rolled.lattice, text)
    verdict = model.evaluate(release_at(rolled, node, model, limit=limit)[1])
    if verdict.status != "satisfied":
        found = {"violated": "violates", "undecided": "cannot be decided by"}.get(verdict.status, verdict.status)
        raise InputError(
            f"--node {text} {found} {model.name} ({verdict.records_at_risk} of {rolled.records} records are in classes "
            "that violate it); choose one that satisfies"
        )
    return node


def chosen_node(answer: SearchAnswer, wanted: Node | None) -> tuple[Node, str] | None:
    """Return the node to write and why it is that one; None if no node was found.

    `InputError` if there are several, and nothing says which is meant.
    """
    text = answer.lattice.text
    if wanted is not None:
        return wanted, "named by --node"
    if not answer.listed:
        return None
    first = answer.listed[0].node
    if answer.optimum is not None:
        loss, ties = answer.optimum.loss, len(answer.optimum.nodes)
        which = f"the only optimum by {loss}" if ties == 1 else f"the first of {ties} nodes that tie by {loss}"
        return first, which
    if len(answer.listed) > 1:
        nodes = [text(each.node) for each in answer.listed]
        shown = ", ".join(nodes[:8]) + (" …" if len(nodes) > 8 else "")
        raise InputError(
            f"{len(nodes)} nodes are listed and one can be written: choose with --node, such as --node {nodes[0]} "
            f"(of {shown}), or let --optimum choose; no table was written"
        )
    kind = "satisfying" if answer.wanted == "all" else "minimal"
    return first, f"the only {kind} node"


_MEASURED = ("classes", "k", "distinct_l", "entropy", "effective_l", "t")


@dataclass(frozen=True)
class Anonymization:
    """One node, written."""

    output: str  # the table's file
    content: bytes | Draft
    record: Mapping[str, Any]  # what was done, as JSON-ready data
    check: str  # the command that re-checks the table from here

    @classmethod
    def of(
        cls,
        output: str,
        which: tuple[Node, str],
        inputs: TableInputs,
        rolled: RollUp,
        model: PrivacyModel,
        answer: SearchAnswer,
    ) -> Anonymization:
        """Generalize the rows, and say how to check them; `InputError` if the table cannot be written in its encoding.

        `which` is the node, and why it is that one.
        """
        from tcloseness import __version__
        from tcloseness.lattice.measured import measure_node
        from tcloseness.lattice.searches import search_conventions

        (node, why), limit = which, answer.limit
        release = answer.at(node)
        measured = measure_node(rolled, node, model, ground=inputs.measured_by, limit=limit)
        file = ReleaseFile.of_release(output, release, inputs)
        numbers, check = measured.to_dict(rolled.lattice), check_command(file, inputs)
        record = {
            "format": FORMAT,
            "version": __version__,
            "node": numbers["node"],
            "chosen": why,
            "levels": {name: {"level": r.level, "of": r.height} for name, r in release.recodings.items()},
            "model": model.name,
            "thresholds": inputs.thresholds.exact,
            "status": measured.status,
            "partial": False,
            "measured": {name: numbers[name] for name in _MEASURED if name in numbers},
            "records": release.records,
            "rows": file.rows,
            "dropped": inputs.frequencies.dropped,
            "suppressed_records": release.suppressed,
            "suppression_limit_records": limit,
            "suppressed_marker": file.marker,
            "suppressed_together": release.suppressed_together(model, inputs.sensitive),
            "columns": {
                "quasi_identifiers": list(inputs.quasi_identifiers),
                "sensitive": inputs.sensitive or None,
                "weight": inputs.weight,
                "kept_as_they_are": list(inputs.keep),
                "left_out": list(file.left_out),
            },
            **{name: inputs.to_dict()[name] for name in ("table", "hierarchies", "ground_distance")},
            "anonymized": file.record,
            "conventions": dict(search_conventions(rolled, limit)),
            "check": recorded(check),
        }
        return cls(output, file.content, record, check)

    @property
    def summary(self) -> dict[str, Any]:
        """The record in short, for the search's own answer."""
        names = ("node", "chosen", "rows", "suppressed_records", "check")
        return {
            **self.record["anonymized"],
            "what_was_done": file_name(sidecar_name(self.output)),
            **{name: self.record[name] for name in names},
        }

    @property
    def files(self) -> dict[str, bytes | Draft]:
        """What to write."""
        return {self.output: self.content, sidecar_name(self.output): sidecar_text(self.record)}
