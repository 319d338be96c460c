"""Small tables released several times, and everything that the releases leave possible, by trying all assignments."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Hashable, Iterator
from dataclasses import dataclass

from tcloseness.attacks import LinkedRelease
from tcloseness.microdata import MISSING, ClassCounts

__all__ = ["Linked", "assignments", "drawn", "left_by_all"]

Group = dict[Hashable, int]
"""By value how many records of a class have it."""


@dataclass(frozen=True)
class Linked:
    """Persons with their values, and by release the persons of each class, and who of them are known."""

    values: tuple[Hashable, ...]
    classes: tuple[tuple[tuple[int, ...], ...], ...]
    known: tuple[frozenset[int], ...]

    @property
    def counts(self) -> list[list[Group]]:
        """By release and class, the published counts."""
        return [[Counter(self.values[i] for i in group) for group in classes] for classes in self.classes]

    @property
    def releases(self) -> list[LinkedRelease]:
        """As the attack takes them."""
        return [
            LinkedRelease(
                ClassCounts.from_mapping({f"class {g}": dict(group) for g, group in enumerate(counts)}),
                {i: f"class {g}" for g, group in enumerate(classes) for i in group if i in known},
            )
            for counts, classes, known in zip(self.counts, self.classes, self.known, strict=True)
        ]


def drawn(draw: random.Random, *, persons: int = 7, values: int = 4) -> Linked:
    """Up to so many persons in two or three releases; some may be missing from one, and some records be nobody's."""
    n = draw.randint(2, persons)
    of = [MISSING, 1, "1", 0.5][:values] if draw.random() < 0.2 else [*"abcd"][: draw.randint(1, values)]
    given = tuple(draw.choice(of) for _ in range(n))
    classes, known = [], []
    for number in range(draw.randint(2, 3)):
        present = [i for i in range(n) if i < 2 or not number or draw.random() < 0.9]
        groups: dict[int, list[int]] = {}
        for i in present:
            groups.setdefault(draw.randrange(draw.choice([1, 2, 3, 4])), []).append(i)
        classes.append(tuple(map(tuple, groups.values())))
        known.append(frozenset(i for i in present if i < 2 or draw.random() < 0.95))
    return Linked(given, tuple(classes), tuple(known))


def assignments(table: Linked) -> Iterator[dict[int | tuple[int, int], Hashable]]:
    """Yield every way to hand out values such that each class has its published counts.

    A person is one in all releases in which it is known; a record that is nobody's, as far as is known, is its own.
    """
    places: dict[int | tuple[int, int], list[tuple[int, int]]] = {}
    for r, classes in enumerate(table.classes):
        for g, group in enumerate(classes):
            for i in group:
                places.setdefault(i if i in table.known[r] else (r, i), []).append((r, g))
    left = {(r, g): dict(group) for r, groups in enumerate(table.counts) for g, group in enumerate(groups)}
    who = list(places)
    chosen: dict[int | tuple[int, int], Hashable] = {}

    def hand_out(at: int) -> Iterator[dict[int | tuple[int, int], Hashable]]:
        if at == len(who):
            yield dict(chosen)
            return
        mine = places[who[at]]
        for value in left[mine[0]]:
            if all(left[place].get(value, 0) for place in mine):
                for place in mine:
                    left[place][value] -= 1
                chosen[who[at]] = value
                yield from hand_out(at + 1)
                for place in mine:
                    left[place][value] += 1

    yield from hand_out(0)


def left_by_all(table: Linked) -> dict[int, set[Hashable]]:
    """By person who is known in some release, the values that it has in some assignment."""
    found: dict[int, set[Hashable]] = {}
    for way in assignments(table):
        for who, value in way.items():
            if isinstance(who, int):
                found.setdefault(who, set()).add(value)
    return found
