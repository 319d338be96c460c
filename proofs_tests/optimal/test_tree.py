"""The tree with prices, against all whole points of small programs; its leaves are checked by what they say alone."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest

from proofs_tests.optimal.clocks import Ends
from proofs_tests.optimal.partitions import set_partitions
from tcloseness.limits import Clock
from tcloseness.optimal import tree
from tcloseness.optimal.highs import Run
from tcloseness.optimal.tree import Bounded, Leaf, _Tree, leaf_bound, search_tree

pytestmark = pytest.mark.solver


def program_of(dense: Sequence[Sequence[int]], **of: Any) -> Bounded:
    """A program from its dense matrix."""
    matrix = np.array(dense, dtype=np.int64).reshape(len(of["least"]), len(of["cost"])).T
    owner, row = np.nonzero(matrix)
    whole = np.array(of.pop("whole", [True] * len(matrix)))
    arrays = {name: np.array(of.pop(name), dtype=np.int64) for name in ("cost", "low", "high")}
    start = np.searchsorted(owner, np.arange(len(matrix) + 1))
    return Bounded(start=start, index=row, value=matrix[owner, row], whole=whole, **arrays, **of)


def program_at_random(draw: random.Random) -> Bounded:
    """Rows below, above, between and equal; costs and bounds below 0 too."""
    size, count = draw.randint(1, 4), draw.randint(1, 3)
    rows = [[draw.randint(-3, 5) for _ in range(size)] for _ in range(count)]
    low = [draw.randint(-1, 1) for _ in range(size)]
    high = [a + draw.randint(0, 3) for a in low]
    sides = []
    for _ in range(count):
        a = draw.randint(-4, 9)
        sides.append(draw.choice([(a, None), (None, a), (a, a), (a, a + draw.randint(1, 3))]))
    cost = [draw.randint(-9, 9) for _ in range(size)]
    least, most = [a for a, _ in sides], [b for _, b in sides]
    scales: dict[str, Any] = {}
    if draw.random() < 0.3:  # what HiGHS sees instead changes nothing
        scales = {"columns": np.full(size, 4.0), "rows": np.full(count, 0.125), "unit": 2**24}
    return program_of(rows, cost=cost, low=low, high=high, least=least, most=most, **scales)


def points(program: Bounded) -> list[tuple[int, ...]]:
    """By hand: every whole point."""
    ranges = [range(a, b + 1) for a, b in zip(program.low.tolist(), program.high.tolist(), strict=True)]
    return [x for x in itertools.product(*ranges) if satisfies(program, x)]


def satisfies(program: Bounded, x: Sequence[int]) -> bool:
    """By hand: whether a point is within all bounds and rows."""
    sums = [0] * len(program.least)
    for j, number in enumerate(x):
        entries = slice(program.start[j], program.start[j + 1])
        for i, a in zip(program.index[entries].tolist(), program.value[entries].tolist(), strict=True):
            sums[i] += a * number
    inside = all(a <= number <= b for a, number, b in zip(program.low, x, program.high, strict=True))
    sides = zip(program.least, sums, program.most, strict=True)
    return inside and all((a is None or a <= s) and (b is None or s <= b) for a, s, b in sides)


def test_a_program_holds_of_its_points_and_of_no_other() -> None:
    draw, seen = random.Random("holds"), Counter[bool]()
    for _ in range(150):
        program = program_at_random(draw)
        ends = zip(program.low.tolist(), program.high.tolist(), strict=True)
        x = [draw.randint(a - 1, b + 1) if draw.random() < 0.1 else draw.randint(a, b) for a, b in ends]
        assert program.holds(np.array(x)) == satisfies(program, x)
        seen[satisfies(program, x)] += 1
    assert min(seen.values()) > 20


def inside(program: Bounded, leaf: Leaf, x: Sequence[int]) -> bool:
    """Whether a point is in a leaf."""
    for kind, a, b, more in leaf.path:
        if kind == "x" and not (x[a] >= b if more else x[a] <= b):
            return False
        if kind == "pair":
            one, other = program.held[:, a], program.held[:, b]  # type: ignore[index]
            if any(v and (p != q if more else p and q) for v, p, q in zip(x, one, other, strict=True)):
                return False
    return True


def box_of(program: Bounded, leaf: Leaf) -> tuple[Any, Any]:
    low, high = program.low.tolist(), program.high.tolist()
    for kind, a, b, more in leaf.path:
        if kind == "x":
            low[a], high[a] = (max(low[a], b), high[a]) if more else (low[a], min(high[a], b))
        else:
            for v, (p, q) in enumerate(zip(program.held[:, a], program.held[:, b], strict=True)):  # type: ignore[index]
                if p != q if more else p and q:
                    high[v] = 0
    return np.array(low), np.array(high)


def assert_proved(program: Bounded, leaves: list[Leaf], upper: int | None, allowed: Sequence[Sequence[int]]) -> None:
    """Each point is in a leaf, and each leaf's prices prove that it holds nothing that costs less."""
    for x in allowed:
        assert any(inside(program, leaf, x) for leaf in leaves)
    for leaf in leaves:
        low, high = box_of(program, leaf)
        if leaf.empty:
            assert (low > high).any() or leaf_bound(program, leaf.prices, low, high, empty=True) > 0
        else:
            assert upper is not None
            assert leaf_bound(program, leaf.prices, low, high, empty=False) > program.unit * (upper - 1)


@pytest.mark.long
def test_no_whole_point_costs_less_and_the_leaves_prove_it() -> None:
    draw, none = random.Random("points"), 0
    for _ in range(250):
        program = program_at_random(draw)
        allowed = points(program)
        least = min((int(program.cost @ np.array(x)) for x in allowed), default=None)
        known = None if least is None or draw.random() < 0.5 else least + draw.randint(0, 3)
        found = search_tree(program, upper=known, clock=Clock(), accepts=program.holds)
        assert not found.open
        assert found.upper == least
        if found.values is not None:
            assert program.holds(found.values)
            assert int(program.cost @ found.values) == least
        assert_proved(program, found.leaves, found.upper, allowed)
        none += least is None
    assert 10 < none < 200


def test_no_prices_make_a_bound_that_a_point_is_below() -> None:
    draw = random.Random("prices")
    for _ in range(300):
        program = program_at_random(draw)
        sides = zip(program.least, program.most, strict=True)
        size = draw.choice([1, 10**3, 2**70])
        prices = [draw.randint(0 if b is None else -size, 0 if a is None else size) for a, b in sides]
        here = np.array(prices, dtype=object if size > 2**60 else np.int64)
        bound = leaf_bound(program, here, program.low, program.high, empty=False)
        nothing = leaf_bound(program, here, program.low, program.high, empty=True)
        allowed = points(program)
        assert all(bound <= program.unit * int(program.cost @ np.array(x)) for x in allowed)
        assert not allowed or nothing <= 0


def classes_of(draw: random.Random, records: int) -> tuple[Bounded, int | None]:
    """A set-partitioning program over some classes, and its least cost by trying every partition."""
    every = [c for size in (1, 2, 3) for c in itertools.combinations(range(records), size)]
    classes = draw.sample(every, draw.randint(1, min(25, len(every))))
    cost = {c: draw.randint(0, 12) for c in classes}
    held = np.array([[i in c for i in range(records)] for c in classes])
    ones = [1] * records
    program = program_of(
        held.T.astype(int).tolist(),
        cost=list(cost.values()),
        low=[0] * len(classes),
        high=[1] * len(classes),
        least=ones,
        most=ones,
        held=held,
    )
    parts = [[tuple(g) for g in p] for p in set_partitions(records)]
    return program, min((sum(cost[g] for g in p) for p in parts if all(g in cost for g in p)), default=None)


def test_split_by_pairs_the_least_partition_is_found_and_proved() -> None:
    draw, pairs = random.Random("pairs"), 0
    for _ in range(80):
        records = draw.choice([4, 5, 6, 6])
        program, least = classes_of(draw, records)
        found = search_tree(program, upper=None, clock=Clock(), accepts=program.holds)
        assert not found.open
        assert found.upper == least
        allowed = [] if found.values is None else [found.values.tolist()]
        assert_proved(program, found.leaves, found.upper, allowed)
        pairs += any(kind == "pair" for leaf in found.leaves for kind, *_ in leaf.path)
    assert pairs > 2


@pytest.mark.parametrize("by", ["time", "nodes"])
def test_wherever_it_ends_no_solution_costs_less_than_it_says(by: str) -> None:
    draw, left = random.Random(f"ends {by}"), 0
    for _ in range(60):
        program, least = classes_of(draw, 6)
        if least is None:
            continue
        clock = Ends(draw.randint(0, 3)) if by == "time" else Clock()
        nodes = draw.choice([0, 1]) if by == "nodes" else None
        found = search_tree(program, upper=least + 9, clock=clock, accepts=program.holds, nodes=nodes)
        if not found.open:
            assert found.upper == least
            continue
        left += 1
        assert found.bound is None or min(found.bound, found.upper or 0) <= least
    assert left


def test_what_is_whole_to_highs_and_not_accepted_is_not_believed() -> None:
    """Whole points of x + y = 2 but for (1, 1), which costs least: the others remain."""
    program = program_of([[1, 1]], cost=[0, 0], low=[0, 0], high=[2, 2], least=[2], most=[2])
    found = search_tree(program, upper=None, clock=Clock(), accepts=lambda x: bool(x[0] == 2 and program.holds(x)))
    assert found.values is not None
    assert found.values.tolist() == [2, 0]


class Lies:
    """HiGHS, were it wrong in whatever it says."""

    draw = random.Random("lies")

    def __init__(self, program: Any, **_: Any) -> None:
        self.rows, self.columns = len(program["least"]), len(program["cost"])

    def __enter__(self) -> Lies:
        return self

    def __exit__(self, *_: object) -> None:
        pass

    def change(self, change: Any) -> None:
        pass

    def solve(self, clock: Clock) -> Run:
        def some(n: int) -> list[float]:
            return [self.draw.choice([0.0, 0.0, 0.5, 1.0, -1.0, 3.25, -7.5]) for _ in range(n)]

        if self.draw.random() < 0.6:
            ray = self.draw.choice([[], [0.0] * self.rows, some(self.rows)])
            return Run(self.draw.choice(["kInfeasible", "kUnknown"]), None, 0.0, [], ray)
        return Run("kOptimal", [abs(x) % 1 for x in some(self.columns)], 1e9, some(self.rows))


@pytest.mark.long
def test_nothing_that_highs_says_is_believed(monkeypatch: pytest.MonkeyPatch) -> None:
    """Wrong prices and rays, of zeros too, and points that are none: what is proved all the same is so."""
    monkeypatch.setattr(tree, "Kept", Lies)
    draw, closed = random.Random("believed"), 0
    for _ in range(60):
        program, least = classes_of(draw, 4)
        found = search_tree(program, upper=None, clock=Clock(), accepts=program.holds, nodes=8)
        if not found.open:
            assert found.upper == least
            closed += 1
        elif least is not None:
            assert found.upper is None or found.upper >= least
            assert found.bound is None or min(found.bound, least if found.upper is None else found.upper) <= least
    assert closed > 2


@pytest.mark.parametrize("length", [1e-15, 1.0, 1e15])
def test_a_ray_proves_as_much_however_long_it_is(length: float) -> None:
    """x + y ≥ 5, x − y ≥ 0 and x ≤ 2: neither row alone says that nothing is there, their sum does."""
    program = program_of([[1, 1], [1, -1]], cost=[0, 0], low=[0, 0], high=[2, 9], least=[5, 0], most=[None, None])
    search = _Tree(program, None, program.holds, lambda _: (), ())
    assert not search._empty((), [], program.low, program.high)
    assert search._empty((), [length, length], program.low, program.high)
    (leaf,) = search.found.leaves
    assert leaf.empty
    assert_proved(program, [leaf], None, [])
