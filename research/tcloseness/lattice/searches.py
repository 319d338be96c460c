"""Which nodes satisfy a model: by deciding every node, and with as few checks as possible.

The exhaustive search is the oracle of the others, and right for any model.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypedDict, Unpack, cast, overload

from tcloseness.conventions import Conventions
from tcloseness.exact import Number
from tcloseness.lattice.decide import SEARCHING, Decider
from tcloseness.lattice.lattice import Node
from tcloseness.lattice.results import PartialSearch, Progress, SearchResult, Work
from tcloseness.lattice.roll_up import RollUp
from tcloseness.lattice.tags import UNKNOWN, VIOLATING, Guess, Tags
from tcloseness.limits import Clock, Ending, Reason, TimeLimit
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.models import PrivacyModel
from tcloseness.models.combination import all_of
from tcloseness.release.counting import suppression_rows

if TYPE_CHECKING:
    from tcloseness.lattice.leaving import FewestLeaving

__all__ = [
    "LatticeSearch",
    "Search",
    "SearchOptions",
    "concluded",
    "exhaustive",
    "exhaustive_each",
    "lattice_search",
    "minimal_generalizations",
    "search_conventions",
]


def search_conventions(rolled: RollUp, limit: int) -> Conventions:
    """Return the conventions of a search: those of the table, and whose Q the classes are measured against."""
    suppressed = f"up to {limit} records, all classes that violate" if limit else "none"
    classes = rolled.bottom_classes
    measured_by = {"reference distribution": "all records"} if classes.has_values else {}
    return classes.conventions.but({**measured_by, "suppressed records": suppressed})


class SearchOptions(TypedDict, total=False):
    """What every search takes, see `exhaustive`."""

    suppression: Number
    progress: Progress | None
    time_limit: TimeLimit
    memory_limit: int | None


class LatticeSearch(Protocol):
    """How a search is called, and that a part of its answer is only given to who asks for it."""

    @overload
    def __call__(
        self,
        rolled: RollUp | FullTable,
        model: PrivacyModel,
        *,
        partial: Literal[False] = ...,
        **options: Unpack[SearchOptions],
    ) -> SearchResult: ...

    @overload
    def __call__(
        self, rolled: RollUp | FullTable, model: PrivacyModel, *, partial: bool, **options: Unpack[SearchOptions]
    ) -> SearchResult | PartialSearch: ...


def lattice_search(search: Callable[..., SearchResult | PartialSearch]) -> LatticeSearch:
    """Declare a function a search; it stays as it is."""
    return cast(LatticeSearch, search)


def concluded(
    rolled: RollUp, algorithm: str, model: PrivacyModel, limit: int, ended: Reason | None, tags: Tags, work: Work
) -> SearchResult | PartialSearch:
    """Return what a search knows: its answer, or, if something ended it early, a part of it."""
    what, conventions = (rolled.lattice, algorithm, model.name, limit), search_conventions(rolled, limit)
    if ended is not None:
        return PartialSearch(*what, ended, tags, work, conventions)
    return SearchResult(*what, tags, work, conventions)


@lattice_search
def exhaustive(
    rolled: RollUp | FullTable,
    model: PrivacyModel,
    *,
    suppression: Number = 0,
    progress: Progress | None = None,
    time_limit: TimeLimit = None,
    memory_limit: int | None = None,
    partial: bool = False,
) -> SearchResult | PartialSearch:
    """Decide every node of the lattice, by ascending height.

    Parameters
    ----------
    rolled
        The table under its lattice.
    model
        A privacy model with a threshold, or several joined by ``&``.
    suppression
        How many records may be suppressed at a node: a share such as ``"0.05"``, rounded down to whole records, or
        an int, which is a number of records. A class violates if it breaks a threshold of the model, measured against
        the distribution Q of all records; a node satisfies if its violating classes hold no more records than that,
        and not all.
    progress
        Called after each node with the number of settled nodes and of all nodes.
    time_limit
        Seconds from the call on, > 0; a `tcloseness.limits.Clock` that runs already; None for no limit.
    memory_limit
        Bytes that the process may grow by; None for half of what is free.
    partial
        Whether an interrupt (Ctrl-C), or a limit that is reached while the search runs, is answered with what is known
        until then, as an object of another type, and not raised.

    Returns
    -------
    SearchResult
        What is known of every node. Only with ``partial=True``, and if the search ended early: a `PartialSearch`.

    Raises
    ------
    InputError
        For a model without a threshold, or a suppression outside its range.
    TimeLimitReached, MemoryLimitReached
        When a limit is reached, or more memory than there is would be taken; an interrupt passes through.
    LimitReached
        For a lattice of 2³¹ nodes or more.

    Examples
    --------
    See `minimal_generalizations`.
    """
    rolled = in_shape(rolled, RollUp)
    return exhaustive_each(
        rolled,
        (model,),
        suppression=suppression,
        progress=progress,
        time_limit=time_limit,
        memory_limit=memory_limit,
        partial=partial,
    )[0]


@overload
def exhaustive_each(
    rolled: RollUp | FullTable,
    models: Sequence[Any],
    *,
    partial: Literal[False] = ...,
    **options: Unpack[SearchOptions],
) -> tuple[SearchResult, ...]: ...


@overload
def exhaustive_each(
    rolled: RollUp | FullTable, models: Sequence[Any], *, partial: bool, **options: Unpack[SearchOptions]
) -> tuple[SearchResult, ...] | tuple[PartialSearch, ...]: ...


def exhaustive_each(
    rolled: RollUp | FullTable,
    models: Sequence[Any],
    *,
    suppression: Number = 0,
    progress: Progress | None = None,
    time_limit: TimeLimit = None,
    memory_limit: int | None = None,
    partial: bool = False,
) -> tuple[SearchResult | PartialSearch, ...]:
    """Decide every node of the lattice for each of several models, rolling the table up once.

    Parameters
    ----------
    rolled, suppression, progress, time_limit, memory_limit, partial
        As for `exhaustive`.
    models
        Privacy models with a threshold; each is decided by itself.

    Returns
    -------
    tuple of SearchResult
        For each model what `exhaustive` finds. `Work.roll_ups` counts those of the whole sweep. Only with
        ``partial=True``, and if the sweep ended early: for each a `PartialSearch`.

    Raises
    ------
    InputError, TimeLimitReached, MemoryLimitReached, LimitReached
        As `exhaustive`.
    """
    rolled = in_shape(rolled, RollUp)
    limit, before = suppression_rows(suppression, rolled.records), rolled.roll_ups
    clock = Clock.of(time_limit, memory_limit)
    asked = [(Decider(rolled, model, limit, clock), Tags(rolled.lattice, clock)) for model in models]
    with Ending(partial) as ending:
        for done, node in enumerate(clock.through(rolled.lattice.nodes(), SEARCHING), 1):
            for decide, tags in asked:
                tags.set(node, decide(node))
            if progress:
                progress(done, len(rolled.lattice))
    return tuple(
        concluded(
            rolled,
            "exhaustive",
            decide.model,
            limit,
            ending.reason,
            tags,
            Work(decide.checked, 0, rolled.roll_ups - before),
        )
        for decide, tags in asked
    )


class Search:
    """A search while it runs: tags, the decider, and progress. `settle` decides all nodes, by pruning where it may."""

    def __init__(
        self, rolled: RollUp, model: PrivacyModel, suppression: Number, progress: Progress | None, clock: Clock
    ) -> None:
        self.rolled, self.model, self.progress, self.clock = rolled, model, progress, clock
        self.limit = suppression_rows(suppression, rolled.records)
        self.decide = Decider(rolled, model, self.limit, clock)
        self.tags = Tags(rolled.lattice, clock, asked=True, compiled=rolled.compiled)
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
        self.rule_out()
        settled = self.tags.array.size - self.tags.count(UNKNOWN)
        for done, node in enumerate(self.tags.each(UNKNOWN), settled + 1):
            self.check(node)
            self.tell(done)

    def rule_out(self) -> None:
        """Decide every node by tagging, where verdicts are monotone; else rule out nodes."""
        with self.ruling_out() as (first, ruled):
            if first is not None:
                self._tag(first, ruled)

    @contextmanager
    def ruling_out(self) -> Iterator[tuple[Decider | FewestLeaving | None, Tags]]:
        """Give what decides monotonously, if anything does, and tags for it; what violates there is ruled out here."""
        if self.decide.prunable or not self.decide.necessary:
            yield self.decide if self.decide.prunable else None, self.tags
        else:
            first = self._first()
            ruled = Tags(self.rolled.lattice, self.clock, asked=True, compiled=self.rolled.compiled)
            try:
                yield first, ruled
            finally:
                self._necessary_checks = first.checked
                self.rule(ruled)

    def _first(self) -> Decider | FewestLeaving:
        if self.rolled.compiled:
            from tcloseness.lattice.leaving import FewestLeaving

            return FewestLeaving(self.decide)
        return Decider(self.rolled, all_of(self.decide.necessary), self.limit, self.clock)

    def rule(self, ruled: Tags) -> None:
        """Take over what is ruled out."""
        if ruled is not self.tags:
            self.tags.array[ruled.array == VIOLATING] = VIOLATING

    def check(self, node: Node) -> None:
        """Decide one node by itself."""
        verdict = self.decide(node)
        self.tags.set(node, verdict)
        self.violating += verdict == "violated"

    def _tag(self, decide: Decider | FewestLeaving, tags: Tags) -> None:
        """Two-sided tagging: what lies above a satisfying node satisfies, what lies below a violating one violates."""
        guess = Guess(tags.lattice)
        while (node := tags.next_node(guess.chance())) is not None:
            verdict = decide(node)
            tags.spread(node, verdict)
            guess.learn(node, verdict)
            self.violating += verdict == "violated" and decide is self.decide
            if self.progress:  # in a first phase only violating nodes are settled
                self.tell(tags.array.size - tags.count(UNKNOWN) if decide is self.decide else tags.count(VIOLATING))

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


@lattice_search
def minimal_generalizations(
    rolled: RollUp | FullTable,
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
    does not: nodes are tagged that a monotone part of the model rules out, or the number of records that must leave
    the classes of a node above (`tcloseness.lattice.leaving`), and all others are decided one by one.

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
    >>> found.minimal, found.satisfying, exhaustive(rolled, KAnonymity(2)).satisfying
    (((1,),), ((1,), (2,), (3,)), ((1,), (2,), (3,)))
    """
    rolled = in_shape(rolled, RollUp)
    search = Search(rolled, model, suppression, progress, Clock.of(time_limit, memory_limit))
    with Ending(partial) as ending:
        search.settle()
    return concluded(rolled, search.algorithm, model, search.limit, ending.reason, search.tags, search.work())
