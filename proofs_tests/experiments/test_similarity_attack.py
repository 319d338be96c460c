"""The similarity attack on minimal ℓ-diverse tables.

The expected counts, nodes and records were found by an independent brute force (exact entropies, integer counts) that
shares no line with this package; a naive loop over the records repeats the attack here.
"""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments import adult
from experiments.adult_hierarchies import OCCUPATION_GROUPS, QUASI_IDENTIFIERS, preset
from experiments.adult_lattices import rolled
from experiments.runner import StudyRun
from experiments.studies.similarity_attack import STUDY, criterion, few_values, search, vulnerable
from tcloseness.errors import StudyError
from tcloseness.models import EntropyLDiversity, RecursiveCLDiversity

try:
    adult.fetch()
except adult.DataMissing:
    pytest.skip("the Adult data are not there", allow_module_level=True)

# preset → criterion → satisfying, minimal, vulnerable under S1, under S2
COUNTS = {
    "T1": {
        "entropy 2": (86, 21, 13, 7),
        "recursive 4,2": (97, 26, 17, 12),
        "recursive 4,3": (73, 18, 1, 0),
        "recursive 4,4": (63, 22, 0, 0),
    },
    "T2": {
        "entropy 2": (93, 21, 13, 7),
        "recursive 4,2": (107, 26, 17, 12),
        "recursive 4,3": (66, 19, 3, 1),
        "recursive 4,4": (56, 19, 0, 0),
    },
    "ARX+race": {
        "entropy 2": (76, 23, 5, 4),
        "recursive 4,2": (84, 25, 8, 8),
        "recursive 4,3": (53, 14, 0, 0),
        "recursive 4,4": (41, 13, 0, 0),
    },
}

# records in vulnerable classes (S1) of each vulnerable minimal entropy 2-diverse table
REVEALED = {
    "T1": [20, 14, 12, 9, 9, 7, 6, 5, 5, 5, 4, 2, 2],
    "T2": [146, 22, 14, 13, 12, 9, 7, 7, 5, 5, 2, 2, 2],
    "ARX+race": [13, 7, 6, 2, 2],
}


@pytest.mark.parametrize("name", COUNTS)
@pytest.mark.parametrize("text", COUNTS["T1"])
def test_minimal_and_vulnerable_tables_are_those_of_the_brute_force(name, text) -> None:
    found = search(name, text)
    opened = [sum(vulnerable(name, node, groups)[0] > 0 for node in found.minimal) for groups in ("S1", "S2")]
    assert (len(found.satisfying), len(found.minimal), *opened) == COUNTS[name][text]


@pytest.mark.parametrize("name", REVEALED)
def test_the_records_revealed_are_those_of_the_brute_force(name) -> None:
    found = [vulnerable(name, node, "S1")[1] for node in search(name, "entropy 2").minimal]
    assert sorted((n for n in found if n), reverse=True) == REVEALED[name]


@pytest.mark.long
@pytest.mark.parametrize("node", ["4211120", "3222120", "4212110"])
def test_a_loop_over_the_records_reveals_the_same(node) -> None:
    frame = adult.load("train-complete")
    levels = dict(zip(QUASI_IDENTIFIERS["T1"], map(int, node), strict=True))
    labels = {n: {path[0]: path[levels[n]] for path in h.paths} for n, h in preset("T1").items()}
    group_of = {value: group for group, values in OCCUPATION_GROUPS["S1"].items() for value in values}
    classes: dict[tuple[object, ...], list[str]] = {}
    columns = [frame[n].map(labels[n]) for n in QUASI_IDENTIFIERS["T1"]]
    for *key, occupation in zip(*columns, frame["occupation"], strict=True):
        classes.setdefault(tuple(key), []).append(group_of[occupation])
    alike = [len(groups) for groups in classes.values() if len(set(groups)) == 1]
    assert (len(alike), sum(alike)) == vulnerable("T1", tuple(map(int, node)), "S1")


def test_a_group_reveals_no_more_than_the_classes_of_as_few_values_hold() -> None:
    for groups in ("S1", "S2"):
        most = max(vulnerable("T2", node, groups)[1] for node in search("T2", "entropy 2").satisfying)
        assert most <= few_values("T2", "entropy 2", max(map(len, OCCUPATION_GROUPS[groups].values())))


def test_classes_of_any_number_of_values_are_the_whole_table() -> None:
    assert few_values("T1", "entropy 2", 14) == rolled("T1").records


def test_a_criterion_is_read_or_refused() -> None:
    assert criterion("entropy 2") == EntropyLDiversity("2")
    assert criterion("recursive 4,3") == RecursiveCLDiversity(3, c="4")
    for text in ("entropy", "recursive 4", "recursive 4,x", "distinct 3"):
        with pytest.raises(StudyError, match="unknown"):
            criterion(text)


@pytest.mark.slow
def test_the_study_runs_small(tmp_path: Path, undrawn: None) -> None:
    result = STUDY.run(StudyRun(STUDY.name, tmp_path, smoke=True))
    assert all(figure.path.stat().st_size > 0 and figure.caption for figure in result.figures)
    searches, tables = result.tables["searches"], result.tables["tables"]
    assert len(tables) == searches["minimal"].sum()
    assert (tables["vulnerable classes, S1"] > 0).sum() == searches["vulnerable, S1"].sum()
