"""`Tags`: what is known of each node, and which node to ask next."""

from __future__ import annotations

import math
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from tcloseness.errors import LimitReached
from tcloseness.lattice.decide import Verdict
from tcloseness.lattice.lattice import Lattice, Levels

__all__ = ["SATISFYING", "UNDECIDED", "UNKNOWN", "VIOLATING", "Guess", "Tags"]

UNKNOWN, SATISFYING, VIOLATING, UNDECIDED = 0, 1, 2, 3

_LARGEST = 2**26
"""Each question takes some thirty bytes a node; beyond so many nodes a search is refused before it starts."""

_MULTIPLIED = 2**14
"""Up to so many nodes, matrix products count the nodes above and below each node faster than running sums do."""

_FIRST_GUESS, _STEEPNESS = 0.8, 15.0
"""Found by trying on the Adult lattices; other values only ask more questions."""

_CODE = {"satisfied": SATISFYING, "violated": VIOLATING, "undecided": UNDECIDED}


class Tags:
    """A tag for each node of a lattice: unknown, satisfying, violating or undecided.

    Raises
    ------
    LimitReached
        For a lattice of more than 2²⁶ nodes.
    """

    def __init__(self, lattice: Lattice) -> None:
        if len(lattice) > _LARGEST:
            raise LimitReached(
                f"the lattice has {len(lattice):,} nodes, more than the {_LARGEST:,} that a search can hold; use fewer "
                "quasi-identifiers or lower hierarchies"
            )
        self.lattice = lattice
        self.array: npt.NDArray[np.int8] = np.zeros(lattice.shape, dtype=np.int8)

    def __getitem__(self, node: Levels) -> int:
        return int(self.array[node])

    def set(self, node: Levels, verdict: Verdict) -> None:
        """Tag one node."""
        self.array[node] = _CODE[verdict]

    def spread(self, node: Levels, verdict: Verdict) -> None:
        """Tag one node and all that follows by monotonicity: everything above it, or everything below it."""
        if verdict == "satisfied":
            self.array[tuple(slice(level, None) for level in node)] = SATISFYING
        elif verdict == "violated":
            self.array[tuple(slice(None, level + 1) for level in node)] = VIOLATING
        else:
            self.set(node, verdict)

    def count(self, tag: int) -> int:
        """Return how many nodes have a tag."""
        return int(np.count_nonzero(self.array == tag))

    def nodes(self, tag: int) -> tuple[Levels, ...]:
        """Return the nodes with a tag, by height."""
        return in_order(np.argwhere(self.array == tag))

    def minimal(self) -> tuple[Levels, ...]:
        """Return the satisfying nodes without a satisfying direct specialization, by height."""
        satisfying = self.array == SATISFYING
        covered = np.zeros_like(satisfying)
        for axis in range(satisfying.ndim):
            above = tuple(slice(1, None) if a == axis else slice(None) for a in range(satisfying.ndim))
            below = tuple(slice(None, -1) if a == axis else slice(None) for a in range(satisfying.ndim))
            covered[above] |= satisfying[below]
        return in_order(np.argwhere(satisfying & ~covered))

    # ------------------------------------------------------------------ the next question

    def next_node(
        self, chance: npt.NDArray[np.float32], open_nodes: npt.NDArray[np.bool_] | None = None, settled: Any = None
    ) -> Levels | None:
        """Return the unknown node that settles most nodes in expectation; None if none is unknown.

        Parameters
        ----------
        chance
            Per node the probability that it satisfies, see `Guess`; it only decides the order of the questions.
        open_nodes
            Which unknown nodes matter; all if left out. Others may be asked for what they settle.
        settled
            Shape of the lattice: how many open nodes the answer "satisfied" settles, if not those above it.

        Notes
        -----
        With u open nodes above, d below and the probability p, p·u + (1 − p)·d nodes are settled in expectation.
        """
        unknown = self.array == UNKNOWN
        wanted = unknown if open_nodes is None else open_nodes
        if not wanted.any():
            return None
        below, above = self._multiplied(wanted) if wanted.size <= _MULTIPLIED else _summed(wanted)
        gain = chance * (above if settled is None else settled) + (1 - chance) * below
        place = np.unravel_index(int(np.where(unknown, gain, -1).argmax()), self.lattice.shape)
        return tuple(int(x) for x in place)

    def _multiplied(self, wanted: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Count the wanted nodes below and above each node, itself included, by the order's matrix."""
        flat = wanted.reshape(self._split).astype(np.float32)
        left, right = self._orders
        return (left.T @ flat @ right).reshape(wanted.shape), (left @ flat @ right.T).reshape(wanted.shape)

    @cached_property
    def _split(self) -> tuple[int, int]:
        """The axes as two groups of about equal size."""
        shape = self.lattice.shape
        sizes = [math.prod(shape[:i]) for i in range(len(shape) + 1)]
        first = min(range(len(sizes)), key=lambda i: sizes[i] + len(self.lattice) // sizes[i])
        return sizes[first], len(self.lattice) // sizes[first]

    @cached_property
    def _orders(self) -> tuple[npt.NDArray[np.float32], npt.NDArray[np.float32]]:
        """The order u ≤ v of both groups as 0/1 matrices; the lattice's order is their Kronecker product."""
        matrices, target = [np.ones((1, 1), np.float32), np.ones((1, 1), np.float32)], 0
        for size in self.lattice.shape:
            if matrices[0].shape[0] == self._split[0]:
                target = 1
            matrices[target] = np.kron(matrices[target], np.triu(np.ones((size, size), np.float32)))
        return matrices[0], matrices[1]


def _summed(wanted: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
    """Count the wanted nodes below and above each node, itself included, by running sums along each axis."""
    below = wanted.astype(np.int32)
    above = below.copy()
    for axis, size in enumerate(wanted.shape):
        up, down = np.moveaxis(below, axis, 0), np.moveaxis(above, axis, 0)  # views
        for level in range(1, size):
            up[level] += up[level - 1]
            down[-1 - level] += down[-level]
    return below, above


def in_order(places: npt.NDArray[np.intp]) -> tuple[Levels, ...]:
    """Return index rows as nodes, by height and then lexicographically."""
    return tuple(sorted((tuple(row) for row in places.tolist()), key=lambda node: (sum(node), node)))


class Guess:
    """How likely a node satisfies, by its height and the answers so far.

    Between the greatest height of a violating node and the least of a satisfying one lies the middle of a logistic
    curve over the height as a share of the lattice's. Only the number of questions depends on it.
    """

    def __init__(self, lattice: Lattice) -> None:
        self._top = max(lattice.height, 1)
        heights = sum(np.ogrid[tuple(slice(size) for size in lattice.shape)])
        self._share = np.asarray(heights / self._top, dtype=np.float32)
        self._violating, self._satisfying = _FIRST_GUESS - 0.2, _FIRST_GUESS + 0.2

    def learn(self, node: Levels, verdict: Verdict) -> None:
        """Take an answer into account."""
        if verdict == "satisfied":
            self._satisfying = min(self._satisfying, sum(node) / self._top)
        else:
            self._violating = max(self._violating, sum(node) / self._top)

    def chance(self) -> npt.NDArray[np.float32]:
        """Return the probability of each node."""
        middle = (self._satisfying + self._violating) / 2
        return np.asarray(1 / (1 + np.exp((middle - self._share) * _STEEPNESS)))
