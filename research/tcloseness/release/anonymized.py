"""`Anonymized`: what every method of this room returns, verified on the table as it is published."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal, TypeAlias

import numpy as np
import pandas as pd

from tcloseness.conventions import Conventions
from tcloseness.displayed import Explained, counted
from tcloseness.errors import InputError, NotReached
from tcloseness.microdata import ClassCounts, ClassKeys, Domain
from tcloseness.microdata.domain import value_text
from tcloseness.models import ModelResult, PrivacyModel
from tcloseness.models.protocol import require_model
from tcloseness.release.attributes import Attribute, kinds_text
from tcloseness.release.counting import Counting
from tcloseness.release.partition import Partition
from tcloseness.release.published import Published
from tcloseness.release.release import Release
from tcloseness.release.rows import AnonymizedTable, cell_text, frame_of, natural_order, published_order, written_table

__all__ = ["AS_PUBLISHED", "Anonymized", "Order", "ordered_frame", "verified"]

Order: TypeAlias = Literal["published", "input"]
"""The order of rows in a frame: one that shows nothing but the rows, or that of the table that was anonymized."""

AS_PUBLISHED = "loss of the classes as published"
"""What `Anonymized.done` has, where classes that show the same are one, and a loss was minimized before that."""


@dataclass(frozen=True, eq=False)
class Anonymized(Explained, Published):
    """A table in which each class of records shows one generalized value per quasi-identifier.

    Build it with `verified`; the constructor trusts its arguments.

    Attributes
    ----------
    grouped
        The classes as the method made them.
    partition
        The classes as published. Two classes whose labels are written alike are one class to every reader, so they are
        one class here, and the verdict is about these.
    labels
        Each published class's label as text, one per quasi-identifier.
    method
        The method's name.
    attributes
        How the quasi-identifiers are generalized.
    verdict
        What the model says about the published classes; its status is ``satisfied``. Q is that of all records.
    sensitive
        The sensitive attribute that the verdict is about.
    done
        What the method did, by name: counts, and the choices that are not conventions.
    conventions
        What was chosen on the way, by name.
    """

    grouped: Partition
    partition: Partition
    labels: tuple[tuple[str, ...], ...]
    method: str
    attributes: tuple[Attribute, ...]
    verdict: ModelResult
    sensitive: str
    done: Mapping[str, Any] = field(default_factory=dict)
    conventions: Conventions = field(default_factory=Conventions)

    def _said(self) -> str:
        classes = self.class_counts
        found = f"{self.method}, {counted(len(classes), 'class')} of {counted(classes.records, 'record')}"
        return f"{found}, {self.verdict.model:.80} {self.verdict.status}"

    @property
    def class_counts(self) -> ClassCounts:
        """The published classes' counts, with their labels as keys."""
        return _keyed(self.partition, self.labels, self.sensitive)

    @property
    def classes(self) -> ClassCounts:
        """As `class_counts`."""
        return self.class_counts

    @cached_property
    def release(self) -> Release:
        """The published classes beside the original."""
        return Release.of_partition(self.partition, self.attributes)

    @cached_property
    def rows(self) -> AnonymizedTable:
        """The rows as text; suppressed records carry the marker in all quasi-identifiers.

        Its columns have the input's order, so that others can be put beside them; `AnonymizedTable.to_csv` sorts the
        rows, and so does whoever publishes them by other means.
        """
        columns: dict[str, np.ndarray[Any, Any]] = {}
        for place, attribute in enumerate(self.attributes):
            texts = np.array([*(label[place] for label in self.labels), None], dtype=object)  # −1 is the last
            columns[attribute.name] = texts[self.partition.class_of]
        return written_table(self.partition.table, columns, self.partition.class_of < 0)

    def frame(
        self, *, suppressed: Literal["marked", "left out"] = "marked", order: Order = "published"
    ) -> pd.DataFrame:
        """Return the published table: the columns of the input in its roles, and nothing else.

        Quasi-identifiers are texts, sensitive values are as they were.

        Parameters
        ----------
        suppressed
            ``"marked"`` (default): a suppressed record stays, with the marker of `rows` in all quasi-identifiers, so
            that Q can be computed from what is published; ``"left out"``: it does not.
        order
            ``"published"`` (default): the rows are sorted by what they show, so that their order shows nothing else.
            ``"input"``: row i is record i of the table that was anonymized. **Not for publication**: whoever has a list
            of the people in that order would read off everybody's sensitive value.

        Raises
        ------
        InputError
            For another word.
        """
        if suppressed not in ("marked", "left out"):
            raise InputError(f"suppressed={suppressed!r} is unknown; it is 'marked' or 'left out'")
        written = self.rows.columns
        columns: dict[str, Any] = {a.name: written[a.name] for a in self.attributes}
        for column in self.partition.table.sensitive:
            columns[column.name] = column.domain.cells(column.codes)
        if suppressed == "left out":
            kept = np.flatnonzero(self.partition.class_of >= 0).tolist()
            columns = {name: [cells[i] for i in kept] for name, cells in columns.items()}
        return ordered_frame(columns, order)

    def to_dict(self) -> dict[str, Any]:
        """Return the result as JSON-ready data, without the rows."""
        sizes = self.partition.sizes
        return {
            "method": self.method,
            "verdict": self.verdict.to_dict(self.class_counts),
            "records": len(self.partition.table),
            "suppressed_records": self.partition.suppressed,
            "classes": len(self.partition),
            "classes_before_equal_labels_were_merged": len(self.grouped),
            "smallest_class": int(sizes.min()),
            "largest_class": int(sizes.max()),
            "quasi_identifiers": {a.name: a.kind for a in self.attributes},
            "done": dict(self.done),
            "conventions": dict(self.conventions),
        }


def verified(
    partition: Partition,
    model: PrivacyModel,
    *,
    method: str,
    attributes: tuple[Attribute, ...],
    sensitive: str | None = None,
    done: Mapping[str, Any] | None = None,
    conventions: Mapping[str, str] | None = None,
) -> Anonymized:
    """Publish a partition, and ask the model about the table as published.

    Classes whose labels are written alike are merged first, and classes are numbered by their labels. A model that is
    monotone under generalization stays satisfied then, t-closeness among them (Li et al. 2007, Generalization
    Property); any other is asked anew like all.

    Raises
    ------
    NotReached
        If the published classes do not satisfy the model, or it cannot decide.
    InputError, ProtocolError
        For a model without a threshold: there is nothing to reach; for what is not a model.
    TableError
        If every record is suppressed, or the sensitive attribute is unknown or not named where there are several.
    """
    counting = Counting(partition.table, sensitive)
    texts = [tuple(map(value_text, label)) for label in partition.labels(attributes)]
    labels = tuple(sorted(set(texts), key=lambda label: [natural_order(text) for text in label]))
    numbers = {label: number for number, label in enumerate(labels)}
    published = partition.merged([numbers[text] for text in texts])
    verdict = require_model(model).evaluate(_keyed(published, labels, counting.sensitive))
    if verdict.status == "measured":
        raise InputError(f"{model.name} has no threshold, so no table reaches it; give one")
    if verdict.status != "satisfied":
        raise NotReached(
            f"{method} ended at a table on which {model.name} is {verdict.status} "
            f"({len(verdict.violating)} of {len(published)} classes violate it, {verdict.records_at_risk} records); "
            "whether another table satisfies it is not known: weaken the model, or try another method"
        )
    return Anonymized(
        partition,
        published,
        labels,
        method,
        attributes,
        verdict,
        counting.sensitive,
        dict(done or {}),
        verdict.conventions.but({"quasi-identifiers": kinds_text(attributes), **(conventions or {})}),
    )


def ordered_frame(columns: Mapping[str, Sequence[Any]], order: Order) -> pd.DataFrame:
    """Return columns as a frame, its rows in their own order or in the published one, see `Anonymized.frame`.

    Raises
    ------
    InputError
        For another order.
    """
    if order not in ("published", "input"):
        raise InputError(f"order={order!r} is unknown; it is 'published' or 'input'")
    frame = frame_of(columns)
    if order == "input" or not len(frame.columns):
        return frame
    texts = [[*map(cell_text, cells)] for cells in columns.values()]
    return frame.iloc[published_order(texts)].reset_index(drop=True)


def _keyed(partition: Partition, labels: tuple[tuple[str, ...], ...], sensitive: str) -> ClassCounts:
    counts = partition.class_counts(sensitive)
    names = tuple(column.name for column in partition.table.quasi_identifiers)
    domains, codes = [], {}
    for place, name in enumerate(names):
        domain = Domain(tuple(sorted({label[place] for label in labels})))
        domains.append(domain)
        codes[name] = domain.codes(label[place] for label in labels)
    return ClassCounts.from_cells(
        counts.domain,
        counts.starts,
        counts.values,
        counts.counts,
        reference=counts.reference,
        sensitive=counts.sensitive,
        keys=ClassKeys(names, tuple(domains), codes),
        suppressed=counts.suppressed,
        conventions=counts.conventions,
    )
