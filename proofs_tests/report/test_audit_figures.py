"""What a picture shows is what the counts say."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from matplotlib.patches import FancyArrowPatch, Rectangle

from proofs_tests.effort import effort
from proofs_tests.report.pages import audit_of, salaries_and_diseases, t_closeness
from proofs_tests.strategies import tables
from tcloseness.audit import check
from tcloseness.microdata import ClassCounts, FrequencySet
from tcloseness.models import TCloseness
from tcloseness.report import audit_figures
from tcloseness.report.findings import beliefs, findings, sizes
from tcloseness.transport import certify, moves_of

ROLES = {"quasi_identifiers": ["q1", "q2"], "sensitive": "s"}


def bars(figure):
    return [patch for patch in figure.axes[0].patches if isinstance(patch, Rectangle)]


def counts(*sizes):
    return ClassCounts.from_mapping({f"g{i}": {"x": n} for i, n in enumerate(sizes)})


def test_few_sizes_have_a_bar_each_as_high_as_their_records():
    assert [bar.get_height() for bar in bars(audit_figures.class_sizes(counts(1, 1, 3, 3, 3, 7)))] == [2, 9, 7]


def test_many_sizes_are_binned_by_doubling_and_no_record_is_lost():
    """1 | 2, 3 | 4 … 7 | 8 … 14."""
    heights = [bar.get_height() for bar in bars(audit_figures.class_sizes(counts(*range(1, 15))))]
    assert heights == [1, 5, 22, sum(range(8, 15))]


@effort(1 / 4)
@given(tables(max_rows=8))
def test_the_steps_say_how_many_records_are_farther_away(table):
    attribute = check(FrequencySet.from_frame(table, **ROLES)).attributes[0]
    result = t_closeness(attribute)
    values = result.values.floats()
    line = audit_figures.records_beyond(attribute.classes, values, None).axes[0].lines[0]
    x, y = line.get_xdata(), line.get_ydata()
    for t in (*np.unique(values).tolist(), 0.0, 0.37):
        beyond = int(attribute.classes.class_sizes[values > t].sum())
        assert y[np.searchsorted(x, t, side="right") - 1] == beyond


def test_there_is_one_arrow_for_each_move_of_the_farthest_class():
    attribute = salaries_and_diseases().attributes[1]
    classes, index = attribute.classes, int(t_closeness(attribute).worst[0])
    figure = audit_figures.class_against_reference(classes, index, attribute.ground)
    arrows = [p for p in figure.axes[0].patches if isinstance(p, FancyArrowPatch)]
    p = [Fraction(n, 3) for n in classes.vector(index)]
    q = [Fraction(n, 9) for n in classes.reference.tolist()]
    assert len(arrows) == len(moves_of(certify(p, q, attribute.ground)))
    assert [bar.get_width() for bar in bars(figure)] == [*map(float, p), *map(float, q)]


def test_of_many_values_the_largest_differences_are_drawn_without_arrows():
    rows = [("a", 0)] * 5 + [("b", v) for v in range(40)]
    attribute = audit_of(rows).attributes[0]
    figure = audit_figures.class_against_reference(attribute.classes, 0, attribute.ground)
    assert len(bars(figure)) == 2 * audit_figures.MOST_VALUES
    assert not [p for p in figure.axes[0].patches if isinstance(p, FancyArrowPatch)]
    assert figure.axes[0].get_yticklabels()[0].get_text() == "0"


def test_a_distance_without_cuts_has_its_arrows_too():
    matrix = [[0, "1/2", 1], ["1/2", 0, "1/2"], [1, "1/2", 0]]
    attribute = audit_of([("a", 1), ("b", 2), ("b", 3)], ground=matrix).attributes[0]
    figure = audit_figures.class_against_reference(attribute.classes, 0, attribute.ground)
    assert [p for p in figure.axes[0].patches if isinstance(p, FancyArrowPatch)]


@pytest.mark.parametrize("number", [3, 3000])
def test_every_class_is_in_the_picture_of_distances(number):
    classes = ClassCounts.from_mapping({i: {"x": 1 + i, "y": 1 + (i * i) % 97} for i in range(number)})
    values = TCloseness(ground="equal").evaluate(classes).values.floats()
    figure = audit_figures.distances(classes, values, Fraction(1, 10))
    marks = sum(len(c.get_offsets()) for c in figure.axes[0].collections if len(c.get_offsets()) > 1)
    shades = [c for c in figure.axes[0].collections if c.get_array() is not None]
    counted = sum(np.expm1(c.get_array()).sum() for c in shades)
    assert round(counted) == number if shades else marks <= number


# ---------------------------------------------------------------------- what the pictures rest on


def test_infinite_distances_are_counted_beyond_every_threshold_and_stand_at_the_top():
    """Three classes of 1, 2 and 3 records; the one of 2 is infinitely far away."""
    classes, values = counts(1, 2, 3), np.array([0.25, np.inf, 0.0])
    line = audit_figures.records_beyond(classes, values, Fraction(1, 10)).axes[0].lines[0]
    assert line.get_ydata().tolist() == [3, 3, 2, 2]
    drawn = audit_figures.distances(classes, values, Fraction(1, 10)).axes[0].collections
    assert sum(len(marks.get_offsets()) for marks in drawn) == 3


@effort(1 / 2)
@given(tables())
def test_findings_are_those_of_counting_by_hand(table):
    classes = FrequencySet.from_frame(table, **ROLES).class_counts()
    found = findings(classes)
    rows = [classes.row(i) for i in range(len(classes))]
    assert found.certain_classes == sum(len(row) == 1 for row in rows)
    assert found.certain_records == sum(sum(row.values()) for row in rows if len(row) == 1)
    surest = max(Fraction(n, sum(row.values())) for row in rows for n in row.values())
    assert Fraction(found.surest.count, found.surest.size) == surest
    assert sizes(classes) == (min(sum(r.values()) for r in rows), sum(sum(r.values()) == 1 for r in rows))
    least, greatest = beliefs(classes)
    for code in range(len(classes.domain)):
        shares = [row.get(code, 0) / sum(row.values()) for row in rows]
        assert (least[code], greatest[code]) == (min(shares), max(shares))
