"""`LinkedRelease`: a release, and who is in which of its classes; `LinkedCells`: several, over their common classes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from tcloseness.attacks.composition import Composition
from tcloseness.attacks.composition_programs import Decided
from tcloseness.attacks.population import as_label, label_key
from tcloseness.certificates import Counts, Reading
from tcloseness.certificates.composition import Cell, Fact, PublishedTable, composition_text, published_sums
from tcloseness.displayed import Compared, Displayed, counted
from tcloseness.errors import DomainError, TableError
from tcloseness.limits import Clock
from tcloseness.microdata import ClassCounts, Domain
from tcloseness.microdata.canonical import canonical_value

__all__ = ["LinkedCells", "LinkedRelease", "all_persons"]


@dataclass(frozen=True, eq=False)
class LinkedRelease(Displayed):
    """A release, and who is known to be in which of its classes.

    Attributes
    ----------
    classes
        The released counts.
    members
        By person (any key that is the same in every release), the class that the person is in: its generalized
        quasi-identifier values as the release writes them.

    Raises
    ------
    DomainError
        For a class that the release does not have.
    TableError
        For more people than records in a class.

    Notes
    -----
    An attacker finds the classes from the people's quasi-identifiers; a publisher from the keys that were removed.
    """

    classes: ClassCounts
    members: Mapping[Hashable, Hashable]

    def to_dict(self) -> dict[str, Any]:
        """Return the sizes as JSON-ready data."""
        return {"persons": len(self.members), "classes": len(self.classes), "records": self.classes.records}

    def _said(self) -> str:
        return f"{counted(len(self.members), 'person')} in {counted(len(self.classes), 'class')}"

    def __post_init__(self) -> None:
        self.classes.require_records("linking of releases")
        self.classes.require_values("linking of releases")
        people = np.bincount(np.fromiter(self.places.values(), np.int64), minlength=len(self.classes))
        for g in np.flatnonzero(people > self.classes.class_sizes).tolist():
            raise TableError(
                f"{people[g]} people are said to be in the class {self.classes.label(g)!r}, which has "
                f"{counted(int(self.classes.class_sizes[g]), 'record')}; each person has a record of their own"
            )

    @cached_property
    def published(self) -> Counts:
        """The released counts as a checker reads them."""
        classes = self.classes
        names = ("class",) if classes.keys is None else classes.keys.names
        labels = [self.canonical_label(g) for g in range(len(classes))]
        values = [canonical_value(value) for value in classes.domain.values]
        for what, each in (("classes", labels), ("values", values)):
            if len(set(each)) < len(each):
                twice = next(text for text, many in Counter(each).items() if many > 1)
                raise DomainError(
                    f"two {what} of the release are written {twice!r} though they are not equal, so that no published "
                    "count is of one of them; give each a text of its own"
                )
        cells = zip(classes.class_of_cell.tolist(), classes.values.tolist(), classes.counts.tolist(), strict=True)
        return Counts.of((*names, classes.sensitive), {(*labels[g], values[v]): count for g, v, count in cells})

    def canonical_label(self, index: int) -> tuple[str, ...]:
        """Return the label of a class as a checker reads it."""
        return tuple(map(canonical_value, self.classes.label(index)))

    @cached_property
    def places(self) -> Mapping[Hashable, int]:
        """By person, the index of the class."""
        index = {label_key(self.classes.label(g)): g for g in range(len(self.classes))}
        seen: dict[tuple[Any, ...], int | None] = {}  # many people have one label
        places = {}
        for person, label in self.members.items():
            parts = as_label(label)
            kinds = (*map(type, parts), *parts)
            if kinds not in seen:
                seen[kinds] = index.get(label_key(label))
            g = seen[kinds]
            if g is None:
                raise DomainError(
                    f"{person!r} is said to be in the class {label!r}, which the release does not have; give the "
                    f"generalized quasi-identifier values, such as {self.classes.label(0)!r}"
                )
            places[person] = g
        return places


class LinkedCells(Compared):
    """Several releases over the meet of their classes: who is in which cell, and what follows of each.

    Parameters
    ----------
    releases
        The releases.
    clock
        What it is bounded by.

    Attributes
    ----------
    tables
        The published counts of each release.
    persons
        By combination of classes (−1 where they are not in the release), the persons.
    common, fewest
        By combination, the places of the values that all its classes have, and of those that the class of fewest has.
    cells
        By combination with a common value, the cell.
    composition
        What is known of how many persons of each cell have each value.
    """

    def __init__(self, releases: Sequence[LinkedRelease], clock: Clock) -> None:
        for place, release in enumerate(releases, 1):
            if release.classes.sensitive != releases[0].classes.sensitive:
                raise TableError(
                    f"release {place} is of the sensitive attribute {release.classes.sensitive!r}, and release 1 of "
                    f"{releases[0].classes.sensitive!r}; link releases of one attribute, and rename its column where "
                    "it has another name"
                )
        self.tables = [release.published for release in releases]
        self.classes, self.values, counts = published_sums(self.tables)
        self.domain = Domain.of(v for release in releases for v in release.classes.domain.values)
        known = {canonical_value(value): value for value in self.domain.values}
        self.value = [known[canonical] for canonical in self.values]
        of_label = [{labels: g for g, labels in enumerate(classes)} for classes in self.classes]
        places = [
            [of[release.canonical_label(g)] for g in range(len(release.classes))]
            for of, release in zip(of_label, releases, strict=True)
        ]
        self.persons: dict[tuple[int, ...], list[Hashable]] = {}
        for person in all_persons(releases):
            self.persons.setdefault(tuple(release.places.get(person, -1) for release in releases), []).append(person)
        has: dict[tuple[int, int], set[int]] = {}
        for r, g, v in counts:
            has.setdefault((r, g), set()).add(v)
        self.common: dict[tuple[int, ...], set[int]] = {}
        self.fewest: dict[tuple[int, ...], set[int]] = {}
        linked: dict[Cell, int] = {}
        cell_of: dict[tuple[int, ...], Cell] = {}
        single = [dict(enumerate(release.classes.class_sizes.tolist())) for release in releases]
        for indices, persons in clock.through(self.persons.items(), "the releases are linked"):
            sets = [has[r, places[r][g]] for r, g in enumerate(indices) if g >= 0]
            self.common[indices], self.fewest[indices] = set.intersection(*sets), min(sets, key=len)
            cell = tuple(places[r][g] if g >= 0 else None for r, g in enumerate(indices))
            if self.common[indices]:
                cell_of[indices] = cell
            if self.common[indices] and len(sets) > 1:
                linked[cell] = len(persons)
                for r, g in enumerate(indices):
                    if g >= 0:
                        single[r][g] -= len(persons)
        for r, left in enumerate(single):  # whoever is in one release as far as is known, and records of nobody known
            for g, size in left.items():
                if size:
                    linked[tuple(places[r][g] if r == other else None for other in range(len(releases)))] = size
        number = {cell: c for c, cell in enumerate(linked)}
        self.cells = {indices: number[cell] for indices, cell in cell_of.items()}
        self.composition = Composition(linked, counts, clock)
        self.decided = Decided(self.composition)

    def contradictory(self, indices: tuple[int, ...]) -> bool:
        """Say whether no assignment satisfies the counts of a combination's classes; then the link proves nothing."""
        return self.cells.get(indices) in self.composition.contradictory

    def left(self, indices: tuple[int, ...]) -> tuple[Hashable, ...]:
        """Return the values that are left to the persons of a combination of classes, in the order of the domain."""
        cell = self.cells.get(indices)
        if cell is None:
            left = self.common[indices]
        elif cell in self.composition.contradictory:
            left = self.fewest[indices]
        else:
            left = set(self.composition.left(cell))
        values = [self.value[v] for v in left]
        return tuple(sorted(values, key=self.domain.code))

    def certificate(self, facts: Sequence[Fact], readings: Sequence[Reading]) -> str:
        """Return facts with what they are about, as JSON text."""
        tables = [
            PublishedTable(
                counts.digest,
                counts.columns[:-1],
                counts.columns[-1],
                sum(counts.counts.values()),
                reading,
                tuple(classes),
            )
            for counts, classes, reading in zip(self.tables, self.classes, readings, strict=True)
        ]
        bounds = self.composition.bounds
        return composition_text(tables, self.values, dict(zip(bounds.cells, bounds.persons, strict=True)), facts)

    def assignment(self, person: Hashable, value: Hashable) -> dict[Hashable, Hashable] | None:
        """See `ComplementaryAttack.assignment`."""
        indices = next((indices for indices, persons in self.persons.items() if person in persons), None)
        if indices is None or indices not in self.cells:
            raise DomainError(f"{person!r} is in none of the releases, or is in classes that have no value in common")
        cell, wanted = self.cells[indices], canonical_value(value)
        composition = self.composition
        unknown = next(
            (i for i in composition.of_cell[cell] if self.values[composition.unknowns[i][1]] == wanted), None
        )
        numbers = None if unknown is None else self.decided.assignment(unknown)
        if numbers is None:
            return None
        found: dict[Hashable, Hashable] = {}
        for other, c in self.cells.items():
            if c in composition.contradictory:
                continue
            handed = [composition.unknowns[i][1] for i in composition.of_cell[c] for _ in range(numbers[i])]
            people = self.persons[other]
            if c == cell:  # whoever is asked for first, and the value
                people = [person, *(each for each in people if each != person)]
                handed.sort(key=lambda v: self.values[v] != wanted)
            found.update(zip(people, (self.value[v] for v in handed), strict=False))
        return found


def all_persons(releases: Sequence[LinkedRelease]) -> dict[Hashable, None]:
    """Return the persons of all releases, each once, in the order of the releases."""
    return {person: None for release in releases for person in release.places}
