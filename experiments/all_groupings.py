"""What the experiments of the two papers give under *every* grouping that the papers may have used, not a few presets.

Li et al. 2007, §6, divides the 14 occupations into three groups and does not say which. Where its groups matter, for
the hierarchical distance and for the similarity attack, all divisions can be tried: 126,126 into 5, 5 and 4
occupations, and all into three groups that hold about a third of the records each. Machanavajjhala et al. 2006,
Figure 7, uses a taxonomy of marital status with one level between the values and nothing: there are 875.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import combinations, product
from math import ceil, floor
from typing import TypeVar

import numpy as np
import numpy.typing as npt

from experiments import adult
from experiments.adult_hierarchies import AGES
from experiments.adult_lattices import rolled
from tcloseness.errors import StudyError
from tcloseness.exact import as_fraction
from tcloseness.lattice import Node, minimal_generalizations
from tcloseness.loss import Discernibility
from tcloseness.microdata import ClassCounts, Hierarchy
from tcloseness.models import KAnonymity

__all__ = [
    "FACTORS",
    "SHARES",
    "Taxonomy",
    "balanced",
    "cheap_and_close",
    "close_under",
    "five_five_four",
    "least_heights",
    "most_revealed",
    "partitions",
    "records_below",
    "subset_sums",
    "taxonomies",
    "three_groups",
    "value_sets",
]

Value = TypeVar("Value")

OCCUPATIONS = 14
K, T = 5, Fraction(1, 5)
FACTORS = (Fraction(5, 4), Fraction(2))
"""How many times the best discernibility of k-anonymity alone a table may have."""

SHARES = (Fraction(1, 4), Fraction(21, 50))
"""What is read as *roughly equal-size*, by records: a group holds a quarter to 42 % of them."""

Groups = npt.NDArray[np.int64]
"""Groupings, a row each, by the sets of value codes in each group: the bit of each value that is in it."""


# ---------------------------------------------------------------------- groupings


def partitions(items: Sequence[tuple[Value, ...]]) -> Iterator[tuple[tuple[Value, ...], ...]]:
    """Iterate over all ways to group items, each group the values of its items.

    >>> list(partitions([("a",), ("b", "c")]))
    [(('a', 'b', 'c'),), (('b', 'c'), ('a',))]
    """
    if not items:
        yield ()
        return
    first, rest = tuple(items[0]), items[1:]
    for found in partitions(rest):
        for i in range(len(found)):
            yield (*found[:i], (*first, *found[i]), *found[i + 1 :])
        yield (*found, first)


@cache
def five_five_four() -> Groups:
    """Return all divisions of 14 values into groups of 5, 5 and 4, shape (126126, 3)."""
    found = []
    for four in combinations(range(OCCUPATIONS), 4):
        first, *rest = [value for value in range(OCCUPATIONS) if value not in four]
        mask = sum(1 << value for value in four)
        for others in combinations(rest, 4):
            five = (1 << first) + sum(1 << value for value in others)
            found.append((five, 2**OCCUPATIONS - 1 - five - mask, mask))
    return np.array(found, dtype=np.int64)


def three_groups(values: int) -> Groups:
    """Return all divisions of so many values into three groups, shape (S(values, 3), 3); the first has value 0."""
    codes = np.arange(3 ** (values - 1), dtype=np.int64)
    masks = np.zeros((len(codes), 3), dtype=np.int64)
    masks[:, 0] = 1
    for value in range(1, values):
        codes, group = np.divmod(codes, 3)
        for place in range(3):
            masks[:, place] += (group == place) * (1 << value)
    lowest = masks & -masks
    return masks[(masks[:, 1] > 0) & (masks[:, 2] > 0) & (lowest[:, 1] < lowest[:, 2])]


def subset_sums(numbers: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return Σ of the numbers in each subset, by its mask, shape (2^m,)."""
    sums = np.zeros(1, dtype=np.int64)
    for number in numbers.tolist():
        sums = np.concatenate([sums, sums + number])
    return sums


def value_sets(classes: ClassCounts) -> npt.NDArray[np.int64]:
    """Return the set of codes of the values in each class, shape (number of classes,)."""
    sets: npt.NDArray[np.int64] = np.bitwise_or.reduceat(
        np.left_shift(1, classes.values.astype(np.int64)), classes.starts[:-1]
    )
    return sets


def records_below(classes: ClassCounts) -> npt.NDArray[np.int64]:
    """Return for each set of values how many records are in classes that have no other value, shape (2^m,)."""
    m = len(classes.domain)
    found = np.zeros(2**m, dtype=np.int64)
    np.add.at(found, value_sets(classes), classes.class_sizes)
    for value in range(m):
        pairs = found.reshape(-1, 2, 2**value)
        pairs[:, 1] += pairs[:, 0]
    return found


@cache
def balanced() -> Groups:
    """Return all divisions of the occupations into three groups that each hold `SHARES` of the 30,162 records."""
    table = rolled("T1")  # any preset: only the records count
    counts = table.classes(table.lattice.top).reference
    total = int(counts.sum())
    low, high = ceil(SHARES[0] * total), floor(SHARES[1] * total)
    sums = subset_sums(np.asarray(counts, dtype=np.int64))
    groups = three_groups(OCCUPATIONS)
    held = sums[groups]
    return groups[((held >= low) & (held <= high)).all(axis=1)]


# ---------------------------------------------------------------------- t-closeness at t = 0.2


def close_under(
    classes: ClassCounts, groups: Groups, alive: npt.NDArray[np.bool_], t: Fraction
) -> npt.NDArray[np.bool_]:
    """Say for which groupings a table is t-close under the hierarchical distance of occupation, group, everything.

    Its EMD is (Σ_i |p_i − q_i| + Σ_G |P(G) − Q(G)|)/4 (height 2), computed in whole numbers: n·N times the differences.
    Only groupings that are `alive` are asked; of the others the answer is False.
    """
    reference = np.asarray(classes.reference, dtype=np.int64)
    total = int(reference.sum())
    sizes = np.asarray(classes.class_sizes, dtype=np.int64)
    extras = classes.matrix.T * total - reference * sizes[:, None]
    apart = np.abs(extras).sum(axis=1)
    bound = np.array([int(4 * t * int(n) * total // 1) for n in sizes], dtype=np.int64)
    found = alive.copy()
    if (apart > bound).any():
        return np.zeros_like(alive)
    for i in np.argsort((apart - bound) / sizes)[::-1]:
        sums = np.abs(subset_sums(extras[i]))
        asked = np.flatnonzero(found)
        found[asked] = apart[i] + sums[groups[asked]].sum(axis=1) <= bound[i]
        if not found.any():
            break
    return found


def _cheap_nodes(preset: str, factor: Fraction) -> Iterator[tuple[Node, ClassCounts]]:
    """Yield the 5-anonymous tables whose discernibility is at most `factor` times the least.

    It never falls by generalizing, so they are reached from the minimal tables without leaving the limit.
    """
    table = rolled(preset)
    left = list(minimal_generalizations(table, KAnonymity(K)).minimal)
    best = min(_discernibility(table.classes(node)) for node in left)
    seen = set(left)
    while left:
        node = left.pop()
        classes = table.classes(node)
        if _discernibility(classes) > factor * best:
            continue
        yield node, classes
        for parent in table.lattice.parents(node):
            if parent not in seen:
                seen.add(parent)
                left.append(parent)


def _discernibility(classes: ClassCounts) -> Fraction:
    return as_fraction(Discernibility().evaluate(classes).value)


@cache
def cheap_and_close(preset: str, factor: Fraction) -> tuple[int, int]:
    """Return how many tables are 5-anonymous and cheap enough, and for how many groupings one of them is 0.2-close."""
    groups = five_five_four()
    reached = np.zeros(len(groups), dtype=bool)
    tables = 0
    for _, classes in _cheap_nodes(preset, factor):
        tables += 1
        reached |= close_under(classes, groups, ~reached, T)
    return tables, int(reached.sum())


# ---------------------------------------------------------------------- the similarity attack


def most_revealed(preset: str, nodes: Sequence[Node], groups: Groups) -> int:
    """Return the most records whose group of occupations some grouping reveals in some table of a preset."""
    return max(int(records_below(rolled(preset).classes(node))[groups].sum(axis=1).max()) for node in nodes)


# ---------------------------------------------------------------------- least heights under every taxonomy

Taxonomy = tuple[tuple[str, ...], ...]
"""The level of marital status between its values and nothing: groups of values."""

_HIGHEST = 4 + 1 + 1 + 2
"""The height of the table that suppresses age, sex, race and marital status."""


@cache
def taxonomies() -> tuple[Taxonomy, ...]:
    """Return all 875 groupings of the seven values but the values alone and one group (Bell number 877 less 2)."""
    return tuple(
        found for found in partitions([(status,) for status in _statuses()]) if 1 < len(found) < len(_statuses())
    )


@cache
def _statuses() -> tuple[str, ...]:
    return tuple(sorted(str(value) for value in adult.load("both-complete")["marital-status"].unique()))


_COLUMNS = ("sex", "race", "marital-status", "occupation")


@cache
def _by_marital_status(origin: int) -> dict[tuple[int, int, int], npt.NDArray[np.int64]]:
    """Return by the levels of age, sex and race the records of each class, marital status and occupation."""
    frame = adult.load("both-complete")
    ages = Hierarchy.intervals(AGES, (5, 10, 20), origin=origin, name="age")
    code = {name: np.unique(frame[name].to_numpy().astype(str), return_inverse=True)[1] for name in _COLUMNS}
    young = frame["age"].to_numpy().astype(np.int64) - min(AGES)
    found = {}
    for level in range(5):
        labels = np.unique([str(ages.label(a, level)) for a in AGES], return_inverse=True)[1]
        for s, r in product(range(2), range(2)):
            keys = 100 * labels[young] + (0 if s else 10 * code["sex"]) + (0 if r else code["race"])
            names, row = np.unique(keys, return_inverse=True)
            counts = np.zeros((len(names), len(_statuses()), OCCUPATIONS), dtype=np.int64)
            np.add.at(counts, (row, code["marital-status"], code["occupation"]), 1)
            found[level, s, r] = counts
    return found


def _satisfied(classes: npt.NDArray[np.int64], least: int) -> tuple[bool, bool, bool]:
    """Say whether a table is ℓ-anonymous, entropy ℓ-diverse and recursive (3,ℓ)-diverse.

    Raises
    ------
    StudyError
        Where an entropy is so near to log ℓ that doubles do not decide.
    """
    sizes = classes.sum(axis=1)
    if sizes.min() < least:
        return False, False, False
    if (classes > 0).sum(axis=1).min() < least:
        return True, False, False
    shares = classes / sizes[:, None]
    logs = np.log(shares, out=np.zeros_like(shares), where=classes > 0)
    margin = float((-(shares * logs).sum(axis=1)).min()) - float(np.log(least))
    if abs(margin) < 1e-9:
        raise StudyError(f"an entropy is within {margin:g} of log {least}; doubles do not decide it")
    ranked = -np.sort(-classes, axis=1)
    return True, margin > 0, bool((ranked[:, 0] < 3 * ranked[:, least - 1 :].sum(axis=1)).all())


@cache
def least_heights(origin: int, least: int) -> dict[Taxonomy, tuple[int, int, int]]:
    """Return under each taxonomy the least heights of ℓ-anonymous, entropy and recursive (3,ℓ)-diverse tables.

    Over age, sex, race and marital status of the 45,222 records; a table that suppresses everything satisfies all.

    Parameters
    ----------
    origin
        Where the intervals of age begin.
    """
    judged = {node: _by_group(counts, least) for node, counts in _by_marital_status(origin).items()}

    def heights(level: int, taxonomy: Taxonomy) -> list[int]:
        """The least heights with marital status on this level; each group must satisfy the criterion by itself."""
        return [
            min(
                (sum(node) + level for node, groups in judged.items() if all(groups[g][i] for g in taxonomy)),
                default=_HIGHEST,
            )
            for i in range(3)
        ]

    free = [heights(0, tuple((value,) for value in _statuses())), heights(2, (_statuses(),))]
    found = {}
    for taxonomy in taxonomies():
        one, other, third = (min(at) for at in zip(*free, heights(1, taxonomy), strict=True))
        found[taxonomy] = (one, other, third)
    return found


def _by_group(counts: npt.NDArray[np.int64], least: int) -> dict[tuple[str, ...], tuple[bool, bool, bool]]:
    """Say of each group of marital statuses whether the classes that it makes satisfy the three criteria."""
    found = {}
    for size in range(1, len(_statuses()) + 1):
        for group in combinations(range(len(_statuses())), size):
            classes = counts[:, group, :].sum(axis=1)
            found[tuple(_statuses()[i] for i in group)] = _satisfied(classes[classes.any(axis=1)], least)
    return found
