"""Where a strict multidimensional partitioning cuts a class on one attribute.

LeFevre, DeWitt, Ramakrishnan, "Mondrian Multidimensional K-Anonymity", ICDE 2006, §3 and Figure 6.
"""

from __future__ import annotations

import numpy as np

from tcloseness.exact import IntArray
from tcloseness.release.attributes import Categorical, Hierarchical, Numeric

__all__ = ["ranks_of", "strict_parts"]


def ranks_of(attribute: Hierarchical | Numeric | Categorical) -> IntArray:
    """Return by code the place of a value in the attribute's order; equal ones have one place."""
    return np.unique(attribute.places, return_inverse=True)[1].reshape(-1)


def strict_parts(
    attribute: Hierarchical | Numeric | Categorical, ranks: IntArray, codes: IntArray, starts: IntArray
) -> IntArray:
    """Return which part of its class each record goes to when the classes are cut on an attribute.

    Numbers and sets are cut at the lower median: values up to it to the left (0), or those below it where it is the
    greatest value. On a hierarchy the class's ancestor is replaced by its children, one part each. Where all values are
    equal, so are the parts.

    Parameters
    ----------
    attribute
        How it is generalized.
    ranks
        Those of `ranks_of` it.
    codes
        The values of all records, class after class.
    starts
        Where each class begins.

    Examples
    --------
    >>> from tcloseness.microdata import Domain
    >>> age = Numeric("age", Domain.of([21, 22, 35, 41]))
    >>> strict_parts(age, ranks_of(age), np.array([0, 1, 2, 3, 1, 3, 3]), np.array([0, 4])).tolist()
    [0, 0, 1, 1, 0, 1, 1]
    """
    sizes = np.diff(starts, append=len(codes))
    if isinstance(attribute, Hierarchical):
        return _children(attribute, codes, np.repeat(attribute.nodes(codes, starts), sizes))
    places = ranks[codes]
    in_order = places[np.lexsort((places, np.repeat(np.arange(len(starts)), sizes)))]
    median, last = in_order[starts + (sizes - 1) // 2], in_order[starts + sizes - 1]
    middle, below = np.repeat(median, sizes), np.repeat(median < last, sizes)
    return np.where(below, places > middle, places >= middle).astype(np.int64)


def _children(attribute: Hierarchical, codes: IntArray, nodes: IntArray) -> IntArray:
    """Return for each record the child of its class's node that it lies below."""
    at, parent = attribute.leaf_nodes[codes], attribute.ancestors.parent
    above = (parent[at] != nodes) & (at != nodes)
    while above.any():
        at = np.where(above, parent[at], at)
        above = (parent[at] != nodes) & (at != nodes)
    return at
