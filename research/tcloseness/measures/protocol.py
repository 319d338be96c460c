"""`Measure`: a distance between two distributions. The plug-in point for a new one."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Protocol, Self, runtime_checkable

from tcloseness.errors import ProtocolError
from tcloseness.exact import ExactReal, Filtered, Rationals
from tcloseness.microdata import ClassCounts, Domain
from tcloseness.microdata.border import FullTable, in_shape

__all__ = [
    "BoundMeasure",
    "Measure",
    "OfMasses",
    "Value",
    "Values",
    "class_distances",
    "merging_never_increases",
    "require_measure",
]

Value = Fraction | ExactReal | float
"""An exact value; the only float that occurs is ``math.inf``."""

Values = Rationals | Filtered[Any]
"""One exact value an equivalence class."""


@runtime_checkable
class BoundMeasure(Protocol):
    """A measure over a fixed domain.

    It may have two more members: ``greatest``, a number that no distance of two distributions exceeds, or None; and
    ``closed_form(p, q)``, the distance with + − × and abs alone, or None, by which `axioms` proves laws.
    """

    def distance(self, p: Sequence[object], q: Sequence[object]) -> Value:
        """Return the distance of two distributions, exact."""

    def per_class(self, classes: ClassCounts) -> Values:
        """Return the distance of each class from the reference, exact."""


@runtime_checkable
class Measure(Protocol):
    """A distance between two distributions over the values of a sensitive attribute.

    `convex` says that D(λP₁ + (1 − λ)P₂, Q) ≤ λ·D(P₁, Q) + (1 − λ)·D(P₂, Q) (Li et al. 2007, Fact 2); a model built on
    a convex measure is monotone under generalization. It is a claim that is tested, not a setting.

    A measure that is not convex may have one more member, ``quasi_convex``: whether D(λP₁ + (1 − λ)P₂, Q) is at most
    the greater of D(P₁, Q) and D(P₂, Q), see `merging_never_increases`. Further optional members: ``ground``, the
    ground distance that it is made with, and ``is_emd``, whether it claims to be an Earth Mover's Distance.
    """

    @property
    def name(self) -> str:
        """The name that is printed with every result."""

    @property
    def convex(self) -> bool:
        """Whether the measure is convex in P."""

    def over(self, domain: Domain) -> BoundMeasure:
        """Return the measure over a domain."""

    def to_dict(self) -> dict[str, Any]:
        """Return what was chosen, for reports."""


class OfMasses:
    """What is common to measures that look at no value, only at masses: they are the same over every domain."""

    name: Any

    def over(self, domain: Domain) -> Self:
        """Return the measure itself."""
        return self

    def to_dict(self) -> dict[str, Any]:
        """Return the measure's name."""
        return {"name": self.name}


def require_measure(found: object) -> Measure:
    """Return an object that is a measure.

    Raises
    ------
    ProtocolError
        For any other, and for a class.
    """
    if isinstance(found, Measure) and not isinstance(found, type):
        if isinstance(found.name, str):
            return found
        raise ProtocolError(f"the name of the measure is {found.name!r:.80}; it must be a text")
    raise ProtocolError(
        f"{found!r} is not a measure; give an object with name, convex, over and to_dict (the Measure protocol)"
    )


def class_distances(bound: BoundMeasure, classes: ClassCounts | FullTable) -> Values:
    """Return the distance of each class from the reference.

    Raises
    ------
    ProtocolError
        If the measure returns anything else than its exact values, one a class.
    """
    classes = in_shape(classes, ClassCounts)
    classes.require_values("a distance between distributions")
    values = bound.per_class(classes)
    if not isinstance(values, (Rationals, Filtered)) or len(values) != len(classes):
        raise ProtocolError(
            f"per_class of {bound!r:.80} returned {values!r:.80} for {len(classes)} classes; it returns one value a "
            "class, as tcloseness.exact.Rationals or Filtered"
        )
    return values


def merging_never_increases(measure: Measure) -> bool:
    """Say whether the greatest distance of a class from the reference never grows when classes are merged.

    The distribution of a union of classes is a mixture of theirs, so it is enough that the distance of a mixture is at
    most the greatest distance of its parts (quasi-convexity); convexity implies that.
    """
    return measure.convex or bool(getattr(measure, "quasi_convex", False))
