"""Incognito as published: all full-domain generalizations that satisfy a model, by growing sets of quasi-identifiers.

LeFevre, DeWitt, Ramakrishnan, "Incognito: Efficient Full-Domain K-Anonymity", SIGMOD 2005, §3, Figure 8 (the basic
algorithm). Machanavajjhala et al. 2006, §5 and Li et al. 2007, §4 show that it finds ℓ-diverse and t-close tables too.
"""

from __future__ import annotations

import heapq
import math
from itertools import combinations
from typing import TypeAlias

import numpy as np

from tcloseness.errors import InputError
from tcloseness.exact import Number
from tcloseness.lattice.decide import SEARCHING, Decider
from tcloseness.lattice.lattice import Lattice, Node
from tcloseness.lattice.results import PartialSearch, Progress, SearchResult, Work
from tcloseness.lattice.roll_up import RollUp
from tcloseness.lattice.searches import concluded, lattice_search
from tcloseness.lattice.tags import UNKNOWN, VIOLATING, Tags
from tcloseness.limits import Clock, Ending, TimeLimit
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.models import PrivacyModel
from tcloseness.release.counting import suppression_rows

__all__ = ["incognito"]

Attributes: TypeAlias = tuple[int, ...]
"""The places of some quasi-identifiers in the lattice, ascending."""


@lattice_search
def incognito(
    rolled: RollUp | FullTable,
    model: PrivacyModel,
    *,
    suppression: Number = 0,
    progress: Progress | None = None,
    time_limit: TimeLimit = None,
    memory_limit: int | None = None,
    partial: bool = False,
) -> SearchResult | PartialSearch:
    """Find all nodes that satisfy a monotone model, by the Incognito algorithm.

    Parameters
    ----------
    rolled, model, suppression, time_limit, memory_limit, partial
        As for `exhaustive`.
    progress
        Called after each set of quasi-identifiers with the numbers of nodes, over all sets, that are settled and that
        there are.

    Returns
    -------
    SearchResult
        `Work.checked` counts nodes of all subset lattices, `Work.tagged` the candidates that were marked instead,
        `Work.table_scans` the roots, whose frequency sets the published algorithm takes from the table (here every node
        is rolled up from the smallest one at hand). Only with ``partial=True``, and if the search ended early: a
        `PartialSearch`.

    Raises
    ------
    InputError
        For a model that does not declare itself monotone under generalization, or suppression with a model that is not
        monotone under it. Merging classes is also what leaving out a quasi-identifier does, so the subset property
        follows from the same claim.
    TimeLimitReached, MemoryLimitReached, LimitReached
        As `exhaustive`.

    Notes
    -----
    For each set of i quasi-identifiers the candidates are the nodes all of whose projections to i − 1 attributes
    satisfy (subset property). They are visited breadth first, by height; a satisfying node marks all candidates
    above it (generalization property), a violating one puts its direct generalizations into the queue.

    References
    ----------
    LeFevre et al. 2005, §3. Subset Property: Li et al. 2007, §4; Machanavajjhala et al. 2006, §5.
    """
    rolled = in_shape(rolled, RollUp)
    limit, clock = suppression_rows(suppression, rolled.records), Clock.of(time_limit, memory_limit)
    decide = Decider(rolled, model, limit, clock)
    if not decide.prunable:
        why = "with suppressed records it is not monotone" if limit else "it does not declare itself monotone"
        raise InputError(
            f"Incognito prunes by the generalization and the subset property, and {model.name} does not have them: "
            f"{why} under generalization; use minimal_generalizations or exhaustive"
        )
    run = _Run(rolled, decide, progress, clock)
    with Ending(partial) as ending:
        for size in range(1, len(rolled.lattice.shape) + 1):
            run.grow(size)
    return concluded(rolled, "Incognito", model, limit, ending.reason, run.tags, run.work())


class _Run:
    """One run: what may satisfy for each set of attributes, and the counts."""

    def __init__(self, rolled: RollUp, decide: Decider, progress: Progress | None, clock: Clock) -> None:
        self.lattice, self.rolled, self.decide, self.progress = rolled.lattice, rolled, decide, progress
        self.clock, self.tags = clock, Tags(rolled.lattice, clock)
        self.possible: dict[Attributes, set[Node]] = {}  # what satisfies, or could not be decided
        self._before = rolled.roll_ups
        self._settled, self._all = 0, math.prod(levels + 1 for levels in self.lattice.shape) - 1  # all sets but none
        self._counts: list[list[int]] = []
        self._marked = 0

    def work(self) -> Work:
        """Return what was done so far."""
        return Work(
            self.decide.checked,
            self._marked,
            self.rolled.roll_ups - self._before,
            sum(scans for *_, scans in self._counts),
            tuple((c, n, s) for c, n, s in self._counts),
        )

    def grow(self, size: int) -> None:
        """Settle all sets of `size` attributes."""
        self._counts.append([0, 0, 0])
        for attributes in combinations(range(len(self.lattice.shape)), size):
            lattice = self.lattice.subset([self.lattice.quasi_identifiers[a] for a in attributes])
            candidates = self._candidates(attributes)
            if size == len(self.lattice.shape):
                known = np.full_like(self.tags.array, VIOLATING)
                for node in self.clock.through(candidates, SEARCHING):
                    known[node] = UNKNOWN
                self.tags.array = known  # at once: an interrupt before it leaves all nodes unknown
            self._counts[-1][0] += len(candidates)
            self.possible[attributes] = self._visit(attributes, lattice, candidates)
            self._settled += len(lattice)
            if self.progress:
                self.progress(self._settled, self._all)

    def _candidates(self, attributes: Attributes) -> set[Node]:
        """Join what satisfies for two subsets that share all but their last attribute, and prune by the others."""
        if len(attributes) == 1:
            return {(level,) for level in range(self.lattice.shape[attributes[0]])}
        without_last = self.possible[attributes[:-1]]
        without_second_last = self.possible[attributes[:-2] + attributes[-1:]]
        levels = range(self.lattice.shape[attributes[-1]])
        others = [(i, self.possible[attributes[:i] + attributes[i + 1 :]]) for i in range(len(attributes) - 2)]
        return {
            (*node, level)
            for node in self.clock.through(without_last, SEARCHING)
            for level in levels
            if (*node[:-1], level) in without_second_last
            and all((*node[:i], *node[i + 1 :], level) in found for i, found in others)
        }

    def _visit(self, attributes: Attributes, lattice: Lattice, candidates: set[Node]) -> set[Node]:
        """Visit a candidate graph breadth first and return the nodes that are not known to violate."""
        final = len(attributes) == len(self.lattice.shape)
        watched = self.clock.through(candidates, SEARCHING)
        roots = {node for node in watched if not any(child in candidates for child in lattice.children(node))}
        queue = [(sum(node), node) for node in roots]
        heapq.heapify(queue)
        seen, satisfying, undecided = set(roots), set[Node](), set[Node]()
        while queue:
            _, node = heapq.heappop(queue)
            if node in satisfying:  # marked
                continue
            self._counts[-1][1] += 1
            self._counts[-1][2] += node in roots
            verdict = self.decide(self._full(attributes, node))
            if verdict == "satisfied":
                above = {up for up in self.clock.through(lattice.up_set(node), SEARCHING) if up in candidates}
                self._marked += len(above - satisfying) - 1
                satisfying |= above
                if final:
                    self.tags.spread(node, verdict)
                continue
            if verdict == "undecided":
                undecided.add(node)
            if final:
                self.tags.set(node, verdict)
            for parent in lattice.parents(node):
                if parent in candidates and parent not in seen:
                    seen.add(parent)
                    heapq.heappush(queue, (sum(parent), parent))
        return satisfying | undecided

    def _full(self, attributes: Attributes, node: Node) -> Node:
        """The same classes as a node of the full lattice: every other attribute at its root."""
        levels = list(self.lattice.top)
        for a, level in zip(attributes, node, strict=True):
            levels[a] = level
        return tuple(levels)
