"""A redacted audit measures the same, and holds no value of the table."""

from __future__ import annotations

import dataclasses
import io
import json
import re

import numpy as np
import pandas as pd
import pytest
from hypothesis import given
from rich.console import Console

from proofs_tests.effort import effort
from proofs_tests.report.pages import DISEASES, PAPERS, audit_of, salaries_and_diseases, t_closeness
from proofs_tests.strategies import tables
from tcloseness import audit as audit_module
from tcloseness.attacks import AttackResult
from tcloseness.audit import check
from tcloseness.loss import LossResult
from tcloseness.microdata import ClassCounts, FrequencySet
from tcloseness.models import ModelResult, TCloseness
from tcloseness.release.draws import Draws
from tcloseness.report.html import page
from tcloseness.report.redaction import KNOWN_FIELDS, redacted
from tcloseness.report.text import print_audit


def text_of(audit):
    console = Console(file=io.StringIO(), width=100)
    print_audit(audit, console)
    return console.file.getvalue()


def forms(audit):
    return {"text": text_of(audit), "json": json.dumps(audit.to_dict(worst=100)), "html": page(audit)}


@pytest.mark.long
def test_no_value_is_left_in_any_form():
    """Nor a label of a hierarchy's inner node, which says as much."""
    frame = pd.read_csv(PAPERS / "li_table4.csv")
    values = {str(v) for column in frame for v in frame[column]} | {str(v) for path in DISEASES.paths for v in path}
    audit = salaries_and_diseases(k=4, distinct_l=3, recursive=(3, 2), t="0.3")
    for form, output in forms(audit).items():
        assert [v for v in values if v in output], f"{form} shows no value anyway, so the next lines say nothing"
    for form, output in forms(redacted(audit)).items():  # 9000 is not in 19000.5, a coordinate of a picture
        assert not [v for v in values if re.search(rf"(?<![\w.]){re.escape(v)}(?![\w.])", output)], form
        assert "value 1" in output
        assert "Salary" in output


@pytest.mark.long
def test_declared_domains_missing_cells_and_markers_are_withheld():
    frame = pd.DataFrame(
        {"q": ["a?", "a?", "b?", "zz-mark"], "v": ["low?", None, "high?", "low?"], "u": ["up?", "up?", "on?", None]}
    )
    for sensitive in (["v"], ["v", "u"]):
        table = FrequencySet.from_frame(
            frame,
            quasi_identifiers="q",
            sensitive=sensitive,
            missing="category",
            domains={"v": ["low?", "never?", "high?", None]},
            orders={"u": ["on?", "up?", None]} if "u" in sensitive else {},
            suppressed="zz-mark",
        )
        hidden = redacted(check(table))
        for form, output in (*forms(hidden).items(), ("all that it holds", repr(hidden))):
            for value in ("low?", "never?", "high?", "a?", "b?", "zz-mark", "(missing)", "up?", "on?"):
                assert value not in output, (form, value)
        for result in hidden.multi_attribute:  # classes of joined attributes stand in the order of their values
            assert not len(result.worst)
            assert not len(result.violating)


@effort(1 / 2)
@given(tables())
def test_every_number_stays(table):
    audit = check(FrequencySet.from_frame(table, quasi_identifiers="q1", sensitive=["q2", "s"]), k=2, entropy_l=2)
    hidden = redacted(audit)
    assert hidden.summary() == audit.summary()
    for before, after in zip(audit.attributes, hidden.attributes, strict=True):
        assert (after.classes.class_sizes == before.classes.class_sizes).all()
        assert sorted(after.classes.reference) == sorted(before.classes.reference)
        for one, other in zip(before.results, after.results, strict=True):
            assert set(one.worst.tolist()) == set(other.worst.tolist())
            assert one.records_at_risk == other.records_at_risk
        assert (np.diff(after.classes.values)[np.diff(after.classes.class_of_cell) == 0] > 0).all()


@pytest.mark.parametrize("number", [0, 1])
def test_the_distance_is_the_same_over_the_neutral_names(number):
    """The permuted cuts and rows give the EMD of every class that the hierarchy and the order give."""
    before, after = salaries_and_diseases().attributes[number], redacted(salaries_and_diseases()).attributes[number]
    found = TCloseness(ground=after.ground).evaluate(after.classes)
    assert found.values.floats().tolist() == t_closeness(before).values.floats().tolist()
    m = len(after.classes.domain)
    for i in range(m):
        assert [after.ground.distance(i, j) * after.ground.denominator for j in range(m)] == after.ground.row(
            i
        ).tolist()


def test_the_distance_by_value_keeps_no_value():
    audit = audit_of([("a", 14), ("a", 88), ("b", 27), ("b", 101)], ground="ordered-by-value")
    hidden = redacted(audit).attributes[0]
    assert TCloseness(ground=hidden.ground).evaluate(hidden.classes).value == t_closeness(audit.attributes[0]).value
    assert "88" not in repr(hidden.ground.to_dict())


def test_a_class_has_one_name_in_a_report():
    found = redacted(salaries_and_diseases())
    labels = [[attribute.classes.label(i) for i in range(3)] for attribute in found.attributes]
    assert labels[0] == labels[1]
    assert redacted(found) is found


def test_the_names_are_drawn_anew_for_each_report():
    """Names that followed from the table would confirm whoever guesses it; 40 classes have 40! orders."""
    audit = audit_of([(f"q{i:02}", f"v{i:02}") for i in range(40) for _ in range(i + 1)])
    one, other = (redacted(audit).attributes[0].classes for _ in range(2))
    assert [one.label(i) for i in range(40)] != [other.label(i) for i in range(40)]
    assert one.reference.tolist() != other.reference.tolist()


@pytest.mark.long
def test_which_label_and_which_value_is_which_changes_no_report(monkeypatch):
    """With the same names drawn for the same classes and values, the same table under other labels gives the same.

    So neither a name nor an order in a report says anything about the place of a label or a value in its domain.
    Two classes are worst in k, two in the number of values, and none of them are of one size and one value both.
    """
    rows = [(0, 0), (1, 0), (1, 0), (2, 1), (3, 0), (3, 1), (3, 1), (3, 2)]

    def reports(labels, values, class_names, value_names):
        """What is said if class i is named class_names[i] and value j value_names[j]."""
        names = np.array(class_names)[np.argsort(list(labels))]
        order = np.argsort(np.array(value_names)[np.argsort(list(values))])
        monkeypatch.setattr(Draws, "permutation", lambda _, __, name: names if name == "classes" else order)
        table = [(labels[i], values[j]) for i, j in rows]
        return forms(redacted(audit_of(table, k=2, distinct_l=2, recursive=(2, 2), t="1/10")))

    for drawn in (((0, 1, 2, 3), (0, 1, 2)), ((2, 0, 3, 1), (1, 2, 0))):
        expected = reports("abcd", "xyz", *drawn)
        for labels, values in (("dcba", "xyz"), ("abcd", "zxy"), ("bdac", "yzx")):
            for form, output in reports(labels, values, *drawn).items():
                assert output == expected[form], (form, labels, values)


def test_numbers_of_values_without_an_order_do_not_follow_the_alphabet():
    """Over 40 values a shuffle that keeps the order has the chance 1/40!."""
    rows = [(f"q{i:02}", f"v{i:02}") for i in range(40) for _ in range(i + 1)]
    audit = audit_of(rows)
    hidden = redacted(audit).attributes[0].classes
    assert hidden.reference.tolist() != sorted(hidden.reference.tolist())
    assert [hidden.label(i)[0] for i in range(40)] != list(range(1, 41))


def test_numbers_of_ordered_values_follow_the_order():
    hidden = redacted(salaries_and_diseases()).attributes[0].classes
    assert hidden.domain.values == tuple(f"value {i}" for i in range(1, 10))
    assert hidden.domain.order == "natural"


def test_every_field_that_a_report_can_read_is_thought_of():
    for kind in (
        *(getattr(audit_module, name) for name in ("Audit", "AttributeAudit", "Distance", "Undefined")),
        AttackResult,
        ClassCounts,
        LossResult,
        ModelResult,
    ):
        fields = " ".join(field.name for field in dataclasses.fields(kind))
        assert fields == KNOWN_FIELDS[kind.__name__], f"{kind.__name__}: say in report/redaction.py what becomes of it"


def test_persons_are_counted_as_before():
    """Ann has two rows: without the persons, the classes that are described would be larger than those measured."""
    frame = pd.DataFrame({"q": list("aabb"), "s": ["flu", "cold", "flu", "cold"], "who": ["Ann", "Ann", "Bob", "Cem"]})
    audit = check(FrequencySet.from_frame(frame, quasi_identifiers="q", sensitive="s", person="who"), k=2)
    mine, theirs = audit.answer(), redacted(audit).answer()
    assert [each["worst"][0]["records"] for each in mine["sensitive_attributes"][0]["results"][:1]] == [1]
    for one, other in zip(mine["sensitive_attributes"], theirs["sensitive_attributes"], strict=True):
        for result, shown in zip(one["results"], other["results"], strict=True):
            assert [each["records"] for each in result["worst"]] == sorted(each["records"] for each in shown["worst"])
            assert result["value"] == shown["value"]
