"""What k, ℓ and t cost a user: classifiers and count queries on releases of equal privacy, made by each method.

Records are drawn from a data set for each of several seeds, and released by every method for every model. A classifier
is trained on each release and tested on other records as they are; count queries are answered from it. All methods are
given the same records, hierarchies and models, and are compared seed by seed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pandas as pd

from experiments.runner import Study, StudyResult, StudyRun
from experiments.studies.utility import figures, several
from experiments.studies.utility.compared import comparisons, medians, summary
from experiments.studies.utility.data import DataSet, data_set
from experiments.studies.utility.learning import (
    accuracies,
    encoded_held_out,
    library,
    majority,
    names,
    one_thread,
    versions,
)
from experiments.studies.utility.queries import draw_queries, estimates, relative_errors
from experiments.studies.utility.releases import MAJORITY, NO_MODEL, all_made, draw, models, terms

__all__ = ["STUDY", "Grid", "measured"]

NAME = "utility"
ERROR = "median query error"


@dataclass(frozen=True)
class Grid:
    """What the study runs over; see the file of its values for what they are."""

    data: tuple[str, ...]
    samples: int
    records: int
    held_out: int
    k: int
    l: int  # noqa: E741
    thresholds: tuple[str, ...]
    suppression: str
    queries: int
    attributes: int
    selectivity: str
    sanity: int
    several_records: int
    several_l: int
    several_t: str

    @property
    def seeds(self) -> range:
        """What draws the samples."""
        return range(1, self.samples + 1)


def measured(data: DataSet, grid: Grid, seed: int) -> Iterator[dict[str, Any]]:
    """Yield a row for each release of the records of a seed, after the references; see `all_made`."""
    drawn = draw(data, seed, grid.records, grid.held_out)
    held_out = encoded_held_out(drawn)
    queries = draw_queries(
        {name: len(hierarchy) for name, hierarchy in drawn.hierarchies.items()},
        data.numbers,
        len(drawn.values[data.sensitive]),
        number=grid.queries,
        attributes=grid.attributes,
        selectivity=grid.selectivity,
        seed=seed,
    )
    of_all = {"data": data.name, "seed": seed}
    shares = {name: majority(drawn, column) for name, column in names(data).items()}
    yield {**of_all, "model": NO_MODEL, "method": MAJORITY, **shares}
    true = None
    for made in all_made(drawn, models(grid.k, grid.l, grid.thresholds), grid.suppression):
        row: dict[str, Any] = {**of_all, "model": made.model, "method": made.method, "seconds": made.seconds}
        if made.shown is not None:
            estimated = estimates(made.shown, queries)
            true = estimated if true is None else true  # the first is the unchanged table
            errors = relative_errors(estimated, true, grid.sanity)
            row |= {"classes": made.classes, "suppressed": made.suppressed, "GCP": made.gcp}
            row |= {ERROR: float(np.median(errors)), **accuracies(made.shown, drawn, held_out)}
        yield row


def run(study: StudyRun) -> StudyResult:
    """Make every release, use it, and compare the methods."""
    library()
    grid = study.grid(Grid)
    chosen = [data_set(name) for name in grid.data]
    study.draws_with(f"1 to {grid.samples}")
    with one_thread():
        work = [(data, seed) for data in chosen for seed in grid.seeds]
        found = pd.DataFrame(
            [row for data, seed in study.progress(work, "releases") for row in measured(data, grid, seed)]
        ).astype({"classes": "Int64", "suppressed": "Int64"})
        parts = [
            several.frame(data, grid.k, grid.several_l, grid.several_t, grid.several_records)
            for data in study.progress(chosen, "several sensitive attributes")
        ]
    of_pairs = pd.concat(parts, ignore_index=True)
    drawn, shown = [], []
    compared = []
    for data in chosen:
        mine = found[found["data"] == data.name]
        measures = {ERROR: -1, **dict.fromkeys(names(data), 1)}
        shown.append(medians(mine, measures, study.seed))
        compared.append(comparisons(mine, measures, study.seed))
        here = of_pairs[of_pairs["data"] == data.name]
        unlike = terms(grid.suppression)
        drawn += figures.draw_all(data, shown[-1], here, grid.samples, unlike, study.folder, few=study.smoke)
    tables = {
        "releases": found.drop(columns="seconds"),
        "medians": pd.concat(shown, ignore_index=True),
        "comparisons": pd.concat(compared, ignore_index=True),
        "several_sensitive": of_pairs,
        "methods_times": _times(found),
    }
    text = " ".join(
        summary(data, found, one, two, of_pairs, ERROR, terms(grid.suppression), study.seed)
        for data, one, two in zip(chosen, shown, compared, strict=True)
    )
    return StudyResult(tables, drawn, {}, text)


def _times(found: pd.DataFrame) -> pd.DataFrame:
    """Return the processor seconds of each method for each model."""
    made = found.dropna(subset=["seconds"]).groupby(["data", "model", "method"], sort=False)["seconds"]
    return made.agg(releases="size", median="median", least="min", greatest="max").reset_index()


STUDY = Study(
    NAME,
    "What do k, l and t cost a user who trains a classifier or counts records on the release?",
    run,
    inputs=versions,
    basis="samples drawn from each data set: medians over them have an interval, and methods are compared sample by "
    "sample with the sign test, adjusted for being several.",
)
