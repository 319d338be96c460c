"""Counting is invariant under everything that does not change the records, and equals a count by dictionaries."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
from hypothesis import given, strategies as st

from proofs_tests.microdata.naive import as_counted, counted, rows
from proofs_tests.strategies import CELLS, counts, hierarchies, refinements, reindexed, tables
from tcloseness.microdata import ClassCounts, FrequencySet, Hierarchy
from tcloseness.microdata.grouping import combined_codes, grouped

KEYS = ["q1", "q2"]
COLUMNS = (*KEYS, "s")


def classes(frame: pd.DataFrame, **options: Any) -> ClassCounts:
    return frequency(frame, **options).class_counts()


def frequency(frame: pd.DataFrame, **options: Any) -> FrequencySet:
    return FrequencySet.from_frame(frame, **{"quasi_identifiers": KEYS, "sensitive": "s", **options})


@given(tables(missing=COLUMNS))
def test_classes_are_those_of_a_count_by_dictionaries(frame: pd.DataFrame) -> None:
    assert as_counted(classes(frame, missing="category")) == counted(frame, KEYS, "s")
    kept = frame.dropna(subset=list(COLUMNS))
    if len(kept):
        assert as_counted(classes(frame, missing="drop")) == counted(kept, KEYS, "s")


@given(tables(missing=COLUMNS), st.data())
def test_row_column_and_index_order_change_nothing_at_all(frame: pd.DataFrame, data: st.DataObject) -> None:
    """Not the classes, not their order, not the domain: everything is sorted by value."""
    expected = classes(frame, missing="category")
    shuffled = frame.iloc[data.draw(st.permutations(range(len(frame))))]
    shuffled = shuffled[data.draw(st.permutations(list(frame.columns)))]
    found = classes(data.draw(reindexed(shuffled)), missing="category")
    assert rows(found) == rows(expected)
    assert found.domain == expected.domain
    assert found.reference.tolist() == expected.reference.tolist()


@given(tables(missing=COLUMNS), st.data())
def test_the_dtype_of_a_column_changes_nothing(frame: pd.DataFrame, data: st.DataObject) -> None:
    """Objects, nullable dtypes, and categoricals with unused categories in any order hold the same values."""
    held = frame.copy()
    for name in COLUMNS:
        present = [v for v in dict.fromkeys(frame[name].tolist()) if not pd.isna(v)]
        kinds = {type(v) for v in present}
        choices = ["object", "categorical"]
        choices += ["Int64", "float"] if kinds == {int} else ["string"] if kinds == {str} else []
        match data.draw(st.sampled_from(choices)):
            case "categorical":
                unused = ["never", *(c for c in CELLS["text"] if c not in present)]
                categories = data.draw(st.permutations([*present, *unused]))
                held[name] = pd.Categorical(frame[name].tolist(), categories=categories)
            case "float":
                held[name] = frame[name].astype("float64")
            case dtype:
                held[name] = pd.Series(frame[name].tolist(), dtype=dtype)
    assert rows(classes(held, missing="category")) == rows(classes(frame, missing="category"))


@given(tables(), st.data())
def test_renaming_values_renames_labels_and_nothing_else(frame: pd.DataFrame, data: st.DataObject) -> None:
    names: dict[str, dict[Any, str]] = {}
    for column in COLUMNS:
        present = list(dict.fromkeys(frame[column].tolist()))
        fresh = data.draw(st.permutations([f"r{i}" for i in range(len(present))]))
        names[column] = dict(zip(present, fresh, strict=True))
    renamed = frame.apply(lambda column: column.map(names[column.name]))
    expected = counted(frame.apply(lambda c: pd.Series([names[c.name][v] for v in c.tolist()])), KEYS, "s")
    assert as_counted(classes(renamed)) == expected


@given(tables(), st.integers(2, 3))
def test_repeating_all_rows_multiplies_every_count(frame: pd.DataFrame, times: int) -> None:
    once, often = classes(frame), classes(pd.concat([frame] * times))
    assert rows(often) == [(label, {v: times * n for v, n in row.items()}) for label, row in rows(once)]
    assert often.reference.tolist() == [times * n for n in once.reference.tolist()]


@given(tables())
def test_a_constant_quasi_identifier_changes_nothing(frame: pd.DataFrame) -> None:
    wider = classes(frame.assign(country="NL"), quasi_identifiers=["q1", "country", "q2"])
    assert [row for _, row in rows(wider)] == [row for _, row in rows(classes(frame))]


@given(tables(), st.data())
def test_a_weight_is_that_many_equal_rows(frame: pd.DataFrame, data: st.DataObject) -> None:
    weights = data.draw(st.lists(st.integers(1, 4), min_size=len(frame), max_size=len(frame)))
    weighted = classes(frame.assign(w=weights), weight="w")
    assert rows(weighted) == rows(classes(frame.iloc[np.repeat(np.arange(len(frame)), weights)]))


@given(tables(), st.data())
def test_a_huge_weight_is_counted_exactly(frame: pd.DataFrame, data: st.DataObject) -> None:
    weights = data.draw(st.lists(counts(1), min_size=len(frame), max_size=len(frame)))
    weighted = classes(frame.assign(w=weights), weight="w")
    assert as_counted(weighted) == counted(frame, KEYS, "s", weights=weights)


@given(tables())
def test_dropping_a_column_is_projecting(frame: pd.DataFrame) -> None:
    for kept in ([], ["q1"], ["q2"], ["q2", "q1"]):
        projected = frequency(frame).project(kept)
        assert rows(projected.class_counts()) == rows(classes(frame, quasi_identifiers=kept))
        assert projected.records == len(frame)


@st.composite
def generalizations(draw: st.DrawFn) -> tuple[pd.DataFrame, dict[str, Hierarchy], dict[str, int]]:
    """A table, a hierarchy for each quasi-identifier over the values that occur, and a level of each."""
    frame = draw(tables(kinds=("text", "numbers")))
    chains = {name: draw(hierarchies(values=list(dict.fromkeys(frame[name].tolist())))) for name in KEYS}
    return frame, chains, {name: draw(st.integers(0, chains[name].height)) for name in KEYS}


@given(generalizations())
def test_rolling_up_is_generalizing_every_cell_first(
    drawn: tuple[pd.DataFrame, dict[str, Hierarchy], dict[str, int]],
) -> None:
    frame, chains, levels = drawn
    rolled = frequency(frame).generalize(chains, levels)
    cells = {n: {p[0]: p[levels[n]] for p in chains[n].paths} for n in KEYS}
    recoded = frame.assign(**{n: [cells[n][v] for v in frame[n].tolist()] for n in KEYS})
    assert rows(rolled.class_counts()) == rows(classes(recoded))
    assert rolled.class_counts().reference.tolist() == classes(frame).reference.tolist()


@given(tables(kinds=("text",)), st.data())
def test_merging_refined_classes_is_counting_the_coarser_map(frame: pd.DataFrame, data: st.DataObject) -> None:
    """Count by the finer of two nested maps, merge the classes that share a coarse label: the coarse count."""
    keys = list(dict.fromkeys(frame["q1"]))
    fine, coarse = data.draw(refinements(keys))
    finer = classes(frame.assign(q1=frame["q1"].map(fine)), quasi_identifiers="q1")
    coarser = classes(frame.assign(q1=frame["q1"].map(coarse)), quasi_identifiers="q1")
    above = {fine[v]: coarse[v] for v in keys}
    groups: dict[Any, list[int]] = {label: [] for (label,), _ in rows(coarser)}
    for g in range(len(finer)):
        groups[above[finer.label(g)[0]]].append(g)
    merged = finer.merge(list(groups.values()))
    assert [merged.row(g) for g in range(len(merged))] == [row for _, row in rows(coarser)]
    assert merged.reference.tolist() == coarser.reference.tolist()


@given(tables(missing=COLUMNS), st.sampled_from(["category", "drop"]))
def test_reading_and_counting_change_nothing_in_the_frame(frame: pd.DataFrame, missing: str) -> None:
    before = frame.copy(deep=True)
    if missing == "category" or frame.notna().all(axis=1).any():
        classes(frame, missing=missing)
    pd.testing.assert_frame_equal(frame, before)


# ---------------------------------------------------------------------- the keys themselves


@given(st.data(), st.integers(1, 4), st.integers(1, 8))
def test_combined_codes_sort_and_agree_exactly_as_tuples_do(data: st.DataObject, width: int, n: int) -> None:
    """Also where the radices multiply past 2⁶³ and what was combined so far is renumbered."""
    radices = data.draw(st.lists(st.sampled_from([1, 3, 2**31, 2**40]), min_size=width, max_size=width))
    code = [st.sampled_from(sorted({0, r // 2, r - 1})) for r in radices]
    tuples = data.draw(st.lists(st.tuples(*code), min_size=n, max_size=n))
    columns = [np.array(column, dtype=np.int64) for column in zip(*tuples, strict=True)]
    combined = combined_codes(columns, radices).tolist()
    for i in range(n):
        for j in range(n):
            assert (combined[i] < combined[j]) == (tuples[i] < tuples[j])
            assert (combined[i] == combined[j]) == (tuples[i] == tuples[j])


def test_keys_that_would_be_equal_modulo_two_to_the_64_stay_apart() -> None:
    """(2²⁴, 0, 0) and (0, 0, 0) with radices 2⁴⁰: the plain mixed radix gives 2²⁴·2⁸⁰ ≡ 0 (mod 2⁶⁴)."""
    columns = [np.array(column) for column in ([2**24, 0], [0, 0], [0, 0])]
    high, low = combined_codes(columns, [2**40] * 3).tolist()
    assert high > low


@given(st.lists(st.tuples(st.integers(0, 5), counts(1)), min_size=1, max_size=20))
def test_grouped_sums_by_key(pairs: list[tuple[int, int]]) -> None:
    key, weight = (np.array(column, dtype=np.int64) for column in zip(*pairs, strict=True))
    heads, sums = grouped(key, weight)
    expected: dict[int, int] = {}
    for k, n in pairs:
        expected[k] = expected.get(k, 0) + n
    assert dict(zip(key[heads].tolist(), sums.tolist(), strict=True)) == expected
    assert key[heads].tolist() == sorted(expected)
    assert all(key.tolist().index(key[h]) == h for h in heads)


def test_keys_are_grouped_by_all_of_their_bits() -> None:
    for bits in range(1, 63):
        key = np.array([2**bits, 0, 2**bits - 1, 2**bits, 1, 0])
        heads, sums = grouped(key, np.array([1, 2, 4, 8, 16, 32]))
        assert key[heads].tolist() == sorted(set(key.tolist()))
        assert dict(zip(key[heads].tolist(), sums.tolist(), strict=True))[2**bits] == 9
        assert heads.tolist() == [key.tolist().index(k) for k in sorted(set(key.tolist()))]


def test_counts_near_the_greatest_whole_number_are_grouped_as_others_are() -> None:
    """One sort of combinations with their counts does not fit int64 here, with the mark of suppressed records."""
    most = 2**61
    counts = {("~", "x", 1): most - 1, ("a", "x", 1): 2, ("b", "x", 1): 3, ("~", "x", 2): 1}
    found = FrequencySet.from_counts(counts, quasi_identifiers=["q"], sensitive=["s", "n"], suppressed="~")
    alone = replace(found, sensitive=("s",)).project(["q"])
    assert alone.counts.tolist() == [2, 3, most]
    assert alone.suppressed.tolist() == [False, False, True]
    assert [alone.domains["q"].values[code] for code in alone.codes["q"]] == ["a", "b", "~"]
