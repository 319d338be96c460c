"""The closed form and the network simplex as machine code. Importing this module loads numba."""

from __future__ import annotations

import numba
import numpy as np

from tcloseness.exact import IntArray
from tcloseness.ground import Cuts
from tcloseness.transport import network_simplex, virtual_tree

__all__ = ["class_flows", "dense_work", "is_optimal", "solve_transportation", "sparse_work", "ways_up"]

sparse_work = numba.njit(cache=True)(virtual_tree.sparse_work)
"""`virtual_tree.sparse_work` on int64 arrays."""

ways_up = numba.njit(cache=True)(virtual_tree.ways_up)
"""`virtual_tree.ways_up` on int64 arrays."""

solve_transportation = numba.njit(cache=True)(network_simplex.solve_transportation)
"""`network_simplex.solve_transportation` on int64 arrays."""

is_optimal = numba.njit(cache=True)(network_simplex.is_optimal)
"""`network_simplex.is_optimal` on int64 arrays."""

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


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def class_flows(
    starts: IntArray,
    values: IntArray,
    counts: IntArray,
    sizes: IntArray,
    reference: IntArray,
    distances: IntArray,
    metric: bool,
    tree: IntArray,
    work: IntArray,
) -> int:
    """Solve a transportation problem for each class of sparse counts; return the first class without a proof, or −1.

    From c·N to C·n; under a metric, what both have stays where it is. Where only one value must give or take, there is
    one flow, and it needs no proof.

    Parameters
    ----------
    starts, values, counts, sizes
        The class counts: shape (classes + 1,), twice (cells,), and (classes,).
    reference
        Shape (m,): the counts of the whole table.
    distances
        Shape (m, m): the ground distance in whole numbers.
    tree
        Shape (TREE_ROWS + 1, 2·m + 1), whatever is in it.
    work
        Shape (classes,): where the work is written.
    """
    m = len(reference)
    total = reference.sum()
    costs = np.empty(m * m, np.int64)
    supply, demand = np.empty(m, np.int64), np.empty(m, np.int64)
    giving, taking = np.empty(m, np.int64), np.empty(m, np.int64)
    own = np.zeros(m, np.int64)
    for g in range(len(sizes)):
        n = sizes[g]
        for cell in range(starts[g], starts[g + 1]):
            own[values[cell]] = counts[cell] * total
        sources = sinks = np.int64(0)  # a plain 0 would be compiled by itself
        for v in range(m):
            needed = reference[v] * n
            stays = min(own[v], needed) if metric else 0
            if own[v] > stays:
                giving[sources], supply[sources] = v, own[v] - stays
                sources += 1
            if needed > stays:
                taking[sinks], demand[sinks] = v, needed - stays
                sinks += 1
            own[v] = 0
        work[g] = 0
        if sources == 0:
            continue
        for a in range(sources):
            for b in range(sinks):
                costs[a * sinks + b] = distances[giving[a], taking[b]]
        if sources == 1:
            for b in range(sinks):
                work[g] += demand[b] * costs[b]
            continue
        if sinks == 1:
            for a in range(sources):
                work[g] += supply[a] * costs[a]
            continue
        solve_transportation(costs, supply, demand, sources, sinks, tree[:-1])
        if not is_optimal(costs, supply, demand, sources, sinks, tree[:-1], tree[-1]):
            return g
        for v in range(sources + sinks):
            if tree[3, v]:
                work[g] += tree[3, v] * costs[tree[1, v]]
    return -1
