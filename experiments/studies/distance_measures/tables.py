"""From a merge that grows to a table in which a search must not prune.

Let D(M, Q) > max(D(P₁, Q), D(P₂, Q)) for the merged class M = λP₁ + (1 − λ)P₂. Add one large class P₃ such that the
three together have the distribution Q: the larger it is, the closer it is to Q. If D(P₃, Q) falls to 0 with that,
merging the first two classes raises the table's greatest distance, in a table of more records than a search over the
smallest tables looks at. Split P₃ into two equal halves, and dropping a quasi-identifier merges the four classes of
{a, b} × {x, y} to M and P₃.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations, product

__all__ = ["Merge", "merge_that_grows"]

Vector = tuple[Fraction, ...]
Distance = Callable[[list[Fraction], list[Fraction]], Fraction]

_SHARES = (Fraction(1, 2), Fraction(1, 3), Fraction(2, 3))
_SIZES = (2, 3, 4, 6, 8, 12, 20, 50)
"""So many times the records of the two classes the table may have."""


@dataclass(frozen=True)
class Merge:
    """Three classes of a table; merging the first two raises the greatest distance from `before` to `after`."""

    classes: tuple[tuple[int, ...], tuple[int, ...], tuple[int, ...]]
    before: Fraction
    after: Fraction

    def __str__(self) -> str:
        first, second, third = (list(c) for c in self.classes)
        return (
            f"classes with counts {first}, {second} and {third}: greatest distance {self.before}; "
            f"with the first two merged {self.after}"
        )


def merge_that_grows(distance: Distance, most_values: int = 3, most_records: int = 4) -> Merge | None:
    """Return such a table over few values, with classes P₁, P₂ and a reference Q of few records; None if there is none.

    Q has all values, as the distribution of a table does.
    """
    for m in range(2, most_values + 1):
        classes = sorted({v for n in range(1, most_records + 1) for v in _distributions(m, n)})
        references = [q for q in classes if all(q)]
        for q, (p1, p2), share in product(references, combinations(classes, 2), _SHARES):
            merged = tuple(share * a + (1 - share) * b for a, b in zip(p1, p2, strict=True))
            after = distance(list(merged), list(q))
            if after > distance(list(p1), list(q)) and after > distance(list(p2), list(q)):
                parts = (tuple(share * x for x in p1), tuple((1 - share) * x for x in p2))
                if (found := _table(distance, parts, q, after)) is not None:
                    return found
    return None


def _table(distance: Distance, parts: tuple[Vector, Vector], q: Vector, after: Fraction) -> Merge | None:
    for size in _SIZES:
        third = tuple(size * c - a - b for a, b, c in zip(*parts, q, strict=True))
        if min(third) < 0:
            continue
        scale = math.lcm(*(x.denominator for part in (*parts, third) for x in part))
        first, second, rest = (tuple(int(x * scale) for x in part) for part in (*parts, third))
        before = max(distance(list(_shares(c)), list(q)) for c in (first, second, rest))
        if after > before:
            return Merge((first, second, rest), before, after)
    return None


def _distributions(m: int, n: int) -> Iterator[Vector]:
    """Yield the distributions of n records over m values."""
    for bars in combinations(range(n + m - 1), m - 1):
        edges = (-1, *bars, n + m - 1)
        yield tuple(Fraction(edges[i + 1] - edges[i] - 1, n) for i in range(m))


def _shares(counts: Sequence[int]) -> Vector:
    return tuple(Fraction(c, sum(counts)) for c in counts)
