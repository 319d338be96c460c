"""`Lattice`: every way to generalize a table's quasi-identifiers to whole levels of their hierarchies.

LeFevre, DeWitt, Ramakrishnan, "Incognito: Efficient Full-Domain K-Anonymity", SIGMOD 2005, §2; Machanavajjhala et al.
2006, §5; Samarati, "Protecting Respondents' Identities in Microdata Release", TKDE 2001, §3.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from itertools import product
from typing import Any, TypeAlias

import numpy as np

from tcloseness.displayed import Displayed, counted
from tcloseness.errors import HierarchyError, TableError
from tcloseness.microdata import Hierarchy
from tcloseness.microdata.tidy import free_name

__all__ = ["Lattice", "Node"]

Node: TypeAlias = tuple[int, ...]
"""A node: one level for each quasi-identifier, in the lattice's order; 0 is the value itself."""


class Lattice(Displayed):
    """The generalization lattice: nodes are tuples of levels, ordered component by component.

    Parameters
    ----------
    hierarchies
        A hierarchy for each quasi-identifier, by name; all leaves of one at one depth.
    quasi_identifiers
        The order of the quasi-identifiers; the mapping's own order if left out.

    Attributes
    ----------
    quasi_identifiers
        The names.
    heights
        The height of each hierarchy; a quasi-identifier has the levels 0 … height.
    shape
        The number of levels of each.

    Raises
    ------
    TableError
        For a quasi-identifier without a hierarchy, or one that is named twice.
    HierarchyError
        For a hierarchy without levels (leaves at unequal depth).

    Notes
    -----
    A *parent* generalizes one attribute by one step more, a *child* by one step less. The lattice has ``len(lattice)``
    nodes, the product of the numbers of levels, known before anything is searched.

    Examples
    --------
    >>> zips = Hierarchy.prefixes(["476", "479"], name="zip")
    >>> sexes = Hierarchy.suppression(["F", "M"], name="sex")
    >>> lattice = Lattice({"zip": zips, "sex": sexes})
    >>> len(lattice), lattice.top, lattice.parents((1, 0)), lattice.children((1, 0))
    (8, (3, 1), [(2, 0), (1, 1)], [(0, 0)])
    """

    def to_dict(self) -> dict[str, Any]:
        """Return the levels of each quasi-identifier as JSON-ready data."""
        return {
            "quasi_identifiers": list(self.quasi_identifiers),
            "levels": list(self.shape),
            "nodes": math.prod(self.shape),
            "height": self.height,
        }

    def _frame_rows(self) -> list[dict[str, Any]]:
        each = zip(self.quasi_identifiers, self.shape, strict=True)
        return [{"quasi_identifier": name, "levels": levels} for name, levels in each]

    def _said(self) -> str:
        columns = counted(len(self.quasi_identifiers), "quasi-identifier")
        return f"{counted(math.prod(self.shape), 'node')}, {columns}, height {self.height}"

    def __init__(self, hierarchies: Mapping[str, Hierarchy], quasi_identifiers: Sequence[str] | None = None) -> None:
        names = tuple(hierarchies) if quasi_identifiers is None else tuple(quasi_identifiers)
        for name in names:
            if names.count(name) > 1:
                raise TableError(f"quasi-identifier {name!r} is named twice; each must be named once")
            if name not in hierarchies:
                raise TableError(
                    f"no hierarchy is given for the quasi-identifier {name!r}; give one, such as "
                    "Hierarchy.suppression(values) for the two levels 'as it is' and 'nothing'"
                )
            if not hierarchies[name].uniform:
                raise HierarchyError(
                    f"hierarchy {name!r} has leaves at unequal depth, so it has no levels; read it with "
                    "ragged='repeat-leaf' or 'repeat-parent'"
                )
        if not names:
            raise TableError("a lattice needs a quasi-identifier, and there is none")
        self.quasi_identifiers = names
        self.hierarchies = {name: hierarchies[name] for name in names}
        self.heights = tuple(h.height for h in self.hierarchies.values())
        self.shape = tuple(height + 1 for height in self.heights)

    def __len__(self) -> int:
        return math.prod(self.shape)

    def __contains__(self, node: object) -> bool:
        return (
            isinstance(node, tuple)
            and len(node) == len(self.shape)
            and all(isinstance(x, int) and 0 <= x < size for x, size in zip(node, self.shape, strict=True))
        )

    @property
    def bottom(self) -> Node:
        """The table as it is."""
        return (0,) * len(self.shape)

    @property
    def top(self) -> Node:
        """Every quasi-identifier at its root."""
        return self.heights

    @property
    def height(self) -> int:
        """The height of the top."""
        return sum(self.heights)

    def node(self, levels: Mapping[str, int] | Sequence[int]) -> Node:
        """Return the node of the given levels: by name (others 0), or one each in order.

        Raises
        ------
        TableError
            For a name that is not a quasi-identifier, or a level that there is not.
        """
        if isinstance(levels, Mapping):
            for name in levels:
                if name not in self.quasi_identifiers:
                    raise TableError(f"{name!r} is not a quasi-identifier of this lattice: {self.quasi_identifiers}")
            levels = [levels.get(name, 0) for name in self.quasi_identifiers]
        found = tuple(x.item() if isinstance(x, np.integer) else x for x in levels)
        if found not in self:
            raise TableError(f"there is no node {found!r}; levels run from 0 to {self.heights!r}, one for each")
        return found

    def levels(self, node: Node) -> dict[str, int]:
        """Return the node's level of each quasi-identifier."""
        return dict(zip(self.quasi_identifiers, node, strict=True))

    def row(self, node: Node, numbers: Mapping[str, Any]) -> dict[str, Any]:
        """Return a node's levels and other numbers of it, each under a name of its own."""
        names = self.quasi_identifiers
        return self.levels(node) | {free_name(name, names): number for name, number in numbers.items()}

    def text(self, node: Node) -> str:
        """Write a node as the literature does: one digit each, or with dots between if a hierarchy is higher than 9.

        >>> Lattice({"sex": Hierarchy.suppression("FM")}).text((1,))
        '1'
        """
        return ("" if max(self.heights) < 10 else ".").join(map(str, node))

    def parents(self, node: Node) -> list[Node]:
        """Return the direct generalizations."""
        steps = enumerate(zip(node, self.heights, strict=True))
        return [(*node[:i], level + 1, *node[i + 1 :]) for i, (level, height) in steps if level < height]

    def children(self, node: Node) -> list[Node]:
        """Return the direct specializations."""
        return [(*node[:i], level - 1, *node[i + 1 :]) for i, level in enumerate(node) if level]

    def at_height(self, height: int) -> Iterator[Node]:
        """Iterate over the nodes of one height (sum of levels), in lexicographic order."""
        room = [sum(self.heights[i:]) for i in range(len(self.heights) + 1)]

        def complete(start: Node, left: int) -> Iterator[Node]:
            i = len(start)
            if i == len(self.heights):
                yield start
                return
            for level in range(max(0, left - room[i + 1]), min(self.heights[i], left) + 1):
                yield from complete((*start, level), left - level)

        if 0 <= height <= self.height:
            yield from complete((), height)

    def nodes(self) -> Iterator[Node]:
        """Iterate over all nodes by ascending height."""
        for height in range(self.height + 1):
            yield from self.at_height(height)

    def __iter__(self) -> Iterator[Node]:
        return self.nodes()

    def sizes_by_height(self) -> list[int]:
        """Return the number of nodes of each height, without going through them."""
        sizes = [1]
        for levels in self.shape:
            sizes = [sum(sizes[max(0, h - levels + 1) : h + 1]) for h in range(len(sizes) + levels - 1)]
        return sizes

    def subset(self, quasi_identifiers: Sequence[str]) -> Lattice:
        """Return the lattice of some of the quasi-identifiers."""
        for name in quasi_identifiers:
            if name not in self.hierarchies:
                raise TableError(f"{name!r} is not a quasi-identifier of this lattice: {self.quasi_identifiers}")
        return Lattice(self.hierarchies, quasi_identifiers)

    def up_set(self, node: Node) -> Iterator[Node]:
        """Iterate over the node and everything that generalizes it."""
        return product(*(range(level, size) for level, size in zip(node, self.shape, strict=True)))
