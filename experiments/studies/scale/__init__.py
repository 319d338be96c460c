"""How time and memory grow with the rows of a table: counting, an audit, and searches for k, ℓ and t.

Lands End, on which Machanavajjhala et al. 2006 measured with 4,591,581 rows, was never public. The table here is drawn
at random in its shape, see `experiments.lands_end`: it has the paper's number of rows, numbers of values and heights of
hierarchies, in two forms, since the paper does not say how many rows are equal. It shows what a table of this shape
takes; the paper's counts of minimal and of vulnerable tables depend on the values, and no stand-in can check them.
Seconds and memory are of one run on one machine; they stand in tables of their own, and no verdict rests on them.
"""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, cast

import pandas as pd

from experiments import datasets, lands_end
from experiments.lands_end import ATTRIBUTES, SENSITIVE, Form
from experiments.runner import Figure, Study, StudyResult, StudyRun
from experiments.studies.scale.figures import by_quasi_identifiers, by_rows, many_copies
from experiments.studies.scale.work import CRITERIA, FIVE_MEASURES, audited, searched

__all__ = ["STUDY", "Grid"]

NAME = "scale"
FORMS = {"distinct": "nearly all rows distinct", "repeated": "a third as many combinations as rows"}
_MILITARY = ("branch", "gender", "race", "hispanic", "rank")
"""Four quasi-identifiers, and a sensitive attribute."""

_FEW = 10_000
"""Of so many rows each search loads its compiled code, before it is timed."""

Record = dict[str, Any]


@dataclass(frozen=True)
class Grid:
    """What the study runs over."""

    rows: tuple[int, ...]
    forms: tuple[str, ...]
    quasi_identifiers: tuple[int, ...]
    li_rows: int
    li_quasi_identifiers: tuple[int, ...]
    copies: tuple[int, ...]


def run(study: StudyRun) -> StudyResult:
    """Measure growing tables in two forms, growing quasi-identifiers, and copies of a public table."""
    grid = study.grid(Grid)
    study.draws_with("2006")
    tables: list[Record] = []
    found: list[Record] = []
    times: list[Record] = []
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory() as other:
        place = Path(folder)
        few = {form: lands_end.write(Path(other) / f"{form}.parquet", cast(Form, form), _FEW) for form in grid.forms}
        steps = [*_steps(grid), *(("military", copies, ()) for copies in grid.copies)]
        for table, size, sizes in study.progress(steps, "tables"):
            if table == "military":
                facts, taken = audited(_copies(place, size), _MILITARY)
                _clear(place)
                tables.append({"table": "US military", **facts})
                times += [{"table": "US military", "rows": facts["rows"], "quasi-identifiers": 4, **t} for t in taken]
                continue
            file = lands_end.write(place / "table.parquet", cast(Form, table), size)
            if size in grid.rows:
                facts, taken = audited([file], [*ATTRIBUTES, SENSITIVE])
                tables.append({"table": table, **facts})
                times += [{"table": table, "rows": size, "quasi-identifiers": len(ATTRIBUTES), **t} for t in taken]
            for number, criteria in sizes:
                more, taken = searched(file, few[table], ATTRIBUTES[:number], criteria)
                head = {"table": table, "rows": size, "quasi-identifiers": number}
                found += [{**head, **each} for each in more]
                times += [{**head, **each} for each in taken]
            _clear(place)
    nodes, measured = pd.DataFrame(found), pd.DataFrame(times)
    measured["seconds"], measured["peak MB"] = measured["seconds"].round(3), measured["peak MB"].round(0)
    described = pd.DataFrame(tables)
    return StudyResult(
        {"tables": described, "searches": nodes, "work_times": measured},
        _figures(study, grid, measured),
        {},
        _summary(grid, described, nodes),
    )


def _steps(grid: Grid) -> Iterator[tuple[str, int, tuple[tuple[int, dict[str, str]], ...]]]:
    """Go through the tables: the form, the number of rows, and the searches by size of the quasi-identifier."""
    for form in grid.forms:
        for rows in grid.rows:
            sizes = grid.quasi_identifiers if rows == max(grid.rows) else ()
            yield form, rows, tuple((size, CRITERIA) for size in sorted({*sizes, len(ATTRIBUTES)}))
        yield form, grid.li_rows, tuple((size, FIVE_MEASURES) for size in grid.li_quasi_identifiers)


def _copies(place: Path, copies: int) -> list[Path]:
    """Return a public table so many times, as files that take no place."""
    file = datasets.fetch("military")
    found = [place / f"part-{number}.csv" for number in range(copies)]
    for each in found:
        each.symlink_to(file)
    return found


def _clear(place: Path) -> None:
    for file in place.iterdir():
        file.unlink()


def _figures(study: StudyRun, grid: Grid, times: pd.DataFrame) -> list[Figure]:
    forms = {form: FORMS[form] for form in grid.forms}
    criteria = [f"search: {criterion}" for criterion in CRITERIA]
    growing = times[(times["quasi-identifiers"] == len(ATTRIBUTES)) & ~times["work"].isin(_five())]
    largest = times[(times["rows"] == max(grid.rows)) & times["work"].isin(criteria)]
    military = times[times["table"] == "US military"]
    return [
        Figure(
            by_rows(growing[growing["table"].isin(grid.forms)], forms, study.folder / "rows_times.png"),
            "CPU seconds and memory against rows, one thread: DuckDB's group-by and the whole audit are processes with "
            "their imports and read Parquet; searches for all minimal tables begin with the counted combinations. "
            "A synthetic table of the shape of Lands End; one run on one machine.",
        ),
        Figure(
            by_quasi_identifiers(largest, forms, study.folder / "quasi_identifiers_times.png"),
            f"As Machanavajjhala et al. 2006, Figure 6: CPU seconds of searches on {max(grid.rows):,} synthetic rows, "
            "by number of quasi-identifiers.",
        ),
        Figure(
            by_quasi_identifiers(
                times[(times["rows"] == grid.li_rows) & times["work"].isin(_five())],
                forms,
                study.folder / "five_measures_times.png",
            ),
            "As Li et al. 2007, Figure 3(a): CPU seconds of searches by five measures at k = l = 5 on "
            f"{grid.li_rows:,} synthetic rows, as many as that paper's Adult data.",
        ),
        Figure(
            many_copies(military, "US military, copied", study.folder / "copies_times.png"),
            f"CPU seconds and memory against rows: the {datasets.dataset('military').records:,} rows of a public table "
            f"{', '.join(map(str, grid.copies))} times as CSV files. The combinations stay the same.",
        ),
    ]


def _five() -> list[str]:
    return [f"search: {criterion}" for criterion in FIVE_MEASURES]


def _summary(grid: Grid, tables: pd.DataFrame, nodes: pd.DataFrame) -> str:
    rows = max(grid.rows)
    parts = []
    for form in grid.forms:
        (facts,) = tables[(tables["table"] == form) & (tables["rows"] == rows)].to_dict("records")
        mine = nodes[(nodes["table"] == form) & (nodes["rows"] == rows)]
        mine = mine[(mine["quasi-identifiers"] == len(ATTRIBUTES)) & mine["criterion"].isin(list(CRITERIA))]
        checked = ", ".join(f"{line.criterion} {line.checked:,}" for line in mine.itertuples())
        parts.append(
            f"{rows:,} rows with {FORMS[form]} are {facts['combinations']:,} combinations in {facts['classes']:,} "
            f"classes; of {int(mine['nodes'].iloc[0]):,} nodes the searches check: {checked}."
        )
    military = tables[tables["table"] == "US military"]
    (combinations,) = set(military["combinations"])
    return (
        " ".join(parts)
        + f" {int(military['rows'].max()):,} rows of the US military are {combinations:,} combinations, as are fewer "
        "copies of it. The stand-in for Lands End is random: it shows what a table of this shape takes, and not how "
        "private the database was. Seconds and memory are in work_times.csv, of one run on one machine."
    )


STUDY = Study(
    NAME,
    "How do the time and the memory of audits and searches grow with the rows of a table, up to millions?",
    run,
    basis="no sample: whole audits and searches of drawn synthetic tables and of copies of a public one; seconds and "
    "memory are of one run on one machine, and no verdict rests on them.",
    data=("military",),
    needs="It reads a data set beside Adult, and takes ten minutes and 1.6 gigabytes of memory.",
    timed=True,
)
