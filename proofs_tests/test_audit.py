"""`check`: every model on every sensitive attribute, decided where a threshold is given."""

from __future__ import annotations

import io
import json
import math
import sys
from fractions import Fraction
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st
from rich.console import Console

import tcloseness as tc
from proofs_tests.strategies import tables
from tcloseness import models as m
from tcloseness.attacks import homogeneity_attack, skewness_attack
from tcloseness.audit import Audit, check
from tcloseness.errors import DomainError, HierarchyError, InputError, TableError, TClosenessError
from tcloseness.ground import Equal, Ordered
from tcloseness.loss import losses
from tcloseness.microdata import FrequencySet, Hierarchy
from tcloseness.report.text import print_audit
from tcloseness.report.wording import answer, decisions, gives_away, model_text, multi_attribute_of

F = Fraction
PAPERS = Path(__file__).parents[1] / "data" / "papers"
TABLE_4 = pd.read_csv(PAPERS / "li_table4.csv")
DISEASES = Hierarchy.from_csv(PAPERS / "disease_hierarchy.csv")


def salaries(*sensitive):
    sensitive = sensitive or ("Salary",)
    return FrequencySet.from_frame(TABLE_4, quasi_identifiers=["ZIP Code", "Age"], sensitive=sensitive)


def results(audit, attribute=0):
    return {r.model: r for r in audit.attributes[attribute].results}


# ---------------------------------------------------------------------- measuring


def test_everything_is_measured_without_a_threshold():
    """Li et al. 2007, Table 4, salaries: three classes of three different salaries each; t = 3/8 by the ordered
    distance."""
    audit = check(salaries(), ground={"Salary": "ordered"})
    found = results(audit)
    assert audit.status == "measured"
    assert {r.status for r in found.values()} == {"measured"}
    assert found["k-anonymity"].value == 3
    assert found["distinct l-diversity"].value == 3
    assert found["entropy l-diversity"].value == 3
    assert found["recursive (c,l)-diversity"].value == F(1, 2)  # 1 / (1 + 1)
    assert found["t-closeness"].value == F(3, 8)
    assert (audit.records, audit.suppressed, audit.classes) == (9, 0, 3)


def test_without_a_ground_distance_the_equal_one_is_measured_and_named():
    """3·(1/3 − 1/9) = 2/3."""
    result = results(check(salaries()))["t-closeness"]
    assert result.value == F(2, 3)
    assert result.conventions["measure"] == "EMD, equal"


def test_each_sensitive_attribute_has_its_own_ground_distance():
    """Salary 3/8 by order, Disease 4/9 by the tree (the paper's 0.5 needs a uniform reference)."""
    audit = check(salaries("Salary", "Disease"), ground={"Salary": "ordered", "Disease": DISEASES})
    assert [a.classes.sensitive for a in audit.attributes] == ["Salary", "Disease"]
    assert [results(audit, i)["t-closeness"].value for i in (0, 1)] == [F(3, 8), F(4, 9)]


def test_two_columns_that_tell_each_other_are_measured_each_by_itself():
    """Case L05, per attribute: classes of (2, 2) in both columns. Knowing one column would reveal the other."""
    rows = [(q, s1, s2) for q in "ab" for s1, s2 in ("xu", "xu", "yv", "yv")]
    frame = pd.DataFrame(rows, columns=["q", "s1", "s2"])
    audit = check(FrequencySet.from_frame(frame, quasi_identifiers="q", sensitive=["s1", "s2"]))
    assert [results(audit, i)["distinct l-diversity"].value for i in (0, 1)] == [2, 2]
    assert results(audit)["k-anonymity"].value == 4


@pytest.mark.long
@given(tables(max_rows=8))
def test_the_audit_says_what_each_model_says(table):
    frequencies = FrequencySet.from_frame(table, quasi_identifiers=["q1", "q2"], sensitive="s")
    classes = frequencies.class_counts()
    found = results(check(frequencies))
    models = (
        m.KAnonymity(),
        m.AlphaKAnonymity(),
        m.DistinctLDiversity(),
        m.EntropyLDiversity(),
        m.FrequencyLDiversity(),
        m.RecursiveCLDiversity(2),
        m.BasicBetaLikeness(),
        m.EnhancedBetaLikeness(),
        m.DeltaDisclosure(),
        m.ExpEpsilonCloseness(),
        m.TCloseness(ground="equal"),
    )
    assert list(found) == [m.name for m in models]
    for model in models:
        alone = model.evaluate(classes)
        assert found[model.name].value == alone.value
        assert found[model.name].worst.tolist() == alone.worst.tolist()


# ---------------------------------------------------------------------- deciding


@pytest.mark.long
@given(tables(max_rows=8))
def test_the_audit_says_what_each_attack_loss_and_distance_says(table):
    frequencies = FrequencySet.from_frame(table, quasi_identifiers=["q1", "q2"], sensitive="s")
    classes, audit = frequencies.class_counts(), check(frequencies)
    (attribute,) = audit.attributes
    assert [a.records for a in attribute.attacks] == [
        homogeneity_attack(classes).records,
        skewness_attack(classes).records,
    ]
    assert {loss.loss: loss.value for loss in audit.losses} == {n: r.value for n, r in losses(classes).items()}
    variational = next(d for d in attribute.distances if d.measure == "variational")
    assert variational.value == m.TCloseness(ground="equal").evaluate(classes).value
    json.dumps(audit.to_dict())


def test_attacks_are_those_that_need_no_knowledge_and_the_greatest_rises_are_three():
    """Values are alike only where a hierarchy with a level between has them so."""
    table = pd.DataFrame({"q": list("aabbccdd"), "s": ["flu", "flu", "hiv", "hiv", "gout", "gout", "cold", "cold"]})
    groups = {"lung": ["flu", "cold"], "other": ["hiv", "gout"]}
    grounds = {"equal": 2, Hierarchy.suppression(sorted(set(table["s"])), name="s"): 2}
    for ground, number in {**grounds, Hierarchy.from_groups([groups], name="s"): 3}.items():
        frequencies = FrequencySet.from_frame(table, quasi_identifiers="q", sensitive="s")
        (attribute,) = check(frequencies, ground={"s": ground}).attributes
        assert [attack.attack for attack in attribute.attacks] == ["homogeneity", "similarity", "skewness"][
            :: 4 - number
        ]
        assert len(attribute.attacks[-1].findings) == 3
        assert attribute.attacks[-1].affected.tolist() == [0, 1, 2, 3]


def test_with_several_sensitive_attributes_the_others_join_the_quasi_identifiers():
    """The block of Machanavajjhala et al. 2006, §4.3: 3-diverse in S and in V, and knowing one of them leaves one value
    of the other."""
    frame = pd.DataFrame({"q": list("aaaa"), "S": ["s1", "s1", "s2", "s3"], "V": ["v1", "v2", "v3", "v3"]})
    audit = check(FrequencySet.from_frame(frame, quasi_identifiers="q", sensitive=["S", "V"]))
    assert [results(audit, i)["distinct l-diversity"].value for i in (0, 1)] == [3, 3]
    assert [result.value for result in audit.multi_attribute] == [1, 1]


HOLDS = {"k": 3, "distinct_l": 3, "entropy_l": 3, "recursive": ("0.6", 2), "t": "3/8"}
BREAKS = {"k": 4, "distinct_l": 4, "entropy_l": "3.0001", "recursive": ("0.5", 2), "t": "0.3749"}
MODEL_OF = {
    "k": "k-anonymity",
    "distinct_l": "distinct l-diversity",
    "entropy_l": "entropy l-diversity",
    "recursive": "recursive (c,l)-diversity",
    "t": "t-closeness",
}


@pytest.mark.parametrize("threshold", MODEL_OF)
def test_a_threshold_decides_its_model_and_no_other(threshold):
    """Each holds at its boundary and breaks just beyond it; recursive is strict, so 1/2 itself breaks it."""
    for options, status in ((HOLDS, "satisfied"), (BREAKS, "violated")):
        audit = check(salaries(), ground={"Salary": "ordered"}, **{threshold: options[threshold]})
        found = results(audit)
        assert audit.status == status
        assert {name for name, r in found.items() if r.status != "measured"} == {MODEL_OF[threshold]}
        assert found[MODEL_OF[threshold]].status == status


def test_all_thresholds_together():
    grounds = {"Salary": "ordered"}
    assert check(salaries(), ground=grounds, **HOLDS).status == "satisfied"
    for threshold, value in BREAKS.items():
        assert check(salaries(), ground=grounds, **{**HOLDS, threshold: value}).status == "violated"


def test_the_worst_attribute_decides():
    """At t = 0.4 Salary (3/8) holds and Disease (4/9) does not."""
    audit = check(salaries("Salary", "Disease"), ground={"Salary": "ordered", "Disease": DISEASES}, t="0.4")
    assert [results(audit, i)["t-closeness"].status for i in (0, 1)] == ["satisfied", "violated"]
    assert audit.status == "violated"


@pytest.mark.long
def test_each_of_many_sensitive_attributes_is_answered_as_if_it_were_alone():
    """One to five of them, weighted or not: none is lost, in the audit, its JSON or its text; whichever breaks its
    threshold decides.
    """
    for number, broken, weight in ((1, 0, None), (3, 1, "w"), (5, 4, None)):
        names = [f"s{i}" for i in range(number)]
        rows = [
            {"q": g, **{name: "x" if i == broken and g == 2 else "xyz"[j] for i, name in enumerate(names)}, "w": 1 + j}
            for g in range(3)
            for j in range(3)
        ]
        frame = pd.DataFrame(rows).drop(columns=[] if weight else "w")

        def asked(sensitive, frame=frame, weight=weight):
            table = FrequencySet.from_frame(frame, quasi_identifiers="q", sensitive=sensitive, weight=weight)
            return check(table, distinct_l=3, k=2)

        together = asked(names)
        assert together.status == "violated"
        for name in {names[broken], names[-1]}:
            (alone,), one = asked([name]).attributes, together.attributes[names.index(name)]
            assert _numbers(one.to_dict()) == _numbers(alone.to_dict())
            assert (one.over_rows is None) == (weight is None)
            if weight is not None:
                assert _numbers(one.over_rows.to_dict()) == _numbers(alone.over_rows.to_dict())
        for name, one in zip(names, together.attributes, strict=True):
            distinct = next(r for r in one.results if r.model == "distinct l-diversity")
            assert distinct.status == ("violated" if name == names[broken] else "satisfied")
        assert f"of s{broken} (1 < 3)" in answer(together) or number == 1
        assert [line.partition(":")[0] for line in gives_away(together)][-number:] == names
        assert list(multi_attribute_of(together)) == (names if number > 1 else [])
        assert {each["sensitive"] for each in together.summary()} == set(names)
        said = io.StringIO()
        print_audit(together, Console(file=said, width=200))
        for name in names:
            assert f"\n{name}: " in said.getvalue()


def _numbers(record):
    """A record without what was assumed: there the other columns are named, which have no role when one is alone."""
    if isinstance(record, dict):
        return {name: _numbers(each) for name, each in record.items() if name != "conventions"}
    return [_numbers(each) for each in record] if isinstance(record, list) else record


def test_every_threshold_that_is_broken_is_said_first():
    """Eight of them: each is in the first sentence, and the last as well as the first."""
    frame = pd.DataFrame({"q": [1, 2, 2], "s": ["x", "x", "x"], "u": ["y", "z", "z"]})
    table = FrequencySet.from_frame(frame, quasi_identifiers="q", sensitive=["s", "u"])
    audit = check(table, k=2, distinct_l=2, frequency_l=2, alpha="1/2", entropy_l=2, recursive=(1, 2))
    first = answer(audit)
    broken = [(name, result) for name, result in decisions(audit) if result.status == "violated"]
    assert len(broken) > 7
    for name, result in broken:
        assert f"{model_text(result)}{f' of {name}' if name else ''} (" in first
    assert first.endswith(
        f"; {sum(r.satisfied for _, r in decisions(audit))} of {len(decisions(audit))} thresholds satisfied"
    )


def test_the_failing_class_and_its_records_are_named():
    """Case L07: a = (1, 1) and b = (2, 1) at entropy l = 1.9; exp(H) of b is 3/2^(2/3) = 1.8899."""
    frame = pd.DataFrame({"q": list("aabbb"), "s": list("xyxxy")})
    audit = check(FrequencySet.from_frame(frame, quasi_identifiers="q", sensitive="s"), entropy_l=1.9)
    result = results(audit)["entropy l-diversity"]
    assert audit.status == "violated"
    assert [audit.attributes[0].classes.label(g) for g in result.violating] == [("b",)]
    assert result.records_at_risk == 3
    record = audit.answer()["sensitive_attributes"][0]["results"][3]
    assert math.isclose(float(record["value"]), 3 / 2 ** (2 / 3), rel_tol=1e-9)


@pytest.mark.parametrize(
    ("reference", "expected"),
    [
        # Q = (2/3, 1/3) over the three released records: (1/2, 1/2) is 1/6 away and (1, 0) is 1/3 away
        ("released", [F(1, 6), F(1, 3)]),
        # Q = (1/2, 1/2) with the suppressed y
        ("all", [F(0), F(1, 2)]),
    ],
)
def test_the_reference_is_the_callers_choice(reference, expected):
    """a = (1, 1) and b = (1, 0) are released, one y is suppressed."""
    frame = pd.DataFrame({"q": ["a", "a", "b", "*"], "s": ["x", "y", "x", "y"]})
    table = FrequencySet.from_frame(frame, quasi_identifiers="q", sensitive="s", suppressed="*")
    audit = check(table, reference=reference)
    assert (audit.records, audit.suppressed, audit.classes) == (3, 1, 2)
    assert audit.conventions["reference distribution"] == f"{reference} records"
    values = results(audit)["t-closeness"].values
    assert [values[g] for g in range(2)] == expected


# ---------------------------------------------------------------------- as data


@pytest.mark.long
@given(tables(max_rows=8), st.booleans())
def test_the_audit_is_json(table, with_thresholds):
    thresholds = {"k": 2, "entropy_l": 2, "recursive": (2, 2)} if with_thresholds else {}
    audit = check(FrequencySet.from_frame(table, quasi_identifiers=["q1"], sensitive=["q2", "s"]), **thresholds)
    record = audit.answer()
    assert json.loads(json.dumps(record)) == record
    assert record["status"] == audit.status
    assert len(record["sensitive_attributes"]) == 2


def test_the_audit_prints_what_was_assumed():
    audit = check(salaries())
    conventions = audit.conventions
    assert audit.quasi_identifiers == ("ZIP Code", "Age")
    assert conventions["missing values"] == "error"
    assert conventions["reference distribution"] == "released records"
    assert "no marker" in conventions["suppressed records"]


def test_numbers_of_any_kind_are_thresholds():
    audit = check(salaries(), ground={"Salary": Ordered(9)}, k=np.int64(3), t=F(3, 8))
    assert isinstance(audit, Audit)
    assert audit.status == "satisfied"


# ---------------------------------------------------------------------- bad input

BAD = [
    ("t without a ground", {"t": "0.2"}, InputError, "no ground distance for 'Salary'; name one"),
    ("ground of nobody", {"ground": {"Wage": "equal"}}, InputError, "'Wage', which is not a sensitive attribute"),
    ("ground of a quasi-identifier", {"ground": {"Age": "equal"}}, InputError, "'Age', which is not a sensitive"),
    ("unknown ground", {"ground": {"Salary": "euclid"}}, DomainError, "'euclid' is unknown"),
    ("ground of another size", {"ground": {"Salary": Equal(3)}}, DomainError, "has 3 values and the domain 9"),
    ("ground of other values", {"ground": {"Salary": DISEASES}}, HierarchyError, "does not cover 9 of 9 values"),
    ("k", {"k": 0}, InputError, "k = 0; it must be a whole number ≥ 1"),
    ("distinct l", {"distinct_l": "1/2"}, InputError, "l = 1/2"),
    ("entropy l", {"entropy_l": 0}, InputError, "l = 0; it must be ≥ 1"),
    ("recursive c", {"recursive": (0, 2)}, InputError, "c of recursive = 0; it must be > 0"),
    ("recursive l", {"recursive": (2, 0)}, InputError, "l of recursive = 0"),
    ("recursive, one number", {"recursive": 3}, InputError, r"recursive is 3; it must be a pair \(c, l\)"),
    ("recursive, three numbers", {"recursive": (3, 2, 1)}, InputError, r"must be a pair \(c, l\)"),
    ("recursive, empty", {"recursive": ()}, InputError, r"must be a pair \(c, l\)"),
    ("t negative", {"t": -1, "ground": {"Salary": "equal"}}, InputError, "t = -1; it must be ≥ 0"),
    ("t text", {"t": "tiny", "ground": {"Salary": "equal"}}, InputError, "t is 'tiny', which is not a number"),
    ("reference", {"reference": "population"}, TableError, "'population' is unknown"),
]


@pytest.mark.parametrize(("options", "error", "message"), [b[1:] for b in BAD], ids=[b[0] for b in BAD])
def test_bad_input_is_refused_with_a_named_error(options, error, message):
    with pytest.raises(error, match=message) as caught:
        check(salaries(), **options)
    assert isinstance(caught.value, TClosenessError)


# ---------------------------------------------------------------------- many values


def calls_of(function):
    """Count the Python functions that are called: work on arrays is one call however long they are."""
    count = 0

    def seen(_frame, event, _what):
        nonlocal count
        count += event == "call"

    sys.setprofile(seen)
    try:
        function()
    finally:
        sys.setprofile(None)
    return count


@pytest.mark.parametrize("ground", ["equal", "ordered"])
def test_a_table_of_distinct_values_is_measured_without_work_for_each_value_in_python(ground):
    """The same rows with ten values, and with as many values as rows; class sizes that differ and that tie."""
    rows = 20_000
    for q in (np.arange(rows) % 50, (np.arange(rows) % 1_225) ** 2 // 61_000):
        counted = []
        for values in (10, rows):
            frame = pd.DataFrame({"q": q, "s": np.arange(rows) % values})
            table = FrequencySet.from_frame(frame, quasi_identifiers="q", sensitive="s")
            check(table, ground={"s": ground})  # what is loaded once is loaded
            counted.append(calls_of(lambda table=table: check(table, ground={"s": ground}, k=3, t="1/2", delta=1)))
        few, many = counted
        assert many < 2 * few


def test_an_order_that_was_declared_is_named_among_the_conventions_and_no_value_of_it():
    frame = pd.DataFrame({"q": ["a", "a", "b"], "s": ["low", "mid", "high"], "n": [1, 2, 3]})
    roles = {"quasi_identifiers": "q", "sensitive": ["s", "n"]}
    told = check(FrequencySet.from_frame(frame, **roles, orders={"s": ["low", "mid", "high"]})).answer()["conventions"]
    assert told["order of the values"] == "declared for 's'"
    assert "order of the values" not in check(FrequencySet.from_frame(frame, **roles)).answer()["conventions"]
    categories = frame.assign(s=pd.Categorical(frame["s"], ["low", "mid", "high"], ordered=True))
    assert check(FrequencySet.from_frame(categories, **roles)).conventions["order of the values"] == "declared for 's'"


@pytest.mark.parametrize("values", ["ab", "abcd", "aaab"])
def test_a_verdict_on_entropy_says_h_in_nats_beside_the_effective_l(values: str) -> None:
    frame = pd.DataFrame({"zip": ["1"] * len(values), "ill": list(values)})
    audit = tc.Table(frame, quasi_identifiers="zip", sensitive="ill").check(entropy_l=2)
    h = -sum(values.count(v) / len(values) * math.log(values.count(v) / len(values)) for v in set(values))
    first = audit.explain().splitlines()[0]
    assert first.endswith(f", with entropy {h:.4g} nats")
    (shown,) = (row for row in audit.to_frame().to_dict("records") if row["model"] == "entropy l-diversity")
    assert float(shown["entropy"]) == pytest.approx(h)
    assert float(shown["decimal"]) == pytest.approx(math.exp(h))
