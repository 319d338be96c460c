"""`Recoding`: the labels of one quasi-identifier, and the values that each stands for."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property, partial
from typing import Any, Literal, TypeAlias

import numpy as np

from tcloseness.displayed import Compared, Displayed, counted
from tcloseness.errors import TableError
from tcloseness.exact import IntArray, scaled_integers
from tcloseness.microdata import Domain, Hierarchy
from tcloseness.microdata.domain import value_text
from tcloseness.microdata.values import usual_type
from tcloseness.release.attributes import Attribute, Says
from tcloseness.release.rows import natural_order

__all__ = ["LEAVES", "LabelCodes", "Leaves", "Recoding"]

Leaves: TypeAlias = Literal["hierarchy", "table"]

LEAVES: Mapping[Leaves, str] = {
    "hierarchy": "all values below it in the hierarchy",
    "table": "the values below it that the table's domain has",
}
"""Which values a label stands for: the option's name and what it means."""


class LabelCodes(Compared, Mapping[str, IntArray]):
    """By quasi-identifier the label codes of a table's combinations, where these follow from the values.

    Parameters
    ----------
    codes
        By attribute the codes of the combinations' values.
    label_of
        By attribute the code of each value's label.
    """

    _consists_of = ("_codes", "label_of")

    def __init__(self, codes: Mapping[str, IntArray], label_of: Mapping[str, IntArray]) -> None:
        self._codes, self.label_of = codes, label_of
        self._found: dict[str, IntArray] = {}

    def __getitem__(self, name: str) -> IntArray:
        if name not in self._found:
            self._found[name] = self.label_of[name][self._codes[name]]
        return self._found[name]

    def __iter__(self) -> Iterator[str]:
        return iter(self.label_of)

    def __len__(self) -> int:
        return len(self.label_of)


@dataclass(frozen=True, eq=False)
class Recoding(Displayed):
    """The labels of one quasi-identifier, and what each stands for.

    Attributes
    ----------
    name
        The attribute.
    kind
        How it is generalized, as in `tcloseness.release.Attribute`.
    values, labels
        The domains before and after.
    found
        What finds `starts` and `places`, when they are first asked for.
    heights, height
        How high each label lies above the values, shape (labels,), and the greatest height there is.
    hierarchy
        The attribute's hierarchy; None where none was given.
    level
        The level of the hierarchy of all labels; None where they are of several.
    numeric
        Whether the labels stand for intervals of numbers.
    measured
        The labels' extents and the whole, as the classes' `Attribute` measures them; None where there is none.
    says
        What each label says of the values of its class.
    grid
        The width of the cells of which labels are made, and where one begins; None where there is no grid.
    """

    name: str
    kind: str
    values: Domain
    labels: Domain
    found: Callable[[], tuple[IntArray, IntArray]]
    heights: IntArray
    height: int
    hierarchy: Hierarchy | None = None
    level: int | None = None
    numeric: bool = False
    measured: tuple[IntArray, int] | None = None
    says: Says = "contained"
    grid: tuple[int, int] | None = None

    def to_dict(self) -> dict[str, Any]:
        """Return the labels as JSON-ready data."""
        sizes = {"values": len(self.values), "height": self.height, "level": self.level}
        return {"name": self.name, "kind": self.kind, **sizes, "labels": [value_text(x) for x in self.labels.values]}

    _withheld = ("label",)

    def _frame_rows(self) -> list[dict[str, Any]]:
        each = zip(self.labels.values, self.heights.tolist(), self.leaf_counts("hierarchy").tolist(), strict=True)
        return [{"label": value_text(label), "height": height, "leaves": leaves} for label, height, leaves in each]

    def _said(self) -> str:
        return f"{self.kind}, {counted(len(self.values), 'value')} as {counted(len(self.labels), 'label')}"

    @classmethod
    def at_level(
        cls,
        name: str,
        values: Domain,
        hierarchy: Hierarchy | None,
        level: int,
        generalized: tuple[IntArray, Domain] | None = None,
    ) -> tuple[Recoding, IntArray]:
        """Return a whole attribute at a level of its hierarchy, and the code of each value's label, shape (values,).

        Parameters
        ----------
        name, values, hierarchy, level
            The attribute, its values, and where it goes.
        generalized
            What `Hierarchy.generalize` answered, where that was asked before.

        Raises
        ------
        TableError
            For a level without a hierarchy.
        HierarchyError
            For a level that the hierarchy does not have, or a value that it does not cover.
        """
        if hierarchy is None:
            if level:
                raise TableError(f"no hierarchy is given for {name!r}, which is to go to level {level!r}; give one")
            own = np.arange(len(values))
            itself = partial(_itself, len(values))
            return cls(name, "level 0 of 0", values, values, itself, np.zeros_like(own), 0, None, 0), own
        codes, labels = generalized or hierarchy.generalize(values, level)
        heights = np.full(len(labels), level, dtype=np.int64)
        kind = f"level {level} of {hierarchy.height}"
        below = partial(_at_level, hierarchy, labels, level)
        return cls(name, kind, values, labels, below, heights, hierarchy.height, hierarchy, int(level)), codes

    @classmethod
    def of_classes(cls, attribute: Attribute, codes: IntArray, starts: IntArray) -> tuple[Recoding, IntArray]:
        """Return an attribute as classes show it, and the code of each class's label, shape (classes,).

        Parameters
        ----------
        attribute
            How it is generalized.
        codes, starts
            Value codes sorted by class, and where each class starts.
        """
        texts = [value_text(label) for label in attribute.labels(codes, starts)]
        ordered: list[Hashable] = [*sorted(set(texts), key=natural_order)]
        labels = Domain(tuple(ordered))
        found = labels.codes(texts)
        first = np.unique(found, return_index=True)[1]
        hierarchy = getattr(attribute, "hierarchy", None)
        return cls(
            attribute.name,
            attribute.kind,
            attribute.domain,
            labels,
            partial(_of_classes, attribute, codes, starts, first),
            attribute.heights(codes, starts)[first],
            attribute.top,
            hierarchy,
            getattr(attribute, "level", None),
            not attribute.counted,
            (attribute.extents(codes, starts)[first], attribute.whole),
            getattr(attribute, "says", "contained"),
            getattr(attribute, "grid", None),
        ), found

    def of_fewer_records(self) -> Recoding:
        """Return the same labels where some records of their classes are not shown, so that they need not be tight."""
        return self if self.says == "summary" else replace(self, says="contained")

    @property
    def starts(self) -> IntArray:
        """Where the leaves below each label start in `places`, shape (labels + 1,)."""
        return self._found[0]

    @cached_property
    def _found(self) -> tuple[IntArray, IntArray]:
        return self.found()

    @property
    def places(self) -> IntArray:
        """The leaves below each label: label i stands for those at ``places[starts[i]:starts[i + 1]]``.

        By their rows in the hierarchy, or without one by their codes in `values`.
        """
        return self._found[1]

    def below(self, leaves: Leaves) -> tuple[IntArray, IntArray]:
        """Return `starts` and `places` among the leaves that count."""
        if leaves == "hierarchy" or self.hierarchy is None:
            return self.starts, self.places
        value_at = np.full(len(self.hierarchy), -1, dtype=np.int64)
        value_at[self.hierarchy.rows(self.values)] = np.arange(len(self.values))
        values = value_at[self.places]
        counted = np.append(0, np.cumsum(values >= 0))
        return counted[self.starts], values[values >= 0]

    def leaf_counts(self, leaves: Leaves) -> IntArray:
        """Return how many leaves each label stands for, shape (labels,)."""
        if self.measured is not None and not self.numeric and (leaves == "hierarchy" or self.hierarchy is None):
            return self.measured[0]
        return np.diff(self.below(leaves)[0])

    def leaf_sums(self, numbers: IntArray, leaves: Leaves) -> IntArray:
        """Return, for each label, the sum of a number for each leaf over the leaves below it, shape (labels,)."""
        starts, places = self.below(leaves)
        return np.diff(np.append(0, np.cumsum(numbers[places]))[starts])

    def size(self, leaves: Leaves) -> int:
        """Return the number of leaves."""
        return len(self.values) if leaves == "table" or self.hierarchy is None else len(self.hierarchy)

    def leaf_places(self, values: Collection[object], leaves: Leaves) -> IntArray:
        """Return the places of given values among the leaves; an unknown one raises an `InputError`."""
        if leaves == "table" or self.hierarchy is None:
            return self.values.codes(values)
        return np.array(self.hierarchy.rows(Domain.of(values)), dtype=np.int64)

    def extents(self, leaves: Leaves) -> tuple[IntArray, int]:
        """Return how wide each label is, the last value below it minus the first, and how wide the domain is.

        Both are in one common unit, so that only their ratio means something.
        """
        if self.measured is not None and self.numeric:
            return self.measured
        scaled, _ = scaled_integers(self._leaf_positions(leaves))
        starts, places = self.below(leaves)
        at = np.array(scaled, dtype=object)[places]
        widths = np.maximum.reduceat(at, starts[:-1]) - np.minimum.reduceat(at, starts[:-1])
        return widths, max(scaled) - min(scaled)

    def class_extents(self, leaves: Leaves, codes: IntArray, starts: IntArray) -> tuple[IntArray, int]:
        """Return how wide the values of each class are, and how wide the domain is, in one common unit.

        Parameters
        ----------
        codes, starts
            Value codes sorted by class, and where each class starts.
        """
        mine, domain = self.values.positions(self._purpose), self._leaf_positions(leaves)
        scaled, _ = scaled_integers([*mine, *domain])
        at = np.array(scaled[: len(mine)], dtype=object)[codes]
        widths = np.maximum.reduceat(at, starts) - np.minimum.reduceat(at, starts)
        return widths, max(scaled[len(mine) :]) - min(scaled[len(mine) :])

    @property
    def _purpose(self) -> str:
        return f"the numeric loss of {self.name!r}"

    def _leaf_positions(self, leaves: Leaves) -> Sequence[Fraction]:
        if leaves == "table" or self.hierarchy is None:
            return self.values.positions(self._purpose)
        return [place for v in self.hierarchy.values for place in Domain.of([v]).positions(self._purpose)]


def _itself(values: int) -> tuple[IntArray, IntArray]:
    return np.arange(values + 1), np.arange(values)


def _at_level(hierarchy: Hierarchy, labels: Domain, level: int) -> tuple[IntArray, IntArray]:
    shown = [path[level] for path in hierarchy.paths]
    if labels.usual is not None and usual_type(shown) is labels.usual:
        found = labels.places(shown)
    else:
        found = [labels.code(x) if x in labels else None for x in shown]
    label_of = np.array([-1 if code is None else code for code in found], dtype=np.int64)
    places = np.argsort(label_of, kind="stable")[int((label_of < 0).sum()) :]
    return np.searchsorted(label_of[places], np.arange(len(labels) + 1)), places


def _of_classes(attribute: Attribute, codes: IntArray, starts: IntArray, first: IntArray) -> tuple[IntArray, IntArray]:
    begins, places = attribute.below(codes, starts)
    sets = [places[begins[g] : begins[g + 1]] for g in first.tolist()]
    return np.cumsum([0, *map(len, sets)]), np.concatenate(sets)
