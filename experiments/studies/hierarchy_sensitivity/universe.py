"""A universe of plausible Adult hierarchies, and how one is drawn from it.

The papers fix the numbers of levels and, for age, widths of 5, 10 and 20 years. What the levels in between group is
ours to imagine; the rules are:

- age: cells of 5, 10, 20 years that begin at any of 20 places;
- education: the grades in their order, cut at some of nine places (level 1: three to eight groups; level 2: two or
  three groups, each a union of those of level 1);
- marital status: couples stay together; a spouse who is absent is with the couples or not; everybody else in any way;
- race (three levels): White stays apart, the others in any way;
- work class: the self-employed stay together and so do the governments; these, Private and Without-pay in any way;
- country: the United States, the rest of the north, the south of the Americas, Europe, Asia and the ambiguous *South*,
  in any way.

Each choice is as likely as every other. That is a yardstick, not a belief about the authors.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations
from typing import TypeVar

import numpy as np

from experiments.adult_hierarchies import AGES, QUASI_IDENTIFIERS, preset
from experiments.all_groupings import partitions
from tcloseness.microdata import Hierarchy

__all__ = ["EDUCATIONS", "draw_five", "draw_seven", "education_levels", "universe_sizes"]

T = TypeVar("T")

Partition = tuple[tuple[str, ...], ...]
"""Groups of values."""

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
"""The grades in their order; a cut may stand between any two of these."""

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
def education_levels() -> tuple[tuple[Partition, Partition], ...]:
    """Return all pairs of nested levels of education."""
    places = range(1, len(EDUCATIONS))
    found = []
    for n in range(2, 8):
        for fine in combinations(places, n):
            for m in (1, 2):
                found += [(_cut(fine), _cut(coarse)) for coarse in combinations(fine, m) if m < n]
    return tuple(found)


def _cut(places: Sequence[int]) -> Partition:
    ends = [0, *places, len(EDUCATIONS)]
    return tuple(sum(EDUCATIONS[i:j], ()) for i, j in zip(ends, ends[1:], strict=False))


@cache
def _marital() -> tuple[Partition, ...]:
    apart = [(COUPLES, *rest) for rest in partitions([APART, *OTHERS])]
    together = [((*COUPLES, *APART), *rest) for rest in partitions(OTHERS)]
    return tuple(apart + together)


@cache
def _race() -> tuple[Partition, ...]:
    white, *others = ((str(value),) for value in preset("L1")["race"].values)
    return tuple((white, *rest) for rest in partitions(others) if len(rest) < len(others))


@cache
def _work() -> tuple[Partition, ...]:
    return tuple(found for found in partitions(WORK) if len(found) > 1)


@cache
def _country() -> tuple[Partition, ...]:
    us, abroad = _children("T2", "native-country")
    arx = [set(group) for group in _children("ARX+race", "native-country")]
    regions = [us, *(tuple(v for v in abroad if v in group) for group in arx)]
    return tuple(found for found in partitions(regions) if len(found) > 1)


def _children(name: str, attribute: str) -> list[tuple[str, ...]]:
    """The groups of level 1 of a preset's attribute."""
    groups: dict[object, list[str]] = {}
    for path in preset(name)[attribute].paths:
        groups.setdefault(path[1], []).append(str(path[0]))
    return [tuple(group) for group in groups.values()]


def universe_sizes() -> dict[str, int]:
    """Return how many hierarchies there are for each paper."""
    five = len(AGE_ORIGINS) * len(education_levels()) * len(_marital())
    return {"five": five, "seven": five * len(_race()) * len(_work()) * len(_country())}


def draw_five(rng: np.random.Generator) -> dict[str, Hierarchy]:
    """Draw hierarchies of the five quasi-identifiers of Machanavajjhala et al. 2006; race is raw or suppressed."""
    fixed = _fixed()
    return {
        "age": _age(_one(rng, AGE_ORIGINS)),
        "sex": fixed["sex"],
        "race": fixed["race"],
        "marital-status": _grouped("marital-status", _one(rng, _marital())),
        "education": _grouped("education", *_one(rng, education_levels())),
    }


def draw_seven(rng: np.random.Generator) -> dict[str, Hierarchy]:
    """Draw hierarchies of the seven quasi-identifiers of Li et al. 2007."""
    found = draw_five(rng) | {
        "race": _grouped("race", _one(rng, _race())),
        "workclass": _grouped("workclass", _one(rng, _work())),
        "native-country": _grouped("native-country", _one(rng, _country())),
    }
    return {name: found[name] for name in QUASI_IDENTIFIERS["T1"]}


def _one(rng: np.random.Generator, choices: Sequence[T]) -> T:
    return choices[int(rng.integers(len(choices)))]


@cache
def _age(origin: int) -> Hierarchy:
    return Hierarchy.intervals(AGES, AGE_WIDTHS, origin=origin, name="age")


@cache
def _fixed() -> dict[str, Hierarchy]:
    return preset("L1")


def _grouped(name: str, *levels: Partition) -> Hierarchy:
    """Build a hierarchy; a group of several values is called by its number."""
    texts = [{f"level {n}, group {i}": group for i, group in enumerate(level)} for n, level in enumerate(levels, 1)]
    return Hierarchy.from_groups(texts, name=name)
