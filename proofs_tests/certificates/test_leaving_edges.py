"""How many records must leave: where one costs nothing or the least, where weights are large, and of many classes."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from proofs_tests.certificates.test_leaving import HALF, as_documented
from tcloseness.certificates import leaving
from tcloseness.certificates.conditions import Conditions
from tcloseness.certificates.leaving import fewest_leaving
from tcloseness.strict_records import Work


@pytest.mark.parametrize("scale", [1, *(2**k for k in range(6, 50, 4))])
def test_what_stays_within_t_is_bounded_as_the_page_says_of_few_records_and_of_many(scale: int) -> None:
    """Two or three values, of small counts or as many times those: some records cost nothing, and sums have 63 bits."""
    rng = random.Random(scale)
    far = 1_000_003
    grounds: list[tuple[Any, list[tuple[frozenset[int], Fraction]]]] = [
        ({"name": "equal", "m": 3}, [(frozenset({v}), Fraction(1, 2)) for v in range(3)]),
        ({"name": "ordered", "m": 3}, [(frozenset(range(v + 1)), Fraction(1, 2)) for v in range(2)]),
        (
            {"name": "ordered-by-value", "values": ["0", "1", str(far)]},
            [(frozenset({0}), Fraction(1, far)), (frozenset({0, 1}), Fraction(far - 1, far))],
        ),
    ]
    for _ in range(60):
        ground, sets = rng.choice(grounds)
        reference = [rng.randint(0, 4) * scale for _ in range(3)]
        counts = [rng.randint(0, count // scale) * scale for count in reference]
        if not any(counts):
            continue
        t = rng.choice([Fraction(0), Fraction(rng.randint(0, 4), rng.randint(4, 15)), Fraction(1, far)])
        record = {"condition": "distance", "t": str(t), "ground": ground}
        conditions = Conditions([record], ["text:0", "text:1", "text:2"], reference)
        leave = fewest_leaving([np.array([counts])], conditions, 10**30)
        assert leave == sum(counts) - as_documented(counts, reference, sets, t), (counts, reference, ground, t)


@pytest.mark.parametrize(("counts", "reference"), [([6, 1, 1], [9, 2, 1]), ([12, 1, 5], [6, 2, 1])])
def test_as_many_records_stay_at_a_cost_of_1_as_the_others_allow(counts: list[int], reference: list[int]) -> None:
    """The first value has its share, so that d is 2 − 1 for it, and −11 or −8 for the one that has too little."""
    sets = [(frozenset({v}), Fraction(1, 2)) for v in range(3)]
    record = {"condition": "distance", "t": "0", "ground": {"name": "equal", "m": 3}}
    conditions = Conditions([record], ["text:0", "text:1", "text:2"], reference)
    leave = fewest_leaving([np.array([counts])], conditions, 10**30)
    assert leave == sum(counts) - as_documented(counts, reference, sets, Fraction(0))


@pytest.mark.parametrize("classes", [1, 2, 5])
def test_the_work_of_what_stays_within_t_is_that_of_the_classes_that_violate(classes: int) -> None:
    ordered = {"condition": "distance", "t": "1/4", "ground": {"name": "ordered", "m": 3}}
    asked = (2 + 3) * (500 + 2 * classes)  # of the distances of all
    for row, more in (([1, 1, 1], 0), ([3, 0, 0], 4 * (2 + 4 * 3) * (500 + 2 * classes))):
        conditions = Conditions([ordered], ["text:0", "text:1", "text:2"], [20, 20, 20])
        conditions.work = Work(10**6)
        fewest_leaving([np.array([row] * classes)], conditions, 10**6)
        assert 10**6 - conditions.work.left == 1000 + 5 * 3 * classes + asked + more


@pytest.mark.parametrize(("room", "values"), [(1, 3), (2, 3), (60, 3), (60, 2), (71, 2), (10**6, 3)])
def test_no_more_counts_are_looked_at_together_than_have_room_or_those_of_a_class(
    room: int, values: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After the first sixteen; twice as many each time, as far as there is room."""
    parts: list[int] = []
    most_staying = leaving._most_staying

    def seen(counts: Any, conditions: Conditions) -> Any:
        parts.append(len(counts))
        return most_staying(counts, conditions)

    monkeypatch.setattr(leaving, "_CELLS", room)
    monkeypatch.setattr(leaving, "_most_staying", seen)
    conditions = Conditions([HALF], [f"text:{v}" for v in range(values)], [10**6] * values)
    block = np.array([[3, 1, *[0] * (values - 2)]] * 200)  # of each 2 leave
    assert fewest_leaving([block], conditions, 10**6) == 400
    fit = max(number for number in range(1, 201) if number * values <= max(room, values))
    expected = [16]
    while sum(expected) < 200:
        expected.append(min(2 * expected[-1], fit, 200 - sum(expected)))
    assert parts == expected
