"""What releases give away: the numbers beside plain countings of records, and examples of the literature by hand."""

from __future__ import annotations

import json
import math
import random
from collections import Counter, defaultdict
from fractions import Fraction
from itertools import combinations_with_replacement, permutations
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from experiments import adult, proofs
from experiments.proofs import CERTIFICATE, COMPOSITION, COUNTS, DRAWS, LABELS
from experiments.runner import SEED, StudyRun, discover
from experiments.studies.consistent_originals import STUDY as LONG
from experiments.studies.what_releases_give_away import STUDY, Grid, literature
from experiments.studies.what_releases_give_away.adult_tables import (
    CURES,
    GRID,
    GUESSED,
    NUMBERS,
    refused_row,
    released,
    rows_of,
)
from experiments.studies.what_releases_give_away.asked import asked
from experiments.studies.what_releases_give_away.cures import cured, drawn_in_order
from experiments.studies.what_releases_give_away.literature import ILL, _table, compared_with, jump, wong
from experiments.studies.what_releases_give_away.small_tables import (
    CODE,
    SECRET,
    Drawn,
    all_tables,
    drawn_tables,
    table_of,
)
from experiments.studies.what_releases_give_away.two_releases import compared
from proofs_tests.anonymize.drawn import drawing, in_order, release_of
from tcloseness.anonymize import anatomy
from tcloseness.attacks import ConsistentOriginals, consistent_originals
from tcloseness.certificates import verify_composition, verify_draws, verify_labels
from tcloseness.errors import InfeasibleError, NotReached, StudyError
from tcloseness.microdata import Microdata
from tcloseness.models import DistinctLDiversity, FrequencyLDiversity, KAnonymity

try:
    adult.fetch()
except adult.DataMissing:
    pytest.skip("the Adult data are not there", allow_module_level=True)


def ranges(k):
    """By class of strict Mondrian with k on Adult, the number of records and (low, high) of each attribute."""
    frame = adult.load("train-complete")
    classes = defaultdict(list)
    class_of = released(asked(f"mondrian k={k}")).release.class_of.tolist()
    for g, row in zip(class_of, frame[list(NUMBERS)].to_numpy().tolist(), strict=True):
        classes[g].append(row)
    return [
        (len(rows), [(min(column), max(column)) for column in zip(*rows, strict=True)]) for rows in classes.values()
    ]


# ---------------------------------------------------------------------- labels and their price


def assert_proved(found) -> None:
    """Each value that labels imply is one of a certificate that holds of the counts beside it."""
    for row, files in found:
        facts = 0
        for name, content in files.items():
            if name.endswith(LABELS):
                verify_labels(content, files[f"{name.removesuffix(LABELS)}{COUNTS}"])
                facts += sum(len(fact["values"]) for fact in json.loads(content)["facts"])
        assert facts == row["of these certain by tight"]


@pytest.mark.long
@pytest.mark.parametrize(
    ("k", "share", "price"), [(2, "67.4", "0.0032"), (5, "25.7", "0.0112"), (10, "12.7", "0.0208")]
)
def test_ends_of_intervals_and_what_they_cost_are_those_of_a_plain_count(k, share, price) -> None:
    found = list(rows_of(asked(f"mondrian k={k}")))
    assert_proved(found)
    made, grid, trees = (row for row, _ in found)
    assert [row["labels"] for row in (made, grid, trees)] == list(CURES)
    frame = adult.load("train-complete")
    spans = {name: (int(frame[name].min()), int(frame[name].max())) for name in NUMBERS}
    ends = cells = tight = snapped = 0
    for size, of in ranges(k):
        for (low, high), (name, width) in zip(of, GRID.items(), strict=True):
            least, most = spans[name]
            ends, cells = ends + 2 * (low < high), cells + size * (low < high)
            tight += Fraction(size * int(high - low), most - least)
            if low < high:
                a, b = max(low // width * width, least), min(high // width * width + width - 1, most)
                snapped += Fraction(size * int(b - a), most - least)
    n = 3 * len(frame)
    assert (made["of these certain by tight"], made["generalized cells"]) == (ends, cells)
    assert f"{100 * made['share']:.1f}" == share
    assert math.isclose(made["NCP per cell"], tight / n)
    assert f"{made['NCP per cell']:.4f}" == price
    assert math.isclose(grid["NCP per cell"], snapped / n)
    assert grid["of these certain by tight"] < made["of these certain by tight"] / 10
    assert trees["of these certain by tight"] == 0 < trees["NCP per cell"]


@pytest.mark.long
def test_pairs_are_known_whole_and_whole_levels_say_nothing() -> None:
    found = list(rows_of(asked("mdav k=2")))
    assert_proved(found)
    made = found[0][0]
    assert made["of these certain by tight"] == made["generalized cells"] > 0
    ((only, _),) = rows_of(asked("datafly k=5"))
    assert only["of these certain by tight"] == 0 < only["generalized cells"]
    ((two_tables, _),) = rows_of(asked("anatomy frequency=3"))
    assert "NCP per cell" not in two_tables
    assert two_tables["persons certain by classes"] == 0
    assert two_tables[GUESSED] > 1 / 3  # what chance is right about, of three values


def test_what_a_grid_does_not_say_clearly_is_refused() -> None:
    for text in ("mondrian", "mondrian k", "mondrian z=3"):
        with pytest.raises(StudyError):
            asked(text)
    assert asked("mondrian k=2 distinct=3").model == KAnonymity(2) & DistinctLDiversity(3)


@pytest.mark.slow
def test_cuts_that_were_refused_settle_some_persons_where_two_values_are_asked_for() -> None:
    row = refused_row(asked("mondrian k=2 distinct=2"), 2000)
    assert (row["persons certain"], row["persons certain by classes"], row["open"]) == (78, 0, 0)


@pytest.mark.parametrize("number", range(5))
def test_records_are_drawn_in_order_as_anatomy_draws_them_where_nothing_is_permuted(number) -> None:
    rng = random.Random(number)
    while True:
        rows = [(rng.randrange(9), rng.randrange(3), rng.choice("aabcd")) for _ in range(12)]
        frame = pd.DataFrame(rows, columns=["age", "zip", "ill"])
        table = Microdata.from_frame(frame, quasi_identifiers=["age", "zip"], sensitive="ill")
        try:
            with drawing(in_order(table)):
                made = anatomy(table, FrequencyLDiversity(2))
        except (NotReached, InfeasibleError):
            continue
        assert release_of(drawn_in_order(table, 2).class_of) == release_of(made.partition.class_of)
        break


@pytest.mark.slow
def test_anatomy_drawn_in_order_settles_nearly_everybody_and_drawn_in_secret_nobody() -> None:
    row, files = cured("anatomy frequency=3", 2000)
    assert [row[way] for way in ("certain by classes", "certain", "certain, cured")] == [0, 29_983, 0]
    assert row["NCP per cell"] == row["NCP per cell, cured"] == 0
    names = sorted(files, key=lambda name: name.endswith(DRAWS), reverse=True)
    assert "29,983 persons" in verify_draws(*(files[name] for name in names))


@pytest.mark.slow
def test_cuts_by_quasi_identifiers_alone_settle_nobody_and_cost_more() -> None:
    row, files = cured("mondrian k=2 distinct=2", 2000)
    assert [row[way] for way in ("certain by classes", "certain", "certain, cured")] == [0, 78, 0]
    assert row["cure"] == "cuts by quasi-identifiers alone, k = 19"
    classes = [released(asked(f"mondrian k={k}")).release.classes for k in (18, 19)]
    assert [int(np.diff(each.starts).min()) for each in classes] == [1, 2]  # how many values a class has at least
    times = row["NCP per cell, cured"] / row["NCP per cell"]
    page = " ".join((Path(__file__).resolve().parents[2] / "docs" / "attacks.md").read_text(encoding="utf-8").split())
    assert f"k = 19, and {times:.1f} times the loss; the value of nobody is certain then, before that of 78" in page
    assert len(files) == 2


# ---------------------------------------------------------------------- two releases


@pytest.mark.slow
def test_sums_settle_three_times_as_many_as_sets_and_programs_more() -> None:
    row, files = compared("all mondrian k=5 + age,education-num mondrian k=5", programs=True)
    assert [row[way] for way in ("by sets", "by sums", "by programs")] == [466, 1392, 1546]
    assert sum(name.endswith(COMPOSITION) for name in files) == 1


@pytest.mark.long
def test_by_sets_those_are_certain_whose_classes_share_one_value() -> None:
    row, files = compared("all mondrian k=5 + all mondrian k=7", programs=False)
    occupation = adult.load("train-complete")["occupation"]
    both = [released(asked(f"mondrian k={k}")).release.class_of for k in (5, 7)]
    values = [occupation.groupby(of).agg(set) for of in both]
    sets = [values[0][g] & values[1][h] for g, h in zip(*both, strict=True)]
    assert row["by sets"] == sum(len(each) == 1 for each in sets)
    assert row["by sums"] >= row["by sets"] >= row["alone"]
    assert row["by programs"] is None
    tables = [content for name, content in sorted(files.items()) if name.endswith(COUNTS)]
    (proof,) = [content for name, content in files.items() if name.endswith(COMPOSITION)]
    assert f"the value of {row['by sums']:,} persons of 30,162" in verify_composition(proof, tables)


# ---------------------------------------------------------------------- small tables


def mondrian_by_hand(values, k):
    """Cut at the median, as long as both parts have k records; return the ranges and sizes of the parts."""
    values = sorted(values)
    median = values[(len(values) - 1) // 2]
    left, right = [v for v in values if v <= median], [v for v in values if v > median]
    if min(len(left), len(right)) < k:
        return [(values[0], values[-1], len(values))]
    return mondrian_by_hand(left, k) + mondrian_by_hand(right, k)


@pytest.mark.long
def test_all_tables_of_four_records_are_counted_as_by_hand() -> None:
    found = all_tables(asked("mondrian k=2"), 4, 4)
    tables = list(combinations_with_replacement(range(4), 4))
    alike = defaultdict(list)
    for values in tables:
        alike[tuple(mondrian_by_hand(values, 2))].append(values)
    assert (found["tables"], found["releases"]) == (len(tables), len(alike))
    certain = bits = 0
    for worlds in alike.values():
        common = Counter(worlds[0])
        for world in worlds[1:]:
            common &= Counter(world)
        certain += len(worlds) * common.total()
        bits += len(worlds) * math.log2(len(worlds))
    assert math.isclose(found["certain by code"], certain / (4 * len(tables)))
    assert math.isclose(found["bits left by code"], bits / len(tables), abs_tol=1e-6)
    assert found["certain by labels"] <= found["certain by tight"] <= found["certain by code"]
    assert found["bits left by labels"] >= found["bits left by tight"] >= found["bits left by code"]
    assert len(table_of(tables[0], 4)) == 4


@pytest.mark.slow
@pytest.mark.parametrize(
    ("method", "certain", "bits"),
    [
        ("mondrian k=2", ("31", "74", "77"), ("4.8", "2.4", "1.8")),
        ("mdav k=2", ("46", "100", "100"), ("3.8", "0.0", "0.0")),
    ],
)
def test_all_tables_of_six_records(method, certain, bits) -> None:
    """Shares by a plain grouping of the 1,716 tables by release, and by an enumeration of what labels allow."""
    found = all_tables(asked(method), 6)
    levels = ("labels", "tight", "code")
    assert tuple(f"{100 * found[f'certain by {level}']:.0f}" for level in levels) == certain
    assert tuple(f"{found[f'bits left by {level}']:.1f}" for level in levels) == bits


@pytest.mark.parametrize("method", ["mondrian k=2", "mondrian-relaxed k=2", "mdav k=2"])
def test_what_asks_for_k_alone_excludes_no_world_where_nothing_is_drawn(method) -> None:
    (row,) = drawn_tables(asked(method), Drawn(SEED, 5, repeated=False), 2, 200, 20)
    assert (row["tables"], row["worlds left"], row["excluded values"]) == (2, 1, 0)
    assert row["certain by level"] == row["certain by classes"]


@pytest.mark.long
@pytest.mark.parametrize("method", ["mondrian-relaxed k=2", "mdav k=2", "anatomy frequency=2"])
def test_whoever_does_not_know_the_seed_excludes_nothing(method) -> None:
    """Of equal quasi-identifiers, and in Anatomy, records are drawn: with one of forty seeds any world is released."""
    code, secret = drawn_tables(asked(method), Drawn(SEED, 5, repeated=True), 2, 200, 40, 40)
    assert (code["level"], secret["level"]) == (CODE, SECRET)
    assert code["worlds left"] < secret["worlds left"] == 1
    assert secret["certain by level"] == secret["certain by classes"]


def test_random_tables_are_the_same_in_every_run_and_those_of_too_many_worlds_are_passed_over() -> None:
    def first(drawn):
        return next(iter(drawn)).to_frame()

    assert first(Drawn(SEED, 5, repeated=False)).equals(first(Drawn(SEED, 5, repeated=False)))
    (row,) = drawn_tables(asked("mondrian k=2"), Drawn(SEED, 5, repeated=False), 2, 1, 3)
    assert (row["passed over"] + row["tables"]) == 3


# ---------------------------------------------------------------------- the literature


def test_both_q1_have_cancer() -> None:
    """The q1 are shown with two q2, so at level 0 cancer was more than half of a class: of that of the q1."""
    found = wong()
    assert (found.candidates, found.consistent) == (6, 1)
    assert (found.beliefs_before[0]["cancer"], found.beliefs[0]["cancer"]) == (Fraction(1, 2), 1)


def test_a_grouping_that_failed_says_who_has_cancer() -> None:
    """Of the ways to hand each class of three its illnesses, those in which some pair has a single illness."""
    left = [
        (*a, *b)
        for a in set(permutations(ILL[:3]))
        for b in set(permutations(ILL[3:]))
        if any((*a, *b)[i] == (*a, *b)[i + 1] for i in (0, 2, 4))
    ]
    found = jump()
    assert (found.candidates, found.consistent) == (36, len(left))
    assert {i for i in range(6) if len({world[i] for world in left}) == 1} == {2, 3}
    assert [found.beliefs[i].get("cancer") for i in (2, 3)] == [1, 1]


def test_what_could_not_be_run_is_said_with_its_reason() -> None:
    found = compared_with()
    no = found[found["reproduced"] == "not run"]
    assert len(no) == 4
    assert (found["reproduced"] == "yes").sum() == len(found) - 4
    assert no["belief after"].isna().all()
    assert no["what it says"].str.len().min() > 50


@pytest.mark.parametrize("example", ["wong", "jump"])
def test_what_does_not_come_out_is_not_called_reproduced(example, monkeypatch: pytest.MonkeyPatch) -> None:
    """Of a method that does not look at the sensitive values nothing more is learned than its classes say."""

    def sizes_alone() -> ConsistentOriginals:
        table = _table(["q1", "q1", "q2"], ["cancer", "none", "none"])
        return consistent_originals(table, lambda world: [0, 0, 0])

    monkeypatch.setattr(literature, example, sizes_alone)
    assert compared_with()["reproduced"].value_counts().to_dict() == {"not run": 4, "yes": 1, "no": 1}


# ---------------------------------------------------------------------- the study


@pytest.mark.slow
@pytest.mark.parametrize("study", [STUDY, LONG], ids=lambda study: study.name)
def test_the_study_runs_small_and_its_certificates_hold(study, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / study.name
    folder.mkdir()
    result = study.run(StudyRun(study.name, folder, smoke=True))
    assert all(figure.path.stat().st_size > 0 and figure.caption for figure in result.figures)
    for name, content in result.proofs.items():
        (folder / name).write_bytes(content)
    monkeypatch.setattr(proofs, "why_not", lambda _: "")
    made = sum(name.endswith(proofs.ENDINGS) for name in result.proofs)
    assert any(name.endswith(DRAWS if study is STUDY else CERTIFICATE) for name in result.proofs)
    (said,) = proofs.verified(tmp_path)
    assert said.startswith(f"{study.name}: {made} certificates of ")
    assert (result.tables["cures"]["certain, cured"] == 0).all()
    assert (result.tables["cures"]["certain"] > 0).all()
    small = result.tables["random_small_tables"].dropna(subset=["certain by level"])
    assert len(small)
    assert (small["certain by level"] >= small["certain by classes"]).all()
    assert all(isinstance(table, pd.DataFrame) and len(table) for table in result.tables.values())


def test_what_takes_long_is_run_where_all_studies_are() -> None:
    assert not STUDY.needs
    assert LONG.needs
    grids = {study.name: StudyRun(study.name, Path()).grid(Grid) for study in (STUDY, LONG)}
    assert any("optimal-partition" in text for text in grids[LONG.name].drawn)
    assert not any("optimal-partition" in text for text in grids[STUDY.name].drawn)
    assert {STUDY.name, LONG.name} <= set(discover())
