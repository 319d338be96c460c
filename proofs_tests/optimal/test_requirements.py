"""The rows of a model hold exactly for the counts of a class that satisfies it: asked of models and solver alike."""

from __future__ import annotations

from typing import Any

import pytest
from hypothesis import given, strategies as st

from proofs_tests.effort import effort
from proofs_tests.optimal.cases import LINEAR, linear_models, satisfying, title
from tcloseness.errors import InputError, LimitReached
from tcloseness.measures import KullbackLeibler
from tcloseness.microdata import Domain
from tcloseness.models import AlphaKAnonymity, BasicBetaLikeness, EntropyLDiversity, KAnonymity, TCloseness
from tcloseness.optimal.program import Program
from tcloseness.optimal.requirements import ClassVariables, Setting, linear_parts, require
from tcloseness.optimal.solver import Proposal, propose

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
