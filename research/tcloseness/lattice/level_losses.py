"""Losses that follow from the levels alone: tabulated for every node before a search.

Without suppression, the terms of the certainty penalties, of Prec and of the height belong to one attribute each and
depend on that attribute's level only, so a few measurements give the loss of every node.
"""

from __future__ import annotations

from collections.abc import Hashable
from fractions import Fraction
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from tcloseness.exact import INT64_MAX, scaled_integers
from tcloseness.lattice.roll_up import RollUp
from tcloseness.loss import (
    GeneralizationHeight,
    GlobalCertaintyPenalty,
    Loss,
    LossMetric,
    NormalizedCertaintyPenalty,
    Precision,
)
from tcloseness.loss.weights import read_weights

__all__ = ["level_ranks", "terms_are"]

_KNOWN = (GeneralizationHeight, GlobalCertaintyPenalty, LossMetric, NormalizedCertaintyPenalty, Precision)


def terms_are(loss: Any) -> Literal["summed", "multiplied"] | None:
    """Say how a loss follows from its terms, each of one attribute's level; None if it does not.

    A loss of another package may declare itself by an attribute ``terms_are``: ``"summed"`` if its order is that of
    Σ term, ``"multiplied"`` if it is that of Π (1 + term).
    """
    declared = getattr(loss, "terms_are", None)
    if declared in ("summed", "multiplied"):
        return declared  # type: ignore[no-any-return]
    if type(loss) not in _KNOWN or getattr(loss, "extent", "label") != "label":
        return None
    return "summed"


def level_ranks(rolled: RollUp, loss: Loss) -> npt.NDArray[np.int64] | None:
    """Return the place of each node's loss among all nodes' losses, best first, equal for equal losses.

    Returns
    -------
    array or None
        The lattice's shape; None for a loss that does not follow from the levels.
    """
    how = terms_are(loss)
    if how is None:
        return None
    try:
        remembered: Hashable = ("level ranks", loss)
        if remembered in rolled.remembered:
            return rolled.remembered[remembered]  # type: ignore[no-any-return]
    except TypeError:  # weights in a dict
        remembered = None
    ranks = _ranks(rolled, loss, how)
    if remembered is not None:
        rolled.remembered[remembered] = ranks
    return ranks


def _ranks(rolled: RollUp, loss: Loss, how: str) -> npt.NDArray[np.int64]:
    terms = _terms(rolled, loss)
    flat = [term for column in terms for term in column]
    integers, denominator = scaled_integers(flat)
    one = denominator if how == "multiplied" else 0
    columns: list[list[int]] = []
    at = 0
    for levels in map(len, terms):
        columns.append([one + x for x in integers[at : at + levels]])
        at += levels
    bound = sum(max(map(abs, column)) for column in columns)
    dtype = np.int64 if how == "summed" and bound <= INT64_MAX else object
    n = len(columns)
    combined: Any = np.array(1 if how == "multiplied" else 0, dtype=dtype)
    for a, column in enumerate(columns):
        along = np.array(column, dtype=dtype).reshape([-1 if i == a else 1 for i in range(n)])
        combined = combined * along if how == "multiplied" else combined + along
    if getattr(loss, "better", "lower") == "higher":
        combined = -combined
    _, ranks = np.unique(combined.ravel(), return_inverse=True)
    return ranks.reshape(rolled.lattice.shape)


def _terms(rolled: RollUp, loss: Loss) -> list[list[Fraction]]:
    """Measure the terms of every attribute's every level: one measurement shows a level of each attribute."""
    lattice = rolled.lattice
    columns: list[list[Fraction]] = [[] for _ in lattice.shape]
    for step in range(max(lattice.shape)):
        node = tuple(min(step, height) for height in lattice.heights)
        release = rolled.release(node)
        found = loss.evaluate(release).terms
        # NCP and the height weigh their terms themselves
        weights = read_weights(loss.weights, release) if isinstance(loss, GlobalCertaintyPenalty) else {}
        for column, name, height in zip(columns, lattice.quasi_identifiers, lattice.heights, strict=True):
            if step <= height:
                column.append(weights.get(name, Fraction(1)) * found[name])  # type: ignore[operator]
    return columns
