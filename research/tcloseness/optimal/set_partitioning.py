"""The partition of a table as a set-partitioning program: one variable for each class that could be.

minimize Σ_C cost(C)·z_C subject to Σ_C (records of kind i in C)·z_C = (records of kind i), z_C whole; where records may
be suppressed, v_i ≥ 0 of kind i make up for what is missing, Σ v_i ≤ (most that may be suppressed). The candidates C
are all groups of records that satisfy the model, as the model itself decides; so it need not be linear, only judge each
class by itself. With k-anonymity alone, groups of k … 2k − 1 records suffice, for a loss that never grows when a class
is split; with ℓ-diversity or t-closeness they do not.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from tcloseness.errors import LimitReached
from tcloseness.exact import IntArray
from tcloseness.limits import Clock
from tcloseness.models import PrivacyModel
from tcloseness.models.conditions import asks_of_values, least_records
from tcloseness.optimal.class_costs import ClassCosts
from tcloseness.optimal.kinds import Group, KindCounts
from tcloseness.optimal.program import Program, Terms

__all__ = [
    "MOST_CANDIDATES",
    "SetPartitioning",
    "candidates",
    "greatest_needed",
    "number_of_groups",
    "satisfying",
    "trivial_bound",
    "use_all",
]

MOST_CANDIDATES = 20_000
"""How many groups are tried before a table counts as too large."""

_WRITTEN = "the program over the classes is written"
"""What is done, for messages."""

_JUDGED = 2_000
"""How many groups a model judges at a time, so that memory stays small and a limit is noticed."""


@dataclass(frozen=True)
class SetPartitioning:
    """The program, and what its variables mean.

    Attributes
    ----------
    program
        The program.
    groups
        The class that each of the first variables stands for, shape (groups, kinds): its records of each kind.
    """

    program: Program
    groups: IntArray

    def read(self, values: Mapping[int, int]) -> list[Group]:
        """Return the classes of a solution."""
        taken = [z for z in range(len(self.groups)) for _ in range(values[z])]
        return [{int(kind): int(self.groups[z, kind]) for kind in np.flatnonzero(self.groups[z])} for z in taken]

    @classmethod
    def of(
        cls, kinds: KindCounts, model: PrivacyModel, costs: ClassCosts, suppressed: int, clock: Clock
    ) -> SetPartitioning:
        """Formulate with all classes that there can be, and at most so many suppressed records.

        Raises
        ------
        LimitReached
            If there are more than `MOST_CANDIDATES` groups, costs too large for doubles, or a limit is reached.
        """
        return cls.over(candidates(kinds, model, clock), kinds, costs, suppressed, clock=clock)

    @classmethod
    def over(
        cls,
        groups: IntArray,
        kinds: KindCounts,
        costs: ClassCosts,
        suppressed: int,
        *,
        clock: Clock,
        missing: int | None = None,
    ) -> SetPartitioning:
        """Formulate with the given classes only; a record may be missing at a cost, if one is given.

        Raises
        ------
        LimitReached
            If costs are too large for doubles, or a limit is reached.
        """
        clock.check(_WRITTEN)
        program = Program(clock)
        owner, held = np.nonzero(groups)
        records = groups[owner, held]
        starts = np.searchsorted(owner, np.arange(len(groups)))
        most = np.minimum.reduceat(np.array(kinds.counts)[held] // records, starts)
        prices = costs.of_groups(kinds, groups).tolist()
        clock.check(_WRITTEN)
        for price, often in zip(prices, most.tolist(), strict=True):
            program.add(0, often, cost=price)
        holding: list[dict[int, int]] = [{} for _ in kinds.counts]
        entries = zip(owner.tolist(), held.tolist(), records.tolist(), strict=True)
        for z, kind, count in clock.through(entries, _WRITTEN):
            holding[kind][z] = count
        if missing is not None:
            for kind, count in enumerate(kinds.counts):
                holding[kind][program.add(0, count, cost=missing)] = 1
        use_all(program, kinds, holding, costs, suppressed)
        return cls(program, groups)


def use_all(program: Program, kinds: KindCounts, kept: Sequence[Terms], costs: ClassCosts, suppressed: int) -> None:
    """Add that every record is kept, an expression for each kind, or suppressed: at most so many, at their cost."""
    gone: dict[int, int] = {}
    for kind, count in enumerate(kinds.counts):
        left: dict[int, int] = {}
        if suppressed:
            left = {program.add(0, min(count, suppressed), cost=costs.suppressed): 1}
            gone |= left
        program.equal({**kept[kind], **left}, count)
    if suppressed:
        program.at_most(gone, suppressed)


def greatest_needed(model: PrivacyModel, records: int) -> int:
    """Return a size past which no class is needed: 2k − 1 with k-anonymity alone, else all records."""
    return records if asks_of_values(model) else min(records, 2 * least_records(model) - 1)


def trivial_bound(kinds: KindCounts, model: PrivacyModel, costs: ClassCosts) -> int:
    """Return a whole cost that no partition is below."""
    return costs.least(kinds.records // least_records(model))


def candidates(kinds: KindCounts, model: PrivacyModel, clock: Clock) -> IntArray:
    """Return every group of records that satisfies a model and does not fall into two that do, shape (groups, kinds).

    Raises
    ------
    LimitReached
        If there are more than `MOST_CANDIDATES` groups to try, or a limit is reached.
    """
    least, most = least_records(model), greatest_needed(model, kinds.records)
    if number_of_groups(kinds.counts, model, MOST_CANDIDATES) > MOST_CANDIDATES:
        raise LimitReached(
            f"more than {MOST_CANDIDATES} groups of records could be classes, and no more are tried; take another "
            "formulation, or a smaller table"
        )
    found = [group for group in _groups(kinds.counts, most) if sum(group) >= least]
    groups = np.array(found, dtype=np.int64).reshape(len(found), len(kinds))
    return _indivisible(groups[satisfying(kinds, model, groups, clock)], kinds.counts, clock)


def satisfying(kinds: KindCounts, model: PrivacyModel, groups: IntArray, clock: Clock) -> IntArray:
    """Say of each group, shape (groups, kinds), whether it satisfies a model, by the model itself.

    Raises
    ------
    LimitReached
        If a limit is reached.
    """
    good = np.ones(len(groups), dtype=bool)
    for at in range(0, len(groups), _JUDGED):
        clock.check("groups of records are judged")
        here = groups[at : at + _JUDGED]
        good[at + np.asarray(model.evaluate(kinds.class_counts(here)).violating, dtype=np.int64)] = False
    return good


def _indivisible(groups: IntArray, counts: Sequence[int], clock: Clock) -> IntArray:
    """Leave out each group that is the union of two others."""
    groups = groups[np.argsort(groups.sum(axis=1), kind="stable")]
    sizes = groups.sum(axis=1)
    place = np.cumprod([1, *(count + 1 for count in counts[:-1])], dtype=np.int64)  # each group as one whole number
    names = groups @ place
    known = np.sort(names)
    small = groups.astype(np.min_scalar_type(max(counts)))
    left = []
    for g in range(len(groups)):
        clock.check("groups of records that fall into two are left out")
        halves = int(np.searchsorted(sizes, sizes[g] // 2, side="right"))
        rest = names[g] - names[:halves][(small[:halves] <= small[g]).all(axis=1)]
        if not len(rest) or not (known[np.minimum(np.searchsorted(known, rest), len(known) - 1)] == rest).any():
            left.append(g)
    return groups[left]


def number_of_groups(counts: Sequence[int], model: PrivacyModel, enough: int) -> int:
    """Return how many groups have a size that a class may need, given the records of each kind; or more than `enough`.

    More kinds make more groups, so it stops where there are more than enough.
    """
    least, most = least_records(model), greatest_needed(model, sum(counts))
    ways, known = [1], 0  # of each size up to the most, so far
    for count in counts:
        ways = [sum(ways[max(0, size - count) : size + 1]) for size in range(min(len(ways) - 1 + count, most) + 1)]
        known = sum(ways[least:])
        if known > enough:
            break
    return known


def _groups(counts: Sequence[int], most: int) -> Iterator[tuple[int, ...]]:
    if not counts:
        yield ()
        return
    for rest in _groups(counts[1:], most):
        for count in range(min(counts[0], most - sum(rest)) + 1):
            yield (count, *rest)
