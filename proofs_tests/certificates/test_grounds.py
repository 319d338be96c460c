"""Ground distances that checkers know: by their sets two values are as far apart as the definition says."""

from __future__ import annotations

import random
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from tcloseness.certificates import grounds
from tcloseness.certificates.grounds import cuts_of, positive, tree_of
from tcloseness.errors import InputError


def distances(ground: dict[str, Any], m: int) -> list[list[Fraction]]:
    """The distances of values: the weights of the sets that hold one of the two."""
    order, sets, denominator = cuts_of(ground, m)
    assert all(0 <= low < high <= m and weight > 0 for low, high, weight in sets)
    held = [set(order[low:high].tolist()) for low, high, _ in sets]
    return [
        [
            Fraction(sum(w for inside, (*_, w) in zip(held, sets, strict=True) if (i in inside) != (j in inside)))
            / denominator
            for j in range(m)
        ]
        for i in range(m)
    ]


@pytest.mark.parametrize("m", range(1, 6))
def test_values_are_all_as_far_apart_or_by_their_places(m: int) -> None:
    assert distances({"name": "equal", "m": m}, m) == [[Fraction(i != j) for j in range(m)] for i in range(m)]
    assert cuts_of({"name": "equal", "m": m}, m)[1:] == ([(i, i + 1, 1) for i in range(m)], 2)
    steps = max(m - 1, 1)
    assert distances({"name": "ordered", "m": m}, m) == [
        [Fraction(abs(i - j), steps) for j in range(m)] for i in range(m)
    ]
    assert cuts_of({"name": "ordered", "m": m}, m)[1:] == ([(0, i + 1, 1) for i in range(m - 1)], steps)


def test_values_are_as_far_apart_as_their_numbers() -> None:
    draw = random.Random(70)
    for _ in range(60):
        of = draw.choice([[-3, -1, 0, 4], [Fraction(n, d) for n in range(-5, 6) for d in (1, 2, 3, 7)]])
        numbers = [Fraction(draw.choice(of)) for _ in range(draw.randint(1, 6))]
        spread = max(numbers) - min(numbers) or 1
        found = distances({"name": "ordered-by-value", "values": list(map(str, numbers))}, len(numbers))
        assert found == [[abs(a - b) / spread for b in numbers] for a in numbers]


# ---------------------------------------------------------------------- trees


def drawn_tree(draw: random.Random, room: int = 6) -> Any:
    """A tree as nested lists, whose leaves are numbers: at different depths, and with nodes of one child."""
    if room == 1:
        return draw.choice([0, [0], [[0]], 0])
    parts = draw.randint(1, room)
    cut = [0, *sorted(draw.sample(range(1, room), parts - 1)), room]
    below = [drawn_tree(draw, b - a) if b - a < room else [0] * room for a, b in zip(cut, cut[1:], strict=False)]
    return [below] if draw.random() < 0.2 else below


def paths_of(tree: Any) -> tuple[list[list[str]], list[list[Any]]]:
    """The labels from each leaf to the root, and the nodes, as lists; a label may be at two depths."""
    paths: list[list[str]] = []
    nodes: list[list[Any]] = []

    def visit(node: Any, labels: list[str], above: list[Any]) -> None:
        if node == 0:
            paths.append([f"leaf {len(paths)}", *labels[1:]])
            nodes.append([[], *above])
            return
        for place, child in enumerate(node):
            visit(child, [f"{labels[0]}{place}" if len(labels) % 2 else f"{labels[0]}.", *labels] if child == 0 else
                  [f"{place} of {'/'.join(labels)}", *labels], [node, *above])  # fmt: skip

    visit(tree if tree != 0 else [0], ["*"], [])
    return paths, nodes


def height(node: Any, collapse: bool) -> int:
    """How many levels are below a node; a node of one child makes none, where levels collapse."""
    if node == 0 or not node:
        return 0
    return max(height(child, collapse) for child in node) + (not (collapse and len(node) == 1))


def test_values_are_as_far_apart_as_their_lowest_common_ancestor_is_high() -> None:
    draw = random.Random(71)
    for _ in range(200):
        tree = drawn_tree(draw, draw.randint(1, 6))
        paths, nodes = paths_of(tree)
        values = draw.sample(range(len(paths)), draw.randint(1, len(paths)))
        for levels in ("keep", "collapse"):
            ground = {"name": "hierarchical", "paths": paths, "values": values, "trivial_levels": levels}
            root = height(nodes[0][-1], levels == "collapse") or 1
            expected = []
            for a in values:
                common = [[x for x in nodes[a] if any(x is y for y in nodes[b])] for b in values]
                expected.append(
                    [
                        Fraction(0) if a == b else Fraction(height(both[0], levels == "collapse"), root)
                        for b, both in zip(values, common, strict=True)
                    ]
                )
            assert distances(ground, len(values)) == expected, (tree, values, levels)
            sets = [ends for *ends, _ in cuts_of(ground, len(values))[1]]
            assert len(set(map(tuple, sets))) == len(sets) < 2 * len(values)  # however many nodes are above each other


def test_a_tree_is_read_as_nodes_by_their_depth() -> None:
    """One label at two depths is two nodes; a leaf may be the root."""
    paths, parent, children = tree_of([["a", "g", "*"], ["b", "g", "*"], ["g", "*"]][:2], "tree")
    assert paths == [["a", "g", "*"], ["b", "g", "*"]]
    assert parent == {(2, "a"): (1, "g"), (2, "b"): (1, "g"), (1, "g"): (0, "*")}
    assert {node: list(below) for node, below in children.items()} == {
        (1, "g"): [(2, "a"), (2, "b")],
        (0, "*"): [(1, "g")],
    }
    assert tree_of([["*"]], "tree") == ([["*"]], {}, {})
    for levels in ("keep", "collapse"):
        lone = {"name": "hierarchical", "paths": [["*"]], "values": [0], "trivial_levels": levels}
        assert cuts_of(lone, 1)[1:] == ([], 1)
    assert tree_of([["a", "a", "a"]], "tree")[1] == {(2, "a"): (1, "a"), (1, "a"): (0, "a")}


@pytest.mark.parametrize(
    ("paths", "said"),
    [
        ([["a", "*"], ["a", "*"]], "a leaf twice, or no root"),
        ([["a", "*"], ["b", "+"]], "a leaf twice, or no root"),
        ([["a", "g", "*"], ["b", "h", "*"], ["c", "g", "*"], ["a", "h", "*"]], "a leaf twice"),
        ([["a", "x", "g", "*"], ["b", "x", "h", "*"]], "two nodes above 'x'"),
        ([["a", "b", "*"], ["b", "*"]], "a leaf with something below it"),
        ([["b", "*"], ["a", "b", "*"]], "a leaf with something below it"),
        ([["a", "*"], ["*"]], "a leaf with something below it"),
        ([], "at least 1"),
        ([[]], "at least 1"),
        ([[1]], "must be a text"),
        (["a"], "must be a list"),
    ],
)
def test_what_is_not_one_tree_is_refused(paths: Any, said: str) -> None:
    with pytest.raises(InputError, match=said):
        tree_of(paths, "tree")


def test_of_a_tree_so_many_labels_are_read(monkeypatch: pytest.MonkeyPatch) -> None:
    paths = [["a", "*"], ["b", "g", "*"]]
    monkeypatch.setattr(grounds, "_MOST_CELLS", 5)
    assert tree_of(paths, "tree")[0] == paths
    monkeypatch.setattr(grounds, "_MOST_CELLS", 4)
    with pytest.raises(InputError, match="tree has more than 4 labels"):
        tree_of(paths, "tree")


# ---------------------------------------------------------------------- families of sets


def family(order: Sequence[int], sets: Sequence[tuple[int, int]], weights: Sequence[str], **given: Any) -> Any:
    low, high = ([each[side] for each in sets] for side in (0, 1))
    ground = {"name": "laminar", "order": list(order), "low": low, "high": high, "weights": list(weights)}
    return {**ground, "denominator": "3", **given}


def test_a_family_of_nested_sets_weighs_what_it_says_however_it_is_listed() -> None:
    draw = random.Random(72)
    for _ in range(100):
        m = draw.randint(1, 6)
        sets, open_parts = [], [(0, m)]
        while open_parts:
            low, high = open_parts.pop()
            if draw.random() < 0.8:
                sets += [(low, high)] * draw.choice([1, 1, 2])
            if high - low > 1:
                middle = draw.randint(low + 1, high - 1)
                open_parts += [(low, middle), (middle, high)]
        draw.shuffle(sets)
        weights = [draw.randint(1, 4) for _ in sets]
        order = draw.sample(range(m), m)
        holds = [order[low:high] for low, high in sets]
        expected = [
            [
                Fraction(sum(w for held, w in zip(holds, weights, strict=True) if (i in held) != (j in held)), 3)
                for j in range(m)
            ]
            for i in range(m)
        ]
        ground = family(order, sets, list(map(str, weights)))
        assert distances(ground, m) == expected
        assert len(cuts_of(ground, m)[1]) == len(set(sets))


@pytest.mark.parametrize(
    "sets",
    [
        [(0, 2), (1, 3)],
        [(1, 3), (0, 2)],
        [(0, 3), (0, 2), (1, 3)],
        [(0, 3), (2, 3), (1, 3), (0, 2)],
    ],
)
def test_sets_that_cross_are_refused_in_every_order(sets: Any) -> None:
    with pytest.raises(InputError, match="not laminar"):
        cuts_of(family(range(3), sets, ["1"] * len(sets)), 3)


TREE = {"name": "hierarchical", "paths": [["a", "*"], ["b", "*"], ["c", "*"]], "trivial_levels": "keep"}


@pytest.mark.parametrize(
    ("ground", "m", "said"),
    [
        (
            None,
            2,
            "the ground distance is None; a checker knows equal, ordered, ordered-by-value, hierarchical, laminar",
        ),
        (["name"], 2, "the ground distance is None; a checker knows"),
        ({"name": ["equal"], "m": 2}, 2, "of type list; a checker knows"),
        ({"name": "chi", "m": 2}, 2, "'chi'; a checker knows"),
        ({"name": "equal"}, 2, "lacks the key 'm'"),
        ({"name": "equal", "m": 2, "x": 1}, 2, "has the key 'x'"),
        ({"name": "equal", "m": 1}, 2, "m is 1; it must be a whole number from 2 to 2"),
        ({"name": "equal", "m": 3}, 2, "m is 3; it must be a whole number from 2 to 2"),
        ({"name": "ordered", "m": True}, 1, "m is True"),
        ({"name": "ordered-by-value", "values": ["1", "2"]}, 3, "not over the 3 values"),
        ({"name": "ordered-by-value", "values": ["1", "2"]}, 1, "not over the 1 value$"),
        ({"name": "ordered-by-value", "values": []}, 0, "at least 1"),
        ({"name": "ordered-by-value", "values": ["2/4"]}, 1, "in lowest terms"),
        ({"name": "ordered-by-value", "values": [f"1/{10**3999 + i}" for i in range(7)]}, 7, "no common denominator"),
        ({**TREE, "values": [0, 1]}, 3, "not over the 3 values"),
        ({**TREE, "values": [0, 3]}, 2, "a whole number from 0 to 2"),
        ({**TREE, "values": [0, 0]}, 2, "two values of the ground distance are one leaf"),
        ({**TREE, "values": []}, 0, "at least 1"),
        ({**TREE, "values": [0, 1], "trivial_levels": "drop"}, 2, "it must be 'keep' or 'collapse'"),
        (family([0, 0], [], []), 2, "not over the 2 values"),
        (family([0, 2], [], []), 2, "a whole number from 0 to 1"),
        (family([], [], []), 0, "at least 1"),
        (family([0, 1], [(0, 3)], ["1"]), 2, "high is 3; it must be a whole number from 0 to 2"),
        (family([0, 1], [(-1, 1)], ["1"]), 2, "low is -1"),
        (family([0, 1], [(1, 1)], ["1"]), 2, "not laminar: two of its sets cross, or one is empty"),
        (family([0, 1], [(2, 1)], ["1"]), 2, "not laminar"),
        (family([0, 1], [(0, 1)], ["0"]), 2, "a positive whole weight for each set"),
        (family([0, 1], [(0, 1)], ["1/2"]), 2, "a positive whole weight for each set"),
        (family([0, 1], [(0, 1)], ["1", "1"]), 2, "weights has 2 entries; it must have 1"),
        (family([0, 1], [(0, 1)], ["1"], high=[1, 2]), 2, "a low, a high and a positive whole weight"),
        (family([0, 1], [(0, 1)], ["1"], high=[]), 2, "a low, a high and a positive whole weight"),
        (family([0, 1], [], [], denominator="0"), 2, "denominator is '0'; it must be positive"),
        (family([0, 1], [], [], denominator="1/2"), 2, "the denominator is not a whole number"),
    ],
    ids=str,
)
def test_what_is_not_a_ground_distance_of_so_many_values_is_refused(ground: Any, m: int, said: str) -> None:
    with pytest.raises(InputError, match=said):
        cuts_of(ground, m)


def test_numbers_above_0_are_positive() -> None:
    assert positive("1/1000", "x") == Fraction(1, 1000)
    for number in ("0", "-1/1000"):
        with pytest.raises(InputError, match=f"x is '{number}'; it must be positive"):
            positive(number, "x")
