"""`Rounding`: whether what breaks a matrix of distances is explained by how its entries were rounded.

Entries that were rounded lie off by some ε_ij each. That there is a metric within that, |d'_ij − d_ij| ≤ ε_ij, can be
decided: the greatest metric below d + ε is its closure under shortest paths, so there is one if and only if no entry of
that closure lies below d − ε. Nothing else is put down to rounding.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import TypeAlias

import numpy as np

from tcloseness.exact import nearest_double, number_text
from tcloseness.ground.protocol import whole_distances

__all__ = ["Entries", "Rounding", "shortest"]

Entries: TypeAlias = tuple[tuple[Fraction, ...], ...]

_FLOATS = {"float16": (Fraction(1, 2**7), 11), "float32": (Fraction(1, 2**18), 24), "float64": (Fraction(1, 2**44), 53)}
"""By type, how far distances of size 1 that were computed in it may be off, and how many binary digits it has: some
operations, each rounded to these (2⁹ units of the last digit for doubles, fewer where less is computed)."""

_HALF_LOST = Fraction(1, 2**26)
"""How far doubles may be off where half of their digits cancel, as in the arc cosine of what is near 1."""

_DIGITS_OF_DOUBLES = 15
"""A decimal of fewer digits was written with so few; one of more is what a double is written as."""


@dataclass(frozen=True)
class _Cause:
    """One way in which entries may have been rounded: in words, and by how much each may be off."""

    words: str
    off: Callable[[Fraction], Fraction]


class Rounding:
    """How the entries of a matrix may have been rounded.

    Parameters
    ----------
    cells
        The entries as they were given, in any order: their types count.
    entries
        The same, read exactly.

    Attributes
    ----------
    floating
        How far floating point may have moved an entry; 0 where all are whole and exact in their type.
    """

    def __init__(self, cells: Iterable[object], entries: Entries) -> None:
        self._entries = entries
        flat = [x for row in entries for x in row]
        given = list(cells)
        self.largest = max(map(abs, flat))
        kind = min((name for name in map(_type, given) if name in _FLOATS), default="float64")  # narrower ones first
        error, binary_digits = _FLOATS[kind]
        exact = all(
            x.denominator == 1 and _is_exact(cell, x, binary_digits) for cell, x in zip(given, flat, strict=True)
        )
        self.floating = Fraction(0) if exact else self.largest * error
        self._kind = "doubles" if kind == "float64" else kind
        self.causes = () if exact else tuple(self._causes(flat))

    def _causes(self, flat: list[Fraction]) -> Iterator[_Cause]:
        digits, places = max(map(_significant_digits, flat)), max(map(_places, flat))
        if digits < _DIGITS_OF_DOUBLES and places:
            half = Fraction(1, 2 * 10**places)
            yield _Cause(f"rounding to {places} decimal{'s' if places > 1 else ''}", lambda _: half)
            yield _Cause(
                f"rounding to {digits} digits",
                lambda x: Fraction(10) ** (_leading_place(abs(x)) - digits + 1) / 2 if x else Fraction(0),
            )
        yield _Cause(f"rounding to {self._kind}", lambda _: self.floating)
        if self._kind == "doubles" and digits >= _DIGITS_OF_DOUBLES:
            lost = self.largest * _HALF_LOST
            yield _Cause("rounding to doubles, of which half of the digits cancelled,", lambda _: lost)

    @cached_property
    def cause(self) -> tuple[str, Entries] | None:
        """The first cause that explains what is wrong, as text, and how far off it lets each entry be."""
        for cause in self.causes:
            off = tuple(tuple(map(cause.off, row)) for row in self._entries)
            if _is_near_a_metric(self._entries, off):
                return cause.words, off
        return None

    @cached_property
    def off(self) -> Entries:
        """How far off each entry may be: by the cause that explains it, or else by floating point."""
        found = self.cause
        return tuple((self.floating,) * len(row) for row in self._entries) if found is None else found[1]

    def hint(self, denominator: Callable[[], int | None]) -> str:
        """Return the cause and what to do; nothing where rounding does not explain what is wrong.

        Parameters
        ----------
        denominator
            Finds a denominator that mends the entries.
        """
        if self.cause is None:
            return ""
        words, off = self.cause
        most = nearest_double(max(max(row) for row in off))
        n = denominator()
        multiples = "" if n is None else f"round them up to multiples of 1/N (denominator=N, N such as {n}), or "
        return (
            f"; a metric is within {most:.2g} of every entry, as {words} leaves, since entries are read exactly: "
            f"{multiples}take the nearest metric (nearest_metric=True)"
        )

    @property
    def denominators(self) -> Iterator[int]:
        """Denominators to try, from one that keeps six digits of the largest entry to one that keeps none."""
        for digits in range(6, -2, -1):
            yield 10 ** max(0, digits - _power_of_ten(self.largest))


def shortest(d: np.ndarray) -> np.ndarray:
    """Return the closure of distances d ≥ 0, shape (m, m), under shortest paths."""
    for k in range(len(d)):
        d = np.minimum(d, d[:, k, None] + d[None, k, :])
    return d


def _is_near_a_metric(entries: Entries, off: Entries) -> bool:
    """Say whether there is a pseudometric within `off` of every entry."""
    m = len(entries)
    least = [[max(entries[i][j] - off[i][j], entries[j][i] - off[j][i]) for j in range(m)] for i in range(m)]
    most = [[min(entries[i][j] + off[i][j], entries[j][i] + off[j][i]) for j in range(m)] for i in range(m)]
    for i in range(m):
        if not least[i][i] <= 0 <= most[i][i]:
            return False
        most[i][i] = Fraction(0)
    flat, _ = whole_distances([x for rows in (least, most) for row in rows for x in row])
    low, high = flat.reshape(2, m, m)
    return not (high < 0).any() and not (shortest(high) < low).any()


def _type(cell: object) -> str:
    return type(cell).__name__


def _is_exact(cell: object, number: Fraction, binary_digits: int) -> bool:
    """Say whether a whole number was given as one, and not as what a floating number beyond its digits is read as."""
    written_as_float = isinstance(cell, float | np.floating) or (
        isinstance(cell, str) and not cell.strip("+- ").isdigit()
    )
    return not written_as_float or abs(number) < 2**binary_digits


def _power_of_ten(number: Fraction) -> int:
    """Return the power of ten near a positive number of any size."""
    return math.floor((number.numerator.bit_length() - number.denominator.bit_length()) * math.log10(2))


def _leading_place(number: Fraction) -> int:
    """Return the power of ten of the first digit of a positive number."""
    place = _power_of_ten(number)
    while Fraction(10) ** place > number:
        place -= 1
    while Fraction(10) ** (place + 1) <= number:
        place += 1
    return place


def _places(number: Fraction) -> int:
    """Return how many decimal places a number has; 0 for what is not a decimal."""
    rest, places = number.denominator, 0
    for prime in (2, 5):
        power = 0
        while rest % prime == 0:
            rest, power = rest // prime, power + 1
        places = max(places, power)
    return places if rest == 1 else 0


def _significant_digits(number: Fraction) -> int:
    """Return how many digits a decimal has from its first to its last that is not 0; many for what is not a decimal."""
    places = _places(number)
    if number.denominator > 1 and not places:
        return 99
    whole = abs(number.numerator) * 10**places // number.denominator
    while whole and whole % 10 == 0:
        whole //= 10
    return len(number_text(whole)) if whole else 0
