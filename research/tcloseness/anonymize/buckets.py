"""Classes that take so many records from each of several buckets of sensitive values, near each other otherwise."""

from __future__ import annotations

import numpy as np

from tcloseness.anonymize.counting import Counting
from tcloseness.anonymize.distances import SquaredDistances
from tcloseness.exact import IntArray
from tcloseness.ground import GroundDistance, GroundSpec, ground_distance

__all__ = ["even_quotas", "filled_classes", "laid_out"]


def laid_out(counting: Counting, spec: GroundSpec) -> tuple[GroundDistance, IntArray]:
    """Return a ground distance over the sensitive values, and the values in a line in which near ones are neighbours.

    The line is the domain's order for ordered distances and the order of the leaves for hierarchical ones: that of the
    distance's laminar cuts. A distance without cuts takes the domain's order.
    """
    ground = ground_distance(spec, counting.domain)
    return ground, np.arange(ground.m) if ground.cuts is None else np.asarray(ground.cuts.order)


def even_quotas(sizes: list[int], classes: int) -> IntArray:
    """Return how many records each class takes from each bucket, shape (classes, buckets): as evenly as possible.

    The first classes take one more where a size is no multiple of `classes`.

    Examples
    --------
    >>> even_quotas([2, 3], 2).tolist()
    [[1, 2], [1, 1]]
    """
    whole = np.array(sizes, dtype=np.int64)
    return whole // classes + (np.arange(classes)[:, None] < whole % classes)


def filled_classes(distances: SquaredDistances, bucket_sizes: list[int], quotas: IntArray) -> IntArray:
    """Return the class of each record 0, 1, …, when records are sorted by bucket.

    The classes are filled in turn, around a seed: for the first, third, … the record farthest from the centre of what
    is left, for the second, fourth, … the one farthest from the seed before. A class takes from each bucket the records
    nearest to its seed. Ties go to the lower number. Cost O(classes · n) look-ups for each attribute.

    Parameters
    ----------
    quotas
        Shape (classes, buckets); its columns sum to the bucket sizes.
    """
    ends = np.cumsum(bucket_sizes)
    class_of = np.empty(int(ends[-1]), dtype=np.int64)
    rows = np.arange(len(class_of))
    counts = distances.counts(rows)
    before: int | None = None
    for number, quota in enumerate(quotas):
        away = distances.sums_from_counts(counts, rows) if before is None else distances.between(before, rows)
        seed = int(rows[np.argmax(away)])
        before = seed if before is None else None
        away = distances.between(seed, rows)
        bounds = np.searchsorted(rows, np.concatenate([[0], ends])).tolist()
        taken = np.concatenate(
            [
                low + _least(away[low:high], size)
                for low, high, size in zip(bounds, bounds[1:], quota.tolist(), strict=False)
                if size
            ]
        )
        class_of[rows[taken]] = number
        for total, removed in zip(counts, distances.counts(rows[taken]), strict=True):
            total -= removed
        rows = np.delete(rows, taken)
    return class_of


def _least(values: IntArray, size: int) -> IntArray:
    """Return the places of the `size` least values; ties go to the first places."""
    bound = np.partition(values, size - 1)[size - 1]
    less = np.flatnonzero(values < bound)
    return np.concatenate([less, np.flatnonzero(values == bound)[: size - len(less)]])
