"""`AtCut`: a quasi-identifier that a whole table shows at the nodes of one cut through its hierarchy.

A cut is a set of nodes such that every leaf lies below exactly one, or is one. A level is a cut of nodes of one height.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np

from tcloseness.errors import HierarchyError
from tcloseness.exact import IntArray
from tcloseness.microdata import Domain, Hierarchy
from tcloseness.release.ancestors import Ancestors
from tcloseness.release.attributes import OneAttribute

__all__ = ["AtCut"]


class AtCut(OneAttribute):
    """An attribute at one cut: each value is shown as the node of the cut above it, whatever class it is in.

    Parameters
    ----------
    name, domain
        The attribute.
    hierarchy
        It covers the domain.
    cut
        The nodes, by their numbers in `Ancestors`.

    Raises
    ------
    HierarchyError
        If the nodes are no cut, or the hierarchy misses a value.
    """

    kind = "cut through its hierarchy"

    def __init__(self, name: str, domain: Domain, hierarchy: Hierarchy, cut: Iterable[int]) -> None:
        self.name, self.domain, self.hierarchy = name, domain, hierarchy
        tree = self.ancestors = Ancestors(hierarchy)
        node_at = np.full(tree.leaves, -1, dtype=np.int64)
        for node in cut:
            below = node_at[tree.low[node] : tree.high[node]]
            if (below >= 0).any():
                raise HierarchyError(f"the cut through {name!r} has two nodes above one value; give disjoint nodes")
            below[:] = node
        if (node_at < 0).any():
            leaf = tree.labels[int(tree.leaf_nodes[int(np.argmin(node_at))])]
            raise HierarchyError(f"the cut through {name!r} has no node above {leaf!r}; it must cover every value")
        self.node_of = node_at[tree.places(domain)]
        self.top = int(tree.height[0])
        self.ncp_denominator, self.lm_denominator = tree.leaves, max(tree.leaves - 1, 1)

    def labels(self, codes: IntArray, starts: IntArray) -> list[Hashable]:
        """Return the label of each class's node; of a leaf, the table's own value."""
        firsts = codes[starts]
        nodes = self.node_of[firsts]
        found = zip(nodes.tolist(), self.ancestors.height[nodes].tolist(), firsts.tolist(), strict=True)
        return [self.ancestors.labels[node] if height else self.domain.values[code] for node, height, code in found]

    def ncps(self, codes: IntArray, starts: IntArray) -> IntArray:
        """Return the leaves below each class's node, 0 for one."""
        leaves = self._leaves(codes, starts)
        return np.where(leaves > 1, leaves, 0)

    def lms(self, codes: IntArray, starts: IntArray) -> IntArray:
        """Return the leaves below each class's node, minus 1."""
        return self._leaves(codes, starts) - 1

    def heights(self, codes: IntArray, starts: IntArray) -> IntArray:
        """Return the height of each class's node."""
        return np.asarray(self.ancestors.height[self.node_of[codes[starts]]])

    def _leaves(self, codes: IntArray, starts: IntArray) -> IntArray:
        nodes = self.node_of[codes[starts]]
        return np.asarray(self.ancestors.high[nodes] - self.ancestors.low[nodes])
