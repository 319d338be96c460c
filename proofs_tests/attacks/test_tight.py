"""What labels disclose by themselves, against enumeration of every class that they allow."""

from __future__ import annotations

import csv
import io
import pickle
from collections import Counter
from fractions import Fraction
from functools import reduce
from itertools import combinations_with_replacement, pairwise
from operator import and_

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from experiments import adult
from tcloseness.anonymize import mdav, mondrian
from tcloseness.attacks import label_disclosure
from tcloseness.errors import InputError, TableError
from tcloseness.microdata import FrequencySet, Hierarchy, Microdata
from tcloseness.models import KAnonymity
from tcloseness.release import Categorical, Hierarchical, Numeric, OnGrid, Partition, Release
from tcloseness.release.attributes import Means

TREES = [
    Hierarchy.from_groups([{"one": ["a", "b"], "two": ["c", "d", "e"]}]),
    Hierarchy.suppression("abcde"),
    Hierarchy.from_groups([{"alone": ["a"], "others": ["b", "c", "d", "e"]}]),
    Hierarchy.from_groups([{"x": ["a"], "y": ["b", "c"], "z": ["d", "e"]}, {"most": list("abc"), "few": list("de")}]),
    Hierarchy(
        [("a", "*"), ("b", "g", "*"), ("c", "h", "g", "*"), ("d", "h", "g", "*"), ("e", "g", "*")], ragged="keep"
    ),
]
"""Binary and wide nodes, a node over one leaf, and leaves at unequal depth."""


NUMBERS_SHOWN = [
    lambda domain: Numeric("number", domain),
    lambda domain: OnGrid("number", domain, 2),
    lambda domain: OnGrid("number", domain, 3, -1),
]


@st.composite
def releases(draw):
    """Up to 9 records of a number, a set and a value of a tree, in classes of 1 to 4; one may be suppressed."""
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    n = sum(sizes)
    cells = {
        "number": draw(st.lists(st.integers(-1, 3), min_size=n, max_size=n)),
        "set": draw(st.lists(st.sampled_from("vwxyz"), min_size=n, max_size=n)),
        "node": draw(st.lists(st.sampled_from("abcde"), min_size=n, max_size=n)),
    }
    table = Microdata.from_frame(
        pd.DataFrame({**cells, "s": "same"}), quasi_identifiers=["number", "set", "node"], sensitive="s"
    )
    ends = np.cumsum([0, *sizes]).tolist()
    groups = [list(range(a, b)) for a, b in pairwise(ends)]
    if len(groups) > 1 and draw(st.booleans()):
        groups = groups[1:]  # the first is suppressed
    number, each, node = table.quasi_identifiers
    attributes = [
        draw(st.sampled_from(NUMBERS_SHOWN))(number.domain),
        Categorical("set", each.domain),
        Hierarchical("node", node.domain, draw(st.sampled_from(TREES))),
    ]
    return Release.of_partition(Partition.of(table, groups), attributes), attributes


def leaves(attribute, release, label):
    """The values that a label stands for: of the table, or of the hierarchy."""
    recoding = release.recodings[attribute.name]
    code = recoding.labels.code(label)
    places = recoding.places[recoding.starts[code] : recoding.starts[code + 1]]
    values = recoding.values.values if recoding.hierarchy is None else recoding.hierarchy.values
    return [values[place] for place in places]


def label_of(attribute, values):
    """The label of a class of these values, over a domain that has them all."""
    if isinstance(attribute, Hierarchical):
        domain = attribute.domain.of(attribute.hierarchy.values)
        made = Hierarchical(attribute.name, domain, attribute.hierarchy)
    else:
        made, domain = attribute, attribute.domain
    return str(made.label(np.array([domain.code(value) for value in values])))


@pytest.mark.parametrize("level", ["labels", "tight"])
@given(drawn=releases())
def test_what_is_certain_is_in_every_class_that_the_labels_allow_and_nothing_else_is(drawn, level):
    release, attributes = drawn
    found = label_disclosure(release, level)
    classes = release.classes
    facts = {(fact.subject, fact.attribute): Counter(fact.values) for fact in found.facts}
    assert len(facts) == len(found.facts)
    certain = cells = generalized = 0
    expected = {}
    for g in range(len(classes)):
        size, labels = int(classes.class_sizes[g]), classes.label(g)
        subject = ", ".join(f"{a.name}={label}" for a, label in zip(attributes, labels, strict=True))
        for attribute, label in zip(attributes, labels, strict=True):
            allowed = leaves(attribute, release, label)
            worlds = [
                Counter(world)
                for world in combinations_with_replacement(allowed, size)
                if level == "labels" or label_of(attribute, world) == str(label)
            ]
            known = reduce(and_, worlds)
            cells, certain = cells + size, certain + known.total()
            if len(allowed) > 1:
                generalized += size
                if known:
                    expected[subject, attribute.name] = known
    assert facts == expected
    counts = found.counts["cells"]
    assert (counts.certain, counts.open, counts.total) == (certain, 0, cells)
    assert found.counts["generalized cells"].total == generalized
    assert found.counts["generalized cells"].certain == sum(known.total() for known in expected.values())


@given(drawn=releases())
def test_what_is_certain_is_true_of_the_original(drawn):
    release, _ = drawn
    classes = release.classes
    for fact in label_disclosure(release).facts:
        places = {
            ", ".join(f"{name}={label}" for name, label in zip(release.recodings, classes.label(g), strict=True)): g
            for g in range(len(classes))
        }
        members = release.class_of == places[fact.subject]
        column = release.original.domains[fact.attribute].values
        truth = Counter(
            column[code]
            for code, count in zip(
                release.original.codes[fact.attribute][members], release.original.counts[members], strict=True
            )
            for _ in range(count)
        )
        assert Counter(fact.values) <= truth
        assert truth.total() == fact.records


@given(drawn=releases())
def test_the_strongest_facts_come_first(drawn):
    shares = [Fraction(len(fact.values), fact.records) for fact in label_disclosure(drawn[0]).facts]
    assert shares == sorted(shares, reverse=True)


# ---------------------------------------------------------------------- a certificate, read without the package


def recheck(certificate, published, numbers):
    """Check every fact from the published lines alone: intervals and sets."""
    rows = list(csv.DictReader(io.StringIO(published)))
    names = [name for name in rows[0] if name != "occupation"]
    sizes = Counter(tuple(row[name] for name in names) for row in rows)
    subjects = {", ".join(f"{n}={v}" for n, v in zip(names, label, strict=True)): label for label in sizes}
    certain = 0
    for fact in certificate["facts"]:
        label = subjects[fact["subject"]]
        shown = label[names.index(fact["attribute"])]
        assert fact["proof"]["label"] == shown
        assert fact["proof"]["records"] == fact["records"] == sizes[label]
        if fact["attribute"] in numbers:
            assert fact["values"] == shown.split("-")
            assert fact["proof"]["rule"] == "both ends of an interval occur"
        else:
            assert fact["values"] == shown.strip("{}").split(", ")
            assert fact["proof"]["rule"] == "each value of a set occurs"
        certain += len(fact["values"])
    return certain


def people(records=None):
    rows = adult.load("train-complete")
    return rows if records is None else rows.head(records)


def anonymized(method, k, names, records=None):
    table = Microdata.from_frame(people(records), quasi_identifiers=names, sensitive="occupation")
    return method(table, KAnonymity(k))


@pytest.mark.parametrize("method", [mondrian, mdav])
def test_the_certificate_is_checked_from_the_published_lines_alone(method):
    made = anonymized(method, 3, ["age", "sex", "hours-per-week"], 400)
    found = label_disclosure(made)
    assert recheck(found.certificate(), made.rows.to_csv(), ("age", "hours-per-week")) > 100
    assert pickle.loads(pickle.dumps(found)) == found


NUMBERS = ["age", "education-num", "hours-per-week"]


def by_hand(made):
    """The generalized cells of the published lines, and the interval ends among them: (ends, cells)."""
    rows = list(csv.DictReader(io.StringIO(made.rows.to_csv())))
    ends = cells = 0
    for label, size in Counter(tuple(row[name] for name in NUMBERS) for row in rows).items():
        wide = sum("-" in shown for shown in label)
        ends, cells = ends + 2 * wide, cells + size * wide
    return ends, cells


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "k", "share"),
    [(mondrian, 2, "67.4"), (mondrian, 3, "44.8"), (mondrian, 5, "25.7"), (mondrian, 10, "12.7"), (mdav, 2, "100.0")],
)
def test_the_shares_of_generalized_cells_that_are_known_on_adult(method, k, share):
    """Counted from the published lines by the rule that both ends of an interval occur."""
    made = anonymized(method, k, NUMBERS)
    counts = label_disclosure(made).counts["generalized cells"]
    assert (counts.certain, counts.total) == by_hand(made)
    assert f"{100 * counts.certain / counts.total:.1f}" == share


# ---------------------------------------------------------------------- labels that say less, and bad input


def small():
    frame = pd.DataFrame({"age": [21, 25, 30, 41, 47], "disease": ["flu", "flu", "cold", "flu", "cold"]})
    return Microdata.from_frame(frame, quasi_identifiers="age", sensitive="disease")


def small_release(*groups):
    table = small()
    return Release.of_partition(Partition.of(table, groups), [Numeric("age", table.quasi_identifiers[0].domain)])


def test_whole_levels_are_not_tight_and_means_say_nothing():
    table = small()
    ages = {"age": Hierarchy.intervals(range(20, 50), [10], origin=20, name="age")}
    whole = label_disclosure(Release.full_domain(FrequencySet.of(table), ages, {"age": 1}))
    means = Means("age", table.quasi_identifiers[0].domain)
    mean = label_disclosure(Release.of_partition(Partition.of(table, [[0, 1, 2], [3, 4]]), [means]))
    for found in (whole, mean):
        assert not found.succeeds
        assert len(found.facts) == 0
        assert found.counts["cells"].possible == 5


def test_what_another_tool_is_said_to_have_made_tight_is_checked():
    frame = pd.DataFrame({"age": [21, 25, 30, 41], "disease": ["flu", "flu", "cold", "flu"]})
    tight = frame.assign(age=["21-30", "21-30", "21-30", "41"])
    wide = frame.assign(age=["20-39", "20-39", "20-39", "41"])
    roles = {"quasi_identifiers": "age", "sensitive": "disease"}
    read = Release.from_frames(frame, tight, **roles)
    assert not label_disclosure(read).facts
    assert [fact.values for fact in label_disclosure(read, attained=["age"]).facts] == [(21, 30)]
    nested = frame.assign(age=["21-30", "25-40", "25-40", "41"])
    with pytest.raises(TableError, match="'21-30' of 'age' is of a class of 1 record, and a tight one needs 2"):
        label_disclosure(Release.from_frames(frame, nested, **roles), attained=["age"])
    two = frame.assign(age=["21-41", "21-41", "21-30", "21-41"])
    assert len(label_disclosure(Release.from_frames(frame, wide, **roles), attained=["age"]).facts) == 1
    with pytest.raises(TableError, match="21-30"):
        label_disclosure(Release.from_frames(frame, two, **roles), attained=["age"])
    inner = frame.assign(age=["21-25", "21-25", "25-41", "25-41"])
    with pytest.raises(TableError, match="both ends of an interval occur is not so in a class that shows '25-41'"):
        label_disclosure(Release.from_frames(frame, inner, **roles), attained=["age"])


def test_wrong_arguments_are_named():
    release = small_release([0, 1, 2, 3, 4])
    with pytest.raises(InputError, match="level='code' is unknown"):
        label_disclosure(release, "code")
    with pytest.raises(TableError, match="'sex' is not a quasi-identifier"):
        label_disclosure(release, attained=["sex"])
    with pytest.raises(TableError, match="every record of the release is suppressed"):
        label_disclosure(release.suppress([0]))


def test_the_sentences_have_the_numbers_of_the_counts():
    made = small_release([0, 1, 2], [3, 4])
    assert label_disclosure(made).sentences == (
        "Each interval in this table begins and ends at a value that somebody in the group really has.",
        "In all, 4 of the 5 generalized values (80.0 %) can be listed exactly, though not whose they are.",
        "Labels that do not depend on the very values of a group, such as intervals on a fixed grid, show less and are "
        "wider.",
    )
    assert label_disclosure(made, "labels").sentences[1] == (
        "Of the values of the quasi-identifiers, 0 of 5 values (0.0 %) are shown as they are."
    )
