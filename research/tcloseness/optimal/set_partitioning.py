"""The partition of a table as a set-partitioning program: one variable for each class that could be.

minimize Σ_C cost(C)·z_C subject to Σ_C (records of kind i in C)·z_C = (records of kind i), z_C whole. The candidates C
are all groups of records that satisfy the model, as the model itself decides; so it need not be linear, only judge each
class by itself. With k-anonymity alone, groups of k … 2k − 1 records suffice, for a loss that never grows when a class
is split; with ℓ-diversity or t-closeness they do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from tcloseness.anonymize import PartitionCost
from tcloseness.errors import LimitReached
from tcloseness.lattice.decide import parts_of
from tcloseness.microdata import ClassCounts
from tcloseness.models import KAnonymity, PrivacyModel
from tcloseness.optimal.class_costs import scaled_classes
from tcloseness.optimal.kinds import Group, Kinds
from tcloseness.optimal.program import Program

__all__ = ["MOST_CANDIDATES", "SetPartitioning", "candidates", "greatest_needed", "least_needed"]

MOST_CANDIDATES = 20_000
"""How many groups are tried before a table counts as too large."""


@dataclass(frozen=True)
class SetPartitioning:
    """The program, and what its variables mean.

    Attributes
    ----------
    program
        The program.
    groups
        The class that each variable stands for.
    """

    program: Program
    groups: tuple[Group, ...]

    def read(self, values: dict[int, int]) -> list[Group]:
        """Return the classes of a solution."""
        return [group for z, group in enumerate(self.groups) for _ in range(values[z])]

    @classmethod
    def of(cls, kinds: Kinds, model: Any, cost: PartitionCost) -> SetPartitioning:
        """Formulate.

        Raises
        ------
        LimitReached
            If there are more than `MOST_CANDIDATES` groups, or costs too large for doubles.
        """
        groups = candidates(kinds, model)
        program = Program()
        if groups:
            sizes = np.array([sum(group.values()) for group in groups])
            costs = scaled_classes(kinds, cost, [tuple(group) for group in groups], sizes)
            for group, price in zip(groups, costs, strict=True):
                times = min(kinds.counts[kind] // count for kind, count in group.items())
                program.add(0, times, cost=price)
        holding: list[dict[int, int]] = [{} for _ in range(len(kinds))]
        for z, group in enumerate(groups):
            for kind, count in group.items():
                holding[kind][z] = count
        for kind, count in enumerate(kinds.counts):
            program.equal(holding[kind], count)
        return cls(program, tuple(groups))


def greatest_needed(model: Any, records: int) -> int:
    """Return a size past which no class is needed: 2k − 1 with k-anonymity alone, else all records."""
    parts = parts_of(model)
    if all(type(part) is KAnonymity for part in parts):
        return min(records, 2 * least_needed(model) - 1)
    return records


def least_needed(model: Any) -> int:
    """Return the k that a model asks for, at least 1."""
    return max(int(getattr(part, "k", None) or 1) for part in parts_of(model))


def candidates(kinds: Kinds, model: PrivacyModel) -> list[Group]:
    """Return every group of records that satisfies a model and does not fall into two that do.

    Raises
    ------
    LimitReached
        If there are more than `MOST_CANDIDATES` groups to try.
    """
    least, most = least_needed(model), greatest_needed(model, kinds.records)
    number = _number(kinds.counts, least, most)
    if number > MOST_CANDIDATES:
        raise LimitReached(
            f"{number} groups of records could be classes, and at most {MOST_CANDIDATES} are tried; "
            "take formulation='assignment', or a smaller table"
        )
    groups = [group for group in _groups(kinds.counts, most) if sum(group.values()) >= least]
    if not groups:
        return []
    cells: list[dict[int, int]] = []
    for group in groups:
        row: dict[int, int] = {}
        for kind, count in group.items():
            row[kinds.values[kind]] = row.get(kinds.values[kind], 0) + count
        cells.append(row)
    starts = np.cumsum([0, *(len(row) for row in cells)])
    classes = ClassCounts.from_cells(
        kinds.setting.domain,
        starts,
        [v for row in cells for v in sorted(row)],
        [row[v] for row in cells for v in sorted(row)],
        reference=np.array(kinds.setting.reference, dtype=np.int64),
    )
    violating = set(model.evaluate(classes).violating.tolist())
    return _indivisible([group for g, group in enumerate(groups) if g not in violating], kinds.counts)


def _indivisible(groups: list[dict[int, int]], counts: Sequence[int]) -> list[Group]:
    """Leave out each group that is the union of two others."""
    vectors = np.zeros((len(groups), len(counts)), dtype=np.int64)
    for g, group in enumerate(groups):
        vectors[g, list(group)] = list(group.values())
    vectors = vectors[np.argsort(vectors.sum(axis=1), kind="stable")]
    sizes = vectors.sum(axis=1)
    place = np.cumprod([1, *(count + 1 for count in counts[:-1])], dtype=np.int64)  # each group as one whole number
    names = vectors @ place
    known = np.sort(names)
    small = vectors.astype(np.min_scalar_type(max(counts)))
    left: list[Mapping[int, int]] = []
    for g in range(len(vectors)):
        halves = int(np.searchsorted(sizes, sizes[g] // 2, side="right"))
        rest = names[g] - names[:halves][(small[:halves] <= small[g]).all(axis=1)]
        if not len(rest) or not (known[np.minimum(np.searchsorted(known, rest), len(known) - 1)] == rest).any():
            left.append({int(kind): int(vectors[g, kind]) for kind in np.flatnonzero(vectors[g])})
    return left


def _number(counts: Sequence[int], least: int, most: int) -> int:
    """Return how many groups of `least` to `most` records there are."""
    ways = [1] + [0] * most
    for count in counts:
        ways = [sum(ways[max(0, size - count) : size + 1]) for size in range(most + 1)]
    return sum(ways[least:])


def _groups(counts: Sequence[int], most: int, kind: int = 0) -> Iterator[dict[int, int]]:
    if kind == len(counts):
        yield {}
        return
    for rest in _groups(counts, most, kind + 1):
        taken = sum(rest.values())
        for count in range(min(counts[kind], most - taken) + 1):
            yield {kind: count, **rest} if count else rest
