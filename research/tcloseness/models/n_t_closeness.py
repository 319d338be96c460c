"""(n,t)-closeness: a class may differ from the table, if it is like a large natural part of it.

Li, Li, Venkatasubramanian, "Closeness: A New Privacy Measure for Data Publishing", TKDE 22(7), 2010.
"""

from __future__ import annotations

import sys
from collections.abc import Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from tcloseness.errors import InputError, TableError
from tcloseness.exact import RATIO_FILTER, Filtered, IntArray, Rationals
from tcloseness.ground import GroundSpec
from tcloseness.measures import BoundMeasure, Measure, Values
from tcloseness.microdata import ClassCounts, FrequencySet, Hierarchy
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.microdata.domain import identity
from tcloseness.microdata.grouping import combined_codes
from tcloseness.models.combination import Combinable
from tcloseness.models.protocol import ModelResult, Monotone, result
from tcloseness.models.t_closeness import INFINITE_DISTANCE, TCloseness
from tcloseness.models.thresholds import Exact, at_least, texts, whole

__all__ = ["NTCloseness", "superset_map"]


@dataclass(frozen=True)
class NTCloseness(Combinable):
    """(n,t)-closeness: each class lies in a natural superset of ≥ n records from which its distance is ≤ t.

    Parameters
    ----------
    n
        The least size of a superset, a whole number ≥ 1.
    t
        The threshold ≥ 0, or None to measure only.
    ground, measure
        As for `TCloseness`.
    supersets
        Partitions into natural supersets, each a coarser generalization: for every class, in the order of the class
        counts, the label of its superset (see `tcloseness.models.superset_map`). The class itself and the whole table
        always count.

    Notes
    -----
    The value of a class is its least distance from a superset of at least n records, infinite if none is that large.
    With n the number of released records it is t-closeness. Not monotone under generalization: two classes that are
    like their own supersets may have a union that is like none; nor under suppression. The model knows the classes
    that its supersets are given for, so after a generalization it is built again.

    References
    ----------
    Li et al. 2010, definition of (n,t)-closeness.

    Examples
    --------
    >>> rows = {"A": {"x": 300, "y": 300}, "B": {"x": 200, "y": 1800}, "C": {"x": 200, "y": 200}}
    >>> classes = ClassCounts.from_mapping(rows)
    >>> NTCloseness(1000, 0, ground="equal", supersets=[["AC", "B", "AC"]]).evaluate(classes).status
    'satisfied'
    """

    n: Exact[int] = Exact(whole)
    t: Exact[Fraction | None] = Exact(at_least, 0, default=None)
    ground: GroundSpec | None = None
    measure: Measure | None = None
    supersets: Sequence[Sequence[Hashable]] = ()
    name = "(n,t)-closeness"
    monotone = Monotone(generalization=False, suppression=False)

    def __post_init__(self) -> None:
        if (self.ground is None) == (self.measure is None):
            raise InputError("(n,t)-closeness needs a ground distance, or a measure in place of the EMD, and not both")
        maps = []
        for labels in self.supersets:
            if isinstance(labels, str) or not isinstance(labels, Sequence | np.ndarray):
                raise InputError(f"a partition into supersets is {labels!r}; give one label for every class")
            maps.append(tuple(labels))
        object.__setattr__(self, "supersets", tuple(maps))

    @property
    def distance(self) -> Measure:
        """The measure in use."""
        return TCloseness(None, self.ground, self.measure).distance

    def evaluate(self, classes: ClassCounts | FullTable) -> ModelResult:
        """Measure for each class its least distance from a large enough superset; the margin is t minus the worst."""
        classes = in_shape(classes, ClassCounts)
        classes.require_records(self.name)
        measure = self.distance
        best = _Least(len(classes))
        bound = measure.over(classes.domain)
        for members, values in self._candidates(classes, bound):
            best.offer(members, values)
        return result(
            self,
            classes,
            best.values(),
            citation="Li et al. 2010",
            parameters={**texts(n=self.n, t=self.t), "measure": measure.name},
            threshold=self.t,
            worst_is="largest",
            threshold_name="t",
            bounds=(0, self._greatest(best)),
            reading=f"distance of a class from its nearest superset of at least {self.n} records",
            why_infinite=f"a class has no superset of at least {self.n} records"
            if self.n > classes.records
            else INFINITE_DISTANCE,
            conventions={
                "measure": measure.name,
                "order of the values": classes.domain.order or "none",
                "supersets": f"the class, {len(self.supersets)} given partition(s), the whole table",
            },
        )

    def _greatest(self, best: _Least) -> Fraction | None:
        """Return what no table exceeds: of n > 1, a table of fewer records has no superset that is large enough."""
        if self.n > 1 or not len(best.approximate):
            return None
        from_itself = best.exact(0)  # a class of one record is large enough, and its own superset
        if isinstance(from_itself, Fraction):
            return from_itself
        return Fraction(0) if from_itself == 0 else None

    def _candidates(self, classes: ClassCounts, bound: BoundMeasure) -> Iterator[tuple[npt.NDArray[np.intp], Values]]:
        """Yield classes with their distances from one superset of at least n records."""
        sizes = classes.class_sizes
        everyone = np.arange(len(classes))
        large = everyone[sizes >= self.n]
        for g in large[:1].tolist():  # the distance from itself is the same for every class
            one = _part(classes, np.array([g]), np.array(classes.vector(g)))
            value = bound.per_class(one)
            yield large, _Repeated(value, len(large))  # type: ignore[misc]
        if classes.records >= self.n:
            yield everyone, bound.per_class(classes)
        for labels in self.supersets:
            if len(labels) != len(classes):
                raise TableError(
                    f"a partition into supersets has {len(labels)} labels and the table {len(classes)} classes; "
                    "give one label for every class, in the order of the class counts"
                )
            codes: dict[Hashable, int] = {}
            group = np.array([codes.setdefault(label, len(codes)) for label in labels])
            yield from self._within(classes, group, bound)

    def _within(
        self, classes: ClassCounts, group: IntArray, bound: BoundMeasure
    ) -> Iterator[tuple[npt.NDArray[np.intp], Values]]:
        """Yield the small classes of each large enough group, with their distances from the group."""
        order = np.argsort(group, kind="stable")
        whole = classes.merge(np.split(order, np.flatnonzero(np.diff(group[order])) + 1))  # type: ignore[arg-type]
        asked = (classes.class_sizes < self.n) & (whole.class_sizes[group] >= self.n)
        members = order[asked[order]]
        for some in np.split(members, np.flatnonzero(np.diff(group[members])) + 1):
            if len(some):
                cells = slice(*whole.starts[group[some[0]] :][:2].tolist())
                reference = np.zeros(len(classes.domain), dtype=np.int64)
                reference[whole.values[cells]] = whole.counts[cells]
                yield some, bound.per_class(_part(classes, some, reference))


def superset_map(
    classes: ClassCounts,
    table: FrequencySet | FullTable,
    hierarchies: Mapping[str, Hierarchy],
    levels: Mapping[str, int],
    above: Mapping[str, int],
) -> list[int]:
    """Return for each class of a generalization the number of the class of a coarser one that it lies in.

    Parameters
    ----------
    classes
        ``table.generalize(hierarchies, levels).class_counts(…)``.
    table, hierarchies
        The table before generalization, and its attributes' hierarchies.
    levels, above
        The levels of `classes`, and of the coarser generalization; attributes that are not named stay at 0.

    Raises
    ------
    TableError
        If `above` is below `levels` in an attribute, or `classes` has a class that the table has not at `levels`.
    """
    table = in_shape(table, FrequencySet)
    for name in table.quasi_identifiers:
        if above.get(name, 0) < levels.get(name, 0):
            raise TableError(f"the supersets' level of {name!r} is below the classes'; supersets must be coarser")
    released = np.flatnonzero(~table.suppressed)
    fine: dict[str, list[Any]] = {}
    coarse, radices = [], []
    for name in table.quasi_identifiers:
        used, codes = np.unique(table.codes[name][released], return_inverse=True)
        domain = table.domains[name].subset(used)
        for at, kept in ((levels, fine), (above, None)):
            mapping, target = np.arange(len(domain)), domain
            if at.get(name, 0):
                mapping, target = hierarchies[name].generalize(domain, at[name])
            if kept is None:
                coarse.append(mapping[codes])
                radices.append(len(target))
            else:
                kept[name] = [identity(target.values[code]) for code in mapping[codes].tolist()]
    if not fine:  # no quasi-identifiers: one class, which is the whole table
        return [0] * len(classes)
    key = combined_codes(coarse, radices)
    found = dict(zip(zip(*fine.values(), strict=True), key.tolist(), strict=True))
    numbers = []
    for g in range(len(classes)):
        label = classes.label(g)
        number = found.get(tuple(map(identity, label)))
        if number is None:
            raise TableError(f"class {label!r} is not a class of the table at these levels")
        numbers.append(number)
    return numbers


def _part(classes: ClassCounts, members: IntArray, reference: IntArray) -> ClassCounts:
    """Return some of the classes, with another reference."""
    firsts, lengths = classes.starts[members], np.diff(classes.starts)[members]
    starts = np.concatenate([[0], np.cumsum(lengths)])
    cells = np.arange(starts[-1]) + np.repeat(firsts - starts[:-1], lengths)
    return ClassCounts.from_cells(
        classes.domain, starts, classes.values[cells], classes.counts[cells], reference=reference
    )


@dataclass(frozen=True, eq=False)
class _Repeated:
    """The one value of `values`, as many times as there are classes."""

    of: Any
    times: int

    def floats(self) -> npt.NDArray[np.float64]:
        return np.repeat(self.of.floats(), self.times)

    def error(self) -> npt.NDArray[np.float64]:
        return np.repeat(_error(self.of), self.times)

    def __getitem__(self, index: int) -> Any:
        return self.of[0]


def _error(values: Any) -> npt.NDArray[np.float64]:
    if isinstance(values, _Repeated):
        return values.error()
    if isinstance(values, Rationals):
        doubles = values.floats()
        # the greatest double stands for all above it
        return np.where(doubles < sys.float_info.max, RATIO_FILTER * doubles, np.inf)
    return np.asarray(values.error)


class _Least:
    """For each class the least exact value offered so far."""

    def __init__(self, classes: int) -> None:
        self.approximate = np.full(classes, np.inf)
        self.error = np.zeros(classes)
        self.source = np.full(classes, -1)
        self.place = np.zeros(classes, dtype=np.int64)
        self.offered: list[Any] = []

    def offer(self, members: IntArray, values: Any) -> None:
        """Keep the smaller of what is held and what is offered, by exact comparison where doubles do not decide."""
        new, error = values.floats(), _error(values)
        held = self.approximate[members]
        finite = np.isfinite(new) & np.isfinite(held)
        difference = np.where(finite, new, 0.0) - np.where(finite, held, 0.0)
        better = np.where(finite, difference < 0, new < held)
        unsure = finite & (np.abs(difference) <= error + self.error[members])
        for i in np.flatnonzero(unsure).tolist():
            better[i] = values[i] < self.exact(int(members[i]))
        self.offered.append(values)
        chosen = members[better]
        self.approximate[chosen], self.error[chosen] = new[better], error[better]
        self.source[chosen], self.place[chosen] = len(self.offered) - 1, np.flatnonzero(better)

    def exact(self, g: int) -> Any:
        """Return the value held for a class."""
        return self.offered[self.source[g]][int(self.place[g])]

    def values(self) -> Filtered[Any]:
        """Return what is held, infinite where nothing was offered."""
        return Filtered(self.approximate, self.error, self.exact, self._key)

    def _key(self, g: int) -> tuple[int, int]:
        return int(self.source[g]), int(self.place[g])
