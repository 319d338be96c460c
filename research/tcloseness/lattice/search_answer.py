"""`search_lattice`: one question to the lattice, and all that a person asks about the nodes that answer it."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from tcloseness.errors import InputError
from tcloseness.exact import Number
from tcloseness.ground import GroundSpec
from tcloseness.lattice.lattice import Lattice, Levels
from tcloseness.lattice.measured import MeasuredNode, measure_node
from tcloseness.lattice.minimal import minimal_generalizations
from tcloseness.lattice.optimum import EXCLUDED, optimum
from tcloseness.lattice.results import Optimum, SearchResult, Work
from tcloseness.lattice.roll_up import RollUp
from tcloseness.loss import Loss

__all__ = ["SearchAnswer", "StagedProgress", "Wanted", "search_lattice"]

Wanted: TypeAlias = Literal["minimal", "all", "optimum"]
"""Which nodes are listed: the minimal ones, all that satisfy, or those of least loss."""

StagedProgress: TypeAlias = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is, and how much there is."""

Outcome: TypeAlias = Literal["satisfied", "violated", "undecided", "partial"]


@dataclass(frozen=True, eq=False)
class SearchAnswer:
    """What a search found, with the numbers of the nodes that it lists.

    Attributes
    ----------
    wanted
        Which nodes are listed.
    lattice
        What was searched.
    limit
        How many records may be suppressed at a node.
    result
        What is known of every node; None where only the optimum was asked for.
    optimum
        The nodes of least loss and why no other is better; None where they were not asked for.
    listed
        The nodes, measured, by height.
    top
        The most general node, measured, where no node satisfies.
    interrupted
        Whether the search, or the measuring after it, was interrupted.
    """

    wanted: Wanted
    lattice: Lattice
    limit: int
    result: SearchResult | None
    optimum: Optimum | None
    listed: tuple[MeasuredNode, ...]
    top: MeasuredNode | None = None
    interrupted: bool = False

    @property
    def partial(self) -> bool:
        """Whether anything was interrupted: what is listed is right, and more may exist."""
        parts = [part for part in (self.result, self.optimum) if part is not None]
        return self.interrupted or any(part.partial for part in parts)

    @property
    def undecided(self) -> int:
        """On how many nodes the model could not decide."""
        if self.optimum is not None:
            return self.optimum.excluded.get(EXCLUDED["undecided"], 0)
        return 0 if self.result is None else len(self.result.undecided)

    @property
    def unknown(self) -> int:
        """How many nodes were not settled; 0 unless the search was interrupted."""
        if self.optimum is not None:
            return self.optimum.excluded.get(EXCLUDED["unknown"], 0)
        return 0 if self.result is None else self.result.unknown

    @property
    def status(self) -> Outcome:
        """``partial`` if interrupted; else ``satisfied`` if a node is listed, and why not if none is.

        An optimum that an undecided node could beat is ``undecided``.
        """
        if self.partial:
            return "partial"
        if self.listed and not (self.undecided and self.wanted == "optimum"):
            return "satisfied"
        return "undecided" if self.undecided else "violated"

    @property
    def work(self) -> Work:
        """What the search that was asked for took."""
        found = self.optimum or self.result
        assert found is not None
        return found.work

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as JSON-ready data; nodes are written by `Lattice.text`."""
        found, best, text = self.result, self.optimum, self.lattice.text
        return {
            "wanted": self.wanted,
            "partial": self.partial,
            "found": None
            if found is None
            else {
                "satisfying": len(found.satisfying),
                "minimal": [text(node) for node in found.minimal],
                "least_height": found.least_height,
                "undecided": [text(node) for node in found.undecided],
                "unknown": found.unknown,
                "algorithm": found.algorithm,
            },
            "optimum": None
            if best is None
            else {
                "loss": best.loss,
                "nodes": [text(each.node) for each in best.nodes],
                "value": best.nodes[0].loss.to_dict() if best.nodes else None,
                "excluded": dict(best.excluded),
                "measured": best.measured,
            },
            "work": self.work.to_dict(),
            "nodes": [each.to_dict(self.lattice) for each in self.listed],
            "top": None if self.top is None else self.top.to_dict(self.lattice),
        }


def search_lattice(
    rolled: RollUp,
    model: Any,
    *,
    ground: GroundSpec,
    wanted: Wanted = "minimal",
    loss: Loss | None = None,
    suppression: Number = 0,
    losses: Sequence[Loss] = (),
    decide_all: bool = False,
    progress: StagedProgress | None = None,
) -> SearchAnswer:
    """Search the lattice, and measure the nodes that are found.

    Parameters
    ----------
    rolled, model, suppression
        As for `minimal_generalizations`.
    ground
        The ground distance of the t that is measured at each node.
    wanted
        Which nodes to list.
    loss
        What to minimize, for ``"optimum"``.
    losses
        What else to measure of each node.
    decide_all
        Whether to decide every node also where only the optimum is asked for (as a picture needs).
    progress
        Told how far each stage is.

    Raises
    ------
    InputError, LimitReached
        As `minimal_generalizations` and `optimum`; also for ``"optimum"`` without a loss.

    Examples
    --------
    >>> import pandas as pd
    >>> from tcloseness.microdata import FrequencySet, Hierarchy
    >>> from tcloseness.models import KAnonymity
    >>> table = pd.DataFrame({"zip": ["476", "477", "479"], "disease": ["flu", "cold", "flu"]})
    >>> frequencies = FrequencySet.from_frame(table, quasi_identifiers="zip", sensitive="disease")
    >>> rolled = RollUp(frequencies, {"zip": Hierarchy.prefixes(table["zip"], name="zip")})
    >>> found = search_lattice(rolled, KAnonymity(2), ground="equal")
    >>> found.status, [(each.node, each.k) for each in found.listed]
    ('satisfied', [((1,), 3)])
    """
    if wanted not in ("minimal", "all", "optimum"):
        raise InputError(f"wanted={wanted!r} is unknown; it is 'minimal', 'all' or 'optimum'")
    if (wanted == "optimum") != (loss is not None):
        raise InputError("an optimum needs the loss that it minimizes, and nothing else does; give both or neither")

    def at(stage: str) -> Callable[[int, int], None] | None:
        return None if progress is None else lambda done, everything: progress(stage, done, everything)

    best = found = None
    if loss is not None:
        best = optimum(rolled, model, loss=loss, suppression=suppression, progress=at("searching"))
    if best is None or (decide_all and not best.partial):
        found = minimal_generalizations(rolled, model, suppression=suppression, progress=at("searching"))
    limit = best.limit if best is not None else found.limit if found is not None else 0
    if best is not None:
        nodes: tuple[Levels, ...] = tuple(each.node for each in best.nodes)
    else:
        assert found is not None
        nodes = found.minimal if wanted == "minimal" else found.satisfying
    listed: list[MeasuredNode] = []
    top, interrupted, tell = None, False, at("measuring")
    measured = [*losses, *([loss] if loss is not None and loss.name not in {each.name for each in losses} else [])]
    try:
        for number, node in enumerate(nodes, 1):
            listed.append(measure_node(rolled, node, model, ground=ground, limit=limit, losses=measured))
            if tell is not None:
                tell(number, len(nodes))
        if not nodes:
            top = measure_node(rolled, rolled.lattice.top, model, ground=ground, losses=measured)
    except KeyboardInterrupt:
        interrupted = True
    return SearchAnswer(wanted, rolled.lattice, limit, found, best, tuple(listed), top, interrupted)
