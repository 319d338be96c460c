"""Looking for distributions that break a law: small ones first, then drawn ones, and what is found is made smaller.

The grid runs through all distributions with few values and small denominators, in that order, so what it finds is a
smallest counterexample. Drawing and shrinking is Hypothesis's, without its database and from one seed, so that a card
is the same whenever it is made.
"""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache

from tcloseness.axioms.laws import Masses, Vector
from tcloseness.exact import common_denominator

__all__ = ["GRID", "distributions_of", "drawn", "grid", "reduced"]

GRID = {1: 9, 2: 6, 3: 4}
"""By how many distributions a law speaks of: the greatest denominator of the grid."""

MOST_TUPLES = {1: 200, 2: 700, 3: 1400}
"""So many tuples are taken from the grid for 2 and for 3 values each."""

MOST_OF_MANY = 120
"""So many are taken for each m past 3."""

Tuple = tuple[Vector, ...]


@cache
def _share(count: int, denominator: int) -> Fraction:
    return Fraction(count, denominator)


@cache
def distributions_of(m: int, denominator: int) -> tuple[Vector, ...]:
    """Return all distributions over m values with exactly this common denominator."""
    found = []
    for bars in itertools.combinations(range(denominator + m - 1), m - 1):
        edges = (-1, *bars, denominator + m - 1)
        counts = [b - a - 1 for a, b in itertools.pairwise(edges)]
        if math.gcd(*counts, denominator) == 1:
            found.append(Masses(_share(c, denominator) for c in reversed(counts)))
    return tuple(found)


def grid(m: int, arity: int, share: Fraction = Fraction(1)) -> Iterator[Tuple]:
    """Go through tuples of distributions over m values, small denominators first, each tuple once.

    Parameters
    ----------
    share
        What share of the usual number of tuples is taken; a law with many cases asks more of each.
    """
    arity_ = min(arity, 3)
    most = math.ceil(share * (MOST_TUPLES[arity_] if m <= 3 else MOST_OF_MANY))
    below: list[Vector] = []
    given = 0
    for denominator in range(1, GRID[arity_] + 1):
        size = math.comb(denominator + m - 1, m - 1)
        if size > most:
            return
        fresh = set(distributions_of(m, denominator))
        below += distributions_of(m, denominator)
        for vectors in itertools.product(below, repeat=arity):
            if not fresh.isdisjoint(vectors):
                given += 1
                yield vectors
                if given >= most:
                    return


def drawn(sizes: Sequence[int], arity: int, breaks: Callable[[Tuple], bool], examples: int) -> Tuple | None:
    """Draw tuples until one breaks the law, and shrink it; None if none of them does."""
    from hypothesis import HealthCheck, Phase, find, settings, strategies as st
    from hypothesis.errors import NoSuchExample

    def over(m: int) -> st.SearchStrategy[Tuple]:
        def up_to(most: int) -> st.SearchStrategy[Tuple]:
            return st.lists(st.integers(0, most), min_size=m * arity, max_size=m * arity).map(cut)

        def cut(counts: list[int]) -> Tuple:
            return tuple(_normalised(counts[k * m : (k + 1) * m]) for k in range(arity))

        return st.sampled_from((4, 60, 10**6)).flatmap(up_to)

    chosen = settings(
        max_examples=examples,
        database=None,
        derandomize=True,
        deadline=None,
        phases=(Phase.generate, Phase.shrink),
        suppress_health_check=list(HealthCheck),
    )
    try:
        return find(st.sampled_from(list(sizes)).flatmap(over), breaks, settings=chosen, random=random.Random(0))
    except NoSuchExample:
        return None


def _normalised(counts: list[int]) -> Vector:
    if not any(counts):
        counts = [1] * len(counts)
    total = sum(counts)
    return Masses(Fraction(c, total) for c in counts)


def reduced(vectors: Tuple, breaks: Callable[[Tuple], bool], sizes: Sequence[int]) -> Tuple:
    """Make a counterexample smaller while it still is one: fewer values first, then smaller denominators."""
    current, improved = vectors, True
    while improved:
        improved = False
        for candidate in _smaller(current, sizes):
            if breaks(candidate):
                current, improved = candidate, True
                break
    return current


def _smaller(vectors: Tuple, sizes: Sequence[int]) -> Iterator[Tuple]:
    m = len(vectors[0])
    if m - 1 in sizes:
        for gone, into in itertools.product(range(m), repeat=2):
            if gone != into:
                yield tuple(_without(v, gone, into) for v in vectors)
    denominators = [common_denominator(v) for v in vectors]
    for d in range(1, min(max(denominators), 40)):
        yield tuple(v if n <= d else _rounded(v, d) for v, n in zip(vectors, denominators, strict=True))
    for k, v in enumerate(vectors):
        for d in range(1, min(denominators[k], 40)):
            yield (*vectors[:k], _rounded(v, d), *vectors[k + 1 :])


def _without(v: Vector, gone: int, into: int) -> Vector:
    masses = list(v)
    masses[into] += masses[gone]
    del masses[gone]
    return tuple(masses)


def _rounded(v: Vector, denominator: int) -> Vector:
    """The nearest distribution with this denominator: whole parts, then the largest remainders."""
    whole = [math.floor(x * denominator) for x in v]
    short = denominator - sum(whole)
    by_remainder = sorted(range(len(v)), key=lambda i: (whole[i] - v[i] * denominator, i))
    for i in by_remainder[:short]:
        whole[i] += 1
    return tuple(Fraction(w, denominator) for w in whole)
