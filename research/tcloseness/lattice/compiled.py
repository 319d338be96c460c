"""Roll-up and the exact decisions of the usual models as machine code. Importing this module loads numba.

Each ``…_classes`` function marks the classes that break one threshold in `bad` (0 fine, 1 violating, 2 not decided
here) and returns how many records are in marked classes now; it stops once they are more than `limit`. Classes that
are marked violating already are passed over. All arithmetic is in whole numbers below 2⁶³, which the caller has
checked, except for entropies, where a double decides only what its error bound allows.
"""

from __future__ import annotations

import math

import numba
import numpy as np

from tcloseness.exact import IntArray
from tcloseness.logarithms import LOG_FILTER

__all__ = [
    "blank_places",
    "distant_classes",
    "frequent_classes",
    "grouped_classes",
    "merged_rows",
    "poor_classes",
    "small_classes",
    "uniform_classes",
]

_DIRECT = 2**17
"""Up to so many possible keys, a table of all of them is used in place of a hash table."""


def blank_places() -> IntArray:
    """Return the table that `grouped_classes` uses and leaves as it was."""
    return np.full(_DIRECT, -1, np.int32)


def grouped_classes(
    table: IntArray, rows: IntArray, strides: IntArray, size: int, inside: IntArray, sizes: IntArray, blank: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Group classes by their key Σ table[row][inside]·stride < size.

    Returns
    -------
    class_of, inside, sizes
        The group of each class, and of each group a bottom class inside it and its number of records.
    """
    class_of = np.empty(len(inside), np.int32)
    new_inside, new_sizes = np.empty(len(inside), np.int32), np.empty(len(inside), np.int64)
    if size <= _DIRECT:
        n = _group_directly(table, rows, strides, blank, inside, sizes, class_of, new_inside, new_sizes)
    else:
        slots = 1 << (2 * len(inside) - 1).bit_length()
        n = _group_by_hash(table, rows, strides, slots, inside, sizes, class_of, new_inside, new_sizes)
    return class_of, new_inside[:n].copy(), new_sizes[:n].copy()


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def _keys(table: IntArray, rows: IntArray, strides: IntArray, inside: IntArray) -> IntArray:
    keys = np.zeros(len(inside), np.int64)
    for j in range(len(rows)):
        row, stride = table[rows[j]], strides[j]
        for c in range(len(inside)):
            keys[c] += row[inside[c]] * stride
    return keys


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def _group_directly(
    table: IntArray,
    rows: IntArray,
    strides: IntArray,
    place: IntArray,
    inside: IntArray,
    sizes: IntArray,
    class_of: IntArray,
    new_inside: IntArray,
    new_sizes: IntArray,
) -> int:
    key_of = _keys(table, rows, strides, inside)
    n = 0
    for c in range(len(inside)):
        key = key_of[c]
        g = place[key]
        if g < 0:
            g = n
            place[key] = n
            new_inside[n] = inside[c]
            new_sizes[n] = 0
            n += 1
        new_sizes[g] += sizes[c]
        class_of[c] = g
    for c in range(len(inside)):
        place[key_of[c]] = -1
    return n


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def _group_by_hash(
    table: IntArray,
    rows: IntArray,
    strides: IntArray,
    slots: int,
    inside: IntArray,
    sizes: IntArray,
    class_of: IntArray,
    new_inside: IntArray,
    new_sizes: IntArray,
) -> int:
    """Open addressing; `slots` is a power of two and at least twice the number of classes."""
    place = np.full(slots, -1, np.int32)
    keys = np.empty(slots, np.int64)
    mask = np.int64(slots - 1)
    key_of = _keys(table, rows, strides, inside)
    n = 0
    for c in range(len(inside)):
        key = key_of[c]
        slot = ((key * np.int64(-7046029254386353131)) >> 24) & mask  # 2⁶⁴ / golden ratio
        while place[slot] >= 0 and keys[slot] != key:
            slot = (slot + 1) & mask
        g = place[slot]
        if g < 0:
            g = n
            place[slot] = n
            keys[slot] = key
            new_inside[n] = inside[c]
            new_sizes[n] = 0
            n += 1
        new_sizes[g] += sizes[c]
        class_of[c] = g
    return n


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def merged_rows(matrix: IntArray, class_of: IntArray, n: int) -> IntArray:
    """Return the sums of the rows of each group, shape (n, m)."""
    m = matrix.shape[1]
    merged = np.zeros((n, m), matrix.dtype)
    for c in range(len(class_of)):
        g = class_of[c]
        for v in range(m):
            merged[g, v] += matrix[c, v]
    return merged


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def small_classes(sizes: IntArray, k: int, bad: IntArray, records: int, limit: int) -> int:
    """k-anonymity: n_g < k."""
    for g in range(len(sizes)):
        if sizes[g] < k and bad[g] != 1:
            bad[g] = 1
            records += sizes[g]
            if records > limit:
                return records
    return records


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def poor_classes(matrix: IntArray, sizes: IntArray, l: int, bad: IntArray, records: int, limit: int) -> int:  # noqa: E741
    """Distinct ℓ-diversity: fewer than ℓ different values."""
    for g in range(len(sizes)):
        if bad[g] == 1:
            continue
        distinct = 0
        for v in range(matrix.shape[1]):
            distinct += matrix[g, v] > 0
        if distinct < l:
            bad[g] = 1
            records += sizes[g]
            if records > limit:
                return records
    return records


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def uniform_classes(
    matrix: IntArray,
    sizes: IntArray,
    logs: IntArray,
    l_numerator: int,
    l_denominator: int,
    bad: IntArray,
    records: int,
    limit: int,
) -> int:
    """Entropy ℓ-diversity, n·ln n − Σ c·ln c < n·ln ℓ; equal counts are decided on their number.

    ``logs[c]`` is c·ln c for small c. Undecided classes get the mark 2 and are not counted.
    """
    log_l = math.log(l_numerator / l_denominator)
    for g in range(len(sizes)):
        if bad[g] == 1:
            continue
        n, distinct, first, equal, inner = sizes[g], 0, np.int64(0), True, 0.0
        for v in range(matrix.shape[1]):
            c = np.int64(matrix[g, v])
            if c > 0:
                distinct += 1
                if first == 0:
                    first = c
                elif c != first:
                    equal = False
                inner += logs[c] if c < len(logs) else c * math.log(c)
        if equal:  # H = ln(number of values)
            violating = distinct * l_denominator < l_numerator
        else:
            outer = n * math.log(n)
            gap = outer - inner - n * log_l
            error = (distinct + 8) * LOG_FILTER * (2 * outer + n * (1 + abs(log_l)))
            if -error <= gap <= error:
                bad[g] = 2
                continue
            violating = gap < 0
        if violating:
            bad[g] = 1
            records += n
            if records > limit:
                return records
    return records


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def frequent_classes(
    matrix: IntArray,
    sizes: IntArray,
    l: int,  # noqa: E741
    c_numerator: int,
    c_denominator: int,
    bad: IntArray,
    records: int,
    limit: int,
) -> int:
    """Recursive (c,ℓ)-diversity: r₁ ≥ c·(r_ℓ + … + r_m), that is n minus the ℓ − 1 greatest counts."""
    top = np.empty(max(l - 1, 1), np.int64)
    for g in range(len(sizes)):
        if bad[g] == 1:
            continue
        top[:] = 0  # the greatest counts so far, falling
        for v in range(matrix.shape[1]):
            c = np.int64(matrix[g, v])
            if c > top[-1]:
                i = len(top) - 1
                while i > 0 and top[i - 1] < c:
                    top[i] = top[i - 1]
                    i -= 1
                top[i] = c
        tail = sizes[g]
        for i in range(l - 1):
            tail -= top[i]
        if top[0] * c_denominator >= c_numerator * tail:
            bad[g] = 1
            records += sizes[g]
            if records > limit:
                return records
    return records


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def distant_classes(
    matrix: IntArray,
    sizes: IntArray,
    order: IntArray,
    low: IntArray,
    high: IntArray,
    weights: IntArray,
    share: IntArray,
    total: int,
    per_record: int,
    t_denominator: int,
    bad: IntArray,
    records: int,
    limit: int,
) -> int:
    """t-closeness by the closed form over cuts: t_den·Σ_k w_k·|c(S_k)·N − C(S_k)·n| > t_num·N·D·n.

    ``share[k]`` is C(S_k), ``per_record`` is t_num·N·D.
    """
    m = matrix.shape[1]
    prefix = np.zeros(m + 1, np.int64)
    for g in range(len(sizes)):
        if bad[g] == 1:
            continue
        n = sizes[g]
        for place in range(m):
            prefix[place + 1] = prefix[place] + matrix[g, order[place]]
        work = np.int64(0)
        for k in range(len(low)):
            work += weights[k] * abs((prefix[high[k]] - prefix[low[k]]) * total - share[k] * n)
        if work * t_denominator > per_record * n:
            bad[g] = 1
            records += n
            if records > limit:
                return records
    return records
