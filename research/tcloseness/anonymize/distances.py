"""`SquaredDistances`: how far apart two records lie, Σ_A d_A², in whole numbers over one denominator.

| attribute | d_A |
|---|---|
| numeric | difference / range of the table |
| categorical | 0 for equal values, else 1 |
| hierarchical | height of the lowest common ancestor / height of the root (Li et al. 2007, §5.2) |

Every attribute weighs alike: d_A is at most 1, and numbers are standardised by their range. The record farthest from
the centre of a set is the one whose mean squared distance to the records of the set is greatest; for numbers that is
the one farthest from their mean, since Σ_y |x − y|² = n·|x − mean|² + Σ_y |y − mean|².
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tcloseness.exact import IntArray, fits_int64
from tcloseness.release.attributes import Categorical, Hierarchical, Numeric

__all__ = ["STANDARDISED", "SquaredDistances"]

STANDARDISED = "Σ_A d_A²; numbers by the table's range, sets 0 or 1, hierarchies height of the common ancestor / height"

_CACHED_VALUES = 1024
"""Up to so many values of an attribute, the distances from a value are kept once they are computed."""


class SquaredDistances:
    """Squared distances between records, each given by its codes.

    Parameters
    ----------
    attributes
        How the attributes are generalized.
    codes
        By attribute the codes of all records, shape (records,).

    Attributes
    ----------
    unit
        The common denominator: the distances are whole numbers in units of 1/`unit`.
    """

    def __init__(self, attributes: Sequence[Hierarchical | Numeric | Categorical], codes: Sequence[IntArray]) -> None:
        denominators = [_denominator(attribute) for attribute in attributes]
        self.unit = math.lcm(*denominators)
        self.codes = list(codes)
        self.records = len(codes[0]) if codes else 0
        # sums over pairs of records, of up to four terms of that size an attribute
        fits = fits_int64(self.unit, 4, max(len(attributes), 1), max(self.records, 1) ** 2)
        self.dtype = np.dtype(np.int64 if fits else object)
        self._parts = [
            _Part(attribute, self.unit // denominator, self.dtype)
            for attribute, denominator in zip(attributes, denominators, strict=True)
        ]

    def between(self, record: int, rows: IntArray) -> IntArray:
        """Return the distance of one record from each of some records, shape (rows,)."""
        found = np.zeros(len(rows), dtype=self.dtype)
        for part, codes in zip(self._parts, self.codes, strict=True):
            found += part.from_value(int(codes[record]))[codes[rows]]
        return found

    def sums(self, members: IntArray, rows: IntArray) -> IntArray:
        """Return for each of some records the sum of its distances from the members of a set, shape (rows,)."""
        counts = [
            np.bincount(codes[members], minlength=p.values) for p, codes in zip(self._parts, self.codes, strict=True)
        ]
        return self.sums_from_counts(counts, rows)

    def counts(self, members: IntArray) -> list[IntArray]:
        """Return how often each value of each attribute occurs among some records."""
        return [
            np.bincount(codes[members], minlength=p.values) for p, codes in zip(self._parts, self.codes, strict=True)
        ]

    def sums_from_counts(self, counts: Sequence[IntArray], rows: IntArray) -> IntArray:
        """Return `sums` for a set of which only the counts of its values are known."""
        found = np.zeros(len(rows), dtype=self.dtype)
        for part, codes, count in zip(self._parts, self.codes, counts, strict=True):
            found += part.from_counts(count)[codes[rows]]
        return found


def _denominator(attribute: Hierarchical | Numeric | Categorical) -> int:
    if isinstance(attribute, Numeric):
        return attribute.ncp_denominator**2
    return max(attribute.top, 1) ** 2 if isinstance(attribute, Hierarchical) else 1


class _Part:
    """The squared distances of one attribute, times a whole number that brings them to the common unit."""

    def __init__(
        self, attribute: Hierarchical | Numeric | Categorical, scale: int, dtype: np.dtype[np.generic]
    ) -> None:
        self.attribute, self.scale, self.dtype = attribute, scale, dtype
        self.values = len(attribute.domain)
        self.places = attribute.places.astype(dtype) if isinstance(attribute, Numeric) else attribute.places
        self._known: dict[int, IntArray] = {}

    def from_value(self, code: int) -> IntArray:
        """Return the distance of one value from every value."""
        found = self._known.get(code)
        if found is None:
            found = self._from_value(code)
            if self.values <= _CACHED_VALUES:
                self._known[code] = found
        return found

    def _from_value(self, code: int) -> IntArray:
        attribute = self.attribute
        if isinstance(attribute, Numeric):
            return np.asarray((self.places - self.places[code]) ** 2 * self.scale)
        if isinstance(attribute, Categorical):
            apart = np.full(self.values, self.scale, dtype=self.dtype)
            apart[code] = 0
            return apart
        here = np.full(self.values, self.places[code])
        nodes = attribute.ancestors.covering(np.minimum(here, self.places), np.maximum(here, self.places))
        return np.asarray(attribute.ancestors.height[nodes].astype(self.dtype) ** 2 * self.scale)

    def from_counts(self, counts: IntArray) -> IntArray:
        """Return for each value the sum of its distances from a set with these counts of values."""
        attribute, counts = self.attribute, counts.astype(self.dtype)
        if isinstance(attribute, Numeric):
            n, first, second = counts.sum(), (counts * self.places).sum(), (counts * self.places**2).sum()
            return np.asarray((n * self.places**2 - 2 * first * self.places + second) * self.scale)
        if isinstance(attribute, Categorical):
            return np.asarray((counts.sum() - counts) * self.scale)
        return self._over_ancestors(attribute, counts)

    def _over_ancestors(self, attribute: Hierarchical, counts: IntArray) -> IntArray:
        """Σ over ancestors a of a value: height(a)² · (records below a, and not below the last one)."""
        tree = attribute.ancestors
        at_place = np.zeros(tree.leaves, dtype=self.dtype)
        at_place[attribute.places] = counts
        before = np.concatenate([np.zeros(1, dtype=self.dtype), np.cumsum(at_place)])
        below = before[tree.high] - before[tree.low]
        nodes = attribute.leaf_nodes
        found = np.zeros(self.values, dtype=self.dtype)
        while (nodes != 0).any():
            above = tree.parent[nodes]
            found += tree.height[above].astype(self.dtype) ** 2 * (below[above] - below[nodes])
            nodes = above
        return np.asarray(found * self.scale)
