"""`FrequencySet`: the distinct combinations of quasi-identifier and sensitive values, and how often each occurs.

The term is Incognito's (LeFevre, DeWitt, Ramakrishnan, SIGMOD 2005). A table of any size is compressed to it once; a
generalization is a roll-up of it, and the rows are not needed again.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from itertools import count
from os import PathLike
from typing import Any, Literal

import numpy as np
import pandas as pd

from tcloseness.conventions import Conventions
from tcloseness.errors import TableError
from tcloseness.exact import INT64_MAX, IntArray
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.microdata.classes import ClassCounts, ClassKeys
from tcloseness.microdata.combinations import IN_MEMORY, Coded, Combinations, Options, Origin
from tcloseness.microdata.domain import NO_SENSITIVE, NO_VALUES, Domain, attribute_names
from tcloseness.microdata.grouping import combined_codes, grouped, packed, taken, unpacked
from tcloseness.microdata.hierarchy import Hierarchy
from tcloseness.microdata.roles import Roles, assigned, names_of
from tcloseness.microdata.sources import combinations
from tcloseness.microdata.table import Microdata, read_rows
from tcloseness.microdata.tidy import CountedRows

__all__ = ["FrequencySet"]

Reference = Literal["released", "all"]


@dataclass(frozen=True, eq=False)
class FrequencySet(CountedRows):
    """Distinct combinations of values with their counts.

    Attributes
    ----------
    quasi_identifiers, sensitive
        Attribute names, in the caller's order.
    domains
        The domain of every attribute, by name.
    codes
        By attribute name, the code of each combination's value; shape (combinations,), int64.
    counts
        How many records carry each combination; shape (combinations,), int64, all positive.
    suppressed
        Which combinations are suppressed records; shape (combinations,).
    conventions
        What was chosen on the way, by name, as text.
    dropped
        How many rows of the table were dropped for missing values.
    rows
        Where rows have weights and stand for several records, how many rows carry each combination; else None.
    persons
        Where a column names the persons: the number of each combination's person, which is then a part of it.
    table
        The table that was counted; None where the combinations are no longer its.
    origin
        Where the table was counted, and by what; it is never compared.
    reader
        What reads the rows of a table that was counted without them; None where the combinations are no longer its.
    """

    quasi_identifiers: tuple[str, ...]
    sensitive: tuple[str, ...]
    domains: Mapping[str, Domain]
    codes: Mapping[str, IntArray]
    counts: IntArray
    suppressed: np.ndarray[Any, np.dtype[np.bool_]]
    conventions: Conventions = field(default_factory=Conventions)
    dropped: int = 0
    rows: IntArray | None = None
    persons: IntArray | None = None
    table: Microdata | None = field(default=None, compare=False)
    origin: Origin = field(default=IN_MEMORY, compare=False)
    reader: Callable[[], Microdata] | None = field(default=None, compare=False)

    @classmethod
    def of(cls, table: Microdata | FullTable) -> FrequencySet:
        """Count the combinations of a table. Cost: one sort of the rows' combined codes."""
        table = in_shape(table, Microdata)
        return replace(cls.of_rows(table)._compressed(), table=table)

    @classmethod
    def of_rows(cls, table: Microdata) -> FrequencySet:
        """Return a table with each row as a combination of its own, in their order."""
        columns = {column.name: column for column in (*table.quasi_identifiers, *table.sensitive)}
        return cls(
            tuple(c.name for c in table.quasi_identifiers),
            tuple(c.name for c in table.sensitive),
            {name: column.domain for name, column in columns.items()},
            {name: column.codes for name, column in columns.items()},
            np.ones(len(table), dtype=np.int64) if table.weights is None else table.weights,
            table.suppressed,
            table.conventions,
            table.dropped,
            None if table.weights is None else np.ones(len(table), dtype=np.int64),
            table.persons,
            table,
        )

    @classmethod
    def from_frame(cls, frame: pd.DataFrame, **roles: Any) -> FrequencySet:
        """Read a data frame and count its combinations; the arguments are those of `Microdata.from_frame`.

        Examples
        --------
        >>> table = pd.DataFrame({"zip": ["476**", "476**", "4790*"], "salary": [3, 4, 3]})
        >>> FrequencySet.from_frame(table, quasi_identifiers="zip", sensitive="salary").class_counts().class_sizes
        array([2, 1])
        """
        return cls.of(Microdata.from_frame(frame, **roles))

    @classmethod
    def read(
        cls,
        source: Any,
        *,
        separator: str | None = None,
        encoding: str | None = None,
        missing_texts: Sequence[str] | None = None,
        memory: int | str | None = None,
        threads: int | None = None,
        temporary: str | PathLike[str] | None = None,
        **roles: Any,
    ) -> FrequencySet:
        """Count the combinations of a table where it is: its rows are not loaded.

        Parameters
        ----------
        source
            The path of a CSV, TSV or Parquet file (also compressed), a list of paths or a pattern
            (``"part-*.parquet"``), an open file; a frame of pandas, Polars, PySpark, Dask or Ibis, a table or dataset
            of Arrow, or a relation of DuckDB (``connection.sql("select …")``).
        separator, encoding
            Of text files, see `read_table`.
        missing_texts
            The cell texts that mean a missing value; by default the empty text in files, and none elsewhere.
        memory, threads, temporary
            How much memory the engine may take (bytes, or a text such as ``"1GB"``; by default half of what is free),
            how many threads, and the folder for what does not fit the memory.
        **roles
            As for `Microdata.from_frame`, which means the same by them.

        Raises
        ------
        TableError, DomainError
            For a source that cannot be read, or too little memory; and as from a frame.

        Examples
        --------
        >>> table = pd.DataFrame({"zip": ["476**", "476**", "4790*"], "salary": [3, 4, 3]})
        >>> FrequencySet.read(table, quasi_identifiers="zip", sensitive="salary").counts
        array([1, 1, 1])
        """
        asked = Roles.of(**roles)
        options = Options(separator, encoding, missing_texts, memory, threads, temporary)
        counted = cls.of_combinations(combinations(source, asked.by_column, options=options), asked)
        return replace(counted, reader=partial(read_rows, source, options, roles))

    @classmethod
    def of_combinations(cls, found: Combinations, asked: Roles) -> FrequencySet:
        """Give combinations of raw cells their roles, see `tcloseness.microdata.sources.combinations`."""
        made = assigned(found, asked)
        rows = np.ones(len(made.marked), dtype=np.int64) if made.counts is None else made.counts
        return cls(
            asked.quasi_identifiers,
            asked.sensitive,
            {name: domain for name, (_, domain) in made.columns.items()},
            {name: codes for name, (codes, _) in made.columns.items()},
            rows if made.weights is None else rows * made.weights,
            made.marked,
            made.conventions,
            made.dropped,
            None if made.weights is None else rows,
            made.persons,
            origin=found.origin,
        )._compressed()

    @cached_property
    def microdata(self) -> Microdata:
        """The rows that were counted; read now, where they were not.

        Raises
        ------
        TableError
            If they are not known, or the source cannot be read again, or is no longer what was counted.
        """
        if self.table is not None:
            return self.table
        if self.reader is None:
            raise TableError(
                "the rows are not known: the table was given as counts; count it by FrequencySet.of(table)"
            )
        found = self.reader()
        if FrequencySet.of(found).digest != self.digest:
            raise TableError("the source is no longer what was counted; count it again")
        return found

    @classmethod
    def from_counts(
        cls,
        counts: Mapping[Sequence[object], int] | Iterable[tuple[Sequence[object], int]],
        *,
        quasi_identifiers: str | Iterable[str],
        sensitive: str | Iterable[str] | None = None,
        **roles: Any,
    ) -> FrequencySet:
        """Read combinations with how many records have each, from whatever yields them: a query, a counter, a stream.

        Parameters
        ----------
        counts
            Pairs of a combination, the values of the quasi-identifiers and then of the sensitive attributes, and its
            count, a positive whole number; the counts of a combination that occurs again are added.
        quasi_identifiers, sensitive, **roles
            As for `Microdata.from_frame`, which checks the values in the same way.

        Raises
        ------
        TableError
            For a combination of another length; and as from a frame.

        Examples
        --------
        >>> counts = {("476**", 3): 2, ("476**", 4): 1, ("4790*", 3): 5}
        >>> FrequencySet.from_counts(counts, quasi_identifiers="zip", sensitive="salary").class_counts().class_sizes
        array([3, 5])
        """
        qi = names_of(quasi_identifiers)
        names = (*qi, *(() if sensitive is None else names_of(sensitive)))
        weight = next(name for n in count() if (name := f"count {n}") not in names)
        rows: list[list[object]] = []
        for pair in counts.items() if isinstance(counts, Mapping) else counts:
            combination, number = pair
            if isinstance(combination, str) or len(combination) != len(names):
                raise TableError(
                    f"combination {combination!r:.80} must be {len(names)} values, of {', '.join(map(repr, names))}"
                )
            rows.append([*combination, number])
        frame = pd.DataFrame(rows, columns=pd.Index([*names, weight], dtype=object), dtype=object)
        return replace(
            cls.from_frame(frame, quasi_identifiers=qi, sensitive=sensitive, weight=weight, **roles), rows=None
        )

    def __len__(self) -> int:
        return len(self.counts)

    @property
    def records(self) -> int:
        """The number of records, suppressed ones included."""
        return int(self.counts.sum())

    @cached_property
    def digest(self) -> str:
        """The sha256 of the canonical text: the columns, and each combination of values with its records, sorted.

        It does not depend on the engine; certificates are bound to it where there is one sensitive attribute.
        """
        from tcloseness.microdata.canonical import canonical_digest

        return canonical_digest(self, (*self.quasi_identifiers, *self.sensitive))

    @property
    def total_rows(self) -> int:
        """The number of rows, suppressed ones included, however many records each stands for."""
        return self.records if self.rows is None else int(self.rows.sum())

    def records_of(self, name: str) -> list[int]:
        """Return how many records have each value of an attribute, in the order of its domain."""
        return [int(number) for number in self.totals_of(name)]

    def totals_of(self, name: str) -> IntArray:
        """Return the same as an array; it is counted once."""
        if name not in self.codes:
            raise TableError(f"{name!r} is not an attribute of this table; it has {', '.join(map(repr, self.codes))}")
        if name not in self._totals:
            found = np.zeros(len(self.domains[name]), dtype=np.int64)
            np.add.at(found, self.codes[name], self.counts)
            self._totals[name] = found
        return self._totals[name]

    @cached_property
    def _totals(self) -> dict[str, IntArray]:
        return {}

    def combinations(self) -> IntArray:
        """Return a number for each combination that is the same where all values are; shape (combinations,)."""
        names = (*self.quasi_identifiers, *self.sensitive)
        key = combined_codes([self.codes[n] for n in names], [len(self.domains[n]) for n in names])
        return np.unique(key, return_inverse=True)[1].reshape(-1)

    def _compressed(self) -> FrequencySet:
        """Return the same with each combination once, in ascending order."""
        names = (*self.quasi_identifiers, *self.sensitive)
        sizes = [len(self.domains[name]) for name in names]
        marks = int(self.suppressed.any())
        largest = int(self.counts.max(initial=0)) + 1
        if self.rows is None and self.persons is None and math.prod(sizes) * (marks + 1) * largest <= INT64_MAX:
            columns, radices = [self.suppressed.view(np.int8), *map(self.codes.__getitem__, names)], [marks + 1, *sizes]
            key, sums = packed(columns, radices, self.counts, largest)
            marked, *codes_of = unpacked(key, radices)
            coded, marked = dict(zip(names, codes_of, strict=True)), marked.astype(bool)
            return replace(self, codes=coded, counts=sums, suppressed=marked, table=None, reader=None)
        codes = {name: self.codes[name].astype(np.int64, copy=False) for name in names}
        who = [] if self.persons is None else [self.persons]
        key = combined_codes(
            [*([self.suppressed.astype(np.int64)] * marks), *codes.values(), *who],
            [*([2] * marks), *sizes, *(int(each.max()) + 1 for each in who)],
            rows=len(self),
        )
        heads, counts = grouped(key, self.counts)
        return replace(
            self,
            codes={name: taken(codes[name], heads) for name in names},
            counts=counts,
            suppressed=self.suppressed[heads],
            rows=None if self.rows is None else grouped(key, self.rows)[1],
            persons=None if self.persons is None else self.persons[heads],
            table=None,
            reader=None,
        )

    def over_rows(self) -> FrequencySet:
        """Return the same table with each row as one record: without the weights, where there are any.

        Examples
        --------
        >>> table = pd.DataFrame({"zip": [1, 1, 2], "salary": [3, 3, 4], "weight": [10, 20, 30]})
        >>> found = FrequencySet.from_frame(table, quasi_identifiers="zip", sensitive="salary", weight="weight")
        >>> found.records, found.over_rows().records
        (60, 3)
        """
        return self if self.rows is None else replace(self, counts=self.rows, rows=None, table=None, reader=None)

    def generalize(self, hierarchies: Mapping[str, Hierarchy], levels: Mapping[str, int]) -> FrequencySet:
        """Roll up to a generalization: every named quasi-identifier to a level of its hierarchy.

        Attributes that are not named stay as they are. Suppressed records stay suppressed.

        Raises
        ------
        TableError
            For an attribute that is not a quasi-identifier, or one without a hierarchy.
        HierarchyError
            For a level that the hierarchy does not have, or a value that it does not cover.
        """
        domains, codes = dict(self.domains), dict(self.codes)
        for name, level in levels.items():
            if name not in self.quasi_identifiers:
                raise TableError(f"{name!r} is not a quasi-identifier of this table, so it cannot be generalized")
            if name not in hierarchies:
                raise TableError(f"no hierarchy is given for {name!r}; give one in hierarchies")
            mapping, domains[name] = self._labels(name, hierarchies[name], level)
            codes[name] = mapping[self.codes[name]]
        return replace(self, domains=domains, codes=codes)._compressed()

    def _labels(self, name: str, hierarchy: Hierarchy, level: int) -> tuple[IntArray, Domain]:
        """Return the map of an attribute's codes at a level, and the labels; the mark of suppressed records stays."""
        domain, codes = self.domains[name], self.codes[name]
        mark = np.setdiff1d(codes[self.suppressed], codes[~self.suppressed])
        if not len(mark):
            return hierarchy.generalize(domain, level)
        rest = np.setdiff1d(np.arange(len(domain)), mark)
        mapping, target = hierarchy.generalize(domain.subset(rest), level)
        labels = list(domain.values)
        for code, label in zip(rest.tolist(), mapping.tolist(), strict=True):
            labels[code] = target.values[label]
        both = Domain.of(labels)
        return both.codes(labels), both

    def project(self, quasi_identifiers: Sequence[str]) -> FrequencySet:
        """Keep only these quasi-identifiers: the subset property's roll-up."""
        for name in quasi_identifiers:
            if name not in self.quasi_identifiers:
                raise TableError(f"{name!r} is not a quasi-identifier of this table")
        kept = (*quasi_identifiers, *self.sensitive)
        return replace(
            self,
            quasi_identifiers=tuple(quasi_identifiers),
            domains={n: self.domains[n] for n in kept},
            codes={n: self.codes[n] for n in kept},
        )._compressed()

    def class_counts(self, sensitive: str | None = None, *, reference: Reference = "released") -> ClassCounts:
        """Return how many records of each equivalence class carry each value of a sensitive attribute.

        Parameters
        ----------
        sensitive
            The attribute; may be left out if there is one.
        reference
            Whose distribution Q is: that of the ``"released"`` records (Li et al. 2007, footnote 1, default) or of
            ``"all"`` records, suppressed ones included.

        Notes
        -----
        Values that never occur in the reference are left out of the domain unless the domain was declared. Where
        persons are named, a cell counts the persons of its class who have its value.
        """
        if reference not in ("released", "all"):
            raise TableError(f"reference={reference!r} is unknown; it is 'released' or 'all'")
        name = self.sensitive_name(sensitive)
        if self.persons is not None:
            return self._once_a_person(name)._with_persons(name, reference)
        return self._class_counts(name, reference)

    def require_rows_of_different_persons(self, what: str) -> None:
        """Raise `TableError` for what adds up records, if persons are named and one has several rows."""
        if self.persons is not None:
            rows = np.bincount(self.persons, weights=self.counts)
            raise TableError(
                f"{int((rows > 1).sum())} of {len(rows)} persons have several rows, and {what} adds up records; give "
                "one row a person (in pandas, frame.groupby of the column that names them)"
            )

    def _once_a_person(self, name: str) -> FrequencySet:
        """Return the table with the one sensitive attribute, each person once for each class and value."""
        kept = attribute_names(self.quasi_identifiers, name)
        domains, codes = {n: self.domains[n] for n in kept}, {n: self.codes[n] for n in kept}
        alone = replace(self, sensitive=kept[len(self.quasi_identifiers) :], domains=domains, codes=codes)._compressed()
        return replace(alone, counts=np.ones_like(alone.counts))

    def _with_persons(self, name: str, reference: Reference) -> ClassCounts:
        """Return the class counts with the number of persons of each class."""
        assert self.persons is not None
        found = replace(self, persons=None)._class_counts(name, reference)
        released = ~self.suppressed
        qi = self.quasi_identifiers
        key = combined_codes(
            [self.codes[n][released] for n in qi], [len(self.domains[n]) for n in qi], rows=int(released.sum())
        )
        who = self.persons[released]
        pairs = combined_codes([key, who], [int(key.max(initial=0)) + 1, int(who.max(initial=0)) + 1])
        heads, _ = grouped(pairs, np.ones_like(pairs))
        persons = grouped(key[heads], np.ones_like(heads))[1]
        suppressed = len(np.unique(self.persons[self.suppressed]))
        return replace(found, persons=persons, suppressed=suppressed)

    def _class_counts(self, name: str, reference: Reference) -> ClassCounts:
        released = np.flatnonzero(~self.suppressed)
        codes, domain = self.sensitive_values(name)
        values = "declared" if domain.declared else "values that occur"
        counted = np.arange(len(self)) if reference == "all" else released
        totals = np.zeros(len(domain), dtype=np.int64)
        np.add.at(totals, taken(codes, counted), taken(self.counts, counted))
        if not domain.declared:
            used = np.flatnonzero(totals)
            if len(used) < len(domain):
                codes = np.searchsorted(used, codes)
                domain, totals = domain.subset(used), totals[used]

        qi = self.quasi_identifiers
        radices = [len(self.domains[n]) for n in qi]
        class_key = combined_codes([taken(self.codes[n], released) for n in qi], radices, rows=len(released))
        of_value = taken(codes, released)
        cell_key = combined_codes([class_key, of_value], [int(class_key.max(initial=0)) + 1, len(domain)])
        cells, counts = grouped(cell_key, taken(self.counts, released))
        starts = np.flatnonzero(np.diff(taken(class_key, cells), prepend=-1))
        heads = released[cells[starts]]
        return ClassCounts.from_cells(
            domain,
            np.append(starts, len(cells)),
            taken(of_value, cells),
            counts,
            reference=totals,
            sensitive=name,
            keys=ClassKeys(qi, tuple(self.domains[n] for n in qi), {n: taken(self.codes[n], heads) for n in qi}),
            suppressed=int(self.counts[self.suppressed].sum()),
            conventions=self.conventions.but(
                {"reference distribution": f"{reference} records", "domain": values} if name else {}
            ),
        )

    def sensitive_values(self, name: str) -> Coded:
        """Return the codes and the domain of a sensitive attribute, in the order of the combinations."""
        if name == NO_SENSITIVE:
            return np.zeros(len(self), dtype=np.int64), NO_VALUES
        return self.codes[name], self.domains[name]

    def sensitive_name(self, sensitive: str | None) -> str:
        """Return the name of a sensitive attribute, which may be left out if there is one, or none."""
        known = self.sensitive or (NO_SENSITIVE,)
        if sensitive is None:
            if len(known) != 1:
                raise TableError(f"the table has {len(known)} sensitive attributes, {known!r}; name one")
            return known[0]
        if sensitive not in known:
            raise TableError(f"{sensitive!r} is not a sensitive attribute of this table; it has {self.sensitive!r}")
        return sensitive
