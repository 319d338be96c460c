"""What is read off Anatomy's tables if records are drawn in order: against enumeration, and on Adult."""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path

import pandas as pd
import pytest

from experiments import adult
from proofs_tests.anonymize.drawn import drawing, in_order
from proofs_tests.cli.commands import run
from tcloseness.anonymize import anatomy
from tcloseness.attacks import consistent_originals, ordered_draw_attack
from tcloseness.attacks.disclosure import StatusCounts
from tcloseness.attacks.ordered_draws import in_order as in_form
from tcloseness.errors import InfeasibleError, NotReached, TableError
from tcloseness.microdata import Microdata, read_table
from tcloseness.models import FrequencyLDiversity


def drawn_in_order(table, l, categorical=()):  # noqa: E741
    with drawing(in_order(table)):
        return anatomy(table, FrequencyLDiversity(l), categorical=categorical)


@pytest.mark.parametrize("number", range(8))
def test_what_is_left_is_what_the_ordered_draw_leaves(number):
    """Each original is released again. Ten persons of different ages: what is left is exactly what is consistent."""
    rng = random.Random(f"ordered {number}")
    while True:
        ages, secret = rng.sample(range(40), 8), [rng.choice("aabbc") for _ in range(8)]
        frame = pd.DataFrame({"age": ages, "s": secret})
        table = Microdata.from_frame(frame, quasi_identifiers="age", sensitive="s")
        try:
            made = drawn_in_order(table, 2)
        except (NotReached, InfeasibleError):
            continue
        break
    shown = made.partition.class_of.tolist()

    def method(world):
        """The classes without their numbers, which say nothing of the order in which they were made."""
        classes = drawn_in_order(world, 2).partition.class_of.tolist()
        return [min(i for i, mine in enumerate(classes) if mine == group) for group in classes]

    exact = consistent_originals(table, method)
    found = ordered_draw_attack(made.quasi_identifier_table(order="input"), made.sensitive_table(), 2)
    assert found.contradiction is None
    assert [set(each) for each in found.left] == [set(each) for each in exact.beliefs]
    certain, alone = (exact.counts[name] for name in ("persons", "persons, by their class alone"))
    assert found.counts == {
        "persons": StatusCounts(
            certain.certain, 0, certain.possible
        ),  # that a value is left is no proof that it can be
        "persons, by their class alone": alone,
    }
    for fact in json.loads(json.dumps(found.certificate()))["facts"]:
        assert fact["values"] == [secret[int(fact["subject"].removeprefix("row "))]]
    assert Counter(shown).most_common(1)[0][1] <= 3


@pytest.mark.parametrize(
    ("people", "values", "words"),
    [
        ({"age": [1, 2]}, {"class": [0], "s": ["a"], "count": [1]}, "the tables have 1 and 3 columns"),
        ({"age": [1, 2], "class": [0, 0]}, {"class": [0], "s": ["a"], "count": [2]}, "has a value twice"),
        ({"age": [1, 2], "class": [0, 1]}, {"class": [0, 0], "s": ["a", "b"], "count": [1, 1]}, "have other classes"),
        (
            {"age": [1, 2, 3], "class": [0] * 3},
            {"class": [0, 0], "s": ["a", "b"], "count": [1, 1]},
            "numbers of records",
        ),
        ({"age": [1, 2], "class": [0, 0]}, {"class": [0, 0], "s": ["a", None], "count": [1, 1]}, "value is absent"),
        ({"age": [], "class": []}, {"class": [], "s": [], "count": []}, "have no row"),
        *(
            ({"age": [1, 2], "class": [0, 0]}, {"class": [0, 0], "s": ["a", "b"], "count": [1, odd]}, r"time\(s\)")
            for odd in (0, -1, 1.5, float("nan"), float("inf"), None, pd.NA, True, "", "one", [1])
        ),
    ],
)
def test_other_tables_are_named(people, values, words):
    with pytest.raises(TableError, match=words):
        ordered_draw_attack(pd.DataFrame(people), pd.DataFrame(values), 2)


CELLS = {
    "whole numbers, one absent": pd.array([2, 9, 10, 11, 23, 100, None, 7], dtype="Int64"),
    "doubles, one absent": [2.5, 9, 10, 11, 23, 100, None, 7],
    "numbers as texts": ["2", "9", "10", "11", "23", "100", "12.5", "7.5"],
    "numbers as texts, one absent": ["2", "9", "10", "11", "23", "100", None, "7"],
    "numbers and texts": ["2", "9", "10", "11", "23", "100", "unknown", "7"],
    "objects of several types": pd.Series([2, "9", 10, True, 23, "a", None, 7.5], dtype=object),
    "dates, one absent": [*pd.date_range("2020-01-01", periods=7, freq="40D"), None],
    "truth values and an absent one": pd.array([True, False, None, True, False, None, True, False], dtype="boolean"),
}


@pytest.mark.parametrize("cells", CELLS.values(), ids=list(CELLS))
@pytest.mark.parametrize("kind", ["ill", "number"])
def test_values_are_in_the_order_in_which_the_method_has_them(cells, kind, tmp_path):
    """Else the attack would be certain of values that nobody has; and so of files that the command line reads."""
    ill = [*"aabbcabc"] if kind == "ill" else [9, 9, 10, 10, 8, 9, 10, 8]
    for number in range(6):
        order = random.Random(f"kinds {number}").sample(range(8), 8)
        frame = pd.DataFrame({"of": pd.Series(cells).iloc[order].reset_index(drop=True), "s": ill})
        for read in (False, True):
            if read:
                frame.to_csv(tmp_path / "table.csv", index=False)
                frame = read_table(str(tmp_path / "table.csv"))
            table = Microdata.from_frame(frame, quasi_identifiers="of", sensitive="s", missing="category")
            made = drawn_in_order(table, 2, ["of"])
            people, values = made.quasi_identifier_table(order="input"), made.sensitive_table()
            found = ordered_draw_attack(people, values, 2)
            assert found.contradiction is None
            truth = table.sensitive[0]
            for left, code in zip(found.left, truth.codes.tolist(), strict=True):
                assert truth.domain.values[code] in left
            alike = in_form(people, values)
            assert [len(each) for each in ordered_draw_attack(*alike, 2).left] == [len(each) for each in found.left]


@pytest.mark.parametrize("l", range(1, 6))
def test_a_number_of_values_by_which_no_tables_are_made_so_is_a_contradiction(l):  # noqa: E741
    """Classes {a, b}, {a}, {a} are in no tables that Anatomy draws, whatever l is."""
    people = pd.DataFrame({"age": [1, 2, 3, 4], "class": [0, 0, 1, 2]})
    values = pd.DataFrame({"class": [0, 0, 1, 2], "s": list("abaa"), "count": 1})
    found = ordered_draw_attack(people, values, l)
    assert found.contradiction is not None
    assert [set(each) for each in found.left] == [{"a", "b"}, {"a", "b"}, {"a"}, {"a"}]
    assert found.counts == {
        "persons": StatusCounts(2, 0, 2),
        "persons, by their class alone": StatusCounts(2, 2),
    }


def test_categories_that_no_record_has_change_nothing():
    people = pd.DataFrame({"age": [1, 2, 3, 4], "class": [0, 1, 1, 0]})
    values = pd.DataFrame({"class": [0, 0, 1, 1], "s": ["cold", "flu", "flu", "gout"], "count": 1})
    same = values.assign(s=pd.Categorical(values["s"], ["", "cold", "cough", "flu", "gout", "hiv"]))
    assert ordered_draw_attack(people, same, 2).left == ordered_draw_attack(people, values, 2).left


NAMES = ["age", "workclass", "education", "marital-status", "race", "sex", "native-country"]


@pytest.mark.slow
def test_on_adult_nearly_everything_is_read_off_if_records_are_drawn_in_order_and_nothing_else(tmp_path):
    """By the function and by the command, of two files: 29,983 of 30,162 at ℓ = 3 with seven
    quasi-identifiers, all of them right and each proved by the certificate; of the shipped draws nothing.

    The page says so too.
    """
    page = Path(__file__).resolve().parents[2] / "docs" / "secret_draws.md"
    assert "29,983 of 30,162 occupations" in " ".join(page.read_text(encoding="utf-8").split())
    rows = adult.load("train-complete")
    table = Microdata.from_frame(rows, quasi_identifiers=NAMES, sensitive="occupation")
    made = drawn_in_order(table, 3)
    people, values = made.quasi_identifier_table(order="input"), made.sensitive_table()
    found = ordered_draw_attack(people, values, 3, by_rows=True)
    truth = rows["occupation"].tolist()
    assert all(value in left for value, left in zip(truth, found.left, strict=True))
    assert found.counts["persons"].certain == 29_983
    quasi, sensitive = tmp_path / "quasi.csv", tmp_path / "values.csv"
    people.to_csv(quasi, index=False)
    values.to_csv(sensitive, index=False)
    roles = ("-q", ",".join(NAMES), "-s", "occupation", "--level", "code", "--frequency-l", "3", "--by-rows")
    files, proof = (str(quasi), "--sensitive-table", str(sensitive)), str(tmp_path / "proof.json")
    answer = run("attack", *files, *roles, "--certificate", proof, "--format", "json")
    assert answer.code == 0, answer.err
    assert answer.record["counts"]["persons"]["certain"] == 29_983
    checked = run("verify", proof, "--table", *files, "--format", "json")
    assert checked.code == 0, checked.err
    assert checked.record["certificates"][0]["found"].startswith("the value of 29,983 persons of 30,162 is certain")
    shipped = anatomy(table, FrequencyLDiversity(3))
    for by_rows in (True, False):
        read = ordered_draw_attack(
            shipped.quasi_identifier_table(order="input"), shipped.sensitive_table(), 3, by_rows=by_rows
        )
        assert read.contradiction is not None
        assert not read.succeeds
