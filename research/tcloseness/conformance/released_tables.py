"""Tables with a release whose method is known: the literature's, each method with its parameters, random ones."""

from __future__ import annotations

import random
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import islice

from tcloseness.conformance.algorithms import Algorithm
from tcloseness.conformance.disclosures import choices, classes_of, originals, release_of
from tcloseness.conformance.inputs import Released, Table

__all__ = [
    "PROTECTED",
    "literature_tables",
    "method_tables",
    "random_released",
    "released_again",
    "released_table",
    "small_released",
]

PROTECTED = "cancer"
"""The sensitive value that beliefs are asked about, and of which one method wants no class to have too many."""

VALUES = (PROTECTED, PROTECTED, "flu", "flu", "gout")
"""What sensitive values are drawn from."""

DOMAIN = 8
"""The values 0, …, 7 of a quasi-identifier where the release alone is known."""

MOST, WAYS = 40, 3000
"""The greatest number of originals that classes or labels allow, each of which is released again, and of ways to choose
their values."""


def released_table(
    keys: list[str], secrets: list[str], method: str, parameters: Mapping[str, str], known: str, kind: str = "integer"
) -> Table | None:
    """Return a table with the release that a method makes of it; None where it makes none.

    Where the release alone is known, and for full-domain generalization, the hierarchy has intervals of 1, 2, 4 and 8.
    """
    table = Table(("x", "s"), (kind, "text"), tuple(zip(keys, secrets, strict=True)), ("x",), ("s",))
    if known == "release" or method == "full-domain":
        table = replace(table, hierarchies={"x": _PATHS})
    return released_again(replace(table, release=Released(method, parameters, (), known)))


def released_again(table: Table) -> Table | None:
    """Return a table with the classes that its method makes of it; None where it makes none."""
    shown = release_of(table)
    if shown is None or table.release is None:
        return None
    return replace(table, release=replace(table.release, classes=classes_of(shown)))


_PATHS = tuple(
    (str(v), *(f"{v - v % width}-{v - v % width + width - 1}" for width in (2, 4, 8))) for v in range(DOMAIN)
)

QI, ALONE = "quasi-identifiers", "release"


def literature_tables(algorithm: Algorithm) -> Iterator[tuple[str, Table]]:
    """Yield the examples of the literature on attackers who know the method."""
    wong = (["q1"] * 2 + ["q2"] * 4, ["cancer"] * 2 + ["none"] * 4)
    merged = released_table(*wong, "merge", {"protected": PROTECTED, "share": "1/2"}, QI, "text")
    born = [str(year) for year in (1990, 1985, 1974, 1962, 1953, 1941)]
    ill = ["flu", "cold", "cancer", "cancer", "headache", "toothache"]
    jumped = released_table(born, ill, "jump", {"sizes": "2,3", "l": "2"}, QI)
    for source, table in (
        ("Wong, Fu, Wang, Pei, VLDB 2007, slides: two q1 with cancer, four q2", merged),
        ("Liu, Wang, Zhang, ICDT 2010, slides: six persons by year of birth", jumped),
    ):
        assert table is not None
        yield source, table


_OF_PERSONS: tuple[tuple[str, Mapping[str, str]], ...] = (
    ("anatomy-in-order", {"l": "2"}),
    ("mondrian", {"k": "2", "l": "2"}),
    ("full-domain", {"k": "2", "l": "2"}),
    ("merge", {"protected": PROTECTED, "share": "1/2"}),
    ("merge", {"protected": PROTECTED, "share": "1/3"}),
    ("jump", {"sizes": "2,3", "l": "2"}),
    ("jump", {"sizes": "2,4,6", "l": "2"}),
    ("mondrian", {"k": "3", "l": "1"}),
)
_ALONE: tuple[tuple[str, Mapping[str, str]], ...] = (
    *(("mondrian", {"k": k, "l": "1"}) for k in "23"),
    *(("mdav", {"k": k}) for k in "23"),
    *(("full-domain", {"k": k, "l": "1"}) for k in "23"),
)


def method_tables(algorithm: Algorithm) -> Iterator[tuple[str, Table]]:
    """Yield for each method and choice of parameters a table of six records, or as many as it takes to be cut twice.

    If the method looks at the sensitive values, it excludes an original that the classes allow.
    """
    yield from _method_tables(of_persons=algorithm.name == "greatest-belief")


@cache
def _method_tables(*, of_persons: bool) -> list[tuple[str, Table]]:
    rng, found = random.Random("methods"), []
    for known, asked in ((ALONE, () if of_persons else _ALONE), (QI, _OF_PERSONS)):
        for method, parameters in asked:
            records = {"anatomy-in-order": 10, "mondrian": 6 if parameters.get("l") == "1" else 8}.get(method, 6)
            table = _drawn(rng, method, parameters, known, records)
            while parameters.get("l") != "1" and not _excludes(table):
                table = _drawn(rng, method, parameters, known, records)
            named = ", ".join(f"{name} = {value}" for name, value in parameters.items())
            found.append((f"{method}, {named}, {len(table.rows)} records", table))
    return found


def random_released(algorithm: Algorithm, rng: random.Random) -> Table:
    """Draw a table with a release that an algorithm can be asked about."""
    alone = algorithm.name != "greatest-belief" and rng.random() < 0.5
    method, parameters = rng.choice(_ALONE if alone else _OF_PERSONS)
    records = 6 if parameters.get("k") == "3" else rng.choice((4, 6, 6))
    return _drawn(rng, method, parameters, ALONE if alone else QI, records)


def small_released(algorithm: Algorithm, rng: random.Random) -> Iterator[Table]:
    """Yield the literature's tables, then one of each method, then random ones."""
    yield from (table for _, table in literature_tables(algorithm))
    yield from (table for _, table in method_tables(algorithm))
    for _ in range(100):
        yield random_released(algorithm, rng)


def _drawn(rng: random.Random, method: str, parameters: Mapping[str, str], known: str, records: int) -> Table:
    """Draw a table that a method releases in two classes or more, and whose originals can be tried."""
    while True:
        if known == ALONE:
            keys, secrets = [rng.randrange(DOMAIN) for _ in range(records)], ["none"] * records
        else:
            different = method in ("anatomy-in-order", "mondrian")
            keys = rng.sample(range(20), records) if different else [rng.randrange(DOMAIN) for _ in range(records)]
            secrets = [rng.choice(VALUES) for _ in range(records)]
        table = released_table(list(map(str, keys)), secrets, method, parameters, known)
        if table is not None and _is_asked(table):
            return table


def _excludes(table: Table) -> bool:
    """Say whether the method excludes an original that the classes or labels allow."""
    return originals(table, "code").found != originals(table, "labels").found


def _is_asked(table: Table) -> bool:
    release = table.release
    assert release is not None
    if len(set(release.classes)) < 2:
        return False
    ways = [*islice(choices(table), WAYS + 1)]
    return len(ways) <= WAYS and 1 < len(set(ways)) <= MOST
