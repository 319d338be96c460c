"""The checks of statements about all tables can fail: what they compute is known where it is worked out by hand."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from experiments.studies.worked_examples import theorems
from experiments.studies.worked_examples.tables import example
from experiments.studies.worked_examples.theorems import eliminations, is_metric, linked, without_the_frequent
from tcloseness.ground import Equal, Ordered
from tcloseness.microdata import TreeNode

NINTH, THIRD = Fraction(1, 9), Fraction(1, 3)


def test_a_person_is_linked_to_the_records_whose_labels_all_cover_her_values() -> None:
    original, released = example("li_table1"), example("li_table2")
    assert linked(released, original) == [3] * 9
    assert linked(original, original) == [1] * 9
    # 3* becomes *: the class of 2* and 476** is covered by six records, that of 4790* by three
    wider = replace(released, frame=released.frame.replace({"Age": {"3*": "*"}}))
    assert linked(wider, original) == [6, 6, 6, 3, 3, 3, 3, 3, 3]
    assert linked(replace(released, frame=released.frame.head(4)), original)[3:6] == [1, 1, 1]


def test_both_printed_sums_of_the_ordered_distance_are_those_of_the_paper() -> None:
    """{3k, 4k, 5k}: prefix sums (2 + 4 + 6 + 5 + 4 + 3 + 2 + 1)/9 over 8; without the last one it is 26/72."""
    p, q = [THIRD] * 3 + [Fraction(0)] * 6, [NINTH] * 9
    sums = [theorems._ordered_sum(p, q, upto) for upto in (7, 8, 9)]
    assert sums == [Fraction(26, 72), Fraction(3, 8), Fraction(3, 8)]


def test_the_extras_of_a_level_sum_to_zero_only_if_every_leaf_is_below_it() -> None:
    def leaf(label: str) -> TreeNode:
        return TreeNode(label, 0)

    extra = {"a": Fraction(1, 2), "b": Fraction(-1, 4), "c": Fraction(-1, 4)}
    even = TreeNode("*", 2, (TreeNode("x", 1, (leaf("a"),)), TreeNode("y", 1, (leaf("b"), leaf("c")))))
    odd = TreeNode("*", 2, (leaf("a"), TreeNode("y", 1, (leaf("b"), leaf("c")))))
    assert [sum(level) for level in theorems._extras(even, extra)] == [0, 0, 0]
    assert [sum(level) for level in theorems._extras(odd, extra)] == [0, 0, Fraction(-1, 2)]


def test_a_block_is_safe_from_as_many_pieces_as_it_has_values_less_two() -> None:
    fewest = theorems._fewest_pieces()
    assert (fewest[1, 1, 1, 1], fewest[3, 1, 1, 2], fewest[3, 1, 2], fewest[0, 3, 1]) == (3, 3, 2, 1)
    assert (3, 0, 0) not in fewest  # it needs no piece


@pytest.mark.parametrize(("every", "diverse"), [(True, False), (False, True)])
def test_one_common_value_may_be_eliminated_or_any(every: bool, diverse: bool) -> None:
    """10, 1, 1 with c = 2, l = 3: without the common value 1 < 2·1; without another 10 > 2·1."""
    assert eliminations((10, 1, 1), Fraction(2), 3, every=every) is diverse


@pytest.mark.parametrize(("least", "kept"), [(2, True), (3, False), (4, False)])
def test_what_is_more_frequent_than_the_first_undisclosable_value_is_removed(least: int, kept: bool) -> None:
    """5, 2, 1 with the first disclosable, so y = 2: left are 2, 1 for (c,l-1); c = 2: 1-diverse always; 2 < 2·1 not."""
    assert without_the_frequent((5, 2, 1), Fraction(2), least, {0}) is kept


def test_a_distance_that_breaks_a_rule_is_not_a_metric() -> None:
    class Squared(Ordered):
        def distance(self, i: int, j: int) -> Fraction:
            return super().distance(i, j) ** 2

    assert is_metric(Ordered(4))
    assert is_metric(Equal(4))
    assert not is_metric(Squared(4))
