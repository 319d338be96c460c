"""Rolling up gives what generalizing the table gives (LeFevre et al. 2005, rollup property)."""

from __future__ import annotations

from collections import OrderedDict
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from proofs_tests.effort import effort
from proofs_tests.lattice.cases import Case, cases, models, sorted_rows
from proofs_tests.lattice.tiny_tables import tables
from tcloseness.errors import HierarchyError, TableError, TableWarning
from tcloseness.lattice import RollUp, node_classes, roll_up
from tcloseness.lattice.decide import Decider
from tcloseness.lattice.node_classes import Cells, DenseClasses
from tcloseness.microdata import FrequencySet, Hierarchy, Microdata
from tcloseness.release import Release


@effort(2 / 3)
@given(cases(), st.booleans(), st.randoms(use_true_random=False), st.sampled_from([2**27, 500]))
def test_a_node_reached_over_any_other_has_the_counts_of_the_generalized_table(
    case: Case, compiled: bool, random, memory: int
) -> None:  # type: ignore[no-untyped-def]
    """Also where hardly anything is kept: then it is rolled up from further below."""
    rolled = case.rolled(compiled=compiled, memory=memory)
    nodes = list(case.nodes)
    random.shuffle(nodes)
    for node in nodes:
        found, expected = rolled.classes(node), case.classes(node)
        assert sorted_rows(found) == sorted_rows(expected)
        assert found.reference.tolist() == expected.reference.tolist()
        assert found.domain == expected.domain
        assert found.suppressed == 0
        assert sorted(rolled.unsorted(node).class_sizes.tolist()) == sorted(expected.class_sizes.tolist())
        assert rolled.release(node).class_counts().counts.tolist() == expected.counts.tolist()


@pytest.mark.long
@effort(1 / 2)
@given(cases(), models, st.sampled_from([0, 1, 2, 4]), st.integers(0, 4), st.randoms(use_true_random=False))
def test_counts_as_cells_are_those_of_the_matrix(case: Case, model: Any, sparse: int, limit: int, random: Any) -> None:
    """Whether the bottom is sparse and the rest is not, or all nodes are; and decided so few classes at a time."""
    limit = min(limit, len(case.rows))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(node_classes, "_SPARSE", sparse)
        patch.setattr(node_classes, "_BLOCK", 3)
        rolled, dense = case.rolled(compiled=True), case.rolled(compiled=False)
        decide, other = Decider(rolled, model, limit), Decider(dense, model, limit)
        nodes = list(case.nodes)
        for node in random.sample(nodes, min(8, len(nodes))):
            assert decide(node) == other(node)
            found = rolled.at(node)
            assert isinstance(found, DenseClasses)
            assert sorted_rows(rolled.classes(node)) == sorted_rows(dense.classes(node))
            matrix = found.matrix
            assert isinstance(found.counts, Cells) or found.counts is matrix
            assert np.concatenate([block for _, block in found.blocks()]).tolist() == matrix.tolist()
            starts, values, counts = found.cells()
            for g, row in enumerate(matrix.tolist()):
                cells = slice(starts[g], starts[g + 1])
                pairs = list(zip(values[cells].tolist(), counts[cells].tolist(), strict=True))
                assert pairs == [(v, n) for v, n in enumerate(row) if n]


def test_many_different_values_of_merged_classes_ascend() -> None:
    """60 values and two, so that they are looked for among all values, or sorted."""
    rows = [(f"{i:02}", (7 * i) % 60) for i in range(60)] + [("60", 5), ("61", 3), ("60", 9)]
    frame = pd.DataFrame(rows, columns=["a", "s"])
    tree = Hierarchy([(a, "few" if a >= "60" else "many", "*") for a in sorted(set(frame["a"]))])
    rolled = RollUp(FrequencySet.from_frame(frame, quasi_identifiers="a", sensitive="s"), {"a": tree}, compiled=True)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(node_classes, "_SPARSE", 0)
        found = rolled.at((1,))
        assert isinstance(found, DenseClasses)
        assert isinstance(found.counts, Cells)
    assert [sorted(found.cells()[1][a:b].tolist()) for a, b in ((0, 60), (60, 63))] == [list(range(60)), [3, 5, 9]]
    assert sorted_rows(rolled.classes((1,))) == [
        (("few",), [int(v in (3, 5, 9)) for v in range(60)]),
        (("many",), [1] * 60),
    ]


@effort(2 / 3)
@given(cases(), st.booleans(), st.data())
def test_suppressed_classes_leave_the_rest_and_the_reference_as_they_were(
    case: Case, compiled: bool, data: st.DataObject
) -> None:
    rolled = case.rolled(compiled=compiled)
    classes = rolled.classes(data.draw(st.sampled_from(list(case.nodes))))
    withheld = data.draw(st.sets(st.integers(0, len(classes) - 1), max_size=len(classes) - 1))
    left = rolled.suppressed(classes, np.array(sorted(withheld), dtype=np.int64))
    rows = sorted_rows(classes)
    assert sorted_rows(left) == [row for i, row in enumerate(rows) if i not in withheld]
    assert left.suppressed == sum(sum(rows[i][1]) for i in withheld)
    assert left.reference.tolist() == classes.reference.tolist()


@effort(1 / 4)
@given(st.data(), st.booleans())
def test_a_large_domain_of_labels_needs_no_large_table(data: st.DataObject, sparse: bool) -> None:
    """20 attributes of 10 values: 10²⁰ combinations do not fit 64 bits, so keys are numbered on the way."""
    names = [f"q{i}" for i in range(20 if sparse else 12)]
    rows = data.draw(st.lists(st.lists(st.integers(0, 9), min_size=len(names), max_size=len(names)), min_size=9))
    frame = pd.DataFrame(rows + [[i] * len(names) for i in range(10)], columns=names)
    frame["s"] = [i % 3 for i in range(len(frame))]
    hierarchies = {name: Hierarchy.intervals(range(10), [5], name=name) for name in names}
    frequencies = FrequencySet.from_frame(frame, quasi_identifiers=names, sensitive="s")
    rolled = RollUp(frequencies, hierarchies, compiled=not sparse)
    assert rolled.compiled is not sparse
    for level in (0, 1, 2):
        expected = frequencies.generalize(hierarchies, dict.fromkeys(names, level)).class_counts()
        assert sorted_rows(rolled.classes((level,) * len(names))) == sorted_rows(expected)


def test_memory_is_bounded() -> None:
    """Nodes that were used longest ago go first; at least one stays."""
    values = [f"{i:02}" for i in range(60)]
    frame = pd.DataFrame({"a": values, "b": values[::-1], "s": [0, 1] * 30})
    frequencies = FrequencySet.from_frame(frame, quasi_identifiers=["a", "b"], sensitive="s")
    hierarchies = {name: Hierarchy.prefixes(values, name=name) for name in "ab"}
    rolled = RollUp(frequencies, hierarchies, memory=4000)
    for node in rolled.lattice:
        rolled.at(node)
        assert rolled._held == sum(kept.memory for kept in rolled._kept.values())
        assert rolled._held <= 4000 or len(rolled._kept) == 1
    assert rolled.roll_ups == len(rolled.lattice)
    rolled.at(rolled.lattice.top)  # kept: no new roll-up
    assert rolled.roll_ups == len(rolled.lattice)
    rolled.forget()
    assert not rolled._kept


class _Interrupted(OrderedDict[Any, Any]):
    def clear(self) -> None:
        super().clear()
        raise KeyboardInterrupt


def test_after_an_interrupt_while_nodes_are_forgotten_the_others_are_found() -> None:
    rolled = RollUp(FrequencySet.from_frame(FRAME, quasi_identifiers="a", sensitive="s"), {"a": TREE})
    rolled.at(rolled.lattice.bottom)
    rolled._kept = _Interrupted(rolled._kept)
    with pytest.raises(KeyboardInterrupt):
        rolled.forget()
    assert rolled.classes(rolled.lattice.top).class_sizes.tolist() == [2]


def test_labels_of_almost_64_bits_are_not_confused_with_cells() -> None:
    """2⁶² combinations of labels fit int64; times three sensitive values they do not."""
    names, draw = [f"q{place:02}" for place in range(62)], np.random.default_rng(3)
    frame = pd.DataFrame(draw.integers(0, 2, (12, 62)), columns=names)
    frame["s"] = [0, 1, 2] * 4
    frame = pd.concat([frame, frame[:5].assign(s=1)])
    frequencies = FrequencySet.from_frame(frame, quasi_identifiers=names, sensitive="s")
    hierarchies = {name: Hierarchy.suppression([0, 1], name=name) for name in names}
    rolled = RollUp(frequencies, hierarchies, compiled=False)
    assert rolled.codes.size(rolled.lattice.bottom) == 2**62
    found, expected = rolled.classes(rolled.lattice.bottom), frequencies.class_counts()
    classes = range(len(expected))
    assert [(found.label(g), found.row(g)) for g in classes] == [(expected.label(g), expected.row(g)) for g in classes]


@pytest.mark.parametrize("compiled", [False, True])
def test_the_most_specific_classes_have_the_labels_of_their_values(compiled: bool) -> None:
    """Also where the order of the values is declared, and two values have one name."""
    frame = pd.DataFrame({"a": ["x", "z", "y", "z"], "s": [1, 1, 2, 3]})
    ordered = FrequencySet.from_frame(frame, quasi_identifiers="a", sensitive="s", orders={"a": ["z", "y", "x"]})
    rolled = RollUp(ordered, {"a": Hierarchy.suppression("xyz", name="a")}, compiled=compiled)
    found = rolled.classes((0,))
    assert {found.label(g)[0]: found.row(g) for g in range(3)} == {"x": {0: 1}, "y": {1: 1}, "z": {0: 1, 2: 1}}
    assert rolled.roll_ups == 1
    pairs = pd.DataFrame({"a": ["x", "y"], "b": ["z", "y"], "s": [1, 2]})
    ordered = FrequencySet.from_frame(pairs, quasi_identifiers=["a", "b"], sensitive="s", orders={"b": ["z", "y"]})
    trees = {name: Hierarchy.suppression("xyz", name=name) for name in "ab"}
    found = RollUp(ordered, trees, compiled=compiled).classes((0, 0))
    assert [found.label(g) for g in range(2)] == [("x", "z"), ("y", "y")]
    with pytest.warns(TableWarning, match="look the same"):
        alike = FrequencySet.from_frame(
            pd.DataFrame({"a": [1, "1", "2"], "s": [1, 1, 2]}, dtype=object), quasi_identifiers="a", sensitive="s"
        )
    rolled = RollUp(alike, {"a": Hierarchy.suppression(["1", "2"], name="a")}, compiled=compiled)
    assert rolled.classes((0,)).class_sizes.tolist() == [2, 1]


FRAME = pd.DataFrame({"a": ["x", "y"], "s": [1, 2]})
TREE = Hierarchy.suppression("xy", name="a")


def test_what_cannot_be_generalized_is_refused() -> None:
    frequencies = FrequencySet.from_frame(FRAME, quasi_identifiers="a", sensitive="s")
    marked = FrequencySet.from_frame(FRAME, quasi_identifiers="a", sensitive="s", suppressed="x")
    with pytest.raises(TableError, match="no hierarchy is given"):
        RollUp(frequencies, {})
    with pytest.raises(TableError, match="'b', which is not a quasi-identifier"):
        RollUp(frequencies, {"a": TREE, "b": TREE})
    with pytest.raises(TableError, match=r"1 record.* marked as suppressed"):
        RollUp(marked, {"a": TREE})
    with pytest.raises(HierarchyError, match="does not cover 1 of 2 values"):
        RollUp(frequencies, {"a": Hierarchy.suppression("x", name="a")})
    with pytest.raises(TableError, match="no node"):
        RollUp(frequencies, {"a": TREE}).classes((2,))


@pytest.mark.parametrize("marked", [0, 2**22])
def test_classes_of_a_node_that_are_withheld_are_those_that_the_release_suppresses(
    marked: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """However many labels there are, and whether rows are counted or left one by one, in any order."""
    monkeypatch.setattr(roll_up, "_MARKED", marked)
    draw = Random(5)
    for number, tiny in enumerate(tables(40, 3)):
        names = list(tiny.hierarchies)
        rows = [[*(tree[x][0] for tree, x in zip(tiny.trees, row, strict=False)), row[-1]] for row in tiny.rows]
        draw.shuffle(rows)
        table = Microdata.from_frame(pd.DataFrame(rows, columns=[*names, "s"]), quasi_identifiers=names, sensitive="s")
        keys = FrequencySet.of_rows(table) if number % 2 else FrequencySet.of(table)
        rolled = RollUp(keys, tiny.hierarchies, compiled=number % 4 < 2)
        for node in tiny.nodes:
            inside = rolled.at(node).inside
            gone = np.array([draw.random() < 0.4 for _ in inside])
            numbers = np.flatnonzero(gone[np.argsort(rolled.codes.keys(node, inside)[0])])
            whole = Release.full_domain(keys, tiny.hierarchies, dict(zip(names, node, strict=True)))
            expected = whole.suppress(numbers.tolist()) if len(numbers) else whole
            found = rolled.withheld(rolled.release(node), node, gone)
            assert found.withheld.tolist() == expected.withheld.tolist()
            for name in names:
                assert found.codes[name].tolist() == expected.codes[name].tolist()
                kept = found.codes[name][~found.withheld].tolist()
                weights = keys.counts[~found.withheld].tolist()
                counted = [
                    sum(n for code, n in zip(kept, weights, strict=True) if code == label)
                    for label in range(len(found.recodings[name].labels))
                ]
                assert found.label_counts(name).tolist() == counted


@pytest.mark.parametrize("sensitive", ["s", None])
def test_what_is_searched_is_written_with_the_sensitive_attribute_if_there_is_one(sensitive: Any) -> None:
    rows = {("1", "u"): 2, ("2", "v"): 1} if sensitive else {("1",): 2, ("2",): 1}
    counted = FrequencySet.from_counts(rows, quasi_identifiers=["q"], sensitive=sensitive)
    rolled = RollUp(counted, {"q": Hierarchy.suppression(["1", "2"], name="q")})
    written = {"records": 3, "sensitive": sensitive}
    assert rolled.to_dict() == {**rolled.lattice.to_dict(), **written}
