"""Steps of machine code for classes: how much longer many values and many attributes make each."""

from __future__ import annotations

import random
from dataclasses import replace

import pytest

from proofs_tests.certificates.priced import asked_for, groups, small
from proofs_tests.certificates.test_compiled import Described, advanced


@pytest.mark.parametrize("values", [3, 4, 7, 9])
def test_a_step_is_longer_by_an_eighth_of_what_is_copied_of_values(values: int) -> None:
    """Of two attributes whose values are counted: a mark for each, and how many there are."""
    by_count = [[0] * values, [0, 0, 1] + [1] * (values - 3)]
    asked = replace(small(), places=[], pairs=[], sets=[[0, 1], [1, 0]], by_count=by_count)
    described = Described(asked, 1000)
    for steps in range(1, 90):
        assert advanced(asked, 1000, steps, 100) == described.blocks(steps, 100)


@pytest.mark.parametrize(("places", "sets"), [(4, 0), (2, 2), (3, 1), (5, 3), (8, 4)])
def test_a_step_is_longer_by_a_quarter_of_the_attributes(places: int, sets: int) -> None:
    asked = replace(
        small(),
        places=[[0, 1]] * places,
        pairs=[[[0, 1], [1, 0]]] * places,
        sets=[[0, 1]] * sets,
        by_count=[[0, 0, 1]] * sets,
    )
    described = Described(asked, 1000)
    for steps in range(1, 90):
        assert advanced(asked, 1000, steps, 100) == described.blocks(steps, 100)


def test_a_class_whose_reduced_cost_is_the_limit_is_found() -> None:
    """Of two records or more, so that a kind is kept for what stands behind it."""
    draw, many = random.Random(86), 0
    for _ in range(12):
        asked = replace(asked_for(draw), least=2)
        asked = replace(asked, most=max(2, asked.most))
        every = groups(asked)
        for limit in sorted(set(every.values())):
            found = [each for block in advanced(asked, limit, 10**6, 10**6) for each in block]
            assert sorted(found) == sorted(group for group, r in every.items() if r <= limit)
            many += 1
    assert many > 40
