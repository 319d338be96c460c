"""Inputs that a reading needs to show itself have what they are asked to have, and the others have not."""

from __future__ import annotations

from fractions import Fraction
from itertools import islice, permutations
from random import Random

import pytest

from tcloseness.conformance.candidates import of_distributions

HAVE = {
    "fractional-costs": lambda p, d: any(x.denominator > 1 for row in d for x in row),
    "asymmetric": lambda p, d: any(d[i][j] != d[j][i] for i, j in permutations(range(len(d)), 2)),
    "no-triangle": lambda p, d: any(d[i][k] > d[i][j] + d[j][k] for i, j, k in permutations(range(len(d)), 3)),
    "not-normalised": lambda p, d: sum(p) != 1,
    "negative": lambda p, d: min(p) < 0,
}
"""What each need is, from its words."""


@pytest.mark.parametrize("needs", ["plain", *HAVE])
def test_distributions_have_what_is_needed_and_nothing_else(needs: str) -> None:
    seen = 0
    for given in islice(of_distributions(needs, Random(needs)), 0, None, 5):
        p, q = ([Fraction(x) for x in each] for each in (given.p, given.q))
        d = [[Fraction(x) for x in row] for row in given.matrix]
        assert len(p) == len(q) == len(d) == len(d[0]) >= 2
        assert sum(q) == 1
        assert min(q) >= 0
        assert all((x == 0) == (i == j) for i, row in enumerate(d) for j, x in enumerate(row))
        assert min(map(min, d)) >= 0
        has = {name for name, of in HAVE.items() if of(p, d)}
        assert has <= {needs} | ({"no-triangle"} if needs == "asymmetric" else set())
        seen += needs in has
    assert seen > 30 or needs == "plain"
