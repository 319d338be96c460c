"""Anatomy: classes of different sensitive values, in two tables."""

from __future__ import annotations

from collections import Counter
from random import Random

import pandas as pd
import pytest
from hypothesis import given, strategies as st

from proofs_tests.anonymize.cases import Case, as_sets, cases, cases_with_partitions
from proofs_tests.effort import effort
from tcloseness.anonymize import anatomy, two_tables
from tcloseness.errors import InfeasibleError, InputError, NotReached, TableError
from tcloseness.microdata import Microdata
from tcloseness.models import (
    DistinctLDiversity,
    EntropyLDiversity,
    FrequencyLDiversity,
    KAnonymity,
    TCloseness,
)
from tcloseness.release import Partition


@given(cases(), st.integers(1, 4))
def test_classes_have_l_different_values_exactly_where_the_table_is_eligible(case, l):  # noqa: E741
    """Eligible: no value in more than n/l records. There are then ⌊n/l⌋ classes, of l or l + 1, l + 2, … records."""
    sensitive = [row[-1] for row in case.rows]
    if max(Counter(sensitive).values()) * l > len(sensitive):
        with pytest.raises(InfeasibleError, match="no grouping"):
            anatomy(case.table, FrequencyLDiversity(l))
        return
    found = anatomy(case.table, FrequencyLDiversity(l))
    assert found.verdict.satisfied
    assert len(found.partition) == len(sensitive) // l
    for group in found.partition.groups:
        values = [sensitive[int(i)] for i in group]
        assert len(set(values)) == len(values) >= l
    assert found.done["records left over"] == len(sensitive) % l
    assert found.done["mergers"] == 0
    for model in (DistinctLDiversity(l), EntropyLDiversity(l)):
        assert model.evaluate(found.class_counts).satisfied


@pytest.mark.parametrize("model", [DistinctLDiversity, FrequencyLDiversity, EntropyLDiversity])
def test_no_class_has_a_value_twice_also_where_the_model_would_allow_it(model):
    """As records are left over: with a value twice a class may still have l different ones, and nothing is merged."""
    rng, joined = Random("left over"), 0
    while joined < 24:
        l, n = rng.randrange(2, 5), rng.randrange(5, 14)  # noqa: E741
        secret = [rng.randrange(5) for _ in range(n)]
        if n % l == 0 or max(Counter(secret).values()) * l > n:
            continue
        joined += n % l
        frame = pd.DataFrame({"age": range(n), "s": secret})
        table = Microdata.from_frame(frame, quasi_identifiers="age", sensitive="s")
        found = anatomy(table, model(l))
        assert (len(found.partition), found.done["mergers"]) == (n // l, 0)
        for group in found.partition.groups:
            assert len({secret[i] for i in group.tolist()}) == len(group) >= l


@effort(1 / 2)
@given(cases(), st.data())
def test_the_two_tables_have_each_record_once(case, data):
    try:
        found = anatomy(case.table, FrequencyLDiversity(2) & KAnonymity(data.draw(st.integers(1, 4))), case.hierarchies)
    except InfeasibleError:
        return
    left, right = found.quasi_identifier_table(class_column="g", order="input"), found.sensitive_table(class_column="g")
    assert Counter(found.quasi_identifier_table().itertuples(index=False, name=None)) == Counter(
        left.itertuples(index=False, name=None)
    )
    assert list(left.columns) == [*case.names, "g"]
    assert [tuple(row) for row in left[list(case.names)].itertuples(index=False)] == [row[:-1] for row in case.rows]
    counted = Counter(zip(left["g"], (row[-1] for row in case.rows), strict=True))
    assert {(g, s): n for g, s, n in right.itertuples(index=False)} == counted
    assert list(right.columns) == ["g", "s", "count"]
    assert found.to_dict()["records"] == len(case.rows)


@effort(1 / 2)
@given(cases(), st.data())
def test_the_order_of_the_rows_does_not_matter(case, data):
    """With one seed the classes are the same, their numbers too, and the published tables are equal row by row."""
    other = case.permuted(data.draw(st.permutations(range(len(case.rows)))))
    model = FrequencyLDiversity(2) & KAnonymity(data.draw(st.integers(1, 4)))
    seed = data.draw(st.integers(0, 3))
    try:
        found = anatomy(case.table, model, case.hierarchies, seed=seed)
    except InfeasibleError:
        return
    moved = anatomy(other.table, model, case.hierarchies, seed=seed)
    assert as_sets(moved.partition, other.rows) == as_sets(found.partition, case.rows)
    assert moved.quasi_identifier_table().equals(found.quasi_identifier_table())
    assert moved.sensitive_table().equals(found.sensitive_table())
    assert moved.done == found.done


@effort(1 / 2)
@given(cases_with_partitions(suppress=False))
def test_any_partition_can_be_published_in_two_tables(drawn):
    case, partition = drawn
    found = two_tables(partition, KAnonymity(1))
    assert as_sets(found.partition, case.rows) == as_sets(partition, case.rows)
    smallest = int(partition.sizes.min())
    with pytest.raises(NotReached, match="k-anonymity is violated"):
        two_tables(partition, KAnonymity(smallest + 1))


def test_equal_quasi_identifiers_do_not_merge_classes_of_two_tables():
    """The class is published by its number, so these two stay two, unlike in a generalized table."""
    case = Case(("n0",), [(1, 0), (1, 1), (1, 0), (1, 1)], {})
    assert anatomy(case.table, FrequencyLDiversity(2)).partition.sizes.tolist() == [2, 2]


def test_mergers_serve_what_goes_beyond_l_diversity():
    rows = [(i, i % 2) for i in range(8)]
    found = anatomy(Case(("n0",), rows, {}).table, DistinctLDiversity(2) & KAnonymity(4))
    assert found.partition.sizes.min() >= 4
    assert found.done["classes before mergers"] == 4
    assert found.done["mergers"] == 4 - len(found.partition)


def test_a_model_without_l_and_tables_that_are_not_eligible_are_named():
    case = Case(("n0",), [(1, 0), (2, 0), (3, 0), (4, 1)], {})
    with pytest.raises(InputError, match="asks for no l"):
        anatomy(case.table, TCloseness(1, ground="ordered"))
    with pytest.raises(NotReached, match=r"at most n/l = 4/2 records, and one is in 3"):
        anatomy(case.table, DistinctLDiversity(2))
    with pytest.raises(NotReached, match="one is in 3"):
        anatomy(case.table, FrequencyLDiversity("5/4"))  # 3/4 ≤ 4/5, but Anatomy makes classes for a whole l = 2
    table = Microdata.from_frame(pd.DataFrame({"class": [1, 2], "count": [0, 1]}), quasi_identifiers="class",
                                 sensitive="count")  # fmt: skip
    found = anatomy(table, FrequencyLDiversity(2))
    with pytest.raises(TableError, match="one name"):
        found.quasi_identifier_table()
    with pytest.raises(TableError, match="one name"):
        found.sensitive_table()
    with pytest.raises(InputError, match="no threshold"):
        two_tables(found.partition, KAnonymity())


def test_suppressed_records_have_no_place_in_two_tables():
    case = Case(("n0",), [(1, 0), (2, 1)], {})
    with pytest.raises(TableError, match=r"1 record\(s\) of the partition are suppressed"):
        two_tables(Partition.of(case.table, [[0]]), KAnonymity(1))
