"""The counts of Machanavajjhala et al. 2006 under every hierarchy of the space, not a sample: 8,707,320 of them.

Whether a table is 6-anonymous, and whether the homogeneity attack opens it, is decided class by class, and a class is a
cell of age, sex and race by a group of marital statuses by an interval of grades. So both are tabulated once for each
group and interval, joined over the groups and intervals of each level, and what is left for each of the hierarchies are
a few operations on bits: one for each node, as many for each of the four levels of education as the other attributes
have levels.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations, pairwise, product

import numpy as np
import numpy.typing as npt

from experiments import adult
from experiments.adult_hierarchies import AGES, preset
from experiments.studies.fit.universe import (
    AGE_ORIGINS,
    AGE_WIDTHS,
    EDUCATIONS,
    education_cuts,
    marital_levels,
)

__all__ = ["COLUMNS", "K", "every_count"]

K = 6

Bools = npt.NDArray[np.bool_]
Bits = npt.NDArray[np.uint64]
Codes = npt.NDArray[np.integer]

_SHAPE = (len(AGE_WIDTHS) + 2, 2, 2, 3)
"""The levels of age, sex, race and marital status: a node is one of these, with a level of education."""

_GRADES = tuple(grade for unit in EDUCATIONS for grade in unit)
_ENDS = tuple(np.cumsum([0, *(len(unit) for unit in EDUCATIONS)]).tolist())
"""Where a cut may be: the number of the grades before it."""

COLUMNS = ("minimal", "vulnerable, occupation", "vulnerable, class", "minimal, all records", "vulnerable, all records")
"""What is counted: of the complete records, and, for salary class, of all records."""


def _tabulated(rows: adult.Rows, sensitive: str) -> tuple[Codes, Codes]:
    """Return the records, and the set of sensitive values among them, by grade, age, sex, race and marital status."""
    frame = adult.load(rows)
    built = preset("L1")
    values = {name: list(built[name].values) for name in ("sex", "race", "marital-status")}
    orders: dict[str, list[object]] = {"education": list(_GRADES), "age": list(AGES), **values}
    code = tuple(np.array([order.index(value) for value in frame[name]]) for name, order in orders.items())
    kinds = np.unique(frame[sensitive].to_numpy().astype(str), return_inverse=True)[1]
    shape = tuple(map(len, orders.values()))
    records, present = np.zeros(shape, dtype=np.int32), np.zeros(shape, dtype=np.int32)
    np.add.at(records, code, 1)
    np.bitwise_or.at(present, code, np.left_shift(1, kinds).astype(np.int32))
    return records, present


def _age_levels(origin: int) -> list[tuple[int, int]]:
    """Return the five levels of age under an origin, each as a width and where its intervals begin."""
    return [(1, 0), *((width, origin % width) for width in AGE_WIDTHS), (1 + AGES[-1], 0)]


@cache
def _marital() -> tuple[list[tuple[int, ...]], list[list[int]]]:
    """Return the groups of marital statuses that occur, and for each level, raw and suppressed too, its groups."""
    values = [str(value) for value in preset("L1")["marital-status"].values]
    levels = [[(value,) for value in values], *marital_levels(), [tuple(values)]]
    groups = sorted({tuple(sorted(map(values.index, group))) for level in levels for group in level})
    number = {group: i for i, group in enumerate(groups)}
    return groups, [[number[tuple(sorted(map(values.index, group)))] for group in level] for level in levels]


@cache
def _education() -> tuple[list[tuple[int, int]], list[tuple[int, ...]], npt.NDArray[np.int64]]:
    """Return the intervals of grades, all sets of cuts between units, and the two sets of each hierarchy."""
    intervals = list(combinations(_ENDS, 2))
    cuts = sorted({cut for pair in education_cuts() for cut in pair})
    number = {cut: i for i, cut in enumerate(cuts)}
    return intervals, cuts, np.array([[number[cut] for cut in pair] for pair in education_cuts()])


def _united(found: Codes, join: np.ufunc, ages: Sequence[int], together: tuple[int, ...]) -> Codes:
    """Join what is in each class: an interval of age, sex, race, a group of marital statuses, a range of grades.

    Parameters
    ----------
    ages
        The ages at which intervals begin.
    together
        Which of the axes of sex and race are suppressed.

    Returns
    -------
    Shape (groups, ranges, cells).
    """
    cells = join.reduceat(found, ages, axis=1)
    for axis in together:
        cells = join.reduce(cells, axis=axis, keepdims=True)
    groups, _ = _marital()
    by_group = np.stack([join.reduce(cells[..., group], axis=-1) for group in groups]).reshape(
        len(groups), len(_GRADES), -1
    )
    return np.stack([join.reduce(by_group[:, begin:end], axis=1) for begin, end in _ranges()], axis=1)


def _ranges() -> list[tuple[int, int]]:
    """Return the intervals of grades, and after them the single grades."""
    return [*_education()[0], *((i, i + 1) for i in range(len(_GRADES)))]


def _on_levels(parts: Sequence[Bools], ages: int, *, every: bool) -> Bools:
    """Join what is known of groups × ranges to what is known of the levels of marital status × those of education.

    Shape (levels of age, 2, 2, groupings of marital status + 2, sets of cuts + 2): raw first, suppressed last.
    """
    join = np.all if every else np.any
    _, levels = _marital()
    intervals, cuts, _ = _education()
    number = {interval: i for i, interval in enumerate(intervals)}
    grades = list(range(len(intervals), len(intervals) + len(_GRADES)))
    ends = [[_ENDS[i] for i in (0, *cut, len(EDUCATIONS))] for cut in (*cuts, ())]
    educations = [grades, *([number[pair] for pair in pairwise(places)] for places in ends)]
    whole = np.stack(parts)
    whole = np.stack([join(whole[:, :, members], axis=2) for members in educations], axis=2)
    whole = np.stack([join(whole[:, members], axis=1) for members in levels], axis=1)
    return whole.reshape(ages, 2, 2, *whole.shape[1:])


def _decided(rows: adult.Rows, sensitive: str, ages: Sequence[tuple[int, int]]) -> tuple[Bools, Bools]:
    """Say of each node whether it is 6-anonymous, and whether a class has one sensitive value.

    A node is a level of age, sex, race, marital status and education, among all levels of the space; of age, the given.
    """
    records, present = _tabulated(rows, sensitive)
    large, alone = [], []
    for (width, begin), s, r in product(ages, range(2), range(2)):
        starts = [0, *(1 + np.flatnonzero(np.diff([(age - begin) // width for age in AGES]))).tolist()]
        together = (2,) * s + (3,) * r
        size = _united(records, np.add, starts, together)
        values = _united(present, np.bitwise_or, starts, together)
        large.append(((size == 0) | (size >= K)).all(axis=-1))
        alone.append(((size > 0) & (values & (values - 1) == 0)).any(axis=-1))
    return _on_levels(large, len(ages), every=True), _on_levels(alone, len(ages), every=False)


def _packed(nodes: Bools, ages: Sequence[int], marital: int) -> Bits:
    """Return for each level of education the bits of the nodes on levels of age and a grouping of marital status."""
    mine = nodes[ages][:, :, :, [0, 1 + marital, -1]].reshape(-1, nodes.shape[-1])
    weights = np.left_shift(np.uint64(1), np.arange(len(mine), dtype=np.uint64))
    packed: Bits = (mine * weights[:, None]).sum(axis=0, dtype=np.uint64)
    return packed


def _generalized(satisfying: Bits) -> Bits:
    """Return the bits of the nodes that have a child among the given ones, education apart."""
    found = np.zeros_like(satisfying)
    number = np.arange(int(np.prod(_SHAPE))).reshape(_SHAPE)
    for axis in range(len(_SHAPE)):
        step = int(np.prod(_SHAPE[axis + 1 :]))
        below = number.take(range(_SHAPE[axis] - 1), axis=axis).ravel().tolist()
        mask = np.uint64(sum(1 << bit for bit in below))
        found |= (satisfying & mask) << np.uint64(step)
    return found


def _counted(satisfying: Bits, opened: Sequence[Bits]) -> list[npt.NDArray[np.uint8]]:
    """Return how many nodes are minimal, and how many of these are open, for each pair of levels of education."""
    _, _, pairs = _education()
    lowest = satisfying & ~_generalized(satisfying)
    levels = (np.zeros(len(pairs), dtype=np.int64), *(1 + pairs.T), np.full(len(pairs), len(satisfying) - 1))
    found = [np.zeros(len(pairs), dtype=np.uint8) for _ in (satisfying, *opened)]
    below: Bits = np.zeros(len(pairs), dtype=np.uint64)
    for level in levels:
        minimal = lowest[level] & ~below
        for counts, bits in zip(found, (None, *opened), strict=True):
            counts += np.bitwise_count(minimal if bits is None else minimal & bits[level])
        below = satisfying[level]
    return found


def every_count(origins: Sequence[int] = AGE_ORIGINS) -> dict[str, npt.NDArray[np.uint8]]:
    """Return `COLUMNS` under every hierarchy: arrays over the choices of age, marital status and education.

    Over age, sex, race, marital status and education; *minimal* are the 6-anonymous nodes none of whose direct
    specializations is, *vulnerable* those of them with a class of one sensitive value.

    Parameters
    ----------
    origins
        The years at which the intervals of age begin; all by default.
    """
    ages = sorted({level for origin in origins for level in _age_levels(origin)})
    complete, occupation = _decided("both-complete", "occupation", ages)
    _, salary = _decided("both-complete", "class", ages)
    every, salary_of_all = _decided("both-raw", "class", ages)
    shape = (len(origins), len(marital_levels()), len(education_cuts()))
    found = {column: np.zeros(shape, dtype=np.uint8) for column in COLUMNS}
    for i, j in product(range(shape[0]), range(shape[1])):
        mine = [ages.index(level) for level in _age_levels(origins[i])]
        bits = [_packed(nodes, mine, j) for nodes in (complete, occupation, salary, every, salary_of_all)]
        for column, values in zip(COLUMNS, _counted(bits[0], bits[1:3]) + _counted(bits[3], bits[4:]), strict=True):
            found[column][i, j] = values
    return found
