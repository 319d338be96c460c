"""(n,t)-closeness, against the definition over every superset."""

from __future__ import annotations

import math
from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given, strategies as st

from proofs_tests.strategies import class_counts, grounds
from tcloseness.errors import TableError
from tcloseness.measures import Hellinger, KullbackLeibler, Ratio
from tcloseness.microdata import ClassCounts, FrequencySet, Hierarchy
from tcloseness.models import NTCloseness, TCloseness, superset_map
from tcloseness.transport import emd

F = Fraction

REGIONS = ClassCounts.from_mapping({"A": {"x": 300, "y": 300}, "B": {"x": 200, "y": 1800}, "C": {"x": 200, "y": 200}})
"""A and C share a wider region of 1,000 records."""


def distribution(counts):
    return [F(c, sum(counts)) for c in counts]


def naive(classes, n, supersets, distance):
    """For each class the least distance from a superset of at least n records, by the definition."""
    rows = [classes.vector(g) for g in range(len(classes))]
    found = []
    for g, row in enumerate(rows):
        candidates = [[g], list(range(len(rows)))]
        candidates += [[h for h, label in enumerate(labels) if label == labels[g]] for labels in supersets]
        values = [math.inf]
        for members in candidates:
            total = [sum(rows[h][s] for h in members) for s in range(len(row))]
            if sum(total) >= n:
                values.append(distance(distribution(row), distribution(total)))
        found.append(min((v for v in values if v != math.inf), default=math.inf))  # logarithms order among themselves
    return found


@given(class_counts(max_values=4), st.data())
def test_n_t_closeness_by_definition(classes, data):
    g = len(classes)
    n = data.draw(st.sampled_from([1, 3, 8, classes.records, classes.records + 1]))
    supersets = data.draw(st.lists(st.lists(st.integers(0, 2), min_size=g, max_size=g), max_size=2))
    ground = data.draw(grounds(len(classes.domain)))
    expected = naive(classes, n, supersets, lambda p, q: emd(p, q, ground))
    result = NTCloseness(n, ground=ground, supersets=supersets).evaluate(classes)
    assert [result.values[i] for i in range(g)] == expected
    assert result.value == max(expected)
    assert result.worst.tolist() == [i for i, value in enumerate(expected) if value == max(expected)]


@given(class_counts(max_values=3, max_classes=4, huge=False), st.sampled_from([KullbackLeibler(), Ratio()]), st.data())
def test_any_measure_serves(classes, measure, data):
    g = len(classes)
    n = data.draw(st.integers(1, 10))
    supersets = [data.draw(st.lists(st.integers(0, 1), min_size=g, max_size=g))]
    expected = naive(classes, n, supersets, measure.over(classes.domain).distance)
    result = NTCloseness(n, measure=measure, supersets=supersets).evaluate(classes)
    assert all(result.values[i] == expected[i] for i in range(g))


def test_a_measure_of_square_roots_serves():
    assert NTCloseness(1000, 0, measure=Hellinger(), supersets=[[0, 1, 0]]).evaluate(REGIONS).satisfied


def test_three_regions_far_from_the_table_and_like_their_surroundings():
    """Against the table (700, 2300)/3000: 1/2 − 7/30 = 4/15, 7/30 − 1/10 = 2/15, 4/15. A and C against A + C, and B
    against itself: 0.
    """
    table = TCloseness(ground="equal").evaluate(REGIONS)
    assert [table.values[g] for g in range(3)] == [F(4, 15), F(2, 15), F(4, 15)]
    near = NTCloseness(1000, 0, ground="equal", supersets=[["AC", "B", "AC"]]).evaluate(REGIONS)
    assert (near.status, near.value, near.margin) == ("satisfied", 0, 0)
    # without the wider region: A and C are compared with the table, B still with itself
    alone = NTCloseness(1000, 0, ground="equal").evaluate(REGIONS)
    assert [alone.values[g] for g in range(3)] == [F(4, 15), 0, F(4, 15)]
    # 1,001 records: A + C is too small
    larger = NTCloseness(1001, "4/15", ground="equal", supersets=[["AC", "B", "AC"]]).evaluate(REGIONS)
    assert [larger.values[g] for g in range(3)] == [F(4, 15), 0, F(4, 15)]
    assert larger.margin == 0


@given(class_counts(), st.data())
def test_with_n_the_number_of_records_it_is_t_closeness(classes, data):
    g = len(classes)
    supersets = [data.draw(st.lists(st.integers(0, 2), min_size=g, max_size=g))]
    plain = TCloseness("1/5", ground="equal").evaluate(classes)
    result = NTCloseness(classes.records, "1/5", ground="equal", supersets=supersets).evaluate(classes)
    assert [result.values[i] for i in range(g)] == [plain.values[i] for i in range(g)]
    assert (result.status, result.margin) == (plain.status, plain.margin)


def test_no_superset_is_large_enough():
    result = NTCloseness(3001, 10**9, ground="equal").evaluate(REGIONS)
    assert (result.status, result.value, result.margin) == ("violated", math.inf, -math.inf)


def test_it_is_not_monotone_under_generalization():
    """Classes a, c of 10 and 90 records like their supersets ab (x only) and cd (y only) of 100 each: (100,0)-close.
    The union of a and c is (1, 9)/10, and lies in no superset of at least 100 records but itself (100 records!): with
    n = 101 the supersets have 110 each, and the union is compared with the table (1/2, 1/2): 2/5.
    """
    fine = ClassCounts.from_mapping({"a": {"x": 10}, "b": {"x": 100}, "c": {"y": 90}, "d": {"y": 20}})
    before = NTCloseness(101, 0, ground="equal", supersets=[["ab", "ab", "cd", "cd"]]).evaluate(fine)
    coarse = fine.merge([[0, 2], [1], [3]])
    after = NTCloseness(101, 0, ground="equal", supersets=[[0, 0, 0]]).evaluate(coarse)
    assert before.satisfied
    assert after.values[0] == F(1, 2) - F(1, 10)
    assert not NTCloseness(101, ground="equal").monotone.generalization


def test_it_is_not_monotone_under_suppression():
    """{x, x}, {y}, {y} with n the table's size is t-closeness: 1/2, and 2/3 without the last class."""
    before = ClassCounts.from_mapping({"a": {"x": 2}, "b": {"y": 1}, "c": {"y": 1}})
    after = ClassCounts.from_mapping({"a": {"x": 2}, "b": {"y": 1}})
    assert NTCloseness(3, ground="equal").evaluate(before).value == F(1, 2)
    assert NTCloseness(3, ground="equal").evaluate(after).value == F(2, 3)
    assert not NTCloseness(3, ground="equal").monotone.suppression


# ---------------------------------------------------------------------- supersets of a generalization

AGES = Hierarchy(
    [(21, "20s", "<40", "*"), (24, "20s", "<40", "*"), (31, "30s", "<40", "*"), (52, "50s", ">=40", "*")], name="age"
)
CITIES = Hierarchy([("N", "*"), ("S", "*")], name="city")


def test_supersets_from_a_coarser_generalization():
    frame = pd.DataFrame(
        {"age": [21, 24, 31, 52, 21], "city": ["N", "N", "N", "S", "S"], "s": ["x", "y", "x", "y", "x"]}
    )
    table = FrequencySet.from_frame(frame, quasi_identifiers=["age", "city"], sensitive="s")
    both = {"age": AGES, "city": CITIES}
    classes = table.generalize(both, {"age": 1}).class_counts()
    found = superset_map(classes, table, both, {"age": 1}, {"age": 2})
    by_label = {classes.label(g): found[g] for g in range(len(classes))}
    assert by_label[("20s", "N")] == by_label[("30s", "N")]
    assert len(set(by_label.values())) == 3  # (<40, N), (<40, S), (>=40, S)
    coarser = superset_map(classes, table, both, {"age": 1}, {"age": 2, "city": 1})
    assert len(set(coarser)) == 2
    assert superset_map(classes, table, both, {"age": 1}, {"age": 1}) != found
    with pytest.raises(TableError, match="'age' is below"):
        superset_map(classes, table, both, {"age": 1}, {})
    with pytest.raises(TableError, match="not a class of the table at these levels"):
        superset_map(classes, table, both, {}, {"age": 2})
    assert superset_map(table.project([]).class_counts(), table.project([]), both, {}, {}) == [0]


def test_a_map_names_a_superset_for_every_class():
    with pytest.raises(TableError, match="has 2 labels and the table 3 classes"):
        NTCloseness(1, ground="equal", supersets=[[0, 1]]).evaluate(REGIONS)
