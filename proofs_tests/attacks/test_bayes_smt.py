"""Machanavajjhala et al. 2006, Theorem 5.1 found afresh by solver: Bayes-optimal privacy is not monotone. The package
confirms what z3 finds."""

from __future__ import annotations

from fractions import Fraction

import pytest

from proofs_tests.smt.beliefs import PEOPLE, World
from proofs_tests.smt.proofs import counterexample, numbers
from proofs_tests.smt.symbolic import Symbol, Truth
from tcloseness.attacks import Population, observed_beliefs
from tcloseness.microdata import ClassCounts

pytestmark = pytest.mark.smt
F = Fraction

WORLD = World.unknown()
MODEST = World(WORLD.rare, WORLD.released, F(3, 8), F(3, 4))
"""Thresholds as in the worked example of the package's documentation."""


def known(world, most):
    """What is given about a world; thresholds that are numbers need no statement."""
    return [truth for truth in world.possible(most) if isinstance(truth, Truth)]


def confirmed(world, model):
    """The package's breaches with a and b apart, and with both in one block, on the numbers that were found."""
    rare, *released = [[int(n) for n in numbers(model, row)] for row in (world.rare, *world.released)]
    low, high = (x if isinstance(x, Fraction) else numbers(model, [x])[0] for x in (world.low, world.high))
    joint = {q: {0: i, 1: PEOPLE - i} for q, i in zip("ab", rare, strict=True)}
    population = Population.from_mapping(joint)
    apart = ClassCounts.from_mapping({q: dict(enumerate(row)) for q, row in zip("ab", released, strict=True)})
    union = ClassCounts.from_mapping({"ab": {s: sum(row[s] for row in released) for s in (0, 1)}})
    together = observed_beliefs(population, union, blocks={"a": "ab", "b": "ab"})
    return observed_beliefs(population, apart).breaches(low, high), together.breaches(low, high)


@pytest.mark.parametrize(("world", "most"), [(WORLD, 1), (MODEST, 2)], ids=["free thresholds", "3/8 and 3/4"])
def test_two_private_blocks_whose_union_is_not(world, most):
    """No (ρ₁, ρ₂)-breach apart, and one together. One record of each kind is enough if the thresholds are free."""
    model = counterexample(world.private([0, 1]), [*known(world, most), world.private([0], [1])])
    assert model is not None
    before, after = confirmed(world, model)
    assert before == ()
    assert len(after) > 0


def test_the_other_way_round_a_breach_may_disappear():
    """So neither a satisfying nor a violating node says anything about the nodes above it."""
    model = counterexample(WORLD.private([0], [1]), [*known(WORLD, 4), WORLD.private([0, 1])])
    assert model is not None
    before, after = confirmed(WORLD, model)
    assert len(before) > 0
    assert after == ()


def test_where_a_and_b_are_alike_privacy_is_monotone():
    """f(s|a) = f(s|b): then f(s|q*) = f(s|q), beliefs are shares of the block, and a union's share is a mean."""
    alike = World([WORLD.rare[0]] * 2, WORLD.released, WORLD.low, WORLD.high)
    assert counterexample(alike.private([0, 1]), [*known(alike, 3), alike.private([0], [1])]) is None
    model = counterexample(alike.private([0], [1]), [*known(alike, 3), alike.private([0, 1])])
    assert model is not None  # a mutant: the union's privacy does not speak for the parts


def test_one_record_of_each_kind_is_no_counterexample_at_modest_thresholds():
    """ρ₁ = 3/8, ρ₂ = 3/4: the example of six records in the documentation has none of four beside it."""
    assert counterexample(MODEST.private([0, 1]), [*known(MODEST, 1), MODEST.private([0], [1])]) is None


@pytest.mark.parametrize("q", [0, 1])
def test_beliefs_are_probabilities_and_with_the_printed_denominator_they_are_not(q):
    """Equation (1) is printed with f(s'|q*)/f(s'|q*) below the line, that is with Σ n(q*, s') there.

    What stands above it for value 0 can be larger than that sum, so the "belief" exceeds 1.
    """
    zero, one = WORLD.odds(q, [0, 1])
    assert counterexample([zero > 0, one > 0], known(WORLD, 6)) is None
    rare, both = WORLD.rare[q], sum(WORLD.rare)
    n = [sum(row[s] for row in WORLD.released) for s in (0, 1)]
    # n(q*, 0)·f(0|q)/f(0|q*) ≤ n(q*, 0) + n(q*, 1), times f(0|q*)
    model = counterexample(2 * n[0] * rare <= (n[0] + n[1]) * both, known(WORLD, 6))
    assert model is not None
    above = 2 * value(model, n[0]) * value(model, rare) / value(model, both)
    assert above > value(model, n[0] + n[1])


def value(model, of: Symbol):
    return numbers(model, [of])[0]
