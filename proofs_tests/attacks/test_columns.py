"""Who is alone under which columns: against a count by pandas of every set, and the laws that the counts keep."""

from __future__ import annotations

from fractions import Fraction
from itertools import chain, combinations
from math import comb, factorial

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, settings, strategies as st

import tcloseness as tc
from proofs_tests.effort import effort
from tcloseness.attacks import Columns
from tcloseness.attacks.column_sets import MOST_SETS
from tcloseness.attacks.columns import columns
from tcloseness.errors import InputError, MemoryLimitReached, TableError, TimeLimitReached

NAMES = ("a", "b", "c", "d")
CELLS = st.sampled_from([0, 1, 2, "0", "x", None, 1.5])


@st.composite
def frames(draw: st.DrawFn) -> pd.DataFrame:
    names = NAMES[: draw(st.integers(1, 4))]
    rows = draw(st.lists(st.tuples(*(CELLS for _ in names)), min_size=1, max_size=9))
    labels = draw(st.permutations([f"row {i}" for i in range(len(rows))]))
    return pd.DataFrame(rows, columns=list(names), index=labels, dtype=object)


def parts(names: tuple[str, ...], up_to: int) -> list[tuple[str, ...]]:
    return list(chain.from_iterable(combinations(names, size) for size in range(1, up_to + 1)))


def sizes_by_pandas(frame: pd.DataFrame, names: tuple[str, ...]) -> pd.Series:
    """The size of each row's class, counted from the texts of typed cells."""
    keys = frame[list(names)].map(lambda cell: (None if cell is None else isinstance(cell, str), str(cell)))
    together = keys.apply(tuple, axis=1)
    return together.map(together.value_counts())


@pytest.mark.long
@effort(2)
@given(frames(), st.integers(1, 4))
@pytest.mark.filterwarnings("ignore::tcloseness.errors.TableWarning")
def test_every_set_is_counted_as_pandas_groups_it(frame: pd.DataFrame, up_to: int) -> None:
    found = columns(frame, up_to=up_to, missing="category")
    names, n = tuple(frame), len(frame)
    assert [each.columns for each in found.sets] == parts(names, min(up_to, len(names)))
    for each in found.sets:
        size = sizes_by_pandas(frame, each.columns)
        classes = sum(Fraction(1, int(s)) for s in size)
        assert (each.records, each.classes) == (n, classes)
        assert (each.uniques, each.k) == (int((size == 1).sum()), int(size.min()))
        assert each.distinction == classes / n
        same = sum(int(s) - 1 for s in size) // 2
        assert each.separation == (1 - Fraction(same, comb(n, 2)) if n > 1 else 1)
        assert each.share == Fraction(each.uniques, n)


@pytest.mark.long
@effort(2)
@given(frames(), st.integers(1, 4))
@pytest.mark.filterwarnings("ignore::tcloseness.errors.TableWarning")
def test_minimal_sample_uniques_are_those_of_the_definition_and_all_of_them(frame: pd.DataFrame, up_to: int) -> None:
    found = columns(frame, up_to=up_to, missing="category")
    names = tuple(frame)
    alone = {s: sizes_by_pandas(frame, s) == 1 for s in parts(names, len(names))}
    wanted = {
        (row, s)
        for s in parts(names, min(up_to, len(names)))
        for row in range(len(frame))
        if alone[s].iloc[row] and not any(alone[part].iloc[row] for part in parts(s, len(s) - 1))
    }
    pairs = zip(found.unique_rows.tolist(), found.unique_sets.tolist(), strict=True)
    assert sorted((row, found.sets[place].columns) for row, place in pairs) == sorted(wanted)
    assert [each.minimal_uniques for each in found.sets] == [
        sum(s == each.columns for _, s in wanted) for each in found.sets
    ]
    smallest = [min(len(s) for r, s in wanted if r == row) for row in {row for row, _ in wanted}]
    assert found.sizes == {size: smallest.count(size) for size in sorted(set(smallest))}
    assert found.unique_records == len(smallest)

    att, m = len(names), min(up_to, len(names), len(names) - 1)
    points = {s: np.prod([att - i for i in range(len(s), m + 1)], dtype=object) for _, s in wanted}
    scores = {row: sum(points[s] for r, s in wanted if r == row) for row in sorted({r for r, _ in wanted})}
    assert found.scores() == scores
    total = sum(scores.values())
    for column in found.key_sets[0].columns:
        mine = sum(points[s] for _, s in wanted if column.name in s)
        assert column.contribution == (Fraction(mine, total) if total else 0)
    listed = found.records_frame()
    assert dict(zip(listed.index, listed["score"], strict=True)) == {frame.index[r]: s for r, s in scores.items()}
    assert listed["score"].is_monotonic_decreasing


@settings(max_examples=60, deadline=None)
@given(frames())
@pytest.mark.filterwarnings("ignore::tcloseness.errors.TableWarning")
def test_more_columns_never_tell_less_apart(frame: pd.DataFrame) -> None:
    found = columns(frame, missing="category")
    for small in found.sets:
        for great in found.sets:
            if set(small.columns) < set(great.columns):
                assert small.uniques <= great.uniques
                assert small.k >= great.k
                assert small.distinction <= great.distinction
                assert small.separation <= great.separation


@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(frames())
@pytest.mark.filterwarnings("ignore::tcloseness.errors.TableWarning")
def test_what_a_column_is_needed_for_is_what_the_others_leave_in_company(frame: pd.DataFrame) -> None:
    (found,) = columns(frame, up_to=1, missing="category").key_sets
    names = tuple(frame)
    alone = sizes_by_pandas(frame, names) == 1
    assert found.whole.uniques == int(alone.sum())
    for column in found.columns:
        rest = tuple(name for name in names if name != column.name)
        others = (sizes_by_pandas(frame, rest) == 1) if rest else pd.Series([len(frame) == 1] * len(frame), frame.index)
        assert column.needed == int((alone & ~others).sum())
        assert column.alone == int((sizes_by_pandas(frame, (column.name,)) == 1).sum())


@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(frames(), st.data())
@pytest.mark.filterwarnings("ignore::tcloseness.errors.TableWarning")
def test_a_key_set_of_several_is_answered_as_if_it_were_alone(frame: pd.DataFrame, data: st.DataObject) -> None:
    names = tuple(frame)
    chosen = data.draw(st.lists(st.sets(st.sampled_from(names), min_size=1), min_size=1, max_size=3))
    key_sets = {f"intruder {i}": sorted(each) for i, each in enumerate(chosen)}
    both = columns(frame, quasi_identifiers=key_sets, missing="category")
    counted = [frozenset(each.columns) for each in both.sets]
    wanted = {frozenset(s) for s in parts(names, len(names)) if any(set(s) <= each for each in chosen)}
    assert set(counted) == wanted
    assert len(counted) == len(wanted)
    for (name, each), mine in zip(key_sets.items(), both.key_sets, strict=True):
        one = columns(frame, quasi_identifiers=each, missing="category")
        if one.up_to == both.up_to:
            assert both.scores(name) == one.scores()
            assert mine.columns == one.key_sets[0].columns
        assert mine.whole.uniques == one.key_sets[0].whole.uniques
        assert both.of(*each).k == one.of(*each).k


@pytest.mark.long
@settings(max_examples=60, deadline=None)
@given(frames(), st.data())
@pytest.mark.filterwarnings("ignore::tcloseness.errors.TableWarning")
def test_a_weight_is_as_many_rows_and_the_rows_are_told_beside(frame: pd.DataFrame, data: st.DataObject) -> None:
    weights = data.draw(st.lists(st.sampled_from([1, 1, 2, 3]), min_size=len(frame), max_size=len(frame)))
    found = columns(frame.assign(weight=weights), weight="weight", missing="category")
    repeated = columns(frame.loc[np.repeat(frame.index, weights)].reset_index(drop=True), missing="category")
    assert found.sets == repeated.sets
    assert found.over_rows is not None
    assert found.over_rows.sets == columns(frame, missing="category").sets


def of_adult(rows: int = 400) -> pd.DataFrame:
    draw = np.random.default_rng(7)
    sizes = {"age": 40, "sex": 2, "zip": 9, "job": 12}
    return pd.DataFrame({name: draw.integers(0, size, rows) for name, size in sizes.items()})


def test_counts_rows_and_files_are_answered_alike(tmp_path: pytest.TempPathFactory) -> None:
    frame = of_adult()
    file = tmp_path / "table.csv"  # type: ignore[operator]
    frame.to_csv(file, index=False)
    found = columns(frame)
    for other in (file, tc.FrequencySet.read(frame, quasi_identifiers=["age", "sex", "zip"], sensitive="job")):
        again = columns(other, quasi_identifiers=list(frame))
        assert again.sets == found.sets
        assert sorted(again.scores().values()) == sorted(found.scores().values())
    table = tc.Table(frame, quasi_identifiers=["age", "sex"], sensitive="job")
    assert table.columns().sets == columns(frame, quasi_identifiers=["age", "sex"]).sets
    assert table.columns(quasi_identifiers=["age", "job"], up_to=1).up_to == 1


def test_a_release_is_asked_as_it_is_published() -> None:
    table = tc.Table(of_adult(60), quasi_identifiers=["age", "zip"], sensitive="job")
    made = table.anonymize("mondrian", k=3)
    assert columns(made).of("age", "zip").k == int(made.partition.sizes.min())


def test_suppressed_records_are_in_no_class() -> None:
    frame = pd.DataFrame({"age": ["1", "1", "*"], "zip": ["7", "8", "*"]})
    found = columns(frame, suppressed="*")
    assert (found.records, found.suppressed, found.of("age").k, found.of("age", "zip").uniques) == (2, 1, 2, 2)
    assert found.unique_rows.tolist() == [0, 1]
    original = tc.FrequencySet.from_frame(of_adult(5), quasi_identifiers="age", sensitive="job")
    release = tc.Release.full_domain(original)
    with pytest.raises(TableError, match="every record of the table is suppressed"):
        columns(release.suppress(range(len(release))))


def test_counts_beyond_exact_doubles_and_their_squares_are_whole() -> None:
    weights = [2**53 + 1, 2**53 + 1, 1]
    found = columns(pd.DataFrame({"a": [1, 1, 2], "b": [1, 2, 3], "w": weights}), weight="w")
    assert found.of("a").pairs_together == comb(2**54 + 2, 2)
    assert found.of("b").k == 1
    assert found.of("b").uniques == 1


def test_it_is_said_how_many_columns_are_enough_for_whom() -> None:
    frame = pd.DataFrame({"a": [0, 0, 1, 1, 2], "b": [0, 1, 0, 1, 0]})  # one is alone by a, and four by both
    assert columns(frame).sizes == {1: 1, 2: 4}
    assert columns(frame).explain().endswith(" 1 record is alone by 1 column already.")
    assert columns(frame.iloc[:4]).explain().endswith(" 4 records are alone by 2 columns already.")
    assert "already" not in columns(frame[["b"]]).explain()


def test_the_score_of_a_set_is_the_number_of_ways_to_add_the_other_columns() -> None:
    frame = pd.DataFrame({name: [0, 0, 0, int(name == "a")] for name in "abcde"})
    assert columns(frame).scores() == {3: factorial(4)}


WAYS_TO_BE_WRONG = [
    ({"up_to": 0}, InputError, "up_to is 0"),
    ({"up_to": True}, InputError, "up_to is True"),
    ({"most_sets": 14}, InputError, "up to 15 sets of at most 4, and 14 are counted at most; give up_to=3"),
    ({"quasi_identifiers": ["age", "age"]}, InputError, "more than once"),
    ({"quasi_identifiers": [["age"], ["sex"]]}, InputError, "several key sets are a mapping"),
    ({"quasi_identifiers": {"x": []}}, InputError, "at least one column"),
    ({"quasi_identifiers": {}}, InputError, "no key set is given"),
    ({"quasi_identifiers": "agee"}, TableError, "did you mean 'age'"),
    ({"quasi": 1}, InputError, "has no argument 'quasi'"),
    ({"person": "job"}, TableError, "one row a person"),
    ({"time_limit": 1e-9}, TimeLimitReached, "0 of 15 were counted"),
    ({"memory_limit": 100}, MemoryLimitReached, "a smaller up_to"),
]


@pytest.mark.parametrize(("asked", "error", "words"), WAYS_TO_BE_WRONG)
def test_a_wrong_question_is_named_with_a_way_out(asked: dict, error: type[Exception], words: str) -> None:
    with pytest.raises(error, match=words):
        columns(of_adult(), **asked)


def test_the_way_out_of_too_many_sets_works() -> None:
    frame = pd.DataFrame(np.eye(30, dtype=int), columns=[f"c{i}" for i in range(30)])
    assert 31_930 <= MOST_SETS < 31_930 + comb(30, 5)
    with pytest.raises(InputError, match=r"give up_to=4 \(31,930 sets\)"):
        columns(frame)
    assert len(columns(frame, up_to=2).sets) == 465


def test_unknown_names_of_a_result_are_refused() -> None:
    found = columns(of_adult(), up_to=2)
    with pytest.raises(InputError, match="counted were sets of up to 2"):
        found.of("age", "sex", "zip")
    with pytest.raises(InputError, match="key set 'neighbour' is unknown"):
        found.scores("neighbour")


def test_frames_and_sentences_hold_no_value_of_the_table() -> None:
    frame = of_adult(50).map(lambda cell: f"value{cell}")
    found = columns(frame, up_to=2)
    shown = [found.explain(), str(found.to_dict()), repr(found)]
    shown += [each.to_csv() for each in (found.to_frame(), found.columns_frame(), found.records_frame())]
    assert all("value" not in text.replace("values", "") for text in shown)
    assert len(repr(found)) < 300
    assert isinstance(found, Columns)
    assert list(found.columns_frame()["contribution"]) == sorted(found.columns_frame()["contribution"], reverse=True)


@pytest.mark.slow
def test_all_sets_of_nine_columns_of_thirty_thousand_records_take_under_three_seconds() -> None:
    import time

    draw = np.random.default_rng(3)
    sizes = (72, 7, 16, 7, 14, 5, 2, 94, 41)  # as of nine columns of Adult
    frame = pd.DataFrame({f"c{i}": (draw.beta(1, 4, 30_162) * size).astype(int) for i, size in enumerate(sizes)})
    begun = time.process_time()
    assert len(columns(frame).sets) == 511
    assert time.process_time() - begun < 3
