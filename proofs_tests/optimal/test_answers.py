"""Answers: what is optimal, what has a gap, and what a bound in doubles is worth."""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, strategies as st

from tcloseness.errors import SolverError
from tcloseness.optimal.answers import Feasible, Infeasible, Optimal, answer, whole_bound


class Nothing:
    def to_dict(self) -> dict[str, Any]:
        return {}


def answered(objective: int, bound: int) -> Any:
    return answer(
        Nothing(), objective=Fraction(objective, 3), bound=Fraction(bound, 3), minimized="loss", proof="a bound"
    )


def test_a_bound_that_meets_the_objective_makes_it_optimal() -> None:
    found = answered(4, 4)
    assert isinstance(found, Optimal)
    assert found.to_dict()["objective"] == "4/3"


def test_a_lower_bound_leaves_a_gap() -> None:
    found = answered(4, 3)
    assert isinstance(found, Feasible)
    assert found.gap == Fraction(1, 3)
    assert found.to_dict()["bound"] == "1"
    json.dumps(found.to_dict())


def test_a_bound_above_the_objective_is_refused() -> None:
    with pytest.raises(SolverError, match="lies below the bound 5/3"):
        answered(4, 5)


def test_there_is_none_says_why() -> None:
    assert Infeasible("too few records").to_dict() == {"answer": "infeasible", "reason": "too few records"}


@given(st.integers(-(10**9), 10**9), st.floats(-1e-7, 1e-7))
def test_noise_does_not_move_a_whole_bound(bound: int, noise: float) -> None:
    assert whole_bound(bound + noise) == bound


def test_a_bound_between_whole_numbers_is_rounded_up() -> None:
    assert [whole_bound(b) for b in (0.01, -0.01, 3.5, 10**9 + 0.9)] == [1, 0, 4, 10**9 + 1]
