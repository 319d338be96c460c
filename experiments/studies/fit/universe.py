"""The space of Adult hierarchies that is searched: what the papers fix, and every way to fill in the rest.

The papers fix the attributes, the numbers of levels and, for age, widths of 5, 10 and 20 years. What the levels in
between group is not published; the rules of this space are:

- age: cells of 5, 10, 20 years that begin at any of 20 places;
- education: the grades in their order, cut at some of nine places (level 1: three to eight groups; level 2: two or
  three groups, each a union of those of level 1);
- marital status: couples stay together; a spouse who is absent is with the couples or not; everybody else in any way;
- race: raw or suppressed in Machanavajjhala et al. 2006; with one level between in Li et al. 2007, in which White stays
  apart and the others are grouped in any way;
- sex: raw or suppressed;
- work class: the self-employed stay together and so do the governments; these, Private and Without-pay in any way;
- country: the United States, the rest of the north, the south of the Americas, Europe, Asia and the ambiguous *South*,
  in any way.

Each choice is as likely as every other. That is a yardstick, not a belief about the authors.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache
from itertools import combinations
from math import prod

import numpy as np

from experiments.adult_hierarchies import AGES, QUASI_IDENTIFIERS, preset
from experiments.all_groupings import partitions
from tcloseness.microdata import Hierarchy

__all__ = [
    "AGE_ORIGINS",
    "AGE_WIDTHS",
    "EDUCATIONS",
    "FREE",
    "Partition",
    "Place",
    "draw",
    "education_cuts",
    "hierarchies",
    "marital_levels",
    "outside",
    "place_of",
    "sizes",
    "total",
]

Partition = tuple[tuple[str, ...], ...]
"""Groups of values."""

Place = Mapping[str, int]
"""A point of the space: by attribute, the number of its choice."""

AGE_WIDTHS = (5, 10, 20)
AGE_ORIGINS = range(20)

EDUCATIONS: tuple[tuple[str, ...], ...] = (
    ("Preschool", "1st-4th"),
    ("5th-6th",),
    ("7th-8th",),
    ("9th", "10th", "11th", "12th"),
    ("HS-grad",),
    ("Some-college",),
    ("Assoc-voc", "Assoc-acdm"),
    ("Bachelors",),
    ("Masters", "Prof-school"),
    ("Doctorate",),
)
"""The grades in their order; a cut may be between any two of these."""

COUPLES = ("Married-civ-spouse", "Married-AF-spouse")
APART = ("Married-spouse-absent",)
OTHERS = (("Never-married",), ("Divorced",), ("Separated",), ("Widowed",))

WORK = (
    ("Private",),
    ("Self-emp-not-inc", "Self-emp-inc"),
    ("Federal-gov", "Local-gov", "State-gov"),
    ("Without-pay", "Never-worked"),
)


@cache
def education_cuts() -> tuple[tuple[tuple[int, ...], tuple[int, ...]], ...]:
    """Return all pairs of nested levels of education, each by the places where it is cut."""
    return tuple(
        (fine, coarse)
        for n in range(2, 8)
        for fine in combinations(range(1, len(EDUCATIONS)), n)
        for m in (1, 2)
        if m < n
        for coarse in combinations(fine, m)
    )


def _cut(places: Sequence[int]) -> Partition:
    ends = [0, *places, len(EDUCATIONS)]
    return tuple(sum(EDUCATIONS[i:j], ()) for i, j in zip(ends, ends[1:], strict=False))


@cache
def marital_levels() -> tuple[Partition, ...]:
    """Return all groupings of marital status."""
    apart = [(COUPLES, *rest) for rest in partitions([APART, *OTHERS])]
    together = [((*COUPLES, *APART), *rest) for rest in partitions(OTHERS)]
    return tuple(apart + together)


def _race() -> tuple[Partition, ...]:
    others = [(str(value),) for value in preset("L1")["race"].values if value != "White"]
    return tuple((("White",), *rest) for rest in partitions(others) if len(rest) < len(others))


def _work() -> tuple[Partition, ...]:
    return tuple(found for found in partitions(WORK) if len(found) > 1)


def _country() -> tuple[Partition, ...]:
    us, abroad = _between(preset("T2")["native-country"])[0]
    arx = [set(group) for group in _between(preset("ARX+race")["native-country"])[0]]
    regions = [us, *(tuple(v for v in abroad if v in group) for group in arx)]
    return tuple(found for found in partitions(regions) if len(found) > 1)


FREE = {
    "five": ("age", "marital-status", "education"),
    "seven": ("age", "marital-status", "education", "race", "workclass", "native-country"),
}
"""The attributes whose groups are not fixed, in the order in which they are drawn: of the five quasi-identifiers of
Machanavajjhala et al. 2006, and of the seven of Li et al. 2007."""

_PRESET = {"five": "L1", "seven": "T1"}
"""A preset of each paper; what has no choice is the same in all of them."""


@cache
def _choices(attribute: str) -> Sequence[tuple[Partition, ...]]:
    """Return all choices of the levels between the values and nothing; of age, the years at which intervals begin."""
    if attribute == "education":
        return [(_cut(fine), _cut(coarse)) for fine, coarse in education_cuts()]
    if attribute == "age":
        return [_between(_ages(origin)) for origin in AGE_ORIGINS]
    found: dict[str, Callable[[], tuple[Partition, ...]]] = {
        "marital-status": marital_levels,
        "race": _race,
        "workclass": _work,
        "native-country": _country,
    }
    return [(level,) for level in found[attribute]()]


def _ages(origin: int) -> Hierarchy:
    return Hierarchy.intervals(AGES, AGE_WIDTHS, origin=origin, name="age")


@cache
def _chosen(attribute: str, number: int) -> Hierarchy:
    """Build a hierarchy; a group of several values is called by its number."""
    if attribute == "age":
        return _ages(AGE_ORIGINS[number])
    levels = enumerate(_choices(attribute)[number], 1)
    texts = [{f"level {n}, group {i}": group for i, group in enumerate(level)} for n, level in levels]
    return Hierarchy.from_groups(texts, name=attribute)


def sizes(kind: str) -> tuple[int, ...]:
    """Return how many choices each free attribute has; their product is the size of the space."""
    return tuple(len(_choices(attribute)) for attribute in FREE[kind])


def total(kind: str) -> int:
    """Return how many points a space has."""
    return prod(sizes(kind))


def draw(kind: str, rng: np.random.Generator) -> dict[str, int]:
    """Draw a point of a space."""
    return {name: int(rng.integers(size)) for name, size in zip(FREE[kind], sizes(kind), strict=True)}


def hierarchies(kind: str, place: Place) -> dict[str, Hierarchy]:
    """Return the hierarchies of a point, in the order of the paper's quasi-identifiers."""
    fixed = _fixed(kind)
    return {key: _chosen(key, place[key]) if key in place else fixed[key] for key in QUASI_IDENTIFIERS[_PRESET[kind]]}


@cache
def _fixed(kind: str) -> Mapping[str, Hierarchy]:
    return preset(_PRESET[kind])


# ---------------------------------------------------------------------- presets in the space


def place_of(kind: str, name: str) -> dict[str, int]:
    """Return where a preset is in a space: the number of its choice, for each attribute that has one."""
    built = preset(name)
    found = {attribute: _numbers(attribute).get(_alike(_between(built[attribute]))) for attribute in FREE[kind]}
    return {attribute: number for attribute, number in found.items() if number is not None}


def outside(kind: str, name: str) -> tuple[str, ...]:
    """Return the attributes for which a preset has groups that the space does not."""
    inside = place_of(kind, name)
    return tuple(attribute for attribute in FREE[kind] if attribute not in inside)


@cache
def _numbers(attribute: str) -> dict[object, int]:
    return {_alike(levels): number for number, levels in enumerate(_choices(attribute))}


def _alike(levels: Sequence[Partition]) -> object:
    """Return what levels group, in whatever order."""
    return tuple(frozenset(frozenset(group) for group in level) for level in levels)


def _between(hierarchy: Hierarchy) -> tuple[Partition, ...]:
    """Return the levels of a hierarchy between its values and nothing."""
    found = []
    for level in range(1, hierarchy.height):
        groups: dict[object, list[str]] = {}
        for path in hierarchy.paths:
            groups.setdefault(path[level], []).append(str(path[0]))
        found.append(tuple(map(tuple, groups.values())))
    return tuple(found)
