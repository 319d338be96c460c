"""Programs that no solver ends within seconds, one for each task; and which processes this one has started."""

from __future__ import annotations

import os
import random
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pandas as pd

from tcloseness.microdata import ClassCounts, Hierarchy, Microdata
from tcloseness.models import KAnonymity, TCloseness
from tcloseness.optimal import (
    optimal_cut,
    optimal_hiding,
    optimal_microaggregation,
    optimal_partition,
    optimal_sensitive_generalization,
    optimal_suppression,
)

__all__ = ["HARD", "children", "classes_of", "table_of"]


@cache
def table_of(records: int, domain: int = 256) -> Microdata:
    """Records spread evenly, three sensitive values."""
    rows = [((i * 37) % domain, (i * 101) % domain, (i * 151) % domain, "abc"[i % 3]) for i in range(records)]
    return Microdata.from_frame(pd.DataFrame(rows, columns=list("xyzs")), quasi_identifiers=list("xyz"), sensitive="s")


@cache
def classes_of(classes: int, values: int, most: int) -> ClassCounts:
    """Classes of counts at random, all different."""
    draw = random.Random(7)
    rows = {g: {v: draw.randint(0, most) for v in range(values)} for g in range(classes)}
    return ClassCounts.from_mapping(rows)


def _binary(name: str) -> Hierarchy:
    return Hierarchy.intervals(range(256), [2, 4, 8, 16, 32, 64, 128], name=name)


K_AND_T = KAnonymity(3) & TCloseness("1/5", ground="equal")

EQUAL = TCloseness(0, ground="ordered")
"""No class but such as is exactly as the whole is; which sizes may be, is tried one by one."""

CLOSE = TCloseness("1/50", ground="ordered")

HARD: dict[str, Callable[..., Any]] = {
    "column generation": lambda **given: optimal_partition(table_of(200), K_AND_T, **given),
    "assignment": lambda **given: optimal_partition(table_of(36), K_AND_T, formulation="assignment", **given),
    "assignment by CBC": lambda **given: optimal_partition(
        table_of(30), K_AND_T, formulation="assignment", engine="CBC", **given
    ),
    "cut": lambda **given: optimal_cut(
        table_of(250), KAnonymity(3), "dm", hierarchies={name: _binary(name) for name in "xyz"}, **given
    ),
    "suppression": lambda **given: optimal_suppression(classes_of(20, 12, 10**6), EQUAL, **given),
    "hiding": lambda **given: optimal_hiding(classes_of(20, 12, 10**6), EQUAL, **given),
    "suppression by HiGHS": lambda **given: optimal_suppression(
        classes_of(300, 12, 40), CLOSE, engine="HiGHS", **given
    ),
    "hiding by HiGHS": lambda **given: optimal_hiding(classes_of(300, 12, 40), CLOSE, engine="HiGHS", **given),
    "sensitive generalization": lambda **given: optimal_sensitive_generalization(
        classes_of(300, 12, 30).with_reference([5, 4, 3, 2, 1, 2, 3, 4, 5, 4, 3, 2]),
        CLOSE,
        Hierarchy.intervals(range(12), [2, 4, 8], name="s"),
        **given,
    ),
    "microaggregation": lambda **given: optimal_microaggregation(
        [(i * i * 7919) % 1_000_003 for i in range(30_000)], 300, **given
    ),
}
"""By name, what to solve; the limits are given."""


def children(of: int | None = None) -> list[int]:
    """The processes that a process (this one by default) has started and that have not ended; where there is /proc."""
    parent, found = os.getpid() if of is None else of, []
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            words = stat.read_text().rpartition(")")[2].split()
        except OSError:
            continue
        if int(words[1]) == parent and words[0] != "Z":
            found.append(int(stat.parent.name))
    return found
