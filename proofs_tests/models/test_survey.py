"""Survey weights: shares by weights are those of fractions, and what counts records is asked of rows alone."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from proofs_tests.strategies import class_counts
from tcloseness import models as m
from tcloseness.errors import InputError, ProtocolError, TableError
from tcloseness.microdata import ClassCounts
from tcloseness.models import survey_results
from tcloseness.models.catalogue import MODELS
from tcloseness.models.survey import of_shares

F = Fraction
ASKED = {
    m.DistinctLDiversity: m.DistinctLDiversity(),
    m.EntropyLDiversity: m.EntropyLDiversity(),
    m.FrequencyLDiversity: m.FrequencyLDiversity(),
    m.RecursiveCLDiversity: m.RecursiveCLDiversity(2),
    m.BasicBetaLikeness: m.BasicBetaLikeness(),
    m.EnhancedBetaLikeness: m.EnhancedBetaLikeness(),
    m.DeltaDisclosure: m.DeltaDisclosure(),
    m.ExpEpsilonCloseness: m.ExpEpsilonCloseness(),
    m.TCloseness: m.TCloseness(ground="equal"),
    m.AlphaKAnonymity: m.AlphaKAnonymity("1/2"),
    m.PositiveDisclosureRecursive: m.PositiveDisclosureRecursive(2, allowed=[]),
}
OF_SHARES = [model for model in MODELS if of_shares(model) or of_shares(ASKED.get(model))]


@pytest.mark.parametrize("model", OF_SHARES, ids=lambda model: model.__name__)
@given(classes=class_counts(max_classes=4), times=st.integers(2, 50))
def test_what_depends_on_shares_alone_does_not_change_when_counts_are_multiplied(model, classes, times):
    asked = ASKED[model]
    more = replace(classes, counts=classes.counts * times, reference=classes.reference * times, _dense=None)
    one, other = asked.evaluate(classes), asked.evaluate(more)
    assert one.to_dict()["value"] == other.to_dict()["value"]
    assert np.array_equal(one.worst, other.worst)


def sample(weights):
    return pd.DataFrame({"q": list("aabb"), "s": ["x", "y", "x", "y"], "w": weights})


def asked(weights, *models):
    return survey_results(sample(weights), models, weight="w", quasi_identifiers="q", sensitive="s")


@given(st.lists(st.fractions(F(1, 100), 5000, max_denominator=100), min_size=4, max_size=4))
def test_shares_are_those_of_the_fractions(weights):
    frequency, t = asked(list(map(str, weights)), m.FrequencyLDiversity(), m.TCloseness(ground="equal"))
    a, b = weights[0] / (weights[0] + weights[1]), weights[2] / (weights[2] + weights[3])
    most = max(a, 1 - a, b, 1 - b)
    assert frequency.by_weights.value == 1 / most
    q = (weights[0] + weights[2]) / sum(weights)
    assert t.by_weights.value == max(abs(a - q), abs(b - q))
    assert t.by_rows.value == 0
    assert (t.rows, t.weight) == (4, sum(weights))


def test_a_decimal_is_read_as_it_is_written():
    texts = ["775.16", "0.1", "19379/25", "1e-1"]
    (found,) = asked(texts, m.TCloseness(ground="equal"))
    assert found.weight == 2 * F(19379, 25) + 2 * F(1, 10)
    assert found.by_weights.value == 0
    (same,) = asked([775.16, 0.1, F(19379, 25), "0.10"], m.TCloseness(ground="equal"))
    assert (same.weight, same.by_weights.value) == (found.weight, 0)


def test_what_counts_records_is_asked_of_the_rows_alone_and_says_so():
    k, entropy = asked(["2.5", "2.5", "7.5", "7.5"], m.KAnonymity(2) & m.EntropyLDiversity(2))
    assert (k.by_rows.value, k.by_weights) == (2, None)
    assert k.reason == "k-anonymity counts records, and a survey weight is not a number of records"
    assert (entropy.reason, entropy.by_weights.status) == ("", "satisfied")
    assert [row["by"] for row in entropy.to_frame().to_dict("records")] == ["rows", "weights"]
    assert set(OF_SHARES) == set(ASKED)


def test_the_share_of_alpha_goes_by_weights_and_its_k_by_rows():
    """Of the two rows of a class one weighs three times the other: 3/4 of the weight, half of the rows."""
    k, alpha = asked(["2.5", "7.5", "1", "1"], m.AlphaKAnonymity("1/2", 2))
    assert (k.by_rows.value, k.by_weights) == (2, None)
    assert (alpha.by_rows.status, alpha.by_weights.status, alpha.by_weights.value) == ("satisfied", "violated", F(3, 4))
    assert alpha.by_weights.parts == ()
    weighted = ClassCounts.from_mapping({"a": {"x": 1, "y": 3}})
    rows = ClassCounts.from_mapping({"a": {"x": 1, "y": 1}})
    found = m.ByWeights(m.AlphaKAnonymity("1/2"), weighted).evaluate(rows)
    assert (found.status, found.value, found.parts) == ("violated", F(3, 4), ())
    with pytest.raises(InputError, match="counts records"):
        m.ByWeights(m.AlphaKAnonymity("1/2", 2), weighted)


@pytest.mark.parametrize("reference", ["released", "all"])
def test_the_reference_is_that_of_the_released_rows_or_of_all(reference):
    """One class of x and y with the weights 1 and 3; the suppressed row is x with the weight 4. Q(x) is 1/4 or 5/8 by
    weights, 1/2 or 2/3 by rows."""
    frame = pd.DataFrame({"q": ["a", "a", "*"], "s": ["x", "y", "x"], "w": ["1/2", "3/2", "2"]})
    roles = {"quasi_identifiers": "q", "sensitive": "s", "suppressed": "*"}
    (t,) = survey_results(frame, [m.TCloseness(ground="equal")], weight="w", reference=reference, **roles)
    by_rows, by_weights = {"released": (0, 0), "all": (F(2, 3) - F(1, 2), F(5, 8) - F(1, 4))}[reference]
    assert (t.by_rows.value, t.by_weights.value) == (by_rows, by_weights)
    assert t.by_weights.conventions["reference distribution"] == f"{reference} records"


@pytest.mark.parametrize("cell", ["", None, float("nan"), "0", "-1.5", "many", float("inf"), True])
def test_what_is_not_a_weight_is_named_with_its_row(cell):
    with pytest.raises(TableError, match=r"weight column 'w', row 3 holds .*; a survey weight is a positive number"):
        asked(["1.5", "1.5", cell, "1.5"], m.EntropyLDiversity(2))


def test_other_bad_input_is_named():
    with pytest.raises(TableError, match="no column 'v'"):
        survey_results(sample("1111"), [m.EntropyLDiversity(2)], weight="v", quasi_identifiers="q", sensitive="s")
    twice = sample("1111").set_axis(["q", "s", "w"], axis=1).assign(x=1).set_axis(["q", "s", "w", "w"], axis=1)
    with pytest.raises(TableError, match="2 columns named 'w'"):
        survey_results(twice, [m.EntropyLDiversity(2)], weight="w", quasi_identifiers="q", sensitive="s")
    with pytest.raises(ProtocolError):
        asked(["1"] * 4, object())
    for weights in (["1e-18", "1", "1", "100"], ["1e400", "1", "1", "1"]):
        with pytest.raises(TableError, match=r"'w' sums to more than .* whole multiples; give weights of fewer digits"):
            asked(weights, m.EntropyLDiversity(2))
    (found,) = asked(["3e-300"] * 4, m.EntropyLDiversity(2))  # multiples of one unit
    assert (found.weight, found.by_weights.value) == (F(12, 10**300), 2)


def test_a_model_by_weights_is_of_shares_and_of_the_same_classes():
    rows = ClassCounts.from_mapping({"a": {"x": 1, "y": 1}, "b": {"x": 1, "y": 1}})
    weighted = ClassCounts.from_mapping({"a": {"x": 5, "y": 5}, "b": {"x": 9, "y": 1}})
    found = m.ByWeights(m.FrequencyLDiversity(2), weighted).evaluate(rows)
    assert (found.model, found.status) == ("frequency l-diversity by weights", "violated")
    assert (found.violating.tolist(), found.records_at_risk) == ([1], 2)
    with pytest.raises(InputError, match="k-anonymity counts records"):
        m.ByWeights(m.KAnonymity(2), weighted)

    class Own:
        """A model of somebody's own: it is asked of weights if it says that it is of shares."""

        name, monotone = "own", m.Monotone(generalization=False, suppression=False)
        evaluate = staticmethod(m.FrequencyLDiversity(2).evaluate)

    with pytest.raises(InputError, match="own counts records"):
        m.ByWeights(Own(), weighted)
    Own.of_shares = True
    assert m.ByWeights(Own(), weighted).evaluate(rows).status == "violated"
    with pytest.raises(TableError, match="other classes"):
        m.ByWeights(m.FrequencyLDiversity(2), weighted).evaluate(ClassCounts.from_mapping({"c": {"x": 1}}))
