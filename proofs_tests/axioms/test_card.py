"""The card: what it says of the shipped measures, what is expected, and what a misbehaving measure may not do to it."""

from __future__ import annotations

import json
import math
import time
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest
import z3
from jsonschema import Draft202012Validator

import tcloseness as tc
from proofs_tests.axioms.miniatures import half_l1, ordered
from tcloseness import axioms
from tcloseness.axioms import CHECKS, check_distance, distance_checks, symbolic
from tcloseness.axioms.values import Value, weighted_sum
from tcloseness.errors import DomainError, InputError, ProtocolError

SCHEMA = Draft202012Validator(
    json.loads((Path(axioms.__file__).parent / "card.schema.json").read_text(encoding="utf-8"))
)
QUICK = {"m": (2, 3), "effort": "1/20", "proofs": False}
METRIC_LOST = {"symmetric", "triangle"}
BLIND = {"farther-costs-more", "salary-order"}
BELOW = {"at-least-emd", "at-least-variational"}
ABOVE = {"at-most-emd", "at-most-variational"}
UNBOUNDED = {"bounded-by-1", "defined-at-zero", *ABOVE}
DIVERGENCE = {"triangle", *BLIND, *BELOW}
SHIPPED = [
    (tc.measures.EMD("ordered"), {"probability-scaling"}),
    (tc.measures.EMD("equal"), {"probability-scaling"}),
    (tc.measures.Variational(), {"probability-scaling"}),
    (tc.measures.EMD([[0, 1, "1/2"], [1, 0, 1], ["1/2", 1, 0]]), {"probability-scaling"}),
    (tc.measures.KullbackLeibler(), {*DIVERGENCE, *METRIC_LOST, *UNBOUNDED}),
    (tc.measures.ChiSquare(), {*DIVERGENCE, *METRIC_LOST, *UNBOUNDED}),
    (tc.measures.JensenShannon(base=2), DIVERGENCE),
    (tc.measures.JensenShannon(root=True), {"convex", "convex-n", *BLIND, *ABOVE}),
    (tc.measures.Hellinger(), {"convex", "convex-n", *BLIND, *ABOVE}),
    (tc.measures.Ratio(), {"zero-on-equal", "finite-on-tables", *BLIND, *UNBOUNDED}),
    (tc.measures.ScaledEMD("ordered"), {*METRIC_LOST, *UNBOUNDED}),
]


@pytest.fixture(scope="module")
def emd_card():
    return check_distance(tc.measures.EMD("ordered"), m=(2, 4), effort="1/10")


@pytest.mark.parametrize(("measure", "failures"), SHIPPED, ids=[m.name for m, _ in SHIPPED])
@pytest.mark.slow
def test_the_cards_of_the_shipped_measures(measure, failures):
    """The reasons stand in the measures' docstrings: Fact 1 and 2, Hellinger's and the root's quasi-convexity, …"""
    card = check_distance(measure, only=[check.name for check in CHECKS if check.name != "many-values"], **QUICK)
    assert set(card.failures) == failures
    SCHEMA.validate(card.to_dict())
    assert card.open_question["allows pruning"] == "yes"
    scales = "no" if "probability-scaling" in failures else "yes"
    assert card.open_question["scales with probability"] == scales


@pytest.mark.long
def test_an_emd_satisfies_everything_but_probability_scaling_and_most_is_proved(emd_card):
    assert emd_card.failures == ("probability-scaling",)
    proved = {r.name for r in emd_card if getattr(r.verdict, "proved", None)}
    assert proved >= {
        *("non-negative", "zero-on-equal", "zero-only-on-equal", "bounded-by-1", "relabelling", "absent-value"),
        *("symmetric", "triangle", "convex", "convex-n", "quasi-convex", "generalization-property", "subset-property"),
        *("ground-monotone", "emd-agreement", *BELOW, *ABOVE),
    }
    assert str(emd_card["symmetric"].verdict) == "holds (proved, m ≤ 4)"
    assert set(emd_card.searches.values()) == {"yes"}
    assert emd_card.desiderata["probability scaling"] == "no"
    assert [answer for name, answer in emd_card.desiderata.items() if name != "probability scaling"] == ["yes"] * 4


@pytest.mark.long
def test_the_constants_against_the_variational_distance_are_those_of_the_paper_s_distance(emd_card):
    """V ≥ EMD ≥ V/(m − 1) under the ordered distance: mass moves at least 1/(m − 1) and at most 1; both attained."""
    assert emd_card["at-least-variational"].verdict.remark.startswith("D ≥ 1/3·V for m ≤ 4")
    assert emd_card["at-most-variational"].verdict.remark.startswith("D ≤ 1·V for m ≤ 4")


def test_a_law_broken_where_no_example_falls_is_refuted_by_proof():
    """Wrong only for 1/7 < p₁ < 15/100; a grid of denominators up to 6 has no mass there, nor do few drawn ones."""

    def nearly(p, q):
        distance = half_l1(p, q)
        return -distance if 0.1429 < p[0] < 0.1431 else distance

    result = check_distance(nearly, ground="equal", only=["non-negative"], effort="1/20")["non-negative"]
    assert result.status == "fails"
    space = {"measure": nearly}
    exec(result.verdict.counterexample.as_test("non-negative"), space)
    with pytest.raises(AssertionError):
        space["test_non_negative"]()
    assert check_distance(nearly, ground="equal", only=["non-negative"], **QUICK).passed


@pytest.mark.parametrize(
    ("measure", "why"),
    [
        (lambda p, q: abs(math.sqrt(p[0]) - math.sqrt(q[0])), "doubles or logarithms"),
        (lambda p, q: (p[0] - q[0]) ** 2 / (1 + p[0] + q[0]), "divides by a mass"),
        (tc.measures.KullbackLeibler(), "takes no symbols"),
    ],
)
def test_what_leaves_the_symbols_is_not_proved_and_says_why(measure, why):
    verdict = check_distance(measure, only=["non-negative"], m=(2, 3), effort="1/20")["non-negative"].verdict
    assert verdict.proved is None
    assert why in verdict.remark
    assert str(verdict).startswith("holds (")
    assert "examples" in str(verdict)


def test_extremes_and_branches_are_followed():
    def greatest(p, q):
        return max(abs(a - b) for a, b in zip(p, q, strict=True))

    def one_sided(p, q):
        return sum(a - b if a > b else 0 for a, b in zip(p, q, strict=True))

    def bent(p, q):
        return min(one_sided(p, q), Fraction(1, 2))

    for measure, checks in (
        (greatest, ["symmetric", "triangle", "convex"]),
        (one_sided, ["symmetric"]),
        (bent, ["bounded-by-1"]),
    ):
        card = check_distance(measure, ground="equal", only=checks, m=(2, 3), effort="1/20")
        assert [r.verdict.proved for r in card] == [3] * len(checks)


def test_without_z3_the_card_says_that_no_proof_was_tried(monkeypatch):
    monkeypatch.setattr(symbolic, "available", lambda: False)
    card = check_distance(half_l1, ground="equal", only=["symmetric"], m=(2, 3), effort="1/20")
    assert card["symmetric"].verdict.proved is None
    assert "z3 is not installed" in card["symmetric"].verdict.remark
    assert card.assumed["proofs"] == "none"


# ---------------------------------------------------------------------- misbehaviour


def raises(p, q):
    raise KeyError("no such value")


MISBEHAVING = [raises, lambda p, q: None, lambda p, q: math.nan, lambda p, q: "0.5", lambda p, q: 1j, lambda p, q: True]


@pytest.mark.parametrize("measure", MISBEHAVING)
def test_whatever_a_measure_does_is_an_outcome_and_no_exception(measure):
    card = check_distance(measure, **QUICK)
    assert card.status == "fails"
    assert {"finite", "finite-on-tables", "defined-at-zero"} <= set(card.failures)
    assert card["symmetric"].status == "undecided"
    assert card.assumed["accepts"] == []
    SCHEMA.validate(card.to_dict())
    assert "not a real number" in card.text() or "KeyError" in card.text()


class UnwritableError(Exception):
    def __repr__(self):
        raise RuntimeError

    __str__ = __repr__


def raises_what_cannot_be_written(p, q):
    raise UnwritableError


def puts_into(what):
    def measure(p, q):
        p[0] = what
        return 0

    return measure


EXTREME = {
    "infinite": lambda p, q: math.inf,
    "infinite below": lambda p, q: -math.inf,
    "infinite both ways": lambda p, q: math.inf if p[0] > q[0] else -math.inf,
    "the greatest doubles": lambda p, q: 1.7e308,
    "the greatest doubles both ways": lambda p, q: 1.7e308 if p[0] > q[0] else -1.7e308,
    "past every double": lambda p, q: Fraction(10**400) * half_l1(p, q),
    "below every double": lambda p, q: half_l1(p, q) / 10**400,
    "an infinite decimal": lambda p, q: Decimal("Infinity"),
    "no decimal": lambda p, q: Decimal("sNaN"),
    "cannot be written": lambda p, q: UnwritableError(),
    "raises what cannot be written": raises_what_cannot_be_written,
    "puts in a text": puts_into("x"),
    "puts in nothing": puts_into(None),
    "puts in an array": puts_into(np.array([1, 2])),
}
THEIRS = ("non-negative", "triangle", "convex", "leaves-inputs", "at-least-emd", "at-most-emd", "large-counts")


@pytest.mark.parametrize("name", EXTREME)
def test_the_most_extreme_answers_make_a_card_that_can_be_written(name):
    card = check_distance(EXTREME[name], only=THEIRS, m=(2, 2), effort="1/20", proofs=False)
    SCHEMA.validate(card.to_dict())
    json.dumps(card.to_dict(), allow_nan=False)
    assert card.text(tests=True).startswith(card.measure)
    assert ("leaves-inputs" in card.failures) == name.startswith("puts in")
    assert ("non-negative" in card.failures) == (("below" in name and "double" not in name) or "both ways" in name)


def test_a_difference_of_infinities_is_not_a_number_and_a_sum_past_every_double_is_finite():
    infinite, below, great = (Value(x, x) for x in (math.inf, -math.inf, 1.7e308))
    assert weighted_sum([(Fraction(1), infinite), (Fraction(1), below)]) is None
    assert weighted_sum([(Fraction(0), infinite), (Fraction(1), below)]).double == -math.inf
    assert weighted_sum([(Fraction(1), great), (Fraction(1), great)]).finite


# ---------------------------------------------------------------------- grounds of one's own


@dataclass
class Small:
    """A dataclass, which has no hash; over 2 to 4 values only."""

    m: int
    name = "small"
    metric = True
    cuts = None
    denominator = 1

    @classmethod
    def over(cls, domain):
        if not 2 <= len(domain) <= 4:
            raise RuntimeError("other sizes")
        return cls(len(domain))

    def distance(self, i, j):
        return Fraction(int(i != j))

    def row(self, i):
        return np.array([int(i != j) for j in range(self.m)], dtype=np.int64)

    def to_dict(self):
        return {"name": self.name}


def by_ground(p, q, ground):
    return half_l1(p, q)


def test_a_ground_distance_that_fails_is_said_to_and_past_the_sizes_asked_for_leaves_the_law_undecided():
    only = ["symmetric", "relabelling", "one-value", "many-values"]
    card = check_distance(by_ground, ground=Small, only=only, **QUICK)
    undecided = dict.fromkeys(("one-value", "many-values"), "undecided")
    assert {result.name: result.status for result in card} == {
        "symmetric": "holds",
        "relabelling": "holds",
        **undecided,
    }
    assert "over 10 values fails by itself (RuntimeError: other sizes)" in card["many-values"].verdict.remark
    with pytest.raises(DomainError, match="over 5 values fails by itself"):
        check_distance(by_ground, ground=Small, only=only, **{**QUICK, "m": (2, 5)})


def test_the_pasted_test_of_a_ground_distance_that_is_no_metric_makes_it():
    ground = tc.Matrix([[0, 1, 5], [1, 0, 1], [4, 1, 0]], allow_non_metric=True)
    card = check_distance(tc.emd, ground=ground, only=["symmetric"], **QUICK)
    space = {"measure": tc.emd}
    exec(card["symmetric"].counterexample.as_test("symmetric"), space)
    with pytest.raises(AssertionError):
        space["test_symmetric"]()


def test_a_slow_measure_is_undecided_when_its_seconds_are_over():
    def slow(p, q):
        time.sleep(0.005)
        return half_l1(p, q)

    card = check_distance(slow, ground="equal", only=["symmetric"], budget=0.02, m=(2, 3), proofs=False)
    assert (card.status, card["symmetric"].status) == ("undecided", "undecided")
    assert "0.02 s were over" in card["symmetric"].verdict.remark


def test_seconds_that_are_over_among_drawn_examples_leave_the_law_undecided():
    """Small distributions are answered at once, and all of the grid holds."""

    def slow_where_denominators_are_large(p, q):
        time.sleep(0.05 if max(x.denominator for x in map(Fraction, p)) > 6 else 0)
        return half_l1(p, q)

    options = {"ground": "equal", "only": ["symmetric"], "m": (2, 2), "effort": "1/2", "proofs": False}
    result = check_distance(slow_where_denominators_are_large, budget=0.2, **options)["symmetric"]
    assert result.status == "undecided"
    assert "0.2 s were over" in result.verdict.remark


@pytest.mark.long
def test_a_card_is_the_same_whenever_it_is_made():
    """As long as no check runs out of time, which a busy machine may do; so none has to here."""
    first, second = (check_distance(ordered, budget=3600, **QUICK).to_dict() for _ in range(2))
    assert first == second


# ---------------------------------------------------------------------- expectations


def test_an_expected_failure_passes_and_an_unexpected_pass_does_not():
    only = ["symmetric", "probability-scaling"]
    expected = {"probability-scaling": "a metric"}
    card = check_distance(half_l1, ground="equal", only=only, expected_failures=expected, **QUICK)
    assert card.passed
    assert str(card["probability-scaling"].verdict) == "expected failure (a metric)"
    assert card["probability-scaling"].verdict.counterexample.m == 2
    card = check_distance(half_l1, ground="equal", only=only, expected_failures={"symmetric": "?"}, **QUICK)
    assert (card.status, card["symmetric"].status) == ("fails", "unexpected pass")
    SCHEMA.validate(card.to_dict())


@pytest.mark.parametrize(
    ("options", "error", "message"),
    [
        ({"expected_failures": {"symetric": "x"}}, InputError, "did you mean 'symmetric'"),
        ({"expected_failures": {"symmetric": " "}}, InputError, "give one in words"),
        ({"only": ["nothing"]}, InputError, "'nothing' is unknown"),
        ({"m": (3, 2)}, InputError, "least and the greatest"),
        ({"m": 4}, InputError, "least and the greatest"),
        ({"budget": 0}, InputError, "positive number of seconds"),
        ({"effort": 0}, InputError, "effort = 0"),
        ({"m": "26"}, InputError, "least and the greatest"),
        ({"m": (2.9, 3.9)}, InputError, "least and the greatest"),
        ({"m": (2, 10**9)}, InputError, "2 to 100"),
        ({"budget": "2"}, InputError, "positive number of seconds"),
        ({"budget": math.nan}, InputError, "positive number of seconds"),
        ({"only": []}, InputError, "names no check"),
        ({"only": 5}, InputError, "names no check"),
        ({"expected_failures": ["symmetric"]}, InputError, "a dict of reasons"),
        ({"proofs": "no"}, InputError, "proofs = 'no'; it must be True or False"),
        ({"claims_emd": "no"}, InputError, "claims_emd = 'no'; it must be True or False"),
        ({"ground": 5}, DomainError, "cannot be made from"),
        ({"ground": []}, DomainError, "at least one value"),
        ({"ground": "ordered-by-value"}, DomainError, "depends on the values"),
        ({"ground": [[0]]}, DomainError, "needs two or more"),
        ({"ground": "euclid", "domain": "ab"}, DomainError, "'euclid' is unknown"),
    ],
)
def test_a_wrong_question_is_refused(options, error, message):
    with pytest.raises(error, match=message):
        check_distance(half_l1, **options)


@pytest.mark.parametrize("measure", [3, tc.measures.EMD, "emd"])
def test_what_is_no_measure_is_refused(measure):
    with pytest.raises(ProtocolError, match=r"measure|class"):
        check_distance(measure)


@pytest.mark.long
def test_a_fixed_domain_is_checked_over_its_own_values():
    """A hierarchy of four values: the measure can be asked about 2, 3 and 4 of them."""
    hierarchy = tc.Hierarchy([("a", "x", "*"), ("b", "x", "*"), ("c", "y", "*"), ("d", "y", "*")])
    card = check_distance(tc.measures.EMD(hierarchy), effort="1/20", proofs=False)
    assert card.assumed["m"] == "2 to 4"
    assert card.failures == ("probability-scaling",)
    assert card["many-values"].status == "not applicable"
    by_value = check_distance(
        tc.measures.EMD("ordered-by-value"),
        domain=[14, 27, 88, 101],
        effort="1/20",
        only=["symmetric", "emd-agreement"],
    )
    assert [r.verdict.proved for r in by_value] == [4, 4]


# ---------------------------------------------------------------------- one test a check

half_l1_by_check = distance_checks(
    half_l1, ground="equal", only=["symmetric", "probability-scaling", "scale-of-counts", "triangle"], **QUICK
)


def outcome_of(test, check):
    try:
        test(check)
    except (pytest.fail.Exception, pytest.skip.Exception, pytest.xfail.Exception) as outcome:
        return type(outcome).__name__, str(outcome.msg)
    return "passed", ""


def test_the_decorator_makes_one_test_a_check():
    seen = []

    @half_l1_by_check
    def test_it(result):
        seen.append(result.name)

    (mark,) = test_it.pytestmark
    assert set(mark.args[1]) == {"symmetric", "triangle", "probability-scaling", "scale-of-counts"}
    assert outcome_of(test_it, "symmetric") == ("passed", "")
    assert seen == ["symmetric"]
    kind, message = outcome_of(test_it, "probability-scaling")
    assert kind == "Failed"
    assert "def test_probability_scaling" in message
    assert outcome_of(test_it, "scale-of-counts")[0] == "Skipped"


def test_the_decorator_knows_expected_failures():
    expected = {"probability-scaling": "a metric", "symmetric": "wrongly"}

    @distance_checks(half_l1, ground="equal", only=list(expected), expected_failures=expected, **QUICK)
    def test_it(result):
        raise AssertionError("it is called for checks that hold only")

    assert outcome_of(test_it, "probability-scaling") == ("XFailed", "a metric")
    assert outcome_of(test_it, "symmetric")[0] == "Failed"


@distance_checks(half_l1, ground="equal", only=["symmetric", "triangle"], **QUICK)
def test_half_l1_by_the_decorator(result):
    assert result.status == "holds"


def test_a_check_counts_its_own_examples_whatever_was_checked_before():
    names = [
        "non-negative",
        "absent-value",
        "symmetric",
        "exact",
        "farther-costs-more",
        "scale-of-counts",
        "at-most-emd",
    ]
    together = check_distance(tc.measures.EMD("ordered"), only=names, **QUICK)
    for name in names:
        alone = check_distance(tc.measures.EMD("ordered"), only=[name], **QUICK)[name].verdict
        assert alone.examples == together[name].verdict.examples > 0


@pytest.mark.smt
def test_a_question_that_the_prover_leaves_open_is_not_a_proof():
    class Open(z3.Solver):
        def check(self, *assumptions):
            return z3.unknown

    with pytest.raises(symbolic.Unprovable, match="left a question open"):
        symbolic._asked(Open(), z3.BoolVal(True), math.inf)
