"""`Maps`: what a release shows in place of a row's values, as maps that can be joined to the rows where they are.

Where each quasi-identifier's label follows from its own value, there is one map an attribute, and suppressed records
are those of some combinations of labels. Where it does not (classes of records, local recoding), there is one map of
combinations of values; where equal combinations are shown in different ways, no map knows which row is which.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tcloseness.errors import TableError
from tcloseness.exact import IntArray
from tcloseness.microdata.grouping import combined_codes
from tcloseness.release.release import Release
from tcloseness.release.rows import free_marker, texts_of

__all__ = ["ByCombination", "ByValue", "Maps"]


@dataclass(frozen=True, eq=False)
class ByValue:
    """One map an attribute.

    Attributes
    ----------
    of
        By attribute, quasi-identifiers and then sensitive ones, the place of each value's text, shape (values,).
    suppressed
        The combinations of texts' places of the quasi-identifiers whose records are suppressed, shape
        (combinations, quasi-identifiers).
    """

    of: Mapping[str, IntArray]
    suppressed: IntArray


@dataclass(frozen=True, eq=False)
class ByCombination:
    """One map of combinations of values.

    Attributes
    ----------
    values
        By each attribute that decides, the codes of its values in each combination.
    shown
        By each attribute whose text is decided so, the places of the texts.
    """

    values: Mapping[str, IntArray]
    shown: Mapping[str, IntArray]


class Maps:
    """What a release shows.

    Attributes
    ----------
    release
        The release.
    marker
        What suppressed records show in all quasi-identifiers; None if there are none.
    texts
        By attribute, quasi-identifiers and then sensitive ones, the different texts that its cells may show.
    codes
        By attribute the place of the text of each of the release's combinations, shape (combinations,).

    Raises
    ------
    TableError
        As `Release.rows`.
    """

    def __init__(self, release: Release) -> None:
        self.release = release
        original, withheld = release.original, release.withheld
        self.texts: dict[str, list[str]] = {}
        self.codes: dict[str, IntArray] = {}
        labels = {name: texts_of(recoding.labels, name) for name, recoding in release.recodings.items()}
        if withheld.any() and not labels:
            raise TableError("records are suppressed in a table without quasi-identifiers, so no cell can mark them")
        codes = {name: np.asarray(release.codes[name]) for name in labels}
        self.marker = free_marker(labels, codes, ~withheld) if withheld.any() else None
        for name, texts in labels.items():
            self._add(name, texts.tolist(), codes[name], self.marker, withheld)
        for name in original.sensitive:
            texts = texts_of(original.domains[name], name).tolist()
            shown = release.shown.get(name)
            self._add(name, texts, original.codes[name], None, withheld)
            if shown is not None:
                for text in {text for text in shown if text is not None}:
                    self._add(name, self.texts[name], self.codes[name], text, shown == text)

    def _add(self, name: str, texts: list[str], codes: IntArray, also: str | None, where: np.ndarray[Any, Any]) -> None:
        """Give an attribute its texts, and some of its combinations another text."""
        if also is not None:
            if also not in texts:
                texts = [*texts, also]
            codes = np.where(where, texts.index(also), codes)
        self.texts[name], self.codes[name] = texts, codes

    @cached_property
    def by_value(self) -> ByValue | None:
        """The maps of single values; None where a label does not follow from its value alone."""
        release, original, names = self.release, self.release.original, list(self.release.recodings)
        kept = ~release.withheld
        of: dict[str, IntArray] = {}
        for name in (*names, *original.sensitive):
            values, shown = original.codes[name], self.codes[name] if name not in names else release.codes[name]
            found = np.full(len(original.domains[name]), -1, dtype=np.int64)
            found[values] = shown  # of suppressed records too, whose labels may be needed to know them
            chosen = kept if name in names else slice(None)
            found[values[chosen]] = shown[chosen]
            if (found[values[chosen]] != shown[chosen]).any():
                return None
            of[name] = found
        suppressed = np.zeros((0, len(names)), dtype=np.int64)
        if self.marker is not None:
            columns = [of[name][original.codes[name]] for name in names]
            key = combined_codes(columns, [len(self.texts[name]) + 1 for name in names], rows=len(original))
            if np.isin(key[kept], key[release.withheld]).any():
                return None
            heads = np.unique(key[release.withheld], return_index=True)[1]
            suppressed = np.stack([column[release.withheld][heads] for column in columns], axis=1)
        return ByValue(of, suppressed)

    @cached_property
    def by_combination(self) -> ByCombination:
        """The map of combinations of values.

        Raises
        ------
        TableError
            Where records of equal values are shown in different ways.
        """
        original, names = self.release.original, list(self.release.recodings)
        for deciding in (names, [*names, *original.sensitive]):
            decided = [*names, *(name for name in original.sensitive if name in deciding)]
            if set(self.release.shown) - set(decided):
                continue
            found = self._decided(deciding, decided)
            if found is not None:
                return found
        raise TableError(
            "records of equal values are shown in different ways in this release, so that which row is which is known "
            "to its own rows alone: take rows().to_csv()"
        )

    def _decided(self, deciding: Sequence[str], decided: Sequence[str]) -> ByCombination | None:
        original = self.release.original
        values = [original.codes[name] for name in deciding]
        key = combined_codes(values, [len(original.domains[name]) for name in deciding], rows=len(original))
        _, heads, numbers = np.unique(key, return_index=True, return_inverse=True)
        shown = {}
        for name in decided:
            first = self.codes[name][heads]
            if (first[numbers.reshape(-1)] != self.codes[name]).any():
                return None
            shown[name] = first
        return ByCombination({name: each[heads] for name, each in zip(deciding, values, strict=True)}, shown)
