"""What classes cost that show tight labels, recomputed from a table by the checkers: penalties in whole numbers.

A label is the interval of a class's numbers, the lowest common ancestor of its values, or their set. A penalty never
falls when the label grows; it is 0 for a single value.

``ncp``: (max − min)/range, or values below the label over all values, summed over cells; ``gcp``: their mean; ``lm``:
the mean of (max − min)/range, or (values − 1)/(all − 1); ``mean-height``: the height of the ancestor, else 1, the sum
over attributes, the mean over records; ``discernibility``: the sum of squared class sizes; ``class-size``: records a
class, over the k behind a stroke if there is one. A suppressed record costs as the label for everything does; by
``discernibility`` as many as there are records.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date
from fractions import Fraction

import numpy as np

from tcloseness.certificates.nodes import Nodes
from tcloseness.displayed import counted
from tcloseness.errors import CertificateError, InputError
from tcloseness.exact import IntArray, as_fraction
from tcloseness.strict_records import Work, canonical_fraction, fields, listed, shown, text, whole

__all__ = ["ClassCosts", "number_of"]

_LONGEST = 2**200
_MOST_PAIRS = 2**25
"""Of values of an attribute, of all attributes together."""
_WHAT = "the penalties of so many labels"


class ClassCosts:
    """What a class costs, in units of 1/u; of its label of each attribute, or by its size.

    Parameters
    ----------
    nodes
        The table under its hierarchies.
    names
        By kind of records its values, of the quasi-identifiers first.
    attributes, loss, unit
        As a proof has them, see `docs/certificates.md`.
    work
        How much of it may be done.

    Attributes
    ----------
    places, pairs, sets, by_count, sizes
        See `tcloseness.certificates.classes.Priced`.
    lost
        What a suppressed record costs; None where suppression lowers the loss.
    measured
        Of each attribute, over what its labels are measured, in words.

    Raises
    ------
    CertificateError, InputError
        For a loss or attribute that is not of this form, or not of this table.
    """

    def __init__(
        self,
        nodes: Nodes,
        names: Sequence[Sequence[str]],
        attributes: object,
        loss: object,
        unit: object,
        work: Work | None = None,
    ) -> None:
        self.name, over, k = text(loss, "loss").partition("/")
        if self.name not in (*_CELLS, *_SIZES) or (over and (self.name != "class-size" or not k)):
            raise InputError(f"the loss is {shown(loss)}; a checker knows {', '.join((*_CELLS, *_SIZES))}")
        self.k = canonical_fraction(k or "1", "the k of the loss")
        if self.k <= 0:
            raise InputError(f"the loss is {shown(loss)}; its k must be positive")
        self.unit = whole(unit, "unit", least=1, most=_LONGEST)
        self.records, self._work = nodes.records, work or Work(None)
        given = listed(attributes, "attributes", length=len(nodes.names) if self.name in _CELLS else 0)
        self.attributes = len(given)
        sizes: list[int] = list(range(self.records + 2))
        self.sizes = [0] * len(sizes)
        self.lost: int | None = 0
        if self.name == "discernibility":
            self.sizes, self.lost = [self.unit * n * n for n in sizes], self.unit * self.records
        elif self.name == "class-size":
            self.sizes, self.lost = [-self.unit] * len(sizes), None
        self.measured: list[str] = []
        self.places: list[list[int]] = []
        self.pairs: list[list[list[int]]] = []
        self.sets: list[list[int]] = []
        self.by_count: list[list[int]] = []
        for i, entry in enumerate(given):
            kind = entry.get("kind") if type(entry) is dict else None
            read = {"numeric": self._numeric, "hierarchical": self._hierarchical, "categorical": self._categorical}
            if type(kind) is not str or kind not in read:
                raise InputError(f"attributes[{i}] is of the kind {shown(kind)}; it is one of {', '.join(read)}")
            read[kind](entry, i, nodes, [name[i] for name in names])

    def _penalty(self, measured: Fraction | int, greatest: Fraction | int, height: int, kind: str) -> int:
        penalty = _CELLS[self.name](measured, greatest, height, kind) * self.unit
        if penalty.denominator != 1:
            raise InputError(f"the unit is {self.unit}, of which the penalty of a class is not a whole number")
        return penalty.numerator

    def _numeric(self, entry: object, i: int, nodes: Nodes, column: Sequence[str]) -> None:
        """The interval from the least to the greatest value, over the range of the proof."""
        ends = listed(fields(entry, ("kind", "range"), f"attributes[{i}]")["range"], "range", length=2)
        low, high = (canonical_fraction(end, "range[]") for end in ends)
        numbers = [number_of(value, nodes.names[i]) for value in column]
        if low > min(numbers) or high < max(numbers):
            raise CertificateError(f"the range of {nodes.names[i]!r} does not hold all its values")
        self.measured.append(f"{nodes.names[i]} over {ends[0]} to {ends[1]}")
        known = sorted(set(numbers))
        place = {number: at for at, number in enumerate(known)}
        self.places.append([place[number] for number in numbers])
        bits = max(part.bit_length() for number in (low, high, *known) for part in number.as_integer_ratio())
        self._require_room(len(known))
        self.pairs.append([])
        for a in known:
            self._work.spend(len(known) * (2000 + (bits // 32) ** 2), _WHAT)
            self.pairs[-1].append([self._penalty(b - a, high - low, int(a != b), "numeric") for b in known])
        self._suppressed(1)

    def _hierarchical(self, entry: object, i: int, nodes: Nodes, column: Sequence[str]) -> None:
        """The lowest common ancestor, over all rows of the hierarchy."""
        fields(entry, ("kind",), f"attributes[{i}]")
        self.measured.append(f"{nodes.names[i]} by its hierarchy")
        paths = {row[0]: row for row in nodes.rows[i]}
        below: dict[tuple[int, str], int] = {}
        for row in nodes.rows[i]:
            for height, label in enumerate(row):
                below[height, label] = below.get((height, label), 0) + 1
        known = sorted(set(column), key=lambda value: paths[value][::-1])
        place = {value: at for at, value in enumerate(known)}
        self._require_room(len(known))
        table: list[list[int]] = []
        for a in known:
            self._work.spend(len(known) * (2000 + 50 * len(paths[a])), _WHAT)
            table.append([])
            for b in known:
                height = next(h for h, (x, y) in enumerate(zip(paths[a], paths[b], strict=True)) if x == y)
                table[-1].append(self._penalty(below[height, paths[a][height]], len(paths), height, "leaves"))
        self.places.append([place[value] for value in column])
        self.pairs.append(table)
        self._suppressed(nodes.shape[i] - 1)

    def _categorical(self, entry: object, i: int, nodes: Nodes, column: Sequence[str]) -> None:
        """The set of values, over as many as the proof says there are."""
        known = sorted(set(column))
        of = whole(fields(entry, ("kind", "of"), f"attributes[{i}]")["of"], "of", least=len(known))
        self.measured.append(f"{nodes.names[i]} over {counted(of, 'value')}")
        self.sets.append([known.index(value) for value in column])
        self.by_count.append([self._penalty(many, of, int(many > 1), "leaves") for many in range(len(known) + 1)])
        self._suppressed(1)

    def _require_room(self, values: int) -> None:
        if sum(len(pairs) ** 2 for pairs in self.pairs) + values**2 > _MOST_PAIRS:
            raise InputError("the attributes have more values than are checked")

    def _suppressed(self, top: int) -> None:
        assert self.lost is not None
        self.lost += self.unit * (top if self.name == "mean-height" else 1)

    def of(self, groups: IntArray) -> list[int]:
        """Return the cost of each group, shape (groups, kinds), none of them empty."""
        penalty = np.zeros(len(groups), dtype=object)
        for places, pairs in zip(self.places, self.pairs, strict=True):
            held = groups > 0
            low, high = np.where(held, places, len(pairs)).min(axis=1), (held * np.array(places)).max(axis=1)
            penalty += np.array(pairs, dtype=object)[low, high]
        for values, by_count in zip(self.sets, self.by_count, strict=True):
            order = np.argsort(values, kind="stable")
            first = np.searchsorted(np.array(values)[order], np.arange(len(by_count) - 1))
            held = np.add.reduceat(groups[:, order], first, axis=1) > 0
            penalty += np.array(by_count, dtype=object)[held.sum(axis=1)]
        sizes = groups.sum(axis=1)
        return list(sizes.astype(object) * penalty + np.array(self.sizes, dtype=object)[sizes])

    def loss_of(self, total: Fraction) -> Fraction:
        """Return the loss that a sum of costs, in units of 1, stands for."""
        return -(self.records / self.k) / total if self.name == "class-size" else total / self._over

    def total_of(self, loss: Fraction) -> Fraction:
        """Return the sum of costs that stands for a loss."""
        if self.name != "class-size":
            return loss * self._over
        if loss <= 0:
            raise InputError(f"a class has a record at least, and the bound is {loss}")
        return -(self.records / self.k) / loss

    @property
    def _over(self) -> int:
        return {
            "gcp": self.records * self.attributes,
            "lm": self.records * self.attributes,
            "mean-height": self.records,
        }.get(self.name, 1)


def number_of(value: str, name: str) -> Fraction:
    """Return a value of a column as a number; a date is counted in days.

    Raises
    ------
    InputError
        If it is neither.
    """
    try:
        return as_fraction(value)
    except InputError:
        try:
            return Fraction(date.fromisoformat(value).toordinal())
        except ValueError:
            raise InputError(f"{name!r} has the value {shown(value)}, which is not a number") from None


def _ncp(measured: Fraction | int, greatest: Fraction | int, height: int, kind: str) -> Fraction:
    return Fraction(measured) / greatest if height else Fraction(0)


def _lm(measured: Fraction | int, greatest: Fraction | int, height: int, kind: str) -> Fraction:
    if not height:
        return Fraction(0)
    return Fraction(measured) / greatest if kind == "numeric" else Fraction(measured - 1) / (greatest - 1)


def _height(measured: Fraction | int, greatest: Fraction | int, height: int, kind: str) -> Fraction:
    return Fraction(height)


_CELLS = {"ncp": _ncp, "gcp": _ncp, "lm": _lm, "mean-height": _height}
"""By loss, the penalty of a label: from the width of an interval or how many values it stands for, the same of what
stands for everything, and its height, 0 for a single value."""

_SIZES = ("discernibility", "class-size")
"""A class of n records costs n², or −1; ``class-size/k`` is the mean size over k."""
