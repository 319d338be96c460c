"""`Release`: an original table together with its full-domain generalization and its suppressed records.

Losses that compare a release with the original need to know, for each original value, which label it was replaced by
and which other values that label stands for.
"""

from __future__ import annotations

from collections.abc import Collection, Hashable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from tcloseness.conventions import Conventions
from tcloseness.errors import TableError
from tcloseness.exact import IntArray, scaled_integers
from tcloseness.microdata import ClassCounts, Domain, FrequencySet, Hierarchy
from tcloseness.microdata.frequency import combined_codes
from tcloseness.release.counting import totals

__all__ = ["LEAVES", "Leaves", "Recoding", "Release"]

Leaves: TypeAlias = Literal["hierarchy", "table"]

LEAVES: Mapping[Leaves, str] = {
    "hierarchy": "all values below it in the hierarchy",
    "table": "the values below it that the table's domain has",
}
"""Which values a label stands for: the option's name and what it means."""


@dataclass(frozen=True, eq=False)
class Recoding:
    """How one quasi-identifier was generalized.

    Attributes
    ----------
    name, level
        The attribute and the level of its hierarchy; 0 is the value itself.
    values, labels
        The domains before and after.
    codes
        The code of each value's label, shape (len(values),).
    hierarchy
        The attribute's hierarchy; None where none was given (then the level is 0).
    """

    name: str
    level: int
    values: Domain
    labels: Domain
    codes: IntArray
    hierarchy: Hierarchy | None

    @property
    def height(self) -> int:
        """The highest level; 0 without a hierarchy."""
        return 0 if self.hierarchy is None else self.hierarchy.height

    def leaf_labels(self, leaves: Leaves) -> IntArray:
        """Return the code of each leaf's label, −1 for a label that no record carries; shape (leaves,)."""
        if leaves == "table" or self.hierarchy is None:
            return self.codes
        labels = [path[self.level] for path in self.hierarchy.paths]
        return np.array([self.labels.code(x) if x in self.labels else -1 for x in labels], dtype=np.int64)

    def leaf_counts(self, leaves: Leaves) -> IntArray:
        """Return how many leaves each label stands for, shape (len(labels),)."""
        labels = self.leaf_labels(leaves)
        return np.bincount(labels[labels >= 0], minlength=len(self.labels))

    def size(self, leaves: Leaves) -> int:
        """Return the number of leaves."""
        return len(self.leaf_labels(leaves))

    def leaf_places(self, values: Collection[object], leaves: Leaves) -> IntArray:
        """Return where given values stand among the leaves; an unknown one raises an `InputError`."""
        if leaves == "table" or self.hierarchy is None:
            return self.values.codes(values)
        return np.array(self.hierarchy.rows(Domain.of(values)), dtype=np.int64)

    def extents(self, leaves: Leaves) -> tuple[IntArray, int]:
        """Return how wide each label is, the last value below it minus the first, and how wide the domain is.

        Both are in one common unit, so that only their ratio means something.
        """
        positions, _ = scaled_integers(self._leaf_positions(leaves))
        labels = self.leaf_labels(leaves).tolist()
        low: dict[int, int] = {}
        high: dict[int, int] = {}
        for label, place in zip(labels, positions, strict=True):
            low[label] = min(low.get(label, place), place)
            high[label] = max(high.get(label, place), place)
        widths = [high[label] - low[label] for label in range(len(self.labels))]
        return np.array(widths, dtype=object), max(positions) - min(positions)

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


@dataclass(frozen=True, eq=False)
class Release:
    """An original table, the levels to which it is generalized, and the records that are suppressed.

    Build it with `full_domain`; the constructor trusts its arguments.

    Attributes
    ----------
    original
        The table before anything was done to it.
    recodings
        How each quasi-identifier was generalized, by name, in the table's order.
    withheld
        Which combinations of the original are suppressed, shape (combinations,).

    Examples
    --------
    >>> import pandas as pd
    >>> table = pd.DataFrame({"age": [21, 22, 25, 41], "disease": ["flu", "flu", "cold", "flu"]})
    >>> original = FrequencySet.from_frame(table, quasi_identifiers="age", sensitive="disease")
    >>> ages = Hierarchy.intervals([21, 22, 25, 41], [10], origin=1, name="age")
    >>> release = Release.full_domain(original, {"age": ages}, {"age": 1})
    >>> release.class_sizes.tolist(), release.suppress([1]).suppressed
    ([3, 1], 1)
    """

    original: FrequencySet
    recodings: Mapping[str, Recoding]
    withheld: npt.NDArray[np.bool_]

    @classmethod
    def full_domain(
        cls,
        original: FrequencySet,
        hierarchies: Mapping[str, Hierarchy] | None = None,
        levels: Mapping[str, int] | None = None,
    ) -> Release:
        """Generalize every named quasi-identifier to a level of its hierarchy; others stay at level 0.

        Hierarchies of attributes that stay at level 0 are used too: they say how many values there could be and how
        much higher the attribute could have gone.

        Raises
        ------
        TableError
            For an attribute that is no quasi-identifier, a level without a hierarchy, or an original with records
            that are marked as suppressed.
        HierarchyError
            For a level that the hierarchy does not have, or a value that it does not cover.
        """
        hierarchies, levels = hierarchies or {}, levels or {}
        if original.suppressed.any():
            raise TableError(
                f"{int(original.counts[original.suppressed].sum())} record(s) of the original are marked as "
                "suppressed, so their values are unknown; give the table before suppression, and use Release.suppress"
            )
        for name in {**levels, **hierarchies}:
            if name not in original.quasi_identifiers:
                raise TableError(f"{name!r} is no quasi-identifier of this table; it has {original.quasi_identifiers}")
        recodings = {}
        for name in original.quasi_identifiers:
            hierarchy, level, values = hierarchies.get(name), levels.get(name, 0), original.domains[name]
            if hierarchy is not None:
                codes, labels = hierarchy.generalize(values, level)
            elif level:
                raise TableError(f"no hierarchy is given for {name!r}, which is to go to level {level!r}; give one")
            else:
                codes, labels = np.arange(len(values)), values
            recodings[name] = Recoding(name, int(level), values, labels, codes, hierarchy)
        return cls(original, recodings, np.zeros(len(original), dtype=bool))

    def suppress(self, classes: Collection[int] | npt.NDArray[Any]) -> Release:
        """Return the release with whole classes suppressed too.

        Parameters
        ----------
        classes
            Numbers of classes as in `class_counts`, such as ``KAnonymity(5).evaluate(…).violating``.

        Raises
        ------
        TableError
            For a number that no class has.
        """
        chosen = np.array([int(c) for c in classes], dtype=np.int64)
        unknown = [c for c in chosen.tolist() if not 0 <= c < len(self.class_sizes)]
        if unknown:
            raise TableError(f"class {unknown[0]} is to be suppressed, and there are classes 0 to {len(self) - 1}")
        return replace(self, withheld=self.withheld | np.isin(self.class_of, chosen))

    # ------------------------------------------------------------------ reading

    def __len__(self) -> int:
        """The number of released classes."""
        return len(self.class_sizes)

    @property
    def conventions(self) -> Conventions:
        """The choices that the original brings along."""
        return self.original.conventions

    @property
    def levels(self) -> dict[str, int]:
        """The level of every quasi-identifier."""
        return {name: recoding.level for name, recoding in self.recodings.items()}

    @property
    def records(self) -> int:
        """The number of all records, suppressed ones included."""
        return self.original.records

    @cached_property
    def suppressed(self) -> int:
        """The number of suppressed records."""
        return int(self.original.counts[self.withheld].sum())

    @cached_property
    def released(self) -> FrequencySet:
        """The generalized table; suppressed records are marked in it."""
        codes = {name: r.codes[self.original.codes[name]] for name, r in self.recodings.items()}
        changed = replace(
            self.original,
            domains={**self.original.domains, **{name: r.labels for name, r in self.recodings.items()}},
            codes={**self.original.codes, **codes},
            suppressed=self.withheld,
        )
        return changed.project(self.original.quasi_identifiers)

    def class_counts(self, sensitive: str | None = None) -> ClassCounts:
        """Return the released classes' counts; see `FrequencySet.class_counts`.

        Raises
        ------
        TableError
            If every record is suppressed.
        """
        if self.withheld.all():
            raise TableError("every record of the release is suppressed, so there is no class")
        return self.released.class_counts(sensitive)

    @cached_property
    def classes_before_suppression(self) -> tuple[IntArray, int]:
        """The class of each original combination as if nothing were suppressed, and the number of classes."""
        codes = [r.codes[self.original.codes[name]] for name, r in self.recodings.items()]
        key = combined_codes(codes, [len(r.labels) for r in self.recodings.values()], rows=len(self.original))
        found, numbers = np.unique(key, return_inverse=True)
        return numbers.astype(np.int64), len(found)

    @cached_property
    def sizes_before_suppression(self) -> IntArray:
        """The sizes of all classes as if nothing were suppressed."""
        numbers, size = self.classes_before_suppression
        return totals(numbers, self.original.counts, size)

    @cached_property
    def class_of(self) -> IntArray:
        """The released class of each original combination, −1 for a suppressed one; numbered as in `class_counts`."""
        before, size = self.classes_before_suppression
        alive = np.zeros(size, dtype=bool)
        alive[before[~self.withheld]] = True
        numbers = np.cumsum(alive) - 1
        return np.where(self.withheld, -1, numbers[before])

    @cached_property
    def class_sizes(self) -> IntArray:
        """The sizes of the released classes, possibly none."""
        kept = ~self.withheld
        size = int(self.class_of.max(initial=-1)) + 1
        return totals(self.class_of[kept], self.original.counts[kept], size)

    def value_counts(self, name: str, *, withheld: bool) -> IntArray:
        """Return how many suppressed (or released) records have each original value, shape (values,)."""
        rows = self.withheld if withheld else ~self.withheld
        return totals(self.original.codes[name][rows], self.original.counts[rows], len(self.original.domains[name]))

    def label_counts(self, name: str) -> IntArray:
        """Return how many released records carry each label, shape (labels,)."""
        recoding = self.recodings[name]
        return totals(recoding.codes, self.value_counts(name, withheld=False), len(recoding.labels))

    def require_attributes(self, purpose: str, names: Collection[Hashable] = ()) -> None:
        """Raise `TableError` unless there is a quasi-identifier, and each of `names` is one."""
        if not self.recodings:
            raise TableError(f"{purpose} is a mean over quasi-identifiers, and this table has none")
        for name in names:
            if name not in self.recodings:
                raise TableError(f"{name!r} is no quasi-identifier of this table; it has {tuple(self.recodings)}")
