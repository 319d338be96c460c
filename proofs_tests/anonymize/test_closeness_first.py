"""One record of each bucket: the bounds by enumeration, and that the algorithm keeps them."""

from __future__ import annotations

import random
from fractions import Fraction
from itertools import combinations, product

import pandas as pd
import pytest
from hypothesis import given, strategies as st

from tcloseness.anonymize import closeness_first, least_cluster_size, least_distance, one_per_bucket_distance
from tcloseness.anonymize.buckets import even_quotas
from tcloseness.errors import InputError
from tcloseness.ground import Ordered
from tcloseness.microdata import Hierarchy, Microdata
from tcloseness.models import DistinctLDiversity, KAnonymity, TCloseness
from tcloseness.transport import emd

SIZES = [(6, 2), (6, 3), (8, 2), (9, 3), (10, 2), (12, 3), (12, 4), (15, 5)]


def distance(ranks: tuple[int, ...], n: int) -> Fraction:
    """EMD of a class of different ranks 0 … n − 1 from the uniform Q, by the sum of prefix sums (Li et al. 2007,
    §5.1)."""
    total, inside = 0, set(ranks)
    below = 0
    for i in range(n - 1):
        below += i in inside
        total += abs(below * n - (i + 1) * len(ranks))
    return Fraction(total, n * len(ranks) * (n - 1))


@pytest.mark.parametrize(("n", "k"), SIZES)
def test_no_class_is_nearer_than_the_lower_bound_which_is_attained_for_odd_n_over_k(n, k):
    least = min(distance(ranks, n) for ranks in combinations(range(n), k))
    assert least >= least_distance(n, k)
    assert (least == least_distance(n, k)) == (n // k % 2 == 1)


@pytest.mark.parametrize(("n", "k"), SIZES)
def test_one_record_of_each_bucket_is_at_most_at_the_bound_which_is_attained(n, k):
    size = n // k
    buckets = [range(b * size, (b + 1) * size) for b in range(k)]
    assert max(distance(ranks, n) for ranks in product(*buckets)) == one_per_bucket_distance(n, k)


def test_nine_records_in_three_buckets():
    """Ranks 2, 5, 8 of 1 … 9 lie at 1/12; 1, 4, 7 at 1/8; 1, 2, 3 at 3/8. The same by the package's own EMD."""
    q = [Fraction(1, 9)] * 9
    for ranks, value in (((1, 4, 7), "1/12"), ((0, 3, 6), "1/8"), ((0, 1, 2), "3/8")):
        assert distance(ranks, 9) == Fraction(value)
        assert emd([Fraction(i in ranks, 3) for i in range(9)], q, Ordered(9)) == Fraction(value)
    assert (least_distance(9, 3), one_per_bucket_distance(9, 3)) == (Fraction(1, 12), Fraction(1, 8))


def test_adult_needs_five_records_for_a_tenth():
    """(30162 − 5)/(2·30161·5) = 0.0999867… ≤ 0.1 < 0.1249876… for k = 4."""
    assert least_cluster_size(30162, "0.1") == 5
    assert one_per_bucket_distance(30162, 5) == Fraction(30157, 301610)
    assert f"{float(one_per_bucket_distance(30162, 5)):.7f}" == "0.0999867"
    assert f"{float(one_per_bucket_distance(30162, 4)):.7f}" == "0.1249876"


@given(st.integers(1, 60), st.fractions(0, 1, max_denominator=40))
def test_the_needed_size_is_the_least_whose_bound_holds(n, t):
    assert least_cluster_size(n, t) == next(k for k in range(1, n + 1) if one_per_bucket_distance(n, k) <= t)


def test_bounds_of_one_record_and_of_too_many():
    assert least_distance(1, 1) == one_per_bucket_distance(1, 1) == 0
    with pytest.raises(InputError, match="k is at most n"):
        least_distance(2, 3)


@given(st.sampled_from([(4, 2), (6, 2), (6, 3), (9, 3), (12, 3), (12, 4)]), st.data())
def test_different_values_in_whole_buckets_need_no_merger(sizes, data):
    """n different sensitive values, k a divisor of n: each class has one of each bucket and keeps the bound."""
    n, k = sizes
    salaries = data.draw(st.permutations(range(n)))
    x = data.draw(st.lists(st.integers(0, 5), min_size=n, max_size=n))
    frame = pd.DataFrame({"x": x, "salary": salaries})
    table = Microdata.from_frame(frame, quasi_identifiers="x", sensitive="salary")
    bound = one_per_bucket_distance(n, k)
    found = closeness_first(table, TCloseness(bound, ground="ordered"))
    assert found.done == {"k": k, "classes before mergers": n // k, "mergers": 0}
    for group in found.grouped.groups:
        ranks = [salaries[int(i)] for i in group]
        assert sorted(rank // (n // k) for rank in ranks) == list(range(k))
        assert distance(tuple(ranks), n) <= bound


@given(st.lists(st.integers(0, 12), min_size=1, max_size=5), st.integers(1, 5))
def test_quotas_share_out_every_bucket_evenly(sizes, classes):
    quotas = even_quotas(sizes, classes)
    assert quotas.sum(axis=0).tolist() == sizes
    assert ((quotas.max(axis=0) - quotas.min(axis=0)) <= 1).all()


def test_the_seed_takes_its_nearest_of_each_bucket():
    """Salaries 0, 1 | 2, 3; the farthest x is 0 with salary 0, and of the other bucket x = 1 is nearer than 9."""
    frame = pd.DataFrame({"x": [0, 10, 9, 1], "salary": [0, 1, 2, 3]})
    table = Microdata.from_frame(frame, quasi_identifiers="x", sensitive="salary")
    found = closeness_first(table, TCloseness(1, ground="ordered"), k=2)
    assert [g.tolist() for g in found.partition.groups] == [[0, 3], [1, 2]]


@pytest.mark.parametrize("seed", range(5))
def test_buckets_follow_the_leaves_of_a_hierarchical_distance(seed):
    """Of a class's records in the order of the leaves the first is of the first third of all records, and so on."""
    leaves = "bcad"  # from left to right
    values = random.Random(seed).choices(leaves, k=12)
    table = Microdata.from_frame(pd.DataFrame({"x": range(12), "s": values}), quasi_identifiers="x", sensitive="s")
    tree = Hierarchy([(leaf, group, "*") for leaf, group in zip(leaves, "llrr", strict=True)])
    found = closeness_first(table, TCloseness(1, ground=tree), k=3, seed=seed)
    places = sorted(map(leaves.index, values))
    for group in found.grouped.groups:
        mine = sorted(leaves.index(values[i]) for i in group)
        assert all(places[4 * b] <= place <= places[4 * b + 3] for b, place in enumerate(mine))


def test_it_asks_for_one_t_closeness_with_a_ground_distance():
    table = Microdata.from_frame(pd.DataFrame({"x": [1], "s": [1]}), quasi_identifiers="x", sensitive="s")
    for model in (KAnonymity(1), DistinctLDiversity(1) & KAnonymity(1), TCloseness(ground="ordered")):
        with pytest.raises(InputError, match="has 0 of these"):
            closeness_first(table, model)
    with pytest.raises(InputError, match="has 2 of these"):
        closeness_first(table, TCloseness(1, ground="ordered") & TCloseness(1, ground="equal"))
