"""The numbered nodes of a hierarchy are those of its tree, whether its leaves lie at one depth or not."""

from __future__ import annotations

from random import Random
from typing import Any

import numpy as np

from proofs_tests.strategies import any_tree
from tcloseness.ground import Cuts, Hierarchical
from tcloseness.microdata import Domain, Hierarchy, TreeNode
from tcloseness.microdata.ancestors import Ancestors


def drawn_hierarchies() -> list[Hierarchy]:
    """Trees whose rows are shuffled, so that the leaves below a node are not neighbours, some with trivial levels."""
    random, found = Random(26), []
    for turn in range(400):
        rows = any_tree(random)
        if turn % 2:
            rows = [(row[0], f"{row[0]}'", *row[1:]) if len(row) > 1 else row for row in rows]
        if turn % 3 == 0:
            longest = max(map(len, rows))
            rows = [(row[0],) * (longest - len(row)) + row for row in rows]
        random.shuffle(rows)
        found.append(Hierarchy(rows, ragged="keep"))
    return found


HIERARCHIES = drawn_hierarchies()


def preorder(node: TreeNode, above: int, out: list[tuple[Any, int, int, int]]) -> int:
    """List label, parent, height and number of leaves of each node, a node before those below it."""
    number, leaves = len(out), 0
    out.append((node.label, max(above, 0), node.height, 0))
    for child in node.children:
        leaves += preorder(child, number, out)
    leaves = leaves or 1
    out[number] = (*out[number][:3], leaves)
    return leaves


def test_the_nodes_are_those_of_the_tree_from_left_to_right() -> None:
    for hierarchy in HIERARCHIES:
        tree = Ancestors(hierarchy)
        expected: list[tuple[Any, int, int, int]] = []
        preorder(hierarchy.tree(), -1, expected)
        widths = (tree.high - tree.low).tolist()
        assert list(zip(tree.labels, tree.parent.tolist(), tree.height.tolist(), widths, strict=True)) == expected
        assert [tree.labels[node] for node in tree.leaf_nodes] == hierarchy.tree().leaves()
        starts, rows = tree.below(np.arange(len(tree.labels)))
        below = [hierarchy.values[row] for row in rows[: starts[1]]]
        assert below == hierarchy.tree().leaves()


def lowest_common(node: TreeNode, one: Any, other: Any) -> TreeNode:
    inside = [child for child in node.children if {one, other} <= set(child.leaves())]
    return lowest_common(inside[0], one, other) if inside else node


def test_the_hierarchical_distance_is_the_height_of_the_lowest_common_ancestor() -> None:
    """In the tree itself, with and without trivial levels; over some of the leaves, in any order; and by its cuts."""
    random = Random(27)
    for hierarchy in HIERARCHIES[:150]:
        values = random.sample(hierarchy.values, random.randrange(1, len(hierarchy) + 1))
        for levels in ("keep", "collapse"):
            ground = Hierarchical(hierarchy, Domain.declare(values), trivial_levels=levels)  # type: ignore[arg-type]
            root = hierarchy.tree(trivial_levels=levels)  # type: ignore[arg-type]
            assert ground.height == root.height
            for i, one in enumerate(values):
                for j, other in enumerate(values):
                    height = lowest_common(root, one, other).height if i != j else 0
                    assert ground.distance(i, j) * (root.height or 1) == height
                    assert ground.cuts.distance(i, j) == ground.distance(i, j)


def test_cuts_merged_from_arrays_are_those_merged_one_by_one() -> None:
    draw = np.random.default_rng(28)
    for _ in range(400):
        m, k, denominator = int(draw.integers(1, 7)), int(draw.integers(0, 9)), int(draw.integers(1, 13))
        middle = int(draw.integers(0, m + 1))
        ends = [(0, middle), (middle, m), (0, m), *((i, i + 1) for i in range(m))]
        sets = [ends[place] for place in draw.integers(0, len(ends), k)]
        weights = draw.integers(0, 5, k)
        low, high = np.array([*sets, (0, 0)], dtype=np.int64).T[:, :-1]
        order = draw.permutation(m)
        merged = Cuts.merged(order, low, high, weights, denominator)
        one_by_one = Cuts.of(order, sets, [f"{w}/{denominator}" for w in weights])
        for name in ("order", "low", "high", "weights"):
            assert getattr(merged, name).tolist() == getattr(one_by_one, name).tolist(), name
        assert merged.denominator == one_by_one.denominator
