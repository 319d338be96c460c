"""Persons of a population in the classes of a release: each label against each person, by definition."""

from __future__ import annotations

import random

import pandas as pd
import pytest

from tcloseness.anonymize import mdav, mondrian
from tcloseness.attacks import population_counts
from tcloseness.errors import HierarchyError, InputError, TableError
from tcloseness.microdata import ClassCounts, FrequencySet, Hierarchy, Microdata
from tcloseness.models import KAnonymity, KMap


def census(seed, n=60):
    draw = random.Random(seed)
    rows = [{"age": draw.randrange(20, 50), "sex": draw.choice("fm")} for _ in range(n)]
    return pd.DataFrame(rows)


def covers(label, value):
    """Whether an interval, a set, a value or * stands for a value."""
    text = str(label)
    if text == "*":
        return True
    if text.startswith("{"):
        return str(value) in text.strip("{}").replace(" ", "").split(",")
    low, dash, high = text.partition("-")
    return int(low) <= int(value) <= int(high) if dash else text == str(value)


@pytest.mark.parametrize("method", [mondrian, mdav])
@pytest.mark.parametrize("seed", range(3))
def test_every_person_is_compared_with_every_label(method, seed):
    """The table is a sample of the population; labels of MDAV overlap."""
    people = census(seed)
    sample = people.sample(15, random_state=seed).reset_index(drop=True).assign(ill="flu")
    table = Microdata.from_frame(sample, quasi_identifiers=["age", "sex"], sensitive="ill")
    classes = method(table, KAnonymity(3), seed=1).release.classes
    found = population_counts(classes, people)
    fits = [
        [all(map(covers, classes.label(g), person)) for person in people.itertuples(index=False)]
        for g in range(len(classes))
    ]
    assert list(found.inside) == [sum(each) for each in fits]
    assert found.outside == sum(not any(each) for each in zip(*fits, strict=True))
    assert KMap(found).evaluate(classes).value >= 3


def released(ages):
    frame = pd.DataFrame({"age": ages, "ill": "flu"})
    return FrequencySet.from_frame(frame, quasi_identifiers="age", sensitive="ill").class_counts()


def test_labels_of_a_hierarchy_stand_for_the_values_below_them():
    tree = Hierarchy.intervals(range(20, 40), [5, 10], name="age")
    classes = released(["20-24", "20-24", "30-39"])
    people = pd.DataFrame({"age": [20, 24, 25, 30, 39, 35]})
    assert population_counts(classes, people, {"age": tree}).inside == (2, 3)
    with pytest.raises(HierarchyError, match="99"):
        population_counts(classes, pd.DataFrame({"age": [20, 99]}), {"age": tree})
    with pytest.raises(HierarchyError, match="not a node of its hierarchy"):
        population_counts(released(["21-24"]), people, {"age": tree})


def test_a_population_is_a_table_of_persons_of_whom_the_records_are():
    classes = released(["20-24", "90"])
    with pytest.raises(TableError, match="a label of 'age' stands for no value of the population"):
        population_counts(classes, pd.DataFrame({"age": [20, 21]}))
    with pytest.raises(TableError, match="'age'"):
        population_counts(classes, pd.DataFrame({"years": [20, 21]}))
    with pytest.raises(TableError, match="'zip' has a hierarchy and is not a quasi-identifier"):
        population_counts(classes, pd.DataFrame({"age": [20, 21]}), {"zip": Hierarchy.intervals(range(20, 40), [5])})
    with pytest.raises(TableError, match="marked as suppressed"):
        population_counts(released(["20"]), pd.DataFrame({"age": ["20", "*"]}), suppressed="*")
    with pytest.raises(TableError, match="no named quasi-identifiers"):
        population_counts(ClassCounts.from_matrix([[1, 2]]), pd.DataFrame({"age": [20]}))


@pytest.mark.parametrize("role", ["sensitive", "quasi_identifiers"])
def test_the_columns_of_a_population_are_those_of_the_classes(role):
    people = pd.DataFrame({"age": [20, 21], "ill": ["flu", "cold"]})
    with pytest.raises(InputError, match=f"^{role}='ill' is given, and of this table only 'age' are read"):
        population_counts(released(["20-24"]), people, **{role: "ill"})


def test_a_row_of_the_population_is_as_many_persons_as_its_weight_says():
    people = pd.DataFrame({"age": [20, 21, 30], "n": [5, 2, 7]})
    assert population_counts(released(["20-24"]), people, weight="n").inside == (7,)
    assert population_counts(released(["20-24"]), people, weight="n").outside == 7
