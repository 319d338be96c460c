"""`Ancestors`: the nodes of a hierarchy numbered, to find the lowest common ancestors of many classes at once."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import cached_property
from itertools import count, takewhile

import numpy as np

from tcloseness.displayed import Compared
from tcloseness.errors import HierarchyError
from tcloseness.exact import IntArray
from tcloseness.microdata.domain import Domain, value_text
from tcloseness.microdata.hierarchy import Hierarchy

__all__ = ["Ancestors", "slices"]


class Ancestors(Compared):
    """A hierarchy's tree with its leaves at places 0 … leaves − 1, from left to right, in the hierarchy's own order.

    Attributes
    ----------
    parent, height
        Shape (nodes,): the node above (the root's is itself), and the longest way down to a leaf.
    low, high
        Shape (nodes,): the leaves below a node have the places ``low <= place < high``.
    leaf_nodes
        Shape (leaves,): the node of the leaf at each place.
    place_of_row
        Shape (leaves,): the place of the leaf of each row of the hierarchy.
    """

    def __init__(self, hierarchy: Hierarchy) -> None:
        self._hierarchy = hierarchy
        codes, self._labels = _numbered(hierarchy)
        # as the leaves lie: each below the first of its ancestors that differs; equal ones stay as they are
        several = list(takewhile(lambda of_rows: of_rows[-1] < len(of_rows) - 1, codes))  # nodes of several rows
        rows = np.lexsort(several[::-1]) if several else np.arange(len(codes[0]))
        self.place_of_row = np.empty_like(rows)
        self.place_of_row[rows] = np.arange(len(rows))
        codes = [of_rows[rows] for of_rows in codes]
        deepest = np.append(np.sum([of_rows >= 0 for of_rows in codes], axis=0) - 1, [0])
        depth, low, high, code = (np.concatenate(parts) for parts in zip(*map(_runs, count(), codes), strict=True))
        order = np.argsort(low, kind="stable")  # of one place, the node that is less deep comes first
        depth, self.low, self.high = depth[order], low[order], high[order]
        self._depth, self._code = depth, code[order]
        ends = np.column_stack((self.low, self.high)).reshape(-1)
        self.height: IntArray = np.maximum.reduceat(deepest, ends)[::2] - depth
        self.leaf_nodes = np.flatnonzero(self.height == 0)
        self.parent = np.zeros(len(depth), dtype=np.int64)
        above = np.zeros(1, dtype=np.int64)
        for at in range(len(codes)):
            nodes = np.flatnonzero(depth == at)
            self.parent[nodes] = above[np.searchsorted(self.low[above], self.low[nodes], side="right") - 1]
            above = nodes

    @cached_property
    def labels(self) -> list[Hashable]:
        """The label of each node."""
        return [self._labels[at][number] for at, number in zip(self._depth.tolist(), self._code.tolist(), strict=True)]

    def below(self, nodes: IntArray) -> tuple[IntArray, IntArray]:
        """Return the leaves below some nodes, by their rows in the hierarchy, as `Recoding.starts` and `.places`."""
        return slices(np.argsort(self.place_of_row), self.low[nodes], self.high[nodes])

    def without_trivial_levels(self) -> IntArray:
        """Return the height of each node, shape (nodes,), where a level on which nothing merges does not count."""
        parent = self.parent.tolist()
        several = (np.bincount(self.parent[1:], minlength=len(parent)) > 1).tolist()
        height = [0] * len(parent)
        for node in range(len(parent) - 1, 0, -1):  # a node comes after the one above it
            above = parent[node]
            height[above] = max(height[above], height[node] + several[above])
        return np.array(height, dtype=np.int64)

    @property
    def leaves(self) -> int:
        """The number of leaves."""
        return len(self.leaf_nodes)

    def require_labels_apart(self, name: str, nodes: Sequence[int] | None = None) -> None:
        """Raise `HierarchyError` if two nodes have one label and not the same leaves below them.

        On one level no two have; where nodes of several levels are shown, nobody could tell which one is meant.

        Parameters
        ----------
        name
            The attribute, for the message.
        nodes
            Those that are shown; by default all, any of which may be.
        """
        known: dict[str, int] = {}
        for node in range(len(self.labels)) if nodes is None else nodes:
            other = known.setdefault(value_text(self.labels[node]), node)
            if (self.low[other], self.high[other]) != (self.low[node], self.high[node]):
                raise HierarchyError(
                    f"the hierarchy of {name!r} calls two of its nodes {self.labels[node]!r}, one over "
                    f"{self._leaves_text(other)}, and one over {self._leaves_text(node)}; where labels of several "
                    "levels are shown, nobody could tell which is meant, so rename one of them"
                )

    def _leaves_text(self, node: int) -> str:
        low, high = int(self.low[node]), int(self.high[node])
        shown = [repr(self.labels[int(leaf)]) for leaf in self.leaf_nodes[low : min(high, low + 3)]]
        return ", ".join([*shown, *(["…"] if high > low + 3 else [])])

    def places(self, domain: Domain) -> IntArray:
        """Return the place of each value's leaf, shape (len(domain),).

        Raises
        ------
        HierarchyError
            If the hierarchy does not cover a value.
        """
        return self.place_of_row[self._hierarchy.rows(domain)]

    def covering(self, first: IntArray, last: IntArray) -> IntArray:
        """Return the lowest node over each pair of places, shape (pairs,): the leaf itself where they are equal."""
        nodes = self.leaf_nodes[first]
        outside = self.high[nodes] <= last
        while outside.any():
            nodes = np.where(outside, self.parent[nodes], nodes)
            outside = self.high[nodes] <= last
        return nodes


def slices(row: IntArray, low: IntArray, high: IntArray) -> tuple[IntArray, IntArray]:
    """Return the parts ``row[low[i]:high[i]]`` one after another, and where each starts, the end last."""
    starts = np.append(0, np.cumsum(high - low))
    return starts, row[np.arange(starts[-1]) + np.repeat(low - starts[:-1], high - low)]


def _numbered(hierarchy: Hierarchy) -> tuple[list[IntArray], list[Sequence[Hashable]]]:
    """Return for each depth the number of each row's node there, −1 for none, and the labels by their numbers.

    The nodes of a depth are numbered as they first occur.
    """
    paths, deepest = hierarchy.paths, hierarchy.height + 1
    if hierarchy.uniform:
        columns: Sequence[Sequence[Hashable]] = hierarchy.columns[::-1]
    else:
        columns = [[path[-1 - depth] if len(path) > depth else _NONE for path in paths] for depth in range(deepest)]
    codes: list[IntArray] = []
    labels: list[Sequence[Hashable]] = []
    for column in columns:
        if column is hierarchy.values:  # each once
            labels.append(column)
            codes.append(np.arange(len(column)))
            continue
        names = dict.fromkeys(column)
        names.pop(_NONE, None)
        labels.append(list(names))
        if len(names) == len(column):
            codes.append(np.arange(len(column)))
            continue
        number: dict[object, int] = {**{label: place for place, label in enumerate(names)}, _NONE: -1}
        codes.append(np.fromiter(map(number.__getitem__, column), np.int64, len(column)))
    return codes, labels


_NONE = object()


def _runs(depth: int, codes: IntArray) -> tuple[IntArray, IntArray, IntArray, IntArray]:
    """Return the nodes of a depth, from left to right: its depth, where each begins and ends, and its number."""
    low = np.flatnonzero(np.diff(codes, prepend=-2))
    high = np.append(low[1:], [len(codes)])
    held = codes[low] >= 0
    low, high = low[held], high[held]
    return np.full(len(low), depth), low, high, codes[low]
