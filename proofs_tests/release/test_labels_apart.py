"""Where labels of several levels are shown, two nodes called alike are refused by name, and no classes become one."""

from __future__ import annotations

from random import Random

import pandas as pd
import pytest

from tcloseness.errors import HierarchyError
from tcloseness.microdata import FrequencySet, Hierarchy, Microdata
from tcloseness.models import KAnonymity
from tcloseness.optimal import optimal_cut, optimal_partition, optimal_sensitive_generalization
from tcloseness.release import Partition, Release, attributes_of
from tcloseness.table import Table

ALIKE = Hierarchy([("e", "e", "*"), ("o", "o", "*"), ("w", "o", "*")], name="g")
"""The label ``o`` is that of a value, and of what is above it and ``w``; ``e`` is above ``e`` alone: the same."""
PLACES = Hierarchy([("1", "a", "*"), ("2", "a", "*"), ("3", "b", "*")], name="x")
REFUSED = r"hierarchy of '\w' calls two of its nodes 'o', one over 'o', 'w', and one over 'o'"


def microdata(rows: list[tuple[str, str]]) -> Microdata:
    frame = pd.DataFrame([(*row, "s") for row in rows], columns=["g", "x", "s"])
    return Microdata.from_frame(frame, quasi_identifiers=["g", "x"], sensitive="s")


ROWS = [("o", "2"), ("w", "2"), ("o", "1"), ("o", "2")]
BOTH = {"g": ALIKE, "x": PLACES}


def test_programs_say_it_before_they_solve() -> None:
    table = microdata(ROWS)
    for solve in (optimal_partition, optimal_cut):
        with pytest.raises(HierarchyError, match=REFUSED):
            solve(table, KAnonymity(2), "gcp", hierarchies=BOTH)
    sensitive = Microdata.from_frame(
        pd.DataFrame({"q": ["1", "1", "2", "2"], "g": ["e", "o", "w", "o"]}), quasi_identifiers="q", sensitive="g"
    )
    with pytest.raises(HierarchyError, match=REFUSED):
        optimal_sensitive_generalization(FrequencySet.of(sensitive).class_counts(), KAnonymity(2), ALIKE)


def test_full_domain_shows_one_level_and_takes_any() -> None:
    found = optimal_cut(microdata(ROWS), KAnonymity(2), "gcp", hierarchies=BOTH, recoding="full-domain")
    assert found.objective is not None
    shown = Release.full_domain(FrequencySet.of(microdata(ROWS)), BOTH).class_counts()
    assert len(shown) == 3


@pytest.mark.long
@pytest.mark.parametrize("method", ["mondrian", "mdav"])
def test_a_heuristic_shows_each_class_as_itself_or_is_refused(method: str) -> None:
    draw, kept, refused = Random(method), 0, 0
    for _ in range(150):
        rows = [(draw.choice("eow"), draw.choice("123"), "s") for _ in range(draw.randrange(4, 9))]
        frame = pd.DataFrame(rows, columns=["g", "x", "s"])
        table = Table(frame, quasi_identifiers=["g", "x"], sensitive="s", hierarchies=BOTH)
        try:
            found = table.anonymize(method, k=2)
            shown = found.frame(order="input")["g"].tolist()
        except HierarchyError:
            refused += 1
            continue
        over = {frozenset(frame["g"].iloc[group]) for group in found.partition.groups if shown[group[0]] == "o"}
        assert len({"w" in values for values in over}) <= 1, "one label for two nodes"
        kept += 1
    assert kept > 5
    assert refused > 5


def test_a_partition_that_would_show_two_nodes_alike_is_refused() -> None:
    table = microdata([("o", "1"), ("o", "1"), ("o", "1"), ("w", "1")])
    attributes = attributes_of(table, BOTH)
    with pytest.raises(HierarchyError, match="calls two of its nodes 'o'"):
        Partition.of(table, [[0, 1], [2, 3]]).labels(attributes)
    assert Partition.of(table, [[0, 1, 2, 3]]).labels(attributes) == [("o", "1")]
    assert Partition.of(table, [[0, 1], [2], [3]]).labels(attributes) == [("o", "1"), ("o", "1"), ("w", "1")]
