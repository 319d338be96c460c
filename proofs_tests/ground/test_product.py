"""The product of ground distances: a metric if its components are, and rebuilt from its record."""

from __future__ import annotations

import json
from fractions import Fraction
from itertools import product

import pytest
from hypothesis import given, strategies as st

from proofs_tests.strategies import grounds, metrics
from tcloseness.errors import DomainError
from tcloseness.ground import Equal, GroundDistance, Matrix, Ordered, ProductGround, ground_from_dict
from tcloseness.microdata import Domain
from tcloseness.transport import certify

F = Fraction


@st.composite
def products(draw):
    sizes = draw(st.lists(st.integers(1, 3), min_size=1, max_size=3))
    components = [draw(st.one_of(grounds(m, papers_only=True), metrics(m).map(Matrix))) for m in sizes]
    tuples = draw(st.lists(st.sampled_from(list(product(*map(range, sizes)))), min_size=1, max_size=6, unique=True))
    if draw(st.booleans()):
        return ProductGround(components, tuples, combine="max")
    weights = draw(st.none() | st.lists(st.integers(0, 5), min_size=len(sizes), max_size=len(sizes)).filter(any))
    return ProductGround(components, tuples, weights=weights)


@pytest.mark.long
@given(products())
def test_distances_are_the_combination_of_the_components(ground):
    for i, j in product(range(ground.m), repeat=2):
        parts = [
            d.distance(a, b) for d, a, b in zip(ground.components, ground.tuples[i], ground.tuples[j], strict=True)
        ]
        mean = sum(w * x for w, x in zip(ground.weights, parts, strict=True))
        assert ground.distance(i, j) == (max(parts) if ground.combine == "max" else mean)
        assert F(int(ground.row(i)[j]), ground.denominator) == ground.distance(i, j)


@pytest.mark.long
@given(products())
def test_a_product_of_metrics_is_a_metric(ground):
    assert isinstance(ground, GroundDistance)
    assert ground.metric
    assert ground.cuts is None
    d = [[ground.distance(i, j) for j in range(ground.m)] for i in range(ground.m)]
    for i, j, k in product(range(ground.m), repeat=3):
        assert d[i][i] == 0
        assert d[i][j] == d[j][i] >= 0
        assert d[i][j] <= d[i][k] + d[k][j]


@pytest.mark.long
@given(products())
def test_it_is_rebuilt_from_its_record(ground):
    again = ground_from_dict(json.loads(json.dumps(ground.to_dict())))
    assert [[again.distance(i, j) for j in range(ground.m)] for i in range(ground.m)] == [
        [ground.distance(i, j) for j in range(ground.m)] for i in range(ground.m)
    ]


def test_weights_are_divided_by_their_sum():
    ground = ProductGround([Ordered(3), Equal(2)], [(0, 0), (1, 0), (2, 1)], weights=[3, 1])
    assert ground.weights == (F(3, 4), F(1, 4))
    assert ground.distance(0, 1) == F(3, 8)
    assert ground.distance(0, 2) == 1


def test_a_distance_over_it_is_certified():
    ground = ProductGround([Ordered(3), Equal(2)], [(0, 0), (1, 0), (2, 1)])
    certificate = certify([1, 0, 0], ["1/3"] * 3, ground, solver="pulp")
    certificate.verify()
    assert certificate.value == F(1, 3) * F(1, 4) + F(1, 3)


def test_a_component_that_is_no_metric_makes_none():
    odd = Matrix([[0, 1, 4], [1, 0, 1], [4, 1, 0]], allow_non_metric=True)
    assert not ProductGround([odd, Equal(2)], [(0, 0), (1, 1), (2, 0)]).metric


def test_large_weights_do_not_overflow():
    ground = ProductGround([Ordered(3), Equal(2)], [(0, 0), (2, 1)], weights=[2**80, 2**80 + 1])
    assert F(int(ground.row(0)[1]), ground.denominator) == ground.distance(0, 1) == 1


JOINT = Domain((("x", 1), ("y", 2)))
BAD = [
    ("no component", lambda: ProductGround([], [()]), "at least one component"),
    ("no tuple", lambda: ProductGround([Equal(2)], []), "at least one component and one tuple"),
    ("a short tuple", lambda: ProductGround([Equal(2), Equal(2)], [(0,)]), "does not fit components"),
    ("an unknown code", lambda: ProductGround([Equal(2)], [(2,)]), "does not fit components"),
    ("unknown combination", lambda: ProductGround([Equal(2)], [(0,)], combine="sum"), "'sum' is unknown"),
    ("a negative weight", lambda: ProductGround([Equal(2)] * 2, [(0, 0)], weights=[1, -1]), "do not fit"),
    ("weights of 0", lambda: ProductGround([Equal(2)], [(0,)], weights=[0]), "do not fit"),
    ("too few weights", lambda: ProductGround([Equal(2)] * 2, [(0, 0)], weights=[1]), "do not fit"),
    ("weights of a maximum", lambda: ProductGround([Equal(2)], [(0,)], combine="max", weights=[1]), "only the mean"),
    (
        "no tuples in the domain",
        lambda: ProductGround.over(Domain.of("ab"), ["equal"], [Domain.of("ab")]),
        "not a tuple",
    ),
    ("too few domains", lambda: ProductGround.over(JOINT, ["equal", "equal"], [Domain.of("xy")]), "one each"),
    (
        "a value outside its domain",
        lambda: ProductGround.over(JOINT, ["equal", "equal"], [Domain.of("x"), Domain.of([1, 2])]),
        "is not in the domain",
    ),
]


@pytest.mark.parametrize(("call", "message"), [b[1:] for b in BAD], ids=[b[0] for b in BAD])
def test_bad_products_are_refused(call, message):
    with pytest.raises(DomainError, match=message):
        call()
