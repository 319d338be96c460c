"""Cuts as splits: the maximal violating tuples against all tuples, the optimum against all cuts, prices by hand."""

from __future__ import annotations

import itertools
import math
import random
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
from tcloseness.optimal import Feasible, Infeasible, Optimal, cut, optimal_cut, splits
from tcloseness.optimal.kinds import KindCounts, combined
from tcloseness.optimal.solver import OutOfTime
from tcloseness.optimal.splits import maximal_violating
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


@pytest.mark.long
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


@pytest.mark.long
def test_no_cut_has_less_loss() -> None:
    """Against every cut, by a solver's bound and without."""
    draw = random.Random("no cut")
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
        assert found.proof.startswith(cut.BY_PRICES) == (loss not in ("dm", "c-avg"))


@pytest.mark.parametrize("known", [True, False], ids=["with a checker", "without"])
def test_a_search_that_is_given_up_leaves_the_proof_to_a_solver_only_where_there_is_no_checker(
    known: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Where prices are off, or work or time are over: then HiGHS's bound is taken, or the answer is feasible."""
    towns = Hierarchy(
        [("a", "north", "*"), ("b", "north", "*"), *((town, "south", "*")[:: 1 if known else 2] for town in "cd")],
        ragged="keep",
        name="town",
    )
    frame = pd.DataFrame({"town": list("abccdd"), "s": list("xyxyxy")})
    table = Microdata.from_frame(frame, quasi_identifiers="town", sensitive="s")
    words = ", checked" if known else NO_CHECKER

    def solved() -> Any:
        return optimal_cut(table, KAnonymity(2), hierarchies={"town": towns})

    found = solved()
    assert (type(found), found.proof, found.objective) == (Optimal, cut.BY_PRICES + words, 1)
    for name, instead in (
        ("search_tree", lambda *_, **__: Searched(None, open=True)),
        ("search_tree", lambda *_, **__: Searched(None, open=True, bound=-20)),
        ("search_tree", lambda *_, **__: Searched(0, np.zeros(2 + known, dtype=np.int64), open=True, bound=-20)),
        ("WORK", -1000),
    ):
        with monkeypatch.context() as patch:
            patch.setattr(splits, name, instead)
            again = solved()
            assert (type(again), again.objective) == (Feasible if known else Optimal, 1)
            if not known:
                assert again.proof == "the bound of HiGHS, in doubles" + words
            patch.setattr(cut, "propose", lambda *_, **__: OutOfTime(-math.inf))
            none = solved()
            assert isinstance(none, Feasible)
            assert (none.objective, none.bound) == (6, 0)


NO_CHECKER = "; not certified: no checker for leaves at unequal depth in the hierarchy of 'town'"


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
