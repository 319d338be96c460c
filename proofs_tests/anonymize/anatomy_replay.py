"""An attack on Anatomy's two tables, by a reader who knows that records go by their quasi-identifiers.

Public: the quasi-identifier table (everybody's quasi-identifiers and class), the sensitive table (each class's values),
ℓ, and the code. Secret: who of a class has which of its values.

Let c(s) be the number of records of value s, which the sensitive table shows. Which values the j-th class takes depends
on c alone, so the reader replays it: V_1, V_2, … Value s gives its records in ascending order of the quasi-identifiers.
Hence (1) of two classes with one set of values the earlier has the smaller sorted vector of quasi-identifiers, which
shows their order of creation; (2) along the classes that take s, the quasi-identifiers of s's records never descend.

`candidates` removes what is in no solution of one chain or of one class, which is sound: what is left contains every
original that the ordered draw maps to these tables. A person left with one value is a certain fact.
"""

from __future__ import annotations

import heapq
from collections import defaultdict
from collections.abc import Iterable, Sequence

import pandas as pd

__all__ = ["Contradicted", "candidates"]


class Contradicted(Exception):  # noqa: N818
    """No original is mapped to these tables by a draw in the order of the quasi-identifiers."""


def candidates(people: pd.DataFrame, values: pd.DataFrame, l: int) -> list[set[int]]:  # noqa: E741
    """Return for each row of the quasi-identifier table the numbers of the values that are left for it.

    Parameters
    ----------
    people
        Quasi-identifiers, as whole numbers in their order, and last the class.
    values
        Class, value as a whole number in the domain's order, count; no value is in a class twice.
    l
        How many records a class takes.

    Raises
    ------
    Contradicted
        If nothing is left.
    """
    order = sorted(set(people.iloc[:, :-1].itertuples(index=False, name=None)))
    rank = [order.index(row) for row in people.iloc[:, :-1].itertuples(index=False, name=None)]
    members: dict[int, list[int]] = defaultdict(list)
    for person, group in enumerate(people.iloc[:, -1]):
        members[group].append(person)
    held: dict[int, set[int]] = defaultdict(set)
    for group, value in zip(values.iloc[:, 0], values.iloc[:, 1], strict=True):
        held[group].add(value)
    totals = values.groupby(values.columns[1])[values.columns[2]].sum()
    counts = [int(totals.get(value, 0)) for value in range(int(totals.index.max()) + 1)]
    return _Attack([members[g] for g in sorted(members)], [frozenset(held[g]) for g in sorted(members)], rank).run(
        counts, l
    )


def _value_sets(counts: Sequence[int], l: int) -> tuple[list[set[int]], list[tuple[int, int]]]:  # noqa: E741
    """Return V_1, V_2, … and the (value, class) of the records left over, from the public counts alone."""
    heap = [(-count, value) for value, count in enumerate(counts) if count]
    heapq.heapify(heap)
    sets: list[set[int]] = []
    while len(heap) >= l:
        fullest = [heapq.heappop(heap) for _ in range(l)]
        sets.append({value for _, value in fullest})
        for left, value in fullest:
            if left + 1 < 0:
                heapq.heappush(heap, (left + 1, value))
    over = []
    for value in sorted(value for left, value in heap for _ in range(-left)):
        number = next(g for g, mine in enumerate(sets) if value not in mine)
        over.append((value, number))
        sets[number].add(value)
    return sets, over


class _Attack:
    """The persons of each published class, its values, and each person's place among the quasi-identifiers."""

    def __init__(self, members: Sequence[Sequence[int]], values: Sequence[frozenset[int]], rank: Sequence[int]) -> None:
        self.members, self.values, self.rank = members, values, rank
        self.left: list[set[int]] = [set() for _ in rank]
        for persons, mine in zip(members, values, strict=True):
            for person in persons:
                self.left[person] = set(mine)

    def run(self, counts: Sequence[int], l: int) -> list[set[int]]:  # noqa: E741
        sets, over = _value_sets(counts, l)
        created = self._in_order_of_creation(sets)
        late = set(over)
        chains: list[list[int]] = [[] for _ in counts]
        for place, group in enumerate(created):
            for value in self.values[group]:
                if (value, place) not in late:
                    chains[value].append(group)
        for value, place in over:  # the records left over come last, in this order
            chains[value].append(created[place])
        open_values = set(range(len(counts)))
        while open_values:
            touched = {group for value in open_values for group in self._chain(chains[value], value)}
            open_values = {value for group in touched for value in self._one_to_one(group)}
        return self.left

    def _in_order_of_creation(self, sets: Sequence[set[int]]) -> list[int]:
        """Return the published classes in the order in which they were made, by fact (1)."""
        places, groups = defaultdict(list), defaultdict(list)
        for place, mine in enumerate(sets):
            places[frozenset(mine)].append(place)
        for group, mine in enumerate(self.values):
            groups[mine].append(group)
        created = [-1] * len(self.members)
        for mine, found in groups.items():
            if len(found) != len(places[mine]):
                raise Contradicted("the classes' sets of values are others")
            found.sort(key=lambda group: sorted(self.rank[person] for person in self.members[group]))
            for group, place in zip(found, places[mine], strict=True):
                created[place] = group
        return created

    def _chain(self, chain: Sequence[int], value: int) -> set[int]:
        """Remove a value from whoever is on no ascending path along its classes; return the classes that changed."""
        touched: set[int] = set()
        for sign, way in ((1, chain), (-1, list(reversed(chain)))):
            bound: int | None = None
            for group in way:
                able = [p for p in self.members[group] if value in self.left[p]]
                reached = [sign * self.rank[p] for p in able if bound is None or sign * self.rank[p] >= bound]
                if not reached:
                    raise Contradicted("a value's records do not ascend")
                bound = min(reached)
                for person in able:
                    if sign * self.rank[person] < bound:
                        self.left[person].discard(value)
                        touched.add(group)
        return touched

    def _one_to_one(self, group: int) -> set[int]:
        """Remove the values that a person has in no one-to-one assignment of the class; return the values removed."""
        order, persons = sorted(self.values[group]), self.members[group]
        able = [[k for k, value in enumerate(order) if value in self.left[person]] for person in persons]
        before = _reachable({0}, able)
        after = _reachable({0}, able[::-1])[::-1]
        gone: set[int] = set()
        for place, person in enumerate(persons):
            full = (1 << len(order)) - 1
            possible = {
                order[k]
                for used in before[place]
                for k in able[place]
                if not used >> k & 1 and (full & ~(used | 1 << k)) in after[place + 1]
            }
            if not possible:
                raise Contradicted("a person has no value left")
            gone |= self.left[person] - possible
            self.left[person] &= possible
        return gone


def _reachable(start: set[int], able: Iterable[Sequence[int]]) -> list[set[int]]:
    """Return after each person which sets of values can have been taken."""
    found = [start]
    for mine in able:
        found.append({used | 1 << k for used in found[-1] for k in mine if not used >> k & 1})
    return found
