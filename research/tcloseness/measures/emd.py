"""The Earth Mover's Distance as a measure (Li et al. 2007, §4), with any ground distance."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from tcloseness.exact import Rationals
from tcloseness.ground import (
    GroundDistance,
    GroundSpec,
    checked,
    greatest_distance,
    ground_distance,
    ground_name,
)
from tcloseness.microdata import ClassCounts, Domain
from tcloseness.transport import emd
from tcloseness.transport.batched import class_emds, solved_class_emds
from tcloseness.transport.closed_forms import cut_work

__all__ = ["EMD", "BoundEMD", "Variational"]


@dataclass(frozen=True)
class BoundEMD:
    """The Earth Mover's Distance over one ground distance."""

    ground: GroundDistance
    is_emd = True

    def __post_init__(self) -> None:
        checked(self.ground)

    @property
    def greatest(self) -> Fraction | None:
        """The end of the range: no two values are farther apart, so no two distributions are."""
        return greatest_distance(self.ground)

    def distance(self, p: Sequence[object], q: Sequence[object]) -> Fraction:
        """Return EMD(P, Q), see `tcloseness.transport.emd`."""
        return emd(p, q, self.ground)

    def closed_form(self, p: Sequence[Any], q: Sequence[Any]) -> Any:
        """Return EMD(P, Q) with + − × and abs alone; None where the ground distance has no cuts."""
        if self.ground.cuts is None:
            return None
        differences = [a - b for a, b in zip(p, q, strict=True)]
        return cut_work(differences, self.ground.cuts) * Fraction(1, self.ground.cuts.denominator)

    def per_class(self, classes: ClassCounts) -> Rationals:
        """Return the EMD of each class from the reference: by the closed form over cuts where there is one."""
        cuts = self.ground.cuts
        return solved_class_emds(classes, self.ground) if cuts is None else class_emds(classes, cuts)


@dataclass(frozen=True)
class EMD:
    """The Earth Mover's Distance (Li et al. 2007, §4): the least work that turns P into Q.

    Parameters
    ----------
    ground
        The ground distance: ``"ordered"``, ``"ordered-by-value"``, ``"equal"``, a `Hierarchy`, a matrix, or any
        object of the `GroundDistance` protocol.

    Examples
    --------
    >>> EMD("equal").over(Domain.of("ab")).distance(["1/2", "1/2"], [1, 0])
    Fraction(1, 2)
    """

    ground: GroundSpec
    convex = True
    is_emd = True

    @property
    def name(self) -> str:
        """``EMD`` with the name of the ground distance."""
        return f"EMD, {ground_name(self.ground)}"

    def over(self, domain: Domain) -> BoundEMD:
        """Return the measure over a domain."""
        return BoundEMD(ground_distance(self.ground, domain))

    def to_dict(self) -> dict[str, Any]:
        """Return the measure's name and the ground distance's."""
        return {"name": "EMD", "ground": ground_name(self.ground)}


@dataclass(frozen=True)
class Variational:
    """The variational distance ½·Σ|p_i − q_i| (Li et al. 2007, §4): the EMD under the equal distance. Range [0, 1]."""

    name = "variational"
    ground = "equal"
    convex = True
    is_emd = True

    def over(self, domain: Domain) -> BoundEMD:
        """Return the measure over a domain."""
        return BoundEMD(ground_distance(self.ground, domain))

    def to_dict(self) -> dict[str, Any]:
        """Return the measure's name."""
        return {"name": self.name}
