"""`UnalignedRelease`: a release of which labels and counts are known, and not which row is which record.

Privacy models read classes; losses of cells, heights, class sizes and risks read labels and counts; and where a value
lies below one label only, so does the reconstruction behind the KL utility. All of them are what they are for any
alignment of the rows with the records. What would depend on the alignment raises `NotAligned`.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property
from typing import Any, NoReturn

import numpy as np

from tcloseness.errors import NotAligned
from tcloseness.exact import IntArray
from tcloseness.microdata import FrequencySet, Microdata
from tcloseness.microdata.grouping import combined_codes
from tcloseness.release.counting import totals
from tcloseness.release.recoding import Recoding
from tcloseness.release.release import Release

__all__ = ["UnalignedRelease"]


class UnalignedRelease(Release):
    """A release that was read from rows of which it is not known whose they are, such as a file that is sorted.

    `tcloseness.Table.read_release` makes it.

    Attributes
    ----------
    original
        The table before anything was done to it.
    recodings
        The labels of each quasi-identifier, by name, in the table's order.
    released
        The published labels and sensitive values; suppressed records are marked in it, those that are left out too.

    Examples
    --------
    >>> import pandas as pd
    >>> from tcloseness import Table
    >>> frame = pd.DataFrame({"age": [41, 24, 38, 21], "ill": ["cold", "cold", "flu", "flu"]})
    >>> table = Table(frame, quasi_identifiers="age", sensitive="ill")
    >>> rows = pd.DataFrame({"age": ["20-29", "20-29", "30-49"], "ill": ["cold", "flu", "flu"]})
    >>> found = table.read_release(rows)
    >>> found.class_sizes.tolist(), found.suppressed, str(found.losses()["GCP"].value)
    ([2, 1], 1, '29/80')
    >>> try:
    ...     found.table
    ... except NotAligned as error:
    ...     print(str(error).split(";")[0])
    which published row is which record is not known, so the label of each record is not either
    """

    def __init__(self, original: FrequencySet, recodings: Mapping[str, Recoding], released: FrequencySet) -> None:
        for name, value in {"original": original, "recodings": recodings, "published": released, "shown": {}}.items():
            object.__setattr__(self, name, value)

    published: FrequencySet

    @property
    def codes(self) -> NoReturn:
        """The labels record by record, which are not known: `NotAligned`."""
        self._refuse("the label of each record")

    @property
    def withheld(self) -> NoReturn:
        """Which records are suppressed, which is not known: `NotAligned`."""
        self._refuse("which records are suppressed")

    def on_rows(self, table: Microdata | None = None) -> NoReturn:
        """Raise `NotAligned`."""
        self._refuse("the label of each record")

    @staticmethod
    def _refuse(what: str) -> NoReturn:
        raise NotAligned(
            f"which published row is which record is not known, so {what} is not either; give the original and the "
            "published frame the index that names the records (frame.set_index)"
        )

    @cached_property
    def released(self) -> FrequencySet:
        """The published table; suppressed records are marked in it."""
        return self.published

    @cached_property
    def suppressed(self) -> int:
        """The number of suppressed records."""
        return int(self.released.counts[self.released.suppressed].sum())

    @cached_property
    def class_sizes(self) -> IntArray:
        """The sizes of the released classes, possibly none."""
        kept = ~self.released.suppressed
        names = self.released.quasi_identifiers
        key = combined_codes(
            [self.released.codes[name][kept] for name in names],
            [len(self.released.domains[name]) for name in names],
            rows=int(kept.sum()),
        )
        found, numbers = np.unique(key, return_inverse=True)
        return totals(numbers, self.released.counts[kept], len(found))

    @cached_property
    def sizes_before_suppression(self) -> IntArray:
        """The sizes of all classes as if nothing were suppressed, which is known where nothing is.

        Raises
        ------
        NotAligned
            If some records are suppressed.
        """
        if self.suppressed:
            self._refuse("the class that a suppressed record was in")
        return self.class_sizes

    def label_counts(self, name: str) -> IntArray:
        """Return how many released records carry each label, shape (labels,)."""
        kept = ~self.released.suppressed
        return totals(self.released.codes[name][kept], self.released.counts[kept], len(self.recodings[name].labels))

    def value_counts(self, name: str, *, withheld: bool) -> IntArray:
        """Return how many suppressed (or released) records have each original value, shape (values,).

        Raises
        ------
        NotAligned
            If some records are suppressed.
        """
        if self.suppressed:
            self._refuse("which values suppressed records have")
        found: Any = self.original.totals_of(name)
        return np.zeros_like(found) if withheld else found
