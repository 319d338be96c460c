"""The classes of small reduced cost, against all groups of small tables."""

from __future__ import annotations

import random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from proofs_tests.anonymize.cases import Case, cases, costs_of
from proofs_tests.effort import effort
from proofs_tests.optimal.oracle import random_instance
from tcloseness.errors import TimeLimitReached
from tcloseness.limits import Clock
from tcloseness.loss.names import OF_CLASSES
from tcloseness.models import DistinctLDiversity, KAnonymity, TCloseness
from tcloseness.models.conditions import least_records
from tcloseness.optimal import pricing as module
from tcloseness.optimal.kinds import KindCounts
from tcloseness.optimal.pricing import SCALE, Found, Pricing
from tcloseness.optimal.set_partitioning import greatest_needed, satisfying
from tcloseness.release import attributes_of

MODELS = (
    KAnonymity(2),
    KAnonymity(3),
    DistinctLDiversity(2),
    KAnonymity(2) & TCloseness("2/5", ground="equal"),
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
    width=st.sampled_from([1, 3, 10_000, None]),
    data=st.data(),
)
@effort(2)
def test_no_other_class_has_a_reduced_cost_up_to_the_limit(
    case: Case, model: Any, loss: str, limit: int, width: int | None, data: st.DataObject
) -> None:
    kinds = KindCounts(case.table, attributes_of(case.table, case.hierarchies))
    pricing = Pricing(kinds, model, costs_of(loss, case.table, kinds.attributes, k=2), Clock())
    price = st.integers(-2 * SCALE, 60 * SCALE)
    prices = np.array(data.draw(st.lists(price, min_size=len(kinds), max_size=len(kinds))))
    found = pricing.search(prices, limit * SCALE, width=width, clock=Clock())
    everything = all_groups(kinds, model)
    reduced = pricing.reduced(everything, prices)
    known = set(map(tuple, found.groups.tolist()))
    assert len(known) == len(found.groups)
    expected = {tuple(g): int(r) for g, r in zip(everything.tolist(), reduced, strict=True) if r <= limit * SCALE}
    assert known <= set(expected)
    assert found.left_out <= limit * SCALE
    assert width in (1, 3) or found.left_out == limit * SCALE
    assert all(r > found.left_out for g, r in expected.items() if g not in known)


@pytest.mark.parametrize("loss", sorted(OF_CLASSES))
def test_the_same_classes_are_found_in_however_small_steps(loss: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """A step works on one record, or one group, or some: nothing is lost where one ends, and no bound is another's."""
    draw, several = random.Random(f"steps {loss}"), 0
    for _ in range(12):
        instance = random_instance(draw, most=6)
        kinds = KindCounts(instance.table, attributes_of(instance.table, instance.hierarchies))
        model = draw.choice(MODELS)
        pricing = Pricing(kinds, model, costs_of(loss, instance.table, kinds.attributes, k=2), Clock())
        everything = all_groups(kinds, model)
        top = 2 * int(pricing.costs.of_groups(kinds, everything).max(initial=1)) * SCALE
        prices = np.array([draw.randint(-SCALE, max(top, SCALE)) for _ in range(len(kinds))])
        reduced = pricing.reduced(everything, prices)
        limit = int(draw.choice(reduced.tolist())) if len(reduced) else 0
        expected = {tuple(g) for g, r in zip(everything.tolist(), reduced.tolist(), strict=True) if r <= limit}
        several += len(expected) > 3
        for cells, chunk in ((1, 1), (2 * kinds.records, 2), (10**6, 10**6)):
            monkeypatch.setattr(module, "_CELLS", cells)
            pricing._chunk = chunk
            for width in (10_000, None):
                found = pricing.search(prices, limit, width=width, clock=Clock())
                assert set(map(tuple, found.groups.tolist())) == expected, (instance, model, prices, limit)
                assert (found.left_out, len(found.groups)) == (limit, len(expected))
    assert several


class Over(Clock):
    """A clock that is over when it was looked at so often, and then stays so."""

    def __init__(self, looks: int) -> None:
        super().__init__()
        self._looks = looks

    @property
    def over(self) -> bool:
        self._looks -= 1
        return self._looks < 0


@pytest.mark.parametrize("width", [3, None])
@pytest.mark.parametrize("ends", ["time", "classes", "memory"])
def test_wherever_a_search_ends_what_it_did_not_follow_is_left_out(
    width: int | None, ends: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Time, the number of classes and what waits: each class that is not found has a greater reduced cost than said."""
    draw, ended = random.Random(f"ends {width} {ends}"), 0
    for _ in range(25):
        instance = random_instance(draw, most=6)
        kinds = KindCounts(instance.table, attributes_of(instance.table, instance.hierarchies))
        model, loss = draw.choice(MODELS), draw.choice(sorted(OF_CLASSES))
        pricing = Pricing(kinds, model, costs_of(loss, instance.table, kinds.attributes, k=2), Clock())
        everything = all_groups(kinds, model)
        prices = np.array([draw.randint(0, 9 * SCALE) for _ in range(len(kinds))])
        reduced = pricing.reduced(everything, prices)
        limit = max(reduced.tolist(), default=0)
        pricing._chunk = draw.choice([1, 2, 5])
        clock: Clock = Clock()
        if ends == "time":
            clock = Over(draw.randint(0, 6))
        elif ends == "classes":
            pricing._most_found = draw.randint(0, 3)
        else:
            monkeypatch.setattr(module, "_MOST_WAITING", draw.choice([1, 100, 1000]))
        found = pricing.search(prices, limit, width=width, clock=clock)
        known = set(map(tuple, found.groups.tolist()))
        for group, cost in zip(everything.tolist(), reduced.tolist(), strict=True):
            assert tuple(group) in known or cost > found.left_out, (instance, model.name, loss, prices)
        ended += len(known) < len(everything)
    assert ended > 3 or (ends == "memory" and width is not None)


@pytest.mark.parametrize("limit", [1e-9, None])
def test_without_time_all_is_left_out(limit: float | None) -> None:
    import pandas as pd

    from tcloseness.microdata import Microdata

    frame = pd.DataFrame({"x": range(6), "s": list("ababab")})
    table = Microdata.from_frame(frame, quasi_identifiers="x", sensitive="s")
    kinds = KindCounts(table, attributes_of(table))
    pricing = Pricing(kinds, KAnonymity(2), costs_of("ncp", table, kinds.attributes), Clock())
    found: Found = pricing.search(np.full(6, 5 * SCALE), -1, width=100, clock=Clock(limit))
    assert (len(found.groups) == 0) == (limit is not None)
    assert (found.left_out < -1) == (limit is not None)


class Ending(Clock):
    """A clock that is not over, but whose time is when it is checked so often."""

    def __init__(self, checks: int) -> None:
        super().__init__()
        self._checks = checks

    def check(self, what: str) -> None:
        self._checks -= 1
        if self._checks < 0:
            raise TimeLimitReached(what)


@given(case=cases(max_rows=7), model=st.sampled_from(MODELS), checks=st.integers(0, 9), data=st.data())
@effort(1)
def test_what_there_was_no_time_to_judge_is_left_out(case: Case, model: Any, checks: int, data: st.DataObject) -> None:
    kinds = KindCounts(case.table, attributes_of(case.table, case.hierarchies))
    pricing = Pricing(kinds, model, costs_of("ncp", case.table, kinds.attributes), Clock())
    price = st.integers(0, 9 * SCALE)
    prices = np.array(data.draw(st.lists(price, min_size=len(kinds), max_size=len(kinds))))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(module, "_JUDGED", 2)
        found = pricing.search(prices, 9 * SCALE, width=None, clock=Ending(checks))
    everything = all_groups(kinds, model)
    known = set(map(tuple, found.groups.tolist()))
    for group, reduced in zip(everything.tolist(), pricing.reduced(everything, prices), strict=True):
        assert tuple(group) in known or reduced > found.left_out
