"""Frequency sets: small tables counted by hand, suppressed records, and bad requests."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import pandas as pd
import pytest

from proofs_tests.microdata.naive import as_counted, counted, marked
from tcloseness.errors import HierarchyError, TableError, TClosenessError
from tcloseness.microdata import FrequencySet, Hierarchy

# T1: four rows that pycanon reads by label where it should by position (peers P1, cases K08 and K09)
AABB = pd.DataFrame({"q": ["a", "a", "b", "b"], "s": ["x", "y", "x", "x"]})
AGES = Hierarchy([(21, "20s", "*"), (22, "20s", "*"), (31, "30s", "*"), (45, "40s", "*")], name="age")
PEOPLE = pd.DataFrame({"age": [21, 22, 31, 31, 45], "zip": list("aabbb"), "s": list("xyxyz")})


def read(frame: pd.DataFrame, **options: Any) -> FrequencySet:
    return FrequencySet.from_frame(frame, **{"quasi_identifiers": ["age", "zip"], "sensitive": "s", **options})


@pytest.mark.parametrize(
    "index",
    [
        [0, 1, 2, 3],
        [0, 1, 0, 1],
        [10, 11, 12, 13],
        [0, 2, 1, 3],
        list("wxyz"),
        [(0, "p"), (0, "q"), (1, "p"), (1, "q")],
    ],
    ids=str,
)
def test_no_index_decides_anything(index: list[Any]) -> None:
    """Class b holds x twice whatever its rows are called; pycanon answers l = 2, or IndexError."""
    labelled = AABB.set_axis(pd.MultiIndex.from_tuples(index) if isinstance(index[0], tuple) else index, axis=0)
    counts = read(labelled, quasi_identifiers="q").class_counts()
    assert as_counted(counts) == {
        (marked("a"),): {marked("x"): 1, marked("y"): 1},
        (marked("b"),): {marked("x"): 2},
    }


def test_an_unused_category_is_no_class_and_no_value() -> None:
    """pycanon answers k = 0 and l = 0 here, lighthouse k = None."""
    frame = AABB.assign(
        q=pd.Categorical(AABB["q"], categories=list("cab")), s=pd.Categorical(AABB["s"], categories=list("zyx"))
    )
    counts = read(frame, quasi_identifiers="q").class_counts()
    assert counts.class_sizes.tolist() == [2, 2]
    assert counts.domain.values == ("x", "y")


@pytest.mark.parametrize(("ordered", "order"), [(True, "declared"), (False, None)])
def test_categories_decide_an_order_only_where_they_are_declared_to_have_one(ordered: bool, order: str | None) -> None:
    lows = pd.Categorical(["mid", "lo", "hi"], categories=["lo", "mid", "hi"], ordered=ordered)
    counts = read(pd.DataFrame({"q": list("aab"), "s": lows}), quasi_identifiers="q").class_counts()
    assert counts.domain.order == order
    assert counts.domain.values == (("lo", "mid", "hi") if ordered else ("hi", "lo", "mid"))


def test_the_same_combination_is_kept_once() -> None:
    frequency = read(pd.concat([PEOPLE, PEOPLE.iloc[:2]]))
    assert (len(frequency), frequency.records) == (5, 7)
    assert sorted(frequency.counts.tolist()) == [1, 1, 1, 2, 2]


def test_rolling_up_merges_classes_and_keeps_records() -> None:
    counts = read(PEOPLE).generalize({"age": AGES}, {"age": 1}).class_counts()
    assert as_counted(counts) == counted(PEOPLE, ["age", "zip"], "s", generalized={"age": lambda v: f"{v // 10}0s"})
    assert counts.records == 5


def test_a_hierarchy_from_a_file_generalizes_a_column_of_numbers() -> None:
    from_file = Hierarchy([(str(value), *above) for value, *above in AGES.paths])
    counts = read(PEOPLE).generalize({"age": from_file}, {"age": 1}).class_counts()
    assert as_counted(counts) == as_counted(read(PEOPLE).generalize({"age": AGES}, {"age": 1}).class_counts())


# ---------------------------------------------------------------------- suppressed records

WITH_SUPPRESSED = pd.DataFrame({"age": [21, 22, 31, "*"], "zip": ["a", "a", "b", "*"], "s": ["x", "y", "x", "z"]})


def test_the_reference_is_that_of_the_released_records_or_of_all() -> None:
    """Li et al. 2007, footnote 1 counts the released ones; ARX counts all. z occurs only in the suppressed record."""
    frequency = read(WITH_SUPPRESSED, suppressed="*")
    released, everyone = frequency.class_counts(), frequency.class_counts(reference="all")
    assert (released.domain.values, released.reference.tolist()) == (("x", "y"), [2, 1])
    assert (everyone.domain.values, everyone.reference.tolist()) == (("x", "y", "z"), [2, 1, 1])
    for counts, name in ((released, "released records"), (everyone, "all records")):
        assert (counts.suppressed, counts.records, len(counts)) == (1, 3, 3)
        assert counts.conventions["reference distribution"] == name
        assert as_counted(counts) == counted(WITH_SUPPRESSED.iloc[:3], ["age", "zip"], "s")


def test_suppressed_records_stay_suppressed_when_the_others_are_generalized() -> None:
    """The marker needs no row in the hierarchies: a suppressed record has nothing left to generalize."""
    frequency = read(WITH_SUPPRESSED, suppressed="*").generalize({"age": AGES}, {"age": 1})
    counts = frequency.class_counts(reference="all")
    assert sorted(counts.class_sizes.tolist()) == [1, 2]
    assert (counts.suppressed, counts.reference.tolist()) == (1, [2, 1, 1])
    again = frequency.generalize({"zip": Hierarchy.suppression(["a", "b"])}, {"zip": 1})
    assert again.class_counts().class_sizes.tolist() == [2, 1]
    assert again.class_counts().suppressed == 1


def test_a_marker_that_a_released_record_carries_must_be_covered() -> None:
    half = WITH_SUPPRESSED.assign(zip="a")
    with pytest.raises(HierarchyError, match=r"does not cover 1 of 4 values, first '\*'"):
        read(half, suppressed="*").generalize({"age": AGES}, {"age": 1})


# ---------------------------------------------------------------------- keys that exceed 64 bits


@pytest.mark.long
def test_many_large_quasi_identifiers_do_not_overflow_the_key() -> None:
    """12 columns of 1,000 values span 10³⁶ keys, far past 2⁶³; equal rows are one class, nothing else is."""
    rng = np.random.default_rng(20070415)
    names = [f"q{i}" for i in range(12)]
    half = pd.DataFrame({name: rng.permutation(1000) for name in names})
    twin = half.assign(q0=(half["q0"] + 1) % 1000)  # differs from its row in the first key only
    frame = pd.concat([half, twin, half]).assign(s="x")
    frequency = read(frame, quasi_identifiers=names)
    assert len(frequency) == 2000
    assert sorted(frequency.class_counts().class_sizes.tolist()) == [1] * 1000 + [2] * 1000
    assert as_counted(frequency.class_counts()) == counted(frame, names, "s")


def test_a_huge_declared_domain_does_not_overflow_the_key() -> None:
    """Five domains of 10,000 values span 10²⁰ keys."""
    names = [f"q{i}" for i in range(5)]
    frame = pd.DataFrame({name: [0, 9_999, 0, 5_000] for name in names}).assign(s=list("xyxy"))
    domains = dict.fromkeys(names, range(10_000))
    counts = read(frame, quasi_identifiers=names, domains=domains).class_counts()
    assert as_counted(counts) == counted(frame, names, "s")


# ---------------------------------------------------------------------- several sensitive attributes and bad requests


def test_each_sensitive_attribute_has_its_own_counts() -> None:
    """pycanon and others pool several attributes; here each is asked for by name."""
    frame = AABB.assign(u=["1", "2", "3", "3"])
    frequency = read(frame, quasi_identifiers="q", sensitive=["s", "u"])
    for name in ("s", "u"):
        assert as_counted(frequency.class_counts(name)) == counted(frame, ["q"], name)


BAD: list[tuple[Callable[[], object], type[TClosenessError], str]] = [
    (
        lambda: read(PEOPLE, quasi_identifiers="age", sensitive=["s", "zip"]).class_counts(),
        TableError,
        "2 sensitive attributes, .* name one",
    ),
    (lambda: read(PEOPLE).class_counts("age"), TableError, "'age' is not a sensitive attribute .* it has"),
    (lambda: read(PEOPLE).class_counts(reference="original"), TableError, "reference='original' is unknown"),  # type: ignore[arg-type]
    (lambda: read(PEOPLE).generalize({}, {"age": 1}), TableError, "no hierarchy is given for 'age'"),
    (lambda: read(PEOPLE).generalize({"s": AGES}, {"s": 1}), TableError, "'s' is not a quasi-identifier"),
    (lambda: read(PEOPLE).generalize({"age": AGES}, {"age": 3}), HierarchyError, "levels 0 to 2, and level 3"),
    (
        lambda: read(PEOPLE).generalize({"zip": AGES}, {"zip": 1}),
        HierarchyError,
        "'age' does not cover 2 of 2 values, first 'a'",
    ),
    (lambda: read(PEOPLE).project(["age", "city"]), TableError, "'city' is not a quasi-identifier"),
    (lambda: read(PEOPLE).project(["s"]), TableError, "'s' is not a quasi-identifier"),
    (lambda: read(PEOPLE, quasi_identifiers="postcode"), TableError, "no column 'postcode'"),
]


@pytest.mark.parametrize(("call", "error", "fragment"), BAD)
def test_bad_requests_are_refused_by_name(
    call: Callable[[], object], error: type[TClosenessError], fragment: str
) -> None:
    with pytest.raises(error, match=fragment):
        call()
