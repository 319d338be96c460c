"""`Cuts`: a ground distance as a weighted sum of cuts over a laminar family.

d(i, j) = Σ_k w_k·[exactly one of i, j lies in S_k], any two S_k nested or disjoint. Then (laminar-cut theorem)

    EMD(P, Q) = Σ_k w_k·|P(S_k) − Q(S_k)|

and φ(i) = Σ_k w_k·sign(P(S_k) − Q(S_k))·[i ∈ S_k] is an optimal potential. A laminar family can be laid out so that
each S_k is an interval of a permuted domain; that is how it is stored.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from tcloseness.exact import INT64_MAX, IntArray, scaled_integers

__all__ = ["Cuts"]


@dataclass(frozen=True, eq=False)
class Cuts:
    """A laminar family of intervals of a permuted domain, with weights.

    Attributes
    ----------
    order
        Shape (m,): the code at each place of the permuted domain.
    low, high
        Shape (K,): S_k holds the places ``low[k] <= place < high[k]``. Sorted so that a set stands after every set
        inside it (by `high`, then by falling `low`).
    weights
        Shape (K,): whole numbers > 0; the weight of S_k is ``weights[k] / denominator``. int64, or Python ints where
        they do not fit.
    denominator
        The common denominator of the weights.
    """

    order: IntArray
    low: IntArray
    high: IntArray
    weights: IntArray
    denominator: int

    @classmethod
    def of(cls, order: Sequence[int] | IntArray, sets: Sequence[tuple[int, int]], weights: Sequence[Fraction]) -> Cuts:
        """Build from intervals [low, high) of the permuted domain; equal intervals are merged, empty ones left out."""
        total: dict[tuple[int, int], Fraction] = {}
        m = len(order)
        for (low, high), weight in zip(sets, weights, strict=True):
            if weight and 0 < high - low < m:
                total[(low, high)] = total.get((low, high), Fraction(0)) + weight
        keys = sorted(total, key=lambda s: (s[1], -s[0]))
        numerators, denominator = scaled_integers([total[k] for k in keys])
        return cls.from_integers(
            np.asarray(order, dtype=np.int64),
            np.array([k[0] for k in keys], dtype=np.int64),
            np.array([k[1] for k in keys], dtype=np.int64),
            numerators,
            denominator,
        )

    @classmethod
    def from_integers(
        cls, order: IntArray, low: IntArray, high: IntArray, weights: Sequence[int] | IntArray, denominator: int
    ) -> Cuts:
        """Build from whole weights over one denominator; the intervals must be sorted already."""
        fits = sum(int(w) for w in weights) <= INT64_MAX if not isinstance(weights, np.ndarray) else True
        return cls(order, low, high, np.array(weights, dtype=np.int64 if fits else object), denominator)

    def __len__(self) -> int:
        return len(self.low)

    @cached_property
    def place(self) -> IntArray:
        """Shape (m,): the place of each code in the permuted domain (the inverse of `order`)."""
        inverse = np.empty_like(self.order)
        inverse[self.order] = np.arange(len(self.order))
        return inverse

    @cached_property
    def total_weight(self) -> int:
        """The sum of the whole weights."""
        return sum(int(w) for w in self.weights)

    @cached_property
    def forest(self) -> tuple[IntArray, IntArray]:
        """The family as a forest: for each set the smallest set around it, and for each place the smallest set there.

        −1 stands for none. Shapes (K,) and (m,).
        """
        parent = np.full(len(self), -1, dtype=np.int64)
        home = np.full(len(self.order), -1, dtype=np.int64)
        roots: list[int] = []  # maximal sets so far, from left to right
        free: list[int] = []  # places passed by that no set holds yet, from left to right
        filled = 0  # the first place that was not passed by
        for k, (low, high) in enumerate(zip(self.low.tolist(), self.high.tolist(), strict=True)):
            while roots and self.low[roots[-1]] >= low:
                parent[roots.pop()] = k
            roots.append(k)
            while free and free[-1] >= low:
                home[free.pop()] = k
            free.extend(range(filled, low))
            home[max(low, filled) : high] = k
            filled = max(filled, high)
        return parent, home

    def distance(self, i: int, j: int) -> Fraction:
        """Return d(i, j) of two codes by the sum over the cuts: Σ_k w_k·[exactly one of i, j lies in S_k]."""
        a, b = int(self.place[i]), int(self.place[j])
        apart = ((self.low <= a) & (a < self.high)) != ((self.low <= b) & (b < self.high))
        return Fraction(sum(int(w) for w in self.weights[apart]), self.denominator)
