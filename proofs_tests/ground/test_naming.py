"""How a ground distance is named, given as a matrix, written and read again; and what is refused."""

from __future__ import annotations

import json
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from proofs_tests.strategies import CutDistance, grounds, laminar_cuts, metrics, non_metrics
from tcloseness.errors import DomainError, HierarchyError, InputError, TClosenessError
from tcloseness.ground import (
    Equal,
    Hierarchical,
    Matrix,
    Ordered,
    OrderedByValue,
    ground_distance,
    ground_from_dict,
)
from tcloseness.microdata import Domain, Hierarchy

NUMBERS = Domain.of([14, 27, 88, 101])
TREE = Hierarchy([("x", "A", "*"), ("y", "A", "*"), ("z", "B", "*")])


def table(ground):
    return [[ground.distance(i, j) for j in range(ground.m)] for i in range(ground.m)]


# ---------------------------------------------------------------------- naming


@pytest.mark.parametrize(
    ("spec", "domain", "expected"),
    [
        ("ordered", NUMBERS, Ordered(4)),
        ("ordered-by-value", NUMBERS, OrderedByValue((14, 27, 88, 101))),
        ("equal", NUMBERS, Equal(4)),
        (Equal(4), NUMBERS, Equal(4)),
    ],
)
def test_a_name_means_its_distance_over_the_domain(spec, domain, expected):
    assert ground_distance(spec, domain) == expected


def test_a_hierarchy_means_the_hierarchical_distance():
    ground = ground_distance(TREE, Domain.of("xyz"))
    assert isinstance(ground, Hierarchical)
    assert table(ground) == [[0, Fraction(1, 2), 1], [Fraction(1, 2), 0, 1], [1, 1, 0]]


@pytest.mark.parametrize("values", ["xyz", "zyx", "yzx"])
@pytest.mark.parametrize("kind", ["frame", "dict"])
def test_a_labelled_matrix_follows_the_domains_order(kind, values):
    """Rows and columns may stand in any order; d(x,y) = 1, d(y,z) = 2, d(x,z) = 3 stay what they are."""
    frame = pd.DataFrame([[0, 2, 1], [2, 0, 3], [1, 3, 0]], index=list("yzx"), columns=list("yzx"))
    frame = frame[list("zxy")]  # columns in another order than rows
    spec = frame if kind == "frame" else {a: {b: int(frame.loc[a, b]) for b in "zyx"} for a in "xyz"}
    domain = Domain.declare(values)
    ground = ground_distance(spec, domain)
    wanted = {"xy": 1, "yz": 2, "xz": 3}
    for pair, distance in wanted.items():
        assert ground.distance(*(domain.code(v) for v in pair)) == distance


def test_a_plain_matrix_is_read_in_the_domains_order():
    ground = ground_distance(np.array([[0, 1], [1, 0]]), Domain.of("ab"))
    assert isinstance(ground, Matrix)
    assert table(ground) == [[0, 1], [1, 0]]


@pytest.mark.parametrize("values", ["xyz", "zyx", "yzx"])
def test_a_hierarchical_distance_built_for_another_order_follows_the_domain(values):
    """Its values are known by name, so codes of another domain must not be mistaken for this one's."""
    built = Hierarchical(TREE, Domain.declare("xyz"))
    domain = Domain.declare(values)
    ground = ground_distance(built, domain)
    assert ground.distance(domain.code("x"), domain.code("y")) == Fraction(1, 2)
    assert ground.distance(domain.code("x"), domain.code("z")) == 1


@given(st.integers(1, 6).flatmap(laminar_cuts).map(CutDistance))
def test_any_object_of_the_protocol_is_a_ground_distance(ground):
    assert ground_distance(ground, Domain.declare(range(ground.m))) is ground


def test_numeric_text_is_ordered_by_number_and_only_when_asked():
    """Case T23: "10", "2", "11" stand in the order 2, 10, 11."""
    domain = Domain.of(["10", "2", "11"])
    ground = ground_distance("ordered", domain)
    assert ground.distance(domain.code("2"), domain.code("10")) == Fraction(1, 2)
    assert ground.distance(domain.code("2"), domain.code("11")) == 1


# ---------------------------------------------------------------------- writing and reading


@given(
    st.one_of(
        st.integers(1, 6).flatmap(lambda m: grounds(m, papers_only=True)),
        st.integers(1, 5).flatmap(metrics).map(Matrix),
        st.integers(2, 5).flatmap(non_metrics).map(lambda d: Matrix(d, allow_non_metric=True)),
    )
)
def test_what_is_written_as_json_is_the_same_distance_when_read(ground):
    again = ground_from_dict(json.loads(json.dumps(ground.to_dict())))
    assert again.name == ground.name
    assert again.metric == ground.metric
    assert table(again) == table(ground)
    assert again.to_dict() == ground.to_dict()


@pytest.mark.parametrize(
    "record",
    [
        {},
        [],
        {"name": "ordered"},
        {"name": "ordered", "m": "many"},
        {"name": "ordered", "m": None},
        {"name": "ordered", "m": 0},
        {"name": "chebyshev", "m": 3},
        {"name": "ordered-by-value", "values": ["2", "1"]},
        {"name": "ordered-by-value", "values": ["a", "b"]},
        {"name": "hierarchical", "paths": [["x", "*"]], "values": [4], "trivial_levels": "keep"},
        {"name": "hierarchical", "paths": [["x", "*"]], "values": ["?"], "trivial_levels": "keep"},
        {"name": "hierarchical", "paths": [["x", "A"], ["y", "B"]], "values": [0], "trivial_levels": "keep"},
        {"name": "matrix", "entries": [[0, 1]], "allow_non_metric": False},
        {"name": "matrix", "entries": [[0, 1], [2, 0]], "allow_non_metric": False},
    ],
    ids=str,
)
def test_a_record_that_is_no_ground_distance_is_refused_by_name(record):
    with pytest.raises(InputError):
        ground_from_dict(record)


# ---------------------------------------------------------------------- bad input

BAD = [
    ("unknown name", lambda: ground_distance("manhattan", NUMBERS), DomainError, "'manhattan' is unknown"),
    (
        "hierarchical without tree",
        lambda: ground_distance("hierarchical", NUMBERS),
        DomainError,
        "needs its hier",
    ),
    (
        "texts have no order",
        lambda: ground_distance("ordered", Domain.of("ab")),
        DomainError,
        "declare the order",
    ),
    (
        "texts have no spacing",
        lambda: ground_distance("ordered-by-value", Domain.declare("ab")),
        DomainError,
        "needs numbers, and 'a' is not one",
    ),
    (
        "declared against the numbers",
        lambda: ground_distance("ordered-by-value", Domain.declare([2, 1])),
        DomainError,
        "do not ascend",
    ),
    (
        "another size",
        lambda: ground_distance(Ordered(3), NUMBERS),
        DomainError,
        "has 3 values and the domain 4",
    ),
    (
        "matrix of another size",
        lambda: ground_distance([[0, 1], [1, 0]], NUMBERS),
        DomainError,
        "the domain 4",
    ),
    ("no distance at all", lambda: ground_distance(3, NUMBERS), DomainError, "cannot be made from a int"),
    ("value not covered", lambda: ground_distance(TREE, Domain.of("xq")), HierarchyError, "first 'q'"),
    (
        "labelled, a row missing",
        lambda: ground_distance({"a": {"a": 0, "b": 1}}, Domain.of("ab")),
        DomainError,
        "no entry for value 'b'",
    ),
    (
        "labelled, a column missing",
        lambda: ground_distance({"a": {"a": 0, "b": 1}, "b": {"b": 0}}, Domain.of("ab")),
        DomainError,
        "no entry for value 'a'",
    ),
    ("no values", lambda: Ordered(0), DomainError, "0 values"),
    ("no values by value", lambda: OrderedByValue(()), DomainError, "0 values"),
    ("an empty matrix", lambda: Matrix([]), DomainError, "0 values"),
    ("a value twice", lambda: OrderedByValue((1, 1)), DomainError, "values 1, 1 do not ascend"),
    (
        "not square",
        lambda: Matrix([[0, 1, 2], [1, 0, 2]]),
        DomainError,
        "row 0 has 3 entries and there are 2 rows",
    ),
    ("ragged", lambda: Matrix([[0, 1], [1]]), DomainError, "row 1 has 1 entries"),
    ("negative", lambda: Matrix([[0, -1], [-1, 0]]), DomainError, r"d\(0,1\) = -1 is negative"),
    (
        "negative, even for a non-metric",
        lambda: Matrix([[0, -1], [1, 0]], allow_non_metric=True),
        DomainError,
        "is negative",
    ),
    ("diagonal", lambda: Matrix([[0, 1], [1, "1/2"]]), DomainError, r"d\(1,1\) = 1/2"),
    (
        "diagonal, even for a non-metric",
        lambda: Matrix([[1, 1], [1, 1]], allow_non_metric=True),
        DomainError,
        "distance 0 from itself",
    ),
    ("asymmetric", lambda: Matrix([[0, 1], [2, 0]]), DomainError, r"d\(0,1\) = 1 and d\(1,0\) = 2 differ"),
    ("no number", lambda: Matrix([[0, "far"], ["far", 0]]), InputError, r"\[0\]\[1\] is 'far'"),
    ("not finite", lambda: Matrix([[0, float("inf")], [1, 0]]), InputError, "must be finite"),
]


@pytest.mark.parametrize(("call", "error", "message"), [b[1:] for b in BAD], ids=[b[0] for b in BAD])
def test_bad_input_is_refused_with_a_named_error(call, error, message):
    with pytest.raises(error, match=message) as caught:
        call()
    assert isinstance(caught.value, TClosenessError)
