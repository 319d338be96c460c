"""Every program, solved and at every limit: what is called optimal is the least, and no bound is above it.

The least is found by trying everything (suppression, hiding), or is that of the program without limit, which its own
tests compare with trying everything. Limits come at each point of building and solving, and the solver's bound is what
it told, or less.
"""

from __future__ import annotations

import itertools
import math
import random
from collections import Counter
from collections.abc import Callable
from typing import Any

import pandas as pd
import pytest

from proofs_tests.optimal.oracle import MODELS
from tcloseness.errors import TimeLimitReached
from tcloseness.limits import Clock
from tcloseness.microdata import ClassCounts, Domain, Hierarchy, Microdata
from tcloseness.models import KAnonymity, TCloseness
from tcloseness.optimal import (
    Feasible,
    Infeasible,
    Optimal,
    cut,
    optimal_cut,
    optimal_hiding,
    optimal_partition,
    optimal_sensitive_generalization,
    optimal_suppression,
    partition,
    shown_values,
    suppression,
)
from tcloseness.optimal.solver import OutOfTime, Proposal, propose
from tcloseness.optimal.tree import Searched

pytestmark = pytest.mark.solver

VALUES = (1, 2, 4)


def classes_at_random(draw: random.Random) -> list[Counter[int]]:
    found = []
    while len(found) < 3:
        one = Counter({v: draw.choice([0, 0, 1, 1, 2, 3, 5]) for v in VALUES})
        if one.total():
            found.append(+one)
    return found


def counts_of(classes: list[Counter[int]], q: Counter[int]) -> ClassCounts:
    rows = {g: dict(one) for g, one in enumerate(classes)}
    found = ClassCounts.from_mapping(rows, domain=Domain.declare(VALUES))
    return found.with_reference([q[v] for v in VALUES])


def most_kept(one: Counter[int], q: Counter[int], good: Callable[[Counter[int], Counter[int]], bool]) -> int:
    ways = itertools.product(*(range(one[v] + 1) for v in VALUES))
    kept = (+Counter(dict(zip(VALUES, way, strict=True))) for way in ways)
    return max((p.total() for p in kept if p and good(p, q)), default=0)


@pytest.mark.parametrize("task", [optimal_suppression, optimal_hiding])
def test_the_fewest_records_go_and_the_fewest_values_are_hidden(task: Any) -> None:
    draw = random.Random(task.__name__)
    by_values = [(m, g) for m, _, g in MODELS() if not any(getattr(p, "k", None) for p in getattr(m, "models", (m,)))]
    seen = Counter[str]()
    for _ in range(60):
        classes = classes_at_random(draw)
        q = sum(classes, Counter[int]()) + Counter({v: draw.choice([0, 0, 1, 4]) for v in VALUES})
        if len(q) < len(VALUES):
            q += Counter(VALUES)
        model, good = draw.choice(by_values if task is optimal_hiding else [(m, g) for m, _, g in MODELS()])
        kept = sum(most_kept(one, q, good) for one in classes)
        found = task(counts_of(classes, q), model)
        seen[type(found).__name__] += 1
        if not kept:
            assert isinstance(found, Infeasible), (classes, q, model)
            continue
        assert isinstance(found, Optimal), (classes, q, model)
        assert found.objective == sum(one.total() for one in classes) - kept, (classes, q, model)
    assert seen["Optimal"] > 30


# ---------------------------------------------------------------------- at limits

TREE = Hierarchy([(v, f"{v // 4}a", "*") for v in range(8)])


def table_at_random(draw: random.Random) -> Microdata:
    rows = [(draw.randint(0, 7), draw.randint(0, 7), draw.choice("aab")) for _ in range(draw.randint(4, 7))]
    return Microdata.from_frame(pd.DataFrame(rows, columns=list("xys")), quasi_identifiers=["x", "y"], sensitive="s")


def tasks(draw: random.Random, loss: str) -> dict[str, Callable[[], Any]]:
    """One instance of each program."""
    classes, table = classes_at_random(draw), table_at_random(draw)
    counts = counts_of(classes, Counter({1: 3, 2: 2, 4: 2}))
    close = TCloseness(draw.choice(["1/10", "1/5"]), ground="ordered")
    nodes = Hierarchy([(1, "low", "*"), (2, "low", "*"), (4, "4", "*")])
    k = KAnonymity(draw.choice([2, 2, 3]))
    partition = {
        f"partition by {form}": (lambda form=form: optimal_partition(table, k, loss, formulation=form))
        for form in ("assignment", "set-partitioning", "column-generation")
    }
    return {
        "suppression": lambda: optimal_suppression(counts, close),
        "hiding": lambda: optimal_hiding(counts, close),
        "suppression by HiGHS": lambda: optimal_suppression(counts, close, engine="HiGHS"),
        "hiding by HiGHS": lambda: optimal_hiding(counts, close, engine="HiGHS"),
        "sensitive generalization": lambda: optimal_sensitive_generalization(counts, close, nodes),
        "cut": lambda: optimal_cut(table, k, loss, hierarchies={"x": TREE, "y": TREE}),
        **partition,
    }


LOSSES = ("ncp", "lm", "dm", "c-avg")

NAMES = tuple(tasks(random.Random(0), "ncp"))


def assert_no_more_is_said_than_is_so(found: Any, best: Any) -> None:
    if isinstance(found, Feasible):
        assert found.bound <= best.objective <= found.objective
        assert found.gap > 0
    else:
        assert isinstance(found, Optimal)
        assert found.objective == best.objective


@pytest.mark.parametrize("name", NAMES)
def test_wherever_the_time_ends_the_bound_is_one(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    draw, real, said = random.Random(f"ends {name}"), Clock.check, Counter[str]()
    for loss in LOSSES:
        task = tasks(draw, loss)[name]
        best, asked, last = task(), 0, -1

        def check(self: Clock, what: str) -> None:
            nonlocal asked
            asked += 1
            if asked > last >= 0:  # noqa: B023 (called within this turn)
                raise TimeLimitReached(what)
            real(self, what)

        monkeypatch.setattr(Clock, "check", check)
        for last in (0, 1, 5, 20, 45, 90, 300):  # noqa: B007 (`check` reads it)
            asked = 0
            try:
                found = task()
            except TimeLimitReached:
                said["nothing"] += 1
                assert name.startswith(("suppression", "hiding"))
                continue
            said[type(found).__name__] += 1
            if isinstance(best, Infeasible):
                assert isinstance(found, Infeasible)
            else:
                assert_no_more_is_said_than_is_so(found, best)
        monkeypatch.setattr(Clock, "check", real)
    assert said["Feasible"] + said["nothing"]


@pytest.mark.parametrize("less", [0.0, 0.3, 1.0, 1.5, math.inf])
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.slow
def test_a_solver_that_knows_less_is_not_believed_more(name: str, less: float, monkeypatch: pytest.MonkeyPatch) -> None:
    """It finds nothing in time and tells a lower bound, in doubles; or finds the best, and does not know it."""
    draw = random.Random(f"less {name}")

    def knows_less(program: Any, **how: Any) -> Any:
        found = propose(program, **how)
        if not isinstance(found, Proposal):
            return found
        return Proposal(found.values, found.bound - less) if finds else OutOfTime(found.bound - less)

    for loss in (*LOSSES, "c-avg"):
        task = tasks(draw, loss)[name]
        best = task()
        if isinstance(best, Infeasible):
            continue
        with monkeypatch.context() as patch:
            patch.setattr(cut.SplitProgram, "search", lambda *_: Searched(None, open=True))
            for module in (suppression, shown_values, cut, partition):
                patch.setattr(module, "propose", knows_less)
            for finds in (True, False):
                try:
                    found = task()
                except TimeLimitReached:
                    assert not finds
                    assert name.startswith(("suppression", "hiding"))
                    continue
                assert_no_more_is_said_than_is_so(found, best)
                if less >= 1 and finds and not isinstance(found, Feasible):
                    assert not found.proof.startswith("the bound of HiGHS") or found.objective == best.objective
