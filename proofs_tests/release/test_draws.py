"""Draws: secret unless a seed is given, uniform, and independent of the order in which the rows stand."""

from __future__ import annotations

import hashlib
import inspect
import json
from collections import Counter
from collections.abc import Callable
from itertools import permutations
from typing import Any

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

import tcloseness.anonymize as room
from proofs_tests.anonymize.cases import cases
from proofs_tests.anonymize.drawn import tie_orders
from proofs_tests.effort import effort
from tcloseness.anonymize import (
    anatomy,
    closeness_first,
    confidential_microaggregation,
    datafly,
    mdav,
    mondrian,
    sabre,
    swapping,
    two_tables,
)
from tcloseness.errors import InputError
from tcloseness.microdata import Microdata
from tcloseness.models import FrequencyLDiversity, KAnonymity, TCloseness
from tcloseness.release import Partition, draws as module
from tcloseness.release.draws import GREATEST_SEED, NOTHING_DRAWN, Draws, numbered_by_first_record

NOT_ASKED = KAnonymity(2) & TCloseness(1, ground="equal")

METHODS: dict[str, Callable[..., Any]] = {
    "anatomy": lambda table, **how: anatomy(table, FrequencyLDiversity(2), **how),
    "closeness first": lambda table, **how: closeness_first(table, NOT_ASKED, **how),
    "confidential": lambda table, **how: confidential_microaggregation(table, KAnonymity(2), **how),
    "mdav": lambda table, **how: mdav(table, KAnonymity(2), **how),
    "mondrian, relaxed": lambda table, **how: mondrian(table, KAnonymity(2), relaxed=True, **how),
    "sabre": lambda table, **how: sabre(table, KAnonymity(2) & TCloseness(0, ground="equal"), **how),
    "swapping": lambda table, **how: swapping(table, NOT_ASKED, **how),
    "two tables": lambda table, **how: two_tables(
        Partition.of(table, np.arange(len(table)).reshape(-1, 2).tolist()), KAnonymity(2), **how
    ),
}
"""Every method that draws."""
DETERMINED: dict[str, Callable[..., Any]] = {
    "datafly": lambda table, **how: datafly(table, KAnonymity(2), **how),
    "mondrian": lambda table, **how: mondrian(table, KAnonymity(2), **how),
}
"""Those that draw nothing."""


def table_of(n: int) -> Microdata:
    """Records of which all but the first and the last have equal quasi-identifiers; half of them an a, half a b."""
    frame = pd.DataFrame({"x": [0, *[1] * (n - 2), 2], "s": ["a", "b"] * (n // 2)})
    return Microdata.from_frame(frame, quasi_identifiers="x", sensitive="s")


def classes(found: Any) -> list[int]:
    partition = found.partition if hasattr(found, "quasi_identifier_table") else found.grouped
    return [int(number) for number in partition.class_of]


def test_every_function_of_the_room_that_makes_a_release_takes_a_seed_and_is_tried_here():
    makers = {
        name
        for name in room.__all__
        if inspect.isfunction(getattr(room, name))
        and {"Anonymized", "Anatomized"} & {str(inspect.signature(getattr(room, name)).return_annotation)}
    }
    tried = {"anatomy", "closeness_first", "confidential_microaggregation", "mdav", "mondrian", "sabre", "swapping"}
    assert makers == tried | {"two_tables", "datafly"}
    for name in makers:
        assert inspect.signature(getattr(room, name)).parameters["seed"].default is None


@pytest.mark.parametrize("method", sorted(METHODS))
def test_without_a_seed_two_runs_differ_and_with_one_they_do_not(method):
    """Of forty records 38 or more are equal: there are 10⁹ ways and more to divide these, or to number the classes."""
    table, make = table_of(40), METHODS[method]
    assert classes(make(table)) != classes(make(table))
    assert classes(make(table, seed=3)) == classes(make(table, seed=3)) != classes(make(table, seed=4))
    assert make(table).conventions["draws"] == "drawn at random with a secret seed"
    assert make(table, seed=3).conventions["draws"] == "seed 3 given: repeatable, not for publication"


@pytest.mark.parametrize("method", sorted(DETERMINED))
def test_what_draws_nothing_says_so(method, monkeypatch):
    monkeypatch.setattr(module.secrets, "token_bytes", None)  # it is not called
    for how in ({}, {"seed": 3}):
        assert DETERMINED[method](table_of(6), **how).conventions["draws"] == NOTHING_DRAWN


@pytest.mark.parametrize("method", sorted(METHODS))
def test_a_secret_seed_is_nowhere_in_what_is_returned(method, monkeypatch):
    secret = bytes(range(101, 133))
    monkeypatch.setattr(module.secrets, "token_bytes", lambda size: secret[:size])
    found = METHODS[method](table_of(40))
    shown = json.dumps(found.to_dict()) + repr(found.conventions) + repr(found.done) + repr(Draws())
    for text in (secret.hex(), str(int.from_bytes(secret, "big")), str(int.from_bytes(secret, "little")), str(secret)):
        assert text not in shown
    assert not any(isinstance(value, Draws) for value in vars(found).values())


@pytest.mark.parametrize("method", sorted(METHODS | DETERMINED))
@pytest.mark.parametrize(
    "seed", [-1, 1.0, "1", True, GREATEST_SEED + 1, 10**5000, b"1", float("nan")], ids=lambda seed: type(seed).__name__
)
def test_what_cannot_be_a_seed_is_named(method, seed):
    with pytest.raises(InputError, match=r"the seed is .*; it must be a whole number from 0 to 2¹²⁸ − 1, or be left"):
        (METHODS | DETERMINED)[method](table_of(4), seed=seed)


def test_the_ends_of_what_can_be_a_seed():
    assert Draws(0).seed == 0
    assert Draws(np.int64(5)).text == Draws(5).text == "seed 5 given: repeatable, not for publication"
    assert repr(Draws(GREATEST_SEED)) == f"Draws({2**128 - 1})"


def test_a_secret_draw_takes_256_bits_of_the_system_and_no_given_seed_draws_the_same(monkeypatch):
    asked = []
    monkeypatch.setattr(module.secrets, "token_bytes", lambda size: asked.append(size) or b"\0" * size)
    zeros = Draws().permutation(30, "name").tolist()
    assert asked == [32]
    assert zeros != Draws(0).permutation(30, "name").tolist()


def test_every_order_is_equally_probable():
    """6,000 seeds, 6 orders: 1,000 each in the mean, with a deviation of 29; six of these are exceeded once in 10⁸."""
    times = Counter(tuple(Draws(seed).permutation(3, "x").tolist()) for seed in range(6000))
    assert set(times) == set(permutations(range(3)))
    assert all(abs(count - 1000) < 6 * 29 for count in times.values())


def test_draws_of_different_names_and_seeds_are_different_and_none_of_nothing_is_empty():
    seen = {tuple(Draws(seed).permutation(40, name).tolist()) for seed in (1, 11, 17, 255) for name in ("a", "b", "ab")}
    assert len(seen) == 12
    assert Draws(1).permutation(0, "a").tolist() == []


def test_a_given_seed_draws_the_same_everywhere():
    """SHAKE-256 of "given 7", a zero byte and "x", sixteen bytes a thing, sorted as numbers: by hashlib alone."""
    stream = hashlib.shake_256(b"given 7\0x").digest(16 * 9)
    keys = [int.from_bytes(stream[16 * i : 16 * i + 16], "big") for i in range(9)]
    assert Draws(7).permutation(9, "x").tolist() == sorted(range(9), key=keys.__getitem__)


@effort(1 / 2)
@given(cases(), st.data())
def test_the_order_of_records_goes_by_quasi_identifiers_and_with_a_seed_not_by_rows(case, data):
    seed, shuffled = data.draw(st.integers(0, 5)), data.draw(st.permutations(range(len(case.rows))))
    order = Draws(seed).order(case.table).tolist()
    assert sorted(order) == list(range(len(case.rows)))
    keys = [tuple(column.codes[i] for column in case.table.quasi_identifiers) for i in order]
    assert keys == sorted(keys)
    other = case.permuted(shuffled)
    assert [other.rows[i] for i in Draws(seed).order(other.table)] == [case.rows[i] for i in order]
    assert Draws(seed).places(case.table)[order].tolist() == list(range(len(order)))


def test_all_sensitive_columns_decide_what_is_drawn_with_a_seed():
    """Records that differ in another sensitive attribute only are two records, in whatever order they stand."""
    rows = [(1, "a", "p"), (1, "a", "q"), (1, "a", "r"), (1, "b", "p")]

    def drawn(rows: list[tuple[int, str, str]]) -> list[tuple[int, str, str]]:
        frame = pd.DataFrame(rows, columns=["x", "s", "t"])
        table = Microdata.from_frame(frame, quasi_identifiers="x", sensitive=["s", "t"])
        return [rows[i] for i in Draws(5).order(table)]

    assert {tuple(drawn(list(each))) for each in permutations(rows)} == {tuple(drawn(rows))}


def test_each_order_of_equal_records_is_drawn_whatever_their_values_are(monkeypatch):
    """Over all permutations that may be drawn, each order of three persons with equal age comes once in six times."""
    frame = pd.DataFrame({"x": [2, 1, 1, 1], "s": list("abab")})
    table = Microdata.from_frame(frame, quasi_identifiers="x", sensitive="s")
    times: Counter[tuple[int, ...]] = Counter()
    for each in permutations(range(4)):
        monkeypatch.setattr(Draws, "permutation", lambda *_, each=each: np.array(each))
        times[tuple(Draws(0).order(table).tolist())] += 1
    assert times == {(*each, 0): 4 for each in permutations([1, 2, 3])}
    assert len(list(tie_orders(table))) == 6


def test_classes_are_numbered_by_their_first_records():
    assert numbered_by_first_record(np.array([5, 2, -1, 2, 5, 0]), np.array([3, 2, 5, 1, 0, 4])).tolist() == [
        2, 0, -1, 0, 2, 1
    ]  # fmt: skip
