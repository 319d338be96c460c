"""`Cuts`: a ground distance as a weighted sum of cuts over a laminar family.

d(i, j) = Σ_k w_k·[exactly one of i, j lies in S_k], any two S_k nested or disjoint. Then (laminar-cut theorem)

    EMD(P, Q) = Σ_k w_k·|P(S_k) − Q(S_k)|

and φ(i) = Σ_k w_k·sign(P(S_k) − Q(S_k))·[i ∈ S_k] is an optimal potential. A laminar family can be laid out so that
each S_k is an interval of a permuted domain; that is how it is stored.

The theorem and the kernels that compute with it hold for laminar families of positive weight only, so there are no
other `Cuts`: whatever builds one, it is checked.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from numbers import Integral
from typing import Any, ClassVar

import numpy as np

from tcloseness.displayed import Displayed, counted
from tcloseness.errors import DomainError
from tcloseness.exact import (
    INT64_MAX,
    IntArray,
    Number,
    as_fraction,
    number_text,
    scaled_integers,
    short_text,
    shown_value,
)
from tcloseness.microdata.border import place_in

__all__ = ["Cuts"]


@dataclass(frozen=True, eq=False)
class Cuts(Displayed):
    """A laminar family of intervals of a permuted domain, with weights.

    Attributes
    ----------
    order
        Shape (m,): the code at each place of the permuted domain; each code once.
    low, high
        Shape (K,): S_k holds the places ``low[k] <= place < high[k]``; some, but not all. Any two sets are nested or
        disjoint. Sorted so that a set comes after every set inside it (by `high`, then by falling `low`), each once.
    weights
        Shape (K,): whole numbers > 0; the weight of S_k is ``weights[k] / denominator``. int64, or Python ints where
        they do not fit.
    denominator
        The common denominator of the weights, a whole number > 0.

    Raises
    ------
    DomainError
        If anything of this does not hold. It is checked in O(m + K) wherever a family is made, and the arrays are
        copies that cannot be written to, so that what was checked remains.

    Examples
    --------
    >>> import numpy as np
    >>> Cuts(np.arange(3), np.array([0, 0]), np.array([1, 2]), np.array([1, 1]), 2).distance(0, 2)
    Fraction(1, 1)
    """

    order: IntArray
    low: IntArray
    high: IntArray
    weights: IntArray
    denominator: int

    def to_dict(self) -> dict[str, Any]:
        """Return the family as JSON-ready data; weights are texts, since they may be long."""
        return {
            "order": self.order.tolist(),
            "low": self.low.tolist(),
            "high": self.high.tolist(),
            "weights": list(map(number_text, self.weights.tolist())),
            "denominator": number_text(self.denominator),
        }

    _columns: ClassVar = {"low": 0, "high": 0, "weight": ""}

    def _frame_rows(self) -> list[dict[str, Any]]:
        sets = zip(self.low.tolist(), self.high.tolist(), self.weights.tolist(), strict=True)
        return [
            {"low": low, "high": high, "weight": number_text(Fraction(weight, self.denominator))}
            for low, high, weight in sets
        ]

    def _said(self) -> str:
        return f"{counted(len(self.low), 'set')} of {counted(len(self.order), 'value')}"

    def __post_init__(self) -> None:
        for name in ("order", "low", "high", "weights"):
            object.__setattr__(self, name, _whole_numbers(getattr(self, name), name))
        if not _is_whole(self.denominator) or self.denominator < 1:
            raise DomainError(
                f"the weights of cuts have the denominator {shown_value(self.denominator)}; it must "
                "be a whole number > 0"
            )
        object.__setattr__(self, "denominator", int(self.denominator))
        _check_order(self.order)
        k = len(self.low)
        if not len(self.high) == len(self.weights) == k:
            raise DomainError(
                f"cuts have {k} lower ends, {len(self.high)} upper ends and {len(self.weights)} weights; each set has "
                "one of each"
            )
        if k:
            self._check_sets(len(self.order))
            self._check_laminar()

    def _check_sets(self, m: int) -> None:
        """Check each set by itself, its weight, and the order of the sets."""
        low, high, weights = self.low, self.high, self.weights
        outside = (low < 0) | (high > m) | (low >= high) | ((low == 0) & (high == m))
        if outside.any():
            k = int(np.flatnonzero(outside)[0])
            raise DomainError(
                f"cut {k} is the places {low[k]} ≤ place < {high[k]} of {m}; a cut holds some of them, and not all"
            )
        if (weights <= 0).any():
            k = int(np.flatnonzero(weights <= 0)[0])
            raise DomainError(
                f"cut {k} has weight {short_text(int(weights[k]))}; weights are whole numbers > 0 (leave out "
                "a cut of 0)"
            )
        behind = (high[1:] < high[:-1]) | ((high[1:] == high[:-1]) & (low[1:] >= low[:-1]))
        if behind.any():
            k = int(np.flatnonzero(behind)[0]) + 1
            raise DomainError(
                f"cut {k}, [{low[k]}, {high[k]}), stands after [{low[k - 1]}, {high[k - 1]}); cuts are sorted by upper "
                "end, then by falling lower end, each set once (Cuts.of sorts and merges them)"
            )

    def _check_laminar(self) -> None:
        """Check that any two sets are nested or disjoint, in one pass over the sets as they are sorted."""
        if (self.low == 0).all() or (self.low[1:] >= self.high[:-1]).all() or self.layers:  # prefixes, or disjoint
            return
        one, other = self._run("crossing", np.empty(len(self), dtype=np.int64))
        if other >= 0:
            raise DomainError(
                f"cuts [{self.low[one]}, {self.high[one]}) and [{self.low[other]}, {self.high[other]}) cross; any two "
                "must be nested or disjoint, or the closed form is not the EMD (without cuts the distance goes to a "
                "solver)"
            )

    def _run(self, name: str, *arrays: IntArray) -> Any:
        """Run a function of the ends of the sets that fills arrays: as machine code where there are a great many."""
        if len(self) > _INTERPRETED_SETS:
            from tcloseness.ground import compiled

            return getattr(compiled, name)(self.low, self.high, *arrays)
        lists = [array.tolist() for array in arrays]
        found = globals()[name](self.low.tolist(), self.high.tolist(), *lists)
        for array, filled in zip(arrays, lists, strict=True):
            array[:] = filled
        return found

    @classmethod
    def of(cls, order: Sequence[int] | IntArray, sets: Sequence[tuple[int, int]], weights: Sequence[Number]) -> Cuts:
        """Build from intervals [low, high) of the permuted domain, in any order, with weights ≥ 0 read exactly.

        Equal intervals are merged; what parts no two values is left out: intervals of no place or of all places, and
        weights of 0.

        Raises
        ------
        DomainError
            For a negative weight, an interval outside the domain, another number of weights, or intervals that cross.
        """
        total: dict[tuple[int, int], Fraction] = {}
        order, sets, weights = _whole_numbers(order, "order"), list(sets), list(weights)
        m = len(order)
        if len(sets) != len(weights):
            raise DomainError(f"{len(sets)} sets have {len(weights)} weights; each set has one")
        for interval, number in zip(sets, weights, strict=True):
            weight = as_fraction(number, "the weight of a cut")
            low, high = interval if isinstance(interval, tuple | list) and len(interval) == 2 else (None, None)
            if not (_is_whole(low) and _is_whole(high) and 0 <= low <= high <= m):
                raise DomainError(
                    f"cut {shown_value(interval)} is not an interval (low, high) of the {m} places of the domain"
                )
            if weight < 0:
                raise DomainError(f"cut [{low}, {high}) has weight {short_text(weight)}; weights must be ≥ 0")
            if weight and 0 < high - low < m:
                total[(low, high)] = total.get((low, high), Fraction(0)) + weight
        keys = sorted(total, key=lambda s: (s[1], -s[0]))
        numerators, denominator = scaled_integers([total[k] for k in keys])
        low_ends, high_ends = (np.array([k[side] for k in keys], dtype=np.int64) for side in (0, 1))
        return cls.from_integers(order, low_ends, high_ends, numerators, denominator)

    @classmethod
    def from_integers(
        cls, order: IntArray, low: IntArray, high: IntArray, weights: Sequence[int] | IntArray, denominator: int
    ) -> Cuts:
        """Build from whole weights over one denominator; the intervals must be sorted already."""
        return cls(order, low, high, _whole_numbers(weights, "weights"), denominator)

    @classmethod
    def merged(cls, order: IntArray, low: IntArray, high: IntArray, weights: IntArray, denominator: int) -> Cuts:
        """Build as `of` does, from arrays of ends and of whole weights ≥ 0, whose sum fits int64."""
        held = np.flatnonzero((weights != 0) & (low < high) & (high - low < len(order)))
        held = held[np.argsort(high[held] * (len(order) + 1) - low[held])]  # by upper end, then by falling lower end
        low, high, weights = low[held], high[held], weights[held]
        fresh = np.flatnonzero((np.diff(low, prepend=-1) != 0) | (np.diff(high, prepend=-1) != 0))
        weights = np.add.reduceat(weights, fresh) if len(fresh) else weights
        divisor = math.gcd(denominator, *np.unique(weights).tolist())
        return cls.from_integers(order, low[fresh], high[fresh], weights // divisor, denominator // divisor)

    def weighing(self, weights: IntArray) -> Cuts:
        """Return the same sets with other weights, which are not checked and may be 0: parts of those that were."""
        part = object.__new__(Cuts)
        weights.flags.writeable = False
        part.__dict__.update(self.__dict__, weights=weights)
        part.__dict__.pop("total_weight", None)
        return part

    def __len__(self) -> int:
        return len(self.low)

    @cached_property
    def place(self) -> IntArray:
        """Shape (m,): the place of each code in the permuted domain (the inverse of `order`)."""
        inverse = np.empty_like(self.order)
        inverse[self.order] = np.arange(len(self.order))
        return inverse

    @cached_property
    def total_weight(self) -> int:
        """The sum of the whole weights."""
        return int(self.weights.sum())  # int64 only where the sum fits

    @cached_property
    def single(self) -> bool:
        """Whether each set is one value."""
        return bool((self.high - self.low == 1).all())

    @cached_property
    def layers(self) -> list[IntArray]:
        """The sets by how many are around them, those of each layer from left to right; empty if they cross, or if
        there are many layers.

        If the sets of a layer are disjoint, and each lies in one of the layer above it, any two sets are nested or
        disjoint: one of a lower layer lies in a set of the other's layer, which is that other set or disjoint from it.
        """
        sets = np.argsort(self.low * (len(self.order) + 1) - self.high)  # from left to right, a set before those in it
        low, high = self.low[sets], self.high[sets]
        around = np.arange(len(sets)) - np.searchsorted(self.high, low, side="right")  # so many began and did not end
        layers: list[IntArray] = []
        if not len(sets) or around.max() >= _MOST_LAYERS:
            return layers
        above = np.zeros(1, dtype=np.int64), np.array([len(self.order)])
        for depth in range(int(around.max()) + 1):
            of_layer = np.flatnonzero(around == depth)
            begin, end = low[of_layer], high[of_layer]
            outer = np.searchsorted(above[0], begin, side="right") - 1
            if (begin[1:] < end[:-1]).any() or (outer < 0).any() or (end > above[1][outer]).any():
                return []
            layers.append(sets[of_layer])
            above = begin, end
        return layers

    @cached_property
    def forest(self) -> tuple[IntArray, IntArray]:
        """The family as a forest: for each set the smallest set around it, and for each place the smallest set there.

        −1 stands for none. Shapes (K,) and (m,).
        """
        parent = np.full(len(self), -1, dtype=np.int64)
        home = np.full(len(self.order), -1, dtype=np.int64)
        if len(self) and not self.low.any():  # prefixes: each inside the next, and a place is in all that end after it
            parent[:-1] = np.arange(1, len(self))
            smallest = np.searchsorted(self.high, np.arange(len(home)), side="right")
            home[smallest < len(self)] = smallest[smallest < len(self)]
            return parent, home
        stacks = np.empty(len(self), dtype=np.int64), np.empty(len(home), dtype=np.int64)
        self._run("smallest_sets_around", parent, home, *stacks)
        return parent, home

    def distance(self, i: int, j: int) -> Fraction:
        """Return d(i, j) of two codes by the sum over the cuts: Σ_k w_k·[exactly one of i, j lies in S_k]."""
        codes = (place_in(code, len(self.order), "a code of the cuts", DomainError) for code in (i, j))
        a, b = (int(self.place[code]) for code in codes)
        apart = ((self.low <= a) & (a < self.high)) != ((self.low <= b) & (b < self.high))
        return Fraction(int(self.weights[apart].sum()), self.denominator)  # int64 only where the sum fits


_MOST_LAYERS = 16
"""So many layers of sets are worked on one after another; the trees of a family that has more are walked."""

_INTERPRETED_SETS = 20_000
"""Up to so many sets are gone through in Python, in some hundredths of a second: machine code must be loaded."""


def crossing(low: Any, high: Any, maximal: Any) -> tuple[int, int]:
    """Return the first set, as they are sorted, that crosses an earlier one, and before it that one; −1s if none does.

    `maximal` has a place for each set, for the maximal sets so far, from left to right.
    """
    top = -1
    for k in range(len(low)):
        while top >= 0 and low[maximal[top]] >= low[k]:
            top -= 1
        if top >= 0 and high[maximal[top]] > low[k]:
            return maximal[top], k
        top += 1
        maximal[top] = k
    return -1, -1


def smallest_sets_around(low: Any, high: Any, parent: Any, home: Any, maximal: Any, free: Any) -> None:
    """Fill in the smallest set around each set and around each place, where there is one.

    `maximal` has a place for each set, for the maximal sets so far, and `free` for each place, for those passed by that
    no set holds yet, both from left to right.
    """
    top, held = -1, -1
    filled = 0  # the first place that was not passed by
    for k in range(len(low)):
        while top >= 0 and low[maximal[top]] >= low[k]:
            parent[maximal[top]] = k
            top -= 1
        top += 1
        maximal[top] = k
        while held >= 0 and free[held] >= low[k]:
            home[free[held]] = k
            held -= 1
        for place in range(filled, low[k]):
            held += 1
            free[held] = place
        for place in range(max(low[k], filled), high[k]):
            home[place] = k
        filled = max(filled, high[k])


def _whole_numbers(values: Any, name: str) -> IntArray:
    """Return a copy that cannot be written to: int64 where even the sum fits, Python ints elsewhere."""
    if isinstance(values, np.ndarray):
        read = values
    elif isinstance(values, Iterable) and not isinstance(values, str):
        read = np.array(list(values), dtype=object)  # left to itself, NumPy reads [2**63, 1] as doubles
    else:
        read = np.array(None)
    if read.ndim == 1 and not len(read):
        read = read.astype(np.int64)
    if read.ndim != 1 or read.dtype.kind not in "iuO":
        raise DomainError(f"{name} of cuts must be a list of whole numbers, not {shown_value(values, 80)}")
    if read.dtype == object:
        given = read.tolist()
        if set(map(type, given)) != {int}:
            odd = next((x for x in given if not _is_whole(x)), None)
            if odd is not None:
                raise DomainError(
                    f"{name} of cuts must be a list of whole numbers, and {shown_value(odd, 80)} is not one"
                )
            read = np.array([int(x) for x in given], dtype=object)
    largest = max(abs(int(read.max())), abs(int(read.min()))) if len(read) else 0
    fits = largest * len(read) <= INT64_MAX or sum(map(abs, read.tolist())) <= INT64_MAX
    copy = np.array(read, dtype=np.int64 if fits else object)
    copy.flags.writeable = False
    return copy


def _is_whole(number: object) -> bool:
    return isinstance(number, Integral) and not isinstance(number, bool)


def _check_order(order: IntArray) -> None:
    m = len(order)
    inside = order.dtype != object and m > 0 and bool(((order >= 0) & (order < m)).all())
    if not inside or (np.bincount(order, minlength=m) != 1).any():
        raise DomainError(
            f"the order of cuts must hold each of the codes 0 … {m - 1} once, and is {order.tolist()!r:.80}"
        )
