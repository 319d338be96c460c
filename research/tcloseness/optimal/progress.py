"""`Progress`: how far a search for an optimum has come, told while it runs by a clock that reports."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import TypeAlias

from tcloseness.limits import Clock, TimeLimit
from tcloseness.optimal.answers import whole_bound

__all__ = ["Progress", "Report", "SolverClock", "Watch", "watch_by"]


@dataclass(frozen=True)
class Progress:
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

    @property
    def gap(self) -> Fraction | None:
        """How far the incumbent lies above the bound, ≥ 0; None while one of them is unknown."""
        if self.incumbent is None or self.bound is None:
            return None
        return self.incumbent - self.bound


Report: TypeAlias = Callable[[Progress], None]
"""What is called with each `Progress`. What it raises ends the search, and is raised by it."""

Watch: TypeAlias = Callable[[float, float], None]
"""What HiGHS calls while it searches: with the incumbent's cost, ∞ at first, and the bound, −∞ at first, in doubles."""


class SolverClock(Clock):
    """A clock that reports how far the search for an optimum is.

    Parameters
    ----------
    time_limit, memory_limit
        As for `tcloseness.limits.Clock`; or a clock that runs already, which goes on.
    progress
        Called with what `tell` is told, unless that has not changed within a quarter of a second.

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
        self._told: Progress | None = None

    @property
    def watched(self) -> bool:
        """Whether anybody is told."""
        return self._report is not None

    def tell(self, incumbent: Fraction | None, bound: Fraction | None) -> None:
        """Report what is known; a bound past the incumbent, which only doubles bring about, is told as the incumbent.

        What was told before stays true: the least incumbent and the greatest bound so far are reported.
        """
        if self._report is None:
            return
        last = self._told
        if last is not None:
            incumbent = min((x for x in (incumbent, last.incumbent) if x is not None), default=None)
            bound = max((x for x in (bound, last.bound) if x is not None), default=None)
        if incumbent is not None and bound is not None:
            bound = min(bound, incumbent)
        now = Progress(self.seconds, incumbent, bound)
        same = last is not None and (last.incumbent, last.bound) == (incumbent, bound)
        if last is None or not same or now.seconds - last.seconds >= _PAUSE:
            self._told = now
            self._report(now)


_PAUSE = 0.25
"""Seconds between reports that say nothing new."""


def watch_by(clock: SolverClock, objective: Callable[[int], Fraction]) -> Watch | None:
    """Return what reports a solver's doubles by a clock, or None if nobody is told.

    Parameters
    ----------
    objective
        The objective that a program's whole cost stands for.
    """
    if not clock.watched:
        return None

    def watch(cost: float, bound: float) -> None:
        clock.tell(
            objective(round(cost)) if math.isfinite(cost) else None,
            objective(whole_bound(bound)) if math.isfinite(bound) else None,
        )

    return watch
