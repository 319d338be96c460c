"""The partition of a table as an assignment program: how many records of each kind go into each slot.

A slot is a class that may be opened (`tcloseness.optimal.slot`): slot (i, j) is the j-th class whose first kind is i,
so no permutation of the classes and no exchange of equal records is another solution. With x_is records of kind i in
slot s, and v_i suppressed: Σ_s x_is + v_i = (records of kind i), Σ v_i ≤ (most that may be suppressed); no kind less
than its first is in a slot; slots of one first kind are opened in order, with no more of it in each than in the one
before.
"""

from __future__ import annotations

from dataclasses import dataclass

from tcloseness.anonymize import PartitionCost
from tcloseness.limits import Clock
from tcloseness.models import PrivacyModel
from tcloseness.models.conditions import least_records
from tcloseness.optimal.kinds import Group, Kinds
from tcloseness.optimal.program import Program
from tcloseness.optimal.set_partitioning import use_all
from tcloseness.optimal.slot import Slot, fill

__all__ = ["Assignment"]


@dataclass(frozen=True)
class Assignment:
    """The program, and what its variables mean.

    Attributes
    ----------
    program
        The program.
    slots
        The classes that may be opened.
    """

    program: Program
    slots: tuple[Slot, ...]

    def read(self, values: dict[int, int]) -> list[Group]:
        """Return the classes of a solution."""
        groups = [{kind: values[x] for kind, x in slot.counts.items() if values[x]} for slot in self.slots]
        return [group for group in groups if group]

    @classmethod
    def of(cls, kinds: Kinds, model: PrivacyModel, cost: PartitionCost, suppressed: int, clock: Clock) -> Assignment:
        """Formulate, with at most so many suppressed records.

        Raises
        ------
        InputError
            For a model that is not linear, or an attribute of unknown kind.
        LimitReached
            If coefficients are too large for doubles, or a limit is reached.
        """
        program = Program(clock)
        slots = _slots(program, kinds, kinds.records // least_records(model))
        kept = [{slot.counts[kind]: 1 for slot in slots if kind in slot.counts} for kind in range(len(kinds))]
        use_all(program, kinds, kept, cost, suppressed)
        for slot in slots:
            fill(program, kinds, slot, model, cost)
        return cls(program, tuple(slots))


def _slots(program: Program, kinds: Kinds, most_classes: int) -> list[Slot]:
    slots: list[Slot] = []
    for first, copies in enumerate(kinds.counts):
        before: Slot | None = None
        for _ in range(min(copies, most_classes)):
            slot = Slot.of(program, kinds, first, range(first + 1, len(kinds)))
            if before:
                program.at_most({slot.opened: 1, before.opened: -1})
                program.at_most({slot.counts[first]: 1, before.counts[first]: -1})
            slots.append(slot)
            before = slot
    program.at_most({slot.opened: 1 for slot in slots}, most_classes)
    return slots
