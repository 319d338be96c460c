"""The papers' tables as class counts, and who is in which class."""

from __future__ import annotations

from pathlib import Path

import pandas as pd

from tcloseness.attacks import LinkedRelease
from tcloseness.microdata import ClassCounts, FrequencySet, Hierarchy

PAPERS = Path(__file__).parents[2] / "data" / "papers"

RECORDS = {  # the printed record numbers, where a release prints them in another order (data/papers/README.md)
    "li_table5": [1, 3, 8, 4, 5, 6, 2, 7, 9],
    "machanavajjhala_figure3": [1, 4, 9, 10, 5, 6, 7, 8, 2, 3, 11, 12],
}


def frame(name: str) -> pd.DataFrame:
    return pd.read_csv(PAPERS / f"{name}.csv")


def quasi_identifiers(name: str) -> list[str]:
    return [column for column in frame(name).columns if column not in ("Disease", "Salary", "Condition")]


def released(name: str, sensitive: str) -> ClassCounts:
    table = FrequencySet.from_frame(frame(name), quasi_identifiers=quasi_identifiers(name), sensitive=sensitive)
    return table.class_counts()


def linked(name: str, sensitive: str) -> LinkedRelease:
    """The release with every record's owner: record i belongs to person i."""
    rows = frame(name)[quasi_identifiers(name)].itertuples(index=False, name=None)
    people = RECORDS.get(name, range(1, len(frame(name)) + 1))
    return LinkedRelease(released(name, sensitive), dict(zip(people, rows, strict=True)))


def place(classes: ClassCounts, *label: object) -> int:
    """The index of the class with this label."""
    (index,) = [g for g in range(len(classes)) if classes.label(g) == label]
    return index


def diseases() -> Hierarchy:
    return Hierarchy.from_csv(PAPERS / "disease_hierarchy.csv", name="disease")
