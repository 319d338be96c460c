"""``tcloseness emd``: values, solvers, certificates, moves."""

from __future__ import annotations

import json
import re
from fractions import Fraction
from pathlib import Path

import pandas as pd
import pytest

import tcloseness as tc
from proofs_tests.cli.commands import EXAMPLE_EMD, HIERARCHY, process, run
from tcloseness.cli.emd import Solver
from tcloseness.transport import SOLVERS

PULP = pytest.param("pulp", marks=pytest.mark.solver)
CBC = pytest.param("pulp-cbc", marks=pytest.mark.solver)


def test_the_command_line_knows_every_solver_of_the_library():
    assert tuple(Solver) == SOLVERS


@pytest.mark.parametrize("solver", ["closed-form", "networkx", PULP, CBC])
def test_every_solver_answers_three_eighths(solver):
    answer = run(*EXAMPLE_EMD, "--solver", solver, "--format", "json")
    record = answer.record
    assert (answer.code, record["emd"], record["decimal"], record["solver"]) == (0, "3/8", "0.375", solver)
    assert record["verified"] is True


@pytest.mark.long
@pytest.mark.solver
def test_the_example_writes_a_certificate_that_verifies_and_solvers_print_nothing(tmp_path):
    """In a process of its own: HiGHS prints its banner once a process, from C."""
    file = str(tmp_path / "c.json")
    answer = process(*EXAMPLE_EMD, "--solver", "pulp", "--certificate", file, "--moves", "--format", "json")
    assert (answer.code, answer.err, answer.record["certificate_file"]) == (0, "", "c.json")
    verified = run("verify", file)
    assert (verified.code, verified.err) == (0, "")
    assert "proved: EMD(P, Q) = 3/8 = 0.375" in verified.out


def test_the_json_keys_stand_in_their_order():
    record = run(*EXAMPLE_EMD, "--moves", "--format", "json").record
    assert list(record) == [
        "format",
        "version",
        "emd",
        "decimal",
        "solver",
        "verified",
        "ground_distance",
        "ground_sha256",
        "conventions",
        "certificate",
        "moves",
        "crossings",
    ]
    assert (record["format"], record["conventions"]["m"]) == ("tcloseness-emd-1", "9")


@pytest.mark.parametrize("ground", ["ordered", "equal", "ordered-by-value"])
def test_moves_and_crossings_cost_the_distance(ground):
    """Dosselmann et al. 2019, §3: both views of a transformation cost the same."""
    answer = run(
        *("emd", "--p", "1/2,0,1/2,0", "--q", "1/4,1/4,1/4,1/4", "--ground", ground, "--values", "14,27,88,101"),
        *("--moves", "--format", "json"),
    )
    record = answer.record
    for view in ("moves", "crossings"):
        assert sum(Fraction(entry["cost"]) for entry in record[view]) == Fraction(record["emd"])


def test_counts_are_normalised_exactly_where_they_are_asked_for():
    masses = run(*("emd", "--p", "1/3,2/3", "--q", "1/2,1/2", "--ground", "equal", "--format", "json")).record
    counts = run(*("emd", "--p", "1,2", "--q", "5,5", "--ground", "equal", "--counts", "--format", "json")).record
    assert counts["emd"] == masses["emd"] == "1/6"
    assert "--counts" in run("emd", "--p", "1,2", "--q", "5,5", "--ground", "equal").err


def test_the_hierarchy_places_the_values_by_name():
    """All mass of flu to pneumonia (same infection, height 1 of 3), and of flu to gastritis (root, 3 of 3)."""
    ask = ("emd", "--p", "1,0", "--q", "0,1", "--ground", HIERARCHY, "--format", "json", "--values")
    assert run(*ask, "flu,pneumonia").record["emd"] == "1/3"
    assert run(*ask, "flu,gastritis").record["emd"] == "1"


def test_a_matrix_is_solved_without_cuts_and_shows_its_moves(tmp_path):
    (tmp_path / "m.csv").write_text(",a,b\na,0,2\nb,2,0\n", encoding="utf-8")
    answer = run("emd", "--p", "1,0", "--q", "0,1", "--ground", f"matrix:{tmp_path / 'm.csv'}", "--moves")
    assert answer.code == 0
    assert "EMD(P, Q) = 2" in answer.out
    assert "network-simplex" in answer.out
    assert "crossings" not in answer.out


def test_a_matrix_that_is_no_metric_is_refused_unless_allowed(tmp_path):
    (tmp_path / "m.csv").write_text(",a,b\na,0,2\nb,1,0\n", encoding="utf-8")
    ask = ("emd", "--p", "1,0", "--q", "0,1", "--ground", f"matrix:{tmp_path / 'm.csv'}")
    refused = run(*ask)
    assert (refused.code, refused.out) == (2, "")
    assert "not a metric" in refused.err
    assert "--allow-non-metric" in refused.err
    assert run(*ask, "--allow-non-metric", "--format", "json").record["emd"] == "2"


def test_a_certificate_is_not_overwritten_unless_forced(tmp_path):
    file = tmp_path / "c.json"
    file.write_text("mine", encoding="utf-8")
    refused = run(*EXAMPLE_EMD, "--certificate", str(file))
    assert (refused.code, refused.out, file.read_text(encoding="utf-8")) == (2, "", "mine")
    assert "is not overwritten" in refused.err
    assert run(*EXAMPLE_EMD, "--certificate", str(file), "--force").code == 0
    assert json.loads(file.read_text(encoding="utf-8"))["emd"] == "3/8"


def test_the_text_shows_value_certificate_moves_and_crossings_with_the_values_names():
    answer = run(
        *("emd", "--p", "1/2,0,1/2,0", "--q", "1/4,1/4,1/4,1/4", "--ground", "ordered-by-value"),
        *("--values", "14,27,88,101", "--moves"),
    )
    lines = answer.out.splitlines()
    assert lines[:2] == [
        "EMD(P, Q) = 13/174 ≈ 0.07471",
        "certificate verified: a coupling costs 13/174 and potentials earn 13/174",
    ]
    rows = [line.split() for line in lines]
    assert ["88", "101", "1/4", "13/87", "13/348"] in rows
    assert ["14,", "27,", "88", "1/4", "leaves", "13/87", "13/348"] in rows
    assert "crossings of the cuts (nothing crosses 1 more)" in lines


def test_equal_distributions_need_no_move():
    answer = run("emd", "--p", "1/2,1/2", "--q", "0.5,0.5", "--ground", "ordered", "--moves")
    assert (answer.code, "moves: none, P and Q are equal" in answer.out) == (0, True)


def test_the_figure_is_written_and_never_overwritten(tmp_path):
    file = tmp_path / "moves.png"
    assert run(*EXAMPLE_EMD, "--figure", str(file)).code == 0
    drawn = file.read_bytes()
    assert drawn.startswith(b"\x89PNG")
    answer = run(*EXAMPLE_EMD, "--figure", str(file))
    assert (answer.code, answer.out) == (2, "")
    assert "exists and is not overwritten" in answer.err
    assert file.read_bytes() == drawn
    assert "must end in" in run(*EXAMPLE_EMD, "--figure", "moves.txt").err


# ---------------------------------------------------------------------- groups of a table

_ROWS = [(21, 1, "flu", "low"), (30, 0, "flu", "mid"), (41, 1, "cancer", "high"), (22, 0, "cold", "low")]
PEOPLE = pd.DataFrame([*_ROWS, (35, 1, "cold", "mid"), (35, 2, "cold", "mid")], columns=["age", "sex", "ill", "stage"])
OWN = ",flu,cold,cancer\nflu,0,1,3\ncold,1,0,2\ncancer,3,2,0\n"


@pytest.fixture
def people(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    PEOPLE.to_csv("people.csv", index=False, sep=";")
    PEOPLE.to_parquet("people.parquet")
    Path("own.csv").write_text(OWN, encoding="utf-8")
    return ("emd", "people.csv", "--separator", ";")


@pytest.mark.parametrize(
    ("column", "ground", "words", "order"),
    [
        ("ill", "equal", ("--ground", "equal"), None),
        ("ill", {"flu": [0, 1, 3], "cold": [1, 0, 2], "cancer": [3, 2, 0]}, ("--ground", "matrix:own.csv"), None),
        ("age", "ordered", ("--ground", "ordered"), None),
        ("age", "ordered-by-value", ("--ground", "ordered-by-value"), None),
        ("stage", "ordered", ("--ground", "ordered", "--values", "low,mid,high"), ["low", "mid", "high"]),
    ],
)
@pytest.mark.parametrize("group", [(0, 1), (1, 2), (1,)])
def test_groups_of_a_table_are_as_far_apart_as_in_python(people, column, ground, words, order, group):
    asked = ("--column", column, "--by", "sex", "--group", ",".join(map(str, group)), *words)
    record = run(*people, *asked, "--certificate", "c.json", "--moves", "--format", "json").record
    own = pd.DataFrame(ground, index=list(ground)) if isinstance(ground, dict) else ground
    found = tc.emd_of(PEOPLE, column=column, by="sex", groups=group, ground=own, order=order)
    assert record["emd"] == str(found.value)
    assert [(each["name"], each["records"]) for each in record["groups"]] == list(
        zip(found.names, found.counts, strict=True)
    )
    masses = record["certificate"]["p"], record["certificate"]["q"]
    verified = run("verify", "c.json", "--p", ",".join(masses[0]), "--q", ",".join(masses[1]))
    assert (verified.code, f"EMD(P, Q) = {record['emd']}" in verified.out) == (0, True)
    assert run("emd", "people.parquet", *asked, "--format", "json").record["emd"] == record["emd"]


def test_the_two_groups_that_there_are_need_no_names_and_more_must_be_named(people):
    PEOPLE[PEOPLE.sex < 2].to_csv("two.csv", index=False)
    asked = ("--column", "ill", "--by", "sex", "--ground", "equal")
    said = run("emd", "two.csv", *asked).out
    assert "EMD(P, Q) = 1/3" in said  # (0, 1/2, 1/2) and (1/3, 1/3, 1/3) of cancer, cold, flu
    assert re.search(r"P +sex = 0, 2 records", said)
    assert "column 'sex' has 3 different values; name two of them in --group" in run(*people, *asked).err


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("people.csv", "--column", "ill"), "--column and --by say what is compared"),
        (("people.csv", "--by", "sex"), "--column and --by say what is compared"),
        (("people.csv", "--p", "1", "--column", "ill", "--by", "sex"), "--p 1 was given, and a TABLE too"),
        (("people.csv", "--counts", "--column", "ill", "--by", "sex"), "--counts was given, and a TABLE too"),
        (("--p", "1,0", "--q", "0,1", "--by", "sex"), "--by sex was given, and no TABLE is"),
        (("--p", "1,0", "--q", "0,1", "--missing", "drop"), "--missing drop was given, and no TABLE is"),
        (("--p", "1,0"), "nothing is compared: give --p and --q, or a TABLE with --column and --by"),
        ((), "nothing is compared"),
        (("people.csv", "--separator", ";", "--column", "il", "--by", "sex"), "0 columns 'il'"),
        (("people.csv", "--separator", ";", "--column", "ill", "--by", "sex", "--group", "0,9"), "no row has '9'"),
    ],
)
def test_groups_and_masses_are_not_mixed_and_what_is_missing_is_named(people, words, said):
    answer = run("emd", *words, "--ground", "equal")
    assert (answer.code, answer.out) == (2, "")
    assert said in answer.err


def test_an_order_that_is_missing_is_given_by_the_values(people):
    answer = run(*people, "--column", "stage", "--by", "sex", "--group", "0,1", "--ground", "ordered")
    assert answer.code == 2
    assert "such as --values low,mid,high" in answer.err
