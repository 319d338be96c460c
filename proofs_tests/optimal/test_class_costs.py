"""What classes cost in whole numbers, against the losses of every partition."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from proofs_tests.anonymize.cases import Case, cases, costs_of
from proofs_tests.optimal.partitions import set_partitions
from tcloseness.loss import SizeCost
from tcloseness.loss.names import OF_CLASSES
from tcloseness.microdata import Microdata
from tcloseness.optimal.kinds import KindCounts
from tcloseness.release import Partition, attributes_of


@given(loss=st.sampled_from(sorted(OF_CLASSES)), case=cases(max_rows=6), data=st.data())
def test_a_partition_costs_what_its_classes_do_between_the_least_and_the_greatest(
    loss: str, case: Case, data: st.DataObject
) -> None:
    """Some rows suppressed, at most all but one; the whole cost stands for the loss, and its bounds hold."""
    table, n = case.table, len(case.rows)
    costs = costs_of(loss, table, attributes_of(table, case.hierarchies), k=2)
    kinds = KindCounts(table, costs.attributes)
    places = data.draw(st.lists(st.integers(-1, 3), min_size=n, max_size=n).filter(lambda each: max(each) >= 0))
    groups = [[i for i, place in enumerate(places) if place == g] for g in sorted(set(places) - {-1})]
    partition, lost = Partition.of(table, groups), places.count(-1)
    members = np.array(
        [[sum(kinds.kind_of[i] == kind for i in group) for kind in range(len(kinds))] for group in groups]
    )
    whole = int(costs.of_groups(kinds, members).sum()) + lost * costs.suppressed
    assert costs.unit * costs.total(partition) == whole
    assert costs.loss_of(whole) == costs.of(partition)
    for more in range(3):
        assert costs.least(len(groups) + more) <= whole <= costs.greatest(lost + more)


@given(cases(max_rows=6))
def test_sizes_are_priced_up_to_one_record_more_than_there_are(case: Case) -> None:
    for loss in OF_CLASSES:
        costs = costs_of(loss, case.table, attributes_of(case.table, case.hierarchies), k=2)
        form = costs.form
        sizes = range(len(case.rows) + 2) if isinstance(form, SizeCost) else ()
        assert costs.sizes.tolist() == [form.of_size(size) for size in sizes]
        if isinstance(form, SizeCost):
            assert costs.of_sizes(np.array(sizes)).tolist() == [form.each + form.of_size(size) for size in sizes]
            assert costs.greatest(0) == form.each + form.of_size(len(case.rows))  # all records in one class


@pytest.mark.parametrize("loss", ["dm", "c-avg", "class-size"])
@pytest.mark.parametrize("n", [1, 2, 5])
def test_the_greatest_whole_cost_of_a_loss_of_sizes_is_that_of_some_partition(loss: str, n: int) -> None:
    """By trying the sizes of the classes of all partitions; the least is 0 but for what each class takes off."""
    table = Microdata.from_frame(pd.DataFrame({"x": range(n), "s": "a"}), quasi_identifiers="x", sensitive="s")
    costs = costs_of(loss, table, attributes_of(table), k=2)
    for lost in range(n + 2):
        totals = [
            int(costs.of_sizes(np.array([len(part) for part in parts])).sum()) + gone * costs.suppressed
            for gone in range(min(lost, n - 1) + 1)
            for parts in set_partitions(n - gone)
        ]
        assert costs.greatest(lost) == max(totals)
        assert costs.least(lost) == costs.form.each * lost
