"""Every way to draw, in place of a secret one: exact distributions of what a method makes, over all its draws."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from fractions import Fraction
from itertools import permutations, product
from math import factorial, prod
from typing import Any

import numpy as np
import pytest

from tcloseness.microdata import Microdata
from tcloseness.release.draws import Draws

__all__ = ["arrangements", "distribution", "drawing", "in_order", "release_of", "tie_orders", "worlds"]


@contextmanager
def drawing(named: Mapping[str, Sequence[int]]) -> Iterator[None]:
    """Draw these permutations; whatever has no name here is not permuted."""

    def permutation(_: Draws, things: int, name: str) -> np.ndarray[Any, Any]:
        given = np.array(named.get(name, range(things)), dtype=np.int64)
        assert sorted(given) == list(range(things))
        return given

    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(Draws, "permutation", permutation)
        yield


def in_order(table: Microdata) -> dict[str, list[int]]:
    """The draws by which records of a value go by quasi-identifiers, and equal ones by their row."""
    columns = [column.codes for column in (*table.quasi_identifiers, *table.sensitive)]
    return {"order of equal records": np.lexsort(columns[::-1]).tolist()}


def tie_orders(table: Microdata) -> Iterator[dict[str, list[int]]]:
    """Every order of the records with equal quasi-identifiers, once: all are equally probable."""
    rows = sorted(zip(*(column.codes.tolist() for column in table.quasi_identifiers), strict=True))
    groups, start = [], 0
    for key in sorted(set(rows)):
        size = rows.count(key)
        groups.append(range(start, start + size))
        start += size
    for each in product(*(permutations(group) for group in groups)):
        yield {"order of equal records": [place for group in each for place in group]}


def distribution(
    make: Callable[[], Hashable], draws: Sequence[Mapping[str, Sequence[int]]]
) -> dict[Hashable, Fraction]:
    """Return the probability of everything that is made, over equally probable draws."""
    found: Counter[Hashable] = Counter()
    for draw in draws:
        with drawing(draw):
            found[make()] += 1
    return {made: Fraction(times, len(draws)) for made, times in found.items()}


def release_of(class_of: np.ndarray[Any, Any]) -> frozenset[frozenset[int]]:
    """The classes as sets of persons, the suppressed ones last of all."""
    numbers = class_of.tolist()
    return frozenset(
        frozenset(i for i, mine in enumerate(numbers) if mine == number) | ({-1} if number < 0 else set())
        for number in set(numbers)
    )


def arrangements(values: Sequence[Any]) -> set[tuple[Any, ...]]:
    """Every different order of some values."""
    found = set(permutations(values))
    assert len(found) == factorial(len(values)) // prod(factorial(times) for times in Counter(values).values())
    return found


def worlds(release: frozenset[frozenset[int]], secret: Sequence[Any]) -> Iterator[tuple[Any, ...]]:
    """Every way to hand each class's sensitive values to its members: what fits for a reader without the code."""
    classes = [sorted(group - {-1}) for group in release]
    for handed in product(*(sorted(arrangements([secret[i] for i in group])) for group in classes)):
        world: dict[int, Any] = {}
        for group, values in zip(classes, handed, strict=True):
            world.update(zip(group, values, strict=True))
        yield tuple(world[i] for i in range(len(secret)))
