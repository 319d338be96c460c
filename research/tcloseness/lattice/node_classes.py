"""The classes of one node while a search works on them, in two forms: sparse cells, or a dense matrix.

A class is known by its counts and by one bottom class inside it, from whose labels its own follow on every level.
"""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any, Protocol

import numpy as np

from tcloseness.exact import INT64_MAX, IntArray
from tcloseness.lattice.lattice import Lattice, Node
from tcloseness.limits import Clock
from tcloseness.microdata import ClassKeys, Domain
from tcloseness.microdata.frequency import combined_codes, grouped

__all__ = ["DenseClasses", "LevelCodes", "NodeClasses", "SparseClasses"]


class LevelCodes:
    """The label codes of the bottom's classes on every level of every attribute.

    Parameters
    ----------
    lattice, keys
        The lattice, and the labels of the bottom's classes.
    clock
        Its limits hold while the codes are worked out.

    Attributes
    ----------
    table
        Shape (levels of all attributes together, bottom classes), int32: row ``rows[a] + l`` holds the label codes of
        attribute a on level l.
    rows
        Shape (attributes,): where each attribute's rows begin.
    labels
        For each attribute and level the domain of the labels.
    """

    def __init__(self, lattice: Lattice, keys: ClassKeys, clock: Clock) -> None:
        self.names = lattice.quasi_identifiers
        self.rows = np.cumsum([0, *lattice.shape])[:-1]
        self._first = self.rows.tolist()
        self.labels: list[list[Domain]] = []
        table = []
        for name, hierarchy in lattice.hierarchies.items():
            used, codes = np.unique(keys.codes[name], return_inverse=True)
            domain = keys.domains[keys.names.index(name)].subset(used)
            self.labels.append([])
            for level in range(hierarchy.height + 1):
                clock.check("generalizing the values to each level")
                mapping, target = hierarchy.generalize(domain, level)
                self.labels[-1].append(target)
                table.append(mapping[codes])
        self._radix = [[len(domain) for domain in domains] for domains in self.labels]
        self.table = np.ascontiguousarray(table, dtype=np.int32)

    def radices(self, node: Node) -> list[int]:
        """Return the number of labels of each attribute at a node."""
        return [radix[level] for radix, level in zip(self._radix, node, strict=True)]

    def size(self, node: Node) -> int:
        """Return the number of label combinations of a node, occurring or not."""
        return math.prod(self.radices(node))

    def plan(self, node: Node) -> tuple[IntArray, IntArray]:
        """Return the rows of `table` that distinguish classes at a node, and each one's place value in a mixed radix.

        Attributes with one label are left out. The product of the radices must fit 64 bits.
        """
        rows, strides, stride = [], [], 1
        for first, level, radix in zip(self._first[::-1], node[::-1], self._radix[::-1], strict=True):
            if radix[level] > 1:
                rows.append(first + level)
                strides.append(stride)
                stride *= radix[level]
        return np.array(rows, dtype=np.int64), np.array(strides, dtype=np.int64)

    def keys(self, node: Node, bottom_class: IntArray) -> tuple[IntArray, int]:
        """Return the key of each class at a node, given a bottom class inside each, and a bound above the keys.

        Keys are equal where all labels are, and sort as the labels do.
        """
        size = self.size(node)
        if size <= INT64_MAX:
            key = np.zeros(len(bottom_class), dtype=np.int64)
            for row, stride in zip(*self.plan(node), strict=True):
                key += self.table[row][bottom_class].astype(np.int64) * stride
            return key, size
        codes = [self.table[self.rows[a] + level][bottom_class].astype(np.int64) for a, level in enumerate(node)]
        _, numbers = np.unique(combined_codes(codes, self.radices(node)), return_inverse=True)
        return numbers, int(numbers.max()) + 1

    def class_keys(self, node: Node, bottom_class: IntArray) -> ClassKeys:
        """Return the labels of classes at a node, given a bottom class inside each."""
        domains = tuple(self.labels[a][level] for a, level in enumerate(node))
        codes = {
            name: self.table[self.rows[a] + node[a]][bottom_class].astype(np.int64) for a, name in enumerate(self.names)
        }
        return ClassKeys(self.names, domains, codes)


_BINCOUNT_CELLS = 2**18
"""Up to so many possible cells, counting into all of them is quicker than sorting those that occur."""


class NodeClasses(Protocol):
    """What both forms have in common."""

    @property
    def inside(self) -> IntArray:
        """A bottom class inside each class, shape (classes,)."""

    @property
    def sizes(self) -> IntArray:
        """The class sizes, shape (classes,)."""

    @property
    def smallest(self) -> int:
        """The least class size."""

    @property
    def memory(self) -> int:
        """Roughly how many bytes it takes."""

    def rolled_up(self, codes: LevelCodes, node: Node) -> Any:
        """Return the classes of a node above."""

    def cells(self) -> tuple[IntArray, IntArray, IntArray]:
        """Return starts, values and counts as in `ClassCounts`."""


class SparseClasses:
    """Cells in compressed rows; NumPy does the work. For domains of any size."""

    def __init__(self, inside: IntArray, starts: IntArray, values: IntArray, counts: IntArray, m: int) -> None:
        self.inside, self.starts, self.values, self.counts, self.m = inside, starts, values, counts, m

    @cached_property
    def sizes(self) -> IntArray:
        """The class sizes."""
        return np.asarray(np.add.reduceat(self.counts, self.starts[:-1]))

    @cached_property
    def smallest(self) -> int:
        """The least class size."""
        return int(self.sizes.min())

    @property
    def memory(self) -> int:
        """The bytes of the arrays."""
        return 16 * len(self.counts) + 24 * len(self.inside)

    def cells(self) -> tuple[IntArray, IntArray, IntArray]:
        """Return the cells as they are."""
        return self.starts, self.values, self.counts

    def rolled_up(self, codes: LevelCodes, node: Node) -> SparseClasses:
        """Merge by counting into all possible cells where these are few, else by one sort of the cells."""
        key, size = codes.keys(node, self.inside)
        if size * self.m > 2**62:
            _, key = np.unique(key, return_inverse=True)
            size = int(key.max()) + 1
        cell_key = np.repeat(key * self.m, np.diff(self.starts)) + self.values
        if size * self.m <= _BINCOUNT_CELLS and self.counts.sum() < 2**53:  # sums of doubles are exact below
            dense = np.bincount(cell_key, weights=self.counts)
            cells = np.flatnonzero(dense)
            counts = dense[cells].astype(np.int64)
        else:
            heads, counts = grouped(cell_key, self.counts)
            cells = cell_key[heads]
        class_key = cells // self.m
        starts = np.flatnonzero(np.diff(class_key, prepend=-1))
        order = np.argsort(key, kind="stable")
        first = order[np.flatnonzero(np.diff(key[order], prepend=-1))]
        return SparseClasses(
            self.inside[first], np.append(starts, len(cells)), cells - class_key * self.m, counts, self.m
        )


class DenseClasses:
    """A matrix of shape (classes, m); compiled code does the work. For domains of few values.

    Classes are in the order in which they were met. The matrix is merged when it is first asked for, since many nodes
    are decided on their class sizes.
    """

    def __init__(
        self,
        inside: IntArray,
        sizes: IntArray,
        m: int,
        blank: IntArray,
        *,
        matrix: IntArray | None = None,
        source: DenseClasses | None = None,
        class_of: IntArray | None = None,
    ) -> None:
        self.inside, self.sizes, self.m, self._blank = inside, sizes, m, blank
        self._matrix, self._source, self._class_of = matrix, source, class_of

    @cached_property
    def smallest(self) -> int:
        """The least class size."""
        return int(self.sizes.min())

    @property
    def matrix(self) -> IntArray:
        """The counts, shape (classes, m), int32 where they fit."""
        if self._matrix is None:
            from tcloseness.lattice.compiled import merged_rows

            assert self._source is not None
            self._matrix = merged_rows(self._source.matrix, self._class_of, len(self.sizes))
            self._source = self._class_of = None
        return self._matrix

    @property
    def memory(self) -> int:
        """The bytes of the arrays, the matrix included."""
        return (4 * self.m + 24) * len(self.sizes)

    def cells(self) -> tuple[IntArray, IntArray, IntArray]:
        """Return the positive counts as compressed rows."""
        classes, values = np.nonzero(self.matrix)
        starts = np.searchsorted(classes, np.arange(len(self.sizes) + 1))
        return starts, values, self.matrix[classes, values].astype(np.int64)

    def rolled_up(self, codes: LevelCodes, node: Node) -> DenseClasses:
        """Group the classes by their key at the node; the matrix follows on demand."""
        from tcloseness.lattice.compiled import grouped_classes

        rows, strides = codes.plan(node)
        class_of, inside, sizes = grouped_classes(
            codes.table, rows, strides, codes.size(node), self.inside, self.sizes, self._blank
        )
        return DenseClasses(inside, sizes, self.m, self._blank, source=self, class_of=class_of)
