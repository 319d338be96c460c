"""Partitions: which records make a class, what that counts, and what it costs."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from proofs_tests.anonymize.cases import Case, cases_with_partitions, costs_of
from proofs_tests.effort import effort
from proofs_tests.lattice.cases import cases as lattice_cases
from tcloseness.errors import InputError, TableError
from tcloseness.loss import certainty_of_boxes, tight_boxes
from tcloseness.loss.names import OF_CLASSES, loss_named
from tcloseness.microdata import Microdata
from tcloseness.release import Partition, Release, attributes_of
from tcloseness.release.full_domain import AtLevel


@given(cases_with_partitions())
def test_class_counts_are_the_values_counted_by_hand(drawn):
    case, partition = drawn
    counts = partition.class_counts()
    sensitive = [row[-1] for row in case.rows]
    assert counts.reference.tolist() == [sensitive.count(v) for v in range(4)]
    assert counts.suppressed == partition.suppressed == partition.class_of.tolist().count(-1)
    for g in range(len(partition)):
        members = [i for i, number in enumerate(partition.class_of.tolist()) if number == g]
        assert partition.groups[g].tolist() == members
        assert counts.row(g) == Counter(sensitive[i] for i in members)
    assert counts.class_sizes.tolist() == partition.sizes.tolist()


@effort(1 / 2)
@given(cases_with_partitions())
def test_of_groups_is_the_inverse_of_groups(drawn):
    case, partition = drawn
    assert Partition.of(case.table, partition.groups).class_of.tolist() == partition.class_of.tolist()


@effort(1 / 2)
@given(cases_with_partitions(), st.sampled_from(sorted(OF_CLASSES)))
def test_costs_sum_over_classes_and_suppressed_records(drawn, name):
    case, partition = drawn
    attributes = attributes_of(case.table, case.hierarchies)
    cost = costs_of(name, case.table, attributes, k=2)
    alone = [Partition.of(case.table, [group]) for group in partition.groups]
    summed = sum(
        (cost.total(one) - one.suppressed * Fraction(cost.suppressed, cost.unit) for one in alone), Fraction(0)
    )
    assert cost.total(partition) == summed + partition.suppressed * Fraction(cost.suppressed, cost.unit)


@effort(1 / 2)
@given(cases_with_partitions(), st.data())
def test_a_lower_total_is_a_lower_loss(drawn, data):
    """Two partitions of one table with as many suppressed records are ordered alike by the total and by the loss."""
    case, one = drawn
    other = Partition(case.table, np.array(data.draw(st.permutations(one.class_of.tolist()))))
    for name in OF_CLASSES:
        if name in ("c-avg", "class-size") and not len(one):
            continue
        cost = costs_of(name, case.table, attributes_of(case.table, case.hierarchies), k=2)
        totals, losses = [cost.total(p) for p in (one, other)], [cost.of(p) for p in (one, other)]
        assert (totals[0] < totals[1]) == (losses[0] < losses[1])
        assert (totals[0] == totals[1]) == (losses[0] == losses[1])
        assert all(cost.least(len(case.rows)) <= total * cost.unit for total in totals)
        assert all(total * cost.unit <= cost.greatest(one.suppressed) or not len(one) for total in totals)


@given(lattice_cases(), st.data())
def test_a_full_domain_partition_costs_what_the_losses_say(case, data):
    """Against `tcloseness.loss` on the same release, with classes suppressed; heights without."""
    node = data.draw(st.sampled_from(sorted(case.nodes)))
    k = data.draw(st.sampled_from([1, 1, 2, 3]))
    release = Release.full_domain(case.frequencies, case.hierarchies, dict(zip(case.hierarchies, node, strict=True)))
    release = release.suppress(np.flatnonzero(release.class_sizes < k))
    if release.withheld.all():
        return
    frame = pd.DataFrame(case.rows, columns=[*case.hierarchies, "s"])
    table = Microdata.from_frame(frame, quasi_identifiers=list(case.hierarchies), sensitive="s")
    attributes = tuple(
        AtLevel(column.name, column.domain, case.hierarchies[column.name], level)
        for column, level in zip(table.quasi_identifiers, node, strict=True)
    )
    labels = list(
        zip(*(a.label_of[c.codes] for a, c in zip(attributes, table.quasi_identifiers, strict=True)), strict=True)
    )
    numbers: dict = {}
    for label, times in Counter(labels).items():
        if times >= k:
            numbers[label] = len(numbers)
    partition = Partition(table, np.array([numbers.get(label, -1) for label in labels]))
    assert partition.suppressed == release.suppressed
    for name in OF_CLASSES:
        if name in ("c-avg", "class-size") and release.suppressed:
            continue  # they count released records, which the sum over classes does not see
        expected = loss_named(name, k=2, classes=True).evaluate(release).value
        assert costs_of(name, table, attributes, k=2).published(partition) == expected
        if not release.suppressed:  # Samarati's height charges nothing for suppression; a mean over records must
            assert loss_named(name, k=2).evaluate(release).value == expected


@given(cases_with_partitions())
def test_numeric_classes_cost_what_their_boxes_do(drawn):
    case, partition = drawn
    numeric = [i for i, name in enumerate(case.names) if name[0] == "n"]
    if not numeric:
        return
    names = [case.names[i] for i in numeric]
    rows = [tuple(row[i] for i in numeric) for row in case.rows]
    table = Case(tuple(names), [(*point, 0) for point in rows], {}).table
    kept = np.flatnonzero(partition.class_of >= 0).tolist()
    place = {row: i for i, row in enumerate(kept)}
    boxes = tight_boxes([rows[i] for i in kept], [[place[int(i)] for i in g] for g in partition.groups])
    spans = [(min(column), max(column)) for column in zip(*rows, strict=True)]
    expected = certainty_of_boxes(
        boxes, partition.sizes.tolist(), spans, attributes=names, suppressed=partition.suppressed
    )
    release = Release.of_partition(Partition(table, partition.class_of), attributes_of(table))
    found = loss_named("gcp").evaluate(release)
    assert (found.value, found.terms) == (expected.value, expected.terms)


FRAME = pd.DataFrame({"age": [21, 22, 25, 41], "w": [1, 2, 1, 1], "s": list("xyxy")})
TABLE = Microdata.from_frame(FRAME, quasi_identifiers="age", sensitive="s")


@pytest.mark.parametrize(
    ("class_of", "said"),
    [
        ([0, 0, 0], "shape"),
        ([0, 0, 0.5, 1], "whole number"),
        ([0, 0, -2, 1], "−1 is suppressed"),
        ([0, 0, 2, 2], "class 1 has no records"),
    ],
)
def test_numbers_that_are_no_partition_are_refused(class_of, said):
    with pytest.raises(TableError, match=said):
        Partition(TABLE, np.array(class_of))


@pytest.mark.parametrize(
    ("groups", "said"),
    [
        ([[0, 1], []], "no records"),
        ([[0, 4]], "not among"),
        ([[0, 1], [1]], "already"),
        ([[0, 0]], "already"),
        ([[0.5, 1]], r"group 0 is \[0.5, 1\]; give the numbers of its records"),
        ([[True, False, False, True]], "give the numbers"),
        ([["0"]], "give the numbers"),
        ([0, 1], "group 0 is 0; give the numbers"),
    ],
)
def test_groups_that_are_no_partition_are_refused(groups, said):
    with pytest.raises(TableError, match=said):
        Partition.of(TABLE, groups)


def test_each_class_needs_a_new_number():
    """One that is left out would be suppressed."""
    with pytest.raises(TableError, match="1 new numbers are given for 2 classes"):
        Partition(TABLE, np.array([0, 0, 1, 1])).merged([0])


def test_an_attribute_without_a_hierarchy_has_level_0_only():
    with pytest.raises(TableError, match="no hierarchy is given for 'age', which is to go to level 1"):
        AtLevel("age", TABLE.quasi_identifiers[0].domain, None, 1)


def test_weights_and_marked_records_are_refused():
    weighted = Microdata.from_frame(FRAME, quasi_identifiers="age", sensitive="s", weight="w")
    with pytest.raises(TableError, match="weight column"):
        Partition(weighted, np.zeros(4, dtype=np.int64))
    marked = Microdata.from_frame(FRAME.astype({"age": object}).replace({"age": {41: "*"}}), quasi_identifiers="age",
                                  sensitive="s", suppressed="*")  # fmt: skip
    with pytest.raises(TableError, match="1 record"):
        Partition(marked, np.zeros(4, dtype=np.int64))


def test_a_partition_is_not_changed_from_outside():
    numbers = np.array([0, 0, 1, 1])
    partition = Partition(TABLE, numbers)
    numbers[0] = 1
    assert partition.class_of.tolist() == [0, 0, 1, 1]
    with pytest.raises(ValueError, match="read-only"):
        partition.class_of[0] = 1


def test_with_every_record_suppressed_there_is_no_class():
    nothing = Partition(TABLE, np.full(4, -1))
    assert (len(nothing), nothing.groups) == (0, ())
    with pytest.raises(TableError, match="every record"):
        nothing.class_counts()
    assert costs_of("gcp", TABLE, attributes_of(TABLE)).of(nothing) == 1


def test_unknown_costs_and_costs_of_no_cell_are_refused():
    with pytest.raises(InputError, match="did you mean 'ncp'"):
        costs_of("nc", TABLE, attributes_of(TABLE))
    with pytest.raises(InputError, match="has none"):
        costs_of("gcp", TABLE, ())
    both = Partition.of(Microdata.from_frame(FRAME, quasi_identifiers="age", sensitive=["s", "w"]), [[0, 1, 2, 3]])
    with pytest.raises(TableError, match="name one"):
        both.class_counts()
