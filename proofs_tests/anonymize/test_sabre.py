"""SABRE: its bound is a bound, its buckets are buckets, and its classes need no mergers."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
from hypothesis import given, strategies as st

from proofs_tests.anonymize.cases import Case, cases
from proofs_tests.effort import effort
from proofs_tests.strategies import grounds
from tcloseness.anonymize import sabre
from tcloseness.anonymize.sabre import bucketings, class_quotas
from tcloseness.models import TCloseness
from tcloseness.transport import emd


@st.composite
def bucketed(draw):
    """A ground distance, Q as counts (no zeros), and one of SABRE's bucketings of its values."""
    m = draw(st.integers(1, 6))
    ground = draw(grounds(m))
    counts = draw(st.lists(st.integers(1, 5), min_size=m, max_size=m))
    line = np.asarray(ground.cuts.order)
    found = list(bucketings(ground, line, np.array(counts)))
    return ground, line.tolist(), counts, found


def intervals(ends):
    return list(zip([0, *ends[:-1]], ends, strict=True))


@given(bucketed(), st.data())
def test_with_each_bucket_as_in_q_the_distance_is_at_most_the_bound(drawn, data):
    """Any P with P(B) = Q(B) for every bucket: its mass lies anyhow inside the bucket, on one value or on several."""
    ground, line, counts, found = drawn
    n = sum(counts)
    for buckets in found:
        p = [Fraction(0)] * len(counts)
        for low, high in intervals(buckets.ends):
            members = line[low:high]
            share = data.draw(st.lists(st.integers(0, 3), min_size=len(members), max_size=len(members)).filter(any))
            mass = Fraction(sum(counts[v] for v in members), n)
            for v, part in zip(members, share, strict=True):
                p[v] += mass * Fraction(part, sum(share))
        assert emd(p, [Fraction(c, n) for c in counts], ground) <= buckets.bound


@given(bucketed())
def test_the_bound_is_the_formula_and_each_bucketing_splits_one_bucket(drawn):
    ground, line, counts, found = drawn
    n, m = sum(counts), len(counts)
    assert [len(b.ends) for b in found] == list(range(1, m + 1))
    assert found[-1].bound == 0
    for one, other in zip(found, found[1:], strict=False):
        assert set(one.ends) < set(other.ends)
    for buckets in found:
        total = Fraction(0)
        for low, high in intervals(buckets.ends):
            members = line[low:high]
            total += max(sum(Fraction(counts[u], n) * ground.distance(u, v) for u in members) for v in members)
        assert buckets.bound == total


@given(
    st.lists(st.integers(1, 9), min_size=1, max_size=4),
    st.fractions(0, 1, max_denominator=6),
    st.integers(1, 3),
)
def test_quotas_share_out_all_records_and_keep_the_slack(sizes, slack, least):
    quotas = class_quotas(sizes, slack=slack, farthest=Fraction(1), least=least)
    assert quotas.sum(axis=0).tolist() == sizes
    n = sum(sizes)
    for quota in quotas.tolist():
        size = sum(quota)
        assert size >= min(least, n)
        surplus = [Fraction(a, size) - Fraction(b, n) for a, b in zip(quota, sizes, strict=True)]
        assert sum(max(x, Fraction(0)) for x in surplus) <= slack


@effort(1 / 2)
@given(cases(), st.fractions(0, 1, max_denominator=10), st.sampled_from(["ordered", "equal", "ordered-by-value"]))
def test_classes_are_t_close_without_mergers(case, t, ground):
    """The bound proves it before the records are chosen."""
    found = sabre(case.table, TCloseness(t, ground=ground), case.hierarchies)
    assert found.done["mergers"] == 0
    assert found.verdict.value <= t


def test_a_threshold_of_zero_still_allows_classes_with_the_tables_own_distribution():
    rows = [(i, i % 2) for i in range(8)]
    found = sabre(Case(("n0",), rows, {}).table, TCloseness(0, ground="equal"))
    assert found.partition.sizes.tolist() == [2, 2, 2, 2]
    assert found.verdict.value == 0
