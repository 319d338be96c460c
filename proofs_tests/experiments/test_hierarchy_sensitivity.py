"""Counts of minimal tables under drawn hierarchies: what a draw is, and that an interrupted run loses nothing."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from math import comb
from pathlib import Path

import numpy as np
import pytest

from experiments import adult
from experiments.adult_hierarchies import QUASI_IDENTIFIERS, preset
from experiments.all_groupings import partitions
from experiments.runner import StudyRun
from experiments.studies.hierarchy_sensitivity import PRINTED, STUDY, shares
from experiments.studies.hierarchy_sensitivity.counts import counts_of, five_counts, seven_counts
from experiments.studies.hierarchy_sensitivity.sample import Sample
from experiments.studies.hierarchy_sensitivity.universe import (
    draw_five,
    draw_seven,
    education_levels,
    universe_sizes,
)
from tcloseness.lattice import Lattice

try:
    adult.fetch()
except adult.DataMissing:
    pytest.skip("the Adult data are not there", allow_module_level=True)

BELL = (1, 1, 2, 5, 15, 52, 203)


def every(items: Iterable[None], label: str, total: int) -> Iterator[None]:
    return iter(items)


@pytest.mark.parametrize("n", range(6))
def test_a_set_has_as_many_partitions_as_bell_numbers_say(n) -> None:
    items = [(str(i),) for i in range(n)]
    found = {frozenset(map(frozenset, groups)) for groups in partitions(items)}
    assert len(found) == len(list(partitions(items))) == BELL[n]
    assert all(sorted(v for group in groups for v in group) == sorted(map(str, range(n))) for groups in found)


def test_the_universe_has_as_many_hierarchies_as_its_rules_count() -> None:
    educations = sum(comb(9, n) * sum(comb(n, m) for m in (1, 2) if m < n) for n in range(2, 8))
    marital = BELL[5] + BELL[4]
    assert len(education_levels()) == educations
    assert universe_sizes() == {
        "five": 20 * educations * marital,
        "seven": 20 * educations * marital * (BELL[4] - 1) * (BELL[4] - 1) * (BELL[6] - 1),
    }


@pytest.mark.parametrize("number", range(8))
def test_drawn_hierarchies_have_the_papers_levels_and_cover_the_data(number) -> None:
    rng = np.random.default_rng(number)
    assert Lattice(draw_five(rng)).shape == (5, 2, 2, 3, 4)
    seven = draw_seven(rng)
    assert tuple(seven) == QUASI_IDENTIFIERS["T1"]
    assert Lattice(seven).shape == (5, 3, 4, 3, 3, 3, 2)
    for name, hierarchy in preset("T1").items():
        assert set(hierarchy.values) == set(seven[name].values)


def test_presets_are_counted_as_the_brute_force_counted_them() -> None:
    assert five_counts(preset("L1")) == {"minimal": 12, "vulnerable, occupation": 1, "vulnerable, class": 10}
    assert five_counts(preset("L2")) == {"minimal": 9, "vulnerable, occupation": 0, "vulnerable, class": 8}
    found = seven_counts(preset("T2"))
    assert (found["minimal, entropy 2"], found["vulnerable, entropy 2"], found["most records, entropy 2"]) == (
        21,
        13,
        146,
    )
    assert (found["minimal, recursive (4,4)"], found["vulnerable, recursive (4,4)"]) == (19, 0)
    assert (found["minimal, recursive (4,2)"], found["vulnerable, recursive (4,2)"]) == (26, 17)


def test_a_draw_depends_on_its_seed_and_number_alone() -> None:
    assert counts_of("five", 1, 3) == counts_of("five", 1, 3)
    assert len({tuple(counts_of("five", seed, n).values()) for seed in (1, 2) for n in range(3)}) > 1


def test_an_interrupted_sample_goes_on_and_ends_the_same(tmp_path: Path) -> None:
    def interrupted(items: Iterable[None], label: str, total: int) -> Iterator[None]:
        yield from islice(items, 2)
        raise KeyboardInterrupt

    whole = Sample(tmp_path / "whole", 5, 2).draws("five", 7, every, workers=1)
    cut = Sample(tmp_path / "cut", 5, 2)
    with pytest.raises(KeyboardInterrupt):
        cut.draws("five", 7, interrupted, workers=1)
    kept = {path: path.stat().st_mtime_ns for path in cut.folder.iterdir()}
    assert len(kept) == 2
    seen: list[int] = []

    def counted(items: Iterable[None], label: str, total: int) -> Iterator[None]:
        seen.append(total)
        return iter(items)

    assert cut.draws("five", 7, counted, workers=2).equals(whole)
    assert seen == [2]  # of four parts
    assert all(path.stat().st_mtime_ns == before for path, before in kept.items())


def test_parts_of_another_seed_are_not_used(tmp_path: Path) -> None:
    one, other = (Sample(tmp_path, seed, 2) for seed in (5, 6))
    assert one.folder != other.folder
    one.draws("five", 2, every, workers=1)
    one.forget()
    assert not one.folder.exists()


def test_the_study_runs_small_and_its_shares_are_counts_of_its_draws(tmp_path: Path) -> None:
    result = STUDY.run(StudyRun(STUDY.name, tmp_path, smoke=True))
    assert all(figure.path.stat().st_size > 0 and figure.caption for figure in result.figures)
    drawn = {kind: result.tables[f"{kind}_quasi_identifiers"] for kind in ("five", "seven")}
    for printed, row in zip(PRINTED, shares(drawn).to_dict("records"), strict=True):
        pairs = list(zip(drawn[printed.kind][printed.minimal], drawn[printed.kind][printed.vulnerable], strict=True))
        assert row["both as printed"] == pairs.count(printed.stated)
        assert row["as many minimal"] == [minimal for minimal, _ in pairs].count(printed.stated[0])
        assert row["least"] == min(pairs)[0]
    assert not list(tmp_path.glob("parts-*"))
