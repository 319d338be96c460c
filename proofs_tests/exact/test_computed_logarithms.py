"""What the proofs about filters assume: computed logarithms and exponentials are near, relatively.

`proofs_tests/coq/LogFilters.v` and `GainFilters.v` prove of the doubles that compare sums of logarithms, and their
exponentials, that they decide as the exact numbers do, where `log_within` and `exp_within` hold of the functions that
they are computed by. Here that is tried of every one that the package filters by, against decimals, whose logarithm and
exponential are correctly rounded at any precision.
"""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Iterator
from decimal import Context, Decimal

import numba
import numpy as np
import numpy.typing as npt
import pytest

Doubles = npt.NDArray[np.float64]

LONG = Context(prec=30)
NEAR = LONG.power(Decimal(2), Decimal(-50))
EACH = 1900


def arguments() -> Iterator[float]:
    """Positive doubles where a logarithm is hard: it is near 0, its argument near a power of two, or a huge count."""
    draw = random.Random(20)
    yield from (1.0, math.nextafter(1.0, 2.0), math.nextafter(1.0, 0.0), 2.0**63, 2.0**53 - 1, 4095.0, 4096.0)
    for _ in range(EACH):
        yield 1 + draw.choice([-1, 1]) * draw.uniform(0.5, 1) * 2.0 ** -draw.randint(1, 52)
        power = 2.0 ** draw.randint(-60, 62)
        yield power * (1 + draw.randint(-4, 4) * 2.0**-52)
        yield float(draw.randint(1, 2 ** draw.randint(1, 63)))  # a count, rounded beyond 2⁵³
        yield draw.randint(1, 2**63 - 1) / draw.randint(1, 2**63 - 1)  # a ratio of counts
    yield from map(float, range(1, 4200))  # those that are looked up, and more


def in_place(doubles: Doubles) -> Doubles:
    found = doubles.copy()
    return np.log(found, out=found)


def each_compiled(doubles: Doubles) -> Doubles:
    found = np.empty_like(doubles)
    for i in range(len(doubles)):
        found[i] = math.log(doubles[i])
    return found


WAYS: dict[str, Callable[[Doubles], Doubles]] = {
    "math.log": lambda doubles: np.array([math.log(x) for x in doubles.tolist()]),
    "np.log": np.log,
    "np.log of one": lambda doubles: np.array([np.log(x) for x in doubles]),
    "np.log of every other": lambda doubles: np.log(np.repeat(doubles, 2)[::2]),
    "np.log in place": in_place,
    "compiled math.log": numba.njit(each_compiled),
}


def beyond(doubles: Doubles, found: Doubles, decimals: list[Decimal]) -> list[float]:
    """Return the arguments whose computed value is not within 2⁻⁵⁰ of the decimal one, relatively."""
    return [
        x
        for x, double, exact in zip(doubles.tolist(), found.tolist(), decimals, strict=True)
        if not abs(LONG.subtract(Decimal(double), exact)) <= LONG.multiply(NEAR, abs(exact))
    ]


@pytest.fixture(scope="module")
def tried() -> tuple[Doubles, list[Decimal]]:
    doubles = np.array(sorted(set(arguments())))
    return doubles, [LONG.ln(Decimal(x)) for x in doubles.tolist()]


def test_the_arguments_reach_what_is_hard(tried):
    doubles, logarithms = tried
    assert len(doubles) > 10_000
    assert sum(abs(x - 1) < 2.0**-40 for x in doubles) > 200
    assert sum(math.frexp(x)[0] in (0.5, 0.5 + 2.0**-53, 1 - 2.0**-53) for x in doubles.tolist()) > 60
    assert sum(x > 2.0**53 for x in doubles) > 200
    assert any(not x for x in logarithms)


@pytest.mark.parametrize("way", WAYS)
def test_a_computed_logarithm_is_within_four_units_in_the_last_place(tried, way):
    doubles, logarithms = tried
    assert beyond(doubles, WAYS[way](doubles), logarithms) == []


@pytest.mark.parametrize("wrong", [1 + 2.0**-49, 1 - 2.0**-49])
def test_a_logarithm_that_is_eight_units_off_would_be_found(tried, wrong):
    doubles, logarithms = tried
    found = beyond(doubles, np.log(doubles) * wrong, logarithms)
    assert len(found) > 0.9 * len(doubles)


def test_a_computed_exponential_is_within_four_units_in_the_last_place():
    """Of entropies, from 0 to ln 2⁶³, and beyond on both sides."""
    draw = random.Random(21)
    drawn = [draw.uniform(-1, 100) for _ in range(2000)] + [draw.uniform(-1, 1) * 2.0**-k for k in range(60)]
    drawn += [math.log(k) for k in range(1, 1000)] + [0.0, -1.0, 100.0]
    doubles = np.array(drawn)
    exact = [LONG.exp(Decimal(y)) for y in drawn]
    assert beyond(doubles, np.exp(doubles), exact) == []
    assert len(beyond(doubles, np.exp(doubles) * (1 + 2.0**-49), exact)) == len(drawn)


def test_a_computed_exponential_less_one_is_within_four_units_in_the_last_place():
    """Of errors, from 0 to 1."""
    draw, longer = random.Random(22), Context(prec=60)
    drawn = [draw.uniform(0, 1) * 2.0 ** -draw.randint(0, 60) for _ in range(3000)] + [0.0, 1.0, 2.0**-80]
    doubles = np.array(drawn)
    exact = [longer.subtract(longer.exp(Decimal(e)), Decimal(1)) for e in drawn]
    assert beyond(doubles, np.expm1(doubles), exact) == []
    assert len(beyond(doubles, np.expm1(doubles) * (1 + 2.0**-49), exact)) >= len(drawn) - 1
