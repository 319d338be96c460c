"""The steps of the checker of what is kept, each against its definition."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import pytest

from proofs_tests.certificates.test_keeping import FAR, PRICES, SHARES, entry, of_one
from proofs_tests.optimal.test_keeping import laminar
from tcloseness.certificates.conditions import Conditions
from tcloseness.certificates.keeping import Asked, PricedDistance
from tcloseness.errors import CertificateError, InputError
from tcloseness.ground import Laminar
from tcloseness.strict_records import Work


def distance_of(rng: random.Random) -> tuple[PricedDistance, list[int], Fraction, list[tuple[list[int], int]], int]:
    """A distance, the reference, t, the sets in the order of their prices with their weights, and the denominator."""
    m = rng.randint(2, 4)
    cuts, q, t = laminar(rng, m), [rng.randint(0, 4) for _ in range(m)], Fraction(rng.randint(0, 5), rng.randint(1, 8))
    q[rng.randrange(m)] += 1
    record = {"condition": "distance", "t": str(t), "ground": Laminar(cuts).to_dict()}
    priced = PricedDistance(record, Conditions([record], [f"text:{v}" for v in range(m)], q))
    ends = zip(cuts.low.tolist(), cuts.high.tolist(), cuts.weights.tolist(), strict=True)
    sets = [(sorted(cuts.order[low:high].tolist()), weight) for low, high, weight in ends]
    return priced, q, t, sorted(sets, key=lambda each: (len(each[0]), each[0])), cuts.denominator


def test_prices_bound_what_they_say() -> None:
    """A potential excludes a size if no x of it has Σ x_v·d_v ≤ 0; prices, if their bound on the work is beyond t."""
    rng, seen = random.Random(10), Counter[Any]()
    for _ in range(400):
        priced, q, t, sets, unit = distance_of(rng)
        m, total = len(q), sum(q)
        assert [(sorted(priced.order[low:high]), w) for low, high, w in priced.sets] == sets
        prices = [rng.randint(-total * w, total * w) for _, w in sets]
        assert priced.prices(prices, "") == prices
        u = [sum(p for p, (side, _) in zip(prices, sets, strict=True) if v in side) for v in range(m)]
        low, high = [rng.choice([0, 0, 1]) for _ in range(m)], [rng.randint(1, 3) for _ in range(m)]
        size = rng.randint(sum(low), sum(high))
        boxes = (range(a, b + 1) for a, b in zip(low, high, strict=True))
        ways = [x for x in itertools.product(*boxes) if sum(x) == size]
        sums = [([sum(bound[v] for v in side) for bound in (low, high, q)], w) for side, w in sets]
        work = min(sum(n * p for n, p in zip(x, u, strict=True)) for x in ways) + sum(
            min(w * abs(total * z - size * theirs) - p * z for z in range(a, b + 1))
            for p, ((a, b, theirs), w) in zip(prices, sums, strict=True)
        )
        far = t.denominator * work > t.numerator * unit * total * size
        assert priced.too_far(size, low, high, prices) == far
        mean = sum(n * p for n, p in zip(q, u, strict=True))
        d = [t.denominator * (total * p - mean) - t.numerator * unit * total**2 for p in u]
        free = [x for x in itertools.product(*(range(b + 1) for b in high)) if sum(x) == size]
        excluded = all(sum(n * s for n, s in zip(x, d, strict=True)) > 0 for x in free)
        assert priced.excludes_from(size, high, prices) == excluded
        assert priced.excludes_from(sum(high) + 1, high, prices)  # there is none
        seen.update(far=far, excluded=excluded)
    assert min(seen["far"], seen["excluded"]) > 20


def test_the_least_excess_is_one() -> None:
    """Of the value that is not in the reference (1, 0) there is one record: at t = 1/2 its slope is 1."""
    model = [{"condition": "distance", "t": "1/2", "ground": {"name": "ordered", "m": 2}}]
    asked = Asked(Conditions(model, ["text:a", "text:b"], [1, 0]), hidden=False)
    gone = entry(counts=[0, 1], kept=[0, 0], bound=0, above={"size": 1, "distance": 0, "prices": [-1]})
    assert asked.bound([0, 1], gone, "it") == 0
    none = Asked(Conditions([*model, {"condition": "gain", "most": "0"}], ["text:a", "text:b"], [1, 0]), hidden=False)
    assert none.bound([0, 1], {**gone, "above": {"size": 1, "distance": 0, "prices": [0]}}, "it") == 0


def test_equal_sets_are_one_and_that_of_all_values_is_none() -> None:
    """Below the root stand {x, y}, twice since a step has one child, {z}, {x}, {y}; heights 3, 2, 1 and 0."""
    paths = [["x", "xy", "two", "*"], ["y", "xy", "two", "*"], ["z", "z1", "z2", "*"]]
    ground = {"name": "hierarchical", "paths": paths, "values": [0, 1, 2], "trivial_levels": "keep"}
    record = {"condition": "distance", "t": "1/2", "ground": ground}
    conditions = Conditions([record], ["text:x", "text:y", "text:z"], [1, 1, 1])
    conditions.work = Work(10**6)
    priced = PricedDistance(record, conditions)
    sides = [(sorted(priced.order[low:high]), weight) for low, high, weight in priced.sets]
    assert (sides, priced.denominator) == ([([0], 1), ([1], 1), ([2], 3), ([0, 1], 2)], 6)
    assert conditions.work.left == 10**6 - (4 * 1001 + 3 * 1000 + 2 * 2 + 1)


def test_the_work_of_each_size_is_taken_account_of() -> None:
    """A step is 200 units for 20, each value and each set, times that of numbers twice as long as the longest."""
    for t, step in (("1/8", 2 * 200 * 26), (f"1/{2**40}", 200 * 26 * (100 + 82 / 50))):
        conditions = Conditions([{**FAR[0], "t": t}], ["text:a", "text:b", "text:c"], [5, 3, 2])
        asked = Asked(conditions, hidden=False)
        before = conditions.work.left
        given = {"counts": [9, 2, 1], "bound": 8, "above": {"size": 9, **PRICES}, "sizes": []}
        assert asked.bound([9, 2, 1], given, "it") == 8
        assert before - conditions.work.left == pytest.approx(step)
    conditions = Conditions(SHARES, ["text:a", "text:b", "text:c"], [5, 3, 2])
    asked, before = Asked(conditions, hidden=False), conditions.work.left
    assert asked.bound([5, 2, 1], entry(), "it") == 6
    assert before - conditions.work.left == 2 * 200 * 23


def test_counting_and_even_counts_are_their_definitions() -> None:
    """Against every x within bounds: none of a size above the room satisfies, nor any if the most even do not."""
    rng, seen = random.Random(11), Counter[Any]()
    for _ in range(300):
        m = rng.randint(1, 4)
        c, l = Fraction(rng.randint(1, 6), rng.randint(1, 3)), rng.randint(1, m + 1)  # noqa: E741
        least = rng.choice([1, rng.randint(1, m)])
        model = [{"condition": "tail", "l": l, "c": str(c)}, {"condition": "values", "least": least}]
        if least == 1:  # one value is no condition
            del model[1]
        elif rng.random() < 0.3:
            l, model = 1, model[1:]  # noqa: E741
        asked = Asked(Conditions(model, [f"text:{v}" for v in range(m)], [1] * m), hidden=False)
        low, high = [rng.choice([0, 0, 1, 2]) for _ in range(m)], [rng.randint(0, 4) for _ in range(m)]
        high = [max(a, b) for a, b in zip(low, high, strict=True)]

        def good(x: Sequence[int], c: Fraction = c, l: int = l, least: int = least) -> bool:  # noqa: E741
            return sum(map(bool, x)) >= least and (l == 1 or max(x) < c * sum(sorted(x, reverse=True)[l - 1 :]))

        ways = [x for x in itertools.product(*(range(b + 1) for b in high)) if any(x) and good(x)]
        room = asked._room(high)
        assert max(map(sum, ways), default=0) <= room
        at = [sorted((min(b, level) for b in high), reverse=True) for level in range(max(high) + 1)]
        holds = [level for level, x in enumerate(at) if not level or l == 1 or level < c * sum(x[l - 1 :])]
        assert room == (sum(at[max(holds)]) if sum(map(bool, high)) >= least else 0)
        seen["tight"] += room == max(map(sum, ways), default=0)
        within = [x for x in ways if all(a <= n for a, n in zip(low, x, strict=True))]
        for size in range(max(1, sum(low)), sum(high) + 1):
            assert asked._uneven(size, low, high) == all(sum(x) != size for x in within)
            seen["uneven"] += asked._uneven(size, low, high)
    assert seen["tight"] > 250
    assert seen["uneven"] > 100


def test_conditions_that_ask_nothing_here_exclude_nothing() -> None:
    """A tail with l = 1, and where values are hidden a least number of records."""
    one = {"condition": "tail", "l": 1, "c": "1/10"}
    none = entry(kept=[0, 0, 0], bound=0)
    for model, hidden in (([*SHARES, one], False), ([*SHARES, {"condition": "records", "least": 7}], True)):
        with pytest.raises(CertificateError, match="6 records can be kept"):
            of_one(model, none, hidden=hidden)


def test_of_several_bounds_on_a_share_the_least_counts() -> None:
    """Of 5, 2 and 1 the first value may be half, or two fifths: then 2, 2 and 1 stay, whatever the order."""
    less = {"condition": "share", "most": "2/5", "values": ["text:a"]}
    for model in ([*SHARES, less], [less, *SHARES]):
        assert of_one(model, entry(kept=[2, 2, 1], bound=5)) == (10, 10, 1)


def test_a_potential_is_asked_of_real_counts_within_the_bounds_on_shares() -> None:
    """At most two thirds may have the first value: of 9 records 6, which is still too many."""
    model = [*FAR, {"condition": "share", "most": "2/3", "values": None}]
    asked = Asked(Conditions(model, ["text:a", "text:b", "text:c"], [5, 3, 2]), hidden=False)
    given = {"counts": [9, 2, 1], "bound": 8, "above": {"size": 9, **PRICES}, "sizes": []}
    assert asked.bound([9, 2, 1], given, "it") == 8


def test_sizes_are_positive_and_trees_not_empty() -> None:
    asked = Asked(Conditions(FAR, ["text:a", "text:b", "text:c"], [5, 3, 2]), hidden=False)
    above = {"size": 9, **PRICES}
    for changes, said in (
        ({"above": {**above, "size": 0}}, "above.size is 0; it must be a whole number from 1"),
        ({"sizes": [{"size": 0, "tree": [None]}]}, r"sizes\[0\].size is 0; it must be a whole number from 1"),
        ({"sizes": [{"size": 5, "tree": []}]}, "tree has 0 entries; it must have at least 1"),
    ):
        with pytest.raises(InputError, match=said):
            asked.bound([9, 2, 1], {"counts": [9, 2, 1], "bound": 8, "above": above, "sizes": [], **changes}, "it")
