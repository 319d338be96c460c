"""`tc.Table`: every verb gives what the functions of the rooms give, and these take the same object."""

from __future__ import annotations

import inspect
import re
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest

import tcloseness as tc
from tcloseness.anonymize import METHODS
from tcloseness.cli.anonymize import Method
from tcloseness.errors import InfeasibleError, InputError, NotCertified, ProtocolError, TableError, TClosenessError
from tcloseness.methods import run_method
from tcloseness.optimal import TASKS
from tcloseness.release import read_published

ZIPS, AGES = ["4760", "4761", "4790", "4791"], ["21", "25", "34"]
HIERARCHIES = {
    "zip": tc.Hierarchy.prefixes(ZIPS, name="zip"),
    "age": tc.Hierarchy.prefixes(AGES, name="age"),
}
ROLES: dict[str, Any] = {"quasi_identifiers": ["zip", "age"], "sensitive": "salary"}


def frame(seed: int, rows: int = 12) -> pd.DataFrame:
    random = Random(seed)
    return pd.DataFrame(
        {
            "zip": [random.choice(ZIPS) for _ in range(rows)],
            "age": [random.choice(AGES) for _ in range(rows)],
            "salary": [random.choice([3, 4, 6]) for _ in range(rows)],
        }
    )


def table(rows: pd.DataFrame) -> tc.Table:
    return tc.Table(rows, **ROLES, ground="ordered", hierarchies=HIERARCHIES)


@pytest.mark.parametrize("seed", range(10))
def test_a_verb_gives_what_the_functions_of_the_rooms_give(seed: int) -> None:
    rows = frame(seed)
    asked, frequencies = table(rows), tc.FrequencySet.from_frame(rows, **ROLES)
    plain = tc.check(frequencies, ground={"salary": "ordered"}, k=2, t="1/4")
    assert asked.check(k=2, t="1/4").answer() == plain.answer()
    model = tc.KAnonymity(2) & tc.TCloseness("1/2", ground=tc.Ordered(len(asked.distance.row(0))))
    searched = asked.search(k=2, t="1/2")
    nodes = tc.lattice.minimal_generalizations(tc.RollUp(frequencies, HIERARCHIES), model).minimal
    assert [each.node for each in searched.listed] == list(nodes)
    best = asked.search(k=2, loss="ncp")
    optimum = tc.lattice.optimum(
        tc.RollUp(frequencies, HIERARCHIES), tc.KAnonymity(2), loss=tc.loss.NormalizedCertaintyPenalty()
    )
    assert [each.node for each in best.listed] == [each.node for each in optimum.nodes]
    made = asked.anonymize("mdav", k=3, seed=1)
    beneath = tc.mdav(tc.Microdata.from_frame(rows, **ROLES), tc.KAnonymity(3), HIERARCHIES, seed=1)
    assert np.array_equal(made.grouped.class_of, beneath.grouped.class_of)


@pytest.mark.solver
def test_an_optimum_is_no_worse_than_any_heuristic_and_equal_to_that_of_the_function() -> None:
    rows = frame(1, 8)
    asked = table(rows)
    found = asked.optimal(k=2, seed=1)
    beneath = tc.optimal_partition(
        tc.Microdata.from_frame(rows, **ROLES), tc.KAnonymity(2), hierarchies=HIERARCHIES, seed=1
    )
    assert (found.objective, type(found)) == (beneath.objective, type(beneath))
    fewest = asked.optimal("suppression", k=2, seed=1)
    assert fewest.objective == tc.optimal_suppression(asked.class_counts(), tc.KAnonymity(2), seed=1).objective
    shown = asked.optimal("hiding", levels={"zip": 4, "age": 2}, t="1/8", seed=1)
    assert shown.objective >= 0


def test_microaggregation_of_numbers() -> None:
    asked = tc.Table(pd.DataFrame({"x": [1, 2, 9, 10], "s": list("abab")}), quasi_identifiers="x", sensitive="s")
    assert asked.optimal("microaggregation", k=2, seed=1).objective == 1


FUNCTIONS: dict[str, Callable[[tc.Table], Any]] = {
    "check": lambda t: tc.check(t, t="1/2").status,
    "mondrian": lambda t: tc.mondrian(t, tc.KAnonymity(2)).grouped.class_of.tolist(),
    "datafly": lambda t: tc.datafly(t, tc.KAnonymity(2), suppression=0, seed=3).grouped.class_of.tolist(),
    "minimal": lambda t: tc.lattice.minimal_generalizations(t, tc.KAnonymity(2)).minimal,
    "search": lambda t: tc.search_lattice(t, tc.KAnonymity(2)).status,
    "suppression": lambda t: tc.optimal_suppression(t, tc.KAnonymity(2), seed=1).objective,
    "losses": lambda t: {name: each.value for name, each in tc.losses(t).items()},
    "homogeneity": lambda t: tc.attacks.homogeneity_attack(t).records,
    "evaluate": lambda t: tc.KAnonymity(2).evaluate(t).value,
}
BENEATH: dict[str, Callable[[pd.DataFrame], Any]] = {
    "check": lambda f: tc.check(tc.FrequencySet.from_frame(f, **ROLES), ground={"salary": "ordered"}, t="1/2").status,
    "mondrian": lambda f: tc.mondrian(
        tc.Microdata.from_frame(f, **ROLES), tc.KAnonymity(2), HIERARCHIES
    ).grouped.class_of.tolist(),
    "datafly": lambda f: tc.datafly(
        tc.Microdata.from_frame(f, **ROLES), tc.KAnonymity(2), HIERARCHIES, suppression=0, seed=3
    ).grouped.class_of.tolist(),
    "minimal": lambda f: (
        tc.lattice.minimal_generalizations(
            tc.RollUp(tc.FrequencySet.from_frame(f, **ROLES), HIERARCHIES), tc.KAnonymity(2)
        ).minimal
    ),
    "search": lambda f: (
        tc.search_lattice(
            tc.RollUp(tc.FrequencySet.from_frame(f, **ROLES), HIERARCHIES), tc.KAnonymity(2), ground="ordered"
        ).status
    ),
    "suppression": lambda f: (
        tc.optimal_suppression(
            tc.FrequencySet.from_frame(f, **ROLES).class_counts(), tc.KAnonymity(2), seed=1
        ).objective
    ),
    "losses": lambda f: {
        name: each.value for name, each in tc.losses(tc.FrequencySet.from_frame(f, **ROLES).class_counts()).items()
    },
    "homogeneity": lambda f: (
        tc.attacks.homogeneity_attack(tc.FrequencySet.from_frame(f, **ROLES).class_counts()).records
    ),
    "evaluate": lambda f: tc.KAnonymity(2).evaluate(tc.FrequencySet.from_frame(f, **ROLES).class_counts()).value,
}


@pytest.mark.parametrize("name", FUNCTIONS)
def test_the_functions_of_the_rooms_take_a_table_and_what_it_knows(name: str) -> None:
    rows = frame(5)
    assert FUNCTIONS[name](table(rows)) == BENEATH[name](rows)


def test_what_is_given_beside_the_table_goes_before_what_it_knows() -> None:
    asked = table(frame(2))
    by_name = tc.check(asked, ground={"salary": "equal"}).attributes[0].ground
    assert by_name is not None
    assert by_name.name == "equal"


def test_a_function_of_the_users_own_is_a_method() -> None:
    def one_class(microdata: tc.Microdata, model: Any, hierarchies: Any, *, seed: int | None = None) -> Any:
        return tc.mdav(microdata, tc.KAnonymity(len(microdata)), hierarchies, seed=seed)

    assert len(table(frame(3)).anonymize(one_class, k=2).partition) == 1


def test_the_command_line_has_the_methods_of_the_room() -> None:
    assert [each.value for each in Method] == list(METHODS)


def test_a_path_is_read() -> None:
    path = Path(__file__).parent.parent / "data" / "papers" / "li_table4.csv"
    asked = tc.Table(path, quasi_identifiers=["ZIP Code", "Age"], sensitive=["Salary", "Disease"])
    assert asked.check(k=3).status == "satisfied"
    assert "2" not in repr(asked).partition("rows")[2]


@pytest.mark.parametrize(
    ("call", "says"),
    [
        (lambda: tc.Table(frame(0), **ROLES, grounds="equal"), "has no argument 'grounds'"),
        (lambda: tc.Table(frame(0), **ROLES, ground={"zip": "equal"}), "ground names 'zip'"),
        (lambda: tc.Table(frame(0), **ROLES, ground="emd"), "ground distance 'emd' is unknown; it is 'ordered'"),
        (lambda: tc.Table(frame(0), **ROLES, ground={"salary": "orderd"}), "did you mean 'ordered'"),
        (lambda: tc.Table(frame(0), **ROLES, hierarchies={"salary": HIERARCHIES["zip"]}), "hierarchies names 'salary'"),
        (lambda: tc.Table(frame(0), **ROLES, categorical=["salary"]), "categorical names 'salary'"),
        (
            lambda: tc.Table(frame(0), quasi_identifiers="zip", sensitive=["age", "salary"], ground="equal"),
            "by name, such as",
        ),
        (lambda: table(frame(0)).search(), "no threshold is given"),
        (lambda: tc.Table(frame(0), **ROLES).anonymize(t="1/2"), "no ground distance for 'salary'"),
        (lambda: table(frame(0)).anonymize("mondrain", k=2), "method 'mondrain' is unknown"),
        (lambda: table(frame(0)).anonymize("mondrian", k=2, suppress=1), "mondrian() has no argument 'suppress'"),
        (lambda: table(frame(0)).optimal("partitions", k=2), "task 'partitions' is unknown"),
        (lambda: table(frame(0)).optimal("partition", levels={"zip": 1}, k=2), "levels are given"),
        (lambda: table(frame(0)).optimal("microaggregation", k=2), "one quasi-identifier"),
        (
            lambda: tc.Table(frame(0), quasi_identifiers="zip", sensitive=["age", "salary"]).anonymize(k=2),
            "one is decided at a time",
        ),
    ],
)
def test_what_cannot_be_is_said(call: Callable[[], Any], says: str) -> None:
    with pytest.raises(InputError) as caught:
        call()
    assert says in str(caught.value)


VERBS: dict[str, dict[str, Any]] = {
    "anonymize": {"k": 2},
    "columns": {},
    "emd": {"by": "zip"},
    "read_release": {"published": frame(0)},
}
"""The verbs that hand keywords on, and what each needs."""

INSIDE = sorted(
    {
        name
        for function in (*METHODS.values(), *TASKS.values(), run_method, tc.emd_of, tc.columns, read_published)
        for name in inspect.signature(function).parameters
    }
)
"""The parameters of the functions to which they are handed on."""


@pytest.mark.parametrize("verb", VERBS)
def test_a_keyword_that_a_verb_hands_on_itself_is_refused_by_name(verb: str) -> None:
    """Python would say that a function which the user never called got it twice."""
    asked, call = VERBS[verb], getattr(table(frame(0)), verb)
    for name in {*INSIDE} - {*asked, *inspect.signature(call).parameters}:
        with suppress(TClosenessError):
            call(**asked, **{name: None})


@pytest.mark.parametrize("task", TASKS)
def test_an_option_that_optimal_gives_itself_is_refused_by_name(task: Any) -> None:
    given = inspect.signature(TASKS[task]).parameters
    for name in (*INSIDE, "nothing"):
        with pytest.raises(InputError, match=f"{name!r}") if name not in given else suppress(TClosenessError):
            table(frame(0)).optimal(task, k=2, options={name: None})


def test_what_a_search_without_hierarchies_says_to_give_is_one_that_it_takes() -> None:
    given = frame(0)
    with pytest.raises(TableError) as refused:
        tc.Table(given, **ROLES).search(k=2)
    way = re.search(r"hierarchies=\{'(\w+)': tcloseness\.Hierarchy\.suppression\(frame\['\1'\]\)\}", str(refused.value))
    assert way is not None
    names = ROLES["quasi_identifiers"]
    assert way[1] in names
    hierarchies = {name: tc.Hierarchy.suppression(given[name]) for name in names}
    assert tc.Table(given, hierarchies=hierarchies, **ROLES).search(k=2).status == "satisfied"
    with pytest.raises(tc.errors.NotReached, match="Datafly was given no hierarchy to go up"):
        tc.Table(given, **ROLES).anonymize("datafly", k=2, suppression=0)


def test_a_search_without_all_hierarchies_names_those_that_are_missing() -> None:
    with pytest.raises(TableError, match="no hierarchy is given for 'zip', 'age'"):
        tc.Table(frame(0), **ROLES).search(k=2)
    with pytest.raises(TableError, match="a Partition was asked for, and a Table given"):
        tc.anonymize.two_tables(table(frame(0)), tc.KAnonymity(2))  # type: ignore[arg-type]


def test_the_time_limit_of_a_verb_counts_from_the_call() -> None:
    with pytest.raises(tc.errors.TimeLimitReached):
        table(frame(4)).search(k=2, time_limit=1e-9)


def one_and_another() -> tuple[tc.Table, tc.Table]:
    rows = frame(3)
    return table(rows), tc.Table(rows, quasi_identifiers="zip", sensitive="salary")


TWO_TABLES: dict[str, tuple[Callable[..., Any], Callable[[tc.Table, tc.Table], tuple[Any, Any]]]] = {
    "superset_map": (
        lambda one, other: tc.models.superset_map(one, other, HIERARCHIES, {}, {"zip": 1}),
        lambda one, other: (one.class_counts(), other.frequencies),
    ),
    "PopulationCounts.by_label": (
        lambda one, other: tc.models.PopulationCounts.by_label(one, other).inside,
        lambda one, other: (one.class_counts(), other.class_counts()),
    ),
}


@pytest.mark.parametrize("name", TWO_TABLES)
def test_a_function_of_two_tables_takes_two_of_them_or_one_twice(name: str) -> None:
    call, shapes = TWO_TABLES[name]
    one, _ = one_and_another()
    larger = table(pd.concat([frame(3), frame(3)]))
    for other in (one, larger):
        assert call(one, other) == call(*shapes(one, other))
        assert call(shapes(one, other)[0], other) == call(*shapes(one, other))
        assert call(one, shapes(one, other)[1]) == call(*shapes(one, other))


def test_a_parameter_that_may_be_a_table_or_something_else_takes_it_too() -> None:
    rows = pd.DataFrame({"age": [1, 2, 3, 7, 8, 9], "s": list("xyxyxy")})
    asked = tc.Table(rows, quasi_identifiers="age", sensitive="s")
    found = tc.optimal.optimal_microaggregation(asked, 3, seed=1)
    assert found.objective == tc.optimal.optimal_microaggregation(asked.microdata, 3, seed=1).objective
    with pytest.raises(TableError, match="takes a table of class Microdata, and was given one of class FrequencySet"):
        tc.optimal.optimal_microaggregation(asked.frequencies, 3)


@pytest.mark.parametrize(
    "call",
    [
        lambda given: tc.mondrian(given, tc.KAnonymity(2), HIERARCHIES, ["age"]),
        lambda given: tc.mondrian(given, tc.KAnonymity(2), table=given),
        lambda given: tc.mondrian(given, tc.KAnonymity(2), tabel=given),
        tc.mondrian,
        lambda given: tc.FrequencySet.of(given, given),
        lambda given: tc.check(given, "equal"),
        lambda given: tc.check(given, kk=2),
    ],
)
def test_arguments_that_a_function_has_no_place_for_are_refused_as_without_a_table(
    call: Callable[[Any], Any],
) -> None:
    one, _ = one_and_another()
    for given in (one, one.microdata, one.frequencies):
        with pytest.raises((TypeError, TableError)) as caught:
            call(given)
        if given is one:
            assert isinstance(caught.value, TypeError)


def test_what_is_no_hierarchy_is_named_before_anything_is_done() -> None:
    rows = frame(1)
    for wrong in ({"zip": 3}, [1], {"zip": ["4760"]}):
        with pytest.raises(
            InputError,
            match=r"Table\(\) takes .*hierarchies, and .*(make one by Hierarchy|documentation)",
        ):
            tc.Table(rows, **ROLES, hierarchies=wrong)
    given = table(rows)
    for call in (
        lambda: tc.RollUp(given.frequencies, {"zip": 3}),
        lambda: tc.Release.full_domain(given.frequencies, {"zip": 3}, {"zip": 1}),
        lambda: tc.mondrian(given.microdata, tc.KAnonymity(2), {"zip": 3}),
        lambda: given.frequencies.generalize({"zip": 3}, {"zip": 1}),
    ):
        with pytest.raises(TableError, match="the one of 'zip' is 3"):
            call()


def test_one_categorical_column_is_named_as_one_quasi_identifier_is() -> None:
    assert tc.Table(frame(1), **ROLES, categorical="zip").categorical == ("zip",)


def test_what_is_not_a_model_is_refused_by_each_verb() -> None:
    given = table(frame(1))
    for verb in (given.model, given.check, given.search, given.anonymize, given.optimal):
        for wrong in (3, tc.KAnonymity, None):
            with pytest.raises(ProtocolError, match="is not a privacy model"):
                verb(models=[wrong])


def test_a_ground_distance_for_one_check_is_taken_and_an_option_that_optimal_has_itself_refused() -> None:
    given = table(frame(1))
    assert (
        given.check(ground={"salary": "equal"}).attributes[0].ground
        == given.check(ground={"salary": tc.Equal(given.class_counts().reference.size)}).attributes[0].ground
    )
    for name in ("seed", "levels", "time_limit"):
        with pytest.raises(InputError, match=f"options names '{name}'"):
            given.optimal("suppression", k=1, options={name: 1})


def test_a_frame_in_place_of_a_table_is_answered_by_the_call_that_makes_one() -> None:
    frame = pd.DataFrame({"a": [1, 1, 2, 2], "s": [1, 2, 1, 2]})
    with pytest.raises(TableError, match=r"make one: tcloseness\.Table\(frame, quasi_identifiers=…, sensitive=…\)$"):
        tc.check(frame, k=2)
    assert tc.check(tc.Table(frame, quasi_identifiers="a", sensitive="s"), k=2).status == "satisfied"


@pytest.mark.parametrize("sensitive", [[], ()])
def test_an_empty_list_of_sensitive_attributes_is_refused_with_a_way_out(sensitive: Any) -> None:
    frame = pd.DataFrame({"age": [1, 1, 2], "sex": ["f", "f", "m"]})
    with pytest.raises(tc.errors.TableError, match="an empty list; name at least one column, or leave sensitive out"):
        tc.Table(frame, quasi_identifiers=["age"], sensitive=sensitive)
    assert tc.Table(frame, quasi_identifiers=["age"]).check(k=1).status == "satisfied"


@pytest.mark.parametrize("written", ["age,sex", "age, sex", " sex ,age"])
@pytest.mark.parametrize("role", ["quasi_identifiers", "sensitive"])
def test_names_in_one_text_are_said_to_be_given_as_a_list(written: str, role: str) -> None:
    frame = pd.DataFrame({"age": [1, 1, 2], "sex": ["f", "f", "m"], "job": ["a", "b", "c"]})
    named = {"quasi_identifiers": "job", "sensitive": "job", role: written}
    parts = [part.strip() for part in written.split(",")]
    with pytest.raises(tc.errors.TableError, match=re.escape(f"give several columns as a list, {parts!r}")):
        tc.Table(frame, **named)


def test_a_class_that_must_have_more_records_than_there_are_is_said_to_be_none() -> None:
    """12 records; that t-closeness fails too would not be the reason."""
    few = "a class must have at least 13 records, and there are only 12"
    with pytest.raises(InfeasibleError, match=few):
        table(frame(0)).anonymize(k=13, t="1/2")
    assert few in table(frame(0)).optimal(k=13).to_dict()["reason"]
    with pytest.raises(InfeasibleError) as caught:
        table(frame(0)).anonymize(k=12, distinct_l=5)
    assert "there are only" not in str(caught.value)


@pytest.mark.parametrize("name", [1, ("a", 1)])
def test_a_column_whose_name_is_not_a_text_is_measured_and_searched_and_refused_by_checkers_by_name(name: Any) -> None:
    rows = pd.DataFrame([[31, "flu"], [32, "cold"], [33, "gout"], [34, "hiv"], [35, "hiv"]])
    rows.columns = pd.Index([name, "ill"], tupleize_cols=False)
    levels = tc.Hierarchy([(age, "<33" if age < 33 else "≥33", "*") for age in rows[name]], name=name)
    roles: dict[str, Any] = {"quasi_identifiers": [name], "sensitive": "ill"}
    with_levels, without = tc.Table(rows, **roles, hierarchies={name: levels}), tc.Table(rows, **roles)
    found = [without.check(k=1), without.optimal("partition", k=2), with_levels.search(k=2)]
    for each in found:
        assert str(each.show())
        assert each.explain()
        with pytest.raises(NotCertified, match="a text as its name"):
            each.certificate()
