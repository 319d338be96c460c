"""What would give away less: by which options, of which attributes, and only where something is given away."""

from __future__ import annotations

import pandas as pd
import pytest

from tcloseness import Hierarchy, Table
from tcloseness.report.disclosure_text import given_away


def made(frame, hierarchies=None, grid=None, **asked):
    table = Table(frame, quasi_identifiers=["age", "sex"], sensitive="disease", hierarchies=hierarchies or {})
    return given_away(table.anonymize(grid=grid, **asked), table.model(**asked), method="mondrian", seed=None)


FRAME = pd.DataFrame({"age": [21, 24, 38, 41], "sex": ["f", "m"] * 2, "disease": ["flu", "cold"] * 2})
SEXES = {"sex": Hierarchy.suppression(["f", "m"])}


@pytest.mark.parametrize(
    ("hierarchies", "grid", "options"),
    [
        ({}, None, ["--grid age=5 shows", "--hierarchy sex=FILE shows"]),
        ({}, {"age": 5}, ["--hierarchy sex=FILE shows"]),
        (SEXES, None, ["--grid age=5 shows", "tcloseness search shows"]),
    ],
)
def test_the_cures_are_options_for_what_the_labels_give_away(hierarchies, grid, options):
    found = made(FRAME, hierarchies, grid, k=2)
    assert len(found.cures) == len(options)
    assert all(cure.startswith(option) for cure, option in zip(found.cures, options, strict=True))


def test_where_nothing_is_given_away_there_is_no_cure():
    alike = FRAME.assign(age=30, sex="f")
    found = made(alike, k=2)
    assert found.labels is not None
    assert not found.labels.counts["generalized cells"].certain
    assert (found.cures, "less of it" in found.lines) == ((), False)


def test_no_value_of_the_table_is_in_what_is_recorded():
    text = str(made(FRAME, k=2).to_dict())
    assert all(value not in text for value in ("21", "24", "38", "41", "flu", "cold"))
