"""The checker of tight labels accepts what every class has, and refuses whatever else is written into a certificate."""

from __future__ import annotations

import io
import itertools
import json
import random
import re
from collections import Counter
from fractions import Fraction

import pandas as pd
import pytest
from hypothesis import given, strategies as st

from proofs_tests.certificates.changes import ODD, changed, places_of, with_at
from proofs_tests.effort import effort
from tcloseness import Hierarchy, Table
from tcloseness.attacks.published import PublishedLabels
from tcloseness.certificates import Reading, levels_digest, levels_of, read_table, seal
from tcloseness.certificates.labels import (
    ClassFact,
    Tight,
    labels_text,
    read_labels_certificate,
    verify_labels,
)
from tcloseness.certificates.reading import PublishedCounts
from tcloseness.errors import CertificateError, CertificateFormatError, InputError, NotCertified
from tcloseness.microdata import FrequencySet
from tcloseness.release.unaligned import UnalignedRelease

CITIES = "Bonn,Rhine,DE,*\nKöln,Rhine,DE,*\nUlm,Danube,DE,*\nWien,Wien,AT,*\n"
SEXES = ["f", "m", "d, x", "'q'"]
READING = Reading()


def released(draw: random.Random, *, grid: dict[str, int] | None = None):
    """A small table, its release as a file, and what is known of it."""
    n = draw.randint(4, 12)
    frame = pd.DataFrame(
        {
            "age": [draw.randint(-2, 12) for _ in range(n)],
            "city": [draw.choice(["Bonn", "Köln", "Ulm", "Wien"]) for _ in range(n)],
            "sex": [draw.choice(SEXES) for _ in range(n)],
            "ill": [draw.choice("ab") for _ in range(n)],
        }
    )
    levels = Hierarchy([line.split(",") for line in CITIES.split()], name="city")
    table = Table(frame, quasi_identifiers=["age", "city", "sex"], sensitive="ill", hierarchies={"city": levels})
    found = table.anonymize(k=draw.randint(1, 4) if n > 4 else 2, seed=1, grid=grid)
    return frame, table, levels, found, found.rows.to_csv()


def labels(table, levels, found, text, *, alone: bool):
    published = pd.read_csv(io.StringIO(text), dtype=str)
    tight = {name: each.grid for name, each in found.release.recodings.items()}
    if alone:
        given = FrequencySet.from_frame(published, quasi_identifiers=["age", "city", "sex"], sensitive="ill")
    else:
        given = table.read_release(published.sample(frac=1, random_state=1).reset_index(drop=True))
        if not isinstance(given, UnalignedRelease):
            return None
    return PublishedLabels.of(given, {"city": levels}, tight)


@given(st.integers(0, 10**6), st.booleans(), st.booleans())
@effort(0.5)
def test_what_is_certain_has_a_certificate_and_is_true_of_every_class(number, alone, on_grid):
    """The truth: each class of the original has, in the records that show it, the values of each fact."""
    frame, table, levels, found, text = released(random.Random(number), grid={"age": 3} if on_grid else None)
    mine = labels(table, levels, found, text, alone=alone)
    if mine is None:
        return
    disclosed = mine.disclosed("tight")
    rows = {"city": levels_of(CITIES.encode(), "city", READING)}
    if not disclosed.facts:
        with pytest.raises(NotCertified, match="there is nothing to prove"):
            disclosed.certified(text.encode(), READING, rows)
        return
    certificate = disclosed.certified(text.encode(), READING, rows)
    assert "fact" in verify_labels(certificate, text.encode(), rows)
    truth: dict[tuple[str, ...], list[int]] = {}
    for row, label in enumerate(zip(*(found.release.table[name] for name in ("age", "city", "sex")), strict=True)):
        truth.setdefault(label, []).append(row)
    _, _, facts = read_labels_certificate(certificate)
    assert sum(len(fact["values"]) for fact in facts) == disclosed.counts["generalized cells"].certain
    for fact in facts:
        members = truth[tuple(each.removeprefix("text:") for each in fact["class"])]
        had = Counter(str(frame[fact["attribute"]][row]) for row in members)
        assert len(members) == fact["records"]
        assert not Counter(fact["values"]) - had
    in_python = table_disclosed(found)
    if not (alone and on_grid):
        assert disclosed.counts == in_python.counts


def found_in_text():
    text = "\n".join(["age,city,sex,ill", "3-8,Rhine,f,a", "3-8,Rhine,f,b", "9,Wien,m,a", ""])
    table = pd.read_csv(io.StringIO(text), dtype=str)
    given = FrequencySet.from_frame(table, quasi_identifiers=["age", "city", "sex"], sensitive="ill")
    levels = Hierarchy([line.split(",") for line in CITIES.split()], name="city")
    mine = PublishedLabels.of(given, {"city": levels}, dict.fromkeys(["age", "city", "sex"]))
    return mine.disclosed("tight"), text.encode(), {"city": levels_of(CITIES.encode(), "city", READING)}


def test_what_a_certificate_of_labels_needs_is_asked_for_by_name():
    """The hierarchies whose nodes are labels, and the very table: each error is one of the package's."""
    found, table, rows = found_in_text()
    with pytest.raises(InputError, match=r"no rows of the hierarchy of 'city' are given.*levels_of"):
        found.certified(table, READING)
    for other in (table.replace(b"3-8", b"3-7"), table.replace(b"city,", b"town,"), b"age\n", b""):
        with pytest.raises(CertificateError):
            found.certified(other, READING, rows)


def table_disclosed(found):
    from tcloseness.attacks import label_disclosure

    return label_disclosure(found)


def fixed():
    """A certificate whose first fact is of an age, and which is about the hierarchy too."""
    found, table, rows = found_in_text()
    return json.loads(found.certified(table, READING, rows)), table, rows


def sealed(record):
    record.pop("sha256", None)
    return json.dumps({**record, "sha256": seal(record)})


def changes():
    def values(record):
        record["facts"][0]["values"] = ["7"]

    def twice(record):
        record["facts"].append(record["facts"][0])

    def records(record):
        record["facts"][0]["records"] += 1

    def nobody(record):
        record["facts"][0]["class"][0] = "text:99"

    def attribute(record):
        record["facts"][0]["attribute"] = "ill"

    def not_tight(record):
        del record["tight"][record["facts"][0]["attribute"]]

    return [values, twice, records, nobody, attribute, not_tight]


@pytest.mark.parametrize("change", changes(), ids=lambda change: change.__name__)
def test_a_fact_that_does_not_follow_is_refuted(change):
    certificate, table, rows = fixed()
    change(certificate)
    with pytest.raises(CertificateError) as error:
        verify_labels(sealed(certificate), table, rows)
    assert not isinstance(error.value, CertificateFormatError)


@pytest.mark.parametrize("label", ["2020-01", "8-3", "[8, 3]", "8.0-8"])
def test_a_label_whose_numbers_do_not_ascend_is_not_an_interval(label):
    """Such as a month, which is a value."""
    text = f'age,city,sex,ill\n"{label}",Rhine,f,a\n"{label}",Rhine,f,b\n'.encode()
    ends = re.split("[-,] ?", label.strip("[]"))
    names = ("age", "city", "sex")
    published = PublishedCounts("", names, "ill", 0, READING)
    counts = read_table(text, published)
    fact = ClassFact(next(iter(counts.counts))[:-1], "age", 2, tuple(ends))
    record = labels_text(PublishedCounts.of(counts, READING), {"age": Tight()}, [fact])
    with pytest.raises(CertificateError, match="does not imply all of its values"):
        verify_labels(record, text)


@pytest.mark.parametrize("word", ["about another table", "is not a fraction|sha256", "another hierarchy", "facts"])
def test_what_is_about_something_else_or_was_changed_is_named(word):
    certificate, table, rows = fixed()
    text = sealed(certificate)
    if word == "about another table":
        table += table.splitlines()[-1] + b"\n"
    elif word == "another hierarchy":
        rows["city"] = [row for row in rows["city"] if row[0] != "Wien"]
    elif word == "facts":
        certificate["facts"] = []
        text = sealed(certificate)
    else:
        certificate["facts"][0]["records"] = 99
        text = json.dumps(certificate)
    with pytest.raises(CertificateFormatError, match=word):
        verify_labels(text, table, rows)


# ---------------------------------------------------------------------- whatever is written into one


TREE = tuple(tuple(line.split(",")) for line in CITIES.split())
KINDS = {
    "interval": (Tight(), ["3", "4", "6", "9"]),
    "set": (Tight(), ["a", "b", "c, d", "it's"]),
    "tree": (Tight(hierarchy=levels_digest(TREE)), [row[0] for row in TREE]),
    "grid": (Tight(grid=(3, 1), domain=("-4", "1", "2", "5", "9")), ["-4", "1", "2", "5", "9"]),
}


def tightest(kind: str, values: tuple[str, ...]) -> str:
    """The label that stands for the least and for all of some values, by the definition of each kind."""
    if len(set(values)) == 1 and kind != "tree":
        return values[0]
    if kind == "set":
        return "{" + ", ".join(repr(value) if set(value) & set(", '") else value for value in sorted(set(values))) + "}"
    if kind == "tree":
        rows = [row for row in TREE if row[0] in values]
        return next(level[0] for level in zip(*rows, strict=True) if len(set(level)) == 1)
    low, high = min(map(int, values)), max(map(int, values))
    if kind == "grid":
        low, high = (low - 1) // 3 * 3 + 1, (high - 1) // 3 * 3 + 3
    return f"[{low}, {high}]" if low < 0 else f"{low}-{high}"


def those_with(kind: str, label: str, n: int) -> list[Counter[str]]:
    """All multisets of n values whose tightest label is this one."""
    every = itertools.combinations_with_replacement(KINDS[kind][1], n)
    return [Counter(values) for values in every if tightest(kind, values) == label]


def numbers(values: Counter[str] | list[str]) -> Counter[Fraction | str]:
    return Counter(Fraction(v) if re.fullmatch(r"-?[0-9]+", v) else v for v in Counter(values).elements())


def quoted(cell: str) -> str:
    return '"' + cell.replace('"', '""') + '"'


def drawn(draw: random.Random, kind: str) -> tuple[bytes, dict[str, int]]:
    """A published table of one quasi-identifier with tight labels, and how many records each has."""
    rows: list[str] = []
    sizes: dict[str, int] = {}
    while len(sizes) < 2:
        values = tuple(draw.choices(KINDS[kind][1], k=draw.randint(2, 4)))
        label = tightest(kind, values)
        if label not in sizes and len(set(values)) > 1:
            sizes[label] = len(values)
            rows += [f"{quoted(label)},x" for _ in values]
    return "\n".join(["q,s", *rows, ""]).encode(), sizes


def certificate_of(kind: str, table: bytes, facts: list[ClassFact]) -> str:
    counts = read_table(table, PublishedCounts("", ("q",), "s", 0, READING))
    return labels_text(PublishedCounts.of(counts, READING), {"q": KINDS[kind][0]}, facts)


def given_trees(kind: str) -> dict[str, tuple[tuple[str, ...], ...]]:
    return {"q": TREE} if kind == "tree" else {}


@pytest.mark.parametrize("kind", KINDS)
@given(st.integers(0, 10**6))
@effort(0.4)
def test_a_value_is_accepted_if_every_class_with_the_label_has_it_and_no_other(kind, number):
    """By all multisets of values that have the tight label."""
    table, sizes = drawn(random.Random(number), kind)
    for label, n in sizes.items():
        every = those_with(kind, label, n)
        assert every
        for value in KINDS[kind][1]:
            certificate = certificate_of(kind, table, [ClassFact((f"text:{label}",), "q", n, (value,))])
            if all(value in each for each in every):
                assert verify_labels(certificate, table, given_trees(kind)).startswith("1 value")
            else:
                with pytest.raises(CertificateError, match="does not imply"):
                    verify_labels(certificate, table, given_trees(kind))


def require_true(kind: str, sizes: dict[str, int], record: dict) -> None:
    for fact in record["facts"]:
        (label,) = fact["class"]
        label, told = label.removeprefix("text:"), numbers(fact["values"])
        assert fact["records"] == sizes[label]
        assert max(told.values()) == 1
        assert all(not told - numbers(each) for each in those_with(kind, label, sizes[label])), fact


@pytest.mark.parametrize("tables", [1, pytest.param(25, marks=pytest.mark.slow)])
@pytest.mark.parametrize("kind", KINDS)
def test_nothing_odd_in_any_place_is_accepted_unless_it_is_true(kind, tables):
    """Each entry in turn; and what the rest rests on: the tight labels, the grid and its domain as they are."""
    draw, tried = random.Random(7), 0
    while tried < 150 * tables:
        table, sizes = drawn(draw, kind)
        facts = []
        for label, n in sizes.items():
            certain = set.intersection(*map(set, those_with(kind, label, n)))
            if certain:
                facts.append(ClassFact((f"text:{label}",), "q", n, tuple(sorted(certain))))
        if not facts:
            continue
        record = json.loads(certificate_of(kind, table, facts))
        assert verify_labels(json.dumps(record), table, given_trees(kind))
        others = [with_at(record, way, odd) for way in places_of(record) for odd in draw.sample(ODD, 3)]
        others += [changed(draw, record) for _ in range(40)]
        others += [{**record, "facts": changed(draw, record["facts"])} for _ in range(40)]
        for other in others:
            tried += 1
            try:
                verify_labels(sealed(other), table, given_trees(kind))
            except CertificateError:
                continue
            if json.dumps(other["tight"]) == json.dumps(record["tight"]):
                require_true(kind, sizes, other)


@pytest.mark.parametrize(
    ("tight", "label", "values", "said"),
    [
        (Tight(), "3-8", ["3"], "a class of 1 record has not the 2 values"),
        (Tight(grid=(3, 1), domain=("4", "9")), "3-9", ["9"], "does not imply"),  # no cell begins at 3
        (Tight(grid=(3, 1), domain=("4", "9")), "4-8", ["4"], "does not imply"),  # and none ends at 8
        (Tight(grid=(3, 1), domain=("4.5", "9")), "4-9", ["9"], "whole numbers"),
        (Tight(grid=(3, 1), domain=("low", "9")), "4-9", ["9"], "a value of domain"),
        (Tight(grid=(3, 1), domain=("4", "9")), "[low, 9]", ["9"], "does not imply"),
        (Tight(domain=("3", "8")), "3-8", ["3"], "has a domain and no grid"),
        (Tight(), "{1, 1.0}", ["1"], "does not imply"),
        (Tight(), "{" + " " * 9000 + "'", ["x"], "does not imply"),
        (Tight(hierarchy="0" * 64), "3-8", ["3"], "needs the hierarchy of 'q'"),
    ],
)
def test_what_a_label_does_not_say_is_refused(tight, label, values, said):
    table = f"q,s\n{quoted(label)},x\n".encode()
    counts = read_table(table, PublishedCounts("", ("q",), "s", 0, READING))
    fact = ClassFact((f"text:{label}",), "q", 1, tuple(values))
    with pytest.raises(CertificateError, match=said):
        verify_labels(labels_text(PublishedCounts.of(counts, READING), {"q": tight}, [fact]), table)


@pytest.mark.parametrize("rows", [[], [[]], [["x", "*"], ["y"]]])
def test_rows_that_are_not_a_hierarchy_are_named(rows):
    certificate, table, _ = fixed()
    with pytest.raises(CertificateFormatError, match="rows of different length, or none"):
        verify_labels(sealed(certificate), table, {"city": rows})


def test_a_hierarchy_that_the_certificate_does_not_name_is_refused():
    certificate, table, rows = fixed()
    assert verify_labels(sealed(certificate), table, {**rows, "sex": [("f", "*")]})  # of which nothing is said
    with pytest.raises(CertificateFormatError, match="about another hierarchy of 'age'"):
        verify_labels(sealed(certificate), table, {**rows, "age": [("3-8", "*")]})
