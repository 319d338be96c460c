"""What the published counts of several releases of one table leave, in whole numbers; with the reason of each bound.

Persons in the same class of every release are alike, and form a cell; how many of cell c have the value v is x_(c,v).
The unknowns and the published sums are those of `tcloseness.certificates.composition`, which checks what is found here.
A record that nobody is linked to is in a cell of its class alone.

*Propagation* tightens l_i ≤ x_i ≤ u_i by one sum Σ x_i = b at a time, until no sum tightens more:

    u_j ← min(u_j, b − Σ_(i ≠ j) l_i),        l_j ← max(l_j, b − Σ_(i ≠ j) u_i).

Each step keeps what it follows from, so that a bound can be written as weights of published sums: those of the sum and
of the bounds used, added up.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from heapq import heappop, heappush
from typing import Literal, TypeAlias

from tcloseness.certificates.composition import Bounds, Cell, Fact, Sum
from tcloseness.displayed import Compared
from tcloseness.limits import Clock
from tcloseness.printable import Brief

__all__ = ["Composition", "Reading", "Step"]

Reading: TypeAlias = Literal["sets", "sums", "programs"]
"""What first settled a person: the values common to all classes, propagation, or linear programs."""

_TIMES = 64
"""A bound that is tightened so often, and as often again as there are unknowns, follows from itself less something.
That has no end but a contradiction, which may be as far away as there are persons. What follows from twice itself, less
something, ends within as many steps as a count has binary digits."""


@dataclass(frozen=True)
class Step(Brief):
    """Why an unknown is at most, or at least, a number.

    Attributes
    ----------
    unknown, upper, number
        x_i ≤ number, or x_i ≥ number.
    weights
        Of sums, by their numbers.
    used
        By step the factor of its bound.
    rounded
        Whether the number is what the weights prove, rounded to a whole one. What follows from it rests on it, and is
        not proved by weights alone.
    """

    unknown: int
    upper: bool
    number: int
    weights: Mapping[int, Fraction | int]
    used: Mapping[int, Fraction | int]
    rounded: bool = False


class Composition(Compared):
    """The unknowns of several linked releases, their sums, and what is known of each.

    Parameters
    ----------
    cells
        By cell the number of its persons.
    counts
        By release, class and value a positive count.
    clock
        What propagation is bounded by.

    Attributes
    ----------
    bounds
        The published sums.
    unknowns
        By number, cell and value; those that a single count makes 0 are left out.
    rows
        By sum, the unknowns that it adds up.
    low, high
        By unknown.
    contradictory
        The cells of components whose sums no assignment satisfies; nothing is concluded of them. Not every
        contradiction is found.
    """

    def __init__(self, cells: Mapping[Cell, int], counts: Mapping[tuple[int, int, int], int], clock: Clock) -> None:
        self.bounds = Bounds(cells, counts)
        self.unknowns = list(self.bounds.high)
        self.number = {at: i for i, at in enumerate(self.unknowns)}
        self.sums: list[Sum] = list(self.bounds.totals)
        self.totals = list(self.bounds.totals.values())
        self.rows = [[self.number[at] for at in self.bounds.terms(each)] for each in self.sums]
        self.in_rows: list[list[int]] = [[] for _ in self.unknowns]
        for k, row in enumerate(self.rows):
            for i in row:
                self.in_rows[i].append(k)
        self.of_cell: list[list[int]] = [[] for _ in cells]
        for i, (c, _) in enumerate(self.unknowns):
            self.of_cell[c].append(i)
        self.high = list(self.bounds.high.values())
        self.low = [0] * len(self.high)
        self.why_high: list[int | None] = [None] * len(self.high)
        self.why_low: list[int | None] = [None] * len(self.high)
        self.steps: list[Step] = []
        self.contradictory: set[int] = set()
        self._times = [0] * len(self.high)
        self._most_times = _TIMES + len(self.high)
        self.propagate(clock)

    # ------------------------------------------------------------------ propagation

    def propagate(self, clock: Clock | None = None) -> None:
        """Tighten bounds by each sum, and again by those of what was tightened, until none tightens more."""
        waiting = deque(range(len(self.rows)))
        queued = set(waiting)
        while waiting:
            k = waiting.popleft()
            queued.discard(k)
            if clock is not None:
                clock.check("the published counts are added up")
            changed = self._tighten(k)
            if changed is None:
                self.set_aside(self._cells_of(self.sums[k]))  # its unknowns may all be 0
                continue
            for j in changed:
                for other in self.in_rows[j]:
                    if other not in queued:
                        queued.add(other)
                        waiting.append(other)

    def _tighten(self, k: int) -> list[int] | None:
        """Tighten by one sum; return what was tightened, None if no assignment satisfies the sum."""
        row, total = self.rows[k], self.totals[k]
        if row and self.unknowns[row[0]][0] in self.contradictory:
            return []
        least, most = sum(self.low[i] for i in row), sum(self.high[i] for i in row)
        if least > total or most < total:
            return None
        if least == most:
            return []
        changed = []
        for j in row:
            before = len(self.steps)
            up, down = total - (least - self.low[j]), total - (most - self.high[j])
            if up < self.high[j]:
                used = {s: 1 for i in row if i != j and (s := self.why_low[i]) is not None}
                most += up - self.high[j]
                self.keep(Step(j, True, up, {k: 1}, used))
            if down > self.low[j]:
                used = {s: 1 for i in row if i != j and (s := self.why_high[i]) is not None}
                least += down - self.low[j]
                self.keep(Step(j, False, down, {k: -1}, used))
            if self.low[j] > self.high[j]:
                return None
            if len(self.steps) > before:
                changed.append(j)
                self._times[j] += 1
                if self._times[j] > self._most_times:
                    return None
        return changed

    def keep(self, step: Step) -> None:
        """Take over a bound that is tighter."""
        if step.upper:
            self.high[step.unknown], self.why_high[step.unknown] = step.number, len(self.steps)
        else:
            self.low[step.unknown], self.why_low[step.unknown] = step.number, len(self.steps)
        self.steps.append(step)

    def set_aside(self, cells: Iterable[int]) -> None:
        """Conclude nothing of whatever sums connect with cells whose sums no assignment satisfies."""
        stack, seen = list(cells), set[int]()
        while stack:
            cell = stack.pop()
            if cell in self.contradictory:
                continue
            self.contradictory.add(cell)
            for i in self.of_cell[cell]:
                self.low[i], self.high[i] = 0, self.bounds.high[self.unknowns[i]]
                self.why_low[i] = self.why_high[i] = None
                for k in self.in_rows[i]:
                    if k not in seen:
                        seen.add(k)
                        stack += {self.unknowns[other][0] for other in self.rows[k]}

    # ------------------------------------------------------------------ what is known

    def left(self, cell: int) -> list[int]:
        """Return the values that a person of a cell may still have, in their order."""
        return [self.unknowns[i][1] for i in self.of_cell[cell] if self.high[i]]

    def open_components(self) -> list[list[int]]:
        """Return the unknowns that are not settled, in parts that no sum connects; the smallest first."""
        ranges = zip(self.unknowns, self.low, self.high, strict=True)
        seen = [low == high or at[0] in self.contradictory for at, low, high in ranges]
        found, rows = [], set[int]()
        for first in range(len(seen)):
            if seen[first]:
                continue
            seen[first] = True
            part, stack = [], [first]
            while stack:
                i = stack.pop()
                part.append(i)
                for k in self.in_rows[i]:
                    if k in rows:
                        continue
                    rows.add(k)
                    for other in self.rows[k]:
                        if not seen[other]:
                            seen[other] = True
                            stack.append(other)
            found.append(sorted(part))
        return sorted(found, key=len)

    # ------------------------------------------------------------------ reasons

    def weights(self, step: int) -> tuple[dict[Sum, Fraction], list[int]]:
        """Return weights of published sums that prove a bound, and the rounded bounds before it that they rest on.

        For a = Σ_i a_i·e_i the right side of `tcloseness.certificates.composition` is convex and positively
        homogeneous in (a, y), so the weights of the bounds used, times their factors, add up to weights for the step.
        """
        factors: dict[int, Fraction | int] = {step: 1}
        heap, rests = [-step], []
        total: dict[int, Fraction | int] = {}
        while heap:
            at = -heappop(heap)
            factor, reason = factors[at], self.steps[at]
            if reason.rounded and at != step:
                rests.append(at)
                continue
            for k, weight in reason.weights.items():
                total[k] = total.get(k, 0) + factor * weight
            for other, times in reason.used.items():
                if other not in factors:
                    heappush(heap, -other)
                factors[other] = factors.get(other, 0) + factor * times
        return {self.sums[k]: Fraction(weight) for k, weight in sorted(total.items()) if weight}, rests[::-1]

    def facts(self, steps: Iterable[int]) -> list[Fact]:
        """Return bounds as a certificate states them, each behind the rounded ones that it rests on."""
        waiting, proved = list(steps), dict[int, Mapping[Sum, Fraction]]()
        while waiting:
            step = waiting.pop()
            if step not in proved:
                proved[step], rests = self.weights(step)
                waiting += rests
        found = []
        for step, weights in sorted(proved.items()):
            reason = self.steps[step]
            cell, value = self.unknowns[reason.unknown]
            found.append(Fact(cell, value, "most" if reason.upper else "least", reason.number, weights))
        return found

    def satisfied_by(self, numbers: Sequence[int]) -> bool:
        """Say whether whole numbers for the unknowns satisfy every published sum, but for those set aside."""
        return min(numbers, default=0) >= 0 and all(
            sum(numbers[i] for i in row) == total
            for at, row, total in zip(self.sums, self.rows, self.totals, strict=True)
            if not self._cells_of(at) & self.contradictory
        )

    def _cells_of(self, at: Sum) -> set[int]:
        return set(at) if len(at) == 1 else set(self.bounds.inside(at[0], at[1]))

    def settling_steps(self, cell: int) -> list[int]:
        """Return the steps that leave a cell so few values: that one has all its persons, or that others have none."""
        size = self.bounds.persons[cell]
        full = [self.why_low[i] for i in self.of_cell[cell] if self.low[i] == size]
        none = [self.why_high[i] for i in self.of_cell[cell] if not self.high[i]]
        return [step for step in (full or none) if step is not None]
