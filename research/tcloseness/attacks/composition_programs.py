"""What propagation leaves open of several releases, by linear programs; and assignments that show what is possible.

The open unknowns fall into components that no published sum connects. In each, the greatest and the least value of an
unknown over the sums, in real numbers, bound those in whole numbers. Six programs with random costs come first: an
unknown that has one person or more in one of their solutions, and leaves out one or more in one, cannot be settled so,
and only the others are asked one by one. A program's dual prices, rounded to fractions, are weights of the published
sums; what these prove is worked out in whole numbers, and nothing else is believed of a solver.

A solution in whole numbers of every component is an assignment of values to all persons that satisfies every published
sum: a witness of what is possible.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from tcloseness.attacks.composition import Composition, Step
from tcloseness.displayed import Compared
from tcloseness.errors import InfeasibleError, LimitReached, SolverError
from tcloseness.exact import IntArray
from tcloseness.limits import Clock
from tcloseness.transport.solvers.highs import require_highs
from tcloseness.transport.solvers.highs_client import Kept, Run

__all__ = ["Decided", "decide"]

FloatArray: TypeAlias = npt.NDArray[np.float64]

_DRAWN = 6
"""Programs with random costs for each component."""

_NEAR = 1e-6
"""What solvers promise of a value in doubles; it decides what is asked and tried, and proves nothing."""

_SCALES = (1, 2, 6, 60, 5040)
"""Denominators that dual prices are rounded to, one after the other."""


class Decided(Compared):
    """What linear programs found.

    Parameters
    ----------
    composition
        What they are asked about.

    Attributes
    ----------
    components, done
        How many there are, and of how many every question was answered.
    programs
        How many were solved.
    solutions
        By component its unknowns, and whole numbers for them that satisfy all sums; each shows something new.
    """

    def __init__(self, composition: Composition) -> None:
        components = composition.open_components()
        self.components = len(components)
        self.done = 0
        self.programs = 0
        self.solutions: list[tuple[Sequence[int], list[list[int]]]] = [(part, []) for part in components]
        self._of = composition

    @property
    def whole(self) -> bool:
        """Whether every component has a solution, so that there is an assignment; but for those set aside."""
        of = self._of
        return all(found or of.unknowns[part[0]][0] in of.contradictory for part, found in self.solutions)

    def shown_values(self) -> dict[int, set[int]]:
        """Return for each cell the values that a person of it has in some assignment; nothing if none was met."""
        if not self.whole:
            return {}
        of = self._of
        found = {
            c: {of.unknowns[i][1] for i in unknowns if of.low[i]}
            for c, unknowns in enumerate(of.of_cell)
            if c not in of.contradictory
        }
        for part, solutions in self.solutions:
            for solution in solutions:
                for i, x in zip(part, solution, strict=True):
                    if x:
                        cell, value = of.unknowns[i]
                        found[cell].add(value)
        return found

    def assignment(self, unknown: int) -> list[int] | None:
        """Return whole numbers for all unknowns that satisfy every sum, this one above 0; None if none was met."""
        if not self.whole:
            return None
        total = list(self._of.low)
        for part, solutions in self.solutions:
            place = part.index(unknown) if unknown in part else None
            solution = next((each for each in solutions if place is None or each[place]), None)
            if solution is None and self._of.unknowns[part[0]][0] in self._of.contradictory:
                continue
            if solution is None:
                return None
            for i, x in zip(part, solution, strict=True):
                total[i] = x
        return total if total[unknown] else None


def decide(composition: Composition, clock: Clock) -> Decided:
    """Tighten bounds by linear programs, as far as the time and the memory go; the smallest components come first."""
    decided = Decided(composition)
    if decided.components:
        require_highs()  # one that is missing or refused is said, and decides no component
    for part, solutions in decided.solutions:
        try:
            _Component(composition, part, solutions, decided).decide(clock)
        except LimitReached:
            break
        except InfeasibleError:  # a solver's word, by which less is said
            composition.set_aside({composition.unknowns[i][0] for i in part})
        except SolverError:  # what is open remains open
            continue
        decided.done += 1
    composition.propagate()
    return decided


class _Component:
    """The open unknowns that sums connect, as a program."""

    def __init__(
        self, composition: Composition, part: Sequence[int], solutions: list[list[int]], decided: Decided
    ) -> None:
        self.of, self.part, self.solutions, self.decided = composition, part, solutions, decided
        inside = {i: place for place, i in enumerate(part)}
        self.rows = sorted({k for i in part for k in composition.in_rows[i]})
        self.terms = [[inside[i] for i in composition.rows[k] if i in inside] for k in self.rows]
        self.totals = [
            composition.totals[k] - sum(composition.low[i] for i in composition.rows[k] if i not in inside)
            for k in self.rows
        ]
        self.low = np.array([composition.low[i] for i in part])
        self.high = np.array([composition.high[i] for i in part])
        self.sizes = np.array([composition.bounds.persons[composition.unknowns[i][0]] for i in part])
        self.least, self.most = np.full(len(part), np.inf), np.full(len(part), -np.inf)
        self._seen: set[tuple[int, int]] = set()

    def decide(self, clock: Clock) -> None:
        """Ask what can be settled."""
        draws = np.random.default_rng(0)  # whatever is drawn, the same follows; more or fewer programs are solved
        with Kept(self._program()) as kept:
            for _ in range(_DRAWN):
                self._solve(kept, clock, draws.normal(size=len(self.part)))
            for place in range(len(self.part)):
                for upper in (True, False):
                    if self._may_be_settled(place, upper=upper):
                        cost = np.zeros(len(self.part))
                        cost[place] = -1.0 if upper else 1.0
                        found = self._solve(kept, clock, cost)
                        if self._may_be_settled(place, upper=upper):
                            self._settle(place, found.prices, upper=upper)

    def _may_be_settled(self, place: int, *, upper: bool) -> bool:
        """Say whether every solution so far has less than one person there, or leaves out less than one."""
        if upper:
            return bool(self.most[place] < 1 - _NEAR)
        return bool(self.least[place] > self.sizes[place] - 1 + _NEAR)

    def _program(self) -> dict[str, Sequence[float]]:
        columns: list[list[int]] = [[] for _ in self.part]
        for k, terms in enumerate(self.terms):
            for place in terms:
                columns[place].append(k)
        index = [k for column in columns for k in column]
        return {
            "cost": [0.0] * len(self.part),
            "low": self.low.tolist(),
            "high": self.high.tolist(),
            "start": np.cumsum([0, *map(len, columns)]).tolist(),
            "index": index,
            "value": [1.0] * len(index),
            "least": self.totals,
            "most": self.totals,
        }

    def _solve(self, kept: Kept, clock: Clock, cost: FloatArray) -> Run:
        kept.change({"columns": np.arange(len(cost)), "costs": cost})
        found = kept.solve(clock)
        self.decided.programs += 1
        if found.status in ("kInfeasible", "kUnboundedOrInfeasible"):
            raise InfeasibleError("no assignment satisfies the published counts of several releases")
        if found.status != "kOptimal" or found.values is None:
            raise SolverError(f"HiGHS stopped with status {found.status} on the sums of several releases")
        values = np.array(found.values)
        np.minimum(self.least, values, out=self.least)
        np.maximum(self.most, values, out=self.most)
        self._keep(np.rint(values).astype(int), values)
        return found

    def _keep(self, numbers: IntArray, values: FloatArray) -> None:
        """Keep a solution in whole numbers that shows an unknown with or without persons for the first time."""
        if np.abs(numbers - values).max() > _NEAR or (numbers < self.low).any() or (numbers > self.high).any():
            return
        shows = {(place, min(x, 1)) for place, x in enumerate(numbers.tolist())}
        if shows <= self._seen:
            return
        if all(sum(numbers[terms].tolist()) == b for terms, b in zip(self.terms, self.totals, strict=True)):
            self._seen |= shows
            self.solutions.append(numbers.tolist())

    def _settle(self, place: int, prices: Sequence[float], *, upper: bool) -> None:
        """Keep what the prices prove, if they do once they are rounded."""
        wanted = 0 if upper else int(self.sizes[place])
        step = next((s for s in self._proofs(self.part[place], prices, upper=upper) if s.number == wanted), None)
        if step is not None:
            self.of.keep(step)

    def _proofs(self, unknown: int, prices: Sequence[float], *, upper: bool) -> Iterator[Step]:
        """Yield for each rounding what it proves, in whole numbers."""
        of = self.of
        for scale in _SCALES:
            weights = {k: w for k, price in zip(self.rows, prices, strict=True) if (w := round(-price * scale))}
            rest = {unknown: scale if upper else -scale}
            for k, weight in weights.items():
                for i in of.rows[k]:
                    rest[i] = rest.get(i, 0) - weight
            total = sum(weight * of.totals[k] for k, weight in weights.items())
            used: dict[int, Fraction] = {}
            for i, left in rest.items():
                total += left * (of.high[i] if left > 0 else of.low[i])
                why = of.why_high[i] if left > 0 else of.why_low[i]
                if left and why is not None:
                    used[why] = used.get(why, Fraction(0)) + Fraction(abs(left), scale)
            number = total // scale if upper else -(total // scale)
            shares = {k: Fraction(weight, scale) for k, weight in weights.items()}
            yield Step(unknown, upper, number, shares, used, rounded=total % scale != 0)
