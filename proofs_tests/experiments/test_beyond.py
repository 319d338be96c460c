"""Studies that need more than the standard ones: when they run, and what the report says in their place."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pandas as pd
import pytest
from typer.testing import CliRunner

from experiments import archive, commands, datasets, provenance, runner
from experiments.kept import read
from experiments.report.article import article
from experiments.report.findings import findings, holds_on
from experiments.report.found import read_results
from experiments.report.html import page
from experiments.report.words import scope
from experiments.runner import Study, StudyResult, StudyRun, chosen, run_studies
from proofs_tests.experiments.results import LEDGER, QUIET

NEEDS = "It reads one more table and takes two minutes."


def study(name: str, **more: Any) -> Study:
    def run(_: StudyRun) -> StudyResult:
        rows = [("cost of t", "Adult", "yes", "1.9"), ("cost of t", "GSS wages", "no", "1.2")]
        verdicts = pd.DataFrame(rows, columns=["finding", "data", "holds", "numbers"])
        return StudyResult({"verdicts": verdicts}, [], {}, "It is so.")

    return Study(name, f"Is {name} so?", run, basis="all records; nothing is a sample.", **more)


@pytest.fixture
def known(monkeypatch: pytest.MonkeyPatch) -> dict[str, Study]:
    found = {
        "beyond_adult": study("beyond_adult", needs=NEEDS, data=("adult", "gss")),
        "worked_examples": study("worked_examples", data=()),
    }
    monkeypatch.setattr(runner, "discover", lambda: found)
    monkeypatch.setattr(datasets, "fetch", Path)
    return found


def test_a_study_that_needs_more_runs_last_and_only_where_it_is_asked_for(known: Any) -> None:
    assert chosen() == ["worked_examples"]
    assert chosen(every=True) == ["worked_examples", "beyond_adult"]


def test_what_a_study_reads_is_fetched_before_it_runs_and_is_an_input_of_it_alone(
    known: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[str] = []
    monkeypatch.setattr(datasets, "fetch", asked.append)
    monkeypatch.setattr(provenance, "_sha256", lambda path, state: f"hash of {path.name}")
    run_studies(list(known), results=tmp_path, console=QUIET)
    assert asked == ["gss"]
    hashes = {name: read(tmp_path / name)[0]["data_sha256"] for name in known}
    assert hashes["beyond_adult"].pop("data/gss/gss_wages.csv") == "hash of gss_wages.csv"
    assert hashes["beyond_adult"] == hashes["worked_examples"]
    assert [one.name for one in read_results(tmp_path, LEDGER).studies] == ["worked_examples", "beyond_adult"]


def test_data_that_changed_make_a_result_of_them_outdated(
    known: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    run_studies(list(known), results=tmp_path, console=QUIET)
    assert not read_results(tmp_path, LEDGER).outdated
    monkeypatch.setattr(provenance, "_sha256", lambda path, state: "another hash")
    assert read_results(tmp_path, LEDGER).outdated == {"beyond_adult": ["the data"]}


def test_in_the_place_of_a_study_that_was_not_run_is_what_it_asks_and_how_to_run_it(known: Any, tmp_path: Path) -> None:
    run_studies(chosen(), results=tmp_path, console=QUIET)
    found = read_results(tmp_path, LEDGER)
    for text in (page(found), article(found)):
        assert "Beyond Adult" in text
        assert "Is beyond" in text
        assert f"Not run here. {NEEDS}" in text
        assert "make reproduce-all" in text
    run_studies(chosen(every=True), results=tmp_path, console=QUIET)
    found = read_results(tmp_path, LEDGER)
    assert "Not run here" not in page(found) + article(found)


def test_what_needs_more_comes_last_and_a_standard_study_that_was_not_run_is_not_named(
    known: dict[str, Study], tmp_path: Path
) -> None:
    known |= {name: study(name, needs=needs) for name, needs in (("aaa", NEEDS), ("zzz", ""), ("not_run", ""))}
    run_studies(["aaa", "zzz"], results=tmp_path, console=QUIET)
    found = read_results(tmp_path, LEDGER)
    assert [one.name for one in found.studies] == ["zzz", "aaa"]
    assert [one.name for one in found.not_run] == ["beyond_adult"]


def test_every_study_says_which_data_it_reads_and_whether_they_are_adult_alone(
    known: dict[str, Study], tmp_path: Path
) -> None:
    known |= {"fit": study("fit")}
    run_studies(list(known), results=tmp_path, console=QUIET)
    found = read_results(tmp_path, LEDGER)
    assert {one.name: one.reads for one in found.studies} == {
        "beyond_adult": "Adult and GSS wages",
        "worked_examples": "",
        "fit": "Adult alone",
    }
    html, text = page(found), article(found)
    assert html.count("<b>Data</b> Adult alone. ") == text.count(" Data: Adult alone. ") == 1
    assert html.count("<b>Data</b> ") == text.count(" Data: ") == 2


def test_what_another_study_reads_is_not_what_findings_on_adult_are_asked_of(
    known: dict[str, Study], tmp_path: Path
) -> None:
    known |= {"scale": study("scale", data=("military",))}
    run_studies(["scale"], results=tmp_path, console=QUIET)
    assert "is asked of" not in scope(read_results(tmp_path, LEDGER))


def test_a_finding_says_on_which_data_it_holds(known: Any) -> None:
    rows = [{"data": name, "holds": holds, "numbers": "1.2"} for name, holds in (("A", "yes"), ("B", "no"))]
    assert holds_on(rows) == "holds on 1 of 2, not on B (1.2)"
    assert holds_on(rows[:1]) == "holds on 1 of 1"


def test_no_finding_without_results(known: Any, tmp_path: Path) -> None:
    run_studies(chosen(every=True), results=tmp_path, console=QUIET)
    assert findings(read_results(tmp_path, LEDGER)) == []


def called(monkeypatch: pytest.MonkeyPatch, *words: str) -> tuple[int, list[Any]]:
    """Run a command with what it calls replaced; return its exit code and the calls."""
    calls: list[Any] = []
    monkeypatch.setattr(commands, "run_studies", lambda names, **_: calls.append(list(names)))
    monkeypatch.setattr(commands.report, "write_and_print", lambda _: None)
    monkeypatch.setattr(commands.adult, "fetch", lambda: calls.append("adult"))
    monkeypatch.setattr(commands.adult, "write_csv", lambda: "adult_complete.csv")
    monkeypatch.setattr(datasets, "fetch", lambda name: calls.append(name) or name)
    return CliRunner().invoke(commands.app, list(words)).exit_code, calls


def test_run_takes_the_standard_studies_and_all_of_them_where_they_are_asked_for(
    known: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert called(monkeypatch, "run") == (0, [["worked_examples"]])
    assert called(monkeypatch, "run", "--all") == (0, [["worked_examples", "beyond_adult"]])
    assert called(monkeypatch, "run", "beyond_adult") == (0, [["beyond_adult"]])
    code, calls = called(monkeypatch, "run", "--all", "beyond_adult")
    assert (code, calls) == (2, [])


def test_data_fetches_adult_alone_and_all_of_them_where_they_are_asked_for(monkeypatch: pytest.MonkeyPatch) -> None:
    assert called(monkeypatch, "data") == (0, ["adult"])
    assert called(monkeypatch, "data", "--all") == (0, ["adult", *datasets.DATASETS])


def test_make_reproduce_needs_adult_only_and_make_reproduce_all_the_rest() -> None:
    text = (provenance.ROOT / "Makefile").read_text("utf-8")
    rules = {
        head: (needs, body)
        for head, needs, body in re.findall(r"^([a-z-]+): ([a-z-]+)  ##[^\n]*\n((?:\t[^\n]*\n)+)", text, re.MULTILINE)
    }
    assert rules["reproduce"][0] == "data"
    assert rules["reproduce-all"][0] == "data-all"
    assert rules["reproduce-all"][1] == rules["reproduce"][1].replace("experiments run", "experiments run --all")
    assert rules["data-all"][1] == rules["data"][1].replace("experiments data", "experiments data --all")


def test_the_archive_and_the_scope_name_the_data_that_were_read_and_their_licences(known: Any, tmp_path: Path) -> None:
    for names, more in ((chosen(), False), (chosen(every=True), True)):
        folder = tmp_path / str(more)
        run_studies(names, results=folder, console=QUIET)
        text = archive._readme(folder)
        assert "**Adult.** The data are not part of this project" in text
        assert ("**GSS wages.** The data are not part of this project" in text) is more
        assert ("`make reproduce-all`" in text) is more
        command = "reproduce-all" if more else "reproduce"
        assert f"Everything is made anew by `make {command}`;" in article(read_results(folder, LEDGER))
        assert ("`python -m experiments data --all`" in text) is more
        assert "US military" not in text
        assert ("What was found on Adult is asked of GSS wages too" in scope(read_results(folder, LEDGER))) is more
