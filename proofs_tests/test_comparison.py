"""Releases side by side: each number is the one that its own verb gives, and a release of another table is refused."""

from __future__ import annotations

import json
import math

import pandas as pd
import pytest

import tcloseness as tc
from tcloseness.comparison import compare
from tcloseness.errors import ConventionError, InputError, TableError
from tcloseness.models.protocol import value_texts

FRAME = pd.DataFrame(
    {
        "zip": ["47677", "47602", "47678", "47905", "47909", "47906"],
        "age": [29, 22, 27, 43, 52, 47],
        "salary": [3, 4, 5, 6, 11, 8],
    },
    index=list("uvwxyz"),
)
HIERARCHIES = {
    "zip": tc.Hierarchy.prefixes(FRAME["zip"], name="zip"),
    "age": tc.Hierarchy.intervals(FRAME["age"], [10, 40], name="age"),
}

pytestmark = pytest.mark.filterwarnings("ignore::tcloseness.errors.TableWarning")


def table(**more: object) -> tc.Table:
    return tc.Table(FRAME, quasi_identifiers=["zip", "age"], sensitive="salary", ground="ordered", **more)


def test_each_number_is_that_of_its_own_verb() -> None:
    mine = table(hierarchies=HIERARCHIES)
    releases = {
        "mondrian": mine.anonymize("mondrian", k=3),
        "optimal": mine.optimal(k=2),
        "search": mine.search(k=2, loss="gcp"),
        "level 1": tc.Release.full_domain(mine, HIERARCHIES, {"zip": 3, "age": 1}),
    }
    found = mine.compare(releases, k=2, t="2/5")
    assert [each.name for each in found.releases] == ["original", *releases]
    rows = found.to_frame().set_index(["release", "kind", "quantity"])
    for name, answer in releases.items():
        release = answer.release
        assert (
            found[name].release is release or found[name].release.class_sizes.tolist() == release.class_sizes.tolist()
        )
        for loss, result in release.losses(k=2).items():
            assert rows.loc[(name, "loss", loss), "exact"] == value_texts(result.value)["value"]
        for result in (
            tc.check(release.released, k=2, t="2/5", ground={"salary": "ordered"}, reference="all")
            .attributes[0]
            .results
        ):
            row = rows.loc[(name, "privacy", result.model)]
            assert (row["exact"], row["status"]) == (value_texts(result.value)["value"], result.status)
            assert row["value"] == float(result.value)
        assert rows.loc[(name, "size", "classes"), "value"] == len(release)
    wide = found.table()
    assert list(wide) == ["better", "original", *releases]
    assert wide.loc[("privacy", "salary", "k-anonymity"), "mondrian"] == 3


def test_the_best_is_decided_exactly_and_by_what_is_better() -> None:
    mine = table()
    found = mine.compare({"two": mine.anonymize("mondrian", k=2), "three": mine.anonymize("mondrian", k=3)}, k=2)
    assert found.best("k-anonymity") == ("two", "three") or found.best("k-anonymity") == ("three",)
    for quantity in ("GCP", "discernibility", "k-anonymity", "t-closeness", "precision"):
        rows = found.to_frame()
        rows = rows[rows["quantity"] == quantity]
        rows = rows[(rows["release"] != "original") | (rows["kind"] != "loss")]
        top = rows["value"].max() if rows["better"].iloc[0] == "higher" else rows["value"].min()
        assert found.best(quantity) == tuple(rows[rows["value"] == top]["release"])
    with pytest.raises(InputError, match="is not one of"):
        found.best("beauty")


def test_the_same_release_by_frame_and_by_object_is_the_same() -> None:
    """A frame that another tool wrote is read by intervals and hierarchies; its losses are those of the object."""
    mine = table()
    made = mine.anonymize("mondrian", k=3)
    found = mine.compare({"object": made, "frame": made.table, "shuffled": made.table.iloc[::-1]}, k=3)
    rows = found.to_frame()
    parts = [
        rows[rows["release"] == name].drop(columns="release").reset_index(drop=True) for name in found_names(found)
    ]
    assert parts[1].equals(parts[2])
    assert parts[1].equals(parts[3])
    full = table(hierarchies=HIERARCHIES)
    node = tc.Release.full_domain(full, HIERARCHIES, {"zip": 2, "age": 1})
    both = full.compare({"object": node, "frame": node.table})
    losses = [{name: loss.value for name, loss in each.losses.items()} for each in both.releases]
    assert losses[1] == losses[2]


def found_names(found: tc.Comparison) -> list[str]:
    return [each.name for each in found.releases]


def test_suppressed_rows_are_left_out_or_marked() -> None:
    mine = table()
    left_out = FRAME.drop(index=["u", "v"]).assign(zip="*", age="20-59")
    marked = FRAME.assign(zip="*", age="20-59")
    marked.loc[["u", "v"], ["zip", "age"]] = "?"
    found = mine.compare(left_out, marked, suppressed="?", k=2)
    rows = found.to_frame().pivot(index=["kind", "quantity"], columns="release", values="exact")
    assert rows["release 1"].equals(rows["release 2"])
    assert rows.loc[("size", "records suppressed"), "release 1"] == "2"


def test_an_attribute_that_one_shows_as_intervals_is_measured_alike_in_all() -> None:
    mine = table()
    sets = FRAME.assign(zip=FRAME["zip"], age="{29, 22, 27, 43, 52, 47}")
    intervals = FRAME.assign(zip=FRAME["zip"], age="22-52")
    found = mine.compare({"sets": sets, "intervals": intervals})
    assert not found.incomparable
    assert found["sets"].losses["NCP"].value == found["intervals"].losses["NCP"].value
    assert found.best("NCP") == ("sets", "intervals")


def test_losses_of_other_conventions_are_named_and_not_ranked() -> None:
    class Own:
        name = "own"
        generalizing = "may do either"

        def evaluate(self, source: tc.Release) -> object:
            found = tc.loss.Discernibility().evaluate(source)
            more = {"rounds": str(len(source))}
            return type(found)(**{**vars(found), "loss": "own", "parameters": more})

    mine = table()
    found = mine.compare(mine.anonymize("mondrian", k=3), tc.Release.full_domain(mine), losses=[Own()])
    assert "rounds" in found.incomparable["own"]
    rows = found.to_frame()
    assert not rows[rows["quantity"] == "own"]["comparable"].any()
    with pytest.raises(ConventionError, match="rounds"):
        found.best("own")


def test_names_are_the_methods_or_those_given() -> None:
    mine = table()
    two, three = mine.anonymize("mondrian", k=2), mine.anonymize("mondrian", k=3)
    assert found_names(mine.compare(two, three, mine.anonymize("mdav", k=2))) == [
        "original",
        two.method,
        f"{three.method} (2)",
        "MDAV" if mine.anonymize("mdav", k=2).method == "MDAV" else mine.anonymize("mdav", k=2).method,
    ]
    assert found_names(mine.compare(two, three, names=["a", "b"])) == ["original", "a", "b"]


WRONG = [
    (lambda t: (), {}, InputError, "no release is given"),
    (lambda t: (3,), {}, InputError, "release 1 is 3, which has no release"),
    (lambda t: (t.anonymize(k=2),), {"names": "ab"}, InputError, "was given 'ab'"),
    (lambda t: (t.anonymize(k=2),), {"names": ["a", "b"]}, InputError, "1 releases are given; name each"),
    (lambda t: (t.anonymize(k=2),), {"names": ["original"]}, InputError, "are called 'original'"),
    (lambda t: ({"a": t.anonymize(k=2)}, {"a": t.anonymize(k=3)}), {}, InputError, "are called 'a'"),
    (lambda t: (FRAME.assign(age="90"),), {}, TableError, "row 'u' has 29|neither a value"),
    (lambda t: (FRAME.assign(salary=7),), {}, TableError, "it is not the same record"),
    (lambda t: (FRAME.rename(index={"u": "a"}),), {}, TableError, "not a row of the original"),
    (lambda t: ("theirs.csv",), {}, TableError, "theirs.csv"),
    (lambda t: (t.anonymize("anatomy", distinct_l=2),), {}, InputError, "which has no release"),
    (lambda t: (t.anonymize(k=2),), {"tt": 3}, TypeError, "no keyword 'tt'"),
    (lambda t: (t.anonymize(k=2),), {"separator": ";"}, InputError, "separator=';' cannot apply: no release is a file"),
]


@pytest.mark.parametrize(("given", "asked", "error", "words"), WRONG)
def test_what_cannot_be_compared_is_named(given: object, asked: dict, error: type[Exception], words: str) -> None:
    mine = table()
    with pytest.raises(error, match=words):
        mine.compare(*given(mine), **asked)  # type: ignore[operator]


def test_a_release_of_another_table_is_refused() -> None:
    other = tc.Table(FRAME.head(4), quasi_identifiers=["zip", "age"], sensitive="salary")
    with pytest.raises(TableError, match="is a release of another table"):
        table().compare(other.anonymize(k=2))
    with pytest.raises(TableError, match="takes a table of class FrequencySet"):
        compare(FRAME, other.anonymize(k=2))


def test_it_says_itself_without_a_value() -> None:
    mine = table()
    found = mine.compare(mine.anonymize(k=3), k=3)
    assert len(repr(found)) < 300
    assert "476" not in repr(found)
    assert [each["release"] for each in found.to_dict()["releases"]] == found_names(found)
    with pytest.raises(InputError, match="is not compared; there are 'original'"):
        found["theirs"]


def test_results_of_one_name_are_told_apart_and_none_is_lost() -> None:
    mine = table()
    weighted = tc.loss.NormalizedCertaintyPenalty(weights={"zip": 5, "age": 1})
    release = mine.anonymize(k=2, seed=1)
    asked = {"k": 2, "models": [tc.KAnonymity(3), tc.KAnonymity(9)], "losses": [weighted, "gcp"]}
    found = mine.compare({"mine": release}, **asked)
    rows = found.to_frame()
    rows = rows[rows["release"] == "mine"].set_index("quantity")
    assert [rows.loc[f"k-anonymity (k={k})", "threshold"] for k in (2, 3, 9)] == ["2", "3", "9"]
    assert rows.loc["k-anonymity (k=2)", "status"] == "satisfied"
    assert rows.loc["k-anonymity (k=9)", "status"] == "violated"
    penalties = {name: result.value for name, result in found["mine"].losses.items() if name.startswith("NCP")}
    assert len(penalties) == 2
    assert penalties["NCP"] == release.losses(k=2)["NCP"].value
    assert weighted.evaluate(release.release).value in penalties.values()
    assert sum(name.startswith("GCP") for name in found["mine"].losses) == 1
    assert len(found.table().columns) == 3


def test_a_loss_by_another_convention_is_a_row_of_its_own() -> None:
    mine = table(hierarchies=HIERARCHIES)
    release = tc.Release.full_domain(mine, HIERARCHIES, {"zip": 3, "age": 1}).suppress([0])
    found = mine.compare(release, losses=["dm-star", "dm"])
    (name,) = [name for name in found["release 1"].losses if name.startswith("discernibility (")]
    assert name == "discernibility (suppressed records in the loss=counted in the classes before suppression)"
    for place, loss in {name: "before-suppression", "discernibility": "whole-table"}.items():
        assert found["release 1"].losses[place].value == tc.loss.Discernibility(loss).evaluate(release).value


def test_a_wrong_name_or_attribute_is_named() -> None:
    mine = table()
    release = mine.anonymize(k=2, seed=1)
    for names in ([1], [["a"]]):
        with pytest.raises(InputError, match="is the name of a release; give a text"):
            mine.compare(release, names=names)
    with pytest.raises(InputError, match="is the name of a release; give a text"):
        mine.compare({1: release})
    with pytest.raises(InputError, match=r"the release 'a' is named where it is given, and in names=; name it once"):
        mine.compare({"a": release}, names=["b"])
    for losses in (None, "GCP", 5):
        with pytest.raises(InputError, match="as losses, and was given"):
            mine.compare(release, losses=losses)
        with pytest.raises(InputError, match="as losses, and was given"):
            mine.search(k=2, losses=losses)
    with pytest.raises(InputError, match="of the sensitive attribute 'age' is not one of"):
        mine.compare(release, k=2).best("k-anonymity", "age")


def test_the_original_competes_in_what_is_given_away_and_not_in_losses() -> None:
    mine = table()
    found = mine.compare({"three": mine.anonymize(k=3, seed=1)})
    for name in found["three"].losses:
        if found.to_frame().query("kind == 'loss' and quantity == @name")["better"].iloc[0]:
            assert found.best(name) == ("three",)
    assert found.best("distinct l-diversity") == ("three",)
    assert found["original"].losses["GCP"].value == 0


def test_whole_numbers_are_whole_and_thresholds_say_whether_they_are_met() -> None:
    mine = table()
    found = mine.compare({"three": mine.anonymize(k=3, seed=1)}, k=3, t="1/100")
    wide = found.table()
    rows = found.to_frame().set_index(["kind", "sensitive", "quantity", "release"])
    for about, cells in wide.iterrows():
        if about[0] == "threshold":
            continue
        for name in found_names(found):
            exact = rows["exact"].get((*about, name))
            if exact is None or pd.isna(exact):
                assert cells[name] == "–"
            elif exact.isdecimal():
                assert type(cells[name]) is int
                assert str(cells[name]) == exact
            else:
                assert cells[name] == rows["value"][(*about, name)]
    asked = wide.loc["threshold"]
    assert list(asked.index) == [("salary", "k-anonymity ≥ 3"), ("salary", "t-closeness ≤ 1/100")]
    assert asked["original"].tolist() == ["violated", "violated"]
    assert asked["three"].tolist()[0] == "satisfied"
    html = str(found.show())
    for words in ("k-anonymity ≥ 3", "satisfied", "violated"):
        assert words in html
    said = found.explain().splitlines()
    assert said[0].startswith("original: violated")
    assert said[1].startswith(f"three: {found['three'].audit.status}")


def test_the_explanation_ranks_the_releases_by_each_loss() -> None:
    mine = table()
    two, three = mine.anonymize(k=2, seed=1), mine.anonymize(k=3, seed=1)
    found = mine.compare({"two": two, "three": three})
    said = [line for line in found.explain().splitlines() if line.startswith("Best by")]
    ranked = [name for line in said for name in line.removeprefix("Best by ").rpartition(": ")[0].split(", ")]
    assert sorted(ranked) == sorted(found["two"].losses.keys() | found["three"].losses.keys())
    for line in said:
        names, _, best = line.removeprefix("Best by ").removesuffix(".").rpartition(": ")
        for name in names.split(", "):
            assert found.best(name) == tuple(best.split(" and "))


def test_what_is_wrong_with_a_release_is_said_of_that_release(tmp_path) -> None:
    mine = table()
    wrong, good = FRAME.assign(age="young"), FRAME.assign(age="*")
    wrong.to_csv(tmp_path / "wrong.csv", index=False)
    for given, name in (
        (({"good": good, "theirs": wrong},), "theirs"),
        ((good, wrong), "release 2"),
        ((good, tmp_path / "wrong.csv"), "wrong.csv"),
    ):
        with pytest.raises(TableError, match=f"^{name}: .*'young' as 'age'"):
            mine.compare(*given)
    nothing = FRAME.assign(age="*", zip="*")
    for given in (nothing, nothing.head(0), tc.Release.full_domain(mine).suppress(range(6))):
        with pytest.raises(TableError, match=r"^theirs: every record is suppressed, so there is no class"):
            mine.compare({"good": good, "theirs": given}, suppressed="*")


def test_infinite_values_are_no_numbers_in_json_and_are_named_beside() -> None:
    mine = table()
    found = mine.compare(mine.anonymize(k=3))
    infinite = [row for row in found.to_frame().to_dict("records") if row["value"] == math.inf]
    assert infinite
    written = json.loads(json.dumps(found.to_dict(), allow_nan=False))
    rows = [row for each in written["releases"] for row in each["quantities"] if row["value"] is None]
    assert [(row["release"], row["quantity"]) for row in rows] == [
        (row["release"], row["quantity"]) for row in infinite
    ]
    assert {row["exact"] for row in rows} == {row["exact"] for row in infinite} == {"inf"}
