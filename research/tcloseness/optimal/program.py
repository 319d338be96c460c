"""`Program`: a mixed-integer linear program in whole numbers, apart from any solver.

minimize Σ c_i·x_i subject to rows Σ a_i·x_i ≤ b, low_i ≤ x_i ≤ high_i, some x_i whole. Rows are written in whole
numbers, and all numbers are small enough that doubles carry every sum exactly.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from fractions import Fraction

from tcloseness.errors import LimitReached
from tcloseness.limits import Clock

__all__ = ["EXACT_SUM", "Program", "Row", "Terms", "Variable", "plus", "require_exact", "times"]

EXACT_SUM = 2**53
"""Doubles hold whole numbers exactly up to here; a row whose sum may pass it is refused."""

Terms = Mapping[int, int | Fraction]
"""A linear expression: variable → coefficient."""


def plus(*parts: Terms) -> dict[int, int | Fraction]:
    """Return the sum of linear expressions."""
    total: dict[int, int | Fraction] = {}
    for part in parts:
        for variable, coefficient in part.items():
            total[variable] = total.get(variable, 0) + coefficient
    return {variable: coefficient for variable, coefficient in total.items() if coefficient}


def times(factor: int, terms: Terms) -> dict[int, int | Fraction]:
    """Return a multiple of a linear expression."""
    return {variable: factor * coefficient for variable, coefficient in terms.items()} if factor else {}


@dataclass(frozen=True)
class Variable:
    """A variable with low ≤ x ≤ high."""

    low: int
    high: int
    whole: bool


@dataclass(frozen=True)
class Row:
    """Σ terms ≤ most, in whole numbers."""

    terms: Mapping[int, int]
    most: int


class Program:
    """A program under construction.

    Parameters
    ----------
    clock
        Each variable and row that is added asks it whether a limit is reached, and raises what it raises. By default
        there is no limit.

    Attributes
    ----------
    variables
        In the order in which they were added; a variable is known by its place.
    rows
        The constraints.
    costs
        The objective, to be minimized.
    """

    def __init__(self, clock: Clock | None = None) -> None:
        self._clock = clock
        self.variables: list[Variable] = []
        self.rows: list[Row] = []
        self.costs: dict[int, int] = {}
        self._cost_size = 0

    def add(self, low: int, high: int, *, cost: int = 0, whole: bool = True) -> int:
        """Add a variable and return its number.

        Raises
        ------
        LimitReached
            If doubles do not carry the objective exactly.
        """
        self._check()
        self.variables.append(Variable(low, high, whole))
        number = len(self.variables) - 1
        self.price(number, cost)
        return number

    def price(self, variable: int, cost: int) -> None:
        """Add to the cost of a variable.

        Raises
        ------
        LimitReached
            If doubles do not carry the objective exactly.
        """
        if cost:
            self.costs[variable] = self.costs.get(variable, 0) + cost
            self._cost_size += abs(cost) * self._size(variable)
            require_exact([self._cost_size])

    def at_most(self, terms: Terms, most: int = 0) -> None:
        """Add the row Σ terms ≤ most, multiplied by its denominators, and divided by what its coefficients share.

        Raises
        ------
        LimitReached
            If doubles do not carry all sums of the row exactly.
        """
        self._check()
        scale = math.lcm(*(coefficient.denominator for coefficient in terms.values()))
        row = {variable: int(coefficient * scale) for variable, coefficient in sorted(terms.items()) if coefficient}
        most *= scale
        shared = math.gcd(*row.values()) if row else 1
        if all(self.variables[v].whole for v in row) or most % shared == 0:
            row, most = {v: c // shared for v, c in row.items()}, most // shared
        require_exact([*(abs(c) * self._size(v) for v, c in row.items()), abs(most)])
        self.rows.append(Row(row, most))

    def at_least(self, terms: Terms, least: int = 0) -> None:
        """Add the row Σ terms ≥ least."""
        self.at_most(times(-1, terms), -least)

    def equal(self, terms: Terms, value: int) -> None:
        """Add both rows."""
        self.at_most(terms, value)
        self.at_least(terms, value)

    def _check(self) -> None:
        if self._clock is not None:
            self._clock.check("a program is written")

    def _size(self, variable: int) -> int:
        found = self.variables[variable]
        return max(abs(found.low), abs(found.high))


def require_exact(sizes: Iterable[int]) -> None:
    """Raise `LimitReached` if doubles do not carry a sum of terms of these sizes exactly."""
    total = sum(sizes)
    if total >= EXACT_SUM:
        raise LimitReached(
            f"a row of the program can sum to {total}, and a solver's doubles are exact below 2^53 only; "
            "give a smaller table, a threshold of small numerator and denominator, or coarser positions"
        )
