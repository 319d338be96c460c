"""Ground distances over the values of a sensitive attribute, and how they are named and rebuilt."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
import pandas as pd

from tcloseness.errors import DomainError
from tcloseness.ground.checking import checked
from tcloseness.ground.cuts import Cuts
from tcloseness.ground.distances import Equal, Hierarchical, Ordered, OrderedByValue
from tcloseness.ground.greatest import greatest_distance
from tcloseness.ground.laminar import Laminar
from tcloseness.ground.matrix import LabelledMatrix, Matrix
from tcloseness.ground.product import ProductGround
from tcloseness.ground.protocol import GroundDistance
from tcloseness.ground.records import ground_digest, ground_from_dict
from tcloseness.microdata.border import guarded
from tcloseness.microdata.domain import Domain
from tcloseness.microdata.hierarchy import Hierarchy

__all__ = [
    "Cuts",
    "Equal",
    "GroundDistance",
    "GroundSpec",
    "Hierarchical",
    "LabelledMatrix",
    "Laminar",
    "Matrix",
    "Ordered",
    "OrderedByValue",
    "ProductGround",
    "checked",
    "greatest_distance",
    "ground_digest",
    "ground_distance",
    "ground_from_dict",
]

GroundSpec = str | Hierarchy | GroundDistance | LabelledMatrix | Sequence[Any] | Mapping[Any, Any] | pd.DataFrame


def ground_distance(spec: Any, domain: Domain) -> GroundDistance:
    """Return the ground distance that is meant, over a domain.

    Parameters
    ----------
    spec
        ``"ordered"``, ``"ordered-by-value"`` or ``"equal"``; a `Hierarchy` (hierarchical distance); a matrix in the
        domain's order (nested sequences or an array) or labelled with its values (a DataFrame, a dict of dicts, or a
        `LabelledMatrix` where it is to be rounded or closed); or a ground distance already built, of that size.
    domain
        The sensitive attribute's domain.

    Raises
    ------
    DomainError
        For an unknown name, a domain without the order that an ordered distance needs, another number of values, or an
        object whose claims do not hold (see `checked`).
    HierarchyError
        If the hierarchy misses a value.
    """
    match spec:
        case str():
            return _named(spec, domain)
        case Hierarchy():
            return Hierarchical(spec, domain)
        case Hierarchical() if type(spec) is Hierarchical:  # its values are known by name: any order of them will do
            return Hierarchical(spec.hierarchy, domain, trivial_levels=spec.trivial_levels)
        case LabelledMatrix():
            return spec.over(domain)
        case pd.DataFrame() | Mapping():
            return Matrix.labelled(spec, domain)
        case GroundDistance():
            built = checked(spec)
        case np.ndarray() | Sequence():
            built = Matrix(spec)
        case _:
            raise DomainError(f"a ground distance cannot be made from a {type(spec).__name__}")
    if built.m != len(domain):
        raise DomainError(f"the ground distance has {built.m} values and the domain {len(domain)}; they must agree")
    return built


def _named(name: str, domain: Domain) -> GroundDistance:
    match name:
        case "ordered":
            domain.require_order("the ordered distance")
            return Ordered(len(domain))
        case "ordered-by-value":
            domain.require_order("the distance by value")
            return OrderedByValue.of_whole(*domain.scaled_positions("the distance by value"))
        case "equal":
            return Equal(len(domain))
        case "hierarchical":
            raise DomainError(
                "the hierarchical distance needs its hierarchy; give the Hierarchy itself as the ground distance"
            )
    raise DomainError(
        f"ground distance {name!r} is unknown; it is 'ordered', 'ordered-by-value', 'equal', a hierarchy or a matrix"
    )


guarded(globals())
