"""A release that another tool made: what each of its labels stands for, read from the published frame and the original.

A label is a node of the attribute's hierarchy, by its text; without a hierarchy it is a value, an interval of numbers
or dates (``20-29``, ``[20, 29]``, ``[20, 30)``, ``(-inf, 30)``; dates in brackets only), a set of values (``{a, b}``)
or ``*`` for all values. An interval stands for the values of the original that lie in it, and numbers that are equal,
such as 21 and 21.0, for each other.
"""

from __future__ import annotations

import ast
import datetime
import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Hashable, Mapping
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from tcloseness.errors import HierarchyError, TableError
from tcloseness.exact import IntArray, as_fraction
from tcloseness.microdata import MISSING, Column, Domain, FrequencySet, Hierarchy, Microdata
from tcloseness.microdata.ancestors import Ancestors
from tcloseness.microdata.domain import natural_position, value_text
from tcloseness.microdata.values import plain_value
from tcloseness.release.recoding import Recoding
from tcloseness.release.release import Release
from tcloseness.release.rows import cell_text, natural_order

__all__ = ["read_release"]

_BRACKETS = re.compile(r"([\[(\]])(.*?)[,;](.*)([\])\[])")
_ITEM = re.compile(r"""\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,'"{}]+)\s*(?:,|$)""")

_ENDLESS = {"-inf": -math.inf, "-∞": -math.inf, "inf": math.inf, "+inf": math.inf, "∞": math.inf, "+∞": math.inf}

Place: TypeAlias = Fraction | float  # an int too; a float is infinite


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
    cells, rows = _aligned(table, published)
    names = [column.name for column in table.quasi_identifiers]
    withheld = ~rows
    if suppressed is not None and names:
        withheld |= np.logical_and.reduce([cells[name] == _text(suppressed) for name in names])
    recodings, codes = {}, {}
    for column in table.quasi_identifiers:
        reader = _Labels(column.name, column.domain, hierarchies.get(column.name))
        recodings[column.name], codes[column.name] = reader.read(column.codes, cells[column.name], ~withheld, table)
    shown = {}
    for column in table.sensitive:
        if column.name in cells:
            own = np.array([*map(_text, column.domain.values), None], dtype=object)[column.codes]
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
    if not isinstance(published, pd.DataFrame):
        raise TableError(f"the published table is a {type(published).__name__}; give a pandas DataFrame")
    needed, others = [[column.name for column in each] for each in (table.quasi_identifiers, table.sensitive)]
    for name in (*needed, *others):
        columns = list(published.columns).count(name)
        if not columns and name in needed:
            raise TableError(f"the published table has no column {name!r}, a quasi-identifier of the original")
        if columns > 1:
            raise TableError(f"the published table has {columns} columns {name!r}; leave one of them")
    mine, index = table.index, published.index
    if mine is None:
        mine = pd.RangeIndex(len(table))
    for what, each in (("original", mine), ("published table", index)):
        if not each.is_unique:
            raise TableError(
                f"two rows of the {what} are both labelled {each[each.duplicated()][0]!r}; rows need labels"
            )
    anew = isinstance(index, pd.RangeIndex) and index.equals(pd.RangeIndex(len(index)))
    if anew and 0 < len(index) < len(mine):
        raise TableError(
            f"the published table has {len(index)} rows and the original {len(mine)}, and its rows are numbered from "
            "the first, so which row is which is not known; keep the original's index in the published frame"
        )
    at = mine.get_indexer(index)
    if (at < 0).any():
        raise TableError(f"row {index[at < 0][0]!r} of the published table is not a row of the original")
    rows = np.zeros(len(mine), dtype=bool)
    rows[at] = True
    cells = {}
    for name in (*needed, *others):
        if name in published.columns:
            cells[name] = np.full(len(mine), "", dtype=object)
            cells[name][at] = [*map(_text, published[name].tolist())]
    return cells, rows


def _text(value: object) -> str:
    return cell_text(plain_value(value))


def _row(table: Microdata, row: int) -> object:
    return row if table.index is None else table.index[row]


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
            above[_text(value)] = set(map(value_text, hierarchy.paths[row]))
    for row in np.flatnonzero(changed).tolist():
        if cells[row].strip("*") and cells[row] not in above.get(own[row], ()):
            raise TableError(
                f"row {_row(table, row)!r} has {own[row]!r} as {column.name!r} in the original and {cells[row]!r} in "
                "the published table, so it is not the same record; a hidden value is an empty cell, or one with "
                "stars, and a generalized one needs the hierarchy of the attribute in hierarchies="
            )


class _Labels:
    """Reads the labels of one quasi-identifier."""

    def __init__(self, name: str, domain: Domain, hierarchy: Hierarchy | None) -> None:
        self.name, self.domain, self.hierarchy = name, domain, hierarchy
        self.tree = None if hierarchy is None else Ancestors(hierarchy)
        self.dates = all(isinstance(value, datetime.date) for value in domain.values)
        self.places = [natural_position(value) for value in domain.values]
        if hierarchy is None:
            self.leaf_of = np.arange(len(domain))
            self.by_text: dict[str, list[int]] = {}
            for code, value in enumerate(domain.values):
                self.by_text.setdefault(_text(value), []).append(code)
            if MISSING in domain:
                self.by_text.setdefault(value_text(MISSING), [domain.code(MISSING)])
            placed = sorted((place, code) for code, place in enumerate(self.places) if place is not None)
            self.ascending = [place for place, _ in placed]
            self.codes = np.array([code for _, code in placed], dtype=np.int64)
        else:
            self.leaf_of = np.array(hierarchy.rows(domain), dtype=np.int64)
            self.nodes: dict[str, list[int]] = {}
            for node, label in enumerate(self.tree.labels if self.tree else []):
                self.nodes.setdefault(value_text(label), []).append(node)

    def read(
        self, values: IntArray, cells: npt.NDArray[np.object_], kept: npt.NDArray[np.bool_], table: Microdata
    ) -> tuple[Recoding, IntArray]:
        """Return the recoding and the code of each row's label; withheld rows have one that stands for their value."""
        texts = sorted(set(cells[kept].tolist()), key=natural_order)
        number = {text: code for code, text in enumerate(texts)}
        codes = np.array([number.get(text, -1) for text in cells.tolist()], dtype=np.int64)
        codes[~kept] = -1
        sets, heights = [], []
        by_label = np.argsort(codes, kind="stable")
        ends = np.searchsorted(codes[by_label], np.arange(len(texts) + 1))
        for code, text in enumerate(texts):
            rows = by_label[ends[code] : ends[code + 1]]
            leaves, height = self._leaves(text, np.unique(self.leaf_of[values[rows]]))
            outside = rows[~np.isin(self.leaf_of[values[rows]], leaves)]
            if len(outside):
                value = self.domain.values[int(values[outside[0]])]
                raise TableError(
                    f"row {_row(table, int(outside[0]))!r} has {value!r} as {self.name!r} in the original, and the "
                    f"published label {text!r} does not stand for it, so it is not the same record"
                )
            sets.append(np.sort(leaves))
            heights.append(height)
        elsewhere = np.full(len(self.domain), -1, dtype=np.int64)
        for code, leaves in enumerate(sets):
            elsewhere[np.isin(self.leaf_of, leaves)] = code
        elsewhere[values[kept]] = codes[kept]
        codes[~kept] = elsewhere[values[~kept]]
        size = len(self.domain) if self.hierarchy is None else len(self.hierarchy)
        alike = len(set(heights)) == 1 and (self.hierarchy is None or self.hierarchy.uniform)
        level = heights[0] if alike and (self.hierarchy is not None or not heights[0]) else None
        top = (0 if level == 0 else 1) if self.tree is None else int(self.tree.height[0])
        if (codes < 0).any() or not texts:  # a value of suppressed records only: they stand for anything
            marker = "*"
            while marker in number:
                marker += "*"
            codes[codes < 0] = len(texts)
            texts.append(marker)
            sets.append(np.arange(size))
            heights.append(top)
        labels: list[Hashable] = [*texts]
        numeric = self.hierarchy is None and None not in self.places and not any(text[:1] == "{" for text in texts)
        kind = "hierarchical" if self.hierarchy is not None else "numeric" if numeric else "categorical"
        below = np.cumsum([0, *map(len, sets)]), np.concatenate(sets)
        recoding = Recoding(
            self.name,
            kind,
            self.domain,
            Domain(tuple(labels)),
            lambda: below,
            np.array(heights, dtype=np.int64),
            top,
            self.hierarchy,
            level,
            numeric,
        )
        return recoding, codes

    def _leaves(self, text: str, held: IntArray) -> tuple[IntArray, int]:
        """Return the leaves that a label stands for, the lowest reading that holds the given ones, and its height."""
        if self.tree is not None:
            nodes = self.nodes.get(text)
            if nodes is None:
                raise HierarchyError(
                    f"the published table shows {text!r} as {self.name!r}, which is not a node of its hierarchy; "
                    "give the hierarchy by which it was made, or the marker in suppressed="
                )
            by_height: dict[int, list[int]] = {}
            for node in nodes:
                by_height.setdefault(int(self.tree.height[node]), []).append(node)
            found, height = np.zeros(0, dtype=np.int64), 0
            for height in sorted(by_height):
                found = np.unique(self.tree.below(np.array(by_height[height]))[1])
                if np.isin(held, found).all():
                    break
            return found, height
        own = self._value(text)
        if len(own):
            return own, 0
        if text == "*":
            return np.arange(len(self.domain)), 1
        codes = self._interval(text)
        codes = codes if len(codes) else self._set(text)
        if not len(codes):
            raise TableError(
                f"the published table shows {text!r} as {self.name!r}, which is neither a value, an interval "
                "nor a set of its values; give its hierarchy, or the marker in suppressed="
            )
        return codes, 1

    def _value(self, text: str) -> IntArray:
        """Return the values with a text, or that are equal as numbers to it."""
        codes = self.by_text.get(text, [])
        place = self._place(text)
        return np.array(codes, dtype=np.int64) if place is None else self._between("[", place, place, "]")

    def _between(self, left: str, low: Place, high: Place, right: str) -> IntArray:
        first = (bisect_left if left == "[" else bisect_right)(self.ascending, low)
        return self.codes[first : (bisect_right if right == "]" else bisect_left)(self.ascending, high)]

    def _interval(self, text: str) -> IntArray:
        bracketed = _BRACKETS.fullmatch(text.strip())
        if bracketed:
            ways = [bracketed.groups()]
        else:
            ways = [("[", text[:at], text[at + 1 :], "]") for at, sign in enumerate(text) if sign in "-–" and at]
        for left, low, high, right in ways:
            a, b = self._place(low.strip()), self._place(high.strip())
            if a is not None and b is not None and (bracketed or not self.dates):
                return self._between(left, a, b, right)
        return self.codes[:0]

    def _place(self, text: str) -> Place | None:
        if text in self.by_text:
            return self.places[self.by_text[text][0]]
        if text in _ENDLESS:
            return _ENDLESS[text]
        try:
            if self.dates and text[:1].isdigit():
                stamp = pd.Timestamp(text, tz=getattr(self.domain.values[0], "tzinfo", None))
                return natural_position(stamp if isinstance(self.domain.values[0], pd.Timestamp) else stamp.date())
            return as_fraction(text)
        except ValueError:  # also an InputError
            return None

    def _set(self, text: str) -> IntArray:
        if not (text.startswith("{") and text.endswith("}")):
            return self.codes[:0]
        inner, found, at = text[1:-1], [self.codes[:0]], 0
        while at < len(inner):
            item = _ITEM.match(inner, at)
            try:
                word = item.group(1).strip() if item else ""
                codes = self._value(str(ast.literal_eval(word)) if word[:1] in ("'", '"') else word)
            except (SyntaxError, ValueError):
                codes = self.codes[:0]
            if item is None or not len(codes):
                return codes
            found.append(codes)
            at = item.end()
        return np.unique(np.concatenate(found))
