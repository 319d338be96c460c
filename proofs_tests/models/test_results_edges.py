"""Two results are compared exactly or not at all; what was asked is told."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pytest
from hypothesis import given

from proofs_tests.strategies import class_counts
from tcloseness.errors import ConventionError, InputError
from tcloseness.measures import KullbackLeibler
from tcloseness.microdata import ClassCounts
from tcloseness.models import (
    BasicBetaLikeness,
    DeltaDisclosure,
    DeltaPresence,
    EnhancedBetaLikeness,
    EntropyLDiversity,
    ExpEpsilonCloseness,
    FrequencyLDiversity,
    KAnonymity,
    MInvariance,
    Monotone,
    NegativePositiveRecursive,
    NTCloseness,
    PopulationCounts,
    PositiveDisclosureRecursive,
    RecursiveCLDiversity,
    TCloseness,
    TrackedRelease,
)

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


@pytest.mark.parametrize("model", [BasicBetaLikeness, EnhancedBetaLikeness], ids=lambda model: model.name)
def test_a_value_that_the_reference_lacks_is_gained_without_bound(model):
    """No β holds where q = 0 < p; the table itself gains nothing."""
    found = model(5).evaluate(CLASSES.with_reference([1, 0]))
    assert math.isinf(found.value)
    assert found.violating.tolist() == [0, 1]
    assert model(0).evaluate(CLASSES.merge([[0, 1]]).with_reference([3, 2])).value == 0


def test_recursive_diversity_is_2_diversity_unless_said():
    models = (RecursiveCLDiversity(), PositiveDisclosureRecursive(), NegativePositiveRecursive(protected=["x"]))
    assert [model.l for model in models] == [2, 2, 2]


def test_a_ratio_is_not_taken_for_a_second_epsilon():
    with pytest.raises(TypeError, match="positional"):
        ExpEpsilonCloseness(1, 2)


def test_the_order_of_the_values_is_told_where_there_is_one():
    told = []
    for order in (None, "declared"):
        classes = replace(CLASSES, domain=replace(CLASSES.domain, order=order))
        told.append(NTCloseness(2, ground="equal").evaluate(classes).conventions["order of the values"])
    assert told == ["none", "declared"]


# ---------------------------------------------------------------------- presence


def test_the_two_parts_of_presence_are_each_told_their_own_bound():
    """2 of 4 and 3 of 4 persons: the greatest is 3/4, the least 1/2, or 0 once a person is in no class."""
    found = DeltaPresence(PopulationCounts((4, 4)), low="1/4", high="7/8").evaluate(CLASSES)
    assert [part.parameters for part in found.parts] == [{"high": "7/8"}, {"low": "1/4"}]
    assert [part.value for part in found.parts] == [F(3, 4), F(1, 2)]
    absent = DeltaPresence(PopulationCounts((4, 4), 1), low="1/4").evaluate(CLASSES).parts[1]
    assert (absent.value, absent.margin, absent.worst.size) == (0, F(-1, 4), 0)


def test_presence_is_monotone_under_suppression_unless_it_has_a_lower_bound():
    population = PopulationCounts((4, 4))
    assert DeltaPresence(population, high=1).monotone == Monotone(generalization=True, suppression=True)
    assert DeltaPresence(population, low=1).monotone == Monotone(generalization=True, suppression=False)


@pytest.mark.parametrize("persons", [2**61, 2**62, 2**63 - 1, 2**63, 10**30])
def test_presence_in_a_population_of_any_size_is_exact(persons):
    """The smaller class has the largest population."""
    found = DeltaPresence(PopulationCounts((persons, 4)), low=F(2, persons), high="3/4").evaluate(CLASSES)
    assert (found.parts[1].value, found.status) == (F(2, persons), "satisfied")
    above = DeltaPresence(PopulationCounts((persons, 4)), low=F(2, persons - 1)).evaluate(CLASSES)
    assert above.violating.tolist() == [0]


# ---------------------------------------------------------------------- m-invariance


def test_m_invariance_tells_what_was_asked_and_found():
    release = TrackedRelease(ClassCounts.from_mapping({"a": {"x": 1}, "b": {"x": 2, "y": 1}}), {"Ann": 0})
    assert release.unique_sizes == (1, 0)
    measured, asked = (MInvariance(m).evaluate([release, release]) for m in (None, 2))
    assert (measured.not_unique, asked.not_unique) == (((0, 1), (1, 1)), ((0, 0), (0, 1), (1, 0), (1, 1)))
    assert (measured.to_dict()["parameters"], measured.to_dict()["margin"]) == ({}, None)
    assert (asked.to_dict()["parameters"], asked.to_dict()["margin"]) == ({"m": "2"}, "-2")
    said = [
        [found.to_dict()[name] for name in ("threshold", "threshold_name", "relation")] for found in (measured, asked)
    ]
    assert said == [[None, "m", "≥"], ["2", "m", "≥"]]


def test_every_release_must_be_one():
    release = TrackedRelease(CLASSES, {"Ann": 0})
    with pytest.raises(InputError, match="TrackedRelease"):
        MInvariance(2).evaluate([release, CLASSES])
