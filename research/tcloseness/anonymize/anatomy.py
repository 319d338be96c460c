"""Anatomy: two tables in place of one, quasi-identifiers as they are and sensitive values counted by class.

X. Xiao, Y. Tao, "Anatomy: Simple and Effective Privacy Preservation", VLDB 2006, §3 and Figure 3. An adversary learns
of each person the class, and of each class the counts of its sensitive values. That is all only if records are drawn at
random, with a seed that the adversary does not have: of records drawn in an order that she knows she learns the values.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pandas as pd

from tcloseness.anonymize.distances import STANDARDISED, SquaredDistances
from tcloseness.anonymize.merging import asked_l, merge_until_satisfied, require_reachable
from tcloseness.conventions import Conventions
from tcloseness.displayed import Explained, counted
from tcloseness.errors import InputError, NotReached, TableError
from tcloseness.exact import IntArray
from tcloseness.limits import Clock, TimeLimit
from tcloseness.loss import LossResult, losses
from tcloseness.microdata import ClassCounts, Hierarchy, Microdata
from tcloseness.microdata.border import FullTable, in_shape
from tcloseness.models import ModelResult, PrivacyModel
from tcloseness.release.anonymized import Order, ordered_frame
from tcloseness.release.attributes import attributes_of
from tcloseness.release.counting import Counting, classes_of
from tcloseness.release.draws import Draws, numbered_by_first_record
from tcloseness.release.partition import Partition
from tcloseness.release.rows import frame_of

__all__ = ["Anatomized", "anatomy", "two_tables"]


@dataclass(frozen=True, eq=False)
class Anatomized(Explained):
    """A release in two tables. Build it with `two_tables`; the constructor trusts its arguments.

    Attributes
    ----------
    partition
        The classes; their numbers are published, and drawn.
    method
        The method's name.
    verdict
        What the model says about the classes; its status is ``satisfied``. Q is that of all records.
    sensitive
        The sensitive attribute that is released.
    done, conventions
        As in `Anonymized`.

    Notes
    -----
    Who is in the table, with which quasi-identifiers, is published as it is: this protects the link to the sensitive
    value only, and is not k-anonymity.
    """

    partition: Partition
    method: str
    verdict: ModelResult
    sensitive: str
    done: Mapping[str, Any] = field(default_factory=dict)
    conventions: Conventions = field(default_factory=Conventions)

    @property
    def _withheld(self) -> Collection[str]:
        return self.class_counts._withheld

    def _frame_rows(self) -> Iterable[Mapping[str, Any]]:
        return self.class_counts._frame_rows()

    def _said(self) -> str:
        classes = self.class_counts
        found = f"{self.method}, {counted(len(classes), 'class')} of {counted(classes.records, 'record')}"
        return f"{found}, {self.verdict.model:.80} {self.verdict.status}"

    @property
    def class_counts(self) -> ClassCounts:
        """The classes' counts."""
        return self.partition.class_counts(self.sensitive)

    def quasi_identifier_table(self, *, class_column: str = "class", order: Order = "published") -> pd.DataFrame:
        """Return the quasi-identifiers as they are and each record's class.

        Parameters
        ----------
        class_column
            The name of the column of classes.
        order
            As for `Anonymized.frame`: the rows sorted by what they show, or not for publication those of the input.
        """
        columns = {}
        for column in self.partition.table.quasi_identifiers:
            self._free(column.name, class_column)
            columns[column.name] = column.domain.cells(column.codes)
        return ordered_frame({**columns, class_column: self.partition.class_of.tolist()}, order)

    def sensitive_table(self, *, class_column: str = "class", count_column: str = "count") -> pd.DataFrame:
        """Return how many records of each class have each sensitive value that occurs in it, in the domain's order."""
        self._free(self.sensitive, class_column)
        self._free(self.sensitive, count_column)
        counts = self.class_counts
        return frame_of(
            {
                class_column: counts.class_of_cell,
                self.sensitive: counts.domain.cells(counts.values),
                count_column: counts.counts,
            }
        )

    def _free(self, name: str, added: str) -> None:
        if name == added:
            raise TableError(f"the column {name!r} of the table and the added column have one name; give another")

    @property
    def table(self) -> pd.DataFrame:
        """The quasi-identifiers and each record's class, with the index of the input, see `Release.table`."""
        index = self.partition.table.index
        frame = self.quasi_identifier_table(order="input")
        return frame if index is None else frame.set_axis(index)

    @property
    def classes(self) -> ClassCounts:
        """As `class_counts`."""
        return self.class_counts

    def losses(self) -> dict[str, LossResult]:
        """Return what the sizes of the classes cost, by the loss's name: no quasi-identifier is generalized."""
        return losses(self.class_counts)

    def record(self) -> dict[str, Any]:
        """As `to_dict`: there is one release of two tables."""
        return self.to_dict()

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-ready data, without the rows."""
        sizes = self.partition.sizes
        return {
            "method": self.method,
            "verdict": self.verdict.to_dict(self.class_counts),
            "records": len(self.partition.table),
            "classes": len(self.partition),
            "smallest_class": int(sizes.min()),
            "largest_class": int(sizes.max()),
            "done": dict(self.done),
            "conventions": dict(self.conventions),
        }


def two_tables(
    partition: Partition,
    model: PrivacyModel,
    *,
    method: str = "two tables",
    sensitive: str | None = None,
    seed: int | None = None,
    done: Mapping[str, Any] | None = None,
    conventions: Mapping[str, str] | None = None,
) -> Anatomized:
    """Publish any partition in two tables, its classes numbered anew at random, and ask the model about them.

    Parameters
    ----------
    partition
        The classes. Their numbers are not published: they may show the order of the classes or of the rows.
    model
        What they must satisfy.
    sensitive
        The sensitive attribute that is released; may be left out if there is one.
    seed
        For the numbers: None (default), a secret one; see `tcloseness.release.draws`.
    method, done, conventions
        What made the classes, for the result.

    Raises
    ------
    NotReached
        If the classes do not satisfy the model, or it cannot decide.
    InputError
        For a model without a threshold.
    TableError
        If a record is suppressed: it would be in neither table.
    """
    if partition.suppressed:
        raise TableError(
            f"{partition.suppressed} record(s) of the partition are suppressed, and two tables have no place for them; "
            "put every record into a class"
        )
    draws = Draws(seed)
    partition = _numbered_at_random(partition, draws)
    counts = partition.class_counts(sensitive)
    verdict = model.evaluate(counts)
    if verdict.status == "measured":
        raise InputError(f"{model.name} has no threshold, so no table reaches it; give one")
    if verdict.status != "satisfied":
        raise NotReached(
            f"{method} ended at classes on which {model.name} is {verdict.status} ({len(verdict.violating)} of "
            f"{len(partition)} violate it); whether others satisfy it is not known: weaken the model"
        )
    named = verdict.conventions.but({**(conventions or {}), "draws": draws.text})
    return Anatomized(partition, method, verdict, counts.sensitive, dict(done or {}), named)


def _numbered_at_random(partition: Partition, draws: Draws) -> Partition:
    canonical = numbered_by_first_record(partition.class_of, draws.order(partition.table))
    return Partition(partition.table, draws.permutation(len(partition), "numbers of the classes")[canonical])


def anatomy(
    table: Microdata | FullTable,
    model: PrivacyModel,
    hierarchies: Mapping[str, Hierarchy] | None = None,
    *,
    sensitive: str | None = None,
    categorical: Collection[str] = (),
    seed: int | None = None,
    time_limit: TimeLimit = None,
    memory_limit: int | None = None,
) -> Anatomized:
    """Anonymize by Anatomy: classes of ℓ or more records with different sensitive values, published in two tables.

    While ℓ sensitive values have records left, a class takes one record of each of the ℓ most frequent among them,
    drawn at random. Each record left over joins a class that lacks its value, also drawn. For a model that asks for
    more than ℓ-diversity, classes that violate it are then merged with their nearest on the quasi-identifiers.

    Parameters
    ----------
    table, sensitive, time_limit, memory_limit
        As for `tcloseness.anonymize.mdav`.
    model
        A model with a frequency, distinct or entropy ℓ-diversity in it; an ℓ that is not a whole number is rounded up.
    hierarchies, categorical
        By quasi-identifier, see `attributes_of`; for the mergers only.
    seed
        As there. **What is drawn with a seed that somebody knows protects nobody from them.**

    Raises
    ------
    InfeasibleError
        If the whole table violates a monotone model; for frequency ℓ-diversity with a whole ℓ that is the paper's
        eligibility condition (no value in more than n/ℓ records), without which there is no such partition.
    NotReached
        If the condition fails for another model.
    InputError
        If no ℓ is asked for.
    LimitReached
        As `tcloseness.anonymize.mdav`.

    Notes
    -----
    Each class has each value at most once, so it is ℓ-diverse in frequency, number and entropy. As in the paper, the
    record of a value, the choice among equally frequent values and the class of a record left over are drawn at random,
    and so are the classes' numbers. Without mergers, every way to hand each class's values to its members is then
    equally probable to whoever has the two tables, this code and all parameters but the seed. Mergers depend on which
    classes violate the model, so they may disclose more. With a given seed the order of the rows changes nothing, up to
    records that are equal in everything. Cost O(n log m) without mergers.

    References
    ----------
    Xiao and Tao 2006, Definition 2, Property 1 (eligibility), Figure 3.

    Examples
    --------
    >>> from tcloseness.models import FrequencyLDiversity
    >>> frame = pd.DataFrame({"age": [21, 22, 25, 41], "disease": ["flu", "flu", "cold", "gout"]})
    >>> table = Microdata.from_frame(frame, quasi_identifiers="age", sensitive="disease")
    >>> found = anatomy(table, FrequencyLDiversity(2))
    >>> found.quasi_identifier_table()["age"].tolist(), found.partition.sizes.tolist()
    ([21, 22, 25, 41], [2, 2])
    >>> sorted(found.sensitive_table()["disease"])
    ['cold', 'flu', 'flu', 'gout']
    >>> found.conventions["draws"]
    'drawn at random with a secret seed'
    """
    table = in_shape(table, Microdata)
    clock, draws = Clock.of(time_limit, memory_limit), Draws(seed)
    counting = Counting(table, sensitive)
    l = asked_l(model)  # noqa: E741
    require_reachable(counting, model)
    most = int(counting.reference.max())
    if most * l > len(table):
        raise NotReached(
            f"Anatomy needs each sensitive value in at most n/l = {len(table)}/{l} records, and one is in {most}; "
            "lower l, or take another method"
        )
    order = draws.order(table)
    class_of = np.empty(len(table), dtype=np.int64)
    class_of[order], over = _classes(counting.codes[order], len(counting.domain), l, draws, clock)
    attributes = attributes_of(table, hierarchies, categorical=categorical)
    distances = SquaredDistances(attributes, [column.codes[order] for column in table.quasi_identifiers])
    merged, mergers = merge_until_satisfied(class_of, model, counting, distances, order, clock)
    return two_tables(
        Partition(table, merged),
        model,
        method="Anatomy",
        sensitive=counting.sensitive,
        seed=seed,
        done={"l": l, "classes before mergers": int(class_of.max()) + 1, "records left over": over, "mergers": mergers},
        conventions={
            "recoding": "none: two tables, linked by class",
            "distance of records": f"for mergers: {STANDARDISED}",
            "last records": "each joins a drawn class that lacks its value",
            "ties": "drawn: equally frequent values, and the record of a value; for mergers, by quasi-identifiers",
        },
    )


def _classes(codes: IntArray, m: int, l: int, draws: Draws, clock: Clock) -> tuple[IntArray, int]:  # noqa: E741
    """Return the class of each record, and how many were left over."""
    drawn = draws.permutation(len(codes), "records of a value")
    rows = drawn[np.argsort(codes[drawn], kind="stable")]
    ends = np.cumsum(np.bincount(codes, minlength=m)).tolist()
    at = [0, *ends[:-1]]
    rank = draws.permutation(m, "equally frequent values").tolist()
    heap = [
        (start - end, rank[value], value)
        for value, (start, end) in enumerate(zip(at, ends, strict=True))
        if start < end
    ]
    heapq.heapify(heap)
    class_of = np.empty(len(codes), dtype=np.int64)
    values_of: list[set[int]] = []
    while len(heap) >= l:
        clock.check(classes_of(len(values_of) * l, len(codes)))
        fullest = [heapq.heappop(heap) for _ in range(l)]
        values_of.append({value for _, _, value in fullest})
        for left, tie, value in fullest:
            class_of[rows[at[value]]] = len(values_of) - 1
            at[value] += 1
            if left + 1 < 0:
                heapq.heappush(heap, (left + 1, tie, value))
    over = sorted((value, row) for *_, value in heap for row in rows[at[value] : ends[value]].tolist())
    for place, (value, row) in enumerate(over):
        offered = draws.permutation(len(values_of), f"class of record {place} left over").tolist()
        number = next(g for g in offered if value not in values_of[g])
        class_of[row] = number
        values_of[number].add(value)
    return class_of, len(over)
