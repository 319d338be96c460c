"""`Measure`: a distance between two distributions. The plug-in point for a new one."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from typing import Any, Protocol, runtime_checkable

from tcloseness.exact import Rationals
from tcloseness.logarithms import LogSum, LogSums
from tcloseness.microdata import ClassCounts, Domain

__all__ = ["BoundMeasure", "Measure", "Value", "Values"]

Value = Fraction | LogSum | float
"""An exact value; the only float that occurs is ``math.inf``."""

Values = Rationals | LogSums
"""One exact value an equivalence class."""


@runtime_checkable
class BoundMeasure(Protocol):
    """A measure over a fixed domain."""

    def distance(self, p: Sequence[object], q: Sequence[object]) -> Value:
        """Return the distance of two distributions, exact."""

    def per_class(self, classes: ClassCounts) -> Values:
        """Return the distance of each class from the reference, exact."""


@runtime_checkable
class Measure(Protocol):
    """A distance between two distributions over the values of a sensitive attribute.

    `convex` says that D(λP₁ + (1 − λ)P₂, Q) ≤ λ·D(P₁, Q) + (1 − λ)·D(P₂, Q) (TC Fact 2); a model built on a convex
    measure is monotone under generalization. It is a claim that is tested, not a setting.
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
