"""What an optimization answers: the optimum, a solution with a bound, or that there is none. Never a bare number."""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from tcloseness.errors import InputError, SolverError
from tcloseness.exact import SNAP_TOLERANCE, number_text
from tcloseness.microdata import ClassCounts
from tcloseness.release import Release
from tcloseness.release.published import Published

__all__ = [
    "Answer",
    "Feasible",
    "Infeasible",
    "OfClasses",
    "Optimal",
    "Solution",
    "answer",
    "counts_and_release",
    "whole_bound",
]


class Solution(Protocol):
    """What an answer carries. Any object with these members is one."""

    @property
    def release(self) -> Release:
        """What is published, beside the original."""

    def to_dict(self) -> dict[str, Any]:
        """Return the solution as JSON-ready data."""


S = TypeVar("S", bound=Solution)
S_co = TypeVar("S_co", bound=Solution, covariant=True)


@dataclass(frozen=True, eq=False, kw_only=True)
class OfClasses:
    """A solution for classes.

    Attributes
    ----------
    published
        What it publishes, where the classes of a release were given; None where only their counts were.
    """

    published: Release | None = None

    @property
    def release(self) -> Release:
        """What is published, beside the original.

        Raises
        ------
        InputError
            If class counts were given, whose records nobody knows.
        """
        if self.published is None:
            raise InputError(
                "the solution has no release: class counts were given, whose records are not known; give a Release, "
                "such as Release.full_domain(FrequencySet.of(table), hierarchies, levels)"
            )
        return self.published


def counts_and_release(given: ClassCounts | Release) -> tuple[ClassCounts, Release | None]:
    """Return the class counts that a program is asked about, and the release whose they are, if it is known."""
    return (given.classes, given) if isinstance(given, Release) else (given, None)


@dataclass(frozen=True, eq=False)
class Optimal(Published, Generic[S_co]):
    """A solution, and a proof that none is better.

    Attributes
    ----------
    objective
        The solution's objective, recomputed exactly.
    minimized
        What the objective is, in words.
    solution
        The solution; it satisfies the model by the model's own exact decision.
    proof
        What says that no solution is better: an exact argument, or a solver's bound, in words.
    """

    objective: Fraction
    minimized: str
    solution: S_co
    proof: str

    @property
    def release(self) -> Release:
        """What the solution publishes, beside the original."""
        return self.solution.release

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as JSON-ready data."""
        return {
            "answer": "optimal",
            "minimized": self.minimized,
            "objective": number_text(self.objective),
            "proof": self.proof,
            "solution": self.solution.to_dict(),
        }


@dataclass(frozen=True, eq=False)
class Feasible(Published, Generic[S_co]):
    """A solution, and how much better another one may be.

    Attributes
    ----------
    objective, minimized, solution
        As in `Optimal`.
    bound
        No solution has an objective below it; that is the solver's word.
    proof
        Whose bound it is, in words.
    """

    objective: Fraction
    minimized: str
    solution: S_co
    bound: Fraction
    proof: str

    @property
    def release(self) -> Release:
        """What the solution publishes, beside the original."""
        return self.solution.release

    @property
    def gap(self) -> Fraction:
        """How far the objective lies above the bound, > 0."""
        return self.objective - self.bound

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as JSON-ready data."""
        return {
            "answer": "feasible",
            "minimized": self.minimized,
            "objective": number_text(self.objective),
            "bound": number_text(self.bound),
            "gap": number_text(self.gap),
            "proof": self.proof,
            "solution": self.solution.to_dict(),
        }


@dataclass(frozen=True)
class Infeasible:
    """There is no solution.

    Attributes
    ----------
    reason
        Why, in words.
    """

    reason: str

    def to_dict(self) -> dict[str, Any]:
        """Return the answer as JSON-ready data."""
        return {"answer": "infeasible", "reason": self.reason}


Answer: TypeAlias = Optimal[S] | Feasible[S] | Infeasible


def whole_bound(bound: float) -> int:
    """Return the least whole number that a whole objective can have above a lower bound in doubles.

    The bound is believed up to `SNAP_TOLERANCE`, relative, and at most 1/2; so it is rounded up only where it lies
    clearly above a whole number.

    Examples
    --------
    >>> whole_bound(6.2), whole_bound(6.9999999), whole_bound(7.0000001)
    (7, 7, 7)
    """
    return math.ceil(bound - min(0.5, SNAP_TOLERANCE * max(1.0, abs(bound))))


def answer(
    solution: S, *, objective: Fraction, bound: Fraction, minimized: str, proof: str
) -> Optimal[S] | Feasible[S]:
    """Return `Optimal` if the bound meets the objective, else `Feasible`.

    Raises
    ------
    SolverError
        If the bound lies above the objective: then one of them is wrong.
    """
    if bound > objective:
        raise SolverError(
            f"a solution whose {minimized} is exactly {number_text(objective)} lies below the bound "
            f"{number_text(bound)} ({proof}); the answer is refused. Try the other engine"
        )
    if bound == objective:
        return Optimal(objective, minimized, solution, proof)
    return Feasible(objective, minimized, solution, bound, proof)
