"""Whatever yields combinations of values with counts is a source: the answers are those of the rows that it counts."""

from __future__ import annotations

import random
from collections import Counter

import pandas as pd
import pytest

import tcloseness as tc
from tcloseness.errors import TableError
from tcloseness.lattice import RollUp, exhaustive
from tcloseness.microdata import FrequencySet, Hierarchy
from tcloseness.models import KAnonymity, TCloseness

ROLES = {"quasi_identifiers": ["zip", "age"], "sensitive": "disease"}


def rows_of(seed):
    draw = random.Random(seed)
    return [
        (draw.choice(["aa", "ab", "ba"]), draw.choice([1, 2]), draw.choice("xyz")) for _ in range(draw.randint(3, 20))
    ]


def in_parts(rows, size):
    """A stream that counts a few rows at a time, as an engine with partitions does: a combination comes again."""
    for start in range(0, len(rows), size):
        yield from Counter(rows[start : start + size]).items()


def facts(table):
    classes = table.class_counts()
    return (
        [classes.describe(g) for g in range(len(classes))],
        table.domains,
        table.records,
        table.rows,
        table.conventions,
        tc.check(table, k=3, t="1/5", ground={"disease": "equal"}).answer(),
    )


@pytest.mark.parametrize("seed", range(6))
def test_every_answer_is_that_of_the_rows(seed):
    rows = rows_of(seed)
    frame = pd.DataFrame(rows, columns=["zip", "age", "disease"], dtype=object)
    expected = facts(FrequencySet.from_frame(frame, **ROLES))
    for counts in (
        Counter(rows),
        list(Counter(rows).items()),
        in_parts(rows, 4),
        ((list(r), n) for r, n in Counter(rows).items()),
    ):
        assert facts(FrequencySet.from_counts(counts, **ROLES)) == expected


def test_searches_and_roles_are_those_of_a_frame():
    rows = [("aa", 1, "x"), ("ab", 1, "y"), ("ba", 2, "x"), ("ba", 2, "y"), ("aa", None, "x")]
    table = FrequencySet.from_counts(Counter(rows), **ROLES, missing="drop", orders={"disease": ["y", "x"]})
    assert (table.records, table.dropped, table.domains["disease"].values) == (4, 1, ("y", "x"))
    zips, ages = Hierarchy.prefixes(["aa", "ab", "ba"], name="zip"), Hierarchy([(1, "*"), (2, "*")])
    rolled = RollUp(table, {"zip": zips, "age": ages})
    assert exhaustive(rolled, KAnonymity(2) & TCloseness("1/2", ground="ordered")).minimal


@pytest.mark.parametrize(
    ("counts", "message"),
    [
        ([(("aa", 1), 2)], "must be 3 values"),
        ([("aax", 2)], "must be 3 values"),
        ({("aa", 1, "x"): 0}, "positive whole number"),
        ({("aa", 1, "x"): 1.5}, "positive whole number"),
        ({("aa", 1, "x"): -1}, "positive whole number"),
        ({("aa", 1, "x"): 2**62, ("aa", 1, "y"): 2**62}, "records"),
        ({("aa", None, "x"): 1}, "missing|empty"),
        ({}, "no rows|no records|empty"),
    ],
)
def test_what_is_not_a_count_of_a_combination_is_refused_by_name(counts, message):
    with pytest.raises(TableError, match=message):
        FrequencySet.from_counts(counts, **ROLES)


def test_the_names_of_its_columns_are_free():
    found = FrequencySet.from_counts({("a", "b"): 3}, quasi_identifiers="count 0", sensitive="count 1")
    assert found.records == 3
    assert found.quasi_identifiers == ("count 0",)
