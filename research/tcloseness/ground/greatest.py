"""How far apart two values can be: the end of the range of every EMD over a ground distance."""

from __future__ import annotations

from fractions import Fraction

from tcloseness.ground.distances import Equal, Hierarchical, Ordered, OrderedByValue
from tcloseness.ground.product import ProductGround
from tcloseness.ground.protocol import GroundDistance

__all__ = ["greatest_distance"]

_LARGEST = 2_000
"""Of at most so many values all distances are looked at; the work grows with their square."""


def greatest_distance(ground: GroundDistance) -> Fraction | None:
    """Return a number that no distance of two values exceeds, so that no EMD does either.

    Returns
    -------
    Fraction or None
        1 for the distances that are scaled to it, whatever the domain; the greatest entry of a matrix; None where it
        is not known (a distance of another kind over more than 2,000 values).

    Examples
    --------
    >>> from tcloseness.ground import Matrix
    >>> greatest_distance(Ordered(9)), greatest_distance(Matrix([[0, 5], [5, 0]]))
    (Fraction(1, 1), Fraction(5, 1))
    """
    if isinstance(ground, Ordered | OrderedByValue | Equal | Hierarchical):
        return Fraction(1)
    if isinstance(ground, ProductGround):
        parts = [greatest_distance(part) for part in ground.components]
        known = [part for part in parts if part is not None]
        if len(known) < len(parts):
            return None
        if ground.combine == "max":
            return max(known)
        return sum((w * part for w, part in zip(ground.weights, known, strict=True)), Fraction(0))
    if ground.m > _LARGEST:
        return None
    return Fraction(max(max(map(int, ground.row(i))) for i in range(ground.m)), ground.denominator)
