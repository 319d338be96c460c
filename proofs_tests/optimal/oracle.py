"""The least loss of a partition by trying every class, written without a line of the package.

Quasi-identifiers are numbers, texts without a hierarchy, or texts of one letter a level (``abc`` below ``ab*`` below
``a**`` below ``***``); every loss is a sum over classes, so the least over all partitions of a set of records is found
set by set. Numbers are `Fraction`.
"""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import pandas as pd

from tcloseness.microdata import Hierarchy, Microdata

__all__ = ["MODELS", "Instance", "least_total", "random_instance"]

Row = tuple[Any, ...]


@dataclass(frozen=True)
class Instance:
    """Records, their kinds of quasi-identifiers, and the same as a table of the package."""

    rows: tuple[Row, ...]
    kinds: str  # n: number, c: category, h: hierarchy; the last value of a row is sensitive

    @property
    def names(self) -> list[str]:
        return [f"{kind}{place}" for place, kind in enumerate(self.kinds)]

    @property
    def table(self) -> Microdata:
        frame = pd.DataFrame(self.rows, columns=[*self.names, "s"])
        return Microdata.from_frame(frame, quasi_identifiers=self.names, sensitive="s")

    @property
    def hierarchies(self) -> dict[str, Hierarchy]:
        leaves = [a + b for a in "ab" for b in "abc"]
        paths = [(leaf, leaf[0] + "*", "**") for leaf in leaves]
        return {name: Hierarchy(paths) for name in self.names if name[0] == "h"}

    def penalty(self, loss: str, place: int, members: Sequence[int]) -> Fraction:
        """What one record of a class pays for one attribute."""
        every = [row[place] for row in self.rows]
        mine = {every[i] for i in members}
        if loss == "height":
            if self.kinds[place] != "h":
                return Fraction(len(mine) > 1)
            return Fraction(2 if len({v[0] for v in mine}) > 1 else int(len(mine) > 1))
        if self.kinds[place] == "n":
            extent = max(every) - min(every)
            return Fraction(max(mine) - min(mine), extent) if extent else Fraction(0)
        leaves = len(mine) if self.kinds[place] == "c" else 1 if len(mine) == 1 else 3 if _one_letter(mine) else 6
        all_leaves = len(set(every)) if self.kinds[place] == "c" else 6
        if loss == "lm":
            return Fraction(leaves - 1, all_leaves - 1) if all_leaves > 1 else Fraction(0)
        return Fraction(leaves if leaves > 1 else 0, all_leaves)

    def class_total(self, loss: str, members: Sequence[int]) -> Fraction:
        """What a class costs: Σ of its records' cells, n² (DM), or −1 (C_AVG)."""
        if loss == "dm":
            return Fraction(len(members) ** 2)
        if loss == "c-avg":
            return Fraction(-1)
        return len(members) * sum((self.penalty(loss, place, members) for place in range(len(self.kinds))), Fraction(0))

    def suppressed_total(self, loss: str) -> Fraction:
        """What a suppressed record costs."""
        if loss == "dm":
            return Fraction(len(self.rows))
        return Fraction(sum(2 if loss == "height" and kind == "h" else 1 for kind in self.kinds))

    def loss_of(self, loss: str, total: Fraction, k: int) -> Fraction:
        """The loss that a total stands for."""
        n, attributes = len(self.rows), len(self.kinds)
        if loss == "c-avg":
            return Fraction(n) / -total / k
        return total / {"ncp": 1, "dm": 1, "gcp": n * attributes, "lm": n * attributes, "height": n}[loss]


def _one_letter(values: set[str]) -> bool:
    return len({value[0] for value in values}) == 1


def least_total(
    instance: Instance, loss: str, good: Callable[[Counter[int], Counter[int]], bool], suppressed: int = 0
) -> Fraction | None:
    """The least total of all partitions into good classes, with at most so many records suppressed; None if none is."""
    n = len(instance.rows)
    sensitive = [row[-1] for row in instance.rows]
    q = Counter(sensitive)
    members = [[i for i in range(n) if mask >> i & 1] for mask in range(1 << n)]
    total = [
        instance.class_total(loss, group) if group and good(Counter(sensitive[i] for i in group), q) else None
        for group in members
    ]
    best: list[Fraction | None] = [Fraction(0)] + [None] * ((1 << n) - 1)
    for mask in range(1, 1 << n):
        first, rest = mask & -mask, mask & (mask - 1)
        part = rest
        while True:  # every class that holds the first record
            mine, others = total[first | part], best[rest ^ part]
            if mine is not None and others is not None:
                here, known = mine + others, best[mask]
                if known is None or here < known:
                    best[mask] = here
            if not part:
                break
            part = part - 1 & rest
    each, found = instance.suppressed_total(loss), None
    for mask, value in enumerate(best):
        gone = n - len(members[mask])
        if mask and value is not None and gone <= suppressed:
            here = value + gone * each
            found = here if found is None else min(found, here)
    return found


# ---------------------------------------------------------------------- models, each by its definition


def _ordered_distance(p: Counter[int], q: Counter[int]) -> Fraction:
    """(1/(m − 1))·Σ_i |Σ_{j ≤ i} (p_j − q_j)| over the values in their order (Li et al. 2007, §5.2)."""
    values, so_far, work = sorted(q), Fraction(0), Fraction(0)
    for value in values:
        so_far += Fraction(p[value], p.total()) - Fraction(q[value], q.total())
        work += abs(so_far)
    return work / (len(values) - 1) if len(values) > 1 else Fraction(0)


def _equal_distance(p: Counter[int], q: Counter[int]) -> Fraction:
    return sum((abs(Fraction(p[v], p.total()) - Fraction(q[v], q.total())) for v in q), Fraction(0)) / 2


def _recursive(p: Counter[int], c: Fraction, l: int) -> bool:  # noqa: E741
    counts = sorted(p.values(), reverse=True)
    return counts[0] < c * sum(counts[l - 1 :])


def MODELS() -> list[tuple[Any, int, Callable[[Counter[int], Counter[int]], bool]]]:  # noqa: N802
    """Models of the package, the k in each, and their definitions."""
    from tcloseness.models import (
        AlphaKAnonymity,
        DistinctLDiversity,
        FrequencyLDiversity,
        KAnonymity,
        RecursiveCLDiversity,
        TCloseness,
    )

    half, third = Fraction(1, 2), Fraction(1, 3)
    return [
        (KAnonymity(2), 2, lambda p, _: p.total() >= 2),
        (KAnonymity(3), 3, lambda p, _: p.total() >= 3),
        (DistinctLDiversity(2), 1, lambda p, _: len(p) >= 2),
        (KAnonymity(3) & DistinctLDiversity(2), 3, lambda p, _: p.total() >= 3 and len(p) >= 2),
        (FrequencyLDiversity(2), 1, lambda p, _: 2 * max(p.values()) <= p.total()),
        (AlphaKAnonymity("2/3", 2), 2, lambda p, _: p.total() >= 2 and 3 * max(p.values()) <= 2 * p.total()),
        (RecursiveCLDiversity(2, c=2), 1, lambda p, _: _recursive(p, Fraction(2), 2)),
        (
            DistinctLDiversity(2) & FrequencyLDiversity(2),
            1,
            lambda p, _: len(p) >= 2 and 2 * max(p.values()) <= p.total(),
        ),
        (TCloseness("1/3", ground="ordered"), 1, lambda p, q: _ordered_distance(p, q) <= third),
        (
            KAnonymity(2) & TCloseness("1/2", ground="equal"),
            2,
            lambda p, q: p.total() >= 2 and _equal_distance(p, q) <= half,
        ),
    ]


def random_instance(draw: random.Random, most: int = 8) -> Instance:
    """Few records with ties, equal records, clusters, and now and then an outlier in every number."""
    kinds = "".join(draw.choice("nnch") for _ in range(draw.choice([1, 2, 2, 3])))
    n, values = draw.randint(2, most), draw.choice([(1, 2), (1, 2, 3), (1, 1, 1, 2), (1, 2, 4, 8)])
    centres = [0, draw.choice([1, 3, 10])]

    def value(kind: str) -> Any:
        if kind == "n":
            return draw.choice(centres) + draw.randint(0, 2)
        return draw.choice("uvw") if kind == "c" else draw.choice("ab") + draw.choice("abc")

    rows: list[Row] = []
    while len(rows) < n:
        row = (*(value(kind) for kind in kinds), draw.choice(values))
        rows += [row] * draw.choice([1, 1, 1, 2, 3])
    rows = rows[:n]
    if draw.random() < 0.5:
        last = rows[-1]
        rows[-1] = (
            *(draw.choice([40, 100]) if kind == "n" else x for kind, x in zip(kinds, last, strict=False)),
            last[-1],
        )
    draw.shuffle(rows)
    return Instance(tuple(rows), kinds)
