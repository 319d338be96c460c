"""An attack on tables by Anatomy whose records were drawn in an order that the attacker knows.

X. Xiao, Y. Tao, "Anatomy: Simple and Effective Privacy Preservation", VLDB 2006, Figure 3, draws them at random.
Public: the quasi-identifier table (everybody's quasi-identifiers and class), the sensitive table (each class's values),
ℓ, and the code. Secret: who of a class has which of its values.

Let c(s) be the number of records of value s, which the sensitive table shows. Which values the j-th class takes depends
on c alone, so the attacker replays it: V_1, V_2, … If value s gives its records in ascending order of the quasi-
identifiers, (1) of two classes with one set of values, of which the same came last, the earlier has the smaller sorted
vector of quasi-identifiers, which shows their order of creation; where other values came last to two of one set, their
order stays open, and nothing is concluded from their places; (2) along the classes that take s, the quasi-identifiers
of s's records never descend. What is in no solution of one chain or of one class is removed, which is sound: what is
left contains every original that the ordered draw maps to these tables.
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Collection, Hashable, Iterable, Sequence
from dataclasses import dataclass, fields
from itertools import pairwise
from typing import Any

import numpy as np
import pandas as pd

from tcloseness.attacks.candidates import Candidates, candidates_left
from tcloseness.certificates import Reading
from tcloseness.certificates.draws import DrawnTable, draws_text, verify_draws
from tcloseness.certificates.reading import value_part
from tcloseness.errors import InputError, NotCertified, TableError
from tcloseness.exact import as_fraction
from tcloseness.microdata.domain import MISSING
from tcloseness.microdata.sources.pandas import factorize
from tcloseness.models.thresholds import whole
from tcloseness.release.labels import text_of

__all__ = ["Contradicted", "OrderedDraws", "in_order", "ordered_draw_attack", "value_sets"]


@dataclass(frozen=True, eq=False, kw_only=True)
class OrderedDraws(Candidates):
    """What is left for each person of two tables, if the records of a value were drawn in an order.

    Attributes
    ----------
    people, values
        The two tables, as they were given.
    l, by_rows
        Likewise.
    """

    people: pd.DataFrame
    values: pd.DataFrame
    l: int  # noqa: E741
    by_rows: bool

    def certified(
        self, people: bytes, values: bytes, readings: tuple[Reading, Reading] = (Reading(), Reading())
    ) -> str:
        """Return what proves the certain values to whoever has the two files, once a checker has accepted it.

        Parameters
        ----------
        people, values
            The tables as CSV files, with their columns by name, and rows in the same order.
        readings
            How each is read; ``Reading(missing="category")`` where a quasi-identifier is absent.

        Returns
        -------
        str
            JSON text; `tcloseness verify` checks it, and `tcloseness.certificates.verify_draws`.

        Raises
        ------
        NotCertified
            If nothing is certain, or two values or classes are written differently and equal.
        TableError
            For a file of other rows.
        CertificateFormatError
            If a file cannot be read so.

        Examples
        --------
        >>> people = pd.DataFrame({"age": [1, 2, 3, 4], "class": [0, 1, 1, 0]})
        >>> values = pd.DataFrame({"class": [0, 0, 1, 1], "ill": ["cold", "flu", "flu", "gout"], "count": 1})
        >>> found = ordered_draw_attack(people, values, 2)
        >>> files = [each.to_csv(index=False).encode() for each in (people, values)]
        >>> from tcloseness.certificates import verify_draws
        >>> verify_draws(found.certified(*files), *files)
        'the value of 2 persons of 4 is certain, if records were drawn in the order of age'
        """
        if not self.facts or self.contradiction is not None:
            raise NotCertified("not certified: no value is certain of such draws, so there is nothing to prove")
        named = [
            DrawnTable.of(file, [*map(str, frame.columns)], reading, what)
            for file, frame, reading, what in (
                (people, self.people, readings[0], "the table of quasi-identifiers"),
                (values, self.values, readings[1], "the table of sensitive values"),
            )
        ]
        of_people, of_values = named[0].rows_in(people, "people"), named[1].rows_in(values, "values")
        if {row[-1] for row in of_people} != {row[0] for row in of_values}:
            raise NotCertified("not certified: the two files write the classes differently; write each in one way")
        order = {
            name: _texts_in_order(self.people.iloc[:, at], [row[at] for row in of_people], name)
            for at, name in enumerate(named[0].columns[:-1])
        }
        secret = named[1].columns[1]
        texts = _texts_in_order(self.values.iloc[:, 1], [row[1] for row in of_values], secret)
        text_of = dict(zip(_in_domain(self.values.iloc[:, 1])[1], texts, strict=True))
        facts: dict[str, list[int]] = {}
        for row, left in enumerate(self.left):
            if len(left) == 1:
                facts.setdefault(text_of[next(iter(left))], []).append(row)
        found = draws_text(
            named[0], named[1], self.l, by_rows=self.by_rows, order={**order, secret: texts}, facts=facts
        )
        verify_draws(found, people, values)
        return found


def _texts_in_order(column: pd.Series[Any], texts: Sequence[str], name: str) -> list[str]:
    """Return how the values of a column are written in its file, in their order."""
    if len(texts) != len(column):
        raise TableError(f"the file has {len(texts)} rows, and the table {len(column)}; give the file of this table")
    pairs = sorted(set(zip(_in_domain(column)[0], texts, strict=True)))
    if len({text for _, text in pairs}) < len(pairs):
        raise TableError(f"the file has other values of {name!r} than the table; give the file of this table")
    for (code, one), (other_code, other) in pairwise(pairs):
        if code == other_code:
            raise NotCertified(
                f"not certified: {value_part(one)!r} and {value_part(other)!r} of {name!r} are one value; write it in "
                "one way"
            )
    return [text for _, text in pairs]


def _in_domain(column: pd.Series[Any]) -> tuple[list[int], list[Any]]:
    """Return the place of each cell among the different values, and these in their order.

    That is the order of a Categorical's categories, else the one in which `Microdata.from_frame` has them, as the
    methods do; an absent value is the last.
    """
    if isinstance(column.dtype, pd.CategoricalDtype):
        shown = column.cat.remove_unused_categories()
        values = shown.cat.categories.tolist()
        codes = [len(values) if code < 0 else code for code in shown.cat.codes.tolist()]
        return codes, [*values, MISSING] if len(values) in codes else values
    numbered, domain = factorize(column, str(column.name))
    return numbered.tolist(), [*domain.values]


def _count(given: object) -> int:
    try:
        return whole(given, "count")
    except InputError as error:
        raise TableError(f"a class has a value {given} time(s); a count is a whole number ≥ 1") from error


class Contradicted(Exception):  # noqa: N818
    """No original is mapped to these tables by a draw in the order of the quasi-identifiers."""


def in_order(people: pd.DataFrame, values: pd.DataFrame) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Return two tables as they were read from files in the form that `ordered_draw_attack` takes.

    Sensitive values become a Categorical of texts in the order of their domain, classes texts, counts exact numbers.
    """
    joined = people.columns[-1]
    _, sensitive, count = values.columns
    codes, different = _in_domain(values[sensitive])
    ordered = pd.Categorical.from_codes(codes, categories=pd.Index([*map(text_of, different)]))
    return people.assign(**{joined: [*map(text_of, people[joined])]}), pd.DataFrame(
        {
            joined: [*map(text_of, values[joined])],
            sensitive: ordered,
            count: [as_fraction(each, f"column {count!r}") for each in values[count].tolist()],
        }
    )


def ordered_draw_attack(
    people: pd.DataFrame,
    values: pd.DataFrame,
    l: int,  # noqa: E741
    *,
    by_rows: bool = False,
) -> OrderedDraws:
    """Return the sensitive values that are left for each person if Anatomy drew records by their quasi-identifiers.

    Parameters
    ----------
    people
        The quasi-identifiers, and last the class; compared column by column, a Categorical in the order of its
        categories, others in that in which `Microdata.from_frame` has their values, as the methods do: numbers and
        dates ascend, also numbers that are written as texts if all values are, other texts as texts; an absent value
        is the last.
    values
        The class, the sensitive value, likewise ordered, and the count, which is 1.
    l
        How many records a class takes.
    by_rows
        Whether records of equal quasi-identifiers were drawn in the order of the rows of `people`.

    Returns
    -------
    OrderedDraws
        By row of `people`; its `certified` proves what is certain. With a contradiction where the records were not
        drawn so.

    Raises
    ------
    TableError
        For other columns, tables without a row, absent classes or sensitive values, a count that is not a whole number
        ≥ 1, a value that a class has twice, or classes that are in one table only or have other numbers of records
        there.

    Notes
    -----
    `tcloseness.anonymize.anatomy` draws with a secret seed, and this attack finds a contradiction. Nothing is said to
    be possible: no witness is sought. Cost: some passes over the classes, each linear.

    References
    ----------
    Xiao and Tao 2006, Figure 3. X. Xiao, Y. Tao, N. Koudas, "Transparent Anonymization", TODS 35(2), 2010.

    Examples
    --------
    Two persons have flu. The first class takes the younger of them, so the one aged 4 is not that one:

    >>> people = pd.DataFrame({"age": [1, 2, 3, 4], "class": [0, 1, 1, 0]})
    >>> values = pd.DataFrame({"class": [0, 0, 1, 1], "ill": ["cold", "flu", "flu", "gout"], "count": 1})
    >>> [sorted(each) for each in ordered_draw_attack(people, values, 2).left]
    [['flu'], ['flu', 'gout'], ['flu', 'gout'], ['cold']]
    """
    l = whole(l, "l", least=1)  # noqa: E741
    if values.shape[1] != 3 or people.shape[1] < 2:
        raise TableError(
            f"the tables have {people.shape[1]} and {values.shape[1]} columns; give the quasi-identifiers and the "
            "class, and the class, the value and the count"
        )
    if people.empty or values.empty:
        raise TableError("the tables of Anatomy have no row; give those of a release")
    if people.iloc[:, -1].isna().any() or values.iloc[:, :2].isna().any(axis=None):
        raise TableError(
            "a class or a sensitive value is absent, and where Anatomy puts it among the others is not known; write it "
            "as a value of its own"
        )
    if set(map(_count, values.iloc[:, 2].tolist())) != {1} or values.iloc[:, :2].duplicated().any():
        raise TableError("a class has a value twice, which Anatomy's draws never do; give its tables without mergers")
    if Counter(people.iloc[:, -1].tolist()) != Counter(values.iloc[:, 0].tolist()):
        raise TableError(
            "the two tables have other classes, or other numbers of records in a class; give the two tables of one "
            "release"
        )
    ranks = [_in_domain(people.iloc[:, place])[0] for place in range(people.shape[1] - 1)]
    keys = list(zip(*ranks, range(len(people)) if by_rows else [0] * len(people), strict=True))
    place = {key: number for number, key in enumerate(sorted(set(keys)))}
    rank = [place[key] for key in keys]
    codes, domain = _in_domain(values.iloc[:, 1])
    members: dict[Hashable, list[int]] = defaultdict(list)
    for person, group in enumerate(people.iloc[:, -1].tolist()):
        members[group].append(person)
    held: dict[Hashable, set[int]] = defaultdict(set)
    for group, code in zip(values.iloc[:, 0].tolist(), codes, strict=True):
        held[group].add(code)
    counts = np.bincount(codes, minlength=len(domain)).tolist()
    search = _Attack([*members.values()], [frozenset(held[group]) for group in members], rank)
    before = [frozenset(domain[code] for code in each) for each in search.left]
    why = None
    try:
        search.run(counts, l)
    except Contradicted as error:
        why = str(error)
    found = candidates_left(
        [frozenset(domain[code] for code in each) for each in search.left],
        before,
        str(values.columns[1]),
        {
            "quasi-identifiers": "those of everybody, and the class of each",
            "the method": f"Anatomy with l = {l}, by which records are taken to be drawn in the order of their "
            "quasi-identifiers",
        },
        "Xiao and Tao 2006, Figure 3 (the classes); Xiao, Tao and Koudas 2010 (who knows the method)",
        {"rule": "in no ascending chain of its value and no one-to-one assignment of its class is another value"},
        why,
    )
    shown = {each.name: getattr(found, each.name) for each in fields(found)}
    return OrderedDraws(**shown, people=people, values=values, l=l, by_rows=by_rows)


def value_sets(counts: Sequence[int], l: int) -> tuple[list[set[int]], list[tuple[int, int]]]:  # noqa: E741
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
        number = next((g for g, mine in enumerate(sets) if value not in mine), None)
        if number is None:
            raise Contradicted("a record that is left over fits no class")
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

    def run(self, counts: Sequence[int], l: int) -> None:  # noqa: E741
        sets, over = value_sets(counts, l)
        late = set(over)
        created = self._in_order_of_creation(sets, late)
        chains: list[list[int]] = [[] for _ in counts]
        for place, group in sorted(created.items()):
            for value in self.values[group]:
                if (value, place) not in late:
                    chains[value].append(group)
        for value, place in over:  # the records left over come last, in this order
            if place in created:
                chains[value].append(created[place])
        open_values = set(range(len(counts)))
        while open_values:
            touched = {group for value in open_values for group in self._chain(chains[value], value)}
            open_values = {value for group in touched for value in self._one_to_one(group)}

    def _in_order_of_creation(self, sets: Sequence[set[int]], late: Collection[tuple[int, int]]) -> dict[int, int]:
        """Return the published classes by their places in the order in which they were made, as far as (1) says."""
        places, groups = defaultdict(list), defaultdict(list)
        for place, mine in enumerate(sets):
            places[frozenset(mine)].append(place)
        for group, held in enumerate(self.values):
            groups[held].append(group)
        created: dict[int, int] = {}
        for held, found in groups.items():
            if len(found) != len(places[held]):
                raise Contradicted("the classes' sets of values are others")
            if len({frozenset(value for value in held if (value, place) in late) for place in places[held]}) > 1:
                continue  # each has a value that the other got later, so neither is ahead in all of them
            found.sort(key=lambda group: sorted(self.rank[person] for person in self.members[group]))
            created.update(zip(places[held], found, strict=True))
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
