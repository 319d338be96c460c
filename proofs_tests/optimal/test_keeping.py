"""The most records of one class without a solver: against trying every way, its prices against a checker, and HiGHS."""

from __future__ import annotations

import itertools
import math
import random
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any
from unittest import mock

import pytest

from proofs_tests.optimal.cases import counts_of
from proofs_tests.optimal.clocks import Ends
from proofs_tests.optimal.test_linear_constraints import solved_here
from proofs_tests.strategies import CutDistance
from tcloseness.errors import CertificateError, NotCertified
from tcloseness.ground import Cuts, Matrix
from tcloseness.limits import Clock
from tcloseness.microdata import Domain
from tcloseness.models import (
    AlphaKAnonymity,
    BasicBetaLikeness,
    Combination,
    DeltaDisclosure,
    DistinctLDiversity,
    FrequencyLDiversity,
    KAnonymity,
    RecursiveCLDiversity,
    TCloseness,
)
from tcloseness.models.conditions import ShareBounds
from tcloseness.optimal import (
    Feasible,
    Infeasible,
    Optimal,
    highs,
    keeping,
    optimal_hiding,
    optimal_suppression,
    suppression,
)
from tcloseness.optimal.keeping import Keeper, Kept, Split, _Search
from tcloseness.optimal.linear_constraints import Setting
from tcloseness.optimal.solver import OutOfTime, Proposal
from tcloseness.optimal.tree_flow import TreeFlow

pytestmark = pytest.mark.solver

TASKS = (optimal_suppression, optimal_hiding)

Rule = Callable[[Sequence[int], Sequence[int]], bool]
"""Whether counts, not all 0, satisfy beside a reference: the definition, in whole numbers or fractions."""


def laminar(draw: random.Random, m: int) -> Cuts:
    """Cuts of every shape: single values, prefixes, a tree, or some of its nodes, with weights at random."""
    shape, order = draw.choice(["single", "prefixes", "tree", "tree"]), draw.sample(range(m), m)
    if shape == "single":
        sets = [(v, v + 1) for v in range(m)]
    elif shape == "prefixes":
        sets = [(0, v) for v in range(1, m)]
    else:
        ends, sets = [*range(m + 1)], []
        while len(ends) > 2:
            sets += list(itertools.pairwise(ends))
            ends.pop(draw.randrange(1, len(ends) - 1))
            sets = draw.sample(sets, len(sets) - draw.choice([0, 0, 1]))
    weights = [Fraction(draw.randint(0, 3), draw.choice([1, 1, 2, 3])) for _ in sets]
    return Cuts.of(order, sets, weights)


def close(t: Fraction, cuts: Cuts) -> Rule:
    sides = [(cuts.order[low:high].tolist(), int(w)) for low, high, w in zip(cuts.low, cuts.high, cuts.weights)]  # noqa: B905

    def holds(x: Sequence[int], q: Sequence[int]) -> bool:
        n, total = sum(x), sum(q)
        work = sum(w * abs(total * sum(x[v] for v in side) - n * sum(q[v] for v in side)) for side, w in sides)
        return t.denominator * work <= t.numerator * cuts.denominator * total * n

    return holds


def recursive(c: Fraction, l: int) -> Rule:  # noqa: E741
    return lambda x, _: l == 1 or max(x) < c * sum(sorted(x, reverse=True)[l - 1 :])


def conditions(draw: random.Random, m: int, cuts: Cuts) -> list[tuple[Any, Rule]]:
    """One of each kind, with thresholds that small classes meet and miss."""
    k, l, c = draw.randint(1, 4), draw.randint(1, m), Fraction(draw.randint(1, 8), draw.randint(1, 3))  # noqa: E741
    alpha, beta, t = Fraction(draw.randint(1, 4), 4), Fraction(draw.randint(0, 6), 4), Fraction(draw.randint(0, 5), 12)
    some, other = draw.sample(range(m), draw.randint(1, m)), laminar(draw, m)
    return [
        (KAnonymity(k), lambda x, _: sum(x) >= k),
        (DistinctLDiversity(l), lambda x, _: sum(map(bool, x)) >= l),
        (RecursiveCLDiversity(l, c=c), recursive(c, l)),
        (FrequencyLDiversity(1 / alpha), lambda x, _: max(x) <= alpha * sum(x)),
        (AlphaKAnonymity(alpha, values=some), lambda x, _: all(x[v] <= alpha * sum(x) for v in some)),
        (
            BasicBetaLikeness(beta),
            lambda x, q: all(x[v] * sum(q) <= (1 + beta) * q[v] * sum(x) for v in range(m)),
        ),
        (  # |log₂(p/q)| < 1
            DeltaDisclosure(1),
            lambda x, q: all(
                q[v] * sum(x) < 2 * x[v] * sum(q) and x[v] * sum(q) < 2 * q[v] * sum(x)
                for v in range(m)
                if x[v] or q[v]
            ),
        ),
        (TCloseness(t, ground=CutDistance(other)), close(t, other)),
        (TCloseness(t, ground=CutDistance(cuts)), close(t, cuts)),
    ]


def asked_of(draw: random.Random, m: int) -> tuple[list[Any], Rule]:
    """Some conditions together: often t-closeness, most often with another."""
    found = conditions(draw, m, laminar(draw, m))
    chosen = draw.sample(found[:-1], draw.choice([0, 1, 1, 2]))
    if not chosen or draw.random() < 0.6:
        chosen.append(found[-1])
    return [model for model, _ in chosen], lambda x, q: all(rule(x, q) for _, rule in chosen)


def keeper_of(
    models: Sequence[Any], q: Sequence[int], order: Sequence[int], n: int, clock: Clock | None = None
) -> Keeper:
    setting = Setting(Domain.declare(range(len(q))), q, order)
    return Keeper(models, setting, n, clock or Clock())


@pytest.mark.long
def test_no_way_to_keep_more_of_a_class_satisfies() -> None:
    draw, seen = random.Random("every way"), {"kept": 0, "gone": 0, "split": 0}
    for _ in range(1000):
        m = draw.randint(1, 4)
        counts = [draw.choice([0, 1, 2, 3, 4]) for _ in range(m)]
        q = [max(draw.choice([0, 1, 1, 2, 5]), 0) for _ in range(m)]
        if not any(counts) or not any(q):
            continue
        models, good = asked_of(draw, m)
        ways = [x for x in itertools.product(*(range(n + 1) for n in counts)) if any(x) and good(x, q)]
        most = max(map(sum, ways), default=0)
        keeper = keeper_of(models, q, draw.sample(range(m), m), sum(counts) + draw.randint(0, 3))
        assert keeper.decides
        found = keeper.most({v: n for v, n in enumerate(counts) if n})
        kept = [found.counts.get(v, 0) for v in range(m)]
        assert (sum(kept), found.bound, found.by) == (most, most, "exact"), (counts, q, models, found)
        assert not most or (tuple(kept) in ways and all(found.counts.values()))
        seen["kept" if most else "gone"] += 1
        seen["split"] += any(isinstance(node, Split) for tree in found.trees.values() for node in tree)
    assert min(seen["kept"], seen["gone"]) > 150
    assert seen["split"] > 3


# ---------------------------------------------------------------------- the prices, against a checker of their own


def checked(counts: Sequence[int], q: Sequence[int], cuts: Cuts, t: Fraction, k: int, found: Kept) -> int:
    """The most records that can stay, by weak duality alone: every larger size is excluded, or the prices refused."""
    m, total, a, b, unit = len(q), sum(q), t.numerator, t.denominator, cuts.denominator
    sides = [
        (cuts.order[low:high].tolist(), int(weight))
        for low, high, weight in zip(cuts.low, cuts.high, cuts.weights, strict=True)
    ]

    def by_value(prices: Sequence[int]) -> list[int]:
        u = [0] * m
        for price, (side, weight) in zip(prices, sides, strict=True):
            if abs(price) > total * weight:
                raise CertificateError("a price is too large")
            for v in side:
                u[v] += price
        return u

    top = sum(counts)
    if found.potential is not None:
        u = by_value(found.potential)
        mean, budget, most = sum(n * p for n, p in zip(q, u, strict=True)), 0, 0
        for d, n in sorted((b * (total * u[v] - mean) - a * unit * total * total, counts[v]) for v in range(m)):
            more = n if d <= 0 else min(n, budget // d)
            budget, most = budget - more * d, most + more
        top = min(top, most)
    size = sum(found.counts.values())
    for more in range(max(size + 1, k), top + 1):
        if more not in found.prices:
            raise CertificateError(f"no reason why {more} records cannot stay")
        bound, left, u = 0, more, by_value(found.prices[more])
        for price, (side, weight) in zip(found.prices[more], sides, strict=True):
            mine, theirs = sum(counts[v] for v in side), more * sum(q[v] for v in side)
            ends = {0, mine, min(theirs // total, mine), min(theirs // total + 1, mine)}
            bound += min(weight * abs(total * z - theirs) - price * z for z in ends)
        for price, n in sorted(zip(u, counts, strict=True)):
            bound, left = bound + price * min(left, n), left - min(left, n)
        if b * bound <= a * unit * total * more:
            raise CertificateError(f"the prices leave {more} records possible")
    return size


def close_case(draw: random.Random, m: int, most: int) -> tuple[list[int], list[int], Cuts, Fraction, int]:
    counts = [draw.choice([0, draw.randint(0, most), draw.randint(0, most)]) for _ in range(m)]
    counts[draw.randrange(m)] += 1
    q = [draw.randint(0, 2 * most) + n * draw.randint(0, 1) for n in counts]
    q[draw.randrange(m)] += 1
    return counts, q, laminar(draw, m), Fraction(draw.randint(0, 5), draw.randint(5, 20)), draw.randint(1, 4)


def solved(counts: Sequence[int], q: Sequence[int], cuts: Cuts, t: Fraction, k: int, order: Sequence[int]) -> Kept:
    keeper = keeper_of([KAnonymity(k), TCloseness(t, ground=CutDistance(cuts))], q, order, sum(counts))
    found = keeper.most({v: n for v, n in enumerate(counts) if n})
    assert isinstance(found, Kept)
    return found


@pytest.mark.long
def test_prices_prove_that_no_more_can_stay() -> None:
    draw, excluded = random.Random("prices"), 0
    for _ in range(600):
        m = draw.randint(1, 7)
        counts, q, cuts, t, k = close_case(draw, m, draw.choice([3, 9, 40]))
        found = solved(counts, q, cuts, t, k, draw.sample(range(m), m))
        assert checked(counts, q, cuts, t, k, found) == found.bound
        excluded += len(found.prices)
        if found.bound:  # that one less is the most has no proof
            for wrong in (found.bound - 1, 0):
                false = Kept(
                    {0: wrong},
                    wrong,
                    "exact",
                    found.potential,
                    {**found.prices, **dict.fromkeys(range(1, found.bound + 1), found.potential or (0,) * len(cuts))},
                )
                with pytest.raises(CertificateError):
                    checked(counts, q, cuts, t, k, false)
    assert excluded > 300


def test_counts_beyond_64_bits_are_counts_like_others() -> None:
    """A class that is 10³⁰ times another, beside a reference likewise, keeps as often as many where whole numbers allow
    it, and a little more at most; its prices are checked."""
    draw = random.Random("large")
    for _ in range(40):
        counts, q, cuts, t, k = close_case(draw, 4, 9)
        small = solved(counts, q, cuts, t, k, range(4)).bound
        large = [n * 10**30 for n in counts]
        found = solved(large, [n * 10**25 for n in q], cuts, t, k, range(4))
        assert checked(large, [n * 10**25 for n in q], cuts, t, k, found) == found.bound >= small * 10**30


# ---------------------------------------------------------------------- HiGHS, and what is not decided here


@pytest.fixture
def in_this_process(monkeypatch: pytest.MonkeyPatch) -> list[int]:
    """HiGHS without a process of its own; how often it was asked."""
    asked: list[int] = []

    def run(program: Any, **_: Any) -> highs.Run:
        asked.append(len(program.rows))
        return solved_here(program)

    monkeypatch.setattr(highs, "run", run)
    return asked


@pytest.mark.long
def test_highs_finds_the_same_numbers(in_this_process: list[int]) -> None:
    """Records suppressed and values hidden of several classes, under models of every kind together."""
    draw, calls, ways = random.Random("highs"), {None: 0, "HiGHS": 0}, 0
    for _ in range(80):
        m = draw.randint(2, 6)
        vectors = [[draw.choice([0, 1, 3, draw.randint(0, 30)]) for _ in range(m)] for _ in range(draw.randint(1, 3))]
        if not all(map(any, vectors)):
            continue
        q = [sum(column) + draw.choice([0, 1, 9]) for column in zip(*vectors, strict=True)]
        models, _ = asked_of(draw, m)
        model, task = Combination(tuple(models)) if len(models) > 1 else models[0], draw.choice(TASKS)
        found = {}
        for engine in (None, "HiGHS"):
            before = len(in_this_process)
            answer = task(counts_of(vectors, q), model, engine=engine)
            found[engine] = None if isinstance(answer, Infeasible) else answer.objective
            assert found[engine] is None or isinstance(answer, Optimal)
            calls[engine] += len(in_this_process) - before
            if engine is None:
                known = not any(isinstance(each, DeltaDisclosure) for each in models)
                said = answer.reason if isinstance(answer, Infeasible) else answer.proof
                assert ("exact argument, checked" if known else "not certified: no checker for delta") in said
        assert found[None] == found["HiGHS"], (vectors, q, model)
        ways += 1
    assert ways > 60
    assert calls[None] == 0 < calls["HiGHS"]


SQUARE = Matrix([[0, 1, 2, 1], [1, 0, 1, 2], [2, 1, 0, 1], [1, 2, 1, 0]])


@pytest.mark.parametrize(
    "models",
    [
        [TCloseness("1/4", ground=SQUARE)],
        [TCloseness("1/4", ground="equal"), TCloseness("1/5", ground=SQUARE)],
        [DeltaDisclosure(1, absent="skipped")],
    ],
    ids=["matrix", "cuts and a matrix", "skipped"],
)
def test_what_is_not_decided_in_whole_numbers_is_left_to_the_solver(models: list[Any]) -> None:
    assert not keeper_of(models, [3, 3, 2, 1], range(4), 9).decides


def test_a_class_whose_least_work_lacks_something_else_is_split() -> None:
    """Of 2 x and 5 y beside Q = (9/10, 1/10), y may have a fifth: no y beside both x, which are one value only."""
    models = [TCloseness("1/10", ground="equal"), DistinctLDiversity(2)]
    found = keeper_of(models, [9, 1], range(2), 8).most({0: 2, 1: 5})
    assert (found.counts, found.bound, found.by) == ({}, 0, "exact")
    assert found.trees[2][0] == Split(0, 1)  # both x, or one of each
    classes = counts_of([[2, 5]], [18, 2])
    assert isinstance(optimal_suppression(classes, models[0] & models[1]), Infeasible)


def test_a_class_that_takes_too_many_splits_is_left_with_its_bound(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of the 7 records of the class above at most 2 can stay, whatever a solver says; the other class is as Q is. What
    a solver says instead is not certified, so that its bound is not that of the answer."""
    model = TCloseness("1/10", ground="equal") & DistinctLDiversity(2)
    classes = counts_of([[2, 5], [9, 1]], [18, 2])
    monkeypatch.setattr(keeping, "_MOST_NODES", 1)
    monkeypatch.setattr(suppression, "propose", lambda *_, **__: OutOfTime(-math.inf))
    assert keeper_of(model.parts, [18, 2], range(2), 8).most({0: 2, 1: 5}).by == ""
    late = optimal_suppression(classes, model)
    monkeypatch.setattr(suppression, "propose", lambda *_, **__: Proposal({0: 0, 1: 0, 2: 0}, 0.0))
    solved = optimal_suppression(classes, model)
    for found in (late, solved):
        assert isinstance(found, Feasible)
        assert (found.objective, found.bound, found.proof) == (7, 5, "exact argument, checked")
    alone = optimal_suppression(counts_of([[2, 5]], [18, 2]), model)
    assert isinstance(alone, Infeasible)
    assert "the bound of HiGHS, in doubles; not certified: that nothing can be kept is a solver's word" in alone.reason
    with pytest.raises(NotCertified, match="a solver's word"):
        alone.certificate()


def test_bounds_on_shares_that_leave_no_class_are_seen_at_once() -> None:
    """Each of three values must have more than a third of 10³⁰ records: that is not found by trying sizes."""
    asked = [0]

    class Counting(Clock):
        def check(self, what: str) -> None:
            asked[0] += 1
            assert asked[0] < 50

    n = 10**30
    keeper = keeper_of([MoreThanThird()], [1, 1, 1], range(3), n, Counting())
    assert keeper.most({0: n // 2, 1: n // 4, 2: n // 4}) == Kept({}, 0, "exact")


class MoreThanThird(KAnonymity):
    """Each value of the table has more than its share."""

    def __init__(self) -> None:
        super().__init__(1)

    @property
    def class_conditions(self) -> tuple[Any, ...]:
        return (ShareBounds(least=lambda p, q: p > q),)


class AtLeast(KAnonymity):
    """Each value of the table has at least a share of its share there."""

    def __init__(self, share: Fraction) -> None:
        super().__init__(1)
        object.__setattr__(self, "share", share)

    @property
    def class_conditions(self) -> tuple[Any, ...]:
        return (ShareBounds(least=lambda p, q: p >= self.share * q),)  # type: ignore[attr-defined]


@pytest.mark.long
def test_lower_bounds_on_shares_are_kept_at_the_greatest_size() -> None:
    """Alone and with t-closeness, against every way."""
    draw, kept = random.Random("lower bounds"), 0
    for _ in range(250):
        m, share = draw.randint(2, 4), Fraction(draw.randint(1, 8), 8)
        counts, q = [draw.randint(0, 5) for _ in range(m)], [draw.randint(1, 6) for _ in range(m)]
        cuts, t = laminar(draw, m), Fraction(draw.randint(0, 5), 12)
        models, rule = [AtLeast(share)], close(t, cuts)
        if by_distance := draw.random() < 0.5:
            models.append(TCloseness(t, ground=CutDistance(cuts)))
        most = max(
            sum(x)
            for x in itertools.product(*(range(n + 1) for n in counts))
            if not any(x)
            or (all(x[v] * sum(q) >= share * q[v] * sum(x) for v in range(m)) and (not by_distance or rule(x, q)))
        )
        found = keeper_of(models, q, range(m), max(1, sum(counts))).most({v: n for v, n in enumerate(counts) if n})
        assert isinstance(found, Kept)
        assert (sum(found.counts.values()), found.bound) == (most, most), (counts, q, share, models)
        kept += most > 0
    assert kept > 60


@pytest.mark.long
def test_what_is_kept_of_renamed_values_is_renamed() -> None:
    """An order read backwards, and the branches of a tree in another order, with the drawn order renamed likewise."""
    draw = random.Random("renamed")
    tree = CutDistance(Cuts.of(range(5), [(0, 2), (2, 4)], [1, 1]))
    for n in range(600):
        m, pi, ground = draw.choice([(5, [1, 0, 2, 3, 4], "equal"), (5, [2, 3, 0, 1, 4], tree)])
        if n > 100:
            m = draw.randint(3, 6)
            pi, ground = list(reversed(range(m))), "ordered"
        order, row, q = draw.sample(range(m), m), [draw.choice([1, 1, 2, 3]) for _ in range(m)], [1] * m
        models = [TCloseness(Fraction(draw.randint(0, 6), 40), ground=ground)]
        one = keeper_of(models, q, order, 18).most(dict(enumerate(row)))
        other = keeper_of(models, q, [pi[v] for v in order], 18).most({pi[v]: n for v, n in enumerate(row)})
        assert isinstance(one, Kept)
        assert isinstance(other, Kept)
        assert {pi[v]: n for v, n in one.counts.items()} == other.counts


def test_sizes_that_whole_numbers_do_not_allow_need_no_flow(monkeypatch: pytest.MonkeyPatch) -> None:
    """At t = 0 beside 7 and 6 only multiples of 13 can stay: of 500 and 499 records 71·13. The prices are one tuple."""
    sizes: list[int] = []
    least = TreeFlow.least

    def noted(self: TreeFlow, size: int, *box: Any) -> Any:
        sizes.append(size)
        return least(self, size, *box)

    monkeypatch.setattr(TreeFlow, "least", noted)
    models = [TCloseness(0, ground="equal")]
    found = keeper_of(models, [7, 6], range(2), 999).most({0: 500, 1: 499})
    assert (found.counts, found.bound, sizes[-1]) == ({0: 497, 1: 426}, 923, 923)
    assert all(size % 13 == 0 for size in sizes)  # and those over the reals are in thirteenths
    assert [*found.prices] == [928, 927, 926, 925, 924]
    assert len({id(prices) for prices in found.prices.values()}) == 1


def test_a_flow_asks_the_clock_at_each_node_on_its_way_up_and_down() -> None:
    """Of a thousand values in their order one flow takes a second."""
    asked = [0]

    class Noted(Clock):
        def check(self, what: str) -> None:
            asked[0] += 1

    m, one = 50, [1] * 50
    cuts = Cuts.of(range(m), [(0, v) for v in range(1, m)], one[1:])
    TreeFlow(cuts, Setting(Domain.declare(range(m)), one), Noted()).least(m, [0] * m, one)
    assert asked[0] >= 2 * (2 * m - 2)


def test_bounds_on_shares_are_read_once_for_each_count_of_the_reference() -> None:
    """Of 2,000 values with three counts, between a threshold and the next share; and not at all once time is over."""
    asked: list[Fraction] = []

    class Noted(KAnonymity):
        @property
        def class_conditions(self) -> tuple[Any, ...]:
            def most(p: Fraction, q: Fraction) -> bool:
                asked.append(q)
                return p <= 2 * q

            return (ShareBounds(most=most),)

    q = [v % 3 + 1 for v in range(2000)]
    keeper = keeper_of([Noted(1)], q, range(2000), 10**5)
    assert {keeper._most[v] for v in range(2, 2000, 3)} == {Fraction(6, 3999)}
    assert len(asked) < 500
    asked.clear()
    late = keeper_of([Noted(1)], q, range(2000), 10**5, Ends(0))
    assert late.most({0: 40, 1: 2}) == Kept({}, 41, "exact")
    assert not asked


def test_two_thresholds_of_one_distance_are_the_lesser_of_them() -> None:
    models = [TCloseness("1/3", ground="ordered"), TCloseness("1/9", ground="ordered")]
    q, row = [3, 3, 3], {0: 7, 1: 2, 2: 1}
    assert keeper_of(models, q, range(3), 10).most(row) == keeper_of(models[1:], q, range(3), 10).most(row)


def test_of_equally_good_ways_the_drawn_order_decides() -> None:
    """One of x 3, y 3, z 1, w 1 must go, x or y: the one that stands later in the order; and of what is most even."""
    for order in itertools.permutations(range(4)):
        later, first = sorted((0, 1), key=order.index, reverse=True)
        keeper = keeper_of([TCloseness("7/32", ground="equal")], [9, 9, 9, 9], order, 8)
        found = Kept({first: 3, later: 2, 2: 1, 3: 1}, 7, "exact", mock.ANY, {}, 8)
        assert keeper.most({0: 3, 1: 3, 2: 1, 3: 1}) == found
        search = _Search(keeper, {0: 3, 1: 3, 2: 1})
        search.size = 6
        assert search._even([0, 0, 0, 0], [3, 3, 1, 0]) == [3 - (later == 0), 3 - (later == 1), 1, 0]


def test_at_the_limit_of_time_nothing_is_kept_and_what_is_excluded_is_known() -> None:
    """One search after another is ended at its n-th look at the clock; the bound falls, and never below the answer."""
    row, q = {0: 40, 1: 17, 2: 3, 3: 9}, [7, 5, 9, 11]
    models = [TCloseness("1/40", ground="ordered"), AlphaKAnonymity("2/5")]
    whole = keeper_of(models, q, range(4), 69).most(row)
    assert isinstance(whole, Kept)
    bounds = []
    for last in range(600):
        found = keeper_of(models, q, range(4), 69, Ends(last)).most(row)
        assert isinstance(found, Kept)
        if found.counts:
            break
        bounds.append(found.bound)
    assert found == whole
    assert bounds[0] == 68
    assert bounds == sorted(bounds, reverse=True)
    assert bounds[-1] >= whole.bound > 0


def test_a_flow_has_the_least_work_of_its_size() -> None:
    draw = random.Random("flow")
    for _ in range(150):
        m = draw.randint(1, 4)
        cuts, q = laminar(draw, m), [draw.randint(0, 5) + (v == 0) for v in range(m)]
        low = [draw.choice([0, 0, 1]) for _ in range(m)]
        high = [a + draw.randint(0, 3) for a in low]
        tree = TreeFlow(cuts, Setting(Domain.declare(range(m)), q, draw.sample(range(m), m)), Clock())
        sides = [cuts.order[a:b].tolist() for a, b in zip(cuts.low, cuts.high, strict=True)]

        def work(x: Sequence[int], q: Sequence[int] = q, sides: Any = sides, cuts: Cuts = cuts) -> int:
            each = [abs(sum(q) * sum(x[v] for v in s) - sum(x) * sum(q[v] for v in s)) for s in sides]
            return sum(int(w) * one for w, one in zip(cuts.weights, each, strict=True))

        ways = list(itertools.product(*(range(a, b + 1) for a, b in zip(low, high, strict=True))))
        for size in range(sum(low), sum(high) + 1):
            flow = tree.least(size, low, high)
            assert sum(flow.counts) == size
            assert tuple(flow.counts) in ways
            assert flow.work == work(flow.counts) == min(work(x) for x in ways if sum(x) == size)
            rounded = [  # each cut by itself has as many as is best for it
                int(w) * min(abs(sum(q) * z - size * sum(q[v] for v in side)) for z in range(size + 1))
                for side, w in zip(sides, cuts.weights, strict=True)
            ]
            assert tree.nearest(size) == sum(rounded) <= flow.work
            assert all(abs(p) <= sum(q) * int(w) for p, w in zip(flow.prices, cuts.weights, strict=True))
