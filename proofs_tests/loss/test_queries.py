"""Query error: estimates from the naively spread table, and the workload."""

from __future__ import annotations

import statistics
from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given, strategies as st

from proofs_tests.loss.naive import Case, cases
from tcloseness.loss import CountQuery, QueryError, random_queries
from tcloseness.microdata import FrequencySet, Hierarchy
from tcloseness.release import Release

PLACES = {"town": 0, "age": 1, "job": 2, "sex": 3}


@st.composite
def workloads(draw: st.DrawFn, case: Case, leaves: str) -> list[CountQuery]:
    domains = {"town": case.all_leaves("town", leaves), "age": case.all_leaves("age", leaves)}
    domains |= {name: sorted({row[PLACES[name]] for row in case.rows}) for name in ("job", "sex")}
    named = st.lists(st.sampled_from(sorted(PLACES)), unique=True)
    query = named.flatmap(
        lambda names: st.fixed_dictionaries({n: st.sets(st.sampled_from(domains[n])).map(sorted) for n in names})
    )
    return [CountQuery(where) for where in draw(st.lists(query, min_size=1, max_size=4))]


@given(st.data(), st.sampled_from(["hierarchy", "table"]), st.booleans())
def test_estimates_are_counts_of_the_evenly_spread_table(data: st.DataObject, leaves: str, spread: bool) -> None:
    case: Case = data.draw(cases())
    workload = data.draw(workloads(case, leaves))
    sanity = data.draw(st.sampled_from([Fraction(1, 2), 1, 3]))
    loss = QueryError(workload, sanity=sanity, leaves=leaves, suppressed="spread" if spread else "excluded")
    expected = case.reconstructed(leaves, spread=spread)

    def matches(row: tuple[object, ...], query: CountQuery) -> bool:
        return all(row[PLACES[name]] in values for name, values in query.where.items())

    errors = []
    for answer in loss.answers(case.release):
        true = sum(matches(row, answer.query) for row in case.rows)
        estimate = sum((mass for row, mass in expected.items() if matches(row, answer.query)), Fraction(0))
        errors.append(abs(estimate - true) / max(true, sanity))
        assert (answer.true, answer.estimate, answer.error) == (true, estimate, errors[-1])
    result = loss.evaluate(case.release)
    assert result.terms == {
        "median": statistics.median(errors),
        "mean": sum(errors) / len(errors),
        "largest": max(errors),
    }
    assert result.value == result.terms["median"]
    assert result.bounds[0] <= result.value <= result.bounds[1]


@given(cases(suppress=False))
def test_an_ungeneralized_table_answers_every_query_exactly(case: Case) -> None:
    release = case.at({"town": 0, "age": 0}).release
    queries = random_queries(release.original, 5, attributes=2, selectivity="1/3", seed=7)
    assert QueryError(queries, average="mean").evaluate(release).value == 0


def table(ages: range) -> FrequencySet:
    frame = pd.DataFrame({"age": list(ages), "s": ["x", "y"] * (len(ages) // 2)})
    return FrequencySet.from_frame(frame, quasi_identifiers="age", sensitive="s")


def test_half_of_a_cell_gets_half_of_its_records() -> None:
    """Ages 20 … 29 in one cell, 5 of them x: {20, …, 24} and x is estimated 5 · 1/2 = 5/2, and is 3: error 1/6."""
    original = table(range(20, 30))
    tree = Hierarchy.intervals(range(20, 30), [10], name="age")
    release = Release.full_domain(original, {"age": tree}, {"age": 1})
    loss = QueryError([CountQuery({"age": range(20, 25), "s": ["x"]})])
    assert loss.evaluate(release).value == Fraction(1, 6)


def test_the_sanity_bound_tames_small_counts() -> None:
    """Nobody is 30; an eleventh of the 10 records is estimated there: error 10/11, over a bound of 5 it is 2/11."""
    original = table(range(20, 30))
    tree = Hierarchy([(age, "*") for age in range(20, 31)])
    release = Release.full_domain(original, {"age": tree}, {"age": 1})
    query = [CountQuery({"age": [30]})]
    assert QueryError(query).evaluate(release).value == Fraction(10, 11)
    assert QueryError(query, sanity=5).evaluate(release).value == Fraction(2, 11)


def test_generalizing_can_lower_the_error() -> None:
    """Ages 1, 1, 2, 4; one is 2. Cells {1, 2} and {3, 4} estimate 3/2, off by 1/2; one cell of four says 1."""
    frame = pd.DataFrame({"age": [1, 1, 2, 4], "s": "x"})
    original = FrequencySet.from_frame(frame, quasi_identifiers="age", sensitive="s")
    tree = Hierarchy([(1, "low", "*"), (2, "low", "*"), (3, "high", "*"), (4, "high", "*")])
    loss = QueryError([CountQuery({"age": [2]})])
    pairs, whole = (loss.evaluate(Release.full_domain(original, {"age": tree}, {"age": i})) for i in (1, 2))
    assert (pairs.value, whole.value) == (Fraction(1, 2), 0)


def test_the_same_seed_draws_the_same_workload_and_another_one_is_not_compared() -> None:
    original = table(range(20, 40))
    one, same, other = (random_queries(original, 20, attributes=1, seed=s) for s in (1, 1, 2))
    assert list(map(str, one)) == list(map(str, same))
    assert list(map(str, one)) != list(map(str, other))
    release = Release.full_domain(original)
    first = QueryError(one).evaluate(release)
    assert first.compare(QueryError(same).evaluate(release)) == 0
    with pytest.raises(ValueError, match="queries"):
        first.compare(QueryError(other).evaluate(release))


def test_random_queries_admit_so_many_values_that_the_selectivity_is_reached() -> None:
    """20 ages and 2 diagnoses at selectivity 1/20 over two attributes: (5/20)² ≥ 1/20 > (4/20)²; (1/2)² ≥ 1/20."""
    for query in random_queries(table(range(20, 40)), 10, attributes=1, selectivity="1/20", seed=3):
        assert {name: len(values) for name, values in query.where.items()} == {"age": 5, "s": 1}
