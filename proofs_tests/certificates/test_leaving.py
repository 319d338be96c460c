"""How many records must leave the classes of a node: no part that satisfies is larger; the bound is as described."""

from __future__ import annotations

import itertools
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from proofs_tests.certificates.tables import models, rolled, table
from tcloseness.certificates import conditions as conditions_of_classes
from tcloseness.certificates.conditions import Conditions
from tcloseness.certificates.leaving import fewest_leaving
from tcloseness.errors import InputError
from tcloseness.models.certified import CertifiedTable, checked_conditions
from tcloseness.strict_records import Work, cells


@pytest.mark.long
@pytest.mark.parametrize("classes", [150, pytest.param(5000, marks=pytest.mark.slow)])
def test_no_part_that_satisfies_is_larger_than_the_bound(classes: int) -> None:
    """Of all parts of a class; what satisfies is decided by `Conditions`, which other tests hold to the models."""
    rng = random.Random(33)
    exact = bounded = 0
    for _ in range(classes):
        searched = rolled(table(rng))
        reference = searched.reference.tolist()
        counts = [rng.randint(0, min(c, 4)) for c in reference]
        if not any(counts):
            continue
        model = rng.choice(models(rng))
        values = CertifiedTable.of(searched.frequencies, searched.sensitive).values
        conditions = Conditions(checked_conditions(model, searched.domain), values, reference)
        parts = np.array([part for part in itertools.product(*(range(c + 1) for c in counts)) if any(part)])
        most = int(parts.sum(axis=1)[~conditions.violating(parts)].max(initial=0))
        bound = sum(counts) - fewest_leaving([np.array([counts])], conditions, 10**6)
        assert bound >= most, (counts, model)
        exact += bound == most
        bounded += 1
    assert exact > 0.8 * bounded


def as_documented(counts: list[int], q: list[int], sets: list[tuple[frozenset[int], Fraction]], t: Fraction) -> int:
    """The bound of a condition `distance`, written anew from the page about certificates."""
    total, values = sum(q), range(len(q))

    def apart(x: list[int], inside: frozenset[int]) -> int:
        return sum(x[v] for v in inside) * total - sum(x) * sum(q[v] for v in inside)

    if sum(w * abs(apart(counts, inside)) for inside, w in sets) <= t * total * sum(counts):
        return sum(counts)
    x, best = counts, sum(counts)
    for _ in range(4):
        signs = [(apart(x, inside) > 0) - (apart(x, inside) < 0) for inside, _w in sets]
        signed = [(inside, w * s) for (inside, w), s in zip(sets, signs, strict=True)]
        u = [sum((each for inside, each in signed if v in inside), Fraction(0)) for v in values]
        d = [total * u[v] - sum(q[j] * u[j] for j in values) - t * total for v in values]
        left, x = Fraction(0), [0] * len(q)
        for v in sorted(values, key=lambda v: (d[v], v)):
            x[v] = counts[v] if d[v] <= 0 else min(counts[v], left // d[v])
            left -= x[v] * d[v]
        best = min(best, sum(x))
    return best


@pytest.mark.parametrize("scale", [1, 10**6, 2**40])
@pytest.mark.parametrize("classes", [60, pytest.param(3000, marks=pytest.mark.slow)])
def test_what_stays_within_t_is_bounded_as_the_page_says(classes: int, scale: int) -> None:
    rng = random.Random(scale)
    tree = {"name": "laminar", "order": [2, 0, 3, 1], "low": [0, 0, 2, 2], "high": [2, 1, 4, 3]}
    tree |= {"weights": ["3", "1", "2", "1"], "denominator": "7"}
    members = [({2, 0}, 3), ({2}, 1), ({3, 1}, 2), ({3}, 1)]
    grounds: list[tuple[Any, list[tuple[frozenset[int], Fraction]]]] = [
        ({"name": "equal", "m": 4}, [(frozenset({v}), Fraction(1, 2)) for v in range(4)]),
        ({"name": "ordered", "m": 4}, [(frozenset(range(v + 1)), Fraction(1, 3)) for v in range(3)]),
        (tree, [(frozenset(inside), Fraction(w, 7)) for inside, w in members]),
    ]
    bounded = 0
    for _ in range(classes):
        ground, sets = rng.choice(grounds)
        reference = [rng.randint(1, 9) * scale + rng.randint(0, 1) for _ in range(4)]
        t = Fraction(rng.randint(0, 6), rng.choice([10, 11, 3 * 2**20]))
        record = {"condition": "distance", "t": str(t), "ground": ground}
        conditions = Conditions([record], [f"text:{v}" for v in range(4)], reference)
        block = [[rng.randint(0, 9) * scale + rng.randint(0, 2) for _ in range(4)] for _ in range(3)]
        block = [counts for counts in block if any(counts)]
        stays = [as_documented(counts, reference, sets, t) for counts in block]
        bounded += any(0 < stay < sum(counts) for stay, counts in zip(stays, block, strict=True))
        if block:
            leave = fewest_leaving([np.array(block)], conditions, 10**30)
            assert leave == sum(map(sum, block)) - sum(stays), (block, reference, ground, t)
    assert bounded > classes // 4


IN_TURN = [
    ([3, 3, 3, 5, 2, 1], [1, 0, 0, 5, 0, 1], [0, 5, 4, 2, 1, 3], 1, Fraction(3, 32)),
    ([2, 5, 3, 3, 5, 5], [0, 0, 3, 1, 2, 5], [1, 5, 4, 2, 3, 0], 3, Fraction(1, 64)),
    ([3, 5, 1, 2, 3], [0, 2, 0, 1, 3], [0, 2, 4, 3, 1], 2, Fraction(5, 32)),
]
"""Of reference, counts, order, a place in it and t: where the turn of records that cost the same decides."""

FOUR_TIMES = ([2, 2, 1, 5, 5, 1], [2, 0, 0, 5, 1, 1], [5, 0, 1, 2, 4, 3], 4, Fraction(5, 32))
"""Where three times are not enough."""


@pytest.mark.parametrize("case", [*IN_TURN, FOUR_TIMES])
def test_of_records_that_cost_the_same_those_of_the_first_values_stay(case: Any) -> None:
    """In the order of the values, whatever the order is in which the sets hold them."""
    reference, counts, order, k, t = case
    m = len(order)
    sets = [*((i, i + 1) for i in range(m)), (0, k), (k, m)]
    ground = {
        "name": "laminar", "order": order, "low": [low for low, _ in sets], "high": [high for _, high in sets],
        "weights": ["1"] * len(sets), "denominator": "4",
    }  # fmt: skip
    record = {"condition": "distance", "t": str(t), "ground": ground}
    conditions = Conditions([record], [f"text:{v}" for v in range(m)], reference)
    found = sum(counts) - fewest_leaving([np.array([counts])], conditions, 10**6)
    cuts = [(frozenset(order[a:b]), Fraction(1, 4)) for a, b in sets]
    assert found == as_documented(counts, reference, cuts, t)
    if case in IN_TURN:
        moved = [(frozenset(range(a, b)), weight) for (a, b), (_, weight) in zip(sets, cuts, strict=True)]
        assert found != as_documented([counts[v] for v in order], [reference[v] for v in order], moved, t)


def test_counting_ends_once_it_is_enough_and_adds_up_over_classes() -> None:
    conditions = Conditions([{"condition": "share", "most": "1/2", "values": None}], ["text:x", "text:y"], [300, 100])
    classes = np.array([[4, 1]] * 100)
    assert fewest_leaving([classes], conditions, 10**6) == 300  # 1 and 1 of each stay
    assert fewest_leaving([classes], conditions, 7) == 48  # of the first 16
    assert fewest_leaving([classes, classes], conditions, 10**6) == 600


def test_numbers_beyond_64_bits_leave_as_many_as_small_ones() -> None:
    """Counts, reference and t with a large factor in all: the share that may stay is the same."""
    ground = {"name": "ordered", "m": 3}
    for t, factor in (("1/5", 1), ("1/5", 2**45), (f"{2**60 // 5}/{2**60}", 2**40)):
        conditions = Conditions(
            [{"condition": "distance", "t": t, "ground": ground}], ["a", "b", "c"], [8 * factor, 8 * factor, 8 * factor]
        )
        leave = fewest_leaving([np.array([[8, 1, 1]]) * factor], conditions, 10**20)
        assert leave // factor in (4, 5), leave


def test_a_ground_distance_is_read_once_however_many_nodes_are_ruled_out(monkeypatch: pytest.MonkeyPatch) -> None:
    read: list[Any] = []
    cuts_of = conditions_of_classes.cuts_of
    monkeypatch.setattr(conditions_of_classes, "cuts_of", lambda *given: read.append(given) or cuts_of(*given))
    asked = [
        {"condition": "distance", "t": t, "ground": {"name": ground, "m": 3}}
        for t, ground in (("0", "equal"), ("1/9", "ordered"))
    ]
    conditions = Conditions(asked, ["a", "b", "c"], [3, 2, 1])
    for _ in range(5):
        assert fewest_leaving([np.array([[3, 0, 0], [0, 2, 1]])], conditions, 6) == 6
    assert len(read) == 2


def spent(model: list[dict[str, Any]], blocks: list[Any], reference: list[int], enough: int = 10**30) -> float:
    conditions = Conditions(model, [f"text:{v}" for v in range(len(reference))], reference)
    conditions.work = Work(1e9)
    fewest_leaving(blocks, conditions, enough)
    return 1e9 - conditions.work.left


HALF = {"condition": "share", "most": "1/2", "values": None}


def test_the_work_of_what_must_leave_is_added_up() -> None:
    three, one = np.array([[2, 1, 0], [1, 3, 0], [0, 0, 1]]), np.array([[4, 1, 0]])
    records, values = {"condition": "records", "least": 2}, {"condition": "values", "least": 2}
    q = [20, 20, 20]
    assert spent([records], [three, one], q) == 2 * 1000 + 5 * (9 + 3)
    assert spent([records, values], [three], q) == 2 * (1000 + 5 * 9)
    assert spent([HALF], [one], q) == 1000 + 5 * 3 + 2 * (1000 + 10 * 3)  # of 4, at 2 and at 1
    assert spent([HALF, records], [three], q) == 1000 + 5 * 9 + 1000 + 5 * 6 + (1000 + 10 * 6) + (1000 + 10 * 3)
    assert spent([HALF], [np.array([[1, 1, 0]])], q) == 1000 + 5 * 3  # nothing must leave
    ordered = {"condition": "distance", "t": "1/4", "ground": {"name": "ordered", "m": 3}}
    asked = 1000 + 5 * 3 + (2 + 3) * (500 + 2 * 1)
    assert spent([ordered], [one], q) == asked + 4 * (2 + 4 * 3) * (500 + 2 * 1)
    scale = 2**30
    long = cells(100 + ((2 * 2 * 4 * 60 * scale + 1 * 2 * 60 * scale) * 60 * scale).bit_length())
    far = 2 * 2 * 4 * 60 * scale * 5 * scale  # numbers of the condition itself, of five records
    own = cells(100 + far.bit_length() if far > 2**63 - 1 else 0)
    found = spent([ordered], [one * scale], [each * scale for each in q])
    assert found == pytest.approx(1000 + 5 * 3 + 5 * (500 + own) + 4 * 14 * (500 + long), abs=1e-6)
    conditions = Conditions([ordered], ["a", "b", "c"], q)
    conditions.work = Work(asked + 4 * 14 * 502 - 1)
    with pytest.raises(InputError, match="what can stay within t would take too long"):
        fewest_leaving([one], conditions, 10)


def test_the_largest_classes_are_looked_at_first_sixteen_and_then_twice_as_many_each_time() -> None:
    sizes = random.Random(34).sample(range(1, 200), 120)
    block, q = np.array([[3 * size, size] for size in sizes]), [10**6, 10**6]  # of each 2·size leave
    falling = sorted(sizes, reverse=True)
    conditions = Conditions([HALF], ["text:x", "text:y"], q)
    for first in (16, 16 + 32, 16 + 32 + 64, 120):
        leave = 2 * sum(falling[:first])
        before = 2 * sum(falling[: (first - 16) // 2 if first < 120 else 112])
        assert fewest_leaving([block], conditions, before + 1) == leave
        assert fewest_leaving([block], conditions, leave) == leave
        asked = [16, 32, 64, 8][: [16, 48, 112, 120].index(first) + 1]
        assert spent([HALF], [block], q, leave) >= sum(1000 + 5 * 2 * many for many in asked)
    assert fewest_leaving([block, block], conditions, 10**9) == 4 * sum(sizes)
    assert fewest_leaving([block, block], conditions, 2 * sum(sizes)) == 2 * sum(sizes)
    assert fewest_leaving([], conditions, 1) == 0


def test_what_stays_has_as_many_records_as_is_asked_or_none() -> None:
    """Of (5, 1) two can stay, of (6, 3) six; where more are asked, none."""
    block, q = np.array([[5, 1], [6, 3]]), [10**6, 10**6]
    for least, leave in ((1, 4 + 3), (2, 4 + 3), (3, 6 + 3), (6, 6 + 3), (7, 6 + 9)):
        for model in (
            [HALF, {"condition": "records", "least": least}],
            [{"condition": "records", "least": least}, HALF],
        ):
            assert fewest_leaving([block], Conditions(model, ["text:x", "text:y"], q), 10**9) == leave
    for least, leave in ((1, 7), (2, 7), (3, 15)):
        model = [HALF, {"condition": "values", "least": least}]
        assert fewest_leaving([block], Conditions(model, ["text:x", "text:y"], q), 10**9) == leave


def test_a_share_of_some_values_bounds_nothing_here() -> None:
    named = {"condition": "share", "most": "1/2", "values": ["text:x"]}
    conditions = Conditions([named], ["text:x", "text:y"], [10, 10])
    assert fewest_leaving([np.array([[5, 1]])], conditions, 100) == 0


@pytest.mark.parametrize(
    "record", [{"condition": "entropy", "l": "3/2"}, {"condition": "tail", "l": 2, "c": "2"}, HALF]
)
def test_the_most_even_part_is_one_below_the_least_cap_that_breaks(record: dict[str, Any]) -> None:
    draw, some = random.Random(f"{record}"), 0
    conditions = Conditions([record], [f"text:{v}" for v in range(4)], [9] * 4)
    for _ in range(80):
        counts = np.array([[draw.choice([0, 0, 1, 2, 5, 9, 30]) for _ in range(4)]])
        if not counts.any() or not conditions.violating(counts)[0]:
            continue
        caps = [np.minimum(counts, cap) for cap in range(1, int(counts.max()) + 1)]
        cap = next(each for each in caps if conditions.violating(each)[0])
        assert fewest_leaving([counts], conditions, 10**6) == counts.sum() - (cap.sum() - 1)
        some += 1
    assert some > 10
