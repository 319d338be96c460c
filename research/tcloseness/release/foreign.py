"""A release that another tool made, or that was written: read from the published rows and the original.

What labels stand for is in `tcloseness.release.labels`. Where the index of the published frame says which row is which
record, each label is checked against the record's value. Where that is not known, as in a file that is sorted by what
it shows, labels and counts are read alone, and it is checked that there are enough records for them: `read_labels`.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from tcloseness.errors import InputError, NotAligned, TableError
from tcloseness.exact import IntArray
from tcloseness.microdata import Column, FrequencySet, Hierarchy, Microdata
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.microdata.combinations import READING, options_among
from tcloseness.microdata.domain import value_text
from tcloseness.microdata.grouping import combined_codes
from tcloseness.microdata.sources import rows as rows_of
from tcloseness.microdata.sources.files import is_paths
from tcloseness.release.counting import totals
from tcloseness.release.labels import ANOTHER_ORDER, Labels, row_name, text_of
from tcloseness.release.recoding import Recoding
from tcloseness.release.release import Release
from tcloseness.release.unaligned import UnalignedRelease

__all__ = ["read_labels", "read_published", "read_release"]


def read_published(
    original: FrequencySet | FullTable,
    published: Any,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    *,
    suppressed: object | None = None,
    **reading: Any,
) -> Release:
    """Read what was published of a table: by another tool, or written by this package.

    Parameters
    ----------
    original
        The table before anything was done to it.
    published
        A frame, whose index says which row is which record; or the path of a file (CSV, TSV or Parquet; several, or a
        pattern), which has no index.
    hierarchies
        Whose nodes the labels are, by attribute; without one a label is a value, an interval, a set of values or ``*``
        for all, see `tcloseness.release.labels`.
    suppressed
        What suppressed records show in all quasi-identifiers; ``"*"`` in what `Published.write` wrote.
    **reading
        How a file is read: ``separator``, ``encoding``, ``missing_texts``, ``memory``, ``threads``, ``temporary``, as
        in `FrequencySet.read`.

    Returns
    -------
    Release
        An `UnalignedRelease` for a file, and for a frame that is numbered from the first row and of which some row is
        not the record of its number, so that its rows are in another order. It knows labels and counts, and not which
        row is which record. Records for which there is no row are suppressed.

    Raises
    ------
    NotAligned
        For a frame with an index of its own, of which a row is not the record that its index names: unknown, with a
        label that does not stand for its value, or with another sensitive value.
    TableError
        For a label that cannot be read, or a hierarchy of what is not an attribute. Where which row is which record is
        not known, also for a table with weights or persons; for a sensitive value that more rows have than records; and
        for labels for which the table has too few records with values below them, checked for each quasi-identifier by
        itself.
    HierarchyError
        For a label that is not a node of the attribute's hierarchy, or a value that it does not cover.
    InputError
        For an argument that does not say how a file is read, or that does and there is no file.

    Examples
    --------
    >>> from tcloseness import Table
    >>> frame = pd.DataFrame({"age": [41, 24, 38, 21], "ill": ["cold", "cold", "flu", "flu"]})
    >>> table = Table(frame, quasi_identifiers="age", sensitive="ill")
    >>> by_index = read_published(table, frame.assign(age=["30-49", "20-29", "30-49", "20-29"]))
    >>> in_another_order = pd.DataFrame({"age": ["20-29"] * 2 + ["30-49"] * 2, "ill": ["cold", "flu"] * 2})
    >>> found = read_published(table, in_another_order)
    >>> found, found.losses()["GCP"].value == by_index.losses()["GCP"].value
    (<UnalignedRelease: 2 classes of 4 records, 0 suppressed>, True)
    """
    options = options_among(reading)
    for name in reading:
        others = ", ".join(sorted(READING))
        raise InputError(f"a release is read without an argument {name!r}; how a file is read say {others}")
    original, given = in_shape(original, FrequencySet), hierarchies or {}
    if is_paths(published):
        return read_labels(original, rows_of(published, options), given, suppressed=suppressed)
    if options is not None:
        options.refuse("the release is a frame, and not a file", *READING)
    try:
        return read_release(original.microdata, published, given, suppressed=suppressed)
    except NotAligned:
        if not _is_numbered(published.index):
            raise
    return read_labels(original, published, given, suppressed=suppressed)


def _is_numbered(index: pd.Index[Any]) -> bool:
    return isinstance(index, pd.RangeIndex) and index.equals(pd.RangeIndex(len(index)))


def read_labels(
    original: FrequencySet,
    published: pd.DataFrame,
    hierarchies: Mapping[str, Hierarchy],
    *,
    suppressed: object | None = None,
) -> UnalignedRelease:
    """Read labels and counts of a release of which it is not known which row is which record.

    Rows that the table has and the release has not are suppressed records; their sensitive values are those that are
    left over.

    Raises
    ------
    TableError, HierarchyError
        As `read_published`.
    """
    original.require_rows_of_different_persons("a release that is read")
    _require_attributes(hierarchies, original)
    if original.rows is not None:
        raise TableError(
            "the rows of the table have weights, and what a published row weighs is only known where its record is; "
            "give both frames the index that names the records (frame.set_index)"
        )
    names, others = original.quasi_identifiers, original.sensitive
    cells = _cells(published, names, others, every=True)
    marked = np.zeros(len(published), dtype=bool)
    if suppressed is not None and names:
        marked = np.logical_and.reduce([cells[name] == text_of(suppressed) for name in names])
    sensitive = {name: Labels(name, original.domains[name], None).values_of(cells[name]) for name in others}
    rest, head = _left_over(original, sensitive, len(published))
    withheld = np.append(marked, np.ones(len(rest), dtype=bool))
    codes = {name: np.append(sensitive[name], original.codes[name][head]) for name in others}
    recodings = {}
    for name in names:
        reader = Labels(name, original.domains[name], hierarchies.get(name))
        recodings[name], mine = _read_alone(reader, cells[name], ~marked, original, spare=bool(withheld.any()))
        codes[name] = np.append(mine, np.full(len(rest), len(recodings[name].labels) - 1))
    found = replace(
        original,
        domains={**original.domains, **{name: each.labels for name, each in recodings.items()}},
        codes=codes,
        counts=np.append(np.ones(len(published), dtype=np.int64), rest),
        suppressed=withheld,
        table=None,
        reader=None,
    )
    return UnalignedRelease(original, recodings, found.project(names))


def _read_alone(
    reader: Labels, cells: npt.NDArray[Any], kept: npt.NDArray[np.bool_], original: FrequencySet, *, spare: bool
) -> tuple[Recoding, IntArray]:
    """Return the recoding and the labels' codes: as they are written, or where records are too few, as numbers.

    A table may write a number in several ways, and what was published of it in one.
    """
    refused: TableError | None = None
    for equal in (False, True):
        recoding, codes = reader.read_alone(cells, kept, spare=spare, equal=equal)
        try:
            _require_room(recoding, np.bincount(codes[kept]), original.totals_of(reader.name), _of_dropped(original))
        except TableError as error:
            refused = refused or error
            if reader.spellings is None:
                break
        else:
            return recoding, codes
    assert refused is not None
    raise refused


def _require_attributes(hierarchies: Mapping[str, Hierarchy], original: FrequencySet) -> None:
    known = (*original.quasi_identifiers, *original.sensitive)
    for name in hierarchies:
        if name not in known:
            raise TableError(f"{name!r} is not an attribute of this table; it has {known}")


def _left_over(original: FrequencySet, sensitive: Mapping[str, IntArray], size: int) -> tuple[IntArray, IntArray]:
    """Return how many records with each combination of sensitive values are not published, and a place of each."""
    names = original.sensitive
    key = combined_codes(
        [np.append(original.codes[name], sensitive[name]) for name in names],
        [len(original.domains[name]) for name in names],
        rows=len(original) + size,
    )
    _, first, numbers = np.unique(key, return_index=True, return_inverse=True)
    had = totals(numbers[: len(original)], original.counts, len(first))
    shown = np.bincount(numbers[len(original) :], minlength=len(first))
    if (shown > had).any():
        place = int(np.flatnonzero(shown > had)[0])
        at = int(first[place])
        values = [
            f"{name} {original.domains[name].values[np.append(original.codes[name], sensitive[name])[at]]!r}"
            for name in names
        ]
        raise TableError(
            f"{shown[place]} published rows have {' and '.join(values)}, and {had[place]} records of the original; so "
            "it is not a release of this table, or its sensitive values are changed: for those give both frames the "
            f"index that names the records (frame.set_index){_of_spellings(original)}{_of_dropped(original)}"
        )
    left = np.flatnonzero(had > shown)
    return had[left] - shown[left], first[left]


def _of_spellings(original: FrequencySet) -> str:
    for name in original.sensitive:
        found = Labels(name, original.domains[name], None).spellings
        if found is not None:
            return f"; or {found[0]!r} and {found[1]!r} are one value: then give the table merge_spellings={name!r}"
    return ""


def _of_dropped(original: FrequencySet) -> str:
    if not original.dropped:
        return ""
    return (
        f"; or it holds some of the {original.dropped} row(s) that missing='drop' leaves out of the table: leave them "
        "out of both"
    )


def _require_room(recoding: Recoding, carried: IntArray, records: IntArray, dropped: str) -> None:
    """Raise `TableError` unless the table has a record of its own for each label, this attribute taken by itself.

    For each label, the rows whose labels stand for nothing else are at most the records with values below it. That is
    Hall's condition for the sets that are labels.
    """
    starts, places = recoding.below("table")
    labels = np.flatnonzero(carried)
    until = np.concatenate(([0], np.cumsum(records[places])))
    sizes, room = np.diff(starts)[labels], (until[starts[1:]] - until[starts[:-1]])[labels]
    parts = [slice(begin, begin + _AT_ONCE) for begin in range(0, len(labels), _AT_ONCE)]

    def members(some: slice) -> npt.NDArray[np.float32]:
        found = np.zeros((len(labels[some]), len(recoding.values)), dtype=np.float32)  # counts of them are exact
        for row, label in zip(found, labels[some].tolist(), strict=True):
            row[places[starts[label] : starts[label + 1]]] = 1
        return found

    for part in parts:
        here, begin = members(part).T, part.start
        inside = (members(other) @ here == sizes[other, None] for other in parts)
        within = sum(carried[labels[other]] @ each for other, each in zip(parts, inside, strict=True))
        short = np.flatnonzero(within > room[begin : begin + _AT_ONCE])
        if len(short):
            at = begin + int(short[0])
            raise TableError(
                f"{within[short[0]]} published rows have labels of {recoding.name!r} that stand for nothing but what "
                f"{recoding.labels.values[int(labels[at])]!r} stands for, and {room[at]} records of the original have "
                f"such values, so it is not a release of this table{dropped}"
            )


_AT_ONCE = 256
"""How many labels are compared with all at a time."""


def read_release(
    table: Microdata,
    published: pd.DataFrame,
    hierarchies: Mapping[str, Hierarchy],
    *,
    suppressed: object | None = None,
) -> Release:
    """Read the release of a table; see `Release.from_frames`."""
    original = FrequencySet.of_rows(table)
    original.require_rows_of_different_persons("a release that is read")
    _require_attributes(hierarchies, original)
    cells, rows = _aligned(table, published)
    names = [column.name for column in table.quasi_identifiers]
    withheld = ~rows
    if suppressed is not None and names:
        withheld |= np.logical_and.reduce([cells[name] == text_of(suppressed) for name in names])
    recodings, codes = {}, {}
    for column in table.quasi_identifiers:
        reader = Labels(column.name, column.domain, hierarchies.get(column.name))
        recodings[column.name], codes[column.name] = reader.read(column.codes, cells[column.name], ~withheld, table)
    shown = {}
    for column in table.sensitive:
        if column.name in cells:
            own = np.array([*map(text_of, column.domain.values), None], dtype=object)[column.codes]
            changed = (cells[column.name] != own) & rows
            _require_above(column, hierarchies.get(column.name), own, cells[column.name], changed, table)
            if changed.any():
                texts = np.full(len(table), None, dtype=object)
                texts[changed] = cells[column.name][changed]
                shown[column.name] = texts
    return Release(original, recodings, codes, withheld, shown)


def _aligned(
    table: Microdata, published: pd.DataFrame
) -> tuple[dict[str, npt.NDArray[np.object_]], npt.NDArray[np.bool_]]:
    """Return the texts of the published cells, row by row of the table, and which of its rows are published."""
    needed, others = [[column.name for column in each] for each in (table.quasi_identifiers, table.sensitive)]
    texts = _cells(published, needed, others)
    mine, index = table.index, published.index
    if mine is None:
        mine = pd.RangeIndex(len(table))
    for what, named in (("original", mine), ("published table", index)):
        if not named.is_unique:
            raise TableError(
                f"two rows of the {what} are both labelled {named[named.duplicated()][0]!r}; rows need labels"
            )
    if _is_numbered(index) and 0 < len(index) < len(mine):
        raise NotAligned(
            f"the published table has {len(index)} rows and the original {len(mine)}, and its rows are numbered from "
            f"the first, so which row is which is not known; keep the original's index in it; {ANOTHER_ORDER}"
        )
    at = mine.get_indexer(index)
    if (at < 0).any():
        raise NotAligned(
            f"row {index[at < 0][0]!r} of the published table is not a row of the original; {ANOTHER_ORDER}"
        )
    rows = np.zeros(len(mine), dtype=bool)
    rows[at] = True
    cells = {}
    for name, each in texts.items():
        cells[name] = np.full(len(mine), "", dtype=object)
        cells[name][at] = each
    return cells, rows


def _cells(
    published: pd.DataFrame, needed: Sequence[str], others: Sequence[str], *, every: bool = False
) -> dict[str, npt.NDArray[np.object_]]:
    """Return the texts of the published cells; of the sensitive attributes, those that are there, or all."""
    if not isinstance(published, pd.DataFrame):
        raise TableError(f"the published table is a {type(published).__name__}; give a pandas DataFrame")
    found = {}
    for name in (*needed, *others):
        columns = list(published.columns).count(name)
        if not columns and (every or name in needed):
            role = "a quasi-identifier" if name in needed else "a sensitive attribute"
            raise TableError(f"the published table has no column {name!r}, {role} of the original")
        if columns > 1:
            raise TableError(f"the published table has {columns} columns {name!r}; leave one of them")
        if columns:
            found[name] = np.empty(len(published), dtype=object)
            found[name][:] = [*map(text_of, published[name].tolist())]
    return found


def _require_above(
    column: Column,
    hierarchy: Hierarchy | None,
    own: npt.NDArray[np.object_],
    cells: npt.NDArray[np.object_],
    changed: npt.NDArray[np.bool_],
    table: Microdata,
) -> None:
    """Raise `TableError` unless each changed sensitive cell is hidden, or a label above its value."""
    above: dict[str, set[str]] = {}
    if hierarchy is not None:
        for value, row in zip(column.domain.values, hierarchy.rows(column.domain), strict=True):
            above[text_of(value)] = set(map(value_text, hierarchy.paths[row]))
    for row in np.flatnonzero(changed).tolist():
        if cells[row].strip("*") and cells[row] not in above.get(own[row], ()):
            raise NotAligned(
                f"row {row_name(table, row)!r} has {own[row]!r} as {column.name!r} in the original and {cells[row]!r} "
                "in the published table, so it is not the same record; a hidden value is an empty cell, or one with "
                "stars, and a generalized one needs the hierarchy of the attribute in hierarchies=; "
                f"{ANOTHER_ORDER}"
            )
