"""The transportation problem (Li et al. 2007, §4, c1–c3): move P to Q at least cost over any ground distance, in whole
numbers."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from tcloseness.displayed import Compared, Displayed, counted
from tcloseness.errors import MassError
from tcloseness.exact import IntArray, common_denominator, fits_int64, masses, number_text, shares, whole_counts
from tcloseness.ground import GroundDistance, GroundSpec, checked, distance_rows, ground_of_size
from tcloseness.ground.protocol import whole_array
from tcloseness.printable import Brief

__all__ = ["OR_COUNTS", "PosedProblem", "TransportProblem", "require_lengths"]

OR_COUNTS = ", or counts with counts=True; two columns of values are compared by tcloseness.emd_of"
"""The other ways to give masses, for messages."""


@dataclass(frozen=True, eq=False)
class TransportProblem(Displayed):
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

    def to_dict(self) -> dict[str, Any]:
        """Return the masses and the ground distance as JSON-ready data."""
        masses = {"p": list(map(number_text, self.p)), "q": list(map(number_text, self.q))}
        return {**masses, "ground": self.ground.to_dict()}

    def _frame_rows(self) -> list[dict[str, Any]]:
        pairs = enumerate(zip(self.p, self.q, strict=True))
        return [{"value": code, "p": number_text(p), "q": number_text(q)} for code, (p, q) in pairs]

    def _said(self) -> str:
        return f"{counted(len(self.p), 'value')}, {self.ground.name}"

    def __post_init__(self) -> None:
        checked(self.ground)

    @classmethod
    def of(
        cls,
        p: Iterable[object],
        q: Iterable[object],
        ground: GroundSpec,
        *,
        counts: bool = False,
        values: Sequence[Hashable] = (),
    ) -> TransportProblem:
        """Read the masses exactly, or counts of records, each vector over its own total; and the ground distance as
        `tcloseness.ground.ground_of_size` does.

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
        read = cls(left, right, ground_of_size(ground, len(left), values))
        require_lengths(len(read.p), len(read.q), read.ground)
        return read

    @cached_property
    def scale(self) -> int:
        """The common denominator of all masses; whole masses are masses times `scale`."""
        return common_denominator((*self.p, *self.q))

    @cached_property
    def posed(self) -> PosedProblem:
        """The problem in whole numbers."""
        p, q = (
            whole_array([x.numerator * (self.scale // x.denominator) for x in vector]) for vector in (self.p, self.q)
        )
        return PosedProblem.of(p, q, self.scale, self.ground)

    @property
    def staying(self) -> list[int]:
        """Shape (m,): the whole mass that stays at each value before the problem is posed."""
        return [int(x) for x in self.posed.staying]

    @property
    def sources(self) -> list[int]:
        """The codes that mass must leave."""
        return [int(x) for x in self.posed.sources]

    @property
    def sinks(self) -> list[int]:
        """The codes that mass must reach."""
        return [int(x) for x in self.posed.sinks]

    @property
    def supply(self) -> list[int]:
        """The whole mass at each source."""
        return [int(x) for x in self.posed.supply]

    @property
    def demand(self) -> list[int]:
        """The whole mass at each sink."""
        return [int(x) for x in self.posed.demand]

    @property
    def costs(self) -> IntArray:
        """Shape (sources, sinks): the ground distances times ``ground.denominator``."""
        return self.posed.costs


@dataclass(frozen=True, eq=False)
class PosedProblem(Compared, Brief):
    """A transportation problem in whole numbers: what stays, what must move, and at which cost.

    Attributes
    ----------
    staying
        Shape (m,): the mass that stays where it is before the problem is posed.
    sources, sinks
        The codes that mass must leave, and must reach.
    supply, demand
        The mass at each of them.
    costs
        Shape (sources, sinks): the ground distances times ``ground.denominator``.
    scale
        What all masses were multiplied by.
    """

    staying: IntArray
    sources: IntArray
    sinks: IntArray
    supply: IntArray
    demand: IntArray
    costs: IntArray
    scale: int

    @classmethod
    def of(cls, p: IntArray, q: IntArray, scale: int, ground: GroundDistance) -> PosedProblem:
        """Pose the problem of whole masses with the same sum."""
        staying = np.minimum(p, q) if ground.metric else 0 * p
        leaving, missing = p - staying, q - staying
        sources, sinks = np.flatnonzero(leaving), np.flatnonzero(missing)
        costs = distance_rows(ground, sources)[:, sinks]
        return cls(staying, sources, sinks, leaving[sources], missing[sinks], costs, scale)

    @classmethod
    def of_counts(cls, p: Iterable[object], q: Iterable[object], ground: GroundDistance) -> PosedProblem:
        """Read counts of records, as `TransportProblem.of` does, without a fraction for each of them."""
        left, right = whole_counts(p, "p"), whole_counts(q, "q")
        checked(ground)
        require_lengths(len(left), len(right), ground)
        n, k = int(left.sum()), int(right.sum())
        if not fits_int64(2, n, k):
            left, right = left.astype(object), right.astype(object)
        return cls.of(left * k, right * n, n * k, ground)


def require_lengths(p: int, q: int, ground: GroundDistance) -> None:
    """Refuse masses that are not one for each value of the ground distance."""
    if not p == q == ground.m:
        raise MassError(
            f"p has {p} values, q {q} and the ground distance {ground.m}; they must agree (a value without mass has "
            "mass 0)"
        )
