"""Whatever takes class counts either counts persons or refuses to add them up as records; none counts pairs as records.

In the class ``p`` three persons have five pairs of person and value; a number above 3 would be one of pairs.
"""

from __future__ import annotations

import importlib
import inspect
import io
import json
import re
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pandas as pd
import pytest
from rich.console import Console

import tcloseness as tc
from tcloseness import attacks, loss, models, optimal
from tcloseness.attacks.similarity import narrow_range_attack, similarity_attack
from tcloseness.errors import TableError
from tcloseness.models.presence import PopulationCounts
from tcloseness.report.html import page
from tcloseness.report.redaction import redacted
from tcloseness.report.text import print_audit

ROWS = [
    ("a", "p", 1),
    ("a", "p", 2),
    ("b", "p", 1),
    ("b", "p", 3),
    ("c", "p", 1),
    ("d", "q", 2),
    ("e", "q", 3),
    ("a", "q", 3),
]
FRAME = pd.DataFrame(ROWS, columns=["who", "zip", "value"])
ROLES = {"quasi_identifiers": "zip", "sensitive": "value", "person": "who"}
FREQUENCIES = tc.FrequencySet.from_frame(FRAME, **ROLES)
CLASSES = FREQUENCIES.class_counts()
HIERARCHY = tc.Hierarchy.suppression([1, 2, 3])
ZIPS = {"zip": tc.Hierarchy.suppression(["p", "q"], name="zip")}
PLAIN = tc.ClassCounts.from_mapping({"p": {1: 3, 2: 1}, "q": {2: 2, 3: 1}})

REFUSES: dict[str, Callable[[], Any]] = {
    "LinkedRelease.__init__": lambda: attacks.LinkedRelease(CLASSES, {}),
    "Population.from_classes": lambda: attacks.Population.from_classes(CLASSES),
    "background_knowledge_attack": lambda: attacks.background_knowledge_attack(CLASSES, [1]),
    "damaging_knowledge": lambda: attacks.damaging_knowledge(CLASSES),
    "known_persons_attack": lambda: attacks.known_persons_attack(CLASSES, {"x": attacks.Person("p")}),
    "observed_beliefs": lambda: attacks.observed_beliefs(attacks.Population.from_classes(PLAIN), CLASSES),
    "skewness_attack": lambda: attacks.skewness_attack(CLASSES),
    "minimality_attack": lambda: attacks.minimality_attack(FREQUENCIES, ZIPS, {"zip": 1}, tc.KAnonymity(2)),
    "ClassificationMetric.evaluate": lambda: loss.ClassificationMetric().evaluate(CLASSES),
    "NTCloseness.evaluate": lambda: tc.NTCloseness(2, "1/2", ground="equal").evaluate(CLASSES),
    "TrackedRelease.__init__": lambda: models.TrackedRelease(CLASSES, {}),
    "optimal_suppression": lambda: optimal.optimal_suppression(CLASSES, tc.KAnonymity(2)),
    "optimal_hiding": lambda: optimal.optimal_hiding(CLASSES, tc.FrequencyLDiversity(2)),
    "optimal_sensitive_generalization": lambda: optimal.optimal_sensitive_generalization(
        CLASSES, tc.TCloseness("1/5", ground="equal"), HIERARCHY
    ),
    "RollUp.__init__": lambda: tc.RollUp(FREQUENCIES, ZIPS),
    "Release.full_domain": lambda: tc.Release.full_domain(FREQUENCIES, ZIPS, {"zip": 1}),
}

OF_RELEASES = {name for name in loss.__all__ if name not in ("ClassificationMetric",)}
"""Losses that take releases, whose records are persons, or count the classes' sizes; tried below."""

PERSONS = {
    *("homogeneity_attack", "similarity_attack", "narrow_range_attack", "losses", "PopulationCounts.by_label"),
    *(f"{model.__name__}.evaluate" for model in (*models.catalogue.MODELS,) if model is not tc.NTCloseness),
    *("Combination.evaluate", "PopulationCounts.over"),
}

OF_SHARES = {"class_distances", *(f"{n}.per_class" for n in ("ChiSquare", "Hellinger", "JensenShannon"))}
OF_SHARES |= {"ByWeights.__init__", "ByWeights.evaluate"}
OF_SHARES |= {"KullbackLeibler.per_class", "Ratio.per_class", "BoundMeasure.per_class", "PrivacyModel.evaluate"}

RESULTS = {"ObservedBeliefs", "Specialization", "Suppression", "Hiding", "SensitiveGeneralization"}
RESULTS |= {
    "AttackResult",
    "DamagingKnowledge",
    "Finding",
    "LabelDisclosure",
    "PersonInference",
    "PersonsAttack",
    "SkewFinding",
}
RESULTS |= {"ModelResult", "superset_map", "RollUp.suppressed", "population_counts"}
"""What is made of class counts that were counted before, or only names the classes."""


def takes_class_counts() -> set[str]:
    found = set()
    for room in (name for name, home in tc._HOME.items() if home == "tcloseness"):
        module = importlib.import_module(f"tcloseness.{room}")
        for name in module.__all__:
            thing = getattr(module, name)
            members = {name: thing} if inspect.isfunction(thing) else {}
            if inspect.isclass(thing):
                for key, member in vars(thing).items():
                    if key == "__init__" or not key.startswith("_"):
                        members[f"{name}.{key}"] = getattr(member, "__func__", member)
            for key, function in members.items():
                texts = getattr(function, "__annotations__", {}) if callable(function) else {}
                if any(re.search(r"\b(ClassCounts|Source)\b", str(t)) for n, t in texts.items() if n != "return"):
                    found.add(key)
    return found


def test_each_function_of_class_counts_says_what_it_does_with_persons() -> None:
    known = {*REFUSES, *PERSONS, *OF_SHARES, *RESULTS}
    unknown = {each for each in takes_class_counts() if not {each, each.split(".")[0]} & {*known, *OF_RELEASES}}
    assert not unknown


@pytest.mark.parametrize("name", REFUSES)
def test_what_adds_up_records_refuses_persons_by_name(name: str) -> None:
    with pytest.raises(TableError, match=r"adds up records.*one row a person"):
        REFUSES[name]()


def test_a_union_of_classes_of_persons_is_refused() -> None:
    with pytest.raises(TableError, match="a union of classes adds up records"):
        CLASSES.merge([[0, 1]])


def test_attacks_count_persons() -> None:
    found = attacks.homogeneity_attack(CLASSES)
    assert found.records == 3
    assert "3 of 6 persons" in found.sentence
    likely = attacks.homogeneity_attack(CLASSES, share="2/3")
    assert [each.sentence.count("persons do") for each in likely.findings] == [0, 1]
    groups = {"low": [1, 2, 3]}
    for attack in (similarity_attack(CLASSES, groups), narrow_range_attack(CLASSES, at_most="1/2")):
        assert attack.records == sum(each.records for each in attack.findings)
        assert all(each.records == 3 for each in attack.findings), attack.attack


def test_models_count_persons() -> None:
    population = PopulationCounts.by_label(CLASSES, {"p": 4, "q": 6})
    found = tc.DeltaPresence(population).evaluate(CLASSES)
    assert found.value == Fraction(3, 4)
    same = PopulationCounts.by_label(CLASSES, CLASSES)
    assert tc.DeltaPresence(same).evaluate(CLASSES).value == 1
    least = models.NegativeDisclosure(protected=[3], unit="fraction").evaluate(CLASSES)
    assert least.value == Fraction(1, 3)
    assert all(n <= 6 for n in [r.records_at_risk for a in audit().attributes for r in a.results])


def test_losses_count_persons() -> None:
    found = loss.losses(CLASSES)
    assert found["discernibility"].value == 18
    assert found["average class size"].value == 3
    assert found["maximal re-identification risk"].value == Fraction(1, 3)
    assert "classification metric" not in found


def audit() -> tc.Audit:
    return tc.check(FREQUENCIES, k=4, entropy_l=3, recursive=(1, 2), alpha="1/2", t="1/10", ground={"value": "equal"})


def numbers_above(text: str, most: int) -> list[str]:
    """Return the numbers of records or persons in a text that are above the number of persons."""
    found = re.findall(r"(\d+)(?: of \d+)? (?:record|person)s?\b|(?:of )(\d+) (?:record|person)s?\b", text)
    return [number for pair in found for number in pair if number and int(number) > most]


@pytest.mark.long
@pytest.mark.parametrize("hide", [False, True])
def test_reports_speak_of_persons_and_never_of_more_than_there_are(hide: bool) -> None:
    found = redacted(audit()) if hide else audit()
    console = Console(width=160, record=True, file=io.StringIO())
    print_audit(found, console)
    html = page(found, table="t.csv")
    for text in (console.export_text(), re.sub(r"<[^>]*>", " ", html)):
        assert not numbers_above(text, 6)
        assert "6 persons in 2 classes" in text
        assert re.search(r"worst class\s+persons\s|its persons", text)
        assert not re.search(r"worst class\s+records|its records|records\s+at risk", text)
        assert "pairs of a person and a value" in " ".join(text.split())
    answer = json.dumps(found.to_dict())
    assert found.answer()["records"] == 6
    assert '"skewness"' in answer
    assert not [
        int(n) for n in re.findall(r'"(?:records|records_at_risk|released_records)": (\d+)', answer) if int(n) > 6
    ]
    assert {entry.quantity for entry in found.undefined} >= {"skewness", "classification metric"}


def test_a_value_that_all_persons_of_a_class_have_is_certain_whatever_else_they_have() -> None:
    from tcloseness.report.findings import findings

    found = findings(CLASSES)
    assert (found.certain_classes, found.certain_records) == (1, 3)
    assert found.surest.prior == Fraction(3, 6)


def test_a_person_of_no_name_is_nobody() -> None:
    frame = FRAME.assign(who=["a", None, "b", "b", "c", "d", "e", "a"])
    for missing in ("error", "category"):
        with pytest.raises(TableError, match="missing value"):
            tc.FrequencySet.from_frame(frame, **ROLES, missing=missing)
    assert tc.FrequencySet.from_frame(frame, **ROLES, missing="drop").dropped == 1


def test_persons_of_one_row_each_are_records_for_every_verb() -> None:
    frame = FRAME.assign(who=range(8))
    table = tc.Table(frame, hierarchies=ZIPS, ground="equal", **ROLES)
    plain = tc.Table(
        frame.drop(columns="who"), hierarchies=ZIPS, ground="equal", quasi_identifiers="zip", sensitive="value"
    )
    assert [each.node for each in table.search(k=4).listed] == [each.node for each in plain.search(k=4).listed]
    assert table.optimal("suppression", k=4).objective == plain.optimal("suppression", k=4).objective
    assert "each has one row" in table.microdata.conventions["persons"]
