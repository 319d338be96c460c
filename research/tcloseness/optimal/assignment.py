"""The partition of a table as an assignment program: how many records of each kind go into each class that may be open.

Open class (i, j) is the j-th class whose first kind is i, so no permutation of the classes and no exchange of equal
records is another solution. With x_is records of kind i in class s, and v_i suppressed: Σ_s x_is + v_i = (records of
kind i), Σ v_i ≤ (most that may be suppressed); no kind less than its first is in a class; classes of one first kind are
opened in order, with no more of it in each than in the one before. What a class must satisfy and costs:

- the model's rows (`tcloseness.optimal.linear_constraints`); at most 2k − 1 records where no class needs more.
- losses of class sizes, each + c(n): each·u, where u says if it is open, and q ≥ c(a) + (c(a + 1) − c(a))·(n − a) for
  a = 0, 1, …, which touch a convex c at whole n, such as n² for DM. C_AVG is −u.
- losses of cells: the penalty e_A of attribute A is at least that of each pair of present values, which is exact for
  intervals and lowest common ancestors, or counts the present values (sets). The records' cost W_i = x_i·Σ_A e_A is
  W_i ≥ a·(e − E·(1 − y_ia)) with y_ia = [x_i ≥ a] and E the greatest e; and W_i ≥ x_i·(penalty of the pair of i and
  the class's first kind), which needs no large constant and makes the relaxation worth something.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import pairwise

from tcloseness.limits import Clock
from tcloseness.loss import CellCost
from tcloseness.models import PrivacyModel
from tcloseness.models.conditions import least_records
from tcloseness.optimal.class_costs import ClassCosts
from tcloseness.optimal.kinds import Group, KindCounts
from tcloseness.optimal.linear_constraints import ClassVariables, require
from tcloseness.optimal.program import Program, Terms, plus, times
from tcloseness.optimal.set_partitioning import greatest_needed, use_all

__all__ = ["Assignment", "OpenClass", "fill"]


@dataclass(frozen=True)
class Assignment:
    """The program, and what its variables mean.

    Attributes
    ----------
    program
        The program.
    classes
        The classes that may be opened.
    """

    program: Program
    classes: tuple[OpenClass, ...]

    def read(self, values: dict[int, int]) -> list[Group]:
        """Return the classes of a solution."""
        groups = [
            {kind: values[x] for kind, x in open_class.counts.items() if values[x]} for open_class in self.classes
        ]
        return [group for group in groups if group]

    @classmethod
    def of(cls, kinds: KindCounts, model: PrivacyModel, costs: ClassCosts, suppressed: int, clock: Clock) -> Assignment:
        """Formulate, with at most so many suppressed records.

        Raises
        ------
        InputError
            For a model that is not linear, or an attribute of unknown kind.
        LimitReached
            If coefficients are too large for doubles, or a limit is reached.
        """
        program = Program(clock)
        classes = _open_classes(program, kinds, kinds.records // least_records(model))
        kept = [
            {open_class.counts[kind]: 1 for open_class in classes if kind in open_class.counts}
            for kind in range(len(kinds))
        ]
        use_all(program, kinds, kept, costs, suppressed)
        for open_class in classes:
            fill(program, kinds, open_class, model, costs)
        return cls(program, tuple(classes))


def _open_classes(program: Program, kinds: KindCounts, most_classes: int) -> list[OpenClass]:
    classes: list[OpenClass] = []
    for first, copies in enumerate(kinds.counts):
        before: OpenClass | None = None
        for _ in range(min(copies, most_classes)):
            open_class = OpenClass.of(program, kinds, first, range(first + 1, len(kinds)))
            if before:
                program.at_most({open_class.opened: 1, before.opened: -1})
                program.at_most({open_class.counts[first]: 1, before.counts[first]: -1})
            classes.append(open_class)
            before = open_class
    program.at_most({open_class.opened: 1 for open_class in classes}, most_classes)
    return classes


@dataclass(frozen=True)
class OpenClass:
    """A class that may be opened.

    Attributes
    ----------
    first
        A kind that it has if it is opened.
    opened
        The binary that says so.
    counts
        For each kind that it may have, the variable of how many records.
    """

    first: int
    opened: int
    counts: dict[int, int]

    @property
    def size(self) -> dict[int, int]:
        """n."""
        return dict.fromkeys(self.counts.values(), 1)

    @classmethod
    def of(cls, program: Program, kinds: KindCounts, first: int, others: Iterable[int]) -> OpenClass:
        """Add the variables, and that a closed class has no records and an opened one has its first kind."""
        opened = program.add(0, 1)
        counts = {kind: program.add(0, kinds.counts[kind]) for kind in (first, *others)}
        program.at_least({counts[first]: 1, opened: -1})
        for kind, x in counts.items():
            program.at_most({x: 1, opened: -kinds.counts[kind]})
        return cls(first, opened, counts)


def fill(
    program: Program, kinds: KindCounts, open_class: OpenClass, model: PrivacyModel, costs: ClassCosts, *, unit: int = 1
) -> None:
    """Add what an open class must satisfy, and its cost, each whole unit of it as so many units of the program's.

    Raises
    ------
    InputError
        For a model that is not linear, or an attribute of unknown kind.
    LimitReached
        If coefficients are too large for doubles.
    """
    most = greatest_needed(model, kinds.records)
    if most < kinds.records:
        program.at_most(open_class.size, most)
    _require(program, kinds, model, open_class)
    if isinstance(costs.form, CellCost):
        _cells(program, kinds, costs, open_class, unit)
        return
    if costs.form.each:
        program.price(open_class.opened, costs.form.each * unit)
    if costs.sizes.any():
        _sized(program, open_class, costs.sizes[: most + 1].tolist(), unit)


def _require(program: Program, kinds: KindCounts, model: PrivacyModel, open_class: OpenClass) -> None:
    counts: dict[int, Terms] = {}
    most: dict[int, int] = {}
    for kind, x in open_class.counts.items():
        value = kinds.values[kind]
        counts[value] = plus(counts.get(value, {}), {x: 1})
        most[value] = most.get(value, 0) + kinds.counts[kind]
    require(program, model, ClassVariables(counts, most, {open_class.opened: 1}), kinds.setting)


def _sized(program: Program, open_class: OpenClass, sizes: list[int], unit: int) -> None:
    q = program.add(min(sizes), max(sizes), cost=unit, whole=False)
    for a, (here, after) in enumerate(pairwise(sizes)):
        slope = after - here
        program.at_most(plus(times(slope, open_class.size), {q: -1}), slope * a - here)


def _cells(program: Program, kinds: KindCounts, costs: ClassCosts, open_class: OpenClass, unit: int) -> None:
    levels = {kind: _levels(program, x, kinds.counts[kind]) for kind, x in open_class.counts.items()}
    total: dict[int, int] = {}
    greatest = 0
    for place in range(len(costs.attributes)):
        present: dict[int, int] = {}  # code → variable that is 1 if a record of the class has it
        for kind, steps in levels.items():
            code = int(kinds.codes[kind, place])
            if code not in present:
                present[code] = program.add(0, 1, whole=False)
            program.at_most({steps[0]: 1, present[code]: -1})
        mine = int(kinds.codes[open_class.first, place])
        top = costs.penalty(place, list(present))
        e = program.add(0, top, whole=False)
        by_values = costs.by_values(place)
        if by_values is None:
            _greatest_pair(program, costs, place, open_class, present, mine, e)
        else:
            _count_values(program, by_values, present, mine, e)
        total[e] = 1
        greatest += top
    for kind, x in open_class.counts.items():
        copies = kinds.counts[kind]
        cost = program.add(0, copies * greatest, cost=unit, whole=False)
        pair = sum(
            costs.penalty(a, [int(kinds.codes[kind, a]), int(kinds.codes[open_class.first, a])])
            for a in range(len(costs.attributes))
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
    program: Program,
    costs: ClassCosts,
    place: int,
    open_class: OpenClass,
    present: dict[int, int],
    mine: int,
    e: int,
) -> None:
    codes = sorted(present)
    for i, a in enumerate(codes):
        if a != mine:
            program.at_most({present[a]: costs.penalty(place, [mine, a]), e: -1})
        for b in codes[i + 1 :]:
            if mine not in (a, b):
                pair = costs.penalty(place, [a, b])
                program.at_most({present[a]: pair, present[b]: pair, open_class.opened: -pair, e: -1})


def _count_values(program: Program, by_values: tuple[int, int], present: dict[int, int], mine: int, e: int) -> None:
    """e ≥ so much a value but the first, and so much if there are two; the class's own value is always present."""
    step, besides = by_values
    others = {q: step for code, q in present.items() if code != mine}
    extra: dict[int, int] = {}
    if besides and others:
        several = program.add(0, 1, whole=False)
        for q in others:
            program.at_most({q: 1, several: -1})
        extra = {several: besides}
    program.at_most(plus(others, extra, {e: -1}))
