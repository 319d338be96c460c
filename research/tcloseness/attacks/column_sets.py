"""Who is alone in a class under each set of columns, counted set by set.

A class is split by one column at a time. A record that is alone stays so under every greater set, and is not looked at
again; a set comes after all its parts, so that it is known then who was alone before.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from math import comb
from typing import Any, TypeAlias

import numpy as np
import numpy.typing as npt

from tcloseness.displayed import Displayed, counted
from tcloseness.errors import InputError
from tcloseness.exact import IntArray, number_text
from tcloseness.limits import Clock
from tcloseness.microdata import FrequencySet
from tcloseness.release.counting import totals

__all__ = ["MOST_SETS", "ClassCounter", "Column", "ColumnSet", "KeySet", "minimal_uniques", "sets_of_columns"]

BitArray: TypeAlias = npt.NDArray[np.uint8]

MOST_SETS = 2**16
"""Sets of columns that are counted at most, unless more are asked for."""

_EXACT = 2**53
"""Doubles count exactly up to here."""

_SQUARES = 2**31
"""The squares of class sizes are added in 64 bits while all records are fewer."""


@dataclass(frozen=True)
class ColumnSet(Displayed):
    """What one set of columns tells apart.

    Attributes
    ----------
    columns
        Their names.
    records, classes
        How many records there are, and how many different combinations of values.
    uniques
        How many records are alone in their class.
    k
        The size of the smallest class.
    minimal_uniques
        How many of the uniques are alone under no smaller set of these columns: records of which the set is a minimal
        sample unique. None where smaller sets were not counted.
    pairs_together
        How many pairs of records the columns do not tell apart.
    """

    columns: tuple[str, ...]
    records: int
    classes: int
    uniques: int
    k: int
    minimal_uniques: int | None
    pairs_together: int

    def _said(self) -> str:
        return (
            f"{counted(len(self.columns), 'column')}, {self.uniques:,} of {counted(self.records, 'record')} alone, "
            f"k = {self.k}"
        )

    @property
    def share(self) -> Fraction:
        """The share of records that are alone in their class."""
        return Fraction(self.uniques, self.records)

    @property
    def distinction(self) -> Fraction:
        """Classes/records: the share that could stay if the columns had to be a key (Motwani, Xu 2007, §1)."""
        return Fraction(self.classes, self.records)

    @property
    def separation(self) -> Fraction:
        """The share of the pairs of records that differ in some of the columns (ibid.); 1 where there are no pairs."""
        pairs = comb(self.records, 2)
        return 1 - Fraction(self.pairs_together, pairs) if pairs else Fraction(1)

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data; fractions are text."""
        return {
            "columns": list(self.columns),
            "size": len(self.columns),
            "records": self.records,
            "classes": self.classes,
            "uniques": self.uniques,
            "share": number_text(self.share),
            "k": self.k,
            "minimal_uniques": self.minimal_uniques,
            "distinction": number_text(self.distinction),
            "separation": number_text(self.separation),
        }


@dataclass(frozen=True)
class Column(Displayed):
    """What one column contributes to a set of columns that an intruder knows.

    Attributes
    ----------
    name
        The column.
    alone
        How many records are alone by this column only.
    needed
        How many records are alone by all columns of the set, and no longer without this one.
    contribution
        The share of the sum of all scores that comes from minimal sample uniques with this column; the shares of all
        columns add up to more than 1, since a minimal sample unique mostly has several columns.
    """

    name: str
    alone: int
    needed: int
    contribution: Fraction

    def _said(self) -> str:
        return f"{self.alone:,} alone by it, {self.needed:,} need it, {float(self.contribution):.1%} of the score"

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data."""
        return {
            "column": self.name,
            "alone": self.alone,
            "needed": self.needed,
            "contribution": number_text(self.contribution),
        }


@dataclass(frozen=True)
class KeySet(Displayed):
    """A set of columns that one intruder knows, as a whole.

    Attributes
    ----------
    name
        Whose it is.
    whole
        What all its columns together tell apart.
    columns
        What each of them contributes.
    """

    name: str
    whole: ColumnSet
    columns: tuple[Column, ...]

    def _said(self) -> str:
        return self.whole._said()

    def _frame_rows(self) -> list[dict[str, Any]]:
        return [{"key set": self.name, **each.to_dict()} for each in self.columns]

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data."""
        return {
            "name": self.name,
            "whole": self.whole.to_dict(),
            "columns": [each.to_dict() for each in self.columns],
        }


def sets_of_columns(key_sets: Mapping[str, tuple[str, ...]], up_to: int | None, most: int) -> list[int]:
    """Return the sets to be counted, as the bits of the columns' places, each after all its parts.

    Raises
    ------
    InputError
        For too many.
    """
    every = tuple(dict.fromkeys(name for each in key_sets.values() for name in each))
    largest = max(map(len, key_sets.values()))
    if up_to is not None and (type(up_to) is not int or up_to < 1):
        raise InputError(f"up_to is {up_to!r}; it is the greatest number of columns in a set, a whole number ≥ 1")
    if type(most) is not int or most < 1:
        raise InputError(f"most_sets is {most!r}; it must be a whole number ≥ 1")
    size = largest if up_to is None else min(up_to, largest)

    def at_most(size: int) -> int:
        return sum(comb(len(each), i) for each in key_sets.values() for i in range(1, size + 1))

    wholes = [sum(1 << every.index(name) for name in each) for each in key_sets.values()]
    found = list(_sets(wholes, len(every), size, most))
    if len(found) > most:
        fits = next((i for i in range(size - 1, 0, -1) if at_most(i) <= most), 0)
        way = f"give up_to={fits} ({at_most(fits):,} sets), " if fits else "give "
        raise InputError(
            f"{counted(len(every), 'column')} have up to {at_most(size):,} sets of at most {size}, and {most:,} are "
            f"counted at most; {way}fewer columns in quasi_identifiers, or a greater most_sets="
        )
    return found


def _sets(wholes: Sequence[int], number: int, size: int, most: int) -> Iterator[int]:
    """Go through the sets inside one of the wholes by ascending number, up to one more than the most."""
    left = most + 1
    stack = [1 << place for place in reversed(range(number))]
    while stack and left:
        chosen = stack.pop()
        yield chosen
        left -= 1
        if chosen.bit_count() < size:
            lowest = (chosen & -chosen).bit_length() - 1
            more = (chosen | 1 << place for place in reversed(range(lowest)))
            stack += [each for each in more if any(each & whole == each for whole in wholes)]


@dataclass
class _Classes:
    """The classes of one set of columns, without the records that are alone."""

    rows: IntArray
    class_of: IntArray
    number: int
    alone: npt.NDArray[np.bool_]
    uniques: int


class ClassCounter:
    """Counts the classes of a table's released records, by splitting those of a smaller set by one more column."""

    def __init__(self, counts: FrequencySet, every: Sequence[str]) -> None:
        kept = np.flatnonzero(~counts.suppressed)
        self.kept = kept
        self.codes = [np.ascontiguousarray(counts.codes[name][kept]) for name in every]
        self.sizes = [len(counts.domains[name]) for name in every]
        self.counts = counts.counts[kept]
        self.single = bool((self.counts == 1).all())
        self.records = int(self.counts.sum())
        self.start = _Classes(np.arange(len(kept)), np.zeros(len(kept), np.int64), 1, np.zeros(len(kept), bool), 0)

    def split(self, of: _Classes, place: int) -> tuple[_Classes, IntArray]:
        """Return the classes with a column more, and the sizes of those of several records."""
        codes = self.codes[place][of.rows]
        if of.number * self.sizes[place] <= 8 * len(of.rows) + 1024:
            key, number = of.class_of * self.sizes[place] + codes, of.number * self.sizes[place]
        else:
            different, key = np.unique(of.class_of * self.sizes[place] + codes, return_inverse=True)
            number = len(different)
        weights = None if self.single else self.counts[of.rows]
        if weights is None:
            sizes = np.bincount(key, minlength=number)
        elif self.records < _EXACT:
            sizes = np.bincount(key, weights=weights, minlength=number).astype(np.int64)
        else:
            sizes = totals(key, weights, number)
        several = sizes > 1
        together = several[key]
        alone = of.alone.copy()
        alone[of.rows[~together]] = True
        numbers = np.cumsum(several) - 1
        uniques = of.uniques + int(np.count_nonzero(~together))
        rows = of.rows[together]
        return _Classes(rows, numbers[key[together]], int(numbers[-1]) + 1 if number else 0, alone, uniques), sizes[
            several
        ]

    def told_apart(self, names: tuple[str, ...], places: Iterable[int]) -> ColumnSet:
        """Return what a set of columns tells apart, counted from the start; all records are one class under none."""
        found, sizes = self.start, np.array([self.records])
        if self.records == 1:
            found, sizes = replace(found, uniques=1), sizes[:0]
        for number, place in enumerate(places):
            found, sizes = self.split(found if number else self.start, place)
        return self.described(names, found, sizes, None)

    def described(self, names: tuple[str, ...], found: _Classes, sizes: IntArray, minimal: int | None) -> ColumnSet:
        """Return what a set of columns tells apart."""
        wide = sizes if self.records < _SQUARES else sizes.astype(object)
        together = int((wide * (wide - 1)).sum()) // 2 if len(sizes) else 0
        k = 1 if found.uniques else int(sizes.min())
        return ColumnSet(names, self.records, found.uniques + len(sizes), found.uniques, k, minimal, together)


def minimal_uniques(
    counter: ClassCounter, every: Sequence[str], family: Sequence[int], clock: Clock
) -> tuple[dict[int, ColumnSet], dict[int, IntArray]]:
    """Return what each set of a family tells apart, and the rows of which it is a minimal sample unique.

    Parameters
    ----------
    counter
        Of the table.
    every
        The names of the columns, by their places in the sets.
    family
        The sets as `sets_of_columns` gives them.
    clock
        The limits.
    """
    size = max(chosen.bit_count() for chosen in family)
    kept = sum(chosen.bit_count() < size for chosen in family)
    packed = (len(counter.kept) + 7) // 8
    clock.require_memory(
        kept * (packed + 200), f"who is alone under {kept:,} sets of columns", instead="fewer columns, a smaller up_to"
    )
    alone: dict[int, BitArray] = {0: np.zeros(packed, dtype=np.uint8)}
    path = [(0, counter.start)]  # to the last set, from each that it was made of by one column more
    sets: dict[int, ColumnSet] = {}
    rows_of: dict[int, IntArray] = {}
    for chosen in family:
        clock.check(f"counting the classes of sets of columns: {len(sets):,} of {len(family):,} were counted")
        bits = [place for place in range(len(every)) if chosen >> place & 1]
        while path[-1][0] != chosen & (chosen - 1):  # without the lowest column
            path.pop()
        found, sizes = counter.split(path[-1][1], bits[0])
        mine = np.packbits(found.alone)
        covered = np.bitwise_or.reduce([alone[chosen ^ 1 << place] for place in bits])
        fresh = np.flatnonzero(np.unpackbits(mine & ~covered, count=len(counter.kept)))
        rows_of[chosen] = counter.kept[fresh]
        sets[chosen] = counter.described(tuple(every[place] for place in bits), found, sizes, len(fresh))
        if chosen.bit_count() < size:
            alone[chosen] = mine
            path.append((chosen, found))
    return sets, rows_of
