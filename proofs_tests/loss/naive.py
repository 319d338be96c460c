"""The oracle of this room: losses computed row by row from plain lists, and what they are computed on."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import product
from random import Random
from typing import Any

import pandas as pd
from hypothesis import strategies as st

from proofs_tests.strategies import hierarchies
from tcloseness.exact import LogSum
from tcloseness.microdata import FrequencySet, Hierarchy
from tcloseness.release import Release

Cell = tuple[Hashable, ...]
NUMBERS = (0, 1, 4, 6, 7, 13)


@dataclass(frozen=True)
class Case:
    """A table as rows of (town, age, job, sex), hierarchies of town and age, their levels, and suppressed classes."""

    rows: list[tuple[Any, ...]]
    hierarchies: Mapping[str, Hierarchy]
    levels: Mapping[str, int]
    suppressed: frozenset[int]

    @cached_property
    def original(self) -> FrequencySet:
        frame = pd.DataFrame(self.rows, columns=["town", "age", "job", "sex"])
        return FrequencySet.from_frame(frame, quasi_identifiers=["town", "age"], sensitive=["job", "sex"])

    @cached_property
    def _whole(self) -> Release:
        return Release.full_domain(self.original, self.hierarchies, self.levels)

    @cached_property
    def release(self) -> Release:
        whole = self._whole
        return whole.suppress([i for i in self.suppressed if i < len(whole)])

    def at(self, levels: Mapping[str, int]) -> Case:
        return Case(self.rows, self.hierarchies, levels, self.suppressed)

    # -------------------------------------------------------------- row by row

    def label(self, name: str, value: Hashable) -> Hashable:
        return next(path[self.levels[name]] for path in self.hierarchies[name].paths if path[0] == value)

    def cell(self, row: tuple[Any, ...]) -> Cell:
        return (self.label("town", row[0]), self.label("age", row[1]))

    def classes(self) -> dict[Cell, list[int]]:
        return self._classes

    @cached_property
    def _classes(self) -> dict[Cell, list[int]]:
        """The row numbers of each class, as if nothing were suppressed."""
        found: dict[Cell, list[int]] = {}
        for i, row in enumerate(self.rows):
            found.setdefault(self.cell(row), []).append(i)
        return found

    def lost_rows(self) -> set[int]:
        return self._lost

    @cached_property
    def _lost(self) -> set[int]:
        """The suppressed rows: the release says which classes have which number, and nothing else is asked of it."""
        whole = self._whole.class_counts("job")
        cells = [whole.label(g) for g in self.suppressed if g < len(whole)]
        return {i for cell, members in self.classes().items() if cell in cells for i in members}

    def kept_classes(self) -> dict[Cell, list[int]]:
        lost = self.lost_rows()
        return {cell: members for cell, members in self.classes().items() if not lost.intersection(members)}

    def sizes(self) -> list[int]:
        return [len(members) for members in self.kept_classes().values()]

    def all_leaves(self, name: str, leaves: str) -> list[Hashable]:
        place = ("town", "age").index(name)
        occurring = {row[place] for row in self.rows}
        listed = [path[0] for path in self.hierarchies[name].paths]
        return [v for v in listed if leaves == "hierarchy" or v in occurring]

    def leaves(self, name: str, label: Hashable, leaves: str) -> list[Hashable]:
        return [v for v in self.all_leaves(name, leaves) if self.label(name, v) == label]

    def combinations(self, cell: Cell, leaves: str) -> list[Cell]:
        town, age = cell
        return list(product(self.leaves("town", town, leaves), self.leaves("age", age, leaves)))

    def reconstructed(self, leaves: str, *, spread: bool) -> dict[tuple[Any, ...], Fraction]:
        """The number of records of each combination of values that a reader of the release would expect."""
        everything = list(product(self.all_leaves("town", leaves), self.all_leaves("age", leaves)))
        lost, expected = self.lost_rows(), Counter[tuple[Any, ...]]()
        for i, row in enumerate(self.rows):
            if i not in lost or spread:
                targets = everything if i in lost else self.combinations(self.cell(row), leaves)
                for q in targets:
                    expected[(*q, *row[2:])] += Fraction(1, len(targets))  # type: ignore[assignment]
        return dict(expected)  # type: ignore[arg-type]


@st.composite
def cases(draw: st.DrawFn, *, suppress: bool = True, max_rows: int = 9) -> Case:
    trees = {
        "town": draw(hierarchies(values=["a", "b", "c", "d"][: draw(st.integers(1, 4))])),
        "age": draw(hierarchies(values=NUMBERS[: draw(st.integers(1, 6))])),
    }
    cells = [st.sampled_from(sorted(tree.values)) for tree in trees.values()]
    row = st.tuples(*cells, st.sampled_from("xyz"), st.sampled_from("fm"))
    rows = draw(st.lists(row, min_size=1, max_size=max_rows))
    levels = {name: draw(st.integers(0, tree.height)) for name, tree in trees.items()}
    chosen = draw(st.frozensets(st.integers(0, 5), max_size=4)) if suppress else frozenset()
    return Case(rows, trees, levels, chosen)


def seeded_cases(number: int, seed: str) -> Iterator[Case]:
    """Yield as many cases as are asked for, quickly: with suppressed classes beside others in most of them."""
    draw = Random(seed)

    def tree(values: Sequence[Hashable]) -> Hierarchy:
        levels = [{value: value for value in values}]
        for level in range(draw.randint(0, 2)):
            above = {label: f"{level}:{draw.randrange(3)}" for label in dict.fromkeys(levels[-1].values())}
            levels.append({value: above[label] for value, label in levels[-1].items()})
        return Hierarchy([(*(level[value] for level in levels), "*") for value in values])

    for _ in range(number):
        trees = {"town": tree("abcd"[: draw.randint(1, 4)]), "age": tree(NUMBERS[: draw.randint(1, 6)])}
        pools = [*(sorted(each.values) for each in trees.values()), "xyz", "fm"]
        rows = [tuple(map(draw.choice, pools)) for _ in range(draw.randint(1, 9))]
        levels = {name: draw.randint(0, each.height) for name, each in trees.items()}
        yield Case(rows, trees, levels, frozenset(draw.sample(range(5), draw.choice([0, 1, 1, 2, 3]))))


def log_of_product(factors: Iterable[Fraction], *, over: int = 1) -> LogSum:
    """ln(Π factors) / over, from one exact product."""
    total = Fraction(1)
    for factor in factors:
        total *= factor
    return LogSum({total.numerator: Fraction(1, over)}).minus(LogSum({total.denominator: Fraction(1, over)}))
