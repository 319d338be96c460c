"""`Release`: a published table with the original beside it: each record's labels, and what each label stands for."""

from __future__ import annotations

from collections.abc import Collection, Hashable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pandas as pd

from tcloseness.conventions import Conventions
from tcloseness.displayed import counted
from tcloseness.errors import TableError
from tcloseness.exact import IntArray
from tcloseness.microdata import ClassCounts, FrequencySet, Hierarchy, Microdata
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.microdata.frequency import Reference
from tcloseness.microdata.grouping import combined_codes
from tcloseness.models import PrivacyModel
from tcloseness.models.protocol import value_texts
from tcloseness.release.attributes import Attribute
from tcloseness.release.counting import totals
from tcloseness.release.partition import Partition
from tcloseness.release.published import Published
from tcloseness.release.recoding import LabelCodes, Recoding
from tcloseness.release.rows import AnonymizedTable, frame_of, texts_of, written_table

__all__ = ["Release"]


@dataclass(frozen=True, eq=False)
class Release(Published):
    """An original table, the levels to which it is generalized, and the records that are suppressed.

    Build it with `full_domain`; the constructor trusts its arguments.

    Attributes
    ----------
    original
        The table before anything was done to it.
    recodings
        The labels of each quasi-identifier, by name, in the table's order.
    codes
        By quasi-identifier the code of each combination's label, shape (combinations,).
    withheld
        Which combinations of the original are suppressed, shape (combinations,).
    shown
        By sensitive attribute, for releases of rows, the text that a row shows in place of its value; None where it
        shows the value.

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
    codes: Mapping[str, IntArray]
    withheld: npt.NDArray[np.bool_]
    shown: Mapping[str, npt.NDArray[Any]] = field(default_factory=dict)

    def _said(self) -> str:
        released = counted(int(self.class_sizes.sum()), "record")
        return f"{counted(len(self.class_sizes), 'class')} of {released}, {self.suppressed:,} suppressed"

    @property
    def release(self) -> Release:
        """Itself."""
        return self

    @classmethod
    def full_domain(
        cls,
        original: FrequencySet | FullTable,
        hierarchies: Mapping[str, Hierarchy] | None = None,
        levels: Mapping[str, int] | None = None,
    ) -> Release:
        """Generalize every named quasi-identifier to a level of its hierarchy; others stay at level 0.

        Hierarchies of attributes that stay at level 0 are used too: they say how many values there could be and how
        much higher the attribute could have gone.

        Raises
        ------
        TableError
            For an attribute that is not a quasi-identifier, a level without a hierarchy, or an original with records
            that are marked as suppressed.
        HierarchyError
            For a level that the hierarchy does not have, or a value that it does not cover.
        """
        hierarchies, levels = hierarchies or {}, levels or {}
        original = in_shape(original, FrequencySet)
        if original.suppressed.any():
            raise TableError(
                f"{int(original.counts[original.suppressed].sum())} record(s) of the original are marked as "
                "suppressed, so their values are unknown; give the table before suppression, and use Release.suppress"
            )
        original.require_rows_of_different_persons("a release of whole levels")
        for name in {**levels, **hierarchies}:
            if name not in original.quasi_identifiers:
                raise TableError(
                    f"{name!r} is not a quasi-identifier of this table; it has {original.quasi_identifiers}"
                )
        recodings, label_of = {}, {}
        for name in original.quasi_identifiers:
            level, values = levels.get(name, 0), original.domains[name]
            recodings[name], label_of[name] = Recoding.at_level(name, values, hierarchies.get(name), level)
        codes = LabelCodes(original.codes, label_of)
        return cls(original, recodings, codes, np.zeros(len(original), dtype=bool))

    @classmethod
    def of_partition(cls, partition: Partition, attributes: Sequence[Attribute]) -> Release:
        """Show the records of each class of a partition alike.

        Suppressed records have the labels of one class of their own, which is withheld.
        """
        class_of = np.where(partition.class_of < 0, len(partition), partition.class_of)
        rows = np.argsort(class_of, kind="stable")
        starts = np.flatnonzero(np.diff(class_of[rows], prepend=-1))
        recodings, codes = {}, {}
        original = FrequencySet.of_rows(partition.table)
        for attribute in attributes:
            name = attribute.name
            recodings[name], of_class = Recoding.of_classes(attribute, original.codes[name][rows], starts)
            codes[name] = of_class[class_of]
        return cls(original, recodings, codes, partition.class_of < 0)

    @classmethod
    def from_frames(
        cls,
        original: pd.DataFrame,
        published: pd.DataFrame,
        *,
        quasi_identifiers: str | Iterable[str],
        sensitive: str | Iterable[str],
        hierarchies: Mapping[str, Hierarchy] | None = None,
        suppressed: object | None = None,
        **roles: Any,
    ) -> Release:
        """Read a release that another tool made.

        Parameters
        ----------
        original, published
            The table, and what was published of it: the rows that have the same labels in the index are the same
            records; those that are left out are suppressed. Of rows that ``missing="drop"`` leaves out of the table,
            the published ones are left out too.
        quasi_identifiers, sensitive, **roles
            As for `Microdata.from_frame`.
        hierarchies
            The hierarchies whose nodes the labels are, by attribute; without one a label is a value, an interval, a set
            of values or ``*`` for all, see `tcloseness.release.foreign`.
        suppressed
            What suppressed records show in all quasi-identifiers, NaN for empty cells; None (default): none is marked.

        Raises
        ------
        TableError
            For a row that is not of the original: unknown, or with a label that does not stand for its value, or with
            another sensitive value; and for a label that cannot be read.
        HierarchyError
            For a label that is not a node of the attribute's hierarchy, or a value that it does not cover.

        Examples
        --------
        >>> import pandas as pd
        >>> original = pd.DataFrame({"age": [21, 24, 38, 41], "ill": ["flu", "cold", "flu", "cold"]})
        >>> published = original.assign(age=["20-29", "20-29", "[30, 50)", "[30, 50)"])
        >>> release = Release.from_frames(original, published, quasi_identifiers="age", sensitive="ill")
        >>> release.class_sizes.tolist(), str(release.losses()["GCP"].value)
        ([2, 2], '3/20')
        """
        from tcloseness.release.foreign import read_release

        table = Microdata.from_frame(original, quasi_identifiers=quasi_identifiers, sensitive=sensitive, **roles)
        if table.dropped and isinstance(published, pd.DataFrame):
            assert table.index is not None  # it is that of the frame
            published = published[~published.index.isin(original.index.difference(table.index))]
        return read_release(table, published, hierarchies or {}, suppressed=suppressed)

    def on_rows(self, table: Microdata | None = None) -> Release:
        """Return the same release of a table's rows, each a combination of its own.

        Parameters
        ----------
        table
            The table whose frequency set the release is made from; may be left out where that holds it.

        Raises
        ------
        TableError
            If it is another table, or not known.
        """
        table = self.rows_of if table is None else table
        original = FrequencySet.of_rows(table)
        names = (*self.original.quasi_identifiers, *self.original.sensitive)
        for name in names:
            mine = self.original.domains[name]
            if name not in original.domains or original.domains[name].values != mine.values:
                raise TableError(f"the release is of another table: that has other values of {name!r}")
        both = [np.concatenate([self.original.codes[name], original.codes[name]]) for name in names]
        key = combined_codes(both, [len(self.original.domains[name]) for name in names], rows=len(both[0]))
        known, rows = key[: len(self.original)], key[len(self.original) :]
        if len(known) == len(rows) and (known == rows).all():
            at = np.arange(len(rows))
        else:
            order = np.argsort(known, kind="stable")
            ordered = known[order]
            if (ordered[1:] == ordered[:-1]).any():
                raise TableError("the release is of single rows, and of another table or in another order of its rows")
            at = order[np.minimum(np.searchsorted(ordered, rows), len(known) - 1)]
            if (known[at] != rows).any():
                row = int(np.flatnonzero(known[at] != rows)[0])
                raise TableError(f"the release is of another table, one without the values of row {row + 1}")
        if (totals(at, original.counts, len(known)) != self.original.counts).any():
            raise TableError(
                f"the release is of another table: that has {self.original.records} records, and this one "
                f"{original.records}, or other numbers of some values"
            )
        codes = {name: mine[at] for name, mine in self.codes.items()}
        return replace(self, original=original, codes=codes, withheld=self.withheld[at])

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
        chosen = list(classes)
        for number in chosen:
            if not isinstance(number, int | np.integer) or isinstance(number, bool) or not 0 <= number < len(self):
                raise TableError(f"class {number!r} is to be suppressed, and there are classes 0 to {len(self) - 1}")
        return replace(self, withheld=self.withheld | np.isin(self.class_of, chosen))

    # ------------------------------------------------------------------ rows

    @property
    def rows_of(self) -> Microdata:
        """The table whose rows are published; a `TableError` where the original is counts."""
        if self.original.table is None and self.original.reader is None:
            raise TableError(
                "the rows of this release are not known: its original is counts; count it by FrequencySet.of(table)"
            )
        return self.original.microdata

    def marker(self, sensitive: str | None = None) -> str:
        """Return the text of the cells whose values are hidden."""
        texts = self.shown.get(self.original.sensitive_name(sensitive), ())
        return next((str(text) for text in texts if text is not None), "")

    def rows(self, table: Microdata | None = None) -> AnonymizedTable:
        """Return a table's rows as text: quasi-identifiers as they are shown, sensitive attributes as they are.

        Raises
        ------
        TableError
            If the release is of another table, or two labels of a column have the same text, so that writing would
            merge them.

        Examples
        --------
        >>> import pandas as pd
        >>> frame = pd.DataFrame({"age": ["21", "41", "22"], "disease": ["flu", "flu", "cold"]})
        >>> table = Microdata.from_frame(frame, quasi_identifiers="age", sensitive="disease")
        >>> ages = {"age": Hierarchy.intervals(frame["age"], [10], origin=1, name="age")}
        >>> release = Release.full_domain(FrequencySet.of(table), ages, {"age": 1})
        >>> release.suppress([1]).rows(table).columns
        {'age': ['21-30', '*', '21-30'], 'disease': ['flu', 'flu', 'cold']}
        """
        mine = self.on_rows(table)
        texts = {name: texts_of(each.labels, name)[mine.codes[name]] for name, each in self.recodings.items()}
        return written_table(mine.rows_of, texts, mine.withheld, mine.shown)

    @property
    def table(self) -> pd.DataFrame:
        """The published table as a frame with the index of the original: quasi-identifiers as texts, suppressed marked.

        Row i is row i of the original, to be looked at beside it. For publication take `rows().to_csv()`, which sorts
        the rows by what they show and names none.
        """
        mine = self.on_rows()
        written, table = mine.rows(), mine.rows_of
        columns: dict[str, Any] = {name: written.columns[name] for name in self.recodings}
        for column in table.sensitive:
            cells, texts = column.domain.cells(column.codes), mine.shown.get(column.name)
            if texts is not None:
                cells = [cell if text is None else text for cell, text in zip(cells, texts, strict=True)]
            columns[column.name] = cells
        return frame_of(columns, table.index)

    @property
    def classes(self) -> ClassCounts:
        """The released classes' counts; Q is that of all records."""
        return self.class_counts(reference="all")

    def suppressed_class(self, sensitive: str | None = None) -> ClassCounts:
        """Return the suppressed records as one class, against the Q of all records.

        They are published in no class, and yet they are one to whoever sees that they were suppressed: one such record
        shows its sensitive value.

        Raises
        ------
        TableError
            If no record is suppressed.
        """
        if not self.suppressed:
            raise TableError("no record of the release is suppressed, so there is no class of them")
        others = replace(self.released, suppressed=~self.released.suppressed).project(())
        return replace(others.class_counts(sensitive, reference="all"), suppressed=0)

    def suppressed_together(self, model: PrivacyModel, sensitive: str | None = None) -> dict[str, Any] | None:
        """Say what the suppressed records are like as one class, see `suppressed_class`; None if there are none.

        Where the table has no sensitive attribute, they have no values.
        """
        if not self.suppressed:
            return None
        alone = self.suppressed_class(sensitive)
        return {
            "records": self.suppressed,
            "distinct_values": len(alone.values) * alone.has_values,
            "status": model.evaluate(alone).status,
        }

    def to_dict(self) -> dict[str, Any]:
        """Return what is published as JSON-ready data, without the rows."""
        sizes = self.class_sizes
        return {
            "records": self.records,
            "suppressed_records": self.suppressed,
            "classes": len(self),
            "smallest_class": int(sizes.min(initial=self.records)),
            "largest_class": int(sizes.max(initial=0)),
            "quasi_identifiers": {name: recoding.kind for name, recoding in self.recodings.items()},
            "losses": {
                name: {**value_texts(each.value), "better": each.better} for name, each in self.losses().items()
            },
            "conventions": dict(self.conventions),
        }

    # ------------------------------------------------------------------ reading

    def __len__(self) -> int:
        """The number of released classes."""
        return len(self.class_sizes)

    @property
    def conventions(self) -> Conventions:
        """The choices that the original brings along."""
        return self.original.conventions

    @property
    def levels(self) -> dict[str, int | None]:
        """The level of every quasi-identifier; None where its labels are of several."""
        return {name: recoding.level for name, recoding in self.recodings.items()}

    @cached_property
    def locally_recoded(self) -> tuple[str, ...]:
        """The quasi-identifiers in which one value lies below several labels that released records carry."""
        return tuple(name for name in self.recodings if np.bincount(self._shown_as(name)[1]).max(initial=0) > 1)

    def label_of_values(self, name: str) -> IntArray:
        """Return the label that released records show for each value, shape (values,); −1 where there is none.

        It is only asked for where there is never more than one, see `locally_recoded`.
        """
        labels, values = self._shown_as(name)
        label_of = np.full(len(self.original.domains[name]), -1, dtype=np.int64)
        label_of[values] = labels
        return label_of

    def _shown_as(self, name: str) -> tuple[IntArray, IntArray]:
        """Return pairs of a label that released records carry and a value below it."""
        starts, values = self.recodings[name].below("table")
        labels = np.repeat(np.arange(len(starts) - 1), np.diff(starts))
        carried = self.label_counts(name)[labels] > 0
        return labels[carried], values[carried]

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
        changed = replace(
            self.original,
            domains={**self.original.domains, **{name: r.labels for name, r in self.recodings.items()}},
            codes={**self.original.codes, **self.codes},
            suppressed=self.withheld,
        )
        return changed.project(self.original.quasi_identifiers)

    def class_counts(self, sensitive: str | None = None, *, reference: Reference = "released") -> ClassCounts:
        """Return the released classes' counts, see `FrequencySet.class_counts`; `TableError` if there is no class."""
        if self.released.suppressed.all():
            raise TableError("every record of the release is suppressed, so there is no class")
        return self.released.class_counts(sensitive, reference=reference)

    @cached_property
    def classes_before_suppression(self) -> tuple[IntArray, int]:
        """The class of each original combination as if nothing were suppressed, and the number of classes."""
        key = combined_codes(
            [self.codes[name] for name in self.recodings],
            [len(r.labels) for r in self.recodings.values()],
            rows=len(self.original),
        )
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

    @property
    def people(self) -> IntArray:
        """The class sizes: here a record is a person."""
        return self.class_sizes

    def value_counts(self, name: str, *, withheld: bool) -> IntArray:
        """Return how many suppressed (or released) records have each original value, shape (values,)."""
        rows = self.withheld if withheld else ~self.withheld
        return totals(self.original.codes[name][rows], self.original.counts[rows], len(self.original.domains[name]))

    def label_counts(self, name: str) -> IntArray:
        """Return how many released records carry each label, shape (labels,)."""
        size = len(self.recodings[name].labels)
        if isinstance(self.codes, LabelCodes):
            whole = totals(self.codes.label_of[name], self.original.totals_of(name), size)
        else:
            whole = totals(self.codes[name], self.original.counts, size)
        lost = self._lost
        return whole - totals(self.codes[name][lost], self.original.counts[lost], size) if len(lost) else whole

    @cached_property
    def _lost(self) -> IntArray:
        """The places of the suppressed combinations."""
        return np.flatnonzero(self.withheld)

    def require_attributes(self, purpose: str, names: Collection[Hashable] = ()) -> None:
        """Raise `TableError` unless there is a quasi-identifier, and each of `names` is one."""
        if not self.recodings:
            raise TableError(f"{purpose} is a mean over quasi-identifiers, and this table has none")
        for name in names:
            if name not in self.recodings:
                raise TableError(f"{name!r} is not a quasi-identifier of this table; it has {tuple(self.recodings)}")
