"""Classes that are filled from buckets, and those of MDAV, against lists and fractions: small tables with ties."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import pandas as pd
import pytest

from proofs_tests.anonymize.cases import NAMES, Case
from proofs_tests.anonymize.test_microaggregation import distances_of, squared
from tcloseness.anonymize import closeness_first, confidential_microaggregation, mdav, sabre, swapping
from tcloseness.anonymize.buckets import even_quotas, filled_classes, laid_out
from tcloseness.anonymize.closeness_first import _bucket_sizes
from tcloseness.anonymize.merging import merge_until_satisfied
from tcloseness.anonymize.microaggregation import mdav_classes
from tcloseness.anonymize.sabre import _farthest, bucketings, class_quotas
from tcloseness.errors import InputError
from tcloseness.ground import Matrix
from tcloseness.limits import Clock
from tcloseness.microdata import Microdata
from tcloseness.models import DistinctLDiversity, KAnonymity, TCloseness
from tcloseness.release.counting import Counting


def tables(seed: str, number: int) -> Iterator[tuple[random.Random, Case]]:
    """Few values in one or two columns, so that many distances are equal; three rounds of seeds and more."""
    draw = random.Random(seed)
    for _ in range(number):
        numbers, names = draw.choice([(0, 1, 2), (0, 1, 2, 5, 9), (0, 10)]), draw.choice([("n0",), ("n0", "c1")])
        rows = [
            (*(draw.choice(numbers if name[0] == "n" else NAMES[:2]) for name in names), draw.randint(0, 3))
            for _ in range(draw.randint(4, 14))
        ]
        yield draw, Case(names, rows, {})


class ByHand:
    """Records 0, 1, … of a table; the lowest number is the first of equals."""

    def __init__(self, case: Case) -> None:
        self.away = [[squared(case, one, other) for other in case.rows] for one in case.rows]
        self.left = list(range(len(case.rows)))

    def farthest_from_all(self) -> int:
        return max(self.left, key=lambda i: (sum((self.away[i][j] for j in self.left), Fraction(0)), -i))

    def farthest_from(self, seed: int) -> int:
        return max(self.left, key=lambda i: (self.away[seed][i], -i))

    def nearest(self, seed: int, among: list[int], size: int) -> list[int]:
        found = sorted(among, key=lambda i: (self.away[seed][i], i))[:size]
        self.left = [i for i in self.left if i not in found]
        return found


@pytest.mark.long
def test_classes_take_from_each_bucket_the_records_nearest_to_seeds_that_alternate() -> None:
    for draw, case in tables("buckets", 90):
        n = len(case.rows)
        bucket_of = [draw.randrange(draw.randint(1, 3)) for _ in range(n)]
        sizes = [bucket_of.count(b) for b in range(max(bucket_of) + 1)]
        quotas = even_quotas(sizes, draw.randint(1, max(1, n // 3)))
        quotas = quotas[quotas.sum(axis=1) > 0]
        found = filled_classes(distances_of(case), np.array(bucket_of), quotas, Clock())
        by, expected, before = ByHand(case), [-1] * n, None
        for number, quota in enumerate(quotas.tolist()):
            seed = by.farthest_from_all() if before is None else by.farthest_from(before)
            before = seed if before is None else None
            among = [[i for i in by.left if bucket_of[i] == b] for b in range(len(sizes))]
            for records, size in zip(among, quota, strict=True):
                for i in by.nearest(seed, records, size):
                    expected[i] = number
        assert found.tolist() == expected, (case.rows, bucket_of, quotas)


def test_quotas_sum_to_the_buckets_and_differ_by_one_at_most_the_first_classes_having_more() -> None:
    draw = random.Random("quotas")
    for _ in range(200):
        sizes, classes = [draw.randint(0, 9) for _ in range(draw.randint(1, 4))], draw.randint(1, 5)
        quotas = even_quotas(sizes, classes)
        assert quotas.shape == (classes, len(sizes))
        for column, size in zip(quotas.T.tolist(), sizes, strict=True):
            assert sum(column) == size
            assert column == sorted(column, reverse=True)
            assert column[0] - column[-1] <= 1


@pytest.mark.long
def test_mdav_takes_its_seeds_from_what_is_left() -> None:
    """Two classes a round, so of fourteen records at k = 1 the centre moves six times."""
    for draw, case in tables("mdav", 90):
        n, k = len(case.rows), draw.choice([1, 1, 2, 3])
        found = mdav_classes(distances_of(case), n, k, Clock()).tolist()
        by, groups = ByHand(case), list[list[int]]()
        while len(by.left) >= 3 * k:
            seed = by.farthest_from_all()
            groups.append(by.nearest(seed, by.left, k))
            groups.append(by.nearest(by.farthest_from(seed), by.left, k))
        if len(by.left) >= 2 * k:
            groups.append(by.nearest(by.farthest_from_all(), by.left, k))
        groups.append(by.left)
        expected = [next(g for g, group in enumerate(groups) if i in group) for i in range(n)]
        assert found == expected, (case.rows, k)


def test_halves_get_the_odd_records_in_turn_and_quotas_keep_what_they_promise() -> None:
    """Each class has the least size, and Σ (P(B) − Q(B))⁺·d of it is at most the slack; and none could be halved."""
    draw, halved = random.Random("halves"), 0
    for _ in range(150):
        sizes, least = [draw.randint(0, 9) for _ in range(draw.randint(1, 4))], draw.randint(1, 3)
        sizes[0] += not any(sizes)
        slack = Fraction(draw.choice([0, 1, 2, 3, 4, 5, 6, 10**30]), 12)
        far, n = Fraction(draw.randint(0, 4), 2), sum(sizes)

        def fits(counts: list[int], *, n: int = n, sizes: list[int] = sizes, least: int = least,
                 slack: Fraction = slack, far: Fraction = far) -> bool:  # fmt: skip
            size = sum(counts)
            surplus = sum(
                (
                    max(Fraction(0), Fraction(c, size) - Fraction(s, n))
                    for c, s in zip(counts, sizes, strict=True)
                    if size
                ),
                Fraction(0),
            )
            return size >= least and surplus * far <= slack

        def split(counts: list[int], fits: Any = fits) -> list[list[int]]:
            odd = [b for b, c in enumerate(counts) if c % 2]
            left = [c // 2 + (b in odd[::2]) for b, c in enumerate(counts)]
            right = [c - x for c, x in zip(counts, left, strict=True)]
            return [*split(left, fits), *split(right, fits)] if fits(left) and fits(right) else [counts]

        expected = split(sizes)
        assert class_quotas(sizes, slack=slack, farthest=far, least=least).tolist() == expected
        halved += len(expected) > 1
    assert halved > 20


def test_the_farthest_values_are_so_wherever_they_stand() -> None:
    draw = random.Random("far")
    for _ in range(60):
        m = draw.randint(2, 5)
        places = [draw.randint(0, 9) for _ in range(m)]
        ground = Matrix([[abs(a - b) for b in places] for a in places])
        assert _farthest(ground, Clock()) == max(places) - min(places)


@pytest.mark.long
def test_of_the_bucketings_the_first_that_allows_the_most_classes_is_taken() -> None:
    draw, several = random.Random("bucketings"), 0
    for _ in range(35):
        values = [draw.choice([0, 1, 2, 3, 3]) for _ in range(draw.randint(4, 12))]
        frame = pd.DataFrame({"x": range(len(values)), "s": values})
        table = Microdata.from_frame(frame, quasi_identifiers="x", sensitive="s")
        t = Fraction(draw.randint(1, 8), 12)
        found = sabre(table, TCloseness(t, ground="ordered-by-value"))
        ground, line = laid_out(Counting(table), "ordered-by-value")
        counts = np.bincount(Counting(table).codes)
        tried = []
        for buckets in bucketings(ground, line, counts):
            if buckets.bound <= t:
                starts = [0, *buckets.ends[:-1]]
                sizes = [int(counts[line[a:b]].sum()) for a, b in zip(starts, buckets.ends, strict=True)]
                farthest = max(ground.distance(i, j) for i in range(ground.m) for j in range(ground.m))
                tried.append((buckets, class_quotas(sizes, slack=t - buckets.bound, farthest=farthest, least=1)))
        best, quotas = max(tried, key=lambda each: len(each[1]))  # the first of equals
        assert (found.done["buckets"], found.done["classes before mergers"]) == (len(best.ends), len(quotas))
        several += sum(len(each) == len(quotas) for _, each in tried) > 1
    assert several > 5


def test_the_records_over_are_in_the_middle_buckets_whatever_their_number() -> None:
    for n in range(1, 40):
        for k in range(1, n + 1):
            sizes, over = _bucket_sizes(n, k), n % k
            assert (len(sizes), sum(sizes)) == (k, n)
            more = {b: size - n // k for b, size in enumerate(sizes) if size > n // k}
            middle = {k // 2} if k % 2 else {k // 2 - 1, k // 2}
            assert set(more) <= middle
            assert max(more.values(), default=0) - over / len(middle) < 1


@pytest.mark.parametrize("method", [mdav, swapping, closeness_first, sabre, confidential_microaggregation])
@pytest.mark.parametrize("k", [0, -1, 1.5])
def test_a_k_that_is_none_is_refused_by_every_method(method: Any, k: Any) -> None:
    frame = pd.DataFrame({"x": range(6), "s": [0, 1, 2] * 2})
    table = Microdata.from_frame(frame, quasi_identifiers="x", sensitive="s")
    with pytest.raises(InputError, match="k = "):
        method(table, TCloseness("1/2", ground="ordered-by-value"), k=k)


@pytest.mark.long
def test_a_violating_class_joins_the_class_that_is_nearest_by_the_mean_distance_once_a_round() -> None:
    """Large classes beside small ones, so that a sum is not a mean; several that violate, so that a round has turns."""
    seen = Counter[int]()
    for draw, case in tables("merge", 70):
        n, k = len(case.rows), draw.choice([2, 3])
        class_of = [draw.choice([0, 0, 0, 1, 2, 3, 4]) for _ in range(n)]
        model = KAnonymity(k) & DistinctLDiversity(2)
        found, mergers = merge_until_satisfied(
            np.unique(class_of, return_inverse=True)[1],
            model,
            Counting(case.table),
            distances_of(case),
            np.arange(n),
            Clock(),
        )
        away, mine, made = ByHand(case).away, list(class_of), 0
        while True:
            first = list(dict.fromkeys(mine))
            mine = [first.index(g) for g in mine]
            members = [[i for i in range(n) if mine[i] == g] for g in range(len(first))]
            bad = [g for g, one in enumerate(members) if len(one) < k or len({case.rows[i][-1] for i in one}) < 2]
            if not bad or len(members) == 1:
                break
            joined = set[int]()
            for g in bad:
                others = sorted({*mine} - {g})
                if g in joined or not others:
                    continue
                own = [i for i in range(n) if mine[i] == g]
                mean = {
                    o: Fraction(sum(away[i][j] for i in own for j in range(n) if mine[j] == o), mine.count(o))
                    for o in others
                }
                other = min(others, key=lambda o: (mean[o], o))
                mine = [other if x == g else x for x in mine]
                joined |= {g, other}
                made += 1
        assert mergers == made, (case.rows, class_of)
        assert list(dict.fromkeys(zip(found.tolist(), mine, strict=True))) == [(g, g) for g in dict.fromkeys(mine)]
        seen[made] += 1
    assert sum(times for made, times in seen.items() if made > 1) > 10
