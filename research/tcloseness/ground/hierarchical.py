"""The hierarchical distance (Li et al. 2007, §5.2): the height of two values' lowest common ancestor.

Li, Li, Venkatasubramanian, "t-Closeness: Privacy Beyond k-Anonymity and ℓ-Diversity", ICDE 2007.
"""

from __future__ import annotations

from fractions import Fraction
from functools import cached_property
from typing import Any, ClassVar, Literal

import numpy as np

from tcloseness.errors import DomainError, InputError
from tcloseness.ground.base import Read, WithCuts
from tcloseness.ground.cuts import Cuts
from tcloseness.microdata.ancestors import Ancestors
from tcloseness.microdata.domain import Domain, identity, value_text
from tcloseness.microdata.hierarchy import Hierarchy
from tcloseness.microdata.tree import TreeNode
from tcloseness.strict_records import Work, listed, shown, text, whole

__all__ = ["Hierarchical"]

_MOST_LEVELS = 100
"""Levels of a hierarchy that is read from a record; its tree is walked by recursion."""


class Hierarchical(WithCuts):
    """Hierarchical distance d(i, j) = height of the lowest common ancestor / H (Li et al. 2007, §5.2).

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
    forms: ClassVar = {"hierarchical:FILE": ""}
    needs_values = True
    greatest: ClassVar[Any] = Fraction(1)
    keys = ("paths", "values", "trivial_levels")
    entry_work = 2000.0 + 200.0 * _MOST_LEVELS

    def __init__(
        self, hierarchy: Hierarchy, domain: Domain, *, trivial_levels: Literal["keep", "collapse"] = "keep"
    ) -> None:
        self.domain = domain
        self.hierarchy = hierarchy
        self.trivial_levels = trivial_levels
        tree = self._tree = Ancestors(hierarchy)
        self._heights = tree.height if trivial_levels == "keep" else tree.without_trivial_levels()
        self.height = int(self._heights[0])
        self._places = tree.places(domain)

    @cached_property
    def root(self) -> TreeNode:
        """The hierarchy as a tree."""
        return self.hierarchy.tree(trivial_levels=self.trivial_levels)

    @classmethod
    def reads(cls, spec: Any) -> bool:
        """A hierarchy; or a hierarchical distance, whose values are known by name: any order of them will do."""
        return isinstance(spec, Hierarchy) or type(spec) is cls or (isinstance(spec, str) and spec == cls.name)

    @classmethod
    def of(cls, spec: Any, domain: Domain) -> Hierarchical:
        """Return it over a domain whose values are in the hierarchy."""
        if isinstance(spec, str):
            raise DomainError(
                "the hierarchical distance needs its hierarchy; give the Hierarchy itself as the ground distance"
            )
        if isinstance(spec, Hierarchy):
            return cls(spec, domain)
        if spec.domain is domain:
            return spec  # type: ignore[no-any-return]
        return cls(spec.hierarchy, domain, trivial_levels=spec.trivial_levels)

    @classmethod
    def from_file(cls, kind: str, file: str, **options: Any) -> Hierarchy:
        """Return the hierarchy of a file."""
        del options["allow_non_metric"]
        return Hierarchy.from_csv(file, **options)

    @property
    def m(self) -> int:
        """The number of values."""
        return len(self.domain)

    def distance(self, i: int, j: int) -> Fraction:
        """Return the height of the lowest common ancestor over H."""
        first, last = sorted((self._places[i], self._places[j]))
        (lowest,) = self._tree.covering(np.array([first]), np.array([last])).tolist()
        return Fraction(int(self._heights[lowest]), self.height or 1)

    @property
    def nodes(self) -> tuple[list[int], list[int], list[int]]:
        """The tree's nodes, each before its parent: the place of its parent, its height, and its value's code or −1.

        The root is the last, and its own parent. Nodes with one child are among them; with ``trivial_levels`` =
        ``"collapse"`` each has its child's height.
        """
        tree = self._tree
        last = len(tree.parent) - 1
        code = np.full(last + 1, -1)
        code[tree.leaf_nodes[self._places]] = np.arange(self.m)
        return (last - tree.parent[::-1]).tolist(), self._heights[::-1].tolist(), code[::-1].tolist()

    @cached_property
    def cuts(self) -> Cuts:
        """The subtrees below the root."""
        tree, order = self._tree, np.argsort(self._places)
        present = self._places[order]
        low, high = (np.searchsorted(present, ends[1:]) for ends in (tree.low, tree.high))
        weight = (self._heights[tree.parent] - self._heights)[1:]
        return Cuts.merged(order, low, high, weight, 2 * self.height or 1)

    def to_dict(self) -> dict[str, Any]:
        """Return the name, the paths of the values and the convention for trivial levels.

        Raises
        ------
        DomainError
            If labels differ by type alone, or one is written in two ways: as texts they would make another tree.
        """
        rows = self.hierarchy.rows(self.domain)
        cells = {
            (len(path) - level, identity(cell), value_text(cell))
            for path in self.hierarchy.paths
            for level, cell in enumerate(path)
        }
        nodes = len({(depth, label) for depth, label, _ in cells})
        if len({(depth, written) for depth, _, written in cells}) < nodes:
            raise DomainError("labels of the hierarchy differ by type alone, such as 1 and '1'; write them differently")
        if nodes < len(cells):
            raise DomainError("a label of the hierarchy is written in two ways, such as 1 and 1.0; write it in one")
        return {
            "name": self.name,
            "paths": [[value_text(cell) for cell in path] for path in self.hierarchy.paths],
            "values": rows,
            "trivial_levels": self.trivial_levels,
        }

    @classmethod
    def from_dict(cls, record: dict[str, Any], work: Work, read: Read) -> Hierarchical:
        """Rebuild it from the paths of its hierarchy."""
        paths = []
        for i, path in enumerate(listed(record["paths"], "paths", least=1)):
            cells_of = listed(path, f"paths[{i}]", least=1)
            if len(cells_of) > _MOST_LEVELS:
                raise InputError(f"paths[{i}] has {len(cells_of)} levels; at most {_MOST_LEVELS} are read")
            paths.append([text(cell, f"paths[{i}][{level}]") for level, cell in enumerate(cells_of)])
        entries = enumerate(listed(record["values"], "values", least=1))
        rows = [whole(row, f"values[{i}]", most=len(paths) - 1) for i, row in entries]
        levels = record["trivial_levels"]
        if type(levels) is not str or levels not in ("keep", "collapse"):
            raise InputError(f"trivial_levels is {shown(levels)}; it must be 'keep' or 'collapse'")
        work.spend(5000 * sum(map(len, paths)), "the hierarchy")
        domain = Domain.declare([paths[row][0] for row in rows])
        return cls(Hierarchy(paths, ragged="keep"), domain, trivial_levels=levels)  # type: ignore[arg-type]

    @property
    def definition(self) -> str:
        """The path of each value, and the others beside them."""
        record = self.to_dict()
        paths = [" < ".join(path) for path in record["paths"]]
        used = set(record["values"])
        others = [path for row, path in enumerate(paths) if row not in used]
        more = f"; beside these: {'; '.join(others)}" if others else ""
        levels = "; levels without a branch left out" if self.trivial_levels == "collapse" else ""
        return f"{'; '.join(paths[row] for row in record['values'])}{more}{levels}"
