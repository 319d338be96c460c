"""Conditions on one class as whole numbers: the form in which compiled code decides them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import zip_longest
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from tcloseness.exact import IntArray, fits_int64
from tcloseness.lattice.roll_up import RollUp
from tcloseness.measures import EMD
from tcloseness.models import PrivacyModel
from tcloseness.models.conditions import (
    ClassCondition,
    LeastEntropy,
    LeastRecords,
    LeastValues,
    MostDistance,
    TailBound,
    conditions_of,
)

__all__ = ["CloseThreshold", "CountThresholds", "least_size", "thresholds_of"]

_SMALL_LOGS = 4096
"""c·ln c is looked up for counts below."""


class CountThresholds(NamedTuple):
    """What is asked of a class's counts c_1, …, c_m of n records, however they are named.

    Attributes
    ----------
    distinct
        Distinct ℓ-diversity: at least so many values; 0 asks nothing.
    entropy_numerator, entropy_denominator
        Entropy ℓ-diversity: n·ln n − Σ c·ln c ≥ n·ln ℓ with ℓ = numerator/denominator; 0/1 asks nothing.
    logs
        ``logs[c]`` is c·ln c for small c.
    l, c_numerator, c_denominator
        Recursive (c,ℓ)-diversity: r_1 < c·(r_ℓ + … + r_m), the counts in falling order; ℓ = 1 asks nothing.
    """

    distinct: int
    entropy_numerator: int
    entropy_denominator: int
    logs: npt.NDArray[np.float64]
    l: int  # noqa: E741
    c_numerator: int
    c_denominator: int


class CloseThreshold(NamedTuple):
    """t-closeness by the closed form over cuts: t_den·Σ_k w_k·|c(S_k)·N − C(S_k)·n| ≤ t_num·D·N·n.

    Attributes
    ----------
    order, low, high, weights
        The cuts, see `tcloseness.ground.Cuts`; no cut asks nothing.
    share
        C(S_k): how many of all records have a value in S_k.
    records
        N.
    per_record
        t_num·D·N, D being the cuts' denominator.
    t_denominator
        t_den.
    """

    order: IntArray
    low: IntArray
    high: IntArray
    weights: IntArray
    share: IntArray
    records: int
    per_record: int
    t_denominator: int


def least_size(parts: Sequence[PrivacyModel]) -> int:
    """Return the number of records that a class must have for all of these models: fewer are always too few."""
    return max((each.records for part in parts for each in conditions_of(part) or ()), default=0)


def thresholds_of(
    parts: Sequence[PrivacyModel], rolled: RollUp
) -> tuple[list[tuple[CountThresholds, CloseThreshold]], PrivacyModel | None, list[PrivacyModel]]:
    """Join models into rounds of thresholds, each with at most one of a kind; mostly one round is enough.

    Parameters
    ----------
    parts
        Models with a threshold. Least numbers of records are left to `least_size`.
    rolled
        The table whose classes will be asked.

    Returns
    -------
    rounds
        What compiled code decides.
    entropy
        The model with the least entropy of the first round, which decides what a double cannot; None if there is none.
    others
        The models that have to decide themselves: with other conditions, or with numbers that could overflow.
    """
    m, distinct, others = len(rolled.domain), 0, list[PrivacyModel]()
    entropies, recursive, close = list[tuple[Fraction, PrivacyModel]](), list[TailBound](), list[CloseThreshold]()
    for part in parts:
        conditions = conditions_of(part)
        distances = [_close(each, rolled) for each in conditions or () if isinstance(each, MostDistance)]
        if conditions is None or None in distances or not all(_decidable(each, rolled) for each in conditions):
            others.append(part)
            continue
        close += [each for each in distances if each is not None]
        for each in conditions:
            if isinstance(each, LeastValues):
                distinct = max(distinct, min(each.values, m + 1))  # no class has more than m values
            elif isinstance(each, LeastEntropy):
                entropies.append((each.l, part))
            elif isinstance(each, TailBound) and each.l > 1:
                recursive.append(each)
    least, entropy = max(entropies, key=lambda each: each[0], default=(Fraction(0), None))
    once = [(distinct, least)] if distinct or least else []
    rounds = [
        (_counts(of_values or (0, Fraction(0)), of_counts, rolled), distance or _ANYWHERE)
        for of_values, of_counts, distance in zip_longest(once, recursive, close)
    ]
    return rounds, entropy, others


def _decidable(condition: ClassCondition, rolled: RollUp) -> bool:
    """Say whether compiled code knows a condition, and its numbers fit."""
    if isinstance(condition, LeastEntropy):
        return _fits(condition.l, len(rolled.domain))
    if isinstance(condition, TailBound):
        return _fits(condition.c, rolled.records)
    return isinstance(condition, LeastRecords | LeastValues | MostDistance)


def _fits(number: Fraction, factor: int) -> bool:
    return fits_int64(max(number.numerator, number.denominator), factor)


def _counts(of_values: tuple[int, Fraction], recursive: TailBound | None, rolled: RollUp) -> CountThresholds:
    distinct, entropy = of_values
    c = recursive.c if recursive else Fraction(1)
    small = np.arange(1, min(_SMALL_LOGS, rolled.records + 1) if entropy else 1, dtype=np.float64)
    return CountThresholds(
        distinct,
        entropy.numerator,
        entropy.denominator,
        np.append(0.0, small * np.log(small)),
        min(recursive.l, len(rolled.domain) + 1) if recursive else 1,
        c.numerator,
        c.denominator,
    )


def _close(condition: MostDistance, rolled: RollUp) -> CloseThreshold | None:
    cuts = EMD(condition.ground).over(rolled.domain).ground.cuts
    if cuts is None:
        return None
    t, n = condition.t, int(rolled.reference.sum())
    per_record = t.numerator * cuts.denominator * n
    if not fits_int64(2 * max(cuts.total_weight, 1) * t.denominator, n, n) or not fits_int64(per_record, n):
        return None
    prefix = np.append(0, np.cumsum(rolled.reference[cuts.order]))
    share = prefix[cuts.high] - prefix[cuts.low]
    return CloseThreshold(cuts.order, cuts.low, cuts.high, cuts.weights, share, n, per_record, t.denominator)


_NONE = np.zeros(0, dtype=np.int64)
_ANYWHERE = CloseThreshold(_NONE, _NONE, _NONE, _NONE, _NONE, 0, 0, 1)
