"""δ-presence against a population."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given, strategies as st

from proofs_tests.strategies import class_counts, partitions
from tcloseness.errors import InputError, MassError, TableError
from tcloseness.microdata import ClassCounts, FrequencySet, Hierarchy
from tcloseness.models import DeltaPresence, PopulationCounts

F = Fraction

CLASSES = ClassCounts.from_mapping({"a": {"x": 1, "y": 1}, "b": {"x": 3}})


@st.composite
def populated(draw, max_classes=5):
    classes = draw(class_counts(max_classes=max_classes, huge=draw(st.booleans())))
    absent = draw(st.lists(st.integers(0, 6), min_size=len(classes), max_size=len(classes)))
    inside = tuple(int(n) + more for n, more in zip(classes.class_sizes, absent, strict=True))
    return classes, PopulationCounts(inside, draw(st.integers(0, 2)))


@given(populated(), st.fractions(0, 1, max_denominator=8), st.fractions(0, 1, max_denominator=8))
def test_presence_by_definition(drawn, one, other):
    classes, population = drawn
    low, high = sorted((one, other))
    share = [F(int(n), persons) for n, persons in zip(classes.class_sizes, population.inside, strict=True)]
    least = F(0) if population.outside else min(share)
    result = DeltaPresence(population, low, high).evaluate(classes)
    assert [result.values[g] for g in range(len(classes))] == share
    assert result.violating.tolist() == [g for g, s in enumerate(share) if not low <= s <= high]
    assert result.satisfied == (low <= least and max(share) <= high)
    assert [part.value for part in result.parts] == [max(share), least]
    assert [part.margin for part in result.parts] == [high - max(share), least - low]
    assert (result.value, result.margin) == (max(share), high - max(share))


@given(populated(), st.data())
def test_unions_of_classes_are_no_worse(drawn, data):
    """With the population generalized alike."""
    classes, population = drawn
    groups = data.draw(partitions(len(classes)))
    merged = PopulationCounts(tuple(sum(population.inside[g] for g in group) for group in groups), population.outside)
    before = DeltaPresence(population).evaluate(classes).parts
    after = DeltaPresence(merged).evaluate(classes.merge(groups)).parts
    assert after[0].value <= before[0].value
    assert after[1].value >= before[1].value


def test_the_least_presence_is_asked_of_low_and_the_greatest_of_high():
    """2 of 4 persons in one class, 3 of 4 in the other."""
    classes = ClassCounts.from_mapping({"a": {"x": 2}, "b": {"x": 3}})
    found = DeltaPresence(PopulationCounts((4, 4)), low="5/8", high="5/8").evaluate(classes)
    assert [(part.value, part.violating.tolist()) for part in found.parts] == [(F(3, 4), [1]), (F(1, 2), [0])]


def test_suppression_makes_persons_known_to_be_absent():
    """Presence 1/2 in both classes; without class b its six persons have presence 0."""
    both = DeltaPresence(PopulationCounts((4, 6)), "1/2", "1/2")
    assert both.evaluate(CLASSES).satisfied
    left = ClassCounts.from_mapping({"a": {"x": 1, "y": 1}})
    after = DeltaPresence(PopulationCounts((4,), 6), "1/2", "1/2").evaluate(left)
    assert after.status == "violated"
    assert after.violating.tolist() == []
    assert "6 persons of the population are in no class" in after.notes[0]
    assert not both.monotone.suppression
    for low in (None, 0):
        assert DeltaPresence(PopulationCounts((4, 6)), low, "1/2").monotone.suppression
        assert DeltaPresence(PopulationCounts((4,), 6), low, "1/2").evaluate(left).satisfied


def test_the_population_is_matched_by_the_quasi_identifiers():
    """A population table at the same generalization, and a mapping; classes that the release lacks are outside."""
    people = pd.DataFrame({"age": [21, 22, 23, 31, 32, 41], "s": "x"})
    ages = Hierarchy.intervals(range(20, 50), [10], name="age")
    table = FrequencySet.from_frame(people, quasi_identifiers="age", sensitive="s").generalize(
        {"age": ages}, {"age": 1}
    )
    released = FrequencySet.from_frame(people.iloc[[0, 1, 3]], quasi_identifiers="age", sensitive="s").generalize(
        {"age": ages}, {"age": 1}
    )
    classes = released.class_counts()
    counts = PopulationCounts.by_label(classes, table.class_counts(), source="census")
    assert (counts.inside, counts.outside) == ((3, 2), 1)
    mapping = {table.class_counts().label(g)[0]: n for g, n in enumerate((3, 2, 1))}
    assert PopulationCounts.by_label(classes, mapping) == PopulationCounts((3, 2), 1)
    result = DeltaPresence(counts, high="2/3").evaluate(classes)
    assert (result.status, result.margin) == ("satisfied", 0)
    assert result.conventions["population"] == "census; 1 persons in no class"


BAD = [
    ("population is a tuple", lambda: DeltaPresence((4, 4)), InputError, "give PopulationCounts"),
    ("negative", lambda: PopulationCounts((4, -1)), MassError, "whole and ≥ 0"),
    ("fractional", lambda: PopulationCounts((4, "1/2")), MassError, "whole and ≥ 0"),
    ("low above 1", lambda: DeltaPresence(PopulationCounts((4, 4)), 2), InputError, "low = 2; it must be ≤ 1"),
    ("low above high", lambda: DeltaPresence(PopulationCounts((4, 4)), "1/2", "1/3"), InputError, "above high = 1/3"),
    (
        "other classes",
        lambda: DeltaPresence(PopulationCounts((4,))).evaluate(CLASSES),
        TableError,
        "over 1 classes and the table has 2",
    ),
    (
        "more records than persons",
        lambda: DeltaPresence(PopulationCounts((2, 2))).evaluate(CLASSES),
        TableError,
        "has 3 records and a population of 2",
    ),
    ("class missing", lambda: PopulationCounts.by_label(CLASSES, {"a": 3}), TableError, "missing from the population"),
]


@pytest.mark.parametrize(("call", "error", "message"), [b[1:] for b in BAD], ids=[b[0] for b in BAD])
def test_bad_populations_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
