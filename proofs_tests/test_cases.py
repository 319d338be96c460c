"""Small cases from practice with their right answers, each under the conventions that it is about."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd
import pytest

from tcloseness.errors import HierarchyError, TableError, TableWarning
from tcloseness.loss import AverageClassSize, AverageRisk, ClassificationMetric, MaximalRisk
from tcloseness.microdata import ClassCounts, FrequencySet, Hierarchy


def counts(frame: pd.DataFrame, qi: list[str], sensitive: str = "s", **options) -> ClassCounts:
    return FrequencySet.from_frame(frame, quasi_identifiers=qi, sensitive=sensitive, **options).class_counts()


def test_k01_an_empty_quasi_identifier_is_refused_or_a_value_or_dropped_and_counted():
    frame = pd.DataFrame({"q": ["a", "a", "a", None], "s": list("xyzw")})
    with pytest.raises(TableError, match=r"'q' has 1 row"):
        counts(frame, ["q"])
    assert counts(frame, ["q"], missing="category").class_sizes.tolist() == [3, 1]
    dropped = FrequencySet.from_frame(frame, quasi_identifiers="q", sensitive="s", missing="drop")
    assert (dropped.class_counts().class_sizes.tolist(), dropped.dropped) == ([3], 1)


def test_k03_a_blanked_cell_as_a_category_is_a_class_of_its_own():
    rows = [("N", "s", "30"), ("N", "m", "30"), ("N", "m", "30"), ("N", "s", "30"), ("N", None, "30")]
    frame = pd.DataFrame(rows, columns=["city", "status", "band"]).assign(s="x")
    assert sorted(counts(frame, ["city", "status", "band"], missing="category").class_sizes.tolist()) == [1, 2, 2]


def test_k10_an_unused_category_is_no_class():
    frame = pd.DataFrame({"q": pd.Categorical(list("aabb"), categories=list("abc")), "s": list("xyxy")})
    assert counts(frame, ["q"]).class_sizes.tolist() == [2, 2]


def test_k11_values_that_only_look_alike_stay_apart_with_a_warning():
    with pytest.warns(TableWarning):
        assert counts(pd.DataFrame({"q": [1, "1", 1, "1"], "s": list("xxxx")}), ["q"]).class_sizes.tolist() == [2, 2]
    with pytest.warns(TableWarning):
        assert len(counts(pd.DataFrame({"q": ["a", "a ", "A", "a"], "s": list("xxxx")}), ["q"])) == 3


def test_k13_a_fractional_weight_is_refused():
    frame = pd.DataFrame({"q": list("aab"), "w": [1.5, 2.5, 10.0], "s": list("xyx")})
    with pytest.raises(TableError, match="whole number"):
        counts(frame, ["q"], weight="w")
    assert counts(frame, ["q"]).class_sizes.tolist() == [2, 1]


def test_k15_a_saved_table_reads_back_with_the_same_risk_if_the_marker_is_declared():
    rows = ["<50 f", "<50 m", ">=50 m", "* *", "<50 f", ">=50 m", "<50 m"]
    frame = pd.DataFrame([row.split() for row in rows], columns=["age", "sex"]).assign(s="x")
    read = counts(frame, ["age", "sex"], suppressed="*")
    assert (len(read), read.suppressed) == (3, 1)
    assert (AverageClassSize().evaluate(read).value, MaximalRisk().evaluate(read).value) == (2, Fraction(1, 2))
    with pytest.warns(TableWarning):
        undeclared = counts(frame, ["age", "sex"])
    assert (len(undeclared), AverageClassSize().evaluate(undeclared).value) == (4, Fraction(7, 4))


def test_k17_average_risk_is_over_records_or_over_classes():
    classes = ClassCounts.from_matrix([[1, 1, 2, 3]])
    assert AverageRisk().evaluate(classes).value == Fraction(4, 7)  # classes / records
    assert AverageRisk(over="classes").evaluate(classes).value == Fraction(17, 24)  # (1 + 1 + 1/2 + 1/3) / 4


def test_t21_levels_that_do_not_nest_are_refused():
    with pytest.raises(HierarchyError, match="nest"):
        Hierarchy([("21", "20s", "young", "*"), ("22", "20s", "old", "*"), ("31", "30s", "old", "*")])
    with pytest.raises(HierarchyError, match="'21' stands in rows 1 and 2"):
        Hierarchy([("21", "20s", "*"), ("21", "teens", "*")])


def test_m05_of_tied_values_one_wins():
    assert ClassificationMetric().evaluate(ClassCounts.from_mapping({"a": {"x": 2, "y": 2}})).value == Fraction(1, 2)


def test_m06_an_edge_belongs_to_the_interval_that_it_begins():
    cells = Hierarchy.intervals([0, 5, 10, 19, 20, 25], (10,))
    assert [cells.label(v, 1) for v in (0, 5, 10, 19, 20, 25)] == ["0-9", "0-9", "10-19", "10-19", "20-29", "20-29"]
