"""No check is dead: each has a small measure that fails it, with a test to paste that fails with it."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
import z3

from proofs_tests.axioms.miniatures import (
    MINIATURES,
    Miniature,
    by_appearance,
    divides_by_m,
    half_l1,
    ordered,
    over_those_present,
    without_the_half,
)
from tcloseness.axioms import CHECKS, check_distance
from tcloseness.axioms.checker import Checker

QUICK = {"m": (2, 3), "effort": "1/20", "proofs": False}


def run_pasted(code: str, name: str, measure: object) -> None:
    space = {"measure": measure}
    exec(code, space)
    space[f"test_{name.replace('-', '_')}"]()


def test_every_check_has_a_miniature_in_the_order_of_its_kind():
    assert sorted(m.check for m in MINIATURES) == sorted(check.name for check in CHECKS)
    assert len({check.name for check in CHECKS}) == len(CHECKS)


@pytest.mark.parametrize("check", CHECKS, ids=lambda c: c.name)
def test_a_check_says_what_it_asks_where_it_is_from_and_what_breaks(check):
    assert all(len(text) > 5 for text in (check.statement, check.reference, check.consequence))


@pytest.mark.parametrize("miniature", MINIATURES, ids=lambda m: m.check)
@pytest.mark.slow
def test_a_miniature_fails_its_check_and_what_cannot_hold_without_it(miniature: Miniature):
    card = check_distance(miniature.measure, **{**QUICK, **miniature.options})
    assert set(card.failures) == miniature.failures
    for name in card.failures if miniature.check != "deterministic" else [miniature.check]:
        counterexample = card[name].verdict.counterexample
        assert counterexample.m <= 3 or name in ("salary-order", "many-values")
        with pytest.raises((AssertionError, ArithmeticError, ValueError, RecursionError)):
            run_pasted(counterexample.as_test(name), name, miniature.measure)


WORKS_FOR_THE_RIGHT_ONE = [
    m for m in MINIATURES if callable(m.measure) and m.check not in ("probability-scaling", "ground-monotone")
]


@pytest.mark.parametrize("miniature", WORKS_FOR_THE_RIGHT_ONE, ids=lambda m: m.check)
def test_the_pasted_test_passes_for_a_measure_that_is_right(miniature: Miniature):
    card = check_distance(miniature.measure, only=[miniature.check], **{**QUICK, **miniature.options})
    code = card[miniature.check].verdict.counterexample.as_test(miniature.check)
    right = half_l1 if miniature.options["ground"] == "equal" else ordered
    run_pasted(code, miniature.check, right)


@pytest.mark.parametrize(
    ("measure", "options", "check"),
    [
        (over_those_present, {"ground": "equal", "effort": "1/8"}, "vanishing-mass"),
        (without_the_half, {"ground": "equal"}, "bounded-by-1"),
        (divides_by_m, {"ground": "ordered", "claims_emd": True}, "emd-agreement"),
        (by_appearance, {"ground": "ordered"}, "relabelling"),
        (by_appearance, {"ground": "ordered", "claims_emd": True}, "emd-agreement"),
    ],
)
def test_well_known_mistakes_are_caught_with_at_most_three_values(measure, options, check):
    result = check_distance(measure, only=[check], **{**QUICK, **options})[check]
    assert result.status == "fails"
    assert result.verdict.counterexample.m <= 3


def test_the_smallest_counterexample_is_found_first():
    """Half the L1 distance without the half is 2 for all mass against none of it, and nothing smaller is wrong."""
    found = check_distance(without_the_half, ground="equal", only=["bounded-by-1"]).results[0].verdict.counterexample
    assert (found.inputs, found.values) == ({"P": ("1", "0"), "Q": ("0", "1")}, {"D(P, Q)": "2"})


@pytest.mark.smt
def test_a_convex_metric_cannot_scale_with_probability():
    """Two values, masses x = 0, 1, …, 5 of the first (times a step): all steps of one size cost the same."""
    n = 6
    d = [[z3.Real(f"d{i}_{j}") for j in range(n)] for i in range(n)]
    solver = z3.Solver()
    for i in range(n):
        solver.add(d[i][i] == 0)
        for j in range(n):
            solver.add(d[i][j] == d[j][i])
            solver.add([d[i][j] <= d[i][k] + d[k][j] for k in range(n)])
            solver.add([2 * d[k][j] <= d[k - 1][j] + d[k + 1][j] for k in range(1, n - 1)])
    assert solver.check() == z3.sat
    solver.add(d[1][0] != d[5][4])
    assert solver.check() == z3.unsat


def test_what_it_takes_and_gives_stands_on_the_card():
    def needs_fractions(p, q):
        return half_l1(p, q) if all(isinstance(x, Fraction) for x in p) else None

    def needs_array(p, q):
        return float(abs(p - q).sum() / 2)

    for measure, accepted in ((needs_fractions, ["fractions"]), (needs_array, ["array"])):
        card = check_distance(measure, ground="equal", only=["exact", "symmetric"], **QUICK)
        assert card.assumed["accepts"] == accepted
        assert card.assumed["called_with"] == accepted[0]
        assert card.passed
    assert "exact (Fraction)" in check_distance(needs_fractions, only=["exact"], **QUICK)["exact"].verdict.remark
    one_form, three_forms = (
        check_distance(measure, only=["exact"], **QUICK)["exact"].verdict.remark
        for measure in (needs_array, lambda p, q: float(half_l1(p, q)))
    )
    assert one_form == "doubles; it takes one form of input only"
    assert three_forms.endswith("between the forms of input")


@pytest.mark.parametrize(("power", "relation"), [(-1, ">"), (2, ">"), (0, None)])
def test_one_more_value_may_neither_shrink_nor_stretch_a_distance_more_than_the_ground_distances(power, relation):
    """From m to m + 1 ordered values the ground distances fall to (m − 1)/m of what they were, and no further."""

    def scaled(p, q):
        return ordered(p, q) * Fraction(len(p)) ** power

    result = check_distance(scaled, ground="ordered", only=["absent-value"], **QUICK)["absent-value"]
    assert result.status == ("holds" if relation is None else "fails")
    if relation is not None:
        left, right = result.verdict.counterexample.finding.split(":")[0].split(f" {relation} ")
        assert ("D(P0, Q0)" in left) == (power > 0)
        assert ("D(P0, Q0)" in right) == (power < 0)


@pytest.mark.parametrize("proved", [(4, 3), (3, 4), (4, None), (None, 4)])
def test_a_law_of_two_sides_is_proved_as_far_as_both_are(monkeypatch, proved):
    found = iter(proved)
    monkeypatch.setattr(Checker, "prove", lambda self, law, held: replace(held, proved=next(found)))
    verdict = check_distance(ordered, ground="ordered", only=["absent-value"], **QUICK)["absent-value"].verdict
    assert verdict.proved == (None if None in proved else 3)
