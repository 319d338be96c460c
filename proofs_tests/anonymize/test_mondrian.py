"""Mondrian against a recursion written from its description, and the known small cases."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pandas as pd
import pytest
from hypothesis import given

from proofs_tests.anonymize.cases import SEED, Case, cases, costs_of, lowest_common_label, models, read
from proofs_tests.anonymize.test_methods import holds_as_one_class
from tcloseness.anonymize import mondrian
from tcloseness.microdata import Hierarchy
from tcloseness.models import DistinctLDiversity, KAnonymity
from tcloseness.release import Partition, attributes_of
from tcloseness.release.draws import Draws


def by_hand(case: Case, model: Any, *, relaxed: bool = False) -> list[list[int]]:
    """Mondrian on lists of rows: one class at a time, one candidate cut at a time.

    A relaxed cut of an odd number of records leaves the one in the middle on the left.
    """
    drawn = {int(row): place for place, row in enumerate(Draws(SEED).order(case.table))}

    def satisfied(*groups: list[int]) -> bool:
        counts = Partition.of(case.table, groups).class_counts()  # the rest counts as suppressed; Q is of all
        return bool(model.evaluate(counts).satisfied)

    def column(group: list[int], a: int) -> list[Any]:
        return [case.rows[i][a] for i in group]

    def width(group: list[int], a: int) -> Fraction:
        name, values = case.names[a], column(group, a)
        everything = [row[a] for row in case.rows]
        if len(set(values)) == 1:
            return Fraction(0)
        if name[0] == "n":
            return Fraction(max(values) - min(values)) / Fraction(max(everything) - min(everything))
        if name[0] == "c":
            return Fraction(len(set(values)), len(set(everything)))
        hierarchy = case.hierarchies[name]
        _, level = lowest_common_label(hierarchy, values)
        below = [p for p in hierarchy.paths if p[level:] == path(hierarchy, values[0])[level:]]
        return Fraction(len(below), len(hierarchy))

    def parts(group: list[int], a: int) -> list[list[int]]:
        name, values = case.names[a], column(group, a)
        if name[0] == "h":
            hierarchy = case.hierarchies[name]
            _, level = lowest_common_label(hierarchy, values)
            children: dict[Any, list[int]] = {}
            for i in group:
                children.setdefault(path(hierarchy, case.rows[i][a])[level - 1 :], []).append(i)
            return list(children.values())
        if relaxed:
            domain = case.table.quasi_identifiers[a]
            in_order = sorted(group, key=lambda i: (values_in_order(case, a, domain.codes[i]), drawn[i]))
            half = (len(group) + 1) // 2
            return [in_order[:half], in_order[half:]]
        ordered = sorted(values)
        median = ordered[(len(ordered) - 1) // 2]
        if median == ordered[-1]:
            return [[i for i in group if case.rows[i][a] < median], [i for i in group if case.rows[i][a] == median]]
        return [[i for i in group if case.rows[i][a] <= median], [i for i in group if case.rows[i][a] > median]]

    def cut(group: list[int]) -> list[list[int]]:
        for a in sorted(range(len(case.names)), key=lambda a: -width(group, a)):  # stable: ties in the table's order
            if width(group, a) > 0 and satisfied(*(found := parts(group, a))):
                return [leaf for part in found for leaf in cut(part)]
        return [group]

    return cut(list(range(len(case.rows))))


def values_in_order(case: Case, a: int, code: Any) -> Any:
    """The place of a value on its axis: that of the number, or of the name in the domain."""
    value = case.table.quasi_identifiers[a].domain.values[int(code)]
    return value if case.names[a][0] == "n" else int(code)


@given(cases(), models)
def test_relaxed_mondrian_is_the_recursion_of_its_description(case, model):
    if not holds_as_one_class(case, model):
        return
    found = mondrian(case.table, model, case.hierarchies, relaxed=True, seed=SEED)
    by = by_hand(case, model, relaxed=True)
    assert sorted(g.tolist() for g in found.grouped.groups) == sorted(sorted(g) for g in by)


def path(hierarchy: Hierarchy, value: Any) -> tuple[Any, ...]:
    return next(p for p in hierarchy.paths if p[0] == value)


@given(cases(), models)
def test_strict_mondrian_is_the_recursion_of_its_description(case, model):
    if not holds_as_one_class(case, model):
        return
    found = mondrian(case.table, model, case.hierarchies)
    assert sorted(g.tolist() for g in found.grouped.groups) == sorted(sorted(g) for g in by_hand(case, model))


@given(cases(kinds=("numeric", "categorical")), models)
def test_strict_classes_do_not_divide_equal_records_and_have_different_labels(case, model):
    if not holds_as_one_class(case, model):
        return
    found = mondrian(case.table, model, case.hierarchies)
    homes: dict[Any, set[int]] = {}
    for row, number in zip(case.rows, found.grouped.class_of.tolist(), strict=True):
        homes.setdefault(row[:-1], set()).add(number)
    assert all(len(numbers) == 1 for numbers in homes.values())
    assert len(found.grouped) == len(found.partition)


@given(cases(kinds=("numeric",)))
def test_relaxed_classes_have_fewer_than_2k_records_unless_all_values_are_equal(case):
    """Halves of 2k or more records have at least k each, so only a class without two values stops early."""
    for k in (1, 2, 3):
        if len(case.rows) < k:
            continue
        for group in mondrian(case.table, KAnonymity(k), relaxed=True).grouped.groups:
            values = {case.rows[int(i)][:-1] for i in group}
            assert len(group) >= k
            assert len(group) < 2 * k or len(values) == 1


def test_two_pairs_of_points_are_two_tight_classes_of_gcp_one_eighth():
    """Case M08: boxes [1,2]² and [8,9]², each side 1/8 of the range; stale boxes would cost 9/16."""
    points = [(1, 1), (2, 2), (8, 8), (9, 9)]
    frame = pd.DataFrame(points, columns=["x", "y"]).assign(s=0)
    table = read(frame, ["x", "y"])
    for relaxed in (False, True):
        found = mondrian(table, KAnonymity(2), relaxed=relaxed)
        assert [group.tolist() for group in found.partition.groups] == [[0, 1], [2, 3]]
        assert costs_of("gcp", table, attributes_of(table)).of(found.partition) == Fraction(1, 8)
    assert found.frame()["x"].tolist() == ["1-2", "1-2", "8-9", "8-9"]
    assert found.done == {"rounds": 2, "cuts made": 1, "cuts refused": 4}


@pytest.mark.parametrize("order", [["red", "blue", "green", "yellow"], ["red", "green", "blue", "yellow"]])
def test_values_without_order_are_cut_in_the_order_of_their_names_not_of_the_rows(order):
    """Case M09: coded by appearance, the two files give different groups."""
    table = read(pd.DataFrame({"c": order, "s": 0}), ["c"])
    found = mondrian(table, KAnonymity(2))
    assert {label for (label,) in found.labels} == {"{blue, green}", "{red, yellow}"}


def test_a_declared_order_is_the_order_of_the_cuts():
    frame = pd.DataFrame({"c": ["low", "high", "middle", "top"], "s": 0})
    table = read(frame, ["c"], orders={"c": ["low", "middle", "high", "top"]})
    assert {label for (label,) in mondrian(table, KAnonymity(2)).labels} == {"{low, middle}", "{high, top}"}


def test_where_the_median_is_the_greatest_value_the_cut_is_below_it():
    """1, 9, 9, 9: the lower median 9 has nothing above it, so the halves are {1} and {9}; k = 2 refuses that."""
    case = Case(("n0",), [(1, 0), (9, 0), (9, 1), (9, 1)], {})
    assert mondrian(case.table, KAnonymity(1)).partition.sizes.tolist() == [1, 3]
    assert mondrian(case.table, KAnonymity(2)).partition.sizes.tolist() == [4]
    assert sorted(mondrian(case.table, KAnonymity(2), relaxed=True).partition.sizes.tolist()) == [2, 2]


def test_a_refused_cut_gives_way_to_the_next_attribute():
    """Along a the halves have one sensitive value each; along b they have both."""
    rows = [(0, 0, 0), (0, 1, 0), (10, 0, 1), (10, 1, 1)]
    found = mondrian(Case(("n0", "n1"), rows, {}).table, DistinctLDiversity(2))
    assert [group.tolist() for group in found.partition.groups] == [[0, 2], [1, 3]]
    assert found.labels == (("0-10", "0"), ("0-10", "1"))
