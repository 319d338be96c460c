"""A quasi-identifier that a whole table shows at one level of its hierarchy (`AtLevel`), or at one cut (`AtCut`).

A cut is a set of nodes such that every leaf lies below exactly one, or is one. A level is a cut of nodes of one height.
"""

from __future__ import annotations

from collections.abc import Hashable, Iterable

import numpy as np

from tcloseness.errors import HierarchyError
from tcloseness.exact import IntArray
from tcloseness.microdata import Domain, Hierarchy
from tcloseness.microdata.ancestors import Ancestors, slices
from tcloseness.release.attributes import OneAttribute
from tcloseness.release.recoding import Recoding

__all__ = ["AtCut", "AtLevel"]


class AtLevel(OneAttribute):
    """An attribute at one level: a class shows the label of its values there, also where a lower one would do.

    A class's values must have one label at the level; classes of a full-domain generalization do.

    Parameters
    ----------
    name, domain
        The attribute.
    hierarchy
        It covers the domain and has levels, or None where the level is 0.
    level
        The level, 0 for the values themselves.

    Raises
    ------
    TableError, HierarchyError
        As `Recoding.at_level`.

    Examples
    --------
    >>> ages = Hierarchy.intervals([21, 22, 35], [10], origin=1, name="age")
    >>> age = AtLevel("age", Domain.of([21, 22, 35]), ages, 1)
    >>> age.label(np.array([0, 0])), age.extent(np.array([0, 0])), age.height(np.array([0, 0]))
    ('21-30', 2, 1)
    """

    counted = True

    def __init__(self, name: str, domain: Domain, hierarchy: Hierarchy | None, level: int) -> None:
        self.name, self.domain, self.hierarchy, self.level = name, domain, hierarchy, level
        self.recoding, self.label_of = Recoding.at_level(name, domain, hierarchy, level)
        self.kind, self.label_domain, self.top = self.recoding.kind, self.recoding.labels, self.recoding.height
        self._leaves = self.recoding.leaf_counts("hierarchy")
        self.whole = self.recoding.size("hierarchy")

    def labels(self, codes: IntArray, starts: IntArray) -> list[Hashable]:
        """Return each class's label at the level."""
        return [self.label_domain.values[code] for code in self._labels(codes, starts).tolist()]

    def extents(self, codes: IntArray, starts: IntArray) -> IntArray:
        """Return how many leaves each class's label stands for."""
        return self._leaves[self._labels(codes, starts)]

    def heights(self, codes: IntArray, starts: IntArray) -> IntArray:
        """Return the level, for each class."""
        return np.full(len(starts), self.level, dtype=np.int64)

    def below(self, codes: IntArray, starts: IntArray) -> tuple[IntArray, IntArray]:
        """Return the leaves that each class's label stands for."""
        found, begins = self._labels(codes, starts), self.recoding.starts
        return slices(self.recoding.places, begins[found], begins[found + 1])

    def _labels(self, codes: IntArray, starts: IntArray) -> IntArray:
        return self.label_of[codes[starts]]


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
    tree
        These, where they are made already.

    Raises
    ------
    HierarchyError
        If the nodes are not a cut, two of them are called alike, or the hierarchy misses a value.
    """

    kind = "cut through its hierarchy"
    counted = True

    def __init__(
        self, name: str, domain: Domain, hierarchy: Hierarchy, cut: Iterable[int], tree: Ancestors | None = None
    ) -> None:
        self.name, self.domain, self.hierarchy = name, domain, hierarchy
        tree = self.ancestors = tree or Ancestors(hierarchy)
        node_at = np.full(tree.leaves, -1, dtype=np.int64)
        cut = list(cut)
        for node in cut:
            below = node_at[tree.low[node] : tree.high[node]]
            if (below >= 0).any():
                raise HierarchyError(f"the cut through {name!r} has two nodes above one value; give disjoint nodes")
            below[:] = node
        if (node_at < 0).any():
            leaf = tree.labels[int(tree.leaf_nodes[int(np.argmin(node_at))])]
            raise HierarchyError(f"the cut through {name!r} has no node above {leaf!r}; it must cover every value")
        tree.require_labels_apart(name, cut)
        self.node_of = node_at[tree.places(domain)]
        self.top = int(tree.height[0])
        self.whole = tree.leaves

    def labels(self, codes: IntArray, starts: IntArray) -> list[Hashable]:
        """Return the label of each class's node; of a leaf, the table's own value."""
        firsts = codes[starts]
        nodes = self.node_of[firsts]
        found = zip(nodes.tolist(), self.ancestors.height[nodes].tolist(), firsts.tolist(), strict=True)
        return [self.ancestors.labels[node] if height else self.domain.values[code] for node, height, code in found]

    def extents(self, codes: IntArray, starts: IntArray) -> IntArray:
        """Return how many leaves are below each class's node."""
        nodes = self.node_of[codes[starts]]
        return np.asarray(self.ancestors.high[nodes] - self.ancestors.low[nodes])

    def heights(self, codes: IntArray, starts: IntArray) -> IntArray:
        """Return the height of each class's node."""
        return np.asarray(self.ancestors.height[self.node_of[codes[starts]]])

    def below(self, codes: IntArray, starts: IntArray) -> tuple[IntArray, IntArray]:
        """Return the leaves below each class's node."""
        return self.ancestors.below(self.node_of[codes[starts]])
