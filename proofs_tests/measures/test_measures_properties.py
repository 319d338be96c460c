"""The laws that every measure is held to: exact by class, its least value, symmetry, convexity, names of values.

Each law runs over `CLAIMS`, so a measure is tested for exactly what it claims; what it does not claim has a
counterexample in its own file.
"""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction
from functools import cache
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, strategies as st

from proofs_tests.filters import assert_within
from proofs_tests.measures.every_measure import CLAIMS, few, names, scaled, total
from proofs_tests.strategies import class_counts, distribution_pairs, distributions, partitions, sparse_class_counts
from tcloseness.errors import DomainError, InputError, MassError
from tcloseness.ground import Matrix
from tcloseness.measures import (
    BoundMeasure,
    ChiSquare,
    Hellinger,
    JensenShannon,
    Measure,
    Ratio,
    ScaledEMD,
    SmoothedJensenShannon,
    merging_never_increases,
)
from tcloseness.microdata import ClassCounts, Domain
from tcloseness.models import TCloseness

F = Fraction
every = pytest.mark.parametrize("claims", CLAIMS, ids=names)


def bound(claims, m):
    return claims.measure.over(Domain.declare(range(m)))


def infinite(value):
    return isinstance(value, float)


def at_most(a, b):
    return infinite(b) or (not infinite(a) and a <= b)


# ---------------------------------------------------------------------- by class


def assert_each_class(claims, classes):
    measure = claims.measure.over(classes.domain)
    found = measure.per_class(classes)
    reference = [int(c) for c in classes.reference]
    q = [F(c, sum(reference)) for c in reference]
    expected = []
    for g in range(len(classes)):
        v = classes.vector(g)
        exact = measure.distance([F(c, sum(v)) for c in v], q)
        expected.append(exact)
        assert infinite(found[g]) == infinite(exact)
        assert found[g] == exact
        if not infinite(exact) and hasattr(found, "error"):
            assert_within(found, g)
    greatest, where = found.largest()
    least, _ = found.smallest()
    assert all(at_most(x, greatest) and at_most(least, x) for x in expected)
    assert where.tolist() == [g for g, x in enumerate(expected) if at_most(greatest, x)]
    # at the exact value of a class that is a fraction, or as near as a double
    for t in [x if isinstance(x, F) else F(float(x)) for x in expected if not infinite(x)][:2]:
        assert found.compare(t).tolist() == [1 if infinite(x) else (x > t) - (x < t) for x in expected]


@pytest.mark.long
@every
@few
@given(classes=class_counts(max_values=5, max_classes=5))
def test_per_class_is_the_distance_of_each_class(claims, classes):
    """Exactly, with doubles within their error bound, all ties of the extremes, and exact comparisons."""
    assert_each_class(claims, classes)


@pytest.mark.long
@every
@few
@given(classes=sparse_class_counts(max_values=8), data=st.data())
def test_per_class_is_the_distance_under_any_reference(claims, classes, data):
    """Also where the reference lacks a value that a class has, or has one that no class has."""
    counts = data.draw(
        st.lists(st.integers(0, 5), min_size=len(classes.domain), max_size=len(classes.domain)).filter(any)
    )
    assert_each_class(claims, classes.with_reference(counts))


@every
def test_many_classes_are_measured_in_blocks(claims):
    """1,500 classes of 30 values, dense and sparse, are more than one block: the same doubles in every class."""
    draws = np.random.default_rng(7)
    matrix = draws.integers(0, 4, size=(30, 1500))
    matrix[draws.integers(0, 30, 1500), np.arange(1500)] += 1
    dense = ClassCounts.from_matrix(matrix)
    measure = claims.measure.over(dense.domain)
    found = measure.per_class(dense).floats()
    sparse = replace(dense, _dense=None)
    assert np.array_equal(found, measure.per_class(sparse).floats())
    for g in (0, 1, 1022, 1092, 1093, 1499):  # the first, the last, and around the ends of blocks
        alone = ClassCounts.from_matrix(matrix[:, [g]]).with_reference(dense.reference)
        assert found[g] == pytest.approx(measure.per_class(alone).floats()[0], rel=1e-9)


# ---------------------------------------------------------------------- laws of the distance


@every
@few
@given(pair=distribution_pairs(max_m=5))
def test_the_least_value_is_that_of_equal_distributions_and_claimed_to_be_theirs_alone(claims, pair):
    p, q = pair
    d = bound(claims, len(p)).distance
    assert d(p, p) == claims.least
    assert at_most(claims.least, d(p, q))
    if claims.identity:
        assert (not infinite(d(p, q)) and d(p, q) == claims.least) == (p == q)


@pytest.mark.parametrize("claims", [c for c in CLAIMS if c.symmetric], ids=names)
@few
@given(pair=distribution_pairs(max_m=5))
def test_symmetry_is_a_claim_that_holds(claims, pair):
    p, q = pair
    d = bound(claims, len(p)).distance
    assert d(p, q) == d(q, p)


@st.composite
def mixtures(draw, supported=False):
    """(P₁, P₂, Q, λ); `supported` makes Q positive where P₁ or P₂ is."""
    m = draw(st.integers(1, 5))
    p1, p2, q = (draw(distributions(m, huge=False)) for _ in range(3))
    if draw(st.booleans()) or supported:
        q = tuple((a + b + 2 * c) / 4 for a, b, c in zip(p1, p2, q, strict=True))
    return p1, p2, q, draw(st.fractions(0, 1, max_denominator=9))


@pytest.mark.parametrize("claims", [c for c in CLAIMS if c.measure.convex], ids=names)
@few
@given(drawn=mixtures())
def test_convexity_is_a_claim_that_holds(claims, drawn):
    """D(λP₁ + (1 − λ)P₂, Q) ≤ λ·D(P₁, Q) + (1 − λ)·D(P₂, Q), in exact arithmetic, infinities included."""
    p1, p2, q, share = drawn
    d = bound(claims, len(q)).distance
    mixed = [share * a + (1 - share) * b for a, b in zip(p1, p2, strict=True)]
    assert at_most(d(mixed, q), total(scaled(d(p1, q), share), scaled(d(p2, q), 1 - share)))


@pytest.mark.parametrize("claims", [c for c in CLAIMS if c.measure.convex], ids=names)
def test_convexity_holds_half_way_between_small_distributions(claims):
    """Of three values, in quarters: there the smoothed divergences that are only quasi-convex show it."""
    points = [(F(a, 4), F(b, 4), F(4 - a - b, 4)) for a in range(5) for b in range(5 - a)]
    d = cache(bound(claims, 3).distance)
    halves = [(p1, p2, tuple((a + b) / 2 for a, b in zip(p1, p2, strict=True))) for p1, p2 in combinations(points, 2)]
    for q in points[::2]:
        for p1, p2, mixed in halves[::3]:
            assert at_most(d(mixed, q), total(scaled(d(p1, q), F(1, 2)), scaled(d(p2, q), F(1, 2))))


@every
@few
@given(drawn=mixtures())
def test_a_mixture_is_no_farther_than_its_farthest_part(claims, drawn):
    """Quasi-convexity, which all of them claim."""
    p1, p2, q, share = drawn
    d = bound(claims, len(q)).distance
    mixed = [share * a + (1 - share) * b for a, b in zip(p1, p2, strict=True)]
    assert merging_never_increases(claims.measure)
    assert at_most(d(mixed, q), d(p1, q)) or at_most(d(mixed, q), d(p2, q))


@every
@few
@given(pair=distribution_pairs(max_m=5, huge=False), data=st.data())
def test_the_names_of_the_values_do_not_matter(claims, pair, data):
    """Any renaming; for an ordered ground distance, the reversal of the order."""
    p, q = pair
    order = data.draw(st.permutations(range(len(p))))
    if claims.ground == "ordered":
        order = list(range(len(p)))[::-1]
    d = bound(claims, len(p)).distance
    assert d([p[i] for i in order], [q[i] for i in order]) == d(p, q)


@pytest.mark.parametrize("claims", [c for c in CLAIMS if not c.domain_matters], ids=names)
@few
@given(pair=distribution_pairs(max_m=4, huge=False), data=st.data())
def test_a_value_that_never_occurs_changes_nothing(claims, pair, data):
    p, q = pair
    place = data.draw(st.integers(0, len(p)))
    wider = [(*v[:place], F(0), *v[place:]) for v in (p, q)]
    assert bound(claims, len(p) + 1).distance(*wider) == bound(claims, len(p)).distance(p, q)


# ---------------------------------------------------------------------- in a model


@every
@few
@given(classes=class_counts(max_values=4, max_classes=5, huge=False), data=st.data())
def test_merging_classes_never_increases_t(claims, classes, data):
    model = TCloseness(measure=claims.measure)
    assert model.monotone.generalization
    merged = classes.merge(data.draw(partitions(len(classes))))
    assert model.evaluate(merged).compare(model.evaluate(classes)) <= 0


@every
@few
@given(classes=class_counts(max_values=4, max_classes=4, huge=False))
def test_the_decision_at_t_is_exact(claims, classes):
    """At a fraction it is satisfied at the value itself; a number that is none lies strictly between two fractions."""
    value = TCloseness(measure=claims.measure).evaluate(classes).value
    if infinite(value):
        result = TCloseness(10**300, measure=claims.measure).evaluate(classes)
        assert not result.satisfied
        assert result.margin == -math.inf
        return
    near = value if isinstance(value, F) else F(float(value))
    for t in (near, near + F(1, 10**40), max(near - F(1, 10**40), F(0))):
        result = TCloseness(t, measure=claims.measure).evaluate(classes)
        assert result.satisfied == (value <= t)
        assert (result.margin >= 0) == result.satisfied
        record = result.to_dict()
        assert record["parameters"]["measure"] == claims.measure.name
        assert (record["margin"] == "0") == (value == t)
    assert TCloseness("1e400", measure=claims.measure).evaluate(classes).satisfied


@pytest.mark.parametrize(
    ("measure", "name", "record"),
    [
        (Ratio(), "ratio", {"name": "ratio"}),
        (JensenShannon(), "Jensen-Shannon, base e", {"name": "Jensen-Shannon", "base": "e", "root": False}),
        (
            JensenShannon(base=2, root=True),
            "root of Jensen-Shannon, base 2",
            {"name": "Jensen-Shannon", "base": 2, "root": True},
        ),
        (Hellinger(), "Hellinger", {"name": "Hellinger"}),
        (ChiSquare(), "chi-square", {"name": "chi-square"}),
        (
            SmoothedJensenShannon("ordered", bandwidth=0.25, renormalise=True, base=2),
            "smoothed Jensen-Shannon, ordered, bandwidth 1/4, renormalised, base 2",
            {
                "name": "smoothed Jensen-Shannon",
                "ground": "ordered",
                "kernel": "Epanechnikov",
                "bandwidth": "1/4",
                "renormalise": True,
                "base": 2,
            },
        ),
        (
            ScaledEMD("ordered"),
            "scaled EMD (ours), ordered",
            {"name": "scaled EMD", "source": "this package", "ground": "ordered"},
        ),
    ],
    ids=lambda x: x if isinstance(x, str) else "",
)
def test_a_measure_says_what_it_is_and_what_was_chosen(measure, name, record):
    assert isinstance(measure, Measure)
    assert isinstance(measure.over(Domain.declare("ab")), BoundMeasure)
    assert measure.name == name
    assert measure.to_dict() == record


# ---------------------------------------------------------------------- bad input

AB, HALF = Domain.declare("ab"), ["1/2", "1/2"]
MATRIX = Matrix([[0, 1], [1, 0]])


def smoothing(**choices):
    return SmoothedJensenShannon("ordered", **{"bandwidth": 1, "renormalise": False, **choices})


BAD = [
    ("ratio, counts", lambda: Ratio().distance([1, 1], HALF), MassError, "p sums to 2"),
    ("ratio, lengths", lambda: Ratio().distance([1], HALF), MassError, "p has 1 values and q 2"),
    ("Hellinger, negative", lambda: Hellinger().distance([2, -1], HALF), MassError, r"p\[1\] = -1 is negative"),
    ("Hellinger, lengths", lambda: Hellinger().distance(HALF, [1]), MassError, "p has 2 values and q 1"),
    ("chi-square, empty", lambda: ChiSquare().distance([], []), MassError, "p is empty"),
    ("chi-square, no number", lambda: ChiSquare().distance(["x", 1], HALF), InputError, r"p\[0\] is 'x'"),
    ("JS, base 10", lambda: JensenShannon(base=10), InputError, "base is 10; it must be 'e'"),
    ("JS, base True", lambda: JensenShannon(base=True), InputError, "base is True"),
    ("JS, root 1", lambda: JensenShannon(root=1), InputError, "root is 1; it must be True"),
    ("JS, a third", lambda: JensenShannon().distance([0.333, 0.333, 0.333], ["1/3"] * 3), MassError, "not a third"),
    ("smoothed, no bandwidth", lambda: smoothing(bandwidth=0), InputError, "bandwidth = 0; it must be > 0"),
    ("smoothed, negative", lambda: smoothing(bandwidth="-1/4"), InputError, "bandwidth = -1/4"),
    ("smoothed, no number", lambda: smoothing(bandwidth=None), InputError, "bandwidth is None"),
    ("smoothed, renormalise", lambda: smoothing(renormalise="yes"), InputError, "renormalise is 'yes'"),
    ("smoothed, base", lambda: smoothing(base="2"), InputError, "base is '2'"),
    ("smoothed, no order", lambda: smoothing().over(Domain.of("ab")), DomainError, "declare the order"),
    ("smoothed, size", lambda: smoothing().over(AB).distance([1], [1]), MassError, "have 1 values and the domain 2"),
    ("scaled, no cuts", lambda: ScaledEMD(MATRIX).over(AB), DomainError, "'matrix' has no cuts"),
    ("scaled, unknown", lambda: ScaledEMD("euclid").over(AB), DomainError, "'euclid' is unknown"),
    (
        "scaled, size",
        lambda: ScaledEMD("equal").over(AB).distance([1], [1]),
        MassError,
        "have 1 values and the domain 2",
    ),
]


@pytest.mark.parametrize(("call", "error", "message"), [b[1:] for b in BAD], ids=[b[0] for b in BAD])
def test_bad_input_is_refused_with_a_named_error(call, error, message):
    with pytest.raises(error, match=message):
        call()


def test_whether_smoothed_masses_are_renormalised_is_never_guessed():
    with pytest.raises(TypeError, match="renormalise"):
        SmoothedJensenShannon("ordered", bandwidth=1)
