"""`Ancestors`: the nodes of a hierarchy numbered, to find the lowest common ancestors of many classes at once."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from tcloseness.exact import IntArray
from tcloseness.microdata import Domain, Hierarchy, TreeNode

__all__ = ["Ancestors", "slices"]


class Ancestors:
    """A hierarchy's tree with its leaves at places 0 … leaves − 1, from left to right, in the hierarchy's own order.

    Attributes
    ----------
    labels
        The label of each node.
    parent, height
        Shape (nodes,): the node above (the root's is itself), and the longest way down to a leaf.
    low, high
        Shape (nodes,): the leaves below a node have the places ``low <= place < high``.
    leaf_nodes
        Shape (leaves,): the node of the leaf at each place.
    """

    def __init__(self, hierarchy: Hierarchy) -> None:
        self.labels: list[Hashable] = []
        parent: list[int] = []
        height: list[int] = []
        low: list[int] = []
        high: list[int] = []
        leaf_nodes: list[int] = []
        place_of: dict[Hashable, int] = {}

        def visit(node: TreeNode, above: int) -> None:
            number = len(self.labels)
            self.labels.append(node.label)
            parent.append(max(above, 0))
            height.append(node.height)
            low.append(len(leaf_nodes))
            high.append(0)
            if not node.children:
                place_of[node.label] = len(leaf_nodes)
                leaf_nodes.append(number)
            for child in node.children:
                visit(child, number)
            high[number] = len(leaf_nodes)

        visit(hierarchy.tree(), -1)
        self.parent, self.height, self.low, self.high, self.leaf_nodes = (
            np.array(numbers, dtype=np.int64) for numbers in (parent, height, low, high, leaf_nodes)
        )
        self._hierarchy, self._place_of = hierarchy, place_of

    def below(self, nodes: IntArray) -> tuple[IntArray, IntArray]:
        """Return the leaves below some nodes, by their rows in the hierarchy, as `Recoding.starts` and `.places`."""
        place_of_row = [self._place_of[path[0]] for path in self._hierarchy.paths]
        return slices(np.argsort(place_of_row), self.low[nodes], self.high[nodes])

    @property
    def leaves(self) -> int:
        """The number of leaves."""
        return len(self.leaf_nodes)

    def places(self, domain: Domain) -> IntArray:
        """Return the place of each value's leaf, shape (len(domain),).

        Raises
        ------
        HierarchyError
            If the hierarchy does not cover a value.
        """
        paths = self._hierarchy.paths
        return np.array([self._place_of[paths[row][0]] for row in self._hierarchy.rows(domain)], dtype=np.int64)

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
