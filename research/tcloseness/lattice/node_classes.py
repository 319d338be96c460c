"""The classes of one node while a search works on them, in two forms: sparse cells, or a dense matrix.

A class is known by its counts and by one bottom class inside it, from whose labels its own follow on every level.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import Any, NamedTuple, Protocol

import numpy as np

from tcloseness.displayed import Compared
from tcloseness.exact import INT64_MAX, IntArray
from tcloseness.lattice.lattice import Lattice, Node
from tcloseness.limits import Clock
from tcloseness.microdata import ClassKeys, Domain
from tcloseness.microdata.grouping import combined_codes, grouped

__all__ = ["Cells", "DenseClasses", "LevelCodes", "NodeClasses", "SparseClasses"]


class LevelCodes(Compared):
    """The label codes of the bottom's classes on every level of every attribute.

    Parameters
    ----------
    lattice, keys
        The lattice, and the labels of the bottom's classes.
    clock
        Its limits hold while the codes are worked out.

    Attributes
    ----------
    codes
        Shape (bottom classes, attributes): the codes of their labels on level 0.
    maps
        The label codes of each level 0 code, for one level of one attribute after the other.
    rows
        Shape (attributes,): the number of each attribute's level 0 among these.
    starts, attributes
        For each of these where it begins in `maps` (and where the last one ends), and its attribute.
    apart
        Whether different values have different labels on level 0; the name of one may be that of another.
    tables
        Codes, maps, starts, rows, and the number of labels of each map, for compiled code.
    labels
        For each attribute and level the domain of the labels.
    """

    def __init__(self, lattice: Lattice, keys: ClassKeys, clock: Clock) -> None:
        self.names = lattice.quasi_identifiers
        self.rows = np.cumsum([0, *lattice.shape])[:-1]
        self._first = self.rows.tolist()
        self.labels: list[list[Domain]] = []
        self._domains: list[Domain] = []
        own, maps = [], list[IntArray]()
        for name, hierarchy in lattice.hierarchies.items():
            codes, domain = keys.codes[name], keys.domains[keys.names.index(name)]
            used = np.flatnonzero(np.bincount(codes, minlength=len(domain)))
            if len(used) < len(domain):
                codes, domain = np.searchsorted(used, codes), domain.subset(used)
            own.append(codes)
            self._domains.append(domain)
            self.labels.append([])
            for level in range(hierarchy.height + 1):
                clock.check("generalizing the values to each level")
                mapping, target = hierarchy.generalize(domain, level)
                self.labels[-1].append(target)
                maps.append(mapping)
        self._radix = [[len(domain) for domain in domains] for domains in self.labels]
        self._maps, self._own = maps, own
        self._same = [bool((maps[row] == np.arange(len(maps[row]))).all()) for row in self._first]
        self.apart = all(len(of[0]) == len(domain) for of, domain in zip(self.labels, self._domains, strict=True))
        most = max(map(len, maps))
        self.codes = np.empty((len(own[0]), len(own)), dtype=np.uint16 if most <= 2**16 else np.int32)
        for a, codes in enumerate(own):
            self.codes[:, a] = codes
        self.maps = np.concatenate(maps).astype(np.int32)
        self.starts = np.cumsum([0, *map(len, maps)])
        self.attributes = np.repeat(np.arange(len(own)), lattice.shape)
        radices = np.array([radix for column in self._radix for radix in column])
        self.tables = (self.codes, self.maps, self.starts, self.rows, radices)

    def generalized(self, attribute: int, level: int, values: Domain) -> tuple[IntArray, Domain] | None:
        """Return what `Hierarchy.generalize` says of an attribute's values, if they are those of the classes."""
        if self._domains[attribute] is not values:
            return None
        return self._maps[self._first[attribute] + level], self.labels[attribute][level]

    def radices(self, node: Node) -> list[int]:
        """Return the number of labels of each attribute at a node."""
        return [radix[level] for radix, level in zip(self._radix, node, strict=True)]

    def size(self, node: Node) -> int:
        """Return the number of label combinations of a node, occurring or not."""
        return math.prod(self.radices(node))

    def plan(self, node: Node) -> tuple[IntArray, IntArray]:
        """Return the maps that distinguish classes at a node, and the place value of each in a mixed radix.

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
                key += (self._maps[row] * stride)[self.codes[:, self.attributes[row]][bottom_class]]
            return key, size
        codes = [self.at(a, level, bottom_class) for a, level in enumerate(node)]
        _, numbers = np.unique(combined_codes(codes, self.radices(node)), return_inverse=True)
        return numbers, int(numbers.max()) + 1

    def class_keys(self, node: Node, bottom_class: IntArray) -> ClassKeys:
        """Return the labels of classes at a node, given a bottom class inside each."""
        domains = tuple(self.labels[a][level] for a, level in enumerate(node))
        every = len(bottom_class) == len(self.codes) and (bottom_class[1:] > bottom_class[:-1]).all()
        codes = {
            name: self._own[a] if every and self._same[a] and not node[a] else self.at(a, node[a], bottom_class)
            for a, name in enumerate(self.names)
        }
        return ClassKeys(self.names, domains, codes)

    def at(self, attribute: int, level: int, bottom_class: IntArray) -> IntArray:
        """Return the label codes of one attribute on a level, given a bottom class inside each class."""
        mapping = self._maps[self._first[attribute] + level]
        return np.asarray(mapping[self.codes[:, attribute][bottom_class]])


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


class Cells(NamedTuple):
    """Positive counts in compressed rows: those of class g are ``starts[g]:starts[g + 1]``, values ascending."""

    starts: IntArray
    values: IntArray
    counts: IntArray

    def matrix(self, part: slice, m: int, dtype: Any) -> IntArray:
        """Return the counts of consecutive classes as a matrix of shape (classes, m)."""
        from tcloseness.lattice.compiled import add_cells

        starts = self.starts[part.start : part.stop + 1]
        made = np.zeros((len(starts) - 1, m), dtype=dtype)
        add_cells(made, np.arange(len(made), dtype=np.int32), starts, self.values, self.counts)
        return made


_SPARSE = 4
"""Counts are kept as a matrix if that has at most so many entries for each cell."""

_BLOCK = 2**14
"""Cells become a matrix for so many classes at a time."""


class DenseClasses:
    """Classes whose counts compiled code works on. For domains of few values.

    Classes are in the order in which they were met. Counts are merged when they are first asked for, since many nodes
    are decided on their class sizes; they are a matrix, or `Cells` where most of that would be 0.
    """

    def __init__(
        self,
        inside: IntArray,
        sizes: IntArray,
        m: int,
        blank: IntArray,
        counts: Cells | None = None,
        *,
        source: DenseClasses | None = None,
        class_of: IntArray | None = None,
        dtype: Any = np.int64,
    ) -> None:
        self.inside, self.sizes, self.m, self._blank, self._dtype = inside, sizes, m, blank, dtype
        self._counts: IntArray | Cells | None = counts
        self._source, self._class_of = source, class_of
        self._most: int = len(counts.values) if counts is not None else 0 if source is None else source._most
        self._sparse = len(sizes) * m > _SPARSE * self._most

    @cached_property
    def smallest(self) -> int:
        """The least class size."""
        return int(self.sizes.min())

    @property
    def counts(self) -> IntArray | Cells:
        """The counts as they are kept."""
        if self._counts is None:
            from tcloseness.lattice.compiled import add_cells, merged_cells, merged_rows

            assert self._source is not None
            given, n = self._source.counts, len(self.sizes)
            if not isinstance(given, Cells):
                self._counts = merged_rows(given, self._class_of, n)
            elif self._sparse:
                self._counts = Cells(*merged_cells(self._class_of, n, self.m, *given))
            else:
                merged = np.zeros((n, self.m), dtype=self._dtype)
                add_cells(merged, self._class_of, *given)
                self._counts = merged
            self._source = self._class_of = None
        return self._counts

    @property
    def matrix(self) -> IntArray:
        """The counts, shape (classes, m), int32 where they fit."""
        counts = self.counts
        return counts.matrix(slice(0, len(self.sizes)), self.m, self._dtype) if isinstance(counts, Cells) else counts

    def blocks(self) -> Iterator[tuple[slice, IntArray]]:
        """Go through all classes, with the matrix of so many at a time that it takes little memory."""
        counts, n = self.counts, len(self.sizes)
        step = _BLOCK if isinstance(counts, Cells) else n
        for start in range(0, n, step):
            part = slice(start, min(start + step, n))
            yield part, counts.matrix(part, self.m, self._dtype) if isinstance(counts, Cells) else counts

    @property
    def memory(self) -> int:
        """The bytes of the arrays, those of the counts included."""
        n = len(self.sizes)
        return 24 * n + (16 * self._most + 8 * n if self._sparse else 4 * self.m * n)

    def cells(self) -> tuple[IntArray, IntArray, IntArray]:
        """Return the positive counts as compressed rows."""
        counts = self.counts
        if isinstance(counts, Cells):
            return counts
        classes, values = np.nonzero(counts)
        starts = np.searchsorted(classes, np.arange(len(self.sizes) + 1))
        return starts, values, counts[classes, values].astype(np.int64)

    def rolled_up(self, codes: LevelCodes, node: Node) -> DenseClasses:
        """Group the classes by their key at the node; the counts follow on demand."""
        from tcloseness.lattice.compiled import grouped_classes

        class_of, inside, sizes = grouped_classes(
            codes.tables, np.array(node), codes.size(node), self.inside, self.sizes, self._blank
        )
        return DenseClasses(inside, sizes, self.m, self._blank, source=self, class_of=class_of, dtype=self._dtype)
