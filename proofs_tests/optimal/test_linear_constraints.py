"""The rows of a model hold exactly for the counts of a class that satisfies it: asked of models and solver alike."""

from __future__ import annotations

import random
from collections import Counter
from fractions import Fraction
from typing import Any

import highspy
import pytest
from hypothesis import given, strategies as st

from proofs_tests.effort import effort
from proofs_tests.optimal.cases import LINEAR, linear_models, satisfying, title
from tcloseness.errors import InputError, LimitReached
from tcloseness.ground import Matrix
from tcloseness.measures import KullbackLeibler
from tcloseness.microdata import Domain
from tcloseness.models import (
    AlphaKAnonymity,
    BasicBetaLikeness,
    DeltaDisclosure,
    EnhancedBetaLikeness,
    EntropyLDiversity,
    KAnonymity,
    RecursiveCLDiversity,
    TCloseness,
)
from tcloseness.optimal import highs
from tcloseness.optimal.linear_constraints import (
    ClassVariables,
    Setting,
    greatest_share,
    least_share,
    linear_parts,
    require,
)
from tcloseness.optimal.program import Program
from tcloseness.optimal.solver import Proposal, propose
from tcloseness.transport.solvers.highs_process import _solved, _solver

pytestmark = pytest.mark.solver


def rows_hold(vector: list[int], model: Any, reference: list[int], *, opened: int = 1) -> bool:
    """Whether a program with the counts fixed has a solution."""
    program = Program()
    u = program.add(opened, opened)
    fixed = {v: program.add(c, c) for v, c in enumerate(vector)}
    most = {v: c + 1 for v, c in enumerate(vector)}
    of = ClassVariables({v: {x: 1} for v, x in fixed.items()}, most, {u: 1})
    require(program, model, of, Setting(Domain.declare(range(len(reference))), reference))
    return isinstance(propose(program), Proposal)


def assert_rows_say_what_the_model_says(vector: list[int], reference: list[int], model: Any) -> None:
    reference = [max(a, b) for a, b in zip(reference, vector, strict=True)]
    assert rows_hold(vector, model, reference) == satisfying([vector], model, reference)[0]


@pytest.mark.parametrize("model", LINEAR, ids=title)
@effort(1 / 8)
@given(
    vector=st.lists(st.integers(0, 5), min_size=3, max_size=3).filter(any),
    reference=st.lists(st.integers(0, 9), min_size=3, max_size=3),
)
def test_the_rows_hold_exactly_if_the_model_does(model: Any, vector: list[int], reference: list[int]) -> None:
    assert_rows_say_what_the_model_says(vector, reference, model)


def solved_here(program: Program, **_: Any) -> highs.Run:
    """What `highs.run` returns, of HiGHS in this process: for many small programs."""
    solver = _solver(highspy, highs._task(program, False), lambda *_: None)
    found = _solved(highspy, solver, {})
    return highs.Run(found["status"], found["values"] if found["feasible"] else None, found["bound"], found["prices"])


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """HiGHS without a process of its own, for many small programs."""

    monkeypatch.setattr(highs, "run", solved_here)


NEAR = (
    *(EnhancedBetaLikeness(beta) for beta in (1, "3/2")),  # the cap −ln q counts: 1 < ln 3 < 3/2
    AlphaKAnonymity("1/3", values=[0, 2]),
    DeltaDisclosure("1/3", absent="skipped"),
    TCloseness("1/4", ground=Matrix([[0, 1, "1/2"], [1, 0, "3/4"], ["1/2", "3/4", 0]])),
    TCloseness("1/9", ground=Matrix([[0, 1, "1/2"], [1, 0, "3/4"], ["1/2", "3/4", 0]])),
)


@pytest.mark.usefixtures("in_this_process")
@pytest.mark.parametrize("model", [*LINEAR, *NEAR], ids=lambda model: model.name)
@pytest.mark.slow
def test_the_rows_hold_exactly_if_the_model_does_on_many_classes(model: Any) -> None:
    """Classes within and beyond each threshold, values that the class or the rest of the table lacks, and ties."""
    draw, seen = random.Random(f"rows {model}"), Counter[bool]()
    for _ in range(40):
        vector = [draw.choice([0, 0, 1, 1, 2, 3, 6]) for _ in range(3)]
        vector[draw.randrange(3)] += not any(vector)
        rest = [draw.choice([0, 0, 1, 2, 5, 12]) for _ in range(3)]
        reference = [a + b for a, b in zip(vector, rest, strict=True)]
        if draw.random() < 0.3:
            reference = [draw.randint(1, 3) * c for c in (1, 1, 1)]  # a class is as the table is, or nearly
        assert_rows_say_what_the_model_says(vector, reference, model)
        reference = [max(a, b) for a, b in zip(reference, vector, strict=True)]
        seen[satisfying([vector], model, reference)[0]] += 1
    assert min(seen[True], seen[False]) > 0 or RecursiveCLDiversity(1, c="1/2") == model


@effort(1)
@given(st.data(), st.integers(2, 5))
def test_also_for_every_ground_distance(data: st.DataObject, m: int) -> None:
    vector = data.draw(st.lists(st.integers(0, 4), min_size=m, max_size=m).filter(any))
    reference = data.draw(st.lists(st.integers(0, 9), min_size=m, max_size=m))
    assert_rows_say_what_the_model_says(vector, reference, data.draw(linear_models(m)))


@pytest.mark.parametrize("model", LINEAR, ids=title)
def test_an_empty_class_breaks_nothing(model: Any) -> None:
    assert rows_hold([0, 0, 0], model, [3, 2, 1], opened=0)


def test_what_is_not_linear_is_refused_by_name() -> None:
    for model, message in (
        (EntropyLDiversity(2), "entropy l-diversity is not linear"),
        (TCloseness("1/5", measure=KullbackLeibler()), "is not linear"),
        (KAnonymity(2) & EntropyLDiversity(2), "entropy l-diversity is not linear"),
        (KAnonymity(), "has no threshold"),
        (AlphaKAnonymity(), "has no threshold"),
        (BasicBetaLikeness(), "has no threshold"),
    ):
        with pytest.raises(InputError, match=message):
            linear_parts(model)


def test_counts_past_what_doubles_carry_are_refused() -> None:
    with pytest.raises(LimitReached, match="2\\^53"):
        rows_hold([2**40, 1], TCloseness("1/7", ground="equal"), [2**41 + 1, 5])


# The greatest and the least share of a class of at most n records that pass a threshold, against all fractions.

thresholds = st.one_of(st.fractions(0, 1, max_denominator=60), st.fractions(0, 1))


def shares(n: int) -> set[Fraction]:
    return {Fraction(a, b) for b in range(1, n + 1) for a in range(b + 1)}


@given(thresholds, st.integers(1, 40), st.booleans())
def test_no_share_of_a_class_lies_between_the_threshold_and_its_fraction(k: Fraction, n: int, strict: bool) -> None:
    below = [p for p in shares(n) if (p < k if strict and k else p <= k)]
    assert greatest_share(lambda p: p < k if strict and k else p <= k, n) == max(below)
    above = [p for p in shares(n) if p >= k]
    assert least_share(lambda p: p >= k, n) == min(above)


def test_an_irrational_threshold_is_exact() -> None:
    """80782/114243 is a convergent of 1/√2 from below, so no fraction with a lesser denominator lies between."""
    assert greatest_share(lambda p: 2 * p * p < 1, 114243) == Fraction(80782, 114243)
    assert 2 * 80782**2 - 114243**2 == -1  # what makes it a convergent (Pell)


def test_few_questions_are_asked() -> None:
    asked = []
    greatest_share(lambda p: asked.append(p) is None and p < Fraction(1, 10**9), 10**12)
    assert len(asked) < 500


def test_a_threshold_that_nothing_passes_is_refused() -> None:
    with pytest.raises(InputError, match="no share does"):
        greatest_share(lambda p: False, 3)
