"""Certificates of what several releases say together: weights prove what is so, and no weights prove what is not."""

from __future__ import annotations

import copy
import itertools
import json
import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest

from proofs_tests.attacks.linked_tables import Linked, drawn
from proofs_tests.attacks.papers import linked
from proofs_tests.certificates.changes import ODD, changed, places_of, with_at
from tcloseness.attacks import complementary_release_attack
from tcloseness.certificates import Reading, composition, read_counts, seal, verify_composition
from tcloseness.certificates.composition import Bounds, published_sums, read_composition
from tcloseness.errors import CertificateError, CertificateFormatError, InputError
from tcloseness.strict_records import Work

Record = dict[str, Any]


def sealed(record: Record) -> str:
    return json.dumps({**record, "sha256": seal(record)})


def proved(table: Linked) -> tuple[Record, list[bytes]] | None:
    """A certificate and the published tables; None if nobody is revealed."""
    found = complementary_release_attack(table.releases, fewer_than=3)
    return (json.loads(found.certificate()), found.published()) if found.facts else None


def solutions(cells: list[list[Any]], counts: dict[tuple[int, int, int], int]) -> Iterator[dict[tuple[int, int], int]]:
    """Yield every way to give values to the persons of each cell that satisfies the counts: x by cell and value."""
    left = Counter(counts)
    of_class: dict[tuple[int, int], list[int]] = {}
    for r, g, v in counts:
        of_class.setdefault((r, g), []).append(v)
    chosen: dict[tuple[int, int], int] = {}

    def hand_out(c: int) -> Iterator[dict[tuple[int, int], int]]:
        if c == len(cells):
            if not any(left.values()):
                yield dict(chosen)
            return
        *places, size = cells[c]
        inside = [(r, g) for r, g in enumerate(places) if g is not None]
        for given in itertools.combinations_with_replacement(of_class[inside[0]], size):
            number = Counter(given)
            if all(left[r, g, v] >= n for r, g in inside for v, n in number.items()):
                for r, g in inside:
                    for v, n in number.items():
                        left[r, g, v] -= n
                chosen.update({(c, v): n for v, n in number.items()})
                yield from hand_out(c + 1)
                for v in number:
                    del chosen[c, v]
                for r, g in inside:
                    for v, n in number.items():
                        left[r, g, v] += n

    yield from hand_out(0)


def require_true(record: Record, tables: list[bytes]) -> None:
    """What a certificate states is so in every assignment, by trying all."""
    counts = published_sums([read_counts(table) for table in tables])[2]
    for x in solutions(record["cells"], counts):
        for fact in record["facts"]:
            number = x.get((fact["cell"], fact["value"]), 0)
            assert number <= fact["persons"] if fact["bound"] == "most" else number >= fact["persons"], fact


@pytest.mark.parametrize("cases", [30, pytest.param(600, marks=pytest.mark.slow)])
def test_what_is_proved_is_so_in_every_assignment(cases: int) -> None:
    draw, seen = random.Random(60), 0
    for _ in range(cases):
        given = proved(drawn(draw, persons=6))
        if given is not None:
            seen += len(given[0]["facts"])
            require_true(*given)
    assert seen > cases


@pytest.mark.long
@pytest.mark.parametrize("cases", [25, pytest.param(500, marks=pytest.mark.slow)])
def test_no_changed_certificate_is_accepted_that_states_what_is_not_so(cases: int) -> None:
    draw, kept, tried = random.Random(61), 0, 0
    for _ in range(cases):
        given = proved(drawn(draw, persons=6))
        if given is None:
            continue
        record, tables = given
        for _ in range(40):
            other = changed(draw, record)
            if draw.random() < 0.6:
                part = draw.choice(["facts", "facts", "cells"])
                other = {**record, part: changed(draw, record[part])}
            if draw.random() < 0.3:  # a fact that may be so or not, by weights that prove another
                fact = copy.deepcopy(draw.choice(record["facts"]))
                fact[draw.choice(["cell", "value", "persons"])] = draw.randint(0, 3)
                fact["bound"] = draw.choice(["least", "most"])
                other = {**record, "facts": [*record["facts"], fact]}
            if {**other, "sha256": ""} == {**record, "sha256": ""}:
                continue
            tried += 1
            with pytest.raises(CertificateFormatError):
                verify_composition(json.dumps(other), tables)  # its seal
            try:
                verify_composition(sealed(other), tables)
            except CertificateError:
                continue
            kept += 1
            require_true(other, tables)
    assert kept
    assert tried > 10 * cases


@pytest.mark.parametrize("tables", [1, pytest.param(40, marks=pytest.mark.slow)])
def test_nothing_odd_in_any_place_is_more_than_refused(tables: int) -> None:
    draw = random.Random(62)
    for _ in range(tables):
        given = None
        while given is None:
            given = proved(drawn(draw, persons=5))
        record, files = given
        for way in places_of(record):
            for odd in draw.sample(ODD, 3):
                other = with_at(record, way, odd)
                if json.dumps(other) == json.dumps(record):
                    continue
                try:
                    verify_composition(sealed(other), files)
                except CertificateError:
                    continue
                require_true(other, files)


def li() -> tuple[Record, list[bytes]]:
    found = complementary_release_attack([linked("li_table4", "Disease"), linked("li_table5", "Disease")])
    return json.loads(found.certificate()), found.published()


def test_the_weights_of_a_small_table_are_the_counts_that_a_reader_would_name() -> None:
    """Person 2 alone can have the one gastritis of {1,2,3}, and 8 the one pneumonia of {7,8,9}, or of {1,3,8}."""
    record, tables = li()
    named = [[part["classes"][at[1]], record["values"][at[2]]] for fact in record["facts"] for *at, _ in fact["sums"]
             for part in [record["releases"][at[0]]]]  # fmt: skip
    assert [value for _, value in named] == ["text:gastritis", "text:pneumonia"]
    assert all(fact["sums"][0][-1] == "-1" and len(fact["sums"]) == 1 for fact in record["facts"])
    assert verify_composition(json.dumps(record), tables) == (
        "2 facts; the value of 2 persons of 9, in 2 of 5 combinations of classes, is certain; published counts "
        "that prove a fact: 1 (median), 1 at most"
    )
    assert read_composition(json.dumps(record))[1] == record


CHANGES = [
    (("values",), lambda values: values[::-1], "values are not those"),
    (("releases", 0, "classes"), lambda classes: classes[::-1], "classes of a release"),
    (("releases", 1, "classes"), lambda classes: classes[:-1], "classes of a release"),
    (("cells", 0, -1), lambda size: size + 1, "not as many persons as records"),
    (("cells",), lambda cells: [*cells, cells[0]], "named before"),
    (("cells",), lambda cells: [*cells, [None, None, 1]], "in no release"),
    (("cells",), lambda cells: cells[:-1], "not as many persons as records"),
    (("facts", 0, "sums"), lambda sums: [*sums, sums[0]], "one twice"),
    (("facts", 0, "sums", 0), lambda entry: [7, *entry[1:]], "not published"),
    (("facts", 0, "sums", 0), lambda entry: ["-1"], "at least 2"),
    (("facts", 0, "sums", 0, -1), lambda _: "0", "fewer persons"),
    (("facts", 0, "sums", 0, -1), lambda _: "1", "fewer persons"),
    (("facts", 0, "sums", 0, -1), lambda _: "-2/2", "lowest terms"),
    (("facts", 0, "value"), lambda value: value + 1, "fewer persons"),
    (("facts", 0, "persons"), lambda _: 2, "from 0 to 1"),
    (("facts", 0, "bound"), lambda _: "exactly", "'least' or 'most'"),
    (("facts",), lambda _: [], "at least 1"),
    (("releases",), lambda releases: releases[:1], "at least 2"),
    (("releases", 0, "records"), lambda _: 8, "release 1 has 9 records, and not 8"),
    (("releases", 1, "sensitive"), lambda _: "Salary", "different sensitive attributes"),
    (
        ("releases",),
        lambda releases: [{**each, "sensitive": None} for each in releases],
        "no sensitive attribute; the facts are about the values of one",
    ),
    (("releases", 1, "digest"), lambda _: "0" * 64, "another release 2"),
    (("statement",), lambda _: "all is well", "its statement is"),
]


@pytest.mark.parametrize(("way", "change", "said"), CHANGES)
def test_what_is_wrong_is_named(way: tuple[Any, ...], change: Any, said: str) -> None:
    record, tables = li()
    at = record
    for key in way:
        at = at[key]
    with pytest.raises(CertificateError, match=said):
        verify_composition(sealed(with_at(record, way, change(at))), tables)


def test_whoever_is_in_one_release_alone_is_in_a_cell_of_that_release() -> None:
    """The person in class a of the first release is not known to be the one in class a of the second."""
    tables = [b'["tcloseness-counts-1","q","s"]\n["text:a","text:x",1]\n["text:b","text:y",1]\n'] * 2
    counts = read_counts(tables[0])
    one = {"digest": counts.digest, "quasi_identifiers": ["q"], "sensitive": "s", "records": 2}
    release = {**one, "reading": Reading().to_dict(), "classes": [["text:a"], ["text:b"]]}
    record = {
        "format": composition.COMPOSITION,
        "statement": composition.STATEMENT,
        "releases": [release, release],
        "values": ["text:x", "text:y"],
        "cells": [[0, None, 1], [None, 0, 1], [1, 1, 1]],
        "facts": [
            {"cell": 0, "value": 0, "bound": "least", "persons": 1, "sums": [[0, "-1"]]},
            {"cell": 2, "value": 1, "bound": "least", "persons": 1, "sums": [[1, 1, 1, "-1"]]},
        ],
    }
    assert verify_composition(sealed(record), tables) == (
        "2 facts; the value of 1 person of 1, in 1 of 1 combination of classes, is certain, and that of 1 of 2 "
        "records linked to no other release; published counts that prove a fact: 1 (median), 1 at most"
    )


def test_facts_that_are_proved_tighten_what_later_ones_need() -> None:
    """Each class of two persons has the values 0 and 1 once."""
    cells: Any = {(0, 0): 1, (0, 1): 1, (1, 0): 1, (1, 1): 1}
    counts = {(0, 0, 0): 1, (0, 0, 1): 1, (0, 1, 0): 1, (0, 1, 1): 1, (1, 0, 0): 1, (1, 0, 1): 1}
    counts |= {(1, 1, 0): 1, (1, 1, 1): 1}
    known = Bounds(cells, counts)
    row: Any = {(0, 0, 0): Fraction(-1)}
    assert known.at_most(1, 0, -1, row, Work(None)) == 0  # of cells 0 and 1 one has value 0, and it may be cell 0
    known.high[0, 0] = 0
    assert known.at_most(1, 0, -1, row, Work(None)) == -1
    known.low[0, 1] = 1
    assert known.at_most(1, 1, 1, {(0, 0, 1): Fraction(1)}, Work(None)) == 0


def test_tables_in_another_order_or_number_are_refused() -> None:
    record, tables = li()
    for given in (tables[::-1], tables[:1], [*tables, tables[0]]):
        with pytest.raises(CertificateFormatError, match=r"another release 1|is about 2 releases"):
            verify_composition(json.dumps(record), given)


def test_what_would_take_too_long_is_not_checked(monkeypatch: pytest.MonkeyPatch) -> None:
    record, tables = li()
    monkeypatch.setattr(composition, "_WORK", 100)
    with pytest.raises(CertificateFormatError, match="too long"):
        verify_composition(json.dumps(record), tables)


def test_who_states_a_fact_twice_states_no_more() -> None:
    record, tables = li()
    said = verify_composition(json.dumps(record), tables)
    for facts in ([*record["facts"], record["facts"][0]], [fact for fact in record["facts"] for _ in range(3)]):
        assert verify_composition(sealed({**record, "facts": facts}), tables) == said


def test_more_cells_and_values_than_memory_takes_are_refused_before_they_are_kept() -> None:
    """In one class of n persons with n values, each person may have each value: n² numbers are kept."""
    n = 60
    cells: Any = {(0, i): 1 for i in range(n)}
    counts = {(0, 0, v): 1 for v in range(n)} | {(1, i, v): 1 for i in range(n) for v in range(n)}
    for units, number in ((composition._NUMBER * n * n, n * n), (composition._NUMBER * n * n - 1, None)):
        if number is not None:
            assert len(Bounds(cells, counts, Work(units)).high) == number
        else:
            with pytest.raises(InputError, match="so many cells and values would take too long"):
                Bounds(cells, counts, Work(units))
