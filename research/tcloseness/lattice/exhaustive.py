"""Exhaustive search: every node is decided. The oracle of the other searches, and right for any model."""

from __future__ import annotations

from typing import Any

from tcloseness.conventions import Conventions
from tcloseness.exact import Number
from tcloseness.lattice.decide import Decider, suppression_rows
from tcloseness.lattice.results import Progress, SearchResult, Work
from tcloseness.lattice.roll_up import RollUp
from tcloseness.lattice.tags import Tags

__all__ = ["exhaustive", "search_conventions"]


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
        For a lattice of more than 2²⁸ nodes.

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
    limit = suppression_rows(suppression, rolled.records)
    decide, tags, done = Decider(rolled, model, limit), Tags(rolled.lattice), 0
    before, partial = rolled.roll_ups, False
    try:
        for done, node in enumerate(rolled.lattice.nodes(), 1):
            tags.set(node, decide(node))
            if progress:
                progress(done, len(rolled.lattice))
    except KeyboardInterrupt:
        partial = True
    return SearchResult(
        rolled.lattice,
        "exhaustive",
        model.name,
        limit,
        tags,
        Work(decide.checked, 0, rolled.roll_ups - before),
        partial,
        search_conventions(rolled, limit),
    )
