"""What the labels of a published file disclose, with or without the table that it was made of."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Literal

from tcloseness.attacks.linked_releases import LinkedRelease
from tcloseness.attacks.tight import LabelDisclosure, disclosed_by_labels
from tcloseness.errors import TableError
from tcloseness.microdata import ClassCounts, FrequencySet, Hierarchy, Microdata
from tcloseness.microdata.domain import value_text
from tcloseness.release import Recoding
from tcloseness.release.labels_alone import labels_alone, require_ends
from tcloseness.release.unaligned import UnalignedRelease

__all__ = ["PublishedLabels", "linked_by_key"]


@dataclass(frozen=True, eq=False)
class PublishedLabels:
    """The labels of a published table, what each stands for, and which of them are tight.

    Attributes
    ----------
    classes
        The classes; their keys are the labels.
    recodings
        By quasi-identifier what each label stands for.
    tight
        The names of those whose labels are tight.
    values
        Which values labels are taken to stand for, in words.
    """

    classes: ClassCounts
    recodings: Mapping[str, Recoding]
    tight: tuple[str, ...]
    values: str

    @classmethod
    def of(
        cls,
        given: UnalignedRelease | FrequencySet,
        hierarchies: Mapping[str, Hierarchy],
        tight: Mapping[str, tuple[int, int] | None],
    ) -> PublishedLabels:
        """Return the labels of a release with its original, or of the published table alone.

        Parameters
        ----------
        given
            The release; or the published table, in which suppressed records are marked.
        hierarchies
            Whose nodes the labels are, by attribute.
        tight
            By quasi-identifier whose labels are tight, the width of the cells of their grid and where one begins; None
            where there is no grid. Without the original, nothing is certain of labels on a grid.

        Raises
        ------
        TableError
            For a label that cannot be tight, or a name that is not a quasi-identifier.
        """
        if isinstance(given, UnalignedRelease):
            classes, recodings = given.classes, dict(given.recodings)
            values = "those that the table's domains and hierarchies have"
        else:
            classes, recodings = labels_alone(given, hierarchies)
            values = "any that the labels can stand for"
            tight = {name: grid for name, grid in tight.items() if grid is None}
        require_ends(recodings, tight)
        for name, grid in tight.items():
            recodings[name] = replace(recodings[name], says="attained" if grid is None else "several", grid=grid)
        return cls(classes, recodings, tuple(tight), values)

    def disclosed(self, level: Literal["labels", "tight"]) -> LabelDisclosure:
        """Return what the labels disclose, see `disclosed_by_labels`."""
        found = disclosed_by_labels(self.classes, self.recodings, self.tight, level)
        return replace(found, known={**found.known, "values": self.values})


def linked_by_key(table: Microdata, released: FrequencySet) -> LinkedRelease:
    """Return a published table whose rows say whose they are, by the label of a row in the index.

    Raises
    ------
    TableError
        If two rows are of one person.
    """
    if table.index is None or not table.index.is_unique:
        raise TableError("two rows of a release have the same key; give a column in which each row has its own")
    classes = released.class_counts(reference="all")
    columns = table.quasi_identifiers
    labels = zip(*([column.domain.values[code] for code in column.codes.tolist()] for column in columns), strict=True)
    kept = (~table.suppressed).tolist()
    rows = zip(table.index, labels if columns else [()] * len(table), kept, strict=True)
    return LinkedRelease(classes, {value_text(person): label for person, label, published in rows if published})
