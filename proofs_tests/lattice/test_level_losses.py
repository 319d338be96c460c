"""Ranks of tabulated losses where doubles cannot distinguish numbers: beyond 64 bits, ties, one unit apart."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np
import pytest

from proofs_tests.optimal.clocks import Ends
from tcloseness.errors import TimeLimitReached
from tcloseness.lattice import level_losses
from tcloseness.lattice.level_losses import _MODULI, _Nodes
from tcloseness.limits import Clock

BIG = 2**70


def exact(columns: list[list[int]], multiplied: bool) -> list[int]:
    return [math.prod(numbers) if multiplied else sum(numbers) for numbers in product(*columns)]


def ranked(nodes: _Nodes) -> list[int]:
    places, fresh = nodes.in_order(Clock())
    ranks = np.empty(len(places), dtype=np.int64)
    ranks[places] = np.cumsum(fresh) - 1
    return [int(rank) for rank in ranks]


def expected(numbers: list[int]) -> list[int]:
    rank = {number: place for place, number in enumerate(sorted(set(numbers)))}
    return [rank[number] for number in numbers]


@pytest.mark.parametrize("multiplied", [False, True])
@pytest.mark.parametrize("moduli", [_MODULI, (), _MODULI[:1]])
def test_nodes_are_ranked_by_exact_numbers(multiplied: bool, moduli: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Columns with equal entries, with entries one unit apart beyond 2⁵³, with zeros, and with signs."""
    monkeypatch.setattr(level_losses, "_MODULI", moduli)
    draw = random.Random(7)
    for case in range(300):
        base = draw.choice([1, 3, 2**40, BIG, BIG**3, 10**300])
        column = [base + draw.choice([0, 0, 1, -1, 2]) for _ in range(4)]
        columns = [draw.sample(column, draw.randint(1, 4)) for _ in range(draw.randint(1, 4))]
        if case % 3 == 0:
            columns[-1] = [draw.choice([0, 1, -1]) * x for x in columns[-1]]
        if case % 5 == 0:
            columns.append([1, 2, 3, 2])
        nodes = _Nodes(columns, np.multiply if multiplied else np.add, 1)
        numbers = exact(columns, multiplied)
        assert ranked(nodes) == expected(numbers)
        assert [nodes.exact(place) for place in range(len(numbers))] == numbers


def test_equal_products_of_unequal_factors_are_one_rank_without_long_numbers(monkeypatch: pytest.MonkeyPatch) -> None:
    """(a·b)·c = (a·c)·b: thousands of ties, told by their rests modulo more than doubles leave open."""
    monkeypatch.setattr(_Nodes, "exact", lambda *_: pytest.fail("compared by long numbers"))
    factors = [10**9 + 10**8 * i * i + 7 * i for i in range(6)]
    numbers = exact([factors] * 5, True)
    assert max(numbers) > 2**64
    assert ranked(_Nodes([factors] * 5, np.multiply, 1)) == expected(numbers)
    assert ranked(_Nodes([[f * 2**40 for f in factors]] * 5, np.add, 1)) == expected(exact([factors] * 5, False))


@pytest.mark.parametrize("size", [4, 20])
def test_numbers_that_are_sorted_range_by_range_ascend(size: int, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(level_losses, "_SORTED", size)
    draw = np.random.default_rng(5)
    for _ in range(200):
        numbers = draw.integers(-5, draw.integers(-4, 60), draw.integers(1, 100))
        places = level_losses._ascending(numbers, Clock())
        assert sorted(places.tolist()) == list(range(len(numbers)))
        assert (np.diff(numbers[places]) >= 0).all()


def test_between_two_ranges_the_time_is_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(level_losses, "_SORTED", 10)
    with pytest.raises(TimeLimitReached, match="ranking the losses"):
        level_losses._ascending(np.arange(100), Ends(1))


def test_the_different_numbers_ascend_and_are_scaled_losses() -> None:
    terms = [[Fraction(0), Fraction(1, 3), Fraction(1)], [Fraction(1, BIG), Fraction(2, BIG + 1)]]
    for made, how in ((_Nodes.summed, sum), (_Nodes.multiplied, lambda pair: math.prod(1 + x for x in pair))):
        for sign in (1, -1):
            nodes = made(terms, sign)
            places, fresh = nodes.in_order(Clock())
            nodes.first = places[fresh]
            values = sorted({sign * how(pair) for pair in product(*terms)})
            assert [Fraction(number, abs(nodes.scale)) for number in nodes] == values


def test_the_moduli_share_no_factor() -> None:
    for i, a in enumerate(_MODULI):
        assert (a - 1) ** 2 < 2**62
        assert math.gcd(a, 2**64) == 1
        assert all(math.gcd(a, b) == 1 for b in _MODULI[:i])


@pytest.mark.parametrize("factor", [1, 2, _MODULI[0], _MODULI[0] * _MODULI[1]])
def test_numbers_that_differ_by_the_moduli_are_two(factor: int, monkeypatch: pytest.MonkeyPatch) -> None:
    """They agree modulo 2⁶⁴ (and the first primes), and no double distinguishes them."""
    for bits in range(100, 240, 5):
        numbers = [2**bits + n * 2**64 * factor for n in (1, 0, 1, 2)]
        for moduli in (_MODULI, _MODULI[:1], ()):
            monkeypatch.setattr(level_losses, "_MODULI", moduli)
            assert ranked(_Nodes([numbers], np.add, 1)) == [1, 0, 1, 2]
            assert ranked(_Nodes([numbers, [1]], np.multiply, 1)) == [1, 0, 1, 2]
