"""Losses that follow from the levels alone: tabulated for every node before a search.

Without suppression, the terms of the certainty penalties, of Prec and of the height belong to one attribute each and
depend on that attribute's level only, so a few measurements give the loss of every node. Where suppression never
improves a term, that bounds what a node costs after it.
"""

from __future__ import annotations

import math
from bisect import bisect_right
from collections.abc import Callable, Hashable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from tcloseness.errors import InputError
from tcloseness.exact import INT64_MAX, as_fraction, scaled_integers
from tcloseness.lattice.roll_up import RollUp
from tcloseness.limits import Clock
from tcloseness.loss import Loss, LossResult

__all__ = ["LevelLosses", "tabulated"]


@dataclass(frozen=True, eq=False)
class LevelLosses:
    """The losses of all nodes of a lattice without suppression, in order.

    Attributes
    ----------
    ranks
        The lattice's shape: the place of each node's loss among all nodes' losses, best first, equal for equal losses.
    """

    ranks: npt.NDArray[np.int64]
    _keys: Any
    _key: Callable[[LossResult], Fraction]

    def no_worse(self, found: LossResult) -> int:
        """Return how many ranks, from the best on, have a loss that is no worse than a measured one."""
        return bisect_right(self._keys, math.floor(self._key(found)))  # they are whole, and of NumPy's kind


def tabulated(rolled: RollUp, loss: Loss, clock: Clock | None = None) -> LevelLosses | None:
    """Tabulate a loss.

    Parameters
    ----------
    rolled, loss
        The table under its lattice, and the loss.
    clock
        Its limits hold; a new one, without a time limit, if left out.

    Returns
    -------
    LevelLosses or None
        None for a loss that does not follow from the levels.

    Raises
    ------
    TimeLimitReached, MemoryLimitReached
        When a limit is reached, or more memory than there is would be taken.
    """
    how = getattr(loss, "terms_are", None)
    if how is None:
        return None
    if how not in ("summed", "multiplied"):
        raise InputError(f"terms_are of the loss {loss.name} is {how!r}; it is 'summed', 'multiplied' or None")
    try:
        remembered: Hashable = ("level losses", loss)
        if remembered in rolled.remembered:
            return rolled.remembered[remembered]  # type: ignore[no-any-return]
    except TypeError:  # weights in a dict
        remembered = None
    found = _tabulate(rolled, loss, how, Clock() if clock is None else clock)
    if remembered is not None:
        rolled.remembered[remembered] = found
    return found


def _tabulate(rolled: RollUp, loss: Loss, how: str, clock: Clock) -> LevelLosses:
    """Rank the nodes in blocks, so that neither their losses nor an unbounded step are in memory or time at once."""
    terms, shape = _terms(rolled, loss), rolled.lattice.shape
    flat = [term for column in terms for term in column]
    integers, denominator = scaled_integers(flat)
    sign = -1 if getattr(loss, "better", "lower") == "higher" else 1
    if how == "summed":
        integers = [sign * x for x in integers]
    one = denominator if how == "multiplied" else 0
    columns: list[list[int]] = []
    at = 0
    for levels in map(len, terms):
        columns.append([one + x for x in integers[at : at + levels]])
        at += levels
    bound = sum(max(map(abs, column)) for column in columns)
    dtype = np.int64 if how == "summed" and bound <= INT64_MAX else object
    combine = np.add if how == "summed" else np.multiply
    first = next(i for i in range(len(shape) + 1) if math.prod(shape[i:]) <= _BLOCK)  # a block's axes begin there
    lead, rest = (_outer(part, combine, dtype) for part in (columns[:first], columns[first:]))
    if how == "multiplied":
        lead = sign * lead
    clock.require_memory(_BYTES[dtype] * len(lead) * len(rest), f"the losses of {len(lead) * len(rest):,} nodes")
    runs: list[Any] = []
    for value in clock.through(lead, _RANKING):
        clock.check(_RANKING)
        runs.append(np.unique(combine(value, rest)))
        while len(runs) > 1 and len(runs[-1]) * 2 >= len(runs[-2]):  # so that each value is merged few times
            runs[-2:] = [_united(runs[-2], runs[-1])]
    while len(runs) > 1:
        clock.check(_RANKING)
        runs[-2:] = [_united(runs[-2], runs[-1])]
    ranks = np.empty((len(lead), len(rest)), dtype=np.int64)
    for row, value in zip(ranks, lead, strict=True):
        clock.check(_RANKING)
        row[:] = np.searchsorted(runs[0], combine(value, rest))
    weights = _weights(rolled, loss)

    def key(found: LossResult) -> Fraction:
        terms = [weight * found.terms[name] for name, weight in weights.items()]  # type: ignore[operator]
        if how == "summed":
            return sign * denominator * sum(terms, Fraction(0))
        return sign * math.prod((denominator * (1 + term) for term in terms), start=Fraction(1))

    return LevelLosses(ranks.reshape(shape), runs[0], key)


_BLOCK = 2**16
"""So many nodes are ranked at a time."""

_RANKING = "ranking the losses of the nodes"

_BYTES: dict[Any, int] = {np.int64: 32, object: 128}
"""So many bytes a node ranking takes at most: the distinct losses while they are merged, and the ranks."""


def _outer(columns: list[list[int]], combine: Any, dtype: Any) -> Any:
    """Combine one entry of each column in every way, the last column's fastest."""
    found = np.array([0 if combine is np.add else 1], dtype=dtype)
    for column in columns:
        found = combine(found[:, None], np.array(column, dtype=dtype)[None, :]).ravel()
    return found


def _united(one: Any, other: Any) -> Any:
    """Return the values of two rising arrays, rising, each once."""
    found = np.concatenate([one, other])
    found.sort(kind="stable")  # two rising runs are merged in linear time
    return found[np.append(True, found[1:] != found[:-1])]


def _terms(rolled: RollUp, loss: Loss) -> list[list[Fraction]]:
    """Measure the terms of every attribute's every level: one measurement shows a level of each attribute."""
    lattice = rolled.lattice
    columns: list[list[Fraction]] = [[] for _ in lattice.shape]
    weights = _weights(rolled, loss)
    for step in range(max(lattice.shape)):
        node = tuple(min(step, height) for height in lattice.heights)
        found = loss.evaluate(rolled.release(node)).terms
        for column, name, height in zip(columns, lattice.quasi_identifiers, lattice.heights, strict=True):
            if step <= height:
                column.append(weights[name] * found[name])  # type: ignore[operator]
    return columns


def _weights(rolled: RollUp, loss: Loss) -> dict[str, Fraction]:
    """Return, by attribute, what its terms are multiplied by."""
    given = getattr(loss, "level_weights", {})
    return {name: as_fraction(given.get(name, 1)) for name in rolled.lattice.quasi_identifiers}
