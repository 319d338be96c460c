"""What a release discloses to somebody who knows the method that made it, from the definition, in plain Python.

C(R, M, K) = {T : M(T) = R, T ∈ K}: the originals that a method maps to a release (Wong et al., VLDB 2007, §3; Xiao,
Tao, Koudas, TODS 2010). The methods are those of the vectors, each run from its words in `METHODS` alone.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import reduce
from itertools import combinations_with_replacement, permutations, product
from operator import and_
from typing import Any

from tcloseness.conformance.inputs import Cell, Released, Table
from tcloseness.errors import VectorError

__all__ = [
    "METHODS",
    "Originals",
    "RunMethod",
    "choices",
    "classes_of",
    "disclosed",
    "originals",
    "release_of",
]

Shown = tuple[Hashable, ...]
"""By record what it shows; records that show one thing are one class."""

Original = tuple[Any, ...]
"""By record its sensitive value; or, where the release alone is known, the sorted pairs of both values."""


@dataclass(frozen=True)
class RunMethod:
    """A method, as another implementation can follow it.

    Attributes
    ----------
    words
        What it does with the records, which have one quasi-identifier and one sensitive attribute.
    parameters
        The names of its parameters.
    shown
        What each record shows, from the quasi-identifiers, the sensitive values, the parameters and the hierarchy; None
        where the method has no release.
    """

    words: str
    parameters: tuple[str, ...]
    shown: Callable[[Sequence[Any], Sequence[Cell], Mapping[str, str], Sequence[Sequence[Any]]], Shown | None]


def grouped_by(records: Sequence[Hashable]) -> list[list[int]]:
    """Return the places of equal entries, in the order of the first of each."""
    found: dict[Hashable, list[int]] = {}
    for place, each in enumerate(records):
        found.setdefault(each, []).append(place)
    return list(found.values())


def holds(groups: Sequence[Sequence[int]], secrets: Sequence[Cell], k: int, l: int) -> bool:  # noqa: E741
    """Say whether each group has k records and l different sensitive values."""
    return all(len(group) >= k and len({secrets[i] for i in group}) >= l for group in groups)


def intervals(groups: Sequence[Sequence[int]], keys: Sequence[Any]) -> Shown:
    """Return by record the least and the greatest value of its group."""
    shown: dict[int, Hashable] = {}
    for group in groups:
        values = [keys[i] for i in group]
        shown |= dict.fromkeys(group, (min(values), max(values)))
    return tuple(shown[i] for i in range(len(keys)))


def numbered(groups: Sequence[Sequence[int]]) -> Shown:
    """Return by record the first record of its group: classes have no labels."""
    first = {i: min(group) for group in groups for i in group}
    return tuple(first[i] for i in range(len(first)))


def _mondrian(keys: Sequence[Any], secrets: Sequence[Cell], asked: Mapping[str, str], _: Any) -> Shown | None:
    k, l = int(asked["k"]), int(asked["l"])  # noqa: E741

    def cut(group: list[int]) -> list[list[int]]:
        values = sorted(keys[i] for i in group)
        middle, last = values[(len(values) - 1) // 2], values[-1]
        left = [i for i in group if keys[i] < middle or (keys[i] == middle < last)]
        right = [i for i in group if i not in left]
        return [*cut(left), *cut(right)] if holds([left, right], secrets, k, l) else [group]

    everybody = [*range(len(keys))]
    return intervals(cut(everybody), keys) if holds([everybody], secrets, k, l) else None


def _mdav(keys: Sequence[Any], _: Any, asked: Mapping[str, str], __: Any) -> Shown | None:
    k, left = int(asked["k"]), sorted(range(len(keys)), key=lambda i: keys[i])
    groups: list[list[int]] = []

    def split_off(distant_from: Fraction) -> Fraction:
        far = max(left, key=lambda i: abs(keys[i] - distant_from))  # the first of several
        groups.append(sorted(left, key=lambda i: abs(keys[i] - keys[far]))[:k])
        for i in groups[-1]:
            left.remove(i)
        return Fraction(keys[far])

    def centre() -> Fraction:
        return Fraction(sum(keys[i] for i in left), len(left))

    while len(left) >= 3 * k:
        split_off(split_off(centre()))
    if len(left) >= 2 * k:
        split_off(centre())
    return intervals([*groups, left], keys) if len(keys) >= k else None


def _full_domain(
    keys: Sequence[Any], secrets: Sequence[Cell], asked: Mapping[str, str], paths: Sequence[Sequence[Any]]
) -> Shown | None:
    above = {path[0]: path for path in paths}
    for level in range(len(paths[0])):
        shown = tuple(above[key][level] for key in keys)
        if holds(grouped_by(shown), secrets, int(asked["k"]), int(asked["l"])):
            return shown
    return None


def _merge(keys: Sequence[Any], secrets: Sequence[Cell], asked: Mapping[str, str], _: Any) -> Shown | None:
    first = [i for i, key in enumerate(keys) if key == min(keys)]
    others = [i for i, key in enumerate(keys) if key != min(keys)]
    for joined in range(len(others) + 1):
        groups = [first + others[:joined], others[joined:]]
        have = [[secrets[i] for i in group].count(asked["protected"]) for group in groups]
        if all(n <= Fraction(asked["share"]) * len(group) for n, group in zip(have, groups, strict=True)):
            return numbered(groups)
    return None


def _jump(keys: Sequence[Any], secrets: Sequence[Cell], asked: Mapping[str, str], _: Any) -> Shown | None:
    everybody = [*range(len(keys))]
    for size in map(int, asked["sizes"].split(",")):
        groups = [everybody[start : start + size] for start in range(0, len(everybody), size)]
        if holds(groups, secrets, 1, int(asked["l"])):
            return numbered(groups)
    return numbered([everybody])


def _anatomy(keys: Sequence[Any], secrets: Sequence[Cell], asked: Mapping[str, str], _: Any) -> Shown | None:
    l = int(asked["l"])  # noqa: E741
    left = {
        value: sorted((i for i, mine in enumerate(secrets) if mine == value), key=lambda i: keys[i])
        for value in sorted(set(secrets), key=str)
    }
    groups: list[list[int]] = []
    while sum(map(bool, left.values())) >= l:
        fullest = sorted(left, key=lambda value: -len(left[value]))[:l]  # of equally many the lesser value
        groups.append([left[value].pop(0) for value in fullest])
    for value, records in left.items():
        for record in records:
            lacking = [group for group in groups if value not in {secrets[i] for i in group}]
            if not lacking:
                return None
            lacking[0].append(record)
    return numbered(groups)


_LABELS = "Each record shows the least and the greatest value of its class."

METHODS: Mapping[str, RunMethod] = {
    "mondrian": RunMethod(
        "Strict Mondrian on a number. All records are a class. A class of n records is cut at its median m, the "
        "ceil(n/2)-th value in ascending order: the records with a value of at most m are one part and the others the "
        "second; where m is the greatest value, those below m are the first part and the others the second. A cut is "
        "made if both parts have at least k records and l different sensitive values, and both are then cut likewise; "
        "else the class is final. There is no release if the whole table has too few. " + _LABELS,
        ("k", "l"),
        _mondrian,
    ),
    "mdav": RunMethod(
        "MDAV on a number. While at least 3k records are left, the record farthest from the mean of those left and the "
        "k - 1 nearest to it are a class, and then the record farthest from that first record and the k - 1 nearest to "
        "it. If at least 2k are left, the record farthest from their mean and the k - 1 nearest to it are a class. The "
        "others are the last class. Of equally far or near records that of the lesser value comes first. Classes that "
        "show the same are one. " + _LABELS,
        ("k",),
        _mdav,
    ),
    "full-domain": RunMethod(
        "Full-domain generalization to the lowest level: all records show the generalization of their value at the "
        "lowest level of the hierarchy at which each class has at least k records and l different sensitive values. "
        "There is no release if no level has.",
        ("k", "l"),
        _full_domain,
    ),
    "merge": RunMethod(
        "The records of the least value of the quasi-identifier are one class and the others the second. As long as "
        "the sensitive value `protected` has more than `share` of a class, the first of the others, in the order of "
        "the rows, joins the first class. There is no release if the whole table has more. Classes have no labels: who "
        "is in which is known.",
        ("protected", "share"),
        _merge,
    ),
    "jump": RunMethod(
        "For each size in the list `sizes`, in its order, so many consecutive rows are a class, the last of which may "
        "be smaller. The first grouping is released in which each class has at least l different sensitive values; if "
        "there is none, all records are one class. Classes have no labels.",
        ("sizes", "l"),
        _jump,
    ),
    "anatomy-in-order": RunMethod(
        "Anatomy, with records drawn in an order that is known. While at least l sensitive values have records left, a "
        "class takes one record of each of the l values with the most records left; of equally many, the value that "
        "comes first as text; of a value, the record of the least quasi-identifier. Then each record left over, by its "
        "value as text and then by quasi-identifier, joins the first class made that lacks its value; there is no "
        "release if none does. Classes have no labels.",
        ("l",),
        _anatomy,
    ),
}
"""By name; what the protocol's page says of them."""


# ---------------------------------------------------------------------- the release, and its originals


def _columns(table: Table) -> tuple[list[Any], list[Cell]]:
    return table.column(table.quasi_identifiers[0]), table.column(table.sensitive[0])


def _paths(table: Table) -> list[tuple[Any, ...]]:
    name = table.quasi_identifiers[0]
    number = table.type_of(name) == "integer"
    return [(int(path[0]) if number else path[0], *path[1:]) for path in table.hierarchies.get(name, ())]


def _released(table: Table) -> Released:
    if table.release is None or table.release.method not in METHODS:
        raise VectorError(f"a disclosure is asked of a table with a release, made by one of {', '.join(METHODS)}")
    return table.release


def release_of(table: Table) -> Shown | None:
    """Return what the table's method shows of each record; None where it has no release."""
    return _run(table)(*_columns(table))


def _run(table: Table) -> Callable[[Sequence[Any], Sequence[Cell]], Shown | None]:
    """Return the table's method, as a function of the quasi-identifiers and the sensitive values."""
    released, paths = _released(table), _paths(table)
    shown = METHODS[released.method].shown
    return lambda keys, secrets: shown(keys, secrets, released.parameters, paths)


def classes_of(shown: Shown) -> tuple[int, ...]:
    """Return the number of each record's class, from 1 on in the order of the records."""
    number: dict[Hashable, int] = {}
    return tuple(number.setdefault(each, len(number) + 1) for each in shown)


@dataclass(frozen=True)
class Originals:
    """The originals of a release: by record, or as tables up to the order of their records.

    Attributes
    ----------
    of_persons
        Whether the quasi-identifiers of everybody, and who is in which class, are known.
    found
        The originals, each once.
    """

    of_persons: bool
    found: tuple[Original, ...]


def choices(table: Table) -> Iterator[Original]:
    """Go through the ways to choose for each record a value that its class or label allows, before the method is run.

    Ways that give one original occur several times: as often as records that are alike can be exchanged.
    """
    released, (_, secrets) = _released(table), _columns(table)
    shown = _shown(table)
    if released.known == "quasi-identifiers":
        groups = grouped_by(shown)
        for handed in product(*(permutations([secrets[i] for i in group]) for group in groups)):
            value = {
                i: v for group, values in zip(groups, handed, strict=True) for i, v in zip(group, values, strict=True)
            }
            yield tuple(value[i] for i in range(len(secrets)))
    else:
        for values in product(*(_allowed(label, _paths(table)) for label in shown)):
            yield tuple(sorted(zip(values, secrets, strict=True), key=str))


def _shown(table: Table) -> Shown:
    shown = release_of(table)
    if shown is None or classes_of(shown) != _released(table).classes:
        raise VectorError("the classes of a release are not those that its method makes of the table")
    return shown


def _allowed(label: Any, paths: Sequence[Sequence[Any]]) -> list[Any]:
    if isinstance(label, tuple):
        return [path[0] for path in paths if label[0] <= path[0] <= label[1]]
    return [path[0] for path in paths if label in path]


def originals(table: Table, level: str, *, alike: Callable[[Shown], Any] | None = None) -> Originals:
    """Return the originals that the classes or labels allow (``labels``), or those that the method maps to the release.

    `alike` says what of two releases is compared; by default all of what is published.
    """
    (keys, secrets), run = _columns(table), _run(table)
    _shown(table)
    of_persons = _released(table).known == "quasi-identifiers"

    def published(values: Sequence[Any], held: Sequence[Cell]) -> Any:
        made = run(values, held)
        if made is None:
            return None
        if alike is not None:
            return alike(made)
        return made if of_persons else Counter(zip(made, held, strict=True))

    def published_of(world: Original) -> Any:
        if of_persons:
            return published(keys, world)
        values, held = zip(*world, strict=True)
        return published(values, held)

    if level == "labels" or of_persons or alike is not None:
        worlds = {*choices(table)}
    else:  # all tables of so many records: what their labels are is for the method to say
        worlds = {*_tables(secrets, [path[0] for path in _paths(table)])}
    if level != "labels":
        right = published(keys, secrets)
        worlds = {world for world in worlds if published_of(world) == right}
    return Originals(of_persons, tuple(sorted(worlds, key=str)))


def _tables(secrets: Sequence[Cell], domain: Sequence[Any]) -> Iterator[Original]:
    parts = [[(v, s) for v in domain] for s in dict.fromkeys(secrets)]
    sizes = Counter(secrets).values()
    for chosen in product(*(combinations_with_replacement(p, n) for p, n in zip(parts, sizes, strict=True))):
        yield tuple(sorted((pair for part in chosen for pair in part), key=str))


# ---------------------------------------------------------------------- what is true in all of them, and how probable


def held_in_all(found: Originals) -> int:
    """Return for how many persons all originals have one value; or how many values all tables have, as a multiset."""
    if found.of_persons:
        return sum(len(set(values)) == 1 for values in zip(*found.found, strict=True))
    return reduce(and_, (Counter(value for value, _ in world) for world in found.found)).total()


def greatest_belief(found: Originals, value: str) -> Fraction:
    """Return the greatest share of the originals in which some person has a value."""
    return max(Fraction(held.count(value), len(held)) for held in zip(*found.found, strict=True))


def disclosed(name: str, found: Originals, parameters: Mapping[str, str]) -> Fraction:
    """Return what an algorithm of disclosures asks of the originals."""
    match name:
        case "consistent-originals":
            return Fraction(len(found.found))
        case "certain-values":
            return Fraction(held_in_all(found))
    return greatest_belief(found, parameters["value"])
