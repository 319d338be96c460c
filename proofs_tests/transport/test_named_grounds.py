"""A ground distance by its name or as a matrix: what the number of masses makes of it is what is built by hand."""

from __future__ import annotations

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

import tcloseness as tc
from tcloseness.errors import DomainError, InputError, MassError, TableError
from tcloseness.ground import Equal, Hierarchical, Matrix, Ordered, OrderedByValue
from tcloseness.microdata import Domain, Hierarchy
from tcloseness.transport import TransportProblem, crossings, moves

NAMES = ["flu", "cold", "cancer"]
FAR = [[0, "1/4", 1], ["1/4", 0, 1], [1, 1, 0]]
FRAME = pd.DataFrame(FAR, index=NAMES, columns=NAMES)
TURNED = FRAME.loc[NAMES, NAMES[::-1]]
COUNTS = st.lists(st.integers(0, 5), min_size=3, max_size=3).filter(any)
FORMS = [
    ("ordered", Ordered(3)),
    ("equal", Equal(3)),
    (FAR, Matrix(FAR)),
    (tuple(map(tuple, FAR)), Matrix(FAR)),
    (np.array([[0, 1, 2], [1, 0, 1], [2, 1, 0]]), Matrix([[0, 1, 2], [1, 0, 1], [2, 1, 0]])),
    (FRAME, Matrix(FAR)),
    (TURNED, Matrix(FAR)),
    (FRAME.to_dict(), Matrix(FAR)),
    (Matrix(FRAME), Matrix(FAR)),
    (Matrix(TURNED), Matrix(FAR)),
    (tc.ground.LabelledMatrix(FRAME, denominator=8), Matrix(FAR)),
]


@pytest.mark.parametrize(("form", "built"), FORMS, ids=lambda found: type(found).__name__)
@given(p=COUNTS, q=COUNTS)
def test_a_name_and_a_matrix_mean_what_is_built_of_as_many_values(form, built, p, q):
    asked = {"counts": True}
    assert tc.emd(p, q, form, **asked) == tc.emd(p, q, built, **asked)
    assert tc.certify(p, q, form, **asked).value == tc.emd(p, q, built, **asked)
    assert moves(p, q, form, **asked) == moves(p, q, built, **asked)
    if built.cuts is not None:
        assert crossings(p, q, form, **asked) == crossings(p, q, built, **asked)


HIERARCHY = Hierarchy([["flu", "lung", "*"], ["cold", "lung", "*"], ["cancer", "tumour", "*"]])
BY_VALUES = [
    (FRAME, NAMES[::-1], lambda names: Matrix.labelled(FRAME, Domain.declare(names))),
    (HIERARCHY, NAMES, lambda names: Hierarchical(HIERARCHY, Domain.declare(names))),
    ("ordered-by-value", ["1", "2", "5"], lambda names: OrderedByValue(tuple(map(int, names)))),
]


@pytest.mark.parametrize(("form", "labels", "build"), BY_VALUES, ids=["frame", "hierarchy", "by value"])
def test_where_the_values_are_named_they_put_the_distance_in_order(form, labels, build):
    p, q = [3, 1, 0], [0, 1, 2]
    found = tc.certify(p, q, form, counts=True, labels=labels)
    assert found.value == tc.emd(p, q, build(labels), counts=True)
    assert found.labels == tuple(labels)


@pytest.mark.parametrize("form", ["ordered-by-value", "hierarchical", HIERARCHY], ids=["by value", "name", "hierarchy"])
def test_what_depends_on_the_values_is_not_made_of_their_number(form):
    with pytest.raises(DomainError, match=r"depends on what the values are.*emd_of"):
        tc.emd([1, 0, 0], [0, 0, 1], form)


@pytest.mark.parametrize("form", ["orderd", "matrix:far.csv", [[0, 1], [1]], {"a": [0]}, {}, [], b"ab", None, Ordered])
def test_what_means_no_distance_is_refused(form):
    with pytest.raises(DomainError):
        tc.emd([1, 0], [0, 1], form)


def test_masses_and_a_matrix_of_another_size_are_refused():
    for ask in (tc.emd, tc.certify, TransportProblem.of):
        with pytest.raises(MassError, match="p has 2 values, q 2 and the ground distance 3"):
            ask([1, 0], [0, 1], FAR)


@pytest.mark.parametrize(
    ("first", "second"),
    [([39, 50, 38], [28, 37]), (["flu", "cold"], ["flu", "cold"]), (pd.Series(["a", "b"]), pd.Series(["b"]))],
)
def test_columns_of_values_are_sent_to_what_compares_them(first, second):
    with pytest.raises(MassError, match=r"two columns of values are compared by tcloseness.emd_of"):
        tc.emd(first, second, "equal")


def test_names_of_rows_and_columns_that_differ_are_named_and_no_entry_is_shown():
    with pytest.raises(DomainError, match="'flu' names a row and not a column") as refused:
        Matrix(FRAME.rename(columns={"flu": "x"}))
    assert "1/4" not in str(refused.value)


def test_groups_by_a_column_without_a_role_are_sent_to_the_frame():
    frame = pd.DataFrame({"age": [1, 1, 2, 2], "disease": ["flu", "cold", "flu", "flu"], "sex": ["f", "m", "f", "m"]})
    table = tc.Table(frame, quasi_identifiers="age", sensitive="disease", ground="equal")
    said = r"no column 'sex' \(by=\) with a role.*emd_of\(frame, column='disease', by='sex'"
    with pytest.raises(TableError, match=said):
        table.emd(by="sex")
    found = tc.emd_of(frame, column="disease", by="sex", ground="equal")
    with_role = tc.Table(frame, quasi_identifiers=["age", "sex"], sensitive="disease", ground="equal")
    assert with_role.emd(by="sex").value == found.value


@pytest.mark.parametrize("kind", [list, tuple, pd.Series, pd.Index], ids=lambda kind: kind.__name__)
def test_labels_may_be_any_sequence(kind):
    for form in ("equal", Equal(3), FRAME):
        found = tc.certify([3, 1, 0], [0, 1, 2], form, counts=True, labels=kind(NAMES))
        assert found.labels == tuple(NAMES)
        assert found.value == tc.emd([3, 1, 0], [0, 1, 2], form, counts=True)


@pytest.mark.parametrize("labels", [["a"], ["a", "b", "c", "d"], (each for each in "abc")], ids=["few", "many", "once"])
def test_labels_that_are_not_those_of_the_values_are_named_whatever_the_ground_distance(labels):
    for form in ("equal", "ordered", FAR, FRAME, Equal(3)):
        with pytest.raises(InputError, match=r"labels .* must name the 3 values, one each, or be left out"):
            tc.certify([3, 1, 0], [0, 1, 2], form, counts=True, labels=labels)
