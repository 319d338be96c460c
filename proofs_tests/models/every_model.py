"""Every model that claims to be monotone under generalization, with thresholds that small tables meet and miss."""

from __future__ import annotations

import math

from tcloseness.measures import KullbackLeibler, Ratio, Variational
from tcloseness.models import (
    AlphaKAnonymity,
    BasicBetaLikeness,
    DeltaDisclosure,
    DistinctLDiversity,
    EnhancedBetaLikeness,
    EntropyLDiversity,
    ExpEpsilonCloseness,
    FrequencyLDiversity,
    KAnonymity,
    ModelResult,
    NegativeDisclosure,
    NegativePositiveRecursive,
    PositiveDisclosureRecursive,
    PSensitiveKAnonymity,
    RecursiveCLDiversity,
    TCloseness,
)

__all__ = ["MONOTONE", "worse"]

MONOTONE = (
    KAnonymity(3),
    DistinctLDiversity(2),
    EntropyLDiversity("3/2"),
    FrequencyLDiversity("3/2"),
    RecursiveCLDiversity(2, c=2),
    RecursiveCLDiversity(3, c=3),
    PositiveDisclosureRecursive(2, 1, allowed=[0]),
    PositiveDisclosureRecursive(3, 2, allowed=[0, 1]),
    PositiveDisclosureRecursive(3, 1, allowed=[0], no_value_at_risk="literal"),
    NegativeDisclosure(20, protected=[1]),
    NegativePositiveRecursive(2, 2, 10, allowed=[0], protected=[1]),
    AlphaKAnonymity("2/3", 2),
    AlphaKAnonymity("1/2", values=[1]),
    PSensitiveKAnonymity(p=2, k=3),
    BasicBetaLikeness("1/2"),
    EnhancedBetaLikeness("1/2"),
    DeltaDisclosure(1),
    ExpEpsilonCloseness(ratio=2),
    TCloseness("1/4", ground="equal"),
    TCloseness("1/5", ground="ordered-by-value"),
    TCloseness("1/4", measure=Variational()),
    TCloseness("1/5", measure=KullbackLeibler()),
    TCloseness(2, measure=Ratio()),
)
"""They name the values 0 and 1, so the domain of a table must have both."""


def worse(after: ModelResult, before: ModelResult) -> bool:
    """Whether a margin shrank: how far the value is from the threshold, positive on the safe side."""
    mine, theirs = after.margin, before.margin
    assert mine is not None
    assert theirs is not None
    if theirs == -math.inf:
        return False
    return mine == -math.inf or bool(mine < theirs)  # type: ignore[operator]
