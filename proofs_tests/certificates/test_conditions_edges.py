"""Conditions at their edges: odd input, entropies next to what is asked of them, and sizes beyond machine words."""

from __future__ import annotations

import math
import random
from decimal import Decimal, localcontext
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from proofs_tests.certificates.changes import ODD, places_of, with_at
from tcloseness.certificates.conditions import Conditions, _log
from tcloseness.errors import InputError


@pytest.mark.parametrize("odd", ODD, ids=lambda odd: repr(odd)[:20])
def test_whatever_stands_in_a_condition_is_decided_or_refused(odd: Any) -> None:
    """In its place the model is refused as input, or decided; no other error leaves the checker."""
    ordered = {"name": "ordered", "m": 2}
    for record in (
        {"condition": "records", "least": 2},
        {"condition": "values", "least": 2},
        {"condition": "entropy", "l": "2"},
        {"condition": "tail", "l": 2, "c": "3"},
        {"condition": "share", "most": "1/2", "values": ["text:x"]},
        {"condition": "gain", "most": "1"},
        {"condition": "distance", "t": "1/2", "ground": ordered},
        {"condition": "trusted", "function": "m:f", "source_sha256": "0", "number": "1"},
    ):
        for way in places_of(record):
            try:
                trusted = {"m:f": (lambda *_: True, "0")}
                asked = Conditions([with_at(record, way, odd)], ["text:x", "text:y"], [1, 1], trusted)
                found = asked.violating(np.array([[1, 1], [2, 0]]))
            except InputError:
                continue
            assert found.dtype == bool


@pytest.mark.parametrize("digits", [20, 40, 157, 160, 165, 200])
def test_an_entropy_is_decided_however_many_digits_of_it_are_asked_for(digits: int) -> None:
    """Just below and above what it is, in units of 2^-digits: by logarithms, by finer ones, or by the powers."""
    rng = random.Random(digits)
    exactly = [([1, 1, 1, 2, 8], Fraction(13, 4)), ([2, 2, 4, 16, 2], Fraction(13, 4)), ([3, 3], Fraction(2))]
    drawn = [[rng.choice([0, 1, 2, 5, 30]) for _ in range(4)] + [rng.randint(1, 9)] for _ in range(25)]
    for counts, exact in [*exactly, *((each, None) for each in drawn)]:
        n = sum(counts)
        with localcontext() as context:
            context.prec = 100
            entropy = Decimal(n).ln() - sum((c * Decimal(c).ln() for c in counts if c), Decimal(0)) / n
            near = Fraction(math.floor(entropy.exp() * 2**digits), 2**digits)
        for asked in (near, near + Fraction(1, 2**digits), *([] if exact is None else [exact])):
            breaks = math.prod(c**c for c in counts) * asked.numerator**n > n**n * asked.denominator**n
            conditions = Conditions([{"condition": "entropy", "l": str(asked)}], ["text:x"] * 5, [9] * 5)
            assert conditions.violating(np.array([counts])).tolist() == [breaks], (counts, asked)


def test_entropies_of_classes_of_any_sizes_are_decided_together() -> None:
    """Few records beside many: what is multiplied may be beyond 64 bits for some of the classes alone."""
    rng = random.Random(13)
    for _ in range(40):
        scales = [rng.choice([1, 1, 10**3, 10**7, 10**9, 10**12, 2**51]) for _ in range(rng.randint(1, 4))]
        rows = [[rng.randint(0, 3) * scale + rng.randint(0, 1) for _ in range(3)] + [scale] for scale in scales]
        asked = Fraction(rng.randint(10, 45), 10) * Fraction(10) ** rng.choice(
            [0, 0, 0, -30, 30, -300, 300, -3000, 3000]
        )
        with localcontext() as context:
            context.prec = 60
            excess = [
                Decimal(sum(row)).ln()
                - sum((c * Decimal(c).ln() for c in row if c), Decimal(0)) / sum(row)
                - (Decimal(asked.numerator) / asked.denominator).ln()
                for row in rows
            ]
        if any(abs(each) < Decimal("1e-40") for each in excess):
            continue
        conditions = Conditions([{"condition": "entropy", "l": str(asked)}], ["text:x"] * 4, [9] * 4)
        assert conditions.violating(np.array(rows)).tolist() == [each < 0 for each in excess], (rows, asked)


@pytest.mark.parametrize("bits", [32, 160])
def test_a_whole_logarithm_is_cut_off_behind_its_last_digit(bits: int) -> None:
    """Of numbers of every length, next to the powers of two and between them."""
    rng = random.Random(bits)
    near = [2**k + step for k in range(1, 300) for step in (-1, 0, 1)]
    for number in [*near, *(rng.randrange(1, 2 ** rng.randint(1, 400)) for _ in range(300)), 10**3000 + 7]:
        with localcontext() as context:
            context.prec = 120
            beyond = Decimal(number).ln() / Decimal(2).ln() * 2**bits - _log(number, bits)
        assert Decimal("-1e-60") <= beyond < 1 + Decimal("1e-9"), number


def test_an_entropy_is_decided_where_machine_words_end() -> None:
    """2^18 values of one record each, asked for ln 2^-k: the excess is 2^50·(18 + k), and at k = 8174 it is 2^63."""
    counts = np.ones((1, 2**18), dtype=np.int64)
    for k in (8173, 8174):
        asked = {"condition": "entropy", "l": str(Fraction(1, 2**k))}
        conditions = Conditions([asked], ["text:x"] * 2**18, [1] * 2**18)
        assert conditions.violating(counts).tolist() == [False]


def test_a_distance_within_a_threshold_of_any_size_satisfies() -> None:
    """No distance is above 1, so that none is beyond 2^k; the products pass 64 bits one after another as k grows."""
    ground = {"name": "ordered-by-value", "values": ["0", "1/1000003", "1"]}
    for scale in (1, 2**20, 2**40):
        counts = np.array([[3, 0, 0], [0, 0, 1], [1, 1, 1]]) * scale
        for k in range(80):
            asked = {"condition": "distance", "t": str(2**k), "ground": ground}
            conditions = Conditions([asked], ["text:x", "text:y", "text:z"], [4 * scale, scale, 2 * scale])
            assert not conditions.violating(counts).any(), (scale, k)


def test_the_work_of_a_distance_grows_with_its_values_and_with_the_classes() -> None:
    ordered = {"condition": "distance", "t": "1/2", "ground": {"name": "ordered", "m": 3}}
    for classes in (1, 2, 5):
        conditions = Conditions([ordered], ["text:x", "text:y", "text:z"], [3, 5, 2])
        before = conditions.work.left
        conditions.violating(np.ones((classes, 3), dtype=np.int64))
        assert before - conditions.work.left == 1000 + 5 * 3 * classes + (2 + 3) * (500 + 2 * classes)


def test_a_trusted_function_is_asked_of_each_class_what_the_model_asks() -> None:
    """It is given the counts, the reference and the number, and its answer is the class's; of that source alone."""
    asked: list[Any] = []

    def most(*given: Any) -> bool:
        asked.append(given)
        return bool(given[0][0] <= given[2])

    record = {"condition": "trusted", "function": "m:most", "source_sha256": "5a", "number": "3/2"}
    counts, values = np.array([[1, 4], [2, 0], [0, 1]]), ["text:x", "text:y"]
    found = Conditions([record], values, [3, 5], {"m:most": (most, "5a")}).violating(counts)
    assert found.tolist() == [False, True, False]
    assert asked == [
        ((1, 4), (3, 5), Fraction(3, 2)),
        ((2, 0), (3, 5), Fraction(3, 2)),
        ((0, 1), (3, 5), Fraction(3, 2)),
    ]
    for trusted in ({}, {"m:most": (most, "5b")}, {"m:least": (most, "5a")}):
        with pytest.raises(InputError):
            Conditions([record], values, [3, 5], trusted)
    for odd in (lambda *_: 1, lambda *_: None, lambda *_: 1 / 0):
        with pytest.raises(InputError):
            Conditions([record], values, [3, 5], {"m:most": (odd, "5a")}).violating(counts)
