"""Small random tables under small hierarchies, and what is true of them, by brute force."""

from __future__ import annotations

import random
from fractions import Fraction
from typing import Any

import pandas as pd

from tcloseness.lattice import RollUp
from tcloseness.loss import (
    GeneralizationHeight,
    GlobalCertaintyPenalty,
    LossMetric,
    NormalizedCertaintyPenalty,
    Precision,
)
from tcloseness.microdata import FrequencySet, Hierarchy
from tcloseness.models import (
    AlphaKAnonymity,
    BasicBetaLikeness,
    DistinctLDiversity,
    EntropyLDiversity,
    FrequencyLDiversity,
    KAnonymity,
    RecursiveCLDiversity,
    TCloseness,
)

__all__ = ["FILES", "HIERARCHIES", "LOSSES", "TREE", "models", "rolled", "table"]

LOSSES = (GeneralizationHeight(), Precision(), NormalizedCertaintyPenalty(), GlobalCertaintyPenalty(), LossMetric())

TREE = Hierarchy([("x", "xy", "*"), ("y", "xy", "*"), ("z", "z", "*"), ("w", "z", "*")], name="s")
HIERARCHIES = {
    "a": Hierarchy([("1", "low", "*"), ("2", "low", "*"), ("3", "high", "*"), ("4", "high", "*")], name="a"),
    "b": Hierarchy.suppression(["p", "q"], name="b"),
}

FILES = {
    name: (f"{name}.csv", "".join(",".join(path) + "\n" for path in tree.paths).encode())
    for name, tree in HIERARCHIES.items()
}
"""The hierarchies as files, by attribute."""


def table(rng: random.Random) -> pd.DataFrame:
    """A frame of texts."""
    rows = rng.randint(1, 12)
    return pd.DataFrame(
        {
            "a": [rng.choice("1234") for _ in range(rows)],
            "b": [rng.choice("pq") for _ in range(rows)],
            "s": [rng.choice("xyzw"[: rng.randint(1, 4)]) for _ in range(rows)],
        }
    )


def rolled(frame: pd.DataFrame, sensitive: str | None = "s") -> RollUp:
    """The table under the hierarchies; None is one without a sensitive attribute."""
    orders = {} if sensitive is None else {sensitive: sorted(frame[sensitive].unique())}
    counted = FrequencySet.from_frame(frame, quasi_identifiers=["a", "b"], sensitive=sensitive, orders=orders)
    return RollUp(counted, HIERARCHIES)


def models(rng: random.Random) -> list[Any]:
    """A model of each kind that a checker knows, and some together."""
    share = Fraction(rng.randint(1, 6), rng.randint(2, 6))
    close = [TCloseness(Fraction(rng.randint(0, 4), 5), ground=ground) for ground in ("equal", "ordered", TREE)]
    found = [
        KAnonymity(rng.randint(1, 6)),
        DistinctLDiversity(rng.randint(1, 4)),
        EntropyLDiversity(Fraction(rng.randint(10, 35), 10)),
        RecursiveCLDiversity(rng.randint(1, 4), c=Fraction(rng.randint(1, 8), 2)),
        FrequencyLDiversity(max(1 / share, Fraction(1))),
        AlphaKAnonymity(min(share, Fraction(1)), k=rng.randint(1, 4)),
        BasicBetaLikeness(Fraction(rng.randint(0, 8), 4)),
        *close,
    ]
    return [*found, KAnonymity(rng.randint(1, 3)) & rng.choice(close)]
