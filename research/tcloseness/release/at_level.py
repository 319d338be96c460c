"""`AtLevel`: a quasi-identifier that a whole table shows at one level of its hierarchy (full-domain generalization)."""

from __future__ import annotations

from collections.abc import Hashable

import numpy as np

from tcloseness.exact import IntArray
from tcloseness.microdata import Domain, Hierarchy
from tcloseness.release.attributes import OneAttribute

__all__ = ["AtLevel"]


class AtLevel(OneAttribute):
    """An attribute at one level: a class shows the label of its values there, also where a lower one would do.

    A class's values must have one label at the level; classes of a full-domain generalization do.

    Parameters
    ----------
    name, domain
        The attribute.
    hierarchy
        It covers the domain and has levels, or None where the level is 0.
    level
        The level, 0 for the values themselves.

    Raises
    ------
    HierarchyError
        For a value that the hierarchy misses, or a level that it does not have.

    Examples
    --------
    >>> ages = Hierarchy.intervals([21, 22, 35], [10], origin=1, name="age")
    >>> age = AtLevel("age", Domain.of([21, 22, 35]), ages, 1)
    >>> age.label(np.array([0, 0])), age.ncp(np.array([0, 0])), age.height(np.array([0, 0]))
    ('21-30', Fraction(2, 3), 1)
    """

    def __init__(self, name: str, domain: Domain, hierarchy: Hierarchy | None, level: int) -> None:
        self.name, self.domain, self.hierarchy, self.level = name, domain, hierarchy, level
        self.kind = f"level {level} of {0 if hierarchy is None else hierarchy.height}"
        if hierarchy is None:
            self.label_of, self.label_domain, self.top = np.arange(len(domain)), domain, 0
            self._leaves, leaves = np.ones(len(domain), dtype=np.int64), len(domain)
        else:
            self.label_of, self.label_domain = hierarchy.generalize(domain, level)
            self.top, leaves = hierarchy.height, len(hierarchy)
            labels = [path[level] for path in hierarchy.paths]
            here = [self.label_domain.code(x) for x in labels if x in self.label_domain]
            self._leaves = np.bincount(here, minlength=len(self.label_domain))
        self.ncp_denominator, self.lm_denominator = leaves, max(leaves - 1, 1)

    def labels(self, codes: IntArray, starts: IntArray) -> list[Hashable]:
        """Return each class's label at the level."""
        return [self.label_domain.values[code] for code in self._labels(codes, starts).tolist()]

    def ncps(self, codes: IntArray, starts: IntArray) -> IntArray:
        """Return the leaves that each class's label stands for, 0 for one."""
        leaves = self._leaves[self._labels(codes, starts)]
        return np.where(leaves > 1, leaves, 0)

    def lms(self, codes: IntArray, starts: IntArray) -> IntArray:
        """Return the leaves that each class's label stands for, minus 1."""
        return self._leaves[self._labels(codes, starts)] - 1

    def heights(self, codes: IntArray, starts: IntArray) -> IntArray:
        """Return the level, for each class."""
        return np.full(len(starts), self.level, dtype=np.int64)

    def _labels(self, codes: IntArray, starts: IntArray) -> IntArray:
        return self.label_of[codes[starts]]
