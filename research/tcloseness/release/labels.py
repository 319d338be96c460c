"""What the labels of a release that another tool made stand for, read from their texts.

A label is a node of the attribute's hierarchy, by its text; without a hierarchy it is a value, an interval of numbers
or dates (``20-29``, ``[20, 29]``, ``[20, 30)``, ``(-inf, 30)``; dates in brackets only), a set of values (``{a, b}``)
or ``*`` for all values. An interval stands for the values of the original that lie in it; and a number that is not
written so in the original for those that are equal to it, such as 21.0 for 21.
"""

from __future__ import annotations

import ast
import datetime
import math
import re
from bisect import bisect_left, bisect_right
from collections.abc import Callable, Hashable
from fractions import Fraction
from functools import cached_property, partial
from itertools import pairwise
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pandas as pd

from tcloseness.errors import HierarchyError, NotAligned, TableError
from tcloseness.exact import IntArray, as_fraction
from tcloseness.microdata import MISSING, Domain, Hierarchy, Microdata
from tcloseness.microdata.ancestors import Ancestors
from tcloseness.microdata.domain import natural_position, value_text
from tcloseness.microdata.values import plain_value
from tcloseness.release.recoding import Recoding
from tcloseness.release.rows import cell_text, natural_order

__all__ = ["ANOTHER_ORDER", "BRACKETS", "ENDLESS", "ITEM", "Labels", "row_name", "text_of"]

ANOTHER_ORDER = (
    "if the rows are in another order, as those of a file that write() made are, give both frames the index that names "
    "the records (frame.set_index), or give the published frame as its file, or with reset_index(drop=True), to "
    "Table.compare or Table.read_release, which then read labels and counts alone"
)

BRACKETS = re.compile(r"([\[(\]])(.*?)[,;](.*)([\])\[])")
ITEM = re.compile(r"""\s*('(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*"|[^,'"{}]+)\s*(?:,|$)""")

ENDLESS = {"-inf": -math.inf, "-∞": -math.inf, "inf": math.inf, "+inf": math.inf, "∞": math.inf, "+∞": math.inf}

Place: TypeAlias = Fraction | float  # an int too; a float is infinite


def text_of(value: object) -> str:
    """Return the text of a published cell."""
    return cell_text(plain_value(value))


def row_name(table: Microdata, row: int) -> object:
    """Return what a row of a table is called: by its index, or by its number."""
    return row if table.index is None else table.index[row]


def _pair(starts: IntArray, places: IntArray) -> tuple[IntArray, IntArray]:
    return starts, places


def _coded(cells: npt.NDArray[np.object_], kept: npt.NDArray[np.bool_]) -> tuple[list[str], IntArray]:
    """Return the labels of the kept rows in order, and the code of each row's label; −1 for the others."""
    texts = sorted(set(cells[kept].tolist()), key=natural_order)
    number = {text: code for code, text in enumerate(texts)}
    codes = np.array([number.get(text, -1) for text in cells.tolist()], dtype=np.int64)
    codes[~kept] = -1
    return texts, codes


class Labels:
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
                self.by_text.setdefault(text_of(value), []).append(code)
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
        texts, codes = _coded(cells, kept)
        sets, heights = [], []
        by_label = np.argsort(codes, kind="stable")
        ends = np.searchsorted(codes[by_label], np.arange(len(texts) + 1))
        for code, text in enumerate(texts):
            rows = by_label[ends[code] : ends[code + 1]]
            leaves, height = self._leaves(text, np.unique(self.leaf_of[values[rows]]))
            outside = rows[~np.isin(self.leaf_of[values[rows]], leaves)]
            if len(outside):
                value = self.domain.values[int(values[outside[0]])]
                raise NotAligned(
                    f"row {row_name(table, int(outside[0]))!r} has {value!r} as {self.name!r} in the original, and the "
                    f"published label {text!r} does not stand for it, so it is not the same record; {ANOTHER_ORDER}"
                )
            sets.append(np.sort(leaves))
            heights.append(height)
        elsewhere = np.full(len(self.domain), -1, dtype=np.int64)
        for code, leaves in enumerate(sets):
            elsewhere[np.isin(self.leaf_of, leaves)] = code
        elsewhere[values[kept]] = codes[kept]
        codes[~kept] = elsewhere[values[~kept]]
        spare = bool((codes < 0).any()) or not texts  # a value of suppressed records only: they stand for anything
        codes[codes < 0] = len(texts)
        return self._recoding(texts, sets, heights, spare=spare), codes

    @cached_property
    def spellings(self) -> tuple[str, str] | None:
        """Two values that are one number, such as ``21`` and ``21.0``; None where each number is written in one way."""
        if self.hierarchy is not None:
            return None
        for at, (low, high) in enumerate(pairwise(self.ascending)):
            if low == high:
                one, other = (self.domain.values[int(code)] for code in self.codes[at : at + 2])
                return text_of(one), text_of(other)
        return None

    def read_alone(
        self, cells: npt.NDArray[np.object_], kept: npt.NDArray[np.bool_], *, spare: bool, equal: bool = False
    ) -> tuple[Recoding, IntArray]:
        """Return the recoding and the code of each row's label, where it is not known whose record a row is.

        With `spare` there is one more label, the last, which withheld rows have; with `equal` a number stands for all
        values that are equal to it, however they are written.
        """
        texts, codes = _coded(cells, kept)
        read = [self._leaves(text, None, equal=equal) for text in texts]
        spare = spare or not texts
        codes[~kept] = len(texts)
        return self._recoding(texts, [np.sort(leaves) for leaves, _ in read], [high for _, high in read], spare), codes

    def values_of(self, cells: npt.NDArray[np.object_]) -> IntArray:
        """Return the code of the value that each cell shows as it is."""
        found = {}
        for text in dict.fromkeys(cells.tolist()):
            codes = self._written(text)
            if len(codes) != 1:
                what = "is not a value of the original" if not len(codes) else f"is {len(codes)} values of it"
                raise TableError(
                    f"the published table shows {text!r} as {self.name!r}, which {what}; where sensitive values are "
                    "hidden or generalized, give both frames the index that names the records (frame.set_index)"
                )
            found[text] = int(codes[0])
        return np.array([found[text] for text in cells.tolist()], dtype=np.int64)

    def _recoding(self, texts: list[str], sets: list[IntArray], heights: list[int], spare: bool) -> Recoding:
        size = len(self.domain) if self.hierarchy is None else len(self.hierarchy)
        alike = len(set(heights)) == 1 and (self.hierarchy is None or self.hierarchy.uniform)
        level = heights[0] if alike and (self.hierarchy is not None or not heights[0]) else None
        top = (0 if level == 0 else 1) if self.tree is None else int(self.tree.height[0])
        if spare:
            marker = "*"
            while marker in texts:
                marker += "*"
            texts, sets, heights = [*texts, marker], [*sets, np.arange(size)], [*heights, top]
        labels: list[Hashable] = [*texts]
        numeric = self.hierarchy is None and None not in self.places and not any(text[:1] == "{" for text in texts)
        kind = "hierarchical" if self.hierarchy is not None else "numeric" if numeric else "categorical"
        below = np.cumsum([0, *map(len, sets)]), np.concatenate(sets)
        return Recoding(
            self.name,
            kind,
            self.domain,
            Domain(tuple(labels)),
            partial(_pair, *below),
            np.array(heights, dtype=np.int64),
            top,
            self.hierarchy,
            level,
            numeric,
        )

    def _leaves(self, text: str, held: IntArray | None, *, equal: bool = False) -> tuple[IntArray, int]:
        """Return the leaves that a label stands for, the lowest reading that holds the given ones, and its height.

        Where none are given (None), all readings must stand for the same leaves, but for those of a number that is
        written in several ways: then `equal` says which is taken.
        """
        if self.tree is not None:
            nodes = self.nodes.get(text)
            if nodes is None:
                raise HierarchyError(
                    f"the published table shows {text!r} as {self.name!r}, which is not a node of its hierarchy; "
                    "give the hierarchy by which it was made, hierarchies={} where labels are intervals or sets, or "
                    "the marker in suppressed="
                )
            by_height: dict[int, list[int]] = {}
            for node in nodes:
                by_height.setdefault(int(self.tree.height[node]), []).append(node)
            read = [(np.unique(self.tree.below(np.array(by_height[high]))[1]), high) for high in sorted(by_height)]
            if held is not None:
                return next((each for each in read if np.isin(held, each[0]).all()), read[-1])
            if any(not np.array_equal(leaves, read[0][0]) for leaves, _ in read):
                raise NotAligned(
                    f"the published table shows {text!r} as {self.name!r}, which is the label of several nodes of its "
                    "hierarchy, so what it stands for depends on whose record a row is; give both frames the index "
                    "that names the records (frame.set_index), or give each node a label of its own"
                )
            return read[0]
        ways = (self._equal,) if equal else (self._written, self._equal)
        read = [self._read_as(text, values_of) for values_of in ways]
        if not len(read[0][0]):
            raise TableError(
                f"the published table shows {text!r} as {self.name!r}, which is neither a value, an interval "
                "nor a set of its values; give its hierarchy, or the marker in suppressed="
            )
        return next((each for each in read if held is None or np.isin(held, each[0]).all()), read[-1])

    def _read_as(self, text: str, values_of: Callable[[str], IntArray]) -> tuple[IntArray, int]:
        """Return the values that a label without a hierarchy stands for, possibly none, and its height."""
        own = values_of(text)
        if len(own):
            return own, 0
        if text == "*":
            return np.arange(len(self.domain)), 1
        codes = self._interval(text)
        return codes if len(codes) else self._set(text, values_of), 1

    def _written(self, text: str) -> IntArray:
        """Return the values with a text; where there are none, those that are equal to it as numbers."""
        return np.array(self.by_text[text], dtype=np.int64) if text in self.by_text else self._equal(text)

    def _equal(self, text: str) -> IntArray:
        """Return the values that are equal to a text as numbers, or as texts where it is not one."""
        place = self._place(text)
        if place is None:
            return np.array(self.by_text.get(text, []), dtype=np.int64)
        return self._between("[", place, place, "]")

    def _between(self, left: str, low: Place, high: Place, right: str) -> IntArray:
        first = (bisect_left if left == "[" else bisect_right)(self.ascending, low)
        return self.codes[first : (bisect_right if right == "]" else bisect_left)(self.ascending, high)]

    def _interval(self, text: str) -> IntArray:
        bracketed = BRACKETS.fullmatch(text.strip())
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
        if text in ENDLESS:
            return ENDLESS[text]
        try:
            if self.dates and text[:1].isdigit():
                stamp = pd.Timestamp(text, tz=getattr(self.domain.values[0], "tzinfo", None))
                return natural_position(stamp if isinstance(self.domain.values[0], pd.Timestamp) else stamp.date())
            return as_fraction(text)
        except ValueError:  # also an InputError
            return None

    def _set(self, text: str, values_of: Callable[[str], IntArray]) -> IntArray:
        if not (text.startswith("{") and text.endswith("}")):
            return self.codes[:0]
        inner, found, at = text[1:-1], [self.codes[:0]], 0
        while at < len(inner):
            item = ITEM.match(inner, at)
            try:
                word = item.group(1).strip() if item else ""
                codes = values_of(str(ast.literal_eval(word)) if word[:1] in ("'", '"') else word)
            except (SyntaxError, ValueError):
                codes = self.codes[:0]
            if item is None or not len(codes):
                return codes
            found.append(codes)
            at = item.end()
        return np.unique(np.concatenate(found))
