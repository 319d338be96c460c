"""Every class of every node of a lattice, the equal ones only once.

What a model says about a class depends on the class's counts and on the distribution Q of all records. Classes with
equal counts are of one *kind*; a lattice of 3,240 nodes over Adult has five million classes and a quarter of a million
kinds, so each model judges kinds, and the nodes' answers are put together from them.
"""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tcloseness.errors import StudyError
from tcloseness.exact import RATIO_FILTER, ExactReal, IntArray, Rationals
from tcloseness.lattice import Node, RollUp
from tcloseness.lattice.node_classes import DenseClasses, NodeClasses
from tcloseness.measures import Values
from tcloseness.microdata import ClassCounts

__all__ = ["Kinds", "exact_ranks", "tabulate"]

_SEED = 20070415


@dataclass(frozen=True, eq=False)
class Kinds:
    """Which kinds of classes each node of a lattice has.

    Attributes
    ----------
    shape
        The number of levels of each attribute; nodes are numbered in lexicographic order of their levels.
    total
        The number of records, the same at every node.
    starts, kind, records
        Node i has the kinds ``kind[starts[i]:starts[i + 1]]``, and its classes of each hold so many ``records``.
    classes
        The number of classes of each node, equal ones counted apart.
    """

    shape: tuple[int, ...]
    total: int
    starts: IntArray
    kind: IntArray
    records: IntArray
    classes: IntArray

    def __len__(self) -> int:
        return len(self.classes)

    @cached_property
    def node_of(self) -> IntArray:
        """The node of each entry."""
        return np.repeat(np.arange(len(self)), np.diff(self.starts))

    def node(self, number: int) -> Node:
        """Return the levels of a node."""
        return tuple(int(level) for level in np.unravel_index(number, self.shape))

    @cached_property
    def levels(self) -> IntArray:
        """The levels of each node, shape (attributes, nodes)."""
        return np.stack(np.unravel_index(np.arange(len(self)), self.shape))

    @cached_property
    def edges(self) -> tuple[IntArray, IntArray]:
        """The lower and the upper node of each edge: one attribute generalized by one level."""
        lower, upper = [], []
        for a, size in enumerate(self.shape):
            below = np.flatnonzero(self.levels[a] < size - 1)
            step = self.levels[:, below].copy()
            step[a] += 1
            lower.append(below)
            upper.append(np.ravel_multi_index(tuple(step), self.shape))
        return np.concatenate(lower), np.concatenate(upper)

    @cached_property
    def without_one(self) -> tuple[IntArray, IntArray]:
        """Every node that keeps something of an attribute, and the same node with that attribute at its top."""
        nodes, subsets = [], []
        for a, size in enumerate(self.shape):
            kept = np.flatnonzero(self.levels[a] < size - 1)
            step = self.levels[:, kept].copy()
            step[a] = size - 1
            nodes.append(kept)
            subsets.append(np.ravel_multi_index(tuple(step), self.shape))
        return np.concatenate(nodes), np.concatenate(subsets)

    def lost(self, violating: IntArray) -> IntArray:
        """Return for each node how many records its classes of violating kinds hold.

        Parameters
        ----------
        violating
            True for each kind that violates a threshold.
        """
        return np.add.reduceat(np.where(violating[self.kind], self.records, 0), self.starts[:-1])

    def worst_left(self, badness: IntArray, limits: Sequence[int]) -> IntArray:
        """Return for each limit and node how bad the worst class is that is left once the worst are suppressed.

        Classes are suppressed from the worst on, those that are equally bad together, while they hold no more records
        than the limit. So a node meets a threshold within the limit if and only if the class that is left meets it.

        Parameters
        ----------
        badness
            A whole number ≥ 0 for each kind, the greater the worse.
        limits
            Numbers of records, each less than all.

        Returns
        -------
        numpy.ndarray
            Shape (limits, nodes).
        """
        most, radix = int(badness.max(initial=0)), self.total + 1
        # one number for node, badness (falling) and records: sorting numbers is quicker than sorting places
        key = (self.node_of * (most + 1) + (most - badness[self.kind])) * radix + self.records
        key.sort()
        bad, records = np.divmod(key, radix)
        gone = np.cumsum(records)  # node i begins after i·total records
        begin = np.arange(len(self)) * self.total
        return np.stack(
            [most - bad[np.searchsorted(gone, begin + limit, side="right")] % (most + 1) for limit in limits]
        )


def tabulate(rolled: RollUp) -> tuple[Kinds, ClassCounts]:
    """Go through all nodes of a lattice and collect the kinds of their classes.

    Returns
    -------
    Kinds
    ClassCounts
        A class for each kind, against the Q of all records, to be evaluated by any model that judges classes one by
        one.

    Raises
    ------
    StudyError
        If two different kinds have one hash; no such case is known.
    """
    shape, m = rolled.lattice.shape, len(rolled.domain)
    rows: list[IntArray] = [np.empty(0)] * len(rolled.lattice)
    records, classes = list(rows), np.zeros(len(rolled.lattice), np.int64)
    for node in rolled.lattice.nodes():  # by height, which is how a node is rolled up from one just below
        number = int(np.ravel_multi_index(node, shape))
        found = rolled.at(node)
        matrix = _matrix(found, m)
        first, kind = _different(matrix)
        rows[number] = matrix[first]
        records[number] = np.bincount(kind, weights=found.sizes).astype(np.int32)  # sums of doubles, exact below 2⁵³
        classes[number] = len(matrix)
    starts = np.append(0, np.cumsum([len(found) for found in rows]))
    every = np.concatenate(rows)
    first, kind = _different(every)
    different = every[first]
    cells, values = np.nonzero(different)
    distinct = ClassCounts.from_cells(
        rolled.domain,
        np.searchsorted(cells, np.arange(len(first) + 1)),
        values,
        different[cells, values].astype(np.int64),
        reference=rolled.reference,
        sensitive=rolled.sensitive,
    )
    return Kinds(shape, rolled.records, starts, kind.astype(np.int32), np.concatenate(records), classes), distinct


def _matrix(found: NodeClasses, m: int) -> IntArray:
    if isinstance(found, DenseClasses):
        return found.matrix
    starts, values, counts = found.cells()
    matrix = np.zeros((len(starts) - 1, m), np.int64)
    matrix[np.repeat(np.arange(len(matrix)), np.diff(starts)), values] = counts
    return matrix


def _different(rows: IntArray) -> tuple[IntArray, IntArray]:
    """Return the first place of each different row, and for each row the number of its like among these."""
    random = np.random.default_rng(_SEED)
    weights = random.integers(1, 2**63, (rows.shape[1],), dtype=np.uint64)
    hashes = rows.astype(np.uint64) @ weights  # modulo 2⁶⁴
    _, first, kind = np.unique(hashes, return_index=True, return_inverse=True)
    if not np.array_equal(rows, rows[first][kind]):
        raise StudyError("two different rows of counts have one hash, so they cannot be told apart; change _SEED")
    return first, kind


# ---------------------------------------------------------------------- exact order


def exact_ranks(values: Values, *, among: IntArray | None = None) -> IntArray:
    """Return the rank of each exact value among all of them: 0 for the least, equal values alike, infinity last.

    Doubles decide where their error bounds allow it, exact numbers decide the rest.

    Parameters
    ----------
    values
        The exact values of all kinds.
    among
        Numbers of kinds. Values that doubles cannot tell apart from one of theirs are told apart exactly, other such
        values get one rank. By default all are told apart.
    """
    if isinstance(values, Rationals) and values.numerators.dtype != object and values.denominators.dtype != object:
        divisors = np.gcd(values.numerators, values.denominators)
        reduced = np.stack([values.numerators // divisors, values.denominators // divisors], axis=1)
        first, kind = _different(reduced)
        return _ranks(Rationals(reduced[first, 0], reduced[first, 1]), None)[kind]
    return _ranks(values, among)


def _ranks(values: Values, among: IntArray | None) -> IntArray:
    doubles = values.floats()
    bound = RATIO_FILTER * np.abs(doubles) if isinstance(values, Rationals) else values.error
    error = np.where(np.isfinite(doubles), bound, 0.0)
    order = np.argsort(doubles, kind="stable")
    reach = np.maximum.accumulate((doubles + error)[order])
    floor = np.minimum.accumulate((doubles - error)[order][::-1])[::-1]
    begins = np.append(True, floor[1:] > reach[:-1])  # everything from here on is certainly greater than all before
    group = np.empty(len(doubles), np.int64)
    group[order] = np.cumsum(begins) - 1
    bounds = np.append(np.flatnonzero(begins), len(doubles))
    open_ = np.diff(bounds) > 1
    if among is not None:
        wanted = np.zeros(len(open_), dtype=bool)
        wanted[group[among]] = True
        open_ &= wanted
    place = np.zeros(len(doubles), np.int64)
    for g in np.flatnonzero(open_).tolist():
        members = order[bounds[g] : bounds[g + 1]]
        if np.isfinite(doubles[members[0]]):
            place[members] = _settle(values, members.tolist())
    _, ranks = np.unique(group * len(doubles) + place, return_inverse=True)
    return np.asarray(ranks)


def _settle(values: Values, members: list[int]) -> list[int]:
    """Return the ranks of a few values among themselves, by exact comparison."""
    keys = [i if isinstance(values, Rationals) else values.key(i) for i in members]
    first: dict[Hashable, int] = {}
    for i, key in zip(members, keys, strict=True):
        first.setdefault(key, i)
    found: list[tuple[Any, list[Hashable]]] = []  # the different values, rising, and their keys
    for key, i in first.items():
        if len(first) == 1:
            return [0] * len(members)
        value, place, sign = values[i], 0, 1
        while place < len(found) and (sign := _order(value, found[place][0])) > 0:
            place += 1
        if place < len(found) and sign == 0:
            found[place][1].append(key)
        else:
            found.insert(place, (value, [key]))
    rank = {key: r for r, (_, its) in enumerate(found) for key in its}
    return [rank[key] for key in keys]


def _order(a: Any, b: Any) -> int:
    """Return the exact sign of a − b; either may be infinite, as a double."""
    if isinstance(a, float) or isinstance(b, float):
        return int(float(a) > float(b)) - int(float(a) < float(b))
    return a.order(b) if isinstance(a, ExactReal) else int(a > b) - int(a < b)
