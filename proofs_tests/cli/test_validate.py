"""``tcloseness validate``: the card of a distance, of the package's or of the reader's own."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from jsonschema import Draft202012Validator

from proofs_tests.cli.commands import run
from tcloseness import axioms

SCHEMA = Draft202012Validator(
    json.loads((Path(axioms.__file__).parent / "card.schema.json").read_text(encoding="utf-8"))
)
QUICK = ("--m", "2-3", "--no-proofs")
TWO = ("--only", "symmetric,bounded-by-1")
SOURCE = """
from fractions import Fraction

def half_l1(p, q):
    return sum(abs(a - b) for a, b in zip(p, q)) / 2

def l1(p, q):
    return 2 * half_l1(p, q)

def prints(p, q):
    print("a line of its own")
    return half_l1(p, q)

def fails(domain):
    raise RuntimeError("no such domain")

print("a line when it is imported")

def slow(p, q):
    import time
    time.sleep(0.01)
    return half_l1(p, q)

class Parameters:
    def __init__(self, base):
        self.base = base

number = 3
"""


@pytest.fixture
def mine(tmp_path):
    file = tmp_path / "mine_to_validate.py"
    file.write_text(SOURCE, encoding="utf-8")
    return str(file)


def test_a_function_in_a_file_of_ones_own(mine):
    answer = run("validate", f"{mine}:half_l1", "--ground", "equal", *QUICK, *TWO)
    assert (answer.code, answer.err) == (0, "a line when it is imported\n")
    assert answer.out.startswith("half_l1: 2 holds\n")


def test_a_check_that_fails_shows_its_counterexample_and_on_demand_the_test(mine):
    ask = ("validate", f"{mine}:l1", "--ground", "equal", *QUICK, *TWO)
    answer = run(*ask)
    assert answer.code == 1
    lines = [line.strip() for line in answer.out.splitlines()]
    assert [line for line in lines if line[:2] in ("P ", "Q ")] == ["P = (1, 0)", "Q = (0, 1)"]
    assert "def test_bounded_by_1" not in answer.out
    assert "def test_bounded_by_1" in run(*ask, "--tests").out


def test_an_expected_failure_is_none(mine):
    ask = ("validate", f"{mine}:l1", "--ground", "equal", *QUICK, *TWO)
    assert run(*ask, "--expected-failure", "bounded-by-1=twice the distance").code == 0
    assert run(*ask, "--expected-failure", "symmetric=?").code == 1


def test_the_json_follows_its_schema(mine):
    record = run("validate", f"{mine}:l1", *QUICK, *TWO, "--format", "json").record
    SCHEMA.validate(record)
    assert list(record)[:4] == ["format", "version", "measure", "status"]
    assert [check["status"] for check in record["checks"]] == ["fails", "holds"]


def test_a_measure_of_the_package_by_its_class():
    answer = run("validate", "tcloseness.measures:KullbackLeibler", *QUICK, "--only", "symmetric", "--format", "json")
    assert answer.code == 1
    assert answer.record["measure"] == "Kullback-Leibler"


def test_the_ground_distance_and_its_values(tmp_path, mine):
    ask = ("validate", f"{mine}:half_l1", *QUICK[2:], "--only", "symmetric")
    by_value = run(*ask, "--ground", "ordered-by-value", "--values", "14,27,88")
    assert (by_value.code, "ground distance: ordered-by-value" in by_value.out) == (0, True)
    (tmp_path / "m.csv").write_text(",a,b\na,0,1\nb,1,0\n", encoding="utf-8")
    matrix = run(*ask, "--ground", f"matrix:{tmp_path / 'm.csv'}")
    assert (matrix.code, "m: 2 to 2" in matrix.out) == (0, True)
    assert "give --values" in run(*ask, "--ground", "ordered-by-value").err


def test_what_takes_too_long_is_undecided(mine):
    answer = run("validate", f"{mine}:slow", *QUICK, "--only", "symmetric", "--budget", "0.05")
    assert answer.code == 3
    assert "0.05 s were over" in answer.out


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("half_l1",), "must be MODULE:NAME"),
        (("no_such_module_here:f",), "cannot be imported (ModuleNotFoundError"),
        (("no_such_file.py:f",), "cannot be imported (FileNotFoundError"),
        (("math:nothing",), "module 'math' has no 'nothing'"),
        (("math:pi",), "is not a measure"),
        (("fractions:Fraction.from_float", "--m", "3-2"), "--m '3-2'"),
        (("math:dist", "--m", "many"), "--m 'many'"),
        (("math:dist", "--only", "symetric"), "did you mean 'symmetric'"),
        (("math:dist", "--expected-failure", "symmetric"), "gives no reason"),
        (("math:dist", "--budget", "-1"), "positive number of seconds"),
        (("math:dist", "--ground", "orderd"), "did you mean 'ordered'"),
    ],
)
def test_wrong_usage_is_an_error_and_no_traceback(arguments, message):
    answer = run("validate", *arguments)
    assert (answer.code, answer.out) == (2, "")
    assert message in answer.err


def test_what_a_measure_prints_is_no_part_of_the_result(mine):
    answer = run("validate", f"{mine}:prints", "--format", "json", *QUICK, *TWO)
    assert json.loads(answer.out)["measure"] == "prints"
    assert {"a line of its own", "a line when it is imported"} <= set(answer.err.splitlines())


def test_a_ground_distance_that_fails_is_not_a_fault_of_the_command(mine):
    answer = run("validate", f"{mine}:half_l1", "--ground", f"{mine}:fails", *QUICK, *TWO)
    assert answer.code == 2
    assert "over 2 values fails by itself (RuntimeError: no such domain)" in answer.err


def test_a_class_that_needs_arguments_and_an_object_that_is_no_measure(mine):
    assert "needs arguments" in run("validate", f"{mine}:Parameters").err
    assert "is not a measure" in run("validate", f"{mine}:number").err
