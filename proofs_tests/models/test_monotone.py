"""`monotone` is a claim: it is checked for every model on random tables, and no model claims what fails.

It speaks of tables without suppression, and of suppressing given classes. What becomes of it where a search may
suppress violating classes up to a limit is another question: `tcloseness.models.conditions.stays_when_merged` answers
it, and the study `monotonicity` looks at every edge of the Adult lattices.
"""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from hypothesis import assume, given, strategies as st

from proofs_tests.effort import effort
from proofs_tests.models.every_model import LARGER_IS_WORSE, SMALLER_IS_WORSE
from proofs_tests.strategies import class_counts, grounds, partitions
from tcloseness.exact import Bits, log_of
from tcloseness.microdata import ClassCounts
from tcloseness.models import (
    AlphaKAnonymity,
    BasicBetaLikeness,
    DeltaDisclosure,
    EnhancedBetaLikeness,
    ExpEpsilonCloseness,
    KAnonymity,
    NTCloseness,
    PrivacyModel,
    PSensitiveKAnonymity,
    TCloseness,
)

MODELS = SMALLER_IS_WORSE + LARGER_IS_WORSE
NEVER = [DeltaDisclosure(absent="skipped"), NTCloseness(2, ground="equal")]
"""Models that do not claim to be monotone under generalization."""


def two_values(**options):
    """Class counts whose domain has the values 0 and 1, which some of the models name."""
    return class_counts(**options).filter(lambda classes: len(classes.domain) > 1)


def at_most_as_bad(model, after, before):
    """Whether a table's value is no worse than another's; then whatever threshold held for one holds for the other."""
    if model in SMALLER_IS_WORSE:
        return after >= before
    return before == math.inf or (after != math.inf and after <= before)


def without(classes, gone):
    """The table without some of its classes, with the reference of what is left."""
    kept = {g: classes.row(g) for g in range(len(classes)) if g not in gone}
    return ClassCounts.from_mapping(kept, domain=classes.domain)


@pytest.mark.long
@effort(1 / 2)
@given(classes=two_values(max_classes=5), data=st.data())
def test_unions_of_classes_are_no_worse(classes, data):
    """Machanavajjhala et al. 2006, Theorem 5.2 and §5, Li et al. 2007, Generalization Property: a coarser partition has
    no worse a value."""
    merged = classes.merge(data.draw(partitions(len(classes))))
    for model in MODELS:
        assert model.monotone.generalization
        assert at_most_as_bad(model, model.evaluate(merged).value, model.evaluate(classes).value), model


@given(classes=class_counts(max_classes=5), data=st.data())
def test_unions_of_classes_are_no_worse_under_any_ground_distance(classes, data):
    model = TCloseness(ground=data.draw(grounds(len(classes.domain))))
    merged = classes.merge(data.draw(partitions(len(classes))))
    assert model.evaluate(merged).value <= model.evaluate(classes).value


@effort(1 / 2)
@given(classes=two_values(max_classes=5), data=st.data())
def test_a_table_without_some_of_its_classes_is_no_worse(classes, data):
    """Only for models that claim it; they look at one class at a time, and a class does not change."""
    assume(len(classes) > 1)
    gone = data.draw(st.sets(st.integers(0, len(classes) - 1), min_size=1, max_size=len(classes) - 1))
    left = without(classes, gone)
    for model in (m for m in MODELS if m.monotone.suppression):
        assert at_most_as_bad(model, model.evaluate(left).value, model.evaluate(classes).value), model


def test_who_claims_what():
    """The models of closeness look at the other classes, through Q; the others at one class at a time."""
    assert {m.name for m in MODELS + NEVER if not m.monotone.suppression} == {
        "t-closeness",
        "(n,t)-closeness",
        "exp(epsilon)-closeness",
        "delta-disclosure privacy",
        "basic beta-likeness",
        "enhanced beta-likeness",
    }
    assert not any(m.monotone.generalization for m in NEVER)
    assert all(m.monotone.generalization for m in MODELS)
    assert KAnonymity().monotone.to_dict() == {"generalization": True, "suppression": True}


def test_skipping_absent_values_is_not_monotone():
    """d = (4, 0), e = (1, 1), f = (0, 4) of (1/2, 1/2): absent values skipped, the ratios are 2, 1, 2. The union of d
    and e is (5, 1)/6, and y is at 1/6 against 1/2: a ratio of 3.
    """
    fine = ClassCounts.from_mapping({"d": {"x": 4}, "e": {"x": 1, "y": 1}, "f": {"y": 4}})
    model = DeltaDisclosure(absent="skipped")
    assert model.evaluate(fine).value == 1
    assert model.evaluate(fine.merge([[0, 1], [2]])).value == Bits({3: Fraction(1)})


@pytest.mark.parametrize(
    ("model", "before", "after"),
    [
        (ExpEpsilonCloseness(), log_of(Fraction(2)), log_of(Fraction(7, 3))),
        (DeltaDisclosure(base="e"), log_of(Fraction(2)), log_of(Fraction(7, 3))),
        (BasicBetaLikeness(), Fraction(1, 2), Fraction(4, 5)),
        (EnhancedBetaLikeness(), Fraction(1, 2), Fraction(4, 5)),
    ],
    ids=lambda x: getattr(x, "name", ""),
)
def test_models_of_relative_change_are_not_monotone_under_suppression(model, before, after):
    """Two classes (3, 1) and two (1, 3) of (1/2, 1/2): ratios 3/2 and 2, gain 1/2. Without one class (3, 1) the table
    is (5, 7)/12, and the other has 3/4 against 5/12, a gain of 4/5, and 1/4 against 7/12, a ratio of 7/3. The caps
    −ln 1/2 = 0.69 and −ln 5/12 = 0.87 hold.
    """
    rows = {"a": {"x": 3, "y": 1}, "b": {"x": 1, "y": 3}, "c": {"x": 1, "y": 3}, "d": {"x": 3, "y": 1}}
    table = ClassCounts.from_mapping(rows)
    assert model.evaluate(table).value == before
    assert model.evaluate(ClassCounts.from_mapping({g: rows[g] for g in "abc"})).value == after
    assert not model.monotone.suppression


def test_for_k_fewer_records_are_suppressed_but_what_is_released_is_no_generalization():
    """At k = 3 the classes of 1 and 2 records are suppressed, and their union is not. A union of classes never breaks k
    where a part did not, so what must be suppressed never grows, and a search with a limit may prune on k. But a class
    comes into being: what is released is not a generalization of what was released before.
    """
    fine = ClassCounts.from_mapping({"a": {"x": 1}, "b": {"y": 2}, "c": {"x": 3}})
    coarse = fine.merge([[0, 1], [2]])
    assert KAnonymity(3).evaluate(fine).violating.tolist() == [0, 1]
    assert KAnonymity(3).evaluate(coarse).violating.tolist() == []


@effort(1 / 2)
@given(classes=two_values())
def test_values_worst_and_status_fit_together(classes):
    """`measured` without a threshold; the table's value is that of the worst classes, and of no other."""
    for model in MODELS:
        assert isinstance(model, PrivacyModel)
        result = model.evaluate(classes)
        assert result.status == "measured"
        assert not result.satisfied, model
        assert result.margin is None
        assert result.violating.tolist() == []
        assert result.records_at_risk == 0
        assert len(result.values) == len(classes)
        for g in range(len(classes)):
            value = result.values[g]
            assert (value == result.value) == (g in result.worst), model
            assert at_most_as_bad(model, value, result.value), model


@effort(1 / 2)
@given(classes=two_values(max_classes=4), times=st.integers(2, 9))
def test_repeating_every_record_changes_k_only(classes, times):
    """ℓ and t look at shares; k grows with the records."""
    assume(classes.records * times < 2**61)
    repeated = ClassCounts.from_matrix(classes.matrix * times, domain=classes.domain)
    for model in MODELS:
        before, after = model.evaluate(classes).value, model.evaluate(repeated).value
        assert after == (before * times if model == KAnonymity() else before), model
        if model in (PSensitiveKAnonymity(), AlphaKAnonymity()):
            sizes = [model.evaluate(c).parts[1].value for c in (repeated, classes)]
            assert sizes[0] == sizes[1] * times, model


@effort(1 / 2)
@given(classes=two_values(max_classes=4))
def test_the_table_as_one_class_is_the_best_a_table_can_do(classes):
    whole = classes.merge([list(range(len(classes)))])
    for model in MODELS:
        result = model.evaluate(whole)
        assert at_most_as_bad(model, result.value, model.evaluate(classes).value), model
        if model.name == "t-closeness":
            assert result.value == Fraction(0), model
