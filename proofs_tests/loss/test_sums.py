"""The sums behind losses are whole numbers, however large: no 64 bits are left without a word."""

from __future__ import annotations

import math
import random
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from tcloseness.exact import LogSum
from tcloseness.loss.sums import log_sum, sum_of_products
from tcloseness.release.counting import totals


@pytest.mark.parametrize("bits", [1, 31, 32, 33, 61, 62, 63, 64, 65, 70, 100, 130])
def test_a_sum_of_products_is_exact_on_both_sides_of_64_bits(bits: int) -> None:
    """Sums of about 2^bits, of one to three factors; each factor fits 64 bits, or is made of Python's ints."""
    draw = random.Random(bits)
    for _ in range(40):
        number, length = draw.randint(1, 3), draw.randint(1, 5)
        each = max(0, round(bits / number) - draw.choice([0, 0, 1, 2]))
        rows = [[draw.randint(max(0, 2**each - 3), 2**each) for _ in range(length)] for _ in range(number)]
        rows[0][0] = draw.choice([0, 1, rows[0][0]])
        factors = [
            np.array(row, dtype=object if max(row) >= 2**63 or draw.random() < 0.2 else np.int64) for row in rows
        ]
        expected = sum(math.prod(column) for column in zip(*rows, strict=True))
        assert sum_of_products(*factors) == expected, rows


def test_no_terms_sum_to_nothing() -> None:
    nothing: Any = np.zeros(0, dtype=np.int64)
    assert sum_of_products(nothing, nothing) == 0
    assert totals(nothing, nothing, 2).tolist() == [0, 0]
    assert log_sum([]) == LogSum({})


def test_totals_and_logarithms_gather_what_belongs_together() -> None:
    draw = random.Random("gather")
    for _ in range(100):
        size, length = draw.randint(1, 4), draw.randint(0, 9)
        groups = [draw.randrange(size) for _ in range(length)]
        counts = [draw.randint(0, 9) for _ in groups]
        found = totals(np.array(groups, dtype=np.int64), np.array(counts, dtype=np.int64), size)
        assert found.tolist() == [sum(c for g, c in zip(groups, counts, strict=True) if g == k) for k in range(size)]
        terms = [(draw.randint(1, 4), draw.choice([-2, -1, 1, 2, Fraction(1, 3)])) for _ in groups]
        thirds = math.prod((Fraction(base) ** int(3 * exponent) for base, exponent in terms), start=Fraction(1))
        expected = LogSum({thirds.numerator: Fraction(1, 3)}).minus(LogSum({thirds.denominator: Fraction(1, 3)}))
        assert log_sum(terms) == expected, terms
