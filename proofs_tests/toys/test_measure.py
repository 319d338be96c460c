"""A distance of the user's own works wherever distances do, with no change to the package.

Four are defined here, and nowhere else: the greatest difference of two masses as a plain function, a function that
takes a ground distance, the same as an object of the `Measure` protocol, and one that fails the law of symmetry.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest
from jsonschema import Draft202012Validator

import tcloseness as tc
from proofs_tests.cli.commands import run
from tcloseness import axioms, report
from tcloseness.errors import InputError, ProtocolError
from tcloseness.exact import Rationals
from tcloseness.measures import Measure
from tcloseness.microdata import FrequencySet
from tcloseness.models import TCloseness
from tcloseness.report.card_comparison import compared
from tcloseness.report.card_page import card_page

F = Fraction
HERE = str(Path(__file__))
CARD = Draft202012Validator(json.loads((Path(axioms.__file__).parent / "card.schema.json").read_text("utf-8")))
CHECK = Draft202012Validator(json.loads((Path(report.__file__).parent / "check.schema.json").read_text("utf-8")))
QUICK = {"m": (2, 3), "effort": "1/20"}
ASK = ("--m", "2-3", "--only", "symmetric,triangle,finite,scale-of-counts,bounded-by-1")


def greatest_difference(p, q):
    return max((abs(a - b) for a, b in zip(p, q, strict=True)), default=F(0))


def farthest_first(p, q, ground):
    """The greatest distance of a value whose mass grows from one whose mass falls; 0 for P = Q."""
    grow, fall = ([i for i, (a, b) in enumerate(zip(p, q, strict=True)) if sign * (a - b) > 0] for sign in (1, -1))
    return max((ground.distance(i, j) for i in grow for j in fall), default=F(0))


def one_sided(p, q):
    return 2 * max(a - b for a, b in zip(p, q, strict=True)) + q[0] - p[0]


@dataclass(frozen=True)
class GreatestDifference:
    """max |p − q|, which is convex in P."""

    name = "greatest difference"
    convex = True

    def over(self, domain):
        return self

    def distance(self, p, q):
        return greatest_difference([F(x) for x in p], [F(x) for x in q])

    def per_class(self, classes):
        total = int(classes.reference.sum())
        q = [F(int(c), total) for c in classes.reference]
        sizes = classes.class_sizes.tolist()
        values = [self.distance([F(c, n) for c in classes.vector(g)], q) for g, n in enumerate(sizes)]
        return Rationals(
            np.array([v.numerator for v in values], dtype=object),
            np.array([v.denominator for v in values], dtype=object),
        )

    def to_dict(self):
        return {"name": self.name}


TOY = GreatestDifference()
BOUND = SimpleNamespace(distance=TOY.distance, per_class=TOY.per_class)
ROWS = [("a", "flu"), ("a", "flu"), ("a", "gout"), ("b", "gout"), ("b", "cold"), ("b", "flu"), ("b", "cold")]


def table():
    return FrequencySet.from_frame(pd.DataFrame(ROWS, columns=["q", "s"]), quasi_identifiers="q", sensitive="s")


def by_hand():
    """The farthest class: max(2/3 − 3/7, |1/3 − 2/7|, 2/7) = 2/7 for a, max(3/7 − 1/4, 2/7 − 1/4, 1/2 − 2/7) for b."""
    return max(F(2, 7), F(3, 7) - F(1, 4), F(1, 2) - F(2, 7))


# ---------------------------------------------------------------------- report cards


@pytest.mark.long
@pytest.mark.parametrize(
    ("measure", "options", "kind", "fails", "holds"),
    [
        (greatest_difference, {"ground": "equal"}, "callable", {"probability-scaling"}, {"symmetric", "triangle"}),
        (farthest_first, {}, "callable of a ground distance", {"convex", "vanishing-mass"}, {"symmetric", "one-value"}),
        (TOY, {"ground": "equal"}, "Measure", {"probability-scaling"}, {"scale-of-counts", "convex", "large-counts"}),
        (BOUND, {"ground": "equal"}, "bound measure", {"probability-scaling"}, {"scale-of-counts"}),
        (one_sided, {"ground": "equal"}, "callable", {"symmetric"}, {"zero-on-equal"}),
    ],
)
def test_its_card_says_what_it_satisfies_everywhere_alike(measure, options, kind, fails, holds):
    only = [check.name for check in tc.axioms.CHECKS if check.name != "many-values"]
    card = tc.check_distance(measure, only=only, **options, **QUICK)
    assert card.assumed["kind"] == kind
    assert fails <= set(card.failures)
    assert {card[name].status for name in holds} == {"holds"}
    record = card.to_dict()
    CARD.validate(record)
    written = card_page(card, comparison=[compared(card)])
    for result in card:
        assert f"  {result.name}" in card.text()
        assert f"{result.name}<" in written
    assert set(compared(card).failures) == set(card.failures)


def test_it_is_proved_as_the_functions_of_the_package_are():
    pytest.importorskip("z3")
    card = tc.check_distance(greatest_difference, ground="equal", only=["symmetric", "triangle", "convex"], **QUICK)
    assert [result.verdict.proved for result in card] == [3, 3, 3]


def test_a_measure_is_proved_by_its_closed_form_where_it_has_one():
    """Its `distance` reads numbers, and symbols are none; that the two agree is the measure's own claim."""
    pytest.importorskip("z3")
    proved = []
    for measure in (TOY, SimpleNamespace(distance=TOY.distance, closed_form=greatest_difference)):
        verdict = tc.check_distance(measure, ground="equal", only=["symmetric"], **QUICK)["symmetric"].verdict
        proved.append((verdict.proved, "takes no symbols" in verdict.remark))
    assert proved == [(None, True), (3, False)]


@pytest.mark.long
@pytest.mark.parametrize("name", ["greatest_difference", "GreatestDifference", "TOY"])
def test_validate_takes_it_by_file_and_name(name, tmp_path):
    page = tmp_path / "card.html"
    answer = run("validate", f"{HERE}:{name}", "--ground", "equal", *ASK, "--format", "json", "--html", str(page))
    assert (answer.code, answer.err) == (0, "")
    CARD.validate(answer.record)
    assert {check["status"] for check in answer.record["checks"]} <= {"holds", "not applicable"}
    assert "symmetric" in page.read_text("utf-8")
    assert "holds" in run("validate", f"{HERE}:{name}", "--ground", "equal", *ASK).out


def test_validate_takes_it_by_module_and_shows_what_it_breaks():
    answer = run("validate", "proofs_tests.toys.test_measure:one_sided", "--ground", "equal", *ASK, "--tests")
    assert answer.code == 1
    assert "def test_symmetric():" in answer.out


# ---------------------------------------------------------------------- models and audits


def test_it_is_a_measure():
    assert isinstance(TOY, Measure)


def test_t_closeness_decides_by_it_and_says_so():
    for t, status in ((by_hand(), "satisfied"), (by_hand() - F(1, 1000), "violated")):
        audit = tc.check(table(), models=[TCloseness(t, measure=TOY)])
        found = audit.attributes[0].results[-1]
        assert (found.value, found.status, audit.status) == (by_hand(), status, status)
        assert found.conventions["measure"] == "greatest difference"


def distance_of(record, name=TOY.name):
    (found,) = (each for each in record["sensitive_attributes"][0]["distances"] if each["measure"] == name)
    return found


def test_an_audit_lists_it_beside_the_package_s_own():
    audit = tc.check(table(), measures=[TOY])
    *others, last = audit.attributes[0].distances
    assert (last.measure, last.value, last.classes) == (TOY.name, by_hand(), 1)
    assert others == list(tc.check(table()).attributes[0].distances)
    record = audit.answer()
    assert distance_of(record)["value"] == str(by_hand())


@pytest.mark.parametrize(
    ("measures", "error", "message"),
    [
        ([greatest_difference], ProtocolError, "is not a measure"),
        ([GreatestDifference], ProtocolError, "is not a measure"),
        ([TOY, TOY], InputError, "2 measures are named 'greatest difference'"),
        ([tc.measures.Hellinger()], InputError, "named 'Hellinger'"),
    ],
)
def test_what_is_not_a_measure_or_cannot_be_told_from_another_is_refused(measures, error, message):
    with pytest.raises(error, match=message):
        tc.check(table(), measures=measures)


@pytest.mark.parametrize("answered", [list, lambda values: None, lambda values: Rationals(*map(np.array, ([1], [2])))])
def test_what_it_answers_must_be_one_exact_value_a_class(monkeypatch, answered):
    right = GreatestDifference.per_class
    monkeypatch.setattr(GreatestDifference, "per_class", lambda self, classes: answered(right(self, classes)))
    for options in ({"measures": [TOY]}, {"models": [TCloseness(1, measure=TOY)]}):
        with pytest.raises(ProtocolError, match="for 2 classes; it returns one value a class"):
            tc.check(table(), **options)


@pytest.mark.long
def test_check_takes_it_by_file_and_name_in_text_html_and_json(tmp_path):
    rows, page = tmp_path / "rows.csv", tmp_path / "page.html"
    rows.write_text("q,s\n" + "".join(f"{q},{s}\n" for q, s in ROWS), "utf-8")
    ask = ("check", str(rows), "-q", "q", "-s", "s", "--measure", f"{HERE}:GreatestDifference")
    answer = run(*ask, "--format", "json", "--html", str(page))
    assert (answer.code, answer.err) == (0, "")
    CHECK.validate(answer.record)
    assert distance_of(answer.record)["value"] == str(by_hand())
    shown = f"{float(by_hand()):.4f}"
    for written in (run(*ask).out, page.read_text("utf-8"), run(*ask, "--redact").out):
        assert TOY.name in written
        assert shown in written
    assert "--measure" in page.read_text("utf-8")
    refused = run(*ask[:-1], f"{HERE}:ROWS")
    assert refused.code == 2
    assert "is not a measure" in refused.err
