"""Persons of several rows: sizes, k and ℓ count persons, against sets of persons that are counted by hand."""

from __future__ import annotations

import warnings
from collections import defaultdict
from fractions import Fraction
from random import Random

import numpy as np
import pandas as pd
import pytest

import tcloseness as tc
from tcloseness.errors import TableError, TableWarning

QI, VALUES = ["zip", "age"], ["flu", "cough", "cold"]


def table(random: Random) -> pd.DataFrame:
    rows = random.randint(1, 12)
    return pd.DataFrame(
        {
            "who": [random.choice("abcde") for _ in range(rows)],
            "zip": [random.choice(["47", "48"]) for _ in range(rows)],
            "age": [random.choice([1, 2]) for _ in range(rows)],
            "disease": [random.choice(VALUES) for _ in range(rows)],
            "job": [random.choice("xy") for _ in range(rows)],
        }
    )


def read(frame: pd.DataFrame, **more: object) -> tc.FrequencySet:
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", TableWarning)
        return tc.FrequencySet.from_frame(
            frame, quasi_identifiers=QI, sensitive=["disease", "job"], person="who", **more
        )


def classes_by_hand(frame: pd.DataFrame, sensitive: str) -> dict[tuple[object, ...], dict[str, set[str]]]:
    found: dict[tuple[object, ...], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for _, row in frame.iterrows():
        found[row["zip"], row["age"]][row[sensitive]].add(row["who"])
    return found


@pytest.mark.parametrize("seed", range(150))
def test_sizes_k_and_shares_count_persons(seed: int) -> None:
    frame = table(Random(seed))
    for sensitive in ("disease", "job"):
        by_hand = classes_by_hand(frame, sensitive)
        classes = read(frame).class_counts(sensitive)
        persons = {key: set.union(*values.values()) for key, values in by_hand.items()}
        assert {classes.label(g): int(classes.people[g]) for g in range(len(classes))} == {
            key: len(who) for key, who in persons.items()
        }
        for g in range(len(classes)):
            counts = {classes.domain.values[code]: n for code, n in classes.row(g).items()}
            assert counts == {value: len(who) for value, who in by_hand[classes.label(g)].items()}
        assert tc.KAnonymity().evaluate(classes).value == min(map(len, persons.values()))
        share = max(Fraction(len(who), len(persons[key])) for key, values in by_hand.items() for who in values.values())
        assert tc.AlphaKAnonymity().evaluate(classes).value == share
        assert tc.FrequencyLDiversity().evaluate(classes).value == 1 / share
        assert tc.DistinctLDiversity().evaluate(classes).value == min(map(len, by_hand.values()))


@pytest.mark.parametrize("seed", range(40))
def test_a_row_written_twice_and_the_order_of_rows_change_nothing(seed: int) -> None:
    random = Random(seed)
    frame = table(random)
    order = list(range(len(frame))) + [random.randrange(len(frame)) for _ in range(4)]
    random.shuffle(order)
    one, other = read(frame).class_counts("disease"), read(frame.iloc[order]).class_counts("disease")
    for name in ("starts", "values", "counts", "reference", "people"):
        assert np.array_equal(getattr(one, name), getattr(other, name)), name


@pytest.mark.parametrize("seed", range(40))
def test_where_each_person_has_one_row_persons_are_records(seed: int) -> None:
    frame = table(Random(seed))
    frame["who"] = range(len(frame))
    audit = tc.check(read(frame), k=2, frequency_l=2)
    rows = frame.drop(columns="who")
    plain = tc.check(
        tc.FrequencySet.from_frame(rows, quasi_identifiers=QI, sensitive=["disease", "job"]), k=2, frequency_l=2
    )
    assert audit.summary() == plain.summary()
    assert (audit.records, audit.status) == (plain.records, plain.status)


@pytest.mark.parametrize("seed", range(40))
def test_a_generalization_counts_the_persons_of_the_generalized_rows(seed: int) -> None:
    frame = table(Random(seed))
    hierarchy = tc.Hierarchy.prefixes(["47", "48"], name="zip")
    general = read(frame).generalize({"zip": hierarchy}, {"zip": 1}).class_counts("disease")
    direct = read(frame.assign(zip="4*")).class_counts("disease")
    assert np.array_equal(general.people, direct.people)
    assert np.array_equal(general.counts, direct.counts)


def repeated() -> pd.DataFrame:
    return pd.DataFrame({"who": ["a", "a", "b"], "zip": ["1", "2", "1"], "age": [1, 1, 1], "disease": VALUES})


def test_what_adds_up_records_refuses_persons_of_several_rows() -> None:
    roles = {"quasi_identifiers": ["zip"], "sensitive": "disease", "person": "who"}
    frequencies, rows = tc.FrequencySet.from_frame(repeated(), **roles), tc.Microdata.from_frame(repeated(), **roles)
    hierarchies = {"zip": tc.Hierarchy.prefixes(["1", "2"], name="zip")}
    classes = frequencies.class_counts()
    for call in (
        lambda: tc.RollUp(frequencies, hierarchies),
        lambda: tc.release.Release.full_domain(frequencies, hierarchies, {"zip": 1}),
        lambda: tc.mondrian(rows, tc.KAnonymity(2)),
        lambda: tc.optimal_partition(rows, tc.KAnonymity(2)),
        lambda: classes.merge([[0, 1]]),
    ):
        with pytest.raises(TableError, match="person"):
            call()


def test_a_column_of_weights_and_one_of_persons_exclude_each_other() -> None:
    with pytest.raises(TableError, match="name one of the two"):
        tc.FrequencySet.from_frame(repeated(), quasi_identifiers="zip", sensitive="disease", person="who", weight="age")


@pytest.mark.parametrize("name", ["id", "patient_id", "Patient ID", "person", "SSN", "subject no", "userID"])
def test_a_column_that_looks_like_an_identifier_and_repeats_is_warned_of(name: str) -> None:
    frame = repeated().rename(columns={"who": name})
    with pytest.warns(TableWarning, match="counts persons"):
        tc.FrequencySet.from_frame(frame, quasi_identifiers="zip", sensitive="disease")
    tc.FrequencySet.from_frame(frame, quasi_identifiers="zip", sensitive="disease", person=name)


@pytest.mark.parametrize("name", ["idea", "age", "paid", "bid", "personality", "video"])
def test_another_column_is_not(name: str) -> None:
    frame = repeated().rename(columns={"who": name}).drop(columns="age", errors="ignore")
    tc.FrequencySet.from_frame(frame, quasi_identifiers="zip", sensitive="disease")


def test_a_suppressed_person_of_several_rows_is_one() -> None:
    rows = [("ann", "*", "*", "flu", "x"), ("ann", "*", "*", "cold", "x"), ("bob", "47", 1, "flu", "y")]
    frame = pd.DataFrame(rows, columns=["who", *QI, "disease", "job"])
    assert read(frame, suppressed="*").class_counts("disease").suppressed == 1
