"""Two results are compared exactly or not at all; what was asked is told; and a cap is decided where doubles cannot."""

from __future__ import annotations

import math
from dataclasses import replace
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

from proofs_tests.strategies import class_counts
from tcloseness.errors import ConventionError
from tcloseness.logarithms import log_of
from tcloseness.measures import KullbackLeibler
from tcloseness.microdata import ClassCounts
from tcloseness.models import (
    BasicBetaLikeness,
    DeltaDisclosure,
    EnhancedBetaLikeness,
    EntropyLDiversity,
    FrequencyLDiversity,
    KAnonymity,
    NTCloseness,
    TCloseness,
)
from tcloseness.models.beta_likeness import _above_cap

F = Fraction
CLASSES = ClassCounts.from_mapping({"a": {"x": 1, "y": 1}, "b": {"x": 2, "y": 1}})

FINITE = [KAnonymity(), TCloseness(ground="equal"), EntropyLDiversity()]


def sign(a, b):
    return (a > b) - (a < b)


@pytest.mark.parametrize("model", FINITE, ids=lambda model: model.name)
@given(first=class_counts(max_values=3), second=class_counts(max_values=3))
def test_results_compare_as_their_values_do(model, first, second):
    one, other = model.evaluate(first), replace(model.evaluate(second), conventions=model.evaluate(first).conventions)
    assert one.compare(other) == sign(one.value, other.value)
    assert one.compare(one) == 0


def test_an_infinite_value_is_more_than_every_other():
    """KL is infinite where the reference lacks a value of the class, and 0 at the reference itself."""
    model = TCloseness(measure=KullbackLeibler())
    at_zero = model.evaluate(CLASSES.merge([[0, 1]]))
    beyond = model.evaluate(CLASSES.with_reference([1, 0]))
    assert math.isinf(beyond.value)
    beyond = replace(beyond, conventions=at_zero.conventions)
    assert (beyond.compare(at_zero), at_zero.compare(beyond), beyond.compare(beyond)) == (1, -1, 0)


def test_results_of_two_models_are_not_compared():
    with pytest.raises(ConventionError, match="cannot be compared"):
        KAnonymity().evaluate(CLASSES).compare(TCloseness(ground="equal").evaluate(CLASSES))


@pytest.mark.parametrize(
    ("model", "name"),
    [
        (BasicBetaLikeness, "beta"),
        (EnhancedBetaLikeness, "beta"),
        (DeltaDisclosure, "delta"),
        (FrequencyLDiversity, "l"),
        (lambda t: NTCloseness(2, t, ground="equal"), "t"),
    ],
    ids=["basic beta", "enhanced beta", "delta", "frequency l", "(n,t)"],
)
def test_a_threshold_is_told_if_there_is_one(model, name):
    assert model("3/2" if name != "t" else "1/2").evaluate(CLASSES).parameters[name] in ("3/2", "1/2")
    assert name not in model(None).evaluate(CLASSES).parameters


def convergents_of_ln_2():
    """The fractions nearest to ln 2 for their size, from below and above in turn, up to where counts stay below 2³¹."""
    rest, long = Decimal(2).ln(Context(prec=60)), Context(prec=60)
    before, last = (0, 1), (1, 0)
    while last[1] < 2**29:
        whole = int(rest)
        before, last = last, (whole * last[0] + before[0], whole * last[1] + before[1])
        yield last
        rest = long.divide(1, long.subtract(rest, whole))


def test_a_gain_as_near_to_its_cap_as_fractions_come_is_decided_exactly():
    """Q = (1/2, 1/2) caps the gain at ln 2; with counts k + h and k − h the gain of the first value is h/k."""
    sides = set()
    for h, k in convergents_of_ln_2():
        if 0 < h < k:
            above = F(h, k) > log_of(F(2))
            sides.add(above)
            classes = ClassCounts.from_matrix(np.array([[k + h], [k - h]])).with_reference([1, 1])
            assert _above_cap(classes).tolist() == [above]
    assert sides == {False, True}
