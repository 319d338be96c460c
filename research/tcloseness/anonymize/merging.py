"""Merging the classes that violate a model with the classes nearest to them, until none violates it."""

from __future__ import annotations

import numpy as np

from tcloseness.anonymize.counting import Counting
from tcloseness.anonymize.distances import SquaredDistances
from tcloseness.anonymize.targets import violating
from tcloseness.exact import IntArray, Rationals
from tcloseness.models import PrivacyModel

__all__ = ["merge_until_satisfied"]


def merge_until_satisfied(
    class_of: IntArray, model: PrivacyModel, counting: Counting, distances: SquaredDistances, order: IntArray
) -> tuple[IntArray, int]:
    """Return classes none of which violates the model, and how many mergers that took.

    In rounds: the violating classes in turn, each is merged with the class whose records are nearest to its own by mean
    squared distance, unless it became part of another in this round. Ends at the latest with the whole table as one
    class, of which nothing is asked here.

    Parameters
    ----------
    class_of
        The class 0, 1, … of each record.
    order
        The records in the order in which `distances` has them; among equally near classes the one with the first record
        in this order is taken, and violating classes go in this order too.
    """
    mine = class_of[order]
    mergers = 0
    while True:
        mine = _numbered(mine)
        bad = violating(model, counting.of(mine, order))
        if not len(bad) or not mine.any():
            return _back(mine, order), mergers
        merged: set[int] = set()
        for number in bad.tolist():
            if number in merged or not (mine != number).any():
                continue
            other = _nearest_class(mine, number, distances)
            mine[mine == number] = other
            merged |= {number, other}
            mergers += 1


def _nearest_class(class_of: IntArray, number: int, distances: SquaredDistances) -> int:
    rows = np.argsort(class_of, kind="stable")
    sums = distances.sums(np.flatnonzero(class_of == number), rows)
    numbers = class_of[rows]
    starts = np.flatnonzero(np.diff(numbers, prepend=-1))
    classes, sizes = numbers[starts], np.diff(starts, append=len(rows))
    others = classes != number
    totals = np.add.reduceat(sums, starts)[others]
    _, nearest = Rationals(totals, sizes[others]).smallest()
    return int(classes[others][nearest[0]])


def _numbered(class_of: IntArray) -> IntArray:
    """Number the classes by their first records."""
    _, first, numbers = np.unique(class_of, return_index=True, return_inverse=True)
    return np.asarray(np.argsort(np.argsort(first))[numbers.reshape(-1)])


def _back(mine: IntArray, order: IntArray) -> IntArray:
    class_of = np.empty(len(mine), dtype=np.int64)
    class_of[order] = mine
    return class_of
