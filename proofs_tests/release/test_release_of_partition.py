"""A release made of a partition costs what its classes cost, and is the full-domain release where its labels are."""

from __future__ import annotations

from collections import Counter
from fractions import Fraction
from itertools import product
from random import Random

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from proofs_tests.anonymize.cases import Case, cases, cases_with_partitions, costs_of
from proofs_tests.effort import effort
from proofs_tests.loss.naive import log_of_product
from tcloseness.errors import InputError
from tcloseness.loss import (
    GeneralizationHeight,
    GlobalCertaintyPenalty,
    KLUtility,
    LossMetric,
    NormalizedCertaintyPenalty,
    Precision,
    losses,
)
from tcloseness.microdata import FrequencySet, Hierarchy, Microdata
from tcloseness.release import AtLevel, Partition, Release, attributes_of

LOSSES = {"ncp": NormalizedCertaintyPenalty, "gcp": GlobalCertaintyPenalty, "lm": LossMetric}


@pytest.mark.long
@given(cases_with_partitions())
@effort(6)
def test_the_penalties_of_the_cells_are_those_of_the_classes(drawn):
    """Two computations: per label from the leaves below it, and per class from the class's own values."""
    case, partition = drawn
    attributes = attributes_of(case.table, case.hierarchies)
    release = Release.of_partition(partition, attributes)
    numeric = [each.name for each in attributes if each.kind == "numeric"]
    for name, loss in LOSSES.items():
        expected = costs_of(name, case.table, attributes).of(partition)
        for found in (loss(numeric=numeric).evaluate(release), loss().evaluate(release)):
            assert found.value == expected
            assert found.bounds[0] <= found.value <= found.bounds[1]
    heights = GeneralizationHeight(suppressed="whole").evaluate(release)
    assert heights.value == costs_of("height", case.table, attributes).of(partition)
    lost = {each.name: heights.terms[each.name] / (each.top or 1) for each in attributes}
    for each in attributes:
        if not each.top:  # one value: suppressed, it is lost all the same
            lost[each.name] += Fraction(partition.suppressed, len(case.table))
    assert dict(Precision().evaluate(release).terms) == {name: 1 - share for name, share in lost.items()}


@pytest.mark.long
@given(cases(kinds=("hierarchical",)), st.data())
@effort(4)
def test_classes_shown_at_levels_are_the_full_domain_release(case, data):
    """Row by row and combination by combination every loss is the same, KL utility among them."""
    levels = {name: data.draw(st.integers(0, each.height)) for name, each in case.hierarchies.items()}
    whole = Release.full_domain(FrequencySet.of(case.table), case.hierarchies, levels)
    rows = whole.on_rows(case.table)
    columns = {column.name: column for column in case.table.quasi_identifiers}
    attributes = [AtLevel(name, columns[name].domain, case.hierarchies[name], levels[name]) for name in columns]
    made = Release.of_partition(Partition(case.table, rows.class_of), attributes)
    expected = {name: found.value for name, found in losses(whole).items()}
    assert {name: found.value for name, found in losses(rows).items()} == expected
    assert {name: found.value for name, found in losses(made).items()} == expected
    assert made.levels == whole.levels == levels
    assert made.rows(case.table).columns == whole.rows(case.table).columns
    withheld = whole.suppress([0])
    if not withheld.withheld.all():
        expected = {name: found.value for name, found in losses(withheld).items()}
        assert {name: found.value for name, found in losses(withheld.on_rows(case.table)).items()} == expected


def test_the_kl_utility_of_local_recodings_is_refused_by_name():
    case = Case(("n0",), [(0, 0), (0, 1), (1, 0), (2, 1)], {})
    release = Release.of_partition(Partition.of(case.table, [[0, 2], [1, 3]]), attributes_of(case.table))
    assert release.locally_recoded == ("n0",)
    assert "KL utility" not in losses(release)
    with pytest.raises(InputError, match="values of 'n0' lie below several"):
        KLUtility().evaluate(release)


def test_the_kl_utility_of_classes_is_that_of_the_table_that_a_reader_would_reconstruct():
    """Row by row: each record is spread over what its labels stand for, a suppressed one over everything.

    A value of suppressed records may be shown by released ones too, and a label may stand for values that a second one
    stands for: then a reader would add both, and the loss is refused.
    """
    draw, seen = Random("partitions"), Counter()
    towns = Hierarchy([("x", "xy", "*"), ("y", "xy", "*"), ("z", "only z", "*")])
    for _ in range(150):
        n = draw.randint(1, 8)
        rows = [(draw.choice([1, 2, 3, 5, 9]), draw.choice("xyz"), draw.choice("uv")) for _ in range(n)]
        frame = pd.DataFrame(rows, columns=["n", "town", "s"])
        table = Microdata.from_frame(frame, quasi_identifiers=["n", "town"], sensitive="s")
        groups = [draw.randint(-1, 2) for _ in range(n)]
        numbers = {g: i for i, g in enumerate(sorted(set(groups) - {-1}))} | {-1: -1}
        attributes = attributes_of(table, {"town": towns} if draw.random() < 0.6 else {})
        release = Release.of_partition(Partition(table, np.array([numbers[g] for g in groups])), attributes)
        leaves = []
        for each in release.recodings.values():
            values = each.values.values if each.hierarchy is None else each.hierarchy.values
            ends = zip(each.starts, each.starts[1:], strict=False)
            leaves.append([tuple(values[at] for at in each.places[low:high]) for low, high in ends])
        shown = [
            tuple(below[codes[row]] for below, codes in zip(leaves, release.codes.values(), strict=True))
            for row in range(n)
        ]
        kept = [row for row in range(n) if not release.withheld[row]]
        apart = all(
            a == b or not set(a) & set(b)
            for q in range(2)
            for a, b in product([shown[row][q] for row in kept], repeat=2)
        )
        assert bool(release.locally_recoded) != apart
        if not apart:
            seen["refused"] += 1
            continue
        everything = [
            each.values.values if each.hierarchy is None else each.hierarchy.values
            for each in release.recodings.values()
        ]
        for suppressed, counted in (("spread", range(n)), ("excluded", kept)):
            if counted:
                expected: Counter = Counter()
                for row in counted:
                    cells = list(product(*(shown[row] if row in kept else everything)))
                    for cell in cells:
                        expected[(*cell, rows[row][2])] += Fraction(1, len(cells))
                mine = Counter(rows[row] for row in counted)
                value = log_of_product(((mine[x] / expected[x]) ** mine[x] for x in mine), over=len(counted))
                assert KLUtility(suppressed=suppressed).evaluate(release).value == value
                seen[suppressed, bool(release.withheld.any())] += 1
    assert min(seen.values()) > 5
    assert len(seen) == 5
