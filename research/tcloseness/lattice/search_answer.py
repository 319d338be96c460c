"""`search_lattice`: one question to the lattice, and all that a person asks about the nodes that answer it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias, TypedDict, Unpack, overload

from tcloseness.certificates import Envelope, Reading
from tcloseness.displayed import Explained, Pictured, counted
from tcloseness.errors import InputError
from tcloseness.exact import Number
from tcloseness.ground import GroundSpec
from tcloseness.lattice.certify import minimal_certificate, optimum_certificate
from tcloseness.lattice.lattice import Lattice, Node
from tcloseness.lattice.measured import MeasuredNode, measure_node, release_at
from tcloseness.lattice.optimum import EXCLUDED, optimum
from tcloseness.lattice.results import Optimum, PartialOptimum, PartialSearch, SearchResult, Work
from tcloseness.lattice.roll_up import RollUp
from tcloseness.lattice.searches import minimal_generalizations
from tcloseness.lattice.tags import SATISFYING
from tcloseness.limits import Clock, Ending, Partial, Reason, TimeLimit
from tcloseness.loss import Loss
from tcloseness.loss.summary import by_name
from tcloseness.microdata.border import FullTable, guarded, in_shape
from tcloseness.models import PrivacyModel
from tcloseness.models.protocol import Verdict
from tcloseness.release import Release
from tcloseness.release.counting import suppression_rows
from tcloseness.release.published import Published

__all__ = ["PartialSearchAnswer", "SearchAnswer", "StagedProgress", "Wanted", "search_lattice"]

Wanted: TypeAlias = Literal["minimal", "all", "optimum"]
"""Which nodes are listed: the minimal ones, all that satisfy, or those of least loss."""

StagedProgress: TypeAlias = Callable[[str, int, int], None]
"""Called with what is being done, how much of it is, and how much there is."""


@dataclass(frozen=True, eq=False)
class SearchAnswer(Pictured, Explained, Published):
    """What a search found, with the numbers of the nodes that it lists.

    Attributes
    ----------
    wanted
        Which nodes are listed.
    rolled, model
        What was searched, and for which model.
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
    loss
        What was minimized, where the optimum was asked for.
    """

    wanted: Wanted
    rolled: RollUp
    model: PrivacyModel
    limit: int
    result: SearchResult | None
    optimum: Optimum | None
    listed: tuple[MeasuredNode, ...]
    top: MeasuredNode | None = None
    loss: Loss | None = None

    _withheld = ()

    @property
    def _columns(self) -> dict[str, Any]:
        measured = self.listed[0] if self.listed else self.top
        return dict.fromkeys(self.lattice.quasi_identifiers, 0) if measured is None else self._row(measured)

    def _frame_rows(self) -> list[dict[str, Any]]:
        return [*map(self._row, self.listed)]

    def _row(self, node: MeasuredNode) -> dict[str, Any]:
        return self.lattice.row(node.node, node.numbers)

    def _said(self) -> str:
        found = f"{counted(len(self.listed), 'node')} listed of {len(self.lattice)} ({self.wanted})"
        return f"{self.status}, {found}, {self.model.name:.80}"

    @property
    def lattice(self) -> Lattice:
        """What was searched."""
        return self.rolled.lattice

    def at(self, node: Node) -> Release:
        """Return the release of a node, after the suppression that the model asks for; see `release_at`."""
        return release_at(self.rolled, node, self.model, limit=self.limit)[0]

    @property
    def release(self) -> Release:
        """The release of the first optimum, or of the one node that is listed.

        Raises
        ------
        InputError
            If no node is listed, or several are and no loss says which is best; `at` takes any node.
        """
        nodes = [each.node for each in self.listed]
        if not nodes:
            raise InputError(f"no node satisfies {self.model.name}, so there is no release")
        if self.optimum is None and len(nodes) > 1:
            shown = ", ".join(map(self.lattice.text, nodes[:8])) + (" …" if len(nodes) > 8 else "")
            raise InputError(f"{len(nodes)} nodes are listed ({shown}); name one: .at(node), or search with a loss")
        return self.at(nodes[0])

    def certificate(self, *, reading: Reading | None = None, file_sha256: str = "") -> Envelope:
        """Return the proof that these are the minimal nodes, or the optima, checked by `tcloseness.certificates`.

        Parameters
        ----------
        reading, file_sha256
            See `tcloseness.models.certified.CertifiedTable.sealed`.

        Raises
        ------
        NotCertified
            If no checker knows the model or the loss, or the table is beyond what is checked.
        """
        if self.optimum is None or self.loss is None or not self.optimum.nodes:
            found = self.result or minimal_generalizations(self.rolled, self.model, suppression=self.limit)
            return minimal_certificate(self.rolled, self.model, found, reading=reading, file_sha256=file_sha256)
        return optimum_certificate(
            self.rolled, self.model, self.optimum, self.loss, reading=reading, file_sha256=file_sha256
        )

    @property
    def undecided(self) -> int:
        """On how many nodes the model could not decide."""
        if self.optimum is not None:
            return self.optimum.excluded.get(EXCLUDED["undecided"], 0)
        return 0 if self.result is None else len(self.result.undecided)

    @property
    def status(self) -> Verdict:
        """``satisfied`` if a node is listed, else why not; an optimum that an undecided node could beat is not."""
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
            "partial": False,
            "found": None
            if found is None
            else {
                "satisfying": len(found.satisfying),
                "minimal": [text(node) for node in found.minimal],
                "least_height": found.least_height,
                "undecided": [text(node) for node in found.undecided],
                "unknown": 0,
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
            "so_far": None,
        }


@dataclass(frozen=True, eq=False)
class PartialSearchAnswer(Explained, Partial):
    """What was known when a question to the lattice ended early; never returned unless it was asked for.

    Attributes
    ----------
    wanted, lattice, limit
        As in `SearchAnswer`.
    reason
        Why it ended.
    search_so_far
        What is known of the nodes: whole (a `SearchResult`) if the call ended after the search. None where only the
        optimum was asked for, or the call ended before the search began.
    optimum_so_far
        The same of the optimum; None where it was not asked for, or the call ended before its search began.
    measured_so_far
        The nodes that were measured until then.
    """

    wanted: Wanted
    lattice: Lattice
    limit: int
    reason: Reason
    search_so_far: SearchResult | PartialSearch | None
    optimum_so_far: Optimum | PartialOptimum | None
    measured_so_far: tuple[MeasuredNode, ...]

    def _said(self) -> str:
        return f"ended early ({self.reason}), {self.unsettled} of {counted(len(self.lattice), 'node')} not settled"

    @property
    def unsettled(self) -> int:
        """How many nodes were not settled; 0 if what is missing is not the search but the measuring after it."""
        parts = (self.search_so_far, self.optimum_so_far)
        if parts == (None, None):  # it ended before it began
            return len(self.lattice)
        return max((part.unsettled for part in parts if isinstance(part, PartialSearch | PartialOptimum)), default=0)

    @property
    def found_satisfying(self) -> int:
        """How many nodes are known to satisfy; others may."""
        if self.search_so_far is None:
            return len(self.lowest_found())
        found = self.search_so_far
        return (found.known if isinstance(found, PartialSearch) else found.tags).count(SATISFYING)

    def lowest_found(self) -> tuple[Node, ...]:
        """Return the nodes to look at: the best so far, or those that satisfy and are above no other that does."""
        best = self.optimum_so_far
        if isinstance(best, PartialOptimum):
            return () if best.best_so_far is None else (best.best_so_far.node,)
        if best is not None:
            return tuple(each.node for each in best.nodes)
        found = self.search_so_far
        return () if found is None else found.lowest_found if isinstance(found, PartialSearch) else found.minimal

    @property
    def work(self) -> Work:
        """What the search that was asked for took until then."""
        found = self.optimum_so_far if self.optimum_so_far is not None else self.search_so_far
        return Work(0, 0, 0) if found is None else found.work

    def to_dict(self) -> dict[str, Any]:
        """Return what is known as JSON-ready data, in the form of `SearchAnswer.to_dict` without its answers."""
        best, text = self.optimum_so_far, self.lattice.text
        loss = best.best_so_far.loss if isinstance(best, PartialOptimum) and best.best_so_far is not None else None
        return {
            "wanted": self.wanted,
            "partial": True,
            "found": None,
            "optimum": None,
            "work": self.work.to_dict(),
            "nodes": [each.to_dict(self.lattice) for each in self.measured_so_far],
            "top": None,
            "so_far": {
                "reason": self.reason,
                "unsettled": self.unsettled,
                "found_satisfying": self.found_satisfying,
                "lowest_found": [text(node) for node in self.lowest_found()],
                "loss": None if loss is None else loss.to_dict(),
            },
        }


class _Options(TypedDict, total=False):
    wanted: Wanted
    loss: Loss | None
    suppression: Number
    losses: Sequence[Loss]
    decide_all: bool
    progress: StagedProgress | None
    time_limit: TimeLimit
    memory_limit: int | None


@overload
def search_lattice(
    rolled: RollUp | FullTable,
    model: PrivacyModel,
    *,
    ground: GroundSpec,
    partial: Literal[False] = ...,
    **options: Unpack[_Options],
) -> SearchAnswer: ...


@overload
def search_lattice(
    rolled: RollUp | FullTable, model: PrivacyModel, *, ground: GroundSpec, partial: bool, **options: Unpack[_Options]
) -> SearchAnswer | PartialSearchAnswer: ...


def search_lattice(
    rolled: RollUp | FullTable,
    model: PrivacyModel,
    *,
    ground: GroundSpec,
    wanted: Wanted = "minimal",
    loss: Loss | None = None,
    suppression: Number = 0,
    losses: Sequence[Loss] = (),
    decide_all: bool = False,
    progress: StagedProgress | None = None,
    time_limit: TimeLimit = None,
    memory_limit: int | None = None,
    partial: bool = False,
) -> SearchAnswer | PartialSearchAnswer:
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
        What else to measure of each node; of one that is named as what is minimized, that is measured.
    decide_all
        Whether to decide every node also where only the optimum is asked for (as a figure needs).
    progress
        Told how far each stage is.
    time_limit, memory_limit, partial
        As for `exhaustive`.

    Returns
    -------
    SearchAnswer
        Only with ``partial=True``, and if a stage ended early: a `PartialSearchAnswer`.

    Raises
    ------
    InputError, TimeLimitReached, MemoryLimitReached, LimitReached
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
    rolled = in_shape(rolled, RollUp)
    if wanted not in ("minimal", "all", "optimum"):
        raise InputError(f"wanted={wanted!r} is unknown; it is 'minimal', 'all' or 'optimum'")
    if (wanted == "optimum") != (loss is not None):
        raise InputError("an optimum needs the loss that it minimizes, and nothing else does; give both or neither")

    def at(stage: str) -> Callable[[int, int], None] | None:
        return None if progress is None else lambda done, everything: progress(stage, done, everything)

    clock = Clock.of(time_limit, memory_limit)
    limit = suppression_rows(suppression, rolled.records)
    best: Optimum | None = None
    found: SearchResult | None = None
    with Ending(partial, begun=False) as ending:  # until the search has begun, which then ends by itself
        if loss is not None:
            optimal = optimum(
                rolled,
                model,
                loss=loss,
                suppression=limit,
                progress=at("searching"),
                time_limit=clock,
                partial=partial,
            )
            if isinstance(optimal, PartialOptimum):
                return PartialSearchAnswer(wanted, rolled.lattice, limit, optimal.reason, None, optimal, ())
            best = optimal
        if best is None or decide_all:
            searched = minimal_generalizations(
                rolled, model, suppression=limit, progress=at("searching"), time_limit=clock, partial=partial
            )
            if isinstance(searched, PartialSearch):
                return PartialSearchAnswer(wanted, rolled.lattice, limit, searched.reason, searched, best, ())
            found = searched
    if ending.reason is not None:
        return PartialSearchAnswer(wanted, rolled.lattice, limit, ending.reason, found, best, ())
    listed: list[MeasuredNode] = []
    top, tell = None, at("measuring")
    measured = list({**by_name(losses), **by_name([] if loss is None else [loss])}.values())
    with Ending(partial) as ending:
        nodes, everything = _listed(wanted, found, best)
        for number, node in enumerate(nodes, 1):
            clock.check("measuring the nodes of the list")
            listed.append(measure_node(rolled, node, model, ground=ground, limit=limit, losses=measured))
            if tell is not None:
                tell(number, everything)
        if not everything:
            top = measure_node(rolled, rolled.lattice.top, model, ground=ground, losses=measured)
    if ending.reason is not None:
        return PartialSearchAnswer(wanted, rolled.lattice, limit, ending.reason, found, best, tuple(listed))
    return SearchAnswer(wanted, rolled, model, limit, found, best, tuple(listed), top, loss)


def _listed(wanted: Wanted, found: SearchResult | None, best: Optimum | None) -> tuple[Iterable[Node], int]:
    """Return the nodes to list, one after the other, and how many there are."""
    if best is not None:
        return [each.node for each in best.nodes], len(best.nodes)
    assert found is not None
    if wanted == "minimal":
        return found.minimal, len(found.minimal)
    return found.tags.each(SATISFYING), found.tags.count(SATISFYING)


guarded(globals())
