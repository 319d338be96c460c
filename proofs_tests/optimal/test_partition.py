"""The optimal partition of small tables is the best of *all* partitions, by both formulations and both solvers."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs_tests.effort import effort
from proofs_tests.optimal.cases import LINEAR
from proofs_tests.optimal.partitions import set_partitions
from tcloseness.anonymize import Partition, attributes_of, cost_named
from tcloseness.errors import InputError
from tcloseness.microdata import Hierarchy, Microdata
from tcloseness.models import EntropyLDiversity, KAnonymity, NTCloseness, TCloseness
from tcloseness.optimal import Infeasible, Optimal, optimal_partition

pytestmark = pytest.mark.solver

LOSSES = ("ncp", "gcp", "lm", "height", "dm", "c-avg")
CITIES = Hierarchy([("a", "north", "*"), ("b", "north", "*"), ("c", "south", "*")], name="city")


@st.composite
def tables(draw, most: int = 6) -> Microdata:
    """Tables of one number and one value with a hierarchy, with repeated records and ties."""
    rows = draw(
        st.lists(
            st.tuples(st.sampled_from([1, 2, 4, 9]), st.sampled_from("abc"), st.sampled_from([0, 1, 2])),
            min_size=1,
            max_size=most,
        )
    )
    frame = pd.DataFrame(rows, columns=["age", "city", "s"])
    return Microdata.from_frame(
        frame, quasi_identifiers=["age", "city"], sensitive="s", domains={"s": [0, 1, 2]}, orders=None
    )


def best_of_all(table, model, loss) -> Fraction | None:
    """The least loss over every partition whose every class satisfies the model."""
    k = model.k if isinstance(model, KAnonymity) else None
    cost = cost_named(loss, table, attributes_of(table, {"city": CITIES}), k=k)
    least = None
    for groups in set_partitions(len(table)):
        partition = Partition.of(table, groups)
        if model.evaluate(partition.class_counts()).status == "satisfied":
            value = cost.of(partition).value
            least = value if least is None else min(least, value)
    return least


@effort(1 / 2)
@given(
    tables(), st.sampled_from(LINEAR), st.sampled_from(LOSSES[:-1]), st.sampled_from(["assignment", "set-partitioning"])
)
def test_no_partition_is_better_than_the_optimal_one(table, model, loss, formulation) -> None:
    if not model.monotone.generalization:
        return
    found = optimal_partition(table, model, loss, hierarchies={"city": CITIES}, formulation=formulation)
    expected = best_of_all(table, model, loss)
    if expected is None:
        assert isinstance(found, Infeasible)
    else:
        assert isinstance(found, Optimal)
        assert found.objective == expected
        assert model.evaluate(found.solution.partition.class_counts()).status == "satisfied"


@effort(1 / 4)
@given(tables(), st.integers(1, 4), st.sampled_from(["assignment", "set-partitioning"]))
def test_c_avg_is_least_with_the_most_classes(table, k, formulation) -> None:
    found = optimal_partition(table, KAnonymity(k), "c-avg", hierarchies={"city": CITIES}, formulation=formulation)
    expected = best_of_all(table, KAnonymity(k), "c-avg")
    assert isinstance(found, Infeasible) if expected is None else found.objective == expected


@effort(1 / 4)
@given(tables(5), st.sampled_from(["ncp", "dm"]))
def test_entropy_diversity_has_the_formulation_that_asks_the_model(table, loss) -> None:
    model = EntropyLDiversity(2)
    found = optimal_partition(table, model, loss, hierarchies={"city": CITIES}, formulation="set-partitioning")
    expected = best_of_all(table, model, loss)
    assert isinstance(found, Infeasible) if expected is None else found.objective == expected


@effort(1 / 4)
@given(tables(), st.sampled_from([("2", "1/5"), ("1/2", "0"), ("1/3", "1/4")]))
def test_a_looser_threshold_never_costs_more(table, thresholds) -> None:
    loose, strict = (
        optimal_partition(
            table, TCloseness(min(t, "1", key=Fraction), ground="equal"), "ncp", hierarchies={"city": CITIES}
        )
        for t in thresholds
    )
    assert loose.objective <= strict.objective  # one class of all records is 0-close, so there is always an answer


@pytest.mark.parametrize("engine", ["HiGHS", "CBC"])
@pytest.mark.parametrize("formulation", ["assignment", "set-partitioning"])
def test_four_points_make_two_pairs(engine, formulation) -> None:
    """(1,1), (2,2), (8,8), (9,9), k = 2: each pair spans 1/8 of both ranges, so GCP = 1/8."""
    frame = pd.DataFrame({"x": [1, 2, 8, 9], "y": [1, 2, 8, 9], "s": list("abab")})
    table = Microdata.from_frame(frame, quasi_identifiers=["x", "y"], sensitive="s")
    found = optimal_partition(table, KAnonymity(2), "gcp", formulation=formulation, engine=engine)
    assert found.objective == Fraction(1, 8)
    assert sorted(found.solution.partition.sizes.tolist()) == [2, 2]


def test_k_of_all_records_is_one_class_and_more_is_infeasible() -> None:
    frame = pd.DataFrame({"x": [1, 2, 3], "s": list("aab")})
    table = Microdata.from_frame(frame, quasi_identifiers=["x"], sensitive="s")
    assert len(optimal_partition(table, KAnonymity(3), "ncp").solution.partition) == 1
    refused = optimal_partition(table, KAnonymity(4), "ncp")
    assert isinstance(refused, Infeasible)
    assert "monotone" in refused.reason


@pytest.mark.parametrize(
    ("model", "message"),
    [(NTCloseness(n=2, t="1/2", ground="equal"), "by itself"), (KAnonymity(), "no threshold")],
    ids=["(n,t)", "measured"],
)
def test_what_cannot_be_asked_is_refused_by_name(model, message) -> None:
    frame = pd.DataFrame({"x": [1, 2, 3], "s": list("aab")})
    table = Microdata.from_frame(frame, quasi_identifiers=["x"], sensitive="s")
    with pytest.raises(InputError, match=message):
        optimal_partition(table, model, "ncp")
