"""`Tags`: what is known of each node, and which node to ask next."""

from __future__ import annotations

import math
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from tcloseness.displayed import Compared
from tcloseness.errors import LimitReached
from tcloseness.lattice.decide import SEARCHING
from tcloseness.lattice.lattice import Lattice, Node
from tcloseness.limits import Clock
from tcloseness.models.protocol import Verdict

__all__ = ["SATISFYING", "UNDECIDED", "UNKNOWN", "VIOLATING", "Guess", "Tags", "Worse"]

UNKNOWN, SATISFYING, VIOLATING, UNDECIDED = 0, 1, 2, 3

_LARGEST = 2**31 - 1
"""Nodes are counted in 32 bits; where there are more, a search is refused whatever the memory."""

_PER_QUESTION = 24
"""So many bytes a node finding the next question takes; measured."""

_MULTIPLIED = 2**12
"""Up to so many nodes, matrix products count the nodes above and below each node faster than running sums do. Larger
products would be made by several threads, which wait for each other where the machine is busy."""

_FIRST_GUESS, _STEEPNESS = 0.8, 15.0
"""Found by trying on the Adult lattices; other values only ask more questions."""

_SEVERAL, _MOST, _CANDIDATES = 2**14, 32, 512
"""So many nodes have one further question at a count, up to so many; of each part so many nodes are candidates."""

_PART = 2**18
"""So many nodes are gone through at a time where all are."""

_CODE = {"satisfied": SATISFYING, "violated": VIOLATING, "undecided": UNDECIDED}


class Worse:
    """How many open nodes have a greater rank than each node: those that the answer "satisfied" settles.

    Parameters
    ----------
    tags, open_nodes
        The lattice's tags, and which nodes are open.
    ranks, worst
        The rank of each node in lexicographic order, and the greatest of them.
    """

    def __init__(self, tags: Tags, open_nodes: npt.NDArray[np.bool_], ranks: npt.NDArray[np.int64], worst: int) -> None:
        self._tags, self._open, self.ranks, self.worst = tags, open_nodes, ranks, worst

    def __call__(self, part: slice) -> npt.NDArray[np.int64]:
        """Return the numbers for a range of the nodes."""
        return self._greater[self.ranks[part]]

    @cached_property
    def _greater(self) -> npt.NDArray[np.int64]:
        waiting, wanted = np.zeros(self.worst + 1, dtype=np.int64), self._open.reshape(-1)
        for each in self._tags.parts(self.worst + 1):
            waiting += np.bincount(self.ranks[each][wanted[each]], minlength=self.worst + 1)
        return np.asarray(waiting.sum() - np.cumsum(waiting))


_NONE = np.zeros(0, dtype=np.int64)


class Tags(Compared):
    """A tag for each node of a lattice: unknown, satisfying, violating or undecided.

    Parameters
    ----------
    lattice
        The lattice.
    clock
        Its limits hold while a question is looked for; a new one, without a time limit, if left out.
    asked
        Whether `next_node` or `each` will be asked, which takes most of the memory.
    compiled
        Whether compiled code finds the questions of a small lattice too; they are the same.

    Raises
    ------
    LimitReached
        For a lattice of 2³¹ nodes or more.
    MemoryLimitReached
        For one whose search would take more memory than there is.
    """

    def __init__(
        self, lattice: Lattice, clock: Clock | None = None, *, asked: bool = False, compiled: bool = False
    ) -> None:
        clock = Clock() if clock is None else clock
        size = math.prod(lattice.shape)  # len() ends at 2⁶³
        clock.require_memory(
            size * (_PER_QUESTION if asked else 2),
            f"the search of a lattice of {size:,} nodes",
            instead="fewer quasi-identifiers, lower hierarchies,",
        )
        if size > _LARGEST:
            raise LimitReached(
                f"the lattice has {size:,} nodes, more than the {_LARGEST:,} that a search counts; use fewer "
                "quasi-identifiers or lower hierarchies"
            )
        self.lattice, self.clock, self.compiled = lattice, clock, compiled
        self._shape = np.array(lattice.shape)
        self.array: npt.NDArray[np.int8] = np.zeros(lattice.shape, dtype=np.int8)
        self._next: list[Node] = []  # further questions of the last count, the best one last

    def _state(self) -> dict[str, Any]:
        return {"lattice": self.lattice, "array": self.array}

    def __reduce_ex__(self, protocol: Any) -> Any:
        return _tagged, (self.lattice, self.compiled, self.array)

    def __getitem__(self, node: Node) -> int:
        return int(self.array[node])

    def set(self, node: Node, verdict: Verdict) -> None:
        """Tag one node."""
        self.array[node] = _CODE[verdict]

    def spread(self, node: Node, verdict: Verdict) -> None:
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

    def nodes(self, tag: int) -> tuple[Node, ...]:
        """Return the nodes with a tag, by height."""
        return tuple(in_order(self.array == tag))

    def each(self, tag: int) -> Iterator[Node]:
        """Iterate over the nodes that have a tag now, by height; of a large lattice their list takes gigabytes."""
        return in_order(self.array == tag)

    def minimal(self) -> tuple[Node, ...]:
        """Return the satisfying nodes without a satisfying direct specialization, by height."""
        satisfying = self.array == SATISFYING
        covered = np.zeros_like(satisfying)
        for axis in range(satisfying.ndim):
            above = tuple(slice(1, None) if a == axis else slice(None) for a in range(satisfying.ndim))
            below = tuple(slice(None, -1) if a == axis else slice(None) for a in range(satisfying.ndim))
            covered[above] |= satisfying[below]
        return tuple(in_order(satisfying & ~covered))

    # ------------------------------------------------------------------ the next question

    def next_node(
        self,
        chance: npt.NDArray[np.float32],
        open_nodes: npt.NDArray[np.bool_] | None = None,
        settled: Worse | None = None,
    ) -> Node | None:
        """Return the unknown node that settles most nodes in expectation; None if none is unknown.

        Parameters
        ----------
        chance
            By height the probability that a node satisfies, see `Guess`; it only decides the order of the questions.
        open_nodes
            Which unknown nodes matter; all if left out. Others may be asked for what they settle.
        settled
            How many open nodes the answer "satisfied" settles; if left out those above it.

        Raises
        ------
        TimeLimitReached, MemoryLimitReached
            When a limit is reached.

        Notes
        -----
        With u open nodes above, d below and the probability p, p·u + (1 − p)·d nodes are settled in expectation. In a
        large lattice each count of the nodes serves several questions: such as settle much beside the ones before.
        """
        unknown = self.array == UNKNOWN
        wanted = unknown if open_nodes is None else open_nodes
        if not wanted.any():
            return None
        while self._next:
            node = self._next.pop()
            if wanted[node]:
                return node
        if wanted.size <= _MULTIPLIED and self.compiled:
            from tcloseness.lattice.compiled import greatest_gain

            arrays = (x.reshape(-1) for x in (self._heights, wanted, unknown))
            ranks, worst = (_NONE, 0) if settled is None else (settled.ranks, settled.worst)
            place = greatest_gain(chance, self._shape, *arrays, ranks, worst)
            return tuple(map(int, np.unravel_index(place, self.lattice.shape)))
        if wanted.size <= _MULTIPLIED:
            below, above = self._multiplied(wanted)
            p = chance[self._heights]
            gains = p * (above if settled is None else settled(slice(None)).reshape(p.shape)) + (1 - p) * below
            gains[~unknown] = -1
            return tuple(map(int, np.unravel_index(gains.argmax(), self.lattice.shape)))
        return self._asked_of_many(chance, unknown, *self._summed(wanted), settled)

    def _asked_of_many(
        self,
        chance: npt.NDArray[np.float32],
        unknown: npt.NDArray[np.bool_],
        below: npt.NDArray[Any],
        above: npt.NDArray[Any],
        settled: Worse | None,
    ) -> Node:
        """Return the next question of a large lattice, and keep further ones."""
        from tcloseness.lattice.compiled import greatest_gains

        below, above, asked, heights = (x.reshape(-1) for x in (below, above, unknown, self._heights))
        several, found = min(below.size // _SEVERAL, _MOST), list[Any]()
        for part in self.parts():
            up, step = (
                above[part] if settled is None else settled(part),
                max(1, (part.stop - part.start) // _CANDIDATES),
            )
            best, places = greatest_gains(chance, heights[part], up, below[part], asked[part], step)
            found.append((best, places + part.start))
        gains, places = (np.concatenate(each) for each in zip(*found, strict=True))
        nodes = np.stack(np.unravel_index(places, self.lattice.shape))
        p, least, chosen = chance[heights[places]], gains.max() / 2, list[Node]()
        while True:
            at = int(gains.argmax())
            if chosen and (gains[at] < least or len(chosen) > several):
                break
            chosen.append(tuple(nodes[:, at].tolist()))
            both = np.ravel_multi_index(tuple(np.minimum(nodes, nodes[:, at : at + 1])), self.lattice.shape)
            gains = gains - (1 - p) * below[both]  # what a "violated" settles of it
            if settled is None:
                either = np.ravel_multi_index(tuple(np.maximum(nodes, nodes[:, at : at + 1])), self.lattice.shape)
                gains = gains - p * above[either]
            gains[at] = -1
        self._next = chosen[:0:-1]
        return chosen[0]

    def parts(self, least: int = 0) -> Iterator[slice]:
        """Go through all nodes, in lexicographic order, in ranges so small that the limits are looked at in time.

        Parameters
        ----------
        least
            How many nodes at least to take at a time, where there are so many.
        """
        step = max(least, _PART)
        for start in range(0, self.array.size, step):
            self.clock.check(SEARCHING)
            yield slice(start, min(start + step, self.array.size))

    @cached_property
    def _heights(self) -> npt.NDArray[np.int16]:
        """The height of each node."""
        heights = np.zeros((1,) * len(self.lattice.shape), dtype=np.int16)
        for axis, size in enumerate(self.lattice.shape):
            self.clock.check(SEARCHING)
            along = [size if a == axis else 1 for a in range(len(self.lattice.shape))]
            heights = heights + np.arange(size, dtype=np.int16).reshape(along)
        return heights

    def _multiplied(self, wanted: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Count the wanted nodes below and above each node, itself included, by the order's matrix."""
        flat = wanted.reshape(self._split).astype(np.float32)
        left, right = self._orders
        return (left.T @ flat @ right).reshape(wanted.shape), (left @ flat @ right.T).reshape(wanted.shape)

    def _summed(self, wanted: npt.NDArray[np.bool_]) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Count the wanted nodes below and above each node, itself included, by running sums along each axis."""
        from tcloseness.lattice.compiled import add_along

        below = wanted.astype(np.int32)
        above = below.copy()
        inner = wanted.size
        for size in wanted.shape:
            inner //= size
            up, down = (x.reshape(-1, size, inner) for x in (below, above))
            outer, step = max(1, _PART // (size * inner)), max(1, _PART // size)
            for start in range(0, len(up), outer):
                self.clock.check(SEARCHING)  # of many nodes a question takes seconds
                for first in range(0, inner, step):
                    part = slice(start, start + outer), slice(None), slice(first, first + step)
                    add_along(up[part], down[part])
        return below, above

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


def _tagged(lattice: Lattice, compiled: bool, array: npt.NDArray[np.int8]) -> Tags:
    """Return the tags of another process."""
    tags = Tags(lattice, compiled=compiled)
    tags.array = array
    return tags


def in_order(wanted: npt.NDArray[np.bool_]) -> Iterator[Node]:
    """Iterate over the marked nodes by height and then lexicographically."""
    places = np.flatnonzero(wanted)
    heights = np.empty(len(places), dtype=np.int16)
    for part in range(0, len(places), _PART):
        heights[part : part + _PART] = sum(np.unravel_index(places[part : part + _PART], wanted.shape))
    places = places[np.argsort(heights, kind="stable")]
    for part in range(0, len(places), _PART):
        yield from zip(*(x.tolist() for x in np.unravel_index(places[part : part + _PART], wanted.shape)), strict=True)


class Guess:
    """How likely a node satisfies, by its height and the answers so far.

    Between the greatest height of a violating node and the least of a satisfying one lies the middle of a logistic
    curve over the height as a share of the lattice's. Only the number of questions depends on it.
    """

    def __init__(self, lattice: Lattice) -> None:
        self._top = max(lattice.height, 1)
        self._share = np.arange(lattice.height + 1, dtype=np.float32) / np.float32(self._top)
        self._violating, self._satisfying = _FIRST_GUESS - 0.2, _FIRST_GUESS + 0.2

    def learn(self, node: Node, verdict: Verdict) -> None:
        """Take an answer into account."""
        if verdict == "satisfied":
            self._satisfying = min(self._satisfying, sum(node) / self._top)
        else:
            self._violating = max(self._violating, sum(node) / self._top)

    def chance(self) -> npt.NDArray[np.float32]:
        """Return by height the probability of a node."""
        middle = np.float32((self._satisfying + self._violating) / 2)
        return np.asarray(1 / (1 + np.exp((middle - self._share) * np.float32(_STEEPNESS))))
