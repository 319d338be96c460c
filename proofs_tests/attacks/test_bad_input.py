"""One table of invalid arguments: each is refused by name, with the way out."""

from __future__ import annotations

from fractions import Fraction

import pandas as pd
import pytest

from proofs_tests.attacks.papers import diseases
from tcloseness.attacks import (
    LinkedRelease,
    Person,
    Population,
    background_knowledge_attack,
    complementary_release_attack,
    homogeneity_attack,
    known_persons_attack,
    minimality_attack,
    narrow_range_attack,
    observed_beliefs,
    similarity_attack,
    skewness_attack,
)
from tcloseness.errors import DomainError, HierarchyError, InputError, MassError, TableError, TClosenessError
from tcloseness.microdata import ClassCounts, FrequencySet, Hierarchy
from tcloseness.models import KAnonymity

CLASSES = ClassCounts.from_mapping({"a": {"flu": 1, "hiv": 1}, "b": {"flu": 2}})
NUMBERS = ClassCounts.from_mapping({"a": {1: 1, 2: 1}, "b": {3: 2}})
ONE = LinkedRelease(CLASSES, {"Ann": "a"})
F = Population.from_mapping({"a": {"flu": 1, "hiv": 1}, "b": {"flu": 1}})
BELIEFS = observed_beliefs(F, CLASSES)
RARE = Population.from_mapping({"a": {"flu": 1}, "c": {"hiv": 1}, "d": {"flu": 1}})
RARE_BELIEFS = observed_beliefs(
    RARE, ClassCounts.from_mapping({"x": {"flu": 1}}), blocks={"a": "x", "c": "x", "d": "y"}
)
TABLE = FrequencySet.from_frame(
    pd.DataFrame({"q": ["a", "a", "b"], "s": ["x", "y", "x"]}), quasi_identifiers="q", sensitive="s"
)
UP = {"q": Hierarchy.suppression("ab")}

SIZES = FrequencySet.from_frame(pd.DataFrame({"q": list("aab")}), quasi_identifiers="q").class_counts()
PERSONS = FrequencySet.from_frame(
    pd.DataFrame({"who": list("aab"), "q": list("xxx"), "s": list("pqp")}),
    quasi_identifiers="q",
    sensitive="s",
    person="who",
).class_counts()
NO_VALUES, NO_RECORDS = "values of a sensitive attribute, and the table has none", "adds up records, and here persons"

BAD = [
    ("no values of one kind", lambda: homogeneity_attack(SIZES), TableError, NO_VALUES),
    ("no values that are rare", lambda: skewness_attack(SIZES), TableError, NO_VALUES),
    ("no values to be excluded", lambda: background_knowledge_attack(SIZES, ["x"]), TableError, NO_VALUES),
    ("persons, and shares of records", lambda: skewness_attack(PERSONS), TableError, NO_RECORDS),
    ("persons, and records left", lambda: background_knowledge_attack(PERSONS, ["p"]), TableError, NO_RECORDS),
    ("persons as a population", lambda: Population.from_classes(PERSONS), TableError, NO_RECORDS),
    ("persons of a linked release", lambda: LinkedRelease(PERSONS, {}), TableError, NO_RECORDS),
    ("no population", lambda: Population.from_mapping({}), MassError, "population is empty"),
    ("negative share", lambda: Population.from_mapping({"a": {"x": -1, "y": 2}}), MassError, "negative"),
    ("not a third", lambda: Population.from_mapping({"a": {"x": 0.333, "y": 0.5}}), MassError, "must sum to 1"),
    ("nobody with q", lambda: Population.from_mapping({"a": {"x": 0}}), MassError, "undefined"),
    ("not a number", lambda: Population.from_mapping({"a": {"x": "many"}}), InputError, "not a number"),
    ("q twice", lambda: Population.from_mapping({(1,): {"x": 1}, 1: {"x": 1}}), DomainError, "twice"),
    ("q too short", lambda: Population.from_mapping({("a", 1): {"x": 1}, "b": {"x": 1}}), DomainError, "one value"),
    ("unknown q", lambda: F.conditional("z"), DomainError, "nobody in the population has 'z'"),
    ("unknown attribute", lambda: F.blocks({}, {"z": 1}), TableError, "not a quasi-identifier"),
    ("no hierarchy", lambda: F.blocks({}, {"q": 1}), TableError, "no hierarchy is given"),
    ("level too high", lambda: F.blocks({"q": Hierarchy.suppression("ab")}, {"q": 2}), HierarchyError, "levels 0 to 1"),
    ("f(s|q*) = 0 < n", lambda: observed_beliefs(RARE, CLASSES), MassError, "0 < n"),
    (
        "value unknown to f",
        lambda: observed_beliefs(F, ClassCounts.from_mapping({"a": {"ebola": 1}})),
        MassError,
        "'ebola'",
    ),
    (
        "no q of the release",
        lambda: observed_beliefs(F, CLASSES, blocks={"a": "z", "b": "z"}),
        MassError,
        "blocks must name the release's classes",
    ),
    (
        "q without block",
        lambda: observed_beliefs(F, CLASSES, blocks={"a": "a"}),
        TableError,
        "what .*'b'.* generalizes to",
    ),
    (
        "block of nobody",
        lambda: observed_beliefs(F, CLASSES, blocks={"a": "a", "b": "b", "z": "a"}),
        TableError,
        "nobody in the population",
    ),
    ("impossible q", lambda: RARE_BELIEFS.about("c"), DomainError, "probability 0"),
    ("unreleased q", lambda: RARE_BELIEFS.about("d"), DomainError, "no released class"),
    (
        "unreleased q of a table as it is",
        lambda: observed_beliefs(F, ClassCounts.from_mapping({"b": {"flu": 1}})).about("a"),
        DomainError,
        "no released class",
    ),
    ("delta 0", lambda: BELIEFS.positive_disclosures(0), InputError, "delta = 0"),
    ("epsilon 2", lambda: BELIEFS.negative_disclosures(2), InputError, "epsilon = 2"),
    ("rho in the wrong order", lambda: BELIEFS.breaches("3/4", "3/8"), InputError, "0 < rho1 < rho2 < 1"),
    ("rho 0", lambda: BELIEFS.breaches(0, "3/8"), InputError, "0 < rho1"),
    ("share of a half", lambda: homogeneity_attack(CLASSES, share="1/2"), InputError, "> 1/2"),
    ("share above 1", lambda: homogeneity_attack(CLASSES, share=2), InputError, "≤ 1"),
    ("text for values", lambda: background_knowledge_attack(CLASSES, "flu"), InputError, "give a list"),
    (
        "unknown value",
        lambda: background_knowledge_attack(CLASSES, ["Flu"]),
        DomainError,
        "looks the same and is another value",
    ),
    ("fewer than one", lambda: background_knowledge_attack(CLASSES, fewer_than=1), InputError, "fewer_than = 1"),
    (
        "unknown column",
        lambda: background_knowledge_attack(CLASSES, where={"age": {1: ["flu"]}}),
        TableError,
        "not a quasi-identifier",
    ),
    (
        "unknown label",
        lambda: background_knowledge_attack(CLASSES, where={"class": {"z": ["flu"]}}),
        DomainError,
        "'z' is not in the domain",
    ),
    ("nobody sought", lambda: known_persons_attack(CLASSES, {}), InputError, "no person is given"),
    ("unknown class", lambda: known_persons_attack(CLASSES, {"Bob": Person("z")}), DomainError, "does not have"),
    ("text for excluded", lambda: Person("a", "flu"), InputError, "give a list"),
    ("no value of interest", lambda: skewness_attack(CLASSES, []), InputError, "no value of interest"),
    ("text of interest", lambda: skewness_attack(CLASSES, "flu"), InputError, "give a list"),
    ("value of no interest", lambda: skewness_attack(CLASSES, ["ebola"]), DomainError, "'ebola' is not in"),
    ("unknown order", lambda: skewness_attack(CLASSES, by="rise"), InputError, "'rise' is unknown"),
    ("ratio below 1", lambda: skewness_attack(CLASSES, ratio="1/2"), InputError, "ratio = 1/2"),
    ("negative difference", lambda: skewness_attack(CLASSES, difference=-1), InputError, "difference = -1"),
    ("top 0", lambda: skewness_attack(CLASSES, top=0), InputError, "top = 0"),
    ("groups overlap", lambda: similarity_attack(CLASSES, {"g": ["flu"], "h": ["flu"]}), DomainError, "not overlap"),
    ("no value in a group", lambda: similarity_attack(CLASSES, {"g": ["Flu"]}), DomainError, "no group holds"),
    ("a group is a text", lambda: similarity_attack(CLASSES, {"g": "flu"}), InputError, "list its values"),
    ("level with groups", lambda: similarity_attack(CLASSES, {"g": ["flu"]}, level=1), InputError, "hierarchy"),
    ("level of the root", lambda: similarity_attack(CLASSES, diseases(), level=3), HierarchyError, "from 1 to 2"),
    ("level 0", lambda: similarity_attack(CLASSES, diseases(), level=0), HierarchyError, "from 1 to 2"),
    ("level True", lambda: similarity_attack(CLASSES, diseases(), level=True), HierarchyError, "level True"),
    ("value not covered", lambda: similarity_attack(CLASSES, diseases(), level=1), HierarchyError, "does not cover"),
    ("whole range", lambda: narrow_range_attack(NUMBERS, at_most=1), InputError, "less than 1"),
    ("negative range", lambda: narrow_range_attack(NUMBERS, at_most=-1), InputError, "at_most = -1"),
    ("no numbers", lambda: narrow_range_attack(CLASSES, at_most=0), DomainError, "needs numbers"),
    ("no order", lambda: narrow_range_attack(CLASSES, at_most=0, scale="rank"), DomainError, "declare the order"),
    ("unknown scale", lambda: narrow_range_attack(NUMBERS, at_most=0, scale="log"), InputError, "'log' is unknown"),
    (
        "one value",
        lambda: narrow_range_attack(ClassCounts.from_mapping({"a": {1: 1}}), at_most=0),
        DomainError,
        "range is 0",
    ),
    ("one release", lambda: complementary_release_attack([ONE]), TableError, "at least two"),
    (
        "nobody in two",
        lambda: complementary_release_attack([ONE, LinkedRelease(CLASSES, {"Bob": "b"})]),
        TableError,
        "nothing can be linked",
    ),
    ("unknown member", lambda: LinkedRelease(CLASSES, {"Ann": "z"}), DomainError, "does not have"),
    ("too many members", lambda: LinkedRelease(CLASSES, dict.fromkeys("xyz", "a")), TableError, "has 2 records"),
    ("no threshold", lambda: minimality_attack(TABLE, UP, {"q": 1}, KAnonymity()), InputError, "give the threshold"),
    ("node violates", lambda: minimality_attack(TABLE, UP, {"q": 0}, KAnonymity(2)), InputError, "is violated"),
    ("no such level", lambda: minimality_attack(TABLE, UP, {"q": 2}, KAnonymity(2)), HierarchyError, "levels 0 to 1"),
    ("negative level", lambda: minimality_attack(TABLE, UP, {"q": -1}, KAnonymity(2)), InputError, "level of 'q'"),
    (
        "no such column",
        lambda: minimality_attack(TABLE, UP, {"z": 1}, KAnonymity(2)),
        TableError,
        "not a quasi-identifier",
    ),
    ("no hierarchy for it", lambda: minimality_attack(TABLE, {}, {"q": 1}, KAnonymity(2)), TableError, "no hierarchy"),
]


@pytest.mark.parametrize(("call", "error", "message"), [b[1:] for b in BAD], ids=[b[0] for b in BAD])
def test_bad_input_is_refused_with_a_named_error(call, error, message):
    with pytest.raises(error, match=message) as caught:
        call()
    assert isinstance(caught.value, TClosenessError)


def test_values_of_different_kinds_stay_apart():
    """1, "1" and True are three values, as labels and as sensitive values; 1 and 1.0 are one."""
    f = Population.from_mapping({1: {"x": 1, 1: 1}, "1": {"y": 1, "1": 1}, (True,): {"z": 1, True: 1}})
    assert len(f) == 3
    assert len(f.domain) == 6
    assert set(f.conditional(1.0)) == {"x", 1}
    assert set(f.conditional("1")) == {"y", "1"}
    assert set(f.conditional(True)) == {"z", True}


def test_missing_values_are_one_sensitive_value():
    """None and NaN both mean an empty cell, so their masses add up."""
    f = Population.from_mapping({"a": {None: 1, float("nan"): 2, "x": 3}})
    assert list(f.conditional("a").values()) == [Fraction(1, 2), Fraction(1, 2)]
