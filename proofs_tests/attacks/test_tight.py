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
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from experiments import adult
from tcloseness.anonymize import mdav, mondrian
from tcloseness.attacks import StatusCounts, label_disclosure
from tcloseness.errors import InputError, TableError
from tcloseness.microdata import FrequencySet, Hierarchy, Microdata
from tcloseness.models import KAnonymity
from tcloseness.release import Categorical, Hierarchical, Numeric, OnGrid, Partition, Release
from tcloseness.release.attributes import Means
from tcloseness.release.drawn import keeping
from tcloseness.release.draws import Draws

pytestmark = pytest.mark.filterwarnings("ignore:column .* values that look the same")

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


NUMBERS_READ = [st.integers(-1, 3), st.sampled_from(["-1", "0", "0.0", "1", "01", "1.0", "2", "3", "3.0"])]


@st.composite
def releases(draw):
    """Up to 9 records of a number, a set and a value of a tree, in classes of 1 to 4; one may be suppressed.

    Numbers are whole numbers or texts, several of which are one number.
    """
    sizes = draw(st.lists(st.integers(1, 4), min_size=1, max_size=3))
    n = sum(sizes)
    cells = {
        "number": draw(st.lists(draw(st.sampled_from(NUMBERS_READ)), min_size=n, max_size=n)),
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


def of_one_kind(name, values):
    """Count values; texts that are one number are one value."""
    return Counter(Fraction(value) if name == "number" else value for value in values)


@pytest.mark.parametrize("level", ["labels", "tight"])
@given(drawn=releases())
def test_what_is_certain_is_in_every_class_that_the_labels_allow_and_nothing_else_is(drawn, level):
    release, attributes = drawn
    found = label_disclosure(release, level)
    classes = release.classes
    facts = {(fact.subject, fact.attribute): of_one_kind(fact.attribute, fact.values) for fact in found.facts}
    assert len(facts) == len(found.facts)
    certain = cells = generalized = 0
    expected = {}
    for g in range(len(classes)):
        size, labels = int(classes.class_sizes[g]), classes.label(g)
        subject = ", ".join(f"{a.name}={label}" for a, label in zip(attributes, labels, strict=True))
        for attribute, label in zip(attributes, labels, strict=True):
            allowed = leaves(attribute, release, label)
            worlds = [
                of_one_kind(attribute.name, world)
                for world in combinations_with_replacement(allowed, size)
                if level == "labels" or label_of(attribute, world) == str(label)
            ]
            known = reduce(and_, worlds)
            cells, certain = cells + size, certain + known.total()
            if len(of_one_kind(attribute.name, allowed)) > 1:
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
        truth = of_one_kind(
            fact.attribute,
            (
                column[code]
                for code, count in zip(
                    release.original.codes[fact.attribute][members], release.original.counts[members], strict=True
                )
                for _ in range(count)
            ),
        )
        assert of_one_kind(fact.attribute, fact.values) <= truth
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
    if (method, k) == (mondrian, 5):  # which pages say
        for page in ("attacks", "commands"):
            text = Path(__file__).resolve().parents[2].joinpath("docs", f"{page}.md").read_text(encoding="utf-8")
            assert f"{counts.certain:,} of the {counts.total:,} generalized values" in " ".join(text.split())


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
        assert found.sentences[0].startswith("No label of this table is taken to be tight")
    assert whole.counts["cells"] == StatusCounts(0, 5)
    assert mean.counts["cells"] == StatusCounts(0, 0, 5)  # the mean of {21, 21}, say, would leave no choice
    assert "What means disclose, of 5 values, is not counted." in mean.sentence
    with pytest.raises(TableError, match="'age' shows the means of its groups, which are not tight"):
        label_disclosure(Release.of_partition(Partition.of(table, [[0, 1, 2, 3, 4]]), [means]), attained=["age"])


@given(drawn=releases(), data=st.data())
def test_labels_of_records_that_are_suppressed_afterwards_are_not_certain_of_the_others(drawn, data):
    """The ends of an interval can be those of suppressed records; so no more is certain than by labels alone."""
    release, _ = drawn
    counts = release.classes.counts.tolist()
    kept = np.array([data.draw(st.integers(0, count)) for count in counts])
    if not kept.any():
        return
    fewer = keeping(release, kept, Draws(1))
    if kept.tolist() == counts:
        assert label_disclosure(fewer).counts == label_disclosure(release).counts
    else:
        assert label_disclosure(fewer).counts == label_disclosure(fewer, "labels").counts


def test_an_end_of_an_interval_whose_records_are_suppressed_is_not_certain():
    release = small_release([0, 1, 2], [3, 4])
    fewer = keeping(release, np.array([0, 2, 1, 1]), Draws(1))  # of 21, 25 and 30 the one with a cold is suppressed
    assert fewer.class_sizes.tolist() == [2, 2]
    assert not label_disclosure(fewer).facts
    assert label_disclosure(fewer).counts["cells"] == StatusCounts(0, 4)


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
    assert label_disclosure(read).sentences[0].startswith("No label of this table is taken to be tight")
    inner = frame.assign(age=["21-25", "21-25", "25-41", "25-41"])
    with pytest.raises(TableError, match="both ends of an interval occur is not so in a class that shows '25-41'"):
        label_disclosure(Release.from_frames(frame, inner, **roles), attained=["age"])


def test_an_ancestor_over_one_record_is_not_tight():
    """Values below two children occur, so two records are needed, even where one value alone would be certain."""
    frame = pd.DataFrame({"x": list("abc"), "s": list("flu")})
    tree = {"x": Hierarchy.from_groups([{"one": ["a", "b", "c"], "two": ["d"]}])}
    for label, leaf in (("one", "b"), ("*", "c")):
        shown = frame.assign(x=[label if value == leaf else value for value in frame["x"]])
        read = Release.from_frames(frame, shown, quasi_identifiers="x", sensitive="s", hierarchies=tree)
        with pytest.raises(TableError, match="is of a class of 1 record, and a tight one needs 2; leave 'x' out of"):
            label_disclosure(read, attained=["x"])


def test_a_label_that_stands_for_one_value_of_the_table_leaves_no_choice():
    frame = pd.DataFrame({"age": [21, 25, 41], "all": ["x"] * 3, "disease": ["flu", "flu", "cold"]})
    wide = frame.assign(age=["20-29", "20-29", "40-49"], all="*")
    read = Release.from_frames(frame, wide, quasi_identifiers=["age", "all"], sensitive="disease")
    for level in ("labels", "tight"):
        assert label_disclosure(read, level).counts["cells"] == StatusCounts(4, 2)
    assert label_disclosure(read, attained=["age", "all"]).counts["cells"] == StatusCounts(6, 0)


def test_values_that_look_like_sets_are_not_taken_for_sets():
    values = ["a", "b", "{a, b}", "{a, b}", "a, b", "b"]  # and the same once more, with all in quotes
    values += ["c", "d", "{c, d}", "{c, d}", "{'c', 'd'}", "{'c', 'd'}"]
    table = Microdata.from_frame(pd.DataFrame({"x": values, "s": "same"}), quasi_identifiers="x", sensitive="s")
    groups = [[i, i + 1] for i in range(0, 12, 2)]
    release = Release.of_partition(Partition.of(table, groups), [Categorical("x", table.quasi_identifiers[0].domain)])
    assert len(release) == 6
    found = label_disclosure(release)
    assert found.counts["cells"] == StatusCounts(12, 0)
    assert {fact.values for fact in found.facts} == {("a", "b"), ("a, b", "b"), ("c", "d")}
    frame = pd.DataFrame({"x": values, "s": "same"})
    read = Release.from_frames(frame, release.table, quasi_identifiers="x", sensitive="s")
    assert label_disclosure(read, attained=["x"]).counts == found.counts


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
        "Each interval of age begins and ends at a value that somebody in the group really has.",
        "In all, 4 of the 5 generalized values (80 %) can be listed exactly, though not whose they are.",
        "Labels that do not depend on the very values of a group, such as intervals on a fixed grid, show less and are "
        "wider.",
    )
    assert label_disclosure(made, "labels").sentences[1] == (
        "The labels show 0 of 5 values of the quasi-identifiers (0 %) exactly."
    )
    alike = small_release([0], [1], [2], [3], [4])
    assert label_disclosure(alike).sentences == ("Each value of the quasi-identifiers is shown as it is.",)


def test_the_sentences_say_which_attribute_has_which_labels():
    """Intervals of one attribute are on a grid, those of the others are tight."""
    ages = [1, 2, 8, 9]
    frame = pd.DataFrame({"age": ages, "hours": ages, "pay": ages, "disease": ["flu", "cold"] * 2})
    table = Microdata.from_frame(frame, quasi_identifiers=["age", "hours", "pay"], sensitive="disease")
    age, *others = table.quasi_identifiers
    attributes = [OnGrid("age", age.domain, 5), *(Numeric(each.name, each.domain) for each in others)]
    first, _, last = label_disclosure(Release.of_partition(Partition.of(table, [[0, 1], [2, 3]]), attributes)).sentences
    assert first == (
        "Intervals of age are on a fixed grid, so that their ends are known to the cell of the grid only. Each "
        "interval of hours and pay begins and ends at a value that somebody in the group really has."
    )
    assert last.startswith("Labels that do not depend on the very values")
    gridded = [OnGrid(each.name, each.domain, 5) for each in (age, *others)]
    found = label_disclosure(Release.of_partition(Partition.of(table, [[0, 1], [2, 3]]), gridded))
    assert found.sentences[2] == "Wider cells of the grid show less."
