"""What a reader learns who knows the code and every parameter but the seed: of a fair draw, nothing."""

from __future__ import annotations

import random
from itertools import permutations, product
from typing import Any

import pandas as pd
import pytest

from proofs_tests.anonymize.drawn import distribution, drawing, release_of, tie_orders, worlds
from tcloseness.anonymize import (
    anatomy,
    closeness_first,
    confidential_microaggregation,
    datafly,
    mdav,
    mondrian,
    sabre,
    swapping,
)
from tcloseness.attacks import ordered_draw_attack
from tcloseness.errors import NotReached
from tcloseness.microdata import Hierarchy, Microdata
from tcloseness.models import DistinctLDiversity, FrequencyLDiversity, KAnonymity, TCloseness
from tcloseness.optimal import optimal_partition


def table_of(columns: dict[str, Any], secret: Any, **options: Any) -> Microdata:
    frame = pd.DataFrame({**columns, "s": list(secret)})
    return Microdata.from_frame(frame, quasi_identifiers=list(columns), sensitive="s", **options)


# ---------------------------------------------------------------------- Anatomy


def people(n: int, number: int, values: int = 5) -> tuple[dict[str, list[int]], list[int]]:
    """Persons with two quasi-identifiers, and sensitive values of which none is in more than a third of the records."""
    rng = random.Random(f"people {n} {number}")
    columns = {"age": [rng.randrange(60) for _ in range(n)], "hours": [rng.randrange(12) for _ in range(n)]}
    while True:
        secret = [min(rng.randrange(values), rng.randrange(values)) for _ in range(n)]
        if 3 * max(secret.count(value) for value in set(secret)) <= n and len(set(secret)) == values:
            return columns, secret


def published(columns: dict[str, list[int]], secret: list[int], l: int, **options: Any) -> Any:  # noqa: E741
    found = anatomy(table_of(columns, secret), FrequencyLDiversity(l), **options)
    return found.quasi_identifier_table(), found.sensitive_table(), found


def secrets_by_row(found: Any, secret: list[int]) -> list[set[int]]:
    """The truth, row by row of the published table; of rows that look alike, what any of them has."""
    aligned = list(found.quasi_identifier_table(order="input").itertuples(index=False, name=None))
    truth: dict[Any, set[int]] = {}
    for row, value in zip(aligned, secret, strict=True):
        truth.setdefault(row, set()).add(value)
    return [truth[row] for row in found.quasi_identifier_table().itertuples(index=False, name=None)]


@pytest.mark.parametrize(("l", "share"), [(2, 0.5), (3, 0.2)])
@pytest.mark.parametrize("number", range(5))
def test_of_records_that_are_drawn_in_order_many_values_are_read_off(l, share, number):  # noqa: E741
    """The attack is alive: without permutations, records of a value go by their quasi-identifiers.

    What it is certain of is true of each person: the truth is among what it leaves.
    """
    columns, secret = people(120, number)
    with drawing({}):
        left_of_people, values, found = published(columns, secret, l)
    read = ordered_draw_attack(left_of_people, values, l)
    assert read.contradiction is None
    assert all(mine & truth for mine, truth in zip(read.left, secrets_by_row(found, secret), strict=True))
    assert read.counts["persons"].certain == sum(len(mine) == 1 for mine in read.left) > share * len(secret)


@pytest.mark.parametrize("l", [2, 3])
@pytest.mark.parametrize("number", range(5))
def test_of_records_that_are_drawn_at_random_the_attack_learns_nothing(l, number):  # noqa: E741
    """It meets a contradiction: no original is drawn in order to these tables.

    Also if all but the records' draw is given away: in which order equally frequent values are taken, which class takes
    a record left over, and how classes are numbered.
    """
    columns, secret = people(120, number)
    for seed in range(5):
        read = ordered_draw_attack(*published(columns, secret, l, seed=seed)[:2], l)
        assert (read.succeeds, read.contradiction is None) == (False, False)
    shuffled = list(range(len(secret)))
    random.Random(number).shuffle(shuffled)
    with drawing({"records of a value": shuffled}):
        tables = published(columns, secret, l)
    why = ordered_draw_attack(*tables[:2], l).contradiction
    assert why in ("a value's records do not ascend", "a person has no value left")


@pytest.mark.long
@pytest.mark.parametrize(
    ("ages", "secret", "l"),
    [([1, 2, 3, 4], "aabb", 2), ([1, 2, 3, 4], "aabc", 2), ([1, 1, 2, 2], "abab", 2), ([1, 2, 3, 4, 5], "aabbc", 2)],
)
def test_every_way_to_hand_out_a_class_s_values_is_equally_probable_by_anatomy(ages, secret, l):  # noqa: E741
    """Exactly: over all draws, the tables have the same probability in every world that fits them.

    So the code adds nothing to what the tables show; not even if the order of equally frequent values is given away.
    """
    n, g = len(ages), len(ages) // l
    over = [f"class of record {place} left over" for place in range(n % l)]
    draws = [
        {"records of a value": records, **dict.fromkeys(over, classes)}
        for records, classes in product(permutations(range(n)), permutations(range(g)) if over else [range(g)])
    ]

    def make(table: Microdata) -> Any:
        return release_of(anatomy(table, FrequencyLDiversity(l)).partition.class_of)

    with drawing(random.Random(0).choice(draws)):
        release = make(table_of({"age": ages}, secret))
    fits = list(worlds(release, secret))
    tables = [table_of({"age": ages}, world) for world in fits[:3]]
    chances = {distribution(lambda table=table: make(table), draws).get(release) for table in tables}
    assert len(fits) > 1
    assert len(chances) == 1
    assert None not in chances


def test_the_numbers_of_the_classes_are_drawn():
    """Of two classes each is class 0 in half of all numberings, whatever else was drawn."""
    columns, secret = {"age": [1, 2, 3, 4]}, "abab"
    seen = []
    for numbers in permutations(range(2)):
        with drawing({"numbers of the classes": numbers}):
            found = anatomy(table_of(columns, secret), FrequencyLDiversity(2))
        seen.append(found.partition.class_of.tolist())
    assert seen[0] == [1 - number for number in seen[1]]


# ---------------------------------------------------------------------- ties

AGES = Hierarchy([(age, "young" if age < 3 else "old", "*") for age in range(6)], name="age")
NOT_ASKED = TCloseness(1, ground="equal")
"""A t-closeness that holds whatever the values are."""

MERELY_K = {
    "mondrian": lambda table, k: mondrian(table, KAnonymity(k)),
    "mondrian, hierarchy": lambda table, k: mondrian(table, KAnonymity(k), {"age": AGES}),
    "mondrian, relaxed": lambda table, k: mondrian(table, KAnonymity(k), relaxed=True),
    "mdav": lambda table, k: mdav(table, KAnonymity(k)),
    "datafly": lambda table, k: datafly(table, KAnonymity(k), {"age": AGES}, suppression=1),
    "swapping": lambda table, k: swapping(table, KAnonymity(k) & NOT_ASKED),
    "sabre": lambda table, k: sabre(table, KAnonymity(k) & NOT_ASKED),
    "optimal partition": lambda table, k: optimal_partition(table, KAnonymity(k)).solution,
}
"""Methods, asked for nothing that the sensitive values decide."""


@pytest.mark.parametrize(
    "method", [pytest.param(name, marks=[pytest.mark.solver] if name[:7] == "optimal" else []) for name in MERELY_K]
)
@pytest.mark.slow
def test_a_merely_k_anonymous_release_does_not_depend_on_who_has_which_value(method):
    """Exactly: in every world that fits the release, all releases have the same probabilities over all draws.

    So a reader who knows the code and everybody's quasi-identifiers is left with every world, equally probable.
    """
    rng, seen = random.Random("ties"), 0
    while seen < 3:
        n, k = rng.choice([5, 6, 7]), rng.choice([2, 3])
        ages, secret = [rng.randrange(4) for _ in range(n)], [rng.choice("aabc") for _ in range(n)]

        def make(table: Microdata, k: int = k) -> Any:
            return release_of(MERELY_K[method](table, k).grouped.class_of)

        table = table_of({"age": ages}, secret)
        draws = list(tie_orders(table))
        try:
            with drawing(draws[-1]):
                release = make(table)
        except NotReached:
            continue
        fits = list(worlds(release, secret))
        if len(draws) > 12 or not len(fits) > 1 or len(release) < 2:
            continue
        seen += 1
        expected = distribution(lambda make=make, table=table: make(table), draws)
        for world in rng.sample(fits, min(len(fits), 3)):
            other = table_of({"age": ages}, world)
            assert distribution(lambda make=make, table=other: make(table), draws) == expected


RENAMED = {
    "mondrian": (mondrian, KAnonymity(2) & TCloseness("1/4", ground="equal")),
    "mondrian, l": (mondrian, KAnonymity(2) & DistinctLDiversity(2)),
    "mdav": (mdav, KAnonymity(2) & TCloseness("1/4", ground="equal")),
    "mdav, l": (mdav, KAnonymity(2) & FrequencyLDiversity(2)),
    "swapping": (swapping, KAnonymity(2) & TCloseness("1/4", ground="equal")),
    "closeness first": (closeness_first, KAnonymity(2) & TCloseness("1/4", ground="ordered")),
    "sabre": (sabre, KAnonymity(2) & TCloseness("1/8", ground="equal")),
    "confidential": (confidential_microaggregation, KAnonymity(2) & DistinctLDiversity(2)),
}


@pytest.mark.long
@pytest.mark.parametrize("method", sorted(RENAMED))
def test_no_tie_is_broken_by_which_value_it_is(method):
    """Two values, half of the records each, exchange their names: to each of these models that is the same question.

    So every release is as probable as before, also by methods that have to look at the values.
    """
    rng = random.Random("renamed")
    make, model = RENAMED[method]
    for ages in ([0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 2], [0, 1, 1, 2, 2, 2], [0, 0, 0, 1, 2, 2]):
        secret = rng.sample("aaabbb", 6)
        table, renamed = (
            table_of({"age": ages}, values, orders={"s": ["a", "b"]} if method != "confidential" else None)
            for values in (secret, [{"a": "b", "b": "a"}[value] for value in secret])
        )
        one, other = (
            distribution(lambda make=make, t=t: release_of(make(t, model).grouped.class_of), list(tie_orders(t)))
            for t in (table, renamed)
        )
        assert one == other


REVERSED = {
    "closeness first": lambda table: closeness_first(table, TCloseness(1, ground="ordered"), k=5),
    "confidential": lambda table: confidential_microaggregation(table, KAnonymity(2) & DistinctLDiversity(2)),
    "sabre": lambda table: sabre(table, TCloseness(0, ground="ordered")),
    "swapping": lambda table: swapping(table, KAnonymity(3) & TCloseness("1/5", ground="ordered")),
    "mdav": lambda table: mdav(table, KAnonymity(2) & TCloseness("1/5", ground="ordered")),
}


@pytest.mark.parametrize("method", sorted(REVERSED))
def test_no_tie_is_broken_by_which_value_is_lower(method):
    """Five values of two records each, turned round: every distance of values and of classes from Q stays as it was.

    Quasi-identifiers are the corners of a cube, two of them taken twice: many are equally far from everything.
    """
    rng = random.Random("reversed")
    for _ in range(4):
        corners = list(product(range(2), repeat=3))
        points, secret = corners + rng.sample(corners, 2), rng.sample([*range(5)] * 2, 10)
        columns = {name: list(column) for name, column in zip("xyz", zip(*points, strict=True), strict=True)}
        table, other = (table_of(columns, values) for values in (secret, [4 - value for value in secret]))
        one, turned = (
            distribution(lambda t=t: release_of(REVERSED[method](t).grouped.class_of), list(tie_orders(t)))
            for t in (table, other)
        )
        assert one == turned


def test_which_values_are_taken_together_and_who_takes_what_is_left_over_is_drawn():
    """Four values of one record each can be paired in three ways; a fifth record fits either of two classes."""
    model = FrequencyLDiversity(2)
    pairs, joined = set(), set()
    for order in permutations(range(4)):
        with drawing({"equally frequent values": order}):
            pairs.add(release_of(anatomy(table_of({"age": [1, 2, 3, 4]}, "abcd"), model).partition.class_of))
    for order in permutations(range(2)):
        with drawing({"class of record 0 left over": order}):
            joined.add(release_of(anatomy(table_of({"age": [1, 2, 3, 4, 5]}, "aabbc"), model).partition.class_of))
    assert len(pairs) == 3
    assert len(joined) == 2
