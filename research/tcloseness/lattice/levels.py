"""`LevelCodes`: where each value of each quasi-identifier goes on each level, as whole numbers, worked out once."""

from __future__ import annotations

import math

import numpy as np

from tcloseness.exact import INT64_MAX, IntArray
from tcloseness.lattice.lattice import Lattice, Levels
from tcloseness.limits import Clock
from tcloseness.microdata import ClassKeys, Domain
from tcloseness.microdata.frequency import combined_codes

__all__ = ["LevelCodes"]


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

    def radices(self, node: Levels) -> list[int]:
        """Return the number of labels of each attribute at a node."""
        return [radix[level] for radix, level in zip(self._radix, node, strict=True)]

    def size(self, node: Levels) -> int:
        """Return the number of label combinations of a node, occurring or not."""
        return math.prod(self.radices(node))

    def plan(self, node: Levels) -> tuple[IntArray, IntArray]:
        """Return the rows of `table` that tell classes apart at a node, and each one's place value in a mixed radix.

        Attributes with one label are left out. The product of the radices must fit 64 bits.
        """
        rows, strides, stride = [], [], 1
        for first, level, radix in zip(self._first[::-1], node[::-1], self._radix[::-1], strict=True):
            if radix[level] > 1:
                rows.append(first + level)
                strides.append(stride)
                stride *= radix[level]
        return np.array(rows, dtype=np.int64), np.array(strides, dtype=np.int64)

    def keys(self, node: Levels, bottom_class: IntArray) -> tuple[IntArray, int]:
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

    def class_keys(self, node: Levels, bottom_class: IntArray) -> ClassKeys:
        """Return the labels of classes at a node, given a bottom class inside each."""
        domains = tuple(self.labels[a][level] for a, level in enumerate(node))
        codes = {
            name: self.table[self.rows[a] + node[a]][bottom_class].astype(np.int64) for a, name in enumerate(self.names)
        }
        return ClassKeys(self.names, domains, codes)
