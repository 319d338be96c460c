"""Small tables and their audits."""

from __future__ import annotations

import random
from typing import Any

import pandas as pd

import tcloseness as tc
from proofs_tests.certificates.tables import TREE, models, table
from tcloseness.microdata import FrequencySet

__all__ = ["audited", "counted", "fixed"]


def counted(frame: Any, marker: str | None = None) -> FrequencySet:
    return FrequencySet.from_frame(
        frame,
        quasi_identifiers=["a", "b"],
        sensitive="s",
        orders={"s": sorted(frame["s"].unique())},
        suppressed=marker,
    )


def audited(rng: random.Random, *, suppressed: bool = False) -> tuple[Any, Any]:
    """A table, and its audit under some models."""
    frame = table(rng)
    if suppressed and len(frame) > 1:
        frame.loc[frame.index[: rng.randint(1, len(frame) - 1)], ["a", "b"]] = "*"
    found = tc.check(
        counted(frame, "*" if suppressed and len(frame) > 1 else None),
        ground={"s": rng.choice(["equal", "ordered", TREE])},
        models=rng.sample(models(rng), 3),
        reference="all",
        k=rng.choice([None, 2]),
        t=rng.choice([None, "1/3"]),
    )
    return frame, found


def fixed() -> tuple[Any, Any]:
    frame = pd.DataFrame({"a": list("11122"), "b": list("ppppp"), "s": list("xxyyz")})
    return frame, tc.check(counted(frame), ground={"s": "equal"}, k=2, t="1/2")
