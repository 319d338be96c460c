"""What the tests of this room share: models with linear forms, and small class counts."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from proofs_tests.strategies import grounds, metrics, non_metrics
from tcloseness.ground import Matrix
from tcloseness.measures import Variational
from tcloseness.microdata import ClassCounts, Domain
from tcloseness.models import (
    AlphaKAnonymity,
    BasicBetaLikeness,
    DeltaDisclosure,
    DistinctLDiversity,
    EnhancedBetaLikeness,
    FrequencyLDiversity,
    KAnonymity,
    PSensitiveKAnonymity,
    RecursiveCLDiversity,
    TCloseness,
)

__all__ = ["LINEAR", "counts_of", "linear_models", "satisfying", "title"]

LINEAR = (
    KAnonymity(2),
    KAnonymity(3),
    DistinctLDiversity(2),
    DistinctLDiversity(3),
    FrequencyLDiversity(2),
    FrequencyLDiversity("3/2"),
    AlphaKAnonymity("2/3", 2),
    AlphaKAnonymity("1/2", values=[1]),
    AlphaKAnonymity(k=2),
    RecursiveCLDiversity(1, c="1/2"),
    RecursiveCLDiversity(2, c=2),
    RecursiveCLDiversity(3, c="5/2"),
    PSensitiveKAnonymity(p=2, k=3),
    BasicBetaLikeness("1/2"),
    BasicBetaLikeness(0),
    EnhancedBetaLikeness("1/2"),
    EnhancedBetaLikeness(3),
    DeltaDisclosure(1),
    DeltaDisclosure("3/4", base="e"),
    DeltaDisclosure(1, absent="skipped"),
    DeltaDisclosure("1/2", base="e", absent="skipped"),
    TCloseness("1/4", ground="equal"),
    TCloseness("1/5", ground="ordered"),
    TCloseness(0, ground="ordered-by-value"),
    TCloseness("1/3", measure=Variational()),
    KAnonymity(2) & TCloseness("2/5", ground="equal"),
    KAnonymity(2) & RecursiveCLDiversity(2, c=3) & BasicBetaLikeness(2),
)
"""Every kind of model that a program takes, with thresholds that small classes meet and miss. Values are 0, 1, …"""


def linear_models(m: int) -> st.SearchStrategy[Any]:
    """One of `LINEAR`, or t-closeness by any ground distance over m values, also one without cuts."""
    t = st.sampled_from(["0", "1/7", "1/4", "0.4"])
    matrix = metrics(m).map(Matrix)
    if m > 1:
        matrix = st.one_of(matrix, non_metrics(m).map(lambda d: Matrix(d, allow_non_metric=True)))
    by_ground = st.builds(lambda t, ground: TCloseness(t, ground=ground), t, st.one_of(grounds(m), matrix))
    return st.one_of(st.sampled_from(LINEAR), st.sampled_from(LINEAR), by_ground)


def counts_of(vectors: Sequence[Sequence[int]], reference: Sequence[int]) -> ClassCounts:
    """Classes of counts by value, none of them empty, with the given reference."""
    matrix = np.array(vectors, dtype=np.int64).T
    classes = ClassCounts.from_matrix(matrix, domain=Domain.declare(range(len(reference))))
    return classes.with_reference(reference)


def satisfying(vectors: Sequence[Sequence[int]], model: Any, reference: Sequence[int]) -> list[bool]:
    """Which of some classes satisfy a model, by the model itself."""
    violating = set(model.evaluate(counts_of(vectors, reference)).violating.tolist())
    return [g not in violating for g in range(len(vectors))]


def title(model: Any) -> str:
    """A short name for a test."""
    return f"{LINEAR.index(model)} {model.name}"
