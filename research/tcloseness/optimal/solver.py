"""A mixed-integer program handed to a solver by PuLP: HiGHS (in process) or CBC. What comes back is a proposal.

Whole variables are rounded; what they mean is checked elsewhere, exactly, by the models. The bound is HiGHS's word,
computed in doubles. CBC's word is not taken: PuLP does not pass its bound on, and the CBC 2.10.3 that comes with PuLP 3
calls (y, z) = (2, 2) optimal for min −3y + 4z, 5y − 7z ≤ −1, 0 ≤ y, z ≤ 3, where (1, 1) is better. Its incumbents are
as good as any, and a second opinion.
"""

from __future__ import annotations

import math
import warnings
from dataclasses import dataclass
from typing import Any, Literal

from tcloseness.errors import InputError, SolverError
from tcloseness.limits import Clock
from tcloseness.optimal.program import Program
from tcloseness.optimal.progress import Watch
from tcloseness.transport.solvers.highs_banner import silence_banner

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
    """Return in words what a bound rests on."""
    return f"the bound of {engine}, in doubles" if math.isfinite(bound) else "no bound but what any solution costs"


def propose(
    program: Program, *, engine: Engine = "HiGHS", clock: Clock | None = None, watch: Watch | None = None
) -> Proposal | NoSolution | OutOfTime:
    """Ask a solver for the optimum of a program.

    Parameters
    ----------
    program
        The program.
    engine
        ``"HiGHS"`` or ``"CBC"``. CBC tells no bound where it ran out of time, and has been seen to call a point optimal
        that is not (minimize −3y + 4z over 5y − 7z ≤ −1, 0 ≤ y, z ≤ 3), so an optimum by CBC is CBC's word.
    clock
        The solver is stopped when no time is left. By default there is no limit.
    watch
        Called by HiGHS while it searches; CBC says nothing. What it raises ends the search.

    Raises
    ------
    SolverError
        If the solver fails, or gives a whole variable a value that is none.
    InputError
        For an unknown engine.
    """
    import pulp

    if engine not in ENGINES:
        raise InputError(f"engine {engine!r} is unknown; it is one of {', '.join(ENGINES)}")
    if not program.variables:
        return NoSolution() if any(row.most < 0 for row in program.rows) else Proposal({}, 0.0)
    watching = _Watching(watch)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # announces the interface of pulp 4
        written, variables = _written(program, pulp)
        highs = engine == "HiGHS"
        if highs:
            silence_banner()
        for how in ({}, {"presolve": "off"}):  # HiGHS's presolve has been seen to break down on large coefficients
            left = None if clock is None else clock.left
            if left == 0.0:
                return OutOfTime(-math.inf)
            options: dict[str, Any] = {"msg": False, "gapRel": 0.0, "gapAbs": 0.0, "timeLimit": left}
            try:
                written.solve(
                    pulp.HiGHS(**options, **watching.options, **how) if highs else pulp.PULP_CBC_CMD(**options)
                )
            except pulp.PulpError as error:
                raise SolverError(f"{engine} failed on a program of {len(variables)} variables: {error}") from error
            if watching.raised is not None:
                raise watching.raised
            if not highs or not _broke_down(written):
                break
        else:
            raise SolverError(f"{engine} broke down on a program of {len(variables)} variables; try another engine")
    bound = float(written.solverModel.getInfo().mip_dual_bound) if engine == "HiGHS" else -math.inf
    if pulp.LpStatusInfeasible in (written.status, written.sol_status):
        return NoSolution()
    if written.sol_status == pulp.LpSolutionNoSolutionFound:
        return OutOfTime(bound)
    if written.sol_status not in (pulp.LpSolutionOptimal, pulp.LpSolutionIntegerFeasible):
        raise SolverError(f"{engine} stopped with status {pulp.LpStatus[written.status]!r}")
    values = {}
    for number, (variable, x) in enumerate(zip(program.variables, variables, strict=True)):
        if variable.whole:
            found = float(x.varValue or 0.0)
            values[number] = round(found)
            if abs(found - values[number]) > WHOLE_TOLERANCE:
                raise SolverError(
                    f"{engine} gives a whole variable the value {found!r}; the answer is refused. Try another engine"
                )
    return Proposal(values, bound)


def _broke_down(written: Any) -> bool:
    """Say whether HiGHS ended for a reason of its own: PuLP calls that "no solution found", as it does a time limit."""
    import highspy

    status = highspy.HighsModelStatus
    return written.solverModel.getModelStatus() in (
        status.kSolveError,
        status.kPresolveError,
        status.kPostsolveError,
        status.kModelError,
    )


def prices(program: Program) -> list[float]:
    """Return HiGHS's dual prices of the rows of a program's linear relaxation, in doubles, each ≤ 0.

    The upper bounds of the variables are left to the rows, so that no part of a price hides behind them.

    Raises
    ------
    SolverError
        If HiGHS finds no optimum of the relaxation.
    """
    import pulp

    with warnings.catch_warnings():
        warnings.simplefilter("ignore", DeprecationWarning)  # announces the interface of pulp 4
        written, _ = _written(program, pulp, bounded=False)
        silence_banner()
        try:
            status = written.solve(pulp.HiGHS(msg=False, mip=False))
        except pulp.PulpError as error:
            raise SolverError(f"HiGHS failed on a linear program of {len(program.variables)} variables") from error
        if status != pulp.LpStatusOptimal:
            raise SolverError(f"HiGHS stopped with status {pulp.LpStatus[status]!r} on a linear relaxation")
        return [float(row.pi or 0.0) for row in written.constraints.values()][: len(program.rows)]


class _Watching:
    """HiGHS's callbacks. It swallows what they raise, so that is kept here, and HiGHS is asked to stop."""

    def __init__(self, watch: Watch | None) -> None:
        self.raised: BaseException | None = None
        self._watch = watch

    @property
    def options(self) -> dict[str, Any]:
        if self._watch is None:
            return {}
        import highspy

        kinds = highspy.cb.HighsCallbackType
        return {
            "callbackTuple": (self._called, None),
            "callbacksToActivate": [kinds.kCallbackMipInterrupt, kinds.kCallbackMipImprovingSolution],
        }

    def _called(self, kind: Any, message: str, found: Any, back: Any, _: object) -> None:
        if self._watch is None or self.raised is not None:
            return
        try:
            self._watch(float(found.mip_primal_bound), float(found.mip_dual_bound))
        except BaseException as error:  # noqa: BLE001 – kept and raised later, an interrupt by the keyboard too
            self.raised = error
            back.user_interrupt = True


def _written(program: Program, pulp: Any, *, bounded: bool = True) -> tuple[Any, list[Any]]:
    written = pulp.LpProblem("program", pulp.LpMinimize)
    variables = [
        written.add_variable(
            f"x{i}", v.low, v.high if bounded else None, cat=pulp.LpInteger if v.whole else pulp.LpContinuous
        )
        for i, v in enumerate(program.variables)
    ]
    written += pulp.LpAffineExpression([(variables[v], c) for v, c in program.costs.items()])
    for row in program.rows:
        written += pulp.LpAffineExpression([(variables[v], c) for v, c in row.terms.items()]) <= row.most
    used = {v for row in program.rows for v in row.terms} | set(program.costs)
    if len(used) < len(variables):  # PuLP hands over the variables that occur; the others may be anything in range
        free = [x for v, x in enumerate(variables) if v not in used]
        written += pulp.lpSum(free) <= sum(program.variables[v].high for v in range(len(variables)) if v not in used)
    return written, variables
