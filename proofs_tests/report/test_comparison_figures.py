"""Pictures of a comparison show the numbers of its table, each release on its line, and what breaks a threshold."""

from __future__ import annotations

import math

import pandas as pd
import pytest

import tcloseness as tc
from tcloseness.report.comparison_figures import MOST_PANELS, panels

ROWS = pd.DataFrame({"age": [21, 24, 38, 41, 45, 49], "ill": ["flu", "cold", "flu", "cold", "flu", "flu"]})
DECADES = ROWS.assign(age=["20-29"] * 2 + ["30-49"] * 4)
HALF = ROWS.assign(age=["20-24"] * 2 + ["*"] * 4)


@pytest.fixture(scope="module")
def table() -> tc.Table:
    return tc.Table(ROWS, quasi_identifiers="age", sensitive="ill", ground="equal", categorical=())


def test_panels_have_the_numbers_of_the_frame(table):
    found = table.compare({"decades": DECADES, "half": HALF}, k=2, t="1/5")
    frame = found.to_frame().set_index(["quantity", "release"])
    for kind in ("privacy", "loss"):
        drawn, left_out = panels(found, kind)
        assert len(drawn) + left_out >= len(drawn) <= MOST_PANELS
        for panel in drawn:
            name = panel.title.partition(" (")[0] if "(c,l)" not in panel.title else "recursive (c,l)-diversity"
            for release, value in panel.values.items():
                known = frame.loc[(name, release), "value"]
                assert value == known or (value is None and pd.isna(known))


def test_where_thresholds_are_asked_these_are_drawn_with_what_breaks_them_and_else_k_l_and_t(table):
    drawn, _ = panels(table.compare({"decades": DECADES}, k=2, t="1/5"), "privacy")
    assert [(each.title.partition(" (")[0], each.threshold) for each in drawn] == [
        ("k-anonymity", 2.0),
        ("t-closeness", 0.2),
    ]
    assert drawn[0].violating == {"original"}
    # of (1/2, 1/2) and (3/4, 1/4) against (2/3, 1/3) the first is 1/6 away; the original's classes are 2/3 away
    assert drawn[1].violating == {"original"}
    usual, _ = panels(table.compare({"decades": DECADES}), "privacy")
    assert [each.title.partition(" (")[0] for each in usual] == [
        "k-anonymity",
        "distinct l-diversity",
        "entropy l-diversity",
        "t-closeness",
    ]
    assert all(each.threshold is None and not each.violating for each in usual)


def test_a_picture_names_each_release_and_writes_infinite_and_unknown_values_as_such(table):
    found = table.compare({"decades": DECADES, "half": HALF}, recursive=(2, 3), losses=["height"])
    drawn = found.plot()
    assert len(drawn) == 2
    (privacy,) = (each.figure for each in drawn[0].each)
    (axes,) = privacy.axes
    assert [each.get_text() for each in axes.get_yticklabels()] == ["original", "decades", "half"]
    assert sum(each.get_text() == "∞" for each in axes.texts) == 3  # two different values, and three are asked for
    unknown = [each for panel in panels(found, "loss")[0] for each in panel.values.values() if each is None]
    written = [each.get_text() for axes in drawn[1].each[0].figure.axes for each in axes.texts]
    assert written.count("–") == len(unknown)
    assert not any(math.isnan(value) for panel in panels(found, "loss")[0] for value in panel.values.values() if value)
