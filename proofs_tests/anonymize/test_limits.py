"""Limits of time and memory: every loop of every method asks, and beyond a limit there is no answer."""

from __future__ import annotations

import sys
from typing import Any

import numpy as np
import pandas as pd
import pytest

from proofs_tests.anonymize.cases import SEED
from proofs_tests.release.test_draws import DETERMINED, METHODS
from tcloseness.anonymize import mdav, sabre, swapping
from tcloseness.errors import InputError, MemoryLimitReached, TimeLimitReached
from tcloseness.limits import Clock
from tcloseness.microdata import Hierarchy, Microdata
from tcloseness.models import FrequencyLDiversity, KAnonymity, TCloseness

LIMITED = {name: make for name, make in (METHODS | DETERMINED).items() if name != "two tables"}


def table_of(n: int, values: int = 3) -> Microdata:
    rng = np.random.default_rng(SEED)
    columns = {"x": rng.integers(0, 40, n), "y": rng.integers(0, 40, n), "s": np.arange(n) % values}
    return Microdata.from_frame(pd.DataFrame(columns), quasi_identifiers=["x", "y"], sensitive="s")


def made(name: str, table: Microdata, **limits: Any) -> Any:
    if name == "datafly":
        limits = {"hierarchies": {c.name: Hierarchy.suppression(c.domain.values) for c in table.quasi_identifiers},
                  **limits}  # fmt: skip
    return LIMITED[name](table, seed=SEED, **limits)


class Counting(Clock):
    """A clock that reaches its limit at a given look."""

    looks, last = 0, -1

    def check(self, what: str) -> None:
        self.looks += 1
        if self.looks > self.last >= 0:
            raise TimeLimitReached(f"reached while {what}")


@pytest.mark.parametrize("name", sorted(LIMITED))
def test_every_look_may_be_the_last_and_then_there_is_no_answer(name):
    """The clock is looked at for every other class, or for each round of cuts; at each look the error comes out."""
    table, clock = table_of(60), Counting()
    found = made(name, table, time_limit=clock)
    assert clock.looks >= {"datafly": 1, "mondrian": 5, "mondrian, relaxed": 5}.get(name, len(found.partition) // 2)
    for last in sorted({0, 1, clock.looks // 2, clock.looks - 1}):
        ending = Counting()
        ending.last = last
        with pytest.raises(TimeLimitReached, match=r"reached while \w+"):
            made(name, table, time_limit=ending)
    enough = Counting()
    enough.last = clock.looks
    again = made(name, table, time_limit=enough)
    assert again.partition.class_of.tolist() == found.partition.class_of.tolist()


@pytest.mark.parametrize("name", sorted(LIMITED))
def test_no_time_is_a_limit_that_is_reached(name):
    with pytest.raises(TimeLimitReached, match="the time limit of 1e-09 seconds was reached while"):
        made(name, table_of(60), time_limit=1e-9)


@pytest.mark.parametrize("name", sorted(LIMITED))
@pytest.mark.parametrize(
    "limits", [{"time_limit": 0}, {"time_limit": "5"}, {"memory_limit": 0.5}, {"memory_limit": -1}]
)
def test_what_cannot_be_a_limit_is_named(name, limits):
    with pytest.raises(InputError, match=r"time_limit = |memory_limit = "):
        made(name, table_of(6), **limits)


@pytest.mark.parametrize("name", sorted(LIMITED))
def test_limits_that_are_far_change_nothing(name):
    table = table_of(60)
    free, limited = (made(name, table, **limits) for limits in ({}, {"time_limit": 600, "memory_limit": 2**33}))
    assert free.partition.class_of.tolist() == limited.partition.class_of.tolist()
    assert free.to_dict() == limited.to_dict()


def test_mergers_and_swaps_look_at_the_clock_too():
    """Classes that violate ℓ or t are many here, and each look may be the last."""
    table = table_of(60)
    for make, model in (
        (mdav, KAnonymity(3) & FrequencyLDiversity(3)),
        (swapping, KAnonymity(3) & TCloseness("1/20", ground="equal")),
    ):
        clock = Counting()
        found = make(table, model, seed=SEED, time_limit=clock)
        assert clock.looks > found.done["mergers"] + found.done.get("swaps", 0)
        for last in range(0, clock.looks, 7):
            ending = Counting()
            ending.last = last
            with pytest.raises(TimeLimitReached):
                make(table, model, seed=SEED, time_limit=ending)


def test_a_table_of_distances_that_is_too_large_is_refused_before_it_is_made():
    """3,000 values: 5 · 8 · 3,000² bytes are 360 MB."""
    with pytest.raises(MemoryLimitReached, match=r"the distances of 3,000 sensitive values would take about 360 MB"):
        sabre(table_of(3000, 3000), TCloseness("1/10", ground="ordered"), memory_limit=3 * 10**8)


def test_what_a_swap_brings_is_worked_out_in_pieces_however_many_values_there_are(monkeypatch):
    """The same swaps, whether all pairs of values are compared at once or one by one."""
    distances = [[abs(i - j) for j in range(4)] for i in range(4)]
    table, model = table_of(16, 4), KAnonymity(3) & TCloseness("1/4", ground=distances)
    whole = swapping(table, model, seed=SEED)
    monkeypatch.setattr(sys.modules["tcloseness.anonymize.swapping"], "_CELLS", 1)
    pieces = swapping(table, model, seed=SEED)
    assert whole.done["swaps"] > 0
    assert pieces.to_dict() == whole.to_dict()
    assert pieces.grouped.class_of.tolist() == whole.grouped.class_of.tolist()
