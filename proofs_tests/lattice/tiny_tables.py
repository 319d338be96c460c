"""Thousands of seeded tables of a few records under lattices of a few nodes, and an oracle in plain Python for them.

The tables are made so that a suppression limit binds: classes are small and skewed, some break a model and some do not,
and their unions may do either. The oracle groups the rows by their labels itself and asks a model about class counts
made from that; it knows no roll-up, no compiled code, no lattice and no search.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache, cached_property
from itertools import product
from random import Random
from typing import Any, TypeAlias

import numpy as np
import pytest

from tcloseness.lattice import Node, RollUp
from tcloseness.microdata import ClassCounts, Domain, FrequencySet, Hierarchy
from tcloseness.models.conditions import parts_of

__all__ = ["SHAPES", "VALUES", "Tiny", "judged", "judging_by_class", "tables", "violating"]

VALUES = 3
"""The sensitive values are 0, 1, 2; every table has the first two, which some models name."""

Vectors: TypeAlias = tuple[tuple[int, ...], ...]
"""The counts of the values in each class, the classes in any fixed order."""

PAIRS = (("p", "l", "*"), ("q", "l", "*"), ("r", "h", "*"), ("s", "h", "*"))
THREE = (("p", "*"), ("q", "*"), ("r", "*"))
TWO = (("p", "*"), ("q", "*"))
STEPS = (("p", "p", "pq", "*"), ("q", "q", "pq", "*"), ("r", "rs", "rs", "*"), ("s", "rs", "rs", "*"))

SHAPES = {
    "one attribute of three levels": (PAIRS,),
    "one attribute of four levels": (STEPS,),
    "two attributes of two levels": (THREE, TWO),
    "two attributes of three and two levels": (PAIRS, TWO),
    "three attributes of two levels": (TWO, TWO, TWO),
}


@dataclass(frozen=True)
class Tiny:
    """A table: for each row the places of its values in the trees of the quasi-identifiers, and its sensitive value."""

    trees: tuple[tuple[tuple[str, ...], ...], ...]
    rows: tuple[tuple[int, ...], ...]

    @property
    def steps(self) -> tuple[tuple[Node, Node], ...]:
        """Every node with each of its direct generalizations."""
        return _steps(tuple(len(tree[0]) for tree in self.trees))

    @property
    def nodes(self) -> Iterator[Node]:
        return product(*(range(len(tree[0])) for tree in self.trees))

    @cached_property
    def by_node(self) -> dict[Node, Vectors]:
        """The class counts of each node, by the labels of the rows alone."""
        return {node: self._classes(node) for node in self.nodes}

    def _classes(self, node: Node) -> Vectors:
        found: dict[tuple[str, ...], list[int]] = {}
        for *places, value in self.rows:
            label = tuple(tree[x][level] for tree, x, level in zip(self.trees, places, node, strict=True))
            found.setdefault(label, [0] * VALUES)[value] += 1
        return tuple(sorted(map(tuple, found.values())))

    def satisfying(self, model: Any, limit: int) -> set[Node]:
        """Which nodes satisfy a model when at most so many records may be suppressed."""
        return {node for node, vectors in self.by_node.items() if judged(model, vectors, limit)}

    @property
    def hierarchies(self) -> dict[str, Hierarchy]:
        return {f"a{i}": hierarchy(tree, f"a{i}") for i, tree in enumerate(self.trees)}

    @cached_property
    def frequencies(self) -> FrequencySet:
        distinct = sorted(set(self.rows))
        domains = {f"a{i}": Domain.declare(labels[0] for labels in tree) for i, tree in enumerate(self.trees)}
        return FrequencySet(
            tuple(domains),
            ("s",),
            {**domains, "s": _DOMAIN},
            dict(zip((*domains, "s"), np.array(distinct).T, strict=True)),
            np.array([self.rows.count(row) for row in distinct]),
            np.zeros(len(distinct), dtype=bool),
        )

    def rolled(self, *, compiled: bool) -> RollUp:
        return RollUp(self.frequencies, self.hierarchies, compiled=compiled)


@cache
def _steps(shape: tuple[int, ...]) -> tuple[tuple[Node, Node], ...]:
    nodes = set(product(*map(range, shape)))
    above = [(node, (*node[:i], node[i] + 1, *node[i + 1 :])) for node in sorted(nodes) for i in range(len(shape))]
    return tuple((node, parent) for node, parent in above if parent in nodes)


@cache
def hierarchy(tree: tuple[tuple[str, ...], ...], name: str) -> Hierarchy:
    return Hierarchy(tree, name=name)


def tables(count: int, seed: int) -> Iterator[Tiny]:
    """Seeded tables of all shapes in turn: each has the values of one of a few distributions, dealt out to its classes.

    Some classes are dealt to more often than others, so that sizes differ.
    """
    draw, shapes = Random(seed), tuple(SHAPES.values())
    for number in range(count):
        trees = shapes[number % len(shapes)]
        cells = list(product(*(range(len(tree)) for tree in trees)))
        chosen = draw.sample(cells, draw.randrange(2, min(len(cells), 5) + 1))
        often = [draw.choice([1, 2, 5]) for _ in chosen]
        values = [value for value, times in enumerate(draw.choice(DISTRIBUTIONS)) for _ in range(times)]
        dealt = draw.choices(chosen, often, k=len(values))
        yield Tiny(trees, tuple((*cell, value) for cell, value in zip(dealt, values, strict=True)))


DISTRIBUTIONS = (
    *((2, 1, 0), (2, 2, 0), (3, 1, 0), (2, 2, 1), (3, 3, 0), (4, 2, 0), (4, 2, 1), (3, 3, 3)),
    *((6, 2, 0), (2, 6, 0), (5, 4, 1), (4, 4, 4), (8, 2, 2), (1, 5, 4)),
)
"""How many records have each value; few, since a model is asked about all classes within one of them at once."""


# ---------------------------------------------------------------------- the suppression rule, from its words


def judged(model: Any, vectors: Vectors, limit: int) -> bool:
    """Whether the classes that violate hold at most so many records, and not all.

    Each class is judged by itself, against the distribution of all records.
    """
    violates = violating(model, tuple(map(sum, zip(*vectors, strict=True))))
    lost = sum(sum(vector) for vector in vectors if violates[vector])
    return lost <= limit and lost < sum(map(sum, vectors))


@cache
def violating(model: Any, records: tuple[int, ...]) -> dict[tuple[int, ...], bool]:
    """By the counts of a class whether it violates, for every class that a table of these records can have."""
    vectors = [vector for vector in product(*(range(n + 1) for n in records)) if any(vector)]
    counts = ClassCounts.from_matrix(np.array(vectors).T, domain=_DOMAIN).with_reference(records)
    found = model.evaluate(counts)
    assert found.status in ("satisfied", "violated"), found
    bad = set(found.violating.tolist())
    return {vector: g in bad for g, vector in enumerate(vectors)}


@dataclass(frozen=True)
class Judged:
    """What a search reads of a model's answer."""

    status: str
    violating: Any


_ANSWERS: dict[Any, Judged] = {}


def by_class(model: Any, classes: ClassCounts) -> Judged:
    """Evaluate a model by what it says of each class by itself: much quicker, for the thousands of searches."""
    cells = (classes.starts, classes.values, classes.counts, classes.reference)
    key = (model, *(cell.tobytes() for cell in cells))
    if key not in _ANSWERS:
        violates = violating(model, tuple(classes.reference.tolist()))
        rows = np.zeros((len(classes), VALUES), dtype=np.int64)
        rows[classes.class_of_cell, classes.values] = classes.counts
        bad = np.flatnonzero([violates[row] for row in map(tuple, rows.tolist())])
        _ANSWERS[key] = Judged("violated" if len(bad) else "satisfied", bad)
    return _ANSWERS[key]


@contextmanager
def judging_by_class(models: Iterable[Any]) -> Iterator[None]:
    """While it lasts, these models and their parts are evaluated by `by_class`; what it needs is asked before."""
    parts = [part for model in models for part in (model, *parts_of(model))]
    for part, records in product(parts, DISTRIBUTIONS):
        violating(part, records)
    with pytest.MonkeyPatch.context() as patch:
        for kind in {type(part) for part in parts}:
            patch.setattr(kind, "evaluate", by_class)
        yield


_DOMAIN = Domain.declare(range(VALUES))
