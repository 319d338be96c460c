"""A mixed-integer program handed to a solver: HiGHS (`tcloseness.optimal.highs`) or CBC (`tcloseness.optimal.cbc`).

What comes back is a proposal. Whole variables are rounded; what they mean is checked elsewhere, exactly, by the models.
The bound is HiGHS's word, computed in doubles. CBC's word is not taken: it passes no bound on, and the CBC 2.10.3 that
comes with PuLP 3 calls (y, z) = (2, 2) optimal for min −3y + 4z, 5y − 7z ≤ −1, 0 ≤ y, z ≤ 3, where (1, 1) is better.
Its incumbents are as good as any, and a second opinion.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from tcloseness.errors import InputError, LimitReached, SolverError, TimeLimitReached
from tcloseness.limits import Clock
from tcloseness.optimal import cbc, highs
from tcloseness.optimal.program import Program
from tcloseness.transport.solvers.highs_client import Watch

__all__ = ["ENGINES", "Engine", "NoSolution", "OutOfTime", "Proposal", "prices", "propose", "whose_bound"]

Engine = Literal["HiGHS", "CBC"]

ENGINES: tuple[Engine, ...] = ("HiGHS", "CBC")

WHOLE_TOLERANCE = 1e-5
"""How far a whole variable may lie from the integer that it is rounded to: ten times what the solvers promise."""


@dataclass(frozen=True)
class Proposal:
    """An incumbent.

    Attributes
    ----------
    values
        The whole variables, rounded.
    bound
        No solution costs less, says HiGHS; −∞ of CBC.
    """

    values: dict[int, int]
    bound: float


@dataclass(frozen=True)
class NoSolution:
    """The solver calls the program infeasible."""


@dataclass(frozen=True)
class OutOfTime:
    """The time limit was reached without an incumbent.

    Attributes
    ----------
    bound
        As in `Proposal`.
    """

    bound: float


def whose_bound(engine: Engine, bound: float) -> str:
    """Say what a bound rests on; where a solver has none, there is still what any solution costs."""
    return (
        f"the bound of {engine}, in doubles" if math.isfinite(bound) else "exact argument: any solution costs as much"
    )


def propose(
    program: Program, *, engine: Engine = "HiGHS", clock: Clock | None = None, watch: Watch | None = None
) -> Proposal | NoSolution | OutOfTime:
    """Ask a solver for the optimum of a program.

    Parameters
    ----------
    program
        The program.
    engine
        ``"HiGHS"`` or ``"CBC"``. CBC passes no bound on, and has been seen to call a point optimal
        that is not (minimize −3y + 4z over 5y − 7z ≤ −1, 0 ≤ y, z ≤ 3), so its point is optimal only where it meets a
        bound that is known without it.
    clock
        The solver is stopped when no time is left. By default there is no limit.
    watch
        Called by HiGHS while it searches; CBC says nothing. What it raises ends the search.

    Raises
    ------
    SolverError
        If the solver fails, or gives a whole variable a value that is none.
    MemoryLimitReached
        If the solver takes more memory than is left.
    InputError
        For an unknown engine.
    """
    if engine not in ENGINES:
        raise InputError(f"engine {engine!r} is unknown; it is one of {', '.join(ENGINES)}")
    if not program.variables:
        return NoSolution() if any(row.most < 0 for row in program.rows) else Proposal({}, 0.0)
    clock = clock or Clock()
    if clock.over:
        return OutOfTime(-math.inf)
    return _by_cbc(program, clock) if engine == "CBC" else _by_highs(program, clock, watch)


def _by_highs(program: Program, clock: Clock, watch: Watch | None) -> Proposal | NoSolution | OutOfTime:
    bound = -math.inf
    for how in ({}, {"presolve": "off"}):  # HiGHS's presolve has been seen to break down on large coefficients
        options = {"mip_rel_gap": 0.0, "mip_abs_gap": 0.0, **how}
        found = highs.run(program, clock=clock, watch=watch, options=options)
        bound = max(bound, found.bound) if found.status in (*_DONE, *_STOPPED) else bound
        if found.status in ("kInfeasible", "kUnboundedOrInfeasible"):  # every variable has bounds
            return NoSolution()
        if found.status in (*_DONE, *_STOPPED):
            return (
                OutOfTime(bound) if found.values is None else Proposal(_rounded(program, found.values, "HiGHS"), bound)
            )
        if found.status not in _BROKEN:
            raise SolverError(f"HiGHS stopped with status {found.status}; try another engine")
        if clock.over:
            return OutOfTime(-math.inf)
    raise SolverError(f"HiGHS broke down on a program of {len(program.variables)} variables; try another engine")


_DONE, _STOPPED = ("kOptimal",), ("kTimeLimit", "kInterrupt", "kSolutionLimit", "ended")

_BROKEN = ("kSolveError", "kPresolveError", "kPostsolveError", "kModelError", "kUnknown")


def _by_cbc(program: Program, clock: Clock) -> Proposal | NoSolution | OutOfTime:
    """Ask CBC; what it says of a limit's making (see `cbc.run`) is asked again without its knowing of the limit."""
    if clock.time_limit is not None:
        try:
            answer = _cbc_answer(program, clock, told=True)
        except LimitReached:
            raise
        except SolverError:
            answer = NoSolution()
        if not isinstance(answer, NoSolution):
            return answer
    return OutOfTime(-math.inf) if clock.over else _cbc_answer(program, clock, told=False)


def _cbc_answer(program: Program, clock: Clock, *, told: bool) -> Proposal | NoSolution | OutOfTime:
    try:
        found = cbc.run(program, clock=clock, told=told)
    except TimeLimitReached:  # while the program was written
        return OutOfTime(-math.inf)
    if found.status == "Infeasible":
        return NoSolution()
    if found.values is not None:
        _require_rows(program, found.values)
        return Proposal(_rounded(program, found.values, "CBC"), -math.inf)
    if found.status != "Stopped":
        raise SolverError(f"CBC stopped with status {found.status!r}; try another engine")
    return OutOfTime(-math.inf)


def _require_rows(program: Program, found: Sequence[float]) -> None:
    """Raise `SolverError` for what is not a point of the program, by more than the rounding of its terms explains."""
    for row in program.rows:
        terms = [coefficient * found[variable] for variable, coefficient in row.terms.items()]
        size = 1 + abs(row.most) + sum(abs(coefficient) for coefficient in row.terms.values()) + sum(map(abs, terms))
        if sum(terms) - row.most > WHOLE_TOLERANCE * size:
            raise SolverError(
                f"CBC gives a point where a sum that must be ≤ {row.most} is {sum(terms)!r}; the answer is refused. "
                "Try another engine"
            )


def _rounded(program: Program, found: Sequence[float], engine: Engine) -> dict[int, int]:
    """Return the whole variables of a point."""
    values = {}
    for number, variable in enumerate(program.variables):
        if variable.whole:
            values[number] = round(found[number])
            if abs(found[number] - values[number]) > WHOLE_TOLERANCE:
                raise SolverError(
                    f"{engine} gives a whole variable the value {found[number]!r}; the answer is refused. Try another "
                    "engine"
                )
    return values


def prices(program: Program, clock: Clock) -> list[float]:
    """Return HiGHS's dual prices of the rows of a program's linear relaxation, in doubles, each ≤ 0.

    The upper bounds of the variables are left to the rows, so that no part of a price hides behind them.

    Raises
    ------
    TimeLimitReached
        If no time is left.
    SolverError
        If HiGHS finds no optimum of the relaxation.
    """
    found = highs.run(program, clock=clock, relaxed=True)
    if found.status in _STOPPED:
        raise TimeLimitReached("the time limit was reached while HiGHS solved a linear relaxation; give more time")
    if found.status != "kOptimal":
        raise SolverError(f"HiGHS stopped with status {found.status} on a linear relaxation")
    return [min(0.0, price) for price in found.prices]
