"""Results carry their conventions, and results under different ones are not compared."""

from __future__ import annotations

import pytest

from tcloseness.conventions import MEANINGS, Conventions
from tcloseness.errors import ConventionError, ProtocolError
from tcloseness.microdata import ClassCounts
from tcloseness.models import EntropyLDiversity, KAnonymity, RecursiveCLDiversity, TCloseness

CLASSES = ClassCounts.from_mapping({"a": {"x": 2, "y": 1}, "b": {"x": 1, "z": 1}})
MERGED = CLASSES.merge([[0, 1]])


def test_a_choice_must_have_a_registered_name():
    with pytest.raises(ProtocolError, match="colour"):
        Conventions({"colour": "blue"})
    assert all(meaning for meaning in MEANINGS.values())


def test_differences_name_both_sides_also_where_one_is_silent():
    here, there = Conventions({"domain": "declared", "missing values": "error"}), Conventions({"domain": "observed"})
    assert here.differences(there) == {"domain": ("declared", "observed"), "missing values": ("error", None)}
    assert here.differences(here) == {}


def test_results_under_different_conventions_are_not_compared_and_the_difference_is_named():
    table, uniform = (TCloseness(ground="equal").evaluate(c) for c in (CLASSES, CLASSES.with_uniform_reference()))
    with pytest.raises(ConventionError, match="reference distribution"):
        table.compare(uniform)
    with pytest.raises(ConventionError, match="k-anonymity"):
        KAnonymity().evaluate(CLASSES).compare(table)


@pytest.mark.parametrize(
    "model",
    [KAnonymity(), EntropyLDiversity(), RecursiveCLDiversity(2), TCloseness(ground="equal")],
    ids=lambda m: m.name,
)
def test_comparing_is_antisymmetric_and_exact(model):
    one, other = model.evaluate(CLASSES), model.evaluate(MERGED)
    assert one.compare(other) == -other.compare(one)
    assert one.compare(one) == 0


def test_merging_is_seen_by_comparing():
    assert KAnonymity().evaluate(MERGED).compare(KAnonymity().evaluate(CLASSES)) == 1
    assert TCloseness(ground="equal").evaluate(MERGED).compare(TCloseness(ground="equal").evaluate(CLASSES)) == -1
