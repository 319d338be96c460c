"""A small branch and bound that proves its optimum in exact numbers; HiGHS only proposes points and prices.

Each leaf fixes some variables and has prices of rows. By weak duality (`Program.bound`) they bound what every point
that has these values costs. The leaves together are all points: every fixing of a variable to 0 has its twin with 1.
"""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from tcloseness.limits import Clock
from tcloseness.optimal import highs
from tcloseness.optimal.program import Program, Row
from tcloseness.optimal.solver import WHOLE_TOLERANCE

__all__ = ["Branched", "Leaf", "branched"]

PRICE_DENOMINATOR = 10**6
"""How fine a dual price is taken to be; any number would do."""

WORK = 30_000
"""How many rows all relaxations together may have, about, before the search is left to a solver."""


@dataclass(frozen=True)
class Leaf:
    """The points in which some variables have given values.

    Attributes
    ----------
    fixed
        Variable → its value.
    prices
        Row → its price, > 0.
    """

    fixed: Mapping[int, int]
    prices: Mapping[int, Fraction]


@dataclass(frozen=True)
class Branched:
    """What a search came to.

    Attributes
    ----------
    values
        The best whole point; None if none was found.
    bound
        No whole point costs less; −∞ if nothing is known.
    leaves
        Leaves that prove that `values` is optimal; empty if the search was given up.
    """

    values: Mapping[int, int] | None
    bound: float | int
    leaves: tuple[Leaf, ...]


def branched(program: Program, clock: Clock) -> Branched:
    """Search a program of binary variables whose rows imply their upper bounds, and whose costs are whole.

    Depth first, by the variable nearest to 1/2. It is given up at the limit of time, after `WORK`, and where HiGHS
    finds no optimum of a relaxation.
    """
    most = WORK // (len(program.rows) + 100) + 1
    best: dict[int, int] | None = None
    cost, known, tried = math.inf, -math.inf, 0
    leaves: list[Leaf] = []
    open_: list[dict[int, int]] = [{}]
    while open_:
        fixed = open_.pop()
        point = None if tried >= most or clock.over else _relaxed(program, fixed, clock)
        if point is None:
            return Branched(best, known, ())
        tried += 1
        found, leaf = point
        bound = math.ceil(program.bound(leaf.prices, fixed))
        known = bound if not fixed else known
        whole = {variable: round(value) for variable, value in enumerate(found)}
        farthest, variable = max(((abs(found[v] - value), -v) for v, value in whole.items()), default=(0.0, 0))
        if farthest <= WHOLE_TOLERANCE and program.holds(whole) and program.cost(whole) < cost:
            best, cost = whole, program.cost(whole)
        if bound >= cost:
            leaves.append(leaf)
            continue
        if farthest <= WHOLE_TOLERANCE:  # its prices are too far from the true ones
            return Branched(best, known, ())
        open_ += [{**fixed, -variable: 0}, {**fixed, -variable: 1}]
    return Branched(best, cost, tuple(leaves))


def _relaxed(program: Program, fixed: Mapping[int, int], clock: Clock) -> tuple[list[float], Leaf] | None:
    """Return HiGHS's optimum of the linear relaxation with some variables fixed, and the prices of the rows."""
    if not program.variables:
        return [], Leaf(fixed, {})
    part = Program()
    part.variables, part.costs = program.variables, program.costs
    part.rows = [*program.rows, *(Row({variable: 1 - 2 * value}, -value) for variable, value in fixed.items())]
    found = highs.run(part, clock=clock, relaxed=True)
    if found.status != "kOptimal" or found.values is None:
        return None
    prices = {
        row: Fraction(-price).limit_denominator(PRICE_DENOMINATOR)
        for row, price in enumerate(found.prices[: len(program.rows)])
        if price < -1 / PRICE_DENOMINATOR
    }
    return found.values, Leaf(fixed, prices)
