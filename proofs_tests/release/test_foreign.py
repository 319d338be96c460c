"""A release is read back from its frame alone: labels mean what they meant, and rows of another table are named."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given

from proofs_tests.anonymize.cases import Case, cases_with_partitions
from proofs_tests.effort import effort
from proofs_tests.loss.naive import seeded_cases
from proofs_tests.release.test_published import ANSWERS, FRAME, HIERARCHIES, ILLS
from tcloseness.errors import HierarchyError, TableError
from tcloseness.loss import Ambiguity, LossMetric, NormalizedCertaintyPenalty, Precision, losses
from tcloseness.microdata import FrequencySet, Hierarchy, Microdata
from tcloseness.release import Hierarchical, Release, attributes_of


@pytest.mark.parametrize("name", ANSWERS)
def test_the_release_of_every_method_is_read_back(name: str) -> None:
    """Its frame, the hierarchies by which it was made, and the marker are enough: sizes and losses are the same."""
    found = ANSWERS[name]().release
    used = {name: HIERARCHIES[name] for name, each in found.recodings.items() if each.hierarchy is not None}
    if name == "sensitive generalization":
        used["ill"] = ILLS
    if name == "microaggregation":  # a mean stands for no value of its own
        return
    back = Release.from_frames(
        FRAME,
        found.table,
        quasi_identifiers=list(found.recodings),
        sensitive="ill",
        hierarchies=used,
        suppressed=found.rows().marker,
    )
    rows = found.on_rows()
    assert back.withheld.tolist() == rows.withheld.tolist()
    assert sorted(back.class_sizes.tolist()) == sorted(found.class_sizes.tolist())
    assert back.table.equals(found.table)
    mine, theirs = losses(rows), losses(back)
    common = [loss for loss in mine if loss in theirs]
    assert {"discernibility", "NCP", "GCP", "LM", "ambiguity", "precision", "non-uniform entropy"} <= set(common)
    assert {loss: theirs[loss].value for loss in common} == {loss: mine[loss].value for loss in common}


def test_a_mean_is_not_a_value_of_its_group() -> None:
    found = ANSWERS["microaggregation"]()
    with pytest.raises(TableError, match="as 'age', which is neither a value, an interval nor a set"):
        Release.from_frames(FRAME, found.table, quasi_identifiers="age", sensitive="ill")


@pytest.mark.long
@given(cases_with_partitions())
@effort(4)
def test_labels_of_any_partition_are_read_back(drawn: tuple[Case, object]) -> None:
    case, partition = drawn
    attributes = attributes_of(case.table, case.hierarchies)
    nodes = [label for each in attributes if isinstance(each, Hierarchical) for label in each.ancestors.labels]
    release = Release.of_partition(partition, attributes)  # type: ignore[arg-type]
    if len(set(nodes)) < len(nodes):
        return  # one text for two nodes: what it stands for is not said
    back = Release.from_frames(
        case.frame,
        release.table,
        quasi_identifiers=list(case.names),
        sensitive="s",
        domains={"s": range(4)},
        hierarchies=case.hierarchies,
        suppressed=release.rows().marker,
    )
    numeric = {name: each.numeric for name, each in release.recodings.items()}
    assert {name: each.numeric for name, each in back.recodings.items()} == numeric
    assert back.withheld.tolist() == release.withheld.tolist()
    named = [name for name, each in numeric.items() if each]
    for loss in (NormalizedCertaintyPenalty(numeric=named), LossMetric(numeric=named), Ambiguity(), Precision()):
        assert loss.evaluate(back).value == loss.evaluate(release).value, loss


PEOPLE = pd.DataFrame(
    {"age": [21, 24, 38, 41], "town": ["a", "b", "c", "c"], "ill": ["flu", "cold", "flu", "cold"]}, index=list("wxyz")
)
TOWNS = {"town": Hierarchy.from_groups([{"north": ["a", "b"], "south": ["c", "d"]}], name="town")}


def read(**changed: object) -> Release:
    frame = PEOPLE.assign(age=["20-29", "20-29", "[30, 50)", "[30, 50)"], town=["north", "north", "c", "c"])
    for name, cells in changed.items():
        frame[name] = cells
    return Release.from_frames(
        PEOPLE, frame, quasi_identifiers=["age", "town"], sensitive="ill", hierarchies=TOWNS, suppressed="*"
    )


def test_intervals_and_nodes_stand_for_their_values() -> None:
    """Age: (3 + 3)/20 twice over 4 records; town: 2/4 twice and 0 twice."""
    found = read()
    assert found.class_sizes.tolist() == [2, 2]
    terms = losses(found)["NCP"].terms
    assert (str(terms["age"]), str(terms["town"])) == ("3/5", "1")
    assert found.recodings["age"].numeric


@pytest.mark.parametrize(
    ("changed", "message"),
    [
        (
            {"age": ["20-29", "20-29", "[39, 50)", "[39, 50)"]},
            "row 'y' has 38 as 'age' .* does not stand",
        ),
        ({"age": ["20-29", "20-29", "(38, 50)", "(38, 50)"]}, "row 'y' has 38 as 'age' .* does not stand"),
        ({"age": ["20-29", "20-29", "[30, 41)", "[30, 41)"]}, "row 'z' has 41 as 'age' .* does not stand"),
        ({"town": ["north", "north", "north", "c"]}, "row 'y' has 'c' as 'town' .* 'north' does not stand for it"),
        ({"age": ["young"] * 4}, "shows 'young' as 'age', which is neither a value, an interval nor a set"),
        ({"ill": ["flu", "cold", "flu", "flu"]}, "row 'z' has 'cold' as 'ill' in the original and 'flu'"),
    ],
)
def test_rows_that_are_not_of_the_original_are_named(changed: dict[str, list[str]], message: str) -> None:
    with pytest.raises(TableError, match=message):
        read(**changed)


def test_a_label_that_is_not_a_node_is_named() -> None:
    with pytest.raises(HierarchyError, match="shows 'east' as 'town', which is not a node of its hierarchy"):
        read(town=["north", "north", "east", "c"])


def test_rows_are_known_by_the_index() -> None:
    shown = read().table
    roles = {"quasi_identifiers": ["age", "town"], "sensitive": "ill", "hierarchies": TOWNS}
    part = Release.from_frames(PEOPLE, shown.loc[["z", "w", "y"]], **roles)
    assert (part.withheld.tolist(), part.class_sizes.tolist()) == ([False, True, False, False], [1, 2])
    with pytest.raises(TableError, match="row 'v' of the published table is not a row of the original"):
        Release.from_frames(PEOPLE, shown.rename(index={"w": "v"}), **roles)
    with pytest.raises(TableError, match="its rows are numbered from the first"):
        Release.from_frames(PEOPLE.reset_index(drop=True), shown[:3].reset_index(drop=True), **roles)
    with pytest.raises(TableError, match="two rows of the published table are both labelled 'w'"):
        Release.from_frames(PEOPLE, pd.concat([shown, shown[:1]]), **roles)
    with pytest.raises(TableError, match="has no column 'age'"):
        Release.from_frames(PEOPLE, shown[["town", "ill"]], **roles)
    with pytest.raises(TableError, match="'age2' is not an attribute"):
        Release.from_frames(PEOPLE, shown, **{**roles, "hierarchies": {"age2": TOWNS["town"]}})


@pytest.mark.long
def test_a_full_domain_release_is_read_back_whole() -> None:
    """In another order of its rows, whatever is suppressed: the same rows, classes and losses."""
    for number, case in enumerate(seeded_cases(30, "read back")):
        frame = pd.DataFrame(case.rows, columns=["town", "age", "job", "sex"]).set_axis(
            [f"row {(7 * i + 3) % 11}" for i in range(len(case.rows))]
        )
        roles = {"quasi_identifiers": ["town", "age"], "sensitive": ["job", "sex"]}
        table = Microdata.from_frame(frame, **roles)
        made = Release.full_domain(FrequencySet.of(table), case.hierarchies, case.levels)
        made = made.suppress([g for g in case.suppressed if g < len(made)])
        shown = made.table.sample(frac=1, random_state=number)
        back = Release.from_frames(frame, shown, hierarchies=case.hierarchies, suppressed=made.rows().marker, **roles)
        assert back.withheld.tolist() == made.on_rows().withheld.tolist()
        assert back.table.equals(made.table)
        mine, theirs = losses(made), losses(back)
        assert mine.keys() - theirs.keys() <= ({"generalization height"} if len(made) == 0 else set())
        for name, loss in theirs.items():
            assert (loss.value, loss.bounds, loss.terms) == (mine[name].value, mine[name].bounds, mine[name].terms)


LOW, HIGH = "20-29 20–29 [20,29] [20;29] (19,29] [20,30) [20,30[ ]19,29] 20.0-29.0 2e1-29", "30-49"
SPELLINGS: dict[str, list[object]] = {
    **{low: [low, low, HIGH, HIGH] for low in LOW.split()},
    "blanks": [" 20 - 29 "] * 2 + ["[ 30 , 49 ]"] * 2,
    "endless": ["(-inf, 30)"] * 2 + ["[30, ∞)"] * 2,
    "cut": pd.cut(pd.Series([21, 24, 38, 41]), [20, 30, 50]).tolist(),
    "sets": ["{21, 24.0}"] * 2 + ["{'38', 41}"] * 2,
}


@pytest.mark.parametrize("name", SPELLINGS)
@pytest.mark.parametrize("dtype", [int, float, str])
def test_one_label_has_several_spellings(name: str, dtype: type) -> None:
    """Of numbers that are ints, doubles, or texts: 3/20 twice and 3/20 twice, or half of four values."""
    frame = PEOPLE.drop(columns="town").astype({"age": dtype})
    found = Release.from_frames(frame, frame.assign(age=SPELLINGS[name]), quasi_identifiers="age", sensitive="ill")
    assert found.class_sizes.tolist() == [2, 2]
    assert str(losses(found)["GCP"].value) == ("1/2" if name == "sets" else "3/20")


def test_cells_that_pandas_turned_into_doubles_are_the_same_values() -> None:
    """One empty cell makes a column of whole numbers one of doubles, 21 becomes 21.0; sensitive values too."""
    frame = PEOPLE.assign(ill=[1, 2, 1, 2])
    shown = frame.assign(age=[21, 24, 38, np.nan], ill=[1.0, 2.0, 1.0, np.nan])
    for marker in ("", np.nan):
        found = Release.from_frames(frame, shown, quasi_identifiers="age", sensitive="ill", suppressed=marker)
        assert found.withheld.tolist() == [False, False, False, True]
    leaves = {"age": Hierarchy.intervals(PEOPLE["age"], [10], origin=0, name="age")}
    nodes = Release.from_frames(
        frame, frame.astype({"age": float}), quasi_identifiers="age", sensitive="ill", hierarchies=leaves
    )
    assert nodes.class_sizes.tolist() == [1, 1, 1, 1]


def test_dates_and_intervals_of_dates_are_read() -> None:
    days = ["2020-01-03", "2020-01-20", "2020-03-01", "2020-03-05"]
    spans = ["[2020-01-01, 2020-01-31]"] * 2 + ["(2020-02-29, 2020-03-05]"] * 2
    for frame in (PEOPLE.assign(age=pd.to_datetime(days)), PEOPLE.assign(age=pd.to_datetime(days).date)):
        for cells, classes in ((days, 4), (spans, 2), (frame["age"], 4)):
            found = Release.from_frames(frame, frame.assign(age=cells), quasi_identifiers="age", sensitive="ill")
            assert len(found) == classes
            assert losses(found)["NCP"].value == (0 if classes == 4 else pytest.approx((2 * 17 + 2 * 4) / 62))
        with pytest.raises(TableError, match="shows '2020-01' as 'age'"):
            Release.from_frames(
                frame, frame.assign(age=["2020-01"] * 2 + ["2020-03"] * 2), quasi_identifiers="age", sensitive="ill"
            )


@pytest.mark.parametrize("text", ["{'\\x'}", "{'a\nb'}", "{'a", "{}", "{,}", "{21,}{", "[21, x]", "-", "[,]", "9" * 30])
def test_a_label_that_cannot_be_read_is_named(text: str) -> None:
    with pytest.raises(TableError, match=r"shows .* as 'age', which is neither a value, an interval nor a set"):
        read(age=[text] * 4)


def test_rows_without_a_value_are_left_out_of_both_tables() -> None:
    frame = PEOPLE.assign(age=[21, None, 38, 41])
    roles = {"quasi_identifiers": "age", "sensitive": "ill"}
    for shown in (frame, frame.dropna()):
        assert len(Release.from_frames(frame, shown, missing="drop", **roles).withheld) == 3
    named = PEOPLE.assign(town=["a", None, "b", "b"])
    shown = named.assign(town=["{a, (missing)}"] * 2 + ["b"] * 2)
    found = Release.from_frames(named, shown, quasi_identifiers="town", sensitive="ill", missing="category")
    assert found.class_sizes.tolist() == [2, 2]


def test_a_part_of_the_frame_keeps_its_index() -> None:
    """pandas numbers a slice as the frame; only rows that are numbered anew from the first are not known."""
    frame = PEOPLE.reset_index(drop=True)
    roles = {"quasi_identifiers": "age", "sensitive": "ill"}
    for part, withheld in ((frame[2:], "1100"), (frame[::2], "0101"), (frame[:0], "1111"), (frame[[True] * 4], "0000")):
        assert Release.from_frames(frame, part, **roles).withheld.tolist() == [x == "1" for x in withheld]
    for original in (frame, frame.set_axis(pd.Index([0, 1, 2, 3]))):
        with pytest.raises(TableError, match="numbered from the first"):
            Release.from_frames(original, frame[:2], **roles)
    with pytest.raises(TableError, match="2 columns 'age'"):
        Release.from_frames(frame, pd.concat([frame, frame["age"]], axis=1), **roles)
    with pytest.raises(TableError, match="2 of 2 persons have several rows"):
        Release.from_frames(frame.assign(who=[1, 1, 2, 2]), frame, person="who", **roles)
    with pytest.raises(TableError, match="as hierarchies, and was given one of class Hierarchy"):
        Release.from_frames(frame, frame, hierarchies=TOWNS["town"], **roles)


def test_a_release_of_rows_is_of_its_own_rows_only() -> None:
    """Of two records that are alike one may be suppressed: in another order it is not known which."""
    frame = pd.DataFrame({"age": [21, 21, 38], "ill": ["flu"] * 3}, index=list("abc"))
    found = Release.from_frames(frame, frame.loc[["a", "c"]], quasi_identifiers="age", sensitive="ill")
    turned = Microdata.from_frame(frame.loc[["c", "a", "b"]], quasi_identifiers="age", sensitive="ill")
    with pytest.raises(TableError, match="of single rows, and of another table or in another order"):
        found.rows(turned)
    whole = Release.full_domain(FrequencySet.from_frame(frame, quasi_identifiers="age", sensitive="ill"))
    assert whole.on_rows(turned).class_sizes.tolist() == [2, 1]
    more = Microdata.from_frame(frame.loc[["a", "c", "c"]], quasi_identifiers="age", sensitive="ill")
    fewer = Microdata.from_frame(frame.loc[["a", "c"]], quasi_identifiers="age", sensitive="ill")
    for other in (more, fewer):
        with pytest.raises(TableError, match=r"of another table: .* other numbers of some values"):
            whole.rows(other)


def test_before_suppression_a_record_had_the_label_that_its_values_are_shown_as() -> None:
    """Also where another label stands for them too; a value that none stands for has a label of its own."""
    frame = pd.DataFrame({"age": [21, 21, 24, 50], "ill": ["flu"] * 4}, index=list("abcd"))
    shown = frame.assign(age=["21", "*", "21-29", "*"])
    found = Release.from_frames(frame, shown, quasi_identifiers="age", sensitive="ill", suppressed="*")
    assert found.sizes_before_suppression.tolist() == [2, 1, 1]
    assert found.locally_recoded == ("age",)


@pytest.mark.parametrize("classes", [[True, False], [1.5], ["1"], [4], [-1], [None]])
def test_only_numbers_of_classes_are_suppressed(classes: list[object]) -> None:
    """A mask of truth values is not a list of numbers: it would suppress the classes 0 and 1."""
    with pytest.raises(TableError, match="there are classes 0 to 1"):
        read().suppress(np.array(classes) if classes == [True, False] else classes)
