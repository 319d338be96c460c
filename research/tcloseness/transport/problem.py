"""The transportation problem (Li et al. 2007, §4, c1–c3): move P to Q at least cost over any ground distance, in whole
numbers."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property

import numpy as np

from tcloseness.errors import MassError
from tcloseness.exact import IntArray, common_denominator, masses, shares
from tcloseness.ground import GroundDistance, checked

__all__ = ["OR_COUNTS", "TransportProblem"]

OR_COUNTS = ", or counts with counts=True"
"""The other way to give masses, for messages."""


@dataclass(frozen=True, eq=False)
class TransportProblem:
    """Minimise Σ f_ij·d(i, j) over couplings f of P and Q: f ≥ 0, Σ_j f_ij = p_i, Σ_i f_ij = q_j.

    Under a metric, mass that P and Q share stays where it is, and only the surplus moves to the deficit. Under any
    other ground distance that shortcut is wrong, and the whole problem is posed.

    Attributes
    ----------
    p, q
        Shape (m,): the masses, exact, each summing to 1.
    ground
        The ground distance over the same m values.

    Examples
    --------
    >>> from tcloseness.ground import Ordered
    >>> problem = TransportProblem.of(["1/2", 0, "1/2", 0], ["1/4"] * 4, Ordered(4))
    >>> problem.sources, problem.sinks, problem.supply, problem.scale
    ([0, 2], [1, 3], [1, 1], 4)
    """

    p: tuple[Fraction, ...]
    q: tuple[Fraction, ...]
    ground: GroundDistance

    def __post_init__(self) -> None:
        checked(self.ground)

    @classmethod
    def of(
        cls, p: Iterable[object], q: Iterable[object], ground: GroundDistance, *, counts: bool = False
    ) -> TransportProblem:
        """Read the masses exactly, or counts of records, each vector over its own total.

        Raises
        ------
        MassError
            If P or Q is not a distribution (or, with `counts`, not a list of whole numbers ≥ 0 with a positive sum),
            or their lengths and the ground distance's differ.
        """
        if not isinstance(counts, bool):
            raise MassError(f"counts={counts!r} must be True or False")
        left, right = (
            shares(x, name) if counts else masses(x, name, hint=OR_COUNTS) for x, name in ((p, "p"), (q, "q"))
        )
        read = cls(left, right, ground)
        if not len(read.p) == len(read.q) == ground.m:
            raise MassError(
                f"p has {len(read.p)} values, q {len(read.q)} and the ground distance {ground.m}; they must agree "
                "(a value without mass has mass 0)"
            )
        return read

    @cached_property
    def scale(self) -> int:
        """The common denominator of all masses; whole masses are masses times `scale`."""
        return common_denominator((*self.p, *self.q))

    def _whole(self, mass: Fraction) -> int:
        return int(mass * self.scale)

    @cached_property
    def staying(self) -> list[int]:
        """Shape (m,): the whole mass that stays at each value before the problem is posed."""
        shared = [self._whole(min(a, b)) for a, b in zip(self.p, self.q, strict=True)]
        return shared if self.ground.metric else [0] * len(self.p)

    @cached_property
    def sources(self) -> list[int]:
        """The codes that mass must leave."""
        return [i for i, a in enumerate(self.p) if self._whole(a) > self.staying[i]]

    @cached_property
    def sinks(self) -> list[int]:
        """The codes that mass must reach."""
        return [j for j, b in enumerate(self.q) if self._whole(b) > self.staying[j]]

    @cached_property
    def supply(self) -> list[int]:
        """The whole mass at each source."""
        return [self._whole(self.p[i]) - self.staying[i] for i in self.sources]

    @cached_property
    def demand(self) -> list[int]:
        """The whole mass at each sink."""
        return [self._whole(self.q[j]) - self.staying[j] for j in self.sinks]

    @cached_property
    def costs(self) -> IntArray:
        """Shape (sources, sinks): the ground distances times ``ground.denominator``."""
        return np.array([self.ground.row(i)[self.sinks] for i in self.sources]).reshape(
            len(self.sources), len(self.sinks)
        )
