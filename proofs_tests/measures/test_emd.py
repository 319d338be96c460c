"""The EMD and the variational distance as measures: by pairs, by classes, and by any ground distance."""

from __future__ import annotations

from fractions import Fraction

import pytest
from hypothesis import given, strategies as st

from proofs_tests.effort import effort
from proofs_tests.strategies import (
    CutDistance,
    class_counts,
    distribution_pairs,
    distributions,
    grounds,
    laminar_cuts,
    metrics,
    non_metrics,
)
from tcloseness.errors import DomainError, InputError, MassError
from tcloseness.ground import Equal, Matrix, Ordered
from tcloseness.measures import EMD, BoundMeasure, KullbackLeibler, Measure, Variational
from tcloseness.microdata import ClassCounts, Domain, Hierarchy
from tcloseness.transport import emd

F = Fraction
HALF = ["1/2", "1/2"]
DOMAIN = Domain.declare("ab")


def by_class(measure, classes):
    """Each class by itself, through `distance`."""
    q = [F(int(c), int(sum(map(int, classes.reference)))) for c in classes.reference]
    bound = measure.over(classes.domain)
    vectors = [classes.vector(g) for g in range(len(classes))]
    return [bound.distance([F(c, sum(v)) for c in v], q) for v in vectors]


@pytest.mark.long
@given(class_counts(), st.data())
def test_per_class_is_the_distance_of_each_class(classes, data):
    measure = EMD(data.draw(grounds(len(classes.domain))))
    found = measure.over(classes.domain).per_class(classes)
    assert [found[g] for g in range(len(classes))] == by_class(measure, classes)


@pytest.mark.solver
@effort(1 / 2)
@given(class_counts(max_values=4, max_classes=4), st.data())
def test_per_class_works_for_a_ground_distance_without_cuts(classes, data):
    m = len(classes.domain)
    metric = m < 2 or data.draw(st.booleans())
    entries = data.draw(metrics(m) if metric else non_metrics(m))
    measure = EMD(Matrix(entries, allow_non_metric=not metric))
    found = measure.over(classes.domain).per_class(classes)
    assert [found[g] for g in range(len(classes))] == by_class(measure, classes)


@given(distribution_pairs())
def test_the_variational_distance_is_the_emd_under_the_equal_distance(pair):
    """Li et al. 2007, §4: ½·Σ|p − q|."""
    p, q = pair
    found = Variational().over(Domain.declare(range(len(p)))).distance(p, q)
    assert found == emd(p, q, Equal(len(p)))
    assert found == sum((abs(a - b) for a, b in zip(p, q, strict=True)), F(0)) / 2


@given(distribution_pairs(max_m=5), st.data())
def test_the_variational_distance_bounds_the_emd(pair, data):
    """No mass moves farther than the greatest distance, and no more mass moves than the surplus."""
    p, q = pair
    ground = data.draw(grounds(len(p), papers_only=True))
    assert emd(p, q, ground) <= emd(p, q, Equal(len(p)))


@pytest.mark.long
@given(st.integers(1, 5).flatmap(lambda m: st.tuples(distributions(m), distributions(m), distributions(m))), st.data())
def test_convexity_is_a_claim_that_holds(triple, data):
    """`convex`: D(λP₁ + (1 − λ)P₂, Q) ≤ λ·D(P₁, Q) + (1 − λ)·D(P₂, Q)."""
    p1, p2, q = triple
    share = data.draw(st.fractions(0, 1, max_denominator=9))
    mixed = [share * a + (1 - share) * b for a, b in zip(p1, p2, strict=True)]
    domain = Domain.declare(range(len(q)))
    for measure in (Variational(), EMD(data.draw(grounds(len(q))))):
        assert measure.convex
        d = measure.over(domain).distance
        assert d(mixed, q) <= share * d(p1, q) + (1 - share) * d(p2, q)


TREE = Hierarchy([("a", "*"), ("b", "*")])


@pytest.mark.parametrize(
    ("measure", "name", "record"),
    [
        (EMD("equal"), "EMD, equal", {"name": "EMD", "ground": "equal"}),
        (EMD(Ordered(2)), "EMD, ordered", {"name": "EMD", "ground": "ordered"}),
        (EMD(TREE), "EMD, hierarchical", {"name": "EMD", "ground": "hierarchical"}),
        (EMD(Matrix([[0, 1], [1, 0]])), "EMD, matrix", {"name": "EMD", "ground": "matrix"}),
        (Variational(), "variational", {"name": "variational"}),
        (KullbackLeibler(), "Kullback-Leibler", {"name": "Kullback-Leibler", "unit": "nats"}),
    ],
)
def test_a_measure_says_what_it_is(measure, name, record):
    assert isinstance(measure, Measure)
    assert isinstance(measure.over(DOMAIN), BoundMeasure)
    assert measure.name == name
    assert measure.to_dict() == record


@pytest.mark.long
@given(st.integers(1, 5).flatmap(laminar_cuts).map(CutDistance), st.data())
def test_a_ground_distance_of_ones_own_is_taken(ground, data):
    p, q = (data.draw(distributions(ground.m)) for _ in "pq")
    bound = EMD(ground).over(Domain.declare(range(ground.m)))
    assert bound.distance(p, q) == emd(p, q, ground)


BAD = [
    ("unknown ground", lambda: EMD("euclid").over(DOMAIN), DomainError, "'euclid' is unknown"),
    ("no order", lambda: EMD("ordered").over(Domain.of("ab")), DomainError, "declare the order"),
    ("another size", lambda: EMD(Equal(3)).over(DOMAIN), DomainError, "has 3 values and the domain 2"),
    ("counts", lambda: Variational().over(DOMAIN).distance([1, 1], HALF), MassError, "p sums to 2"),
    ("too long", lambda: EMD("equal").over(DOMAIN).distance(["1/3"] * 3, HALF), MassError, "p has 3 values, q 2"),
    ("KL, negative", lambda: KullbackLeibler().distance([2, -1], HALF), MassError, r"p\[1\] = -1 is negative"),
    ("KL, counts", lambda: KullbackLeibler().distance(HALF, [3, 4]), MassError, "q sums to 7"),
    ("KL, lengths", lambda: KullbackLeibler().distance([1], HALF), MassError, "p has 1 values and q 2"),
    ("KL, no number", lambda: KullbackLeibler().distance(["x", 1], HALF), InputError, r"p\[0\] is 'x'"),
]


@pytest.mark.parametrize(("call", "error", "message"), [b[1:] for b in BAD], ids=[b[0] for b in BAD])
def test_bad_input_is_refused_with_a_named_error(call, error, message):
    with pytest.raises(error, match=message):
        call()


@given(distribution_pairs(), st.data())
def test_the_closed_form_is_the_emd_of_every_distance_with_cuts(pair, data):
    """Also without a domain that is larger than the two; of a distance without cuts there is none."""
    p, q = pair
    ground = CutDistance(data.draw(laminar_cuts(len(p))))
    assert EMD(ground).over(Domain.declare(range(len(p)))).closed_form(p, q) == emd(p, q, ground)
    without = Matrix([[int(i != j) for j in range(len(p))] for i in range(len(p))])
    assert EMD(without).over(Domain.declare(range(len(p)))).closed_form(p, q) is None


def test_a_matrix_over_equal_classes_is_solved_once(monkeypatch):
    """Two classes with one distribution are one transportation problem, whatever their sizes."""
    from tcloseness.transport import batched

    asked = []
    monkeypatch.setattr(batched, "emd", lambda p, *rest, **how: asked.append(tuple(p)) or emd(p, *rest, **how))
    classes = ClassCounts.from_mapping({"a": {"a": 1}, "b": {"a": 7}, "c": {"b": 2}})
    found = EMD(Matrix([[0, 1], [1, 0]])).over(classes.domain).per_class(classes)
    assert [found[g] for g in range(3)] == [F(2, 10), F(2, 10), F(8, 10)]
    assert len(asked) == 2
