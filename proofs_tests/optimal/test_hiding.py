"""The fewest sensitive values to hide, against trying every way to show values of each class."""

from __future__ import annotations

import itertools
import json
from typing import Any

import pytest
from hypothesis import given, strategies as st

from proofs_tests.effort import effort
from proofs_tests.optimal.cases import LINEAR, counts_of, satisfying, title
from tcloseness.errors import LimitReached
from tcloseness.microdata import ClassCounts
from tcloseness.models import (
    AlphaKAnonymity,
    Combination,
    DistinctLDiversity,
    FrequencyLDiversity,
    KAnonymity,
    PSensitiveKAnonymity,
    RecursiveCLDiversity,
    TCloseness,
)
from tcloseness.optimal.answers import Feasible, Infeasible, Optimal
from tcloseness.optimal.hiding import optimal_hiding
from tcloseness.optimal.suppression import optimal_suppression

pytestmark = pytest.mark.solver

vectors = st.lists(st.lists(st.integers(0, 3), min_size=3, max_size=3).filter(any), min_size=1, max_size=3)


def taken_apart(model: Any) -> tuple[int, Any]:
    """The k that a model asks for, and the rest of it (None if that is nothing), by hand."""
    parts = model.models if isinstance(model, Combination) else (model,)
    k, rest = 1, []
    for part in parts:
        if isinstance(part, (KAnonymity, AlphaKAnonymity, PSensitiveKAnonymity)):
            k = max(k, part.k or 1)
        if isinstance(part, AlphaKAnonymity) and part.alpha is not None:
            rest.append(AlphaKAnonymity(part.alpha, values=part.values))
        elif isinstance(part, PSensitiveKAnonymity):
            rest.append(DistinctLDiversity(part.p))
        elif not isinstance(part, (KAnonymity, AlphaKAnonymity)):
            rest.append(part)
    return k, Combination(tuple(rest)) if rest else None


def most_shown(vector: list[int], model: Any, reference: list[int]) -> int:
    ways = [w for w in itertools.product(*(range(c + 1) for c in vector)) if any(w)]
    good = satisfying(ways, model, reference) if model else [True] * len(ways)
    return max((sum(w) for w, fine in zip(ways, good, strict=True) if fine), default=0)


@pytest.mark.parametrize("model", LINEAR, ids=title)
@effort(1 / 10)
@given(vectors)
def test_no_way_to_show_more_satisfies(model: Any, rows: list[list[int]]) -> None:
    reference = [max(1, sum(c)) for c in zip(*rows, strict=True)]
    found = optimal_hiding(counts_of(rows, reference), model)
    k, rest = taken_apart(model)
    shown = sum(most_shown(row, rest, reference) for row in rows)
    if min(map(sum, rows)) < k or not shown:
        assert isinstance(found, Infeasible)
        return
    assert isinstance(found, Optimal)
    assert found.objective == found.solution.values == sum(map(sum, rows)) - shown
    assert found.solution.classes.class_sizes.tolist() == [sum(row) for row in rows]
    assert found.solution.shown.reference.tolist() == reference
    assert rest is None or rest.evaluate(found.solution.shown).satisfied


@effort(1 / 2)
@given(vectors, st.sampled_from([FrequencyLDiversity(2), TCloseness("1/5", ground="ordered")]), st.integers(1, 3))
def test_values_are_hidden_no_more_often_than_records_are_suppressed(rows: Any, model: Any, k: int) -> None:
    reference = [sum(c) + 1 for c in zip(*rows, strict=True)]
    classes = counts_of(rows, reference)
    hidden, suppressed = (f(classes, KAnonymity(k) & model) for f in (optimal_hiding, optimal_suppression))
    if isinstance(hidden, Optimal) and isinstance(suppressed, Optimal):
        assert hidden.objective <= suppressed.objective


@effort(1 / 2)
@given(vectors)
def test_hiding_does_not_help_distinct_diversity(rows: list[list[int]]) -> None:
    """Li et al. 2007, §8: a class shows all its values or none."""
    found = optimal_hiding(counts_of(rows, [9, 9, 9]), DistinctLDiversity(2))
    lacking = [sum(row) for row in rows if sum(c > 0 for c in row) < 2]
    if len(lacking) == len(rows):
        assert isinstance(found, Infeasible)
    else:
        assert isinstance(found, Optimal)
        assert found.objective == sum(lacking)


def test_an_outlier_is_hidden() -> None:
    """Q = (1/2, 1/2); a class of 3 x and 1 y is 1/4 away, of 2 and 1 it is 1/6 away."""
    classes = ClassCounts.from_mapping({"a": {"x": 3, "y": 1}, "b": {"x": 1, "y": 3}})
    found = optimal_hiding(classes, KAnonymity(4) & TCloseness("1/6", ground="equal"))
    assert isinstance(found, Optimal)
    assert found.objective == 2
    assert found.solution.hidden.tolist() == [1, 0, 0, 1]
    assert [v.model for v in found.solution.verdicts] == ["k-anonymity", "t-closeness"]
    json.dumps(found.to_dict())


def test_a_class_below_k_cannot_be_helped() -> None:
    classes = ClassCounts.from_mapping({"a": {"x": 3, "y": 1}, "b": {"x": 1, "y": 1}})
    found = optimal_hiding(classes, KAnonymity(3) & FrequencyLDiversity(2))
    assert isinstance(found, Infeasible)
    assert "1 of 2 classes have fewer than k = 3 records" in found.reason


def test_k_alone_hides_nothing() -> None:
    found = optimal_hiding(ClassCounts.from_mapping({"a": {"x": 3}}), KAnonymity(3))
    assert isinstance(found, Optimal)
    assert (found.objective, found.proof) == (0, "exact argument, checked")


def test_without_time_the_answer_has_a_gap_or_is_none() -> None:
    classes = ClassCounts.from_mapping({"a": {"x": 9, "y": 3}, "b": {"x": 2, "y": 2}})
    model = RecursiveCLDiversity(2, c=2)
    found = optimal_hiding(classes, model, time_limit=1e-9)
    assert isinstance(found, Feasible)
    assert (found.objective, found.bound) == (12, 1)
    with pytest.raises(LimitReached, match="give more time"):
        optimal_hiding(ClassCounts.from_mapping({"a": {"x": 9, "y": 3}}), model, time_limit=1e-9)
    whole = optimal_hiding(classes, model, time_limit=60)
    assert isinstance(whole, Optimal)
    assert whole.objective == 4  # 5 < 2·3
