"""The record of other implementations is about vectors that exist; the study counts verdicts by their definition."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import pytest

from experiments import adult
from experiments.conform import entries, findings_text, matrix_text
from experiments.intervals import wilson
from experiments.peers import Fault, Peer, all_peers
from experiments.provenance import ROOT
from experiments.studies import implementations
from experiments.studies.implementations import OURS, RECORD, WORDS, Grid, counted, questions, said
from tcloseness.conformance.algorithms import ALGORITHMS
from tcloseness.conformance.protocol import Failed, Given, Implementation, Skipped
from tcloseness.conformance.runner import run
from tcloseness.conformance.vectors import Vector, load

try:
    adult.fetch()
except adult.DataMissing:
    pytest.skip("the Adult data are not there", allow_module_level=True)

GRID = Grid(3, 1, 40, ("k-anonymity", "recursive-cl", "t-equal", "t-ordered", "delta-disclosure"))
TOY = [sys.executable, str(ROOT / "examples" / "harnesses" / "toy_harness.py")]
MINIATURES = [sys.executable, str(Path(__file__).parents[1] / "conformance" / "miniatures.py")]


def test_the_same_seed_asks_the_same_and_another_seed_something_else() -> None:
    small = Grid(3, 1, 10, ("k-anonymity", "recursive-cl"))
    first, again, other = questions(small, 1), questions(small, 1), questions(small, 2)
    assert first == again != other
    assert {source: len(vectors) for source, vectors in first.items()} == dict(
        zip(implementations.SOURCES, (6, 2), strict=True)
    )


@pytest.mark.long
def test_our_own_package_is_right_on_all_and_a_skipped_model_is_not_counted() -> None:
    asked = [vector for vectors in questions(GRID, 3).values() for vector in vectors]
    ours = counted(OURS, asked)
    assert sum(row["right"] for row in ours) == len(asked) == 20
    assert {row["model"] for row in counted(TOY, asked)} == {"k-anonymity", "t-equal"}


def _vector(algorithm: str, result: str) -> Vector:
    return next(v for v in load(algorithms=[algorithm]) if v.result == result and v.reason == "smoke")


@pytest.mark.long
def test_a_number_becomes_a_verdict_by_the_models_own_comparison() -> None:
    implementation = Implementation("x", algorithms=("k-anonymity", "t-equal", "delta-disclosure"))
    held = _vector("k-anonymity", "valid")  # k = 1 holds with the value 1
    assert said(held, Given({"value": "1"}), implementation) == "right"
    assert said(held, Given({"value": "0"}), implementation) == "over-strict"
    assert said(held, Given({"satisfied": False, "value": "1"}), implementation) == "over-strict"
    assert said(held, Given({"value": "nan"}), implementation) == "no verdict"
    assert said(held, Failed("no"), implementation) == "no verdict"
    assert said(held, Skipped("no"), implementation) is None
    assert said(held, Given({"value": "1"}), Implementation("x")) is None
    broken = _vector("k-anonymity", "invalid")
    assert said(broken, Given({"value": "1000"}), implementation) == "unsafe"
    strict = next(v for v in load(algorithms=["delta-disclosure"]) if v.result == "valid")
    at = {"value": strict.parameters["delta"]}  # equality violates a strict model
    assert said(strict, Given(at), implementation) == "over-strict"


def test_the_record_names_vectors_that_exist_and_the_documents_are_of_the_same_run() -> None:
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    known = {vector.id for vector in load()}
    ours, *others = record["implementations"]
    assert ours["totals"]["right"] == sum(ours["totals"].values()) == len(known)
    findings = (ROOT / "docs" / "conformance" / "findings.md").read_text(encoding="utf-8")
    assert record["date"] in findings
    for one in others:
        assert f"## {one['implementation']['name']} {one['implementation']['version']}" in findings
        for fault in one["faults"]:
            assert fault["smallest"] in known
            assert f"vector `{fault['smallest']}`" in findings
            assert set(fault["algorithms"]) <= set(ALGORITHMS)
            assert sum(fault["sides"].values()) > 0
        for title in one["not_reproduced"]:
            assert f" {title}\n" not in findings
    pinned = {pin for peer in all_peers() for pin in peer.requirements}
    for one in others:
        version = one["implementation"]["version"]
        assert any(pin.endswith(f"=={version}") for pin in pinned), one["implementation"]
    assert len(others) + len(record["not_run"]) == len(all_peers())
    for row in record["random_tables"]:
        assert sum(row[word] for word in WORDS) > 0


def test_each_wrong_answer_stands_in_exactly_one_entry_and_a_fault_without_a_test_in_none() -> None:
    tests = load(algorithms=["k-anonymity", "distinct-l"])
    report = run([*MINIATURES, "unused-category"], tests, seconds=60).to_dict()
    shown, unshown = (
        Fault("empty classes", "Cause.", has=("categories",)),
        Fault("nothing", "Cause.", error="no such text"),
    )
    peer = Peer("toy", "toy", "toy", (), "toy", (), "", (shown, unshown))
    found = entries(report, peer)
    assert [entry.title for entry in found] == ["empty classes"]
    wrong = sum(report["totals"][v] for v in ("wrong, unsafe side", "wrong, over-strict", "error"))
    assert sum(len(entry.tests) for entry in found) == wrong > 0
    for test in report["tests"]:
        if "got" in test:
            test["got"] += f" in {ROOT / 'a.py'}, {Path.home() / 'b.py'}"
    text = findings_text([(peer, report)], {"other": "no wheel"}, "2000-01-01")
    assert "in ./a.py, ~/b.py" in text
    assert str(ROOT) not in text
    assert "Empty classes" in text
    assert "declared categories of z" in text
    assert "Nothing" not in text
    assert "other: no wheel" in text
    assert entries(report, Peer("toy", "toy", "toy", (), "toy", (), "", ()))[0].title == "looks like `unused-category`"
    assert "| k-anonymity |" in matrix_text([report, report], {}, "2000-01-01")


@pytest.mark.slow
def test_the_study_shows_the_stored_record_where_tools_are_missing(monkeypatch, tmp_path: Path) -> None:
    from experiments.runner import StudyRun

    monkeypatch.setattr(implementations, "installed", lambda peer: False)
    result = implementations.run(StudyRun("implementations", tmp_path, smoke=True))
    record = json.loads(RECORD.read_text(encoding="utf-8"))
    assert len(result.tables["verdicts"]) == len(record["random_tables"])
    for row in result.tables["verdicts"].to_dict("records"):
        asked = sum(row[word] for word in WORDS)
        assert (row["share right, from"], row["share right, to"]) == wilson(row["right"], asked)
    assert f"as recorded on {record['date']}" in result.summary
    assert result.figures[0].path.exists()
