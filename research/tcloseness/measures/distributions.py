"""The two distributions that a measure compares: P of a class and Q of the reference, read exactly."""

from __future__ import annotations

import math
from collections.abc import Hashable, Iterator, Sequence
from fractions import Fraction

import numpy as np

from tcloseness.errors import MassError
from tcloseness.exact import IntArray, masses
from tcloseness.microdata import ClassCounts

__all__ = ["blocks", "of_class", "of_reference", "pair", "shares"]

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
        If either is no distribution, or their lengths differ from each other or from m.
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
