"""What a ground distance is: the protocol that each of them keeps, and the whole numbers that it is computed with."""

from __future__ import annotations

import math
from collections.abc import Sequence
from fractions import Fraction
from numbers import Integral
from typing import Any, Protocol, runtime_checkable

import numpy as np

from tcloseness.errors import DomainError
from tcloseness.exact import INT64_MAX, IntArray, scaled_integers, shown_value
from tcloseness.ground.cuts import Cuts

__all__ = [
    "GroundDistance",
    "common_divisor",
    "definition_of",
    "distance_rows",
    "domain_size",
    "farthest",
    "greatest_distance",
    "whole_array",
    "whole_distances",
]

_LARGEST = 2_000
"""Of at most so many values all distances are looked at; the work grows with their square."""


@runtime_checkable
class GroundDistance(Protocol):
    """What the package asks of a ground distance over m values; any object with these members is one.

    `cuts` is None where the distance is not a weighted sum of laminar cuts; such a distance goes to the solvers.
    `metric` says whether it is a metric; only then may mass that both distributions share stay where it is. An object
    always gives the same answers. Both claims, and that `distance` and `row` agree, are checked once for each object
    that is not the package's own, see `tcloseness.ground.checked`.

    It may have more: `rows`, all rows as one array; `greatest`, a number that no distance exceeds; `definition`, what
    makes it in one line; `value_order`, the order of the values in words; `hierarchy`, by which values are similar.
    """

    @property
    def name(self) -> str:
        """The name that is printed with every result."""

    @property
    def m(self) -> int:
        """The number of values."""

    @property
    def metric(self) -> bool:
        """Whether the distance is a metric."""

    @property
    def cuts(self) -> Cuts | None:
        """The laminar cuts, if there are any."""

    def distance(self, i: int, j: int) -> Fraction:
        """Return the distance of the values with codes i and j."""

    @property
    def denominator(self) -> int:
        """A common denominator of all distances."""

    def row(self, i: int) -> IntArray:
        """Return the m distances from value i, times `denominator`, as whole numbers."""

    def to_dict(self) -> dict[str, Any]:
        """Return what a certificate needs to compute the distance again, see `tcloseness.ground.ground_record`."""


def greatest_distance(ground: GroundDistance) -> Fraction | None:
    """Return a number that no distance of two values exceeds, so that no EMD does either.

    Returns
    -------
    Fraction or None
        1 for the distances that are scaled to it, whatever the domain; the greatest entry of a matrix; None where it
        is not known (a distance of another kind over more than 2,000 values).

    Examples
    --------
    >>> from tcloseness.ground import Matrix, Ordered
    >>> greatest_distance(Ordered(9)), greatest_distance(Matrix([[0, 5], [5, 0]]))
    (Fraction(1, 1), Fraction(5, 1))
    """
    return ground.greatest if hasattr(ground, "greatest") else farthest(ground)


def distance_rows(ground: GroundDistance, codes: Sequence[int] | IntArray) -> IntArray:
    """Return the distances of these values from all m, times the denominator, one row a value."""
    if hasattr(ground, "rows"):  # a range of codes is not copied
        return np.asarray(ground.rows[codes.start : codes.stop] if isinstance(codes, range) else ground.rows[codes])
    return np.array([ground.row(i) for i in codes]).reshape(len(codes), ground.m)


def farthest(ground: GroundDistance) -> Fraction | None:
    """Return the greatest of all distances; None where there are too many to look at."""
    if ground.m > _LARGEST:
        return None
    return Fraction(max(max(map(int, ground.row(i))) for i in range(ground.m)), ground.denominator)


def definition_of(ground: GroundDistance) -> str:
    """Return what makes a ground distance, in one line."""
    return str(getattr(ground, "definition", None) or ground.to_dict())


def domain_size(m: object) -> int:
    """Return the number of values of a domain as an int.

    Raises
    ------
    DomainError
        If it is not a whole number from 1 to 2⁶³ − 1.
    """
    if not isinstance(m, Integral) or isinstance(m, bool):
        names = "; the order of values is declared to the table, orders={column: values}, with ground='ordered'"
        raise DomainError(
            f"a ground distance over {shown_value(m)} values was asked for; the number of values is a whole number"
            f"{names if isinstance(m, list | tuple) else ''}"
        )
    if not 1 <= int(m) <= INT64_MAX:
        raise DomainError(
            f"a ground distance over {shown_value(m)} values was asked for; a domain has at least one "
            "value, and fewer than 2⁶³"
        )
    return int(m)


def whole_distances(values: Sequence[Fraction]) -> tuple[IntArray, int]:
    """Scale to whole numbers whose pairwise sums fit int64, or to Python ints."""
    whole, denominator = scaled_integers(values)
    return whole_array(whole), denominator


def whole_array(whole: Sequence[int] | IntArray) -> IntArray:
    """Return whole numbers as int64 where their pairwise sums fit, or as Python ints."""
    if isinstance(whole, np.ndarray) and whole.dtype != object:
        largest = max(abs(int(whole.max())), abs(int(whole.min()))) if len(whole) else 0
    else:
        largest = max(map(abs, whole), default=0)
    return np.array(whole, dtype=np.int64 if largest <= INT64_MAX // 2 else object)


_TOGETHER = 1_000


def common_divisor(numbers: IntArray) -> int:
    """Return the greatest common divisor of whole numbers; of many it mostly is 1, which a few of them show.

    >>> common_divisor(np.array([0, 6, 9]))
    3
    """
    found = 0
    for first in range(0, len(numbers), _TOGETHER):
        found = math.gcd(found, *numbers[first : first + _TOGETHER].tolist())
        if found == 1:
            break
    return found
