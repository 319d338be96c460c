"""The smoothed distance: the published definition by itself, its known values, and what smoothing does to the laws."""

from __future__ import annotations

from decimal import Context, Decimal, localcontext
from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from proofs_tests.measures.every_measure import some
from proofs_tests.strategies import distribution_pairs, grounds, metrics
from tcloseness.exact import LogSum
from tcloseness.ground import Matrix, Ordered
from tcloseness.measures import JensenShannon, SmoothedJensenShannon
from tcloseness.microdata import ClassCounts, Domain
from tcloseness.models import TCloseness

F = Fraction
LONG = Context(prec=50)


def smooth(p, distance, bandwidth, renormalise):
    """p̂_i = Σ_j p_j·K(d_ij) / Σ_j K(d_ij) with K(x) = 3/(4B)·(1 − (x/B)²), as it is written."""

    def kernel(x):
        return F(3, 4) / bandwidth * (1 - (x / bandwidth) ** 2) if abs(x) < bandwidth else F(0)

    values = range(len(p))
    rows = [[kernel(distance(i, j)) for j in values] for i in values]
    smoothed = [sum((p[j] * row[j] for j in values), F(0)) / sum(row) for row in rows]
    return [x / sum(smoothed) for x in smoothed] if renormalise else smoothed


def divergence(p, q):
    """½·Σ a·ln(2a/(a + b)) + ½·Σ b·ln(2b/(a + b)) in fifty digits."""

    def term(x, whole):
        if not x:
            return Decimal(0)
        share = 2 * x / whole
        log = LONG.subtract(LONG.ln(Decimal(share.numerator)), LONG.ln(Decimal(share.denominator)))
        return LONG.multiply(LONG.divide(Decimal(x.numerator), Decimal(2 * x.denominator)), log)

    with localcontext(LONG):
        return sum((term(a, a + b) + term(b, a + b) for a, b in zip(p, q, strict=True)), Decimal(0))


def salary(places):
    return [F(1, 3) if i + 1 in places else F(0) for i in range(9)]


LOW, SPREAD, UNIFORM = salary((1, 2, 3)), salary((4, 6, 9)), [F(1, 9)] * 9


# P, bandwidth, renormalised, value in bits; derived below from the definition alone as well
KNOWN = [
    (LOW, "1/8", False, "0.4591479170"),  # nothing is nearer than the bandwidth: not smoothed
    (LOW, "1/8", True, "0.4591479170"),
    (SPREAD, "1/8", False, "0.4591479170"),
    (LOW, "0.25", False, "0.3778533025"),
    (LOW, "0.25", True, "0.3778533025"),
    (SPREAD, "0.25", False, "0.1301146122"),
    (SPREAD, "0.25", True, "0.1336982207"),
    (LOW, "0.5", False, "0.2416818102"),
    (LOW, "0.5", True, "0.2497784318"),
    (SPREAD, "0.5", False, "0.0219871615"),
    (SPREAD, "0.5", True, "0.0218293494"),
]


@pytest.mark.parametrize(("p", "bandwidth", "renormalise", "expected"), KNOWN)
def test_known_values_to_ten_digits(p, bandwidth, renormalise, expected):
    """The salaries of Li et al. 2007: nine ordered values, {3k, 4k, 5k} and {6k, 8k, 11k} against the uniform
    distribution."""
    measure = SmoothedJensenShannon("ordered", bandwidth=bandwidth, renormalise=renormalise, base=2)
    value = measure.over(Domain.declare(range(9))).distance(p, UNIFORM)
    assert f"{float(value):.10f}" == expected
    by_definition = [smooth(x, Ordered(9).distance, F(bandwidth), renormalise) for x in (p, UNIFORM)]
    assert f"{divergence(*by_definition) / LONG.ln(Decimal(2)):.10f}" == expected


@pytest.mark.parametrize("renormalise", [False, True])
@pytest.mark.parametrize("bandwidth", ["1/4", "1/2", "3/2"])
def test_smoothing_tells_the_two_salary_classes_apart(bandwidth, renormalise):
    """Li et al. 2007, §4: the three lowest salaries are the greater disclosure; KL and Jensen–Shannon cannot tell."""
    measure = SmoothedJensenShannon("ordered", bandwidth=bandwidth, renormalise=renormalise)
    d = measure.over(Domain.declare(range(9))).distance
    assert d(LOW, UNIFORM) > d(SPREAD, UNIFORM)


@some
@given(
    distribution_pairs(max_m=5),
    st.sampled_from([F(1, 3), F(1, 2), F(1), F(3, 2), F(7)]),
    st.booleans(),
    st.data(),
)
def test_the_exact_value_is_that_of_the_definition(pair, bandwidth, renormalise, data):
    """Over any ground distance, with cuts or a matrix without."""
    p, q = pair
    m = len(p)
    ground = data.draw(st.one_of(grounds(m), metrics(m).map(Matrix)))
    measure = SmoothedJensenShannon(ground, bandwidth=bandwidth, renormalise=renormalise)
    value = measure.over(Domain.declare(range(m))).distance(p, q)
    expected = divergence(*(smooth(x, ground.distance, bandwidth, renormalise) for x in (p, q)))
    assert float(value) == pytest.approx(float(expected), rel=1e-9, abs=1e-22)


@some
@given(distribution_pairs(max_m=5), st.booleans())
def test_a_bandwidth_up_to_the_least_distance_smooths_nothing(pair, renormalise):
    p, q = pair
    measure = SmoothedJensenShannon("equal", bandwidth=1, renormalise=renormalise)
    assert measure.over(Domain.declare(range(len(p)))).distance(p, q) == JensenShannon().distance(p, q)


@some
@given(distribution_pairs(max_m=5), st.sampled_from(["1/4", "1/2", "2"]), st.booleans())
def test_it_is_bounded_by_the_smoothed_masses(pair, bandwidth, renormalise):
    """At most ½·ln 2·Σ (p̂ + q̂); renormalised that is ln 2."""
    p, q = pair
    measure = SmoothedJensenShannon("ordered", bandwidth=bandwidth, renormalise=renormalise)
    bound = measure.over(Domain.declare(range(len(p))))
    mass = sum(bound.smooth(p)) + sum(bound.smooth(q))
    assert bound.distance(p, q) <= LogSum({2: mass / 2})
    assert not renormalise or mass == 2


def test_the_raw_masses_need_not_sum_to_one():
    """Why renormalising must be chosen: 0.9468 and 1.0115 (the low class, the spread one, at B = 1/2)."""
    bound = SmoothedJensenShannon("ordered", bandwidth="1/2", renormalise=False).over(Domain.declare(range(9)))
    assert f"{float(sum(bound.smooth(LOW))):.4f}" == "0.9468"
    assert f"{float(sum(bound.smooth(SPREAD))):.4f}" == "1.0115"


@pytest.mark.parametrize("renormalise", [False, True])
def test_two_different_distributions_may_have_distance_0(renormalise):
    """On four ordered values with B > 1 the kernel is a parabola in the place j, so only Σp_j, Σp_j·j and Σp_j·j²
    count: (1/4, 0, 3/4, 0) and (0, 3/4, 0, 1/4) both have the mean 3/2 and the second moment 3.
    """
    measure = SmoothedJensenShannon("ordered", bandwidth=2, renormalise=renormalise)
    d = measure.over(Domain.declare(range(4))).distance
    p, q = ["1/4", 0, "3/4", 0], [0, "3/4", 0, "1/4"]
    assert d(p, q) == 0
    assert JensenShannon().distance(p, q) == LogSum({2: F(1)})


def test_renormalised_it_is_not_convex():
    """Three ordered values, B = 1: weights (4, 3, 0)/7, (3, 4, 3)/10, (0, 3, 4)/7. From Q = (0, 0, 1) halfway to
    (0, 1, 0) is more than half of the way's end, since the end, which smooths to the greater mass, outweighs it.
    """
    measure = SmoothedJensenShannon("ordered", bandwidth=1, renormalise=True)
    assert not measure.convex
    d = measure.over(Domain.declare(range(3))).distance
    q, end, halfway = [0, 0, 1], [0, 1, 0], [0, "1/2", "1/2"]
    assert d(q, q) == 0
    assert d(halfway, q) > LogSum({b: e / 2 for b, e in d(end, q).terms.items()})
    raw = SmoothedJensenShannon("ordered", bandwidth=1, renormalise=False).over(Domain.declare(range(3))).distance
    assert raw(halfway, q) <= LogSum({b: e / 2 for b, e in raw(end, q).terms.items()})


def test_a_value_that_never_occurs_changes_it():
    """Smoothing puts mass on it: over {0, 1} with B = 3/2 and over {0, 1, 2} the pair (1, 0), (0, 1) differs."""
    measure = SmoothedJensenShannon("equal", bandwidth="3/2", renormalise=True)
    narrow = measure.over(Domain.declare(range(2))).distance([1, 0], [0, 1])
    assert measure.over(Domain.declare(range(3))).distance([1, 0, 0], [0, 1, 0]) < narrow


@pytest.mark.parametrize("renormalise", [False, True])
def test_the_salary_table_is_decided_exactly(renormalise):
    """The worst class is the lowest salaries; its value, cut and rounded up at thirty digits, decides the table."""
    groups = {"a": (3, 4, 5), "b": (6, 8, 11), "c": (7, 9, 10)}
    classes = ClassCounts.from_mapping({g: dict.fromkeys(salaries, 1) for g, salaries in groups.items()})
    measure = SmoothedJensenShannon("ordered", bandwidth="1/2", renormalise=renormalise, base=2)
    nats = divergence(*(smooth(x, Ordered(9).distance, F(1, 2), renormalise) for x in (LOW, UNIFORM)))
    bits = LONG.divide(nats, LONG.ln(2))
    cut = F(bits.quantize(Decimal(1).scaleb(-30), rounding="ROUND_FLOOR", context=LONG))
    below = TCloseness(cut, measure=measure).evaluate(classes)
    above = TCloseness(cut + F(1, 10**30), measure=measure).evaluate(classes)
    assert below.violating.tolist() == below.worst.tolist() == [0]
    assert above.satisfied


def test_all_but_the_ground_distance_is_named_where_it_is_chosen():
    """Each alone, so that none of them could take the second place."""
    chosen = {"bandwidth": "1/2", "renormalise": True, "base": 2}
    for name, value in chosen.items():
        with pytest.raises(TypeError, match="positional"):
            SmoothedJensenShannon("ordered", value, **{other: chosen[other] for other in chosen if other != name})
