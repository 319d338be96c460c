"""Who is in which class of a release, as far as quasi-identifiers alone say it.

Whoever knows everybody's quasi-identifiers knows for each record r the classes F(r) whose labels stand for its values.
The record is surely in class g, of n_g published records,

* if F(r) = {g}, and no record is suppressed; or
* if g ∈ F(r), and as many records have g in F as g has: |{r : g ∈ F(r)}| = n_g.

Of the others nothing is taken to be known.
"""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np
import numpy.typing as npt

from tcloseness.attacks.linked_releases import LinkedRelease
from tcloseness.exact import IntArray
from tcloseness.limits import Clock, TimeLimit
from tcloseness.microdata.grouping import combined_codes
from tcloseness.release import Release

__all__ = ["placed"]

_AT_ONCE = 2**24
"""So many pairs of records and classes are compared at a time."""


def placed(release: Release, *, time_limit: TimeLimit = None, memory_limit: int | None = None) -> LinkedRelease:
    """Return a release with the records of its original that quasi-identifiers alone place in a class, see the module.

    Parameters
    ----------
    release
        A release with its original, such as `tcloseness.Table.read_release` returns. Which row is which record is not
        asked, nor what sensitive value a record has.
    time_limit, memory_limit
        Seconds and bytes, see `tcloseness.limits.Clock`.

    Returns
    -------
    LinkedRelease
        Persons are the labels of the original's index, or the numbers of its rows from 1.

    Raises
    ------
    TableError
        If the original is counts, without rows; or every record is suppressed.
    TimeLimitReached, MemoryLimitReached
        At a limit.

    Notes
    -----
    Cost: different records times classes, for each quasi-identifier.

    Examples
    --------
    >>> import pandas as pd
    >>> from tcloseness import Table
    >>> frame = pd.DataFrame({"age": [21, 24, 30, 41], "ill": ["flu", "cold", "flu", "cold"]})
    >>> shown = pd.DataFrame({"age": ["20-30", "20-30", "30-49", "30-49"], "ill": ["flu", "cold"] * 2})
    >>> release = Table(frame, quasi_identifiers="age", sensitive="ill").read_release(shown)
    >>> placed(release).members
    {0: ('20-30',), 1: ('20-30',), 2: ('30-49',), 3: ('30-49',)}
    """
    clock = Clock.of(time_limit, memory_limit)
    table, classes = release.rows_of, release.classes
    assert classes.keys is not None
    columns = [column.codes for column in table.quasi_identifiers]
    if columns:
        key = combined_codes(columns, [len(c.domain) for c in table.quasi_identifiers], rows=len(table))
    else:
        key = np.zeros(len(table), dtype=np.int64)
    _, first, of_row = np.unique(key, return_index=True, return_inverse=True)
    people = np.bincount(of_row, minlength=len(first))
    stands_for = {name: _stands_for(release, name) for name in release.recodings}
    fitting = np.zeros(len(classes), dtype=np.int64)  # how many records fit each class
    only = np.full(len(first), -1, dtype=np.int64)
    fits: list[tuple[IntArray, IntArray]] = []
    step = max(1, _AT_ONCE // len(classes))
    for begin in range(0, len(first), step):
        clock.check("records are placed in the classes of a release")
        some = first[begin : begin + step]
        fit = np.ones((len(some), len(classes)), dtype=bool)
        for column in table.quasi_identifiers:
            fit &= stands_for[column.name][column.codes[some]][:, classes.keys.codes[column.name]]
        combinations, at = np.nonzero(fit)
        fits.append((combinations + begin, at))
        fitting += np.bincount(at, weights=people[combinations + begin], minlength=len(classes)).astype(np.int64)
        single = fit.sum(axis=1) == 1
        if not release.suppressed:
            only[begin : begin + step][single] = fit[single].argmax(axis=1)
    whole = fitting == classes.class_sizes
    for combinations, at in fits:
        only[combinations[whole[at]]] = at[whole[at]]
    labels = [classes.label(g) for g in range(len(classes))]
    index = table.index
    members: dict[Hashable, Hashable] = {
        row + 1 if index is None else index[row]: labels[g] for row, g in enumerate(only[of_row].tolist()) if g >= 0
    }
    return LinkedRelease(classes, members)


def _stands_for(release: Release, name: str) -> npt.NDArray[np.bool_]:
    """Return which label stands for which value of an attribute, shape (values, labels)."""
    recoding = release.recodings[name]
    starts, values = recoding.below("table")
    found = np.zeros((len(recoding.values), len(recoding.labels)), dtype=bool)
    found[values, np.repeat(np.arange(len(recoding.labels)), np.diff(starts))] = True
    return found
