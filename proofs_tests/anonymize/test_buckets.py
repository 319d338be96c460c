"""Classes that are filled from buckets, and those of MDAV, against lists and fractions: small tables with ties."""

from __future__ import annotations

import random
from collections.abc import Iterator
from fractions import Fraction

import numpy as np

from proofs_tests.anonymize.cases import NAMES, Case
from proofs_tests.anonymize.test_microaggregation import distances_of, squared
from tcloseness.anonymize.buckets import even_quotas, filled_classes
from tcloseness.anonymize.microaggregation import mdav_classes
from tcloseness.limits import Clock


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


def test_classes_take_from_each_bucket_the_records_nearest_to_seeds_that_alternate() -> None:
    for draw, case in tables("buckets", 150):
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


def test_mdav_takes_its_seeds_from_what_is_left() -> None:
    """Two classes a round, so of fourteen records at k = 1 the centre moves six times."""
    for draw, case in tables("mdav", 150):
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
