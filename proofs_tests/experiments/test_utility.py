"""The study of utility: what a release shows, what is counted and learnt from it, and what may be said of methods."""

from __future__ import annotations

import re
import sys
from dataclasses import replace
from fractions import Fraction
from functools import cache

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from experiments import figures
from experiments.runner import StudyRun
from experiments.studies import utility
from experiments.studies.utility import compared, learning, queries, releases, several
from experiments.studies.utility.data import DATA, DataSet, data_set
from tcloseness.errors import StudyError
from tcloseness.loss import CountQuery, QueryError
from tcloseness.loss.names import loss_named
from tcloseness.microdata import FrequencySet, Hierarchy
from tcloseness.models import DistinctLDiversity, KAnonymity, TCloseness
from tcloseness.models.several_attributes import joint_t_closeness, multi_attribute
from tcloseness.release import Release

SEED = 20070415
VALUES = {"age": tuple(range(20, 60)), "town": tuple("abcde"), "ill": ("cold", "flu", "gout"), "rich": ("no", "yes")}


def persons(number: int = 400) -> pd.DataFrame:
    """Persons who are rich if they are old or live in the right town, but for some."""
    rng = np.random.default_rng(SEED)
    frame = pd.DataFrame({name: rng.choice(np.array(values), number) for name, values in VALUES.items()})
    rich = (frame["age"] > 42) | frame["town"].isin(["a", "b"])
    frame["rich"] = np.where(rich ^ (rng.random(number) < 0.1), "yes", "no")
    return frame.assign(age=frame["age"].astype(int)).astype(dict.fromkeys(("town", "ill", "rich"), object))


TOY = DataSet(
    name="Toy",
    records=persons,
    hierarchies=lambda: {
        "age": Hierarchy.intervals(VALUES["age"], (5, 10, 20), name="age"),
        "town": Hierarchy.from_groups([{"coast": tuple("ab"), "hills": tuple("cde")}], name="town"),
    },
    described="age and town",
    numbers=("age",),
    sensitive="ill",
    label="rich",
    pairs=(("ill", "rich"),),
)
DRAWN = releases.draw(TOY, 3, 150, 100)
SIZES = {name: len(hierarchy) for name, hierarchy in DRAWN.hierarchies.items()}
QUERIES = queries.draw_queries(SIZES, ("age",), 3, number=40, attributes=1, selectivity="0.1", seed=5)
MODELS = releases.models(3, 2, ("0.3",))


@cache
def all_made() -> list[releases.Made]:
    """What every method makes for every model; made where a test asks for it, not in every process that reads this."""
    return [made for made in releases.all_made(DRAWN, MODELS, "0.05") if made.shown is not None]


def test_no_record_is_both_released_and_held_out() -> None:
    """Where every record has a label of its own, it is seen which are drawn."""
    named = replace(TOY, records=lambda: persons().assign(rich=[f"{i:03}" for i in range(400)]))
    drawn = releases.draw(named, 3, 150, 250)
    assert sorted([*drawn.frame["rich"], *drawn.held_out["rich"]]) == drawn.values["rich"]
    assert list(drawn.frame["rich"]) != list(releases.draw(named, 4, 150, 250).frame["rich"])


def as_written(query: queries.Query) -> CountQuery:
    leaves = {**{name: list(h.values) for name, h in DRAWN.hierarchies.items()}, queries.SENSITIVE: DRAWN.values["ill"]}
    return CountQuery(
        {name or "ill": [leaves[name][place] for place in places] for name, places in query.admitted.items()}
    )


def test_every_method_that_applies_to_a_model_makes_a_release_of_all_records() -> None:
    assert {made.method for made in all_made()} == {releases.UNCHANGED, releases.NOTHING, *releases.METHODS}
    for made in all_made():
        assert len(made.shown.sensitive) == 150
        for name, labels in made.shown.labels.items():
            assert np.allclose(labels.sum(axis=1), 1)
            own = labels[made.shown.label_of[name], DRAWN.codes(name)]
            assert (own > 0).all()  # a label stands for the value of its record
    assert {made.method for made in all_made() if made.suppressed} == {releases.LATTICE, releases.DATAFLY}


@pytest.mark.parametrize("method", ["lattice node of least GCP", "Datafly", "Mondrian", "MDAV", "SABRE"])
def test_estimates_are_those_of_the_query_error_of_the_package(method: str) -> None:
    for name, model in MODELS.items():
        if releases.ASKS.get(method, "") not in name:
            continue
        release = releases.METHODS[method](DRAWN, model, "0.05").on_rows(DRAWN.table)
        shown = releases.of_release(release, DRAWN.codes("ill"), 3)
        exact = QueryError(list(map(as_written, QUERIES)), sanity=40).answers(release)
        ours = queries.estimates(shown, QUERIES)
        assert np.allclose(ours, [float(answer.estimate) for answer in exact], rtol=0, atol=1e-9)
        errors = queries.relative_errors(ours, np.array([float(answer.true) for answer in exact]), 40)
        assert np.allclose(errors, [float(answer.error) for answer in exact], rtol=0, atol=1e-9)


def test_the_unchanged_table_answers_as_the_records_do_and_two_tables_by_their_classes() -> None:
    found = releases.METHODS["Anatomy"](DRAWN, MODELS["k = 3, l = 2"], "0")
    assert sorted(np.bincount(found.partition.class_of))[0] >= 3
    unchanged = queries.estimates(releases.unchanged(DRAWN), QUERIES)
    linked = queries.estimates(releases.of_two_tables(DRAWN, found), QUERIES)
    for query, true, estimate in zip(map(as_written, QUERIES), unchanged, linked, strict=True):
        meets = {name: DRAWN.frame[name].isin(values).to_numpy() for name, values in query.where.items()}
        assert true == np.logical_and.reduce([*meets.values()]).sum()
        expected = Fraction(0)
        for number in np.unique(found.partition.class_of):
            members = found.partition.class_of == number
            named = np.logical_and.reduce([meets[name] for name in meets if name != "ill"] + [members])
            expected += Fraction(int(named.sum()) * int((meets["ill"] & members).sum()), int(members.sum()))
        assert estimate == pytest.approx(float(expected), abs=1e-9)


def test_queries_are_drawn_by_their_seed_with_ranges_of_numbers() -> None:
    again = queries.draw_queries(SIZES, ("age",), 3, number=40, attributes=1, selectivity="0.1", seed=5)
    assert (
        again == QUERIES != queries.draw_queries(SIZES, ("age",), 3, number=40, attributes=1, selectivity="0.1", seed=6)
    )
    for query in QUERIES:
        assert len(query.admitted) == 2
        for name, places in query.admitted.items():
            size = SIZES.get(name, 3)
            assert Fraction(len(places), size) ** 2 >= Fraction(1, 10) > Fraction(len(places) - 1, size) ** 2
            assert name != "age" or places[-1] - places[0] == len(places) - 1


def test_every_range_of_its_width_is_asked_for() -> None:
    drawn = queries.draw_queries({"age": 5}, ("age",), 1, number=300, attributes=1, selectivity="0.1", seed=1)
    assert {query.admitted["age"] for query in drawn} == {(i, i + 1) for i in range(4)}


# ---------------------------------------------------------------------- classifiers


def test_a_full_domain_release_says_the_same_of_a_record_and_of_its_generalization() -> None:
    release = Release.full_domain(FrequencySet.of_rows(DRAWN.table), DRAWN.hierarchies, {"age": 2, "town": 1})
    shown = releases.of_release(release, DRAWN.codes("ill"), 3)
    features, which = learning.encoded(shown)
    own = learning.encoded_held_out(DRAWN)
    label_of = {
        name: np.array([np.flatnonzero(labels[:-1, value] > 0)[0] for value in range(labels.shape[1])])
        for name, labels in shown.labels.items()
    }
    blocks = [shown.labels[name][label_of[name][DRAWN.codes(name, held_out=True)]] for name in label_of]
    model = learning.library().linear_model.LogisticRegression(solver="newton-cholesky", tol=1e-10)
    fitted = learning._fitted(model, features, which, np.eye(2)[DRAWN.codes("rich")])
    mine, generalized = (fitted.decision_function(held) for held in (own, np.concatenate(blocks, axis=1)))
    assert np.allclose(mine, generalized, atol=1e-6)
    assert np.ptp(mine) > 1


def test_a_classifier_learns_from_the_unchanged_table_and_nothing_from_one_that_shows_nothing() -> None:
    held_out = learning.encoded_held_out(DRAWN)
    by_method = {made.method: learning.accuracies(made.shown, DRAWN, held_out) for made in all_made()}
    for name, column in learning.names(TOY).items():
        assert by_method[releases.NOTHING][name] == learning.majority(DRAWN, column)
    for name in list(learning.names(TOY))[:2]:
        assert by_method[releases.UNCHANGED][name] > learning.majority(DRAWN, "rich") + 0.1
        assert by_method["Anatomy"][name] == by_method[releases.UNCHANGED][name]  # it shows the quasi-identifiers


def test_of_the_sensitive_attribute_a_classifier_learns_what_the_release_shows_and_no_more() -> None:
    """Where every class has the frequencies of the table, it learns which value is the most frequent one."""
    rows = len(DRAWN.frame)
    alike = replace(releases.unchanged(DRAWN), sensitive=np.tile([0.2, 0.5, 0.3], (rows, 1)))
    found = learning.accuracies(alike, DRAWN, learning.encoded_held_out(DRAWN))
    assert list(found.values())[-1] == (DRAWN.codes("ill", held_out=True) == 1).mean()


def test_records_that_show_the_same_are_one_with_their_number_as_weight() -> None:
    shown = releases.unchanged(DRAWN)
    features, which = learning.encoded(shown)
    assert len(features) < len(which) == 150
    whole = np.concatenate([shown.labels[name][shown.label_of[name]] for name in shown.labels], axis=1)
    assert (features[which] == whole).all()
    bayes = learning.library().naive_bayes.MultinomialNB
    label = DRAWN.codes("rich")
    merged = learning._fitted(bayes(), features, which, np.eye(2)[label])
    assert np.allclose(merged.feature_log_prob_, bayes().fit(whole, label).feature_log_prob_)


def test_without_scikit_learn_the_study_names_what_to_install(monkeypatch, tmp_path) -> None:
    for name in list(sys.modules):
        if name.partition(".")[0] == "sklearn":
            monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "sklearn", None)
    with pytest.raises(StudyError, match=r"tcloseness\[sklearn\]"):
        utility.STUDY.run(StudyRun("utility", tmp_path, smoke=True, console=Console(quiet=True)))


# ---------------------------------------------------------------------- what is said of methods


def of_methods(**values: list[float]) -> pd.DataFrame:
    rows = [
        {"data": "Toy", "seed": seed, "model": "k = 3", "method": method, "x": value}
        for method, given in values.items()
        for seed, value in enumerate(given)
    ]
    return pd.DataFrame(rows)


def test_a_method_is_called_better_only_if_every_seed_and_interval_says_so() -> None:
    level, up = [float(i) for i in range(10)], [i + 1.0 for i in range(10)]
    mixed = [i + (1.0 if i % 2 else -1.0) for i in range(10)]
    found = of_methods(a=level, b=up, c=mixed)
    for sign, best in ((1, "b"), (-1, "a")):
        pairs = compared.comparisons(found, {"x": sign}, SEED).set_index(["method", "other"])
        assert pairs.loc[("a", "b"), "better"] == best
        assert pd.isna(pairs.loc[("a", "c"), "better"])
        shown = compared.medians(found, {"x": sign}, SEED)
        first, *others = compared.leaders(pairs.reset_index(), shown, "k = 3", "x", sign)
        assert first == best
        assert {"a", "b"} - {best} != set(others)
    assert compared.comparisons(found.iloc[:20].query("seed < 4"), {"x": 1}, SEED)["better"].isna().all()  # too few


def test_a_median_difference_of_zero_or_one_of_several_tests_names_nobody() -> None:
    tied = of_methods(a=[1.0] * 22, b=[1.0] * 12 + [2.0] * 10)
    (row,) = compared.comparisons(tied, {"x": 1}, SEED).to_dict("records")
    assert row["adjusted"] < 0.05
    assert row["median difference"] == 0
    assert row["better"] is None
    one_lost = [0.0] + [2.0] * 9
    rows = compared.comparisons(of_methods(a=[1.0] * 10, b=one_lost, c=[1.0] * 10), {"x": 1}, SEED)
    first = rows.iloc[0]
    assert first["sign test"] < 0.05 < first["adjusted"]
    assert first["high"] < 0
    assert rows["better"].isna().all()


def test_where_many_methods_are_not_separated_none_is_named() -> None:
    assert compared._either(["a", "b", "c"], 7) == "a or b or c"
    assert compared._either(["a", "b", "c", "d"], 7) == "any of 4 of the 7 methods"
    assert compared._either(["a", "b", "c", "d"], 4) == "any of the 4 methods"


def test_what_is_kept_is_counted_from_the_most_frequent_value_on() -> None:
    rows = [
        {"seed": seed, "model": model, "method": method, "x": value + seed}
        for seed in (1, 2)
        for model, method, value in (
            (releases.NO_MODEL, releases.MAJORITY, 10.0),
            (releases.NO_MODEL, releases.UNCHANGED, 20.0),
            ("k = 3", "a", 13.0),
        )
    ]
    assert compared.kept(pd.DataFrame(rows), "x", "k = 3", "a") == [0.3, 0.3]


def test_a_method_that_reached_no_release_leads_nowhere_and_is_compared_where_both_did() -> None:
    nan = float("nan")
    found = of_methods(a=[5.0] * 10, b=[9.0] * 9 + [nan], c=[nan] * 10)
    shown = compared.medians(found, {"x": 1}, SEED).set_index("method")
    assert shown["reached"].to_dict() == {"a": 10, "b": 9, "c": 0}
    pairs = compared.comparisons(found, {"x": 1}, SEED)
    assert [(row["method"], row["other"], row["seeds"]) for _, row in pairs.iterrows()] == [("a", "b", 9)]
    assert compared.leaders(pairs, shown.reset_index(), "k = 3", "x", 1) == ["a"]


# ---------------------------------------------------------------------- several sensitive attributes


def test_criteria_for_two_attributes_are_the_definitions_of_the_package() -> None:
    nodes = several.Nodes(TOY, ("ill", "rich"), 2, 150)
    found = several.criteria(nodes, 2, "0.3")
    whole = FrequencySet.from_frame(persons().head(150), quasi_identifiers=["age", "town"], sensitive=["ill", "rich"])
    grounds = {"ill": "equal", "rich": "equal"}
    for node in nodes.plain.lattice:
        table = whole.generalize(nodes.hierarchies, dict(zip(("age", "town"), node, strict=True)))
        anonymous = KAnonymity(2).evaluate(table.class_counts("ill")).status == "satisfied"
        diverse = all(one.status == "satisfied" for one in multi_attribute(DistinctLDiversity(2), table).values())
        alone = [TCloseness("0.3", ground="equal").evaluate(table.class_counts(a)).status for a in grounds]
        assert (node in found["k = 2"]) == anonymous
        assert (node in found["l = 2, each with the other as quasi-identifier"]) == (anonymous and diverse)
        if sum(node) > 2:  # classes are few: each is a transportation problem
            joint = joint_t_closeness(table, grounds, "0.3", combine="max").status == "satisfied"
            assert (node in found[f"t = 0.3 {several.JOINTLY}"]) == (anonymous and joint)
        assert (node in found[f"t = 0.3 {several.EACH}"]) == (anonymous and alone == ["satisfied"] * 2)
    assert 0 < len(found["l = 2, each with the other as quasi-identifier"]) < len(found["k = 2"])


def test_the_least_loss_is_that_of_all_nodes_that_satisfy() -> None:
    nodes = several.Nodes(TOY, ("ill", "rich"), 2, 150)
    loss = loss_named("gcp")
    for found in several.criteria(nodes, 2, "0.3").values():
        best = nodes.least(found)
        losses = [float(loss.evaluate(nodes.plain.release(node)).value) for node in found]
        assert (best and best[1]) == (min(losses) if losses else None)


def test_protecting_more_costs_no_less() -> None:
    rows = {row["criterion"]: row for row in several.costs(TOY, 2, 2, "0.3")}
    assert (
        rows["k = 2"]["least GCP"] <= rows["l = 2 for ill"]["least GCP"] <= rows[f"l = 2 {several.EACH}"]["least GCP"]
    )
    assert rows[f"t = 0.3 {several.EACH}"]["least GCP"] <= rows[f"t = 0.3 {several.JOINTLY}"]["least GCP"]


# ---------------------------------------------------------------------- the study


@pytest.mark.slow
def test_another_data_set_only_needs_naming(monkeypatch, tmp_path) -> None:
    monkeypatch.setitem(DATA, "Toy", TOY)
    grid = utility.Grid(("Toy",), 2, 80, 60, 3, 2, ("0.4",), "0.05", 20, 1, "0.1", 5, 100, 2, "0.3")
    monkeypatch.setattr(StudyRun, "grid", lambda *_: grid)
    monkeypatch.setattr(figures, "save", lambda _, path: path)  # laying out and writing pictures takes long
    found = utility.STUDY.run(StudyRun("utility", tmp_path, smoke=True, console=Console(quiet=True)))
    assert found.summary.startswith("Toy: ")
    assert found.figures[0].path.name == "toy_accuracy.png"
    assert "may suppress 5 % of the records" in releases.terms("0.05")
    for text in (found.summary, found.figures[0].caption):
        assert releases.terms("0.05") in text
    learnt, always = re.findall(r"(?:table \(|against )(\d+\.\d %)(?= \(\d+\.\d to \d+\.\d\))", found.summary)
    of_label = found.tables["medians"].query(f"measure == '{next(iter(learning.names(TOY)))}' and model == 'none'")
    middles = of_label.set_index("method")["median"]
    assert (learnt, always) == tuple(f"{100 * middles[m]:.1f} %" for m in (releases.UNCHANGED, releases.MAJORITY))
    assert set(found.tables["releases"]["seed"]) == {1, 2}
    assert [name for name, table in found.tables.items() if "median" in table and "releases" in table] == [
        "methods_times"
    ]
    with learning.one_thread():
        again = pd.DataFrame([row for seed in grid.seeds for row in utility.measured(TOY, grid, seed)])
    middle = found.tables["medians"].set_index(["measure", "method"])["median"]
    assert middle[utility.ERROR, releases.UNCHANGED] == 0 < middle[utility.ERROR, releases.NOTHING]
    columns = found.tables["releases"].columns
    kinds = found.tables["releases"].dtypes
    assert again[columns].astype(kinds).to_csv() == found.tables["releases"].to_csv()
    with pytest.raises(StudyError, match="Toy"):
        data_set("toy")
