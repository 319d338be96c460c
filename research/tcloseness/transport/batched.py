"""The EMD of all equivalence classes at once, exact, on the counts themselves.

p_i − q_i = (c_i·N − C_i·n) / (n·N), so the EMD of class g is a whole number over n_g·N·D: nothing is rounded, and an
overflow bound chooses int64 or Python ints before anything is computed. By the closed form where the ground distance
has cuts, else by the network simplex, with a proof for each class.
"""

from __future__ import annotations

from collections.abc import Callable
from math import gcd

import numpy as np

from tcloseness.errors import SolverError
from tcloseness.exact import IntArray, Rationals, fits_int64
from tcloseness.ground import Cuts, GroundDistance, distance_rows
from tcloseness.microdata import ClassCounts
from tcloseness.transport.closed_forms import cut_work
from tcloseness.transport.network_simplex import TREE_ROWS
from tcloseness.transport.solve import emd
from tcloseness.transport.virtual_tree import Forest, sparse_work, ways_up

__all__ = ["class_emds", "solved_class_emds"]

_NUMPY_CELLS = 2**21
"""Up to so many cells of the dense matrix, NumPy is at most a few milliseconds slower than code that must be loaded."""

_INTERPRETED_DISTANCES = 1_000
"""Up to so many distances of all classes together are worked through in Python: machine code must be loaded."""

_MOST_VALUES = 4096
"""Up to so many values all distances are laid out at once, in 128 MiB."""

_DENSE_VALUES = 256
"""Up to so many values, the dense form is used: its cost is classes × values."""


def class_emds(classes: ClassCounts, cuts: Cuts) -> Rationals:
    """Return the EMD between each class's distribution and the reference, exact.

    Σ_k w_k·|c_g(S_k)·N − C(S_k)·n_g| / (n_g·N·D) with the cuts' whole weights w_k over D.

    Parameters
    ----------
    classes
        The class counts.
    cuts
        The laminar cuts of the ground distance over the same domain.

    Notes
    -----
    Dense form (few values): O(classes·(m + K)). Sparse form (many values): O(cells·log K) after O(m + K) preparation,
    whatever the domain. Every partial sum is at most n·N·Σw, which decides the integer type.
    """
    n_reference = int(classes.reference.sum())
    largest = int(classes.class_sizes.max())
    # twice the bound: the sparse form subtracts two sums of that size
    fits = fits_int64(2, max(cuts.total_weight, 1), n_reference, largest)
    m, g = len(classes.domain), len(classes)
    if not (classes.has_matrix or m <= _DENSE_VALUES):
        if cuts.single:
            numerators = _singles(classes, cuts, n_reference, fits)
        else:
            numerators = (_prefixes if fits and not cuts.low.any() else _sparse)(classes, cuts, n_reference, fits)
    elif fits and m * g > _NUMPY_CELLS:
        from tcloseness.transport.compiled import dense_work

        numerators = dense_work(classes.matrix, classes.class_sizes, classes.reference, cuts)
    else:
        numerators = _dense(classes, cuts, n_reference, fits)
    scale = n_reference * cuts.denominator
    sizes = classes.class_sizes if fits_int64(largest, scale) else classes.class_sizes.astype(object)
    return Rationals(numerators, sizes * scale)


def solved_class_emds(classes: ClassCounts, ground: GroundDistance) -> Rationals:
    """Return the EMD between each class's distribution and the reference, by any ground distance.

    Raises
    ------
    SolverError
        If a flow that the network simplex finds is not proved by its potentials.
    """
    m, total, largest = ground.m, int(classes.reference.sum()), int(classes.class_sizes.max())
    if len(classes) * m * m > _INTERPRETED_DISTANCES and m <= _MOST_VALUES:
        distances = distance_rows(ground, range(m))
        greatest = int(distances.max())
        moves = fits_int64(total, largest, greatest) and fits_int64(4, greatest + 1, 2 * m + 2)
        if moves and distances.dtype != object:
            return _by_simplex(classes, ground, distances)
    reference = classes.reference.tolist()
    vectors = [tuple(count // gcd(*vector) for count in vector) for vector in map(classes.vector, range(len(classes)))]
    found = {vector: emd(list(vector), reference, ground, counts=True) for vector in dict.fromkeys(vectors)}
    values = [found[vector] for vector in vectors]
    return Rationals(
        np.array([value.numerator for value in values], dtype=object),
        np.array([value.denominator for value in values], dtype=object),
    )


def _by_simplex(classes: ClassCounts, ground: GroundDistance, distances: IntArray) -> Rationals:
    from tcloseness.transport.compiled import class_flows

    sizes, scale = classes.class_sizes, int(classes.reference.sum()) * ground.denominator
    work = np.empty(len(classes), dtype=np.int64)
    tree = np.empty((TREE_ROWS + 1, 2 * ground.m + 1), dtype=np.int64)
    table = classes.starts, classes.values, classes.counts, sizes, classes.reference
    unproved = class_flows(*table, np.ascontiguousarray(distances), ground.metric, tree, work)
    if unproved >= 0:
        raise SolverError(f"the network simplex does not prove the EMD of class {unproved}; its answer is refused")
    return Rationals(work, sizes * scale if fits_int64(int(sizes.max()), scale) else sizes.astype(object) * scale)


def _dense(classes: ClassCounts, cuts: Cuts, n_reference: int, fits: bool) -> IntArray:
    dtype = np.int64 if fits else object
    sizes = classes.class_sizes.astype(dtype)
    share = classes.reference.tolist()
    differences = [row.astype(dtype) * n_reference - share[code] * sizes for code, row in enumerate(classes.matrix)]
    return np.asarray(cut_work(differences, cuts))


def _singles(classes: ClassCounts, cuts: Cuts, n_reference: int, fits: bool) -> IntArray:
    """Return the work where every cut is one value: each value's own |c·N − C·n|, and C·n of the values that lack."""
    dtype = np.int64 if fits else object
    weight = np.zeros(len(classes.domain), dtype=dtype)
    weight[cuts.order[cuts.low]] = cuts.weights
    starts, sizes = classes.starts[:-1], classes.class_sizes.astype(dtype)
    of_cell, counts = classes.reference[classes.values].astype(dtype), classes.counts.astype(dtype)
    apart = weight[classes.values] * abs(counts * n_reference - of_cell * sizes[classes.class_of_cell])
    present = np.add.reduceat(weight[classes.values] * of_cell, starts)
    everything = (weight * classes.reference.astype(dtype)).sum()
    return np.asarray(np.add.reduceat(apart, starts) + (everything - present) * sizes)


def _prefixes(classes: ClassCounts, cuts: Cuts, n_reference: int, fits: bool) -> IntArray:
    """Return the work where each cut holds the one before, on int64.

    From one of a class's values to the next, its count below is one number f, and the table's count C rises: first
    C·n ≤ f·N and from the turn on C·n > f·N. Sums of w and w·C before each cut give both parts.
    """
    order = np.lexsort((cuts.place[classes.values], classes.class_of_cell))
    first, sizes = classes.starts[:-1], classes.class_sizes
    n = sizes[classes.class_of_cell]
    so_far = np.cumsum(classes.counts[order])
    f = (so_far - np.append([0], so_far)[first][classes.class_of_cell]) * n_reference
    around = np.searchsorted(cuts.high, np.arange(len(cuts.order)), side="right")  # the first cut around each place
    begin = around[cuts.place[classes.values[order]]]
    end = np.append(begin[1:], [0])
    end[classes.starts[1:] - 1] = len(cuts)
    count = np.cumsum(classes.reference[cuts.order])[cuts.high - 1]
    turn = np.clip(np.searchsorted(count, f // n, side="right"), begin, end)
    weight, work = (np.append([0], np.cumsum(part)) for part in (cuts.weights, cuts.weights * count))
    fewer = (weight[turn] - weight[begin]) * f - (work[turn] - work[begin]) * n
    more = (work[end] - work[turn]) * n - (weight[end] - weight[turn]) * f
    return np.asarray(np.add.reduceat(fewer + more, first) + work[begin[first]] * sizes)


def _sparse(classes: ClassCounts, cuts: Cuts, n_reference: int, fits: bool) -> IntArray:
    dtype = np.int64 if fits else object
    run: Callable[..., None] = sparse_work
    climb: Callable[..., None] = ways_up
    if fits:
        from tcloseness.transport import compiled

        run, climb = compiled.sparse_work, compiled.ways_up
    forest = Forest(cuts, classes.reference, dtype, climb)
    places = forest.place[classes.values]
    order = np.lexsort((places, classes.class_of_cell))
    work = np.zeros(len(classes), dtype=dtype)
    run(
        classes.starts,
        places[order],
        forest.home[classes.values][order],
        classes.counts[order].astype(dtype),
        classes.class_sizes.astype(dtype),
        n_reference,
        *forest.arrays,
        work,
    )
    return work
