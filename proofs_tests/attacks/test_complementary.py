"""Releases of the same people, linked: two tables that are each 3-diverse, and what they say together."""

from __future__ import annotations

import json

from hypothesis import given, strategies as st

from proofs_tests.attacks.papers import linked
from proofs_tests.strategies import partitions
from tcloseness.attacks import LinkedRelease, complementary_release_attack
from tcloseness.attacks.disclosure import StatusCounts
from tcloseness.microdata import ClassCounts


def left(found):
    return {p.person: set(p.values) for p in found.revealed}


def test_tables_4_and_5_together_give_two_salaries_away():
    """Both are releases of Li et al. 2007, Table 3, and 3-diverse. By record, Table 4's classes are {1,2,3}, {4,5,6},
    {7,8,9} and Table 5's {1,3,8}, {4,5,6}, {2,7,9}; salaries of records 1–9: 3, 4, 5, 6, 11, 8, 7, 9, 10 thousand. So 2
    has one of {3,4,5} and of {4,7,10}: 4; and 8 one of {7,9,10} and {3,5,9}: 9.
    """
    both = [linked("li_table4", "Salary"), linked("li_table5", "Salary")]
    found = complementary_release_attack(both)
    assert left(found) == {2: {4000}, 8: {9000}}
    assert found.by_linking == 2
    assert found.contradicted == ()
    assert found.people == 9
    fewer = complementary_release_attack(both, fewer_than=3)
    assert left(fewer) == {
        1: {3000, 5000},
        2: {4000},
        3: {3000, 5000},
        7: {7000, 10000},
        8: {9000},
        9: {7000, 10000},
    }
    assert [len(p.values) for p in fewer.revealed] == [1, 1, 2, 2, 2, 2]


def test_diseases_of_the_same_tables():
    """By what the classes share no disease is settled, but six people are left with two: 1 and 3 with a gastric ulcer
    or stomach cancer. Counts settle two of them: see test_composition.py.
    """
    both = [linked("li_table4", "Disease"), linked("li_table5", "Disease")]
    found = complementary_release_attack(both, fewer_than=3)
    assert found.by_sets == 6
    assert left(found) == {
        1: {"gastric ulcer", "stomach cancer"},
        2: {"gastritis"},
        3: {"gastric ulcer", "stomach cancer"},
        7: {"bronchitis", "stomach cancer"},
        8: {"pneumonia"},
        9: {"bronchitis", "stomach cancer"},
    }


def test_the_3_diverse_figure_does_not_take_back_what_the_4_anonymous_one_gave_away():
    """Machanavajjhala et al. 2006, Figures 2 and 3 are releases of Figure 1: 9 to 12 are in the cancer class of the
    first, whatever follows."""
    found = complementary_release_attack(
        [linked("machanavajjhala_figure2", "Condition"), linked("machanavajjhala_figure3", "Condition")]
    )
    assert left(found) == {person: {"Cancer"} for person in (9, 10, 11, 12)}
    assert found.by_linking == 0
    assert found.sentence == (
        "Linking 2 releases leaves 4 of 12 persons with one value, 0 of them through the link alone."
    )


def test_a_changed_value_contradicts_itself_and_is_no_disclosure():
    """Ann moved from {x} to {y}: nothing is left; Bob is in the first release only, and has its one value."""
    first = LinkedRelease(ClassCounts.from_mapping({"a": {"x": 2}}), {"Ann": "a", "Bob": "a"})
    second = LinkedRelease(ClassCounts.from_mapping({"b": {"y": 1}}), {"Ann": "b"})
    found = complementary_release_attack([first, second])
    assert [p.person for p in found.contradicted] == ["Ann"]
    assert [(p.person, p.indices, p.values, p.alone) for p in found.revealed] == [("Bob", (0, -1), ("x",), 1)]
    assert "1 case the releases contradict" in found.sentence
    record = found.to_dict()
    assert json.loads(json.dumps(record)) == record
    assert record["contradicted"][0]["values"] == []
    assert record["revealed"][0]["sentence"].endswith("in release 1: the only value in it is x.")


@st.composite
def linked_releases(draw):
    """Up to 7 people with values 0–3 and two or three random partitions of all of them, or of some."""
    values = draw(st.lists(st.integers(0, 3), min_size=1, max_size=7))
    releases = []
    for number in range(draw(st.integers(2, 3))):
        present = list(range(len(values)))
        if number:
            present = sorted({0, *draw(st.sets(st.sampled_from(present)))})
        groups = [[present[i] for i in group] for group in draw(partitions(len(present)))]
        rows = {f"class {g}": [values[i] for i in group] for g, group in enumerate(groups)}
        classes = ClassCounts.from_mapping({g: {v: row.count(v) for v in row} for g, row in rows.items()})
        members = {f"person {i}": f"class {g}" for g, group in enumerate(groups) for i in group}
        releases.append((LinkedRelease(classes, members), members, rows))
    return values, releases


@given(linked_releases(), st.integers(2, 4))
def test_linking_leaves_no_more_than_the_values_of_each_person_s_classes(drawn, l):  # noqa: E741
    values, releases = drawn
    found = complementary_release_attack([release for release, _, _ in releases], fewer_than=l)
    expected, by_linking = {}, 0
    for i in range(len(values)):
        person = f"person {i}"
        sets = [set(rows[members[person]]) for _, members, rows in releases if person in members]
        common = set.intersection(*sets)
        if len(common) < l:
            expected[person] = common
            by_linking += all(len(s) >= l for s in sets)
    assert found.by_sets == len(expected)
    told = left(found)
    assert told.keys() >= expected.keys()
    for person, few in told.items():
        assert values[int(person.removeprefix("person "))] in few <= expected.get(person, few)  # the truth survives
    assert found.by_linking >= by_linking
    assert found.contradicted == ()
    alone = sum(
        any(person in members and len(set(rows[members[person]])) < l for _, members, rows in releases)
        for person in {person for _, members, _ in releases for person in members}
    )
    if found.by_linking:
        assert f" {alone + found.by_linking:,} (" in found.advice
    if l == 2:
        assert found.disclosure.counts["persons, by one release alone"] == StatusCounts(alone, found.people - alone)


@given(linked_releases())
def test_one_more_release_reveals_no_fewer_people(drawn):
    _, releases = drawn
    handed = [release for release, _, _ in releases]
    few = left(complementary_release_attack([handed[0], handed[0]]))
    more = left(complementary_release_attack([handed[0], *handed]))
    assert set(few) <= set(more)
