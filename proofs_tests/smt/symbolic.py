"""Symbols: numbers that are not known, so that a shipped function runs once for all of them.

A `Symbol` wraps a z3 term and takes part in +, −, ·, / by a number, abs() and comparisons. A comparison is a `Truth`.
Where a function asks for its truth (``if``, ``while``, ``min``), there are two answers, and `paths` runs the function
once for each sequence of answers that some numbers give: all of its behaviours, each under its path condition.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, TypeVar

import numpy as np
import z3

from proofs_tests.smt.solver import Undecided, model_of, new_solver

__all__ = ["Path", "Symbol", "Truth", "absolute", "every", "lesser", "paths", "reals", "term", "wholes"]

Result = TypeVar("Result")


def term(number: Any) -> z3.ArithRef:
    """The z3 term of a symbol or of a known number."""
    if isinstance(number, Symbol):
        return number.term
    if isinstance(number, Fraction):
        return z3.RealVal(number.numerator) / number.denominator if number.denominator > 1 else term(int(number))
    if isinstance(number, (int, np.integer)):
        return z3.IntVal(int(number))
    raise TypeError(f"{number!r} is neither a symbol nor an exact number")


class Symbol:
    """A number that is not known."""

    __slots__ = ("term",)
    __array_ufunc__ = None  # NumPy's numbers leave arithmetic with a symbol to the symbol

    def __init__(self, of: z3.ArithRef) -> None:
        self.term = of

    def __repr__(self) -> str:
        return f"<{self.term}>"

    def __add__(self, other: Any) -> Symbol:
        return self if _is(other, 0) else Symbol(self.term + term(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Symbol:
        return self if _is(other, 0) else Symbol(self.term - term(other))

    def __rsub__(self, other: Any) -> Symbol:
        return Symbol(term(other) - self.term)

    def __neg__(self) -> Symbol:
        return Symbol(-self.term)

    def __mul__(self, other: Any) -> Symbol:
        if _is(other, 0):
            return Symbol(z3.IntVal(0) if self.term.is_int() else z3.RealVal(0))
        return self if _is(other, 1) else Symbol(self.term * term(other))

    __rmul__ = __mul__

    def __truediv__(self, other: int) -> Symbol:
        return self if _is(other, 1) else Symbol(self.term * term(Fraction(1, int(other))))

    def __abs__(self) -> Symbol:
        return absolute(self)

    def __lt__(self, other: Any) -> Truth:
        return Truth(self.term < term(other))

    def __le__(self, other: Any) -> Truth:
        return Truth(self.term <= term(other))

    def __gt__(self, other: Any) -> Truth:
        return Truth(self.term > term(other))

    def __ge__(self, other: Any) -> Truth:
        return Truth(self.term >= term(other))

    def __eq__(self, other: object) -> Any:
        return Truth(self.term == term(other))

    def __ne__(self, other: object) -> Any:
        return Truth(self.term != term(other))

    def __bool__(self) -> bool:
        return bool(self != 0)

    __hash__ = None  # type: ignore[assignment]


class Truth:
    """A statement about symbols. Its truth is asked for on a path only; as a number it is 1 or 0."""

    __slots__ = ("term",)

    def __init__(self, of: z3.BoolRef) -> None:
        self.term = of

    def __repr__(self) -> str:
        return f"<{self.term}>"

    def __bool__(self) -> bool:
        if not _walks:
            raise TypeError(f"the truth of {self.term} is not known; run the function by `paths`")
        return _walks[-1].choose(self.term)

    def as_number(self) -> Symbol | int:
        """1 or 0: on a path the one that holds there, else a symbol."""
        return int(bool(self)) if _walks else Symbol(z3.If(self.term, z3.IntVal(1), z3.IntVal(0)))

    def __sub__(self, other: Truth) -> Symbol | int:
        return self.as_number() - other.as_number()

    def __add__(self, other: Any) -> Symbol | int:
        return self.as_number() + (other.as_number() if isinstance(other, Truth) else other)

    __radd__ = __add__


def _is(number: Any, known: int) -> bool:
    return isinstance(number, (int, np.integer, Fraction)) and number == known


def absolute(number: Symbol) -> Symbol:
    """|x|."""
    return Symbol(z3.If(number.term >= 0, number.term, -number.term))


def lesser(a: Any, b: Any) -> Symbol:
    """The lesser of two numbers: what ``min`` is without asking which."""
    return Symbol(z3.If(term(a) <= term(b), term(a), term(b)))


def every(statements: Iterable[Any]) -> z3.BoolRef:
    """The statement that all of the statements hold; known ones may be among them. None at all is true."""
    terms = [s.term if isinstance(s, Truth) else z3.BoolVal(bool(s)) if not z3.is_expr(s) else s for s in statements]
    return z3.And(terms) if terms else z3.BoolVal(True)


def reals(name: str, n: int) -> list[Symbol]:
    """n real symbols."""
    return [Symbol(z3.Real(f"{name}{i}")) for i in range(n)]


def wholes(name: str, n: int) -> list[Symbol]:
    """n whole symbols of any size."""
    return [Symbol(z3.Int(f"{name}{i}")) for i in range(n)]


# ---------------------------------------------------------------------- paths


class _Walk:
    """One run of a function: known answers first, then new ones."""

    def __init__(self, solver: z3.Solver, known: Sequence[bool]) -> None:
        self.solver, self.known = solver, known
        self.taken: list[bool] = []
        self.turnings: list[list[bool]] = []  # the answers that lead to the other side of a new choice

    def choose(self, statement: z3.BoolRef) -> bool:
        shape = z3.simplify(statement)
        if z3.is_true(shape) or z3.is_false(shape):
            return bool(z3.is_true(shape))
        if len(self.taken) < len(self.known):
            answer = self.known[len(self.taken)]
        else:
            can_hold = model_of(self.solver, statement) is not None
            can_fail = model_of(self.solver, z3.Not(statement)) is not None
            answer = can_hold
            if can_hold and can_fail:
                self.turnings.append([*self.taken, False])
        self.taken.append(answer)
        self.solver.add(statement if answer else z3.Not(statement))
        return answer


_walks: list[_Walk] = []


@dataclass(frozen=True)
class Path(Generic[Result]):
    """What a function returned on one path."""

    result: Result
    solver: z3.Solver

    def counterexample(self, *statements: Any) -> z3.ModelRef | None:
        """Numbers that take this path and break one of the statements; None if there are none."""
        if not statements:
            raise TypeError("nothing is claimed, and nothing has no counterexample")
        return model_of(self.solver, z3.Not(every(statements)))


def paths(run: Callable[[], Result], given: Iterable[Any], *, most: int) -> Iterator[Path[Result]]:
    """Run a function on symbols along every path that some numbers satisfying `given` take.

    Raises
    ------
    Undecided
        For more than `most` paths, or a question that z3 leaves open: then not everything was seen.
    """
    solver = new_solver()
    solver.add(every(given))
    pending: list[list[bool]] = [[]]
    seen = 0
    while pending:
        seen += 1
        if seen > most:
            raise Undecided(f"more than {most} paths")
        solver.push()
        walk = _Walk(solver, pending.pop())
        _walks.append(walk)
        try:
            result = run()
        finally:
            _walks.pop()
        yield Path(result, solver)
        solver.pop()
        pending.extend(walk.turnings)
