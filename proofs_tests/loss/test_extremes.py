"""Nothing generalized costs nothing, everything suppressed costs everything, and the claims about generalization."""

from __future__ import annotations

import pytest
from hypothesis import given, strategies as st

from proofs_tests.loss.naive import Case, cases
from proofs_tests.strategies import class_counts, partitions
from tcloseness.loss import (
    Ambiguity,
    AverageClassSize,
    AverageRisk,
    ClassificationMetric,
    Discernibility,
    GeneralizationHeight,
    GlobalCertaintyPenalty,
    KLUtility,
    Loss,
    LossMetric,
    MaximalRisk,
    NonUniformEntropy,
    NormalizedCertaintyPenalty,
    Precision,
    losses,
)
from tcloseness.microdata import ClassCounts

OF_CLASSES: list[Loss] = [
    Discernibility(),
    Discernibility("before-suppression"),
    AverageClassSize(),
    AverageClassSize(k=3),
    MaximalRisk(),
    AverageRisk(),
    ClassificationMetric(),
]
OF_RELEASES: list[Loss] = [
    GeneralizationHeight(),
    Precision(),
    NormalizedCertaintyPenalty(),
    GlobalCertaintyPenalty(leaves="table"),
    GlobalCertaintyPenalty(numeric="age"),
    GlobalCertaintyPenalty(numeric="age", extent="class"),
    LossMetric(),
    NonUniformEntropy(),
    Ambiguity(),
    KLUtility(),
    KLUtility(leaves="table"),
]
SHARES: list[Loss] = [
    GlobalCertaintyPenalty(),
    GlobalCertaintyPenalty(numeric="age"),
    GlobalCertaintyPenalty(numeric="age", extent="class"),
    LossMetric(),
]


def grows(loss: Loss) -> int:
    return {"never lowers it": 1, "never raises it": -1}[loss.generalizing]


@given(cases(suppress=False))
def test_nothing_generalized_costs_nothing(case: Case) -> None:
    original = case.at(dict.fromkeys(case.levels, 0)).release
    for loss in [*SHARES, NonUniformEntropy(), KLUtility()]:
        assert loss.evaluate(original).value == 0, loss
    assert Precision().evaluate(original).value == 1
    assert Ambiguity().evaluate(original).value == 1


@pytest.mark.long
@given(cases(suppress=False))
def test_everything_suppressed_costs_everything(case: Case) -> None:
    release = case.release
    nothing = release.suppress(range(len(release)))
    assert nothing.suppressed == len(case.rows)
    assert len(nothing) == 0
    for loss in [*SHARES, ClassificationMetric(label="job")]:
        assert loss.evaluate(nothing).value == 1, loss
    assert Precision().evaluate(nothing).value == 0
    assert Discernibility().evaluate(nothing).value == len(case.rows) ** 2
    for worst in (NonUniformEntropy(), Ambiguity()):
        result = worst.evaluate(nothing)
        assert result.value == result.bounds[1]


@given(st.data())
def test_merging_classes_does_what_the_loss_claims(data: st.DataObject) -> None:
    classes: ClassCounts = data.draw(class_counts(huge=False))
    merged = classes.merge(data.draw(partitions(len(classes))))
    for loss in OF_CLASSES:
        assert loss.evaluate(merged).compare(loss.evaluate(classes)) in (0, grows(loss)), loss


@given(st.data())
def test_generalizing_further_does_what_the_loss_claims(data: st.DataObject) -> None:
    case: Case = data.draw(cases(suppress=False))
    higher = {n: data.draw(st.integers(level, case.hierarchies[n].height)) for n, level in case.levels.items()}
    here, above = case.release, case.at(higher).release
    for loss in OF_RELEASES:
        assert loss.evaluate(above).compare(loss.evaluate(here)) in (0, grows(loss)), loss


@given(cases())
def test_every_value_lies_within_its_bounds(case: Case) -> None:
    for result in losses(case.release, k=2, label="job", numeric=["age"]).values():
        assert result.bounds[0] <= result.value <= result.bounds[1], result.loss
        assert -1e-9 <= result.share <= 1 + 1e-9, result.loss


@given(cases())
def test_the_terms_of_sums_add_up(case: Case) -> None:
    release = case.release
    for loss in (GeneralizationHeight(), NormalizedCertaintyPenalty(), LossMetric(attributes="sum")):
        result = loss.evaluate(release)
        assert sum(result.terms.values()) == result.value
    entropy = NonUniformEntropy().evaluate(release)
    rest = entropy.value
    for term in entropy.terms.values():
        rest = rest.minus(term)
    assert rest == 0
