"""The data sets whose releases are used: another one needs an entry here, and its name in the study's grid."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache

import pandas as pd

from experiments import adult
from experiments.adult_hierarchies import QUASI_IDENTIFIERS, preset
from tcloseness.errors import StudyError
from tcloseness.microdata import Hierarchy

__all__ = ["DATA", "DataSet", "data_set"]


@dataclass(frozen=True)
class DataSet:
    """A table of persons, and what each of its columns is.

    Attributes
    ----------
    name
        Its name.
    records
        What loads the table: no cell of the columns below is missing.
    hierarchies
        What makes the hierarchies of the quasi-identifiers, by name and in their order; each covers all values.
    described
        The quasi-identifiers and their hierarchies in words.
    numbers
        The quasi-identifiers whose queries ask for ranges; of the others they ask for sets of values.
    sensitive
        The sensitive attribute.
    label
        The column that a user wants to predict; it is published as it is.
    pairs
        Pairs of columns for the question what several sensitive attributes cost; none is a quasi-identifier.
    """

    name: str
    records: Callable[[], pd.DataFrame]
    hierarchies: Callable[[], Mapping[str, Hierarchy]]
    described: str
    numbers: tuple[str, ...]
    sensitive: str
    label: str
    pairs: tuple[tuple[str, str], ...]


PRESET = "ARX+race"


@cache
def _adult() -> pd.DataFrame:
    return adult.load("train-complete").rename(columns={"class": "salary class"})


ADULT = DataSet(
    name="Adult",
    records=_adult,
    hierarchies=lambda: preset(PRESET),
    described=f"{', '.join(QUASI_IDENTIFIERS[PRESET])}, as in Li et al. 2007, §6, under the hierarchies {PRESET}, "
    "which were not searched for a paper's numbers",
    numbers=("age",),
    sensitive="occupation",
    label="salary class",
    pairs=(("occupation", "salary class"), ("occupation", "relationship")),
)

DATA = {found.name: found for found in (ADULT,)}
"""By name."""


def data_set(name: str) -> DataSet:
    """Return a data set by its name.

    Raises
    ------
    StudyError
        If there is none of this name.
    """
    if name not in DATA:
        raise StudyError(f"there is no data set {name!r} for the study of utility; there are {', '.join(DATA)}")
    return DATA[name]
