"""Tables in which a merge may raise the greatest distance of a class.

The smallest ones, and those that are made of a merge that grows. Let D(M, Q) > max(D(P₁, Q), D(P₂, Q)) for the merged
class M = λP₁ + (1 − λ)P₂. Add one large class P₃ such that the three together have the distribution Q: the larger it
is, the closer it is to Q. If D(P₃, Q) falls to 0 with that, merging the first two classes raises the table's greatest
distance, in a table of more records than a search over the smallest tables looks at. Split P₃ into two equal halves,
and dropping a quasi-identifier merges the four classes of {a, b} × {x, y} to M and P₃.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, combinations_with_replacement, product

from tcloseness.axioms.subject import Vector

__all__ = ["Counts", "Merge", "Table", "distribution", "merges", "small_tables", "union"]

Counts = tuple[int, ...]
Table = tuple[Counts, ...]

_SHARES = (Fraction(1, 2), Fraction(1, 3), Fraction(2, 3))
_SIZES = (2, 3, 4, 6, 8, 12, 20, 50)
"""So many times the records of the two merged classes a table may have."""


@dataclass(frozen=True)
class Merge:
    """Two classes with the distributions P₁ and P₂, λ : 1 − λ by their records, and the reference Q."""

    p1: Vector
    p2: Vector
    q: Vector
    share: Fraction

    @classmethod
    def of(cls, p1: Vector, p2: Vector, merged: Vector, q: Vector) -> Merge:
        """Build from the merged class; P₁ ≠ P₂."""
        a, b, c = next((a, b, c) for a, b, c in zip(p1, p2, merged, strict=True) if a != b)
        return cls(p1, p2, q, (c - b) / (a - b))

    @property
    def merged(self) -> Vector:
        """M = λP₁ + (1 − λ)P₂."""
        return tuple(self.share * a + (1 - self.share) * b for a, b in zip(self.p1, self.p2, strict=True))

    def tables(self, classes: int) -> Iterator[Table]:
        """Yield tables with distribution Q whose first two classes are P₁ and P₂: three, or four with P₃ in halves."""
        parts = tuple(self.share * x for x in self.p1), tuple((1 - self.share) * x for x in self.p2)
        for size in _SIZES:
            third = tuple(size * c - a - b for a, b, c in zip(*parts, self.q, strict=True))
            if min(third) < 0:
                continue
            rest = [tuple(x / (classes - 2) for x in third)] * (classes - 2)
            scale = math.lcm(*(x.denominator for part in (*parts, *rest) for x in part))
            yield tuple(tuple(int(x * scale) for x in part) for part in (*parts, *rest))


def merges(m: int, most_records: int) -> Iterator[Merge]:
    """Yield merges of two classes of few records, under references of few records that have all m values."""
    classes = sorted({distribution(c) for c in _classes(m, most_records)})
    for q, (p1, p2), share in product(filter(all, classes), combinations(classes, 2), _SHARES):
        yield Merge(p1, p2, q, share)


def small_tables(m: int, classes: int) -> Iterable[Table]:
    """Return small tables of so many classes, few records first."""
    largest = {2: 4, 3: 2}.get(m, 1)
    tables = combinations_with_replacement(_classes(m, largest), classes)
    return sorted(tables, key=lambda table: (sum(map(sum, table)), table))


def distribution(counts: Counts) -> Vector:
    """Return the distribution of a class."""
    return tuple(Fraction(c, sum(counts)) for c in counts)


def union(*classes: Counts) -> Counts:
    """Return the counts of merged classes."""
    return tuple(map(sum, zip(*classes, strict=True)))


def _classes(m: int, largest: int) -> list[Counts]:
    """Return all classes of 1 to `largest` records over m values, as counts."""
    return [
        tuple(chosen.count(v) for v in range(m))
        for n in range(1, largest + 1)
        for chosen in combinations_with_replacement(range(m), n)
    ]
