"""All minimal generalizations, with as few checks as possible."""

from __future__ import annotations

from typing import Literal, overload

from tcloseness.exact import Number
from tcloseness.lattice.decide import Decider
from tcloseness.lattice.exhaustive import search_conventions
from tcloseness.lattice.results import PartialSearch, Progress, SearchResult, Work
from tcloseness.lattice.roll_up import RollUp
from tcloseness.lattice.tags import UNKNOWN, VIOLATING, Guess, Tags
from tcloseness.limits import Clock, Ending, TimeLimit
from tcloseness.models import PrivacyModel
from tcloseness.models.combination import all_of
from tcloseness.release.counting import suppression_rows

__all__ = ["Search", "minimal_generalizations"]


class Search:
    """A search while it runs: tags, the decider, and progress. `settle` decides all nodes, by pruning where it may."""

    def __init__(
        self, rolled: RollUp, model: PrivacyModel, suppression: Number, progress: Progress | None, clock: Clock
    ) -> None:
        self.rolled, self.model, self.progress, self.clock = rolled, model, progress, clock
        self.limit = suppression_rows(suppression, rolled.records)
        self.decide = Decider(rolled, model, self.limit, clock)
        self.tags = Tags(rolled.lattice, clock, asked=True)
        self.violating = 0  # how many nodes were found to violate by a check of their own
        self._necessary_checks = 0
        self._roll_ups = rolled.roll_ups

    @property
    def algorithm(self) -> str:
        """What is done, in words."""
        if self.decide.prunable:
            return "two-sided tagging"
        return "two-phase" if self.decide.necessary else "exhaustive: the model is not monotone under this suppression"

    def settle(self) -> None:
        """Decide every node; what ends it early leaves in `tags` what is known."""
        if self.decide.prunable:
            self._tag(self.decide, self.tags)
        else:
            self._two_phases()

    def _tag(self, decide: Decider, tags: Tags) -> None:
        """Two-sided tagging: what lies above a satisfying node satisfies, what lies below a violating one violates."""
        guess = Guess(tags.lattice)
        while (node := tags.next_node(guess.chance())) is not None:
            verdict = decide(node)
            tags.spread(node, verdict)
            guess.learn(node, verdict)
            self.violating += verdict == "violated" and decide is self.decide
            if self.progress:  # in a first phase only violating nodes are settled
                self.tell(tags.array.size - tags.count(UNKNOWN) if decide is self.decide else tags.count(VIOLATING))

    def _two_phases(self) -> None:
        """First rule out what a monotone part of the model forbids; then decide every node that is left."""
        if self.decide.necessary:
            first = Decider(self.rolled, all_of(self.decide.necessary), self.limit, self.clock)
            ruled = Tags(self.rolled.lattice, self.clock, asked=True)
            try:
                self._tag(first, ruled)
            finally:
                self._necessary_checks = first.checked
                self.tags.array[ruled.array == VIOLATING] = VIOLATING
        done = self.tags.array.size - self.tags.count(UNKNOWN)
        for node in self.tags.each(UNKNOWN):
            verdict = self.decide(node)
            self.tags.set(node, verdict)
            self.violating += verdict == "violated"
            done += 1
            self.tell(done)

    def tell(self, settled: int) -> None:
        """Report progress."""
        if self.progress:
            self.progress(settled, self.tags.array.size)

    def work(self) -> Work:
        """Return what was done so far."""
        settled = self.tags.array.size - self.tags.count(UNKNOWN)
        return Work(
            self.decide.checked + self._necessary_checks,
            max(0, settled - self.decide.checked),
            self.rolled.roll_ups - self._roll_ups,
        )


@overload
def minimal_generalizations(
    rolled: RollUp,
    model: PrivacyModel,
    *,
    suppression: Number = ...,
    progress: Progress | None = ...,
    time_limit: TimeLimit = ...,
    memory_limit: int | None = ...,
    partial: Literal[False] = ...,
) -> SearchResult: ...


@overload
def minimal_generalizations(
    rolled: RollUp,
    model: PrivacyModel,
    *,
    suppression: Number = ...,
    progress: Progress | None = ...,
    time_limit: TimeLimit = ...,
    memory_limit: int | None = ...,
    partial: bool,
) -> SearchResult | PartialSearch: ...


def minimal_generalizations(
    rolled: RollUp,
    model: PrivacyModel,
    *,
    suppression: Number = 0,
    progress: Progress | None = None,
    time_limit: TimeLimit = None,
    memory_limit: int | None = None,
    partial: bool = False,
) -> SearchResult | PartialSearch:
    """Find all nodes that satisfy a model and have no specialization that does.

    Parameters
    ----------
    rolled, model, suppression, progress, time_limit, memory_limit, partial
        As for `exhaustive`.

    Returns
    -------
    SearchResult
        The same nodes as `exhaustive` finds. Only with ``partial=True``, and if the search ended early: a
        `PartialSearch`.

    Raises
    ------
    InputError, TimeLimitReached, MemoryLimitReached, LimitReached
        As `exhaustive`.

    Notes
    -----
    Where the verdicts are monotone (the model says so, and no record is suppressed or the model is k-anonymity or
    distinct ℓ-diversity) a satisfying node tags everything above it and a violating node everything below it, and
    each question goes to the node that is expected to settle most. Otherwise a node may satisfy while one above
    does not: nodes that a monotone part of the model rules out are tagged, and all others are decided one by one.

    References
    ----------
    The tagging of both sides: Kohlmayer, Prasser, Eckert, Kemper, Kuhn, "Flash: Efficient, Stable and Optimal
    K-Anonymity", PASSAT 2012, which walks chains.

    Examples
    --------
    >>> import pandas as pd
    >>> from tcloseness.microdata import FrequencySet, Hierarchy
    >>> from tcloseness.models import KAnonymity
    >>> table = pd.DataFrame({"zip": ["476", "477", "479"], "disease": ["flu", "cold", "flu"]})
    >>> frequencies = FrequencySet.from_frame(table, quasi_identifiers="zip", sensitive="disease")
    >>> rolled = RollUp(frequencies, {"zip": Hierarchy.prefixes(table["zip"], name="zip")})
    >>> found = minimal_generalizations(rolled, KAnonymity(2))
    >>> found.minimal
    ((1,),)
    """
    search = Search(rolled, model, suppression, progress, Clock.of(time_limit, memory_limit))
    with Ending(partial) as ending:
        search.settle()
    conventions = search_conventions(rolled, search.limit)
    what = (rolled.lattice, search.algorithm, model.name, search.limit)
    if ending.reason is not None:
        return PartialSearch(*what, ending.reason, search.tags, search.work(), conventions)
    return SearchResult(*what, search.tags, search.work(), conventions)
