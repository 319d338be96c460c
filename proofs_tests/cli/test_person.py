"""``--person``: check counts persons; what makes a release says why it does not."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from tcloseness.cli import app

TABLE = "who,zip,value\na,p,1\na,p,2\nb,p,1\nc,q,2\nc,q,1\nd,q,3\n"
ASKED = ["-q", "zip", "-s", "value", "--person", "who"]


@pytest.fixture
def table(tmp_path: Path) -> str:
    path = tmp_path / "panel.csv"
    path.write_text(TABLE)
    return str(path)


def test_check_counts_persons(table: str) -> None:
    found = CliRunner().invoke(app, ["check", table, *ASKED, "--k", "3", "--format", "json"])
    answer = json.loads(found.stdout)
    assert (found.exit_code, answer["records"], answer["summary"][0]["value"]) == (1, 4, "2")
    assert answer["conventions"]["persons"].startswith("column 'who'; sizes and values count persons")


@pytest.mark.long
def test_a_page_names_the_option_that_made_it(table: str, tmp_path: Path) -> None:
    page = tmp_path / "page.html"
    CliRunner().invoke(app, ["check", table, *ASKED, "--redact", "--html", str(page)])
    assert "--person who" in page.read_text()


@pytest.mark.parametrize("command", ["search", "anonymize", "optimal"])
def test_what_makes_a_release_refuses_it(table: str, command: str) -> None:
    found = CliRunner().invoke(app, [command, table, *ASKED, "--k", "2"])
    assert found.exit_code == 2
    assert "--person 'who' is an option of check alone" in " ".join(found.output.split())


def test_the_warning_of_rows_that_are_not_persons_names_the_option(tmp_path: Path) -> None:
    path = tmp_path / "panel.csv"
    path.write_text(TABLE.replace("who", "person_id"))
    found = CliRunner().invoke(app, ["check", str(path), "-q", "zip", "-s", "value"])
    assert "--person 'person_id' counts persons" in " ".join(found.output.split())
