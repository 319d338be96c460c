"""The fewest records to suppress, against trying every way to keep records of each class."""

from __future__ import annotations

import itertools
import json
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, strategies as st

from proofs_tests.effort import effort
from proofs_tests.optimal.cases import LINEAR, counts_of, linear_models, satisfying, title
from tcloseness.errors import InputError, LimitReached
from tcloseness.microdata import ClassCounts
from tcloseness.models import (
    DistinctLDiversity,
    EntropyLDiversity,
    FrequencyLDiversity,
    KAnonymity,
    RecursiveCLDiversity,
    TCloseness,
)
from tcloseness.optimal.answers import Feasible, Infeasible, Optimal, Progress
from tcloseness.optimal.hiding import optimal_hiding
from tcloseness.optimal.solver import ENGINES
from tcloseness.optimal.suppression import optimal_suppression

pytestmark = pytest.mark.solver

vectors = st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3).filter(any), min_size=1, max_size=3)


def most_kept(vector: list[int], model: Any, reference: list[int]) -> int:
    ways = [w for w in itertools.product(*(range(c + 1) for c in vector)) if any(w)]
    return max((sum(w) for w, good in zip(ways, satisfying(ways, model, reference), strict=True) if good), default=0)


def assert_optimal(rows: list[list[int]], model: Any, reference: list[int]) -> Any:
    found = optimal_suppression(counts_of(rows, reference), model)
    kept = sum(most_kept(row, model, reference) for row in rows)
    if not kept:
        assert isinstance(found, Infeasible)
        return found
    assert isinstance(found, Optimal)
    assert found.objective == sum(map(sum, rows)) - kept == found.solution.records
    after = found.solution.after
    assert after.reference.tolist() == reference
    assert after.suppressed == found.objective
    assert model.evaluate(after).satisfied
    return found


@pytest.mark.parametrize("model", LINEAR, ids=title)
@effort(1 / 10)
@given(vectors)
def test_no_way_to_keep_more_satisfies(model: Any, rows: list[list[int]]) -> None:
    assert_optimal(rows, model, [max(1, sum(c)) for c in zip(*rows, strict=True)])


@effort(2 / 3)
@given(st.data(), vectors, st.lists(st.integers(1, 9), min_size=3, max_size=3))
def test_under_any_reference_and_ground_distance(data: Any, rows: list[list[int]], more: list[int]) -> None:
    reference = [sum(c) + a for c, a in zip(zip(*rows, strict=True), more, strict=True)]
    assert_optimal(rows, data.draw(linear_models(3)), reference)


@effort(1 / 2)
@given(vectors, st.sampled_from(["1/10", "1/5", "1/3"]))
def test_a_weaker_threshold_never_suppresses_more(rows: list[list[int]], t: str) -> None:
    reference = [1 + sum(c) for c in zip(*rows, strict=True)]
    classes = counts_of(rows, reference)
    strict = optimal_suppression(classes, TCloseness(t, ground="ordered"))
    weak = optimal_suppression(classes, TCloseness(Fraction(t) + Fraction(1, 10), ground="ordered"))
    if isinstance(strict, Optimal):
        assert isinstance(weak, Optimal)
        assert weak.objective <= strict.objective


def test_frequency_diversity_by_hand() -> None:
    """(5, 2, 1): x may have as many records as the others together, so 2 of its 5 go."""
    classes = ClassCounts.from_mapping({"a": {"x": 5, "y": 2, "z": 1}, "b": {"x": 1, "y": 1}})
    found = optimal_suppression(classes, FrequencyLDiversity(2))
    assert isinstance(found, Optimal)
    assert found.objective == 2
    assert found.solution.after.row(0) == {0: 3, 1: 2, 2: 1}
    assert found.solution.after.keys is not None
    assert found.proof == "exact argument, checked"
    assert (
        optimal_suppression(classes, FrequencyLDiversity(2), engine="HiGHS").proof == "the bound of HiGHS, in doubles"
    )  # type: ignore[union-attr]
    json.dumps(found.to_dict())


def test_classes_too_small_go_without_a_solver() -> None:
    classes = ClassCounts.from_mapping({"a": {"x": 1}, "b": {"x": 1, "y": 1}, "c": {"y": 3}})
    found = optimal_suppression(classes, KAnonymity(2) & DistinctLDiversity(1))
    assert isinstance(found, Optimal)
    assert (found.objective, found.proof) == (1, "exact argument, checked")
    assert [found.solution.after.label(g) for g in range(2)] == [("b",), ("c",)]


def test_nothing_to_suppress() -> None:
    classes = ClassCounts.from_mapping({"a": {"x": 1, "y": 2}})
    found = optimal_suppression(classes, TCloseness(0, ground="equal"))
    assert isinstance(found, Optimal)
    assert found.objective == 0


def test_a_threshold_that_no_class_can_meet() -> None:
    classes = ClassCounts.from_mapping({"a": {"x": 3}, "b": {"y": 2}})
    found = optimal_suppression(classes, DistinctLDiversity(2))
    assert isinstance(found, Infeasible)
    assert "not a release" in found.reason


def test_engines_agree() -> None:
    classes = ClassCounts.from_mapping({g: {v: (g * 7 + v * v) % 9 for v in range(5)} for g in range(1, 9)})
    for model in (RecursiveCLDiversity(3, c=2), TCloseness("1/10", ground="ordered") & KAnonymity(4)):
        highs, cbc = (optimal_suppression(classes, model, engine=engine) for engine in ENGINES)
        own = optimal_suppression(classes, model)
        assert isinstance(highs, Optimal)
        assert isinstance(own, Optimal)
        assert own.objective == highs.objective
        assert not isinstance(cbc, Infeasible)
        assert cbc.objective == highs.objective
        assert cbc.proof == "exact argument"  # CBC reports no bound; from each violating class one record goes at least


def test_without_time_the_answer_has_a_gap_or_is_none() -> None:
    """Class b satisfies without a solver; of a at least one record goes, and how many more is left open."""
    classes = ClassCounts.from_mapping({"a": {"x": 9, "y": 2, "z": 2}, "b": {"x": 9, "y": 3, "z": 3}})
    classes = classes.with_reference([3, 1, 1])
    model = TCloseness("1/50", ground="equal")
    found = optimal_suppression(classes, model, time_limit=1e-9)
    assert isinstance(found, Feasible)
    assert (found.objective, found.bound) == (13, 1)
    alone = ClassCounts.from_mapping({"a": {"x": 9, "y": 2, "z": 2}}).with_reference([1, 1, 1])
    with pytest.raises(LimitReached, match="give more time"):
        optimal_suppression(alone, model, time_limit=1e-9)
    assert isinstance(optimal_suppression(classes, model, time_limit=60), Optimal)


def test_progress_goes_class_by_class() -> None:
    """Three classes of x 3, y 1: at most half may be one value, so 2 of each go; before it is solved, 0 to 4."""
    told: list[Progress] = []
    classes = ClassCounts.from_mapping({g: {"x": 3, "y": 1} for g in range(3)})
    optimal_suppression(classes, FrequencyLDiversity(2), progress=told.append)
    assert [(p.incumbent, p.bound, p.gap) for p in told] == [(10, 2, 8), (8, 4, 4), (6, 6, 0)]


def test_a_model_that_is_not_linear_is_refused() -> None:
    with pytest.raises(InputError, match="not linear"):
        optimal_suppression(ClassCounts.from_mapping({"a": {"x": 1}}), EntropyLDiversity(2))


@pytest.mark.parametrize("task", [optimal_suppression, optimal_hiding])
def test_an_argument_is_exact_only_if_that_of_every_class_is(task):
    """A class that satisfies needs no solver; one that has one is enough, wherever it stands."""
    fine, spoilt = [1, 1, 0], [3, 1, 0]
    model = FrequencyLDiversity(2)
    for vectors in ([fine, spoilt], [spoilt, fine], [fine, fine, spoilt], [fine, spoilt, fine]):
        assert "HiGHS" in task(counts_of(vectors, [4, 4, 4]), model, engine="HiGHS").proof
    assert task(counts_of([fine, fine], [4, 4, 4]), model).proof == "exact argument, checked"


@pytest.mark.parametrize("task", [optimal_suppression, optimal_hiding])
@pytest.mark.parametrize("model", [FrequencyLDiversity(2), TCloseness("1/4", ground="ordered"), DistinctLDiversity(2)])
def test_classes_of_the_same_counts_of_other_values_are_other_classes(task, model):
    """Each class by itself needs what it needs, and all together the sum; equal ones count twice."""
    reference = [5, 9, 6]
    for vectors in ([[3, 1, 0], [0, 3, 1], [1, 0, 3]], [[5, 1, 0], [0, 5, 1], [5, 1, 0]], [[1, 4, 0], [4, 1, 0]]):
        alone = [task(counts_of([vector], reference), model) for vector in vectors]
        together = task(counts_of(vectors, reference), model)
        kept = [
            0 if isinstance(one, Infeasible) else sum(v) - one.objective for one, v in zip(alone, vectors, strict=True)
        ]
        assert isinstance(together, Optimal if any(kept) else Infeasible)
        if any(kept):
            assert together.objective == sum(map(sum, vectors)) - sum(kept)
