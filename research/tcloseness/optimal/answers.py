"""What an optimization answers: the optimum, a solution with a bound, or that there is none. Never a bare number.

While it runs, a `SolverClock` reports how far it is.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from functools import partial
from typing import Any, Generic, Protocol, TypeAlias, TypeVar

from tcloseness.certificates import Envelope, Reading
from tcloseness.certificates.conditions import MOST_WORK
from tcloseness.displayed import Displayed, Explained
from tcloseness.errors import InputError, NotCertified, SolverError
from tcloseness.exact import SNAP_TOLERANCE, number_text, short_text
from tcloseness.limits import Clock, TimeLimit
from tcloseness.microdata import ClassCounts
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.models import PrivacyModel
from tcloseness.models.certified import CertifiedTable
from tcloseness.release import Release
from tcloseness.release.published import Published
from tcloseness.strict_records import Work
from tcloseness.transport.solvers.highs_client import Watch

__all__ = [
    "Answer",
    "Feasible",
    "Infeasible",
    "OfClasses",
    "Optimal",
    "Progress",
    "Prover",
    "Report",
    "Solution",
    "SolverClock",
    "Watched",
    "answer",
    "counts_and_release",
    "refusing",
    "sealing",
    "watch_by",
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
class OfClasses(Displayed):
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


def counts_and_release(given: ClassCounts | Release | FullTable) -> tuple[ClassCounts, Release | None]:
    """Return the class counts that a program is asked about, and the release whose they are, if it is known."""
    given = in_shape(given, ClassCounts)
    if isinstance(given, Release):
        return given.classes, given
    given.require_records("an optimum over given classes")
    return given, None


Prover: TypeAlias = Callable[[Reading | None, str], Envelope]
"""Makes the certificate of an answer, from how the table's CSV file is read and the sha256 of its bytes, or raises
`NotCertified`; asked of whoever made the answer, and only if somebody wants it."""


def refusing(why: NotCertified) -> Prover:
    """Return a prover that says why there is no certificate."""
    return partial(_refuse, why)


def _refuse(why: NotCertified, *_: Any) -> Envelope:
    raise why


def sealing(
    table: CertifiedTable, task: str, model: PrivacyModel | Sequence[Mapping[str, Any]], proof: Mapping[str, Any]
) -> Prover:
    """Return a prover of what is known already, see `tcloseness.models.certified.CertifiedTable.sealed`."""
    return partial(_seal, table, task, model, proof)


def _seal(
    table: CertifiedTable, task: str, model: Any, proof: Mapping[str, Any], reading: Reading | None, file_sha256: str
) -> Envelope:
    return table.sealed(task, model, proof, reading=reading, file_sha256=file_sha256)


class Watched(Work):
    """Work that ends when a limit of the answer is reached, too."""

    def __init__(self, clock: Clock) -> None:
        super().__init__(MOST_WORK)
        self._clock = clock

    def spend(self, units: float, what: str) -> None:
        """Take account of work, and look at the clock."""
        self._clock.check("the optimum is certified")
        super().spend(units, what)


@dataclass(frozen=True, kw_only=True)
class _Proved(Explained):
    prover: Prover | None = field(default=None, repr=False, compare=False)

    def certificate(self, *, reading: Reading | None = None, file_sha256: str = "") -> Envelope:
        """Return the proof of the answer, checked by `tcloseness.certificates`.

        Parameters
        ----------
        reading, file_sha256
            See `tcloseness.models.certified.CertifiedTable.sealed`.

        Raises
        ------
        NotCertified
            If there is no checker for it.
        """
        if self.prover is None:
            raise NotCertified(f"not certified: no checker for {self._named}")
        return self.prover(reading, file_sha256)

    @property
    def _named(self) -> str:
        return "what says that there is no solution of this program"


@dataclass(frozen=True, eq=False)
class _Solved(Published, _Proved, Generic[S_co]):
    objective: Fraction
    minimized: str
    solution: S_co

    _withheld = ()
    _frame_rows = Displayed._frame_rows

    @property
    def release(self) -> Release:
        """What the solution publishes, beside the original."""
        return self.solution.release

    @property
    def _named(self) -> str:
        return f"the least {self.minimized}"


@dataclass(frozen=True, eq=False)
class Optimal(_Solved[S_co]):
    """A solution, and a proof that none is better.

    Attributes
    ----------
    objective
        The solution's objective, recomputed exactly.
    minimized
        What the objective is, as text.
    solution
        The solution; it satisfies the model by the model's own exact decision.
    proof
        What says that no solution is better: an exact argument, or a solver's bound, as text.
    prover
        What makes the certificate, see `certificate`; None where no checker knows the program.
    """

    proof: str

    def _said(self) -> str:
        return f"least {self.minimized} = {short_text(self.objective)}"

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
class Feasible(_Solved[S_co]):
    """A solution, and how much better another one may be.

    Attributes
    ----------
    objective, minimized, solution
        As in `Optimal`.
    bound
        No solution has an objective below it, as `proof` says.
    proof
        Whose bound it is, as text: a solver's word, or what a checker accepted.
    prover
        As in `Optimal`; the certificate says what is certified of the bound.
    """

    bound: Fraction
    proof: str

    def _said(self) -> str:
        return f"{self.minimized} = {short_text(self.objective)}, none below {short_text(self.bound)}"

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
class Infeasible(_Proved):
    """There is no solution.

    Attributes
    ----------
    reason
        Why, as text.
    prover
        As in `Optimal`.
    """

    reason: str

    def _said(self) -> str:
        return self.reason

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
    solution: S, *, objective: Fraction, bound: Fraction, minimized: str, proof: str, prover: Prover | None = None
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
        return Optimal(objective, minimized, solution, proof, prover=prover)
    return Feasible(objective, minimized, solution, bound, proof, prover=prover)


@dataclass(frozen=True)
class Progress(Displayed):
    """What is known so far.

    Attributes
    ----------
    seconds
        Since the search began.
    incumbent
        The objective of the best solution so far, not yet verified; None while there is none.
    bound
        No solution has an objective below it, as far as is known; None while nothing is known.
    """

    seconds: float
    incumbent: Fraction | None
    bound: Fraction | None

    def to_dict(self) -> dict[str, Any]:
        """Return how far it is as JSON-ready data."""
        pairs = {"incumbent": self.incumbent, "bound": self.bound, "gap": self.gap}
        texts = {name: None if number is None else number_text(number) for name, number in pairs.items()}
        return {"seconds": self.seconds, **texts}

    def _said(self) -> str:
        return f"after {self.seconds:.1f} s"

    @property
    def gap(self) -> Fraction | None:
        """How far the incumbent lies above the bound, ≥ 0; None while one of them is unknown."""
        if self.incumbent is None or self.bound is None:
            return None
        return self.incumbent - self.bound


Report: TypeAlias = Callable[[Progress], None]
"""What is called with each `Progress`. What it raises ends the search, and is raised by it."""


class SolverClock(Clock):
    """A clock that reports how far the search for an optimum is.

    Parameters
    ----------
    time_limit, memory_limit
        As for `tcloseness.limits.Clock`; or a clock that runs already, which goes on.
    progress
        Called with what `report` is given, unless that has not changed within a quarter of a second.

    Raises
    ------
    InputError
        For a limit that is not a finite number > 0.
    """

    def __init__(
        self, time_limit: TimeLimit = None, memory_limit: int | None = None, *, progress: Report | None = None
    ) -> None:
        running = Clock.of(time_limit, memory_limit)
        self.__dict__.update(running.__dict__)
        self._report = progress
        self._reported: Progress | None = None

    @property
    def watched(self) -> bool:
        """Whether anybody listens."""
        return self._report is not None

    def report(self, incumbent: Fraction | None, bound: Fraction | None) -> None:
        """Report what is known; a bound past the incumbent, which only doubles bring about, is reported as the
        incumbent.

        What was reported before stays true: the least incumbent and the greatest bound so far are reported.
        """
        if self._report is None:
            return
        last = self._reported
        if last is not None:
            incumbent = min((x for x in (incumbent, last.incumbent) if x is not None), default=None)
            bound = max((x for x in (bound, last.bound) if x is not None), default=None)
        if incumbent is not None and bound is not None:
            bound = min(bound, incumbent)
        now = Progress(self.seconds, incumbent, bound)
        same = last is not None and (last.incumbent, last.bound) == (incumbent, bound)
        if last is None or not same or now.seconds - last.seconds >= _PAUSE:
            self._reported = now
            self._report(now)


_PAUSE = 0.25
"""Seconds between reports that say nothing new."""


def watch_by(clock: SolverClock, objective: Callable[[int], Fraction]) -> Watch | None:
    """Return what reports a solver's doubles by a clock, or None if nobody listens.

    Parameters
    ----------
    objective
        The objective that a program's whole cost stands for.
    """
    if not clock.watched:
        return None

    def watch(cost: float, bound: float) -> None:
        clock.report(
            objective(round(cost)) if math.isfinite(cost) else None,
            objective(whole_bound(bound)) if math.isfinite(bound) else None,
        )

    return watch
