"""Merging the classes that violate a model with the classes nearest to them until none does, and the release."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tcloseness.anonymize.distances import STANDARDISED, SquaredDistances
from tcloseness.anonymize.targets import violating
from tcloseness.exact import IntArray, Rationals
from tcloseness.limits import Clock
from tcloseness.microdata import Microdata
from tcloseness.models import PrivacyModel
from tcloseness.release.anonymized import Anonymized, verified
from tcloseness.release.attributes import Attribute
from tcloseness.release.counting import Counting
from tcloseness.release.draws import numbered_by_first_record
from tcloseness.release.partition import Partition

__all__ = ["BY_CLASS", "merge_until_satisfied", "merged_release"]

BY_CLASS = "by class: records of equal quasi-identifiers may be in different classes"
"""The recoding of all methods that group records."""


def merged_release(
    table: Microdata,
    class_of: IntArray,
    model: PrivacyModel,
    counting: Counting,
    distances: SquaredDistances,
    order: IntArray,
    clock: Clock,
    *,
    method: str,
    attributes: tuple[Attribute, ...],
    done: Mapping[str, Any],
    conventions: Mapping[str, str],
) -> Anonymized:
    """Merge the classes of `merge_until_satisfied`, and publish what is left, verified; `done` has the mergers too.

    Raises
    ------
    NotReached
        If the published classes do not satisfy the model.
    """
    merged, mergers = merge_until_satisfied(class_of, model, counting, distances, order, clock)
    return verified(
        Partition(table, numbered_by_first_record(merged, order)),
        model,
        method=method,
        attributes=attributes,
        sensitive=counting.sensitive,
        done={**done, "mergers": mergers},
        conventions={"recoding": BY_CLASS, "distance of records": STANDARDISED, **conventions},
    )


def merge_until_satisfied(
    class_of: IntArray,
    model: PrivacyModel,
    counting: Counting,
    distances: SquaredDistances,
    order: IntArray,
    clock: Clock,
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
    clock
        What limits it.
    """
    mine = class_of[order]
    mergers = 0
    while True:
        mine = _numbered(mine)
        clock.check(_merging(mergers, mine))
        bad = violating(model, counting.of(mine, order))
        if not len(bad) or not mine.any():
            return _back(mine, order), mergers
        merged: set[int] = set()
        for number in bad.tolist():
            if number in merged or not (mine != number).any():
                continue
            clock.check(_merging(mergers, mine))
            other = _nearest_class(mine, number, distances)
            mine[mine == number] = other
            merged |= {number, other}
            mergers += 1


def _merging(mergers: int, class_of: IntArray) -> str:
    classes = len(np.unique(class_of))
    return f"merging classes that violate the model: {mergers:,} mergers were made, and {classes:,} classes are left"


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
