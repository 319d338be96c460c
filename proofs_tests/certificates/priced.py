"""Kinds of records with prices at random, and every group of them by its formula."""

from __future__ import annotations

import itertools
import random
from typing import Any

from tcloseness.certificates.classes import Priced

__all__ = ["asked_for", "groups", "small"]


def rising(draw: random.Random, places: int) -> list[list[int]]:
    """Penalties of an interval by its ends, which never fall when it grows: of the steps between its places."""
    steps = [draw.choice([0, 1, 2, 5]) for _ in range(places)]
    return [[sum(steps[min(a, b) : max(a, b)]) for b in range(places)] for a in range(places)]


def asked_for(draw: random.Random) -> Priced:
    """A few kinds, some of several records, costs of every kind, cuts, and prices around what records cost."""
    kinds = draw.randint(1, 5)
    counts = [draw.choice([1, 1, 1, 2, 3]) for _ in range(kinds)]
    records = sum(counts)
    intervals, sets, cuts = draw.randint(0, 2), draw.randint(0, 2), draw.choice([0, 0, 1, 3])
    widths = [draw.randint(1, 4) for _ in range(intervals)]
    convex = draw.choice([lambda n: 0, lambda n: n * n, lambda n: -3, lambda n: 2 * n * n - 7 * n])
    scale = draw.choice([1, 4, 16])
    least = draw.randint(1, 3)
    counted = [sorted(draw.randint(0, 3) * (n > 1) * n for n in range(kinds + 1)) for _ in range(sets)]
    return Priced(
        counts=counts,
        places=[[draw.randrange(width) for _ in range(kinds)] for width in widths],
        pairs=[rising(draw, width) for width in widths],
        sets=[[draw.randrange(kinds) for _ in range(kinds)] for _ in range(sets)],
        by_count=counted,
        sizes=[convex(n) for n in range(records + 2)],
        scale=scale,
        prices=[draw.randint(-2, 6) * scale + draw.randint(0, 1) for _ in range(kinds)],
        weights=[[draw.choice([0, 0, 1, 2, 3]) for _ in range(kinds)] for _ in range(cuts)],
        divisors=[draw.randint(1, 4) for _ in range(cuts)],
        dues=[draw.choice([0, 1, scale, 3 * scale]) for _ in range(cuts)],
        least=least,
        most=draw.choice([records, max(least, min(records, 2 * least - 1))]),
    )


def groups(asked: Priced) -> dict[tuple[int, ...], int]:
    """Every group of a size that is asked for, and its r by the formula, written anew."""
    found = {}
    for many in itertools.product(*(range(count + 1) for count in asked.counts)):
        size = sum(many)
        if not max(1, asked.least) <= size <= asked.most:
            continue
        members = [kind for kind, number in enumerate(many) if number]
        penalty = 0
        for place, pairs in zip(asked.places, asked.pairs, strict=True):
            at = sorted(place[kind] for kind in members)
            penalty += pairs[at[0]][at[-1]]
        for value, by_count in zip(asked.sets, asked.by_count, strict=True):
            penalty += by_count[len({value[kind] for kind in members})]
        r = asked.scale * (size * penalty + asked.sizes[size])
        r -= sum(price * number for price, number in zip(asked.prices, many, strict=True))
        for weights, divisor, due in zip(asked.weights, asked.divisors, asked.dues, strict=True):
            r += due * (sum(w * number for w, number in zip(weights, many, strict=True)) // divisor)
        found[many] = r
    return found


def small(**given: Any) -> Priced:
    """Two kinds, of two records and one."""
    plain: dict[str, Any] = {
        "counts": [2, 1],
        "places": [[0, 1]],
        "pairs": [[[0, 7], [7, 0]]],
        "sets": [[0, 1]],
        "by_count": [[0, 0, 5]],
        "sizes": [0, 1, -4, 9, 16],
        "scale": 3,
        "prices": [-10, 4],
        "weights": [[1, 2]],
        "divisors": [2],
        "dues": [100],
        "least": 1,
        "most": 3,
    }
    return Priced(**{**plain, **given})
