"""The search of a checker finds every class: machine code, plain Python and all groups of records agree."""

from __future__ import annotations

import random
import sys
from collections import Counter
from dataclasses import replace

import pytest

from proofs_tests.certificates.priced import asked_for, groups, small
from tcloseness.certificates import classes
from tcloseness.certificates.classes import LARGEST, Priced, _gains, all_classes, plain_classes
from tcloseness.errors import InputError
from tcloseness.strict_records import Work


@pytest.mark.parametrize("cases", [300, pytest.param(10_000, marks=pytest.mark.slow)])
def test_both_searches_find_every_class_and_each_once(cases: int) -> None:
    draw, found_some = random.Random(30), 0
    for _ in range(cases):
        asked = asked_for(draw)
        every = groups(asked)
        limits = sorted(every.values())
        limit = draw.choice([-1, 0, *limits[:1], *limits[-1:], *([draw.choice(limits)] if limits else [])])
        wanted = {many for many, r in every.items() if r <= limit}
        plain = list(plain_classes(asked, limit, Work(None)))
        as_counts = [tuple(Counter(group)[kind] for kind in range(len(asked.counts))) for group in plain]
        fast = [tuple(row) for block in all_classes(asked, limit, Work(None)) for row in block.tolist()]
        assert Counter(as_counts) == Counter(wanted), asked
        assert Counter(fast) == Counter(wanted), asked
        found_some += len(wanted) > 1
    assert found_some > cases / 4


def test_what_a_group_grows_to_costs_at_least_what_is_said() -> None:
    draw = random.Random(31)
    for _ in range(60):
        asked = asked_for(draw)
        every = {many: r for many, r in groups(asked).items() if r < LARGEST}
        for many in every:
            group = tuple(kind for kind, number in enumerate(many) for _ in range(number))
            grown = [
                other
                for other in every
                if other != many
                and all(
                    a == b if kind < group[-1] else a <= b for kind, (a, b) in enumerate(zip(many, other, strict=True))
                )
            ]
            gains = list(_gains(asked, group))
            assert bool(grown) <= bool(gains)
            for other in grown:
                assert every[other] - every[many] >= min(gains)


def test_what_a_group_gains_is_the_least_by_what_each_further_record_alone_would() -> None:
    draw, many = random.Random(34), 0
    for _ in range(60):
        asked = asked_for(draw)
        for counts in groups(asked):
            group = tuple(kind for kind, number in enumerate(counts) for _ in range(number))
            alone = [
                asked.scale * asked.penalty((*group, kind)) - asked.prices[kind]
                for kind in range(group[-1], len(asked.counts))
                for _ in range(asked.counts[kind] - counts[kind])
            ]
            sizes = range(len(group) + 1, min(asked.most, len(group) + len(alone)) + 1)
            wanted = [
                sum(sorted(alone)[: size - len(group)]) + asked.scale * (asked.sizes[size] - asked.sizes[len(group)])
                for size in sizes
                if size >= asked.least
            ]
            assert list(_gains(asked, group)) == wanted
            many += len(wanted) > 1
    assert many > 20


def test_numbers_of_any_length_are_searched_in_plain_python() -> None:
    draw = random.Random(32)
    for scale in (2**50, 2**70):
        asked = asked_for(draw)
        longer = {name: [each * scale for each in getattr(asked, name)] for name in ("prices", "dues")}
        long = replace(asked, scale=asked.scale * scale, **longer)
        for limit in (-1, 0, 3 * scale):
            wanted = {many for many, r in groups(long).items() if r <= limit}
            assert {tuple(row) for block in all_classes(long, limit, Work(None)) for row in block.tolist()} == wanted


def test_what_no_sum_passes_is_known_before_machine_code_runs() -> None:
    """3 records of penalties up to 7 + 5 at scale 3, sizes up to 4·16, prices up to 3·10, dues up to 100·⌊3·2/2⌋."""
    assert small().magnitude() == 3 * (1 + 3 * 12 + 4 * 16) + 30 + 300
    assert small(dues=[1], weights=[[1, 50]]).magnitude() == 303 + 30 + (150 + 2)
    assert small(prices=[], weights=[], divisors=[], dues=[]).magnitude() == 303
    assert small(weights=[[1, 1]], divisors=[50]).magnitude() == 303 + 30 + 100  # a due that no class pays
    uneven = small(pairs=[[[0, 7], [7, 0]], [[0, 1], [2, 0]]], places=[[0, 1]] * 2, by_count=[], sets=[])
    assert uneven.magnitude() == 3 * (1 + 3 * 9 + 4 * 16) + 330


def test_near_the_limit_of_machine_code_nothing_is_lost() -> None:
    for scale in (LARGEST // 101 - 1, LARGEST // 101 + 1, LARGEST // 40):
        asked = small(scale=scale, prices=[2 * scale, 3 * scale], dues=[], weights=[], divisors=[])
        for limit in (-1, 0, 30 * scale):
            wanted = {many for many, r in groups(asked).items() if r <= limit}
            assert {tuple(row) for block in all_classes(asked, limit, Work(None)) for row in block.tolist()} == wanted


def test_the_work_of_the_reference_is_added_up() -> None:
    for dues, units in (([], 500 * (4 * 1 + 3 * 1)), ([0], 500 * (4 * 2 + 3 * 2) + 2 * 50)):
        work, cut = Work(10**6), [[0, 0]] if dues else []
        asked = small(dues=dues, weights=cut, divisors=[1] if dues else [], prices=[0, 0])
        assert list(plain_classes(asked, -(10**6), work)) == []
        assert 10**6 - work.left == units + 2 * 100 * 3


def test_every_group_that_is_looked_at_is_accounted_for() -> None:
    """All groups of two records and one, by their size and their last kind."""
    every = [(1, 0), (2, 0), (1, 1), (2, 1), (3, 1)]  # 0, 00, 1, 01, 001
    for cuts in (0, 1, 3):
        work = Work(10**6)
        asked = small(dues=[1] * cuts, weights=[[0, 0]] * cuts, divisors=[1] * cuts)
        assert len(list(plain_classes(asked, 10**6, work))) == 5
        units = sum(500 * (2 - kind + 2) * (size + cuts) + 50 * size * cuts + 100 * 3 for size, kind in every)
        assert 10**6 - work.left == units


def test_machine_code_runs_where_its_numbers_fit_and_plain_python_beyond(monkeypatch: pytest.MonkeyPatch) -> None:
    plain: list[Priced] = []
    monkeypatch.setattr(classes, "plain_classes", lambda *of: plain.append(of[0]) or plain_classes(*of))
    none = {"dues": [], "weights": [], "divisors": []}
    at, below = (small(scale=s, prices=[(LARGEST - less - 101 * s) // 3, 0], **none) for s, less in ((2, 0), (3, 1)))
    assert (at.magnitude(), below.magnitude()) == (LARGEST, LARGEST - 1)
    for asked, limit, fits in (
        *((small(), limit, True) for limit in (0, LARGEST - 1, 1 - LARGEST)),
        *((small(), limit, False) for limit in (LARGEST, -LARGEST, 2**70)),
        (below, 0, True),
        (at, 0, False),
    ):
        plain.clear()
        found = [tuple(row) for block in all_classes(asked, limit, Work(None)) for row in block.tolist()]
        assert sorted(found) == sorted(many for many, r in groups(asked).items() if r <= limit)
        assert plain == ([] if fits else [asked])


def test_classes_come_in_blocks_and_the_steps_between_them_are_accounted_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(classes, "_ROOM", 2)
    for limit in (LARGEST - 1, LARGEST):  # in machine code, and in plain Python
        assert [len(block) for block in all_classes(small(), limit, Work(None)) if len(block)] == [2, 2, 1]
    for steps in (1, 7, 10**6):
        monkeypatch.setattr(classes, "_STEPS", steps)
        work = Work(10**9)
        blocks = list(all_classes(small(), 10**6, work))
        assert sum(map(len, blocks)) == 5
        assert len(blocks) >= 3
        assert 10**9 - work.left == 5 * steps * (len(blocks) - 1)


def test_the_work_of_the_reference_grows_with_every_ten_attributes() -> None:
    for places, sets in ((4, 5), (5, 5), (9, 1), (1, 9), (10, 10), (15, 14)):
        many = {"places": [[0, 1]] * places, "pairs": [[[0, 1], [1, 0]]] * places, "sets": [[0, 1]] * sets}
        asked = small(**many, by_count=[[0, 0, 1]] * sets, dues=[], weights=[], divisors=[], prices=[0, 0])
        work = Work(10**6)
        assert list(plain_classes(asked, -(10**6), work)) == []
        assert 10**6 - work.left == 500 * (4 + 3) * (1 + (places + sets) // 10) + 2 * 100 * 3


def test_without_numba_the_reference_takes_its_place(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr("tcloseness.certificates.compiled", raising=False)
    monkeypatch.setitem(sys.modules, "tcloseness.certificates.compiled", None)
    asked = []
    monkeypatch.setattr(classes, "plain_classes", lambda *of: asked.append(of) or plain_classes(*of))
    draw = random.Random(33)
    for _ in range(20):
        one = asked_for(draw)
        found = [tuple(row) for block in all_classes(one, 5, Work(None)) for row in block.tolist()]
        assert Counter(found) == Counter(many for many, r in groups(one).items() if r <= 5)
    assert len(asked) == 20


def test_a_search_among_many_records_of_two_kinds_is_refused() -> None:
    """A step sorts prices of so many records; if that were not accounted for, this would take hours."""
    many = 2 * 10**5
    asked = small(
        counts=[many] * 2,
        sets=[],
        by_count=[],
        places=[],
        pairs=[],
        sizes=list(range(2 * many + 2)),
        scale=1,
        prices=[1, 2],
        dues=[],
        weights=[],
        divisors=[],
        least=many,
        most=2 * many,
    )
    with pytest.raises(InputError, match="too long"):
        list(all_classes(asked, -1, Work(2e8)))


def test_a_search_that_takes_too_long_is_refused() -> None:
    records = 60
    asked = Priced(
        counts=[1] * records,
        places=[list(range(records))],
        pairs=[[[abs(a - b) for b in range(records)] for a in range(records)]],
        sets=[],
        by_count=[],
        sizes=[0] * (records + 2),
        scale=1,
        prices=[0] * records,
        weights=[],
        divisors=[],
        dues=[],
        least=30,
        most=records,
    )
    for search in (all_classes, plain_classes):
        with pytest.raises(InputError, match="too long"):
            for _ in search(asked, 10**9, Work(2 * 10**8)):
                pass
