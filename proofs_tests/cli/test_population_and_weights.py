"""``tcloseness check`` with a table of the population, and with survey weights; every JSON answer is validated."""

from __future__ import annotations

from fractions import Fraction

import pytest

from proofs_tests.cli.commands import run
from proofs_tests.cli.test_check import result, table  # noqa: F401  (a fixture)

RELEASED = "age,sex,ill\n20-29,f,flu\n20-29,f,cold\n30-39,*,flu\n30-39,*,flu\n"
PEOPLE = "age,sex\n21,f\n22,f\n25,f\n23,m\n31,f\n38,m\n44,m\n"
SAMPLE = "q,ill,w\na,flu,775.16\na,hiv,775.16\nb,flu,1550.32\nb,hiv,258.386666\n"
WORDS = ("--quasi-identifiers", "age,sex", "--sensitive", "ill", "--format", "json")


@pytest.mark.parametrize(("k", "code", "status"), [("2", 0, "satisfied"), ("3", 1, "violated")])
def test_the_persons_that_fit_a_class_are_counted(table, k, code, status):  # noqa: F811
    """Three women are in their twenties, and two persons in their thirties."""
    people = table(PEOPLE, "people.csv")
    answer = run("check", table(RELEASED), *WORDS, "--population", people, "--k-map", k)
    assert answer.code == code
    found = result(answer.record, "k-map")
    assert (found["value"], found["threshold"], found["status"]) == ("2", k, status)
    assert found["conventions"]["population"] == "people.csv; 2 persons in no class"
    assert result(answer.record, "journalist risk")["value"] == "1/2"


def test_labels_of_a_hierarchy_are_read_with_it(table):  # noqa: F811
    tree = table("21,young,*\n22,young,*\n31,old,*\n", "age.csv")
    people = table("age\n21\n22\n22\n31\n", "people.csv")
    words = ("--quasi-identifiers", "age", "--sensitive", "ill", "--format", "json", "--population", people)
    released = table("age,ill\nyoung,flu\nyoung,cold\nold,flu\n")
    answer = run("check", released, *words, "--population-hierarchy", f"age={tree}")
    assert result(answer.record, "k-map")["value"] == "1"
    assert run("check", released, *words).code == 2


def test_what_makes_no_sense_without_a_population_is_named(table):  # noqa: F811
    for words in (("--k-map", "3"), ("--population-hierarchy", "age=a.csv")):
        answer = run("check", table(RELEASED), *WORDS, *words)
        assert (answer.code, f"{words[0]} is about a population" in answer.err) == (2, True)
    fewer = table("age,sex\n21,f\n31,f\n38,m\n", "people.csv")
    answer = run("check", table(RELEASED), *WORDS, "--population", fewer)
    assert (answer.code, "has 2 records and a population of 1" in answer.err) == (2, True)


def test_shares_go_by_survey_weights_and_records_by_rows(table):  # noqa: F811
    words = ("--quasi-identifiers", "q", "--sensitive", "ill", "--ground", "ill=equal", "--format", "json")
    answer = run("check", table(SAMPLE), *words, "--survey-weight", "w", "--k", "2", "--frequency-l", "2", "--t", "0.3")
    assert answer.code == 1
    of = {name: result(answer.record, name) for name in ("k-anonymity", "frequency l-diversity", "t-closeness")}
    assert [each["status"] for each in of.values()] == ["satisfied"] * 3
    a, b = Fraction("1550.32"), Fraction("258.386666")
    weighted = result(answer.record, "frequency l-diversity by weights")
    assert Fraction(weighted["value"]) == (a + b) / a
    assert (weighted["status"], weighted["records_at_risk"]) == ("violated", 2)
    far = result(answer.record, "t-closeness by weights")
    share = (Fraction("775.16") + a) / (2 * Fraction("775.16") + a + b)
    assert Fraction(far["value"]) == max(abs(share - Fraction(1, 2)), abs(share - a / (a + b)))


def test_without_thresholds_shares_are_measured_by_weights_too(table):  # noqa: F811
    words = ("--quasi-identifiers", "q", "--sensitive", "ill", "--format", "json")
    answer = run("check", table(SAMPLE), *words, "--survey-weight", "w")
    assert answer.code == 0
    assert result(answer.record, "distinct l-diversity by weights")["status"] == "measured"


@pytest.mark.parametrize(("reference", "far"), [("all", Fraction(5, 12)), ("released", Fraction(5, 21))])
def test_shares_by_weights_are_compared_with_those_of_the_records_that_are_named(table, reference, far):  # noqa: F811
    """The weights are 1 and 2 beside 3 and 1, and 5 of a record that is suppressed: hiv has 2/3, 3/7 or 3/12."""
    sample = table("q,ill,w\na,flu,1\na,hiv,2\nb,flu,3\nb,hiv,1\n*,cold,5\n")
    words = ("-q", "q", "-s", "ill", "--suppressed", "*", "--ground", "equal", "--t", "1/3", "--format", "json")
    answer = run("check", sample, *words, "--survey-weight", "w", "--reference", reference)
    assert Fraction(result(answer.record, "t-closeness by weights")["value"]) == far
    assert answer.code == (far > Fraction(1, 3))


def test_weights_that_cannot_be_read_or_go_with_others_are_named(table):  # noqa: F811
    words = ("--quasi-identifiers", "q", "--sensitive", "ill")
    answer = run("check", table(SAMPLE), *words, "--survey-weight", "w", "--weight", "w")
    assert (answer.code, "--survey-weight is of a table with a row a person" in answer.err) == (2, True)
    answer = run("check", table(SAMPLE.replace("1550.32", "many")), *words, "--survey-weight", "w")
    assert (answer.code, "row 3 holds 'many'" in answer.err) == (2, True)
    answer = run("check", table(SAMPLE), "-q", "q", "-s", "ill,w", "--survey-weight", "w")
    assert answer.code == 2
