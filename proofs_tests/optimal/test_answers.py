"""Answers: what is optimal, what has a gap, and what a bound in doubles is worth."""

from __future__ import annotations

import json
import math
from fractions import Fraction
from typing import Any

import pandas as pd
import pytest
from hypothesis import given, strategies as st

from tcloseness.certificates import Reading
from tcloseness.errors import InputError, LimitReached, NotCertified, SolverError
from tcloseness.exact.rationals import SNAP_TOLERANCE
from tcloseness.microdata import ClassCounts, Hierarchy, Microdata
from tcloseness.models import FrequencyLDiversity, KAnonymity, TCloseness
from tcloseness.optimal import optimal_cut, optimal_hiding, optimal_partition, optimal_suppression
from tcloseness.optimal.answers import (
    Feasible,
    Infeasible,
    Optimal,
    Progress,
    SolverClock,
    answer,
    watch_by,
    whole_bound,
)


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


@given(st.integers(1, int(0.4 / SNAP_TOLERANCE)), st.floats(-0.9, 0.9))
def test_noise_is_what_is_small_beside_the_bound(size: int, share: float) -> None:
    for bound in (size, -size):
        assert whole_bound(bound + share * SNAP_TOLERANCE * size) == bound
        assert whole_bound(bound + min(0.9, 2 * SNAP_TOLERANCE * size)) == bound + 1


def test_a_bound_between_whole_numbers_is_rounded_up() -> None:
    assert [whole_bound(b) for b in (0.01, -0.01, 3.5, 10**9 + 0.9)] == [1, 0, 4, 10**9 + 1]


# What a search tells while it runs, and how it is stopped.

pytestmark = pytest.mark.solver


def table_of(n: int) -> Microdata:
    rows = [((i * 37) % 101, (i * 53) % 97, "abc"[i % 3]) for i in range(n)]
    return Microdata.from_frame(pd.DataFrame(rows, columns=list("xys")), quasi_identifiers=["x", "y"], sensitive="s")


def assert_it_narrows(told: list[Progress]) -> None:
    """Seconds grow, incumbents fall, bounds rise, and none passes the other."""
    for before, after in zip(told, told[1:], strict=False):
        assert before.seconds <= after.seconds
        assert before.incumbent is None or (after.incumbent is not None and after.incumbent <= before.incumbent)
        assert before.bound is None or (after.bound is not None and after.bound >= before.bound)
    assert all(p.gap is None or p.gap >= 0 for p in told)


@pytest.mark.parametrize("formulation", ["assignment", "set-partitioning"])
def test_incumbent_and_bound_meet_at_the_optimum(formulation: Any) -> None:
    told: list[Progress] = []
    found = optimal_partition(table_of(9), KAnonymity(2), formulation=formulation, progress=told.append)
    assert_it_narrows(told)
    assert told[0].bound is None
    assert told[0].incumbent == 18  # all in one class: 9 records of 2 fully generalized cells
    assert told[-1].incumbent == told[-1].bound == found.objective  # type: ignore[union-attr]
    assert told[-1].gap == 0


def test_a_cut_tells_its_way_from_the_roots() -> None:
    towns = Hierarchy.from_groups([{"north": ["a", "b"], "south": ["c", "d"]}])
    frame = pd.DataFrame({"town": list("abccdd"), "s": list("xyxyxy")})
    table = Microdata.from_frame(frame, quasi_identifiers="town", sensitive="s")
    told: list[Progress] = []
    optimal_cut(table, KAnonymity(2), hierarchies={"town": towns}, progress=told.append)
    assert_it_narrows(told)
    assert (told[0].incumbent, told[-1].incumbent, told[-1].gap) == (6, 1, 0)


AGES = Hierarchy.intervals(range(101), [50], name="x")
PAIR = ClassCounts.from_mapping({"a": {"x": 3, "y": 1}})


class EnoughError(Exception):
    """Raised by a report."""


@pytest.mark.parametrize(
    "task",
    [
        lambda stop: optimal_partition(table_of(9), KAnonymity(2), progress=stop),
        lambda stop: optimal_cut(table_of(9), KAnonymity(2), hierarchies={"x": AGES, "y": AGES}, progress=stop),
        lambda stop: optimal_suppression(PAIR, FrequencyLDiversity(2), progress=stop),
        lambda stop: optimal_hiding(PAIR, FrequencyLDiversity(2), progress=stop),
    ],
    ids=["partition", "cut", "suppression", "hiding"],
)
def test_whatever_a_report_raises_ends_the_search(task: Any) -> None:
    def stop(_: Progress) -> None:
        raise EnoughError

    with pytest.raises(EnoughError):
        task(stop)


@pytest.mark.long
def test_a_report_from_within_the_solver_ends_it_too() -> None:
    """Raised in HiGHS's callback, after the first report: HiGHS itself would swallow it."""
    told: list[Progress] = []

    def stop_at_the_second(progress: Progress) -> None:
        told.append(progress)
        if len(told) == 2:
            raise KeyboardInterrupt

    model = KAnonymity(3) & TCloseness("1/5", ground="equal")
    with pytest.raises(KeyboardInterrupt):
        optimal_partition(table_of(24), model, formulation="assignment", progress=stop_at_the_second)
    assert len(told) == 2


@pytest.mark.long
def test_a_second_gives_a_gap_or_says_that_nothing_was_found() -> None:
    model = KAnonymity(3) & TCloseness("1/5", ground="equal")
    found = optimal_partition(table_of(24), model, formulation="assignment", time_limit=1)
    assert isinstance(found, Feasible)
    assert found.gap > 0
    alone = ClassCounts.from_mapping({"a": {"x": 9, "y": 2, "z": 2}}).with_reference([1, 1, 1])
    for task in (optimal_suppression, optimal_hiding):
        with pytest.raises(LimitReached, match="give more time"):
            task(alone, TCloseness("1/10", ground="equal"), time_limit=1e-9)


def test_no_limit_is_no_time() -> None:
    for limit in (0, -1, math.nan, math.inf, True, "5"):
        with pytest.raises(InputError, match="must be a finite number > 0"):
            optimal_partition(table_of(3), KAnonymity(2), time_limit=limit)


def test_what_was_told_stays_true() -> None:
    """Doubles may pass one another, or a later stage know less: the least incumbent and greatest bound are told."""
    told: list[Progress] = []
    clock = SolverClock(progress=told.append)
    for incumbent, bound in ((5, None), (9, 3), (None, 2), (4, 7)):
        clock.report(*(None if x is None else Fraction(x) for x in (incumbent, bound)))
    assert [(p.incumbent, p.bound) for p in told] == [(5, None), (5, 3), (4, 4)]
    assert watch_by(SolverClock(), Fraction) is None


def test_an_answer_asks_its_prover_for_a_certificate_or_says_what_has_no_checker() -> None:
    """Optimal, Feasible and Infeasible alike: the prover is given how the file is read, and its sha256."""
    asked: list[Any] = []

    def prover(*given: Any) -> Any:
        asked.append(given)
        return "proof"

    def made(bound: int, prover: Any) -> Any:
        return answer(
            Nothing(), objective=Fraction(4), bound=Fraction(bound), minimized="loss", proof="", prover=prover
        )

    reading = Reading(separator=";")
    for found in (made(4, prover), made(3, prover), Infeasible("none", prover=prover)):
        assert (found.certificate(reading=reading, file_sha256="00"), found.certificate()) == ("proof", "proof")
    assert asked == [(reading, "00"), (None, "")] * 3
    for found, named in ((answered(4, 4), "the least loss"), (answered(4, 3), "the least loss")):
        with pytest.raises(NotCertified, match=f"^not certified: no checker for {named}$"):
            found.certificate()
    with pytest.raises(NotCertified, match="not certified: no checker for what says that there is no solution"):
        Infeasible("none").certificate()
    assert Infeasible("none", prover=prover) == Infeasible("none")
