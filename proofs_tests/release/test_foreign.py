"""A release is read back from its frame alone: labels mean what they meant, and rows of another table are named."""

from __future__ import annotations

import pandas as pd
import pytest
from hypothesis import given

from proofs_tests.anonymize.cases import Case, cases_with_partitions
from proofs_tests.effort import effort
from proofs_tests.release.test_published import ANSWERS, FRAME, HIERARCHIES, ILLS
from tcloseness.errors import HierarchyError, TableError
from tcloseness.loss import Ambiguity, LossMetric, NormalizedCertaintyPenalty, Precision, losses
from tcloseness.microdata import Hierarchy
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
    with pytest.raises(TableError, match="both numbered from the first"):
        Release.from_frames(PEOPLE.reset_index(drop=True), shown[:3].reset_index(drop=True), **roles)
    with pytest.raises(TableError, match="two rows of the published table are both labelled 'w'"):
        Release.from_frames(PEOPLE, pd.concat([shown, shown[:1]]), **roles)
    with pytest.raises(TableError, match="has no column 'age'"):
        Release.from_frames(PEOPLE, shown[["town", "ill"]], **roles)
    with pytest.raises(TableError, match="'age2' is not an attribute"):
        Release.from_frames(PEOPLE, shown, **{**roles, "hierarchies": {"age2": TOWNS["town"]}})
