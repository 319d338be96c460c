"""Intervals on a declared grid: what they show, what they cost, and what they no longer give away."""

from __future__ import annotations

import csv
import io
from collections import Counter
from fractions import Fraction

import numpy as np
import pandas as pd
import pytest
from hypothesis import given, strategies as st

from experiments import adult
from tcloseness import Table
from tcloseness.anonymize import mondrian
from tcloseness.attacks import label_disclosure
from tcloseness.errors import DomainError, InputError, TableError
from tcloseness.loss import NormalizedCertaintyPenalty
from tcloseness.microdata import Domain, Microdata
from tcloseness.models import KAnonymity
from tcloseness.release import Numeric, OnGrid, on_grid
from tcloseness.release.grid import suggested_widths

CELLS = st.tuples(st.integers(2, 6), st.integers(-7, 7))
VALUES = st.lists(st.integers(-20, 20), min_size=1, max_size=8)


def ends(label):
    """The ends of an interval's text, or the value twice."""
    if isinstance(label, int):
        return label, label
    low, high = label.strip("[]").split(", ") if label.startswith("[") else label.split("-")
    return int(low), int(high)


@given(VALUES, CELLS)
def test_a_label_is_the_value_or_the_fewest_cells_that_hold_all(values, cells):
    width, origin = cells
    domain = Domain.of(values)
    shown = OnGrid("x", domain, width, origin)
    codes = domain.codes(values)
    low, high = ends(shown.label(codes))
    if len(set(values)) == 1:
        assert low == high == values[0]
        return
    assert (low - origin) % width == 0
    assert (high + 1 - origin) % width == 0
    assert low <= min(values) < low + width
    assert high - width < max(values) <= high
    inside = max(values) - min(values)  # the values are the range, so what is outside of it costs nothing
    assert shown.extent(codes) == Numeric("x", domain).extent(codes) == inside == shown.whole
    starts, places = shown.below(codes, np.zeros(1, dtype=np.int64))
    assert sorted(domain.values[p] for p in places[starts[0] : starts[1]]) == sorted(set(values))


@given(VALUES, VALUES, CELLS)
def test_an_extent_is_the_part_of_the_label_within_the_range(values, others, cells):
    domain = Domain.of([*values, *others])
    shown, codes = OnGrid("x", domain, *cells), domain.codes(values)
    low, high = ends(shown.label(codes))
    assert shown.extent(codes) == min(high, max(domain.values)) - max(low, min(domain.values))
    assert Numeric("x", domain).extent(codes) <= shown.extent(codes) <= shown.whole
    assert (shown.height(codes) == 0) == (len(set(values)) == 1)


@given(VALUES, CELLS, st.data())
def test_a_label_does_not_say_where_in_its_cell_an_end_is(values, cells, data):
    """The least and the greatest value move within their cells, which are two, and the label is the same."""
    width, origin = cells
    first, last = ((end - origin) // width for end in (min(values), max(values)))
    if first == last:
        return
    inner = [value for value in values if first < (value - origin) // width < last]
    moved = [data.draw(st.integers(origin + cell * width, origin + cell * width + width - 1)) for cell in (first, last)]
    domain = Domain.of(range(-40, 40))
    shown = OnGrid("x", domain, width, origin)
    assert shown.label(domain.codes([*inner, *moved])) == shown.label(domain.codes(values))


@given(VALUES, CELLS, st.sampled_from([10**18, 10**25, -(10**25)]))
def test_large_numbers_have_the_labels_of_small_ones_moved(values, cells, move):
    width, origin = cells
    small, large = Domain.of(values), Domain.of([value + move for value in values])
    here = OnGrid("x", small, width, origin)
    for there in (OnGrid("x", large, width, origin + move), OnGrid("x", large, width, origin + move % width)):
        codes = small.codes(values)
        low, high = ends(here.label(codes))
        if low == high:
            assert there.label(codes) == low + move
            continue
        assert there.extent(codes) == here.extent(codes)
        assert ends(there.label(codes)) == (low + move, high + move)


@given(VALUES, st.sampled_from([10**18, 10**20]))
def test_one_wide_cell_holds_all(values, width):
    domain = Domain.of(values)
    shown, codes = OnGrid("x", domain, width, -width // 2), domain.codes(values)
    if len(set(values)) > 1:
        assert ends(shown.label(codes)) == (-width // 2, width // 2 - 1)
        assert shown.extent(codes) == shown.whole == max(values) - min(values)


def table_of(ages):
    frame = pd.DataFrame({"age": ages, "sex": "f", "disease": ["flu", "cold"] * (len(ages) // 2)})
    return Microdata.from_frame(frame, quasi_identifiers=["age", "sex"], sensitive="disease")


def test_classes_whose_labels_become_equal_are_one_class():
    found = mondrian(table_of([21, 22, 23, 24]), KAnonymity(2))
    gridded = on_grid(found, KAnonymity(2), {"age": 5})
    assert (len(found.partition), len(gridded.partition)) == (2, 1)
    assert gridded.labels == (("20-24", "f"),)
    assert gridded.verdict.status == "satisfied"
    assert (gridded.method, gridded.grouped) == (found.method, found.grouped)
    assert "numeric, on a grid of 5 from 0" in gridded.conventions["quasi-identifiers"]


@pytest.mark.parametrize(
    ("widths", "error", "words"),
    [
        ({"age": 1}, InputError, "whole number ≥ 2"),
        ({"sex": 5}, TableError, r"'sex' is not a quasi-identifier that shows intervals; those are \('age',\)"),
    ],
)
def test_wrong_grids_are_named(widths, error, words):
    with pytest.raises(error, match=words):
        on_grid(mondrian(table_of([21, 22, 23, 24]), KAnonymity(2)), KAnonymity(2), widths)


def test_wrong_origins_and_what_has_no_intervals_are_named():
    found = mondrian(table_of([21, 22, 23, 24]), KAnonymity(2))
    with pytest.raises(InputError, match=r"the origin of the grid of 'age' is 2\.5; it must be a whole number"):
        on_grid(found, KAnonymity(2), {"age": 5}, origins={"age": 2.5})
    with pytest.raises(TableError, match="an origin is given for 'age' and no width; give both, or neither"):
        on_grid(found, KAnonymity(2), {}, origins={"age": 2})
    with pytest.raises(InputError, match="a grid is for the answer of a heuristic"):
        on_grid(found.release, KAnonymity(2), {"age": 5})


def test_only_whole_numbers_have_a_grid():
    with pytest.raises(DomainError, match=r"1\.5 is not a whole number; leave 'age' out, or give it a"):
        OnGrid("age", Domain.of([1, 1.5]), 5)


NUMBERS = {"age": 5, "education-num": 2, "hours-per-week": 5}


def penalty(made, spans):
    """The mean over cells of width / range, from the published lines, with labels cut to the range."""
    rows, total = list(csv.DictReader(io.StringIO(made.rows.to_csv()))), Fraction(0)
    for name, (least, most) in spans.items():
        for label, count in Counter(row[name] for row in rows).items():
            if "-" in label:
                low, high = ends(label)
                total += Fraction(count * (min(high, most) - max(low, least)), most - least)
    return total / (len(rows) * len(spans))


@pytest.mark.slow
def test_the_price_of_a_grid_on_adult():
    """Mondrian, k = 5: cells of 5 years, 2 grades and 5 hours cost not quite twice as much as tight labels."""
    rows = adult.load("train-complete")
    table = Microdata.from_frame(rows, quasi_identifiers=list(NUMBERS), sensitive="occupation")
    spans = {name: (int(rows[name].min()), int(rows[name].max())) for name in NUMBERS}
    tight = mondrian(table, KAnonymity(5))
    gridded = on_grid(tight, KAnonymity(5), NUMBERS, origins={name: low for name, (low, _) in spans.items()})
    prices = []
    for made in (tight, gridded):
        loss = NormalizedCertaintyPenalty().evaluate(made.release).value / (len(rows) * len(NUMBERS))
        assert loss == penalty(made, spans)
        prices.append(f"{float(loss):.4f}")
    assert prices == ["0.0112", "0.0209"]
    known = [label_disclosure(made).counts["generalized cells"].certain for made in (tight, gridded)]
    assert known[1] < known[0] / 10


@given(st.lists(st.integers(0, 400), min_size=2, max_size=12))
def test_a_suggested_width_is_the_least_round_one_above_the_median_of_the_intervals(ages):
    ages = ages[: len(ages) // 2 * 2]
    found = mondrian(table_of(ages), KAnonymity(2))
    intervals = [ends(label) for label in found.table["age"] if "-" in label]
    widths = sorted(high - low for low, high in intervals)
    suggested = suggested_widths(found.release)
    if not widths:
        assert suggested == {}
        return
    median = widths[(len(widths) - 1) // 2]
    assert suggested == {"age": next(w for w in (2, 5, 10, 20, 50, 100, 200, 500) if w >= median)}
    on_grid(found, KAnonymity(2), suggested)


def test_no_width_is_suggested_for_numbers_that_are_not_whole_and_for_what_is_on_a_grid():
    found = mondrian(table_of([21, 22.5, 23, 24]), KAnonymity(2))
    assert suggested_widths(found.release) == {}
    assert (
        suggested_widths(on_grid(mondrian(table_of([1, 2, 3, 9]), KAnonymity(2)), KAnonymity(2), {"age": 3}).release)
        == {}
    )


def test_a_table_is_made_anonymous_on_a_grid():
    frame = pd.DataFrame({"age": [21, 22, 38, 41], "disease": ["flu", "cold"] * 2})
    table = Table(frame, quasi_identifiers="age", sensitive="disease")
    assert table.anonymize(k=2, grid={"age": 5}).labels == (("20-24",), ("35-44",))
    with pytest.raises(TableError, match="'sex' is not a quasi-identifier that shows intervals"):
        table.anonymize(k=2, grid={"sex": 5})
