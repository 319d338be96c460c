"""Machine code for classes of small reduced cost: it goes the way that its page says, and is interrupted where it says.

The kernels may also run as Python (``NUMBA_DISABLE_JIT``): then a place beyond the end of an array is an error.
"""

from __future__ import annotations

import math
import random
from dataclasses import replace
from typing import Any

import numpy as np
import pytest

from proofs_tests.certificates.priced import asked_for, groups, small
from tcloseness.certificates.classes import Priced
from tcloseness.certificates.compiled import _NEVER, Search, _bound, _insert

Way = list[tuple[int, tuple[int, ...] | None]]


def in_order(asked: Priced) -> list[int]:
    return sorted(range(len(asked.counts)), key=asked.prices.__getitem__)


class Described:
    """The search as the page of the module describes it, written anew: what each step takes, and what it finds."""

    def __init__(self, asked: Priced, limit: int) -> None:
        self.asked, self.limit, self.order = asked, limit, in_order(asked)
        self.dues = [k for k, due in enumerate(asked.dues) if due]
        self.way: Way = []
        first = self.listed([], [(place, asked.counts[kind]) for place, kind in enumerate(self.order)])[0]
        self.follow([], first)

    def paid(self, group: list[int]) -> int:
        kinds = [self.order[place] for place in group]
        found = sum(self.asked.prices[kind] for kind in kinds)
        for k in self.dues:
            weight = sum(self.asked.weights[k][kind] for kind in kinds)
            found -= self.asked.dues[k] * (weight // self.asked.divisors[k])
        return found

    def penalty(self, group: list[int]) -> int:
        return self.asked.penalty([self.order[place] for place in group])

    def least(self, group: list[int], first: int, others: list[int]) -> tuple[float, int]:
        """The least r of what a group with its last record grows to, counted from `first` on, and by how many."""
        asked, size = self.asked, len(group) - 1
        penalty, paid, best = self.penalty(group), self.paid(group), sorted(others, reverse=True)
        many = range(max(first, asked.least - size), min(asked.most - size, first + len(best)) + 1)
        r = [asked.scale * ((size + q) * penalty + asked.sizes[size + q]) - paid - sum(best[: q - first]) for q in many]
        return (min(r), many[r.index(min(r))]) if r else (math.inf, 0)

    def listed(self, group: list[int], allowed: list[tuple[int, int]]) -> tuple[list[Any], int]:
        """What the group may grow by, each with its records and its least r; and the steps that this takes."""
        room = self.asked.most - len(group)
        if not room:
            return [], 4
        price = [self.asked.prices[kind] for kind in self.order]
        every = sorted(((p, n) for p, n in allowed if n), key=lambda each: self.penalty([*group, each[0]]))
        others: list[int] = []
        bounds, turns = [], 0
        for place, copies in every:
            for more, record in ((copies - 1, False), (1, True)):
                if record:
                    one, q = self.least([*group, place], 1, others)
                    beside, p = self.least([*group, place], 2, others)
                    turns += q + p
                    bounds.append((one, beside))
                stay = sum(other >= price[place] for other in others)
                others = sorted([*others, *[price[place]] * more], reverse=True)[:room]
                turns += len(others) - stay if stay < room else 0
        kept = []
        for x, (place, copies) in enumerate(every):
            behind = [beside for _, beside in bounds[x + (copies == 1) :]]
            if bounds[x][0] <= self.limit or any(beside - price[place] <= self.limit for beside in behind):
                kept.append((place, copies, bounds[x][0]))
        each = 2 + (len(self.asked.places) + len(self.asked.sets)) // 4 + 2 * len(self.dues)
        return kept, 6 + len(allowed) * each + turns // 8

    def follow(self, group: list[int], listed: list[Any]) -> None:
        widest = 1 + max(map(len, self.asked.by_count), default=1)
        for x in reversed(range(len(listed))):
            place, _, bound = listed[x]
            if bound > self.limit:
                continue
            grown = [*group, place]
            members = [self.order[each] for each in grown]
            holds = len(grown) >= self.asked.least and self.asked.reduced(members) <= self.limit
            allowed = [(p, n - (y == x)) for y, (p, n, _) in enumerate(listed[: x + 1])]
            below, steps = self.listed(grown, allowed)
            counts = tuple(members.count(kind) for kind in range(len(self.order)))
            self.way.append((len(self.asked.by_count) * widest // 8 + steps, counts if holds else None))
            self.follow(grown, below)

    def blocks(self, steps: int, room: int) -> list[list[tuple[int, ...]]]:
        """What is found at a time: until so many steps are gone, or there are so many."""
        found: list[list[tuple[int, ...]]] = [[]]
        left = steps
        for cost, counts in self.way:
            if left <= 0 or len(found[-1]) == room:
                found.append([])
                left = steps
            left -= cost
            found[-1] += [] if counts is None else [counts]
        return [*found, []] if left <= 0 or len(found[-1]) == room else found


def advanced(asked: Priced, limit: int, steps: int, room: int) -> list[list[tuple[int, ...]]]:
    search, found, done = Search(asked, in_order(asked), limit, room), [], False
    assert not search.begun
    while not done:
        rows, done = search.advance(steps)
        assert search.begun
        found.append([tuple(row) for row in rows.tolist()])
    return found


@pytest.mark.parametrize("cases", [30, pytest.param(3000, marks=pytest.mark.slow)])
def test_the_search_goes_the_way_that_is_described_and_stops_where_it_should(cases: int) -> None:
    draw, found = random.Random(80), 0
    for _ in range(cases):
        asked = asked_for(draw)
        values = sorted(groups(asked).values())
        limit = draw.choice([-1, 0, *values[len(values) // 2 :], *values[-1:]])
        described = Described(asked, limit)
        for steps, room in ((1, 1), (draw.randint(20, 400), draw.choice([1, 2, 7, 100]))):
            assert advanced(asked, limit, steps, room) == described.blocks(steps, room), (asked, limit, steps, room)
        found += len(values) > 3
    assert found > cases // 4


@pytest.mark.long
def test_the_search_stops_with_the_step_that_uses_up_what_it_may_take() -> None:
    """What the first groups take together, and one step more or less."""
    draw, ends = random.Random(85), 0
    for _ in range(6):
        asked = asked_for(draw)
        limit = sorted(groups(asked).values() or [0])[-1]
        described, taken = Described(asked, limit), 0
        for cost, _ in described.way[:12]:
            taken += cost
            for steps in (taken - 1, taken, taken + 1):
                assert advanced(asked, limit, steps, 10**6) == described.blocks(steps, 10**6), (asked, limit, steps)
            ends += 1
    assert ends > 20


def test_many_records_of_a_kind_and_long_classes_are_searched_as_described() -> None:
    """Sums of prices run over many records, and several kinds have the same price."""
    draw = random.Random(81)
    for _ in range(4):
        asked = replace(asked_for(draw), counts=[6, 5], places=[[0, 1]], pairs=[[[0, 3], [3, 0]]], sets=[], by_count=[])
        cuts = {"weights": [[1, 2]], "divisors": [3], "dues": [draw.randint(0, 3)]}
        prices = draw.choice([[4, 4], [9, -2], [3, 5]])
        asked = replace(asked, prices=prices, sizes=[n * n // 2 for n in range(13)], scale=1, least=4, most=9, **cuts)
        for limit in (-30, 0, 30):
            assert advanced(asked, limit, 150, 5) == Described(asked, limit).blocks(150, 5)


def test_attributes_of_unequal_width_and_many_attributes_are_searched_as_described() -> None:
    draw = random.Random(82)
    for many in (1, 3, 4, 9):
        widths = [1 + (a + many) % 3 for a in range(many)]
        asked = replace(
            small(),
            places=[[0, width - 1] for width in widths],
            pairs=[[[abs(a - b) for b in range(width)] for a in range(width)] for width in widths],
            sets=[[0, 0], [0, 1], [1, 0]][: many % 4],
            by_count=[[0, 0], [0, 0, 5], [0, 0, 1]][: many % 4],
            dues=[0, draw.randint(1, 9)],
            weights=[[1, 1], [0, 2]],
            divisors=[1, 2],
        )
        for limit in (-10, 10, 1000):
            assert advanced(asked, limit, 30, 2) == Described(asked, limit).blocks(30, 2)


def test_the_best_prices_are_kept_in_falling_order() -> None:
    draw = random.Random(83)
    for _ in range(100):
        room = draw.randint(1, 6)
        held = sorted((draw.randint(-2, 3) for _ in range(draw.randint(0, room))), reverse=True)
        price, copies = draw.randint(-3, 4), draw.randint(0, 4)
        best = np.array([*held, *[99] * (room - len(held))], dtype=np.int64)
        state = Search(replace(small(), most=room), [0, 1], 0, 1)._state._replace(best=best)
        have, moves = _insert(state, len(held), room, price, copies)
        wanted = sorted([*held, *[price] * copies], reverse=True)[:room]
        assert best[:have].tolist() == wanted
        assert have == len(wanted)
        assert moves == have - sum(other >= price for other in held)


def test_the_least_of_what_a_group_grows_to_is_found_and_where_there_is_none_that_is_said() -> None:
    draw, none = random.Random(84), 0
    for _ in range(150):
        least, most = sorted(draw.randint(1, 7) for _ in range(2))
        asked = replace(small(), sizes=[n * n for n in range(10)], scale=draw.randint(1, 3), least=least, most=most)
        given = Search(asked, [0, 1], 0, 1)._given
        size, paid, penalty, first = (draw.randint(0, 6), draw.randint(-9, 9), draw.randint(0, 3), draw.randint(1, 2))
        have = draw.randint(0, 5)
        best = np.array(sorted((draw.randint(-3, 30) for _ in range(have)), reverse=True) + [99] * 3, dtype=np.int64)
        many = range(max(first, least - size), min(most - size, first + have) + 1)
        r = [asked.scale * ((size + q) * penalty + asked.sizes[size + q]) - paid - sum(best[: q - first]) for q in many]
        wanted = (min(r), many[r.index(min(r))]) if r else (_NEVER, 0)
        assert _bound(given, size, paid, penalty, first, have, best) == wanted
        none += not r
    assert 15 < none < 130


def test_so_many_classes_are_kept_at_a_time_as_there_is_room() -> None:
    for kinds, room, rows in ((1, 2**30, 2**24), (2, 2**30, 2**23), (2, 7, 7), (2, 0, 1)):
        none: dict[str, Any] = {
            name: [] for name in ("places", "pairs", "sets", "by_count", "weights", "divisors", "dues")
        }
        asked = small(counts=[1] * kinds, prices=[0] * kinds, **none)
        search = Search(asked, list(range(kinds)), 0, room)
        assert search._found.shape == (rows, kinds)
