"""How often the papers' counts can be fitted: what the space is, that every count is right, and what a search does."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from itertools import islice
from math import comb, prod
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from experiments import adult
from experiments.adult_hierarchies import FITTED, OCCUPATION_GROUPS, QUASI_IDENTIFIERS, occupation_groups, preset
from experiments.adult_lattices import FIVE, frequencies, rolled
from experiments.all_groupings import partitions
from experiments.claims import Outcome, load_ledger, verdict
from experiments.intervals import wilson
from experiments.runner import StudyRun
from experiments.studies import fit
from experiments.studies.fit import STUDY, hits
from experiments.studies.fit.counts import CRITERIA, GROUPINGS, counts_of, seven_counts
from experiments.studies.fit.search import Climb, Draws, Kept, Part
from experiments.studies.fit.targets import TARGETS, Target
from experiments.studies.fit.universe import FREE, Place, draw, hierarchies, outside, place_of, sizes, total
from experiments.studies.fit.whole import COLUMNS, every_count
from experiments.verdicts import Kind
from tcloseness.attacks import homogeneity_attack, similarity_attack
from tcloseness.lattice import Lattice, RollUp, minimal_generalizations
from tcloseness.models import KAnonymity

try:
    adult.fetch()
except adult.DataMissing:
    pytest.skip("the Adult data are not there", allow_module_level=True)

BELL = (1, 1, 2, 5, 15, 52, 203)
SEED = 20070415


def every(items: Iterable[None], label: str, total: int) -> Iterator[None]:
    return iter(items)


@pytest.mark.parametrize("n", range(6))
def test_a_set_has_as_many_partitions_as_bell_numbers_say(n) -> None:
    items = [(str(i),) for i in range(n)]
    found = {frozenset(map(frozenset, groups)) for groups in partitions(items)}
    assert len(found) == len(list(partitions(items))) == BELL[n]
    assert all(sorted(v for group in groups for v in group) == sorted(map(str, range(n))) for groups in found)


# ---------------------------------------------------------------------- the space


def test_the_space_has_as_many_hierarchies_as_its_rules_count() -> None:
    educations = sum(comb(9, n) * sum(comb(n, m) for m in (1, 2) if m < n) for n in range(2, 8))
    five = (20, BELL[5] + BELL[4], educations)
    assert sizes("five") == five
    assert sizes("seven") == (*five, BELL[4] - 1, BELL[4] - 1, BELL[6] - 1)
    assert total("five") == prod(five) == 8_707_320


@pytest.mark.parametrize("number", range(8))
def test_drawn_hierarchies_have_the_papers_levels_and_cover_the_data(number) -> None:
    rng = np.random.default_rng(number)
    assert Lattice(hierarchies("five", draw("five", rng))).shape == (5, 2, 2, 3, 4)
    seven = hierarchies("seven", draw("seven", rng))
    assert tuple(seven) == QUASI_IDENTIFIERS["T1"]
    assert Lattice(seven).shape == (5, 3, 4, 3, 3, 3, 2)
    for name, hierarchy in preset("T1").items():
        assert set(hierarchy.values) == set(seven[name].values)


def test_every_race_level_keeps_white_apart() -> None:
    for number in range(sizes("seven")[FREE["seven"].index("race")]):
        found = hierarchies("seven", dict.fromkeys(FREE["seven"], 0) | {"race": number})["race"]
        assert [str(path[0]) for path in found.paths if path[1] == found.label("White", 1)] == ["White"]


def test_the_fitted_presets_are_in_the_space_and_those_of_public_tools_are_not() -> None:
    for name in QUASI_IDENTIFIERS:
        kind = "five" if name in FIVE else "seven"
        assert outside(kind, name) == (() if name in FITTED else ("education",))
        place, again = (
            place_of(kind, name),
            hierarchies(kind, draw(kind, np.random.default_rng(0)) | place_of(kind, name)),
        )
        for attribute in place:  # the same classes on each level, whatever they are called
            one, other = preset(name)[attribute].paths, again[attribute].paths
            assert len({a for a, *_ in one}) == len(one)
            labels = {path[0]: path for path in other}
            for level in range(len(one[0])):
                assert len({(path[level], labels[path[0]][level]) for path in one}) == len(
                    {path[level] for path in one}
                )


# ---------------------------------------------------------------------- counts


def homogeneity_counts(place: Place) -> tuple[int, ...]:
    """`COLUMNS` by the package's own search and attack."""
    found: list[int] = []
    built = hierarchies("five", place)
    for rows, values in (("both-complete", ("occupation", "class")), ("both-raw", ("class",))):
        tables = [RollUp(frequencies(rows, QUASI_IDENTIFIERS["L1"], v), built, compiled=True) for v in values]
        minimal = minimal_generalizations(tables[0], KAnonymity(6)).minimal
        found.append(len(minimal))
        found += [sum(len(homogeneity_attack(table.unsorted(n)).affected) > 0 for n in minimal) for table in tables]
    return tuple(found)


@pytest.mark.long
def test_the_whole_enumeration_counts_as_the_package_does() -> None:
    """Under L1's own ages, where also the preset is; its counts were known by brute force before."""
    origins = (1,)
    counted = every_count(origins)
    rng = np.random.default_rng(3)
    places = [place_of("five", "L1"), *({**draw("five", rng), "age": 1} for _ in range(4))]
    found = [tuple(int(counted[c][0, p["marital-status"], p["education"]]) for c in COLUMNS) for p in places]
    assert found == [homogeneity_counts(place) for place in places]
    assert found[0] == (12, 1, 10, 9, 8)
    assert len(set(found)) > 2


def test_presets_are_counted_as_the_brute_force_counted_them() -> None:
    found = seven_counts(preset("T2"))
    names = ("minimal, {}", "vulnerable, {}, S1", "vulnerable, {}, S2", "most records, {}, S1")
    assert [found[name.format("entropy 2")] for name in names] == [21, 13, 7, 146]
    assert [found[name.format("recursive (4,4)")] for name in names] == [19, 0, 0, 0]
    assert [found[name.format("recursive (4,2)")] for name in names] == [26, 17, 12, 146]


def test_the_drawn_counts_are_those_of_the_similarity_attack() -> None:
    built = hierarchies("seven", draw("seven", np.random.default_rng([SEED, 0, 0])))
    counts = counts_of(SEED, 0)
    assert counts == seven_counts(built)
    table = RollUp(frequencies("train-complete", QUASI_IDENTIFIERS["T1"]), built, compiled=True)
    for name, model in CRITERIA.items():
        minimal = minimal_generalizations(table, model).minimal
        assert counts[f"minimal, {name}"] == len(minimal)
        for groups in GROUPINGS:
            attacks = [similarity_attack(table.unsorted(n), occupation_groups(groups), level=1) for n in minimal]
            assert counts[f"vulnerable, {name}, {groups}"] == sum(len(a.affected) > 0 for a in attacks)
            assert counts[f"most records, {name}, {groups}"] == max(a.records for a in attacks)


def test_draws_differ_by_seed_and_number() -> None:
    drawn = {tuple(draw("seven", np.random.default_rng([seed, 0, n])).values()) for seed in (1, 2) for n in range(5)}
    assert len(drawn) == 10


# ---------------------------------------------------------------------- the search


def toy_counts(built: Place, criteria: object) -> dict[str, int]:
    """Counts that depend on each choice, so that a search has something to do."""
    return {"minimal, entropy 2": 21 + built["race"] % 5, "vulnerable, entropy 2, S1": 13 - built["workclass"] % 4}


@pytest.fixture
def toy(monkeypatch: pytest.MonkeyPatch) -> int:
    monkeypatch.setattr("experiments.studies.fit.counts.seven_counts", toy_counts)
    monkeypatch.setattr("experiments.studies.fit.universe.hierarchies", lambda kind, place: place)
    return next(i for i, target in enumerate(TARGETS) if (target.title, target.groups) == ("entropy 2-diverse", "S1"))


@pytest.mark.parametrize("seed", range(5))
def test_a_search_comes_ever_nearer_and_ends_at_the_printed_counts(toy: int, seed: int) -> None:
    steps = Climb(seed, toy, 10_000).compute()
    distances = [step["distance"] for step in steps]
    assert distances[-1] == 0
    assert distances == sorted(distances, reverse=True)
    assert [step["try"] for step in steps] == sorted(step["try"] for step in steps)
    for step in steps:
        assert step["distance"] == TARGETS[toy].distance(toy_counts(step, ()))


@pytest.mark.parametrize("tries", [1, 2, 7])
def test_a_search_gives_up_after_its_tries(toy: int, monkeypatch: pytest.MonkeyPatch, tries: int) -> None:
    tried: list[Place] = []

    def never(built: Place, criteria: object) -> dict[str, int]:
        tried.append(built)
        return {"minimal, entropy 2": 20, "vulnerable, entropy 2, S1": 13}

    monkeypatch.setattr("experiments.studies.fit.counts.seven_counts", never)
    last = Climb(1, toy, tries).compute()[-1]
    assert (last["try"], last["distance"], len(tried)) == (tries, 1, tries)
    assert len({tuple(place.values()) for place in tried}) == tries
    assert all(sum(a[k] != b[k] for k in a) <= 1 for a, b in zip(tried, tried[1:], strict=False)) or tries > 2


def test_an_interrupted_run_goes_on_and_ends_the_same(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("experiments.studies.fit.counts.counts_of", lambda seed, number: {"minimal": seed * number})

    def interrupted(items: Iterable[None], label: str, total: int) -> Iterator[None]:
        yield from islice(items, 2)
        raise KeyboardInterrupt

    parts: list[Part] = [Draws(5, i, min(i + 2, 7)) for i in range(0, 7, 2)]
    whole = Kept(tmp_path / "whole", 5).rows(parts, every, workers=1)
    assert [row["minimal"] for rows in whole for row in rows] == [5 * n for n in range(7)]
    cut = Kept(tmp_path / "cut", 5)
    with pytest.raises(KeyboardInterrupt):
        cut.rows(parts, interrupted, workers=1)
    kept = {path: path.stat().st_mtime_ns for path in cut.folder.iterdir()}
    assert len(kept) == 2
    seen: list[int] = []

    def counted(items: Iterable[None], label: str, total: int) -> Iterator[None]:
        seen.append(total)
        return iter(items)

    assert cut.rows(parts, counted, workers=1) == whole
    assert seen == [2]  # of four parts
    assert all(path.stat().st_mtime_ns == before for path, before in kept.items())
    cut.forget()
    assert not cut.folder.exists()
    assert Kept(tmp_path, 5).folder != Kept(tmp_path, 6).folder


# ---------------------------------------------------------------------- the study


def test_a_target_is_hit_where_all_of_its_counts_are_printed() -> None:
    target = Target("a", "seven", {"x": "TC-22a", "y": "TC-22b"})
    counted = {"seven": {"x": np.array([21, 21, 20, 21]), "y": np.array([13, 12, 13, 13])}}
    assert hits(target, counted).tolist() == [True, False, False, True]
    assert hits(target, counted, ["x"]).tolist() == [True, True, False, True]
    assert [target.distance({"x": x, "y": 12}) for x in (21, 18)] == [1, 4]


def test_the_interval_of_a_share_is_that_of_the_count_beside_it() -> None:
    """Of three hierarchies two give the printed number of minimal tables, one all counts."""
    counted: dict[str, dict[str, np.ndarray]] = {"five": {}, "seven": {}}
    for target in TARGETS:
        for column, stated in target.stated.items():
            found = np.array([stated, stated if column.startswith("minimal") else -1, -1])
            counted[target.kind][column] = found.reshape((1, 1, 3) if target.kind == "five" else 3)
    drawn = fit.shares(counted, SEED).query("drawn == 'yes'")
    assert len(drawn) == 10
    for row in drawn.to_dict("records"):
        assert (row["looked at"], row["first count as printed"], row["all counts as printed"]) == (3, 2, 1)
        assert (row["interval from"], row["interval to"]) == wilson(1, 3)
        assert row["first draw"] == "1"


@pytest.mark.slow
def test_the_study_runs_small_and_its_shares_are_counts_of_its_tables(tmp_path: Path, undrawn: None) -> None:
    result = STUDY.run(StudyRun(STUDY.name, tmp_path, smoke=True))
    assert all(figure.path.stat().st_size > 0 and figure.caption for figure in result.figures)
    five, seven = (result.tables[f"{kind}_quasi_identifiers"] for kind in ("five", "seven"))
    table = result.tables["shares"]
    for target, (_, row) in zip(TARGETS, table.iterrows(), strict=True):
        mine = five if target.kind == "five" else seven.assign(hierarchies=1)
        alike = pd.Series(True, mine.index)
        for n, (column, number) in enumerate(target.stated.items()):
            alike &= mine[column] == number
            if n == 0:
                assert row["first count as printed"] == mine["hierarchies"][alike].sum()
        assert row["all counts as printed"] == mine["hierarchies"][alike].sum()
        assert row["looked at"] == mine["hierarchies"].sum() == (total("five") // 20 if target.kind == "five" else 2)
        assert (row["drawn"] == "no") == (target.kind == "five") == bool(pd.isna(row["interval from"]))
    presets = result.tables["presets"].set_index("preset")["in the space"]
    assert [name for name in presets.index if presets[name] == "yes"] == [f"{name} (fitted)" for name in FITTED]
    groupings = result.tables["groupings"]
    assert (groupings["as printed"] <= groupings["groupings"]).all()
    assert set(groupings.loc[groupings["criterion"] == "recursive (4,4)", "most vulnerable"]) < set(range(17))
    assert not list(tmp_path.glob("parts-*"))
    most = seven[[f"vulnerable, recursive (4,4), {g}" for g in GROUPINGS]].to_numpy().max()
    assert ("all but the 17 vulnerable recursive (4,4)-diverse tables" in result.summary) == (most < 17)


def test_a_count_that_only_drawn_hierarchies_give_is_said_to_be_fitted() -> None:
    """(4,4) has 26 minimal tables under none of the presets; where a draw gives 26, the verdict says how rare it is."""
    claim = load_ledger()["TC-24a"]
    under_t1 = Outcome(22, detail="T1 22", presets=("T1",))
    for drawn, kind in (([13, 20], Kind.FAILS), ([13, 26, 20], Kind.FITTED)):
        columns = {column for target in TARGETS for column in target.columns if target.kind == "seven"}
        seven = {column: np.array(drawn) for column in columns}
        found = fit._weighed("TC-24a", under_t1, {"five": {}, "seven": seven}, pd.DataFrame())
        compared = verdict(claim, found)
        assert compared.kind is kind
        assert found.detail.startswith("T1 22. 26 minimal tables, recursive (4,4)-diverse, in ")
        if kind is Kind.FITTED:
            assert str(compared.why).startswith(
                "not under T1, which gives 22, but under draw 2 of our hierarchies; 26 minimal tables"
            )
            assert "1 of 3 (33.3 %" in str(compared.why)


def test_the_groupings_open_as_many_tables_as_the_similarity_attack() -> None:
    domain = rolled("T1").domain
    groups = [
        [sum(1 << domain.code(v) for v in group) for group in OCCUPATION_GROUPS[name].values()] for name in GROUPINGS
    ]
    for criterion, opened in (("entropy 2", [13, 7]), ("recursive (4,4)", [0, 0]), ("recursive (4,2)", [17, 12])):
        minimal = minimal_generalizations(rolled("T1"), CRITERIA[criterion]).minimal
        assert fit.vulnerable("T1", minimal, np.array(groups)).tolist() == opened


def test_the_first_draw_is_counted_from_one() -> None:
    assert fit.first_hit(np.array([False, True, True]), None) == "2"
    assert fit.first_hit(np.zeros(1500, dtype=bool), None) == "none of 1,500"
    rare = np.zeros((3, 4, 5), dtype=bool)
    rare[1, 2, 3] = True
    rng = np.random.default_rng([7, 2])
    places = list(zip(*(rng.integers(size, size=fit.DRAWN_OF_ALL) for size in rare.shape), strict=True))
    assert fit.first_hit(rare, 7) == str(1 + places.index((1, 2, 3)))
