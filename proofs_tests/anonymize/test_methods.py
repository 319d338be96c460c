"""What every method of the room promises, on small random tables of every kind."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from proofs_tests.anonymize.cases import MODELS, SEED, Case, as_sets, assert_release_holds, cases, models
from proofs_tests.effort import effort
from tcloseness.anonymize import (
    closeness_first,
    confidential_microaggregation,
    datafly,
    mdav,
    mondrian,
    sabre,
    swapping,
)
from tcloseness.errors import InfeasibleError, InputError, NotReached, ProtocolError, TableError
from tcloseness.microdata import Hierarchy, Microdata
from tcloseness.models import KAnonymity, ModelResult, Monotone, NTCloseness, TCloseness
from tcloseness.models.combination import Combination
from tcloseness.release import Partition


def relaxed(*args: Any, **options: Any) -> Any:
    return mondrian(*args, **options, relaxed=True)


FOR_ANY_MODEL: dict[str, Callable[..., Any]] = {
    "mondrian": mondrian,
    "mondrian relaxed": relaxed,
    "mdav": mdav,
    "confidential": confidential_microaggregation,
}
FOR_T: dict[str, Callable[..., Any]] = {"closeness first": closeness_first, "sabre": sabre, "swapping": swapping}
ALL = {**FOR_ANY_MODEL, **FOR_T, "datafly": datafly}

T_MODELS = tuple(
    model
    for model in MODELS
    if any(isinstance(part, TCloseness) for part in (model.models if isinstance(model, Combination) else (model,)))
)


def usable(name: str) -> st.SearchStrategy[Any]:
    return st.sampled_from(T_MODELS) if name in FOR_T else models


def holds_as_one_class(case: Case, model: Any) -> bool:
    return bool(model.evaluate(Partition.of(case.table, [range(len(case.rows))]).class_counts()).satisfied)


@pytest.mark.parametrize("name", sorted(FOR_ANY_MODEL | FOR_T))
@effort(1 / 3)
@given(data=st.data())
def test_the_written_table_satisfies_the_model_or_no_grouping_does(name, data):
    """All models here are monotone, so if one class of all records violates one, every grouping does."""
    case, model = data.draw(cases()), data.draw(usable(name))
    if not holds_as_one_class(case, model):
        with pytest.raises(InfeasibleError, match="no grouping"):
            ALL[name](case.table, model, case.hierarchies)
        return
    found = ALL[name](case.table, model, case.hierarchies)
    assert_release_holds(case, found, model)
    assert found.partition.suppressed == 0


@pytest.mark.parametrize("name", sorted(ALL))
@effort(1 / 3)
@given(data=st.data())
def test_the_order_of_the_rows_does_not_matter(name, data):
    """With one seed the same classes of the same records, up to records that are equal in everything.

    Run again they are the same, and what is published is the same in every row.
    """
    case, model = data.draw(cases()), data.draw(usable(name))
    other = case.permuted(data.draw(st.permutations(range(len(case.rows)))))
    seed = data.draw(st.integers(0, 3))
    try:
        found = ALL[name](case.table, model, case.hierarchies, seed=seed)
    except (InfeasibleError, NotReached) as error:
        with pytest.raises(type(error)):
            ALL[name](other.table, model, case.hierarchies, seed=seed)
        return
    again, moved = (ALL[name](c.table, model, case.hierarchies, seed=seed) for c in (case, other))
    assert again.grouped.class_of.tolist() == found.grouped.class_of.tolist()
    assert as_sets(moved.grouped, other.rows) == as_sets(found.grouped, case.rows)
    assert moved.done == found.done
    assert moved.rows.to_csv() == found.rows.to_csv()
    assert moved.frame().equals(found.frame())
    assert moved.labels == found.labels


@pytest.mark.parametrize("name", sorted(ALL))
@effort(1 / 3)
@given(case=cases())
def test_k_of_all_records_leaves_one_class(name, case):
    """Datafly may suppress nothing here: then its hierarchies must reach one label, or it says that it failed."""
    model = KAnonymity(len(case.rows))
    options: dict[str, Any] = {"suppression": 0} if name == "datafly" else {}
    if name in FOR_T:
        model = model & TCloseness(1, ground="ordered")
    try:
        found = ALL[name](case.table, model, case.hierarchies, **options)
    except NotReached:
        assert name == "datafly"
        return
    assert found.partition.sizes.tolist() == [len(case.rows)]


@pytest.mark.parametrize("name", sorted(FOR_ANY_MODEL))
def test_constant_columns_make_one_class_and_change_no_other(name):
    """A table of constants is one class; a constant column beside others changes nothing."""
    rows = [(5, "red", i % 2) for i in range(6)]
    found = ALL[name](Case(("n0", "c1"), rows, {}).table, KAnonymity(2))
    assert found.partition.sizes.tolist() == [6]
    plain = Case(("n0",), [(i * i, i % 2) for i in range(7)], {})
    beside = Case(("n0", "c1"), [(i * i, "red", i % 2) for i in range(7)], {})
    one, other = (ALL[name](case.table, KAnonymity(2), seed=SEED) for case in (plain, beside))
    assert one.grouped.class_of.tolist() == other.grouped.class_of.tolist()


@pytest.mark.parametrize("name", sorted(ALL))
def test_one_record_is_one_class(name):
    case = Case(("n0",), [(5, 2)], {})
    model = TCloseness(0, ground="ordered") if name in FOR_T else KAnonymity(1)
    found = ALL[name](case.table, model)
    assert found.frame().to_dict("list") == {"n0": ["5"], "s": [2]}


@pytest.mark.parametrize("name", sorted(ALL))
def test_a_table_without_quasi_identifiers_is_one_class_if_that_satisfies(name):
    table = Microdata.from_frame(pd.DataFrame({"s": [0, 1, 0, 1]}), quasi_identifiers=[], sensitive="s")
    model = TCloseness("1/2", ground="ordered") & KAnonymity(2) if name in FOR_T else KAnonymity(2)
    assert ALL[name](table, model).partition.sizes.tolist() == [4]


@pytest.mark.parametrize("name", sorted(ALL))
def test_bad_arguments_are_named(name):
    frame = pd.DataFrame({"q": [1, 2], "s": [0, 1], "r": [0, 1]})
    table = Microdata.from_frame(frame, quasi_identifiers="q", sensitive="s")
    method, good = ALL[name], TCloseness(1, ground="ordered")
    with pytest.raises((ProtocolError, InputError), match="not a privacy model"):
        method(table, "5-anonymity")
    if name not in FOR_T:
        with pytest.raises(InputError, match="no threshold"):
            method(table, KAnonymity())
    with pytest.raises(TableError, match="not a quasi-identifier"):
        method(table, good, {"age": Hierarchy.suppression([1, 2], name="age")})
    with pytest.raises(TableError, match="name one"):
        method(Microdata.from_frame(frame, quasi_identifiers="q", sensitive=["s", "r"]), good)
    weighted = Microdata.from_frame(frame.assign(w=1), quasi_identifiers="q", sensitive="s", weight="w")
    with pytest.raises(TableError, match="weight column"):
        method(weighted, good)


@pytest.mark.parametrize("name", ["mondrian", "mdav", "confidential"])
def test_a_model_that_is_not_monotone_is_not_called_infeasible(name):
    """No superset has 9 of 4 records, so (9, t)-closeness fails; nothing is claimed about other groupings."""
    case = Case(("n0",), [(i, i) for i in range(4)], {})
    with pytest.raises(NotReached, match="where this method starts"):
        ALL[name](case.table, NTCloseness(9, 1, ground="ordered"))


class Unsure:
    """A model that never decides once there are two classes."""

    name = "unsure"
    monotone = Monotone(generalization=True, suppression=True)

    def evaluate(self, classes: Any) -> ModelResult:
        found = KAnonymity(1).evaluate(classes)
        return replace(found, status="undecided") if len(classes) > 1 else found


@pytest.mark.parametrize("name", ["mondrian", "mdav", "confidential"])
def test_what_a_model_cannot_decide_is_not_published(name):
    case = Case(("n0",), [(i, i) for i in range(4)], {})
    found = ALL[name](case.table, Unsure())
    assert found.partition.sizes.tolist() == [4]
    assert found.verdict.satisfied
    assert np.all(found.partition.class_of == 0)
