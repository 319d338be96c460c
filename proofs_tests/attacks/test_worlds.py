"""Consistent originals, against plain enumeration of every table, in both directions."""

from __future__ import annotations

import json
import random
from collections import Counter, defaultdict
from fractions import Fraction
from functools import cache, partial, reduce
from itertools import combinations, combinations_with_replacement, product
from math import log2
from operator import and_

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from tcloseness.anonymize import anatomy, mdav, mondrian
from tcloseness.attacks import consistent_originals, is_consistent
from tcloseness.attacks.disclosure import StatusCounts
from tcloseness.attacks.replay import shown_of, with_rows
from tcloseness.errors import InputError, LimitReached, NotReached, ProtocolError, TableError
from tcloseness.microdata import FrequencySet, Hierarchy, Microdata
from tcloseness.models import DistinctLDiversity, FrequencyLDiversity, KAnonymity
from tcloseness.optimal import optimal_partition
from tcloseness.release import Partition, Release, attributes_of
from tcloseness.release.attributes import Means

F = Fraction
pytestmark = [
    pytest.mark.filterwarnings("ignore:column .* has a different value in each:UserWarning"),
    pytest.mark.filterwarnings("ignore:column .* values that look the same:UserWarning"),
]


def table_of(secrets, **quasi):
    quasi = quasi or {"x": list(range(len(secrets)))}
    frame = pd.DataFrame({**quasi, "s": list(secrets)})
    return Microdata.from_frame(frame, quasi_identifiers=list(quasi), sensitive="s", domains={"s": list("abc")})


def secrets_of(world):
    (column,) = world.sensitive
    return tuple(column.domain.values[code] for code in column.codes)


def any_grouping(seed, secrets):
    """One of four groupings, or none, by nothing but chance and the sensitive values."""
    draw, n = random.Random(repr((seed, secrets))).randrange(9), len(secrets)
    if draw == 8:
        raise NotReached("no release")
    kind = draw % 4
    return [0] * n if kind == 0 else [i % 2 for i in range(n)] if kind == 1 else [i * kind // n for i in range(n)]


def any_method(seed):
    return lambda world: any_grouping(seed, secrets_of(world))


SECRETS = st.lists(st.sampled_from("abc"), min_size=2, max_size=5).map(tuple)


@given(SECRETS, st.integers(0, 10**6))
def test_the_consistent_originals_are_all_and_only_those_that_are_released_alike(secrets, seed):
    try:
        shown = any_grouping(seed, secrets)
    except NotReached:
        with pytest.raises(NotReached):
            consistent_originals(table_of(secrets), any_method(seed))
        return
    left = []
    for world in product("abc", repeat=len(secrets)):
        try:
            alike = any_grouping(seed, world) == shown
        except NotReached:
            continue
        if alike and Counter(zip(shown, world, strict=True)) == Counter(zip(shown, secrets, strict=True)):
            left.append(world)
    found = consistent_originals(table_of(secrets), any_method(seed))
    assert found.consistent == len(left)
    assert secrets in left
    for i, beliefs in enumerate(found.beliefs):
        assert beliefs == {v: F(n, len(left)) for v, n in Counter(world[i] for world in left).items()}
        assert sum(found.beliefs_before[i].values()) == 1
        assert set(beliefs) <= set(found.beliefs_before[i])
    of_class = [{s for s, mine in zip(secrets, shown, strict=True) if mine == group} for group in shown]
    certain = sum(len({w[i] for w in left}) == 1 for i in range(len(secrets)))
    alone = sum(len(values) == 1 for values in of_class)
    assert found.counts == {
        "persons": StatusCounts(certain, len(secrets) - certain),
        "persons, by their class alone": StatusCounts(alone, len(secrets) - alone),
    }
    for fact in found.facts:
        if fact.status == "certain":
            by_class = len(of_class[int(fact.subject.removeprefix("record "))]) == 1
            rule = "the class has one value" if by_class else "no other value is consistent"
            each = "the one consistent original" if len(left) == 1 else f"each of {len(left):,} consistent originals"
            assert fact.proof["rule"] == rule
            assert fact.sentence.endswith(f": {rule if by_class else f'so it is in {each}'}.")


@given(SECRETS, st.integers(0, 10**6))
def test_a_certain_value_is_the_true_one_and_each_witness_is_released_alike(secrets, seed):
    method, table = any_method(seed), table_of(secrets)
    try:
        found = consistent_originals(table, method)
    except NotReached:
        return
    for fact in json.loads(json.dumps(found.certificate()))["facts"]:
        place = int(fact["subject"].removeprefix("record "))
        if fact["status"] == "certain":
            assert fact["values"] == [secrets[place]]
        else:
            assert set(fact["proof"]["witnesses"]) == set(fact["values"])
            for value, witness in fact["proof"]["witnesses"].items():
                assert witness[place] == value
                assert is_consistent(table, method, witness)


def test_a_value_that_no_consistent_original_has_is_no_witness():
    table, method = table_of("aabb"), lambda world: [secrets_of(world)[0]] * 4
    assert is_consistent(table, method, "aabb")
    assert not is_consistent(table, method, "bbaa")


@given(SECRETS, st.data())
def test_other_values_of_a_class_are_another_release(secrets, data):
    """What is released has the sensitive values of each class, so only those that are handed to others are one."""
    world = data.draw(st.tuples(*[st.sampled_from("abc")] * len(secrets)))
    shown = [i % 2 for i in range(len(secrets))]
    alike = all(Counter(world[i::2]) == Counter(secrets[i::2]) for i in (0, 1))
    assert is_consistent(table_of(secrets), lambda _: shown, world) == alike


def test_wong_et_al_two_q1_have_cancer():
    """The authors' slides: two q1, both with cancer, and four q2. At most half of a class may have cancer, and the
    fewest q2 are merged with the q1. Of the 6 ways to place two cancers in the class {q1, q1, q2, q2}, any but this one
    has one q1 or none, so the q1 could have been left alone."""
    frame = pd.DataFrame({"q": ["q1"] * 2 + ["q2"] * 4, "ill": ["yes"] * 2 + ["no"] * 4})
    table = Microdata.from_frame(frame, quasi_identifiers="q", sensitive="ill")

    def merged(world):
        ill = [world.sensitive[0].domain.values[code] == "yes" for code in world.sensitive[0].codes]
        for m in range(5):
            if all(2 * sum(each) <= len(each) for each in (ill[: 2 + m], ill[2 + m :])):
                return ["Q"] * (2 + m) + ["q2"] * (4 - m)
        return ["Q"] * 6

    assert merged(table) == ["Q"] * 4 + ["q2"] * 2
    found = consistent_originals(table, merged)
    assert (found.candidates, found.consistent) == (6, 1)
    assert (found.beliefs_before[0]["yes"], found.beliefs[0]["yes"]) == (F(1, 2), 1)
    assert found.greatest_change == F(1, 2)
    assert found.counts["persons, by their class alone"].certain == 2
    assert found.sentences == (
        "There are 6 ways to hand the values of each group to its members, and whoever knows the method can exclude "
        "all but 1.",
        "This settles the value of 6 of 6 persons, where the groups alone settle that of 2.",
        "The probability that a person has a value changes by up to 50 percentage points.",
    )


def test_one_way_and_no_change_are_said_as_such():
    table = table_of("aab")
    found = consistent_originals(table, lambda world: [0, 0, 1])
    assert found.sentences == (
        "There is 1 way to hand the values of each group to its members, and whoever knows the method can exclude "
        "none.",
        "This settles the value of 3 of 3 persons, where the groups alone settle that of 3.",
        "That says nothing beyond the groups.",
    )
    pairs = ({("a", "b", "a", "b"), ("b", "a", "b", "a")}, {("a", "b", "b", "a"), ("b", "a", "a", "b")})
    alike = consistent_originals(table_of("abab"), lambda w: [(1, 1, 2, 2), (3, 3, 4, 4)][secrets_of(w) in pairs[1]])
    assert (alike.candidates, alike.consistent) == (4, 2)
    assert alike.sentences[2] == "The probability that a person has a value does not change."
    one = consistent_originals(numbers([1, 2], 4), lambda w: halves(w, 1), knows="release")
    assert [fact.sentence for fact in one.facts] == [
        "Of 2 records, 2 have x 1 and 2: so it is in the one consistent original."
    ]


def test_a_class_may_have_thousands_of_records():
    table = table_of("a" * 3000)
    found = consistent_originals(table, lambda world: [0] * 3000)
    assert found.counts["persons"].certain == 3000


# ---------------------------------------------------------------------- the methods of the package


def people(seed, n=6):
    rng = random.Random(seed)
    return table_of([rng.choice("aab") for _ in range(n)], x=rng.sample(range(40), n), y=rng.sample(range(40), n))


def full_domain(world, k=2):
    """The lowest level of two suppressible attributes, in a fixed order, at which every class has k records."""
    original = FrequencySet.of(world)
    trees = {name: Hierarchy.intervals(range(40), [10, 20], name=name) for name in ("x", "y")}
    for levels in sorted(product(range(4), repeat=2), key=lambda node: (sum(node), node)):
        release = Release.full_domain(original, trees, dict(zip("xy", levels, strict=True)))
        if min(release.class_sizes) >= k:
            return release
    raise AssertionError


@pytest.mark.parametrize("seed", [1, 2])
@pytest.mark.parametrize("method", [lambda t: mondrian(t, KAnonymity(2)), full_domain], ids=["mondrian", "full domain"])
def test_what_asks_for_sizes_alone_leaves_every_world(method, seed):
    found = consistent_originals(people(seed), method)
    assert found.candidates > 1
    assert found.consistent == found.candidates
    assert (found.greatest_change, found.excluded) == (0, 0)
    assert found.sentences[2] == "That says nothing beyond the groups."


@pytest.mark.slow
@pytest.mark.parametrize("level", ["code", "optimal"])
def test_an_optimal_partition_for_k_alone_leaves_every_world(level):
    found = consistent_originals(people(3), lambda t: optimal_partition(t, KAnonymity(2), seed=1), level=level)
    assert found.consistent == found.candidates > 1


@pytest.mark.slow
def test_an_optimal_partition_for_k_alone_is_the_same_whatever_is_secret():
    """All tables of four records with values below 3, or different ones below 5, and all secrets: so whoever knows the
    method excludes no world. Which of equal records is in which class is drawn."""
    different = set(combinations(range(5), 4))
    for values in {*combinations_with_replacement(range(3), 4), *different}:
        worlds = [table_of(secrets, x=list(values)) for secrets in product("ab", repeat=4)]
        shown = [shown_of(optimal_partition(world, KAnonymity(2), seed=1), world) for world in worlds]
        assert len({tuple(sorted(zip(values, each, strict=True))) for each in shown}) == 1
        assert len(set(shown)) == 1 or values not in different


def test_a_refused_cut_settles_values_and_an_exhaustive_search_agrees():
    """Mondrian does not cut where that would leave a class of one value; and so it says that it would have."""
    table = people(4)
    method = lambda t: mondrian(t, KAnonymity(2) & DistinctLDiversity(2))  # noqa: E731
    found = consistent_originals(table, method)
    assert 1 <= found.consistent <= found.candidates
    shown = list(method(table).release.on_rows(table).codes["x"])
    worlds = [
        w
        for w in product("ab", repeat=6)
        if Counter(zip(shown, w, strict=True)) == Counter(zip(shown, secrets_of(table), strict=True))
        and is_consistent(table, method, w)
    ]
    assert len(worlds) == found.consistent


def test_two_tables_are_compared_by_their_classes_and_a_known_seed_says_much():
    table = table_of("aabbca", x=[3, 9, 17, 22, 30, 38])
    found = consistent_originals(table, lambda t: anatomy(t, FrequencyLDiversity(2), seed=7))
    assert 1 <= found.consistent < found.candidates


@pytest.mark.parametrize("seed", range(4))
def test_the_numbers_of_the_classes_of_two_tables_are_published(seed):
    """Records are drawn among those of one quasi-identifier, so the same classes may have other numbers."""

    def shown(secrets):
        made = anatomy(table_of(secrets, x=[1, 1, 2, 2]), FrequencyLDiversity(2), seed=seed)
        table = made.quasi_identifier_table(order="input")["class"].tolist()
        return table, sorted(zip(table, secrets, strict=True))

    left = {world for world in product("ab", repeat=4) if world.count("a") == 2 and shown(world) == shown("abab")}
    table = table_of("abab", x=[1, 1, 2, 2])
    found = consistent_originals(table, lambda t: anatomy(t, FrequencyLDiversity(2), seed=seed))
    assert found.consistent == len(left)
    assert found.beliefs[0] == {v: F(n, len(left)) for v, n in Counter(world[0] for world in left).items()}


# ---------------------------------------------------------------------- the release alone


def numbers(values, m):
    return with_rows(zeros(len(values), m), [(value, 0) for value in values])


@cache
def zeros(n, m):
    frame = pd.DataFrame({"x": [0] * n, "s": "a"})
    return Microdata.from_frame(frame, quasi_identifiers="x", sensitive="s", domains={"x": range(m)})


def values_of(world):
    return tuple(sorted(world.quasi_identifiers[0].domain.values[c] for c in world.quasi_identifiers[0].codes))


def check_all(make, n, m):
    """Release every table of n records with values below m; return the share known and the bits left, on average."""
    tables = list(combinations_with_replacement(range(m), n))
    made = cache(lambda values: make(numbers(values, m)))

    def label(values):
        release = made(values).release.on_rows(numbers(values, m))
        return tuple(sorted(Counter(release.recodings["x"].labels.values[c] for c in release.codes["x"]).items()))

    alike = defaultdict(list)
    for values in tables:
        alike[label(values)].append(values)
    known = bits = 0
    for worlds in alike.values():
        found = consistent_originals(numbers(worlds[0], m), lambda w: made(values_of(w)), knows="release", most=10**6)
        assert found.consistent == len(worlds)
        common = reduce(and_, map(Counter, worlds))
        assert found.counts == {"cells": StatusCounts(common.total(), n - common.total())}
        assert [Counter(fact.values) for fact in found.facts] == ([common] if common else [])
        known, bits = known + len(worlds) * common.total(), bits + len(worlds) * log2(found.consistent)
    return F(known, n * len(tables)), bits / len(tables)


def halves(table, first=None, step=1):
    """So many of the least values, by default half of them, and the others; or every second one, and the others."""
    ((column,), n) = table.quasi_identifiers, len(table)
    order = np.argsort(column.codes, kind="stable").tolist()
    first = n // 2 if first is None else first
    groups = [order[:first], order[first:]] if step == 1 else [order[::2], order[1::2]]
    return Release.of_partition(Partition.of(table, groups), attributes_of(table))


def test_a_table_that_is_chosen_in_several_ways_is_one():
    """Every second record is in one class, so labels overlap: {1, 3}, {2, 4} and {1, 2}, {3, 4} are one table."""
    check_all(partial(halves, step=2), 4, 4)
    found = consistent_originals(numbers([1, 2, 3, 4], 5), partial(halves, step=2), knows="release")
    fits = {
        tuple(sorted((*a, *b)))
        for a in combinations_with_replacement([1, 2, 3], 2)
        for b in combinations_with_replacement([2, 3, 4], 2)
    }
    assert (found.candidates, found.consistent) == (len(fits), 1)


def in_the_mean(table):
    """One class, shown by its mean."""
    (column,) = table.quasi_identifiers
    return Release.of_partition(Partition.of(table, [range(len(table))]), [Means("x", column.domain)])


def test_a_mean_can_be_that_of_any_values():
    """1 and 3 have the mean of 0 and 4, which lie outside of their range."""
    check_all(in_the_mean, 3, 4)
    found = consistent_originals(numbers([1, 3], 5), in_the_mean, knows="release")
    assert (found.candidates, found.consistent) == (15, 3)
    assert not found.facts


@pytest.mark.parametrize("order", [1, -1])
def test_attributes_may_be_in_any_order(order):
    frame = pd.DataFrame({"x": [1, 3, 5, 7], "y": list("pqqr"), "s": "a"})
    table = Microdata.from_frame(frame, quasi_identifiers=["x", "y"], sensitive="s")

    def made(world):
        rows = np.argsort(world.quasi_identifiers[0].codes, kind="stable").tolist()
        return Release.of_partition(Partition.of(world, [rows[:2], rows[2:]]), attributes_of(world)[::order])

    found = consistent_originals(table, made, knows="release")
    left = set()
    for ys in product("pq", "pq", "qr", "qr"):
        if set(ys[:2]) == {"p", "q"} and set(ys[2:]) == {"q", "r"}:
            left.add(ys)
    assert found.consistent == len(left) == 4
    assert {fact.attribute: fact.values for fact in found.facts} == {"x": (1, 3, 5, 7), "y": ("p", "q", "q", "r")}


def test_a_method_that_depends_on_the_order_of_the_records_is_named():
    split = lambda world: Release.of_partition(Partition.of(world, [[0, 1], [2, 3]]), attributes_of(world))  # noqa: E731
    with pytest.raises(ProtocolError, match="of the same records in another order"):
        consistent_originals(numbers([1, 9, 2, 8], 10), split, knows="release")
    assert consistent_originals(numbers([1, 9, 2, 8], 10), split).candidates == 1


def test_the_tables_that_are_released_alike_are_found_from_the_release_alone():
    share, bits = check_all(halves, 4, 3)
    assert share == 1  # each half is a pair, so its ends are its values
    assert bits == 0
    share, _ = check_all(halves, 5, 3)
    assert share < 1


EIGHT = {"x": Hierarchy.intervals(range(8), [2, 4, 8], origin=0, name="x")}


def lowest(table, k):
    """The lowest of the levels of width 1, 2, 4 and 8 at which each class has k records."""
    original = FrequencySet.of(table)
    releases = (Release.full_domain(original, EIGHT, {"x": level}) for level in range(4))
    return next(release for release in releases if min(release.class_sizes) >= k)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("make", "share", "bits"),
    [
        (partial(mondrian, model=KAnonymity(2)), "77", "1.8"),
        (partial(mondrian, model=KAnonymity(3)), "56", "3.8"),
        (partial(mdav, model=KAnonymity(2), seed=1), "100", "0.0"),
        (partial(mdav, model=KAnonymity(3), seed=1), "73", "2.7"),
        (partial(lowest, k=2), "9", "6.8"),
        (partial(lowest, k=3), "2", "9.0"),
    ],
    ids=["mondrian 2", "mondrian 3", "mdav 2", "mdav 3", "full domain 2", "full domain 3"],
)
def test_all_tables_of_six_records(make, share, bits):
    """All 1,716 multisets of six values below 8; each share is that of a plain grouping of the tables by release."""
    known, left = check_all(make, 6, 8)
    assert (f"{float(100 * known):.0f}", f"{left:.1f}") == (share, bits)


# ---------------------------------------------------------------------- what is refused


def test_too_many_worlds_are_refused_with_their_number():
    method = lambda world: [0] * len(world)  # noqa: E731
    with pytest.raises(LimitReached, match="20 originals are to be released again, and most=19 may be"):
        consistent_originals(table_of("aaabbb"), method, most=19)
    assert consistent_originals(table_of("aaabbb"), method, most=20).consistent == 20


def test_numbers_of_worlds_that_nobody_can_write_are_refused_with_their_size():
    many = table_of("abc" * 4000)
    with pytest.raises(LimitReached, match=r"^\d\.\d+e\+57\d\d originals are .* or ask label_disclosure"):
        consistent_originals(many, lambda world: [0] * len(world))
    wide = {f"x{i}": range(40) for i in range(8)}  # 40 ** 8 combinations of values
    release = lambda w: Release.of_partition(Partition.of(w, [range(40)]), attributes_of(w))  # noqa: E731
    with pytest.raises(LimitReached, match="originals are to be released again"):
        consistent_originals(table_of("a" * 40, **wide), release, knows="release")


def test_a_method_that_draws_without_a_seed_is_named():
    draws = iter(range(100))
    with pytest.raises(
        ProtocolError, match="makes another release of the same table when it is run again; give it a seed"
    ):
        consistent_originals(table_of("aabb"), lambda world: [next(draws)] * len(world))


@pytest.mark.parametrize(
    ("asked", "error", "words"),
    [
        ({"level": "tight"}, InputError, "level='tight'"),
        ({"knows": "all"}, InputError, "knows='all' is unknown"),
        ({"most": 0}, InputError, "most"),
        ({"knows": "release"}, TableError, "needs a method whose answer has a release"),
        ({"knows": "release", "level": "optimal"}, InputError, "with the release alone take 'code'"),
        ({"level": "optimal"}, ProtocolError, "have an objective"),
    ],
)
def test_wrong_arguments_are_named(asked, error, words):
    with pytest.raises(error, match=words):
        consistent_originals(table_of("aabb"), lambda world: [0] * len(world), **asked)


def test_what_is_no_method_or_no_table_of_one_secret_is_named():
    with pytest.raises(ProtocolError, match="shows 3 records, and the table has 4"):
        consistent_originals(table_of("aabb"), lambda world: [0, 0, 0])
    with pytest.raises(ProtocolError, match="which has no release; let it return an answer with a release or a part"):
        consistent_originals(table_of("aabb"), lambda world: object())
    for rows in ([["a"]] * 4, np.zeros((4, 2)), [{}] * 4):
        with pytest.raises(ProtocolError, match=r"unhashable type: .*; give a text, a number or a tuple"):
            consistent_originals(table_of("aabb"), lambda world, rows=rows: rows)
    series = consistent_originals(table_of("aabb"), lambda world: pd.Series([0, 0, 1, 1]))
    assert series.counts["persons"].certain == 4
    mixed = pd.DataFrame({"x": [1, 2], "s": [1, "1"]})
    with pytest.raises(TableError, match="two sensitive values of 's' are both written '1'"):
        consistent_originals(Microdata.from_frame(mixed, quasi_identifiers="x", sensitive="s"), lambda world: [0, 0])
    frame = pd.DataFrame({"x": [1, 1], "s": ["a", "b"], "u": ["c", "d"]})
    two = Microdata.from_frame(frame, quasi_identifiers="x", sensitive=["s", "u"])
    with pytest.raises(TableError, match="2 sensitive attributes"):
        consistent_originals(two, lambda world: [0, 0])
    with pytest.raises(InputError, match=r"2 values are given; give for each of 4 records one of 's'"):
        is_consistent(table_of("aabb"), lambda world: [0] * 4, "ab")
    with pytest.raises(InputError, match="'z' is not a value of 's'; those are a, b and c"):
        is_consistent(table_of("aabb"), lambda world: [0] * 4, "aabz")
