"""`&`: several models at once, each part reported."""

from __future__ import annotations

import json

import pandas as pd
import pytest
from hypothesis import given, strategies as st

from proofs_tests.strategies import class_counts
from tcloseness.audit import check
from tcloseness.errors import ProtocolError
from tcloseness.measures import Variational
from tcloseness.microdata import ClassCounts, FrequencySet
from tcloseness.models import (
    AlphaKAnonymity,
    Combination,
    DeltaDisclosure,
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    PrivacyModel,
    RecursiveCLDiversity,
    TCloseness,
)
from tcloseness.models.protocol import Monotone

CLASSES = ClassCounts.from_mapping({"a": {"x": 2, "y": 2}, "b": {"x": 1, "y": 1}, "c": {"x": 1}})
PARTS = [
    KAnonymity(2),
    KAnonymity(),
    DistinctLDiversity(2),
    EntropyLDiversity(2),
    RecursiveCLDiversity(2, c=2),
    TCloseness("1/5", ground="equal"),
    TCloseness(measure=Variational()),
    AlphaKAnonymity("1/2", 2),
    DeltaDisclosure(1),
]


@given(class_counts(), st.lists(st.sampled_from(PARTS), min_size=1, max_size=4))
def test_a_table_satisfies_a_combination_if_it_satisfies_every_part(classes, models):
    result = Combination(tuple(models)).evaluate(classes)
    alone = [model.evaluate(classes) for model in models]
    decided = [r.status for r in alone if r.status != "measured"]
    assert result.satisfied == (bool(decided) and set(decided) == {"satisfied"})
    assert (result.status == "measured") == (not decided)
    broken = [sum(g in r.violating for r in alone) for g in range(len(classes))]
    assert result.violating.tolist() == [g for g, n in enumerate(broken) if n]
    assert result.records_at_risk == sum(int(classes.class_sizes[g]) for g in result.violating)
    assert result.value == max(broken)
    assert [(p.model, p.value, p.status) for p in result.parts] == [(r.model, r.value, r.status) for r in alone]


@given(st.lists(st.sampled_from(PARTS), min_size=1, max_size=4))
def test_a_combination_is_monotone_where_all_parts_are(models):
    claims = [model.monotone for model in models]
    assert Combination(tuple(models)).monotone == Monotone(
        all(c.generalization for c in claims), all(c.suppression for c in claims)
    )


def test_and_joins_models_and_takes_combinations_apart():
    k, t, l = PARTS[0], PARTS[5], PARTS[2]  # noqa: E741
    assert (k & t & l) == (k & (t & l)) == Combination((k, t, l))
    assert (k & t).name == "k-anonymity & t-closeness"
    assert isinstance(k & t, PrivacyModel)


def test_an_example():
    """Sizes 4, 2, 1; c is pure: its share of x is 1 against 4/7."""
    result = (KAnonymity(2) & TCloseness("1/5", ground="equal")).evaluate(CLASSES)
    assert result.status == "violated"
    assert result.value == 2
    assert result.worst.tolist() == result.violating.tolist() == [2]
    assert result.parameters == {"models": "k-anonymity (k = 2); t-closeness (measure = EMD, equal, t = 1/5)"}
    record = result.to_dict(CLASSES)
    assert json.loads(json.dumps(record)) == record
    assert [part["model"] for part in record["parts"]] == ["k-anonymity", "t-closeness"]


def test_parts_that_choose_differently_are_both_named():
    result = (RecursiveCLDiversity(2, c=2) & DeltaDisclosure(1)).evaluate(CLASSES)
    assert result.conventions["comparison"] == (
        "recursive (c,l)-diversity: strict: c must be greater than the value; "
        "delta-disclosure privacy: strict: delta must be greater than the value"
    )


def test_a_model_of_someone_else_combines_from_either_side():
    class Odd:
        name = "odd"
        monotone = Monotone(False, False)

        def evaluate(self, classes):
            return KAnonymity(5).evaluate(classes)

    for both in (KAnonymity(1) & Odd(), Odd() & KAnonymity(1)):
        assert both.evaluate(CLASSES).status == "violated"
        assert not both.monotone.generalization


def test_what_is_no_model_does_not_combine():
    with pytest.raises(TypeError):
        KAnonymity(2) & 3
    with pytest.raises(ProtocolError, match="not a privacy model"):
        Combination((KAnonymity(2), "k"))
    with pytest.raises(ProtocolError, match="at least one"):
        Combination(())


def test_a_combination_is_checked_beside_the_plain_models():
    table = FrequencySet.from_frame(
        pd.DataFrame({"q": list("aaaabb"), "s": list("xxyyxy")}), quasi_identifiers="q", sensitive="s"
    )
    audit = check(table, models=[KAnonymity(3) & TCloseness("1/5", ground="equal"), AlphaKAnonymity("1/2")])
    *_, both, alpha = audit.attributes[0].results
    assert (both.status, both.violating.tolist()) == ("violated", [1])
    assert [part.status for part in both.parts] == ["violated", "satisfied"]
    assert alpha.status == "satisfied"
    assert audit.status == "violated"
    assert json.loads(json.dumps(audit.to_dict())) == audit.to_dict()
    last = audit.summary()[-1]
    assert (last["model"], last["value"], last["threshold"], last["margin"]) == (
        "(alpha,k)-anonymity",
        "1/2",
        "1/2",
        "0",
    )
