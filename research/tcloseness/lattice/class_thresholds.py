"""What the usual models ask of one class, as whole numbers: the form in which compiled code decides them."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from itertools import zip_longest
from math import ceil
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from tcloseness.exact import IntArray, as_fraction, fits_int64
from tcloseness.lattice.roll_up import RollUp
from tcloseness.measures.emd import BoundEMD
from tcloseness.models import DistinctLDiversity, EntropyLDiversity, KAnonymity, RecursiveCLDiversity, TCloseness

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


def least_size(parts: Sequence[Any]) -> int:
    """Return the number of records that a class must have for all of these models: fewer are always too few.

    A class of n records has at most n values, so each kind of ℓ-diversity asks for ⌈ℓ⌉ records: its entropy is at most
    ln n, and with fewer than ℓ values r_ℓ + … + r_m = 0.
    """
    sizes = [0]
    for part in parts:
        if type(part) is KAnonymity:
            sizes.append(int(part.k or 0))
        elif type(part) is DistinctLDiversity or (type(part) is RecursiveCLDiversity and part.l > 1):
            sizes.append(int(part.l or 0))
        elif type(part) is EntropyLDiversity:
            sizes.append(ceil(as_fraction(part.l)))
    return max(sizes)


def thresholds_of(
    parts: Sequence[Any], rolled: RollUp
) -> tuple[list[tuple[CountThresholds, CloseThreshold]], EntropyLDiversity | None, list[Any]]:
    """Join models into rounds of thresholds, each with at most one of a kind; mostly one round is enough.

    Parameters
    ----------
    parts
        Models with a threshold. k-anonymity is left to `least_size`.
    rolled
        The table whose classes will be asked.

    Returns
    -------
    rounds
        What compiled code decides.
    entropy
        The entropy ℓ-diversity in the first round, which decides what a double cannot; None if there is none.
    others
        The models that have to decide themselves: of other kinds, or with numbers that could overflow.
    """
    m, n = len(rolled.domain), rolled.records
    distinct, others = 0, list[Any]()
    entropies, recursive, close = list[EntropyLDiversity](), list[RecursiveCLDiversity](), list[CloseThreshold]()
    for part in parts:
        if type(part) is KAnonymity:
            continue
        if type(part) is DistinctLDiversity:
            distinct = max(distinct, min(int(part.l or 0), m + 1))  # no class has more than m values
        elif type(part) is EntropyLDiversity and _fits(part.l, m):
            entropies.append(part)
        elif type(part) is RecursiveCLDiversity and _fits(part.c, n):
            recursive += [part] if part.l > 1 else []  # ℓ = 1 always holds
        elif type(part) is TCloseness and (found := _close(part, rolled)) is not None:
            close.append(found)
        else:
            others.append(part)
    entropy = max(entropies, key=lambda part: as_fraction(part.l), default=None)
    once = [(distinct, entropy)] if distinct or entropy else []
    rounds = [
        (_counts(of_values or (0, None), of_counts, rolled), distance or _ANYWHERE)
        for of_values, of_counts, distance in zip_longest(once, recursive, close)
    ]
    return rounds, entropy, others


def _fits(number: Any, factor: int) -> bool:
    exact = as_fraction(number)
    return fits_int64(max(exact.numerator, exact.denominator), factor)


def _counts(
    of_values: tuple[int, EntropyLDiversity | None], recursive: RecursiveCLDiversity | None, rolled: RollUp
) -> CountThresholds:
    distinct, entropy = of_values
    exponential = as_fraction(entropy.l) if entropy else Fraction(0)
    c = as_fraction(recursive.c) if recursive else Fraction(1)
    small = np.arange(1, min(_SMALL_LOGS, rolled.records + 1) if entropy else 1, dtype=np.float64)
    return CountThresholds(
        distinct,
        exponential.numerator,
        exponential.denominator,
        np.append(0.0, small * np.log(small)),
        min(recursive.l, len(rolled.domain) + 1) if recursive else 1,
        c.numerator,
        c.denominator,
    )


def _close(part: TCloseness, rolled: RollUp) -> CloseThreshold | None:
    measure = part.distance.over(rolled.domain)
    cuts = measure.ground.cuts if isinstance(measure, BoundEMD) else None
    if cuts is None:
        return None
    t, n = as_fraction(part.t), int(rolled.reference.sum())
    per_record = t.numerator * cuts.denominator * n
    if not fits_int64(2 * max(cuts.total_weight, 1) * t.denominator, n, n) or not fits_int64(per_record, n):
        return None
    prefix = np.append(0, np.cumsum(rolled.reference[cuts.order]))
    share = prefix[cuts.high] - prefix[cuts.low]
    return CloseThreshold(cuts.order, cuts.low, cuts.high, cuts.weights, share, n, per_record, t.denominator)


_NONE = np.zeros(0, dtype=np.int64)
_ANYWHERE = CloseThreshold(_NONE, _NONE, _NONE, _NONE, _NONE, 0, 0, 1)
