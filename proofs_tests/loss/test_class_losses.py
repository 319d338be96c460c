"""Losses of class sizes, and of classes with a label: against row-by-row oracles, and each convention's own number."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given

from proofs_tests.loss.naive import Case, cases, seeded_cases
from proofs_tests.strategies import class_counts
from tcloseness.errors import InputError
from tcloseness.loss import AverageClassSize, AverageRisk, ClassificationMetric, Discernibility, MaximalRisk, losses
from tcloseness.microdata import ClassCounts, FrequencySet, Hierarchy
from tcloseness.release import Release

SIZES = ClassCounts.from_matrix([[1, 1, 2, 3]])
STARRED = pd.DataFrame(  # a public case: a released file with one suppressed record, read back
    {
        "age": ["<50", "<50", ">=50", "*", "<50", ">=50", "<50"],
        "sex": ["f", "m", "m", "*", "f", "m", "m"],
        "zip": ["81*", "81*", "81*", "*", "81*", "81*", "81*"],
        "s": 1,
    }
)


# ---------------------------------------------------------------------- row by row


@given(cases())
def test_discernibility_counts_the_records_that_each_record_cannot_be_told_from(case: Case) -> None:
    rows, lost = case.rows, case.lost_rows()
    cells = [case.cell(row) for row in rows]
    alike = [sum(j not in lost and cells[j] == cells[i] for j in range(len(rows))) for i in range(len(rows))]
    kept = sum(alike[i] for i in range(len(rows)) if i not in lost)
    release = case.release
    assert Discernibility().evaluate(release).value == kept + len(rows) * len(lost)
    assert Discernibility("one-class").evaluate(release).value == kept + len(lost) ** 2
    assert Discernibility("excluded").evaluate(release).value == kept
    before = sum(cells.count(cell) for cell in cells)
    assert Discernibility("before-suppression").evaluate(release).value == before


@given(cases())
def test_average_class_size_divides_records_by_classes(case: Case) -> None:
    sizes, release, lost = case.sizes(), case.release, len(case.lost_rows())
    if not sizes:
        for loss in (AverageClassSize(), AverageClassSize(suppressed="in-n"), MaximalRisk(), AverageRisk()):
            with pytest.raises(InputError, match="every record is suppressed"):
                loss.evaluate(release)
        return
    n = sum(sizes)
    assert AverageClassSize().evaluate(release).value == Fraction(n, len(sizes))
    assert AverageClassSize(k=3).evaluate(release).value == Fraction(n, 3 * len(sizes))
    assert AverageClassSize(k="achieved").evaluate(release).value == Fraction(n, min(sizes) * len(sizes))
    assert AverageClassSize(suppressed="in-n").evaluate(release).value == Fraction(n + lost, len(sizes))
    classes = len(sizes) + bool(lost)
    assert AverageClassSize(suppressed="one-class").evaluate(release).value == Fraction(n + lost, classes)


@given(cases())
def test_risks_are_means_over_records_and_over_classes(case: Case) -> None:
    sizes, release = case.sizes(), case.release
    if not sizes:
        return
    per_record = [Fraction(1, size) for size in sizes for _ in range(size)]
    assert AverageRisk().evaluate(release).value == sum(per_record) / len(per_record)
    assert AverageRisk(over="classes").evaluate(release).value == sum(Fraction(1, s) for s in sizes) / len(sizes)
    assert MaximalRisk().evaluate(release).value == max(per_record)


@given(cases())
def test_classification_metric_counts_the_records_outside_the_majority(case: Case) -> None:
    release, lost = case.release, case.lost_rows()
    wrong = generous = 0
    for members in case.kept_classes().values():
        labels = Counter(case.rows[i][2] for i in members)
        most = max(labels.values())
        wrong += len(members) - most
        generous += sum(count for count in labels.values() if count < most)
    n = len(case.rows)
    assert ClassificationMetric(label="job").evaluate(release).value == Fraction(wrong + len(lost), n)
    every = ClassificationMetric(label="job", ties="all-win").evaluate(release)
    assert every.value == Fraction(generous + len(lost), n)
    if len(lost) < n:
        left = ClassificationMetric(label="job", suppressed="excluded").evaluate(release)
        assert left.value == Fraction(wrong, n - len(lost))


@given(class_counts(huge=True))
def test_class_losses_are_exact_past_64_bits(classes: ClassCounts) -> None:
    sizes = [int(n) for n in classes.class_sizes]
    assert Discernibility().evaluate(classes).value == sum(n * n for n in sizes)
    assert AverageRisk().evaluate(classes).value == Fraction(len(sizes), sum(sizes))
    assert all(result.bounds[0] <= result.value <= result.bounds[1] for result in losses(classes).values())


@given(cases(suppress=False))
def test_class_counts_and_the_release_that_they_come_from_cost_the_same(case: Case) -> None:
    release = case.release
    counted, compared = losses(release.class_counts("job"), k=2), losses(release, k=2, label="job")
    assert all(counted[name].compare(compared[name]) == 0 for name in counted)


# ---------------------------------------------------------------------- conventions


def test_all_of_this_holds_on_many_tables() -> None:
    for case in seeded_cases(100, "class losses"):
        for law in (
            test_discernibility_counts_the_records_that_each_record_cannot_be_told_from,
            test_average_class_size_divides_records_by_classes,
            test_risks_are_means_over_records_and_over_classes,
            test_classification_metric_counts_the_records_outside_the_majority,
        ):
            law.hypothesis.inner_test(case)  # type: ignore[attr-defined]


def test_the_two_average_risks_of_sizes_1_1_2_3_are_4_7_and_17_24() -> None:
    """(1 + 1 + 1 + 1)/7, one for each class; and (1 + 1 + 1/2 + 1/3)/4."""
    assert AverageRisk().evaluate(SIZES).value == Fraction(4, 7)
    assert AverageRisk(over="classes").evaluate(SIZES).value == Fraction(17, 24)
    assert MaximalRisk().evaluate(SIZES).value == 1


@pytest.mark.parametrize("k", [1, 2, 3])
def test_risk_does_not_depend_on_the_k_that_is_aimed_at(k: int) -> None:
    found = losses(SIZES, k=k)
    assert found["average re-identification risk over records"].value == Fraction(4, 7)
    assert found["C_AVG"].value == Fraction(7, 4 * k)


def test_merging_two_classes_can_raise_the_average_risk_over_classes() -> None:
    """(1 + 1/9 + 1/9)/3 = 11/27 < 19/36 = (1 + 1/18)/2."""
    risk = AverageRisk(over="classes")
    assert risk.evaluate(ClassCounts.from_matrix([[1, 9, 9]])).value == Fraction(11, 27)
    assert risk.evaluate(ClassCounts.from_matrix([[1, 18]])).value == Fraction(19, 36)


def test_suppressed_records_read_back_are_excluded_or_one_class() -> None:
    """Seven records, one starred: classes of 2, 2, 2 and, if stars are a class, 1."""
    roles = {"quasi_identifiers": ["age", "sex", "zip"], "sensitive": "s", "suppressed": "*"}
    classes = FrequencySet.from_frame(STARRED, **roles).class_counts()
    assert MaximalRisk().evaluate(classes).value == Fraction(1, 2)
    assert MaximalRisk("one-class").evaluate(classes).value == 1
    assert AverageClassSize().evaluate(classes).value == 2
    assert AverageClassSize(suppressed="one-class").evaluate(classes).value == Fraction(7, 4)
    assert Discernibility().evaluate(classes).value == 3 * 4 + 7
    assert Discernibility("one-class").evaluate(classes).value == 3 * 4 + 1
    with pytest.raises(InputError, match="Release"):
        Discernibility("before-suppression").evaluate(classes)


def test_a_class_of_halves_costs_one_half_or_nothing() -> None:
    """z = aaaa, s = xxyy: one winner leaves 2 of 4 records; pyCANON 1.3.6 says 0, since both labels win."""
    halves = ClassCounts.from_mapping({"a": {"x": 2, "y": 2}})
    assert ClassificationMetric().evaluate(halves).value == Fraction(1, 2)
    assert ClassificationMetric(ties="all-win").evaluate(halves).value == 0


def test_the_discernibility_variant_changes_which_node_is_best() -> None:
    """Classes of 3, 3, 2 with two single records suppressed, against 4, 3, 3 with none.

    DM is 22 + 10·2 = 42 against 34, DM* is 22 + 1 + 1 = 24 against 34.
    """
    table = pd.DataFrame({"q": list("aaabbbccde"), "s": 1})
    original = FrequencySet.from_frame(table, quasi_identifiers="q", sensitive="s")
    groups = {"a": "A", "b": "B", "c": "C", "d": "A", "e": "C"}
    tree = Hierarchy([(v, g, "*") for v, g in groups.items()])
    split = Release.full_domain(original, {"q": tree}).suppress([3, 4])
    merged = Release.full_domain(original, {"q": tree}, {"q": 1})
    standard, star = Discernibility(), Discernibility("before-suppression")
    assert (standard.evaluate(split).value, standard.evaluate(merged).value) == (42, 34)
    assert (star.evaluate(split).value, star.evaluate(merged).value) == (24, 34)
