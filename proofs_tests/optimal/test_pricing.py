"""The classes of small reduced cost, against all groups of small tables."""

from __future__ import annotations

import random
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from proofs_tests.anonymize.cases import Case, cases, costs_of
from proofs_tests.effort import effort
from proofs_tests.optimal.clocks import Ends
from proofs_tests.optimal.oracle import random_instance
from proofs_tests.smt.compiled import as_python
from tcloseness.limits import Clock
from tcloseness.loss.names import OF_CLASSES
from tcloseness.models import DistinctLDiversity, FrequencyLDiversity, KAnonymity, TCloseness
from tcloseness.models.conditions import least_records
from tcloseness.optimal import enumeration, pricing as module
from tcloseness.optimal.kinds import KindCounts
from tcloseness.optimal.pricing import SCALE, Found, Prices, Pricing
from tcloseness.optimal.rank_one import Cuts
from tcloseness.optimal.set_partitioning import greatest_needed, satisfying
from tcloseness.release import attributes_of

MODELS = (
    KAnonymity(2),
    KAnonymity(3),
    DistinctLDiversity(2),
    KAnonymity(2) & TCloseness("2/5", ground="equal"),
    TCloseness("1/4", ground="ordered"),
    DistinctLDiversity(2) & FrequencyLDiversity("3/2"),
)


def all_groups(kinds: KindCounts, model: Any) -> Any:
    """By hand: every group that satisfies the model and is not larger than needed."""
    shape = [count + 1 for count in kinds.counts]
    groups = np.stack(np.unravel_index(np.arange(1, np.prod(shape)), shape), axis=1)
    sizes = groups.sum(axis=1)
    groups = groups[(sizes >= least_records(model)) & (sizes <= greatest_needed(model, kinds.records))]
    return groups[satisfying(kinds, model, groups, Clock())]


@given(
    case=cases(max_rows=7),
    model=st.sampled_from(MODELS),
    loss=st.sampled_from(sorted(OF_CLASSES)),
    limit=st.integers(-1, 20),
    each=st.sampled_from([1, 3, 10_000, None]),
    data=st.data(),
)
@effort(2)
def test_no_other_class_has_a_reduced_cost_up_to_the_limit(
    case: Case, model: Any, loss: str, limit: int, each: int | None, data: st.DataObject
) -> None:
    kinds = KindCounts(case.table, attributes_of(case.table, case.hierarchies))
    pricing = Pricing(kinds, model, costs_of(loss, case.table, kinds.attributes, k=2), Clock())
    price = st.integers(-2 * SCALE, 60 * SCALE)
    prices = Prices.of_records(np.array(data.draw(st.lists(price, min_size=len(kinds), max_size=len(kinds)))))
    found = pricing.search(prices, limit * SCALE, each=each, clock=Clock())
    everything = all_groups(kinds, model)
    reduced = pricing.reduced(everything, prices)
    known = set(map(tuple, found.groups.tolist()))
    assert len(known) == len(found.groups)
    expected = {tuple(g): int(r) for g, r in zip(everything.tolist(), reduced, strict=True) if r <= limit * SCALE}
    assert known <= set(expected)
    assert found.left_out <= limit * SCALE
    assert each in (1, 3) or found.left_out == limit * SCALE
    assert all(r > found.left_out for g, r in expected.items() if g not in known)


def asked(draw: random.Random, most: int = 6) -> tuple[Pricing, Any, Prices, int]:
    """A search over a small table: all groups that are classes, prices, many of them equal, with cuts, and a limit."""
    instance = random_instance(draw, most=most)
    kinds = KindCounts(instance.table, attributes_of(instance.table, instance.hierarchies))
    model, loss = draw.choice(MODELS), draw.choice(sorted(OF_CLASSES))
    pricing = Pricing(kinds, model, costs_of(loss, instance.table, kinds.attributes, k=2), Clock())
    everything = all_groups(kinds, model)
    top = 2 * int(pricing.costs.of_groups(kinds, everything).max(initial=1)) * SCALE
    records = np.array([draw.randint(-SCALE, max(top, SCALE)) for _ in range(len(kinds))])
    if draw.random() < 0.3:
        records[:] = draw.randint(0, max(top, SCALE) // 3)
    weights = np.array([[draw.choice([0, 1, 1, 2, 3]) for _ in kinds.counts] for _ in range(draw.choice([0, 0, 2, 5]))])
    cuts = Cuts(weights.reshape(-1, len(kinds)), np.array([draw.randint(2, 5) for _ in weights], dtype=np.int64))
    prices = Prices(records, cuts, np.array([draw.randint(0, top) for _ in weights], dtype=np.int64))
    reduced = pricing.reduced(everything, prices).tolist()
    limit = draw.choice(reduced) if reduced and draw.random() < 0.9 else draw.randint(-top, top)
    return pricing, everything, prices, int(limit)


@pytest.mark.long
@pytest.mark.parametrize("steps", [1, 3, None])
def test_all_classes_up_to_the_limit_are_found_once_in_however_small_steps(
    steps: int | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    draw, several = random.Random(f"steps {steps}"), 0
    for _ in range(12 if steps else 150):
        pricing, everything, prices, limit = asked(draw, most=5 if steps else 6)
        if steps is not None:
            monkeypatch.setattr(module, "_ROOM", steps)
            pricing._steps = steps
        reduced = pricing.reduced(everything, prices).tolist()
        expected = {tuple(g): r for g, r in zip(everything.tolist(), reduced, strict=True) if r <= limit}
        found = pricing.search(prices, limit, clock=Clock())
        assert sorted(map(tuple, found.groups.tolist())) == sorted(expected), (pricing.model.name, prices, limit)
        assert [expected[tuple(g)] for g in found.groups.tolist()] == found.reduced.tolist()
        assert found.left_out == limit
        several += len(expected) > 3
    assert several > 3


def test_machine_code_finds_what_the_same_in_python_finds(monkeypatch: pytest.MonkeyPatch) -> None:
    draw = random.Random("in python")
    for _ in range(15):
        pricing, _, prices, limit = asked(draw, most=5)
        compiled = pricing.search(prices, limit, each=draw.choice([1, None]), clock=Clock())
        with monkeypatch.context() as patch:
            patch.setattr(module, "advance", as_python(enumeration.advance))
            patch.setattr(module, "least_left", as_python(enumeration.least_left))
            found = pricing.search(prices, limit, each=None, clock=Clock())
        if compiled.left_out == limit:
            assert found.groups.tolist() == compiled.groups.tolist()
        assert len(found.groups) >= len(compiled.groups)
        assert found.left_out == limit


class Over(Clock):
    """A clock that is over when it was looked at so often, and then stays so."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self._looks = looks

    @property
    def over(self) -> bool:
        self._looks -= 1
        return self._looks < 0


@pytest.mark.parametrize("ends", ["time", "classes", "each"])
def test_wherever_a_search_ends_what_it_did_not_follow_is_left_out(ends: str) -> None:
    """Time, the number of classes, of all or of each record: what is not found has a greater reduced cost than said."""
    draw, ended = random.Random(f"ends {ends}"), 0
    for _ in range(30):
        pricing, everything, prices, _ = asked(draw, most=5)
        reduced = pricing.reduced(everything, prices).tolist()
        limit, pricing._steps = max(reduced, default=0), draw.choice([1, 2, 5])
        clock = Over(draw.randint(0, 9)) if ends == "time" else Clock()
        if ends == "classes":
            pricing._most_found = draw.randint(0, 3)
        each = draw.randint(1, 3) if ends == "each" else None
        found = pricing.search(prices, limit, each=each, clock=clock)
        known = set(map(tuple, found.groups.tolist()))
        for group, cost in zip(everything.tolist(), reduced, strict=True):
            assert tuple(group) in known or cost > found.left_out, (pricing.model.name, prices)
        ended += len(known) < len(everything)
    assert ended > 3


@pytest.mark.parametrize("limit", [1e-9, None])
def test_without_time_all_is_left_out(limit: float | None) -> None:
    import pandas as pd

    from tcloseness.microdata import Microdata

    frame = pd.DataFrame({"x": range(6), "s": list("ababab")})
    table = Microdata.from_frame(frame, quasi_identifiers="x", sensitive="s")
    kinds = KindCounts(table, attributes_of(table))
    pricing = Pricing(kinds, KAnonymity(2), costs_of("ncp", table, kinds.attributes), Clock())
    found: Found = pricing.search(Prices.of_records(np.full(6, 5 * SCALE)), -1, clock=Clock(limit))
    assert (len(found.groups) == 0) == (limit is not None)
    assert (found.left_out < -1) == (limit is not None)


@given(case=cases(max_rows=7), model=st.sampled_from(MODELS), checks=st.integers(0, 9), data=st.data())
@effort(1)
def test_what_there_was_no_time_to_judge_is_left_out(case: Case, model: Any, checks: int, data: st.DataObject) -> None:
    kinds = KindCounts(case.table, attributes_of(case.table, case.hierarchies))
    pricing = Pricing(kinds, model, costs_of("ncp", case.table, kinds.attributes), Clock())
    price = st.integers(0, 9 * SCALE)
    prices = Prices.of_records(np.array(data.draw(st.lists(price, min_size=len(kinds), max_size=len(kinds)))))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_JUDGED", 2)
        found = pricing.search(prices, 9 * SCALE, clock=Ends(checks))
    everything = all_groups(kinds, model)
    known = set(map(tuple, found.groups.tolist()))
    for group, reduced in zip(everything.tolist(), pricing.reduced(everything, prices), strict=True):
        assert tuple(group) in known or reduced > found.left_out


def test_pairs_are_what_a_record_of_a_class_of_two_costs() -> None:
    draw, kinds = random.Random("pairs"), 0
    for loss in ("ncp", "gcp", "lm", "height") * 5:
        instance = random_instance(draw, most=6)
        counts = KindCounts(instance.table, attributes_of(instance.table, instance.hierarchies))
        pricing = Pricing(counts, KAnonymity(2), costs_of(loss, instance.table, counts.attributes), Clock())
        one = np.eye(len(counts), dtype=np.int64)
        both = (one[:, None] + one).reshape(-1, len(counts))
        costs = pricing.costs.of_groups(counts, both).reshape(len(counts), len(counts))
        assert (2 * pricing.pairs).tolist() == costs.tolist()
        kinds += len(counts)
    assert kinds > 50


def test_what_a_class_costs_at_least_however_it_grows_is_the_least_over_all_numbers_of_records() -> None:
    """By trying each; some records are sure to join, and of the others those that pay most."""
    draw, grown = random.Random("grown"), as_python(enumeration._least_grown)
    seen = 0
    for _ in range(300):
        size, first, need, most = draw.randint(0, 3), draw.randint(0, 2), draw.randint(0, 4), draw.randint(1, 8)
        best = sorted((draw.randint(-9, 40) for _ in range(draw.randint(0, 6))), reverse=True)
        steps = sorted(draw.randint(0, 5) for _ in range(10))  # of a convex cost
        sizes = [sum(steps[:n]) for n in range(11)]
        price, penalty = draw.randint(-20, 20), draw.randint(0, 6)
        costs = SimpleNamespace(scale=2, sizes=sizes)
        found = grown(costs, SimpleNamespace(best=best), size, price, penalty, first, need, most, len(best))
        every = [
            2 * ((size + q) * penalty + sizes[size + q]) - price - sum(best[: q - first])
            for q in range(max(first, need), min(most - size, first + len(best)) + 1)
        ]
        assert found == (min(every) if every else enumeration.NEVER)
        seen += bool(every)
    assert seen > 100
