"""The regions of a partition: they tell its records apart as it does, and what is said of new records is true."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import tcloseness as tc
from proofs_tests.strategies import any_tree, fractions
from tcloseness.errors import InputError, TableError
from tcloseness.release.regions import Regions

TREE = tc.Hierarchy([("a", "ab", "*"), ("b", "ab", "*"), ("c", "cd", "*"), ("d", "cd", "*"), ("e", "e", "*")])
NUMBERS = st.one_of(st.integers(-3, 6), fractions(-3, 6, 4), st.sampled_from([2**53, 2**53 + 1, -(2**60), 10**25]))
LETTERS = st.sampled_from("abcde")
PRESENT = st.sampled_from("abde")  # c is in the hierarchy alone


@st.composite
def tables(draw: st.DrawFn) -> tuple[pd.DataFrame, dict[str, Any]]:
    """A table of a number, a category and a place in a hierarchy, any of which may be left out."""
    n = draw(st.integers(1, 14))
    columns = {
        "number": [draw(NUMBERS) for _ in range(n)],
        "other": [draw(st.integers(0, 4)) for _ in range(n)],
        "set": [draw(PRESENT) for _ in range(n)],
        "tree": [draw(PRESENT) for _ in range(n)],
    }
    names = draw(st.lists(st.sampled_from([*columns]), min_size=1, max_size=4, unique=True))
    frame = pd.DataFrame({name: pd.Series(columns[name], dtype=object) for name in names})
    frame["secret"] = [draw(st.sampled_from("xyz")) for _ in range(n)]
    return frame, {"tree": TREE} if "tree" in names else {}


def table_of(frame: pd.DataFrame, trees: dict[str, Any]) -> tc.Table:
    names = [name for name in frame.columns if name != "secret"]
    return tc.Table(frame, quasi_identifiers=names, sensitive="secret", hierarchies=trees)


def new_records(draw: st.DrawFn, frame: pd.DataFrame) -> dict[str, list[Any]]:
    n = draw(st.integers(0, 8))
    anything = NUMBERS | st.sampled_from([math.nan, math.inf, None, "x", ""])
    drawn = {"number": anything, "other": anything, "set": PRESENT, "tree": LETTERS}
    return {name: [draw(drawn[name]) for _ in range(n)] for name in frame.columns if name != "secret"}


def below(label: str) -> set[str]:
    """What a label of `TREE` or a set says, read as anybody would."""
    if label.startswith("{"):
        return set(label[1:-1].split(", "))
    return {row[0] for row in TREE.paths if label in row}


def holds(name: str, label: str, value: Any) -> bool:
    """Say whether a label, as it is written, stands for a value."""
    if name not in ("number", "other"):
        return value in below(label)
    if not isinstance(value, int | Fraction):
        return False
    low, high = label[1:-1].split(", ")
    return (low == "-∞" or value > Fraction(low)) and (high == "∞" or value <= Fraction(high))


@given(tables(), st.integers(1, 4), st.data())
def test_a_record_is_in_the_region_whose_label_holds_it_and_in_no_other(
    drawn: tuple[pd.DataFrame, dict[str, Any]], k: int, data: st.DataObject
) -> None:
    frame, trees = drawn
    table = table_of(frame, trees)
    found = table.anonymize("mondrian", k=min(k, len(frame)))
    regions = Regions.of(found.partition, found.attributes)
    asked = new_records(data.draw, frame)
    names = [a.name for a in regions.attributes]
    placed = regions.class_of(asked)
    for i, got in enumerate(placed.tolist()):
        at = [
            c
            for c, label in enumerate(regions.labels)
            if all(holds(name, text, asked[name][i]) for name, text in zip(names, label, strict=True))
        ]
        assert at == ([got] if got >= 0 else [])


@given(tables(), st.integers(1, 4), st.booleans())
def test_the_records_of_the_table_lie_in_their_own_classes(
    drawn: tuple[pd.DataFrame, dict[str, Any]], k: int, asks_of_secrets: bool
) -> None:
    frame, trees = drawn
    table = table_of(frame, trees)
    models = [tc.DistinctLDiversity(min(2, frame["secret"].nunique()))] if asks_of_secrets else []
    found = table.anonymize("mondrian", k=min(k, len(frame)), models=models)
    regions = Regions.of(found.partition, found.attributes)
    columns = {a.name: frame[a.name].tolist() for a in found.attributes}
    assert regions.class_of(columns).tolist() == found.partition.class_of.tolist()
    # one at a time, and in another order: the answer for a record is its own
    backwards = {name: values[::-1] for name, values in columns.items()}
    assert regions.class_of(backwards).tolist() == found.partition.class_of.tolist()[::-1]
    assert regions.class_of({name: values[:1] for name, values in columns.items()})[0] == found.partition.class_of[0]


@given(st.lists(NUMBERS, min_size=1, max_size=12), st.integers(1, 3), st.lists(NUMBERS, max_size=5))
def test_every_number_is_in_one_region(known: list[Any], k: int, asked: list[Any]) -> None:
    frame = pd.DataFrame({"number": pd.Series(known, dtype=object), "secret": "x"})
    found = table_of(frame, {}).anonymize("mondrian", k=min(k, len(known)))
    regions = Regions.of(found.partition, found.attributes)
    placed = regions.class_of({"number": asked}).tolist()
    assert len(placed) == len(asked)
    assert min(placed, default=0) >= 0
    means = regions.means("number")
    at = [means[c] for _, c in sorted(zip(map(Fraction, asked), placed, strict=True))]
    assert at == sorted(at)  # a greater number is in no lower region


@given(st.integers(1, 9), st.data())
def test_regions_of_any_partition_are_those_of_its_classes_or_refused(n: int, data: st.DataObject) -> None:
    frame = pd.DataFrame(
        {name: [data.draw(st.integers(0, 3)) for _ in range(n)] for name in ("x", "y")} | {"secret": ["s"] * n}
    )
    table = tc.Microdata.from_frame(frame, quasi_identifiers=["x", "y"], sensitive="secret")
    numbers = np.array([data.draw(st.integers(-1, 3)) for _ in range(n)])
    partition = tc.release.Partition(table, np.unique(np.append(numbers, -1), return_inverse=True)[1][:-1] - 1)
    if not len(partition):
        return
    attributes = tc.release.attributes_of(table)
    boxes = [(g, [(frame[c].iloc[g].min(), frame[c].iloc[g].max()) for c in "xy"]) for g in partition.groups]

    def apart(classes: list[int]) -> bool:
        """Say whether straight cuts, one after another, leave each class alone: tried in every way."""
        if len(classes) == 1:
            return True
        for axis in range(2):
            for cut in range(3):
                left = [c for c in classes if boxes[c][1][axis][1] <= cut]
                right = [c for c in classes if boxes[c][1][axis][0] > cut]
                if left and right and len(left) + len(right) == len(classes):
                    return apart(left) and apart(right)
        return False

    able = apart([*range(len(boxes))])
    columns = {name: frame[name].tolist() for name in ("x", "y")}
    if not able:
        with pytest.raises(InputError, match="have values in common"):
            Regions.of(partition, attributes)
    elif partition.suppressed:  # all numbers are in a region
        with pytest.raises(InputError, match="is suppressed and lies in the region of a class"):
            Regions.of(partition, attributes)
    else:
        assert Regions.of(partition, attributes).class_of(columns).tolist() == partition.class_of.tolist()


def test_classes_around_a_pinwheel_are_refused() -> None:
    cells = [(0, 0), (1, 0), (2, 0), (2, 1), (2, 2), (1, 2), (0, 2), (0, 1), (1, 1)]
    groups = [[0, 1], [2, 3], [4, 5], [6, 7], [8]]  # disjoint, and no straight cut divides them
    frame = pd.DataFrame(cells, columns=["x", "y"]).assign(secret="s")
    table = tc.Microdata.from_frame(frame, quasi_identifiers=["x", "y"], sensitive="secret")
    with pytest.raises(InputError, match=r"the labels of 5 classes .* take a method that divides the classes by cuts"):
        Regions.of(tc.release.Partition.of(table, groups), tc.release.attributes_of(table))


@given(st.lists(st.tuples(st.sampled_from("abde"), st.sampled_from("abde")), min_size=3, max_size=12))
@settings(max_examples=50)
def test_what_datafly_suppresses_is_in_no_region(rows: list[tuple[str, str]]) -> None:
    frame = pd.DataFrame(rows, columns=["tree", "also"]).assign(secret="s")
    table = table_of(frame, {"tree": TREE, "also": TREE})
    found = table.anonymize("datafly", k=2, suppression="0.4")
    regions = Regions.of(found.partition, found.attributes)
    columns = {name: frame[name].tolist() for name in ("tree", "also")}
    assert regions.class_of(columns).tolist() == found.partition.class_of.tolist()


def test_without_a_class_there_are_no_regions() -> None:
    frame = pd.DataFrame({"x": [1, 2], "secret": "s"})
    table = tc.Microdata.from_frame(frame, quasi_identifiers="x", sensitive="secret")
    with pytest.raises(InputError, match="all records are suppressed"):
        Regions.of(tc.release.Partition(table, np.array([-1, -1])), tc.release.attributes_of(table))


def test_a_suppressed_record_in_a_region_is_refused() -> None:
    frame = pd.DataFrame({"x": [1, 2, 3], "secret": "s"})
    table = tc.Microdata.from_frame(frame, quasi_identifiers="x", sensitive="secret")
    partition = tc.release.Partition.of(table, [[0, 2]])
    with pytest.raises(InputError, match="record 1 is suppressed and lies in the region of a class, and so do 0 more"):
        Regions.of(partition, tc.release.attributes_of(table))


@given(tables(), st.integers(1, 3))
def test_means_are_those_of_the_records(drawn: tuple[pd.DataFrame, dict[str, Any]], k: int) -> None:
    frame, trees = drawn
    found = table_of(frame, trees).anonymize("mondrian", k=min(k, len(frame)))
    regions = Regions.of(found.partition, found.attributes)
    for name in frame.columns.drop("secret"):
        if name in ("set", "tree"):
            with pytest.raises(InputError, match=f"{name!r} is not an attribute of numbers"):
                regions.means(name)
            continue
        values = [*map(Fraction, frame[name])]
        assert regions.means(name) == [sum(values[i] for i in g) / len(g) for g in found.partition.groups]


@given(st.randoms(use_true_random=False), st.integers(1, 3))
@settings(max_examples=40)
def test_any_hierarchy_has_regions(random: Any, k: int) -> None:
    tree = tc.Hierarchy(any_tree(random), ragged="keep")
    leaves = [*tree.values]
    frame = pd.DataFrame({"tree": [random.choice(leaves) for _ in range(8)], "secret": "s"})
    found = table_of(frame, {"tree": tree}).anonymize("mondrian", k=k)
    regions = Regions.of(found.partition, found.attributes)
    starts, places = found.attributes[0].below(found.partition.codes("tree"), found.partition.starts)
    held = {leaves[p]: c for c in range(len(found.partition)) for p in places[starts[c] : starts[c + 1]]}
    assert regions.class_of({"tree": leaves}).tolist() == [held.get(leaf, -1) for leaf in leaves]
    assert regions.class_of({"tree": ["not a leaf", leaves[0]]}).tolist() == [-1, held.get(leaves[0], -1)]


def test_records_that_do_not_fit_are_refused() -> None:
    frame = pd.DataFrame({"number": [1, 2], "other": [1, 1], "secret": "s"})
    found = table_of(frame, {}).anonymize("mondrian", k=1)
    regions = Regions.of(found.partition, found.attributes)
    with pytest.raises(TableError, match="the records have no quasi-identifier 'other'; there are number"):
        regions.class_of({"number": [1]})
    with pytest.raises(TableError, match=r"the columns have \[1, 2\] values; give one for each record"):
        regions.class_of({"number": [1], "other": [1, 2]})
    with pytest.raises(TableError, match="the quasi-identifier 'number' has a cell that is not one value"):
        regions.class_of({"number": [[1]], "other": [1]})
    assert regions.class_of({"number": [], "other": []}).tolist() == []


def test_one_class_is_everywhere_but_for_unknown_categories() -> None:
    frame = pd.DataFrame({"number": [1, 2], "set": ["a", "b"], "secret": "s"})
    found = table_of(frame, {}).anonymize("mondrian", k=2)
    regions = Regions.of(found.partition, found.attributes)
    assert regions.labels == [("(-∞, ∞)", "{a, b}")]
    assert regions.class_of({"number": [9, 9], "set": ["a", "z"]}).tolist() == [0, -1]
