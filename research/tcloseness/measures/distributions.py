"""The two distributions that a measure compares: P of a class and Q of the reference, read exactly."""

from __future__ import annotations

import math
from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property
from typing import Any

import numpy as np

from tcloseness.errors import MassError
from tcloseness.exact import IntArray, masses
from tcloseness.microdata import ClassCounts

__all__ = ["Pair", "Profiles", "alike", "blocks", "of_class", "of_reference", "pair", "shares"]

_BLOCK_CELLS = 2**15
"""How many cells of the dense matrix are worked on at once: their doubles (256 kB) stay in a processor's cache."""

_ODD = np.uint64(0x9E3779B97F4A7C15)
"""An odd number whose bits look random: 2⁶⁴ divided by the golden ratio."""

_LEAST_CLASSES = 64
"""How many classes are worked on at once at least, however many values there are."""


def pair(
    p: Sequence[object], q: Sequence[object], m: int | None = None
) -> tuple[tuple[Fraction, ...], tuple[Fraction, ...]]:
    """Read P and Q exactly, over the same values (m of them, where the domain is known).

    Raises
    ------
    MassError
        If either is not a distribution, or their lengths differ from each other or from m.
    """
    left, right = masses(p, "p"), masses(q, "q")
    if len(left) != len(right):
        raise MassError(f"p has {len(left)} values and q {len(right)}; they must agree")
    if m is not None and len(left) != m:
        raise MassError(f"p and q have {len(left)} values and the domain {m}; they must agree")
    return left, right


def of_class(classes: ClassCounts, index: int) -> list[Fraction]:
    """Return the distribution P of one class."""
    size = int(classes.class_sizes[index])
    return [Fraction(count, size) for count in classes.vector(index)]


def of_reference(classes: ClassCounts) -> list[Fraction]:
    """Return the reference distribution Q."""
    counts = classes.reference.tolist()
    total = sum(counts)
    return [Fraction(count, total) for count in counts]


def shares(classes: ClassCounts, index: int) -> Hashable:
    """Return something that is equal for two classes exactly if their distributions are: the counts in lowest terms."""
    row = classes.row(index)
    divisor = math.gcd(*row.values())
    return tuple((value, count // divisor) for value, count in row.items())


Pair = tuple[Fraction, Fraction, int]
"""The masses p and q of a value, and how many values have just these."""


class Profiles:
    """The pairs (p, q) of the values of each class, equal ones together: many values mostly have few pairs.

    For measures that are sums over the values of something that depends on p and q alone. What all classes share is
    prepared when the first class is asked for, in O(m·log m); then a class costs its own cells.

    Examples
    --------
    >>> classes = ClassCounts.from_mapping({"a": {"x": 1, "y": 1}, "b": {"z": 2}})
    >>> Profiles(classes).pairs(0)
    [(Fraction(1, 2), Fraction(1, 4), 2), (Fraction(0, 1), Fraction(1, 2), 1)]
    """

    def __init__(self, classes: ClassCounts) -> None:
        self.classes = classes

    @cached_property
    def _shared(self) -> tuple[IntArray, IntArray, IntArray]:
        """Return the different counts of Q, the place of each value's among them, and how many values have each."""
        of_q, place, times = np.unique(self.classes.reference, return_inverse=True, return_counts=True)
        return of_q, place, times

    def counts(self, index: int) -> list[tuple[int, int, int]]:
        """Return one class as (count in the class, count in the reference, number of such values)."""
        of_q, place, left = self._shared
        cells = slice(*self.classes.starts[index : index + 2].tolist())
        of_p, codes = np.unique(self.classes.counts[cells], return_inverse=True)
        found, times = np.unique(codes * len(of_q) + place[self.classes.values[cells]], return_counts=True)
        present, q = found // len(of_q), found % len(of_q)
        lacking = left.copy()
        np.subtract.at(lacking, q, times)
        absent = np.flatnonzero(lacking)
        return [
            *zip(of_p[present].tolist(), of_q[q].tolist(), times.tolist(), strict=True),
            *((0, c, n) for c, n in zip(of_q[absent].tolist(), lacking[absent].tolist(), strict=True)),
        ]

    def pairs(self, index: int) -> list[Pair]:
        """Return the pairs of one class."""
        size, total = int(self.classes.class_sizes[index]), int(self.classes.reference.sum())
        return [(Fraction(c, size), Fraction(r, total), times) for c, r, times in self.counts(index)]

    def applied(self, function: Callable[[Iterable[Pair]], Any], index: int) -> Any:
        """Return what a function of such pairs is for one class."""
        return function(self.pairs(index))

    def key(self, index: int) -> Hashable:
        """Return something that is equal only for classes with the same pairs."""
        counts = self.counts(index)
        divisor = math.gcd(*(c for c, _, _ in counts))
        return tuple((c // divisor, r, times) for c, r, times in counts)

    def alike(self, indices: IntArray) -> IntArray:
        """Return a number for each of some classes, equal only for classes with the same pairs."""
        classes = self.classes
        return alike(classes, indices, lambda cells: (classes.counts[cells], classes.reference[classes.values[cells]]))


def alike(classes: ClassCounts, indices: IntArray, of_cells: Callable[[IntArray], Sequence[IntArray]]) -> IntArray:
    """Return a number for each of some classes, equal only for those that have the same in each of their cells.

    A table of millions of classes has few kinds of them, such as one record of each value. Found by a sum of products
    modulo 2⁶⁴, and then compared, so that two classes that such a sum confuses stay apart.

    Parameters
    ----------
    of_cells
        From the numbers of some cells, what is compared of them: arrays of int64.
    """
    if not len(indices):
        return np.zeros(0, dtype=np.int64)
    first, lengths = classes.starts[indices], classes.starts[indices + 1] - classes.starts[indices]
    begin = np.cumsum(lengths) - lengths
    place = np.arange(lengths.sum()) - np.repeat(begin, lengths)
    mine = of_cells(np.repeat(first, lengths) + place)
    mixed = place.astype(np.uint64)
    for array in mine:
        mixed = (mixed ^ array.astype(np.uint64)) * _ODD
        mixed ^= mixed >> np.uint64(29)
    _, head, numbers = np.unique(np.add.reduceat(mixed, begin), return_index=True, return_inverse=True)
    other = np.where(lengths == lengths[head[numbers]], head[numbers], np.arange(len(indices)))
    theirs = of_cells(np.repeat(first[other], lengths) + place)
    equal = np.logical_and.reduce([a == b for a, b in zip(mine, theirs, strict=True)])
    same = (lengths == lengths[head[numbers]]) & np.logical_and.reduceat(equal, begin)
    return np.where(same, numbers, len(head) + np.arange(len(indices)))


def blocks(classes: ClassCounts) -> Iterator[tuple[slice, IntArray]]:
    """Go through the dense matrix in blocks of classes: each with its counts, shape (m, classes of the block)."""
    m, g = len(classes.domain), len(classes)
    step = max(_BLOCK_CELLS // m, _LEAST_CLASSES)
    for first in range(0, g, step):
        part = slice(first, min(first + step, g))
        if classes.has_matrix:
            yield part, classes.matrix[:, part]
            continue
        cells = slice(int(classes.starts[part.start]), int(classes.starts[part.stop]))
        matrix = np.zeros((m, part.stop - part.start), dtype=np.int64)
        matrix[classes.values[cells], classes.class_of_cell[cells] - part.start] = classes.counts[cells]
        yield part, matrix
