"""The two distributions that a measure compares: P of a class and Q of the reference, read exactly."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np

from tcloseness.errors import MassError
from tcloseness.exact import IntArray, masses
from tcloseness.microdata import ClassCounts

__all__ = ["Pair", "Profiles", "blocks", "of_class", "of_reference", "pair", "shares"]

_BLOCK_CELLS = 2**15
"""How many cells of the dense matrix are worked on at once: their doubles (256 kB) stay in a processor's cache."""

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
    prepared when the first class is asked for, in O(cells·log cells); then a class costs its own cells.

    Examples
    --------
    >>> classes = ClassCounts.from_mapping({"a": {"x": 1, "y": 1}, "b": {"z": 2}})
    >>> Profiles(classes).pairs(0)
    [(Fraction(1, 2), Fraction(1, 4), 2), (Fraction(0, 1), Fraction(1, 2), 1)]
    """

    def __init__(self, classes: ClassCounts) -> None:
        self.classes = classes

    @cached_property
    def _shared(self) -> tuple[IntArray, IntArray, IntArray, IntArray]:
        """Return the different counts of Q with how many values have each, the different counts, and the cells' codes.

        A cell's code is the place of its count times the number of counts of Q, plus the place of its value's.
        """
        of_q, place, times = np.unique(self.classes.reference, return_inverse=True, return_counts=True)
        of_p, cells = np.unique(self.classes.counts, return_inverse=True)
        return of_q, times, of_p, cells * len(of_q) + place[self.classes.values]

    def counts(self, index: int) -> list[tuple[int, int, int]]:
        """Return one class as (count in the class, count in the reference, number of such values)."""
        of_q, left, of_p, codes = self._shared
        start, end = self.classes.starts[index : index + 2].tolist()
        found, times = np.unique(codes[start:end], return_counts=True)
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

    def key(self, index: int) -> Hashable:
        """Return something that is equal only for classes with the same pairs."""
        counts = self.counts(index)
        divisor = math.gcd(*(c for c, _, _ in counts))
        return tuple((c // divisor, r, times) for c, r, times in counts)


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
