"""Weights decide, and what the rows say by themselves stands beside it: what weights can hide is in the first line."""

from __future__ import annotations

import json
import random
from fractions import Fraction
from html import unescape
from io import StringIO

import pandas as pd
import pytest
from rich.console import Console

from proofs_tests.cli.commands import run
from tcloseness.audit import check
from tcloseness.microdata import FrequencySet
from tcloseness.models import AlphaKAnonymity, KAnonymity
from tcloseness.report.html import page
from tcloseness.report.redaction import redacted
from tcloseness.report.text import print_audit
from tcloseness.report.wording import answer, gives_away

ROLES = {"quasi_identifiers": "q", "sensitive": "s"}
SURVEY = pd.DataFrame({"q": list("abbcc"), "s": list("xxyyx"), "w": [152, 100, 90, 80, 80]})


def weighted(frame):
    return FrequencySet.from_frame(frame, **ROLES, weight="w")


def printed(audit):
    out = StringIO()
    print_audit(audit, Console(file=out, width=300, color_system=None))
    return out.getvalue()


@pytest.mark.long
def test_a_k_that_only_the_weights_reach_is_said_in_the_first_line():
    audit = check(weighted(SURVEY), k=5)
    first = "satisfied: k-anonymity holds: 152 ≥ 5; but over the 5 rows themselves k-anonymity does not hold (1 < 5)"
    for each in (audit, redacted(audit)):
        assert each.status == "satisfied"
        assert answer(each) == first
        assert gives_away(each)[:2] == [
            "The 5 rows stand for 502 records by their weights, and the records decide. "
            "Over the rows themselves, 1 row is alone in a class of one row.",
            "By the weights, each record shares the quasi-identifiers with at least 151 others.",
        ]
        text = printed(each)
        assert text.startswith(first)
        assert "5 rows for 502 records" in text
        assert any(
            line.split() == ["k-anonymity,", "over", "rows", "1", "≥", "5", "-4", "violated"]
            for line in text.splitlines()
        )
        assert "k-anonymity, over rows" in page(each)
        assert first[1:] in unescape(page(each))
        record = each.answer()["over_rows"]
        assert (record["rows"], record["verdicts_differ"]) == (5, True)
        assert record["summary"][0]["value"] == "1"


def test_without_thresholds_k_over_rows_stands_beside_k():
    assert "k = 152 (over the 5 rows themselves 1)" in answer(check(weighted(SURVEY)))


def test_without_weights_nothing_is_said_of_rows():
    audit = check(FrequencySet.from_frame(SURVEY[["q", "s"]], **ROLES), k=1)
    assert audit.rows is None
    assert "over_rows" not in audit.answer()
    assert "rows" not in answer(audit) + printed(audit)
    assert gives_away(audit)[0] == "1 record (20 %) is alone in a class of one."


THRESHOLDS = {
    "k": 3,
    "alpha": "2/3",
    "entropy_l": "3/2",
    "frequency_l": "3/2",
    "recursive": (2, 2),
    "beta": "1/2",
    "delta": 1,
    "epsilon": "1/2",
    "t": "1/5",
}


@pytest.mark.long
@pytest.mark.parametrize("seed", range(3))
def test_what_stands_beside_is_what_the_table_without_weights_says(seed):
    """Every model, by value and verdict; the first line speaks of rows exactly where a verdict differs."""
    draw, differing = random.Random(seed), 0
    for _ in range(12):
        rows = [(draw.choice("ab"), draw.choice("xyz"), draw.choice([1, 2, 9])) for _ in range(draw.randint(2, 9))]
        frame = pd.DataFrame(rows, columns=["q", "s", "w"])
        asked = {name: THRESHOLDS[name] for name in draw.sample(list(THRESHOLDS), 3)}
        models = [KAnonymity(2) & AlphaKAnonymity("1/2")]
        audit = check(weighted(frame), ground={"s": "equal"}, models=models, **asked)
        plain = FrequencySet.from_frame(frame[["q", "s"]], **ROLES)
        alone = check(plain, ground={"s": "equal"}, models=models, **asked)
        repeated = FrequencySet.from_frame(
            frame.loc[frame.index.repeat(frame["w"]), ["q", "s"]].reset_index(drop=True), **ROLES
        )
        records = check(repeated, ground={"s": "equal"}, models=models, **asked)
        (attribute,), (by_row,), (by_record,) = audit.attributes, alone.attributes, records.attributes
        assert audit.rows == len(frame)
        assert [(r.status, r.value) for r in attribute.over_rows.results] == [
            (r.status, r.value) for r in by_row.results
        ]
        assert [(r.status, r.value) for r in attribute.results] == [(r.status, r.value) for r in by_record.results]
        differ = [r.status for r in by_row.results] != [r.status for r in by_record.results]
        assert ("over the" in answer(audit)) == differ
        assert audit.answer()["over_rows"]["verdicts_differ"] == differ
        assert answer(redacted(audit)) == answer(audit)
        json.dumps(redacted(audit).to_dict())
        differing += differ
    assert differing


def test_generalizing_keeps_count_of_the_rows():
    projected = weighted(SURVEY).project(())
    assert (projected.rows.sum(), projected.counts.sum()) == (5, 502)
    assert projected.over_rows().counts.tolist() == projected.rows.tolist()


def test_the_command_says_it_and_decides_by_the_weights(tmp_path):
    file = tmp_path / "survey.csv"
    SURVEY.to_csv(file, index=False)
    asked = ("check", str(file), "-q", "q", "-s", "s", "--weight", "w", "--k", "5")
    found = run(*asked)
    assert found.code == 0
    assert "but over the 5 rows themselves k-anonymity does not hold (1 < 5)" in " ".join(found.out.split())
    record = run(*asked, "--format", "json").record
    assert record["status"] == "satisfied"
    assert record["over_rows"]["verdicts_differ"]
    assert Fraction(record["over_rows"]["summary"][0]["value"]) == 1


def test_suppressed_rows_are_no_released_rows():
    frame = pd.DataFrame({"q": ["a", "a", "*"], "s": list("xyx"), "w": [4, 4, 7]})
    audit = check(FrequencySet.from_frame(frame, **ROLES, weight="w", suppressed="*"), k=3)
    assert (audit.rows, audit.records, audit.suppressed) == (2, 8, 7)
    assert answer(audit).endswith("but over the 2 rows themselves k-anonymity does not hold (2 < 3)")


def test_a_search_decides_by_the_weights_and_says_what_the_rows_say(tmp_path):
    """Generalized to one class there are 5 rows; as they are, a class of one row stands for 152 records."""
    file, hierarchies = tmp_path / "survey.csv", tmp_path / "h"
    SURVEY.to_csv(file, index=False)
    hierarchies.mkdir()
    (hierarchies / "q.csv").write_text("a,*\nb,*\nc,*\n")
    asked = ("search", str(file), "-q", "q", "-s", "s", "--weight", "w", "--hierarchies", str(hierarchies), "--all")
    record = run(*asked, "--k", "5", "--format", "json").record
    found = {node["height"]: (node["k"], node["over_rows"]) for node in record["nodes"]}
    assert found == {0: (152, {"k": 1, "status": "violated"}), 1: (502, {"k": 5, "status": "satisfied"})}
    text = " ".join(run(*asked, "--k", "5").out.split())
    assert "But over the rows themselves, without their weights, 1 of the 2 nodes listed does not." in text
    assert "k, over rows" in text
    assert "rows 5, which stand for the records by their weights; the records decide" in text
    assert "over rows" not in run(*asked[:6], *asked[8:], "--k", "1").out
    suppressing = run(*asked, "--k", "160", "--suppression", "1/3", "--format", "json").record
    released = {node["height"]: (node["suppressed_records"], node["over_rows"]) for node in suppressing["nodes"]}
    assert released[0] == (152, {"k": 2, "status": "violated"})
