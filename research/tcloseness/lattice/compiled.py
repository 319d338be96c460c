"""Roll-up and the exact decisions of the usual models as machine code. Importing this module loads numba."""

from __future__ import annotations

import math
from typing import TypeAlias

import numba
import numpy as np
import numpy.typing as npt

from tcloseness.exact import LOG_FILTER, IntArray

__all__ = [
    "add_along",
    "add_cells",
    "blank_places",
    "fewest_below",
    "greatest_gain",
    "greatest_gains",
    "grouped_classes",
    "merged_cells",
    "merged_rows",
    "violating_classes",
]

FloatArray: TypeAlias = npt.NDArray[np.float64]

_DIRECT = 2**17
"""Up to so many possible keys, a table of all of them is used in place of a hash table."""


def blank_places() -> IntArray:
    """Return the table that `grouped_classes` uses and leaves as it was."""
    return np.full(_DIRECT, -1, np.int32)


def grouped_classes(
    tables: tuple[IntArray, ...],
    node: IntArray,
    size: int,
    inside: IntArray,
    sizes: IntArray,
    blank: IntArray,
) -> tuple[IntArray, IntArray, IntArray]:
    """Group classes by their key < size at a node, as `LevelCodes.keys` makes it; `tables` are those of `LevelCodes`.

    Returns
    -------
    class_of, inside, sizes
        The group of each class, and of each group a bottom class inside it and its number of records.
    """
    class_of, inside, sizes = _grouped(tables, node, size <= _DIRECT, blank, inside, sizes)
    return class_of, inside, sizes


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def _keys(tables: tuple[IntArray, ...], node: IntArray, inside: IntArray) -> IntArray:
    codes, maps, starts, rows, radices = tables
    keys, parts = np.empty(len(inside), np.int64), np.empty(len(maps), np.int64)  # what each code adds to a key
    first, own = np.empty(len(node), np.uint64), np.empty(len(node), np.uint64)
    stride, at, asked = np.int64(1), 0, 0
    for a in range(len(node) - 1, -1, -1):
        row = rows[a] + node[a]
        if radices[row] > 1:  # all have the one label else
            first[asked], own[asked] = at, a
            asked += 1
            for place in range(starts[row], starts[row + 1]):
                parts[at] = maps[place] * stride
                at += 1
            stride *= radices[row]
    for c in range(len(inside)):
        key, mine = np.int64(0), np.uint64(inside[c])  # unsigned places need no look at negative ones
        for j in range(asked):
            key += parts[first[j] + np.uint64(codes[mine, own[j]])]
        keys[c] = key
    return keys


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def _slots(keys: IntArray) -> int:
    """Replace each key by its slot in a table of 2ⁱ slots with open addressing; return how many slots it has."""
    slots = 2
    while slots < 2 * len(keys):
        slots *= 2
    held, mask = np.full(slots, -1, np.int64), np.int64(slots - 1)
    for c in range(len(keys)):
        key = keys[c]
        slot = ((key * np.int64(-7046029254386353131)) >> 24) & mask  # 2⁶⁴ / golden ratio
        while held[slot] >= 0 and held[slot] != key:
            slot = (slot + 1) & mask
        held[slot], keys[c] = key, slot
    return slots


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def _grouped(
    tables: tuple[IntArray, ...],
    node: IntArray,
    direct: bool,
    blank: IntArray,
    inside: IntArray,
    sizes: IntArray,
) -> tuple[IntArray, IntArray, IntArray]:
    class_of, new_inside = np.empty(len(inside), np.int32), np.empty(len(inside), np.int32)
    new_sizes, slot_of = np.empty(len(inside), np.int64), _keys(tables, node, inside)
    place = blank if direct else np.full(_slots(slot_of), -1, np.int32)
    n = _group(slot_of, place, inside, sizes, class_of, new_inside, new_sizes)
    return class_of, new_inside[:n].copy(), new_sizes[:n].copy()


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def _group(
    slot_of: IntArray,
    place: IntArray,
    inside: IntArray,
    sizes: IntArray,
    class_of: IntArray,
    new_inside: IntArray,
    new_sizes: IntArray,
) -> int:
    """Number the groups of classes with one slot, and return how many there are; `place` is full of −1, and left so."""
    n = 0
    for c in range(len(slot_of)):
        slot = slot_of[c]
        g = place[slot]
        if g < 0:
            g = n
            place[slot] = n
            new_inside[n] = inside[c]
            new_sizes[n] = 0
            n += 1
        new_sizes[g] += sizes[c]
        class_of[c] = g
    for c in range(len(slot_of)):
        place[slot_of[c]] = -1
    return n


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def fewest_below(levels: IntArray, classes: IntArray, rows: int, node: IntArray) -> int:
    """Return which of the first `rows` nodes below a node has the fewest classes; −1 if none is below."""
    best = -1
    for i in range(rows):
        if best < 0 or classes[i] < classes[best]:
            below = True
            for a in range(len(node)):
                below &= levels[i, a] <= node[a]
            if below:
                best = i
    return best


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
def add_cells(merged: IntArray, class_of: IntArray, starts: IntArray, values: IntArray, counts: IntArray) -> None:
    """Add the cells of each class to the row of its group in `merged`."""
    for c in range(len(class_of)):
        row = merged[class_of[c]]
        for i in range(starts[c], starts[c + 1]):
            row[values[i]] += counts[i]


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def add_along(below: IntArray, above: IntArray) -> None:
    """Replace numbers of shape (outer, levels, inner) by their running sums over the levels, from both ends."""
    for o in range(below.shape[0]):
        for level in range(1, below.shape[1]):
            for i in range(below.shape[2]):
                below[o, level, i] += below[o, level - 1, i]
    for o in range(above.shape[0]):  # none, if only one end is asked for
        for level in range(above.shape[1] - 2, -1, -1):
            for i in range(above.shape[2]):
                above[o, level, i] += above[o, level + 1, i]


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def greatest_gain(
    chance: FloatArray,
    shape: IntArray,
    heights: IntArray,
    wanted: npt.NDArray[np.bool_],
    asked: npt.NDArray[np.bool_],
    ranks: IntArray,
    worst: int,
) -> int:
    """Return the place of the node that `Tags.next_node` asks next, in the same arithmetic as NumPy's.

    The answer "satisfied" settles all wanted nodes of greater ranks, up to `worst`; without ranks, the nodes above.
    """
    settled = np.zeros(worst + 2 if len(ranks) else 0, np.int64)  # of each rank
    if len(ranks):
        for i in range(len(wanted)):
            if wanted[i]:
                settled[ranks[i]] += 1
        more = np.int64(0)
        for rank in range(worst, -1, -1):
            settled[rank], more = more, more + settled[rank]
    below = wanted.astype(np.int32)
    above, inner = below[: 0 if len(ranks) else len(wanted)].copy(), len(wanted)
    for size in shape:
        inner //= size
        add_along(
            below.reshape(len(below) // (size * inner), size, inner),
            above.reshape(len(above) // (size * inner), size, inner),
        )
    best, place = -1.0, 0
    for i in range(len(asked)):
        if asked[i]:
            p = chance[heights[i]]
            gain = np.float64((np.float32(1) - p) * np.float32(below[i]))
            if len(ranks):
                gain += np.float64(p) * np.float64(settled[ranks[i]])
            else:
                gain = np.float64(p * np.float32(above[i]) + np.float32(gain))
            if gain > best:
                best, place = gain, i
    return place


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def greatest_gains(
    chance: FloatArray,
    heights: IntArray,
    above: IntArray,
    below: IntArray,
    asked: npt.NDArray[np.bool_],
    step: int,
) -> tuple[FloatArray, IntArray]:
    """Return the first greatest p·above + (1 − p)·below among each `step` nodes, and its place; −1 if none is asked.

    p is the chance of a node's height.
    """
    blocks = (len(asked) + step - 1) // step
    gains, places = np.full(blocks, -1.0), np.zeros(blocks, np.int64)
    for i in range(len(asked)):
        if asked[i]:
            p = np.float64(chance[heights[i]])
            gain = p * above[i] + (1 - p) * below[i]
            if gain > gains[i // step]:
                gains[i // step], places[i // step] = gain, i
    return gains, places


_FEW = 16
"""So many values are sorted by insertion; of more, all m are looked at."""


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def merged_cells(
    class_of: IntArray, n: int, m: int, starts: IntArray, values: IntArray, counts: IntArray
) -> tuple[IntArray, IntArray, IntArray]:
    """Return the cells of each group, values ascending."""
    begin = np.zeros(n + 1, np.int64)
    for c in range(len(class_of)):
        begin[class_of[c] + 1] += 1
    for g in range(n):
        begin[g + 1] += begin[g]
    member, free = np.empty(len(class_of), np.int32), begin.copy()
    for c in range(len(class_of)):
        member[free[class_of[c]]] = c
        free[class_of[c]] += 1
    total, met = np.zeros(m, np.int64), np.empty(m, np.int64)
    new_starts = np.zeros(n + 1, np.int64)
    new_values, new_counts = np.empty(len(values), np.int64), np.empty(len(values), np.int64)
    at = 0
    for g in range(n):
        different = 0
        for place in range(begin[g], begin[g + 1]):
            c = member[place]
            for i in range(starts[c], starts[c + 1]):
                v = values[i]
                if total[v] == 0:
                    met[different] = v
                    different += 1
                total[v] += counts[i]
        if different > _FEW:
            different = 0
            for v in range(m):
                if total[v] > 0:
                    met[different] = v
                    different += 1
        else:
            for i in range(1, different):
                v, j = met[i], i
                while j > 0 and met[j - 1] > v:
                    met[j] = met[j - 1]
                    j -= 1
                met[j] = v
        for i in range(different):
            v = met[i]
            new_values[at], new_counts[at] = v, total[v]
            total[v] = 0
            at += 1
        new_starts[g + 1] = at
    return new_starts, new_values[:at].copy(), new_counts[:at].copy()


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def violating_classes(
    matrix: IntArray,
    sizes: IntArray,
    bad: IntArray,
    records: int,
    limit: int,
    distinct: int,
    entropy_numerator: int,
    entropy_denominator: int,
    logs: FloatArray,
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
    """Mark in `bad` the classes that break a threshold: 1 if they do, 2 if only exact numbers decide (entropy).

    Classes that are marked with 1 already are passed over; `records` is how many records they hold. What is asked
    is in the order of `CountThresholds` and `CloseThreshold`. All arithmetic is in whole numbers below 2⁶³, as
    whoever made the thresholds has checked, except for entropies, where a double decides only what its error bound
    allows.

    Returns
    -------
    int
        How many records are in the classes that are marked with 1. It stops once they are more than `limit`.
    """
    log_l = math.log(entropy_numerator / entropy_denominator) if entropy_numerator else 0.0
    greatest = np.empty(l - 1, np.int64)
    prefix = np.zeros(matrix.shape[1] + 1, np.int64)
    for g in range(len(sizes)):
        if bad[g] == 1:
            continue
        row, n, mark = matrix[g], sizes[g], 0
        values, others = _counted(row, greatest)
        if entropy_numerator:
            equal, inner = _logarithms(row, logs)
            if equal:  # its entropy is ln of the number of values
                mark = 1 if values * entropy_denominator < entropy_numerator else 0
            else:
                mark = _below(log_l, n, inner, values)
        if values < distinct or (l > 1 and greatest[0] * c_denominator >= c_numerator * others):
            mark = 1
        if mark != 1 and len(low):
            work = _work(row, n, order, low, high, weights, share, all_records, prefix)
            if work * t_denominator > per_record * n:
                mark = 1
        bad[g] = mark
        if mark == 1:
            records += n
            if records > limit:
                return records
    return records


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def _counted(row: IntArray, greatest: IntArray) -> tuple[int, np.int64]:
    """Fill `greatest` with the greatest counts, falling; return how many are positive, and the sum of the others."""
    values, others = 0, np.int64(0)
    greatest[:] = 0
    for v in range(len(row)):
        c = np.int64(row[v])
        if c > 0:
            values += 1
            for i in range(len(greatest)):
                other = greatest[i]
                if c > other:
                    greatest[i] = c
                    c = other
            others += c
    return values, others


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def _logarithms(row: IntArray, logs: FloatArray) -> tuple[bool, float]:
    """Return whether the positive counts are equal, and Σ c·ln c."""
    first, equal, inner = np.int64(0), True, 0.0
    for v in range(len(row)):
        c = np.int64(row[v])
        if c > 0:
            inner += logs[c] if c < len(logs) else c * math.log(c)
            if first == 0:
                first = c
            elif c != first:
                equal = False
    return equal, inner


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def _below(log_l: float, n: int, inner: float, distinct: int) -> int:
    """Say whether n·ln n − Σ c·ln c < n·ln ℓ: 0 no, 1 yes, 2 if the difference is within its error bound."""
    outer = n * math.log(n)
    gap = outer - inner - n * log_l
    error = (distinct + 8) * LOG_FILTER * (2 * outer + n * (1 + abs(log_l)))
    if -error <= gap <= error:
        return 2
    return 1 if gap < 0 else 0


@numba.njit(cache=True)  # type: ignore[untyped-decorator]
def _work(
    row: IntArray,
    n: int,
    order: IntArray,
    low: IntArray,
    high: IntArray,
    weights: IntArray,
    share: IntArray,
    all_records: int,
    prefix: IntArray,
) -> np.int64:
    """Return Σ_k w_k·|c(S_k)·N − C(S_k)·n|; `prefix` is room for m + 1 numbers, the first of them 0."""
    for place in range(len(row)):
        prefix[place + 1] = prefix[place] + row[order[place]]
    work = np.int64(0)
    for k in range(len(low)):
        work += weights[k] * abs((prefix[high[k]] - prefix[low[k]]) * all_records - share[k] * n)
    return work
