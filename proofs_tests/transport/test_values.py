"""The distance of raw values is that of their masses, and its moves turn the one column into the other."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

import tcloseness as tc
from proofs_tests.effort import effort
from tcloseness.errors import DomainError, InputError, TableError
from tcloseness.transport import Transformation, emd_of

COLUMN = st.lists(st.integers(-3, 4), min_size=1, max_size=12)


def masses(values: list[int], over: list[int]) -> list[Fraction]:
    return [Fraction(values.count(value), len(values)) for value in over]


@pytest.mark.long
@given(COLUMN, COLUMN, st.sampled_from(["ordered", "ordered-by-value", "equal", "matrix"]), st.randoms())
@effort(3)
def test_the_distance_of_raw_values_is_that_of_their_masses(first: list, second: list, name: str, draw: object) -> None:
    over = sorted({*first, *second})
    own = {a: {b: abs(a - b) ** 1 for b in over} for a in over}
    ground = own if name == "matrix" else name
    if name.startswith("ordered") and len(over) == 1:
        over_ground = tc.ground.ground_distance(ground, tc.Domain.declare(over))
    over_ground = tc.ground.ground_distance(ground, tc.Domain.declare(over))
    found = emd_of(first, pd.Series(second, name="theirs"), ground=ground)
    assert found.value == tc.emd(masses(first, over), masses(second, over), over_ground)
    assert float(found) == float(found.value)
    assert found.names == ("first", "theirs")
    assert found.counts == (len(first), len(second))
    found.certificate.verify() if hasattr(found.certificate, "verify") else None

    left = dict(zip(over, masses(first, over), strict=True))
    for row in found.to_frame().to_dict("records"):
        a, b, mass = int(row["from"]), int(row["to"]), Fraction(row["mass"])
        left[a] -= mass
        left[b] += mass
        assert Fraction(row["cost"]) == mass * Fraction(row["distance"])
    assert list(left.values()) == masses(second, over)
    assert sum(Fraction(cost) for cost in found.to_frame()["cost"]) == found.value
    draw.shuffle(first)  # type: ignore[attr-defined]
    assert emd_of(np.array(first), second, ground=ground).value == found.value


@pytest.mark.long
@given(st.lists(st.tuples(st.sampled_from("xyz"), st.integers(0, 4)), min_size=2, max_size=14))
@effort(0.5)
def test_groups_of_a_frame_are_its_rows_and_one_is_compared_with_all(rows: list) -> None:
    frame = pd.DataFrame(rows, columns=["group", "value"])
    of = {group: [value for mine, value in rows if mine == group] for group, _ in rows}
    for a in of:
        alone = emd_of(frame, column="value", by="group", groups=a, ground="equal")
        assert alone.value == emd_of(of[a], [value for _, value in rows], ground="equal").value
        for b in of:
            both = emd_of(frame, column="value", by="group", groups=(a, b), ground="equal")
            assert both.value == emd_of(of[a], of[b], ground="equal").value
            assert both.counts == (len(of[a]), len(of[b]))
    if len(of) == 2:
        assert emd_of(frame, column="value", by="group", ground="equal").names == tuple(
            f"group = {name}" for name in sorted(of)
        )


def test_a_group_against_all_rows_is_its_t_closeness() -> None:
    frame = pd.DataFrame({"zip": list("aabbb"), "salary": [3, 4, 4, 5, 9]})
    table = tc.Table(frame, quasi_identifiers="zip", sensitive="salary", ground="ordered")
    worst = max(table.emd(by="zip", groups=each).value for each in "ab")
    (result,) = [each for each in table.check().attributes[0].results if each.model == "t-closeness"]
    assert worst == result.value
    assert table.emd(by="zip").value == emd_of(frame, column="salary", by="zip", ground="ordered").value


def test_an_own_matrix_may_be_a_frame_an_array_or_dicts() -> None:
    own = pd.DataFrame([[0, 1, 3], [1, 0, 2], [3, 2, 0]], index=list("abc"), columns=list("abc"))
    asked = [own, own.to_dict(), own.to_numpy(), own.to_numpy().tolist()]
    assert {emd_of(list("ab"), list("cc"), ground=each).value for each in asked} == {Fraction(5, 2)}
    reordered = own.loc[list("cab"), list("bca")]
    assert emd_of(list("ab"), list("cc"), ground=reordered).value == Fraction(5, 2)


@pytest.mark.filterwarnings("ignore::tcloseness.errors.TableWarning")
def test_values_are_told_apart_by_kind_and_missing_ones_as_asked() -> None:
    assert emd_of([1, "1"], ["1", True], ground="equal").value == Fraction(1, 2)
    frame = pd.DataFrame({"by": [1, "1", True, 1.0], "value": [1, 2, 3, 4]}, dtype=object)
    assert emd_of(frame, column="value", by="by", groups=(1, "1"), ground="equal").counts == (2, 1)
    with pytest.raises(TableError, match="missing='category'"):
        emd_of([3, None], [4], ground="equal")
    assert emd_of([3, None, np.nan], [3], ground="equal", missing="drop").value == 0
    assert emd_of([3, None, np.nan], [3], ground="equal", missing="category").value == Fraction(2, 3)
    with pytest.raises(InputError, match="all values of second are missing"):
        emd_of([3], [None], ground="equal", missing="drop")


def test_a_declared_order_holds_values_that_do_not_occur() -> None:
    assert emd_of(["lo"], ["hi"], ground="ordered", order=["lo", "mid", "top", "hi"]).value == 1
    assert emd_of(["lo"], ["mid"], ground="ordered", order=["lo", "mid", "hi"]).value == Fraction(1, 2)


FRAME = pd.DataFrame({"sex": ["f", "m", "x"], "salary": [3, 4, 5]})
WRONG = [
    (((FRAME,), {"ground": "equal"}), InputError, "of a frame column= is needed"),
    (((FRAME, [1]), {"ground": "equal"}), InputError, "a frame and a second column"),
    (((FRAME,), {"ground": "equal", "column": "salary", "by": "sex"}), InputError, "has 3 different values; name two"),
    (((FRAME,), {"ground": "equal", "column": "pay", "by": "sex"}), TableError, "0 columns 'pay'"),
    (
        ((FRAME,), {"ground": "equal", "column": "salary", "by": "sex", "groups": ("f", "q")}),
        InputError,
        "no row has 'q'",
    ),
    (
        ((FRAME,), {"ground": "equal", "column": "salary", "by": "sex", "groups": ("f", "m", "x")}),
        InputError,
        "name two",
    ),
    ((([3],), {"ground": "equal"}), InputError, "give two columns"),
    ((([3], [4]), {"ground": "equal", "by": "sex"}), InputError, "belong to a frame alone"),
    ((("abc", [4]), {"ground": "equal"}), InputError, "the first column is 'abc'"),
    ((([3], 4), {"ground": "equal"}), TableError, "takes Iterable"),
    ((([3], np.eye(2)), {"ground": "equal"}), InputError, "one dimension"),
    ((([], [4]), {"ground": "equal"}), InputError, "first has no values"),
    ((([3], [4]), {"ground": "orderd"}), DomainError, "'orderd' is unknown"),
    ((([3], [4]), {"ground": [[0]]}), DomainError, "1 values and the domain 2"),
    (((["a"], ["b"]), {"ground": "ordered"}), DomainError, "declare the order"),
]


@pytest.mark.parametrize(("asked", "error", "words"), WRONG)
def test_what_is_not_two_columns_is_named_with_a_way_out(asked: tuple, error: type[Exception], words: str) -> None:
    given, named = asked
    with pytest.raises(error, match=words):
        emd_of(*given, **named)


def test_it_draws_and_says_itself_without_a_value(tmp_path: object) -> None:
    found = emd_of(["secret1", "secret1"], ["secret2"], ground="equal")
    assert isinstance(found, Transformation)
    assert "secret" not in repr(found)
    assert len(repr(found)) < 300
    figure = found.plot()
    legend = {text.get_text() for text in figure.axes[0].get_legend().get_texts()}
    assert {"first", "second"} <= legend
    assert Counter(found.to_dict()["values"]) == Counter([2, 1])
    same = emd_of([1], [1], ground="equal")
    assert same.value == 0
    assert len(same.to_frame()) == 0
    assert list(same.to_frame())[:2] == ["from", "to"]


@pytest.mark.parametrize("column", [Counter({"a": 3, "b": 1}), {"a": 3}, {"a", "b"}, frozenset("ab"), {"a": 1}.keys()])
def test_what_does_not_say_how_often_each_value_stands_in_it_is_refused(column: object) -> None:
    with pytest.raises(InputError, match="in which each value stands as often as it occurs"):
        emd_of(column, ["a", "b"], ground="equal")
    with pytest.raises(InputError, match="in which each value stands as often as it occurs"):
        emd_of(["a", "b"], column, ground="equal")


@pytest.mark.long
def test_a_drawing_replaces_no_file_unless_told_to(tmp_path: Path) -> None:
    found = emd_of([1, 2], [2, 3], ground="ordered")
    file = tmp_path / "moves.svg"
    found.plot(path=file)
    assert b"<svg" in file.read_bytes()
    file.write_text("mine")
    with pytest.raises(InputError, match="exists and is not overwritten"):
        found.plot(path=file)
    assert file.read_text() == "mine"
    found.plot(path=file, force=True)
    assert b"<svg" in file.read_bytes()
