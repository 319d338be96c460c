"""What goes wrong in a model or a measure of the user's own is said to be its fault, whichever member it is in."""

from __future__ import annotations

from pathlib import Path

import pytest
from typer.testing import CliRunner

from tcloseness.cli import app

MODELS = {
    "name = 3": "name is a text",
    "monotone = 3": "monotone a",
    "parts = 5": "the parts of the model mine are 5",
    "parts = property(lambda self: (self,))": "the parts of the model mine are",
    "parts = (3,)": "not a privacy model",
    "parts = property(lambda self: 1 / 0)": "parts fails by itself",
    "class_conditions = 5": "class_conditions of the model mine are 5",
    "class_conditions = (3,)": "class_conditions of the model mine are",
    "class_conditions = property(lambda self: 1 / 0)": "class_conditions fails by itself",
    "name = property(lambda self: 1 / 0)": "fails by itself",
    "monotone = property(lambda self: 1 / 0)": "fails by itself",
    "evaluate = lambda self, classes: 1 / 0": "fails by itself",
    "evaluate = lambda self, classes: None": "answers None",
}
MEASURES = {
    "name = 3": "must be a text",
    "name = property(lambda self: 1 / 0)": "fails by itself",
    "over = lambda self, domain: 1 / 0": "fails by itself",
    "over = lambda self, domain: None": "fails by itself",
    "per_class = lambda self, classes: 1 / 0": "fails by itself",
    "per_class = lambda self, classes: [1]": "returned [1] for 2 classes",
}
MODEL = """
from tcloseness.models import KAnonymity
class Mine:
    name = "mine"
    monotone = KAnonymity(2).monotone
    def evaluate(self, classes):
        return KAnonymity(2).evaluate(classes)
    {}
"""
MEASURE = """
class Mine:
    name, convex = "mine", True
    def over(self, domain):
        return self
    def to_dict(self):
        return {{}}
    {}
"""


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "table.csv"
    path.write_text("zip,value\np,1\np,2\nq,1\nq,3\n")
    return str(path)


def ended(arguments: list[str]) -> tuple[int, str]:
    found = CliRunner().invoke(app, arguments)
    return found.exit_code, " ".join(found.output.split())


@pytest.mark.parametrize("fault", MODELS)
@pytest.mark.parametrize("verb", [["search"], ["optimal", "suppression"]], ids="-".join)
def test_a_model_that_goes_wrong_is_named(table: str, tmp_path: Path, verb: list[str], fault: str) -> None:
    (tmp_path / "mine.py").write_text(MODEL.format(fault))
    more = ["--suppress-only", "zip"] if verb == ["search"] else []
    code, output = ended([*verb, table, "-q", "zip", "-s", "value", "--model", f"{tmp_path}/mine.py:Mine", *more])
    if verb != ["search"] and fault.startswith("evaluate"):
        assert code == 2  # a program asks for conditions first
    else:
        assert (code, MODELS[fault] in output) == (2, True), output


def test_the_model_without_a_fault_is_taken(table: str, tmp_path: Path) -> None:
    (tmp_path / "mine.py").write_text(MODEL.format(""))
    asked = ["-q", "zip", "-s", "value", "--model", f"{tmp_path}/mine.py:Mine"]
    assert ended(["search", table, *asked, "--suppress-only", "zip"])[0] == 0
    assert ended(["check", table, *asked])[0] == 0


@pytest.mark.parametrize("fault", MEASURES)
def test_a_measure_that_goes_wrong_is_named(table: str, tmp_path: Path, fault: str) -> None:
    (tmp_path / "mine.py").write_text(MEASURE.format(fault))
    code, output = ended(["check", table, "-q", "zip", "-s", "value", "--measure", f"{tmp_path}/mine.py:Mine"])
    assert (code, MEASURES[fault] in output) == (2, True), output
