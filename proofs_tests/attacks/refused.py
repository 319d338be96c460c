"""Models and cuts from their definitions, for what Mondrian's refused cuts give away and for the checker of it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from typing import Any

from tcloseness.microdata import Hierarchy
from tcloseness.models import AlphaKAnonymity, DistinctLDiversity, FrequencyLDiversity, KAnonymity

__all__ = ["MODELS", "PLACES", "cuts_of"]

MODELS: list[tuple[Any, Callable[[int, Counter[str]], bool]]] = [
    (DistinctLDiversity(2), lambda n, count: len(count) < 2),
    (KAnonymity(2) & DistinctLDiversity(2), lambda n, count: n < 2 or len(count) < 2),
    (FrequencyLDiversity(2), lambda n, count: any(2 * c > n for c in count.values())),
    (AlphaKAnonymity("2/3", 2, values=["a"]), lambda n, count: n < 2 or 3 * count["a"] > 2 * n),
    (KAnonymity(3), lambda n, count: n < 3),
]
"""Each with what says, from its definition, whether a part of n records with these counts violates it."""

PLACES = Hierarchy([("p", "pq", "*"), ("q", "pq", "*"), ("r", "r", "*")], name="place")


def cuts_of(
    rows: Sequence[tuple[Any, ...]], members: Sequence[int], keys: Sequence[Callable[[Any], Any]]
) -> Iterator[list[list[int]]]:
    """The parts of a class by each attribute that varies.

    By those with keys at the lower median; by the one behind them, which is a place, the children of the ancestor.
    """
    for at, key in enumerate(keys):
        values = sorted(key(rows[i][at]) for i in members)
        if values[0] < values[-1]:
            median = values[(len(values) - 1) // 2]
            left = [i for i in members if key(rows[i][at]) < median + (median < values[-1])]
            yield [left, [i for i in members if i not in left]]
    places = {rows[i][len(keys)] for i in members}
    if len(places) > 1:
        child = (lambda p: p == "r") if "r" in places else (lambda p: p)
        yield [[i for i in members if child(rows[i][len(keys)]) == k] for k in {child(p) for p in places}]
