"""Linear programs over what sums leave open: they settle what is so, and nothing else, whatever a solver answers."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from dataclasses import replace

import pytest

from proofs_tests.attacks.linked_tables import Linked, assignments, drawn, left_by_all
from tcloseness.attacks import LinkedRelease, complementary_release_attack
from tcloseness.attacks.composition_programs import Kept, Run
from tcloseness.certificates.composition import verify_composition
from tcloseness.errors import InputError, SolverError, TimeLimitReached
from tcloseness.limits import Clock
from tcloseness.microdata import ClassCounts

pytestmark = pytest.mark.solver


@pytest.mark.parametrize("cases", [12, pytest.param(400, marks=pytest.mark.slow)])
def test_with_linear_programs_exactly_those_are_revealed_whose_value_is_the_same_in_all_assignments(
    cases: int,
) -> None:
    """Or it is open, which is said: of no other person is anything said that is not so."""
    draw, whole = random.Random(2), 0
    for _ in range(cases):
        table = drawn(draw)
        found = complementary_release_attack(table.releases, programs=True)
        exact = left_by_all(table)
        settled = {i: values for i, values in exact.items() if len(values) == 1}
        revealed = {p.person: set(p.values) for p in found.revealed}
        assert revealed.items() <= settled.items()
        assert len(settled) - len(revealed) <= found.open
        assert found.records + found.possible + found.open == found.people == len(exact)
        assert found.possible <= len(exact) - len(settled)
        assert found.decided == found.components
        whole += not found.open
    assert whole > cases // 2


def test_an_assignment_is_one_of_those_that_the_counts_leave() -> None:
    draw, met = random.Random(3), 0
    for _ in range(12):
        table = drawn(draw, persons=6)
        found = complementary_release_attack(table.releases, programs=True)
        persons = set(left_by_all(table))
        ways = [{i: way[i] for i in persons} for way in assignments(table)]
        for person in persons:
            for value in set(table.values):
                way = found.assignment(person, value)
                if way is not None:
                    met += 1
                    assert way[person] == value
                    assert way in ways
    assert met > 50


PROGRAMS = Linked(
    tuple("bccaabb"),
    (((0, 2, 3, 4, 6), (1, 5)), ((0, 2), (1, 4, 5, 6), (3,)), ((0, 1, 3, 4), (2, 5, 6))),
    (frozenset(range(7)),) * 3,
)
"""Seven persons in three releases: single sums settle persons 3 and 4, linear programs also 6."""

ROUNDED = Linked(
    tuple("accbaabca"),
    (((0, 2, 3, 4), (1, 5, 6, 7, 8)), ((0, 1, 5, 6), (2, 4, 7), (3, 8)), ((0, 1, 6, 8), (2, 7), (3, 4, 5))),
    (frozenset(range(9)),) * 3,
)
"""Nine persons in three releases, of whom real numbers leave some a part of a person: fewer than one, and so none."""


@pytest.mark.parametrize(("table", "rounded"), [(PROGRAMS, False), (ROUNDED, True)])
def test_linear_programs_settle_what_no_single_sum_does(table: Linked, rounded: bool) -> None:
    exact = {i for i, values in left_by_all(table).items() if len(values) == 1}
    sums = complementary_release_attack(table.releases)
    found = complementary_release_attack(table.releases, programs=True)
    assert sums.records < found.records
    assert {p.person for p in found.revealed} == exact
    assert found.open == 0
    assert any(step.rounded for step in found.linked.composition.steps) is rounded
    verify_composition(found.certificate(), found.published())


def test_each_program_that_is_solved_is_counted_once(monkeypatch: pytest.MonkeyPatch) -> None:
    solved, solve = [], Kept.solve

    def counted(self: Kept, clock: Clock) -> Run:
        solved.append(self)
        return solve(self, clock)

    monkeypatch.setattr(Kept, "solve", counted)
    found = complementary_release_attack(PROGRAMS.releases, programs=True)
    assert found.programs == len(solved) > 1
    assert found.to_dict()["programs"] == len(solved)


def test_a_component_that_a_solver_fails_on_is_open(monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object, **__: object) -> None:
        raise SolverError("HiGHS ended without an answer")

    monkeypatch.setattr(Kept, "solve", fail)
    found = complementary_release_attack(PROGRAMS.releases, programs=True)
    assert found.records == complementary_release_attack(PROGRAMS.releases).records
    assert (found.decided, found.possible) == (0, 0)
    assert found.open == found.people - found.records


CONTRADICTORY = [
    ([{"a": 2, "c": 3}, {"a": 1, "c": 1}, {"a": 1}], [0, 0, 0, 0, 0, 1, 1, 2]),
    ([{"a": 2, "c": 3}, {"a": 1}, {"a": 2}], [0, 1, 0, 0, 0, 2, 0, 2]),
    ([{"a": 2, "c": 2}, {"a": 1, "c": 1}, {"a": 1, "c": 1}], [0, 1, 2, 1, None, 0, 0, None]),
]
"""By release the counts of each class, and the class of each of eight persons; one count is not of their table."""


def test_where_programs_see_that_counts_contradict_each_other_no_link_reveals_anybody() -> None:
    """No sum shows it: trying all ways to hand out the values leaves none, and sums settle two who can have none."""
    releases = [
        LinkedRelease(
            ClassCounts.from_mapping(dict(enumerate(classes))),
            {person: g for person, g in enumerate(members) if g is not None},
        )
        for classes, members in CONTRADICTORY
    ]
    for given in itertools.product("ac", repeat=8):
        taken = [Counter((g, value) for g, value in zip(members, given, strict=True)) for _, members in CONTRADICTORY]
        assert any(
            taken[r][g, value] > classes[g].get(value, 0)
            for r, (classes, members) in enumerate(CONTRADICTORY)
            for g, value in zip(members, given, strict=True)
            if g is not None
        )
    sums = complementary_release_attack(releases)
    assert (sums.inconsistent, sums.records, sums.alone) == (0, 5, 3)
    found = complementary_release_attack(releases, programs=True)
    assert (found.inconsistent, found.records, found.alone) == (8, 3, 3)
    assert (found.by_sets, found.by_sums, found.by_linking, found.possible, found.facts) == (3, 3, 0, 0, [])
    assert found.assignment(0, "a") is None


def test_what_a_contradiction_does_not_touch_is_still_shown_to_be_possible() -> None:
    """Two persons apart from the others, of whom nothing is said."""
    apart = [{"x": 1, "y": 1}]
    releases = [
        LinkedRelease(
            ClassCounts.from_mapping(dict(enumerate([*classes, *apart]))),
            {**{p: g for p, g in enumerate(members) if g is not None}, "Ann": len(classes), "Bob": len(classes)},
        )
        for classes, members in CONTRADICTORY
    ]
    found = complementary_release_attack(releases, programs=True)
    assert (found.inconsistent, found.possible) == (8, 2)
    assert found.assignment("Ann", "y") == {"Ann": "y", "Bob": "x"}


def test_a_solver_that_is_refused_is_named_and_not_taken_for_an_open_question(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse() -> None:
        raise SolverError("HiGHS 1.14.0 is refused")

    monkeypatch.setattr("tcloseness.attacks.composition_programs.require_highs", refuse)
    with pytest.raises(SolverError, match="is refused"):
        complementary_release_attack(PROGRAMS.releases, programs=True)
    assert complementary_release_attack(PROGRAMS.releases).records


def test_prices_that_are_wrong_prove_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    """A solver that answers whatever it likes can leave persons open; it cannot reveal what is not so."""
    draw, real, tried = random.Random(6), Kept.solve, 0

    def wrong(kept: Kept, clock: Clock) -> Run:
        found = real(kept, clock)
        values = [draw.choice([x, 0.0]) for x in found.values or []]
        return replace(found, prices=[draw.choice([price, 0.0, -1.0, 7.3]) for price in found.prices], values=values)

    monkeypatch.setattr(Kept, "solve", wrong)
    for _ in range(30):
        table = draw.choice([PROGRAMS, ROUNDED, drawn(draw)])
        exact = left_by_all(table)
        found = complementary_release_attack(table.releases, programs=True)
        tried += found.programs > 0
        assert all(set(p.values) == exact[p.person] for p in found.revealed)
        for indices, cell in found.linked.cells.items():
            shown = {found.linked.value[v] for v in found.linked.decided.shown_values().get(cell, ())}
            assert all(shown <= exact[person] for person in found.linked.persons[indices])
    assert tried > 10


def test_what_is_not_decided_within_the_limit_is_open() -> None:
    draw = random.Random(5)
    table = next(t for t in iter(lambda: drawn(draw), None) if complementary_release_attack(t.releases).open)
    found = complementary_release_attack(table.releases)
    assert found.programs == found.decided == 0
    assert found.components
    assert found.open == found.people - found.records
    with pytest.raises(TimeLimitReached):
        complementary_release_attack(table.releases, programs=True, time_limit=1e-9)
    with pytest.raises(InputError, match="time_limit"):
        complementary_release_attack(table.releases, time_limit=0)
