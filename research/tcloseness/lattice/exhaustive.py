"""Exhaustive search: every node is decided. The oracle of the other searches, and right for any model."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from tcloseness.conventions import Conventions
from tcloseness.exact import Number
from tcloseness.lattice.decide import Decider, suppression_rows
from tcloseness.lattice.results import Progress, SearchResult, Work
from tcloseness.lattice.roll_up import RollUp
from tcloseness.lattice.tags import Tags

__all__ = ["exhaustive", "exhaustive_each", "search_conventions"]


def search_conventions(rolled: RollUp, limit: int) -> Conventions:
    """Return the conventions of a search: those of the table, and whose Q the classes are measured against."""
    suppressed = f"up to {limit} records, all classes that violate" if limit else "none"
    return rolled.bottom_classes.conventions.but(
        {"reference distribution": "all records", "suppressed records": suppressed}
    )


def exhaustive(
    rolled: RollUp, model: Any, *, suppression: Number = 0, progress: Progress | None = None
) -> SearchResult:
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

    Returns
    -------
    SearchResult
        Partial if the search was interrupted (Ctrl-C).

    Raises
    ------
    InputError
        For a model without a threshold, or a suppression outside its range.
    LimitReached
        For a lattice of more than 2²⁶ nodes.

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
    return exhaustive_each(rolled, (model,), suppression=suppression, progress=progress)[0]


def exhaustive_each(
    rolled: RollUp, models: Sequence[Any], *, suppression: Number = 0, progress: Progress | None = None
) -> tuple[SearchResult, ...]:
    """Decide every node of the lattice for each of several models, rolling the table up once.

    Parameters
    ----------
    rolled, suppression, progress
        As for `exhaustive`.
    models
        Privacy models with a threshold; each is decided by itself.

    Returns
    -------
    tuple of SearchResult
        For each model what `exhaustive` finds. `Work.roll_ups` counts those of the whole sweep. If the sweep was
        interrupted, all are partial.

    Raises
    ------
    InputError, LimitReached
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
    limit, before, partial = suppression_rows(suppression, rolled.records), rolled.roll_ups, False
    asked = [(Decider(rolled, model, limit), Tags(rolled.lattice)) for model in models]
    try:
        for done, node in enumerate(rolled.lattice.nodes(), 1):
            for decide, tags in asked:
                tags.set(node, decide(node))
            if progress:
                progress(done, len(rolled.lattice))
    except KeyboardInterrupt:
        partial = True
    return tuple(
        SearchResult(
            rolled.lattice,
            "exhaustive",
            decide.model.name,
            limit,
            tags,
            Work(decide.checked, 0, rolled.roll_ups - before),
            partial,
            search_conventions(rolled, limit),
        )
        for decide, tags in asked
    )
