"""Checker of what two tables by Anatomy give away if the records of a value were drawn in a known order.

X. Xiao, Y. Tao, "Anatomy: Simple and Effective Privacy Preservation", VLDB 2006, Figure 3: while l values have records
left, a class takes one record of each of the l values with most left; what is left over then joins classes that lack
its value. Public are everybody's quasi-identifiers and class, and the values of each class. What is taken to be known
beside them is the order: of equally frequent values the first is taken; the records of a value go in the order of
their quasi-identifiers; what is left over joins, value after value, the first class that lacks it. Then

* the counts of the values say which values the j-th class takes, and where each record that is left over goes;
* of two classes of one set of values, to which the same values came last, the one made earlier has none of these values
  at a later place in the order, so its members, in order, are nowhere behind those of the other. Where other values
  came last to two such classes, it is left open which of them is which;
* along the classes of a value, in the order in which they are made, its records never descend;
* in a class each member has one value and each value one member.

A value is excluded of a person who has it in no way along its classes, or in no one-to-one assignment of the class.
Both are repeated until nothing is excluded any more: what is left does not depend on where one begins. A fact is proved
if one value is left.
"""

from __future__ import annotations

import heapq
from collections import Counter, deque
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from tcloseness.certificates.envelope import (
    LONGEST,
    Reading,
    certificate_text,
    digest_of,
    names_of,
    reading_of,
    seal,
    sealed_record,
)
from tcloseness.certificates.reading import MOST_RECORDS, read_rows, rows_digest
from tcloseness.displayed import counted
from tcloseness.errors import CertificateError, CertificateFormatError, InputError
from tcloseness.exact import as_fraction
from tcloseness.strict_json import read_json
from tcloseness.strict_records import Work, fields, listed, shown, whole

__all__ = ["DRAWS", "STATEMENT", "DrawnTable", "draws_text", "read_draws", "verify_draws"]

DRAWS = "tcloseness-draws-certificate-1"

STATEMENT = (
    "if these are the two tables of Anatomy for `l`, in which of equally frequent values the first in `order` is "
    "taken, the records of a value go to classes in the `order` of their quasi-identifiers, equal ones, if `by_rows`, "
    "in that of the rows, and what is left over joins, value after value, the first class that lacks its value, then "
    "each row of the table of quasi-identifiers that `facts` names, counted from 0, has the sensitive value that it is "
    "named for"
)

_KEYS = ("format", "statement", "people", "values", "l", "by_rows", "order", "facts", "sha256")
_TABLE = ("digest", "columns", "reading")
_WORK = 5e10
"""Units of work, some minutes."""
_STEP = 100
"""Units of work for one look at a person and a value."""


class _Contradicted(Exception):  # noqa: N818
    """No original has these tables."""


@dataclass(frozen=True)
class DrawnTable:
    """What a certificate says of one of the two tables.

    Attributes
    ----------
    digest
        Of its rows, see `tcloseness.certificates.reading.rows_digest`.
    columns
        The quasi-identifiers, and last the class; or the class, the sensitive attribute, and the count.
    reading
        How its file is read.
    """

    digest: str
    columns: tuple[str, ...]
    reading: Reading

    @classmethod
    def of(cls, table: bytes, columns: Sequence[str], reading: Reading, where: str) -> DrawnTable:
        """Return what is said of a file; `CertificateFormatError` if it cannot be read so."""
        return cls(rows_digest(columns, read_rows(table, columns, reading, where)), tuple(columns), reading)

    def rows_in(self, table: bytes, where: str) -> list[tuple[str, ...]]:
        """Return the rows of a file, which must be those that it names, else `CertificateFormatError`."""
        rows = read_rows(table, self.columns, self.reading, where)
        found = rows_digest(self.columns, rows)
        if found != self.digest:
            raise CertificateFormatError(
                f"the certificate is about another table: the digest of the rows of {where} is {found}, and not "
                f"{self.digest}"
            )
        return rows

    def to_dict(self) -> dict[str, Any]:
        """Return it as JSON-ready data."""
        return {"digest": self.digest, "columns": list(self.columns), "reading": self.reading.to_dict()}


def draws_text(
    people: DrawnTable,
    values: DrawnTable,
    l: int,  # noqa: E741
    *,
    by_rows: bool,
    order: Mapping[str, Sequence[str]],
    facts: Mapping[str, Sequence[int]],
) -> str:
    """Return a certificate as JSON text, sealed.

    Parameters
    ----------
    people, values
        The two tables.
    l, by_rows
        How many records a class takes, and whether equal records go in the order of the rows.
    order
        By column, the quasi-identifiers and the sensitive attribute, its values as canonical texts in their order.
    facts
        By sensitive value the rows of `people` that have it, ascending.
    """
    record: dict[str, Any] = {
        "format": DRAWS,
        "statement": STATEMENT,
        "people": people.to_dict(),
        "values": values.to_dict(),
        "l": l,
        "by_rows": by_rows,
        "order": {name: list(each) for name, each in order.items()},
        "facts": {value: list(rows) for value, rows in facts.items()},
    }
    return certificate_text({**record, "sha256": seal(record)})


def read_draws(content: str | bytes) -> tuple[DrawnTable, DrawnTable, dict[str, Any]]:
    """Read a certificate strictly; its seal is checked, its facts are not.

    Returns
    -------
    tuple
        What it says of the two tables, and all that it holds.

    Raises
    ------
    CertificateFormatError
        If it is not such a certificate, or was changed since it was written; nothing else, whatever it is.
    """
    try:
        record = sealed_record(read_json(content, longest=LONGEST, deepest=8), _KEYS, {DRAWS: STATEMENT})
        people, values = (_table(record[name], name) for name in ("people", "values"))
        whole(record["l"], "l", least=1, most=MOST_RECORDS)
        if type(record["by_rows"]) is not bool:
            raise InputError(f"by_rows is {shown(record['by_rows'])}; it must be true or false")
        if len(people.columns) < 2 or len(values.columns) != 3:
            raise InputError("people has quasi-identifiers and the class, and values the class, a value and a count")
        order = fields(record["order"], (*people.columns[:-1], values.columns[1]), "order")
        for name, given in order.items():
            names_of(given, f"order[{shown(name)}]")
        if values.columns[1] in people.columns[:-1]:
            raise InputError(f"{shown(values.columns[1])} is a quasi-identifier, and sensitive; it must be one of them")
        if type(record["facts"]) is not dict or not record["facts"]:
            raise InputError(f"facts is {shown(record['facts'])}; it must be an object with a fact")
    except InputError as error:
        raise CertificateFormatError(f"the certificate cannot be read: {error}") from error
    return people, values, record


def _table(given: object, what: str) -> DrawnTable:
    record = fields(given, _TABLE, what)
    digest = digest_of(record["digest"], f"{what}.digest")
    return DrawnTable(digest, names_of(record["columns"], f"{what}.columns"), reading_of(record["reading"]))


def verify_draws(content: str | bytes, people: bytes, values: bytes) -> str:
    """Check a certificate against the two published tables; return what was found, in words.

    Parameters
    ----------
    content
        The certificate, as JSON.
    people, values
        The CSV files of the two tables: everybody's quasi-identifiers and class, and the values of each class.

    Raises
    ------
    CertificateFormatError
        If the certificate cannot be read, or is about other tables.
    CertificateError
        If a fact does not follow.
    """
    of_people, of_values, record = read_draws(content)
    rows = of_people.rows_in(people, "the table of quasi-identifiers")
    held = of_values.rows_in(values, "the table of sensitive values")
    try:
        tables = _Tables.of(rows, held, of_people.columns, of_values.columns, record)
        left = tables.left(record["l"], Work(_WORK))
        sensitive = record["order"][of_values.columns[1]]
        proved: set[int] = set()
        for value, given in record["facts"].items():
            for row in listed(given, f"facts[{shown(value)}]", least=1):
                row = whole(row, f"facts[{shown(value)}][]", most=len(rows) - 1)
                if row in proved:
                    raise CertificateError(f"row {row} is named twice")
                proved.add(row)
                if [sensitive[code] for code in left[row]] != [value]:
                    raise CertificateError(
                        f"that row {row} has {shown(value)} is not proved: {counted(len(left[row]), 'value')} "
                        f"{'is' if len(left[row]) == 1 else 'are'} left for it"
                    )
    except _Contradicted as error:
        raise CertificateError(f"no original has these tables, if they were drawn so: {error}") from error
    except InputError as error:
        raise CertificateFormatError(f"the certificate cannot be read: {error}") from error
    return (
        f"the value of {counted(len(proved), 'person')} of {len(rows):,} is certain, if records were drawn in the "
        f"order of {', '.join(of_people.columns[:-1])}" + (" and of the rows" if record["by_rows"] else "")
    )


@dataclass(frozen=True, eq=False)
class _Tables:
    """The members and the values of each class, and each person's place in the order of the draws."""

    members: list[list[int]]
    held: list[frozenset[int]]
    place: list[int]
    values: int

    @classmethod
    def of(
        cls,
        people: Sequence[tuple[str, ...]],
        values: Sequence[tuple[str, ...]],
        columns: Sequence[str],
        of_values: Sequence[str],
        record: Mapping[str, Any],
    ) -> _Tables:
        """Return the tables as they are asked about; `CertificateError` unless they can be Anatomy's."""
        codes = {name: {value: code for code, value in enumerate(order)} for name, order in record["order"].items()}
        for name, cells in [
            *zip(columns[:-1], zip(*people, strict=True), strict=False),
            (of_values[1], [row[1] for row in values]),
        ]:
            odd = next((cell for cell in cells if cell not in codes[name]), None)
            if odd is not None:
                raise CertificateError(f"order[{shown(name)}] lacks the value {shown(odd)}")
        keys = [
            (*(codes[name][cell] for name, cell in zip(columns[:-1], row, strict=False)), i if record["by_rows"] else 0)
            for i, row in enumerate(people)
        ]
        places = {key: place for place, key in enumerate(sorted(set(keys)))}
        members: dict[str, list[int]] = {}
        for person, row in enumerate(people):
            members.setdefault(row[-1], []).append(person)
        held: dict[str, list[int]] = {}
        for group, value, count in values:
            if as_fraction(count.partition(":")[2], "a count") != 1:
                raise CertificateError(f"a class has {shown(value)} {count.partition(':')[2]} times; Anatomy takes one")
            held.setdefault(group, []).append(codes[of_values[1]][value])
        if {group: len(each) for group, each in members.items()} != {g: len(set(each)) for g, each in held.items()}:
            raise CertificateError("the tables have other classes, another number of records in one, or a value twice")
        sets = [frozenset(held[group]) for group in members]
        return cls([*members.values()], sets, [places[key] for key in keys], len(codes[of_values[1]]))

    def left(self, l: int, work: Work) -> list[set[int]]:  # noqa: E741
        """Return for each person the values that are left once nothing more can be excluded."""
        left: list[set[int]] = [set() for _ in self.place]
        for members, held in zip(self.members, self.held, strict=True):
            for person in members:
                left[person] = set(held)
        chains = self._chains(l, work)
        todo = {*range(self.values)}
        while todo:
            touched = set[int]()
            for value in sorted(todo):
                work.spend(_STEP * sum(len(self.members[group]) for group in chains[value]), "so many classes")
                touched |= self._along(chains[value], value, left)
            todo = set()
            for group in sorted(touched):
                work.spend(_STEP * len(self.members[group]) ** 3, "so large a class")
                todo |= _one_to_one([left[person] for person in self.members[group]])
        return left

    def _chains(self, l: int, work: Work) -> list[list[int]]:  # noqa: E741
        """Return by value the classes that take it, in their order, but for those of which that is not known."""
        counts = Counter(value for held in self.held for value in held)
        sets, last = _replayed(counts, l, work)
        came_last: dict[int, set[int]] = {}
        for value, place in last:
            came_last.setdefault(place, set()).add(value)
        places: dict[frozenset[int], list[int]] = {}
        for place, mine in enumerate(sets):
            places.setdefault(frozenset(mine), []).append(place)
        groups: dict[frozenset[int], list[int]] = {}
        for group, held in enumerate(self.held):
            groups.setdefault(held, []).append(group)
        if {held: len(each) for held, each in groups.items()} != {held: len(each) for held, each in places.items()}:
            raise _Contradicted("the classes have other sets of values")
        made: dict[int, int] = {}
        for held, alike in places.items():
            if len({frozenset(came_last.get(place, ())) for place in alike}) == 1:
                of_members = {g: sorted(self.place[person] for person in self.members[g]) for g in groups[held]}
                made.update(zip(alike, sorted(groups[held], key=of_members.__getitem__), strict=True))
        chains: list[list[int]] = [[] for _ in range(self.values)]
        for place in sorted(made):
            for value in self.held[made[place]] - came_last.get(place, set()):
                chains[value].append(made[place])
        for value, place in last:
            if place in made:
                chains[value].append(made[place])
        return chains

    def _along(self, chain: Sequence[int], value: int, left: Sequence[set[int]]) -> set[int]:
        """Exclude a value of who has it on no way along its classes that never descends; return the classes changed."""
        able = [[person for person in self.members[group] if value in left[person]] for group in chain]
        low, least = [], -1
        for persons in able:
            low.append(least)
            least = min((self.place[p] for p in persons if self.place[p] >= least), default=-2)
            if least == -2:
                raise _Contradicted("the records of a value descend")
        high, most = [], len(self.place)
        for persons in reversed(able):
            high.append(most)
            most = max(self.place[p] for p in persons if self.place[p] <= most)
        touched = set[int]()
        for group, persons, least, most in zip(chain, able, low, reversed(high), strict=True):
            for person in persons:
                if not least <= self.place[person] <= most:
                    left[person].discard(value)
                    touched.add(group)
        return touched


def _replayed(
    counts: Mapping[int, int],
    l: int,  # noqa: E741
    work: Work,
) -> tuple[list[set[int]], list[tuple[int, int]]]:
    """Return the values of each class, in their order, and each value that is left over with the class it joins."""
    rest = [(-count, value) for value, count in counts.items()]
    heapq.heapify(rest)
    sets: list[set[int]] = []
    while len(rest) >= l:
        taken = [heapq.heappop(rest) for _ in range(l)]
        sets.append({value for _, value in taken})
        for count, value in taken:
            if count < -1:
                heapq.heappush(rest, (count + 1, value))
    last = []
    for value, count in sorted((value, -count) for count, value in rest):
        work.spend(_STEP * len(sets), "so many classes")
        lacking = [place for place, mine in enumerate(sets) if value not in mine][:count]
        if len(lacking) < count:
            raise _Contradicted("what is left over joins no class")
        for place in lacking:
            sets[place].add(value)
            last.append((value, place))
    return sets, last


def _one_to_one(able: Sequence[set[int]]) -> set[int]:
    """Exclude what persons have in no assignment of one value each, no two the same; return what was excluded.

    Given one assignment, a person can have another's value instead if that one can have a third's, and so on, and the
    last of them that of the person.
    """
    has = _assigned(able)
    holder = {value: person for person, value in has.items()}
    gone: set[int] = set()
    for person in range(len(able)):
        reached, todo = {person}, [person]
        while todo:  # who can have whose value, if the person gives up the own one
            for value in able[todo.pop()]:
                if holder[value] not in reached:
                    reached.add(holder[value])
                    todo.append(holder[value])
        for other in range(len(able)):
            if has[person] in able[other] and other not in reached:
                able[other].discard(has[person])
                gone.add(has[person])
    return gone


def _assigned(able: Sequence[set[int]]) -> dict[int, int]:
    """Return a value for each person, no two the same, by augmenting paths."""
    has: dict[int, int] = {}
    holder: dict[int, int] = {}
    for person in range(len(able)):
        by, todo, free = dict[int, int](), deque([person]), -1
        while todo and free < 0:
            at = todo.popleft()
            for value in sorted(able[at] - by.keys()):
                by[value] = at
                if value not in holder:
                    free = value
                    break
                todo.append(holder[value])
        if free < 0:
            raise _Contradicted("the members of a class cannot have its values, one each")
        while True:  # back along the path: each takes the value by which the next was reached
            taker, before = by[free], has.get(by[free])
            has[taker], holder[free] = free, taker
            if before is None:
                break
            free = before
    return has
