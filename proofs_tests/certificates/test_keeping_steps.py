"""The steps of the checker of what is kept, each against its definition."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Sequence
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from proofs_tests.certificates.test_keeping import FAR, PRICES, SHARES, entry, of_far, of_one
from proofs_tests.optimal.test_keeping import laminar
from tcloseness.certificates import Nodes
from tcloseness.certificates.conditions import Conditions
from tcloseness.certificates.keeping import (
    HIDING,
    NO_HIDING,
    NO_SUPPRESSION,
    SUPPRESSION,
    TASKS,
    Asked,
    PricedDistance,
    kept_of,
)
from tcloseness.certificates.reading import Counts
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
    assert conditions.work.left == 10**6 - (3 * 1001 + 1002)


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


SIZES = [{"size": size, "tree": [PRICES]} for size in (9, 10, 11)]
"""What excludes more than 8 records of (9, 2, 1) at t = 1/8 beside (5, 3, 2)/10."""


@pytest.mark.parametrize(
    ("tree", "place"),
    [
        ([{"value": 0, "most": 5}, None, PRICES], 1),
        ([{"value": 0, "most": 5}, PRICES, PRICES], 1),
        ([{"value": 0, "most": 4}, None, None], 2),
        ([{"value": 0, "most": 4}, None, PRICES], 2),
        ([{"value": 1, "most": 1}, PRICES, None], 2),
        ([{"value": 0, "most": 4}, None, {"value": 1, "most": 1}, PRICES, {"value": 2, "most": 0}, PRICES, None], 6),
    ],
    ids=str,
)
def test_what_can_be_kept_is_in_a_case_also_where_it_is_at_its_edges(tree: list[Any], place: int) -> None:
    """(5, 2, 1) can be kept: the case that has it is refused, and none before it."""
    with pytest.raises(CertificateError, match=rf"size 8, tree\[{place}\]: it is not shown that no 8 records"):
        of_far(sizes=[*SIZES, {"size": 8, "tree": tree}], kept=[4, 2, 1], bound=7)


@pytest.mark.parametrize("split", [{"value": 1, "most": 2}, {"value": 2, "most": 1}, {"value": 2, "most": 2**53}])
def test_a_case_of_more_records_of_a_value_than_there_are_is_empty(split: dict[str, Any]) -> None:
    assert of_far(sizes=[{"size": 9, "tree": [split, PRICES, None]}, *SIZES[1:]]) == 8
    with pytest.raises(CertificateError, match=r"size 9, tree\[1\]"):
        of_far(sizes=[{"size": 9, "tree": [split, None, PRICES]}, *SIZES[1:]])


def test_above_a_potential_the_size_below_is_still_to_be_excluded() -> None:
    with pytest.raises(CertificateError, match="shown that no 8 records"):
        of_far(above={"size": 9, **PRICES}, kept=[4, 2, 1], bound=7)
    none = entry(counts=[9, 2, 1], kept=[0, 0, 0], bound=7, above={"size": 8, **PRICES})
    asked = Asked(
        Conditions(
            [*FAR, {"condition": "share", "most": "2/3", "values": None}], ["text:a", "text:b", "text:c"], [5, 3, 2]
        ),
        hidden=False,
    )
    with pytest.raises(CertificateError, match="the potential does not exclude 8 records"):
        asked.bound([9, 2, 1], none, "it")


def test_one_record_is_a_size() -> None:
    model = [{"condition": "distance", "t": "1/2", "ground": {"name": "ordered", "m": 2}}]
    asked = Asked(Conditions(model, ["text:a", "text:b"], [1, 0]), hidden=False)
    one = {"size": 1, "tree": [{"distance": 0, "prices": [-1]}]}
    assert asked.bound([0, 2], entry(counts=[0, 2], kept=[0, 0], bound=0, sizes=[one]), "it") == 0


def test_no_tree_stands_for_prices_of_0_of_each_distance() -> None:
    rng, seen = random.Random(12), Counter[Any]()
    for _ in range(300):
        m = rng.randint(2, 4)
        q = [rng.randint(0, 4) for _ in range(m)]
        q[rng.randrange(m)] += 1
        model = [
            {"condition": "distance", "t": str(Fraction(n, 19)), "ground": Laminar(laminar(rng, m)).to_dict()}
            for n in rng.sample([0, 1, 2, 3, 5], 2)
        ]
        asked = Asked(Conditions(model, [f"text:{v}" for v in range(m)], q), hidden=False)
        high = [rng.randint(0, 3) for _ in range(m)]
        if not any(high):
            continue
        size = rng.randint(1, sum(high))
        far = [each.too_far(size, [0] * m, high, [0] * len(each.sets)) for each in asked.distances]
        seen[tuple(far)] += 1
        if any(far):
            asked._exclude(size, high, [None], "it")
        else:
            with pytest.raises(CertificateError, match="it is not shown"):
                asked._exclude(size, high, [None], "it")
    assert min(seen.values()) > 5
    assert len(seen) == 4


def test_a_gain_of_a_half_bounds_a_share_by_as_much_again_as_a_half_more() -> None:
    """Beside (5, 3, 2)/10 at most 3/4 have the first value: of (9, 1, 1) six stay."""
    conditions = Conditions([{"condition": "gain", "most": "1/2"}], ["text:a", "text:b", "text:c"], [5, 3, 2])

    def of(kept: list[int], bound: int) -> tuple[int, int, int]:
        given = entry(counts=[9, 1, 1], kept=kept, bound=bound)
        return kept_of([np.array([[9, 1, 1]])], conditions, [given], hidden=False)

    assert of([6, 1, 1], 8) == (8, 8, 1)
    with pytest.raises(CertificateError, match="shown that no 8 records"):
        of([5, 1, 1], 7)
    with pytest.raises(CertificateError, match="what is kept violates"):
        of([7, 1, 1], 9)


def test_each_of_several_tails_must_hold() -> None:
    tail = {"condition": "tail", "l": 2, "c": "1"}
    for model in ([tail, {"condition": "tail", "l": 3, "c": "100"}], [{"condition": "tail", "l": 3, "c": "100"}, tail]):
        assert of_one(model, entry(kept=[2, 2, 1], bound=5)) == (10, 10, 1)
        with pytest.raises(CertificateError, match="what is kept violates"):
            of_one(model, entry(kept=[3, 2, 1], bound=6))


def test_a_class_has_no_more_records_than_are_counted() -> None:
    conditions = Conditions([{"condition": "values", "least": 3}], ["text:a", "text:b", "text:c"], [5, 3, 2])
    for counts, right in (([2**53, 0, 0], True), ([2**53 - 1, 1, 0], True), ([2**53, 1, 0], False)):
        given = entry(counts=counts, kept=[0, 0, 0], bound=0)
        if right:
            assert kept_of([np.array([counts])], conditions, [given], hidden=False) == (0, 0, 1)
        else:
            with pytest.raises(CertificateError, match="is of no class"):
                kept_of([np.array([counts])], conditions, [given], hidden=False)


def test_classes_are_counted_over_all_blocks() -> None:
    """Two classes of 5, 2 and 1 in blocks of their own, each of which six or seven records stay, and one of five."""
    conditions = Conditions(SHARES, ["text:a", "text:b", "text:c"], [5, 3, 2])
    blocks = [np.array([each]) for each in ([5, 2, 1], [2, 2, 1], [5, 2, 1], [1, 1, 0])]
    for order in (blocks, blocks[::-1]):
        assert kept_of(order, conditions, [entry(bound=7)], hidden=False) == (6 + 5 + 6 + 2, 7 + 5 + 7 + 2, 2)


CHECK = {task.format: task.check for task in TASKS}


def said(name: str, share: str, classes: list[Any], records: int | None = None, **numbers: int) -> str:
    """What is found of two classes, of 3 and 1 and of 1 and 1 records."""
    counts = {("text:1", "text:x"): 3, ("text:1", "text:y"): 1, ("text:2", "text:x"): 1, ("text:2", "text:y"): 1}
    nodes = Nodes(Counts.of(["a", "s"], counts), {"a": [("1", "*"), ("2", "*")]}, ["text:x", "text:y"])
    model: list[dict[str, Any]] = [{"condition": "share", "most": share, "values": None}]
    model += [] if records is None else [{"condition": "records", "least": records}]
    conditions = Conditions(model, ["text:x", "text:y"], [4, 2])
    entries = [
        {"counts": counts, "kept": kept, "bound": bound, "above": None, "sizes": []} for counts, kept, bound in classes
    ]
    proof = {"values": ["text:x", "text:y"], "node": [0], "classes": entries, **numbers}
    return CHECK[name](nodes, conditions, proof)


def test_what_is_found_is_said_in_words() -> None:
    half = [([3, 1], [1, 1], 2)]
    none = [([3, 1], [0, 0], 0), ([1, 1], [0, 0], 0)]
    where = "at the node [0], where 1 class violates"
    for name, things in ((SUPPRESSION, "records"), (HIDING, "sensitive values")):
        found = said(name, "1/2", half, enough=2, least=2)
        assert found == f"2 of 6 {things} go, and fewer are not enough, {where}"
        found = said(name, "1/2", [([3, 1], [1, 1], 3)], enough=2, least=1)
        assert found == f"2 of 6 {things} go, and fewer than 1 are not enough, {where}"
    for name, things in ((NO_SUPPRESSION, "records"), (NO_HIDING, "sensitive values")):
        assert said(name, "1/3", none) == f"none of 6 {things} can be kept at the node [0], where 2 classes violate"
    assert said(HIDING, "1/2", half, 2, enough=2, least=2).startswith("2 of 6")
    assert said(NO_HIDING, "1/2", [], 3) == "a class at the node [0] has too few records, which no hiding changes"


def test_what_is_not_so_of_a_table_is_refused() -> None:
    half, none = [([3, 1], [1, 1], 2)], [([3, 1], [0, 0], 0), ([1, 1], [0, 0], 0)]
    for name, share, classes, asked, numbers, told in (
        (SUPPRESSION, "1/2", half, None, (1, 2), "enough and least are 1 and 2; by the entries 2 and 2"),
        (SUPPRESSION, "1/2", half, None, (2, 1), "enough and least are 2 and 1"),
        (SUPPRESSION, "1/3", none, None, (6, 6), "nothing is kept"),
        (HIDING, "1/3", none, None, (6, 6), "nothing is kept"),
        (HIDING, "1/2", half, 3, (2, 2), r"a class at the node \[0\] has too few records"),
        (HIDING, "1/2", [], 3, (0, 0), r"a class at the node \[0\] has too few records"),
        (NO_HIDING, "1/3", none, 3, (), r"a class at the node \[0\] has too few records"),
        (NO_HIDING, "1/2", half, None, (), "not shown that 4 of the sensitive values cannot be kept"),
        (NO_SUPPRESSION, "1/2", half, None, (), "not shown that 4 of the records cannot be kept"),
        (NO_SUPPRESSION, "1/3", [*none[:1], ([1, 1], [0, 0], 1)], None, (), "not shown that 1 of the records"),
    ):
        with pytest.raises(CertificateError, match=told):
            said(name, share, classes, asked, **dict(zip(("enough", "least"), numbers, strict=False)))
