"""`Anonymized`: what every method of this room returns, verified on the table as it is published."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, Literal

import numpy as np
import pandas as pd

from tcloseness.anonymize.attributes import Attribute, kinds_text
from tcloseness.anonymize.counting import Counting
from tcloseness.anonymize.partition import Partition
from tcloseness.conventions import Conventions
from tcloseness.errors import InputError, NotReached
from tcloseness.lattice.anonymized import AnonymizedTable, written_table
from tcloseness.microdata import MISSING, ClassCounts, ClassKeys, Domain
from tcloseness.microdata.domain import value_text
from tcloseness.models import ModelResult, PrivacyModel

__all__ = ["Anonymized", "verified"]


@dataclass(frozen=True, eq=False)
class Anonymized:
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
        What the method did, by name: counts, and the choices that are no conventions.
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

    @property
    def class_counts(self) -> ClassCounts:
        """The published classes' counts, with their labels as keys."""
        return _keyed(self.partition, self.labels, self.sensitive)

    @cached_property
    def table(self) -> AnonymizedTable:
        """The rows as text, in the input's order; suppressed records carry the marker in all quasi-identifiers."""
        columns: dict[str, np.ndarray[Any, Any]] = {}
        for place, attribute in enumerate(self.attributes):
            texts = np.array([*(label[place] for label in self.labels), None], dtype=object)  # −1 is the last
            columns[attribute.name] = texts[self.partition.class_of]
        return written_table(self.partition.table, columns, self.partition.class_of < 0)

    def frame(self, *, suppressed: Literal["marked", "left out"] = "marked") -> pd.DataFrame:
        """Return the published table: the columns of the input in its roles, and nothing else.

        Quasi-identifiers are texts, sensitive values are as they were, rows are in the input's order.

        Parameters
        ----------
        suppressed
            ``"marked"`` (default): a suppressed record stays, with the marker of `table` in all quasi-identifiers, so
            that Q can be computed from what is published; ``"left out"``: it does not.
        """
        if suppressed not in ("marked", "left out"):
            raise InputError(f"suppressed={suppressed!r} is unknown; it is 'marked' or 'left out'")
        written = self.table.columns
        columns: dict[str, Any] = {a.name: written[a.name] for a in self.attributes}
        for column in self.partition.table.sensitive:
            values = [None if value is MISSING else value for value in column.domain.values]
            columns[column.name] = [values[code] for code in column.codes.tolist()]
        frame = pd.DataFrame(columns)
        if suppressed == "marked":
            return frame
        return frame[self.partition.class_of >= 0].reset_index(drop=True)

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

    Classes whose labels are written alike are merged first. A model that is monotone under generalization stays
    satisfied then, t-closeness among them (TC, Generalization Property); any other is asked anew like all.

    Raises
    ------
    NotReached
        If the published classes do not satisfy the model, or it cannot decide.
    InputError
        For a model without a threshold: there is nothing to reach.
    TableError
        If every record is suppressed, or the sensitive attribute is unknown or not named where there are several.
    """
    counting = Counting(partition.table, sensitive)
    texts = [tuple(map(value_text, label)) for label in partition.labels(attributes)]
    numbers: dict[tuple[str, ...], int] = {}
    target = [numbers.setdefault(text, len(numbers)) for text in texts]
    published = partition if len(numbers) == len(partition) else partition.merged(target)
    labels = tuple(numbers)
    verdict = model.evaluate(_keyed(published, labels, counting.sensitive))
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
