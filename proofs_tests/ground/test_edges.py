"""Ground distances where names repeat, numbers are large, and one thing of many is wrong."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import example, given, strategies as st

from tcloseness.errors import DomainError, InputError
from tcloseness.exact import INT64_MAX
from tcloseness.ground import (
    Cuts,
    Equal,
    Hierarchical,
    Laminar,
    Matrix,
    Ordered,
    OrderedByValue,
    ProductGround,
    checked,
    ground_distance,
    matrix,
)
from tcloseness.ground.compiled import broken_triangle
from tcloseness.microdata import Domain, Hierarchy

F = Fraction


def test_a_place_before_a_set_is_not_taken_for_one_inside_it():
    """Places 0 and 2 are passed by before {1, 2, 3} is met, which holds only the second of them."""
    _, home = Cuts.of(range(5), [(1, 2), (3, 4), (1, 4)], [F(1)] * 3).forest
    assert home.tolist() == [-1, 0, 2, 1, -1]


def test_a_group_may_have_the_name_of_one_of_its_values():
    """Below the group x are the values x and y; the group's subtree holds both, and each value stands once."""
    hierarchy = Hierarchy([("x", "x", "*"), ("y", "x", "*"), ("z", "B", "*")])
    ground = Hierarchical(hierarchy, Domain.of("xyz"))
    assert sorted(ground.cuts.order.tolist()) == [0, 1, 2]
    for i in range(3):
        for j in range(3):
            assert ground.cuts.distance(i, j) == ground.distance(i, j)
    assert ground.distance(0, 1) == F(1, 2)


@given(
    st.lists(st.integers(-(2**62), 2**62), min_size=2, max_size=4, unique=True).map(sorted),
    st.lists(st.integers(-(2**62), 2**62), min_size=2, max_size=4, unique=True).map(sorted),
    st.sampled_from(["mean", "max"]),
    st.integers(1, 3),
)
@example([0, 2**61, 2**62 - 1], [0, 2**61, 2**62 - 1], "mean", 1)  # their sum alone is past 64 bits
@example([0, 1, 2**62 + 1], [0, 1, 3], "mean", 3)
def test_whole_distances_of_products_are_exact_however_large(first, second, combine, twice):
    """row(i) over the denominator is d(i, j), for components whose common denominator passes 64 bits."""
    components = [OrderedByValue(tuple(first)), OrderedByValue(tuple(second))]
    tuples = [(i, j) for i in range(len(first)) for j in range(len(second))]
    weights = (twice, 1) if combine == "mean" else None
    ground = ProductGround(components, tuples, combine=combine, weights=weights)
    for i in range(ground.m):
        row = ground.row(i)
        assert [F(int(x), ground.denominator) for x in row] == [ground.distance(i, j) for j in range(ground.m)]
        assert row.dtype == object or int(row.max()) <= INT64_MAX


@pytest.mark.parametrize("far", [2**61, 2**62 - 1, 2**62, 2**63 - 1, 2**63, 2**64])
def test_products_of_matrices_near_the_bound_of_64_bits(far):
    """Three components that each fit, and a sum that does not."""
    matrix = Matrix([[0, far], [far, 0]])
    ground = ProductGround([matrix, matrix, matrix, Equal(2)], [(0, 0, 0, 0), (1, 1, 1, 1)])
    assert F(int(ground.row(0)[1]), ground.denominator) == ground.distance(0, 1) == F(3 * far + 1, 4)


@pytest.mark.parametrize("n", [1, 2, 4])
@pytest.mark.parametrize("bound", [2**62, 2**63])
@pytest.mark.parametrize("past", [-2, -1, 0, 1, 2])
def test_two_distances_of_a_product_can_be_added(n, bound, past):
    """As potentials are: in 64 bits where twice the greatest fits, in Python's integers where it does not."""
    far = bound // n + past
    row = ProductGround([Matrix([[0, far], [far, 0]])] * n, [(0,) * n, (1,) * n]).row(0)
    assert row.dtype == object or 2 * int(row.max()) <= INT64_MAX


@pytest.mark.parametrize("bad", [(2, 0), (0, 2), (-1, 0), (0, -1)])
def test_one_code_outside_its_component_is_enough_to_refuse_a_tuple(bad):
    with pytest.raises(DomainError, match="does not fit components"):
        ProductGround([Ordered(2), Equal(2)], [(0, 0), bad])


@pytest.mark.parametrize("value", ["ab", ("a",), ("a", "b", "c")], ids=repr)
def test_a_value_that_is_no_tuple_of_the_components_is_refused(value):
    domains = [Domain.of("ab"), Domain.of("ab")]
    with pytest.raises(DomainError, match="is not a tuple of 2 values"):
        ProductGround.over(Domain.declare([("a", "b"), value]), ["equal", "equal"], domains)


def test_a_component_without_distances_beside_one_in_tiny_parts():
    """Nothing times a factor past 64 bits is still nothing."""
    zero, tiny = Matrix([[0, 0], [0, 0]]), Matrix([[0, F(1, 10**20)], [F(1, 10**20), 0]])
    ground = ProductGround([zero, tiny], [(0, 0), (1, 1)])
    assert F(int(ground.row(0)[1]), ground.denominator) == ground.distance(0, 1) == F(1, 2 * 10**20)


FAR = F(10**5000)  # of more digits than Python writes
AB = Domain.of("ab")


class Unprintable:
    def __repr__(self):
        raise RuntimeError


REFUSED = [
    lambda: Cuts.of(3, [(0, 1)], [1]),
    lambda: Cuts.of(range(3), [{0, 1, 2}], [1]),
    lambda: Cuts.of(range(3), [0], [1]),
    lambda: Cuts.of(range(2), [(0, 1)], [-FAR]),
    lambda: Cuts([0, 1], [0], [1], [-(10**5000)], 1),
    lambda: Cuts([0, 1], [0], [1], [1], -(10**5000)),
    lambda: Laminar(Unprintable()),
    lambda: OrderedByValue((FAR, 1)),
    lambda: Ordered(-(10**5000)),
    lambda: Matrix(Unprintable()),
    lambda: Matrix([Unprintable()]),
    lambda: Matrix([[0, FAR], [FAR + 1, 0]]),
    lambda: Matrix([[0, 1, FAR], [1, 0, 1], [FAR, 1, 0]]),
    lambda: Matrix([[0, 1, 3 + 1 / FAR], [1, 0, 1], [3 + 1 / FAR, 1, 0]]),
    lambda: Matrix([[0, -FAR], [-FAR, 0]]),
    lambda: Matrix([[0, 1], [1, 0]], denominator=-(10**5000)),
    lambda: Matrix(pd.DataFrame([[0, 1], [1, 0]], index=list("ab"), columns=list("ac"))),
    lambda: Matrix(pd.DataFrame([[0, 1], [1, 0]], columns=list("ab"))),
    lambda: Matrix({"a": {"a": 0}, "b": {"a": 1, "b": 0}}),
    lambda: Matrix.labelled({"a": 5, "b": 5}, AB),
    lambda: ground_distance({"a": [0, 1], "b": [1, 0]}, AB),
    lambda: ground_distance(Unprintable(), AB),
    lambda: checked(Unprintable()),
    lambda: ProductGround([Ordered(3)], [0, 1]),
    lambda: ProductGround([Ordered(3)], [(0,)], weights=5),
    lambda: ProductGround([Ordered(3)], [(0,)], weights=[-FAR]),
]


@pytest.mark.parametrize("wrong", range(len(REFUSED)))
def test_whatever_is_wrong_is_refused_by_a_message_that_can_be_written(wrong):
    with pytest.raises(InputError) as refused:
        REFUSED[wrong]()
    assert 20 < len(str(refused.value)) < 500


def test_distances_of_any_size_are_written_and_read():
    for ground in (
        Laminar(Cuts.of(range(2), [(0, 1)], [FAR])),
        Matrix([[0, FAR], [FAR, 0]], denominator=10**5000),
        OrderedByValue((1, FAR)),
    ):
        assert len(ground.definition) > 5000
        assert ground.to_dict()["name"] == ground.name.partition(" ")[0]


def test_machine_code_finds_the_fault_that_numpy_finds(monkeypatch):
    """Of metrics, and of metrics with one entry one unit off, with ties and zeros, up to the end of 64 bits."""
    rng = np.random.default_rng(5)
    faults = 0
    for _ in range(300):
        m = int(rng.integers(1, 9))
        unit = int(rng.choice([1, 1, 2**59]))
        places = rng.integers(0, 3, (m, 2))
        d = np.abs(places[:, None] - places[None]).sum(axis=2) * unit
        if rng.random() < 0.8 and m > 2:
            i, j = rng.choice(m, 2, replace=False)
            d[i, j] = d[j, i] = max(d[i, j] + rng.choice([-1, 1]), 0)
        found = []
        for most in (0, 10**9):
            monkeypatch.setattr(matrix, "_INTERPRETED_VALUES", most)
            found.append(matrix.metric_fault(d))
        assert found[0] == found[1] == matrix.metric_fault(d.astype(object))
        if found[0] is None:
            assert broken_triangle(d) == (-1, -1, -1)
        faults += found[0] is not None
    assert 60 < faults < 240
