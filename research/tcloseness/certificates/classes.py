"""Every class whose reduced cost is at most a limit: the one search that a checker makes.

There are n_i records of kind i, and a class C has c_i of them, |C| in all. With whole prices p, and dues σ ≥ 0 of cuts,

    r(C) = S·(|C|·E(C) + c(|C|)) − Σ_i p_i·c_i + Σ_k σ_k·⌊Σ_i w_ki·c_i / d_k⌋,

where the penalty E never falls when a record joins, and neither do the floors; c is convex. Two searches find the same
classes. `plain_classes` is the reference: depth first over the kinds in their order, and what a group grows to pays for
each record that joins at least what it alone would. `all_classes` is machine code for tables of int64, see
`tcloseness.certificates.compiled`; where numba is not installed, or numbers are longer, the reference takes its place.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np

from tcloseness.exact import IntArray
from tcloseness.strict_records import Work

__all__ = ["LARGEST", "Priced", "all_classes", "plain_classes"]

LARGEST = 2**60
"""Below this no sum of machine code passes 64 bits."""


@dataclass(frozen=True, eq=False)
class Priced:
    """Kinds of records, what classes of them cost, and prices.

    Attributes
    ----------
    counts
        n, shape (kinds,).
    places, pairs
        Attributes whose penalty is that of the least and the greatest place: a place for each kind, and the whole
        penalties, shape (places, places).
    sets, by_count
        Attributes whose penalty is that of how many different values there are: a value for each kind, and the whole
        penalty of 0, 1, … values.
    sizes
        c(0), c(1), …, up to one more than the number of records.
    scale
        S.
    prices, weights, divisors, dues
        p; w, shape (cuts, kinds); d; σ.
    least, most
        Of how many records a class has.
    """

    counts: Sequence[int]
    places: Sequence[Sequence[int]]
    pairs: Sequence[Sequence[Sequence[int]]]
    sets: Sequence[Sequence[int]]
    by_count: Sequence[Sequence[int]]
    sizes: Sequence[int]
    scale: int
    prices: Sequence[int]
    weights: Sequence[Sequence[int]]
    divisors: Sequence[int]
    dues: Sequence[int]
    least: int
    most: int

    def penalty(self, members: Sequence[int]) -> int:
        """Return E of a group that is not empty, by the kinds of its records."""
        found = 0
        for places, pairs in zip(self.places, self.pairs, strict=True):
            here = [places[kind] for kind in members]
            found += pairs[min(here)][max(here)]
        for values, by_count in zip(self.sets, self.by_count, strict=True):
            found += by_count[len({values[kind] for kind in members})]
        return found

    def reduced(self, members: Sequence[int]) -> int:
        """Return r of a group that is not empty."""
        size = len(members)
        found = self.scale * (size * self.penalty(members) + self.sizes[size])
        found -= sum(self.prices[kind] for kind in members)
        for weights, divisor, due in zip(self.weights, self.divisors, self.dues, strict=True):
            found += due * (sum(weights[kind] for kind in members) // divisor)
        return found

    def magnitude(self) -> int:
        """Return what no sum passes that is made while classes are looked for, up to a small factor."""
        records = sum(self.counts)
        penalty = sum(max(map(max, pairs)) for pairs in self.pairs) + sum(map(max, self.by_count))
        paid = records * max(map(abs, self.prices), default=0)
        for weights, divisor, due in zip(self.weights, self.divisors, self.dues, strict=True):
            weight = records * max(weights)
            paid += max(due * max(1, weight // divisor), weight + divisor)
        sizes = max(map(abs, self.sizes))
        return self.scale * (1 + records * penalty + 4 * sizes) + paid


def plain_classes(asked: Priced, limit: int, work: Work) -> Iterator[tuple[int, ...]]:
    """Yield the kinds of the records of every group of `least` to `most` records with r up to the limit, ascending."""
    groups: list[tuple[int, ...]] = [()]
    records, many = sum(asked.counts), 1 + (len(asked.places) + len(asked.sets)) // 10
    while groups:
        group = groups.pop()
        for kind in range(group[-1] if group else 0, len(asked.counts)):
            if group.count(kind) == asked.counts[kind]:
                continue
            grown = (*group, kind)
            units = 500 * (len(asked.counts) - kind + 2) * (len(grown) + len(asked.dues)) * many
            work.spend(units + 50 * len(grown) * len(asked.dues) + 100 * records, _WHAT)
            reduced = asked.reduced(grown)
            if len(grown) >= asked.least and reduced <= limit:
                yield grown
            if any(reduced + gain <= limit for gain in _gains(asked, grown)):
                groups.append(grown)


def _gains(asked: Priced, group: tuple[int, ...]) -> Iterator[int]:
    """Yield what a class of each size that a group grows to, by kinds from its last one on, has more at least."""
    gains = []
    for kind in range(group[-1], len(asked.counts)):
        gain = asked.scale * asked.penalty((*group, kind)) - asked.prices[kind]
        gains += [gain] * (asked.counts[kind] - group.count(kind))
    size, total = len(group), 0
    for more, gain in enumerate(sorted(gains)[: asked.most - size], 1):
        total += gain
        if size + more >= asked.least:
            yield total + asked.scale * (asked.sizes[size + more] - asked.sizes[size])


_WHAT = "the search for classes"
_ROOM = 20_000
"""So many classes are handed over at a time."""
_STEPS = 2**24
"""Steps of machine code between two looks at what is left of the work, and at interrupts: a fraction of a second."""


def all_classes(asked: Priced, limit: int, work: Work) -> Iterator[IntArray]:
    """Yield the classes of `plain_classes`, in no order, in blocks of shape (classes, kinds): the records of each kind.

    Raises
    ------
    InputError
        If that would take too long.
    """
    fits = asked.magnitude() < LARGEST and abs(limit) < LARGEST
    try:
        from tcloseness.certificates import compiled
    except ImportError:
        fits = False
    if not fits:
        found: list[tuple[int, ...]] = []
        for group in plain_classes(asked, limit, work):
            found.append(group)
            if len(found) == _ROOM:
                yield _rows(found, len(asked.counts))
                found = []
        yield _rows(found, len(asked.counts))
        return
    order = sorted(range(len(asked.counts)), key=asked.prices.__getitem__)
    search = compiled.Search(asked, order, limit, _ROOM)
    done = False
    while not done:
        work.spend(5 * _STEPS if search.begun else 0, _WHAT)
        found_now, done = search.advance(_STEPS)
        yield found_now


def _rows(groups: Sequence[Sequence[int]], kinds: int) -> IntArray:
    found = np.zeros((len(groups), kinds), dtype=np.int64)
    for row, group in enumerate(groups):
        for kind in group:
            found[row, kind] += 1
    return found
