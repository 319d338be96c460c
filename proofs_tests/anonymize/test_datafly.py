"""Datafly: what it publishes is a node of the lattice, and suppression stays within the limit."""

from __future__ import annotations

from collections import Counter

import pandas as pd
import pytest
from hypothesis import given, strategies as st

from proofs_tests.anonymize.cases import Case, assert_release_holds, cases, models, read
from proofs_tests.effort import effort
from tcloseness.anonymize import datafly
from tcloseness.errors import HierarchyError, InputError, NotReached
from tcloseness.microdata import Hierarchy
from tcloseness.models import FrequencyLDiversity, KAnonymity

hierarchical = cases(kinds=("hierarchical",))


def labels_at(case: Case, levels: dict[str, int]) -> list[tuple[str, ...]]:
    return [
        tuple(str(case.hierarchies[n].label(row[a], levels[n])) for a, n in enumerate(case.names)) for row in case.rows
    ]


@effort(1 / 2)
@given(cases(), models, st.integers(0, 4))
def test_the_release_satisfies_the_model_within_the_limit_or_says_that_it_failed(case, model, limit):
    try:
        found = datafly(case.table, model, case.hierarchies, suppression=min(limit, len(case.rows)))
    except NotReached:
        return
    assert found.partition.suppressed <= limit
    assert_release_holds(case, found, model, tight=False)


@effort(1 / 2)
@given(hierarchical, st.integers(1, 4), st.integers(0, 3))
def test_k_anonymity_by_hand(case, k, limit):
    """Go up by hand, always the attribute with the most different labels, until at most `limit` rows are rare."""
    limit = min(limit, len(case.rows))
    levels = dict.fromkeys(case.names, 0)
    while True:
        labels = labels_at(case, levels)
        times = Counter(labels)
        rare = [i for i, label in enumerate(labels) if times[label] < k]
        if len(rare) <= limit and len(rare) < len(labels):
            break
        open_ = [n for n in case.names if levels[n] < case.hierarchies[n].height]
        if not open_:
            with pytest.raises(NotReached, match="top of every hierarchy"):
                datafly(case.table, KAnonymity(k), case.hierarchies, suppression=limit)
            return
        column = {n: len({label[a] for label in labels}) for a, n in enumerate(case.names)}
        up = max(open_, key=lambda n: column[n])  # the first of equals
        levels[up] += 1
    found = datafly(case.table, KAnonymity(k), case.hierarchies, suppression=limit)
    assert found.done["levels"] == levels
    for i, label in enumerate(labels):
        written = tuple(found.rows.columns[n][i] for n in case.names)
        if i in rare:
            assert found.rows.suppressed[i]
        else:
            assert written == label


AGES = pd.DataFrame({"age": [21, 22, 31, 32, 45], "s": [0, 1, 2, 3, 0]})
DECADES = {"age": Hierarchy([(21, "20s", "*"), (22, "20s", "*"), (31, "30s", "*"), (32, "30s", "*"), (45, "40s", "*")])}


def test_one_of_five_records_may_go_and_the_columns_stay_as_they_were():
    """Case M07: 20 % suppress the one of 45; with 19.9 % none may go, so all ages become *."""
    table = read(AGES, ["age"])
    found = datafly(table, KAnonymity(2), DECADES, suppression="0.2")
    released = found.frame(suppressed="left out")
    assert (list(released.columns), len(released), found.partition.suppressed) == (["age", "s"], 4, 1)
    assert released["age"].tolist() == ["20s", "20s", "30s", "30s"]
    assert datafly(table, KAnonymity(2), DECADES, suppression="0.199").frame()["age"].tolist() == ["*"] * 5


def test_by_default_k_records_may_be_suppressed():
    """As in the paper: generalize until at most k records are in classes of fewer than k."""
    table = read(AGES, ["age"])
    assert datafly(table, KAnonymity(2), DECADES).partition.suppressed == 1
    assert datafly(table, KAnonymity(2), DECADES).done["suppression limit"] == 2


def test_suppression_can_reach_what_no_grouping_of_all_records_can():
    """Of x x x y no grouping is 2-diverse in frequency; without the two x of class b the rest is."""
    frame = pd.DataFrame({"q": list("aabb"), "s": [0, 1, 0, 0]})
    found = datafly(read(frame, ["q"]), FrequencyLDiversity(2), suppression=2)
    assert found.frame(order="input")["q"].tolist() == ["a", "a", "*", "*"]


def test_what_it_cannot_do_is_said():
    table = read(AGES, ["age"])
    with pytest.raises(NotReached, match="5 of 5 records still violate k-anonymity"):
        datafly(table, KAnonymity(2), suppression=4)
    with pytest.raises(NotReached, match="never all"):
        datafly(table, KAnonymity(2), suppression=5)
    with pytest.raises(InputError, match="between 0 and"):
        datafly(table, KAnonymity(2), DECADES, suppression="1.5")
    ragged = Hierarchy([(21, "*"), (22, "20s", "*"), (31, "*"), (32, "*"), (45, "*")], ragged="keep")
    with pytest.raises(HierarchyError, match="no levels"):
        datafly(table, KAnonymity(2), {"age": ragged})
