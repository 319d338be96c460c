"""Each bound and each optimum of a partition, against every partition of hundreds of small tables with few records
suppressed: outliers, ties, equal records, limits of suppression that bind and that do not, every loss."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from proofs_tests.anonymize.cases import costs_of
from proofs_tests.optimal.clocks import Ends
from proofs_tests.optimal.oracle import MODELS, Instance, least_total, random_instance
from tcloseness.errors import TimeLimitReached
from tcloseness.limits import Clock
from tcloseness.models import DistinctLDiversity, KAnonymity
from tcloseness.optimal import Feasible, Infeasible, Optimal, column_generation, optimal_partition
from tcloseness.optimal.answers import SolverClock
from tcloseness.optimal.column_generation import _Search, generate
from tcloseness.optimal.kinds import KindCounts
from tcloseness.optimal.pricing import SCALE, Prices
from tcloseness.release import attributes_of

pytestmark = pytest.mark.solver

LOSSES = ("ncp", "gcp", "lm", "height", "dm", "c-avg")


def prices_of(kinds: KindCounts, unit: int, draw: random.Random) -> np.ndarray[Any, Any]:
    """Prices around what records cost, below 0 too, and far above what a suppressed record costs."""
    scale = draw.choice([1, unit, unit, 4 * unit]) * SCALE
    low = draw.choice([0, 0, -1])
    return np.array([draw.randint(low * scale, 3 * scale) + draw.randint(0, 1) for _ in range(len(kinds))])


def duality(
    instance: Instance, loss: str, good: Any, kinds: KindCounts, search: _Search, suppressed: int, p: Any
) -> int:
    """The bound of prices by its formula, the least reduced cost found by trying every class."""
    scale, kind_of, n = SCALE * search.costs.unit, kinds.kind_of.tolist(), len(instance.rows)
    price, q = [int(p[kind]) for kind in kind_of], Counter(row[-1] for row in instance.rows)
    least = 0
    for mask in range(1, 1 << n):
        members = [i for i in range(n) if mask >> i & 1]
        if len(members) <= search.pricing.most and good(Counter(instance.rows[i][-1] for i in members), q):
            paid = int(scale * instance.class_total(loss, members)) - sum(price[i] for i in members)
            least = min(least, paid)
    each = 0 if loss == "c-avg" else int(scale * instance.suppressed_total(loss))
    gained = sorted(each - x for x in price)[:suppressed]
    return sum(price) + (n // search.pricing.least) * least + sum(min(0, x) for x in gained)


@pytest.mark.long
@pytest.mark.parametrize("loss", LOSSES)
def test_by_no_prices_is_the_bound_above_the_least_cost(loss: str) -> None:
    """Weak duality: it needs what suppression can gain, each class that there may be, and the least reduced cost."""
    draw, bound_met = random.Random(f"bound {loss}"), 0
    for _ in range(30):
        instance = random_instance(draw, most=draw.choice([4, 5, 7]))  # with one class only it is met by all prices
        model, k, good = draw.choice([*MODELS(), *MODELS()[:2]])
        suppressed = 0 if loss == "c-avg" else draw.randint(0, 3)
        suppressed = min(suppressed, len(instance.rows) - 1)
        least = least_total(instance, loss, good, suppressed)
        table = instance.table
        attributes = attributes_of(table, instance.hierarchies)
        cost = costs_of(loss, table, attributes, k=k)
        kinds, unit = KindCounts(table, attributes), cost.unit
        for aim in (-1, -SCALE):
            search = _Search(kinds, model, cost, suppressed, None, SolverClock(), lambda *_: None)
            search.base, search.bound = -(10**15), -(10**12)  # whatever is found is above
            search.begin()
            for _ in range(5):
                p = prices_of(kinds, unit, draw)
                search.base = -(10**15)
                search._aim = aim
                search._searched(Prices.of_records(p), Clock())
                assert search.base <= duality(instance, loss, good, kinds, search, suppressed, p), (instance, p)
                assert least is None or search.base <= SCALE * unit * least, (instance, model.name, suppressed, p)
                assert least is None or search.bound <= unit * least
                bound_met += least is not None and 2 * search.base > SCALE * unit * least
    assert loss == "c-avg" or bound_met  # it is not an empty bound


def assert_told_right(found: Any, instance: Instance, loss: str, least: Fraction | None, k: int, where: Any) -> None:
    if least is None:
        assert isinstance(found, Infeasible), where
        return
    value = instance.loss_of(loss, least, k)
    if isinstance(found, Optimal):
        assert found.objective == value, where
        return
    assert isinstance(found, Feasible), where
    assert found.bound <= value <= found.objective, where


@pytest.mark.parametrize("formulation", ["column-generation", "set-partitioning", "assignment"])
@pytest.mark.slow
def test_the_least_loss_of_every_partition_with_few_records_suppressed(formulation: Any) -> None:
    draw = random.Random(f"solved by {formulation}")
    for _ in range(40 if formulation == "column-generation" else 25):
        instance = random_instance(draw, most=8 if formulation != "assignment" else 6)
        model, k, good = draw.choice(MODELS())
        loss = draw.choice(LOSSES)
        suppressed = 0 if loss == "c-avg" else draw.randint(0, 3)
        found = optimal_partition(
            instance.table,
            model,
            loss,
            hierarchies=instance.hierarchies,
            formulation=formulation,
            suppress_at_most=suppressed,
        )
        least = least_total(instance, loss, good, min(suppressed, len(instance.rows) - 1))
        assert_told_right(found, instance, loss, least, k, (instance, model.name, loss, suppressed))
        assert not isinstance(found, Feasible), (instance, model.name, loss, suppressed)  # there is no limit


@pytest.mark.long
@pytest.mark.parametrize("loss", LOSSES)
def test_from_whatever_prices_and_classes_the_least_is_found_or_shown_to_be_none(loss: str) -> None:
    """No partition is known, and pricing left hardly a class: deepening alone goes as far as it must, and no further.

    What costs most is among them: few records of two places, half of which must share a class with the other half, so
    that each is shown as everything; and tables where only suppression helps.
    """
    draw, seen = random.Random(f"deepen {loss}"), Counter[str]()
    for _ in range(35):
        instance, (model, k, good) = random_instance(draw, most=6), draw.choice(MODELS())
        if draw.random() < 0.6:  # values apart, and no class of one value; now and then there is one value only
            n, values, (model, k, good) = (
                draw.randint(3, 6),
                draw.choice([1, 2, 2, 2]),
                MODELS()[draw.choice([2, 4, 7])],
            )
            instance = Instance(tuple((100 * (i % 2), 1 + i % values) for i in range(n)), "n")
        suppressed = 0 if loss == "c-avg" else min(draw.randint(0, 3), len(instance.rows) - 1)
        least = least_total(instance, loss, good, suppressed)
        table = instance.table
        attributes = attributes_of(table, instance.hierarchies)
        cost = costs_of(loss, table, attributes, k=k)
        kinds, unit = KindCounts(table, attributes), cost.unit
        search = _Search(kinds, model, cost, suppressed, None, SolverClock(), lambda *_: None)
        search.begin()
        if not draw.randint(0, 2):
            search._searched(Prices.of_records(prices_of(kinds, unit, draw)), Clock())
        search.classes = search.classes[: draw.randint(0, 2)]
        search.deepen()
        if least is None:
            assert search.groups is None
            assert search.bound > search.greatest, (instance, model.name, suppressed)
        else:
            assert search.upper == search.bound == unit * least, (instance, model.name, suppressed)
            seen["dear"] += 2 * search.upper > search.greatest
        seen["none" if least is None else "some"] += 1
    assert min(seen["none"], seen["some"]) > 2
    assert loss == "c-avg" or seen["dear"] > 2


@pytest.mark.parametrize("loss", ["ncp", "dm", "c-avg"])
@pytest.mark.slow
def test_wherever_it_ends_without_a_partition_no_more_is_said_than_is_so(loss: str) -> None:
    """Where all partitions cost as much as any can, a bound of just that is not a proof that there is none."""
    draw, unknown = random.Random(f"ends {loss}"), 0
    for number in range(5):
        n, values = draw.randint(3, 6), draw.choice([1, 2, 2, 2])
        instance = Instance(tuple((100 * (i % 2), 1 + i % values) for i in range(n)), "n")
        model, k, good = MODELS()[draw.choice([2, 4, 7])]
        suppressed = 0 if loss == "c-avg" else draw.randint(0, 1)
        least, table = least_total(instance, loss, good, suppressed), instance.table
        attributes = attributes_of(table, {})
        cost = costs_of(loss, table, attributes, k=k)
        kinds, unit = KindCounts(table, attributes), cost.unit
        for checks in (*range(8), *range(8 + number % 4, 48, 4)):
            found = generate(kinds, model, cost, suppressed=suppressed, clock=Ends(checks), report=lambda *_: None)
            if least is None:
                assert found.groups is None
                continue
            assert not (found.infeasible and found.groups is None), (instance, model.name, checks)
            assert found.bound <= unit * least
            unknown += found.groups is None
    assert unknown > 2


def test_of_many_records_the_first_classes_are_the_smallest_and_the_least_is_found(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    draw, smaller, enough = random.Random("first classes"), 0, column_generation._CELLS
    for _ in range(12):
        instance, (model, k, good) = random_instance(draw, most=7), draw.choice(MODELS())
        kinds = KindCounts(instance.table, attributes_of(instance.table, instance.hierarchies))
        cost = costs_of("ncp", instance.table, kinds.attributes, k=k)
        begun = []
        for cells in (enough, len(kinds) ** 2, 1):
            monkeypatch.setattr(column_generation, "_CELLS", cells)
            search = _Search(kinds, model, cost, 0, None, SolverClock(), lambda *_: None)
            search.begin()
            begun.append(set(map(tuple, search.classes.tolist())))
            least = least_total(instance, "ncp", good)
            found = generate(kinds, model, cost, clock=SolverClock(), report=lambda *_: None)
            assert found.infeasible if least is None else found.bound == cost.unit * least
        assert begun[1] == begun[2] == {one for one in begun[0] if sum(one) == search.pricing.least}
        smaller += len(begun[1]) < len(begun[0])
    assert smaller > 2


@pytest.mark.slow
def test_where_classes_are_left_out_no_more_is_said_than_is_so() -> None:
    """A search that finds but a few of the classes up to its limit says how far it saw, and the bound heeds it."""
    draw, short = random.Random("left out"), 0
    for _ in range(60):
        instance, (model, k, good) = random_instance(draw, most=6), draw.choice(MODELS())
        kinds = KindCounts(instance.table, attributes_of(instance.table, instance.hierarchies))
        cost = costs_of("ncp", instance.table, kinds.attributes, k=k)
        least = least_total(instance, "ncp", good)
        search = _Search(kinds, model, cost, 0, None, SolverClock(), lambda *_: None)
        search.begin()
        search.pricing._most_found = draw.randint(0, 3)
        search.classes = search.classes[:1]
        search.deepen()
        if least is None:
            assert search.groups is None
        else:
            assert search.bound <= cost.unit * least, (instance, model.name)
            short += search.upper is None or search.bound < search.upper
    assert short > 2


def test_no_program_is_written_when_the_time_is_over() -> None:
    instance = random_instance(random.Random("written"), most=7)
    kinds = KindCounts(instance.table, attributes_of(instance.table, instance.hierarchies))
    search = _Search(
        kinds,
        KAnonymity(2),
        costs_of("ncp", instance.table, kinds.attributes, k=2),
        0,
        None,
        Ends(0),
        lambda *_: None,
    )
    with pytest.raises(TimeLimitReached):
        search._program(np.eye(len(kinds), dtype=np.int64), search.cuts)


def test_an_outlier_among_ten_records_is_gained_by_suppression() -> None:
    """k = 3: nine records near one another and one far away. Without the outlier a class is narrow; with it all pay."""
    rows = (*((i // 3, (i * 7) % 3, 1 + i % 2) for i in range(9)), (100, 50, 1))
    instance = Instance(rows, "nn")
    model, _, good = MODELS()[1]
    for suppressed in range(4):
        found = optimal_partition(instance.table, model, formulation="column-generation", suppress_at_most=suppressed)
        least = least_total(instance, "ncp", good, suppressed)
        assert isinstance(found, Optimal)
        assert found.objective == least


@pytest.mark.parametrize("limit", [1e-9, 0.02, 0.1])
def test_at_a_limit_of_time_the_bound_is_still_one(limit: float) -> None:
    draw = random.Random(f"limit {limit}")
    for _ in range(12):
        instance = random_instance(draw, most=8)
        model, k, good = draw.choice(MODELS())
        loss = draw.choice(LOSSES)
        least = least_total(instance, loss, good)
        found = optimal_partition(
            instance.table, model, loss, hierarchies=instance.hierarchies, formulation="column-generation",
            time_limit=limit,
        )  # fmt: skip
        assert_told_right(found, instance, loss, least, k, (instance, model.name, loss))


def least_by_subsets(rows: list[tuple[int, int, int]], k: int, l: int) -> int:  # noqa: E741
    """Dynamic programming over all sets of records: the least Σ n·(range of x + range of y), each class k and ℓ."""
    n = len(rows)
    cost: dict[int, int] = {}
    for size in range(k, n + 1):
        for members in itertools.combinations(range(n), size):
            xs, ys, values = zip(*(rows[i] for i in members), strict=True)
            if len(set(values)) >= l:
                cost[sum(1 << i for i in members)] = size * (max(xs) - min(xs) + max(ys) - min(ys))
    best: dict[int, int] = {0: 0}
    for mask in range(1, 1 << n):
        first, sub, least = mask & -mask, mask, None
        while sub:
            if sub & first and sub in cost and mask ^ sub in best:
                total = best[mask ^ sub] + cost[sub]
                least = total if least is None else min(least, total)
            sub = (sub - 1) & mask
        if least is not None:
            best[mask] = least
    return best[(1 << n) - 1]


def test_where_cuts_and_pairs_are_needed_the_least_is_that_of_all_sets_of_records(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Ten records in a plane of few points, so that losses tie and relaxations are fractional."""
    draw, seen = random.Random("subsets"), Counter[str]()
    real_cuts, real_tree = column_generation.violated, column_generation.search_tree

    def cuts(*given: Any) -> Any:
        found = real_cuts(*given)
        seen["cuts"] += len(found)
        return found

    def tree(program: Any, **given: Any) -> Any:
        found = real_tree(program, **given)
        seen["pairs"] += any(kind == "pair" for leaf in found.leaves for kind, *_ in leaf.path)
        return found

    monkeypatch.setattr(column_generation, "violated", cuts)
    monkeypatch.setattr(column_generation, "search_tree", tree)
    for _ in range(14):
        k, l = draw.choice([(2, 1), (2, 1), (3, 1), (2, 2)])  # noqa: E741
        rows = [(draw.randint(0, 9), draw.randint(0, 9), draw.randint(1, 3)) for _ in range(9)]
        rows = [(0, 0, 1), (9, 9, 2), *rows[2:]]  # so that ranges are in ninths
        instance = Instance(tuple(rows), "nn")
        model = KAnonymity(k) & DistinctLDiversity(l) if l > 1 else KAnonymity(k)
        found = optimal_partition(instance.table, model, formulation="column-generation")
        assert isinstance(found, Optimal)
        assert found.objective * 9 == least_by_subsets(rows, k, l), (rows, k, l)
    assert seen["cuts"] > 3


def test_a_program_over_as_many_classes_as_may_be_is_solved_and_over_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    draw, ended = random.Random("most classes"), 0
    for _ in range(3):
        instance, (model, k, good) = random_instance(draw, most=5), MODELS()[0]
        kinds = KindCounts(instance.table, attributes_of(instance.table, instance.hierarchies))
        cost, found = costs_of("ncp", instance.table, kinds.attributes, k=k), list[int]()
        least = least_total(instance, "ncp", good)

        def deepened(most: int) -> _Search:
            monkeypatch.setattr(column_generation, "_MOST_CLASSES", most)
            search = _Search(kinds, model, cost, 0, None, SolverClock(), lambda *_: None)  # noqa: B023
            search.begin()
            search.classes = search.classes[:1]
            real = search.pricing.search

            def spied(*given: Any, **more: Any) -> Any:
                told = real(*given, **more)
                found.append(len(told.groups))  # noqa: B023
                return told

            search.pricing.search = spied  # type: ignore[method-assign]
            search.deepen()
            return search

        deepened(10**6)
        most = max(found)
        whole = deepened(most)
        assert whole.upper == whole.bound == cost.unit * least
        ended += (few := deepened(most - 1)).upper != few.bound
    assert ended > 1
