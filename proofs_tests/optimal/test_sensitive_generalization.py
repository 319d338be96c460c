"""Sensitive values shown as nodes, against trying every way to show the values of each class."""

from __future__ import annotations

import itertools
import json
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import pytest
from hypothesis import given, strategies as st

from proofs_tests.effort import effort
from proofs_tests.optimal.cases import counts_of
from tcloseness.errors import InputError, SolverError
from tcloseness.ground import Equal, Hierarchical, Matrix, Ordered
from tcloseness.microdata import ClassCounts, Domain, Hierarchy
from tcloseness.models import FrequencyLDiversity, KAnonymity, TCloseness
from tcloseness.optimal import optimal_sensitive_generalization
from tcloseness.optimal.answers import Feasible, Infeasible, Optimal, Progress
from tcloseness.optimal.shown_values import EXACT, Reader, Solved
from tcloseness.transport import emd

pytestmark = pytest.mark.solver

TREE = Hierarchy.from_groups([{"low": [0, 1], "high": [2, 3]}])
DOMAIN = Domain.declare(range(4))
LEAVES = {"low": (0, 1), "high": (2, 3), "*": (0, 1, 2, 3)}
WEIGHTS = {
    "ncp": {"low": Fraction(1, 2), "high": Fraction(1, 2), "*": Fraction(1)},
    "height": {"low": Fraction(1, 2), "high": Fraction(1, 2), "*": Fraction(1)},
}
GROUNDS: dict[str, Any] = {
    "ordered": Ordered(4),
    "equal": Equal(4),
    "hierarchical": Hierarchical(TREE, DOMAIN),
    "matrix": Matrix([[0, "3/4", "1/4", 1], ["3/4", 0, 1, "1/2"], ["1/4", 1, 0, "3/4"], [1, "1/2", "3/4", 0]]),
}


def ways(value: int, count: int) -> Iterator[dict[Any, int]]:
    """Every way to show `count` records of a value: as itself, its group, or the root."""
    group = "low" if value < 2 else "high"
    for as_itself in range(count + 1):
        for as_group in range(count - as_itself + 1):
            yield {value: as_itself, group: as_group, "*": count - as_itself - as_group}


def least_by_hand(vector: list[int], reference: list[int], ground: Any, t: Fraction) -> Fraction:
    n, total = sum(vector), sum(reference)
    q = [Fraction(c, total) for c in reference]
    best = Fraction(n)
    for way in itertools.product(*(list(ways(v, c)) for v, c in enumerate(vector))):
        p = [Fraction(0)] * 4
        cost = Fraction(0)
        possible = True
        for shown in way:
            for node, count in shown.items():
                if isinstance(node, int):
                    p[node] += Fraction(count, n)
                elif count:
                    mass = sum(q[v] for v in LEAVES[node])
                    possible = possible and mass > 0
                    cost += count * WEIGHTS["ncp"][node]
                    for v in LEAVES[node] if mass else ():
                        p[v] += Fraction(count, n) * q[v] / mass
        if possible and cost < best and emd(p, q, ground) <= t:
            best = cost
    return best


@pytest.mark.parametrize("name", sorted(GROUNDS))
@given(
    vectors=st.lists(st.lists(st.integers(0, 2), min_size=4, max_size=4).filter(any), min_size=1, max_size=2),
    reference=st.lists(st.integers(0, 4), min_size=4, max_size=4).filter(any),
    t=st.sampled_from([Fraction(0), Fraction(1, 10), Fraction(1, 4), Fraction(2, 5)]),
    weight=st.sampled_from(["ncp", "height"]),
)
@effort(1 / 4)
def test_no_way_to_show_values_costs_less(
    name: str, vectors: list[list[int]], reference: list[int], t: Fraction, weight: Any
) -> None:
    """The weights of this tree are alike: half for a group of two of four leaves, at height 1 of 2."""
    ground = GROUNDS[name]
    classes = counts_of(vectors, reference)
    found = optimal_sensitive_generalization(classes, TCloseness(t, ground=ground), TREE, weight=weight)
    assert isinstance(found, Optimal)
    assert found.objective == sum(least_by_hand(v, reference, ground, t) for v in vectors)
    unknown = "; not certified: no checker for t-closeness as it is asked for here"
    assert found.proof.endswith(unknown if name == "matrix" else ", checked")
    for g, vector in enumerate(vectors):
        held = [sum(c for (v, _), c in found.solution.shown[g].items() if v == value) for value in range(4)]
        assert held == vector
    json.dumps(found.to_dict())


@given(st.lists(st.integers(0, 3), min_size=4, max_size=4).filter(any), st.fractions(0, "1/2", max_denominator=9))
@effort(1 / 4)
def test_a_weaker_threshold_never_costs_more(vector: list[int], t: Fraction) -> None:
    classes = counts_of([vector], [3, 1, 2, 2])
    strict, weak = (
        optimal_sensitive_generalization(classes, TCloseness(bound, ground="ordered"), TREE)
        for bound in (t, t + Fraction(1, 8))
    )
    assert weak.objective <= strict.objective  # type: ignore[union-attr]


def test_at_the_root_a_class_tells_nothing() -> None:
    """One value a of a, b, c, d alike: with t = 0 and the equal distance all of it goes to the root, and P = Q."""
    classes = counts_of([[4, 0, 0, 0]], [1, 1, 1, 1])
    found = optimal_sensitive_generalization(classes, TCloseness(0, ground="equal"), TREE)
    assert isinstance(found, Optimal)
    assert (found.objective, found.solution.generalized, found.solution.node_counts(0)) == (4, 4, {"*": 4})
    assert found.proof == "exact argument: linear programming duality in whole numbers, checked"


def test_what_is_close_stays_and_what_is_small_is_refused() -> None:
    classes = counts_of([[1, 1, 1, 1]], [1, 1, 1, 1])
    found = optimal_sensitive_generalization(classes, KAnonymity(4) & TCloseness(0, ground="equal"), TREE)
    assert isinstance(found, Optimal)
    assert (found.objective, found.proof) == (0, "exact argument, checked")
    small = optimal_sensitive_generalization(classes, KAnonymity(5) & TCloseness(0, ground="equal"), TREE)
    assert isinstance(small, Infeasible)
    assert "fewer than k = 5" in small.reason


def test_out_of_time_all_is_shown_as_the_root() -> None:
    told: list[Progress] = []
    classes = counts_of([[4, 0, 0, 0], [0, 2, 0, 0]], [1, 1, 1, 1])
    model = TCloseness(0, ground="equal")
    found = optimal_sensitive_generalization(classes, model, TREE, time_limit=1e-9, progress=told.append)
    assert isinstance(found, Feasible)
    assert (found.objective, found.bound) == (6, 1)
    assert (told[-1].incumbent, told[-1].bound) == (6, 1)
    assert isinstance(optimal_sensitive_generalization(classes, model, TREE, time_limit=60), Optimal)


def test_what_counts_values_is_refused() -> None:
    classes = ClassCounts.from_mapping({"a": {0: 1, 2: 1}})
    with pytest.raises(InputError, match="counts values"):
        optimal_sensitive_generalization(classes, FrequencyLDiversity(2), TREE)
    with pytest.raises(InputError, match="discernibility is of"):
        optimal_sensitive_generalization(classes, TCloseness(1, ground="equal"), TREE, weight="dm")


@pytest.mark.parametrize("model", [TCloseness(0, ground="equal"), KAnonymity(1) & TCloseness(0, ground="equal")])
def test_what_is_found_and_is_not_close_is_refused(model: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """A search that shows each value as itself, whatever is asked."""

    def as_they_are(self: Reader, row: Any, *_: Any) -> Solved:
        return Solved({(v, self.leaf(v)): count for v, count in row.items()}, 0, 0, EXACT)

    monkeypatch.setattr(Reader, "solve", as_they_are)
    with pytest.raises(SolverError, match="that is not t-close; refused"):
        optimal_sensitive_generalization(counts_of([[4, 0, 0, 0]], [1, 1, 1, 1]), model, TREE)
