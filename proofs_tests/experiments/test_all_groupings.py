"""Every grouping is tried once, and each is judged as the models and attacks of the package judge it."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from experiments.adult_hierarchies import OCCUPATION_GROUPS, preset
from experiments.adult_lattices import FIVE, rolled
from experiments.all_groupings import (
    balanced,
    cheap_and_close,
    close_under,
    five_five_four,
    least_heights,
    most_revealed,
    records_below,
    subset_sums,
    taxonomies,
    three_groups,
)
from experiments.studies.data_quality.claims import THREE
from experiments.studies.data_quality.quality import of_four
from experiments.studies.similarity_attack import search
from tcloseness.attacks import similarity_attack
from tcloseness.microdata import ClassCounts, Hierarchy
from tcloseness.models import TCloseness


def test_there_are_as_many_divisions_as_the_multinomial_says_and_each_covers_all_values_once() -> None:
    groups = five_five_four()
    assert len({tuple(sorted(row)) for row in groups.tolist()}) == len(groups) == 126_126  # 14!/(5! 5! 4!)/2
    sizes = np.array([bin(mask).count("1") for mask in range(2**14)])[groups]
    assert (np.sort(sizes, axis=1) == [4, 5, 5]).all()
    assert (groups.sum(axis=1) == 2**14 - 1).all()
    assert (np.bitwise_or.reduce(groups, axis=1) == 2**14 - 1).all()


@pytest.mark.parametrize(("values", "number"), [(3, 1), (4, 6), (5, 25), (6, 90), (7, 301)])
def test_divisions_into_three_groups_are_counted_by_stirling_numbers(values: int, number: int) -> None:
    groups = three_groups(values)
    assert len({tuple(sorted(row)) for row in groups.tolist()}) == len(groups) == number
    assert (groups.sum(axis=1) == np.bitwise_or.reduce(groups, axis=1)).all()
    assert set(groups.sum(axis=1).tolist()) == {2**values - 1}


def test_sums_over_subsets_are_those_of_a_loop() -> None:
    numbers = [3, -1, 4, 10]
    wanted = [sum(n for i, n in enumerate(numbers) if mask >> i & 1) for mask in range(16)]
    assert subset_sums(np.array(numbers)).tolist() == wanted


def test_records_below_a_set_are_those_of_classes_with_no_other_value() -> None:
    rows = [[2, 0, 0], [1, 1, 0], [0, 0, 5], [1, 1, 1], [0, 3, 0]]
    classes = ClassCounts.from_matrix(np.array(rows).T.tolist())
    for mask in range(8):
        inside = [sum(row) for row in rows if not any(n and not mask >> v & 1 for v, n in enumerate(row))]
        assert records_below(classes)[mask] == sum(inside)


def hierarchy_of(row: list[int], values: list[str]) -> Hierarchy:
    groups = {f"group {n}": tuple(v for i, v in enumerate(values) if mask >> i & 1) for n, mask in enumerate(row)}
    return Hierarchy.from_groups([groups], name="occupation")


@pytest.mark.parametrize("t", [Fraction(1, 5), Fraction(3, 10)])
def test_a_table_is_close_as_the_model_says(t: Fraction) -> None:
    table = rolled("T1")
    some = five_five_four()[::7000]
    node = tuple(level - (i == 1) for i, level in enumerate(table.lattice.top))
    verdicts = set()
    for chosen in (table.lattice.top, node, (*table.lattice.top[:-1], 0)):
        classes = table.classes(chosen)
        found = close_under(classes, some, np.ones(len(some), dtype=bool), t)
        for row, close in zip(some.tolist(), found.tolist(), strict=True):
            ground = hierarchy_of(row, [str(value) for value in classes.domain.values])
            assert TCloseness(t, ground=ground).evaluate(classes).satisfied == close
            verdicts.add(close)
    assert True in verdicts


def test_no_division_has_a_cheap_and_close_table_and_few_have_one_at_twice_the_cost() -> None:
    assert [cheap_and_close(name, Fraction(5, 4))[1] for name in ("T1", "T2", "ARX+race")] == [0, 0, 0]
    assert all(0 < cheap_and_close(name, Fraction(2))[1] < 0.02 * 126_126 for name in ("T1", "ARX+race"))


@pytest.mark.long
def test_the_most_that_groups_reveal_is_reached_by_one_of_them() -> None:
    minimal = search("T1", "entropy 2").minimal
    classes = [rolled("T1").classes(node) for node in minimal]
    values = [str(value) for value in classes[0].domain.values]
    own = [sum(1 << values.index(v) for v in group) for group in OCCUPATION_GROUPS["S1"].values()]
    attacks = [similarity_attack(c, hierarchy_of(own, values), level=1).records for c in classes]
    assert most_revealed("T1", minimal, np.array([own])) == max(attacks)
    assert max(attacks) <= most_revealed("T1", minimal, five_five_four()) < 916
    assert most_revealed("T1", minimal, balanced()) == 14


@pytest.mark.long
def test_least_heights_are_those_of_the_lattice_and_apart_by_two_under_every_taxonomy() -> None:
    assert len(set(taxonomies())) == 875
    judged = 0
    for name in FIVE:
        paths = [(str(path[0]), str(path[1])) for path in preset(name)["marital-status"].paths]
        groups = {frozenset(v for v, g in paths if g == group) for _, group in paths}
        found = {frozenset(map(frozenset, taxonomy)): heights for taxonomy, heights in least_heights(1, 8).items()}
        heights = tuple(of_four(name, criterion, 8).height for criterion in THREE)  # type: ignore[union-attr]
        judged += found[frozenset(groups)] == heights
    assert judged == len(FIVE)
    assert {max(h) - min(h) for h in least_heights(1, 8).values()} == {2}
