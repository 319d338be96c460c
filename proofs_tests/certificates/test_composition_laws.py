"""The bound that weights prove, by its formula; what it costs; and each condition of the checker."""

from __future__ import annotations

import itertools
import json
import random
from fractions import Fraction
from typing import Any

import pytest

from tcloseness.certificates import Reading, canonical_text, read_counts, seal, verify_composition
from tcloseness.certificates.composition import (
    COMPOSITION,
    STATEMENT,
    Bounds,
    Sum,
    published_sums,
)
from tcloseness.certificates.reading import MOST_RECORDS, Counts
from tcloseness.errors import CertificateError, CertificateFormatError, InputError
from tcloseness.strict_records import Work, common_bits

Counted = dict[tuple[int, int, int], int]


def drawn_sums(draw: random.Random) -> tuple[dict[tuple[int | None, ...], int], Counted]:
    """Cells of two or three releases, and the counts of an assignment; some values are in no class of a cell."""
    releases, values = draw.randint(2, 3), draw.randint(2, 4)
    cells: dict[tuple[int | None, ...], int] = {}
    counts: Counted = {}
    for _ in range(draw.randint(2, 5)):
        cell = tuple(draw.choice([None, 0, 1, 1]) for _ in range(releases))
        if cell.count(None) < releases and cell not in cells:
            cells[cell] = draw.randint(1, 4)
            for v in draw.choices(range(values), k=cells[cell]):
                for r, g in enumerate(cell):
                    if g is not None:
                        counts[r, g, v] = counts.get((r, g, v), 0) + 1
    return cells, counts


def test_the_bound_is_that_of_the_formula_and_costs_what_its_sums_have() -> None:
    """Σ_k y_k·b_k + Σ_i max(0, r_i)·u_i − Σ_i max(0, −r_i)·l_i for r = a − yA, over every x that may not be 0."""
    draw, tried = random.Random(63), 0
    while tried < 150:
        cells, counts = drawn_sums(draw)
        if not cells:
            continue
        tried += 1
        known, values = Bounds(cells, counts), sorted({v for _, _, v in counts})
        columns: dict[tuple[int, int], list[Sum]] = {}
        upper = {}
        for c, (cell, size) in enumerate(cells.items()):
            for v in [*values, 9]:
                inside: list[Any] = [(r, g, v) for r, g in enumerate(cell) if g is not None]
                columns[c, v] = [(c,), *inside]
                upper[c, v] = min(size, *(counts.get(at, 0) for at in inside))
        lower = {i: draw.choice([0, 0, 1]) for i, high in upper.items() if high}
        known.low.update(lower)
        assert known.high == {i: high for i, high in upper.items() if high}
        for at in [*counts, *((c,) for c in range(len(cells)))]:
            assert sorted(known.terms(at)) == sorted(i for i, sums in columns.items() if at in sums and upper[i])
        for r, g in itertools.product(range(3), range(2)):
            assert known.inside(r, g) == [c for c, cell in enumerate(cells) if (*cell, None, None, None)[r] == g]
        total = {**counts, **{(c,): size for c, size in enumerate(cells.values())}}
        chosen = draw.sample(sorted(total, key=repr), draw.randint(0, min(4, len(total))))
        weights: Any = {at: Fraction(draw.choice([-5, -2, -1, 1, 2, 3]), draw.choice([1, 2, 3])) for at in chosen}
        j, sign = draw.choice(list(upper)), draw.choice([1, -1])
        bound = sum((weights[at] * total[at] for at in weights), Fraction(0))
        for i, sums in columns.items():
            rest = Fraction(sign * (i == j)) - sum(weights.get(at, 0) for at in sums if upper[i])
            bound += rest * upper[i] if rest > 0 else rest * lower.get(i, 0)
        bits = common_bits(weights.values(), "") + MOST_RECORDS.bit_length()
        cost = sum((1 + sum(at in columns[i] for i in upper if upper[i])) * (100 + bits) for at in weights)
        work = Work(cost)
        assert known.at_most(*j, sign, weights, work) == bound
        assert work.left == 0
        if cost:
            with pytest.raises(InputError, match="too long"):
                known.at_most(*j, sign, weights, Work(cost - 1))


@pytest.mark.parametrize("names", [1, 2, 3])
def test_sums_are_by_release_and_by_the_places_of_sorted_classes_and_values(names: int) -> None:
    draw = random.Random(names)
    for _ in range(20):
        tables = []
        for _ in range(2):
            rows = [(*draw.choices("ab", k=names), draw.choice("xyz")) for _ in range(6)]
            tables.append(Counts.of([*(f"q{i}" for i in range(names)), "s"], {row: rows.count(row) for row in rows}))
        classes, values, found = published_sums(tables)
        assert values == sorted({row[names] for table in tables for row in table.counts})
        assert classes == [sorted({row[:names] for row in table.counts}) for table in tables]
        named = {(r, classes[r][g] + (values[v],)): count for (r, g, v), count in found.items()}
        assert named == {(r, row): count for r, table in enumerate(tables) for row, count in table.counts.items()}
        assert len(named) == len(found)


def fact(cell: int, value: int, bound: str, persons: int, *sums: list[Any]) -> dict[str, Any]:
    return {"cell": cell, "value": value, "bound": bound, "persons": persons, "sums": list(sums)}


def certificate(
    counts: list[dict[tuple[str, str], int]], cells: list[list[Any]], facts: list[Any]
) -> tuple[dict[str, Any], list[bytes]]:
    """A certificate about releases with one quasi-identifier."""
    tables = [
        canonical_text(["q", "s"], {(f"text:{g}", f"text:{v}"): n for (g, v), n in each.items()}).encode()
        for each in counts
    ]
    releases = []
    for table in tables:
        read = read_counts(table)
        releases.append(
            {
                "digest": read.digest,
                "quasi_identifiers": ["q"],
                "sensitive": "s",
                "records": sum(read.counts.values()),
                "reading": Reading().to_dict(),
                "classes": [[g] for g in sorted({g for g, _ in read.counts})],
            }
        )
    values = sorted({f"text:{v}" for each in counts for _, v in each})
    parts = {"releases": releases, "values": values, "cells": cells, "facts": facts}
    return {"format": COMPOSITION, "statement": STATEMENT, **parts}, tables


def checked(record: dict[str, Any], tables: list[bytes]) -> str:
    return verify_composition(json.dumps({**record, "sha256": seal(record)}), tables)


FIRST = {("a", "x"): 1, ("a", "y"): 1, ("b", "z"): 1}
SECOND = {("a", "y"): 1, ("a", "z"): 1, ("b", "x"): 1}
CELLS = [[0, 0, 1], [0, 1, 1], [1, 0, 1]]
X, Y, Z = range(3)
HAS_Y = fact(0, Y, "least", 1, [0, "-1"])
NO_OTHER_Y = fact(1, Y, "most", 0, [0, 0, Y, "1"])
SO_X = fact(1, X, "least", 1, [1, "-1"])


def test_a_fact_rests_on_those_before_it_and_on_no_later_one() -> None:
    """Cell 0 has y alone in both of its classes; then the other in its first class has no y; then that one has x.

    Here a value in no common class is left out, so that the last two bounds are as close without the first: they are
    tried with a third release in which everybody is together, and the second in which cell 1 may have y.
    """
    assert "3 facts" in checked(*certificate([FIRST, SECOND], CELLS, [HAS_Y, NO_OTHER_Y, SO_X]))
    second = {("a", "y"): 1, ("a", "z"): 1, ("b", "x"): 1, ("b", "y"): 1}
    first = {("a", "x"): 1, ("a", "y"): 1, ("b", "z"): 1, ("c", "y"): 1}
    cells = [*CELLS, [2, 1, 1]]
    chain = [HAS_Y, NO_OTHER_Y, SO_X]
    assert "3 facts" in checked(*certificate([first, second], cells, chain))
    looser = [HAS_Y, fact(0, Y, "least", 0), NO_OTHER_Y, fact(1, Y, "most", 1), SO_X]
    assert "5 facts" in checked(*certificate([first, second], cells, looser))
    for order in itertools.permutations(chain):
        if list(order) != chain:
            with pytest.raises(CertificateError, match="is not proved"):
                checked(*certificate([first, second], cells, list(order)))
    for lacking in chain[:2]:
        with pytest.raises(CertificateError, match="is not proved"):
            checked(*certificate([first, second], cells, [each for each in chain if each is not lacking]))


def test_what_says_nothing_helps_nothing() -> None:
    first = {("a", "x"): 1, ("a", "y"): 1}
    cells = [[0, 0, 1], [0, 1, 1]]
    second = {("a", "x"): 1, ("b", "y"): 1}
    for nothing in (fact(1, Y, "least", 0), fact(0, X, "most", 1), fact(0, Y, "most", 1), fact(1, X, "least", 0)):
        assert "1 fact;" in checked(*certificate([first, second], cells, [nothing]))
    same = [{("a", "x"): 1, ("a", "y"): 1}] * 2
    one = [[0, 0, 2]]
    with pytest.raises(CertificateError, match="fact"):
        checked(*certificate(same, one, [fact(0, Y, "least", 0), fact(0, X, "most", 0, [0, 0, X, "0"])]))
    two = [{("a", "x"): 1, ("a", "y"): 1, ("b", "x"): 1, ("b", "y"): 1}, {("a", "x"): 1, ("a", "y"): 1, ("b", "x"): 1,
           ("b", "y"): 1}]  # fmt: skip
    square = [[0, 0, 1], [0, 1, 1], [1, 0, 1], [1, 1, 1]]
    with pytest.raises(CertificateError, match="more persons of the cell may have the value"):
        checked(*certificate(two, square, [fact(1, Y, "least", 0), fact(0, Y, "most", 0, [0, 0, Y, "1"])]))


def test_a_value_that_a_cell_cannot_have_stays_so_whatever_is_said_of_it() -> None:
    """Nobody of cell 0 has x; that at most one has it is true, and does not widen what is known."""
    facts = [fact(0, X, "most", 1), fact(0, X, "most", 0)]
    assert "2 facts" in checked(*certificate([FIRST, SECOND], CELLS, facts))


def test_a_bound_must_be_below_the_next_whole_number() -> None:
    """x ≤ 2 proves at most 2 and not at most 1; x ≥ 0 proves at least 0 and not at least 1."""
    same = [{("a", "x"): 2, ("a", "y"): 1}] * 2
    cells = [[0, 0, 3]]
    assert "1 fact;" in checked(*certificate(same, cells, [fact(0, X, "most", 2)]))
    assert "1 fact;" in checked(*certificate(same, cells, [fact(0, X, "least", 2, [0, 0, X, "-1"])]))
    assert "1 fact;" in checked(*certificate(same, cells, [fact(0, X, "least", 0)]))
    assert "1 fact;" in checked(*certificate(same, cells, [fact(0, X, "most", 2, [0, 0, X, "5/4"], [0, "1/9"])]))
    for bound, persons, said in [("most", 1, "more persons"), ("least", 1, "fewer persons"), ("most", 0, "more")]:
        with pytest.raises(CertificateError, match=said):
            checked(*certificate(same, cells, [fact(0, X, bound, persons)]))
    with pytest.raises(CertificateError, match="fewer persons"):
        checked(*certificate(same, cells, [fact(0, X, "least", 3, [0, 0, X, "-1"])]))


def test_what_is_known_proves_itself_and_no_more_than_itself() -> None:
    """With no sums, and with those by which it was proved."""
    x, y = 4, 3
    same = [{("a", "x"): x, ("a", "y"): y}] * 2
    cells = [[0, 0, x + y]]
    for known in (fact(0, X, "least", x, [0, 0, X, "-1"]), fact(0, Y, "most", y, [0, 0, Y, "1"])):
        for sums in ([], known["sums"]):
            for persons in range(x + y + 1):
                record, tables = certificate(same, cells, [known, {**known, "persons": persons, "sums": sums}])
                if persons <= x if known["bound"] == "least" else persons >= y:
                    assert checked(record, tables)
                else:
                    with pytest.raises(CertificateError, match="is not proved"):
                        checked(record, tables)


def test_the_value_of_persons_is_certain_where_all_of_a_cell_have_it() -> None:
    """Not where at most all have it, nor where at least some have it."""
    same = [{("a", "x"): 2, ("a", "y"): 1, ("b", "y"): 2}] * 2
    cells = [[0, 0, 3], [1, 1, 2]]
    said = "2 facts; the value of 0 persons of 5, in 0 of 2 combinations of classes, is certain"
    facts = [fact(1, Y, "most", 2), fact(0, X, "least", 2, [0, 0, X, "-1"])]
    assert checked(*certificate(same, cells, facts)).startswith(said)
    facts = [fact(1, Y, "least", 2, [1, "-1"])]
    assert checked(*certificate(same, cells, facts)) == (
        "1 fact; the value of 2 persons of 5, in 1 of 2 combinations of classes, is certain; published counts that "
        "prove a fact: 1 (median), 1 at most"
    )
    three = [{("a", "x"): 3}] * 3
    cells = [[0, 0, None, 1], [0, None, None, 1], [None, 0, 0, 1], [None, None, 0, 1], [0, 0, 0, 1], [None, None, 0, 1]]
    with pytest.raises(CertificateError, match="named before"):
        checked(*certificate(three, cells, [fact(0, 0, "least", 1, [0, "-1"])]))
    facts = [fact(0, 0, "least", 1, [0, "-1"]), fact(1, 0, "least", 1, [1, "-1"])]
    assert checked(*certificate(three, cells[:5], facts)).startswith(
        "2 facts; the value of 1 person of 3, in 1 of 3 combinations of classes, is certain, and that of 1 of 2 "
    )


DEEP: Any = "a"
for _ in range(8):
    DEEP = [DEEP]

REFUSED = [
    (("releases", 0, "classes"), [], "classes has 0 entries; it must have at least 1"),
    (("cells",), [], "cells has 0 entries; it must have at least 1"),
    (("cells", 0), [0, 0], "has 2 entries; it must have 3"),
    (("cells", 0, 0), 2, "must be a whole number from 0 to 1"),
    (("cells", 0, 2), 0, "must be a whole number from 1 to"),
    (("cells", 0, 2), MOST_RECORDS + 1, "must be a whole number from 1 to"),
    (("facts", 0, "cell"), 3, "must be a whole number from 0 to 2"),
    (("facts", 0, "value"), 3, "must be a whole number from 0 to 2"),
    (("facts", 0, "persons"), 2, "must be a whole number from 0 to 1"),
    (("facts", 0, "sums", 0), ["-1"], "has 1 entries; it must have at least 2"),
    (("format",), "other", "its format is 'other'"),
    (("statement",), "other", "its statement is 'other'"),
    (("facts", 0, "sums"), DEEP, "more than 8 deep"),
]


@pytest.mark.parametrize(("way", "to", "said"), REFUSED)
def test_what_is_beyond_the_edge_of_the_form_is_refused_by_name(way: tuple[Any, ...], to: Any, said: str) -> None:
    record, tables = certificate([FIRST, SECOND], CELLS, [HAS_Y])
    assert "1 fact;" in checked(record, tables)
    record = json.loads(json.dumps(record))
    at: Any = record
    for step in way[:-1]:
        at = at[step]
    at[way[-1]] = to
    with pytest.raises(CertificateFormatError, match=said):
        checked(record, tables)
