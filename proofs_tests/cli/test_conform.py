"""``tcloseness conform``: exit codes, files, and that what it prints is what the library found."""

from __future__ import annotations

import json
import sys
from pathlib import Path

import jsonschema
import pytest

from proofs_tests.cli.commands import run
from tcloseness.conformance import shrink
from tcloseness.conformance.protocol import schema
from tcloseness.conformance.vectors import load, read_vectors

MINIATURES = str(Path(__file__).parents[1] / "conformance" / "miniatures.py")
OURS = ("--", sys.executable, "-m", "tcloseness.conformance.harness")


def miniature(name: str) -> tuple[str, ...]:
    return ("--", sys.executable, MINIATURES, name)


@pytest.mark.long
def test_our_own_models_are_all_right():
    answer = run("conform", "run", "--algorithm", "precision", "--algorithm", "minimal-nodes", *OURS)
    assert answer.code == 0
    number = len(load(algorithms=["precision", "minimal-nodes"]))
    assert f"{number} of {number} right" in answer.out


@pytest.mark.long
def test_a_mistake_is_reported_in_every_format(tmp_path):
    html, junit, report, badge = (tmp_path / name for name in ("r.html", "r.xml", "r.json", "r.svg"))
    files = ("--html", str(html), "--junit", str(junit), "--report", str(report), "--badge", str(badge))
    answer = run("conform", "run", "--algorithm", "recursive-cl", *files, *miniature("ascending"))
    assert answer.code == 1
    assert "wrong, unsafe side" in answer.out
    assert "looks like ascending" in answer.out
    record = json.loads(report.read_text("utf-8"))
    jsonschema.Draft202012Validator(schema("report")).validate(record)
    assert "ascending" in html.read_text("utf-8")
    assert 'type="wrong, unsafe side"' in junit.read_text("utf-8")
    assert "unsafe" in badge.read_text("utf-8")
    again = run("conform", "run", *files, *miniature("ascending"))
    assert again.code == 2
    assert "exists and is not overwritten" in again.err


@pytest.mark.long
def test_json_goes_to_standard_output_alone():
    answer = run("conform", "run", "--algorithm", "precision", "--format", "json", *OURS)
    assert json.loads(answer.out)["totals"]["right"] == len(load(algorithms=["precision"]))


def test_nothing_asked_is_undecided():
    assert run("conform", "run", "--algorithm", "precision", *miniature("ascending")).code == 3


@pytest.mark.long
def test_a_fresh_mistake_is_shrunk_to_a_small_one():
    """The half of one present value differs from the truth on two records already; no smaller table has a distance."""
    answer = run(
        *("conform", "run", "--algorithm", "t-equal", "--seed", "3", "--size", "12", "--format", "json"),
        *miniature("half-of-values-present"),
    )
    assert answer.code == 1
    failed = [
        t for t in json.loads(answer.out)["tests"] if t["verdict"] == "wrong, unsafe side" and "random" in t["id"]
    ]
    assert min(len(t["question"]["input"]["rows"]) for t in failed) == 2


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("conform", "run", "--", "no-such-program"), "no-such-program"),
        (("conform", "run", "--algorithm", "k", *OURS), "algorithm 'k' is unknown"),
        (("conform", "run", "--vectors", "nothing.json", *OURS), "nothing.json"),
        (("conform", "run", "--seed", "1", "--vectors", "nothing.json", *OURS), "give one of them"),
        (("conform", "run", "--seconds", "0", *OURS), "must be positive"),
        (("conform", "show", "t-equal/nothing/1"), "is not a vector"),
        (("conform", "show", "nothing"), "is not a flag"),
        (("conform", "show", "--html", "x.html"), "none is named"),
        (("conform", "lint", "nothing.json"), "nothing.json"),
    ],
)
def test_wrong_usage_exits_with_2_and_says_why(arguments, words):
    answer = run(*arguments)
    assert answer.code == 2
    assert words in answer.err
    assert answer.out == ""


@pytest.mark.long
def test_generate_writes_files_that_lint_accepts_and_run_reads(tmp_path):
    folder = tmp_path / "fresh"
    make = ("conform", "generate", "--output", str(folder), "--seed", "5", "--size", "8", "--algorithm", "alpha-k")
    assert run(*make).out.startswith("8 vectors of 1 algorithms")
    file = folder / "alpha-k.json"
    assert len(read_vectors(file.read_text("utf-8"), "it")) == 8
    assert run("conform", "lint", str(file)).out == "1 files, nothing wrong\n"
    assert run("conform", "run", "--vectors", str(file), *OURS).code == 0
    assert run(*make).code == 2


def test_lint_finds_a_changed_answer(tmp_path):
    folder = tmp_path / "fresh"
    run("conform", "generate", "--output", str(folder), "--seed", "5", "--size", "4", "--algorithm", "k-anonymity")
    file = folder / "k-anonymity.json"
    text = file.read_text("utf-8")
    changed = text.replace('"satisfied":true', '"satisfied":false', 1)
    assert changed != text
    file.write_text(changed, "utf-8")
    answer = run("conform", "lint", str(file))
    assert answer.code == 1
    assert "k-anonymity/random/" in answer.out


@pytest.mark.long
def test_show_tells_of_a_vector_a_flag_and_reports(tmp_path):
    assert "half of |p - q|" in run("conform", "show", "half-of-values-present").out
    shown = run("conform", "show", "k-anonymity/smoke/1", "--format", "json").record["shown"][0]
    assert shown["id"] == "k-anonymity/smoke/1"
    assert "ascending (fault)" in run("conform", "show").out
    report, page = tmp_path / "a.json", tmp_path / "a.html"
    run("conform", "run", "--algorithm", "precision", "--report", str(report), *OURS)
    assert run("conform", "show", str(report), str(report), "--html", str(page)).code == 0
    assert page.read_text("utf-8").count('<th scope="col">tcloseness') > 1
    other = tmp_path / "b.html"
    assert run("conform", "show", str(report), "k-anonymity/none/1", "--html", str(other)).code == 2
    assert not other.exists()
    report.write_text("{}", "utf-8")
    assert "is not a conformance report" in run("conform", "show", str(report)).err


def test_conform_alone_shows_its_help():
    answer = run("conform")
    assert answer.code == 2
    assert "generate" in answer.err


@pytest.mark.long
def test_an_interrupt_while_mistakes_are_made_smaller_leaves_all_answers(monkeypatch):
    """Everything has been answered and assessed by then: the report is whole, and the exit code says what happened."""

    def interrupted(*_, **__):
        raise KeyboardInterrupt

    monkeypatch.setattr(shrink, "shrunk", interrupted)
    answer = run(
        *("conform", "run", "--algorithm", "t-equal", "--seed", "3", "--size", "12", "--format", "json"),
        *miniature("half-of-values-present"),
    )
    assert answer.code == 130
    record = json.loads(answer.out)
    assert record["complete"] is True
    assert record["totals"]["wrong, unsafe side"] > 0
