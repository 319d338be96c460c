"""What is a proof here: a claim about all numbers that meet what is given, and no numbers that break it."""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

import z3

from proofs_tests.smt import solver as solvers
from proofs_tests.smt.symbolic import every

__all__ = ["counterexample", "numbers"]


def counterexample(claim: Any, given: Iterable[Any] = (), *, both: bool = False) -> z3.ModelRef | None:
    """Return numbers for which everything `given` holds and the claim fails; None if there are none: it is proved.

    Parameters
    ----------
    claim
        A statement, or several of which all are claimed.
    given
        Statements.
    both
        Ask cvc5 as well; the two must agree.
    """
    claims = list(claim) if isinstance(claim, (list, tuple)) else [claim]
    if not claims:
        raise TypeError("nothing is claimed, and nothing has no counterexample")
    solver = solvers.new_solver()
    solver.add(every(given), z3.Not(every(claims)))
    model = solvers.model_of(solver)
    if both:
        answer, other = "unsat" if model is None else "sat", solvers.second_opinion(solver)
        if answer != other:
            raise AssertionError(f"z3 says {answer} and cvc5 {other}")
    return model


def numbers(model: z3.ModelRef, symbols: Iterable[Any]) -> list[Fraction]:
    """The values of symbols in a counterexample, exact; an irrational one to 40 digits, for the package to check."""
    values = [model.eval(symbol.term, model_completion=True) for symbol in symbols]
    rationals = [value.approx(40) if z3.is_algebraic_value(value) else value for value in values]
    return [Fraction(value.as_fraction() if z3.is_rational_value(value) else value.as_long()) for value in rationals]
