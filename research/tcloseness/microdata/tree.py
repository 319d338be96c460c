"""`TreeNode`: a hierarchy as a tree, whose nodes know what is below them."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from tcloseness.displayed import Pictured, counted
from tcloseness.microdata.domain import value_text

__all__ = ["TreeNode", "tree_of"]


@dataclass(frozen=True)
class TreeNode(Pictured):
    """A node of a hierarchy's tree.

    Attributes
    ----------
    label
        The node's label (the value itself for a leaf).
    height
        The longest way down to a leaf; 0 for a leaf.
    children
        The nodes directly below.
    """

    label: Hashable
    height: int
    children: tuple[TreeNode, ...] = ()

    def to_dict(self) -> dict[str, Any]:
        """Return the node and all below it as JSON-ready data."""
        children = [child.to_dict() for child in self.children]
        return {"label": value_text(self.label), "height": self.height, "children": children}

    _withheld = ("label",)

    def _frame_rows(self) -> Iterator[dict[str, Any]]:
        return self._rows_from(0)

    def _rows_from(self, depth: int) -> Iterator[dict[str, Any]]:
        yield {"depth": depth, "label": value_text(self.label), "height": self.height, "leaves": len(self.leaves())}
        for child in self.children:
            yield from child._rows_from(depth + 1)

    def _said(self) -> str:
        return f"height {self.height}, {counted(len(self.children), 'child', 'children')}"

    def leaves(self) -> list[Hashable]:
        """Return the labels of the leaves below, from left to right."""
        if not self.children:
            return [self.label]
        return [leaf for child in self.children for leaf in child.leaves()]


def tree_of(paths: Iterable[tuple[Hashable, ...]], *, collapse: bool) -> TreeNode:
    """Return the tree of the paths from each leaf to the root; `collapse` leaves out nodes of one child."""
    below: dict[tuple[int, Hashable], dict[tuple[int, Hashable], None]] = {}
    path: tuple[Hashable, ...] = ()
    for path in paths:
        nodes = [(len(path) - 1 - level, label) for level, label in enumerate(path)]
        for child, parent in zip(nodes, nodes[1:], strict=False):
            below.setdefault(parent, {})[child] = None

    def build(node: tuple[int, Hashable]) -> TreeNode:
        children = tuple(build(child) for child in below.get(node, {}))
        if len(children) == 1 and collapse:
            return children[0]
        return TreeNode(node[1], 1 + max((c.height for c in children), default=-1), children)

    return build((0, path[-1]))
