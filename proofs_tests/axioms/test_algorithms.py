"""Tables that are made of a merge: they have the reference's distribution, and show what the merge does."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import assume, given, strategies as st

from proofs_tests.axioms.miniatures import half_l1, ordered, over_those_present
from proofs_tests.strategies import distribution_triples
from tcloseness.axioms import check_distance
from tcloseness.axioms.checks.algorithms import Merge, distribution, merges, small_tables, union

SHARES = st.fractions(Fraction(1, 9), Fraction(8, 9), max_denominator=9)


@given(distribution_triples(), SHARES, st.sampled_from([3, 4]))
def test_a_table_of_a_merge_has_its_classes_and_its_reference(triple, share, classes):
    p1, p2, q = (tuple(map(Fraction, v)) for v in triple)
    assume(p1 != p2)
    merge = Merge(p1, p2, q, share)
    assert Merge.of(p1, p2, merge.merged, q) == merge
    for table in merge.tables(classes):
        assert len(table) == classes
        assert distribution(union(*table)) == q
        assert [distribution(c) for c in table[:2]] == [p1, p2]
        assert distribution(union(*table[:2])) == merge.merged
        assert len(set(table[2:])) == 1


def test_small_tables_are_all_different_and_grow():
    tables = list(small_tables(2, 3))
    records = [sum(map(sum, table)) for table in tables]
    assert records == sorted(records)
    assert records[0] == 3
    assert len(set(tables)) == len(tables) == 560  # 14 classes of one to four records, three of them with repetition
    assert all(any(union(*table)) for table in tables)


@pytest.mark.parametrize(
    "measure", [half_l1, ordered, lambda p, q: min(half_l1(p, q), Fraction(1, 4))], ids=["L1/2", "ordered", "capped"]
)
def test_under_a_quasi_convex_measure_no_merge_grows(measure):
    for merge in merges(3, 3):
        parts = [measure(merge.p1, merge.q), measure(merge.p2, merge.q)]
        assert measure(merge.merged, merge.q) <= max(parts)


@pytest.mark.long
def test_a_table_of_more_records_than_the_smallest_refutes_pruning():
    """max|p − q| over the class's own values: 1/4 before, 5/18 after the first two of three classes are merged."""
    classes = [(0, 4, 8), (12, 12, 0), (15, 11, 46)]
    q = distribution(union(*classes))
    before = max(over_those_present(distribution(c), q) for c in classes)
    after = over_those_present(distribution(union(*classes[:2])), q)
    assert (before, after) == (Fraction(1, 4), Fraction(5, 18))
    card = check_distance(over_those_present, ground="equal", m=(2, 3), effort="1/8", proofs=False)
    assert card.open_question["allows pruning"] == "no"
    assert [card.searches[s] for s in card.searches][:2] == ["no", "no"]
