"""Verdicts: one row a kind of answer."""

from __future__ import annotations

import math
import random
import time
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from tcloseness.conformance.algorithms import ALGORITHMS
from tcloseness.conformance.answers import Answer, Refused
from tcloseness.conformance.assessment import VERDICTS, Assessment, answer_text, assess, settled
from tcloseness.conformance.exact_text import answer_decimal
from tcloseness.conformance.inputs import Distributions, Table
from tcloseness.conformance.protocol import RESULT_FIELDS, Failed, Given, Skipped, TimedOut
from tcloseness.conformance.vectors import Vector, load

TABLE = Table(("z", "s"), ("text", "text"), (("a", "x"), ("b", "y")), ("z",), ("s",))
VIOLATED = Vector(
    "t-equal/half-of-values-present/1",
    "twice the truth",
    "t-equal",
    TABLE,
    {"t": "1/3"},
    Answer(Fraction(1, 2), False),
    "invalid",
    {
        "half-of-values-present": Answer(Fraction(1, 4), True),
        "without-half": Answer(Fraction(1), False),
        "uniform-Q": Answer(Fraction(1, 5), True),
        "missing-rows-left-out": Answer(Fraction(0), True, excluded=1),
        "unused-category": Refused(),
    },
)
REFUSED = Vector(
    "emd/renormalises/1",
    "no distribution",
    "emd",
    Distributions(("1", "1"), ("1", "0"), (("0", "1"), ("1", "0"))),
    {},
    Refused(),
    "invalid",
    {"renormalises": Answer(Fraction(1, 2))},
)


@pytest.mark.parametrize(
    ("fields", "verdict", "looks_like"),
    [
        ({"value": "1/2", "satisfied": False}, "right", ()),
        ({"value": 0.5}, "right", ()),
        ({"value": "0.50000000000000011"}, "right", ()),
        ({"satisfied": False}, "right", ()),
        ({"value": "1/4", "satisfied": True}, "wrong, unsafe side", ("half-of-values-present",)),
        ({"value": "1/4"}, "wrong, unsafe side", ("half-of-values-present",)),
        ({"value": "1"}, "wrong, over-strict", ("without-half",)),
        ({"value": "0.7"}, "wrong, over-strict", ()),
        ({"value": "1/2", "satisfied": True}, "wrong, unsafe side", ()),
        ({"satisfied": True}, "wrong, unsafe side", ()),
        ({"value": "1/5", "satisfied": True}, "other convention", ("uniform-Q",)),
        ({"value": "0", "satisfied": True, "excluded": "1"}, "other convention", ("missing-rows-left-out",)),
        ({"value": "0", "satisfied": True}, "wrong, unsafe side", ()),  # left out, and not said
        ({"value": "1/2", "satisfied": False, "excluded": 2}, "wrong", ()),
        ({"value": math.nan}, "undefined", ("unused-category",)),  # which has no answer here
        ({"value": None}, "undefined", ("unused-category",)),
        ({"satisfied": "yes"}, "undefined", ("unused-category",)),
        ({}, "undefined", ("unused-category",)),
    ],
)
def test_a_result_is_judged(fields: Mapping[str, Any], verdict: str, looks_like: tuple[str, ...]) -> None:
    assessment = assess(VIOLATED, Given(fields))
    assert (assessment.verdict, assessment.looks_like) == (verdict, looks_like)


def test_a_larger_value_is_unsafe_where_larger_is_safer() -> None:
    k = Vector("k-anonymity/smoke/1", "-", "k-anonymity", TABLE, {"k": "2"}, Answer(Fraction(1), False), "invalid")
    assert assess(k, Given({"value": 2})).verdict == "wrong, unsafe side"
    assert assess(k, Given({"value": 0})).verdict == "wrong, over-strict"


def test_a_verdict_alone_is_another_convention_only_if_it_was_declared() -> None:
    assert assess(VIOLATED, Given({"satisfied": True})).verdict == "wrong, unsafe side"
    assert assess(VIOLATED, Given({"satisfied": True}), conventions=["uniform-Q"]).verdict == "other convention"


THIRD = Vector(
    "t-ordered/double-threshold/1",
    "exactly at the threshold",
    "t-ordered",
    TABLE,
    {"t": "1/3"},
    Answer(Fraction(1, 3), True),
    "valid",
    {"equality-the-other-way": Answer(Fraction(1, 3), False), "tolerance": Answer(Fraction(1, 3), False)},
)


@pytest.mark.parametrize(
    ("value", "likely"),
    [
        (0.3333333333333334, "double-threshold"),  # above the double of 1/3, so it was compared as it is
        ("0.33333333333333337034", "double-threshold"),
        (0.3333333333333333, "equality-the-other-way"),  # the double of 1/3 itself, which satisfies <=
        ("1/3", "equality-the-other-way"),
    ],
)
def test_a_verdict_that_rounding_explains_is_put_down_to_rounding(value: object, likely: str) -> None:
    flags = {"equality-the-other-way": Answer(Fraction(1, 3), False)}
    assessment = assess(replace(THIRD, flags=flags), Given({"value": value, "satisfied": False}))
    assert (assessment.verdict, assessment.looks_like) == ("wrong, over-strict", (likely,))
    assert assessment.because == "the value is right, the verdict is not"


def test_rounding_takes_no_convention_away() -> None:
    assessment = assess(THIRD, Given({"value": 0.3333333333333334, "satisfied": False}), conventions=["tolerance"])
    assert (assessment.verdict, assessment.looks_like) == ("other convention", ("tolerance",))


@pytest.mark.parametrize(
    ("fields", "because"),
    [
        ({"value": "1/4"}, "the value is too small"),
        ({"value": "1", "satisfied": False}, "the value is too large"),
        ({"value": "1/4", "satisfied": True}, ""),
        ({"value": "1/2", "satisfied": True}, "the value is right, the verdict is not"),
        ({"value": "1/2", "satisfied": False, "excluded": 2}, "the number of records left out"),
        ({"value": None, "satisfied": False}, "the value is null, which is not a number"),
        ({"satisfied": "false"}, "satisfied is a text; it is true or false, without quotation marks, or left out"),
        ({"satisfied": None}, "satisfied is null; it is true or false, without quotation marks, or left out"),
        ({"k": 3}, "a result has value, satisfied, nodes, or several of them and not 'k'"),
    ],
)
def test_it_is_said_what_is_wrong_with_an_answer(fields: Mapping[str, Any], because: str) -> None:
    assert assess(VIOLATED, Given(fields)).because == because


def test_answers_are_shown_as_json_has_them() -> None:
    assert answer_text({"value": None, "satisfied": "true", "k": 3}) == 'value null, satisfied "true", k 3'


def test_a_reading_that_mostly_answers_otherwise_is_no_likeness() -> None:
    """Three answers are right where without-half errs, and half-of-values-present was always followed."""
    both = {"half-of-values-present": Answer(Fraction(1, 4), True), "without-half": Answer(Fraction(1, 4), True)}
    coincides = replace(VIOLATED, flags=both)
    apart = replace(VIOLATED, flags={"without-half": Answer(Fraction(1), False)})
    vectors = [coincides, apart, apart, apart]
    wrong, right = Given({"value": "1/4"}), Given({"value": "1/2"})
    first = assess(coincides, wrong)
    assert first.looks_like == ("half-of-values-present", "without-half")
    final = settled(vectors, [first, *(assess(apart, right) for _ in range(3))])
    assert final[0].looks_like == ("half-of-values-present",)


def test_garbage_must_be_refused() -> None:
    assert assess(REFUSED, Failed("sum is 2")).verdict == "right"
    assert assess(REFUSED, Failed("the harness crashed", crashed=True)).verdict == "error"
    assert assess(REFUSED, Given({"value": "1/2"})) == Assessment("wrong", ("renormalises",), "value 1/2")


def test_what_is_no_result_has_its_own_verdict() -> None:
    assert assess(VIOLATED, Skipped("no t")).verdict == "skipped"
    assert assess(VIOLATED, TimedOut(1)).verdict == "timeout"
    assert assess(VIOLATED, Failed("KeyError")) == Assessment("error", ("unused-category",), "KeyError")
    assert not assess(VIOLATED, Skipped("no t")).failed
    assert assess(VIOLATED, TimedOut(1)).failed


def test_a_convention_that_is_followed_now_and_then_is_none() -> None:
    follows, misses = (assess(VIOLATED, Given({"value": value})) for value in ("1/5", "1/2"))
    half = settled([VIOLATED] * 2, [follows, misses])
    assert [j.verdict for j in half] == ["other convention", "right"]
    third = settled([VIOLATED] * 3, [follows, misses, misses])
    assert [j.verdict for j in third] == ["wrong, unsafe side", "right", "right"]
    declared = assess(VIOLATED, Given({"value": "1/5"}), conventions=["uniform-Q"])
    assert settled([VIOLATED] * 3, [declared, misses, misses])[0].verdict == "other convention"


# ---------------------------------------------------------------------- answers of any shape

ODD: tuple[Any, ...] = (
    *(None, True, False, 0, 1, -1, 10**999, 0.5, 1e308, float("nan"), float("inf"), "", " ", "1", "1/3", "1/0", "-3/4"),
    *("nan", "NaN", "inf", "-inf", "infinite", "1e400", "1e99999999", "-1e-99999999", "9" * 4000, "0." + "3" * 900),
    *("ln(3/2)", "ln(0)", "ln(-1)", "ln(1/0)", "log2(1e9999999)", "log2(0.0001)", "2^(1/2)", "2^(99999999999)"),
    *(
        "7^(99999999)*7^(-99999999)",
        "2^(1/0)",
        "0^(-1)",
        "10^(99999/7)",
        "1_000",
        "\u0663",
        "0x10",
        "\x1b[31m",
        "\ud7ff",
    ),
    *(
        [],
        {},
        [[]],
        ["0", "1"],
        [["0", "x"]],
        [[0.5]],
        [[float("inf")]],
        "01",
        {"0": 1},
        [["9" * 30]],
        [[True]],
        [[1.0]],
    ),
)


@pytest.mark.parametrize("algorithm", ALGORITHMS)
@pytest.mark.slow
def test_an_answer_of_any_shape_is_judged_at_once(algorithm: str) -> None:
    """No value, verdict, nodes or number of records ends the assessing, or takes long."""
    draw = random.Random(algorithm)
    vector = next(v for v in load(algorithms=[algorithm]) if v.reason != "smoke")
    begun = time.perf_counter()
    for name in RESULT_FIELDS:
        for value in ODD:
            fields = {name: value} | {other: draw.choice(ODD) for other in draw.sample(RESULT_FIELDS, 2)}
            assessment = assess(vector, Given(fields))
            assert assessment.verdict in VERDICTS
            assert (assessment.got + assessment.because).isprintable()
    assert time.perf_counter() - begun < 5


@pytest.mark.parametrize("written", [v for v in ODD if isinstance(v, str)])
def test_a_written_number_is_read_at_once_or_not_at_all(written: str) -> None:
    begun = time.perf_counter()
    number = answer_decimal(written)
    assert number is None or not number.is_nan()
    assert time.perf_counter() - begun < 1
