"""What an output says of a value and its threshold is read back, and compared with the decision on exact numbers.

Every model, satisfied, violated, undecided, measured and infinite, in every output: the first line, the text, the page,
the JSON, each with the values and without them, and what the writing commands print. The relation of each model stands
here once more, as its paper has it.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from html import unescape
from io import StringIO
from typing import Any

import numpy as np
import pandas as pd
import pytest
from markupsafe import Markup
from rich.console import Console

from tcloseness import models as m
from tcloseness.audit import Audit, check
from tcloseness.errors import ProtocolError
from tcloseness.exact import Rationals
from tcloseness.measures import Hellinger, JensenShannon, KullbackLeibler
from tcloseness.microdata import ClassCounts, FrequencySet
from tcloseness.models.protocol import PrivacyModel, result
from tcloseness.report.html import CaptionedFigure, page
from tcloseness.report.redaction import redacted
from tcloseness.report.release_text import attained, print_release
from tcloseness.report.text import print_audit
from tcloseness.report.wording import Letters, answer, letter, lines_of

F = Fraction
ROWS = {"a": "xxxxyyz", "b": "xxyzz", "c": "xyyyz"}
TABLE = FrequencySet.from_frame(
    pd.DataFrame([(q, s) for q, values in ROWS.items() for s in values], columns=["q", "s"]),
    quasi_identifiers="q",
    sensitive="s",
)
LACKING = FrequencySet.from_frame(
    pd.DataFrame({"q": list("aabbbb"), "s": list("xxxyzz")}), quasi_identifiers="q", sensitive="s"
)
PEOPLE = m.PopulationCounts((8, 9, 10))  # shares 7/8, 5/9, 5/10

MODELS = {
    "k": (m.KAnonymity, "≥"),
    "distinct": (m.DistinctLDiversity, "≥"),
    "entropy": (m.EntropyLDiversity, "≥"),
    "frequency": (m.FrequencyLDiversity, "≥"),
    "recursive": (lambda c: m.RecursiveCLDiversity(2, c=c), "<"),
    "recursive 3": (lambda c: m.RecursiveCLDiversity(3, c=c), "<"),
    "t": (lambda t: m.TCloseness(t, ground="equal"), "≤"),
    "t matrix": (lambda t: m.TCloseness(t, ground=[[0, 1, 3], [1, 0, 2], [3, 2, 0]]), "≤"),
    "t Kullback-Leibler": (lambda t: m.TCloseness(t, measure=KullbackLeibler()), "≤"),
    "t Jensen-Shannon": (lambda t: m.TCloseness(t, measure=JensenShannon()), "≤"),
    "t Hellinger": (lambda t: m.TCloseness(t, measure=Hellinger()), "≤"),
    "n,t": (lambda t: m.NTCloseness(8, t, ground="equal"), "≤"),
    "alpha": (m.AlphaKAnonymity, "≤"),
    "beta": (m.BasicBetaLikeness, "≤"),
    "enhanced beta": (m.EnhancedBetaLikeness, "≤"),
    "delta": (m.DeltaDisclosure, "<"),
    "delta nats": (lambda d: m.DeltaDisclosure(d, base="e"), "<"),
    "epsilon": (m.ExpEpsilonCloseness, "≤"),
    "ratio": (lambda r: m.ExpEpsilonCloseness(ratio=r), "≤"),
    "p": (m.PSensitiveKAnonymity, "≥"),
    "pd": (lambda c: m.PositiveDisclosureRecursive(2, c, allowed=["x"]), "<"),
    "negative": (lambda c: m.NegativeDisclosure(c, protected=["z"]), "≥"),
    "negative fraction": (lambda c: m.NegativeDisclosure(c, protected=["z"], unit="fraction"), "≥"),
    "npd": (lambda c: m.NegativePositiveRecursive(2, c, c and 1, allowed=["x"], protected=["z"]), "<"),
    "presence high": (lambda d: m.DeltaPresence(PEOPLE, high=d), "≤"),
    "presence low": (lambda d: m.DeltaPresence(PEOPLE, low=d), "≥"),
    "k-map": (lambda k: m.KMap(PEOPLE, k), "≥"),
    "journalist": (lambda r: m.JournalistRisk(PEOPLE, r), "≤"),
}
WHOLE = ("k", "distinct", "p", "k-map")
OPPOSITE = {"≥": "<", "<": "≥", "≤": ">", ">": "≤"}
HOLDS = {
    "≥": lambda a, b: a >= b,
    "≤": lambda a, b: a <= b,
    "<": lambda a, b: a < b,
    ">": lambda a, b: a > b,
}


@pytest.fixture(autouse=True)
def _no_pictures(monkeypatch):
    """The sentences of a page are read here; drawing its pictures takes most of its time."""
    monkeypatch.setattr("tcloseness.report.html._Figures.of", lambda *_: CaptionedFigure("", "", Markup("")))
    for name in ("class_sizes", "distances", "records_beyond", "class_against_reference", "values_believed"):
        monkeypatch.setattr(f"tcloseness.report.audit_figures.{name}", lambda *_: None)


def of(table: FrequencySet, model: PrivacyModel) -> tuple[Audit, m.ModelResult]:
    audit = check(table, models=[model])
    return audit, audit.attributes[0].results[-1]


def thresholds(name: str) -> list[Any]:
    """Return thresholds at, beside and far from the measured value, also nearer to it than any double is."""
    build, _ = MODELS[name]
    measured = build(1 if name == "ratio" else None).evaluate(TABLE.class_counts())  # without one it is epsilon
    leaf = measured.parts[1] if name == "presence low" else measured
    value = leaf.value
    if name in WHOLE:
        return [int(value), int(value) + 1, max(int(value) - 1, 1)]
    exact = value if isinstance(value, Fraction) else F(float(value))
    steps = [F(1, 10**3), F(1, 10**9), F(1, 10**14), F(1, 10**25), F(1, 10**60), F(1, 7**40)]
    found = [exact, *(exact + s for s in steps), *(exact - s for s in steps)]
    return [t for t in found if t > 0 and (name not in ("entropy", "frequency", "ratio") or t >= 1)]


NUMBER = r"(?:[≈=] )?-?(?:∞|[0-9]+/[0-9]+|[0-9.]+(?:e[+-][0-9]+)?)"
SENTENCE = re.compile(rf"({NUMBER}) ([≥≤<>]) ({NUMBER})")


def number(text: str) -> Fraction | float:
    """Read a number as a person does: exact where the fraction is printed, else its decimal."""
    text = text.replace("\N{MINUS SIGN}", "-").replace("\N{NO-BREAK SPACE}", " ")
    plain = text.partition(" (")[0].lstrip("≈= ").partition(" ≈ ")[0].partition(" = ")[0]
    return math.inf if plain == "∞" else F(plain)


def near(read: Any, exact: Any) -> bool:
    return read == exact if math.inf in (read, exact) else math.isclose(float(read), float(exact), rel_tol=1e-3)


@dataclass(frozen=True)
class Said:
    """What an output said: a value, a relation, a threshold, and the status beside it."""

    value: str
    relation: str
    threshold: str
    status: str


def printed(audit: Audit) -> str:
    out = StringIO()
    print_audit(audit, Console(file=out, width=400, color_system=None))
    return out.getvalue()


def rows_of_text(text: str, title: str) -> Iterator[list[str]]:
    for line in text.splitlines():
        cells = re.split(r" {2,}", line.strip())
        if len(cells) == 5 and cells[0] == title and cells[4] in ("satisfied", "violated", "measured", "undecided"):
            yield cells


def rows_of_page(text: str, title: str) -> Iterator[dict[str, str]]:
    for row in re.findall(r'<tr class="(?:satisfied|violated|measured|undecided)">.*?</tr>', text, re.DOTALL):
        lead = unescape(re.sub(r"<small>.*?</small>", "", re.search(r'<td class="lead">(.*?)</td>', row)[1]))
        if lead == title:
            yield {
                label: unescape(cell)
                for label, cell in re.findall(r'data-label="([^"]*)"[^>]*>(.*?)</td>', row, re.DOTALL)
            }


def said_by(audit: Audit, found: m.ModelResult) -> Iterator[tuple[str, Said]]:
    """Yield all that is said of one decided result without parts, with the name of the output."""
    title = found.title or found.model
    first = answer(audit)
    value, relation, threshold = SENTENCE.search(first[first.index(title) + len(title) :]).groups()
    yield "first line", Said(value, relation, threshold, first.partition(":")[0])
    text = printed(audit)
    assert first in text
    *_, cells = rows_of_text(text, title)
    rule, _, bound = cells[2].partition(" ")
    yield "text", Said(cells[1], rule if cells[4] == "satisfied" else OPPOSITE[rule], bound, cells[4])
    html = page(audit)
    *_, row = rows_of_page(html, title)
    rule, _, bound = row["threshold"].partition(" ")
    status = row["verdict"].split()[-1]
    yield "page", Said(row["measured"], rule if status == "satisfied" else OPPOSITE[rule], bound, status)
    assert first[1:] in unescape(html)


def assert_true(said: Said, found: m.ModelResult, relation: str, output: str) -> None:
    """A sentence holds for the numbers that it prints, they are the result's, and it says what was decided."""
    assert said.status == found.status, output
    assert said.relation == (relation if found.status == "satisfied" else OPPOSITE[relation]), output
    value, threshold = number(said.value), number(said.threshold)
    assert HOLDS[said.relation](value, threshold), (output, said)
    assert near(value, found.value), (output, said)
    assert near(threshold, found.threshold), (output, said)


@pytest.mark.long
@pytest.mark.parametrize("name", MODELS)
def test_every_output_says_how_the_value_stands_to_the_threshold_as_it_was_decided(name):
    build, relation = MODELS[name]
    statuses = set()
    for place, threshold in enumerate(thresholds(name)):
        audit, whole = of(TABLE, build(threshold))
        statuses.add(whole.status)
        # decided on exact numbers, beside the result's own relation
        (leaf,) = [each for each in whole.decisive if each.threshold_name == whole.decisive[0].threshold_name]
        assert HOLDS[relation](leaf.value, leaf.threshold) == whole.satisfied
        assert leaf.relation == relation
        assert leaf.strict == (relation == "<")
        outputs = list(said_by(audit, whole)) if place < 2 else [next(said_by(audit, whole))]
        for output, said in outputs:
            assert_true(said, leaf, relation, output)
    assert statuses == {"satisfied", "violated"}


@pytest.mark.parametrize("name", MODELS)
def test_the_json_carries_threshold_and_relation_and_they_are_those_of_the_decision(name):
    build, relation = MODELS[name]
    for threshold in (None, *thresholds(name)[:3]):
        audit, found = of(TABLE, build(threshold))
        for each in (audit, redacted(audit)):
            record = json.loads(json.dumps(each.answer()))
            summary = record["summary"][-1]
            assert summary["status"] == found.status
            if threshold is None:
                assert summary["threshold"] is None
                continue
            assert summary["relation"] == relation
            logarithm = summary["threshold"].startswith("ln ")
            bound = summary["threshold"].removeprefix("ln ")
            assert F(bound) == threshold
            if not logarithm and isinstance(found.decisive[0].value, Fraction):
                assert HOLDS[relation](F(summary["value"]), F(bound)) == found.satisfied
            whole = record["sensitive_attributes"][0]["results"][-1]
            leaf = next(r for r in (whole, *whole["parts"]) if r["threshold"] is not None)
            assert (leaf["threshold"], leaf["relation"]) == (summary["threshold"], relation)
            assert leaf["parameters"][leaf["threshold_name"]] == bound


@pytest.mark.parametrize("name", MODELS)
def test_without_values_the_same_is_said(name):
    build, relation = MODELS[name]
    for threshold in thresholds(name)[1:3]:
        audit, found = of(TABLE, build(threshold))
        assert answer(redacted(audit)) == answer(audit)
        for output, said in said_by(redacted(audit), found):
            assert_true(said, found.decisive[0], relation, output)


@pytest.mark.parametrize("name", MODELS)
def test_what_the_writing_commands_print_says_it_too(name):
    build, relation = MODELS[name]
    classes = TABLE.class_counts()
    for threshold in thresholds(name)[:3]:
        found = build(threshold).evaluate(classes)
        out = StringIO()
        console = Console(file=out, width=300, color_system=None)
        print_release(console, status="satisfied", answer=["Yes."], verdicts=[(found, classes)])
        rows = [
            cells
            for line in out.getvalue().splitlines()
            if len(cells := re.split(r" {2,}", line.strip())) == 5 and cells[4] in ("satisfied", "violated")
        ]
        leaf = found.decisive[0]
        said = [cells for cells in rows if near(number(cells[2].partition(" ")[2]), leaf.threshold)]
        assert said, out.getvalue()
        rule, _, bound = said[0][2].partition(" ")
        status = said[0][4]
        assert_true(
            Said(said[0][1], rule if status == "satisfied" else OPPOSITE[rule], bound, status), leaf, relation, "table"
        )
        assert said[0][1] in attained([(found, classes)])


INFINITE = ("recursive 3", "delta", "delta nats", "epsilon", "ratio", "enhanced beta")


@pytest.mark.parametrize("name", INFINITE)
def test_an_infinite_value_breaks_every_threshold_and_says_why(name):
    build, relation = MODELS[name]
    audit, found = of(LACKING, build(3))
    assert found.value == math.inf
    for output, said in said_by(audit, found):
        assert_true(said, found, relation, output)
    assert found.why_infinite in {each.why for each in audit.undefined if each.quantity == found.model}
    assert audit.answer()["summary"][-1]["value"] == "inf"


def test_a_superset_of_n_records_that_does_not_exist_is_infinitely_far():
    audit, found = of(TABLE, m.NTCloseness(18, "1/2", ground="equal"))
    assert found.value == math.inf
    assert answer(audit).endswith("∞ > 1/2)") or answer(audit).endswith("∞ > 1/2")
    assert any("no superset of at least 18 records" in each.why for each in audit.undefined)


# ---------------------------------------------------------------------- several things at once


@pytest.mark.parametrize(
    ("model", "said"),
    [
        (m.AlphaKAnonymity("3/4", 6), "k-anonymity 5 < 6"),
        (m.AlphaKAnonymity("1/2", 5), "3/5 > 1/2"),
        (m.AlphaKAnonymity("1/2", 6), "3/5 > 1/2 and k-anonymity 5 < 6"),
        (m.AlphaKAnonymity("3/4", 5), "3/5 ≤ 3/4 and k-anonymity 5 ≥ 5"),
        (m.AlphaKAnonymity(k=6), "k-anonymity 5 < 6"),
        (m.PSensitiveKAnonymity(3, 6), "k-anonymity 5 < 6"),
        (m.PSensitiveKAnonymity(4, 5), "distinct l-diversity 3 < 4"),
        (m.DeltaPresence(PEOPLE, low="1/2", high="1/2"), "delta-presence, greatest 7/8 > 1/2"),
        (m.DeltaPresence(PEOPLE, low="3/4", high="9/10"), "delta-presence, least 1/2 < 3/4"),
        (m.DeltaPresence(PEOPLE, low="1/3", high="9/10"), "greatest 7/8 ≤ 0.9 and delta-presence, least 1/2 ≥ 1/3"),
        (m.NegativePositiveRecursive(2, 9, 20, protected=["z"]), "negative disclosure 100/7 < 20"),
        (m.KAnonymity(3) & m.TCloseness("1/10", ground="equal"), "t-closeness 21/85 > 0.1"),
        (m.KAnonymity(3) & m.DistinctLDiversity(2), "k-anonymity 5 ≥ 3 and distinct l-diversity 3 ≥ 2"),
    ],
)
def test_of_a_model_of_several_parts_those_that_decide_are_said(model, said):
    audit, found = of(TABLE, model)
    assert said in answer(audit)
    summary = audit.answer()["summary"][-1]
    leaf = found.decisive[0]
    assert summary["threshold"] == leaf.threshold_text
    assert HOLDS[summary["relation"]](F(summary["value"]), F(summary["threshold"])) == found.satisfied
    rows = [re.split(r" {2,}", line.strip()) for line in printed(audit).splitlines()]
    for part in found.decisive:
        bounds = [F(row[2].split()[1]) for row in rows if len(row) == 5 and row[4] == part.status and row[2] != "–"]
        assert part.threshold in bounds


def test_no_decision_of_a_model_that_is_asked_twice_is_lost():
    """k-anonymity is said once for all sensitive attributes, and a second k is not the first one."""
    audit = check(TABLE, k=3, models=[m.KAnonymity(6), m.KAnonymity(7)])
    assert answer(audit) == "violated: k-anonymity (5 < 6), k-anonymity (5 < 7); 1 of 3 thresholds satisfied"


# ---------------------------------------------------------------------- a model of the user's own


@dataclass(frozen=True)
class Own:
    """How many different values the largest class has, decided in every way that a result may be made."""

    how: str
    name = "my own model"
    monotone = m.Monotone(generalization=False, suppression=False)

    def evaluate(self, classes: ClassCounts) -> m.ModelResult:
        distinct = np.diff(classes.starts)
        values = Rationals(distinct, np.ones_like(distinct))
        if self.how.startswith("result"):
            return result(
                self,
                classes,
                values,
                citation="here",
                parameters={},
                threshold=F(2) if "measured" not in self.how else None,
                worst_is="largest" if "largest" in self.how else "smallest",
                strict="strict" in self.how,
            )
        status = self.how.split()[-1]
        threshold = {"number": 4.5, "int": 5}.get(self.how.split()[0])
        return m.ModelResult(
            model=self.name,
            citation="here",
            parameters={"what": "this"},
            status=status,
            value=3 if "int" in self.how else 3.5 if "number" in self.how else F(3),
            margin=None,
            values=values,
            worst=[] if "empty" in self.how else np.array([0]),
            violating=np.array([], dtype=np.intp),
            records_at_risk=0,
            monotone=self.monotone,
            threshold=threshold,
            relation=None if threshold is None or "silent" in self.how else "<=" if "upper" in self.how else ">=",
        )


OWN = {
    "result smallest": "satisfied: my own model of s holds: 3 ≥ 2",
    "result largest": "violated: my own model of s does not hold: 3 > 2",
    "result smallest strict": "satisfied: my own model of s holds: 3 > 2",
    "result largest strict": "violated: my own model of s does not hold: 3 ≥ 2",
    "result measured": None,
    "int upper satisfied": "satisfied: my own model of s holds: 3 ≤ 5",
    "int violated": "violated: my own model of s does not hold: 3 < 5",
    "int empty violated": "violated: my own model of s does not hold: 3 < 5",
    "int silent violated": "violated: my own model of s does not hold: measured 3, the threshold is 5",
    "number undecided": "undecided: my own model of s is undecided: measured 7/2, and whether it is ≥ 9/2 is not known",
    "number upper undecided": (
        "undecided: my own model of s is undecided: measured 7/2, and whether it is ≤ 9/2 is not known"
    ),
    "bare violated": "violated: my own model of s does not hold: measured 3",
    "bare satisfied": "satisfied: my own model of s holds: measured 3",
    "bare undecided": "undecided: my own model of s is undecided: measured 3",
    "bare empty measured": None,
}


@pytest.mark.long
@pytest.mark.parametrize("how", OWN)
def test_a_model_of_ones_own_gets_whole_and_right_sentences_everywhere(how):
    audit, found = of(TABLE, Own(how))
    for each in (audit, redacted(audit)):
        if OWN[how] is None:
            assert each.status == "measured"
        else:
            assert answer(each) == OWN[how]
            assert OWN[how] in printed(each)
        *_, cells = rows_of_text(printed(each), "my own model")
        assert cells[4] == found.status
        *_, row = rows_of_page(page(each), "my own model")
        assert row["verdict"].endswith(found.status)
        if found.threshold is not None and found.relation is not None:
            assert (cells[2], row["threshold"]) == (f"{found.relation} {cells[2].split()[1]}",) * 2
        json.dumps(each.to_dict())
    assert "my own model" in attained([(found, TABLE.class_counts())])


@pytest.mark.parametrize(
    "wrong",
    [
        {"relation": "≈"},
        {"value": "much"},
        {"value": None},
        {"value": math.nan},
        {"threshold": math.nan},
        {"threshold": math.inf},
        {"margin": "wide"},
        {"status": "fine"},
        {"worst": [3]},
        {"violating": [-1]},
        {"status": "violated"},
        {"value": 2},
        {"threshold": 6},
        {"relation": "<"},
        {"relation": ">", "threshold": 5},
        {"value": -math.inf},
    ],
    ids=str,
)
def test_a_result_of_ones_own_that_is_no_result_is_refused_by_name(wrong):
    """The table has k = 5 in three classes, and is asked for 3."""
    found = m.KAnonymity(3).evaluate(TABLE.class_counts())
    with pytest.raises(ProtocolError, match="of a result of k-anonymity"):
        replace(found, **wrong)


def test_the_worst_class_is_that_of_the_part_whose_numbers_are_shown():
    """The greatest presence is that of class a, the least that of class c; and that of persons in no class."""
    for outside, worst in ((0, "B"), (1, "–")):
        people = replace(PEOPLE, outside=outside)
        audit, found = of(TABLE, m.DeltaPresence(people, low="4/5", high="9/10"))
        letters = Letters()
        first = lines_of([m.KAnonymity().evaluate(TABLE.class_counts())], audit.attributes[0].classes, letters)
        line, *parts = lines_of([found], audit.attributes[0].classes, letters)
        assert first[0].worst.startswith("A")
        assert (line.value, line.worst, line.worst_records) == (parts[1].value, parts[1].worst, parts[1].worst_records)
        assert (line.worst == "–") == (worst == "–")


def test_of_a_model_that_is_only_measured_by_rows_no_verdict_is_given_to_another():
    """By its rows the first model decides nothing: the second one's verdict stays its own."""

    @dataclass(frozen=True)
    class Large:
        name = "large"
        monotone = m.Monotone(generalization=False, suppression=False)

        def evaluate(self, classes: ClassCounts) -> m.ModelResult:
            found = m.KAnonymity(9 if classes.records > 5 else None).evaluate(classes)
            return replace(found, model=self.name, title="")

    frame = pd.DataFrame({"q": list("aab"), "s": list("xyx"), "w": [5, 5, 9]})
    table = FrequencySet.from_frame(frame, quasi_identifiers="q", sensitive="s", weight="w")
    said = answer(check(table, models=[Large(), m.KAnonymity(2)]))
    assert "over the 3 rows themselves large is measured (measured 1), k-anonymity does not hold (1 < 2)" in said


# ---------------------------------------------------------------------- a threshold that cannot be broken


@pytest.mark.parametrize("relation", HOLDS)
@pytest.mark.parametrize("bounds", [(0, 1), (0, None), (None, 1), (None, None)], ids=str)
def test_no_table_can_break_a_threshold_that_all_values_in_the_range_satisfy(relation, bounds):
    low, high = bounds
    possible = [F(-(10**9) if low is None else low), F(1, 2), F(10**9 if high is None else high)]
    found = m.KAnonymity().evaluate(TABLE.class_counts())
    for threshold in (F(-1), F(0), F(1, 2), F(1), F(2)):
        each = replace(found, relation=relation, bounds=bounds, threshold=threshold)
        assert each.unbreakable == all(HOLDS[relation](value, threshold) for value in possible)


@pytest.mark.long
@pytest.mark.parametrize(
    ("model", "text"),
    [
        (m.TCloseness(20, ground="equal"), "≤ 20, which no table can break"),
        (m.TCloseness(1, ground="equal"), "≤ 1, which no table can break"),
        (m.TCloseness(10**400, ground="equal"), "which no table can break"),
        (m.TCloseness(F(10**5000), ground="equal"), "which no table can break"),
        (m.TCloseness("99/100", ground="equal"), "≤ 0.99"),
        (m.KAnonymity(1), "5 ≥ 1, which no table can break"),
        (m.AlphaKAnonymity(1), "3/5 ≤ 1, which no table can break"),
        (m.EntropyLDiversity(1), "≥ 1, which no table can break"),
        (m.RecursiveCLDiversity(1, c=2), "0 < 2, which no table can break"),
        (m.RecursiveCLDiversity(2, c=10**400), "3/2 < 1e+400"),
        (m.BasicBetaLikeness(F(10**5000)), "≤ 1e+5000"),
        (m.ExpEpsilonCloseness(F(1, 10**5000)), "> 1e-5000"),
        (m.DeltaDisclosure(F(10**5000, 3)), "e+4999"),
    ],
)
def test_a_model_built_by_hand_holds_any_value_and_says_when_no_table_can_break_it(model, text):
    audit, _ = of(TABLE, model)
    for each in (audit, redacted(audit)):
        assert text in answer(each)
        assert ("no table can break" in answer(each)) == ("no table" in text)
        assert answer(each) in printed(each)
        page(each)
        json.dumps(each.to_dict())


def test_classes_are_lettered_through_the_alphabet_and_again_with_the_number_of_the_round():
    alphabet = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
    rounds = ["", *map(str, range(1, 12))]
    assert [letter(number) for number in range(26 * 12)] == [each + again for again in rounds for each in alphabet]
