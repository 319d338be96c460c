"""Every measure of the package with its claims, for the tests that ask the same of all of them."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from hypothesis import settings

from tcloseness.exact import ExactReal
from tcloseness.measures import (
    EMD,
    ChiSquare,
    Hellinger,
    JensenShannon,
    KullbackLeibler,
    Ratio,
    ScaledEMD,
    SmoothedJensenShannon,
    Variational,
)

__all__ = ["CLAIMS", "Claims", "few", "names", "scaled", "some", "total"]

some = settings(max_examples=max(settings.default.max_examples // 3, 5))
"""For a law of one measure."""

few = settings(max_examples=max(settings.default.max_examples // 8, 5))
"""For a law that is asked of every measure in turn."""


@dataclass(frozen=True)
class Claims:
    """What is claimed of a measure, apart from convexity, which it says itself."""

    measure: Any
    symmetric: bool
    identity: bool = True
    """Whether it has its least value exactly for P = Q."""
    least: int = 0
    ground: str | None = None
    """The ground distance that it looks at."""
    domain_matters: bool = False
    """Whether a value that never occurs changes it."""


def smoothed(ground: str, bandwidth: str, renormalise: bool, base: Any = "e") -> SmoothedJensenShannon:
    return SmoothedJensenShannon(ground, bandwidth=bandwidth, renormalise=renormalise, base=base)


CLAIMS = (
    Claims(Variational(), symmetric=True),
    Claims(KullbackLeibler(), symmetric=False),
    Claims(Ratio(), symmetric=True, least=1),
    Claims(JensenShannon(), symmetric=True),
    Claims(JensenShannon(base=2), symmetric=True),
    Claims(JensenShannon(root=True), symmetric=True),
    Claims(JensenShannon(base=2, root=True), symmetric=True),
    Claims(Hellinger(), symmetric=True),
    Claims(ChiSquare(), symmetric=False),
    Claims(EMD("ordered"), symmetric=True, ground="ordered", domain_matters=True),
    Claims(smoothed("ordered", "1/2", False), True, identity=False, ground="ordered", domain_matters=True),
    Claims(smoothed("ordered", "2", True), True, identity=False, ground="ordered", domain_matters=True),
    Claims(smoothed("equal", "3/2", True, 2), True, identity=False, ground="equal", domain_matters=True),
    Claims(ScaledEMD("ordered"), symmetric=False, ground="ordered", domain_matters=True),
    Claims(ScaledEMD("equal"), symmetric=False, ground="equal"),
)


def names(claims: Claims) -> str:
    return str(claims.measure.name)


def scaled(value: Any, share: Fraction) -> Any:
    """Return share·value of a fraction, a sum of logarithms or infinity (0·∞ = 0)."""
    if not share:
        return Fraction(0)
    if isinstance(value, ExactReal):
        terms = {b: share * e for b, e in value.terms.items()}  # type: ignore[attr-defined]
        return type(value)(terms)  # type: ignore[call-arg]
    return value * share if isinstance(value, Fraction) else value


def total(a: Any, b: Any) -> Any:
    """Return a + b of two such numbers."""
    if isinstance(a, float) or isinstance(b, float):
        return float("inf")
    if isinstance(a, ExactReal):
        return a.minus(b.negated() if isinstance(b, ExactReal) else -b)
    return total(b, a) if isinstance(b, ExactReal) else a + b
