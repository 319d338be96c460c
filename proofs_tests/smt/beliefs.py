"""Bayes-optimal privacy of two people's quasi-identifier values a and b, equally common, and two sensitive values.

The population has `PEOPLE` persons with each of a and b; of those with q, ``rare[q]`` have the value 0. Released are
counts n(q, s), with a and b apart or as one block. By Machanavajjhala et al. 2006, Theorem 3.1 the odds of value 0 for
q in a block q* are

    n(q*, 0)·f(0|q)/f(0|q*)  to  n(q*, 1)·f(1|q)/f(1|q*).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import z3

from proofs_tests.smt.symbolic import Symbol, Truth, wholes

__all__ = ["PEOPLE", "World"]

PEOPLE = 16


@dataclass(frozen=True)
class World:
    """Unknown numbers: how many with a and with b have value 0, the released counts, and ρ₁ < ρ₂."""

    rare: Sequence[Any]
    released: Sequence[Sequence[Any]]
    low: Any
    high: Any

    @classmethod
    def unknown(cls) -> World:
        low, high = (Symbol(z3.Real(name)) for name in ("low", "high"))
        return cls(wholes("rare", 2), [wholes("a", 2), wholes("b", 2)], low, high)

    def possible(self, most: int) -> list[Truth]:
        """Nothing is certain beforehand, every value is released, each at most so often, and 0 < ρ₁ < ρ₂ < 1."""
        counts = [n for row in self.released for n in row]
        within = [truth for n in counts for truth in (n >= 1, n <= most)]
        ordered = [self.low > 0, self.low < self.high, self.high < 1]
        return [t for i in self.rare for t in (i >= 1, i < PEOPLE)] + within + ordered

    def odds(self, q: int, block: Sequence[int]) -> tuple[Any, Any]:
        """The odds of value 0 for someone with q in a block, as two numbers."""
        zeros = sum(self.rare[other] for other in block)
        ones = len(block) * PEOPLE - zeros
        n = [sum(self.released[other][s] for other in block) for s in (0, 1)]
        if len(block) == 1:  # f(s|q) = f(s|q*)
            return n[0], n[1]
        return n[0] * self.rare[q] * ones, n[1] * (PEOPLE - self.rare[q]) * zeros

    def breached(self, q: int, block: Sequence[int]) -> Truth:
        """A (ρ₁, ρ₂)-breach about either value: from below ρ₁ to above ρ₂, or from above 1 − ρ₁ to below 1 − ρ₂."""
        zero, one = self.odds(q, block)
        rare, common = self.rare[q], PEOPLE - self.rare[q]
        found = []
        for prior, odds, against in ((rare, zero, one), (common, one, zero)):
            up = [prior < self.low * PEOPLE, odds * (1 - self.high) > self.high * against]
            down = [prior > (1 - self.low) * PEOPLE, odds * self.high < (1 - self.high) * against]
            found += [z3.And([t.term for t in way]) for way in (up, down)]
        return Truth(z3.Or(found))

    def private(self, *blocks: Sequence[int]) -> Truth:
        """Nobody in these blocks is breached."""
        return Truth(z3.Not(z3.Or([self.breached(q, block).term for block in blocks for q in block])))
