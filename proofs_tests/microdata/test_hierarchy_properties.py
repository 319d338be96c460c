"""Laws of hierarchies and of their builders, over random ones."""

from __future__ import annotations

import tempfile
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any
from unittest import mock

import pytest
from hypothesis import given, strategies as st

from proofs_tests.strategies import fractions, hierarchies, partitions
from tcloseness.errors import HierarchyError
from tcloseness.microdata import Domain, Hierarchy, TreeNode


def groups(hierarchy: Hierarchy, level: int) -> set[frozenset[Any]]:
    below: dict[Any, set[Any]] = {}
    for value in hierarchy.values:
        below.setdefault(hierarchy.label(value, level), set()).add(value)
    return set(map(frozenset, below.values()))


@given(hierarchies())
def test_each_level_coarsens_the_one_below(h: Hierarchy) -> None:
    assert groups(h, 0) == {frozenset([v]) for v in h.values}
    assert groups(h, h.height) == {frozenset(h.values)}
    for level in range(h.height):
        assert all(any(fine <= coarse for coarse in groups(h, level + 1)) for fine in groups(h, level))


@given(hierarchies(), st.data())
def test_generalizing_in_two_steps_is_generalizing_once(h: Hierarchy, data: st.DataObject) -> None:
    """The label at a level is a function of the label below: values that share one share the other."""
    low, high = sorted(data.draw(st.tuples(*[st.integers(0, h.height)] * 2)))
    above: dict[Any, Any] = {}
    for v in h.values:
        assert above.setdefault(h.label(v, low), h.label(v, high)) == h.label(v, high)


@given(st.data(), st.booleans())
def test_a_file_gives_back_what_was_written(data: st.DataObject, ragged: bool) -> None:
    """Any text without blanks at its ends: separators, quotes, line breaks and rare Unicode included."""
    letters = st.sampled_from(',;"\n\tab é\u2028\x85')
    texts = st.text(letters, min_size=1, max_size=4).filter(lambda t: t == t.strip() and t)
    values = data.draw(st.lists(texts, unique=True, min_size=1, max_size=4))
    drawn = data.draw(hierarchies(values=values, ragged=ragged))
    separator = data.draw(st.sampled_from(",;\t|"))
    with tempfile.TemporaryDirectory() as folder:
        file = Path(folder) / "h.csv"
        drawn.to_csv(file, separator=separator)
        back = Hierarchy.from_csv(file, separator=separator, ragged="keep" if ragged else "error")
    assert back.paths == drawn.paths


@given(hierarchies(min_values=2), st.data())
def test_a_row_sent_elsewhere_no_longer_nests(h: Hierarchy, data: st.DataObject) -> None:
    """Two values under one label of level ≥ 1 below the root; one of them gets another parent above that label."""
    level = data.draw(st.integers(1, max(h.height - 1, 1)))
    pairs = [(a, b) for a in h.paths for b in h.paths if a is not b and level < h.height - 1 and a[level] == b[level]]
    if not pairs:
        return
    _, moved = data.draw(st.sampled_from(pairs))
    paths = [(*p[: level + 1], "elsewhere", *p[level + 2 :]) if p is moved else p for p in h.paths]
    with pytest.raises(HierarchyError, match="levels must nest"):
        Hierarchy(paths)


@given(hierarchies(min_values=2))
def test_a_row_with_another_end_has_no_common_root(h: Hierarchy) -> None:
    with pytest.raises(HierarchyError, match="no common root"):
        Hierarchy([*h.paths[:-1], (*h.paths[-1][:-1], "other")])


def filled(row: str, longest: int, ragged: str) -> str:
    gap = longest - len(row)
    return {"keep": row, "repeat-leaf": row[0] * gap + row, "repeat-parent": row[0] + row[1:2] * gap + row[1:]}[ragged]


def is_tree(rows: Sequence[str]) -> bool:
    """Whether all rows lead to one root, what is above a node is the same in each, and nothing is below a value."""
    nodes = [[(len(row) - level, row[level:]) for level in range(len(row))] for row in rows]
    above: dict[tuple[int, str], str] = {}
    one = all(above.setdefault((depth, rest[0]), rest[1:]) == rest[1:] for each in nodes for depth, rest in each)
    values = {(len(row), row[0]) for row in rows}
    inner = {(depth, rest[0]) for each in nodes for depth, rest in each[1:]}
    return one and not values & inner and len({row[-1] for row in rows}) == 1


@pytest.mark.parametrize("ragged", ["keep", "repeat-leaf", "repeat-parent"])
def test_ragged_rows_are_accepted_exactly_where_they_are_a_tree_as_given_and_as_filled(ragged: Any) -> None:
    rng, seen = Random(f"ragged {ragged}"), Counter[bool]()
    for _ in range(1000):
        values = rng.sample("abcPQ", rng.randrange(1, 4))
        rows = [value + "".join(rng.choices("aPQ", k=rng.randrange(3))) + "*" for value in values]
        longest = max(map(len, rows))
        right = is_tree(rows) and is_tree([filled(row, longest, ragged) for row in rows])
        seen[right] += 1
        if right:
            assert Hierarchy(map(tuple, rows), ragged=ragged).uniform or ragged == "keep"
        else:
            with pytest.raises(HierarchyError):
                Hierarchy(map(tuple, rows), ragged=ragged)
    assert min(seen[True], seen[False]) > 100


@given(hierarchies())
def test_a_repeated_row_is_refused(h: Hierarchy) -> None:
    with pytest.raises(HierarchyError, match="stands in rows"):
        Hierarchy([*h.paths, h.paths[0]])


@pytest.mark.long
def test_rows_that_are_looked_at_together_are_refused_as_those_looked_at_one_by_one() -> None:
    """Small random rows, most of them wrong: doubled values, empty cells, no root, levels that do not nest."""
    random, outcomes = Random(29), set()
    for _ in range(3000):
        columns = [["a", "b", "c", 1], ["x", "y", "x", ""], ["s", "t", "s", "s"], ["*"] * 9 + ["**"]]
        kept = columns if random.randrange(3) else random.sample(columns, 3)
        rows = [tuple(map(random.choice, kept)) for _ in range(random.randrange(0, 5))]

        def outcome(rows: Any = rows) -> Any:
            try:
                return Hierarchy(rows).paths
            except HierarchyError as error:
                return str(error)

        together = outcome()
        with mock.patch.object(Hierarchy, "_is_sound", return_value=False):
            assert outcome() == together, rows
        outcomes.add(type(together))
    assert outcomes == {tuple, str}


# ---------------------------------------------------------------------- trees


def nodes(tree: TreeNode) -> list[TreeNode]:
    return [tree, *(n for child in tree.children for n in nodes(child))]


@given(st.booleans().flatmap(lambda ragged: hierarchies(ragged=ragged)), st.sampled_from(["keep", "collapse"]))
def test_a_tree_has_the_values_as_leaves_and_heights_count_the_longest_way(h: Hierarchy, trivial: Any) -> None:
    tree = h.tree(trivial_levels=trivial)
    assert sorted(map(str, tree.leaves())) == sorted(map(str, h.values))
    for node in nodes(tree):
        assert node.height == max((1 + c.height for c in node.children), default=0)
        assert trivial == "keep" or len(node.children) != 1
    assert tree.height == h.height if trivial == "keep" else tree.height <= h.height


@given(hierarchies(min_values=2), st.data())
def test_a_padded_level_changes_no_collapsed_tree(h: Hierarchy, data: st.DataObject) -> None:
    """ARX takes heights from the columns, so a spare column changes its t."""
    level = data.draw(st.integers(0, h.height))

    def shape(node: TreeNode) -> Any:
        return (node.height, frozenset(node.leaves()), frozenset(map(shape, node.children)))

    padded = Hierarchy(
        [(*p[: level + 1], f"again {p[level]}", *p[level + 1 :]) for p in h.paths]
        if level < h.height
        else [(*p, "**") for p in h.paths]
    )
    assert shape(padded.tree(trivial_levels="collapse")) == shape(h.tree(trivial_levels="collapse"))
    assert padded.tree().height == h.height + 1


@given(hierarchies(ragged=True), st.sampled_from(["repeat-leaf", "repeat-parent"]))
def test_filled_rows_keep_every_path_in_order(h: Hierarchy, ragged: Any) -> None:
    filled = Hierarchy(h.paths, ragged=ragged)
    assert filled.uniform
    assert filled.height == h.height
    for path, longer in zip(h.paths, filled.paths, strict=True):
        assert list(dict.fromkeys(longer)) == list(dict.fromkeys(path))
        assert longer[0] == path[0]


# ---------------------------------------------------------------------- builders


@pytest.mark.long
@given(
    st.lists(fractions(-5, 5, 60), unique=True, min_size=1, max_size=8),
    st.lists(st.integers(1, 4), min_size=1, max_size=3),
    st.fractions(Fraction(1, 6), 3, max_denominator=6),
    st.fractions(-2, 2, max_denominator=6),
)
def test_interval_cells_partition_and_nest(
    values: list[Fraction], multiples: list[int], width: Fraction, origin: Fraction
) -> None:
    """Two values share a cell of width w exactly if ⌊(v − o)/w⌋ is the same: computed here from scratch."""
    widths = [width]
    for multiple in multiples[1:]:
        widths.append(widths[-1] * multiple)
    h = Hierarchy.intervals(values, widths, origin=origin)
    for level, w in enumerate(widths, 1):
        cell: dict[Any, set[Any]] = {}
        for v in values:
            cell.setdefault((v - origin) // w, set()).add(v)
        assert groups(h, level) == set(map(frozenset, cell.values()))
    assert groups(h, h.height) == {frozenset(values)}


@given(st.lists(st.integers(-50, 50), unique=True, min_size=1), st.integers(1, 12), st.integers(-9, 9))
def test_an_integer_cell_is_named_by_its_first_and_last_number(values: list[int], width: int, origin: int) -> None:
    h = Hierarchy.intervals(values, [width], origin=origin)
    for v in values:
        low = next(x for x in range(v, v - width, -1) if (x - origin) % width == 0)
        assert h.label(v, 1) == f"{low}-{low + width - 1}"


@given(st.integers(1, 5).flatmap(lambda n: st.lists(st.text("012", min_size=n, max_size=n), unique=True, min_size=1)))
def test_masked_texts_share_a_label_exactly_if_they_share_a_prefix(values: list[str]) -> None:
    h = Hierarchy.prefixes(values)
    for level in range(h.height + 1):
        kept = h.height - level
        prefix: dict[str, set[str]] = {}
        for v in values:
            prefix.setdefault(v[:kept], set()).add(v)
        assert groups(h, level) == set(map(frozenset, prefix.values()))


@given(st.integers(1, 7).flatmap(partitions))
def test_groups_build_the_level_that_they_describe(blocks: list[list[int]]) -> None:
    h = Hierarchy.from_groups([{f"g{i}": block for i, block in enumerate(blocks)}])
    assert groups(h, 1) == set(map(frozenset, blocks))


@given(hierarchies(), st.data())
def test_a_generalized_domain_depends_on_the_values_only(h: Hierarchy, data: st.DataObject) -> None:
    shuffled = Hierarchy(data.draw(st.permutations(list(h.paths))))
    domain = Domain.of(h.values)
    for level in range(h.height + 1):
        (codes, labels), (again, same) = h.generalize(domain, level), shuffled.generalize(domain, level)
        assert labels == same
        assert codes.tolist() == again.tolist()
        assert [labels.values[c] for c in codes] == [h.label(v, level) for v in domain.values]
