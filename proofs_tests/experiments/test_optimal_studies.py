"""The studies that compare with optima: laws that their rows must obey, on small grids."""

from __future__ import annotations

from fractions import Fraction
from functools import cache
from itertools import combinations, pairwise
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import numpy as np
import pandas as pd
import pytest
from rich.console import Console

from experiments import adult, proofs
from experiments.adult_hierarchies import QUASI_IDENTIFIERS
from experiments.adult_lattices import rolled
from experiments.grids import load_grid
from experiments.intervals import LEVEL, Paired, holm
from experiments.proofs import CERTIFICATE, COUNTS, HIERARCHY
from experiments.runner import StudyRun
from experiments.small_tables import drawn, printed, proof_files
from experiments.studies import (
    confidential_microaggregation as confidential,
    optimality_gap,
    price_of_privacy,
    suppress_or_hide,
)
from tcloseness.certificates import Envelope, verify
from tcloseness.errors import StudyError
from tcloseness.models import KAnonymity, TCloseness

try:
    adult.fetch()
except adult.DataMissing:
    pytest.skip("the Adult data are not there", allow_module_level=True)

SEED = 20070415


def test_drawn_tables_are_the_same_each_time_and_different_from_each_other() -> None:
    def records(small):
        return list(zip(*([c.domain.values[x] for x in c.codes] for c in small.table.quasi_identifiers), strict=True))

    first, again, other = drawn(8, 0, SEED), drawn.__wrapped__(8, 0, SEED), drawn(8, 1, SEED)
    assert records(first) == records(again) != records(other)


@pytest.mark.parametrize("small", [drawn(8, 0, SEED), drawn(8, 1, SEED), printed()[0]], ids=lambda small: small.name)
def test_no_heuristic_loses_less_than_the_optimum(small) -> None:
    grid = optimality_gap.Grid(sizes=(8,), draws=(1,), k=3, l=3, t="0.5", seconds=60)
    rows = [
        row for named in optimality_gap.models(grid).items() for row in optimality_gap.gaps(small, *named, 60, SEED)
    ]
    assert {row["method"] for row in rows} == set(optimality_gap.METHODS)
    for row in rows:
        assert row["is optimal"]
        if row["loss"] is not None:
            assert Fraction(row["loss"]) >= Fraction(row["optimum"]), row
            assert row["reaches the optimum"] == (Fraction(row["loss"]) == Fraction(row["optimum"]))


def test_where_the_optimum_is_not_proved_ratios_are_to_the_bound(monkeypatch) -> None:
    small = drawn(8, 0, SEED)
    best = SimpleNamespace(bound=Fraction(1, 50), objective=Fraction(1, 40), solution=SimpleNamespace(partition=[0]))
    monkeypatch.setattr(optimality_gap, "optimal_partition", lambda *_, **__: best)
    for row in optimality_gap.gaps(small, "k = 3", KAnonymity(3), 60, SEED):
        assert (row["optimum"], row["is optimal"], row["reaches the optimum"]) == ("1/50", False, False)
        assert row[optimality_gap.RATIO] == float(50 * Fraction(row["loss"]))


def made_up_gaps(losses: dict[str, list[Fraction | None]]) -> pd.DataFrame:
    """Rows as of tables that were drawn, with an optimum of 1."""
    return pd.DataFrame(
        {
            "table": f"no. {i}",
            "drawn": True,
            "records": 12 + 8 * (i % 2),
            "model": "k = 3",
            "method": method,
            "loss": None if loss is None else str(loss),
            optimality_gap.RATIO: None if loss is None else float(loss),
            "reaches the optimum": loss == 1,
        }
        for method, of in losses.items()
        for i, loss in enumerate(of)
    )


def test_a_method_is_said_to_lose_less_only_where_the_sign_test_says_so() -> None:
    """Against 'even', as often better as worse; 'near' is always a little worse than 'even'; 'lost' finds no table."""
    one = Fraction(1)
    gaps = made_up_gaps(
        {
            "first": [one] * 20,
            "even": [one + Fraction((-1) ** i, 9) for i in range(20)],
            "near": [one + Fraction((-1) ** i, 9) + Fraction(1, 100) for i in range(20)],
            "lost": [None] * 20,
        }
    )
    pairs = optimality_gap.compared(gaps.sample(frac=1, random_state=1))
    assert pairs.groupby("records", sort=False).size().to_dict() == {"all": 6, "12": 6, "20": 6}
    pairs = pairs[pairs["records"] == "all"]
    found = pairs.set_index(["method", "other"])
    for a, b in combinations(["first", "even", "near", "lost"], 2):
        row = found.loc[(a, b) if (a, b) in found.index else (b, a)]
        assert row["wins"] + row["ties"] + row["losses"] == 20
        assert row["loses less"] == ("not shown" if {a, b} in ({"first", "even"}, {"first", "near"}) else a)
        assert row["p"] <= row["adjusted p"] <= 6 * row["p"]
    assert set(optimality_gap.not_beaten(pairs)) == {"first", "even"}
    assert optimality_gap.best_of(pairs) is None
    without = pairs[~(pairs["method"].eq("first") | pairs["other"].eq("first"))]
    assert optimality_gap.best_of(without) == "even"


def test_what_is_shown_over_all_sizes_is_not_said_of_each() -> None:
    """The first always loses less on tables of 12 records, and is as often better as worse on those of 20."""
    other = [Fraction(10, 9) if i % 2 == 0 else 1 + Fraction((-1) ** (i // 2), 9) for i in range(40)]
    gaps = made_up_gaps({"first": [Fraction(1)] * 40, "other": other}).assign(**{"is optimal": True})
    pairs, medians = optimality_gap.compared(gaps), optimality_gap.shares(gaps, SEED)
    open_ = pd.DataFrame(columns=["table", "records", "model", "bound"])
    text = optimality_gap._summary(medians, pairs, gaps, open_)
    assert "loses less than every other method over all sizes together; then other" in text
    assert "size by size, shown to lose least: first at 12 records, at the others none" in text


def test_of_every_size_so_many_tables_are_drawn_that_a_difference_could_be_shown() -> None:
    """Also where most pairs are adjusted for: if one method always loses less, every pair of it is shown."""
    grid = load_grid(optimality_gap.Grid, optimality_gap.NAME, smoke=False)
    pairs = len(optimality_gap.METHODS) * (len(optimality_gap.METHODS) - 1) // 2
    assert all(holm({i: Paired(n, 0, 0).p for i in range(pairs)})[0] <= LEVEL for n in grid.draws)
    assert sum(grid.draws) == 100


@pytest.mark.slow
def test_what_is_said_of_methods_is_of_the_drawn_tables_alone(tmp_path, monkeypatch) -> None:
    grid = optimality_gap.Grid(sizes=(8, 9), draws=(2, 1), k=3, l=3, t="0.5", seconds=60)
    monkeypatch.setattr(StudyRun, "grid", lambda *_: grid)
    monkeypatch.setattr(optimality_gap, "_draw", lambda _, __, path: path)
    found = optimality_gap.STUDY.run(StudyRun(optimality_gap.NAME, tmp_path, console=Console(quiet=True))).tables
    names = {small.name for small in printed()}
    assert names < set(found["gaps"]["table"])
    of_sample = found["gaps"][~found["gaps"]["table"].isin(names)]
    for size, part in (("all", of_sample), ("8", of_sample[of_sample["records"] == 8])):
        tables = part.groupby("model")["table"].nunique().to_dict()
        for name in ("shares", "pairs"):
            mine = found[name][found[name]["records"] == size]
            counted = mine["tables"] if name == "shares" else mine[["wins", "ties", "losses"]].sum(axis=1)
            assert dict(zip(mine["model"], counted, strict=True)) == tables


def test_medians_are_of_the_tables_of_their_size_and_inside_their_intervals() -> None:
    losses = [Fraction(10 + i, 10) if i % 5 else None for i in range(20)]
    found = optimality_gap.shares(made_up_gaps({"one": losses}), SEED).set_index("records")
    for size, mine in {"all": losses, "12": losses[::2], "20": losses[1::2]}.items():
        known = sorted(loss for loss in mine if loss is not None)
        row = found.loc[size]
        assert (row["tables"], row["not reached"]) == (len(mine), len(mine) - len(known))
        assert row["median ratio"] == pytest.approx(float(np.median([float(x) for x in known])))
        assert known[0] <= row["interval from"] <= row["median ratio"] <= row["interval to"] <= known[-1]
        assert row["optimal"] == known.count(Fraction(1))


@pytest.mark.long
def test_hiding_costs_at_most_suppression_which_costs_at_most_whole_classes_and_less_for_larger_t() -> None:
    k, release = suppress_or_hide.tables(5, 3000)["Mondrian, k = 3000"]
    found = [suppress_or_hide.compared(release, k, t, "hierarchical S1", 60, 0) for t in ("0.2", "0.1")]
    rows = [row for row, _ in found]
    for row, proved in found:
        left = [envelope.proof["least"] for envelope in proved.values()]
        assert left == [row[way] for way in suppress_or_hide.WAYS[1:]]
    whole, suppressed, hidden = ([row[way] for row in rows] for way in suppress_or_hide.WAYS)
    for row, a, b, c in zip(rows, hidden, suppressed, whole, strict=True):
        assert row["suppression"] == row["hiding"] == "optimal"
        assert a <= b <= c
    for costs in (whole, suppressed, hidden):
        assert all(a <= b for a, b in pairwise(costs))
    assert 0 < hidden[-1] < whole[-1]


GRID = price_of_privacy.Grid((), 5, (), (), 7, 9, 2, ("1", "0.6", "0.3"), (1, 2, 3), 60)


@cache
def small_rows(number: int) -> tuple[dict, ...]:
    return tuple(price_of_privacy.of_small_tables(GRID, number, SEED))


@pytest.mark.slow
def test_the_least_loss_rises_with_l_and_falls_with_t_and_the_tables_are_the_same_at_each_point() -> None:
    found = {number: small_rows(number) for number in range(3)}
    assert {any(row["optimum"] for row in rows) for rows in found.values()} == {True, False}
    for rows in found.values():
        assert len({row["optimum"] is None for row in rows}) == 1
        assert all(row["can be reached"] for row in rows) == (rows[0]["optimum"] is not None)
        if rows[0]["optimum"] is None:
            continue
        alone = Fraction(rows[0]["optimum"])
        for kind in (price_of_privacy.T, price_of_privacy.DISTINCT, price_of_privacy.FREQUENCY):
            losses = [Fraction(row["optimum"]) for row in rows if row["model"] == kind]
            ratios = [row[price_of_privacy.RATIO] for row in rows if row["model"] == kind]
            assert losses[0] == alone  # t = 1 and l = 1 ask for nothing
            assert losses == sorted(losses)
            assert ratios == [float(loss / alone) for loss in losses]


@pytest.mark.long
def test_whether_a_model_can_be_reached_is_what_the_values_of_the_table_say() -> None:
    """Distinct diversity by their number, frequency diversity by the most frequent one, t-closeness always."""
    for number in range(9):
        codes = drawn(GRID.records, number, SEED).table.sensitive[0].codes.tolist()
        most = max(map(codes.count, codes))
        for row in small_rows(number) if most * 3 > GRID.records else ():
            needs = {
                price_of_privacy.DISTINCT: lambda l: len(set(codes)) >= l,  # noqa: B023, E741
                price_of_privacy.FREQUENCY: lambda l: most * l <= GRID.records,  # noqa: B023, E741
            }.get(row["model"], lambda _: True)
            assert row["can be reached"] == needs(float(row["threshold"] or 0))


@pytest.mark.long
def test_means_are_over_the_tables_that_reach_everything_and_the_others_are_counted() -> None:
    small = pd.DataFrame(row for number in range(3) for row in small_rows(number))
    found = price_of_privacy.points(small, SEED)
    for row in found.to_dict("records"):
        mine = small[(small["model"] == row["model"]) & (small["threshold"] == row["threshold"])]
        known = mine["gcp"].dropna()
        assert (row["drawn"], row["cannot reach it"]) == (3, int((~mine["can be reached"]).sum()))
        assert row["tables"] == len(known) == found["tables"].iloc[0] > 0
        assert row["mean gcp"] == pytest.approx(known.mean())
        assert known.min() <= row["gcp, from"] <= row["mean gcp"] <= row["gcp, to"] <= known.max()


@pytest.mark.long
def test_full_domain_optima_rise_as_t_falls() -> None:
    proved: dict[str, Envelope] = {}
    models = {t: KAnonymity(5) & TCloseness(t, ground="equal") for t in ("1", "0.3", "0.2")}
    found = list(price_of_privacy.full_domain(rolled("T1"), 5, models, "dm", proved))
    ratios = [row[price_of_privacy.RATIO] for row in found]
    assert ratios[0] == 1
    assert ratios == sorted(ratios)
    files = price_of_privacy.adult_files({("T1", "dm", name): envelope for name, envelope in proved.items()})
    assert sum(name.endswith(CERTIFICATE) for name in files) == 1 + len(models)
    counts = next(content for name, content in files.items() if name.endswith(COUNTS))
    hierarchies = {
        column: (f"{column}.csv", content)
        for name, content in files.items()
        if name.endswith(HIERARCHY)
        for column in QUASI_IDENTIFIERS["T1"]
        if name.startswith(f"{column}-")
    }
    for name, row in zip(models, found, strict=True):
        checked = verify(proved[name].to_json(), counts, hierarchies)
        assert f"= {row['optimum']}" in checked.found


@pytest.mark.parametrize("attribute", ["hours-per-week", "age", "capital-gain"])
def test_classes_by_the_confidential_attribute_vary_least_and_disclosures_are_counted_record_by_record(
    attribute,
) -> None:
    table = confidential.sample(attribute, 60, 1)
    values = [int(table.sensitive[0].domain.values[code]) for code in table.sensitive[0].codes.tolist()]
    mean = Fraction(sum(values), 60)
    squares = sum((v - mean) ** 2 for v in values)
    found = {name: make(table, KAnonymity(5), seed=SEED) for name, make in confidential.METHODS.items()}
    rows = {name: confidential.measured(one, ("0.1", "0.5")) for name, one in found.items()}
    variability = [Fraction(rows[name]["within-class variability"]) for name in confidential.METHODS]
    assert variability[0] <= variability[1] < squares
    for name, one in found.items():
        class_of = one.grouped.class_of.tolist()
        for reach in ("0.1", "0.5"):
            disclosed = 0
            for group in class_of:
                mine = [values[i] for i, other in enumerate(class_of) if other == group]
                near = Fraction(reach) ** 2 * squares / 60
                disclosed += all((v - Fraction(sum(mine), len(mine))) ** 2 <= near for v in mine)
            assert rows[name][f"disclosed within {reach} sd"] == disclosed / 60
        assert rows[name][confidential.WITHIN] == float(Fraction(rows[name]["within-class variability"]) / squares)


def test_samples_are_the_same_each_time_and_different_from_each_other() -> None:
    def values(seed):
        column = confidential.sample.__wrapped__("age", 40, seed).sensitive[0]
        return [column.domain.values[code] for code in column.codes]

    assert values(1) == values(1) != values(2)


def test_a_sample_counts_once_and_only_if_all_of_its_comparisons_agree() -> None:
    """Two of three samples, not five of six pairs: comparisons of the same records are not independent."""
    assert confidential._in_samples([([1, 1, 1], [2, 2, 2]), ([5, 7, 5], [6, 7, 6])]) == [True, False, True]
    with pytest.raises(ValueError, match="shorter"):
        confidential._in_samples([([1, 1], [2, 2]), ([1], [2])])


@pytest.mark.parametrize("against", ["nothing", "CM-12", "CM-14", "CM-15", "CM-16"])
def test_one_sample_against_a_claim_about_every_sample_is_enough(against, monkeypatch) -> None:
    grid = confidential.Grid(("age", "hours-per-week"), 3, 100, (3, 6), 6, 3, (), ("0.1", "0.5"), 1, 5, 1)

    def made(grid, name, seed, k, model, method) -> dict:
        own, one = method == confidential.BY_CONFIDENTIAL, (name, seed, k) == ("age", 2, 3)
        within = 0.7 if one and own and against == "CM-12" else (0.01 if own else 0.2) * k
        near = 0.9 if one and own and against == "CM-15" else 0.97
        merged = 0 if one and against == "CM-16" else 1
        if against == "CM-14" and own and name == "age":
            within = 0.01 / k
        disclosed = {"disclosed within 0.1 sd": near, "disclosed within 0.5 sd": 1.0}
        return {confidential.WITHIN: within, "classes": 10, "classes as published": 10 - merged, **disclosed}

    monkeypatch.setattr(confidential, "load_grid", lambda *_, **__: grid)
    monkeypatch.setattr(confidential, "made", made)
    found = confidential._classes_of_like_values()
    assert {key for key, outcome in found.items() if not outcome.ours} == {against} - {"nothing"}


@pytest.mark.long
@pytest.mark.parametrize("swapped", [False, True])
def test_the_claims_about_confidential_microaggregation_hold_for_it_and_not_with_the_partitions_swapped(
    swapped, monkeypatch
) -> None:
    grid = confidential.Grid(("hours-per-week", "age"), 2, 150 + swapped, (3, 6), 6, 3, ("0.2",), ("0.5", "1"), 3, 5, 2)
    monkeypatch.setattr(confidential, "load_grid", lambda *_, **__: grid)
    if swapped:
        names = dict(zip(confidential.METHODS, reversed(confidential.METHODS.values()), strict=True))
        monkeypatch.setattr(confidential, "METHODS", names)
    found = confidential._classes_of_like_values()
    assert found["CM-12"].ours == found["CM-15"].ours == (not swapped)
    assert found["CM-14"].ours
    assert ("in 2 of 2 (100 %, 95 % interval 34.2 % to 100 %) samples" in found["CM-12"].detail) == (not swapped)
    assert confidential._unions_of_classes().ours
    method = next(iter(confidential.METHODS))
    made = [
        confidential.released(grid, name, seed, k, confidential.ALONE, method)
        for name in grid.attributes
        for k in grid.sizes
        for seed in grid.seeds
    ]
    assert found["CM-16"].ours == all(len(one.partition) < len(one.grouped) for one in made)
    by_sample = confidential._alone(grid, method, confidential.WITHIN)
    assert all(len(set(values)) == grid.samples for values in by_sample.values())
    if not swapped:
        assert confidential._least_variability().ours
    confidential.made.cache_clear()
    confidential.released.cache_clear()


def test_each_optimum_is_among_the_results_with_what_it_is_checked_against(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    small, proved = drawn(8, 0, SEED), dict[Any, Any]()
    grid = optimality_gap.Grid(sizes=(8,), draws=(1,), k=3, l=3, t="0.5", seconds=60)
    for named in optimality_gap.models(grid).items():
        list(optimality_gap.gaps(small, *named, 60, SEED, proved))
    files = proof_files(proved)
    assert len(proved) == sum(name.endswith(proofs.CERTIFICATE) for name in files) > 0
    assert sum(name.endswith(proofs.HIERARCHY) for name in files) == len(small.hierarchies)
    folder = tmp_path / "one"
    folder.mkdir()
    for name, content in files.items():
        (folder / name).write_bytes(content)
    monkeypatch.setattr(proofs, "why_not", lambda _: "")
    assert proofs.verified(tmp_path)[0].startswith(f"one: {len(proved)} certificates of ")
    for path in folder.glob(f"*{proofs.HIERARCHY}"):
        path.unlink()
    with pytest.raises(StudyError, match="needs the hierarchy"):
        proofs.verified(tmp_path)
