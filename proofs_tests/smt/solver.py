"""Asking z3, and cvc5 for a second opinion. Only a definite answer is one: `unknown` raises, and never passes."""

from __future__ import annotations

import cvc5
import z3

__all__ = ["CVC5_MS", "Z3_MS", "Undecided", "model_of", "new_solver", "second_opinion"]

Z3_MS = 20_000
"""How long z3 may think about one question."""

CVC5_MS = 20_000
"""How long cvc5 may."""


class Undecided(AssertionError):  # noqa: N818 (a state of knowledge, as in SMT-LIB)
    """A solver gave up, or ran out of time or paths; nothing is proved."""


def new_solver() -> z3.Solver:
    """A z3 solver with the time limit."""
    solver = z3.Solver()
    solver.set("timeout", Z3_MS)
    return solver


def model_of(solver: z3.Solver, *more: z3.BoolRef) -> z3.ModelRef | None:
    """Return numbers for which all that the solver holds, and more, is true; None if there are none.

    Raises
    ------
    Undecided
        If the solver does not know.
    """
    if more:  # a solver that never was pushed simplifies the whole question first, which is faster
        solver.push()
        solver.add(*more)
    answer = solver.check()
    model = solver.model() if answer == z3.sat else None
    why = solver.reason_unknown() if answer == z3.unknown else ""
    if more:
        solver.pop()
    if answer == z3.unknown:
        raise Undecided(f"z3: {why}")
    return model


def second_opinion(solver: z3.Solver) -> str:
    """Ask cvc5 the same question, in SMT-LIB."""
    question = "(set-logic ALL)\n" + solver.to_smt2()
    other = cvc5.Solver(cvc5.TermManager())
    other.setOption("tlimit-per", str(CVC5_MS))
    parser = cvc5.InputParser(other)
    parser.setStringInput(cvc5.InputLanguage.SMT_LIB_2_6, question, "question")
    answer = ""
    while not (command := parser.nextCommand()).isNull():
        answer += command.invoke(other, parser.getSymbolManager())
    if answer.strip() not in ("sat", "unsat"):
        raise Undecided(f"cvc5: {answer.strip()}")
    return answer.strip()
