"""Ground distances as the sets whose differences add up to the EMD, from what a certificate names."""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from tcloseness.displayed import counted
from tcloseness.errors import InputError
from tcloseness.exact import IntArray
from tcloseness.strict_records import (
    canonical_fraction,
    canonical_fractions,
    common_bits,
    fields,
    listed,
    shown,
    text,
    whole,
)

__all__ = ["Cuts", "cuts_of", "positive", "tree_of"]

_MOST_CELLS = 2**22
"""Of the paths of a tree."""

Cuts = tuple[IntArray, list[tuple[int, int, int]], int]
"""The order of the values' codes, sets of them as (first place, place behind the last, weight), and a denominator."""


def cuts_of(ground: object, m: int) -> Cuts:
    """Return the sets whose differences add up to the EMD by a ground distance, from what names it, each set once.

    Raises
    ------
    InputError
        For a ground distance that no checker here knows, or one over another number of values.
    """
    name = ground.get("name") if type(ground) is dict else None
    if type(name) is not str or name not in _GROUNDS:
        raise InputError(f"the ground distance is {shown(name)}; a checker knows {', '.join(_GROUNDS)}")
    keys, make = _GROUNDS[name]
    record = fields(ground, ("name", *keys), "ground")
    if "m" in keys:
        whole(record["m"], "m", least=m, most=m)
    order, sets, denominator = make(record)
    if sorted(order) != list(range(m)):
        raise InputError(f"the ground distance is not over the {counted(m, 'value')}")
    weights: dict[tuple[int, int], int] = {}
    for low, high, weight in sets:
        if weight:
            weights[low, high] = weights.get((low, high), 0) + weight
    return np.array(order, dtype=np.int64), [(*ends, weight) for ends, weight in weights.items()], denominator


def _equal(ground: Mapping[str, Any]) -> Any:
    m = ground["m"]
    return range(m), [(place, place + 1, 1) for place in range(m)], 2


def _ordered(ground: Mapping[str, Any]) -> Any:
    m = ground["m"]
    return range(m), [(0, place + 1, 1) for place in range(m - 1)], max(m - 1, 1)


def _by_value(ground: Mapping[str, Any]) -> Any:
    values = canonical_fractions(ground["values"], "values", least=1)
    common_bits(values, "values")
    order = sorted(range(len(values)), key=values.__getitem__)
    unit = np.lcm.reduce([value.denominator for value in values], dtype=object)
    places = [int(values[code] * unit) for code in order]
    gaps = [(0, place + 1, high - low) for place, (low, high) in enumerate(zip(places, places[1:], strict=False))]
    return order, gaps, max(places[-1] - places[0], 1)


def _hierarchical(ground: Mapping[str, Any]) -> Any:
    """The height of the lowest common ancestor over that of the root: a set for each node, weighted by the step up."""
    if ground["trivial_levels"] not in ("keep", "collapse"):
        raise InputError(f"trivial_levels is {shown(ground['trivial_levels'])}; it must be 'keep' or 'collapse'")
    paths, parent, children = tree_of(ground["paths"], "the ground distance's tree")
    rows = [whole(row, "values[]", most=len(paths) - 1) for row in listed(ground["values"], "values", least=1)]
    if len(set(rows)) < len(rows):
        raise InputError("two values of the ground distance are one leaf")
    leaves = {(len(path) - 1, path[0]): row for row, path in enumerate(paths)}
    root = (0, paths[0][-1])
    height: dict[TreeNode, int] = {}
    for node in sorted({root, *parent}, reverse=True):  # from the deepest on
        below = children.get(node, {})
        single = len(below) == 1 and ground["trivial_levels"] == "collapse"
        height[node] = max((height[child] + (not single) for child in below), default=0)
    code = {row: place for place, row in enumerate(rows)}
    order: list[int] = []
    sets: list[tuple[int, int, int]] = []
    stack: list[tuple[TreeNode, int | None]] = [(root, None)]
    while stack:
        node, begun = stack.pop()
        if begun is not None:
            sets.append((begun, len(order), height[parent[node]] - height[node]))
            continue
        if node in leaves and leaves[node] in code:
            order.append(code[leaves[node]])
            begun = len(order) - 1
        else:
            begun = len(order)
        if node != root:
            stack.append((node, begun))
        stack += [(child, None) for child in children.get(node, {})]
    return order, [each for each in sets if each[0] < each[1]], 2 * height[root] or 1


TreeNode = tuple[int, str]
"""A node of a tree: how many nodes are above it, and its label."""


def tree_of(
    given: object, what: str
) -> tuple[list[list[str]], dict[TreeNode, TreeNode], dict[TreeNode, dict[TreeNode, None]]]:
    """Read a tree from the labels from each leaf to the root: these, the node above each, and the nodes below each.

    Raises
    ------
    InputError
        If a leaf is there twice or has something below it, a node has two above it, or there is no one root.
    """
    paths = [[text(cell, what) for cell in listed(path, what, least=1)] for path in listed(given, what, least=1)]
    if sum(map(len, paths)) > _MOST_CELLS:
        raise InputError(f"{what} has more than {_MOST_CELLS:,} labels in its paths")
    if len({path[0] for path in paths}) < len(paths) or len({path[-1] for path in paths}) != 1:
        raise InputError(f"{what} has a leaf twice, or no root")
    parent: dict[TreeNode, TreeNode] = {}
    children: dict[TreeNode, dict[TreeNode, None]] = {}
    for path in paths:
        nodes = [(len(path) - 1 - level, label) for level, label in enumerate(path)]
        for child, above in zip(nodes, nodes[1:], strict=False):
            if parent.setdefault(child, above) != above:
                raise InputError(f"{what} has two nodes above {child[1]!r}")
            children.setdefault(above, {})[child] = None
    if any((len(path) - 1, path[0]) in children for path in paths):
        raise InputError(f"{what} has a leaf with something below it")
    return paths, parent, children


def _laminar(ground: Mapping[str, Any]) -> Any:
    m = len(listed(ground["order"], "order", least=1))
    order = [whole(code, "order[]", most=m - 1) for code in ground["order"]]
    ends = [[whole(x, name, most=m) for x in listed(ground[name], name)] for name in ("low", "high")]
    weights = canonical_fractions(ground["weights"], "weights", length=len(ends[0]))
    if len(ends[0]) != len(ends[1]) or any(w <= 0 or w.denominator != 1 for w in weights):
        raise InputError("the family needs a low, a high and a positive whole weight for each set")
    sets = [(low, high, w.numerator) for low, high, w in zip(*ends, weights, strict=True)]
    open_ends: list[int] = []
    for low, high, _ in sorted(sets, key=lambda each: (each[0], -each[1])):
        while open_ends and open_ends[-1] <= low:
            open_ends.pop()
        if low >= high or (open_ends and high > open_ends[-1]):
            raise InputError("the family is not laminar: two of its sets cross, or one is empty")
        open_ends.append(high)
    denominator = positive(ground["denominator"], "denominator")
    if denominator.denominator != 1:
        raise InputError("the denominator is not a whole number")
    return order, sets, denominator.numerator


_GROUNDS: dict[str, tuple[tuple[str, ...], Any]] = {
    "equal": (("m",), _equal),
    "ordered": (("m",), _ordered),
    "ordered-by-value": (("values",), _by_value),
    "hierarchical": (("paths", "values", "trivial_levels"), _hierarchical),
    "laminar": (("order", "low", "high", "weights", "denominator"), _laminar),
}


def positive(given: object, what: str) -> Fraction:
    """Return a number above 0, from its text."""
    number = canonical_fraction(given, what)
    if number <= 0:
        raise InputError(f"{what} is {shown(given)}; it must be positive")
    return number
