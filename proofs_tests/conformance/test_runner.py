"""A run survives whatever a harness does, and says what it was."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ElementTree
from functools import cache
from pathlib import Path

import jsonschema
import pytest

from tcloseness.conformance.badge import badge_svg
from tcloseness.conformance.generate import answered
from tcloseness.conformance.harness import started
from tcloseness.conformance.inputs import Table
from tcloseness.conformance.judge import judge
from tcloseness.conformance.junit import junit_xml
from tcloseness.conformance.matrix import matrix_page
from tcloseness.conformance.process import Harness
from tcloseness.conformance.protocol import Given, read_reply, schema
from tcloseness.conformance.runner import Report, run
from tcloseness.conformance.shrink import shrink
from tcloseness.conformance.vectors import Vector, load
from tcloseness.conformance.words import report_text, summary
from tcloseness.errors import HarnessError, InputError, ProtocolError

BAD = str(Path(__file__).with_name("bad_harness.py"))
OURS = [sys.executable, "-m", "tcloseness.conformance.harness"]


@cache
def some() -> list[Vector]:
    tests = load(algorithms=["k-anonymity"])
    smoke = [v for v in tests if v.reason == "smoke"]
    return [*smoke, *[v for v in tests if v.reason != "smoke"][:28]]


@cache
def bad(what: str, seconds: float = 20.0, workers: int = 1) -> Report:
    return run([sys.executable, BAD, what], some(), seconds=seconds, workers=workers)


def test_our_own_harness_is_right_on_a_sample_of_every_algorithm() -> None:
    tests = [v for v in load() if v.reason in ("smoke", "random")]
    report = run(OURS, tests, seconds=60, workers=2)
    assert report.totals["right"] == len(tests) == len(report.records)
    assert report.exit_code == 0


@pytest.mark.parametrize(
    ("what", "verdict"),
    [
        ("crash", "error"),
        ("babble", "error"),
        ("raise", "error"),
        ("nan", "undefined"),
        ("skip", "skipped"),
    ],
)
def test_one_bad_answer_costs_its_own_test_only(what: str, verdict: str) -> None:
    report = bad(what)
    assert report.totals[verdict] == 3
    assert report.totals["right"] == 27
    assert report.exit_code == (0 if verdict == "skipped" else 1)


def test_a_harness_that_hangs_is_ended_and_started_anew() -> None:
    report = run([sys.executable, BAD, "hang"], some()[:8], seconds=3.0)
    assert report.totals["timeout"] == 1
    assert report.totals["right"] == 7


def test_the_last_words_of_a_crash_are_kept() -> None:
    crashed = next(r for r in bad("crash").records if r.judgement.verdict == "error")
    assert "out of memory" in crashed.judgement.got
    assert "exit 7" in crashed.judgement.got


def test_workers_answer_all_tests_once() -> None:
    report = bad("crash", workers=3)
    assert [r.vector.id for r in report.records] == [v.id for v in some()]
    assert report.totals["error"] == 3


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("silent", "broken from the start"),
        ("version", "version 99"),
        ("nameless", "implementation.name"),
        ("all-wrong", "answers no smoke test right"),
    ],
)
def test_a_harness_that_is_broken_itself_is_refused(what: str, words: str) -> None:
    with pytest.raises(HarnessError, match=words):
        bad(what)


def test_a_program_that_is_not_there_is_named() -> None:
    with pytest.raises(HarnessError, match="no-such-program"):
        run(["no-such-program"], some())


@pytest.mark.parametrize(("seconds", "workers"), [(0, 1), (-1, 1), (1, 0)])
def test_limits_must_be_positive(seconds: float, workers: int) -> None:
    with pytest.raises(InputError, match="must be positive"):
        run(OURS, some(), seconds=seconds, workers=workers)


def test_progress_counts_to_the_end() -> None:
    told: list[tuple[int, int]] = []
    run([sys.executable, BAD, "none"], some(), progress=lambda done, total: told.append((done, total)))
    assert told == [(i + 1, len(some())) for i in range(len(some()))]


@pytest.mark.parametrize("text", ["", "hello", "[]", '{"seq": 2, "result": {}}', '{"seq": 1}', '{"result": {}}'])
def test_what_is_no_answer_is_refused(text: str) -> None:
    with pytest.raises(ProtocolError):
        read_reply(text, 1)


# ---------------------------------------------------------------------- reports


@cache
def wrong_report() -> dict[str, object]:
    return bad("nan").to_dict()


def test_a_report_follows_its_schema_and_ends_with_complete() -> None:
    record = wrong_report()
    jsonschema.Draft202012Validator(schema("report")).validate(json.loads(json.dumps(record)))
    assert list(record)[-1] == "complete"


def test_messages_follow_the_protocol_schema() -> None:
    validator = jsonschema.Draft202012Validator(schema("protocol"))
    for vector in load():
        validator.validate({"cmd": "run", "seq": 1, **vector.question()})
        break
    for message in (
        {"cmd": "start", "version": 1},
        {"cmd": "stop"},
        started(),
        {"seq": 1, "skipped": "why"},
        {"seq": 1, "error": {"message": "what"}},
    ):
        validator.validate(message)


def test_a_question_gives_nothing_away() -> None:
    for vector in load():
        assert set(vector.question()) == {"algorithm", "parameters", "input"}


def test_the_text_report_names_the_mistake_and_the_right_answer() -> None:
    text = report_text(wrong_report())
    assert "27 of 30 right (3 undefined)" in text
    assert "What went wrong" in text
    assert "right is value" in text
    assert summary(wrong_report()) in text


def test_junit_counts_what_the_report_counts() -> None:
    root = ElementTree.fromstring(junit_xml(bad("crash").to_dict()))
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("30", "0", "3")
    assert len(root.findall(".//testcase")) == 30
    assert len(root.findall(".//error")) == 3


def test_the_page_shows_every_implementation_and_escapes_names() -> None:
    record = json.loads(json.dumps(wrong_report()))
    record["implementation"]["name"] = "<b>tool</b>"
    page = matrix_page([wrong_report(), record], command="a < b")
    assert "tcloseness" in page
    assert "&lt;b&gt;tool&lt;/b&gt;" in page
    assert "<b>tool" not in page
    assert "<script" not in page
    assert "http" not in page


def test_the_badge_is_a_picture_of_the_totals() -> None:
    root = ElementTree.fromstring(badge_svg(wrong_report()))
    assert root.get("aria-label") == "bad conformance: 27 of 30"
    unsafe = {**wrong_report(), "totals": {**bad("none").totals, "wrong, unsafe side": 2}}
    assert "2 unsafe" in badge_svg(unsafe)


# ---------------------------------------------------------------------- shrinking


def test_shrinking_finds_the_smallest_table_that_is_still_wrong() -> None:
    """An implementation that counts at most 2 records a class: 3 alike records are enough, and needed, to see it."""

    def ask(vector: Vector) -> object:
        assert isinstance(vector.given, Table)
        keys = [row[0] for row in vector.given.rows]
        smallest = min(min(keys.count(key), 2) for key in keys)
        return judge(vector, Given({"value": smallest}))

    rows = tuple((key, value) for key in "aaaabbbbb" for value in "x")
    table = Table(("z", "s"), ("text", "text"), rows, ("z",), ("s",), index=tuple(range(9)))
    start = answered("k-anonymity", table, {"k": "4"}, "k-anonymity/random/1", "to shrink")
    assert ask(start).verdict == "wrong, over-strict"  # type: ignore[attr-defined]
    small = shrink(start, "wrong, over-strict", ask)  # type: ignore[arg-type]
    assert isinstance(small.given, Table)
    assert len(small.given.rows) == 3
    assert small.given.index is None
    assert len({row[0] for row in small.given.rows}) == 1


def test_a_process_can_be_closed_twice() -> None:
    harness = Harness([sys.executable, BAD, "none"])
    harness.close()
    harness.close()
