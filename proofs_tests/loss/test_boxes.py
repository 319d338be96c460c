"""Losses of boxes of numbers: tight boxes, inherited ones, and exactness."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, strategies as st

from proofs_tests.loss.naive import Case, cases
from proofs_tests.strategies import fractions, partitions
from tcloseness.errors import InputError
from tcloseness.loss import GlobalCertaintyPenalty, certainty_of_boxes, tight_boxes

POINTS = [(1, 1), (2, 2), (8, 8), (9, 9)]
PAIRS = [[0, 1], [2, 3]]
RANGES = [(1, 9), (1, 9)]


def test_tight_boxes_of_two_pairs_cost_one_eighth_and_inherited_ones_nine_sixteenths() -> None:
    """Each pair spans 1 of 8 in both attributes; a box that was split in the first keeps 8 of 8 in the second."""
    assert certainty_of_boxes(tight_boxes(POINTS, PAIRS), [2, 2], RANGES).value == Fraction(1, 8)
    inherited = [[(1, 2), (1, 9)], [(8, 9), (1, 9)]]
    assert certainty_of_boxes(inherited, [2, 2], RANGES).value == Fraction(9, 16)


@given(st.data())
def test_gcp_of_tight_boxes_is_the_mean_width_of_the_records_boxes(data: st.DataObject) -> None:
    n, d = data.draw(st.integers(1, 8)), data.draw(st.integers(1, 3))
    points = data.draw(st.lists(st.tuples(*[fractions()] * d), min_size=n, max_size=n))
    groups = data.draw(partitions(n))
    ranges = [(min(p[a] for p in points), max(p[a] for p in points)) for a in range(d)]
    costs = []
    for i in range(n):
        mine = [points[j] for j in next(group for group in groups if i in group)]
        for a, (low, high) in enumerate(ranges):
            width = max(p[a] for p in mine) - min(p[a] for p in mine)
            costs.append(width / (high - low) if high > low else Fraction(0))
    found = certainty_of_boxes(tight_boxes(points, groups), [len(g) for g in groups], ranges)
    assert found.value == sum(costs) / len(costs)
    merged = certainty_of_boxes(tight_boxes(points, [list(range(n))]), [n], ranges)
    assert found.compare(merged) <= 0


@given(st.data())
def test_whole_numbers_in_an_array_give_the_same_boxes(data: st.DataObject) -> None:
    n = data.draw(st.integers(1, 8))
    points = data.draw(st.lists(st.tuples(st.integers(-9, 9), st.integers(-9, 9)), min_size=n, max_size=n))
    groups = data.draw(partitions(n))
    assert tight_boxes(np.array(points), groups) == tight_boxes(points, groups)


@given(cases(suppress=False))
def test_boxes_agree_with_the_tight_numeric_cells_of_a_release(case: Case) -> None:
    """Age alone: its GCP with class extents is the GCP of the classes' boxes."""
    ages = [row[1] for row in case.rows]
    groups = list(case.classes().values())
    boxes = tight_boxes([(age,) for age in ages], groups)
    found = certainty_of_boxes(boxes, [len(g) for g in groups], [(min(ages), max(ages))], attributes=["age"])
    penalty = GlobalCertaintyPenalty(numeric="age", extent="class", leaves="table").evaluate(case.release)
    assert found.terms["age"] == penalty.terms["age"]


def test_suppressed_records_cost_one_per_attribute() -> None:
    found = certainty_of_boxes([[(1, 9), (1, 1)]], [3], RANGES, suppressed=1)
    assert found.terms == {"attribute 1": 1, "attribute 2": Fraction(1, 4)}


@pytest.mark.parametrize(
    ("call", "words"),
    [
        (lambda: tight_boxes([], []), "not a table"),
        (lambda: tight_boxes([(1,), (1, 2)], [[0, 1]]), "same number of attributes"),
        (lambda: tight_boxes([("x",)], [[0]]), "not a number"),
        (lambda: tight_boxes(POINTS, [[0, 1], [2]]), "exactly one group"),
        (lambda: tight_boxes(POINTS, [[0, 1, 2, 3], []]), "no group is empty"),
        (lambda: tight_boxes(POINTS, [[0, 1], [1, 2, 3]]), "exactly one group"),
        (lambda: certainty_of_boxes([], [], RANGES), "fit together"),
        (lambda: certainty_of_boxes([[(1, 2)]], [1], RANGES), "for each of the 2 ranges"),
        (lambda: certainty_of_boxes([[(1, 2), (1,)]], [1], RANGES), "a least and a greatest value"),
        (lambda: certainty_of_boxes([[(2, 1), (1, 1)]], [1], RANGES), "empty"),
        (lambda: certainty_of_boxes([[(0, 1), (1, 1)]], [1], RANGES), "leaves the range"),
        (lambda: certainty_of_boxes([[(1, 1), (1, 1)]], [0], RANGES), "whole number ≥ 1"),
        (lambda: certainty_of_boxes([[(1, 1), (1, 1)]], [1], RANGES, suppressed=-1), "≥ 0"),
    ],
)
def test_boxes_that_make_no_sense_are_refused(call, words) -> None:
    with pytest.raises(InputError, match=words):
        call()
