"""Models that claim to be monotone under generalization: with thresholds that small tables meet and miss, or none."""

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

__all__ = ["LARGER_IS_WORSE", "MONOTONE", "SMALLER_IS_WORSE", "worse"]

MONOTONE = (
    KAnonymity(2),
    KAnonymity(3),
    DistinctLDiversity(2),
    DistinctLDiversity(3),
    EntropyLDiversity("9/5"),
    EntropyLDiversity(2),
    FrequencyLDiversity("3/2"),
    RecursiveCLDiversity(2, c=2),
    RecursiveCLDiversity(3, c=3),
    PositiveDisclosureRecursive(2, 1, allowed=[0]),
    PositiveDisclosureRecursive(3, 2, allowed=[0, 1]),
    PositiveDisclosureRecursive(3, 2, allowed=[0], no_value_at_risk="literal"),
    NegativeDisclosure(25, protected=[1]),
    NegativePositiveRecursive(2, 2, 20, allowed=[0], protected=[1]),
    AlphaKAnonymity("2/3", 2),
    AlphaKAnonymity("1/2", values=[1]),
    PSensitiveKAnonymity(p=2, k=3),
    BasicBetaLikeness("1/2"),
    EnhancedBetaLikeness("1/2"),
    DeltaDisclosure("1/2"),
    ExpEpsilonCloseness(ratio="3/2"),
    TCloseness("1/3", ground="equal"),
    TCloseness("1/6", ground="ordered-by-value"),
    TCloseness("1/5", measure=Variational()),
    TCloseness("1/5", measure=KullbackLeibler()),
    TCloseness("3/2", measure=Ratio()),
)
"""They name the values 0 and 1, so the domain of a table must have both."""


SMALLER_IS_WORSE = [
    KAnonymity(),
    DistinctLDiversity(),
    EntropyLDiversity(),
    FrequencyLDiversity(),
    PSensitiveKAnonymity(),
    NegativeDisclosure(protected=[0]),
]
LARGER_IS_WORSE = [
    RecursiveCLDiversity(1),
    RecursiveCLDiversity(2),
    RecursiveCLDiversity(3),
    PositiveDisclosureRecursive(2, allowed=[0]),
    PositiveDisclosureRecursive(3, allowed=[0, 1]),
    PositiveDisclosureRecursive(4, allowed=[0, 1], no_value_at_risk="literal"),
    NegativePositiveRecursive(3, allowed=[0], protected=[1]),
    AlphaKAnonymity(),
    AlphaKAnonymity(values=[0]),
    TCloseness(ground="equal"),
    TCloseness(measure=Variational()),
    TCloseness(measure=KullbackLeibler()),
    DeltaDisclosure(),
    DeltaDisclosure(base="e"),
    BasicBetaLikeness(),
    EnhancedBetaLikeness(),
    ExpEpsilonCloseness(),
]
"""The same without thresholds, by which value is the worst."""


def worse(after: ModelResult, before: ModelResult) -> bool:
    """Whether a margin shrank: how far the value is from the threshold, positive on the safe side."""
    mine, theirs = after.margin, before.margin
    assert mine is not None
    assert theirs is not None
    if theirs == -math.inf:
        return False
    return mine == -math.inf or bool(mine < theirs)  # type: ignore[operator]
