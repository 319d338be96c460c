"""`SquaredDistances`: how far apart two records lie, Σ_A d_A², in whole numbers over one denominator.

| attribute | d_A |
|---|---|
| numeric | difference / range of the table |
| categorical | 0 for equal values, else 1 |
| hierarchical | height of the lowest common ancestor / height of the root (Li et al. 2007, §5.2) |

Every attribute weighs alike: d_A is at most 1, and numbers are standardised by their range. The record farthest from
the centre of a set is the one whose mean squared distance to the records of the set is greatest; for numbers that is
the one farthest from their mean, since Σ_y |x − y|² = n·|x − mean|² + Σ_y |y − mean|².

With it classes that take so many records from each of several buckets of sensitive values, near each other otherwise.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import numpy as np

from tcloseness.exact import IntArray, fits_int64
from tcloseness.ground import GroundDistance, GroundSpec, ground_distance
from tcloseness.limits import Clock
from tcloseness.release.attributes import Categorical, Hierarchical, Numeric
from tcloseness.release.counting import Counting, classes_of

__all__ = ["STANDARDISED", "SquaredDistances", "even_quotas", "filled_classes", "laid_out", "least_places"]


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
        return self.sums_from_counts(self.counts(members), rows)

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
        return max(attribute.whole, 1) ** 2
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


def laid_out(counting: Counting, spec: GroundSpec) -> tuple[GroundDistance, IntArray]:
    """Return a ground distance over the sensitive values, and the values in a line in which near ones are neighbours.

    The line is the domain's order for ordered distances and the order of the leaves for hierarchical ones: that of the
    distance's laminar cuts. A distance without cuts takes the domain's order.
    """
    ground = ground_distance(spec, counting.domain)
    return ground, np.arange(ground.m) if ground.cuts is None else np.asarray(ground.cuts.order)


def even_quotas(sizes: list[int], classes: int) -> IntArray:
    """Return how many records each class takes from each bucket, shape (classes, buckets): as evenly as possible.

    The first classes take one more where a size is not a multiple of `classes`.

    Examples
    --------
    >>> even_quotas([2, 3], 2).tolist()
    [[1, 2], [1, 1]]
    """
    whole = np.array(sizes, dtype=np.int64)
    return whole // classes + (np.arange(classes)[:, None] < whole % classes)


def filled_classes(distances: SquaredDistances, bucket_of: IntArray, quotas: IntArray, clock: Clock) -> IntArray:
    """Return the class of each record 0, 1, …

    The classes are filled in turn, around a seed: for the first, third, … the record farthest from the centre of what
    is left, for the second, fourth, … the one farthest from the seed before. A class takes from each bucket the records
    nearest to its seed. Ties go to the lower number, whatever the buckets are. Cost O(classes · n) look-ups for each
    attribute.

    Parameters
    ----------
    bucket_of
        The bucket 0, 1, … of each record, shape (records,).
    quotas
        Shape (classes, buckets); its columns sum to the sizes of the buckets.
    clock
        What limits it.
    """
    class_of = np.full(len(bucket_of), -1, dtype=np.int64)
    rows = np.arange(len(class_of))
    by_bucket = np.argsort(bucket_of, kind="stable")
    left = np.bincount(bucket_of, minlength=quotas.shape[1])
    counts = distances.counts(rows)
    before: int | None = None
    for number, quota in enumerate(quotas):
        clock.check(classes_of(len(class_of) - len(rows), len(class_of)))
        away = distances.sums_from_counts(counts, rows) if before is None else distances.between(before, rows)
        seed = int(rows[np.argmax(away)])
        before = seed if before is None else None
        away = distances.between(seed, by_bucket)
        ends = np.cumsum(left)
        taken = np.concatenate(
            [
                low + least_places(away[low:high], size)
                for low, high, size in zip((ends - left).tolist(), ends.tolist(), quota.tolist(), strict=True)
                if size
            ]
        )
        members = by_bucket[taken]
        class_of[members] = number
        for total, removed in zip(counts, distances.counts(members), strict=True):
            total -= removed
        by_bucket, left, rows = np.delete(by_bucket, taken), left - quota, rows[class_of[rows] < 0]
    return class_of


def least_places(values: IntArray, size: int) -> IntArray:
    """Return the places of the `size` least values; ties go to the first places."""
    bound = np.partition(values, size - 1)[size - 1]
    less = np.flatnonzero(values < bound)
    return np.concatenate([less, np.flatnonzero(values == bound)[: size - len(less)]])
