"""The work of the searches: what each finds is the same, and each search's counts add up."""

from __future__ import annotations

from pathlib import Path

import pytest

from experiments import adult
from experiments.adult_criteria import ENTROPY, K_ANONYMITY, RECURSIVE_4, closeness, five_measures, look, model
from experiments.adult_lattices import SEVEN, rolled
from experiments.runner import StudyRun
from experiments.studies.efficiency import STUDY
from experiments.studies.efficiency.work import ALGORITHMS, FIGURE_4, diverse, of_seven
from tcloseness.lattice import exhaustive

try:
    adult.fetch()
except adult.DataMissing:
    pytest.skip("the Adult data are not there", allow_module_level=True)


@pytest.mark.parametrize("criterion", five_measures("equal"))
@pytest.mark.parametrize("name", SEVEN)
def test_both_algorithms_find_the_same_number_of_tables(name, criterion) -> None:
    one, other = (of_seven(name, algorithm, criterion, 5) for algorithm in ALGORITHMS)
    assert (one.satisfying, one.minimal, one.nodes) == (other.satisfying, other.minimal, other.nodes)


@pytest.mark.parametrize("criterion", [K_ANONYMITY, ENTROPY, RECURSIVE_4, closeness("0.2", "hierarchical S1")])
@pytest.mark.parametrize("size", [2, 4])
def test_an_exhaustive_search_finds_as_many(criterion, size) -> None:
    names = ("age", "workclass", "education", "native-country")[:size]
    everything = exhaustive(rolled("T2", "train-complete", "occupation", names), model(criterion, 5))
    found = of_seven("T2", "two-sided tagging", criterion, 5, size)
    assert (found.satisfying, found.minimal) == (len(everything.satisfying), len(everything.minimal))


@pytest.mark.long
@pytest.mark.parametrize("criterion", [K_ANONYMITY, ENTROPY])
def test_two_sided_tagging_settles_each_node_once(criterion) -> None:
    for size in range(3, len(FIGURE_4) + 1):
        found = diverse("ARX", "two-sided tagging", criterion, 6, size)
        assert found.checked + found.tagged == found.nodes


def test_every_line_of_a_figure_looks_different() -> None:
    criteria = list(dict.fromkeys([*five_measures("equal"), *five_measures("hierarchical S1")]))
    looks = [tuple(map(str, look(criterion).items())) for criterion in criteria]
    assert len(set(looks)) == len(looks)


@pytest.mark.slow
def test_the_study_runs_small(tmp_path: Path, undrawn: None) -> None:
    result = STUDY.run(StudyRun(STUDY.name, tmp_path, smoke=True))
    assert all(figure.path.stat().st_size > 0 and figure.caption for figure in result.figures)
    table = result.tables["by_size"]
    found = table.pivot_table(index=["criterion", "quasi-identifiers"], columns="algorithm", values="minimal")
    assert (found["Incognito"] == found["two-sided tagging"]).all()
