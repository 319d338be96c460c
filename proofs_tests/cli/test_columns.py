"""``tcloseness columns`` says what `tcloseness.columns` says, of every source and with every option."""

from __future__ import annotations

import pandas as pd
import pytest
from jsonschema import Draft202012Validator

import tcloseness as tc
from proofs_tests.cli.commands import run

ROWS = "name,age,sex,zip,n\nA,30,f,1,2\nB,30,f,2,1\nC,40,f,1,1\nD,40,m,1,3\nE,,m,?,1\n"
KEYS = ("--missing", "category", "--identifying", "name", "--weight", "n")


@pytest.fixture
def table(tmp_path):
    file = tmp_path / "people.csv"
    file.write_text(ROWS, encoding="utf-8")
    return str(file)


def in_python(table, **asked):
    return tc.columns(table, missing="category", identifying=["name"], weight="n", **asked)


def test_json_is_what_python_returns_and_keeps_to_its_schema(table):
    answer = run("columns", table, *KEYS, "--format", "json")
    assert (answer.code, answer.err) == (0, "")
    assert answer.record == in_python(table).to_dict()
    Draft202012Validator(tc.attacks.Columns.schema()).validate(answer.record)


@pytest.mark.parametrize(
    ("words", "asked"),
    [
        (("-q", "age,zip"), {"quasi_identifiers": ["age", "zip"]}),
        (("-q", "age", "-q", "zip"), {"quasi_identifiers": ["age", "zip"]}),
        (("--up-to", "1"), {"up_to": 1}),
        (
            ("--key-set", "neighbour=age,sex", "--key-set", "postman=zip"),
            {"quasi_identifiers": {"neighbour": ["age", "sex"], "postman": ["zip"]}},
        ),
        (("--missing-text", "?"), {"missing_texts": ["", "?"]}),
        (("--most-sets", "7"), {"most_sets": 7}),
    ],
)
def test_options_mean_what_they_mean_in_python(table, words, asked):
    assert run("columns", table, *KEYS, *words, "--format", "json").record == in_python(table, **asked).to_dict()


def test_text_says_the_answer_first_and_what_was_assumed_and_no_value(table):
    answer = run("columns", table, *KEYS)
    lines = answer.out.splitlines()
    assert " ".join(" ".join(lines).split()).startswith(in_python(table).explain())
    assert "With each row as one record" in answer.out
    for word in ("column (all columns)", "set of columns", "assumed", "8 records", "of up to 3 columns"):
        assert word in answer.out
    assert not {"f", "m", "30", "40", "A", "B"} & set(answer.out.replace(",", " ").split())


def test_every_set_is_written_as_csv_and_no_file_is_replaced_unasked(table, tmp_path):
    file = tmp_path / "sets.csv"
    assert run("columns", table, *KEYS, "--output", str(file)).code == 0
    written = pd.read_csv(file)
    assert written["columns"].tolist() == in_python(table).to_frame()["columns"].tolist()
    assert written["uniques"].tolist() == in_python(table).to_frame()["uniques"].tolist()
    refused = run("columns", table, *KEYS, "--output", str(file))
    assert (refused.code, str(file) in refused.err) == (2, True)
    assert run("columns", table, *KEYS, "--output", str(file), "--force").code == 0


def test_standard_input_and_other_separators_are_read(table, tmp_path):
    other = tmp_path / "people.txt"
    other.write_text(ROWS.replace(",", ";"), encoding="utf-8")
    whole = in_python(table).to_dict()
    assert run("columns", str(other), "--separator", ";", *KEYS, "--format", "json").record == whole

    found = run("columns", "-", *KEYS, "--format", "json", stdin=ROWS.encode()).record
    assert found["key_sets"] == whole["key_sets"]


@pytest.mark.parametrize(
    ("words", "says"),
    [
        (("-q", "age", "--key-set", "a=zip"), "--quasi-identifiers and --key-set were given"),
        (("--key-set", "age,sex"), "--key-set 'age,sex' must be NAME=COLUMN,…"),
        (("--key-set", "a=age", "--key-set", "a=zip"), "--key-set names 'a' twice"),
        (("--key-set", "a="), "empty item"),
        (("-q", "height"), "'height'"),
        (("-q", "age,age"), "'age'"),
        (("--up-to", "0"), "up_to"),
        (("--most-sets", "2"), "sets"),
        (("--weight", "zip"), "zip"),
        (("--time-limit", "soon"), "not a number of seconds"),
    ],
)
def test_what_cannot_be_asked_is_refused_by_name(table, words, says):
    answer = run("columns", table, "--missing", "category", "--identifying", "name", *words)
    assert (answer.code, answer.out) == (2, "")
    assert says in answer.err
    assert "Traceback" not in answer.err


def test_missing_cells_are_refused_unless_it_is_said_what_they_mean(table):
    answer = run("columns", table)
    assert (answer.code, answer.out) == (2, "")
    assert "age" in answer.err


def test_no_time_is_no_verdict(table):
    answer = run("columns", table, *KEYS, "--time-limit", "0.000001")
    assert (answer.code, answer.out) == (3, "")
