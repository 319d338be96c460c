"""The partition of a table as an assignment program: how many records of each kind go into each slot.

A slot is a class that may be opened: slot (i, j) is the j-th class whose first kind is i, so no permutation of the
classes and no exchange of equal records is another solution. x_is counts records, u_s says whether the slot is open.

- Σ_s x_is = (records of kind i); x_is ≤ (records of kind i)·u_s; x_is ≥ u_s for the slot's first kind i, and no lesser
  kind is in it; slots of one first kind are opened in order, with no more of it in each than in the one before.
- the model's rows for each slot (`tcloseness.optimal.requirements`).
- DM: q_s ≥ (2a + 1)·n_s − a·(a + 1) for a = 0, 1, …, which touch n² at whole n. C_AVG: −Σ u_s.
- losses of cells: the penalty e_sA of attribute A is at least that of each pair of present values, which is exact for
  intervals and lowest common ancestors, or counts the present values (sets). The records' cost W_is = x_is·Σ_A e_sA is
  W_is ≥ a·(e_s − E·(1 − y_isa)) with y_isa = [x_is ≥ a] and E the greatest e_s; and W_is ≥ x_is·(penalty of the pair of
  i and the slot's first kind), which needs no large constant and makes the relaxation worth something.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from tcloseness.anonymize import PartitionCost
from tcloseness.anonymize.costs import AverageSize, Cells, Discerned
from tcloseness.optimal.class_costs import CellPenalties, penalties_of
from tcloseness.optimal.kinds import Group, Kinds
from tcloseness.optimal.program import Program, Terms, plus, times
from tcloseness.optimal.requirements import ClassVariables, require
from tcloseness.optimal.set_partitioning import greatest_needed, least_needed

__all__ = ["Assignment"]


@dataclass(frozen=True)
class _Slot:
    first: int
    opened: int
    counts: dict[int, int]  # kind → variable

    @property
    def size(self) -> dict[int, int]:
        return dict.fromkeys(self.counts.values(), 1)


@dataclass(frozen=True)
class Assignment:
    """The program, and what its variables mean.

    Attributes
    ----------
    program
        The program.
    slots
        For each slot the variable of each kind.
    """

    program: Program
    slots: tuple[dict[int, int], ...]

    def read(self, values: dict[int, int]) -> list[Group]:
        """Return the classes of a solution."""
        groups = [{kind: values[x] for kind, x in slot.items() if values[x]} for slot in self.slots]
        return [group for group in groups if group]

    @classmethod
    def of(cls, kinds: Kinds, model: Any, cost: PartitionCost) -> Assignment:
        """Formulate.

        Raises
        ------
        InputError
            For a model that is not linear, or an attribute of unknown kind.
        LimitReached
            If coefficients are too large for doubles.
        """
        program = Program()
        slots = _slots(program, kinds, kinds.records // least_needed(model))
        most = greatest_needed(model, kinds.records)
        for slot in slots:
            if most < kinds.records:
                program.at_most(slot.size, most)
            _require(program, kinds, model, slot)
            if isinstance(cost, Discerned):
                _squared(program, slot, most)
            elif isinstance(cost, Cells):
                _cells(program, kinds, penalties_of(cost), slot, most)
        if isinstance(cost, AverageSize):
            for slot in slots:
                program.price(slot.opened, -1)
        return cls(program, tuple(slot.counts for slot in slots))


def _slots(program: Program, kinds: Kinds, most_classes: int) -> list[_Slot]:
    slots: list[_Slot] = []
    for first, copies in enumerate(kinds.counts):
        before: _Slot | None = None
        for _ in range(min(copies, most_classes)):
            opened = program.add(0, 1)
            counts = {kind: program.add(0, kinds.counts[kind]) for kind in range(first, len(kinds))}
            slot = _Slot(first, opened, counts)
            program.at_least({counts[first]: 1, opened: -1})
            for kind, x in counts.items():
                program.at_most({x: 1, opened: -kinds.counts[kind]})
            if before:
                program.at_most({opened: 1, before.opened: -1})
                program.at_most({counts[first]: 1, before.counts[first]: -1})
            slots.append(slot)
            before = slot
    for kind, copies in enumerate(kinds.counts):
        program.equal({slot.counts[kind]: 1 for slot in slots if kind in slot.counts}, copies)
    program.at_most({slot.opened: 1 for slot in slots}, most_classes)
    return slots


def _require(program: Program, kinds: Kinds, model: Any, slot: _Slot) -> None:
    counts: dict[int, Terms] = {}
    most: dict[int, int] = {}
    for kind, x in slot.counts.items():
        value = kinds.values[kind]
        counts[value] = plus(counts.get(value, {}), {x: 1})
        most[value] = most.get(value, 0) + kinds.counts[kind]
    require(program, model, ClassVariables(counts, most, {slot.opened: 1}), kinds.setting)


def _squared(program: Program, slot: _Slot, most: int) -> None:
    q = program.add(0, most * most, cost=1, whole=False)
    for a in range(most):
        program.at_most(plus(times(2 * a + 1, slot.size), {q: -1}), a * (a + 1))


def _cells(program: Program, kinds: Kinds, penalties: CellPenalties, slot: _Slot, most: int) -> None:
    levels = {kind: _levels(program, x, kinds.counts[kind]) for kind, x in slot.counts.items()}
    total: dict[int, int] = {}
    greatest = 0
    for place in range(len(penalties.attributes)):
        present: dict[int, int] = {}  # code → variable that is 1 if a record of the slot has it
        for kind, steps in levels.items():
            code = int(kinds.codes[kind, place])
            if code not in present:
                present[code] = program.add(0, 1, whole=False)
            program.at_most({steps[0]: 1, present[code]: -1})
        mine = int(kinds.codes[slot.first, place])
        top = penalties.one(place, list(present))
        e = program.add(0, top, whole=False)
        if penalties.counts_values(place):
            _count_values(program, penalties, place, slot, present, mine, e)
        else:
            _greatest_pair(program, penalties, place, slot, present, mine, e)
        total[e] = 1
        greatest += top
    for kind, x in slot.counts.items():
        copies = kinds.counts[kind]
        cost = program.add(0, copies * greatest, cost=1, whole=False)
        pair = sum(
            penalties.one(a, [int(kinds.codes[kind, a]), int(kinds.codes[slot.first, a])])
            for a in range(len(penalties.attributes))
        )
        program.at_most({x: pair, cost: -1})
        for a, y in enumerate(levels[kind], start=1):
            program.at_most(plus(times(a, total), {cost: -1, y: a * greatest}), a * greatest)


def _levels(program: Program, x: int, copies: int) -> list[int]:
    """Return binaries y_a = [x ≥ a]; for a single record that is x itself."""
    if copies == 1:
        return [x]
    steps = [program.add(0, 1) for _ in range(copies)]
    program.equal({x: -1, **dict.fromkeys(steps, 1)}, 0)
    for low, high in zip(steps, steps[1:], strict=False):
        program.at_most({high: 1, low: -1})
    return steps


def _greatest_pair(
    program: Program, penalties: CellPenalties, place: int, slot: _Slot, present: dict[int, int], mine: int, e: int
) -> None:
    codes = sorted(present)
    for i, a in enumerate(codes):
        if a != mine:
            program.at_most({present[a]: penalties.one(place, [mine, a]), e: -1})
        for b in codes[i + 1 :]:
            if mine not in (a, b):
                pair = penalties.one(place, [a, b])
                program.at_most({present[a]: pair, present[b]: pair, slot.opened: -pair, e: -1})


def _count_values(
    program: Program, penalties: CellPenalties, place: int, slot: _Slot, present: dict[int, int], mine: int, e: int
) -> None:
    """e ≥ values − 1 (LM), or e ≥ values if there are two, else 0 (NCP); the slot's own value is always present."""
    unit = penalties.unit(place)
    others = {q: unit for code, q in present.items() if code != mine}
    extra: dict[int, int] = {}
    if penalties.penalty == "ncp" and others:
        several = program.add(0, 1, whole=False)
        for q in others:
            program.at_most({q: 1, several: -1})
        extra = {several: unit}
    program.at_most(plus(others, extra, {e: -1}))
