"""Inputs to choose vectors from, the smallest first: all small tables up to renaming, then random ones."""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import islice, permutations, product

from tcloseness.conformance.algorithms import OF_CELLS, Algorithm
from tcloseness.conformance.inputs import Distributions, Table
from tcloseness.conformance.readings.cells import NULL_WORDS, PROTOTYPE_NAMES, SEPARATORS
from tcloseness.conformance.released_tables import PROTECTED, random_released, small_released

__all__ = ["candidates", "parameter_choices", "random_input"]

KEYS, VALUES = "abcdefgh", "xyzwvu"
NUMBERS = ("1", "2", "3", "4", "5", "6")
LONG = ("9", "10", "100", "11", "2", "1000")
SPACED = ("1", "2", "4", "10", "11", "20")
DECIMALS = ("0.5", "1", "2.25", "3", "4", "7.5")
TREE = {"x": ("A", "*"), "y": ("A", "*"), "z": ("B", "*"), "w": ("B", "*"), "v": ("C", "*"), "u": ("C", "*")}
DISTANCE = (
    VALUES[:4],
    (("0", "1/2", "1", "3/4"), ("1/2", "0", "3/4", "1/4"), ("1", "3/4", "0", "1/2"), ("3/4", "1/4", "1/2", "0")),
)
KEY_TREE = (("a", "A", "*"), ("b", "A", "*"), ("c", "B", "*"), ("d", "B", "*"), ("e", "E", "*"))
SECOND_TREE = (("f", "*"), ("g", "*"), ("h", "*"))


def growth(n: int, most: int) -> Iterator[tuple[int, ...]]:
    """Yield all ways to partition n rows into numbered blocks: each number first appears after all smaller ones."""

    def extend(head: tuple[int, ...]) -> Iterator[tuple[int, ...]]:
        if len(head) == n:
            yield head
            return
        for number in range(min(max(head, default=-1) + 2, most)):
            yield from extend((*head, number))

    return extend(())


def onto(n: int, most: int) -> Iterator[tuple[int, ...]]:
    """Yield all sequences of n numbers that use 0, …, some m − 1, each at least once."""
    for sequence in product(range(min(n, most)), repeat=n):
        if set(sequence) == set(range(max(sequence) + 1)):
            yield sequence


def labels(algorithm: Algorithm, kind: str) -> tuple[Sequence[str], str]:
    """Return the sensitive values for an algorithm, and their type."""
    if algorithm.name == "t-ordered-by-value" or kind == "spaced":
        return (SPACED, "integer") if kind == "spaced" else (DECIMALS, "decimal")
    if kind == "long-numbers":
        return LONG, "integer"
    return (NUMBERS, "integer") if algorithm.name == "t-ordered" else (VALUES, "text")


def table_of(
    algorithm: Algorithm, keys: Sequence[int], codes: Sequence[int], kind: str = "plain", times: Sequence[int] = ()
) -> Table:
    """Build a table from class numbers and value numbers."""
    values, typed = labels(algorithm, kind)
    rows = tuple((KEYS[z], values[s]) for z, s in zip(keys, codes, strict=True))
    table = Table(("z", "s"), ("text", typed), rows, ("z",), ("s",), times=tuple(times) or None)
    return with_ground(algorithm, table, kind)


def with_ground(algorithm: Algorithm, table: Table, kind: str) -> Table:
    """Add what the algorithm needs: a hierarchy of the sensitive attribute, or a matrix."""
    if algorithm.name == "t-hierarchical":
        used = [v for v in VALUES if v in VALUES[:4] or v in table.column("s")]
        paths = tuple((v, *(("same " + v,) if kind == "trivial-level" else ()), *TREE[v]) for v in used)
        return replace(table, hierarchies={"s": paths})
    if algorithm.name == "t-matrix":
        return replace(table, distance=(tuple(DISTANCE[0]), DISTANCE[1]))
    return table


def small(algorithm: Algorithm, kind: str = "plain") -> Iterator[Table]:
    """Yield all tables of up to 4 rows."""
    for n in range(1, 5):
        found = [
            (keys, codes) for keys in growth(n, 3) for codes in onto(n, 4) if kind != "one-value" or not any(codes)
        ]
        found.sort(key=lambda pair: (max(pair[0]), max(pair[1]), pair))
        for keys, codes in found:
            yield table_of(algorithm, keys, codes, kind)


def plain(algorithm: Algorithm, rng: random.Random, kind: str = "plain") -> Iterator[Table]:
    """Yield all tables of up to 4 rows, then random ones of up to 10."""
    most = 4
    yield from small(algorithm, kind)
    if kind == "boundary":
        for times in sorted(product(range(1, 5), repeat=4), key=sum):
            yield table_of(algorithm, (0, 0, 1, 1), (0, 1, 0, 1), kind, times)
    for _ in range(1500):
        n = rng.randint(5, 10)
        drawn_keys = relabelled([rng.randrange(3) for _ in range(n)])
        drawn_codes = shuffled_onto(rng, n, most)
        drawn = [rng.randint(1, 60) for _ in range(n)] if kind == "boundary" and rng.random() < 0.7 else ()
        yield table_of(algorithm, drawn_keys, drawn_codes, kind, drawn)


def relabelled(numbers: Sequence[int]) -> list[int]:
    """Number blocks by appearance."""
    seen: dict[int, int] = {}
    return [seen.setdefault(number, len(seen)) for number in numbers]


def shuffled_onto(rng: random.Random, n: int, most: int) -> list[int]:
    """Draw a sequence that uses 0, …, m − 1."""
    m = rng.randint(1, min(most, n))
    codes = [*range(m), *(min(rng.randrange(m), rng.randrange(m)) for _ in range(n - m))]
    rng.shuffle(codes)
    return codes


def changed(table: Table, column: str, row: int, text: str | None) -> Table:
    """Change one cell."""
    place = table.columns.index(column)
    cells = list(table.rows[row])
    cells[place] = text
    return replace(table, rows=(*table.rows[:row], tuple(cells), *table.rows[row + 1 :]))


def dressed(algorithm: Algorithm, needs: str, rng: random.Random) -> Iterator[Table]:
    """Yield small tables that have what a reading needs to show."""
    for table in plain(algorithm, rng):
        n = len(table.rows)
        match needs:
            case "foreign-labels" if n >= 2:
                yield replace(table, index=tuple(range(10, 10 + n)))
                yield replace(table, index=tuple(i % ((n + 1) // 2) for i in range(n)))
            case "permuted-labels" if 2 <= n <= 4:
                for order in islice(permutations(range(n)), 1, 7):
                    yield replace(table, index=order)
            case "missing-key":
                yield from (changed(table, "z", row, None) for row in reversed(range(n)))
                if n >= 4:
                    yield changed(changed(table, "z", n - 1, None), "z", n - 2, None)
            case "missing-value":
                yield from (changed(table, "s", row, None) for row in reversed(range(n)))
            case "unused-category":
                used = tuple(dict.fromkeys(row[0] or "" for row in table.rows))
                yield replace(table, categories={"z": (*used, "q")})
            case "decimal-key":
                yield replace(table, types=("decimal", table.types[1]), rows=rewritten(table, ("1", "2", "3"), ".0"))
            case "look-alike-key":
                yield replace(table, rows=rewritten(table, tuple(KEYS), " "))
            case "times":
                yield replace(table, times=tuple(1 + (i + len(table.rows)) % 3 for i in range(n)))


def rewritten(table: Table, names: Sequence[str], suffix: str) -> tuple[tuple[str | None, ...], ...]:
    """Write the key of each class anew, with a suffix on every record of it but the first."""
    seen: set[str | None] = set()
    rows = []
    for key, *rest in table.rows:
        name = names[KEYS.index(key or "a")]
        rows.append((name + (suffix if key in seen else ""), *rest))
        seen.add(key)
    return tuple(rows)


def with_keys(table: Table, keys: Sequence[tuple[str | None, ...]], kind: str = "text") -> Table:
    """Put other quasi-identifiers in the place of the classes a, b, c: one column, or two."""
    names = ("z", "y")[: len(keys[0])]
    rows = tuple((*keys[KEYS.index(row[0] or "a")], *row[1:]) for row in table.rows)
    types = (kind,) * len(names) + table.types[1:]
    return replace(table, columns=(*names, *table.columns[1:]), types=types, rows=rows, quasi_identifiers=names)


def with_values(table: Table, values: Sequence[str | None], kind: str = "text") -> Table:
    """Put other sensitive values in the place of the usual ones, in their order."""
    usual = list(dict.fromkeys(sorted((row[-1] or "" for row in table.rows), key=_place)))
    rows = tuple((*row[:-1], values[usual.index(row[-1] or "")]) for row in table.rows)
    return replace(table, types=(*table.types[:-1], kind), rows=rows)


def _place(value: str) -> int:
    return VALUES.index(value) if value in VALUES else len(VALUES) + int(float(value) * 4)


BIG = tuple(str(2**53 + i) for i in range(4))
RANKS = ("low", "medium", "high", "top")
OTHER_VALUES = ("x", "y", "z")
_DRESSED = (
    *("foreign-labels", "permuted-labels", "missing-key", "missing-value"),
    *("unused-category", "decimal-key", "look-alike-key", "times"),
)
_ALIKE = (
    "joined-keys",
    *("empty-key", "null-word-key", "big-key", "prototype-key"),
    *("empty-value", "null-word-value", "big-value", "prototype-value"),
    *("declared-order", "declared-unused"),
)
_NO_VALUES = ("k-anonymity", "discernibility", "average-class-size", "average-risk", "t-hierarchical", "t-matrix")
WITH_NAMES = (
    *("distinct-l", "entropy-l", "recursive-cl", "frequency-l", "alpha-k", "t-equal"),
    *("beta-basic", "beta-enhanced", "delta-disclosure", "classification-metric"),
)
"""The algorithms to which the sensitive values are names alone."""

_NUMBERS_ONLY = ("t-ordered", "t-ordered-by-value")


def of_cells_alike(algorithm: Algorithm, needs: str) -> Iterator[Table]:
    """Yield small tables with cells that somebody may take for the same, in each of their variants."""
    if needs.endswith("-value") and (
        algorithm.name in _NO_VALUES or (needs != "big-value" and algorithm.name in _NUMBERS_ONLY)
    ):
        return
    for table in small(algorithm):
        match needs:
            case "joined-keys":
                for s in SEPARATORS:
                    yield with_keys(table, ((f"a{s}b", "c"), ("a", f"b{s}c"), ("d", "e")))
            case "empty-key":
                yield with_keys(table, ((None,), ("",), ("a",)))
            case "empty-value":
                yield with_values(table, (None, "", *OTHER_VALUES))
            case "null-word-key":
                for word in NULL_WORDS:
                    yield with_keys(table, ((None,), (word,), ("a",)))
            case "null-word-value":
                for word in NULL_WORDS:
                    yield with_values(table, (None, word, *OTHER_VALUES))
            case "big-key":
                yield with_keys(table, tuple((number,) for number in BIG), "integer")
            case "big-value":
                yield with_values(table, BIG, "integer")
            case "prototype-key":
                for name in PROTOTYPE_NAMES:
                    yield with_keys(table, ((name,), ("a",), ("b",)))
            case "prototype-value":
                for name in PROTOTYPE_NAMES:
                    yield with_values(table, (name, *OTHER_VALUES))
            case "declared-order" | "declared-unused":
                ranked = with_values(table, RANKS)
                used = tuple(rank for rank in RANKS if rank in ranked.column("s"))
                yield replace(ranked, order=used if needs == "declared-order" else (*used, "extreme"))


def two_columns(algorithm: Algorithm, needs: str) -> Iterator[Table]:
    """Yield tables with two quasi-identifiers, or with two sensitive attributes."""
    for n in range(2, 5):
        for keys, others, codes in product(growth(n, 2), product(range(2), repeat=n), onto(n, 3)):
            table = table_of(algorithm, keys, codes)
            if needs == "two-keys":
                joined = tuple((row[0], "fg"[y], row[1]) for row, y in zip(table.rows, others, strict=True))
                names, types = ("z", "y", "s"), ("text", "text", table.types[1])
                yield replace(table, columns=names, types=types, rows=joined, quasi_identifiers=names[:2])
            elif algorithm.name not in ("t-hierarchical", "t-matrix"):
                values, typed = labels(algorithm, "plain")
                rows = tuple((*row, values[u]) for row, u in zip(table.rows, others, strict=True))
                names, types = ("z", "s", "u"), ("text", table.types[1], typed)
                yield replace(table, columns=names, types=types, rows=rows, sensitive=names[1:])


def weighted(algorithm: Algorithm, sizes: Sequence[int]) -> Iterator[Table]:
    """Yield tables of a few rows that stand for many records each."""
    for size in sizes:
        for keys, codes in (((0, 1), (0, 1)), ((0, 1), (0, 2)), ((0, 0, 1), (0, 1, 2)), ((0, 0, 1, 1), (0, 1, 1, 2))):
            gaps = algorithm.name in ("t-hierarchical", "t-matrix")
            for shift in (0, 1, size // 3):
                times = tuple(size + shift * (i % 2) for i in range(len(keys)))
                yield table_of(algorithm, keys, codes if gaps else relabelled(codes), times=times)


def generalizing(rows: Sequence[tuple[str, str, str]], **levels: int) -> Table:
    """Build a table with two hierarchies."""
    trees = {"z": KEY_TREE, "y": SECOND_TREE}
    return Table(("z", "y", "s"), ("text",) * 3, tuple(rows), ("z", "y"), ("s",), hierarchies=trees, levels=levels)


def of_cells() -> Iterator[Table]:
    """Yield generalized tables with one and two hierarchies."""
    for level, n in product(range(3), range(1, 4)):
        for keys in product("abcde", repeat=n):
            rows = tuple((key, "x") for key in keys)
            table = Table(("z", "s"), ("text", "text"), rows, ("z",), ("s",))
            yield replace(table, hierarchies={"z": KEY_TREE}, levels={"z": level})
            both = [(key, "fgh"[i % 3], "x") for i, key in enumerate(keys)]
            yield from (generalizing(both, z=level, y=second) for second in range(2))


def drawn_rows(rng: random.Random, n: int) -> list[tuple[str, str, str]]:
    """Draw rows for two hierarchies."""
    return [(rng.choice("abcde"), rng.choice("fgh"), rng.choice("xxyz")) for _ in range(n)]


def of_lattices(rng: random.Random) -> Iterator[Table]:
    """Yield tables with two hierarchies."""
    for n in (3, 4, 5, 6):
        yield from (generalizing(drawn_rows(rng, n)) for _ in range(250))


def shares(rng: random.Random, m: int, largest: int = 4) -> tuple[str, ...]:
    """Draw a distribution with a small denominator."""
    counts = [rng.randint(0, largest) for _ in range(m)]
    counts[rng.randrange(m)] += 1
    return tuple(str(Fraction(c, sum(counts))) for c in counts)


def metric(rng: random.Random, m: int, unit: Fraction) -> list[list[Fraction]]:
    """Draw a metric: shortest paths over random lengths."""
    d = [[Fraction(0)] * m for _ in range(m)]
    for i in range(m):
        for j in range(i):
            d[i][j] = d[j][i] = rng.randint(1, 5) * unit
    for k, i, j in product(range(m), repeat=3):
        d[i][j] = min(d[i][j], d[i][k] + d[k][j])
    return d


def of_distributions(needs: str, rng: random.Random) -> Iterator[Distributions]:
    """Yield pairs of distributions with a ground distance."""
    for m in (2, 2, 3, 3, 4, 5):
        for _ in range(120):
            p, q = shares(rng, m, 2 if m < 4 else 4), shares(rng, m, 2 if m < 4 else 4)
            d = metric(rng, m, Fraction(1, 4) if needs == "fractional-costs" else Fraction(1))
            if needs == "asymmetric":
                d = [[x + (i < j) * rng.randint(0, 2) for j, x in enumerate(row)] for i, row in enumerate(d)]
            if needs == "no-triangle":
                d = [[Fraction(0 if i == j else rng.choice((1, 1, 7))) for j in range(m)] for i in range(m)]
                d = [[d[max(i, j)][min(i, j)] for j in range(m)] for i in range(m)]
            if needs == "not-normalised":
                p = tuple(str(Fraction(x) * rng.choice((2, 3))) for x in p)
            if needs == "negative":
                p = (str(Fraction(p[0]) - 1), str(Fraction(p[1]) + 1), *p[2:])
            yield Distributions(p, q, tuple(tuple(map(str, row)) for row in d))


def candidates(algorithm: Algorithm, needs: str, rng: random.Random) -> Iterator[Table | Distributions]:
    """Yield inputs for an algorithm that have what a reading needs to show, the smallest first."""
    if algorithm.kind == "distance":
        yield from of_distributions(needs, rng)
    elif algorithm.kind == "lattice":
        yield from of_lattices(rng)
    elif algorithm.kind == "disclosure":
        yield from small_released(algorithm, rng)
    elif algorithm.name in OF_CELLS:
        yield from of_cells()
    elif needs in ("two-keys", "two-sensitive"):
        yield from two_columns(algorithm, needs)
    elif needs in ("large", "huge", "gigantic"):
        sizes = {"large": (46_341, 50_000, 65_536), "huge": (2**31, 3_037_000_500, 2**32), "gigantic": (2**53 + 1,)}
        yield from weighted(algorithm, sizes[needs])
    elif needs in _DRESSED:
        yield from dressed(algorithm, needs, rng)
    elif needs in _ALIKE:
        yield from of_cells_alike(algorithm, needs)
    else:
        yield from plain(algorithm, rng, needs)


def parameter_choices(algorithm: Algorithm) -> list[dict[str, str]]:
    """Return choices of the parameters beside the threshold."""
    match algorithm.name:
        case "recursive-cl":
            return [{"l": "2"}, {"l": "3"}]
        case "alpha-k":
            return [{"k": "1"}, {"k": "2"}]
        case "delta-disclosure":
            return [{"base": "2"}, {"base": "e"}]
        case "average-class-size":
            return [{"k": "2"}, {"k": "3"}]
        case "minimal-nodes" | "optimal-nodes":
            return [
                {"model": "k-anonymity", "threshold": "2"},
                {"model": "distinct-l", "threshold": "2"},
                {"model": "t-equal", "threshold": "1/3"},
            ]
        case "greatest-belief":
            return [{"level": level, "value": PROTECTED} for level in ("code", "labels")]
        case "consistent-originals" | "certain-values":
            return [{"level": level} for level in ("code", "labels")]
    return [{}]


def varied(algorithm: Algorithm, table: Table, rng: random.Random) -> Table:
    """Write a third of the tables with cells that somebody may take for the same, or with a declared order."""
    chosen = rng.randrange(12)
    keys = list(dict.fromkeys(row[0] for row in table.rows))
    if (
        algorithm.kind in ("lattice", "disclosure")
        or table.hierarchies.keys() & set(table.quasi_identifiers)
        or None in keys
    ):
        return table
    odd = [*NULL_WORDS, *PROTOTYPE_NAMES, *(f"a{s}b" for s in SEPARATORS), "", "a", "b", "B", " b", "1", "1.0"]
    if chosen == 0:
        return with_keys(table, [(text,) for text in [None, *rng.sample(odd, len(keys))]])
    if chosen == 1:
        s = rng.choice(SEPARATORS)
        return with_keys(table, ((f"a{s}b", "c"), ("a", f"b{s}c"), (f"a{s}b{s}c", ""), ("", "c"), ("c", "")))
    if chosen == 2:
        return with_keys(table, [(str(2**53 + i),) for i in rng.sample(range(9), len(keys))], "integer")
    ordered = algorithm.name == "t-ordered"
    if (chosen == 3 and algorithm.name in WITH_NAMES) or (chosen in (3, 4, 5) and ordered):
        names = rng.sample(odd, 8)
        named = with_values(table, names)
        return replace(named, order=tuple(rng.sample(names, 8))) if ordered else named
    return table


def random_input(algorithm: Algorithm, rng: random.Random) -> Table | Distributions:
    """Draw an input of no particular kind, with more rows than the smallest."""
    if algorithm.kind == "distance":
        return next(islice(of_distributions("plain", rng), rng.randint(250, 600), None))
    if algorithm.kind == "disclosure":
        return random_released(algorithm, rng)
    if algorithm.kind == "lattice" or algorithm.name in OF_CELLS:
        rows = drawn_rows(rng, rng.randint(3, 9))
        levels = {} if algorithm.kind == "lattice" else {"z": rng.randrange(3), "y": rng.randrange(2)}
        return generalizing(rows, **levels)
    n = rng.randint(4, 14)
    keys = relabelled([rng.randrange(rng.randint(1, 4)) for _ in range(n)])
    most = 4 if algorithm.name == "t-matrix" else 6
    times = tuple(rng.choice((1, 1, 2, 3, 7, 40)) for _ in range(n)) if rng.random() < 0.3 else ()
    kind = rng.choice(("plain", "long-numbers", "spaced")) if algorithm.name == "t-ordered" else "plain"
    table = table_of(algorithm, keys, shuffled_onto(rng, n, most), kind, times)
    if rng.random() < 0.2 and n > 4:
        table = changed(table, "z", rng.randrange(n), None)
    if rng.random() < 0.2:
        table = replace(table, index=tuple(rng.sample(range(n), n)))
    return table
