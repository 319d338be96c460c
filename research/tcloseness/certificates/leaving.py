"""How many records of a class can stay at most, if what stays is to satisfy a model.

What can stay of a class of n_v records is x with 0 ≤ x_v ≤ n_v that satisfies every condition. Its size is bounded by
each condition alone:

* ``records``, ``values``: a class that breaks it has no part that satisfies it.
* ``entropy``, ``tail``, ``share`` of all values: let C be the least whole number such that the counts min(n_v, C) break
  the condition. Then fewer than Σ min(n_v, C) records stay. For the counts min(n_v, c), at a real number c, meet the
  condition no more easily if c grows, and as easily as any x of as many records: all others are less even.
* ``distance``: for any signs s_S let u_v = Σ_{S∋v} w_S·s_S. Then Σ_v x_v·d_v ≤ 0 with
  d_v = N·u_v − Σ_j Q_j·u_j − t·N, since no |a| is below s·a. Records of least d stay first. The signs are those of
  n(S)/n − Q(S)/N, and then, three times at most, those of what stayed before.

Σ of what must leave the classes of a node never falls as the classes are split: what stays of the parts satisfies
together. So more than may leave at a node rules out every node below it as well.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import numpy as np

from tcloseness.certificates.conditions import Conditions
from tcloseness.exact import INT64_MAX, IntArray
from tcloseness.strict_records import canonical_fraction, cells

__all__ = ["fewest_leaving"]

_ROUNDS = 4
_TOGETHER = 16
"""So many classes are looked at first, and then twice as many each time."""
_CELLS = 2**20
"""So many counts are looked at together."""


def fewest_leaving(blocks: Iterable[IntArray], conditions: Conditions, enough: int) -> int:
    """Return how many records must leave classes at least, or some of them that are enough.

    Parameters
    ----------
    blocks
        The counts of the classes, shape (classes, m) each, int64; no class is empty.
    conditions
        What is asked of what stays.
    enough
        No more are counted once it is reached.

    Raises
    ------
    InputError
        If that would take too long.
    """
    leaving = 0
    for counts in blocks:
        sizes = counts.sum(axis=1)
        whole = np.ones(len(counts), dtype=np.bool_)
        for record, violating in conditions.each:
            if record["condition"] in ("records", "values"):
                conditions.work.spend(1000 + 5 * counts.size, "how many records must leave each class")
                whole &= ~violating(counts, sizes)
        leaving += int(sizes[~whole].sum())
        left, many = np.flatnonzero(whole), _TOGETHER
        most = max(_CELLS // counts.shape[1], 1)
        left = left[np.argsort(-sizes[left], kind="stable")]
        while len(left) and leaving < enough:
            leaving += int((sizes[left[:many]] - _most_staying(counts[left[:many]], conditions)).sum())
            left, many = left[many:], min(2 * many, most)
    return leaving


def _most_staying(counts: IntArray, conditions: Conditions) -> IntArray:
    """Return for each class a number of records that no part of it exceeds which satisfies all conditions.

    No class breaks a ``records`` or ``values``.
    """
    sizes = counts.sum(axis=1)
    stays, least = sizes.copy(), 0
    for record, violating in conditions.each:
        kind = record["condition"]
        if kind in ("records", "values"):
            least = max(least, record["least"])
            continue
        conditions.work.spend(1000 + 5 * counts.size, "how many records must leave each class")
        left = np.flatnonzero(violating(counts, sizes))
        if kind == "distance" and len(left):
            stays[left] = np.minimum(stays[left], _close(counts[left], conditions, record))
        elif kind in ("entropy", "tail", "share") and record.get("values") is None and len(left):
            stays[left] = np.minimum(stays[left], _even(counts[left], conditions, violating))
    return np.where(stays < least, 0, stays)


def _even(counts: IntArray, conditions: Conditions, violating: Any) -> IntArray:
    """Return one less than Σ min(n_v, C), by bisection; the counts as they are break the condition."""
    low, high = np.zeros(len(counts), dtype=np.int64), counts.max(axis=1)
    while (open_classes := np.flatnonzero(high - low > 1)).size:
        conditions.work.spend(1000 + 10 * counts[open_classes].size, "the most even part of each class")
        middle = (low[open_classes] + high[open_classes]) // 2
        capped = np.minimum(counts[open_classes], middle[:, None])
        breaks = violating(capped, capped.sum(axis=1))
        high[open_classes] = np.where(breaks, middle, high[open_classes])
        low[open_classes] = np.where(breaks, low[open_classes], middle)
    return np.asarray(np.minimum(counts, high[:, None]).sum(axis=1) - 1)


def _close(counts: IntArray, conditions: Conditions, record: Mapping[str, Any]) -> IntArray:
    """Return what signs leave, times the denominators: those of the class, then of what stayed.

    Records stay in the order of their cost while the sum of all costs is at most 0, and of the next as many as that
    allows.
    """
    t, reference = canonical_fraction(record["t"], "t"), conditions.reference
    order, sets, denominator = conditions.cuts(record)
    total, per_record = int(reference.sum()), t.numerator * denominator * int(reference.sum())
    whole_weight = sum(weight for *_, weight in sets)
    largest = (2 * whole_weight * t.denominator * total + per_record) * total
    kind: Any = np.int64 if largest <= INT64_MAX else object
    step = cells(0 if kind is np.int64 else 100 + largest.bit_length())
    behind = np.concatenate([[0], np.cumsum(reference[order])]).astype(kind)
    low, high = ([each[end] for each in sets] for end in (0, 1))
    weights, share = np.array([weight for *_, weight in sets], dtype=kind), behind[high] - behind[low]
    have, place = counts.astype(kind), np.argsort(order)
    row, bound = have, have.sum(axis=1)
    for _ in range(_ROUNDS):
        conditions.work.spend((len(sets) + 4 * have.shape[1]) * (500 + step * len(have)), "what can stay within t")
        prefix = np.zeros((have.shape[1] + 1, len(row)), dtype=kind)
        prefix[1:] = np.cumsum(row[:, order], axis=1).T
        inside = (prefix[high] - prefix[low]).T
        signed = weights * np.sign(inside * total - prefix[-1][:, None] * share).astype(kind)
        moves = np.zeros_like(prefix)
        np.add.at(moves, low, signed.T)
        np.subtract.at(moves, high, signed.T)
        u = np.cumsum(moves, axis=0)[place].T
        d = t.denominator * (u * total - (signed @ share)[:, None]) - per_record
        cheapest = np.argsort(d, axis=1, kind="stable")
        cost, there = np.take_along_axis(d, cheapest, axis=1), np.take_along_axis(have, cheapest, axis=1)
        owed = np.cumsum(there * cost, axis=1)
        some = np.maximum(there * cost - owed, 0) // np.maximum(cost, 1)
        row = np.empty_like(have)
        np.put_along_axis(row, cheapest, np.where(owed <= 0, there, some), axis=1)
        bound = np.minimum(bound, row.sum(axis=1))
    return np.asarray(bound, dtype=np.int64)
