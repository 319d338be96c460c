"""One compiled pass marks the classes that the models themselves say violate, for any mix of models."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from proofs_tests.effort import effort
from proofs_tests.lattice.cases import GROUPS, Case, cases
from tcloseness.lattice import RollUp
from tcloseness.lattice.compiled import violating_classes
from tcloseness.lattice.decide import Decider, least_size, thresholds_of
from tcloseness.microdata import ClassCounts, FrequencySet, Hierarchy
from tcloseness.models import (
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    ModelResult,
    Monotone,
    RecursiveCLDiversity,
    TCloseness,
)
from tcloseness.models.combination import Combination

LARGE = 2**63 - 1

parts = st.one_of(
    st.builds(KAnonymity, st.integers(1, 6)),
    st.builds(DistinctLDiversity, st.sampled_from([1, 2, 3, 4, 5, 70_000])),
    st.builds(EntropyLDiversity, st.sampled_from([1, "3/2", 2, "5/2", 3, 4, 5, Fraction(LARGE, 2**62)])),
    st.builds(RecursiveCLDiversity, st.sampled_from([1, 2, 3, 4, 5, 70_000]), c=st.sampled_from(["1/2", 1, 2, 3])),
    st.builds(RecursiveCLDiversity, st.integers(1, 3), c=st.sampled_from([Fraction(1, LARGE), Fraction(LARGE)])),
    st.builds(
        TCloseness,
        st.sampled_from([0, "1/5", "1/4", "1/3", "1/2", 1, Fraction(1, LARGE)]),
        ground=st.sampled_from(["equal", "ordered", "ordered-by-value", GROUPS]),
    ),
)
several = st.lists(parts, min_size=1, max_size=5)


def says(found: RollUp, node: Any, models: list[Any]) -> set[int]:
    """The classes, in the order of `RollUp.at`, that one of the models says violate."""
    classes = found.unsorted(node)
    return {int(i) for model in models for i in model.evaluate(classes).violating}


@effort(4 / 3)
@given(cases(), several, st.data())
def test_the_pass_marks_what_the_models_say(case: Case, models: list[Any], data: st.DataObject) -> None:
    rolled = case.rolled(compiled=True)
    node = data.draw(st.sampled_from(list(case.nodes)))
    found = rolled.at(node)
    rounds, entropy, others = thresholds_of(models, rolled)
    bad, records = np.zeros(len(found.sizes), np.int8), 0
    for counts, close in rounds:
        records = violating_classes(found.matrix, found.sizes, bad, records, rolled.records, *counts, *close)
    asked = [model for model in models if type(model) is not KAnonymity and model not in others]
    expected = says(rolled, node, asked)
    open_ = set(np.flatnonzero(bad == 2))
    assert set(np.flatnonzero(bad == 1)) == expected - open_
    assert records == found.sizes[bad == 1].sum()
    assert not open_ or entropy is not None


@effort(1)
@given(cases(), several, st.integers(0, 8), st.data(), st.booleans())
def test_a_node_is_decided_by_the_records_of_its_violating_classes(
    case: Case, models: list[Any], limit: int, data: st.DataObject, compiled: bool
) -> None:
    limit = min(limit, len(case.rows))
    rolled = case.rolled(compiled=compiled)
    node = data.draw(st.sampled_from(list(case.nodes)))
    decide = Decider(rolled, Combination(tuple(models)), limit)
    violating = says(rolled, node, models)
    lost = int(rolled.at(node).sizes[sorted(violating)].sum())
    satisfied = lost <= limit and lost < rolled.records
    assert decide(node) == ("satisfied" if satisfied else "violated")
    if satisfied:
        assert set(np.flatnonzero(decide.violating(node))) == violating


class EnoughClasses:
    """At least so many classes; none of them is the one that violates."""

    name = "enough classes"
    monotone = Monotone(generalization=False, suppression=False)

    def __init__(self, least: int) -> None:
        self.least = least

    def evaluate(self, classes: ClassCounts) -> ModelResult:
        status: Any = "satisfied" if len(classes) >= self.least else "violated"
        found = KAnonymity(1).evaluate(classes)
        return replace(found, model=self.name, status=status, threshold=None, relation=None)


@effort(0.5)
@given(cases(), st.integers(1, 4), st.integers(1, 3), st.integers(0, 8), st.booleans())
def test_what_a_table_violates_as_a_whole_no_suppression_of_classes_mends(
    case: Case, least: int, k: int, limit: int, compiled: bool
) -> None:
    limit, rolled = min(limit, len(case.rows)), case.rolled(compiled=compiled)
    decide = Decider(rolled, Combination((KAnonymity(k), EnoughClasses(least))), limit)
    for node in case.nodes:
        sizes = case.classes(node).class_sizes
        left = sizes[sizes >= k]
        satisfied = sizes.sum() - left.sum() <= limit and len(left) >= least
        assert decide(node) == ("satisfied" if satisfied else "violated")


@effort(1)
@given(cases(), several, st.data())
def test_a_class_of_fewer_records_than_the_least_size_violates(
    case: Case, models: list[Any], data: st.DataObject
) -> None:
    rolled = case.rolled(compiled=False)
    node = data.draw(st.sampled_from(list(case.nodes)))
    small = np.flatnonzero(rolled.at(node).sizes < min(least_size(models), rolled.records + 1))
    assert set(small) <= says(rolled, node, models)


def one_class(counts: list[int]) -> RollUp:
    frame = pd.DataFrame({"a": "x", "s": [value for value, count in enumerate(counts) for _ in range(count)]})
    frequencies = FrequencySet.from_frame(frame, quasi_identifiers="a", sensitive="s")
    return RollUp(frequencies, {"a": Hierarchy.suppression(["x"], name="a")}, compiled=True)


@pytest.mark.parametrize(("l", "verdict"), [(4, "satisfied"), ("4.0000000000000001", "violated")])
def test_an_entropy_that_no_double_can_tell_from_its_threshold_is_decided_exactly(l: Any, verdict: str) -> None:  # noqa: E741
    """Counts 4, 1, 1, 1, 1: 8⁸ / 4⁴ = 4⁸, so the entropy is ln 4 to the last digit, with unequal counts."""
    rolled, model = one_class([4, 1, 1, 1, 1]), EntropyLDiversity(l)
    found, bad = rolled.at((0,)), np.zeros(1, np.int8)
    ((counts, close),) = thresholds_of([model], rolled)[0]
    violating_classes(found.matrix, found.sizes, bad, 0, 0, *counts, *close)
    assert bad[0] == 2
    assert Decider(rolled, model)((0,)) == verdict


def test_numbers_that_could_overflow_are_left_to_the_models() -> None:
    rolled = one_class([2, 1])
    models = [
        RecursiveCLDiversity(2, c=Fraction(LARGE)),
        EntropyLDiversity(Fraction(LARGE, 2**62)),
        TCloseness(Fraction(1, LARGE), ground="equal"),
    ]
    assert thresholds_of(models, rolled)[2] == models
    usual = [RecursiveCLDiversity(2, c=1000), TCloseness(Fraction(1, 1000), ground="equal")]
    assert not thresholds_of(usual, rolled)[2]
    assert [Decider(rolled, model)((0,)) for model in models] == ["satisfied", "violated", "satisfied"]


def test_models_of_one_kind_need_a_round_each_only_where_neither_asks_more() -> None:
    rolled = one_class([2, 1])
    some = [EntropyLDiversity(2), EntropyLDiversity(3), DistinctLDiversity(2), RecursiveCLDiversity(2, c=4)]
    assert len(thresholds_of(some, rolled)[0]) == 1
    assert len(thresholds_of([*some, RecursiveCLDiversity(3, c=9), TCloseness(0, ground="equal")], rolled)[0]) == 2
    assert not thresholds_of([KAnonymity(2), RecursiveCLDiversity(1, c=1)], rolled)[0]
