"""How many records must leave the classes of a node at least. Importing this module loads numba.

Let σ(v) be the sum, over the classes of a node v, of the fewest records that must leave each so that the rest satisfies
the model, or none is left. A node w below v suppresses at least as many: what it keeps of a class of v is a union of
classes that satisfy, and where a union of such classes satisfies, so does that. So σ(v) > limit rules out v and all
nodes below it, also where verdicts under a limit are not monotone. Here σ is bounded from below: for each condition the
most that can stay is counted, or a greater number.
"""

from __future__ import annotations

import math

import numba
import numpy as np

from tcloseness.exact import IntArray, fits_int64
from tcloseness.lattice.compiled import _below, _counted
from tcloseness.lattice.decide import SEARCHING, CloseThreshold, Decider
from tcloseness.lattice.lattice import Node
from tcloseness.lattice.node_classes import DenseClasses
from tcloseness.models.protocol import Verdict

__all__ = ["FewestLeaving", "least_leaving"]


class FewestLeaving:
    """Says "violated" of a node if more than a limit of records must leave its classes; else "satisfied".

    Parameters
    ----------
    decide
        The decider of the model on compiled classes; conditions of a class are taken from it that unions keep: least
        numbers of records and values, entropies, tails, and distances by cuts.

    Attributes
    ----------
    checked
        How many nodes were asked for.
    """

    def __init__(self, decide: Decider) -> None:
        self.rolled, self.limit, self.clock, self.least = decide.rolled, decide.limit, decide.clock, decide.least
        self._rounds = [(counts, close) for counts, close in decide.rounds if _fits(close)]
        self.checked = 0

    def __call__(self, node: Node) -> Verdict:
        """Decide a node."""
        self.checked += 1
        if self.clock is not None:
            self.clock.check(SEARCHING)
        found = self.rolled.at(node)
        assert isinstance(found, DenseClasses)
        small = found.sizes < self.least
        leaving = int(found.sizes[small].sum())
        kept = np.where(small, 0, found.sizes)
        for counts, close in self._rounds:
            if leaving > self.limit:
                break
            leaving = 0
            for part, matrix in found.blocks():
                asked = (counts.distinct, counts.entropy_numerator, counts.entropy_denominator)
                tail = (counts.l, counts.c_numerator, counts.c_denominator)
                within = self.limit - leaving
                leaving += least_leaving(
                    matrix, found.sizes[part], kept[part], self.least, within, *asked, *tail, *close
                )
                if leaving > self.limit:
                    break
        return "violated" if leaving > self.limit else "satisfied"


def _fits(close: CloseThreshold) -> bool:
    """Say whether the products of `_most_close` stay within 64 bits."""
    if not len(close.low):
        return True
    most = 2 * sum(close.weights.tolist()) * close.t_denominator * close.records + close.per_record
    return fits_int64(most, close.records)


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def least_leaving(
    matrix: IntArray,
    sizes: IntArray,
    kept: IntArray,
    least: int,
    limit: int,
    distinct: int,
    entropy_numerator: int,
    entropy_denominator: int,
    l: int,  # noqa: E741
    c_numerator: int,
    c_denominator: int,
    order: IntArray,
    low: IntArray,
    high: IntArray,
    weights: IntArray,
    share: IntArray,
    all_records: int,
    per_record: int,
    t_denominator: int,
) -> int:
    """Lower in `kept` how many records of each class can stay; return how many must leave, or some more than `limit`.

    Thresholds are those of `violating_classes`.
    """
    log_l = math.log(entropy_numerator / entropy_denominator) if entropy_numerator else 0.0
    leaving, m = 0, matrix.shape[1]
    row, greatest = np.empty(m, np.int64), np.empty(max(l - 1, 0), np.int64)
    prefix, moves = np.zeros(m + 1, np.int64), np.empty(m + 1, np.int64)
    for g in range(len(sizes)):
        n, keep = sizes[g], kept[g]
        if keep > 0:
            values = np.int64(0)
            for v in range(m):
                row[v] = matrix[g, v]
                values += row[v] > 0
            if values < distinct or values * entropy_denominator < entropy_numerator:
                keep = 0
            if keep > 0 and l > 1:
                keep = min(keep, _most_with_tail(row, greatest, c_numerator, c_denominator))
            if keep > 0 and entropy_numerator:
                keep = min(keep, _most_even(row, n, values, log_l))
            if keep > 0 and len(low):
                close = _most_close(
                    row, n, order, low, high, weights, share, all_records, per_record, t_denominator, prefix, moves
                )
                keep = min(keep, close)
            if keep < least:
                keep = 0
            kept[g] = keep
        leaving += n - keep
        if leaving > limit:
            break
    return int(leaving)


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def _capped(row: IntArray, cap: int) -> np.int64:
    """Return Σ min(c, cap)."""
    total = np.int64(0)
    for c in row:
        total += min(c, cap)
    return total


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def _most_with_tail(row: IntArray, greatest: IntArray, c_numerator: int, c_denominator: int) -> np.int64:
    """Return how many records at most stay with r_1 < c·(r_ℓ + … + r_m).

    What stays of counts capped at some number has no greater a tail than these, so its r_1 is below c times that: the
    next cap.
    """
    _counted(row, greatest)
    cap = greatest[0]
    while True:
        stays = _capped(row, cap)
        tail = stays - _capped(greatest, cap)
        lower = (c_numerator * tail - 1) // c_denominator if tail > 0 else 0
        if lower >= cap or lower <= 0:
            return stays if lower > 0 else np.int64(0)
        cap = lower


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def _uneven(row: IntArray, cap: int, values: int, log_l: float) -> bool:
    """Say whether the entropy of counts capped at a number is certainly below ln ℓ."""
    n, inner = np.int64(0), 0.0
    for c in row:
        if c > 0:
            c = min(c, cap)
            n += c
            inner += c * math.log(c)
    return bool(_below(log_l, n, inner, values) == 1)


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def _most_even(row: IntArray, n: int, values: int, log_l: float) -> np.int64:
    """Return how many records at most stay with an entropy of ln ℓ.

    Of all that keep so many records, counts capped at one (real) number have the greatest entropy, since all others
    majorize them; and with a lower cap it is no less, since shares capped higher majorize those capped lower.
    """
    high = row.max()
    if not _uneven(row, high, values, log_l):
        return np.int64(n)
    low = np.int64(0)
    while high - low > 1:
        middle = (low + high) // 2
        if _uneven(row, middle, values, log_l):
            high = middle
        else:
            low = middle
    return np.int64(_capped(row, high) - 1)


_ROUNDS = 4
"""So many potentials are tried for a class; each bounds what stays."""


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def _most_close(
    row: IntArray,
    n: int,
    order: IntArray,
    low: IntArray,
    high: IntArray,
    weights: IntArray,
    share: IntArray,
    all_records: int,
    per_record: int,
    t_denominator: int,
    prefix: IntArray,
    moves: IntArray,
) -> np.int64:
    """Return how many records at most stay within t, by potentials; `row` is lost, the last two are room.

    Signs s_k give u_v = Σ_{k: v in S_k} w_k·s_k and U = Σ_k w_k·s_k·C(S_k). Whatever x within t stays has
    Σ_v x_v·d_v ≤ 0 with d_v = t_den·(N·u_v − U) − t_num·D·N, since no |a| is below s·a. Records of least d stay first.
    The signs are those of the class, and then of what stayed before.
    """
    m, bound, have = len(row), np.int64(n), row.copy()
    size = np.int64(n)
    for _ in range(_ROUNDS):
        for place in range(m):
            prefix[place + 1] = prefix[place] + row[order[place]]
        moves[:] = 0
        work, mean = np.int64(0), np.int64(0)
        for k in range(len(low)):
            excess = (prefix[high[k]] - prefix[low[k]]) * all_records - share[k] * size
            w = weights[k] if excess > 0 else -weights[k] if excess < 0 else 0
            work += w * excess
            moves[low[k]] += w
            moves[high[k]] -= w
            mean += w * share[k]
        if t_denominator * work <= per_record * size:
            break
        d, u = np.empty(m, np.int64), np.int64(0)
        for place in range(m):
            u += moves[place]
            d[place] = t_denominator * (all_records * u - mean) - per_record
        budget, size = np.int64(0), np.int64(0)
        for place in np.argsort(d):
            v = order[place]
            stays = have[v] if d[place] <= 0 else min(have[v], budget // d[place])
            budget -= stays * d[place]
            size += stays
            row[v] = stays
        bound = min(bound, size)
        if size == 0:
            break
    return bound
