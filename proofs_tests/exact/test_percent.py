"""Shares in percent: what is shown is the share, rounded, and never all or nothing where it is neither."""

from __future__ import annotations

import random
from fractions import Fraction

from tcloseness.exact import percent_of


def test_a_percentage_is_the_share_and_never_all_or_nothing_of_what_is_neither() -> None:
    draw = random.Random("percent")
    shares = [Fraction(0), Fraction(1), *(Fraction(a, b) for b in (1000, 10_000, 2000, 30_000) for a in range(1, 12))]
    shares += [1 - share for share in shares] + [Fraction(draw.randint(0, n), n) for n in range(1, 500)]
    for share in shares:
        text = percent_of(share)
        number = Fraction(text.strip("<> %"))
        assert (text == "0 %", text == "100 %") == (share == 0, share == 1)
        if text.startswith("<"):
            assert 0 < 100 * share < number
        elif text.startswith(">"):
            assert number < 100 * share < 100
        else:
            assert abs(number - 100 * share) <= Fraction(1, 2) * Fraction(10) ** (0 if share == 1 else -1), (
                text,
                share,
            )
