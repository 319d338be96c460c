"""Farthest, nearest and next records, classes and swaps, in Python and as machine code, against whole numbers by hand.

Small tables with many ties: equal records, one column, columns of one value, ranges beyond 64 and 128 bits, differences
that no double shows.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from fractions import Fraction
from importlib import import_module
from itertools import permutations
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest

from tcloseness.anonymize import class_distances, compiled, records_left
from tcloseness.anonymize.buckets import even_quotas, filled_classes
from tcloseness.anonymize.class_distances import ClassDistances
from tcloseness.anonymize.distances import SquaredDistances
from tcloseness.anonymize.microaggregation import mdav_classes
from tcloseness.anonymize.records_left import RecordsLeft
from tcloseness.ground import Cuts, Matrix
from tcloseness.limits import Clock
from tcloseness.measures import EMD
from tcloseness.microdata import Domain, Hierarchy
from tcloseness.release.attributes import Categorical, Hierarchical, Numeric
from tcloseness.transport import emd

SWAPPING = import_module("tcloseness.anonymize.swapping")
"""The module; its package has a function of the same name."""

NUMBERS = (
    (0, 1, 2),
    (0, 1, 2, 5, 9, 10),
    (7,),
    (0, 1, 10**6, 10**6 + 1, 2 * 10**6),
    (0, 1, 2**27, 2**27 + 1, 2**28 - 1, 2**28),
    (0, 1, 2**30, 2**30 + 1),
    (0, 1, 3 * 10**9 - 1, 3 * 10**9),
    (0, 2**61, 2**61 + 1, 2**62, 2**62 + 1),
    (0, 1, 10**30, 10**30 + 1, 2 * 10**30 - 1, 2 * 10**30),
    (Fraction(1, 3), Fraction(1, 7), Fraction(2, 3), Fraction(1, 10**40)),
    (-(10**400), 0, 10**400),
)
TREE = Hierarchy([("a", "l", "L", "*"), ("b", "l", "L", "*"), ("c", "m", "L", "*"), ("d", "r", "R", "*")])


def column(draw: random.Random) -> Any:
    kind = draw.choice(["numeric", "numeric", "categorical", "hierarchical"])
    if kind == "numeric":
        return Numeric("n", Domain.of(sorted(draw.choice(NUMBERS))))
    if kind == "categorical":
        return Categorical("c", Domain.of("abc"))
    return Hierarchical("h", Domain.of("abcd"), TREE)


def tables(seed: str, number: int, most: int = 16) -> Iterator[tuple[random.Random, SquaredDistances, list[list[int]]]]:
    """Distances, and the same as a matrix of whole numbers; every third table has its records twice.

    Every other has rows with the same numbers in another order: exact sums are equal, and rounded ones not.
    """
    draw = random.Random(seed)
    for turn in range(number):
        attributes = [column(draw) for _ in range(draw.choice([1, 1, 2, 3]))]
        n = draw.randint(1, most)
        codes = [np.array([draw.randrange(len(each.domain)) for _ in range(n)]) for each in attributes]
        if turn % 2 == 0:
            attributes = [Numeric("n", Domain.of(draw.choice([range(8), range(11), *NUMBERS[-7:-2]])))] * 3
            last = len(attributes[0].domain) - 1
            rows = [*permutations(draw.randint(0, last) for _ in range(3)), (0, 0, 0), (last, last, last)]
            codes = list(np.array(draw.sample(rows, len(rows))).T)
        if turn % 3 == 0:
            codes = [np.sort(np.append(each, each)) if len(codes) == 1 else np.append(each, each) for each in codes]
        distances = SquaredDistances(attributes, codes)
        records = np.arange(len(codes[0]))
        yield draw, distances, [distances.between(i, records).tolist() for i in records.tolist()]


@pytest.fixture(params=["Python", "machine code", "filtered"])
def way(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """How the passes are made: interpreted, compiled, or compiled with doubles that are never taken to be exact."""
    if request.param != "Python":
        monkeypatch.setattr(records_left, "_INTERPRETED_TERMS", -1)
        monkeypatch.setattr(class_distances, "_INTERPRETED_RECORDS", -1)
        monkeypatch.setattr(SWAPPING, "_INTERPRETED_VALUES", -1)
    if request.param == "filtered":
        monkeypatch.setattr(records_left, "_EXACT_DOUBLES", 0)
    return str(request.param)


def test_machine_code_is_loaded_for_many_records_and_no_earlier() -> None:
    attribute = Numeric("n", Domain.of([0, 1]))
    for n, run in ((10, records_left), (records_left._INTERPRETED_TERMS, compiled)):
        assert RecordsLeft(SquaredDistances([attribute], [np.zeros(n, dtype=np.int64)]), n)._run is run


class ByHand:
    """The records that are left, with exact distances; the lower number is the first of equals."""

    def __init__(self, away: list[list[int]]) -> None:
        self.away, self.left = away, list(range(len(away)))

    def farthest(self, seed: int | None) -> int:
        around = self.left if seed is None else [seed]
        return max(self.left, key=lambda i: (sum(self.away[j][i] for j in around), -i))

    def in_order(self, seed: int) -> list[int]:
        return sorted(self.left, key=lambda i: (self.away[seed][i], i))

    def take(self, records: list[int]) -> list[int]:
        self.left = [i for i in self.left if i not in records]
        return records


def test_sums_of_distances_are_exact_whatever_their_size() -> None:
    for draw, distances, away in tables("sums", 150):
        members = np.array(draw.sample(range(len(away)), draw.randint(0, len(away))), dtype=np.int64)
        expected = [sum(row[j] for j in members.tolist()) for row in away]
        assert distances.sums(members, np.arange(len(away))).tolist() == expected


@pytest.mark.long
@pytest.mark.usefixtures("way")
def test_the_classes_of_mdav_are_those_of_whole_numbers() -> None:
    for draw, distances, away in tables("mdav", 150):
        n = len(away)
        k = draw.choice([1, 2, 3, n, max(1, n // 2), max(1, n // 3), (n + 1) // 2])
        by, groups = ByHand(away), []
        while len(by.left) >= 2 * k:
            seed = by.farthest(None)
            again = len(by.left) >= 3 * k
            groups.append(by.take(by.in_order(seed)[:k]))
            if again:
                groups.append(by.take(by.in_order(by.farthest(seed))[:k]))
        groups.append(by.left)
        expected = [next(g for g, group in enumerate(groups) if i in group) for i in range(n)]
        assert mdav_classes(distances, n, k, Clock()).tolist() == expected, (away, k)


@pytest.mark.usefixtures("way")
def test_the_classes_from_buckets_are_those_of_whole_numbers() -> None:
    for draw, distances, away in tables("buckets", 150):
        n = len(away)
        buckets = draw.randint(1, 4)
        bucket_of = [draw.randrange(buckets) for _ in range(n)]
        sizes = [bucket_of.count(b) for b in range(max(bucket_of) + 1)]
        quotas = even_quotas(sizes, draw.randint(1, max(1, n // 3)))
        quotas = quotas[quotas.sum(axis=1) > 0]
        by, expected, seed = ByHand(away), [-1] * n, None
        for number, quota in enumerate(quotas.tolist()):
            seed = by.farthest(seed if number % 2 else None)
            line = by.in_order(seed)
            for bucket, size in enumerate(quota):
                for i in by.take([i for i in line if bucket_of[i] == bucket][:size]):
                    expected[i] = number
        assert filled_classes(distances, np.array(bucket_of), quotas, Clock()).tolist() == expected


@pytest.mark.usefixtures("way")
def test_distances_of_more_digits_than_doubles_have_are_not_taken_to_be_equal() -> None:
    """With M = 2^28 in units of 1/M²: (M − 1)² + 1 is one more than (M − 1)², and both are the same double."""
    attribute = Numeric("n", Domain.of([0, 1, 2**28 - 1, 2**28]))
    left = RecordsLeft(SquaredDistances([attribute] * 2, [np.array([0, 2, 2, 3]), np.array([0, 1, 0, 3])]), 4)
    left.measure(0)
    assert left.ordered(np.arange(4)).tolist() == [0, 2, 1, 3]
    assert sorted(left.nearest([2]).tolist()) == [0, 2]


@pytest.mark.usefixtures("way")
def test_rounding_moves_two_distances_apart_by_less_than_half_the_slack() -> None:
    """Also that from the centre, whose differences are those of mean distances; half is what the bound leaves over."""
    for draw, distances, away in tables("slack", 120):
        n, units = len(away), distances.unit
        for origin in (None, draw.randrange(n)):
            left = RecordsLeft(distances, n)
            left.measure(None if origin is None else left.rows.tolist().index(origin))
            exact = [Fraction(sum(row[i] for row in away), n) if origin is None else away[origin][i] for i in range(n)]
            scale = 1 if left._exact and origin is not None else units
            off = [Fraction(found) - Fraction(each) / scale for found, each in zip(left._away, exact, strict=True)]
            assert max(off) - min(off) <= left._slack / 2


@pytest.mark.usefixtures("way")
def test_the_next_record_of_a_wanted_label_is_the_next_in_the_exact_order() -> None:
    for draw, distances, away in tables("following", 250):
        n = len(away)
        labels = np.array([draw.randrange(3) for _ in range(n)])
        left, by = RecordsLeft(distances, n, labels=labels), ByHand(away)
        gone = draw.sample(range(n), draw.randint(0, n - 1))
        left.take(np.array(sorted(gone, key=lambda _: draw.random()), dtype=np.int64))
        by.take(gone)
        position = draw.randrange(len(by.left))
        left.measure(position)
        seed = int(left.rows[position])
        assert left.rows[left.ordered(np.arange(len(left)))].tolist() == by.in_order(seed)
        wanted = np.array([draw.random() < 0.5 for _ in range(3)])
        line = by.in_order(seed)
        for place, record in enumerate(line):
            found = left.following(int(np.flatnonzero(left.rows[: len(left)] == record)[0]), wanted)
            behind = [i for i in line[place + 1 :] if wanted[labels[i]]]
            assert (None if found is None else int(left.rows[found])) == (behind[0] if behind else None)


@pytest.mark.usefixtures("way")
def test_the_nearest_class_is_that_of_whole_numbers_after_any_mergers() -> None:
    for draw, distances, away in tables("classes", 100):
        n = len(away)
        class_of = np.unique([draw.choice([0, 0, 1, 2, 3, 4]) for _ in range(n)], return_inverse=True)[1]
        classes, mine = ClassDistances(distances, class_of), class_of.tolist()
        while classes.left > 1:
            if draw.random() < 0.3:
                classes.renumber()
                mine = [list(dict.fromkeys(mine)).index(g) for g in mine]
            assert classes.class_of.tolist() == mine
            for number in sorted(set(mine)):
                own = [i for i in range(n) if mine[i] == number]
                mean = {
                    g: Fraction(sum(away[i][j] for i in own for j in range(n) if mine[j] == g), mine.count(g))
                    for g in set(mine) - {number}
                }
                assert classes.nearest(number) == min(mean, key=lambda g: (mean[g], g))
            number, other = draw.sample(sorted(set(mine)), 2)
            classes.merge(number, other)
            mine = [other if g == number else g for g in mine]


def laminar(draw: random.Random, m: int, most: int) -> Cuts:
    """A random laminar family: parts of parts of a line in any order, each with a weight."""
    sets: dict[tuple[int, int], int] = {}

    def divide(low: int, high: int) -> None:
        if high - low < m and draw.random() < 0.8:
            sets[low, high] = draw.randint(1, most)
        if high - low > 1:
            middle = draw.randint(low + 1, high - 1)
            divide(low, middle)
            divide(middle, high)

    divide(0, m)
    low, high = zip(*sorted(sets, key=lambda each: (each[1], -each[0])), strict=True) if sets else ((), ())
    order = draw.sample(range(m), m)
    weights = [sets[each] for each in zip(low, high, strict=True)]
    whole = [np.array(each, dtype=np.int64) for each in (order, low, high)]
    return Cuts(*whole, np.array(weights, dtype=np.int64 if most < 2**62 else object), draw.randint(1, 3))


def swapped_by_hand(
    by: ByHand, codes: list[int], k: int, t: Fraction, away_of: Callable[[list[int]], Fraction]
) -> tuple[list[int], int]:
    """Algorithm 2 before its mergers, each record and each swap tried by itself."""
    class_of, swaps, number, seed = [-1] * len(codes), 0, 0, None
    while len(by.left) >= 2 * k:
        seed = by.farthest(seed if number % 2 else None)
        line = by.in_order(seed)
        group = line[:k]
        for other in line[k:]:
            now = away_of(group)
            if now <= t:
                break
            trials = [(away_of([*group[:p], *group[p + 1 :], other]), -p) for p in range(k)]
            best, place = min(trials)
            if best < now:
                group, swaps = [*group[:-place], *group[1 - place :], other], swaps + 1
        for i in by.take(group):
            class_of[i] = number
        number += 1
    return [number if g < 0 else g for g in class_of], swaps


@pytest.mark.long
@pytest.mark.usefixtures("way")
def test_swaps_are_those_of_whole_numbers_for_any_ground_distance() -> None:
    made = 0
    for draw, distances, away in tables("swaps", 60, most=12):
        n, m = len(away), draw.randint(1, 5)
        codes = np.array([draw.randrange(m) for _ in range(n)])
        cuts = laminar(draw, m, draw.choice([1, 5, 2**50, 2**58, 2**70]))
        matrix = [[cuts.distance(i, j) for j in range(m)] for i in range(m)]
        reference = np.bincount(codes, minlength=m)
        k, most = draw.randint(1, max(1, n // 2)), max(max(row) for row in matrix)
        t = Fraction(draw.randint(0, 3), 8) * most
        counting = SimpleNamespace(domain=Domain.declare(range(m)), reference=reference)
        records: Any = SimpleNamespace(clock=Clock(), distances=distances, codes=codes, counting=counting)
        by_solver = draw.random() < 0.2

        def away_of(group: list[int], codes: Any = codes, matrix: Any = matrix, reference: Any = reference) -> Fraction:
            held = np.bincount(codes[group], minlength=len(reference))
            return Fraction(emd(held.tolist(), reference.tolist(), Matrix(matrix), counts=True))

        if by_solver:
            each = SWAPPING._BySolver(records, EMD(Matrix(matrix)).over(counting.domain), t, k)
        else:
            each = SWAPPING._ByCuts(records, cuts, t, k)
        swaps = SWAPPING._Swaps(records, each, k)
        expected = swapped_by_hand(ByHand(away), codes.tolist(), k, t, away_of)
        assert (swaps.classes().tolist(), swaps.made) == expected
        made += swaps.made
    assert made > 25


@pytest.mark.usefixtures("way")
def test_what_swaps_bring_is_exact_beyond_64_bits() -> None:
    """Two of four records with a value each of two: |2·4 − 2·2|·2^61 is 2^63, and 0 after a swap."""
    cuts = Cuts(*(np.array(each) for each in ([0, 1], [0], [1], [2**61])), 1)
    records: Any = SimpleNamespace(codes=np.array([0, 0, 1, 1]), counting=SimpleNamespace(reference=np.array([2, 2])))
    away, after, which = SWAPPING._ByCuts(records, cuts, Fraction(0), 2).by_swap(np.array([2, 0]), [0], list)
    assert (away, after.tolist(), which.tolist()) == (2**63, [2**63, 0], [0, 0])
