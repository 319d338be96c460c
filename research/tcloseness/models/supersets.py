"""Natural supersets of a table's classes: the classes of a coarser generalization."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from tcloseness.errors import TableError
from tcloseness.microdata import ClassCounts, FrequencySet, Hierarchy
from tcloseness.microdata.domain import identity
from tcloseness.microdata.frequency import combined_codes

__all__ = ["superset_map"]


def superset_map(
    classes: ClassCounts,
    table: FrequencySet,
    hierarchies: Mapping[str, Hierarchy],
    levels: Mapping[str, int],
    above: Mapping[str, int],
) -> list[int]:
    """Return for each class of a generalization the number of the class of a coarser one that it lies in.

    Parameters
    ----------
    classes
        ``table.generalize(hierarchies, levels).class_counts(…)``.
    table, hierarchies
        The table before generalization, and its attributes' hierarchies.
    levels, above
        The levels of `classes`, and of the coarser generalization; attributes that are not named stay at 0.

    Raises
    ------
    TableError
        If `above` is below `levels` in an attribute, or `classes` has a class that the table has not at `levels`.
    """
    for name in table.quasi_identifiers:
        if above.get(name, 0) < levels.get(name, 0):
            raise TableError(f"the supersets' level of {name!r} is below the classes'; supersets must be coarser")
    released = np.flatnonzero(~table.suppressed)
    fine: dict[str, list[Any]] = {}
    coarse, radices = [], []
    for name in table.quasi_identifiers:
        used, codes = np.unique(table.codes[name][released], return_inverse=True)
        domain = table.domains[name].subset(used)
        for at, kept in ((levels, fine), (above, None)):
            mapping, target = np.arange(len(domain)), domain
            if at.get(name, 0):
                mapping, target = hierarchies[name].generalize(domain, at[name])
            if kept is None:
                coarse.append(mapping[codes])
                radices.append(len(target))
            else:
                kept[name] = [identity(target.values[code]) for code in mapping[codes].tolist()]
    if not fine:  # no quasi-identifiers: one class, which is the whole table
        return [0] * len(classes)
    key = combined_codes(coarse, radices)
    found = dict(zip(zip(*fine.values(), strict=True), key.tolist(), strict=True))
    numbers = []
    for g in range(len(classes)):
        label = classes.label(g)
        number = found.get(tuple(map(identity, label)))
        if number is None:
            raise TableError(f"class {label!r} is no class of the table at these levels")
        numbers.append(number)
    return numbers
