"""The checker of tight labels accepts what every class has, and refuses whatever else is written into a certificate."""

from __future__ import annotations

import io
import json
import random
import re
from collections import Counter

import pandas as pd
import pytest
from hypothesis import given, strategies as st

from proofs_tests.effort import effort
from tcloseness import Hierarchy, Table
from tcloseness.attacks.published import PublishedLabels
from tcloseness.certificates import Reading, levels_of, read_table, seal
from tcloseness.certificates.labels import (
    ClassFact,
    Tight,
    labels_text,
    read_labels_certificate,
    verify_labels,
)
from tcloseness.certificates.reading import PublishedCounts
from tcloseness.errors import CertificateError, CertificateFormatError, NotCertified
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
    disclosed, about = mine.disclosed("tight")
    rows = {"city": levels_of(CITIES.encode(), "city", READING)}
    if not about:
        with pytest.raises(NotCertified, match="there is nothing to prove"):
            mine.certificate(text.encode(), READING, about, rows)
        return
    certificate = mine.certificate(text.encode(), READING, about, rows)
    assert "fact" in verify_labels(certificate, text.encode(), rows.__getitem__)
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


def table_disclosed(found):
    from tcloseness.attacks import label_disclosure

    return label_disclosure(found)


def fixed():
    """A certificate whose first fact is of an age, and which is about the hierarchy too."""
    text = "\n".join(["age,city,sex,ill", "3-8,Rhine,f,a", "3-8,Rhine,f,b", "9,Wien,m,a", ""])
    table = pd.read_csv(io.StringIO(text), dtype=str)
    given = FrequencySet.from_frame(table, quasi_identifiers=["age", "city", "sex"], sensitive="ill")
    levels = Hierarchy([line.split(",") for line in CITIES.split()], name="city")
    mine = PublishedLabels.of(given, {"city": levels}, dict.fromkeys(["age", "city", "sex"]))
    rows = {"city": levels_of(CITIES.encode(), "city", READING)}
    certificate = json.loads(mine.certificate(text.encode(), READING, mine.disclosed("tight")[1], rows))
    return certificate, text.encode(), rows


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
        verify_labels(sealed(certificate), table, rows.__getitem__)
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
        verify_labels(text, table, rows.__getitem__)
