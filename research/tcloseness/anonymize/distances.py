"""`SquaredDistances`: how far apart two records lie, Σ_A d_A², in whole numbers over one denominator.

| attribute | d_A |
|---|---|
| numeric | difference / range of the table |
| categorical | 0 for equal values, else 1 |
| hierarchical | height of the lowest common ancestor / height of the root (Li et al. 2007, §5.2) |

Every attribute weighs alike: d_A is at most 1, and numbers are standardised by their range.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tcloseness.exact import IntArray, fits_int64
from tcloseness.release.attributes import Categorical, Hierarchical, Numeric

__all__ = ["STANDARDISED", "Names", "Numbers", "SquaredDistances", "Tree"]


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
    numbers, tables
        The terms of numeric attributes and of others, each with its codes.
    """

    def __init__(self, attributes: Sequence[Hierarchical | Numeric | Categorical], codes: Sequence[IntArray]) -> None:
        self.records = len(codes[0]) if codes else 0
        parts = [_part(attribute, self.records) for attribute in attributes]
        self.unit = math.lcm(*(part.denominator for part in parts))
        # sums over pairs of records, of up to four terms of that size an attribute
        fits = fits_int64(self.unit, 4, max(len(attributes), 1), max(self.records, 1) ** 2)
        self.dtype = np.dtype(np.int64 if fits else object)
        found = list(zip(parts, codes, strict=True))
        self.numbers = [(part, of) for part, of in found if isinstance(part, Numbers)]
        self.tables = [(part, of) for part, of in found if isinstance(part, Names)]
        self.terms: list[tuple[Numbers | Names, IntArray]] = [*self.numbers, *self.tables]

    def between(self, record: int, rows: IntArray) -> IntArray:
        """Return the distance of one record from each of some records, shape (rows,)."""
        found = np.zeros(len(rows), dtype=self.dtype)
        for part, codes in self.terms:
            found += part.between(int(codes[record]), codes[rows]).astype(self.dtype) * (self.unit // part.denominator)
        return found

    def sums(self, members: IntArray, rows: IntArray) -> IntArray:
        """Return for each of some records the sum of its distances from the members of a set, shape (rows,)."""
        return self.sums_from(self.tally(members), rows)

    def tally(self, members: IntArray) -> list[IntArray]:
        """Return by attribute what `sums_from` needs of a set of records; tallies of disjoint sets can be added."""
        return [part.tally(codes[members]) for part, codes in self.terms]

    def sums_from(self, tally: Sequence[IntArray], rows: IntArray) -> IntArray:
        """Return `sums` for a set of which only the tally is known."""
        found = np.zeros(len(rows), dtype=self.dtype)
        for (part, codes), of in zip(self.terms, tally, strict=True):
            found += part.sums(of, codes[rows]).astype(self.dtype) * (self.unit // part.denominator)
        return found


def _part(attribute: Hierarchical | Numeric | Categorical, records: int) -> Numbers | Names:
    if isinstance(attribute, Numeric):
        return Numbers(attribute, records)
    return Tree(attribute) if isinstance(attribute, Hierarchical) else Names(attribute)


class Numbers:
    """The squared differences of numbers, in units of 1/range²."""

    def __init__(self, attribute: Numeric, records: int) -> None:
        self.whole = max(attribute.whole, 1)
        self.denominator = self.whole**2
        fits = fits_int64(self.denominator, 4, max(records, 1))  # so that sums over all records do
        self.places = attribute.places.astype(np.int64 if fits else object)

    def between(self, code: int, codes: IntArray) -> IntArray:
        """Return the distance of one value from each of some values."""
        return np.asarray((self.places[codes] - self.places[code]) ** 2)

    def tally(self, codes: IntArray) -> IntArray:
        """Return the number of some values, their sum, and the sum of their squares, as Python ints."""
        places = self.places[codes]
        return np.array([len(codes), int(places.sum()), int((places**2).sum())], dtype=object)

    def leave(self, tally: IntArray, codes: IntArray) -> None:
        """Take some values out of a tally, but for the sum of the squares: `sums` keep their differences."""
        tally[0] -= len(codes)
        tally[1] -= int(self.places[codes].sum())

    def sums(self, tally: IntArray, codes: IntArray) -> IntArray:
        """Return for each of some values the sum of its distances from those of the tally."""
        (n, first, second), places = tally.tolist(), self.places[codes]
        return np.asarray(n * places**2 - 2 * first * places + second)


class Names:
    """The squared distances of values that are equal or not, 0 or 1."""

    denominator = 1

    def __init__(self, attribute: Categorical | Hierarchical) -> None:
        self.values = len(attribute.domain)
        self._known: dict[int, IntArray] = {}

    def between(self, code: int, codes: IntArray) -> IntArray:
        """Return the distance of one value from each of some values."""
        return self.table(code)[codes]

    def table(self, code: int) -> IntArray:
        """Return the distance of one value from every value."""
        found = self._known.get(code)
        if found is None:
            found = self._table(code)
            if self.values <= _CACHED_VALUES:
                self._known[code] = found
        return found

    def _table(self, code: int) -> IntArray:
        return np.asarray(np.arange(self.values) != code).astype(np.int64)

    def tally(self, codes: IntArray) -> IntArray:
        """Return how often each value occurs."""
        return np.bincount(codes, minlength=self.values)

    def leave(self, tally: IntArray, codes: IntArray) -> None:
        """Take some values out of a tally."""
        tally -= self.tally(codes)

    def sums(self, tally: IntArray, codes: IntArray) -> IntArray:
        """Return for each of some values the sum of its distances from those of the tally."""
        return self.sum_table(tally)[codes]

    def sum_table(self, tally: IntArray) -> IntArray:
        """Return `sums` for every value."""
        return np.asarray(tally.sum() - tally)


class Tree(Names):
    """The squared heights of the lowest common ancestors, in units of 1/(height of the root)²."""

    def __init__(self, attribute: Hierarchical) -> None:
        super().__init__(attribute)
        self.denominator = max(attribute.top, 1) ** 2
        self._attribute = attribute

    def _table(self, code: int) -> IntArray:
        places, tree = self._attribute.places, self._attribute.ancestors
        here = np.full(self.values, places[code])
        return np.asarray(tree.height[tree.covering(np.minimum(here, places), np.maximum(here, places))] ** 2)

    def sum_table(self, tally: IntArray) -> IntArray:
        """Σ over ancestors a of a value: height(a)² · (records below a, and not below the last one)."""
        tree, nodes = self._attribute.ancestors, self._attribute.leaf_nodes
        at_place = np.zeros(tree.leaves, dtype=np.int64)
        at_place[self._attribute.places] = tally
        before = np.concatenate([[0], np.cumsum(at_place)])
        below = before[tree.high] - before[tree.low]
        found = np.zeros(self.values, dtype=np.int64)
        while (nodes != 0).any():
            above = tree.parent[nodes]
            found += tree.height[above] ** 2 * (below[above] - below[nodes])
            nodes = above
        return found
