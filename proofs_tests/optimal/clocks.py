"""Clocks whose time is over at a look that the test chooses, so that every place where a search may end is tried."""

from __future__ import annotations

from tcloseness.errors import TimeLimitReached
from tcloseness.optimal.answers import SolverClock

__all__ = ["Ends"]


class Ends(SolverClock):
    """A clock that is never over, but whose time is when it is checked once more than so often."""

    def __init__(self, checks: int) -> None:
        super().__init__()
        self._checks = checks

    def check(self, what: str) -> None:
        self._checks -= 1
        if self._checks < 0:
            raise TimeLimitReached(what)
