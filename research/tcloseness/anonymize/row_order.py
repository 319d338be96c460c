"""An order of the records that does not depend on the order of the rows, and class numbers that follow the rows."""

from __future__ import annotations

import numpy as np

from tcloseness.anonymize.counting import Counting
from tcloseness.exact import IntArray
from tcloseness.microdata import Microdata

__all__ = ["canonical_order", "canonical_places", "numbered_by_first_record"]


def canonical_order(table: Microdata, counting: Counting) -> IntArray:
    """Return the records by their quasi-identifiers in the table's order, then by the sensitive value, then by number.

    Only records that are equal in all of these are told apart by their number, so a method that breaks its ties by this
    order makes the same classes from the same records in any order, up to such equal records.
    """
    columns = [column.codes for column in table.quasi_identifiers]
    return np.lexsort((counting.codes, *reversed(columns)))


def canonical_places(table: Microdata, counting: Counting) -> IntArray:
    """Return the place of each record in `canonical_order`."""
    places = np.empty(len(table), dtype=np.int64)
    places[canonical_order(table, counting)] = np.arange(len(table))
    return places


def numbered_by_first_record(class_of: IntArray) -> IntArray:
    """Return the classes numbered in the order of their first records; −1 stays."""
    found = np.full(len(class_of), -1, dtype=np.int64)
    kept = class_of >= 0
    _, first, numbers = np.unique(class_of[kept], return_index=True, return_inverse=True)
    found[kept] = np.argsort(np.argsort(first))[numbers.reshape(-1)]
    return found
