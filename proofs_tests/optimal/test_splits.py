"""Cuts as splits: the maximal violating tuples against all tuples, the optimum against all cuts, prices by hand."""

from __future__ import annotations

import itertools
import math
import random
from fractions import Fraction
from typing import Any
from unittest import mock

import numpy as np
import pandas as pd
import pytest

from proofs_tests.anonymize.cases import Case
from proofs_tests.optimal.cases import satisfying
from proofs_tests.optimal.test_cut import k_of, least_loss
from proofs_tests.strategies import any_tree
from tcloseness.errors import TimeLimitReached
from tcloseness.limits import Clock
from tcloseness.microdata import Hierarchy, Microdata
from tcloseness.microdata.ancestors import Ancestors
from tcloseness.models import DistinctLDiversity, EntropyLDiversity, KAnonymity, TCloseness
from tcloseness.models.conditions import asks_of_values
from tcloseness.optimal import Feasible, Infeasible, Optimal, cut, optimal_cut, splits, tree as tree_search
from tcloseness.optimal.kinds import KindCounts, combined
from tcloseness.optimal.solver import OutOfTime
from tcloseness.optimal.splits import SplitPrices, maximal_violating
from tcloseness.optimal.tree import Searched
from tcloseness.release import attributes_of

pytestmark = pytest.mark.solver

MODELS = (
    KAnonymity(2),
    KAnonymity(4),
    KAnonymity(2) & DistinctLDiversity(2),
    EntropyLDiversity("3/2"),
    TCloseness("1/4", ground="equal"),
    KAnonymity(2) & TCloseness("1/3", ground="ordered"),
)


def case_at_random(draw: random.Random, most: int) -> Case:
    """Records over trees of any shape, leaves at any depth and nodes of one child among them."""
    names = tuple(f"h{a}" for a in range(draw.choice([1, 2, 2, 3])))
    trees = {name: Hierarchy(any_tree(draw, 6), ragged="keep", name=name) for name in names}
    pools = [draw.choices(trees[name].values, k=3) for name in names]
    rows = [(*map(draw.choice, pools), draw.randrange(3)) for _ in range(draw.randint(1, most))]
    return Case(names, rows, trees)


def kinds_of(case: Case, model: Any) -> tuple[KindCounts, list[Ancestors]]:
    kinds = KindCounts(case.table, attributes_of(case.table, case.hierarchies), by_value=asks_of_values(model))
    return kinds, [Ancestors(case.hierarchies[name]) for name in case.names]


def all_tuples(case: Case, trees: list[Ancestors]) -> dict[tuple[int, ...], list[int]]:
    """Every tuple of nodes with records, and its counts by value."""
    found: dict[tuple[int, ...], list[int]] = {}
    for i, row in enumerate(case.rows):
        paths = [
            path(tree, int(tree.leaf_nodes[tree.places(column.domain)[column.codes[i]]]))
            for tree, column in zip(trees, case.table.quasi_identifiers, strict=True)
        ]
        for nodes in itertools.product(*paths):
            found.setdefault(nodes, [0, 0, 0, 0])[row[-1]] += 1
    return found


def path(tree: Ancestors, node: int) -> list[int]:
    """A node and all above it."""
    found = [node]
    while found[-1]:
        found.append(int(tree.parent[found[-1]]))
    return found


def test_the_maximal_violating_tuples_are_those_with_none_above_them() -> None:
    draw, seen = random.Random("maximal"), [0, 0]
    for _ in range(70):
        case, model = case_at_random(draw, 12), draw.choice(MODELS)
        kinds, trees = kinds_of(case, model)
        rows = all_tuples(case, trees)
        reference = [sum(row[-1] == v for row in case.rows) for v in range(4)]
        good = dict(zip(rows, satisfying(list(rows.values()), model, reference), strict=True))
        clear = {
            nodes: all(
                good[above]
                for above in itertools.product(*(path(tree, node) for tree, node in zip(trees, nodes, strict=True)))
                if above != nodes
            )
            for nodes in rows
        }
        violating, fine = maximal_violating(kinds, trees, model, Clock())
        assert sorted(violating) == sorted(nodes for nodes in rows if clear[nodes] and not good[nodes])
        assert sorted(fine) == sorted((nodes, sum(rows[nodes])) for nodes in rows if clear[nodes] and good[nodes])
        seen[0] += len(violating)
        seen[1] += len(fine)
    assert min(seen) > 60


def test_no_cut_has_less_loss_and_prices_prove_it() -> None:
    """Against every cut, by a solver's bound and without; the prices against a bound of the test's own."""
    draw, proved = random.Random("no cut"), 0
    for _ in range(40):
        case, model, loss = (
            case_at_random(draw, 9),
            draw.choice(MODELS),
            draw.choice(["ncp", "ncp", "lm", "dm", "c-avg"]),
        )
        least = least_loss(case, model, loss, k_of(model))
        found = optimal_cut(case.table, model, loss, hierarchies=case.hierarchies)
        if least is None:
            assert isinstance(found, Infeasible)
            continue
        assert isinstance(found, Optimal)
        assert found.objective == least
        firsts = np.unique(found.solution.anonymized.grouped.class_of, return_index=True)[1]
        assert (np.diff(firsts) > 0).all()  # classes go by their first records
        if loss in ("dm", "c-avg"):
            assert found.solution.prices == ()
            continue
        assert found.proof == cut.BY_PRICES
        if loss == "ncp":
            assert_proved(case, model, found, least)
            proved += 1
    assert proved > 5


def test_where_the_relaxation_has_a_gap_the_leaves_of_a_tree_prove_it() -> None:
    """Of the eight corners of a cube one axis may be split if four must be alike; half of each is relaxed."""
    names = ("h0", "h1", "h2")
    rows = [(*corner, 0) for corner in itertools.product((0, 1), repeat=3)]
    case = Case(names, rows, {name: Hierarchy.suppression([0, 1]) for name in names})
    found = optimal_cut(case.table, KAnonymity(4), hierarchies=case.hierarchies)
    assert found.objective == 16
    assert len(found.solution.prices) > 1
    assert_proved(case, KAnonymity(4), found, Fraction(16))


def test_prices_prove_it_where_costs_are_fractions() -> None:
    """Two hierarchies of two levels, and several records on each leaf, so that pairs of nodes violate."""
    draw, several = random.Random("fractions"), 0
    groups = [{"low": [0, 1], "high": [2, 3, 4]}]
    trees = {name: Hierarchy.from_groups(groups, name=name) for name in ("h0", "h1")}
    for _ in range(25):
        rows = [(draw.randrange(5), draw.randrange(5), draw.randrange(3)) for _ in range(draw.randint(8, 24))]
        case, model = Case(tuple(trees), rows, trees), KAnonymity(draw.choice([2, 3, 4]))
        found = optimal_cut(case.table, model, hierarchies=trees)
        assert_proved(case, model, found, found.objective)
        several += any(sum(map(bool, nodes)) > 1 for leaf in found.solution.prices for nodes, _ in leaf.tuples)
    assert several > 3


def assert_proved(case: Case, model: Any, found: Any, least: Fraction) -> None:
    assert complete([leaf.fixed for leaf in found.solution.prices])
    leaves = [(leaf.empty, *bound_by(case, model, leaf)) for leaf in found.solution.prices]
    assert all(bound > 0 for empty, bound, _ in leaves if empty)
    bounds = [(bound, unit) for empty, bound, unit in leaves if not empty]
    assert least - Fraction(1, bounds[0][1]) < min(bounds)[0] <= least


def test_prices_prove_it_where_those_of_the_relaxation_are_of_no_use(monkeypatch: pytest.MonkeyPatch) -> None:
    """Then every node is split to the end, and some leaves hold no cut: a row proves that."""
    draw, empty = random.Random("no use"), 0
    priced = tree_search._Tree._priced
    monkeypatch.setattr(
        tree_search._Tree,
        "_priced",
        lambda self, prices: priced(self, prices * 0 if max(abs(prices), default=0) > 1 else prices),
    )
    trees = {name: Hierarchy.from_groups([{"low": [0, 1], "high": [2, 3, 4]}], name=name) for name in ("h0", "h1")}
    for _ in range(12):
        rows = [(draw.randrange(5), draw.randrange(5), draw.randrange(3)) for _ in range(draw.randint(8, 24))]
        case, model = Case(tuple(trees), rows, trees), KAnonymity(draw.choice([2, 3, 4]))
        found = optimal_cut(case.table, model, hierarchies=trees)
        assert found.proof == cut.BY_PRICES
        assert_proved(case, model, found, found.objective)
        empty += sum(leaf.empty for leaf in found.solution.prices)
    assert empty > 10


def complete(fixed: list[tuple[tuple[int, int, int], ...]]) -> bool:
    """Whether what leaves fix, one after another, is a binary tree of all points."""
    if fixed == [()]:
        return True
    firsts = {one[0][:2] for one in fixed if one}
    if len(firsts) != 1 or not all(fixed):
        return False
    return all(complete([one[1:] for one in fixed if one[0][2] == value]) for value in (0, 1))


def bound_by(case: Case, model: Any, prices: SplitPrices) -> tuple[Fraction, int]:
    """The bound of `SplitPrices` on NCP, from the rows alone, and the common denominator of what cells cost."""
    trees = [Ancestors(case.hierarchies[name]) for name in case.names]
    rows = all_tuples(case, trees)
    reference = [sum(row[-1] == v for row in case.rows) for v in range(4)]
    pays = []
    for a, tree in enumerate(trees):
        records = [
            sum(
                sum(row)
                for nodes, row in rows.items()
                if nodes == tuple(node if b == a else 0 for b in range(len(trees)))
            )
            for node in range(len(tree.parent))
        ]
        wide = (tree.high - tree.low).tolist()
        pays.append([Fraction(n * (w if w > 1 else 0), tree.leaves) for n, w in zip(records, wide, strict=True)])
    children = [
        [[n for n in range(1, len(t.parent)) if t.parent[n] == node] for node in range(len(t.parent))] for t in trees
    ]
    saved = {
        (a, node): Fraction(0) if prices.empty else pays[a][node] - sum(pays[a][n] for n in below)
        for a, of_tree in enumerate(children)
        for node, below in enumerate(of_tree)
        if below
    }
    bound = Fraction(0) if prices.empty else sum((of_tree[0] for of_tree in pays), Fraction(0))
    for nodes, y in prices.tuples:
        assert y > 0
        assert not satisfying([rows[nodes]], model, reference)[0]
        parents = [(a, int(trees[a].parent[node])) for a, node in enumerate(nodes) if node]
        bound -= y * (len(parents) - 1)
        for one in parents:
            saved[one] -= y
    for a, node, z in prices.chain:
        assert z > 0
        saved[a, node] -= z
        saved[a, int(trees[a].parent[node])] += z
    fixed = {(a, node): value for a, node, value in prices.fixed}
    bound -= sum(rest * fixed.get(one, int(rest > 0)) for one, rest in saved.items())
    return bound, math.lcm(*(tree.leaves for tree in trees))


def test_a_search_that_is_given_up_leaves_the_proof_to_the_solver(monkeypatch: pytest.MonkeyPatch) -> None:
    """Where prices are off, or work or time are over: then HiGHS's bound is taken, or the answer is feasible."""
    towns = Hierarchy.from_groups([{"north": ["a", "b"], "south": ["c", "d"]}], name="town")
    frame = pd.DataFrame({"town": list("abccdd"), "s": list("xyxyxy")})
    table = Microdata.from_frame(frame, quasi_identifiers="town", sensitive="s")

    def solved() -> Any:
        return optimal_cut(table, KAnonymity(2), hierarchies={"town": towns})

    found = solved()
    assert (type(found), found.proof, found.objective) == (Optimal, cut.BY_PRICES, 1)
    assert [leaf.fixed for leaf in found.solution.prices] == [()]
    for name, instead in (
        ("search_tree", lambda *_, **__: Searched(None, open=True)),
        ("search_tree", lambda *_, **__: Searched(None, open=True, bound=-20)),
        ("search_tree", lambda *_, **__: Searched(0, np.zeros(3, dtype=np.int64), open=True, bound=-20)),
        ("WORK", -1000),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(splits, name, instead)
            again = solved()
            assert (type(again), again.objective, again.solution.prices) == (Optimal, 1, ())
            assert again.proof == "the bound of HiGHS, in doubles"
            patch.setattr(cut, "propose", lambda *_, **__: OutOfTime(-math.inf))
            none = solved()
            assert isinstance(none, Feasible)
            assert (none.objective, none.bound) == (6, 0)


def test_what_a_search_found_before_it_was_given_up_is_not_lost(monkeypatch: pytest.MonkeyPatch) -> None:
    """The cut (north, c, d), which costs 1; the roots cost 6."""
    towns = Hierarchy.from_groups([{"north": ["a", "b"], "south": ["c", "d"]}], name="town")
    frame = pd.DataFrame({"town": list("abccdd"), "s": list("xyxyxy")})
    table = Microdata.from_frame(frame, quasi_identifiers="town", sensitive="s")
    monkeypatch.setattr(splits, "search_tree", lambda *_, **__: Searched(-5, np.array([1, 0, 1]), open=True))
    for instead in (OutOfTime(-math.inf), TimeLimitReached("late")):
        monkeypatch.setattr(cut, "propose", mock.Mock(side_effect=[instead]))
        found = optimal_cut(table, KAnonymity(2), hierarchies={"town": towns})
        assert isinstance(found, Feasible)
        assert (found.objective, found.solution.nodes["town"]) == (1, ("north", "c", "d"))


def test_columns_combined_go_in_their_order() -> None:
    """Also where their numbers do not fit 64 bits together."""
    draw = random.Random("combined")
    for width in (3, 10**9, 2**62):
        rows = np.array([[draw.choice([0, 1, draw.randrange(width)]) for _ in range(30)] for _ in range(4)])
        rows = np.column_stack([rows, rows[:, :5]])
        order = np.lexsort(rows[::-1])
        assert np.array_equal(np.argsort(combined(rows), kind="stable"), order)
        assert len(np.unique(combined(rows))) == len(np.unique(rows, axis=1).T)
