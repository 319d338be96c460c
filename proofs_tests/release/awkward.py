"""Tables whose cells are awkward, in files, with releases of them; and the rows that each release must have."""

from __future__ import annotations

import dataclasses
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pandas as pd

from tcloseness import FrequencySet, Hierarchy, Microdata, Release, read_table
from tcloseness.microdata.text_files import quoted
from tcloseness.release import AnonymizedTable, Categorical, Partition
from tcloseness.release.rows import cell_text

TEXTS = ("1", "2", "03", "3", "a,b", 'q"x', "l\ny", "é", ";", "", "x y", "*", "**", "NULL", "'", "\\")
"""Cells that a careless writer loses, and markers of suppressed records."""

QI, SENSITIVE = ["a", "b,c"], "s"


@dataclass(frozen=True)
class Written:
    """A file, a release of its table, and what is kept of it.

    Attributes
    ----------
    reading
        How the file is read, by the names of `FrequencySet.read`.
    table, frame
        Its rows, those without missing values where such rows are dropped.
    """

    file: Path
    reading: dict[str, Any]
    frame: pd.DataFrame
    table: Microdata
    release: Release
    keep: tuple[str, ...]

    @property
    def rows(self) -> AnonymizedTable:
        """What is to be written, by the way in which rows in memory are."""
        kept = {name: [*map(cell_text, self.frame[name])] for name in self.keep}
        return self.release.rows(self.table).with_columns(kept)

    @property
    def source(self) -> dict[str, Any]:
        """How `Release.write` is told of the file."""
        if not self.keep:
            return {}
        found = {"source_separator" if name == "separator" else name: each for name, each in self.reading.items()}
        return {"source": self.file, "keep": self.keep, **found}


def drawn(random: Random, folder: Path) -> Written:
    """Draw a table with a release: of levels, with classes suppressed, or of classes of records."""
    while True:
        try:
            return _drawn(random, folder)
        except ValueError:  # a table that is refused: all dropped, all suppressed, blanks only
            continue


def _drawn(random: Random, folder: Path) -> Written:
    columns = [*QI, SENSITIVE, "w", "k ey", "other"]
    random.shuffle(columns)
    values = {name: random.sample(TEXTS, random.randint(1, 4)) for name in columns} | {"w": ["1", "2", "10"]}
    rows = [[random.choice(values[name]) for name in columns] for _ in range(random.randint(2, 25))]
    separator, missing = random.choice(",;\t"), random.choice(["category", "drop"])
    reading = {"separator": separator, "missing_texts": random.choice([("",), ("", "1"), ("", "*")])}
    file = folder / "in.csv"
    file.write_text("".join(separator.join(quoted(x, separator) for x in row) + "\n" for row in [columns, *rows]))
    weight = "w" if random.random() < 0.3 else None
    roles: dict[str, Any] = {"quasi_identifiers": QI, "sensitive": SENSITIVE, "missing": missing, "weight": weight}
    frame = read_table(file, **reading)
    table = Microdata.from_frame(frame, **roles)
    if missing == "drop":
        frame = frame[~frame[[*QI, SENSITIVE]].isna().any(axis=1)]
    if random.random() < 0.6 or weight:
        counted = FrequencySet.read(file, **reading, **roles)
        paths = [[value, random.choice("PQ"), "*"] for value in counted.domains["a"].values]
        release = Release.full_domain(counted, {"a": Hierarchy(paths, name="a")}, {"a": random.randint(0, 2)})
        if random.random() < 0.6 and len(release) > 1:
            release = release.suppress(random.sample(range(len(release)), random.randint(1, len(release) - 1)))
    else:
        release = Release.of_partition(
            Partition(table, _classes(random, table)), [Categorical(c.name, c.domain) for c in table.quasi_identifiers]
        )
    if random.random() < 0.3:
        release = _hiding(random, release.on_rows(table))
    keep = [*(["w"] if weight else []), *random.sample(["k ey", "other"], random.randint(0, 2))]
    return Written(file, reading, frame, table, release, tuple(keep))


def _hiding(random: Random, release: Release) -> Release:
    """Show another text in place of one sensitive value: everywhere, or beside one value of a quasi-identifier."""
    codes = release.original.codes
    hidden = codes[SENSITIVE] == random.choice(codes[SENSITIVE])
    if random.random() < 0.5:
        hidden &= codes["a"] == random.choice(codes["a"])
    texts = np.where(hidden, random.choice(["?", "", "3"]), None)
    return dataclasses.replace(release, shown={SENSITIVE: texts})


def _classes(random: Random, table: Microdata) -> Any:
    """Draw classes: mostly such that records of equal values are in one."""
    first, second = (column.codes for column in table.quasi_identifiers)
    of = (first * 3 + second * 5) % 4 - 1
    if random.random() < 0.3:
        of = np.array([random.randint(-1, 2) for _ in range(len(table))])
    numbers = sorted({*of.tolist()} - {-1})
    return np.array([numbers.index(each) if each >= 0 else -1 for each in of.tolist()])
