"""Exhaustive search: every node is decided. The oracle of the other searches, and right for any model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal, overload

from tcloseness.conventions import Conventions
from tcloseness.exact import Number
from tcloseness.lattice.decide import SEARCHING, Decider
from tcloseness.lattice.lattice import Lattice
from tcloseness.lattice.results import PartialSearch, Progress, SearchResult, Work
from tcloseness.lattice.roll_up import RollUp
from tcloseness.lattice.tags import Tags
from tcloseness.limits import Clock, Ending, TimeLimit
from tcloseness.models import PrivacyModel
from tcloseness.release.counting import suppression_rows

__all__ = ["exhaustive", "exhaustive_each", "search_conventions"]


def search_conventions(rolled: RollUp, limit: int) -> Conventions:
    """Return the conventions of a search: those of the table, and whose Q the classes are measured against."""
    suppressed = f"up to {limit} records, all classes that violate" if limit else "none"
    return rolled.bottom_classes.conventions.but(
        {"reference distribution": "all records", "suppressed records": suppressed}
    )


@overload
def exhaustive(
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
def exhaustive(
    rolled: RollUp,
    model: PrivacyModel,
    *,
    suppression: Number = ...,
    progress: Progress | None = ...,
    time_limit: TimeLimit = ...,
    memory_limit: int | None = ...,
    partial: bool,
) -> SearchResult | PartialSearch: ...


def exhaustive(
    rolled: RollUp,
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
    >>> import pandas as pd
    >>> from tcloseness.microdata import FrequencySet, Hierarchy
    >>> from tcloseness.models import KAnonymity
    >>> table = pd.DataFrame({"zip": ["476", "477", "479"], "disease": ["flu", "cold", "flu"]})
    >>> frequencies = FrequencySet.from_frame(table, quasi_identifiers="zip", sensitive="disease")
    >>> rolled = RollUp(frequencies, {"zip": Hierarchy.prefixes(table["zip"], name="zip")})
    >>> exhaustive(rolled, KAnonymity(2)).satisfying
    ((1,), (2,), (3,))
    """
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
    rolled: RollUp,
    models: Sequence[Any],
    *,
    suppression: Number = ...,
    progress: Progress | None = ...,
    time_limit: TimeLimit = ...,
    memory_limit: int | None = ...,
    partial: Literal[False] = ...,
) -> tuple[SearchResult, ...]: ...


@overload
def exhaustive_each(
    rolled: RollUp,
    models: Sequence[Any],
    *,
    suppression: Number = ...,
    progress: Progress | None = ...,
    time_limit: TimeLimit = ...,
    memory_limit: int | None = ...,
    partial: bool,
) -> tuple[SearchResult, ...] | tuple[PartialSearch, ...]: ...


def exhaustive_each(
    rolled: RollUp,
    models: Sequence[Any],
    *,
    suppression: Number = 0,
    progress: Progress | None = None,
    time_limit: TimeLimit = None,
    memory_limit: int | None = None,
    partial: bool = False,
) -> tuple[SearchResult, ...] | tuple[PartialSearch, ...]:
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

    Examples
    --------
    >>> import pandas as pd
    >>> from tcloseness.microdata import FrequencySet, Hierarchy
    >>> from tcloseness.models import DistinctLDiversity, KAnonymity
    >>> table = pd.DataFrame({"zip": ["476", "477", "479"], "disease": ["flu", "cold", "flu"]})
    >>> frequencies = FrequencySet.from_frame(table, quasi_identifiers="zip", sensitive="disease")
    >>> rolled = RollUp(frequencies, {"zip": Hierarchy.prefixes(table["zip"], name="zip")})
    >>> [found.minimal for found in exhaustive_each(rolled, [KAnonymity(2), DistinctLDiversity(3)])]
    [((1,),), ()]
    """
    limit, before, clock = (
        suppression_rows(suppression, rolled.records),
        rolled.roll_ups,
        Clock.of(time_limit, memory_limit),
    )
    asked = [(Decider(rolled, model, limit, clock), Tags(rolled.lattice, clock)) for model in models]
    with Ending(partial) as ending:
        for done, node in enumerate(clock.through(rolled.lattice.nodes(), SEARCHING), 1):
            for decide, tags in asked:
                tags.set(node, decide(node))
            if progress:
                progress(done, len(rolled.lattice))
    conventions = search_conventions(rolled, limit)

    def what(decide: Decider) -> tuple[Lattice, str, str, int]:
        return rolled.lattice, "exhaustive", decide.model.name, limit

    def work(decide: Decider) -> Work:
        return Work(decide.checked, 0, rolled.roll_ups - before)

    if ending.reason is not None:
        return tuple(
            PartialSearch(*what(decide), ending.reason, tags, work(decide), conventions) for decide, tags in asked
        )
    return tuple(SearchResult(*what(decide), tags, work(decide), conventions) for decide, tags in asked)
