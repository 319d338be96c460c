"""A measure that computes with + − × / abs min max only, run once for all distributions: on symbols of z3.

A `Symbol` is a real number that is not known. A comparison of symbols is a `Truth`; where a function asks for its truth
(``if``, ``min``, ``max``, ``sorted``), both answers may be possible, and the function is run once for each sequence of
answers that some numbers give. On each way a claim is proved if z3 finds no numbers that break it.

A proof is one in real arithmetic, for the given number of values. A function that leaves the symbols (``math.log``,
``float``) has none; `Unprovable` says why. Doubles in a formula count as the rational numbers that they are. A function
that asks for the type of its arguments may do something else on symbols; about it nothing can be proved this way.

The project's proofs of its own functions have symbols of their own, in its tests: those refuse doubles, know whole
numbers, and keep this package out of what must be trusted.
"""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from types import FunctionType
from typing import Any, TypeAlias

import numpy as np

__all__ = ["Claimed", "Symbol", "Unprovable", "available", "counterexample_or_proof", "either", "without_branches"]

QUESTION_WORK = 4_000_000
"""How hard z3 may think about one question, in its own unit of work (rlimit), so that every machine proves the same."""

QUESTION_MS = 20_000
"""After so long z3 is stopped in any case: on products of masses its measure of work is not always kept. What is proved
within a second on a free machine is proved on a busy one too."""

MOST_PATHS = 120
"""So many ways through a measure are followed."""

Term: TypeAlias = Any
Claimed: TypeAlias = Any


class Unprovable(Exception):  # noqa: N818 (a state of knowledge; it never leaves this room)
    """No proof can be had this way, and why."""


def available() -> bool:
    """Say whether z3 is installed (the extra ``validate``)."""
    try:
        import z3  # noqa: F401
    except ImportError:
        return False
    return True


def term(number: Any) -> Term:
    """Return the z3 term of a symbol or a known number."""
    import z3

    if isinstance(number, Symbol):
        return number.term
    if isinstance(number, Truth):
        return z3.If(number.term, z3.RealVal(1), z3.RealVal(0))
    if isinstance(number, (float, np.floating)):
        number = Fraction(float(number))
    if isinstance(number, (int, np.integer, Fraction)):
        fraction = Fraction(int(number)) if not isinstance(number, Fraction) else number
        return z3.Q(fraction.numerator, fraction.denominator)
    raise TypeError(f"{type(number).__name__} does not mix with symbols")


def _is(number: Any, known: int) -> bool:
    return isinstance(number, (int, float, np.integer, Fraction)) and number == known


class Symbol:
    """A real number that is not known."""

    __slots__ = ("term",)

    def __init__(self, of: Term) -> None:
        self.term = of

    def __repr__(self) -> str:
        return "a symbol"

    def __add__(self, other: Any) -> Symbol:
        return self if _is(other, 0) else Symbol(self.term + term(other))

    __radd__ = __add__

    def __sub__(self, other: Any) -> Symbol:
        return self if _is(other, 0) else Symbol(self.term - term(other))

    def __rsub__(self, other: Any) -> Symbol:
        return Symbol(term(other) - self.term)

    def __mul__(self, other: Any) -> Symbol:
        return self if _is(other, 1) else Symbol(self.term * term(other))

    __rmul__ = __mul__

    def __truediv__(self, other: Any) -> Symbol:
        if isinstance(other, Symbol):
            raise Unprovable("it divides by a mass")
        if _is(other, 0):
            raise ZeroDivisionError("division by zero")
        return self * (1 / Fraction(other))

    def __rtruediv__(self, other: Any) -> Symbol:
        raise Unprovable("it divides by a mass")

    def __pow__(self, exponent: Any) -> Symbol:
        if exponent not in (1, 2, 3):
            raise Unprovable(f"it raises a mass to the power {exponent!r}")
        result = self
        for _ in range(int(exponent) - 1):
            result = result * self
        return result

    def __neg__(self) -> Symbol:
        return Symbol(-self.term)

    def __pos__(self) -> Symbol:
        return self

    def __abs__(self) -> Symbol:
        import z3

        return Symbol(z3.If(self.term >= 0, self.term, -self.term))

    def __float__(self) -> float:
        raise Unprovable("it computes with doubles or logarithms, which take no symbol")

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
    """A statement about symbols; on a way through a function it has a truth value."""

    __slots__ = ("term",)

    def __init__(self, of: Term) -> None:
        self.term = of

    def __bool__(self) -> bool:
        if not _ways:
            raise Unprovable("it asks for a truth outside of a proof")
        return _ways[-1].choose(self.term)


class _Way:
    """One run of a function: known answers first, then new ones."""

    def __init__(self, solver: Any, known: Sequence[bool], deadline: float) -> None:
        self.solver, self.known, self.deadline = solver, known, deadline
        self.taken: list[bool] = []
        self.turnings: list[list[bool]] = []

    def choose(self, statement: Term) -> bool:
        import z3

        shape = z3.simplify(statement)
        if z3.is_true(shape) or z3.is_false(shape):
            return bool(z3.is_true(shape))
        if len(self.taken) < len(self.known):
            answer = self.known[len(self.taken)]
        else:
            answer = _asked(self.solver, statement, self.deadline) is not None
            if answer and _asked(self.solver, z3.Not(statement), self.deadline) is not None:
                self.turnings.append([*self.taken, False])
        self.taken.append(answer)
        self.solver.add(statement if answer else z3.Not(statement))
        return answer


_ways: list[_Way] = []


def _asked(solver: Any, statement: Term, deadline: float) -> Any:
    """Return a model of the solver's statements and one more; None if there is none."""
    import z3

    if time.monotonic() > deadline:
        raise Unprovable("the seconds for a proof were over")
    solver.push()
    solver.add(statement)
    answer = solver.check()
    model = solver.model() if answer == z3.sat else None
    solver.pop()
    if answer == z3.unknown:
        raise Unprovable("z3 left a question open")
    return model


def _runs(run: Callable[[], Any], given: Sequence[Term], deadline: float) -> Iterator[tuple[Any, Any]]:
    import z3

    solver = z3.Solver()
    solver.set("rlimit", QUESTION_WORK)
    solver.set("timeout", max(int(min(QUESTION_MS, 1000 * (deadline - time.monotonic()))), 1))
    solver.add(*given)
    pending: list[list[bool]] = [[]]
    seen = 0
    while pending:
        seen += 1
        if seen > MOST_PATHS:
            raise Unprovable(f"it has more than {MOST_PATHS} ways through it")
        solver.push()
        way = _Way(solver, pending.pop(), deadline)
        _ways.append(way)
        try:
            result = run()
        finally:
            _ways.pop()
        yield result, solver
        solver.pop()
        pending.extend(way.turnings)


def counterexample_or_proof(
    claim: Callable[..., Claimed | None],
    m: int,
    names: Sequence[str],
    *,
    given: Callable[..., list[Any]] | None = None,
    seconds: float,
) -> list[tuple[Fraction, ...]] | None:
    """Return distributions that break a claim; None if there are none: it is proved for m values.

    Parameters
    ----------
    claim
        A function of as many distributions as there are names: it returns a statement about symbols (`Truth`), or True.
    given
        What may be assumed of the distributions, as statements.
    seconds
        How long a proof is sought.

    Raises
    ------
    Unprovable
        If the claim cannot be run on symbols, or z3 does not answer.
    """
    import z3

    vectors = [[Symbol(z3.Real(f"{name}_{i}")) for i in range(m)] for name in names]
    known = [x.term >= 0 for vector in vectors for x in vector]
    known += [z3.Sum([x.term for x in vector]) == 1 for vector in vectors]
    known += [t.term for t in (given(*vectors) if given else [])]
    deadline = time.monotonic() + seconds
    try:
        for statement, solver in _runs(lambda: claim(*vectors), known, deadline):
            if statement is True:
                continue
            broken = z3.Not(statement.term) if isinstance(statement, Truth) else z3.BoolVal(not statement)
            model = _asked(solver, broken, deadline)
            if model is not None:
                return [tuple(_number(model, x) for x in vector) for vector in vectors]
    except Unprovable:
        raise
    except Exception as error:  # a measure that takes no symbols may raise anything
        raise Unprovable(f"it takes no symbols ({type(error).__name__}: {error})") from error
    return None


def _number(model: Any, symbol: Symbol) -> Fraction:
    import z3

    value = model.eval(symbol.term, model_completion=True)
    if not z3.is_rational_value(value):
        raise Unprovable("z3 names a counterexample that is not rational")
    return Fraction(value.numerator_as_long(), value.denominator_as_long())


def without_branches(function: Any) -> Any:
    """Return a function whose own ``min`` and ``max`` make one symbol of several, instead of asking which it is.

    Only a plain Python function can be had so, and only where it names the builtins; any other comes back as it is.
    """
    if not isinstance(function, FunctionType):
        return function
    own = {name: made for name, made in (("min", _least), ("max", _greatest)) if name not in function.__globals__}
    scope = {**function.__globals__, **own}
    made = FunctionType(function.__code__, scope, function.__name__, function.__defaults__, function.__closure__)
    made.__kwdefaults__ = function.__kwdefaults__
    return made


def _extreme(known: Callable[..., Any], better: Callable[[Any, Any], Any], given: Any, options: Any) -> Any:
    import z3

    values = list(given[0]) if len(given) == 1 else list(given)
    if options.get("key") is not None or not any(isinstance(value, Symbol) for value in values):
        return known(values, **options)
    best = values[0]
    for value in values[1:]:
        best = Symbol(z3.If(better(term(value), term(best)), term(value), term(best)))
    return best


def _least(*given: Any, **options: Any) -> Any:
    return _extreme(min, lambda a, b: a < b, given, options)


def _greatest(*given: Any, **options: Any) -> Any:
    return _extreme(max, lambda a, b: a > b, given, options)


def either(*statements: Any) -> Truth:
    """Return the statement that one of the statements holds."""
    import z3

    return Truth(z3.Or([s.term if isinstance(s, Truth) else z3.BoolVal(bool(s)) for s in statements]))
