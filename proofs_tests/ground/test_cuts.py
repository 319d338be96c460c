"""Cuts: a ground distance is the weighted sum of the sets that part two values, over a laminar family."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from proofs_tests.strategies import grounds, laminar_cuts
from tcloseness.errors import DomainError
from tcloseness.ground import Cuts, Equal, Hierarchical, Ordered, OrderedByValue
from tcloseness.microdata import Domain, Hierarchy

sizes = st.integers(1, 7)


def sets_of(cuts: Cuts) -> list[frozenset[int]]:
    """The sets by place."""
    return [frozenset(range(low, high)) for low, high in zip(cuts.low.tolist(), cuts.high.tolist(), strict=True)]


@given(sizes.flatmap(grounds))
def test_the_cuts_sum_to_the_distance(ground):
    """d(i, j) = Σ_k w_k·[exactly one of i, j lies in S_k], for every pair and every ground distance with cuts."""
    for i in range(ground.m):
        for j in range(ground.m):
            assert ground.cuts.distance(i, j) == ground.distance(i, j)


@given(sizes.flatmap(grounds))
def test_any_two_cuts_are_nested_or_disjoint(ground):
    sets = sets_of(ground.cuts)
    for a in sets:
        for b in sets:
            assert a <= b or b <= a or not a & b


@given(sizes.flatmap(grounds))
def test_a_set_stands_after_every_set_inside_it_and_each_set_once(ground):
    sets = sets_of(ground.cuts)
    assert len(set(sets)) == len(sets)
    for k, outer in enumerate(sets):
        assert not any(inner < outer for inner in sets[k + 1 :])


@given(sizes.flatmap(grounds))
def test_weights_are_positive_whole_numbers_and_no_set_is_empty_or_everything(ground):
    cuts = ground.cuts
    assert all(int(w) > 0 for w in cuts.weights)
    assert all(0 < len(s) < ground.m for s in sets_of(cuts))
    assert cuts.total_weight == sum(cuts.weights.tolist())


def assert_forest(cuts: Cuts) -> None:
    """Checked against the definition: among all proper supersets (all sets that hold the place), the smallest."""
    sets = sets_of(cuts)
    parent, home = cuts.forest
    for k, inner in enumerate(sets):
        around = [s for s, outer in enumerate(sets) if inner < outer]
        assert parent[k] == min(around, key=lambda s: len(sets[s]), default=-1)
    for place in range(len(cuts.order)):
        around = [s for s, held in enumerate(sets) if place in held]
        assert home[place] == min(around, key=lambda s: len(sets[s]), default=-1)


@given(st.integers(1, 12).flatmap(laminar_cuts))
def test_the_forest_names_the_smallest_set_around_each_set_and_place(cuts):
    assert_forest(cuts)


def families(m: int) -> Iterator[Cuts]:
    """Every laminar family of intervals of up to 4 places, and every family of prefixes of up to 7."""
    sets = [(low, high) for high in range(1, m + 1) for low in range(high) if 0 < high - low < m and (not low or m < 5)]
    for size in range(len(sets) + 1):
        for chosen in combinations(sets, size):
            if all(b <= c or d <= a or (a >= c and b <= d) or (a <= c and b >= d) for (a, b), (c, d) in
                   combinations(chosen, 2)):  # fmt: skip
                yield Cuts.of(range(m), chosen, [Fraction(1 + i) for i in range(size)])


@pytest.mark.parametrize("m", range(1, 8))
def test_the_forest_of_every_small_family_is_that_of_the_definition(m):
    for cuts in families(m):
        assert_forest(cuts)


@pytest.mark.long
def test_each_way_finds_the_same_forests_and_the_same_sets_that_cross(monkeypatch):
    draw, found = random.Random(2007), []
    for _ in range(1500):
        m = draw.randrange(1, 12)
        ends = {tuple(sorted(draw.sample(range(m + 1), 2))) for _ in range(draw.randrange(10))} - {(0, m)}
        low, high = np.array(sorted(ends, key=lambda s: (s[1], -s[0])), dtype=np.int64).reshape(-1, 2).T
        answers = []
        for layers, interpreted in ((16, 10**6), (0, 10**6), (0, -1), (2, -1)):
            monkeypatch.setattr("tcloseness.ground.cuts._MOST_LAYERS", layers)
            monkeypatch.setattr("tcloseness.ground.cuts._INTERPRETED_SETS", interpreted)
            try:
                cuts = Cuts.from_integers(np.arange(m), low, high, [1] * len(low), 1)
                answers.append([part.tolist() for part in cuts.forest])
                assert not cuts.layers or sorted(np.concatenate(cuts.layers).tolist()) == [*range(len(low))]
            except DomainError as error:
                answers.append(str(error))
        assert answers == [answers[0]] * 4
        crossing = any(a < c < b < d for (a, b) in ends for (c, d) in ends)
        assert crossing == ("cross" in answers[0])
        found.append(crossing)
    assert 300 < sum(found) < 1200


@given(st.integers(1, 12).flatmap(laminar_cuts))
def test_place_is_the_inverse_of_order(cuts):
    assert cuts.place[cuts.order].tolist() == list(range(len(cuts.order)))


@pytest.mark.parametrize("m", [2, 3, 9])
def test_ordered_cuts_are_the_prefixes_of_weight_one_over_m_minus_one(m):
    cuts = Ordered(m).cuts
    assert sets_of(cuts) == [frozenset(range(k)) for k in range(1, m)]
    assert {Fraction(int(w), cuts.denominator) for w in cuts.weights} == {Fraction(1, m - 1)}


def test_cuts_by_value_are_prefixes_weighted_by_gap_over_range():
    """14, 27, 88, 101: gaps 13, 61, 13 over the range 87."""
    cuts = OrderedByValue((14, 27, 88, 101)).cuts
    weights = [Fraction(int(w), cuts.denominator) for w in cuts.weights]
    assert weights == [Fraction(13, 87), Fraction(61, 87), Fraction(13, 87)]


@pytest.mark.parametrize("m", [2, 5])
def test_equal_cuts_are_the_singletons_of_weight_one_half(m):
    cuts = Equal(m).cuts
    assert sets_of(cuts) == [frozenset([k]) for k in range(m)]
    assert {Fraction(int(w), cuts.denominator) for w in cuts.weights} == {Fraction(1, 2)}


def test_hierarchical_cuts_are_the_subtrees_weighted_by_the_height_above_them():
    """Height 2, leaves x, y below A and z below B: leaves (1 − 0)/4 each, A and B (2 − 1)/4 each.

    B holds z alone, so {z} carries both its leaf's and B's weight: 1/4 + 1/4 = 1/2.
    """
    hierarchy = Hierarchy([("x", "A", "*"), ("y", "A", "*"), ("z", "B", "*")])
    cuts = Hierarchical(hierarchy, Domain.of("xyz")).cuts
    weights = [Fraction(int(w), cuts.denominator) for w in cuts.weights]
    found = dict(zip(sets_of(cuts), weights, strict=True))
    quarter = Fraction(1, 4)
    assert found == {
        frozenset([0]): quarter,
        frozenset([1]): quarter,
        frozenset([0, 1]): quarter,
        frozenset([2]): 2 * quarter,
    }


@pytest.mark.parametrize("ground", [Ordered(1), Equal(1), OrderedByValue((5,))])
def test_a_single_value_has_no_cuts(ground):
    assert len(ground.cuts) == 0
    assert ground.cuts.distance(0, 0) == 0


def test_equal_intervals_are_merged_and_empty_full_or_weightless_ones_left_out():
    half = Fraction(1, 2)
    cuts = Cuts.of(range(3), [(0, 1), (0, 1), (1, 1), (0, 3), (2, 3)], [half, half, half, half, Fraction(0)])
    assert sets_of(cuts) == [frozenset([0])]
    assert Fraction(int(cuts.weights[0]), cuts.denominator) == 1


def test_arrays_of_whole_weights_are_merged_as_intervals_are():
    """Also prefixes, which have one lower end, sets that occur twice, and weights of 0."""
    draw = np.random.default_rng(2007)
    for _ in range(200):
        m = int(draw.integers(1, 7))
        ends = sorted(draw.integers(0, m + 1, 3).tolist())
        sets = [(0, end) for end in ends] + [(0, 0), (0, m)] + ([(ends[-1], m)] * 2 if draw.integers(2) else [])
        sets = [sets[place] for place in draw.permutation(len(sets))]
        weights, denominator = draw.integers(0, 4, len(sets)), int(draw.integers(1, 5)) * 2
        low, high = (np.array(ends, dtype=np.int64) for ends in zip(*sets, strict=True))
        merged = Cuts.merged(np.arange(m), low, high, weights, denominator)
        cuts = Cuts.of(range(m), sets, [Fraction(int(weight), denominator) for weight in weights])
        for name in ("low", "high", "weights", "denominator"):
            assert np.array_equal(getattr(merged, name), getattr(cuts, name)), (name, sets)


def test_a_family_with_other_weights_has_their_sum():
    cuts = Cuts.of(range(3), [(0, 1), (0, 2)], [3, 4])
    assert cuts.total_weight == 7
    assert cuts.weighing(np.array([0, 2])).total_weight == 2


@pytest.mark.parametrize(("weight", "dtype"), [(2**62, np.int64), (2**63, object)])
def test_weights_beyond_64_bits_are_python_ints(weight, dtype):
    """The first weight fits int64 (2⁶² < 2⁶³), the second does not."""
    cuts = Cuts.of(range(2), [(0, 1)], [Fraction(weight)])
    assert cuts.weights.dtype == dtype
    assert cuts.distance(0, 1) == weight
