"""`Regions`: what a partition says of records that it has not seen, where its classes can be told apart by cuts.

The classes of strict Mondrian, of a full-domain generalization and of a cut through hierarchies are a function of the
quasi-identifiers: one attribute after another divides them, until one is left. The same divisions place a new record.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, timedelta
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from tcloseness.displayed import Displayed, counted
from tcloseness.errors import HierarchyError, InputError, TableError
from tcloseness.exact import IntArray, scaled_integers
from tcloseness.microdata import Domain
from tcloseness.microdata.domain import natural_position, value_text
from tcloseness.release.attributes import Attribute
from tcloseness.release.partition import Partition

__all__ = ["Regions"]


@dataclass(frozen=True, eq=False)
class _Axis:
    """One attribute: where a value lies on it, and which places a class's label holds.

    Of numbers a place is the number of different values of the table below it, and a label holds ``low`` to ``high``;
    of other values it is their leaf, and label g holds ``leaves[starts[g]:starts[g + 1]]``.
    """

    attribute: Attribute
    numbers: tuple[Fraction, ...] | None  # the different ones, ascending
    place_of: IntArray  # of each value of the table
    low: IntArray
    high: IntArray
    starts: IntArray
    leaves: IntArray

    @classmethod
    def of(cls, attribute: Attribute, partition: Partition) -> _Axis:
        codes, starts = partition.codes(attribute.name), partition.starts
        none = np.zeros(0, dtype=np.int64)
        if attribute.counted:
            hierarchy = getattr(attribute, "hierarchy", None)
            own = np.arange(len(attribute.domain)) if hierarchy is None else np.array(hierarchy.rows(attribute.domain))
            return cls(attribute, None, own, none, none, *attribute.below(codes, starts))
        positions = attribute.domain.positions(f"the quasi-identifier {attribute.name!r}")
        numbers = tuple(sorted(set(positions)))
        rank = {number: place for place, number in enumerate(numbers)}
        own = np.array([rank[number] for number in positions], dtype=np.int64)
        at = own[codes]
        return cls(
            attribute, numbers, own, np.minimum.reduceat(at, starts), np.maximum.reduceat(at, starts), none, none
        )

    def places(self, domain: Domain) -> IntArray:
        """Return the place of each value of another domain; −1 for one that is not known here."""
        if self.numbers is not None:
            asked = {
                i: place for i, value in enumerate(domain.values) if (place := natural_position(value)) is not None
            }
            found, below = np.full(len(domain), -1, dtype=np.int64), 0
            for i in sorted(asked, key=asked.__getitem__):
                while below < len(self.numbers) and self.numbers[below] < asked[i]:
                    below += 1
                found[i] = below
            return found
        known = self.attribute.domain
        hierarchy = getattr(self.attribute, "hierarchy", None)
        if hierarchy is None:
            return np.array([known.code(value) if value in known else -1 for value in domain.values], dtype=np.int64)
        try:
            return np.array(hierarchy.rows(domain), dtype=np.int64)
        except HierarchyError:
            return np.array([_row(hierarchy, value) for value in domain.values], dtype=np.int64)

    def holds(self, classes: IntArray, places: IntArray) -> npt.NDArray[np.bool_]:
        """Say whether the class of each record (−1: none) has the record's place; of numbers each has all."""
        if self.numbers is not None:
            return places >= 0
        width = max(int(self.leaves.max(initial=0)), int(places.max(initial=0))) + 1
        of_class = np.repeat(np.arange(len(self.starts) - 1), np.diff(self.starts))
        held = (classes >= 0) & (places >= 0)
        held[held] = np.isin(classes[held] * width + places[held], of_class * width + self.leaves)
        return held

    def interval(self, above: int, up_to: int) -> str:
        """Return the text of the interval of the numbers above one place and up to another, −1 for none."""
        low = "-∞" if above < 0 else self._shown[above]
        return f"({low}, ∞)" if up_to < 0 else f"({low}, {self._shown[up_to]}]"

    @cached_property
    def _shown(self) -> dict[int, str]:
        """The text of a value at each place."""
        return {int(place): value_text(v) for place, v in zip(self.place_of, self.attribute.domain.values, strict=True)}

    def groups(self, classes: IntArray) -> tuple[IntArray, IntArray, IntArray]:
        """Return which classes' labels have places in common, directly or by others, and the places of each group.

        Returns
        -------
        group
            Shape (classes,): the number of each class's group; of numbers in their order.
        keys, group_of_key
            Of numbers the greatest place of each group; else the leaves, ascending, and the group of each.
        """
        if self.numbers is not None:
            order = np.argsort(self.low[classes], kind="stable")
            reach = np.maximum.accumulate(self.high[classes][order])
            first = np.append(True, self.low[classes][order][1:] > reach[:-1])
            group = np.empty(len(classes), dtype=np.int64)
            group[order] = np.cumsum(first) - 1
            keys = reach[np.append(np.flatnonzero(first)[1:] - 1, len(classes) - 1)]
            return group, keys, np.arange(len(keys))
        counts = self.starts[classes + 1] - self.starts[classes]
        of = np.repeat(np.arange(len(classes)), counts)
        inside = np.arange(len(of)) - np.repeat(np.cumsum(counts) - counts, counts)
        keys, leaf = np.unique(self.leaves[np.repeat(self.starts[classes], counts) + inside], return_inverse=True)
        group = np.arange(len(classes))
        while True:
            least = np.full(len(keys), len(classes))
            np.minimum.at(least, leaf, group[of])
            lower = np.minimum.reduceat(least[leaf], np.cumsum(counts) - counts)
            if (lower == group).all():
                break
            group = lower
        numbers, group = np.unique(group, return_inverse=True)
        return group, keys, np.searchsorted(numbers, least)


def _row(hierarchy: object, value: Hashable) -> int:
    try:
        return int(hierarchy.rows(Domain.of([value]))[0])  # type: ignore[attr-defined]
    except HierarchyError:
        return -1


@dataclass(frozen=True, eq=False)
class _Division:
    """One division of some classes: the axis, the places that it knows, the group of each, and where a group leads."""

    axis: int
    keys: IntArray
    group: IntArray
    child: list[int]  # by group: a division, or ~class


@dataclass(frozen=True, eq=False)
class Regions(Displayed):
    """The regions of a partition: a record lies in that of one class, or in none.

    Of an attribute of numbers a region is an interval, and together they hold all numbers, also those that the table
    lacks: a cut lies at the greatest value of the classes below it. Of any other attribute a class has the values that
    its label stands for; a value that no label stands for is in no region.

    Build it with `of`; the constructor trusts its arguments.

    Attributes
    ----------
    attributes
        How the quasi-identifiers are generalized.
    partition
        The classes.

    Notes
    -----
    The records of the table lie in the regions of their own classes, and its suppressed ones in none, or there are no
    regions: `of` tries them all. Cost O(classes · attributes · depth), and O(records · depth) to place records.

    Examples
    --------
    >>> import pandas as pd
    >>> from tcloseness import KAnonymity, Microdata, mondrian
    >>> frame = pd.DataFrame({"x": [1, 2, 8, 9], "s": list("abab")})
    >>> found = mondrian(Microdata.from_frame(frame, quasi_identifiers="x", sensitive="s"), KAnonymity(2))
    >>> regions = Regions.of(found.partition, found.attributes)
    >>> regions.labels
    [('(-∞, 2]',), ('(2, ∞)',)]
    >>> regions.class_of({"x": [0, 2, 3, 100]}).tolist()
    [0, 0, 1, 1]
    """

    attributes: tuple[Attribute, ...]
    partition: Partition
    _axes: tuple[_Axis, ...] = field(repr=False)
    _divisions: tuple[_Division, ...] = field(repr=False)
    _above: IntArray = field(repr=False)  # by attribute and class: numbers above this place, −1 for all
    _up_to: IntArray = field(repr=False)  # and up to this one, −1 for all

    def to_dict(self) -> dict[str, Any]:
        """Return the sizes as JSON-ready data; the labels are in `to_frame`."""
        names = [attribute.name for attribute in self.attributes]
        return {"quasi_identifiers": names, "classes": len(self.partition), "records": len(self.partition.class_of)}

    @property
    def _withheld(self) -> Collection[str]:
        return [attribute.name for attribute in self.attributes]

    def _frame_rows(self) -> list[dict[str, Any]]:
        return [dict(zip(self._withheld, label, strict=True)) for label in self.labels]

    def _said(self) -> str:
        return f"{counted(len(self.partition), 'class')}, {counted(len(self.attributes), 'quasi-identifier')}"

    @classmethod
    def of(cls, partition: Partition, attributes: Sequence[Attribute]) -> Regions:
        """Find the regions of a partition whose classes one attribute after another tells apart.

        Raises
        ------
        InputError
            If the labels of some classes have values in common and no attribute tells them apart, or a suppressed
            record lies in a region: a new record could then belong to several classes, or be suppressed or not.
        """
        if not len(partition):
            raise InputError(
                "all records are suppressed, and without a class there is no region; ask less of the classes"
            )
        axes = tuple(_Axis.of(attribute, partition) for attribute in attributes)
        divisions: list[_Division] = []
        above = np.full((len(axes), len(partition)), -1, dtype=np.int64)
        up_to = above.copy()
        waiting = [(np.arange(len(partition)), [0], 0)]
        while waiting:
            classes, parent, place = waiting.pop()
            parent[place] = ~int(classes[0]) if len(classes) == 1 else len(divisions)
            if len(classes) == 1:
                continue
            found = [axis.groups(classes) for axis in axes]
            sizes = [int(group.max()) + 1 for group, _, _ in found]
            if max(sizes, default=1) == 1:
                raise InputError(
                    f"the labels of {len(classes)} classes have values in common, such as those of classes "
                    f"{int(classes[0])} and {int(classes[1])}, so a new record could belong to several; take a method "
                    "that divides the classes by cuts, such as 'mondrian' or 'datafly'"
                )
            at = int(np.argmax(sizes))
            group, keys, group_of_key = found[at]
            divisions.append(_Division(at, keys, group_of_key, [0] * sizes[at]))
            for number in range(sizes[at]):
                mine = classes[group == number]
                waiting.append((mine, divisions[-1].child, number))
                if axes[at].numbers is not None and number:
                    above[at, mine] = keys[number - 1]
                if axes[at].numbers is not None and number < sizes[at] - 1:
                    up_to[at, mine] = keys[number]
        regions = cls(tuple(attributes), partition, axes, tuple(divisions), above, up_to)
        regions._require_own()
        return regions

    def _require_own(self) -> None:
        table = self.partition.table
        places = [axis.place_of[column.codes] for axis, column in zip(self._axes, table.quasi_identifiers, strict=True)]
        odd = np.flatnonzero(self._placed(places, len(table)) != self.partition.class_of)
        if len(odd):
            raise InputError(
                f"record {int(odd[0])} is suppressed and lies in the region of a class, and so do {len(odd) - 1} more; "
                "a new record like it would not be suppressed: take a method that suppresses no record, or give each "
                "quasi-identifier a hierarchy"
            )

    def class_of(self, columns: Mapping[str, Sequence[object]]) -> IntArray:
        """Return the class in whose region each record lies, −1 for none.

        Parameters
        ----------
        columns
            By quasi-identifier the records' values.

        Raises
        ------
        TableError
            If a quasi-identifier is missing, the columns have different lengths, or a cell holds a list or the like.
        """
        missing = [attribute.name for attribute in self.attributes if attribute.name not in columns]
        if missing:
            raise TableError(f"the records have no quasi-identifier {missing[0]!r}; there are {', '.join(columns)}")
        lengths = {len(columns[attribute.name]) for attribute in self.attributes}
        if len(lengths) > 1:
            raise TableError(f"the columns have {sorted(lengths)} values; give one for each record")
        places = []
        for axis in self._axes:
            try:
                domain, codes = Domain.numbered(columns[axis.attribute.name])
            except TypeError as error:
                raise TableError(
                    f"the quasi-identifier {axis.attribute.name!r} has a cell that is not one value: {error}; give "
                    "texts, numbers or dates"
                ) from error
            places.append(axis.places(domain)[codes] if len(domain) else codes)
        return self._placed(places, lengths.pop() if lengths else 0)

    def _placed(self, places: Sequence[IntArray], records: int) -> IntArray:
        found = np.full(records, -1, dtype=np.int64)
        if not self._divisions:
            found[:] = 0
        waiting = [(np.arange(records), 0)] if self._divisions else []
        while waiting:
            rows, at = waiting.pop()
            division = self._divisions[at]
            mine = places[division.axis][rows]
            last = len(division.keys) - 1
            key = np.minimum(np.searchsorted(division.keys, mine), last)
            if self._axes[division.axis].numbers is None:
                known = division.keys[key] == mine
                rows, key = rows[known], key[known]
            group = division.group[key]
            for number in np.unique(group).tolist():
                child = division.child[number]
                if child < 0:
                    found[rows[group == number]] = ~child
                else:
                    waiting.append((rows[group == number], child))
        for axis, mine in zip(self._axes, places, strict=True):
            found[~axis.holds(found, mine)] = -1
        return found

    @cached_property
    def labels(self) -> list[tuple[str, ...]]:
        """Each class's region as text, one an attribute: an interval of numbers, or the label of the class."""
        columns = []
        for place, axis in enumerate(self._axes):
            if axis.numbers is None:
                shown = axis.attribute.labels(self.partition.codes(axis.attribute.name), self.partition.starts)
                columns.append([value_text(label) for label in shown])
            else:
                columns.append([*map(axis.interval, self._above[place].tolist(), self._up_to[place].tolist())])
        return [*zip(*columns, strict=True)] if columns else [()] * len(self.partition)

    @cached_property
    def numeric(self) -> tuple[str, ...]:
        """The attributes of numbers, which have means: dates and durations have places on an axis, and no unit."""
        return tuple(
            axis.attribute.name
            for axis in self._axes
            if axis.numbers is not None
            and not any(isinstance(value, date | timedelta) for value in axis.attribute.domain.values)
        )

    def means(self, name: str) -> list[Fraction]:
        """Return the mean of each class's records of the table, of an attribute of numbers, exactly.

        Raises
        ------
        InputError
            If it is not one of `numeric`.
        """
        axis = next((axis for axis in self._axes if axis.attribute.name == name), None)
        if axis is None or axis.numbers is None or name not in self.numeric:
            raise InputError(f"{name!r} is not an attribute of numbers, so its values have no mean")
        scaled, unit = scaled_integers(axis.numbers)
        values = np.array(scaled, dtype=object)[axis.place_of[self.partition.codes(name)]]
        sums = np.add.reduceat(values, self.partition.starts)
        return [Fraction(int(a), int(n) * unit) for a, n in zip(sums, self.partition.sizes, strict=True)]
