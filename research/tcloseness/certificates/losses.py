"""How much the nodes of a lattice lose, computed from the counts.

A loss of cells adds up a number for each record and quasi-identifier, which follows from the label that stands there; a
suppressed record has a number of its own. A loss of classes follows from their sizes and from how many records are
suppressed. Generalizing lowers none of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from tcloseness.certificates.nodes import NodeLevels, Nodes, added
from tcloseness.displayed import counted
from tcloseness.errors import CertificateError, CertificateFormatError
from tcloseness.exact import INT64_MAX, IntArray
from tcloseness.strict_records import canonical_fraction, shown

__all__ = ["CELLS", "CLASSES", "CellLoss", "ClassLoss", "Suppressed", "loss_named"]

_MOST_LONG = 2**22
"""Losses beyond 64 bits."""


@dataclass(frozen=True)
class Suppressed:
    """The classes of a node, and which are suppressed.

    Attributes
    ----------
    class_of
        For each combination of the table the number of its class.
    sizes, withheld
        Shape (classes,): the records of each, and whether it is suppressed.
    """

    class_of: IntArray
    sizes: IntArray
    withheld: npt.NDArray[np.bool_]

    @property
    def records(self) -> int:
        """How many records are suppressed."""
        return int(self.sizes[self.withheld].sum())


class CellLoss:
    """A loss of cells, as whole numbers that are less for a better one.

    Attributes
    ----------
    table
        The number of each node if no record is suppressed; suppression lowers none.
    bounded
        Whether no node loses less, with records suppressed, than a node below it without.
    """

    bounded = True

    def __init__(self, nodes: Nodes, name: str) -> None:
        self._of_label, self._of_suppressed, self._value = CELLS[name]
        self._nodes = nodes
        every = [(i, level) for i, size in enumerate(nodes.shape) for level in range(size)]
        numbers = {(i, level): self._of_label(nodes, i, level) for i, level in every}
        lost = {(i, level): Fraction(self._of_suppressed(nodes, i, level)) for i, level in every}
        units = {number.denominator for each in numbers.values() for number in each}
        self._unit = math.lcm(*units, *(number.denominator for number in lost.values()))
        self._numbers = {key: [int(number * self._unit) for number in each] for key, each in numbers.items()}
        self._lost = {key: int(number * self._unit) for key, number in lost.items()}
        columns = [[self._sum(i, level, nodes.counts) for level in range(size)] for i, size in enumerate(nodes.shape)]
        long = sum(map(max, columns)) > INT64_MAX
        if math.prod(nodes.shape) > _MOST_LONG and long:
            raise CertificateFormatError(
                f"the losses of {counted(math.prod(nodes.shape), 'node')} are too long to be added up"
            )
        self.table: IntArray = np.zeros(nodes.shape, dtype=object if long else np.int64)
        for i, column in enumerate(columns):
            place = [-1 if i == j else 1 for j in range(len(columns))]
            self.table = self.table + np.array(column, dtype=self.table.dtype).reshape(place)

    def _sum(self, i: int, level: int, counts: IntArray) -> int:
        records = added(self._nodes.codes[i][level], counts, len(self._numbers[i, level])).tolist()
        return sum(n * number for n, number in zip(records, self._numbers[i, level], strict=True) if n)

    def of(self, node: NodeLevels, found: Suppressed) -> int:
        """Return the number of a node once its classes are suppressed."""
        kept = np.where(found.withheld[found.class_of], 0, self._nodes.counts)
        lost = sum(self._lost[i, level] for i, level in enumerate(node))
        return sum(self._sum(i, level, kept) for i, level in enumerate(node)) + found.records * lost

    def value(self, number: int | Fraction) -> Fraction:
        """Return the loss of a number."""
        return self._value(self._nodes, Fraction(number) / self._unit)


class ClassLoss:
    """A loss of classes; its numbers are the losses, times k."""

    table = None

    def __init__(self, nodes: Nodes, name: str, k: Fraction) -> None:
        self._records, self._k, (self._of, self.bounded) = nodes.records, k, CLASSES[name]

    def of(self, _: NodeLevels, found: Suppressed) -> Fraction:
        """Return the number of a node once its classes are suppressed."""
        return Fraction(self._of(found, self._records))

    def value(self, number: int | Fraction) -> Fraction:
        """Return the loss: a number over k."""
        return Fraction(number) / self._k


def loss_named(nodes: Nodes, name: str) -> CellLoss | ClassLoss:
    """Return a loss over the nodes of a table; after the name of a loss of classes may stand ``/`` and a divisor.

    Raises
    ------
    CertificateError
        For a name that is not among `CELLS` and `CLASSES`.
    InputError
        If the divisor is not a number.
    """
    if name in CELLS:
        return CellLoss(nodes, name)
    of_classes, over, k = name.partition("/")
    if of_classes in CLASSES:
        divisor = canonical_fraction(k, "k") if over else Fraction(1)
        if divisor > 0:
            return ClassLoss(nodes, of_classes, divisor)
    raise CertificateError(f"the loss is {shown(name)}; a checker knows {', '.join((*CELLS, *CLASSES))}")


# ---------------------------------------------------------------------- losses of cells


def _level(_: Nodes, __: int, level: int) -> Fraction:
    return Fraction(level)


def _top(nodes: Nodes, i: int, _: int) -> Fraction:
    return Fraction(nodes.shape[i] - 1)


def _one(_: Nodes, __: int, ___: int) -> Fraction:
    return Fraction(1)


def _height(nodes: Nodes, i: int, level: int) -> list[Fraction]:
    return [Fraction(level)] * len(nodes.labels[i][level])


def _share_of_height(nodes: Nodes, i: int, level: int) -> list[Fraction]:
    return [Fraction(level, max(nodes.shape[i] - 1, 1))] * len(nodes.labels[i][level])


def _widths(nodes: Nodes, i: int, level: int) -> list[int]:
    """Return for each label of a level how many values of the hierarchy it stands for."""
    labels = nodes.labels[i][level]
    width = [0] * len(labels)
    for row in nodes.rows[i]:
        width[labels[row[level]]] += 1
    return width


def _ncp(nodes: Nodes, i: int, level: int) -> list[Fraction]:
    return [Fraction(width if width > 1 else 0, len(nodes.rows[i])) for width in _widths(nodes, i, level)]


def _lm(nodes: Nodes, i: int, level: int) -> list[Fraction]:
    return [Fraction(width - 1, max(len(nodes.rows[i]) - 1, 1)) for width in _widths(nodes, i, level)]


def _as_it_is(_: Nodes, total: Fraction) -> Fraction:
    return total


def _a_record(nodes: Nodes, total: Fraction) -> Fraction:
    return total / nodes.records


def _mean(nodes: Nodes, total: Fraction) -> Fraction:
    return total / (nodes.records * len(nodes.shape))


def _precision(nodes: Nodes, total: Fraction) -> Fraction:
    return 1 - _mean(nodes, total)


_Number = Callable[[Nodes, int, int], Any]

CELLS: dict[str, tuple[_Number, _Number, Callable[[Nodes, Fraction], Fraction]]] = {
    "height": (_height, _level, _a_record),
    "mean-height": (_height, _top, _a_record),
    "precision": (_share_of_height, _one, _precision),
    "ncp": (_ncp, _one, _as_it_is),
    "gcp": (_ncp, _one, _mean),
    "lm": (_lm, _one, _mean),
}
"""By name: the number of each label of an attribute's level, that of a suppressed record, and the loss from the sum.

``height``: Σ level; ``mean-height``: the mean over records of Σ level, a suppressed record at the top; ``precision``:
1 − mean of level/height; ``ncp``: Σ over records and attributes of values below the label over values of the hierarchy,
0 for one value; ``gcp``: its mean; ``lm``: the mean of (values − 1)/(all − 1). A suppressed record has 1 for each
attribute in the last four.
"""


# ---------------------------------------------------------------------- losses of classes


def _squares(sizes: IntArray) -> int:
    if len(sizes) * int(sizes.max(initial=0)) ** 2 <= INT64_MAX:
        return int((sizes * sizes).sum())
    return sum(size * size for size in sizes.tolist())


def _kept(found: Suppressed) -> IntArray:
    return found.sizes[~found.withheld]


_Of = Callable[[Suppressed, int], int | Fraction]

CLASSES: dict[str, tuple[_Of, bool]] = {
    "discernibility": (lambda found, n: _squares(_kept(found)) + n * found.records, True),
    "discernibility-one-class": (lambda found, n: _squares(_kept(found)) + found.records**2, True),
    "discernibility-before-suppression": (lambda found, n: _squares(found.sizes), True),
    "discernibility-excluded": (lambda found, n: _squares(_kept(found)), False),
    "class-size": (lambda found, n: Fraction(n - found.records, len(_kept(found))), False),
    "class-size-in-n": (lambda found, n: Fraction(n, len(_kept(found))), True),
    "class-size-one-class": (lambda found, n: Fraction(n, len(_kept(found)) + (found.records > 0)), True),
}
"""By name: the loss from the sizes of the classes and the number of all records; and whether suppression lowers none.

``discernibility``: Σ n_g² + records · suppressed; or suppressed², the classes before suppression, or nothing for these.
``class-size``: released records over classes; or all records, or the suppressed ones as one more class.
"""
