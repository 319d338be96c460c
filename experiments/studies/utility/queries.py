"""Count queries, and their estimates from what a release shows.

As in Xiao and Tao, "Anatomy: Simple and Effective Privacy Preservation", VLDB 2006, §6: each query names some
quasi-identifiers and the sensitive attribute, and admits so many values of each that it would select a given share of
records if all were independent and equally frequent. Of a numeric attribute the values are consecutive: a range.

`tcloseness.loss.queries` has the same estimates exactly, one query at a time, but not for Anatomy's two tables.
"""

from __future__ import annotations

import random
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np

from experiments.studies.utility.releases import Floats, Shown
from tcloseness.exact import as_fraction

__all__ = ["SENSITIVE", "Query", "draw_queries", "estimates", "relative_errors"]

SENSITIVE = ""
"""Stands for the sensitive attribute in a query."""


@dataclass(frozen=True)
class Query:
    """How many records have, in each named attribute, one of the admitted values, given by their places."""

    admitted: Mapping[str, tuple[int, ...]]


def draw_queries(
    sizes: Mapping[str, int],
    numbers: Collection[str],
    sensitive: int,
    *,
    number: int,
    attributes: int,
    selectivity: str,
    seed: int,
) -> list[Query]:
    """Draw queries.

    Parameters
    ----------
    sizes, sensitive
        How many values each quasi-identifier has, by name, and how many the sensitive attribute.
    numbers
        The quasi-identifiers of which a range is asked for.
    number, attributes, selectivity
        How many queries, over how many quasi-identifiers each, and the share of records that each would select.
    """
    draw, share = random.Random(seed), as_fraction(selectivity)
    queries = []
    for _ in range(number):
        admitted = {}
        for name in [*sorted(draw.sample(sorted(sizes), attributes)), SENSITIVE]:
            size = sizes.get(name, sensitive)
            width = next(b for b in range(1, size + 1) if Fraction(b, size) ** (attributes + 1) >= share)
            if name in numbers:
                first = draw.randrange(size - width + 1)
                admitted[name] = tuple(range(first, first + width))
            else:
                admitted[name] = tuple(sorted(draw.sample(range(size), width)))
        queries.append(Query(admitted))
    return queries


def estimates(shown: Shown, queries: Sequence[Query]) -> Floats:
    """Return each query's expected count, shape (queries,): Σ over records of Π over attributes P(admitted value)."""
    alike: dict[tuple[str, ...], list[int]] = {}
    for place, query in enumerate(queries):
        alike.setdefault(tuple(query.admitted), []).append(place)
    found = np.zeros(len(queries))
    for names, places in alike.items():
        product = np.ones((len(shown.sensitive), len(places)))
        for name in names:
            shares = shown.sensitive if name == SENSITIVE else shown.labels[name]
            admits = np.zeros((shares.shape[1], len(places)))
            for column, place in enumerate(places):
                admits[list(queries[place].admitted[name]), column] = 1
            probability = shares @ admits
            product *= probability if name == SENSITIVE else probability[shown.label_of[name]]
        found[places] = product.sum(axis=0)
    return found


def relative_errors(estimated: Floats, true: Floats, sanity: int) -> Floats:
    """Return |estimate − true| / max(true, sanity bound) of each query."""
    return np.asarray(np.abs(estimated - true) / np.maximum(true, sanity))
