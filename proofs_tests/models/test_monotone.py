"""`monotone` is a claim: it is checked for every model on random tables, and no model claims what fails."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from proofs_tests.strategies import class_counts, grounds, partitions
from tcloseness.measures import KullbackLeibler, Variational
from tcloseness.microdata import ClassCounts
from tcloseness.models import (
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    PrivacyModel,
    RecursiveCLDiversity,
    TCloseness,
)

SMALLER_IS_WORSE = [KAnonymity(), DistinctLDiversity(), EntropyLDiversity()]
LARGER_IS_WORSE = [
    RecursiveCLDiversity(1),
    RecursiveCLDiversity(2),
    RecursiveCLDiversity(3),
    TCloseness(ground="equal"),
    TCloseness(measure=Variational()),
    TCloseness(measure=KullbackLeibler()),
]
MODELS = SMALLER_IS_WORSE + LARGER_IS_WORSE
named = {"ids": lambda model: f"{model.name}{getattr(model, 'l', '') or ''}"}


def at_most_as_bad(model, after, before):
    """Whether a table's value is no worse than another's; then whatever threshold held for one holds for the other."""
    return after >= before if model in SMALLER_IS_WORSE else after <= before


def without(classes, gone):
    """The table without some of its classes, with the reference of what is left."""
    kept = {g: classes.row(g) for g in range(len(classes)) if g not in gone}
    return ClassCounts.from_mapping(kept, domain=classes.domain)


@pytest.mark.parametrize("model", MODELS, **named)
@settings(max_examples=30)
@given(classes=class_counts(max_classes=5), data=st.data())
def test_unions_of_classes_are_no_worse(model, classes, data):
    """LD Theorem 5.2 and §5, TC Generalization Property: a coarser partition has no worse a value."""
    assert model.monotone.generalization
    merged = classes.merge(data.draw(partitions(len(classes))))
    assert at_most_as_bad(model, model.evaluate(merged).value, model.evaluate(classes).value)


@given(classes=class_counts(max_classes=5), data=st.data())
def test_unions_of_classes_are_no_worse_under_any_ground_distance(classes, data):
    model = TCloseness(ground=data.draw(grounds(len(classes.domain))))
    merged = classes.merge(data.draw(partitions(len(classes))))
    assert model.evaluate(merged).value <= model.evaluate(classes).value


@pytest.mark.parametrize("model", [m for m in MODELS if m.monotone.suppression], **named)
@settings(max_examples=30)
@given(classes=class_counts(max_classes=5), data=st.data())
def test_a_table_without_some_of_its_classes_is_no_worse(model, classes, data):
    """Only for models that claim it; they look at one class at a time, and a class does not change."""
    assume(len(classes) > 1)
    gone = data.draw(st.sets(st.integers(0, len(classes) - 1), min_size=1, max_size=len(classes) - 1))
    left = without(classes, gone)
    assert at_most_as_bad(model, model.evaluate(left).value, model.evaluate(classes).value)


def test_who_claims_what():
    """t-closeness alone looks at the other classes, through Q."""
    assert {m.name for m in MODELS if not m.monotone.suppression} == {"t-closeness"}
    assert all(m.monotone.generalization for m in MODELS)
    assert KAnonymity().monotone.to_dict() == {"generalization": True, "suppression": True}


def test_suppressing_the_violating_classes_only_is_no_search_order():
    """Roll-up then suppress is not monotone even for k: each class of 1 and 2 records is suppressed at k = 3, and their
    union of 3 is not; so what is released grows and what is suppressed shrinks, but a class comes into being.
    """
    fine = ClassCounts.from_mapping({"a": {"x": 1}, "b": {"y": 2}, "c": {"x": 3}})
    coarse = fine.merge([[0, 1], [2]])
    assert KAnonymity(3).evaluate(fine).violating.tolist() == [0, 1]
    assert KAnonymity(3).evaluate(coarse).violating.tolist() == []


@pytest.mark.parametrize("model", MODELS, **named)
@settings(max_examples=30)
@given(classes=class_counts())
def test_values_worst_and_status_fit_together(model, classes):
    """`measured` without a threshold; the table's value is that of the worst classes, and of no other."""
    assert isinstance(model, PrivacyModel)
    result = model.evaluate(classes)
    assert result.status == "measured"
    assert not result.satisfied
    assert result.margin is None
    assert result.violating.tolist() == []
    assert result.records_at_risk == 0
    assert len(result.values) == len(classes)
    for g in range(len(classes)):
        value = result.values[g]
        assert (value == result.value) == (g in result.worst)
        assert at_most_as_bad(model, value, result.value)


@pytest.mark.parametrize("model", MODELS, **named)
@settings(max_examples=30)
@given(classes=class_counts(max_classes=4), times=st.integers(2, 9))
def test_repeating_every_record_changes_k_only(model, classes, times):
    """ℓ and t look at shares; k grows with the records."""
    assume(classes.records * times < 2**61)
    repeated = ClassCounts.from_matrix(classes.matrix * times, domain=classes.domain)
    before, after = model.evaluate(classes).value, model.evaluate(repeated).value
    assert after == (before * times if model == KAnonymity() else before)


@pytest.mark.parametrize("model", MODELS, **named)
@settings(max_examples=30)
@given(classes=class_counts(max_classes=4))
def test_the_table_as_one_class_is_the_best_a_table_can_do(model, classes):
    whole = classes.merge([list(range(len(classes)))])
    result = model.evaluate(whole)
    assert at_most_as_bad(model, result.value, model.evaluate(classes).value)
    if model.name == "t-closeness":
        assert result.value == Fraction(0)
