"""Every answer gives its release: a frame with the caller's index, its classes, its losses and its record."""

from __future__ import annotations

import json
from collections import Counter
from fractions import Fraction
from typing import Any

import pandas as pd
import pytest

from tcloseness.anonymize import (
    anatomy,
    closeness_first,
    confidential_microaggregation,
    datafly,
    mdav,
    mondrian,
    sabre,
    swapping,
)
from tcloseness.errors import InputError, TableError
from tcloseness.lattice import RollUp, search_lattice
from tcloseness.loss import Discernibility, Precision, losses
from tcloseness.microdata import ClassCounts, FrequencySet, Hierarchy, Microdata
from tcloseness.models import FrequencyLDiversity, KAnonymity, TCloseness
from tcloseness.optimal import (
    optimal_cut,
    optimal_hiding,
    optimal_microaggregation,
    optimal_partition,
    optimal_sensitive_generalization,
    optimal_suppression,
)
from tcloseness.release import Release

AGES = [21, 24, 27, 31, 33, 38, 42, 45]
FRAME = pd.DataFrame(
    {"age": AGES, "sex": list("mfmfmfmm"), "ill": ["flu", "ulcer", "flu", "cough", "flu", "ulcer", "flu", "reflux"]},
    index=[f"person {n}" for n in (5, 2, 8, 1, 7, 3, 6, 4)],
)
HIERARCHIES = {
    "age": Hierarchy.intervals(AGES, [10, 20], origin=1, name="age"),
    "sex": Hierarchy.suppression("fm", name="sex"),
}
ILLS = Hierarchy.from_groups([{"lung": ["flu", "cough"], "stomach": ["ulcer", "reflux"]}])


def read(names: str = "age sex") -> Microdata:
    return Microdata.from_frame(
        FRAME,
        quasi_identifiers=names.split(),
        sensitive="ill",
        identifying=[n for n in ("age", "sex") if n not in names],
    )


TABLE = read()
CLOSE = KAnonymity(2) & TCloseness("1/2", ground="equal")


def whole(age: int = 2) -> Release:
    return Release.full_domain(FrequencySet.of(TABLE), HIERARCHIES, {"age": age, "sex": 1})


ANSWERS: dict[str, Any] = {
    "release": whole,
    "node": lambda: search_lattice(
        RollUp(FrequencySet.of(TABLE), HIERARCHIES), CLOSE, ground="equal", wanted="optimum", loss=Discernibility()
    ),
    "mondrian": lambda: mondrian(TABLE, CLOSE, HIERARCHIES),
    "datafly": lambda: datafly(TABLE, KAnonymity(2), HIERARCHIES),
    "mdav": lambda: mdav(TABLE, CLOSE),
    "confidential": lambda: confidential_microaggregation(TABLE, CLOSE, HIERARCHIES),
    "swapping": lambda: swapping(TABLE, CLOSE),
    "closeness first": lambda: closeness_first(TABLE, CLOSE),
    "sabre": lambda: sabre(TABLE, CLOSE),
    "partition": lambda: optimal_partition(TABLE, CLOSE, hierarchies=HIERARCHIES),
    "cut": lambda: optimal_cut(TABLE, CLOSE, hierarchies=HIERARCHIES),
    "suppression": lambda: optimal_suppression(whole(), FrequencyLDiversity(3)),
    "hiding": lambda: optimal_hiding(whole(), FrequencyLDiversity(3)),
    "sensitive generalization": lambda: optimal_sensitive_generalization(
        Release.full_domain(FrequencySet.of(TABLE), HIERARCHIES, {"age": 1, "sex": 1}),
        TCloseness("1/4", ground="equal"),
        ILLS,
    ),
    "microaggregation": lambda: optimal_microaggregation(read("age"), 3),
}


@pytest.mark.parametrize("name", ANSWERS)
def test_every_answer_gives_its_table_classes_losses_and_record(name: str) -> None:
    found = ANSWERS[name]()
    table = found.table
    assert isinstance(table, pd.DataFrame)
    assert table.index.equals(FRAME.index)
    release = found.release
    qi = list(release.recodings)
    assert list(table.columns) == [*qi, "ill"]
    kept = table[~release.on_rows(release.original.table or TABLE).withheld]
    sizes = Counter(tuple(row) for row in kept[qi].itertuples(index=False))
    assert sorted(sizes.values()) == sorted(found.classes.class_sizes.tolist()) == sorted(release.class_sizes.tolist())
    assert found.losses()["discernibility"].value == Discernibility().evaluate(release).value
    assert found.losses().keys() == losses(release).keys() >= {"NCP", "GCP", "LM", "precision", "ambiguity"}
    record = json.loads(json.dumps(found.record()))
    kept_by = record if found is release else record["release"]
    assert kept_by["records"] == 8
    assert kept_by["classes"] == len(sizes)
    assert kept_by["losses"].keys() == found.losses().keys()
    assert Precision().evaluate(release).value <= 1


def test_suppressed_records_are_marked_and_their_sensitive_values_stay() -> None:
    found = ANSWERS["suppression"]()
    table = found.table
    gone = table["age"] == "*"
    assert gone.sum() == found.objective > 0
    assert (table["ill"] == FRAME["ill"]).all()
    assert FrequencyLDiversity(3).evaluate(found.classes).satisfied
    assert len(found.classes) == len(found.solution.after)
    assert int(found.classes.reference.sum()) == len(FRAME)  # Q is that of all records


def test_hidden_values_are_empty_cells_and_all_records_stay() -> None:
    found = ANSWERS["hiding"]()
    hidden = found.table["ill"] == ""
    assert hidden.sum() == found.objective > 0
    assert (found.table["ill"][~hidden] == FRAME["ill"][~hidden]).all()
    assert (found.table["age"] != "*").all()


def test_generalized_sensitive_values_are_nodes_above_their_own() -> None:
    found = ANSWERS["sensitive generalization"]()
    above = {"flu": {"lung", "*"}, "cough": {"lung", "*"}, "ulcer": {"stomach", "*"}, "reflux": {"stomach", "*"}}
    changed = found.table["ill"] != FRAME["ill"]
    assert changed.sum() == found.solution.generalized > 0
    assert all(
        shown in above[own] for shown, own in zip(found.table["ill"][changed], FRAME["ill"][changed], strict=True)
    )
    assert Counter(found.table["ill"][changed]) == found.solution.shown_as


def test_means_are_those_of_the_groups() -> None:
    found = ANSWERS["microaggregation"]()
    for shown, group in found.table.groupby("age"):
        assert Fraction(str(shown)) == Fraction(int(FRAME.loc[group.index, "age"].sum()), len(group)), shown


def test_two_tables_have_one_too() -> None:
    found = anatomy(TABLE, FrequencyLDiversity(2))
    assert found.table.index.equals(FRAME.index)
    assert list(found.table.columns) == ["age", "sex", "class"]
    assert found.losses()["discernibility"].value == sum(int(n) ** 2 for n in found.classes.class_sizes)
    assert found.record()["classes"] == len(found.classes)


def test_what_has_no_rows_says_how_to_have_them() -> None:
    classes = ClassCounts.from_mapping({"a": {"x": 5, "y": 2, "z": 1}})
    with pytest.raises(InputError, match=r"class counts were given.*give a Release"):
        optimal_suppression(classes, FrequencyLDiversity(2)).table  # type: ignore[union-attr]  # noqa: B018
    counted = FrequencySet.of(TABLE).project(["age", "sex"])
    with pytest.raises(TableError, match=r"its original is counts; count it by FrequencySet\.of\(table\)"):
        Release.full_domain(counted).table  # noqa: B018


def test_the_release_of_a_search_is_the_node_that_is_named() -> None:
    rolled = RollUp(FrequencySet.of(TABLE), HIERARCHIES)
    found = search_lattice(rolled, KAnonymity(3), ground="equal", wanted="all")
    with pytest.raises(InputError, match=r"nodes are listed \(.*\); name one: \.at\(node\)"):
        found.release  # noqa: B018
    for each in found.listed:
        assert len(found.at(each.node).classes) == each.classes
    with pytest.raises(InputError, match="no node satisfies"):
        search_lattice(rolled, KAnonymity(9), ground="equal").release  # noqa: B018
