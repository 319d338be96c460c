"""Inputs with a history: the tables of the papers, and tables at the limits of an arithmetic."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from importlib import resources
from typing import Any

from tcloseness.conformance.algorithms import OF_CELLS, Algorithm
from tcloseness.conformance.inputs import Distributions, Table
from tcloseness.conformance.released_tables import literature_tables

__all__ = ["boundary_tables", "paper_tables"]


def printed() -> list[dict[str, Any]]:
    """Return the printed tables: name, source, columns, rows, quasi-identifiers, sensitive attributes, hierarchy."""
    file = resources.files("tcloseness.conformance") / "paper_tables.json"
    records: list[dict[str, Any]] = json.loads(file.read_text(encoding="utf-8"))
    return records


def paper_tables(algorithm: Algorithm) -> Iterator[tuple[str, Table | Distributions]]:
    """Yield the papers' tables that an algorithm can be asked about, each with its source."""
    if algorithm.kind == "distance":
        yield from paper_distances()
    if algorithm.kind == "disclosure":
        yield from literature_tables(algorithm)
    if algorithm.kind in ("distance", "lattice", "disclosure") or algorithm.name in (*OF_CELLS, "t-matrix"):
        return
    for record in printed():
        columns = record["columns"]
        for name in record["sensitive"]:
            place = columns.index(name)
            numeric = all(row[place].isdigit() for row in record["rows"])
            hierarchy = record.get("hierarchies", {}).get(name)
            if algorithm.name in ("t-ordered", "t-ordered-by-value") and not numeric:
                continue
            if algorithm.name == "t-hierarchical" and not hierarchy:
                continue
            if numeric and algorithm.name not in ("t-ordered", "t-ordered-by-value", "t-equal"):
                continue  # every value once: nothing to tell
            kept = [*record["quasi_identifiers"], name]
            table = Table(
                tuple(kept),
                tuple("integer" if c == name and numeric else "text" for c in kept),
                tuple(tuple(row[columns.index(c)] for c in kept) for row in record["rows"]),
                tuple(record["quasi_identifiers"]),
                (name,),
            )
            if algorithm.name == "t-hierarchical":
                table = replace(table, hierarchies={name: tuple(map(tuple, hierarchy))})
            yield f"{record['source']}, {name}", table


def paper_distances() -> Iterator[tuple[str, Distributions]]:
    """Yield the worked distances of Li et al. 2007: salaries of nine people, three of them in a class."""
    ninth, third = ("1/9",) * 9, "1/3"
    matrix = tuple(tuple(f"{abs(i - j)}/8" for j in range(9)) for i in range(9))
    for kept in ((0, 1, 2), (3, 5, 8), (4, 6, 7), (0, 2, 6), (1, 4, 8)):
        p = tuple(third if i in kept else "0" for i in range(9))
        yield "Li et al. 2007, sections 4 and 5.1, salary", Distributions(p, ninth, matrix)


# ---------------------------------------------------------------------- limits of an arithmetic


def counts_table(algorithm: Algorithm, classes: dict[str, dict[str, int]]) -> Table:
    """Build a table whose rows stand for many records each."""
    ordered = algorithm.name in ("t-ordered", "t-ordered-by-value")
    names = sorted({v for counts in classes.values() for v in counts})
    number = {v: str(i + 1) for i, v in enumerate(names)}
    cells = [(key, number[v] if ordered else v, n) for key, counts in classes.items() for v, n in counts.items()]
    table = Table(
        ("z", "s"),
        ("text", "integer" if ordered else "text"),
        tuple((key, v) for key, v, _ in cells),
        ("z",),
        ("s",),
        times=tuple(n for *_, n in cells),
    )
    if algorithm.name == "t-hierarchical":
        paths = tuple((v, "A" if i % 2 == 0 else "B", "*") for i, v in enumerate(names))
        return replace(table, hierarchies={"s": paths})
    if algorithm.name == "t-matrix":
        m = len(names)
        rows = tuple(tuple("0" if i == j else f"{1 + (i + j) % 2}/2" for j in range(m)) for i in range(m))
        return replace(table, distance=(tuple(names), rows))
    return table


def boundary_tables(algorithm: Algorithm) -> Iterator[tuple[str, Table | Distributions]]:
    """Yield tables whose decision, or whose value, needs exact arithmetic."""
    if algorithm.kind == "distance":
        yield from thirds()
    if algorithm.kind in ("distance", "lattice", "disclosure") or algorithm.name in OF_CELLS:
        return
    for n in (46_340, 46_341, 65_536, 2**31, 2**53 + 1):
        yield (
            f"two classes of {n} records, each with one value",
            counts_table(algorithm, {"a": {"x": n}, "b": {"y": n}}),
        )
        yield (
            f"classes of about {n} records, off by one",
            counts_table(algorithm, {"a": {"x": n, "y": n + 1}, "b": {"x": n + 1, "y": n}}),
        )
    if algorithm.name in ("entropy-l", "frequency-l", "distinct-l"):
        for values in (3, 5, 6, 10):
            for each in (1, 3):
                same = dict.fromkeys("abcdefghij"[:values], each)
                yield f"{values} values, {each} records each: exactly {values}", counts_table(algorithm, {"k": same})
        yield (
            "half of the records with one value, an eighth with each of four: the entropy is exactly that of 4",
            counts_table(algorithm, {"k": {"a": 4, "b": 1, "c": 1, "d": 1, "e": 1}}),
        )
    if algorithm.name in ("beta-basic", "beta-enhanced"):
        yield (
            "shares of 99 and 1 in one class, 1 and 24 in the other",
            counts_table(algorithm, {"a": {"x": 99, "y": 1}, "b": {"x": 1, "y": 24}}),
        )
    for tenths in (1, 2, 3, 4):
        many, few = 5 + tenths, 5 - tenths
        yield (
            f"two values, {10 * many} to {10 * few} percent against halves",
            counts_table(algorithm, {"a": {"x": many, "y": few}, "b": {"x": few, "y": many}}),
        )


def thirds() -> Iterator[tuple[str, Distributions]]:
    """Yield distributions whose masses no double holds."""
    for m in (3, 6, 7):
        uniform = tuple(f"1/{m}" for _ in range(m))
        first = ("1", *("0" for _ in range(m - 1)))
        matrix = tuple(tuple(f"{abs(i - j)}/{m - 1}" for j in range(m)) for i in range(m))
        yield f"all mass against {m} equal shares", Distributions(first, uniform, matrix)
    big = 2**53 + 1
    yield (
        "masses with the denominator 2^53 + 1",
        Distributions((f"1/{big}", f"{big - 1}/{big}"), ("0", "1"), (("0", "1"), ("1", "0"))),
    )
    yield (
        "distances above 2^53",
        Distributions(("1/2", "1/2"), ("1", "0"), (("0", str(big)), (str(big), "0"))),
    )
