"""The partition that a search for the optimum starts from: handed in, checked, and then the first incumbent.

A heuristic's release is one (`tcloseness.anonymize`), or any numbering of the records. A search that ends at a limit
then answers with nothing worse, and one that does not has less to look through.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from tcloseness.anonymize import PartitionCost
from tcloseness.errors import InputError
from tcloseness.exact import IntArray
from tcloseness.microdata import Microdata
from tcloseness.models import PrivacyModel
from tcloseness.release import Anonymized, Partition

__all__ = ["Start", "partition_of"]

Start: TypeAlias = Anonymized | Partition | Sequence[int] | IntArray
"""A release or partition of the table, or the class of each record: 0, 1, …, and −1 for a suppressed one."""


def partition_of(
    start: Start, table: Microdata, model: PrivacyModel, cost: PartitionCost, *, sensitive: str, suppressed: int
) -> Partition:
    """Return a start as a partition of a table that satisfies a model.

    Of a release the classes as its method made them are taken, or, if they violate the model or cost more, those that
    it publishes. Records are shown by tight labels of their classes, whatever the release shows.

    Raises
    ------
    InputError
        If it is a partition of another table, suppresses more records than allowed, or violates the model.
    TableError
        If it is no partition.
    """
    if isinstance(start, Anonymized):
        given = [start.grouped, start.partition]
    elif isinstance(start, Partition):
        given = [start]
    else:
        given = [Partition(table, _numbers(start))]
    if not _same(given[0].table, table):
        raise InputError(
            f"start= is a partition of another table ({_size(given[0].table)}; this one has {_size(table)}), or of one "
            "with other values; give one of this table"
        )
    found = [each if each.table is table else Partition(table, each.class_of) for each in given]
    if not len(found[0]):
        raise InputError("start= suppresses every record; give a partition with a class")
    if found[0].suppressed > suppressed:
        raise InputError(
            f"start= suppresses {found[0].suppressed} records, and at most {suppressed} may be; give another "
            "partition, or a greater suppress_at_most="
        )
    verdicts = [model.evaluate(each.class_counts(sensitive)) for each in found]
    good = [each for each, verdict in zip(found, verdicts, strict=True) if verdict.status == "satisfied"]
    if not good:
        verdict = verdicts[-1]
        raise InputError(
            f"start= does not satisfy {model.name}: {len(verdict.violating)} of {len(found[-1])} classes violate it; "
            "give a partition that does, or leave it out"
        )
    return min(good, key=cost.total)


def _numbers(start: Any) -> IntArray:
    try:
        return np.asarray(start)
    except (TypeError, ValueError) as error:  # ragged lists
        raise InputError(f"start={start!r} is not a number for each record; give a release or class numbers") from error


def _same(one: Microdata, other: Microdata) -> bool:
    """Say whether two tables have the same values in the same roles, record by record."""
    if one is other:
        return True
    for mine, theirs in ((one.quasi_identifiers, other.quasi_identifiers), (one.sensitive, other.sensitive)):
        if [column.name for column in mine] != [column.name for column in theirs]:
            return False
        for a, b in zip(mine, theirs, strict=True):
            if len(a.codes) != len(b.codes) or a.domain.values != b.domain.values or (a.codes != b.codes).any():
                return False
    return True


def _size(table: Microdata) -> str:
    names = ", ".join(column.name for column in table.quasi_identifiers)
    return f"{len(table)} records of {names or 'no quasi-identifier'}"
