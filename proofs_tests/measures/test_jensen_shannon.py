"""The Jensen–Shannon divergence and its root: the formula, the bounds, the metric, and decisions in either unit."""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from proofs_tests.measures.every_measure import some
from proofs_tests.strategies import distribution_pairs, distribution_triples
from tcloseness.exact import Bits, LogSum
from tcloseness.measures import JensenShannon, KullbackLeibler
from tcloseness.microdata import ClassCounts
from tcloseness.models import TCloseness

F = Fraction
LONG = Context(prec=60)
nats, bits = JensenShannon().distance, JensenShannon(base=2).distance
LN2_40 = F(LONG.ln(Decimal(2)).quantize(Decimal(1).scaleb(-40), rounding="ROUND_FLOOR", context=LONG))
"""ln 2 cut to forty digits: ln 2 is irrational, so LN2_40 < ln 2 < LN2_40 + 10⁻⁴⁰."""


def by_formula(p, q):
    """½·Σ p·ln(p/m) + ½·Σ q·ln(q/m) in sixty digits."""
    total = Decimal(0)
    for a, b in zip(p, q, strict=True):
        for x in (a, b):
            if x:
                share = x / ((a + b) / 2)
                log = LONG.subtract(LONG.ln(Decimal(share.numerator)), LONG.ln(Decimal(share.denominator)))
                mass = LONG.divide(Decimal(x.numerator), Decimal(2 * x.denominator))
                total = LONG.add(total, LONG.multiply(mass, log))
    return total


@some
@given(distribution_pairs())
def test_the_exact_value_is_what_the_formula_gives_in_sixty_digits(pair):
    p, q = pair
    expected = by_formula(p, q)
    assert float(nats(p, q)) == pytest.approx(float(expected), rel=1e-12, abs=1e-25)
    assert float(bits(p, q)) == pytest.approx(float(expected / LONG.ln(Decimal(2))), rel=1e-12, abs=1e-25)


@some
@given(distribution_pairs())
def test_it_is_half_of_two_divergences_from_the_mean(pair):
    p, q = pair
    mean = [(a + b) / 2 for a, b in zip(p, q, strict=True)]
    kl = KullbackLeibler().distance
    halves = {}
    for value in (kl(p, mean), kl(q, mean)):
        for base, e in value.terms.items():
            halves[base] = halves.get(base, F(0)) + e / 2
    assert nats(p, q) == LogSum(halves)


@some
@given(distribution_pairs())
def test_it_is_at_most_ln_2_and_that_only_without_a_shared_value(pair):
    p, q = pair
    disjoint = not any(a and b for a, b in zip(p, q, strict=True))
    assert nats(p, q) <= LogSum({2: F(1)})
    assert (nats(p, q) == LogSum({2: F(1)})) == disjoint == (bits(p, q) == 1)
    assert (JensenShannon(base=2, root=True).distance(p, q) == 1) == disjoint


@some
@given(distribution_pairs(), st.fractions(0, 1, max_denominator=50))
def test_bits_are_nats_over_ln_2_also_in_decisions(pair, t):
    """x/ln 2 against t is x against t·ln 2; under the root, against t²."""
    p, q = pair
    assert bits(p, q).order(t) == nats(p, q).minus(LogSum({2: t})).sign
    assert JensenShannon(base=2, root=True).distance(p, q).order(t) == nats(p, q).minus(LogSum({2: t * t})).sign
    assert JensenShannon(root=True).distance(p, q).order(t) == nats(p, q).order(t * t)


@some
@given(distribution_triples(max_m=4))
def test_its_root_satisfies_the_triangle_inequality(triple):
    """Endres, Schindelin 2003; in sixty digits, of which fifty are asked for."""
    p, q, r = triple
    pq, qr, pr = (LONG.sqrt(max(by_formula(a, b), Decimal(0))) for a, b in ((p, q), (q, r), (p, r)))
    assert pr <= pq + qr + Decimal("1e-25")


def test_the_divergence_itself_does_not():
    """(1, 0), (1/2, 1/2), (0, 1): 1 bit in one step; in two, 3/2 − 3/4·log₂ 3 = 0.311… each."""
    ends, half = ([1, 0], [0, 1]), ["1/2", "1/2"]
    step = bits(ends[0], half)
    assert step == bits(half, ends[1]) == Bits({2: F(3, 2), 3: F(-3, 4)})
    assert bits(*ends) > step.minus(step.negated())


def test_its_root_is_not_convex():
    """From Q = (1, 0) halfway to (0, 1): √0.311… = 0.557… bits, and half of the way's end is 1/2."""
    root = JensenShannon(base=2, root=True)
    assert not root.convex
    assert root.distance(["1/2", "1/2"], [1, 0]) > F(1, 2)
    assert root.distance([0, 1], [1, 0]) == 1
    assert root.distance([1, 0], [1, 0]) == 0


@pytest.mark.parametrize(
    ("p", "q", "expected"),
    [
        ([1, 0], [0, 1], {2: 1}),
        # M = (3/4, 1/4): ½·[ln(4/3) + ½·ln(2/3) + ½·ln 2] = ½·[3·ln 2 − 3/2·ln 3]
        ([1, 0], ["1/2", "1/2"], {2: F(3, 2), 3: F(-3, 4)}),
        # M = (1/2, 1/2): ¼·ln ½ + ¾·ln(3/2), twice and halved: ¾·ln 3 − ln 2
        (["1/4", "3/4"], ["3/4", "1/4"], {3: F(3, 4), 2: -1}),
    ],
)
def test_values_in_closed_form(p, q, expected):
    assert nats(p, q) == LogSum({base: F(e) for base, e in expected.items()})


@pytest.mark.parametrize(("t", "status"), [(LN2_40, "violated"), (LN2_40 + F(1, 10**40), "satisfied")])
def test_a_threshold_in_nats_is_decided_forty_digits_deep(t, status):
    """A class without any value of the reference lies ln 2 away."""
    classes = ClassCounts.from_mapping({"a": {"x": 5}, "b": {"y": 5}}).with_reference([0, 1])
    result = TCloseness(t, measure=JensenShannon()).evaluate(classes)
    assert result.status == status
    assert (result.margin < 0) == (status == "violated")
    assert result.worst.tolist() == [0]


@pytest.mark.parametrize("root", [False, True])
def test_a_threshold_of_one_bit_is_reached_exactly(root):
    classes = ClassCounts.from_mapping({"a": {"x": 5}, "b": {"y": 5}}).with_reference([0, 1])
    measure = JensenShannon(base=2, root=root)
    result = TCloseness(1, measure=measure).evaluate(classes)
    assert result.satisfied
    assert result.margin == 0
    assert not TCloseness(1 - F(1, 10**40), measure=measure).evaluate(classes).satisfied
    assert math.isclose(float(result.value), 1, rel_tol=1e-15)


def test_it_cannot_tell_the_two_salary_classes_apart():
    """Li et al. 2007, §4, as for KL: it sees no distance between values. 0.4591479170 bits, or 0.3182570841 nats."""
    q = ["1/9"] * 9
    low, spread = [F(0)] * 9, [F(0)] * 9
    for i, j in zip((0, 1, 2), (3, 5, 8), strict=True):
        low[i] = spread[j] = F(1, 3)
    assert bits(low, q) == bits(spread, q)
    assert f"{float(bits(low, q)):.10f}" == "0.4591479170"
    assert f"{float(nats(low, q)):.10f}" == "0.3182570841"


def test_base_and_root_are_named_where_they_are_chosen():
    for positional in ((2,), ("e", True)):
        with pytest.raises(TypeError, match="positional"):
            JensenShannon(*positional)
    with pytest.raises(TypeError, match="positional"):
        JensenShannon(True, base=2)
