"""The ratio distance: over all sets, over single values, and what it is for."""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import chain, combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from proofs_tests.measures.every_measure import some
from proofs_tests.strategies import distribution_pairs, distribution_triples
from tcloseness.exact import Rationals
from tcloseness.measures import KullbackLeibler, Ratio
from tcloseness.microdata import ClassCounts
from tcloseness.models import TCloseness

F = Fraction
ratio = Ratio().distance


def quotient(a, b):
    """The quotient of Definition 5: 0/0 = 0 and x/0 = ∞."""
    return (math.inf if a else F(0)) if not b else a / b


def over_all_sets(p, q):
    """Definition 5 as it is printed: all 2^m sets."""
    sets = chain.from_iterable(combinations(range(len(p)), size) for size in range(len(p) + 1))
    found = []
    for s in sets:
        in_p, in_q = sum((p[i] for i in s), F(0)), sum((q[i] for i in s), F(0))
        found += [quotient(in_p, in_q), quotient(in_q, in_p)]
    return math.inf if math.inf in found else max(found)


@some
@given(distribution_pairs(max_m=6))
def test_the_greatest_ratio_over_all_sets_is_attained_on_a_single_value(pair):
    p, q = pair
    assert ratio(p, q) == over_all_sets(p, q)


@some
@given(distribution_pairs(max_m=6))
def test_it_is_infinite_exactly_where_one_side_lacks_a_value_of_the_other(pair):
    p, q = pair
    assert (ratio(p, q) == math.inf) == any((a == 0) != (b == 0) for a, b in zip(p, q, strict=True))


@some
@given(distribution_triples())
def test_its_logarithm_satisfies_the_triangle_inequality(triple):
    """d(P, R) ≤ d(P, Q)·d(Q, R)."""
    p, q, r = triple
    assert ratio(p, r) <= ratio(p, q) * ratio(q, r)


@some
@given(distribution_pairs(max_m=6))
def test_it_bounds_every_relative_change_and_so_the_divergence(pair):
    """KL(P‖Q) = Σ p·ln(p/q) ≤ ln d, by exact integers: compared through the exponential e^KL ≤ d in doubles."""
    p, q = pair
    if ratio(p, q) != math.inf:
        assert math.exp(float(KullbackLeibler().distance(p, q))) <= float(ratio(p, q)) * (1 + 1e-12)


@pytest.mark.parametrize(
    ("p", "q", "expected"),
    [
        (["1/2", "1/2"], ["3/4", "1/4"], 2),  # 1/2 over 1/4
        (["3/4", "1/4"], ["1/2", "1/2"], 2),
        ([1, 0], ["1/2", "1/2"], math.inf),  # 1/2 over 0
        (["1/2", "1/2"], [1, 0], math.inf),
        ([1, 0], [1, 0], 1),  # 0/0 counts 0
        ([1], [1], 1),
        (["1/10", "9/10"], ["1/5", "4/5"], 2),  # 1/5 over 1/10
        (["0.01", "0.99"], ["0.11", "0.89"], 11),  # Li et al. 2007, §8: ten times more
        (["0.4", "0.6"], ["0.5", "0.5"], "5/4"),  # Li et al. 2007, §8: a quarter more
    ],
)
def test_values_by_hand(p, q, expected):
    assert ratio(p, q) == (expected if expected == math.inf else F(expected))


def test_per_class_holds_plain_ratios_of_counts():
    """`Rationals`, so that a model on it is decided by whole numbers: 1/2 over 1/4 is (1·4)/(1·2) of the counts."""
    found = Ratio().per_class(ClassCounts.from_mapping({"a": {"x": 1, "y": 1}, "b": {"x": 2}}))
    assert isinstance(found, Rationals)
    assert (int(found.numerators[0]), int(found.denominators[0])) == (4, 2)


@pytest.mark.parametrize("size", [1, 50_000, 2**55])
def test_two_fractions_that_doubles_cannot_tell_apart(size):
    """Class a: x 3s + 1, y 3s + 1, z 1; b: x 3s, y 3s + 1, z 1. The greater ratio of x and y is that of x in b."""
    a, b = {"x": 3 * size + 1, "y": 3 * size + 1, "z": 1}, {"x": 3 * size, "y": 3 * size + 1, "z": 1}
    classes = ClassCounts.from_mapping({"a": a, "b": b})
    found = Ratio().per_class(classes)
    n = {"a": 6 * size + 3, "b": 6 * size + 2}
    for g, (name, row) in enumerate((("a", a), ("b", b))):
        p = [F(row[v], n[name]) for v in "xyz"]
        q = [F(a[v] + b[v], n["a"] + n["b"]) for v in "xyz"]
        assert found[g] == max(max(x / y, y / x) for x, y in zip(p, q, strict=True))


@some
@given(st.integers(1, 2**40))
def test_exp_epsilon_closeness_is_decided_at_equality(size):
    """Classes (2s, s) and (s, 2s) against one half each: 2/3 over 1/2 is 4/3, and 1/2 over 1/3 is 3/2."""
    classes = ClassCounts.from_mapping({"a": {"x": 2 * size, "y": size}, "b": {"x": size, "y": 2 * size}})
    result = TCloseness("3/2", measure=Ratio()).evaluate(classes)
    assert result.satisfied
    assert result.margin == 0
    assert result.worst.tolist() == [0, 1]
    assert not TCloseness(F(3, 2) - F(1, 10**30), measure=Ratio()).evaluate(classes).satisfied


def test_the_counts_may_fill_64_bits():
    """Products c·N past 2⁶³ are Python integers: the same as the distance of the distributions."""
    classes = ClassCounts.from_mapping({"a": {"x": 2**60, "y": 3}, "b": {"x": 5, "y": 2**60}})
    p, q = [F(2**60, 2**60 + 3), F(3, 2**60 + 3)], [F(2**60 + 5, 2**61 + 8), F(2**60 + 3, 2**61 + 8)]
    assert Ratio().per_class(classes)[0] == ratio(p, q)


def test_the_input_is_not_changed():
    classes = ClassCounts.from_mapping({"a": {"x": 5, "y": 1}, "b": {"y": 5}})
    before = classes.counts.copy(), classes.reference.copy()
    Ratio().per_class(classes)
    assert np.array_equal(classes.counts, before[0])
    assert np.array_equal(classes.reference, before[1])
