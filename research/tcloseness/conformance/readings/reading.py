"""A reading: the same algorithm as somebody else understands it, by convention or by mistake."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from typing import Any, Literal

from tcloseness.conformance.algorithms import ALGORITHMS
from tcloseness.conformance.definition import Stages

__all__ = ["BY_KEYS", "CLOSENESS", "DIVERSITY", "LIKENESS", "MODELS", "WITH_VALUES", "Reading"]

MODELS = tuple(a.name for a in ALGORITHMS.values() if a.kind == "model")
DIVERSITY = ("distinct-l", "entropy-l", "recursive-cl", "frequency-l", "alpha-k")
CLOSENESS = tuple(name for name in MODELS if name.startswith("t-"))
LIKENESS = ("beta-basic", "beta-enhanced", "delta-disclosure")
WITH_VALUES = (*DIVERSITY, *CLOSENESS, *LIKENESS)
BY_KEYS = (*MODELS, "discernibility", "average-class-size", "average-risk", "classification-metric")


@dataclass(frozen=True)
class Reading:
    """Another way to understand an algorithm. A vector carries its name as a flag exactly if its answer differs there.

    Attributes
    ----------
    name
        The flag.
    kind
        ``convention``: a defensible choice that must be named; ``fault``: an answer that is wrong.
    algorithms
        The algorithms for which it is defined.
    stages
        What it does.
    probes, why
        What goes wrong, in a line; and what comes of it.
    reference
        Where it was met, or what speaks against it.
    needs
        What an input must have for it to show, for the generator; several where it shows in different ways.
    variants
        In how many variants such inputs come, as by separator or word; 0: in one.
    """

    name: str
    kind: Literal["convention", "fault"]
    algorithms: Collection[str]
    stages: Stages
    probes: str
    why: str
    reference: str
    needs: tuple[str, ...] = ("plain",)
    variants: int = 0

    def note(self) -> dict[str, Any]:
        """Return what a file of vectors says about the flag."""
        return {"kind": self.kind, "probes": self.probes, "why": self.why, "reference": self.reference}
