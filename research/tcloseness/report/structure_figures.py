"""Figures of what tables are judged by: a hierarchy as a tree, a ground distance as a heat map.

Both are bounded: of many values some are drawn, and the figure says which. Importing this module loads matplotlib.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from tcloseness.ground import GroundDistance
from tcloseness.microdata import TreeNode
from tcloseness.microdata.domain import value_text
from tcloseness.report.drawing import Figure, mpl
from tcloseness.report.figures import INK, MASS, STYLE
from tcloseness.report.short_text import shortened

__all__ = ["MOST_LEAVES", "MOST_VALUES", "heat_map", "tree"]

MOST_LEAVES = 60
"""Of a larger tree, the nodes are drawn down to where so many are the lowest."""

MOST_VALUES = 60
"""Of more values, so many are drawn, evenly spaced from the first to the last."""

_LABELLED = 24
"""The values of so many are named at the axes."""


def tree(root: TreeNode, *, labels: bool = True) -> tuple[Figure, str]:
    """Draw a hierarchy from the root on the left to the values on the right.

    Parameters
    ----------
    root
        The tree, see `tcloseness.Hierarchy.tree`.
    labels
        Whether the nodes are named; else only their shape is drawn.

    Returns
    -------
    Figure
        The tree.
    str
        What was left out, as a sentence; empty if nothing was.
    """
    deepest = _deepest_drawn(root)
    lines: list[tuple[float, float, float, float]] = []
    nodes: list[tuple[float, float, str, bool]] = []
    rows = _placed(root, 0, deepest, 0.0, lines, nodes, labels)
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(max(4.7, 2.3 * (deepest + 1)), max(1.4, 0.24 * rows + 0.3)), layout="constrained")
        axes = figure.subplots()
        for x, y, below, at in lines:
            axes.plot([x, x + 0.5, x + 0.5, below], [y, y, at, at], color="#9aa3ae", linewidth=0.9)
        for x, y, text, lowest in nodes:
            axes.plot([x], [y], "o", color=MASS, markersize=3.5)
            place, va = ((4, 0), "center") if lowest else ((2, 2), "bottom")  # above the line to what is below
            axes.annotate(text, (x, y), place, textcoords="offset points", va=va, fontsize=9, color=INK)
        axes.set_xlim(-0.1, deepest + 0.95)
        axes.set_ylim(rows - 0.4, -0.6)
        axes.axis("off")
    left_out = "" if deepest >= root.height else f"Only the upper {deepest + 1} of {root.height + 1} levels are drawn."
    return figure, left_out


def _deepest_drawn(root: TreeNode) -> int:
    """Return how far down the tree is drawn: to its leaves, or as far as few enough nodes are the lowest."""
    depth, nodes = 0, [root]
    while True:
        below = [child for node in nodes for child in (node.children or (node,))]
        if len(below) > MOST_LEAVES or all(not node.children for node in nodes):
            return depth
        depth, nodes = depth + 1, below


def _placed(
    node: TreeNode,
    depth: int,
    deepest: int,
    row: float,
    lines: list[tuple[float, float, float, float]],
    nodes: list[tuple[float, float, str, bool]],
    labels: bool,
) -> float:
    """Place a node and what is drawn below it from a row on; return the row after."""
    text = shortened(value_text(node.label), 24) if labels else ""
    if not node.children or depth == deepest:
        hidden = len(node.leaves()) if node.children else 0
        nodes.append((depth, row, f"{text} ({hidden} values)".strip() if hidden else text, True))
        return row + 1
    first, places = row, []
    for child in node.children:
        row = _placed(child, depth + 1, deepest, row, lines, nodes, labels)
        places.append(nodes[-1][1])  # a node is listed after what is below it
    middle = (first + row - 1) / 2
    lines += [(depth, middle, depth + 1, place) for place in places]
    nodes.append((depth, middle, text, False))
    return row


def heat_map(ground: GroundDistance, names: Sequence[str] = ()) -> tuple[Figure, str]:
    """Draw a ground distance as a heat map; darker is farther.

    Parameters
    ----------
    ground
        The distance of m values.
    names
        The values' names; their codes where none are given.

    Returns
    -------
    Figure
        The distances.
    str
        What was left out, as a sentence; empty if nothing was.
    """
    m = ground.m
    shown = np.unique(np.linspace(0, m - 1, min(m, MOST_VALUES)).round().astype(int)).tolist()
    matrix = np.array([[float(ground.distance(i, j)) for j in shown] for i in shown])
    with mpl.rc_context(STYLE):
        figure = Figure(figsize=(5.2, 4.3), layout="constrained")
        axes = figure.subplots()
        drawn = axes.imshow(matrix, cmap="Blues", vmin=0)
        ticks = np.unique(np.linspace(0, len(shown) - 1, min(len(shown), _LABELLED)).round().astype(int)).tolist()
        texts = [shortened(names[shown[k]], 16) if names else str(shown[k]) for k in ticks]
        axes.set_xticks(ticks, texts, rotation=90, fontsize=8)
        axes.set_yticks(ticks, texts, fontsize=8)
        axes.spines[:].set_visible(False)
        figure.colorbar(drawn, ax=axes, label="distance", shrink=0.85)
    return figure, "" if len(shown) == m else f"Of {m} values, {len(shown)} are drawn, evenly spaced in their order."
