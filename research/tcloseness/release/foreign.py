"""A release that another tool made: what each of its labels stands for, read from the published frame and the original.

A label is a node of the attribute's hierarchy, by its text; without a hierarchy it is a value, an interval of numbers
(``20-29``, ``[20, 29]``, ``[20, 30)``), a set of values (``{a, b}``) or ``*`` for all values. An interval stands for
the values of the original that lie in it.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Hashable, Iterable, Mapping
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pandas as pd

from tcloseness.errors import HierarchyError, InputError, TableError
from tcloseness.exact import IntArray, as_fraction
from tcloseness.microdata import Domain, FrequencySet, Hierarchy, Microdata
from tcloseness.microdata.domain import is_missing, natural_position, value_text
from tcloseness.release.ancestors import Ancestors
from tcloseness.release.recoding import Recoding
from tcloseness.release.release import Release
from tcloseness.release.rows import natural_order

__all__ = ["read_release"]

_BRACKETS = re.compile(r"([\[(\]])(.*?)[,;](.*)([\])\[])")
_ITEM = re.compile(r"""\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,'"{}]+)\s*(?:,|$)""")


def read_release(
    table: Microdata,
    published: pd.DataFrame,
    hierarchies: Mapping[str, Hierarchy],
    *,
    suppressed: str | None = None,
) -> Release:
    """Read the release of a table; see `Release.from_frames`."""
    cells, rows = _aligned(table, published)
    names = [column.name for column in table.quasi_identifiers]
    withheld = ~rows
    if suppressed is not None and names:
        withheld |= np.logical_and.reduce([cells[name] == suppressed for name in names])
    original = FrequencySet.of_rows(table)
    recodings, codes = {}, {}
    for column in table.quasi_identifiers:
        reader = _Labels(column.name, column.domain, hierarchies.get(column.name))
        recodings[column.name], codes[column.name] = reader.read(column.codes, cells[column.name], ~withheld, table)
    shown = {}
    for column in table.sensitive:
        if column.name in cells:
            own = np.array([*map(_text, column.domain.values), None], dtype=object)[column.codes]
            changed = (cells[column.name] != own) & rows
            _require_above(column.name, column.domain, hierarchies.get(column.name), own, cells, changed, table)
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
    for column in table.quasi_identifiers:
        if column.name not in published.columns:
            raise TableError(f"the published table has no column {column.name!r}, a quasi-identifier of the original")
    mine, index = table.index, published.index
    if mine is None:
        mine = pd.RangeIndex(len(table))
    for what, each in (("original", mine), ("published table", index)):
        if not each.is_unique:
            raise TableError(
                f"two rows of the {what} are both labelled {each[each.duplicated()][0]!r}; rows need labels"
            )
    if len(index) < len(mine) and isinstance(index, pd.RangeIndex) and isinstance(mine, pd.RangeIndex):
        raise TableError(
            f"the published table has {len(index)} rows and the original {len(mine)}, both numbered from the first, so "
            "which row is which is not known; keep the original's index in the published frame"
        )
    at = mine.get_indexer(index)
    if (at < 0).any():
        raise TableError(f"row {index[at < 0][0]!r} of the published table is not a row of the original")
    rows = np.zeros(len(mine), dtype=bool)
    rows[at] = True
    cells = {}
    for column in (*table.quasi_identifiers, *table.sensitive):
        if column.name in published.columns:
            cells[column.name] = np.full(len(mine), "", dtype=object)
            cells[column.name][at] = [*map(_text, published[column.name].tolist())]
    return cells, rows


def _text(value: object) -> str:
    return "" if is_missing(value) else value_text(value)


def _row(table: Microdata, row: int) -> object:
    return row if table.index is None else table.index[row]


def _require_above(
    name: str,
    domain: Domain,
    hierarchy: Hierarchy | None,
    own: npt.NDArray[np.object_],
    cells: Mapping[str, npt.NDArray[np.object_]],
    changed: npt.NDArray[np.bool_],
    table: Microdata,
) -> None:
    """Raise `TableError` unless each changed sensitive cell is hidden, or a label above its value."""
    above: dict[str, set[str]] = {}
    if hierarchy is not None:
        rows = hierarchy.rows(domain)
        above = {_text(v): set(map(value_text, hierarchy.paths[r])) for v, r in zip(domain.values, rows, strict=True)}
    for row in np.flatnonzero(changed).tolist():
        cell, value = cells[name][row], own[row]
        if cell.strip("*") and cell not in above.get(value, ()):
            raise TableError(
                f"row {_row(table, row)!r} has {value!r} as {name!r} in the original and {cell!r} in the published "
                "table, so it is not the same record; a hidden value is an empty cell, or one with stars, and a "
                "generalized one needs the hierarchy of the attribute in hierarchies="
            )


class _Labels:
    """Reads the labels of one quasi-identifier."""

    def __init__(self, name: str, domain: Domain, hierarchy: Hierarchy | None) -> None:
        self.name, self.domain, self.hierarchy = name, domain, hierarchy
        self.tree = None if hierarchy is None else Ancestors(hierarchy)
        if hierarchy is None:
            self.leaf_of = np.arange(len(domain))
            self.places: list[Fraction | int | None] = [natural_position(value) for value in domain.values]
            self.by_text: dict[str, list[int]] = {}
            for code, value in enumerate(domain.values):
                self.by_text.setdefault(_text(value), []).append(code)
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
        top = 1 if self.tree is None else int(self.tree.height[0])
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
            numeric=numeric,
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
        if text in self.by_text:
            codes = self.by_text[text]
            place = self.places[codes[0]]
            if place is not None:  # numbers that are equal are shown alike
                codes = [code for code, each in enumerate(self.places) if each == place]
            return np.array(codes, dtype=np.int64), 0
        if text == "*":
            return np.arange(len(self.domain)), 1
        codes = self._interval(text) or self._set(text)
        if not codes:
            raise TableError(
                f"the published table shows {text!r} as {self.name!r}, which is neither a value, an interval "
                "nor a set of its values; give its hierarchy, or the marker in suppressed="
            )
        return np.array(codes, dtype=np.int64), 1

    def _interval(self, text: str) -> list[int]:
        bracketed = _BRACKETS.fullmatch(text.strip())
        ways: Iterable[tuple[str, str, str, str]]
        if bracketed:
            left, low, high, right = bracketed.groups()
            ways = [(left, low, high, right)]
        else:
            ways = [("[", text[:at], text[at + 1 :], "]") for at, sign in enumerate(text) if sign in "-–" and at]
        for left, low, high, right in ways:
            a, b = self._place(low.strip()), self._place(high.strip())
            if a is not None and b is not None:
                inside = [(code, place) for code, place in enumerate(self.places) if place is not None]
                return [
                    code
                    for code, place in inside
                    if (a < place or (left == "[" and place == a)) and (place < b or (right == "]" and place == b))
                ]
        return []

    def _place(self, text: str) -> Fraction | int | None:
        if text in self.by_text:
            return self.places[self.by_text[text][0]]
        try:
            return as_fraction(text)
        except InputError:
            return None

    def _set(self, text: str) -> list[int]:
        if not (text.startswith("{") and text.endswith("}")):
            return []
        inner, found, at = text[1:-1], list[int](), 0
        while at < len(inner):
            item = _ITEM.match(inner, at)
            if item is None:
                return []
            word = item.group(1)
            word = str(ast.literal_eval(word)) if word[0] in "'\"" else word.strip()
            if word not in self.by_text:
                return []
            found += self.by_text[word]
            at = item.end()
        return sorted(found)
