"""Several releases of one table: what sums and linear programs settle is so, and on small tables it is all there is."""

from __future__ import annotations

import random
from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from proofs_tests.attacks.linked_tables import Linked, drawn, left_by_all
from proofs_tests.attacks.papers import linked
from tcloseness.attacks import LinkedRelease, complementary_release_attack
from tcloseness.attacks.complementary import ComplementaryAttack
from tcloseness.certificates.composition import verify_composition
from tcloseness.errors import DomainError, NotCertified, TableError
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
            nobodys = words.partition("the value of ")[2].partition(" persons")[0]
            assert int(nobodys) >= found.records  # records that are nobody's, as far as is known, are counted there too
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
        "Each table alone hides the value of all but 0 people, but both together give away 2 (22.2 %). For each of "
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
