"""Small tables whose optimal anonymization can be computed: drawn from Adult, and those that the papers print."""

from __future__ import annotations

import random
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import pandas as pd

from experiments import adult
from experiments.adult_hierarchies import preset
from experiments.proofs import files_of, plain_name
from tcloseness.certificates import Envelope
from tcloseness.microdata import FrequencySet, Hierarchy, Microdata, read_table

__all__ = ["ADULT_COLUMNS", "SmallTable", "drawn", "printed", "proof_files"]

ADULT_COLUMNS = ("age", "education", "marital-status")
"""The quasi-identifiers of the drawn tables; occupation is their sensitive attribute."""

PAPERS = Path(__file__).resolve().parent.parent / "data" / "papers"


@dataclass(frozen=True, eq=False)
class SmallTable:
    """A table, its name, and the hierarchy of each of its quasi-identifiers."""

    name: str
    table: Microdata
    hierarchies: Mapping[str, Hierarchy]


@cache
def _people() -> pd.DataFrame:
    return adult.load("train-complete")


@cache
def drawn(records: int, number: int, seed: int) -> SmallTable:
    """Return one of the tables of so many records drawn without replacement from Adult's complete training records."""
    frame = _people()
    rows = random.Random(f"{seed} {records} {number}").sample(range(len(frame)), records)
    part = frame.iloc[rows].reset_index(drop=True)
    table = Microdata.from_frame(
        part,
        quasi_identifiers=list(ADULT_COLUMNS),
        sensitive="occupation",
        orders={"occupation": sorted(part["occupation"].unique())},
    )
    levels = preset("T1")
    return SmallTable(f"Adult {records}, no. {number}", table, {name: levels[name] for name in ADULT_COLUMNS})


@cache
def printed() -> tuple[SmallTable, ...]:
    """Return the papers' original tables: Li et al. 2007, Table 1, and Machanavajjhala et al. 2006, Figure 1."""
    found = []
    for name, sensitive, file, places in (
        ("Li, Table 1", "Disease", "li_table1", ("ZIP Code", "Age")),
        ("Machanavajjhala, Figure 1", "Condition", "machanavajjhala_figure1", ("Zip Code", "Age", "Nationality")),
    ):
        frame = read_table(PAPERS / f"{file}.csv")
        table = Microdata.from_frame(
            frame,
            quasi_identifiers=list(places),
            sensitive=sensitive,
            orders={sensitive: sorted(frame[sensitive].unique())},
        )
        hierarchies = {places[0]: Hierarchy.prefixes(frame[places[0]], name=places[0])}
        hierarchies[places[1]] = Hierarchy.intervals(frame[places[1]], [10, 20], name=places[1])
        if len(places) > 2:
            hierarchies[places[2]] = Hierarchy.suppression(frame[places[2]], name=places[2])
        found.append(SmallTable(name, table, hierarchies))
    return tuple(found)


def proof_files(proved: Mapping[tuple[SmallTable, str], Envelope]) -> dict[str, bytes]:
    """Return the files of certificates about small tables, each by its table and what was asked of it."""
    tables = dict.fromkeys(small for small, _ in proved)
    return files_of(
        {plain_name(f"{small.name} {asked}"): envelope for (small, asked), envelope in proved.items()},
        {plain_name(small.name): (FrequencySet.of(small.table), small.table.sensitive[0].name) for small in tables},
        [hierarchy for small in tables for hierarchy in small.hierarchies.values()],
    )
