"""The batched closed form as machine code. Importing this module loads numba; nothing else in the package does."""

from __future__ import annotations

import numba
import numpy as np

from tcloseness.exact import IntArray
from tcloseness.ground import Cuts
from tcloseness.transport import virtual_tree

__all__ = ["dense_work", "sparse_work", "ways_up"]

sparse_work = numba.njit(cache=True)(virtual_tree.sparse_work)
"""`virtual_tree.sparse_work` on int64 arrays."""

ways_up = numba.njit(cache=True)(virtual_tree.ways_up)
"""`virtual_tree.ways_up` on int64 arrays."""

_TILE = 512
"""Classes that are worked on together: their prefix sums of 14 values fit the second-level cache."""


def dense_work(matrix: IntArray, sizes: IntArray, reference: IntArray, cuts: Cuts) -> IntArray:
    """Return Σ_k w_k·|c_g(S_k)·N − C(S_k)·n_g| for each class of a dense matrix of shape (m, classes), int64."""
    work = np.empty(matrix.shape[1], dtype=np.int64)
    prefix = np.append([0], np.cumsum(reference[cuts.order]))
    total = int(prefix[-1])
    if (cuts.low == 0).all():
        _prefix_tiles(matrix, sizes, prefix[1:], total, cuts.order, cuts.high, cuts.weights, work)
    else:
        share = prefix[cuts.high] - prefix[cuts.low]
        _interval_tiles(matrix, sizes, share, total, cuts.order, cuts.low, cuts.high, cuts.weights, work)
    return work


@numba.njit(cache=True, error_model="numpy")  # type: ignore[untyped-decorator]
def _prefix_tiles(
    matrix: IntArray,
    sizes: IntArray,
    prefix: IntArray,
    total: int,
    order: IntArray,
    high: IntArray,
    weights: IntArray,
    work: IntArray,
) -> None:
    """Nested prefixes: one running sum a class."""
    running = np.empty(_TILE, np.int64)
    sums = np.empty(_TILE, np.int64)
    for begin in range(0, matrix.shape[1], _TILE):
        size = min(_TILE, matrix.shape[1] - begin)
        n = sizes[begin : begin + size]
        running[:] = 0
        sums[:] = 0
        place = 0
        for k in range(len(high)):
            while place < high[k] - 1:
                row = matrix[order[place], begin : begin + size]
                for x in range(size):
                    running[x] += row[x]
                place += 1
            row = matrix[order[place], begin : begin + size]
            share, weight = prefix[place], weights[k]
            place += 1
            if weight == 1:
                for x in range(size):
                    sum_x = running[x] + row[x]
                    running[x] = sum_x
                    sums[x] += abs(sum_x * total - share * n[x])
            else:
                for x in range(size):
                    sum_x = running[x] + row[x]
                    running[x] = sum_x
                    sums[x] += weight * abs(sum_x * total - share * n[x])
        work[begin : begin + size] = sums[:size]


@numba.njit(cache=True, error_model="numpy")  # type: ignore[untyped-decorator]
def _interval_tiles(
    matrix: IntArray,
    sizes: IntArray,
    share: IntArray,
    total: int,
    order: IntArray,
    low: IntArray,
    high: IntArray,
    weights: IntArray,
    work: IntArray,
) -> None:
    """Any laminar family: all prefix sums of a tile, then a difference of two of them for each set."""
    m = len(order)
    prefix = np.zeros((m + 1, _TILE), np.int64)
    sums = np.empty(_TILE, np.int64)
    for begin in range(0, matrix.shape[1], _TILE):
        size = min(_TILE, matrix.shape[1] - begin)
        n = sizes[begin : begin + size]
        for place in range(m):
            row = matrix[order[place], begin : begin + size]
            before, after = prefix[place], prefix[place + 1]
            for x in range(size):
                after[x] = before[x] + row[x]
        sums[:] = 0
        for k in range(len(low)):
            first, last, weight, part = prefix[low[k]], prefix[high[k]], weights[k], share[k]
            if weight == 1:
                for x in range(size):
                    sums[x] += abs((last[x] - first[x]) * total - part * n[x])
            else:
                for x in range(size):
                    sums[x] += weight * abs((last[x] - first[x]) * total - part * n[x])
        work[begin : begin + size] = sums[:size]
