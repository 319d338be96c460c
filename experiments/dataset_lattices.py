"""Adult and the four data sets beside it, each as the studies that compare them take it: one sensitive attribute, its
groups, the quasi-identifiers with their hierarchies, and small tables drawn from it.
"""

from __future__ import annotations

import random
from collections.abc import Hashable
from dataclasses import dataclass
from functools import cache

import pandas as pd

from experiments import adult, adult_hierarchies, datasets
from experiments.adult_lattices import rolled as rolled_adult
from experiments.dataset_hierarchies import CPS_BANDS, hierarchies, wage_band
from experiments.small_tables import SmallTable
from tcloseness.errors import StudyError
from tcloseness.lattice import RollUp
from tcloseness.microdata import FrequencySet, Hierarchy, Microdata

__all__ = ["TABLES", "Table", "drawn_from", "frame_of", "rolled_up", "table"]

_ADULT = "ARX+race"
"""The preset of Adult that was not fitted to any printed count."""


@dataclass(frozen=True)
class Table:
    """What a study asks of a data set.

    Attributes
    ----------
    name
        ``adult`` or one of `datasets.DATASETS`.
    quasi_identifiers
        Those of the lattice.
    few
        Those of the small tables that are drawn.
    sensitive
        The sensitive attribute; its hierarchy has its groups on level 1.
    common, rarer
        One of its most frequent values, which may be disclosed, or which an attacker can exclude; and one to protect.
    """

    name: str
    quasi_identifiers: tuple[str, ...]
    few: tuple[str, ...]
    sensitive: str
    common: Hashable
    rarer: Hashable

    @property
    def title(self) -> str:
        """What it is called where it is shown."""
        return datasets.title(self.name)

    @property
    def groups(self) -> Hierarchy:
        """The hierarchy of the sensitive attribute."""
        if self.name == "adult":
            return adult_hierarchies.occupation_groups("S1")
        return hierarchies(self.name)[self.sensitive]

    def hierarchies(self, names: tuple[str, ...]) -> dict[str, Hierarchy]:
        """Return those of some quasi-identifiers."""
        known = adult_hierarchies.preset(_ADULT) if self.name == "adult" else hierarchies(self.name)
        return {name: known[name] for name in names}


_ALL = (
    Table(
        "adult",
        adult_hierarchies.QUASI_IDENTIFIERS[_ADULT],
        ("age", "education", "marital-status"),
        "occupation",
        "Other-service",
        "Craft-repair",
    ),
    Table(
        "kdd",
        ("age", "sex", "race", "marital_stat", "education", "country_of_birth_self"),
        ("age", "education", "marital_stat"),
        "major_occupation_code",
        "Not in universe",
        "Precision production craft & repair",
    ),
    Table(
        "military",
        ("branch", "grade", "gender", "race", "hispanic"),
        ("branch", "grade", "race"),
        "rank",
        6,
        8,
    ),
    Table(
        "cps",
        ("fips", "age_head", "age_spouse", "MARS", "XTOT"),
        ("fips", "age_head", "XTOT"),
        "wages",
        "0",
        "above 150000",
    ),
    Table(
        "gss",
        ("year", "age", "gender", "educcat", "maritalcat", "childs"),
        ("age", "educcat", "maritalcat"),
        "occrecode",
        "Service",
        "Construction/Extraction",
    ),
)

TABLES = {each.name: each for each in _ALL}
"""The tables by name, Adult first."""


def table(name: str) -> Table:
    """Return a table by name.

    Raises
    ------
    StudyError
        If there is none of that name.
    """
    if name not in TABLES:
        raise StudyError(f"there is no table {name!r}; there are {', '.join(TABLES)}")
    return TABLES[name]


@cache
def frame_of(name: str) -> pd.DataFrame:
    """Return the records of a table that lack none of the values that are asked for: those attributes alone.

    Of Adult they are the 30,162 complete records of the train file.
    """
    asked = table(name)
    columns = [*asked.quasi_identifiers, asked.sensitive]
    if name == "adult":
        return adult.load("train-complete")[columns]
    if name == "cps":
        frame = datasets.load(name, [*asked.quasi_identifiers, "e00200"])
        return frame.assign(wages=[wage_band(wage) for wage in frame["e00200"]])[columns]
    frame = datasets.load(name, columns).dropna().reset_index(drop=True)
    whole = [column for column in columns if frame[column].dtype == "Int64"]
    return frame.astype(dict.fromkeys(whole, "int64"))


def _order(asked: Table, frame: pd.DataFrame) -> list[Hashable]:
    """Return the sensitive values as they are ordered: bands and ranks by number, occupations by name."""
    if asked.name == "cps":
        bands = [wage_band(end) for end in (*CPS_BANDS, CPS_BANDS[-1] + 1)]
        return [band for band in bands if (frame[asked.sensitive] == band).any()]
    return sorted(frame[asked.sensitive].unique().tolist())


@cache
def rolled_up(name: str) -> RollUp:
    """Return a table under the lattice of its quasi-identifiers."""
    asked = table(name)
    if name == "adult":
        return rolled_adult(_ADULT)
    frame = frame_of(name)
    counted = FrequencySet.from_frame(
        frame,
        quasi_identifiers=list(asked.quasi_identifiers),
        sensitive=asked.sensitive,
        orders={asked.sensitive: _order(asked, frame)},
    )
    return RollUp(counted, asked.hierarchies(asked.quasi_identifiers))


@cache
def drawn_from(name: str, records: int, number: int, seed: int) -> SmallTable:
    """Return one of the tables of so many records that are drawn without replacement from a table."""
    asked, frame = table(name), frame_of(name)
    rows = random.Random(f"{seed} {name} {records} {number}").sample(range(len(frame)), records)
    part = frame.iloc[rows].reset_index(drop=True)
    small = Microdata.from_frame(
        part,
        quasi_identifiers=list(asked.few),
        sensitive=asked.sensitive,
        orders={asked.sensitive: _order(asked, part)},
    )
    return SmallTable(f"{asked.title} {records}, no. {number}", small, asked.hierarchies(asked.few))
