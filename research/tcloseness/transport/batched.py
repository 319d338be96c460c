"""The EMD of all equivalence classes at once, exact, on the counts themselves.

p_i − q_i = (c_i·N − C_i·n) / (n·N), so the EMD of class g is a whole number over n_g·N·D: nothing is rounded, and an
overflow bound chooses int64 or Python ints before anything is computed. By the closed form where the ground distance
has cuts, else by the network simplex, with a proof for each class.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from math import gcd

import numpy as np

from tcloseness.errors import SolverError
from tcloseness.exact import INT64_MAX, IntArray, Rationals, fits_int64
from tcloseness.ground import Cuts, GroundDistance, distance_rows
from tcloseness.microdata import ClassCounts
from tcloseness.transport.closed_forms import cut_work
from tcloseness.transport.network_simplex import TREE_ROWS, potentials_fit
from tcloseness.transport.solve import emd
from tcloseness.transport.virtual_tree import Forest, sparse_work, ways_up

__all__ = ["class_emds", "solved_class_emds"]

_NUMPY_CELLS = 2**21
"""Up to so many cells of the dense matrix, NumPy is at most a few milliseconds slower than code that must be loaded."""

_INTERPRETED_DISTANCES = 1_000
"""Up to so many distances of all classes together are worked through in Python: machine code must be loaded."""

_UNHEARD_DISTANCES = 2**22
"""So many distances machine code works through at a time, in some tenths of a second: it hears no interrupt."""

_MOST_VALUES = 4096
"""Up to so many values all distances are laid out at once, in 128 MiB."""

_MOST_DIGITS = 64
"""So many times the closed form is computed on machine numbers, rather than once on Python ints."""

_WORD = 62
"""So many bits of a weight are a positive int64."""

_DENSE_VALUES = 256
"""Up to so many values, the dense form is used where it pays: its cost is classes × values."""

_DENSE_PLACES = 8
"""It pays up to so many places of the dense matrix a cell, or where the matrix is small."""


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
    # half the room of int64: the sparse form subtracts two sums of that size
    parts = _digits(cuts, INT64_MAX // (2 * n_reference * largest))
    works = _works(classes, [part for _, part in parts], n_reference)
    numerators = works[0] if len(parts) == 1 else _sum([factor for factor, _ in parts], works)
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
        fits = distances.dtype != object and fits_int64(total, largest, greatest)
        if fits and potentials_fit(greatest, 2 * m):
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
    distances, values = np.ascontiguousarray(distances), np.ascontiguousarray(classes.values)
    together = max(_UNHEARD_DISTANCES // ground.m**2, 1)
    for first in range(0, len(classes), together):  # between two calls an interrupt is heard
        part = slice(first, first + together)
        table = classes.starts[first : first + together + 1], values, classes.counts, sizes[part]
        unproved = class_flows(*table, classes.reference, distances, ground.metric, tree, work[part])
        if unproved >= 0:
            raise SolverError(
                f"the network simplex does not prove the EMD of class {first + unproved}; its answer is refused"
            )
    return Rationals(work, sizes * scale if fits_int64(int(sizes.max()), scale) else sizes.astype(object) * scale)


def _digits(cuts: Cuts, most: int) -> list[tuple[int, Cuts]]:
    """Return the family with the digits of its weights, by their factors; each sum of digits is at most so much.

    The closed form is a sum of the weights, each times something that depends on no weight; so it may be computed digit
    by digit. One family is left, on Python ints, where that takes too many.
    """
    if cuts.total_weight <= most:
        return [(1, cuts)]
    bits = (most // len(cuts) + 1).bit_length() - 1
    places = range(0, int(cuts.weights.max()).bit_length(), bits or 1)
    if not bits or len(places) > _MOST_DIGITS:
        return [(1, cuts.weighing(cuts.weights.astype(object)))]
    digits = []
    together = _WORD // bits * bits  # as many as one word holds are cut off at once: Python ints take long
    rest, word = cuts.weights, cuts.weights
    for place in places:
        if place % together == 0:
            word, rest = (rest & (1 << together) - 1).astype(np.int64), rest >> together
        digits.append((1 << place, cuts.weighing(word >> place % together & (1 << bits) - 1)))
    return digits


def _sum(factors: Sequence[int], works: Sequence[IntArray]) -> IntArray:
    return np.asarray(sum(work.astype(object) * factor for factor, work in zip(factors, works, strict=True)))


def _works(classes: ClassCounts, parts: Sequence[Cuts], n_reference: int) -> Sequence[IntArray]:
    """Return the work of each class, for each of several families that differ in their weights alone."""
    fits = parts[0].weights.dtype != object
    if not _is_dense(classes):
        some = classes.in_parts(len(classes.domain))  # each part prepares all values once more
        found = [_sparse_works(part, parts, n_reference, fits) for part in some]
        return found[0] if len(found) == 1 else list(map(np.concatenate, zip(*found, strict=True)))
    if fits and len(classes.domain) * len(classes) > _NUMPY_CELLS:
        from tcloseness.transport.compiled import dense_work

        return [dense_work(classes.matrix, classes.class_sizes, classes.reference, part) for part in parts]
    return [_dense(classes, part, n_reference, fits) for part in parts]


def _is_dense(classes: ClassCounts) -> bool:
    """Say whether the dense matrix is there, or is worth its memory."""
    m, places = len(classes.domain), len(classes.domain) * len(classes)
    most = max(_NUMPY_CELLS, _DENSE_PLACES * len(classes.counts))
    return classes.has_matrix or (m <= _DENSE_VALUES and places <= most)


def _sparse_works(classes: ClassCounts, parts: Sequence[Cuts], n_reference: int, fits: bool) -> Sequence[IntArray]:
    cuts = parts[0]
    if cuts.single:
        return [_singles(classes, part, n_reference, fits) for part in parts]
    if fits and not cuts.low.any():
        return _prefixes(classes, parts, n_reference)
    if cuts.layers:
        return _layered(classes, parts, n_reference, fits)
    return [_sparse(classes, part, n_reference, fits) for part in parts]


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


def _prefixes(classes: ClassCounts, parts: Sequence[Cuts], n_reference: int) -> list[IntArray]:
    """Return the work where each cut holds the one before, on int64, for families that differ in their weights alone.

    From one of a class's values to the next, its count below is one number f, and the table's count C rises: first
    C·n ≤ f·N and from the turn on C·n > f·N. Sums of w and w·C before each cut give both parts.
    """
    cuts, works = parts[0], []
    order = _order_of_cells(classes, cuts)
    first, sizes = classes.starts[:-1], classes.class_sizes
    n = sizes[classes.class_of_cell]
    so_far = np.cumsum(classes.counts[order])
    f = (so_far - np.append([0], so_far)[first][classes.class_of_cell]) * n_reference
    around = np.searchsorted(cuts.high, np.arange(len(cuts.order)), side="right")  # the first cut around each place
    begin = around[cuts.place[classes.values[order]]]

    def next_of(of_begin: IntArray, last: int) -> IntArray:
        of_end = np.append(of_begin[1:], [0])
        of_end[classes.starts[1:] - 1] = last
        return of_end

    count = np.cumsum(classes.reference[cuts.order])[cuts.high - 1]
    turn = np.clip(np.searchsorted(count, f // n, side="right"), begin, next_of(begin, len(cuts)))
    for weights in (part.weights for part in parts):
        summed = [np.append([0], np.cumsum(of_cuts)) for of_cuts in (weights, weights * count)]
        at_begin = [sums[begin] for sums in summed]
        weight, work = (  # of the cuts from the begin to the turn, less those from the turn to the end
            2 * sums[turn] - begun - next_of(begun, int(sums[-1])) for sums, begun in zip(summed, at_begin, strict=True)
        )
        works.append(np.add.reduceat(weight * f - work * n, first) + at_begin[1][first] * sizes)
    return works


def _order_of_cells(classes: ClassCounts, cuts: Cuts) -> IntArray | slice:
    """Return the cells by class and place."""
    places = cuts.place[classes.values]
    if fits_int64(len(classes), len(cuts.order)):
        key = classes.class_of_cell * len(cuts.order) + places
        return slice(None) if (key[1:] > key[:-1]).all() else np.argsort(key)
    return np.lexsort((places, classes.class_of_cell))


def _layered(classes: ClassCounts, parts: Sequence[Cuts], n_reference: int, fits: bool) -> list[IntArray]:
    """Return the work by layers of disjoint sets, for families that differ in their weights alone.

    A class has some sets of a layer, each with its |f·N − C·n|, and the others cost C·n.
    """
    cuts, dtype = parts[0], np.int64 if fits else object
    order, first = _order_of_cells(classes, cuts), classes.starts[:-1]
    places, owner = cuts.place[classes.values[order]], classes.class_of_cell[order]
    counts, sizes = classes.counts[order], classes.class_sizes.astype(dtype)
    up_to = np.append([0], np.cumsum(classes.reference[cuts.order]))
    works: list[IntArray] = [np.zeros(len(classes), dtype=dtype) for _ in parts]
    for layer in cuts.layers:
        low, high = cuts.low[layer], cuts.high[layer]
        share = np.append(up_to[high] - up_to[low], [0]).astype(dtype)
        last = np.zeros(len(up_to), dtype=np.int64)  # at each place, the set that begins last before it
        last[low] = 1
        last = np.cumsum(last) - 1
        last[(last < 0) | (np.arange(len(up_to)) >= high[last])] = len(layer)  # or none, of weight 0
        held = last[places]
        begin = np.flatnonzero((np.diff(held, prepend=-1) != 0) | (np.diff(owner, prepend=-1) != 0))
        found, g = held[begin], owner[begin]
        apart = abs(np.add.reduceat(counts, begin).astype(dtype) * n_reference - share[found] * sizes[g])
        of_class = np.searchsorted(begin, first)
        for work, part in zip(works, parts, strict=True):
            weight = np.append(part.weights[layer], [0]).astype(dtype)
            present = np.add.reduceat(weight[found] * share[found], of_class)
            work += np.add.reduceat(weight[found] * apart, of_class) + ((weight * share).sum() - present) * sizes
    return works


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
