"""Buckets of sensitive values, and classes that take so many records from each, near each other otherwise."""

from __future__ import annotations

import numpy as np

from tcloseness.anonymize.distances import SquaredDistances
from tcloseness.anonymize.records_left import RecordsLeft
from tcloseness.exact import IntArray
from tcloseness.ground import GroundDistance, GroundSpec, ground_distance
from tcloseness.limits import Clock
from tcloseness.release.counting import Counting, classes_of

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
    nearest to its seed. Ties go to the lower number, whatever the buckets are. Cost O(classes · n) for each attribute.

    Parameters
    ----------
    bucket_of
        The bucket 0, 1, … of each record, shape (records,).
    quotas
        Shape (classes, buckets); its columns sum to the sizes of the buckets.
    clock
        What limits it.
    """
    class_of = np.empty(len(bucket_of), dtype=np.int64)
    left = RecordsLeft(distances, len(bucket_of), bucket_of)
    for number, quota in enumerate(quotas):
        clock.check(classes_of(len(class_of) - len(left), len(class_of)))
        if number % 2 == 0:
            left.measure()
        left.measure(left.farthest())
        class_of[left.take(left.nearest(quota))] = number
    return class_of
