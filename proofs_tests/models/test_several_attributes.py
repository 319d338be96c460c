"""Several sensitive attributes: apart, the others as quasi-identifiers, and jointly."""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from pathlib import Path

import pandas as pd
import pytest
from hypothesis import given, strategies as st

from proofs_tests.effort import effort
from proofs_tests.strategies import tables
from tcloseness.errors import TableError
from tcloseness.ground import Equal, ProductGround
from tcloseness.microdata import FrequencySet, read_table
from tcloseness.models import (
    DistinctLDiversity,
    EntropyLDiversity,
    KAnonymity,
    RecursiveCLDiversity,
    TCloseness,
    joint_class_counts,
    joint_t_closeness,
    multi_attribute,
    multi_attribute_classes,
)
from tcloseness.transport import emd

F = Fraction
PAPERS = Path(__file__).parents[2] / "data" / "papers"


def frequency(frame, quasi_identifiers, sensitive):
    return FrequencySet.from_frame(frame, quasi_identifiers=quasi_identifiers, sensitive=sensitive)


CORRELATED = frequency(
    pd.DataFrame({"q": list("aaaabbbb"), "s1": list("xxyyxxyy"), "s2": list("uuvvuuvv")}), ["q"], ["s1", "s2"]
)
"""Case L05: two perfectly correlated sensitive columns."""


def test_the_papers_block_is_3_diverse_apart_and_not_multi_attribute_diverse():
    """Machanavajjhala et al. 2006, §4.3: {(s1,v1), (s1,v2), (s2,v3), (s3,v3)}. With S known, s2 and s3 are alone; so
    are v1 and v2 with V known.

    The paper calls the block recursive (2,3)-diverse in S: 2 < 2·1 is false, and (c,3) holds for every c > 2.
    """
    table = frequency(read_table(PAPERS / "machanavajjhala_section4_3.csv"), ["Q"], ["S", "V"])
    for name in ("S", "V"):
        apart = table.class_counts(name)
        assert DistinctLDiversity(3).evaluate(apart).satisfied
        assert RecursiveCLDiversity(3, c=2).evaluate(apart).status == "violated"
        assert RecursiveCLDiversity(3, c=2).evaluate(apart).margin == 0
        assert RecursiveCLDiversity(3, c="2.0001").evaluate(apart).satisfied
    together = multi_attribute(DistinctLDiversity(3), table)
    assert [r.value for r in together.values()] == [1, 1]
    assert not any(r.satisfied for r in together.values())
    assert [r.value for r in multi_attribute(EntropyLDiversity(), table).values()] == [1, 1]


def test_perfectly_correlated_columns_by_each_convention():
    """Case L05: apart 2, the other attribute known 1, tuples 2; 4-anonymous, and 2-anonymous with the other known."""
    distinct = DistinctLDiversity()
    assert [distinct.evaluate(CORRELATED.class_counts(s)).value for s in ("s1", "s2")] == [2, 2]
    assert [r.value for r in multi_attribute(distinct, CORRELATED).values()] == [1, 1]
    assert distinct.evaluate(joint_class_counts(CORRELATED)).value == 2
    assert KAnonymity().evaluate(CORRELATED.class_counts("s1")).value == 4
    assert KAnonymity().evaluate(multi_attribute_classes(CORRELATED, "s1")).value == 2


def test_each_way_is_named_with_the_result():
    ways = [
        multi_attribute_classes(CORRELATED, "s1").conventions["several sensitive attributes"],
        joint_class_counts(CORRELATED).conventions["several sensitive attributes"],
    ]
    assert ways[0].startswith("the others join the quasi-identifier")
    assert ways[1].startswith("joint distribution")
    assert joint_class_counts(CORRELATED).sensitive == "s1 × s2"


@given(tables(columns=("q", "s1", "s2")))
def test_multi_attribute_classes_count_what_a_loop_over_the_rows_counts(frame):
    table = frequency(frame, ["q"], ["s1", "s2"])
    classes = multi_attribute_classes(table, "s2")
    expected = {}
    for q, s1, s2 in frame.itertuples(index=False):
        row = expected.setdefault((repr(q), repr(s1)), {})
        row[repr(s2)] = row.get(repr(s2), 0) + 1
    found = {tuple(map(repr, classes.label(g))): classes.row(g) for g in range(len(classes))}
    assert {k: sorted(row.values()) for k, row in found.items()} == {
        k: sorted(row.values()) for k, row in expected.items()
    }


@given(tables(columns=("q", "s1", "s2"), kinds=("text", "numbers")))
def test_the_joint_distribution_counts_tuples(frame):
    table = frequency(frame, ["q"], ["s1", "s2"])
    classes = joint_class_counts(table, ["s2", "s1"])
    rows = list(frame.itertuples(index=False, name=None))
    assert set(classes.domain.values) == {(s2, s1) for _, s1, s2 in rows}
    for g in range(len(classes)):
        (q,) = classes.label(g)
        mine = [(s2, s1) for label, s1, s2 in rows if label == q]
        assert {classes.domain.values[code]: n for code, n in classes.row(g).items()} == {
            pair: mine.count(pair) for pair in mine
        }


def test_names_must_be_sensitive_attributes_and_at_least_two():
    for names in (["s1"], ["s1", "s1"], ["s1", "q"]):
        with pytest.raises(TableError):
            joint_class_counts(CORRELATED, names)
    with pytest.raises(TableError, match="'q' is not a sensitive attribute"):
        multi_attribute_classes(CORRELATED, "q")


def test_values_only_in_suppressed_records_are_no_tuples():
    frame = pd.DataFrame({"q": ["a", "a", "*"], "s": ["x", "y", "x"], "v": ["u", "u", "v"]})
    table = FrequencySet.from_frame(frame, quasi_identifiers="q", sensitive=["s", "v"], suppressed="*")
    assert set(joint_class_counts(table).domain.values) == {("x", "u"), ("y", "u")}
    assert len(joint_class_counts(table, reference="all").domain) == 3


# ---------------------------------------------------------------------- joint t-closeness


def test_joint_t_by_hand():
    """Case L05's table is uniform over (x,u) and (y,v) in both classes: t = 0. Swapping v and u of two records in a:
    a holds (x,u) (x,v) (y,u) (y,v), b two of (x,u) and two of (y,v); the table (3, 1, 1, 3)/8. a lacks 1/8 of (x,u) and
    of (y,v), and has 1/8 too much of (x,v) and of (y,u): each moves across one component, 2·1/8·1/2 = 1/8 (mean), or
    2·1/8·1 (max). Each attribute apart has t = 0.
    """
    assert joint_t_closeness(CORRELATED, {"s1": "equal", "s2": "equal"}).value == 0
    frame = pd.DataFrame({"q": list("aaaabbbb"), "s1": list("xxyyxxyy"), "s2": list("uvuvuuvv")})
    table = frequency(frame, ["q"], ["s1", "s2"])
    grounds = {"s1": "equal", "s2": "equal"}
    assert joint_t_closeness(table, grounds, "1/8").satisfied
    assert joint_t_closeness(table, grounds, "0.1249").status == "violated"
    assert joint_t_closeness(table, grounds, combine="max").value == F(1, 4)
    for name in ("s1", "s2"):
        assert TCloseness(ground="equal").evaluate(table.class_counts(name)).value == 0


@effort(2 / 5)
@given(tables(columns=("q", "s1", "s2"), kinds=("numbers",), max_rows=7), st.sampled_from(["mean", "max"]))
def test_joint_t_is_at_least_what_the_attributes_have_apart(frame, combine):
    """Projecting a coupling on a component couples the component's distributions, at no greater cost."""
    table = frequency(frame, ["q"], ["s1", "s2"])
    grounds = {"s1": "ordered", "s2": "equal"}
    joint = joint_t_closeness(table, grounds, combine=combine).values
    apart = [TCloseness(ground=ground).evaluate(table.class_counts(name)).values for name, ground in grounds.items()]
    for g in range(len(joint)):
        parts = [values[g] for values in apart]
        assert joint[g] >= (sum(parts) / 2 if combine == "mean" else max(parts))


def test_two_copies_of_an_attribute_are_as_far_as_one():
    """s2 repeats s1: under either combination a tuple is as far from another as its component is."""
    frame = pd.DataFrame({"q": list("aaabbb"), "s1": [1, 2, 3, 4, 5, 6]})
    frame["s2"] = frame["s1"]
    table = frequency(frame, ["q"], ["s1", "s2"])
    expected = TCloseness(ground="ordered").evaluate(table.class_counts("s1")).value
    for combine in ("mean", "max"):
        assert joint_t_closeness(table, {"s1": "ordered", "s2": "ordered"}, combine=combine).value == expected


def test_a_product_of_equal_distances_under_the_greatest_is_the_equal_distance():
    pairs = list(product(range(2), range(3)))
    ground = ProductGround([Equal(2), Equal(3)], pairs, combine="max")
    p, q = [F(1, 6)] * 6, [F(1, 2), 0, 0, F(1, 2), 0, 0]
    assert emd(p, q, ground) == emd(p, q, Equal(6)) == F(2, 3)
