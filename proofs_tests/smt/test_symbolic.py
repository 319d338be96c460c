"""The machinery of the SMT proofs: every path is walked, every answer is definite, symbols compute as numbers do."""

from __future__ import annotations

from fractions import Fraction
from itertools import permutations
from math import factorial

import pytest
import z3
from hypothesis import given, strategies as st

from proofs_tests.effort import effort
from proofs_tests.smt import solver
from proofs_tests.smt.proofs import counterexample, numbers
from proofs_tests.smt.solver import Undecided
from proofs_tests.smt.symbolic import Symbol, Truth, absolute, lesser, paths, reals, wholes

pytestmark = pytest.mark.smt
F = Fraction


@pytest.mark.parametrize("n", [2, 3, 4])
def test_sorting_takes_one_path_for_each_order(n):
    """All numbers different: n! orders, each met once, and what is sorted ascends on each."""
    x = reals("x", n)
    different = [x[i] != x[j] for i in range(n) for j in range(i)]
    orders = set()
    for path in paths(lambda: sorted(x), different, most=factorial(n)):
        assert path.counterexample(*[a < b for a, b in zip(path.result, path.result[1:], strict=False)]) is None
        orders.add(tuple(str(s) for s in path.result))
    assert orders == {tuple(map(str, order)) for order in permutations(x)}


def test_too_many_paths_are_no_proof():
    x = reals("x", 3)
    with pytest.raises(Undecided, match="more than 5 paths"):
        list(paths(lambda: sorted(x), [], most=5))


def test_an_impossible_way_is_not_walked():
    """Given x > 1, x < 0 never holds, and x > 2 may."""
    (x,) = reals("x", 1)
    assert [path.result for path in paths(lambda: bool(x < 0), [x > 1], most=5)] == [False]
    assert sorted(path.result for path in paths(lambda: bool(x > 2), [x > 1], most=5)) == [False, True]


def test_a_truth_is_not_guessed_outside_of_paths():
    a, b = reals("x", 2)
    with pytest.raises(TypeError, match="is not known"):
        min(a, b)
    with pytest.raises(TypeError, match="is not known"):
        bool(a)


def test_only_exact_numbers_mix_with_symbols():
    (x,) = reals("x", 1)
    with pytest.raises(TypeError, match="neither a symbol nor an exact number"):
        x + 0.1


def test_no_answer_is_no_proof(monkeypatch):
    """x³ + y³ = z³ in positive whole numbers, in a millisecond."""
    monkeypatch.setattr(solver, "Z3_MS", 1)
    x, y, z = wholes("x", 3)
    with pytest.raises(Undecided, match="z3"):
        counterexample(x * x * x + y * y * y != z * z * z, [n > 0 for n in (x, y, z)])


def test_an_empty_claim_is_no_proof():
    with pytest.raises(TypeError, match="nothing is claimed"):
        counterexample([])
    with pytest.raises(TypeError, match="nothing is claimed"):
        next(paths(lambda: 0, [], most=1)).counterexample()


def test_two_solvers_that_disagree_are_noticed(monkeypatch):
    (x,) = reals("x", 1)
    assert counterexample(x <= x, both=True) is None
    monkeypatch.setattr(solver, "second_opinion", lambda _: "sat")
    with pytest.raises(AssertionError, match="z3 says unsat and cvc5 sat"):
        counterexample(x <= x, both=True)


def test_cvc5_gives_no_answer_either_when_it_has_none(monkeypatch):
    monkeypatch.setattr(solver, "CVC5_MS", 1)
    x, y, z = wholes("x", 3)
    question = solver.new_solver()
    question.add(*[(n > 0).term for n in (x, y, z)], (x * x * x + y * y * y == z * z * z).term)
    with pytest.raises(Undecided, match="cvc5"):
        solver.second_opinion(question)


@effort(1 / 2)
@given(st.lists(st.fractions(-5, 5, max_denominator=9), min_size=2, max_size=2), st.integers(1, 7))
def test_symbols_compute_as_fractions_do(known, n):
    """Put numbers in the place of the symbols, and every operation gives what Fractions give."""
    a, b = reals("x", 2)
    x, y = known
    pairs = [
        (a + b, x + y),
        (1 + a, 1 + x),
        (a - b, x - y),
        (1 - a, 1 - x),
        (-a, -x),
        (a * F(2, 3), x * F(2, 3)),
        (0 * a, F(0)),
        (a * b, x * y),
        (a / n, x / n),
        (abs(a), abs(x)),
        (absolute(a - b), abs(x - y)),
        (lesser(a, b), min(x, y)),
    ]
    ordered = [(a < b, x < y), (a <= b, x <= y), (a > b, x > y), (a >= b, x >= y), (a == b, x == y), (a != b, x != y)]
    pairs += [(Symbol(z3.ToReal((truth + 0).term)), F(int(holds))) for truth, holds in ordered]
    given_ = [a == x, b == y]
    assert counterexample([symbol == number for symbol, number in pairs], given_) is None
    model = counterexample(Truth(z3.BoolVal(False)), given_)
    assert numbers(model, [a, b]) == known
