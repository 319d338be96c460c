"""What a search of the lattice answers."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeAlias

from tcloseness.conventions import Conventions
from tcloseness.displayed import Displayed, Explained, Pictured, counted
from tcloseness.lattice.lattice import Lattice, Node
from tcloseness.lattice.tags import SATISFYING, UNDECIDED, UNKNOWN, VIOLATING, Tags
from tcloseness.limits import Partial, Reason
from tcloseness.loss import LossResult
from tcloseness.models import ModelResult
from tcloseness.models.protocol import value_texts

__all__ = ["OptimalNode", "Optimum", "PartialOptimum", "PartialSearch", "Progress", "SearchResult", "Work"]

Progress: TypeAlias = Callable[[int, int], None]
"""Called with the number of nodes that are settled and the size of the lattice."""


@dataclass(frozen=True)
class Work(Displayed):
    """What a search did.

    Attributes
    ----------
    checked
        How many times a node was decided on its class counts.
    tagged
        How many nodes of the lattice were settled without that, by monotonicity.
    roll_ups
        How many nodes' classes were computed.
    table_scans
        How many frequency sets Incognito takes from the table (its graphs' roots); 0 for other searches.
    by_subset
        For Incognito, per number of quasi-identifiers: candidate nodes, nodes checked, table scans.
    """

    checked: int
    tagged: int
    roll_ups: int
    table_scans: int = 0
    by_subset: tuple[tuple[int, int, int], ...] = ()

    def _said(self) -> str:
        return f"{self.checked} nodes decided on their counts, {self.tagged} by monotonicity"

    def to_dict(self) -> dict[str, Any]:
        """Return the counts."""
        record: dict[str, Any] = {"checked": self.checked, "tagged": self.tagged, "roll_ups": self.roll_ups}
        if self.by_subset:
            record["table_scans"] = self.table_scans
            record["by_number_of_quasi_identifiers"] = [
                {"candidates": c, "checked": n, "table_scans": s} for c, n, s in self.by_subset
            ]
        return record


@dataclass(frozen=True, eq=False)
class SearchResult(Explained, Pictured):
    """Which nodes of a lattice satisfy a model.

    Attributes
    ----------
    lattice
        What was searched.
    algorithm
        How.
    model
        The model's name.
    limit
        How many records may be suppressed at a node.
    tags
        What is known of each node.
    work
        What it took.
    conventions
        What was chosen on the way, by name.
    """

    lattice: Lattice
    algorithm: str
    model: str
    limit: int
    tags: Tags
    work: Work
    conventions: Conventions = field(default_factory=Conventions)

    @property
    def _columns(self) -> dict[str, int]:
        return dict.fromkeys(self.lattice.quasi_identifiers, 0)

    def _frame_rows(self) -> list[dict[str, Any]]:
        return [self.lattice.levels(node) for node in self.minimal]

    def _said(self) -> str:
        found = f"{self.tags.count(SATISFYING)} of {counted(len(self.lattice), 'node')} satisfy"
        return f"{found} {self.model:.80}, {len(self.minimal)} minimal"

    @cached_property
    def satisfying(self) -> tuple[Node, ...]:
        """All nodes that satisfy the model, by height."""
        return self.tags.nodes(SATISFYING)

    @cached_property
    def minimal(self) -> tuple[Node, ...]:
        """The satisfying nodes none of whose direct specializations is known to satisfy the model, by height.

        This is minimality in the lattice, which Machanavajjhala et al. 2006 and Li et al. 2007 count.
        """
        return self.tags.minimal()

    @cached_property
    def undecided(self) -> tuple[Node, ...]:
        """The nodes on which the model could not decide."""
        return self.tags.nodes(UNDECIDED)

    @property
    def least_height(self) -> int | None:
        """The least height of a satisfying node (Samarati's k-minimal generalizations); None if there is none."""
        return sum(self.minimal[0]) if self.minimal else None

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-ready data; nodes are written by `Lattice.text`."""
        return {
            **_asked(self),
            "satisfying": self.tags.count(SATISFYING),
            "violating": self.tags.count(VIOLATING),
            "undecided": [self.lattice.text(node) for node in self.undecided],
            "minimal": [self.lattice.text(node) for node in self.minimal],
            "least_height": self.least_height,
            "work": self.work.to_dict(),
            "conventions": dict(self.conventions),
        }


@dataclass(frozen=True, eq=False)
class PartialSearch(Explained, Partial):
    """What a search knew when it ended before every node was settled; never returned unless it was asked for.

    Attributes
    ----------
    lattice, algorithm, model, limit, conventions
        As in `SearchResult`.
    reason
        Why it ended.
    known
        What is known of each node.
    work
        What it took until then.
    """

    lattice: Lattice
    algorithm: str
    model: str
    limit: int
    reason: Reason
    known: Tags
    work: Work
    conventions: Conventions = field(default_factory=Conventions)

    def _said(self) -> str:
        open_nodes = f"{self.unsettled} of {counted(len(self.lattice), 'node')} not settled"
        return f"ended early ({self.reason}), {open_nodes}, {self.model:.80}"

    @cached_property
    def found_satisfying(self) -> tuple[Node, ...]:
        """The nodes that are known to satisfy the model, by height; others may."""
        return self.known.nodes(SATISFYING)

    @cached_property
    def lowest_found(self) -> tuple[Node, ...]:
        """Those of `found_satisfying` none of whose direct specializations is known to satisfy, by height.

        They need not be minimal: a specialization that is not settled may satisfy.
        """
        return self.known.minimal()

    @property
    def unsettled(self) -> int:
        """How many nodes are neither known to satisfy nor known to violate, nor found undecidable."""
        return self.known.count(UNKNOWN)

    def to_dict(self) -> dict[str, Any]:
        """Return what is known as JSON-ready data; nodes are written by `Lattice.text`."""
        return {
            **_asked(self),
            "reason": self.reason,
            "found_satisfying": self.known.count(SATISFYING),
            "found_violating": self.known.count(VIOLATING),
            "found_undecided": self.known.count(UNDECIDED),
            "unsettled": self.unsettled,
            "lowest_found": [self.lattice.text(node) for node in self.lowest_found],
            "work": self.work.to_dict(),
            "conventions": dict(self.conventions),
        }


def _asked(found: SearchResult | PartialSearch) -> dict[str, Any]:
    """Return what was asked, for both kinds of answer."""
    return {
        "algorithm": found.algorithm,
        "model": found.model,
        "quasi_identifiers": list(found.lattice.quasi_identifiers),
        "levels": list(found.lattice.shape),
        "nodes": len(found.lattice),
        "suppression_limit_records": found.limit,
    }


@dataclass(frozen=True, eq=False)
class OptimalNode(Displayed):
    """A node of least loss.

    Attributes
    ----------
    node
        Its levels.
    loss
        Its loss, measured on the release.
    verdict
        The model's own answer about the released classes, with Q of all records.
    suppressed
        How many records are suppressed there.
    """

    node: Node
    loss: LossResult
    verdict: ModelResult
    suppressed: int

    def _said(self) -> str:
        return f"levels {self.node!r:.60}, {self.loss._said()}, {self.suppressed} suppressed"

    def to_dict(self, lattice: Lattice | None = None) -> dict[str, Any]:
        """Return the node as JSON-ready data, its levels by attribute where the lattice is given."""
        return {
            "levels": list(self.node) if lattice is None else lattice.levels(self.node),
            "loss": self.loss.to_dict(),
            "suppressed": self.suppressed,
            "status": self.verdict.status,
        }


@dataclass(frozen=True, eq=False)
class Optimum(Explained):
    """The nodes of least loss that satisfy a model, and why no other node is better.

    Attributes
    ----------
    lattice, model, limit
        As in `SearchResult`.
    loss
        The loss's name.
    nodes
        All optimal nodes, by height; none if no node satisfies the model.
    excluded
        Reason → how many nodes it excludes. With the optimal nodes these are all nodes of the lattice, each once.
    work
        What it took.
    measured
        How many nodes' losses were measured or tabulated.
    tags
        What is known of each node; of one that loses more it may not be known whether it satisfies.
    conventions
        What was chosen on the way, by name.
    """

    lattice: Lattice
    model: str
    limit: int
    loss: str
    nodes: tuple[OptimalNode, ...]
    excluded: Mapping[str, int]
    work: Work
    measured: int
    tags: Tags
    conventions: Conventions = field(default_factory=Conventions)

    @property
    def _columns(self) -> dict[str, Any]:
        return self._row(self.lattice.bottom, 0, 0, "")

    def _frame_rows(self) -> list[dict[str, Any]]:
        return [self._row(each.node, each.loss.value, each.suppressed, each.verdict.status) for each in self.nodes]

    def _row(self, node: Node, loss: Any, suppressed: int, status: str) -> dict[str, Any]:
        return self.lattice.row(node, {**value_texts(loss), "suppressed": suppressed, "status": status})

    def _said(self) -> str:
        found = f"{len(self.nodes)} of {counted(len(self.lattice), 'node')} of least {self.loss}"
        return f"{found}, {self.model:.80}"

    @property
    def value(self) -> Any:
        """The least loss; None if no node satisfies the model."""
        return self.nodes[0].loss.value if self.nodes else None

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-ready data."""
        return {
            "model": self.model,
            "loss": self.loss,
            "nodes": len(self.lattice),
            "suppression_limit_records": self.limit,
            "optima": [found.to_dict(self.lattice) for found in self.nodes],
            "excluded": dict(self.excluded),
            "measured": self.measured,
            "work": self.work.to_dict(),
            "conventions": dict(self.conventions),
        }


@dataclass(frozen=True, eq=False)
class PartialOptimum(Explained, Partial):
    """What the search for an optimum knew when it ended early; never returned unless it was asked for.

    Attributes
    ----------
    lattice, model, limit, loss, conventions
        As in `Optimum`.
    reason
        Why it ended.
    best_so_far
        A node of least loss among those that were found to satisfy, and whose loss is known; None while there is none.
    unsettled
        How many nodes may still be as good or better, as far as is known.
    work
        What it took until then.
    """

    lattice: Lattice
    model: str
    limit: int
    loss: str
    reason: Reason
    best_so_far: OptimalNode | None
    unsettled: int
    work: Work
    conventions: Conventions = field(default_factory=Conventions)

    def _said(self) -> str:
        open_nodes = f"{counted(self.unsettled, 'node')} not settled"
        return f"ended early ({self.reason}), {open_nodes}, {self.loss:.60}, {self.model:.80}"

    def to_dict(self) -> dict[str, Any]:
        """Return what is known as JSON-ready data."""
        best = self.best_so_far
        return {
            "model": self.model,
            "loss": self.loss,
            "nodes": len(self.lattice),
            "suppression_limit_records": self.limit,
            "reason": self.reason,
            "best_so_far": None if best is None else best.to_dict(self.lattice),
            "unsettled": self.unsettled,
            "work": self.work.to_dict(),
            "conventions": dict(self.conventions),
        }
