"""The cuts of least loss, against all cuts, and against the optimum of the lattice where cuts are levels."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import assume, given, strategies as st

from proofs_tests.anonymize.cases import Case, cases, costs_of
from proofs_tests.effort import effort
from proofs_tests.lattice.cases import Case as LatticeCase
from proofs_tests.strategies import any_tree
from tcloseness.errors import HierarchyError, InputError, LimitReached, TableError
from tcloseness.lattice import optimum
from tcloseness.loss import Discernibility, GlobalCertaintyPenalty
from tcloseness.loss.names import OF_CLASSES
from tcloseness.microdata import Hierarchy, Microdata
from tcloseness.microdata.ancestors import Ancestors
from tcloseness.models import (
    DeltaDisclosure,
    DistinctLDiversity,
    EntropyLDiversity,
    FrequencyLDiversity,
    KAnonymity,
    TCloseness,
)
from tcloseness.optimal import cut as module, splits
from tcloseness.optimal.answers import Feasible, Infeasible, Optimal
from tcloseness.optimal.cut import optimal_cut
from tcloseness.optimal.partition import optimal_partition
from tcloseness.optimal.tree import Searched
from tcloseness.release import Partition
from tcloseness.release.full_domain import AtCut

pytestmark = pytest.mark.solver

MODELS = (
    KAnonymity(2),
    KAnonymity(3) & DistinctLDiversity(2),
    EntropyLDiversity("3/2"),
    FrequencyLDiversity("3/2"),
    TCloseness("1/4", ground="ordered"),
    KAnonymity(2) & TCloseness("2/5", ground="equal"),
)


def all_cuts(tree: Ancestors, node: int = 0) -> Iterator[list[int]]:
    """Every cut through the subtree of a node."""
    yield [node]
    children = [n for n in range(1, len(tree.low)) if tree.parent[n] == node]
    if children:
        for parts in itertools.product(*(list(all_cuts(tree, child)) for child in children)):
            yield [n for part in parts for n in part]


def least_loss(case: Case, model: Any, loss: str, k: int) -> Fraction | None:
    table, found = case.table, None
    trees = [Ancestors(case.hierarchies[name]) for name in case.names]
    for cuts in itertools.product(*(list(all_cuts(tree)) for tree in trees)):
        shown = [
            AtCut(c.name, c.domain, case.hierarchies[c.name], cut)
            for c, cut in zip(table.quasi_identifiers, cuts, strict=True)
        ]
        nodes = [a.node_of[c.codes] for a, c in zip(shown, table.quasi_identifiers, strict=True)]
        _, group_of = np.unique(np.column_stack(nodes), axis=0, return_inverse=True)
        partition = Partition(table, group_of.reshape(-1))
        if model.evaluate(partition.class_counts()).satisfied:
            value = costs_of(loss, table, shown, k=k).of(partition)
            found = value if found is None else min(found, value)
    return found


def k_of(model: Any) -> int:
    return max(getattr(part, "k", None) or 1 for part in getattr(model, "models", (model,)))


@pytest.mark.parametrize("loss", sorted(OF_CLASSES))
@effort(1 / 6)
@given(cases(kinds=("hierarchical",), max_rows=8), st.sampled_from(MODELS))
def test_no_cuts_have_less_loss(loss: str, case: Case, model: Any) -> None:
    assume(len(case.names) < 3)
    found = optimal_cut(case.table, model, loss, hierarchies=case.hierarchies)
    least = least_loss(case, model, loss, k_of(model))
    if least is None:
        assert isinstance(found, Infeasible)
        return
    assert isinstance(found, Optimal)
    assert found.objective == least
    assert model.evaluate(found.solution.anonymized.partition.class_counts()).satisfied


@pytest.mark.parametrize(
    "model", [TCloseness("1/4", ground="equal"), KAnonymity(2) & TCloseness("1/3", ground="ordered")]
)
def test_no_cuts_have_less_loss_where_leaves_lie_at_any_depth(model: Any) -> None:
    """Q is that of the records, however many nodes lie above each."""
    rng, decided = Random("any depth"), 0
    while decided < 12:
        tree = Hierarchy(any_tree(rng), ragged="keep", name="h0")
        rows = [(rng.choice(tree.values), rng.randrange(2)) for _ in range(rng.randrange(2, 9))]
        case = Case(("h0",), rows, {"h0": tree})
        least = least_loss(case, model, "ncp", k_of(model))
        if len(tree) < 3 or not least:
            continue
        decided += 1
        found = optimal_cut(case.table, model, hierarchies=case.hierarchies)
        assert isinstance(found, Optimal)
        assert found.objective == least


@effort(1 / 4)
@given(cases(kinds=("hierarchical",), max_rows=7), st.sampled_from(MODELS), st.sampled_from(["ncp", "lm"]))
def test_freer_recoding_never_costs_more(case: Case, model: Any, loss: str) -> None:
    """Levels are cuts, and the classes of a cut are a partition, whose own labels are no wider."""
    levels, cuts = (
        optimal_cut(case.table, model, loss, hierarchies=case.hierarchies, recoding=recoding)  # type: ignore[arg-type]
        for recoding in ("full-domain", "subtree")
    )
    partition = optimal_partition(case.table, model, loss, hierarchies=case.hierarchies)
    if isinstance(levels, Optimal):
        assert isinstance(cuts, Optimal)
        assert isinstance(partition, Optimal)
        assert partition.objective <= cuts.objective <= levels.objective


@pytest.mark.parametrize(("name", "loss"), [("dm", Discernibility()), ("gcp", GlobalCertaintyPenalty())])
@effort(1 / 4)
@given(case=cases(kinds=("hierarchical",), max_rows=9), model=st.sampled_from(MODELS))
def test_levels_have_the_optimum_of_the_lattice(name: str, loss: Any, case: Case, model: Any) -> None:
    lattice = LatticeCase(case.rows, case.hierarchies)
    found = optimal_cut(case.table, model, name, hierarchies=case.hierarchies, recoding="full-domain")
    if isinstance(found, Infeasible):
        assert not lattice.satisfying(model)
        return
    assert isinstance(found, Optimal)
    assert found.objective == optimum(lattice.rolled(compiled=False), model, loss=loss).value


TOWNS = Hierarchy.from_groups([{"north": ["a", "b"], "south": ["c", "d"]}], name="town")


def table_of(towns: str, values: str) -> Microdata:
    frame = pd.DataFrame({"town": list(towns), "s": list(values)})
    return Microdata.from_frame(frame, quasi_identifiers="town", sensitive="s")


def test_a_cut_may_be_uneven() -> None:
    """a and b have one record each: they share north, NCP 2·2/4 = 1. All at one level costs 6·2/4 = 3."""
    table = table_of("abccdd", "xyxyxy")
    found = optimal_cut(table, KAnonymity(2), hierarchies={"town": TOWNS})
    assert isinstance(found, Optimal)
    assert (found.objective, found.solution.nodes) == (1, {"town": ("north", "c", "d")})
    assert found.solution.anonymized.frame(order="input")["town"].tolist() == ["north", "north", "c", "c", "d", "d"]
    json.dumps(found.to_dict())
    level = optimal_cut(table, KAnonymity(2), hierarchies={"town": TOWNS}, recoding="full-domain", engine="CBC")
    assert isinstance(level, Feasible)
    assert level.objective == 3


def test_what_the_root_cannot_do_no_cut_can() -> None:
    found = optimal_cut(table_of("abcd", "xxxx"), DistinctLDiversity(2), hierarchies={"town": TOWNS})
    assert isinstance(found, Infeasible)


def test_what_cannot_be_cut_is_refused_by_name(monkeypatch: pytest.MonkeyPatch) -> None:
    table = table_of("abcd", "xyxy")
    with pytest.raises(TableError, match="'town' has no hierarchy"):
        optimal_cut(table, KAnonymity(2), hierarchies={})
    with pytest.raises(InputError, match="recoding='cell' is unknown"):
        optimal_cut(table, KAnonymity(2), hierarchies={"town": TOWNS}, recoding="cell")  # type: ignore[arg-type]
    with pytest.raises(InputError, match="not monotone under generalization"):
        optimal_cut(table, DeltaDisclosure(1, absent="skipped"), hierarchies={"town": TOWNS})
    ragged = Hierarchy([("a", "*"), ("b", "north", "*"), ("c", "north", "*"), ("d", "*")], ragged="keep")
    with pytest.raises(HierarchyError, match="is ragged"):
        optimal_cut(table, KAnonymity(2), hierarchies={"town": ragged}, recoding="full-domain")
    with pytest.raises(HierarchyError, match="'town' is ragged, so it has no levels; take 'subtree', without start="):
        optimal_cut(table, KAnonymity(2), hierarchies={"town": ragged}, start={"town": 1})
    monkeypatch.setattr(splits, "MOST_TUPLES", 6)
    with pytest.raises(LimitReached, match="more than 6 tuples"):
        optimal_cut(table, KAnonymity(2), hierarchies={"town": TOWNS})


def test_nodes_that_are_no_cut_are_refused() -> None:
    column = table_of("abcd", "xyxy").quasi_identifiers[0]
    tree = Ancestors(TOWNS)
    north = tree.labels.index("north")
    with pytest.raises(HierarchyError, match="two nodes above one value"):
        AtCut("town", column.domain, TOWNS, [0, north])
    with pytest.raises(HierarchyError, match="no node above 'c'"):
        AtCut("town", column.domain, TOWNS, [north])


def test_a_bound_below_what_any_cut_costs_is_raised_to_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """As of a solver that was stopped early; no loss of cells is below 0."""
    real = module.propose
    monkeypatch.setattr(splits.SplitProgram, "search", lambda *_: Searched(None, open=True))
    monkeypatch.setattr(module, "propose", lambda *args, **named: replace(real(*args, **named), bound=-50.0))
    frame = pd.DataFrame({"town": list("abccdd"), "s": list("xyxyxy")})
    table = Microdata.from_frame(frame, quasi_identifiers="town", sensitive="s")
    towns = Hierarchy.from_groups([{"north": ["a", "b"], "south": ["c", "d"]}])
    found = optimal_cut(table, KAnonymity(2), hierarchies={"town": towns})
    assert isinstance(found, Feasible)
    assert found.bound == 0
