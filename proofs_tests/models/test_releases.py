"""m-invariance of several releases."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, strategies as st

from tcloseness.errors import InputError, TableError
from tcloseness.microdata import ClassCounts
from tcloseness.models import MInvariance, TrackedRelease


def release(*classes):
    """A release from classes given as {person: value}; a person None is a counterfeit's."""
    counts, class_of = {}, {}
    for g, members in enumerate(classes):
        counts[g] = {}
        for person, value in members:
            counts[g][value] = counts[g].get(value, 0) + 1
            if person is not None:
                class_of[person] = g
    return TrackedRelease(ClassCounts.from_mapping(counts), class_of)


FIRST = release(
    [("Bob", "dyspepsia"), ("Alice", "bronchitis")],
    [("Andy", "flu"), ("David", "gastritis")],
)


def test_a_person_whose_signature_changes_is_named():
    """Bob's class held dyspepsia and bronchitis; later dyspepsia and gastritis: who saw both knows dyspepsia."""
    second = release([("Bob", "dyspepsia"), ("David", "gastritis")])
    result = MInvariance(2).evaluate([FIRST, second])
    assert result.status == "violated"
    assert result.value == 0
    assert result.changed == ("Bob", "David")
    assert result.not_unique == ()


def test_a_counterfeit_keeps_a_signature():
    """Alice has left; a counterfeit record with her value keeps Bob's signature."""
    second = release([("Bob", "dyspepsia"), (None, "bronchitis")], [("Andy", "flu"), ("David", "gastritis")])
    result = MInvariance(2).evaluate([FIRST, second])
    assert (result.status, result.value, result.margin) == ("satisfied", 2, 0)
    assert result.satisfied
    assert result.counterfeits == (0, 1)
    assert MInvariance(3).evaluate([FIRST, second]).not_unique == ((0, 0), (0, 1), (1, 0), (1, 1))


def test_a_value_twice_in_a_class_is_unique_for_no_m():
    second = release([("Eve", "flu"), ("Sam", "flu"), ("Tom", "cold")])
    for m in (None, 1):
        result = MInvariance(m).evaluate([FIRST, second])
        assert result.value == 0
        assert result.not_unique == ((1, 0),)
        assert result.status == ("measured" if m is None else "violated")


def test_an_absence_does_not_end_the_promise():
    away = release([("Andy", "flu"), ("David", "gastritis")])
    back = release([("Bob", "dyspepsia"), ("Carl", "gastritis")])
    assert MInvariance(2).evaluate([FIRST, away, back]).changed == ("Bob",)


def test_signatures_compare_values_and_not_codes():
    """The releases' domains differ, and 1 is not "1"."""
    same = release([("Bob", "dyspepsia"), ("Alice", "bronchitis")], [("New", "angina"), ("Newer", "zoster")])
    assert MInvariance(2).evaluate([FIRST, same]).satisfied
    ones = [release([("Bob", v), ("Al", "x")]) for v in (1, "1")]
    assert MInvariance(2).evaluate(ones).changed == ("Bob", "Al")


@given(
    st.lists(
        st.dictionaries(st.sampled_from("abcdef"), st.tuples(st.integers(0, 2), st.sampled_from("xyz")), min_size=1),
        min_size=2,
        max_size=3,
    ),
    st.integers(1, 3),
)
def test_m_invariance_by_definition(tables, m):
    """Each table maps persons to (class, value)."""
    releases, blocks = [], []
    for table in tables:
        names = sorted({g for g, _ in table.values()})
        classes = [[(p, v) for p, (g, v) in table.items() if g == name] for name in names]
        releases.append(release(*classes))
        blocks.append(classes)
    unique = all(len(c) >= m and len({v for _, v in c}) == len(c) for classes in blocks for c in classes)
    signature = [{p: {v for _, v in c} for c in classes for p, _ in c} for classes in blocks]
    kept = all(one[p] == other[p] for one in signature for other in signature for p in one.keys() & other.keys())
    result = MInvariance(m).evaluate(releases)
    assert result.satisfied == (unique and kept)
    assert (result.value >= m) == (unique and kept)
    assert bool(result.changed) == (not kept)


def test_a_result_is_json():
    record = MInvariance(2).evaluate([FIRST, FIRST]).to_dict()
    assert json.loads(json.dumps(record)) == record
    assert record["value"] == "2"


BAD = [
    ("one release", lambda: MInvariance(2).evaluate([FIRST]), InputError, "two or more releases"),
    ("no release", lambda: MInvariance(2).evaluate([]), InputError, "two or more releases"),
    ("class counts", lambda: MInvariance(2).evaluate([FIRST.classes] * 2), InputError, "TrackedRelease"),
    ("unknown class", lambda: TrackedRelease(FIRST.classes, {"Bob": 2}), TableError, "'Bob' is in class 2"),
    ("negative class", lambda: TrackedRelease(FIRST.classes, {"Bob": -1}), TableError, "classes 0 to 1"),
    ("class by name", lambda: TrackedRelease(FIRST.classes, {"Bob": "a"}), TableError, "in class 'a'"),
    (
        "too many persons",
        lambda: TrackedRelease(FIRST.classes, dict.fromkeys("abc", 0)),
        TableError,
        "class 0 has 2 records and 3 persons",
    ),
    ("m 0", lambda: MInvariance(0), InputError, "m = 0; it must be a whole number ≥ 1"),
]


@pytest.mark.parametrize(("call", "error", "message"), [b[1:] for b in BAD], ids=[b[0] for b in BAD])
def test_bad_releases_are_refused(call, error, message):
    with pytest.raises(error, match=message):
        call()
