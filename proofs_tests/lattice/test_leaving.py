"""How many records must leave a class at least: against all ways to let records go, of thousands of tiny classes."""

from __future__ import annotations

import math
import random
from collections.abc import Iterator
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from proofs_tests.lattice.test_compiled_decisions import breaks, rolled_up
from proofs_tests.lattice.tiny_tables import tables
from tcloseness.lattice import exhaustive, minimal_generalizations, optimum
from tcloseness.lattice.decide import Decider, thresholds_of
from tcloseness.lattice.leaving import FewestLeaving, _fits, _most_even, least_leaving
from tcloseness.loss import LossMetric
from tcloseness.models import DistinctLDiversity, EntropyLDiversity, KAnonymity, RecursiveCLDiversity, TCloseness
from tcloseness.models.combination import Combination

F = Fraction
MODELS: dict[str, list[Any]] = {
    "k": [KAnonymity(2), KAnonymity(4)],
    "distinct": [DistinctLDiversity(2), DistinctLDiversity(3)],
    "entropy": [EntropyLDiversity(least) for least in (1, "3/2", 2, "5/2", 3)],
    "recursive": [RecursiveCLDiversity(least, c=c) for least, c in product((1, 2, 3), ("1/2", 1, 2, "7/2"))],
    "close": [TCloseness(t, ground=g) for t, g in product((0, "1/10", "1/4", "1/2"), ("equal", "ordered"))],
}


def classes(count: int) -> Iterator[tuple[list[list[int]], random.Random]]:
    draw = random.Random(11)
    for _ in range(count):
        m = draw.randint(2, 4)
        rows = [[draw.choice([0, 0, 1, 2, 3, 5]) for _ in range(m)] for _ in range(3)]
        rows = [row for row in rows if any(row)] + [[1] * m]
        yield rows, draw


def kept(rows: list[list[int]], models: list[Any]) -> list[int]:
    """How many records of each class can stay, by the compiled bound."""
    rolled = rolled_up(rows)
    decide = Decider(rolled, Combination(tuple(models)), rolled.records)
    found = rolled.at((0,))
    stay = found.sizes.copy()
    stay[found.sizes < decide.least] = 0
    for counts, close in decide.rounds:
        asked = (counts.distinct, counts.entropy_numerator, counts.entropy_denominator)
        tail = (counts.l, counts.c_numerator, counts.c_denominator)
        leaving = least_leaving(found.matrix, found.sizes, stay, decide.least, rolled.records, *asked, *tail, *close)
        assert leaving == int((found.sizes - stay).sum())
    return [int(n) for n in stay]


def most(row: list[int], models: list[Any], reference: list[int]) -> int:
    """The same by trying every way to let records go."""
    ways = (list(x) for x in product(*(range(n + 1) for n in row)) if any(x))
    return max((sum(x) for x in ways if not any(breaks(each, x, reference) for each in models)), default=0)


@pytest.mark.long
@pytest.mark.parametrize("kind", [*MODELS, "several"])
def test_no_more_records_can_stay_than_the_bound_says(kind: str) -> None:
    exact = asked = 0
    for rows, draw in classes(60):
        models = [draw.choice(MODELS[kind])] if kind in MODELS else [draw.choice(each) for each in MODELS.values()]
        reference = [sum(column) for column in zip(*rows, strict=True)]
        for row, bound in zip(rows, kept(rows, models), strict=True):
            truth = most(row, models, reference)
            assert truth <= bound <= sum(row)
            exact, asked = exact + (truth == bound), asked + 1
    assert exact > asked * 0.6, "it is mostly the number itself"


def test_no_even_rest_is_ruled_out_by_its_own_entropy() -> None:
    """Also where the rest lies between two counts capped at whole numbers: some of those at the cap are one less."""
    between = 0
    for row in ([5, 5, 1], [4, 4, 1], [3, 3, 3, 1], [4, 4, 2, 1], [2, 2], [6, 1]):
        capped = {sum(min(c, cap) for c in row) for cap in range(max(row) + 1)}
        for rest in product(*(range(n + 1) for n in row)):
            n, values = sum(rest), sum(c > 0 for c in row)
            if n:
                entropy = -sum(c / n * math.log(c / n) for c in rest if c)
                assert _most_even(np.array(row), sum(row), values, entropy - 1e-9) >= n
                between += n not in capped
    assert between > 100


@pytest.mark.long
def test_a_node_that_is_ruled_out_rules_out_all_below() -> None:
    """Searches with a suppression limit find what deciding every node finds; many nodes are ruled out unseen."""
    ruled_out = 0
    for number, tiny in enumerate(tables(120, 5)):
        models = [KAnonymity(2), (MODELS["entropy"], MODELS["close"], MODELS["recursive"])[number % 3][1 + number % 4]]
        model, limit = Combination(tuple(models)), min(1 + number % 5, len(tiny.rows))
        rolled = tiny.rolled(compiled=True)
        every = exhaustive(rolled, model, suppression=limit)
        found = minimal_generalizations(rolled, model, suppression=limit)
        assert found.satisfying == every.satisfying
        ruled_out += found.work.tagged
        best = optimum(rolled, model, loss=LossMetric(), suppression=limit)
        assert {each.node for each in best.nodes} <= set(every.satisfying)
        asked = FewestLeaving(Decider(rolled, model, limit))
        for node in rolled.lattice:
            if asked(node) == "violated":
                assert not set(every.satisfying) & set(product(*(range(level + 1) for level in node)))
    assert ruled_out > 100


def test_distances_whose_products_could_overflow_are_left_out() -> None:
    rows = [[10**6, 1], [1, 10**6]]
    rolled = rolled_up(rows)
    ((_, small),) = thresholds_of([TCloseness("1/4", ground="equal")], rolled)[0]
    assert _fits(small)
    assert not _fits(small._replace(t_denominator=2**40))
    assert not _fits(small._replace(records=2**40))
    assert _fits(small._replace(low=np.zeros(0, np.int64), records=2**62))
