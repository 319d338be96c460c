"""Ground distances: how far apart two values of the sensitive attribute are.

| name | d(i, j) | source |
|---|---|---|
| ordered | abs(i − j)/(m − 1) | TC §5.1 |
| ordered-by-value | abs(v_i − v_j)/(v_max − v_min) | ordered, with the values' own spacing |
| equal | 1 for i ≠ j | TC §5.2 |
| hierarchical | height of the lowest common ancestor / H | TC §5.2 |

TC = Li, Li, Venkatasubramanian, "t-Closeness: Privacy Beyond k-Anonymity and ℓ-Diversity", ICDE 2007.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import pairwise
from typing import Any, Literal

import numpy as np

from tcloseness.errors import DomainError
from tcloseness.exact import IntArray, as_fraction, number_text, scaled_integers
from tcloseness.ground.cuts import Cuts
from tcloseness.ground.protocol import domain_size, whole_array
from tcloseness.microdata.domain import Domain, identity, value_text
from tcloseness.microdata.hierarchy import Hierarchy, TreeNode

__all__ = ["Equal", "Hierarchical", "Ordered", "OrderedByValue"]


@dataclass(frozen=True)
class Ordered:
    """Ordered distance d(i, j) = |i − j| / (m − 1) (TC §5.1); 0 everywhere for m = 1.

    The codes are the ranks: the domain must be in order. Its cuts are the prefixes, each of weight 1/(m − 1).

    Examples
    --------
    >>> Ordered(9).distance(0, 2)
    Fraction(1, 4)
    """

    m: int
    name = "ordered"
    metric = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "m", domain_size(self.m))

    def distance(self, i: int, j: int) -> Fraction:
        """Return |i − j| / (m − 1)."""
        return Fraction(abs(i - j), self.denominator)

    @property
    def denominator(self) -> int:
        """Return m − 1, or 1 for a single value."""
        return max(self.m - 1, 1)

    def row(self, i: int) -> IntArray:
        """Return |i − j| for all j."""
        return np.abs(np.arange(self.m) - i)

    @cached_property
    def cuts(self) -> Cuts:
        """The m − 1 prefixes."""
        return _prefixes(np.ones(self.m - 1, dtype=np.int64), self.denominator)

    def to_dict(self) -> dict[str, Any]:
        """Return the name and m."""
        return {"name": self.name, "m": self.m}


@dataclass(frozen=True)
class OrderedByValue:
    """Ordered distance with the values' own spacing: d(i, j) = |v_i − v_j| / (v_max − v_min).

    Parameters
    ----------
    positions
        The values, ascending, each once. Its cuts are the prefixes, weighted by the gap after them over the range.

    Examples
    --------
    >>> OrderedByValue((14, 27, 88, 101)).distance(0, 1)
    Fraction(13, 87)
    """

    positions: tuple[Fraction, ...]
    name = "ordered-by-value"
    metric = True

    def __post_init__(self) -> None:
        if isinstance(self.positions, str) or not isinstance(self.positions, Iterable):
            raise DomainError(f"the values {self.positions!r} of the distance by value must be a list of numbers")
        object.__setattr__(self, "positions", tuple(as_fraction(v, "value") for v in self.positions))
        self._check()

    @classmethod
    def of_whole(cls, numbers: Sequence[int], denominator: int) -> OrderedByValue:
        """Build from the numerators of the values over one denominator > 0; fractions are made when asked for.

        >>> OrderedByValue.of_whole([3, 4], 2) == OrderedByValue(("3/2", 2))
        True
        """
        ground = object.__new__(cls)
        object.__setattr__(ground, "_whole", (list(numbers), denominator))
        ground._check()
        return ground

    def __getattr__(self, name: str) -> Any:
        if name != "positions" or "_whole" not in self.__dict__:
            raise AttributeError(f"{type(self).__name__!r} object has no attribute {name!r}")
        numbers, denominator = self._whole
        object.__setattr__(self, name, tuple([Fraction(number, denominator) for number in numbers]))
        return self.positions

    def _check(self) -> None:
        numbers, denominator = self._whole
        domain_size(len(numbers))
        for low, high in pairwise(numbers):
            if not low < high:
                low_text, high_text = (number_text(Fraction(number, denominator)) for number in (low, high))
                raise DomainError(
                    f"values {low_text}, {high_text} do not ascend; "
                    "the distance by value needs each value once, lowest first"
                )

    @property
    def m(self) -> int:
        """The number of values."""
        return len(self._whole[0])

    @property
    def _range(self) -> Fraction:
        return self.positions[-1] - self.positions[0] or Fraction(1)

    def distance(self, i: int, j: int) -> Fraction:
        """Return |v_i − v_j| / range."""
        return abs(self.positions[i] - self.positions[j]) / self._range

    @cached_property
    def _whole(self) -> tuple[list[int], int]:
        """The values over one denominator: whole numbers compare and subtract many times faster than fractions."""
        return scaled_integers(self.positions)

    @cached_property
    def _scaled(self) -> tuple[IntArray, int]:
        numbers, _ = self._whole
        above = [v - numbers[0] for v in numbers]
        unit = math.gcd(*above) or 1  # the greatest whole number of which the range and all gaps are multiples
        places = [v // unit for v in above]
        return whole_array(places), places[-1] or 1

    @property
    def denominator(self) -> int:
        """The common denominator of the positions over the range."""
        return self._scaled[1]

    def row(self, i: int) -> IntArray:
        """Return |v_i − v_j|·denominator / range for all j."""
        places = self._scaled[0]
        return np.asarray(np.abs(places - places[i]))

    @cached_property
    def cuts(self) -> Cuts:
        """The m − 1 prefixes with weights gap / range."""
        places, denominator = self._scaled
        return _prefixes(np.diff(places), denominator)

    def to_dict(self) -> dict[str, Any]:
        """Return the name and the values."""
        return {"name": self.name, "values": [number_text(v) for v in self.positions]}


@dataclass(frozen=True)
class Equal:
    """Equal distance d(i, j) = 1 for i ≠ j (TC §5.2); the EMD is the variational distance.

    Its cuts are the singletons, each of weight 1/2.
    """

    m: int
    name = "equal"
    metric = True

    def __post_init__(self) -> None:
        object.__setattr__(self, "m", domain_size(self.m))

    def distance(self, i: int, j: int) -> Fraction:
        """Return 1, or 0 for i = j."""
        return Fraction(int(i != j))

    denominator = 1

    def row(self, i: int) -> IntArray:
        """Return 1 for all j ≠ i."""
        return np.asarray(np.arange(self.m) != i, dtype=np.int64)

    @cached_property
    def cuts(self) -> Cuts:
        """The m singletons (none for m = 1, where a singleton is everything)."""
        places = np.arange(self.m if self.m > 1 else 0)
        return Cuts.from_integers(np.arange(self.m), places, places + 1, np.ones(len(places), dtype=np.int64), 2)

    def to_dict(self) -> dict[str, Any]:
        """Return the name and m."""
        return {"name": self.name, "m": self.m}


class Hierarchical:
    """Hierarchical distance d(i, j) = height of the lowest common ancestor / H (TC §5.2).

    Parameters
    ----------
    hierarchy
        Its leaves are the values; leaves may lie at unequal depth (``ragged="keep"``). Height is the longest way down
        to a leaf, H the height of the root of the *whole* hierarchy, whichever of its values occur.
    domain
        The values in code order.
    trivial_levels
        Whether a level on which nothing merges counts (``"keep"``) or not (``"collapse"``), see `Hierarchy.tree`.

    Raises
    ------
    HierarchyError
        If a value is not in the hierarchy.

    Notes
    -----
    Its cuts are the subtrees: the weight of the subtree of node N is (height(parent of N) − height(N)) / 2H.
    """

    name = "hierarchical"
    metric = True

    def __init__(
        self, hierarchy: Hierarchy, domain: Domain, *, trivial_levels: Literal["keep", "collapse"] = "keep"
    ) -> None:
        self.domain = domain
        self.hierarchy = hierarchy
        self.trivial_levels = trivial_levels
        self.root = hierarchy.tree(trivial_levels=trivial_levels)
        self.height = self.root.height
        rows = hierarchy.rows(domain)
        leaf_of_row = {path[0]: row for row, path in enumerate(hierarchy.paths)}
        code_of_row = {row: code for code, row in enumerate(rows)}
        self._codes = {leaf: code_of_row[row] for leaf, row in leaf_of_row.items() if row in code_of_row}
        self._chains: list[list[TreeNode]] = [[] for _ in domain.values]  # per code its ancestors, from the leaf up
        self._below: dict[int, list[int]] = {}  # by id of the node
        self._collect(self.root)

    def _collect(self, node: TreeNode) -> list[int]:
        if not node.children:
            below = [self._codes[node.label]] if node.label in self._codes else []
        else:
            below = [code for child in node.children for code in self._collect(child)]
        for code in below:
            self._chains[code].append(node)
        self._below[id(node)] = below
        return below

    @property
    def m(self) -> int:
        """The number of values."""
        return len(self.domain)

    def distance(self, i: int, j: int) -> Fraction:
        """Return the height of the lowest common ancestor over H."""
        if i == j:
            return Fraction(0)
        above = {id(node) for node in self._chains[j]}
        # ancestors are collected from the bottom up, so the first common one is the lowest
        return Fraction(next(node.height for node in self._chains[i] if id(node) in above), self.height)

    @property
    def denominator(self) -> int:
        """Return H, or 1 for a hierarchy of one value."""
        return max(self.height, 1)

    def row(self, i: int) -> IntArray:
        """Return the height of the lowest common ancestor with every j."""
        heights = np.zeros(self.m, dtype=np.int64)
        settled = {i}
        for node in self._chains[i]:
            fresh = [j for j in self.codes_below(node) if j not in settled]
            heights[fresh] = node.height
            settled.update(fresh)
        return heights

    def codes_below(self, node: TreeNode) -> list[int]:
        """Return the codes of the domain's values below a node, from left to right."""
        return self._below[id(node)]

    @cached_property
    def cuts(self) -> Cuts:
        """The subtrees below the root."""
        order: list[int] = []
        sets: list[tuple[int, int]] = []
        weights: list[Fraction] = []

        def visit(node: TreeNode, parent: TreeNode | None) -> None:
            low = len(order)
            if not node.children and node.label in self._codes:
                order.append(self._codes[node.label])
            for child in node.children:
                visit(child, node)
            if parent is not None:
                sets.append((low, len(order)))
                weights.append(Fraction(parent.height - node.height, 2 * self.height))

        visit(self.root, None)
        return Cuts.of(order, sets, weights)

    def to_dict(self) -> dict[str, Any]:
        """Return the name, the paths of the values and the convention for trivial levels.

        Raises
        ------
        DomainError
            If labels differ by type alone: written as texts they would be one, and the tree another.
        """
        rows = self.hierarchy.rows(self.domain)
        nodes = {
            (len(path) - level, identity(cell)) for path in self.hierarchy.paths for level, cell in enumerate(path)
        }
        if len({(depth, value_text(cell)) for depth, (_, cell) in nodes}) < len(nodes):
            raise DomainError("labels of the hierarchy differ by type alone, such as 1 and '1'; write them differently")
        return {
            "name": self.name,
            "paths": [[value_text(cell) for cell in path] for path in self.hierarchy.paths],
            "values": rows,
            "trivial_levels": self.trivial_levels,
        }

    def __repr__(self) -> str:
        return f"<Hierarchical: {self.m} values, height {self.height}>"


def _prefixes(weights: Sequence[int] | np.ndarray[Any, Any], denominator: int) -> Cuts:
    m = len(weights) + 1
    return Cuts.from_integers(np.arange(m), np.zeros(m - 1, dtype=np.int64), np.arange(1, m), weights, denominator)
