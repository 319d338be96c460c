"""`ClassDistances`: which class is nearest to another by the mean squared distance of their records.

For numbers the mean over all pairs of records is (mean − mean)² + variance + variance, so it needs sums of each class
alone. Doubles say which classes may be the nearest, and these are compared exactly.
"""

from __future__ import annotations

from importlib import import_module

import numpy as np
import numpy.typing as npt

from tcloseness.anonymize.distances import SquaredDistances
from tcloseness.anonymize.records_left import slack
from tcloseness.exact import IntArray, Rationals

__all__ = ["ClassDistances", "add_by_class"]

_INTERPRETED_RECORDS = 1_000
"""Up to so many records are gone through in Python: machine code must be loaded."""


class ClassDistances:
    """Classes of records, which are merged one by one.

    Parameters
    ----------
    distances
        Between the records 0, 1, …
    class_of
        The class of each record; no number from 0 up to the greatest may be missing.

    Attributes
    ----------
    class_of
        The class of each record now.
    left
        How many classes are left.
    """

    def __init__(self, distances: SquaredDistances, class_of: IntArray) -> None:
        self.distances, self.class_of, terms = distances, class_of.copy(), len(distances.terms)
        rows = np.argsort(class_of, kind="stable")
        starts = np.flatnonzero(np.diff(class_of[rows], prepend=-1))
        self._members, self.left = np.split(rows, starts[1:]), len(starts)
        self._sizes, self._first = np.diff(starts, append=len(rows)), rows[starts]
        self._sums = np.empty((self.left, len(distances.numbers), 2), dtype=object)
        for a, (part, codes) in enumerate(distances.numbers):
            places = part.places[codes[rows]]
            for power in (1, 2):
                self._sums[:, a, power - 1] = np.add.reduceat(places**power, starts).tolist()
        self._means, self._spread = np.empty((self.left, len(distances.numbers))), np.zeros(self.left)
        for number in range(self.left):
            self._set_moments(number)
        starts = np.cumsum([0, *(names.values for names, _ in distances.tables)])
        cells = [codes + start for (_, codes), start in zip(distances.tables, starts, strict=False)]
        self._cells = np.array(cells, dtype=np.int64).reshape(len(cells), len(class_of))
        # two terms for an attribute of numbers, and one addition a record for the others
        self._slack = slack(2 * terms) + terms * len(class_of) * 2.0**-51
        large = len(class_of) > _INTERPRETED_RECORDS
        self._run = import_module("tcloseness.anonymize.compiled" if large else __name__)

    def _set_moments(self, number: int) -> None:
        """Set the means and the sum of the variances of a class, each rounded once, in units of the range."""
        n, variances = int(self._sizes[number]), 0.0
        for a, (part, _) in enumerate(self.distances.numbers):
            first, second = self._sums[number, a]
            self._means[number, a] = first / (n * part.whole)
            variances += (n * second - first**2) / (n * part.whole) ** 2
        self._spread[number] = variances

    def renumber(self) -> None:
        """Number the classes that are left by their first records."""
        order = np.argsort(self._first)[: self.left]
        self.class_of = np.searchsorted(self._first[order], self._first[self.class_of])
        self._first = self._first[order]
        self._members = [self._members[number] for number in order.tolist()]
        self._sizes, self._sums = self._sizes[order], self._sums[order]
        self._means, self._spread = self._means[order], self._spread[order]

    def merge(self, number: int, other: int) -> None:
        """Make a class part of another one; its number is left without records."""
        self.class_of[self._members[number]] = other
        self._members[other] = np.concatenate([self._members[other], self._members[number]])
        self._members[number] = self._members[number][:0]
        self._sizes[other] += self._sizes[number]
        self._sums[other] += self._sums[number]
        self._set_moments(other)
        self._first[other] = min(self._first[other], self._first[number])
        self._spread[number], self._sizes[number], self._first[number] = np.inf, 1, len(self.class_of)
        self.left -= 1

    def nearest(self, number: int) -> int:
        """Return the class nearest to one; of equally near ones the lowest number."""
        apart = self._spread + ((self._means - self._means[number]) ** 2).sum(axis=1)
        members = self._members[number]
        if len(self._cells):
            sums = np.zeros(len(apart))
            table = [
                names.sum_table(names.tally(codes[members])) / (len(members) * names.denominator)
                for names, codes in self.distances.tables
            ]
            self._run.add_by_class(self._cells, np.concatenate(table), self.class_of, sums)
            apart += sums / self._sizes
        apart[number] = np.inf
        near = np.flatnonzero(apart <= apart.min() + self._slack)
        if len(near) == 1:
            return int(near[0])
        sums = self.distances.sums(members, np.concatenate([self._members[other] for other in near.tolist()]))
        sizes = self._sizes[near]
        return int(near[Rationals(np.add.reduceat(sums, np.cumsum(sizes) - sizes), sizes).smallest()[1][0]])


def add_by_class(
    cells: IntArray, table: npt.NDArray[np.float64], class_of: IntArray, sums: npt.NDArray[np.float64]
) -> None:
    """Add what the table says of each record's cells to the sum of its class."""
    for i in range(len(class_of)):
        of_record = 0.0
        for a in range(len(cells)):
            of_record += table[cells[a, i]]
        sums[class_of[i]] += of_record
