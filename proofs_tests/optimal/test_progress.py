"""What a search tells while it runs, and how it is stopped."""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import pandas as pd
import pytest

from tcloseness.errors import InputError, LimitReached
from tcloseness.microdata import ClassCounts, Hierarchy, Microdata
from tcloseness.models import FrequencyLDiversity, KAnonymity, TCloseness
from tcloseness.optimal import optimal_cut, optimal_hiding, optimal_partition, optimal_suppression
from tcloseness.optimal.answers import Feasible
from tcloseness.optimal.progress import Progress, SolverClock, watch_by

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


def test_a_report_from_within_the_solver_ends_it_too() -> None:
    """Raised in HiGHS's callback, after the first report: HiGHS itself would swallow it."""
    told: list[Progress] = []

    def stop_at_the_third(progress: Progress) -> None:
        told.append(progress)
        if len(told) == 3:
            raise KeyboardInterrupt

    model = KAnonymity(3) & TCloseness("1/5", ground="equal")
    with pytest.raises(KeyboardInterrupt):
        optimal_partition(table_of(24), model, formulation="assignment", progress=stop_at_the_third)
    assert len(told) == 3


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
        clock.tell(*(None if x is None else Fraction(x) for x in (incumbent, bound)))
    assert [(p.incumbent, p.bound) for p in told] == [(5, None), (5, 3), (4, 4)]
    assert watch_by(SolverClock(), Fraction) is None
