"""k-map and the journalist's risk: the persons of a population that fit a class, by definition."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from proofs_tests.models.test_presence import populated
from proofs_tests.strategies import partitions
from tcloseness.errors import InputError, TableError
from tcloseness.loss import MaximalRisk
from tcloseness.microdata import ClassCounts
from tcloseness.models import JournalistRisk, KAnonymity, KMap, PopulationCounts

F = Fraction


@given(populated(), st.integers(1, 8))
def test_the_fewest_persons_of_a_class_decide(drawn, k):
    classes, population = drawn
    found = KMap(population, k).evaluate(classes)
    assert (found.value, found.satisfied) == (min(population.inside), min(population.inside) >= k)
    assert found.violating.tolist() == [g for g, n in enumerate(population.inside) if n < k]
    assert found.margin == min(population.inside) - k


@given(populated(), st.integers(1, 8))
def test_the_risk_is_one_over_the_fewest_persons_and_at_most_that_of_who_knows_who_is_in_the_table(drawn, k):
    classes, population = drawn
    found = JournalistRisk(population, F(1, k)).evaluate(classes)
    assert found.value == F(1, min(population.inside)) <= MaximalRisk().evaluate(classes).value
    assert found.satisfied == KMap(population, k).evaluate(classes).satisfied


@given(populated())
def test_what_is_k_anonymous_has_k_map(drawn):
    classes, population = drawn
    assert KMap(population).evaluate(classes).value >= KAnonymity().evaluate(classes).value


@given(populated(), st.data())
def test_unions_of_classes_are_no_worse(drawn, data):
    """With the population generalized alike."""
    classes, population = drawn
    groups = data.draw(partitions(len(classes)))
    merged = PopulationCounts(tuple(sum(population.inside[g] for g in group) for group in groups), population.outside)
    for model in (KMap, JournalistRisk):
        before, after = model(population).evaluate(classes), model(merged).evaluate(classes.merge(groups))
        assert (after.value >= before.value) if model is KMap else (after.value <= before.value)


def test_what_makes_no_sense_is_refused_by_name():
    classes = ClassCounts.from_mapping({"a": {"x": 2}, "b": {"x": 3}})
    for model in (KMap, JournalistRisk):
        with pytest.raises(InputError, match="the population is a dict; give PopulationCounts"):
            model({"a": 3})
        with pytest.raises(TableError, match="counted over 1 classes and the table has 2"):
            model(PopulationCounts((4,))).evaluate(classes)
        with pytest.raises(TableError, match="has 3 records and a population of 2"):
            model(PopulationCounts((4, 2))).evaluate(classes)
    with pytest.raises(InputError):
        KMap(PopulationCounts((4, 4)), 0)
    with pytest.raises(InputError):
        JournalistRisk(PopulationCounts((4, 4)), 2)
