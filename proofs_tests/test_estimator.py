"""`Anonymizer` is a transformer of scikit-learn, trained on a release, and shows new records truly."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import joblib
import numpy as np
import pandas as pd
import polars as pl
import pytest
from hypothesis import given, settings, strategies as st
from sklearn.base import clone
from sklearn.exceptions import SkipTestWarning
from sklearn.linear_model import LogisticRegression
from sklearn.model_selection import GridSearchCV
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import OneHotEncoder
from sklearn.utils.estimator_checks import check_estimator

import tcloseness as tc
from tcloseness.errors import InfeasibleError, InputError, NotReached
from tcloseness.estimator import Anonymizer

OWN_ERRORS = {
    "check_dtype_object": "a cell that cannot be hashed is refused by the table's own error, which names the column",
    "check_fit2d_1sample": "one record cannot be two: the refusal says so in the words of the model",
}
TEXT = dict.fromkeys(
    [
        "check_pipeline_consistency",
        "check_estimators_pickle",
        "check_transformer_data_not_an_array",
        "check_transformer_general",
        "check_methods_sample_order_invariance",
        "check_methods_subset_invariance",
        "check_fit_idempotent",
        "check_transformer_preserve_dtypes",
    ],
    "the check subtracts what is shown, and labels are text; the same check passes for means",
)
FRAME = pd.DataFrame({"age": [20, 21, 22, 35, 41, 60, 61, 62], "city": list("abababcc")})
TREE = tc.Hierarchy.from_groups([{"north": ["a", "b"], "south": list("cdefgh")}])


@pytest.mark.parametrize(
    ("made", "failing"),
    [(Anonymizer(k=2, encode="means"), OWN_ERRORS), (Anonymizer(k=2), {**OWN_ERRORS, **TEXT})],
    ids=["means", "labels"],
)
@pytest.mark.slow
def test_it_passes_the_checks_of_scikit_learn(made: Anonymizer, failing: dict[str, str]) -> None:
    with pytest.warns(SkipTestWarning):  # of arrays that are not numpy's
        found = check_estimator(made, expected_failed_checks=failing, on_fail=None)
    assert {each["check_name"] for each in found if each["status"] in ("failed", "xfail")} == set(failing)
    assert sum(each["status"] == "passed" for each in found) > 30


def shown(made: Anonymizer, frame: pd.DataFrame, y: Any = None) -> list[tuple[Any, ...]]:
    return [tuple(row) for row in made.fit(frame, y).transform(frame).tolist()]


@pytest.mark.long
@given(
    st.lists(st.tuples(st.integers(0, 9), st.sampled_from("abcd"), st.sampled_from("xyz")), min_size=4, max_size=16),
    st.sampled_from(["mondrian", "datafly"]),
    st.integers(1, 3),
    st.sampled_from([None, "0.3", "1/2"]),
)
@settings(max_examples=60)
@pytest.mark.filterwarnings("ignore:.* in every quasi-identifier and are counted as a class")
def test_the_training_table_is_shown_as_its_release_and_satisfies_the_model(
    rows: list[tuple[int, str, str]], method: str, k: int, t: str | None
) -> None:
    frame = pd.DataFrame({"age": [row[0] for row in rows], "city": [row[1] for row in rows]})
    trees = {"age": tc.Hierarchy.intervals(range(10), [5, 10], name="age"), "city": TREE}
    secret = pd.Series([row[2] for row in rows])
    made = Anonymizer(k, t, ground="equal", method=method, hierarchies=trees if method == "datafly" else {"city": TREE})
    made.set_params(handle_unknown="suppress")
    try:
        got = pd.DataFrame(shown(made, frame, secret), columns=["age", "city"])
    except NotReached:
        assert method == "datafly"
        return
    class_of = made.release_.partition.class_of
    marker = {got["age"][i] for i in np.flatnonzero(class_of < 0)}
    roles = {"quasi_identifiers": ["age", "city"], "sensitive": "s", "suppressed": marker.pop() if marker else None}
    thresholds = {"k": k} if t is None else {"k": k, "t": t}
    table = tc.FrequencySet.from_frame(got.assign(s=secret), **roles)
    released = tc.check(table, ground={"s": "equal"}, reference="all", **thresholds)
    assert released.status == "satisfied"
    assert (released.suppressed, released.classes) == ((class_of < 0).sum(), len(made.release_.partition))
    shown_as = got.groupby(["age", "city"]).ngroup()
    assert len(set(zip(shown_as, class_of, strict=True))) == shown_as.nunique() == len(set(class_of))


def test_new_records_are_shown_by_what_was_learned() -> None:
    made = Anonymizer(k=2, hierarchies={"city": TREE}).fit(FRAME)
    new = pd.DataFrame({"age": [21, 22, 36, 42, 99, -5], "city": ["a", "b", "a", "d", "c", "b"]})
    got = made.set_params(handle_unknown="suppress").transform(new)
    assert got.tolist() == [
        ["(-∞, 21]", "north"],
        ["(21, 35]", "north"],
        ["(35, 60]", "north"],
        ["*", "*"],  # d is in the hierarchy, and no class shows it
        ["(60, ∞)", "c"],
        ["(-∞, 21]", "north"],
    ]
    with pytest.raises(InputError, match=r"1 record\(s\) lie in no region, first record 3: no class shows"):
        made.set_params(handle_unknown="error").transform(new)


def test_means_are_those_of_the_training_records_and_categories_stay_labels() -> None:
    made = Anonymizer(k=2, encode="means", handle_unknown="suppress", hierarchies={"city": TREE}).fit(FRAME)
    got = made.transform(pd.DataFrame({"age": [30, 0, 7], "city": ["b", "a", "d"]}))
    assert got.tolist()[:2] == [[28.5, "north"], [20.5, "north"]]
    assert np.isnan(got[2, 0])
    assert got[2, 1] == "*"


def test_what_is_not_a_number_among_numbers_is_unknown() -> None:
    made = Anonymizer(k=2, categorical=["city"]).fit(FRAME)
    for odd in (float("nan"), float("inf"), None, "old"):
        new = pd.DataFrame({"age": pd.Series([21, odd], dtype=object), "city": ["a", "a"]})
        with pytest.raises(InputError, match="lie in no region, first record 1"):
            made.set_params(handle_unknown="error").transform(new)
        assert made.set_params(handle_unknown="suppress").transform(new).tolist()[1] == ["*", "*"]
    great = Anonymizer(k=2, encode="means").fit(pd.DataFrame({"x": pd.Series([10**400, 10**400], dtype=object)}))
    with pytest.raises(InputError, match="beyond the range of doubles"):
        great.transform(pd.DataFrame({"x": [1]}))


def test_a_star_that_is_a_label_does_not_mark_suppression() -> None:
    tree = tc.Hierarchy([("a", "*"), ("b", "*"), ("z", "*")])
    made = Anonymizer(k=2, categorical=["kind"], handle_unknown="suppress", hierarchies={"city": tree})
    made.fit(pd.DataFrame({"city": ["a", "b"], "kind": ["*", "*"]}))
    new = pd.DataFrame({"city": ["a", "a"], "kind": ["*", "?"]})
    assert made.transform(new).tolist() == [["*", "*"], ["**", "**"]]


def test_the_output_is_what_scikit_learn_was_asked_for() -> None:
    made = Anonymizer(k=2, categorical=["city"])
    frame = made.set_output(transform="pandas").fit_transform(FRAME.set_index(pd.Index(list("stuvwxyz"))))
    assert [*frame.columns] == ["age", "city"] == [*made.get_feature_names_out()]
    assert [*frame.index] == list("stuvwxyz")
    polars = made.set_output(transform="polars").fit_transform(FRAME)
    assert isinstance(polars, pl.DataFrame)
    assert polars.rows() == [*frame.itertuples(index=False, name=None)]
    default = made.set_output(transform="default").fit(pl.DataFrame(FRAME.to_dict("list"))).transform(FRAME)
    assert default.tolist() == frame.to_numpy().tolist()
    assert [*made.feature_names_in_] == ["age", "city"]


@pytest.mark.long
def test_it_works_in_a_pipeline_that_is_searched() -> None:
    random = np.random.default_rng(1)
    X = random.integers(0, 40, (120, 2))
    y = (X[:, 0] > 20).astype(int)
    labels = make_pipeline(
        Anonymizer(handle_unknown="suppress"), OneHotEncoder(handle_unknown="ignore"), LogisticRegression()
    )
    found = GridSearchCV(labels, {"anonymizer__k": [2, 60]}, cv=3, error_score="raise").fit(X, y)
    assert found.best_params_ == {"anonymizer__k": 2}
    means = make_pipeline(Anonymizer(k=5, encode="means"), LogisticRegression()).fit(X, y)
    assert means.score(X, y) > 0.9


def test_clones_and_copies_answer_alike() -> None:
    made = Anonymizer(k=2, hierarchies={"city": TREE}).fit(FRAME)
    assert pickle.loads(pickle.dumps(made)).transform(FRAME).tolist() == made.transform(FRAME).tolist()
    assert clone(made).fit(FRAME).transform(FRAME).tolist() == made.transform(FRAME).tolist()


def test_y_is_asked_for_where_the_model_asks_for_it_and_only_there() -> None:
    with pytest.raises(InputError, match=r"the model asks for the sensitive attribute, and there is no y.*fit\(X, y\)"):
        Anonymizer(2, "0.2", ground="equal").fit(FRAME)
    with pytest.raises(InputError, match="y has 2 values and X 8 records; give one for each"):
        Anonymizer(2, models=tc.DistinctLDiversity(2)).fit(FRAME, ["x", "y"])
    alone = Anonymizer(2).fit(FRAME).transform(FRAME).tolist()
    assert Anonymizer(2).fit(FRAME, list("xxxxyyyy")).transform(FRAME).tolist() == alone
    diverse = Anonymizer(models=[tc.DistinctLDiversity(2)]).fit(FRAME, list("xxxxxxxy"))
    assert len(diverse.release_.partition) == 1
    named_y = FRAME.rename(columns={"age": "y"})
    assert Anonymizer(2).fit(named_y).release_.attributes[0].name == "y"
    assert Anonymizer(2, "1/2", ground="equal").fit(named_y, list("xyxyxyxy")).release_.verdict.status == "satisfied"


@pytest.mark.parametrize(
    ("made", "error", "says"),
    [
        (Anonymizer(), InputError, "no threshold is given"),
        (Anonymizer(k=9), InfeasibleError, "no grouping of all 8 records satisfies it"),
        (Anonymizer(k=2, encode="mean"), InputError, "encode='mean' is unknown; it is one of labels, means"),
        (
            Anonymizer(k=2, handle_unknown="ignore"),
            InputError,
            "handle_unknown='ignore' is unknown; it is one of",
        ),
        (Anonymizer(k=2, method="nothing"), InputError, "method 'nothing' is unknown"),
        (Anonymizer(models=tc.DistinctLDiversity(2), method="anatomy"), InputError, "recodes nothing; take 'mondrian'"),
        (Anonymizer(k=2, hierarchies={"x": TREE}), InputError, "hierarchies names 'x'"),
    ],
)
def test_what_cannot_be_learned_is_refused(made: Anonymizer, error: type[Exception], says: str) -> None:
    with pytest.raises(error, match=says):
        made.fit(FRAME, list("xyxyxyxy"))


def test_features_are_shown_whatever_their_names() -> None:
    names = ["y", "sensitive attribute", "yy"]
    frame = pd.DataFrame({name: [1, 2, 30, 40] for name in names})
    got = Anonymizer(k=2, models=tc.DistinctLDiversity(2)).fit_transform(frame, list("abab"))
    assert got.shape == (4, 3)
    with pytest.raises(InputError, match="X has 0 features; give one or more"):
        Anonymizer(k=2).fit(frame[[]])
    with pytest.raises(InputError, match="X has 2 features; give one or more, each with a name of its own"):
        Anonymizer(k=2).fit(frame[["y", "y"]])


@pytest.mark.filterwarnings("ignore:X has feature names, but Anonymizer was fitted without")
def test_a_frame_is_shown_by_its_places_where_an_array_was_learned() -> None:
    made = Anonymizer(k=2).fit([[1, 9], [2, 9], [30, 1], [40, 1]])
    asked = [[2, 9], [31, 1]]
    assert made.transform(pd.DataFrame(asked, columns=["a", "b"])).tolist() == made.transform(asked).tolist()


def test_dates_and_durations_have_no_means() -> None:
    days = pd.to_datetime(["2020-01-01", "2020-02-01", "2021-01-01", "2022-01-01"])
    frame = pd.DataFrame({"day": days, "long": days - days[0], "date": days.date})
    made = Anonymizer(k=2, encode="means").fit(frame)
    assert made.transform(frame).tolist() == Anonymizer(k=2).fit(frame).transform(frame).tolist()
    for name in frame.columns:
        with pytest.raises(InputError, match=f"'{name}' is not an attribute of numbers"):
            made.regions_.means(name)


def test_what_was_learned_stays_if_new_regions_are_refused() -> None:
    X = [[0, 0], [9, 9], [1, 8], [8, 1], [4, 4], [5, 5], [0, 9], [9, 0]]
    made = Anonymizer(k=2).fit(X)
    release, regions = made.release_, made.regions_
    with pytest.raises(InputError, match="could belong to several"):
        made.set_params(method=around).fit(X)
    assert (made.release_, made.regions_) == (release, regions)


def test_overlapping_classes_are_refused() -> None:
    X = [[0, 0], [9, 9], [1, 8], [8, 1], [4, 4], [5, 5], [0, 9], [9, 0]]
    with pytest.raises(InputError, match="a new record could belong to several; take a method that divides"):
        Anonymizer(k=2, method=around).fit(X)


def around(table: Any, model: Any) -> Any:
    """Group the records of opposite corners."""
    return tc.release.Partition.of(table, [[0, 1], [2, 3], [4, 5, 6, 7]])


@pytest.mark.long
def test_without_scikit_learn_the_error_names_the_extra() -> None:
    program = (
        "import sys; sys.modules['sklearn'] = None\n"
        "import tcloseness as tc\n"
        "try: tc.Anonymizer\n"
        "except tc.errors.InputError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True)
    assert "Anonymizer needs scikit-learn; install it: python -m pip install 'tcloseness[sklearn]'" in done.stdout


@pytest.mark.slow
def test_jobs_of_joblib_fit_and_show_what_this_process_does(tmp_path) -> None:
    """In threads and in processes, and from a file that joblib wrote."""
    made = Anonymizer(k=2, seed=1)
    here = clone(made).fit(FRAME).transform(FRAME).tolist()
    for backend in ("threading", "loky"):
        jobs = joblib.Parallel(n_jobs=2, backend=backend)(joblib.delayed(clone(made).fit)(FRAME) for _ in range(2))
        assert [job.transform(FRAME).tolist() for job in jobs] == [here, here]
    joblib.dump(jobs[0], tmp_path / "fitted.joblib")
    assert joblib.load(tmp_path / "fitted.joblib").transform(FRAME).tolist() == here
