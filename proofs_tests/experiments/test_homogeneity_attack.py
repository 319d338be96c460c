"""The homogeneity attack on minimal 6-anonymous tables.

The expected nodes and numbers were found by an independent brute force with integer counts that shares no line with
this package; a groupby of the records repeats them here for some nodes.
"""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

import pytest

from experiments import adult
from experiments.adult_hierarchies import preset
from experiments.runner import StudyRun
from experiments.studies.homogeneity_attack import STUDY, recursive_nodes, search

try:
    adult.fetch()
except adult.DataMissing:
    pytest.skip("the Adult data are not there", allow_module_level=True)

# preset, records, sensitive → minimal nodes, how many of them have a class with one value
COUNTS = {
    ("L1", "both-complete", "occupation"): (12, 1),
    ("L1", "both-complete", "class"): (12, 10),
    ("L1", "both-raw", "class"): (9, 8),
    ("L2", "both-complete", "occupation"): (9, 0),
    ("L2", "both-complete", "class"): (9, 8),
    ("L2", "both-raw", "class"): (8, 8),
    ("ARX", "both-complete", "occupation"): (10, 0),
    ("ARX", "both-complete", "class"): (10, 8),
    ("ARX", "both-raw", "class"): (9, 7),
}

# L1 on all records: node → k, classes with one salary class, their records
L1_RAW = {
    "10123": (20, 1, 28),
    "11112": (6, 3, 95),
    "20122": (12, 3, 1470),
    "40012": (7, 7, 154),
    "40103": (12, 0, 0),
    "40111": (92, 1, 359),
    "40120": (24, 2, 85),
    "41011": (7, 6, 121),
    "41110": (35, 2, 139),
}


@pytest.mark.parametrize(("name", "rows", "sensitive"), COUNTS)
def test_minimal_and_vulnerable_tables_are_those_of_the_brute_force(name, rows, sensitive) -> None:
    found = search(name, rows, sensitive)
    assert (len(found.nodes), found.vulnerable) == COUNTS[name, rows, sensitive]


def test_each_table_of_l1_reveals_what_the_brute_force_found() -> None:
    found = search("L1", "both-raw", "class").nodes
    assert {n.node: (n.k, n.revealed_classes, n.revealed_records) for n in found} == L1_RAW
    assert {n.node: n.least_c for n in found if n.least_c is not None} == {"40103": Fraction(129, 4)}


@pytest.mark.parametrize("node", ["20122", "41011", "40103"])
def test_a_groupby_of_the_records_reveals_the_same(node) -> None:
    frame = adult.load("both-raw")
    hierarchies = preset("L1")
    keys = []
    for level, (name, hierarchy) in zip(map(int, node), hierarchies.items(), strict=True):
        to_label = {path[0]: path[level] for path in hierarchy.paths}
        keys.append(frame[name].map(to_label))
    groups = frame["class"].groupby(keys, observed=True)
    distinct, sizes = groups.nunique(), groups.size()
    (ours,) = (n for n in search("L1", "both-raw", "class").nodes if n.node == node)
    assert (int(sizes.min()), len(sizes)) == (ours.k, ours.classes)
    assert (int((distinct == 1).sum()), int(sizes[distinct == 1].sum())) == (
        ours.revealed_classes,
        ours.revealed_records,
    )


@pytest.mark.parametrize("name", ["L1", "L2", "ARX"])
def test_only_the_wholly_suppressed_table_is_recursive_6_2_diverse_in_salary_class(name) -> None:
    assert recursive_nodes(name, "both-complete", "class", 6, 2) == ("41123",)


@pytest.mark.slow
def test_the_study_runs_small(tmp_path: Path, undrawn: None) -> None:
    result = STUDY.run(StudyRun(STUDY.name, tmp_path, smoke=True))
    assert all(figure.path.stat().st_size > 0 and figure.caption for figure in result.figures)
    assert set(result.tables["searches"]["preset"]) == {"L1 (fitted)"}
    revealed = result.tables["tables"].groupby(["records", "sensitive"])["classes with one value"]
    vulnerable = revealed.agg(lambda column: (column > 0).sum())
    assert vulnerable.to_dict() == result.tables["searches"].set_index(["records", "sensitive"])["vulnerable"].to_dict()
