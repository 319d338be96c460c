"""Exact real numbers beside the rational ones, and many exact numbers at once behind a filter of doubles."""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from typing import Any, Generic, Self, TypeVar

import numpy as np
import numpy.typing as npt

from tcloseness.errors import InputError
from tcloseness.exact.arrays import RATIO_FILTER, IntArray, nearest_double
from tcloseness.printable import Brief

__all__ = ["ExactReal", "Filtered", "Image", "MeasuredAgain"]

Exact = TypeVar("Exact", bound="ExactReal | Fraction")


class ExactReal(Brief, ABC):
    """A real number whose sign is decided exactly, and so its order among its kind and the rational numbers."""

    @property
    @abstractmethod
    def sign(self) -> int:
        """The exact sign: −1, 0 or 1."""

    @abstractmethod
    def minus(self, other: Any) -> ExactReal:
        """Return the difference."""

    @abstractmethod
    def negated(self) -> ExactReal:
        """Return the same number with the other sign."""

    @abstractmethod
    def __float__(self) -> float: ...

    @property
    def rational(self) -> Fraction | None:
        """The rational number that it is; None where it is irrational."""
        return None if self.sign else Fraction(0)

    def order(self, other: Any) -> int:
        """Return the exact sign of this number minus another."""
        return self.minus(other).sign

    def _joins(self, other: object) -> bool:
        return isinstance(other, (Fraction, int, type(self))) or isinstance(self, type(other))

    def __eq__(self, other: object) -> bool:
        return self._joins(other) and self.order(other) == 0

    def __lt__(self, other: object) -> bool:
        return self.order(other) < 0 if self._joins(other) else NotImplemented

    def __gt__(self, other: object) -> bool:
        return self.order(other) > 0 if self._joins(other) else NotImplemented

    def __le__(self, other: object) -> bool:
        return self.order(other) <= 0 if self._joins(other) else NotImplemented

    def __ge__(self, other: object) -> bool:
        return self.order(other) >= 0 if self._joins(other) else NotImplemented

    def __hash__(self) -> int:
        return hash(round(float(self), 9))

    def __str__(self) -> str:
        """Return the number as people read it: a rational one exactly, any other to ten significant digits."""
        return f"≈ {float(self):.10g}" if self.rational is None else str(self.rational)


@dataclass(frozen=True, eq=False)
class Image(ExactReal):
    """The number shift ± f(argument) of an increasing function f with values ≥ 0, which each subclass is one of.

    Attributes
    ----------
    argument
        An exact number of which f is defined.
    shift
        A rational number to add.
    factor
        1 or −1.
    """

    argument: Any
    shift: Fraction = Fraction(0)
    factor: int = 1

    @abstractmethod
    def _beyond(self, size: Fraction) -> int:
        """Return the exact sign of f(argument) − size, for a size ≥ 0."""

    @cached_property
    def sign(self) -> int:
        """The exact sign: −1, 0 or 1."""
        of_shift = (self.shift > 0) - (self.shift < 0)
        return of_shift if of_shift == self.factor else self.factor * self._beyond(abs(self.shift))

    def minus(self, other: Any) -> Self:
        """Return the difference from a rational number; two numbers of this kind are compared by `order`."""
        if isinstance(other, Image):
            raise InputError(
                f"the difference of two numbers of the kind {type(self).__name__} is not one of this kind; compare the "
                "two instead"
            )
        return type(self)(self.argument, self.shift - other, self.factor)

    def order(self, other: Any) -> int:
        """Return the exact sign of this number minus another.

        Raises
        ------
        InputError
            For another number of this kind with a shift or sign of its own.
        """
        if not isinstance(other, Image):
            return self.minus(other).sign
        if (self.shift, self.factor) != (other.shift, other.factor):
            raise InputError(
                f"{float(self):.6g} and {float(other):.6g} are of the kind {type(self).__name__}, shifted apart; "
                "compare them before a number is added"
            )
        return self.factor * int(self.argument.order(other.argument))

    def negated(self) -> Self:
        """Return the same number with the other sign."""
        return type(self)(self.argument, -self.shift, -self.factor)


@dataclass(frozen=True, eq=False)
class Filtered(Brief, Generic[Exact]):
    """One exact number an equivalence class, known as a double with an error bound, and exactly on demand.

    Attributes
    ----------
    approximate
        Shape (classes,): the values as doubles; infinity where the value is infinite.
    error
        Shape (classes,): a bound of their absolute error; 0 where the double is the exact value, infinity where
        nothing is known.
    exact
        The exact value of one class.
    key
        Something equal for classes that have equal values (their reduced counts, say), so that each is compared once.
    alike
        From the numbers of some classes a number for each, equal for two only if their keys are; it costs less than
        they do, and may tell equal ones apart. None where there is no such thing.
    """

    approximate: npt.NDArray[np.float64]
    error: npt.NDArray[np.float64]
    exact: Callable[[int], Exact]
    key: Callable[[int], Hashable]
    alike: Callable[[IntArray], IntArray] | None = None

    def __len__(self) -> int:
        return len(self.approximate)

    def __getitem__(self, index: int) -> Exact | float:
        """Return one value, exact, or ``math.inf``."""
        return math.inf if math.isinf(self.approximate[index]) else self.exact(int(index))

    def floats(self) -> npt.NDArray[np.float64]:
        """Return the values as doubles, each within `error` of the exact one."""
        return self.approximate

    def compare(self, threshold: ExactReal | Fraction) -> npt.NDArray[np.int8]:
        """Return the exact sign of ``value − threshold`` for each value."""
        bound = nearest_double(threshold) if isinstance(threshold, Fraction) else float(threshold)
        finite = np.isfinite(self.approximate)
        difference = np.where(finite, self.approximate, 0) - bound
        sign = np.where(finite, np.sign(difference), 1).astype(np.int8)
        unsure = np.flatnonzero(finite & (np.abs(difference) <= self.error + 2 * RATIO_FILTER * abs(bound)))
        for members in self._by_key(unsure):
            sign[members] = _order(self.exact(int(members[0])), threshold)
        return sign

    def _by_key(self, indices: IntArray) -> list[IntArray]:
        """Return classes in groups of one key; of those that are alike, one is asked."""
        if not len(indices):
            return []
        numbers = np.arange(len(indices)) if self.alike is None else self.alike(indices)
        order = np.argsort(numbers, kind="stable")
        fresh = np.flatnonzero(np.diff(numbers[order])) + 1
        by_key: dict[Hashable, list[IntArray]] = {}
        for members in np.split(indices[order], fresh):
            by_key.setdefault(self.key(int(members[0])), []).append(members)
        return [np.concatenate(members) for members in by_key.values()]

    def largest(self) -> tuple[Exact | float, npt.NDArray[np.intp]]:
        """Return the greatest value and the indices of all entries that reach it."""
        return self._extreme(+1)

    def smallest(self) -> tuple[Exact | float, npt.NDArray[np.intp]]:
        """Return the least value and the indices of all entries that reach it."""
        return self._extreme(-1)

    def _extreme(self, sign: int) -> tuple[Exact | float, npt.NDArray[np.intp]]:
        if not len(self):
            raise InputError("there is no equivalence class, so there is no extreme value; check for an empty table")
        values = sign * self.approximate
        best = int(values.argmax())
        if math.isinf(values[best]):
            return math.inf, np.flatnonzero(values == values[best])
        finite = np.isfinite(values)
        error = np.where(finite, self.error, 0)
        # no value can be the extreme one that lies below what another is at least
        floor = (values - error).max()
        near = np.flatnonzero(finite & (values + error >= floor))
        unsure = error[near] > 0
        sure = near[~unsure]
        groups = [sure[self.approximate[sure] == double] for double in np.unique(self.approximate[sure])]
        groups += self._by_key(near[unsure])
        extreme: Exact | None = None
        found: list[IntArray] = []
        for members in groups:
            value = self.exact(int(members[0]))
            order = 1 if extreme is None else sign * _order(value, extreme)
            if order > 0:
                extreme, found = value, [members]
            elif order == 0:
                found.append(members)
        assert extreme is not None
        return extreme, np.sort(np.concatenate(found))


@dataclass(frozen=True, eq=False)
class MeasuredAgain:
    """The values of many classes, which are measured again when they are asked for, and not kept.

    Attributes
    ----------
    classes
        How many classes there are.
    values
        Measures them.
    """

    classes: int
    values: Callable[[], Any]

    def __len__(self) -> int:
        return self.classes

    def __getitem__(self, index: int) -> Any:
        return self.values()[index]

    def __getattr__(self, name: str) -> Any:
        """Return what the values have by this name."""
        if name.startswith("__"):  # what looks for a protocol asks for no measurement
            raise AttributeError(name)
        return getattr(self.values(), name)


def _order(a: Any, b: Any) -> int:
    """Return the exact sign of a − b."""
    return int(a > b) - int(a < b)
