"""A run survives whatever a harness does, and says what it was."""

from __future__ import annotations

import json
import sys
import xml.etree.ElementTree as ElementTree
from functools import cache
from pathlib import Path

import jsonschema
import pytest

from tcloseness.conformance.harness import started
from tcloseness.conformance.inputs import Table
from tcloseness.conformance.process import Harness, final_lines
from tcloseness.conformance.protocol import read_reply, schema
from tcloseness.conformance.reports import badge_svg, junit_xml, matrix_page, report_text, summary
from tcloseness.conformance.runner import Report, _Tally, result_warnings, run
from tcloseness.conformance.vectors import Vector, load
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


@pytest.mark.long
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


@pytest.mark.slow
def test_a_harness_that_hangs_is_ended_and_started_anew() -> None:
    report = run([sys.executable, BAD, "hang"], some()[:8], seconds=3.0)
    assert report.totals["timeout"] == 1
    assert report.totals["right"] == 7


def test_the_last_words_of_a_crash_are_kept() -> None:
    crashed = next(r for r in bad("crash").records if r.assessment.verdict == "error")
    assert "out of memory" in crashed.assessment.got
    assert "exit 7" in crashed.assessment.got


def test_the_line_that_tells_is_kept_though_a_long_trace_follows_it() -> None:
    crashed = next(r for r in bad("crash-first-words").records if r.assessment.verdict == "error")
    for words in ("TypeError: the cause", "/some/where.js:3", "runner v20"):
        assert words in crashed.assessment.got
    assert "step 30" not in crashed.assessment.got


@pytest.mark.parametrize(
    ("said", "kept"),
    [
        ([], []),
        (["one", "two"], ["one", "two"]),
        (
            ["Traceback", *(f"line {i}" for i in range(9)), "KeyError: 'z'"],
            ["KeyError: 'z'", "Traceback", "line 0", "line 1", "…", "line 7", "line 8"],
        ),
        (
            ["throw new Error('x')", "Error: x", *(f"at {i}" for i in range(9))],
            ["Error: x", "throw new Error('x')", "at 0", "at 1", "…", "at 7", "at 8"],
        ),
    ],
)
def test_the_last_words_are_the_telling_line_the_first_and_the_last(said: list[str], kept: list[str]) -> None:
    assert final_lines(said) == kept


def test_slips_are_reported_and_cost_nothing() -> None:
    report = bad("slips")
    assert report.totals["right"] == len(some())
    assert report.warnings == (
        "algorithm 'kanonymity' is unknown, so it is never asked; did you mean 'k-anonymity'?",
        "algorithm 'nothing-like-it' is unknown, so it is never asked; the names are in protocol.md",
        "convention 'entropy-in-bit' is unknown, so it changes nothing; did you mean 'entropy-in-bits'?",
        "'ascending' is a mistake and no convention, so declaring it changes nothing",
        "a result has the field 'k', which is not read; did you mean 'value'?",
    )
    for text in report.warnings:
        assert f"note: {text}\n" in report_text(report.to_dict())
    assert bad("none").warnings == ()


def test_a_report_from_a_file_shows_no_control_character() -> None:
    record = json.loads(json.dumps(bad("slips").to_dict()))
    record["implementation"]["name"] = record["stopped"] = record["warnings"][0] = "a\x1b[31m\u202eb"
    text = report_text(record)
    assert text.count("a\\x1b[31m\\u202eb") == 3
    assert all(map(str.isprintable, text.splitlines()))


def test_notes_are_few_whatever_a_harness_sends() -> None:
    tally = _Tally(None, 1, None)
    for i in range(500):
        tally.warn(result_warnings({f"field {i}" * 1000: 1, "value": 1}))
    assert len(tally.warnings) == 51
    assert tally.warnings[-1] == "there are more such notes, which are not shown"
    assert max(map(len, tally.warnings)) < 300
    assert len(result_warnings({f"{i}": 1 for i in range(10_000)})) <= 20


@pytest.mark.long
def test_skipped_tests_are_split_into_not_offered_and_the_harness_s_reasons() -> None:
    tests = [*some(), *load(algorithms=["precision"])]
    report = run([sys.executable, BAD, "skip-twice"], tests).to_dict()
    assert summary(report) == "27 of 27 right (11 not offered; 3 skipped by the harness)"
    text = report_text(report)
    assert "not offered (11 tests): precision\n" in text
    assert "skipped by the harness (3 tests): 2 × never; 1 × not today\n" in text


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
        ("version-text", "a text; write the number 1"),
        ("one-name", "lists of names"),
    ],
)
def test_a_harness_that_does_not_start_is_refused(what: str, words: str) -> None:
    with pytest.raises(HarnessError, match=words):
        bad(what)


@pytest.mark.parametrize(
    ("what", "words"),
    [
        ("seq-text", "seq '0', a text"),
        ("satisfied-text", "satisfied is a text; it is true or false, without quotation marks"),
        ("all-wrong", "got value -1"),
    ],
)
def test_where_no_smoke_test_is_right_the_others_are_not_asked_and_the_report_says_so(what: str, words: str) -> None:
    report = bad(what)
    assert all(r.vector.reason == "smoke" and r.assessment.failed for r in report.records)
    assert report.exit_code == 1
    record = report.to_dict()
    assert record["complete"] is False
    text = report_text(record)
    assert words in text
    for shown in (text, matrix_page([record]), junit_xml(record)):
        assert "no smoke test is right" in shown
    assert "incomplete" in badge_svg(record)


def others(algorithm: str) -> list[Vector]:
    """Smoke tests and others of a second algorithm."""
    tests = load(algorithms=[algorithm])
    return [*[v for v in tests if v.reason == "smoke"], *[v for v in tests if v.reason != "smoke"][:5]]


@pytest.mark.long
def test_one_algorithm_that_is_wrong_from_the_start_does_not_end_the_run() -> None:
    """It is named, and all tests of both are asked; so is the other one's, whichever is asked first."""
    for tests in ([*some(), *others("distinct-l")], [*others("distinct-l"), *some()]):
        report = run([sys.executable, BAD, "second-wrong"], tests)
        assert (report.smoke_failed, report.stopped) == (("distinct-l",), "")
        assert report.to_dict()["complete"] is True
        assert [r.vector.id for r in report.records] == [v.id for v in tests]
        by = report.by(lambda vector: vector.algorithm)
        assert by["k-anonymity"]["right"] == len(some())
        assert not by["distinct-l"]["right"]


def test_a_harness_that_is_wrong_in_all_that_it_offers_ends_the_run_whatever_it_does_not_offer() -> None:
    tests = [*others("distinct-l"), *some()]
    report = run([sys.executable, BAD, "all-wrong"], tests)
    assert report.smoke_failed == ("k-anonymity",)
    assert "no smoke test is right" in report.stopped
    assert {r.vector.reason for r in report.records} == {"smoke"}
    assert report.exit_code == 1


@pytest.mark.long
def test_where_nothing_is_judged_nothing_is_said_to_be_right() -> None:
    report = run([sys.executable, BAD, "none"], others("distinct-l"))
    assert (report.totals["skipped"], report.exit_code) == (len(others("distinct-l")), 3)


def test_a_program_that_is_not_there_is_named() -> None:
    with pytest.raises(HarnessError, match="no-such-program"):
        run(["no-such-program"], some())


@pytest.mark.parametrize(("seconds", "workers"), [(0, 1), (-1, 1), (1, 0)])
def test_limits_must_be_positive(seconds: float, workers: int) -> None:
    with pytest.raises(InputError, match="must be positive"):
        run(OURS, some(), seconds=seconds, workers=workers)


def test_progress_counts_to_the_end() -> None:
    tally: list[tuple[int, int]] = []
    run([sys.executable, BAD, "none"], some(), progress=lambda done, total: tally.append((done, total)))
    assert tally == [(i + 1, len(some())) for i in range(len(some()))]


NO_ANSWERS = ["", "hello", "[]", '{"seq": 2, "result": {}}', '{"seq": 1}', '{"result": {}}']
OTHER_TYPES = [f'{{"seq": {seq}, "result": {{}}}}' for seq in ("true", "1.0", '"1"', "null", "[1]", "1e0")]


@pytest.mark.parametrize("text", NO_ANSWERS + OTHER_TYPES)
def test_what_is_no_answer_is_refused(text: str) -> None:
    with pytest.raises(ProtocolError):
        read_reply(text, 1)


@pytest.mark.long
def test_the_skeleton_of_the_how_to_is_a_harness_that_is_right(tmp_path: Path) -> None:
    """It skips what it cannot write out, and answers the rest rightly."""
    how_to = Path(__file__).parents[2] / "docs" / "conformance" / "README.md"
    skeleton = how_to.read_text("utf-8").split("```python\n")[1].split("```")[0]
    file = tmp_path / "my_harness.py"
    file.write_text(skeleton, "utf-8")
    tests = load(algorithms=["k-anonymity"])
    report = run([sys.executable, str(file)], tests, seconds=20)
    assert report.exit_code == 0
    large = [v for v in tests if isinstance(v.given, Table) and sum(v.given.counts) > 1_000_000]
    assert report.totals["skipped"] == len(large)
    assert report.totals["right"] == len(tests) - len(large)


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


def test_another_convention_is_not_counted_among_the_right_answers() -> None:
    record = json.loads(json.dumps(wrong_report()))
    record["totals"] |= {"right": 20, "other convention": 7}
    record["algorithms"]["k-anonymity"] |= {"right": 20, "other convention": 7}
    assert summary(record) == "20 of 30 right, 7 under another convention (3 undefined)"
    assert "20/30 + 7≈" in matrix_page([record])
    assert "20 of 30 + 7 by convention" in badge_svg(record)


def test_a_null_is_named_as_one() -> None:
    record = json.loads(json.dumps(wrong_report()))
    assert {t["got"] for t in record["tests"] if t["verdict"] == "undefined"} == {"value NaN"}
    assert "the value is NaN, which is not a number" in report_text(record)
    assert "the value is NaN, which is not a number" in matrix_page([record])


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


def test_a_process_can_be_closed_twice() -> None:
    harness = Harness([sys.executable, BAD, "none"])
    harness.start()
    harness.close()
    harness.close()
