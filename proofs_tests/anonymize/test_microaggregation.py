"""MDAV and what it rests on: exact distances, the farthest and the nearest record, mergers."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from proofs_tests.anonymize.cases import SEED, Case, cases, lowest_common_label, models
from proofs_tests.anonymize.test_methods import holds_as_one_class
from proofs_tests.effort import effort
from tcloseness.anonymize import mdav
from tcloseness.anonymize.distances import SquaredDistances
from tcloseness.anonymize.merging import Records, merge_until_satisfied
from tcloseness.errors import InfeasibleError, InputError
from tcloseness.microdata import Domain
from tcloseness.models import DistinctLDiversity, KAnonymity
from tcloseness.release import Numeric, attributes_of
from tcloseness.release.draws import Draws


def squared(case: Case, x: tuple[Any, ...], y: tuple[Any, ...]) -> Fraction:
    """Σ_A d_A² of two rows, attribute by attribute, as the room's docstring defines it."""
    total = Fraction(0)
    for a, name in enumerate(case.names):
        column = [row[a] for row in case.rows]
        if x[a] == y[a]:
            continue
        if name[0] == "n":
            total += (Fraction(x[a] - y[a]) / Fraction(max(column) - min(column))) ** 2
        elif name[0] == "c":
            total += 1
        else:
            hierarchy = case.hierarchies[name]
            total += Fraction(lowest_common_label(hierarchy, [x[a], y[a]])[1], hierarchy.height) ** 2
    return total


def distances_of(case: Case) -> SquaredDistances:
    attributes = attributes_of(case.table, case.hierarchies)
    return SquaredDistances(attributes, [column.codes for column in case.table.quasi_identifiers])


@given(cases(), st.data())
def test_distances_are_exact(case, data):
    distances, n = distances_of(case), len(case.rows)
    members = data.draw(st.lists(st.integers(0, n - 1), unique=True))
    rows = np.arange(n)
    sums = distances.sums(np.array(members, dtype=np.int64), rows)
    for i in range(n):
        row = [Fraction(int(x), distances.unit) for x in distances.between(i, rows)]
        assert row == [squared(case, case.rows[i], other) for other in case.rows]
        assert Fraction(int(sums[i]), distances.unit) == sum(row[j] for j in members)


def test_distances_that_leave_64_bits_stay_exact():
    """Σ over (0, 1, 2^40) of the squared distance from 2^40, in units of 2^-80: 2^80 + (2^40 − 1)^2 + 0."""
    attribute = Numeric("n", Domain.of([0, 1, 2**40]))
    distances = SquaredDistances((attribute,), [np.array([0, 1, 2])])
    assert distances.unit == 2**80
    assert distances.sums(np.arange(3), np.array([2]))[0] == 2**80 + (2**40 - 1) ** 2


@given(cases(kinds=("numeric",)))
def test_the_farthest_from_the_mean_has_the_greatest_sum_of_distances(case):
    """For numbers the mean exists, and both rules name the same records."""
    rows = [tuple(Fraction(x) for x in row[:-1]) for row in case.rows]
    spans = [max(c) - min(c) or 1 for c in zip(*rows, strict=True)]
    mean = [sum(c) / len(rows) for c in zip(*rows, strict=True)]
    from_mean = [sum(((x - m) / s) ** 2 for x, m, s in zip(row, mean, spans, strict=True)) for row in rows]
    everyone = np.arange(len(rows))
    sums = distances_of(case).sums(everyone, everyone).tolist()
    assert [x == max(sums) for x in sums] == [x == max(from_mean) for x in from_mean]


def by_hand(case: Case, k: int) -> list[list[int]]:
    """MDAV-generic with lists and fractions; ties by the quasi-identifiers and the drawn order."""
    left = Draws(SEED).order(case.table).tolist()

    def far(i: int, others: list[int]) -> Fraction:
        return sum((squared(case, case.rows[i], case.rows[j]) for j in others), Fraction(0))

    groups = []

    def around(seed: int) -> None:
        away = sorted((i for i in left if i != seed), key=lambda i: squared(case, case.rows[seed], case.rows[i]))
        group = [seed, *away[: k - 1]]
        groups.append(group)
        for i in group:
            left.remove(i)

    while len(left) >= 3 * k:
        seed = max(left, key=lambda i: far(i, left))
        around(seed)
        around(max(left, key=lambda i: squared(case, case.rows[seed], case.rows[i])))
    if len(left) >= 2 * k:
        around(max(left, key=lambda i: far(i, left)))
    return [*groups, left]


@effort(1 / 2)
@given(cases(), st.integers(1, 4))
def test_mdav_is_the_algorithm_of_its_paper(case, k):
    if len(case.rows) < k:
        return
    found = mdav(case.table, KAnonymity(k), case.hierarchies, seed=SEED)
    assert sorted(g.tolist() for g in found.grouped.groups) == sorted(sorted(g) for g in by_hand(case, k))
    assert found.done["mergers"] == 0


@effort(1 / 2)
@given(cases(), models, st.integers(1, 3))
def test_classes_are_unions_of_the_classes_of_k_records(case, model, k):
    """Mergers only join; and each class has at least k records, at most 2k − 1 where nothing was merged."""
    if not holds_as_one_class(case, model) or len(case.rows) < k:
        return
    found = mdav(case.table, model, case.hierarchies, k=k, seed=SEED)
    size = found.done["k"]
    assert size >= k
    first = mdav(case.table, KAnonymity(size), case.hierarchies, seed=SEED)
    homes: dict[int, set[int]] = {}
    for before, after in zip(first.grouped.class_of.tolist(), found.grouped.class_of.tolist(), strict=True):
        homes.setdefault(before, set()).add(after)
    assert all(len(after) == 1 for after in homes.values())
    assert len(first.grouped) - len(found.grouped) == found.done["mergers"]
    assert all(size <= s < 2 * size for s in first.grouped.sizes.tolist())


def test_a_violating_class_joins_its_nearest():
    """Pairs (0,1), (10,11), (14,15); the middle one has one sensitive value and lies nearer to the last."""
    rows = [(0, 0), (1, 1), (10, 2), (11, 2), (14, 0), (15, 1)]
    found = mdav(Case(("n0",), rows, {}).table, KAnonymity(2) & DistinctLDiversity(2))
    assert [g.tolist() for g in found.partition.groups] == [[0, 1], [2, 3, 4, 5]]
    assert found.done == {"k": 2, "classes of k records": 3, "mergers": 1}


def test_a_class_that_another_joined_in_a_round_is_asked_again_before_it_joins_one():
    """0 joins 1 and 10 joins 11; the pairs satisfy, and are not merged because 1 and 11 were violating alone."""
    table = Case(("n0",), [(0, 0), (1, 1), (10, 0), (11, 1)], {}).table
    of = Records(table, KAnonymity(2), None, None, (), 0, None, None)
    merged, mergers = merge_until_satisfied(np.arange(4), of.model, of.counting, of.distances, of.order, of.clock)
    assert (merged.tolist(), mergers) == ([0, 0, 1, 1], 2)


def test_more_records_than_there_are_cannot_be_in_a_class():
    case = Case(("n0",), [(1, 0), (2, 1)], {})
    with pytest.raises(InfeasibleError, match="k = 3"):
        mdav(case.table, DistinctLDiversity(1), k=3)
    with pytest.raises(InputError, match="k = 0"):
        mdav(case.table, DistinctLDiversity(1), k=0)
