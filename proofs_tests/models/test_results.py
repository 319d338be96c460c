"""What a model answers: as data for reports; and what is refused as a threshold."""

from __future__ import annotations

import json
import math
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from proofs_tests.strategies import class_counts
from tcloseness.errors import DomainError, HierarchyError, InputError, TClosenessError
from tcloseness.ground import Ordered
from tcloseness.measures import KullbackLeibler, Variational
from tcloseness.microdata import ClassCounts, Domain, Hierarchy
from tcloseness.models import (
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    RecursiveCLDiversity,
    TCloseness,
)

CLASSES = ClassCounts.from_mapping({"a": {"x": 1, "y": 1, "z": 1}, "b": {"x": 2, "y": 1}})

MODELS = st.sampled_from(
    [
        KAnonymity(2),
        DistinctLDiversity(2),
        EntropyLDiversity(2),
        RecursiveCLDiversity(2, c=2),
        TCloseness("1/5", ground="equal"),
        TCloseness("1/5", measure=KullbackLeibler()),
        TCloseness(measure=Variational()),
    ]
)


@given(MODELS, class_counts())
def test_a_result_is_json_without_any_float(model, classes):
    """Numbers that can be fractions are text; counts are whole."""
    record = model.evaluate(classes).to_dict(classes)
    assert json.loads(json.dumps(record)) == record

    def walk(x):
        assert not isinstance(x, float)
        for y in x.values() if isinstance(x, dict) else x if isinstance(x, list) else ():
            walk(y)

    walk(record)
    assert record["status"] in ("satisfied", "violated", "measured")
    assert len(record["worst"]) == min(3, record["worst_classes"])


def test_a_fraction_is_written_so_that_it_can_be_read_again():
    """b = (2, 1, 0)/3 against Q = (3, 2, 1)/6: surplus 1/6; a = (1, 1, 1)/3: 1/6 too."""
    record = TCloseness("1/3", ground="equal").evaluate(CLASSES).to_dict(CLASSES, worst=1)
    assert record["value"] == "1/6"
    assert record["margin"] == "1/6"
    assert record["parameters"] == {"measure": "EMD, equal", "t": "1/3"}
    assert record["worst"] == [{"class": {"class": "a"}, "records": 3, "counts": {"x": 1, "y": 1, "z": 1}}]
    assert record["worst_classes"] == 2
    assert math.isclose(float(record["decimal"]), 1 / 6, rel_tol=1e-9)


def test_entropy_l_is_written_exactly_where_it_is_rational_with_the_entropy_beside_it():
    """Three values once each: H = ln 3, so l = 3 exactly."""
    classes = ClassCounts.from_mapping({"a": {"x": 1, "y": 1, "z": 1}})
    record = EntropyLDiversity(3).evaluate(classes).to_dict()
    assert (record["value"], record["decimal"], record["threshold"], record["margin"]) == ("3", "3", "3", "0")
    assert record["entropy"] == f"{math.log(3):.10g}"


def test_an_irrational_number_is_written_as_a_decimal():
    """(2, 1, 1): H = 3/2·ln 2, so l = √8 = 2.8284…, by 1.8284… more than 1."""
    record = EntropyLDiversity(1).evaluate(ClassCounts.from_mapping({"a": {"x": 2, "y": 1, "z": 1}})).to_dict()
    assert record["value"] == record["decimal"] == f"{math.sqrt(8):.10g}"
    assert record["margin"] == f"{math.sqrt(8) - 1:.10g}"


def test_infinity_is_written_as_text():
    record = RecursiveCLDiversity(3, c=2).evaluate(ClassCounts.from_mapping({"a": {"x": 5}})).to_dict()
    assert (record["value"], record["margin"]) == ("inf", "-inf")


@pytest.mark.parametrize(
    ("model", "parameters"),
    [
        (KAnonymity(3), {"k": "3"}),
        (KAnonymity(), {}),
        (DistinctLDiversity(2), {"l": "2"}),
        (EntropyLDiversity("2.5"), {"l": "5/2"}),
        (RecursiveCLDiversity(3, c="1.5"), {"l": "3", "c": "3/2"}),
        (RecursiveCLDiversity(3), {"l": "3"}),
        (TCloseness(0.2, ground=Ordered(3)), {"measure": "EMD, ordered", "t": "1/5"}),
    ],
)
def test_what_was_chosen_is_printed_with_the_result(model, parameters):
    result = model.evaluate(CLASSES)
    assert dict(result.parameters) == parameters
    assert result.subject["sensitive attribute"] == "sensitive"
    assert result.citation


def test_the_reference_in_use_is_printed_with_the_result():
    result = TCloseness(ground="equal").evaluate(CLASSES.with_uniform_reference())
    assert "uniform" in result.conventions["reference distribution"]


# ---------------------------------------------------------------------- bad input

TREE = Hierarchy([("x", "*"), ("y", "*")])
BAD = [
    ("k 0", lambda: KAnonymity(0), InputError, "k = 0; it must be a whole number ≥ 1"),
    ("k negative", lambda: KAnonymity(-2), InputError, "k = -2"),
    ("k fractional", lambda: KAnonymity("5/2"), InputError, "k = 5/2; it must be a whole number"),
    ("k text", lambda: KAnonymity("two"), InputError, "k is 'two', which is not a number"),
    ("k truth value", lambda: KAnonymity(True), InputError, "k is True, a truth value"),
    ("k infinite", lambda: KAnonymity(math.inf), InputError, "k is inf; it must be finite"),
    ("distinct l 0", lambda: DistinctLDiversity(0), InputError, "l = 0"),
    ("distinct l fractional", lambda: DistinctLDiversity(2.5), InputError, "l = 5/2; it must be a whole number"),
    ("entropy l below 1", lambda: EntropyLDiversity("0.9"), InputError, "l = 9/10; it must be ≥ 1"),
    ("entropy l NaN", lambda: EntropyLDiversity(math.nan), InputError, "must be finite"),
    ("recursive l 0", lambda: RecursiveCLDiversity(0), InputError, "l = 0"),
    ("recursive c 0", lambda: RecursiveCLDiversity(2, c=0), InputError, "c = 0; it must be > 0"),
    ("recursive c negative", lambda: RecursiveCLDiversity(2, c=-1), InputError, "c = -1; it must be > 0"),
    ("t negative", lambda: TCloseness(-0.1, ground="equal"), InputError, "t = -1/10; it must be ≥ 0"),
    ("t text", lambda: TCloseness("small", ground="equal"), InputError, "t is 'small'"),
    ("t without a distance", lambda: TCloseness("1/5"), InputError, "needs a ground distance, or a measure"),
    (
        "both a ground and a measure",
        lambda: TCloseness("1/5", ground="equal", measure=Variational()),
        InputError,
        "and not both",
    ),
    (
        "ordered without an order",
        lambda: TCloseness(ground="ordered").evaluate(CLASSES),
        DomainError,
        "needs an order of the values, and 'x' is not a number; declare the order",
    ),
    ("unknown ground", lambda: TCloseness(ground="euclid").evaluate(CLASSES), DomainError, "'euclid' is unknown"),
    ("too few values", lambda: TCloseness(ground=Ordered(2)).evaluate(CLASSES), DomainError, "has 2 values"),
    ("value not covered", lambda: TCloseness(ground=TREE).evaluate(CLASSES), HierarchyError, "does not cover 1 of 3"),
    ("no root", lambda: TCloseness(ground=Hierarchy([("x", "A"), ("z", "B")])), HierarchyError, "no common root"),
]


@pytest.mark.parametrize(("call", "error", "message"), [b[1:] for b in BAD], ids=[b[0] for b in BAD])
def test_bad_input_is_refused_with_a_named_error(call, error, message):
    with pytest.raises(error, match=message) as caught:
        call()
    assert isinstance(caught.value, TClosenessError)


def test_a_declared_order_makes_texts_ordered():
    """The twin of the refused case: z < x < y; b = (0, 2, 1)/3 against (1, 3, 2)/6: prefix −1/6, 0, 0: 1/12."""
    rows = {"a": {"x": 1, "y": 1, "z": 1}, "b": {"x": 2, "y": 1}}
    classes = ClassCounts.from_mapping(rows, domain=Domain.declare("zxy"))
    assert TCloseness(ground="ordered").evaluate(classes).values[1] == Fraction(1, 12)
