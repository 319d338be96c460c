"""Several releases of one table: what sums and linear programs settle is so, and on small tables it is all there is."""

from __future__ import annotations

import random
import re
from collections import Counter
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from proofs_tests.attacks.linked_tables import Linked, drawn, left_by_all
from proofs_tests.attacks.papers import linked
from tcloseness.attacks import LinkedRelease, complementary_release_attack
from tcloseness.attacks.complementary import ComplementaryAttack
from tcloseness.attacks.composition import Composition
from tcloseness.certificates import Reading
from tcloseness.certificates.composition import Bounds, verify_composition
from tcloseness.errors import DomainError, InputError, NotCertified, TableError
from tcloseness.limits import Clock
from tcloseness.microdata import ClassCounts


def values_left(found: ComplementaryAttack) -> dict[object, set[object]]:
    """By person, the values that are left, also of those who are not revealed."""
    of = found.linked
    return {person: set(of.left(indices)) for indices, persons in of.persons.items() for person in persons}


@pytest.mark.parametrize("cases", [40, pytest.param(1500, marks=pytest.mark.slow)])
def test_no_value_that_some_assignment_gives_a_person_is_ruled_out_by_sums(cases: int) -> None:
    """The truth is such an assignment."""
    draw, more = random.Random(1), 0
    for _ in range(cases):
        table = drawn(draw)
        found = complementary_release_attack(table.releases)
        exact, left = left_by_all(table), values_left(found)
        assert left.keys() == exact.keys()
        assert all(table.values[i] in exact[i] <= left[i] for i in exact)
        assert {p.person: set(p.values) for p in found.revealed} == {i: left[i] for i in left if len(left[i]) == 1}
        assert not found.contradicted
        assert found.alone <= found.by_sets <= found.by_sums == found.records
        more += found.by_sums > found.by_sets
    assert more > cases // 10


@pytest.mark.solver
@pytest.mark.parametrize("cases", [25, pytest.param(400, marks=pytest.mark.slow)])
@pytest.mark.parametrize("programs", [False, True])
def test_everybody_who_is_revealed_has_a_certificate_that_a_checker_accepts(cases: int, programs: bool) -> None:
    draw, proved = random.Random(4), 0
    for _ in range(cases if not programs else cases // 2):
        table = drawn(draw)
        found = complementary_release_attack(table.releases, programs=programs, fewer_than=draw.choice([2, 2, 3]))
        if not found.facts:
            with pytest.raises(NotCertified, match="nothing to prove"):
                found.certificate()
            continue
        words = verify_composition(found.certificate(), found.published())
        if found.fewer_than == 2:
            proved += found.records
            certain = re.findall(r"the value of (\d+) persons?|that of (\d+) of \d+ records?", words)
            told = sum(int(number) for pair in certain for number in pair if number)
            assert told >= found.records  # records that are nobody's, as far as is known, are told of too
    assert proved > 20


@pytest.mark.parametrize("persons", [1, 3])
def test_one_class_in_every_release_reveals_nothing_unless_its_records_are_alike(persons: int) -> None:
    for values in (["x"] * persons, ["x", "y", "z"][:persons]):
        one = LinkedRelease(
            ClassCounts.from_mapping({"all": dict(Counter(values))}), dict.fromkeys(range(persons), "all")
        )
        found = complementary_release_attack([one, one], programs=True)
        alike = len(set(values)) == 1
        assert found.records == (persons if alike else 0)
        assert found.possible == (0 if alike else persons)


def test_counts_settle_what_no_class_settles_in_tables_4_and_5_of_li_et_al() -> None:
    """Classes {1,2,3} and {7,8,9}, and {1,3,8} and {2,7,9}. Of the first, gastritis can be neither 1's nor 3's, who are
    with 8 where nobody has it; so it is 2's. Of {1,3,8}, pneumonia can be 8's alone, since no pneumonia is in {1,2,3}.
    """
    found = complementary_release_attack([linked("li_table4", "Disease"), linked("li_table5", "Disease")])
    assert {p.person: p.values for p in found.revealed} == {2: ("gastritis",), 8: ("pneumonia",)}
    assert (found.alone, found.by_sets, found.by_sums) == (0, 0, 2)
    assert found.advice == (
        "Each table alone hides the value of everybody, but both together give away 2 (22.2 %). For each of "
        "them the certificate lists the published counts that prove it, usually 1 where their groups share several "
        "values. Do not publish the second table, or publish a coarser version of the first."
    )
    assert (found.possible, found.open) == (7, 0)  # the others: counts leave one assignment to cells of several values


def test_counts_that_no_assignment_satisfies_say_nothing_but_what_the_classes_share() -> None:
    """Ann and Bob are in a class of x and y twice; Cem changed, so that y is there twice. Dan is elsewhere."""
    first = ClassCounts.from_mapping({"a": {"x": 1, "y": 1}, "b": {"x": 1, "y": 1}, "d": {"z": 1}})
    second = ClassCounts.from_mapping({"a": {"x": 2}, "b": {"x": 1, "y": 1}, "d": {"z": 1}})
    members = {"Ann": "a", "Bob": "a", "Cem": "b", "Eva": "b", "Dan": "d"}
    found = complementary_release_attack([LinkedRelease(first, members), LinkedRelease(second, members)], programs=True)
    assert {p.person: p.values for p in found.revealed} == {"Ann": ("x",), "Bob": ("x",), "Dan": ("z",)}
    assert found.inconsistent == 2
    assert found.possible == 2  # Cem and Eva, whose counts agree
    assert not found.contradicted


def changed(draw: random.Random, table: Linked) -> list[LinkedRelease]:
    """Releases in one of which one record has another value than in the others, one of the table's or a new one."""
    counts = table.counts
    group = draw.choice(draw.choice(counts))
    old = draw.choice(list(group))
    new = draw.choice([value for value in [*table.values, "written otherwise"] if value != old])
    group[old] -= 1
    group[new] = group.get(new, 0) + 1
    return [
        LinkedRelease(
            ClassCounts.from_mapping({f"class {g}": dict(row) for g, row in enumerate(groups)}), release.members
        )
        for groups, release in zip(counts, table.releases, strict=True)
    ]


@pytest.mark.solver
@pytest.mark.parametrize("cases", [40, pytest.param(600, marks=pytest.mark.slow)])
@pytest.mark.parametrize("programs", [False, True])
def test_no_link_reveals_anybody_where_counts_are_seen_to_contradict_each_other(cases: int, programs: bool) -> None:
    draw, seen = random.Random(7), 0
    for _ in range(cases):
        found = complementary_release_attack(changed(draw, drawn(draw)), programs=programs)
        linked, proved = found.linked, {fact.cell for fact in found.facts}
        odd = {p for indices, persons in linked.persons.items() if linked.contradictory(indices) for p in persons}
        assert len(odd) == found.inconsistent
        for person in found.revealed:
            assert person.alone == 1 if person.person in odd else linked.cells[person.indices] in proved
        assert found.alone <= found.by_sets <= found.by_sums <= found.records
        assert found.records + found.possible + found.open + len(found.contradicted) == found.people
        if found.facts:
            verify_composition(found.certificate(), found.published())
        seen += bool(odd)
    assert seen > cases // 4


def test_a_value_that_is_written_in_two_ways_makes_nobody_certain_of_the_other() -> None:
    """Both classes hold Ann and Bob. Their one common value is one person's alone, and each release hides whose."""
    members = {"Ann": "a", "Bob": "a"}
    first = LinkedRelease(ClassCounts.from_mapping({"a": {"flu": 1, "cancer": 1}}), members)
    second = LinkedRelease(ClassCounts.from_mapping({"a": {"Flu": 1, "cancer": 1}}), members)
    found = complementary_release_attack([first, second])
    assert (found.revealed, found.inconsistent, found.records) == ((), 2, 0)
    assert found.advice == (
        "Each table alone hides the value of everybody, and both together give away no more. About 2 people the "
        "releases contradict each other: there a value changed, or is written in another way, or a link is wrong. Of 2 "
        "other people this was not decided."
    )
    three = complementary_release_attack([first, second], fewer_than=3)
    assert {(p.values, p.common) for p in three.revealed} == {(("cancer", "flu"), 1)}
    assert three.revealed[0].sentence.endswith(
        "the only values in one of them are cancer and flu; their counts contradict each other."
    )
    assert "The values of their groups show it" not in three.advice  # of nobody is more said than by one release
    with pytest.raises(NotCertified):
        three.certificate()


def test_who_is_given_away_by_one_release_is_said_to_be_also_where_another_contradicts_it() -> None:
    """Ann and Bob have x in the first, Ann has y in the second: each table gives away whoever is in it."""
    first = LinkedRelease(ClassCounts.from_mapping({"a": {"x": 2}}), {"Ann": "a", "Bob": "a"})
    second = LinkedRelease(ClassCounts.from_mapping({"b": {"y": 1}}), {"Ann": "b"})
    found = complementary_release_attack([first, second])
    assert (found.records, found.alone, len(found.contradicted)) == (1, 1, 1)
    assert found.advice.startswith("Each table alone hides the value of all but 2 people, and both together")


def test_what_the_certificate_lists_is_said_of_those_of_whom_it_lists_something() -> None:
    """Two have one value in common, which a sum proves; of four the classes share two, which is seen without a sum."""
    table = Linked(tuple("abcdxy"), (((0, 1, 2), (3, 4, 5)), ((0, 1, 3), (2, 4, 5))), (frozenset(range(6)),) * 2)
    found = complementary_release_attack(table.releases)
    assert found.records == 2
    assert "For each of them the certificate lists the published counts that prove it." in found.advice
    three = complementary_release_attack(table.releases, fewer_than=3)
    assert (three.records, {fact.cell for fact in three.facts}) == (6, {fact.cell for fact in found.facts})
    assert (
        "For 2 of them the certificate lists the published counts that prove it; of the others the values of their "
        "groups show it."
    ) in three.advice
    verify_composition(three.certificate(), three.published())


def test_contradictions_take_no_longer_for_more_persons() -> None:
    """Two classes by two; the first release counts one more person with one of two values than the second."""
    steps = []
    for n in (10**3, 10**15):
        cells = {(g, h): n for g in range(2) for h in range(2)}
        counts = {(r, g, v): n for r in range(2) for g in range(2) for v in range(2)}
        counts[0, 0, 0] += 1
        counts[0, 0, 1] -= 1
        found = Composition(cells, counts, Clock(time_limit=20))
        assert found.contradictory == {0, 1, 2, 3}
        steps.append(len(found.steps))
    assert max(steps) < 10_000


def test_as_many_counts_are_looked_at_as_there_are_records() -> None:
    """One class of all with as many values as persons, and pairs in the other release, whichever comes first."""

    class Asked(dict[tuple[int, int, int], int]):
        times = 0

        def get(self, *at: Any) -> Any:
            self.times += 1
            return super().get(*at)

    n = 400
    for whole in (0, 1):
        pairs = 1 - whole
        cells = {tuple([0, c][r != whole] for r in range(2)): 2 for c in range(n // 2)}
        counts = Asked({(whole, 0, v): 1 for v in range(n)} | {(pairs, v // 2, v): 1 for v in range(n)})
        known = Bounds(cells, counts)
        assert len(known.high) == n
        assert counts.times <= 4 * n
        assert sum(len(known.terms(at)) for at in known.totals) == 3 * n


def test_releases_of_two_attributes_are_refused_by_name() -> None:
    of = [ClassCounts.from_mapping({"a": {"x": 1, "y": 1}}, sensitive=name) for name in ("disease", "vaccine")]
    with pytest.raises(TableError, match="release 2 is of the sensitive attribute 'vaccine'"):
        complementary_release_attack([LinkedRelease(each, {1: "a", 2: "a"}) for each in of])


@pytest.mark.parametrize("where", ["classes", "values"])
def test_two_that_are_written_alike_are_refused_and_not_made_one(where: str) -> None:
    class Named:
        def __str__(self) -> str:
            return "alike"

    one, other = Named(), Named()
    counts = {one: {"x": 2}, other: {"x": 1}} if where == "classes" else {"a": {one: 2, other: 1}}
    release = LinkedRelease(ClassCounts.from_mapping(counts), {})
    with pytest.raises(DomainError, match=f"two {where} of the release are written"):
        release.published  # noqa: B018


def test_readings_are_as_many_as_releases() -> None:
    found = complementary_release_attack([linked("li_table4", "Disease"), linked("li_table5", "Disease")])
    for many in (0, 1, 3):
        with pytest.raises(InputError, match=f"{many} readings are given for 2 releases"):
            found.certificate([Reading()] * many)


def test_persons_of_several_values_are_refused_by_name() -> None:
    counts = replace(ClassCounts.from_mapping({"a": {"x": 2}}), persons=np.array([1]))
    with pytest.raises(TableError, match="adds up records"):
        LinkedRelease(counts, {})


def test_an_assignment_is_asked_for_somebody_who_is_linked() -> None:
    table = Linked(("x", "y"), (((0, 1),), ((0,), (1,))), (frozenset({0, 1}),) * 2)
    found = complementary_release_attack(table.releases)
    assert found.assignment(0, "x") == {0: "x", 1: "y"}  # nothing is open, so that there is one
    assert found.assignment(0, "y") is None
    with pytest.raises(DomainError, match="'Zoe' is in none of the releases"):
        found.assignment("Zoe", "x")


@pytest.mark.slow
def test_the_figures_of_the_page_are_those_of_two_releases_of_adult() -> None:
    """By Mondrian with k = 5, by three columns and by two of them."""
    from experiments.studies.what_releases_give_away.two_releases import together

    found = together("all mondrian k=5 + age,education-num mondrian k=5", programs=False)
    page = Path(__file__).resolve().parents[2] / "docs" / "attacks.md"
    said = f"{found.by_sums:,} values are certain by sums, and those of {found.alone:,} persons by one release alone"
    assert said in " ".join(page.read_text(encoding="utf-8").split())
